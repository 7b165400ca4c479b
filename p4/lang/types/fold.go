package types

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// maxConst bounds the size in bits of constants during evaluation.
const maxConst = 1 << 14

var errTooLarge = errors.New("the constant is too large to compute")

// foldUnary computes op x for a result of type t.
func foldUnary(op syntax.Kind, t Type, x Value) (Value, error) {
	if _, ok := x.(Deferred); ok {
		return x, nil
	}
	if b, ok := x.(BoolValue); ok && op == syntax.Not {
		return !b, nil
	}
	n, ok := IntOf(x)
	if !ok {
		return nil, nil
	}
	r := new(big.Int)
	switch op {
	case syntax.Minus:
		r.Neg(n)
	case syntax.Tilde:
		r.Not(n)
	case syntax.Plus:
		r.Set(n)
	default:
		return nil, nil
	}
	return wrapTo(r, t), nil
}

func wrapTo(v *big.Int, t Type) Value {
	if s, ok := Scalar(t); ok {
		if b, ok := s.(*Bits); ok {
			return IntValue{Wrap(v, b)}
		}
	}
	return IntValue{v}
}

// foldBinary computes x op y; t is the type of the operands (of the left one
// for shifts, of the result for ++), yw the width of the right one for ++.
func foldBinary(op syntax.Kind, t Type, x, y Value, yw int) (Value, error) {
	// A logical operator may be decided by one side.
	if xb, ok := x.(BoolValue); ok {
		switch {
		case op == syntax.AndAnd && !bool(xb):
			return BoolValue(false), nil
		case op == syntax.OrOr && bool(xb):
			return BoolValue(true), nil
		}
	}
	if x == nil || y == nil {
		return nil, nil
	}
	_, xd := x.(Deferred)
	_, yd := y.(Deferred)
	if xd || yd {
		return Deferred{}, nil
	}
	xs, ok1 := x.(StringValue)
	ys, ok2 := y.(StringValue)
	if ok1 && ok2 && op == syntax.Concat {
		return xs + ys, nil
	}
	switch op {
	case syntax.EqEq, syntax.NotEq:
		eq, ok := equalValues(x, y)
		if !ok {
			return nil, nil
		}
		return BoolValue(eq == (op == syntax.EqEq)), nil
	case syntax.AndAnd, syntax.OrOr:
		xb, ok1 := x.(BoolValue)
		yb, ok2 := y.(BoolValue)
		if !ok1 || !ok2 {
			return nil, nil
		}
		if op == syntax.AndAnd {
			return xb && yb, nil
		}
		return xb || yb, nil
	}
	a, ok1 := IntOf(x)
	b, ok2 := IntOf(y)
	if !ok1 || !ok2 {
		return nil, nil
	}
	return foldInts(op, t, a, b, yw)
}

func foldInts(op syntax.Kind, t Type, a, b *big.Int, yw int) (Value, error) {
	r := new(big.Int)
	switch op {
	case syntax.Less:
		return BoolValue(a.Cmp(b) < 0), nil
	case syntax.Greater:
		return BoolValue(a.Cmp(b) > 0), nil
	case syntax.LessEq:
		return BoolValue(a.Cmp(b) <= 0), nil
	case syntax.GreaterEq:
		return BoolValue(a.Cmp(b) >= 0), nil
	case syntax.Plus:
		r.Add(a, b)
	case syntax.Minus:
		r.Sub(a, b)
	case syntax.PlusSat, syntax.MinusSat:
		if op == syntax.PlusSat {
			r.Add(a, b)
		} else {
			r.Sub(a, b)
		}
		if bt, ok := t.(*Bits); ok {
			return IntValue{Saturate(r, bt)}, nil
		}
	case syntax.Star:
		if a.BitLen()+b.BitLen() > maxConst {
			return nil, errTooLarge
		}
		r.Mul(a, b)
	case syntax.Slash, syntax.Percent:
		if b.Sign() == 0 {
			return nil, errors.New("division by zero")
		}
		if a.Sign() < 0 || b.Sign() < 0 {
			return nil, errors.New("division of negative numbers is not defined")
		}
		if op == syntax.Slash {
			r.Quo(a, b)
		} else {
			r.Rem(a, b)
		}
	case syntax.Shl, syntax.Shr:
		if b.Sign() < 0 {
			return nil, errors.New("the shift distance is negative")
		}
		width := maxConst
		if bt, ok := t.(*Bits); ok {
			width = bt.Width
		}
		dist := uint(width)
		if b.IsInt64() && b.Int64() < int64(width) {
			dist = uint(b.Int64())
		} else if !isBits(t) && op == syntax.Shl && a.Sign() != 0 {
			return nil, errTooLarge
		}
		if op == syntax.Shl {
			r.Lsh(a, dist)
		} else {
			r.Rsh(a, dist) // rounds towards minus infinity, as int<W> does
		}
	case syntax.And:
		r.And(a, b)
	case syntax.Or:
		r.Or(a, b)
	case syntax.Xor:
		r.Xor(a, b)
	case syntax.Concat:
		low := Wrap(b, Bit(yw))
		r.Or(r.Lsh(a, uint(yw)), low)
	default:
		return nil, fmt.Errorf("operator %s cannot be computed", op)
	}
	if r.BitLen() > maxConst {
		return nil, errTooLarge
	}
	return wrapTo(r, t), nil
}

func equalValues(x, y Value) (eq, ok bool) {
	switch x := x.(type) {
	case StringValue:
		y, ok := y.(StringValue)
		return ok && x == y, ok
	case ListValue:
		y, ok := y.(ListValue)
		if !ok || len(x) != len(y) {
			return false, ok
		}
		for i := range x {
			e, ok := equalValues(x[i], y[i])
			if !ok || !e {
				return e, ok
			}
		}
		return true, true
	}
	a, ok1 := IntOf(x)
	b, ok2 := IntOf(y)
	if !ok1 || !ok2 {
		return false, false
	}
	return a.Cmp(b) == 0, true
}

// foldCast converts a value to type t.
func foldCast(t Type, v Value) Value {
	if _, ok := v.(Deferred); ok || v == nil {
		return v
	}
	switch t := t.(type) {
	case *NewType:
		return foldCast(t.Of, v)
	case *Enum:
		n, ok := IntOf(v)
		if !ok {
			return nil
		}
		if t.Repr == nil {
			return v
		}
		for _, m := range t.Values {
			if m.V.Cmp(n) == 0 {
				return m
			}
		}
		return &EnumValue{t, n.String(), n}
	case *Bits:
		if n, ok := IntOf(v); ok {
			return IntValue{Wrap(n, t)}
		}
		return nil
	}
	if t == Bool {
		if n, ok := IntOf(v); ok {
			return BoolValue(n.Sign() != 0)
		}
	}
	return v
}

// foldSlice computes v[hi:lo].
func foldSlice(v Value, hi, lo int) Value {
	if _, ok := v.(Deferred); ok {
		return v
	}
	n, ok := IntOf(v)
	if !ok {
		return nil
	}
	r := new(big.Int).Rsh(n, uint(lo))
	return IntValue{Wrap(r, Bit(hi-lo+1))}
}

// Eval evaluates an expression whose value was Deferred, now that the
// constructor parameters are known. It returns nil when the expression is not
// a compile-time value.
func (info *Info) Eval(e syntax.Expr, param func(*Var) Value) (Value, error) {
	v := info.Values[e]
	if _, deferred := v.(Deferred); !deferred {
		return v, nil
	}
	switch e := e.(type) {
	case *syntax.NameExpr:
		if o, ok := info.Uses[e].(*Var); ok {
			v := param(o)
			if v == nil {
				return nil, nil
			}
			return foldCast(info.Types[e], v), nil
		}
	case *syntax.Unary:
		x, err := info.Eval(e.X, param)
		if err != nil || x == nil {
			return nil, err
		}
		return foldUnary(e.Op, info.Types[e], x)
	case *syntax.Binary:
		x, err := info.Eval(e.X, param)
		if err != nil {
			return nil, err
		}
		y, err := info.Eval(e.Y, param)
		if err != nil {
			return nil, err
		}
		t := info.Types[e.X]
		if e.Op == syntax.Concat {
			t = info.Types[e]
		}
		yw, _ := Width(info.Types[e.Y])
		return foldBinary(e.Op, t, x, y, yw)
	case *syntax.Ternary:
		c, err := info.Eval(e.Cond, param)
		if err != nil {
			return nil, err
		}
		b, ok := c.(BoolValue)
		if !ok {
			return nil, nil
		}
		if b {
			return info.Eval(e.X, param)
		}
		return info.Eval(e.Y, param)
	case *syntax.Cast:
		x, err := info.Eval(e.X, param)
		if err != nil {
			return nil, err
		}
		return foldCast(info.Types[e], x), nil
	case *syntax.Slice:
		x, err := info.Eval(e.X, param)
		if err != nil || x == nil {
			return nil, err
		}
		hi, _ := IntOf(info.Values[e.Hi])
		lo, _ := IntOf(info.Values[e.Lo])
		if hi == nil || lo == nil {
			return nil, nil
		}
		return foldSlice(x, int(hi.Int64()), int(lo.Int64())), nil
	}
	return nil, nil
}
