package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// quantiles of a distribution that is drawn, in percent.
var quantiles = []float64{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 98, 99, 99.5, 99.9}

// loadResult describes what is measured by the offered rate.
func loadResult() *report.Result {
	return &report.Result{Name: "paxos-load", Title: "Paxos in switches: time until a value is decided, by the rate at which values are offered (open loop)", Systems: []string{asPrograms, inSwitches},
		Axis:    report.Metric{Name: "offered rate", Unit: "1/s"},
		Metrics: []report.Metric{{Name: Median, Unit: "us"}, {Name: Tail, Unit: "us"}, {Name: Served, Unit: "1/s"}}}
}

// cdfResult describes the distribution at one rate.
func cdfResult() *report.Result {
	return &report.Result{Name: "paxos-cdf", Title: fmt.Sprintf("Paxos in switches: distribution of the time until a value is decided, at %d values/s", cdfRate), Systems: []string{asPrograms, inSwitches},
		Axis: report.Metric{Name: "of the values", Unit: "%"}, Metrics: []report.Metric{{Name: Within, Unit: "us"}}}
}

func us(d time.Duration) float64 { return float64(d) / 1e3 }

// measureWhole measures whole systems, in turns: how many values are decided by how many are under way,
// and the CPU time of a value, with both hosts proposing; and latencies by the rate that one host offers.
func measureWhole(ctx context.Context, o Options, r, load, cdf *report.Result) error {
	return measureWith(ctx, o, false, workloads(), r, load, cdf)
}

// measureKept does the same with stores on disk, but for the CPU time of a value.
func measureKept(ctx context.Context, o Options, r, load, cdf *report.Result) error {
	if inMemory(o.Dir) {
		r.Notes = append(r.Notes, onDisk+": the folder for temporary files is in memory (TMPDIR names another one)")
	}
	return measureWith(ctx, o, true, []workload{keptWorkload()}, r, load, cdf)
}

func measureWith(ctx context.Context, o Options, disk bool, list []workload, r, load, cdf *report.Result) error {
	limit := 5*time.Second + 20*o.For
	var all []*system
	defer func() {
		for _, s := range all {
			s.Close()
		}
	}()
	names := []string{asPrograms, inSwitches, inTwo, inOneThree, inOne}
	if !disk {
		names = append(names, atPorts)
	}
	for _, name := range names {
		o.Progress("%s", name)
		setup, cancel := context.WithTimeout(ctx, time.Minute)
		s, err := buildWith(setup, o, name, disk)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	plain := all[:2]
	step := func(s *system, w workload, f func(ctx context.Context) (*offered, error)) (*offered, error) {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		x, err := f(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.name, w.name, err)
		}
		return x, nil
	}
	closed := func(s *system, w workload, window int) (*offered, error) {
		return step(s, w, func(ctx context.Context) (*offered, error) { return s.closed(ctx, w, window, o.For) })
	}
	open := func(s *system, w workload, rate float64) (*offered, error) {
		return step(s, w, func(ctx context.Context) (*offered, error) { return s.hosts[0].open(ctx, w, rate, o.For, nil) })
	}
	moved := map[string]int{}
	for i := -1; i < o.Repetitions; i++ { // the first warms up
		for _, w := range list {
			for _, s := range all[1:] {
				back, err := s.lead(ctx)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				moved[s.name] += back
			}
			o.Progress("%s: %d of %d", w.name, i+1, o.Repetitions)
			best := map[string]*offered{}
			for _, window := range o.Windows {
				for _, s := range all {
					x, err := closed(s, w, window)
					if err != nil {
						return err
					}
					if i >= 0 {
						at := fmt.Sprintf("%s %d", w.name, window)
						r.Add(report.Point{Metric: Most, Case: at}, s.name, i, x.rate())
						r.Add(report.Point{Metric: MostTail, Case: at}, s.name, i, us(x.quantile(0.99)))
					}
					if best[s.name] == nil || best[s.name].rate() < x.rate() {
						best[s.name] = x
					}
				}
			}
			for name, x := range best {
				if i >= 0 {
					r.Add(report.Point{Metric: Most, Case: w.name + bestOf}, name, i, x.rate())
				}
			}
			if w.name == costOf {
				if err := costs(all, i, r, func(s *system) (*offered, error) { return closed(s, w, costWindow) }); err != nil {
					return err
				}
			}
			if i < 0 {
				continue
			}
			for _, rate := range o.Rates {
				for _, s := range plain {
					x, err := open(s, w, rate)
					if err != nil {
						return err
					}
					load.Add(report.Point{Metric: Served, Case: w.name, X: rate}, s.name, i, x.rate())
					load.Add(report.Point{Metric: Median, Case: w.name, X: rate}, s.name, i, us(x.quantile(0.5)))
					load.Add(report.Point{Metric: Tail, Case: w.name, X: rate}, s.name, i, us(x.quantile(0.99)))
				}
			}
			light := float64(cdfRate)
			if w.name == onDisk {
				light = paperDisk.light / paperDisk.software * best[asPrograms].rate()
			}
			for _, s := range plain {
				x, err := open(s, w, light)
				if err != nil {
					return err
				}
				for _, q := range quantiles {
					cdf.Add(report.Point{Metric: Within, Case: w.name, X: q}, s.name, i, us(x.quantile(q/100)))
				}
				r.Add(report.Point{Metric: LightMedian, Case: w.name}, s.name, i, us(x.quantile(0.5)))
				r.Add(report.Point{Metric: LightTail, Case: w.name}, s.name, i, us(x.quantile(0.99)))
			}
		}
	}
	for name, n := range moved {
		if n > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: hosts heard nothing for so long that another switch took over, %d times; nothing had failed", name, n))
		}
	}
	return nil
}

// costs measures whose CPU time a value takes.
func costs(all []*system, repetition int, r *report.Result, load func(*system) (*offered, error)) error {
	on, err := stats()
	if err != nil {
		return err
	}
	defer on.Close()
	for _, s := range all {
		before, err := s.used()
		if err != nil {
			return err
		}
		x, err := load(s)
		if err != nil {
			return err
		}
		after, err := s.used()
		if err != nil {
			return err
		}
		for _, who := range parties {
			if _, there := after[who]; there && repetition >= 0 {
				r.Add(report.Point{Metric: Cost, Case: who}, s.name, repetition, us(after[who]-before[who])/float64(len(x.times)))
			}
		}
	}
	return nil
}

// judgeWhole compares with the targets.
func judgeWhole(r *report.Result) {
	for _, w := range workloads() {
		for _, programs := range []string{asPrograms, atPorts} {
			for _, s := range []string{inSwitches, inTwo, inOneThree} {
				r.AtLeast(fmt.Sprintf("%s, values/s of the whole machine, %s / %s", w.name, s, programs), report.Point{Metric: Most, Case: w.name + bestOf}, s, programs, wantedMost, "")
			}
		}
		r.AtMost(fmt.Sprintf("%s, p99 at %d values/s, switches / programs", w.name, cdfRate), report.Point{Metric: LightTail, Case: w.name}, inSwitches, asPrograms, 1, "")
	}
	// The paper's testbed is two switches.
	at := report.Point{Metric: Most, Case: onDisk + bestOf}
	r.Judge(report.Near(onDisk+", values/s of the whole machine, two switches / programs", paperDisk.switches/paperDisk.software, ""), r.Ratio(at, inTwo, asPrograms))
	r.AtMost(onDisk+", p99 at the light load, switches / programs", report.Point{Metric: LightTail, Case: onDisk}, inSwitches, asPrograms, 1, "")
	// Hosts send and receive the same with one switch; what drivers take for several is charged to them.
	for _, programs := range []string{asPrograms, atPorts} {
		for _, s := range []string{inTwo, inOneThree, inOne} {
			r.AtMost(fmt.Sprintf("CPU time of all servers for a value, %s / %s", s, programs), report.Point{Metric: Cost, Case: servers}, s, programs, 1./wantedMost, "")
		}
	}
}
