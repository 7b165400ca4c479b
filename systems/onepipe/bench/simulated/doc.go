// Package simulated repeats the figures of the 1Pipe paper (docs/references.md) in a network in simulated time (package
// sim/fabric), whose switches run p4/onepipe and whose hosts run onepipe.Endpoint. What 1Pipe is compared with is in package
// baseline.
//
//	figure 8   all processes broadcast to all: messages per second (a), latency (b), by the number of processes
//	figure 9a  the latency of a message when nothing else is under way, compared with one without an order
//	figure 9b  the same, and the rate under load, when links lose packets
//	figure 10  how long reliable delivery stands still when a host, a switch or a link fails
//	figure 11  what waits at a host for its place in the order, by how long it waits
//	figure 12  latency when other flows fill hosts' links (a), and when links between switches are slower (b)
//	transactions
//	           transactions of keys on several shards, beside two-phase commit with locks: how many per second, and how long
//	           each takes, when keys are as popular as each other, and when some are much more popular
//
// # The testbed
//
// That of the paper: 32 hosts, four switches over them, four over these, two on top. Up to 8 processes are in one rack, 16 in
// two; beyond, hosts have the same number of processes each.
//
//	          core1       core2
//	        /   |   \   /   |   \       each core to all four spines
//	spine1   spine2       spine3   spine4
//	   | \  / |               | \  / |
//	   |  \/  |               |  \/  |
//	   |  /\  |               |  /\  |
//	 tor1    tor2           tor3    tor4
//	h1..h8  h9..h16       h17..h24  h25..h32
//
// # Contract
//
// A seed is a repetition: it determines clocks, times and losses. Every run looks at the order that processes deliver in, and
// fails when it is not the same everywhere.
package simulated
