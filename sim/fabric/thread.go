package fabric

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Costs are how long a thread of a host is busy with what it does. What comes meanwhile waits, in order. 0: no time.
type Costs struct {
	Value      Time // a request of a load, before its client has it
	Request    Time // a request that a program gives to its transport: a work request of a queue pair, a message
	Completion Time // what a program takes from it: a completion, a message
	Sent       Time // a frame, on hosts whose CPU makes and takes frames
	Received   Time
	// RunToCompletion has one thread do all that. Otherwise programs, and who makes and who takes frames, have threads of their own.
	RunToCompletion bool
}

// Measured are the costs of two kinds of leaders that were measured: docs/sim.md says how.
//   - xdp: host/roce on AF_XDP, one thread (`p4ce bench rate`): F per value is Value, and P per value and path is the sum of the others.
//   - rnic: the leader of the P4CE paper (V-C): 2.3 million values/s to one path, 1.2 to two, 0.6 to four.
var Measured = map[string]Costs{
	"xdp": {
		Value: 450 * Nanosecond, Request: 150 * Nanosecond, Sent: 800 * Nanosecond, Received: 400 * Nanosecond, Completion: 100 * Nanosecond,
		RunToCompletion: true,
	},
	"rnic": {Request: 210 * Nanosecond, Completion: 210 * Nanosecond, RunToCompletion: true},
}

// Thread does one thing after the other: a thread of a host, or one direction of its interface.
type Thread struct {
	Name string // "h1 cpu"
	Jobs uint64 // that it was given, and that took time

	f      *Fabric
	free   Time // when it has done with what it has
	given  Time // the time of all jobs
	before Time // of those before Fabric.measured
}

// Take gives the thread a job, now, and says when it is done.
func (t *Thread) Take(cost Time) Time {
	t.free = max(t.free, t.f.Now()) + cost
	if cost > 0 {
		t.Jobs++
		t.given += cost
	}
	return t.free
}

// Do has the thread do something that takes it a time, when it has done with what it has. It does it before Do returns
// if it is idle, and that takes no time.
func (t *Thread) Do(cost Time, what func()) {
	if at := t.Take(cost); at > t.f.Now() {
		t.f.At(at, what)
		return
	}
	what()
}

// Busy is how long the thread has been busy until now.
func (t *Thread) Busy() Time { return t.given - max(0, t.free-t.f.Now()) }

// Utilization is the part of the time that the thread was busy, since the first load could send: 0 to 1.
func (t *Thread) Utilization() float64 {
	if t.f.Now() <= t.f.measured {
		return 0
	}
	return float64(t.Busy()-t.before) / float64(t.f.Now()-t.f.measured)
}

// measure begins to count for Utilization, when the first load can send.
func (f *Fabric) measure() {
	if f.measured > 0 {
		return
	}
	f.measured = max(1, f.Now())
	for _, h := range f.Hosts {
		for _, t := range h.threads {
			t.before = t.Busy()
		}
	}
}

// NewThread is a thread of the host for a program: one of its own, or the one that the host has (Costs.RunToCompletion).
func (h *Host) NewThread(name string) *Thread {
	if h.Config.CPU.RunToCompletion {
		if name = "cpu"; len(h.threads) > 0 && h.threads[0].Name == h.name+" cpu" {
			return h.threads[0]
		}
		h.threads = slices.Insert(h.threads, 0, h.thread(name))
		return h.threads[0]
	}
	t := h.thread(name)
	h.threads = append(h.threads, t)
	return t
}

func (h *Host) thread(name string) *Thread { return &Thread{Name: h.name + " " + name, f: h.f} }

// Threads are those of the host, and the directions of its interface.
func (h *Host) Threads() []*Thread { return h.threads }

// ScenarioCosts are Costs in a scenario: "xdp", or {like: xdp, value: 1us}.
type ScenarioCosts struct {
	Like            string `yaml:"like"`
	Value           Span   `yaml:"value"`
	Request         Span   `yaml:"request"`
	Completion      Span   `yaml:"completion"`
	Sent            Span   `yaml:"sent"`
	Received        Span   `yaml:"received"`
	RunToCompletion bool   `yaml:"run-to-completion"`
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (c *ScenarioCosts) UnmarshalYAML(n *yaml.Node) error {
	var head struct {
		Like string `yaml:"like"`
	}
	if n.Kind == yaml.ScalarNode {
		head.Like = n.Value
	} else if err := n.Decode(&head); err != nil {
		return err
	}
	if head.Like != "" {
		m, ok := Measured[head.Like]
		if !ok {
			return fmt.Errorf("line %d: cpu like %q: want xdp or rnic", n.Line, head.Like)
		}
		*c = ScenarioCosts{
			Like: head.Like, Value: Span(m.Value), Request: Span(m.Request), Completion: Span(m.Completion), Sent: Span(m.Sent), Received: Span(m.Received),
			RunToCompletion: m.RunToCompletion,
		}
	}
	if n.Kind == yaml.ScalarNode {
		return nil
	}
	type plain ScenarioCosts // does not decode itself
	return strict(n, "cpu", (*plain)(c))
}

func (c *ScenarioCosts) costs() Costs {
	return Costs{
		Value: Time(c.Value), Request: Time(c.Request), Completion: Time(c.Completion), Sent: Time(c.Sent), Received: Time(c.Received),
		RunToCompletion: c.RunToCompletion,
	}
}

// String is what a result says of them; empty: they are 0.
func (c *ScenarioCosts) String() string {
	if !c.costs().any() {
		return ""
	}
	text := fmt.Sprintf("value %v, request %v, completion %v, frame sent %v, received %v", c.Value, c.Request, c.Completion, c.Sent, c.Received)
	if c.RunToCompletion {
		text += ", on one thread"
	}
	return text
}

func (c Costs) any() bool { return c.Value+c.Request+c.Completion+c.Sent+c.Received > 0 }
