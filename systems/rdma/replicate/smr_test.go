package replicate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a leader at .1, replicas from .11 and a switch at .100, on one hub.
type cluster struct {
	t        *testing.T
	hub      *hub.Hub
	sw       *hosttest.Switch
	cfg      LeaderConfig
	leader   *Leader
	replicas []*Replica
	devices  []*roce.Device
	applied  [][]uint64 // lengths, per replica
	mu       sync.Mutex
}

// fastQP notices a dead peer in 400 ms, which a busy machine does not use up.
var fastQP = roce.QPConfig{AckTimeout: 20 * time.Millisecond, Retry: 19, CoalesceAcks: 16}

func newCluster(t *testing.T, n, logSize int, change func(*LeaderConfig)) *cluster {
	c := &cluster{t: t, hub: hub.New(), applied: make([][]uint64, n)}
	c.sw = hosttest.NewSwitch(t, c.hub, hosttest.Addr(100), private.Secret{Token: 77})
	c.cfg = LeaderConfig{
		Device: roce.RDMA(hosttest.Device(t, c.hub, hosttest.Addr(1)), fastQP), Port: hosttest.Port, Switch: hosttest.Addr(100), LogSize: logSize,
		Token: 77, RetrySwitch: -1, SlowAfter: 10 * time.Second, Log: slog.New(slog.NewTextHandler(hosttest.Writer{T: t}, nil)),
	}
	for i := range n {
		d := hosttest.Device(t, c.hub, hosttest.Addr(11+i))
		c.devices = append(c.devices, d)
		r, err := OpenReplica(ReplicaConfig{
			Device: roce.RDMA(d, fastQP), Port: hosttest.Port, LogSize: logSize, Token: 77,
			Apply: func(index uint64, rec []byte) {
				c.mu.Lock()
				defer c.mu.Unlock()
				if index != uint64(len(c.applied[i])) {
					t.Errorf("replica %d applies %d after %d records", i, index, len(c.applied[i]))
				}
				c.applied[i] = append(c.applied[i], uint64(len(rec)))
			},
		})
		require.NoError(t, err)
		t.Cleanup(func() { _ = r.Close() })
		c.replicas = append(c.replicas, r)
		c.cfg.Replicas = append(c.cfg.Replicas, hosttest.Addr(11+i))
	}
	if change != nil {
		change(&c.cfg)
	}
	l, err := OpenLeader(hosttest.Context(t), c.cfg)
	require.NoError(t, err)
	c.leader = l
	t.Cleanup(func() { _ = l.Close() })
	return c
}

func record(i int, n int) []byte {
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(i*131 + j)
	}
	return b
}

// pump proposes records from..to asynchronously and waits for all of them.
func (c *cluster) pump(from, to int, size func(i int) int) {
	c.t.Helper()
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for i := from; i < to; i++ {
		wg.Add(1)
		err := c.leader.ProposeAsync(record(i, size(i)), func(err error) {
			if err != nil {
				failed.Store(&err)
			}
			wg.Done()
		})
		require.NoError(c.t, err)
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		require.NoError(c.t, *err)
	}
}

// same waits until all replicas have applied everything and compares digests.
func (c *cluster) same(records int, size func(i int) int) {
	c.t.Helper()
	require.NoError(c.t, c.leader.Sync(hosttest.Context(c.t)))
	h := sha256.New()
	for i := range records {
		_, _ = h.Write(record(i, size(i)))
	}
	want := Digest{Records: uint64(records), Sum: [32]byte(h.Sum(nil))}
	require.Equal(c.t, want, c.leader.Digest())
	for i, r := range c.replicas {
		require.Equal(c.t, want, r.Digest(), "replica %d", i)
	}
}

func sizes(i int) int { return 1 + i*37%900 }

func TestDirect(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := newCluster(t, n, 1<<16, nil)
			ctx := hosttest.Context(t)
			for i := range 20 {
				require.NoError(t, c.leader.Propose(ctx, record(i, sizes(i))))
			}
			// Many times around the ring.
			c.pump(20, 2000, sizes)
			c.same(2000, sizes)
			s := c.leader.Stats()
			require.EqualValues(t, 2000, s.Decided)
			require.EqualValues(t, 2000, s.Latency.Count)
			require.Zero(t, s.Failed+s.FallBacks+s.Dropped)
			require.Equal(t, n, s.Live)
			c.leader.ResetLatency()
			require.Zero(t, c.leader.Stats().Latency.Count)
		})
	}
}

func TestAccelerated(t *testing.T) {
	for _, policy := range []private.Policy{private.PolicyQuorum, private.PolicyAll} {
		for _, n := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%v-%d", policy, n), func(t *testing.T) {
				c := newCluster(t, n, 1<<16, func(cfg *LeaderConfig) { cfg.Policy = policy })
				ctx := hosttest.Context(t)
				c.pump(0, 100, sizes)
				require.NoError(t, c.leader.Accelerate(ctx))
				require.NoError(t, c.leader.Accelerate(ctx))
				require.Equal(t, mu.Accelerated, c.leader.Mode())
				before := c.leader.Stats().Writes
				c.pump(100, 1000, sizes)
				c.same(1000, sizes)
				// One WRITE per record, and the odd one at the end of the ring.
				writes := int(c.leader.Stats().Writes - before)
				require.GreaterOrEqual(t, writes, 900)
				if c.leader.Stats().Repairs == 0 {
					require.Less(t, writes, 1000)
				}
				require.NoError(t, c.leader.Direct(ctx))
				require.NoError(t, c.leader.Direct(ctx))
				require.Equal(t, mu.Direct, c.leader.Mode())
				c.pump(1000, 1200, sizes)
				require.NoError(t, c.leader.Accelerate(ctx))
				c.pump(1200, 1300, sizes)
				c.same(1300, sizes)
			})
		}
	}
}

// TestModeChangesUnderLoad changes modes while records flow.
func TestModeChangesUnderLoad(t *testing.T) {
	c := newCluster(t, 3, 1<<16, nil)
	ctx := hosttest.Context(t)
	done := make(chan error, 1)
	go func() {
		for range 5 {
			if err := c.leader.Accelerate(ctx); err != nil {
				done <- err
				return
			}
			if err := c.leader.Direct(ctx); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	i := 0
	for running := true; running; {
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
		}
		c.pump(i, i+200, sizes)
		i += 200
	}
	c.same(i, sizes)
}

// TestFallBack: the switch goes silent in mid-flow; no decided record is lost,
// undecided ones are repeated directly, and the switch is used again when it is
// back.
func TestFallBack(t *testing.T) {
	c := newCluster(t, 3, 1<<16, func(cfg *LeaderConfig) { cfg.RetrySwitch = 20 * time.Millisecond })
	require.NoError(t, c.leader.Accelerate(hosttest.Context(t)))
	c.pump(0, 300, sizes)
	c.sw.Set(func() { c.sw.Silent, c.sw.Refuse = true, "out of order" })
	c.pump(300, 600, sizes)
	require.EqualValues(t, 1, c.leader.Stats().FallBacks)
	require.Equal(t, mu.Direct, c.leader.Mode())
	c.same(600, sizes)
	c.sw.Set(func() { c.sw.Silent, c.sw.Refuse = false, "" })
	l := c.leader
	l.mu.Lock()
	require.NoError(t, l.await(hosttest.Context(t), func() bool { return l.core.mode == mu.Accelerated }))
	l.mu.Unlock()
	c.pump(600, 900, sizes)
	c.same(900, sizes)
}

// TestRepair: a replica that misses copies under the quorum policy, whose gap the
// switch's acknowledgements hide from the leader's transport, gets them directly.
func TestRepair(t *testing.T) {
	c := newCluster(t, 3, 1<<16, func(cfg *LeaderConfig) { cfg.RepairAfter = 5 * time.Millisecond })
	require.NoError(t, c.leader.Accelerate(hosttest.Context(t)))
	c.pump(0, 100, sizes)
	c.sw.Set(func() { c.sw.Drop = func(slot int, _ *wire.Packet) bool { return slot == 1 } })
	c.pump(100, 200, sizes)
	require.Equal(t, mu.Accelerated, c.leader.Mode())
	c.same(200, sizes)
	require.NotZero(t, c.leader.Stats().Repairs)
}

// TestReplicaCrash: with a majority left the leader goes on; without it stops.
func TestReplicaCrash(t *testing.T) {
	c := newCluster(t, 3, 1<<16, nil) // four servers: the leader needs two replicas
	c.pump(0, 50, sizes)
	require.NoError(t, c.devices[2].Close())
	c.pump(50, 400, sizes)
	require.NoError(t, c.leader.Sync(hosttest.Context(t)))
	require.Equal(t, 2, c.leader.Stats().Live)
	require.NoError(t, c.devices[1].Close())
	err := c.leader.Propose(hosttest.Context(t), []byte("x"))
	require.ErrorIs(t, err, ErrNoQuorum)
	require.ErrorIs(t, c.leader.Err(), ErrNoQuorum)
	require.ErrorIs(t, c.leader.Propose(hosttest.Context(t), []byte("x")), ErrNoQuorum)
	require.ErrorIs(t, c.leader.Sync(hosttest.Context(t)), ErrNoQuorum)
	require.EqualValues(t, 1, c.leader.Stats().Failed)
}

// TestSlowReplica: one that does not apply holds the ring up for a while and is
// then dropped.
func TestSlowReplica(t *testing.T) {
	c := newCluster(t, 2, MinLogSize, func(cfg *LeaderConfig) { cfg.SlowAfter = 20 * time.Millisecond })
	release := make(chan struct{})
	defer close(release)
	slow := hosttest.Device(t, c.hub, hosttest.Addr(50))
	r, err := OpenReplica(ReplicaConfig{
		Device: roce.RDMA(slow, fastQP), Port: hosttest.Port, LogSize: MinLogSize, Token: 77,
		Apply: func(uint64, []byte) { <-release },
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close() })
	cfg := c.cfg
	cfg.Term = 2
	cfg.Replicas = []netip.Addr{hosttest.Addr(11), hosttest.Addr(12), hosttest.Addr(50)}
	l, err := OpenLeader(hosttest.Context(t), cfg)
	require.NoError(t, err)
	defer l.Close()
	for i := range 200 {
		require.NoError(t, l.Propose(hosttest.Context(t), record(i, 100)))
	}
	require.EqualValues(t, 1, l.Stats().Dropped)
	require.Equal(t, 2, l.Stats().Live)
}

// TestOldLeader: a leader of a higher term takes the log over; the old one's
// writes are refused and it steps down.
func TestOldLeader(t *testing.T) {
	c := newCluster(t, 2, 1<<16, nil)
	old := c.leader
	require.NoError(t, old.Accelerate(hosttest.Context(t)))
	cfg := c.cfg
	cfg.Term, cfg.ID = 2, 1
	cfg.Device = roce.RDMA(hosttest.Device(t, c.hub, hosttest.Addr(2)), fastQP)
	l, err := OpenLeader(hosttest.Context(t), cfg)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, l.Propose(hosttest.Context(t), []byte("new")))
	err = old.Propose(hosttest.Context(t), []byte("old"))
	require.ErrorIs(t, err, ErrNoQuorum)
	require.NoError(t, l.Sync(hosttest.Context(t)))
	for _, r := range c.replicas {
		require.Equal(t, l.Digest(), r.Digest())
		require.EqualValues(t, 2, r.Status().Term)
	}
	// Lower and equal terms of others are turned away, with the reason.
	cfg.Term = 1
	_, err = OpenLeader(hosttest.Context(t), cfg)
	require.ErrorContains(t, err, "term 1 is over (leader 1 has term 2)")
	cfg.Term, cfg.ID = 2, 3
	_, err = OpenLeader(hosttest.Context(t), cfg)
	require.ErrorContains(t, err, "term 2 belongs to leader 1")
	cfg.Term = 3
	_, err = OpenLeader(hosttest.Context(t), cfg)
	require.ErrorIs(t, err, ErrNotEmpty)
	cfg.Token = 1
	_, err = OpenLeader(hosttest.Context(t), cfg)
	require.ErrorContains(t, err, "wrong token")
}

func TestErrors(t *testing.T) {
	c := newCluster(t, 2, 1<<12, func(cfg *LeaderConfig) { cfg.MaxRecord = 100 })
	ctx := hosttest.Context(t)
	require.ErrorContains(t, c.leader.Propose(ctx, make([]byte, 101)), "record: 101 bytes (at most 100)")
	require.ErrorIs(t, c.leader.Propose(ctx, nil), mu.ErrRecord)
	c.sw.Set(func() { c.sw.Refuse = "no room for another group" })
	require.ErrorContains(t, c.leader.Accelerate(ctx), "accelerate: switch 10.0.0.100: connect to 10.0.0.100:4791: rdma: connection rejected: rejected by the consumer: no room for another group")
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, c.leader.Propose(canceled, []byte("x")), context.Canceled)
	require.NoError(t, c.leader.Close())
	require.ErrorIs(t, c.leader.Propose(ctx, []byte("x")), ErrClosed)
	require.ErrorIs(t, c.leader.ProposeAsync([]byte("x"), nil), ErrClosed)

	for _, bad := range []struct {
		change func(*LeaderConfig)
		want   string
	}{
		{func(c *LeaderConfig) { c.LogSize = 5000 }, "log size: 5000 (want a power of two"},
		{func(c *LeaderConfig) { c.Replicas = nil }, "0 replicas (want 1 to 8)"},
		{func(c *LeaderConfig) { c.MaxRecord = 1 << 20 }, "record limit 1048576"},
		{func(c *LeaderConfig) { c.LogSize = 1 << 13 }, "its memory region has 4096 bytes, ours 8192 (give all servers the same log size)"},
		{func(c *LeaderConfig) { c.Port = 9 }, "no program listens on the port"},
	} {
		cfg := c.cfg
		bad.change(&cfg)
		_, err := OpenLeader(ctx, cfg)
		require.ErrorContains(t, err, bad.want)
	}
	cfg := c.cfg
	cfg.Switch = netip.Addr{}
	l, err := OpenLeader(ctx, cfg)
	if err == nil {
		require.ErrorIs(t, l.Accelerate(ctx), ErrNoSwitch)
		require.NoError(t, l.Close())
	} else {
		require.ErrorIs(t, err, ErrNotEmpty) // the cancelled record was decided
	}
	_, err = OpenReplica(ReplicaConfig{LogSize: 100})
	require.ErrorIs(t, err, mu.ErrLogSize)
}

// TestLastRecordIsApplied: with no later entry to carry the commit index, the
// header does.
func TestLastRecordIsApplied(t *testing.T) {
	for _, accelerate := range []bool{false, true} {
		c := newCluster(t, 2, 1<<12, nil)
		if accelerate {
			require.NoError(t, c.leader.Accelerate(hosttest.Context(t)))
		}
		require.NoError(t, c.leader.Propose(hosttest.Context(t), []byte("last")))
		require.NoError(t, c.leader.Sync(hosttest.Context(t)))
		for _, r := range c.replicas {
			require.EqualValues(t, 1, r.Status().Applied)
		}
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "direct", mu.Direct.String())
	require.Equal(t, "accelerated", mu.Accelerated.String())
	d := newDigester()
	d.add([]byte("ab"))
	d.add([]byte("c"))
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", d.digest().String())
	require.EqualValues(t, 2, d.digest().Records)
}

// TestNoAllocations: the leader's path of a record does not allocate.
func TestNoAllocations(t *testing.T) {
	c := newCluster(t, 2, 1<<20, nil)
	c.mu.Lock()
	for i := range c.applied {
		c.applied[i] = make([]uint64, 0, 1<<16)
	}
	c.mu.Unlock()
	ctx := context.Background()
	rec := record(1, 100)
	proposed := 0
	// A replica that falls behind makes the hub's queue grow: nobody is more than
	// 64 records ahead of it.
	behind := func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, a := range c.applied {
			if len(a)+64 < proposed {
				return true
			}
		}
		return false
	}
	propose := func() {
		if err := c.leader.Propose(ctx, rec); err != nil {
			t.Fatal(err)
		}
		for proposed++; behind(); {
			runtime.Gosched()
		}
	}
	for range 10000 { // fills the hub's buffers
		propose()
	}
	n := testing.AllocsPerRun(5000, propose)
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	// The rare look at heads and the pool may allocate; records do not.
	require.Less(t, n, 0.5)
}

// BenchmarkDirect measures the pipeline over the hub: two replicas, 64 bytes.
func BenchmarkDirect(b *testing.B) {
	h := hub.New()
	open := func(i int) *roce.Device {
		p, err := h.Attach(hosttest.Addr(i), 4096)
		if err != nil {
			b.Fatal(err)
		}
		d, err := roce.Open(p, roce.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = d.Close() })
		return d
	}
	cfg := LeaderConfig{Device: roce.RDMA(open(1), roce.QPConfig{}), Port: hosttest.Port, LogSize: 1 << 20}
	for i := range 2 {
		r, err := OpenReplica(ReplicaConfig{Device: roce.RDMA(open(11+i), roce.QPConfig{CoalesceAcks: 16}), Port: hosttest.Port, LogSize: 1 << 20})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = r.Close() })
		cfg.Replicas = append(cfg.Replicas, hosttest.Addr(11+i))
	}
	l, err := OpenLeader(context.Background(), cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	rec := record(1, 64)
	var wg sync.WaitGroup
	done := func(error) { wg.Done() }
	for b.Loop() {
		wg.Add(1)
		if err := l.ProposeAsync(rec, done); err != nil {
			b.Fatal(err)
		}
	}
	wg.Wait()
}
