package kv

import (
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/replicated"
)

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
	log.fail(&replicated.NotLeaderError{Known: true, Client: "10.0.0.2:6379"})
	require.ErrorContains(t, c.Set(ctx, "k", "v", 0).Err(), "MOVED 7629 10.0.0.2:6379")
	require.ErrorContains(t, c.DBSize(ctx).Err(), "READONLY this server is a follower; the leader serves at 10.0.0.2:6379")
}

// tool runs a program of redis-tools.
func tool(t *testing.T, name, addr string, args ...string) string {
	path := needs.Tool(t, name, "redis-tools")
	host, port, err := net.SplitHostPort(addr)
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), path, append([]string{"-h", host, "-p", port}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestRedisCLI(t *testing.T) {
	path := needs.Tool(t, "redis-cli", "redis-tools")
	_, addr := serve(t, nil)
	cli := func(args ...string) string { return strings.TrimSpace(tool(t, "redis-cli", addr, args...)) }
	require.Equal(t, "OK", cli("SET", "k", "v w"))
	require.Equal(t, "v w", cli("GET", "k"))
	require.Equal(t, "k", cli("--scan", "--pattern", "k*"))
	require.Equal(t, "PONG", cli("-3", "PING"))
	require.Equal(t, "(nil)", cli("-3", "--no-raw", "GET", "none"))
	require.Contains(t, cli("INFO", "server"), "p4ce_version:test")
	// Mass insertion.
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
	needs.Tool(t, "redis-benchmark", "redis-tools")
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
