// Package kv is a key-value store on a replicated log, with the Redis protocol.
//
//	             redcon            record                 decided
//	redis-cli ──────────▶ Server ───────────▶ log ─────────────────▶ Machine ──▶ pebble
//	          ◀──────────   │                                          ▲
//	             replies    └── barrier or lease, then a read ─────────┘
//
// A Server speaks the Redis protocol (RESP2) on a TCP port. It turns commands that write into
// records, and proposes them to a Log. The Log gives every decided record to the Machine of every
// server, in one order. Commands that read wait for a barrier of the log, unless the leader has a
// lease, and then read the local Machine. Such a read is linearizable, and costs no record. Only
// the leader serves commands on keys. The other servers name the leader.
//
// # Machine
//
// A Machine is a replicated.StateMachine over pebble. Its state depends on the records alone: the
// records contain the time that expiry uses (see op and record). So Machines that have applied the
// same records hold the same bytes, and Digest shows it. Redis clients do not number their
// requests, so a Machine has no table of sessions and cannot recognise a repeated request. A client
// that repeats a write because its connection broke may write twice, as with Redis.
//
// # Time
//
// A record carries the wall clock of the leader that made it. It takes effect at that time or at
// that of the record before it, whichever is later. Nothing that takes effect then or later sees an
// expired key. The records that follow remove expired keys, a few at a time. The clocks of servers
// need not agree closely: when the leader changes, a key lives shorter or longer by the difference
// of the two clocks.
//
// # Disk
//
// Apply changes keys in memory, in a table of recently used keys. A moment later, the Machine
// writes the changes to the database, in batches with the protocol's state, and leaves them to the
// operating system. Sync waits for the disk. The folder of a Machine holds one pebble database,
// db-N, and a file whose name gives the current N. Restore builds the next database beside it, and
// moves that pointer when the whole image has arrived. So a crash leaves one state or the other.
//
// A Machine whose disk fails is finished: the call that failed and every later call return the
// first error.
package kv
