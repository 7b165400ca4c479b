package mu

import (
	"encoding/binary"
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

// restart sets both positions to what the far end certainly holds.
func (t *track) restart(pos uint64) { t.posted, t.acked = pos, pos }

func (c *Core) undecided() int { return len(c.lead.ends) - c.lead.first }

// MaxRecord is the length of the longest record, in bytes.
func (c *Core) MaxRecord() int { return c.geo.MaxRecord() }

// Propose appends a record to the log. ok is false when there is no room at the moment; Env.Room says
// when to try again. The record is copied. The entry that Env.Apply gets with this index is the
// record, unless Env.SteppedDown is called first.
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

// Flush posts what was proposed. Call it after a burst of proposals.
func (c *Core) Flush(now time.Duration) {
	c.now = now
	c.beat()
	if c.role == Leader {
		c.progress()
	}
}

// append adds an entry if it fits.
func (c *Core) append(e entry) bool {
	l := &c.lead
	skip, size := c.geo.Cost(l.tail, len(e.record))
	if l.tail+skip+size-c.free() > c.geo.ring {
		if l.blocked == 0 {
			l.blocked = max(c.now, 1)
		}
		return false
	}
	l.blocked = 0
	e.position, e.index, e.commit, e.term = l.tail, l.index, l.decided, c.promised
	c.cfg.Log.Access(func(region []byte) {
		if c.geo.put(region, &e) {
			l.skipAt = l.tail + entryHeader
		}
	})
	l.tail += skip + size
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
	c.journal()
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
	told := c.told()
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
	if idle && !t.commitOpen && t.commitSent < told && t.posted >= told {
		t.commitOpen, t.commitSent = true, told
		c.writeCommit(link, path, commitBuf, pending{opCommit, 0})
	}
}

// told is the position up to which the others are told that the log is decided. They learn about a
// membership only when it is on this server's disk. So if any server has it on disk when all lose
// power, a server has it that was needed under the previous membership.
func (c *Core) told() uint64 {
	if c.lead.members != nil {
		return c.lead.toldTo
	}
	return c.lead.decided
}

// oneEntry cuts a WRITE of up to n bytes at pos so that it carries one entry.
//
// The log may have held the same record under another term there, as a vote for it. A WRITE that ends
// half-way must not destroy that vote: the header is in the first packet, and what follows is what was
// there before.
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

// writeCommit writes the commit position. The buffer is not in use.
func (c *Core) writeCommit(link *link, path Path, buf []byte, why pending) {
	binary.LittleEndian.PutUint64(buf, c.told())
	link.push(why)
	c.env.Post(Op{Path: path, Region: LogRegion, Offset: offCommit, Data: buf[:commitLen]})
}

// wrote notes that a path has carried an operation. p is nil for the group's path.
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
			at[n] = c.held(p)
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
	if c.cfg.Durable {
		held = c.onDisks()
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
	if c.state == Recovering && l.decided >= l.start {
		// A majority of full members without this server has granted its term, and it holds what was
		// decided with them.
		c.becomeFull()
		c.env.Eventf("full member again, as the leader of term %v", c.promised)
		c.publish()
	}
	c.finishProbe()
}
