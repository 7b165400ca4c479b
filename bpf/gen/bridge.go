package gen

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// The bridged header is in the metadata, between the ingress, which writes it there
// field by field, and the egress, which reads it once. Only these two programs of
// one object look at it: units of a machine word's size are in the machine's byte
// order.

// isWord reports whether a unit is read and written as one number of the machine.
func (u unit) isWord() bool {
	return (u.w == 8 || u.w == 16 || u.w == 32 || u.w == 64) && u.bit%u.w == 0
}

// word is the C expression for a unit in the metadata that m points to.
func (u unit) word(m string) string { return m + "->bridge." + u.member }

// bridgeDecl declares the bridged header in the metadata.
func bridgeDecl(o *writer, h *ir.HeaderInst) {
	o.open("struct {")
	for _, u := range units(h) {
		var parts []string
		for _, f := range u.fields {
			parts = append(parts, fmt.Sprintf("%s %s", f.Type, f.Name[len(h.Name)+1:]))
		}
		note := ""
		if len(parts) > 1 || !u.isWord() {
			note = " /* " + strings.Join(parts, ", ") + " */"
		}
		if u.isWord() {
			o.line("u%d %s;%s", u.w, u.member, note)
		} else {
			o.line("u8 %s[%d];%s", u.member, u.w/8, note)
		}
	}
	o.close("} bridge __attribute__((aligned(8))); /* %s */", h.Type.Name)
}

// inWord is the C expression for a field of a unit that is a word, and how far it
// is shifted up there.
func (u unit) inWord(f *ir.Var, m string) (value string, shift int) {
	shift = u.bit + u.w - f.Offset - f.Type.Width
	value = u.word(m)
	if shift > 0 {
		value = fmt.Sprintf("(%s >> %d)", value, shift)
	}
	if f.Type.Width < u.w {
		value = fmt.Sprintf("(%s & %s)", value, maskOf(f.Type.Width))
	}
	return value, shift
}

// metaFuncs writes the functions that read and write the fields of the ingress's
// bridged header. A field of an invalid header reads as zero, and who writes asks
// whether it is valid, unless the header is kept.
func (g *gress) metaFuncs(h *ir.HeaderInst) {
	o := g.out
	o.line("/* %s, in the metadata. */", h.Name)
	for _, u := range units(h) {
		for _, f := range u.fields {
			w := f.Type.Width
			if w > 64 || u.w > 64 {
				g.fail(f.Pos, "bridged header %s: field %s in %d bits (at most 64 on XDP)", h.Name, f.Name, u.w)
				return
			}
			get, set := "", ""
			if u.isWord() {
				var shift int
				get, shift = u.inWord(f, "s->m")
				set = fmt.Sprintf("%s = v", u.word("s->m"))
				if w < u.w {
					set = fmt.Sprintf("%s = (%s & ~((u64)%s << %d)) | (u64)v << %d", u.word("s->m"), u.word("s->m"), maskOf(w), shift, shift)
				}
			} else {
				get = g.load(u.word("s->m"), f.Offset-u.bit, w, f.Pos)
				set = g.store(u.word("s->m"), f.Offset-u.bit, w, f.Pos)
			}
			if !h.Kept {
				get = fmt.Sprintf("%s ? %s : 0", g.valid(h), get)
			}
			o.line("INLINE %s %s(struct %s *s) { return %s; }", stateType(w), g.getter(f), g.Gress.Name, get)
			o.line("INLINE void %s(struct %s *s, %s v) { %s; }", g.setter(f), g.Gress.Name, stateType(w), set)
		}
	}
	o.line("")
}

// loadBridge reads the egress's bridged header from the metadata m.
func (g *gress) loadBridge(h *ir.HeaderInst) {
	for _, u := range units(h) {
		for _, f := range u.fields {
			value := ""
			if u.isWord() {
				value, _ = u.inWord(f, "m")
			} else {
				value = g.load(u.word("m"), f.Offset-u.bit, f.Type.Width, h.Type.Pos)
			}
			g.out.line("%s = %s;", g.lvalue(f), value)
		}
	}
}
