package private

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
)

func addrs(ss ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range ss {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

var requests = []Request{
	{Form: FormGroup, Policy: PolicyQuorum, LeaderID: 3, Port: 4000, Term: 1 << 40, Replicas: addrs("10.0.0.1"), Proof: 5},
	{Form: FormGroup, Policy: PolicyAll, Replicas: addrs("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.7", "255.255.255.255")},
	{Form: FormGroup, Policy: PolicyNeed(2), LeaderID: 1, Port: 1, Term: 7, Replicas: addrs("10.0.0.1", "10.0.0.2")},
	{Form: FormPeer, LeaderID: 3, Peer: 4, Port: 77, Kind: 2, Route: 1, Cluster: 1 << 60, Version: 9, Proof: 8, About: 7, AboutAddr: netip.MustParseAddr("10.0.0.8")},
	{Form: FormRegion, LeaderID: 3, Term: 5, Port: 77, GroupKey: 0xfedcba98, RegionVA: 1 << 31, RegionSize: 1 << 20, Proof: 8},
	{Form: FormRegion, Slot: 7, Leader: netip.MustParseAddr("10.0.0.8"), GroupKey: 1, RegionSize: 64},
	{Form: FormReference, Policy: PolicyAll, LeaderID: 1, Port: 9, Term: 2, Name: strings.Repeat("n", MaxName)},
	{Form: FormReference, Name: "orders"},
	{Form: FormAsk, Cluster: 1 << 60, Nonce: Nonce{1, 15: 2}, Digest: Digest{3, 15: 4}, Proof: 9},
	{Form: FormMember, LeaderID: 65535, Term: 3, Leader: netip.MustParseAddr("10.0.0.9"), Slot: 7, Proof: ^uint64(0)},
}

func TestRequestRoundTrip(t *testing.T) {
	for _, r := range requests {
		b, err := r.Append([]byte{1})
		require.NoError(t, err)
		require.Len(t, b, 1+RequestLen)
		got, err := ParseRequest(append(b[1:], 0, 0))
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
}

func TestRequestErrors(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want string
	}{
		{Request{}, "form 0 does not exist"},
		{Request{Form: FormGroup}, "group of 0 replicas (want 1 to 8)"},
		{Request{Form: FormGroup, Replicas: make([]netip.Addr, 9)}, "group of 9 replicas"},
		{Request{Form: FormGroup, Replicas: addrs("fe80::1")}, "replica 0: address fe80::1 is not IPv4"},
		{Request{Form: FormGroup, Policy: PolicyNeed(3), Replicas: addrs("10.0.0.1", "10.0.0.2")}, "3 replicas of a group of 2"},
		{Request{Form: FormPeer, Kind: 16}, "connection kind 16"},
		{Request{Form: FormRegion, Slot: 8}, "slot 8"},
		{Request{Form: FormReference}, `group name ""`},
		{Request{Form: FormReference, Name: "a\x00b"}, "none zero"},
		{Request{Form: FormMember, Slot: 8}, "slot 8"},
		{Request{Form: FormMember}, "leader: address"},
	} {
		_, err := c.r.Append(nil)
		require.ErrorContains(t, err, c.want)
	}
	good, err := requests[0].Append(nil)
	require.NoError(t, err)
	bad := func(i int, v byte) error {
		b := append([]byte{}, good...)
		b[i] = v
		_, err := ParseRequest(b)
		return err
	}
	require.ErrorIs(t, bad(0, 0), ErrNotP4CE)
	require.ErrorIs(t, bad(2, 0x21), ErrVersion)
	require.ErrorIs(t, bad(2, 0x1f), ErrForm)
	require.ErrorIs(t, bad(3, 0x00), ErrForm)
	require.ErrorIs(t, bad(3, 0x09), ErrForm)
	require.ErrorIs(t, bad(3, 0x21), ErrForm)
	_, err = ParseRequest(good[:55])
	require.ErrorIs(t, err, ErrForm)
}

func TestRegion(t *testing.T) {
	r := Region{VA: 0x1000, Size: 1 << 20, RKey: 7}
	b := r.Append(nil)
	require.Len(t, b, RegionLen)
	got, err := ParseRegion(b)
	require.NoError(t, err)
	require.Equal(t, r, got)
	_, err = ParseRegion(Region{VA: ^uint64(0), Size: 2}.Append(nil))
	require.ErrorIs(t, err, ErrForm)
}

func TestRefusal(t *testing.T) {
	got, err := ParseRefusal(append(Refusal{Slot: 2, Text: "replica does not answer"}.Append(nil), 0, 0))
	require.NoError(t, err)
	require.Equal(t, Refusal{Slot: 2, Text: "replica does not answer"}, got)
	long, err := ParseRefusal(Refusal{Slot: NoSlot, Text: strings.Repeat("x", 500)}.Append(nil))
	require.NoError(t, err)
	require.Len(t, long.Text, MaxText)
	_, err = ParseRefusal(nil)
	require.ErrorIs(t, err, ErrForm)

	challenge, answer := Challenge{0x10, 15: 0x1f}, Answer{0x20, 15: 0x2f}
	for _, tt := range []struct {
		r    Refusal
		want string
	}{
		{Refusal{Slot: 3, Text: "prove it", Challenge: challenge, Answer: answer}, "50ce1103" + "1000000000000000000000000000001f" + "2000000000000000000000000000002f" + "70726f7665206974"},
		{Refusal{Slot: 3, Text: "prove it", Unproved: true}, "50ce1203" + "70726f7665206974"},
		{Refusal{Slot: 3, Text: "prove it", Answer: answer}, "50ce1303" + "2000000000000000000000000000002f" + "70726f7665206974"},
	} {
		b := tt.r.Append(nil)
		require.Equal(t, tt.want, hex.EncodeToString(b))
		got, err = ParseRefusal(append(b, make([]byte, 100)...))
		require.NoError(t, err)
		require.Equal(t, tt.r, got)
		tt.r.Text = strings.Repeat("x", 500)
		require.Len(t, tt.r.Append(nil), cm.REJPrivateLen)
	}
	for _, bad := range []string{
		"50ce1103" + "10000000000000000000000000001f", "50ce1103" + "1000000000000000000000000000001f" + "20000000000000000000000000002f",
		"50ce1103" + strings.Repeat("00", 40), "50ce1303" + strings.Repeat("00", 15), "50ce1303" + strings.Repeat("00", 40), "50ce1403", strings.Repeat("00", 50),
	} {
		b, err := hex.DecodeString(bad)
		require.NoError(t, err)
		_, err = ParseRefusal(b)
		require.Error(t, err, bad)
	}

	u := &Unproved{Text: "prove it", Asks: true, Challenge: challenge, Answer: answer}
	require.Equal(t, Refusal{Slot: 3, Text: "prove it", Challenge: challenge, Answer: answer}.Append(nil), Refuse(3, fmt.Errorf("%w", u)))
	require.Equal(t, Refusal{Slot: 3, Text: "prove it", Unproved: true}.Append(nil), Refuse(3, &Unproved{Text: "prove it"}))
	require.Equal(t, Refusal{Slot: NoSlot, Text: "no"}.Append(nil), Refuse(NoSlot, errors.New("no")))
}

func TestNeeded(t *testing.T) {
	for n := 1; n <= MaxReplicas; n++ {
		f := PolicyQuorum.Needed(n)
		require.Greater(t, 2*(f+1), n+1, "leader and f of %d servers are a strict majority", n+1)
		require.LessOrEqual(t, 2*f, n+1, "and no more than needed")
		require.Equal(t, n, PolicyAll.Needed(n))
	}
}

func TestParsePolicy(t *testing.T) {
	for _, p := range []Policy{PolicyQuorum, PolicyAll} {
		got, err := ParsePolicy(p.String())
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
	_, err := ParsePolicy("most")
	require.ErrorContains(t, err, `policy "most": want quorum or all`)
	require.Equal(t, "policy 5", Policy(5).String())
	require.Equal(t, "2 replicas", PolicyNeed(2).String())
	require.Equal(t, 2, PolicyNeed(2).Needed(5))
}

func FuzzParse(f *testing.F) {
	for _, r := range requests {
		b, _ := r.Append(nil)
		f.Add(b)
	}
	f.Add(Region{VA: 1, Size: 2, RKey: 3}.Append(nil))
	f.Add(Refusal{Text: "no"}.Append(nil))
	f.Add(Refusal{Slot: 1, Text: "no", Challenge: Challenge{1, 2, 3}, Answer: Answer{4}}.Append(nil))
	f.Add(Refusal{Slot: 1, Text: "no", Unproved: true}.Append(nil))
	f.Add(Refusal{Slot: 1, Text: "no", Answer: Answer{4}}.Append(nil))
	peer := b
	x := ours.exchange(Challenge{1}, a, peer, &requests[0])
	reply, _ := x.Reply(Region{VA: 1, Size: 2, RKey: 3}.Append(nil))
	f.Add(reply)
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := ParseRequest(b); err == nil {
			again, err := r.Append(nil)
			if err != nil {
				t.Fatalf("parsed %+v does not encode: %v", r, err)
			}
			if r2, err := ParseRequest(again); err != nil || !reflect.DeepEqual(r, r2) {
				t.Fatalf("not stable: %+v, %+v, %v", r, r2, err)
			}
		}
		if r, err := ParseRegion(b); err == nil {
			if r2, err := ParseRegion(r.Append(nil)); err != nil || r != r2 {
				t.Fatalf("not stable: %+v, %+v, %v", r, r2, err)
			}
		}
		if x.Replied(b) == nil && !bytes.Equal(b[:cm.REPPrivateLen], reply) {
			t.Fatalf("a reply that nobody has made is proved: %x", b)
		}
		prover := ours.Prover(&requests[0], a, peer, rand.Uint64)
		if _, err := prover.Private(); err != nil {
			t.Fatal(err)
		}
		if again, proved, _ := prover.Refused(b); again || proved || prover.Replied(b) == nil {
			t.Fatalf("an answer that nobody has made is proved: %x", b)
		}
		if r, err := ParseRefusal(b); err == nil {
			if x.Refused(r) {
				t.Fatalf("a refusal that nobody has made is proved: %x", b)
			}
			if r2, err := ParseRefusal(r.Append(nil)); err != nil || r != r2 {
				t.Fatalf("not stable: %+v, %+v, %v", r, r2, err)
			}
		}
	})
}
