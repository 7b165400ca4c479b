package kv

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
)

// sharedLog is a log at which several servers propose: what it decides they execute when
// they ask for something, or when they are told to.
type sharedLog struct {
	mu      sync.Mutex
	records [][]byte
	times   int // to fail
	fail    error
	after   func()
}

// sharedEnd is a server's end of it.
type sharedEnd struct {
	*sharedLog
	m       *Machine
	applied int
}

func (l *sharedEnd) Propose(ctx context.Context, rec []byte) (any, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times > 0 {
		l.times--
		return nil, l.fail
	}
	l.records = append(l.records, rec)
	if l.after != nil {
		defer l.after()
	}
	return l.catchUp()
}

// catchUp executes all that is decided, and returns the last result.
func (l *sharedEnd) catchUp() (result any, err error) {
	for ; l.applied < len(l.records); l.applied++ {
		results, err := l.m.Apply([]replicated.Entry{{Index: uint64(l.applied), Record: l.records[l.applied]}}, position(l.applied+1))
		if err != nil {
			return nil, err
		}
		result = results[0]
	}
	return result, nil
}

func (l *sharedEnd) Leader() (string, bool) { return self, true }

// serveShared starts servers on one log; each has a clock.
func serveShared(t *testing.T, n int) (log *sharedLog, clients []*conn, clocks []*clock) {
	log = &sharedLog{}
	for range n {
		m, c := open(t, vfs.NewMem()), &clock{ms: 1_000_000}
		s, err := NewServer(Config{Machine: m, Log: &sharedEnd{sharedLog: log, m: m}, MaxRecord: 1 << 20, Client: self, Purge: time.Hour, Clock: c.now, Timeout: time.Second})
		require.NoError(t, err)
		clients, clocks = append(clients, dial(t, served(t, s, m))), append(clocks, c)
	}
	return log, clients, clocks
}

// Where all servers serve, each sees what was written at any other before.
func TestSharedReads(t *testing.T) {
	_, c, _ := serveShared(t, 3)
	for i := range 30 {
		v := fmt.Sprint(i)
		require.Equal(t, "OK", c[i%3].do("SET", "k", v))
		require.Equal(t, fmt.Sprintf("%q", v), c[(i+1)%3].do("GET", "k"))
		require.Equal(t, "(integer) 1", c[(i+2)%3].do("DBSIZE"))
	}
	require.Contains(t, c[0].do("INFO", "replication"), "role:master")
}

// Clocks of servers differ. A key that one has said is expired is expired for all that come
// later, and one that is there for a write was there for the reads before it.
func TestSharedTime(t *testing.T) {
	_, c, clocks := serveShared(t, 2)
	clocks[1].add(60_000) // ahead
	require.Equal(t, "OK", c[0].do("SET", "k", "v", "EX", "10"))
	require.Equal(t, "(nil)", c[1].do("GET", "k"), "it is late there")
	require.Equal(t, "(nil)", c[0].do("GET", "k"), "and since somebody was told so, for all")
	require.Equal(t, "(integer) -2", c[0].do("TTL", "k"))
	require.Equal(t, "OK", c[0].do("SET", "k", "w", "NX"))
	require.Equal(t, "OK", c[0].do("SET", "e", "v", "EX", "10"), "from then on that is the time")
	require.Equal(t, "(integer) 10", c[0].do("TTL", "e"))
	require.Equal(t, `"v"`, c[1].do("GET", "e"))
	clocks[0].add(50_000) // still behind: time stands still
	require.Equal(t, `"v"`, c[0].do("GET", "e"))
	clocks[1].add(11_000)
	require.Equal(t, `"v"`, c[0].do("GET", "e"), "nobody has said so yet")
	require.Equal(t, "(nil)", c[1].do("GET", "e"))
	require.Equal(t, "(nil)", c[0].do("GET", "e"))
}

// A read is at the time of its record, not at a later one of which the log knows nothing.
func TestSharedTimeOfReads(t *testing.T) {
	log, c, clocks := serveShared(t, 2)
	require.Equal(t, "OK", c[0].do("SET", "k", "v", "EX", "10"))
	clocks[1].add(9_500)
	log.mu.Lock()
	log.after = func() { clocks[1].add(1_000) }
	log.mu.Unlock()
	require.Equal(t, `"v"`, c[1].do("GET", "k"))
	log.mu.Lock()
	log.after = nil
	log.mu.Unlock()
	require.Equal(t, "(nil)", c[0].do("SET", "k", "w", "NX"), "it is there")
	require.Equal(t, "(nil)", c[1].do("GET", "k"), "and later it is not")
}

// What goes wrong is worded for a log that has no leader among the servers. A read is asked for
// again, which does no harm.
func TestSharedErrors(t *testing.T) {
	log, c, _ := serveShared(t, 1)
	fail := func(err error, times int) {
		log.mu.Lock()
		defer log.mu.Unlock()
		log.fail, log.times = err, times
	}
	fail(context.DeadlineExceeded, 2)
	require.Equal(t, "(error) TIMEOUT the write was not decided within 1s (no leader or no majority of the acceptors answers?); it may or may not take effect", c[0].do("SET", "k", "v"))
	require.Equal(t, "(error) TIMEOUT this server could not learn within 1s what others have decided (no leader or no majority of the acceptors answers?)", c[0].do("GET", "k"))
	fail(replicated.ErrUnknownOutcome, 1)
	require.Equal(t, "(error) UNKNOWN outcome unknown: this server was behind and took the state of another server, or it is ending; the write may or may not have taken effect", c[0].do("SET", "k", "v"))
	fail(replicated.ErrUnknownOutcome, 3)
	require.Equal(t, "(nil)", c[0].do("GET", "k"))
}
