package mu

import "time"

// hold keeps ring space for a server that fetches a snapshot.
type hold struct {
	pos   uint64
	until time.Duration
}

// lowWater is the position from which this leader's log can be sent.
func (c *Core) lowWater() uint64 {
	return max(c.low, c.lead.tail-min(c.lead.tail, c.geo.ring))
}

// free is the position below which the ring may be reused.
func (c *Core) free() uint64 {
	l := &c.lead
	free := c.head
	counting := 0
	for _, p := range c.peers {
		if !p.live {
			continue
		}
		if c.counts(p) {
			counting++
		}
		free = min(free, c.keeps(p))
	}
	if l.group.state == groupActive && l.group.open > 0 {
		free = min(free, l.group.acked)
	}
	for id := range c.holds {
		if h := &c.holds[id]; h.until > c.now {
			free = min(free, h.pos)
		}
	}
	if counting < c.need() {
		free = min(free, l.lastFree)
	}
	l.lastFree = free
	return free
}

// keeps is the position from which a live peer keeps the ring: entries that it has not read, entries
// that are on their way to it, and entries that groups which it has not refused yet may still write.
func (c *Core) keeps(p *peer) uint64 {
	pos := p.head
	if p.open > 0 {
		pos = min(pos, p.acked)
	}
	if p.st.minGen < c.lead.minGen {
		pos = min(pos, c.lead.fenceFloor)
	}
	if p.st.minGen < p.wantGen {
		pos = min(pos, p.floor)
	}
	return pos
}

// Hold keeps the ring from a position on for a server that fetches a snapshot of that position from
// this server. It ends when the log is written to that server, or after a while.
func (c *Core) Hold(now time.Duration, id ID, position uint64) {
	c.now = now
	if c.peer(id) != nil && position >= c.head-min(c.head, c.geo.ring) {
		c.holds[id] = hold{position, now + 2*c.cfg.SlowAfter}
	}
}
