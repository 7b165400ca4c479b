package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/kv/resp"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// shards is a store of two shards without a network between them.
type shards struct {
	c     *txn.Client
	list  []*txn.Shard
	nodes []onepipe.Process
	time  uint64
	ops   []txn.Op // of the last transaction
	fail  error
}

func newShards() *shards {
	s := &shards{nodes: []onepipe.Process{{Addr: wire.Addr{10, 0, 0, 1}, Number: 1}, {Addr: wire.Addr{10, 0, 0, 2}, Number: 3}}}
	s.c = txn.NewClient(s.nodes)
	for i := range s.nodes {
		s.list = append(s.list, txn.NewShard(i, len(s.nodes)))
	}
	return s
}

func (s *shards) Do(_ context.Context, ops ...txn.Op) (txn.Outcome, error) {
	s.ops = ops
	if s.fail != nil {
		return txn.Outcome{}, s.fail
	}
	if _, err := s.c.Begin(ops...); err != nil {
		return txn.Outcome{}, err
	}
	parts, reliable, _ := s.c.Next()
	s.c.Sent(nil)
	s.time++
	for _, p := range parts {
		for i, at := range s.nodes {
			if at == p.To {
				a, _ := s.list[i].Execute(&onepipe.Message{Time: s.time, Data: p.Data}, reliable)
				s.c.Receive(&onepipe.Message{From: at, Data: a.Data})
			}
		}
	}
	o, _ := s.c.Done()
	return o, o.Err
}

func (s *shards) Status() txn.Status {
	return txn.Status{Name: "h1", Servers: []string{"h1", "h2"}, Absent: []string{"h2"}, Address: "10.0.0.1", Process: 1, Lives: 1, Keys: 7}
}

// client is a connection to a door.
type client struct {
	h   resp.Handler
	out bytes.Buffer
}

func connect(s Store) *client {
	return &client{h: New(Config{Store: s, Timeout: time.Second, Version: "v1"}).Session()}
}

// do sends a command, and returns the reply in one line.
func (c *client) do(args ...string) string {
	var list [][]byte
	for _, a := range args {
		list = append(list, []byte(a))
	}
	c.out.Reset()
	w := resp.NewWriter(&c.out)
	c.h.Execute(context.Background(), w, list)
	for _, a := range list { // its buffer is used for the next command
		clear(a)
	}
	_ = w.Flush()
	return strings.TrimSpace(strings.ReplaceAll(c.out.String(), "\r\n", " "))
}

func (c *client) line(command string) string { return c.do(strings.Fields(command)...) }

// A session is a story: commands, and what each replies.
func TestCommands(t *testing.T) {
	c := connect(newShards())
	for _, s := range [][2]string{
		{"PING", "+PONG"}, {"ping hello", "$5 hello"}, {"echo x", "$1 x"},
		{"GET a", "$-1"}, {"SET a 1", "+OK"}, {"get a", "$1 1"},
		{"MSET a 2 b 3 a 4", "+OK"}, {"MGET a nobody b a", "*4 $1 4 $-1 $1 3 $1 4"},
		{"DEL a a nobody", ":1"}, {"GET a", "$-1"}, {"DEL a", ":0"},
		{"SHARD a", "$10 10.0.0.1/1"}, {"SHARD b", "$10 10.0.0.2/3"},
		// Of several commands.
		{"EXEC", "-ERR EXEC without MULTI"}, {"DISCARD", "-ERR DISCARD without MULTI"},
		{"MULTI", "+OK"}, {"EXEC", "*0"},
		{"MULTI", "+OK"}, {"GET b", "+QUEUED"}, {"SET b x", "+QUEUED"}, {"GET b", "+QUEUED"}, {"DEL b nobody", "+QUEUED"}, {"GET b", "+QUEUED"},
		{"MSET b y a z", "+QUEUED"}, {"MGET a b", "+QUEUED"}, {"SHARD b", "+QUEUED"},
		{"EXEC", "*8 $1 3 +OK $1 x :1 $-1 +OK *2 $1 z $1 y $10 10.0.0.2/3"}, {"MGET a b", "*2 $1 z $1 y"},
		{"MULTI", "+OK"}, {"SET a no", "+QUEUED"}, {"DISCARD", "+OK"}, {"GET a", "$1 z"},
		// What is wrong.
		{"GET", "-ERR wrong number of arguments for 'get' command"}, {"GET a b", "-ERR wrong number of arguments for 'get' command"},
		{"SET a", "-ERR wrong number of arguments for 'set' command"}, {"SET a 1 EX 9", "-ERR SET has no options here: want SET key value"},
		{"MSET a 1 b", "-ERR wrong number of arguments for 'mset' command"}, {"MSET", "-ERR wrong number of arguments for 'mset' command"},
		{"MGET", "-ERR wrong number of arguments for 'mget' command"}, {"DEL", "-ERR wrong number of arguments for 'del' command"},
		{"EXEC now", "-ERR wrong number of arguments for 'exec' command"}, {"PING a b", "-ERR wrong number of arguments for 'ping' command"},
		{"INCR a", "-ERR unknown command 'INCR', with args beginning with: 'a'"},
		{"WATCH a", "-ERR unknown command 'WATCH', with args beginning with: 'a'"},
		{"HELLO 3", "-ERR unknown command 'HELLO', with args beginning with: '3'"},
		{"", "-ERR empty command"},
		{"MULTI", "+OK"}, {"SET a no", "+QUEUED"}, {"MULTI", "-ERR MULTI calls can not be nested"},
		{"EXEC", "-EXECABORT Transaction discarded because of previous errors."}, {"GET a", "$1 z"},
		{"MULTI", "+OK"}, {"SET a no", "+QUEUED"}, {"INCR a", "-ERR unknown command 'INCR', with args beginning with: 'a'"},
		{"EXEC", "-EXECABORT Transaction discarded because of previous errors."},
		{"MULTI", "+OK"}, {"PING", "-ERR 'ping' is not for a transaction: want GET, SET, DEL, MGET, MSET or SHARD"}, {"DISCARD", "+OK"},
		{"GET a", "$1 z"},
	} {
		require.Equal(t, s[1], c.line(s[0]), s[0])
	}
	w := resp.NewWriter(&c.out)
	require.True(t, c.h.Execute(context.Background(), w, [][]byte{[]byte("QUIT")}))
}

// A transaction has limits. What is too long says so, and nothing is executed.
func TestLimits(t *testing.T) {
	s := newShards()
	c := connect(s)
	var many, pairs []string
	for i := range txn.MaxOps + 1 {
		many, pairs = append(many, fmt.Sprint("k", i)), append(pairs, fmt.Sprint("k", i), "v")
	}
	long, huge := strings.Repeat("k", txn.MaxKey+1), strings.Repeat("v", txn.MaxValue+1)
	for _, x := range []struct {
		want string
		args []string
	}{
		{"-ERR too many keys: a transaction has at most 32", append([]string{"MGET"}, many...)},
		{"-ERR too many keys: a transaction has at most 32", append([]string{"MSET"}, pairs...)},
		{"-ERR too many keys: a transaction has at most 32", append([]string{"DEL"}, many...)},
		{"-ERR key is too long (256 bytes, at most 255)", []string{"GET", long}},
		{"-ERR key is too long (256 bytes, at most 255)", []string{"MSET", "a", "1", long, "1"}},
		{"-ERR value is too long (1025 bytes, at most 1024)", []string{"SET", "a", huge}},
		{"-ERR value is too long (1025 bytes, at most 1024)", []string{"MSET", "a", "1", "b", huge}},
		{"-ERR the transaction is too long: its commands name keys more than 128 times", append([]string{"MGET"}, strings.Fields(strings.Repeat("k ", 129))...)},
	} {
		require.Equal(t, x.want, c.do(x.args...))
		require.Equal(t, "+OK", c.do("MULTI"))
		require.Equal(t, x.want, c.do(x.args...))
		require.Contains(t, c.do("EXEC"), "-EXECABORT")
	}
	require.Nil(t, s.ops)
	require.Equal(t, "+OK", c.do(append([]string{"MSET"}, pairs[:2*txn.MaxOps]...)...))
	require.Equal(t, "+OK", c.do("SET", long[1:], huge[1:]))
	require.Len(t, c.do("GET", long[1:]), txn.MaxValue+len("$1024 "))
}

// How a transaction has ended is said in the first word.
func TestErrors(t *testing.T) {
	s := newShards()
	c := connect(s)
	for _, x := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("%w: the shard of server h3 is not there", txn.ErrNotDone), "-NOTDONE no shard has executed the transaction, and none will: the shard of server h3 is not there"},
		{txn.ErrPartly, "-PARTLY all shards have executed the transaction, and one has failed that did not answer: what its keys were is unknown, and they are gone"},
		{fmt.Errorf("%w: not answered within 1s", txn.ErrUnknown), "-UNKNOWN all its shards have executed the transaction, or none, or they will: not answered within 1s"},
		{errors.New("two\r\nlines"), "-ERR two  lines"},
	} {
		s.fail = x.err
		require.Equal(t, x.want, c.line("GET a"))
		require.Equal(t, x.want, c.line("MSET a 1 b 2"))
		c.line("MULTI")
		c.line("GET a")
		require.Equal(t, x.want, c.line("EXEC"))
	}
	s.fail = nil
	require.Equal(t, "$-1", c.line("GET a"), "no transaction is open")
}

func TestInfo(t *testing.T) {
	c := connect(newShards())
	all := c.line("INFO")
	for _, want := range []string{"# Server", "p4ce_version:v1", "# Shards", "host:h1", "servers:[h1 h2]", "absent:[h2]", "process:10.0.0.1/1", "state:serves", "keys:7", "# Transactions", "not_done:0"} {
		require.Contains(t, all, want)
	}
	require.NotContains(t, c.line("INFO shards"), "# Server")
}

// command is a random one, on few keys.
func command(r *rand.Rand) (args []string) {
	key := func() string { return fmt.Sprint("k", r.IntN(4)) }
	value := func() string { return fmt.Sprint("v", r.IntN(100)) }
	switch r.IntN(5) {
	case 0:
		return []string{"GET", key()}
	case 1:
		return []string{"SET", key(), value()}
	case 2:
		args = []string{"MSET"}
		for range 1 + r.IntN(3) {
			args = append(args, key(), value())
		}
		return args
	}
	args = []string{[]string{"DEL", "MGET"}[r.IntN(2)]}
	for range 1 + r.IntN(4) {
		args = append(args, key())
	}
	return args
}

// Commands of a transaction see and do what they would by themselves, if nobody came between them, and each key has one
// operation.
func TestBatches(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		single, many := connect(newShards()), newShards()
		batches := connect(many)
		for range 10 {
			require.Equal(t, "+OK", batches.do("MULTI"))
			var want []string
			for range 1 + r.IntN(8) {
				args := command(r)
				want = append(want, single.do(args...))
				require.Equal(t, "+QUEUED", batches.do(args...))
			}
			require.Equal(t, fmt.Sprintf("*%d %s", len(want), strings.Join(want, " ")), batches.do("EXEC"), "seed %d", seed)
			require.LessOrEqual(t, len(many.ops), 4)
		}
	}
}

// Whatever is sent, each command has one reply, and the next one is understood.
func FuzzSession(f *testing.F) {
	f.Add([]byte("MULTI\nSET a 1\nDEL a b\nSHARD a\nEXEC\nINFO\n"))
	f.Add([]byte("GET\n\nMSET a\nEXEC\nDISCARD\nMULTI\nMULTI\nPING\nEXEC x\nINCR \x00\nEXEC"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := connect(newShards())
		for line := range bytes.Lines(b) {
			reply := c.line(string(line))
			require.NotEmpty(t, reply)
			require.Contains(t, "+-:$*", reply[:1])
			if n := c.out.String(); reply[0] == '-' || reply[0] == '+' || reply[0] == ':' {
				require.Equal(t, 1, strings.Count(n, "\n"), "%q: %q", line, n)
			}
		}
		c.line("DISCARD")
		require.Equal(t, "+PONG", c.line("PING"))
	})
}
