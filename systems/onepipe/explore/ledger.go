package explore

import (
	"bytes"
	"fmt"

	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// maxScatterings is how many are sent in one run, besides those by which it is seen whether all goes on.
const maxScatterings = 4

// ledger knows what was sent, and judges what is received.
type ledger struct {
	list  []scattering
	last  [hosts][2]mark // what each host has received last, by service
	heard [hosts]byte    // hosts that it was told have failed
	fates [hosts]fate    // of hosts that have failed
	back  byte           // hosts that have failed, and have delivered what the others do
}

// scattering is one that was sent: by whom, to whom, and what has become of it. Sets of hosts have a bit for each.
type scattering struct {
	from      int
	reliable  bool
	to        byte
	time      uint64 // 0: nobody knows yet
	got, lost byte
	passed    byte // receivers that have received what comes after it, and have not received it
}

// mark is a place in the order of all messages.
type mark struct {
	time uint64
	from onepipe.Process
}

func (m mark) before(o mark) bool {
	x := onepipe.Message{Time: m.time, From: m.from}
	return x.Before(&onepipe.Message{Time: o.time, From: o.from})
}

// fate is what the controller says of a host that has failed.
type fate struct {
	gone  bool // it counts no more: others, if there are any, have been told
	said  bool // others are told
	time  uint64
	knows byte // hosts whose processes know
}

// correct reports whether a host is one of those of whom something is demanded.
func (w *World) correct(n int) bool {
	h := w.hosts[n]
	return h.proc != nil && !h.dead && !h.expelled && !w.book.fates[n].said && !w.book.fates[n].gone
}

// stamped notes the timestamp of a scattering when a fragment of it leaves.
func (w *World) stamped(n int, frame []byte) error {
	h, ok := parse(frame)
	if !ok || h.op != onepipe.Data && h.op != onepipe.Reliable || len(frame) < headerAt+33 {
		return nil
	}
	k := int(frame[headerAt+28]) - int(letter(0))
	if k < 0 || k >= len(w.book.list) {
		return nil // a probe
	}
	return w.timeOf(k, h.time)
}

func (w *World) timeOf(k int, at uint64) error {
	x := &w.book.list[k]
	if x.time != 0 && x.time != at {
		return fmt.Errorf("scattering %c has two timestamps, %d and %d", letter(k), x.time, at)
	}
	x.time = at
	return nil
}

// delivered notes a message that a process has received.
func (w *World) delivered(h *host, reliable bool, m *onepipe.Message) error {
	n, s := h.number, 0
	if reliable {
		s = 1
	}
	name := hostName(n)
	w.Line(hostColumn(n), hostColumn(n), false, "receives %s of %d from %s", m.Data[:min(1, len(m.Data))], m.Time, hostName(w.hostAt(m.From.Addr)))
	at, last := mark{m.Time, m.From}, w.book.last[n][s]
	if last.time != 0 && !last.before(at) {
		return fmt.Errorf("%s receives the message of %d from %s after that of %d from %s", name, m.Time, hostName(w.hostAt(m.From.Addr)), last.time, hostName(w.hostAt(last.from.Addr)))
	}
	w.book.last[n][s] = at
	if len(m.Data) == 0 || int(m.Data[0]) < int(letter(0)) || int(m.Data[0]-letter(0)) >= len(w.book.list) {
		return fmt.Errorf("%s receives %q, which nobody has sent", name, m.Data)
	}
	k := int(m.Data[0] - letter(0))
	x := &w.book.list[k]
	switch {
	case x.from != w.hostAt(m.From.Addr) || x.to>>n&1 == 0 || x.reliable != reliable || bytes.Count(m.Data, m.Data[:1]) != len(m.Data) || len(m.Data) != w.m.size():
		return fmt.Errorf("%s receives %q from %s, which is not what was sent", name, m.Data, hostName(w.hostAt(m.From.Addr)))
	case x.got>>n&1 == 1:
		return fmt.Errorf("%s receives %c twice", name, letter(k))
	case reliable && x.lost>>n&1 == 1:
		return fmt.Errorf("%s receives %c, of which its sender was told that it is lost", name, letter(k))
	}
	if err := w.timeOf(k, m.Time); err != nil {
		return err
	}
	x.got |= 1 << n
	w.reachedBy(x, n, s)
	if err := w.agreed(k); err != nil {
		return err
	}
	for j := range w.book.list {
		if err := w.passes(j, n, s, at); err != nil {
			return err
		}
	}
	if reliable {
		for f := range w.book.fates {
			if err := w.early(f, n, m.Time); err != nil {
				return err
			}
		}
	}
	return nil
}

// passes looks at a scattering when a host receives something by a service: what is behind cannot be received any more.
// Of a reliable scattering nobody who is correct has passed over what another one has received; and of one sender's to
// one receiver nothing is received before what was sent earlier.
func (w *World) passes(j, n, s int, at mark) error {
	y := &w.book.list[j]
	if y.time == 0 || y.to>>n&1 == 0 || y.reliable != (s == 1) || y.got>>n&1 == 1 {
		return nil
	}
	from := w.processOf(y.from)
	if !(mark{y.time, from}).before(at) {
		return nil
	}
	y.passed |= 1 << n
	return w.agreed(j)
}

// agreed looks whether somebody has received a message of a reliable scattering that another one has passed over.
func (w *World) agreed(j int) error {
	y := &w.book.list[j]
	if !y.reliable {
		return nil
	}
	for a := range hosts {
		for b := range hosts {
			if y.got>>a&1 == 1 && y.passed>>b&1 == 1 && w.agrees(a) && w.agrees(b) {
				return fmt.Errorf("%s has received its message of scattering %c, and %s has passed over it", hostName(a), letter(j), hostName(b))
			}
		}
	}
	return nil
}

// agrees reports whether a host receives what all others do: one that has failed does when it has been told what that is.
func (w *World) agrees(n int) bool { return w.correct(n) || w.book.back>>n&1 == 1 }

// returned looks at a host that has failed, and has received all that it ever will.
func (w *World) returned(n int) error {
	for j := range w.book.list {
		y := &w.book.list[j]
		if !y.reliable || y.to>>n&1 == 0 {
			continue
		}
		if y.got>>n&1 == 0 {
			y.passed |= 1 << n
		}
		if err := w.agreed(j); err != nil {
			return err
		}
	}
	return nil
}

// processOf is the process of a host.
func (w *World) processOf(n int) onepipe.Process {
	if p := w.hosts[n].proc; p != nil {
		return p.Process()
	}
	return onepipe.Process{}
}

// early looks whether something reliable is received that is not before a failure of which not all know.
func (w *World) early(f, n int, time uint64) error {
	x := &w.book.fates[f]
	if !x.said || time < x.time || !w.correct(n) {
		return nil
	}
	for o := range hosts {
		if o != f && w.correct(o) && x.knows>>o&1 == 0 {
			return fmt.Errorf("%s receives a message of %d: %s has failed at %d, and the process of %s does not know it yet", hostName(n), time, hostName(f), x.time, hostName(o))
		}
	}
	return nil
}

// lost notes that a sender is told of a message that will not be delivered.
func (w *World) lost(h *host, f *onepipe.Failure) error {
	k, n := int(f.Data[0]-letter(0)), w.hostAt(f.To.Addr)
	w.Line(hostColumn(h.number), hostColumn(h.number), false, "is told that %c to %s is lost", letter(k), hostName(n))
	if k >= len(w.book.list) {
		return fmt.Errorf("%s is told of %q, which nobody has sent", hostName(h.number), f.Data)
	}
	x := &w.book.list[k]
	switch {
	case x.from != h.number || x.to>>n&1 == 0 || x.reliable != f.Reliable:
		return fmt.Errorf("%s is told that %q to %s is lost, which it has not sent", hostName(h.number), f.Data, hostName(n))
	case x.lost>>n&1 == 1:
		return fmt.Errorf("%s is told twice that %c to %s is lost", hostName(h.number), letter(k), hostName(n))
	}
	x.lost |= 1 << n
	if !x.reliable {
		w.Reach(goalLost)
		return nil
	}
	w.Reach(goalTakenBack)
	for o := range hosts {
		if x.got>>o&1 == 1 && w.correct(o) && w.correct(h.number) {
			return fmt.Errorf("%s is told that %c is lost, which %s has received", hostName(h.number), letter(k), hostName(o))
		}
	}
	return nil
}

// hear notes what a host is told by the controller.
func (w *World) hear(h *host, frame []byte) {
	if _, _, m, ok := private.ParseFrame(frame); ok && m.Kind == private.Failures {
		h.told = h.clock
		for _, f := range m.Failed {
			w.book.heard[h.number] |= 1 << w.hostAt(f.Addr)
		}
	}
}

// announced notes what the controller says of hosts that have failed.
func (w *World) announced(m *private.Message) error {
	for _, f := range m.Failed {
		n := w.hostAt(f.Addr)
		x := &w.book.fates[n]
		if b := &w.m.bounds; b.Control && b.blameless() && w.book.list != nil {
			return fmt.Errorf("the controller says that %s has failed, and nothing has happened to it", hostName(n))
		}
		if x.said && x.time != f.Time {
			return fmt.Errorf("the controller says that %s has failed at %d, and at %d", hostName(n), x.time, f.Time)
		}
		x.said, x.time = true, f.Time
	}
	return nil
}

// callback is that of a process: it is told of one that has failed.
func (w *World) callback(n int) error {
	h := w.own(n)
	f, ok := h.e.ProcessFailed()
	if !ok {
		return nil
	}
	o := w.hostAt(f.Process.Addr)
	w.Line(hostColumn(n), hostColumn(n), false, "is told that %s has failed at %d", hostName(o), f.Time)
	x := &w.book.fates[o]
	if !x.said || x.time&(1<<48-1) != f.Time&(1<<48-1) {
		return fmt.Errorf("%s is told that %s has failed at %d, which the controller has not said", hostName(n), hostName(o), f.Time)
	}
	x.knows |= 1 << n
	w.Reach(goalTold)
	return w.changed(h)
}

// reachedBy notes goals.
func (w *World) reachedBy(x *scattering, n, s int) {
	w.Reach([2]int{goalOnce, goalReliable}[s])
	if x.got == x.to {
		w.Reach([2]int{goalAllOnce, goalAllReliable}[s])
	}
	for i := range w.book.list {
		if y := &w.book.list[i]; y != x && y.time == x.time && y.got>>n&1 == 1 && y.reliable == x.reliable {
			w.Reach(goalEqual)
		}
	}
	if x.time >= w.m.comesRound {
		w.Reach(goalRound)
	}
	if x.reliable {
		if w.book.back>>n&1 == 1 {
			w.Reach(goalReturned)
		}
		for f := range w.book.fates {
			if w.book.fates[f].said {
				w.Reach(goalGoesOn)
			}
		}
	}
}

// append appends the canonical bytes.
func (l *ledger) append(b []byte) []byte {
	for _, x := range l.list {
		b = append(b, byte(x.from), flags(x.reliable), x.to, x.got, x.lost, x.passed)
		b = be.AppendUint64(b, x.time)
	}
	b = append(b, l.back)
	for n := range hosts {
		for _, m := range l.last[n] {
			b = be.AppendUint64(append(b, m.from.Addr[3]), m.time)
		}
		f := &l.fates[n]
		b = be.AppendUint64(append(b, l.heard[n], flags(f.said, f.gone), f.knows), f.time)
	}
	return b
}
