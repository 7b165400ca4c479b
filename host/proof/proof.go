// Package proof is challenge and response for servers on an rdma.Device: whoever connects proves that he
// knows the token of the cluster (p4ce.Secret). Dial is for the side that connects, a Guard for the other.
//
//	Dial       REQ, no proof         -->
//	                                 <--  REJ, challenge          Guard.Check: p4ce.Unproved
//	           REQ, proof for it     -->  Guard.Check: nil
//	                                 <--  REP
//
// A cluster without a token (0) connects with the first REQ.
package proof

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/p4ce"
)

// Dial makes a connection by a request that is complete but for the proof, from one address to another.
// dial sends one REQ, with a queue pair of its own; its error wraps an rdma.RejectedError when the peer has
// refused. It is called once more for each challenge. The error is the last call's.
func Dial[C any](s p4ce.Secret, r *p4ce.Request, from, to netip.Addr, dial func(private []byte) (C, error)) (C, error) {
	p := s.Prover(r, from, to)
	for {
		private, err := p.Private()
		if err != nil {
			var none C
			return none, err
		}
		c, err := dial(private)
		var rejected *rdma.RejectedError
		if !errors.As(err, &rejected) || !p.Refused(rejected.Private) {
			return c, err
		}
	}
}

// Guard looks after a service. Any goroutine may use it.
type Guard struct {
	secret p4ce.Secret
	start  time.Time

	mu         sync.Mutex
	challenger *p4ce.Challenger
}

// NewGuard makes a guard that lets in who knows s.
func NewGuard(s p4ce.Secret) *Guard {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it does not fail
	return &Guard{secret: s, start: time.Now(), challenger: p4ce.NewChallenger(key)}
}

// Check returns nil if a request from one address to another, which is the service's, was made by
// somebody who knows the secret; a proof is used up then. Until then the request says nothing that counts, so
// nothing is done because of it before. The error is for p4ce.Refuse.
func (g *Guard) Check(r *p4ce.Request, from, to netip.Addr) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.challenger.Check(time.Since(g.start), r, from, to, g.secret)
	return err
}

// Asks reports whether err is only that a request asks for a challenge, as the first of each connection does.
func Asks(err error) bool {
	var u *p4ce.Unproved
	return errors.As(err, &u) && u.Asks
}
