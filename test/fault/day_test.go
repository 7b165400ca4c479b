package fault

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/internal/seed"
	"github.com/p4ce/p4ce/lab/impair"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

var (
	dayOps   = flag.Int64("day-ops", 600_000, "operations of TestDayInTheLife")
	dayEvery = flag.Duration("day-every", 1500*time.Millisecond, "pause between its faults")
	daySeed  = flag.Uint64("day-seed", 0, "seed of its faults")
)

// Operations of one pipeline, and how many tokens a list takes before the next one is
// begun.
const (
	dayBatch = 64
	dayList  = 256
)

var errUnanswered = errors.New("no answer")

// dayClient writes keys that nobody else writes, and knows what must be in them:
//
//	counter  INCR: each answer is more than the one before, and no more than what has
//	         not been answered explains
//	lists    APPEND of numbered tokens: those that were answered are there once, in
//	         order; the others once or not at all
//	cells    SET of numbers: what is read is the last one that was answered, or one that
//	         was not
type dayClient struct {
	*store.Store
	ctx     context.Context
	id      int
	at      int
	servers []*redis.Client
	ops     *atomic.Int64
	trouble bool // in the last pipeline

	count    int64 // the last answer
	unknown  int64 // increments since the first that may have happened, and have not been seen
	acked    int64 // increments
	list     int
	tokens   []token
	cells    [8]cell
	sequence int64
}

type token struct {
	text    string
	unknown bool
}

type cell struct {
	set     bool
	last    string
	unknown map[string]bool
}

func (c *dayClient) key(kind string, n int) string { return fmt.Sprintf("day%d:%s%d", c.id, kind, n) }

// run works until the operations are done.
func (c *dayClient) run(total int64) error {
	for c.ctx.Err() == nil && c.ops.Load() < total {
		if err := c.batch(); err != nil {
			return fmt.Errorf("client %d: %w", c.id, err)
		}
		if len(c.tokens) >= dayList {
			if err := c.checkList(); err != nil {
				return fmt.Errorf("client %d: %w", c.id, err)
			}
		}
	}
	return c.ctx.Err()
}

// batch sends one pipeline and takes in the answers.
func (c *dayClient) batch() error {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	if c.trouble {
		// Whatever is sent to a server that is not there has an unknown outcome: the
		// fewer, the sharper the checks.
		if err := c.servers[c.at].Ping(ctx).Err(); err != nil {
			c.at = (c.at + 1) % len(c.servers)
			time.Sleep(thinking)
			return c.ctx.Err()
		}
	}
	pipe := c.servers[c.at].Pipeline()
	var after []func(error) error
	for range dayBatch {
		switch rand.N(8) {
		case 0:
			c.sequence++
			text := fmt.Sprintf("%d,", c.sequence)
			pipe.Append(ctx, c.key("list", c.list), text)
			after = append(after, func(err error) error {
				if err == nil || !store.Refused(err) {
					c.tokens = append(c.tokens, token{text, err != nil})
				}
				return nil
			})
		case 1, 2:
			n := rand.N(len(c.cells))
			c.sequence++
			text := strconv.FormatInt(c.sequence, 10)
			pipe.Set(ctx, c.key("cell", n), text, 0)
			after = append(after, func(err error) error {
				c.cells[n].wrote(text, err)
				return nil
			})
		case 3:
			n := rand.N(len(c.cells))
			cmd := pipe.Get(ctx, c.key("cell", n))
			after = append(after, func(err error) error {
				if err != nil && !errors.Is(err, redis.Nil) {
					return nil
				}
				return c.cells[n].check(c.key("cell", n), cmd.Val(), err == nil)
			})
		default:
			cmd := pipe.Incr(ctx, c.key("counter", 0))
			after = append(after, func(err error) error { return c.counted(cmd.Val(), err) })
		}
	}
	// A pipeline whose connection is not even made leaves its commands without an error.
	cmds := pipe.Cmds()
	for _, cmd := range cmds {
		cmd.SetErr(errUnanswered)
	}
	_, _ = pipe.Exec(ctx)
	trouble := false
	for i, cmd := range cmds {
		err := cmd.Err()
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if err != nil && !errors.Is(err, redis.Nil) {
			trouble = true
			if !store.Refused(err) && !isUnknown(err) {
				return err
			}
		} else {
			c.ops.Add(1)
		}
		if err := after[i](err); err != nil {
			return err
		}
	}
	if c.trouble = trouble; trouble {
		c.at = (c.at + 1) % len(c.servers)
		time.Sleep(thinking) // not to ask in a tight loop
	}
	return nil
}

// counted takes in the answer to an increment.
func (c *dayClient) counted(n int64, err error) error {
	switch {
	case err != nil && store.Refused(err):
		return nil
	case err != nil:
		c.unknown++
		return nil
	case n <= c.count:
		return fmt.Errorf("lost: the counter is %d and was %d", n, c.count)
	case n > c.count+c.unknown+1:
		return fmt.Errorf("doubled: the counter is %d and was %d; %d increments may have happened besides", n, c.count, c.unknown)
	}
	c.unknown -= n - c.count - 1
	c.count = n
	c.acked++
	return nil
}

func (c *cell) wrote(text string, err error) {
	switch {
	case err == nil:
		c.last, c.set = text, true
	case !store.Refused(err):
		if c.unknown == nil {
			c.unknown = map[string]bool{}
		}
		c.unknown[text] = true
	}
}

func (c *cell) check(key, text string, there bool) error {
	if there && (c.unknown[text] || c.set && c.last == text) || !there && !c.set {
		return nil
	}
	return fmt.Errorf("lost: %s is %q (there: %v), last written %q", key, text, there, c.last)
}

// read reads a key, whoever leads.
func (c *dayClient) read(key string) (string, error) {
	for c.ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(c.ctx, patience)
		text, err := c.servers[c.at].Get(ctx, key).Result()
		cancel()
		if err == nil || errors.Is(err, redis.Nil) {
			return text, nil
		}
		c.at = (c.at + 1) % len(c.servers)
		time.Sleep(thinking)
	}
	return "", c.ctx.Err()
}

// checkList looks at the list and begins the next one. What has not been answered may
// still arrive there: nobody looks again.
func (c *dayClient) checkList() error {
	key := c.key("list", c.list)
	text, err := c.read(key)
	if err != nil {
		return err
	}
	if err := checkTokens(key, text, c.tokens); err != nil {
		return err
	}
	c.list, c.tokens = c.list+1, c.tokens[:0]
	return nil
}

// checkTokens compares what is in a list with what was appended.
func checkTokens(key, text string, tokens []token) error {
	count, at := map[string]int{}, map[string]int{}
	for i, s := range strings.SplitAfter(text, ",") {
		count[s]++
		at[s] = i
	}
	last := -1
	for _, k := range tokens {
		switch n := count[k.text]; {
		case n > 1:
			return fmt.Errorf("doubled: %s has %d times %q", key, n, k.text)
		case n == 0 && !k.unknown:
			return fmt.Errorf("lost: %s has no %q", key, k.text)
		case !k.unknown && at[k.text] < last:
			return fmt.Errorf("order: %s has %q before what was answered earlier", key, k.text)
		case !k.unknown:
			last = at[k.text]
		}
	}
	return nil
}

// checkAll looks at everything once more, at the end.
func (c *dayClient) checkAll() error {
	if err := c.checkList(); err != nil {
		return err
	}
	text, err := c.read(c.key("counter", 0))
	if err != nil {
		return err
	}
	if n, _ := strconv.ParseInt(text, 10, 64); n < c.count || n > c.count+c.unknown {
		return fmt.Errorf("the counter ends at %q: answered up to %d, %d more may have happened", text, c.count, c.unknown)
	}
	for i := range c.cells {
		text, err := c.read(c.key("cell", i))
		if err != nil {
			return err
		}
		if err := c.cells[i].check(c.key("cell", i), text, text != ""); err != nil {
			return err
		}
	}
	return nil
}

// dayFault is something that happens and passes.
type dayFault struct {
	name string
	run  func(r *run, rng *rand.Rand) error
}

// hold is how long what passes by itself lasts.
func hold(rng *rand.Rand) { time.Sleep(time.Duration(100+rng.IntN(400)) * time.Millisecond) }

var dayFaults = []dayFault{
	{"leader killed", func(r *run, rng *rand.Rand) error { return r.killFor(r.leader(), rng) }},
	{"server killed", func(r *run, rng *rand.Rand) error { return r.killFor(rng.IntN(r.Servers()), rng) }},
	{"leader paused", func(r *run, rng *rand.Rand) error {
		l := r.leader()
		err := r.Pause(l)
		hold(rng)
		return errors.Join(err, r.Resume(l))
	}},
	{"server paused", func(r *run, rng *rand.Rand) error {
		i := rng.IntN(r.Servers())
		err := r.Pause(i)
		hold(rng)
		return errors.Join(err, r.Resume(i))
	}},
	{"agent killed", func(r *run, rng *rand.Rand) error {
		r.KillAgent()
		hold(rng)
		return r.RestartAgent(r.ctx)
	}},
	{"controller killed", func(r *run, rng *rand.Rand) error {
		r.KillController()
		hold(rng)
		return r.RestartController(r.ctx)
	}},
	{"switch down", func(r *run, rng *rand.Rand) error {
		err := r.SwitchDown()
		hold(rng)
		return errors.Join(err, r.SwitchUp())
	}},
	{"switch replaced", func(r *run, rng *rand.Rand) error {
		err := r.Detach(r.ctx)
		hold(rng)
		return errors.Join(err, r.RestartAgent(r.ctx))
	}},
	{"link down", func(r *run, rng *rand.Rand) error {
		i, route := rng.IntN(r.Servers()), store.Route(rng.IntN(2))
		err := r.LinkDown(i, route)
		hold(rng)
		return errors.Join(err, r.LinkUp(i, route))
	}},
	{"bad link", func(r *run, rng *rand.Rand) error {
		bad, err := r.Impair(rng.IntN(r.Servers()), store.First, impair.Rates{Loss: 0.02, Duplicate: 0.05, Reorder: 0.02, Corrupt: 0.02})
		if err != nil {
			return err
		}
		hold(rng)
		return bad.Close()
	}},
}

// killFor kills a server for a while.
func (r *run) killFor(i int, rng *rand.Rand) error {
	r.Kill(i)
	hold(rng)
	return r.Restart(i)
}

// A store serves a day's work while something breaks every few seconds: no write is
// lost or happens twice, and all servers end with the same bytes.
func TestDayInTheLife(t *testing.T) {
	seed := seed.Of(t, "day-seed", *daySeed)
	rng := rand.New(rand.NewPCG(seed, 0))
	limit := 2*time.Minute + time.Duration(*dayOps)*time.Millisecond
	r := open(t, 3, true, limit, overSockets...)
	started := time.Now()
	var ops atomic.Int64
	work, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	list := make([]*dayClient, clients)
	for id := range list {
		c := &dayClient{Store: r.Store, ctx: work, id: id, at: id % r.Servers(), ops: &ops}
		list[id] = c
		for i := range r.Servers() {
			c.servers = append(c.servers, r.Client(i))
			defer c.servers[i].Close()
		}
		wg.Go(func() {
			if err := c.run(*dayOps); err != nil {
				cancel(err)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	faults := map[string]int{}
	finished := func() bool {
		select {
		case <-done:
			return true
		case <-time.After(*dayEvery):
			return false
		}
	}
	// Every kind once, in some order, then again.
	for n := 0; !finished(); n++ {
		if n%len(dayFaults) == 0 {
			rng.Shuffle(len(dayFaults), func(i, j int) { dayFaults[i], dayFaults[j] = dayFaults[j], dayFaults[i] })
		}
		f := dayFaults[n%len(dayFaults)]
		before := ops.Load()
		require.NoError(t, f.run(r, rng), f.name)
		faults[f.name]++
		// It goes on, and a server that was away is a member again before the next.
		require.Eventually(t, func() bool {
			return ops.Load() >= min(*dayOps, before+dayBatch) || work.Err() != nil
		}, time.Minute, 5*time.Millisecond, "after %s the store does not go on", f.name)
		r.whole()
		s := time.Since(started).Seconds()
		t.Logf("%8.1f s %10d operations, %6.0f/s; %s", s, ops.Load(), float64(ops.Load())/s, f.name)
	}
	require.NoError(t, context.Cause(work))
	require.NotEmpty(t, faults)
	var acked, unknown int64
	for _, c := range list {
		c.ctx = r.ctx
		require.NoError(t, c.checkAll())
		acked, unknown = acked+c.acked, unknown+c.unknown
	}
	r.equal()
	t.Logf("%d operations in %v; %d increments answered, %d never heard of; faults: %v", ops.Load(), time.Since(started).Round(time.Second), acked, unknown, faults)
}
