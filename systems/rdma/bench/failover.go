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
	"github.com/p4ce/p4ce/systems/rdma/bench/failover"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// failoverOptions is the command line of bench failover.
type failoverOptions struct {
	servers, rounds, clients int
	calm                     time.Duration
	loaded                   int
	out                      string
	verbose                  bool
}

func failoverCommand() *cobra.Command {
	var o failoverOptions
	c := &cobra.Command{
		Use:   "failover",
		Short: "Measure how long a store decides nothing after a crash",
		Long: `Measure how long clients of a replicated store wait after a replica, the leader, or
the switch has crashed, and how long forming a group takes: table IV of the P4CE
paper. A store of p4ce kv processes runs in network namespaces, first in direct mode,
then behind the XDP switch in accelerated mode, with a second network. Each crash is
real: a process is killed, or the links of the switch go down. Beside
these times is that of clients while nothing crashes, which is the machine's. The
benchmark counts false alarms under full load: elections, and fall-backs to direct mode,
without a crash.

Times depend on the machine and on its other work: compare those of one run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runFailover(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntVar(&o.servers, "servers", 3, "servers of the store, 3 to 9")
	f.IntVar(&o.rounds, "rounds", 30, "crashes of each kind, in each mode")
	f.IntVar(&o.clients, "clients", 2, "clients per server")
	f.DurationVar(&o.calm, "calm", time.Minute, "how long false alarms are counted, in each mode, while nothing crashes and the store is fully loaded")
	f.IntVar(&o.loaded, "loaded", 32, "clients per server meanwhile")
	f.StringVar(&o.out, "out", "out/failover", "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
	return c
}

func runFailover(ctx context.Context, o failoverOptions, stdout, stderr io.Writer) error {
	switch {
	case o.servers < 3 || o.servers > 9:
		return cli.Usagef("--servers %d: 3 to 9 (two cannot lose one)", o.servers)
	case o.rounds < 1:
		return cli.Usagef("--rounds %d: at least one", o.rounds)
	case o.clients < 1:
		return cli.Usagef("--clients %d: at least one", o.clients)
	case o.calm < 100*time.Millisecond:
		return cli.Usagef("--calm %v: at least 100ms", o.calm)
	case o.loaded < 1:
		return cli.Usagef("--loaded %d: at least one", o.loaded)
	case os.Geteuid() != 0:
		return fmt.Errorf("this measurement runs real servers in network namespaces, which needs root")
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	binary, err := cli.P4ce.Find()
	if err != nil {
		return err
	}
	var r failover.Result
	var begun report.Result
	watch, err := begun.Begin()
	if err != nil {
		return err
	}
	// Modes take turns, each time on a store of its own. The false alarms are
	// spread over the turns.
	turns := (o.rounds + perStore - 1) / perStore
	for n := range turns {
		turn := o
		turn.rounds, turn.calm = min(perStore, o.rounds-n*perStore), o.calm/time.Duration(turns)
		for _, mode := range []string{"direct", "accelerated"} {
			if err := measureFailover(ctx, binary, mode, turn, &r, stderr); err != nil {
				return err
			}
		}
	}
	if err := watch.End(); err != nil {
		return err
	}
	cli.Progress(stderr)("")
	result := r.Report()
	result.Start, result.Took, result.Machine, result.Disturbed = begun.Start, begun.Took, begun.Machine, begun.Disturbed
	result.Set("rounds", o.rounds)
	result.Set("rounds on one store", perStore)
	result.Set("clients per server", o.clients)
	result.Set("false alarms counted for", o.calm)
	result.Set("clients per server meanwhile", o.loaded)
	for _, s := range r.Over() {
		result.Notes = append(result.Notes, "missed: "+s)
	}
	if err := result.Write(stdout, o.out, report.Figure{Name: "failover-times", Title: "Time until the next decided value", Metric: failover.Interruption}); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	if err := r.Write(stdout, o.out); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nTimelines: failover.svg and .png in %s.\n", o.out)
	return nil
}

// perStore is after how many rounds the modes take turns.
const perStore = 5

// measureFailover measures one mode on a store of its own.
func measureFailover(ctx context.Context, binary, mode string, o failoverOptions, r *failover.Result, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "p4ce-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := io.Discard
	if o.verbose {
		log = stderr
	}
	setup, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s, err := store.Start(setup, store.Options{
		Binary: binary, Dir: dir, Servers: o.servers, Switch: mode == "accelerated", Second: true, Log: log,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	options := failover.Options{
		Rounds: o.rounds, Clients: o.loaded, Settle: 60 * time.Second,
		Progress: cli.Progress(stderr),
	}
	calm := options
	options.Clients = o.clients
	if err := failover.Measure(ctx, s, mode, options, r); err != nil {
		return err
	}
	return failover.Calm(ctx, s, mode, o.calm, calm, r)
}
