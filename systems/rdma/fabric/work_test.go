package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// A thread posts one request after the other, and another takes one completion after the other: who writes to two receivers has
// twice the work of who writes to a group of two.
func TestThreadsTakeTime(t *testing.T) {
	const work = 2 * fabric.Microsecond
	run := func(via string, depth int) (p50, apart fabric.Time) {
		f := network(t, 1)
		c := rack(3)
		c.Host.CPU = fabric.Costs{Request: work, Completion: work}
		l := groupOf(200, "h2", "h3")
		l.Via, l.Policy, l.Size, l.Outstanding = via, private.PolicyAll, 128, depth
		load := build(t, f, c, l)[0]
		apart = fabric.Second
		var last fabric.Time
		f.Tap(fabric.TapFunc(func(at fabric.Time, h *fabric.Half, b []byte) {
			var p wire.Packet
			if h.From != fabric.Node(f.Hosts[0]) || wire.Parse(b, &p) != nil || p.BTH.Opcode() != wire.WriteOnly {
				return
			}
			if last > 0 {
				apart = min(apart, at-last)
			}
			last = at
		}))
		finish(t, f, load)
		require.NoError(t, load.Result.Err)
		require.Equal(t, 200, load.Result.Done)
		return fabric.Time(load.Result.Latency.ValueAtQuantile(50)) * fabric.Nanosecond, apart
	}
	group, apart := run(ViaGroup, 1)
	require.Greater(t, group, 2*work, "a request and its completion")
	require.GreaterOrEqual(t, apart, 2*work)
	both, apart := run(ViaFanOut, 1)
	require.GreaterOrEqual(t, apart, work)
	require.Greater(t, both, group+work/2)
	group, apart = run(ViaGroup, 8)
	require.GreaterOrEqual(t, apart, work)
	require.InDelta(t, float64(8*work), float64(group), float64(2*work), "the thread is the limit")
	both, _ = run(ViaFanOut, 8)
	require.InDelta(t, float64(16*work), float64(both), float64(4*work))
}
