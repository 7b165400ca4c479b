package icrc

import "encoding/binary"

// rewind[k] moves a state difference back over 2^k equal bytes. Sixteen powers
// reach every IPv4 packet length.
var rewind = func() *[16]matrix {
	var r [16]matrix
	for i := range 32 {
		r[0][i] = backward(1 << i)
	}
	for k := 1; k < len(r); k++ {
		for i := range 32 {
			r[k][i] = r[k-1].apply(r[k-1][i])
		}
	}
	return &r
}()

// Identification finds the IPv4 identification with which the stored ICRC of
// packet is right, for receivers that see everything of a packet but that field
// (a UDP socket). packet starts at the IPv4 header and ends with the ICRC; the
// identification it holds is ignored. ok is false when no value fits: the packet
// is damaged. Because 16 bits of the ICRC are spent on finding the value, a
// damaged packet passes with probability 2^-16 instead of 2^-32.
func Identification(packet []byte) (id uint16, ok bool) {
	n := len(packet) - Size
	if n < headerLen || n >= 1<<16 {
		return 0, false
	}
	id = binary.BigEndian.Uint16(packet[IPIdentification:])
	// Two CRCs differ by the difference of the states they complement.
	diff := Sum(packet[:n]) ^ binary.LittleEndian.Uint32(packet[n:])
	if diff == 0 {
		return id, true
	}
	back := n - int(reference)
	for k := range rewind {
		if back>>k&1 == 1 {
			diff = rewind[k].apply(diff)
		}
	}
	correction := inverse.apply(diff)
	if correction&0xffff != 0 {
		return 0, false
	}
	return id ^ uint16(correction>>16), true
}
