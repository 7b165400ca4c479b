package mu

import (
	"slices"
	"time"
)

// A lease lets a leader answer reads without asking anyone (Gray and Cheriton, "Leases", SOSP 1989). A
// follower that reads its leader's heartbeat promises to let nobody else lead for Config.Lease, and
// says in its status block which heartbeat that was. The leader knows when it raised its heartbeat to
// that number. While the promises of a majority last, counted from then, nobody else can have become
// the leader.
//
// Leases require one thing of clocks: over the length of a lease, two of them differ by at most one
// part in leaseMargin. They need not agree. Servers may stand still for any time: a server that
// continues looks at its clock first. But a clock that stands still with its machine (a virtual
// machine that is paused or suspended) breaks the assumption.
const leaseMargin = 16

// beats is the number of its own heartbeats whose times a server knows.
const beats = 64

// lease is what a server knows about leases.
type lease struct {
	// Its promise: nobody except the leader of promised gets another term before until.
	until     time.Duration
	begun     bool          // until covers what an earlier life may have promised
	past      time.Duration // when an earlier life's promises are over
	stored    time.Duration // Stored.Lease, on disk
	seen      uint64        // the leader's heartbeat that it was for; 0: none in this term
	contested bool          // a server waits for the lease to end, so it is not renewed

	// When it raised its own heartbeat, by number.
	raised [beats]time.Duration
	told   time.Duration // what Env.Leased was told last
}

// beginLease waits until the promises of this server's earlier life have ended. It uses the stored
// length, because the setting may have changed.
func (c *Core) beginLease() {
	if l := &c.lease; !l.begun {
		l.until = c.now + c.owed()
		l.begun, l.past = true, l.until
	}
}

// owed is the longest lease that this server promises, or has promised in an earlier life and that may
// still run.
func (c *Core) owed() time.Duration {
	if l := &c.lease; !l.begun || c.now < l.past {
		return max(c.cfg.Lease, l.stored)
	}
	return c.cfg.Lease
}

// renewLease promises the leader a lease when its status was read. A leader that has given up its term
// gets no lease: it waits for others to lead, which would wait for its lease to end.
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

// leased reports whether this server has promised that only the leader to which it has granted
// permission leads. A recovering server has made no such promise. A leader that has promised another
// term, or has restarted, no longer uses a lease.
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

// endLease ends this leader's own lease, before it promises another term.
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

// leaseStep computes how long this server may answer reads as the leader. A peer's promise in an
// earlier term of this server is as good as one in this term.
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
