package paxos_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
	"github.com/p4ce/p4ce/systems/paxos/udp"
)

var anywhere = netip.MustParseAddrPort("127.0.0.1:0")

func cluster(t testing.TB, ring int) *soft.Cluster {
	c, err := soft.StartCluster(soft.ClusterConfig{
		Leaders: []netip.AddrPort{anywhere, anywhere}, Acceptors: []netip.AddrPort{anywhere, anywhere, anywhere}, Learner: anywhere, Controller: anywhere, Ring: ring,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// server is a host whose state machine is the list of what was applied.
type server struct {
	*paxos.Log
	mu      sync.Mutex
	applied []string
	state   []byte // of the last checkpoint
	upTo    int    // so many values are in it
	grown   *sync.Cond
	fetch   func(from uint64) ([]byte, []string)
	fetched int
}

// open begins a host: with a checkpoint after each so many values.
func open(t testing.TB, c *soft.Cluster, id uint32, every int, fetch func(uint64) ([]byte, []string)) *server {
	return openWith(t, c, id, every, fetch, func(*paxos.Config) {})
}

// openWith begins a host with a change of its configuration.
func openWith(t testing.TB, c *soft.Cluster, id uint32, every int, fetch func(uint64) ([]byte, []string), change func(*paxos.Config)) *server {
	s := &server{fetch: fetch}
	s.grown = sync.NewCond(&s.mu)
	config := paxos.Config{
		Listen: anywhere, Leader: c.Leaders[0].Addr(), Learners: []netip.AddrPort{c.Learner.Addr()}, Controller: c.Addr(), Host: id,
		Proposer: paxos.ProposerOptions{Client: id<<16 | 1}, Replica: paxos.ReplicaOptions{Ring: 1 << 12, Report: 5 * time.Millisecond},
	}
	for _, a := range c.Acceptors {
		config.Acceptors = append(config.Acceptors, a.Addr())
	}
	if fetch != nil {
		config.Transfer = s
	}
	ready := make(chan struct{})
	config.Apply = func(e paxos.Entry) {
		<-ready
		s.mu.Lock()
		s.applied = append(s.applied, string(e.Value))
		n := len(s.applied)
		s.grown.Broadcast()
		s.mu.Unlock()
		if n%every == 0 {
			state := s.State()
			s.mu.Lock()
			s.state, s.upTo = state, n
			s.mu.Unlock()
			s.Checkpoint(e.Instance + 1)
		}
	}
	change(&config)
	var err error
	s.Log, err = paxos.Open(config)
	require.NoError(t, err)
	close(ready)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Fetch implements paxos.StateTransfer.
func (s *server) Fetch(_ context.Context, from uint64) ([]byte, error) {
	state, values := s.fetch(from)
	if state != nil {
		s.mu.Lock()
		s.applied = slices.Clone(values)
		s.fetched++
		s.grown.Broadcast()
		s.mu.Unlock()
	}
	return state, nil
}

// wait waits until so many values are applied.
func (s *server) wait(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.applied) < n {
		s.grown.Wait()
	}
	return slices.Clone(s.applied)
}

func addrs(servers ...*server) (a []netip.AddrPort) {
	for _, s := range servers {
		a = append(a, s.Addr())
	}
	return a
}

func limit(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestLog: what many submit at many hosts is applied everywhere, in one order and once, in a ring
// that goes round many times.
func TestLog(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("run", func(t *testing.T) {
		const each, writers = 300, 4
		c := cluster(t, 128)
		var hosts []*server
		for i := range uint32(3) {
			hosts = append(hosts, open(t, c, 1+i, 10, nil))
		}
		c.Replicas(addrs(hosts...))
		ctx := limit(t)
		var wait sync.WaitGroup
		for i, h := range hosts {
			for w := range writers {
				wait.Go(func() {
					for n := range each {
						if _, err := h.Submit(ctx, fmt.Appendf(nil, "%d %d %d", i, w, n)); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
		}
		wait.Wait()
		require.False(t, t.Failed())
		want := hosts[0].wait(3 * writers * each)
		for _, h := range hosts[1:] {
			require.Equal(t, want, h.wait(3*writers*each))
		}
		slices.Sort(want)
		require.Len(t, slices.Compact(want), 3*writers*each, "each once")
		require.Greater(t, c.Stats().Trims, uint64(5))
	})
}

// TestGoAll: values are submitted together, more than there is room for; whoever gives up
// waiting for room leaves it to others.
func TestGoAll(t *testing.T) {
	c := cluster(t, 128)
	h := open(t, c, 1, 10, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	var wait sync.WaitGroup
	for w := range 4 {
		var values [][]byte
		for n := range 2000 {
			values = append(values, fmt.Appendf(nil, "%d %d", w, n))
		}
		wait.Go(func() {
			short, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			var done sync.WaitGroup
			submit := func(ctx context.Context, values [][]byte) int {
				done.Add(len(values))
				n, err := h.GoAll(ctx, values, func(_ uint64, err error) {
					if err != nil {
						t.Error(err)
					}
					done.Done()
				})
				done.Add(n - len(values))
				if (err == nil) != (n == len(values)) {
					t.Error(n, err)
				}
				return n
			}
			submit(ctx, values[submit(short, values):])
			done.Wait()
		})
	}
	wait.Wait()
	got := h.wait(8000)
	slices.Sort(got)
	require.Len(t, slices.Compact(got), 8000)
}

// TestLogLeaderDies: another leader goes on.
// prompt is a wire to a service that has delivered everything before Write returns.
type prompt struct {
	in        chan []udp.Packet
	ended     chan struct{}
	once      sync.Once
	reads     chan struct{} // closed when it is read from: who reads writes, too, before that
	delivered int32         // values
	instance  uint32        // the last one
	applied   atomic.Int32  // and nobody waits for them any more
}

var service = netip.MustParseAddrPort("192.0.2.1:1")

func (p *prompt) Addr() netip.AddrPort { return netip.MustParseAddrPort("192.0.2.2:2") }

func (p *prompt) Read(ps []udp.Packet, until time.Time) (int, error) {
	p.once.Do(func() { close(p.reads) })
	select {
	case in := <-p.in:
		return copy(ps, in), nil
	case <-time.After(time.Until(until)):
		return 0, os.ErrDeadlineExceeded
	case <-p.ended:
		return 0, net.ErrClosed
	}
}

func (p *prompt) Write(ps []udp.Packet) error {
	for _, x := range ps {
		var m paxos.Message
		if m.Parse(x.Data) != nil || m.Kind != paxos.Request {
			continue
		}
		p.delivered += int32(m.Values())
		m.Kind, m.Instance = paxos.Deliver, p.instance+1
		p.instance++
		data, _ := m.Append(nil)
		p.in <- []udp.Packet{{Addr: service, Data: data}}
	}
	for p.applied.Load() < p.delivered {
		runtime.Gosched()
	}
	return nil
}

func (p *prompt) Close() error { close(p.ended); return nil }

// What is under way may be delivered while GoAll still writes it: nobody will say then that there
// is room again.
func TestGoAllPrompt(t *testing.T) {
	w := &prompt{in: make(chan []udp.Packet, paxos.History), ended: make(chan struct{}), reads: make(chan struct{})}
	log, err := paxos.Open(paxos.Config{
		Wire: w, Leader: service, Learners: []netip.AddrPort{service}, Acceptors: []netip.AddrPort{service}, Host: 1, Apply: func(paxos.Entry) {},
		Proposer: paxos.ProposerOptions{Client: 1, Window: 4, Resend: time.Hour}, Replica: paxos.ReplicaOptions{Ring: 64, GapAfter: time.Hour, Report: time.Hour}, // nothing else is written
	})
	require.NoError(t, err)
	<-w.reads
	values := make([][]byte, 40)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	n, err := log.GoAll(ctx, values, func(uint64, error) { w.applied.Add(1) })
	require.NoError(t, err)
	require.Equal(t, len(values), n)
	require.Len(t, values, int(w.applied.Load()))
	require.NoError(t, log.Close())
}

// gathering is a wire on which a request is delivered at once, and that counts how often messages were left to gather since the first
// one came.
type gathering struct {
	in    chan udp.Packet
	ended chan struct{}
	some  atomic.Bool
	rests atomic.Int32
	given uint32
}

func (g *gathering) Addr() netip.AddrPort { return service }

func (g *gathering) Read(ps []udp.Packet, until time.Time) (int, error) {
	select {
	case ps[0] = <-g.in:
		g.some.Store(true)
		return 1, nil
	case <-g.ended:
		return 0, net.ErrClosed
	}
}

func (g *gathering) Write(ps []udp.Packet) error {
	for _, p := range ps {
		var m paxos.Message
		if m.Parse(p.Data) == nil && m.Kind == paxos.Request {
			g.given++
			m.Kind, m.Instance = paxos.Deliver, g.given
			data, _ := m.Append(nil)
			g.in <- udp.Packet{Addr: service, Data: data}
		}
	}
	return nil
}

func (g *gathering) Rest(time.Duration) {
	if g.some.Load() {
		g.rests.Add(1)
	}
}

func (g *gathering) Close() error { close(g.ended); return nil }

// TestRestValues: a host that gets all of its values in one packet does not wait for more packets.
func TestRestValues(t *testing.T) {
	const values, rounds = paxos.MaxValue, 20
	w := &gathering{in: make(chan udp.Packet, values), ended: make(chan struct{})}
	log, err := paxos.Open(paxos.Config{
		Wire: w, Leader: service, Learners: []netip.AddrPort{service}, Acceptors: []netip.AddrPort{service}, Host: 1, Apply: func(paxos.Entry) {},
		Proposer: paxos.ProposerOptions{Client: 1, Window: values, Resend: time.Hour}, Replica: paxos.ReplicaOptions{Ring: 64, GapAfter: time.Hour, Report: time.Hour},
	})
	require.NoError(t, err)
	over := make(chan struct{})
	left := values * rounds
	var done func(uint64, error)
	done = func(_ uint64, err error) {
		if left--; left == 0 {
			close(over)
		} else if left >= values && err == nil {
			_ = log.Go([]byte("v"), done)
		}
	}
	_, err = log.GoAll(limit(t), slices.Repeat([][]byte{[]byte("v")}, values), done)
	require.NoError(t, err)
	<-over
	require.NoError(t, log.Close())
	require.EqualValues(t, rounds, w.given, "packets")
	require.Zero(t, w.rests.Load())
}

func TestLogLeaderDies(t *testing.T) {
	c := cluster(t, 1024)
	h := open(t, c, 1, 50, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	done := make(chan error, 2000)
	var all []string
	for i := range 600 {
		v := fmt.Sprint(i)
		all = append(all, v)
		go func() {
			_, err := h.Submit(ctx, []byte(v))
			done <- err
		}()
		if i == 300 {
			require.NoError(t, c.Leaders[0].Close())
			<-c.Lead(1)
			h.SetLeader(c.Leaders[1].Addr())
		}
	}
	for range all {
		require.NoError(t, <-done)
	}
	require.ElementsMatch(t, all, h.wait(600))
	require.EqualValues(t, 2, c.Stats().Takeovers)
}

// TestLogTransfer: who comes when the switches have forgotten the beginning gets it from another
// host, and then follows.
func TestLogTransfer(t *testing.T) {
	c := cluster(t, 64)
	first := open(t, c, 1, 10, nil)
	c.Replicas(addrs(first))
	ctx := limit(t)
	for i := range 200 {
		_, err := first.Submit(ctx, fmt.Append(nil, i))
		require.NoError(t, err)
	}
	late := open(t, c, 2, 10, func(uint64) ([]byte, []string) {
		first.mu.Lock()
		defer first.mu.Unlock()
		return first.state, first.applied[:first.upTo]
	})
	c.Replicas(addrs(first, late))
	_, err := late.Submit(ctx, []byte("of the late one"))
	require.NoError(t, err)
	got := late.wait(201)
	require.Equal(t, first.wait(201), got)
	require.Positive(t, late.fetched)
}

// TestLogErrors: who submits hears why something does not work.
func TestLogErrors(t *testing.T) {
	c := cluster(t, 16)
	h := open(t, c, 1, 1000, nil)
	c.Replicas(addrs(h))
	ctx := limit(t)
	_, err := h.Submit(ctx, make([]byte, 65))
	require.ErrorIs(t, err, paxos.ErrValue)
	for range 16 {
		_, err = h.Submit(ctx, []byte("x"))
		require.NoError(t, err)
	}
	short, cancel := context.WithCancel(ctx)
	done := make(chan error)
	go func() {
		_, err := h.Submit(short, []byte("too much"))
		done <- err
	}()
	for h.Status().Refusal != paxos.ReasonFull {
		require.NoError(t, ctx.Err())
		runtime.Gosched()
	}
	cancel()
	err = <-done
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "the ring is full")
	h.Checkpoint(17) // and there is room
	_, err = h.Submit(ctx, []byte("again"))
	require.NoError(t, err)

	closed := make(chan error)
	require.NoError(t, c.Leaders[0].Close()) // nobody answers from here on
	require.NoError(t, h.Go([]byte("never"), func(_ uint64, err error) { closed <- err }))
	go h.Close()
	require.ErrorIs(t, <-closed, paxos.ErrClosed)
	_, err = h.Submit(ctx, []byte("x"))
	require.ErrorIs(t, err, paxos.ErrClosed)
}

func TestLogConfig(t *testing.T) {
	_, err := paxos.Open(paxos.Config{})
	require.ErrorContains(t, err, "are needed")
	good := paxos.Config{
		Listen: anywhere, Leader: anywhere, Learners: []netip.AddrPort{anywhere}, Acceptors: []netip.AddrPort{anywhere}, Apply: func(paxos.Entry) {},
		Proposer: paxos.ProposerOptions{Client: 1},
	}
	for what, change := range map[string]func(*paxos.Config){
		"no acceptors":           func(c *paxos.Config) { c.Acceptors = nil },
		"client 0":               func(c *paxos.Config) { c.Proposer.Client = 0 },
		"ring 3":                 func(c *paxos.Config) { c.Replica.Ring = 3 },
		"not a state":            func(c *paxos.Config) { c.State = []byte("?") },
		"is not an IPv4 address": func(c *paxos.Config) { c.Listen = netip.MustParseAddrPort("[::1]:0") },
	} {
		bad := good
		change(&bad)
		_, err := paxos.Open(bad)
		require.ErrorContains(t, err, what)
	}
}

// BenchmarkLog is the software roles, in one process, on loopback.
func BenchmarkLog(b *testing.B) {
	c := cluster(b, soft.Ring)
	h := open(b, c, 1, 1000, nil)
	c.Replicas(addrs(h))
	done := make(chan struct{}, 4096)
	b.ReportAllocs()
	under := 0
	for b.Loop() {
		for {
			err := h.Go([]byte("0123456789abcdef0123456789abcdef"), func(uint64, error) { done <- struct{}{} })
			if err == nil {
				under++
				break
			}
			if !errors.Is(err, paxos.ErrWindow) {
				b.Fatal(err)
			}
			<-done
			under--
		}
	}
	for ; under > 0; under-- {
		<-done
	}
}
