package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
)

// benches are what bench all runs, in this order: each takes --out, and leaves NAME.json
// of a report.Result there.
var benches = []struct {
	name    string
	command func() *cobra.Command
	quick   []string // for a run that shows that it works
}{
	{"goodput", benchGoodputCommand, []string{"--replicas", "2", "--sizes", "64,1024", "--seconds", "0.1", "--repetitions", "1"}},
	{"rate", benchRateCommand, []string{"--replicas", "2", "--values", "2000", "--repetitions", "1"}},
	{"latency", benchLatencyCommand, []string{"--replicas", "2", "--rates", "1000,10000", "--for", "100ms", "--repetitions", "1"}},
	{"burst", benchBurstCommand, []string{"--replicas", "2", "--bursts", "1,100", "--rounds", "20", "--repetitions", "1"}},
	{"failover", benchFailoverCommand, []string{"--rounds", "1", "--calm", "1s"}},
	{"switch", benchSwitchCommand, []string{"--repetitions", "1", "--runs", "20000", "--packets", "2048"}},
	{"paxos", benchPaxosCommand, []string{"--repetitions", "1", "--runs", "9000", "--for", "50ms", "--windows", "64", "--rates", "5000"}},
	{"multicast", benchMulticastCommand, []string{"--quick"}},
	{"cast", benchCastCommand, []string{"--receivers", "2", "--megabytes", "4", "--repetitions", "1"}},
	{"scale", benchScaleCommand, []string{"--k", "4", "--groups", "50", "--hold", "5ms"}},
	{"peers", benchPeersCommand, []string{"--servers", "3", "--clients", "64", "--sizes", "64", "--repetitions", "1", "--for", "200ms", "--warmup", "100ms",
		"--systems", "p4ce-accelerated-shared,hashicorp-raft,kv-accelerated"}},
}

// allOptions is the command line of bench all.
type allOptions struct {
	out   string
	quick bool
}

func benchAllCommand() *cobra.Command {
	var o allOptions
	c := &cobra.Command{
		Use:   "all",
		Short: "Run all benchmarks, and write a report",
		Long: `Run all benchmarks, one after the other, and write a report: report.md and
report.json, beside a folder for each benchmark with its samples and figures. It ends
with every verdict. A benchmark that fails is named there, and the others are run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.out, "out", "out/bench", "folder for the report")
	c.Flags().BoolVar(&o.quick, "quick", false, "a minute or two, to see that everything works: no verdicts")
	return c
}

func (o *allOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := benchNeeds(os.Geteuid(), runtime.NumCPU()); err != nil {
		return err
	}
	if err := report.Folder(o.out); err != nil {
		return err
	}
	var parts []report.Part
	failed := 0
	for i, b := range benches {
		fmt.Fprintf(stderr, "%s (%d of %d)\n", b.name, i+1, len(benches))
		part, err := o.one(ctx, b.name, b.command(), b.quick, stdout, stderr)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; everything has been taken down")
		}
		if err != nil {
			part.Error = err.Error()
			failed++
		}
		parts = append(parts, part)
		fmt.Fprintln(stdout)
	}
	if err := report.WriteAll(stdout, o.out, parts); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nReport: %s, and report.json there.\n", filepath.Join(o.out, "report.md"))
	if failed > 0 {
		return fmt.Errorf("%d of %d benchmarks have failed: the report says which", failed, len(benches))
	}
	return nil
}

// one runs a benchmark and reads what it has written.
func (o *allOptions) one(ctx context.Context, name string, c *cobra.Command, quick []string, stdout, stderr io.Writer) (report.Part, error) {
	dir := filepath.Join(o.out, name)
	// What an earlier run left is not this one's.
	if err := os.RemoveAll(dir); err != nil {
		return report.Part{Name: name}, err
	}
	args := []string{"--out", dir}
	if o.quick {
		args = append(args, quick...)
	}
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(stdout)
	c.SetErr(stderr)
	if err := c.ExecuteContext(ctx); err != nil {
		return report.Part{Name: name}, err
	}
	return report.Read(o.out, name)
}
