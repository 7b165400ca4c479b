package icrc

import (
	"encoding/binary"
	"hash/crc32"
)

// Size is the length of the stored ICRC in bytes.
const Size = 4

// headerLen is the part of a packet that holds every masked field: IPv4
// without options, UDP and BTH.
const headerLen = 20 + 8 + 12

// seed is the CRC register after the eight 0xff bytes that stand for the local
// routing header.
const seed uint32 = 0xdebb20e3

// slicing holds the slicing-by-8 tables of the reflected Ethernet polynomial:
// slicing[0] is the usual byte-wise table, slicing[k][b] the effect of byte b
// followed by k zero bytes. The 40 header bytes are hashed with them, word by
// word and masked on the way, because crc32.Update would make a masked copy
// escape to the heap.
var slicing = makeSlicing()

func makeSlicing() *[8][256]uint32 {
	var t [8][256]uint32
	t[0] = *crc32.MakeTable(crc32.IEEE)
	for i := range 256 {
		for k := 1; k < 8; k++ {
			prev := t[k-1][i]
			t[k][i] = prev>>8 ^ t[0][byte(prev)]
		}
	}
	return &t
}

// The bytes that read as ones, by little-endian word of the 40 header bytes.
const (
	maskTOS         = 0xff << 8         // word 0, byte 1
	maskTTLChecksum = 0xff | 0xffff<<16 // word 1, bytes 0, 2 and 3 (IP bytes 8, 10 and 11)
	maskUDPChecksum = 0xffff << 16      // word 3, bytes 2 and 3 (UDP bytes 6 and 7)
	maskBTHResv     = 0xff              // word 4, byte 0 (BTH byte 4)
)

func step8(crc uint32, w uint64) uint32 {
	w ^= uint64(crc)
	t := slicing
	return t[7][byte(w)] ^ t[6][byte(w>>8)] ^ t[5][byte(w>>16)] ^ t[4][byte(w>>24)] ^
		t[3][byte(w>>32)] ^ t[2][byte(w>>40)] ^ t[1][byte(w>>48)] ^ t[0][byte(w>>56)]
}

// Sum returns the ICRC of a packet. covered starts at the IPv4 header (which
// must have no options) and ends where the stored ICRC begins; it must hold at
// least the IPv4, UDP and BTH headers, or Sum returns 0. It does not allocate.
func Sum(covered []byte) uint32 {
	if len(covered) < headerLen {
		return 0
	}
	h := covered[:headerLen]
	crc := seed
	crc = step8(crc, binary.LittleEndian.Uint64(h[0:])|maskTOS)
	crc = step8(crc, binary.LittleEndian.Uint64(h[8:])|maskTTLChecksum)
	crc = step8(crc, binary.LittleEndian.Uint64(h[16:]))
	crc = step8(crc, binary.LittleEndian.Uint64(h[24:])|maskUDPChecksum)
	crc = step8(crc, binary.LittleEndian.Uint64(h[32:])|maskBTHResv)
	// crc32.Update complements on the way in and out; the register here is
	// not complemented.
	return crc32.Update(^crc, crc32.IEEETable, covered[headerLen:])
}

// Check reports whether the last four bytes of packet, which starts at the
// IPv4 header and ends with the ICRC, are the ICRC of the bytes before them.
func Check(packet []byte) bool {
	n := len(packet) - Size
	return n >= headerLen && binary.LittleEndian.Uint32(packet[n:]) == Sum(packet[:n])
}

// Put computes the ICRC of packet and stores it in the last four bytes. packet
// starts at the IPv4 header; Put does nothing if it is too short to have one.
func Put(packet []byte) {
	n := len(packet) - Size
	if n < headerLen {
		return
	}
	binary.LittleEndian.PutUint32(packet[n:], Sum(packet[:n]))
}
