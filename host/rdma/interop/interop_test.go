package interop_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/rdma/interop"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSoftware: two software endpoints do everything. The cases with hardware's
// interface are in test/vm.
func TestSoftware(t *testing.T) {
	h := hub.New()
	open := func(i byte) *roce.Device {
		p, err := h.Attach(netip.AddrFrom4([4]byte{10, 0, 0, i}), 0)
		require.NoError(t, err)
		d, err := roce.Open(p, roce.Options{})
		require.NoError(t, err)
		return d
	}
	a, b := open(1), open(2)
	defer a.Close()
	defer b.Close()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	s, err := interop.Listen(roce.RDMA(b, roce.QPConfig{}), 4000)
	require.NoError(t, err)
	go func() { served <- s.Serve(ctx) }()
	n := 0
	err = interop.Run(ctx, roce.RDMA(a, roce.QPConfig{}), netip.AddrPortFrom(b.Addr(), 4000), interop.Options{}, func(name string, err error) {
		n++
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	require.NoError(t, err)
	require.Equal(t, len(interop.Cases()), n)
	cancel()
	require.NoError(t, <-served)
}
