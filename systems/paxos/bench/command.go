package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
)

// Benchmarks are the system's.
var Benchmarks = []bench.Benchmark{
	{Command: command, Quick: []string{"--repetitions", "1", "--runs", "9000", "--for", "50ms", "--windows", "64", "--rates", "5000"}},
	{Command: simulatedCommand, Quick: []string{"--quick"}},
	{Command: placementCommand, Quick: []string{"--quick"}},
	{Command: forwardingCommand, Quick: []string{"--repetitions", "1", "--for", "50ms"}},
	{Command: applicationsCommand, Quick: []string{"--repetitions", "1", "--for", "50ms"}},
}

// options are the command line of bench paxos.
type options struct {
	repetitions, runs int
	windows           []int
	each              time.Duration
	rates             []float64
	wire              string
	out               string
	verbose           bool
}

func command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "paxos",
		Short: "Measure Paxos in switches beside the same roles as programs",
		Long: `Measure Paxos in switches: tables I and II and figures 7 and 8 of the P4xos paper.

Each role by itself, in the kernel: the CPU time of a message of 102 bytes, and messages
per second on one core, compared with forwarding alone and with a hand-written program.

The network of p4ce demo paxos, two switches, and one switch, compared with the same roles as
processes, by UDP sockets and by AF_XDP, with an echo and
a store as the state machine: the maximum of values per second, the CPU time of a value, and
the latency of values by the rate at which they are offered. A third state machine is the
store of p4ce kv, which is kept on disk.

Then the benchmark kills an acceptor and the leader, and measures how long a client hears
nothing.`,
		Example: `  p4ce bench paxos
  p4ce bench paxos --for 1s --rates 1000,50000,100000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions of each case, in turns; a verdict takes at least %d", report.Repetitions))
	f.IntVar(&o.runs, "runs", 900000, "runs of each program by itself, in a repetition")
	f.IntSliceVar(&o.windows, "windows", []int{16, 64, 256}, fmt.Sprintf("values under way at once when as many are decided as can be, each 1 to %d", MaxWindow))
	f.DurationVar(&o.each, "for", 300*time.Millisecond, "how long each load is offered, in a repetition")
	f.Float64SliceVar(&o.rates, "rates", []float64{5000, 10000, 20000, 40000, 60000, 80000, 100000}, "values offered per second")
	f.StringVar(&o.wire, "wire", "xdp", "how hosts at switches send and receive: xdp (AF_XDP) or packet (packet sockets)")
	f.StringVar(&o.out, "out", "out/paxos", "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
	return c
}

func (o *options) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case o.repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	case o.runs < 1:
		return cli.Usagef("--runs %d: at least one", o.runs)
	case o.wire != "xdp" && o.wire != "packet":
		return cli.Usagef("--wire %q: xdp or packet", o.wire)
	case len(o.windows) == 0:
		return cli.Usagef("--windows: at least one")
	case o.each < 10*time.Millisecond:
		return cli.Usagef("--for %v: at least 10ms", o.each)
	case len(o.rates) == 0:
		return cli.Usagef("--rates: at least one")
	}
	for _, w := range o.windows {
		if w < 1 || w > MaxWindow {
			return cli.Usagef("--windows %d: 1 to %d", w, MaxWindow)
		}
	}
	for _, r := range o.rates {
		if !(r*o.each.Seconds() >= 1 && r <= 1e7) {
			return cli.Usagef("--rates %g: at least a value in the time that --for says, at most 1e7 per second", r)
		}
	}
	if err := Ready(); err != nil {
		return err
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "p4ce-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	opts := Options{Dir: dir, Repetitions: o.repetitions, Runs: o.runs, Windows: o.windows, For: o.each, Rates: o.rates, XDP: o.wire == "xdp", Progress: cli.Progress(stderr)}
	if opts.Binary, err = cli.P4ce.Find(); err != nil {
		return err
	}
	if o.verbose {
		opts.Log = stderr
	}
	r, err := Measure(ctx, opts)
	opts.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out)
}
