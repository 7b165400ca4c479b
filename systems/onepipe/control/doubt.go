package control

import (
	"math"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// What hosts ask about (private.Ask): a process does not answer one of them. While the fate of a reliable message to it is
// open, the commit barrier waits, and with it everybody:
//
//	the process is not part of the order --> the host is told so, and takes back what was for it
//	its host does not answer probes ------> it has failed
//	it does ------------------------------> what the hosts say to each other is forwarded (forward.go)
//	   --> the host that asks is not answered all the same --> it has failed: it cannot reach the other one

// patience is how long a host may take to answer a probe, and a host that asks to be answered, in Config.Patience: a network that
// has too much to do loses probes as well.
const patience = 4

// doubt is a host that does not answer others.
type doubt struct {
	about  *host
	number uint32        // of the probes
	heard  time.Duration // when it has answered one last; 0: it has not
	by     []complaint
	until  time.Duration
	repeat time.Duration
}

// complaint is a host that asks: first is since when it has not been answered in any way.
type complaint struct {
	host        *host
	first, last time.Duration
	offered     bool // that what it sends is forwarded
}

// asked takes a question of a host.
func (c *Core) asked(h *host, list []private.Failed) {
	gone := private.Message{Kind: private.Failures, Token: h.token}
	for _, p := range list {
		p.Have = 1
		about := c.byAddr[p.Addr]
		switch {
		case about == nil || about.token == 0 || p.First-about.first >= about.have:
			p.Time = c.conf.Clock(c.now) & (1<<48 - 1)
			gone.Failed = append(gone.Failed, p)
		case about == h || !about.admitted || about.failedAt != 0 || about.link.held:
			// It joins, or is being taken out: h will be told.
		default:
			c.complain(h, about, c.now-time.Duration(p.Time&math.MaxInt64))
		}
	}
	if len(gone.Failed) > 0 {
		c.out = append(c.out, Send{h.at.name, h.link.port, c.frame(h, &gone)})
	}
}

// complain notes that a host does not answer another one, since a time.
func (c *Core) complain(h, about *host, since time.Duration) {
	i := slices.IndexFunc(c.doubts, func(d *doubt) bool { return d.about == about })
	if i < 0 {
		c.number++
		i = len(c.doubts)
		c.doubts = append(c.doubts, &doubt{about: about, number: c.number, until: c.now + patience*c.conf.Patience})
		c.probe(c.doubts[i])
	}
	d := c.doubts[i]
	k := slices.IndexFunc(d.by, func(x complaint) bool { return x.host == h })
	if k < 0 {
		k = len(d.by)
		d.by = append(d.by, complaint{host: h})
	}
	d.by[k].first, d.by[k].last = since, c.now
	if c.isHere(d) {
		c.offer(&d.by[k], about)
	}
}

// isHere reports whether a host has answered a probe lately.
func (c *Core) isHere(d *doubt) bool { return d.heard != 0 && c.now-d.heard <= c.conf.Patience }

func (c *Core) probe(d *doubt) {
	d.repeat = c.now + 10*c.conf.Poll
	if c.isHere(d) {
		d.repeat = c.now + max(10*c.conf.Poll, c.conf.Patience/4)
	}
	m := private.Message{Kind: private.Probe, Token: d.about.token, Number: d.number}
	c.out = append(c.out, Send{d.about.at.name, d.about.link.port, c.frame(d.about, &m)})
}

// here takes the answer to a probe.
func (c *Core) here(h *host, number uint32) {
	for _, d := range c.doubts {
		if d.about != h || d.number != number {
			continue
		}
		was := c.isHere(d)
		d.heard, d.until = c.now, c.now+patience*c.conf.Patience
		for k := range d.by {
			if !was {
				c.offer(&d.by[k], h)
			}
		}
	}
}

// clearUp ends doubts.
func (c *Core) clearUp() {
	c.doubts = slices.DeleteFunc(c.doubts, func(d *doubt) bool {
		d.by = slices.DeleteFunc(d.by, func(x complaint) bool {
			return c.now-x.last > c.conf.Patience || !x.host.admitted || x.host.link.held // it has been answered, or is out
		})
		if len(d.by) == 0 || !d.about.admitted || d.about.link.held {
			return true
		}
		if c.now >= d.repeat {
			c.probe(d)
		}
		if !d.about.at.up {
			d.until = c.now + patience*c.conf.Patience // it may have answered
		}
		if c.now >= d.until {
			c.fence(d.about.at, d.about.link, "it does not answer")
			return true
		}
		for _, x := range d.by {
			if c.isHere(d) && x.last-x.first > 2*patience*c.conf.Patience {
				c.fence(x.host.at, x.host.link, "it cannot reach host "+d.about.name)
			}
		}
		return false
	})
}
