package lower

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// topControl lowers the control or deparser of a gress.
func (g *gress) topControl(c *types.Control, e *env) []ir.Stmt {
	b := &body{g: g, env: e}
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

// tablesUsed are the tables that a body applies.
func (b *body) tablesUsed(s *syntax.Block) map[*types.Table]bool {
	used := map[*types.Table]bool{}
	eachExpr(s, func(e syntax.Expr) {
		if c, ok := e.(*syntax.Call); ok {
			if call := b.g.info.Calls[c]; call != nil && call.Table != nil {
				used[call.Table] = true
			}
		}
	})
	return used
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
	blk := b.calledBlock(e, c)
	if blk == nil {
		return
	}
	be := blk.env.child()
	bind, ok := b.bindArgs(be, t.Params, c.Args, nil, t.Name)
	if !ok {
		return
	}
	in := &body{g: b.g, env: be}
	if !blk.lowered {
		blk.lowered, blk.args, blk.body = true, bind.stores, be
		in.locals(t)
	} else {
		// The tables and actions of the instance refer to what its parameters
		// were bound to the first time.
		for i, s := range bind.stores {
			old := blk.args[i]
			switch {
			case s == nil || old == nil || s.sameAs(old):
			case bind.temp[i] && types.Identical(s.typ, old.typ):
				b.copyStore(old, s, e.Pos())
			default:
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
	for _, back := range bind.back {
		back(b)
	}
}

// initLocals repeats the initial values of a control's variables when it is
// applied again.
func (b *body) initLocals(c *types.Control) {
	for _, d := range c.Decl.Locals {
		v, ok := d.(*syntax.Var)
		if !ok || v.Init == nil {
			continue
		}
		if s, ok := b.env.find(b.g.info.Defs[v]).(*store); ok {
			b.assignFrom(s, v.Init)
		}
	}
}
