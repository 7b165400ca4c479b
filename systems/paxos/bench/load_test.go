package bench

import (
	"context"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/kv"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

// one is a host of a cluster in this process.
func one(t *testing.T) *host {
	any := netip.MustParseAddrPort("127.0.0.1:0")
	c, err := soft.StartCluster(soft.ClusterConfig{Leaders: []netip.AddrPort{any}, Acceptors: []netip.AddrPort{any}, Learner: any, Controller: any})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	h := &host{store: map[string]string{}}
	h.Log, err = paxos.Open(paxos.Config{
		Listen: any, Host: 1, Leader: c.Leaders[0].Addr(), Learners: []netip.AddrPort{c.Learner.Addr()}, Controller: c.Addr(),
		Acceptors: []netip.AddrPort{c.Acceptors[0].Addr()}, Proposer: paxos.ProposerOptions{Client: 1}, Apply: h.apply,
	})
	require.NoError(t, err)
	t.Cleanup(func() { h.Close() })
	c.Replicas([]netip.AddrPort{h.Addr()})
	return h
}

// TestKept: servers with their store on disk give right answers, wrong ones are noticed, and what was answered is on the disks.
func TestKept(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o := Options{Binary: p4ce, Dir: t.TempDir(), Log: t.Output()}
	s, err := buildWith(ctx, o, asPrograms, true)
	require.NoError(t, err)
	end := sync.OnceFunc(s.Close)
	t.Cleanup(end)
	w := keptWorkload()
	_, err = s.closed(ctx, w, 8, 20*time.Millisecond)
	require.NoError(t, err)
	x, err := s.hosts[0].open(ctx, w, 2000, 50*time.Millisecond, nil)
	require.NoError(t, err)
	require.Len(t, x.times, 100)
	check := w.check
	w.check = func(i int, answer string) bool { return check(i, answer+"7") }
	_, err = s.hosts[1].closed(ctx, w, 8, 20*time.Millisecond)
	require.ErrorContains(t, err, "answers are wrong")
	end()
	data, err := filepath.Glob(filepath.Join(o.Dir, "net-*", "data-*"))
	require.NoError(t, err)
	require.Len(t, data, 2)
	m, err := kv.Open(kv.Options{Dir: data[0]})
	require.NoError(t, err)
	defer m.Close()
	v, err := m.View(0)
	require.NoError(t, err)
	defer v.Close()
	n, err := v.Keys()
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, uint64(50))
}

// TestLoads: each workload gets right answers, in a closed loop and in an open one, in which values that
// are held up have waited.
func TestLoads(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	h := one(t)
	for _, w := range workloads() {
		x, err := h.closed(ctx, w, 8, 20*time.Millisecond)
		require.NoError(t, err, w.name)
		require.NotEmpty(t, x.times)
		require.Positive(t, x.rate())
		var last time.Duration
		x, err = h.open(ctx, w, 2000, 50*time.Millisecond, func(since time.Duration) { last = since })
		require.NoError(t, err, w.name)
		require.Len(t, x.times, 100)
		require.Equal(t, 50*time.Millisecond, last, "it is told of each that is due, and of the end")
		require.LessOrEqual(t, x.quantile(0.5), x.quantile(0.99))
		require.Equal(t, x.times[99], x.quantile(1))
	}
}

// TestWrongAnswers: a state machine that says something else is found out.
func TestWrongAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	h := one(t)
	for _, w := range workloads() {
		check := w.check
		w.check = func(i int, answer string) bool { return check(i, answer+"7") }
		_, err := h.closed(ctx, w, 8, 20*time.Millisecond)
		require.ErrorContains(t, err, "answers are wrong", w.name)
	}
}
