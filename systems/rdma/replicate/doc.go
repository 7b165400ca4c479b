// Package replicate is P4CE's replication path alone: one leader that the caller names,
// one life of the log, each mode when the caller says so. It elects nobody and recovers
// nothing; package smr does. p4ce node and the demo use it to show and count what one mode
// does beside the other; the switch's tests use it because nothing else is on the wire.
//
// Every Replica offers one region, whose size is the same power of two
// everywhere:
//
//	0    min proposal        written by the leader
//	8    commit position     written by the leader
//	64   head position       written by the replica, read by the leader
//	72   head index
//	256  the log, a ring to the end of the region
//
// The log has the form of the decision protocol's (mu.Entry). Space is used again when
// every confirmed replica's head has passed it. A replica that holds this up for too long
// is dropped.
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
package replicate
