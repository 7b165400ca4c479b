// Package bench measures, in simulated time, how long requests take through a switch that counts them.
package bench

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	sim "github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/tally/control"
	"github.com/p4ce/p4ce/systems/tally/fabric"
)

// Benchmarks are the system's.
var Benchmarks = []bench.Benchmark{{Command: command, Quick: []string{"--repetitions", "1"}}}

func command() *cobra.Command {
	var repetitions int
	var out string
	c := &cobra.Command{
		Use:   "tally",
		Short: "Measure how long requests take through a switch that counts them, in simulated time (no root)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if repetitions < 1 {
				return cli.Usagef("--repetitions %d: at least one", repetitions)
			}
			if err := report.Folder(out); err != nil {
				return err
			}
			r, err := measure(repetitions)
			if err != nil {
				return err
			}
			return r.Write(cmd.OutOrStdout(), out)
		},
	}
	c.Flags().IntVar(&repetitions, "repetitions", report.Repetitions, "seeds of each case")
	c.Flags().StringVar(&out, "out", "out/tally", "folder for CSV and JSON")
	return c
}

// measure runs the scenario that comes with the system.
func measure(repetitions int) (*report.Result, error) {
	const p50, p99 = "latency (p50)", "latency (p99)"
	r := &report.Result{Name: control.Program, Systems: []string{control.Program}, Metrics: []report.Metric{{Name: p50, Unit: "us"}, {Name: p99, Unit: "us"}}}
	r.BeginSimulated()
	systems := sim.Systems{fabric.System}
	text, err := systems.Example("tally")
	if err != nil {
		return nil, err
	}
	for n := range repetitions {
		s, err := systems.Scenario(text)
		if err != nil {
			return nil, err
		}
		s.Seed = uint64(n + 1)
		run, err := s.Begin()
		if err != nil {
			return nil, err
		}
		if err := run.Finish(); err != nil {
			return nil, err
		}
		for _, row := range run.Rows() {
			if row.Err != nil || row.Done < row.Requests {
				return nil, fmt.Errorf("%s: %d of %d requests were answered: %w", row.Load, row.Done, row.Requests, row.Err)
			}
			r.Add(report.Point{Metric: p50, Case: row.Load}, control.Program, n, float64(row.P50)/1e3)
			r.Add(report.Point{Metric: p99, Case: row.Load}, control.Program, n, float64(row.P99)/1e3)
		}
	}
	return r, nil
}
