package control

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// standing is a store that can stand still, or fail.
type standing struct {
	Store
	mu    sync.Mutex
	err   error
	still chan struct{} // nil: it works
	made  atomic.Int32  // groups that were made
}

func (s *standing) stand() { s.set(make(chan struct{}), nil) }

func (s *standing) set(still chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.still, s.err = still, err
}

func (s *standing) goOn() {
	s.mu.Lock()
	still := s.still
	s.still = nil
	s.mu.Unlock()
	if still != nil {
		close(still)
	}
}

func (s *standing) wait() error {
	s.mu.Lock()
	still, err := s.still, s.err
	s.mu.Unlock()
	if still != nil {
		<-still
	}
	return err
}

func (s *standing) Save(sw string, r group.Record) error {
	if err := s.wait(); err != nil {
		return err
	}
	return s.Store.Save(sw, r)
}

func (s *standing) Forget(sw string, index uint16) error {
	if err := s.wait(); err != nil {
		return err
	}
	return s.Store.Forget(sw, index)
}

func (s *standing) SaveStatic(sw string, m group.Static) error {
	if err := s.wait(); err != nil {
		return err
	}
	defer s.made.Add(1)
	return s.Store.SaveStatic(sw, m)
}

// TestStoreStalls: while its store stands still, a controller forms groups, answers, and says that it is
// unwell; what needs the store is refused in words. Afterwards all is stored, and what was refused is not.
func TestStoreStalls(t *testing.T) {
	t.Parallel()
	long.Test(t)
	l := newLab(t)
	s := &standing{Store: l.store}
	l.controller(func(c *Config) { c.Store = s })
	client := NewAdminClient(l.admin)
	dev := l.attach(1)
	l.replica(2, "")
	l.replica(3, "")
	healthy := func() bool {
		h := client.Health(l.ctx)
		return h == nil
	}
	require.Eventually(t, healthy, 2*time.Minute, time.Millisecond)
	s.stand()
	t.Cleanup(func() { s.goOn() })
	ld, err := l.dial(dev, private.PolicyAll, "10.0.0.2")
	require.NoError(t, err)
	require.NoError(t, ld.conn.Close())
	_, err = l.dial(dev, private.PolicyAll, "10.0.0.3")
	require.NoError(t, err)
	_, err = client.Status(l.ctx)
	require.NoError(t, err)
	require.Eventually(t, func() bool { // on a busy machine a loop may be late, too
		err := client.Health(l.ctx)
		return err != nil && strings.Contains(err.Error(), "records of groups are not stored") && strings.Contains(err.Error(), "the store has not answered for")
	}, time.Minute, 10*time.Millisecond)
	err = client.CreateGroup(l.ctx, "s1", group.Static{Name: "late", Port: 7000, Policy: "all", Receivers: []group.Receiver{{Addr: netip.MustParseAddr("10.0.0.2"), Port: 7001}}})
	var refused *admin.Error
	require.Error(t, err)
	require.ErrorContains(t, err, "the store does not answer")
	require.False(t, errors.As(err, &refused) && refused.Code == codes.AlreadyExists)
	s.goOn()
	l.records(1)
	require.Eventually(t, healthy, 2*time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return s.made.Load() == 1 }, 2*time.Minute, time.Millisecond)
	require.Eventually(t, func() bool {
		made, err := l.store.LoadStatic("s1") // an error: it has gone meanwhile
		return err == nil && len(made) == 0
	}, 2*time.Minute, time.Millisecond)
}

// TestKeeper: what a failing store does not take is tried again, the last change of each record counts, and a
// session that reads its records meanwhile sees what it has saved.
func TestKeeper(t *testing.T) {
	s := &standing{Store: NewMemoryStore()}
	ending := make(chan struct{})
	var running sync.WaitGroup
	defer running.Wait()
	defer close(ending)
	k := &keeper{store: s, sw: "s1", log: slog.New(slog.DiscardHandler), ending: ending, start: func(f func()) { running.Go(f) }, again: time.Millisecond}
	s.set(nil, errors.New("no space"))
	for n := range uint32(100) {
		k.save(group.Record{Index: 7, RKey: n})
		k.save(group.Record{Index: 8, RKey: n})
		k.forget(9)
	}
	k.forget(8)
	require.Eventually(t, func() bool { return k.failures() > 20 }, 20*time.Second, time.Millisecond)
	require.ErrorContains(t, k.health(), "no space")
	list, err := k.load()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, uint32(99), list[0].RKey)
	require.LessOrEqual(t, len(k.order), 3, "what waits is bounded")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	require.ErrorContains(t, k.ask(ctx, s.wait, nil), "no space")
	s.set(nil, nil)
	require.Eventually(t, func() bool { return k.health() == nil }, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { // one record that was written is enough for its health
		k.mu.Lock()
		defer k.mu.Unlock()
		return !k.busy
	}, 20*time.Second, time.Millisecond)
	list, err = s.Store.Load("s1")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, uint32(99), list[0].RKey)
}

// TestKeeperEnds: when a session ends, what is left is written, and what cannot be is given up.
func TestKeeperEnds(t *testing.T) {
	for _, broken := range []error{nil, errors.New("no space")} {
		s := &standing{Store: NewMemoryStore()}
		ending := make(chan struct{})
		var running sync.WaitGroup
		k := &keeper{store: s, sw: "s1", log: slog.New(slog.DiscardHandler), ending: ending, start: func(f func()) { running.Go(f) }, again: time.Hour}
		s.set(nil, errors.New("not now"))
		for i := range uint16(50) {
			k.save(group.Record{Index: i})
		}
		require.Eventually(t, func() bool { return k.failures() > 0 }, 20*time.Second, time.Millisecond)
		s.set(nil, broken)
		close(ending)
		running.Wait()
		list, err := s.Store.Load("s1")
		require.NoError(t, err)
		require.Len(t, list, map[bool]int{true: 50, false: 0}[broken == nil])
	}
}
