// Package hosts measures 1Pipe in a network namespace, whose switches run it in XDP, beside a sequencer at a host of the
// same network: messages per second and latency, by the number of processes.
//
//	h1 h2 s     h3 h4      h1 to h4 have the processes, s the sequencer
//	  \ | /      \/
//	  leaf1    leaf2       each a p4ce switch, on XDP
//	      \    /
//	      spine
//
// All hosts, and the sequencer, are this process; they send and receive by packet sockets. Processes broadcast to all. Who
// is not measured is not there: hosts of 1Pipe send beacons also when they are silent. So a repetition attaches the hosts of
// one system, and those of the other one after them.
//
// The rate is that of a closed loop: each process has a number of its own broadcasts under way. The latency is that of an
// open loop at a light load, from the call that sends to the one that receives.
package hosts

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// Systems that are compared.
const (
	Sequencer  = "host sequencer"
	BestEffort = "1Pipe best effort"
	Reliable   = "1Pipe reliable"
)

// Metrics.
const (
	Rate    = "messages delivered"
	Cost    = "CPU time of hosts for a message"
	Missing = "messages lost"
	Median  = "latency (p50)"
	Tail    = "latency (p99)"
)

// Options say what to measure.
type Options struct {
	Binary      string // p4ce
	Dir         string // for what networks need
	Repetitions int
	Processes   []int         // 2, 4 or 8
	Messages    int           // that are delivered for the rate, about
	Window      int           // messages of each process under way
	For         time.Duration // how long the light load is offered
	Log         io.Writer     // of all processes; nil: nowhere
	Progress    func(format string, args ...any)
}

// pause is the mean pause between two broadcasts of a process at the light load.
const pause = 5 * time.Millisecond

// five is lab.Small with a host for the sequencer.
const five = `{
  "switches": [
    {"name": "leaf1", "p4runtime": "unix:%[1]s/leaf1.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "unix:%[1]s/leaf2.rt", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine", "p4runtime": "unix:%[1]s/spine.rt", "mac": "02:00:00:00:01:10", "address": "10.0.1.10", "level": 1}
  ],
  "links": [["leaf1:1", "spine:1"], ["leaf2:1", "spine:2"]],
  "hosts": [
    {"name": "h1", "at": "leaf1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "leaf1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "leaf2:11", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"},
    {"name": "h4", "at": "leaf2:12", "address": "10.0.3.4", "mac": "02:00:00:00:03:04"},
    {"name": "s", "at": "leaf1:13", "address": "10.0.3.9", "mac": "02:00:00:00:03:09"}
  ]
}
`

// placed are the hosts of so many processes, and how many each has.
func placed(processes int) (names []string, each int) {
	if processes == 2 {
		return []string{"h1", "h3"}, 1
	}
	return []string{"h1", "h2", "h3", "h4"}, processes / 4
}

// Measure measures, systems in turns.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("this measurement runs XDP programs in network namespaces, which needs root")
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	r := &report.Result{
		Name: "onepipe-xdp", Title: "Total order broadcast on this machine: switches in XDP", Systems: []string{Sequencer, BestEffort, Reliable},
		Axis:    report.Metric{Name: "processes"},
		Metrics: []report.Metric{{Name: Rate, Unit: "1/s"}, {Name: Cost, Unit: "us"}, {Name: Missing, Unit: "%", NoRatio: true}, {Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}},
	}
	r.Set("repetitions", o.Repetitions)
	r.Set("messages", fmt.Sprintf("%d B; %d of each process under way for the rate", payloadLen, o.Window))
	r.Set("light load", fmt.Sprintf("a broadcast of each process in %v, for %v", pause, o.For))
	setup, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	o.Progress("network")
	n, err := lab.Start(setup, lab.Options{Binary: o.Binary, Dir: o.Dir, Target: "xdp", Log: o.Log, Config: five})
	if err != nil {
		return nil, err
	}
	defer n.Close()
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	for i := range o.Repetitions {
		for _, processes := range o.Processes {
			o.Progress("repetition %d, %d processes", i+1, processes)
			for _, measure := range []func(context.Context, Options, *lab.Network, int, *sink) error{sequenced, piped} {
				if err := measure(ctx, o, n, processes, &sink{r, i, processes}); err != nil {
					return nil, fmt.Errorf("%d processes: %w", processes, err)
				}
			}
		}
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	judge(r, o.Processes[len(o.Processes)-1])
	return r, nil
}

// judge compares with the sequencer. The paper's advantage is one of many processes: here a CPU is what all share, so that
// what counts is the work for a message.
func judge(r *report.Result, processes int) {
	for _, system := range []string{BestEffort, Reliable} {
		r.AtLeast(fmt.Sprintf("messages delivered, %s / %s, %d processes", system, Sequencer, processes), report.Point{Metric: Rate, X: float64(processes)}, system, Sequencer, 1, "")
		r.AtMost(fmt.Sprintf("latency (p50), %s / %s, %d processes", system, Sequencer, processes), report.Point{Metric: Median, X: float64(processes)}, system, Sequencer, 1, "")
	}
}

// sink takes what is measured in a repetition.
type sink struct {
	r          *report.Result
	repetition int
	processes  int
}

func (s *sink) add(metric, system string, v float64) {
	s.r.Add(report.Point{Metric: metric, X: float64(s.processes)}, system, s.repetition, v)
}

// party is a process of any system.
type party interface {
	broadcast(ctx context.Context, data []byte) error
	receive(ctx context.Context) (from int, data []byte, err error)
}

// both measures rate and latency of a system.
func both(ctx context.Context, o Options, to *sink, system string, parties []party, lossy bool) error {
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	n := len(parties)
	x := &exchange{parties: parties, each: max(10, o.Messages/n/n), window: max(1, o.Window/n), lossy: lossy}
	if err := x.run(limit); err != nil {
		return fmt.Errorf("%s: %w", system, err)
	}
	to.add(Rate, system, x.rate())
	to.add(Cost, system, float64(x.cost())/1e3)
	to.add(Missing, system, x.missing())
	x = &exchange{parties: parties, each: max(10, int(o.For/pause)), pause: pause, lossy: lossy, seed: uint64(to.repetition)}
	if err := x.run(limit); err != nil {
		return fmt.Errorf("%s, light load: %w", system, err)
	}
	s := x.latency().Summary()
	to.add(Median, system, float64(s.P50)/1e3)
	to.add(Tail, system, float64(s.P99)/1e3)
	return nil
}

// member is a process of a sequencer's hosts.
type member struct{ *baseline.Proc }

func (m member) broadcast(_ context.Context, data []byte) error { return m.Broadcast(data) }

func (m member) receive(ctx context.Context) (int, []byte, error) {
	d, err := m.Receive(ctx)
	return d.From, d.Data, err
}

// sequenced measures the sequencer.
func sequenced(ctx context.Context, o Options, n *lab.Network, processes int, to *sink) error {
	names, each := placed(processes)
	address := func(name string) (baseline.Address, error) {
		p, err := n.Place(name)
		if err != nil {
			return baseline.Address{}, err
		}
		return baseline.Address{MAC: p.MAC, IP: p.IP}, nil
	}
	sequencer, err := address("s")
	if err != nil {
		return err
	}
	var all []baseline.Address
	for _, name := range names {
		a, err := address(name)
		if err != nil {
			return err
		}
		for range each {
			all = append(all, a)
		}
	}
	var parties []party
	for _, name := range append([]string{"s"}, names...) {
		a, err := address(name)
		if err != nil {
			return err
		}
		l, err := n.Link(name, nil)
		if err != nil {
			return err
		}
		h := baseline.OpenHost(l, a, sequencer, all)
		defer h.Close()
		for i := range all {
			if p := h.Proc(i); p != nil {
				parties = append(parties, member{p})
			}
		}
	}
	return both(ctx, o, to, Sequencer, parties, true)
}

// proc is a process of 1Pipe.
type proc struct {
	*onepipe.Proc
	all      []onepipe.Process
	number   map[onepipe.Process]int
	reliable bool
}

func (p *proc) broadcast(ctx context.Context, data []byte) error {
	parts := make([]onepipe.Part, len(p.all))
	for i, to := range p.all {
		parts[i] = onepipe.Part{To: to, Data: data}
	}
	if p.reliable {
		return p.SendReliable(ctx, parts...)
	}
	return p.Send(ctx, parts...)
}

func (p *proc) receive(ctx context.Context) (int, []byte, error) {
	take := p.Receive
	if p.reliable {
		take = p.ReceiveReliable
	}
	m, err := take(ctx)
	return p.number[m.From], m.Data, err
}

// piped measures 1Pipe, both services.
func piped(ctx context.Context, o Options, n *lab.Network, processes int, to *sink) error {
	names, each := placed(processes)
	setup, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var hosts []*onepipe.Host
	for _, name := range names {
		h, err := n.Attach(name, onepipe.Config{Processes: each}, onepipe.Events{})
		if err != nil {
			return err
		}
		defer h.Close()
		hosts = append(hosts, h)
	}
	var procs []*onepipe.Proc
	for _, h := range hosts {
		list, err := h.Wait(setup)
		if err != nil {
			return err
		}
		procs = append(procs, list...)
	}
	all, number := make([]onepipe.Process, len(procs)), map[onepipe.Process]int{}
	for i, p := range procs {
		all[i] = p.Process()
		number[all[i]] = i
	}
	for _, reliable := range []bool{false, true} {
		var parties []party
		for _, p := range procs {
			parties = append(parties, &proc{p, all, number, reliable})
		}
		system := BestEffort
		if reliable {
			system = Reliable
		}
		if err := both(ctx, o, to, system, parties, !reliable); err != nil {
			return err
		}
	}
	return nil
}

// payloadLen is that of a message, as in simulated time.
const payloadLen = 64

// payload is the number of a message, and when it was sent.
func payload(number int, at time.Time) []byte {
	b := make([]byte, payloadLen)
	binary.BigEndian.PutUint64(b, uint64(number))
	binary.BigEndian.PutUint64(b[8:], uint64(at.UnixNano()))
	return b
}

// wait waits for a random time.
func wait(ctx context.Context, r *rand.Rand, mean time.Duration) error {
	t := time.NewTimer(time.Duration(r.ExpFloat64() * float64(mean)))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
