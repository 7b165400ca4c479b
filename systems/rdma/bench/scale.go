package bench

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/rdma/bench/multicast"
)

// scaleBench is the command line of bench scale.
type scaleBench struct {
	multicast.ScaleOptions
	out string
}

func scaleCommand() *cobra.Command {
	var o scaleBench
	c := &cobra.Command{
		Use:   "scale",
		Short: "Lose a core switch of a fat tree that is full of groups, in simulated time (no root)",
		Long: `Form many groups in a fat tree, with the real controllers, on switches that run the real
program, in simulated time. Then cut off a core switch, and measure how long it takes until
the last group is whole again, and how many packets beyond the minimum are on the links.`,
		Example: `  p4ce bench scale
  p4ce bench scale --k 8 --groups 1000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.K, "k", 16, "of the fat tree: k^3/4 hosts")
	f.IntVar(&o.Groups, "groups", 10000, "how many groups")
	f.IntVar(&o.Receivers, "receivers", 3, "of a group")
	f.DurationVar(&o.Hold, "hold", 100*time.Millisecond, "a link is down when it has been silent so long")
	f.DurationVar(&o.Write, "write", 20*time.Microsecond, "that a switch takes for an update")
	f.Uint64Var(&o.Seed, "seed", 1, "of all chance")
	f.StringVar(&o.out, "out", "out/scale", "folder for CSV and JSON")
	return c
}

func (o *scaleBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.K < 4 || o.K > 32 || o.K%2 != 0:
		return cli.Usagef("--k %d: an even number, 4 to 32", o.K)
	case o.Groups < 1 || o.Groups > 50000:
		return cli.Usagef("--groups %d: 1 to 50000", o.Groups)
	case o.Receivers < 2 || o.Receivers > 8:
		return cli.Usagef("--receivers %d: 2 to 8", o.Receivers)
	case o.Hold < time.Millisecond || o.Hold > 10*time.Second:
		return cli.Usagef("--hold %v: 1ms to 10s", o.Hold)
	case o.Write < 0 || o.Write > time.Second:
		return cli.Usagef("--write %v: 0 to 1s", o.Write)
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	o.Progress = cli.Progress(stderr)
	r, err := multicast.Scale(ctx, o.ScaleOptions)
	o.Progress("")
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted")
		}
		return err
	}
	return r.Write(stdout, o.out)
}
