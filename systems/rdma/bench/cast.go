package bench

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/cast"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

// castBench is the command line of bench cast.
type castBench struct {
	groupBench
	megabytes int
	rate      float64
}

func castCommand() *cobra.Command {
	var o castBench
	c := &cobra.Command{
		Use:   "cast",
		Short: "Measure how long a file takes to several hosts, by multicast, fan-out and chain",
		Long: `Measure how long p4ce cast takes to copy a file to several hosts: by multicast through the
switch, over a connection to each, and from host to host. Links have a limited rate, as real
links do. Without it, all modes would show the speed of the CPUs that they share.`,
		Example: `  p4ce bench cast
  p4ce bench cast --receivers 8 --megabytes 64 --rate 4e8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	o.common(f, "cast")
	f.IntSliceVar(&o.replicas, "receivers", []int{2, 4}, "numbers of receivers to measure with, each 1 to 8")
	_ = f.MarkHidden("replicas")
	f.IntVar(&o.megabytes, "megabytes", 16, "size of the file, in 1,000,000 bytes")
	f.Float64Var(&o.rate, "rate", 2e8, "rate of each host's link in bits per second")
	o.size = 1
	return c
}

func (o *castBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.megabytes < 1 || o.megabytes > 10000 {
		return cli.Usagef("--megabytes %d: 1 to 10000", o.megabytes)
	}
	if !(o.rate >= 1e6) {
		return cli.Usagef("--rate %g: at least 1e6", o.rate)
	}
	if err := o.ready(); err != nil {
		return err
	}
	return o.in(ctx, stdout, stderr, cast.Figures(), func(m modes.Options) (*report.Result, error) {
		return cast.Measure(ctx, cast.Options{Options: m, Bytes: int64(o.megabytes) * 1e6, Rate: o.rate})
	})
}
