package failover

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// Interruption is the metric of a report: how long clients waited, or forming took.
const Interruption = "time"

// FalseAlarms is the metric of runs without a crash: terms that were asked for, and
// fall-backs to direct mode.
const FalseAlarms = "false alarms"

// wanted is how long clients may wait, at most, in ms.
var wanted = map[string]float64{CrashedReplica: 1, CrashedLeader: 10, CrashedSwitch: 10}

// Report brings the samples into the form that all benchmarks have: a case is an event, a repetition a round.
func (r *Result) Report() *report.Result {
	out := &report.Result{Name: "failover", Title: fmt.Sprintf("Interruptions of a store of %d servers, as its clients see them", r.Servers),
		Systems: modes, Metrics: []report.Metric{{Name: Interruption, Unit: "ms"}, {Name: FalseAlarms, Unit: "1/h", NoRatio: true}}}
	for _, e := range events {
		for _, m := range modes {
			for n, took := range r.rounds(e, m) {
				out.Add(report.Point{Metric: Interruption, Case: e}, m, n, float64(took)/1e6)
			}
		}
	}
	for _, a := range r.Alarms {
		at := report.Point{Metric: FalseAlarms, Case: fullLoad}
		out.Add(at, a.Mode, len(out.Values(at, a.Mode)), a.PerHour())
	}
	for _, e := range events {
		for _, m := range modes {
			if most := wanted[e]; most > 0 && len(r.rounds(e, m)) > 0 {
				out.Below(fmt.Sprintf("%s, %s mode (%s)", e, m, r.beside(m)), report.Point{Metric: Interruption, Case: e}, m, most)
			}
		}
	}
	return out
}

// fullLoad is the case of false alarms.
const fullLoad = "full load"

// beside says how many false alarms there were.
func (r *Result) beside(mode string) string {
	var sum Alarms
	for _, a := range r.Alarms {
		if a.Mode == mode {
			sum.Terms += a.Terms
			sum.Fallbacks += a.Fallbacks
			sum.Over += a.Over
		}
	}
	if sum.Over == 0 {
		return "false alarms not measured"
	}
	return fmt.Sprintf("%.0f false alarms per hour under full load: %d elections and %d fall-backs in %v", sum.PerHour(), sum.Terms, sum.Fallbacks, sum.Over.Round(time.Second/10))
}
