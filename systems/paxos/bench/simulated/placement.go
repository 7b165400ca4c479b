package simulated

import (
	"fmt"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos"
	paxosfabric "github.com/p4ce/p4ce/systems/paxos/fabric"
)

// Systems that are compared in figure 2.
const (
	OnPath  = "switches on the path"
	ByPods  = "switches, acceptors in three pods"
	Servers = "servers"
)

// Metrics of figure 2.
const (
	ToReplica = "until a replica has it"
	ToAll     = "until all replicas have it"
	ToAnswer  = "until the proposer is answered"
)

// paper is what the P4xos paper says: figure 2 and section II, "saves two traversals of the network compared to Paxos, meaning x3 latency
// improvement", and section I, "at least x3".
var paper = struct{ factor float64 }{3}

// What links, switches and interfaces take: those of p4ce bench multicast.
const (
	cable         = 500 * fabric.Nanosecond
	switchLatency = 400 * fabric.Nanosecond
	hostLatency   = 300 * fabric.Nanosecond
	rate          = 100e9
)

// The paper's network: "one way delay in the data center is 100us (median)", six links and five switches here.
const paperCable = (100*fabric.Microsecond - 5*switchLatency) / 6

// What the paper says that a message takes a program: "the Paxos logic execution time takes around 2.5us, without I/O".
const paperWork = 2500 * fabric.Nanosecond

// works are times that a message takes a program at a host.
func works(o Options) []fabric.Time {
	if o.Quick {
		return []fabric.Time{0, paperWork}
	}
	return []fabric.Time{0, 500 * fabric.Nanosecond, fabric.Microsecond, paperWork, 5 * fabric.Microsecond, 10 * fabric.Microsecond}
}

// networks are by what a link takes.
var networks = []struct {
	name  string
	cable fabric.Time
}{{"links of 500 ns", cable}, {"100 us one way", paperCable}}

func micros(t fabric.Time) float64 { return float64(t) / float64(fabric.Microsecond) }

// placement is figure 2.
func placement(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "paxos-placement", Title: "Paxos: latency of one value, by where the roles are (figure 2)", Systems: []string{OnPath, Servers, ByPods},
		Axis:    report.Metric{Name: "time of a message at a host", Unit: "us"},
		Metrics: []report.Metric{{Name: ToReplica, Unit: "us"}, {Name: ToAll, Unit: "us"}, {Name: ToAnswer, Unit: "us"}},
	}}
	f.Draw = []report.Figure{{Name: f.Name, Title: "Latency of one value until a replica has it, by where the roles are", Metric: ToReplica}}
	for _, n := range networks {
		for _, work := range works(o) {
			for _, system := range f.Systems {
				f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
					t, err := place(seed, system, n.cable, work, values(o))
					if err != nil {
						return nil, fmt.Errorf("%s, %s, %v a message: %w", system, n.name, work.Duration(), err)
					}
					x := micros(work)
					return []figures.Sample{
						figures.Value(ToReplica, n.name, x, system, micros(t.first)), figures.Value(ToAll, n.name, x, system, micros(t.all)),
						figures.Value(ToAnswer, n.name, x, system, micros(t.answer)),
					}, nil
				})
			}
		}
	}
	f.Then = func(f *figures.Figure) {
		ratio := func(n int, work fabric.Time) report.Spread {
			return f.Ratio(report.Point{Metric: ToReplica, Case: networks[n].name, X: micros(work)}, Servers, OnPath)
		}
		f.Judge(report.Near("figure 2, propagation, servers / switches on the path", paper.factor, ""), ratio(0, 0))
		f.Judge(report.Near("figure 2, 100 us one way, 2.5 us a message, servers / switches on the path", paper.factor, ""), ratio(1, paperWork))
		f.Judge(report.Verdict{What: "figure 2, 2.5 us a message, servers / switches on the path", Wanted: paper.factor}, ratio(0, paperWork))
	}
	return f
}

// values is how many are proposed, one at a time.
func values(o Options) int {
	if o.Quick {
		return 5
	}
	return 50
}

// latency is means.
type latency struct{ first, all, answer fabric.Time }

// The tree.
const (
	pods, aggs, tors, spines = 3, 3, 2, 2
)

// tree builds it, with hosts at racks, from 1.
func tree(f *fabric.Fabric, cable, work fabric.Time, newSwitch func(string) (fabric.Switch, error), hosts map[string]int) error {
	link := fabric.LinkConfig{Rate: rate, Delay: cable, Queue: 1 << 20}
	var failed error
	sw := func(name string, level int) fabric.Switch {
		s, err := newSwitch(name)
		if err != nil {
			failed = err
			return nil
		}
		f.SetLevel(s, level)
		return s
	}
	connect := func(lower, upper fabric.Node) {
		if failed == nil {
			_, failed = f.Connect(lower, upper, "", link)
		}
	}
	var top, racks []fabric.Switch
	for i := range spines {
		top = append(top, sw(fmt.Sprint("spine", i+1), 2))
	}
	for pod := range pods {
		var middle []fabric.Switch
		for i := range aggs {
			a := sw(fmt.Sprint("agg", pod*aggs+i+1), 1)
			for _, s := range top {
				connect(a, s)
			}
			middle = append(middle, a)
		}
		for i := range tors {
			t := sw(fmt.Sprint("tor", pod*tors+i+1), 0)
			for _, a := range middle {
				connect(t, a)
			}
			racks = append(racks, t)
		}
	}
	for _, name := range hostNames {
		if failed != nil {
			break
		}
		h, err := f.NewHost(name, fabric.HostConfig{Receive: hostLatency, Post: hostLatency, Complete: hostLatency, CPU: fabric.Costs{Request: work, Completion: work}})
		if failed = err; err == nil {
			connect(h, racks[hosts[name]-1])
		}
	}
	if failed != nil {
		return failed
	}
	return f.Start()
}

// hostNames are all hosts: the proposer, the replicas, and those with roles.
var hostNames = []string{"p", "r1", "r2", "l", "a1", "a2", "a3"}

// racksOf says at which rack each is.
var racksOf = map[string]int{"p": 1, "r1": 3, "r2": 4, "l": 4, "a1": 5, "a2": 6, "a3": 5}

// place measures values, one at a time.
func place(seed uint64, system string, cable, work fabric.Time, count int) (latency, error) {
	app := paxosfabric.Application{Name: "log", Replicas: []string{"r1", "r2"}, Proposers: []string{"p"}}
	switch system {
	case Servers:
		app.Leaders, app.Acceptors, app.Learners, app.Controller = []string{"l"}, []string{"a1", "a2", "a3"}, app.Replicas, "l"
	case OnPath:
		app.Leaders, app.Acceptors, app.Learners = []string{"spine1"}, []string{"agg4", "agg5", "agg6"}, []string{"tor3", "tor4"}
	case ByPods:
		app.Leaders, app.Acceptors, app.Learners = []string{"spine1"}, []string{"agg1", "agg4", "agg7"}, []string{"tor3", "tor4"}
	}
	set := paxosfabric.Defaults()
	set.Applications = []paxosfabric.Application{app}
	n, err := paxosfabric.New(seed, set)
	if err != nil {
		return latency{}, err
	}
	d := &oneByOne{n: n, count: count, replicas: 2}
	n.Driver = d
	newSwitch := func(name string) (fabric.Switch, error) {
		if system == Servers {
			return n.NewPlain(name, switchLatency)
		}
		return n.NewP4Switch(name, fabric.P4SwitchConfig{Latency: switchLatency, Controller: control})
	}
	if err := tree(n.Fabric, cable, work, newSwitch, racksOf); err != nil {
		return latency{}, err
	}
	if err := settle(n); err != nil {
		return latency{}, err
	}
	d.host = n.Hosts[0]
	d.rand = n.Rand("values")
	d.next()
	if err := n.RunWhile(n.Now()+limit, func() bool { return d.done < count && d.err == nil }); err != nil {
		return latency{}, err
	}
	if d.err != nil || d.done < count {
		return latency{}, fmt.Errorf("%d of %d values: %w", d.done, count, d.err)
	}
	if err := finish(n); err != nil {
		return latency{}, err
	}
	c := fabric.Time(count)
	return latency{d.sum.first / c, d.sum.all / c, d.sum.answer / c}, nil
}

// oneByOne proposes values, each when the one before is everywhere.
type oneByOne struct {
	n        *paxosfabric.Network
	host     *fabric.Host
	rand     interface{ Int64N(int64) int64 }
	count    int
	replicas int

	sequence uint32
	begun    fabric.Time
	has      int  // replicas that have it
	answered bool // the proposer knows
	sum      latency
	done     int
	err      error
}

// next proposes the next one, after a pause by chance.
func (d *oneByOne) next() {
	d.n.At(d.n.Now()+fabric.Time(d.rand.Int64N(int64(10*fabric.Microsecond))), func() {
		d.begun, d.has, d.answered = d.n.Now(), 0, false
		d.sequence, d.err = d.n.Submit(d.host, 0, make([]byte, 32))
	})
}

// Delivered implements paxosfabric.Driver.
func (d *oneByOne) Delivered(_ *fabric.Host, _ int, e *paxos.Entry) {
	if e.Sequence != d.sequence {
		return
	}
	took := d.n.Now() - d.begun
	if d.has++; d.has == 1 {
		d.sum.first += took
	}
	if d.has == d.replicas {
		d.sum.all += took
	}
	d.over()
}

// Answered implements paxosfabric.Driver.
func (d *oneByOne) Answered(*fabric.Host, int, uint32) {
	d.answered = true
	d.sum.answer += d.n.Now() - d.begun
	d.over()
}

func (d *oneByOne) over() {
	if !d.answered || d.has < d.replicas {
		return
	}
	if d.done++; d.done < d.count {
		d.next()
	}
}
