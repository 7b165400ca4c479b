package mu

import (
	"encoding/binary"
	"slices"
	"time"
)

// readRequests looks for permission requests of peers.
func (c *Core) readRequests() {
	if !c.recovered() {
		return // what it has promised before is not known yet
	}
	var all [MaxID + 1]bool
	c.cfg.Election.Access(func(b []byte) {
		for id := range all {
			if slot := b[offRequest+requestLen*id:]; string(slot[:requestLen]) != string(c.lastRequest[id][:]) {
				copy(c.lastRequest[id][:], slot)
				all[id] = true
			}
		}
	})
	c.lease.contested = false
	for id, changed := range all {
		if !changed || ID(id) == c.cfg.ID {
			continue
		}
		var r request
		if err := r.decode(c.lastRequest[id][:]); err != nil {
			continue // not complete yet; it changes again when it is
		}
		if r.cluster != c.cfg.Cluster || r.durable != c.cfg.Durable || r.term.Leader() != ID(id) {
			continue
		}
		switch c.requested(r) {
		case contests:
			c.lease.contested = true
			fallthrough
		case waits:
			clear(c.lastRequest[id][:]) // to be read again: a server that waits repeats the same bytes
		}
	}
}

// verdict is what a server makes of a permission request.
type verdict uint8

const (
	answered verdict = iota // the status block says what is promised
	waits                   // as long as this server follows another leader
	contests                // it would violate the leader's lease, which is not renewed while a server waits for its end
)

// requested answers a permission request.
func (c *Core) requested(r request) verdict {
	from := r.term.Leader()
	if r.term < c.promised || r.term == c.promised && r.seq <= c.grantedSeq {
		return answered
	}
	if len(c.members) > 0 && !hasMember(c.members, from) {
		// Perhaps this server does not know today's membership, or the other one does not know that it
		// was removed. A server that follows a leader stays with it. A leader that has removed itself
		// still has to tell others.
		if c.role == Leader || c.isMember() && c.follows() {
			return waits
		}
	}
	if r.term > c.promised {
		if from != c.promised.Leader() && c.leased() {
			return contests
		}
		if p := c.peer(from); p != nil && c.cfg.Durable && p.life != r.life {
			c.readStatus(p) // it may have gone back in time
			return contests
		}
		if c.role != Follower {
			c.stepDown("server %d asks for term %v", from, r.term)
		}
		if p := c.peer(from); p != nil && !p.alive {
			// A server that asks is alive. If this server thought otherwise, it would ask in turn.
			p.speaks()
			c.env.Eventf("server %d is alive: it asks for term %v", from, r.term)
		}
		c.promise(r.term)
		c.seen, c.seenIndex = c.emitted, c.emittedIndex
	}
	c.grantedSeq, c.leaderLife = r.seq, r.incarnation
	c.permission = Permission{Term: r.term, Route: r.route, MinGen: r.minGen}
	c.env.Permit(c.permission)
	// What an earlier life of this server held says nothing about this one.
	if r.full && c.state == Recovering && r.target == c.incarnation {
		c.becomeFull()
		c.env.Eventf("full member again, in term %v", r.term)
	}
	if r.snapshot && !c.fetching {
		c.fetch(from)
	}
	c.publish()
	return answered
}

func (c *Core) fetch(from ID) {
	c.fetching, c.fetchFrom = true, from
	c.env.Eventf("takes a snapshot from server %d", from)
	c.env.Fetch(from)
}

// Fetched ends what Env.Fetch has begun. ok says that the state machine's state is now that behind
// position and index. It supersedes everything that was given to Env.Apply before.
func (c *Core) Fetched(now time.Duration, ok bool, position, index uint64, members []Member) {
	c.now = now
	c.fetching = false
	if !ok || position <= c.head || position < c.emitted {
		return // emitted may be behind an unused rest of the ring, which is applied with the entry that follows it
	}
	c.head, c.headIndex, c.low = position, index, position
	c.emitted, c.emittedIndex, c.seen, c.seenIndex = position, index, position, index
	c.commit = max(c.commit, position)
	if len(members) > 0 {
		c.otherMembers(members)
		c.membersAt = position
	}
	c.publish()
	c.follow()
}

// follows reports whether the server that was given permission is alive, and still in the life and the
// term in which it asked. A later life has forgotten the term.
//
// A status that was read before the server asked has a lower term, and says nothing about the request. If the
// control path fails right after the request, the next status may take as long as the transport tries, while
// another path shows that the server is alive.
func (c *Core) follows() bool {
	l := c.peer(c.promised.Leader())
	if c.promised == 0 || l == nil || !l.alive || l.st.incarnation > c.leaderLife {
		return false
	}
	before := c.grantedSeq != 0 && l.stTerm < c.promised
	return l.st.promised == c.promised || before && l.st.promised < c.promised
}

// stranded fetches the state of a server that is further ahead, when this server has seen no leader
// for long. It, or the server that waits for it, may not know today's membership.
func (c *Core) stranded() {
	if !c.isMember() || c.follows() || c.fetching || c.failures < 2 && c.recovered() && c.shouldLead() {
		c.strandedAt = c.now
		return
	}
	if c.now-c.strandedAt < 10*c.cfg.RequestEvery {
		return
	}
	c.strandedAt = c.now
	var from *peer
	for _, p := range c.peers {
		// A server that was removed, and knows more, does not seem alive, but its status can be read.
		if p.st.head > c.head && c.now-p.stAt < c.cfg.RequestEvery && (from == nil || p.alive && !from.alive) {
			from = p
		}
	}
	if from != nil {
		c.fetch(from.id)
	}
}

// otherMembers puts a membership into use, and ends a campaign that began under another one.
func (c *Core) otherMembers(members []Member) {
	same := slices.EqualFunc(c.members, members, func(a, b Member) bool { return a.ID == b.ID })
	c.setMembers(members)
	if c.role == Candidate && !same {
		c.giveUp("the membership has changed")
	}
}

// Applied reports that the effects of everything that Env.Apply was given up to position can be read.
func (c *Core) Applied(now time.Duration, position, index uint64) {
	c.now = now
	c.beat()
	if position <= c.head || position > c.emitted {
		return
	}
	c.head, c.headIndex = position, index
	if c.role != Leader {
		c.follow()
	} else if members := c.lead.members; members != nil {
		if c.head >= c.membersAt {
			c.setMembers(members)
			c.lead.members = nil
			c.membersDecided()
		}
	} else {
		c.emit()
		if c.lead.blocked != 0 {
			c.env.Room()
		}
	}
	c.publish()
}

// Bounds of what Env.Apply was given and has not applied.
const (
	maxUnapplied      = 4096
	maxUnappliedBytes = 8 << 20
)

// follow processes what a leader has written.
func (c *Core) follow() {
	if c.role == Leader {
		return
	}
	c.cfg.Log.Access(func(region []byte) {
		c.commit = max(c.commit, binary.LittleEndian.Uint64(region[offCommit:]))
		for c.seen-c.head < c.geo.ring {
			e, ok := c.geo.at(region, c.seen)
			if !ok || e.index != c.seenIndex && e.term != 0 {
				return
			}
			if !e.skip && !e.members {
				c.seenIndex++
			}
			c.commit = max(c.commit, e.commit)
			c.seen += e.size
		}
	})
	c.journal()
	c.emit()
}

// emit gives decided entries to the state machine.
//
// The entry is copied, and the copy is checked, so nothing depends on who may be writing the log now.
func (c *Core) emit() {
	for c.emitted < c.commit && c.emittedIndex-c.headIndex < maxUnapplied && c.emitted-c.head < maxUnappliedBytes {
		var e entry
		var ok bool
		c.cfg.Log.Access(func(region []byte) {
			left := c.geo.left(c.emitted)
			if left < entryHeader {
				e, ok = c.geo.at(region, c.emitted)
				return
			}
			b := region[c.geo.slot(c.emitted):]
			n := uint64(binary.LittleEndian.Uint32(b[entryLength:]) & lengthMask)
			n = min(n+entryHeader, left, c.geo.maxEntry())
			c.scratch = append(c.scratch[:0], b[:n]...)
			e, ok, _ = c.geo.decode(c.scratch, c.emitted)
		})
		if !ok || e.term != 0 && e.index != c.emittedIndex || c.emitted+e.size > c.commit && !(e.skip && e.term == 0) {
			break
		}
		c.logEmitted(e)
		c.emitted += e.size
		switch {
		case e.skip:
			c.env.Apply(Decided{Index: c.emittedIndex, Position: c.emitted, Skip: true})
		case e.members:
			members, err := DecodeMembers(e.record)
			if err != nil {
				c.env.Eventf("membership at position %d cannot be read: %v", e.position, err)
				continue
			}
			c.membersAt = c.emitted
			c.env.Apply(Decided{Index: e.index, Position: c.emitted, Members: members})
			if c.role == Leader {
				c.lead.members, c.lead.toldTo = members, e.position
				return
			}
			c.otherMembers(members)
		default:
			c.emittedIndex++
			c.env.Apply(Decided{Index: e.index, Position: c.emitted, Record: e.record})
		}
	}
	if c.seen < c.emitted {
		c.seen, c.seenIndex = c.emitted, c.emittedIndex
	}
}
