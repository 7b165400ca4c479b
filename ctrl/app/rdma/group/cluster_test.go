package group

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/p4ce"
)

// TestKeys: each controller has challenges of its own. One that asks for no tokens draws no key.
func TestKeys(t *testing.T) {
	r := p4ce.Request{Form: p4ce.FormReference, Name: "orders"}
	secret := p4ce.Secret{Cluster: 1, Token: 5}
	seen := map[p4ce.Challenge]bool{}
	for seed := range uint64(10) {
		c := newChallenger(&Config{Clusters: []Cluster{{}, {Secret: secret}}, Rand: rand.New(rand.NewPCG(seed, 1))})
		var u *p4ce.Unproved
		_, err := c.Check(0, &r, addr("10.0.0.1").Netip(), addr(switchIP).Netip(), secret)
		require.ErrorAs(t, err, &u)
		require.False(t, seen[u.Challenge])
		seen[u.Challenge] = true
	}
	newChallenger(&Config{Clusters: []Cluster{{}}})
}
