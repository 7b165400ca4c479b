package byhand

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
)

// command is the command line of a benchmark.
type command struct {
	Options
	benchmark *Benchmark
	out       string
}

// Quick are flags for a short run.
func Quick() []string { return []string{"--repetitions", "1", "--runs", "100000"} }

// Command makes the benchmark's command.
func (b *Benchmark) Command(short, long string) *cobra.Command {
	o := command{benchmark: b}
	c := &cobra.Command{
		Use:     b.Name,
		Short:   short,
		Long:    long,
		Example: "  p4ce bench " + b.Name,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.Runs, "runs", 1000000, "runs of a program in a repetition")
	f.StringVar(&o.out, "out", "out/"+b.Name, "folder for CSV, JSON and figures")
	return c
}

func (o *command) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.Repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
	case o.Runs < 1 || o.Runs > 100000000:
		return cli.Usagef("--runs %d: 1 to 100000000", o.Runs)
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	o.Progress = cli.Progress(stderr)
	r, err := o.benchmark.Measure(ctx, o.Options)
	o.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out,
		report.Figure{Name: o.benchmark.Name, Title: "Cost of the switch's program: P4 beside C by hand", Metric: Cost})
}
