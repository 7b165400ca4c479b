package soft

import (
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Acceptor votes and promises.
type Acceptor struct {
	window
	index    uint8
	learners []netip.AddrPort
	owners   map[owner]struct{}
	recent   owner // the last one that was found in owners
	floor    uint32
	highest  uint32
	cells    []vote
}

// owner is a sender that may propose in a round.
type owner struct {
	round uint32
	who   netip.AddrPort
}

type vote struct {
	promised, promisedFor uint32 // round of the vote, and the instance that the cell is about
	voted, votedFor       uint32
	client, sequence      uint32
	length                int
	shared                uint8
	value                 [paxos.MaxValue]byte
}

// NewAcceptor returns an acceptor without its role; see Give.
func NewAcceptor(ring int) *Acceptor {
	a := &Acceptor{window: newWindow(ring), owners: map[owner]struct{}{}}
	a.cells = make([]vote, a.size)
	return a
}

// Give gives the acceptor its role, with empty registers. It does not vote below the round floor. For
// an acceptor that replaces another one, or itself after it has forgotten, floor is the round of the
// coordinator that admits it. Until the acceptor has voted, its answer to FLOOR is the instance before
// first.
func (a *Acceptor) Give(index uint8, learners []netip.AddrPort, floor, first, last uint32) {
	clear(a.cells)
	a.alive, a.index, a.learners, a.floor, a.highest, a.first, a.last = true, index, learners, floor, first-1, first, last
}

// Forget loses the registers, as a restart does. The tables remain.
func (a *Acceptor) Forget() {
	clear(a.cells)
	a.alive, a.floor, a.highest = false, 0, 0
}

// Own allows a sender to propose in a round. Round 0 belongs to nobody.
func (a *Acceptor) Own(round uint32, who netip.AddrPort) {
	if round != 0 {
		a.owners[owner{round, who}] = struct{}{}
	}
}

// Disown revokes Own.
func (a *Acceptor) Disown(round uint32, who netip.AddrPort) {
	delete(a.owners, owner{round, who})
	a.recent = owner{}
}

func (a *Acceptor) owned(round uint32, who netip.AddrPort) bool {
	o := owner{round, who}
	if o == a.recent && round != 0 {
		return true
	}
	_, ok := a.owners[o]
	if ok {
		a.recent = o
	}
	return ok
}

func (a *Acceptor) cell(instance uint32) *vote { return &a.cells[instance%a.size] }

// promise promises a round for an instance, unless a higher round was promised.
func (a *Acceptor) promise(x *vote, instance, round uint32) bool {
	if x.promisedFor == instance && x.promised > round {
		return false
	}
	x.promisedFor, x.promised = instance, round
	return true
}

// Handle implements Role.
func (a *Acceptor) Handle(from netip.AddrPort, m *paxos.Message) []netip.AddrPort {
	switch m.Kind {
	case paxos.Accept:
		if r := a.may(from, m); r != 0 {
			return a.drop(r)
		}
		x := a.cell(m.Instance)
		if x.votedFor == m.Instance && x.voted == m.Round { // it has voted in this round, for that value and no other
			a.say(m)
			m.VoteRound = 0
		} else {
			x.votedFor, x.voted, x.client, x.sequence, x.shared = m.Instance, m.Round, m.Client, m.Sequence, m.Shared
			x.length = copy(x.value[:], m.Value)
		}
		m.Kind, m.Acceptor, m.Flags = paxos.Vote, a.index, 0
		return a.learners
	case paxos.Prepare:
		if r := a.may(from, m); r != 0 {
			return a.refuse(from, m, r)
		}
		m.Kind, m.Acceptor = paxos.Promise, a.index
		a.say(m)
		return a.answer(from)
	case paxos.Floor:
		switch {
		case !a.alive:
			return a.refuse(from, m, paxos.ReasonAmnesia)
		case !a.owned(m.Round, from):
			return a.refuse(from, m, paxos.ReasonRound)
		}
		m.Acceptor, m.Instance = a.index, a.highest
		if a.floor > m.Round {
			return a.refuse(from, m, paxos.ReasonStale)
		}
		a.floor = m.Round
		m.Kind = paxos.Floored
		return a.answer(from)
	case paxos.Query:
		switch {
		case !a.alive:
			return a.refuse(from, m, paxos.ReasonAmnesia)
		case a.tooFar(m.Instance) || a.trimmed(m.Instance):
			return a.refuse(from, m, paxos.ReasonWindow)
		}
		if a.say(m); m.VoteRound == 0 {
			return a.refuse(from, m, paxos.ReasonNotVoted)
		}
		m.Kind, m.Acceptor, m.Flags, m.Round, m.VoteRound = paxos.Vote, a.index, paxos.Again, m.VoteRound, 0
		return a.learners
	}
	return a.no(from, m)
}

// may promises the round of a proposal or a PREPARE, or returns why not. A vote is recorded in highest
// before the floor is checked, as in the P4 program, where packets overtake each other.
func (a *Acceptor) may(from netip.AddrPort, m *paxos.Message) paxos.Reason {
	switch {
	case !a.alive:
		return paxos.ReasonAmnesia
	case !a.owned(m.Round, from):
		return paxos.ReasonRound
	case a.tooFar(m.Instance) || a.trimmed(m.Instance):
		return paxos.ReasonWindow
	}
	if m.Kind == paxos.Accept && int32(a.highest-m.Instance) < 0 {
		a.highest = m.Instance
	}
	if a.floor > m.Round || !a.promise(a.cell(m.Instance), m.Instance, m.Round) {
		return paxos.ReasonStale
	}
	return 0
}

// say puts the vote of an instance into a message, if there is one.
func (a *Acceptor) say(m *paxos.Message) {
	x := a.cell(m.Instance)
	m.VoteRound, m.Client, m.Sequence, m.Shared, m.Value = 0, 0, 0, 0, nil
	if x.votedFor == m.Instance {
		m.VoteRound, m.Client, m.Sequence, m.Shared, m.Value = x.voted, x.client, x.sequence, x.shared, x.value[:x.length]
	}
}
