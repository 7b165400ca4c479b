package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// process is what is asked of a process that may have ended: a lab.Proc.
type process interface {
	// Done is closed when it has ended.
	Done() <-chan struct{}
	// Err is how, after Done.
	Err() error
	// Dying reports that it will end, or has: nobody can ask it anything any more.
	Dying() bool
}

// lostError is what one hears who talks to a process that is gone. It says nothing
// about why that process is gone.
type lostError struct {
	party *server
	err   error
}

func (e *lostError) Error() string { return fmt.Sprintf("%s does not answer: %v", e.party.name, e.err) }
func (e *lostError) Unwrap() error { return e.err }

// endTimeout bounds how long a process takes that is about to end.
const endTimeout = 10 * time.Second

// cause returns why the demo has failed with err (nil: one of its processes has ended).
//
// When one process ends, others notice: who talks to it gets an error, servers that
// need it give up and end too, and any of this may be heard of before the process's
// own end, which the kernel reports last of all. So nothing is the cause while
// somebody is dying; and of those who have ended, the first is.
func (d *demo) cause(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	var lost *lostError
	errors.As(err, &lost)
	var first *server
	for _, s := range d.servers {
		if !s.dying() && (lost == nil || lost.party != s) {
			continue
		}
		select {
		case <-s.gone:
		case <-ctx.Done(): // it does not answer, and does not end either: that is what there is to report
		}
		if s.isGone() && (first == nil || s.before(first)) {
			first = s
		}
	}
	if first != nil {
		return fmt.Errorf("%s has ended (%v)%s", first.name, endOf(first.proc), first.log.tail())
	}
	return err
}

// isGone reports that the server has ended and all that it printed has been read.
func (s *server) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// dying reports that the server has ended or will.
func (s *server) dying() bool { return s.isGone() || s.proc.Dying() }

// before reports that s ended before t; both are gone. Who was ready and has said nothing
// of its end was killed or broke down: nobody does that because of others. Who has
// given up said so, and when, before others could notice. Who never was ready may lack
// one of the others.
func (s *server) before(t *server) bool {
	if a, b := s.manner(), t.manner(); a != b {
		return a < b
	}
	return s.end != nil && s.end.At < t.end.At
}

// manner orders how servers end.
func (s *server) manner() int {
	switch {
	case !s.ready:
		return 2
	case s.end != nil:
		return 1
	}
	return 0
}

func endOf(p process) string {
	if err := p.Err(); err != nil {
		return err.Error()
	}
	return "exit status 0"
}
