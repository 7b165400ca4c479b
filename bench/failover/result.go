package failover

import (
	"fmt"

	"github.com/p4ce/p4ce/bench/report"
)

// Interruption is the metric of a report: how long clients waited, or forming took.
const Interruption = "time"

// Wanted are the targets for medians with default settings, in milliseconds, in both modes.
var Wanted = map[string]float64{CrashedLeader: 10, CrashedSwitch: 10}

// Report brings the samples into the form that all benchmarks have: a case is an event,
// a repetition a round.
func (r *Result) Report() *report.Result {
	out := &report.Result{Name: "failover", Title: fmt.Sprintf("Interruptions of a store of %d servers, as its clients see them", r.Servers),
		Systems: modes, Metrics: []report.Metric{{Name: Interruption, Unit: "ms"}}}
	for _, e := range events {
		for _, m := range modes {
			n := 0
			for _, s := range r.Samples {
				if s.Event == e && s.Mode == m {
					out.Add(report.Point{Metric: Interruption, Case: e}, m, n, float64(s.Took)/1e6)
					n++
				}
			}
		}
	}
	for _, e := range events {
		if wanted, ok := Wanted[e]; ok {
			for _, m := range modes {
				out.Below(fmt.Sprintf("%s, %s mode, default settings", e, m), report.Point{Metric: Interruption, Case: e}, m, wanted)
			}
		}
	}
	return out
}
