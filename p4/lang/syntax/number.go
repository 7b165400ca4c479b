package syntax

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// MaxWidth bounds the widths of bit<> and int<> types; the public compiler's
// default bound is the same.
const MaxWidth = 2048

// maxDigits bounds how long a number literal may be.
const maxDigits = 4096

// A Literal is the value of a number as written. Width 0 is an int of unknown
// width (an infinite-precision integer).
type Literal struct {
	Value  *big.Int
	Width  int
	Signed bool
	Base   int // 2, 8, 10 or 16, for printing it back
}

// ParseNumber reads a P4 integer: an optional width with w (unsigned) or s
// (signed), an optional base prefix, digits with underscores.
func ParseNumber(text string) (Literal, error) {
	l := Literal{Base: 10}
	s := text
	i := 0
	for i < len(s) && (isDigit(s[i]) || s[i] == '_') {
		i++
	}
	if i < len(s) && (s[i] == 'w' || s[i] == 's') {
		w, err := strconv.Atoi(strings.ReplaceAll(s[:i], "_", ""))
		if err != nil || w > MaxWidth {
			return l, fmt.Errorf("number '%s': width out of range (1 to %d)", clip(text), MaxWidth)
		}
		l.Signed = s[i] == 's'
		if w == 0 || l.Signed && w < 1 {
			return l, fmt.Errorf("number '%s': width must be at least 1", clip(text))
		}
		l.Width = w
		s = s[i+1:]
	}
	if len(s) > 2 && s[0] == '0' {
		base := map[byte]int{'x': 16, 'X': 16, 'b': 2, 'B': 2, 'o': 8, 'O': 8, 'd': 10, 'D': 10}[s[1]]
		if base != 0 {
			l.Base = base
			s = s[2:]
		}
	}
	digits := strings.ReplaceAll(s, "_", "")
	if digits == "" {
		return l, fmt.Errorf("number '%s': no digits", clip(text))
	}
	if len(digits) > maxDigits {
		return l, fmt.Errorf("number '%s': too many digits", clip(text))
	}
	v, ok := new(big.Int).SetString(digits, l.Base)
	if !ok {
		return l, fmt.Errorf("number '%s': not a base-%d number", clip(text), l.Base)
	}
	l.Value = v
	return l, nil
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
