package group

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
)

// TestBursts: a group goes through its modes, and its leader says what each burst took;
// when a replica ends, that is what the leader's silence is put down to.
func TestBursts(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces and XDP")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	input := filepath.Join(dir, "input")
	require.NoError(t, os.WriteFile(input, []byte("0123456789"), 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	modes := []string{"direct", "accelerated", "mu", "accelerated", "mu"}
	g, err := Start(ctx, Options{Binary: binary, Dir: dir, Replicas: 2, Wire: "auto", Modes: append(modes, "direct"), Record: 10, Window: 64,
		Leader: []string{"--input", input, "--bursts", "1,5", "--count", "3"}})
	require.NoError(t, err)
	defer g.Close()
	names, processes := g.Processes()
	require.Equal(t, []string{"leader", "replica 1", "replica 2", "switch", "controller"}, names)
	require.Len(t, processes, 5)
	for _, mode := range modes {
		e, err := g.Await(ctx, "mode", nil)
		require.NoError(t, err)
		require.Equal(t, mode, e.Mode)
		require.NoError(t, g.Leader.Tell("go"))
		var sizes []uint64
		e, err = g.Await(ctx, "done", func(e Event) {
			if e.Event == "burst" {
				sizes = append(sizes, e.Records)
				require.Positive(t, e.Latency.P50)
			}
		})
		require.NoError(t, err)
		require.Equal(t, []uint64{1, 5}, sizes)
		require.EqualValues(t, 3*(1+5), e.Records)
	}
	g.Replicas[0].Kill()
	_, err = g.Await(ctx, "done", nil)
	require.ErrorContains(t, err, "replica 1 has ended (signal: killed)")
}
