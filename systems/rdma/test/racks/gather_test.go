package racks

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/lab/multicast"
)

// rackful is a group of policy all, made beforehand, of all hosts of three leaves but the first, which leads it: more than a
// switch has slots.
type rackful struct{ *numbered }

const perRack = 5

// unheard: links are hardly ever probed, and are what their ports say.
const unheard = 5 * time.Hour

func (r *racks) rackful(name string, port, service uint16) *rackful {
	r.t.Helper()
	var to []string
	for n := 2; n <= 3*perRack; n++ {
		to = append(to, fmt.Sprintf("h%d", n))
	}
	g, addrs := r.receivers(port, to...)
	made := group.Static{Name: name, Port: service, Policy: "all"}
	for _, a := range addrs {
		made.Receivers = append(made.Receivers, group.Receiver{Addr: a, Port: port})
	}
	require.NoError(r.t, r.Admin.CreateGroup(r.ctx, "l0", made))
	var err error
	g.tx, err = shape(port).SendStatic(r.ctx, r.device("h1"), netip.AddrPortFrom(r.Home("h1"), service))
	require.NoError(r.t, err)

	list, err := r.Admin.Groups(r.ctx)
	require.NoError(r.t, err)
	slots := map[string]int{}
	for _, g := range list {
		slots[g.Switch] = len(g.Slots)
	}
	require.Equal(r.t, map[string]int{"l0": perRack - 1 + 2, "l1": perRack, "l2": perRack}, slots, "each rack gathers for its own")
	return &rackful{g}
}

// TestGatherInTree: leaves gather for their racks. Each record goes over each link of the tree once, and each of the two other
// leaves says one ACK for all of its five.
func TestGatherInTree(t *testing.T) {
	long.Test(t)
	r := newRacksOf(t, multicast.Options{Leaves: 3, Spines: 2, Hosts: perRack, Hold: unheard})
	g := r.rackful("all", 4740, 7000)
	const n = 1000
	const few = n / 100 // CM, ARP
	links := r.arrived(func() { g.writeIn(1, n, nil) })
	g.check()
	t.Logf("%v", links)
	up, other := "s0", "s1"
	if links["l0-s1"] > links["l0-s0"] {
		up, other = other, up
	}
	for _, l := range []string{"l0-" + up, up + "-l1", up + "-l2"} {
		require.InDelta(t, n, links[l], few, "%s: one copy: %v", l, links)
	}
	for _, l := range []string{"l0-" + other, other + "-l1", other + "-l2"} {
		require.Less(t, links[l], uint64(few), "%s: none: %v", l, links)
	}
	for _, leaf := range []string{"l1", "l2"} {
		require.InDelta(t, n, links[leaf+"-s0"]+links[leaf+"-s1"], few, "one answer for five receivers at %s: %v", leaf, links)
	}
	require.InDelta(t, 2*n, links["s0-l0"]+links["s1-l0"], few, "which come home: %v", links)
	g.close()
	r.empty()
}

// TestGatherInTreeFails: the same, while all links between switches lose one packet of a hundred, and ports go down and come
// up. What has been acknowledged is everywhere, once.
func TestGatherInTreeFails(t *testing.T) {
	long.Test(t)
	bad := lossy(3, 2)
	r := newRacksOf(t, multicast.Options{Leaves: 3, Spines: 2, Hosts: perRack, Hold: 10 * time.Second, Bad: bad}) // probes are lost, too
	g := r.rackful("all", 4740, 7000)
	const n = 600
	g.write(n, nil)
	g.check()
	for _, port := range []struct{ of, to string }{{"l0", "s0"}, {"l0", "s1"}, {"l1", "s0"}, {"s1", "l2"}} {
		g.write(n, func(i int) {
			switch i {
			case n / 4:
				require.NoError(t, r.SetPort(port.of, port.to, false))
			case 3 * n / 4:
				require.NoError(t, r.SetPort(port.of, port.to, true))
			}
		})
		g.check()
		require.NoError(t, r.Whole(r.ctx))
	}
	r.mend(bad)
	g.close()
	r.empty()
}
