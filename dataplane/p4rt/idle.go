package p4rt

import (
	"container/heap"
	"context"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// idleStep is what idle time-outs are kept to: entries whose time comes within one
// step are looked at together.
const idleStep = 10 * time.Millisecond

// ager says when which entries are to be looked at for idle time-outs (P4Runtime 9.1.7
// and 16.6). It is a pure state machine with time as a parameter: the caller serialises
// calls, and calls due at the next time.
//
//	add ──> wait for idle_timeout_ns ──> hit since then? ──yes──> wait for the rest
//	                  ^                       │ no
//	                  └──────── told ─────────┘
type ager struct {
	queue ageQueue
	timer map[*stored]*ageTimer
}

type ageTimer struct {
	entry *stored
	at    time.Time
	index int
}

func newAger() *ager { return &ager{timer: map[*stored]*ageTimer{}} }

// timeout is the entry's time-out, 0 when it has none.
func (e *stored) timeout() time.Duration { return e.target.IdleTimeout }

// add watches an entry that was written now, if it has a time-out.
func (a *ager) add(e *stored, now time.Time) {
	if e.timeout() <= 0 {
		return
	}
	t := &ageTimer{entry: e, at: step(now.Add(e.timeout()))}
	a.timer[e] = t
	heap.Push(&a.queue, t)
}

// remove forgets an entry. It need not be watched.
func (a *ager) remove(e *stored) {
	if t := a.timer[e]; t != nil {
		heap.Remove(&a.queue, t.index)
		delete(a.timer, e)
	}
}

// next is when due has something to do; ok is false when never.
func (a *ager) next() (at time.Time, ok bool) {
	if len(a.queue) == 0 {
		return time.Time{}, false
	}
	return a.queue[0].at, true
}

// due returns the entries that have timed out. lastHit is when an entry was last hit, and
// the time now, in ns of the target's clock; an entry for which it fails is looked at
// again later.
func (a *ager) due(now time.Time, lastHit func(*stored) (at, now uint64, err error)) []*stored {
	var out []*stored
	for len(a.queue) > 0 && !a.queue[0].at.After(now) {
		t := a.queue[0]
		wait := t.entry.timeout()
		at, clock, err := lastHit(t.entry)
		idle := time.Duration(clock - min(at, clock)) // a packet may be newer than the clock
		switch {
		case err != nil:
		case idle < wait:
			wait -= idle
		default:
			out = append(out, t.entry)
		}
		t.at = step(now.Add(wait))
		heap.Fix(&a.queue, t.index)
	}
	return out
}

// step is the end of the step that a time is in.
func step(t time.Time) time.Time { return t.Add(idleStep - 1).Truncate(idleStep) }

// ageQueue is a heap: the earliest first.
type ageQueue []*ageTimer

func (q ageQueue) Len() int           { return len(q) }
func (q ageQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q ageQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *ageQueue) Push(x any) {
	t := x.(*ageTimer)
	t.index = len(*q)
	*q = append(*q, t)
}
func (q *ageQueue) Pop() any {
	old := *q
	t := old[len(old)-1]
	*q = old[:len(old)-1]
	return t
}

// age watches an entry from now on. s.mu is held.
func (s *Server) age(e *stored) {
	s.st.ager.add(e, s.now())
	if at, ok := s.st.ager.next(); ok && (s.nextAge.IsZero() || at.Before(s.nextAge)) {
		select {
		case s.wakeAges <- struct{}{}:
		default:
		}
	}
}

// ageAll watches all entries from now on. s.mu is held, or nobody else has s.
func (s *Server) ageAll() {
	for _, entries := range s.st.entries {
		for _, e := range entries {
			s.age(e)
		}
	}
}

// runAges tells the primaries of entries that have timed out.
func (s *Server) runAges(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wait := time.Hour
		s.mu.Lock()
		s.nextAge = time.Time{}
		if s.st != nil {
			s.tellIdle()
			if at, ok := s.st.ager.next(); ok {
				s.nextAge, wait = at, max(0, at.Sub(s.now()))
			}
		}
		s.mu.Unlock()
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-s.wakeAges:
		case <-timer.C:
		}
	}
}

// tellIdle sends a notification if entries have timed out. s.mu is held.
func (s *Server) tellIdle() {
	now := s.now()
	list := s.st.ager.due(now, func(e *stored) (uint64, uint64, error) { return s.target.LastHit(&e.target) })
	for len(list) > 0 {
		n := min(len(list), readChunk)
		note := &p4.IdleTimeoutNotification{Timestamp: now.UnixNano()}
		for _, e := range list[:n] {
			msg := s.st.readable(e)
			msg.Action = nil
			note.TableEntry = append(note.TableEntry, msg)
		}
		s.stats.idleTimeouts.Add(uint64(n))
		if !s.toPrimaries(&p4.StreamMessageResponse{Update: &p4.StreamMessageResponse_IdleTimeoutNotification{IdleTimeoutNotification: note}}) {
			s.stats.idleTimeoutsDropped.Add(uint64(n))
		}
		list = list[n:]
	}
}
