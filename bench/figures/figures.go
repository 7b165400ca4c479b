// Package figures runs the figures of a paper in simulated time: many small runs of networks, as many at once as there are
// CPUs, whose samples become tables, files, drawings and verdicts (package bench/report).
//
//	Figure: jobs, one per case and seed ──Run──▶ samples ──Then──▶ verdicts ──▶ Results: one table of all
//
// A seed is a repetition: the same seed gives the same samples on any machine, so a busy machine disturbs nothing.
package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/p4ce/p4ce/bench/report"
)

// Figure is one of a paper.
type Figure struct {
	*report.Result
	Number string // in the paper
	Draw   []report.Figure
	// Then, if not nil, adds the verdicts when everything is measured.
	Then func(*Figure)
	// Apart keeps samples out of the table of all figures: lines of many points.
	Apart bool
	jobs  []job
}

// Sample is a value of a figure, without its repetition.
type Sample struct {
	Metric, Case string
	X            float64
	System       string
	Value        float64
}

// Value makes a Sample.
func Value(metric, kase string, x float64, system string, value float64) Sample {
	return Sample{Metric: metric, Case: kase, X: x, System: system, Value: value}
}

// job is one run of a network.
type job struct {
	repetition int
	run        func(seed uint64) ([]Sample, error)
}

// Repeat makes a job of each repetition: seeds from 1.
func (f *Figure) Repeat(n int, run func(seed uint64) ([]Sample, error)) {
	for i := range n {
		f.jobs = append(f.jobs, job{i, run})
	}
}

// Results are those of a command, with all verdicts, and one for each figure, which has an axis of its own.
type Results struct {
	Main    *report.Result
	Figures []*Figure
}

// Run does all jobs, judges, and puts everything into main, whose settings are those of all figures.
func Run(ctx context.Context, main *report.Result, list []*Figure, progress func(format string, args ...any)) (*Results, error) {
	if progress == nil {
		progress = func(string, ...any) {}
	}
	main.BeginSimulated()
	all := &Results{Main: main, Figures: list}
	if err := all.run(ctx, progress); err != nil {
		return nil, err
	}
	main.Took = time.Since(main.Start)
	for _, f := range list {
		if f.Then != nil {
			f.Then(f)
		}
		f.Settings = append(slices.Clone(main.Settings), f.Settings...)
		f.Start, f.Took, f.Machine, f.Simulated = main.Start, main.Took, main.Machine, main.Simulated
		all.gather(f)
	}
	return all, nil
}

// run does all jobs, as many at once as there are CPUs: each is by itself.
func (all *Results) run(ctx context.Context, progress func(format string, args ...any)) error {
	type out struct {
		samples []Sample
		err     error
	}
	type todo struct {
		f   *Figure
		job job
		out *out
	}
	var list []todo
	for _, f := range all.Figures {
		for _, j := range f.jobs {
			list = append(list, todo{f, j, &out{}})
		}
	}
	next := make(chan todo)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for t := range next {
				t.out.samples, t.out.err = t.job.run(uint64(t.job.repetition) + 1)
				mu.Lock()
				done++
				progress("figure %s: run %d of %d", t.f.Number, done, len(list))
				mu.Unlock()
			}
		})
	}
	var failed error
	for _, t := range list {
		select {
		case next <- t:
			continue
		case <-ctx.Done():
			failed = ctx.Err()
		}
		break
	}
	close(next)
	wg.Wait()
	for _, t := range list {
		if t.out.err != nil {
			failed = errors.Join(failed, fmt.Errorf("figure %s, seed %d: %w", t.f.Number, t.job.repetition+1, t.out.err))
		}
		for _, s := range t.out.samples {
			t.f.Add(report.Point{Metric: s.Metric, Case: s.Case, X: s.X}, s.System, t.job.repetition, s.Value)
		}
	}
	return failed
}

// gather puts what a figure has into the main result, which has no axis: the point of the axis is
// part of the case.
func (all *Results) gather(f *Figure) {
	m := all.Main
	m.Verdicts = append(m.Verdicts, f.Verdicts...)
	m.Notes = append(m.Notes, f.Notes...)
	if f.Apart {
		return
	}
	for _, s := range f.Systems {
		if !slices.Contains(m.Systems, s) {
			m.Systems = append(m.Systems, s)
		}
	}
	name := func(metric string) string { return fmt.Sprintf("figure %s: %s", f.Number, metric) }
	for _, x := range f.Metrics {
		x.Name = name(x.Name)
		m.Metrics = append(m.Metrics, x)
	}
	for _, s := range f.Samples {
		kase := s.Case
		if f.Axis.Name != "" {
			kase = strconv.FormatFloat(s.X, 'f', -1, 64) + " " + f.Axis.Unit
			if f.Axis.Unit == "" {
				kase = f.Axis.Name + " " + strconv.FormatFloat(s.X, 'f', -1, 64)
			}
			if s.Case != "" {
				kase = s.Case + ", " + kase
			}
		}
		m.Add(report.Point{Metric: name(s.Metric), Case: kase}, s.System, s.Repetition, s.Value)
	}
}

// Write writes the table to w, and all files and figures into a folder.
func (all *Results) Write(w io.Writer, dir string) error {
	if err := all.Main.Write(w, dir); err != nil {
		return err
	}
	for _, f := range all.Figures {
		if err := f.Files(dir, f.Draw...); err != nil {
			return err
		}
	}
	return nil
}
