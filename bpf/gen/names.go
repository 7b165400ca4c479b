package gen

import (
	"fmt"
	"strings"
	"unicode"
)

// C has one name where P4 has another path, control or gress, and names of its own:
// keywords, macros, and what the generator and the run-time headers declare. Whatever
// a program calls its things, the C compiles:
//
//   - ident makes a C identifier out of a P4 name, and two of two;
//   - a scope gives each thing that is declared in one place of the C a name that
//     nothing else there has;
//   - what shares a function with the generator's own variables begins with p_
//     (parameters), functions with in_ and eg_, maps with t_, d_, x_, c_ and r_, actions and
//     entries with a_ and e_, what looks tables up with lookup_ and default_.

// keywords are the words that no member or variable can be called; what consists of
// capitals or begins with two underscores may be a macro.
var keywords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`auto break case char const continue default do double else enum extern
		float for goto if inline int long register restrict return short signed sizeof static struct
		switch typedef union unsigned void volatile while asm typeof linux unix bool true false
		likely unlikely barrier_var memcpy memset aside u8 u16 u32 u64 s8 s16 s32 s64`) {
		keywords[w] = true
	}
}

// ident makes a C identifier out of one component of a P4 name.
func ident(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' && i > 0:
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	out := b.String()
	macro := out == strings.ToUpper(out) && strings.ContainsFunc(out, unicode.IsLetter)
	if out == "" || keywords[out] || macro || strings.HasPrefix(out, "__") || strings.HasSuffix(s, "_") {
		out += "_"
	}
	return out
}

// A scope is the names that are taken in one place of the C.
type scope map[string]bool

// newScope returns a scope in which some names are taken.
func newScope(taken ...string) scope {
	s := scope{}
	for _, n := range taken {
		s[n] = true
	}
	return s
}

// name returns the identifier for a dotted P4 name, or one like it that is not taken.
func (s scope) name(prefix, p4 string) string {
	n := ident(strings.ReplaceAll(prefix+p4, ".", "_"))
	for i := 2; s[n]; i++ {
		n = ident(fmt.Sprintf("%s%s_%d", prefix, strings.ReplaceAll(p4, ".", "_"), i))
	}
	s[n] = true
	return n
}

// aliases gives each dotted name its shortest suffix that no other has, with
// underscores for dots.
func aliases(names []string) map[string]string {
	uses := map[string]int{}
	suffixes := func(n string) []string {
		parts := strings.Split(n, ".")
		var out []string
		for i := len(parts) - 1; i >= 0; i-- {
			out = append(out, strings.Join(parts[i:], "."))
		}
		return out
	}
	for _, n := range names {
		for _, s := range suffixes(n) {
			uses[s]++
		}
	}
	out, taken := map[string]string{}, newScope()
	for _, n := range names {
		if out[n] != "" {
			continue
		}
		short := n
		for _, s := range suffixes(n) {
			if uses[s] == 1 {
				short = s
				break
			}
		}
		out[n] = taken.name("", short)
	}
	return out
}
