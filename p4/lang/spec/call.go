package spec

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// passed is an argument: what it was when it was evaluated, and where it goes back to.
type passed struct {
	in   *cell
	back place
}

// arguments evaluates arguments from left to right.
func (m *Machine) arguments(f *frame, ps []*types.Param, args []syntax.Expr) []passed {
	var out []passed
	for i, p := range ps {
		var a passed
		if _, ok := p.Type.(*types.ExternType); ok || args[i] == nil {
			out = append(out, a)
			continue
		}
		switch p.Dir {
		case syntax.DirOut, syntax.DirInout:
			a.back = m.place(f, args[i])
			if p.Dir == syntax.DirInout {
				a.in = a.back.load()
			}
		default:
			a.in = m.eval(f, args[i])
		}
		out = append(out, a)
	}
	return out
}

// run binds arguments, runs a body, and stores the out arguments from left to right: also where
// the body exits.
func (m *Machine) run(f *frame, ps []*types.Param, args []passed, body func(*frame)) {
	in := f.child()
	for i, p := range ps {
		if args[i].in == nil && args[i].back.c == nil {
			continue
		}
		c := newCell(p.Type)
		if args[i].in != nil {
			c.take(args[i].in)
		}
		in.m[p.Var] = c
	}
	body(in)
	for i, p := range ps {
		if args[i].back.c != nil {
			args[i].back.store(in.m[p.Var].(*cell).value())
		}
	}
}

func (m *Machine) call(f *frame, e *syntax.Call) *cell {
	c := m.info.Calls[e]
	switch c.Kind {
	case types.CallFunction:
		result, old := m.result, m.returned
		args := m.arguments(f, c.Params, c.Args)
		m.result, m.returned = c.Func.Result, nil
		m.run(f, c.Params, args, func(in *frame) { m.block(in, c.Func.Decl.Body) })
		v := m.returned
		m.result, m.returned = result, old
		if v == nil && c.Func.Result != types.Void {
			v = newCell(c.Func.Result)
		}
		return v
	case types.CallAction:
		m.run(f, c.Params, m.arguments(f, c.Params, c.Args), func(in *frame) { m.block(in, c.Action.Decl.Body) })
		return nil
	case types.CallTableApply:
		m.applyTable(f, c.Table)
		return nil
	case types.CallApply:
		inst, ok := f.find(m.info.Uses[c.Recv.(*syntax.NameExpr)]).(*instance)
		if !ok {
			unsupported("%s: this apply", e.Pos())
		}
		m.run(f, c.Params, m.arguments(f, c.Params, c.Args), func(in *frame) { m.control(in, inst) })
		return nil
	case types.CallBuiltin:
		h := m.place(f, c.Recv).c
		switch c.Name {
		case "isValid":
			return boolean(h.valid)
		case "setValid":
			if !h.valid {
				h.undefine()
				h.valid = true
			}
		case "setInvalid":
			h.undefine()
		default:
			unsupported("%s: %s", e.Pos(), c.Name)
		}
		return nil
	case types.CallExternFunc:
		return m.externFunc(f, e, c)
	case types.CallMethod:
		return m.method(f, e, c)
	}
	unsupported("%s: this call", e.Pos())
	return nil
}

func (m *Machine) externFunc(f *frame, e *syntax.Call, c *types.Call) *cell {
	if c.Func.Name != "min" && c.Func.Name != "max" {
		unsupported("%s: %s", e.Pos(), c.Func.Name)
	}
	x, y := m.eval(f, c.Args[0]), m.eval(f, c.Args[1])
	t := m.info.Types[e]
	switch {
	case x.n == nil || y.n == nil:
		return number(t, nil)
	case x.n.Cmp(y.n) < 0 == (c.Func.Name == "min"):
		return number(t, x.n)
	}
	return number(t, y.n)
}

func (m *Machine) method(f *frame, e *syntax.Call, c *types.Call) *cell {
	if _, ok := c.Callee.(*types.ExternType); !ok {
		unsupported("%s: this method", e.Pos())
	}
	if n, ok := c.Callee.(*types.ExternType); ok && (n.Extern.Name == "packet_in" || n.Extern.Name == "packet_out") {
		return m.packetMethod(f, e, c)
	}
	switch x := f.find(m.info.Uses[c.Recv.(*syntax.NameExpr)]).(type) {
	case *register:
		i := m.index(f, x, c.Args[0])
		if c.Func.Name == "read" {
			return x.cells[i].value()
		}
		x.cells[i].take(m.eval(f, c.Args[1]))
		return nil
	case *registerAction:
		i := m.index(f, x.r, c.Args[0])
		in := f.child()
		in.m[x.m.Params[0].Var] = x.r.cells[i]
		var result *cell
		if len(x.m.Params) > 1 {
			result = newCell(x.m.Params[1].Type)
			in.m[x.m.Params[1].Var] = result
		}
		m.block(in, x.m.Decl.Body)
		return result
	}
	unsupported("%s: method %s", e.Pos(), c.Func.Name)
	return nil
}

// A register is a Register: its cells stay from packet to packet.
type register struct{ cells []*cell }

// named is an instance that only has a name.
type named struct{}

// A registerAction is a RegisterAction.
type registerAction struct {
	r *register
	m *types.Method
}

func (m *Machine) index(f *frame, r *register, e syntax.Expr) int {
	i := m.eval(f, e)
	if i.n == nil || !i.n.IsInt64() || i.n.Int64() >= int64(len(r.cells)) {
		undefined()
	}
	return int(i.n.Int64())
}

// An instance is one of a control, with what it has declared.
type instance struct {
	c *types.Control
	m map[types.Object]any
}

// instantiate makes an instance of a control and everything in it.
func (m *Machine) instantiate(c *types.Control) *instance {
	in := &instance{c, map[types.Object]any{}}
	for _, d := range c.Decl.Locals {
		d, ok := d.(*syntax.Instance)
		if !ok {
			continue
		}
		o := m.info.Defs[d].(*types.Instance)
		switch t := o.Type.(type) {
		case *types.Control:
			in.m[o] = m.instantiate(t)
		case *types.ExternType:
			in.m[o] = m.extern(in, o, t)
		}
	}
	return in
}

func (m *Machine) extern(in *instance, o *types.Instance, t *types.ExternType) any {
	switch t.Extern.Name {
	case "Register":
		r := &register{}
		for range m.constant(o.Args[0]).n.Int64() {
			c := newCell(t.Args[0])
			if len(o.Args) > 1 && o.Args[1] != nil {
				c.take(m.eval(&frame{}, o.Args[1]))
			} else {
				c.take(number(t.Args[0], new(big.Int))) // TNA: registers begin with zero
			}
			r.cells = append(r.cells, c)
		}
		return r
	case "RegisterAction":
		r, ok := in.m[m.info.Uses[o.Args[0].(*syntax.NameExpr)]].(*register)
		if ok {
			return &registerAction{r, o.Method[0]}
		}
	case "Hash", "ActionProfile", "ActionSelector":
		return named{} // nobody makes entries, so no table looks at its implementation
	}
	unsupported("%s: extern %s", o.Pos, t.Extern.Name)
	return nil
}

// control runs an instance, whose parameters are bound in f.
func (m *Machine) control(f *frame, in *instance) {
	f = f.child()
	for o, v := range in.m {
		f.m[o] = v
	}
	for _, d := range in.c.Decl.Locals {
		m.declare(f, d)
	}
	m.block(f, in.c.Decl.Apply)
}
