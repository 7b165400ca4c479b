package stf

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// number reads a value without wildcards.
func number(s string) (*big.Int, error) {
	switch s {
	case "true":
		return big.NewInt(1), nil
	case "false":
		return new(big.Int), nil
	}
	if parts := strings.Split(s, "."); len(parts) == 4 {
		return octets(parts, 10, s)
	}
	if parts := strings.Split(s, ":"); len(parts) == 6 {
		return octets(parts, 16, s)
	}
	if s == "" || strings.ContainsAny(s, "_+-") {
		return nil, fmt.Errorf("%q is not a number", s)
	}
	digits, base := s, 10
	switch {
	case strings.HasPrefix(s, "0x"), strings.HasPrefix(s, "0X"):
		digits, base = s[2:], 16
	case strings.HasPrefix(s, "0b"), strings.HasPrefix(s, "0B"):
		digits, base = s[2:], 2
	}
	v, ok := new(big.Int).SetString(digits, base)
	if !ok || len(digits) > 1024 {
		return nil, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}

func octets(parts []string, base int, s string) (*big.Int, error) {
	v := new(big.Int)
	for _, p := range parts {
		n, err := strconv.ParseUint(p, base, 8)
		if err != nil {
			return nil, fmt.Errorf("%q is not an address", s)
		}
		v.Or(v.Lsh(v, 8), new(big.Int).SetUint64(n))
	}
	return v, nil
}

// wildcard reads 0x… or 0b… with '*' for digits that do not matter.
func wildcard(s string) (v, m *big.Int, err error) {
	if len(s) < 3 || s[0] != '0' {
		return nil, nil, fmt.Errorf("%q: '*' is allowed in 0x… and 0b… only", s)
	}
	bits := uint(0)
	base := 0
	switch s[1] {
	case 'x', 'X':
		bits, base = 4, 16
	case 'b', 'B':
		bits, base = 1, 2
	default:
		return nil, nil, fmt.Errorf("%q: '*' is allowed in 0x… and 0b… only", s)
	}
	if len(s) > 1024 {
		return nil, nil, fmt.Errorf("value too long")
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

// toBytes is a value in ceil(width/8) bytes.
func toBytes(v *big.Int, width int) ([]byte, error) {
	if v.BitLen() > width {
		return nil, fmt.Errorf("value %#x does not fit %d bits", v, width)
	}
	return v.FillBytes(make([]byte, (width+7)/8)), nil
}

func ones(width int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one)
}

// matchOf turns the text of a value into a match of a key.
func matchOf(k *ir.Key, s string) (dataplane.Match, error) {
	v, m := new(big.Int), ones(k.Width)
	var err error
	lo, hi, isRange := strings.Cut(s, "..")
	val, mask, isMask := strings.Cut(s, "&&&")
	pre, length, isPrefix := strings.Cut(s, "/")
	switch {
	case isMask:
		if v, err = number(val); err == nil {
			m, err = number(mask)
		}
	case isRange && !strings.Contains(s, "*"):
		return rangeMatch(k, lo, hi)
	case isPrefix:
		var n uint64
		if v, err = number(pre); err == nil {
			n, err = strconv.ParseUint(length, 10, 16)
			if err == nil && int(n) > k.Width {
				err = fmt.Errorf("prefix length %d of a key of %d bits", n, k.Width)
			}
			if err == nil {
				m = new(big.Int).Lsh(ones(int(n)), uint(k.Width-int(n)))
			}
		}
	case strings.Contains(s, "*"):
		v, m, err = wildcard(s)
	default:
		v, err = number(s)
	}
	if err != nil {
		return dataplane.Match{}, err
	}
	return maskMatch(k, v, m)
}

func rangeMatch(k *ir.Key, lo, hi string) (dataplane.Match, error) {
	var out dataplane.Match
	l, err := number(lo)
	if err != nil {
		return out, err
	}
	h, err := number(hi)
	if err != nil {
		return out, err
	}
	if k.Match != ir.Range {
		return out, fmt.Errorf("a range for a key that is matched %s", k.Match)
	}
	if l.Cmp(h) > 0 {
		return out, fmt.Errorf("the range is empty")
	}
	if out.Value, err = toBytes(l, k.Width); err != nil {
		return out, err
	}
	out.Mask, err = toBytes(h, k.Width)
	return out, err
}

// maskMatch makes the match of a value and mask, as the kind of match allows.
func maskMatch(k *ir.Key, v, m *big.Int) (dataplane.Match, error) {
	var out dataplane.Match
	all := ones(k.Width)
	full := m.Cmp(all) == 0
	if m.BitLen() > k.Width {
		// Leading zeros of a wider literal matter as little as in a number.
		if new(big.Int).Rsh(v, uint(k.Width)).Sign() != 0 {
			return out, fmt.Errorf("value %#x does not fit %d bits", v, k.Width)
		}
		m = new(big.Int).And(m, all)
		full = m.Cmp(all) == 0
	}
	if v.BitLen() > k.Width {
		return out, fmt.Errorf("value %#x does not fit %d bits", v, k.Width)
	}
	var err error
	switch k.Match {
	case ir.Exact:
		if !full {
			return out, fmt.Errorf("an exact key cannot be masked")
		}
		out.Value, err = toBytes(v, k.Width)
	case ir.LPM:
		inv := new(big.Int).Xor(m, all)
		if new(big.Int).And(inv, new(big.Int).Add(inv, big.NewInt(1))).Sign() != 0 {
			return out, fmt.Errorf("the mask %#x of an lpm key is not a prefix", m)
		}
		out.PrefixLen = k.Width - inv.BitLen()
		out.Value, err = toBytes(new(big.Int).And(v, m), k.Width)
	case ir.Range:
		if !full {
			if m.Sign() != 0 {
				return out, fmt.Errorf("a range key cannot be masked: LOW..HIGH")
			}
			return rangeAll(k)
		}
		if out.Value, err = toBytes(v, k.Width); err == nil {
			out.Mask = out.Value
		}
	default:
		if k.Match == ir.Optional && !full && m.Sign() != 0 {
			return out, fmt.Errorf("an optional key is matched whole or not at all")
		}
		if out.Value, err = toBytes(new(big.Int).And(v, m), k.Width); err == nil {
			out.Mask, err = toBytes(m, k.Width)
		}
	}
	return out, err
}

func rangeAll(k *ir.Key) (dataplane.Match, error) {
	lo, err := toBytes(new(big.Int), k.Width)
	if err != nil {
		return dataplane.Match{}, err
	}
	hi, err := toBytes(ones(k.Width), k.Width)
	return dataplane.Match{Value: lo, Mask: hi}, err
}

// anyMatch is the match of a key that is not given; ok is false for exact keys.
func anyMatch(k *ir.Key) (m dataplane.Match, ok bool) {
	zero := make([]byte, (k.Width+7)/8)
	switch k.Match {
	case ir.Exact:
		return m, false
	case ir.Range:
		m, err := rangeAll(k)
		return m, err == nil
	case ir.LPM:
		return dataplane.Match{Value: zero}, true
	}
	return dataplane.Match{Value: zero, Mask: zero}, true
}
