// Package traffic is clients of servers of shards (p4ce shard), whose history is judged: whether there is an order of all
// transactions that explains what they have seen.
//
//	client -- MULTI, SHARD k, GET k, SET k v, EXEC --> server
//	          history.Txn: {k of that shard's process, saw, wrote}
//
// Half of the clients choose their keys uniformly, the others by a zipf law. Half of the transactions only read. A key of a
// shard that has failed and come back is another key: SHARD says, in the same transaction, which process has it.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/p4ce/p4ce/internal/history"
)

// Servers are those of the shards.
type Servers interface {
	Servers() int
	Client(i int) *redis.Client
}

const (
	clients  = 8
	keys     = 48
	most     = 4 // keys of a transaction
	thinking = 2 * time.Millisecond
	// patience is how long a client waits for an answer: longer than a server does.
	patience = 20 * time.Second
)

// Traffic is the clients.
type Traffic struct {
	s      Servers
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	start  time.Time
	done   atomic.Int64

	mu     sync.Mutex
	list   []record
	counts Counts
	failed error
}

// Counts says how transactions have ended. Writes and Wide are those of Done that write, and that had several shards.
type Counts struct{ Done, Writes, Wide, NotDone, Partly, Unknown int }

// record is a transaction. Keys of Ops have no shard yet.
type record struct {
	history.Txn
	shards []string // by operation: the process that has executed it; nil: nobody has said
}

// Start starts the clients.
func Start(ctx context.Context, s Servers) *Traffic {
	t := &Traffic{s: s, start: time.Now()}
	t.ctx, t.cancel = context.WithCancel(ctx)
	for id := range clients {
		t.wg.Go(func() {
			c := &client{Traffic: t, id: id, r: rand.New(rand.NewPCG(uint64(id), 7)), at: id % s.Servers()}
			if id%2 == 1 {
				c.zipf = rand.NewZipf(c.r, 1.2, 1, keys-1)
			}
			for i := range s.Servers() {
				c.servers = append(c.servers, s.Client(i))
			}
			for n := 1; t.ctx.Err() == nil; n++ {
				c.transaction(n)
				time.Sleep(thinking)
			}
			for _, r := range c.servers {
				_ = r.Close()
			}
		})
	}
	return t
}

// client does one transaction after the other.
type client struct {
	*Traffic
	id, at  int
	r       *rand.Rand
	zipf    *rand.Zipf // nil: uniform
	servers []*redis.Client
}

// key chooses one that is not among those.
func (c *client) key(but []history.Op) string {
	for {
		n := c.r.Uint64N(keys)
		if c.zipf != nil {
			n = c.zipf.Uint64()
		}
		k, free := fmt.Sprint("k", n), true
		for _, o := range but {
			free = free && o.Key != k
		}
		if free {
			return k
		}
	}
}

// transaction does one, and records it.
func (c *client) transaction(n int) {
	x := record{Txn: history.Txn{Name: fmt.Sprintf("c%d.%d", c.id, n)}}
	reads := c.r.IntN(2) == 0
	for range 1 + c.r.IntN(most) {
		o := history.Op{Key: c.key(x.Ops)}
		if !reads && c.r.IntN(2) == 0 {
			o.Wrote = x.Name
		}
		x.Ops = append(x.Ops, o)
	}
	x.Begin = time.Since(c.start).Nanoseconds()
	saw, by, err := c.try(x.Ops)
	x.End = time.Since(c.start).Nanoseconds()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch said := fmt.Sprint(err); {
	case err == nil:
		x.Fate, x.shards = history.Done, by
		wide := false
		for i := range x.Ops {
			x.Ops[i].Saw = saw[i]
			wide = wide || by[i] != by[0]
		}
		c.count(&x, wide)
		c.done.Add(1)
	case notSent(err):
		c.at = c.r.IntN(len(c.servers))
		return
	case strings.HasPrefix(said, "NOTDONE "):
		x.Fate = history.NotDone
		c.counts.NotDone++
		if !strings.Contains(said, "is not there") { // another server would not find the shard, either
			c.at = c.r.IntN(len(c.servers))
		}
	case strings.HasPrefix(said, "PARTLY "):
		x.Fate = history.Done
		for i := range x.Ops {
			x.Ops[i].Blind = true
		}
		c.counts.Partly++
	case strings.HasPrefix(said, "UNKNOWN "), !isReply(err):
		c.counts.Unknown++
		c.at = c.r.IntN(len(c.servers))
	default:
		c.failed = fmt.Errorf("%s: %w", x.Name, err)
	}
	c.list = append(c.list, x)
}

func (c *client) count(x *record, wide bool) {
	c.counts.Done++
	if wide {
		c.counts.Wide++
	}
	for _, o := range x.Ops {
		if o.Wrote != "" {
			c.counts.Writes++
			return
		}
	}
}

// try executes a transaction at one server, and returns by operation what it has seen, and which process has the key.
// Clients are not stopped in the middle of one.
func (c *client) try(ops []history.Op) (saw, by []string, err error) {
	if c.r.IntN(100) == 0 {
		c.at = c.r.IntN(len(c.servers))
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	shards, gets := make([]*redis.Cmd, len(ops)), make([]*redis.StringCmd, len(ops))
	_, err = c.servers[c.at].TxPipelined(ctx, func(p redis.Pipeliner) error {
		for i, o := range ops {
			shards[i], gets[i] = p.Do(ctx, "SHARD", o.Key), p.Get(ctx, o.Key)
			if o.Wrote != "" {
				p.Set(ctx, o.Key, o.Wrote, 0)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, nil, err
	}
	for i := range ops {
		v, err := gets[i].Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, nil, err
		}
		s, err := shards[i].Text()
		if err != nil {
			return nil, nil, err
		}
		saw, by = append(saw, v), append(by, s)
	}
	return saw, by, nil
}

// notSent reports whether nobody was there to whom a transaction could be sent.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func isReply(err error) bool {
	var reply redis.Error
	return errors.As(err, &reply)
}

// Progress waits until so many more transactions are done.
func (t *Traffic) Progress(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for want := t.done.Load() + n; t.done.Load() < want; {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("transactions do not go on: %d of %d more are done: %w", n-want+t.done.Load(), n, ctx.Err())
		}
	}
	return nil
}

// Stop ends the clients, and judges what they have seen.
func (t *Traffic) Stop() (Counts, error) {
	t.cancel()
	t.wg.Wait()
	return t.counts, errors.Join(t.failed, history.Check(place(t.list)))
}

// place makes keys of different processes different ones. Of a transaction that has not said which processes it was executed
// by, others say it who have seen what it wrote. What nobody has seen is left out: nothing follows from it.
func place(list []record) (all []history.Txn) {
	at := map[string]string{} // of key and value: the process
	for _, x := range list {
		for i, o := range x.Ops {
			if x.shards != nil && o.Saw != "" {
				at[o.Key+" "+o.Saw] = x.shards[i]
			}
		}
	}
	for _, x := range list {
		t := x.Txn
		t.Ops = nil
		for i, o := range x.Ops {
			by := ""
			if x.shards != nil {
				by = x.shards[i]
			} else if o.Wrote != "" {
				by = at[o.Key+" "+o.Wrote]
			}
			if by != "" {
				o.Key += "@" + by
				t.Ops = append(t.Ops, o)
			}
		}
		all = append(all, t)
	}
	return all
}

// Everywhere waits until each server executes transactions that read and write keys of all shards.
func Everywhere(ctx context.Context, s Servers) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var names []string
	var pairs []any
	for i := range 32 { // the most that a transaction has: they are of all shards
		names, pairs = append(names, fmt.Sprint("probe", i)), append(pairs, fmt.Sprint("probe", i), "x")
	}
	for i := range s.Servers() {
		c := s.Client(i)
		defer c.Close()
		for {
			err := errors.Join(c.MSet(ctx, pairs...).Err(), c.MGet(ctx, names...).Err())
			if err == nil {
				break
			}
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				return fmt.Errorf("server %d does not execute transactions on all shards: %w", i, err)
			}
		}
	}
	return nil
}
