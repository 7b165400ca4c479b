package proof_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

var (
	secret = rdmaprivate.Secret{Cluster: 42, Token: 5}
	asked  = rdmaprivate.Request{Form: rdmaprivate.FormPeer, LeaderID: 1, Peer: 2, Cluster: 42}
)

// verdict is what a service has said to a request.
type verdict struct {
	err error
}

// service is guarded, and on a hub with a client.
type service struct {
	t        *testing.T
	hub      *hub.Hub
	client   rdma.Device
	to       netip.AddrPort
	verdicts chan verdict

	mu     sync.Mutex
	frames [][]byte // of the client's REQs
}

func newService(t *testing.T, secret rdmaprivate.Secret) *service {
	s := &service{t: t, hub: hub.New(), to: netip.AddrPortFrom(hosttest.Addr(2), hosttest.Port), verdicts: make(chan verdict, 1024)}
	s.client = roce.RDMA(hosttest.Device(t, s.hub, hosttest.Addr(1)), roce.QPConfig{})
	dev := roce.RDMA(hosttest.Device(t, s.hub, s.to.Addr()), roce.QPConfig{})
	ln, err := dev.Listen(s.to.Port())
	require.NoError(t, err)
	s.hub.SetFilter(func(f []byte) bool {
		if _, _, ok := request(f); ok {
			s.mu.Lock()
			s.frames = append(s.frames, append([]byte{}, f...))
			s.mu.Unlock()
		}
		return true
	})
	guard := proof.NewGuard(secret)
	ctx := hosttest.Context(t)
	go func() {
		for {
			req, err := ln.Accept(ctx)
			if err != nil {
				return
			}
			r, err := rdmaprivate.ParseRequest(req.Private())
			var x *rdmaprivate.Exchange
			if err == nil {
				x, err = guard.Check(&r, req.RemoteAddr(), dev.Addr())
			}
			if err != nil {
				s.verdicts <- verdict{err}
				_ = req.Reject(rdmaprivate.Refuse(7, err))
				continue
			}
			go func() {
				defer func() { s.verdicts <- verdict{} }()
				if qp, err := dev.CreateQP(rdma.QPConfig{}); err == nil {
					_, _ = proof.Accept(ctx, req, x, qp, []byte("here"))
				}
			}()
		}
	}()
	return s
}

// request is the REQ that a frame carries.
func request(f []byte) (p wire.Packet, m *cm.REQ, ok bool) {
	if wire.Parse(f, &p) != nil || !cm.IsFrame(&p) {
		return p, nil, false
	}
	_, got, err := cm.DecodeFrame(&p)
	m, ok = got.(*cm.REQ)
	return p, m, ok && err == nil
}

func (s *service) heard() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames
}

func (s *service) dial(secret rdmaprivate.Secret, from netip.Addr) (rdma.Conn, error) {
	r := asked
	return proof.Dial(secret, &r, from, s.to.Addr(), func(private []byte) (rdma.Conn, error) {
		qp, err := s.client.CreateQP(rdma.QPConfig{})
		if err != nil {
			return nil, err
		}
		return s.client.Dial(hosttest.Context(s.t), s.to, qp, private)
	})
}

func (s *service) said() verdict {
	s.t.Helper()
	select {
	case v := <-s.verdicts:
		return v
	case <-time.After(20 * time.Second):
		require.Fail(s.t, "no request has come")
		return verdict{}
	}
}

// send sends a request with the contents of an old frame, as another connection with another queue pair.
func (s *service) send(port *hub.Port, frame []byte, n int) {
	p, m, ok := request(frame)
	require.True(s.t, ok)
	again := *m
	again.LocalCommID, again.LocalQPN = uint32(n), uint32(n)
	f, err := cm.AppendFrame(nil, cm.FrameHeader{Src: p.IP.Src(), Dst: p.IP.Dst()}, uint64(n), &again)
	require.NoError(s.t, err)
	port.Send(f)
}

func (s *service) connect() rdma.Conn {
	s.t.Helper()
	conn, err := s.dial(secret, hosttest.Addr(1))
	require.NoError(s.t, err)
	require.True(s.t, proof.Asks(s.said().err))
	require.NoError(s.t, s.said().err)
	return conn
}

// TestRepeatedRequest: who has heard all of a connection's requests, and sends them again from the same address while
// it lasts and after it has ended, does not get one.
func TestRepeatedRequest(t *testing.T) {
	s := newService(t, secret)
	conn := s.connect()
	heard := s.heard()
	require.Len(t, heard, 2)
	attacker, err := s.hub.Attach(hosttest.Addr(3), 64)
	require.NoError(t, err)
	n := 0x777
	repeat := func() {
		for i, f := range heard {
			n++
			s.send(attacker, f, n)
			v := s.said()
			require.Error(t, v.err)
			require.Equal(t, i == 0, proof.Asks(v.err))
		}
	}
	repeat()
	require.NoError(t, conn.Err())
	require.NoError(t, conn.Close())
	repeat()
	again := s.connect()
	repeat()
	require.NoError(t, again.Err(), "the client itself connects, and stays connected")
}

// TestTokens: a client with another token, or with none, is told so, after as few requests as there can be; one
// that says another address than it has is not let in.
func TestTokens(t *testing.T) {
	s := newService(t, secret)
	for _, c := range []struct {
		secret   rdmaprivate.Secret
		from     int
		requests int
	}{{rdmaprivate.Secret{Cluster: 42, Token: 6}, 1, 1}, {rdmaprivate.Secret{Cluster: 43, Token: 5}, 1, 1}, {rdmaprivate.Secret{Cluster: 42}, 1, 1}, {secret, 9, 1}} {
		_, err := s.dial(c.secret, hosttest.Addr(c.from))
		var rejected *rdma.RejectedError
		require.ErrorAs(t, err, &rejected)
		why, err := rdmaprivate.ParseRefusal(rejected.Private)
		require.NoError(t, err)
		require.Equal(t, "wrong token, or another cluster's", why.Text)
		require.EqualValues(t, 7, why.Slot)
		for range c.requests {
			require.Error(t, s.said().err)
		}
		require.Empty(t, s.verdicts)
	}
	s.connect()

	// Without a token there is one request, and no challenge.
	s = newService(t, rdmaprivate.Secret{Cluster: 42})
	_, err := s.dial(rdmaprivate.Secret{Cluster: 42}, hosttest.Addr(1))
	require.NoError(t, err)
	require.NoError(t, s.said().err)
	for _, o := range []rdmaprivate.Secret{{Cluster: 43}, secret} {
		_, err = s.dial(o, hosttest.Addr(1))
		var rejected *rdma.RejectedError
		require.ErrorAs(t, err, &rejected)
		require.ErrorContains(t, s.said().err, "wrong token, or another cluster's")
		require.Empty(t, s.verdicts)
	}
	require.Len(t, s.heard(), 3)
}

// TestAtOnce: connections from one address by the same request at the same time all come about.
func TestAtOnce(t *testing.T) {
	s := newService(t, secret)
	const n = 6
	errs := make(chan error, n)
	for range n {
		go func() {
			_, err := s.dial(secret, hosttest.Addr(1))
			errs <- err
		}()
	}
	for range n {
		require.NoError(t, <-errs)
	}
}

// TestDialErrors: what is no challenge ends it.
func TestDialErrors(t *testing.T) {
	calls := 0
	dial := func(err error) error {
		calls = 0
		r := asked
		_, err = proof.Dial(secret, &r, hosttest.Addr(1), hosttest.Addr(2), func([]byte) (rdma.Conn, error) {
			calls++
			return nil, err
		})
		return err
	}
	for _, err := range []error{
		context.Canceled, &rdma.RejectedError{Reason: cm.ReasonInvalidServiceID},
		&rdma.RejectedError{Reason: cm.ReasonConsumer, Private: rdmaprivate.Refusal{Text: "no"}.Append(nil)},
	} {
		require.ErrorIs(t, dial(fmt.Errorf("wrapped: %w", err)), err)
		require.Equal(t, 1, calls)
	}
	_, err := proof.Dial(secret, &rdmaprivate.Request{}, hosttest.Addr(1), hosttest.Addr(2), func([]byte) (rdma.Conn, error) { return nil, nil })
	require.ErrorContains(t, err, "form 0 does not exist")
}

// TestKeys: no two guards have the same challenges.
func TestKeys(t *testing.T) {
	seen := map[rdmaprivate.Challenge]bool{}
	for range 10 {
		var u *rdmaprivate.Unproved
		private, err := secret.Prover(&asked, hosttest.Addr(1), hosttest.Addr(2), rand.Uint64).Private()
		require.NoError(t, err)
		r, err := rdmaprivate.ParseRequest(private)
		require.NoError(t, err)
		_, err = proof.NewGuard(secret).Check(&r, hosttest.Addr(1), hosttest.Addr(2))
		require.ErrorAs(t, err, &u)
		require.False(t, seen[u.Challenge])
		seen[u.Challenge] = true
	}
}
