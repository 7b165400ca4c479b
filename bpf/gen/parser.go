package gen

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// load reads w bits at a bit offset from the byte pointer p.
func (g *gress) load(p string, bit, w int, pos ir.Pos) string {
	first, last := bit/8, (bit+w-1)/8
	n := last - first + 1
	if n > 8 {
		g.fail(pos, "field of %d bits that lies in %d bytes", w, n)
		return "0"
	}
	where := p
	if first > 0 {
		where = fmt.Sprintf("%s + %d", p, first)
	}
	x := fmt.Sprintf("ld%d(%s)", 8*n, where)
	shift := (last+1)*8 - bit - w
	if shift == 0 && w == 8*n {
		return x
	}
	if shift > 0 {
		x = fmt.Sprintf("(%s >> %d)", x, shift)
	}
	return fmt.Sprintf("(%s & %s)", x, maskOf(w))
}

// store writes v, w bits at a bit offset from the byte pointer p, and leaves
// the bits beside it alone.
func (g *gress) store(p string, bit, w int, pos ir.Pos) string {
	first, last := bit/8, (bit+w-1)/8
	n := last - first + 1
	if n > 8 {
		g.fail(pos, "field of %d bits that lies in %d bytes", w, n)
		return ""
	}
	where := p
	if first > 0 {
		where = fmt.Sprintf("%s + %d", p, first)
	}
	shift := (last+1)*8 - bit - w
	if shift == 0 && w == 8*n {
		return fmt.Sprintf("st%d(%s, v)", 8*n, where)
	}
	return fmt.Sprintf("st%d(%s, (ld%d(%s) & ~((u64)%s << %d)) | (u64)v << %d)", 8*n, where, 8*n, where, maskOf(w), shift, shift)
}

// loadFields reads a header's fields from the byte pointer p.
func (g *gress) loadFields(h *ir.HeaderInst, p string, pos ir.Pos) {
	for _, f := range h.Fields {
		if isWide(f.Type.Width) {
			g.loadWide(f, p, f.Offset, pos)
			continue
		}
		g.out.line("%s = %s;", g.lvalue(f), g.load(p, f.Offset, f.Type.Width, pos))
	}
}

// loadWide reads a wide variable from a bit offset of the byte pointer p.
func (g *gress) loadWide(v *ir.Var, p string, bit int, pos ir.Pos) {
	w := v.Type.Width
	g.fillWide(v, func(k int) string {
		n := limbBits(w, k)
		return g.loadBits(p, bit+w-64*k-n, n, pos)
	})
}

func (g *gress) parserFunc() {
	o := g.out
	o.line("/* Parser of the %s: on an error, parser_error says which (TNA numbers). */", g.Gress.Name)
	own := g.ownStates()
	result := "void"
	if len(own) > 0 {
		result = "u32"
		o.line("/* Returns the number of the state that it ended in, if that has code of its own. */")
	}
	o.open("INLINE %s %s_parse(struct %s *s, u8 *p, u8 *end)\n{", result, g.prefix, g.Gress.Name)
	sums := newScope()
	for _, c := range g.parserChecksums() {
		g.sums[c] = sums.name("_", c.Name)
		o.line("u64 sum%s = 0, raw%s = 0;", g.sums[c], g.sums[c])
	}
	labels := newScope()
	for _, st := range g.Parser.States {
		g.labelOf[st] = labels.name("state_", st.Name)
	}
	used := map[string]bool{}
	for i, st := range g.Parser.States {
		if i > 0 {
			o.label(g.labelOf[st])
		}
		o.line("/* state %s%s */", st.Name, posText(st.Pos))
		skipped := g.prefix != "eg" || g.d.bridgeState != st
		for _, s := range st.Body {
			if e, ok := s.(*ir.Extract); ok && !skipped && e.Header == g.d.bridgeEg {
				skipped = true // came with the metadata
				continue
			}
			g.parserStmt(s, used)
		}
		g.transition(st, used)
	}
	if used["partial"] {
		o.label("partial")
		o.line("s->parser_error = %#x;", ir.ParserPartial)
		o.line("%s;", g.ended(nil))
	}
	if used["no_match"] {
		o.label("no_match")
		o.line("s->parser_error = %#x;", ir.ParserNoMatch)
		o.line("%s;", g.ended(nil))
	}
	o.close("}")
	o.line("")
}

// ended is the C statement that ends the parser, in a state or with an error.
func (g *gress) ended(st *ir.State) string {
	switch {
	case len(g.ownStates()) == 0:
		return "return"
	case st == nil || !hasOwnCode(st.Annotations):
		return g.cold("return 0")
	}
	return fmt.Sprintf("return %d", g.way(st))
}

// cold is a statement on a way that is not the one of packets with code of their own:
// what the other ways need there is not done on theirs.
func (g *gress) cold(stmt string) string {
	if len(g.ownStates()) == 0 {
		return stmt
	}
	return "{ aside(); " + stmt + "; }"
}

func (g *gress) parserChecksums() []*ir.Checksum {
	var out []*ir.Checksum
	add := func(c *ir.Checksum) {
		for _, x := range out {
			if x == c {
				return
			}
		}
		out = append(out, c)
	}
	for _, st := range g.Parser.States {
		for _, s := range st.Body {
			switch s := s.(type) {
			case *ir.ChecksumAdd:
				add(s.Checksum)
			case *ir.ChecksumGet:
				add(s.Checksum)
			case *ir.ChecksumVerify:
				add(s.Checksum)
			}
		}
	}
	return out
}

func (g *gress) parserChecksum(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.ChecksumAdd:
		if s.Subtract { // what is added then is the complement
			g.out.open("{%s", at(s.Pos))
			g.out.line("u64 sum_less = 0, raw_less = 0;")
			g.checksumInto("_less", s.Inputs, s.Pos)
			g.out.line("sum%s += 0xffff ^ %s;", g.sums[s.Checksum], checksumOf("_less"))
			g.out.close("}")
			return
		}
		g.checksumInto(g.sums[s.Checksum], s.Inputs, s.Pos)
	case *ir.ChecksumGet:
		g.set(s.Dst, checksumOf(g.sums[s.Checksum]), s.Pos)
	case *ir.ChecksumVerify:
		g.set(s.Dst, checksumOf(g.sums[s.Checksum])+" != 0xffff", s.Pos)
	}
}

func (g *gress) parserStmt(s ir.Stmt, used map[string]bool) {
	o := g.out
	switch s := s.(type) {
	case *ir.Extract:
		n := s.Header.Type.Bytes()
		used["partial"] = true
		o.line("if (unlikely(p + %d > end))", n)
		o.line("\t%s;%s", g.cold("goto partial"), at(s.Pos))
		if g.offset[s.Header] < 0 {
			o.line("s->%s = p;", g.at[s.Header])
		}
		o.line("s->valid |= %s;", g.bit(s.Header))
		if !g.inPacket(s.Header) {
			g.loadFields(s.Header, "p", s.Pos)
		}
		o.line("p += %d;", n)
	case *ir.Lookahead:
		bits := 0
		for _, d := range s.Dst {
			bits += d.Type.Width
		}
		used["partial"] = true
		o.line("if (unlikely(p + %d > end))", (bits+7)/8)
		o.line("\t%s;%s", g.cold("goto partial"), at(s.Pos))
		bits = 0
		for _, d := range s.Dst {
			if isWide(d.Type.Width) {
				g.loadWide(d, "p", bits, s.Pos)
				bits += d.Type.Width
				continue
			}
			g.set(d, g.load("p", bits, d.Type.Width, s.Pos), ir.Pos{})
			bits += d.Type.Width
		}
	case *ir.Advance:
		n, ok := skippedBytes(s)
		if !ok {
			g.fail(s.Pos, "advance by a number of bits that is not known, or is no whole bytes: not supported on XDP")
			return
		}
		if n == 0 {
			return
		}
		used["partial"] = true
		o.line("if (unlikely(p + %d > end))", n)
		o.line("\t%s;%s", g.cold("goto partial"), at(s.Pos))
		o.line("p += %d;", n)
		o.line("s->skipped += %d;", n)
	default:
		g.stmts([]ir.Stmt{s})
	}
}

// skippedBytes is how many bytes an advance passes; false when that is not known, or is no number of bytes.
func skippedBytes(s *ir.Advance) (int, bool) {
	c, ok := s.Bits.(*ir.Const)
	if !ok || !c.Value.IsInt64() || c.Value.Int64()%8 != 0 || c.Value.Int64() > 1<<16 {
		return 0, false
	}
	return int(c.Value.Int64() / 8), true
}

// skips reports whether the parser passes bytes that belong to no header, and which the packet loses.
func (g *gress) skips() bool {
	for _, st := range g.Parser.States {
		for _, s := range st.Body {
			if _, ok := s.(*ir.Advance); ok {
				return true
			}
		}
	}
	return false
}

func (g *gress) transition(st *ir.State, used map[string]bool) {
	o := g.out
	target := func(t ir.Target) string {
		if t.State != nil {
			return "goto " + g.labelOf[t.State]
		}
		return g.ended(st)
	}
	if st.Keys == nil {
		o.line("%s;", target(st.Next))
		return
	}
	o.open("{")
	for i, k := range st.Keys {
		if isWide(k.Type().Width) {
			continue
		}
		o.line("%s key%d = %s;", cType(k.Type().Width), i, g.expr(k))
	}
	open := true
	for _, c := range st.Cases {
		cond := ""
		for i, ks := range c.Sets {
			w := st.Keys[i].Type().Width
			ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
			var one string
			switch {
			case ks.Any:
				continue
			case isWide(w):
				one = g.coversWide(st.Keys[i], ks, c.Pos)
			case ks.Range:
				one = fmt.Sprintf("key%d >= %s && key%d <= %s", i, literal(ks.Value, w), i, literal(ks.Mask, w))
			case ks.Mask == nil || ks.Mask.Cmp(ones) == 0:
				one = fmt.Sprintf("key%d == %s", i, g.d.number(ks.Value, w, ks.Name))
			default:
				one = fmt.Sprintf("(key%d & %s) == %s", i, literal(ks.Mask, w), literal(new(big.Int).And(ks.Value, ks.Mask), w))
			}
			if cond != "" {
				cond += " && "
			}
			cond += one
		}
		if cond == "" {
			o.line("%s;%s", target(c.Next), at(c.Pos))
			open = false
			break
		}
		o.line("if (%s)", cond)
		o.line("\t%s;%s", target(c.Next), at(c.Pos))
	}
	if open {
		used["no_match"] = true
		o.line("goto no_match;")
	}
	o.close("}")
}
