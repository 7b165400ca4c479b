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
	s := func(b []byte) string { return string(b) }
	a := []string{}
	for _, x := range o.args {
		a = append(a, s(x))
	}
	switch o.code {
	case opSet:
		a = append([]string{"SET"}, a...)
		if o.flags&flagNX != 0 {
			a = append(a, "nx")
		}
		if o.n != 0 {
			a = append(a, "PX", strconv.FormatInt(o.n, 10))
		}
		if o.flags&flagXX != 0 {
			a = append(a, "XX")
		}
	case opDel:
		a = append([]string{"del"}, a...)
	case opIncr:
		a = append(append([]string{"INCRBY"}, a...), strconv.FormatInt(o.n, 10))
	case opAppend:
		a = append([]string{"append"}, a...)
	case opMSet:
		a = append([]string{"MSET"}, a...)
	case opExpire:
		a = append(append([]string{"EXPIRE"}, a...), strconv.FormatInt(o.n, 10))
	}
	return a
}

// Pipelines of reads and writes, in any mixture, answer as if each command came alone.
func TestPipelineModel(t *testing.T) {
	clk := &clock{}
	_, addr := serve(t, func(c *Config) { c.Clock = clk.now })
	c := dial(t, addr)
	rapid.Check(t, func(rt *rapid.T) {
		clk.add(1 << 50 / 1_000_000) // long after anything could expire
		c.t = t
		want := model{time: clk.now().UnixMilli(), keys: map[string]modelEntry{}}
		keys := []string{"", "a", "b", "c", "d", "e\x00"}
		c.do(append([]string{"del"}, keys...)...)
		for range rapid.IntRange(1, 4).Draw(rt, "pipelines") {
			want.time += rapid.Int64Range(0, 30).Draw(rt, "dt")
			clk.add(want.time - clk.now().UnixMilli())
			var requests [][]string
			var replies []string
			for range rapid.IntRange(1, 20).Draw(rt, "commands") {
				switch key := rapid.SampledFrom(keys).Draw(rt, "key"); rapid.IntRange(0, 6).Draw(rt, "what") {
				case 0, 1, 2:
					o := genOp().Draw(rt, "op")
					requests = append(requests, toArgs(o))
					if o.code == opExpire {
						o.n *= 1000
					}
					r := want.op(o)
					switch {
					case o.code == opSet || o.code == opMSet || strings.HasPrefix(r, "(") || strings.HasPrefix(r, "ERR"):
						replies = append(replies, strings.Replace(r, "ERR", "(error) ERR", 1))
					default:
						replies = append(replies, "(integer) "+r)
					}
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
