// Package proof does challenge and response for servers on an rdma.Device: both sides of a
// connection prove that they know the token of the cluster (private.Secret). Dial is for the
// connecting side, and a Guard for the other side.
//
//	Dial       REQ, nonce                 -->
//	                                      <--  REJ, challenge, answer       Guard.Check: private.Unproved
//	           REQ, proof for it          -->  Guard.Check: nil
//	                                      <--  REP, answer                  private.Exchange
//
// In a cluster without a token (0), the first REQ connects, and neither side proves anything.
package proof

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Conn is a connection whose other side has not yet been checked.
type Conn interface {
	Private() []byte // of the REP
	Close() error
}

// Refused is the error for a request that a side that knows the token has refused, with its text.
// Without a token, any side may have answered.
type Refused struct {
	rdmaprivate.Refusal
	Err error
}

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// Dial connects from one address to another, with a request that is complete except for the proof.
// dial sends one REQ, with a queue pair of its own. Its error wraps an rdma.RejectedError when the
// peer has refused. Dial calls it again for each challenge. If the other side does not prove that
// it knows the token, Dial closes the connection before any use, and returns private.ErrStranger.
// Other errors are those of the last call; see Refused.
func Dial[C Conn](s rdmaprivate.Secret, r *rdmaprivate.Request, from, to netip.Addr, dial func(private []byte) (C, error)) (C, error) {
	var none C
	p := s.Prover(r, from, to, draw)
	for {
		private, err := p.Private()
		if err != nil {
			return none, err
		}
		c, err := dial(private)
		if err == nil {
			if err := p.Replied(c.Private()); err != nil {
				return none, errors.Join(fmt.Errorf("%v: %w", to, err), c.Close())
			}
			return c, nil
		}
		var rejected *rdma.RejectedError
		if !errors.As(err, &rejected) {
			return none, err
		}
		again, proved, e := p.Refused(rejected.Private)
		switch {
		case e != nil:
			return none, fmt.Errorf("%v: %w", to, e)
		case again:
			continue
		case proved:
			why, _ := rdmaprivate.ParseRefusal(rejected.Private)
			return none, &Refused{why, err}
		}
		return none, err
	}
}

func draw() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return binary.BigEndian.Uint64(b[:])
}

// Guard checks the requests to a service. Any goroutine may use it.
type Guard struct {
	secret rdmaprivate.Secret
	start  time.Time

	mu         sync.Mutex
	challenger *rdmaprivate.Challenger
}

// NewGuard makes a guard that admits peers that know s.
func NewGuard(s rdmaprivate.Secret) *Guard {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it does not fail
	return &Guard{secret: s, start: time.Now(), challenger: rdmaprivate.NewChallenger(key)}
}

// Check returns no error if the sender of a request, from one address to that of the service, knows
// the secret. It then uses the proof up. Before that, the request proves nothing, so do not act on
// it. Pass the error to private.Refuse. The service makes its answers with the Exchange, so that
// the other side believes them.
func (g *Guard) Check(r *rdmaprivate.Request, from, to netip.Addr) (*rdmaprivate.Exchange, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, x, err := g.challenger.Check(time.Since(g.start), r, from, to, g.secret)
	return x, err
}

// Accept accepts a request, and proves the content of its answer to the sender.
func Accept(ctx context.Context, req rdma.Request, x *rdmaprivate.Exchange, qp rdma.QP, says []byte) (rdma.Conn, error) {
	private, err := x.Reply(says)
	if err != nil {
		qp.Destroy()
		return nil, errors.Join(err, req.Reject(rdmaprivate.Refuse(rdmaprivate.NoSlot, err)))
	}
	return req.Accept(ctx, qp, private)
}

// Asks reports whether err only says that the request asks for a challenge, as the first request of
// each connection does.
func Asks(err error) bool {
	var u *rdmaprivate.Unproved
	return errors.As(err, &u) && u.Asks
}
