package private

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/roce/cm"
)

const (
	magic   = 0x50ce
	version = 1

	// MaxReplicas is the largest number of replicas of a group.
	MaxReplicas = 8
	// MaxName is the longest name of a registered group, in bytes.
	MaxName = 32
	// RequestLen is the length of every REQ form: all that a REQ has room for.
	RequestLen = cm.REQUserLen
	// proofAt is where the proof is in it.
	proofAt = RequestLen - 8
	// RegionLen is the length of the REP form.
	RegionLen = 24
)

// Errors of the decoders.
var (
	ErrNotP4CE = errors.New("private data: not p4ce's (wrong magic)")
	ErrVersion = errors.New("private data: unknown version")
	ErrForm    = errors.New("private data: malformed")
)

// Form says what a REQ asks for.
type Form uint8

// The forms of a Request.
const (
	FormGroup     Form = 1 // a group of the replicas listed
	FormReference Form = 2 // a group registered with the controller
	FormMember    Form = 3 // to be a replica's leader, or the switch acting for it
	FormPeer      Form = 4 // of one server of a cluster to another
	FormRegion    Form = 5 // a further region of a running group; to the switch, and to its replicas
	FormAsk       Form = 6 // for a challenge, for another request to be made then
)

// Policy says when the leader gets its acknowledgement.
type Policy uint8

// The policies.
const (
	PolicyQuorum Policy = 0 // leader and f replicas are a strict majority
	PolicyAll    Policy = 1 // every replica

	policyNeed Policy = 8 // f-1 is added: f replicas, whatever their number
)

// PolicyNeed is the policy of a group whose leader is acknowledged when f replicas
// hold the data, 1 to MaxReplicas. A group that does not consist of all the servers
// of a cluster needs it: f comes from the size of the cluster.
func PolicyNeed(f int) Policy { return policyNeed + Policy(f-1) }

// valid reports whether a policy exists and n replicas can fulfil it.
func (p Policy) valid(n int) bool {
	return p <= PolicyAll || p >= policyNeed && p < policyNeed+MaxReplicas && p.Needed(n) <= n
}

func (p Policy) String() string {
	switch p {
	case PolicyQuorum:
		return "quorum"
	case PolicyAll:
		return "all"
	}
	if p >= policyNeed && p < policyNeed+MaxReplicas {
		return fmt.Sprintf("%d replicas", p.Needed(0))
	}
	return fmt.Sprintf("policy %d", uint8(p))
}

// ParsePolicy reads what String writes.
func ParsePolicy(s string) (Policy, error) {
	switch s {
	case "quorum":
		return PolicyQuorum, nil
	case "all":
		return PolicyAll, nil
	}
	return 0, fmt.Errorf("policy %q: want quorum or all", s)
}

// Needed returns f, the number of replicas out of n that must hold the data
// before the leader is acknowledged. Under the quorum policy leader and f
// replicas are a strict majority of the n+1 servers, for even n+1 too.
func (p Policy) Needed(n int) int {
	switch {
	case p == PolicyAll:
		return n
	case p >= policyNeed:
		return int(p-policyNeed) + 1
	}
	return (n + 1) / 2
}

// Request is the private data of a REQ.
type Request struct {
	Form     Form
	Policy   Policy       // group, reference
	LeaderID uint16       // id of the leader among the servers
	Port     uint16       // group, reference: where the replicas listen; peer: where the server that connects does
	Term     uint64       // the leader's term
	Replicas []netip.Addr // group: slot order, IPv4, 1..MaxReplicas
	Name     string       // reference: 1..MaxName bytes
	Leader   netip.Addr   // member: the leader's address, IPv4
	Slot     uint8        // member: the replica's slot, < MaxReplicas
	Proof    uint64       // that the sender is of a cluster and knows its token, see Secret

	// Of FormRegion. As long as the connection lasts, [RegionVA, RegionVA+RegionSize) of what the
	// leader addresses is the region that each replica's reply names. Leader and Slot are set
	// in what replicas get.
	GroupKey   uint32 // the group's virtual R_key
	RegionVA   uint64 // a multiple of RegionSize
	RegionSize uint64 // a power of two, in bytes

	// Of FormAsk, which has Cluster as well.
	Nonce  Nonce  // drawn for this request
	Digest Digest // of the request that is to be made

	// Of FormPeer; LeaderID is the server that connects.
	Peer    uint16 // the server that it wants to reach
	Kind    uint8  // of connection, < 16; the servers' protocol says what it means
	Route   uint8  // < 16
	Cluster uint64
	Version uint16 // of the servers' protocol
	// What is asked about another server, if Kind is a question: its id and the address
	// that it came from, IPv4 or the zero Addr.
	About     uint16
	AboutAddr netip.Addr
}

// Append appends the RequestLen bytes of r to dst.
func (r *Request) Append(dst []byte) ([]byte, error) {
	b := make([]byte, RequestLen)
	be := binary.BigEndian
	be.PutUint16(b[0:], magic)
	b[2] = version<<4 | byte(r.Form)
	be.PutUint16(b[4:], r.LeaderID)
	be.PutUint64(b[8:], r.Term)
	be.PutUint64(b[proofAt:], r.Proof)
	switch r.Form {
	case FormGroup:
		if len(r.Replicas) < 1 || len(r.Replicas) > MaxReplicas {
			return dst, fmt.Errorf("private data: group of %d replicas (want 1 to %d)", len(r.Replicas), MaxReplicas)
		}
		if !r.Policy.valid(len(r.Replicas)) {
			return dst, fmt.Errorf("private data: %v of a group of %d", r.Policy, len(r.Replicas))
		}
		b[3] = byte(r.Policy)<<4 | byte(len(r.Replicas))
		be.PutUint16(b[6:], r.Port)
		for i, a := range r.Replicas {
			if err := putAddr(b[16+4*i:], a); err != nil {
				return dst, fmt.Errorf("private data: replica %d: %w", i, err)
			}
		}
	case FormReference:
		if len(r.Name) < 1 || len(r.Name) > MaxName || bytes.IndexByte([]byte(r.Name), 0) >= 0 {
			return dst, fmt.Errorf("private data: group name %q (want 1 to %d bytes, none zero)", r.Name, MaxName)
		}
		b[3] = byte(r.Policy) << 4
		be.PutUint16(b[6:], r.Port)
		copy(b[16:], r.Name)
	case FormMember:
		if r.Slot >= MaxReplicas {
			return dst, fmt.Errorf("private data: slot %d (want 0 to %d)", r.Slot, MaxReplicas-1)
		}
		b[3] = r.Slot
		if err := putAddr(b[16:], r.Leader); err != nil {
			return dst, fmt.Errorf("private data: leader: %w", err)
		}
	case FormRegion:
		if r.Slot >= MaxReplicas {
			return dst, fmt.Errorf("private data: slot %d (want 0 to %d)", r.Slot, MaxReplicas-1)
		}
		b[3] = r.Slot
		be.PutUint16(b[6:], r.Port)
		if r.Leader.IsValid() {
			if err := putAddr(b[16:], r.Leader); err != nil {
				return dst, fmt.Errorf("private data: leader: %w", err)
			}
		}
		be.PutUint32(b[20:], r.GroupKey)
		be.PutUint64(b[24:], r.RegionVA)
		be.PutUint64(b[32:], r.RegionSize)
	case FormPeer:
		if r.Kind > 15 || r.Route > 15 {
			return dst, fmt.Errorf("private data: connection kind %d, route %d", r.Kind, r.Route)
		}
		b[3] = r.Kind<<4 | r.Route
		be.PutUint16(b[6:], r.Version)
		be.PutUint64(b[16:], r.Cluster)
		be.PutUint16(b[24:], r.Peer)
		be.PutUint16(b[26:], r.Port)
		be.PutUint16(b[28:], r.About)
		if r.AboutAddr.IsValid() {
			if err := putAddr(b[32:], r.AboutAddr); err != nil {
				return dst, fmt.Errorf("private data: server asked about: %w", err)
			}
		}
	case FormAsk:
		be.PutUint64(b[8:], r.Cluster)
		copy(b[16:], r.Nonce[:])
		copy(b[32:], r.Digest[:])
	default:
		return dst, fmt.Errorf("private data: form %d does not exist", r.Form)
	}
	return append(dst, b...), nil
}

func putAddr(b []byte, a netip.Addr) error {
	a = a.Unmap()
	if !a.Is4() {
		return fmt.Errorf("address %v is not IPv4 (name larger or IPv6 groups by reference)", a)
	}
	v := a.As4()
	copy(b, v[:])
	return nil
}

// ParseRequest reads the private data of a REQ, without rdma_cm's header.
func ParseRequest(b []byte) (Request, error) {
	var r Request
	if err := check(b, RequestLen); err != nil {
		return r, err
	}
	be := binary.BigEndian
	r.Form = Form(b[2] & 0xf)
	r.LeaderID = be.Uint16(b[4:])
	r.Term = be.Uint64(b[8:])
	r.Proof = be.Uint64(b[proofAt:])
	switch r.Form {
	case FormGroup:
		r.Policy, r.Port = Policy(b[3]>>4), be.Uint16(b[6:])
		n := int(b[3] & 0xf)
		if n < 1 || n > MaxReplicas || !r.Policy.valid(n) {
			return r, ErrForm
		}
		for i := range n {
			r.Replicas = append(r.Replicas, netip.AddrFrom4([4]byte(b[16+4*i:])))
		}
	case FormReference:
		r.Policy, r.Port = Policy(b[3]>>4), be.Uint16(b[6:])
		name, rest, _ := bytes.Cut(b[16:48], []byte{0})
		if len(name) == 0 || b[3]&0xf != 0 || !r.Policy.valid(MaxReplicas) || len(bytes.Trim(rest, "\x00")) != 0 {
			return r, ErrForm
		}
		r.Name = string(name)
	case FormMember:
		r.Slot = b[3]
		r.Leader = netip.AddrFrom4([4]byte(b[16:20]))
		if r.Slot >= MaxReplicas {
			return r, ErrForm
		}
	case FormRegion:
		r.Slot, r.Port, r.GroupKey = b[3], be.Uint16(b[6:]), be.Uint32(b[20:])
		r.RegionVA, r.RegionSize = be.Uint64(b[24:]), be.Uint64(b[32:])
		if a := [4]byte(b[16:]); a != [4]byte{} {
			r.Leader = netip.AddrFrom4(a)
		}
		if r.Slot >= MaxReplicas {
			return r, ErrForm
		}
	case FormPeer:
		r.Kind, r.Route, r.Version = b[3]>>4, b[3]&0xf, be.Uint16(b[6:])
		r.Cluster, r.Peer, r.Port = be.Uint64(b[16:]), be.Uint16(b[24:]), be.Uint16(b[26:])
		r.About = be.Uint16(b[28:])
		if a := [4]byte(b[32:]); a != [4]byte{} {
			r.AboutAddr = netip.AddrFrom4(a)
		}
	case FormAsk:
		r.Cluster, r.Term = be.Uint64(b[8:]), 0
		r.Nonce, r.Digest = Nonce(b[16:]), Digest(b[32:])
	default:
		return r, ErrForm
	}
	return r, nil
}

func check(b []byte, n int) error {
	switch {
	case len(b) < n:
		return ErrForm
	case binary.BigEndian.Uint16(b) != magic:
		return ErrNotP4CE
	case b[2]>>4 != version:
		return ErrVersion
	}
	return nil
}

// Region is the private data of a REP: the memory that the connection may
// write, as replica to switch and as switch to leader.
type Region struct {
	VA   uint64
	Size uint64 // bytes
	RKey uint32
}

// Append appends the RegionLen bytes of r to dst.
func (r Region) Append(dst []byte) []byte {
	b := make([]byte, RegionLen)
	binary.BigEndian.PutUint16(b[0:], magic)
	b[2] = version << 4
	binary.BigEndian.PutUint32(b[4:], r.RKey)
	binary.BigEndian.PutUint64(b[8:], r.VA)
	binary.BigEndian.PutUint64(b[16:], r.Size)
	return append(dst, b...)
}

// ParseRegion reads the private data of a REP.
func ParseRegion(b []byte) (Region, error) {
	if err := check(b, RegionLen); err != nil {
		return Region{}, err
	}
	r := Region{
		VA: binary.BigEndian.Uint64(b[8:]), Size: binary.BigEndian.Uint64(b[16:]),
		RKey: binary.BigEndian.Uint32(b[4:]),
	}
	if r.VA+r.Size < r.VA {
		return Region{}, ErrForm
	}
	return r, nil
}

// MaxText is the longest text of a Refusal, in bytes. One with a Challenge or an Answer has less room.
const MaxText = cm.REJPrivateLen - 4

// The forms of a Refusal.
const (
	formRefusal   = 0
	formChallenge = 1
	formUnproved  = 2
	formAnswer    = 3
)

// Refusal is the private data of a REJ with reason "rejected by the consumer":
// why, in words that a person can act on.
type Refusal struct {
	Slot uint8 // the replica concerned, or NoSlot
	Text string
	// Challenge is the challenge for the next request of the side that has asked. Zero: none.
	Challenge Challenge
	// Answer proves that the refusing side knows the cluster's token: with the Challenge to a side
	// that has asked, and to a request with a proof (Exchange). Zero: no proof.
	Answer Answer
	// Unproved: the request has no valid proof, or one that is no longer valid. A side that knows the
	// token then asks for a challenge.
	Unproved bool
}

// NoSlot is the slot of a Refusal that concerns no single replica.
const NoSlot = 0xff

// form is the form that r is encoded in.
func (r *Refusal) form() byte {
	switch {
	case r.Challenge != (Challenge{}):
		return formChallenge
	case r.Unproved:
		return formUnproved
	case r.Answer != (Answer{}):
		return formAnswer
	}
	return formRefusal
}

// Append appends r to dst; a longer text is cut.
func (r Refusal) Append(dst []byte) []byte {
	form := r.form()
	b := []byte{magic >> 8, magic & 0xff, version<<4 | form, r.Slot}
	if form == formChallenge {
		b = append(b, r.Challenge[:]...)
	}
	if form == formChallenge || form == formAnswer {
		b = append(b, r.Answer[:]...)
	}
	return append(append(dst, b...), r.Text[:min(len(r.Text), cm.REJPrivateLen-len(b))]...)
}

// ParseRefusal reads the private data of a REJ.
func ParseRefusal(b []byte) (Refusal, error) {
	if err := check(b, 4); err != nil {
		return Refusal{}, err
	}
	r, rest := Refusal{Slot: b[3]}, b[4:min(len(b), cm.REJPrivateLen)]
	form := b[2] & 0xf
	if form == formChallenge {
		if len(rest) < ChallengeLen {
			return Refusal{}, ErrForm
		}
		r.Challenge, rest = Challenge(rest), rest[ChallengeLen:]
	}
	if form == formChallenge || form == formAnswer {
		if len(rest) < AnswerLen {
			return Refusal{}, ErrForm
		}
		r.Answer, rest = Answer(rest), rest[AnswerLen:]
	}
	r.Unproved = form == formUnproved
	if r.form() != form {
		return Refusal{}, ErrForm
	}
	text, _, _ := bytes.Cut(rest, []byte{0})
	r.Text = string(text)
	return r, nil
}

// Refuse is the private data of a REJ that says why: err's text, and if it is an Unproved, what is to be proved.
func Refuse(slot uint8, err error) []byte {
	r := Refusal{Slot: slot, Text: err.Error()}
	var u *Unproved
	if errors.As(err, &u) {
		r.Challenge, r.Answer, r.Unproved = u.Challenge, u.Answer, !u.Asks
	}
	return r.Append(nil)
}
