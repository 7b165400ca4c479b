package kv

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"

	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

const testUsers = `
# people
user alice on >wonder ~app:* ~shared +@read +@write
user bob on #%x allkeys +@read -mget
user ops on >op allkeys +@all
user late off >late allkeys +@all
`

func testUserFile() string { return fmt.Sprintf(testUsers, sha256.Sum256([]byte("build"))) }

func users(text string) func() (*Users, error) {
	return func() (*Users, error) { return ParseUsers([]byte(text)) }
}

// TestUsers: who may do what, and that what is refused has not been done.
func TestUsers(t *testing.T) {
	log, addr := serve(t, func(c *Config) { c.Users = users(testUserFile()) })
	const (
		noAuth = "(error) NOAUTH Authentication required."
		wrong  = "(error) WRONGPASS invalid username-password pair or user is disabled."
		noKey  = "(error) NOPERM No permissions to access a key"
	)
	may := func(user, command string) string {
		return "(error) NOPERM User " + user + " has no permissions to run the '" + command + "' command"
	}
	for _, c := range []struct{ user, password, command, want string }{
		{"", "", "PING", noAuth},
		{"", "", "GET app:1", noAuth},
		{"", "", "SET app:1 x", noAuth},
		{"", "", "NONSENSE", noAuth},
		{"", "", "CLUSTER MEMBERS", noAuth},
		{"", "", "ACL WHOAMI", noAuth},
		{"", "", "QUIT", "OK"},
		{"", "", "AUTH wonder", wrong},
		{"alice", "", "PING", noAuth},
		{"alice", "build", "PING", noAuth},
		{"nobody", "wonder", "PING", noAuth},
		{"late", "late", "PING", noAuth},
		{"alice", "wonder", "PING", "PONG"},
		{"alice", "wonder", "ACL WHOAMI", `"alice"`},
		{"alice", "wonder", "SET app:1 x", "OK"},
		{"alice", "wonder", "SET app:1", "(error) ERR wrong number of arguments for 'set' command"},
		{"alice", "wonder", "SET other x", noKey},
		{"alice", "wonder", "MSET app:1 x other y shared z", noKey},
		{"alice", "wonder", "MSET app:1 x shared z", "OK"},
		{"alice", "wonder", "DEL app:2 other", noKey},
		{"alice", "wonder", "GET other", noKey},
		{"alice", "wonder", "MGET app:1 shared", "1) \"x\"\n2) \"z\""},
		{"alice", "wonder", "CLUSTER MEMBERS", may("alice", "cluster")},
		{"alice", "wonder", "CONFIG GET *", may("alice", "config")},
		{"alice", "wonder", "CLIENT LIST", may("alice", "client|list")},
		{"alice", "wonder", "CLIENT KILL 1.2.3.4:5", may("alice", "client|kill")},
		{"alice", "wonder", "CLIENT GETNAME", "(nil)"},
		{"alice", "wonder", "ACL LIST", may("alice", "acl")},
		{"alice", "wonder", "ACL LOAD", may("alice", "acl")},
		{"alice", "wonder", "INFO server", may("alice", "info")},
		{"alice", "wonder", "NONSENSE", "(error) ERR unknown command 'NONSENSE', with args beginning with: "},
		{"bob", "build", "GET other", "(nil)"},
		{"bob", "build", "MGET other", may("bob", "mget")},
		{"bob", "build", "SET app:1 y", may("bob", "set")},
		{"ops", "op", "CLUSTER MEMBERS", "(error) ERR this server has no cluster to change"},
		{"ops", "op", "ACL USERS", "1) \"alice\"\n2) \"bob\"\n3) \"late\"\n4) \"ops\""},
		{"ops", "op", "ACL CAT transaction", "1) \"discard\"\n2) \"exec\"\n3) \"multi\"\n4) \"unwatch\"\n5) \"watch\""},
		{"ops", "op", "SET other secret", "OK"},
		{"alice", "wonder", "SCAN 0 MATCH *h* COUNT 100", "1) \"0\"\n2) 1) \"shared\""},
		{"ops", "op", "DBSIZE", "(integer) 3"},
	} {
		t.Run(c.user+"/"+c.command, func(t *testing.T) {
			nc := dial(t, addr)
			if c.user != "" {
				nc.do("AUTH", c.user, c.password)
			}
			require.Equal(t, c.want, nc.do(strings.Fields(c.command)...))
		})
	}
	records := len(log.records)
	// In one pipeline: each request is that of who the connection is then.
	c := dial(t, addr)
	c.send([]string{"SET", "app:1", "a"}, []string{"AUTH", "alice", "wonder"}, []string{"SET", "app:1", "b"}, []string{"AUTH", "bob", "build"}, []string{"SET", "app:1", "c"}, []string{"GET", "app:1"})
	for _, want := range []string{noAuth, "OK", "OK", "OK", may("bob", "set"), `"b"`} {
		require.Equal(t, want, c.reply())
	}
	require.Len(t, log.records, records+1)
	// A failed AUTH leaves the connection what it was; ten of them end it.
	for i := range maxDenied {
		require.Equal(t, wrong, c.do("AUTH", "alice", "x"))
		if i < maxDenied-1 {
			require.Equal(t, `"bob"`, c.do("ACL", "WHOAMI"))
		}
	}
	_, err := c.r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	// Without users there is nothing to say.
	_, open := serve(t, nil)
	c = dial(t, open)
	require.Contains(t, c.do("AUTH", "x"), "ERR AUTH <password> called without any password configured")
	require.Equal(t, `"default"`, c.do("ACL", "WHOAMI"))
	require.Equal(t, `1) "user default on nopass ~* +@all"`, c.do("ACL", "LIST"))
}

// TestDefaultUser: who says nothing is the default user, if that needs no password.
func TestDefaultUser(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.Users = users("user default on nopass ~public:* +@read") })
	c := dial(t, addr)
	require.Equal(t, "(nil)", c.do("GET", "public:1"))
	require.Equal(t, "(error) NOPERM No permissions to access a key", c.do("GET", "private"))
	_, addr = serve(t, func(c *Config) { c.Users = users("user default on >pass allkeys +@all") })
	c = dial(t, addr)
	require.Contains(t, c.do("GET", "k"), "NOAUTH")
	require.Equal(t, "OK", c.do("AUTH", "pass"))
	require.Equal(t, "(nil)", c.do("GET", "k"))
	// go-redis, as it comes.
	r := redis.NewClient(&redis.Options{Addr: addr, Password: "pass", MaxRetries: -1})
	defer r.Close()
	require.NoError(t, r.Set(t.Context(), "k", "v", 0).Err())
	r = redis.NewClient(&redis.Options{Addr: addr, Password: "wrong", MaxRetries: -1})
	defer r.Close()
	require.ErrorContains(t, r.Set(t.Context(), "k", "v", 0).Err(), "WRONGPASS")
}

// TestReload: users that are read again hold for connections that there are.
func TestReload(t *testing.T) {
	var text atomic.Value
	text.Store("user a on >1 ~* +@all\nuser b on >2 ~* +@all\nuser c on >3 ~* +@all")
	_, addr := serve(t, func(c *Config) { c.Users = func() (*Users, error) { return users(text.Load().(string))() } })
	conns := map[string]*conn{}
	for user, password := range map[string]string{"a": "1", "b": "2", "c": "3"} {
		conns[user] = dial(t, addr)
		require.Equal(t, "OK", conns[user].do("AUTH", user, password))
	}
	text.Store("user a on >1 ~* +@all\nuser b on >2 ~* +@read\nuser c on >4 ~* +@all\nnonsense")
	require.Equal(t, "(error) ERR users, line 4: want user NAME RULES", conns["a"].do("ACL", "LOAD"))
	require.Equal(t, "OK", conns["b"].do("SET", "k", "v"), "nothing has changed")
	text.Store("user a on >1 ~* +@all\nuser b on >2 ~* +@read\nuser c on >4 ~* +@all")
	require.Equal(t, "OK", conns["a"].do("ACL", "LOAD"))
	require.Contains(t, conns["b"].do("SET", "k", "v"), "NOPERM")
	require.Equal(t, `"v"`, conns["b"].do("GET", "k"))
	require.Contains(t, conns["c"].do("GET", "k"), "NOAUTH user c is gone, or has another password")
	_, err := conns["c"].r.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	text.Store("user a on >1 ~* +@all")
	require.Equal(t, "OK", conns["a"].do("ACL", "LOAD"))
	require.Contains(t, conns["b"].do("GET", "k"), "NOAUTH")
	require.Equal(t, "PONG", conns["a"].do("PING"))
}

// TestStrict: what nobody may send is short.
func TestStrict(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.Users = users(testUserFile()) })
	for name, send := range map[string]string{
		"arguments": "*11\r\n$4\r\nPING\r\n", "argument": "*2\r\n$3\r\nGET\r\n$100000\r\n", "all": "*10\r\n" + strings.Repeat("$4000\r\n"+strings.Repeat("x", 4000)+"\r\n", 9),
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, addr)
			_, err := io.WriteString(c, send)
			require.NoError(t, err)
			require.Contains(t, c.reply(), "ERR Protocol error: ")
		})
	}
	// A long one behind AUTH, all at once.
	c := dial(t, addr)
	c.send([]string{"AUTH", "alice", "wonder"}, []string{"SET", "app:1", strings.Repeat("x", 100000)}, []string{"GET", "app:2"})
	require.Equal(t, "OK", c.reply())
	require.Equal(t, "OK", c.reply())
	require.Equal(t, "(nil)", c.reply())
}

// TestHTTP: what a browser was made to send is not executed.
func TestHTTP(t *testing.T) {
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: x\r\n\r\nSET k evil\r\n", "post / HTTP/1.1\r\n\r\nSET k evil\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\nSET k evil\r\n",
		"PUT / HTTP/1.1\r\nHOST:x\r\n\r\nSET k evil\r\n", "PUT / HTTP/1.1\r\nhost: x\r\n\r\nSET k evil\r\n",
	} {
		log, addr := serve(t, nil)
		c := dial(t, addr)
		_, err := io.WriteString(c, request)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, c.r)
		require.True(t, err == nil || errors.Is(err, io.EOF) || strings.Contains(err.Error(), "reset"), err)
		require.Empty(t, log.records, request)
	}
}

// TestGarbage: connections of those who are nobody send whatever there is, and stay. Nothing of it is done, there are no more of
// them than may be, who is somebody is served, and when they have gone nothing is left of them.
func TestGarbage(t *testing.T) {
	const most, limit = 50, 8 << 20
	log, addr := serve(t, func(c *Config) {
		c.Users, c.MaxClients, c.ClientMemory, c.MaxRecord = users(testUserFile()), most, limit, 1<<20
	})
	random := mathrand.New(mathrand.NewPCG(3, 4))
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	good := dial(t, addr)
	require.Equal(t, "OK", good.do("AUTH", "ops", "op"))
	clients := func() (connected, used int) {
		info := good.do("INFO", "clients")
		for name, to := range map[string]*int{"connected_clients": &connected, "client_memory": &used} {
			_, err := fmt.Sscanf(info[strings.Index(info, name+":"):], name+":%d", to)
			require.NoError(t, err)
		}
		return connected, used
	}
	begun := len(log.records)
	var all []*conn
	for n := range 20 * most {
		c := dial(t, addr)
		all = append(all, c)
		_, _ = io.WriteString(c, []string{ // it may be ended already
			string(noise), "*3\r\n$3\r\nSE", strings.Repeat("SET k evil\r\nFLUSHALL\r\n", 20), "*2\r\n$4\r\nAUTH\r\n$536870912\r\n" + string(noise),
			"POST / HTTP/1.1\r\nHost: x\r\n\r\nSET k evil\r\n", "AUTH guess\r\n", "", "*1000000000\r\n", "\r\n\r\n\x00",
		}[n%9])
		if n%most == 0 {
			require.Equal(t, "OK", good.do("SET", "app:1", fmt.Sprint(n)))
			connected, used := clients()
			require.LessOrEqual(t, connected, most)
			require.LessOrEqual(t, used, limit)
		}
	}
	require.Len(t, log.records, begun+20, "nobody but one has written")
	for _, c := range all {
		c.Close()
	}
	require.Eventually(t, func() bool { n, _ := clients(); return n == 1 }, 20*time.Second, time.Millisecond)
}

// TestLogOfStrangers: what strangers do wrong is counted each time, and logged ever less often.
func TestLogOfStrangers(t *testing.T) {
	var log bytes.Buffer // which the handler guards
	reg := prometheus.NewRegistry()
	_, addr := serve(t, func(c *Config) {
		c.Users, c.Metrics, c.Logger = users(testUserFile()), reg, slog.New(slog.NewTextHandler(&log, nil))
	})
	const connections = 30
	for range connections {
		for _, text := range []string{"POST / HTTP/1.1\r\n\r\n", strings.Repeat("AUTH guess\r\n", maxDenied)} {
			c := dial(t, addr)
			_, err := io.WriteString(c, text)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, c.r) // until the server has ended it
		}
	}
	families, err := reg.Gather()
	require.NoError(t, err)
	counted := map[string]float64{}
	for _, f := range families {
		if c := f.GetMetric()[0].GetCounter(); c != nil {
			counted[f.GetName()] = c.GetValue()
		}
	}
	require.Equal(t, float64(connections), counted["p4ce_kv_http_total"])
	require.Equal(t, float64(connections*maxDenied), counted["p4ce_kv_auth_failures_total"])
	require.Equal(t, 5, strings.Count(log.String(), "speaks HTTP"), "1, 2, 4, 8, 16")
	require.Equal(t, 9, strings.Count(log.String(), "wrong name or password"), "up to 256")
}

// TestMemory: clients that send much and end nothing, and such as take no replies, have no more
// memory than there is for all; who has little goes on.
func TestMemory(t *testing.T) {
	const limit = 4 << 20
	reg := prometheus.NewRegistry()
	_, addr := serve(t, func(c *Config) { c.ClientMemory = limit; c.MaxRecord = 1 << 20; c.Metrics = reg })
	evicted := func() float64 {
		families, err := reg.Gather()
		require.NoError(t, err)
		for _, f := range families {
			if f.GetName() == "p4ce_kv_connections_evicted_total" {
				return f.GetMetric()[0].GetCounter().GetValue()
			}
		}
		require.Fail(t, "no metric")
		return 0
	}

	good := dial(t, addr)
	require.Equal(t, "OK", good.do("SET", "k", strings.Repeat("x", 500<<10)))
	used := func() (n int) {
		info := good.do("INFO", "clients")
		_, err := fmt.Sscanf(info[strings.Index(info, "client_memory:"):], "client_memory:%d", &n)
		require.NoError(t, err)
		return n
	}
	ended := make(chan bool, 100)
	var all []*conn
	for range 20 {
		c := dial(t, addr)
		all = append(all, c)
		_, err := io.WriteString(c, "*3\r\n$3\r\nSET\r\n$1\r\nz\r\n$1000000\r\n"+strings.Repeat("x", 900000))
		if err != nil {
			ended <- true
			continue
		}
		go func() {
			_, _ = io.Copy(io.Discard, c.r)
			ended <- true
		}()
	}
	// Each has two buffers of a mebibyte: no more than two of them fit.
	for range 17 {
		<-ended
	}
	require.Equal(t, "PONG", good.do("PING"))
	for _, c := range all {
		c.Close()
	}
	require.Eventually(t, func() bool { return used() < 1<<20 }, 10*time.Second, time.Millisecond, "nothing is left of them")
	before := evicted()
	require.GreaterOrEqual(t, before, 17.0)
	for range 20 {
		c := dial(t, addr)
		_, _ = io.WriteString(c, strings.Repeat("GET k\r\n", 40)) // it may have been ended already
	}
	require.Eventually(t, func() bool {
		n := used()
		return n <= limit && n > 0 && evicted() > before
	}, 10*time.Second, 10*time.Millisecond)
	require.Equal(t, "PONG", good.do("PING"))
}

// TestLongAndShort: nothing is lost when buffers of long requests are given up.
func TestLongAndShort(t *testing.T) {
	_, addr := serve(t, nil)
	c := dial(t, addr)
	random := mathrand.New(mathrand.NewPCG(1, 2))
	var all []byte
	const n = 300
	for i := range n {
		size := random.IntN(100)
		if random.IntN(8) == 0 {
			size = 200<<10 + random.IntN(400<<10)
		}
		all = redcon.AppendArray(all, 3)
		for _, a := range []string{"SET", "k", fmt.Sprint(i, strings.Repeat("x", size))} {
			all = redcon.AppendBulkString(all, a)
		}
		all = redcon.AppendArray(all, 2)
		all = redcon.AppendBulkString(redcon.AppendBulkString(all, "GET"), "k")
	}
	go func() {
		for len(all) > 0 {
			n := min(len(all), 1+random.IntN(300<<10))
			_, _ = c.Write(all[:n])
			all = all[n:]
		}
	}()
	for i := range n {
		require.Equal(t, "OK", c.reply())
		require.Regexp(t, fmt.Sprintf(`^"%dx*"$`, i), c.reply())
	}
}

// TestRoom: when there are too many connections, one of nobody makes room.
func TestRoom(t *testing.T) {
	_, addr := serve(t, func(c *Config) { c.Users = users(testUserFile()); c.MaxClients = 3 })
	known := dial(t, addr)
	require.Equal(t, "OK", known.do("AUTH", "ops", "op"))
	var silent []*conn
	for range 5 {
		c := dial(t, addr)
		require.Contains(t, c.do("PING"), "NOAUTH") // it is there
		silent = append(silent, c)
	}
	for _, c := range silent[:3] {
		_, err := c.r.ReadByte()
		require.Error(t, err)
	}
	require.Equal(t, "OK", silent[3].do("AUTH", "ops", "op"))
	require.Equal(t, "OK", silent[4].do("AUTH", "ops", "op"))
	require.Equal(t, "PONG", known.do("PING"))
	require.Contains(t, dial(t, addr).reply(), "max number of clients reached", "all are somebody")
}

// TestRoomOfAnonymous: whoever is the default user without a password keeps nobody out who has one.
func TestRoomOfAnonymous(t *testing.T) {
	const most = 40
	var server *Server
	_, addr := serveWith(t, func(c *Config) {
		c.Users = users(testUserFile() + "user default on nopass ~public:* +@read\n")
		c.MaxClients = most
	}, func(s *Server) { server = s })
	ops := dial(t, addr)
	require.Equal(t, "OK", ops.do("AUTH", "ops", "op"))
	worker := dial(t, addr)
	var idle []*conn
	for i := range most + most/2 {
		c := dial(t, addr)
		if i%2 == 0 {
			require.Equal(t, "OK", c.do("AUTH", "any password is right"))
		}
		require.Equal(t, "(nil)", c.do("GET", "public:x"))
		require.Equal(t, "PONG", ops.do("PING"))
		require.Equal(t, "PONG", worker.do("PING"), "it is anonymous, and has work")
		idle = append(idle, c)
	}
	late := dial(t, addr)
	require.Equal(t, "OK", late.do("AUTH", "alice", "wonder"))
	require.Equal(t, "OK", late.do("SET", "app:1", "v"))
	require.Equal(t, uint64(most/2+3), server.evicted.Load(), "as many as came too many")
	require.Equal(t, "(nil)", idle[len(idle)-1].do("GET", "public:x"))

	// When all have shown who they are nobody makes room for a stranger.
	for range most - 2 {
		c := dial(t, addr)
		require.Equal(t, "OK", c.do("AUTH", "alice", "wonder"))
	}
	require.Contains(t, dial(t, addr).reply(), "max number of clients reached")
}

// TestRoomWithoutUsers: where nobody can show who he is, who has been silent for long makes room for who comes.
func TestRoomWithoutUsers(t *testing.T) {
	var server *Server
	_, addr := serveWith(t, func(c *Config) { c.MaxClients = 2 }, func(s *Server) { server = s })
	a, b := dial(t, addr), dial(t, addr)
	require.Equal(t, "PONG", a.do("PING"))
	require.Equal(t, "PONG", b.do("PING"))
	require.Contains(t, dial(t, addr).reply(), "max number of clients reached")
	server.mu.Lock()
	for c := range server.clients {
		if c.conn.RemoteAddr().String() == a.LocalAddr().String() {
			c.mu.Lock()
			c.active = c.active.Add(-authTime)
			c.mu.Unlock()
		}
	}
	server.mu.Unlock()
	require.Equal(t, "PONG", dial(t, addr).do("PING"))
	require.Equal(t, "PONG", b.do("PING"))
	_, err := a.r.ReadByte()
	require.Error(t, err)
}

// TestTLS: with certificates of clients, which say who they are.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	settings, err := ca.Issue("server").Server(nil)
	require.NoError(t, err)
	_, addr := serve(t, func(c *Config) {
		c.Users = users(testUserFile())
		c.TLS = settings
	})
	try := func(config *tls.Config) error {
		r := redis.NewClient(&redis.Options{Addr: addr, TLSConfig: config, MaxRetries: -1})
		defer r.Close()
		return r.Set(t.Context(), "app:1", "v", 0).Err()
	}
	client := func(f certs.Files, believes *certstest.Authority) *tls.Config {
		f.CA = believes.File()
		c, err := f.Client(nil, "server")
		require.NoError(t, err)
		return c
	}
	require.NoError(t, try(client(ca.Issue("alice"), ca)))
	require.ErrorContains(t, try(client(ca.Issue("bob"), ca)), "NOPERM User bob")
	require.ErrorContains(t, try(client(ca.Issue("stranger"), ca)), "NOAUTH")
	require.ErrorContains(t, try(client(ca.Issue("late"), ca)), "NOAUTH", "off")
	require.ErrorContains(t, try(client(certs.Files{}, ca)), "certificate required")
	require.Error(t, try(client(other.Issue("alice"), ca)))
	require.ErrorContains(t, try(client(ca.Issue("alice"), other)), "unknown authority")
	// No TLS is no way in.
	r := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialTimeout: time.Second, ReadTimeout: time.Second})
	defer r.Close()
	require.Error(t, r.Ping(context.Background()).Err())
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, "PING\r\n")
	require.NoError(t, err)
	answer, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, "-ERR this port speaks TLS (redis-cli --tls)\r\n", string(answer))
}

func TestParseUsersErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "users: none given",
		"# nobody\n\n":     "users: none given",
		"alice on":         "users, line 1: want user NAME RULES",
		"user":             "users, line 1: want user NAME RULES",
		"user a\nuser a":   "users, line 2: user a is given twice",
		"user a #12":       "users, line 1: user a: rule 1: want a SHA-256 after #: 64 hex digits",
		"user a on +@nice": "rule 2: +@nice: unknown category [categories: admin, all, connection, dangerous, read, transaction, write]",
		"user a +lpush":    "+lpush: unknown command",
		"user a +":         "+: unknown command",
		"user a %R~x":      "%... is a rule of Redis that is not supported",
		"user a (":         "(... is a rule of Redis that is not supported",
		"user a please":    `unknown rule "please"`,
		"user a " + strings.Repeat("x", maxUserLine): "users, line 1: ",
	} {
		_, err := ParseUsers([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	u, err := ParseUsers([]byte("user a on >secret ~x* +@all\nuser b reset resetchannels sanitize-payload allkeys allcommands -@admin resetkeys"))
	require.NoError(t, err)
	require.NotContains(t, strings.Join(u.list(), "\n"), "secret")
	again, err := ParseUsers([]byte(strings.Join(u.list(), "\n")))
	require.NoError(t, err)
	require.Equal(t, u.byName, again.byName, "ACL LIST can be a file")
	_, err = ParseUsers([]byte("user a on !secret"))
	require.NotContains(t, err.Error(), "secret")
}

func FuzzParseUsers(f *testing.F) {
	f.Add([]byte(testUserFile()))
	f.Add([]byte("user default on nopass ~* +@all -get"))
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := ParseUsers(b)
		if err != nil {
			return
		}
		again, err := ParseUsers([]byte(strings.Join(u.list(), "\n")))
		require.NoError(t, err)
		require.Equal(t, u.list(), again.list())
	})
}
