package chaos

import (
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// conn is a connection from a server to a peer.
type conn struct {
	w        *World
	from, to *server
	fromLife int
	toLife   int
	path     mu.Path
	begun    time.Duration
	arrive   time.Duration // of the last operation: those behind it come later
	answer   time.Duration
	dead     bool // the requester has given it up
	broken   bool // the responder has: nothing is executed any more
	lost     bool // an operation has not come through: those behind it wait
	late     time.Duration
	done     int // executed, and not reported
	reports  bool
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
		if s.out[path] != nil || !rig.Has(s.want, int(path.Peer)) {
			return
		}
		if to == nil || !to.up || to.held || !s.w.passes(s.id, to.id, int(path.Route)) || !s.w.passes(to.id, s.id, int(path.Route)) {
			s.dial(path, redial)
			return
		}
		c := &conn{w: s.w, from: s, to: to, fromLife: s.life, toLife: to.life, path: path, begun: s.w.Now()}
		key := inKey{s.id, path}
		if old := to.in[key]; old != nil {
			old.broken = true // the peer replaces its connection
		}
		to.in[key] = c
		s.out[path] = c
		s.core.Up(s.clock(), path)
	})
}

func (c *conn) delay() time.Duration {
	d := c.w.opt.Delay + c.w.between(minDelay, maxDelay)
	if c.w.chance(0.01) {
		d = c.w.between(minDelay, 3*time.Millisecond) // retransmitted
	}
	return d
}

func (c *conn) post(op mu.Op) {
	w := c.w
	sent := append([]byte(nil), op.Data...)
	c.arrive = max(c.arrive, w.Now()+c.delay())
	w.after(c.arrive-w.Now(), func() {
		d := c.to.serves()
		if d == 0 {
			c.execute(op, sent)
			return
		}
		if d > giveUp {
			c.fail(giveUp) // it is served all the same, when its turn comes
		}
		w.after(d, func() { c.execute(op, sent) })
	})
}

// serves is how long it is until the device has served one more operation.
func (s *server) serves() time.Duration {
	if s.w.opt.Service == 0 {
		return 0
	}
	s.busy = max(s.busy, s.w.Now()) + s.w.opt.Service
	return s.busy - s.w.Now()
}

// Backlog is how long a server's device has to serve what has arrived.
func (w *World) Backlog(id int) time.Duration { return max(w.servers[id].busy-w.Now(), 0) }

// Serve changes what devices take for an operation.
func (w *World) Serve(d time.Duration) { w.opt.Service = d }

// responds reports whether the far end still knows the connection.
func (c *conn) responds() bool {
	return !c.broken && c.to.up && c.to.life == c.toLife
}

// execute runs an operation at the responder.
func (c *conn) execute(op mu.Op, sent []byte) {
	w := c.w
	if c.lost || !w.passes(c.from.id, c.to.id, int(c.path.Route)) || w.chance(w.opt.Loss) {
		if !c.lost {
			c.lost = true
			c.fail(giveUp)
			// Some of it may get through later: packets that were delayed somewhere.
			c.late = w.Now()
			if w.chance(0.3) {
				c.late += w.between(0, 150*time.Millisecond)
			}
		}
		// In order, up to the moment when the last one has arrived.
		if w.Now() < c.late {
			w.after(c.late-w.Now(), func() {
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
	c.answer = max(c.answer, w.Now()+c.delay())
	w.after(c.answer-w.Now(), func() {
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
		c.done++
		c.report()
	})
}

// maxBatch is how long a completion may wait for others.
const maxBatch = 300 * time.Microsecond

// report tells the requester of completions: at once, or of several together, as a
// process does that was not scheduled meanwhile.
func (c *conn) report() {
	if c.reports {
		return
	}
	c.reports = true
	d := time.Duration(0)
	if c.w.chance(c.w.opt.Batch) {
		d = c.w.between(0, maxBatch)
	}
	c.from.do(d, func() {
		n := c.done
		c.done, c.reports = 0, false
		if !c.dead && n > 0 {
			c.from.core.Done(c.from.clock(), c.path, n)
		}
	})
}

// perform changes or reads memory.
func (c *conn) perform(op mu.Op, data []byte) (result []byte, ok bool) {
	m := c.to.log
	if op.Region == mu.ElectionRegion {
		m = c.to.election
	}
	if op.Read {
		return append([]byte(nil), m[op.Offset:op.Offset+uint64(len(op.Data))]...), true
	}
	if op.Region == mu.LogRegion {
		if !c.to.allows(c.from.id, c.path, 0) {
			c.w.tracef(c.to.id, "refuses a WRITE of server %d", c.from.id)
			return nil, false
		}
		if c.w.chance(c.w.opt.Loss) {
			// Cut short, between two packets: the rest is lost with the connection.
			data = data[:min(len(data), mtu*c.w.rng.IntN(len(data)/mtu+2))]
			c.w.store(c.to, c.from.id, op.Offset, data)
			c.notify()
			return nil, false
		}
		if !c.visible(op.Offset, data) {
			return nil, false
		}
	} else {
		copy(m[op.Offset:], data)
	}
	c.notify()
	return nil, true
}

// line is what a device makes visible at once.
const line = 64

// visible makes a WRITE to a log visible, in any order of its lines: the server may
// look when some of them are there and others are not. The result is false if it has
// taken the permission away at that moment.
func (c *conn) visible(offset uint64, data []byte) bool {
	w := c.w
	if len(data) <= line || c.to.held || !w.chance(1.0/16) {
		w.store(c.to, c.from.id, offset, data)
		return true
	}
	first := w.rng.Uint64() // which lines are there first; those behind the 64th repeat it
	for _, early := range [...]bool{true, false} {
		for at := 0; at < len(data); {
			n := min(line-int(offset+uint64(at))%line, len(data)-at)
			if (first>>(at/line%64)&1 == 1) == early {
				w.store(c.to, c.from.id, offset+uint64(at), data[at:at+n])
			}
			at += n
		}
		if early {
			c.to.core.Poll(c.to.clock())
			if !c.to.allows(c.from.id, c.path, 0) {
				return false
			}
		}
	}
	return true
}

func (c *conn) notify() {
	c.to.do(c.w.between(0, 10*time.Microsecond), func() { c.to.core.Poll(c.to.clock()) })
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
			c.from.core.Down(c.from.clock(), c.path)
			c.from.dial(c.path, c.from.pauses(c.path, c.w.Now()-c.begun))
		})
	})
}

// pauses is how long a server waits before it connects again, after a connection that has lasted so long. Where devices
// take their time it is as with package smr: twice as long each time, until a connection has lasted a second.
func (s *server) pauses(path mu.Path, lasted time.Duration) time.Duration {
	if s.w.opt.Service == 0 {
		return redial
	}
	if s.paused == nil {
		s.paused = map[mu.Path]time.Duration{}
	}
	d := min(max(2*s.paused[path], time.Millisecond), 200*time.Millisecond)
	if lasted >= time.Second {
		d = 0
	}
	s.paused[path] = d
	return d
}
