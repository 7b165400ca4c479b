// Package bench has the benchmarks of atomic multicast for the command line.
package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast/bench/simulated"
)

// Benchmarks are the system's, in the order in which bench all runs them.
var Benchmarks = []bench.Benchmark{
	{Command: simulatedCommand, Quick: []string{"--quick"}},
	{Command: switchCommand, Quick: byhand.Quick()},
	{Command: hostsCommand, Quick: []string{"--repetitions", "1", "--messages", "400", "--for", "100ms"}},
}

// simulatedBench is the command line of bench amcast.
type simulatedBench struct {
	repetitions int
	figures     []string
	packet      time.Duration
	quick       bool
	out         string
}

func simulatedCommand() *cobra.Command {
	var o simulatedBench
	c := &cobra.Command{
		Use:   "amcast",
		Short: "Measure P4mCast beside PrimCast and Skeen's protocol, in simulated time (no root)",
		Long: `Compare atomic multicast by switches (P4mCast) with atomic multicast by hosts: PrimCast, and Skeen's
protocol, which has no replicas. Figure 4 of the P4mCast poster, throughput against latency, is
measured with messages to one group, to two and to four; "mixed" has messages to one or two of four
groups; "cpu" has hosts that are faster and slower.

Times are simulated in a leaf-spine network that runs the real programs (p4ce sim): the machine does
not matter, and the same seeds give the same figures. The benchmark needs no root. It takes about
two minutes of CPU time.`,
		Example: `  p4ce bench amcast
  p4ce bench amcast --figures 4,groups-2 --packet 1us`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("seeds of each case; a verdict takes at least %d", report.Repetitions))
	f.StringSliceVar(&o.figures, "figures", simulated.All(), "which figures")
	f.DurationVar(&o.packet, "packet", simulated.PacketTime.Duration(), "CPU time of a packet at each host, the same in all systems (figure cpu has its own)")
	f.BoolVar(&o.quick, "quick", false, "less of everything, to see that it works: no verdicts")
	f.StringVar(&o.out, "out", "out/amcast", "folder for CSV, JSON and figures")
	return c
}

// mostPacket is the longest that a packet may take hosts.
const mostPacket = 100 * time.Microsecond

func (o *simulatedBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.quick {
		o.repetitions = 1
	}
	switch {
	case o.repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	case o.packet < time.Nanosecond || o.packet > mostPacket:
		return cli.Usagef("--packet %v: 1ns to %v", o.packet, mostPacket)
	case len(o.figures) == 0:
		return cli.Usagef("--figures: at least one of %s", strings.Join(simulated.All(), ", "))
	}
	for _, n := range o.figures {
		if !slices.Contains(simulated.All(), n) {
			return cli.Usagef("--figures %s: there are %s", n, strings.Join(simulated.All(), ", "))
		}
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	opts := simulated.Options{
		Repetitions: o.repetitions, Quick: o.quick, Figures: o.figures, Packet: fabric.Time(o.packet.Nanoseconds()) * fabric.Nanosecond, Progress: cli.Progress(stderr),
	}
	r, err := simulated.Measure(ctx, opts)
	opts.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out)
}
