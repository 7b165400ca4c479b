package topology

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// No port has more than its share of the flows, and a port that fails changes few of the others'.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := slices.Sorted(slices.Values(rapid.SliceOfNDistinct(rapid.Uint16(), 1, 40, rapid.ID).Draw(t, "set")))
		n := rapid.IntRange(1, 128).Draw(t, "flows")
		dealt := Deal("s1", set, n)
		require.Len(t, dealt, n)
		count := map[uint16]int{}
		for _, p := range dealt {
			require.Contains(t, set, p)
			count[p]++
		}
		for p, c := range count {
			require.LessOrEqual(t, c, (n+len(set)-1)/len(set), "port %d", p)
		}
		require.Equal(t, dealt, Deal("s1", set, n))
	})
	require.Nil(t, Deal("s1", nil, 64))

	set := []uint16{1, 2, 3, 4}
	before, after := Deal("s1", set, 64), Deal("s1", []uint16{1, 2, 4}, 64)
	moved := 0
	for flow, p := range before {
		if p != 3 && after[flow] != p {
			moved++
		}
	}
	require.Less(t, moved, 16, "of 48: the flows of a failed port go elsewhere, few others do")

	// Of the flows that one switch sends by a port, the next one uses all ports.
	count := map[uint16]int{}
	for flow, p := range Deal("s2", set, 64) {
		if before[flow] == 1 {
			count[p]++
		}
	}
	require.Len(t, count, len(set), "%v", count)
}
