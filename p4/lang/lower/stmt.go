package lower

import (
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// block lowers the statements of a block into b.
func (b *body) block(s *syntax.Block) {
	for _, a := range s.Annots {
		switch a.Name {
		case "atomic", "updates_first", "own_function":
		case "in_hash": // how a Tofino moves bits
		default:
			b.g.diags.Warnf(a.Pos(), diag.Annotation, "annotation @%s on a block is not known and is ignored", a.Name)
		}
	}
	atomic := s.Annots.Find("atomic") != nil
	updates := s.Annots.Find("updates_first") != nil
	own := s.Annots.Find("own_function") != nil
	in := b.sub()
	for _, t := range s.Stmts {
		in.stmt(t)
	}
	if atomic || updates || own {
		b.emit(&ir.Block{Atomic: atomic, UpdatesFirst: updates, OwnFunction: own, Body: in.stmts, Pos: pos(s.Pos())})
		return
	}
	b.stmts = append(b.stmts, in.stmts...)
}

func (b *body) stmt(s syntax.Stmt) {
	if b.g.full {
		return
	}
	at := pos(s.Pos())
	switch s := s.(type) {
	case *syntax.Block:
		b.block(s)
	case *syntax.DeclStmt:
		b.declare(s.Decl)
	case *syntax.AssignStmt:
		b.assignStmt(s)
	case *syntax.CallStmt:
		b.call(s.Call)
	case *syntax.If:
		b.ifStmt(s)
	case *syntax.Switch:
		b.switchStmt(s)
	case *syntax.Return:
		if s.X != nil {
			if b.ret == nil || b.ret.result == nil {
				return
			}
			b.assignFrom(b.ret.result, s.X)
		}
		b.emit(&ir.Return{Pos: at})
	case *syntax.For:
		b.forStmt(s)
	case *syntax.Break:
		b.g.errorf(s.Pos(), diag.Unsupported, "break and continue are not supported: a loop is written out")
	case *syntax.Exit:
		if b.g.where == inDeparser {
			b.g.errorf(s.Pos(), diag.Unsupported, "exit in a deparser is not supported")
			return
		}
		for _, c := range slices.Backward(b.calls) {
			b.leave(c)
		}
		b.emit(&ir.Exit{Pos: at})
	}
}

// maxLoop bounds how often a loop's body is written out.
const maxLoop = 256

// forStmt writes a loop out: that over a range whose bounds are known. Tofino has no loops, and neither has a program for it.
func (b *body) forStmt(s *syntax.For) {
	r, ok := s.In.(*syntax.Binary)
	if !ok || r.Op != syntax.DotDot {
		b.g.errorf(s.Pos(), diag.Unsupported, "only a loop over a range whose bounds are known is supported: for (bit<8> i in 0..9)")
		return
	}
	lo, ok1 := types.IntOf(b.g.value(r.X, b.env))
	hi, ok2 := types.IntOf(b.g.value(r.Y, b.env))
	if !ok1 || !ok2 {
		b.g.errorf(r.Pos(), diag.NotConstant, "the bounds of this loop must be known when compiling")
		return
	}
	n := new(big.Int).Sub(hi, lo)
	if n.Cmp(big.NewInt(maxLoop)) >= 0 {
		b.g.errorf(r.Pos(), diag.Unsupported, "a loop of more than %d rounds is not supported", maxLoop)
		return
	}
	in := b.sub()
	var v *store
	if d, ok := s.Var.(*syntax.DeclStmt); ok {
		in.declare(d.Decl)
		v, _ = in.env.objects[b.g.info.Defs[d.Decl]].(*store)
	}
	if v == nil || v.v == nil {
		return
	}
	for i := new(big.Int).Set(lo); i.Cmp(hi) <= 0; i.Add(i, big.NewInt(1)) {
		in.emit(&ir.Assign{Dst: v.v, Src: constant(v.v.Type, i), Pos: pos(s.Pos())})
		round := in.sub()
		round.stmt(s.Body)
		in.stmts = append(in.stmts, round.stmts...)
	}
	b.stmts = append(b.stmts, in.stmts...)
}

// declare lowers a declaration among statements.
func (b *body) declare(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.Var:
		o, ok := b.g.info.Defs[d].(*types.Var)
		if !ok {
			return
		}
		b.g.warnAnnots(d.Annots)
		s := b.g.newStore(o.Type, b.localName(o.Name), ir.Local, o.Pos)
		if s == nil {
			return
		}
		if d.Init != nil {
			b.assignFrom(s, d.Init)
		} else if b.g.where == inAction {
			b.invalidate(s, o.Pos) // the action may have run before
		}
		b.env.objects[o] = s
	case *syntax.Instance:
		if inst, ok := b.g.info.Defs[d].(*types.Instance); ok {
			b.env.objects[inst] = b.g.instantiate(inst, b.env, inst.Name)
		}
	}
}

// localName is the name of a local variable: the path of its control below the
// top-level one, then its own.
func (b *body) localName(name string) string {
	path := b.env.path
	dots := 0
	for i := 0; i < len(path); i++ {
		if path[i] == '.' {
			if dots++; dots == 2 { // pipe.Ingress.
				return path[i+1:] + "." + name
			}
		}
	}
	return name
}

func (b *body) ifStmt(s *syntax.If) {
	at := pos(s.Pos())
	if v, ok := b.g.value(s.Cond, b.env).(types.BoolValue); ok {
		// A condition on a constructor parameter or macro: one branch stays.
		in := b.sub()
		if v {
			in.stmt(s.Then)
		} else if s.Else != nil {
			in.stmt(s.Else)
		}
		b.stmts = append(b.stmts, in.stmts...)
		return
	}
	cond := b.expr(s.Cond)
	then, els := b.sub(), b.sub()
	then.stmt(s.Then)
	if s.Else != nil {
		els.stmt(s.Else)
	}
	i := &ir.If{Cond: cond, Then: then.stmts, Else: els.stmts, Pos: at}
	if b.g.where == inParser && ir.Any([]ir.Stmt{i}, readsPacket) {
		b.g.errorf(s.Pos(), diag.Unsupported, "an if in a parser that extracts, looks ahead or advances is not supported: use select")
		return
	}
	b.emit(i)
}

// readsPacket tells whether a statement reads the packet or moves in it.
func readsPacket(s ir.Stmt) bool {
	switch s.(type) {
	case *ir.Extract, *ir.Lookahead, *ir.Advance, *intrExtract, *portRead:
		return true
	}
	return false
}

// switchStmt lowers switch over action_run to the cases of an Apply, any other
// switch to a chain of conditions.
func (b *body) switchStmt(s *syntax.Switch) {
	at := pos(s.Pos())
	if m, ok := s.X.(*syntax.Member); ok && m.Sel.Name == "action_run" {
		if c, ok := m.X.(*syntax.Call); ok {
			if call := b.g.info.Calls[c]; call != nil && call.Kind == types.CallTableApply {
				b.switchApply(s, c, call)
				return
			}
		}
	}
	x := b.expr(s.X)
	if !isConst(x) {
		t := b.g.temp(x.Type(), "switch", at)
		b.emit(&ir.Assign{Dst: t, Src: x, Pos: at})
		x = &ir.Ref{Var: t}
	}
	type arm struct {
		cond ir.Expr
		body []ir.Stmt
		at   ir.Pos
	}
	var arms []arm
	var els []ir.Stmt
	var cond ir.Expr
	for _, k := range s.Cases {
		_, isDefault := k.Label.(*syntax.Default)
		if !isDefault {
			v := b.expr(k.Label) // a constant
			var eq ir.Expr = &ir.Binary{Op: ir.Eq, T: ir.BoolType, X: x, Y: sameType(x, v), Pos: pos(k.Pos())}
			if cond != nil {
				eq = &ir.Binary{Op: ir.LOr, T: ir.BoolType, X: cond, Y: eq, Pos: pos(k.Pos())}
			}
			cond = eq
		}
		if k.Body == nil {
			continue
		}
		in := b.sub()
		in.block(k.Body)
		if isDefault {
			// Labels that fall through to default are taken by it anyway.
			els = in.stmts
			break
		}
		arms = append(arms, arm{cond, in.stmts, pos(k.Pos())})
		cond = nil
	}
	for i := len(arms) - 1; i >= 0; i-- {
		els = []ir.Stmt{&ir.If{Cond: arms[i].cond, Then: arms[i].body, Else: els, Pos: arms[i].at}}
	}
	b.stmts = append(b.stmts, els...)
}

func (b *body) switchApply(s *syntax.Switch, c *syntax.Call, call *types.Call) {
	ap := b.applyTable(c, call)
	if ap == nil {
		return
	}
	ap.Switch = true
	ti, _ := b.env.find(call.Table).(*tableInst)
	var labels []*ir.Action
	toDefault := false
	for _, k := range s.Cases {
		switch l := k.Label.(type) {
		case *syntax.Default:
			toDefault = true
		case *syntax.NameExpr:
			if a, ok := b.g.info.Uses[l].(*types.Action); ok && ti != nil {
				if ia := ti.actions[a]; ia != nil {
					labels = append(labels, ia)
				}
			}
		}
		if k.Body == nil {
			continue
		}
		in := b.sub()
		in.block(k.Body)
		if toDefault {
			ap.Default = in.stmts
		} else {
			ap.Cases = append(ap.Cases, ir.ActionCase{Actions: labels, Body: in.stmts})
		}
		labels = nil
	}
}

func (b *body) assignStmt(s *syntax.AssignStmt) {
	lhs := s.LHS
	if sl, ok := lhs.(*syntax.Slice); ok {
		hi, lo := 0, 0
		first := true
		var x syntax.Expr = sl
		for {
			inner, ok := x.(*syntax.Slice)
			if !ok {
				break
			}
			h, l, ok := b.sliceBounds(inner)
			if !ok {
				return
			}
			if first {
				hi, lo, first = h, l, false
			} else {
				hi, lo = hi+l, lo+l
			}
			x = inner.X
		}
		src := b.expr(s.RHS)
		dst := b.ref(x)
		if dst == nil || dst.v == nil {
			b.notWritable(x, dst)
			return
		}
		b.emit(&ir.Assign{Dst: dst.v, Slice: true, Hi: hi, Lo: lo, Src: castTo(ir.BitType(hi-lo+1), src), Pos: pos(s.Pos())})
		return
	}
	dst := b.ref(lhs)
	if dst == nil {
		return
	}
	b.assignFrom(dst, s.RHS)
}

func (b *body) notWritable(e syntax.Expr, s *store) {
	if s != nil {
		b.g.errorf(e.Pos(), diag.Unsupported, "this place cannot be written to")
	}
}

// assignFrom lowers dst = e.
func (b *body) assignFrom(dst *store, e syntax.Expr) {
	at := pos(e.Pos())
	if dst.v != nil {
		// A call that has a result writes it where it belongs, without a
		// temporary.
		if c, ok := e.(*syntax.Call); ok {
			s := b.callInto(c, dst.v)
			if s != nil && s.v == dst.v {
				return
			}
			if s == nil || s.v == nil && s.expr == nil {
				return
			}
			b.emit(&ir.Assign{Dst: dst.v, Src: castTo(dst.v.Type, s.load()), Pos: at})
			return
		}
		x := castTo(dst.v.Type, b.expr(e))
		b.g.warnPort(dst.v, x, e.Pos())
		b.emit(&ir.Assign{Dst: dst.v, Src: x, Pos: at})
		return
	}
	if dst.expr != nil {
		b.notWritable(e, dst)
		return
	}
	if _, ok := e.(*syntax.InvalidHeader); ok {
		if dst.hdr != nil {
			b.emit(&ir.SetValid{Header: dst.hdr, Pos: at})
		}
		return
	}
	if src := b.aggregate(e); src != nil {
		b.copyStore(dst, src, e.Pos())
	}
}

// copyStore copies a value of any type. Values that a later part of the copy
// would overwrite are saved first: { a, b } = { b, a }.
func (b *body) copyStore(dst, src *store, from diag.Pos) {
	at := pos(from)
	var sets []ir.Stmt // of validity, before the fields
	var moves []*ir.Assign
	written := map[*ir.Var]bool{}
	copied := map[*ir.HeaderInst]bool{}
	var walk func(dst, src *store) bool
	walk = func(dst, src *store) bool {
		if dst.v != nil {
			if src.v == nil && src.expr == nil {
				return false
			}
			if src.v != dst.v {
				moves = append(moves, &ir.Assign{Dst: dst.v, Src: castTo(dst.v.Type, src.load()), Pos: at})
			}
			return true
		}
		if dst.hdr != nil && src.hdr != nil {
			if copied[src.hdr] {
				return false // headers that change places
			}
			if dst.hdr != src.hdr {
				copied[dst.hdr] = true
				for _, f := range dst.hdr.Fields {
					written[f] = true
				}
				sets = append(sets, &ir.CopyHeader{Dst: dst.hdr, Src: src.hdr, Pos: at})
				if len(dst.union) > 0 {
					only := &body{g: b.g, env: b.env}
					only.onlyOne(dst, at)
					sets = append(sets, &ir.If{Cond: &ir.IsValid{Header: dst.hdr}, Then: only.stmts, Pos: at})
				}
			}
			return true
		}
		if dst.hdr != nil {
			copied[dst.hdr] = true
			sets = append(sets, &ir.SetValid{Header: dst.hdr, Valid: true, Pos: at})
			for _, o := range dst.union {
				sets = append(sets, &ir.SetValid{Header: o.hdr, Pos: at})
			}
		}
		if dst.expr != nil || len(dst.parts) != len(src.parts) {
			return false
		}
		for i := range dst.parts {
			if !walk(dst.parts[i], src.parts[i]) {
				return false
			}
		}
		return true
	}
	if !walk(dst, src) {
		b.g.errorf(from, diag.Unsupported, "a value of type %s cannot be assigned to %s", src.typ, dst.typ)
		return
	}
	for _, m := range moves {
		if readsAny(m.Src, written) || readsValidity(m.Src, copied) {
			t := b.g.temp(m.Src.Type(), "copy", at)
			b.emit(&ir.Assign{Dst: t, Src: m.Src, Pos: at})
			m.Src = &ir.Ref{Var: t}
		}
		written[m.Dst] = true
	}
	for _, s := range sets {
		b.emit(s)
	}
	for _, m := range moves {
		b.emit(m)
	}
}

// readsAny tells whether an expression reads one of the variables.
func readsAny(e ir.Expr, vars map[*ir.Var]bool) bool {
	found := false
	ir.Vars(e, func(v *ir.Var) { found = found || vars[v] })
	return found
}
