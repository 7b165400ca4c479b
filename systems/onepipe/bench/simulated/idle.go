package simulated

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
)

// Tail is the other metric of latency.
const Tail = "latency (95 %)"

// probes are messages of a process to another one, each at a moment of its own, and how long each takes.
type probes struct {
	*cluster
	sent []fabric.Time
	took [2][]fabric.Time // of those with an even number, and of the others
	done int
	lost int
}

// probe sends so many messages, each by somebody to somebody else, with random pauses between. turn, if not nil, is told of
// each before it is sent.
func probe(c *cluster, seed uint64, count int, pause fabric.Time, turn func(number int)) (*probes, error) {
	p := &probes{cluster: c, sent: make([]fabric.Time, count)}
	c.deliver = func(_, _ int, data []byte) {
		n := numberOf(data)
		p.took[n%2] = append(p.took[n%2], p.Now()-p.sent[n])
		p.done++
	}
	c.lost = func(int, int) { p.lost++ }
	r := rand.New(rand.NewPCG(seed, 9))
	at := c.Now()
	for n := range count {
		at += fabric.Time(math.Round(r.ExpFloat64() * float64(pause)))
		from := r.IntN(c.processes)
		to := (from + 1 + r.IntN(c.processes-1)) % c.processes
		c.At(at, func() {
			p.sent[n] = c.Now()
			if turn != nil {
				turn(n)
			}
			if err := c.send(from, to, payload(n)); err != nil {
				c.Fail(err)
			}
		})
	}
	if err := c.RunWhile(at+10*fabric.Millisecond, func() bool { return p.done+p.lost < count }); err != nil {
		return nil, err
	}
	if p.done+p.lost < count && c.pipe != nil { // of the others nobody says what is lost
		return nil, fmt.Errorf("%d of %d messages were delivered, and %d lost", p.done, count, p.lost)
	}
	return p, c.Check()
}

// mean is of times.
func mean(times []fabric.Time) fabric.Time {
	var sum fabric.Time
	for _, t := range times {
		sum += t
	}
	return sum / fabric.Time(max(1, len(times)))
}

// all are the times that messages have taken, in order.
func (p *probes) all() []fabric.Time {
	return slices.Sorted(slices.Values(slices.Concat(p.took[:]...)))
}

// idle is figure 9a: latency when nothing else is under way.
func idle(o Options) *figures.Figure {
	systems := []string{string(baseline.Unordered), BestEffort, Reliable, BestEffortServers, ReliableServers}
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-fig9a", Title: "A message when nothing else is under way", Systems: systems, Axis: report.Metric{Name: "processes"},
		Metrics: []report.Metric{{Name: Latency, Unit: "us"}, {Name: Tail, Unit: "us"}},
	}}
	f.Draw = []report.Figure{{Name: "onepipe-fig9a", Title: "Latency of a message in an idle network (figure 9a)", Metric: Latency, LogX: true}}
	list, count := []int{8, 16, 32, 512}, 200
	if o.Quick {
		list, count = []int{8, 32}, 20
	}
	f.Set("probes", fmt.Sprintf("%d, one at a time", count))
	for _, n := range list {
		for _, system := range systems {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				c, err := build(seed, system, n, options{window: 16})
				if err != nil {
					return nil, err
				}
				p, err := probe(c, seed, count, 8*fabric.Microsecond, nil)
				if err != nil {
					return nil, fmt.Errorf("%s, %d processes: %w", system, n, err)
				}
				x, times := float64(n), p.all()
				return []figures.Sample{
					figures.Value(Latency, "", x, system, micros(mean(times))),
					figures.Value(Tail, "", x, system, micros(times[len(times)*95/100])),
				}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		for _, n := range list {
			at := report.Point{Metric: Latency, X: float64(n)}
			plain, best, reliable := f.Values(at, systems[0]), f.Values(at, BestEffort), f.Values(at, Reliable)
			servers := f.Values(at, BestEffortServers)
			hops := 1. // of switches between processes of different racks, or in one
			if n > perRack {
				hops = 3
			}
			if n > 2*perRack {
				hops = 5
			}
			var more, trips, hop []float64
			for i := range plain {
				more = append(more, best[i]-plain[i])
				trips = append(trips, (reliable[i]-best[i])/(2*plain[i]))
				hop = append(hop, (servers[i]-best[i])/hops)
			}
			f.Judge(report.Verdict{
				What: fmt.Sprintf("figure 9a: added latency, best effort / no order, %d processes (paper: 1.7 to 2.3 us)", n), Unit: "us", AtMost: true, Wanted: wanted9a.overhead,
			}, report.SpreadOf(more))
			f.Judge(report.Verdict{
				What: fmt.Sprintf("figure 9a: added round trips, reliable / best effort, %d processes (paper: 1)", n), AtMost: true, Wanted: wanted9a.trips,
			}, report.SpreadOf(trips))
			f.Judge(report.Verdict{
				What: fmt.Sprintf("figure 9a: added latency for each switch, a server at it / itself, %d processes (paper: 2 us)", n), Unit: "us", AtMost: true, Wanted: 1.1 * wanted9a.hop,
			}, report.SpreadOf(hop))
		}
	}
	return f
}
