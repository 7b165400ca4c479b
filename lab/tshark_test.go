package lab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestDissect: a payload that looks like another protocol's is not malformed, nor is a
// packet from another protocol's port; a base transport header that is cut off is.
func TestDissect(t *testing.T) {
	header := wire.Header{
		SrcMAC: wire.MAC{2, 0, 0, 0, 0, 1}, DstMAC: wire.MAC{2, 0, 0, 0, 0, 2},
		Src: wire.Addr{10, 0, 0, 1}, Dst: wire.Addr{10, 0, 0, 2}, SrcPort: 50000, TTL: 64,
		Opcode: wire.ReadResponseOnly, DestQP: 17, PSN: 5,
	}
	response := func(payload ...byte) []byte { return wire.AppendFrame(nil, &header, payload) }
	ask := func(frames ...[]byte) (int, error) {
		file := filepath.Join(t.TempDir(), "x.pcap")
		f, err := os.Create(file)
		require.NoError(t, err)
		w := pcapgo.NewWriter(f)
		require.NoError(t, w.WriteFileHeader(1<<16, layers.LinkTypeEthernet))
		for _, b := range frames {
			require.NoError(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(b), Length: len(b)}, b))
		}
		require.NoError(t, f.Close())
		return Dissect(file)
	}
	n, err := ask(response(0x88, 0x47, 0, 0, 0, 0, 0, 0), response(1, 2, 3, 4))
	if errors.Is(err, ErrNoTshark) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)
	require.Equal(t, 2, n)
	header.SrcPort = 3130 // ICP
	n, err = ask(response(1, 2, 3, 4))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	good := response(1, 2, 3, 4)
	_, err = ask(good, good[:14+20+8+5])
	require.ErrorContains(t, err, "malformed packets:\n    2")
}
