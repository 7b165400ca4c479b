// Package fabric puts a learning switch into networks in simulated time (package sim/fabric): switches run
// p4/l2 with systems/l2/control, hosts answer ARP and ping each other.
//
//	fabric.Load ── station ── ARP, ICMP echo ══▶ p4/l2: learns, floods, forwards
//	                                               │ digests   ▲ entries
//	                                               ▼           │
//	                                             control.App, one per switch
//
// # Contract
//
//   - A request of a load is an echo request with the load's data; it is answered when the same data come
//     back. What does not come back is asked for again after a while.
//   - Verify compares what the controllers have learned with where hosts are.
//   - There is no spanning tree: switches are to be wired without circles. Addresses do not age, as the
//     simulated P4Runtime has no idle time-outs. Links are not to spoil frames: there is no FCS, and a
//     switch would learn an address that nobody has.
package fabric
