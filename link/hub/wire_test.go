package hub

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestWire: a server's end of a cable says who it is, and sends to its gateway whatever the address.
func TestWire(t *testing.T) {
	sw, end := Cable(1)
	mac, gateway := wire.MAC{2, 0, 0, 0, 0, 1}, wire.MAC{2, 0, 0, 0, 0, 9}
	w := end.Wire(wire.Addr{10, 0, 0, 1}, mac, gateway)
	require.Equal(t, link.Info{Addr: netip.MustParseAddr("10.0.0.1"), MAC: mac, MTU: CableMTU}, w.Info())
	require.Equal(t, 2048, wire.PathMTU(CableMTU))
	for _, a := range []string{"10.0.0.2", "192.0.2.1"} {
		got, err := w.Resolve(t.Context(), netip.MustParseAddr(a))
		require.NoError(t, err)
		require.Equal(t, gateway, got)
	}
	w.Send(append(w.Buffer(), "frame"...))
	require.Equal(t, [][]byte{[]byte("frame")}, receive(t, sw, 2))
	require.NoError(t, w.Close())
	require.False(t, sw.Up())
}
