package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/cilium/ebpf/rlimit"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/dataplane"
)

// Metrics of a result, and what is compared in each.
const (
	Program = "program by itself"
	Packet  = "packet on interfaces"
	Groups  = "packet on interfaces, by groups"
	CPUs    = "packets on interfaces, by CPUs"

	hand     = "C by hand"
	p4       = "P4"
	redirect = "plain redirect"
	clone    = "TC clone_redirect"
	oneCPU   = "1 CPU"
	twoCPUs  = "2 CPUs"
)

// Bounds that the project holds itself to.
const (
	maxOverHand   = 1.1
	maxOverGroups = 1.15
	minTwoCPUs    = 1.8
)

// groupCounts are how many groups packets are for in turn; the first is what the others
// are compared with.
var groupCounts = []int{1, 64, maxGroups}

// fanOut are the copies of a packet that are measured.
var fanOut = []int{1, 2, 4, 8}

func groups(n int) string {
	if n == 1 {
		return "1 group"
	}
	return fmt.Sprintf("%d groups", n)
}

func scatterTo(n int) string { return fmt.Sprintf("scatter to %d", n) }

// Options say what to measure.
type Options struct {
	Repetitions int
	Runs        int // of a program, per repetition
	Packets     int // on interfaces, per repetition
	Progress    func(format string, args ...any)
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "switch", Title: "What a packet costs the switch, in the kernel", Systems: []string{hand, p4, redirect, clone, oneCPU, twoCPUs},
		Metrics: []report.Metric{{Name: Program, Unit: "ns"}, {Name: Packet, Unit: "ns"}, {Name: Groups, Unit: "ns"}, {Name: CPUs, Unit: "1/us"}}}
	for _, n := range groupCounts {
		r.Systems = append(r.Systems, groups(n))
	}
	r.Set("repetitions", o.Repetitions)
	r.Set("runs of a program", o.Runs)
	r.Set("packets on interfaces", o.Packets)
	r.Set("payload", fmt.Sprintf("%d B", payload))
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{
		{Name: "switch-program", Title: "Cost of a program by itself: P4 beside C by hand", Metric: Program},
		{Name: "switch-packet", Title: "Cost of a packet on interfaces, one CPU", Metric: Packet},
		{Name: "switch-groups", Title: "Cost of a packet by the number of groups", Metric: Groups},
		{Name: "switch-cpus", Title: "Packets on one CPU and on two", Metric: CPUs},
	}
}

// Ready says why this machine cannot measure.
func Ready() error {
	if os.Geteuid() != 0 {
		return errors.New("this measurement runs XDP programs in network namespaces, which needs root")
	}
	return nil
}

// Measure measures everything, the systems in turns.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	if err := Ready(); err != nil {
		return nil, err
	}
	if err := rlimit.RemoveMemlock(); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	r := New(o)
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	if err := memory(r); err != nil { // first: what is measured later is not in it
		return nil, err
	}
	if err := programs(ctx, o, r); err != nil {
		return nil, err
	}
	unclean, err := interfaces(ctx, o, r)
	if err != nil {
		return nil, err
	}
	if err := run.End(); err != nil {
		return nil, err
	}
	judge(r, unclean)
	return r, nil
}

// judge compares with the bounds. What caches and the number of CPUs decide is not judged
// when something else got the CPUs meanwhile, in more samples than a median bears.
func judge(r *report.Result, unclean map[report.Point]int) {
	for _, p := range r.Points(Program) {
		if len(r.Values(p, hand)) > 0 {
			r.AtMost(p.Case+", P4 / C by hand", p, p4, hand, maxOverHand, "")
		}
	}
	disturbed := func(p report.Point) string {
		if n, all := unclean[p], len(r.Values(p, r.At(p)[0]))*len(r.At(p)); 4*n > all {
			return fmt.Sprintf("disturbed: in %d of %d samples something else got the CPU", n, all)
		}
		return ""
	}
	for _, p := range r.Points(Groups) {
		r.AtMost(fmt.Sprintf("%s, %d groups / 1 group", p.Case, maxGroups), p, groups(maxGroups), groups(1), maxOverGroups, disturbed(p))
	}
	if len(r.Points(CPUs)) == 0 {
		r.Verdicts = append(r.Verdicts, report.Verdict{What: "2 CPUs / 1 CPU", Wanted: minTwoCPUs, Invalid: fmt.Sprintf("%d CPU here", runtime.NumCPU())})
	}
	for _, p := range r.Points(CPUs) {
		r.AtLeast(p.Case+", 2 CPUs / 1 CPU", p, twoCPUs, oneCPU, minTwoCPUs, disturbed(p))
	}
}

// port of a host of a lab, from 0.
func port(host int) dataplane.Port { return dataplane.Port(host + 1) }
