package control

import (
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/paxos"
)

// copying gives the acceptors of the leader's round what only those of before may know: the instances below the one from
// which on they are alone. Clients do not wait for it: the leader leads, and what is not known to be chosen is finished
// before (filling). Until it has ended a majority of each configuration is asked about these instances.
//
//	recorded: a round -> switches: who votes in it -> PREPARE, ACCEPT: a few instances at a time
//	-> recorded: the acceptors are alone
type copying struct {
	read    [][]Member // those who are asked. When there are others it begins anew
	to      []Member
	next    uint32 // what is below has been copied
	term    Term   // a round of 0: none yet
	begun   time.Duration
	attempt *attempt // nil: the switches are being prepared
	wait    time.Duration
}

// readers are the configurations that may have chosen something from an instance on, each once.
func (a *app) readers(from uint32) [][]Member {
	all := a.d.configurations()
	if len(a.d.before) > 0 && !after(a.d.from, from) {
		return all[len(a.d.before):]
	}
	return all
}

// pause ends the round, and keeps what has been done.
func (k *copying) pause() {
	if k == nil {
		return
	}
	if k.attempt != nil {
		done, _ := k.attempt.Progress()
		k.next = k.attempt.First() + done
	}
	k.term, k.attempt = Term{}, nil
}

// advanceCopying copies what there is to be copied, while nothing is done that clients wait for.
func (c *Core) advanceCopying(a *app) {
	if len(a.d.before) == 0 {
		a.copying = nil
		return
	}
	if a.take != nil {
		return
	}
	k, read := a.copying, a.d.configurations()
	if k == nil || !slices.EqualFunc(k.read, read, slices.Equal[[]Member]) || !slices.Equal(k.to, a.d.active.Members) {
		k = &copying{read: read, to: a.d.active.Members, next: a.d.first}
		a.copying = k
	}
	if k.attempt != nil && k.attempt.State() == paxos.Done {
		k.next = a.d.from
	}
	if k.next = later(k.next, a.d.first); !after(a.d.from, k.next) { // or it was trimmed
		c.alone(a)
		return
	}
	if a.leads == nil || a.fill != nil || len(a.gaps) > 0 || c.now < k.wait {
		return
	}
	if !c.possible(a, read...) || !c.possible(a, k.to) {
		k.pause()
		return
	}
	if k.term.Round == 0 {
		term, ok := c.nextRound(a, recordRound, k.to)
		if !ok {
			return
		}
		k.term, k.begun = term, c.now
		a.remember(round{Term: term})
		c.note(slog.LevelInfo, a, "acceptors get the values chosen before", "from", k.next, "to", a.d.from-1, "round", term.Round)
		c.refreshAll()
	}
	if k.attempt == nil {
		if !c.prepared(a, read, k.to, k.begun) {
			return
		}
		var err error
		if k.attempt, err = c.newAttempt(a, k.term, read, k.next, a.d.from-1, false, nil, copyWindow); err != nil {
			k.again(c, a, err)
			return
		}
	}
	c.ask(a, k.attempt)
	switch k.attempt.State() {
	case paxos.Done:
		c.alone(a)
	case paxos.Failed: // an instance was missing meanwhile, and closed in a higher round
		k.again(c, a, k.attempt.Err())
	}
}

// again goes on in another round, after a while.
func (k *copying) again(c *Core, a *app, err error) {
	c.note(slog.LevelInfo, a, "acceptors get the values chosen before, in another round", "because", err)
	k.pause()
	k.wait = c.now + c.conf.Timing.Fresh
}

// alone says that a majority of the acceptors has everything: nobody else is asked from now on.
func (c *Core) alone(a *app) {
	if !c.record(a, Record{Kind: recordLead, Switch: a.d.leader, Round: a.d.active.Round, Members: a.d.active.Members}) {
		return
	}
	a.stats.Copied++
	a.copying = nil
	c.note(slog.LevelInfo, a, "acceptors have the values chosen before", "acceptors", a.d.active.Members)
	c.refreshAll()
}
