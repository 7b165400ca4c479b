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
//   - A request of a load is an echo request with the load's data. It is answered when the same
//     data come back. A host repeats a request that is not answered in time.
//   - Verify compares the addresses that the controllers have learned with the places of the hosts.
//   - There is no spanning tree, so wire switches without loops. Addresses do not age, because the
//     simulated P4Runtime has no idle timeouts. Links must not corrupt frames: there is no FCS, and
//     a switch would learn an address that nobody has.
package fabric
