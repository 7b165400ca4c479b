package soft

import (
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Leader gives requests the next instance, in its round.
type Leader struct {
	window
	leads     bool
	round     uint32
	next      uint32
	acceptors []netip.AddrPort
}

// NewLeader returns a leader for a ring. It has no round yet.
func NewLeader(ring int) *Leader { return &Leader{window: newWindow(ring)} }

// Lead gives the leader a round, in which nobody else proposes from instance next on.
func (l *Leader) Lead(round, next uint32, acceptors []netip.AddrPort) {
	l.alive, l.leads, l.round, l.next, l.acceptors = true, true, round, next, acceptors
}

// Stop ends its leading.
func (l *Leader) Stop() { l.leads = false }

// Forget loses everything about instances, as a restart does.
func (l *Leader) Forget() { l.alive, l.next, l.first, l.last = false, 0, 0, 0 }

// Next returns the next free instance.
func (l *Leader) Next() uint32 { return l.next }

// Handle implements Role.
func (l *Leader) Handle(from netip.AddrPort, m *paxos.Message) []netip.AddrPort {
	switch {
	case m.Kind != paxos.Request:
		return l.no(from, m)
	case !l.alive:
		return l.refuse(from, m, paxos.ReasonAmnesia)
	case !l.leads:
		return l.refuse(from, m, paxos.ReasonNoRole)
	case l.tooFar(l.next):
		m.Instance = l.next // all instances below have been given
		return l.refuse(from, m, paxos.ReasonFull)
	}
	m.Kind, m.Flags, m.VoteRound, m.Instance, m.Round = paxos.Accept, 0, 0, l.next, l.round
	l.next++
	return l.acceptors
}
