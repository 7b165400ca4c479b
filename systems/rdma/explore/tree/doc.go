// Package tree is the world in which groups over several switches are explored: rdma.p4 as it
// is, on a home and relays, with the updates that systems/rdma/control gives them, one by one.
//
//	leader -- l0 (home) --+-- s0 (relay) --+-- l1 (relay) -- replicas 1, 2
//	                      +-- s1 ----------+-- l2 --------- replica 0
//
// The group is there, its copies go by one spine, and then that way is lost: the controller says
// what switches are to do from now on (rdma.Rehearsal), an update at a time, and packets of both
// trees are under way between any two of them. What is left
// over of the old tree goes when no packet of it is under way: the planter waits a while. Packets on
// one link keep their order; links lose some. Replicas are what a NIC is, as in package gather; their ACKs go to the home.
//
// # Properties
//
//   - what the leader takes for acknowledged, all replicas hold;
//   - a host gets nothing but packets of its own queue pair, with an ICRC that is right, and each PSN
//     is the packet that the leader meant; nobody else gets anything;
//   - a relay has no state: no packet changes its registers;
//   - a request for a relay that comes in by another port, or that says another R_key than the group's,
//     or goes beyond its region, is copied to nobody, in every state;
//   - when all updates are done and nothing more is lost, everybody gets everything.
package tree
