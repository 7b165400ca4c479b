package traffic

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/sim/fabric"
)

// end is a host that runs nothing else.
type end struct {
	net *network
	h   *fabric.Host
}

func (e *end) Next(_ time.Duration, b []byte) []byte { return e.net.Traffic.Next(e.h, b) }
func (e *end) Receive(_ time.Duration, b []byte)     { e.net.Traffic.Receive(e.h, b) }

type network struct{ *Traffic }

func (n *network) Endpoint(h *fabric.Host) fabric.Endpoint { return &end{n, h} }
func (n *network) Ready() error                            { return nil }
func (n *network) App(*fabric.P4Switch) (fabric.App, error) {
	panic("there is none")
}
func (n *network) Client(*fabric.Load, fabric.LoadSettings) (fabric.Client, error) {
	panic("there is none")
}

// Flows fill the link that they share, and the queue there is not longer than DCTCP leaves it.
func TestFlowsFillTheirLink(t *testing.T) {
	n := &network{}
	f := fabric.New(1)
	require.NoError(t, f.Use(&fabric.System{Name: "traffic", New: func(*fabric.Fabric, fabric.Settings) (fabric.Instance, error) { return n, nil }}, nil))
	const mark = 100e3
	sw, err := f.NewPlain("s", 400*fabric.Nanosecond)
	require.NoError(t, err)
	for _, name := range []string{"a", "b", "c"} {
		h, err := f.NewHost(name, fabric.HostConfig{})
		require.NoError(t, err)
		_, err = f.Connect(h, sw, "", fabric.LinkConfig{Rate: 100e9, Delay: 500 * fabric.Nanosecond, Queue: 64 << 20, ECNMin: mark})
		require.NoError(t, err)
	}
	n.Traffic = New(1, f.Hosts, 4)
	for _, h := range f.Hosts {
		n.hosts[h].flows = slices.DeleteFunc(n.hosts[h].flows, func(x *flow) bool { return x.to != f.Hosts[1] })
	}
	require.NotEmpty(t, n.hosts[f.Hosts[0]].flows)
	require.NotEmpty(t, n.hosts[f.Hosts[2]].flows)
	require.NoError(t, f.Start())
	n.Begin()
	require.NoError(t, f.Run(fabric.Millisecond))
	out := f.Hosts[1].Link().Reverse()
	before := n.Bytes()
	most := 0
	f.Tap(fabric.TapFunc(func(_ fabric.Time, h *fabric.Half, _ []byte) {
		if h == out {
			most = max(most, h.Waiting())
		}
	}))
	require.NoError(t, f.Run(3*fabric.Millisecond))
	require.NoError(t, f.Check())
	rate := float64(n.Bytes()-before) * 8 / 2e-3
	require.Greater(t, rate, 90e9)
	require.Less(t, rate, 100e9)
	require.Less(t, most*frameLen, 300_000, "marks keep the queue short")
	require.Greater(t, most*frameLen, 50_000)
}
