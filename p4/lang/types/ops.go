package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// plain strips an enum with representation to its bits, as arithmetic does.
func plain(t Type) Type {
	if e, ok := t.(*Enum); ok && e.Repr != nil {
		return e.Repr
	}
	return t
}

func opText(op syntax.Kind) string {
	if op == syntax.Shr {
		return ">>"
	}
	return op.String()
}

// convert gives a constant without width the type t. A value that does not fit
// is cut, with a warning, as P4 says.
func (c *checker) convert(e syntax.Expr, t Type) {
	b, ok := t.(*Bits)
	if !ok {
		if n, isNew := t.(*NewType); isNew {
			b, ok = n.Of.(*Bits)
		}
		if !ok {
			return
		}
	}
	if v, ok := c.info.Values[e].(IntValue); ok && !fits(v.V, b) {
		c.diags.Warnf(e.Pos(), diag.Width, "the value %s does not fit %s and is cut", v.V, t)
	}
	c.convertQuietly(e, b)
	c.info.Types[e] = t
}

func (c *checker) convertQuietly(e syntax.Expr, b *Bits) {
	if v, ok := c.info.Values[e].(IntValue); ok {
		c.info.Values[e] = IntValue{Wrap(v.V, b)}
	}
	c.info.Types[e] = b
}

func (c *checker) operandError(pos syntax.Expr, op syntax.Kind, x, y Type) Type {
	if x != Invalid && y != Invalid {
		c.errorf(pos.Pos(), diag.Operand, "operator %s cannot take %s and %s%s", opText(op), x, y, operandHint(x, y))
	}
	return c.set(pos, Invalid, nil)
}

func operandHint(x, y Type) string {
	bx, ok1 := x.(*Bits)
	by, ok2 := y.(*Bits)
	switch {
	case ok1 && ok2 && bx.Signed != by.Signed:
		return " (one is signed: cast one of them)"
	case ok1 && ok2 && bx.Width != by.Width:
		return " (the widths differ: cast one of them)"
	}
	return ""
}

func (c *checker) unary(e *syntax.Unary, want Type) Type {
	t := plain(c.value(e.X, want))
	if t == Invalid {
		return c.set(e, Invalid, nil)
	}
	switch e.Op {
	case syntax.Not:
		if t != Bool {
			c.errorf(e.Pos(), diag.Operand, "operator ! needs a bool, not %s", t)
			return c.set(e, Invalid, nil)
		}
	case syntax.Tilde:
		if t == Int && isBits(want) {
			c.convert(e.X, want)
			t = want
		}
		if !isBits(t) {
			c.errorf(e.Pos(), diag.Operand, "operator ~ needs bit<> or int<>, not %s", t)
			return c.set(e, Invalid, nil)
		}
	default:
		if !isBits(t) && t != Int {
			c.errorf(e.Pos(), diag.Operand, "operator %s needs a number, not %s", opText(e.Op), t)
			return c.set(e, Invalid, nil)
		}
	}
	var v Value
	if x := c.info.Values[e.X]; x != nil {
		v, _ = foldUnary(e.Op, t, x)
	}
	return c.set(e, t, v)
}

func (c *checker) binary(e *syntax.Binary, want Type) Type {
	switch e.Op {
	case syntax.Mask, syntax.DotDot:
		c.errorf(e.Pos(), diag.Operand, "%s is only allowed in a set of values", opText(e.Op))
		return c.set(e, Invalid, nil)
	case syntax.EqEq, syntax.NotEq, syntax.Less, syntax.LessEq, syntax.Greater, syntax.GreaterEq,
		syntax.AndAnd, syntax.OrOr, syntax.Concat:
		want = nil
	}
	x := c.value(e.X, want)
	yWant := want
	if e.Op == syntax.Shl || e.Op == syntax.Shr {
		yWant = nil
	} else if yWant == nil {
		yWant = x
	}
	y := c.value(e.Y, yWant)
	if x == Invalid || y == Invalid {
		return c.set(e, Invalid, nil)
	}
	switch e.Op {
	case syntax.AndAnd, syntax.OrOr:
		if x != Bool || y != Bool {
			return c.operandError(e, e.Op, x, y)
		}
		return c.fold(e, Bool, Bool)
	case syntax.EqEq, syntax.NotEq:
		return c.equality(e, x, y)
	case syntax.Shl, syntax.Shr:
		return c.shift(e, plain(x), plain(y), want)
	case syntax.Concat:
		if x == String && y == String {
			return c.fold(e, String, String)
		}
		bx, ok1 := plain(x).(*Bits)
		by, ok2 := plain(y).(*Bits)
		if !ok1 || !ok2 {
			return c.operandError(e, e.Op, x, y)
		}
		if bx.Width+by.Width > syntax.MaxWidth {
			c.errorf(e.Pos(), diag.Width, "the result of ++ is %d bits wide; the limit is %d", bx.Width+by.Width, syntax.MaxWidth)
			return c.set(e, Invalid, nil)
		}
		t := &Bits{bx.Width + by.Width, bx.Signed}
		return c.fold(e, t, t)
	}
	x, y = plain(x), plain(y)
	switch {
	case isBits(x) && y == Int:
		c.convert(e.Y, x)
		y = x
	case isBits(y) && x == Int:
		c.convert(e.X, y)
		x = y
	}
	if !Identical(x, y) || !isBits(x) && x != Int {
		return c.operandError(e, e.Op, x, y)
	}
	switch e.Op {
	case syntax.Less, syntax.LessEq, syntax.Greater, syntax.GreaterEq:
		return c.fold(e, x, Bool)
	case syntax.PlusSat, syntax.MinusSat:
		if x == Int {
			return c.operandError(e, e.Op, x, y)
		}
	case syntax.Slash, syntax.Percent:
		if b, ok := x.(*Bits); ok && b.Signed {
			c.errorf(e.Pos(), diag.Operand, "operator %s is not defined for signed numbers", opText(e.Op))
			return c.set(e, Invalid, nil)
		}
		for _, side := range []syntax.Expr{e.X, e.Y} {
			if u, ok := side.(*syntax.Unary); ok && u.Op == syntax.Minus && isBits(x) {
				if _, ok := u.X.(*syntax.NumberLit); ok {
					c.errorf(side.Pos(), diag.Operand, "operator %s is not defined for negative numbers", opText(e.Op))
					return c.set(e, Invalid, nil)
				}
			}
		}
		if v, ok := IntOf(c.info.Values[e.Y]); ok && v.Sign() == 0 {
			c.errorf(e.Y.Pos(), diag.Arithmetic, "division by zero")
			return c.set(e, Invalid, nil)
		}
	case syntax.And, syntax.Or, syntax.Xor:
		if x == Int && isBits(want) {
			c.convert(e.X, want)
			c.convert(e.Y, want)
			x = want
		}
	}
	return c.fold(e, x, x)
}

// fold records the type of a binary expression and its value when both sides
// are known.
func (c *checker) fold(e *syntax.Binary, operand, result Type) Type {
	xv, yv := c.info.Values[e.X], c.info.Values[e.Y]
	if xv == nil && yv == nil {
		return c.set(e, result, nil)
	}
	yw, _ := Width(plain(c.info.Types[e.Y]))
	v, err := foldBinary(e.Op, operand, xv, yv, yw)
	if err != nil {
		c.errorf(e.Pos(), diag.Arithmetic, "%v", err)
		return c.set(e, Invalid, nil)
	}
	return c.set(e, result, v)
}

func (c *checker) equality(e *syntax.Binary, x, y Type) Type {
	ok := Identical(x, y)
	switch {
	case x == Int && (isBits(plain(y)) || isNew(y)):
		c.convert(e.X, plain(y))
		ok = !isNew(y)
	case y == Int && (isBits(plain(x)) || isNew(x)):
		c.convert(e.Y, plain(x))
		ok = !isNew(x)
	case !ok:
		ok = Identical(plain(x), plain(y))
	}
	if !ok {
		// A list may be compared with a structure of the same shape.
		switch {
		case isList(y):
			ok = c.canAssign(e.Y, y, x)
		case isList(x):
			ok = c.canAssign(e.X, x, y)
		}
	}
	switch x.(type) {
	case *TypeParam, *ExternType, *callable, *typeValue, *objectType, *Set:
		ok = false
	}
	if !ok {
		return c.operandError(e, e.Op, x, y)
	}
	return c.fold(e, x, Bool)
}

func isList(t Type) bool {
	switch t.(type) {
	case *Tuple, *Record:
		return true
	}
	return false
}

func isNew(t Type) bool {
	_, ok := t.(*NewType)
	return ok
}

func (c *checker) shift(e *syntax.Binary, x, y, want Type) Type {
	v, known := IntOf(c.info.Values[e.Y])
	switch {
	case y == Int && known && v.Sign() < 0:
		c.errorf(e.Y.Pos(), diag.Arithmetic, "the shift distance is negative")
		return c.set(e, Invalid, nil)
	case y == Int:
		// Wide enough for any distance that makes sense.
		if known && (!v.IsInt64() || v.Int64() > maxConst) {
			c.errorf(e.Y.Pos(), diag.Arithmetic, "the shift distance %s is too large", v)
			return c.set(e, Invalid, nil)
		}
		if x != Int {
			c.convertQuietly(e.Y, Bit(32))
		}
	case isBits(y):
		if y.(*Bits).Signed && (!known || v.Sign() < 0) {
			c.errorf(e.Y.Pos(), diag.Operand, "the shift distance must be unsigned, not %s", y)
			return c.set(e, Invalid, nil)
		}
	default:
		return c.operandError(e, e.Op, x, y)
	}
	if x == Int && !known {
		if _, deferred := c.info.Values[e.Y].(Deferred); !deferred {
			if _, outer := c.info.Values[e.Y].(IntValue); !isBits(want) || !outer {
				c.errorf(e.X.Pos(), diag.Width, "the width of this shift is not known: give the left side a width (8w1)")
				return c.set(e, Invalid, nil)
			}
			c.convert(e.X, want)
			x = want
		}
	}
	if !isBits(x) && x != Int {
		return c.operandError(e, e.Op, x, y)
	}
	return c.fold(e, x, x)
}

func (c *checker) cast(e *syntax.Cast) Type {
	t := c.typ(e.Type)
	var want Type
	switch t.(type) {
	case *Struct, *List:
		want = t
	}
	x := c.value(e.X, want)
	if t == Invalid || x == Invalid {
		return c.set(e, t, nil)
	}
	if !c.castable(e.X, x, t) {
		d := c.errorf(e.Pos(), diag.Cast, "cannot cast %s to %s", x, t)
		bx, ok1 := plain(x).(*Bits)
		bt, ok2 := plain(t).(*Bits)
		if ok1 && ok2 && bx.Signed != bt.Signed {
			d.Message += " (sign and width cannot change in one cast: cast twice)"
		}
		return c.set(e, Invalid, nil)
	}
	if x == Int {
		if b, ok := castWidth(t); ok {
			c.convertQuietly(e.X, b)
		}
	}
	var v Value
	if xv := c.info.Values[e.X]; xv != nil {
		v = foldCast(t, xv)
	}
	return c.set(e, t, v)
}

func castWidth(t Type) (*Bits, bool) {
	switch t := t.(type) {
	case *Bits:
		return t, true
	case *Enum:
		return t.Repr, t.Repr != nil
	case *NewType:
		return castWidth(t.Of)
	}
	return nil, false
}

// castable has the rules for explicit casts.
func (c *checker) castable(e syntax.Expr, from, to Type) bool {
	if Identical(from, to) {
		return true
	}
	if n, ok := to.(*NewType); ok {
		return from == Int && isBits(n.Of) || Identical(plain(from), plain(n.Of)) || from == Bool && n.Of == Bool
	}
	if n, ok := from.(*NewType); ok {
		return c.castable(e, n.Of, to)
	}
	if en, ok := to.(*Enum); ok {
		return en.Repr != nil && (from == Int || Identical(plain(from), en.Repr))
	}
	from = plain(from)
	switch to := to.(type) {
	case *Bits:
		if from == Int {
			return true
		}
		if from == Bool {
			return to.Width == 1 && !to.Signed
		}
		f, ok := from.(*Bits)
		return ok && (f.Signed == to.Signed || f.Width == to.Width)
	case *Struct, *Tuple, *List, *Stack:
		return c.canAssign(e, from, to)
	}
	switch to {
	case Bool:
		f, ok := from.(*Bits)
		if from == Int {
			v, known := IntOf(c.info.Values[e])
			return known && v.BitLen() <= 1 && v.Sign() >= 0
		}
		return ok && f.Width == 1 && !f.Signed
	case Int:
		return c.info.Values[e] != nil && isBits(from)
	}
	return false
}
