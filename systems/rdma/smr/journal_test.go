package smr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// loses makes a state machine forget what was not synced, as a loss of power does.
func (s *sum) loses() *sum {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &sum{synced: s.synced}
	if s.synced != nil {
		if err := json.Unmarshal(s.synced, r); err != nil {
			panic(err)
		}
	}
	return r
}

// kill ends a node as a loss of power does.
func (c *nodes) kill(i int) {
	require.NoError(c.t, c.nodes[i].Close())
	c.nodes[i] = nil
	c.machines[i] = c.machines[i].loses()
}

func newJournaled(t *testing.T, n int) *nodes {
	dir := t.TempDir()
	return newNodes(t, n, func(c *nodes, cfg *Config) {
		cfg.Journal = filepath.Join(dir, fmt.Sprint(cfg.ID))
		cfg.SyncEvery = time.Hour // the journal alone has it
	})
}

// TestNodeJournal: what was reported survives when all lose power at once, and when one
// machine is lost and another server starts again.
func TestNodeJournal(t *testing.T) {
	c := newJournaled(t, 3)
	for i := range 100 {
		c.propose(fmt.Sprint("value", i))
	}
	for i := range c.nodes {
		c.kill(i)
	}
	for i := range c.nodes {
		c.start(i)
	}
	c.propose("one")
	require.Equal(t, uint64(101), c.machines[c.leader()].count())

	// One machine is lost for good, and the others go on; then the leader starts again.
	lost := (c.leader() + 1) % 3
	c.kill(lost)
	c.propose("two")
	again := c.leader()
	c.kill(again)
	c.start(again)
	c.propose("three")
	require.Equal(t, uint64(103), c.machines[c.leader()].count())
}

// TestNodeCarries: servers that go on without a journal have everything that was reported
// with one; then it is gone, and what comes later survives by the memory of a majority.
func TestNodeCarries(t *testing.T) {
	dir := t.TempDir()
	journaled := true
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		if cfg.Carry = filepath.Join(dir, fmt.Sprint(cfg.ID)); journaled {
			cfg.Journal, cfg.Carry = cfg.Carry, ""
		}
		cfg.SyncEvery = time.Hour
	})
	for i := range 100 {
		c.propose(fmt.Sprint("value", i))
	}
	for i := range c.nodes {
		c.kill(i)
	}
	journaled = false
	// One of them does it twice.
	c.start(1)
	require.NoError(t, c.nodes[1].Close())
	for i := range c.nodes {
		c.start(i)
	}
	c.propose("one")
	require.Equal(t, uint64(101), c.machines[c.leader()].count())
	for i := range c.nodes {
		require.Eventually(t, func() bool { return c.nodes[i].Status().State == mu.Full }, 20*time.Second, 10*time.Millisecond)
		require.NoError(t, c.nodes[i].Close())
		require.NoDirExists(t, filepath.Join(dir, fmt.Sprint(i)))
	}
}

// TestNodeWithoutJournal shows the difference: two of three servers lose their memory,
// and the third is gone.
func TestNodeWithoutJournal(t *testing.T) {
	c := newNodes(t, 3, nil)
	c.propose("one")
	lost := (c.leader() + 1) % 3
	c.kill(lost)
	c.propose("two")
	again := c.leader()
	c.kill(again)
	c.start(again)
	// It is recovering, and there is no majority that could bring it up to date.
	require.Never(t, func() bool { return c.nodes[again].Status().State == mu.Full }, 500*time.Millisecond, 10*time.Millisecond)
}

// TestNodeJournalOfAnother: a journal belongs to one server; one whose state is older
// than the journal reaches back is refused; servers with and without do not connect.
func TestNodeJournalOfAnother(t *testing.T) {
	c := newJournaled(t, 1)
	c.propose("one")
	c.propose("two") // whose entry says that the first is decided
	c.kill(0)
	open := func(change func(*Config)) error {
		was := c.change
		defer func() { c.change = was }()
		cfg := c.config(0)
		change(&cfg)
		n, err := Open(cfg)
		if err == nil {
			require.NoError(t, n.Close())
		}
		return err
	}
	require.ErrorContains(t, open(func(cfg *Config) { cfg.Cluster++ }), "the journal belongs to another server")
	require.ErrorContains(t, open(func(cfg *Config) { cfg.LogSize *= 2 }), "the journal belongs to another server")
	require.NoError(t, open(func(*Config) {})) // syncs, and trims

	c.machines[0] = &sum{}
	require.ErrorContains(t, open(func(*Config) {}), "the state was lost or is an old copy")
	require.NoError(t, os.RemoveAll(c.config(0).Journal))
	require.NoError(t, open(func(*Config) {}))
}

func (s *sum) count() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Count
}

// Sync implements replicated.StateMachine.
func (s *sum) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := json.Marshal(s)
	s.synced = bytes.Clone(b)
	return err
}

// TestForceNewCluster: two of three servers are lost for good; the third goes on alone
// with what it has, and takes new servers.
func TestForceNewCluster(t *testing.T) {
	for _, journaled := range []bool{true, false} {
		t.Run(fmt.Sprintf("journal %v", journaled), func(t *testing.T) {
			dir := t.TempDir()
			cluster := uint64(42)
			c := newNodes(t, 3, func(_ *nodes, cfg *Config) {
				cfg.Cluster = cluster
				if journaled {
					cfg.Journal = filepath.Join(dir, fmt.Sprint(cluster, "-", cfg.ID))
				}
				cfg.SyncEvery = time.Hour
			})
			for i := range 20 {
				c.propose(fmt.Sprint("value", i))
			}
			kept := c.leader()
			c.equal()
			if n := c.nodes[kept]; journaled { // what a majority has on disk need not be on this one's
				require.Eventually(t, func() bool {
					var applied uint64
					n.look(func() { applied = n.position })
					return n.journal.End() >= applied
				}, 20*time.Second, time.Millisecond)
			}
			require.NoError(t, c.nodes[kept].Close())
			if journaled {
				c.machines[kept] = c.machines[kept].loses()
			}
			for i := range c.nodes {
				if i != kept {
					require.NoError(t, c.nodes[i].Close())
					c.machines[i] = &sum{}
				}
				c.nodes[i] = nil
			}
			_, err := ForceNewCluster(c.config(kept), Member{ID: mu.ID(kept)})
			require.ErrorContains(t, err, "has no address")
			empty := c.config(kept)
			empty.Machine, empty.Journal = &sum{}, ""
			_, err = ForceNewCluster(empty, c.members[kept])
			require.ErrorContains(t, err, "this server's disk is empty")
			records, err := ForceNewCluster(c.config(kept), c.members[kept])
			require.NoError(t, err)
			require.Equal(t, uint64(20), records)

			cluster = 43
			members := c.members
			c.members = nil // those who are new wait to be added
			for i := range c.nodes {
				c.start(i)
			}
			c.propose("alone")
			require.Equal(t, uint64(21), c.machines[kept].count())
			for i := range members {
				if i == kept {
					continue
				}
				require.Eventually(t, func() bool {
					return c.nodes[c.leader()].AddServer(hosttest.Context(t), members[i]) == nil
				}, 20*time.Second, 10*time.Millisecond) // after a change the leader begins a new term
			}
			c.propose("together")
			c.equal()
		})
	}
}

// said is what servers have logged.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *said) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.b.String(), text)
}

// TestNodeGoneBack: a server whose folder was put back from a copy comes back as one that has
// forgotten, and says so; one whose folder was not does not.
func TestNodeGoneBack(t *testing.T) {
	dir := t.TempDir()
	var log said
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		cfg.Journal = filepath.Join(dir, fmt.Sprint(cfg.ID))
		cfg.SyncEvery = time.Hour
		cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	full := func(i int) {
		require.Eventually(t, func() bool { return c.nodes[i].Status().State == mu.Full }, 20*time.Second, 10*time.Millisecond)
	}
	for i := range c.nodes {
		full(i)
	}
	c.propose("one")
	back := (c.leader() + 1) % 3
	c.kill(back)
	folder, aside := filepath.Join(dir, fmt.Sprint(back)), filepath.Join(dir, "aside")
	require.NoError(t, os.CopyFS(aside, os.DirFS(folder)))
	c.start(back)
	for i := range 20 {
		c.propose(fmt.Sprint("more", i))
	}
	c.equal()
	require.False(t, log.has("gone back"))
	// Somebody must have seen it farther than the copy is: what nobody has read does not count, and need not come back.
	other := (back + 1) % 3
	require.Eventually(t, func() bool {
		head := c.nodes[other].Status().Position
		return slices.ContainsFunc(c.nodes[other].Peers(), func(p mu.PeerStatus) bool { return p.ID == mu.ID(back) && p.Kept >= head })
	}, 20*time.Second, 10*time.Millisecond)
	c.kill(back)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.CopyFS(folder, os.DirFS(aside)))
	c.start(back)
	require.Eventually(t, func() bool { return log.has("has gone back in time: server") }, 20*time.Second, 10*time.Millisecond)
	c.propose("again")
	c.equal()
	full(back)
}
