package fabric

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// ledger knows what was sent, and judges what is received.
//
//   - order: each process receives, by each service, in the order of (timestamp, sender), strictly:
//     two processes that receive the same two messages receive them in the same order, each once.
//   - contents: what is received was sent to that process, and is what was sent.
//   - causality: a timestamp is above every one that its sender had received.
//   - failures: a process that has failed receives nothing reliable of that time, or later.
//   - fate: of a message its receiver has it, or its sender is told; of a reliable one never both
//     (of a best-effort one the Ack may be lost), and of a reliable scattering all receivers have it, or none. One that has
//     failed and is there again is such a receiver, too.
type ledger struct {
	err   error
	under map[request]*fate
	whole map[request]bool           // reliable ones that all receivers have
	last  map[seat]onepipe.Message   // that each process has received last, by service
	dead  map[wire.Addr]bool         // hosts
	ended map[onepipe.Process]uint64 // when processes have failed, as others were told
	returns
}

// failed notes that a process has failed, as another one was told. From that time on it receives nothing, though it may be
// alive: the others go on without it.
func (l *ledger) failed(f onepipe.ProcessFailure) {
	if l.ended == nil {
		l.ended = map[onepipe.Process]uint64{}
	}
	if at, ok := l.ended[f.Process]; ok && at != f.Time {
		l.fail("%v has failed at %d, and at %d", f.Process, at, f.Time)
	}
	l.ended[f.Process] = f.Time
	l.after(f.Process, l.last[seat{f.Process, true}].Time)
}

// after looks at what a process has received that has failed.
func (l *ledger) after(p onepipe.Process, time uint64) {
	if at, ok := l.ended[p]; ok && time >= at {
		l.fail("process %v received a message of %d, and has failed at %d", p, time, at)
	}
}

// died notes that a host has ended. What it has received is unknown from now on, and what it has sent is received by all
// others, or by none.
func (l *ledger) died(at wire.Addr) {
	if l.dead == nil {
		l.dead = map[wire.Addr]bool{}
	}
	l.dead[at] = true
	var waiting []request
	for k, f := range l.under {
		if slices.ContainsFunc(f.to, func(p onepipe.Process) bool { return p.Addr == at }) {
			waiting = append(waiting, k)
		}
	}
	slices.SortFunc(waiting, func(a, b request) int { // what follows must not depend on the order of a map
		return cmp.Or(bytes.Compare(a.from.Addr[:], b.from.Addr[:]), cmp.Compare(a.from.Number, b.from.Number), cmp.Compare(a.load, b.load), cmp.Compare(a.number, b.number))
	})
	for _, k := range waiting {
		l.settle(k, l.under[k])
	}
}

// end looks at what is left when all is over: of a scattering whose sender is dead either all who live have received their
// part, or nobody has.
func (l *ledger) end() error {
	if from, some := l.partial(); some {
		l.fail("of a scattering of %v, who is dead, some have received their part, and some have not", from)
	}
	l.endBack()
	return l.err
}

// partial finds a sender that is dead, and of one of whose scatterings some who live have received their part, and some have not: not yet,
// if the network is still at work.
func (l *ledger) partial() (from onepipe.Process, ok bool) {
	for k, f := range l.under {
		if !k.reliable || !l.dead[k.from.Addr] {
			continue
		}
		some, all := false, true
		for _, to := range f.to {
			if l.dead[to.Addr] {
				continue
			}
			some, all = some || f.delivered[to], all && f.delivered[to]
		}
		if some && !all {
			return k.from, true
		}
	}
	return from, false
}

// seat is where messages are received in order.
type seat struct {
	at       onepipe.Process
	reliable bool
}

// request names a scattering by its sender's process, and its number there: in its data.
type request struct {
	from     onepipe.Process
	load     int
	number   uint64
	reliable bool
}

// fate is what has become of a scattering.
type fate struct {
	c         *client
	to        []onepipe.Process
	r         *fabric.Request
	data      string
	time      uint64
	delivered map[onepipe.Process]bool
	lost      map[onepipe.Process]bool
}

func (l *ledger) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// sent notes a scattering. Its data begin with the number of the request, and end with that of the load.
func (l *ledger) sent(c *client, r *fabric.Request, data []byte) {
	if l.under == nil {
		l.under, l.last, l.whole = map[request]*fate{}, map[seat]onepipe.Message{}, map[request]bool{}
	}
	k := request{c.proc.Process(), c.load.Number, uint64(r.Number) + 1, c.reliable}
	l.under[k] = &fate{c: c, to: slices.Clone(c.to), r: r, data: string(data), delivered: map[onepipe.Process]bool{}, lost: map[onepipe.Process]bool{}}
}

// of finds the scattering of a message.
func (l *ledger) of(from, to onepipe.Process, reliable bool, data []byte) (request, *fate) {
	if len(data) < 9 {
		return request{}, nil
	}
	k := request{from, int(data[len(data)-1]), binary.BigEndian.Uint64(data), reliable}
	if f := l.under[k]; f != nil && slices.Contains(f.to, to) && f.data == string(data) {
		return k, f
	}
	return k, nil
}

// received notes a message that a process has received.
func (l *ledger) received(at onepipe.Process, reliable bool, m *onepipe.Message) {
	if l.back[at.Addr] {
		l.receivedBack(at, reliable, m)
		return
	}
	s := seat{at, reliable}
	if old, ok := l.last[s]; ok && !old.Before(m) {
		l.fail("process %v received (%d, %v) after (%d, %v)", at, m.Time, m.From, old.Time, old.From)
	}
	l.last[s] = onepipe.Message{Time: m.Time, From: m.From}
	if reliable {
		l.after(at, m.Time)
	}
	k, f := l.of(m.From, at, reliable, m.Data)
	switch {
	case f == nil && l.dead[at.Addr]:
		if f := l.kept[requestOf(reliable, m)]; f != nil {
			f.delivered[at] = true
		}
		return // nobody waits for what it receives
	case f == nil:
		l.fail("process %v received from %v what was not sent", at, m.From)
		return
	case f.delivered[at]:
		l.fail("process %v received a message of %v twice", at, m.From)
	case f.lost[at] && reliable:
		l.fail("process %v received a message that %v was told is lost", at, m.From)
	case f.time != 0 && f.time != m.Time:
		l.fail("a scattering of %v has two timestamps", m.From)
	}
	f.time = m.Time
	f.delivered[at] = true
	f.c.delivered++
	l.settle(k, f)
}

// lost notes a message that will not be delivered.
func (l *ledger) lost(from onepipe.Process, failure *onepipe.Failure) {
	k, f := l.of(from, failure.To, failure.Reliable, failure.Data)
	if x := l.kept[k]; f == nil && x != nil {
		x.lost[failure.To] = true
	}
	switch {
	case f == nil && failure.Reliable && l.whole[k] && !l.dead[failure.To.Addr]:
		l.fail("%v was told that a message to %v is lost, which has received it", from, failure.To)
		return
	case f == nil:
		return // it was delivered, and the acknowledgement is lost: best effort does not know
	case f.lost[failure.To]:
		l.fail("%v was told twice that a message to %v is lost", from, failure.To)
	case f.delivered[failure.To] && failure.Reliable && !l.dead[failure.To.Addr]:
		l.fail("%v was told that a message to %v is lost, which has received it", from, failure.To)
	}
	f.lost[failure.To] = true
	f.c.lost++
	l.settle(k, f)
}

// settle ends a scattering when everything is known.
func (l *ledger) settle(k request, f *fate) {
	if k.reliable && len(f.lost) > 0 {
		for to := range f.delivered {
			if !l.dead[to.Addr] {
				l.fail("of a scattering of %v some have it and some do not", k.from)
			}
		}
	}
	for _, to := range f.to {
		if l.dead[to.Addr] {
			continue
		}
		if !f.delivered[to] && !f.lost[to] {
			return
		}
	}
	if r := f.r; r != nil {
		f.r = nil
		r.Answered()
		r.Free()
	}
	l.keep(k, f)
	if len(f.lost) == 0 {
		l.whole[k] = k.reliable
		delete(l.under, k) // else it is remembered: of a best-effort message only the Ack may be lost
	}
}
