package fabric

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/p4ce"
)

// leafSpine is four leaves of two hosts, and two spines.
func leafSpine(core string) TopologyConfig {
	c := rack(2)
	c.Kind, c.Leaves, c.Spines, c.Core, c.FabricLink, c.RouteDelay = LeafSpine, 4, 2, core, fast(), Millisecond
	return c
}

// across writes from the first rack to five receivers in all of them.
func across(count int) LoadConfig {
	return LoadConfig{
		Name: "across", From: "h1", To: []string{"h2", "h3", "h4", "h5", "h7"}, Via: ViaGroup, Policy: p4ce.PolicyAll, Size: 3000, Count: count, Outstanding: 16,
		Start: 5 * Millisecond, QP: QPConfig{AckTimeout: time.Millisecond},
	}
}

// With relays everywhere, a packet goes once over each link of its tree; with relays in racks only, once
// to each rack.
func TestOneCopyPerLink(t *testing.T) {
	for _, c := range []struct {
		core     string
		up, down uint64 // frames from a leaf up, and from spines down, per packet
	}{{ProgramRDMA, 1, 3}, {ProgramPlain, 3, 3}} {
		t.Run(c.core, func(t *testing.T) {
			f := New(1)
			l := build(t, f, leafSpine(c.core), across(400))
			require.NoError(t, f.Run(4*Millisecond)) // everything is set up, but the group
			finish(t, f, l...)
			require.NoError(t, l[0].Result.Err)
			require.Equal(t, 400, l[0].Result.Done)
			require.Zero(t, l[0].Result.Unheld)
			require.Zero(t, lost(f))
			require.NoError(t, conserved(f))
			var up, down uint64
			for _, link := range f.Links {
				if link.Half[0].From.Name() == "leaf1" {
					up += link.Half[0].Count.Delivered
				}
				if link.Half[0].From.Name() == "leaf1" || link.Half[0].From.Name()[0] == 'h' {
					continue
				}
				down += link.Half[1].Count.Delivered
			}
			const packets = 1200
			t.Logf("%d up from the leader's leaf, %d down to the others", up, down)
			require.InDelta(t, float64(c.up*packets), float64(up), 200)
			require.InDelta(t, float64(c.down*packets), float64(down), 200)
		})
	}
}

// A spine is cut off while a group writes through it, and packets are lost: its tree becomes another, and
// what is answered is held by all, each packet once.
func TestRelaysFollowRoutes(t *testing.T) {
	f := New(1)
	c := leafSpine(ProgramRDMA)
	c.FabricLink.Faults.Loss = 0.005
	c.Controller.Hold = 5 * Millisecond
	l := across(3000)
	l.Interval = 10 * Microsecond
	loads := build(t, f, c, l)
	var cut []*Link
	// Which spine the group uses is chance: the one that carries more.
	f.At(15*Millisecond, func() {
		most := uint64(0)
		for _, spine := range []string{"spine1", "spine2"} {
			up, _ := f.Link("leaf1-" + spine)
			if n := up.Half[0].Count.DeliveredBytes; n > most {
				most = n
				cut = nil
				for _, leaf := range []string{"leaf1", "leaf2", "leaf3", "leaf4"} {
					link, _ := f.Link(leaf + "-" + spine)
					cut = append(cut, link)
				}
			}
		}
		for _, link := range cut {
			f.SetDown(link, true)
		}
	})
	finish(t, f, loads...)
	require.NoError(t, loads[0].Result.Err)
	require.Equal(t, 3000, loads[0].Result.Done)
	require.Zero(t, loads[0].Result.Unheld)
	require.NoError(t, conserved(f))
	require.NotEmpty(t, cut)
	require.Greater(t, loads[0].Result.Last, 15*Millisecond, "it was over before the cut")
}

// What a home rewrites keeps its ICRC by the UDP source port, which so differs from packet to packet:
// plain switches that hash ports send a group's packets by different ways, and they overtake each other.
// With a hash of addresses they keep their order.
func TestPlainCoreMustHashAddresses(t *testing.T) {
	run := func(ecmp string) (naks uint64) {
		f := New(1)
		c := rack(0)
		c.Kind, c.K, c.Core, c.FabricLink, c.RouteDelay, c.ECMP = FatTree, 4, ProgramPlain, fast(), Millisecond, ecmp
		l := across(500)
		l.To = []string{"h5", "h9"}
		require.NoError(t, f.Build(c))
		for _, link := range f.Links { // one of each two ways is longer
			if to := link.Half[1].From.Name(); to == "core2" || to == "core4" {
				link.Config.Delay = 5 * Microsecond
			}
		}
		require.NoError(t, f.Start())
		x, err := f.NewLoad(0, l)
		require.NoError(t, err)
		finish(t, f, x)
		require.NoError(t, x.Result.Err)
		require.Equal(t, 500, x.Result.Done)
		require.Zero(t, x.Result.Unheld)
		return x.channel.Senders()[0].rc.Counters().NaksIn
	}
	require.Zero(t, run(ECMPAddresses))
	require.NotZero(t, run(ECMPPorts))
}
