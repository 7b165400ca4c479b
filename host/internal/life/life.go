// Package life is the life of a connection, for any kind of RDMA device: the two sides set it up, it
// is established or not, and it ends once.
package life

import (
	"context"
	"sync/atomic"
)

// Life is that of one connection, on either side. Any goroutine may use it, with any lock held.
type Life struct {
	state    atomic.Uint32 // up | ended
	up, done chan struct{}
	err      error // set before done is closed
}

const (
	isUp  = 1
	ended = 2
)

// New makes the life of a connection that is being set up.
func New() *Life { return &Life{up: make(chan struct{}), done: make(chan struct{})} }

// Establish reports whether it is established by this call: it was not yet, and has not ended.
func (l *Life) Establish() bool {
	if !l.state.CompareAndSwap(0, isUp) {
		return false
	}
	close(l.up)
	return true
}

// End ends it for a reason, and reports whether it had not ended before.
func (l *Life) End(err error) bool {
	if l.state.Or(ended)&ended != 0 {
		return false
	}
	l.err = err
	close(l.done)
	return true
}

// Up reports whether it was established, and Ended whether it has ended.
func (l *Life) Up() bool    { return l.state.Load()&isUp != 0 }
func (l *Life) Ended() bool { return l.state.Load()&ended != 0 }

// Done is closed when it has ended.
func (l *Life) Done() <-chan struct{} { return l.done }

// Err returns why it has ended; nil while Done is open.
func (l *Life) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// Await waits until it is established. The error is why it has ended, or that of ctx.
func (l *Life) Await(ctx context.Context) error {
	select {
	case <-l.up:
		return nil
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
