package mu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDiskStalled: a leader whose disk stands still gives way at once, and its heartbeat stands still with the disk; after that
// it may lead again.
func TestDiskStalled(t *testing.T) {
	a := newAlone(t, 0, 3, nil)
	a.lead()
	a.tick(50 * ms)
	a.core.DiskStalled(a.now)
	require.Equal(t, Follower, a.core.role)
	require.Equal(t, Follower, a.roles[len(a.roles)-1].Role, "nobody was told")
	beat := a.core.heartbeat
	for range 500 {
		a.core.DiskStalled(a.now)
		a.tick(ms)
		require.Equal(t, beat, a.core.heartbeat)
		require.NotEqual(t, Leader, a.core.role)
	}
	a.tick(100 * a.core.cfg.HeartbeatEvery)
	require.Greater(t, a.core.heartbeat, beat)
}
