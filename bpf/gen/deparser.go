package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// emits returns the headers that the deparser emits, in order, without the
// bridged one.
func (g *gress) emits() []*ir.HeaderInst {
	var out []*ir.HeaderInst
	for _, s := range g.Deparser {
		e, ok := s.(*ir.Emit)
		if !ok {
			continue
		}
		if g.prefix == "in" && e.Header == g.d.bridgeIn {
			continue
		}
		out = append(out, e.Header)
	}
	return out
}

// checkOrder refuses a deparser that emits two extracted headers in another
// order than the parser meets them: they could not stay where they are.
func (g *gress) checkOrder(emits []*ir.HeaderInst) {
	before := map[[2]*ir.HeaderInst]bool{}
	var visit func(s *ir.State, path []*ir.HeaderInst)
	visit = func(s *ir.State, path []*ir.HeaderInst) {
		if s == nil {
			return
		}
		for _, x := range s.Body {
			if e, ok := x.(*ir.Extract); ok {
				for _, h := range path {
					before[[2]*ir.HeaderInst{h, e.Header}] = true
				}
				path = append(path[:len(path):len(path)], e.Header)
			}
		}
		visit(s.Next.State, path)
		for _, c := range s.Cases {
			visit(c.Next.State, path)
		}
	}
	if len(g.Parser.States) > 0 {
		visit(g.Parser.States[0], nil)
	}
	for i, a := range emits {
		for _, b := range emits[i+1:] {
			if before[[2]*ir.HeaderInst{b, a}] {
				g.fail(a.Type.Pos, "%s deparser: emits %s before %s, which the parser extracts first: not supported on XDP", g.Gress.Name, a.Name, b.Name)
			}
		}
	}
}

// unit is a run of fields that begins and ends at a byte: what is stored at
// once.
type unit struct {
	fields []*ir.Var
	bit, w int
	member string // its name in the metadata: its fields' names
}

func units(h *ir.HeaderInst) []unit {
	var out []unit
	var u unit
	var names []string
	members := newScope()
	for _, f := range h.Fields {
		if len(u.fields) == 0 {
			u.bit = f.Offset
		}
		u.fields = append(u.fields, f)
		u.w += f.Type.Width
		names = append(names, f.Name[len(h.Name)+1:])
		if (u.bit+u.w)%8 == 0 {
			u.member = members.name("", strings.Join(names, "_"))
			out = append(out, u)
			u, names = unit{}, nil
		}
	}
	return out
}

// storeUnit writes a unit to the header that begins at p.
func (g *gress) storeUnit(u unit, p string, h *ir.HeaderInst) {
	if isWide(u.w) {
		g.storeWideUnit(u, p)
		return
	}
	where := p
	if u.bit > 0 {
		where = fmt.Sprintf("%s + %d", p, u.bit/8)
	}
	g.out.line("st%d(%s, %s);", u.w, where, g.unitValue(u))
}

// storeWideUnit writes a unit of more than 64 bits.
func (g *gress) storeWideUnit(u unit, p string) {
	var e ir.Expr = &ir.Ref{Var: u.fields[0]}
	for _, f := range u.fields[1:] {
		e = &ir.Binary{Op: ir.Concat, T: ir.BitType(e.Type().Width + f.Type.Width), X: e, Y: &ir.Ref{Var: f}, Pos: f.Pos}
	}
	at := u.bit / 8
	for k := limbs(u.w) - 1; k >= 0; k-- {
		n := limbBits(u.w, k)
		g.out.line("st%d(%s + %d, %s);", n, p, at, g.limb(e, k))
		at += n / 8
	}
}

// unitValue is a unit as one number.
func (g *gress) unitValue(u unit) string {
	value := ""
	left := u.w
	for _, f := range u.fields {
		left -= f.Type.Width
		x := g.read(f)
		if left > 0 {
			x = fmt.Sprintf("(u64)%s << %d", x, left)
		}
		if value != "" {
			value += " | "
		}
		value += x
	}
	return value
}

// storeAll writes every field of a header at p.
func (g *gress) storeAll(h *ir.HeaderInst, p string) {
	for _, u := range units(h) {
		g.storeUnit(u, p, h)
	}
}

// deparserFuncs writes the deparser's control (checksums, digests) and the
// function that brings the headers into the packet.
func (g *gress) deparserFuncs() {
	o := g.out
	emits := g.emits()
	g.checkOrder(emits)
	o.line("/* Deparser of the %s, but for the emits. */", g.Gress.Name)
	o.open("INLINE void %s_deparse(struct %s *s)\n{", g.prefix, g.Gress.Name)
	g.exitLabel = g.newLabel("deparsed")
	usesExit := usesReturn(g.Deparser)
	for _, s := range g.Deparser {
		if _, ok := s.(*ir.Emit); !ok {
			g.stmts([]ir.Stmt{s})
		}
	}
	if usesExit {
		o.label(g.exitLabel)
	}
	o.close("}")
	o.line("")

	// The layout changes when a header that is emitted has been added or removed,
	// or one that came with the packet is not emitted.
	var changed, gone []string
	for _, h := range g.Headers {
		switch emitted := slices.Contains(emits, h); {
		case g.bridged(h):
		case emitted && g.toggled[h]:
			changed = append(changed, g.bit(h))
		case !emitted && g.extracted[h]:
			gone = append(gone, g.bit(h))
		}
	}
	var same []string
	if len(changed) > 0 {
		same = append(same, fmt.Sprintf("!((s->valid ^ s->extracted) & (%s))", strings.Join(changed, " | ")))
	}
	if len(gone) > 0 {
		same = append(same, fmt.Sprintf("!(s->extracted & (%s))", strings.Join(gone, " | ")))
	}
	skips := g.skips()
	if skips {
		same = append(same, "!s->skipped")
	}
	o.line("/* Brings the headers into the packet. Those that stay there have been rewritten")
	o.line(" * already. Returns XDP_PASS, or a verdict when it is not possible. */")
	o.open("INLINE int %s_rewrite(struct %s *s, struct xdp_md *ctx)\n{", g.prefix, g.Gress.Name)
	kept := false // headers that were extracted, but are held in variables
	for _, h := range emits {
		if g.extracted[h] && !g.inPacket(h) {
			kept = true
		}
	}
	if len(same) == 0 && !kept {
		o.line("return XDP_PASS;")
		o.close("}")
		o.line("")
		return
	}
	if !kept {
		o.line("if (likely(%s))", strings.Join(same, " && "))
		o.line("\treturn XDP_PASS;")
		o.line("")
	}
	o.line("/* Save what stays, make room, write everything again. */")
	if skips {
		o.line("u32 parsed = s->skipped, size = 0;")
	} else {
		o.line("u32 parsed = 0, size = 0;")
	}
	if g.saves(emits) {
		o.line("u32 zero = 0;")
		o.line("struct %s_saved *saved = bpf_map_lookup_elem(&%s_scratch, &zero);", g.prefix, g.prefix)
		o.line("if (!saved)")
		o.line("\treturn drop(P4_NO_HEADROOM);")
	}
	for _, h := range g.Headers {
		if g.extracted[h] && !g.bridged(h) {
			o.line("if (s->extracted & %s)", g.bit(h))
			o.line("\tparsed += %d;", h.Type.Bytes())
		}
	}
	for _, h := range emits {
		o.open("if %s {", g.valid(h))
		if g.inPacket(h) {
			o.line("memcpy(saved->%s, %s, %d);", g.headers[h], g.where(h), h.Type.Bytes())
		}
		o.line("size += %d;", h.Type.Bytes())
		o.close("}")
	}
	o.line("if (parsed != size && bpf_xdp_adjust_head(ctx, (int)(parsed - size)))")
	o.line("\treturn drop(P4_NO_HEADROOM);")
	o.line("u8 *p = PTR(ctx->data), *end = PTR(ctx->data_end);")
	for _, h := range emits {
		o.open("if %s {", g.valid(h))
		o.line("if (p + %d > end)", h.Type.Bytes())
		o.line("\treturn drop(P4_NO_HEADROOM);")
		if g.inPacket(h) {
			o.line("memcpy(p, saved->%s, %d);", g.headers[h], h.Type.Bytes())
		} else {
			g.storeAll(h, "p")
		}
		o.line("p += %d;", h.Type.Bytes())
		o.close("}")
	}
	if g.prefix == "in" {
		o.line("s->m = PTR(ctx->data_meta); /* moved with the packet */")
		o.line("if ((void *)(s->m + 1) > PTR(ctx->data))")
		o.line("\treturn drop(P4_NO_METADATA);")
	}
	o.line("return XDP_PASS;")
	o.close("}")
	o.line("")
}

// saves reports whether a header that is emitted is in the packet, which may move:
// it has to be kept meanwhile.
func (g *gress) saves(emits []*ir.HeaderInst) bool { return slices.ContainsFunc(emits, g.inPacket) }

// scratch declares the room in which headers are kept while the packet moves.
func (g *gress) scratch() {
	emits := g.emits()
	if !g.saves(emits) {
		return
	}
	o := g.out
	o.open("struct %s_saved {", g.prefix)
	for _, h := range emits {
		if g.inPacket(h) {
			o.line("u8 %s[%d];", g.headers[h], (h.Type.Bytes()+7)&^7)
		}
	}
	o.close("};")
	o.line("struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, struct %s_saved); }", g.prefix)
	o.line("\t%s_scratch SEC(\".maps\"); /* headers of a packet whose layout changes */", g.prefix)
	o.line("")
}
