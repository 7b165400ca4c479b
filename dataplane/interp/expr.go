package interp

import (
	"math/big"
	"math/bits"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// nexpr evaluates an expression of at most 64 bits, wexpr one of any width. A
// result never has bits outside its width. The result of a wexpr is shared and
// must not be modified.
type (
	nexpr func(*frame) uint64
	wexpr func(*frame) *big.Int
)

func isWide(t ir.Type) bool { return t.Width > 64 }

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// narrow compiles an expression whose result has at most 64 bits.
func (c *compiler) narrow(e ir.Expr) nexpr {
	switch e := e.(type) {
	case *ir.Const:
		v := e.Value.Uint64()
		return func(*frame) uint64 { return v }
	case *ir.Ref:
		i := c.slot(e.Var).i
		return func(f *frame) uint64 { return f.n[i] }
	case *ir.IsValid:
		i := c.header(e.Header)
		return func(f *frame) uint64 { return b2u(f.valid[i]) }
	case *ir.Unary:
		return c.narrowUnary(e)
	case *ir.Binary:
		return c.narrowBinary(e)
	case *ir.Cast:
		return c.narrowCast(e)
	case *ir.Slice:
		lo, m := e.Lo, mask(e.Hi-e.Lo+1)
		if isWide(e.X.Type()) {
			x := c.wide(e.X)
			return func(f *frame) uint64 {
				return low64(new(big.Int).Rsh(x(f), uint(lo))) & m
			}
		}
		x := c.narrow(e.X)
		return func(f *frame) uint64 { return x(f) >> lo & m }
	case *ir.Cell:
		return func(f *frame) uint64 { return f.cell }
	case *ir.Mux:
		cond, x, y := c.narrow(e.Cond), c.narrow(e.X), c.narrow(e.Y)
		return func(f *frame) uint64 {
			if cond(f) != 0 {
				return x(f)
			}
			return y(f)
		}
	}
	c.unsupported(ir.Pos{}, "expression %T", e)
	return nil
}

func (c *compiler) narrowUnary(e *ir.Unary) nexpr {
	x, m := c.narrow(e.X), mask(e.Type().Width)
	switch e.Op {
	case ir.Neg:
		return func(f *frame) uint64 { return -x(f) & m }
	case ir.Com:
		return func(f *frame) uint64 { return ^x(f) & m }
	case ir.Not:
		return func(f *frame) uint64 { return x(f) ^ 1 }
	}
	c.unsupported(ir.Pos{}, "unary operator %s", e.Op)
	return nil
}

func (c *compiler) narrowCast(e *ir.Cast) nexpr {
	m := mask(e.T.Width)
	from := e.X.Type()
	if isWide(from) {
		x := c.wide(e.X)
		return func(f *frame) uint64 { return low64(x(f)) & m }
	}
	x := c.narrow(e.X)
	if from.Signed() && e.T.Width > from.Width {
		w := from.Width
		return func(f *frame) uint64 { return uint64(signed(x(f), w)) & m }
	}
	return func(f *frame) uint64 { return x(f) & m }
}

func (c *compiler) narrowBinary(e *ir.Binary) nexpr {
	t := e.X.Type() // of the operands
	switch e.Op {
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		return c.compare(e.Op, t, e.X, e.Y)
	case ir.LAnd:
		x, y := c.narrow(e.X), c.narrow(e.Y)
		return func(f *frame) uint64 { return b2u(x(f) != 0 && y(f) != 0) }
	case ir.LOr:
		x, y := c.narrow(e.X), c.narrow(e.Y)
		return func(f *frame) uint64 { return b2u(x(f) != 0 || y(f) != 0) }
	case ir.Shl, ir.Shr:
		return c.narrowShift(e)
	case ir.Concat:
		x, y, w := c.narrow(e.X), c.narrow(e.Y), e.Y.Type().Width
		return func(f *frame) uint64 { return x(f)<<w | y(f) }
	}
	x, y := c.narrow(e.X), c.narrow(e.Y)
	w, m := t.Width, mask(t.Width)
	switch e.Op {
	case ir.Add:
		return func(f *frame) uint64 { return (x(f) + y(f)) & m }
	case ir.Sub:
		return func(f *frame) uint64 { return (x(f) - y(f)) & m }
	case ir.Mul:
		return func(f *frame) uint64 { return x(f) * y(f) & m }
	case ir.And:
		return func(f *frame) uint64 { return x(f) & y(f) }
	case ir.Or:
		return func(f *frame) uint64 { return x(f) | y(f) }
	case ir.Xor:
		return func(f *frame) uint64 { return x(f) ^ y(f) }
	case ir.AddSat:
		if t.Signed() {
			return func(f *frame) uint64 { return addSatSigned(signed(x(f), w), signed(y(f), w), w) & m }
		}
		return func(f *frame) uint64 {
			s, carry := bits.Add64(x(f), y(f), 0)
			if carry != 0 || s > m {
				return m
			}
			return s
		}
	case ir.SubSat:
		if t.Signed() {
			return func(f *frame) uint64 { return subSatSigned(signed(x(f), w), signed(y(f), w), w) & m }
		}
		return func(f *frame) uint64 {
			a, b := x(f), y(f)
			if b > a {
				return 0
			}
			return a - b
		}
	case ir.Div, ir.Mod:
		if t.Signed() {
			c.unsupported(e.Pos, "signed %s", e.Op)
		}
		div := e.Op == ir.Div
		return func(f *frame) uint64 {
			a, b := x(f), y(f)
			switch {
			case b == 0:
				return 0
			case div:
				return a / b
			}
			return a % b
		}
	}
	c.unsupported(e.Pos, "operator %s", e.Op)
	return nil
}

// addSatSigned and subSatSigned clamp to the range of int<w>. The 64-bit sum
// can itself overflow only for w = 64, which the signs give away.
func addSatSigned(a, b int64, w int) uint64 {
	s := a + b
	lo, hi := int64(-1)<<(w-1), int64(mask(w-1))
	switch {
	case a > 0 && b > 0 && (s < 0 || s > hi):
		s = hi
	case a < 0 && b < 0 && (s >= 0 || s < lo):
		s = lo
	}
	return uint64(s)
}

func subSatSigned(a, b int64, w int) uint64 {
	s := a - b
	lo, hi := int64(-1)<<(w-1), int64(mask(w-1))
	switch {
	case a >= 0 && b < 0 && (s < 0 || s > hi):
		s = hi
	case a < 0 && b > 0 && (s >= 0 || s < lo):
		s = lo
	}
	return uint64(s)
}

func (c *compiler) narrowShift(e *ir.Binary) nexpr {
	x, y := c.narrow(e.X), c.shiftCount(e.Y)
	w, m := e.T.Width, mask(e.T.Width)
	switch {
	case e.Op == ir.Shl:
		return func(f *frame) uint64 { return x(f) << y(f) & m } // Go: counts of 64 and more give 0
	case e.T.Signed():
		return func(f *frame) uint64 { return uint64(signed(x(f), w)>>y(f)) & m }
	}
	return func(f *frame) uint64 { return x(f) >> y(f) }
}

// shiftCount compiles a shift count of any width; huge counts become one that
// shifts everything out.
func (c *compiler) shiftCount(e ir.Expr) nexpr {
	if !isWide(e.Type()) {
		return c.narrow(e)
	}
	y := c.wide(e)
	return func(f *frame) uint64 {
		if v := y(f); v.IsUint64() {
			return v.Uint64()
		}
		return ^uint64(0)
	}
}

// compare compiles a comparison of two values of type t.
func (c *compiler) compare(op ir.Op, t ir.Type, ex, ey ir.Expr) nexpr {
	holds := func(cmp int) bool { // for wide values
		switch op {
		case ir.Eq:
			return cmp == 0
		case ir.Ne:
			return cmp != 0
		case ir.Lt:
			return cmp < 0
		case ir.Le:
			return cmp <= 0
		case ir.Gt:
			return cmp > 0
		}
		return cmp >= 0
	}
	if isWide(t) {
		x, y := c.wide(ex), c.wide(ey)
		if t.Signed() {
			return func(f *frame) uint64 {
				return b2u(holds(wideSigned(x(f), t.Width).Cmp(wideSigned(y(f), t.Width))))
			}
		}
		return func(f *frame) uint64 { return b2u(holds(x(f).Cmp(y(f)))) }
	}
	x, y := c.narrow(ex), c.narrow(ey)
	if t.Signed() {
		// Flipping the sign bit turns the signed order into the unsigned one.
		sign, ux, uy := uint64(1)<<(t.Width-1), x, y
		x = func(f *frame) uint64 { return ux(f) ^ sign }
		y = func(f *frame) uint64 { return uy(f) ^ sign }
	}
	if k, ok := ey.(*ir.Const); ok && !t.Signed() && (op == ir.Eq || op == ir.Ne) {
		return equals(c, ex, x, k.Value.Uint64(), op == ir.Ne)
	}
	switch op {
	case ir.Eq:
		return func(f *frame) uint64 { return b2u(x(f) == y(f)) }
	case ir.Ne:
		return func(f *frame) uint64 { return b2u(x(f) != y(f)) }
	case ir.Lt:
		return func(f *frame) uint64 { return b2u(x(f) < y(f)) }
	case ir.Le:
		return func(f *frame) uint64 { return b2u(x(f) <= y(f)) }
	case ir.Gt:
		return func(f *frame) uint64 { return b2u(x(f) > y(f)) }
	}
	return func(f *frame) uint64 { return b2u(x(f) >= y(f)) }
}

// equals compares with a constant, and knows a variable.
func equals(c *compiler, ex ir.Expr, x nexpr, k uint64, not bool) nexpr {
	if r, ok := ex.(*ir.Ref); ok {
		i := c.slot(r.Var).i
		if not {
			return func(f *frame) uint64 { return b2u(f.n[i] != k) }
		}
		return func(f *frame) uint64 { return b2u(f.n[i] == k) }
	}
	if not {
		return func(f *frame) uint64 { return b2u(x(f) != k) }
	}
	return func(f *frame) uint64 { return b2u(x(f) == k) }
}
