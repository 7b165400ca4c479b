package simulated

import (
	"fmt"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Memory is a metric of figure 11.
const Memory = "memory for messages that wait"

// reorder is figure 11: a host's clock is behind, so that all messages wait.
func reorder(o Options) *figures.Figure {
	systems := []string{BestEffort, Reliable}
	f := &figures.Figure{Result: &report.Result{
		Name: "onepipe-fig11", Title: "Messages that wait for their place in the order", Systems: systems, Axis: report.Metric{Name: "delay", Unit: "us"},
		Metrics: []report.Metric{{Name: Memory, Unit: "kB"}, {Name: Rate, Unit: "M/s"}},
	}}
	f.Draw = []report.Figure{
		{Name: "onepipe-fig11", Title: "Memory of a process, by how much the slowest clock is behind (figure 11)", Metric: Memory, LogX: true, LogY: true},
		{Name: "onepipe-fig11-rate", Title: "Messages that each process receives per second, by how much the slowest clock is behind", Metric: Rate, LogX: true},
	}
	const processes, window = 8, 96
	f.Set("processes", fmt.Sprintf("%d in one rack, each at a host", processes))
	delays, span := []int{1, 5, 25, 125}, 100*fabric.Microsecond
	if o.Quick {
		delays, span = []int{5, 25}, 20*fabric.Microsecond
	}
	for _, d := range delays {
		for _, system := range systems {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				late := fabric.Time(d) * fabric.Microsecond
				c, err := build(seed, system, processes, options{window: 256, late: late})
				if err != nil {
					return nil, err
				}
				begin := c.Now() + late + 170*fabric.Microsecond // what was under way in the beginning has been delivered
				sum, looks := 0, 0
				var look func()
				look = func() {
					for _, h := range c.pipe.hosts {
						_, bytes := c.pipe.net.Host(h).Waiting()
						sum, looks = sum+bytes, looks+1
					}
					c.At(c.Now()+fabric.Microsecond, look)
				}
				c.At(begin, look)
				rate, err := lossyRate(c, seed, window, begin-c.Now(), span)
				if err != nil {
					return nil, fmt.Errorf("%s, %d us: %w", system, d, err)
				}
				x := float64(d)
				return []figures.Sample{
					figures.Value(Memory, "", x, system, float64(sum)/float64(looks)/1e3), figures.Value(Rate, "", x, system, rate/1e6),
				}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		least, most := float64(delays[0]), float64(delays[len(delays)-1])
		for _, system := range systems {
			var v []float64
			first := f.Values(report.Point{Metric: Rate, X: least}, system)
			for i, x := range f.Values(report.Point{Metric: Rate, X: most}, system) {
				v = append(v, x/first[i])
			}
			f.Judge(report.Verdict{What: fmt.Sprintf("figure 11: rate, delay of %g us / %g us, %s (paper: 1)", most, least, system), Wanted: wanted11.rate}, report.SpreadOf(v))
			f.Below(fmt.Sprintf("figure 11: memory of a process, delay of %g us, %s (paper: 3.5 MB for 16)", most, system), report.Point{Metric: Memory, X: most}, system, wanted11.memory)
		}
	}
	return f
}
