package private

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/netip"
	"time"
)

// ChallengeLen is the length of a Challenge in bytes.
const ChallengeLen = 16

// Challenge is what a proof of a token is for. It looks random, and is never zero.
type Challenge [ChallengeLen]byte

// slotLen is the length of a slot of time. A challenge is good in the slot in which it was made, and in the next.
const slotLen = 10 * time.Second

// maxTaken bounds what a Challenger remembers.
const maxTaken = 1 << 14

// Unproved is the error for a request without a proof that counts.
type Unproved struct {
	Text string
	Asks bool // the request asks for a challenge, from a side that knows the token, or has overheard one that does
	// For a side that asks: the challenge, and a proof that it is from a side that knows the token.
	Challenge Challenge
	Answer    Answer
}

func (u *Unproved) Error() string { return u.Text }

// Texts of an Unproved, and of the refusal where nobody has a token.
const (
	textAsks  = "a proof of the cluster's token is required"
	textWrong = "wrong token, or another cluster's"
	textNone  = "no proof of the cluster's token (earlier versions send such requests) [give all servers and the controller the same version]"
)

// Challenger is the side that asks for proofs. It keeps nothing for a challenge, and remembers the proofs that it has
// taken for as long as they would be good. It is not synchronised.
//
// Invariant: a challenge is a function of the key, the request's fields and addresses, the slot, how
// many proofs for these have been taken in it, and how often everything was forgotten. So a proof that was taken
// is not good again: one that is taken changes the challenge for that request, and for no other.
type Challenger struct {
	key       [32]byte
	slot      uint64
	forgotten uint64
	taken     [2]map[subject]uint64 // proofs, by the last bit of their slot
}

// subject is the digest of a request and its addresses.
type subject [16]byte

// NewChallenger makes a challenger. The key must be unpredictable, and new whenever the process
// starts: a new process does not know which proofs were accepted before.
func NewChallenger(key [32]byte) *Challenger {
	return &Challenger{key: key, taken: [2]map[subject]uint64{{}, {}}}
}

// Check finds the secret by which a request was made, from one address to another, and by what its answer is to be proved:
// nothing where there is no token. The error of one that may succeed with a proof is an Unproved. now is a duration since
// any fixed moment; a request of the past is one of the present.
func (c *Challenger) Check(now time.Duration, r *Request, from, to netip.Addr, secrets ...Secret) (int, *Exchange, error) {
	c.advance(uint64(now / slotLen))
	if r.Form == FormAsk {
		return -1, nil, c.asked(r, from, to, secrets)
	}
	asks := false
	for i, s := range secrets {
		if s.Token != 0 {
			asks = true
		} else if same(s.sign(r), r.Proof) {
			return i, nil, nil
		}
	}
	if !asks {
		return -1, nil, errors.New(textWrong)
	}
	f, err := fields(r)
	if err != nil {
		return -1, nil, err
	}
	about := c.subject(digest(f), from, to)
	for age := range min(c.slot, 1) + 1 {
		challenge := c.challenge(c.slot-age, about)
		for i, s := range secrets {
			if s.Token != 0 && same(s.prove(challenge, from, to, f), r.Proof) {
				c.take(c.slot-age, about)
				return i, s.exchange(challenge, from, to, r), nil
			}
		}
	}
	if r.Proof == 0 {
		return -1, nil, &Unproved{Text: textNone}
	}
	return -1, nil, &Unproved{Text: textWrong}
}

// asked challenges who asks for that and knows a token.
func (c *Challenger) asked(r *Request, from, to netip.Addr, secrets []Secret) error {
	f, err := fields(r)
	if err != nil {
		return err
	}
	for _, s := range secrets {
		if s.Token != 0 && same(s.ask(from, to, f), r.Proof) {
			challenge := c.challenge(c.slot, c.subject(r.Digest, from, to))
			return &Unproved{Text: textAsks, Asks: true, Challenge: challenge, Answer: s.exchange(challenge, from, to, r).answer(labelChallenge, nil)}
		}
	}
	return errors.New(textWrong)
}

// advance forgets the proofs for challenges that are over.
func (c *Challenger) advance(slot uint64) {
	for ; c.slot < slot; c.slot++ {
		if c.slot+2 < slot {
			c.slot = slot - 2
		}
		clear(c.taken[(c.slot+1)%2])
	}
}

// take remembers a proof. When there is no room all challenges are made void instead, and whoever
// has one asks once more.
func (c *Challenger) take(slot uint64, about subject) {
	if len(c.taken[0])+len(c.taken[1]) >= maxTaken {
		c.forgotten++
		clear(c.taken[0])
		clear(c.taken[1])
		return
	}
	c.taken[slot%2][about]++
}

func (c *Challenger) subject(of Digest, from, to netip.Addr) subject {
	return subject(c.mac(append(between([]byte{0}, from, to), of[:]...)))
}

func (c *Challenger) challenge(slot uint64, about subject) Challenge {
	be := binary.BigEndian
	b := append([]byte{1}, about[:]...)
	b = be.AppendUint64(b, slot)
	b = be.AppendUint64(b, c.forgotten)
	return Challenge(c.mac(be.AppendUint64(b, c.taken[slot%2][about])))
}

func (c *Challenger) mac(b []byte) []byte {
	mac := hmac.New(sha256.New, c.key[:])
	_, _ = mac.Write(b)
	return mac.Sum(nil)[:16]
}
