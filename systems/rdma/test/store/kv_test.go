package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// kv is a replicated store under test, with a client of each server.
type kv struct {
	*store.Store
	t       *testing.T
	ctx     context.Context
	clients []*redis.Client
	logs    []*lab.Log
}

// startKV starts a store of n servers that replicates through the switch. flags are
// more flags of p4ce kv.
func startKV(t *testing.T, n int, flags ...string) *kv {
	t.Helper()
	return startStore(t, store.Options{Servers: n}, flags...)
}

// startStore does so with more options.
func startStore(t *testing.T, o store.Options, flags ...string) *kv {
	t.Helper()
	needs.Root(t, "network namespaces and XDP")
	s := &kv{t: t}
	for range o.Servers {
		s.logs = append(s.logs, &lab.Log{})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	s.ctx = ctx
	log := &lab.Log{}
	dir := t.TempDir() // before the clean-up below, which ends who writes there
	t.Cleanup(func() {
		for _, c := range s.clients {
			c.Close()
		}
		if s.Store != nil {
			s.Close()
		}
		cancel()
		if t.Failed() {
			t.Logf("switch and controller:\n%s", log)
			for i, l := range s.logs {
				t.Logf("server %d:\n%s", i, l)
			}
		}
	})
	var err error
	o.Binary, o.Dir, o.Switch, o.Flags = binary, dir, true, append([]string{"--timeout", "2s"}, flags...)
	o.Log, o.Logs = log, func(i int) io.Writer { return s.logs[i] }
	s.Store, err = store.Start(ctx, o)
	require.NoError(t, err)
	for i := range o.Servers {
		s.clients = append(s.clients, s.Client(i))
	}
	return s
}

// leader waits for a leader and returns it.
func (s *kv) leader() int {
	s.t.Helper()
	leader, err := s.Serving(s.ctx)
	require.NoError(s.t, err)
	return leader
}

// whole waits until all servers are full members and one of them leads.
func (s *kv) whole() {
	s.t.Helper()
	_, err := s.Whole(s.ctx, "")
	require.NoError(s.t, err)
}

// counter counts up one key with the help of whichever server leads.
type counter struct {
	key            string
	at             int // server that is asked first
	acked, unknown int64
}

// incr counts once. A server that does not lead, or cannot be reached, has done
// nothing, and the next one is asked; every other error means that nobody knows.
func (c *counter) incr(s *kv) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		n, err := s.clients[c.at].Incr(ctx, c.key).Result()
		cancel()
		switch {
		case err == nil:
			if n <= c.acked || n > c.acked+c.unknown+1 {
				return fmt.Errorf("%s is %d after %d acknowledged and %d unknown", c.key, n, c.acked, c.unknown)
			}
			// What was unknown and has happened is known now.
			c.unknown -= n - c.acked - 1
			c.acked = n
			return nil
		case !store.Refused(err):
			c.unknown++
		}
		c.at = (c.at + 1) % s.Servers()
		time.Sleep(time.Millisecond) // not to ask in a tight loop
	}
	return errors.New("nobody leads")
}

// The leader is killed while clients write, and comes back: nothing that was
// acknowledged is lost, nothing happens twice, and all servers end up equal.
func TestStoreLeaderKilled(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3)
	leader, err := s.Mode(s.ctx, "accelerated")
	require.NoError(t, err)

	const writers, before, after = 4, 100, 200
	counters := make([]*counter, writers)
	halfway := make(chan struct{}, writers)
	results := make(chan error, writers)
	for i := range counters {
		c := &counter{key: fmt.Sprint("counter", i), at: leader}
		counters[i] = c
		go func() {
			for n := range before + after {
				if n == before {
					halfway <- struct{}{}
				}
				if err := c.incr(s); err != nil {
					results <- err
					return
				}
			}
			results <- nil
		}()
	}
	for range counters {
		select {
		case <-halfway:
		case err := <-results:
			t.Fatal(err)
		}
	}
	s.Kill(leader)
	for range counters {
		require.NoError(t, <-results)
	}
	require.NoError(t, s.Restart(leader))
	s.whole()
	for _, c := range counters {
		require.NoError(t, c.incr(s)) // checks the value
		t.Logf("%s: %d, and %d that never happened", c.key, c.acked, c.unknown)
	}
	require.NoError(t, s.Equal(s.ctx))
}

// With --fsync nothing is lost when all servers are killed at once.
func TestStoreAllKilled(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3, "--fsync")
	c := &counter{key: "counter", at: s.leader()}
	for range 50 {
		require.NoError(t, c.incr(s))
	}
	require.Zero(t, c.unknown)
	for i := range s.Servers() {
		require.NoError(t, s.Server(i).Proc.Signal(unix.SIGKILL))
	}
	for i := range s.Servers() {
		s.Kill(i) // waits
	}
	for i := range s.Servers() {
		require.NoError(t, s.Restart(i))
	}
	// It checks that the counter goes on from 50. (A first leader may give way to another
	// while it has the request: then nobody knows, and it may count for one more.)
	require.NoError(t, c.incr(s))
	require.NoError(t, s.Equal(s.ctx))
}

// With --fsync two of three servers go on when one machine is lost, and another server
// is killed and starts again. Without, it would wait for the lost one.
func TestStoreLostAndRestarted(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3, "--fsync")
	c := &counter{key: "counter", at: s.leader()}
	for range 50 {
		require.NoError(t, c.incr(s))
	}
	lost := (s.leader() + 1) % 3
	s.Kill(lost)
	require.NoError(t, c.incr(s))
	again := s.leader()
	s.Kill(again)
	require.NoError(t, s.Restart(again))
	for range 50 {
		require.NoError(t, c.incr(s)) // checks the value
	}
	require.NoError(t, s.Restart(lost))
	s.whole()
	require.NoError(t, s.Equal(s.ctx))
}

// fill writes n values of 10 KB at the leader.
func (s *kv) fill(n int) {
	s.t.Helper()
	random, value := rand.NewChaCha8([32]byte{}), make([]byte, 10_000)
	for i := 0; i < n; {
		leader := s.leader()
		for ; i < n; i++ {
			_, _ = random.Read(value) // never fails, and cannot be compressed
			if err := s.clients[leader].Set(s.ctx, fmt.Sprint("key", i), value, 0).Err(); err != nil {
				break // another one leads; setting it again changes nothing
			}
		}
	}
}

// A server whose disk was replaced, and which has missed more than the log holds, gets
// everything from the others.
func TestStoreDiskReplaced(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3, "--log-size", "1048576")
	s.whole()
	gone := (s.leader() + 1) % 3
	s.Kill(gone)
	require.NoError(t, os.RemoveAll(s.Data(gone)))
	s.fill(500)
	require.NoError(t, s.Restart(gone))
	s.whole()
	require.NoError(t, s.Equal(s.ctx))
	require.Eventually(t, func() bool { return strings.Contains(s.logs[gone].String(), "snapshot") }, time.Minute, 10*time.Millisecond, "it took a snapshot")
	// It counts: another one may go.
	s.Kill((gone + 1) % 3)
	c := &counter{key: "counter", at: gone}
	require.NoError(t, c.incr(s))
}

// A server whose disk is full says so, and takes nothing more; or a write fails before it has noticed, and it ends and says why.
// The others go on.
func TestStoreDiskFull(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3)
	s.whole()
	full := (s.leader() + 1) % 3
	s.Kill(full)
	data := s.Data(full)
	require.NoError(t, os.RemoveAll(data))
	require.NoError(t, os.Mkdir(data, 0o755))
	if err := unix.Mount("tmpfs", data, "tmpfs", 0, "size=4m"); err != nil {
		needs.Kernel(t, fmt.Errorf("a small disk: mount tmpfs: %w", err))
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(data, unix.MNT_DETACH)) })
	require.NoError(t, s.Restart(full))
	s.whole()
	s.fill(1000)
	ended := func() bool {
		select {
		case <-s.Server(full).Proc.Done():
			return true
		default:
			return false
		}
	}
	require.Eventually(t, func() bool {
		return ended() || strings.Contains(s.logs[full].String(), "has no room: takes nothing until there is room")
	}, time.Minute, 10*time.Millisecond)
	if ended() {
		require.Error(t, s.Server(full).Proc.Err())
		last := s.logs[full].String()
		last = last[strings.LastIndex(strings.TrimSpace(last), "\n")+1:]
		require.Contains(t, last, "p4ce: ")
		require.Contains(t, last, "no space left on device")
	}
	c := &counter{key: "counter", at: s.leader()}
	require.NoError(t, c.incr(s))
}
