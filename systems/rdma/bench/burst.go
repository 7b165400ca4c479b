package bench

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/burst"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// burstOptions is the command line of bench burst.
type burstOptions struct {
	groupBench
	sizes  []int
	rounds int
}

// maxBurst is the longest burst: what surely fits into the servers' logs.
const maxBurst = 1000

func burstCommand() *cobra.Command {
	var o burstOptions
	c := &cobra.Command{
		Use:   "burst",
		Short: "Measure how long bursts of values take until all are decided",
		Long: `Measure how long bursts of values take, from posting the first value until all are
decided, directly, accelerated and as Mu: figure 7 of the P4CE paper. A burst begins when the
previous one has been decided.`,
		Example: `  p4ce bench burst
  p4ce bench burst --replicas 2 --bursts 1,100 --rounds 1000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.flags(f, "burst")
	f.IntSliceVar(&o.sizes, "bursts", []int{1, 2, 5, 10, 20, 50, 100}, "values in a burst")
	f.IntVar(&o.rounds, "rounds", 200, "bursts of each size, in each repetition")
	return c
}

func (o *burstOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if len(o.sizes) == 0 {
		return cli.Usagef("--bursts: no size")
	}
	for _, n := range o.sizes {
		if n < 1 || n > maxBurst {
			return cli.Usagef("--bursts %d: 1 to %d values", n, maxBurst)
		}
	}
	if o.rounds < 1 {
		return cli.Usagef("--rounds %d: at least one", o.rounds)
	}
	if err := o.ready(); err != nil {
		return err
	}
	return o.in(ctx, stdout, stderr, burst.Figures(), func(m modes.Options) (*report.Result, error) {
		return burst.Measure(ctx, burst.Options{Options: m, Sizes: o.sizes, Rounds: o.rounds})
	})
}
