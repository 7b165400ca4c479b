package main

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func TestKVBadInput(t *testing.T) {
	at := " --wire unix:a,b --address 10.0.0.2 --mac 02:00:00:00:00:02 --gateway-mac 02:00:00:00:00:01 --listen 127.0.0.1:0 "
	kv := "kv --id 1 --data state" + at
	newCLI(t).check(t, []badCase{
		{"kv", 2, `required flag(s) "data", "id" not set`},
		{"kv --id 1", 2, `required flag(s) "data" not set`},
		{"kv --id 300 --data state", 2, "out of range"},
		{"kv --id 64 --data state", 2, "--id 64: ids go from 0 to 63"},
		{"kv --id 1 --data=", 2, "--data FOLDER says where the state is kept"},
		{"kv --id 1 --data state --listen 127.0.0.1:0", 2, "--interface says where the server is"},
		{kv + "--member nonsense", 2, `--member "nonsense": want ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT]`},
		{kv + "--member 99=10.0.0.2", 2, "with an ID from 0 to 63"},
		{kv + "--member 1=nonsense", 2, `"nonsense" is no IPv4 address`},
		{kv + "--member 1=::1", 2, `"::1" is no IPv4 address`},
		{kv + "--member 1=10.0.0.2,nonsense", 2, `"nonsense" is not HOST:PORT`},
		{kv + "--member 1=10.0.0.2 --member 1=10.0.0.3", 2, "--member: "},
		{kv + "--member 2=10.0.0.2", 2, "--id 1 is none of the --member flags"},
		{kv + "--switch nonsense", 2, `--switch "nonsense" is no IPv4 address`},
		{kv + "--log-size 1000", 2, "--log-size: "},
		{kv + "--max-clients 0", 2, "--max-clients 0"},
		{kv + "--listen nonsense", 1, "choose another with --listen"},
		{kv + "--listen fd:x", 2, "not the number of an inherited socket"},
		{kv + "--listen fd:99", 1, "was a listening socket inherited under that number?"},
		{kv + "--listen unix:no-such-folder/s", 1, "listen on unix:no-such-folder/s"},
		{kv + "--metrics nonsense", 1, "choose another with --metrics"},
		{kv + "--data text", 1, "data directory text: "},
		{"demo --kv --count 5", 2, "--count is not for --kv"},
	})
}

// TestDemoKV runs the store without root, talks to it, has its leader killed, and
// interrupts it.
func TestDemoKV(t *testing.T) {
	c := newUnprivilegedCLI(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := c.command(ctx, "demo", "--kv")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var clients []*redis.Client
	server := regexp.MustCompile(`kill -9 (\d+) +server (\d), (127\.0\.0\.1:\d+)$`)
	text := ""
	for lines.Scan() && lines.Text() != "Ctrl-C ends it." {
		text += lines.Text() + "\n"
		if m := server.FindStringSubmatch(lines.Text()); m != nil {
			clients = append(clients, redis.NewClient(&redis.Options{Addr: m[3], MaxRetries: -1}))
		}
	}
	require.Len(t, clients, 3, "%s", text)
	// do asks the servers until one, the leader, answers.
	do := func(f func(*redis.Client) error) {
		t.Helper()
		require.Eventually(t, func() bool {
			for _, c := range clients {
				if f(c) == nil {
					return true
				}
			}
			return false
		}, time.Minute, 10*time.Millisecond)
	}
	do(func(c *redis.Client) error { return c.Set(ctx, "greeting", "hello", 0).Err() })
	// Whatever happens is said.
	said := make(chan string, 100)
	go func() {
		defer close(said)
		for lines.Scan() {
			said <- lines.Text()
		}
	}()
	leader := 0
	do(func(c *redis.Client) error {
		_, err := c.Get(ctx, "greeting").Result()
		for i := range clients {
			if err == nil && clients[i] == c {
				leader = i + 1
			}
		}
		return err
	})
	require.NoError(t, syscall.Kill(child(t, cmd.Process.Pid, fmt.Sprintf("kv --id %d", leader)), syscall.SIGKILL))
	back := fmt.Sprintf("Server %d is back", leader)
	for line := range said {
		text += line + "\n"
		if len(line) > len(back) && line[:len(back)] == back {
			break
		}
	}
	require.Contains(t, text, back)
	require.Contains(t, text, fmt.Sprintf("Server %d has ended (signal: killed).", leader))
	do(func(c *redis.Client) error {
		v, err := c.Get(ctx, "greeting").Result()
		if err == nil && v != "hello" {
			t.Errorf("greeting is %q", v)
		}
		return err
	})
	for _, c := range clients {
		c.Close()
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	for line := range said {
		text += line + "\n"
	}
	require.NoError(t, cmd.Wait(), "%s", text)
	require.Contains(t, text, "Taking everything down.\n")
	c.requireNothingLeft(t)
}
