package cast

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/rdma/cast"
)

// TestCast copies a file to three hosts behind a switch on XDP in each way; then a receiver is
// killed in the middle, then the sender; what they had is not sent again.
func TestCast(t *testing.T) {
	long.Test(t)
	needs.Root(t, "network namespaces and XDP")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	const size = 24<<20 + 12345
	data := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(data)
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	h, err := Start(ctx, Options{Binary: binary, Dir: dir, Receivers: 3, Wire: "auto"})
	require.NoError(t, err)
	defer h.Close()
	send := func(args ...string) Event {
		t.Helper()
		s, err := h.Sender(file, args...)
		require.NoError(t, err)
		e, err := s.Done(ctx)
		require.NoError(t, err)
		require.Len(t, e.Results, 3)
		return e
	}
	has := func(i int, name string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(h.Folders[i], name))
		require.NoError(t, err)
		require.True(t, bytes.Equal(data, got))
	}
	for _, via := range []cast.Via{cast.Multicast, cast.FanOut, cast.Chain} {
		e := send("--via", string(via), "--name", string(via))
		t.Logf("%s: %d bytes in %.3f s", via, e.Bytes, e.Seconds)
		for i, r := range e.Results {
			require.Empty(t, r.Error)
			require.EqualValues(t, size, r.Bytes)
			has(i, string(via))
		}
	}

	const slow = "1e8" // some seconds
	// part waits until a receiver has some of a file.
	part := func(i int, name string) {
		require.Eventually(t, func() bool {
			list, _ := filepath.Glob(filepath.Join(h.Folders[i], ".p4ce-cast", name+".*"))
			if len(list) != 1 {
				return false
			}
			st, err := os.Stat(list[0])
			return err == nil && st.Size() > 2<<20
		}, time.Minute, time.Millisecond)
	}
	lacks := func(i int, name string) {
		t.Helper()
		_, err := os.Stat(filepath.Join(h.Folders[i], name))
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	s, err := h.Sender(file, "--name", "killed", "--link-rate", slow)
	require.NoError(t, err)
	part(1, "killed")
	h.Kill(1)
	e, err := s.Done(ctx)
	require.NoError(t, err)
	require.Empty(t, e.Results[0].Error)
	require.NotEmpty(t, e.Results[1].Error)
	require.Empty(t, e.Results[2].Error)
	lacks(1, "killed")
	require.NoError(t, h.Receive(ctx, 1))
	e = send("--name", "killed")
	require.Empty(t, e.Results[1].Error)
	require.GreaterOrEqual(t, e.Results[1].Had, int64(2<<20))
	require.EqualValues(t, size, e.Results[0].Had)
	require.Less(t, e.Bytes, int64(size-2<<20+1))
	has(1, "killed")

	s, err = h.Sender(file, "--name", "resumed", "--link-rate", slow)
	require.NoError(t, err)
	part(0, "resumed")
	s.Kill()
	<-s.Gone()
	for i := range 3 {
		lacks(i, "resumed")
	}
	e = send("--name", "resumed")
	for i, r := range e.Results {
		require.Empty(t, r.Error)
		require.Positive(t, r.Had)
		has(i, "resumed")
	}
}
