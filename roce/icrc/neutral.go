package icrc

import "math/bits"

// Position is the offset of a header byte from the first byte of an IPv4
// header without options.
type Position int

// Positions of the fields that switches rewrite. Each names the first, most
// significant, byte of the field.
const (
	IPIdentification Position = 4
	IPSource         Position = 12
	IPDestination    Position = 16
	UDPSourcePort    Position = 20
	UDPDestPort      Position = 22
	UDPLength        Position = 24
	BTHOpcode        Position = 28
	BTHFlags         Position = 29 // SE, MigReq, pad count, TVer
	BTHPKey          Position = 30
	BTHDestQP        Position = 33
	BTHAckReq        Position = 36
	BTHPSN           Position = 37
	RETHVA           Position = 40 // 8 bytes
	RETHRKey         Position = 48 // 4 bytes
	RETHLength       Position = 52 // 4 bytes
	AETHSyndrome     Position = 40
	AETHMSN          Position = 41 // 3 bytes
)

// reference is the position after which CRC states are compared: just behind
// the two corrected fields. The state difference that a byte makes is moved
// there, forward or backward, over zero bytes.
const reference = UDPSourcePort + 2

// Masked reports whether the ICRC reads the byte at pos as ones whatever it
// holds; such a byte needs no correction.
func Masked(pos Position) bool {
	switch pos {
	case 1, 8, 10, 11, 26, 27, 32:
		return true
	}
	return false
}

// Table returns, for every XOR of old and new value of the byte at pos, the
// correction to XOR into identification<<16 | source port. The table of a
// masked position is all zeros. It panics on a negative position.
func Table(pos Position) [256]uint32 {
	var t [256]uint32
	if Masked(pos) {
		return t
	}
	// Linear: eight basis entries span the rest.
	for i := range 8 {
		t[1<<i] = inverse.apply(difference(pos, 1<<i))
	}
	for b := 1; b < 256; b++ {
		low := b & -b
		t[b] = t[b^low] ^ t[low]
	}
	return t
}

// Const returns the correction for a change of several adjacent bytes:
// xorBytes[i] is the XOR of the old and the new byte at pos+i.
func Const(pos Position, xorBytes []byte) uint32 {
	var c uint32
	for i, b := range xorBytes {
		p := pos + Position(i)
		if b != 0 && !Masked(p) {
			c ^= inverse.apply(difference(p, b))
		}
	}
	return c
}

// difference is the CRC state difference at the reference that XORing b into
// the byte at pos makes.
func difference(pos Position, b byte) uint32 {
	if pos < 0 {
		panic("icrc: negative header position")
	}
	s := slicing[0][b] // the difference just behind the byte
	for p := pos + 1; p < reference; p++ {
		s = forward(s)
	}
	for p := pos + 1; p > reference; p-- {
		s = backward(s)
	}
	return s
}

// forward moves a state difference over one equal byte.
func forward(s uint32) uint32 { return s>>8 ^ slicing[0][byte(s)] }

// backward undoes forward. The top byte of each table entry is unique, so the
// byte that was shifted out can be found again.
func backward(s uint32) uint32 {
	out := topByte[s>>24]
	return (s^slicing[0][out])<<8 | uint32(out)
}

// topByte maps the most significant byte of a byte-wise table entry to its
// index.
var topByte = func() *[256]byte {
	var t [256]byte
	for i, e := range slicing[0] {
		t[e>>24] = byte(i)
	}
	return &t
}()

// matrix is a linear map over GF(2)^32: column i is the image of bit i.
type matrix [32]uint32

func (m *matrix) apply(v uint32) uint32 {
	var r uint32
	for ; v != 0; v &= v - 1 {
		r ^= m[bits.TrailingZeros32(v)]
	}
	return r
}

// inverse maps a state difference at the reference to the correction that
// makes (and so cancels) it.
var inverse = invert(correctionColumns())

// correctionColumns returns the state difference that each of the 32 bits of a
// correction makes.
func correctionColumns() matrix {
	var m matrix
	for i := range 32 {
		field, bit := IPIdentification, i-16
		if i < 16 {
			field, bit = UDPSourcePort, i
		}
		m[i] = difference(field+1-Position(bit/8), 1<<(bit%8))
	}
	return m
}

// invert solves the 32x32 system by Gauss-Jordan elimination. A singular
// system would mean a wrong polynomial, which no caller can mend.
func invert(m matrix) *matrix {
	var inv matrix
	for i := range inv {
		inv[i] = 1 << i
	}
	for bit := range 32 {
		pivot := -1
		for c := bit; c < 32; c++ {
			if m[c]>>bit&1 == 1 {
				pivot = c
				break
			}
		}
		if pivot < 0 {
			panic("icrc: identification and source port do not span the crc state")
		}
		m[bit], m[pivot] = m[pivot], m[bit]
		inv[bit], inv[pivot] = inv[pivot], inv[bit]
		for c := range 32 {
			if c != bit && m[c]>>bit&1 == 1 {
				m[c] ^= m[bit]
				inv[c] ^= inv[bit]
			}
		}
	}
	return &inv
}
