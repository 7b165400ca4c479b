package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
)

// A measurement that this machine cannot make says why.
func TestReady(t *testing.T) {
	require.NoError(t, ready(0, 2))
	require.ErrorContains(t, ready(1000, 2), "needs root")
	require.ErrorContains(t, ready(0, 1), "at least 2 CPUs, and may use 1")
}

// TestAll: every benchmark runs, and one that fails is named in the report.
func TestAll(t *testing.T) {
	quick := ""
	benchmarks := []Benchmark{
		{Command: func() *cobra.Command {
			return &cobra.Command{Use: "bad", RunE: func(*cobra.Command, []string) error { return errors.New("no machine for it") }, FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true}}
		}},
		{Quick: []string{"--rounds", "1"}, Command: func() *cobra.Command {
			var out string
			c := &cobra.Command{Use: "good", RunE: func(cmd *cobra.Command, _ []string) error {
				r := report.Result{Name: "good", Systems: []string{"a"}, Metrics: []report.Metric{{Name: "rate", Unit: "1/s"}}}
				r.Add(report.Point{Metric: "rate"}, "a", 0, 1)
				return r.Write(cmd.OutOrStdout(), out)
			}}
			c.Flags().StringVar(&out, "out", "", "")
			c.Flags().StringVar(&quick, "rounds", "", "")
			return c
		}},
	}
	o := allOptions{benchmarks: benchmarks, out: t.TempDir(), quick: true}
	var out, progress bytes.Buffer
	require.EqualError(t, o.run(context.Background(), &out, &progress), "1 of 2 benchmarks have failed [the report names them]")
	require.Equal(t, "1", quick)
	require.Equal(t, "bad (1 of 2)\ngood (2 of 2)\n", progress.String())
	b, err := os.ReadFile(filepath.Join(o.out, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(b), "no machine for it")
	require.Contains(t, string(b), "\n## good\n")

	names := []string{}
	for _, c := range Command(benchmarks[:1], benchmarks[1:]).Commands() {
		names = append(names, c.Name())
	}
	require.Equal(t, []string{"all", "bad", "good"}, names)
}
