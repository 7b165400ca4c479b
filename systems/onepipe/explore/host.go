package explore

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// tick is a step of a clock: a multiple of what barriers count, so that a timestamp may be one.
const tick = 1024 * time.Nanosecond

// host is a host in a state. Worlds share it until one changes it.
type host struct {
	owner *int
	*run
	number   int
	clock    int  // in steps
	dead     bool // it has ended without a word
	expelled bool
	sum      key
	told     int      // its clock when it was told last who has failed
	waiting  bool     // there is something that the process has not received
	next     *leaving // what it would send next; nil: nobody has asked yet
}

// run is what is copied together.
type run struct {
	e    *onepipe.Endpoint
	proc *onepipe.LocalProcess // nil: not admitted yet
}

// leaving is a frame that a host sends, and the host after it. Without a frame there is nothing to send.
type leaving struct {
	frame []byte
	after *run
}

// own returns a host that this world may change.
func (w *World) own(n int) *host {
	h := w.hosts[n]
	if h.owner != w.token {
		c := *h
		c.owner, c.run = w.token, w.m.copy(h.run)
		h = &c
		w.hosts[n] = h
	}
	h.next = nil
	return h
}

// clockOf is a host's clock.
func (w *World) clockOf(h *host) time.Duration {
	return w.m.epoch + time.Duration(h.clock+w.m.skew(h.number))*tick
}

// changed takes what there is for a host's process, and notes the state that it is in.
func (w *World) changed(h *host) error {
	e := h.e
	now := w.clockOf(h)
	if c := &e.Counters; c.Violations+c.Overrun > 0 {
		return fmt.Errorf("%s has got %d fragments too late and %d beyond its window", hostName(h.number), c.Violations, c.Overrun)
	}
	if h.proc == nil && e.Admitted() {
		first, _ := e.Numbers()
		var err error
		if h.proc, err = e.Open(first); err != nil {
			return err
		}
	}
	if e.Expelled() && !h.expelled {
		h.expelled = true
		if b := &w.m.bounds; b.Cuts+b.Fails+b.Forgets+b.Hangs+b.Holds+b.Losses+b.Jumps == 0 { // whoever dies does not hear of it
			return fmt.Errorf("%s is declared failed, and nothing has happened to it", hostName(h.number))
		}
		w.Line(hostColumn(h.number), hostColumn(h.number), false, "learns that it has failed")
	}
	if h.proc != nil {
		if !w.m.bounds.Small {
			if err := w.receiveAll(h); err != nil {
				return err
			}
		}
		h.waiting = w.m.bounds.Small && w.m.waits(h)
		for f, ok := h.proc.Failed(); ok; f, ok = h.proc.Failed() {
			if err := w.lost(h, &f); err != nil {
				return err
			}
		}
		for s := range w.book.last[h.number] {
			if l := w.book.last[h.number][s]; l.time != 0 && e.Time(now) <= l.time {
				return fmt.Errorf("the clock of %s is at %d, and it has received a message of %d", hostName(h.number), e.Time(now), l.time)
			}
		}
	}
	h.sum = w.m.sumOf(h)
	return nil
}

// sumOf is the key of a host's state.
func (m *Model) sumOf(h *host) key {
	m.buf = m.enc.Append(m.buf[:0], h.run)
	m.buf = append(m.buf, byte(h.clock), byte(h.told), flags(h.dead, h.expelled))
	return m.key(m.buf)
}

// receiveAll has a process take everything that is there for it.
func (w *World) receiveAll(h *host) error {
	for _, reliable := range []bool{false, true} {
		for m, ok := h.proc.Receive(reliable); ok; m, ok = h.proc.Receive(reliable) {
			if err := w.delivered(h, reliable, &m); err != nil {
				return err
			}
		}
	}
	return nil
}

// waits reports whether something is there that a process has not received yet.
func (m *Model) waits(h *host) bool {
	p := m.copy(h.run).proc
	_, once := p.Receive(false)
	_, reliable := p.Receive(true)
	return once || reliable
}

// lostInHole reports whether a frame for a host is lost because its sender does not reach that host. Beacons, and what the controller says, come
// from elsewhere.
func (w *World) lostInHole(n int, frame []byte) bool {
	h, ok := parse(frame)
	if !ok || h.op == onepipe.Beacon || !w.holes[w.hostAt(wire.IPv4(frame[wire.EthernetLen:]).Src())][n] {
		return false
	}
	w.Line(hostColumn(n), hostColumn(n), false, "does not get it")
	return true
}

// blameless reports whether nothing has happened to any host, so that none may be declared failed.
func (b *Bounds) blameless() bool {
	return b.Kills+b.Cuts+b.Fails+b.Forgets+b.Hangs+b.Holds+b.Losses+b.Jumps == 0
}

// receive has a frame arrive at a host.
func (w *World) receive(n int, frame []byte) error {
	if w.hosts[n].dead || w.lostInHole(n, frame) {
		return nil
	}
	h := w.own(n)
	w.hear(h, frame)
	h.e.Receive(w.clockOf(h), frame)
	_, _, m, ok := private.ParseFrame(frame)
	back := ok && m.Kind == private.Outcome && h.e.Expelled() && !h.expelled
	if back {
		w.book.back |= 1 << n
	}
	if err := w.changed(h); err != nil || !back {
		return err
	}
	return w.returned(n)
}

// leaving is what a host sends next.
func (w *World) leaving(n int) *leaving {
	h := w.hosts[n]
	if h.next == nil {
		after := w.m.copy(h.run)
		h.next = &leaving{after.e.Next(w.clockOf(h), nil), after}
	}
	return h.next
}

// sends reports whether a host has something to send.
func (w *World) sends(n int) bool {
	h := w.hosts[n]
	return !h.dead && !h.expelled && len(w.leaving(n).frame) > 0
}

// put puts the next frame of a host on its wire.
func (w *World) put(n int) error {
	next := w.leaving(n)
	h := *w.hosts[n]
	h.owner, h.run, h.next = w.token, w.m.copy(next.after), nil
	w.hosts[n] = &h
	if h.e.Counters.Resent > 0 {
		w.Reach(goalResent)
	}
	if h, ok := parse(next.frame); !ok || h.op != onepipe.Beacon || !w.ending {
		w.Line(hostColumn(n), hostColumn(n), false, "sends %s", describe(next.frame))
	}
	if err := w.stamped(n, next.frame); err != nil {
		return err
	}
	if err := w.send(n, packet{frame: next.frame}); err != nil {
		return err
	}
	return w.changed(&h)
}

// poster is the host that sends scattering k, or -1: all take turns, as far as they are there, who has joined first; where room is scarce
// h1 sends all.
func (w *World) poster(k int) int {
	if w.m.bounds.Small {
		k = 0
	}
	for i := range hosts {
		n := (k + i) % hosts
		if w.m.bounds.Joins {
			n = (joiner + k + i) % hosts
		}
		if h := w.hosts[n]; h.proc != nil && !h.dead && !h.expelled {
			return n
		}
	}
	return -1
}

// post has the next scattering sent: to both other hosts, but for those of which its sender knows that they have failed.
func (w *World) post(from int, reliable bool) error {
	k := len(w.book.list)
	h := w.own(from)
	x := scattering{from: from, reliable: reliable}
	data := []byte{letter(k)}
	if w.m.bounds.Long {
		data = append(data, data[0], data[0])
	}
	var parts []onepipe.Part
	for n, o := range w.hosts {
		if n != from && o.proc != nil && w.book.heard[from]>>n&1 == 0 {
			parts = append(parts, onepipe.Part{To: o.proc.Process(), Data: data})
			x.to |= 1 << n
		}
	}
	if len(parts) == 0 {
		return nil // there is nobody else any more
	}
	w.Line(hostColumn(from), hostColumn(from), false, "is to send %c (reliable: %v)", data[0], reliable)
	w.book.list = append(w.book.list[:k:k], x)
	if err := h.proc.Send(w.clockOf(h), reliable, parts...); err != nil {
		return fmt.Errorf("%s cannot send: %w", hostName(from), err)
	}
	return w.changed(h)
}

// letter names a scattering.
func letter(k int) byte { return byte('a' + k) }
