package simulated

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/figures"
	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
)

// The same seeds give the same samples; all files are written, and 1Pipe is as fast as what its hosts' CPUs take allows.
func TestScalability(t *testing.T) {
	o := Options{Repetitions: 1, Figures: []string{"8"}, Processes: []int{2, 16}}
	a, err := Measure(context.Background(), o)
	require.NoError(t, err)
	b, err := Measure(context.Background(), o)
	require.NoError(t, err)
	require.Equal(t, a.Main.Samples, b.Main.Samples)
	dir := t.TempDir()
	var out bytes.Buffer
	require.NoError(t, a.Write(&out, dir))
	for _, f := range []string{"onepipe.json", "onepipe-fig8.csv", "onepipe-fig8a.svg", "onepipe-fig8b.png"} {
		require.FileExists(t, filepath.Join(dir, f))
	}
	for _, n := range o.Processes {
		for _, system := range []string{BestEffort, Reliable} {
			got := a.Figures[0].Of(report.Point{Metric: Rate, X: float64(n)}, system)
			require.InDelta(t, 5, got.Median, 0.25, "%s, %d processes: a packet and its acknowledgement take 200 ns", system, n)
		}
	}
	_, err = Measure(context.Background(), Options{Figures: []string{"7"}})
	require.ErrorContains(t, err, "figure 7")
}

// A run whose processes deliver in different orders fails.
func TestDisorderIsSeen(t *testing.T) {
	c, err := build(1, string(baseline.Unordered), 8, options{})
	require.NoError(t, err)
	c.ordered = true
	_, err = newLoad(c).rate(1, 4, 1, 4)
	require.ErrorContains(t, err, "delivers something else")
}

// The testbed has the paper's switches, and as many hosts as processes have room on.
func TestTestbed(t *testing.T) {
	for _, c := range []struct{ processes, hosts, each, switches, hops int }{
		{2, 2, 1, 1, 1}, {8, 8, 1, 1, 1}, {16, 16, 1, 4, 3}, {32, 32, 1, 10, 5}, {64, 32, 2, 10, 5},
	} {
		got, err := build(1, BestEffort, c.processes, options{window: 16})
		require.NoError(t, err)
		require.Len(t, got.Hosts, c.hosts)
		require.Len(t, got.Switches, c.switches)
		require.Equal(t, c.each, got.pipe.each)
		// From the first host to the last.
		net, err := got.Topology()
		require.NoError(t, err)
		last := got.Hosts[c.hosts-1].Name()
		from, _ := net.Host(got.Hosts[0].Name())
		to, _ := net.Host(last)
		hops := 1
		for at := from.Switch; at != to.Switch; hops++ {
			port, ok := net.Port(at, last)
			require.True(t, ok)
			for _, s := range got.Switches {
				if s.Name() == at {
					at = s.Ports()[port].To.Name()
					break
				}
			}
		}
		require.Equal(t, c.hops, hops, "%d processes", c.processes)
	}
	_, err := build(1, BestEffort, 33, options{})
	require.ErrorContains(t, err, "cannot be spread")
}

// An order costs time, and never more than a beacon's interval, the distance of clocks, and the way of a beacon.
func TestIdle(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"9a"}})
	require.NoError(t, err)
	f := r.Figures[0]
	for _, n := range []float64{8, 32} {
		at := report.Point{Metric: Latency, X: n}
		plain, best, reliable := f.Of(at, string(baseline.Unordered)).Median, f.Of(at, BestEffort).Median, f.Of(at, Reliable).Median
		require.Greater(t, best, plain)
		require.Greater(t, reliable, best)
		require.Less(t, best-plain, micros(beacons+8*skew)+3)
		servers := f.Of(at, BestEffortServers).Median
		require.Greater(t, servers, best+micros(2*toServer))
		require.Greater(t, f.Of(at, ReliableServers).Median, servers)
	}
}

// Whatever fails, those who are left receive what is sent later; of what is cut off nobody waits for long.
func TestRecovery(t *testing.T) {
	for _, x := range faults {
		for _, hosts := range []int{4, 16} {
			if hosts < x.least {
				continue
			}
			took, err := recovered(1, hosts, x)
			require.NoError(t, err, x.name)
			require.Greater(t, took, silence, "%s: a link has failed when it was silent for so long", x.name)
		}
	}
}

// A loss costs time and not much of the rate; what waits for a slow clock takes as much memory as it waits long.
func TestLossAndDelay(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"9b", "11"}})
	require.NoError(t, err)
	lossy, reorder := r.Figures[0], r.Figures[1]
	for _, system := range []string{BestEffort, Reliable} {
		at := func(f *figures.Figure, metric string, x float64) float64 {
			return f.Of(report.Point{Metric: metric, X: x}, system).Median
		}
		require.Greater(t, at(lossy, Latency, 1e-1), at(lossy, Latency, 1e-8), system)
		if system == BestEffort { // reliable messages come in bursts, when something is sent again
			require.Less(t, at(lossy, Rate, 1e-1), at(lossy, Rate, 1e-8))
		}
		require.InDelta(t, 5, at(reorder, Rate, 25), 0.5, system)
		ratio := at(reorder, Memory, 25) / at(reorder, Memory, 5)
		require.Greater(t, ratio, 3., system)
		require.Less(t, ratio, 6., system)
	}
}

// Other flows on the same links cost time.
func TestCrowd(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"12a", "12b"}})
	require.NoError(t, err)
	for i, to := range []float64{2, 4} {
		f := r.Figures[i]
		points := f.Points(Latency)
		for _, system := range f.Systems {
			require.Greater(t, f.Of(report.Point{Metric: Latency, X: to}, system).Median, f.Of(points[0], system).Median, "%s, %s", f.Name, system)
		}
	}
}

// Two-phase commit loses most of its rate when some keys are popular, and 1Pipe does not.
func TestTransactions(t *testing.T) {
	r, err := Measure(context.Background(), Options{Repetitions: 1, Quick: true, Figures: []string{"transactions"}})
	require.NoError(t, err)
	f := r.Figures[0]
	at := func(system string) float64 { return f.Of(report.Point{Metric: Transactions, X: 16}, system).Median }
	require.Greater(t, at("1Pipe, zipf"), 0.7*at("1Pipe, uniform"))
	require.Less(t, at("2PC, zipf"), 0.4*at("2PC, uniform"))
}
