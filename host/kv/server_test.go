package kv

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/replicated"
)

// The scenarios are typed as one types them into redis-cli, which cannot tell of what kind the log
// is.
func TestCommands(t *testing.T) {
	t.Run("leader", func(t *testing.T) {
		testCommands(t, func(t *testing.T, clk *clock) *conn {
			_, addr := serve(t, func(c *Config) { c.Clock = clk.now })
			return dial(t, addr)
		})
	})
	t.Run("shared", func(t *testing.T) {
		testCommands(t, func(t *testing.T, clk *clock) *conn {
			_, c, clocks := serveShared(t, 2)
			clk.also = clocks[0]
			return c[0]
		})
	})
}

func testCommands(t *testing.T, begin func(*testing.T, *clock) *conn) {
	datadriven.Walk(t, "testdata/commands", func(t *testing.T, path string) {
		clk := &clock{ms: 1_000_000}
		c := begin(t, clk)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "run":
				var b strings.Builder
				for line := range strings.Lines(d.Input) {
					_, err := io.WriteString(c, strings.TrimSpace(line)+"\r\n")
					require.NoError(t, err)
					b.WriteString(c.reply() + "\n")
				}
				return b.String()
			case "clock":
				var ms int64
				d.ScanArgs(t, "ms", &ms)
				clk.add(ms)
				return ""
			}
			d.Fatalf(t, "%s is unknown", d.Cmd)
			return ""
		})
	})
}

func TestReadTime(t *testing.T) {
	clk := &clock{ms: 100}
	release := make(chan struct{})
	log := &oneServer{m: open(t, vfs.NewMem()), entered: make(chan struct{}, 9), block: release}
	p := &proposer{log: log, clock: clk.now, timeout: time.Minute, max: 1 << 20, ctx: context.Background()}
	require.Equal(t, int64(100), p.readTime())
	clk.add(10)
	o := op{code: opSet, args: args("k", "v")}
	done := make(chan error, 1)
	submit := func() error {
		s := newProposal()
		s.ops, s.n = o.append(nil), 1
		_, err := p.submit(&s)
		return err
	}
	go func() { done <- submit() }()
	<-log.entered
	clk.add(10)
	require.Equal(t, int64(110), p.readTime(), "a write of 110 is under way")
	close(release)
	require.NoError(t, <-done)
	p.close() // under way no more
	require.Equal(t, int64(120), p.readTime())
	clk.add(-50)
	require.Equal(t, int64(120), p.readTime(), "time does not go back")
	require.ErrorIs(t, submit(), ErrClosed)
	require.NoError(t, log.m.Close())
}

// slowBarrier is a log whose barriers end when the test says so.
type slowBarrier struct {
	entered, leave chan struct{}
}

func (l *slowBarrier) Barrier(ctx context.Context) error {
	l.entered <- struct{}{}
	<-l.leave
	return nil
}

func (l *slowBarrier) Leased() bool { return false }

// Reads of a leader with a lease ask nobody; without one they do again.
func TestLeaseNeedsNoBarrier(t *testing.T) {
	log, addr := serve(t, nil)
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("SET", "k", "v"))
	for i, leased := range []bool{false, true, false} {
		log.mu.Lock()
		log.leased, log.barrier = leased, 0
		log.mu.Unlock()
		require.Equal(t, `"v"`, c.do("GET", "k"))
		log.mu.Lock()
		require.Equal(t, leased, log.barrier == 0, "%d", i)
		log.mu.Unlock()
	}
}

// Reads that come while a barrier is under way share the next one, and none uses the
// one that had begun before it came.
func TestBarrierShared(t *testing.T) {
	log := &slowBarrier{entered: make(chan struct{}), leave: make(chan struct{})}
	b := &barrier{call: log.Barrier, leased: log.Leased, timeout: time.Minute, ctx: t.Context()}
	first, others := make(chan error, 1), make(chan error, 20)
	go func() { first <- b.wait() }()
	<-log.entered
	for range cap(others) {
		go func() { others <- b.wait() }()
	}
	waiting := func() bool { // all of them, on one call
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.waiting != nil && b.waiting.readers == cap(others)
	}
	require.Eventually(t, waiting, 10*time.Second, time.Millisecond)
	log.leave <- struct{}{}
	require.NoError(t, <-first)
	<-log.entered
	require.Empty(t, others)
	log.leave <- struct{}{}
	for range cap(others) {
		require.NoError(t, <-others)
	}
	// Nothing is under way any more: the next one begins at once.
	go func() { first <- b.wait() }()
	<-log.entered
	log.leave <- struct{}{}
	require.NoError(t, <-first)
}

func TestErrorsOfTheLog(t *testing.T) {
	log, addr := serve(t, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	c := dial(t, addr)
	for _, e := range []struct {
		err         error
		write, read string
	}{
		{&replicated.NotLeaderError{Known: true, ID: 2, Client: "10.0.0.2:6379"}, "MOVED 7629 10.0.0.2:6379", "MOVED 7629 10.0.0.2:6379"},
		{fmt.Errorf("wrapped: %w", &replicated.NotLeaderError{Known: true, ID: 2}), "READONLY this server is a follower; the leader is server 2", "READONLY this server is a follower; the leader is server 2"},
		{&replicated.NotLeaderError{}, "CLUSTERDOWN no leader", "CLUSTERDOWN no leader"},
		{&replicated.UnavailableError{Why: "waits"}, "CLUSTERDOWN this server does not serve: it waits", "CLUSTERDOWN this server does not serve: it waits"},
		{replicated.ErrUnknownOutcome, "UNKNOWN outcome unknown", "UNKNOWN outcome unknown"},
		{fmt.Errorf("%w: %w", replicated.ErrUnknownOutcome, context.DeadlineExceeded), "TIMEOUT the write was not decided within 50ms", "TIMEOUT"},
		{context.DeadlineExceeded, "TIMEOUT the write was not decided within 50ms", "TIMEOUT this server could not confirm within 50ms"},
		{ErrClosed, "CLUSTERDOWN this server is shutting down", "CLUSTERDOWN this server is shutting down"},
		{fmt.Errorf("odd\r\nthing"), "MISCONF odd  thing", "MISCONF odd  thing"},
	} {
		log.fail(e.err)
		require.Contains(t, c.do("SET", "k", "v"), "(error) "+e.write)
		require.Contains(t, c.do("GET", "k"), "(error) "+e.read)
		require.Equal(t, "PONG", c.do("PING"))
	}
	log.fail(nil)
	require.Equal(t, "OK", c.do("SET", "k", "v"))
	// A log that does not answer.
	log.mu.Lock()
	log.block = make(chan struct{})
	log.mu.Unlock()
	require.Contains(t, c.do("SET", "k", "v"), "(error) TIMEOUT the write was not decided within 50ms")
}

// The leader removes what has expired without anybody writing.
func TestPurge(t *testing.T) {
	clk := &clock{ms: 1000}
	log, addr := serve(t, func(c *Config) { c.Clock, c.Purge = clk.now, time.Millisecond })
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("SET", "k", "v", "PX", "5"))
	require.Contains(t, c.do("INFO", "keyspace"), "db0:keys=1")
	clk.add(5)
	require.Equal(t, "(integer) 0", c.do("DBSIZE"))
	require.Eventually(t, func() bool { return !strings.Contains(c.do("INFO", "keyspace"), "db0") }, 10*time.Second, time.Millisecond)
	log.mu.Lock()
	defer log.mu.Unlock()
	require.Len(t, log.records, 2, "and nothing is proposed when there is nothing to remove")
}

func TestClientLimit(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.MaxClients = 2 })
	a, b := dial(t, addr), dial(t, addr)
	require.Equal(t, "PONG", a.do("PING"))
	require.Equal(t, "PONG", b.do("PING"))
	require.Equal(t, "(error) ERR max number of clients reached", dial(t, addr).reply())
	a.Close()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return false
		}
		defer c.Close()
		_, _ = io.WriteString(c, "PING\r\n")
		line, _ := bufio.NewReader(c).ReadString('\n')
		return line == "+PONG\r\n"
	}, 10*time.Second, 5*time.Millisecond, "who leaves makes room")
}

func TestIdleClients(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.Idle = 20 * time.Millisecond })
	_, err := dial(t, addr).r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

func TestQuit(t *testing.T) {
	log, addr := serve(t, nil)
	c := dial(t, addr)
	c.send([]string{"SET", "k", "1"}, []string{"QUIT"}, []string{"SET", "k", "2"})
	require.Equal(t, "OK", c.reply())
	require.Equal(t, "OK", c.reply())
	_, err := c.r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, `"1"`, dial(t, addr).do("GET", "k"))
	require.Len(t, log.records, 1)
}

func TestCloseEndsEverything(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	m := open(t, vfs.NewMem())
	log := &oneServer{m: m, entered: make(chan struct{}, 9), block: make(chan struct{})}
	s, err := NewServer(Config{Machine: m, Log: log, MaxRecord: 1 << 20})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	idle, busy := dial(t, l.Addr().String()), dial(t, l.Addr().String())
	require.Equal(t, "PONG", idle.do("PING"))
	busy.send([]string{"SET", "k", "v"})
	<-log.entered
	s.Close()
	s.Close()
	require.NoError(t, <-done)
	require.ErrorIs(t, s.Serve(l), ErrClosed)
	require.NoError(t, m.Close())
}

// A disk that fails is told to clients.
func TestServerDiskFull(t *testing.T) {
	fault := &faultyFS{}
	m, err := Open(Options{Dir: "/data", FS: errorfs.Wrap(vfs.NewMem(), fault)})
	require.NoError(t, err)
	s, err := NewServer(Config{Machine: m, Log: &oneServer{m: m}, MaxRecord: 1 << 20, Purge: time.Hour})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() {
		s.Close()
		require.NoError(t, <-done)
	}()
	c := dial(t, l.Addr().String())
	require.Equal(t, "OK", c.do("SET", "k", "v"))
	fault.fail(0, &pathError{"write", syscall.ENOSPC})
	require.Error(t, m.Sync())
	require.Contains(t, c.do("SET", "k", "v"), "(error) MISCONF disk (/data/db-1)")
	require.Contains(t, c.do("GET", "k"), "no space left on device")
	require.Contains(t, c.do("INFO"), "disk:disk (/data/db-1)")
}

func TestMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	log, addr := serve(t, func(c *Config) { c.Metrics = reg })
	c := dial(t, addr)
	c.do("SET", "k", "v")
	c.do("GET", "k")
	c.do("GET")
	c.do("NONSENSE")
	log.fail(&replicated.NotLeaderError{})
	c.do("SET", "k", "v")
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP p4ce_kv_clients Connections of clients.
# TYPE p4ce_kv_clients gauge
p4ce_kv_clients 1
# HELP p4ce_kv_commands_total Commands of clients, by name and result.
# TYPE p4ce_kv_commands_total counter
p4ce_kv_commands_total{command="get",result="error"} 1
p4ce_kv_commands_total{command="get",result="ok"} 1
p4ce_kv_commands_total{command="set",result="not_leader"} 1
p4ce_kv_commands_total{command="set",result="ok"} 1
p4ce_kv_commands_total{command="unknown",result="error"} 1
# HELP p4ce_kv_keys Keys on this server, including expired keys that are not yet removed.
# TYPE p4ce_kv_keys gauge
p4ce_kv_keys 1
# HELP p4ce_kv_leader 1 if this server is the leader.
# TYPE p4ce_kv_leader gauge
p4ce_kv_leader 0
`), "p4ce_kv_clients", "p4ce_kv_commands_total", "p4ce_kv_keys", "p4ce_kv_leader"))
	n, err := testutil.GatherAndCount(reg, "p4ce_kv_command_seconds")
	require.NoError(t, err)
	require.Equal(t, 3, n)
}

// Many clients at once: the sum is right, and another machine that executes the same
// records is equal.
func TestConcurrentClients(t *testing.T) {
	log, addr := serve(t, nil)
	const clients, each = 16, 200
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var wg sync.WaitGroup
	for i := range clients {
		c := dial(t, addr)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			last := int64(0)
			for n := 0; n < each; {
				k := min(1+rng.IntN(9), each-n)
				n += k
				var requests [][]string
				for range k {
					requests = append(requests, []string{"INCR", "n"}, []string{"GET", "n"})
				}
				c.send(requests...)
				for range requests { // what a client sees never goes back
					s := strings.Trim(strings.TrimPrefix(c.reply(), "(integer) "), `"`)
					got, err := strconv.ParseInt(s, 10, 64)
					if err != nil || got < last {
						t.Errorf("%s after %d", s, last)
						return
					}
					last = got
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, strconv.Quote(strconv.Itoa(clients*each)), dial(t, addr).do("GET", "n"))
	other := open(t, vfs.NewMem())
	log.mu.Lock()
	defer log.mu.Unlock()
	apply(t, other, 0, log.records...)
	require.Equal(t, digest(t, log.m), digest(t, other))
	require.NoError(t, other.Close())
}
