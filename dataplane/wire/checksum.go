package wire

import "encoding/binary"

// completeChecksum fills in the TCP or UDP checksum of an IPv4 frame. The
// kernel leaves the sum of the pseudo header in the field when it counts on
// the device to do the rest. Anything else is left as it is.
func completeChecksum(frame []byte) {
	const ethLen = 14
	if len(frame) < ethLen+20 || binary.BigEndian.Uint16(frame[12:]) != 0x0800 {
		return
	}
	ip := frame[ethLen:]
	ihl, total := int(ip[0]&0xf)*4, int(binary.BigEndian.Uint16(ip[2:]))
	if ip[0]>>4 != 4 || ihl < 20 || total < ihl || total > len(ip) {
		return
	}
	l4 := ip[ihl:total]
	at := 0
	switch proto := ip[9]; {
	case proto == 6 && len(l4) >= 20:
		at = 16
	case proto == 17 && len(l4) >= 8:
		at = 6
	default:
		return
	}
	l4[at], l4[at+1] = 0, 0
	sum := uint32(ip[9]) + uint32(len(l4))
	add := func(b []byte) {
		for ; len(b) >= 2; b = b[2:] {
			sum += uint32(b[0])<<8 | uint32(b[1])
		}
		if len(b) == 1 {
			sum += uint32(b[0]) << 8
		}
	}
	add(ip[12:20])
	add(l4)
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	v := ^uint16(sum)
	if v == 0 && ip[9] == 17 { // 0 would mean "no checksum"
		v = 0xffff
	}
	binary.BigEndian.PutUint16(l4[at:], v)
}
