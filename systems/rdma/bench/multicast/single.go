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

// Metrics of figures 4 and 7.
const (
	Latency   = "latency (p50)"
	Bandwidth = "bandwidth of the sender's link"
	Requests  = "requests"
	Goodput   = "goodput"
	Tail      = "latency (p99)"
)

// three are the ways to two receivers. Only switches of hosts are programmable in the testbed.
var three = []string{Group, FanOut, Chain}

// outcome is what came out of one sender.
type outcome struct {
	load      *fabric.Load
	bandwidth float64 // bit/s of the sender's link
}

// one runs a sender, A1, with so many requests of a size under way.
func one(seed uint64, system string, to []string, size, count, depth int, loss float64) (*outcome, error) {
	c := twoRacks()
	if system != Group {
		c.Edge = fabric.ProgramPlain
	}
	f, err := build(seed, c, rdmafabric.Settings{})
	if err != nil {
		return nil, err
	}
	if loss > 0 {
		long, ok := f.Link("h5-leaf2")
		if !ok {
			return nil, fmt.Errorf("there is no link of A2")
		}
		long.Config.Faults.Loss = loss
	}
	l, err := f.NewLoad(0, rdmafabric.LoadConfig{
		LoadConfig:   fabric.LoadConfig{Name: system, From: "h1", To: to, Size: size, Count: count, Outstanding: depth, Start: start},
		LoadSettings: rdmafabric.LoadSettings{Via: viaOf(system), Policy: private.PolicyAll, QP: rdmafabric.QPConfig{MTU: 1024, Window: 1024, AckTimeout: time.Millisecond}},
	})
	if err != nil {
		return nil, err
	}
	uplink := f.Hosts[0].Link()
	var before uint64
	f.At(start+2*fabric.Millisecond, func() {}) // the run is not over while the group is formed
	if err := f.RunWhile(limit, func() bool { return l.Result.First == 0 && !l.Over() }); err != nil {
		return nil, err
	}
	before = uplink.Count.OfferedBytes
	if err := finish(f, l); err != nil {
		return nil, err
	}
	seconds := float64(l.Result.Last-l.Result.First) / float64(fabric.Second)
	return &outcome{l, float64(uplink.Count.OfferedBytes-before) * 8 / seconds}, nil
}

// single is figure 4: A1 writes to D1 and A2.
func single(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig4", Title: "One sender, two receivers", Systems: three, Axis: report.Metric{Name: "request", Unit: "KiB"},
		Metrics: []report.Metric{{Name: Latency, Unit: "us"}, {Name: Bandwidth, Unit: "Gb/s"}, {Name: Requests, Unit: "k/s"}},
	}}
	f.Draw = []report.Figure{
		{Name: "multicast-fig4-latency", Title: "Latency of a request to two receivers (figure 4a)", Metric: Latency, LogX: true, LogY: true},
		{Name: "multicast-fig4-bandwidth", Title: "Bandwidth of the sender's link (figure 4b)", Metric: Bandwidth, LogX: true},
		{Name: "multicast-fig4-requests", Title: "Requests per second (figure 4c)", Metric: Requests, LogX: true, LogY: true},
	}
	const depth = 8
	f.Set("requests under way", depth)
	sizes := []int{128, 512, 2048, 8192, 32768, 131072, 1048576}
	most := 16 << 20
	if o.Quick {
		sizes, most = []int{128, 65536}, 2<<20
	}
	for _, size := range sizes {
		for _, system := range three {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				got, err := one(seed, system, []string{"h4", "h5"}, size, min(1000, max(3*depth, most/size)), depth, 0)
				if err != nil {
					return nil, err
				}
				r := &got.load.Result
				x := float64(size) / 1024
				return []figures.Sample{
					figures.Value(Latency, "", x, system, float64(r.Latency.ValueAtQuantile(50))/1e3),
					figures.Value(Bandwidth, "", x, system, got.bandwidth/1e9),
					figures.Value(Requests, "", x, system, float64(r.Done)/(float64(r.Last-r.First)/float64(fabric.Second))/1e3),
				}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		small, large := float64(sizes[0])/1024, float64(sizes[len(sizes)-1])/1024
		at := func(metric string, x float64) report.Point { return report.Point{Metric: metric, X: x} }
		f.AtLeast("figure 4: requests of 1 MiB, multicast / fan-out", at(Requests, large), Group, FanOut, wanted4.requests, "")
		f.AtMost("figure 4: latency at 1 MiB, multicast / fan-out", at(Latency, large), Group, FanOut, wanted4.latency, "")
		f.AtMost("figure 4: latency at 1 MiB, multicast / chain", at(Latency, large), Group, Chain, 1, "")
		f.AtMost("figure 4: latency at 128 B, multicast / chain", at(Latency, small), Group, Chain, wanted4.chain, "")
		f.AtMost("figure 4: latency at 128 B, multicast / fan-out", at(Latency, small), Group, FanOut, 1, "")
	}
	return f
}

// lossy is figure 7: A1 writes to B1 and A2, and packets are lost on A2's link.
func lossy(o Options) *figures.Figure {
	f := &figures.Figure{Result: &report.Result{
		Name: "multicast-fig7", Title: "Loss on the way to one of two receivers", Systems: three, Axis: report.Metric{Name: "packets lost", Unit: "of 65536"},
		Metrics: []report.Metric{{Name: Goodput, Unit: "Gb/s"}, {Name: Tail, Unit: "us"}},
	}}
	f.Draw = []report.Figure{
		{Name: "multicast-fig7-goodput", Title: "Goodput with loss on one receiver's link (figure 7a)", Metric: Goodput, LogX: true},
		{Name: "multicast-fig7-latency", Title: "Latency (p99) with loss on one receiver's link (figure 7b)", Metric: Tail, LogX: true, LogY: true},
	}
	const size, depth = 16384, 8
	f.Set("requests", fmt.Sprintf("%d B, %d under way", size, depth))
	losses, count := []float64{0, 1, 4, 16, 64}, 3000
	if o.Quick {
		losses, count = []float64{0, 64}, 200
	}
	for _, n := range losses {
		for _, system := range three {
			f.Repeat(o.Repetitions, func(seed uint64) ([]figures.Sample, error) {
				got, err := one(seed, system, []string{"h2", "h5"}, size, count, depth, n/65536)
				if err != nil {
					return nil, err
				}
				r := &got.load.Result
				return []figures.Sample{
					figures.Value(Goodput, "", n, system, r.Goodput(size)/1e9),
					figures.Value(Tail, "", n, system, float64(r.Latency.ValueAtQuantile(99))/1e3),
				}, nil
			})
		}
	}
	f.Then = func(f *figures.Figure) {
		kept := func(system string, n float64, i int) float64 {
			v := func(n float64) float64 { return f.Values(report.Point{Metric: Goodput, X: n}, system)[i] }
			return v(n) / v(0)
		}
		for _, n := range losses[1:] {
			for _, by := range []string{FanOut, Chain} {
				var all []float64
				for i := range o.Repetitions {
					all = append(all, kept(Group, n, i)/kept(by, n, i))
				}
				f.Judge(report.Near(fmt.Sprintf("figure 7: part of the goodput that is left with %g of 65536 lost, %s / %s", n, Group, by), wanted7, ""), report.SpreadOf(all))
			}
		}
	}
	return f
}
