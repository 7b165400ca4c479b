package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/internal/cli"
)

// allOptions is the command line of bench all.
type allOptions struct {
	benchmarks []Benchmark
	out        string
	only       []string // names; none: all
	quick      bool
}

func allCommand(benchmarks []Benchmark) *cobra.Command {
	o := allOptions{benchmarks: benchmarks}
	c := &cobra.Command{
		Use:   "all",
		Short: "Run all benchmarks, and write a report",
		Long: `Run all benchmarks, one after the other, and write a report: report.md and
report.json, and a folder for each benchmark with its samples and figures. The report
ends with every verdict. It names a benchmark that fails, and the others still run.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := Ready(); err != nil {
				return err
			}
			if err := o.choose(); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&o.out, "out", "out/bench", "folder for the report")
	c.Flags().StringSliceVar(&o.only, "only", nil, "only these benchmarks, for instance rate,latency")
	c.Flags().BoolVar(&o.quick, "quick", false, "a minute or two, to see that everything works: no verdicts")
	return c
}

// choose keeps the benchmarks that --only names.
func (o *allOptions) choose() error {
	if len(o.only) == 0 {
		return nil
	}
	var chosen []Benchmark
	var names []string
	for _, b := range o.benchmarks {
		name := b.Command().Name()
		if names = append(names, name); slices.Contains(o.only, name) {
			chosen = append(chosen, b)
		}
	}
	for _, name := range o.only {
		if !slices.Contains(names, name) {
			return cli.Usagef("--only %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	o.benchmarks = chosen
	return nil
}

func (o *allOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := report.Folder(o.out); err != nil {
		return err
	}
	var parts []report.Part
	failed := 0
	for i, b := range o.benchmarks {
		c := b.Command()
		fmt.Fprintf(stderr, "%s (%d of %d)\n", c.Name(), i+1, len(o.benchmarks))
		part, err := o.one(ctx, c, b.Quick, stdout, stderr)
		if ctx.Err() != nil {
			return cli.Ended(ctx, err)
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
		return fmt.Errorf("%d of %d benchmarks have failed [the report names them]", failed, len(o.benchmarks))
	}
	return nil
}

// one runs a benchmark and reads what it has written.
func (o *allOptions) one(ctx context.Context, c *cobra.Command, quick []string, stdout, stderr io.Writer) (report.Part, error) {
	name := c.Name()
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
