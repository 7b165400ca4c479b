// Package tree is the explorer's world of groups over several switches: rdma.p4 itself, on a home
// and relays, with the updates of systems/rdma/control, one by one.
//
//	leader -- l0 (home) --+-- s0 (relay) --+-- l1 (relay) -- replicas 1, 2
//	                      +-- s1 ----------+-- l2 --------- replica 0
//
// The group runs, and its copies cross one spine. Then that path is lost. The controller changes
// the switches (control.Rehearsal), one update at a time, and packets of both trees are under way
// between any two updates. The rest of the old tree is removed when no packet of it is under way:
// the planter waits a while. Packets on one link keep their order, and links lose some. Replicas
// behave like NICs, as in package gather. Their ACKs go to the home.
//
// # Properties
//
//   - all replicas hold what the leader considers acknowledged;
//   - a host gets only packets of its own queue pair, with a valid ICRC, and each PSN is the packet
//     that the leader meant. No other host gets anything;
//   - a relay has no state: no packet changes its registers;
//   - in every state, a relay copies no request that arrives at another port, names an R_key other
//     than the group's, or exceeds its region;
//   - when all updates are done and nothing more is lost, every replica gets everything.
package tree
