// Package bench has the benchmarks of 1Pipe for the command line.
package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/onepipe/bench/simulated"
)

// Benchmarks are the system's, in the order in which bench all runs them.
var Benchmarks = []bench.Benchmark{
	{Command: simulatedCommand, Quick: []string{"--quick"}},
	{Command: switchCommand, Quick: byhand.Quick()},
	{Command: hostsCommand, Quick: []string{"--repetitions", "1", "--messages", "2000", "--for", "200ms"}},
}

// simulatedBench is the command line of bench onepipe.
type simulatedBench struct {
	repetitions int
	figures     []string
	processes   []int
	quick       bool
	out         string
}

func simulatedCommand() *cobra.Command {
	var o simulatedBench
	c := &cobra.Command{
		Use:   "onepipe",
		Short: "Measure 1Pipe beside other ways to a total order, in simulated time (no root)",
		Long: `Compare 1Pipe with a sequencer at a host, a sequencer in a switch, a token and Lamport clocks:
the figures of the 1Pipe paper, in a network in simulated time that runs the real programs (p4ce sim).
Figure "transactions" compares transactions on several shards with two-phase commit.

Times are simulated: the machine does not matter, and the same seeds give the same
figures. The benchmark needs no root. It takes some minutes; --processes up to 512 takes
a quarter of an hour more.`,
		Example: `  p4ce bench onepipe
  p4ce bench onepipe --figures 8 --processes 2,8,64,512`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("seeds of each case; a verdict takes at least %d", report.Repetitions))
	f.StringSliceVar(&o.figures, "figures", simulated.All(), "which figures of the paper")
	f.IntSliceVar(&o.processes, "processes", simulated.Processes, fmt.Sprintf("how many processes there are in figure 8, each 2 to %d", simulated.Most))
	f.BoolVar(&o.quick, "quick", false, "less of everything, to see that it works: no verdicts")
	f.StringVar(&o.out, "out", "out/onepipe", "folder for CSV, JSON and figures")
	return c
}

func (o *simulatedBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.quick {
		o.repetitions, o.processes = 1, []int{2, 8}
	}
	switch {
	case o.repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	case len(o.figures) == 0:
		return cli.Usagef("--figures: at least one of %s", strings.Join(simulated.All(), ", "))
	case len(o.processes) == 0:
		return cli.Usagef("--processes: at least one number")
	}
	for _, n := range o.figures {
		if !slices.Contains(simulated.All(), n) {
			return cli.Usagef("--figures %s: there are %s", n, strings.Join(simulated.All(), ", "))
		}
	}
	for _, n := range o.processes {
		if n < 2 || n > simulated.Most || n > simulated.Hosts && n%simulated.Hosts != 0 {
			return cli.Usagef("--processes %d: 2 to %d, as many on each of %d hosts", n, simulated.Most, simulated.Hosts)
		}
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	opts := simulated.Options{Repetitions: o.repetitions, Quick: o.quick, Figures: o.figures, Processes: o.processes, Progress: cli.Progress(stderr)}
	r, err := simulated.Measure(ctx, opts)
	opts.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out)
}
