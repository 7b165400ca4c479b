package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/link/certs"
	"github.com/p4ce/p4ce/link/certs/certstest"
)

// folder is a new one with a short name, for sockets.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("", "p4ce-store-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func server(t *testing.T) *embedded.Server {
	e, err := embedded.Start(folder(t), nil)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

func open(t *testing.T, name, endpoint string) *Store {
	s, err := Open(t.Context(), Options{Endpoints: []string{endpoint}, Name: name, TTL: time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func campaign(t *testing.T, s *Store, unit string) *Candidate {
	c, err := s.Campaign(t.Context(), unit)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// await waits for what a test cannot go on without.
func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatal("it does not come: ", what)
	}
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// list is what all see of the records.
func list(t *testing.T, c *Candidate) string {
	l, err := c.List("")
	require.NoError(t, err)
	out := ""
	for _, r := range l {
		out += r.Key + "=" + string(r.Value) + " "
	}
	return out
}

// TestElection: one candidate is elected, in the order in which they came, and each has a higher number than
// those before; records are what the last one left.
func TestElection(t *testing.T) {
	e := server(t)
	a := campaign(t, open(t, "a", e.Endpoint), "s1")
	await(t, "a alone", a.Elected())
	require.NoError(t, a.May())
	b := campaign(t, open(t, "b", e.Endpoint), "s1")
	c := campaign(t, open(t, "c", e.Endpoint), "s1")
	other := campaign(t, open(t, "d", e.Endpoint), "s2")
	await(t, "another unit", other.Elected())
	for _, x := range []*Candidate{b, c} {
		require.Eventually(t, func() bool {
			h, next, known := x.Holder()
			return known && h.Name == "a" && h.Number == a.number && next == (x == b)
		}, time.Minute, time.Millisecond)
		require.ErrorIs(t, x.May(), ErrLost)
		require.ErrorIs(t, x.Put("k", []byte("early")), ErrLost)
	}
	require.NoError(t, a.Put("k", []byte("1")))
	require.NoError(t, a.Put("k2", []byte("2")))
	require.NoError(t, a.Delete("k2"))
	require.Equal(t, "k=1 ", list(t, a))
	a.Close()
	require.ErrorIs(t, a.May(), ErrLost)
	require.ErrorIs(t, a.Put("k", []byte("late")), ErrLost)
	await(t, "b after a", b.Elected())
	require.True(t, isOpen(c.Elected()))
	require.Greater(t, b.Number(), a.Number())
	require.Equal(t, "k=1 ", list(t, b))
	require.NoError(t, b.Put("log/1", []byte("x")))
	require.NoError(t, b.Put("log/2", []byte("y")))
	require.NoError(t, b.Replace("log/", "sum", []byte("xy")))
	require.Equal(t, "k=1 sum=xy ", list(t, b))

	// A primary that cannot act is preempted; not one that was elected meanwhile.
	h, _, _ := c.Holder()
	require.NoError(t, c.Preempt(t.Context(), Holder{Number: a.number}))
	require.NoError(t, b.Put("k", []byte("2")), "b is the primary")
	require.True(t, isOpen(b.Done()))
	require.Eventually(t, func() bool { h, _, _ = c.Holder(); return h.Name == "b" }, time.Minute, time.Millisecond)
	require.NoError(t, c.Preempt(t.Context(), h))
	await(t, "b knows", b.Done())
	await(t, "c", c.Elected())
	require.ErrorContains(t, b.Err(), "its key is gone")
	require.NoError(t, c.Preempt(t.Context(), Holder{Number: c.number}), "not itself")
	require.NoError(t, c.May())
}

// TestLateWrite: who was paused, or whose clock stands still, and does not know that another is the primary,
// changes nothing.
func TestLateWrite(t *testing.T) {
	e := server(t)
	p := storetest.NewProxy(t, filepath.Join(folder(t), "proxy"), e.Endpoint)
	as := open(t, "a", p.Endpoint)
	a := campaign(t, as, "s1")
	await(t, "a", a.Elected())
	require.NoError(t, a.Put("k", []byte("a")))
	b := campaign(t, open(t, "b", e.Endpoint), "s1")
	p.Cut()
	a.mu.Lock()
	a.deadline += time.Hour // it does not notice
	a.mu.Unlock()
	await(t, "the lease expires", b.Elected())
	require.NoError(t, b.Put("k", []byte("b")))
	require.NoError(t, a.May(), "it has noticed nothing")
	wrote := make(chan error)
	go func() { wrote <- a.Put("k", []byte("late")) }()
	go func() { wrote <- a.Delete("k") }()
	p.Heal()
	for range 2 {
		select {
		case err := <-wrote:
			require.ErrorIs(t, err, ErrLost)
		case <-time.After(time.Minute):
			t.Fatal("it tries for ever")
		}
	}
	require.Equal(t, "k=b ", list(t, b))
	await(t, "a knows", a.Done())
}

// TestCutOff: who cannot reach etcd says that it is not the primary before another is.
func TestCutOff(t *testing.T) {
	long.Test(t)
	e := server(t)
	p := storetest.NewProxy(t, filepath.Join(folder(t), "proxy"), e.Endpoint)
	a := campaign(t, open(t, "a", p.Endpoint), "s1")
	await(t, "a", a.Elected())
	b := campaign(t, open(t, "b", e.Endpoint), "s1")
	// As long as it is not cut off it renews its lease.
	until := time.After(3 * time.Second) // of a second
	for over := false; !over; {
		select {
		case <-b.Elected():
			over = true
		case <-until:
			over = true
		}
	}
	require.NoError(t, a.May(), "a lease that is renewed")
	require.True(t, isOpen(b.Elected()))
	p.Cut()
	wrote := make(chan error, 1)
	go func() { wrote <- a.Put("k", []byte("x")) }()
	await(t, "b", b.Elected())
	require.ErrorIs(t, a.May(), ErrLost, "both are primary")
	await(t, "a is told", a.Done())
	select {
	case err := <-wrote:
		require.ErrorIs(t, err, ErrLost)
	case <-time.After(time.Minute):
		t.Fatal("a request waits for ever")
	}
	p.Heal()
}

// TestRenewWhile: who does not come round steps down, though he can reach etcd; and before his
// lease would have ended, since there is no need to wait for that.
func TestRenewWhile(t *testing.T) {
	e := server(t)
	a := campaign(t, open(t, "a", e.Endpoint), "s1")
	await(t, "a", a.Elected())
	b := campaign(t, open(t, "b", e.Endpoint), "s1")
	asked := make(chan struct{}, 100)
	stuck := make(chan struct{})
	a.RenewWhile(func(ctx context.Context) error {
		asked <- struct{}{}
		select {
		case <-stuck:
			<-ctx.Done()
			return errors.New("a loop stands still")
		default:
			return nil
		}
	})
	for range 3 {
		await(t, "a is asked", asked)
	}
	require.NoError(t, a.May())
	require.True(t, isOpen(b.Elected()))
	close(stuck)
	await(t, "a is told", a.Done())
	require.ErrorContains(t, a.Err(), "a loop stands still")
	await(t, "b", b.Elected())
	require.ErrorIs(t, a.Put("k", []byte("x")), ErrLost)
}

// TestMargin: the lease is not trusted up to its end, nor from when the answer came.
func TestMargin(t *testing.T) {
	now := 100 * time.Second
	c := &Candidate{s: &Store{now: func() time.Duration { return now }}, isElected: true}
	c.trust(now, 4)
	now = 103*time.Second - 1
	require.NoError(t, c.May())
	now = 103 * time.Second
	require.ErrorIs(t, c.May(), ErrLost)
	c.trust(101*time.Second, 4) // asked for at 101, answered at 103
	require.NoError(t, c.May())
	now = 104 * time.Second
	require.ErrorIs(t, c.May(), ErrLost)
}

// TestEmbedded: what it holds is there when it starts again; nobody else can connect, and there is one.
func TestEmbedded(t *testing.T) {
	dir := folder(t)
	e, err := embedded.Start(dir, nil)
	require.NoError(t, err)
	_, err = embedded.Start(dir, nil)
	require.ErrorContains(t, err, "is another controller running")
	for _, f := range []string{"etcd.sock", "peer.sock"} {
		st, err := os.Stat(filepath.Join(dir, f))
		require.NoError(t, err, "not an abstract one, that everybody can connect to")
		require.NotZero(t, st.Mode()&os.ModeSocket)
	}
	put := func(want string) {
		s, err := Open(t.Context(), Options{Endpoints: []string{e.Endpoint}, Name: "x", TTL: time.Second})
		require.NoError(t, err)
		c, err := s.Campaign(t.Context(), "o")
		require.NoError(t, err)
		await(t, "election", c.Elected())
		require.Equal(t, want, list(t, c))
		require.NoError(t, c.Put("k", []byte("v")))
		c.Close()
		require.NoError(t, s.Close())
	}
	put("")
	e.Close()
	e, err = embedded.Start(dir, nil)
	require.NoError(t, err)
	put("k=v ")
	e.Close()

	require.NoError(t, os.Chmod(dir, 0o755))
	_, err = embedded.Start(dir, nil)
	require.ErrorContains(t, err, "other users could read or change its contents [chmod 700")
	long := filepath.Join(dir, fmt.Sprintf("%0100d", 0))
	_, err = embedded.Start(long, nil)
	require.ErrorContains(t, err, "too long")
}

// TestBadStore: what is wrong is said, and nothing is fallen back to.
func TestBadStore(t *testing.T) {
	e := server(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := Open(ctx, Options{Endpoints: []string{"unix:/nonexistent"}})
	require.ErrorContains(t, err, "etcd unix:/nonexistent: ")
	require.ErrorContains(t, err, "is it running, with a majority of its servers?")
	_, err = Open(t.Context(), Options{})
	require.ErrorContains(t, err, "no endpoint")
	_, err = Open(t.Context(), Options{Endpoints: []string{e.Endpoint}, TTL: 100 * time.Millisecond})
	require.ErrorContains(t, err, "whole seconds")
	s := open(t, "a", e.Endpoint)
	_, err = s.Campaign(t.Context(), "")
	require.ErrorContains(t, err, "without a name")
	a, b := campaign(t, s, "a"), campaign(t, s, "a/b")
	await(t, "a", a.Elected())
	await(t, "another unit, whose name begins like the other", b.Elected())
	_, err = s.etc.Put(t.Context(), DefaultPrefix+"/version", "2")
	require.NoError(t, err)
	_, err = Open(t.Context(), Options{Endpoints: []string{e.Endpoint}})
	require.ErrorContains(t, err, `has version "2", and this program reads only 1`)
	_, err = Open(t.Context(), Options{Endpoints: []string{e.Endpoint}, Prefix: "/other"})
	require.NoError(t, err)
}

// TestTLS: etcd that wants certificates gets one, and has one that is signed by whom this side believes; without
// there is no connection.
func TestTLS(t *testing.T) {
	long.Test(t)
	dir := folder(t)
	ca, other := certstest.New(t, dir, "ca"), certstest.New(t, dir, "other")
	server := ca.Issue("etcd")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := l.Addr().String()
	require.NoError(t, l.Close())
	at := []url.URL{{Scheme: "https", Host: addr}}
	peer := filepath.Join(dir, "peer.sock")
	cfg := embed.NewConfig()
	cfg.Dir, cfg.ListenClientUrls, cfg.AdvertiseClientUrls = filepath.Join(dir, "etcd"), at, at
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{{Scheme: "unix", Host: peer}}, []url.URL{{Scheme: "unix", Path: peer}}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.ClientTLSInfo = transport.TLSInfo{CertFile: server.Cert, KeyFile: server.Key, TrustedCAFile: ca.File(), ClientCertAuth: true}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	e, err := embed.StartEtcd(cfg)
	require.NoError(t, err)
	defer e.Close()
	await(t, "etcd", e.Server.ReadyNotify())
	try := func(f *certs.Files) error {
		o := Options{Endpoints: []string{addr}}
		if f != nil {
			if o.TLS, err = f.Client(nil, ""); err != nil {
				return err
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		s, err := Open(ctx, o)
		if err == nil {
			s.Close()
		}
		return err
	}
	good, stranger, expired := ca.Issue("ctrl"), other.Issue("ctrl"), ca.IssueUntil("old", time.Now().Add(-time.Minute))
	stranger.CA = ca.File()
	unbelieving := good
	unbelieving.CA = other.File()
	require.Eventually(t, func() bool { return try(&good) == nil }, time.Minute, time.Millisecond)
	for _, x := range []struct {
		f    *certs.Files
		want string
	}{
		{nil, "does it need, or lack, TLS?"}, {&certs.Files{CA: ca.File()}, "tls: certificate required"}, {&stranger, "tls: unknown certificate authority"},
		{&expired, "tls: expired certificate"}, {&unbelieving, "x509: certificate signed by unknown authority"},
	} {
		require.ErrorContains(t, try(x.f), x.want)
	}
}
