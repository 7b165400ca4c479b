// Package multicast compares reliable multicast with what it replaces, a fan-out of connections and
// a chain, in a network in simulated time (package sim/fabric) that runs the real programs: figures
// 4 to 9 of the MC-RDMA paper (docs/references.md).
//
//	figure 4  one sender, two receivers: latency, bandwidth, requests, by size   two racks
//	figure 5  three flows, one after the other: who gets what                    two racks
//	figure 6  a group whose receivers are congested, by how many                 two racks
//	figure 7  loss on the way to one receiver                                    two racks
//	figure 8  a store of three copies under two published loads: READ latency    fat tree, k = 6
//	figure 9  parameter servers: the time of an iteration                        fat tree, k = 6
//
// # Contract
//
// A seed is a repetition: it determines ports of ECMP, sizes, times, marks and losses. The same
// seed gives the same samples on any machine, so a busy machine disturbs nothing. The figures of
// the paper are in paper.go, for comparison. No plot shows them as measured.
package multicast
