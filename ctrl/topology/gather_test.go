package topology

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestGather: every receiver is of one part, parts are small enough and few enough, and the home's tree
// brings each what is its own; so does the tree of each part's home.
func TestGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := network(t)
		plain := rapid.IntRange(0, 3).Draw(t, "plain") == 0
		if plain {
			require.NoError(t, n.SetPlain(rapid.SampledFrom(n.switches).Draw(t, "only routes")))
		}
		r := n.Routes(failures(t, n, "down"))
		home, receivers := group(t, r)
		if receivers == nil {
			return
		}
		id := rapid.Uint64().Draw(t, "flow")
		fan := rapid.IntRange(2, 4).Draw(t, "fan")
		parts, err := r.Gather(home, receivers, id, fan)
		if len(receivers) > fan*fan {
			require.ErrorContains(t, err, fmt.Sprintf("two levels gather from at most %d", fan*fan))
			return
		}
		if err != nil { // there is nobody else
			require.ErrorContains(t, err, "no switch besides")
			for _, s := range n.switches {
				all := s != home && !n.Plain(s) && len(r.NextHops(home, s)) > 0
				for _, dst := range receivers {
					all = all && len(r.NextHops(s, dst)) > 0
				}
				require.False(t, all, "%s could", s)
			}
			return
		}
		require.LessOrEqual(t, len(parts), fan)
		var slots, all []string
		for _, p := range parts {
			require.LessOrEqual(t, len(p.Receivers), fan)
			all = append(all, p.Receivers...)
			if p.Home == "" {
				require.Len(t, p.Receivers, 1)
				slots = append(slots, p.Receivers...)
				continue
			}
			require.NotEqual(t, home, p.Home)
			slots = append(slots, p.Home)
			tree, err := r.Tree(p.Home, p.Receivers, id)
			require.NoError(t, err)
			require.NoError(t, checkTree(r, tree, p.Receivers, id))
		}
		require.ElementsMatch(t, receivers, all)
		if len(receivers) <= fan {
			require.Equal(t, receivers, slots)
		}
		tree, err := r.Tree(home, slots, id)
		require.NoError(t, err)
		f := &flow{r, tree, map[Place]int{}, map[string]int{}}
		require.NoError(t, f.copies(home, 0))
		want := map[string]int{}
		for _, s := range slots {
			want[s]++
		}
		require.Equal(t, want, f.got, "%+v", tree)
	})
}

// TestGatherByRack: racks gather for their own, and the home for its own.
func TestGatherByRack(t *testing.T) {
	n := leafSpine(t, 4, 2, 8)
	r := n.Routes(Down{})
	var receivers []string
	for _, h := range n.Hosts() {
		if h.At.Switch != "l0" || h.Name == "h0.1" || h.Name == "h0.2" {
			receivers = append(receivers, h.Name)
		}
	}
	parts, err := r.Gather("l0", receivers, 1, 8)
	require.NoError(t, err)
	got := map[string]int{}
	for _, p := range parts {
		if p.Home != "" {
			got[p.Home] = len(p.Receivers)
		} else {
			got[p.Receivers[0]] = 1
		}
	}
	require.Equal(t, map[string]int{"l1": 8, "l2": 8, "l3": 8, "h0.1": 1, "h0.2": 1}, got)

	// One link carries what is for all of its rack: one packet.
	var slots []string
	for _, p := range parts {
		slots = append(slots, map[bool]string{true: p.Receivers[0], false: p.Home}[p.Home == ""])
	}
	tree, err := r.Tree("l0", slots, 1)
	require.NoError(t, err)
	f := &flow{r, tree, map[Place]int{}, map[string]int{}}
	require.NoError(t, f.copies("l0", 0))
	for at, n := range f.links {
		require.Equal(t, 1, n, "%v", at)
	}

	_, err = r.Tree("l0", []string{"l0"}, 1)
	require.ErrorContains(t, err, "switch l0 is the home")
}
