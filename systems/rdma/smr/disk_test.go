package smr

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// TestDiskStalls: a leader whose state machine stands still leads no more, says why, and the others go on without it; so
// they do without a follower. When the machine goes on, the server has all that it missed.
func TestDiskStalls(t *testing.T) {
	c := newNodes(t, 3, func(_ *nodes, cfg *Config) { cfg.DiskPatience = 100 * time.Millisecond })
	c.propose("first")
	c.equal()
	for _, who := range []struct {
		name  string
		which func() int
	}{
		{"leader", c.leader},
		{"follower", func() int { return (c.leader() + 1) % 3 }},
	} {
		t.Run(who.name, func(t *testing.T) {
			i := who.which()
			c.machines[i].mu.Lock()
			held := true
			defer func() {
				if held {
					c.machines[i].mu.Unlock()
				}
			}()
			go func() { // it may wait for the machine
				_, _ = c.nodes[i].Propose(t.Context(), []byte("waits"))
			}()
			for n := range 20 {
				if c.leader() != i {
					c.propose(fmt.Sprint(who.name, n))
				}
			}
			require.Eventually(t, func() bool {
				if l := c.leader(); l == i {
					return false
				}
				c.propose("more")
				err := c.nodes[i].Health()
				return err != nil && strings.HasPrefix(err.Error(), "the disk has not answered for") && c.nodes[i].Status().Role != mu.Leader
			}, 20*time.Second, 5*time.Millisecond)
			for n := range 20 {
				c.propose(fmt.Sprint(who.name, " away ", n))
			}
			held = false
			c.machines[i].mu.Unlock()
			require.Eventually(t, func() bool { return c.nodes[i].Health() == nil }, 20*time.Second, 5*time.Millisecond)
			c.equal()
		})
	}
}

// TestPromiseStalls: while a promise is not written, whoever asks the server how it is hears what was so before, and that
// the disk does not answer; who wants something of it is sent to others. The lock is held as long.
func TestPromiseStalls(t *testing.T) {
	reg := prometheus.NewRegistry()
	c := newNodes(t, 1, func(_ *nodes, cfg *Config) { cfg.DiskPatience, cfg.Registry = time.Second, reg })
	c.propose("first")
	n := c.nodes[c.leader()]
	was := n.Status()
	n.lock.Lock()
	n.promising.Store(&view{n.core.Status(), n.core.Peers()})
	n.promise.Begin(n.now() - time.Minute)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		assert.Equal(t, was.Term, n.Status().Term)
		assert.Empty(t, n.Peers())
		n.Leader()
		assert.ErrorContains(t, n.Health(), "the disk has not answered for 1m0s")
		var not *replicated.NotLeaderError
		_, err := n.Propose(t.Context(), []byte("x"))
		assert.ErrorAs(t, err, &not)
		_, errs := n.ProposeAll(t.Context(), [][]byte{[]byte("x"), []byte("y")})
		assert.Len(t, errs, 2)
		for _, err := range errs {
			assert.ErrorAs(t, err, &not)
		}
		assert.ErrorAs(t, n.Barrier(t.Context()), &not)
		_, err = reg.Gather()
		assert.NoError(t, err)
	}()
	select {
	case <-answered:
	case <-time.After(20 * time.Second):
		t.Error("it waits for the disk")
	}
	n.promise.End()
	n.promising.Store(nil)
	n.lock.Unlock()
	<-answered
	c.propose("second")
	require.NoError(t, n.Health())
}

// TestServes: a server that has no leader, or is not up to date, says so.
func TestServes(t *testing.T) {
	require.ErrorContains(t, serves(Status{State: mu.Full}), "no leader")
	require.ErrorContains(t, serves(Status{Known: true, State: mu.Recovering}), "being brought up to date")
	require.NoError(t, serves(Status{Known: true, State: mu.Full}))
}
