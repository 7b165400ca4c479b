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
			clear(c.lastRequest[id][:]) // to be read again: who waits repeats the same bytes
		}
	}
}

// verdict is what a server makes of a permission request.
type verdict uint8

const (
	answered verdict = iota // the status block says what is promised
	waits                   // as long as this server follows another leader
	contests                // the leader's lease, which is not renewed while somebody waits for its end
)

// requested answers a permission request.
func (c *Core) requested(r request) verdict {
	from := r.term.Leader()
	if r.term < c.promised || r.term == c.promised && r.seq <= c.grantedSeq {
		return answered
	}
	if len(c.members) > 0 && !hasMember(c.members, from) {
		// Perhaps this server does not know the membership of today; or the other one
		// does not know that it was removed. Who follows a leader stays with it; and a leader
		// that has removed itself has others to tell.
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
			// Who asks lives. If this server did not think so it would ask in turn.
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

// Fetched ends what Env.Fetch has begun. ok says that the state machine's state is
// now that behind position and index; everything that was given to Env.Apply before
// has been superseded.
func (c *Core) Fetched(now time.Duration, ok bool, position, index uint64, members []Member) {
	c.now = now
	c.fetching = false
	if !ok || position <= c.head || position < c.emitted {
		return // what ends at emitted may be bytes that nothing is in, which are applied with what comes behind
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

// follows reports whether the server that was given permission lives, and is still in
// the life and the term in which it asked: one of a later life has forgotten that.
func (c *Core) follows() bool {
	l := c.peer(c.promised.Leader())
	return c.promised != 0 && l != nil && l.alive && l.st.promised == c.promised && l.st.incarnation <= c.leaderLife
}

// stranded takes the state of a server that has got further, when this one has seen
// no leader for long: perhaps it, or who waits for it, does not know the membership of
// today.
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
		// One that was removed, and knows more, does not seem to live, but its status can be read.
		if p.st.head > c.head && c.now-p.stAt < c.cfg.RequestEvery && (from == nil || p.alive && !from.alive) {
			from = p
		}
	}
	if from != nil {
		c.fetch(from.id)
	}
}

// otherMembers takes a membership into use, and ends a campaign that was begun under
// another one.
func (c *Core) otherMembers(members []Member) {
	same := slices.EqualFunc(c.members, members, func(a, b Member) bool { return a.ID == b.ID })
	c.setMembers(members)
	if c.role == Candidate && !same {
		c.giveUp("the membership has changed")
	}
}

// Applied says that the effects of everything that was given to Env.Apply up to
// position can be read.
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

// Bounds of what has been given to Env.Apply and is not applied.
const (
	maxUnapplied      = 4096
	maxUnappliedBytes = 8 << 20
)

// follow takes in what a leader has written.
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
// The entry is copied, and the copy checked, so that nothing depends on who might
// write the log at this moment.
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
