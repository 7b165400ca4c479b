// Package burst measures how long bursts of values take, from the first one's posting
// until all are decided, in direct and accelerated mode: figure 7 of the P4CE paper.
package burst

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/lab/group"
)

// Metrics of a result: of the bursts of one repetition.
const (
	Median = "time of a burst (p50)"
	Tail   = "time of a burst (p99)"
	direct = "direct"
	accel  = "accelerated"
)

// Largest is the burst that the target is about, and Wanted the target, at 2 replicas.
const (
	Largest = 100
	Wanted  = 0.5
)

// Options say what to measure.
type Options struct {
	Binary      string
	Dir         string // for sockets
	Replicas    []int
	Wire        string
	Sizes       []int // values of a burst
	Rounds      int   // bursts of each size, per repetition and mode
	Size        int   // bytes of a value
	Input       string
	Repetitions int
	Start       time.Duration
	Log         io.Writer
	Progress    func(format string, args ...any)
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "burst", Title: "Bursts of values, from the first one's posting until all are decided", Systems: []string{direct, accel},
		Axis: report.Metric{Name: "values in a burst"}, Metrics: []report.Metric{{Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}}}
	r.Set("bursts per repetition", o.Rounds)
	r.Set("size", fmt.Sprintf("%d B", o.Size))
	r.Set("wire", o.Wire)
	r.Set("repetitions", o.Repetitions)
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
	run, err := r.Begin()
	if err != nil {
		return nil, err
	}
	for _, n := range o.Replicas {
		if err := measure(ctx, o, n, r); err != nil {
			return nil, fmt.Errorf("%d replicas: %w", n, err)
		}
	}
	return r, run.End()
}

func measure(ctx context.Context, o Options, n int, r *report.Result) error {
	var modes []string
	for range o.Repetitions + 1 { // the first warms up
		modes = append(modes, direct, accel)
	}
	var sizes []string
	most := 0
	for _, s := range o.Sizes {
		sizes, most = append(sizes, fmt.Sprint(s)), max(most, s)
	}
	start, cancel := context.WithTimeout(ctx, o.Start)
	defer cancel()
	g, err := group.Start(start, group.Options{Binary: o.Binary, Dir: o.Dir, Replicas: n, Wire: o.Wire, Modes: modes, Log: o.Log,
		Leader: []string{"--record-size", fmt.Sprint(o.Size), "--input", o.Input, "--bursts", strings.Join(sizes, ","), "--count", fmt.Sprint(o.Rounds),
			"--window", fmt.Sprint(max(most, 64))}})
	if err != nil {
		return err
	}
	defer g.Close()
	name := fmt.Sprintf("%d replicas", n)
	for i, mode := range modes {
		repetition := i/2 - 1
		o.Progress("%s, %s: %d of %d", name, mode, repetition+1, o.Repetitions)
		if _, err := g.Await(ctx, "mode", nil); err != nil {
			return err
		}
		if err := g.Leader.Tell("go"); err != nil {
			return err
		}
		e, err := g.Await(ctx, "done", func(e group.Event) {
			if e.Event == "burst" && repetition >= 0 && e.Latency != nil {
				r.Add(report.Point{Metric: Median, Case: name, X: float64(e.Records)}, mode, repetition, float64(e.Latency.P50)/1e3)
				r.Add(report.Point{Metric: Tail, Case: name, X: float64(e.Records)}, mode, repetition, float64(e.Latency.P99)/1e3)
			}
		})
		if err != nil {
			return err
		}
		if e.Repairs > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, %s, repetition %d: replicas that could not keep up got what they had missed again, %d times", name, mode, repetition, e.Repairs))
		}
	}
	if slices.Contains(o.Sizes, Largest) {
		r.AtMost(fmt.Sprintf("burst of %d at %d replicas, accelerated / direct", Largest, n), report.Point{Metric: Median, Case: name, X: Largest}, accel, direct, Wanted, "")
	}
	return nil
}
