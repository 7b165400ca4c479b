package smr

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/p4ce/p4ce/host/durable"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
	"github.com/p4ce/p4ce/systems/rdma/smr/journal"
)

// Member is a server of a cluster.
type Member = mu.Member

// Config configures a server.
type Config struct {
	ID      mu.ID
	Cluster uint64 // servers of another cluster are refused
	// Members are the servers of a new cluster, including this one. A state machine that has state
	// remembers them. Without Members the server waits to be added.
	Members []Member
	// Devices are this server's RDMA devices, one per route, 1 to mu.Routes. The first is on the
	// network of the switch. All are of one kind. The caller closes them, after the node.
	Devices []rdma.Device
	Port    uint16 // of the RDMA service on all devices
	Machine replicated.StateMachine
	// Switch is the address of the switch on the first network. With the zero Addr there is no switch,
	// and the server stays in direct mode.
	Switch netip.Addr
	// Token is the secret that the cluster's servers share with the controller, which forms groups
	// only for servers that know it. 0 is none: then any host that can send from a member's address is
	// mistaken for that member.
	Token uint64
	// LogSize is the size of the log's memory region in bytes, a power of two that is the same on all
	// servers. The default is 16 MiB.
	LogSize int
	// Journal is the folder of a journal. With it, promises and entries are on disk before they count:
	// Propose succeeds when a majority has the record on disk, and a server that starts from its disk
	// has forgotten nothing. Either all servers of a cluster have a journal, or none.
	Journal string
	// Carry is used without Journal: it is the folder of the journal that the server had before, if
	// that exists. The server carries the journal's contents over. They count until the server is a
	// full member without a journal, and are then removed.
	Carry string
	// Settings is the file, in an existing folder, that records the settings by which this server has
	// promised something to others. Open carries a change over, or returns an error that says what to
	// do. With "" nothing is compared.
	Settings string
	// SyncEvery is how often the state machine is synced; default 1 s.
	SyncEvery time.Duration
	// DiskPatience is how long the state machine and the journal may take to answer. After that, the
	// server leaves the work to the others: it steps down, and stops its heartbeat. The default is
	// durable.Patience.
	DiskPatience time.Duration
	// AckTimeout and Retry say when a connection has failed: after (Retry+1) times AckTimeout. The
	// defaults are 8 ms and 3.
	AckTimeout time.Duration
	Retry      int
	// Protocol sets the protocol's timers and limits. Open fills in the fields that identify the
	// server.
	Protocol mu.Config
	// Notify is called when role, leader, mode or state change, in order, by one goroutine.
	Notify   func(Status)
	Log      *slog.Logger          // nil discards
	Registry prometheus.Registerer // nil: no metrics
}

// Errors of a node.
var (
	ErrRecord     = mu.ErrRecord
	ErrMembership = mu.ErrMembers
	ErrNodeClosed = errors.New("replication: the server is closed")
)

// minTick is the resolution of the protocol's timers.
const minTick = time.Millisecond

// Node is one server of a replicated service. Any goroutine may call its methods.
//
// One lock guards the protocol's core. The goroutines that enter the core are those of callers, one
// per device for completions, one for ticks and remote writes, one that applies, and one per
// connection.
type Node struct {
	cfg       Config
	log       *slog.Logger
	start     time.Time
	ctx       context.Context
	cancel    context.CancelFunc
	wg        sync.WaitGroup
	wake      chan struct{}
	roomy     chan struct{}
	memory    [2]memory // by mu.Region
	logs      []logDomain
	cqs       []rdma.CQ
	served    []rdma.Service // of cqs
	guard     *proof.Guard   // of all devices' services
	questions chan struct{}  // holds one token for each question under way

	short atomic.Bool  // as mu.Core.Short
	lease atomic.Int64 // until when reads are answered without a barrier, on the clock of now

	promise   durable.Watch        // of the journal, with the lock held
	promising atomic.Pointer[view] // what was visible when that began; nil: it is not under way

	lock     sync.Mutex // guards the fields below
	core     *mu.Core
	closed   error
	out      map[mu.Path]*outConn
	byQPN    []map[uint32]*outConn // per device
	wanted   map[mu.Path]*dialer
	in       map[inKey]*inConn
	perm     mu.Permission
	members  map[mu.ID]Member // servers to connect to
	dialed   map[mu.ID]error  // how the last attempt to connect to a member ended
	proposed map[uint64]*claim
	waiting  []*claim // waiting for room
	barriers map[uint64]*barrier
	applied  []*barrier // confirmed, and waiting for the state machine
	barrier  uint64
	index    uint64 // of the next record to apply
	position uint64 // in the log, behind what is applied
	groups   map[uint32]*groupDial
	giving   *giving       // a server that is being given the state
	changed  chan struct{} // closed and replaced when the status changes
	stats    counters

	apply   applier
	gradual replicated.Gradual // the machine
	notify  notifier
	journal *journal.Journal // nil: there is none
	carried *journal.Journal // Config.Carry; nil: it holds nothing
	ended   bool             // carried no longer counts
	logger  logger
}

// memory is one of this server's regions, registered with every device.
type memory struct {
	buf []byte
	mrs []rdma.MR
}

func (m *memory) Bytes() []byte           { return m.buf }
func (m *memory) Access(f func(b []byte)) { m.mrs[0].Write(f) }

// logDomain is the log as seen by those connections of one device that may be permitted to write it.
// It is a protection domain of its own: no other connection can write the log, whatever it knows. All
// others read the log through the region in the device's own domain.
type logDomain struct {
	rdma.Domain
	mr rdma.MR
}

// Open starts a server. The caller closes it, before the devices and the state machine.
func Open(cfg Config) (*Node, error) {
	if n := len(cfg.Devices); n < 1 || n > mu.Routes {
		return nil, fmt.Errorf("replication: %d RDMA devices (want 1 to %d)", n, mu.Routes)
	}
	if cfg.Machine == nil {
		return nil, errors.New("replication: no state machine")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.LogSize == 0 {
		cfg.LogSize = 16 << 20
	}
	if _, err := mu.NewGeometry(cfg.LogSize); err != nil {
		return nil, fmt.Errorf("replication: %w", err)
	}
	set := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	set(&cfg.AckTimeout, 8*time.Millisecond)
	set(&cfg.SyncEvery, time.Second)
	set(&cfg.DiskPatience, durable.Patience)
	// A state machine may take long for a batch.
	set(&cfg.Protocol.RepairAfter, 250*time.Millisecond)
	if cfg.Retry == 0 {
		cfg.Retry = 3
	}
	n := &Node{
		cfg: cfg, log: cfg.Log.With("server", cfg.ID), start: time.Now(), wake: make(chan struct{}, 1), roomy: make(chan struct{}, 1),
		out: map[mu.Path]*outConn{}, wanted: map[mu.Path]*dialer{}, in: map[inKey]*inConn{}, members: map[mu.ID]Member{}, dialed: map[mu.ID]error{},
		proposed: map[uint64]*claim{}, barriers: map[uint64]*barrier{}, groups: map[uint32]*groupDial{}, changed: make(chan struct{}),
		questions: make(chan struct{}, maxQuestions), guard: proof.NewGuard(private.Secret{Cluster: cfg.Cluster, Token: cfg.Token}),
	}
	st, err := loadState(cfg.Machine)
	if err != nil {
		return nil, fmt.Errorf("replication: state machine: %w", err)
	}
	if len(st.Members) == 0 {
		st.setMembers(cfg.Members)
	}
	if len(st.Members) > 0 && !hasMember(st.Members, cfg.ID) {
		// The server was not a member yet when it stored this, or no longer is. Others decide, and
		// bring it up to date from here.
		st.setMembers(nil)
	}
	for _, m := range st.Members {
		if err := checkAddrs(m); err != nil {
			return nil, fmt.Errorf("replication: %w", err)
		}
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.notify.init()
	n.logger.init(n)
	n.gradual = gradualOf(cfg.Machine)
	if err := n.open(st); err != nil {
		n.cancel()
		_ = n.Close()
		return nil, err
	}
	return n, nil
}

func (n *Node) open(st state) error {
	for r, size := range []int{mu.LogRegion: n.cfg.LogSize, mu.ElectionRegion: mu.ElectionSize} {
		buf, err := n.cfg.Devices[0].Alloc(size)
		if err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		m := &n.memory[r]
		m.buf = buf
		for i, d := range n.cfg.Devices {
			var mr rdma.MR
			access := rdma.LocalWrite | rdma.RemoteRead
			if r == int(mu.ElectionRegion) {
				access |= rdma.RemoteWrite
			}
			if i == 0 {
				mr, err = d.RegisterMemory(buf, access)
			} else {
				mr, err = d.ShareMemory(m.mrs[0], access)
			}
			if err != nil {
				return fmt.Errorf("replication: %w", err)
			}
			m.mrs = append(m.mrs, mr)
		}
	}
	for _, d := range n.cfg.Devices {
		domain, err := d.NewDomain()
		if err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		n.logs = append(n.logs, logDomain{Domain: domain})
		mr, err := domain.ShareMemory(n.memory[mu.LogRegion].mrs[0], rdma.LocalWrite|rdma.RemoteWrite)
		if err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		n.logs[len(n.logs)-1].mr = mr
	}
	if err := n.checkSettings(st); err != nil {
		return fmt.Errorf("replication: %w", err)
	}
	proto := n.cfg.Protocol
	if n.cfg.Journal != "" {
		var err error
		if st, err = n.openJournal(st); err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		proto.Durable, proto.Stored, proto.Kept = true, n.journal.Stored(), n.journal.End()
	} else if n.cfg.Carry != "" {
		var err error
		if st, err = n.openCarried(st); err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		if n.carried != nil {
			proto.Stored = n.carried.Stored()
		}
	}
	n.apply.init(n, st)
	proto.ID, proto.Cluster, proto.Members = n.cfg.ID, n.cfg.Cluster, st.Members
	proto.Log, proto.Election = &n.memory[mu.LogRegion], &n.memory[mu.ElectionRegion]
	proto.Position, proto.Index = st.Position, st.Index
	proto.Incarnation = uint64(time.Now().UnixNano())
	proto.Life = proto.Incarnation
	proto.Switch = n.cfg.Switch.IsValid()
	for _, d := range n.cfg.Devices {
		cq, err := d.NewCQ(1024)
		if err != nil {
			return fmt.Errorf("replication: %w", err)
		}
		n.cqs = append(n.cqs, cq)
		n.byQPN = append(n.byQPN, map[uint32]*outConn{})
	}
	n.index, n.position = st.Index, st.Position
	n.lock.Lock()
	core, err := mu.New(proto, (*env)(n))
	n.core = core
	n.lock.Unlock()
	if err != nil {
		return fmt.Errorf("replication: %w", err)
	}
	var listeners []rdma.Listener
	for i, d := range n.cfg.Devices {
		l, err := d.Listen(n.cfg.Port)
		if err != nil {
			return fmt.Errorf("replication: %w", errors.Join(err, closeAll(listeners)))
		}
		listeners = append(listeners, l)
		n.wg.Go(func() { n.serve(i, l) })
		n.served = append(n.served, rdma.Serve(n.cqs[i], (&completions{n: n, dev: i}).take))
	}
	n.wg.Go(func() {
		<-n.ctx.Done()
		if err := closeAll(listeners); err != nil {
			n.log.Warn("listener not closed", "err", err)
		}
	})
	// Peers can write only from now on, because nobody knew the keys before.
	for i, mr := range n.memory[mu.ElectionRegion].mrs {
		mr.OnRemoteWrite(func(int, int) { n.written() })
		n.logs[i].mr.OnRemoteWrite(func(int, int) { n.written() })
	}
	n.watchCarriers()
	n.wg.Go(n.run)
	n.wg.Go(n.tend)
	n.wg.Go(n.standing)
	if m, ok := n.cfg.Machine.(replicated.Roomy); ok {
		n.wg.Go(func() { n.watchRoom(m) })
	}
	n.wg.Go(n.apply.run)
	n.wg.Go(n.apply.sync)
	if n.journal != nil {
		n.wg.Go(n.logger.run)
	}
	n.wg.Go(func() { n.notify.run(n.ctx, n.cfg.Notify) })
	if n.cfg.Registry != nil {
		if err := n.register(n.cfg.Registry); err != nil {
			return fmt.Errorf("replication: metrics: %w", err)
		}
	}
	return nil
}

func closeAll[T interface{ Close() error }](list []T) error {
	var errs []error
	for _, c := range list {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

func (n *Node) now() time.Duration { return time.Since(n.start) }

// written notes that a peer has written to this server's memory.
func (n *Node) written() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// run is the goroutine for ticks and remote writes.
func (n *Node) run() {
	t := time.NewTicker(minTick)
	defer t.Stop()
	stalled := false
	for {
		select {
		case <-n.wake:
			n.lock.Lock()
			n.core.Poll(n.now())
			n.lock.Unlock()
		case <-t.C:
			stalled = n.tick(stalled)
		case <-n.ctx.Done():
			return
		}
	}
}

// Short reports whether this server leads and should propose nothing that needs room, because no
// majority has room.
func (n *Node) Short() bool { return n.short.Load() }

// roomEvery is how often the machine is asked how much room it has.
const roomEvery = 50 * time.Millisecond

// watchRoom is the goroutine that asks. A disk may take long to answer, and nothing else waits for it.
func (n *Node) watchRoom(m replicated.Roomy) {
	t := time.NewTicker(roomEvery)
	defer t.Stop()
	for {
		room := m.Room()
		n.lock.Lock()
		if n.closed == nil {
			n.core.SetRoom(n.now(), mu.Room(room))
		}
		n.lock.Unlock()
		select {
		case <-t.C:
		case <-n.ctx.Done():
			return
		}
	}
}

// fail ends the node because of its own error.
func (n *Node) fail(err error) {
	n.lock.Lock()
	n.failed(err)
	n.lock.Unlock()
}

// failed is fail with the lock held.
func (n *Node) failed(err error) {
	if n.closed == nil {
		n.log.Error("the server ends", "err", err)
		n.closed = err
		n.end(err)
	}
	n.cancel()
}

// end finishes everything that is waiting. The lock is held.
func (n *Node) end(err error) {
	for _, p := range n.waiting {
		p.done <- outcome{err: err}
	}
	n.waiting = nil
	unknown := fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, err)
	for _, p := range n.proposed {
		p.done <- outcome{err: unknown}
	}
	clear(n.proposed)
	for _, b := range n.barriers {
		b.done <- err
	}
	clear(n.barriers)
	for _, b := range n.applied {
		b.done <- err
	}
	n.applied = nil
	close(n.changed)
	n.changed = make(chan struct{})
}

// Close ends the server. Undecided records have an unknown outcome.
func (n *Node) Close() error {
	n.lock.Lock()
	if n.closed == nil {
		n.closed = ErrNodeClosed
		n.end(ErrNodeClosed)
	}
	var conns []interface{ Close() error }
	for _, c := range n.out {
		conns = append(conns, c.conn)
	}
	for _, c := range n.in {
		if c.conn != nil {
			conns = append(conns, c.conn)
		}
	}
	n.lock.Unlock()
	n.cancel()
	for _, c := range conns {
		_ = c.Close()
	}
	n.apply.stop()
	n.logger.stop()
	for _, s := range n.served {
		s.Stop()
	}
	n.wg.Wait()
	var err error
	if n.journal != nil {
		err = n.journal.Close()
		n.journal = nil
	}
	if n.carried != nil {
		err = n.carried.Close()
		if n.carried = nil; n.ended && err == nil {
			err = durable.Disk.RemoveAll(n.cfg.Carry)
		}
	}
	for i, l := range n.logs {
		if l.mr != nil {
			n.cfg.Devices[i].DeregisterMemory(l.mr)
		}
		if err := l.Close(); err != nil {
			n.log.Warn("log not released", "err", err)
		}
	}
	n.logs = nil
	for r := range n.memory {
		m := &n.memory[r]
		for i, mr := range m.mrs {
			n.cfg.Devices[i].DeregisterMemory(mr)
		}
		if m.buf != nil {
			n.cfg.Devices[0].Free(m.buf)
		}
		*m = memory{}
	}
	n.unregister()
	return err
}

// Done is closed when the server has ended, by Close or because of an error.
func (n *Node) Done() <-chan struct{} { return n.ctx.Done() }

// Err returns why the server has ended, nil while it works.
func (n *Node) Err() error {
	var err error
	n.look(func() { err = n.closed })
	return err
}
