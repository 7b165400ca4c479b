package mu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"
)

// Stored is what a server with Config.Durable has on disk.
type Stored struct {
	Full        bool // it was a full member, and its entries are in the log region
	Promised    Term
	Incarnation uint64
	Announced   [MaxID + 1]uint64 // incarnations that the other servers have announced to it
	Lease       time.Duration     // no longer lease was promised that may still run
}

// unjoined replaces resume for a server whose disk knows no membership: a leader had made it a full
// member before it had read that it is one, or its disk is a copy from that time. As far as it knows,
// what it holds has never counted. If it has gone back in time, it cannot see that others say so,
// because it does not know them. So it begins as a server that has forgotten, in another incarnation.
func (c *Core) unjoined(s Stored) {
	c.promised, c.maxTerm = s.Promised, s.Promised
	c.cfg.Incarnation = max(c.cfg.Incarnation, s.Incarnation+1)
	c.hasHeard(s)
}

// hasHeard continues with the incarnations that others have announced.
func (c *Core) hasHeard(s Stored) {
	c.announced = s.Announced
	c.cfg.Election.Access(func(b []byte) {
		for id, v := range s.Announced {
			binary.LittleEndian.PutUint64(b[offAnnounce+8*id:], v)
		}
	})
}

// resume continues with what is on disk: the memory was lost, but nothing that counts.
func (c *Core) resume(s Stored) {
	c.state, c.incarnation, c.recover.done = Full, s.Incarnation, true
	c.hasHeard(s)
	if c.promised, c.maxTerm = s.Promised, s.Promised; s.Promised.Leader() == c.cfg.ID {
		// It may have led in that term, and no longer does. Its followers must see that the term is
		// over.
		c.promise(s.Promised.next(c.cfg.ID))
	}
}

// carry continues with what is on disk without Config.Durable. None of it counts until all servers
// have it, just as the memory of a server that starts does not count. Then the leader finds in it what
// was decided while it was on disk.
func (c *Core) carry(s Stored) {
	if c.promised = s.Promised; c.promised.Leader() == c.cfg.ID {
		c.promised = s.Promised.next(c.cfg.ID)
	}
	c.maxTerm, c.carried = c.promised, true
}

// readAnnouncements brings the others' announcements to disk. The others wait for that: a vote of a
// life that is over must be detected even after the servers that know about it have restarted.
func (c *Core) readAnnouncements() {
	if !c.cfg.Durable || !c.recovered() {
		return
	}
	was := c.announced
	c.cfg.Election.Access(func(b []byte) {
		for id := range c.announced {
			slot := b[offAnnounce+8*id:]
			switch v := binary.LittleEndian.Uint64(slot); {
			case v > c.announced[id]:
				c.announced[id] = v
			case v < c.announced[id]:
				// A server that does not know yet that it has gone back in time has announced itself
				// again.
				binary.LittleEndian.PutUint64(slot, c.announced[id])
			}
		}
	})
	if c.announced != was {
		c.store()
		c.publish()
	}
}

// announcements is the checksum by which a status says which announcements are on disk.
// announcedOnDisk reports whether a status that was read with its announcements covers all of them.
func announcements(v *[MaxID + 1]uint64) uint64 {
	var b [announceLen]byte
	for id, v := range v {
		binary.LittleEndian.PutUint64(b[8*id:], v)
	}
	return uint64(crc32.Checksum(b[:], castagnoli))
}

func announcedOnDisk(s *status, block []byte) bool {
	return s.announced == uint64(crc32.Checksum(block[offAnnounce:offAnnounce+announceLen], castagnoli))
}

// promise makes a term the highest promised one. When it returns, everything that depends on this is
// done.
func (c *Core) promise(t Term) {
	c.endLease()
	c.promised, c.maxTerm = t, max(c.maxTerm, t)
	c.store()
	// Entries of another leader are looked at again: they count once this term's leader has rewritten
	// them.
	c.journaled, c.logged = c.emitted, c.emitted
}

// becomeFull makes this server a full member. What it has carried over is now in the memory of a
// majority, and is removed from disk, because it would no longer be the latest promise.
func (c *Core) becomeFull() {
	c.state = Full
	c.store()
	if c.carried {
		c.carried = false
		c.promiseStored(Stored{})
	}
}

func (c *Core) store() {
	if c.cfg.Durable {
		c.lease.stored = c.owed()
		c.promiseStored(Stored{
			Full: c.state == Full, Promised: c.promised, Incarnation: c.incarnation, Announced: c.announced, Lease: c.lease.stored,
		})
	}
}

func (c *Core) promiseStored(s Stored) {
	if !c.env.Promise(s) {
		c.silent = true
	}
}

// journal gives entries of the promised term to the disk, in order.
func (c *Core) journal() {
	if !c.cfg.Durable {
		return
	}
	c.journaled = max(c.journaled, c.head)
	c.logged = max(c.logged, c.head)
	from := c.journaled
	c.cfg.Log.Access(func(region []byte) {
		for c.journaled-c.head < c.geo.ring {
			e, ok := c.geo.at(region, c.journaled)
			if !ok || e.term != c.promised && e.term != 0 {
				return
			}
			if c.log(e, c.journaled); e.term == 0 && c.journaled == c.logged {
				c.logged += e.size
			}
			c.journaled += e.size
		}
	})
	if c.journaled != from {
		c.statusDirty = true
	}
}

// Logged is an entry that is to be on disk.
type Logged struct {
	Term     Term
	Position uint64 // of its first byte
	End      uint64 // position behind it
	Commit   uint64 // position up to which entries are known to be decided
	Bytes    []byte // valid during the call
}

// Replay rebuilds the log region of a server that starts, from the logged entries in their order. It
// gives decided entries that are not part of the state machine's state to Apply, before something else
// takes their place.
type Replay struct {
	Region   []byte // of the log, zeroed
	Position uint64 // of the state machine's state, and what has been applied since
	Index    uint64
	Apply    func(d Decided) error // the record is valid during the call

	commit uint64
}

// ErrJournal is wrapped by errors about what was logged.
var ErrJournal = errors.New("journal")

// Add takes the next entry.
func (r *Replay) Add(e Logged) error {
	geo, err := NewGeometry(len(r.Region))
	if err != nil {
		return err
	}
	if left := geo.left(e.Position); uint64(len(e.Bytes)) > min(left, geo.maxEntry()) {
		return fmt.Errorf("%w: %d bytes at position %d (the log has another size, or the journal is damaged)", ErrJournal, len(e.Bytes), e.Position)
	}
	got, ok, _ := geo.decode(e.Bytes, e.Position)
	if !ok || got.length() != uint64(len(e.Bytes)) {
		return fmt.Errorf("%w: no entry at position %d (it is damaged)", ErrJournal, e.Position)
	}
	// Entries after this one are not what is decided there until the journal brings them again.
	r.commit = max(r.commit, min(e.Commit, e.Position))
	if err := r.apply(geo); err != nil {
		return err
	}
	copy(r.Region[geo.slot(e.Position):], e.Bytes)
	r.commit = max(r.commit, min(e.Commit, e.End))
	return r.apply(geo)
}

// Rest also gives Apply the entries that are not known to be decided: those that follow each other and
// have no lower term than the entry before.
func (r *Replay) Rest() error {
	geo, err := NewGeometry(len(r.Region))
	if err != nil {
		return err
	}
	last := Term(0)
	for end := r.Position + geo.ring; r.Position < end; {
		e, ok := geo.at(r.Region, r.Position)
		if !ok || e.term != 0 && e.term < last {
			return nil
		}
		last = max(last, e.term)
		was := r.Position
		r.commit = was + e.size
		if err := r.apply(geo); err != nil || r.Position == was {
			return err
		}
	}
	return nil
}

func (r *Replay) apply(geo Geometry) error {
	for r.Position < r.commit {
		e, ok := geo.at(r.Region, r.Position)
		if !ok || e.term != 0 && e.index != r.Index || r.Position+e.size > r.commit {
			return nil
		}
		r.Position += e.size
		if e.skip {
			continue
		}
		d := Decided{Index: e.index, Position: r.Position, Record: e.record}
		if e.members {
			members, err := DecodeMembers(e.record)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrJournal, err)
			}
			d.Record, d.Members = nil, members
		} else {
			r.Index++
		}
		if err := r.Apply(d); err != nil {
			return err
		}
	}
	return nil
}

// logEmitted brings a decided and applied entry to disk that is not there yet, because the term of its
// leader is over or it was decided elsewhere. The entries after it must not be on disk without it, and
// what was in its place before must not be mistaken for it.
func (c *Core) logEmitted(e entry) {
	if !c.cfg.Durable || e.position < c.journaled {
		return
	}
	c.log(e, e.position)
	c.journaled = e.position + e.size
}

func (c *Core) log(e entry, pos uint64) {
	if e.term == 0 {
		return // no bytes
	}
	off := c.geo.slot(pos)
	c.env.Log(Logged{Term: e.term, Position: pos, End: pos + e.size, Commit: c.commit, Bytes: c.cfg.Log.Bytes()[off : off+e.length()]})
}

// Logged reports that every entry that Env.Log was given in a term is on disk, up to the one that ends
// at end.
func (c *Core) Logged(now time.Duration, term Term, end uint64) {
	c.now = now
	c.kept = max(c.kept, end)
	if term != c.promised || end <= c.logged {
		return
	}
	c.logged = end
	c.publish()
	if c.role == Leader {
		c.progress()
	}
}

// held is the position up to which a peer's copy of the log counts.
func (c *Core) held(p *peer) uint64 {
	switch {
	case !c.cfg.Durable:
		return p.acked
	case p.st.promised == c.promised:
		return p.st.logged
	}
	return 0
}

// onDisks is the position up to which a majority has the log on disk.
func (c *Core) onDisks() uint64 {
	var at [MaxServers + 1]uint64
	n := 0
	if c.isMember() {
		at[n] = c.logged
		n++
	}
	for _, p := range c.peers {
		if c.counts(p) {
			at[n] = c.held(p)
			n++
		}
	}
	if n < c.majority() {
		return 0
	}
	slices.Sort(at[:n])
	return at[n-c.majority()]
}
