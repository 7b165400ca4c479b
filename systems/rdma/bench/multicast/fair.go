package multicast

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Metrics and systems of figures 5 and 6.
const (
	Rate     = "goodput of a flow"
	OfGroup  = "goodput of the group"
	OfOthers = "goodput of a unicast flow beside it"

	First   = "multicast A1 to C1, D1"
	Second  = "multicast C1 to D1, A2"
	Unicast = "unicast D1 to A2"

	Limited   = "one notification per group" // and interval: the home's rule
	Unlimited = "all notifications"          // the paper's
)

// flow is a sender that never stops, at a time.
func flow(name, from string, to []string, at fabric.Time) rdmafabric.LoadConfig {
	c := rdmafabric.LoadConfig{
		LoadConfig: fabric.LoadConfig{Name: name, From: from, To: to, Size: 64 << 10, Count: 1 << 30, Outstanding: 16, Start: at},
		LoadSettings: rdmafabric.LoadSettings{
			Via: rdmafabric.ViaGroup, Policy: private.PolicyAll,
			QP: rdmafabric.QPConfig{MTU: 4096, Window: 2048, AckTimeout: 20 * time.Millisecond, Congestion: congestion()},
		},
	}
	if len(to) == 1 {
		c.Via = rdmafabric.ViaFanOut
	}
	return c
}

// rates runs loads and says what each has done in each interval.
func rates(f *rdmafabric.Network, every fabric.Time, n int, loads []*fabric.Load) (out [][]float64, err error) {
	done := make([]int, len(loads))
	for i, l := range loads {
		done[i] = l.Result.Done
	}
	for range n {
		if err := f.Run(f.Now() + every); err != nil {
			return nil, err
		}
		row := make([]float64, len(loads))
		for i, l := range loads {
			if err := sound(l); err != nil {
				return nil, err
			}
			row[i] = float64(l.Result.Done-done[i]) * float64(l.Config.Size) * 8 / (float64(every) / float64(fabric.Second))
			done[i] = l.Result.Done
		}
		out = append(out, row)
	}
	return out, nil
}

func loads(f *rdmafabric.Network, configs []rdmafabric.LoadConfig) (out []*fabric.Load, err error) {
	for i, c := range configs {
		l, err := f.NewLoad(i, c)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// fairness is figure 5: three flows begin one after the other. The second group shares D1's link
// with the first, and A2's with the unicast flow.
func fairness(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig5", Title: "Three flows that share links", Systems: []string{First, Second, Unicast}, Axis: report.Metric{Name: "time", Unit: "ms"},
		Metrics: []report.Metric{{Name: Rate, Unit: "Gb/s", NoRatio: true}},
	}}
	f.Draw = []report.Figure{{Name: "multicast-fig5", Title: "Flows that begin one after the other (figure 5)", Metric: Rate}}
	phase, every := 16, fabric.Millisecond
	if o.Quick {
		phase = 2
	}
	begin := func(i int) fabric.Time { return start + fabric.Time(i*phase)*fabric.Millisecond }
	f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
		net, err := build(seed, twoRacks(), rdmafabric.Settings{})
		if err != nil {
			return nil, err
		}
		flows, err := loads(net, []rdmafabric.LoadConfig{
			flow(First, "h1", []string{"h3", "h4"}, begin(0)), flow(Second, "h3", []string{"h4", "h5"}, begin(1)), flow(Unicast, "h4", []string{"h5"}, begin(2)),
		})
		if err != nil {
			return nil, err
		}
		if err := net.Run(start); err != nil {
			return nil, err
		}
		rows, err := rates(net, every, 3*phase, flows)
		var out []figures.Sample
		for k, row := range rows {
			for i, v := range row {
				if k >= i*phase {
					out = append(out, figures.Value(Rate, "", float64(k+1), f.Systems[i], v/1e9))
				}
			}
		}
		return out, err
	})
	f.Then = func(f *figures.Figure) {
		// The last half of each phase.
		mean := func(system string, of int) report.Spread {
			var all []float64
			for i := range o.Repetitions {
				sum, n := 0., 0.
				for _, s := range f.Samples {
					if s.System == system && s.Repetition == i && s.X > (float64(of)+0.5)*float64(phase) && s.X <= float64((of+1)*phase) {
						sum, n = sum+s.Value, n+1
					}
				}
				all = append(all, sum/n)
			}
			return report.SpreadOf(all)
		}
		share := func(what string, system string, of int, wanted float64) {
			f.Judge(report.Near("figure 5: "+what, wanted, "Gb/s"), mean(system, of))
		}
		share("first group alone", First, 0, wanted5)
		share("first group beside the second", First, 1, wanted5/2)
		share("second group beside the first", Second, 1, wanted5/2)
		share("first group beside both", First, 2, wanted5/3)
		share("second group beside both", Second, 2, wanted5/3)
		share("unicast flow beside both", Unicast, 2, wanted5/3)
	}
	return f
}

// subflows is figure 6: A1 writes to seven, of which some share their link with a unicast flow.
func subflows(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig6", Title: "A group by the number of its receivers that are congested", Systems: []string{Limited, Unlimited},
		Axis: report.Metric{Name: "congested receivers"}, Metrics: []report.Metric{{Name: OfGroup, Unit: "Gb/s"}, {Name: OfOthers, Unit: "Gb/s"}},
	}}
	f.Draw = []report.Figure{
		{Name: "multicast-fig6", Title: "A group of seven, by how many of its receivers are congested (figure 6)", Metric: OfGroup},
		{Name: "multicast-fig6-unicast", Title: "A unicast flow beside it", Metric: OfOthers},
	}
	settle, last, numbers := 12, 8, []int{1, 2, 3, 4, 5, 6, 7}
	if o.Quick {
		settle, last, numbers = 2, 1, []int{1, 3}
	}
	f.Set("converged", fmt.Sprintf("mean from %d ms to %d ms", settle, settle+last))
	for _, n := range numbers {
		for _, system := range f.Systems {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				var set rdmafabric.Settings
				if system == Unlimited {
					set.CNPInterval = -1
				}
				net, err := build(seed, twoRacks(), set)
				if err != nil {
					return nil, err
				}
				host := func(i int) string { return fmt.Sprint("h", i+2) } // receivers, in a ring
				var to []string
				for i := range 7 {
					to = append(to, host(i))
				}
				list := []rdmafabric.LoadConfig{flow("group", "h1", to, start)}
				for i := range n {
					list = append(list, flow("unicast to "+host(i), host((i+1)%7), []string{host(i)}, start))
				}
				flows, err := loads(net, list)
				if err == nil {
					err = net.Run(start + fabric.Time(settle)*fabric.Millisecond)
				}
				if err != nil {
					return nil, err
				}
				rows, err := rates(net, fabric.Time(last)*fabric.Millisecond, 1, flows)
				if err != nil {
					return nil, err
				}
				others := 0.
				for _, v := range rows[0][1:] {
					others += v / float64(n)
				}
				return []figures.Sample{figures.Value(OfGroup, "", float64(n), system, rows[0][0]/1e9), figures.Value(OfOthers, "", float64(n), system, others/1e9)}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		most := numbers[len(numbers)-1]
		for _, n := range numbers {
			p := report.Point{Metric: OfGroup, X: float64(n)}
			f.Judge(report.Near(fmt.Sprintf("figure 6: goodput of the group with %d congested receivers, all notifications", n), wanted6(n), "Gb/s"), f.Of(p, Unlimited))
		}
		f.AtLeast(fmt.Sprintf("figure 6: goodput of the group with %d congested, one notification per group / all", most), report.Point{Metric: OfGroup, X: float64(most)}, Limited, Unlimited, 1, "")
	}
	return f
}
