package private

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/netip"
)

// Nonce is unique to a request for a challenge: the answer is made for it, and for no other.
type Nonce [16]byte

// Digest is the first half of the SHA-256 of a request's fields.
type Digest [16]byte

func digest(fields []byte) Digest {
	sum := sha256.Sum256(fields)
	return Digest(sum[:])
}

// maxAsks bounds how many challenges a Prover asks for. More than one are needed when
// somebody else's equal request came first, or time has passed.
const maxAsks = 8

// ErrStranger is the error for a peer that does not prove that it knows the cluster's token.
var ErrStranger = errors.New("the answering side does not prove that it knows the cluster's token: no connection")

// Prover makes the requests for one connection, and checks the other side. The first request asks
// for a challenge. The next proves the token for that challenge.
//
//	REQ  nonce, digest     -->
//	                       <--  REJ  challenge, answer
//	REQ  proof             -->
//	                       <--  REP  answer
//
// Invariant: an accepted challenge was made for a nonce of this Prover by a side that knows the
// token, so after this connection began. A Challenger never gives a challenge for which it has
// accepted a proof. So nobody can have heard an answer for it before.
type Prover struct {
	secret    Secret
	request   Request
	from, to  netip.Addr
	draw      func() uint64
	challenge Challenge
	sent      *Exchange // of the last request
	asks      int
}

// Prover is for a request that is complete except for the proof, from one address to another. draw
// returns unpredictable numbers.
func (s Secret) Prover(r *Request, from, to netip.Addr, draw func() uint64) *Prover {
	return &Prover{secret: s, request: *r, from: from, to: to, draw: draw}
}

// Private returns the private data of the next REQ.
func (p *Prover) Private() ([]byte, error) {
	r := &p.request
	if p.secret.Token == 0 {
		p.secret.Sign(r)
		return r.Append(nil)
	}
	f, err := fields(r)
	if err != nil {
		return nil, err
	}
	if p.challenge == (Challenge{}) {
		r = &Request{Form: FormAsk, Cluster: p.secret.Cluster, Digest: digest(f)}
		binary.BigEndian.PutUint64(r.Nonce[:], p.draw())
		binary.BigEndian.PutUint64(r.Nonce[8:], p.draw())
		if f, err = fields(r); err != nil {
			return nil, err
		}
		r.Proof = p.secret.ask(p.from, p.to, f)
	} else {
		r.Proof = p.secret.prove(p.challenge, p.from, p.to, f)
	}
	p.sent = p.secret.exchange(p.challenge, p.from, p.to, r)
	return r.Append(nil)
}

// Refused takes the private data of the REJ that answered the last REQ, and reports whether to send
// another one. If the other side refuses, there is none to send, and proved reports whether that
// side knows the token. The error is ErrStranger for a challenge from a side that does not.
func (p *Prover) Refused(private []byte) (again, proved bool, err error) {
	why, e := ParseRefusal(private)
	switch {
	case p.secret.Token == 0:
		return false, true, nil
	case e != nil:
		return false, false, nil
	case p.challenge != (Challenge{}): // it was proved
		if why.Unproved && p.asks < maxAsks {
			p.challenge = Challenge{}
			return true, false, nil
		}
		return false, p.sent.Refused(why), nil
	case why.Challenge == (Challenge{}):
		return false, false, nil
	}
	p.sent.challenge = why.Challenge
	if !p.sent.answered(labelChallenge, nil, why.Answer) {
		return false, false, ErrStranger
	}
	p.challenge = why.Challenge
	p.asks++
	return true, false, nil
}

// Replied takes the private data of the REP that answered the last REQ. The error is ErrStranger if
// the sender does not know the token; then ignore the content.
func (p *Prover) Replied(private []byte) error {
	switch {
	case p.secret.Token == 0:
		return nil
	case p.challenge == (Challenge{}): // only a stranger takes a request for a challenge for one for a connection
		return ErrStranger
	}
	return p.sent.Replied(private)
}
