// Package simulated measures Paxos in a network in simulated time (package sim/fabric), whose switches run p4/paxos, and whose hosts run
// the cores of systems/paxos, and, for comparison, its roles as programs (systems/paxos/soft).
//
//	2        the latency of one value, by the time that a message takes a program at a host: figure 2 of the P4xos paper
//	sharing  values per second and latency while the same switches forward IPv4 at full rate: "Resource Sharing" in section VII
//
// # Figure 2
//
// A tree of three tiers: three pods of three aggregation switches and two racks, and two spines with links to all aggregation switches.
//
//	spine1 (leader)                 spine2
//	agg1..3       agg4..6 (acceptors)     agg7..9     each to both racks of its pod
//	tor1   tor2   tor3   tor4 (learners)   tor5    tor6
//	p             r1     r2, l              a1, a3  a2  hosts: proposer, replicas, leader, acceptors
//
// On the path, a value passes its roles on its way from the proposer to the replicas: one traversal of the network, the paper's best
// case. "Acceptors in three pods" has one acceptor in each. At servers, the same roles are programs on hosts: each of the three steps
// (proposer, leader, acceptors, replicas) goes to another pod, and learners are in the replicas' processes, as in libpaxos.
//
// # Contract
//
// Latencies are means over the values of a run, which are proposed one at a time. Every run ends with the checks of systems/paxos/fabric,
// and fails if replicas disagree. Nothing is lost in these networks but by full queues.
package simulated
