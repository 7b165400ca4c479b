package control

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/store"
)

// gate is between a Core and a journal that takes its time: the Core goes on as if its records were stored, and what it
// wants waits here until they are. So nothing that rests on a record leaves before the record is on disk, and the loop
// that the Core lives on waits for no disk. It is the Core's Journal, on the Core's goroutine.
//
//	Core --Append--> records --next--> journal
//	  +-----Poll---> held, in order, each behind the records before it --pass, stored--> switches
type gate struct {
	kept   []Record // those of before
	waits  []Record // without the one that next has given last
	given  uint64   // records that the Core has given,
	safe   uint64   // and how many of them are stored
	held   []held
	broken bool // a record could not be stored: nothing leaves any more
}

// held is something that may leave when so many records are stored.
type held struct {
	behind uint64
	what   Output
}

// reply is an Output of ours: whoever asked for a step is told its outcome, when what the step recorded is stored.
type reply func(error)

func (reply) output() {}

// Append implements Journal: it returns before the record is safe.
func (g *gate) Append(r Record) error {
	g.given++
	g.waits = append(g.waits, r)
	return nil
}

// Records implements Journal.
func (g *gate) Records() []Record { return g.kept }

// shut reports whether records are not stored.
func (g *gate) shut() bool { return g.safe != g.given }

// pass takes what a Core wants after a step, and returns what may be done now. What rests on no record is free: answers
// to ARP. The log may say at any time what is going on.
func (g *gate) pass(c *Core, free bool) (now []Output) {
	for o, ok := c.Poll(); ok; o, ok = c.Poll() {
		if _, note := o.(Note); note || free {
			now = append(now, o)
		} else if !g.broken {
			g.held = append(g.held, held{g.given, o})
		}
	}
	return append(now, g.open()...)
}

// reply is pass for the outcome of a step. It is called in the step; what the step wants may leave after it.
func (g *gate) reply(r reply) {
	if g.broken {
		r(nil) // the Core has said so
		return
	}
	g.held = append(g.held, held{g.given, r})
}

func (g *gate) open() (now []Output) {
	for len(g.held) > 0 && g.held[0].behind <= g.safe {
		now, g.held = append(now, g.held[0].what), g.held[1:]
	}
	return now
}

// next takes the next record that is to be stored.
func (g *gate) next() (r Record, ok bool) {
	if len(g.waits) == 0 || g.broken {
		return r, false
	}
	r, g.waits = g.waits[0], g.waits[1:]
	return r, true
}

// stored says that what next gave is stored, and returns what may be done now.
func (g *gate) stored() (now []Output) {
	g.safe++
	return g.open()
}

// fail says that it cannot be stored. Nothing of what is held leaves any more; who waits for an outcome is told.
func (g *gate) fail(err error) {
	g.broken, g.waits, g.safe = true, nil, g.given // nothing is waited for
	for _, h := range g.held {
		if r, ok := h.what.(reply); ok {
			r(err)
		}
	}
	g.held = nil
}

// scribe stores records for a loop that does not wait for it: one at a time, each until it is stored or cannot be. A
// journal that has no room is asked again: what it has refused is not stored.
type scribe struct {
	journal Journal
	log     *slog.Logger
	ending  <-chan struct{}
	again   time.Duration // the pause before it is asked again
	records chan Record   // has room for one
	outcome chan error    // has room for one

	mu       sync.Mutex
	busy     bool
	since    time.Time // the record was given, or the journal has answered
	refusal  error     // its last answer
	over     error     // nothing is stored any more
	refusals uint64
}

// The journal is asked again storeAgain after it has refused a record; storeLate is how long it may take until the
// controller calls itself unwell.
const (
	storeAgain = time.Second
	storeLate  = 5 * time.Second
)

func newScribe(j Journal, log *slog.Logger, ending <-chan struct{}) *scribe {
	return &scribe{journal: j, log: log, ending: ending, again: storeAgain, records: make(chan Record, 1), outcome: make(chan error, 1)}
}

// begin hands over a record. There is one at a time: the next one follows its outcome.
func (s *scribe) begin(r Record) {
	s.mu.Lock()
	s.busy, s.since = true, time.Now()
	s.mu.Unlock()
	s.records <- r
}

// run is the goroutine that waits for the journal.
func (s *scribe) run() {
	for {
		select {
		case <-s.ending:
			return
		case r := <-s.records:
			if done, err := s.store(r); done {
				s.outcome <- err
			}
		}
	}
}

// store returns the outcome; not done: it ends before there is one.
func (s *scribe) store(r Record) (done bool, err error) {
	for {
		err = s.journal.Append(r)
		full := errors.Is(err, store.ErrNoSpace)
		s.mu.Lock()
		first := s.refusal == nil
		s.refusal, s.since = err, time.Now()
		if err != nil {
			s.refusals++
		}
		if !full {
			s.busy, s.over = false, err
		}
		s.mu.Unlock()
		if !full {
			return true, err
		}
		if first {
			s.log.Error("a record is not stored: what depends on it waits; the controller tries again", "err", err)
		}
		select {
		case <-s.ending:
			return false, nil
		case <-time.After(s.again):
		}
	}
}

// health says what is not stored, and why.
func (s *scribe) health() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.over != nil:
		return fmt.Errorf("records cannot be stored, so the controller does nothing more: %w", s.over)
	case s.busy && s.refusal != nil:
		return fmt.Errorf("a record is not stored, and what depends on it waits: %w", s.refusal)
	case s.busy && time.Since(s.since) > storeLate:
		return fmt.Errorf("a record is not stored, and what depends on it waits: the journal has not answered for %v", time.Since(s.since).Round(time.Second))
	}
	return nil
}

// stalled returns an error when another controller might do better: the journal does not answer at all, or has failed. A
// journal without room has none for another controller either.
func (s *scribe) stalled() error {
	s.mu.Lock()
	full := s.busy && s.refusal != nil
	s.mu.Unlock()
	if full {
		return nil
	}
	return s.health()
}

// failures is how often something was not stored.
func (s *scribe) failures() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusals
}
