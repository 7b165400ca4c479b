package private

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
)

// Secret is known to the servers of one cluster, and to the controller of their switch: the number
// of the cluster and its token. Token 0 is no secret: a proof then tells clusters apart, and keeps
// no stranger out.
//
// A proof of a token is for a challenge of the other side (Prover, Challenger), for one request,
// and for the two addresses. It is accepted once. The answer to it is proved in turn (Exchange).
type Secret struct {
	Cluster uint64
	Token   uint64
}

// Sign completes a request that is sent without a challenge: it says, if the token is 0, that the
// sender belongs to the cluster. The value is the same for a group, a reference and a member of one
// leader and term, so that a switch that knows no clusters can pass on what the leader has sent.
// That of a peer covers the request.
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
	return binary.BigEndian.Uint64(s.sum(b))
}

// The labels of what is signed, so that nothing that one side has said is what another, or the same one at another time, has to.
const (
	labelProof     = 2 // of a request
	labelAsk       = 3 // of a request for a challenge
	labelChallenge = 4 // of the answer to that
	labelReply     = 5 // of a REP
	labelRefusal   = 6 // of a REJ to a request with a proof
)

// prove is the proof for a challenge: the first 8 bytes of the HMAC-SHA256, whose key is the token, of
// the magic number, labelProof, the cluster, the challenge, the two addresses as 16 bytes each, and the
// request's fields, which are its bytes up to the proof; all of them big-endian.
func (s Secret) prove(c Challenge, from, to netip.Addr, fields []byte) uint64 {
	return binary.BigEndian.Uint64(s.mac(labelProof, c, from, to, fields))
}

// ask is the proof of a request for a challenge: that of labelAsk, and the challenge zero. It is no secret what
// such a request says, and who has heard one can make it again. It tells those with another token, and keeps strangers from
// having something made by the token.
func (s Secret) ask(from, to netip.Addr, fields []byte) uint64 {
	return binary.BigEndian.Uint64(s.mac(labelAsk, Challenge{}, from, to, fields))
}

// mac signs by the token.
func (s Secret) mac(label byte, c Challenge, from, to netip.Addr, what []byte) []byte {
	be := binary.BigEndian
	b := append(be.AppendUint16(nil, magic), label)
	b = be.AppendUint64(b, s.Cluster)
	b = append(b, c[:]...)
	return s.sum(append(between(b, from, to), what...))
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

func (s Secret) sum(b []byte) []byte {
	mac := hmac.New(sha256.New, binary.BigEndian.AppendUint64(nil, s.Token))
	_, _ = mac.Write(b)
	return mac.Sum(nil)
}

// same compares proofs in constant time.
func same(a, b uint64) bool {
	var x, y [8]byte
	binary.BigEndian.PutUint64(x[:], a)
	binary.BigEndian.PutUint64(y[:], b)
	return hmac.Equal(x[:], y[:])
}
