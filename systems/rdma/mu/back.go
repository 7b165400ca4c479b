package mu

import "encoding/binary"

// A disk that was restored from an old copy has forgotten, and does not know it. Its peers may know:
// what a server reports about itself never goes down within one incarnation. A peer that sees it go
// down treats that incarnation as over, as if the server had announced another one. It says so where
// the others and the server itself read it.

// known is the most that a server with Config.Durable has reported about itself in one incarnation.
type known struct {
	incarnation uint64
	promised    Term
	kept        uint64
}

// wentBack reports whether a peer reported more earlier than it reports now.
func (c *Core) wentBack(p *peer, s *status) bool {
	p.life = s.life
	if !s.durable || s.state != Full {
		return false
	}
	k := &p.known
	if s.incarnation > k.incarnation {
		*k = known{incarnation: s.incarnation}
	}
	if s.incarnation < k.incarnation || s.promised < k.promised || s.kept < k.kept {
		return true
	}
	k.promised, k.kept = s.promised, s.kept
	return false
}

// accuse declares an incarnation of a peer to be over.
func (c *Core) accuse(p *peer, s *status) {
	p.life = 0 // and it is granted nothing
	if c.role != Follower {
		c.lost(p)
	}
	if c.ownVector(p.id) > s.incarnation {
		return
	}
	c.env.Eventf("server %d has gone back in time: it had promised term %v and had entries up to position %d on disk, and now reports term %v and position %d", p.id, p.known.promised, p.known.kept, s.promised, s.kept)
	c.cfg.Election.Access(func(b []byte) {
		binary.LittleEndian.PutUint64(b[offAnnounce+8*int(p.id):], max(p.known.incarnation, s.incarnation)+1)
	})
	c.readAnnouncements()
}

// accused checks what a peer says about this server's incarnation. If the incarnation is over, this
// server has forgotten what it promised after its disk was copied.
func (c *Core) accused(p *peer) {
	if !c.cfg.Durable || c.state != Full || p.vector[c.cfg.ID] <= c.incarnation {
		return
	}
	c.env.Eventf("has gone back in time: server %d knows more than this server's disk, which is an old copy. The grants of this server do not count until the leader has brought it up to date", p.id)
	switch c.role {
	case Candidate:
		c.giveUp("this server has forgotten")
	case Leader:
		c.stepDown("this server has forgotten")
	}
	// It follows nobody: what it knows about the membership may be old, too (stranded).
	c.grantedSeq, c.leaderLife = 0, 0
	c.state, c.incarnation, c.recover = Recovering, 0, recovery{latest: p.vector[c.cfg.ID]}
	for _, p := range c.peers {
		p.announced = announceNone
	}
	c.permission = Permission{Term: c.promised, None: true}
	c.env.Permit(c.permission)
	c.store()
	c.publish()
}
