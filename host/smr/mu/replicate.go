package mu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// track is what a leader knows about one path that carries the log.
//
// Invariant: acked <= posted <= tail, and the far end holds every entry before acked.
type track struct {
	live   bool
	posted uint64 // position up to which the log has been posted
	acked  uint64 // position up to which it is held
	open   int    // operations with entries that are outstanding

	commitSent uint64
	commitOpen bool
	probed     uint64 // the last probe that it has acknowledged
}

// leadership is the state of a leader.
type leadership struct {
	mode     Mode
	since    time.Duration
	start    uint64 // tail at the beginning: what is before was adopted
	all      bool   // every member has granted
	tail     uint64
	index    uint64 // of the next record
	decided  uint64
	lastMove time.Duration // something was decided, or nothing was to decide
	idleFrom time.Duration
	ends     []uint64 // of the undecided entries, oldest first
	first    int
	blocked  time.Duration // since when the ring is full; 0 if it is not
	lastFree uint64
	skipAt   uint64 // the bytes from here to the end of that round need not be sent

	probe     uint64 // number of the last probe
	probeOpen bool
	probeAt   time.Duration
	probeOK   uint64 // highest that has succeeded
	wantProbe bool
	barriers  []barrier

	change   []Member // membership to propose at a quiet point
	quiesce  bool     // no proposals: a quiet point is awaited
	changed  bool     // a membership has been proposed
	handOver bool     // one without this server is decided

	groups
}

type barrier struct {
	id    uint64
	probe uint64
	until uint64 // position that must be decided
}

// Errors of calls that only a leader serves, or not at this moment.
var (
	ErrNotLeader = errors.New("not the leader")
	ErrRecord    = errors.New("record")
	ErrMembers   = errors.New("membership")
)

// becomeLeader begins a term whose log has been adopted.
func (c *Core) becomeLeader(from, tail, index uint64, adopted int) {
	c.role, c.failures = Leader, 0
	l := &c.lead
	*l = leadership{
		since: c.now, start: tail, all: c.camp.all, tail: tail, index: index, decided: from,
		lastMove: c.now, idleFrom: c.now, lastFree: c.head,
	}
	l.retry = c.cfg.RetryGroup
	l.nextTry = c.now
	c.env.Eventf("leads in term %v: log from %d to %d, %d entries adopted", c.promised, from, tail, adopted)
	c.commit = from
	if tail > from {
		l.ends = append(l.ends, tail)
	}
	if l.all && c.state == Recovering {
		c.state = Full
	}
	c.durable = 0
	c.publish()
	for _, p := range c.peers {
		if p.granted && p.read2 {
			c.startPeer(p)
		}
	}
	c.progress()
	c.updateDurable()
	c.env.Room()
}

// endLeadership forgets what only a leader has.
func (c *Core) endLeadership() {
	c.commit = max(c.commit, c.lead.decided)
	if (c.undecided() > 0 || len(c.lead.barriers) > 0) && c.cfg.Weak != WeakOthersValue {
		c.env.Deposed()
	}
	c.dropGroups()
	for _, p := range c.peers {
		c.lost(p)
		p.inGroup, p.direct = false, false
	}
	c.seen, c.seenIndex = c.emitted, c.emittedIndex
	c.lead = leadership{}
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

// lowWater is the position from which on this leader's log can be sent.
func (c *Core) lowWater() uint64 {
	return max(c.low, c.lead.tail-min(c.lead.tail, c.geo.ring))
}

// peerRead takes in a peer's head, state and permission.
func (c *Core) peerRead(p *peer) {
	if !p.live {
		if p.granted && p.read2 {
			c.startPeer(p)
		}
		return
	}
	p.full = p.full || p.st.state == Full
	p.fenced = p.st.minGen >= c.wantGen(p)
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
	if p.head < c.lowWater() || p.head > c.lead.tail {
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
	c.holds[p.id] = hold{} // its head keeps the ring now
	p.full = p.st.state == Full
	p.evidence, p.fullFrom, p.fullAsked = 0, 0, false
	switch {
	case p.full:
	case c.lead.all && p.voted == p.st.incarnation:
		// It took part in the adoption, and so did everybody else.
		p.fullFrom = max(c.lead.start, 1)
	default:
		p.evidence = c.lead.probe + 1
		if c.lead.probeOpen {
			p.evidence++
		}
		c.lead.wantProbe = true
	}
	p.inGroup, p.direct = false, c.lead.mode == Accelerated
	p.lagSince, p.lagHead = 0, p.head
	p.fenced = p.st.minGen >= c.wantGen(p)
	p.liveSince = c.now
	c.progress()
}

// counts reports whether what a peer holds counts.
func (c *Core) counts(p *peer) bool {
	return p.live && p.member && (p.full || c.cfg.Weak == WeakAmnesia)
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

func (c *Core) undecided() int { return len(c.lead.ends) - c.lead.first }

// free is the position below which the ring may be used again.
func (c *Core) free() uint64 {
	l := &c.lead
	if c.cfg.Weak == WeakRing {
		return l.decided
	}
	free := c.head
	counting := 0
	for _, p := range c.peers {
		if !p.live {
			continue
		}
		if c.counts(p) {
			counting++
		}
		free = min(free, p.head)
		if p.open > 0 {
			free = min(free, p.acked)
		}
		if p.st.minGen < l.minGen {
			free = min(free, l.fenceFloor)
		}
		if p.st.minGen < p.wantGen {
			free = min(free, p.floor)
		}
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

// Hold keeps the ring from a position on for a server that is taking a snapshot of
// that position from this one, until it is written to, or for a while.
func (c *Core) Hold(now time.Duration, id ID, position uint64) {
	c.now = now
	if c.peer(id) != nil && position >= c.head-min(c.head, c.geo.ring) {
		c.holds[id] = hold{position, now + 2*c.cfg.SlowAfter}
	}
}

// MaxRecord is the length of the longest record, in bytes.
func (c *Core) MaxRecord() int { return c.geo.MaxRecord() }

// Propose appends a record to the log. ok is false when there is no room at the
// moment: Env.Room says when to try again. The record is copied. The entry that
// Env.Apply gets with this index is the record, unless Env.Deposed comes before.
func (c *Core) Propose(now time.Duration, record []byte) (index uint64, ok bool, err error) {
	c.now = now
	l := &c.lead
	if c.role != Leader {
		return 0, false, ErrNotLeader
	}
	if len(record) > c.geo.MaxRecord() {
		return 0, false, fmt.Errorf("%w of %d bytes (this log takes up to %d)", ErrRecord, len(record), c.geo.MaxRecord())
	}
	if l.quiesce || l.changed || c.undecided() >= c.cfg.Window {
		return 0, false, nil
	}
	if !c.append(entry{record: record}) {
		return 0, false, nil
	}
	return l.index - 1, true, nil
}

// Flush posts what was proposed. It is called after a burst of proposals.
func (c *Core) Flush(now time.Duration) {
	c.now = now
	if c.role == Leader {
		c.progress()
	}
}

// append adds an entry if it fits.
func (c *Core) append(e entry) bool {
	l := &c.lead
	size := entrySize(len(e.record))
	skip := uint64(0)
	if left := c.geo.left(l.tail); size > left {
		skip = left
	}
	if l.tail+skip+size-c.free() > c.geo.ring {
		if l.blocked == 0 {
			l.blocked = max(c.now, 1)
		}
		return false
	}
	l.blocked = 0
	c.cfg.Log.Access(func(region []byte) {
		if skip >= entryHeader {
			s := entry{position: l.tail, index: l.index, commit: l.decided, term: c.promised, skip: true}
			off := c.geo.slot(l.tail)
			s.encode(region[off : off+entryHeader])
			l.skipAt = l.tail + entryHeader
		}
		l.tail += skip
		e.position, e.index, e.commit, e.term = l.tail, l.index, l.decided, c.promised
		off := c.geo.slot(l.tail)
		e.encode(region[off : off+size])
	})
	l.tail += size
	if !e.members {
		l.index++
	}
	if c.undecided() == 0 {
		l.lastMove = c.now
	}
	if l.first > 0 && len(l.ends) == cap(l.ends) {
		n := copy(l.ends, l.ends[l.first:])
		l.ends, l.first = l.ends[:n], 0
	}
	l.ends = append(l.ends, l.tail)
	return true
}

// progress posts what can be posted and decides what can be decided.
func (c *Core) progress() {
	c.postAll()
	before := c.lead.decided
	c.decide()
	if c.role != Leader {
		return
	}
	if c.lead.decided != before {
		c.postAll() // room in the window, commit positions
	}
}

func (c *Core) postAll() {
	l := &c.lead
	for _, p := range c.peers {
		if p.live && (l.mode == Direct || p.direct) {
			c.post(&p.track, p.link(Path{Kind: Replication, Route: p.route}), Path{Peer: p.id, Kind: Replication, Route: p.route}, p.commitBuf[:])
		}
	}
	if l.group.state == groupActive {
		c.post(&l.group.track, &l.group.link, Path{Kind: Group, Gen: l.group.gen}, l.group.commitBuf[:])
	}
	if l.wantProbe && !l.probeOpen || l.probeOpen && c.now-l.probeAt > c.cfg.RequestEvery {
		c.startProbe()
	}
}

// post posts what a path must carry.
func (c *Core) post(t *track, link *link, path Path, commitBuf []byte) {
	l := &c.lead
	if c.cfg.Weak == WeakCommitAhead && !t.commitOpen && t.commitSent < l.decided {
		t.commitOpen, t.commitSent = true, l.decided
		c.writeCommit(link, path, commitBuf, pending{opCommit, 0})
	}
	for t.posted < l.tail && t.open < c.cfg.Depth {
		left := c.geo.left(t.posted)
		if left < entryHeader {
			t.posted += left
			if t.open == 0 {
				t.acked = t.posted
			}
			continue
		}
		n := min(l.tail-t.posted, left, c.cfg.MaxWrite)
		skipped := uint64(0)
		if l.skipAt > t.posted && t.posted+n > l.skipAt && c.geo.left(l.skipAt) == left-(l.skipAt-t.posted) {
			n = l.skipAt - t.posted
			skipped = c.geo.left(l.skipAt)
		}
		off := c.geo.slot(t.posted)
		if t.posted < l.start {
			n, skipped = c.oneEntry(t.posted, n)
		}
		t.posted += n + skipped
		t.open++
		link.push(pending{opEntries, t.posted})
		c.env.Post(Op{Path: path, Region: LogRegion, Offset: off, Data: c.cfg.Log.Bytes()[off : off+n]})
	}
	idle := c.undecided() == 0 && (c.now-l.idleFrom >= c.cfg.IdleCommit || l.quiesce) || l.blocked != 0
	if idle && !t.commitOpen && t.commitSent < l.decided && t.posted >= l.decided {
		t.commitOpen, t.commitSent = true, l.decided
		c.writeCommit(link, path, commitBuf, pending{opCommit, 0})
	}
}

// oneEntry cuts a WRITE of up to n bytes at pos so that it carries one entry.
//
// What was there before this term may be the same record under another term, and
// somebody's vote for it. A WRITE that ends half-way must not destroy that: the
// header is in the first packet, and what follows is what was there.
func (c *Core) oneEntry(pos, n uint64) (bytes, skipped uint64) {
	e, ok := c.geo.at(c.cfg.Log.Bytes(), pos)
	switch {
	case !ok:
		return n, 0
	case e.skip:
		return entryHeader, e.size - entryHeader
	}
	return e.size, 0
}

// writeCommit writes the commit position. The buffer is free.
func (c *Core) writeCommit(link *link, path Path, buf []byte, why pending) {
	binary.LittleEndian.PutUint64(buf, c.lead.decided)
	link.push(why)
	c.env.Post(Op{Path: path, Region: LogRegion, Offset: offCommit, Data: buf[:commitLen]})
}

// wrote notes that a path has carried an operation. p is nil for the group's.
func (c *Core) wrote(p *peer, t *track, op pending) {
	switch op.kind {
	case opEntries:
		t.open--
		t.acked = max(t.acked, op.value)
	case opCommit:
		t.commitOpen = false
	case opProbe:
		t.probed = max(t.probed, op.value)
	}
}

// decide advances to what enough peers hold.
func (c *Core) decide() {
	l := &c.lead
	var at [MaxServers]uint64
	n := 0
	for _, p := range c.peers {
		if c.counts(p) {
			at[n] = p.acked
			n++
		}
	}
	need := c.need()
	held := uint64(0)
	switch {
	case need == 0:
		held = l.tail
	case n >= need:
		slices.Sort(at[:n])
		held = at[n-need]
	}
	if l.group.state == groupActive {
		held = max(held, l.group.acked)
	}
	if !c.isMember() {
		held = 0
	}
	if held > l.decided {
		l.decided = held
		c.commit = held
		l.lastMove, l.idleFrom = c.now, c.now
		room := c.undecided() >= c.cfg.Window || l.quiesce
		for c.undecided() > 0 && l.ends[l.first] <= held {
			l.first++
		}
		if l.first == len(l.ends) {
			l.ends, l.first = l.ends[:0], 0
		}
		c.emit()
		if c.role != Leader {
			return // a change of membership was decided
		}
		if room {
			c.env.Room()
		}
	}
	c.finishProbe()
}

// Barrier asks whether this server is still the leader: Env.Confirmed answers, or
// Env.Deposed.
func (c *Core) Barrier(now time.Duration, id uint64) error {
	c.now = now
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

// startProbe writes the commit position to all, to see who still takes it.
func (c *Core) startProbe() {
	l := &c.lead
	l.probe++
	l.wantProbe, l.probeOpen, l.probeAt = false, true, c.now
	// A probe may be repeated while an earlier one is outstanding, so its bytes are
	// its own.
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

// finishProbe sees whether a majority still follows.
func (c *Core) finishProbe() {
	l := &c.lead
	if l.probeOpen {
		n := 0
		for _, p := range c.peers {
			if c.counts(p) && p.probed == l.probe {
				n++
			}
		}
		if n >= c.need() || l.group.state == groupActive && l.group.probed == l.probe {
			l.probeOpen, l.probeOK = false, l.probe
			for _, p := range c.peers {
				if p.live && p.evidence != 0 && p.evidence <= l.probe {
					p.evidence, p.fullFrom = 0, max(l.tail, 1)
				}
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
		if p.live && !p.full && p.fullFrom != 0 && p.acked >= min(p.fullFrom, l.tail) && !p.fullAsked {
			p.fullAsked = true
			c.ask(p)
		}
	}
	if len(l.barriers) > 0 && !l.probeOpen && l.barriers[len(l.barriers)-1].probe > l.probe {
		l.wantProbe = true
	}
}

// leadStep is what a leader does by time.
func (c *Core) leadStep() {
	l := &c.lead
	confirmed := c.confirmed()
	if c.undecided() == 0 && confirmed >= c.need() {
		l.lastMove = c.now
	}
	if c.now-l.lastMove > c.cfg.StallAfter {
		// Fate sharing: who cannot lead does not stand in the way.
		c.muted = c.now + 40*c.cfg.HeartbeatEvery
		c.stepDown("nothing moves (%d peers of %d needed)", confirmed, c.need())
		return
	}
	if l.handOver {
		know := 0
		for _, p := range c.peers {
			if p.member && p.head >= l.decided {
				know++
			}
		}
		if know >= c.majority() {
			c.stepDown("removed from the membership")
			return
		}
	}
	for _, p := range c.peers {
		if p.st.promised > c.promised {
			if l.handOver && p.member {
				c.stepDown("removed from the membership")
				return
			}
			if p.alive && p.member && c.now-l.since > 4*c.cfg.HeartbeatEvery && c.shouldLead() {
				c.env.Eventf("server %d has promised term %v: asks again", p.id, p.st.promised)
				c.startCampaign()
				return
			}
			continue
		}
		stale := p.granted && !p.fenced && p.minGen < c.wantGen(p)
		if c.now >= p.notBefore && (!p.asked && (!p.live || !p.fenced || p.fullAsked && !p.full) || stale || p.asked && !p.granted && c.now-p.askAt > c.cfg.RequestEvery) {
			c.ask(p)
		}
	}
	c.dropSlow(confirmed)
	c.groupStep()
	c.memberStep()
	c.progress()
}

// dropSlow drops the peer that has held up a full log for too long, if enough
// others are left.
func (c *Core) dropSlow(confirmed int) {
	l := &c.lead
	if l.blocked == 0 || c.now-l.blocked < c.cfg.SlowAfter {
		return
	}
	var slowest *peer
	for _, p := range c.peers {
		if p.live && (slowest == nil || p.head < slowest.head) {
			slowest = p
		}
	}
	if slowest == nil || slowest.head >= c.head || c.counts(slowest) && confirmed <= c.need() {
		return
	}
	l.blocked = c.now
	c.env.Eventf("server %d is dropped: its head has held up the log", slowest.id)
	c.lost(slowest)
	slowest.notBefore = c.now + c.cfg.SlowAfter
	c.env.Room()
}

// lost takes a peer out of the confirmed set.
//
// A connection that has WRITEs outstanding is not used again: the peer may grant
// this server another term, in which they would be executed late, and the ring space
// that they are read from may be used for something else.
func (c *Core) lost(p *peer) {
	for r := range p.rep {
		if l := &p.rep[r]; l.up && l.open() > 0 {
			l.reset()
			c.env.Reset(Path{Peer: p.id, Kind: Replication, Route: uint8(r)})
		}
	}
	p.live, p.granted, p.read2, p.asked, p.full = false, false, false, false, false
	p.inGroup = false
	p.snapAsked, p.fullAsked, p.evidence, p.fullFrom = false, false, 0, 0
}

// lostPath handles the end of the connection by which a peer was written to.
func (c *Core) lostPath(p *peer) {
	switch c.role {
	case Candidate:
		p.asked, p.granted = false, false
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

// ChangeMembership replaces the membership by one that has one server more or less.
// A server that is added must have been a learner and caught up (AddLearner).
func (c *Core) ChangeMembership(now time.Duration, members []Member) error {
	c.now = now
	l := &c.lead
	switch {
	case c.role != Leader:
		return ErrNotLeader
	case l.change != nil || l.changed:
		return fmt.Errorf("%w: another change is under way", ErrMembers)
	case !oneChange(c.members, members):
		return fmt.Errorf("%w: one server at a time is added or removed", ErrMembers)
	}
	if err := CheckMembers(members); err != nil {
		return fmt.Errorf("%w: %w", ErrMembers, err)
	}
	for _, m := range members {
		if !hasMember(c.members, m.ID) {
			if p := c.peer(m.ID); p == nil || !p.live || !p.full {
				return fmt.Errorf("%w: server %d has not caught up yet", ErrMembers, m.ID)
			}
		}
	}
	if n := len(EncodeMembers(members)); n > c.geo.MaxRecord() {
		return fmt.Errorf("%w: %d bytes do not fit into the log (up to %d)", ErrMembers, n, c.geo.MaxRecord())
	}
	l.change = slices.Clone(members)
	l.quiesce = true
	c.memberStep()
	return nil
}

// AddLearner brings a server up to date that is not a member yet; nil ends that.
func (c *Core) AddLearner(now time.Duration, m *Member) error {
	c.now = now
	if c.role != Leader {
		return ErrNotLeader
	}
	if m != nil {
		if err := CheckMembers(append(slices.Clone(c.members), *m)); err != nil {
			return fmt.Errorf("%w: %w", ErrMembers, err)
		}
	}
	c.learner = m
	c.connect()
	return nil
}

// CaughtUp reports whether a server may be made a member.
func (c *Core) CaughtUp(id ID) bool {
	p := c.peer(id)
	return c.role == Leader && p != nil && p.live && p.full
}

// memberStep proposes a change of membership when nothing is undecided.
func (c *Core) memberStep() {
	l := &c.lead
	if l.change == nil || c.undecided() > 0 || l.decided < l.start {
		return
	}
	if c.append(entry{record: EncodeMembers(l.change), members: true}) {
		l.change, l.changed = nil, true
		c.progress()
	}
}

// membersDecided goes on under a new membership: in a new term, because every term
// has one.
func (c *Core) membersDecided() {
	c.env.Eventf("membership of %d servers", len(c.members))
	if c.isMember() {
		c.startCampaign()
		return
	}
	// The others do not know yet that this is decided, and under the membership that
	// they know they would wait for this server, or need it.
	c.lead.handOver = true
}
