package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/systems/paxos/bench/simulated"
)

// simulatedBench is the command line of bench paxos-simulated.
type simulatedBench struct {
	repetitions int
	figures     []string
	quick       bool
	out         string
}

func simulatedCommand() *cobra.Command {
	var o simulatedBench
	c := &cobra.Command{
		Use:   "paxos-simulated",
		Short: "Measure where the roles of Paxos are, and what else its switches forward, in simulated time (no root)",
		Long: `Measure Paxos in a network in simulated time.

"2" is figure 2 of the P4xos paper: the latency of one value in a tree of three tiers, with the
roles in switches on the path, with acceptors in other pods, and with the roles as programs at
servers, which take some time for each message. "sharing" is section VII-A, Resource Sharing: values
per second and latency while the same switches forward IPv4, on their other ports at the full rate,
and on the links that Paxos uses.

The network runs the real programs (p4ce sim): the machine does not matter, and the same seeds
give the same figures. The benchmark needs no root.`,
		Example: `  p4ce bench paxos-simulated
  p4ce bench paxos-simulated --figures 2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("seeds of each case; a verdict takes at least %d", report.Repetitions))
	f.StringSliceVar(&o.figures, "figures", simulated.All(), "which figures")
	f.BoolVar(&o.quick, "quick", false, "less of everything, to see that it works: no verdicts")
	f.StringVar(&o.out, "out", "out/paxos-simulated", "folder for CSV, JSON and figures")
	return c
}

func (o *simulatedBench) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.quick {
		o.repetitions = 1
	}
	switch {
	case o.repetitions < 1:
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
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
	opts := simulated.Options{Repetitions: o.repetitions, Quick: o.quick, Figures: o.figures, Progress: cli.Progress(stderr)}
	r, err := simulated.Measure(ctx, opts)
	opts.Progress("")
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out)
}
