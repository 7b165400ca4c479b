package chip

import (
	"fmt"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Code is the code of every message: legal P4 that a Tofino cannot do.
const Code = "P4603"

// Check says what a Tofino 1 cannot do in a program: an ir.Errors, nil is nothing that is known.
func Check(p *ir.Program) error {
	c := &checker{errors: slices.Clone(p.Refused), defaults: map[*ir.Action]bool{}, seen: map[*ir.Action]bool{}, slots: map[*ir.Var]bool{}}
	for _, x := range p.Profiles {
		c.slots[x.Slot] = true
	}
	for _, t := range p.Tables {
		if t.Default.Action != nil {
			c.defaults[t.Default.Action] = true
		}
	}
	for _, r := range p.Registers {
		c.register(r)
	}
	for _, g := range []*ir.Gress{p.Ingress, p.Egress} {
		for _, s := range g.Parser.States {
			c.list(s.Body, nil)
		}
		c.list(g.Control, nil)
		c.list(g.Deparser, nil)
		c.path(g.Control, used{})
		for _, t := range p.Tables {
			if t.Gress == g {
				for _, k := range t.Keys {
					c.expr(k.Expr, k.Pos)
				}
			}
		}
	}
	return c.errors.Err()
}

type checker struct {
	errors   ir.Errors
	defaults map[*ir.Action]bool // default actions of tables
	seen     map[*ir.Action]bool
	slots    map[*ir.Var]bool // of selectors, which the chip has an engine for
	leave    []used           // what is used where the innermost callable ends early
}

func (c *checker) fail(pos ir.Pos, format string, args ...any) {
	c.errors.Add(ir.Error{Pos: pos, Code: Code, Text: fmt.Sprintf(format, args...)})
}

// register looks at the cells: a stateful ALU has two halves of up to 32 bits.
func (c *checker) register(r *ir.Register) {
	for _, f := range r.Fields {
		switch w := f.Type.Width; {
		case w != 1 && w != 8 && w != 16 && w != 32 || w == 1 && len(r.Fields) > 1:
			c.fail(r.Pos, "register %s: cells of %d bits; a stateful ALU of a Tofino has 8, 16 or 32, alone or two of them, or 1", r.Name, w)
		case w != r.Fields[0].Type.Width:
			c.fail(r.Pos, "register %s: the two fields of a cell have one width on a Tofino", r.Name)
		}
	}
}

// list looks at every statement; in is the action that it belongs to.
func (c *checker) list(list []ir.Stmt, in *ir.Action) {
	ir.Walk(list, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && c.slots[a.Dst] {
			return true
		}
		ir.Reads(s, func(e ir.Expr) { c.expr(e, s.At()) })
		switch s := s.(type) {
		case *ir.Count:
			c.index(s.Index, in, "counter "+s.Counter.Name, s.Pos)
		case *ir.RegisterExec:
			c.index(s.Index, in, "register "+s.Action.Register.Name, s.Pos)
		}
		ir.Runs(s, func(a *ir.Action) {
			if !c.seen[a] {
				c.seen[a] = true
				c.list(a.Body, a)
			}
		})
		return true
	})
}

// index refuses an index that is computed where a default action runs.
func (c *checker) index(e ir.Expr, in *ir.Action, what string, pos ir.Pos) {
	reads := false
	ir.Vars(e, func(v *ir.Var) { reads = reads || v.Kind != ir.Param })
	if in != nil && reads && c.defaults[in] {
		c.fail(pos, "%s is indexed by a field in a default action, which has no hash on a Tofino: give the action to an entry, or use the counter outside", what)
	}
}

// runtime reports whether an expression is known only when a packet comes.
func runtime(e ir.Expr) bool {
	found := false
	ir.Inside(e, func(x ir.Expr) {
		switch x.(type) {
		case *ir.Ref, *ir.IsValid:
			found = true
		}
	})
	return found
}

// least reports whether an expression is min or max, which an ALU has, of the operands of its condition.
func least(m *ir.Mux) (cond *ir.Binary, ok bool) {
	text := func(e ir.Expr) string {
		if c, ok := e.(*ir.Cast); ok {
			e = c.X
		}
		return ir.ExprString(e)
	}
	cond, ok = m.Cond.(*ir.Binary)
	return cond, ok && (cond.Op == ir.Lt || cond.Op == ir.Gt) && text(cond.X) == text(m.X) && text(cond.Y) == text(m.Y)
}

func (c *checker) expr(e ir.Expr, pos ir.Pos) {
	taken := map[ir.Expr]bool{}
	ir.Inside(e, func(x ir.Expr) {
		if m, ok := x.(*ir.Mux); ok {
			if cond, ok := least(m); ok {
				taken[cond] = true
			}
		}
		b, ok := x.(*ir.Binary)
		if taken[x] {
			return
		}
		if !ok || !runtime(b.X) || !runtime(b.Y) {
			if ok && (b.Op == ir.Div || b.Op == ir.Mod) && runtime(b) {
				c.fail(pos, "operator %s: a Tofino has no division", b.Op)
			}
			return
		}
		at := b.Pos
		if at.Line == 0 {
			at = pos
		}
		switch b.Op {
		case ir.Lt, ir.Le, ir.Gt, ir.Ge, ir.Eq, ir.Ne:
			c.fail(at, "a condition that compares two values of the packet: a Tofino compares with constants (subtract, and test the sign in a register action or a table)")
		case ir.Mul, ir.Div, ir.Mod:
			c.fail(at, "operator %s on two values of the packet: a Tofino has no multiplier", b.Op)
		case ir.Shl, ir.Shr:
			c.fail(at, "a shift by a value of the packet: a Tofino shifts by constants")
		}
	})
}

// used is what a packet has used so far: registers and tables, each of which is in one stage.
type used map[any]bool

func join(a, b used) used {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// path follows the ways through statements, and refuses what a packet uses twice on one of them. nil: no way leads on.
func (c *checker) path(list []ir.Stmt, u used) used {
	for _, s := range list {
		if u == nil {
			return nil
		}
		switch s := s.(type) {
		case *ir.If:
			u = join(c.path(s.Then, u), c.path(s.Else, u))
		case *ir.Block:
			if s.Callable {
				u = c.callable(s.Body, u)
			} else {
				u = c.path(s.Body, u)
			}
		case *ir.Return:
			c.leave = append(c.leave, u)
			return nil
		case *ir.Exit:
			return nil
		case *ir.Apply:
			u = c.apply(s, c.once(s.Table, "table "+s.Table.Name, "applied", s.Pos, u))
		case *ir.Call:
			u = c.callable(s.Action.Body, u)
		case *ir.RegisterExec:
			u = c.once(s.Action.Register, "register "+s.Action.Register.Name, "accessed", s.Pos, u)
		case *ir.RegisterRead:
			u = c.once(s.Register, "register "+s.Register.Name, "accessed", s.Pos, u)
		case *ir.RegisterWrite:
			u = c.once(s.Register, "register "+s.Register.Name, "accessed", s.Pos, u)
		}
	}
	return u
}

func (c *checker) once(what any, name, done string, pos ir.Pos, u used) used {
	if u[what] {
		c.fail(pos, "%s has been %s for this packet before: a Tofino has it in one stage, which a packet passes once", name, done)
	}
	return join(u, used{what: true})
}

func (c *checker) callable(body []ir.Stmt, u used) used {
	outer := c.leave
	c.leave = nil
	out := c.path(body, u)
	for _, l := range c.leave {
		out = join(out, l)
	}
	c.leave = outer
	return out
}

func (c *checker) apply(s *ir.Apply, u used) (out used) {
	if len(s.Table.Actions) == 0 && s.Table.Default.Action == nil {
		return u
	}
	ran := map[*ir.Action]bool{}
	ir.Runs(s, func(a *ir.Action) {
		if ran[a] {
			return
		}
		ran[a] = true
		after, then := c.callable(a.Body, u), s.Default
		for _, k := range s.Cases {
			if slices.Contains(k.Actions, a) {
				then = k.Body
			}
		}
		if after != nil {
			out = join(out, c.path(then, after))
		}
	})
	return out
}
