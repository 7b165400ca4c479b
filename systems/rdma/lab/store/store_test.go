package store

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
)

// A dead server is replaced by a new one, by way of the store's own commands.
func TestReplaceServer(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	sockets, err := os.MkdirTemp("", "p4ce-store-") // a socket's path is short
	require.NoError(t, err)
	defer os.RemoveAll(sockets)
	s, err := Start(ctx, Options{Binary: binary, Dir: sockets, Servers: 4, Spare: 1, Switch: true, Second: true})
	require.NoError(t, err)
	defer s.Close()
	leader, err := s.Whole(ctx, "accelerated")
	require.NoError(t, err)
	for i := range 100 {
		require.NoError(t, s.Do(leader, fmt.Sprintf("SET key%d value%d", i, i)))
	}
	require.ErrorContains(t, s.Do(leader, "CLUSTER ADD nonsense"), "want ID=ADDRESS")
	require.ErrorContains(t, s.Do(leader, "CLUSTER REMOVE 9"), "server 9 is not a member")
	require.ErrorContains(t, s.Do((leader+1)%3, "CLUSTER REMOVE 2"), "READONLY")

	s.Kill(2)
	s.Forget(2)
	require.NoError(t, s.Remove(ctx, 2))
	require.NoError(t, s.Join(ctx, 3))
	leader, err = s.Whole(ctx, "accelerated")
	require.NoError(t, err)
	info, err := s.Info(3, "replication")
	require.NoError(t, err)
	require.Contains(t, info["member2"], "id=3,")
	require.NoError(t, s.Do(leader, "SET last one"))
	_, want, err := s.Digest(ctx, leader)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, got, err := s.Digest(ctx, 3)
		return err == nil && got == want
	}, 20*time.Second, 20*time.Millisecond)
}
