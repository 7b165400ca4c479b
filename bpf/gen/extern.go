package gen

import (
	"fmt"

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
// that only reads, or that leaves the element as it is, writes nothing.
func (g *gress) registerFuncs() {
	o := g.out
	for _, a := range g.regs {
		r := a.Register
		d := g.d.registers[r]
		cell := fmt.Sprintf("u%d", d.CellSize*8)
		result := "u32"
		if a.Result != nil {
			result = cType(a.Result.Type.Width)
		}
		o.line("/* register action %s on %s%s */", a.Name, r.Name, posText(a.Pos))
		o.open("INLINE %s %s(struct %s *s, u32 index)\n{", result, g.regActionName(a), g.Gress.Name)
		o.line("%s *cell = bpf_map_lookup_elem(&%s, &index);", cell, d.Map)
		o.line("if (!cell)")
		o.line("\treturn 0;")
		changes := updates(a)
		if changes {
			o.open("for (u32 tries = 0; tries < 64; tries++) {")
		}
		o.line("%s old = READ_ONCE(*cell);", cell)
		for i, v := range a.Value {
			x := "old"
			if s := shiftOf(r, i); s > 0 {
				x = fmt.Sprintf("(old >> %d)", s)
			}
			o.line("%s %s = %s;", cType(v.Type.Width), flat(v.Name), narrow(x, v.Type.Width))
		}
		if a.Result != nil {
			o.line("%s %s = 0;", result, flat(a.Result.Name))
		}
		saved, in := g.returnLabel, g.inFunction
		g.returnLabel, g.inFunction = g.newLabel("done"), true
		g.stmts(a.Body)
		if usesReturn(a.Body) {
			o.label(g.returnLabel)
		}
		g.returnLabel, g.inFunction = saved, in
		ret := "0"
		if a.Result != nil {
			ret = flat(a.Result.Name)
		}
		if changes {
			next := ""
			for i, v := range a.Value {
				x := fmt.Sprintf("(%s)%s", cell, flat(v.Name))
				if s := shiftOf(r, i); s > 0 {
					x = fmt.Sprintf("%s << %d", x, s)
				}
				if i > 0 {
					next += " | "
				}
				next += x
			}
			o.line("%s new = %s;", cell, next)
			o.line("if (new == old || __sync_val_compare_and_swap(cell, old, new) == old)")
			o.line("\treturn %s;", ret)
			o.close("}")
			o.line("s->contention = 1;")
			o.line("return 0;")
		} else {
			o.line("return %s;", ret)
		}
		o.close("}")
		o.line("")
	}
}

func usesReturn(stmts []ir.Stmt) bool {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ir.Return:
			return true
		case *ir.If:
			if usesReturn(s.Then) || usesReturn(s.Else) {
				return true
			}
		case *ir.Block:
			if usesReturn(s.Body) {
				return true
			}
		}
	}
	return false
}

func (g *gress) registerRead(s *ir.RegisterRead) {
	o, d := g.out, g.d.registers[s.Register]
	o.open("{%s", at(s.Pos))
	o.line("u32 index = %s;", g.expr(s.Index))
	o.line("u%d *cell = bpf_map_lookup_elem(&%s, &index), old = cell ? READ_ONCE(*cell) : 0;", d.CellSize*8, d.Map)
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
	o.line("u32 index = %s;", g.expr(s.Index))
	o.line("%s *cell = bpf_map_lookup_elem(&%s, &index);", cell, d.Map)
	o.line("if (cell)")
	o.line("\t*(volatile %s *)cell = %s;", cell, next)
	o.close("}")
}
