package baseline

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Errors of a leader.
var (
	ErrClosed     = errors.New("baseline: the leader does not lead")
	ErrNoMajority = errors.New("baseline: too few followers give permission")
	ErrLog        = errors.New("baseline: a follower's log is not this leader's")
)

// Config configures a leader.
type Config struct {
	Device    rdma.Device
	ID        uint16       // below 64
	Replicas  []netip.Addr // of the followers, in slot order
	Port      uint16       // of their background plane
	Policy    private.Policy
	LogSize   int
	MaxRecord int
	Window    int // entries under way at once
	Cluster   uint64
	Token     uint64
	// AckTimeout and Retry are those of rdma.QPConfig.
	AckTimeout time.Duration
	Retry      int
	Log        *slog.Logger // nil discards
}

// Kinds of requests, in the upper bits of their ids.
const (
	kindEntry uint64 = iota << 60
	kindHead
	kindOther
	kindMask = uint64(0xf) << 60
)

const (
	// depth is how many entries are under way to one follower, and slack is room for the rest.
	depth = 128
	slack = 16
	// batchFrom is the number of outstanding entries from which on the next completion posts what has gathered.
	batchFrom = 16
)

// peer is a follower.
type peer struct {
	slot       int
	live       bool
	background rdma.Conn
	about      private.Region // its background region
	conn       rdma.Conn
	qpn        uint32
	log        private.Region
	buf        [headLen]byte
	posted     uint64 // the first entry that was not posted
	acked      uint64 // the first entry that is not acknowledged
	open       int    // entries that were posted, and are not acknowledged
	head, sum  uint64 // as last read
	reading    bool
}

// proposal is an entry that is not decided.
type proposal struct {
	start time.Duration
	done  func(error)
}

// Leader replicates values. Any goroutine may call any method.
type Leader struct {
	cfg     Config
	geo     geometry
	need    int
	region  []byte // its own log
	memory  []byte // of background
	back    rdma.MR
	cq      rdma.CQ
	start   time.Time
	service rdma.Service // of cq, while it leads

	completions [128]rdma.Completion // of serve

	mu       sync.Mutex // guards what follows
	room     sync.Cond
	leads    bool
	err      error
	number   uint64
	proposal uint64
	peers    []*peer
	next     uint64 // the first entry that is not used
	decided  uint64
	clean    uint64 // entries below may be written: their slots have zeros everywhere
	queue    []proposal
	first    int
	scratch  []uint64
	wrs      []rdma.SendWR
	calls    []call
	calling  int // who calls what proposes, and posts afterwards
	sum      uint64
	stats    Stats
	latency  *latency.Histogram
}

// Stats is what a leader has done.
type Stats struct {
	Decided uint64
	Writes  uint64 // of entries, to all followers
	Live    int
	Latency latency.Summary // since the last ResetLatency
}

// fits checks that a window fits into the log several times.
func (g geometry) fits(window int) error {
	if window < 1 || uint64(4*window) > g.slots {
		return fmt.Errorf("a window of %d in a log of %d slots (want 1 to a quarter of them)", window, g.slots)
	}
	return nil
}

// NewLeader makes a leader, which does not lead yet. The caller closes it, before the device.
func NewLeader(cfg Config) (_ *Leader, err error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	l := &Leader{cfg: cfg, need: cfg.Policy.Needed(len(cfg.Replicas)), start: time.Now(), latency: latency.New(), err: ErrClosed, wrs: make([]rdma.SendWR, 0, depth)}
	l.room.L = &l.mu
	if l.geo, err = newGeometry(cfg.LogSize, cfg.MaxRecord); err == nil {
		err = l.geo.fits(cfg.Window)
	}
	if n := len(cfg.Replicas); err == nil && (n < 1 || n > private.MaxReplicas || cfg.ID >= maxServers) {
		err = fmt.Errorf("%d followers and id %d (want 1 to %d, and an id below %d)", n, cfg.ID, private.MaxReplicas, maxServers)
	}
	if err != nil {
		return nil, fmt.Errorf("leader: %w", err)
	}
	l.queue, l.scratch, l.clean = make([]proposal, 0, 2*cfg.Window), make([]uint64, len(cfg.Replicas)), l.geo.slots
	for _, m := range []struct {
		b    *[]byte
		size int
	}{{&l.region, cfg.LogSize}, {&l.memory, backgroundLen}} {
		if *m.b, err = cfg.Device.Alloc(m.size); err != nil {
			l.release()
			return nil, fmt.Errorf("leader: %w", err)
		}
	}
	if l.back, err = cfg.Device.RegisterMemory(l.memory, rdma.LocalWrite|rdma.RemoteWrite); err == nil {
		l.cq, err = cfg.Device.NewCQ(depth * len(cfg.Replicas))
	}
	if err != nil {
		l.release()
		return nil, fmt.Errorf("leader: %w", err)
	}
	return l, nil
}

func (l *Leader) now() time.Duration { return time.Since(l.start) + 1 }

// ResetLatency forgets the latencies so far.
func (l *Leader) ResetLatency() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latency.Reset()
}

// Stats returns a snapshot.
func (l *Leader) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Live, s.Latency = l.live(), l.latency.Summary()
	return s
}

// End fills the log so that everything is applied, waits for it, and compares the logs of all followers with its own. It
// then disconnects, so that followers rest.
func (l *Leader) End(ctx context.Context) error {
	err := l.sync(ctx)
	l.rest()
	l.mu.Lock()
	l.leads = false
	if l.err == nil {
		l.err = ErrClosed
	}
	l.room.Broadcast()
	l.mu.Unlock()
	l.disconnect()
	return err
}

func (l *Leader) sync(ctx context.Context) error {
	for range l.cfg.Window {
		if err := l.append(kindNone, nil, nil); err != nil {
			return err
		}
	}
	for {
		l.mu.Lock()
		all, wrong := true, -1
		for _, p := range l.peers {
			if !p.live {
				continue
			}
			if p.head+uint64(l.cfg.Window) < l.next || p.acked < l.next {
				all = false
			} else if p.sum != l.sum {
				wrong = p.slot
			}
		}
		err := l.err
		l.readHeads()
		l.mu.Unlock()
		switch {
		case err != nil:
			return err
		case wrong >= 0:
			return fmt.Errorf("%w: follower %d has applied other values", ErrLog, wrong)
		case all:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// disconnect closes all connections. Nothing is posted any more.
func (l *Leader) disconnect() {
	for _, p := range l.peers {
		for _, c := range []rdma.Conn{p.background, p.conn} {
			if c != nil {
				_ = c.Close()
			}
		}
		p.live = false
	}
	var buf [64]rdma.Completion
	for l.cq.Poll(buf[:]) > 0 { // what was flushed
	}
}

// rest ends serving the queue.
func (l *Leader) rest() {
	if l.service != nil {
		l.service.Stop()
		l.service = nil
	}
}

// Close ends the leader. Proposals that are not decided end with ErrClosed.
func (l *Leader) Close() error {
	l.mu.Lock()
	if l.leads && l.err == nil {
		l.fail(ErrClosed)
	}
	l.finish()
	l.rest()
	l.disconnect()
	l.release()
	return nil
}

func (l *Leader) release() {
	if l.back != nil {
		l.cfg.Device.DeregisterMemory(l.back)
		l.back = nil
	}
	for _, b := range []*[]byte{&l.region, &l.memory} {
		if *b != nil {
			l.cfg.Device.Free(*b)
			*b = nil
		}
	}
}

// ProposeAsync appends a value, and returns. done is called when it is decided, or the leader has failed, from the leader's
// goroutine: it must not block. It waits while the window or the log is full.
func (l *Leader) ProposeAsync(value []byte, done func(error)) error {
	if err := l.check(value); err != nil {
		return err
	}
	return l.append(kindValue, value, done)
}

// check refuses a value that can never be appended.
func (l *Leader) check(value []byte) error {
	if len(value) < 1 || len(value) > l.geo.max {
		return fmt.Errorf("baseline: a value of %d bytes (want 1 to %d)", len(value), l.geo.max)
	}
	return nil
}

func (l *Leader) append(kind uint32, value []byte, done func(error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The slot behind the last entry has zeros: followers look there.
	for !l.fits() {
		l.room.Wait()
	}
	if l.err != nil {
		return l.err
	}
	l.add(kind, value, done)
	return nil
}

// TryPropose is ProposeAsync that does not wait: ok is false if there is no room at the moment. done may call it.
func (l *Leader) TryPropose(value []byte, done func(error)) (ok bool, err error) {
	if err := l.check(value); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.fits() || l.err != nil {
		return false, l.err
	}
	l.add(kindValue, value, done)
	return true, nil
}

// Together calls f, which proposes values with TryPropose, and posts them with one doorbell. done may be called before it
// returns: the caller holds no lock that done takes.
func (l *Leader) Together(f func()) {
	rdma.Together(l.cfg.Device, func() {
		l.mu.Lock()
		l.calling++
		l.mu.Unlock()
		f()
		l.mu.Lock()
		l.calling--
		l.pushAll()
		l.finish()
	})
}

// fits reports whether an entry can be appended now, or never.
func (l *Leader) fits() bool {
	if l.err == nil && (len(l.queue)-l.first == l.cfg.Window || l.next+1 == l.clean) {
		l.recycle()
		return false
	}
	return true
}

// add appends an entry that fits.
func (l *Leader) add(kind uint32, value []byte, done func(error)) {
	if l.first > 0 && len(l.queue) == cap(l.queue) {
		n := copy(l.queue, l.queue[l.first:])
		clear(l.queue[n:])
		l.queue, l.first = l.queue[:n], 0
	}
	l.geo.put(l.region, l.next, l.proposal, kind, value)
	if kind == kindValue {
		l.sum = crc64.Update(l.sum, table, value)
	}
	l.next++
	l.queue = append(l.queue, proposal{l.now(), done})
	if l.calling == 0 {
		l.push(false)
	}
	l.recycle()
}

// pushAll posts what all followers are to get.
func (l *Leader) pushAll() {
	if l.err == nil {
		l.push(true)
	}
}

// push posts entries. Unless all is set, a follower with many outstanding entries waits for its next completion.
func (l *Leader) push(all bool) {
	for _, p := range l.peers {
		if !p.live || !all && p.open >= batchFrom {
			continue
		}
		wrs := l.wrs[:0]
		for p.posted < l.next && p.open < depth && len(wrs) < cap(wrs) {
			at := l.geo.at(p.posted)
			n := slotHead + uint64(binary.LittleEndian.Uint32(l.region[at+8:])) + 1
			wrs = append(wrs, rdma.SendWR{ID: kindEntry | p.posted, Op: rdma.OpWrite, Local: l.region[at:][:n], VA: p.log.VA + at, RKey: p.log.RKey})
			p.posted++
			p.open++
		}
		l.stats.Writes += uint64(len(wrs))
		l.post(p, wrs...)
	}
}

// post posts requests. The queue has room for all.
func (l *Leader) post(p *peer, wrs ...rdma.SendWR) {
	if len(wrs) == 0 {
		return
	}
	if _, err := p.conn.QP().PostSend(wrs...); err != nil {
		l.lost(p, err)
	}
}

// readHeads reads what all followers have applied.
func (l *Leader) readHeads() {
	for _, p := range l.peers {
		if p.live && !p.reading {
			p.reading = true
			l.post(p, rdma.SendWR{ID: kindHead, Op: rdma.OpRead, Local: p.buf[:], VA: p.log.VA + offHead, RKey: p.log.RKey})
		}
	}
}

// recycle looks where followers are when less than half of the slots is free.
func (l *Leader) recycle() {
	if l.clean-l.next < l.geo.slots/2 {
		l.readHeads()
	}
}

// freed takes it that all have applied, and have cleared, what is below the lowest head.
func (l *Leader) freed() {
	low := l.decided
	for _, p := range l.peers {
		if p.live {
			low = min(low, p.head)
		}
	}
	l.clean = max(l.clean, low+l.geo.slots)
	l.room.Broadcast()
}

// serve processes the completions.
func (l *Leader) serve() (again time.Duration) {
	for {
		n := l.cq.Poll(l.completions[:])
		if n == 0 {
			return -1
		}
		l.mu.Lock()
		for i := range l.completions[:n] {
			l.complete(&l.completions[i])
		}
		l.decide()
		l.pushAll()
		l.finish()
	}
}

func (l *Leader) complete(c *rdma.Completion) {
	i := slices.IndexFunc(l.peers, func(p *peer) bool { return p.live && p.qpn == c.QPN })
	if i < 0 {
		return // it was given up
	}
	p := l.peers[i]
	if err := c.Status.Err(); err != nil {
		l.lost(p, err)
		return
	}
	switch c.ID & kindMask {
	case kindEntry:
		p.open--
		p.acked = c.ID&^kindMask + 1
	case kindHead:
		p.reading = false
		p.head, p.sum = binary.LittleEndian.Uint64(p.buf[:]), binary.LittleEndian.Uint64(p.buf[8:])
		l.freed()
	}
}

// decide ends the proposals that a majority has acknowledged.
func (l *Leader) decide() {
	for i, p := range l.peers {
		if l.scratch[i] = 0; p.live {
			l.scratch[i] = p.acked
		}
	}
	slices.Sort(l.scratch)
	held := l.scratch[len(l.scratch)-l.need]
	now := l.now()
	for l.decided < held && l.first < len(l.queue) {
		p := l.queue[l.first]
		l.queue[l.first] = proposal{}
		if l.first++; l.first == len(l.queue) {
			l.queue, l.first = l.queue[:0], 0
		}
		l.decided++
		if p.done == nil {
			continue
		}
		l.stats.Decided++
		l.latency.Add(now - p.start)
		l.calls = append(l.calls, call{p.done, nil})
	}
	l.room.Broadcast()
}

// lost gives a follower up.
func (l *Leader) lost(p *peer, err error) {
	p.live = false
	l.cfg.Log.Warn("follower lost", "slot", p.slot, "err", err)
	if l.err == nil && l.live() < l.need {
		l.fail(fmt.Errorf("%w: %d of %d, last lost follower %d: %w", ErrNoMajority, l.live(), l.need, p.slot, err))
	}
}

// fail ends all proposals.
func (l *Leader) fail(err error) {
	l.err = err
	for _, p := range l.queue[l.first:] {
		if p.done != nil {
			l.calls = append(l.calls, call{p.done, err})
		}
	}
	l.queue, l.first = l.queue[:0], 0
	l.room.Broadcast()
}

// call is a callback to make when the lock is free.
type call struct {
	done func(error)
	err  error
}

// finish releases the lock, and makes the calls that have gathered.
func (l *Leader) finish() {
	for len(l.calls) > 0 {
		calls := l.calls
		l.calls = nil
		l.calling++
		l.mu.Unlock()
		for _, c := range calls {
			c.done(c.err)
		}
		l.mu.Lock()
		l.calling--
		if l.calls == nil {
			l.calls = calls[:0]
		}
		l.pushAll() // what they have proposed
	}
	l.mu.Unlock()
}
