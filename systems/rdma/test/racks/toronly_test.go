package racks

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// lossy are the links between leaves and spines, each of which loses one packet of a hundred.
func lossy(leaves, spines int) map[string]network.Rates {
	bad := map[string]network.Rates{}
	for l := range leaves {
		for s := range spines {
			bad[fmt.Sprintf("l%d-s%d", l, s)] = network.Rates{Loss: 0.01}
		}
	}
	return bad
}

// TestToROnly: spines are ordinary routers. A group's packets leave its leaf once for each other rack, whose leaf copies for
// its own; a port goes down, and they go by the other spine.
func TestToROnly(t *testing.T) {
	long.Test(t)
	r := newRacksOf(t, multicast.Options{Leaves: 3, Spines: 2, Hosts: 3, Plain: true, Hold: unheard})
	const n = 1000
	g := r.group(4740, "h1", "h2", "h4", "h5", "h7", "h8", "h9") // l0; l0, 2 x l1, 3 x l2
	behind := map[string]uint64{"l1": 2, "l2": 3}
	other := map[string]string{"s0": "s1", "s1": "s0"}

	// check sees that what n records have put on the links is the least there can be, and returns the spine that they go by.
	check := func(links map[string]uint64) string {
		t.Helper()
		const few = n / 100 // CM, ARP
		up := "s0"
		if links["l0-s1"] > links["l0-s0"] {
			up = "s1"
		}
		require.InDelta(t, 2*n, links["l0-"+up], few, "one copy for each rack: %v", links)
		require.Less(t, links["l0-"+other[up]], uint64(few), "%v", links)
		answers := uint64(0)
		for leaf, receivers := range behind {
			require.InDelta(t, n, links[up+"-"+leaf], few, "one copy for all at %s: %v", leaf, links)
			require.Less(t, links[other[up]+"-"+leaf], uint64(few), "%v", links)
			sent := links[leaf+"-s0"] + links[leaf+"-s1"]
			require.LessOrEqual(t, sent, receivers*n+few, "%v", links)
			answers += sent
		}
		require.InDelta(t, answers, links["s0-l0"]+links["s1-l0"], few, "all answers go home: %v", links)
		require.GreaterOrEqual(t, answers, uint64(n), "%v", links)
		return up
	}
	write := func() string { t.Helper(); return check(r.arrived(func() { g.write(n, nil) })) }

	up := write()
	down := func(leaf string) {
		t.Helper()
		require.Eventually(t, func() bool {
			st, err := r.Admin.Status(r.ctx)
			require.NoError(t, err)
			for i := range st.Switches {
				if state, err := control.StatusOf(&st.Switches[i]); err == nil && st.Switches[i].Name == leaf && len(state.Down) == 1 {
					return true
				}
			}
			return false
		}, 20*time.Second, time.Millisecond)
	}
	for _, leaf := range []string{"l0", "l2"} { // where copies leave, and where they come in
		g.write(100, func(i int) {
			if i == 50 {
				require.NoError(t, r.SetPort(leaf, up, false))
			}
		})
		down(leaf)
		if leaf == "l0" {
			require.Equal(t, other[up], write())
		} else {
			links := r.arrived(func() { g.write(n, nil) })
			require.GreaterOrEqual(t, links[other[up]+"-l2"], uint64(n), "l2 is reached by the other: %v", links)
		}
		require.NoError(t, r.SetPort(leaf, up, true))
		require.NoError(t, r.Whole(r.ctx))
		// The controller knows before the switches do.
		const some = 20
		require.Eventually(t, func() bool {
			links := r.arrived(func() { g.write(some, nil) })
			return links["l0-"+other[up]] < some/2 && links[other[up]+"-l2"] < some/2
		}, 20*time.Second, time.Millisecond)
		require.Equal(t, up, write(), "as it was")
	}
	g.check()
	g.close()
	r.empty()
}

// TestToROnlyFails: the same, while links lose one packet of a hundred and ports go down and come up. Everything arrives once.
func TestToROnlyFails(t *testing.T) {
	long.Test(t)
	bad := lossy(3, 2)
	r := newRacksOf(t, multicast.Options{Leaves: 3, Spines: 2, Hosts: 3, Plain: true, Hold: unheard, Bad: bad})
	g := r.group(4740, "h1", "h2", "h4", "h5", "h7", "h8", "h9")
	const n = 400
	for _, leaf := range []string{"l0", "l1", "l2"} {
		for _, spine := range []string{"s0", "s1"} {
			g.write(n, func(i int) {
				switch i {
				case n / 4:
					require.NoError(t, r.SetPort(leaf, spine, false))
				case 3 * n / 4:
					require.NoError(t, r.SetPort(leaf, spine, true))
				}
			})
			require.NoError(t, r.Whole(r.ctx))
		}
	}
	r.mend(bad)
	g.check()
	g.close()
	r.empty()
}
