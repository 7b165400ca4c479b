package mu

import (
	"encoding/binary"
	"slices"
	"time"
)

// campaign is the slow path: a candidate's way to leadership.
type campaign struct {
	stage   stage
	started time.Duration
	voters  []*peer
	all     bool   // every member has granted, so states do not matter
	from    uint64 // adoption begins here: everything before was applied somewhere
	want    uint64 // logs are read up to here
	source  *peer  // the peer whose log has what this server lacks
}

type stage uint8

const (
	gathering   stage = iota // of permissions
	catchingUp               // reading decided entries that this server lacks
	reading                  // the logs of the voters
	waitApplied              // for room in this server's log
)

// considerCampaign starts a campaign if this server should lead.
func (c *Core) considerCampaign() {
	if !c.isMember() || !c.recovered() || c.now < c.muted || c.now < c.backoff || c.fetching || c.leased() {
		return
	}
	if !c.shouldLead() && !c.overdue() {
		return
	}
	c.startCampaign()
}

// overdue reports whether this server has followed nobody for too long. The server that it waits for
// is alive, but cannot reach a majority, as happens when the network is partly broken. Among the
// servers that could lead, each waits longer than those with lower ids.
func (c *Core) overdue() bool {
	if c.follows() || c.state != Full || c.ledAt == 0 {
		c.ledAt = c.now
		return false
	}
	full, before := 1, time.Duration(0)
	for _, p := range c.peers {
		if p.member && p.alive && p.st.state == Full {
			full++
			if p.id < c.cfg.ID {
				before++
			}
		}
	}
	if full < c.majority() {
		c.ledAt = c.now
	}
	return c.now-c.ledAt >= (1+before)*10*c.cfg.RequestEvery
}

// shouldLead reports whether this server has the lowest id of the live servers that have their memory.
// If all have lost it, the lowest of all live servers should lead.
func (c *Core) shouldLead() bool {
	if p := c.peer(c.promised.Leader()); c.promised != 0 && p != nil && p.alive && p.id < c.cfg.ID && p.st.incarnation <= c.leaderLife {
		// It leads, or is about to. A status of an earlier life was read before it asked. A status of
		// a later life shows that it has forgotten.
		return false
	}
	alive, full := 1, 0
	lowestFull, lowest := -1, int(c.cfg.ID)
	if c.state == Full {
		full, lowestFull = 1, int(c.cfg.ID)
	}
	for _, p := range c.peers {
		if !p.member || !p.alive {
			continue
		}
		alive++
		lowest = min(lowest, int(p.id))
		if p.st.state == Full {
			full++
			if lowestFull < 0 || int(p.id) < lowestFull {
				lowestFull = int(p.id)
			}
		}
	}
	if lowestFull >= 0 {
		lowest = lowestFull
	}
	return lowest == int(c.cfg.ID) && (full >= c.majority() || alive == len(c.members))
}

func (c *Core) startCampaign() {
	if c.head < c.membersAt {
		if c.role == Leader {
			c.stepDown("the membership is not on its disk yet")
		}
		return // considerCampaign tries again
	}
	if c.role == Leader {
		c.endLeadership()
	}
	c.role, c.ledAt = Candidate, c.now
	term := max(c.maxTerm, c.promised).next(c.cfg.ID)
	c.promise(term)
	c.grantedSeq = 0
	c.permission = Permission{Term: term, None: true}
	c.env.Permit(c.permission)
	c.camp = campaign{started: c.now}
	c.env.Eventf("asks for term %v", term)
	c.publish()
	for _, p := range c.peers {
		c.lost(p)
		p.leave()
		p.logBuf = nil
		p.wantGen, p.floor = 0, 0
		c.ask(p)
	}
	c.campaignStep()
}

// ask requests permission from a peer, or repeats the request with news.
func (c *Core) ask(p *peer) {
	route, ok := p.replication()
	if !ok {
		p.asked = false
		return
	}
	if route != p.route {
		p.live = false // a new path starts from the beginning
	}
	p.route = route
	if g := &c.lead.group; g.state == groupActive && g.has(p) && (p.direct || !p.live) && p.wantGen <= g.gen {
		// It continues on its own path. What the group has for it may be on its way.
		p.wantGen, p.floor = g.gen+1, p.head
	}
	waits := p.begin(c.now, c.wantGen(p))
	r := request{
		cluster: c.cfg.Cluster, term: c.promised, incarnation: c.incarnation, target: p.st.incarnation, route: route, minGen: p.minGen,
		snapshot: p.snapAsked, full: p.fullAsked, durable: c.cfg.Durable, life: c.cfg.Life,
	}
	r.seq = p.seq
	if !waits || r != p.request {
		// A repeated request is identical, because the answer to the earlier one may take longer than
		// the repetition interval.
		c.reqSeq++
		r.seq = c.reqSeq
	}
	p.seq, p.request = r.seq, r
	buf := make([]byte, requestLen)
	r.encode(buf)
	if !c.postControl(p, opRequest, p.seq, false, ElectionRegion, offRequest+requestLen*uint64(c.cfg.ID), buf) {
		p.asked = false
	}
}

// answered processes a peer's status while this server wants its permission.
func (c *Core) answered(p *peer) {
	if p.st.promised > c.promised {
		if c.role == Candidate {
			c.giveUp("server %d has promised term %v", p.id, p.st.promised)
		} else if p.live {
			// What it has applied since then may come from another leader.
			c.lost(p)
		}
		return
	}
	if !p.asked {
		return
	}
	if p.st.promised != c.promised || p.st.seq != p.seq {
		if p.granted {
			// It has forgotten: it has restarted since.
			c.lost(p)
			if c.role == Candidate {
				c.giveUp("server %d has started again", p.id)
			}
			return
		}
		if c.now-p.askAt < c.cfg.RequestEvery/4 {
			c.readStatus(p)
		}
		return
	}
	if !p.granted {
		// Head, state and incarnations must be those after the grant.
		p.granted = true
		c.readStatus(p)
		return
	}
	if !p.read2 {
		p.read2 = true
		p.head = p.st.head
		if c.role == Candidate {
			c.campaignStep()
			return
		}
	}
	p.head = p.st.head
	if c.role == Leader {
		c.peerRead(p)
	}
}

func (c *Core) ownVector(id ID) (v uint64) {
	c.cfg.Election.Access(func(b []byte) { v = binary.LittleEndian.Uint64(b[offAnnounce+8*int(id):]) })
	return max(v, c.announced[id])
}

// vote reports whether a peer's grant would count if the peer were a full member.
func (c *Core) vote(p *peer) bool { return p.member && c.grants(p) }

// grants reports whether a peer has granted, in an incarnation that is not known to be over.
func (c *Core) grants(p *peer) bool {
	if !p.given() {
		return false
	}
	for _, o := range c.peers {
		if o.member && o.given() && o.vector[p.id] > p.st.incarnation {
			return false
		}
	}
	return c.ownVector(p.id) <= p.st.incarnation
}

// giveUp ends a campaign, for a while.
func (c *Core) giveUp(format string, args ...any) {
	c.env.Eventf("abandons term "+c.promised.String()+": "+format, args...)
	c.role = Follower
	c.failures = min(c.failures+1, 6)
	// Two candidates must not keep blocking each other.
	c.backoff = c.now + c.cfg.HeartbeatEvery*(1<<c.failures)/2 + c.cfg.HeartbeatEvery*(1+2*time.Duration(c.cfg.ID))/2
	for _, p := range c.peers {
		c.lost(p)
	}
}

func (c *Core) campaignStep() {
	k := &c.camp
	switch k.stage {
	case gathering:
		c.gather()
	case catchingUp:
		c.catchUp()
	case reading:
		c.readLogs()
	case waitApplied:
		c.adopt()
	}
}

// gather waits for permissions.
func (c *Core) gather() {
	k := &c.camp
	full, all := 0, 1
	if c.state == Full {
		full++
	}
	for _, p := range c.peers {
		if c.vote(p) {
			all++
			if p.st.state == Full {
				full++
			}
		}
	}
	switch {
	case full >= c.majority():
	case all == len(c.members) && (c.also == nil || c.grants(c.peer(c.also.ID)) || c.now-k.started > 5*c.cfg.RequestEvery):
		k.all = true
	default:
		if c.now-k.started > 10*c.cfg.RequestEvery {
			c.giveUp("%d of %d permissions", full, c.majority())
			return
		}
		for _, p := range c.peers {
			switch {
			case !p.member && !c.isAlso(p):
			case !p.asked || p.unanswered(c.now, c.cfg.RequestEvery):
				c.ask(p)
			case !p.granted && p.read != readOpen:
				c.readStatus(p) // it has not answered at once
			}
		}
		return
	}
	k.voters = k.voters[:0]
	k.from = c.emitted
	for _, p := range c.peers {
		if c.vote(p) && (k.all || p.st.state == Full) || k.all && c.isAlso(p) && c.grants(p) {
			k.voters = append(k.voters, p)
			p.voted = p.st.incarnation
			if p.head > k.from {
				k.from, k.source = p.head, p
			}
		}
	}
	k.stage = catchingUp
	c.catchUp()
}

// catchUp fetches the decided entries that this server lacks.
func (c *Core) catchUp() {
	k := &c.camp
	if c.fetching {
		return
	}
	c.emit()
	if c.role != Candidate {
		return
	}
	if c.emitted >= k.from {
		k.from = c.emitted
		k.want = k.from + min(c.geo.ring, firstRead)
		k.stage = reading
		c.readLogs()
		return
	}
	p := k.source
	switch {
	case p.logBuf == nil:
		if k.from-c.emitted > c.geo.ring {
			c.fetch(p.id)
			return
		}
		c.readLog(p, c.emitted, k.from)
	case p.logOpen == 0:
		if !c.takeDecided(p.logBuf, c.emitted, k.from) {
			// Its ring has moved on.
			p.logBuf = nil
			c.fetch(p.id)
			return
		}
		p.logBuf = nil
		c.commit = max(c.commit, k.from)
		c.emit()
		// If there is more than can be applied at once, the rest follows.
	}
}

// takeDecided copies decided entries into this server's log.
func (c *Core) takeDecided(buf []byte, pos, end uint64) bool {
	if end-c.head > c.geo.ring {
		return false
	}
	for at := pos; at < end; {
		left := c.geo.left(at)
		if left < entryHeader {
			at += left
			continue
		}
		e, ok, _ := c.geo.decode(buf[at-pos:], at)
		if !ok {
			return false
		}
		at += e.size
	}
	c.cfg.Log.Access(func(region []byte) {
		for at := pos; at < end; {
			n := min(c.geo.left(at), end-at)
			copy(region[c.geo.slot(at):c.geo.slot(at)+n], buf[at-pos:])
			at += n
		}
	})
	return true
}

// readLog READs the range of a peer's log into p.logBuf.
func (c *Core) readLog(p *peer, from, to uint64) {
	p.logBuf = make([]byte, to-from)
	p.logOpen = 0
	for at := from; at < to; {
		n := min(c.geo.left(at), to-at)
		if !c.postControl(p, opLog, 0, true, LogRegion, c.geo.slot(at), p.logBuf[at-from:at-from+n]) {
			c.giveUp("server %d cannot be read", p.id)
			return
		}
		p.logOpen++
		at += n
	}
	// The check follows on the same connection: a server that was granted permission meanwhile may
	// have been writing while the log was read.
	p.logOpen++
	c.postControl(p, opCheck, 0, true, ElectionRegion, 0, p.check[:])
}

// checked finds out whether a peer has stayed with this candidate while its log was read.
func (c *Core) checked(p *peer) {
	var s status
	if err := s.decode(p.check[:]); err != nil {
		p.logOpen++
		c.postControl(p, opCheck, 0, true, ElectionRegion, 0, p.check[:])
		return
	}
	if s.promised != c.promised || s.seq != p.seq || s.incarnation != p.st.incarnation {
		c.maxTerm = max(c.maxTerm, s.promised)
		c.giveUp("the status of server %d has changed", p.id)
	}
}

// firstRead is how many bytes of the voters' logs are READ first: usually more than is undecided. If
// there is more, or a longer entry, the next READ is longer.
const firstRead = 16 << 10

// readLogs READs the voters' logs.
func (c *Core) readLogs() {
	k := &c.camp
	open := false
	for _, p := range k.voters {
		if uint64(len(p.logBuf)) != k.want-k.from {
			c.readLog(p, k.from, k.want)
			if c.role != Candidate {
				return
			}
		}
		open = open || p.logOpen > 0
	}
	if !open {
		c.adopt()
	}
}

// adopt takes over, into this term, what may have been decided.
func (c *Core) adopt() {
	k := &c.camp
	// What is decided must have been given to the state machine first. It is overwritten by the same
	// records, but membership matters.
	c.emit()
	if c.role != Candidate || c.emitted < k.from {
		return // a later step continues
	}
	// More may be decided than was known when the campaign began to read: any step looks at what the
	// last leader wrote.
	from := c.emitted
	region := c.cfg.Log.Bytes()
	pos, index := from, c.emittedIndex
	tail := pos
	logs := make([][]byte, 0, len(k.voters)+1)
	for _, p := range k.voters {
		logs = append(logs, p.logBuf)
	}
	type adopted struct {
		entry
		at uint64
	}
	var log []adopted
	for {
		at := pos
		if left := c.geo.left(at); left < entryHeader {
			at += left
		}
		var best entry
		found := false
		consider := func(e entry) {
			if e.index == index && (!found || e.term > best.term) {
				best, found = e, true
			}
		}
		if at-c.head < c.geo.ring {
			if e, ok := c.geo.at(region, at); ok && e.term != 0 {
				consider(e)
			}
		}
		for _, buf := range logs {
			var e entry
			ok, more := false, true // a skip may end behind what was read
			if at-k.from <= uint64(len(buf)) {
				e, ok, more = c.geo.decode(buf[at-k.from:], at)
			}
			if more && k.want-k.from < c.geo.ring {
				k.want = k.from + min(c.geo.ring, 4*(k.want-k.from))
				k.stage = reading
				c.readLogs()
				return
			}
			if ok {
				consider(e)
			}
		}
		if !found {
			break
		}
		if at+best.size-c.head > c.geo.ring {
			k.stage = waitApplied
			return
		}
		best.record = append([]byte(nil), best.record...)
		log = append(log, adopted{best, at})
		pos = at + best.size
		tail = pos
		if best.members {
			break // what follows belongs to another membership
		}
		if !best.skip {
			index++
		}
	}
	if k.all && !c.remember() && len(log) > 0 && log[len(log)-1].members && !c.allOf(log[len(log)-1].record) {
		c.askAlso(log[len(log)-1].record)
		c.giveUp("unknown servers may be members today, and know what the servers that have forgotten do not")
		return
	}
	c.cfg.Log.Access(func(region []byte) {
		for _, e := range log {
			e.term, e.commit = c.promised, from
			off := c.geo.slot(e.at)
			e.encode(region[off : off+min(c.geo.left(e.at), max(entryHeader, entrySize(len(e.record))))])
		}
	})
	for _, p := range c.peers {
		p.logBuf = nil
	}
	changed := len(log) > 0 && log[len(log)-1].members
	c.becomeLeader(from, tail, index, len(log), changed)
}

// remember reports whether the logs of this server and of all voters contain everything that was
// decided with them. A server that carries its journal over has it in its log. A server that led
// meanwhile without a journal is either full, or has forgotten.
func (c *Core) remember() bool {
	return (c.state == Full || c.carried) && !slices.ContainsFunc(c.camp.voters, func(p *peer) bool { return p.st.state != Full && !p.st.carries })
}

// askAlso makes the next campaign also ask a server that a membership adds, because that membership
// may be decided.
func (c *Core) askAlso(record []byte) {
	members, err := DecodeMembers(record)
	if err != nil {
		return
	}
	for _, m := range members {
		if !hasMember(c.members, m.ID) {
			c.also = &m
			c.connect()
		}
	}
}

func (c *Core) isAlso(p *peer) bool { return c.also != nil && p.id == c.also.ID }

// allOf reports whether a membership consists of voters and this server only. A campaign that includes
// servers which have forgotten everything may lead only if all members answer. It must not lead if
// there may be other members: a membership that is not known to be decided may be decided, and more
// may have been decided under it since.
func (c *Core) allOf(record []byte) bool {
	members, err := DecodeMembers(record)
	if err != nil {
		return false
	}
	for _, m := range members {
		if m.ID != c.cfg.ID && !slices.ContainsFunc(c.camp.voters, func(p *peer) bool { return p.id == m.ID }) {
			return false
		}
	}
	return true
}
