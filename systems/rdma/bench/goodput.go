package bench

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/goodput"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// goodputOptions is the command line of bench goodput.
type goodputOptions struct {
	groupBench
	sizes         []int
	rate, seconds float64
	window        int
}

func goodputCommand() *cobra.Command {
	var o goodputOptions
	c := &cobra.Command{
		Use:   "goodput",
		Short: "Measure goodput against the size of values with the leader's link as the limit",
		Long: `Measure how many bytes of values a leader decides per second, directly, as Mu, and
accelerated, when its link is the limit: figure 5 of the P4CE paper. The leader's
endpoint paces its frames, because the kernel's shapers do not see those of AF_XDP.
There is no verdict on a size at which the link was not full in both modes: the rate
(--link-rate) is then more than this machine can reach.`,
		Example: `  p4ce bench goodput
  p4ce bench goodput --replicas 2 --sizes 64,1024 --link-rate 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.common(f, "goodput")
	f.IntSliceVar(&o.sizes, "sizes", []int{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}, "bytes of a value")
	f.Float64Var(&o.rate, "link-rate", 20, "rate of the leader's link in Mbit/s, with all headers, preamble and gap")
	f.Float64Var(&o.seconds, "seconds", 0.5, "about how long a repetition takes in accelerated mode; in direct mode it sends as many values")
	f.IntVar(&o.window, "window", 16, "values under way at once")
	return c
}

// Bounds of what can be asked for: a link that takes a window of large values within the
// time-out, and one that no software sender here could fill.
const (
	minLinkRate = 1      // Mbit/s
	maxLinkRate = 100000 // Mbit/s
	maxValue    = 8192
)

func (o *goodputOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	o.size = 1
	if err := o.check(); err != nil {
		return err
	}
	if len(o.sizes) == 0 {
		return cli.Usagef("--sizes: no size")
	}
	for _, n := range o.sizes {
		if n < 1 || n > maxValue {
			return cli.Usagef("--sizes %d: 1 to %d bytes", n, maxValue)
		}
		o.size = max(o.size, n) // of the input, of which a leader takes what it needs
	}
	switch {
	case !(o.rate >= minLinkRate && o.rate <= maxLinkRate):
		return cli.Usagef("--link-rate %g: %d to %d Mbit/s", o.rate, minLinkRate, maxLinkRate)
	case !(o.seconds > 0 && o.seconds <= 60):
		return cli.Usagef("--seconds %g: more than 0, at most 60", o.seconds)
	case o.window < 1 || o.window > 64:
		return cli.Usagef("--window %d: 1 to 64, which fit into the servers' logs", o.window)
	}
	if err := o.ready(); err != nil {
		return err
	}
	return o.in(ctx, stdout, stderr, goodput.Figures(), func(m modes.Options) (*report.Result, error) {
		return goodput.Measure(ctx, goodput.Options{Options: m, Sizes: o.sizes, Rate: o.rate * 1e6, Seconds: o.seconds, Window: o.window})
	})
}
