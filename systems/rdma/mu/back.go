package mu

import "encoding/binary"

// A disk that was put back to what it was before, from a copy, has forgotten, and does not
// know. Its peers may: what a server says of itself never goes down within one incarnation.
// Who sees it go down takes that incarnation for over, as if the server had announced
// another one, and says so where others and the server itself read it.

// known is what a server with Config.Durable has said of itself, in one incarnation.
type known struct {
	incarnation uint64
	promised    Term
	kept        uint64
}

// wentBack reports whether a peer has said more before than it says now.
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

// accuse takes an incarnation of a peer for over.
func (c *Core) accuse(p *peer, s *status) {
	p.life = 0 // nor is it granted anything
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

// accused looks at what a peer says of this server's incarnation: if it is over, this server
// has forgotten what it promised since its disk was as it is.
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
	// It follows nobody: what it knows of the membership may be old, too (stranded).
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
