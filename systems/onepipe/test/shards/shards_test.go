// Package shards runs servers of shards on the order of 1Pipe: processes of the built binary, on switches in
// network namespaces (XDP) and on the interpreter.
package shards

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	labs "github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/link/sock"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
	"github.com/p4ce/p4ce/systems/onepipe/lab/store"
	"github.com/p4ce/p4ce/systems/onepipe/lab/store/traffic"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) {
	logging.Disable() // go-redis: servers that are down are expected
	os.Exit(launch.Main(m, "p4ce", &binary))
}

type run struct {
	*store.Store
	t   *testing.T
	ctx context.Context
}

func start(t *testing.T, target string) *run {
	needs.Time(t, "it builds p4ce")
	if target == "xdp" {
		needs.Root(t, "XDP and network namespaces")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	log := &labs.Log{}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	n, err := lab.Start(ctx, lab.Options{Binary: binary, Dir: t.TempDir(), Target: target, Log: log})
	require.NoError(t, err)
	t.Cleanup(n.Close)
	s, err := store.StartShards(n, "--timeout", "20s")
	require.NoError(t, err)
	t.Cleanup(s.Close)
	require.NoError(t, traffic.Everywhere(ctx, s))
	return &run{s, t, ctx}
}

// keyOf is a key of the shard of a server.
func (r *run) keyOf(server int) string {
	for i := 0; ; i++ {
		if k := fmt.Sprint("key", i); txn.ShardOf(k, r.Servers()) == server {
			return k
		}
	}
}

// What clients see of transactions on all shards, at all servers, has an order.
func TestTransactions(t *testing.T) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			r := start(t, target)
			clients := traffic.Start(r.ctx, r.Store)
			require.NoError(t, clients.Progress(r.ctx, 1000))
			c, err := clients.Stop()
			t.Logf("%+v", c)
			require.NoError(t, err)
			require.Positive(t, c.Writes)
			require.Positive(t, c.Done-c.Writes)
			require.Positive(t, c.Wide)
		})
	}
}

// A shard that has failed is not there for anybody, and its keys are gone when it is back, also when it was only cut off.
func TestShardComesBack(t *testing.T) {
	r := start(t, "xdp")
	c := r.Client(0)
	defer c.Close()
	gone, there := r.keyOf(2), r.keyOf(1)
	fails := func() {
		t.Helper()
		require.Eventually(t, func() bool {
			return strings.HasPrefix(fmt.Sprint(c.Get(r.ctx, gone).Err()), "NOTDONE no shard has executed the transaction, and none will: the shard of server h3 is not there")
		}, time.Minute, 5*time.Millisecond)
		require.ErrorContains(t, c.MSet(r.ctx, there, "2", gone, "2").Err(), "NOTDONE")
		require.Equal(t, "1", c.Get(r.ctx, there).Val(), "none of it is executed")
		require.Contains(t, r.Server(0).Health(r.ctx), "shards are not there: those of h3")
	}
	back := func(before string) string {
		t.Helper()
		require.NoError(t, traffic.Everywhere(r.ctx, r.Store))
		require.ErrorIs(t, c.Get(r.ctx, gone).Err(), redis.Nil, "its keys are gone")
		require.Equal(t, "1", c.Get(r.ctx, there).Val())
		after, err := c.Do(r.ctx, "SHARD", gone).Text()
		require.NoError(t, err)
		require.NotEqual(t, before, after, "it is another process")
		return after
	}
	set := func() string {
		t.Helper()
		require.NoError(t, c.MSet(r.ctx, there, "1", gone, "1").Err())
		at, err := c.Do(r.ctx, "SHARD", gone).Text()
		require.NoError(t, err)
		return at
	}
	at := set()
	r.Server(2).Proc.Kill()
	<-r.Server(2).Proc.Done()
	fails()
	require.NoError(t, r.Restart(2))
	back(at)

	at = set()
	require.NoError(t, r.SetPort("leaf2", "h3", false))
	fails()
	require.NoError(t, r.SetPort("leaf2", "h3", true))
	back(at)
	info, err := r.Server(2).Info("shards")
	require.NoError(t, err)
	require.Equal(t, "2", info["lives"], "this process has joined twice")
}

// The door of a server of the built binary: what it answers, whatever it is sent.
func TestDoor(t *testing.T) {
	r := start(t, "interp")
	talk := func(send string) string {
		t.Helper()
		conn, err := r.Server(3).Dial(r.ctx)
		require.NoError(t, err)
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		_, err = io.WriteString(conn, send+"\r\nQUIT\r\n")
		require.NoError(t, err)
		b, err := io.ReadAll(conn)
		require.NoError(t, err)
		return strings.TrimSuffix(string(b), "+OK\r\n")
	}
	bulk := func(args ...string) string {
		s := fmt.Sprintf("*%d\r\n", len(args))
		for _, a := range args {
			s += fmt.Sprintf("$%d\r\n%s\r\n", len(a), a)
		}
		return s
	}
	many := []string{"MGET"}
	for i := range txn.MaxOps + 1 {
		many = append(many, fmt.Sprint("k", i))
	}
	for send, want := range map[string]string{
		"PING":         "+PONG\r\n",
		"FLUSHALL":     "-ERR unknown command 'FLUSHALL', with args beginning with: \r\n",
		"GET":          "-ERR wrong number of arguments for 'get' command\r\n",
		"SET k v EX 1": "-ERR SET has no options here: want SET key value\r\n",
		bulk("SET", "k\r\nk", "v\x00\r\n") + bulk("GET", "k\r\nk"): "+OK\r\n$4\r\nv\x00\r\n\r\n",
		bulk(many...): "-ERR too many keys: a transaction has at most 32\r\n",
		bulk("SET", "k", strings.Repeat("v", txn.MaxValue+1)):   "-ERR value is too long (1025 bytes, at most 1024)\r\n",
		bulk("GET", strings.Repeat("k", txn.MaxKey+1)):          "-ERR key is too long (256 bytes, at most 255)\r\n",
		bulk("SET", "k", strings.Repeat("v", 200<<10)) + "\r\n": "-ERR Protocol error: request is too long (at most 131072 bytes)\r\n",
	} {
		require.Equal(t, want, talk(send), send[:min(len(send), 40)])
	}
	require.Equal(t, "+OK\r\n+QUEUED\r\n-ERR unknown command 'X', with args beginning with: \r\n-EXECABORT Transaction discarded because of previous errors.\r\n", talk("MULTI\r\nSET k 1\r\nX\r\nEXEC"))
	info, err := r.Server(3).Info("shards")
	require.NoError(t, err)
	require.Equal(t, []string{"h4", "[h1 h2 h3 h4]", "serves", "[]"}, []string{info["host"], info["servers"], info["state"], info["absent"]})
	require.Equal(t, "ok", r.Server(3).Health(r.ctx))
	require.Contains(t, metrics(t, r.Server(3).Place), "p4ce_onepipe_txn_joined 1\n")
	require.NoError(t, r.Server(3).Proc.Tell("quit"))
	<-r.Server(3).Proc.Done()
	require.NoError(t, r.Server(3).Proc.Err())
}

func metrics(t *testing.T, at kvserver.Place) string {
	network, address := sock.Split(at.Metrics())
	conn, err := net.Dial(network, address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /metrics HTTP/1.0\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(b)
}
