package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
	peers "github.com/p4ce/p4ce/systems/rdma/bench/beside"
)

// peersOptions is the command line of bench peers.
type peersOptions struct {
	servers, clients, sizes []int
	pipeline                int
	piped                   []int
	systems                 []string
	repetitions             int
	each, warmup            time.Duration
	peerd, out              string
	verbose                 bool
}

func peersCommand() *cobra.Command {
	var o peersOptions
	c := &cobra.Command{
		Use:   "peers",
		Short: "Measure p4ce beside hashicorp/raft, etcd-io/raft, etcd and Redis",
		Long: `Compare the values that p4ce decides with hashicorp/raft and etcd-io/raft, and its
store with etcd and Redis. Every server has a network namespace of its own. There is one
load generator, with 1 to 512 clients that each wait for an answer.

The program peerd measures, so that p4ce does not depend on the systems that it is
compared with: "make peers" builds it. It also needs etcd and redis-server. The benchmark
names a missing program, and leaves its systems out.`,
		Example: `  p4ce bench peers --servers 3 --clients 1,64 --sizes 64
  p4ce bench peers --systems p4ce-accelerated-shared,hashicorp-raft`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.IntSliceVar(&o.servers, "servers", []int{3, 5}, "numbers of servers, each 3 to 9")
	f.IntSliceVar(&o.clients, "clients", []int{1, 8, 64, 512}, "numbers of clients")
	f.IntSliceVar(&o.sizes, "sizes", []int{64, 1024}, "bytes of a value")
	f.IntVar(&o.pipeline, "pipeline", 16, "operations that a client of p4ce kv and of a lone Redis sends at once, in loads of their own; 1: no such loads")
	f.IntSliceVar(&o.piped, "pipeline-clients", []int{64}, "numbers of clients of these loads")
	f.StringSliceVar(&o.systems, "systems", nil, "systems to compare (default: all that can be run here; peerd bench -h lists them)")
	f.IntVar(&o.repetitions, "repetitions", report.Repetitions, fmt.Sprintf("repetitions, in each of which every system runs once; a verdict takes at least %d", report.Repetitions))
	f.DurationVar(&o.each, "for", 3*time.Second, "time that is measured, for each load")
	f.DurationVar(&o.warmup, "warmup", time.Second, "time before anything counts, for each load")
	f.StringVar(&o.peerd, "peerd", "", "the program peerd (default: beside this one, or on the PATH)")
	f.StringVar(&o.out, "out", "out/peers", "folder for CSV, JSON and figures")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show what all processes log")
	return c
}

func (o *peersOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.repetitions < 1 {
		return cli.Usagef("--repetitions %d: at least one", o.repetitions)
	}
	for _, n := range o.servers {
		if n < 3 || n > 9 {
			return cli.Usagef("--servers %d: 3 to 9 (two cannot lose one)", n)
		}
	}
	if err := bench.Ready(); err != nil {
		return err
	}
	binary, err := cli.P4ce.Find()
	if err != nil {
		return err
	}
	peerd, err := peers.Find(o.peerd, binary)
	if err != nil {
		return err
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	raw, err := os.MkdirTemp("", "p4ce-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(raw)
	list := func(v []int) string { return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v)), ","), "[]") }
	args := []string{"-servers", list(o.servers), "-clients", list(o.clients), "-sizes", list(o.sizes), "-reps", fmt.Sprint(o.repetitions),
		"-pipeline", fmt.Sprint(o.pipeline), "-pipeline-clients", list(o.piped), "-duration", o.each.String(), "-warmup", o.warmup.String()}
	if len(o.systems) > 0 {
		args = append(args, "-systems", strings.Join(o.systems, ","))
	}
	if o.verbose {
		args = append(args, "-v")
	}
	r, err := peers.Measure(ctx, peers.Options{Peerd: peerd, Args: args, Binary: binary, Dir: raw, Stdout: io.Discard, Stderr: stderr})
	if err != nil {
		return cli.Ended(ctx, err)
	}
	return r.Write(stdout, o.out, peers.Figures(r)...)
}
