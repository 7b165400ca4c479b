package simulated

import (
	"fmt"
	"math/rand/v2"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
)

// lossyRate is how many messages each process delivers in a second when all have some broadcasts of their own under way and
// links lose packets: in a time, after another one.
func lossyRate(c *cluster, seed uint64, window int, warm, span fabric.Time) (float64, error) {
	begin := c.Now() + warm
	n, delivered := make([]int, c.processes), 0
	post := func(p int) {
		n[p]++
		if err := c.broadcast(p, payload(n[p])); err != nil {
			c.Fail(err)
		}
	}
	again := func(p int) { c.At(c.Now(), func() { post(p) }) }
	c.deliver = func(at, from int, _ []byte) {
		if c.Now() >= begin {
			delivered++
		}
		if at == from {
			again(at)
		}
	}
	c.lost = func(from, to int) {
		if from == to {
			again(from)
		}
	}
	r := rand.New(rand.NewPCG(seed, 8))
	for p := range c.processes {
		for range window {
			c.At(c.Now()+fabric.Time(r.Int64N(int64(5*fabric.Microsecond))), func() { post(p) })
		}
	}
	if err := c.Run(begin + span); err != nil {
		return 0, err
	}
	return float64(delivered) / float64(c.processes) / (float64(span) / float64(fabric.Second)), c.Check()
}

// The processes of figure 9b, and how long a packet is waited for at least: several round trips.
const (
	lossyProcesses = 16
	lossyRetry     = 15 * fabric.Microsecond
)

// lossy is figure 9b: links of hosts lose packets.
func lossy(o Options) *figures.Figure {
	systems := []string{string(baseline.Unordered), BestEffort, Reliable}
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-fig9b", Title: "Hosts' links that lose packets", Systems: systems, Axis: report.Metric{Name: "loss"},
		Metrics: []report.Metric{{Name: Latency, Unit: "us"}, {Name: Rate, Unit: "M/s"}},
	}}
	f.Draw = []report.Figure{
		{Name: "onepipe-fig9b", Title: fmt.Sprintf("Latency of a message by the loss on hosts' links, %d processes (figure 9b)", lossyProcesses), Metric: Latency, LogX: true, LogY: true},
		{Name: "onepipe-fig9b-rate", Title: fmt.Sprintf("Messages that each process receives per second, %d processes", lossyProcesses), Metric: Rate, LogX: true},
	}
	f.Set("processes", lossyProcesses)
	f.Set("a packet counts as lost", fmt.Sprintf("after %v, at least", lossyRetry.Duration()))
	list, count, span := []float64{1e-8, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}, 100, 120*fabric.Microsecond
	if o.Quick {
		list, count, span = []float64{1e-8, 1e-1}, 20, 20*fabric.Microsecond
	}
	for _, loss := range list {
		for _, system := range systems {
			one := func(seed uint64) ([]figures.Sample, error) {
				c, err := build(seed, system, lossyProcesses, options{window: 16, loss: loss, retry: lossyRetry})
				if err != nil {
					return nil, err
				}
				p, err := probe(c, seed, count, 8*fabric.Microsecond, nil)
				if err != nil {
					return nil, err
				}
				samples := []figures.Sample{figures.Value(Latency, "", loss, system, micros(mean(p.all())))}
				if c.pipe == nil { // it does not send again
					return samples, nil
				}
				const window = 32 // broadcasts
				if c, err = build(seed, system, lossyProcesses, options{window: 4 * window, loss: loss, retry: lossyRetry}); err != nil {
					return nil, err
				}
				rate, err := lossyRate(c, seed, window, 80*fabric.Microsecond, span)
				return append(samples, figures.Value(Rate, "", loss, system, rate/1e6)), err
			}
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				samples, err := one(seed)
				if err != nil {
					return nil, fmt.Errorf("%s, loss of %g: %w", system, loss, err)
				}
				return samples, nil
			})
		}
	}
	f.Then = judgeLossy
	return f
}

func judgeLossy(f *figures.Figure) {
	ratio := func(metric, system string, loss float64) report.Spread {
		var v []float64
		below := f.Values(report.Point{Metric: metric, X: 1e-8}, system)
		for i, x := range f.Values(report.Point{Metric: metric, X: loss}, system) {
			v = append(v, x/below[i])
		}
		return report.SpreadOf(v)
	}
	for _, system := range []string{BestEffort, Reliable} {
		f.Judge(report.Verdict{What: "figure 9b: latency, loss of 1e-5 / 1e-8, " + system + " (paper: 1)", AtMost: true, Wanted: wanted9b.knee}, ratio(Latency, system, 1e-5))
		f.Judge(report.Verdict{What: "figure 9b: latency, loss of 1e-1 / 1e-8, " + system + " (paper: grows)", Wanted: wanted9b.knee}, ratio(Latency, system, 1e-1))
		f.Judge(report.Verdict{What: "figure 9b: rate, loss of 1e-3 / 1e-8, " + system + " (paper: little impact)", Wanted: wanted9b.rate}, ratio(Rate, system, 1e-3))
	}
	f.AtLeast("figure 9b: latency, loss of 1e-1, reliable / best effort (paper: more sensitive)", report.Point{Metric: Latency, X: 1e-1}, Reliable, BestEffort, wanted9b.sensitive, "")
}
