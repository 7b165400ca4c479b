package roce_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestAddressOfAPeer: an endpoint talks to a peer where the wire says that it is, whatever a message has as its Ethernet
// source: be the peer known or not.
func TestAddressOfAPeer(t *testing.T) {
	for _, known := range []bool{false, true} {
		h := hub.New()
		a, b := open(t, h, 1, fastCM()), open(t, h, 2, fastCM())
		if known {
			connect(t, a, b, roce.QPConfig{Access: rights}, roce.QPConfig{Access: rights})
		}
		said := make(chan wire.MAC, 1000)
		h.SetFilter(func(f []byte) bool {
			if ip := wire.IPv4(f[wire.EthernetLen:]); ip.Src() == (wire.Addr{10, 0, 0, 2}) && wire.BTH(f[42:54]).DestQP() == 1 {
				said <- wire.Ethernet(f).Dst()
			}
			return true
		})
		stranger, err := h.Attach(addr(3), 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = stranger.Close() })
		req, err := cmsm.Offer{Local: addr(1), Remote: addr(2), Port: 1, SrcPort: 5, QPN: 7, StartingPSN: 9, MTU: 1024}.REQ()
		require.NoError(t, err)
		req.LocalCommID = 99
		f, err := cm.AppendFrame(nil, cm.FrameHeader{
			SrcMAC: wire.MAC{2, 6, 6, 6, 6, 6}, DstMAC: wire.MAC{2, 0, 10, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: 0xc001, PSN: 1,
		}, 5, req)
		require.NoError(t, err)
		stranger.Send(f)
		select {
		case to := <-said: // nobody listens
			require.Equal(t, wire.MAC{2, 0, 10, 0, 0, 1}, to)
		case <-time.After(20 * time.Second):
			t.Fatal("it does not answer")
		}
	}
}
