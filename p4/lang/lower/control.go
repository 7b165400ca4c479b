package lower

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// topControl lowers the control or deparser of a gress.
func (g *gress) topControl(c *types.Control, e *env) []ir.Stmt {
	b := &body{g: g, env: e, home: c}
	b.locals(c)
	b.block(c.Decl.Apply)
	return b.stmts
}

// locals declares what a control declares. Instances and tables get their
// names here; initial values become statements.
func (b *body) locals(c *types.Control) {
	b.g.warnAnnots(c.Decl.Annots)
	used := b.tablesUsed(c.Decl.Apply)
	for _, d := range c.Decl.Locals {
		switch d := d.(type) {
		case *syntax.Action:
			if a, ok := b.g.info.Defs[d].(*types.Action); ok {
				b.env.objects[a] = b.env
			}
		case *syntax.Table:
			t, ok := b.g.info.Defs[d].(*types.Table)
			if !ok {
				continue
			}
			if !used[t] {
				b.g.diags.Warnf(d.Name.At, diag.TableProperty, "table %s is never applied and is left out", t.Name)
				continue
			}
			if b.g.where == inDeparser {
				b.g.errorf(d.Pos(), diag.Unsupported, "a deparser has no tables")
				continue
			}
			b.env.objects[t] = b.lowerTable(t)
		default:
			b.declare(d)
		}
	}
}

// tablesUsed are the tables that a body applies, but for branches that a constructor parameter closes.
func (b *body) tablesUsed(s *syntax.Block) map[*types.Table]bool {
	used := map[*types.Table]bool{}
	eachLiveExpr(s, b.deadBranch, func(e syntax.Expr) {
		if c, ok := e.(*syntax.Call); ok {
			if call := b.g.info.Calls[c]; call != nil && call.Table != nil {
				used[call.Table] = true
			}
		}
	})
	return used
}

// deadBranch is the branch of an if that ifStmt leaves out, nil if there is none.
func (b *body) deadBranch(s *syntax.If) syntax.Stmt {
	v, err := b.g.info.Eval(s.Cond, b.env.param)
	cond, known := v.(types.BoolValue)
	switch {
	case err != nil || !known:
		return nil
	case bool(cond):
		return s.Else
	}
	return s.Then
}

// instantiate makes the object that an instance declaration stands for.
func (g *gress) instantiate(inst *types.Instance, e *env, name string) any {
	var annots syntax.Annotations
	if inst.Decl != nil {
		annots = inst.Decl.Annots
	}
	switch t := inst.Type.(type) {
	case *types.ExternType:
		return g.newExtern(inst, t, e, name, annots)
	case *types.Control:
		be := (&env{objects: map[types.Object]any{}}).child()
		if name == "" {
			name = t.Name
		}
		be.path = g.controlName(e.path, name, annots)
		g.warnAnnots(annots)
		g.bindCtor(be, inst, e)
		return &block{inst: inst, env: be}
	case *types.Parser:
		be := (&env{objects: map[types.Object]any{}}).child()
		if name == "" {
			name = t.Name
		}
		be.path = g.controlName(e.path, name, annots)
		g.bindCtor(be, inst, e)
		return &block{inst: inst, env: be}
	}
	g.errorf(inst.Pos, diag.Unsupported, "an instance of %s is not supported here", inst.Type)
	return nil
}

// calledBlock finds the instance that an apply call applies; a direct
// application makes one.
func (b *body) calledBlock(e *syntax.Call, c *types.Call) *block {
	if c.Kind == types.CallDirectApply {
		inst := &types.Instance{Pos: e.Pos(), Type: c.Callee}
		blk, _ := b.g.instantiate(inst, b.env, "").(*block)
		return blk
	}
	n, ok := c.Recv.(*syntax.NameExpr)
	if ok {
		if blk, ok := b.env.find(b.g.info.Uses[n]).(*block); ok {
			return blk
		}
	}
	b.g.errorf(e.Pos(), diag.Unsupported, "only an instance that is named directly can be applied")
	return nil
}

// applyControl inlines a control.
func (b *body) applyControl(e *syntax.Call, c *types.Call) {
	t, ok := c.Callee.(*types.Control)
	if !ok {
		b.g.errorf(e.Pos(), diag.Unsupported, "a parser cannot be applied here")
		return
	}
	if len(t.TypeParams) > 0 {
		b.g.errorf(e.Pos(), diag.Unsupported, "control %q: a control with type parameters and a body is not supported", t.Name)
		return
	}
	blk := b.calledBlock(e, c)
	if blk == nil {
		return
	}
	if of, ok := blk.inst.Type.(*types.Control); ok && t.Decl.Apply == nil {
		t = of // the control that a constructor parameter stands for
	}
	c0 := callee{name: t.Name, params: t.Params}
	if blk.lowered {
		// The tables and actions of the instance refer to what its parameters
		// were bound to the first time.
		c0.apart, c0.homes = blk.bind.temp, blk.bind.stores
	} else {
		c0.apart = b.differs(blk, c)
	}
	be := blk.env.child()
	bind, ok := b.bindArgs(be, c0, c.Args)
	if !ok {
		return
	}
	in := b.inlined(be, bind, nil)
	in.home = t
	if !blk.lowered {
		blk.lowered, blk.bind, blk.body = true, bind, be
		in.locals(t)
	} else {
		for i, s := range bind.stores {
			old := blk.bind.stores[i]
			if s != nil && old != nil && (bind.temp[i] != blk.bind.temp[i] || !s.sameAs(old)) {
				b.g.errorf(e.Pos(), diag.Unsupported, "instance %s is applied a second time with other arguments: make a second instance", blk.inst.Name)
				return
			}
		}
		in.env = blk.body
		in.initLocals(t)
	}
	in.block(t.Decl.Apply)
	name := blk.inst.Name
	if name == "" {
		name = t.Name
	}
	b.emit(&ir.Block{Name: name, Callable: true, Body: in.stmts, Pos: pos(e.Pos())})
	b.leave(bind)
}

// differs tells of each parameter of an instance that the control which declares it applies
// several times whether it needs a place of its own: an application has another argument
// for it, or one that another argument may be a part of. nil: there is one application only.
func (b *body) differs(blk *block, c *types.Call) []bool {
	n, ok := c.Recv.(*syntax.NameExpr)
	if !ok || b.home == nil {
		return nil
	}
	var out []bool
	eachExpr(b.home.Decl.Apply, func(x syntax.Expr) {
		e, ok := x.(*syntax.Call)
		if !ok {
			return
		}
		other := b.g.info.Calls[e]
		if other == nil || other == c || other.Kind != c.Kind {
			return
		}
		if m, ok := other.Recv.(*syntax.NameExpr); !ok || b.g.info.Uses[m] != b.g.info.Uses[n] {
			return
		}
		if out == nil {
			out = make([]bool, len(c.Args))
		}
		for i := range out {
			out[i] = out[i] || !b.samePath(c.Args[i], other.Args[i])
		}
		b.entangled(out, c)
		b.entangled(out, other)
	})
	return out
}

// entangled notes arguments that may have a place in common, one of which is written to.
func (b *body) entangled(out []bool, c *types.Call) {
	for i, x := range c.Args {
		for j, y := range c.Args {
			if i == j || x == nil || y == nil || c.Params[i].Dir < syntax.DirOut && c.Params[j].Dir < syntax.DirOut {
				continue
			}
			out[i] = out[i] || b.within(x, y) || b.within(y, x)
		}
	}
}

// within tells whether an argument is a place, or a part of it.
func (b *body) within(x, place syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Member:
		return b.samePath(x, place) || b.within(x.X, place)
	case *syntax.Slice:
		return b.within(x.X, place)
	}
	return b.samePath(x, place)
}

// samePath tells whether two arguments are one place, or both are none.
func (b *body) samePath(x, y syntax.Expr) bool {
	if x == nil || y == nil {
		return x == y
	}
	switch x := x.(type) {
	case *syntax.NameExpr:
		y, ok := y.(*syntax.NameExpr)
		return ok && b.g.info.Uses[x] == b.g.info.Uses[y]
	case *syntax.Member:
		y, ok := y.(*syntax.Member)
		return ok && x.Sel.Name == y.Sel.Name && b.samePath(x.X, y.X)
	}
	return false
}

// initLocals repeats the initial values of a control's variables when it is
// applied again.
func (b *body) initLocals(c *types.Control) {
	for _, d := range c.Decl.Locals {
		v, ok := d.(*syntax.Var)
		if !ok {
			continue
		}
		if s, ok := b.env.find(b.g.info.Defs[v]).(*store); ok {
			if v.Init == nil {
				b.invalidate(s, v.Pos())
				continue
			}
			b.assignFrom(s, v.Init)
		}
	}
}
