package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/bench/hosts"
)

// hostsBench is the command line of bench amcast-xdp.
type hostsBench struct {
	hosts.Options
	out     string
	verbose bool
}

func hostsCommand() *cobra.Command {
	var o hostsBench
	c := &cobra.Command{
		Use:   "amcast-xdp",
		Short: "Measure P4mCast beside PrimCast, with switches in XDP on this machine",
		Long: `Measure P4mCast in a network namespace, whose two leaves and two spines run it in XDP, beside PrimCast
at hosts of the same network. Two clients send to one group of three replicas, and to two groups. The
benchmark measures messages per second, and latency at a light load.

All hosts and switches share the CPUs of this machine. So the benchmark shows the work for a message;
p4ce bench amcast shows what happens with switches in hardware.`,
		Example: `  p4ce bench amcast-xdp
  p4ce bench amcast-xdp --size 1400 --messages 10000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.Size, "size", 150, fmt.Sprintf("bytes of a payload, %d to %d", hosts.MinSize, amcast.MaxPayload))
	f.IntVar(&o.Messages, "messages", 4000, "messages for the rate, in a repetition")
	f.IntVar(&o.Window, "window", amcast.Window, fmt.Sprintf("messages of each client that are under way for the rate: a power of two, up to %d", amcast.Window))
	f.DurationVar(&o.For, "for", 500*time.Millisecond, "how long the light load is offered, in a repetition")
	f.StringVar(&o.out, "out", "out/amcast-xdp", "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
	return c
}

func (o *hostsBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.Repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
	case o.Size < hosts.MinSize || o.Size > amcast.MaxPayload:
		return cli.Usagef("--size %d: %d to %d", o.Size, hosts.MinSize, amcast.MaxPayload)
	case o.Messages < 2 || o.Messages > 1e6:
		return cli.Usagef("--messages %d: 2 to 1000000", o.Messages)
	case o.Window < 1 || o.Window > amcast.Window || o.Window&(o.Window-1) != 0:
		return cli.Usagef("--window %d: want a power of two, up to %d", o.Window, amcast.Window)
	case o.For < 100*time.Millisecond || o.For > 10*time.Second:
		return cli.Usagef("--for %v: 100ms to 10s", o.For)
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	var err error
	if o.Dir, err = os.MkdirTemp("", "p4ce-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.Dir)
	if o.Binary, err = cli.P4ce.Find(); err != nil {
		return err
	}
	o.Progress = cli.Progress(stderr)
	if o.verbose {
		o.Log = stderr
	}
	r, err := hosts.Measure(ctx, o.Options)
	o.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out,
		report.Figure{Name: "amcast-xdp-rate", Title: "Messages per second", Metric: hosts.Rate},
		report.Figure{Name: "amcast-xdp-latency", Title: "Latency at a light load (median)", Metric: hosts.Median})
}
