package smr

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sum is a state machine: it counts and hashes what it applies. Its memory outlives
// the node, like a disk.
type sum struct {
	mu    sync.Mutex
	State []byte
	Count uint64
	Sum   [32]byte
	fail  error

	synced []byte // as of the last Sync
}

func (s *sum) Load() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.State, nil
}

func (s *sum) Apply(entries []replicated.Entry, state []byte) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	results := make([]any, len(entries))
	for i, e := range entries {
		if e.Index != s.Count {
			return nil, fmt.Errorf("record %d after %d", e.Index, s.Count)
		}
		s.Count++
		s.Sum = sha256.Sum256(append(s.Sum[:], e.Record...))
		results[i] = string(e.Record)
	}
	s.State = append([]byte(nil), state...)
	return results, nil
}

type sumImage []byte

func (i sumImage) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(i)
	return int64(n), err
}
func (i sumImage) Close() error { return nil }

func (s *sum) Snapshot() (replicated.Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := json.Marshal(s)
	return sumImage(b), err
}

func (s *sum) Restore(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return json.Unmarshal(b, s)
}

func (s *sum) digest() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d %x", s.Count, s.Sum)
}

// nodes is a cluster on one hub.
type nodes struct {
	t        *testing.T
	hub      *hub.Hub
	members  []Member
	machines []*sum
	devices  []*roce.Device
	nodes    []*Node
	change   func(*nodes, *Config)
}

func newNodes(t *testing.T, n int, change func(*nodes, *Config)) *nodes {
	c := &nodes{t: t, hub: hub.New(), change: change}
	for i := range n {
		c.members = append(c.members, Member{ID: mu.ID(i), Addrs: []netip.AddrPort{netip.AddrPortFrom(hosttest.Addr(11+i), hosttest.Port)}, Client: fmt.Sprint("client", i)})
		c.machines = append(c.machines, &sum{})
		c.devices = append(c.devices, hosttest.Device(t, c.hub, hosttest.Addr(11+i)))
		c.nodes = append(c.nodes, nil)
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			if n != nil {
				_ = n.Close()
			}
		}
	})
	for i := range n {
		c.start(i)
	}
	return c
}

func (c *nodes) start(i int) {
	n, err := Open(c.config(i))
	require.NoError(c.t, err)
	c.nodes[i] = n
}

func (c *nodes) config(i int) Config {
	cfg := Config{
		ID: mu.ID(i), Cluster: 42, Members: c.members, Devices: []rdma.Device{roce.RDMA(c.devices[i], roce.QPConfig{})},
		Port: hosttest.Port, Machine: c.machines[i], LogSize: 1 << 16,
		// A busy machine must not look like a dead server.
		AckTimeout: 50 * time.Millisecond, Retry: 7,
		Protocol: mu.Config{HeartbeatEvery: 20 * time.Millisecond, StallAfter: 5 * time.Second},
		Log:      slog.New(slog.NewTextHandler(hosttest.Writer{T: c.t}, &slog.HandlerOptions{Level: slog.LevelInfo})),
	}
	if c.change != nil {
		c.change(c, &cfg)
	}
	return cfg
}

// leader waits for one.
func (c *nodes) leader() int {
	c.t.Helper()
	found := -1
	require.Eventually(c.t, func() bool {
		for i, n := range c.nodes {
			if n != nil && n.Status().Role == mu.Leader {
				found = i
				return true
			}
		}
		return false
	}, 20*time.Second, time.Millisecond)
	return found
}

// propose gets a value decided, whoever leads.
func (c *nodes) propose(value string) {
	c.t.Helper()
	ctx := hosttest.Context(c.t)
	for {
		require.NoError(c.t, ctx.Err())
		got, err := c.nodes[c.leader()].Propose(ctx, []byte(value))
		if err == nil {
			require.Equal(c.t, value, got)
			return
		}
		var not *replicated.NotLeaderError
		require.True(c.t, errors.As(err, &not) || errors.Is(err, replicated.ErrUnknownOutcome), "%v", err)
	}
}

// equal waits until all machines are the same.
func (c *nodes) equal() {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		for i, m := range c.machines {
			if c.nodes[i] != nil && m.digest() != c.machines[c.leader()].digest() {
				return false
			}
		}
		return true
	}, 20*time.Second, 5*time.Millisecond)
}

func TestNodes(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := newNodes(t, n, nil)
			// The first leader may change hands while servers become full members, and a
			// proposal of that time may be decided twice: it is made again.
			require.Eventually(t, func() bool {
				for _, s := range c.nodes {
					if s.Status().State != mu.Full {
						return false
					}
				}
				return c.nodes[0].Status().Role == mu.Leader && c.nodes[0].Status().Confirmed == n-1
			}, 20*time.Second, time.Millisecond)
			for i := range 50 {
				c.propose(fmt.Sprint("v", i))
			}
			l := c.leader()
			ctx := hosttest.Context(t)
			var wg sync.WaitGroup
			var ok atomic.Int64
			for i := range 8 {
				wg.Go(func() {
					for j := range 200 {
						v := bytes.Repeat([]byte{byte(i)}, 1+j*7%900)
						got, err := c.nodes[l].Propose(ctx, v)
						if err == nil && got == string(v) {
							ok.Add(1)
						}
						if j%10 == 0 {
							_ = c.nodes[l].Barrier(ctx)
						}
					}
				})
			}
			wg.Wait()
			require.EqualValues(t, 1600, ok.Load())
			require.NoError(t, c.nodes[l].Barrier(ctx))
			require.EqualValues(t, 1650, c.nodes[l].Status().Index)
			c.equal()
			if n > 1 {
				_, err := c.nodes[(l+1)%n].Propose(ctx, []byte("x"))
				var not *replicated.NotLeaderError
				require.ErrorAs(t, err, &not)
				require.Equal(t, fmt.Sprint("client", l), not.Client)
			}
		})
	}
}

func TestNodeLeaderCloses(t *testing.T) {
	c := newNodes(t, 3, nil)
	for i := range 100 {
		c.propose(fmt.Sprint("v", i))
	}
	l := c.leader()
	require.NoError(t, c.nodes[l].Close())
	c.nodes[l] = nil
	for i := range 2000 {
		c.propose(fmt.Sprint("w", i, string(make([]byte, i%100))))
	}
	// It comes back, needs a snapshot, and leads again.
	c.start(l)
	require.Eventually(t, func() bool { return c.nodes[l].Status().Role == mu.Leader }, 20*time.Second, time.Millisecond)
	for i := range 100 {
		c.propose(fmt.Sprint("x", i))
	}
	c.equal()
}

// mode waits until a leader is in a mode.
func (c *nodes) mode(m mu.Mode) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		st := c.nodes[c.leader()].Status()
		return st.Role == mu.Leader && st.Mode == m
	}, 20*time.Second, time.Millisecond)
}

func TestNodeAccelerated(t *testing.T) {
	var sw *hosttest.Switch
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		if sw == nil {
			sw = hosttest.NewSwitch(t, c.hub, hosttest.Addr(100), private.Secret{Cluster: cfg.Cluster, Token: cfg.Token})
		}
		cfg.Switch = hosttest.Addr(100)
	})
	c.mode(mu.Accelerated)
	before := c.nodes[c.leader()].Stats()
	for i := range 200 {
		c.propose(fmt.Sprint("v", i))
	}
	after := c.nodes[c.leader()].Stats()
	require.GreaterOrEqual(t, after.GroupWrites-before.GroupWrites, uint64(200))
	require.Zero(t, after.Writes-before.Writes)
	c.equal()
	// The switch forwards nothing any more: the leader goes on without it.
	sw.Set(func() { sw.Silent = true })
	for i := range 50 {
		c.propose(fmt.Sprint("w", i))
	}
	require.Greater(t, c.nodes[c.leader()].Stats().Writes, after.Writes)
	c.equal()
	// And with it, when it is back.
	sw.Set(func() { sw.Silent = false })
	c.mode(mu.Accelerated)
	for i := range 50 {
		c.propose(fmt.Sprint("x", i))
	}
	c.equal()
}

// Two networks: when one is gone, the leader goes on by the other, in the same term.
func TestNodeTwoRoutes(t *testing.T) {
	second := hub.New()
	var devices []*roce.Device
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		i := int(cfg.ID)
		if len(devices) <= i {
			devices = append(devices, hosttest.Device(t, second, hosttest.Addr(211+i)))
		}
		cfg.Devices = append(cfg.Devices, roce.RDMA(devices[i], roce.QPConfig{}))
		cfg.Members = nil
		for _, m := range c.members {
			m.Addrs = append([]netip.AddrPort{}, m.Addrs...)
			m.Addrs = append(m.Addrs, netip.AddrPortFrom(hosttest.Addr(211+int(m.ID)), hosttest.Port))
			cfg.Members = append(cfg.Members, m)
		}
	})
	for i := range 50 {
		c.propose(fmt.Sprint("v", i))
	}
	l := c.leader()
	both := func() bool {
		up := 0
		c.nodes[l].lock.Lock()
		defer c.nodes[l].lock.Unlock()
		for range c.nodes[l].out {
			up++
		}
		return up == 8
	}
	require.Eventually(t, both, 10*time.Second, time.Millisecond)
	term := c.nodes[l].Status().Term
	c.hub.SetFilter(func([]byte) bool { return false })
	for i := range 50 {
		c.propose(fmt.Sprint("w", i))
	}
	require.Equal(t, term, c.nodes[l].Status().Term)
	c.equal()
}

// A server is replaced: the dead one is removed, a new one brought up to date and
// added. Then the leader removes itself.
func TestNodeMembership(t *testing.T) {
	c := newNodes(t, 3, nil)
	for i := range 3000 {
		c.propose(fmt.Sprint("v", i))
	}
	ctx := hosttest.Context(t)
	require.NoError(t, c.nodes[2].Close())
	c.nodes[2] = nil
	require.NoError(t, c.nodes[c.leader()].RemoveServer(ctx, 2))
	// The new server knows nobody; the log does not reach back for it.
	c.members = nil
	c.machines = append(c.machines, &sum{})
	c.devices = append(c.devices, hosttest.Device(t, c.hub, hosttest.Addr(14)))
	c.nodes = append(c.nodes, nil)
	c.start(3)
	added := Member{ID: 3, Addrs: []netip.AddrPort{netip.AddrPortFrom(hosttest.Addr(14), hosttest.Port)}, Client: "client3"}
	require.NoError(t, c.nodes[c.leader()].AddServer(ctx, added))
	for i := range 100 {
		c.propose(fmt.Sprint("w", i))
	}
	c.equal()
	require.Len(t, c.nodes[3].Status().Members, 3)
	err := c.nodes[c.leader()].AddServer(ctx, added)
	require.ErrorIs(t, err, ErrMembership)
	require.ErrorContains(t, err, "given twice")
	err = c.nodes[3].RemoveServer(ctx, 1)
	var not *replicated.NotLeaderError
	require.ErrorAs(t, err, &not)

	old := c.leader()
	require.NoError(t, c.nodes[old].RemoveServer(ctx, mu.ID(old)))
	require.Eventually(t, func() bool { return c.nodes[old].Status().Role == mu.Follower }, 10*time.Second, time.Millisecond)
	removed := c.nodes[old]
	c.nodes[old] = nil
	for i := range 100 {
		c.propose(fmt.Sprint("x", i))
	}
	c.equal()
	_, err = removed.Propose(ctx, []byte("y"))
	require.ErrorAs(t, err, &not)
	require.NoError(t, removed.Close())
}

// A server that cannot be reached is not waited for, and can be added later.
func TestNodeAddAbsent(t *testing.T) {
	c := newNodes(t, 3, nil)
	c.propose("a")
	ctx := hosttest.Context(t)
	added := Member{ID: 3, Addrs: []netip.AddrPort{netip.AddrPortFrom(hosttest.Addr(14), hosttest.Port)}}
	for range 2 {
		err := c.nodes[c.leader()].AddServer(ctx, added)
		require.ErrorIs(t, err, ErrAbsent)
		require.ErrorContains(t, err, "server 3: it does not answer: ")
		require.NoError(t, ctx.Err())
	}
	c.members = nil
	c.machines = append(c.machines, &sum{})
	c.devices = append(c.devices, hosttest.Device(t, c.hub, hosttest.Addr(14)))
	c.nodes = append(c.nodes, nil)
	c.start(3)
	require.NoError(t, c.nodes[c.leader()].AddServer(ctx, added))
	c.propose("b")
	c.equal()
}

// A server that was removed ends, and says why, when all others say that it is no member: not before, because one that
// is away may need it when it is back.
func TestNodeRemovedEnds(t *testing.T) {
	c := newNodes(t, 4, nil)
	c.propose("a")
	ctx := hosttest.Context(t)
	l := c.leader()
	away, gone := (l+1)%4, (l+2)%4
	require.NoError(t, c.nodes[away].Close())
	c.nodes[away] = nil
	require.Eventually(t, func() bool {
		err := c.nodes[c.leader()].RemoveServer(ctx, mu.ID(gone))
		return err == nil
	}, 20*time.Second, 10*time.Millisecond)
	removed := c.nodes[gone]
	c.nodes[gone] = nil
	for range 50 {
		c.propose("x")
	}
	select {
	case <-removed.Done():
		t.Fatal("it ends while a server is away: ", removed.Err())
	case <-time.After((standingAsks + 2) * standingEvery):
	}
	c.start(away)
	select {
	case <-removed.Done():
	case <-ctx.Done():
		t.Fatal("it does not end")
	}
	require.ErrorIs(t, removed.Err(), ErrNotMember)
	require.ErrorContains(t, removed.Err(), fmt.Sprintf("no server %d at its address", gone))
	_ = removed.Close()
	c.propose("y")
}

// What does not belong together does not connect, and says why.
func TestNodeRefusals(t *testing.T) {
	for _, tc := range []struct {
		name string
		want string
		bad  func(*Config)
	}{
		{"cluster", "cluster 43 (this server is of cluster 42)", func(c *Config) { c.Cluster = 43 }},
		{"token", "wrong token", func(c *Config) { c.Token = 9 }},
		{"log size", "give all servers the same log size", func(c *Config) { c.LogSize = 1 << 17 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log syncBuffer
			c := newNodes(t, 3, func(c *nodes, cfg *Config) {
				cfg.Token = 5
				cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
				if cfg.ID == 2 {
					tc.bad(cfg)
				}
			})
			require.Eventually(t, func() bool { return bytes.Contains(log.Bytes(), []byte(tc.want)) }, 10*time.Second, time.Millisecond, "%s", tc.want)
			// A new cluster needs all its servers: this one never begins.
			_, err := c.nodes[0].Propose(hosttest.Context(t), []byte("x"))
			var not *replicated.NotLeaderError
			require.ErrorAs(t, err, &not)
			require.False(t, not.Known)
		})
	}
}

// syncBuffer is a buffer that several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.b.Bytes())
}

// A state machine that fails ends its server with the reason; the others go on.
func TestNodeStateMachineFails(t *testing.T) {
	c := newNodes(t, 3, nil)
	for i := range 20 {
		c.propose(fmt.Sprint("v", i))
	}
	c.equal()
	l := c.leader()
	broken := errors.New("no space left on device")
	c.machines[l].mu.Lock()
	c.machines[l].fail = broken
	c.machines[l].mu.Unlock()
	_, err := c.nodes[l].Propose(hosttest.Context(t), []byte("w"))
	require.ErrorIs(t, err, replicated.ErrUnknownOutcome)
	require.ErrorIs(t, err, broken)
	require.Eventually(t, func() bool { return errors.Is(c.nodes[l].Err(), broken) }, 10*time.Second, time.Millisecond)
	require.NoError(t, c.nodes[l].Close())
	c.nodes[l] = nil
	for i := range 20 {
		c.propose(fmt.Sprint("x", i))
	}
	c.equal()
	_, err = Open(Config{Devices: nil})
	require.ErrorContains(t, err, "0 RDMA devices")
}

func TestNodeRecords(t *testing.T) {
	c := newNodes(t, 1, nil)
	n := c.nodes[c.leader()]
	geo, err := mu.NewGeometry(1 << 16)
	require.NoError(t, err)
	_, err = n.Propose(hosttest.Context(t), make([]byte, geo.MaxRecord()))
	require.NoError(t, err)
	_, err = n.Propose(hosttest.Context(t), make([]byte, geo.MaxRecord()+1))
	require.ErrorIs(t, err, ErrRecord)
	results, errs := n.ProposeAll(hosttest.Context(t), [][]byte{[]byte("a"), []byte("b"), make([]byte, geo.MaxRecord()+1)})
	require.Equal(t, []any{"a", "b", nil}, results)
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])
	require.ErrorIs(t, errs[2], ErrRecord)
}

func TestNodeBadState(t *testing.T) {
	for _, state := range []string{"short", "sixteen bytes ok{not json"} {
		_, err := parseState([]byte(state))
		require.ErrorContains(t, err, "the data is of another program, or damaged")
	}
	var members []Member
	for i := range mu.MaxServers + 1 {
		members = append(members, Member{ID: mu.ID(i)})
	}
	require.ErrorContains(t, mu.CheckMembers(members), "10 servers (want 1 to 9)")
}

// A server of another version is told so.
func TestNodeVersion(t *testing.T) {
	c := newNodes(t, 1, nil)
	c.leader()
	d := roce.RDMA(hosttest.Device(t, c.hub, hosttest.Addr(50)), roce.QPConfig{})
	qp, err := d.CreateQP(rdma.QPConfig{})
	require.NoError(t, err)
	m := private.Request{Form: private.FormPeer, LeaderID: 7, Cluster: 42, Version: protocolVersion + 1}
	data, err := m.Append(nil)
	require.NoError(t, err)
	_, err = d.Dial(hosttest.Context(t), netip.AddrPortFrom(hosttest.Addr(11), hosttest.Port), qp, data)
	why, _ := proof.Why(err)
	require.Equal(t, why.Text, fmt.Sprintf("protocol version %d (this server has %d)", protocolVersion+1, protocolVersion))
}

func TestNodeMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	notified := make(chan Status, 64)
	c := newNodes(t, 2, func(_ *nodes, cfg *Config) {
		if cfg.ID == 0 {
			cfg.Registry = reg
			cfg.Notify = func(s Status) { notified <- s }
		}
	})
	require.Eventually(t, func() bool { return c.nodes[0].Status().Role == mu.Leader }, 20*time.Second, time.Millisecond)
	for i := range 10 {
		c.propose(fmt.Sprint("v", i))
	}
	families, err := reg.Gather()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			got[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	require.EqualValues(t, 1, got["p4ce_smr_role leader"])
	require.Zero(t, got["p4ce_smr_role follower"])
	require.EqualValues(t, 1, got["p4ce_smr_full_member"])
	require.EqualValues(t, 1, got["p4ce_smr_peer_alive 1"])
	require.GreaterOrEqual(t, got["p4ce_smr_records_total decided"], 10.0)
	require.GreaterOrEqual(t, got["p4ce_smr_log_writes_total direct"], 1.0)
	for led := false; !led; {
		select {
		case s := <-notified:
			led = s.Role == mu.Leader
		case <-hosttest.Context(t).Done():
			t.Fatal("nobody was told who leads")
		}
	}
	require.NoError(t, c.nodes[0].Close())
	c.nodes[0] = nil
	families, err = reg.Gather()
	require.NoError(t, err)
	require.Empty(t, families)
}
