package interp

import "math/big"

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
	var v uint64
	if (off|width)&7 == 0 { // whole bytes, as most fields are
		for _, x := range b[off>>3 : (off+width)>>3] {
			v = v<<8 | uint64(x)
		}
		return v
	}
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
		for i := (off+width)>>3 - 1; i >= off>>3; i-- {
			b[i] = byte(v)
			v >>= 8
		}
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
	for len(s.buf)*8 < s.n {
		s.buf = append(s.buf, 0)
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
