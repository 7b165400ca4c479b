package interp

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

var low64Mask = wideMask(64)

// low64 returns the 64 low bits of a non-negative v.
func low64(v *big.Int) uint64 {
	if v.IsUint64() {
		return v.Uint64()
	}
	return new(big.Int).And(v, low64Mask).Uint64()
}

// wideSigned reads v as two's complement in w bits.
func wideSigned(v *big.Int, w int) *big.Int {
	if v.Bit(w-1) == 0 {
		return v
	}
	full := new(big.Int).Lsh(big.NewInt(1), uint(w))
	return full.Sub(v, full)
}

// wide compiles an expression of any width.
func (c *compiler) wide(e ir.Expr) wexpr {
	if !isWide(e.Type()) {
		x := c.narrow(e)
		return func(f *frame) *big.Int { return new(big.Int).SetUint64(x(f)) }
	}
	m := wideMask(e.Type().Width)
	switch e := e.(type) {
	case *ir.Const:
		v := new(big.Int).And(e.Value, m)
		return func(*frame) *big.Int { return v }
	case *ir.Ref:
		i := c.slot(e.Var).i
		return func(f *frame) *big.Int { return f.w[i] }
	case *ir.Unary:
		x := c.wide(e.X)
		switch e.Op {
		case ir.Neg:
			return func(f *frame) *big.Int { v := new(big.Int).Neg(x(f)); return v.And(v, m) }
		case ir.Com:
			return func(f *frame) *big.Int { return new(big.Int).Xor(x(f), m) }
		}
	case *ir.Binary:
		return c.wideBinary(e, m)
	case *ir.Cast:
		x, from := c.wide(e.X), e.X.Type()
		if from.Signed() && e.T.Width > from.Width {
			return func(f *frame) *big.Int { return new(big.Int).And(wideSigned(x(f), from.Width), m) }
		}
		return func(f *frame) *big.Int { return new(big.Int).And(x(f), m) }
	case *ir.Slice:
		x := c.wide(e.X)
		return func(f *frame) *big.Int { v := new(big.Int).Rsh(x(f), uint(e.Lo)); return v.And(v, m) }
	case *ir.Mux:
		cond, x, y := c.narrow(e.Cond), c.wide(e.X), c.wide(e.Y)
		return func(f *frame) *big.Int {
			if cond(f) != 0 {
				return x(f)
			}
			return y(f)
		}
	}
	c.unsupported(ir.Pos{}, "expression %T on %s", e, e.Type())
	return nil
}

func (c *compiler) wideBinary(e *ir.Binary, m *big.Int) wexpr {
	w, isSigned := e.T.Width, e.T.Signed()
	x := c.wide(e.X)
	if e.Op == ir.Shl || e.Op == ir.Shr {
		y := c.shiftCount(e.Y)
		return func(f *frame) *big.Int {
			n, v := uint(min(y(f), uint64(w))), x(f)
			if e.Op == ir.Shl {
				v = new(big.Int).Lsh(v, n)
			} else {
				if isSigned {
					v = wideSigned(v, w)
				}
				v = new(big.Int).Rsh(v, n)
			}
			return v.And(v, m)
		}
	}
	y := c.wide(e.Y)
	wrap := func(op func(z, x, y *big.Int) *big.Int) wexpr {
		return func(f *frame) *big.Int {
			v := op(new(big.Int), x(f), y(f))
			return v.And(v, m)
		}
	}
	switch e.Op {
	case ir.Add:
		return wrap((*big.Int).Add)
	case ir.Sub:
		return wrap((*big.Int).Sub)
	case ir.Mul:
		return wrap((*big.Int).Mul)
	case ir.And:
		return wrap((*big.Int).And)
	case ir.Or:
		return wrap((*big.Int).Or)
	case ir.Xor:
		return wrap((*big.Int).Xor)
	case ir.Concat:
		yw := uint(e.Y.Type().Width)
		return wrap(func(z, x, y *big.Int) *big.Int { return z.Or(z.Lsh(x, yw), y) })
	case ir.Div, ir.Mod:
		if isSigned {
			c.unsupported(e.Pos, "signed %s", e.Op)
		}
		op := (*big.Int).Quo
		if e.Op == ir.Mod {
			op = (*big.Int).Rem
		}
		return wrap(func(z, x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return z
			}
			return op(z, x, y)
		})
	case ir.AddSat, ir.SubSat:
		op := (*big.Int).Add
		if e.Op == ir.SubSat {
			op = (*big.Int).Sub
		}
		lo, hi := new(big.Int), m
		if isSigned {
			hi = wideMask(w - 1)
			lo = new(big.Int).Not(hi)
		}
		return wrap(func(z, x, y *big.Int) *big.Int {
			if isSigned {
				x, y = wideSigned(x, w), wideSigned(y, w)
			}
			switch op(z, x, y); {
			case z.Cmp(lo) < 0:
				z.Set(lo)
			case z.Cmp(hi) > 0:
				z.Set(hi)
			}
			return z
		})
	}
	c.unsupported(e.Pos, "operator %s on %s", e.Op, e.T)
	return nil
}
