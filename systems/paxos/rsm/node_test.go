package rsm_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/rsm"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

var anywhere = netip.MustParseAddrPort("127.0.0.1:0")

// machine is a state machine whose state is the list of its records, and its disk. A result is
// the record's place in the list.
type machine struct {
	mu      sync.Mutex
	now     disk // what a process that begins again has
	synced  disk // what is there after a loss of power
	syncs   int
	fail    error
	changed *sync.Cond
}

type disk struct {
	records []string
	state   []byte
}

func newMachine() *machine {
	m := &machine{}
	m.changed = sync.NewCond(&m.mu)
	return m
}

func (m *machine) Load() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.now.state), nil
}

func (m *machine) Apply(entries []replicated.Entry, state []byte) ([]any, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return nil, m.fail
	}
	var results []any
	for _, e := range entries {
		if e.Index != uint64(len(m.now.records)) {
			return nil, fmt.Errorf("record %d, and %d is next", e.Index, len(m.now.records))
		}
		results = append(results, len(m.now.records))
		m.now.records = append(m.now.records, string(e.Record))
	}
	m.now.state = bytes.Clone(state)
	m.changed.Broadcast()
	return results, nil
}

func (m *machine) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.synced = m.now
	m.syncs++
	return nil
}

// powerLoss leaves what was on the disk.
func (m *machine) powerLoss() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.synced
}

type img struct{ b []byte }

func (i img) WriteTo(w io.Writer) (int64, error) { n, err := w.Write(i.b); return int64(n), err }
func (i img) Close() error                       { return nil }

func (m *machine) Snapshot() (replicated.Image, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := binary.AppendUvarint(nil, uint64(len(m.now.records)))
	for _, r := range append(slices.Clone(m.now.records), string(m.now.state)) {
		b = append(binary.AppendUvarint(b, uint64(len(r))), r...)
	}
	return img{b}, nil
}

func (m *machine) Restore(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	in := bytes.NewReader(b)
	count, err := binary.ReadUvarint(in)
	if err != nil {
		return err
	}
	var d disk
	for i := range count + 1 {
		n, err := binary.ReadUvarint(in)
		if err != nil || n > uint64(in.Len()) {
			return errors.New("damaged image")
		}
		s := make([]byte, n)
		_, _ = in.Read(s)
		if i < count {
			d.records = append(d.records, string(s))
		} else {
			d.state = s
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now, m.synced = d, d
	m.changed.Broadcast()
	return nil
}

func (m *machine) records() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.now.records)
}

// bed is a cluster of roles in software with hosts.
type bed struct {
	t     *testing.T
	roles *soft.Cluster
	hosts []*host
	ctx   context.Context
	// Records whose outcome nobody could tell: those of hosts that were behind.
	unsure sync.Map
}

type host struct {
	*rsm.Node
	b      *bed
	id     uint32
	lives  uint32
	addr   netip.AddrPort
	m      *machine
	web    *httptest.Server
	handle func(http.ResponseWriter, *http.Request) // in place of the node's
	mu     sync.Mutex
	tweak  func(*rsm.Config)
}

func newBed(t *testing.T, n, ring int, tweak func(*rsm.Config)) *bed {
	roles, err := soft.StartCluster(soft.ClusterConfig{
		Leaders: []netip.AddrPort{anywhere}, Acceptors: []netip.AddrPort{anywhere, anywhere, anywhere}, Learner: anywhere, Controller: anywhere, Ring: ring,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, roles.Close()) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	b := &bed{t: t, roles: roles, ctx: ctx}
	for i := range n {
		h := &host{b: b, id: uint32(i + 1), m: newMachine(), addr: anywhere, tweak: tweak}
		h.web = httptest.NewServer(http.HandlerFunc(h.serve))
		t.Cleanup(h.web.Close)
		b.hosts = append(b.hosts, h)
	}
	for _, h := range b.hosts {
		h.open()
		t.Cleanup(func() { h.close() })
	}
	var addrs []netip.AddrPort
	for _, h := range b.hosts {
		addrs = append(addrs, h.addr)
	}
	roles.Replicas(addrs)
	return b
}

func (h *host) serve(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	node, handle := h.Node, h.handle
	h.mu.Unlock()
	switch {
	case handle != nil:
		handle(w, r)
	case node == nil:
		http.Error(w, "not there", http.StatusServiceUnavailable)
	default:
		node.ServeHTTP(w, r)
	}
}

// open begins another life of the host, at the same address.
func (h *host) open() {
	h.b.t.Helper()
	h.lives++
	c := rsm.Config{
		Machine: h.m, Client: fmt.Sprintf("host %d", h.id),
		Log: paxos.Config{
			Listen: h.addr, Leader: h.b.roles.Leaders[0].Addr(), Learners: []netip.AddrPort{h.b.roles.Learner.Addr()}, Controller: h.b.roles.Addr(), Host: h.id,
			Proposer: paxos.ProposerOptions{Client: h.id<<16 | h.lives}, Replica: paxos.ReplicaOptions{Ring: 1 << 12, Report: 5 * time.Millisecond},
		},
		SyncEvery: 10 * time.Millisecond,
	}
	for _, a := range h.b.roles.Acceptors {
		c.Log.Acceptors = append(c.Log.Acceptors, a.Addr())
	}
	for _, p := range h.b.hosts {
		if p != h {
			c.Peers = append(c.Peers, p.web.Listener.Addr().String())
		}
	}
	if h.tweak != nil {
		h.tweak(&c)
	}
	n, err := rsm.Open(c)
	require.NoError(h.b.t, err)
	h.mu.Lock()
	h.Node = n
	h.mu.Unlock()
	// The next life has the same address: the learner knows it.
	h.addr = n.Addr()
}

func (h *host) close() {
	h.mu.Lock()
	n := h.Node
	h.Node = nil
	h.mu.Unlock()
	if n != nil {
		_ = n.Close()
	}
}

// has waits until a host has all records that were answered, within the time of the test. It has
// each once, and nothing else but what nobody could tell the outcome of.
func (h *host) has(answered []string) []string {
	h.b.t.Helper()
	stop := context.AfterFunc(h.b.ctx, h.m.changed.Broadcast)
	defer stop()
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	for {
		missing := map[string]bool{}
		for _, r := range answered {
			missing[r] = true
		}
		seen := map[string]bool{}
		for _, r := range h.m.now.records {
			require.False(h.b.t, seen[r], "%q is there twice", r)
			seen[r] = true
			_, unsure := h.b.unsure.Load(r)
			require.True(h.b.t, missing[r] || unsure, "%q was not proposed", r)
			delete(missing, r)
		}
		if len(missing) == 0 {
			return slices.Clone(h.m.now.records)
		}
		require.NoError(h.b.t, h.b.ctx.Err(), "host %d lacks %d of %d records", h.id, len(missing), len(answered))
		h.m.changed.Wait()
	}
}

// load has each of some hosts propose records of many sizes, some at a time, and returns those
// that were answered.
func (b *bed) load(what string, each int, hosts ...*host) (answered []string) {
	b.t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, h := range hosts {
		for w := range 4 {
			wait.Go(func() {
				for n := range each {
					r := fmt.Sprintf("%s %d %d %d ", what, h.id, w, n)
					size := []int{0, 40, 59, 60, 64, 120, 700}[(n+w)%7]
					r += string(bytes.Repeat([]byte("x"), max(size-len(r), 0)))
					at, err := h.Propose(b.ctx, []byte(r))
					if errors.Is(err, replicated.ErrUnknownOutcome) { // it was behind: the ring is small
						b.unsure.Store(r, true)
						continue
					}
					if err != nil {
						b.t.Errorf("%s: %v", r, err)
						return
					}
					if got := h.m.records()[at.(int)]; got != r {
						b.t.Errorf("%q is answered with the place of %q", r, got)
					}
					mu.Lock()
					answered = append(answered, r)
					mu.Unlock()
				}
			})
		}
	}
	wait.Wait()
	require.False(b.t, b.t.Failed())
	return answered
}

// All hosts propose, and apply all records in one order, once, in a ring that goes round.
func TestNode(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("run", func(t *testing.T) {
		b := newBed(t, 3, 128, nil)
		answered := b.load("a", 100, b.hosts...)
		b.hosts[0].has(answered)
		for _, h := range b.hosts[1:] {
			got := h.has(answered)
			first := b.hosts[0].m.records()
			n := min(len(first), len(got)) // what nobody could tell the outcome of may come yet
			require.Equal(t, first[:n], got[:n])
		}
		require.Greater(t, b.roles.Stats().Trims, uint64(5))
		at, ok := b.hosts[1].Leader()
		require.True(t, ok)
		require.Equal(t, "host 2", at)
	})
}

// A record is as long as it may be, and longer than there is room for in the switches: what of
// it has come is part of checkpoints. Nobody can get another one's state here.
func TestLongRecord(t *testing.T) {
	alone := func(c *rsm.Config) { c.Peers = nil }
	for ring, size := range map[int]int{1 << 12: rsm.MaxRecord, 256: 64 << 10} {
		b := newBed(t, 2, ring, alone)
		long := bytes.Repeat([]byte("0123456789abcdef"), size/16)
		at, err := b.hosts[0].Propose(b.ctx, long)
		require.NoError(t, err)
		require.Equal(t, 0, at)
		require.Equal(t, string(long), b.hosts[1].has([]string{string(long)})[0])
		if size == rsm.MaxRecord {
			_, err = b.hosts[0].Propose(b.ctx, append(long, 0))
			require.ErrorIs(t, err, rsm.ErrRecord)
		}
	}
}

// A host that is killed when it has a part of a record goes on with that part: of two hosts both
// must have a checkpoint of what is forgotten.
func TestPartOfRecord(t *testing.T) {
	b := newBed(t, 2, 256, func(c *rsm.Config) { c.Peers = nil })
	long := bytes.Repeat([]byte("0123456789abcdef"), 64<<10/16)
	result := make(chan error, 1)
	go func() {
		_, err := b.hosts[0].Propose(b.ctx, long)
		result <- err
	}()
	h := b.hosts[1]
	for h.Status().Durable < 300 && b.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	h.close()
	h.m.powerLoss()
	require.Empty(t, h.m.records())
	h.open()
	require.NoError(t, <-result)
	require.Equal(t, string(long), h.has([]string{string(long)})[0])
}

// A read behind a record of its own sees what others have been answered.
func TestReadYourAndOthers(t *testing.T) {
	b := newBed(t, 3, 1024, nil)
	for i := range 200 {
		w, r := b.hosts[i%3], b.hosts[(i+1)%3]
		v := fmt.Sprint("value ", i)
		_, err := w.Propose(b.ctx, []byte(v))
		require.NoError(t, err)
		_, err = r.Propose(b.ctx, nil)
		require.NoError(t, err)
		require.Contains(t, r.m.records(), v)
	}
}

// All processes are killed, and later all machines lose power: what was answered is there, on disks
// or in the switches, which have forgotten what they could.
func TestAllLosePower(t *testing.T) {
	b := newBed(t, 3, 256, nil)
	var answered []string
	for round := range 3 {
		answered = append(answered, b.load(fmt.Sprint("round ", round), 60, b.hosts...)...)
		for _, h := range b.hosts {
			h.close()
			h.m.powerLoss()
		}
		for _, h := range b.hosts {
			h.open()
		}
		for _, h := range b.hosts {
			h.has(answered)
		}
	}
	require.NotZero(t, b.roles.Stats().Trims)
}

// What a process finds when it begins again, after a crash, was applied, and need not be on the
// disk: it must be before switches are told that they may forget it.
func TestCrashThenPowerLoss(t *testing.T) {
	b := newBed(t, 3, 1<<10, func(c *rsm.Config) { c.SyncEvery = time.Hour })
	answered := b.load("a", 10, b.hosts...)
	for _, h := range b.hosts {
		h.has(answered)
		h.close()
		require.Zero(t, h.m.syncs)
	}
	for _, h := range b.hosts {
		h.open()
	}
	for b.roles.Stats().First == 1 {
		answered = append(answered, b.load(fmt.Sprint("b", len(answered)), 1, b.hosts...)...)
	}
	for _, h := range b.hosts {
		h.close()
		h.m.powerLoss()
	}
	for _, h := range b.hosts {
		h.open()
	}
	for _, h := range b.hosts {
		h.has(answered)
	}
}

// A host that was away while the switches have forgotten much gets another one's state; a host
// with an empty disk, too; from the first that has more and can give it.
func TestTransfer(t *testing.T) {
	long.Test(t)
	b := newBed(t, 4, 128, nil)
	away := b.hosts[2]
	answered := b.load("before", 5, b.hosts[:3]...)
	r, err := http.Get(b.hosts[0].web.URL + "?from=0")
	require.NoError(t, err)
	old, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	oldAt := r.Header.Get("P4ce-Position")
	answered = append(answered, b.load("then", 5, b.hosts[:3]...)...)
	for _, h := range b.hosts[:3] {
		h.has(answered)
	}
	away.close()
	answered = append(answered, b.load("meanwhile", 100, b.hosts[:2]...)...)

	bad := []func(http.ResponseWriter, *http.Request){
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
		func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("no position")) },
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("P4ce-Position", "99999999")
			_, _ = w.Write([]byte{200, 200, 200})
		},
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("P4ce-Position", "99999999")
			_, _ = w.Write([]byte{1, 5, 'c', 'u'})
			panic(http.ErrAbortHandler)
		},
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		func(w http.ResponseWriter, _ *http.Request) { // what it had long ago
			w.Header().Set("P4ce-Position", oldAt)
			_, _ = w.Write(old)
		},
	}
	var asked atomic.Int64
	first := b.hosts[0]
	first.mu.Lock()
	first.handle = func(w http.ResponseWriter, r *http.Request) {
		bad[asked.Add(1)%int64(len(bad))](w, r)
	}
	first.mu.Unlock()
	for _, h := range []*host{b.hosts[1], b.hosts[3]} {
		h.mu.Lock()
		h.handle = func(w http.ResponseWriter, r *http.Request) {
			if asked.Load() < int64(2*len(bad)) {
				http.Error(w, "not yet", http.StatusServiceUnavailable)
				return
			}
			h.Node.ServeHTTP(w, r)
		}
		h.mu.Unlock()
	}
	away.open()
	away.has(answered)
	require.Eventually(t, func() bool { return away.Status().Fetched > 0 }, 10*time.Second, time.Millisecond)
	answered = append(answered, b.load("after", 10, b.hosts[:3]...)...)
	away.has(answered)

	// One that is as far as others gets nothing from them, and is none the worse for it.
	r, err = http.Get(fmt.Sprintf("%s?from=%d", away.web.URL, away.Status().Position))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusNoContent, r.StatusCode)
	for _, q := range []string{"", "?from=x", "?from=-1"} {
		r, err := http.Get(away.web.URL + q)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, http.StatusBadRequest, r.StatusCode)
	}
}

// A host whose record is in the state that it fetches cannot know what came of it.
func TestUnknownAfterTransfer(t *testing.T) {
	b := newBed(t, 3, 128, nil)
	deaf := b.hosts[2]
	// It hears of nothing that is decided: neither from the learner, nor when it asks.
	b.roles.Replicas([]netip.AddrPort{b.hosts[0].addr, b.hosts[1].addr})
	result := make(chan error, 1)
	go func() {
		_, err := deaf.Propose(b.ctx, bytes.Repeat([]byte("y"), 500))
		result <- err
	}()
	b.load("others", 100, b.hosts[:2]...)
	b.roles.Replicas([]netip.AddrPort{b.hosts[0].addr, b.hosts[1].addr, deaf.addr})
	b.load("more", 5, b.hosts[:2]...)
	err := <-result
	if err != nil { // it may have got all of it by asking
		require.ErrorIs(t, err, replicated.ErrUnknownOutcome)
		require.NotZero(t, deaf.Status().Fetched)
	}
	for err = replicated.ErrUnknownOutcome; errors.Is(err, replicated.ErrUnknownOutcome) && b.ctx.Err() == nil; { // it may be behind again
		_, err = deaf.Propose(b.ctx, []byte("z"))
	}
	require.NoError(t, err, "and it goes on")
}

// Without a majority of acceptors nothing is answered, and each call ends in the time given.
func TestNoMajority(t *testing.T) {
	b := newBed(t, 2, 1024, nil)
	b.load("a", 5, b.hosts...)
	for _, a := range b.roles.Acceptors[:2] {
		require.NoError(t, a.Close())
	}
	ctx, cancel := context.WithTimeout(b.ctx, 50*time.Millisecond)
	defer cancel()
	for range 20 { // more than may be under way
		_, err := b.hosts[0].Propose(ctx, bytes.Repeat([]byte("w"), 300))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// A machine that fails ends its node, with that error, and the others go on.
func TestMachineFails(t *testing.T) {
	b := newBed(t, 3, 1024, nil)
	b.load("a", 5, b.hosts...)
	broken := b.hosts[0]
	broken.m.mu.Lock()
	broken.m.fail = errors.New("disk full")
	broken.m.mu.Unlock()
	_, err := broken.Propose(b.ctx, []byte("x"))
	require.ErrorIs(t, err, replicated.ErrUnknownOutcome)
	<-broken.Done()
	require.ErrorContains(t, broken.Err(), "disk full")
	_, err = broken.Propose(b.ctx, []byte("x"))
	require.ErrorIs(t, err, rsm.ErrClosed)
	require.ErrorContains(t, broken.Node.Close(), "disk full")
	b.load("b", 20, b.hosts[1:]...)
}

// A host that comes back with an empty disk, under its old name, would have its values taken for
// old ones: it ends, and says why. What it has forgotten may be in the switches or with others, it may
// propose before it sees any of that, and it need not have proposed anything.
func TestForgotten(t *testing.T) {
	for _, c := range []struct {
		name    string
		ring, n int
		silent  bool // it has proposed nothing
	}{{"in the switches", 1 << 12, 10, false}, {"with others", 128, 100, false}, {"silent, in the switches", 1 << 12, 10, true}, {"silent, with others", 128, 100, true}} {
		for _, proposes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, proposes %v", c.name, proposes), func(t *testing.T) {
				b := newBed(t, 3, c.ring, nil)
				loaded := b.hosts
				if c.silent {
					loaded = b.hosts[:2]
				}
				answered := b.load("a", c.n, loaded...)
				h := b.hosts[2]
				h.has(answered)
				require.Eventually(t, func() bool { return h.Status().Pending == 0 }, time.Minute, time.Millisecond)
				h.close()
				h.m, h.lives = newMachine(), 0
				h.open()
				if proposes {
					_, err := h.Propose(b.ctx, []byte("a record"))
					require.Error(t, err)
					require.NotErrorIs(t, err, context.DeadlineExceeded)
				}
				ended := func() bool {
					select {
					case <-h.Done():
						return true
					default:
						return false
					}
				}
				require.Eventually(t, func() bool { return ended() || h.Status().Pending == 0 }, time.Minute, time.Millisecond)
				require.True(t, ended(), "it goes on")
				require.ErrorIs(t, h.Err(), rsm.ErrForgotten)
			})
		}
	}
}

// A host that has its state, but not its number of starts, does not begin.
func TestForgottenStarts(t *testing.T) {
	b := newBed(t, 3, 1<<12, nil)
	h := b.hosts[2]
	answered := b.load("a", 3, h)
	h.close()
	var config rsm.Config
	b.hosts[2].tweak = func(c *rsm.Config) { config = *c }
	h.open()
	h.has(append(answered, b.load("b", 3, h)...))
	h.close()
	config.Log.Proposer.Client-- // the first life's
	_, err := rsm.Open(config)
	require.ErrorIs(t, err, rsm.ErrForgotten)
}

// A host proposes nothing before the log has its life.
func TestProposesWhenKnown(t *testing.T) {
	b := newBed(t, 3, 1<<12, nil)
	h := b.hosts[2]
	h.close()
	for _, a := range b.roles.Acceptors[:2] {
		require.NoError(t, a.Close())
	}
	h.open()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Millisecond)
	defer cancel()
	_, err := h.Propose(ctx, []byte("a record"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, 1, h.Status().Pending)
}

// A state that is another log's, or damaged, is not gone on from.
func TestStateOfAnother(t *testing.T) {
	m := newMachine()
	for _, state := range [][]byte{{}, []byte("something of Mu's log, perhaps"), append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0}, 0xff, 0xff, 0xff, 0xff)} {
		m.now.state = state
		if len(state) == 0 {
			m.now.state = []byte{1}
		}
		_, err := rsm.Open(rsm.Config{Machine: m, Log: paxos.Config{Listen: anywhere}})
		require.ErrorContains(t, err, "the stored state is not of this kind")
	}
	_, err := rsm.Open(rsm.Config{})
	require.ErrorContains(t, err, "Machine")
}

// TestCheckpointOrdered: a checkpoint that an operator wants is made at once, and nobody but the controller
// can want one.
func TestCheckpointOrdered(t *testing.T) {
	controller, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer controller.Close()
	stranger, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer stranger.Close()
	b := newBed(t, 1, 1<<10, func(c *rsm.Config) {
		c.SyncEvery = time.Hour
		c.Log.Controller = controller.LocalAddr().(*net.UDPAddr).AddrPort()
	})
	h := b.hosts[0]
	_, err = h.Propose(b.ctx, []byte("a record"))
	require.NoError(t, err)
	ask, err := (&paxos.Message{Kind: paxos.Checkpoint}).Append(nil)
	require.NoError(t, err)
	_, err = stranger.WriteToUDPAddrPort(ask, h.addr)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return h.Status().Dropped > 0 }, time.Minute, time.Millisecond)
	require.EqualValues(t, 1, h.Status().Durable)
	_, err = controller.WriteToUDPAddrPort(ask, h.addr)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return h.Status().Durable == h.Status().Position }, time.Minute, time.Millisecond)
	require.Greater(t, h.Status().Durable, uint64(1)) // a request that was sent again has used up an instance
	h.m.powerLoss()
	require.Equal(t, []string{"a record"}, h.m.records(), "it is on the disk")
}
