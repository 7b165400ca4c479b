package mu

import "time"

// groups is what a leader knows about its paths through the switch: at most one that is in use, and
// one that is being formed.
type groups struct {
	group      group
	next       group
	old        link // of a group that is being left
	gen        uint32
	minGen     uint32 // peers must take nothing from groups of lower generations
	fenceFloor uint64 // until all peers have said so, the ring is not reused from here on
	nextTry    time.Duration
	retry      time.Duration
	quietSince time.Duration
}

type groupState uint8

const (
	groupNone groupState = iota
	groupForming
	groupReady // connected, waiting for a quiet point
	groupActive
)

type group struct {
	state   groupState
	gen     uint32
	link    link
	members []*peer
	since   time.Duration
	need    int
	track
	commitBuf [commitLen]byte
}

func (g *group) has(p *peer) bool {
	for _, m := range g.members {
		if m == p {
			return true
		}
	}
	return false
}

// fit reports whether a peer can be in a group.
func (c *Core) fit(p *peer) bool {
	return c.counts(p) && p.full && c.now >= p.unreliable && c.now-p.liveSince >= c.cfg.HeartbeatEvery
}

// groupStep does the leader's periodic work for groups.
func (c *Core) groupStep() {
	l := &c.lead
	if !c.cfg.Switch || c.need() == 0 {
		return
	}
	if l.next.state == groupReady {
		c.tryActivate()
	}
	if l.next.state != groupNone || c.now < l.nextTry || l.decided < l.start || l.change != nil || l.changed {
		return
	}
	var members []*peer
	change := l.group.state != groupActive
	for _, p := range c.peers {
		fit := c.fit(p)
		if fit {
			members = append(members, p)
		}
		if l.group.state == groupActive && p.member && fit != l.group.has(p) {
			change = true
		}
		if p.inGroup && p.direct {
			change = true // it has missed something: a new path is needed
		}
	}
	need := c.need()
	if !change || len(members) < need {
		return
	}
	if l.gen >= c.cfg.MaxGen {
		// No generation is used twice in a term: writes of an old group are refused because its number
		// is lower.
		if l.quiesce = true; c.undecided() == 0 {
			c.env.Eventf("has used up the generations of term %v", c.promised)
			c.startCampaign()
		}
		return
	}
	l.gen++
	l.next = group{state: groupForming, gen: l.gen, members: members, since: c.now, need: need}
	ids := make([]ID, len(members))
	for i, p := range members {
		ids[i] = p.id
	}
	c.env.Eventf("forms group %d of %v", l.gen, ids)
	c.env.FormGroup(l.gen, c.promised, ids, need)
}

// groupUp notes that a group's path is connected.
func (c *Core) groupUp(gen uint32) {
	l := &c.lead
	if c.role != Leader || l.next.state != groupForming || l.next.gen != gen {
		c.env.DropGroup(gen)
		return
	}
	l.next.state = groupReady
	l.next.link.up = true
	l.quietSince = c.now
	if l.mode == Accelerated {
		// What the members of the old group hold shows soonest on their own paths, because an
		// acknowledgement arrives before anything is applied.
		for _, p := range l.next.members {
			if p.live && !p.direct {
				c.goDirect(p)
			}
		}
		c.postAll()
	}
	c.tryActivate()
}

// tryActivate switches to the new group when nothing is undecided and every member holds everything.
func (c *Core) tryActivate() {
	l := &c.lead
	g := &l.next
	l.quiesce = true
	held := c.undecided() == 0
	for _, p := range g.members {
		if !p.live {
			c.dropNext("server %d is lost", p.id)
			return
		}
		if p.acked < l.tail || p.open > 0 {
			held = false
		}
	}
	if !held {
		if c.now-l.quietSince > c.cfg.QuietFor {
			c.dropNext("no quiet point")
		}
		return
	}
	old := l.group
	for _, p := range c.peers {
		in := g.has(p)
		if in {
			p.restart(l.tail)
		} else if p.live && old.state == groupActive && old.has(p) {
			p.restart(max(p.acked, p.head)) // it continues on its own path
		}
		p.enter(in, !in, p.head)
	}
	l.group = *g
	l.group.state = groupActive
	l.group.track = track{live: true, posted: l.tail, acked: l.tail}
	l.next = group{}
	l.mode = Accelerated
	l.retry = c.cfg.RetryGroup
	l.nextTry = c.now + c.cfg.RetryGroup
	if old.state == groupActive {
		l.old = old.link
		c.fence(l.group.gen)
		c.env.DropGroup(old.gen)
	}
	c.release()
	c.env.Eventf("accelerated by group %d", l.group.gen)
}

// release allows proposals again.
func (c *Core) release() {
	l := &c.lead
	l.quiesce = l.change != nil
	c.env.Room()
}

// wantGen is the lowest generation of groups from which a peer may take anything.
func (c *Core) wantGen(p *peer) uint32 { return max(c.lead.minGen, p.wantGen) }

// seeFence checks whether a peer refuses all groups that it must refuse.
func (c *Core) seeFence(p *peer) { p.fenced = p.st.minGen >= c.wantGen(p) }

// fence asks every peer to refuse groups below gen.
func (c *Core) fence(gen uint32) {
	l := &c.lead
	l.fenceFloor = c.free()
	l.minGen = gen
	for _, p := range c.peers {
		c.seeFence(p)
		if p.live && !p.fenced {
			c.ask(p)
		}
	}
}

// dropNext abandons the group that is being formed, for a while.
func (c *Core) dropNext(format string, args ...any) {
	l := &c.lead
	c.env.Eventf("group dropped: "+format, args...)
	c.env.DropGroup(l.next.gen)
	l.next = group{}
	c.later()
	c.release()
}

func (c *Core) later() {
	l := &c.lead
	l.nextTry = c.now + l.retry
	l.retry = min(2*l.retry, 32*c.cfg.RetryGroup)
}

// GroupFailed reports that the requested group could not be formed.
func (c *Core) GroupFailed(now time.Duration, gen uint32) {
	c.now = now
	l := &c.lead
	if c.role != Leader || l.next.state == groupNone || l.next.gen != gen {
		return
	}
	l.next = group{}
	c.later()
	c.release()
}

// groupDown handles the end of a path through the switch.
func (c *Core) groupDown(gen uint32) {
	l := &c.lead
	switch {
	case c.role != Leader:
	case l.next.state != groupNone && l.next.gen == gen:
		c.dropNext("its connection has ended")
	case l.group.state == groupActive && l.group.gen == gen:
		c.fallBack()
	}
}

// fallBack returns to one WRITE per peer. A peer certainly holds what it has applied. Everything from
// there on is written again.
func (c *Core) fallBack() {
	l := &c.lead
	c.env.Eventf("falls back from group %d", l.group.gen)
	members := l.group.members
	c.env.DropGroup(l.group.gen)
	c.fence(l.group.gen + 1)
	l.group = group{}
	l.mode = Direct
	for _, p := range members {
		if p.live && !p.direct {
			p.restart(max(p.acked, p.head))
		}
	}
	for _, p := range c.peers {
		p.leave()
		p.commitSent = 0
	}
	c.later()
	l.nextTry = max(l.nextTry, c.now+c.cfg.RetryGroup)
	if l.probeOpen {
		l.probeOpen, l.wantProbe = false, true // members of the group have not received it in another way
	}
	c.progress()
}

// watchHead repairs a peer that has missed something in accelerated mode: its head does not move,
// although there is something to apply.
func (c *Core) watchHead(p *peer) {
	l := &c.lead
	switch {
	case p.head > p.lagHead || p.head >= l.decided:
		p.lagHead, p.lagSince = p.head, 0
	case p.lagSince == 0:
		p.lagSince = max(c.now, 1)
	case p.inGroup && !p.direct && c.now-p.lagSince > c.cfg.RepairAfter:
		c.env.Eventf("server %d lags at %d: repaired directly", p.id, p.head)
		c.goDirect(p)
		p.unreliable = c.now + 2*c.cfg.RetryGroup
		c.ask(p)
		c.seeFence(p)
		c.progress()
	}
}

// goDirect also writes to a peer on its own path, starting from what it has applied.
func (c *Core) goDirect(p *peer) {
	p.direct = true
	p.restart(p.head)
	p.commitSent = 0
}

// dropGroups leaves all groups, because the leadership ends.
func (c *Core) dropGroups() {
	l := &c.lead
	if l.next.state != groupNone {
		c.env.DropGroup(l.next.gen)
	}
	if l.group.state == groupActive {
		c.env.DropGroup(l.group.gen)
	}
}
