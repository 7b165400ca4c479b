package spec

import (
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// A frame has what names stand for. Nothing in P4 is recursive, and a declaration has one
// object, so who is called sees its caller's names as well, and does not use them.
type frame struct {
	parent *frame
	m      map[types.Object]any // *cell, *register, *registerAction, *instance
}

func (f *frame) child() *frame { return &frame{f, map[types.Object]any{}} }

func (f *frame) find(o types.Object) any {
	for ; f != nil; f = f.parent {
		if v, ok := f.m[o]; ok {
			return v
		}
	}
	return nil
}

// flow is how a statement ends.
type flow int

const (
	goesOn flow = iota
	returns
	exits
)

func (m *Machine) block(f *frame, b *syntax.Block) flow {
	f = f.child()
	for _, s := range b.Stmts {
		if r := m.stmt(f, s); r != goesOn {
			return r
		}
	}
	return goesOn
}

func (m *Machine) stmt(f *frame, s syntax.Stmt) flow {
	switch s := s.(type) {
	case *syntax.Block:
		return m.block(f, s)
	case *syntax.Empty:
		return goesOn
	case *syntax.DeclStmt:
		m.declare(f, s.Decl)
		return goesOn
	case *syntax.AssignStmt:
		p := m.place(f, s.LHS)
		p.store(m.eval(f, s.RHS))
		return m.exiting()
	case *syntax.CallStmt:
		m.call(f, s.Call)
		return m.exiting()
	case *syntax.If:
		switch {
		case m.holds(f, s.Cond):
			if m.exited {
				return exits
			}
			return m.stmt(f.child(), s.Then)
		case m.exited:
			return exits
		case s.Else != nil:
			return m.stmt(f.child(), s.Else)
		}
		return goesOn
	case *syntax.Switch:
		return m.switchStmt(f, s)
	case *syntax.Return:
		if s.X != nil {
			v := newCell(m.result)
			v.take(m.eval(f, s.X))
			m.returned = v
		}
		return returns
	case *syntax.Exit:
		m.exited = true
		return exits
	}
	unsupported("%s: a statement %T", s.Pos(), s)
	return goesOn
}

// exiting tells whether what was called has said exit.
func (m *Machine) exiting() flow {
	if m.exited {
		return exits
	}
	return goesOn
}

func (m *Machine) declare(f *frame, d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.Var:
		o := m.info.Defs[d].(*types.Var)
		c := newCell(o.Type)
		if d.Init != nil {
			c.take(m.eval(f, d.Init))
		}
		f.m[o] = c
	case *syntax.Const, *syntax.Action, *syntax.Table:
	case *syntax.Instance:
		if o := m.info.Defs[d]; f.find(o) == nil {
			unsupported("%s: an instance among statements", d.Pos())
		}
	default:
		unsupported("%s: a declaration %T", d.Pos(), d)
	}
}

func (m *Machine) switchStmt(f *frame, s *syntax.Switch) flow {
	var ran *types.Action
	var x *cell
	if sel, ok := s.X.(*syntax.Member); ok && sel.Sel.Name == "action_run" {
		ran = m.applyTable(f, m.info.Calls[sel.X.(*syntax.Call)].Table).action
	} else if x = m.eval(f, s.X); x.n == nil {
		undefined()
	}
	if m.exited {
		return exits
	}
	met := false
	for _, k := range s.Cases {
		switch l := k.Label.(type) {
		case *syntax.Default:
			met = true
		default:
			if ran != nil {
				met = met || m.info.Uses[l.(*syntax.NameExpr)] == types.Object(ran)
			} else {
				met = met || number(x.t, m.constant(l).n).n.Cmp(x.n) == 0
			}
		}
		if met && k.Body != nil {
			return m.block(f, k.Body)
		}
	}
	return goesOn
}
