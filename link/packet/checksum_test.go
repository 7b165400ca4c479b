package packet

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// partial makes a frame of a packet whose checksum field holds the sum of the pseudo header
// only, as a kernel with checksum offload leaves it: EtherType, packet, padding.
func partial(t testing.TB, packet string) []byte {
	b, err := hex.DecodeString(packet)
	require.NoError(t, err)
	return append(make([]byte, 12), b...)
}

const (
	udp4 = "0800" + "450000210000400040110000" + "0a0000010a000002" + "303912b7000d1421" + "68656c6c6f" + "0000"
	udp6 = "86dd" + "60000000000d1140" + "20010db8000000000000000000000001" + "20010db8000000000000000000000002" +
		"303912b7000d5b90" + "68656c6c6f" + "0000"
)

func TestCompleteChecksum(t *testing.T) {
	for _, c := range []struct {
		name, packet string
		addresses    int // offset
		l4           int // offset
	}{
		{"IPv4", udp4, 26, 34},
		{"IPv6", udp6, 22, 54},
		{"in a VLAN", "81002005" + udp4, 30, 38},
		{"in two", "88a8200581000006" + udp6, 30, 62},
	} {
		f := partial(t, c.packet)
		completeChecksum(f)
		requireChecksum(t, f[c.addresses:c.l4], f[c.l4:c.l4+13])
		require.Equal(t, []byte{0, 0}, f[c.l4+13:], "%s: Ethernet padding is untouched", c.name)
		for n := range f { // truncated ones are left alone
			cut := partial(t, c.packet)[:n]
			before := bytes.Clone(cut)
			if completeChecksum(cut); n < c.l4+13 {
				require.Equal(t, before, cut, "%s: %d bytes", c.name, n)
			}
		}
	}
	// A sum of 0 is sent as all ones in UDP, where 0 means none: the payload makes it so.
	f := partial(t, udp4)
	completeChecksum(f)
	f[42], f[43] = 0, 0
	completeChecksum(f)
	f[42], f[43] = f[40], f[41]
	completeChecksum(f)
	require.Equal(t, []byte{0xff, 0xff}, f[40:42])
	// In TCP it is 0.
	tcp := partial(t, "0800"+"4500002c00004000400600000a0000010a000002"+"00010002000000000000000050000000"+"00000000"+"00000000")
	completeChecksum(tcp)
	copy(tcp[54:], tcp[50:52])
	completeChecksum(tcp)
	require.Equal(t, []byte{0, 0}, tcp[50:52])
	// Others have none, or another.
	for _, p := range []string{"0800" + "450000210000400040010000" + "0a0000010a000002" + "303912b7000d1421" + "68656c6c6f", "0806" + "00010800060400010000000000000000000000000000000000000000"} {
		f := partial(t, p)
		before := bytes.Clone(f)
		completeChecksum(f)
		require.Equal(t, before, f)
	}
}

func FuzzCompleteChecksum(f *testing.F) {
	f.Add(partial(f, udp4))
	f.Add(partial(f, "81002005"+udp6))
	f.Fuzz(func(_ *testing.T, b []byte) { completeChecksum(b) })
}
