package wire

import (
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
)

// naive is the algorithm of RFC 1071, section 4.1.
func naive(b []byte) uint16 {
	var n uint32
	for i, c := range b {
		n += uint32(c) << (8 * (1 - i%2))
		n = n&0xffff + n>>16
	}
	return uint16(n)
}

func TestSum(t *testing.T) {
	require.EqualValues(t, 0xddf2, Sum(0, []byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}), "RFC 1071, section 3")
	// 0 and 0xffff are one number in one's complement.
	same := func(a, b uint16) bool { return a%0xffff == b%0xffff }
	require.NoError(t, quick.Check(func(b []byte) bool { return same(Sum(0, b), naive(b)) }, nil))
	require.NoError(t, quick.Check(func(a, b []byte) bool {
		a = a[:len(a)&^1]
		return same(Sum(uint32(Sum(0, a)), b), naive(append(a, b...)))
	}, nil))
}

func TestSumUDP(t *testing.T) {
	src, dst := Addr{10, 0, 0, 1}, Addr{10, 0, 0, 2}
	require.NoError(t, quick.Check(func(data []byte) bool {
		d := append(make([]byte, UDPLen), data...)
		UDP(d).SetLen(len(d))
		SetSumUDP(src, dst, d)
		right := UDP(d).Checksum() != 0 && SumUDP(src, dst, d) == 0xffff
		d[0]++
		return right && SumUDP(src, dst, d) != 0xffff && SumUDP(src, Addr{10, 0, 0, 3}, d) != 0xffff
	}, nil))
	zero := []byte{0xeb, 0xdb, 0, 0, 0, 8, 0, 0} // chosen so that the sum is 0xffff
	SetSumUDP(src, dst, zero)
	require.EqualValues(t, 0xffff, UDP(zero).Checksum())
}

func TestARP(t *testing.T) {
	a, b := MAC{2, 0, 0, 0, 0, 1}, MAC{2, 0, 0, 0, 0, 2}
	q := ARP{Op: ARPRequest, SenderMAC: a, Sender: Addr{10, 0, 0, 1}, Target: Addr{10, 0, 0, 2}}
	frame := q.Frame(a, MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	require.Len(t, frame, MinFrame)
	got, ok := ParseARP(frame)
	require.True(t, ok)
	require.Equal(t, q, got)
	require.Equal(t, ARP{Op: ARPReply, SenderMAC: b, Sender: Addr{10, 0, 0, 2}, TargetMAC: a, Target: Addr{10, 0, 0, 1}}, got.Reply(b))
	for i, v := range map[int]byte{12: 0x86, 15: 2, 16: 9, 18: 5, 19: 16, 21: 3} {
		bad := append([]byte{}, frame...)
		bad[i] = v
		_, ok := ParseARP(bad)
		require.False(t, ok, "byte %d", i)
	}
	_, ok = ParseARP(frame[:EthernetLen+ARPLen-1])
	require.False(t, ok)
}
