package p4rt

import (
	"math/bits"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// fixed turns a P4Runtime byte string into the form that targets use: exactly
// ceil(width/8) bytes. what names the field in the error.
func fixed(b []byte, width int, what string) ([]byte, error) {
	if len(b) == 0 {
		return nil, status.Errorf(codes.OutOfRange, "%s: empty byte string", what)
	}
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	if got := len(b)*8 - bits.LeadingZeros8(b[0]); got > width {
		return nil, status.Errorf(codes.OutOfRange, "%s: value of %d bits does not fit in %d", what, got, width)
	}
	out := make([]byte, (width+7)/8)
	copy(out[len(out)-len(b):], b)
	return out, nil
}

// canonical is the shortest form of a value.
func canonical(b []byte) []byte {
	for len(b) > 1 && b[0] == 0 {
		b = b[1:]
	}
	return append([]byte{}, b...)
}

// ones returns the value of width bits, all set.
func ones(width int) []byte {
	b := make([]byte, (width+7)/8)
	for i := range b {
		b[i] = 0xff
	}
	if r := width % 8; r != 0 {
		b[0] = 1<<r - 1
	}
	return b
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// beyond reports whether b has a bit outside the first n of width bits.
func beyond(b []byte, width, n int) bool {
	pad := len(b)*8 - width
	for i := n; i < width; i++ {
		bit := pad + i
		if b[bit/8]&(0x80>>(bit%8)) != 0 {
			return true
		}
	}
	return false
}
