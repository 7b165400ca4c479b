package spec

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// eval evaluates an expression: a value, which nothing else refers to.
func (m *Machine) eval(f *frame, e syntax.Expr) *cell {
	t := m.info.Types[e]
	if t == types.Int {
		return m.constant(e)
	}
	switch e := e.(type) {
	case *syntax.NumberLit, *syntax.BoolLit:
		return m.constant(e)
	case *syntax.NameExpr:
		if _, ok := m.info.Uses[e].(*types.Const); ok {
			return m.constant(e)
		}
		return m.place(f, e).load()
	case *syntax.Member:
		return m.member(f, e)
	case *syntax.Slice:
		hi, lo := m.bounds(e)
		return sliceOf(m.eval(f, e.X), hi, lo)
	case *syntax.Unary:
		return m.unary(f, e, t)
	case *syntax.Binary:
		return m.binary(f, e, t)
	case *syntax.Ternary:
		if m.holds(f, e.Cond) {
			return m.as(t, m.eval(f, e.X))
		}
		return m.as(t, m.eval(f, e.Y))
	case *syntax.Cast:
		x := m.eval(f, e.X)
		if x.scalar && x.n != nil {
			return number(t, x.n) // the same number, or what is left of it: P4 has no other casts
		}
		return m.as(t, x)
	case *syntax.List:
		c := &cell{t: t}
		for _, x := range e.Elems {
			c.parts = append(c.parts, m.eval(f, x))
		}
		return m.shaped(t, c)
	case *syntax.Struct:
		c := &cell{t: t}
		for _, a := range e.Fields {
			c.parts = append(c.parts, m.eval(f, a.Value))
			c.names = append(c.names, a.Name.Name)
		}
		return m.shaped(t, c)
	case *syntax.InvalidHeader:
		return newCell(t)
	case *syntax.Call:
		return m.call(f, e)
	}
	unsupported("%s: an expression %T", e.Pos(), e)
	return nil
}

// shaped is a list as a value of a structure, where it stands for one.
func (m *Machine) shaped(t types.Type, list *cell) *cell {
	if _, ok := t.(*types.Struct); !ok {
		return list
	}
	c := newCell(t)
	if c.header && list.names != nil { // by name
		c.valid = true
		for i := range c.parts {
			c.parts[i].force(list.parts[c.index(list, i)], true)
		}
		return c
	}
	c.take(list)
	return c
}

func (m *Machine) as(t types.Type, v *cell) *cell {
	if v.scalar {
		return number(t, v.n)
	}
	return v
}

func (m *Machine) constant(e syntax.Expr) *cell {
	v := m.info.Values[e]
	t := m.info.Types[e]
	if n, ok := e.(*syntax.NameExpr); ok {
		if c, ok := m.info.Uses[n].(*types.Const); ok {
			v = c.Value
		}
	}
	n, ok := types.IntOf(v)
	if !ok {
		unsupported("%s: a constant of type %s", e.Pos(), t)
	}
	if t == types.Int {
		return &cell{t: t, scalar: true, n: n}
	}
	return number(t, n)
}

func (m *Machine) bounds(e *syntax.Slice) (hi, lo int) {
	if e.Width != nil && m.info.Values[e.Lo] == nil {
		unsupported("%s: a slice that begins at a variable", e.Pos())
	}
	h, l := m.constant(e.Hi).n, m.constant(e.Lo).n
	return int(h.Int64()), int(l.Int64())
}

// holds is a condition, which must be defined.
func (m *Machine) holds(f *frame, e syntax.Expr) bool {
	v := m.eval(f, e)
	if v.n == nil {
		undefined()
	}
	return v.n.Sign() != 0
}

func (m *Machine) member(f *frame, e *syntax.Member) *cell {
	if c, ok := e.X.(*syntax.Call); ok {
		if call := m.info.Calls[c]; call != nil && call.Kind == types.CallTableApply {
			r := m.applyTable(f, call.Table)
			return boolean(r.hit == (e.Sel.Name == "hit"))
		}
		return m.call(f, c).field(e.Sel.Name)
	}
	if v := m.info.Values[e]; v != nil { // of an enum
		return m.constant(e)
	}
	return m.place(f, e).load()
}

func (c *cell) field(name string) *cell {
	for i, n := range c.names {
		if n == name {
			return c.parts[i]
		}
	}
	unsupported("member %s", name)
	return nil
}

// place evaluates an expression that can be assigned to.
func (m *Machine) place(f *frame, e syntax.Expr) place {
	switch e := e.(type) {
	case *syntax.NameExpr:
		if c, ok := f.find(m.info.Uses[e]).(*cell); ok {
			return place{c: c}
		}
	case *syntax.Member:
		return place{c: m.place(f, e.X).c.field(e.Sel.Name)}
	case *syntax.Slice:
		p := m.place(f, e.X)
		hi, lo := m.bounds(e)
		if p.sliced {
			hi, lo = p.lo+hi, p.lo+lo
		}
		return place{p.c, true, hi, lo}
	}
	unsupported("%s: a place %T", e.Pos(), e)
	return place{}
}

func (m *Machine) unary(f *frame, e *syntax.Unary, t types.Type) *cell {
	if m.info.Types[e.X] == types.Int {
		return m.constant(e)
	}
	x := m.eval(f, e.X)
	if x.n == nil {
		return number(t, nil)
	}
	switch e.Op {
	case syntax.Not:
		return boolean(x.n.Sign() == 0)
	case syntax.Minus:
		return number(t, new(big.Int).Neg(x.n))
	case syntax.Tilde:
		return number(t, new(big.Int).Not(x.n))
	}
	return x
}

func (m *Machine) binary(f *frame, e *syntax.Binary, t types.Type) *cell {
	if m.info.Types[e.X] == types.Int && m.info.Types[e.Y] == types.Int {
		return m.constant(e)
	}
	switch e.Op {
	case syntax.AndAnd:
		return boolean(m.holds(f, e.X) && m.holds(f, e.Y))
	case syntax.OrOr:
		return boolean(m.holds(f, e.X) || m.holds(f, e.Y))
	}
	x := m.eval(f, e.X)
	y := m.eval(f, e.Y)
	switch e.Op {
	case syntax.EqEq, syntax.NotEq:
		eq := equal(x, y)
		if eq.n != nil && e.Op == syntax.NotEq {
			return boolean(eq.n.Sign() == 0)
		}
		return eq
	}
	if x.n == nil || y.n == nil {
		return number(t, nil)
	}
	return number(t, operate(e.Op, x, y))
}

// operate computes a result of which too many bits, and a sign, are cut off later.
func operate(op syntax.Kind, x, y *cell) *big.Int {
	n := new(big.Int)
	w, signed := width(x.t)
	switch op {
	case syntax.Plus:
		return n.Add(x.n, y.n)
	case syntax.Minus:
		return n.Sub(x.n, y.n)
	case syntax.Star:
		return n.Mul(x.n, y.n)
	case syntax.PlusSat, syntax.MinusSat:
		if op == syntax.PlusSat {
			n.Add(x.n, y.n)
		} else {
			n.Sub(x.n, y.n)
		}
		low, high := new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1))
		if signed {
			high.Rsh(high, 1)
			low.Not(high)
		}
		if n.Cmp(low) < 0 {
			return low
		}
		if n.Cmp(high) > 0 {
			return high
		}
		return n
	case syntax.And:
		return n.And(x.n, y.n)
	case syntax.Or:
		return n.Or(x.n, y.n)
	case syntax.Xor:
		return n.Xor(x.n, y.n)
	case syntax.Shl:
		if !y.n.IsInt64() || y.n.Int64() >= int64(w) {
			return n
		}
		return n.Lsh(x.n, uint(y.n.Int64()))
	case syntax.Shr:
		d := uint(w)
		if y.n.IsInt64() && y.n.Int64() < int64(w) {
			d = uint(y.n.Int64())
		}
		return n.Rsh(x.n, d) // rounds down: of a negative number the sign stays
	case syntax.Concat:
		yw, _ := width(y.t)
		return n.Or(n.Lsh(x.bits(), uint(yw)), y.bits())
	}
	c := x.n.Cmp(y.n)
	var holds bool
	switch op {
	case syntax.Less:
		holds = c < 0
	case syntax.LessEq:
		holds = c <= 0
	case syntax.Greater:
		holds = c > 0
	case syntax.GreaterEq:
		holds = c >= 0
	default:
		unsupported("operator %s", op)
	}
	if holds {
		n.SetInt64(1)
	}
	return n
}

// equal compares values of any type. Headers are equal when both are invalid, or both are
// valid and their fields are equal.
func equal(x, y *cell) *cell {
	if x.scalar {
		if x.n == nil || y.n == nil {
			return number(types.Bool, nil)
		}
		return boolean(x.n.Cmp(y.n) == 0)
	}
	if x.header && y.header {
		if x.valid != y.valid || !x.valid {
			return boolean(x.valid == y.valid)
		}
	} else if x.header && !x.valid || y.header && !y.valid {
		return boolean(false) // a list is as a valid header
	}
	all := boolean(true)
	for i := range x.parts {
		switch p := equal(x.parts[i], y.parts[i]); {
		case p.n == nil:
			all = p
		case p.n.Sign() == 0:
			return p
		}
	}
	return all
}
