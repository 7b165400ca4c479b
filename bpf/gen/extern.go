package gen

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// shiftOf is how far a register's field is shifted up in its cell.
func shiftOf(r *ir.Register, field int) int {
	n := 0
	for _, f := range r.Fields[field+1:] {
		n += f.Type.Width
	}
	return n
}

// registerFuncs writes a function per register action: it returns the action's
// result, or 0 when the index is out of range.
//
// A change is made by compare-and-swap, which is a full barrier; an action
// that only reads, or that leaves the element as it is, writes nothing and is no
// barrier. That is enough for @updates_first blocks: of two packets that change
// registers, the one whose change comes second sees the other's. A packet that
// changes nothing has nothing that others could miss; and what it read was put
// there by a packet whose change came before it, so that on a machine that does
// not reorder loads (x86) it sees whatever that packet saw. On one that does, it
// may read as if it had been handled a little earlier. What
// happens when another CPU was faster is a function of its own, which the
// verifier looks at once: a loop here would be walked through for every path
// that leads to it.
func (g *gress) registerFuncs() {
	o := g.out
	for _, a := range g.regs {
		d := g.d.registers[a.Register]
		result := "u32"
		if a.Result != nil {
			result = stateType(a.Result.Type.Width)
		}
		inputs := registerInputs(a)
		if updates(a) && !g.locked[a] {
			g.registerRetry(a, inputs)
		}
		o.line("/* register action %s on %s%s */", a.Name, a.Register.Name, posText(a.Pos))
		o.open("INLINE %s %s(struct %s *s, u32 index)\n{", result, g.regActionName(a), g.Gress.Name)
		g.registerCell(d, false)
		ret := g.registerBody(a)
		if !updates(a) {
			o.line("return %s;", ret)
			o.close("}")
			o.line("")
			continue
		}
		if g.locked[a] {
			o.line("if (new != old)")
			o.line("\tWRITE_ONCE(*cell, new); /* nobody else does */")
			o.line("return %s;", ret)
			o.close("}")
			o.line("")
			continue
		}
		if g.rare(a) {
			o.line("if (likely(new == old))")
		} else {
			o.line("if (likely(new == old || __sync_val_compare_and_swap(cell, old, new) == old))")
		}
		o.line("\treturn %s;", ret)
		args := ""
		for _, v := range inputs {
			args += ", " + g.read(v)
		}
		o.line("u64 repeated_ = %s(index%s);", g.againName(a), args)
		o.line("s->contention |= repeated_ >> 63;")
		if a.Result != nil {
			o.line("return %s;", narrow("repeated_", a.Result.Type.Width))
		} else {
			o.line("return 0;")
		}
		o.close("}")
		o.line("")
	}
}

func (g *gress) regActionName(a *ir.RegisterAction) string {
	return g.function(a, "", g.d.registers[a.Register].Alias+"_"+lastPart(a.Name))
}

func (g *gress) againName(a *ir.RegisterAction) string {
	return g.function(a, "again", "_"+g.d.registers[a.Register].Alias+"_"+lastPart(a.Name))
}

// registerCell finds the element in a function that returns 0 when there is none.
func (g *gress) registerCell(d *Register, function bool) {
	if !function && g.hoisted[d.Rows] != nil {
		g.out.line("struct %s *row = s->%s;", d.Array, d.Array)
		if !g.sure(d.Rows) {
			g.out.line("if (unlikely(!row))")
			g.out.line("\treturn 0;")
		}
		g.out.line("u%d *cell = &row->%s;", d.CellSize*8, d.Member)
		return
	}
	g.out.line("struct %s *row = %s;", d.Array, d.Rows.element("index"))
	if !d.Rows.whole() || d.Rows.Mapped {
		g.out.line("if (unlikely(!row))")
		g.out.line("\treturn 0;")
	}
	g.out.line("u%d *cell = &row->%s;", d.CellSize*8, d.Member)
}

// rare reports whether a register action seldom changes anything: it runs only in
// actions annotated @after_updates. Its compare-and-swap is not worth a place
// between the others.
func (g *gress) rare(a *ir.RegisterAction) bool {
	used := false
	for _, x := range g.actions {
		runs := anyStmt(x.Body, func(s ir.Stmt) bool {
			e, ok := s.(*ir.RegisterExec)
			return ok && e.Action == a
		}, true)
		if runs && !afterUpdates(x) {
			return false
		}
		used = used || runs
	}
	return used && !anyStmt(g.Control, func(s ir.Stmt) bool {
		e, ok := s.(*ir.RegisterExec)
		return ok && e.Action == a
	}, true)
}

// registerInputs are the variables of the gress that a register action reads.
func registerInputs(a *ir.RegisterAction) []*ir.Var {
	var out []*ir.Var
	ir.Walk(a.Body, func(s ir.Stmt) bool {
		ir.Reads(s, func(e ir.Expr) {
			ir.Vars(e, func(v *ir.Var) {
				if v.Kind != ir.RegValue && v.Kind != ir.RegResult && !slices.Contains(out, v) {
					out = append(out, v)
				}
			})
		})
		return true
	})
	return out
}

// registerBody writes the action's body between the old and the new value of
// a cell; it returns the C name of the result.
func (g *gress) registerBody(a *ir.RegisterAction) string {
	o := g.out
	r := a.Register
	cell := fmt.Sprintf("u%d", g.d.registers[r].CellSize*8)
	o.line("%s old = READ_ONCE(*cell);", cell)
	names := newScope()
	for i, v := range a.Value {
		x := "old"
		if s := shiftOf(r, i); s > 0 {
			x = fmt.Sprintf("(old >> %d)", s)
		}
		if i > 0 { // nothing is above the first field
			x = narrow(x, v.Type.Width)
		}
		g.local[v] = names.name("p_", v.Name)
		o.line("%s %s = %s;", stateType(v.Type.Width), g.local[v], x)
	}
	ret := "0"
	if a.Result != nil {
		ret = names.name("p_", a.Result.Name)
		g.local[a.Result] = ret
		o.line("%s %s = 0;", stateType(a.Result.Type.Width), ret)
	}
	saved, in := g.returnLabel, g.inFunction
	g.returnLabel, g.inFunction = g.newLabel("done"), true
	g.stmts(a.Body)
	if usesReturn(a.Body) {
		o.label(g.returnLabel)
	}
	g.returnLabel, g.inFunction = saved, in
	if updates(a) {
		next := ""
		for i, v := range a.Value {
			x := fmt.Sprintf("(%s)%s", cell, g.local[v])
			if s := shiftOf(r, i); s > 0 {
				x = fmt.Sprintf("%s << %d", x, s)
			}
			if i > 0 {
				next += " | "
			}
			next += x
		}
		o.line("%s new = %s;", cell, next)
	}
	return ret
}

// registerRetry writes the function that tries again. Its result has the top
// bit set when the element was changed by others all the time.
func (g *gress) registerRetry(a *ir.RegisterAction, inputs []*ir.Var) {
	o, d := g.out, g.d.registers[a.Register]
	if len(inputs) > 4 {
		g.fail(a.Pos, "register action %s reads %d variables (at most 4 on XDP)", a.Name, len(inputs))
		return
	}
	params := ""
	g.bound = map[*ir.Var]string{}
	for i, v := range inputs {
		if isWide(v.Type.Width) {
			g.fail(a.Pos, "register action %s reads %s of %d bits (at most 64 on XDP)", a.Name, v.Name, v.Type.Width)
			continue
		}
		g.bound[v] = fmt.Sprintf("in%d", i)
		params += fmt.Sprintf(", %s in%d /* %s */", stateType(v.Type.Width), i, v.Name)
	}
	o.open("GLOBAL u64 %s(u32 index%s)\n{", g.againName(a), params)
	g.registerCell(d, true)
	o.open("for (u32 tries = 0; tries < 64; tries++) {")
	ret := g.registerBody(a)
	o.line("if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)")
	o.line("\treturn %s;", ret)
	o.close("}")
	o.line("return 1ULL << 63;")
	o.close("}")
	o.line("")
	g.bound = nil
}

// usesReturn reports whether a Return leaves the block that the statements are
// in.
func usesReturn(stmts []ir.Stmt) bool {
	return anyStmt(stmts, func(s ir.Stmt) bool { _, ok := s.(*ir.Return); return ok }, false)
}

// anyStmt reports whether a statement, or one inside it, satisfies f; callables
// says whether inlined callables are looked into.
func anyStmt(stmts []ir.Stmt, f func(ir.Stmt) bool, callables bool) bool {
	found := false
	ir.Walk(stmts, func(s ir.Stmt) bool {
		found = found || f(s)
		b, ok := s.(*ir.Block)
		return !found && (callables || !ok || !b.Callable)
	})
	return found
}

func (g *gress) registerRead(s *ir.RegisterRead) {
	o, d := g.out, g.d.registers[s.Register]
	o.open("{%s", at(s.Pos))
	o.line("struct %s *row = %s;", d.Array, d.Rows.element(g.expr(s.Index)))
	o.line("u%d old = row ? READ_ONCE(row->%s) : 0;", d.CellSize*8, d.Member)
	for i, v := range s.Dst {
		g.set(v, narrow(fmt.Sprintf("(old >> %d)", shiftOf(s.Register, i)), v.Type.Width), ir.Pos{})
	}
	o.close("}")
}

func (g *gress) registerWrite(s *ir.RegisterWrite) {
	o, d := g.out, g.d.registers[s.Register]
	cell := fmt.Sprintf("u%d", d.CellSize*8)
	next := ""
	for i, e := range s.Src {
		if i > 0 {
			next += " | "
		}
		next += fmt.Sprintf("(%s)%s << %d", cell, g.expr(e), shiftOf(s.Register, i))
	}
	o.open("{%s", at(s.Pos))
	o.line("struct %s *row = %s;", d.Array, d.Rows.element(g.expr(s.Index)))
	o.line("if (row)")
	o.line("\tWRITE_ONCE(row->%s, %s);", d.Member, next)
	o.close("}")
}
