package replicate

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// track is what the leader knows about one path: a replica's, or the switch's.
//
// Invariant: acked <= posted <= the log's tail, and every entry between start of
// the path's duty and acked is held at its far end.
type track struct {
	live   bool
	posted uint64 // position up to which entries have been posted
	acked  uint64 // position up to which they are held
	open   int    // WRITEs posted and not acknowledged

	// commit writes
	commitSent uint64
	commitOpen bool
}

// peer is a replica as the leader sees it.
type peer struct {
	track
	head        uint64 // of the replica, as last read
	headIndex   uint64
	lagSince    time.Duration // since when it has stood still with work to do; 0 if it has not
	repairs     int           // since it last moved
	readOpen    bool
	repairUntil uint64 // accelerated mode: entries up to here go the direct way too
}

// proposal is an entry that is not decided.
type proposal struct {
	end   uint64 // position behind the entry
	start time.Duration
	done  func(error)
}

// core is the leader's state machine. It decides what may be appended, what each
// path must carry next and what is decided; it does no I/O.
//
// Invariants:
//  1. Entries before decided are held by need replicas and by the leader.
//  2. tail-free <= ring, where everything before free is applied by every live
//     replica and in use by no outstanding write: bytes in use are never
//     overwritten.
//  3. In accelerated mode entries are counted by the group's acknowledgements
//     only, in direct mode by the replicas' only: change over when queue is
//     empty, fall back by writing everything undecided again.
type core struct {
	geo    geometry
	region []byte // the leader's copy: its log, and the header that it writes
	term   uint64
	need   int
	window int // proposals
	depth  int // WRITEs outstanding per path
	share  int // bytes that entries may share a WRITE up to

	mode  mu.Mode
	peers []peer
	group track

	tail    uint64
	index   uint64 // of the next entry
	decided uint64
	queue   []proposal // undecided, oldest first; see pop
	first   int
	scratch []uint64
}

// newCore makes the state of a leader whose log is in region, which is zero.
func newCore(geo geometry, region []byte, peers, need, window, depth int, term uint64) *core {
	return &core{
		geo: geo, region: region, term: term, need: need, window: window, depth: depth,
		peers: make([]peer, peers), queue: make([]proposal, 0, 2*window), scratch: make([]uint64, peers),
	}
}

// undecided returns the number of proposals in the pipeline.
func (c *core) undecided() int { return len(c.queue) - c.first }

// free is the position below which the ring may be used again.
func (c *core) free() uint64 {
	free := c.tail
	for i := range c.peers {
		p := &c.peers[i]
		if !p.live {
			continue
		}
		free = min(free, p.head)
		if p.open > 0 {
			free = min(free, p.acked)
		}
	}
	if c.group.live && c.group.open > 0 {
		free = min(free, c.group.acked)
	}
	return free
}

// fits reports whether a record of n bytes can be appended now; space says that
// room in the ring is what is missing.
func (c *core) fits(n int) (ok, space bool) {
	skip, size := c.geo.Cost(c.tail, n)
	if c.tail+skip+size-c.free() > c.geo.Ring() {
		return false, true
	}
	return c.undecided() < c.window, false
}

// append adds a record that fits.
func (c *core) append(record []byte, now time.Duration, done func(error)) {
	c.tail = c.geo.Append(c.region, mu.Entry{Position: c.tail, Index: c.index, Commit: c.decided, Term: mu.Term(c.term), Record: record})
	c.index++
	if c.first > 0 && len(c.queue) == cap(c.queue) {
		n := copy(c.queue, c.queue[c.first:])
		clear(c.queue[n:])
		c.queue, c.first = c.queue[:n], 0
	}
	c.queue = append(c.queue, proposal{end: c.tail, start: now, done: done})
}

// next gives the next write that a path must carry: the bytes, their position,
// and the position behind them. ok is false when there is none, or as many as
// allowed are outstanding.
func (c *core) next(t *track, until uint64) (data []byte, pos, end uint64, ok bool) {
	for t.live && t.posted < until && t.open < c.depth {
		size, data := c.geo.Span(c.region, t.posted)
		pos := t.posted
		t.posted += size
		if data != nil {
			t.open++
			return c.withNext(t, until, data, pos), pos, t.posted, true
		}
		if t.open == 0 {
			t.acked = t.posted // nothing to write, so nothing to wait for
		}
	}
	return nil, 0, 0, false
}

// withNext adds the entries behind data, which is at pos, that share its WRITE.
func (c *core) withNext(t *track, until uint64, data []byte, pos uint64) []byte {
	first := c.geo.Slot(pos)
	for t.posted < until && c.geo.Slot(t.posted) > first {
		size, more := c.geo.Span(c.region, t.posted)
		end := c.geo.Slot(t.posted) + uint64(len(more))
		if more == nil || end-first > uint64(c.share) {
			break
		}
		data = c.region[first:end]
		t.posted += size
	}
	return data
}

// batchFrom is the number of outstanding WRITEs from which on a path is not posted to for every record: the next
// completion posts what has gathered. Records that may share a WRITE gather sooner, because a WRITE of several costs
// little more than one.
func (c *core) batchFrom() int {
	if c.share > 0 {
		return 2
	}
	return 16
}

// until is the position up to which a replica's direct path carries entries.
func (c *core) until(p *peer) uint64 {
	if c.mode == mu.Direct {
		return c.tail
	}
	return p.repairUntil
}

// ack notes that a path has delivered everything up to end.
func (c *core) ack(t *track, end uint64) {
	t.open--
	t.acked = max(t.acked, end)
	c.decide()
}

// decide advances decided to what enough replicas hold.
func (c *core) decide() {
	held := c.group.acked
	if c.mode == mu.Direct {
		for i := range c.peers {
			c.scratch[i] = 0
			if p := &c.peers[i]; p.live {
				c.scratch[i] = p.acked
			}
		}
		slices.Sort(c.scratch)
		held = c.scratch[len(c.scratch)-c.need]
	}
	c.decided = max(c.decided, held)
}

// pop takes the oldest proposal if it is decided.
func (c *core) pop() (p proposal, ok bool) {
	if c.undecided() == 0 || c.queue[c.first].end > c.decided {
		return proposal{}, false
	}
	p = c.queue[c.first]
	c.queue[c.first] = proposal{}
	if c.first++; c.first == len(c.queue) {
		c.queue, c.first = c.queue[:0], 0
	}
	return p, true
}

// record returns the record of the decided entry that ends at end and follows the
// one that ended at begin.
func (c *core) record(begin uint64) (record []byte, next uint64) {
	for {
		// Its checksum is the leader's own.
		e, ok := c.geo.Decode(c.region, begin)
		if !ok {
			panic("replicate: the leader's own log is damaged")
		}
		begin += e.Size
		if !e.Skip {
			return e.Record, begin
		}
	}
}

// commitWrite gives the commit write that a path should carry while the leader is
// idle. One buffer serves all paths, so all must be free of it before its content
// changes.
func (c *core) commitWrite(t *track) (data []byte, ok bool) {
	if !t.live || t.commitOpen || t.commitSent == c.decided || c.undecided() > 0 {
		return nil, false
	}
	if binary.LittleEndian.Uint64(c.region[mu.CommitOffset:]) != c.decided {
		if c.group.live && c.group.commitOpen || slices.ContainsFunc(c.peers, func(p peer) bool { return p.live && p.commitOpen }) {
			return nil, false
		}
		binary.LittleEndian.PutUint64(c.region[mu.CommitOffset:], c.decided)
	}
	t.commitOpen, t.commitSent = true, c.decided
	return c.region[mu.CommitOffset:][:mu.CommitLen], true
}

// live counts the replicas that can be reached directly.
func (c *core) live() int {
	n := 0
	for i := range c.peers {
		if c.peers[i].live {
			n++
		}
	}
	return n
}

// accelerate changes over to the switch. The caller has seen that nothing is
// undecided.
func (c *core) accelerate() {
	c.mode = mu.Accelerated
	c.group = track{live: true, posted: c.tail, acked: c.tail, commitSent: c.group.commitSent}
	for i := range c.peers {
		c.peers[i].repairUntil = 0
	}
}

// direct goes back to the replicas: what is not decided is written again, to each.
func (c *core) direct() {
	if c.mode == mu.Direct {
		return
	}
	c.mode = mu.Direct
	c.group.live = false
	for i := range c.peers {
		p := &c.peers[i]
		// A repair that is under way ends below decided, and its writes are in
		// order with those that follow.
		if p.posted < c.decided && p.repairUntil > p.posted {
			continue
		}
		p.posted = c.decided
		if p.open == 0 {
			p.acked = c.decided
		}
	}
}

// headRead takes what was read of a replica's header.
func (c *core) headRead(p *peer, b []byte, now time.Duration) {
	head := binary.LittleEndian.Uint64(b)
	p.headIndex = max(p.headIndex, binary.LittleEndian.Uint64(b[8:]))
	moved := head > p.head
	p.head = max(p.head, head)
	switch {
	case moved || p.head >= c.decided:
		p.lagSince, p.repairs = 0, 0
	case p.lagSince == 0:
		p.lagSince = now
	}
}

// repair sends a replica everything from its head on by the direct path, if its
// head has stood still for so long that something must be missing. A replica that
// is merely slow gets the same bytes again, ever more rarely.
func (c *core) repair(p *peer, now, after time.Duration) bool {
	if !p.live || p.open > 0 || p.lagSince == 0 || now-p.lagSince < after<<min(p.repairs, 8) {
		return false
	}
	p.posted, p.acked, p.repairUntil = p.head, p.head, c.decided
	p.commitSent = 0
	p.repairs++
	p.lagSince = now
	return true
}

// resting reports whether there is nothing to do until the next record: replicas
// have applied everything, and the switch has carried the news.
func (c *core) resting() bool {
	return c.caughtUp() && (c.mode == mu.Direct || c.group.commitSent == c.decided)
}

// caughtUp reports whether every live replica has applied everything.
func (c *core) caughtUp() bool {
	for i := range c.peers {
		if p := &c.peers[i]; p.live && p.head < c.tail {
			return false
		}
	}
	return c.undecided() == 0
}
