// Package logpipe writes a log without waiting for its reader. Otherwise a pipe that nobody reads,
// or a stopped terminal, would stop every loop that logs.
//
//	loops ──Write──> queue, bounded ──goroutine──> standard error
//
// Lines that do not fit are lost, and counted. When the reader is back, a line of its own says how
// many lines are missing.
package logpipe
