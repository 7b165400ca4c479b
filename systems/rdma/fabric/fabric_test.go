package fabric

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// fast is a link of 100 Gb/s.
func fast() fabric.LinkConfig {
	return fabric.LinkConfig{Rate: 100e9, Delay: 500 * fabric.Nanosecond, Queue: 1 << 20}
}

// network is an empty one.
func network(t testing.TB, seed uint64) *Network {
	t.Helper()
	n, err := New(seed, Settings{})
	require.NoError(t, err)
	return n
}

// rack is hosts at one switch.
func rack(n int) fabric.TopologyConfig {
	return fabric.TopologyConfig{
		Kind: fabric.Rack, Hosts: n, Edge: Program, HostLink: fast(), Latency: 400 * fabric.Nanosecond,
		Host:       fabric.HostConfig{Receive: 300 * fabric.Nanosecond},
		Controller: fabric.ControllerConfig{Delay: 20 * fabric.Microsecond, Write: fabric.Microsecond},
	}
}

// build makes a network and its loads.
func build(t testing.TB, f *Network, c fabric.TopologyConfig, loads ...LoadConfig) (out []*fabric.Load) {
	t.Helper()
	require.NoError(t, f.Build(c))
	require.NoError(t, f.Start())
	for i, lc := range loads {
		l, err := f.NewLoad(i, lc)
		require.NoError(t, err)
		out = append(out, l)
	}
	return out
}

// finish runs until all loads are over.
func finish(t testing.TB, f *Network, loads ...*fabric.Load) {
	t.Helper()
	require.NoError(t, f.RunWhile(10*fabric.Second, func() bool {
		for _, l := range loads {
			if !l.Over() {
				return true
			}
		}
		return false
	}))
}

func groupOf(count int, to ...string) LoadConfig {
	return LoadConfig{
		LoadConfig:   fabric.LoadConfig{Name: "group", From: "h1", To: to, Size: 1024, Count: count, Outstanding: 16, Start: 2 * fabric.Millisecond},
		LoadSettings: LoadSettings{Via: ViaGroup, QP: QPConfig{AckTimeout: time.Millisecond}},
	}
}

// One WRITE, to one replica through the switch: the group is formed by the real controller, the
// copy is rewritten by the real program, the data lie in the replica's memory, and the answer is
// the switch's.
func TestOneWrite(t *testing.T) {
	f := network(t, 1)
	loads := build(t, f, rack(2), groupOf(1, "h2"))
	var trace bytes.Buffer
	f.Tap(f.NewTrace(&trace))
	finish(t, f, loads...)
	t.Log("\n" + trace.String())
	r := &loads[0].Result
	require.NoError(t, r.Err)
	require.Equal(t, 1, r.Done)
	require.Zero(t, r.Unheld)
	groups := f.Groups(f.Switches[0])
	require.Len(t, groups, 1)
	require.Equal(t, private.PolicyQuorum.String(), groups[0].Policy)
}

// Hosts address what is for others at their switch to those, and what is for others behind other
// switches to their switch, which routes. Plain switches are not addressed.
func TestResolve(t *testing.T) {
	for _, edge := range []string{Program, fabric.ProgramPlain} {
		f := network(t, 1)
		c := leafSpine(fabric.ProgramPlain)
		c.Edge = edge
		build(t, f, c)
		h := f.Hosts
		near, ok := h[0].Resolve(h[1].Addr())
		require.True(t, ok)
		require.Equal(t, h[1].MAC(), near)
		far, ok := h[0].Resolve(h[2].Addr())
		require.True(t, ok)
		want := h[2].MAC()
		if edge == Program {
			want = h[0].Link().To.(fabric.Switch).MAC()
		}
		require.Equal(t, want, far)
		_, ok = h[0].Resolve(wire.Addr{10, 9, 9, 9})
		require.False(t, ok)
	}
}
