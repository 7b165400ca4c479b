package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	kvcli "github.com/p4ce/p4ce/host/kv/cli"
	"github.com/p4ce/p4ce/test/damage"
)

// alone is the process of a store of one server.
type alone struct {
	t      *testing.T
	cmd    *exec.Cmd
	socket string
	stderr *bytes.Buffer
	leads  bool // it has said so; or it has ended
}

// storeOf starts a store of one server with a folder, and waits until it serves or ends.
func (c *shell) storeOf(t *testing.T, data string, flags ...string) *alone {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	s := &alone{t: t, socket: filepath.Join(c.dir, "clients"), stderr: &bytes.Buffer{}}
	_ = os.Remove(s.socket)
	args := append([]string{"kv", "--data", data, "--wire", "unix:" + filepath.Join(c.dir, "a") + "," + filepath.Join(c.dir, "b"), "--address", "10.0.0.2", "--mac", "02:00:00:00:00:02",
		"--gateway-mac", "02:00:00:00:00:01", "--listen", "unix:" + s.socket}, flags...)
	if !strings.Contains(strings.Join(flags, " "), "--id") {
		args = append(args, "--id", "1", "--member", "1=10.0.0.2")
	}
	s.cmd = c.command(ctx, args...)
	s.cmd.Stderr = s.stderr
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(s.kill)
	ready := false
	for lines := bufio.NewScanner(out); !(ready && s.leads) && lines.Scan(); {
		var e kvcli.Event
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		ready = ready || e.Event == "ready"
		s.leads = s.leads || e.Role == "leader"
	}
	if !ready {
		s.leads = false
		_ = s.cmd.Wait()
		return s
	}
	go func() { // until it ends
		for lines := bufio.NewScanner(out); lines.Scan(); {
			continue
		}
	}()
	return s
}

// kill ends the process as a loss of power does, but for the kernel's memory.
func (s *alone) kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}

// stop ends it in an orderly manner.
func (s *alone) stop() {
	require.NoError(s.t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(s.t, s.cmd.Wait(), s.stderr)
}

func (s *alone) client() *redis.Client {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket, MaxRetries: -1, DisableIdentity: true})
	s.t.Cleanup(func() { c.Close() })
	return c
}

// refused is the one line by which it did not start.
func (s *alone) refused() string {
	s.t.Helper()
	require.False(s.t, s.leads, "it has started")
	require.Equal(s.t, 1, s.cmd.ProcessState.ExitCode(), s.stderr)
	lines := strings.Split(strings.TrimSpace(s.stderr.String()), "\n")
	require.Regexp(s.t, `^p4ce: [^\n]+$`, lines[len(lines)-1])
	return lines[len(lines)-1]
}

// TestKVSettings: a server starts again with another setting. What was promised with the one
// before is kept, or the server says what to do.
func TestKVSettings(t *testing.T) {
	c := newCLI(t)
	ctx := t.Context()
	data := filepath.Join(c.dir, "data")
	token := func(n int) string {
		file := filepath.Join(c.dir, fmt.Sprint("token", n))
		require.NoError(t, os.WriteFile(file, []byte(fmt.Sprint(n)), 0o600))
		return file
	}
	s := c.storeOf(t, data, "--fsync", "--token", "@"+token(7), "--sync-every", "1h", "--reads", "lease")
	require.True(t, s.leads, s.stderr)
	kv := s.client()
	want := map[string]string{}
	set := func(n int) {
		for range n {
			k := fmt.Sprint("k", len(want))
			want[k] = fmt.Sprint("v", len(want))
			require.NoError(t, kv.Set(ctx, k, want[k], 0).Err())
		}
	}
	right := func() {
		for k, v := range want {
			got, err := kv.Get(ctx, k).Result()
			require.NoError(t, err, k)
			require.Equal(t, v, got)
		}
	}
	set(300)
	s.kill()
	require.Contains(t, c.storeOf(t, data, "--fsync", "--token", "@"+token(7), "--id", "2").refused(), "is that of server 1, and this one is server 2")
	require.Contains(t, c.storeOf(t, data, "--fsync", "--token", "@"+token(7), "--cluster", "2").refused(), "is that of a server of cluster 1, not 2")
	require.Contains(t, c.storeOf(t, data, "--fsync", "--token", "@"+token(7), "--log-size", "1048576").refused(), "to change the size, start all servers without a journal")

	// Without the journal, and without leases: what is in it is carried over, with a word.
	s = c.storeOf(t, data, "--token", "@"+token(7), "--sync-every", "1h")
	require.True(t, s.leads, s.stderr)
	kv = s.client()
	right()
	require.Contains(t, s.stderr.String(), "it carries over the contents")
	set(20)
	s.stop()
	require.NoDirExists(t, filepath.Join(data, "journal"))

	// Another token, another size of the log, and the journal again.
	s = c.storeOf(t, data, "--token", "@"+token(8), "--log-size", "1048576")
	require.True(t, s.leads, s.stderr)
	require.Contains(t, s.stderr.String(), "the token has changed")
	require.Contains(t, s.stderr.String(), "the size of the log has changed")
	kv = s.client()
	right()
	s.stop()
	s = c.storeOf(t, data, "--token", "@"+token(8), "--log-size", "1048576", "--fsync", "--reads", "lease", "--heartbeat", "20ms")
	require.True(t, s.leads, s.stderr)
	require.Contains(t, s.stderr.String(), "from now on this server has a journal")
	kv = s.client()
	right()
	set(20)
	s.kill()
	s = c.storeOf(t, data, "--token", "@"+token(8), "--log-size", "1048576", "--fsync")
	require.True(t, s.leads, s.stderr)
	kv = s.client()
	right()
	s.kill()
}

// TestKVDiskFaults: whatever a disk does to one of the files of a server, the server has
// everything that it has acknowledged, or says that it has not, and does not start.
// P4CE_FAULTS makes it longer.
func TestKVDiskFaults(t *testing.T) {
	n := 8
	if os.Getenv("P4CE_FAULTS") != "" {
		n = 200
	}
	if testing.Short() {
		n = 2
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c := newCLI(t)
	ctx := t.Context()
	data := filepath.Join(c.dir, "data")
	keys := 0
	var older damage.Image
	for range 2 { // two lives
		s := c.storeOf(t, data, "--fsync")
		require.True(t, s.leads, s.stderr)
		kv := s.client()
		for range 150 {
			require.NoError(t, kv.Set(ctx, fmt.Sprint("k", keys), strings.Repeat("v", keys), 0).Err())
			keys++
		}
		if older == nil {
			older = damage.Read(t, vfs.Default, data)
		}
		s.kill()
	}
	img := damage.Read(t, vfs.Default, data)
	right, refused := map[string]int{}, map[string]int{}
	for d := range damage.Of(seed, img, older, n) {
		require.NoError(t, os.RemoveAll(data))
		d.Write(t, vfs.Default, data)
		s := c.storeOf(t, data, "--fsync")
		if !s.leads {
			require.NotEmpty(t, s.refused(), d.String())
			refused[d.Kind]++
			continue
		}
		kv, all := s.client(), true
		for k := range keys {
			got, err := kv.Get(ctx, fmt.Sprint("k", k)).Result()
			if err != nil && err != redis.Nil {
				all = false // a block of a table, which is read now
				break
			}
			require.NoError(t, err, "key %d of %d is lost: %v\n%s", k, keys, d, s.stderr)
			require.Equal(t, strings.Repeat("v", k), got, d.String())
		}
		if all {
			right[d.Kind]++
		} else {
			refused[d.Kind]++
		}
		s.kill()
	}
	t.Log("right:", right, "refused:", refused)
}
