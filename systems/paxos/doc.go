// Package paxos is the servers' side of consensus as a network service (P4xos): a replicated
// log (Log) from the roles that p4/paxos has in switches, or package soft in processes.
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
// A value is up to 64 bytes. It is proposed under a client's id and a number, which stay the same
// however often it is sent. The leader gives it an instance, a position in the log; a majority of
// the acceptors votes for it; a learner sees that, and tells all replicas. They deliver instances
// in order, and of each client's number the first.
//
// Messages are UDP datagrams with a checksum (Message); numbers are in network byte order.
//
// # Cores
//
// Proposer, Replica and Coordinator are pure: they are given messages and the time, and say what
// to send. They have no goroutines, clocks or sockets, and need no memory for a value on its way.
// Log runs the first two over a socket (package udp). A Coordinator is run by the controller of the
// switches. Package sim runs all of them against each other, and against the roles.
//
// # What must hold, and who sees to it
//
//   - A round is one coordinator's, and is never used again: the controller counts rounds durably.
//     Round 0 is nobody's. The leader of a round proposes in instances after those that its
//     coordinator has recovered (Coordinator.Next), and nobody else there.
//   - What may have been decided in a lower round is decided again before: a majority of each
//     configuration of earlier rounds has promised the round for all instances, has said how far
//     it has voted, and for each of them in what (Recovery).
//   - An acceptor that has forgotten is another acceptor. It votes for nothing below the round
//     of the coordinator which admits it, and counts in no configuration of before.
//   - An instance is forgotten by the switches when more than half of the replicas have it in a
//     checkpoint on their disks (Log.Checkpoint), and one that missed it gets another one's state
//     (StateTransfer). A ring of which nothing may be forgotten is full: requests are refused.
//   - What clients have sent is part of the state (Log.State): replicas with the same log drop the
//     same repetitions. A client's numbers that are under way are within History of each other,
//     and no two lives of a host have the same client (NextClient).
//   - A replica takes values from learners only, and a host that has lost its disk is another host
//     in its reports: what it has said of checkpoints holds no more.
//
// If a leader that is full has given instances that reached nobody, its refusal names the next
// one: replicas ask for what is below, and have it closed.
//
// Source: Dang et al., P4xos: Consensus as a Network Service (IEEE/ACM ToN 2020). The rounds, the
// floor, laps, the answers and all that is said here of repetition and forgetting are not in it.
package paxos
