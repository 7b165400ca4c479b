package simulated

import (
	"fmt"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/bench/traffic"
)

// crowdedHosts are those of figure 12, in two racks; each has one process, and threads for other flows.
const (
	crowdedHosts   = 16
	crowdedThreads = 6
	settling       = 200 * fabric.Microsecond // of the flows
)

// crowded is the latency of messages, best effort and reliable, while flows fill the links.
func crowded(seed uint64, flows int, rate uint64, count int) ([2]fabric.Time, error) {
	c, err := build(seed, BestEffort, crowdedHosts, options{window: 16, rate: rate, threads: crowdedThreads})
	if err != nil {
		return [2]fabric.Time{}, err
	}
	t := traffic.New(seed, c.pipe.hosts, flows)
	c.pipe.net.Neighbour = t
	t.Begin()
	if err := c.Run(c.Now() + settling); err != nil {
		return [2]fabric.Time{}, err
	}
	p, err := probe(c, seed, count, 4*fabric.Microsecond, func(n int) { c.pipe.reliable = n%2 == 1 })
	if err != nil {
		return [2]fabric.Time{}, err
	}
	return [2]fabric.Time{mean(p.took[0]), mean(p.took[1])}, nil
}

// crowd is a figure of the latency in crowded networks, each a point of an axis.
func crowd(o Options, name, title string, axis report.Metric, points []int, flows func(int) int, rate func(int) uint64) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: name, Title: title, Systems: []string{BestEffort, Reliable}, Axis: axis, Metrics: []report.Metric{{Name: Latency, Unit: "us"}},
	}}
	f.Draw = []report.Figure{{Name: name, Title: title, Metric: Latency}}
	count := 80
	if o.Quick {
		count = 20
	}
	for _, x := range points {
		f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
			got, err := crowded(seed, flows(x), rate(x), count)
			if err != nil {
				return nil, fmt.Errorf("%s, %d: %w", axis.Name, x, err)
			}
			var out []figures.Sample
			for i, system := range f.Systems {
				out = append(out, figures.Value(Latency, "", float64(x), system, micros(got[i])))
			}
			return out, nil
		})
	}
	return f
}

// more is by how much a system's latency at a point is above that at another one.
func more(f *figures.Figure, system string, at, than int) report.Spread {
	var v []float64
	below := f.Values(report.Point{Metric: Latency, X: float64(than)}, system)
	for i, x := range f.Values(report.Point{Metric: Latency, X: float64(at)}, system) {
		v = append(v, x-below[i])
	}
	return report.SpreadOf(v)
}

// background is figure 12a: other flows from each host.
func background(o Options) *figures.Figure {
	points := []int{0, 2, 5, 10}
	if o.Quick {
		points = []int{0, 2}
	}
	f := crowd(o, "onepipe-fig12a", "Latency of a message beside other flows (figure 12a)", report.Metric{Name: "flows of each host"}, points,
		func(x int) int { return x }, func(int) uint64 { return fabricRate })
	f.Then = func(f *figures.Figure) {
		most := points[len(points)-1]
		for i, system := range f.Systems {
			wanted := []float64{wanted12.bestEffort, wanted12.reliable}[i]
			f.Judge(report.Verdict{What: fmt.Sprintf("figure 12a: added latency, %d flows of each host / none, %s (paper: %g us)", most, system, wanted), Unit: "us", AtMost: true, Wanted: wanted}, more(f, system, most, 0))
		}
	}
	return f
}

// oversubscribed is figure 12b: links between switches have a part of what hosts' links have together.
func oversubscribed(o Options) *figures.Figure {
	points := []int{1, 2, 4}
	if o.Quick {
		points = []int{1, 4}
	}
	f := crowd(o, "onepipe-fig12b", "Latency by oversubscription, 10 flows of each host (figure 12b)", report.Metric{Name: "oversubscription"}, points,
		func(int) int { return 10 }, func(x int) uint64 { return fabricRate / uint64(x) })
	f.Then = func(f *figures.Figure) {
		least, most := points[0], points[len(points)-1]
		for _, system := range f.Systems {
			f.Judge(report.Verdict{What: fmt.Sprintf("figure 12b: added latency, oversubscription of %d / %d, %s (paper: some)", most, least, system), Unit: "us"}, more(f, system, most, least))
		}
	}
	return f
}
