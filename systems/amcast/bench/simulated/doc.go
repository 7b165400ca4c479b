// Package simulated repeats figure 4 of the P4mCast poster (docs/references.md) in a network in simulated time (package
// sim/fabric), whose switches run p4/amcast and whose hosts run amcast.Endpoint. What P4mCast is compared with is in package
// baseline.
//
//	4         throughput against latency, at 150 and 1,400 bytes: messages to one group
//	groups-2  the same, to two groups
//	groups-4  the same, to four groups
//	mixed     throughput and latency when a part of the messages goes to two of four groups, and the others to one
//	cpu       the latency of a message by the time that a packet takes hosts' CPUs
//
// The poster has packets of up to 1,500 bytes; a payload of P4mCast has at most 1,400.
//
// # The testbed
//
// Four racks. Leaf n leads group n, and the spines are its followers. Its three replicas are in three racks from rack n on. Two
// clients are in each rack.
//
//	      spine1     spine2         each leaf to both
//	leaf1   leaf2   leaf3   leaf4
//	g1.1    g1.2    g1.3               replicas of group 1
//	        g2.1    g2.2    g2.3       of group 2
//	c1 c5   c2 c6   c3 c7   c4 c8      clients
//
// In PrimCast the replicas are the members, the first of each group its primary. Skeen's protocol runs on the first of each
// group alone: it has no replicas.
//
// # Contract
//
// A seed is a repetition: it determines when messages are sent, and to which groups. Every run looks at the order in which
// replicas deliver, and fails if it is not ascending by final timestamp and message, or if two replicas have different
// timestamps of a message. Latency is from Multicast until a replica delivers the message, the mean over all replicas of all
// destinations.
package simulated
