package p4ce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Secret is what the servers of one cluster know, and the controller of the switch
// between them: the number of the cluster and its token. Token 0 is no secret; then a
// proof tells clusters apart, and keeps nobody out who wants to come in.
type Secret struct {
	Cluster uint64
	Token   uint64
}

// Sign puts a proof of the secret into a request that is complete otherwise. The proofs
// of a group, of a reference and of a member are the same for one leader and term, so
// the switch can pass on what the leader has proved; that of a peer covers the request.
func (s Secret) Sign(r *Request) { r.Proof = s.proof(r) }

// Made reports whether somebody has made the request who knows the secret.
func (s Secret) Made(r *Request) bool {
	var want, got [8]byte
	binary.BigEndian.PutUint64(want[:], s.proof(r))
	binary.BigEndian.PutUint64(got[:], r.Proof)
	return hmac.Equal(want[:], got[:])
}

// proof is the first 8 bytes of the HMAC-SHA256, whose key is the token, of the magic
// number, 1 for a peer and 0 for a leader, the cluster, the server's id and its term,
// and for a peer the other fields; all of them big-endian.
func (s Secret) proof(r *Request) uint64 {
	be := binary.BigEndian
	key := be.AppendUint64(nil, s.Token)
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
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(b)
	return be.Uint64(mac.Sum(nil))
}
