package onepipe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// ErrFailed is the error of a message to a process that has failed.
var ErrFailed = errors.New("onepipe: the process has failed")

// ProcessFailure is a process that has failed, as the controller has determined it.
type ProcessFailure struct {
	Process Process
	// Time is when: of its reliable messages, those with a timestamp below are delivered, the others by nobody.
	Time uint64
}

// failures are those that the controller has told of.
type failures struct {
	list    map[wire.Addr][]told // by host
	told    []ProcessFailure     // that the host's processes were not told of yet
	answer  uint32               // the number of the last message that is to be answered,
	about   []private.Failed     // and of whom it tells
	waiting bool                 // for what is taken back, and for the processes
	probe   uint32               // the number of the last probe,
	probed  bool                 // which is to be answered
	outcome []private.Failed     // what has come of an Outcome
}

// told is what the controller has told of processes of a host. What this host has sent them counts below a time.
type told struct {
	private.Failed
	counts uint64
}

// failed looks whether a process has failed, and when.
func (e *Endpoint) failed(p Process) (at uint64, ok bool) {
	for _, f := range e.failures.list[p.Addr] {
		if p.Number >= f.First && p.Number-f.First < f.Have {
			return f.Time, true
		}
	}
	return 0, false
}

// fail takes the controller's word that processes have failed: what they have sent since is discarded, and what is
// for them is taken back. The controller is answered when that is done, and the host's processes know.
func (e *Endpoint) fail(m *private.Message) {
	f := &e.failures
	if m.Number != 0 {
		f.answer, f.waiting, f.about = m.Number, true, slices.Clone(m.Failed)
	}
	counts := e.counted() // before anything is taken back
	for _, x := range m.Failed {
		x.Time = extendTime(x.Time, uint64(e.now))
		if x.Time <= uint64(e.now+e.c.Ahead) { // what is sent without them comes after all that they have sent
			e.floor = max(e.floor, x.Time)
		}
		if f.list == nil {
			f.list = map[wire.Addr][]told{}
		}
		// A process has failed once. Of one that the controller was asked about it may say so again, at a later time.
		var list []Process
		for n := range x.Have {
			p := Process{x.Addr, x.First + n}
			if _, known := e.failed(p); !known {
				list = append(list, p)
			}
		}
		if len(list) == 0 {
			continue
		}
		f.list[x.Addr] = append(f.list[x.Addr], told{x, counts}) // failed finds the earlier ones first
		for _, p := range list {
			e.forget(p, x.Time)
			e.abandonTo(p)
			f.told = append(f.told, ProcessFailure{p, x.Time})
		}
	}
}

// forget discards what a process has sent at a time or later: reliable messages that were not delivered.
func (e *Endpoint) forget(p Process, from uint64) {
	r := &e.receiver
	for _, in := range slices.Clone(r.order[1]) {
		if in.from == p && in.time >= from {
			e.discard(in)
		}
	}
	for _, k := range keysOf(r.conns, func(k connKey) bool { return k.from == p && k.service == 1 }) {
		c := r.conns[k]
		for i := range c.cells { // those of which a part has come
			if in := c.cells[i].in; in != nil && in.at < 0 && in.got < in.count && in.time >= from {
				e.discard(in)
			}
		}
	}
}

// abandonTo gives up what is for a process that has failed. Of a reliable scattering that it has not acknowledged nobody
// keeps anything; one that was not sent yet is not sent. Of a best-effort one only its part is lost.
func (e *Endpoint) abandonTo(p Process) {
	s := &e.sender
	to := func(part *outPart) bool { return part.conn.key.to == p }
	toAny := func(x *scattering) bool {
		return x.reliable && slices.ContainsFunc(x.parts, func(part outPart) bool { return to(&part) })
	}
	// Those that wait for credits, also for those of others, and those that have them.
	for _, k := range keysOf(s.conns, func(connKey) bool { return true }) {
		for c, i := s.conns[k], 0; i < c.claims.n; {
			if x := (*c.claims.at(i)).s; toAny(x) {
				e.cancel(x)
				i = 0
			} else {
				i++
			}
		}
	}
	for _, k := range keysOf(s.conns, func(k connKey) bool { return k.to == p }) {
		c := s.conns[k]
		for c.claims.n > 0 {
			part := c.claims.pop()
			part.granted, c.reserved = part.count, c.reserved+part.count-part.granted // it is sent to nobody
			part.close(partGone)
			e.report(part)
			if part.s.waiting--; part.s.waiting == 0 {
				s.ready.push(part.s)
			}
		}
	}
	for n := s.ready.n; n > 0; n-- {
		x := s.ready.pop()
		if toAny(x) {
			e.cancel(x)
			continue
		}
		s.ready.push(x)
	}
	// Those that are on the wire, or on their way to it.
	var sent []*outPart
	collect := func(x *scattering) {
		for i := range x.parts {
			// What it holds is taken back from the others, too, as long as nobody can have delivered it: so a time says what
			// counts, should the process come back (counted).
			if part := &x.parts[i]; to(part) && (part.state == partOpen || x.reliable && part.state == partHeld) {
				sent = append(sent, part)
			}
		}
	}
	for i := range s.unresolved.n {
		collect(*s.unresolved.at(i))
	}
	for i := range s.ready.n {
		collect(*s.ready.at(i))
	}
	for _, x := range s.train.cars {
		if !x.reliable {
			collect(x)
		}
	}
	for _, k := range keysOf(s.conns, func(k connKey) bool { return k.to == p && k.service == 0 }) {
		c := s.conns[k]
		for psn := c.una; psnDiff(psn, c.next) < 0; psn = (psn + 1) & psnMask {
			if f := c.at(psn); !f.closed && f.part.state == partOpen && !slices.Contains(sent, f.part) {
				sent = append(sent, f.part)
			}
		}
	}
	for _, part := range sent {
		e.drop(part.conn, part)
		if part.s.reliable {
			e.takeBack(part.s)
		} else {
			e.report(part)
		}
	}
	for i := range s.unresolved.n { // what it was asked to forget
		for j, x := 0, *s.unresolved.at(i); j < len(x.parts); j++ {
			if part := &x.parts[j]; to(part) && part.state == partRecalled {
				e.drop(part.conn, part)
			}
		}
	}
}

// cancel gives up a scattering that was not sent yet.
func (e *Endpoint) cancel(s *scattering) {
	for i := range s.parts {
		p := &s.parts[i]
		c := p.conn
		c.claims.remove(func(o *outPart) bool { return o == p })
		c.reserved -= p.granted
		p.granted = 0
		p.close(partGone)
		e.report(p)
	}
	e.sender.queued--
	for i := range s.parts {
		e.grant(s.parts[i].conn)
	}
}

// remove takes elements out of a queue.
func (q *fifo[T]) remove(is func(T) bool) {
	for n := q.n; n > 0; n-- {
		if v := q.pop(); !is(v) {
			q.push(v)
		}
	}
}

// keysOf are the keys of some connections, in an order that is the same each time.
func keysOf[T any](conns map[connKey]T, is func(connKey) bool) (keys []connKey) {
	for k := range conns {
		if is(k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b connKey) int {
		return cmp.Or(cmp.Compare(a.from.Number, b.from.Number), cmp.Compare(a.to.Number, b.to.Number), cmp.Compare(a.service, b.service))
	})
	return keys
}

// settled reports whether nothing is being taken back any more.
func (e *Endpoint) settled() bool {
	for i := range e.unresolved.n {
		if s := *e.unresolved.at(i); s.recalled && !s.resolved() {
			return false
		}
	}
	return true
}

// FirstFailed is the next process that has failed, of which the host's processes were not told yet.
func (e *Endpoint) FirstFailed() (ProcessFailure, bool) {
	if len(e.failures.told) == 0 {
		return ProcessFailure{}, false
	}
	return e.failures.told[0], true
}

// ProcessFailed takes it: they know. When they know all, the controller may go on.
func (e *Endpoint) ProcessFailed() (ProcessFailure, bool) {
	p, ok := e.FirstFailed()
	if ok {
		e.failures.told = e.failures.told[1:]
	}
	return p, ok
}

// answered is the answer to the controller's last message, when it can be given.
func (e *Endpoint) answered() (m private.Message, ok bool) {
	f := &e.failures
	if f.probed {
		f.probed = false
		return private.Message{Kind: private.Here, Token: e.c.Token, Number: f.probe}, true
	}
	if !f.waiting || len(f.told) > 0 || !e.settled() {
		return m, false
	}
	f.waiting = false
	m = private.Message{Kind: private.Done, Token: e.c.Token, Number: f.answer}
	for _, x := range f.about {
		first := uint64(math.MaxUint64)
		for _, o := range f.list[x.Addr] {
			if x.First-o.First < o.Have || o.First-x.First < x.Have {
				first = min(first, o.counts)
			}
		}
		x.Time = first & timeMask
		m.Failed = append(m.Failed, x)
	}
	return m, true
}

func (e *Endpoint) toFailed(parts []Part) error {
	for _, p := range parts {
		if at, failed := e.failed(p.To); failed {
			return fmt.Errorf("%w: %v, at %d", ErrFailed, p.To, at)
		}
	}
	return nil
}
