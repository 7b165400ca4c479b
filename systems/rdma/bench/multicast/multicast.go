package multicast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/sim/fabric"
	rdmafabric "github.com/p4ce/p4ce/systems/rdma/fabric"
)

// Systems that are compared.
const (
	Group   = "multicast"           // relays in all switches
	ToROnly = "multicast, ToR-only" // relays in those of hosts
	FanOut  = "fan-out"
	Chain   = "chain"
)

// viaOf is how a system reaches several receivers.
func viaOf(system string) string {
	switch system {
	case FanOut:
		return rdmafabric.ViaFanOut
	case Chain:
		return rdmafabric.ViaChain
	}
	return rdmafabric.ViaGroup
}

// Options say what to measure.
type Options struct {
	Repetitions int
	Quick       bool // less of everything, to see that it works
	Figures     []int
	Progress    func(format string, args ...any)
}

// All are the figures of the paper that there are.
func All() []int { return []int{4, 5, 6, 7, 8, 9} }

// Results are those of the command, with all verdicts, and one for each figure, which has an axis
// of its own.
type Results struct {
	Main    *report.Result
	Figures []*figure
}

// figure is one of the paper.
type figure struct {
	*report.Result
	number int
	draw   []report.Figure
	jobs   []job
	judge  func(f *figure)
}

// sample is a value of a figure, without its repetition.
type sample struct {
	metric, kase string
	x            float64
	system       string
	value        float64
}

// job is one run of a network.
type job struct {
	repetition int
	run        func(seed uint64) ([]sample, error)
}

// repeat makes a job of each repetition.
func (f *figure) repeat(n int, run func(seed uint64) ([]sample, error)) {
	for i := range n {
		f.jobs = append(f.jobs, job{i, run})
	}
}

// Measure measures.
func Measure(ctx context.Context, o Options) (*Results, error) {
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	main := &report.Result{Name: "multicast", Title: "Reliable multicast in a network in simulated time", Systems: []string{Group, ToROnly, FanOut, Chain}}
	main.BeginSimulated()
	all := &Results{Main: main}
	for _, n := range o.Figures {
		f := map[int]func(Options) *figure{4: single, 5: fairness, 6: subflows, 7: lossy, 8: storage, 9: training}[n]
		if f == nil {
			return nil, fmt.Errorf("figure %d: there are %v", n, All())
		}
		x := f(o)
		x.number = n
		all.Figures = append(all.Figures, x)
	}
	main.Set("repetitions", fmt.Sprintf("%d seeds", o.Repetitions))
	main.Set("links", "100 Gb/s, 500 ns")
	main.Set("switches", latency.Duration())
	main.Set("interfaces", fmt.Sprintf("post, receive, complete: %v each", interfaceTime.Duration()))
	if err := all.run(ctx, o); err != nil {
		return nil, err
	}
	main.Took = time.Since(main.Start)
	for _, f := range all.Figures {
		if f.judge != nil {
			f.judge(f)
		}
		f.Settings = append(slices.Clone(main.Settings), f.Settings...)
		f.Start, f.Took, f.Machine, f.Simulated = main.Start, main.Took, main.Machine, main.Simulated
		all.gather(f)
	}
	return all, nil
}

// run does all jobs, as many at once as there are CPUs: each is by itself.
func (all *Results) run(ctx context.Context, o Options) error {
	type out struct {
		samples []sample
		err     error
	}
	type todo struct {
		f   *figure
		job job
		out *out
	}
	var list []todo
	for _, f := range all.Figures {
		for _, j := range f.jobs {
			list = append(list, todo{f, j, &out{}})
		}
	}
	next := make(chan todo)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for t := range next {
				t.out.samples, t.out.err = t.job.run(uint64(t.job.repetition) + 1)
				mu.Lock()
				done++
				o.Progress("figure %d: run %d of %d", t.f.number, done, len(list))
				mu.Unlock()
			}
		}()
	}
	var failed error
	for _, t := range list {
		select {
		case next <- t:
			continue
		case <-ctx.Done():
			failed = ctx.Err()
		}
		break
	}
	close(next)
	wg.Wait()
	for _, t := range list {
		if t.out.err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure %d, seed %d: %w", t.f.number, t.job.repetition+1, t.out.err))
		}
		for _, s := range t.out.samples {
			t.f.Add(report.Point{Metric: s.metric, Case: s.kase, X: s.x}, s.system, t.job.repetition, s.value)
		}
	}
	return failed
}

// gather puts what a figure has into the main result, which has no axis: the point of the axis is
// part of the case.
func (all *Results) gather(f *figure) {
	m := all.Main
	m.Verdicts = append(m.Verdicts, f.Verdicts...)
	m.Notes = append(m.Notes, f.Notes...)
	if f.number == 5 {
		return // a line over time
	}
	for _, s := range f.Systems {
		if !slices.Contains(m.Systems, s) {
			m.Systems = append(m.Systems, s)
		}
	}
	name := func(metric string) string { return fmt.Sprintf("figure %d: %s", f.number, metric) }
	for _, x := range f.Metrics {
		x.Name = name(x.Name)
		m.Metrics = append(m.Metrics, x)
	}
	for _, s := range f.Samples {
		kase := strconv.FormatFloat(s.X, 'f', -1, 64) + " " + f.Axis.Unit
		if f.Axis.Unit == "" {
			kase = f.Axis.Name + " " + strconv.FormatFloat(s.X, 'f', -1, 64)
		}
		if s.Case != "" {
			kase = s.Case + ", " + kase
		}
		m.Add(report.Point{Metric: name(s.Metric), Case: kase}, s.System, s.Repetition, s.Value)
	}
}

// Write writes the table to w, and all files and figures into a folder.
func (all *Results) Write(w io.Writer, dir string) error {
	if err := all.Main.Write(w, dir); err != nil {
		return err
	}
	for _, f := range all.Figures {
		if err := f.Files(dir, f.draw...); err != nil {
			return err
		}
	}
	return nil
}

// What hosts and switches take.
const (
	latency       = 400 * fabric.Nanosecond
	interfaceTime = 300 * fabric.Nanosecond
	start         = 5 * fabric.Millisecond // of the load: controllers have set up what there is by then
	limit         = 20 * fabric.Second     // of a run
)

// link is one of 100 Gb/s that marks as the paper's simulation has it, and has room for what a
// lossless network would stop at its sender.
func link() fabric.LinkConfig {
	return fabric.LinkConfig{Rate: 100e9, Delay: 500 * fabric.Nanosecond, Queue: 64 << 20, ECNMin: 50e3, ECNMax: 500e3, ECNChance: 0.01}
}

func base(kind string) fabric.TopologyConfig {
	return fabric.TopologyConfig{
		Kind: kind, Edge: rdmafabric.Program, Core: fabric.ProgramPlain, HostLink: link(), FabricLink: link(), Latency: latency, RouteDelay: fabric.Millisecond,
		Host:       fabric.HostConfig{Post: interfaceTime, Receive: interfaceTime, Complete: interfaceTime},
		Controller: fabric.ControllerConfig{Delay: 50 * fabric.Microsecond, Write: fabric.Microsecond},
	}
}

// twoRacks is the paper's testbed: two programmable switches of four hosts each, and one between
// them that knows nothing of groups, without blocking. h1 to h4 are A1 to D1, h5 to h8 are A2
// to D2.
func twoRacks() fabric.TopologyConfig {
	c := base(fabric.LeafSpine)
	c.Leaves, c.Spines, c.Hosts = 2, 1, 4
	c.FabricLink.Rate = 400e9
	return c
}

// fatTree is the paper's simulated network, of 54 hosts.
func fatTree(system string) fabric.TopologyConfig {
	c := base(fabric.FatTree)
	c.K = 6
	switch system {
	case Group:
		c.Core = rdmafabric.Program
	case ToROnly: // copies' UDP source ports differ from packet to packet
		c.ECMP = fabric.ECMPAddresses
	case FanOut, Chain:
		c.Edge = fabric.ProgramPlain
	}
	return c
}

// congestion is the paper's DCQCN but for the additive increase: lines are faster than those that
// 40 Mb/s was chosen for, and runs are milliseconds.
func congestion() *dcqcn.Params { return &dcqcn.Params{RateAI: 400e6, RateHAI: 2e9} }

func build(seed uint64, c fabric.TopologyConfig, set rdmafabric.Settings) (*rdmafabric.Network, error) {
	f, err := rdmafabric.New(seed, set)
	if err == nil {
		err = f.Build(c)
	}
	if err != nil {
		return nil, err
	}
	return f, f.Start()
}

// finish runs until all loads are over, and says which is not, or answered what is not held.
func finish(f *rdmafabric.Network, loads ...*fabric.Load) error {
	if err := f.RunWhile(limit, func() bool { return slices.ContainsFunc(loads, func(l *fabric.Load) bool { return !l.Over() }) }); err != nil {
		return err
	}
	for _, l := range loads {
		if err := sound(l); err != nil {
			return err
		}
		if l.Result.Done < l.Config.Count {
			return fmt.Errorf("load %s: %d of %d requests were answered", l.Config.Name, l.Result.Done, l.Config.Count)
		}
	}
	return nil
}

func sound(l *fabric.Load) error {
	switch {
	case l.Result.Err != nil:
		return fmt.Errorf("load %s: %w", l.Config.Name, l.Result.Err)
	case l.Result.Unheld > 0:
		return fmt.Errorf("load %s: %d requests were answered that too few receivers hold", l.Config.Name, l.Result.Unheld)
	}
	return nil
}
