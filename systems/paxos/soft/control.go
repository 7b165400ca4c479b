package soft

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/systems/paxos"
)

// ControlConfig says which roles a Control has.
type ControlConfig struct {
	At        netip.AddrPort // of the controller
	Leaders   []Seat         // the first one leads; the others can lead (Lead)
	Acceptors []Seat
	Learners  []Seat
	Ring      int           // instances under way; default Ring
	Resend    time.Duration // of the coordinator's questions; 20 ms
}

// Control is the controller of the roles of one application: it takes over, closes gaps and trims. It
// does for the software roles what the controller of switches does, but without a journal: when it ends,
// its rounds end, too. It is a pure core for one goroutine. Its orders are carried out when they are given.
type Control struct {
	c        ControlConfig
	round    uint32
	leads    int
	coord    *paxos.Coordinator // takes over
	gap      *paxos.Coordinator // closes a gap
	replicas []netip.AddrPort
	first    uint32
	reports  map[netip.AddrPort]uint32 // the instance of each replica's checkpoint
	stats    ControlStats
	sends    []ControlSend
}

// ControlSend is a message of a Control.
type ControlSend struct {
	To      netip.AddrPort
	Message paxos.Message
}

// ControlStats has counters since the start.
type ControlStats struct {
	Takeovers, Gaps, Trims, Silent uint64
	Round, First                   uint32
}

// NewControl gives acceptors and learners their roles. Nobody leads yet.
func NewControl(config ControlConfig) (*Control, error) {
	config.Ring = cmp.Or(config.Ring, Ring)
	config.Resend = cmp.Or(config.Resend, 20*time.Millisecond)
	if len(config.Leaders) == 0 || len(config.Acceptors) == 0 || len(config.Acceptors) > 64 || len(config.Learners) == 0 {
		return nil, fmt.Errorf("paxos roles: %d leaders, %d acceptors, %d learners", len(config.Leaders), len(config.Acceptors), len(config.Learners))
	}
	c := &Control{c: config, first: 1, reports: map[netip.AddrPort]uint32{}}
	var learners []netip.AddrPort
	for _, l := range config.Learners {
		if err := l.Order(Order{Do: GiveRole, First: c.first, Last: c.last()}); err != nil {
			return nil, err
		}
		learners = append(learners, l.Addr())
	}
	for i, a := range config.Acceptors {
		if err := a.Order(Order{Do: GiveRole, Index: uint8(i), At: learners, First: c.first, Last: c.last()}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Leading returns the round in which requests get instances. It returns 0 while a leader takes over.
func (c *Control) Leading() uint32 {
	if c.coord != nil {
		return 0
	}
	return c.round
}

// Stats returns the counters.
func (c *Control) Stats() ControlStats {
	s := c.stats
	s.Round, s.First = c.round, c.first
	return s
}

// Replicas sets the replicas that get chosen values. More than half of them must have a checkpoint
// before the roles forget.
func (c *Control) Replicas(at []netip.AddrPort) {
	c.replicas = slices.Clone(at)
	clear(c.reports)
	for _, l := range c.c.Learners {
		c.order(l, Order{Do: TellReplicas, At: slices.Clone(at)})
	}
}

// order gives a role an order. A role that is gone does nothing any more.
func (c *Control) order(s Seat, o Order) { _ = s.Order(o) }

func (c *Control) last() uint32 { return c.first + uint32(c.c.Ring) - 1 }

func (c *Control) all() (a paxos.Acceptors) {
	for i := range c.c.Acceptors {
		a = a.With(i)
	}
	return a
}

// newRound gives a round to the controller and to a leader.
func (c *Control) newRound() uint32 {
	c.round++
	round, leader := c.round, c.c.Leaders[c.leads].Addr()
	var addrs []netip.AddrPort
	for _, a := range c.c.Acceptors {
		c.order(a, Order{Do: OwnRound, Round: round, At: []netip.AddrPort{leader, c.c.At}})
		addrs = append(addrs, a.Addr())
	}
	for _, l := range c.c.Learners {
		c.order(l, Order{Do: ConfigureFor, Round: round, At: addrs})
	}
	return round
}

// Lead lets another leader take over: it leads when Leading is not 0.
func (c *Control) Lead(now time.Duration, leader int) {
	c.order(c.c.Leaders[c.leads], Order{Do: StopLeading})
	c.leads, c.gap = leader, nil
	c.stats.Takeovers++
	c.takeOver(now)
}

// takeOver begins a round.
func (c *Control) takeOver(now time.Duration) {
	r := paxos.Recovery{Round: c.newRound(), First: c.first, Floor: true, Old: []paxos.Acceptors{c.all()}, New: c.all(), Ring: uint32(c.c.Ring)}
	c.coord, _ = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Resend: c.c.Resend}) // what it refuses cannot be here
	c.drive(now, c.coord)
}

// Busy reports whether Tick has something to do soon: each millisecond is often enough.
func (c *Control) Busy() bool { return c.coord != nil || c.gap != nil }

// Tick does what time brings.
func (c *Control) Tick(now time.Duration) {
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil {
			c.drive(now, x)
		}
	}
}

// Sends returns what must be sent, and forgets it. The slice is valid until the next call of any method.
func (c *Control) Sends() []ControlSend {
	s := c.sends
	c.sends = c.sends[:0]
	return s
}

// drive sends the coordinator's messages, and acts when it is done.
func (c *Control) drive(now time.Duration, x *paxos.Coordinator) {
	x.Tick(now)
	for _, s := range x.Sends() {
		m := s.Message
		m.Value = slices.Clone(m.Value)
		c.sends = append(c.sends, ControlSend{c.c.Acceptors[s.To].Addr(), m})
	}
	switch {
	case x.State() == paxos.Failed && x == c.coord:
		c.takeOver(now)
	case x == c.gap && (x.State() == paxos.Failed || x.State() == paxos.Done):
		c.gap = nil
	case x == c.coord && x.State() == paxos.Done:
		c.coord = nil
		var addrs []netip.AddrPort
		for _, s := range c.c.Acceptors {
			addrs = append(addrs, s.Addr())
		}
		l := c.c.Leaders[c.leads]
		c.order(l, Order{Do: TrimTo, First: c.first, Last: c.last()})
		c.order(l, Order{Do: LeadIn, Round: x.Round(), Next: x.Next(), At: addrs})
	}
}

// Take processes a message. Tick is to be called afterwards.
func (c *Control) Take(now time.Duration, from netip.AddrPort, m *paxos.Message) {
	if m.Kind == paxos.Report {
		c.report(now, from, m)
		return
	}
	id := slices.IndexFunc(c.c.Acceptors, func(s Seat) bool { return s.Addr() == from })
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil && x.Round() == m.Round {
			x.Answer(now, id, m)
		}
	}
}

func (c *Control) report(now time.Duration, from netip.AddrPort, m *paxos.Message) {
	switch {
	case m.Flags&paxos.Silent != 0:
		c.stats.Silent++
		return
	case !slices.Contains(c.replicas, from):
		return
	case m.Flags&paxos.Wanted != 0:
		if c.coord == nil && c.gap == nil && int32(m.Instance-c.first) >= 0 && int32(c.last()-m.Instance) >= 0 {
			c.close(m.Instance, m.Instance, map[uint32][]byte{m.Instance: slices.Clone(m.Value)})
		}
		return
	case m.Flags&paxos.Gap != 0 && c.coord == nil && c.gap == nil && int32(m.Instance-c.first) >= 0 && int32(m.VoteRound-m.Instance) >= 0 && int32(c.last()-m.VoteRound) >= 0:
		// The instances soon after it may be missing, too.
		c.close(m.Instance, m.Instance+min(m.VoteRound-m.Instance, 63), nil)
	}
	c.reports[from] = m.Sequence
	c.trim(now)
}

// close has instances decided, in a round of its own.
func (c *Control) close(first, last uint32, noops map[uint32][]byte) {
	c.stats.Gaps++
	r := paxos.Recovery{Round: c.newRound(), First: first, Last: last, Old: []paxos.Acceptors{c.all()}, New: c.all(), Ring: uint32(c.c.Ring), Noops: noops}
	c.gap, _ = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Resend: c.c.Resend})
}

// trim lets the roles forget what more than half of the hosts have in a checkpoint.
func (c *Control) trim(now time.Duration) {
	var ahead []int32
	for _, v := range c.reports {
		ahead = append(ahead, int32(v-c.first))
	}
	for len(ahead) < len(c.replicas) {
		ahead = append(ahead, 0)
	}
	// One step for each eighth of the ring, because trimming stops the roles for a moment.
	n := quorum.Reached(ahead, quorum.Majority(len(ahead)))
	if n < int32(max(c.c.Ring/8, 1)) {
		return
	}
	c.first += uint32(n)
	c.stats.Trims++
	first, last := c.first, c.last()
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil {
			x.Trim(now, first)
		}
	}
	for _, seat := range slices.Concat(c.c.Acceptors, c.c.Learners, c.c.Leaders) {
		c.order(seat, Order{Do: TrimTo, First: first, Last: last})
	}
}
