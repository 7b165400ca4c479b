package test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/history"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/lab"
	"github.com/p4ce/p4ce/systems/amcast/store"
)

// partitions are the groups of the lab's network.
var partitions = store.Partitions{1, 2, 3}

// clients run transactions on all hosts, and keep what they have seen.
type clients struct {
	t       *testing.T
	mu      sync.Mutex
	list    []history.Txn
	last    time.Time // a transaction has ended
	gap     time.Duration
	enough  chan struct{} // so many have ended
	ends    int
	running sync.WaitGroup
}

// run has a client on each host run transactions, until ctx ends or the host does.
func (c *clients) run(ctx context.Context, hosts map[string]*amcast.Host) {
	c.last = time.Now()
	for name, h := range hosts {
		c.running.Go(func() {
			r := rand.New(rand.NewPCG(uint64(name[1]), 5))
			for i := 0; ctx.Err() == nil; i++ {
				if !c.one(ctx, fmt.Sprintf("%s.%d", name, i), h, r) {
					return
				}
			}
		})
	}
}

// one runs a transaction, and says whether its host goes on.
func (c *clients) one(ctx context.Context, name string, h *amcast.Host, r *rand.Rand) bool {
	x := history.Txn{Name: name, Begin: time.Now().UnixNano()}
	var ops []store.Op
	for _, k := range r.Perm(8)[:1+r.IntN(3)] {
		o, seen := store.Op{Key: fmt.Sprint("k", k), Write: r.IntN(2) == 0}, history.Op{Key: fmt.Sprint("k", k)}
		if o.Write {
			o.Value, seen.Wrote = []byte(name), name
		}
		ops, x.Ops = append(ops, o), append(x.Ops, seen)
	}
	results, err := partitions.Do(ctx, h, ops...)
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.list = append(c.list, x) }()
	if err != nil { // the host has ended, or the test: what became of the transaction is unknown
		if !errors.Is(err, context.Canceled) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, amcast.ErrEnded) && !errors.Is(err, context.DeadlineExceeded) {
			c.t.Errorf("%s: %v", name, err)
		}
		return false
	}
	x.Fate, x.End = history.Done, time.Now().UnixNano()
	for i, res := range results {
		x.Ops[i].Saw = string(res.Value)
	}
	c.gap = max(c.gap, time.Since(c.last))
	c.last = time.Now()
	if c.ends++; c.ends%300 == 0 {
		select {
		case c.enough <- struct{}{}:
		default:
		}
	}
	return true
}

// more waits until some hundred more transactions have ended.
func (c *clients) more(ctx context.Context) {
	c.t.Helper()
	for range 2 { // the first may have ended before
		select {
		case <-c.enough:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			c.t.Fatalf("%d transactions have ended, and no more do", c.ends)
		}
	}
}

// TestStore: transactions over three partitions are serializable, as their clients see it, while the switch that leads two
// partitions dies, one that leads the third forgets everything, a host dies, and the controller. No partition stands still.
func TestStore(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		for _, f := range []struct {
			what string
			do   func(ctx context.Context, n *lab.Network)
		}{
			{"nothing", func(context.Context, *lab.Network) {}},
			{"leader", func(_ context.Context, n *lab.Network) { n.Kill("leaf2") }},
			{"follower", func(_ context.Context, n *lab.Network) { n.Kill("spine1") }},
			{"host", func(_ context.Context, n *lab.Network) { n.KillHost("h5") }},
			{"controller", func(ctx context.Context, n *lab.Network) {
				n.Controller().Kill()
				require.NoError(t, n.StartController(ctx))
			}},
		} {
			t.Run(f.what, func(t *testing.T) {
				needs.Time(t, "stores run for seconds")
				ctx, n, hosts := start(t, o)
				for _, g := range n.Config().Groups {
					for _, r := range g.Replicas {
						go func() { _ = store.Serve(ctx, hosts[r], store.NewPartition(g.Number, partitions), nil) }()
					}
				}
				c := &clients{t: t, enough: make(chan struct{}, 1)}
				run, stop := context.WithCancel(ctx)
				c.run(run, hosts)
				c.more(ctx)
				f.do(ctx, n)
				if f.what == "leader" { // its hosts are behind it
					for _, h := range []string{"h4", "h5", "h6"} {
						n.KillHost(h)
					}
				}
				c.more(ctx)
				stop()
				c.running.Wait()
				err := history.Check(c.list)
				var cycle *history.Cycle
				if errors.As(err, &cycle) && cycle.Real {
					err = nil // real time is the order within a partition only
				}
				require.NoError(t, err)
				t.Logf("%d transactions; the longest time without one that ended: %v", c.ends, c.gap)
			})
		}
	})
}
