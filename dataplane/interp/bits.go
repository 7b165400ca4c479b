package interp

import (
	"encoding/binary"
	"math/big"
)

// mask returns the w low bits set; w <= 64.
func mask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<w - 1
}

// wideMask returns 2^w - 1.
func wideMask(w int) *big.Int {
	m := big.NewInt(1)
	m.Lsh(m, uint(w))
	return m.Sub(m, big.NewInt(1))
}

// signed reads the w low bits of v as two's complement.
func signed(v uint64, w int) int64 {
	return int64(v<<(64-w)) >> (64 - w)
}

// getBits reads width (<= 64) bits that start off bits into b, most
// significant bit first.
func getBits(b []byte, off, width int) uint64 {
	if (off|width)&7 == 0 {
		return getBytes(b[off>>3:], width>>3)
	}
	var v uint64
	for width > 0 {
		have := 8 - off&7 // bits left in this byte
		take := min(have, width)
		part := uint64(b[off>>3]>>(have-take)) & mask(take)
		v = v<<take | part
		off += take
		width -= take
	}
	return v
}

// putBits writes the width (<= 64) low bits of v, most significant first, off
// bits into b.
func putBits(b []byte, off, width int, v uint64) {
	if (off|width)&7 == 0 {
		putBytes(b[off>>3:], width>>3, v)
		return
	}
	for width > 0 {
		room := 8 - off&7
		take := min(room, width)
		part := byte(v>>(width-take)) & byte(mask(take))
		shift := room - take
		b[off>>3] = b[off>>3]&^(byte(mask(take))<<shift) | part<<shift
		off += take
		width -= take
	}
}

// getBytes and putBytes are the same for n (<= 8) whole bytes, as most fields are.
func getBytes(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 6:
		return uint64(binary.BigEndian.Uint32(b))<<16 | uint64(binary.BigEndian.Uint16(b[4:]))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	var v uint64
	for _, x := range b[:n] {
		v = v<<8 | uint64(x)
	}
	return v
}

func putBytes(b []byte, n int, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.BigEndian.PutUint16(b, uint16(v))
	case 4:
		binary.BigEndian.PutUint32(b, uint32(v))
	case 6:
		binary.BigEndian.PutUint32(b, uint32(v>>16))
		binary.BigEndian.PutUint16(b[4:], uint16(v))
	case 8:
		binary.BigEndian.PutUint64(b, v)
	default:
		for i := n - 1; i >= 0; i-- {
			b[i] = byte(v)
			v >>= 8
		}
	}
}

// getWide is getBits for any width.
func getWide(b []byte, off, width int) *big.Int {
	first, last := off>>3, (off+width+7)>>3
	v := new(big.Int).SetBytes(b[first:last])
	v.Rsh(v, uint(last*8-off-width))
	return v.And(v, wideMask(width))
}

// putWide is putBits for any width.
func putWide(b []byte, off, width int, v *big.Int) {
	word := new(big.Int)
	for width > 0 {
		take := min(64, width)
		word.Rsh(v, uint(width-take))
		putBits(b, off, take, new(big.Int).And(word, wideMask(take)).Uint64())
		off += take
		width -= take
	}
}

// bitString is a string of bits under construction. Its buffer is reused from
// one packet to the next.
type bitString struct {
	buf []byte
	n   int // bits
}

func (s *bitString) reset() {
	s.buf = s.buf[:0]
	s.n = 0
}

func (s *bitString) grow(width int) (off int) {
	off = s.n
	s.n += width
	if n := (s.n + 7) >> 3; n > len(s.buf) {
		for n > cap(s.buf) {
			s.buf = append(s.buf[:cap(s.buf)], 0)
		}
		old := len(s.buf)
		s.buf = s.buf[:n]
		clear(s.buf[old:])
	}
	return off
}

func (s *bitString) narrow(width int, v uint64) { putBits(s.buf, s.grow(width), width, v) }
func (s *bitString) wide(width int, v *big.Int) { putWide(s.buf, s.grow(width), width, v) }
func (s *bitString) padTo(multiple int) (pad int) {
	pad = (multiple - s.n%multiple) % multiple
	s.grow(pad)
	return pad
}
