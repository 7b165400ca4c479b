package control

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/mirror"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// takeover is the way to a leader in a new round.
//
//	recorded: the round -> switches: who owns it, who votes in it -> FLOOR, majorities
//	-> recorded: who leads, from which instance on -> leader: next instance, entry
//	-> everybody: where its address leads
//
// It leads as soon as a majority of each configuration has promised the round: from the next
// instance on; what is below, and not known to be chosen, is finished beside it, in the same round. With other
// members those of before are asked as well until the new ones have everything (copying).
type takeover struct {
	term    Term
	leader  string
	reason  string
	read    [][]Member
	begun   time.Duration
	attempt *attempt // nil: the switches are being prepared
	leads   bool     // the leader gets its entry,
	next    uint32   // and this is its first instance
}

// keepRounds is how many rounds' entries switches have, besides that of the leader. A vote
// of an older round is not counted: whoever misses the instance asks for a new one.
const keepRounds = 6

// patience is how long a learner may take to know a round.
const patience = 50 * time.Millisecond

// usable reports whether a switch may lead, or become an acceptor.
func (c *Core) usable(a *app, name string) bool {
	return c.switches[name] != nil && c.switches[name].up && a.parts[name] != nil && a.parts[name].alive && a.reaches(name)
}

// candidate is who shall lead: whom somebody wants, or the next in turn that can, or who does.
func (c *Core) candidate(a *app, other bool) (string, bool) {
	if a.order != "" && c.usable(a, a.order) {
		return a.order, true
	}
	list, at := a.conf.Leaders, slices.Index(a.conf.Leaders, a.d.leader)
	if at >= 0 && !other && c.usable(a, a.d.leader) {
		return a.d.leader, true
	}
	for i := range list {
		if n := list[(at+1+i)%len(list)]; c.usable(a, n) {
			return n, true
		}
	}
	return "", false
}

// missing reports whether a switch is gone, for at least so long. One that has not been seen
// yet is given time to come.
func (c *Core) missing(name string, since time.Duration) bool {
	s := c.switches[name]
	if s == nil {
		return true
	}
	if !s.seen {
		since = max(since, 5*c.conf.Timing.Replace)
	}
	return !s.up && c.now-s.lostAt >= since
}

// trouble is why another round is needed, and whether another leader.
func (c *Core) trouble(a *app) (reason string, other bool) {
	on := a.d.leader
	switch {
	case !slices.Contains(a.conf.Leaders, on):
		return fmt.Sprintf("%s is no longer one of the leaders", on), false
	case c.missing(on, 0):
		return fmt.Sprintf("switch %s is lost", on), true
	case !c.switches[on].up: // not seen yet
		if c.silent(a) {
			return fmt.Sprintf("%s is not connected, and does not answer", on), true
		}
		return "", false
	case !a.reaches(on):
		return fmt.Sprintf("no link that works leads to switch %s", on), true
	case a.leads == nil:
		return fmt.Sprintf("switch %s no longer leads", on), false
	case len(a.d.pending) > 0:
		return "a take-over was not finished", false
	case a.order != "" && a.order != on && c.usable(a, a.order):
		return "an operator ordered it", false
	case c.now >= a.pause && c.silent(a):
		return fmt.Sprintf("%s does not answer", on), true
	}
	return "", false
}

// possible reports whether a majority of each configuration is there.
func (c *Core) possible(a *app, list ...[]Member) bool {
	return c.majorities(list, func(m Member) bool { return c.sound(a, m) })
}

func (c *Core) majorities(list [][]Member, fits func(Member) bool) bool {
	for _, members := range list {
		n := 0
		for _, m := range members {
			if fits(m) {
				n++
			}
		}
		if 2*n <= len(members) {
			return false
		}
	}
	return true
}

// advanceTake begins a take-over when one is needed, and carries it on.
func (c *Core) advanceTake(a *app) {
	if t := a.take; t != nil {
		if c.usable(a, t.leader) && c.possible(a, t.read...) && c.possible(a, t.term.Members) {
			c.carryOn(a, t)
			return
		}
		c.note(slog.LevelWarn, a, "take-over abandoned: a switch was lost", "round", t.term.Round)
		// Who comes and goes would have each round given up by the next one: it costs a record, and entries everywhere.
		a.take, a.backoff = nil, c.now+min(c.conf.Timing.Resend<<min(a.givenUp, 16), c.conf.Timing.Fresh)
		a.givenUp++
	}
	if a.d.active == nil {
		c.begin(a)
		return
	}
	if c.now < a.backoff {
		return
	}
	readers := a.d.configurations()
	if !c.possible(a, readers...) {
		return // nothing can be found out about what was chosen: wait for acceptors
	}
	if reason, other := c.trouble(a); reason != "" {
		if leader, ok := c.candidate(a, other); ok {
			c.takeOver(a, leader, a.d.active.Members, readers, reason)
		}
		return
	}
	if a.leads == nil || !c.usable(a, a.leads.on) {
		return // not seen yet
	}
	if len(a.d.before) > 0 {
		return // one at a time
	}
	if members, reason := c.replacement(a); members != nil {
		a.stats.Replaced++
		c.takeOver(a, a.d.leader, members, readers, reason)
	}
}

// begin is the first take-over: all acceptors must be there, each with a life, so that it is
// known from then on who has forgotten.
func (c *Core) begin(a *app) {
	var members []Member
	for _, name := range a.conf.Acceptors {
		if p := a.parts[name]; !p.alive || !c.switches[name].up {
			return
		}
		members = append(members, Member{name, a.parts[name].life})
	}
	if a.d.ring == 0 && !c.chooseRing(a) {
		return
	}
	for _, leader := range a.conf.Leaders {
		if c.usable(a, leader) {
			c.takeOver(a, leader, members, [][]Member{members}, "it begins")
			return
		}
		if !c.gone(a, leader, c.conf.Timing.Replace) {
			return // it may come yet, and is before the others
		}
	}
}

// chooseRing decides how many instances may be under way, for good: as many as the configuration says, or
// as every switch has room for. A switch that is not there is given some time to come.
func (c *Core) chooseRing(a *app) bool {
	ring := a.ring
	if ring == 0 {
		ring = maxInstances
		for name := range a.parts {
			switch s := c.switches[name]; {
			case s.up:
				ring = min(ring, s.room)
			case !c.missing(name, c.conf.Timing.Replace):
				return false
			}
		}
	}
	if !c.record(a, Record{Kind: recordRing, Ring: ring}) {
		return false
	}
	a.ring, a.last = ring, a.d.first+ring-1
	c.window(a, names.RegisterLast, a.last, nil)
	return true
}

// replacement is a configuration in which one acceptor that is lost, or has forgotten, is
// another; nil when there is no need, or nobody. One at a time: two configurations with a
// member's difference have majorities that meet.
func (c *Core) replacement(a *app) (members []Member, reason string) {
	old := a.d.active.Members
	members = slices.Clone(old)
	for i, m := range old {
		p := a.parts[m.Switch]
		forgot := p.alive && p.life != m.Life && c.switches[m.Switch].up
		if !forgot && !p.small && !c.gone(a, m.Switch, c.conf.Timing.Replace) {
			continue
		}
		by := ""
		if forgot {
			by = m.Switch
		}
		for _, name := range slices.Concat(a.conf.Acceptors, a.conf.Spares) {
			free := !slices.ContainsFunc(members, func(o Member) bool { return o.Switch == name })
			if by == "" && free && c.usable(a, name) {
				by = name
			}
		}
		if by == "" {
			continue
		}
		members[i] = Member{by, a.parts[by].life}
		if reason = fmt.Sprintf("acceptor %s was lost: %s replaces it", m.Switch, by); forgot {
			reason = fmt.Sprintf("acceptor %s has forgotten, and joins again", m.Switch)
		}
		return members, reason
	}
	return nil, ""
}

// nextRound hands out a round that nobody has had, by recording it.
func (c *Core) nextRound(a *app, kind string, members []Member) (Term, bool) {
	t := Term{a.d.round + 1, members}
	if t.Round > maxRound {
		c.halted = fmt.Errorf("application %s: all %d rounds are used", a.conf.Name, maxRound)
		c.note(slog.LevelError, a, "the controller does nothing more", "err", c.halted)
		return t, false
	}
	return t, c.record(a, Record{Kind: kind, Round: t.Round, Members: members})
}

// takeOver begins: switches get to know the round.
func (c *Core) takeOver(a *app, leader string, members []Member, read [][]Member, reason string) {
	term, ok := c.nextRound(a, recordBegin, members)
	if !ok {
		return
	}
	a.stats.TakeOvers++
	c.note(slog.LevelInfo, a, "take-over", "reason", reason, "round", term.Round, "leader", leader, "acceptors", fmt.Sprint(members))
	a.fill = nil
	a.copying.pause()
	a.order = ""
	a.take = &takeover{term: term, leader: leader, reason: reason, read: read, begun: c.now}
	a.remember(round{term, leader})
	for _, m := range members {
		if a.d.active != nil && slices.Contains(a.d.active.Members, m) {
			continue
		}
		// It votes in this round and above: it is not asked what it had promised before.
		c.push(m.Switch, []mirror.Update{c.set(a, m.Switch, names.RegisterAcceptorFloor, term.Round)}, nil)
	}
	c.refreshAll()
	c.carryOn(a, a.take)
}

// remember keeps the entries of a round, and forgets old ones, but for those of the leader and of what is being copied.
func (a *app) remember(r round) {
	a.rounds = append(a.rounds, r)
	for i := 0; len(a.rounds) > keepRounds && i < len(a.rounds); {
		if a.d.active != nil && a.rounds[i].Round == a.d.active.Round || a.copying != nil && a.rounds[i].Round == a.copying.term.Round {
			i++
			continue
		}
		a.rounds = slices.Delete(a.rounds, i, i+1)
	}
}

// prepared reports whether enough switches know a round: a majority of the acceptors of each
// configuration, and the learners.
func (c *Core) prepared(a *app, read [][]Member, write []Member, since time.Duration) bool {
	if !c.majorities(append(slices.Clone(read), write), func(m Member) bool { return c.sound(a, m) && c.quiet(m.Switch) }) {
		return false
	}
	for _, l := range a.conf.Learners {
		if c.switches[l].up && !c.quiet(l) && c.now-since < patience {
			return false
		}
	}
	return true
}

// carryOn does the next step of a take-over.
func (c *Core) carryOn(a *app, t *takeover) {
	if t.leads {
		c.finish(a, t)
		return
	}
	if t.attempt == nil {
		if !c.prepared(a, t.read, t.term.Members, t.begun) {
			return
		}
		var err error
		if t.attempt, err = c.newAttempt(a, t.term, t.read, a.undecided(), 0, true, nil, window); err != nil {
			c.giveUp(a, err)
			return
		}
	}
	c.ask(a, t.attempt)
	switch state := t.attempt.State(); {
	case state == paxos.Failed:
		c.giveUp(a, t.attempt.Err())
	case state == paxos.Done, state == paxos.Recovering:
		c.lead(a, t, t.attempt.Next())
	}
}

// giveUp ends what cannot succeed; it is tried again in another round, after a pause.
func (c *Core) giveUp(a *app, err error) {
	if errors.Is(err, paxos.ErrPreempted) {
		err = fmt.Errorf("%w [does another controller use these switches, with another journal?]", err)
	}
	c.note(slog.LevelError, a, "round abandoned", "err", err)
	a.take, a.fill, a.backoff = nil, nil, c.now+c.conf.Timing.Fresh
}

// lead makes the leader begin, from the instance after all that may have been chosen.
func (c *Core) lead(a *app, t *takeover, first uint32) {
	first = later(first, a.d.first)
	r := Record{Kind: recordLead, Switch: t.leader, Round: t.term.Round, Members: t.term.Members}
	if len(a.d.others(t.term.Members)) > 0 {
		// Members of before may know alone what was chosen below first. Those who were alone from an earlier instance on still are.
		r.Kind, r.First = recordServe, first
		if len(a.d.before) > 0 && len(a.d.configurations()) == len(a.d.before)+1 && slices.Equal(a.d.active.Members, t.term.Members) {
			r.First = a.d.from
		}
	}
	if !c.record(a, r) {
		return
	}
	t.leads, t.next = true, first
	// In one round no instance is given twice: who has led stops, then gets the next instance,
	// then the new round; in one request, of which the end does not come without the beginning.
	var u []mirror.Update
	if old := a.leads; old != nil && old.on == t.leader {
		old.stopped = true
		u = c.changes(t.leader)
	}
	a.leads = &leadership{on: t.leader, term: t.term}
	u = append(u, c.set(a, t.leader, names.RegisterNext, t.next))
	c.push(t.leader, append(u, c.changes(t.leader)...), nil)
}

// finish sends everybody to the leader, once it has its entry.
func (c *Core) finish(a *app, t *takeover) {
	if !c.quiet(t.leader) {
		return
	}
	c.note(slog.LevelInfo, a, "leads", "switch", t.leader, "round", t.term.Round, "from", t.next, "after", c.now-t.begun)
	a.route, a.take, a.pause = t.leader, nil, c.now+c.conf.Timing.Fresh
	a.givenUp = 0
	for _, r := range a.reports {
		r.silent = false
	}
	if t.attempt.State() == paxos.Recovering {
		a.fill = &filling{term: t.term, read: t.read, attempt: t.attempt}
	}
	c.refreshAll()
}
