// Package latency measures how long a value takes until it is decided, by the rate at which values
// are offered, in direct and accelerated mode and as Mu: figure 6 of the P4CE paper. The loop is open: the
// time of a value counts from when it was due, whether or not the leader could take it then.
package latency

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/lab/group"
)

// Metrics of a result: of the values of one repetition.
const (
	Median = "latency (p50)"
	Tail   = "latency (p99)"
	Served = "decided of what was offered"
)

// Wanted is the target for the ratio of medians at the lowest rate; the paper has 0.9.
const Wanted = 1.0

// window is how many values are under way at once, at most.
const window = 64

// keeps is the part of the offered rate that is decided at a low load.
const keeps = 0.95

// Options say what to measure.
type Options struct {
	modes.Options
	Rates []float64     // values per second
	For   time.Duration // at each rate, per repetition and mode
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "latency", Title: "Time until a value is decided against the offered rate (open loop)", Systems: modes.Systems(),
		Axis: report.Metric{Name: "offered rate", Unit: "1/s"}, Metrics: []report.Metric{{Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}, {Name: Served, Unit: "%", NoRatio: true}}}
	r.Set("each rate for", o.For)
	r.Set("time counts from", "when a value was due")
	o.Note(r)
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{
		{Name: "latency", Title: "Time until a value is decided: medians", Metric: Median, LogX: true, LogY: true},
		{Name: "latency-p99", Title: "Time until a value is decided: 99th percentiles", Metric: Tail, LogX: true, LogY: true},
	}
}

// Measure measures with every number of replicas, one after the other.
func Measure(ctx context.Context, o Options) (*report.Result, error) {
	r := New(o)
	return o.Options.Measure(r, func(n int) error { return measure(ctx, o, n, r) })
}

func measure(ctx context.Context, o Options, n int, r *report.Result) error {
	var rates []string
	for _, x := range o.Rates {
		rates = append(rates, strconv.FormatFloat(x, 'f', -1, 64))
	}
	err := o.Run(ctx, r, modes.Turns{
		Replicas: n, Record: o.Size, Window: window,
		Leader: []string{"--input", o.Input, "--rates", strings.Join(rates, ","), "--open-loop", o.For.String(),
			// Where it cannot follow, that is to be seen as latency.
			"--ack-timeout", "1s"},
		Each: func(t modes.Turn, e group.Event) {
			if e.Event == "offered" && e.Latency != nil {
				add := func(metric string, v float64) {
					r.Add(report.Point{Metric: metric, Case: modes.Case(n), X: e.Rate}, t.Mode, t.Repetition, v)
				}
				add(Median, float64(e.Latency.P50)/1e3)
				add(Tail, float64(e.Latency.P99)/1e3)
				add(Served, 100*float64(e.Records)/e.Seconds/e.Rate)
			}
		},
	})
	if err != nil {
		return err
	}
	judge(r, n, slices.Min(o.Rates))
	return nil
}

// judge compares the medians at the lowest rate, if the leader could follow it.
func judge(r *report.Result, n int, lowest float64) {
	for _, by := range modes.Baselines() {
		var why []string
		at := report.Point{Metric: Served, Case: modes.Case(n), X: lowest}
		for _, mode := range []string{modes.Accelerated, by} {
			if s := r.Of(at, mode).Median; s < 100*keeps {
				why = append(why, fmt.Sprintf("in %s mode %.0f %% of what was offered was decided in time: the load is not low", mode, s))
			}
		}
		at.Metric = Median
		r.AtMost(fmt.Sprintf("latency at %g values/s at %d replicas, accelerated / %s", lowest, n, by), at, modes.Accelerated, by, Wanted, strings.Join(why, "; "))
	}
}
