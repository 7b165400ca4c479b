package simulated

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// Recovery is the metric of figure 10.
const Recovery = "recovery time"

// What the controller takes in figure 10. A link has failed when ten beacons did not come (section 5.2 of the paper).
const (
	silence = 10 * beacons
	poll    = 10 * fabric.Microsecond
)

var quick = fabric.ControllerConfig{Delay: 5 * fabric.Microsecond, Write: fabric.Microsecond}

// fault is what fails.
type fault struct {
	name  string
	least int // hosts from which on there is one
	// fail makes it fail, and says which hosts are cut off: from one to behind another.
	fail func(p *pipe) (from, to int)
}

// faults are those of figure 10. With two racks, the core is a switch over the racks.
var faults = []fault{
	{"host", 2, func(p *pipe) (int, int) {
		last := len(p.hosts) - 1
		return last, last + 1
	}},
	{"rack's switch", 16, func(p *pipe) (int, int) {
		cut(p, fmt.Sprint("tor", len(p.hosts)/perRack))
		return len(p.hosts) - perRack, len(p.hosts)
	}},
	{"core link", 16, func(p *pipe) (int, int) {
		name := "tor1-spine1"
		if len(p.hosts) > 2*perRack {
			name = "spine1-core1"
		}
		l, _ := p.net.Link(name)
		p.net.SetDown(l, true)
		return 0, 0
	}},
	{"core switch", 16, func(p *pipe) (int, int) {
		name := "spine1"
		if len(p.hosts) > 2*perRack {
			name = "core1"
		}
		cut(p, name)
		return 0, 0
	}},
}

// cut takes all links of a switch down.
func cut(p *pipe, name string) {
	for _, l := range p.net.Links {
		if l.Half[0].From.Name() == name || l.Half[1].From.Name() == name {
			p.net.SetDown(l, true)
		}
	}
}

// outage is a cluster of which something fails while all broadcast.
type outage struct {
	*cluster
	sent  [][]fabric.Time // by process and number
	dead  []bool          // processes
	since fabric.Time     // the failure; 0: before it
	back  []fabric.Time   // when a process has received something that was sent since
}

func (o *outage) take(at, from int, data []byte) {
	if o.since > 0 && o.back[at] == 0 && o.sent[from][numberOf(data)] >= o.since {
		o.back[at] = o.Now()
	}
}

// post has a process broadcast, and again after a while.
func (o *outage) post(process int, gap fabric.Time) {
	if o.dead[process] {
		return
	}
	n := len(o.sent[process])
	o.sent[process] = append(o.sent[process], o.Now())
	err := o.broadcast(process, payload(n))
	if errors.Is(err, onepipe.ErrFailed) { // to the others
		err = o.pipe.multicast(process, payload(n), func(to int) bool { return !o.dead[to] })
	}
	if err != nil && !errors.Is(err, onepipe.ErrFull) { // it is full while nothing can be delivered
		o.Fail(fmt.Errorf("process %d: %w", process, err))
	}
	o.At(o.Now()+gap, func() { o.post(process, gap) })
}

// recovered is how long it takes from a fault until all who live receive messages that were sent since.
func recovered(seed uint64, hosts int, what fault) (fabric.Time, error) {
	c, err := build(seed, Reliable, hosts, options{window: 64, silence: silence, poll: poll})
	if err != nil {
		return 0, err
	}
	for _, s := range c.Switches {
		s.(*fabric.P4Switch).Controller.Config = quick
	}
	o := &outage{cluster: c, sent: make([][]fabric.Time, hosts), dead: make([]bool, hosts), back: make([]fabric.Time, hosts)}
	c.deliver = o.take
	r := rand.New(rand.NewPCG(seed, 10))
	gap := fabric.Time(hosts) * 2 * fabric.Microsecond // each receives a message in 2 us
	for p := range hosts {
		c.At(c.Now()+fabric.Time(r.Int64N(int64(gap))), func() { o.post(p, gap) })
	}
	c.At(c.Now()+200*fabric.Microsecond+fabric.Time(r.Int64N(int64(10*fabric.Microsecond))), func() {
		o.since = c.Now()
		from, to := what.fail(c.pipe)
		for h := from; h < to; h++ { // what those receive who are cut off is nobody's business
			o.dead[h] = true
			c.pipe.net.Kill(c.pipe.hosts[h])
		}
	})
	var last fabric.Time
	waiting := func() bool {
		for p, at := range o.back {
			if !o.dead[p] && at == 0 {
				return true
			}
			last = max(last, at)
		}
		return false
	}
	if err := c.RunWhile(c.Now()+20*fabric.Millisecond, waiting); err != nil {
		return 0, err
	}
	if waiting() {
		return 0, errors.New("some receive nothing more")
	}
	return last - o.since, c.Check()
}

// recovery is figure 10: how long reliable delivery stands still.
func recovery(o Options) *figures.Figure {
	var systems []string
	for _, x := range faults {
		systems = append(systems, x.name)
	}
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-fig10", Title: "Recovery of reliable 1Pipe", Systems: systems, Axis: report.Metric{Name: "hosts"},
		Metrics: []report.Metric{{Name: Recovery, Unit: "us", NoRatio: true}},
	}}
	f.Draw = []report.Figure{{Name: "onepipe-fig10", Title: "From a fault until all receive new reliable messages (figure 10)", Metric: Recovery, LogX: true}}
	list := []int{2, 4, 8, 16, 32}
	if o.Quick {
		list = []int{4, 16}
	}
	f.Set("a link has failed", fmt.Sprintf("after %v", silence.Duration()))
	f.Set("the controller", fmt.Sprintf("%v away from a switch, looks every %v, %v for an update", quick.Delay.Duration(), poll.Duration(), quick.Write.Duration()))
	for _, n := range list {
		for _, x := range faults {
			if n < x.least {
				continue
			}
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				t, err := recovered(seed, n, x)
				if err != nil {
					return nil, fmt.Errorf("%d hosts, a %s fails: %w", n, x.name, err)
				}
				return []figures.Sample{figures.Value(Recovery, "", float64(n), x.name, micros(t))}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		for _, x := range systems {
			f.Below(fmt.Sprintf("figure 10: a %s of %d hosts fails (paper: 50 to 500 us)", x, list[len(list)-1]), report.Point{Metric: Recovery, X: float64(list[len(list)-1])}, x, wanted10)
		}
	}
	return f
}
