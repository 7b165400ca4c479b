package fabric

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/sim/events"
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

// event is what happens to whom.
type event struct {
	to handler
	f  *Frame
	op int
}

// call is an event of its own: for what is rare.
type call func()

func (c call) handle(int, *Frame) { c() }

// Fabric is a network in simulated time. It is for one goroutine.
type Fabric struct {
	seed   uint64
	events events.Queue[Time, event]
	free   []*Frame
	frames int // that exist
	// ingresses are free.
	ingresses *ingress
	taps      []Tap
	hops      uint64 // frames delivered by links
	// measured is when the first load could send; 0: none can.
	measured Time
	err      error // what ends the run

	Links    []*Link
	Hosts    []*Host
	Switches []Switch
	byName   map[string]Node
	links    map[string]*Link
	routes   routes
	levels   map[string]int // of switches, as Build knows them
	system   *System
	program  *p4rt.LocalProgram // the system's, nil before the first switch
	shared   *interp.Shared     // by all switches
	instance Instance           // of it; nil: there is no system
}

// New makes an empty network of plain switches, and hosts that run nothing, until a system is put
// into it (Use). Everything that is chance comes from the seed.
func New(seed uint64) *Fabric {
	return &Fabric{seed: seed, byName: map[string]Node{}, links: map[string]*Link{}, levels: map[string]int{}, system: &System{}, shared: interp.NewShared()}
}

// Use puts a system into the network, which has no nodes yet; nil settings are its defaults.
func (f *Fabric) Use(s *System, set Settings) error {
	if f.instance != nil || len(f.byName) > 0 {
		return fmt.Errorf("system %s: too late, the network already has a system or nodes", s.Name)
	}
	if set == nil && s.Settings != nil {
		set = s.Settings()
	}
	in, err := s.New(f, set)
	if err != nil {
		return fmt.Errorf("system %s: %w", s.Name, err)
	}
	f.system, f.instance = s, in
	return nil
}

// System is the network's instance of its system, nil if it has none.
func (f *Fabric) System() Instance { return f.instance }

// Now is the time of the event that is being handled.
func (f *Fabric) Now() Time { return f.events.Now() }

// Hops is how many frames links have delivered.
func (f *Fabric) Hops() uint64 { return f.hops }

// Rand is the chance of one part of the network: what others draw does not change it. It begins
// anew with each call.
func (f *Fabric) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // of a hash: no error
	return rand.New(rand.NewPCG(f.seed, h.Sum64()))
}

// Fail ends the run with an error.
func (f *Fabric) Fail(err error) { f.err = errors.Join(f.err, err) }

// At calls fn at a time, or now if that has passed.
func (f *Fabric) At(at Time, fn func()) { f.schedule(at, call(fn), 0, nil) }

func (f *Fabric) schedule(at Time, to handler, op int, fr *Frame) {
	f.events.At(at, event{to, fr, op})
}

// Run lets everything happen that happens until a time, and returns early when nothing is
// left to happen, or something failed.
func (f *Fabric) Run(until Time) error {
	return f.RunWhile(until, func() bool { return true })
}

// RunWhile is Run that ends when more is false.
func (f *Fabric) RunWhile(until Time, more func() bool) error {
	f.events.Run(until, func() bool { return f.err == nil && more() }, func(e event) { e.to.handle(e.op, e.f) })
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
		return errors.New("a node without a name")
	}
	if _, dup := f.byName[n.Name()]; dup {
		return fmt.Errorf("node %s: the name is used twice", n.Name())
	}
	f.byName[n.Name()] = n
	return nil
}
