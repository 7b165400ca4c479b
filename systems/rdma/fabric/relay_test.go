package fabric

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// leafSpine is four leaves of two hosts, and two spines.
func leafSpine(core string) fabric.TopologyConfig {
	c := rack(2)
	c.Kind, c.Leaves, c.Spines, c.Core, c.FabricLink, c.RouteDelay = fabric.LeafSpine, 4, 2, core, fast(), fabric.Millisecond
	return c
}

// across writes from the first rack to five receivers in all of them.
func across(count int) LoadConfig {
	return LoadConfig{
		LoadConfig: fabric.LoadConfig{
			Name: "across", From: "h1", To: []string{"h2", "h3", "h4", "h5", "h7"},
			Size: 3000, Count: count, Outstanding: 16, Start: 5 * fabric.Millisecond,
		},
		LoadSettings: LoadSettings{Via: ViaGroup, Policy: private.PolicyAll, QP: QPConfig{AckTimeout: time.Millisecond}},
	}
}

// With relays everywhere, a packet goes once over each link of its tree; with relays in racks only, once
// to each rack.
func TestOneCopyPerLink(t *testing.T) {
	for _, c := range []struct {
		core     string
		up, down uint64 // frames from a leaf up, and from spines down, per packet
	}{{Program, 1, 3}, {fabric.ProgramPlain, 3, 3}} {
		t.Run(c.core, func(t *testing.T) {
			f := network(t, 1)
			l := build(t, f, leafSpine(c.core), across(400))
			require.NoError(t, f.Run(4*fabric.Millisecond)) // everything is set up, but the group
			finish(t, f, l...)
			require.NoError(t, l[0].Result.Err)
			require.Equal(t, 400, l[0].Result.Done)
			require.Zero(t, l[0].Result.Unheld)
			require.Zero(t, lost(f))
			require.NoError(t, f.Check())
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
	f := network(t, 1)
	c := leafSpine(Program)
	c.FabricLink.Faults.Loss = 0.005
	c.Controller.Hold = 5 * fabric.Millisecond
	l := across(3000)
	l.Interval = 10 * fabric.Microsecond
	loads := build(t, f, c, l)
	var cut []*fabric.Link
	// Which spine the group uses is chance: the one that carries more.
	f.At(15*fabric.Millisecond, func() {
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
	require.NoError(t, f.Check())
	require.NotEmpty(t, cut)
	require.Greater(t, loads[0].Result.Last, 15*fabric.Millisecond, "it was over before the cut")
}

// inFlight has a group write while the way to the spine that it uses takes late, from a time on: less than the grace.
// Of its receivers the first stands for all behind the spine, and is the only one at its switch, which has nothing to copy.
func inFlight(t *testing.T) (f *Network, l *fabric.Load, slow, late fabric.Time, up func() *fabric.Link) {
	slow, late = 15*fabric.Millisecond, 150*fabric.Millisecond
	f = network(t, 1)
	c := leafSpine(Program)
	c.Controller.Hold = 5 * fabric.Millisecond
	load := across(3000)
	load.To, load.Interval = []string{"h5", "h7", "h8"}, 10*fabric.Microsecond
	l = build(t, f, c, load)[0]
	var way *fabric.Link
	f.At(slow, func() {
		way, _ = f.Link("leaf1-spine1")
		if b, _ := f.Link("leaf1-spine2"); b.Half[0].Count.DeliveredBytes > way.Half[0].Count.DeliveredBytes {
			way = b
		}
		way.Config.Delay = late
	})
	return f, l, slow, late, func() *fabric.Link { return way }
}

// astray are packets for queue pairs that hosts do not have.
func astray(f *Network) (n uint64) {
	for _, h := range f.Hosts {
		n += nic(h).Count.DropQP
	}
	return n
}

// What is on its way to a relay when the group's tree becomes another arrives, and late: the relay still knows it, and
// sends each of its receivers what is its own. A relay that was gone would route what it says, which is for a queue pair
// of the switch's, to one of them.
func TestRelayStaysForGrace(t *testing.T) {
	f, l, slow, late, up := inFlight(t)
	var before uint64
	f.At(slow+8*fabric.Millisecond, func() { // all goes by the other spine
		up().Config.Faults.Loss = 1
		before = up().Half[0].Count.Delivered
	})
	finish(t, f, l)
	require.NoError(t, l.Result.Err)
	require.Equal(t, 3000, l.Result.Done)
	require.NoError(t, f.Run(slow+late+20*fabric.Millisecond))
	require.Greater(t, up().Half[0].Count.Delivered, before+16, "what was on its way has come")
	require.Zero(t, astray(f))
	require.NoError(t, f.Check())
}

// The same when the group's leader leaves.
func TestRelayStaysAtTheEnd(t *testing.T) {
	f, l, slow, late, up := inFlight(t)
	var before uint64
	f.At(slow+fabric.Millisecond, func() {
		require.NotEmpty(t, channelOf(l).under, "requests are under way")
		channelOf(l).conns[0].conn.Close()
		before = up().Half[0].Count.Delivered
	})
	require.NoError(t, f.Run(slow+late+20*fabric.Millisecond))
	require.Greater(t, up().Half[0].Count.Delivered, before+16, "what was on its way has come")
	require.Zero(t, astray(f))
	require.NoError(t, f.Run(fabric.Second))
	for _, s := range f.Switches {
		require.Empty(t, f.Groups(s), "%s", s.Name())
	}
	require.NoError(t, f.Check())
}

// What a home rewrites keeps its ICRC by the UDP source port, which so differs from packet to packet:
// plain switches that hash ports send a group's packets by different ways, and they overtake each other.
// With a hash of addresses they keep their order.
func TestPlainCoreMustHashAddresses(t *testing.T) {
	run := func(ecmp string) (naks uint64) {
		f := network(t, 1)
		c := rack(0)
		c.Kind, c.K, c.Core, c.FabricLink, c.RouteDelay, c.ECMP = fabric.FatTree, 4, fabric.ProgramPlain, fast(), fabric.Millisecond, ecmp
		l := across(500)
		l.To = []string{"h5", "h9"}
		require.NoError(t, f.Build(c))
		for _, link := range f.Links { // one of each two ways is longer
			if to := link.Half[1].From.Name(); to == "core2" || to == "core4" {
				link.Config.Delay = 5 * fabric.Microsecond
			}
		}
		require.NoError(t, f.Start())
		x, err := f.NewLoad(0, l)
		require.NoError(t, err)
		finish(t, f, x)
		require.NoError(t, x.Result.Err)
		require.Equal(t, 500, x.Result.Done)
		require.Zero(t, x.Result.Unheld)
		return channelOf(x).Senders()[0].RC().Counters().NaksIn
	}
	require.Zero(t, run(fabric.ECMPAddresses))
	require.NotZero(t, run(fabric.ECMPPorts))
}

// channelOf is the channel of a load, nil before its start.
func channelOf(l *fabric.Load) *Channel {
	if c, ok := l.Client().(*client); ok {
		return c.Channel
	}
	return nil
}
