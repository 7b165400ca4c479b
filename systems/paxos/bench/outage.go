package bench

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// Faults: which switch is killed.
var faults = []struct{ name, victim string }{{"an acceptor fails", "a3"}, {"the leader fails", "l"}}

const (
	outageRate = 10000 // values per second
	before     = 500 * time.Millisecond
	after      = 700 * time.Millisecond
	shown      = 200 * time.Millisecond // before the fault; twice that behind it
	bin        = 5 * time.Millisecond
)

func outageResult() *report.Result {
	r := &report.Result{Name: "paxos-outage", Title: fmt.Sprintf("Paxos in switches: values decided around a fault, of %d a second", outageRate),
		Axis: report.Metric{Name: "time since the fault", Unit: "ms"}, Metrics: []report.Metric{{Name: Decided, Unit: "1/s", NoRatio: true}}}
	for _, f := range faults {
		r.Systems = append(r.Systems, f.name)
	}
	return r
}

// measureOutages kills switches while values are offered, each time in a network of its own.
func measureOutages(ctx context.Context, o Options, r, line *report.Result) error {
	w := workloads()[0]
	for i := range o.Repetitions {
		for _, f := range faults {
			o.Progress("%s: %d of %d", f.name, i+1, o.Repetitions)
			if err := outage(ctx, o, w, f.name, f.victim, i, r, line); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return nil
}

func outage(ctx context.Context, o Options, w workload, name, victim string, repetition int, r, line *report.Result) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := build(ctx, o, inSwitches)
	if err != nil {
		return err
	}
	defer s.Close()
	h := s.hosts[0]
	if _, err := h.closed(ctx, w, 16, before); err != nil { // warm
		return err
	}
	var fault time.Time
	x, err := h.open(ctx, w, outageRate, before+after, func(since time.Duration) {
		if fault.IsZero() && since >= before {
			fault = time.Now()
			s.network.Kill(victim)
		}
	})
	if err != nil {
		return err
	}
	// It was a fault: the switch is gone, and another one leads if it did.
	select {
	case <-s.network.Switch(victim).Gone():
	case <-ctx.Done():
		return fmt.Errorf("%s does not end: %w", victim, ctx.Err())
	}
	for leader := victim; leader == victim; {
		info, err := s.network.Application(ctx)
		if err != nil {
			return err
		}
		leader = info.Leader
	}
	// The longest that a client heard nothing, before and since the fault.
	var gaps [2]time.Duration
	slices.SortFunc(x.at, time.Time.Compare)
	for k, t := range x.at[1:] {
		side := 0
		if t.After(fault) {
			side = 1
		}
		gaps[side] = max(gaps[side], t.Sub(x.at[k]))
	}
	r.Add(report.Point{Metric: Gap, Case: "nothing fails (just before)"}, name, repetition, float64(gaps[0])/1e6)
	r.Add(report.Point{Metric: Gap, Case: "since the fault"}, name, repetition, float64(gaps[1])/1e6)
	counts := map[int]int{}
	for _, t := range x.at {
		counts[int((t.Sub(fault)+before)/bin)]++
	}
	for t := -shown; t < 2*shown; t += bin {
		line.Add(report.Point{Metric: Decided, X: float64(t) / 1e6}, name, repetition, float64(counts[int((t+before)/bin)])/bin.Seconds())
	}
	return nil
}

func judgeOutages(r *report.Result) {
	for _, f := range faults {
		r.Below(f.name+", the longest that a client hears nothing", report.Point{Metric: Gap, Case: "since the fault"}, f.name, wantedGap)
	}
}
