package group

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPipesOfGroup: whose ports may be on which pipes of a chip. What a group holds is in the registers of one pipe: of all its
// ports' ingress, or of its leader's egress.
func TestPipesOfGroup(t *testing.T) {
	form := func(t *testing.T, in string, pipes ...string) *world {
		w := newWorld(Config{})
		do(t, w, append([]string{"gather in=" + in}, pipes...)...)
		do(t, w, "req from=10.0.0.1 id=9 qpn=0x13 psn=0x64 leader=1 term=5 policy=quorum replicas=10.0.0.2,10.0.0.3",
			"rep from=10.0.0.2 qpn=0x24 psn=0x64 va=0x7f0000000000 rkey=0xaaaa size=0x3000", "rep from=10.0.0.3 qpn=0x35 psn=0x64 va=0x1000 rkey=0xbbbb size=0x5000")
		return w
	}
	const there = "moved from=10.0.0.3 port=130 pipe=1"
	require.False(t, runs(form(t, "ingress", there)), "a replica is on another pipe")
	for _, in := range []string{"ingress", "egress"} {
		w := form(t, in)
		do(t, w, "done group=0", "rtu from=10.0.0.1")
		require.True(t, runs(w))
		require.Contains(t, do(t, w, "moved from=10.0.0.1 port=131 pipe=1", "moved from=10.0.0.2 port=132 pipe=1", there), "remove group 0", "the leader moves to another pipe: %s", in)
	}
	w := form(t, "egress", there)
	do(t, w, "done group=0", "rtu from=10.0.0.1")
	require.True(t, runs(w), "a replica is on another pipe")
	out := do(t, w, "moved from=10.0.0.2 port=132 pipe=1", "done group=0")
	require.Contains(t, out, "update group 0")
	require.True(t, runs(w), "a replica moves to another pipe")
	out = do(t, w, "moved from=10.0.0.1 port=5 pipe=0")
	require.Contains(t, out, "update group 0", "the leader moves within its pipe")
	require.Contains(t, do(t, w, "moved from=10.0.0.1 port=201 pipe=1"), "remove group 0")
}

// runs reports whether group 0 does.
func runs(w *world) bool {
	g := w.core.groups[0]
	return g != nil && g.phase == running
}
