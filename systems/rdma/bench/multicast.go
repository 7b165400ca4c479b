package bench

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/multicast"
)

// multicastBench is the command line of bench multicast.
type multicastBench struct {
	repetitions int
	longer      int
	figures     []int
	quick       bool
	out         string
}

// maxLonger bounds a run: ten times as many requests take three quarters of an hour.
const maxLonger = 100

func multicastCommand() *cobra.Command {
	var o multicastBench
	c := &cobra.Command{
		Use:   "multicast",
		Short: "Measure reliable multicast beside fan-out and chain, in simulated time (no root)",
		Long: `Compare reliable multicast with a fan-out of connections and a chain: figures 4 to 9 of
the MC-RDMA paper, in a network in simulated time that runs the real programs (p4ce sim).
The figures show latency and requests per second, fairness under congestion, loss, a store
under two published loads, and parameter servers.

Times are simulated: the machine does not matter, and the same seeds give the same
figures. The benchmark needs no root.`,
		Example: `  p4ce bench multicast
  p4ce bench multicast --figures 4,9 --repetitions 1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("seeds of each case; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.longer, "longer", 1, "figure 8 with so many times as many requests")
	f.IntSliceVar(&o.figures, "figures", multicast.All(), "which figures of the paper")
	f.BoolVar(&o.quick, "quick", false, "less of everything, to see that it works: no verdicts")
	f.StringVar(&o.out, "out", "out/multicast", "folder for CSV, JSON and figures")
	return c
}

func (o *multicastBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.quick {
		o.repetitions = 1
	}
	if o.repetitions < 1 {
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	}
	if o.longer < 1 || o.longer > maxLonger {
		return cli.Usagef("--longer %d: want 1 to %d", o.longer, maxLonger)
	}
	if len(o.figures) == 0 {
		return cli.Usagef("--figures: at least one of %v", multicast.All())
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	opts := multicast.Options{Repetitions: o.repetitions, Longer: o.longer, Quick: o.quick, Figures: o.figures, Progress: cli.Progress(stderr)}
	r, err := multicast.Measure(ctx, opts)
	opts.Progress("")
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted")
		}
		return err
	}
	return r.Write(stdout, o.out)
}
