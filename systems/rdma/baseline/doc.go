// Package baseline is the replication path of Mu as its paper describes it (Aguilera et al., "Microsecond Consensus
// for Microsecond Applications", OSDI 2020), on the same RDMA devices as package replicate. Benchmarks compare P4CE
// with it, as the P4CE paper does. It is not for use: package smr is.
//
// What it does as Mu does, and package replicate does otherwise:
//
//   - Permission. A server that wants to lead writes a request into the memory of each follower. The follower's
//     permission loop looks there with short sleeps. It takes the right to write from the queue pair of the previous
//     leader, gives it to the requester's, and writes an answer into the requester's memory. Requests and answers have
//     connections of their own (the background plane).
//   - Log. Slots of one size. A slot ends with a canary, one byte that is not zero: RDMA writes in order, so an entry
//     whose canary is there is complete. There is no checksum.
//   - Decision. The leader writes an entry to every follower that has given it permission, and it is decided when a
//     majority has acknowledged it. The prepare phase is left out after the first entry of a leader.
//   - Replay. A follower's replay loop looks at its memory with short sleeps. An entry is applied when the next slot is
//     filled, because the leader fills it only after the decision, or within its window: see below.
//   - Recycling. A follower writes zeros over what it has applied, so that canaries of the previous round are not
//     mistaken for new ones. The leader reads the heads of all followers before it uses slots again. In Mu the leader
//     writes these zeros by RDMA. That would take half of its link, and the figures of the P4CE paper do not show it: the
//     baseline is the stronger one.
//
// As in Mu with several outstanding requests, entries are under way together, so a filled slot says only that the one
// a window before it is decided. A leader that ends fills a window of slots that have no value.
//
// What it lacks: heartbeats, elections, and taking over a log of another leader. A caller names the leader, as in
// package replicate, and logs are empty at first.
//
// # Memory
//
// All numbers are little-endian. The log's region, a power of two in size:
//
//	0    minProposal  written by the leader
//	8    head         index of the first entry that is not applied, written by the follower
//	16   sum          CRC-64 (ECMA) over the applied values
//	24   form         of the log, written by the follower: bytes of the longest value (4), entries under way (4)
//	256  slots        proposal (8) | length (4) | kind (4) | value | canary (1), in a multiple of 8 bytes
//
// The background region, 4096 bytes on each server:
//
//	64 + 32 id    request of server id: address and key of its background region (8, 8), number (8)
//	2112 + 8 slot answer of the follower in a slot: the number of the request that it has granted
package baseline
