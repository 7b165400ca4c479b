// Package replicate is P4CE's replication path alone: the caller names the leader and chooses the
// mode, and the log has one life. The package has no election and no recovery; package smr has.
// p4ce node and the demo use it to show and compare the modes. The switch's tests use it because
// nothing else is on the wire.
//
// The two packages have different jobs. A server of smr can lose its leader at any time, so it
// always reads heartbeats, keeps promises and status blocks, and writes a log that a successor
// adopts. Here, the only packets are the WRITEs of records, their acknowledgements and rare READs
// of heads, so what a run costs is what the records cost. The packages share the form of the log
// (mu.Geometry), and how connections are set up (package proof).
//
// Every Replica offers one region, whose size is the same power of two
// everywhere:
//
//	0    commit position     written by the leader
//	64   head position       written by the replica, read by the leader
//	72   head index
//	256  the log, a ring to the end of the region
//
// The log has the form of the decision protocol's log (mu.Entry). Space is reused when the head of
// every confirmed replica has passed it. The leader drops a replica that holds this up for too
// long.
//
// A Leader starts in direct mode. Accelerate connects through the switch, and changes over when
// nothing is undecided. When the connection through the switch fails, the leader returns to direct
// mode at once. It writes undecided entries again, with the same bytes at the same offset, and
// tries the switch again in the background. If a lossy switch path has left a replica with a gap,
// the head of the replica stands still. The leader notices that, and sends the missing entries on
// the direct path.
//
// Type core is the state machine of the Leader, and type follower that of the Replica. Both are
// pure. Leader and Replica run them on an rdma.Device.
package replicate
