package launch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Watch holds processes that are not to end. Any goroutine may use it.
type Watch struct {
	failed chan struct{}

	mu      sync.Mutex
	parties []*Process
}

// NewWatch returns a Watch without processes.
func NewWatch() *Watch { return &Watch{failed: make(chan struct{}, 1)} }

// ErrEnded says that a process has ended that should not have: see Cause.
var ErrEnded = errors.New("a process has ended")

// Add makes the end of a process a failure.
func (w *Watch) Add(p *Process) {
	w.mu.Lock()
	w.parties = append(w.parties, p)
	w.mu.Unlock()
	go func() {
		<-p.gone
		w.mu.Lock()
		defer w.mu.Unlock()
		if !slices.Contains(w.parties, p) {
			return
		}
		select {
		case w.failed <- struct{}{}:
		default:
		}
	}()
}

// Remove lets a process end.
func (w *Watch) Remove(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.parties = slices.DeleteFunc(w.parties, func(q *Process) bool { return q == p })
}

// Failed has something to receive when one of the processes has ended.
func (w *Watch) Failed() <-chan struct{} { return w.failed }

// Cause returns why something has failed with err (ErrEnded: one of the processes has
// ended).
//
// When one process ends, others notice: who talks to it gets an error, servers that
// need it give up and end too, and any of this may be heard of before the process's
// own end, which the kernel reports last of all. So nothing is the cause while
// somebody is dying; and of those who have ended, the first is.
func (w *Watch) Cause(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	var lost *LostError
	errors.As(err, &lost)
	w.mu.Lock()
	parties := slices.Clone(w.parties)
	w.mu.Unlock()
	var first *Process
	for _, p := range parties {
		if !p.dying() && (lost == nil || lost.Party != p) {
			continue
		}
		select {
		case <-p.gone:
		case <-ctx.Done(): // it does not answer, and does not end either: that is what there is to report
		}
		if p.isGone() && (first == nil || p.before(first)) {
			first = p
		}
	}
	if first != nil {
		return fmt.Errorf("%s has ended (%s)%s", first.name, first.How(), first.Tail())
	}
	return err
}

// isReady reports that the process has said so.
func (p *Process) isReady() bool { return closed(p.ready) }

// isGone reports that the process has ended and all that it printed has been read.
func (p *Process) isGone() bool { return closed(p.gone) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// dying reports that the process has ended or will.
func (p *Process) dying() bool { return p.isGone() || p.proc.Dying() }

// before reports that p ended before q; both are gone. Who was ready and has said nothing
// of its end was killed or broke down: nobody does that because of others. Who has
// given up said so, and when, before others could notice. Who never was ready may lack
// one of the others.
func (p *Process) before(q *Process) bool {
	if a, b := p.manner(), q.manner(); a != b {
		return a < b
	}
	return p.said && p.saidAt < q.saidAt
}

// manner orders how processes end.
func (p *Process) manner() int {
	switch {
	case !p.isReady():
		return 2
	case p.said:
		return 1
	}
	return 0
}
