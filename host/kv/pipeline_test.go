package kv

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// toArgs words an op as a command.
func toArgs(o op) []string {
	a := []string{""}
	for _, x := range o.args {
		a = append(a, string(x))
	}
	n := strconv.FormatInt(o.n, 10)
	px := func(option string) {
		if o.flags&flagAt != 0 {
			option += "AT"
		}
		a = append(a, option, n)
	}
	name := func(s string) { a[0] = s }
	switch o.code {
	case opSet:
		name("SET")
		if o.flags&flagNX != 0 {
			a = append(a, "nx")
		}
		if o.flags&flagGet != 0 {
			a = append(a, "get")
		}
		if o.n != 0 {
			px("PX")
		}
		if o.flags&flagXX != 0 {
			a = append(a, "XX")
		}
		if o.flags&flagKeepTTL != 0 {
			a = append(a, "KeepTTL")
		}
	case opDel:
		name("del")
	case opIncr:
		name("INCRBY")
		a = append(a, n)
	case opIncrFloat:
		name("INCRBYFLOAT")
	case opAppend:
		name("append")
	case opMSet:
		name("MSET")
		if o.flags&flagNX != 0 {
			name("MSETNX")
		}
	case opExpire:
		name("PEXPIRE")
		if o.flags&flagAt != 0 {
			name("PEXPIREAT")
		}
		a = append(a, n)
		for flag, option := range map[uint8]string{flagNX: "NX", flagXX: "XX", flagGT: "GT", flagLT: "LT"} {
			if o.flags&flag != 0 {
				a = append(a, option)
			}
		}
	case opPersist:
		name("PERSIST")
	case opGetDel:
		name("GETDEL")
	case opGetEx:
		name("GETEX")
		if o.flags&flagPersist != 0 {
			a = append(a, "PERSIST")
		} else {
			px("PX")
		}
	case opSetRange:
		name("SETRANGE")
		a = []string{a[0], a[1], n, a[2]}
	case opCopy:
		switch o.flags {
		case 0:
			name("COPY")
		case flagReplace:
			name("COPY")
			a = append(a, "REPLACE")
		case flagMove:
			name("RENAMENX")
		default:
			name("RENAME")
		}
	case opFlush:
		name("FLUSHDB")
	case opRead:
		name("MGET")
	}
	return a
}

// words is the reply to an op that a model executes.
func words(m *model, o op) string {
	value := func(key []byte) string {
		if e, ok := m.get(string(key)); ok {
			return strconv.Quote(e.value)
		}
		return "(nil)"
	}
	before := ""
	if len(o.args) > 0 {
		before = value(o.args[0])
	}
	if o.code == opRead {
		var all []string
		for _, key := range o.args {
			all = append(all, value(key))
		}
		return listed(all)
	}
	r := m.op(o)
	switch {
	case r == textNoKey && o.flags&flagMove == 0 && o.code == opCopy:
		return "(integer) 0"
	case strings.HasPrefix(r, "ERR"):
		return "(error) " + r
	case o.code == opGetDel, o.code == opGetEx, o.code == opSet && o.flags&flagGet != 0:
		return before
	case o.code == opMSet && o.flags&flagNX != 0:
		return map[string]string{"OK": "(integer) 1", "(nil)": "(integer) 0"}[r]
	case o.code == opCopy && o.flags == flagMove|flagReplace:
		return "OK"
	case o.code == opIncrFloat:
		return strconv.Quote(r)
	case o.code == opSet, o.code == opMSet, o.code == opFlush:
		return r
	}
	return "(integer) " + r
}

// listed words a list of replies as redis-cli does.
func listed(items []string) string {
	for i, item := range items {
		head := fmt.Sprintf("%d) ", i+1)
		items[i] = head + strings.ReplaceAll(item, "\n", "\n"+strings.Repeat(" ", len(head)))
	}
	return strings.Join(items, "\n")
}

// Pipelines of reads and writes, in any mixture, answer as if each command came alone.
func TestPipelineModel(t *testing.T) {
	clk := &clock{}
	_, addr := serve(t, func(c *Config) { c.Clock = clk.now })
	rapid.Check(t, func(rt *rapid.T) {
		c := dial(t, addr) // without what a run that failed has left
		defer c.Close()
		clk.add(1 << 50 / 1_000_000) // long after anything could expire
		want := model{time: clk.now().UnixMilli(), keys: map[string]modelEntry{}}
		keys := []string{"", "a", "b", "c", "d", "e\x00"}
		c.do(append([]string{"del"}, keys...)...)
		for range rapid.IntRange(1, 4).Draw(rt, "pipelines") {
			want.time += rapid.Int64Range(0, 30).Draw(rt, "dt")
			clk.add(want.time - clk.now().UnixMilli())
			var requests [][]string
			var replies []string
			for range rapid.IntRange(1, 20).Draw(rt, "commands") {
				switch key := rapid.SampledFrom(keys).Draw(rt, "key"); rapid.IntRange(0, 7).Draw(rt, "what") {
				case 0, 1, 2:
					o := genOp().Draw(rt, "op")
					requests, replies = append(requests, toArgs(o)), append(replies, words(&want, o))
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
				case 7:
					requests, replies = append(requests, []string{"MULTI"}), append(replies, "OK")
					var all []string
					for range rapid.IntRange(1, 4).Draw(rt, "in it") {
						o := genOp().Filter(queues).Draw(rt, "op")
						requests, replies = append(requests, toArgs(o)), append(replies, "QUEUED")
						all = append(all, words(&want, o))
					}
					requests, replies = append(requests, []string{"EXEC"}), append(replies, listed(all))
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

// queues reports whether an op's arguments are not refused before it is queued.
func queues(o op) bool {
	if o.code != opIncrFloat {
		return true
	}
	_, ok := parseFloat(o.args[1])
	return ok
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
