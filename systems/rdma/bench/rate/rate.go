// Package rate measures how many values a leader decides per second when its CPU is the limit
// (section V-C of the P4CE paper), in direct and accelerated mode and as Mu, and the CPU time of
// each value.
package rate

import (
	"context"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/bench/cpu"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
	"github.com/p4ce/p4ce/systems/rdma/lab/group"
)

// Metrics of a result.
const (
	Rate = "decided values"
	Cost = "leader's CPU time per value"
	Use  = "CPU use" // by process: cases are "2 replicas: leader" and so on
)

// Wanted are the targets for the ratio of rates, by replicas; the paper has 1.9 and 3.8.
var Wanted = map[int]float64{2: 1.9, 4: 3.6}

// Options say what to measure.
type Options struct {
	modes.Options
	Values int // per repetition and mode
	Window int
	Quota  float64 // CPUs of the leader
	Pin    bool    // to one CPU, instead of the quota
	Out    string  // folder for the leader's profiles, rate-REPLICAS.pprof
}

// New describes a run.
func New(o Options) *report.Result {
	r := &report.Result{Name: "rate", Title: "Decided values per second with the leader's CPU as the limit", Systems: modes.Systems(),
		Metrics: []report.Metric{{Name: Rate, Unit: "1/s"}, {Name: Cost, Unit: "us"}, {Name: Use, Unit: "CPUs", NoRatio: true}}}
	r.Set("values per repetition", o.Values)
	r.Set("window", o.Window)
	o.Note(r)
	r.Set("leader's ACK timeout", ackTimeout)
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
	if _, err := o.Options.Measure(r, func(n int) error { return measure(ctx, o, n, r) }); err != nil {
		return nil, err
	}
	note(r, o.Replicas)
	return r, nil
}

const ackTimeout = "1s"

// near is the part of its quota that a leader uses which is limited by it.
const near = 0.85

func measure(ctx context.Context, o Options, n int, r *report.Result) error {
	name := modes.Case(n)
	var before []time.Duration
	err := o.Run(ctx, r, modes.Turns{
		Replicas: n, Record: o.Size, Window: o.Window,
		// What the network takes is not the leader's: servers have NICs, and a switch its own processor.
		Threaded: true,
		Leader: []string{"--count", fmt.Sprint(o.Values), "--input", o.Input,
			// A leader that its quota holds up is late for every time-out.
			"--ack-timeout", ackTimeout, "--cpu-profile", o.profile(n)},
		Up: o.limit,
		Before: func(g *group.Group) (err error) {
			before, err = times(g)
			return err
		},
		After: func(g *group.Group, t modes.Turn) error {
			after, err := times(g)
			if err != nil {
				return err
			}
			r.Add(report.Point{Metric: Rate, Case: name}, t.Mode, t.Repetition, float64(t.Done.Records)/t.Done.Seconds)
			names, _ := g.Processes()
			for k := range names {
				used := (after[k] - before[k]).Seconds()
				r.Add(report.Point{Metric: Use, Case: name + ": " + names[k]}, t.Mode, t.Repetition, used/t.Done.Seconds)
				if k == 0 {
					r.Add(report.Point{Metric: Cost, Case: name}, t.Mode, t.Repetition, used*1e6/float64(t.Done.Records))
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	limit := o.Quota
	if o.Pin {
		limit = 1
	}
	judge(r, n, limit, o.Pin)
	text, err := top(o.profile(n))
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s: where the leader's CPU time goes, in all modes: %s", name, text))
	return nil
}

// limit limits the leader of a group.
func (o Options) limit(g *group.Group) (undo func() error, err error) {
	if o.Pin {
		_, err := cpu.Pin(g.Leader.PID())
		return nil, err
	}
	q, err := cpu.NewQuota(fmt.Sprintf("p4ce-bench-%d", g.Leader.PID()), o.Quota)
	if err != nil {
		return nil, err
	}
	if err := q.Add(g.Leader.PID()); err != nil {
		return q.Close, fmt.Errorf("quota of the leader: %w", err)
	}
	return q.Close, nil
}

// times are the CPU times of the processes of a group.
func times(g *group.Group) ([]time.Duration, error) {
	_, procs := g.Processes()
	out := make([]time.Duration, len(procs))
	for i, p := range procs {
		var err error
		if out[i], err = cpu.Time(p.PID()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// judge compares the rates, if it was the leader's CPU that limited them.
func judge(r *report.Result, n int, limit float64, pinned bool) {
	name := modes.Case(n)
	wanted, ok := Wanted[n]
	if !ok {
		return
	}
	for _, by := range modes.Baselines() {
		invalid := ""
		for _, mode := range []string{modes.Accelerated, by} {
			if use := r.Of(report.Point{Metric: Use, Case: name + ": leader"}, mode).Median; use < near*limit {
				invalid = fmt.Sprintf("in %s mode the leader used %.2f of its %.2f CPUs: something else was the limit", mode, use, limit)
			}
		}
		r.AtLeast(fmt.Sprintf("values/s at %d replicas, accelerated / %s", n, by), report.Point{Metric: Rate, Case: name}, modes.Accelerated, by, wanted, invalid)
		// What a value costs is what the rate follows from, whatever the limit was.
		if pinned || invalid != "" {
			r.AtMost(fmt.Sprintf("leader's CPU time per value at %d replicas, accelerated / %s", n, by), report.Point{Metric: Cost, Case: name}, modes.Accelerated, by, 1/wanted, "")
		}
	}
}
