// Package rate measures how many values a leader decides per second when its CPU is what
// limits it (section V-C of the P4CE paper), in direct and accelerated mode, and the CPU
// time of each value.
package rate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/lab/group"
)

// Metrics of a result.
const (
	Rate   = "decided values"
	Cost   = "leader's CPU time per value"
	Use    = "CPU use" // by process: cases are "2 replicas: leader" and so on
	direct = "direct"
	accel  = "accelerated"
)

// Wanted are the targets for the ratio of rates, by replicas; the paper has 1.9 and 3.8.
var Wanted = map[int]float64{2: 1.9, 4: 3.6}

// Options say what to measure.
type Options struct {
	Binary      string
	Dir         string // for sockets
	Replicas    []int
	Wire        string
	Values      int // per repetition and mode
	Size        int // bytes of a value
	Input       string
	Window      int
	Repetitions int
	Quota       float64 // CPUs of the leader
	Pin         bool    // to one CPU, instead of the quota
	Start       time.Duration
	Log         io.Writer
	Progress    func(format string, args ...any)
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "rate", Title: "Decided values per second with the leader's CPU as the limit", Systems: []string{direct, accel},
		Metrics: []report.Metric{{Name: Rate, Unit: "1/s"}, {Name: Cost, Unit: "us"}, {Name: Use, Unit: "CPUs", NoRatio: true}}}
	r.Set("values per repetition", o.Values)
	r.Set("size", fmt.Sprintf("%d B", o.Size))
	r.Set("window", o.Window)
	r.Set("wire", o.Wire)
	r.Set("repetitions", o.Repetitions)
	r.Set("leader's ack time-out", ackTimeout)
	r.Set("network", "threads of the kernel's (threaded NAPI)")
	if o.Pin {
		r.Set("limit", "the leader on one CPU")
	} else {
		r.Set("limit", fmt.Sprintf("%g CPUs for the leader", o.Quota))
	}
	return r
}

// Figures are what is drawn of a result.
func Figures() []report.Figure {
	return []report.Figure{
		{Name: "rate", Title: "Values decided per second, the leader's CPU as the limit", Metric: Rate},
		{Name: "rate-cpu", Title: "CPU time of the leader per decided value", Metric: Cost},
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

const ackTimeout = "1s"

// near is the part of its quota that a leader uses which is limited by it.
const near = 0.85

func measure(ctx context.Context, o Options, n int, r *report.Result) (err error) {
	var modes []string
	for range o.Repetitions + 1 { // the first warms up
		modes = append(modes, direct, accel)
	}
	start, cancel := context.WithTimeout(ctx, o.Start)
	defer cancel()
	g, err := group.Start(start, group.Options{Binary: o.Binary, Dir: o.Dir, Replicas: n, Wire: o.Wire, Modes: modes, Log: o.Log,
		// What the network takes is not the leader's: servers have NICs, and a switch its own processor.
		Threaded: true,
		Leader: []string{"--record-size", fmt.Sprint(o.Size), "--count", fmt.Sprint(o.Values), "--input", o.Input, "--window", fmt.Sprint(o.Window),
			// A leader that its quota holds up is late for every time-out.
			"--ack-timeout", ackTimeout}})
	if err != nil {
		return err
	}
	if o.Pin {
		defer g.Close()
		if _, err := cpu.Pin(g.Leader.PID()); err != nil {
			return err
		}
	} else {
		q, err := cpu.NewQuota(fmt.Sprintf("p4ce-bench-%d", g.Leader.PID()), o.Quota)
		if err != nil {
			g.Close()
			return err
		}
		defer func() {
			g.Close()
			err = errors.Join(err, q.Close())
		}()
		if err := q.Add(g.Leader.PID()); err != nil {
			return fmt.Errorf("quota of the leader: %w", err)
		}
	}
	limit := o.Quota
	if o.Pin {
		limit = 1
	}
	name := fmt.Sprintf("%d replicas", n)
	names, procs := g.Processes()
	for i, mode := range modes {
		repetition := i/2 - 1
		o.Progress("%s, %s: %d of %d", name, mode, repetition+1, o.Repetitions)
		if _, err := g.Await(ctx, "mode", nil); err != nil {
			return err
		}
		before := make([]time.Duration, len(procs))
		for k, p := range procs {
			if before[k], err = cpu.Time(p.PID()); err != nil {
				return err
			}
		}
		if err := g.Leader.Tell("go"); err != nil {
			return err
		}
		e, err := g.Await(ctx, "done", nil)
		if err != nil {
			return err
		}
		if repetition < 0 {
			continue
		}
		r.Add(report.Point{Metric: Rate, Case: name}, mode, repetition, float64(e.Records)/e.Seconds)
		for k, p := range procs {
			after, err := cpu.Time(p.PID())
			if err != nil {
				return err
			}
			used := (after - before[k]).Seconds()
			r.Add(report.Point{Metric: Use, Case: name + ": " + names[k]}, mode, repetition, used/e.Seconds)
			if k == 0 {
				r.Add(report.Point{Metric: Cost, Case: name}, mode, repetition, used*1e6/float64(e.Records))
			}
		}
		if e.Repairs > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, %s, repetition %d: replicas that could not keep up got what they had missed again, %d times", name, mode, repetition, e.Repairs))
		}
	}
	judge(r, n, limit, o.Pin)
	return nil
}

// judge compares the rates, if it was the leader's CPU that limited them.
func judge(r *report.Result, n int, limit float64, pinned bool) {
	name := fmt.Sprintf("%d replicas", n)
	invalid := ""
	for _, mode := range r.Systems {
		if use := r.Of(report.Point{Metric: Use, Case: name + ": leader"}, mode).Median; use < near*limit {
			invalid = fmt.Sprintf("in %s mode the leader used %.2f of its %.2f CPUs: something else was the limit", mode, use, limit)
		}
	}
	wanted, ok := Wanted[n]
	if !ok {
		return
	}
	r.AtLeast(fmt.Sprintf("values/s at %d replicas, accelerated / direct", n), report.Point{Metric: Rate, Case: name}, accel, direct, wanted, invalid)
	// What a value costs is what the rate follows from, whatever the limit was.
	if pinned || invalid != "" {
		r.AtMost(fmt.Sprintf("leader's CPU time per value at %d replicas, accelerated / direct", n), report.Point{Metric: Cost, Case: name}, accel, direct, 1/wanted, "")
	}
}
