package kv

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
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
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/host/smr"
)

// oneServer is a log of one server: it decides at once.
type oneServer struct {
	m *Machine

	mu      sync.Mutex
	n       int
	records [][]byte
	barrier int
	err     error         // what everything answers
	block   chan struct{} // what proposals wait for
	entered chan struct{} // gets a value for each proposal that waits
}

func (l *oneServer) Propose(ctx context.Context, rec []byte) (any, error) {
	l.mu.Lock()
	block := l.block
	l.mu.Unlock()
	if block != nil {
		l.entered <- struct{}{}
		select {
		case <-block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, l.err
	}
	res, err := l.m.Apply([]smr.Entry{{Index: uint64(l.n), Record: rec}}, position(l.n+1))
	if err != nil {
		return nil, err
	}
	l.n++
	l.records = append(l.records, slices.Clone(rec))
	return res[0], nil
}

func (l *oneServer) Barrier(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.barrier++
	return l.err
}

// self is the address of the only server.
const self = "127.0.0.1:6379"

func (l *oneServer) Leader() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return "10.0.0.2:6379", true
	}
	return self, true
}

func (l *oneServer) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	ms int64
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.UnixMilli(c.ms)
}

func (c *clock) add(ms int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ms += ms
}

// serve starts a server on a log of its own; it ends with the test.
func serve(t testing.TB, change func(*Config)) (*oneServer, string) {
	m := open(t, vfs.NewMem())
	log := &oneServer{m: m, entered: make(chan struct{}, 100)}
	cfg := Config{Machine: m, Log: log, MaxRecord: 1 << 20, Version: "test", Client: self, Purge: time.Hour}
	if change != nil {
		change(&cfg)
	}
	s, err := NewServer(cfg)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, <-done)
		require.NoError(t, m.Close())
	})
	return log, l.Addr().String()
}

// conn is a connection without a client library.
type conn struct {
	t testing.TB
	net.Conn
	r *bufio.Reader
}

func dial(t testing.TB, addr string) *conn {
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return &conn{t, c, bufio.NewReader(c)}
}

// send sends requests, all at once.
func (c *conn) send(requests ...[]string) {
	var b []byte
	for _, r := range requests {
		b = redcon.AppendArray(b, len(r))
		for _, a := range r {
			b = redcon.AppendBulkString(b, a)
		}
	}
	_, err := c.Write(b)
	require.NoError(c.t, err)
}

// reply reads a reply and words it as redis-cli does.
func (c *conn) reply() string { return readReply(c.t, c.r, "") }

func readReply(t require.TestingT, r *bufio.Reader, indent string) string {
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	line = strings.TrimSuffix(line, "\r\n")
	switch kind, rest := line[0], line[1:]; kind {
	case '-':
		return "(error) " + rest
	case ':':
		return "(integer) " + rest
	case '$', '*':
		n, err := strconv.Atoi(rest)
		require.NoError(t, err)
		switch {
		case n < 0:
			return "(nil)"
		case kind == '*' && n == 0:
			return "(empty array)"
		case kind == '*':
			var b strings.Builder
			for i := range n {
				head := fmt.Sprintf("%d) ", i+1)
				if i > 0 {
					b.WriteString("\n" + indent)
				}
				b.WriteString(head + readReply(t, r, indent+strings.Repeat(" ", len(head))))
			}
			return b.String()
		}
		s := make([]byte, n+2)
		_, err = io.ReadFull(r, s)
		require.NoError(t, err)
		return strconv.Quote(string(s[:n]))
	default:
		return rest
	}
}

func (c *conn) do(args ...string) string {
	c.send(args)
	return c.reply()
}

// The scenarios are typed as one types them into redis-cli.
func TestCommands(t *testing.T) {
	datadriven.Walk(t, "testdata/commands", func(t *testing.T, path string) {
		clk := &clock{ms: 1_000_000}
		_, addr := serve(t, func(c *Config) { c.Clock = clk.now })
		c := dial(t, addr)
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

// toArgs words an op as a command.
func toArgs(o op) []string {
	s := func(b []byte) string { return string(b) }
	a := []string{}
	for _, x := range o.args {
		a = append(a, s(x))
	}
	switch o.code {
	case opSet:
		a = append([]string{"SET"}, a...)
		if o.flags&flagNX != 0 {
			a = append(a, "nx")
		}
		if o.n != 0 {
			a = append(a, "PX", strconv.FormatInt(o.n, 10))
		}
		if o.flags&flagXX != 0 {
			a = append(a, "XX")
		}
	case opDel:
		a = append([]string{"del"}, a...)
	case opIncr:
		a = append(append([]string{"INCRBY"}, a...), strconv.FormatInt(o.n, 10))
	case opAppend:
		a = append([]string{"append"}, a...)
	case opMSet:
		a = append([]string{"MSET"}, a...)
	case opExpire:
		a = append(append([]string{"EXPIRE"}, a...), strconv.FormatInt(o.n, 10))
	}
	return a
}

// Pipelines of reads and writes, in any mixture, answer as if each command came alone.
func TestPipelineModel(t *testing.T) {
	clk := &clock{}
	_, addr := serve(t, func(c *Config) { c.Clock = clk.now })
	c := dial(t, addr)
	rapid.Check(t, func(rt *rapid.T) {
		clk.add(1 << 50 / 1_000_000) // long after anything could expire
		c.t = t
		want := model{time: clk.now().UnixMilli(), keys: map[string]modelEntry{}}
		keys := []string{"", "a", "b", "c", "d", "e\x00"}
		c.do(append([]string{"del"}, keys...)...)
		for range rapid.IntRange(1, 4).Draw(rt, "pipelines") {
			want.time += rapid.Int64Range(0, 30).Draw(rt, "dt")
			clk.add(want.time - clk.now().UnixMilli())
			var requests [][]string
			var replies []string
			for range rapid.IntRange(1, 20).Draw(rt, "commands") {
				switch key := rapid.SampledFrom(keys).Draw(rt, "key"); rapid.IntRange(0, 6).Draw(rt, "what") {
				case 0, 1, 2:
					o := genOp().Draw(rt, "op")
					requests = append(requests, toArgs(o))
					if o.code == opExpire {
						o.n *= 1000
					}
					r := want.op(o)
					switch {
					case o.code == opSet || o.code == opMSet || strings.HasPrefix(r, "(") || strings.HasPrefix(r, "ERR"):
						replies = append(replies, strings.Replace(r, "ERR", "(error) ERR", 1))
					default:
						replies = append(replies, "(integer) "+r)
					}
				case 3:
					requests = append(requests, []string{"GET", key})
					if e, ok := want.get(key); ok {
						replies = append(replies, strconv.Quote(e.value))
					} else {
						replies = append(replies, "(nil)")
					}
				case 4:
					requests = append(requests, []string{"EXISTS", key, key})
					n := 0
					if _, ok := want.get(key); ok {
						n = 2
					}
					replies = append(replies, fmt.Sprintf("(integer) %d", n))
				case 5:
					requests = append(requests, []string{"DBSIZE"})
					replies = append(replies, fmt.Sprintf("(integer) %d", len(want.visible(want.time))))
				case 6:
					requests = append(requests, []string{"ECHO", key})
					replies = append(replies, strconv.Quote(key))
				}
			}
			c.send(requests...)
			for i, r := range replies {
				require.Equal(rt, r, c.reply(), "%q", requests[i])
			}
		}
	})
}

// What a client sends at once is not decided one by one.
func TestPipelineSharesRecords(t *testing.T) {
	log, addr := serve(t, nil)
	c := dial(t, addr)
	var requests [][]string
	for i := range 100 {
		requests = append(requests, []string{"SET", fmt.Sprint("k", i), "v"})
	}
	c.send(requests...)
	for range requests {
		require.Equal(t, "OK", c.reply())
	}
	log.mu.Lock()
	require.Less(t, len(log.records), 20)
	log.mu.Unlock()
	for i := range requests {
		requests[i] = []string{"GET", fmt.Sprint("k", i)}
	}
	c.send(requests...)
	for range requests {
		require.Equal(t, `"v"`, c.reply())
	}
	log.mu.Lock()
	require.Less(t, log.barrier, 20)
	log.mu.Unlock()
}

// Writes of many connections that wait share records, which are not too long.
func TestConnectionsShareRecords(t *testing.T) {
	log, addr := serve(t, func(c *Config) { c.MaxRecord = 4 << 10 })
	log.block = make(chan struct{})
	const clients = 60
	conns := make([]*conn, clients)
	value := strings.Repeat("v", 200)
	for i := range conns {
		conns[i] = dial(t, addr)
		conns[i].send([]string{"SET", fmt.Sprint("k", i), value})
		if i < recordsUnderWay {
			<-log.entered
		}
	}
	// No other record is proposed before one of these is decided; all arrive.
	admin := dial(t, addr)
	require.Eventually(t, func() bool {
		return strings.Count(admin.do("CLIENT", "LIST"), "cmd=set") == clients
	}, 10*time.Second, time.Millisecond)
	require.Empty(t, log.entered)
	close(log.block)
	for _, c := range conns {
		require.Equal(t, "OK", c.reply())
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	require.Less(t, len(log.records), clients/2)
	for _, r := range log.records {
		require.LessOrEqual(t, len(r), 4<<10)
	}
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
	go func() {
		_, err := p.submit(o.append(nil), 1)
		done <- err
	}()
	<-log.entered
	clk.add(10)
	require.Equal(t, int64(110), p.readTime(), "a write of 110 is under way")
	close(release)
	require.NoError(t, <-done)
	p.close() // under way no more
	require.Equal(t, int64(120), p.readTime())
	clk.add(-50)
	require.Equal(t, int64(120), p.readTime(), "time does not go back")
	_, err := p.submit(o.append(nil), 1)
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, log.m.Close())
}

// slowBarrier is a log whose barriers end when the test says so.
type slowBarrier struct {
	Log
	entered, leave chan struct{}
}

func (l *slowBarrier) Barrier(ctx context.Context) error {
	l.entered <- struct{}{}
	<-l.leave
	return nil
}

// Reads that come while a barrier is under way share the next one, and none uses the
// one that had begun before it came.
func TestBarrierShared(t *testing.T) {
	log := &slowBarrier{entered: make(chan struct{}), leave: make(chan struct{})}
	b := &barrier{log: log, timeout: time.Minute, ctx: t.Context()}
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
		{&smr.NotLeaderError{Known: true, ID: 2, Client: "10.0.0.2:6379"}, "READONLY this server is a follower; the leader serves at 10.0.0.2:6379", "READONLY this server is a follower; the leader serves at 10.0.0.2:6379"},
		{fmt.Errorf("wrapped: %w", &smr.NotLeaderError{Known: true, ID: 2}), "READONLY this server is a follower; the leader is server 2", "READONLY this server is a follower; the leader is server 2"},
		{&smr.NotLeaderError{}, "CLUSTERDOWN no leader", "CLUSTERDOWN no leader"},
		{smr.ErrUnknownOutcome, "UNKNOWN outcome unknown", "UNKNOWN outcome unknown"},
		{fmt.Errorf("%w: %w", smr.ErrUnknownOutcome, context.DeadlineExceeded), "TIMEOUT the write was not decided within 50ms", "TIMEOUT"},
		{context.DeadlineExceeded, "TIMEOUT the write was not decided within 50ms", "TIMEOUT this server could not confirm within 50ms"},
		{ErrClosed, "CLUSTERDOWN this server is being closed", "CLUSTERDOWN this server is being closed"},
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

func TestProtocolErrors(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.MaxRecord = 64 << 10 })
	for name, c := range map[string]struct{ send, want string }{
		"multibulk length":  {"*x\r\n", "(error) ERR Protocol error: invalid multibulk length"},
		"many arguments":    {"*2147483647\r\n", "(error) ERR Protocol error: invalid multibulk length"},
		"bulk length":       {"*1\r\n$-1\r\n", "(error) ERR Protocol error: invalid bulk length"},
		"length overflows":  {"*1\r\n$9223372036854775807\r\nx", "(error) ERR Protocol error: request is too long"},
		"no bulk":           {"*1\r\n:1\r\n", "(error) ERR Protocol error: expected '$', got ':'"},
		"no end":            {"*1\r\n$1\r\nxyz", "(error) ERR Protocol error: invalid bulk length"},
		"quotes":            {"GET \"x\r\n", "(error) ERR Protocol error: unbalanced quotes in request"},
		"long line":         {strings.Repeat("x", maxInline+1), "(error) ERR Protocol error: too big inline request"},
		"long length":       {"*" + strings.Repeat("1", 40), "(error) ERR Protocol error: too big inline request"},
		"long request":      {"*2\r\n$3\r\nGET\r\n$2000000\r\n" + strings.Repeat("x", 2000000), "(error) ERR Protocol error: request is too long"},
		"small but many":    {"*1000000\r\n" + strings.Repeat("$4\r\nPING\r\n", 200000), "(error) ERR Protocol error: request is too long"},
		"after good lines":  {"PING\r\nPING \"x\r\n", "PONG"},
		"after good ones":   {"*1\r\n$4\r\nPING\r\n*x\r\n", "PONG"},
		"nothing, and more": {"*0\r\n\r\n*-1\r\nPING\r\n", "PONG"},
	} {
		t.Run(name, func(t *testing.T) {
			nc := dial(t, addr)
			go func() { _, _ = io.WriteString(nc, c.send) }()
			require.Contains(t, nc.reply(), c.want)
			if strings.HasPrefix(c.want, "(") {
				_, err := nc.r.ReadByte()
				require.ErrorIs(t, err, io.EOF)
			}
		})
	}
	// A value that the log does not take, although it can be received.
	c := dial(t, addr)
	require.Contains(t, c.do("SET", "k", strings.Repeat("x", 70<<10)), "(error) ERR the command is too long for the log")
	require.Equal(t, "OK", c.do("SET", "k", strings.Repeat("x", 60<<10)))
}

func FuzzRequestReader(f *testing.F) {
	for _, s := range []string{"PING\r\n", "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*0\r\nECHO \"a b\"\r\n", "*1\r\n$9223372036854775807\r\nx", "*-1\r\n\n*1\n"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		all := requests(t, &chunks{b, len(b) + 1})
		require.Equal(t, all, requests(t, &chunks{b, int(cut) + 1}), "however it arrives")
	})
}

// chunks gives out n bytes at a time.
type chunks struct {
	b []byte
	n int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.b)
	c.b = c.b[n:]
	return n, nil
}

// requests reads everything as a server does.
func requests(t *testing.T, in io.Reader) (all [][]string) {
	r := redcon.NewReader(newRequestReader(in, 1<<16))
	for {
		cmds, err := r.ReadCommands()
		for _, c := range cmds {
			var args []string
			for _, a := range c.Args {
				args = append(args, string(a))
			}
			all = append(all, args)
		}
		if err != nil {
			return append(all, []string{"error: " + err.Error()})
		}
	}
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

// Replies larger than what a client takes at once, and requests without end.
func TestLongPipeline(t *testing.T) {
	_, addr := serve(t, nil)
	c := dial(t, addr)
	value := strings.Repeat("v", 300<<10)
	require.Equal(t, "OK", c.do("SET", "k", value))
	const n = 200 // 60 MB
	go func() {
		var b []byte
		for range n {
			b = append(b, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"...)
		}
		_, _ = c.Write(b)
		for range 50000 {
			_, _ = io.WriteString(c, "PING x\r\n")
		}
	}()
	for range n {
		require.Len(t, c.reply(), len(value)+2)
	}
	for range 50000 {
		require.Equal(t, `"x"`, c.reply())
	}
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
	log.fail(&smr.NotLeaderError{})
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
# HELP p4ce_kv_keys Keys on this server, expired ones included until they are removed.
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

// go-redis works unmodified.
func TestGoRedis(t *testing.T) {
	log, addr := serve(t, nil)
	ctx := t.Context()
	c := redis.NewClient(&redis.Options{Addr: addr, ClientName: "test", MaxRetries: -1})
	defer c.Close()
	require.NoError(t, c.Ping(ctx).Err())
	require.NoError(t, c.Set(ctx, "k", "v", 0).Err())
	require.NoError(t, c.Set(ctx, "t", "v", time.Hour).Err())
	v, err := c.Get(ctx, "k").Result()
	require.NoError(t, err)
	require.Equal(t, "v", v)
	require.ErrorIs(t, c.Get(ctx, "none").Err(), redis.Nil)
	ok, err := c.SetNX(ctx, "k", "w", time.Hour).Result()
	require.NoError(t, err)
	require.False(t, ok)
	ttl, err := c.TTL(ctx, "t").Result()
	require.NoError(t, err)
	require.Equal(t, time.Hour, ttl)
	n, err := c.IncrBy(ctx, "n", 41).Result()
	require.NoError(t, err)
	require.Equal(t, int64(41), n)
	require.NoError(t, c.MSet(ctx, "a", 1, "b", 2).Err())
	vals, err := c.MGet(ctx, "a", "none", "b").Result()
	require.NoError(t, err)
	require.Equal(t, []any{"1", nil, "2"}, vals)
	for i := range 500 {
		require.NoError(t, c.Append(ctx, fmt.Sprint("s", i), "x").Err())
	}
	keys := map[string]bool{}
	it := c.Scan(ctx, 0, "s*", 33).Iterator()
	for it.Next(ctx) {
		keys[it.Val()] = true
	}
	require.NoError(t, it.Err())
	require.Len(t, keys, 500)
	size, err := c.DBSize(ctx).Result()
	require.NoError(t, err)
	require.Equal(t, int64(505), size)
	cmds, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "n")
		p.Get(ctx, "n")
		p.Expire(ctx, "n", time.Minute)
		p.Del(ctx, "a", "b", "none")
		p.Exists(ctx, "a")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "incr n: 42", cmds[0].String())
	require.Equal(t, "get n: 42", cmds[1].String())
	require.Equal(t, "del a b none: 2", cmds[3].String())
	info, err := c.Command(ctx).Result()
	require.NoError(t, err)
	require.Len(t, info, len(commands))
	require.True(t, info["get"].ReadOnly)
	name, err := c.ClientGetName(ctx).Result()
	require.NoError(t, err)
	require.Equal(t, "test", name)
	require.ErrorContains(t, c.LPush(ctx, "l", 1).Err(), "ERR unknown command 'lpush'")
	log.fail(&smr.NotLeaderError{Known: true, Client: "10.0.0.2:6379"})
	require.ErrorContains(t, c.Set(ctx, "k", "v", 0).Err(), "READONLY this server is a follower; the leader serves at 10.0.0.2:6379")
}

// tool runs a program of redis-tools.
func tool(t *testing.T, name, addr string, args ...string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed (Debian: redis-tools)", name)
	}
	host, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), path, append([]string{"-h", host, "-p", port}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestRedisCLI(t *testing.T) {
	_, addr := serve(t, nil)
	cli := func(args ...string) string { return strings.TrimSpace(tool(t, "redis-cli", addr, args...)) }
	require.Equal(t, "OK", cli("SET", "k", "v w"))
	require.Equal(t, "v w", cli("GET", "k"))
	require.Equal(t, "k", cli("--scan", "--pattern", "k*"))
	require.Contains(t, cli("-3", "PING"), "HELLO 3 failed: ERR unknown command 'HELLO'", "as an old server")
	require.Contains(t, cli("INFO", "server"), "p4ce_version:test")
	// Mass insertion.
	path, err := exec.LookPath("redis-cli")
	require.NoError(t, err)
	host, port, _ := net.SplitHostPort(addr)
	cmd := exec.CommandContext(t.Context(), path, "-h", host, "-p", port, "--pipe")
	var in strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, "SET pipe:%d %d\r\n", i, i)
	}
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "errors: 0, replies: 20000")
	require.Equal(t, "20001", cli("DBSIZE"))
}

func TestRedisBenchmark(t *testing.T) {
	log, addr := serve(t, nil)
	for _, args := range [][]string{{"-P", "16"}, {"-P", "1", "-c", "20"}} {
		out := tool(t, "redis-benchmark", addr, append(args, "-q", "-n", "5000", "-r", "1000", "-t", "set,get,incr,mset,ping")...)
		t.Log(strings.ReplaceAll(out, "\r", "\n"))
		require.NotContains(t, strings.ToLower(out), "error")
		require.NotContains(t, out, "WARNING")
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	require.Equal(t, len(log.records), applied(t, log.m))
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
