package simulated

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
)

// Metrics of figure 8.
const (
	Rate    = "messages per process"
	Latency = "latency (mean)"
)

const (
	// offered is what each process offers when latency is measured, messages a second: half of what 1Pipe can do.
	offered = 2.5e6
	// underWay is how many messages of each process are under way when as many are delivered as can be; at least two
	// broadcasts.
	underWay = 256
)

// messages is a number of rounds, in each of which each process broadcasts once, so that a process sends so many messages.
func messages(n, processes, least int) int { return max(least, n/processes) }

// scalability is figure 8: all processes broadcast to all.
func scalability(o Options) *figures.Figure {
	others := []string{string(baseline.SwitchSequencer), string(baseline.HostSequencer), string(baseline.Token), string(baseline.Lamport)}
	systems := append([]string{others[0], BestEffort, Reliable}, others[1:]...)
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-fig8", Title: "Total order broadcast", Systems: systems, Axis: report.Metric{Name: "processes"},
		Metrics: []report.Metric{{Name: Rate, Unit: "M/s"}, {Name: Latency, Unit: "us"}},
	}}
	f.Draw = []report.Figure{
		{Name: "onepipe-fig8a", Title: "Messages that each process receives per second (figure 8a)", Metric: Rate, LogX: true},
		{Name: "onepipe-fig8b", Title: "Latency at 2.5 M messages/s of each process (figure 8b)", Metric: Latency, LogX: true, LogY: true},
	}
	f.Set("messages", fmt.Sprintf("%d B, to all; %d of each process under way for the rate, %g M/s of each offered for the latency", payloadLen, underWay, offered/1e6))
	for _, n := range o.Processes {
		for _, system := range systems {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				rate, latency, err := broadcasts(seed, system, n)
				if err != nil {
					return nil, fmt.Errorf("%s, %d processes: %w", system, n, err)
				}
				x := float64(n)
				return []figures.Sample{
					figures.Value(Rate, "", x, system, rate/1e6),
					figures.Value(Latency, "", x, system, micros(latency)),
				}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) { judgeScalability(f, others, o.Processes) }
	return f
}

func micros(t fabric.Time) float64 { return float64(t) / float64(fabric.Microsecond) }

// broadcasts is a case of figure 8.
func broadcasts(seed uint64, system string, processes int) (rate float64, latency fabric.Time, err error) {
	window := max(2, underWay/processes)
	o := options{window: 4 * window} // fragments on their way, and acknowledgements on theirs
	c, err := build(seed, system, processes, o)
	if err != nil {
		return 0, 0, err
	}
	warm := window + messages(128, processes, 2)
	if c.pipe == nil {
		warm *= 4 // acknowledgements, for which nothing waits, pile up first
	}
	if rate, err = newLoad(c).rate(seed, window, warm, messages(256, processes, 3)); err != nil {
		return 0, 0, err
	}
	if c, err = build(seed, system, processes, o); err != nil {
		return 0, 0, err
	}
	latency, err = newLoad(c).latency(seed, offered, messages(200, processes, 3))
	return rate, latency, err
}

func judgeScalability(f *figures.Figure, others []string, processes []int) {
	least, most := slices.Min(processes), slices.Max(processes)
	at := func(metric string, n int) report.Point { return report.Point{Metric: metric, X: float64(n)} }
	var linear []float64
	first := f.Values(at(Rate, least), BestEffort)
	for i, v := range f.Values(at(Rate, most), BestEffort) {
		linear = append(linear, v/first[i])
	}
	f.Judge(report.Verdict{What: fmt.Sprintf("figure 8a: rate of each process, best effort, %d processes / %d (paper: the same, 5 M/s)", most, least), Wanted: wanted8.linear}, report.SpreadOf(linear))
	f.AtLeast(fmt.Sprintf("figure 8a: rate, reliable / best effort, %d processes (paper: 0.75)", most), at(Rate, most), Reliable, BestEffort, wanted8.reliable, "")
	full := pipeRate / (offered * 2 * float64(frameBits))
	for _, system := range others {
		invalid := ""
		if system == string(baseline.SwitchSequencer) && float64(most) < full {
			invalid = fmt.Sprintf("a switch has room for the messages of %.0f processes [--processes 512]", full)
		}
		f.AtLeast(fmt.Sprintf("figure 8a: rate, best effort / %s, %d processes (paper: above)", system, most), at(Rate, most), BestEffort, system, wanted8.above, invalid)
	}
	for _, system := range others {
		f.AtMost(fmt.Sprintf("figure 8b: latency, best effort / %s, %d processes (paper: below)", system, most), at(Latency, most), BestEffort, system, wanted8.above, "")
	}
}

// frameBits are those of a message on a link.
const frameBits = 8 * (14 + 20 + 8 + 24 + 4 + payloadLen + 4 + 24)
