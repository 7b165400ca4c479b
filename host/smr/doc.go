// Package smr replicates a log of records from a leader to replicas by RDMA
// WRITEs: the fast path of the decision protocol of Mu and P4CE (protocols.md
// section 7).
//
//	            direct: one WRITE per replica
//	leader ──────────────┬────────────────────▶ replica 0   log, header
//	   │                 └────────────────────▶ replica 1
//	   │  accelerated: one WRITE
//	   └───────────────▶ switch ──────────────▶ every replica
//
// The leader appends a record to its own log and writes the entry at the same
// offset of every replica's log. The entry is decided when the leader and f
// replicas hold it (see private.Policy). Replicas do nothing for that: their
// endpoints acknowledge. A replica applies an entry when it is complete, which
// its checksum tells, and committed, which later entries and, when the leader is
// idle, the header tell.
//
// # Memory
//
// Every replica offers one region, whose size is the same power of two
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
// # Modes
//
// A leader starts direct. Accelerate connects through the switch and changes over
// when nothing is undecided. When the connection through the switch fails, the
// leader goes back to direct at once: what is not decided is written again, same
// bytes, same offset; and it tries the switch again in the background. A replica
// that a lossy switch path left with a gap is found by its head, which stands
// still, and gets the missing entries by the direct path.
//
// # What this version leaves out
//
// The leader is given by configuration and its term is of one life: replicas obey
// the highest term they have seen and refuse writes of any lower one, but a leader
// that finds entries of an earlier term in a replica's log refuses to start,
// because adopting them is the slow path's work. A replica that was dropped stays
// out.
//
// # Structure
//
// Type core is the leader's state machine and type follower the replica's, pure
// both; Leader and Replica drive them over an Endpoint, which package host/roce
// implements (RoCE).
package smr
