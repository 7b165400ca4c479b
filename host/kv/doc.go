// Package kv is a key-value store on a replicated log, with the protocol of Redis.
//
//	             redcon            record                 decided
//	redis-cli ──────────▶ Server ───────────▶ log ─────────────────▶ Machine ──▶ pebble
//	          ◀──────────   │                                          ▲
//	             replies    └── barrier or lease, then a read ─────────┘
//
// A Server speaks the Redis protocol (RESP2) on a TCP port. It turns commands that
// write into records, which it proposes to a Log; the Log gives every decided record,
// in one order, to the Machine of every server. Commands that read wait for a barrier
// of the log, unless the leader has a lease, and then read the local Machine: that is
// linearizable, and costs no record. Only the leader serves commands on keys; the others say who it is.
//
// # Machine
//
// A Machine is a state machine of package smr over pebble. What it does depends on
// the records alone: the time that expiry goes by is in the records (see op and
// record), so that Machines which have applied the same records hold the same bytes,
// and Digest tells. Nothing is acknowledged, retried or answered twice by a Machine;
// Redis clients do not number their requests, so there is no table of sessions that
// would find out repetitions: a client that sends a write again because its
// connection broke may write twice, as with Redis.
//
// # Time
//
// A record carries the wall clock of the leader that made it, and takes effect at
// that time or at that of the record before it, whichever is later. A key whose time
// has come is not seen by anything that takes effect then or later, and is removed
// by the records that follow, a few at a time. Clocks of servers need not agree
// closely: where they differ, a key that expires lives shorter or longer by the
// difference when the leader changes.
//
// # Disk
//
// Apply changes keys in memory, in a table of those that were used lately. What has changed
// goes to the database a moment later, in batches with the protocol's state, and is left to
// the operating system; Sync waits for the disk. The folder
// of a Machine holds one pebble database, db-N, and a file whose name says which N it
// is. Restore builds the next one beside it and moves that pointer when the image has
// arrived whole: a crash leaves the one state or the other.
//
// A Machine whose disk fails is finished: that call and every later one return the
// error that was first seen.
package kv
