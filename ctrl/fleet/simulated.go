package fleet

import (
	"context"
	"time"
)

// Simulated is a loop whose time and events are somebody else's (package sim/fabric): everything happens in the call, by one
// goroutine. Its journal is memory, and never fails.
type Simulated[R, O any] struct {
	// Drained is called after everything that has happened: the deadline may be another. It may be nil.
	Drained func()

	core   Core[O]
	out    func(O)
	now    func() time.Duration
	queue  []func()
	inside bool
}

// NewSimulated makes one. out carries out what the core wants.
func NewSimulated[R, O any](now func() time.Duration, out func(O)) *Simulated[R, O] {
	return &Simulated[R, O]{now: now, out: out}
}

// Journal is what the core records in.
func (*Simulated[R, O]) Journal() Journal[R] { return memory[R]{} }

// Start gives the loop its core.
func (s *Simulated[R, O]) Start(core Core[O]) { s.core = core }

// Now is the time.
func (s *Simulated[R, O]) Now() time.Duration { return s.now() }

// Life never ends.
func (*Simulated[R, O]) Life() context.Context { return context.Background() }

// Post runs an event, after those that run.
func (s *Simulated[R, O]) Post(fn func()) {
	s.queue = append(s.queue, fn)
	if s.inside {
		return
	}
	s.inside = true
	for len(s.queue) > 0 {
		do := s.queue[0]
		s.queue = s.queue[1:]
		do()
		for o, ok := s.core.Poll(); ok; o, ok = s.core.Poll() {
			s.out(o)
		}
	}
	s.inside = false
	if s.Drained != nil {
		s.Drained()
	}
}

// Replace is Post: nothing waits that could be replaced.
func (s *Simulated[R, O]) Replace(_ string, fn func()) { s.Post(fn) }

// Packet is Post: no packet is dropped.
func (s *Simulated[R, O]) Packet(fn func()) { s.Post(fn) }

// Aside is Post: no record takes time.
func (s *Simulated[R, O]) Aside(fn func()) { s.Post(fn) }

// Dropped is how many packets were dropped.
func (*Simulated[R, O]) Dropped() uint64 { return 0 }

// Refused is how many records were.
func (*Simulated[R, O]) Refused() uint64 { return 0 }

// Look runs a function that changes nothing.
func (*Simulated[R, O]) Look(_ context.Context, fn func()) error {
	fn()
	return nil
}

// Ask runs a request.
func (s *Simulated[R, O]) Ask(_ context.Context, fn func() error) (err error) {
	s.Post(func() { err = fn() })
	return err
}

// Stalled reports that the loop runs.
func (*Simulated[R, O]) Stalled(context.Context) error { return nil }

// Health reports that the journal is well.
func (*Simulated[R, O]) Health() error { return nil }

// Deadline is when Tick must be called.
func (s *Simulated[R, O]) Deadline() time.Duration { return s.core.Deadline() }

// Tick lets the time pass.
func (s *Simulated[R, O]) Tick(now time.Duration) { s.Post(func() { s.core.Tick(now) }) }

// memory is a journal of a controller that does not restart.
type memory[R any] struct{}

func (memory[R]) Append(R) error { return nil }
func (memory[R]) Records() []R   { return nil }
