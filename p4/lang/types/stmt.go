package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

func (c *checker) block(b *syntax.Block) {
	c.push()
	for _, s := range b.Stmts {
		c.stmt(s)
	}
	c.pop()
}

func (c *checker) stmt(s syntax.Stmt) {
	if c.depth++; c.depth > maxExprDepth {
		c.depth--
		return
	}
	defer func() { c.depth-- }()
	switch s := s.(type) {
	case *syntax.Block:
		c.block(s)
	case *syntax.DeclStmt:
		switch d := s.Decl.(type) {
		case *syntax.Instance:
			if c.place != inControl && c.place != inParser {
				c.errorf(d.Pos(), diag.CallContext, "an instance cannot be declared here, only in a control or parser")
			}
			c.instance(d)
		default:
			c.local(d, c.place)
		}
	case *syntax.AssignStmt:
		t := c.value(s.LHS, nil)
		x := c.value(s.RHS, t)
		if _, ok := t.(*Set); ok {
			c.errorf(s.LHS.Pos(), diag.NotLValue, "a value set cannot be written by the program")
			return
		}
		if t == Invalid || !c.lvalue(s.LHS) {
			return
		}
		c.assignable(s.RHS, x, t, "value")
	case *syntax.CallStmt:
		t := c.expr(s.Call, nil)
		if t == Int || t == String {
			return
		}
	case *syntax.If:
		c.condition(s.Cond)
		c.branch(s.Then)
		if s.Else != nil {
			c.branch(s.Else)
		}
	case *syntax.Switch:
		c.switchStmt(s)
	case *syntax.Return:
		c.returnStmt(s)
	case *syntax.For:
		c.forStmt(s)
	case *syntax.Break:
		if c.loops == 0 {
			c.errorf(s.Pos(), diag.CallContext, "break and continue belong in a loop")
		}
	case *syntax.Exit:
		if c.place != inControl && c.place != inAction {
			c.errorf(s.Pos(), diag.CallContext, "exit is only allowed in controls and actions")
		}
	}
}

// forStmt checks a loop.
func (c *checker) forStmt(s *syntax.For) {
	c.push()
	defer c.pop()
	for _, i := range s.Init {
		c.stmt(i)
	}
	if s.In != nil {
		c.forIn(s)
	} else if s.Cond != nil {
		c.condition(s.Cond)
	}
	for _, u := range s.Update {
		c.stmt(u)
	}
	c.loops++
	c.branch(s.Body)
	c.loops--
}

// forIn checks what a variable takes its values from: a range, an array or a list.
func (c *checker) forIn(s *syntax.For) {
	var t Type
	if s.Var != nil {
		c.stmt(s.Var)
		if d, ok := s.Var.(*syntax.DeclStmt); ok && d != nil {
			if v, ok := c.info.Defs[d.Decl].(*Var); ok {
				t = v.Type
			}
		}
	}
	if r, ok := s.In.(*syntax.Binary); ok && r.Op == syntax.DotDot {
		for _, x := range []syntax.Expr{r.X, r.Y} {
			c.assignable(x, c.value(x, t), t, "bound")
		}
		c.set(r, &Set{t}, nil)
		return
	}
	of := c.value(s.In, nil)
	var elems []Type
	switch of := of.(type) {
	case *Stack:
		elems = []Type{of.Elem}
	case *List:
		elems = []Type{of.Elem}
	case *Tuple:
		elems = of.Elems
	default:
		if of != Invalid {
			c.errorf(s.In.Pos(), diag.Mismatch, "a loop goes over a range, an array or a list, not %s", of)
		}
	}
	for _, e := range elems {
		c.assignable(s.In, e, t, "element")
	}
}

func (c *checker) branch(s syntax.Stmt) {
	c.push()
	c.stmt(s)
	c.pop()
}

func (c *checker) returnStmt(s *syntax.Return) {
	if c.place == inParser {
		c.errorf(s.Pos(), diag.CallContext, "a parser state cannot return: use a transition")
		return
	}
	if c.result == Void || c.result == nil {
		if s.X != nil {
			c.expr(s.X, nil)
			c.errorf(s.X.Pos(), diag.Return, "nothing can be returned from here")
		}
		return
	}
	if s.X == nil {
		if c.result != Invalid {
			c.errorf(s.Pos(), diag.Return, "a value of type %s must be returned", c.result)
		}
		return
	}
	c.assignable(s.X, c.value(s.X, c.result), c.result, "returned value")
}

func (c *checker) switchStmt(s *syntax.Switch) {
	t := c.expr(s.X, nil)
	if c.place == inParser {
		c.errorf(s.Pos(), diag.NotSupported, "'switch' in a parser is not supported by Tofino: use select")
	}
	run, isRun := t.(*actionRun)
	if !isRun {
		t = c.value(s.X, nil)
		if _, ok := Scalar(t); !ok && t != Invalid {
			c.errorf(s.X.Pos(), diag.Mismatch, "switch needs a number, an enum or table.apply().action_run, not %s", t)
			t = Invalid
		}
	}
	seen := map[string]bool{}
	for i, k := range s.Cases {
		if _, ok := k.Label.(*syntax.Default); ok {
			c.set(k.Label, SetDefault, nil)
			if seen["default"] {
				c.errorf(k.Label.Pos(), diag.SelectCase, "default is given twice")
			}
			seen["default"] = true
			if i != len(s.Cases)-1 {
				c.errorf(k.Label.Pos(), diag.SelectCase, "default must be the last case")
			}
		} else if isRun {
			c.actionLabel(k, run.table, seen)
		} else if v := c.constant(k.Label, t); v != nil {
			key := valueString(v)
			if seen[key] {
				c.errorf(k.Label.Pos(), diag.SelectCase, "case %s is given twice", key)
			}
			seen[key] = true
		}
		if k.Body != nil {
			c.block(k.Body)
		}
	}
}

func (c *checker) actionLabel(k *syntax.SwitchCase, t *Table, seen map[string]bool) {
	n, ok := k.Label.(*syntax.NameExpr)
	if !ok {
		c.errorf(k.Label.Pos(), diag.SelectCase, "a case of action_run is the name of an action")
		return
	}
	a, ok := c.lookup(n.Name, n.Global).(*Action)
	if !ok {
		c.errorf(n.Pos(), diag.SelectCase, "%q is not an action", n.Name)
		return
	}
	c.info.Uses[n] = a
	for _, r := range t.Actions {
		if r.Action == a {
			if seen[a.Name] {
				c.errorf(n.Pos(), diag.SelectCase, "case %s is given twice", a.Name)
			}
			seen[a.Name] = true
			return
		}
	}
	c.errorf(n.Pos(), diag.SelectCase, "table %s has no action %s", t.Name, a.Name).Note(t.Decl.Name.At, "the table")
}
