package fault

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	onepipelab "github.com/p4ce/p4ce/systems/onepipe/lab"
	onepipestore "github.com/p4ce/p4ce/systems/onepipe/lab/store"
	"github.com/p4ce/p4ce/systems/onepipe/lab/store/traffic"
)

// shardsRun is servers of shards under test, with clients whose transactions are judged.
type shardsRun struct {
	*onepipestore.Store
	t       *testing.T
	ctx     context.Context
	clients *traffic.Traffic
}

func startTransactions(t *testing.T, bad map[string]network.Rates) *shardsRun {
	t.Helper()
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	log := &lab.Log{}
	n, err := onepipelab.Start(ctx, onepipelab.Options{Dir: t.TempDir(), Binary: binary, Target: "xdp", Log: log, Bad: bad})
	r := &shardsRun{t: t, ctx: ctx}
	t.Cleanup(func() {
		if r.clients != nil {
			_, _ = r.clients.Stop()
		}
		if r.Store != nil {
			r.Store.Close()
		}
		if n != nil {
			n.Close()
		}
		cancel()
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	require.NoError(t, err)
	r.Store, err = onepipestore.StartShards(n, "--timeout", "2s", "--beacon-interval", "500us")
	r.ok(err)
	r.ok(traffic.Everywhere(ctx, r.Store))
	r.clients = traffic.Start(ctx, r.Store)
	r.progress()
	return r
}

func (r *shardsRun) ok(err error) {
	r.t.Helper()
	require.NoError(r.t, err)
}

func (r *shardsRun) progress() {
	r.t.Helper()
	r.ok(r.clients.Progress(r.ctx, 200))
}

// absent waits until a server does not find these shards.
func (r *shardsRun) absent(server int, shards string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		info, err := r.Server(server).Info("shards")
		return err == nil && info["absent"] == shards
	}, time.Minute, 5*time.Millisecond, "server %d: %s", server, shards)
}

// finish waits until all servers execute transactions on all shards, ends the clients, and judges what they have seen.
func (r *shardsRun) finish() {
	r.t.Helper()
	r.ok(traffic.Everywhere(r.ctx, r.Store))
	r.progress()
	c, err := r.clients.Stop()
	r.t.Logf("%+v", c)
	r.ok(err)
	require.Positive(r.t, c.Writes)
	require.Positive(r.t, c.Wide)
	require.Greater(r.t, c.Done, c.Writes)
}

func TestTransactionsNoFault(t *testing.T) { startTransactions(t, nil).finish() }

// Servers are killed with transactions under way: one, then two together. Transactions on the other shards go on. What was not
// done left no trace, and a shard that is back has no keys.
func TestTransactionsServersKilled(t *testing.T) {
	r := startTransactions(t, nil)
	kill := func(others int, absent string, list ...int) {
		t.Helper()
		for _, i := range list {
			r.Server(i).Proc.Kill()
		}
		for _, i := range list {
			<-r.Server(i).Proc.Done()
		}
		r.absent(others, absent)
		r.progress()
		for _, i := range list {
			r.ok(r.Restart(i))
		}
		r.ok(traffic.Everywhere(r.ctx, r.Store))
		r.progress()
	}
	kill(1, "[h1]", 0)
	kill(0, "[h2 h4]", 1, 3)
	r.finish()
}

// A server is killed and started again before its silence is noticed.
func TestTransactionsServerRestarts(t *testing.T) {
	r := startTransactions(t, nil)
	for range 3 {
		r.Server(2).Proc.Kill()
		<-r.Server(2).Proc.Done()
		r.ok(r.Restart(2))
		r.ok(traffic.Everywhere(r.ctx, r.Store))
		r.progress()
	}
	r.finish()
}

// A leaf dies, and the shards below it with it. When it is back, their servers join again by themselves.
func TestTransactionsLeafKilled(t *testing.T) {
	r := startTransactions(t, nil)
	r.Kill("leaf2")
	r.absent(0, "[h3 h4]")
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "leaf2"))
	r.finish()
}

// The spine dies: the part of the network with the most hosts goes on, the other one joins again when the spine is back.
func TestTransactionsSpineKilled(t *testing.T) {
	r := startTransactions(t, nil)
	r.Kill("spine")
	r.absent(0, "[h3 h4]")
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "spine"))
	r.finish()
}

// A host's cable is cut, and mended: its shard has failed, and joins again by itself, without keys.
func TestTransactionsHostCut(t *testing.T) {
	r := startTransactions(t, nil)
	r.ok(r.SetPort("leaf1", "h1", false))
	r.absent(1, "[h1]")
	r.progress()
	r.ok(r.SetPort("leaf1", "h1", true))
	r.finish()
}

// The controller is killed, a server dies meanwhile, and the next controller takes it out.
func TestTransactionsControllerKilled(t *testing.T) {
	r := startTransactions(t, nil)
	r.Controller().Kill()
	<-r.Controller().Done()
	r.progress()
	r.Server(2).Proc.Kill()
	<-r.Server(2).Proc.Done()
	r.ok(r.LaunchController(runner.Controller))
	r.absent(0, "[h3]")
	r.progress()
	r.ok(r.Restart(2))
	r.finish()
}

// A server is stopped for longer than the others wait: it has failed, and joins again when it goes on. Its shard, which is
// still in its memory, has no keys then.
func TestTransactionsServerPaused(t *testing.T) {
	r := startTransactions(t, nil)
	r.ok(r.Server(1).Proc.Pause())
	r.absent(0, "[h2]")
	r.progress()
	r.ok(r.Server(1).Proc.Resume())
	r.finish()
}

// Links lose, double and damage packets.
func TestTransactionsBadLinks(t *testing.T) {
	bad := network.Rates{Loss: 0.02, Duplicate: 0.1, Corrupt: 0.02}
	links := []string{"leaf1-h1", "leaf1-spine", "leaf2-h4"}
	rates := map[string]network.Rates{}
	for _, l := range links {
		rates[l] = bad
	}
	r := startTransactions(t, rates)
	r.progress()
	for _, l := range links {
		b := r.BadLink(l)
		require.Positive(t, b.Lost.Load(), l)
		require.Positive(t, b.Duplicated.Load(), l)
		require.Positive(t, b.Corrupted.Load(), l)
		b.Mend()
	}
	r.finish()
}
