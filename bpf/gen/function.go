package gen

import (
	"cmp"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A block annotated @own_function is a global function: the verifier checks it once, for
// any values of what it takes, and not again on every path that leads to it. What it
// reads and writes goes through a struct on the caller's stack; the packet it finds again
// by itself.

// uses are the variables of the gress that statements read or write, with the actions
// that they run.
type uses struct {
	vars    []*ir.Var
	headers []*ir.HeaderInst // made valid or invalid
	time    bool
	but     *ir.Block // is left out
}

func (u *uses) add(v *ir.Var) {
	switch {
	case v.Kind == ir.Param || v.Kind == ir.RegValue || v.Kind == ir.RegResult || slices.Contains(u.vars, v):
	case v.Kind == ir.Intrinsic && isTime(v.Name):
		u.time = true
	default:
		u.vars = append(u.vars, v)
	}
}

func (u *uses) expr(e ir.Expr) { ir.Vars(e, u.add) }

func (u *uses) stmts(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		if b, ok := s.(*ir.Block); ok && b == u.but {
			return false
		}
		ir.Reads(s, u.expr)
		ir.Writes(s, u.add)
		if h := ir.Changes(s); h != nil {
			u.headers = append(u.headers, h)
			for _, f := range h.Fields {
				u.add(f)
			}
		}
		switch s := s.(type) {
		case *ir.Apply:
			for _, k := range s.Table.Keys {
				u.expr(k.Expr)
			}
		case *ir.RegisterExec:
			u.stmts(s.Action.Body)
		}
		ir.Runs(s, func(a *ir.Action) { u.stmts(a.Body) })
		return true
	})
}

// touches reports whether a header, or a field of it, is among what is used.
func (u *uses) touches(h *ir.HeaderInst) bool {
	return slices.Contains(u.headers, h) || slices.ContainsFunc(u.vars, func(v *ir.Var) bool { return v.Header == h })
}

// ownFunctionBlocks are the annotated blocks, inner ones first.
func (g *gress) ownFunctionBlocks() (out []*ir.Block) {
	anyStmt(g.Control, func(s ir.Stmt) bool {
		if b, ok := s.(*ir.Block); ok && b.OwnFunction {
			out = append(out, b)
		}
		return false
	}, true)
	slices.Reverse(out)
	return out
}

// outside are the variables that are used elsewhere than in a block. A variable that the parser
// sets to 0 in the beginning, and nothing else, is not: it is 0 where the block begins.
func (g *gress) outside(b *ir.Block) []*ir.Var {
	u := &uses{but: b}
	for i, st := range g.Parser.States {
		for _, s := range st.Body {
			if a, ok := s.(*ir.Assign); ok && i == 0 && !a.Slice {
				if c, isConst := a.Src.(*ir.Const); isConst && c.Value.Sign() == 0 {
					continue
				}
			}
			u.stmts([]ir.Stmt{s})
		}
		for _, k := range st.Keys {
			u.expr(k)
		}
	}
	u.stmts(g.Control)
	u.stmts(g.Deparser)
	return u.vars
}

// handed is a member of the state that an own function takes, and whether it gives it back.
type handed struct {
	name, place string
	wide        bool
	back        bool
}

// handedTo are the members of the state that a block uses. Fields that are in the packet
// stay there.
func (g *gress) handedTo(b *ir.Block) (out []handed, bridged bool) {
	u := &uses{}
	u.stmts(b.Body)
	assigned := effectsOf(b.Body).assigned
	names := newScope("valid", "length", "contention", "unicast")
	if u.time {
		g.fail(b.Pos, "@own_function: block that reads the time: not supported on XDP")
	}
	byPlace := map[string]int{}
	outside := g.outside(b)
	for _, v := range u.vars {
		if (v.Kind == ir.Meta || v.Kind == ir.Local) && !slices.Contains(outside, v) {
			continue
		}
		if v.Kind == ir.Field && g.inPacket(v.Header) {
			continue
		}
		if v.Kind == ir.Field && g.inMeta(v.Header) {
			bridged = true
			continue
		}
		h := handed{place: g.memberPath(v.Name), wide: v.Type.Width > 32, back: slices.Contains(assigned, v)}
		if bits := g.bitsOf[v]; bits != "" {
			h.place = bits
		}
		if i, ok := byPlace[h.place]; ok {
			out[i].back = out[i].back || h.back
			continue
		}
		h.name = names.name("", v.Name)
		byPlace[h.place] = len(out)
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b handed) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.wide], map[bool]int{true: 0, false: 1}[b.wide])
	})
	return out, bridged
}

// toggles reports whether a block may change which headers are valid.
func toggles(b *ir.Block) bool {
	u := &uses{}
	u.stmts(b.Body)
	return len(u.headers) > 0
}

func (g *gress) ownFunction(b *ir.Block) string { return g.function(b, "", "own_function") }

// ownFunctions writes the annotated blocks as functions.
func (g *gress) ownFunctions() {
	o := g.out
	for _, b := range g.ownFunctionBlocks() {
		if anyStmt(b.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.Exit); return ok }, true) || usesReturn(b.Body) {
			g.fail(b.Pos, "@own_function: block that is left by return or exit (not supported on XDP)")
		}
		if anyStmt(b.Body, appliesOwn, true) {
			g.fail(b.Pos, "@own_function: block that applies a table with @own_code (not supported on XDP)")
		}
		for rows, at := range g.hoisted {
			if effectsOf(b.Body).accesses(g.d, rows) > 0 && slices.ContainsFunc(at, func(x *ir.Block) bool { return contains(x.Body, b) }) {
				g.fail(b.Pos, "@own_function: block with only some of the accesses to register %s (not supported on XDP)", rows.Registers[0].Register.Name)
			}
		}
		name := g.ownFunction(b)
		all, bridged := g.handedTo(b)
		o.line("/* What %s takes and gives back. */", name)
		o.open("struct %s {", name)
		for _, h := range all {
			o.line("%s %s;", map[bool]string{true: "u64", false: "u32"}[h.wide], h.name)
		}
		o.line("u32 valid, length;")
		o.line("u32 contention, unicast;")
		o.close("};")
		o.line("")
		o.line("/* @own_function%s */", posText(b.Pos))
		o.open("GLOBAL int %s(struct xdp_md *ctx, struct %s *x)\n{", name, name)
		o.line("struct %s state = {}, *s = &state;", g.Gress.Name)
		o.line("if (!x) /* the verifier's: it is never so */")
		o.line("\treturn 0;")
		o.line("u8 *end = PTR(ctx->data_end);")
		o.line("s->data = PTR(ctx->data);")
		o.line("s->length = x->length;")
		g.validAgain(b)
		if bridged {
			o.line("s->m = PTR(ctx->data_meta);")
			o.line("if ((void *)(s->m + 1) > PTR(ctx->data))")
			o.line("\treturn 0;")
		}
		for _, h := range all {
			o.line("s->%s = x->%s;", h.place, h.name)
		}
		g.stmts(b.Body)
		for _, h := range all {
			if h.back {
				o.line("x->%s = s->%s;", h.name, h.place)
			}
		}
		if toggles(b) {
			o.line("x->valid = s->valid;")
		}
		o.line("x->contention = s->contention;")
		if g.prefix == "in" {
			o.line("x->unicast = s->unicast;")
		}
		o.line("return 0;")
		o.close("}")
		o.line("")
	}
}

// contains reports whether a block is among statements, or is in one of them.
func contains(list []ir.Stmt, b *ir.Block) bool {
	return anyStmt(list, func(s ir.Stmt) bool { return s == ir.Stmt(b) }, true)
}

// validAgain finds out which headers are valid and in the packet: from the last one that
// is, the verifier knows that those before it are in the packet, too.
func (g *gress) validAgain(b *ir.Block) {
	o := g.out
	type end struct {
		h  *ir.HeaderInst
		at int
	}
	var ends []end
	u := &uses{}
	u.stmts(b.Body)
	for _, h := range g.Headers {
		if !g.extracted[h] || g.bridged(h) {
			continue
		}
		if g.offset[h] < 0 {
			if u.touches(h) {
				g.fail(b.Pos, "@own_function: header %s is not always at the same place (not supported on XDP)", h.Name)
				return
			}
			continue // the block does not ask for it
		}
		if !g.inPacket(h) {
			continue
		}
		ends = append(ends, end{h, g.offset[h] + h.Type.Bytes()})
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(b.at, a.at) })
	o.line("u32 valid = x->valid;")
	gone := ""
	for _, e := range ends {
		o.open("if (!(valid & %s) || s->data + %d > end) {", g.bit(e.h), e.at)
		if gone != "" {
			gone += " | "
		}
		gone += g.bit(e.h)
		o.line("valid = x->valid & ~(%s);", gone)
	}
	for range ends {
		o.close("}")
	}
	// The compiler shall not find out why a header is valid; see hideValid.
	o.line("barrier_var(valid);")
	o.line("s->valid = valid;")
}

// callOwn calls the function of an annotated block.
func (g *gress) callOwn(b *ir.Block) {
	o := g.out
	if g.phase != phaseAll || g.inFunction {
		g.fail(b.Pos, "@own_function in an @updates_first block or an action: not supported on XDP")
		return
	}
	name := g.ownFunction(b)
	all, _ := g.handedTo(b)
	o.open("{%s", at(b.Pos))
	o.line("struct %s x = {", name)
	for _, h := range all {
		o.line("\t.%s = s->%s,", h.name, h.place)
	}
	o.line("\t.valid = s->valid, .length = s->length,")
	o.line("};")
	o.line("%s(ctx, &x);", name)
	for _, h := range all {
		if h.back {
			o.line("s->%s = x.%s;", h.place, h.name)
		}
	}
	if toggles(b) {
		o.line("s->valid = x.valid;")
	}
	o.line("s->contention |= x.contention;")
	if g.prefix == "in" {
		o.line("s->unicast |= x.unicast;")
	}
	o.close("}")
}
