package fabric

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/private"
)

// fast is a link of 100 Gb/s.
func fast() LinkConfig { return LinkConfig{Rate: 100e9, Delay: 500 * Nanosecond, Queue: 1 << 20} }

// rack is hosts at one switch.
func rack(n int) TopologyConfig {
	return TopologyConfig{
		Kind: Rack, Hosts: n, Edge: ProgramRDMA, HostLink: fast(), Latency: 400 * Nanosecond,
		Host:       HostConfig{Receive: 300 * Nanosecond},
		Controller: ControllerConfig{Delay: 20 * Microsecond, Write: Microsecond},
	}
}

// build makes a network and its loads.
func build(t testing.TB, f *Fabric, c TopologyConfig, loads ...LoadConfig) (out []*Load) {
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
func finish(t testing.TB, f *Fabric, loads ...*Load) {
	t.Helper()
	require.NoError(t, f.RunWhile(10*Second, func() bool {
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
		Name: "group", From: "h1", To: to, Via: ViaGroup, Size: 1024, Count: count, Outstanding: 16,
		Start: 2 * Millisecond, QP: QPConfig{AckTimeout: time.Millisecond},
	}
}

// One WRITE, to one replica through the switch: the group is formed by the real controller, the
// copy is rewritten by the real program, the data lie in the replica's memory, and the answer is
// the switch's.
func TestOneWrite(t *testing.T) {
	f := New(1)
	loads := build(t, f, rack(2), groupOf(1, "h2"))
	var trace bytes.Buffer
	f.Tap(NewTrace(&trace))
	finish(t, f, loads...)
	t.Log("\n" + trace.String())
	r := &loads[0].Result
	require.NoError(t, r.Err)
	require.Equal(t, 1, r.Done)
	require.Zero(t, r.Unheld)
	sw := f.Switches[0].(*RDMA)
	require.Len(t, sw.Controller.Groups(), 1)
	require.Equal(t, private.PolicyQuorum.String(), sw.Controller.Groups()[0].Policy)
}
