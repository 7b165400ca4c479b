package gen

import (
	"strings"
)

// cKeywords are the words that a member or variable cannot be called.
var cKeywords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`auto break case char const continue default do double else enum extern
		float for goto if inline int long register restrict return short signed sizeof static struct
		switch typedef union unsigned void volatile while asm typeof likely unlikely barrier_var memcpy memset
		at valid dirty u8 u16 u32 u64 s8 s16 s32 s64`) {
		cKeywords[w] = true
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
	if out == "" || cKeywords[out] {
		out += "_"
	}
	return out
}

// flat makes a single C identifier out of a dotted P4 name.
func flat(s string) string { return ident(strings.ReplaceAll(s, ".", "_")) }

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
	out := map[string]string{}
	for _, n := range names {
		for _, s := range suffixes(n) {
			out[n] = flat(s)
			if uses[s] == 1 {
				break
			}
		}
	}
	return out
}
