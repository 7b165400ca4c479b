package roce_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
)

// A device with congestion control is slowed down by what is marked, and sends everything: its
// timer lets frames go that nothing else would.
func TestDeviceHeedsCongestion(t *testing.T) {
	h := hub.New()
	a := open(t, h, 1, roce.Options{Congestion: &dcqcn.Params{LineRate: 100e6}})
	b := open(t, h, 2, roce.Options{})
	// All that a sends is marked from the beginning.
	ca, _ := connect(t, a, b, roce.QPConfig{Access: rights, TOS: uint8(wire.CE)}, roce.QPConfig{Access: rights})
	mr, err := b.RegisterMemory(make([]byte, 1<<16), rights)
	require.NoError(t, err)
	const n = 20
	for i := range n {
		_, err := ca.QP().PostSend(rdma.SendWR{ID: uint64(i), Op: rdma.OpWrite, Local: make([]byte, 4096), VA: mr.Addr(), RKey: mr.Key()})
		require.NoError(t, err)
		for _, c := range wait(t, ca.QP().SendCQ(), 1) {
			require.NoError(t, roce.Status(c))
		}
	}
	c := ca.QP().Counters()
	require.NotZero(t, c.CNPIn)
	require.NotZero(t, c.HeldBack)
	_, err = a.CreateQP(roce.QPConfig{Congestion: &dcqcn.Params{LineRate: 1}})
	require.ErrorContains(t, err, "line rate")
}
