package wire

import "fmt"

// PSN is a packet sequence number: 24 bits, circular.
//
// Invariant: the upper 8 bits are zero. Every function here keeps it, and
// PSNOf establishes it.
type PSN uint32

// PSNMask selects the 24 bits of a sequence number.
const PSNMask = 1<<24 - 1

// PSNOf truncates v to 24 bits.
func PSNOf(v uint32) PSN { return PSN(v & PSNMask) }

// Add returns the number n after p; n may be negative.
func (p PSN) Add(n int) PSN { return PSN((uint32(p) + uint32(n)) & PSNMask) }

// Sub returns the signed distance from q to p, in [-2^23, 2^23). A distance of
// exactly half the space counts as behind, as in responders (IB spec
// volume 1, 9.7.5.1: the region of duplicates).
func (p PSN) Sub(q PSN) int {
	return int(int32((uint32(p)-uint32(q))<<8) >> 8)
}

// Cmp compares over half the space: -1 if p is behind q, 0 if equal, +1 if
// ahead.
func (p PSN) Cmp(q PSN) int {
	switch d := p.Sub(q); {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

// Before reports whether p is behind q.
func (p PSN) Before(q PSN) bool { return p.Sub(q) < 0 }

func (p PSN) String() string { return fmt.Sprintf("%#06x", uint32(p)) }
