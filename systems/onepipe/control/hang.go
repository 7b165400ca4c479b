package control

import (
	"log/slog"
	"slices"
	"time"
)

// What becomes of a switch that does not answer, though its connection lasts: its agent hangs, or was stopped. Everything that
// waits for it would wait for ever.
//
//	it has answered nothing for Config.Answer --> it counts as one that is gone: its neighbours take out the links from it
//	                                              when they are silent, and send it no barriers
//	it answers again --> it is read back, and what has failed meanwhile is taken out there, too
//	   --> its neighbours send it barriers again, and links join again
//
// A switch that goes on without us would raise barriers by what it hears. Hosts behind it would deliver what the others have
// taken back.

// answerBy is when a switch that has something to answer counts as gone.
func (c *Core) answerBy(s *swtch) time.Duration {
	if c.conf.Answer < 0 || s.reading == 0 && len(s.writing) == 0 {
		return Never
	}
	return s.waits + c.conf.Answer
}

// answered notes that a switch has.
func (c *Core) answered(s *swtch) {
	s.waits = c.now
	if s.reading == 0 && len(s.writing) == 0 {
		s.waits = 0
	}
}

// hangs gives a switch up that does not answer, until it does.
func (c *Core) hangs(s *swtch) {
	c.note(slog.LevelError, "switch does not answer: it counts as gone", "switch", s.name, "after", c.conf.Answer)
	c.Lost(c.now, s.name)
	c.out = append(c.out, Resync{s.name})
}

// slow takes how long a switch has taken to answer. If that was long, it may have heard nothing meanwhile: it is not its inputs
// that were silent.
func (c *Core) slow(s *swtch, took time.Duration) {
	if c.conf.Silence < 0 || took <= c.conf.Silence/4 {
		return
	}
	for _, l := range s.inputs {
		if l.moved != 0 {
			l.moved += took
		}
	}
}

// muffle lets no barriers go to switches that are not in our hands, by links that have failed in the other direction. Hosts
// behind them may have failed, and not know it.
func (c *Core) muffle() {
	for _, s := range c.order {
		if !s.up || s.fresh {
			continue
		}
		for _, l := range s.inputs {
			if l.failed && l.state == off && !l.mute && l.target != "" && !c.switches[l.target].up {
				l.mute, l.ready = true, false
				c.write(s, nil, after{what: fenced, link: l})
			}
		}
	}
}

// harmless reports whether a switch may get barriers again: it is in our hands, and no host that has failed gets any from it.
func (c *Core) harmless(sw string) bool {
	s := c.switches[sw]
	if !s.up || s.fresh {
		return false
	}
	for _, l := range s.inputs {
		if l.host != "" && !c.used(l) && !(l.state == off && l.ready) {
			return false
		}
		if next := c.switches[l.target]; next != nil && !next.up && !l.mute && slices.ContainsFunc(next.inputs, func(in *link) bool {
			return in.host != "" && in.state != off && !c.used(in)
		}) {
			return false // it gets them from there
		}
	}
	return true
}
