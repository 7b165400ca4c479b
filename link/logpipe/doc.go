// Package logpipe writes a log for programs that do not wait for whoever reads it. A
// pipe that nobody reads, or a terminal that is stopped, would otherwise stop every loop that
// logs.
//
//	loops ──Write──> queue, bounded ──goroutine──> standard error
//
// What does not fit is lost, and counted: when the reader is back, a line of its own says how many
// lines are missing.
package logpipe
