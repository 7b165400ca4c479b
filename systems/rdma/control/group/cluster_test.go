package group

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// TestKeys: each controller has challenges of its own. One that asks for no tokens draws no key.
func TestKeys(t *testing.T) {
	secret := private.Secret{Cluster: 1, Token: 5}
	seen := map[private.Challenge]bool{}
	for seed := range uint64(10) {
		c := newChallenger(&Config{Clusters: []Cluster{{}, {Secret: secret}}, Rand: rand.New(rand.NewPCG(seed, 1))})
		var u *private.Unproved
		from, to := addr("10.0.0.1").Netip(), addr(switchIP).Netip()
		ask, err := secret.Prover(&private.Request{Form: private.FormReference, Name: "orders"}, from, to, func() uint64 { return 1 }).Private()
		require.NoError(t, err)
		r, err := private.ParseRequest(ask)
		require.NoError(t, err)
		_, _, err = c.Check(0, &r, from, to, secret)
		require.ErrorAs(t, err, &u)
		require.False(t, seen[u.Challenge])
		seen[u.Challenge] = true
	}
	newChallenger(&Config{Clusters: []Cluster{{}}})
}

// TestStrangers: the controller proves the token to the leader, and installs nothing of who answers in a replica's place, or in that
// of a part's home, and does not prove it.
func TestStrangers(t *testing.T) {
	const req = "req from=10.0.0.1 id=1 qpn=0x11 cluster=1 token=5 replicas=10.0.0.2"
	const judge, rep = "judge from=10.0.0.2 cluster=1 token=5", "rep from=10.0.0.2 qpn=0x22 psn=1 size=0x1000"
	secret := private.Secret{Cluster: 1, Token: 5}
	run := func(w *world, lines ...string) string {
		t.Helper()
		w.out.Reset()
		for _, l := range lines {
			require.NoError(t, w.run(l))
		}
		return w.out.String()
	}
	strangers := func(w *world) uint64 {
		require.Empty(t, w.plans)
		require.Empty(t, w.core.List())
		return w.core.Stats().Strangers
	}
	for name, lines := range map[string][]string{
		"a reply to a request for a challenge": {req, rep},
		"a reply without a proof":              {req, judge, judge, rep + " proof=none"},
		"a challenge of his own":               {req, "challenge from=10.0.0.2"},
	} {
		w := newWorld(Config{Clusters: []Cluster{{Secret: secret}}})
		require.Contains(t, run(w, lines...), "replica 0 (10.0.0.2): "+private.ErrStranger.Error(), name)
		require.EqualValues(t, 1, strangers(w), name)
	}
	w := newWorld(Config{Clusters: []Cluster{{Secret: secret}}})
	require.Contains(t, run(w, req, judge, judge, rep, "done group=0"), "size 0x1000} proved")
	require.Zero(t, w.core.Stats().Strangers)

	// A part of a group, and its home.
	nine := "10.0.0.10:5000"
	for _, a := range []string{"11", "12", "13", "14", "15", "16", "17", "18"} {
		nine += ",10.0.0." + a + ":5000"
	}
	part := func() *world {
		w := newWorld(Config{Clusters: []Cluster{{Secret: secret}}, Nest: func(list []wire.Addr) ([]Part, error) {
			return []Part{{Home: addr("10.0.0.253"), Receivers: list}}, nil
		}})
		run(w, "make name=nine port=4100 replicas="+nine, "req from=10.0.0.1 id=1 qpn=0x11 name=nine policy=all cluster=1 token=5")
		require.Len(t, w.entrusted, 1)
		w.core.Entrusted(w.now, w.entrusted[0], nil)
		w.drain()
		return w
	}
	w = part()
	require.Contains(t, run(w, "rep from=10.0.0.253 qpn=0x22 psn=1 size=0x1000"), private.ErrStranger.Error())
	require.EqualValues(t, 1, strangers(w))
	w = part()
	home := newWorld(Config{})
	home.core.Expect(home.now, &Nested{Name: w.entrusted[0].Name, From: addr("10.0.0.240"), To: addr(switchIP), secret: secret, members: []member{{addr("10.0.0.2"), 5000}}})
	asks := "req from=10.0.0.240 id=1 qpn=0x11 name=" + w.entrusted[0].Name + " policy=all"
	run(home, asks, judge, judge, rep, "done group=0")
	answer := home.lastREP[addr("10.0.0.240")].(*cm.REP).PrivateData
	asked := request(addr("10.0.0.240"), parseCommand(asks))
	private.Secret{}.Sign(asked) // as the scenarios do; it means nothing there
	require.NoError(t, secret.Named(asked, addr("10.0.0.240").Netip(), addr(switchIP).Netip()).Replied(answer), "the home proves it")
	_, user, err := cm.SplitPrivateData(w.lastREQ[addr("10.0.0.253")].(*cm.REQ).PrivateData)
	require.NoError(t, err)
	r, err := private.ParseRequest(user)
	require.NoError(t, err)
	w.exchanges[addr("10.0.0.253")] = secret.Named(&r, addr(switchIP).Netip(), addr("10.0.0.253").Netip())
	require.Contains(t, run(w, "rep from=10.0.0.253 qpn=0x22 psn=1 size=0x1000"), "== install")
}
