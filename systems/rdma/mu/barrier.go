package mu

import (
	"slices"
	"time"
)

type barrier struct {
	id    uint64
	probe uint64
	until uint64 // position that must be decided
}

// Barrier asks whether this server is still the leader: Env.Confirmed answers, or
// Env.SteppedDown.
func (c *Core) Barrier(now time.Duration, id uint64) error {
	c.now = now
	c.beat()
	l := &c.lead
	if c.role != Leader {
		return ErrNotLeader
	}
	b := barrier{id: id, probe: l.probe + 1, until: max(l.decided, l.start)}
	l.barriers = append(l.barriers, b)
	l.wantProbe = true
	c.progress()
	return nil
}

// followed is the number of the last probe that a majority has acknowledged.
func (c *Core) followed() uint64 {
	l := &c.lead
	var probed [MaxServers]uint64
	n := 0
	for _, p := range c.peers {
		if c.counts(p) {
			probed[n] = p.probed
			n++
		}
	}
	need := c.need()
	if need == 0 {
		return l.probe
	}
	ok := uint64(0)
	if n >= need {
		slices.Sort(probed[:n])
		ok = probed[n-need]
	}
	if l.group.state == groupActive {
		ok = max(ok, l.group.probed)
	}
	return ok
}

// startProbe writes the commit position to all peers, to see which of them still accept it.
func (c *Core) startProbe() {
	l := &c.lead
	l.probe++
	if !l.probeOpen {
		l.probeFrom = l.probe
	}
	l.wantProbe, l.probeOpen, l.probeAt = false, true, c.now
	// A probe may be repeated while an earlier one is outstanding, so each has bytes of its own.
	buf := make([]byte, commitLen)
	if l.group.state == groupActive {
		c.writeCommit(&l.group.link, Path{Kind: Group, Gen: l.group.gen}, buf, pending{opProbe, l.probe})
	}
	for _, p := range c.peers {
		if p.live && (l.mode == Direct || p.direct) && p.posted >= l.decided {
			path := Path{Peer: p.id, Kind: Replication, Route: p.route}
			c.writeCommit(p.link(path), path, buf, pending{opProbe, l.probe})
		}
	}
}

// finishProbe checks whether a majority still follows. Repeating a probe does not invalidate the
// earlier one: when a round trip takes longer than the interval, the acknowledgement of the earlier
// one arrives after the repetition.
func (c *Core) finishProbe() {
	l := &c.lead
	if l.probeOpen {
		l.probeOK = max(l.probeOK, c.followed())
		l.probeOpen = l.probeOK < l.probeFrom
		for _, p := range c.peers {
			if p.live && p.evidence != 0 && p.evidence <= l.probeOK {
				p.evidence, p.fullFrom = 0, max(l.tail, 1)
			}
		}
	}
	rest := l.barriers[:0]
	for _, b := range l.barriers {
		if b.probe <= l.probeOK && l.decided >= b.until {
			c.env.Confirmed(b.id, c.emittedIndex)
		} else {
			rest = append(rest, b)
		}
	}
	l.barriers = rest
	for _, p := range c.peers {
		if p.live && !p.full && p.fullFrom != 0 && c.held(p) >= min(p.fullFrom, l.tail) && !p.fullAsked {
			p.fullAsked = true
			c.ask(p)
		}
	}
	if len(l.barriers) > 0 && !l.probeOpen && l.barriers[len(l.barriers)-1].probe > l.probe {
		l.wantProbe = true
	}
}
