package interp

import (
	"context"
	"fmt"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Options of a Target. The zero value is ready for use.
type Options struct {
	// CPUPort is the port that leads to the controller; 0 means 64, Tofino's.
	CPUPort dataplane.Port
	// Pipes is how many pipes the chip has, each with registers of its own; 0 means 1. Pipe says on which a port is;
	// nil: bits 7 and 8 of its number do. What the control plane says goes to all of them.
	Pipes int
	Pipe  func(port dataplane.Port) int
	// Depth is how many cells of 80 bytes wait in a port's queue; nil means that queues are not known: 0.
	Depth func(port dataplane.Port) uint32
	// Clock is the time that packets see, in nanoseconds; nil means the
	// machine's monotonic clock from the making of the target.
	Clock func() uint64
	// Rand feeds Random externs; nil means a random seed.
	Rand *rand.Rand
	// Shared are entries that the target has in common with others; nil: none.
	Shared *Shared
	// Trace is told each step of each packet; nil: nobody is, which costs nothing.
	Trace Tracer
	Log   *slog.Logger
}

// Target runs one program at a time. It implements dataplane.Target,
// dataplane.Injector and dataplane.DropCounter.
type Target struct {
	cpu   dataplane.Port
	pipes int
	pipe  func(dataplane.Port) int
	depth func(dataplane.Port) uint32
	clock func() uint64
	rnd   *rand.Rand
	log   *slog.Logger

	shared *Shared
	trace  Tracer

	mu     sync.Mutex // everything below, and the pipeline's frames
	p      *pipeline
	groups *groups
	events dataplane.Events
	ports  map[dataplane.Port]*port
	// without are ports whose interface has gone, and its name.
	without map[dataplane.Port]string
	dirty   []*port // with frames to be flushed
	drops   map[string]uint64
	real    effects // of packets of real ports
	closed  bool
	ctx     context.Context
	cancel  context.CancelFunc
}

var (
	_ dataplane.Target      = (*Target)(nil)
	_ dataplane.Injector    = (*Target)(nil)
	_ dataplane.DropCounter = (*Target)(nil)
)

// New makes a target without a pipeline and without ports. The caller closes
// it.
func New(o Options) *Target {
	t := &Target{
		cpu: o.CPUPort, pipes: max(1, o.Pipes), pipe: o.Pipe, depth: o.Depth, clock: o.Clock, rnd: o.Rand, log: o.Log, shared: o.Shared, trace: o.Trace,
		groups: newGroups(),
		ports:  map[dataplane.Port]*port{}, without: map[dataplane.Port]string{},
		drops: map[string]uint64{},
	}
	if t.cpu == 0 {
		t.cpu = 64
	}
	if t.clock == nil {
		start := time.Now()
		t.clock = func() uint64 { return uint64(time.Since(start)) }
	}
	if t.rnd == nil {
		t.rnd = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.real = effects{send: t.transmit, digest: t.digest, drop: t.countDrop}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// Kind is "interp".
func (t *Target) Kind() string { return "interp" }

// CPUPort is the port that leads to the controller.
func (t *Target) CPUPort() dataplane.Port { return t.cpu }

func (t *Target) randomBits(width int) *big.Int {
	v := new(big.Int)
	for n := 0; n < width; n += 64 {
		v.Lsh(v, 64)
		v.Or(v, new(big.Int).SetUint64(t.rnd.Uint64()))
	}
	return v.And(v, wideMask(width))
}

// staged is a compiled pipeline.
type staged struct {
	t *Target
	p *pipeline
}

// Stage compiles a pipeline.
func (t *Target) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	next, err := compile(p.Program, t.pipes, t.randomBits, t.shared, t.trace)
	if err != nil {
		return nil, err
	}
	next.depth, next.pipeOf = t.depth, t.pipe
	return staged{t, next}, nil
}

// Commit puts the pipeline in place of the one that runs.
func (s staged) Commit() error {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	s.t.p = s.p
	s.t.groups = newGroups()
	return nil
}

// Discard does nothing: the pipeline is memory only.
func (staged) Discard() {}

// Load starts a pipeline, which replaces the running one.
func (t *Target) Load(p *dataplane.Pipeline) error {
	s, err := t.Stage(p)
	if err != nil {
		return err
	}
	return s.Commit()
}

// withTable runs fn on the storage of a table.
func (t *Target) withTable(src *ir.Table, fn func(*table) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	tb, ok := t.p.tables[src]
	if !ok {
		return fmt.Errorf("table %s: not in program %q: %w", src.Name, t.p.prog.Name, dataplane.ErrNotFound)
	}
	return fn(tb)
}

// Insert adds an entry.
func (t *Target) Insert(e *dataplane.Entry) error {
	return t.withTable(e.Table, func(tb *table) error {
		n, err := tb.bindAction(e.Action)
		if err != nil {
			return err
		}
		n.priority, n.last = e.Priority, t.clock()
		return tb.insert(e.Matches, n)
	})
}

// Modify replaces the action of an entry. Its direct counter continues.
func (t *Target) Modify(e *dataplane.Entry) error {
	return t.withTable(e.Table, func(tb *table) error {
		if _, _, err := tb.find(e.Matches, e.Priority); err != nil {
			return err
		}
		n, err := tb.bindAction(e.Action)
		if err != nil {
			return err
		}
		n.last = t.clock()
		return tb.modify(e.Matches, e.Priority, n)
	})
}

// Delete removes an entry.
func (t *Target) Delete(e *dataplane.Entry) error {
	return t.withTable(e.Table, func(tb *table) error { return tb.remove(e.Matches, e.Priority) })
}

// LastHit is when a packet last matched an entry.
func (t *Target) LastHit(e *dataplane.Entry) (at, now uint64, err error) {
	err = t.withTable(e.Table, func(tb *table) error {
		if !tb.src.IdleTimeout {
			return fmt.Errorf("table %s: has no idle timeouts: %w", tb.src.Name, dataplane.ErrUnsupported)
		}
		en, _, err := tb.find(e.Matches, e.Priority)
		if err != nil {
			return err
		}
		at, now = en.last, t.clock()
		return nil
	})
	return at, now, err
}

// SetDefault sets the default action; nil means the program's own.
func (t *Target) SetDefault(src *ir.Table, a *dataplane.Action) error {
	return t.withTable(src, func(tb *table) error {
		if a == nil {
			tb.own()
			tb.miss = tb.program
			return nil
		}
		n, err := tb.bindAction(*a)
		if err != nil {
			return err
		}
		n.counter = tb.miss.counter
		tb.own()
		tb.miss = n
		return nil
	})
}

// SetGroup makes or replaces a multicast group.
func (t *Target) SetGroup(id uint16, replicas []dataplane.Replica) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	for _, r := range replicas {
		if err := r.Port.Check(); err != nil {
			return fmt.Errorf("multicast group %d: %w", id, err)
		}
	}
	t.ownGroups()[id] = append([]dataplane.Replica{}, replicas...)
	return nil
}

// DeleteGroup removes a multicast group.
func (t *Target) DeleteGroup(id uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.groups.byID[id]; !ok {
		return fmt.Errorf("multicast group %d: %w", id, dataplane.ErrNotFound)
	}
	delete(t.ownGroups(), id)
	return nil
}

// ReadRegister returns the fields of one element. On a chip of several pipes, those of pipe n are at
// index + n*size.
func (t *Target) ReadRegister(src *ir.Register, index int) (fields [][]byte, err error) {
	err = t.withRegister(src, index, func(r *register) error {
		fields = r.read(index)
		return nil
	})
	return fields, err
}

// Words returns the first field, which is at most 64 bits wide, of all elements.
func (t *Target) Words(src *ir.Register) (words []uint64, err error) {
	err = t.withRegister(src, 0, func(r *register) error {
		if r.narrow[0] == nil {
			return fmt.Errorf("register %s: is wider than 64 bits", src.Name)
		}
		words = slices.Clone(r.narrow[0])
		return nil
	})
	return words, err
}

// WriteRegister sets the fields of one element in all pipes, or in one: see ReadRegister.
func (t *Target) WriteRegister(src *ir.Register, index int, fields [][]byte) error {
	return t.withRegister(src, index, func(r *register) error { return r.write(index, fields) })
}

func (t *Target) withRegister(src *ir.Register, index int, fn func(*register) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	r, ok := t.p.registers[src]
	if !ok {
		return fmt.Errorf("register %s: not in program %q: %w", src.Name, t.p.prog.Name, dataplane.ErrNotFound)
	}
	if err := r.check(index); err != nil {
		return err
	}
	return fn(r)
}

// ReadCounter returns a cell of an indexed counter.
func (t *Target) ReadCounter(src *ir.Counter, index int) (v dataplane.Counter, err error) {
	err = t.withCell(src, index, func(c *cell) { v = c.value() })
	return v, err
}

// WriteCounter sets a cell of an indexed counter.
func (t *Target) WriteCounter(src *ir.Counter, index int, v dataplane.Counter) error {
	return t.withCell(src, index, func(c *cell) { *c = cell{v.Packets, v.Bytes} })
}

func (t *Target) withCell(src *ir.Counter, index int, fn func(*cell)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p == nil {
		return dataplane.ErrNoPipeline
	}
	c, ok := t.p.counters[src]
	if !ok || index < 0 || index >= len(c.cells) {
		return fmt.Errorf("counter %s: index %d: %w", src.Name, index, dataplane.ErrNotFound)
	}
	fn(&c.cells[index])
	return nil
}

// ReadDirectCounter returns the counter of an entry.
func (t *Target) ReadDirectCounter(e *dataplane.Entry) (v dataplane.Counter, err error) {
	err = t.withDirect(e, func(c *cell) { v = c.value() })
	return v, err
}

// WriteDirectCounter sets the counter of an entry.
func (t *Target) WriteDirectCounter(e *dataplane.Entry, v dataplane.Counter) error {
	return t.withDirect(e, func(c *cell) { *c = cell{v.Packets, v.Bytes} })
}

func (t *Target) withDirect(e *dataplane.Entry, fn func(*cell)) error {
	return t.withTable(e.Table, func(tb *table) error {
		if e.Table.Counter == nil {
			return fmt.Errorf("table %s: has no direct counter: %w", e.Table.Name, dataplane.ErrNotFound)
		}
		if e.Matches == nil {
			fn(tb.miss.counter)
			return nil
		}
		en, _, err := tb.find(e.Matches, e.Priority)
		if err != nil {
			return err
		}
		fn(en.counter)
		return nil
	})
}

// SetEvents replaces the receivers of packet-ins and digests.
func (t *Target) SetEvents(ev dataplane.Events) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = ev
}

// Drops returns the packets that the target has lost, by reason.
func (t *Target) Drops() map[string]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make(map[string]uint64, len(t.drops))
	for k, v := range t.drops {
		out[k] = v
	}
	for _, p := range t.ports {
		p.lost(out)
	}
	return out
}
