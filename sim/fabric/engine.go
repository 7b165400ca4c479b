package fabric

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/control"
)

// Time is simulated time: picoseconds since the run began, so that a byte at 400 Gb/s is a
// whole number of them. A run may last a hundred days.
type Time int64

// Units of Time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Never is a time that does not come.
const Never = Time(1<<63 - 1)

// After is the time that a duration is.
func After(d time.Duration) Time { return Time(d) * Nanosecond }

// Duration is the time since the beginning of the run, in whole nanoseconds.
func (t Time) Duration() time.Duration { return time.Duration(t / Nanosecond) }

// String is the time with all its digits: "1.000123456ms".
func (t Time) String() string {
	return fmt.Sprintf("%d.%06dus", t/Microsecond, t%Microsecond)
}

// handler is who an event is for.
type handler interface {
	handle(op int, f *Frame)
}

// event is something that will happen. Of two at the same time, the one that was made first
// comes first.
type event struct {
	at  Time
	seq uint64
	to  handler
	f   *Frame
	op  int
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// call is an event of its own: for what is rare.
type call func()

func (c call) handle(int, *Frame) { c() }

// Fabric is a network in simulated time. It is for one goroutine.
type Fabric struct {
	seed   uint64
	now    Time
	seq    uint64
	heap   []event
	free   []*Frame
	frames int // that exist
	taps   []Tap
	hops   uint64 // frames delivered by links
	err    error  // what ends the run
	weak   weak

	Links    []*Link
	Hosts    []*Host
	Switches []Switch
	byName   map[string]Node
	links    map[string]*Link
	routes   routes
	levels   map[string]int               // of switches, as Build knows them
	network  *control.Fabric              // that the controllers work on; nil: there is one switch, or none that has one
	apps     map[*control.App]*Controller // of it
}

// weak takes rules out, one at a time: tests see that something notices.
type weak struct {
	ignorePause bool // transmitters do not stop
	noMarks     bool // queues do not mark
	jitter      bool // frames on a wire overtake each other
	forget      bool // losses are not counted
	dice        bool // chance does not come from the seed
	early       bool // a host's memory loses what it has acknowledged
}

// New makes an empty network. Everything that is chance comes from the seed.
func New(seed uint64) *Fabric {
	return &Fabric{seed: seed, byName: map[string]Node{}, links: map[string]*Link{}, levels: map[string]int{}}
}

// Now is the time of the event that is being handled.
func (f *Fabric) Now() Time { return f.now }

// Hops is how many frames links have delivered.
func (f *Fabric) Hops() uint64 { return f.hops }

// rand is the chance of one part of the network: what others draw does not change it.
func (f *Fabric) rand(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // of a hash: no error
	seed := f.seed
	if f.weak.dice {
		seed = rand.Uint64()
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// Fail ends the run with an error.
func (f *Fabric) Fail(err error) { f.err = errors.Join(f.err, err) }

// At calls fn at a time, or now if that has passed.
func (f *Fabric) At(at Time, fn func()) { f.schedule(at, call(fn), 0, nil) }

func (f *Fabric) schedule(at Time, to handler, op int, fr *Frame) {
	f.seq++
	e := event{at: max(at, f.now), seq: f.seq, to: to, f: fr, op: op}
	// A heap of four children: half as deep as one of two, and children are neighbours.
	f.heap = append(f.heap, e)
	i := len(f.heap) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&f.heap[p]) {
			break
		}
		f.heap[i] = f.heap[p]
		i = p
	}
	f.heap[i] = e
}

// next takes the first event out of the heap, which is not empty.
func (f *Fabric) next() event {
	first := f.heap[0]
	n := len(f.heap) - 1
	e := f.heap[n]
	f.heap[n] = event{}
	f.heap = f.heap[:n]
	if n == 0 {
		return first
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		least := c
		for k := c + 1; k < min(c+4, n); k++ {
			if f.heap[k].before(&f.heap[least]) {
				least = k
			}
		}
		if !f.heap[least].before(&e) {
			break
		}
		f.heap[i] = f.heap[least]
		i = least
	}
	f.heap[i] = e
	return first
}

// Run lets everything happen that happens until a time, and returns early when nothing is
// left to happen, or something failed.
func (f *Fabric) Run(until Time) error {
	return f.RunWhile(until, func() bool { return true })
}

// RunWhile is Run that ends when more is false.
func (f *Fabric) RunWhile(until Time, more func() bool) error {
	for len(f.heap) > 0 && f.heap[0].at <= until && f.err == nil && more() {
		e := f.next()
		f.now = e.at
		e.to.handle(e.op, e.f)
	}
	if f.err == nil && more() {
		f.now = max(f.now, until)
	}
	return f.err
}

// Node is a host or a switch.
type Node interface {
	Name() string
	// receive takes a frame that came in; it is the node's.
	receive(in *Half, fr *Frame)
	// connect tells the node of a link's half that it sends by.
	connect(out *Half)
	// turned tells the node that a link of its has gone down or come up.
	turned(out *Half)
}

// Node finds a node by its name.
func (f *Fabric) Node(name string) (Node, bool) {
	n, ok := f.byName[name]
	return n, ok
}

func (f *Fabric) add(n Node) error {
	if n.Name() == "" {
		return errors.New("a node has no name")
	}
	if _, dup := f.byName[n.Name()]; dup {
		return fmt.Errorf("node %s: there are two of that name", n.Name())
	}
	f.byName[n.Name()] = n
	return nil
}
