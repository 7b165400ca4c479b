// Package paxos is the servers' side of consensus as a network service (P4xos): a replicated log
// (Log), whose roles run in switches (p4/paxos) or in processes (package soft).
//
//	         Request         Accept           Vote            Deliver
//	Proposer ------> leader -------> acceptors ----> learner --------> Replica
//	                                  ^     ^                            |  |
//	                  Prepare, Floor, |     +---- Query: vote again -----+  |
//	                  Accept          |                                     |
//	                     Coordinator -+                                     |
//	                     (in the controller) <-- Report: position, gap, ----+
//	                                             checkpoint
//
// A value is up to 64 bytes. It has the id of its client and a number, which stay the same however
// often it is sent. The leader gives it an instance, which is a position in the log. A majority of
// the acceptors votes for it. A learner counts the votes, and tells all replicas. Replicas deliver
// instances in order, and deliver each number of a client only once.
//
// Values of a client that wait together share a message, and so an instance, as far as they fit into 64
// bytes: their numbers follow each other (Message.Shared). Roles do not look into it. Nothing waits for
// company: what a proposer has when it sends shares, and a value that is sent again has other company, or
// none.
//
// Messages are UDP datagrams with a checksum (Message). Numbers are in network byte order.
//
// A host that proposes and is no replica (Guest) gets an Answer from each replica that has applied its
// value. It sends the request again until one comes: replicas answer each repetition.
//
// # Cores
//
// Proposer, Replica and Coordinator are pure: their inputs are messages and the time, and their
// outputs are messages to send. They have no goroutines, clocks or sockets, and allocate nothing
// for a value on its way. Log runs the first two over a socket (package udp). The controller of the
// switches runs a Coordinator. Package chaos runs all of them against each other, and against the
// roles.
//
// # Rules, and who keeps them
//
//   - A round belongs to one coordinator, and is never used again: the controller counts rounds
//     durably. Round 0 belongs to nobody. Only the leader of a round proposes in the instances
//     after those that its coordinator has recovered (Coordinator.Next).
//   - The coordinator first decides again what may have been decided in a lower round. For this, a
//     majority of each configuration of earlier rounds has promised the round for all instances,
//     and has said how far it has voted, and how it has voted in each instance (Recovery).
//   - An acceptor that has forgotten is a different acceptor. It votes for nothing below the round
//     of the coordinator that admits it, and counts in no earlier configuration.
//   - The switches forget an instance when more than half of the replicas have it in a checkpoint
//     on their disks (Log.Checkpoint). A replica that missed it gets the state of another replica
//     (StateTransfer). If nothing in a ring may be forgotten, the ring is full, and the leader
//     refuses requests.
//   - The numbers that clients have sent are part of the state (Log.State), so replicas with the
//     same log drop the same repetitions. The numbers of a client that are under way are within
//     History of each other. No two lives of a host have the same client (NextClient).
//   - A replica takes values from learners only. A host that has lost its disk reports as a
//     different host: its earlier reports of checkpoints no longer hold.
//
// A leader that is full may have given instances that reached nobody. Its refusal names the next
// instance: replicas ask for those below, and have them closed.
//
// Source: Dang et al., P4xos: Consensus as a Network Service (IEEE/ACM ToN 2020). It does not have
// the rounds, the floor, laps, the answers, and the rules about repetition and forgetting.
package paxos
