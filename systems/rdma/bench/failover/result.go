package failover

import (
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// Interruption is the metric of a report: how long clients waited, or forming took.
const Interruption = "time"

// FalseAlarms is the metric of runs without a crash: terms that were asked for, and
// fall-backs to direct mode.
const FalseAlarms = "false alarms"

// name is the case of an event.
func name(event string, s Settings) string { return event + ", " + s.Name }

// settings are those that were measured.
func (r *Result) settings() (all []Settings) {
	for _, s := range []Settings{Default, Tuned} {
		if slices.ContainsFunc(r.Samples, func(x Sample) bool { return x.Settings == s.Name }) {
			all = append(all, s)
		}
	}
	return all
}

// Report brings the samples into the form that all benchmarks have: a case is an event
// with settings, a repetition a round.
func (r *Result) Report() *report.Result {
	out := &report.Result{Name: "failover", Title: fmt.Sprintf("Interruptions of a store of %d servers, as its clients see them", r.Servers),
		Systems: modes, Metrics: []report.Metric{{Name: Interruption, Unit: "ms"}, {Name: FalseAlarms, Unit: "1/h", NoRatio: true}}}
	for _, set := range r.settings() {
		for _, e := range events {
			for _, m := range modes {
				for n, took := range r.rounds(e, m, set.Name) {
					out.Add(report.Point{Metric: Interruption, Case: name(e, set)}, m, n, float64(took)/1e6)
				}
			}
		}
	}
	for _, a := range r.Alarms {
		n := len(out.Values(report.Point{Metric: FalseAlarms, Case: a.Settings}, a.Mode))
		out.Add(report.Point{Metric: FalseAlarms, Case: a.Settings}, a.Mode, n, a.PerHour())
	}
	for _, set := range r.settings() {
		for _, e := range []string{CrashedLeader, CrashedSwitch} {
			for _, m := range modes {
				out.Below(fmt.Sprintf("%s, %s mode (%s)", name(e, set), m, r.beside(m, set.Name)), report.Point{Metric: Interruption, Case: name(e, set)}, m, set.Wanted)
			}
		}
	}
	return out
}

// beside says how many false alarms there were with the settings.
func (r *Result) beside(mode, settings string) string {
	var sum Alarms
	for _, a := range r.Alarms {
		if a.Mode == mode && a.Settings == settings {
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
