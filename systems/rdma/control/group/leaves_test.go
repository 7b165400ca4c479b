package group

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplicaLeaves: a group goes on while as many replicas are left as must acknowledge, and ends with the next one,
// or with the leader; also with a controller that has taken it over (testdata/leaves has the conversations).
func TestReplicaLeaves(t *testing.T) {
	for _, adopted := range []bool{false, true} {
		begin := func(policy string) *world {
			w := newWorld(Config{})
			do(t, w, "req from=10.0.0.1 id=7 qpn=0x11 psn=0x64 leader=1 term=3 policy="+policy+" replicas=10.0.0.2,10.0.0.3",
				"rep from=10.0.0.2 qpn=0x22 psn=0x64 va=0 rkey=0xaaaa size=0x3000", "rep from=10.0.0.3 qpn=0x33 psn=0x64 va=0 rkey=0xbbbb size=0x3000",
				"done group=0", "rtu from=10.0.0.1")
			if adopted {
				do(t, w, "restart")
			}
			require.True(t, runs(w))
			return w
		}
		w := begin("quorum")
		do(t, w, "dreq from=10.0.0.2", "dreq from=10.0.0.2")
		require.True(t, runs(w), "the other one suffices, however often the first says that it leaves")
		do(t, w, "dreq from=10.0.0.3")
		require.False(t, runs(w))

		w = begin("quorum")
		do(t, w, "dreq from=10.0.0.3", "dreq from=10.0.0.1")
		require.False(t, runs(w))

		w = begin("all")
		do(t, w, "dreq from=10.0.0.3")
		require.False(t, runs(w), "all must acknowledge")
	}
}
