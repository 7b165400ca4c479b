package fault

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// input is an operation on a key, output what a client was told of it.
type (
	input struct{ op, key, arg string }

	output struct {
		value   string // GET: what was read; INCR: the number; APPEND: the length
		absent  bool   // GET: no such key
		unknown bool   // nobody told: it may have happened or not, or happen later
	}

	// value is the state of one key.
	value struct {
		text  string
		there bool
	}
)

// model says what each operation does to a key. Keys are independent.
var model = porcupine.Model{
	Partition: func(h []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string][]porcupine.Operation{}
		for _, o := range h {
			k := o.Input.(input).key
			keys[k] = append(keys[k], o)
		}
		var out [][]porcupine.Operation
		for _, list := range keys {
			out = append(out, list)
		}
		return out
	},
	Init: func() any { return value{} },
	Step: func(state, in, out any) (bool, any) {
		v, i, o := state.(value), in.(input), out.(output)
		switch i.op {
		case "GET":
			return o.absent == !v.there && o.value == v.text, v
		case "SET":
			return true, value{i.arg, true}
		case "INCR":
			n, _ := strconv.Atoi(v.text)
			next := strconv.Itoa(n + 1)
			return o.unknown || o.value == next, value{next, true}
		}
		next := v.text + i.arg // APPEND
		return o.unknown || o.value == strconv.Itoa(len(next)), value{next, true}
	},
	DescribeOperation: func(in, out any) string {
		i, o := in.(input), out.(output)
		s := strings.TrimSpace(i.op + " " + i.key + " " + i.arg)
		switch {
		case o.unknown:
			return s + " -> unknown"
		case o.absent:
			return s + " -> nil"
		}
		return s + " -> " + o.value
	},
	DescribeState: func(state any) string {
		if v := state.(value); v.there {
			return strconv.Quote(v.text)
		}
		return "nil"
	},
}

// servers are a store's.
type servers interface {
	Servers() int
	Client(i int) *redis.Client
}

// load is clients that use the store until stop.
type load struct {
	s      servers
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	start  time.Time
	done   atomic.Int64 // operations with a known outcome

	mu      sync.Mutex
	history []porcupine.Operation
	unknown int
	failed  error
}

// Clients, keys, and the pause after each operation: histories must stay small enough
// to be checked.
const (
	clients  = 6
	keys     = 8
	thinking = 2 * time.Millisecond
)

// startLoad starts the clients.
func startLoad(ctx context.Context, s servers) *load {
	l := &load{s: s, start: time.Now()}
	l.ctx, l.cancel = context.WithCancel(ctx)
	for id := range clients {
		l.wg.Go(func() {
			c := &client{load: l, id: id, at: id % s.Servers()}
			for i := range s.Servers() {
				c.servers = append(c.servers, s.Client(i))
			}
			for n := 0; l.ctx.Err() == nil; n++ {
				c.operation(n)
				time.Sleep(thinking)
			}
			for _, r := range c.servers {
				r.Close()
			}
		})
	}
	return l
}

// client does one operation after the other.
type client struct {
	*load
	id, at  int
	servers []*redis.Client
}

// operation does one operation, with whichever server takes it, and notes it.
func (c *client) operation(n int) {
	in := input{key: fmt.Sprint("n", rand.N(keys/2))}
	switch rand.N(5) {
	case 0, 1:
		in.op = "INCR"
	case 2:
		in.op = "GET"
	case 3:
		in = input{"GET", fmt.Sprint("s", rand.N(keys/2)), ""}
	default:
		in = input{"APPEND", fmt.Sprint("s", rand.N(keys/2)), fmt.Sprintf("%d.%d,", c.id, n)}
		if rand.N(4) == 0 {
			in.op = "SET"
		}
	}
	for c.ctx.Err() == nil {
		call := time.Since(c.start)
		out, err := c.try(in)
		end := time.Since(c.start)
		switch {
		case err == nil:
			c.note(in, out, call, end)
			return
		case store.Refused(err):
			// It has not happened: another server may do it.
			c.at = (c.at + 1) % len(c.servers)
			time.Sleep(thinking)
			continue
		case in.op == "GET":
			// Nobody knows, and nobody has to.
		case isUnknown(err):
			c.note(in, output{unknown: true}, call, -1)
		default:
			c.mu.Lock()
			c.failed = fmt.Errorf("%s: %w", in, err)
			c.mu.Unlock()
		}
		c.at = (c.at + 1) % len(c.servers)
		return
	}
}

func (i input) String() string { return i.op + " " + i.key + " " + i.arg }

// patience is how long a client waits for an answer: longer than a server takes to
// give up.
const patience = 4 * time.Second

// try asks one server. Clients are not stopped in the middle of an operation.
func (c *client) try(in input) (output, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := c.servers[c.at]
	switch in.op {
	case "GET":
		v, err := r.Get(ctx, in.key).Result()
		if errors.Is(err, redis.Nil) {
			return output{absent: true}, nil
		}
		return output{value: v}, err
	case "SET":
		return output{}, r.Set(ctx, in.key, in.arg, 0).Err()
	case "INCR":
		v, err := r.Incr(ctx, in.key).Result()
		return output{value: strconv.FormatInt(v, 10)}, err
	}
	v, err := r.Append(ctx, in.key, in.arg).Result()
	return output{value: strconv.FormatInt(v, 10)}, err
}

// isUnknown reports whether nobody said what became of an operation: the server did
// not know, or the connection broke, or no answer came.
func isUnknown(err error) bool {
	var broken net.Error
	return !isReply(err) || strings.HasPrefix(err.Error(), "UNKNOWN") || strings.HasPrefix(err.Error(), "TIMEOUT") || errors.As(err, &broken)
}

// isReply reports whether a server answered.
func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// note adds an operation to the history; end < 0: it has none.
func (l *load) note(in input, out output, call, end time.Duration) {
	op := porcupine.Operation{Input: in, Output: out, Call: call.Nanoseconds(), Return: math.MaxInt64}
	l.mu.Lock()
	defer l.mu.Unlock()
	if end >= 0 {
		op.Return = end.Nanoseconds()
		l.done.Add(1)
	} else {
		l.unknown++
	}
	l.history = append(l.history, op)
}

// progress waits until n more operations are done.
func (l *load) progress(t *testing.T, n int64) {
	t.Helper()
	want := l.done.Load() + n
	require.Eventually(t, func() bool { return l.done.Load() >= want }, time.Minute, 5*time.Millisecond, "the store does not go on")
}

// checkTime is how long porcupine may think.
const checkTime = time.Minute

// stop ends the clients and checks what they have seen.
func (l *load) stop(t *testing.T) {
	t.Helper()
	l.cancel()
	l.wg.Wait()
	require.NoError(t, l.failed)
	// Each operation without an end is a client of its own: no client does two things
	// at a time.
	for i := range l.history {
		l.history[i].ClientId = i
	}
	res, info := porcupine.CheckOperationsVerbose(model, l.history, checkTime)
	t.Logf("%d operations, of them %d with unknown outcome: %s", len(l.history), l.unknown, res)
	if res == porcupine.Ok {
		return
	}
	f, err := os.CreateTemp("", "p4ce-history-*.html")
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, porcupine.Visualize(model, info, f))
	t.Fatalf("history: %s; see %s", map[porcupine.CheckResult]string{
		porcupine.Illegal: "not linearizable", porcupine.Unknown: "not checked within a minute",
	}[res], f.Name())
}
