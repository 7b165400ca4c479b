package mu

import (
	"slices"
	"time"
)

// A lease lets a leader answer reads without asking anybody (Gray and Cheriton, "Leases",
// SOSP 1989). Who follows it and reads its heartbeat promises to let nobody else lead for
// Config.Lease, and says in its status block which heartbeat that was. The leader knows
// when it raised its heartbeat to that: while the promises of a majority last, counted
// from then, nobody else can have become the leader.
//
// The one thing that this takes from clocks is that two of them, over the length of a
// lease, do not differ by more than one part in leaseMargin. They need not agree, and
// servers may stand still for as long as they like: who goes on looks at its clock first.
// But a clock that stands still with its machine (a virtual machine that is paused, a
// suspended one) breaks the assumption.
const leaseMargin = 16

// beats is how many of its own heartbeats a server knows the times of.
const beats = 64

// lease is what a server knows of leases.
type lease struct {
	// What it has promised: nobody but promised's leader gets another term before until.
	until     time.Duration
	begun     bool          // until covers what an earlier life may have promised
	past      time.Duration // when that is over
	stored    time.Duration // Stored.Lease, on disk
	seen      uint64        // the leader's heartbeat that it was for; 0: none in this term
	contested bool          // somebody waits for it to end: it is not renewed

	// When it raised its own heartbeat, by number.
	raised [beats]time.Duration
	told   time.Duration // what Env.Leased was told last
}

// beginLease waits out what an earlier life of this server has promised, for as long as it
// has: today's setting may be another one.
func (c *Core) beginLease() {
	if l := &c.lease; !l.begun {
		l.until = c.now + c.owed()
		l.begun, l.past = true, l.until
	}
}

// owed is the longest lease that this server promises, or has promised in an earlier life
// and may not be over.
func (c *Core) owed() time.Duration {
	if l := &c.lease; !l.begun || c.now < l.past {
		return max(c.cfg.Lease, l.stored)
	}
	return c.cfg.Lease
}

// renewLease promises the leader a lease, when its status was read. Who has given its
// term up gets none: it waits for others to lead, who would wait for its lease to end.
func (c *Core) renewLease(p *peer, s *status) {
	l := &c.lease
	if c.cfg.Lease == 0 || l.contested || c.role != Follower || p.id != c.promised.Leader() ||
		s.incarnation != c.leaderLife || s.idle || s.heartbeat <= l.seen {
		return
	}
	if c.cfg.Durable && l.stored < c.cfg.Lease {
		c.store() // before the promise
	}
	l.seen, l.until = s.heartbeat, max(l.until, c.now+c.cfg.Lease)
	c.publish()
}

// leased reports whether this server has promised to let nobody but the leader lead who
// has its permission now. A server that is recovering has nothing to give away; and a
// leader that has promised another term, or has started again, uses no lease any more.
func (c *Core) leased() bool {
	holder := c.promised.Leader()
	if c.now >= c.lease.until || c.state != Full || holder == c.cfg.ID {
		return false
	}
	if p := c.peer(holder); p != nil && c.leaderLife != 0 {
		if p.st.incarnation > c.leaderLife || p.st.incarnation == c.leaderLife && p.st.promised > c.promised {
			return false
		}
	}
	return true
}

// endLease ends a leader's own lease, before it promises another term.
func (c *Core) endLease() {
	c.lease.seen = 0
	c.tellLease(0)
}

func (c *Core) tellLease(until time.Duration) {
	if c.lease.told != until {
		c.lease.told = until
		c.env.Leased(until)
	}
}

// leaseStep works out how long this server may answer reads as the leader. A promise that
// a peer has made in another term of this server's is as good as one of this term.
func (c *Core) leaseStep() {
	if c.cfg.Lease == 0 {
		return
	}
	l := &c.lead
	// What was reported before this term must have been applied here.
	ready := l.decided >= l.start && c.head >= l.start
	if c.role != Leader || !c.isMember() || !ready {
		c.tellLease(0)
		return
	}
	var ends [MaxServers]time.Duration
	n := 0
	for _, p := range c.peers {
		if !c.counts(p) || p.st.leased == 0 || c.heartbeat-p.st.leased >= beats {
			continue
		}
		ends[n] = c.lease.raised[p.st.leased%beats] + p.st.lease - (p.st.lease/leaseMargin + 1)
		n++
	}
	need := c.need()
	switch {
	case need == 0:
		c.tellLease(c.now + c.cfg.Lease) // nobody else can lead
	case n < need:
		c.tellLease(0)
	default:
		slices.Sort(ends[:n])
		c.tellLease(ends[n-need])
	}
}
