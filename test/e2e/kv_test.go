package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/test/lab"
)

// store is a replicated key-value store on the hosts of a system.
type store struct {
	*system
	flags   []string
	servers []*storeServer
}

// storeServer is one server of it, dead or alive.
type storeServer struct {
	proc   *lab.Proc
	stdin  *os.File
	log    *lockedBuffer
	client *redis.Client

	mu     sync.Mutex
	state  string // as the last event says
	digest string
}

// quiet discards what go-redis logs.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// newStore starts n servers. flags are more flags of p4ce kv.
func newStore(t *testing.T, n int, flags ...string) *store {
	t.Helper()
	redis.SetLogger(quiet{}) // servers that are down are expected
	s := &store{system: newCluster(t, n), flags: flags}
	for i := range n {
		// Unix sockets are reached from our own namespace.
		path := s.socket(i)
		s.servers = append(s.servers, &storeServer{log: &lockedBuffer{}, client: redis.NewClient(&redis.Options{
			Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
				var d net.Dialer
				return d.DialContext(ctx, "unix", path)
			},
			MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		})})
	}
	t.Cleanup(func() {
		for i, srv := range s.servers {
			srv.client.Close()
			if srv.stdin != nil {
				srv.stdin.Close()
			}
			if t.Failed() {
				t.Logf("server %d:\n%s", i+1, srv.log)
			}
		}
	})
	for i := range n {
		s.start(i)
	}
	return s
}

func (s *store) socket(i int) string { return filepath.Join(s.dir, fmt.Sprintf("kv%d.sock", i+1)) }

// start starts a server, also again.
func (s *store) start(i int) {
	s.t.Helper()
	_ = os.Remove(s.socket(i)) // a killed server leaves it
	args := []string{binary, "kv", "--id", fmt.Sprint(i + 1), "--data", filepath.Join(s.dir, fmt.Sprintf("data%d", i+1)),
		"--listen", "unix:" + s.socket(i), "--interface", lab.Interface, "--switch", lab.SwitchIP.String(), "--timeout", "2s"}
	for j := range s.servers {
		args = append(args, "--member", fmt.Sprintf("%d=%s,server%d:6379", j+1, s.ip(j), j+1))
	}
	srv := s.servers[i]
	inR, inW, err := os.Pipe()
	require.NoError(s.t, err)
	outR, outW, err := os.Pipe()
	require.NoError(s.t, err)
	srv.proc, err = s.lab.StartInHost(s.lab.Hosts[i], lab.Spec{
		Name: fmt.Sprintf("server %d", i+1), Args: append(args, s.flags...), Stdin: inR, Stdout: outW, Stderr: srv.log,
	})
	inR.Close()
	outW.Close()
	require.NoError(s.t, err)
	if srv.stdin != nil {
		srv.stdin.Close()
	}
	srv.stdin = inW
	srv.mu.Lock()
	srv.state = ""
	srv.mu.Unlock()
	go func() {
		defer outR.Close()
		for in := bufio.NewScanner(outR); in.Scan(); {
			var e struct{ Event, State, SHA256 string }
			if json.Unmarshal(in.Bytes(), &e) != nil {
				continue
			}
			srv.mu.Lock()
			switch e.Event {
			case "status":
				srv.state = e.State
			case "digest":
				srv.digest = e.SHA256
			}
			srv.mu.Unlock()
		}
	}()
}

// kill ends a server without a warning.
func (s *store) kill(i int) {
	s.t.Helper()
	require.NoError(s.t, s.servers[i].proc.Signal(syscall.SIGKILL))
	<-s.servers[i].proc.Done()
}

// eventually waits for what takes a moment.
func (s *store) eventually(cond func() bool, what string) {
	s.t.Helper()
	require.Eventually(s.t, cond, time.Minute, 10*time.Millisecond, what)
}

// info returns a line of a server's INFO replication, or "".
func (s *store) info(i int, key string) string {
	text, err := s.servers[i].client.Info(s.ctx, "replication").Result()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), key+":"); ok {
			return v
		}
	}
	return ""
}

// leader waits for a server that says it leads.
func (s *store) leader() int {
	s.t.Helper()
	leader := -1
	s.eventually(func() bool {
		for i := range s.servers {
			if s.info(i, "role") == "master" {
				leader = i
				return true
			}
		}
		return false
	}, "a leader")
	return leader
}

// full waits until all servers are full members.
func (s *store) full() {
	s.t.Helper()
	for i, srv := range s.servers {
		s.eventually(func() bool {
			srv.mu.Lock()
			defer srv.mu.Unlock()
			return srv.state == "full"
		}, fmt.Sprintf("server %d is a full member", i+1))
	}
}

// requireEqual waits until all servers have executed the same, and compares.
func (s *store) requireEqual() {
	s.t.Helper()
	s.eventually(func() bool {
		for _, srv := range s.servers {
			srv.mu.Lock()
			srv.digest = ""
			srv.mu.Unlock()
			if _, err := io.WriteString(srv.stdin, "digest\n"); err != nil {
				return false
			}
		}
		digests := map[string]bool{}
		for _, srv := range s.servers {
			s.eventually(func() bool {
				srv.mu.Lock()
				defer srv.mu.Unlock()
				return srv.digest != ""
			}, "a digest")
			srv.mu.Lock()
			digests[srv.digest] = true
			srv.mu.Unlock()
		}
		return len(digests) == 1
	}, "all servers have the same state")
}

// counter counts up one key with the help of whichever server leads.
type counter struct {
	key            string
	at             int // server that is asked first
	acked, unknown int64
}

// incr counts once. A server that does not lead, or cannot be reached, has done
// nothing, and the next one is asked; every other error means that nobody knows.
func (c *counter) incr(s *store) error {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		ctx, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		n, err := s.servers[c.at].client.Incr(ctx, c.key).Result()
		cancel()
		var refused *net.OpError
		switch {
		case err == nil:
			if n <= c.acked || n > c.acked+c.unknown+1 {
				return fmt.Errorf("%s is %d after %d acknowledged and %d unknown", c.key, n, c.acked, c.unknown)
			}
			// What was unknown and has happened is known now.
			c.unknown -= n - c.acked - 1
			c.acked = n
			return nil
		case strings.HasPrefix(err.Error(), "READONLY"), strings.HasPrefix(err.Error(), "CLUSTERDOWN"):
		case errors.As(err, &refused) && refused.Op == "dial":
		default:
			c.unknown++
		}
		c.at = (c.at + 1) % len(s.servers)
		time.Sleep(time.Millisecond) // not to ask in a tight loop
	}
	return errors.New("nobody leads")
}

// The leader is killed while clients write, and comes back: nothing that was
// acknowledged is lost, nothing happens twice, and all servers end up equal.
func TestStoreLeaderKilled(t *testing.T) {
	s := newStore(t, 3)
	leader := s.leader()
	s.eventually(func() bool { return s.info(leader, "mode") == "accelerated" }, "writes go through the switch")

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
	s.kill(leader)
	for range counters {
		require.NoError(t, <-results)
	}
	s.start(leader)
	s.full()
	for _, c := range counters {
		require.NoError(t, c.incr(s)) // checks the value
		t.Logf("%s: %d, and %d that never happened", c.key, c.acked, c.unknown)
	}
	s.requireEqual()
}

// With --fsync nothing is lost when all servers are killed at once.
func TestStoreAllKilled(t *testing.T) {
	s := newStore(t, 3, "--fsync")
	c := &counter{key: "counter", at: s.leader()}
	for range 50 {
		require.NoError(t, c.incr(s))
	}
	require.Zero(t, c.unknown)
	for i := range s.servers {
		require.NoError(t, s.servers[i].proc.Signal(syscall.SIGKILL))
	}
	for i := range s.servers {
		<-s.servers[i].proc.Done()
	}
	for i := range s.servers {
		s.start(i)
	}
	require.NoError(t, c.incr(s))
	require.Equal(t, int64(51), c.acked)
	s.requireEqual()
}

// fill writes n values of 10 KB at the leader.
func (s *store) fill(n int) {
	s.t.Helper()
	value := strings.Repeat("0123456789", 1000)
	for i := 0; i < n; {
		leader := s.leader()
		for ; i < n; i++ {
			if err := s.servers[leader].client.Set(s.ctx, fmt.Sprint("key", i), value, 0).Err(); err != nil {
				break // another one leads; setting it again changes nothing
			}
		}
	}
}

// A server whose disk was replaced, and which has missed more than the log holds, gets
// everything from the others.
func TestStoreDiskReplaced(t *testing.T) {
	s := newStore(t, 3, "--log-size", "1048576")
	s.full()
	gone := (s.leader() + 1) % 3
	s.kill(gone)
	require.NoError(t, os.RemoveAll(filepath.Join(s.dir, fmt.Sprintf("data%d", gone+1))))
	s.fill(500)
	s.start(gone)
	s.full()
	s.requireEqual()
	s.eventually(func() bool { return strings.Contains(s.servers[gone].log.String(), "snapshot") }, "it took a snapshot")
	// It counts: another one may go.
	s.kill((gone + 1) % 3)
	c := &counter{key: "counter", at: gone}
	require.NoError(t, c.incr(s))
}

// A server whose disk is full ends and says why; the others go on.
func TestStoreDiskFull(t *testing.T) {
	s := newStore(t, 3)
	s.full()
	full := (s.leader() + 1) % 3
	s.kill(full)
	data := filepath.Join(s.dir, fmt.Sprintf("data%d", full+1))
	require.NoError(t, os.RemoveAll(data))
	require.NoError(t, os.Mkdir(data, 0o755))
	if err := unix.Mount("tmpfs", data, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small disk: mount tmpfs: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(data, unix.MNT_DETACH)) })
	s.start(full)
	s.full()
	s.fill(1000)
	select {
	case <-s.servers[full].proc.Done():
	case <-s.ctx.Done():
		t.Fatal("the server with the full disk does not end")
	}
	require.Error(t, s.servers[full].proc.Err())
	last := s.servers[full].log.String()
	last = last[strings.LastIndex(strings.TrimSpace(last), "\n")+1:]
	require.Contains(t, last, "p4ce: ")
	require.Contains(t, last, "no space left on device")
	c := &counter{key: "counter", at: s.leader()}
	require.NoError(t, c.incr(s))
}
