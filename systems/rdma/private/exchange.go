package private

import (
	"crypto/hmac"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/roce/cm"
)

// AnswerLen is the length of an Answer in bytes.
const AnswerLen = 16

// Answer is by what the side that was connected to shows that it knows the token: the first 16 bytes of the
// HMAC-SHA256, whose key is the token, of the magic number, a label, the cluster, the challenge, the two addresses, the
// request with its proof or nonce, and what is answered.
type Answer [AnswerLen]byte

// Where the proof of a REP is. Private data of a REP always have their full length on the wire, with zeros behind what a side has
// given, so that the end is where both sides find it:
//
//	0              176     178     179  180
//	| what it says | magic | ver·4 | 0  | answer |
const (
	replyAt   = cm.REPPrivateLen - AnswerLen - 4
	formReply = 4

	// MaxReply is how much a REP may say where there is a token.
	MaxReply = replyAt
)

// Exchange is one request, as both sides know it, and the means to prove its answer. A nil Exchange
// is for a cluster without a token: its answers have no proof.
type Exchange struct {
	secret    Secret
	challenge Challenge
	from, to  netip.Addr
	request   [RequestLen]byte
}

// exchange is that of a request which could be encoded.
func (s Secret) exchange(c Challenge, from, to netip.Addr, r *Request) *Exchange {
	x := &Exchange{secret: s, challenge: c, from: from, to: to}
	b, _ := r.Append(nil)
	copy(x.request[:], b)
	return x
}

// Named is the Exchange of a request that was never made before, and that is accepted once: its
// name was drawn for it.
func (s Secret) Named(r *Request, from, to netip.Addr) *Exchange {
	if s.Token == 0 {
		return nil
	}
	return s.exchange(Challenge{}, from, to, r)
}

func (x *Exchange) answer(label byte, says []byte) Answer {
	return Answer(x.secret.mac(label, x.challenge, x.from, x.to, append(x.request[:], says...)))
}

// answered compares in constant time.
func (x *Exchange) answered(label byte, says []byte, a Answer) bool {
	want := x.answer(label, says)
	return hmac.Equal(want[:], a[:])
}

// Reply is the private data of a REP with this content.
func (x *Exchange) Reply(says []byte) ([]byte, error) {
	if x == nil {
		return says, nil
	}
	if len(says) > MaxReply {
		return nil, fmt.Errorf("private data: reply of %d bytes (at most %d fit with a proof)", len(says), MaxReply)
	}
	b := make([]byte, cm.REPPrivateLen)
	copy(b, says)
	binary.BigEndian.PutUint16(b[replyAt:], magic)
	b[replyAt+2] = version<<4 | formReply
	a := x.answer(labelReply, b[:replyAt])
	copy(b[replyAt+4:], a[:])
	return b, nil
}

// Replied checks the private data of a REP. Its error is ErrStranger.
func (x *Exchange) Replied(private []byte) error {
	if x == nil {
		return nil
	}
	if len(private) < cm.REPPrivateLen {
		return ErrStranger
	}
	says, end := private[:replyAt], private[replyAt:cm.REPPrivateLen]
	if check(end, 4) != nil || end[2]&0xf != formReply || !x.answered(labelReply, says, Answer(end[4:])) {
		return ErrStranger
	}
	return nil
}

// Refuse is the private data of a REJ with the reason, and with a proof of it for the other side.
func (x *Exchange) Refuse(slot uint8, err error) []byte {
	if x == nil {
		return Refuse(slot, err)
	}
	r := Refusal{Slot: slot, Text: err.Error()}
	r.Text = r.Text[:min(len(r.Text), MaxText-AnswerLen)]
	r.Answer = x.answer(labelRefusal, append([]byte{slot}, r.Text...))
	return r.Append(nil)
}

// Refused reports whether a refusal is from a side that knows the token.
func (x *Exchange) Refused(r Refusal) bool {
	return x == nil || x.answered(labelRefusal, append([]byte{r.Slot}, r.Text...), r.Answer)
}
