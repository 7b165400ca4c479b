package bench

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/pipeline"
)

// switchOptions is the command line of bench switch.
type switchOptions struct {
	repetitions, runs, packets int
	out                        string
}

func switchCommand() *cobra.Command {
	var o switchOptions
	c := &cobra.Command{
		Use:   "switch",
		Short: "Measure what a packet costs the switch's programs in the kernel",
		Long: `Measure the nanoseconds that a packet costs the switch's XDP programs: scatter to 1,
2, 4 and 8 replicas, gather, and plain forwarding. It compares them with a plain
redirect, the same logic in hand-written C, and copies by TC's clone_redirect, with 1, 64
and 4096 groups, on one CPU and on two.

The benchmark measures programs by themselves (test runs), and with packets on interfaces,
in CPU time. Samples are so short that in some nothing else gets the CPU. Where there is no
such sample, there is no verdict on what depends on caches and CPUs.`,
		Example: `  p4ce bench switch
  p4ce bench switch --repetitions 9 --out out/switch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.runs, "runs", 1000000, "runs of each program by itself, in a repetition")
	f.IntVar(&o.packets, "packets", 16384, "packets on interfaces, in a sample")
	f.StringVar(&o.out, "out", "out/switch", "folder for CSV, JSON and figures")
	return c
}

func (o *switchOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	case o.runs < 1:
		return cli.Usagef("--runs %d: at least one", o.runs)
	case o.packets < 1:
		return cli.Usagef("--packets %d: at least one", o.packets)
	}
	if err := pipeline.Ready(); err != nil {
		return err
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	progress := cli.Progress(stderr)
	r, err := pipeline.Measure(ctx, pipeline.Options{Repetitions: o.repetitions, Runs: o.runs, Packets: o.packets, Progress: progress})
	progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out, pipeline.Figures()...)
}
