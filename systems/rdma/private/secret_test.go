package private

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	ours = Secret{Cluster: 1, Token: 5}
	a, b = netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
)

// proved is a request as it is after one challenge.
func proved(t *testing.T, c *Challenger, now time.Duration, s Secret, r Request, from, to netip.Addr) Request {
	t.Helper()
	return *sent(t, challenged(t, c, now, s, r, from, to))
}

// challenged has asked for a challenge by a secret, and got it.
func challenged(t *testing.T, c *Challenger, now time.Duration, s Secret, r Request, from, to netip.Addr) *Prover {
	t.Helper()
	p := s.Prover(&r, from, to, rand.Uint64)
	_, _, err := c.Check(now, sent(t, p), from, to, s)
	again, _, err := p.Refused(Refuse(0, err))
	require.NoError(t, err)
	require.True(t, again)
	return p
}

// fixed draws the same numbers each time.
func fixed() func() uint64 { return rand.New(rand.NewPCG(1, 2)).Uint64 }

// sent is what a prover sends next, as it is received.
func sent(t *testing.T, p *Prover) *Request {
	t.Helper()
	b, err := p.Private()
	require.NoError(t, err)
	r, err := ParseRequest(b)
	require.NoError(t, err)
	return &r
}

func unproved(t *testing.T, c *Challenger, now time.Duration, r Request, from, to netip.Addr) *Unproved {
	t.Helper()
	_, x, err := c.Check(now, &r, from, to, ours)
	require.Nil(t, x)
	var u *Unproved
	require.ErrorAs(t, err, &u)
	return u
}

// TestSign: without a token what is sent is that of one cluster, for one leader and term, and for a
// peer of the whole request. The switch can pass a leader's on.
func TestSign(t *testing.T) {
	s := Secret{Cluster: 1}
	c := NewChallenger([32]byte{1})
	made := func(s Secret, r Request) bool {
		_, x, err := c.Check(0, &r, a, b, s)
		require.Nil(t, x)
		return err == nil
	}
	group := Request{Form: FormGroup, LeaderID: 3, Term: 9, Port: 4000, Replicas: addrs("10.0.0.1")}
	s.Sign(&group)
	member := Request{Form: FormMember, LeaderID: 3, Term: 9, Leader: netip.MustParseAddr("10.0.0.9"), Proof: group.Proof}
	require.True(t, made(s, group))
	require.True(t, made(s, member))
	for _, o := range []Secret{{1, 6}, {2, 0}, {}} {
		require.False(t, made(o, member), "%+v", o)
	}
	peer := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Port: 77, Kind: 2, Route: 1, Cluster: 1, Version: 9, About: 5, AboutAddr: netip.MustParseAddr("10.0.0.9")}
	s.Sign(&peer)
	require.True(t, made(s, peer))
	for name, m := range map[string]struct {
		of     Request
		change func(*Request)
	}{
		"leader":        {member, func(r *Request) { r.LeaderID++ }},
		"term":          {member, func(r *Request) { r.Term++ }},
		"leader's peer": {member, func(r *Request) { r.Form = FormPeer }},
		"server":        {peer, func(r *Request) { r.LeaderID++ }},
		"peer":          {peer, func(r *Request) { r.Peer++ }},
		"port":          {peer, func(r *Request) { r.Port++ }},
		"kind":          {peer, func(r *Request) { r.Kind++ }},
		"route":         {peer, func(r *Request) { r.Route++ }},
		"version":       {peer, func(r *Request) { r.Version++ }},
		"about":         {peer, func(r *Request) { r.About++ }},
		"about where":   {peer, func(r *Request) { r.AboutAddr = r.AboutAddr.Next() }},
		"proof":         {peer, func(r *Request) { r.Proof++ }},
	} {
		r := m.of
		m.change(&r)
		require.False(t, made(s, r), name)
	}
	// It counts for no token, also where there are clusters of both kinds.
	signed := peer
	ours.Sign(&signed)
	require.False(t, made(ours, signed))
	i, _, err := c.Check(0, &peer, a, b, ours, s)
	require.NoError(t, err)
	require.Equal(t, 1, i)
}

// TestProof: a proof is taken for the request, the addresses, the challenge and the token that it was made for.
func TestProof(t *testing.T) {
	c := NewChallenger([32]byte{1})
	for _, q := range requests {
		if q.Form == FormAsk {
			continue
		}
		good := proved(t, c, 0, ours, q, a, b)
		bad := func(name string, r Request, from, to netip.Addr) {
			t.Helper()
			_, _, err := c.Check(0, &r, from, to, ours)
			require.Error(t, err, name)
		}
		bad("another source", good, b, b)
		bad("another target", good, a, a)
		bad("the other way round", good, b, a)
		bad("another token", proved(t, c, 0, Secret{1, 6}, q, a, b), a, b)
		bad("another cluster", proved(t, c, 0, Secret{2, 5}, q, a, b), a, b)
		for name, change := range map[string]func(*Request){
			"server": func(r *Request) { r.LeaderID++ }, "term": func(r *Request) { r.Term++ }, "proof": func(r *Request) { r.Proof++ },
		} {
			r := good
			change(&r)
			bad(name, r, a, b)
		}
		raw, err := good.Append(nil)
		require.NoError(t, err)
		for i := range proofAt {
			raw[i] ^= 1
			if r, err := ParseRequest(raw); err == nil {
				if again, err := r.Append(nil); err == nil && again[i] == raw[i] { // a byte that means something
					bad("byte", r, a, b)
				}
			}
			raw[i] ^= 1
		}
		i, _, err := c.Check(0, &good, a, b, Secret{7, 7}, Secret{8, 0}, ours)
		require.NoError(t, err)
		require.Equal(t, 2, i, "nothing of that has used it up")
	}
}

// TestPassedOn: who is asked for a connection himself, or sends REJs by another's name, has the challenge for a request of his
// own proved by somebody else. That is of no use to him.
func TestPassedOn(t *testing.T) {
	c := NewChallenger([32]byte{1})
	x := netip.MustParseAddr("10.0.0.66")
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	his := q
	his.Kind = 2
	for _, w := range []struct {
		name     string
		request  Request
		from, to netip.Addr
		proves   netip.Addr // the server that the one who knows the token connects to
	}{
		{"another request by the server's name", his, a, b, b},
		{"the same request from his address", q, x, b, b},
		{"he is connected to", q, x, b, x},
		{"the other way round", q, b, a, b},
	} {
		p := ours.Prover(&q, a, w.proves, rand.Uint64)
		sent(t, p)
		// As if the challenge's answer were not looked at.
		p.challenge = challenged(t, c, 0, ours, w.request, w.from, w.to).challenge
		w.request.Proof = sent(t, p).Proof
		require.NotZero(t, w.request.Proof)
		unproved(t, c, 0, w.request, w.from, w.to)
	}
}

// TestReplay: a proof is taken once, from its address, and not in a later life of the process. Its
// request can be made again, by who proves it again; other requests are not touched.
func TestReplay(t *testing.T) {
	c := NewChallenger([32]byte{1})
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	other := q
	other.Kind = 1
	first, second := proved(t, c, 0, ours, q, a, b), proved(t, c, 0, ours, other, a, b)
	_, _, err := c.Check(0, &first, a, b, ours)
	require.NoError(t, err)
	u := unproved(t, c, 0, first, a, b)
	require.Equal(t, textWrong, u.Text)
	require.False(t, u.Asks)
	_, _, err = c.Check(0, &second, a, b, ours)
	require.NoError(t, err, "of another request at the same time")
	again := proved(t, c, 0, ours, q, a, b)
	require.NotEqual(t, first.Proof, again.Proof)
	_, _, err = c.Check(0, &again, a, b, ours)
	require.NoError(t, err)
	for _, r := range []Request{first, second, again} {
		unproved(t, c, 0, r, a, b)
	}
	third := proved(t, c, 0, ours, q, a, b)
	_, _, err = c.Check(0, &third, a, b, ours)
	require.NoError(t, err)
	unproved(t, c, 0, third, a, b)

	// A process that starts again remembers nothing, and has another key.
	third = proved(t, NewChallenger([32]byte{1}), 0, ours, q, a, b)
	unproved(t, NewChallenger([32]byte{2}), 0, third, a, b)
	_, _, err = NewChallenger([32]byte{1}).Check(0, &third, a, b, ours)
	require.NoError(t, err)
}

// TestSlots: a challenge is good in its slot and in the next, and a proof that was taken in neither; what
// has been taken is forgotten when it would not be.
func TestSlots(t *testing.T) {
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	for _, at := range []time.Duration{0, 1, slotLen - 1, slotLen, 7*slotLen + 1} {
		end := (at/slotLen + 2) * slotLen
		for _, late := range []time.Duration{end, end + slotLen, end + 2*slotLen, end + 9*slotLen} {
			c := NewChallenger([32]byte{1})
			r := proved(t, c, at, ours, q, a, b)
			unproved(t, c, late, r, a, b)
		}
		for _, now := range []time.Duration{at, end - slotLen - 1, end - slotLen, end - 1} {
			c := NewChallenger([32]byte{1})
			r := proved(t, c, at, ours, q, a, b)
			_, _, err := c.Check(now, &r, a, b, ours)
			require.NoError(t, err, "%v %v", at, now)
			require.Equal(t, 1, len(c.taken[0])+len(c.taken[1]))
			for _, later := range []time.Duration{now, end - 1, end, end + slotLen} {
				if later >= now {
					unproved(t, c, later, r, a, b)
				}
			}
			unproved(t, c, end+slotLen, q, a, b)
			require.Zero(t, len(c.taken[0])+len(c.taken[1]))
		}
	}
	// The past is the present.
	c := NewChallenger([32]byte{1})
	r := proved(t, c, 5*slotLen, ours, q, a, b)
	_, _, err := c.Check(slotLen, &r, a, b, ours)
	require.NoError(t, err)
	unproved(t, c, 0, r, a, b)
}

// TestRoom: whoever makes more requests than are remembered makes all challenges void, and no proof good again.
func TestRoom(t *testing.T) {
	c := NewChallenger([32]byte{1})
	q := Request{Form: FormPeer, LeaderID: 3, Peer: 4, Cluster: 1}
	early, open := q, q
	early.Kind, open.Kind = 1, 2
	early = proved(t, c, 0, ours, early, a, b)
	_, _, err := c.Check(0, &early, a, b, ours)
	require.NoError(t, err)
	for i := range maxTaken - 1 {
		c.taken[0][subject{byte(i), byte(i >> 8), 1}] = 1
	}
	held := proved(t, c, 0, ours, open, a, b)
	last := proved(t, c, 0, ours, q, a, b)
	_, _, err = c.Check(0, &last, a, b, ours)
	require.NoError(t, err)
	require.LessOrEqual(t, len(c.taken[0])+len(c.taken[1]), maxTaken)
	for _, r := range []Request{early, held, last} {
		unproved(t, c, 0, r, a, b)
	}
	held = proved(t, c, 0, ours, open, a, b)
	_, _, err = c.Check(0, &held, a, b, ours)
	require.NoError(t, err)
}
