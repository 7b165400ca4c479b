// Package journal keeps the durable state of a server of package smr in a durable.Log: its
// promises, and the entries of the log that its state machine does not have on disk.
//
//	record          value
//	'o'             server, cluster and size of the log, as JSON
//	's'             mu.Stored, as JSON
//	't'             position, 8 B: entries that end there or before are dropped
//	'e'             term | position | end | commit position, 8 B each | entry
//
// Records are in the order in which they were written. Every entry counts; of the other kinds, the
// last record counts. Numbers are little-endian. A segment of the log begins with the first three
// kinds, so earlier segments can be dropped. When a call returns, everything that it has written is
// on disk. Any goroutine may use a Journal, but no other goroutine may use it during Entries.
package journal
