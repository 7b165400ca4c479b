package ir

import (
	"slices"
	"strings"
	"unicode"
)

// A Value is a value of a typedef or an enum that has a name.
type Value struct {
	Constant
	// Short is the name in small letters, words joined by _, without the words that the
	// names of all values begin with: DROP_BAD_OPCODE is bad_opcode.
	Short string
}

// Values are the values of a typedef, a type or an enum, in the order in which the
// program declares them. Of several names for one value, the first counts.
func (p *Program) Values(typeName string) []Value {
	if typeName == "" {
		return nil
	}
	var out []Value
	for _, c := range p.Constants {
		if c.TypeName == typeName {
			out = append(out, Value{Constant: c})
		}
	}
	common := commonWords(out)
	for i, v := range out {
		out[i].Short = strings.Join(Words(v.Name)[common:], "_")
	}
	var once []Value
	for _, v := range out {
		if !slices.ContainsFunc(once, func(o Value) bool { return o.Value.Cmp(v.Value) == 0 }) {
			once = append(once, v)
		}
	}
	return once
}

// IndexValues are the names of a counter's cells.
func (p *Program) IndexValues(c *Counter) []Value {
	return slices.DeleteFunc(p.Values(c.IndexName), func(v Value) bool {
		n := v.Value
		return !n.IsInt64() || n.Sign() < 0 || n.Int64() >= int64(c.Size)
	})
}

// Words takes a P4 name apart: at what is neither letter nor digit, and where a small
// letter or digit is followed by a capital. The words are in small letters.
func Words(s string) (out []string) {
	var w strings.Builder
	end := func() {
		if w.Len() > 0 {
			out = append(out, strings.ToLower(w.String()))
			w.Reset()
		}
	}
	var last rune
	for _, r := range s {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			end()
			w.WriteRune(r)
		default:
			w.WriteRune(r)
		}
		last = r
	}
	end()
	return out
}

// commonWords is how many words the names of all values begin with alike; every name
// keeps one at least.
func commonWords(list []Value) int {
	if len(list) < 2 {
		return 0
	}
	first := Words(list[0].Name)
	n := len(first) - 1
	for _, c := range list[1:] {
		own := Words(c.Name)
		n = min(n, len(own)-1)
		for i := range n {
			if own[i] != first[i] {
				n = i
				break
			}
		}
	}
	return max(n, 0)
}
