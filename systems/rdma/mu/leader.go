package mu

import (
	"errors"
	"slices"
	"time"
)

// leadership is the state of a leader.
type leadership struct {
	mode     Mode
	since    time.Duration
	start    uint64 // tail at the beginning: everything before was adopted
	all      bool   // every member has granted
	tail     uint64
	index    uint64 // of the next record
	decided  uint64
	lastMove time.Duration // the last time that something was decided, or that nothing was undecided
	idleFrom time.Duration
	ends     []uint64 // of the undecided entries, oldest first
	first    int
	blocked  time.Duration // when the ring became full; 0 if it is not full
	lastFree uint64
	skipAt   uint64 // the bytes from here to the end of the ring need not be sent

	probe     uint64 // number of the last probe
	probeOpen bool
	probeAt   time.Duration
	probeFrom uint64 // the first open probe
	probeOK   uint64 // the highest that has succeeded
	wantProbe bool
	barriers  []barrier

	change  []Member // membership to propose at a quiet point
	quiesce bool     // no proposals: the leader waits for a quiet point
	changed bool     // a membership has been proposed or adopted, and is not decided
	// A membership that is decided, but not on this server's disk yet: nobody is told, and it is not
	// in use. toldTo is where it begins.
	members  []Member
	toldTo   uint64
	handOver bool // a membership without this server is decided

	groups
}

// Errors of calls that only a leader serves, or that it cannot serve at the moment.
var (
	ErrNotLeader = errors.New("not the leader")
	ErrRecord    = errors.New("record")
	ErrMembers   = errors.New("membership")
)

// becomeLeader begins a term whose log has been adopted. changed says that the last entry is a
// membership. Nothing is proposed after it until it is decided, because it would be decided under the
// previous membership.
func (c *Core) becomeLeader(from, tail, index uint64, adopted int, changed bool) {
	c.role, c.failures = Leader, 0
	l := &c.lead
	*l = leadership{
		since: c.now, start: tail, all: c.camp.all, tail: tail, index: index, decided: from,
		lastMove: c.now, idleFrom: c.now, lastFree: c.head, changed: changed,
	}
	l.retry = c.cfg.RetryGroup
	l.nextTry = c.now
	c.env.Eventf("leads in term %v: log from %d to %d, %d entries adopted", c.promised, from, tail, adopted)
	c.commit = from
	if tail > from {
		l.ends = append(l.ends, tail)
	}
	if l.all && c.state == Recovering {
		c.becomeFull()
	}
	c.journaled, c.logged = from, from
	c.journal()
	c.publish()
	for _, p := range c.peers {
		if p.given() {
			c.startPeer(p)
		}
	}
	c.progress()
	c.env.Room()
}

// endLeadership discards the state that only a leader has.
func (c *Core) endLeadership() {
	c.commit = max(c.commit, c.lead.decided)
	if c.undecided() > 0 || len(c.lead.barriers) > 0 {
		c.env.SteppedDown()
	}
	c.dropGroups()
	for _, p := range c.peers {
		c.lost(p)
		p.leave()
	}
	c.seen, c.seenIndex = c.emitted, c.emittedIndex
	if members := c.lead.members; members != nil {
		c.setMembers(members)
	}
	c.lead = leadership{}
	c.endLease()
}

func (c *Core) stepDown(format string, args ...any) {
	c.env.Eventf("steps down from term "+c.promised.String()+": "+format, args...)
	if c.role == Leader {
		c.endLeadership()
	}
	c.role = Follower
	for _, p := range c.peers {
		c.lost(p)
	}
}

// peerRead processes a peer's head, state and permission.
func (c *Core) peerRead(p *peer) {
	if !p.live {
		if p.given() {
			c.startPeer(p)
		}
		return
	}
	p.full = p.full || p.st.state == Full
	c.seeFence(p)
	c.watchHead(p)
	if c.lead.blocked != 0 {
		c.env.Room()
	}
	if c.lead.next.state == groupReady {
		c.tryActivate()
	}
	c.progress()
}

// startPeer begins to write to a peer that has granted.
func (c *Core) startPeer(p *peer) {
	if p.head < c.lowWater() || p.head > c.lead.tail || !c.intact(p.head) {
		if p.head > c.lead.tail {
			c.env.Eventf("server %d has applied up to %d, beyond the log's end %d", p.id, p.head, c.lead.tail)
			return
		}
		if c.head > p.head && (!p.snapAsked || c.now-p.askAt > c.cfg.SlowAfter/4) {
			p.snapAsked = true
			c.ask(p)
		}
		return
	}
	p.snapAsked = false
	p.track = track{live: true, posted: p.head, acked: p.head}
	c.holds[p.id] = hold{} // from now on its head keeps the ring
	p.promotion = promotion{full: p.st.state == Full}
	switch {
	case p.full:
	case c.lead.all && p.voted == p.st.incarnation:
		// It took part in the adoption, and so did all others.
		p.fullFrom = max(c.lead.start, 1)
	default:
		p.evidence = c.lead.probe + 1
		c.lead.wantProbe = true
	}
	p.enter(false, c.lead.mode == Accelerated, p.head)
	c.seeFence(p)
	p.liveSince = c.now
	c.progress()
}

// intact reports whether the log has everything from a position up to where this leadership begins.
// Entries may be missing although the ring is long enough: entries of an earlier leader, or of this
// one in an earlier term, went further than the log does now, and replaced applied entries.
func (c *Core) intact(pos uint64) bool {
	region := c.cfg.Log.Bytes()
	for pos < c.lead.start {
		e, ok := c.geo.at(region, pos)
		if !ok {
			return false
		}
		pos += e.size
	}
	return true
}

// counts reports whether a peer's copy of the log counts.
func (c *Core) counts(p *peer) bool {
	return p.live && p.member && p.full
}

func (c *Core) confirmed() int {
	n := 0
	for _, p := range c.peers {
		if c.counts(p) {
			n++
		}
	}
	return n
}

// leadStep does the leader's periodic work.
func (c *Core) leadStep() {
	confirmed := c.confirmed()
	if c.stalled(confirmed) || c.handedOver() || !c.askPeers() {
		return
	}
	if c.cfg.Durable && c.undecided() > 0 {
		for _, p := range c.peers {
			if c.counts(p) && p.st.logged < c.lead.tail {
				c.readStatus(p)
			}
		}
	}
	c.dropSlow(confirmed)
	c.roomStep(c.confirmed())
	c.groupStep()
	c.memberStep()
	c.progress()
}

// stalled steps down when nothing has moved for too long. Fate sharing: a server that cannot lead does
// not stand in the way.
func (c *Core) stalled(confirmed int) bool {
	l := &c.lead
	if c.undecided() == 0 && confirmed >= c.need() {
		l.lastMove = c.now
	}
	if c.now-l.lastMove > c.cfg.StallAfter {
		c.muted = c.now + 40*c.cfg.HeartbeatEvery
		c.stepDown("no progress (%d peers of %d needed)", confirmed, c.need())
		return true
	}
	return false
}

// handedOver steps down when this server was removed and a majority knows it.
func (c *Core) handedOver() bool {
	if !c.lead.handOver {
		return false
	}
	know := 0
	for _, p := range c.peers {
		if p.member && p.head >= c.lead.decided {
			know++
		}
	}
	if know >= c.majority() {
		c.stepDown("removed from the membership")
		return true
	}
	return false
}

// askPeers asks those peers for permission that must grant it, and reports whether this server still
// leads.
func (c *Core) askPeers() bool {
	for _, p := range c.peers {
		switch {
		case p.st.promised > c.promised:
			if c.outbid(p) {
				return false
			}
		case c.wants(p):
			c.ask(p)
		}
	}
	return true
}

// outbid ends the leadership if a peer that has promised a higher term requires it.
func (c *Core) outbid(p *peer) bool {
	if c.lead.handOver && p.member {
		c.stepDown("removed from the membership")
		return true
	}
	// The server that asked the peer leads soon, or not at all. The peer cannot follow anyone until
	// some server asks it with a higher term.
	patience := 10 * c.cfg.RequestEvery
	if c.shouldLead() {
		patience = 4 * c.cfg.HeartbeatEvery
	}
	if p.alive && p.member && c.now-c.lead.since > patience {
		c.env.Eventf("server %d has promised term %v: asks again", p.id, p.st.promised)
		c.startCampaign()
		return true
	}
	return false
}

// wants reports whether the leader asks a peer for permission now.
func (c *Core) wants(p *peer) bool {
	switch {
	case c.now < p.notBefore:
		return false
	case !p.asked:
		return !p.live || !p.fenced || p.fullAsked && !p.full
	case p.granted:
		return !p.fenced && p.minGen < c.wantGen(p)
	}
	return p.unanswered(c.now, c.cfg.RequestEvery)
}

// dropSlow drops the peer that has blocked a full log for too long, if enough others remain.
func (c *Core) dropSlow(confirmed int) {
	l := &c.lead
	if l.blocked == 0 || c.now-l.blocked < c.cfg.SlowAfter {
		return
	}
	var slowest *peer
	for _, p := range c.peers {
		if p.live && (slowest == nil || c.keeps(p) < c.keeps(slowest)) {
			slowest = p
		}
	}
	if slowest == nil || c.keeps(slowest) >= c.head || c.counts(slowest) && confirmed <= c.need() {
		return
	}
	l.blocked = c.now
	c.env.Eventf("server %d is dropped: it has held up the log", slowest.id)
	c.lost(slowest)
	slowest.notBefore = c.now + c.cfg.SlowAfter
	c.env.Room()
}

// lost removes a peer from the confirmed set.
//
// A connection with outstanding WRITEs is not used again. The peer may grant this server another term,
// in which they would be executed late, and the ring space that they are read from may be reused.
func (c *Core) lost(p *peer) {
	for r := range p.rep {
		if l := &p.rep[r]; l.up && l.open() > 0 {
			l.reset()
			c.env.Reset(Path{Peer: p.id, Kind: Replication, Route: uint8(r)})
		}
	}
	p.withdraw()
	p.promotion = promotion{}
	p.live, p.inGroup, p.snapAsked = false, false, false
}

// lostPath handles the end of the connection on which a peer was written to.
func (c *Core) lostPath(p *peer) {
	switch c.role {
	case Candidate:
		p.withdraw()
		if slices.Contains(c.camp.voters, p) {
			c.giveUp("connection to server %d has ended", p.id)
		} else {
			c.ask(p)
		}
	case Leader:
		if p.live {
			c.env.Eventf("server %d is lost on route %d", p.id, p.route)
		}
		c.lost(p)
		c.ask(p)
		c.progress()
	}
}
