package control

import (
	"slices"

	"github.com/p4ce/p4ce/systems/paxos"
)

// attempt is a coordinator (systems/paxos) at work in one round, and who its acceptors are: the
// switch in the life that it had when the round began is number i. What a switch says in
// another life is not that acceptor's.
type attempt struct {
	*paxos.Coordinator
	members []Member
}

// newAttempt begins a round: with floor it takes over everything from from on, else it closes
// from to to. noops are what it proposes where nothing can have been chosen (paxos.Recovery).
func (c *Core) newAttempt(a *app, term Term, read [][]Member, from, to uint32, floor bool, noops map[uint32][]byte, window int) (*attempt, error) {
	at := &attempt{}
	set := func(list []Member) (s paxos.Acceptors) {
		for _, m := range list {
			i := slices.Index(at.members, m)
			if i < 0 {
				i = len(at.members)
				at.members = append(at.members, m)
			}
			s = s.With(i)
		}
		return s
	}
	r := paxos.Recovery{Round: term.Round, First: from, Last: to, Floor: floor, New: set(term.Members), Ring: a.ring, Noops: noops}
	for _, m := range read {
		r.Old = append(r.Old, set(m))
	}
	var err error
	at.Coordinator, err = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Resend: c.conf.Timing.Resend, Window: window})
	return at, err
}

// window is how many instances an attempt has under way: few enough that acceptors on a slow
// machine answer all of them before they are asked again. What clients do not wait for has fewer.
const (
	window     = 16
	copyWindow = 4
)

// ask sends what an attempt has to say, at a neighbour of each acceptor: what comes back goes
// to the controller there. Those that have forgotten are not asked.
func (c *Core) ask(a *app, at *attempt) {
	at.Tick(c.now)
	for _, s := range at.Sends() {
		m := at.members[s.To]
		if !c.sound(a, m) {
			continue
		}
		to := c.conf.Switches[m.Switch]
		frame, err := appendDatagram(nil, c.conf.Controller, Address{to.MAC, to.Acceptor}, Port(a.index), &s.Message)
		if err != nil { // a value that came in a message of ours
			c.stats.Malformed++
			continue
		}
		_, at, ok := c.beside(m.Switch)
		if !ok {
			c.stats.Unreachable++
			continue
		}
		c.stats.Sent++
		c.out = append(c.out, Send{at.Switch, at.Port, frame})
	}
}

// hear takes an acceptor's answer.
func (c *Core) hear(a *app, at *attempt, from string, m *paxos.Message) {
	i := slices.Index(at.members, Member{from, a.parts[from].life})
	if i < 0 || !c.sound(a, at.members[i]) {
		c.stats.Late++
		return
	}
	c.stats.Answers++
	at.Answer(c.now, i, m)
	if at.Forgot().Has(i) && c.quiet(from) {
		c.forgotten(a, from)
	}
}
