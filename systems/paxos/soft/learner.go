package soft

import (
	"math/bits"
	"net/netip"

	"github.com/p4ce/p4ce/systems/paxos"
)

// Learner counts votes, and sends chosen values to the replicas.
type Learner struct {
	window
	replicas []netip.AddrPort
	configs  map[uint32]*configuration
	recent   *configuration // the configuration that was looked up last
	round    uint32         // and its round
	cells    []count
}

// configuration is the set of acceptors that vote in a round.
type configuration struct {
	members int
	voters  map[netip.AddrPort]uint64 // bit of each
}

type count struct {
	instance, round uint32
	bits            uint64
}

// NewLearner returns a learner without its role; see Give.
func NewLearner(ring int) *Learner {
	l := &Learner{window: newWindow(ring), configs: map[uint32]*configuration{}}
	l.cells = make([]count, l.size)
	return l
}

// Give gives the learner its role. A learner may forget: it then asks for votes again.
func (l *Learner) Give(replicas []netip.AddrPort, first, last uint32) {
	clear(l.cells)
	l.alive, l.replicas, l.first, l.last = true, replicas, first, last
}

// Forget loses the registers, as a restart does. The tables remain.
func (l *Learner) Forget() {
	clear(l.cells)
	l.alive = false
}

// Configure sets the acceptors of a round. Call it once for each round.
func (l *Learner) Configure(round uint32, acceptors []netip.AddrPort) {
	c := &configuration{members: len(acceptors), voters: map[netip.AddrPort]uint64{}}
	for i, a := range acceptors {
		c.voters[a] = 1 << i
	}
	l.configs[round], l.recent = c, nil
}

// Handle implements Role.
func (l *Learner) Handle(from netip.AddrPort, m *paxos.Message) []netip.AddrPort {
	if m.Kind != paxos.Vote {
		return l.no(from, m)
	}
	if !l.alive {
		return l.drop(paxos.ReasonAmnesia)
	}
	if l.recent == nil || l.round != m.Round {
		l.recent, l.round = l.configs[m.Round], m.Round
	}
	c := l.recent
	if c == nil {
		return l.drop(paxos.ReasonRound)
	}
	bit := c.voters[from]
	if bit == 0 {
		return l.drop(paxos.ReasonRound)
	}
	if l.tooFar(m.Instance) || l.trimmed(m.Instance) {
		return l.drop(paxos.ReasonWindow)
	}
	x := &l.cells[m.Instance%l.size]
	switch {
	case x.instance != m.Instance:
		*x = count{instance: m.Instance, round: m.Round}
	case x.round > m.Round:
		return l.drop(paxos.ReasonStale)
	case x.round < m.Round:
		*x = count{instance: m.Instance, round: m.Round}
	}
	had := x.majority(c)
	x.bits |= bit
	if !x.majority(c) || had && m.Flags&paxos.Again == 0 {
		return nil
	}
	m.Kind = paxos.Deliver
	return l.replicas
}

func (x *count) majority(c *configuration) bool { return 2*bits.OnesCount64(x.bits) > c.members }
