package rate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/report"
	"github.com/p4ce/p4ce/systems/rdma/bench/modes"
)

func TestFit(t *testing.T) {
	f, ok := fit([]cost{{1, 1.5}, {2, 2.5}, {4, 4.5}, {1, 1.5}})
	require.True(t, ok)
	require.InDelta(t, 0.5, f.Fixed, 1e-9)
	require.InDelta(t, 1, f.Path, 1e-9)
	require.InDelta(t, 2.5/1.5, f.Ratio(2), 1e-9)
	require.InDelta(t, 3, f.Ratio(4), 1e-9)
	// With the F that a ratio allows, it is that ratio.
	for n, wanted := range Wanted {
		require.InDelta(t, wanted, Fit{f.Allows(wanted, n), f.Path}.Ratio(n), 1e-9)
	}
	// Errors of measurements cancel out.
	f, ok = fit([]cost{{1, 1.4}, {1, 1.6}, {4, 4.6}, {4, 4.4}})
	require.True(t, ok)
	require.InDelta(t, 1, f.Path, 1e-9)
	for _, none := range [][]cost{nil, {{1, 2}}, {{2, 2}, {2, 3}}} {
		_, ok = fit(none)
		require.False(t, ok)
	}
}

func TestNote(t *testing.T) {
	r := New(Options{})
	for i := range 5 {
		for mode, us := range map[string]float64{modes.Direct: 2.5, modes.Accelerated: 1.5, modes.Mu: 9} {
			r.Add(report.Point{Metric: Cost, Case: modes.Case(2)}, mode, i, us)
		}
	}
	note(r, []int{2})
	require.Equal(t, []string{"a value costs the leader F + P x paths: F = 0.50 us, whatever the mode, and P = 1.00 us; with 2 replicas that is x1.67, and x1.9 needs an F of at most 0.11 us"}, r.Notes)
	none := New(Options{})
	note(none, []int{2})
	require.Empty(t, none.Notes)
}
