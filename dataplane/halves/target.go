package halves

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/interp"
)

// Program is a program that can run in halves. Both are programs of package p4.
type Program struct {
	Name   string // of the whole, which clients push
	Fast   string // of what the fast half runs in its place
	Reason uint64 // packet_in.reason of packets for the slow half
}

// Target is a target that runs a program in halves. It is a dataplane.Target, and a dataplane.Injector if its fast half is one.
type Target struct {
	dataplane.Target // the fast half

	program Program
	whole   *interp.Target
	bound   atomic.Pointer[bound] // nil: nothing is loaded
	lost    atomic.Uint64         // packets of the slow half that the fast half did not take

	work sync.Mutex // held while the slow half works
	busy *batch     // that it works on
	outs *batch     // what it sends
	sink interp.Sink

	mu      sync.Mutex // what follows
	waiting *batch
	events  dataplane.Events

	wake chan struct{} // has one element if something waits
	stop chan struct{} // nil: Start was not called
	done chan struct{}
}

// New makes one of a target for the fast half and an interpreter without ports for the slow half, which belong to it.
func New(fast dataplane.Target, whole *interp.Target, p Program) *Target {
	t := &Target{
		Target: fast, program: p, whole: whole,
		busy: new(batch), outs: new(batch), waiting: new(batch), wake: make(chan struct{}, 1),
	}
	t.sink = interp.Sink{Send: t.sent, Digest: func(dataplane.Digest) {}, Drop: func(string) {}}
	return t
}

// batch is the last packet of each port, in the order of the ports' first ones.
type batch struct {
	last [dataplane.MaxPort + 1]struct {
		waits bool
		bytes []byte
	}
	order []dataplane.Port
}

// put replaces what waits of a port.
func (b *batch) put(p dataplane.Port, header, frame []byte) {
	l := &b.last[p]
	l.bytes = append(append(l.bytes[:0], header...), frame...)
	if !l.waits {
		l.waits = true
		b.order = append(b.order, p)
	}
}

func (b *batch) clear() {
	for _, p := range b.order {
		b.last[p].waits = false
	}
	b.order = b.order[:0]
}

// IsSlow reports whether a frame that has left the fast half through the CPU port is for the slow half.
func (t *Target) IsSlow(frame []byte) bool {
	b := t.bound.Load()
	return b != nil && b.isSlow(frame)
}

// Take takes a frame that has left the fast half through the CPU port, if it is for the slow half. It keeps nothing of it.
// first says that nothing has waited before it.
func (t *Target) Take(frame []byte) (taken, first bool) {
	b := t.bound.Load()
	if b == nil || !b.isSlow(frame) {
		return false, false
	}
	p := dataplane.Port(b.in.get(b.port, frame))
	if p > dataplane.MaxPort {
		return true, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	first = len(t.waiting.order) == 0
	t.waiting.put(p, nil, frame[b.in.bytes:])
	return true, first
}

// Work has the slow half take what waits, and gives what it sends to send: packet-outs for the fast half, which are valid
// during the call. now is the time that the program sees.
func (t *Target) Work(now uint64, send func(frame []byte) error) {
	t.work.Lock()
	defer t.work.Unlock()
	b := t.bound.Load()
	t.mu.Lock()
	t.busy, t.waiting = t.waiting, t.busy
	t.mu.Unlock()
	for _, p := range t.busy.order {
		if b != nil {
			_ = t.whole.Run(p, t.busy.last[p].bytes, now, &t.sink) // it fails if nothing is loaded
		}
	}
	t.busy.clear()
	for _, p := range t.outs.order {
		if err := send(t.outs.last[p].bytes); err != nil {
			t.lost.Add(1)
		}
	}
	t.outs.clear()
}

// sent takes a frame of the slow half. work is held.
func (t *Target) sent(p dataplane.Port, frame []byte) {
	if p == t.CPUPort() {
		t.mu.Lock()
		f := t.events.PacketIn
		t.mu.Unlock()
		if f != nil {
			f(frame)
		}
		return
	}
	t.outs.put(p, t.bound.Load().header(p), frame)
}

// Start has the slow half work until Close: as soon as something waits, or at the multiples of an interval.
func (t *Target) Start(interval time.Duration) {
	t.stop, t.done = make(chan struct{}), make(chan struct{})
	go t.serve(interval)
}

// SetEvents implements dataplane.Target.
func (t *Target) SetEvents(ev dataplane.Events) {
	t.mu.Lock()
	t.events = ev
	t.mu.Unlock()
	own := ev
	own.PacketIn = func(frame []byte) {
		taken, first := t.Take(frame)
		switch {
		case first:
			select {
			case t.wake <- struct{}{}:
			default:
			}
		case !taken && ev.PacketIn != nil:
			ev.PacketIn(frame)
		}
	}
	t.Target.SetEvents(own)
}

// Inject implements dataplane.Injector: the slow half works at once.
func (t *Target) Inject(p dataplane.Port, frame []byte) (outs []dataplane.Out, err error) {
	fast, ok := t.Target.(dataplane.Injector)
	if !ok {
		return nil, fmt.Errorf("inject: %w", dataplane.ErrUnsupported)
	}
	all, err := fast.Inject(p, frame)
	for _, o := range all {
		if o.Port == t.CPUPort() {
			if taken, _ := t.Take(o.Frame); taken {
				continue
			}
		}
		outs = append(outs, o)
	}
	t.Work(0, func(out []byte) error {
		more, failed := fast.Inject(t.CPUPort(), out)
		outs = append(outs, more...)
		return failed
	})
	return outs, err
}

// Drops implements dataplane.DropCounter.
func (t *Target) Drops() map[string]uint64 {
	out := map[string]uint64{}
	if c, ok := t.Target.(dataplane.DropCounter); ok {
		maps.Copy(out, c.Drops())
	}
	out[dataplane.DropPortFull] += t.lost.Load()
	return out
}

// Close implements dataplane.Target.
func (t *Target) Close() error {
	if t.stop != nil {
		close(t.stop)
		<-t.done
	}
	err := t.Target.Close()
	_ = t.whole.Close() // it has no ports
	return err
}

// staged is a pipeline whose halves are ready.
type staged struct {
	t           *Target
	fast, whole dataplane.Staged
	bound       *bound
}

// Stage implements dataplane.Target.
func (t *Target) Stage(p *dataplane.Pipeline) (dataplane.Staged, error) {
	if p.Program.Name != t.program.Name {
		return nil, fmt.Errorf("program %s: this switch runs %s alone: %w", p.Program.Name, t.program.Name, dataplane.ErrUnsupported)
	}
	half, err := builtin.Pipeline(t.program.Fast)
	if err != nil {
		return nil, err
	}
	s := &staged{t: t}
	if s.bound, err = bind(p.Program, half.Program, t.program.Reason); err != nil {
		return nil, err
	}
	if s.whole, err = t.whole.Stage(p); err != nil {
		return nil, err
	}
	if s.fast, err = t.Target.Stage(half); err != nil {
		s.whole.Discard()
		return nil, err
	}
	return s, nil
}

// Commit implements dataplane.Staged.
func (s *staged) Commit() error {
	t := s.t
	t.work.Lock()
	defer t.work.Unlock()
	if err := s.fast.Commit(); err != nil {
		s.whole.Discard()
		return err
	}
	t.mu.Lock()
	t.waiting.clear() // of the pipeline before
	t.mu.Unlock()
	t.bound.Store(s.bound)
	return s.whole.Commit()
}

// Discard implements dataplane.Staged.
func (s *staged) Discard() {
	s.fast.Discard()
	s.whole.Discard()
}

// Load implements dataplane.Target.
func (t *Target) Load(p *dataplane.Pipeline) error {
	s, err := t.Stage(p)
	if err != nil {
		return err
	}
	return s.Commit()
}

var (
	_ dataplane.Target      = (*Target)(nil)
	_ dataplane.Injector    = (*Target)(nil)
	_ dataplane.DropCounter = (*Target)(nil)
)
