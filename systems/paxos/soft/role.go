package soft

import (
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Role is a leader, an acceptor or a learner. One goroutine uses it.
type Role interface {
	// Handle processes a message that has come from an address. It turns the message into what must be
	// sent, and returns to whom: nobody if it was dropped or needs no answer. The value and the
	// addresses belong to the role, and are valid until the next call.
	Handle(from netip.AddrPort, m *paxos.Message) (to []netip.AddrPort)
	// Dropped returns how many messages were dropped or refused for a reason.
	Dropped(paxos.Reason) uint64
}

// Ring is the default number of instances that may be under way.
const Ring = 1 << 16

// window is what all roles have: whether they still have their state, and which instances may be used.
type window struct {
	alive       bool
	first, last uint32
	size        uint32
	drops       [16]uint64
	one         [1]netip.AddrPort
}

func newWindow(ring int) window {
	if ring == 0 {
		ring = Ring
	}
	return window{size: uint32(ring)}
}

// Dropped implements Role.
func (w *window) Dropped(r paxos.Reason) uint64 {
	if int(r) >= len(w.drops) {
		return 0
	}
	return w.drops[r]
}

// Window returns the instances that may be used.
func (w *window) Window() (first, last uint32) { return w.first, w.last }

// Trim sets the instances that may be used from now on. Raise last only after first was raised
// everywhere, and keep last - first below the ring: no cell then belongs to two instances.
func (w *window) Trim(first, last uint32) { w.first, w.last = first, last }

func (w *window) tooFar(i uint32) bool  { return int32(w.last-i) < 0 }
func (w *window) trimmed(i uint32) bool { return int32(i-w.first) < 0 }

func (w *window) drop(r paxos.Reason) []netip.AddrPort {
	w.drops[r]++
	return nil
}

func (w *window) refuse(from netip.AddrPort, m *paxos.Message, r paxos.Reason) []netip.AddrPort {
	w.drops[r]++
	m.Kind, m.VoteRound = paxos.Refused, uint32(r)
	return w.answer(from)
}

func (w *window) answer(to netip.AddrPort) []netip.AddrPort {
	w.one[0] = to
	return w.one[:]
}

// no refuses a message that is not for the role. A sender that asks for something is told.
func (w *window) no(from netip.AddrPort, m *paxos.Message) []netip.AddrPort {
	switch m.Kind {
	case paxos.Request, paxos.Prepare, paxos.Floor, paxos.Query:
		return w.refuse(from, m, paxos.ReasonMessage)
	}
	return w.drop(paxos.ReasonMessage)
}
