package fleet

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/p4ce/p4ce/ctrl/store"
)

// scribe stores records for a loop that does not wait for it: one at a time, each until it is stored or cannot be. A
// journal that has no room is asked again: what it has refused is not stored.
type scribe[R any] struct {
	journal Journal[R]
	log     *slog.Logger
	ending  <-chan struct{}
	again   time.Duration // the pause before it is asked again
	records chan R        // has room for one
	outcome func(error)   // is told of each record that is stored, or cannot be

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

func newScribe[R any](j Journal[R], log *slog.Logger, ending <-chan struct{}, outcome func(error)) *scribe[R] {
	return &scribe[R]{journal: j, log: log, ending: ending, again: storeAgain, records: make(chan R, 1), outcome: outcome}
}

// begin hands over a record. There is one at a time: the next one follows its outcome.
func (s *scribe[R]) begin(r R) {
	s.mu.Lock()
	s.busy, s.since = true, time.Now()
	s.mu.Unlock()
	s.records <- r
}

// run is the goroutine that waits for the journal.
func (s *scribe[R]) run() {
	for {
		select {
		case <-s.ending:
			return
		case r := <-s.records:
			if done, err := s.store(r); done {
				s.outcome(err)
			}
		}
	}
}

// store returns the outcome; not done: it ends before there is one.
func (s *scribe[R]) store(r R) (done bool, err error) {
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
func (s *scribe[R]) health() error {
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
func (s *scribe[R]) stalled() error {
	s.mu.Lock()
	full := s.busy && s.refusal != nil
	s.mu.Unlock()
	if full {
		return nil
	}
	return s.health()
}

// failures is how often something was not stored.
func (s *scribe[R]) failures() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusals
}
