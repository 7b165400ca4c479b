package control

import (
	"context"
	"log/slog"
	"time"
)

// Simulated is a network whose time and events are somebody else's (package sim/fabric): everything
// happens in the call.
type Simulated struct {
	*Network
	// Drained is called after everything that has happened: the deadline may be another.
	Drained func()

	now    func() time.Duration
	queue  []func()
	inside bool
}

// NewSimulated makes one.
func NewSimulated(conf *Config, now func() time.Duration, log *slog.Logger) (*Simulated, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Simulated{now: now}
	var err error
	s.Network, err = newNetwork(context.Background(), conf, memory{}, s, log)
	return s, err
}

// Now implements Loop.
func (s *Simulated) Now() time.Duration { return s.now() }

// Packet implements Loop.
func (s *Simulated) Packet(fn func()) { s.Post(fn) }

// Post implements Loop.
func (s *Simulated) Post(fn func()) {
	s.queue = append(s.queue, fn)
	if s.inside {
		return
	}
	s.inside = true
	for len(s.queue) > 0 {
		do := s.queue[0]
		s.queue = s.queue[1:]
		do()
		for o, ok := s.Core.Poll(); ok; o, ok = s.Core.Poll() {
			s.out(o)
		}
	}
	s.inside = false
	if s.Drained != nil {
		s.Drained()
	}
}

// Deadline is when Tick must be called.
func (s *Simulated) Deadline() time.Duration { return s.Core.Deadline() }

// Tick lets the time pass.
func (s *Simulated) Tick(now time.Duration) { s.Post(func() { s.Core.Tick(now) }) }

// memory is a journal of a controller that does not restart.
type memory struct{}

func (memory) Append(Record) error { return nil }
func (memory) Records() []Record   { return nil }
