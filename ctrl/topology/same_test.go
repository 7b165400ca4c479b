package topology

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSameFrom: routes that are said to be the same from a switch have the same next hops to everybody; those of one network with the
// same failures are.
func TestSameFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t)
		a, b := failures(t, n, "before"), failures(t, n, "after")
		for _, h := range n.hosts {
			b.Ports[h.At] = rapid.IntRange(0, 5).Draw(t, "host's port") == 0
		}
		before, after := n.Routes(a), n.Routes(b)
		again := n.Routes(Down{Switches: maps.Clone(b.Switches), Ports: maps.Clone(b.Ports)})
		for _, from := range n.switches {
			require.True(t, after.SameFrom(again, from))
			require.False(t, after.SameFrom(nil, from))
			if !after.SameFrom(before, from) {
				continue
			}
			for _, h := range n.hosts {
				require.True(t, slices.Equal(before.NextHops(from, h.Name), after.NextHops(from, h.Name)), "%s to %s", from, h.Name)
			}
			for _, s := range n.switches {
				require.True(t, slices.Equal(before.NextHops(from, s), after.NextHops(from, s)), "%s to %s", from, s)
			}
		}
	})
	n, err := New([]string{"a", "b"}, []Link{{Place{"a", 1}, Place{"b", 1}}}, []Host{{"h", Place{"a", 2}}})
	require.NoError(t, err)
	other, err := New([]string{"a", "b"}, []Link{{Place{"a", 3}, Place{"b", 1}}}, []Host{{"h", Place{"a", 2}}})
	require.NoError(t, err)
	all := n.Routes(Down{})
	require.False(t, all.SameFrom(other.Routes(Down{}), "b"), "another network")
	require.False(t, all.SameFrom(all, "h"), "no switch")
	require.False(t, all.SameFrom(n.Routes(Down{Ports: map[Place]bool{{"a", 2}: true}}), "b"), "a host")
}
