package sim

import (
	"time"

	"github.com/p4ce/p4ce/host/smr/mu"
)

// conn is a connection from a server to a peer.
type conn struct {
	w        *World
	from, to *server
	fromLife int
	toLife   int
	path     mu.Path
	arrive   time.Duration // of the last operation: those behind it come later
	answer   time.Duration
	dead     bool // the requester has given it up
	broken   bool // the responder has: nothing is executed any more
	lost     bool // an operation has not come through: those behind it wait
	late     time.Duration
}

// Times of the network.
const (
	minDelay = 2 * time.Microsecond
	maxDelay = 30 * time.Microsecond
	giveUp   = 12 * time.Millisecond // transport retries exceeded
	redial   = 3 * time.Millisecond

	mtu = 256 // bytes of a packet, which is executed as a whole
)

// dial connects a path, again and again.
func (s *server) dial(path mu.Path, d time.Duration) {
	if s.out[path] != nil {
		return
	}
	s.do(d+s.w.between(100*time.Microsecond, redial), func() {
		to := s.w.servers[path.Peer]
		if s.out[path] != nil || !has(s.want, path.Peer) {
			return
		}
		if !to.running() || to.held || !s.w.passes(s.id, to.id, int(path.Route)) {
			s.dial(path, redial)
			return
		}
		c := &conn{w: s.w, from: s, to: to, fromLife: s.life, toLife: to.life, path: path}
		key := inKey{s.id, path}
		if old := to.in[key]; old != nil {
			old.broken = true // the peer replaces its connection
		}
		to.in[key] = c
		s.out[path] = c
		s.core.Up(s.w.now, path)
	})
}

func (c *conn) delay() time.Duration {
	d := c.w.between(minDelay, maxDelay)
	if c.w.chance(0.01) {
		d = c.w.between(minDelay, 3*time.Millisecond) // retransmitted
	}
	return d
}

func (c *conn) post(op mu.Op) {
	w := c.w
	sent := append([]byte(nil), op.Data...)
	c.arrive = max(c.arrive, w.now+c.delay())
	w.after(c.arrive-w.now, func() { c.execute(op, sent) })
}

// lives reports whether both ends still know the connection.
func (c *conn) responds() bool {
	return !c.broken && c.to.running() && c.to.life == c.toLife
}

// execute runs an operation at the responder.
func (c *conn) execute(op mu.Op, sent []byte) {
	w := c.w
	if c.lost || !w.passes(c.from.id, c.to.id, int(c.path.Route)) || w.chance(w.opt.Loss) {
		if !c.lost {
			c.lost = true
			c.fail(giveUp)
			// Some of it may get through later: packets that were delayed somewhere.
			c.late = w.now
			if w.chance(0.3) {
				c.late += w.between(0, 150*time.Millisecond)
			}
		}
		// In order, up to the moment when the last one has arrived.
		if w.now < c.late {
			w.after(c.late-w.now, func() {
				if c.responds() {
					if _, ok := c.perform(op, sent); !ok {
						c.broken = true
					}
				}
			})
		}
		return
	}
	if !c.responds() {
		c.fail(giveUp)
		return
	}
	data := sent
	if !c.dead && !op.Read {
		data = op.Data // the device reads the buffer when it sends
	}
	result, ok := c.perform(op, data)
	if !ok {
		c.broken = true
		c.fail(w.between(minDelay, maxDelay))
		return
	}
	c.answer = max(c.answer, w.now+c.delay())
	w.after(c.answer-w.now, func() {
		if !w.passes(c.to.id, c.from.id, int(c.path.Route)) {
			c.fail(giveUp)
			return
		}
		if c.dead || c.from.life != c.fromLife {
			return
		}
		if op.Read {
			copy(op.Data, result)
		}
		c.from.do(0, func() {
			if !c.dead {
				c.from.core.Done(w.now, c.path, 1)
			}
		})
	})
}

// perform changes or reads memory.
func (c *conn) perform(op mu.Op, data []byte) (result []byte, ok bool) {
	m := c.to.log
	if op.Region == mu.ElectionRegion {
		m = c.to.election
	}
	if op.Read {
		return append([]byte(nil), m.b[op.Offset:op.Offset+uint64(len(op.Data))]...), true
	}
	if op.Region == mu.LogRegion {
		if !c.to.allows(c.from.id, c.path, 0) {
			return nil, false
		}
		c.w.wrote(c.to, c.from.id)
		if c.w.chance(c.w.opt.Loss) {
			// Cut short, between two packets: the rest is lost with the connection.
			data = data[:min(len(data), mtu*c.w.rng.IntN(len(data)/mtu+2))]
			copy(m.b[op.Offset:], data)
			c.notify()
			return nil, false
		}
	}
	copy(m.b[op.Offset:], data)
	c.notify()
	return nil, true
}

func (c *conn) notify() {
	c.to.do(c.w.between(0, 10*time.Microsecond), func() { c.to.core.Poll(c.w.now) })
}

// wrote checks that one server writes in one term.
func (w *World) wrote(to *server, from int) {
	if w.opt.Weak == mu.WeakNoRevoke {
		return // agreement shows it
	}
	t := to.perm.Term
	if old, ok := w.writers[t]; ok && old != from {
		w.violate("in term %v servers %d and %d write", t, old, from)
	}
	w.writers[t] = from
}

// fail ends the connection at the requester.
func (c *conn) fail(d time.Duration) {
	if c.dead {
		return
	}
	c.w.after(d, func() {
		if c.dead || c.from.life != c.fromLife {
			return
		}
		c.dead = true
		c.from.do(0, func() {
			if c.from.out[c.path] == c {
				delete(c.from.out, c.path)
			}
			c.from.core.Down(c.w.now, c.path)
			c.from.dial(c.path, redial)
		})
	})
}

// swtch is the switch: groups, and route 0.
type swtch struct {
	up     bool
	groups []*groupConn
}

type groupConn struct {
	w       *World
	owner   *server
	life    int
	gen     uint16
	term    mu.Term
	need    int
	members []*groupMember
	dead    bool // its connection has failed
	told    bool // and the owner knows
	arrive  time.Duration
	posted  int
	acked   int
}

type groupMember struct {
	to     *server
	life   int
	arrive time.Duration
	done   int // WRITEs executed
	stuck  bool
}

func (t *swtch) form(s *server, gen uint16, term mu.Term, ids []mu.ID, need int) {
	w := s.w
	s.do(w.between(500*time.Microsecond, 5*time.Millisecond), func() {
		g := &groupConn{w: w, owner: s, life: s.life, gen: gen, term: term, need: need}
		if !t.up {
			s.do(giveUp, func() { s.core.GroupFailed(w.now, gen) })
			return
		}
		for _, id := range ids {
			o := w.servers[id]
			if !o.running() || o.held || w.cut[[3]int{s.id, o.id, 0}] || !o.allows(s.id, mu.Path{Kind: mu.Group, Gen: gen}, term) {
				s.core.GroupFailed(w.now, gen)
				return
			}
			g.members = append(g.members, &groupMember{to: o, life: o.life})
		}
		t.groups = append(t.groups, g)
		s.core.Up(w.now, mu.Path{Kind: mu.Group, Gen: gen})
	})
}

func (t *swtch) find(s *server, gen uint16) *groupConn {
	for _, g := range t.groups {
		if g.owner == s && g.life == s.life && g.gen == gen && !g.told {
			return g
		}
	}
	return nil
}

func (t *swtch) drop(s *server, gen uint16) {
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
	g.arrive = max(g.arrive, w.now+w.between(minDelay, maxDelay))
	w.after(g.arrive-w.now, func() {
		if !t.up {
			g.fail(giveUp)
			return
		}
		for _, m := range g.members {
			m.arrive = max(m.arrive, w.now+w.between(minDelay, maxDelay))
			w.after(m.arrive-w.now, func() { g.deliver(m, op, sent, n) })
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
	if !m.to.running() || m.to.life != m.life || w.cut[[3]int{g.owner.id, m.to.id, 0}] {
		m.stuck = true
		return
	}
	if m.stuck || w.chance(w.opt.GroupMiss) {
		if !m.stuck {
			w.tracef(m.to.id, "misses a WRITE of group %d", g.gen)
		}
		m.stuck = true // what follows is out of sequence
		// Some copies come much later than they should.
		return
	}
	if !m.to.allows(g.owner.id, op.Path, g.term) {
		m.stuck = true
		g.fail(w.between(minDelay, maxDelay))
		return
	}
	if w.chance(w.opt.Loss) {
		// Delayed on its way; everything behind it too.
		m.stuck = true
		w.after(w.between(0, 150*time.Millisecond), func() {
			if m.to.running() && m.to.life == m.life && m.to.allows(g.owner.id, op.Path, g.term) {
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
				g.owner.core.Done(w.now, op.Path, newly)
			}
		})
	})
}

func (g *groupConn) store(m *groupMember, op mu.Op, data []byte) {
	g.w.wrote(m.to, g.owner.id)
	copy(m.to.log.b[op.Offset:], data)
	m.to.do(g.w.between(0, 10*time.Microsecond), func() { m.to.core.Poll(g.w.now) })
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
		g.w.Stats.Fallbacks++
		g.owner.do(0, func() {
			if !g.told {
				g.told = true
				g.owner.core.Down(g.w.now, mu.Path{Kind: mu.Group, Gen: g.gen})
			}
		})
	})
}

// SwitchDown and SwitchUp are the switch's faults: it forgets its groups.
func (w *World) SwitchDown() {
	w.tracef(-1, "the switch goes down")
	w.sw.up = false
}

// SwitchUp brings an empty switch back.
func (w *World) SwitchUp() {
	w.tracef(-1, "the switch is back, empty")
	w.sw.up = true
	rest := w.sw.groups[:0]
	for _, g := range w.sw.groups {
		g.fail(giveUp)
		for _, m := range g.members {
			m.stuck = true
		}
		if !g.told {
			rest = append(rest, g)
		}
	}
	w.sw.groups = rest
}
