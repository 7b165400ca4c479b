package chaos

import (
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// swtch is the switch: groups, which its controller forms, and route 0.
type swtch struct {
	room       int // for groups; 0: for any number
	up         bool
	controller bool // it runs
	groups     []*groupConn
}

type groupConn struct {
	w       *World
	owner   *server
	life    int
	gen     uint32
	term    mu.Term
	need    int
	members []*groupMember
	dead    bool // its connection has failed
	told    bool // and the owner knows
	arrive  time.Duration
	posted  int
	acked   int
}

// groupKey is what tells one group from another.
type groupKey struct {
	owner int
	term  mu.Term
	gen   uint32
}

type groupMember struct {
	to     *server
	life   int
	arrive time.Duration
	done   int // WRITEs executed
	stuck  bool
}

func (t *swtch) form(s *server, gen uint32, term mu.Term, ids []mu.ID, need int) {
	w := s.w
	if k := (groupKey{s.id, term, gen}); !w.formed[k] {
		w.formed[k] = true
	} else {
		w.violate("server %d forms a second group %d in term %v", s.id, gen, term)
	}
	if w.opt.Gens > 0 && gen > uint32(w.opt.Gens) {
		w.violate("server %d forms group %d, the highest number that can be told is %d", s.id, gen, w.opt.Gens)
	}
	s.do(w.between(500*time.Microsecond, 5*time.Millisecond), func() {
		g := &groupConn{w: w, owner: s, life: s.life, gen: gen, term: term, need: need}
		if !t.up || !t.controller {
			s.do(giveUp, func() { s.core.GroupFailed(s.clock(), gen) })
			return
		}
		if t.full() {
			w.tracef(theSwitch, "group %d of server %d fails: there is no room", gen, s.id)
			s.core.GroupFailed(s.clock(), gen)
			return
		}
		for _, id := range ids {
			o := w.servers[id]
			if o == nil || !o.up || o.held || !w.passes(s.id, o.id, 0) || !w.passes(o.id, s.id, 0) || !o.allows(s.id, mu.Path{Kind: mu.Group, Gen: gen}, term) {
				w.tracef(theSwitch, "group %d of server %d fails: server %d is not there, or does not let it write", gen, s.id, id)
				s.core.GroupFailed(s.clock(), gen)
				return
			}
			g.members = append(g.members, &groupMember{to: o, life: o.life})
		}
		t.groups = append(t.groups, g)
		w.tracef(theSwitch, "group %d of server %d: %v, acknowledged by %d of them", gen, s.id, ids, need)
		s.core.Up(s.clock(), mu.Path{Kind: mu.Group, Gen: gen})
	})
}

// full reports whether there is no room for another group.
func (t *swtch) full() bool {
	n := 0
	for _, g := range t.groups {
		if !g.dead {
			n++
		}
	}
	return t.room > 0 && n >= t.room
}

func (t *swtch) find(s *server, gen uint32) *groupConn {
	for _, g := range t.groups {
		if g.owner == s && g.life == s.life && g.gen == gen && !g.told {
			return g
		}
	}
	return nil
}

func (t *swtch) drop(s *server, gen uint32) {
	if g := t.find(s, gen); g != nil {
		g.dead, g.told = true, true
	}
}

func (t *swtch) forget(s *server) {
	rest := t.groups[:0]
	for _, g := range t.groups {
		if g.owner != s {
			rest = append(rest, g)
		}
	}
	t.groups = rest
}

func (t *swtch) post(s *server, op mu.Op) {
	w := s.w
	g := t.find(s, op.Path.Gen)
	if g == nil {
		w.violate("server %d posts to group %d, which is not up", s.id, op.Path.Gen)
		return
	}
	if g.dead {
		return // flushed
	}
	g.posted++
	n := g.posted
	sent := append([]byte(nil), op.Data...)
	g.arrive = max(g.arrive, w.Now()+w.between(minDelay, maxDelay))
	w.after(g.arrive-w.Now(), func() {
		if !t.up {
			g.fail(giveUp)
			return
		}
		for _, m := range g.members {
			m.arrive = max(m.arrive, w.Now()+w.between(minDelay, maxDelay))
			w.after(m.arrive-w.Now(), func() { g.deliver(m, op, sent, n) })
		}
		w.after(giveUp, func() {
			if g.acked < n {
				g.fail(0)
			}
		})
	})
}

// deliver executes a copy at a member.
func (g *groupConn) deliver(m *groupMember, op mu.Op, sent []byte, n int) {
	w := g.w
	if m.stuck || !m.to.up || m.to.life != m.life || !w.passes(g.owner.id, m.to.id, 0) {
		m.stuck = true // what follows is out of sequence
		return
	}
	if m.to.miss > 0 || w.chance(w.opt.GroupMiss) {
		m.to.miss = max(m.to.miss-1, 0)
		w.tracef(m.to.id, "misses a WRITE of group %d", g.gen)
		m.stuck = true
		return
	}
	if !m.to.allows(g.owner.id, op.Path, g.term) {
		w.tracef(m.to.id, "refuses a WRITE of group %d of server %d", g.gen, g.owner.id)
		m.stuck = true
		g.fail(w.between(minDelay, maxDelay))
		return
	}
	if w.chance(w.opt.Loss) {
		// Delayed on its way; everything behind it too.
		m.stuck = true
		w.after(w.between(0, 150*time.Millisecond), func() {
			if m.to.up && m.to.life == m.life && m.to.allows(g.owner.id, op.Path, g.term) {
				g.store(m, op, sent)
			}
		})
		return
	}
	data := sent
	if !g.dead {
		data = op.Data
	}
	g.store(m, op, data)
	if !w.passes(m.to.id, g.owner.id, 0) {
		return // its acknowledgement is lost
	}
	m.done = n
	held := 0
	for _, o := range g.members {
		if o.done >= n {
			held++
		}
	}
	if held < g.need || g.acked >= n {
		return
	}
	newly := n - g.acked
	g.acked = n
	w.after(w.between(minDelay, maxDelay), func() {
		if !w.sw.up {
			g.fail(giveUp)
			return
		}
		if g.life != g.owner.life {
			return
		}
		g.owner.do(0, func() {
			if !g.dead {
				g.owner.core.Done(g.owner.clock(), op.Path, newly)
			}
		})
	})
}

func (g *groupConn) store(m *groupMember, op mu.Op, data []byte) {
	g.w.store(m.to, g.owner.id, op.Offset, data)
	m.to.do(g.w.between(0, 10*time.Microsecond), func() { m.to.core.Poll(m.to.clock()) })
}

func (g *groupConn) fail(d time.Duration) {
	if g.dead {
		return
	}
	g.w.after(d, func() {
		if g.dead || g.life != g.owner.life {
			return
		}
		g.dead = true
		g.w.tracef(theSwitch, "group %d of server %d has failed", g.gen, g.owner.id)
		g.w.Stats.Fallbacks++
		g.owner.do(0, func() {
			if !g.told {
				g.told = true
				g.owner.core.Down(g.owner.clock(), mu.Path{Kind: mu.Group, Gen: g.gen})
			}
		})
	})
}

// empty makes the switch forget its groups.
func (t *swtch) empty() {
	rest := t.groups[:0]
	for _, g := range t.groups {
		g.fail(giveUp)
		for _, m := range g.members {
			m.stuck = true
		}
		if !g.told {
			rest = append(rest, g)
		}
	}
	t.groups = rest
}
