package p4ce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
)

// Secret is what the servers of one cluster know, and the controller of the switch
// between them: the number of the cluster and its token. Token 0 is no secret; then a
// proof tells clusters apart, and keeps nobody out who wants to come in.
//
// A proof of a token is for a challenge of the other side (Prover, Challenger), for one
// request, and for the two addresses; it is taken once.
type Secret struct {
	Cluster uint64
	Token   uint64
}

// Sign puts into a request that is complete otherwise what is sent without a challenge: that its
// sender is of the cluster, if the token is 0. It is the same for a group, for a reference and
// for a member of one leader and term, so that a switch which knows no clusters can pass on what the
// leader has sent; that of a peer covers the request.
func (s Secret) Sign(r *Request) { r.Proof = s.sign(r) }

// sign is the first 8 bytes of the HMAC-SHA256, whose key is the token, of the magic
// number, 1 for a peer and 0 for a leader, the cluster, the server's id and its term,
// and for a peer the other fields; all of them big-endian.
func (s Secret) sign(r *Request) uint64 {
	be := binary.BigEndian
	b := be.AppendUint16(nil, magic)
	if r.Form == FormPeer {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = be.AppendUint64(b, s.Cluster)
	b = be.AppendUint16(b, r.LeaderID)
	b = be.AppendUint64(b, r.Term)
	if r.Form == FormPeer {
		b = be.AppendUint16(b, r.Peer)
		b = append(b, r.Kind, r.Route)
		b = be.AppendUint16(b, r.Version)
		b = be.AppendUint16(b, r.Port)
		b = be.AppendUint16(b, r.About)
		b = append(b, r.AboutAddr.AsSlice()...)
	}
	return s.mac(b)
}

// prove is the proof for a challenge: the first 8 bytes of the HMAC-SHA256, whose key is the token, of
// the magic number, 2, the cluster, the challenge, the two addresses as 16 bytes each, and the
// request's fields, which are its bytes up to the proof; all of them big-endian.
func (s Secret) prove(c Challenge, from, to netip.Addr, fields []byte) uint64 {
	be := binary.BigEndian
	b := append(be.AppendUint16(nil, magic), 2)
	b = be.AppendUint64(b, s.Cluster)
	b = append(b, c[:]...)
	return s.mac(append(between(b, from, to), fields...))
}

// between appends the addresses of the two sides to b.
func between(b []byte, from, to netip.Addr) []byte {
	f, t := from.As16(), to.As16()
	return append(append(b, f[:]...), t[:]...)
}

// fields are the bytes of a request that a proof is for.
func fields(r *Request) ([]byte, error) {
	b, err := r.Append(nil)
	if err != nil {
		return nil, err
	}
	return b[:proofAt], nil
}

func (s Secret) mac(b []byte) uint64 {
	mac := hmac.New(sha256.New, binary.BigEndian.AppendUint64(nil, s.Token))
	_, _ = mac.Write(b)
	return binary.BigEndian.Uint64(mac.Sum(nil))
}

// same compares proofs in constant time.
func same(a, b uint64) bool {
	var x, y [8]byte
	binary.BigEndian.PutUint64(x[:], a)
	binary.BigEndian.PutUint64(y[:], b)
	return hmac.Equal(x[:], y[:])
}

// maxProofs bounds how many challenges of one side a Prover answers. More than one are needed when
// somebody else's equal request came first, or time has passed.
const maxProofs = 8

// Prover makes the requests for one connection: the first says nothing of the token, and is answered by
// a challenge; the next proves it.
//
//	REQ  no proof        -->
//	                     <--  REJ  challenge
//	REQ  proof for it    -->
//	                     <--  REP
type Prover struct {
	secret    Secret
	request   Request
	from, to  netip.Addr
	challenge Challenge
	proofs    int
}

// Prover is for a request that is complete but for the proof, from one address to another.
func (s Secret) Prover(r *Request, from, to netip.Addr) *Prover {
	return &Prover{secret: s, request: *r, from: from, to: to}
}

// Private returns the private data of the next REQ.
func (p *Prover) Private() ([]byte, error) {
	r := &p.request
	switch {
	case p.secret.Token == 0:
		p.secret.Sign(r)
	case p.challenge == Challenge{}:
		r.Proof = 0
	default:
		f, err := fields(r)
		if err != nil {
			return nil, err
		}
		r.Proof = p.secret.prove(p.challenge, p.from, p.to, f)
	}
	return r.Append(nil)
}

// Refused takes the private data of the REJ that answered the last REQ, and reports whether it is worth
// while to send another one. It is not when the other side goes on asking for what has been proved: then it
// has another token.
func (p *Prover) Refused(private []byte) bool {
	why, err := ParseRefusal(private)
	if err != nil || why.Challenge == (Challenge{}) || why.Challenge == p.challenge || p.secret.Token == 0 || p.proofs == maxProofs {
		return false
	}
	p.challenge = why.Challenge
	p.proofs++
	return true
}
