package wire

import "encoding/binary"

// Sum is the one's complement sum of b in 16-bit words (RFC 1071), added to begin. A checksum is its
// complement; over what has a right one in it the sum is 0xffff.
func Sum(begin uint32, b []byte) uint16 {
	n := uint64(begin)
	for ; len(b) >= 4; b = b[4:] {
		n += uint64(binary.BigEndian.Uint32(b))
	}
	if len(b) >= 2 {
		n += uint64(binary.BigEndian.Uint16(b))
		b = b[2:]
	}
	if len(b) == 1 {
		n += uint64(b[0]) << 8
	}
	for n > 0xffff {
		n = n&0xffff + n>>16
	}
	return uint16(n)
}

// SumUDP is Sum of a UDP datagram with its pseudo header (RFC 768).
func SumUDP(src, dst Addr, datagram []byte) uint16 {
	return Sum(uint32(Sum(0, src[:]))+uint32(Sum(0, dst[:]))+ProtocolUDP+uint32(len(datagram)), datagram)
}

// SetSumUDP computes and stores the checksum of a UDP datagram: never 0, which would mean that there is none.
func SetSumUDP(src, dst Addr, datagram []byte) {
	h := UDP(datagram)
	h.SetChecksum(0)
	c := ^SumUDP(src, dst, datagram)
	if c == 0 {
		c = 0xffff
	}
	h.SetChecksum(c)
}
