package kv

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
)

// TestWatch: clients that count with WATCH lose nothing, whatever comes between.
func TestWatch(t *testing.T) {
	_, addr := serve(t, nil)
	const clients, each = 4, 30
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			ctx := context.Background()
			c := redis.NewClient(&redis.Options{Addr: addr})
			defer c.Close()
			for n := 0; n < each; {
				err := c.Watch(ctx, func(tx *redis.Tx) error {
					v, err := tx.Get(ctx, "n").Int()
					if err != nil && err != redis.Nil {
						return err
					}
					_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
						p.Set(ctx, "n", v+1, 0)
						p.Append(ctx, "log", "x")
						return nil
					})
					return err
				}, "n")
				switch err {
				case nil:
					n++
				case redis.TxFailedErr:
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	c := dial(t, addr)
	require.Equal(t, fmt.Sprintf("%q", fmt.Sprint(clients*each)), c.do("GET", "n"))
	require.Equal(t, fmt.Sprintf("(integer) %d", clients*each), c.do("STRLEN", "log"), "nothing of a transaction that failed took effect")
}

// TestTransactionsBetween: no command of another client comes between those of a transaction, not even in one record.
func TestTransactionsBetween(t *testing.T) {
	_, addr := serve(t, nil)
	done := make(chan bool)
	go func() {
		defer close(done)
		c := dial(t, addr)
		for range 300 {
			c.do("INCR", "k")
		}
	}()
	c := dial(t, addr)
	for range 100 {
		c.send([]string{"MULTI"}, []string{"SET", "k", "1"}, []string{"INCR", "k"}, []string{"GET", "k"}, []string{"EXEC"})
		for range 4 {
			c.reply()
		}
		require.Equal(t, "1) OK\n2) (integer) 2\n3) \"2\"", c.reply())
	}
	<-done
}

// TestTransactionRefused: what does not fit into the log, what the user may not do, and what a server does not lead.
func TestTransactionRefused(t *testing.T) {
	users, err := ParseUsers([]byte("user default on nopass ~app:* +@read +@write +@transaction"))
	require.NoError(t, err)
	log, addr := serve(t, func(c *Config) {
		c.MaxRecord = 4 << 10
		c.Users = func() (*Users, error) { return users, nil }
	})
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("MULTI"))
	for range 5 {
		require.Equal(t, "QUEUED", c.do("SET", "app:k", strings.Repeat("v", 1000)))
	}
	require.Contains(t, c.do("EXEC"), "EXECABORT Transaction discarded: it is too long for the log")
	require.Equal(t, "(nil)", c.do("GET", "app:k"))
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "QUEUED", c.do("SET", "app:k", "v"))
	require.Contains(t, c.do("SET", "k", "v"), "NOPERM")
	require.Contains(t, c.do("EXEC"), "EXECABORT")
	require.Equal(t, "(nil)", c.do("GET", "app:k"))
	require.Contains(t, c.do("WATCH", "k"), "NOPERM")
	log.fail(&replicated.NotLeaderError{Known: true, Client: "10.0.0.2:6379"})
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "(error) MOVED 7779 10.0.0.2:6379", c.do("SET", "app:k", "v"))
	require.Contains(t, c.do("EXEC"), "EXECABORT")
	require.Equal(t, "(error) MOVED 7779 10.0.0.2:6379", c.do("WATCH", "app:k"))
	log.fail(nil)
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "QUEUED", c.do("SET", "app:k", "v"))
	log.fail(replicated.ErrUnknownOutcome)
	require.Contains(t, c.do("EXEC"), "UNKNOWN outcome unknown")
}

// TestTransactionMemory: commands that wait for EXEC count as memory of their client.
func TestTransactionMemory(t *testing.T) {
	var s *Server
	_, addr := serveWith(t, func(c *Config) { c.ClientMemory = 1 << 20 }, func(x *Server) { s = x })
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("SET", "k", strings.Repeat("v", 100<<10)))
	before := s.memory.sum() // with the buffer of requests
	require.Equal(t, "OK", c.do("WATCH", "k"))
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "QUEUED", c.do("SET", "k", strings.Repeat("v", 100<<10)))
	require.Greater(t, s.memory.sum(), before+100<<10)
	require.Equal(t, "OK", c.do("DISCARD"))
	require.Equal(t, before, s.memory.sum())
	c = dial(t, addr)
	require.Equal(t, "OK", c.do("MULTI"))
	for range 20 {
		c.send([]string{"SET", "k", strings.Repeat("v", 100<<10)})
	}
	ended := false
	for range 21 {
		if _, err := c.r.ReadString('\n'); err != nil {
			ended = true
			break
		}
	}
	require.True(t, ended)
	require.Eventually(t, func() bool { return s.memory.sum() < 1<<20 }, 10*time.Second, time.Millisecond)
}

// twoServers is what CLUSTER knows of two servers.
type twoServers [2]string

func (m twoServers) Members() []string {
	return []string{"1=10.0.0.1," + m[0], "2=10.0.0.2+10.1.0.2," + m[1]}
}
func (twoServers) Add(context.Context, string) error    { return nil }
func (twoServers) Remove(context.Context, string) error { return nil }

// TestClusterClients: clients of a Redis cluster find the leader, and the next one.
func TestClusterClients(t *testing.T) {
	var listeners [2]net.Listener
	var servers twoServers
	for i := range listeners {
		var err error
		listeners[i], err = net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		servers[i] = listeners[i].Addr().String()
	}
	var logs [2]*oneServer
	leads := func(who int) {
		for i, l := range logs {
			l.mu.Lock()
			if l.at, l.err = servers[who], nil; i != who {
				l.err = &replicated.NotLeaderError{Known: true, Client: servers[who]}
			}
			l.mu.Unlock()
		}
	}
	for i := range logs {
		m := open(t, vfs.NewMem())
		logs[i] = &oneServer{m: m, entered: make(chan struct{}, 100)}
		s, err := NewServer(Config{Machine: m, Log: logs[i], MaxRecord: 1 << 20, Client: servers[i], Purge: time.Hour, Cluster: servers})
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() { done <- s.Serve(listeners[i]) }()
		t.Cleanup(func() {
			s.Close()
			require.NoError(t, <-done)
			require.NoError(t, m.Close())
		})
	}
	leads(1)
	ctx := t.Context()
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: servers[:1]})
	defer c.Close()
	require.NoError(t, c.Set(ctx, "k", "v", 0).Err())
	got, err := c.Get(ctx, "k").Result()
	require.NoError(t, err)
	require.Equal(t, "v", got)
	_, err = c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "{k}1", "v", 0)
		p.Incr(ctx, "{k}2")
		return nil
	})
	require.NoError(t, err)
	require.Empty(t, logs[0].records)
	require.Len(t, logs[1].records, 2)
	leads(0)
	require.NoError(t, c.Set(ctx, "k", "w", 0).Err())
	require.Len(t, logs[0].records, 1)

	follower, leader := dial(t, servers[1]), dial(t, servers[0])
	require.Contains(t, leader.do("ROLE"), "\"master\"")
	require.Contains(t, follower.do("ROLE"), "\"slave\"")
	require.Equal(t, "(integer) 1", leader.do("WAIT", "1", "0"))
	require.Contains(t, follower.do("WAIT", "1", "0"), "READONLY")
	require.Contains(t, follower.do("CLUSTER", "INFO"), "cluster_state:ok")
	require.Contains(t, leader.do("CLUSTER", "NODES"), "myself,master - 0 0 1 connected 0-16383")
	require.Equal(t, fmt.Sprintf("%q", fmt.Sprintf("%040x", 2)), follower.do("CLUSTER", "MYID"))
	require.Contains(t, follower.do("CLUSTER", "SHARDS"), "replica")
	require.Contains(t, leader.do("HELLO", "3"), "cluster")
}

// TestSlots: the slots of keys are Redis's.
func TestSlots(t *testing.T) {
	for key, want := range map[string]int{"": 0, "foo": 12182, "123456789": 12739, "{foo}bar": 12182, "a{foo}{bar}": 12182, "{}foo": 9500, "foo{": slotOf([]byte("foo{"))} {
		require.Equal(t, want, slotOf([]byte(key)), key)
	}
}

// TestRESP3: a connection that says HELLO 3 gets the types of RESP3, and RESET takes them back.
func TestRESP3(t *testing.T) {
	_, addr := serve(t, nil)
	c := dial(t, addr)
	require.Equal(t, "(nil)", c.do("GET", "none"))
	require.Contains(t, c.do("HELLO", "3", "SETNAME", "me"), "6) (integer) 3")
	require.Equal(t, "(null)", c.do("GET", "none"))
	require.Equal(t, "1) (null)", c.do("MGET", "none"))
	require.Equal(t, `"me"`, c.do("CLIENT", "GETNAME"))
	require.Contains(t, c.do("CLIENT", "INFO"), "resp=3")
	require.Contains(t, c.do("INFO", "server"), "txt:")
	require.Equal(t, "OK", c.do("WATCH", "k"))
	require.Equal(t, "OK", c.do("SET", "k", "v"))
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "(null)", c.do("EXEC"))
	require.Equal(t, "RESET", c.do("RESET"))
	require.Equal(t, "(nil)", c.do("GET", "none"))
	require.Equal(t, "(nil)", c.do("CLIENT", "GETNAME"))
	for _, bad := range [][]string{{"HELLO", "x"}, {"HELLO", "4"}, {"HELLO", "3", "AUTH"}, {"HELLO", "3", "SETNAME", "a b"}, {"HELLO", "3", "AUTH", "a", "b"}} {
		require.Contains(t, c.do(bad...), "(error)", bad)
	}
}

// TestFlushWhileSaved: between the record that deletes all keys and the moment when the database has done so, nothing of
// the database is seen; what is written meanwhile is.
func TestFlushWhileSaved(t *testing.T) {
	m := open(t, vfs.NewMem())
	defer func() { require.NoError(t, m.Close()) }()
	apply(t, m, 0, encode(record{time: 1, ops: []op{{code: opSet, args: args("old", "v")}, {code: opSet, n: 1, args: args("expires", "v")}}}))
	require.NoError(t, m.save())
	m.saving.Lock() // nobody else saves
	saves := sync.OnceFunc(m.saving.Unlock)
	defer saves()
	m.mem.Lock()
	m.table = newTable(tableBytes) // the keys are in the database only
	m.mem.Unlock()
	apply(t, m, 1, encode(record{time: 1, ops: []op{{code: opFlush}, {code: opSet, args: args("new", "w")}}}))
	look := func() {
		found, _, err := m.Read(1, args("old", "new"), nil)
		require.NoError(t, err)
		require.False(t, found[0].exists)
		require.True(t, found[1].exists)
	}
	look()
	s, err := m.acquire()
	require.NoError(t, err)
	b := s.DB.NewBatch()
	m.mem.Lock()
	require.NoError(t, m.collect(b))
	m.mem.Unlock()
	look()
	res := apply(t, m, 2, encode(record{time: 9, ops: []op{{code: opIncr, n: 1, args: args("old")}, {code: opDel, args: args("expires")}}}))
	require.Equal(t, []Reply{{kind: replyInt, n: 1}, {kind: replyInt}}, res[0], "as if they had never been")
	require.NoError(t, b.Commit(pebble.NoSync))
	require.NoError(t, b.Close())
	m.mem.Lock()
	m.table.clearing = false
	m.mem.Unlock()
	require.NoError(t, s.Release())
	saves()
	require.Equal(t, uint64(2), m.Keys())
	require.NoError(t, m.save())
	v, err := m.View(9)
	require.NoError(t, err)
	keys, err := v.Keys()
	require.NoError(t, err)
	require.Equal(t, uint64(2), keys)
	require.NoError(t, v.Close())
}

// TestFlushWhileGiven: a server that is being given the state forgets what was deleted altogether.
func TestFlushWhileGiven(t *testing.T) {
	from, to := open(t, vfs.NewMem()), open(t, vfs.NewMem())
	defer from.Close()
	defer to.Close()
	apply(t, from, 0, set(1, "a", "1"), set(1, "b", "2"))
	taken, err := to.Take()
	require.NoError(t, err)
	g, _, err := from.Give(taken.Known())
	require.NoError(t, err)
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	apply(t, from, 2, encode(record{time: 1, ops: []op{{code: opFlush}, {code: opSet, args: args("c", "3")}}}))
	require.NoError(t, taken.Round(bytes.NewReader(roundOf(t, g))))
	require.NoError(t, taken.Install())
	require.NoError(t, taken.Close())
	require.Equal(t, digest(t, from), digest(t, to))
}

// TestTransactionsKeep: what is queued stays what it was while other requests arrive in its place.
func TestTransactionsKeep(t *testing.T) {
	_, addr := serve(t, nil)
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("MULTI"))
	for i := range 10 {
		require.Equal(t, "QUEUED", c.do("SET", fmt.Sprint("key", i), strings.Repeat(fmt.Sprint(i), 100)))
	}
	require.Equal(t, "QUEUED", c.do("PING", "the end"))
	require.Contains(t, c.do("EXEC"), "11) \"the end\"")
	for i := range 10 {
		require.Equal(t, fmt.Sprintf("%q", strings.Repeat(fmt.Sprint(i), 100)), c.do("GET", fmt.Sprint("key", i)))
	}
}

// TestHelloOfNobody: HELLO authenticates, and tells nobody else anything.
func TestHelloOfNobody(t *testing.T) {
	users, err := ParseUsers([]byte("user a on >secret ~* +@all"))
	require.NoError(t, err)
	_, addr := serve(t, func(c *Config) { c.Users = func() (*Users, error) { return users, nil } })
	c := dial(t, addr)
	require.Contains(t, c.do("HELLO", "3"), "NOAUTH HELLO must be called")
	require.Contains(t, c.do("HELLO", "3", "AUTH", "a", "wrong"), "WRONGPASS")
	require.Contains(t, c.do("MULTI"), "NOAUTH")
	require.Contains(t, c.do("HELLO", "3", "AUTH", "a", "secret"), "\"proto\"")
	require.Equal(t, "(null)", c.do("GET", "k"))
	require.Equal(t, "RESET", c.do("RESET"))
	require.Contains(t, c.do("GET", "k"), "NOAUTH")
}

// TestTransactionRightsTaken: EXEC executes nothing that the user may not do any more.
func TestTransactionRightsTaken(t *testing.T) {
	rules := "user default on nopass ~* +@all"
	var s *Server
	_, addr := serveWith(t, func(c *Config) {
		c.Users = func() (*Users, error) { return ParseUsers([]byte(rules)) }
	}, func(x *Server) { s = x })
	c := dial(t, addr)
	require.Equal(t, "OK", c.do("MULTI"))
	require.Equal(t, "QUEUED", c.do("SET", "k", "v"))
	rules = "user default on nopass ~* +@all -set"
	require.NoError(t, s.Reload())
	require.Contains(t, c.do("EXEC"), "EXECABORT")
	require.Equal(t, "(nil)", c.do("GET", "k"))
}
