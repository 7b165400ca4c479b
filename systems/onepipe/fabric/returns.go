package fabric

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// returns is what a ledger knows of hosts that have failed, are there again, and have been told what counts of what they hold.
type returns struct {
	back map[wire.Addr]bool
	kept map[request]*fate // reliable ones that are settled but for receivers that have failed
	late int               // messages that hosts have received when they were there again
}

// returned notes that a host is there again. What it receives from now on is the last that it does.
func (l *ledger) returned(at wire.Addr) {
	if l.back == nil {
		l.back = map[wire.Addr]bool{}
	}
	l.back[at] = true
}

// keep remembers a scattering of which a receiver has failed: it may be there again.
func (l *ledger) keep(k request, f *fate) {
	if k.reliable && slices.ContainsFunc(f.to, func(p onepipe.Process) bool { return l.dead[p.Addr] && !f.delivered[p] }) {
		if l.kept == nil {
			l.kept = map[request]*fate{}
		}
		l.kept[k] = f
	}
}

// requestOf is the scattering of a message, whatever has become of it.
func requestOf(reliable bool, m *onepipe.Message) request {
	if len(m.Data) < 9 {
		return request{}
	}
	return request{m.From, int(m.Data[len(m.Data)-1]), binary.BigEndian.Uint64(m.Data), reliable}
}

// receivedBack notes a message that a process has received which has failed, and is there again.
func (l *ledger) receivedBack(at onepipe.Process, reliable bool, m *onepipe.Message) {
	s := seat{at, reliable}
	if old, ok := l.last[s]; ok && !old.Before(m) {
		l.fail("process %v, which is there again, received (%d, %v) after (%d, %v)", at, m.Time, m.From, old.Time, old.From)
	}
	l.last[s] = onepipe.Message{Time: m.Time, From: m.From}
	if !reliable {
		return
	}
	l.late++
	k := requestOf(reliable, m)
	f := l.under[k]
	if f == nil {
		f = l.kept[k]
	}
	switch {
	case f == nil || !slices.Contains(f.to, at) || f.data != string(m.Data):
		l.fail("process %v, which is there again, received from %v what was not sent", at, m.From)
		return
	case f.delivered[at]:
		l.fail("process %v, which is there again, received a message of %v twice", at, m.From)
	}
	f.delivered[at] = true
}

// endBack looks at what hosts have received that are there again: of each scattering what the others have received, too.
func (l *ledger) endBack() {
	all := map[request]*fate{}
	maps.Copy(all, l.kept)
	maps.Copy(all, l.under)
	for k, f := range all {
		if !k.reliable {
			continue
		}
		others, some := false, false // others who live have it, or there are some
		for _, to := range f.to {
			if !l.dead[to.Addr] {
				some, others = true, others || f.delivered[to]
			}
		}
		for _, to := range f.to {
			switch has := f.delivered[to]; {
			case !l.back[to.Addr]:
			case !l.dead[k.from.Addr] && has && len(f.lost) > 0:
				l.fail("process %v, which is there again, received a message that %v has taken back", to, k.from)
			case !l.dead[k.from.Addr] && !has && len(f.lost) == 0:
				l.fail("process %v, which is there again, did not receive a message of %v that counts", to, k.from)
			case some && has != others:
				l.fail("of a scattering of %v, process %v, which is there again, has received its part: %v; the others: %v", k.from, to, has, others)
			}
		}
	}
}
