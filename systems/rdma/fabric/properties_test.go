package fabric

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// lossy is a rack in which all goes wrong.
func lossy(t testing.TB, seed uint64) (*Network, *fabric.Load) {
	f := network(t, seed)
	c := rack(4)
	c.HostLink.Faults = fabric.Faults{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01}
	c.HostClock = func(n int) fabric.Clock {
		return fabric.Clock{Offset: fabric.Time(n) * fabric.Millisecond, Drift: int64(n) * 10000}
	}
	lc := groupOf(500, "h2", "h3", "h4")
	lc.QP.AckTimeout = 200 * time.Microsecond
	return f, build(t, f, c, lc)[0]
}

func hashOf(t *testing.T, seed uint64) (uint64, *Network, *fabric.Load) {
	f, l := lossy(t, seed)
	x := fabric.NewHash()
	f.Tap(x)
	finish(t, f, l)
	return x.Sum(), f, l
}

// One seed, one result; another seed, another.
func TestDeterministic(t *testing.T) {
	a, _, l := hashOf(t, 7)
	require.NoError(t, l.Result.Err)
	require.Equal(t, l.Config.Count, l.Result.Done)
	b, _, _ := hashOf(t, 7)
	require.Equal(t, a, b)
	c, _, _ := hashOf(t, 8)
	require.NotEqual(t, a, c)
}

// The same with many switches, whose controllers and routes have maps in them.
func TestDeterministicLeafSpine(t *testing.T) {
	run := func() uint64 {
		r, err := example(t, "leaf-spine").Begin()
		require.NoError(t, err)
		require.NoError(t, r.Fabric.Run(2500*fabric.Microsecond))
		return r.Hash.Sum()
	}
	require.Equal(t, run(), run())
}

func TestConservation(t *testing.T) {
	_, f, _ := hashOf(t, 3)
	require.NoError(t, f.Check())
	var c fabric.HalfCounters
	for _, l := range f.Links {
		for _, h := range l.Half {
			c.Lost, c.Duplicated, c.Corrupted = c.Lost+h.Count.Lost, c.Duplicated+h.Count.Duplicated, c.Corrupted+h.Count.Corrupted
		}
	}
	require.NotZero(t, c.Lost)
	require.NotZero(t, c.Duplicated)
	require.NotZero(t, c.Corrupted)
}

// What is answered is held: under loss, doubling and damage, with clocks that are wrong.
func TestHeld(t *testing.T) {
	for seed := range uint64(10) {
		_, f, l := hashOf(t, seed)
		require.NoError(t, l.Result.Err)
		require.Equal(t, l.Config.Count, l.Result.Done)
		require.Zero(t, l.Result.Unheld)
		require.NoError(t, f.Check())
	}
}

// incast is seven senders to one receiver.
func incast(t *testing.T, change func(*fabric.TopologyConfig)) (*Network, []*fabric.Load) {
	f := network(t, 1)
	c := rack(8)
	c.Edge = fabric.ProgramPlain
	c.HostLink.Queue = 300 << 10
	change(&c)
	var loads []LoadConfig
	for i := range 7 {
		loads = append(loads, LoadConfig{
			LoadConfig: fabric.LoadConfig{
				Name: fmt.Sprint("s", i+2), From: fmt.Sprint("h", i+2), To: []string{"h1"},
				Size: 64 << 10, Count: 20, Outstanding: 4,
			},
			LoadSettings: LoadSettings{Via: ViaFanOut, QP: QPConfig{Window: 256, AckTimeout: 20 * time.Millisecond, ECN: true}, Policy: private.PolicyAll},
		})
	}
	l := build(t, f, c, loads...)
	finish(t, f, l...)
	require.NoError(t, f.Check())
	for _, x := range l {
		require.NoError(t, x.Result.Err)
		require.Zero(t, x.Result.Unheld)
	}
	return f, l
}

// lost counts what queues had no room for.
func lost(f *Network) (n uint64) {
	for _, l := range f.Links {
		n += l.Half[0].Count.DropFull + l.Half[1].Count.DropFull
	}
	return n
}

// A full queue drops, PFC keeps it from being full; a sender that does not heed it is seen.
func TestPFC(t *testing.T) {
	f, _ := incast(t, func(*fabric.TopologyConfig) {})
	require.NotZero(t, lost(f), "without PFC the queue runs over")
	// 30 KiB of each sender, and what comes until it has stopped, fit in.
	pfc := func(c *fabric.TopologyConfig) {
		c.HostLink.PFCStop, c.HostLink.PFCGo, c.HostLink.Queue = 30<<10, 20<<10, 600<<10
	}
	f, _ = incast(t, pfc)
	require.Zero(t, lost(f))
	var c fabric.HalfCounters
	for _, l := range f.Links {
		c.Pauses += l.Half[0].Count.Pauses
		c.Paused += l.Half[0].Count.Paused
	}
	require.NotZero(t, c.Pauses)
	require.NotZero(t, c.Paused)
	require.Zero(t, f.Hosts[0].Link().Reverse().Count.Pauses, "hosts take what comes")
}

// marked counts marks, and what hosts see of them.
func marked(f *Network) (marks, seen, told uint64) {
	for _, l := range f.Links {
		marks += l.Half[0].Count.Marked + l.Half[1].Count.Marked
	}
	for _, h := range f.Hosts {
		seen += nic(h).Count.CE
		told += nic(h).Count.CNP
	}
	return marks, seen, told
}

func TestECN(t *testing.T) {
	large := func(c *fabric.TopologyConfig) { c.HostLink.Queue = 16 << 20 }
	f, _ := incast(t, large)
	marks, _, _ := marked(f)
	require.Zero(t, marks, "not asked for")
	at := func(c *fabric.TopologyConfig) { large(c); c.HostLink.ECNMin = 100 << 10 }
	f, l := incast(t, at)
	marks, seen, told := marked(f)
	require.NotZero(t, marks)
	require.Equal(t, marks, seen, "marks arrive, in packets whose checksums are right")
	require.NotZero(t, told, "and the senders hear of them")
	for _, x := range l {
		c := channelOf(x).Senders()[0].RC().Counters()
		require.Zero(t, c.DropICRC)
		require.Zero(t, c.Retransmitted)
	}
	require.Zero(t, nic(f.Hosts[0]).Count.DropFrame)
	for _, l := range f.Links {
		for _, h := range l.Half {
			require.True(t, h.Count.Marked == 0 || h.Peak >= 100<<10, "%s marks below the threshold", h.Name)
		}
	}
	some, _ := incast(t, func(c *fabric.TopologyConfig) { at(c); c.HostLink.ECNMax, c.HostLink.ECNChance = 16<<20, 0.5 })
	fewer, _, _ := marked(some)
	require.NotZero(t, fewer)
	require.Less(t, fewer, marks)
}

// A link that is cut loses what is on it, and works again afterwards. The group's replica misses
// packets, and the quorum goes on.
func TestCut(t *testing.T) {
	f := network(t, 1)
	lc := groupOf(2000, "h2", "h3", "h4")
	l := build(t, f, rack(4), lc)[0]
	cut, ok := f.Link("h4-s1")
	require.True(t, ok)
	f.At(2200*fabric.Microsecond, func() { f.SetDown(cut, true) })
	f.At(2300*fabric.Microsecond, func() { f.SetDown(cut, false) })
	finish(t, f, l)
	require.NoError(t, l.Result.Err)
	require.Equal(t, 2000, l.Result.Done)
	require.Zero(t, l.Result.Unheld)
	require.NoError(t, f.Check())
	require.NotZero(t, cut.Half[0].Count.DropDown+cut.Half[1].Count.DropDown)
}

// A spine that dies: flows go by the other one, and all arrives once.
func TestSpineDies(t *testing.T) {
	f := network(t, 1)
	c := rack(2)
	c.Kind, c.Leaves, c.Spines, c.Edge, c.Core = fabric.LeafSpine, 2, 2, fabric.ProgramPlain, fabric.ProgramPlain
	c.FabricLink, c.RouteDelay = fast(), 100*fabric.Microsecond
	lc := groupOf(4000, "h3", "h4")
	lc.Via, lc.Policy = ViaFanOut, private.PolicyAll
	other := lc
	other.Name, other.From = "other", "h2"
	l := build(t, f, c, lc, other)
	f.At(3*fabric.Millisecond, func() {
		for _, k := range f.Links {
			if k.Half[0].To.Name() == "spine1" {
				f.SetDown(k, true)
			}
		}
	})
	used := map[string]bool{}
	f.Tap(fabric.TapFunc(func(at fabric.Time, h *fabric.Half, _ []byte) {
		if at < 3*fabric.Millisecond {
			used[h.To.Name()] = true
		} else if at > 3200*fabric.Microsecond {
			require.NotEqual(t, "spine1", h.To.Name())
		}
	}))
	finish(t, f, l...)
	require.True(t, used["spine1"] && used["spine2"], "ECMP uses both")
	for _, x := range l {
		require.NoError(t, x.Result.Err)
		require.Equal(t, 4000, x.Result.Done)
		require.Zero(t, x.Result.Unheld)
	}
	require.NoError(t, f.Check())
}

// What is behind a switch that has lost its only good way is reached by a longer one.
func TestRoutesChange(t *testing.T) {
	f := network(t, 1)
	c := rack(1)
	c.Kind, c.Leaves, c.Spines, c.Edge, c.Core = fabric.LeafSpine, 3, 2, fabric.ProgramPlain, fabric.ProgramPlain
	c.FabricLink, c.RouteDelay = fast(), 10*fabric.Microsecond
	lc := groupOf(2000, "h2")
	lc.Via = ViaFanOut
	l := build(t, f, c, lc)[0]
	// leaf1 is left with spine1, and spine1 without leaf2: by leaf3 and spine2.
	f.At(2100*fabric.Microsecond, func() {
		for _, name := range []string{"leaf1-spine2", "leaf2-spine1"} {
			k, ok := f.Link(name)
			require.True(t, ok)
			f.SetDown(k, true)
		}
	})
	finish(t, f, l)
	require.NoError(t, l.Result.Err)
	require.Equal(t, 2000, l.Result.Done)
	by, ok := f.Link("leaf3-spine1")
	require.True(t, ok)
	require.NotZero(t, by.Half[0].Count.Delivered+by.Half[1].Count.Delivered)
}
