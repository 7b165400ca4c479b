package replicate

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// chain proposes the next record when one is decided.
type chain struct {
	t    *testing.T
	c    *cluster
	all  int
	over chan struct{}
	mu   sync.Mutex // guards what follows
	next int
	open int
}

func (s *chain) propose() {
	for s.next < s.all {
		ok, err := s.c.leader.TryPropose(record(s.next, sizes(s.next)), s.done)
		if err != nil {
			s.t.Error(err)
			s.all = s.next
		}
		if !ok {
			break
		}
		s.next++
		s.open++
	}
	if s.open == 0 {
		s.over <- struct{}{}
	}
}

func (s *chain) done(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.t.Error(err)
	}
	s.open--
	s.propose()
}

// run proposes all records. Where the log is full and nothing is under way, it waits for room.
func (s *chain) run() {
	s.c.leader.Together(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.propose()
	})
	for {
		select {
		case <-s.over:
		case <-time.After(20 * time.Second):
			s.t.Fatal("nothing is decided any more")
		}
		s.mu.Lock()
		if s.next == s.all {
			s.mu.Unlock()
			return
		}
		require.NoError(s.t, s.c.leader.ProposeAsync(record(s.next, sizes(s.next)), s.done))
		s.next++
		s.open++
		s.mu.Unlock()
	}
}

// What done proposes is decided in order, in both modes, with a log that is full again and again.
func TestTryPropose(t *testing.T) {
	c := newCluster(t, 3, 16<<10, func(cfg *LeaderConfig) { cfg.Window = 16 })
	s := &chain{t: t, c: c, all: 2000, over: make(chan struct{}, 1)}
	s.run()
	require.NoError(t, c.leader.Accelerate(hosttest.Context(t)))
	s.all = 4000
	s.run()
	require.Equal(t, mu.Accelerated, c.leader.Mode())
	c.same(4000, sizes)
}

// Without room it says so, and neither waits nor calls done.
func TestTryProposeDoesNotWait(t *testing.T) {
	c := newCluster(t, 3, 64<<10, func(cfg *LeaderConfig) { cfg.Window = 2 })
	var wg sync.WaitGroup
	c.leader.Together(func() { // nothing is posted before it returns
		for i := range 3 {
			wg.Add(1)
			ok, err := c.leader.TryPropose(record(i, 10), func(err error) {
				require.NoError(t, err)
				wg.Done()
			})
			require.NoError(t, err)
			require.Equal(t, i < 2, ok)
			if !ok {
				wg.Done()
			}
		}
		require.Zero(t, c.leader.Stats().Writes)
		require.Equal(t, 2, c.leader.Stats().Undecided)
	})
	wg.Wait()
	require.EqualValues(t, 6, c.leader.Stats().Writes)
	for _, wrong := range [][]byte{nil, make([]byte, 64<<10)} {
		ok, err := c.leader.TryPropose(wrong, nil)
		require.False(t, ok)
		require.ErrorIs(t, err, mu.ErrRecord)
	}
	require.NoError(t, c.leader.Close())
	ok, err := c.leader.TryPropose([]byte("x"), nil)
	require.False(t, ok)
	require.ErrorIs(t, err, ErrClosed)
}

// A leader on a device that runs to completion has no goroutine for completions.
func TestLeaderIsServed(t *testing.T) {
	c := newCluster(t, 2, 64<<10, nil)
	require.True(t, rdma.Serves(c.leader.queue))
	c.pump(0, 100, sizes)
	c.same(100, sizes)
}
