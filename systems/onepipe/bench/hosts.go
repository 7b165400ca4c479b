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
	"github.com/p4ce/p4ce/systems/onepipe/bench/hosts"
)

// hostsBench is the command line of bench onepipe-xdp.
type hostsBench struct {
	hosts.Options
	out     string
	verbose bool
}

func hostsCommand() *cobra.Command {
	var o hostsBench
	c := &cobra.Command{
		Use:   "onepipe-xdp",
		Short: "Measure 1Pipe beside a sequencer, with switches in XDP on this machine",
		Long: `Measure 1Pipe in a network namespace, whose two leaves and spine run it in XDP, beside a
sequencer at a host of the same network. Processes on four hosts broadcast to all. The
benchmark measures messages per second, and latency at a light load.

All hosts and switches share the CPUs of this machine. So the benchmark shows the work for a
message; p4ce bench onepipe shows what happens with many hosts.`,
		Example: `  p4ce bench onepipe-xdp
  p4ce bench onepipe-xdp --processes 8 --window 128`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.Repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntSliceVar(&o.Processes, "processes", []int{2, 4, 8}, "how many processes there are, each 2, 4 or 8")
	f.IntVar(&o.Messages, "messages", 20000, "messages that are delivered for the rate, about, in a repetition")
	f.IntVar(&o.Window, "window", 64, "messages of each process that are under way for the rate")
	f.DurationVar(&o.For, "for", 500*time.Millisecond, "how long the light load is offered, in a repetition")
	f.StringVar(&o.out, "out", "out/onepipe-xdp", "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
	return c
}

func (o *hostsBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.Repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.Repetitions)
	case o.Messages < 1:
		return cli.Usagef("--messages %d: at least one", o.Messages)
	case o.Window < 1 || o.Window > 1024:
		return cli.Usagef("--window %d: 1 to 1024", o.Window)
	case o.For < 100*time.Millisecond || o.For > 10*time.Second:
		return cli.Usagef("--for %v: 100ms to 10s", o.For)
	case len(o.Processes) == 0:
		return cli.Usagef("--processes: at least one number")
	}
	for _, n := range o.Processes {
		if n != 2 && n != 4 && n != 8 {
			return cli.Usagef("--processes %d: 2, 4 or 8", n)
		}
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
		report.Figure{Name: "onepipe-xdp-rate", Title: "Messages that all processes receive per second", Metric: hosts.Rate, LogX: true},
		report.Figure{Name: "onepipe-xdp-latency", Title: "Latency at a light load (median)", Metric: hosts.Median, LogX: true, LogY: true})
}
