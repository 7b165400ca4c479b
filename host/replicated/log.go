package replicated

import "context"

// Log orders records and has every server's StateMachine execute them. Each server proposes and serves, unless
// the log is a LeaderLog. Its methods may be called by several goroutines at
// a time.
type Log interface {
	// Propose returns what StateMachine.Apply returned here for the record, when the
	// record is decided and executed. Errors are a *NotLeaderError or
	// ErrUnknownOutcome, possibly wrapped, or those of the context and of the
	// log itself.
	//
	// Unless this is a LeaderLog, this server's StateMachine has then executed everything that
	// any server was given a result of before the call: that is what reads wait for.
	Propose(ctx context.Context, record []byte) (result any, err error)
	// Leader returns where the leader serves clients, this server itself if all do; ok is
	// false if no leader is known.
	Leader() (client string, ok bool)
}

// LeaderLog is a Log at which one server at a time, the leader, proposes and serves.
type LeaderLog interface {
	Log
	// Barrier returns when everything that was decided before the call has been
	// executed by this server's StateMachine, if this server is the leader then.
	Barrier(ctx context.Context) error
	// Leased reports whether reads need no Barrier now: what is read from this server's
	// StateMachine after the call is what Barrier would have let it be.
	Leased() bool
	// Short reports whether so many servers' disks are nearly full that no majority is left.
	Short() bool
}
