package private

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
)

// TestBytes: what is sent.
func TestBytes(t *testing.T) {
	p := ours.Prover(&Request{Form: FormMember, LeaderID: 3, Term: 9, Leader: a, Slot: 2}, a, b, fixed())
	ask, err := p.Private()
	require.NoError(t, err)
	require.Equal(t, "50ce1600000000000000000000000001c4f5a58656eef5109dcec3ad077dec6c2edab211e8d54bb8e586aced7e47fce5"+"804a4c60cff4afd3", hex.EncodeToString(ask))
	c := NewChallenger([32]byte{1})
	r, err := ParseRequest(ask)
	require.NoError(t, err)
	_, _, err = c.Check(25*time.Second, &r, a, b, ours)
	rej := Refuse(2, err)
	require.Equal(t, "50ce1102f0c96e770a00f076ba0b0d80903bbacb0f7d7c46ccdd745412f422284b006e4c"+hex.EncodeToString([]byte(textAsks)), hex.EncodeToString(rej))
	again, _, err := p.Refused(rej)
	require.NoError(t, err)
	require.True(t, again)
	req, err := p.Private()
	require.NoError(t, err)
	require.Equal(t, "50ce13020003000000000000000000090a00000100000000000000000000000000000000000000000000000000000000"+"d67bf2ec1383aae6", hex.EncodeToString(req))
	r, err = ParseRequest(req)
	require.NoError(t, err)
	_, x, err := c.Check(25*time.Second, &r, a, b, ours)
	require.NoError(t, err)
	rep, err := x.Reply([]byte{1, 2, 3})
	require.NoError(t, err)
	require.Equal(t, "010203"+strings.Repeat("00", MaxReply-3)+"50ce1400"+"892e29f068644488ffb548f303805035", hex.EncodeToString(rep))
	require.NoError(t, p.Replied(rep))
	no := x.Refuse(2, errors.New("no"))
	require.Equal(t, "50ce1302"+"11c12a78109405dcd7fd69cdfcb61895"+"6e6f", hex.EncodeToString(no))
	again, proved, err := p.Refused(no)
	require.NoError(t, err)
	require.False(t, again)
	require.True(t, proved)
}

// exchanged are both sides of a connection, up to the answer.
func exchanged(t *testing.T, c *Challenger, s Secret, r Request, from, to netip.Addr) (*Prover, *Exchange) {
	t.Helper()
	p := challenged(t, c, 0, s, r, from, to)
	_, x, err := c.Check(0, sent(t, p), from, to, s)
	require.NoError(t, err)
	return p, x
}

// TestReply: a reply is taken from whoever has the token, for the request that was made, and as it was given.
func TestReply(t *testing.T) {
	c := NewChallenger([32]byte{1})
	region := Region{VA: 0x1000, Size: 64, RKey: 7}.Append(nil)
	for _, q := range requests {
		if q.Form == FormAsk {
			continue
		}
		p, x := exchanged(t, c, ours, q, a, b)
		good, err := x.Reply(region)
		require.NoError(t, err)
		require.Len(t, good, cm.REPPrivateLen)
		require.Equal(t, region, good[:RegionLen], "what it says is where it was")
		require.NoError(t, p.Replied(good))
		for i := range good {
			if i == replyAt+3 {
				continue // it means nothing
			}
			good[i] ^= 1
			require.ErrorIs(t, p.Replied(good), ErrStranger, "byte %d", i)
			good[i] ^= 1
		}
		bad := func(name string, change func(*Exchange)) {
			t.Helper()
			y := *x
			change(&y)
			b, err := y.Reply(region)
			require.NoError(t, err)
			require.ErrorIs(t, p.Replied(b), ErrStranger, name)
		}
		bad("another token", func(x *Exchange) { x.secret.Token++ })
		bad("another cluster", func(x *Exchange) { x.secret.Cluster++ })
		bad("another challenge", func(x *Exchange) { x.challenge[0]++ })
		bad("another source", func(x *Exchange) { x.from = b })
		bad("another target", func(x *Exchange) { x.to = a })
		bad("the other way round", func(x *Exchange) { x.from, x.to = x.to, x.from })
		for i := range RequestLen {
			bad("another request, or proof", func(x *Exchange) { x.request[i]++ })
		}
		require.NoError(t, p.Replied(good))
		for _, b := range [][]byte{nil, region, good[:cm.REPPrivateLen-1], make([]byte, cm.REPPrivateLen)} {
			require.ErrorIs(t, p.Replied(b), ErrStranger)
		}
	}
	p, x := exchanged(t, c, ours, requests[0], a, b)
	long, err := x.Reply(make([]byte, MaxReply))
	require.NoError(t, err)
	require.NoError(t, p.Replied(long))
	_, err = x.Reply(make([]byte, MaxReply+1))
	require.ErrorContains(t, err, "reply of 177 bytes (at most 176 fit with a proof)")
}

// TestReplayedAnswers: who has heard all that was said to a server in earlier connections, of the same request between the same
// addresses, has nothing to say in the next one.
func TestReplayedAnswers(t *testing.T) {
	c := NewChallenger([32]byte{1})
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	var rejs, reps [][]byte
	for range 3 {
		p := ours.Prover(&q, a, b, rand.Uint64)
		_, _, err := c.Check(0, sent(t, p), a, b, ours)
		rejs = append(rejs, Refuse(0, err))
		_, _, err = p.Refused(rejs[len(rejs)-1])
		require.NoError(t, err)
		_, x, err := c.Check(0, sent(t, p), a, b, ours)
		require.NoError(t, err)
		rep, err := x.Reply(nil)
		require.NoError(t, err)
		require.NoError(t, p.Replied(rep))
		reps = append(reps, rep, x.Refuse(0, errors.New("member")))
	}
	try := func(name string, p *Prover) {
		t.Helper()
		for _, b := range append(reps, rejs...) {
			require.ErrorIs(t, p.Replied(b), ErrStranger, name)
			q := *p
			sent := *p.sent
			q.sent = &sent
			again, proved, _ := q.Refused(b)
			require.False(t, again || proved, name)
		}
	}
	p := ours.Prover(&q, a, b, rand.Uint64)
	sent(t, p)
	try("to a request for a challenge", p)
	for _, rej := range rejs {
		_, _, err := p.Refused(rej)
		require.ErrorIs(t, err, ErrStranger)
	}
	p, _ = exchanged(t, c, ours, q, a, b)
	try("to a request with a proof", p)

	// Even if somebody had a challenge of before believed, a challenge for which there is an answer is not given again.
	seen := map[Challenge]bool{}
	for range 50 {
		p, _ := exchanged(t, c, ours, q, a, b)
		require.False(t, seen[p.challenge])
		seen[p.challenge] = true
	}
}

// TestReflected: what a server says is of no use to answer it with, nor is what it says in one place in another.
func TestReflected(t *testing.T) {
	c := NewChallenger([32]byte{1})
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	p := ours.Prover(&q, a, b, rand.Uint64)
	ask := sent(t, p)
	f, err := fields(ask)
	require.NoError(t, err)
	x := ours.exchange(Challenge{}, a, b, ask)
	labels := []byte{labelProof, labelAsk, labelReply, labelRefusal}
	for _, l := range labels {
		x.challenge = Challenge{7}
		for _, says := range [][]byte{nil, {0}, make([]byte, replyAt)} {
			for _, answer := range []Answer{x.answer(l, says), Answer(ours.mac(l, x.challenge, a, b, f))} {
				_, _, err := p.Refused(Refusal{Challenge: x.challenge, Answer: answer}.Append(nil))
				require.ErrorIs(t, err, ErrStranger, "label %d", l)
			}
		}
	}
	p, x = exchanged(t, c, ours, q, a, b)
	for _, l := range []byte{labelProof, labelAsk, labelChallenge, labelRefusal} {
		reply, err := x.Reply(nil)
		require.NoError(t, err)
		answer := x.answer(l, reply[:replyAt])
		copy(reply[replyAt+4:], answer[:])
		require.ErrorIs(t, p.Replied(reply), ErrStranger, "label %d", l)
	}
	for _, l := range []byte{labelProof, labelAsk, labelChallenge, labelReply} {
		_, proved, _ := p.Refused(Refusal{Text: "member", Answer: x.answer(l, append([]byte{0}, "member"...))}.Append(nil))
		require.False(t, proved, "label %d", l)
	}
	// A request for a challenge is no proof, and the other way round.
	ask = sent(t, ours.Prover(&q, a, b, rand.Uint64))
	other := q
	other.Proof = ask.Proof
	unproved(t, c, 0, other, a, b)
	ask.Proof = proved(t, c, 0, ours, q, a, b).Proof
	_, _, err = c.Check(0, ask, a, b, ours)
	require.EqualError(t, err, textWrong)
}

// TestAsk: challenges are for who knows the token, or has heard one who does: strangers have nothing made by it.
func TestAsk(t *testing.T) {
	c := NewChallenger([32]byte{1})
	ask := func(s Secret) Request {
		return *sent(t, s.Prover(&Request{Form: FormPeer, Cluster: 1}, a, b, rand.Uint64))
	}
	refused := func(name string, r Request, from, to netip.Addr) {
		t.Helper()
		_, _, err := c.Check(0, &r, from, to, Secret{7, 0}, ours)
		require.EqualError(t, err, textWrong, name)
		var u *Unproved
		require.False(t, errors.As(err, &u), name)
	}
	good := ask(ours)
	refused("another token", ask(Secret{1, 6}), a, b)
	refused("another cluster", ask(Secret{2, 5}), a, b)
	refused("from elsewhere", good, b, b)
	refused("to elsewhere", good, a, a)
	for name, change := range map[string]func(*Request){
		"nonce": func(r *Request) { r.Nonce[15]++ }, "digest": func(r *Request) { r.Digest[15]++ }, "cluster": func(r *Request) { r.Cluster++ }, "proof": func(r *Request) { r.Proof++ },
	} {
		r := good
		change(&r)
		refused(name, r, a, b)
	}
	require.NotEqual(t, good.Nonce, ask(ours).Nonce)
	_, _, err := c.Check(0, &good, a, b, Secret{7, 0}, Secret{8, 8}, ours)
	var u *Unproved
	require.ErrorAs(t, err, &u)
	require.True(t, u.Asks)

	// Without a token nobody is challenged.
	_, _, err = c.Check(0, &good, a, b, Secret{Cluster: 1})
	require.EqualError(t, err, textWrong)
	// An earlier version makes a request without a proof first. It is told.
	require.Equal(t, textNone, unproved(t, c, 0, Request{Form: FormPeer, Cluster: 1}, a, b).Text)
}

// TestProver: it goes on as long as that is of use, and not for ever.
func TestProver(t *testing.T) {
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	c := NewChallenger([32]byte{1})

	// Several of the same at the same time: one after the other.
	var all []*Prover
	for range maxAsks {
		all = append(all, ours.Prover(&q, a, b, rand.Uint64))
	}
	for round := 0; len(all) > 0; round++ {
		require.LessOrEqual(t, round, 2*maxAsks)
		var left []*Prover
		for _, p := range all {
			if _, _, err := c.Check(0, sent(t, p), a, b, ours); err != nil {
				again, _, err := p.Refused(Refuse(0, err))
				require.NoError(t, err)
				require.True(t, again)
				left = append(left, p)
			}
		}
		all = left
	}

	no := func(p *Prover, rej []byte) {
		t.Helper()
		again, proved, err := p.Refused(rej)
		require.NoError(t, err)
		require.False(t, again || proved)
	}
	asks := func(s Secret) *Prover {
		p := s.Prover(&q, a, b, rand.Uint64)
		sent(t, p)
		return p
	}
	_, _, err := c.Check(0, sent(t, asks(Secret{1, 6})), a, b, ours)
	no(asks(Secret{1, 6}), Refuse(0, err))
	no(asks(ours), Refusal{Text: "no"}.Append(nil))
	no(asks(ours), Refusal{Unproved: true}.Append(nil))
	no(asks(ours), nil)
	again, proved, err := asks(Secret{1, 0}).Refused(Refusal{Challenge: Challenge{1}}.Append(nil))
	require.NoError(t, err)
	require.False(t, again, "there is nothing to prove with")
	require.True(t, proved, "nothing is proved there")

	p, n := ours.Prover(&q, a, b, rand.Uint64), 0
	for {
		_, _, err := c.Check(0, sent(t, p), a, b, ours)
		_, _, err = p.Refused(Refuse(0, err))
		require.NoError(t, err)
		n++
		if again, _, _ := p.Refused(Refusal{Unproved: true}.Append(nil)); !again {
			break
		}
	}
	require.Equal(t, maxAsks, n)

	// Who answers with a REP at once has not looked at the request.
	p = ours.Prover(&q, a, b, rand.Uint64)
	sent(t, p)
	reply, err := p.sent.Reply(nil)
	require.NoError(t, err)
	require.ErrorIs(t, p.Replied(reply), ErrStranger)
}

// TestNoToken: without one nothing is asked for, and everything is as it was given.
func TestNoToken(t *testing.T) {
	none := Secret{Cluster: 1}
	p := none.Prover(&Request{Form: FormPeer, Cluster: 1}, a, b, nil)
	require.Equal(t, FormPeer, sent(t, p).Form)
	require.NoError(t, p.Replied(nil))
	var x *Exchange
	reply, err := x.Reply([]byte{1})
	require.NoError(t, err)
	require.Equal(t, []byte{1}, reply)
	require.NoError(t, x.Replied(nil))
	require.Equal(t, Refusal{Slot: 1, Text: "no"}.Append(nil), x.Refuse(1, errors.New("no")))
	require.True(t, x.Refused(Refusal{Text: "no"}))
	require.Nil(t, none.Named(&Request{Form: FormReference, Name: "part"}, a, b))
}

// TestNamed: the home of a part answers by the name that was drawn for it.
func TestNamed(t *testing.T) {
	q := Request{Form: FormReference, Name: "part-1", Policy: PolicyAll}
	reply, err := ours.Named(&q, a, b).Reply(nil)
	require.NoError(t, err)
	require.NoError(t, ours.Named(&q, a, b).Replied(reply))
	require.ErrorIs(t, ours.Named(&q, b, a).Replied(reply), ErrStranger)
	require.ErrorIs(t, Secret{1, 6}.Named(&q, a, b).Replied(reply), ErrStranger)
	q.Name = "part-2"
	require.ErrorIs(t, ours.Named(&q, a, b).Replied(reply), ErrStranger)
}
