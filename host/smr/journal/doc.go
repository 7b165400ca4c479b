// Package journal keeps on disk what a server of package smr must not forget, in a
// pebble database of its own: what it has promised, and the entries of the log that its
// state machine does not have on disk.
//
//	key                     value
//	"owner"                 server, cluster and size of the log, as JSON
//	"stored"                mu.Stored, as JSON
//	"trimmed"               position, 8 B: what ends there or before is not kept
//	"e" | number, 8 B       term | position | end | commit position, 8 B each | entry
//
// Numbers are those of the order in which entries were written, big-endian in the key,
// so that what was written later at a place of the log comes later; values are
// little-endian. Everything that a call has written is on disk when it returns, but for
// Trim. A Journal is used by any goroutine; Append, Entries and Trim by one at a time.
package journal
