package entries

import (
	"fmt"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
)

// maxDigits bounds a number, which may come from anybody.
const maxDigits = 1024

// Number reads a value: decimal, 0x… or 0b…, an IPv4, IPv6 or MAC address, true or false.
func Number(s string) (*big.Int, error) {
	switch {
	case s == "true":
		return big.NewInt(1), nil
	case s == "false":
		return new(big.Int), nil
	case strings.Count(s, ":") == 5 && !strings.Contains(s, "::"):
		return octets(strings.Split(s, ":"), 16, s)
	case strings.Contains(s, ":"):
		a, err := netip.ParseAddr(s)
		if err != nil || !a.Is6() || a.Zone() != "" {
			return nil, fmt.Errorf("%q is not an address", s)
		}
		return new(big.Int).SetBytes(a.AsSlice()), nil
	case strings.Count(s, ".") == 3:
		return octets(strings.Split(s, "."), 10, s)
	case s == "" || strings.ContainsAny(s, "_+-"):
		return nil, fmt.Errorf("%q is not a number", s)
	}
	digits, base := s, 10
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		digits, base = s[2:], 16
	case strings.HasPrefix(s, "0b"), strings.HasPrefix(s, "0B"):
		digits, base = s[2:], 2
	}
	if len(digits) > maxDigits {
		return nil, fmt.Errorf("a number of %d digits: at most %d", len(digits), maxDigits)
	}
	v, ok := new(big.Int).SetString(digits, base)
	if !ok {
		return nil, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

func octets(parts []string, base int, s string) (*big.Int, error) {
	v := new(big.Int)
	for _, p := range parts {
		n, err := strconv.ParseUint(p, base, 8)
		if err != nil || len(p) > 3 || base == 16 && len(p) > 2 {
			return nil, fmt.Errorf("%q is not an address", s)
		}
		v.Or(v.Lsh(v, 8), new(big.Int).SetUint64(n))
	}
	return v, nil
}

// wildcard reads 0x… or 0b… with '*' for digits that do not matter.
func wildcard(s string) (v, m *big.Int, err error) {
	bits, base := uint(0), 0
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		bits, base = 4, 16
	case strings.HasPrefix(s, "0b"), strings.HasPrefix(s, "0B"):
		bits, base = 1, 2
	default:
		return nil, nil, fmt.Errorf("%q: '*' is allowed in 0x… and 0b… only", s)
	}
	if len(s) > maxDigits {
		return nil, nil, fmt.Errorf("a number of %d digits: at most %d", len(s)-2, maxDigits)
	}
	v, m = new(big.Int), new(big.Int)
	for _, c := range s[2:] {
		v.Lsh(v, bits)
		m.Lsh(m, bits)
		if c == '*' {
			continue
		}
		d, err := strconv.ParseUint(string(c), base, 8)
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %q is not a digit", s, c)
		}
		v.Or(v, new(big.Int).SetUint64(d))
		m.Or(m, big.NewInt(1<<bits-1))
	}
	return v, m, nil
}

// Ones is the number whose width lowest bits are one.
func Ones(width int) *big.Int {
	one := big.NewInt(1)
	return one.Sub(new(big.Int).Lsh(one, uint(width)), one)
}

// Fits is an error if a value has more than width bits.
func Fits(v *big.Int, width int) error {
	if v.BitLen() > width {
		return fmt.Errorf("value %#x does not fit %d bits", v, width)
	}
	return nil
}

// Kind is how a key is matched.
type Kind int

// These are the kinds of match of P4Runtime.
const (
	Exact Kind = iota
	LPM
	Ternary
	Range
	Optional
)

func (k Kind) String() string { return [...]string{"exact", "lpm", "ternary", "range", "optional"}[k] }

// Match is what a key must be.
type Match struct {
	// Value is the value, or the lowest one of a range. Bits that do not matter may be set.
	Value *big.Int
	// Mask has the bits that matter. High is the highest value of a range, and nil for other kinds.
	Mask, High *big.Int
	// PrefixLen is the number of bits of the mask of an lpm key.
	PrefixLen int
}

// Any reports whether everything matches, for a key of a width.
func (m Match) Any(width int) bool {
	if m.High != nil {
		return m.Value.Sign() == 0 && m.High.Cmp(Ones(width)) == 0
	}
	return m.Mask.Sign() == 0
}

// Everything is the match of a key that may be anything. Exact keys have none.
func Everything(k Kind, width int) (Match, error) {
	switch k {
	case Exact:
		return Match{}, fmt.Errorf("an exact key must have a value")
	case Range:
		return Match{Value: new(big.Int), Mask: Ones(width), High: Ones(width)}, nil
	}
	return Match{Value: new(big.Int), Mask: new(big.Int)}, nil
}

// ParseMatch reads what a key of a kind and width must be. number reads a value without wildcards, such as Number.
func ParseMatch(k Kind, width int, s string, number func(string) (*big.Int, error)) (Match, error) {
	s = strings.TrimSpace(s)
	if s == "_" {
		return Everything(k, width)
	}
	v, m := new(big.Int), Ones(width)
	var err error
	lo, hi, isRange := strings.Cut(s, "..")
	val, mask, isMask := strings.Cut(s, "&&&")
	pre, length, isPrefix := strings.Cut(s, "/")
	switch {
	case isMask:
		if v, err = number(strings.TrimSpace(val)); err == nil {
			m, err = number(strings.TrimSpace(mask))
		}
	case isRange && !strings.Contains(s, "*"):
		return parseRange(k, width, strings.TrimSpace(lo), strings.TrimSpace(hi), number)
	case isPrefix:
		if v, err = number(strings.TrimSpace(pre)); err == nil {
			m, err = prefixMask(width, strings.TrimSpace(length))
		}
	case strings.Contains(s, "*"):
		v, m, err = wildcard(s)
	default:
		v, err = number(s)
	}
	if err != nil {
		return Match{}, err
	}
	return masked(k, width, v, m)
}

func prefixMask(width int, length string) (*big.Int, error) {
	n, err := strconv.ParseUint(length, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("prefix length %q is not a number", length)
	}
	if int(n) > width {
		return nil, fmt.Errorf("prefix length %d of a key of %d bits", n, width)
	}
	return new(big.Int).Lsh(Ones(int(n)), uint(width-int(n))), nil
}

func parseRange(k Kind, width int, lo, hi string, number func(string) (*big.Int, error)) (Match, error) {
	l, err := number(lo)
	if err != nil {
		return Match{}, err
	}
	h, err := number(hi)
	if err != nil {
		return Match{}, err
	}
	switch {
	case k != Range:
		return Match{}, fmt.Errorf("a range for a key that is matched %s", k)
	case l.Cmp(h) > 0:
		return Match{}, fmt.Errorf("the range is empty: %s is more than %s", lo, hi)
	}
	return Match{Value: l, Mask: Ones(width), High: h}, Fits(h, width)
}

// masked makes the match of a value and mask, as the kind of match allows.
func masked(k Kind, width int, v, m *big.Int) (Match, error) {
	all := Ones(width)
	// Leading zeros of a wider literal matter as little as in a number.
	m = new(big.Int).And(m, all)
	if err := Fits(v, width); err != nil {
		return Match{}, err
	}
	full := m.Cmp(all) == 0
	out := Match{Value: v, Mask: m}
	switch {
	case k == Exact && !full:
		return out, fmt.Errorf("an exact key cannot be masked")
	case k == LPM:
		inv := new(big.Int).Xor(m, all)
		if new(big.Int).And(inv, new(big.Int).Add(inv, big.NewInt(1))).Sign() != 0 {
			return out, fmt.Errorf("the mask %#x of an lpm key is not a prefix", m)
		}
		out.PrefixLen = width - inv.BitLen()
	case k == Range && full:
		out.High = v
	case k == Range && m.Sign() == 0:
		return Everything(k, width)
	case k == Range:
		return out, fmt.Errorf("a range key cannot be masked: LOW..HIGH")
	case k == Optional && !full && m.Sign() != 0:
		return out, fmt.Errorf("an optional key is matched whole or not at all")
	}
	return out, nil
}
