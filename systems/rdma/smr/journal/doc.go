// Package journal keeps on disk what a server of package smr must not forget, in a
// durable.Log: what it has promised, and the entries of the log that its state machine
// does not have on disk.
//
//	record          value
//	'o'             server, cluster and size of the log, as JSON
//	's'             mu.Stored, as JSON
//	't'             position, 8 B: what ends there or before is not kept
//	'e'             term | position | end | commit position, 8 B each | entry
//
// Records are in the order in which they were written; the last of a kind counts, and
// each entry. Numbers are little-endian. A segment of the log begins with the first
// three, so that those before it can be dropped. Everything that a call has written is on
// disk when it returns. A Journal is used by any goroutine; Entries by none while there
// are others.
package journal
