package replicate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// Errors of a leader. After ErrNoQuorum, and after any error that is not about
// one record, the outcome of an undecided proposal is unknown: a later leader may
// find it.
var (
	ErrNoQuorum  = errors.New("replication: too few replicas can be reached")
	ErrNotEmpty  = errors.New("replication: a replica's log is not empty (it has served another leader; restart it)")
	ErrNoSwitch  = errors.New("replication: no switch configured")
	errPathEnded = errors.New("path ended")
)

// LeaderConfig configures a leader.
type LeaderConfig struct {
	Device   rdma.Device
	ID       uint16       // among the servers
	Term     uint64       // higher than any earlier leader's; default 1
	Replicas []netip.Addr // in slot order, 1 to p4ce.MaxReplicas
	Port     uint16       // of the replicas' service, and of the switch's
	Switch   netip.Addr   // of the switch; the zero Addr if there is none
	Policy   rdmaprivate.Policy
	Cluster  uint64 // replicas and controller refuse those of another
	Token    uint64 // shared secret of the cluster
	LogSize  int    // of the region in bytes, a power of two; the same on all servers

	// AckTimeout and Retry say when a connection counts as failed, as in rdma.QPConfig.
	AckTimeout time.Duration
	Retry      int
	// MaxRecord is the longest record accepted; default and upper bound is what
	// the log can hold (a quarter of it).
	MaxRecord int
	// Window is the number of undecided records; default 128.
	Window int
	// IdleCommit is how long the leader must be idle before it writes the commit
	// index to the headers; default 1 ms.
	IdleCommit time.Duration
	// RepairAfter is how long a replica's head may stand still before it gets the
	// entries from there on again; default 50 ms.
	RepairAfter time.Duration
	// SlowAfter is how long a replica may hold up a full log before it is
	// dropped; default 1 s.
	SlowAfter time.Duration
	// RetrySwitch is the pause before the switch is tried again after its
	// connection has failed; default 1 s, negative never.
	RetrySwitch time.Duration
	Log         *slog.Logger // nil discards
}

func (c *LeaderConfig) setDefaults() (geometry, error) {
	geo, err := mu.NewGeometry(c.LogSize)
	if err != nil {
		return geo, err
	}
	if n := len(c.Replicas); n < 1 || n > rdmaprivate.MaxReplicas {
		return geo, fmt.Errorf("%d replicas (want 1 to %d)", n, rdmaprivate.MaxReplicas)
	}
	if c.MaxRecord == 0 {
		c.MaxRecord = geo.MaxRecord()
	}
	if c.MaxRecord < 1 || c.MaxRecord > geo.MaxRecord() {
		return geo, fmt.Errorf("record limit %d (a log of %d bytes allows 1 to %d)", c.MaxRecord, c.LogSize, geo.MaxRecord())
	}
	c.Term = cmp.Or(c.Term, 1)
	c.Window = cmp.Or(c.Window, 128)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.IdleCommit = cmp.Or(c.IdleCommit, time.Millisecond)
	c.RepairAfter = cmp.Or(c.RepairAfter, 50*time.Millisecond)
	c.SlowAfter = cmp.Or(c.SlowAfter, time.Second)
	c.RetrySwitch = cmp.Or(c.RetrySwitch, time.Second)
	return geo, nil
}

// remote is a path with what the leader needs to use it.
type remote struct {
	name   string
	path   rdma.Conn
	qpn    uint32
	log    rdmaprivate.Region
	buf    [headLen]byte // of the READ of the head
	failed bool
}

// Leader replicates records. All methods may be called by any goroutine.
type Leader struct {
	cfg     LeaderConfig
	queue   rdma.CQ
	start   time.Time
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	service rdma.Service // of queue

	completions [128]rdma.Completion // of serve

	modeMu sync.Mutex // one change of mode at a time

	mu       sync.Mutex // guards what follows
	core     *core
	remotes  []*remote // replicas, in slot order
	group    *remote   // nil before the first acceleration
	room     sync.Cond // something has changed that a caller may wait for
	quiesce  bool      // appends wait for a change of mode
	blocked  time.Duration
	err      error
	tending  bool
	tendAt   time.Duration // when it is to be next
	ticks    int
	idleFrom time.Duration
	hashed   uint64 // position up to which digest goes
	digest   digester
	stats    Stats
	latency  *latency.Histogram
	wrs      []rdma.SendWR
	calls    []call
	calling  int // who calls what proposes, and posts afterwards
}

// call is a callback to make when the lock is free.
type call struct {
	done func(error)
	err  error
}

// depth is the number of WRITEs outstanding on one path, and slack the room for
// commit writes and head READs beside them.
const (
	depth = 128
	slack = 8
)

// queueSize is the room that the queue for all paths has to begin with.
const queueSize = 1024

// The kinds of requests, in the upper bits of their ids; the rest is a position.
const (
	kindEntry uint64 = iota << 60
	kindCommit
	kindHead
	kindMask = uint64(0xf) << 60
)

// OpenLeader connects to the replicas, directly. It returns when all that can be
// reached are connected, and fails if these are too few, or when ctx ends. The
// caller closes the leader, before the endpoint.
func OpenLeader(ctx context.Context, cfg LeaderConfig) (*Leader, error) {
	geo, err := cfg.setDefaults()
	if err != nil {
		return nil, fmt.Errorf("leader: %w", err)
	}
	region, err := cfg.Device.Alloc(cfg.LogSize)
	if err != nil {
		return nil, fmt.Errorf("leader: %w", err)
	}
	queue, err := cfg.Device.NewCQ(queueSize)
	if err != nil {
		cfg.Device.Free(region)
		return nil, fmt.Errorf("leader: %w", err)
	}
	l := &Leader{
		cfg: cfg, queue: queue, start: time.Now(),
		core:   newCore(geo, region, len(cfg.Replicas), cfg.Policy.Needed(len(cfg.Replicas)), cfg.Window, depth, cfg.Term),
		digest: newDigester(), latency: latency.New(), wrs: make([]rdma.SendWR, 0, depth),
	}
	l.room.L = &l.mu
	l.ctx, l.cancel = context.WithCancel(context.Background())
	if err := l.connect(ctx); err != nil {
		l.cancel()
		l.closePaths()
		cfg.Device.Free(region)
		return nil, fmt.Errorf("leader: %w", err)
	}
	l.mu.Lock()
	l.service = rdma.Serve(l.queue, l.serve)
	l.mu.Unlock()
	for _, r := range l.remotes {
		if r.path != nil {
			l.watch(r)
		}
	}
	return l, nil
}

// connect makes the direct paths.
func (l *Leader) connect(ctx context.Context) error {
	l.remotes = make([]*remote, len(l.cfg.Replicas))
	errs := make([]error, len(l.remotes))
	var wg sync.WaitGroup
	for i, addr := range l.cfg.Replicas {
		wg.Go(func() {
			m := rdmaprivate.Request{
				Form: rdmaprivate.FormMember, LeaderID: l.cfg.ID, Term: l.cfg.Term, Leader: l.cfg.Device.Addr(),
				Slot: uint8(i),
			}
			l.remotes[i], errs[i] = l.dial(ctx, fmt.Sprintf("replica %d (%v)", i, addr), netip.AddrPortFrom(addr, l.cfg.Port), &m)
		})
	}
	wg.Wait()
	for i, r := range l.remotes {
		if errs[i] != nil {
			l.cfg.Log.Warn("replica not connected", "slot", i, "addr", l.cfg.Replicas[i], "err", errs[i])
			continue
		}
		l.core.peers[i].live = r.path != nil
	}
	if l.core.live() < l.core.need {
		return fmt.Errorf("%w: %w", ErrNoQuorum, errors.Join(errs...))
	}
	return l.checkEmpty(ctx)
}

// dial makes a path, by a request that is proved to be of the cluster, and learns where to write. The remote is never
// nil.
func (l *Leader) dial(ctx context.Context, name string, to netip.AddrPort, m *rdmaprivate.Request) (*remote, error) {
	r := &remote{name: name}
	secret := rdmaprivate.Secret{Cluster: l.cfg.Cluster, Token: l.cfg.Token}
	path, err := proof.Connect(ctx, l.cfg.Device, secret, m, to, func() (rdma.QP, error) {
		return l.cfg.Device.CreateQP(rdma.QPConfig{SendCQ: l.queue, SendQueue: depth + slack, AckTimeout: l.cfg.AckTimeout, Retry: l.cfg.Retry})
	})
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	reach, err := proof.Reach(path, l.cfg.LogSize)
	if err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	r.path, r.qpn, r.log = path, path.QP().QPN(), reach[0]
	return r, nil
}

// checkEmpty makes sure that no replica has a log to be adopted. It runs before
// the goroutines that use the paths.
func (l *Leader) checkEmpty(ctx context.Context) error {
	open := 0
	for i, r := range l.remotes {
		if l.core.peers[i].live {
			if _, err := r.path.QP().PostSend(l.headRead(r)); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			open++
		}
	}
	var buf [8]rdma.Completion
	for open > 0 {
		if err := l.queue.Wait(ctx); err != nil {
			return err
		}
		for _, c := range buf[:l.queue.Poll(buf[:])] {
			if err := c.Status.Err(); err != nil {
				return fmt.Errorf("reading a replica's header: %w", err)
			}
			open--
		}
	}
	for i, r := range l.remotes {
		if l.core.peers[i].live && r.buf != [headLen]byte{} {
			return fmt.Errorf("%s: %w", r.name, ErrNotEmpty)
		}
	}
	return nil
}

// watch waits for the end of a path that carries no traffic.
func (l *Leader) watch(r *remote) {
	path := r.path
	l.wg.Go(func() {
		select {
		case <-path.Done():
			l.mu.Lock()
			l.lost(r, fmt.Errorf("%w: %w", errPathEnded, path.Err()))
			l.finish()
		case <-l.ctx.Done():
		}
	})
}

// now is the time since the leader was opened, never 0.
func (l *Leader) now() time.Duration { return time.Since(l.start) + 1 }

// Close ends the leader. Undecided proposals end with ErrClosed.
func (l *Leader) Close() error {
	l.mu.Lock()
	if l.err == nil {
		l.fail(ErrClosed)
	}
	l.finish()
	l.cancel()
	l.wg.Wait()
	l.service.Stop()
	// A change of mode that is under way ends with an error and closes its own
	// path; none can begin to be used any more.
	l.modeMu.Lock()
	defer l.modeMu.Unlock()
	err := l.closePaths()
	// No path is left that could send from it.
	if l.core.region != nil {
		l.cfg.Device.Free(l.core.region)
		l.core.region = nil
	}
	return err
}

func (l *Leader) closePaths() error {
	var errs []error
	for _, r := range append(l.remotes, l.group) {
		if r != nil && r.path != nil {
			errs = append(errs, r.path.Close())
		}
	}
	return errors.Join(errs...)
}
