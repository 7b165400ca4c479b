// Package smr replicates a service's log by RDMA WRITEs: the decision protocol of Mu,
// directly or through a switch as P4CE does it.
//
//	service ──Propose──▶ Node ──┬── mu.Core     decides what to write, and when it is decided
//	   ▲                        ├── paths       connections, by one or two networks
//	   └──StateMachine.Apply────┴── applier     batches, snapshots, disk
//	                 │
//	            rdma.Device: host/roce (software) or host/verbs (RNIC, rxe)
//
// # A replicated service
//
// A service implements StateMachine and opens a Node on each server. The nodes elect
// a leader; Propose on it returns when the record is decided and applied, with what
// the state machine made of it. Others return a NotLeaderError, which says who
// leads. Barrier makes reads of the leader's state machine linearizable without an
// entry in the log. Servers can be added and removed. docs/consensus.md says how it
// works, what is lost when, and why; package mu is the protocol itself.
//
// # Errors
//
// A proposal ends with nil, with NotLeaderError (not proposed), with ErrRecord (not
// proposed), or with ErrUnknownOutcome: a leader that was deposed cannot know whether
// its successor has found the record. A state machine that returns an error ends its
// node; the reason is in Err, and the other servers go on.
//
// # A leader given by configuration
//
// Leader and Replica are the replication path alone: one leader that the caller
// names, one life of the log, each mode when the caller says so. p4ce node and the
// demo use them to show and count what one mode does beside the other; the
// switch's tests use them because nothing else is on the wire. They elect nobody and
// recover nothing.
//
// Every Replica offers one region, whose size is the same power of two
// everywhere:
//
//	0    min proposal        written by the leader
//	8    commit index        written by the leader
//	64   head position       written by the replica, read by the leader
//	72   head index
//	256  the log, a ring to the end of the region
//
// A position counts all bytes ever appended; an entry lies at position modulo the
// length of the ring, and never across its end. Entries are aligned to 8 bytes:
//
//	0 CRC-32C of all that follows | 4 length | 8 position | 16 index |
//	24 commit index | 32 term | 40 record
//
// All numbers are little-endian. The checksum covers the position, so what an
// earlier round left in the ring is never taken for an entry, recycled space needs
// no zeroing, and nothing depends on the order in which bytes become visible. An
// entry whose length has its upper bit set fills the rest of the ring. Space is
// used again when every confirmed replica's head has passed it. A replica that
// holds this up for too long is dropped.
//
// A Leader starts direct. Accelerate connects through the switch and changes over
// when nothing is undecided. When the connection through the switch fails, the
// leader goes back to direct at once: what is not decided is written again, same
// bytes, same offset; and it tries the switch again in the background. A replica
// that a lossy switch path left with a gap is found by its head, which stands
// still, and gets the missing entries by the direct path.
//
// Type core is the Leader's state machine and type follower the Replica's, pure both;
// Leader and Replica drive them over an Endpoint (Over, RoCE).
package smr
