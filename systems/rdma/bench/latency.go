package bench

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/latency"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// latencyOptions is the command line of bench latency.
type latencyOptions struct {
	groupBench
	rates []float64
	each  time.Duration
}

// maxOffered is the highest rate that a server of p4ce offers: what a clock of nanoseconds can space.
const maxOffered = 1e8

func latencyCommand() *cobra.Command {
	var o latencyOptions
	c := &cobra.Command{
		Use:   "latency",
		Short: "Measure the time until a value is decided against the offered rate",
		Long: `Measure how long values take until they are decided, directly, accelerated and as Mu, by the
rate at which they are offered: figure 6 of the P4CE paper. The loop is open: the time
of a value counts from when it is due, even if the leader is behind. The verdict is
about the lowest rate.`,
		Example: `  p4ce bench latency
  p4ce bench latency --replicas 2 --rates 1000,50000 --for 1s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.flags(f, "latency")
	f.Float64SliceVar(&o.rates, "rates", []float64{1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000}, "values per second to offer")
	f.DurationVar(&o.each, "for", 500*time.Millisecond, "how long each rate is offered, in each repetition")
	return c
}

func (o *latencyOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if len(o.rates) == 0 {
		return cli.Usagef("--rates: no rate")
	}
	for _, x := range o.rates {
		if !(x > 0 && x <= maxOffered) {
			return cli.Usagef("--rates %g: more than 0, at most %g per second", x, float64(maxOffered))
		}
	}
	if o.each < time.Millisecond || o.each > time.Minute {
		return cli.Usagef("--for %v: 1ms to 1m", o.each)
	}
	if err := o.ready(); err != nil {
		return err
	}
	return o.in(ctx, stdout, stderr, latency.Figures(), func(m modes.Options) (*report.Result, error) {
		return latency.Measure(ctx, latency.Options{Options: m, Rates: o.rates, For: o.each})
	})
}
