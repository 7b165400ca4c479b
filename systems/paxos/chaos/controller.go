package chaos

import (
	"slices"
	"time"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/systems/paxos"
)

// journal is what the controller has on its disk.
type journal struct {
	round   uint32
	ids     int               // numbers of acceptors given
	configs []paxos.Acceptors // with which something may have been chosen that later ones lack
	where   map[int]*node     // whose number it is
	voters  []*node           // who votes, by index
	first   uint32
}

// control is a model of the controller: one application.
type control struct {
	w       *World
	disk    journal
	up      bool
	life    int
	coord   *paxos.Coordinator // takes over
	gap     *paxos.Coordinator // closes a gap
	current paxos.Acceptors    // who votes in the round that is led
	leads   bool
	next    int // the leader that is to lead
	asked   time.Duration
	reports map[uint32]uint32
}

func newControl(w *World) *control {
	c := &control{w: w, disk: journal{first: 1, where: map[int]*node{}}}
	// The first acceptors have their roles before anything else is.
	c.disk.voters = slices.Clone(w.acceptor[:w.o.Acceptors])
	for i, n := range c.disk.voters {
		n.id = c.disk.ids
		c.disk.ids++
		c.disk.where[n.id] = n
		n.Vote(uint8(i), Learner, 0, 1, c.last())
		n.forgot = false
	}
	return c
}

// start begins, for the first time or after it has died.
func (c *control) start() {
	w := c.w
	c.life++
	c.up, c.coord, c.gap, c.leads, c.reports = true, nil, nil, false, map[uint32]uint32{}
	for _, n := range w.nodes() {
		n.close()
	}
	// What was durable is acted upon, perhaps once more.
	for _, n := range w.nodes() {
		w.write(n, func() { n.Trim(c.disk.first, c.last()) }, nil)
	}
	c.learn()
	c.takeOver("it begins")
	c.tick(c.life)
}

// die ends it: its journal is left.
func (c *control) die() {
	c.up = false
	for _, n := range c.w.nodes() {
		n.close()
	}
}

func (w *World) nodes() []*node {
	return append(slices.Clone(w.acceptor), w.leaders[0], w.leaders[1], w.learner)
}

func (c *control) last() uint32 { return c.disk.first + uint32(c.w.o.Ring) - 1 }

// admit gives an acceptor a new number, and its role.
func (c *control) admit(index int, n *node, floor uint32) {
	n.id = c.disk.ids
	c.disk.ids++
	c.disk.where[n.id] = n
	c.give(index, n, floor)
}

func (c *control) give(index int, n *node, floor uint32) {
	c.w.write(n, func() {
		n.Vote(uint8(index), Learner, floor, c.disk.first, c.last())
		n.forgot = false
	}, nil)
}

func (c *control) learn() {
	var replicas []Addr
	for _, h := range c.w.hosts {
		replicas = append(replicas, h.at)
	}
	n := c.w.learner
	c.w.write(n, func() {
		n.Learn(replicas, c.disk.first, c.last())
		n.forgot = false
	}, nil)
}

// acceptors returns the addresses of those in a configuration.
func (c *control) acceptors(of paxos.Acceptors) (addrs []Addr) {
	for id := range c.disk.ids {
		if of.Has(id) {
			addrs = append(addrs, c.disk.where[id].at)
		}
	}
	return addrs
}

// members is who votes from now on: everybody with the number that it has now.
func (c *control) members() (a paxos.Acceptors) {
	for _, n := range c.disk.voters {
		a = a.With(n.id)
	}
	return a
}

// newRound takes a round, for good, and says whose it is.
func (c *control) newRound(config paxos.Acceptors) uint32 {
	c.disk.round++
	round := c.disk.round
	c.w.check.configured(round, config)
	for _, n := range c.w.acceptor {
		c.w.write(n, func() {
			n.Own(round, controller)
			n.Own(round, Leader)
		}, nil)
	}
	var addrs []Addr // in the order of their indices, which votes say
	for _, n := range c.disk.voters {
		if config.Has(n.id) {
			addrs = append(addrs, n.at)
		}
	}
	c.w.write(c.w.learner, func() { c.w.learner.Configure(round, addrs) }, nil)
	return round
}

// takeOver begins a round with another leader.
func (c *control) takeOver(why string) {
	w := c.w
	w.Stats.Takeovers++
	c.asked = w.Now()
	// Who has forgotten is another one from now on. It votes for nothing below the round.
	one := false
	for i, n := range c.disk.voters {
		if n.forgot && !n.down {
			one = true
			w.Stats.Replaced++
			c.admit(i, n, c.disk.round+1)
		}
	}
	// Somebody else takes the place of one that is down: of one at a time.
	for i, n := range c.disk.voters {
		if one || !n.down || len(c.disk.configs) > 1 {
			break
		}
		for _, s := range w.acceptor {
			if !one && !s.down && len(s.queue) == 0 && !slices.Contains(c.disk.voters, s) {
				one = true
				w.Stats.Spared++
				w.log("controller: %s takes the place of %s", s.name, n.name)
				c.disk.voters[i] = s
				c.admit(i, s, c.disk.round+1)
			}
		}
	}
	config := c.members()
	old := slices.Clone(c.disk.configs)
	c.disk.configs = append(c.disk.configs, config)
	round := c.newRound(config)
	if w.leaders[c.next].down {
		c.next = 1 - c.next
	}
	w.log("controller: takes over with round %d for leader %d: %s; acceptors %b, before %b, from %d on", round, c.next, why, config, old, c.disk.first)
	var err error
	c.coord, err = paxos.NewCoordinator(paxos.Recovery{
		Round: round, First: c.disk.first, Floor: true, Old: old, New: config, Ring: uint32(w.o.Ring),
	}, options)
	if err != nil {
		w.fail("coordinator: %v", err)
		return
	}
	c.drive(c.coord)
}

// options are those of its coordinators.
var options = paxos.CoordinatorOptions{Resend: time.Millisecond, Window: 8}

// drive sends what a coordinator wants to, and acts when it is done.
func (c *control) drive(x *paxos.Coordinator) {
	x.Tick(c.w.Now())
	for _, s := range x.Sends() {
		c.w.send(Packet{From: controller, To: c.disk.where[s.To].at, Message: s.Message})
	}
	switch x.State() {
	case paxos.Failed:
		c.w.Stats.Preempted++
		if x == c.coord {
			c.takeOver(x.Err().Error())
		} else {
			c.gap = nil
		}
	case paxos.Done:
		if x == c.gap {
			c.gap = nil
			return
		}
		c.coord = nil
		c.current = c.members()
		c.disk.configs = []paxos.Acceptors{c.current}
		c.lead(c.current, x.Next())
	}
}

// lead gives the round to the leader.
func (c *control) lead(config paxos.Acceptors, next uint32) {
	w := c.w
	n, round := w.leaders[c.next], c.disk.round
	life, to := c.life, c.acceptors(config)
	w.log("controller: leader %d is to lead in round %d from %d on", c.next, round, next)
	other := w.leaders[1-c.next]
	w.write(other, other.StopLeading, nil)
	w.write(n, func() {
		n.Lead(round, next, c.disk.first, c.last(), to)
		n.forgot = false
	}, func() {
		if c.life == life {
			c.leads = true
			w.route = slices.Index(w.leaders[:], n)
		}
	})
}

// receive takes a packet for the controller.
func (c *control) receive(p Packet) {
	m, ok := arrive(p)
	if !ok || !c.up {
		return
	}
	switch m.Kind {
	case paxos.Report:
		c.report(&m)
		return
	case paxos.Promise, paxos.Floored, paxos.Refused:
	default:
		return
	}
	n := c.w.byAddr[p.From]
	if n == nil {
		return
	}
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil && x.Round() == m.Round {
			x.Answer(c.w.Now(), n.id, &m)
			c.drive(x)
		}
	}
}

func (c *control) report(m *paxos.Message) {
	w := c.w
	switch {
	case m.Flags&paxos.Silent != 0:
		if c.coord == nil && w.Now() > c.asked+5*time.Millisecond {
			c.next = 1 - c.next
			c.takeOver("requests are not answered")
		}
		return
	case m.Flags&paxos.Wanted != 0:
		if c.coord == nil && c.gap == nil && c.leads {
			c.close(m.Instance, m.Instance, map[uint32][]byte{m.Instance: slices.Clone(m.Value)})
		}
		return
	case m.Flags&paxos.Gap != 0:
		if c.coord == nil && c.gap == nil && c.leads {
			c.close(m.Instance, m.VoteRound, nil)
		}
	}
	c.reports[m.Client] = m.Sequence
	c.trim()
}

// close closes a gap, in a round of its own: what is missing, and what comes soon after, since
// more may be missing there. noops are proposed where nothing can have been chosen.
func (c *control) close(instance, heard uint32, noops map[uint32][]byte) {
	if int32(instance-c.disk.first) < 0 || int32(heard-instance) < 0 || int32(heard-c.last()) > 0 {
		return // there is a checkpoint with it, or it cannot be
	}
	round := c.newRound(c.current)
	c.w.Stats.Gaps++
	c.w.log("controller: closes instance %d in round %d", instance, round)
	x, err := paxos.NewCoordinator(paxos.Recovery{
		Round: round, First: instance, Last: min(heard, instance+63), Old: c.disk.configs, New: c.current, Ring: uint32(c.w.o.Ring), Noops: noops,
	}, options)
	if err != nil {
		c.w.fail("coordinator: %v", err)
		return
	}
	c.gap = x
	c.drive(x)
}

// trim has the switches forget what enough replicas have in their checkpoints: more than half,
// so that one has it whichever lose their disks.
func (c *control) trim() {
	w := c.w
	have := make([]uint32, len(w.hosts))
	for i, h := range w.hosts {
		if have[i] = c.disk.first; int32(c.reports[h.id()]-c.disk.first) > 0 {
			have[i] = c.reports[h.id()]
		}
	}
	at := quorum.Reached(have, quorum.Majority(len(have)))
	if at == c.disk.first {
		return
	}
	w.Stats.Trims++
	before := c.last()
	c.disk.first = at // durable, before it is acted upon
	first, last := c.disk.first, c.last()
	w.log("controller: trims to %d", first)
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil {
			x.Trim(w.Now(), first)
			c.drive(x)
		}
	}
	for _, n := range w.nodes() {
		// Nothing new gets into a cell while what was there may still be asked for.
		c.w.write(n, func() { n.Trim(first, before) }, nil)
		c.w.write(n, func() { n.Trim(first, last) }, nil)
	}
}

// tick is done every 500 microseconds.
func (c *control) tick(life int) {
	if c.life != life || !c.up {
		return
	}
	w := c.w
	for _, x := range []*paxos.Coordinator{c.coord, c.gap} {
		if x != nil {
			c.drive(x)
		}
	}
	// Now and then it looks whether devices still have what they were given.
	if w.rand.IntN(8) == 0 {
		if w.learner.forgot && !w.learner.down && len(w.learner.queue) == 0 {
			c.learn()
		}
		lost := c.leads && c.coord == nil && w.leaders[w.route].forgot
		for _, n := range c.disk.voters {
			lost = lost || n.forgot && !n.down && len(n.queue) == 0
		}
		if lost {
			c.takeOver("something was forgotten")
		}
	}
	w.after(500*time.Microsecond, func() { c.tick(life) })
}
