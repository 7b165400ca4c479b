package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// TestProcessKilled: that a server's process was killed is told to the others, who wait for none of their own signs:
// here a path is given up after 40 s, and a heartbeat missed after some 14 s.
func TestProcessKilled(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3, "--ack-timeout", "10s", "--heartbeat", "2s")
	leader, err := s.Mode(s.ctx, "accelerated")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	s.Kill(leader)
	for next := leader; next == leader; {
		next, err = s.Serving(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, (&counter{key: "counter", at: s.leader()}).incr(s))
}

// TestLinksDown: that all links of the switch are down is seen by the leader, which goes on over the second network
// without waiting for timeouts: here a path is given up after 40 s. It leads on.
func TestLinksDown(t *testing.T) {
	long.Test(t)
	s := startStore(t, store.Options{Servers: 3, Second: true}, "--ack-timeout", "10s", "--heartbeat", "2s")
	leader, err := s.Mode(s.ctx, "accelerated")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(s.ctx, 20*time.Second)
	defer cancel()
	require.NoError(t, s.SwitchDown())
	next, err := s.Mode(ctx, "direct")
	require.NoError(t, err)
	require.Equal(t, leader, next)
	require.NoError(t, s.Do(leader, "SET key value"))
	require.NoError(t, ctx.Err())
}
