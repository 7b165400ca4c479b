package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	hostkv "github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/link/certs/certstest"
	onepipelab "github.com/p4ce/p4ce/systems/onepipe/lab"
	paxoslab "github.com/p4ce/p4ce/systems/paxos/lab"
	paxosstore "github.com/p4ce/p4ce/systems/paxos/lab/store"
)

func TestKVBadInput(t *testing.T) {
	at := " --wire unix:a,b --address 10.0.0.2 --mac 02:00:00:00:00:02 --gateway-mac 02:00:00:00:00:01 --listen 127.0.0.1:0 "
	kv := "kv --id 1 --data state" + at
	newCLI(t).check(t, []badCase{
		{"kv", 2, `required flag(s) "data" not set`},
		{"kv --data state", 2, "--id is missing: want the id of this server"},
		{"kv --id 1", 2, `required flag(s) "data" not set`},
		{"kv --id 300 --data state", 2, "out of range"},
		{"kv --id 64 --data state", 2, "--id 64: ids go from 0 to 63"},
		{"kv --id 1 --data=", 2, "--data is missing: want a folder for the state"},
		{"kv --id 1 --data state --listen 127.0.0.1:0", 2, "--interface is missing"},
		{kv + "--member nonsense", 2, `--member "nonsense": want ID=ADDRESS[:PORT][+SECOND[:PORT]][,CLIENT]`},
		{kv + "--member 99=10.0.0.2", 2, "with an ID from 0 to 63"},
		{kv + "--member 1=nonsense", 2, `"nonsense" is not an IPv4 address`},
		{kv + "--member 1=::1", 2, `"::1" is not an IPv4 address`},
		{kv + "--member 1=10.0.0.2,nonsense", 2, `"nonsense" is not HOST:PORT`},
		{kv + "--member 1=10.0.0.2 --member 1=10.0.0.3", 2, "--member: "},
		{kv + "--member 2=10.0.0.2", 2, "--id 1 is none of the --member flags"},
		{kv + "--switch nonsense", 2, `--switch "nonsense" is not an IPv4 address`},
		{kv + "--log-size 1000", 2, "--log-size: "},
		{kv + "--max-clients 0", 2, "--max-clients 0"},
		{kv + "--client-memory 1000", 2, "--client-memory 1000: at least 16777216"},
		{kv + "--users none", 1, "--users: open none: no such file"},
		{kv + "--users text", 1, "--users text: users, line 1: want user NAME RULES"},
		{kv + "--tls-cert x", 2, "--tls-cert and --tls-key: give both"},
		{kv + "--tls-ca x", 2, "--tls-ca needs --tls-cert and --tls-key"},
		{kv + "--tls-cert x --tls-key x", 1, "tls: stat x: no such file"},
		{kv + "--tls-cert text --tls-key text", 1, "tls: certificate text, key text: "},
		{kv + "--listen 0.0.0.0:0", 2, "--listen 0.0.0.0:0 can be reached from other machines, and clients need not authenticate"},
		{kv + "--listen :0", 2, "--listen :0 can be reached from other machines"},
		{kv + "--listen nonsense", 1, "choose another with --listen"},
		{kv + "--listen fd:x", 2, "not the number of an inherited socket"},
		{kv + "--listen fd:99", 1, "was a listening socket inherited under that number?"},
		{kv + "--listen unix:no-such-folder/s", 1, "listen on unix:no-such-folder/s"},
		{kv + "--metrics nonsense", 1, "choose another with --metrics"},
		{kv + "--data text", 1, "data directory text: "},
		{kv + "--data open", 1, "data directory open: open has mode 0755: other users could read or change its contents [chmod 700 open]"},
		{"demo --kv --count 5", 2, "--count is not for --kv"},
		{kv + "--host h1", 2, "--host is not for --log mu"},
		{"kv --log nonsense --data state", 2, `--log "nonsense": want mu or onepipe or paxos`},
	})
}

func TestKVPaxosBadInput(t *testing.T) {
	c := newCLI(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"net.json": fmt.Sprintf(paxoslab.Small, "."), "broken.json": "{",
		"nowhere.json": strings.Replace(fmt.Sprintf(paxoslab.Small, "."), `"h1": "unix:./h1.state"`, `"h1": "192.0.2.1:1"`, 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	kv := "kv --log paxos --host h1 --link unix:" + dir + "/a,b --data " + dir + "/state --listen 127.0.0.1:0 --deployment " + dir + "/net.json"
	c.check(t, []badCase{
		{"kv --log paxos --data state", 2, "--log paxos needs --deployment, --host and --link: --"},
		{kv + " --id 1", 2, "--id is not for --log paxos"},
		{kv + " --heartbeat 5ms", 2, "--heartbeat is not for --log paxos"},
		{kv + " --application other", 2, "--application other: does not exist in"},
		{kv + " --sync-every 0s", 2, "--sync-every 0s: above 0"},
		{strings.Replace(kv, "net.json", "none.json", 1), 2, "none.json: no such file"},
		{strings.Replace(kv, "net.json", "broken.json", 1), 2, "broken.json: "},
		{strings.Replace(kv, "net.json", "nowhere.json", 1), 1, "listen for servers that need the state: listen tcp 192.0.2.1:1: "},
		{strings.Replace(kv, "--host h1", "--host h9", 1), 2, "host h9: does not exist"},
		{strings.Replace(kv, "unix:"+dir+"/a,b", "no-such-if0", 1), 1, "--link: "},
	})
	// A folder of a store on another log is not gone on from.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "mu"), 0o700))
	m, err := hostkv.Open(hostkv.Options{Dir: filepath.Join(dir, "mu")})
	require.NoError(t, err)
	_, err = m.Apply(nil, []byte("what Mu keeps there"))
	require.NoError(t, err)
	require.NoError(t, m.Close())
	c.check(t, []badCase{{strings.Replace(kv, "/state", "/mu", 1), 1, "the stored state is not of this kind (does the state belong to another log, or to a newer version?)"}})
}

func TestKVOnepipeBadInput(t *testing.T) {
	c := newCLI(t)
	dir := t.TempDir()
	small := fmt.Sprintf(onepipelab.Small, ".")
	for name, text := range map[string]string{
		"net.json": small, "broken.json": "{",
		"stateless.json": strings.Replace(small, `, "state": "unix:./h1.state"`, "", 1),
		"nonsense.json":  strings.Replace(small, "unix:./h1.state", "nonsense", 1),
		"nowhere.json":   strings.Replace(small, "unix:./h1.state", "192.0.2.1:1", 1),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	kv := "kv --log onepipe --host h1 --link unix:" + dir + "/a,b --data " + dir + "/state --listen 127.0.0.1:0 --deployment " + dir + "/net.json"
	c.check(t, []badCase{
		{"kv --log onepipe --data state", 2, "--log onepipe needs --deployment, --host and --link: --"},
		{kv + " --id 1", 2, "--id is not for --log onepipe"},
		{kv + " --application log", 2, "--application is not for --log onepipe"},
		{kv + " --sync-every 0s", 2, "--sync-every 0s: above 0"},
		{kv + " --beacon-interval 2s", 2, "--beacon-interval 2s: want 1us to 1s"},
		{strings.Replace(kv, "net.json", "none.json", 1), 2, "none.json: no such file"},
		{strings.Replace(kv, "net.json", "broken.json", 1), 2, "broken.json: "},
		{strings.Replace(kv, "net.json", "stateless.json", 1), 2, "host h1: state is missing"},
		{strings.Replace(kv, "net.json", "nonsense.json", 1), 2, `host h1: state: "nonsense" is neither HOST:PORT nor unix:PATH`},
		{strings.Replace(kv, "net.json", "nowhere.json", 1), 1, "listen for other servers: listen tcp 192.0.2.1:1: "},
		{strings.Replace(kv, "--host h1", "--host h9", 1), 2, "host h9: does not exist"},
		{strings.Replace(kv, "unix:"+dir+"/a,b", "no-such-if0", 1), 1, "--link: "},
	})
	// A folder of a store on another log is not gone on from.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "mu"), 0o700))
	m, err := hostkv.Open(hostkv.Options{Dir: filepath.Join(dir, "mu")})
	require.NoError(t, err)
	_, err = m.Apply(nil, []byte("what Mu keeps there"))
	require.NoError(t, err)
	require.NoError(t, m.Close())
	c.check(t, []badCase{{strings.Replace(kv, "/state", "/mu", 1), 1, "the state is not that of a 1Pipe log"}})
}

// TestKVPaxos: a store whose log is in switches, here the interpreter's: each server serves, one
// that is killed goes on from its folder, and all have the same bytes.
func TestKVPaxos(t *testing.T) {
	t.Setenv(asCommand, "1")
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	log := &lab.Log{}
	defer func() {
		if t.Failed() {
			t.Log(log)
		}
	}()
	n, err := paxoslab.Start(ctx, paxoslab.Options{Binary: self, Dir: t.TempDir(), Target: "interp", Log: log})
	require.NoError(t, err)
	defer n.Close()
	s, err := paxosstore.Start(n, "--metrics", "127.0.0.1:0")
	require.NoError(t, err)
	defer s.Close()
	for i := range s.Servers() {
		require.NoError(t, s.Server(i).Proc.AwaitReady(ctx))
	}
	set := func(i int, key, value string) {
		t.Helper()
		c := s.Client(i)
		defer c.Close()
		require.NoError(t, c.Set(ctx, key, value, 0).Err())
	}
	get := func(i int, key string) string {
		t.Helper()
		c := s.Client(i)
		defer c.Close()
		v, err := c.Get(ctx, key).Result()
		require.NoError(t, err)
		return v
	}
	long := strings.Repeat("long ", 2000)
	set(0, "a", "1")
	set(1, "b", long)
	require.Equal(t, long, get(0, "b"))
	require.Equal(t, "1", get(1, "a"))
	s.Server(1).Proc.Kill()
	set(0, "a", "2")
	<-s.Server(1).Proc.Done()
	require.NoError(t, s.Restart(1))
	require.NoError(t, s.Server(1).Proc.AwaitReady(ctx))
	require.Equal(t, "2", get(1, "a"))
	require.NoError(t, s.Equal(ctx))
	info, err := s.Server(1).Info("replication")
	require.NoError(t, err)
	require.Equal(t, "paxos", info["log"])
	require.Equal(t, "master", info["role"])
	ready, err := s.Server(0).Await(ctx, 0, func(e kvserver.Event) bool { return e.Event == "ready" })
	require.NoError(t, err)
	r, err := http.Get("http://" + ready.Metrics + "/metrics")
	require.NoError(t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Regexp(t, `(?m)^p4ce_paxos_position [1-9]`, string(text))
	require.Regexp(t, `(?m)^p4ce_paxos_records_total [1-9]`, string(text))
	r, err = http.Get("http://" + ready.Metrics + "/healthz")
	require.NoError(t, err)
	defer r.Body.Close()
	require.Equal(t, http.StatusOK, r.StatusCode)
}

// TestKVAccess: a store with users and TLS, which are changed while it runs.
func TestKVAccess(t *testing.T) {
	t.Setenv(asCommand, "1")
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	log := &lab.Log{}
	defer func() {
		if t.Failed() {
			t.Log(log)
		}
	}()
	dir := t.TempDir()
	n, err := paxoslab.Start(ctx, paxoslab.Options{Binary: self, Dir: t.TempDir(), Target: "interp", Log: log})
	require.NoError(t, err)
	defer n.Close()
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	server := ca.Issue("server")
	file := filepath.Join(dir, "users")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write("user alice on >wonder ~* +@read +@write\nuser ops on >op ~* +@all\n")
	s, err := paxosstore.Start(n, "--users", file, "--tls-cert", server.Cert, "--tls-key", server.Key, "--tls-ca", server.CA)
	require.NoError(t, err)
	defer s.Close()
	for i := range s.Servers() {
		require.NoError(t, s.Server(i).Proc.AwaitReady(ctx))
	}
	client := func(a *certstest.Authority, called string) *redis.Client {
		f := a.Issue(called)
		f.CA = ca.File()
		config, err := f.Client(nil, "server")
		require.NoError(t, err)
		c := redis.NewClient(&redis.Options{
			Network: "unix", Addr: s.Server(0).Socket, TLSConfig: config, MaxRetries: -1, DialerRetries: 1, Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&tls.Dialer{Config: config}).DialContext(ctx, "unix", s.Server(0).Socket)
			},
		})
		t.Cleanup(func() { c.Close() })
		return c
	}
	alice, ops := client(ca, "alice"), client(ca, "ops")
	require.NoError(t, alice.Set(ctx, "k", "v", 0).Err())
	require.ErrorContains(t, alice.Do(ctx, "CLUSTER", "MEMBERS").Err(), "NOPERM User alice has no permissions to run the 'cluster' command")
	require.ErrorContains(t, client(ca, "stranger").Get(ctx, "k").Err(), "NOAUTH")
	require.Error(t, client(other, "alice").Get(ctx, "k").Err())
	plain := s.Client(0)
	defer plain.Close()
	require.Error(t, plain.Get(ctx, "k").Err(), "without TLS")
	// Nonsense changes nothing; then alice may read only.
	write("nonsense")
	require.NoError(t, s.Server(0).Proc.Signal(syscall.SIGHUP))
	require.ErrorContains(t, ops.Do(ctx, "ACL", "LOAD").Err(), "line 1: want user NAME RULES")
	require.NoError(t, alice.Set(ctx, "k", "w", 0).Err())
	write("user alice on >wonder ~* +@read\nuser ops on >op ~* +@all\n")
	require.NoError(t, s.Server(0).Proc.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool {
		err := alice.Set(ctx, "k", "x", 0).Err()
		return err != nil && strings.Contains(err.Error(), "NOPERM")
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, alice.Get(ctx, "k").Err())
}

// TestDemoKV runs the store without root, talks to it, has its leader killed, and
// interrupts it.
func TestDemoKV(t *testing.T) {
	long.Test(t)
	c := newUnprivilegedCLI(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
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
