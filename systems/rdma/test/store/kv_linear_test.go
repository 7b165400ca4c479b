package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// input is a command on one key: SET with a value that no other has, or GET.
type input struct {
	key, value string
	set        bool
}

// output is what it returned.
type output struct {
	value   string // of GET
	unknown bool   // nobody knows whether it happened
}

// oneKey is the model of a key: a string, empty if there is none.
var oneKey = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		keys := map[string][]porcupine.Operation{}
		for _, o := range history {
			keys[o.Input.(input).key] = append(keys[o.Input.(input).key], o)
		}
		var parts [][]porcupine.Operation
		for _, p := range keys {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, in, out any) (bool, any) {
		if i := in.(input); i.set {
			return true, i.value
		}
		return out.(output).value == state.(string), state
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

// history is what clients have seen.
type history struct {
	start time.Time
	done  atomic.Int64 // operations that have succeeded

	mu  sync.Mutex
	ops []porcupine.Operation
}

// do sends one command to a server and notes what came of it.
func (h *history) do(ctx context.Context, client int, c *redis.Client, in input) {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	op := porcupine.Operation{ClientId: client, Input: in, Call: int64(time.Since(h.start))}
	var out output
	var err error
	if in.set {
		err = c.Set(ctx, in.key, in.value, 0).Err()
	} else if out.value, err = c.Get(ctx, in.key).Result(); errors.Is(err, redis.Nil) {
		err = nil
	}
	op.Return = int64(time.Since(h.start))
	switch {
	case err == nil:
		h.done.Add(1)
	case !in.set, store.Refused(err):
		return // nothing was learnt, or done
	default:
		out.unknown = true
	}
	op.Output = out
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, op)
}

// known is the history without writes whose outcome is unknown: those whose value
// somebody has read have happened by then, and those whose value nobody has read may
// as well happen after everything else.
func (h *history) known(t *testing.T) []porcupine.Operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	read := map[string]int64{} // when a read that returned a value had ended
	for _, o := range h.ops {
		if in, out := o.Input.(input), o.Output.(output); !in.set && out.value != "" {
			if end, ok := read[out.value]; !ok || o.Return < end {
				read[out.value] = o.Return
			}
		}
	}
	var ops []porcupine.Operation
	happened, never := 0, 0
	for _, o := range h.ops {
		if o.Output.(output).unknown {
			end, ok := read[o.Input.(input).value]
			if !ok {
				never++
				continue
			}
			o.Return = end
			happened++
		}
		ops = append(ops, o)
	}
	t.Logf("%d operations; of those whose outcome was unknown %d happened, and %d were never seen", len(ops), happened, never)
	return ops
}

// Clients talk to all servers while leaders are stopped for a while, which do not know
// that others lead meanwhile, and killed. What they see is linearizable.
func TestStoreLinearizable(t *testing.T) {
	long.Test(t)
	s := startKV(t, 3, "--timeout", "500ms")
	s.leader()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	h := &history{start: time.Now()}
	var wg sync.WaitGroup
	const clients, keys = 6, 4
	for i := range clients {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() {
			at := 0
			for n := 0; ctx.Err() == nil; n++ {
				in := input{key: fmt.Sprint("k", rng.IntN(keys))}
				if rng.IntN(2) == 0 {
					in.set, in.value = true, fmt.Sprintf("%d.%d", i, n)
				}
				// Mostly where it worked; often elsewhere, where a stale answer may be had.
				if before := h.done.Load(); rng.IntN(8) == 0 || before == 0 {
					at = rng.IntN(s.Servers())
				}
				h.do(s.ctx, i, s.clients[at], in)
			}
		})
	}
	// progress waits for n operations more.
	progress := func(n int64) {
		t.Helper()
		want := h.done.Load() + n
		require.Eventually(t, func() bool { return h.done.Load() >= want }, time.Minute, 10*time.Millisecond, "clients are served")
	}
	for range 3 {
		s.whole() // one at a time may be away
		progress(150)
		stopped := s.leader()
		require.NoError(t, s.Pause(stopped))
		progress(150)
		require.NoError(t, s.Resume(stopped))
		s.whole()
		progress(150)
		killed := s.leader()
		s.Kill(killed)
		progress(150)
		require.NoError(t, s.Restart(killed))
	}
	s.whole()
	progress(150)
	stop()
	wg.Wait()
	ops := h.known(t)
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(oneKey, ops, time.Minute))
	require.NoError(t, s.Equal(s.ctx))
}
