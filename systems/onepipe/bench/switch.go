package bench

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/onepipe/bench/cost"
)

// switchBench is the command line of bench onepipe-switch.
type switchBench struct {
	cost.Options
	out string
}

func switchCommand() *cobra.Command {
	var o switchBench
	c := &cobra.Command{
		Use:   "onepipe-switch",
		Short: "Measure what a packet of 1Pipe costs the switch, beside C by hand (root)",
		Long: `Measure the CPU time that the switch's program takes for a packet: the generated program beside the
same in C by hand, for messages, for beacons that raise nothing, and for packets that are only forwarded.
Test runs in the kernel leave out drivers and the copying of frames.`,
		Example: "  p4ce bench onepipe-switch",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.Runs, "runs", 1000000, "runs of a program in a repetition")
	f.StringVar(&o.out, "out", "out/onepipe-switch", "folder for CSV, JSON and figures")
	return c
}

func (o *switchBench) run(ctx context.Context, stdout, stderr io.Writer) error {
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
	r, err := cost.Measure(ctx, o.Options)
	o.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out,
		report.Figure{Name: "onepipe-switch", Title: "Cost of the switch's program: P4 beside C by hand", Metric: cost.Cost})
}
