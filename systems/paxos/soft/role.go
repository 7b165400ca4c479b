package soft

import (
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Role is a leader, an acceptor or a learner. It is for one goroutine.
type Role interface {
	// Handle takes a message that has come from an address. It makes of it what is to be
	// sent, and returns to whom: nobody, if it was dropped or needs no answer. The value
	// and the addresses are the role's, until the next call.
	Handle(from netip.AddrPort, m *paxos.Message) (to []netip.AddrPort)
	// Dropped returns how many messages were dropped or refused for a reason.
	Dropped(paxos.Reason) uint64
}

// Ring is the default number of instances that may be under way.
const Ring = 1 << 16

// Weakness is a rule that is not followed, for tests that show that it is needed.
type Weakness string

// The weaknesses of the roles. The names say what is done instead.
const (
	Sound       Weakness = ""
	WeakFloor   Weakness = "no-floor"     // Acceptor: votes below its floor
	WeakPromise Weakness = "no-promise"   // Acceptor: votes below what it has promised for the instance
	WeakLap     Weakness = "no-lap"       // Acceptor, Learner: a cell does not know its instance
	WeakWindow  Weakness = "no-window"    // all: cells are used again though nothing was trimmed
	WeakOwner   Weakness = "no-owner"     // Acceptor: anybody may propose in a round
	WeakAmnesia Weakness = "amnesia"      // all: a role that has forgotten goes on
	WeakCount   Weakness = "count"        // Learner: votes are counted, not voters
	WeakRounds  Weakness = "mixed-rounds" // Learner: votes of different rounds are added up
	WeakVoters  Weakness = "any-voter"    // Learner: votes of those who are no acceptors of the round count
	WeakHighest Weakness = "no-highest"   // Acceptor: says that it has voted in nothing
)

// window is what all roles have: whether they know what they knew, and which instances may be
// used.
type window struct {
	alive       bool
	first, last uint32
	size        uint32
	weak        Weakness
	drops       [16]uint64
	one         [1]netip.AddrPort
}

func newWindow(ring int, weak Weakness) window {
	if ring == 0 {
		ring = Ring
	}
	return window{size: uint32(ring), weak: weak}
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

func (w *window) tooFar(i uint32) bool  { return int32(w.last-i) < 0 && w.weak != WeakWindow }
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

// no refuses what is not for the role: who asks for something is told.
func (w *window) no(from netip.AddrPort, m *paxos.Message) []netip.AddrPort {
	switch m.Kind {
	case paxos.Request, paxos.Prepare, paxos.Floor, paxos.Query:
		return w.refuse(from, m, paxos.ReasonMessage)
	}
	return w.drop(paxos.ReasonMessage)
}

// live says whether the role may do something.
func (w *window) live() bool { return w.alive || w.weak == WeakAmnesia }
