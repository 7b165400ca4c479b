// Package burst measures how long bursts of values take, from the first one's posting
// until all are decided, in direct and accelerated mode and as Mu: figure 7 of the P4CE paper.
package burst

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/lab/group"
)

// Metrics of a result: of the bursts of one repetition.
const (
	Median = "time of a burst (p50)"
	Tail   = "time of a burst (p99)"
)

// Largest is the burst that the target is about, and Wanted the target, at 2 replicas.
const (
	Largest = 100
	Wanted  = 0.5
)

// Options say what to measure.
type Options struct {
	modes.Options
	Sizes  []int // values of a burst
	Rounds int   // bursts of each size, per repetition and mode
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "burst", Title: "Bursts of values, from the first one's posting until all are decided", Systems: modes.Systems(),
		Axis: report.Metric{Name: "values in a burst"}, Metrics: []report.Metric{{Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}}}
	r.Set("bursts per repetition", o.Rounds)
	o.Note(r)
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{
		{Name: "burst", Title: "Time until a burst is decided: medians", Metric: Median, LogX: true},
		{Name: "burst-p99", Title: "Time until a burst is decided: 99th percentiles", Metric: Tail, LogX: true},
	}
}

// Measure measures with every number of replicas, one after the other.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	r := New(o)
	return o.Options.Measure(r, func(n int) error { return measure(ctx, o, n, r) })
}

func measure(ctx context.Context, o Options, n int, r *report.Result) error {
	var sizes []string
	for _, s := range o.Sizes {
		sizes = append(sizes, fmt.Sprint(s))
	}
	err := o.Run(ctx, r, modes.Turns{
		Replicas: n, Record: o.Size, Window: max(slices.Max(o.Sizes), 64),
		Leader: []string{"--input", o.Input, "--bursts", strings.Join(sizes, ","), "--count", fmt.Sprint(o.Rounds)},
		Each: func(t modes.Turn, e group.Event) {
			if e.Event == "burst" && e.Latency != nil {
				r.Add(report.Point{Metric: Median, Case: modes.Case(n), X: float64(e.Records)}, t.Mode, t.Repetition, float64(e.Latency.P50)/1e3)
				r.Add(report.Point{Metric: Tail, Case: modes.Case(n), X: float64(e.Records)}, t.Mode, t.Repetition, float64(e.Latency.P99)/1e3)
			}
		},
	})
	if err != nil {
		return err
	}
	if slices.Contains(o.Sizes, Largest) {
		judge(r, n)
	}
	return nil
}

// judge compares the largest bursts.
func judge(r *report.Result, n int) {
	for _, by := range modes.Baselines() {
		r.AtMost(fmt.Sprintf("burst of %d at %d replicas, accelerated / %s", Largest, n, by), report.Point{Metric: Median, Case: modes.Case(n), X: Largest}, modes.Accelerated, by, Wanted, "")
	}
}
