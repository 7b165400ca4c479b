package kv

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"

	"github.com/p4ce/p4ce/host/replicated"
)

// oneServer is a log of one server: it decides at once.
type oneServer struct {
	short atomic.Bool
	m     *Machine

	mu      sync.Mutex
	n       int
	records [][]byte
	barrier int
	leased  bool
	at      string        // where the leader is; "": self
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
	res, err := l.m.Apply([]replicated.Entry{{Index: uint64(l.n), Record: rec}}, position(l.n+1))
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

func (l *oneServer) Short() bool { return l.short.Load() }

func (l *oneServer) Leased() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leased
}

// self is the address of the only server.
const self = "127.0.0.1:6379"

func (l *oneServer) Leader() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil && l.at == "":
		return "10.0.0.2:6379", true
	case l.at != "":
		return l.at, true
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
	mu   sync.Mutex
	ms   int64
	also *clock // is moved with it
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
	if c.also != nil {
		c.also.add(ms)
	}
}

// serve starts a server on a log of its own; it ends with the test.
func serve(t testing.TB, change func(*Config)) (*oneServer, string) {
	return serveWith(t, change, func(*Server) {})
}

// serveWith is serve, and shows the server.
func serveWith(t testing.TB, change func(*Config), see func(*Server)) (*oneServer, string) {
	m := open(t, vfs.NewMem())
	log := &oneServer{m: m, entered: make(chan struct{}, 100)}
	cfg := Config{Machine: m, Log: log, MaxRecord: 1 << 20, Version: "test", Client: self, Purge: time.Hour}
	if change != nil {
		change(&cfg)
	}
	s, err := NewServer(cfg)
	require.NoError(t, err)
	see(s)
	return log, served(t, s, m)
}

// served has a server serve, and closes it and its machine with the test.
func served(t testing.TB, s *Server, m *Machine) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, <-done)
		require.NoError(t, m.Close())
	})
	return l.Addr().String()
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
	require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second))) // what never comes is an error
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
	case '_':
		return "(null)"
	case '$', '*', '%', '=':
		n, err := strconv.Atoi(rest)
		require.NoError(t, err)
		if kind == '%' {
			kind, n = '*', 2*n
		}
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
