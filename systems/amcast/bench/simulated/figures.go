package simulated

import (
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Metrics.
const (
	Throughput = "throughput"
	Latency    = "latency (mean)"
	Packets    = "packets of a replica for a delivery"
)

// wanted is what the poster says of figure 4, with one group: "a major latency reduction of 12 microseconds for 1500 Bytes
// packets and one order of magnitude higher throughput compared to Primcast".
var wanted = struct{ latency, throughput float64 }{latency: 12, throughput: 10}

// sizes are those of payloads, in bytes.
var sizes = []int{150, 1400}

func length(size int) string { return fmt.Sprintf("%d B", size) }

// underWay are messages of all clients together.
func underWay(o Options) []int {
	if o.Quick {
		return []int{1, 32}
	}
	return []int{1, 8, 16, 32, 64}
}

// count is how many messages are measured, at least.
func count(o Options) int {
	if o.Quick {
		return 50
	}
	return 200
}

func micros(t fabric.Time) float64 { return float64(t) / float64(fabric.Microsecond) }

// newFigure makes a figure of the metrics.
func newFigure(name, title string, axis report.Metric) *figures.Figure {
	return &figures.Figure{Result: &report.Result{
		Name: "amcast-" + name, Title: title, Systems: systems, Axis: axis,
		Metrics: []report.Metric{{Name: Throughput, Unit: "M/s"}, {Name: Latency, Unit: "us"}, {Name: Packets, Unit: "packets"}},
	}}
}

// point measures all systems at a point.
func point(f *figures.Figure, o Options, kase string, x float64, groups int, packet fabric.Time, total, size int, pick func(*rand.Rand) []uint8) {
	for _, system := range systems {
		f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
			m, err := measure(seed, system, groups, packet, total, size, count(o), pick)
			if err != nil {
				return nil, err
			}
			return []figures.Sample{
				figures.Value(Throughput, kase, x, system, m.perSecond/1e6),
				figures.Value(Latency, kase, x, system, micros(m.latency)),
				figures.Value(Packets, kase, x, system, m.packets),
			}, nil
		})
	}
}

// curves are throughput against latency, of messages to all of so many groups: figure 4, and what is like it.
func curves(o Options, groups int) *figures.Figure {
	name, to := "fig4", "one group (figure 4)"
	if groups > 1 {
		name, to = fmt.Sprint("groups-", groups), fmt.Sprint(groups, " groups")
	}
	f := newFigure(name, "Messages to "+to, report.Metric{Name: "messages under way"})
	f.Draw = []report.Figure{{Name: f.Name, Title: "Throughput and latency, messages to " + to, Metric: Latency, Over: Throughput, LogY: true}}
	loads := underWay(o)
	for _, size := range sizes {
		for _, n := range loads {
			point(f, o, length(size), float64(n), groups, o.Packet, n, size, everybody(groups))
		}
	}
	f.Then = func(f *figures.Figure) {
		paper := "paper"
		if groups > 1 {
			paper = "paper, one group"
		}
		for _, size := range sizes {
			judgeLatency(f, fmt.Sprintf("figure %s: latency, PrimCast - P4mCast, %s, 1 under way (%s: %g us)", f.Number, length(size), paper, wanted.latency), length(size), float64(loads[0]))
			judgeThroughput(f, fmt.Sprintf("figure %s: throughput, P4mCast / PrimCast, %s, the best of each (%s: %g)", f.Number, length(size), paper, wanted.throughput), length(size), wanted.throughput)
		}
	}
	return f
}

// judgeLatency compares by how much P4mCast is faster at a point.
func judgeLatency(f *figures.Figure, what, kase string, x float64) {
	at := report.Point{Metric: Latency, Case: kase, X: x}
	less := f.Values(at, P4mCast)
	var v []float64
	for i, t := range f.Values(at, PrimCast) {
		v = append(v, t-less[i])
	}
	f.Judge(report.Verdict{What: what, Unit: "us", Wanted: wanted.latency}, report.SpreadOf(v))
}

// judgeThroughput compares the best throughputs over the axis.
func judgeThroughput(f *figures.Figure, what, kase string, least float64) {
	best := func(system string) map[int]float64 {
		out := map[int]float64{}
		for _, p := range f.Points(Throughput) {
			if p.Case == kase {
				for i, v := range f.Values(p, system) {
					out[i] = max(out[i], v)
				}
			}
		}
		return out
	}
	below := best(PrimCast)
	var v []float64
	for i, x := range best(P4mCast) {
		v = append(v, x/below[i])
	}
	f.Judge(report.Verdict{What: what, Wanted: least}, report.SpreadOf(v))
}

// mixedGroups are those of figure mixed.
const mixedGroups = 4

// mixed has a part of the messages go to two groups.
func mixed(o Options) *figures.Figure {
	f := newFigure("mixed", "Messages to one or two of four groups", report.Metric{Name: "messages to two groups", Unit: "%"})
	f.Draw = []report.Figure{
		{Name: "amcast-mixed-throughput", Title: "Throughput, messages to one or two of four groups", Metric: Throughput},
		{Name: "amcast-mixed-latency", Title: "Latency, messages to one or two of four groups", Metric: Latency, LogY: true},
	}
	parts, loads := []int{0, 10, 50, 100}, []int{8, 64}
	if o.Quick {
		parts, loads = []int{10, 100}, []int{32}
	}
	const size = 150
	f.Set("messages", length(size))
	under := func(n int) string { return fmt.Sprint(n, " under way") }
	for _, n := range loads {
		for _, percent := range parts {
			point(f, o, under(n), float64(percent), mixedGroups, o.Packet, n, size, mixture(mixedGroups, percent))
		}
	}
	f.Then = func(f *figures.Figure) {
		most := under(loads[len(loads)-1])
		for _, percent := range parts {
			at := report.Point{Metric: Throughput, Case: most, X: float64(percent)}
			f.AtLeast(fmt.Sprintf("figure mixed: throughput, P4mCast / PrimCast, %d %% to two groups, %s (paper, one group: %g)", percent, most, wanted.throughput), at, P4mCast, PrimCast, wanted.throughput, "")
		}
	}
	return f
}

// cpu has packets that take hosts' CPUs more or less time: from what a program takes that polls its interface to what the
// network stack of a kernel does.
func cpu(o Options) *figures.Figure {
	f := newFigure("cpu", "Messages to one group by the CPU time of a packet", report.Metric{Name: "CPU time of a packet", Unit: "ns"})
	f.Draw = []report.Figure{{Name: "amcast-cpu", Title: "Latency by the CPU time of a packet at hosts", Metric: Latency, LogX: true, LogY: true}}
	times := []int{100, 500, 1000, 2000, 4000}
	if o.Quick {
		times = []int{100, 2000}
	}
	const size = 1400
	f.Set("messages", fmt.Sprintf("%s, 1 under way", length(size)))
	for _, ns := range times {
		point(f, o, "", float64(ns), 1, fabric.Time(ns)*fabric.Nanosecond, 1, size, everybody(1))
	}
	f.Then = func(f *figures.Figure) {
		for _, ns := range times {
			judgeLatency(f, fmt.Sprintf("figure cpu: latency, PrimCast - P4mCast, %s, 1 under way, %d ns (paper: %g us)", length(size), ns, wanted.latency), "", float64(ns))
		}
	}
	return f
}
