package rdma

import (
	"context"
	"sync"
	"time"
)

// Service is a function that is called whenever a completion queue may hold completions.
type Service interface {
	// Kick has the function called soon, whether there are completions or not. Any goroutine may call it, whatever
	// lock it holds.
	Kick()
	// Stop ends the calls, and returns when none is under way. The function must not call it.
	Stop()
}

// Server is a CQ whose device calls functions by itself.
type Server interface {
	// Serves reports whether the device makes calls.
	Serves() bool
	// Serve is the function Serve for this queue, if it does.
	Serve(f func() (again time.Duration)) Service
}

// Serves reports whether the function that serves q is called by a goroutine of the device, which has other work to
// do: then the function must not block.
func Serves(q CQ) bool {
	s, ok := q.(Server)
	return ok && s.Serves()
}

// Serve has f called whenever q may hold completions, one call at a time, and nobody else waits for q. f polls until
// the queue is empty. It is called again after the time that it returns, at the latest (again < 0:
// only when there are completions). Some devices call f from the goroutine that makes the completions (Serves), and
// send what f posts when it has returned.
func Serve(q CQ, f func() (again time.Duration)) Service {
	if Serves(q) {
		return q.(Server).Serve(f)
	}
	s := &waiter{queue: q, f: f, done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mu.Lock() // a call sets the timer again
	s.timer = time.AfterFunc(0, s.call)
	s.mu.Unlock()
	go s.wait()
	return s
}

// waiter serves a queue of a device that makes no calls.
type waiter struct {
	queue  CQ
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	timer  *time.Timer // calls, too

	mu   sync.Mutex // held during f
	f    func() time.Duration
	over bool
}

func (s *waiter) wait() {
	defer close(s.done)
	// A queue that is not empty does not wait, whether the service has ended or not.
	for s.queue.Wait(s.ctx) == nil && s.ctx.Err() == nil {
		s.call()
	}
}

func (s *waiter) call() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if again := s.f(); again >= 0 {
		s.timer.Reset(again)
	}
}

// Kick implements Service.
func (s *waiter) Kick() { s.timer.Reset(0) }

// Stop implements Service.
func (s *waiter) Stop() {
	s.cancel()
	s.timer.Stop()
	s.mu.Lock() // a call of the timer may be under way
	s.over = true
	s.mu.Unlock()
	<-s.done
}

// Batcher is a Device that hands what is posted to the wire, and can do so once for many posts.
type Batcher interface {
	// Together calls f. What anybody posts meanwhile may be sent when f has returned: f must be short. Then it may call
	// those who serve queues (Serve), if there are completions: the caller holds no lock that they take.
	Together(f func())
}

// Together calls f, and has what it posts sent with one doorbell if the device can (Batcher, which says what the caller
// must take care of).
func Together(d Device, f func()) {
	if b, ok := d.(Batcher); ok {
		b.Together(f)
		return
	}
	f()
}
