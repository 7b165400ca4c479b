package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
)

var p4ce string // the p4ce that networks run

func TestMain(m *testing.M) { os.Exit(launch.Main(m, "p4ce", &p4ce)) }

// TestApplications measures in small: every application has samples of its own, alone and together, and the table, the files and the figure
// are written.
func TestApplications(t *testing.T) {
	long.Test(t)
	needs.Root(t, "XDP and network namespaces")
	needs.Time(t, "it runs a network of processes")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	o := AppOptions{Options: Options{Binary: p4ce, Dir: t.TempDir(), Repetitions: 2, For: 50 * time.Millisecond, Log: t.Output()}, Applications: []int{1, 2, 4}, Window: 8}
	r, err := MeasureApplications(ctx, o)
	require.NoError(t, err)
	systems := []string{alone, together}
	rates := map[string]map[int]float64{}
	for _, n := range o.Applications {
		all := r.Values(report.Point{Metric: AllDecided, Case: fmt.Sprint(n)}, together)
		require.Len(t, all, o.Repetitions)
		sum := map[int]float64{}
		for app := range n {
			name := "log"
			if app > 0 {
				name = fmt.Sprint("log", app+1)
			}
			p := report.Point{Metric: EachDecided, Case: fmt.Sprintf("%s, of %d", name, n)}
			require.Equal(t, systems, r.At(p))
			require.Equal(t, systems, r.At(report.Point{Metric: EachTail, Case: p.Case}))
			if rates[name] == nil {
				rates[name] = r.Values(p, alone)
			}
			require.Equal(t, rates[name], r.Values(p, alone), "it is measured alone once in a repetition")
			for i, v := range r.Values(p, together) {
				require.Positive(t, v)
				sum[i] += v
			}
		}
		for i, v := range all {
			require.InDelta(t, sum[i], v, 1e-6*v)
		}
	}
	require.Len(t, rates, 4)
	out := t.TempDir()
	require.NoError(t, WriteApplications(r, t.Output(), out))
	for _, name := range []string{"csv", "json", "svg", "png"} {
		require.FileExists(t, filepath.Join(out, "paxos-applications."+name))
	}
}

// TestApplicationsFlags: what cannot be measured is refused before anything is.
func TestApplicationsFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"--applications [5]: each 1 to 4": {"--applications", "5"},
		"--applications [0]: each 1 to 4": {"--applications", "0"},
		"--window 257: 1 to 256":          {"--window", "257"},
		"--for 1ms: at least 10ms":        {"--for", "1ms"},
		`--wire "string": xdp or packet`:  {"--wire", "string"},
		"--repetitions 0: at least one":   {"--repetitions", "0"},
	} {
		c := applicationsCommand()
		c.SetArgs(args)
		c.SetOut(t.Output())
		c.SetErr(t.Output())
		c.SilenceUsage = true
		require.ErrorContains(t, c.Execute(), want)
	}
	names := map[string]bool{}
	for _, b := range Benchmarks {
		names[b.Command().Name()] = true
	}
	require.Equal(t, map[string]bool{"paxos": true, "paxos-applications": true, "paxos-simulated": true, "paxos-placement": true, "paxos-forwarding": true}, names)
}
