package replicate

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// TestReplicaToken: a replica takes a leader that knows the token of its cluster.
func TestReplicaToken(t *testing.T) {
	c := newCluster(t, 1, 1<<16, func(cfg *LeaderConfig) { cfg.Term = 3 })
	dev := hosttest.Device(t, c.hub, hosttest.Addr(66))
	ep := roce.RDMA(dev, fastQP)
	dial := func(s rdmaprivate.Secret) (rdma.Conn, error) {
		m := rdmaprivate.Request{Form: rdmaprivate.FormMember, LeaderID: 1, Term: 4, Leader: hosttest.Addr(66)}
		to := netip.AddrPortFrom(hosttest.Addr(11), hosttest.Port)
		return proof.Connect(hosttest.Context(t), ep, s, &m, to, func() (rdma.QP, error) { return ep.CreateQP(rdma.QPConfig{}) })
	}
	for _, s := range []rdmaprivate.Secret{{}, {Token: 78}, {Cluster: 1, Token: 77}} {
		_, err := dial(s)
		require.ErrorContains(t, err, "wrong token, or another cluster's")
	}
	require.EqualValues(t, 3, c.replicas[0].Status().Term, "a stranger takes nobody's rights away")
	path, err := dial(rdmaprivate.Secret{Token: 77})
	require.NoError(t, err)
	require.NoError(t, path.Close())
}
