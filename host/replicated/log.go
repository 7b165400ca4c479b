package replicated

import "context"

// Log orders records, and every server's StateMachine executes them. Each server proposes and
// serves, unless the log is a LeaderLog. Several goroutines may call its methods at a time.
type Log interface {
	// Propose returns when the record is decided and executed here, with the result of
	// StateMachine.Apply. Errors are a *NotLeaderError or ErrUnknownOutcome, possibly wrapped, or
	// those of the context and of the log itself.
	//
	// Unless this is a LeaderLog, this server's StateMachine has then executed every record whose
	// result any server had returned before the call. Reads wait for that.
	Propose(ctx context.Context, record []byte) (result any, err error)
	// Leader returns where the leader serves clients, this server itself if all do; ok is
	// false if no leader is known.
	Leader() (client string, ok bool)
}

// LeaderLog is a Log on which one server at a time, the leader, proposes and serves.
type LeaderLog interface {
	Log
	// Barrier returns when this server's StateMachine has executed everything that was decided before
	// the call, if this server is then the leader.
	Barrier(ctx context.Context) error
	// Leased reports whether reads need no Barrier now: a read of this server's StateMachine after the
	// call returns what it would return after Barrier.
	Leased() bool
	// Short reports whether so many servers' disks are nearly full that no majority is left.
	Short() bool
}
