package gen

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A number of more than 64 bits is an array of u64, its limbs, the least significant first: in the state, in keys and in the data of
// actions. In the packet it stays as it is. What is computed of one is computed limb by limb; arithmetic is not among it.

// isWide reports whether a number has several limbs.
func isWide(w int) bool { return w > 64 }

// limbs is how many limbs a number of w bits has.
func limbs(w int) int { return (w + 63) / 64 }

// limbBits is how many bits of a number of w bits are in limb k.
func limbBits(w, k int) int { return min(64, w-64*k) }

// masked brings a u64 of C back into n bits.
func masked(x string, n int) string {
	if n >= 64 {
		return x
	}
	return fmt.Sprintf("(%s & %s)", x, literal(ones(n), 64))
}

func ones(n int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return m.Sub(m, big.NewInt(1))
}

// limb is C for limb k of an expression, a u64 without bits beyond those of the expression.
func (g *gress) limb(e ir.Expr, k int) string {
	w := e.Type().Width
	if 64*k >= w {
		return "0ULL"
	}
	if !isWide(w) {
		return "(u64)" + g.expr(e)
	}
	n := limbBits(w, k)
	switch e := e.(type) {
	case *ir.Const:
		return literal(new(big.Int).And(new(big.Int).Rsh(e.Value, uint(64*k)), ones(64)), 64)
	case *ir.Ref:
		return g.bitsOfVar(e.Var, 64*k, n)
	case *ir.Slice:
		return g.bitsAt(e.X, e.Lo+64*k, n)
	case *ir.Cast:
		if from := e.X.Type(); from.Signed() && w > from.Width {
			break
		}
		return g.bitsAt(e.X, 64*k, n)
	case *ir.Mux:
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(e.Cond), g.limb(e.X, k), g.limb(e.Y, k))
	case *ir.Unary:
		if e.Op == ir.Com {
			return masked("(~"+g.limb(e.X, k)+")", n)
		}
	case *ir.Binary:
		switch e.Op {
		case ir.And, ir.Or, ir.Xor:
			return fmt.Sprintf("(%s %s %s)", g.limb(e.X, k), e.Op, g.limb(e.Y, k))
		case ir.Concat:
			low := e.Y.Type().Width
			switch at := 64*k - low; {
			case at >= 0:
				return g.bitsAt(e.X, at, n)
			case at <= -n:
				return g.limb(e.Y, k)
			default:
				return fmt.Sprintf("(%s | %s << %d)", g.limb(e.Y, k), g.bitsAt(e.X, 0, n+at), -at)
			}
		}
		g.fail(e.Pos, "operator %s on %s (at most 64 bits on XDP)", e.Op, e.X.Type())
		return "0ULL"
	}
	g.fail(exprPos(e), "value of %d bits (at most 64 on XDP)", w)
	return "0ULL"
}

// bitsAt is C for n bits, at most 64, of an expression from bit lo on.
func (g *gress) bitsAt(e ir.Expr, lo, n int) string {
	w := e.Type().Width
	if lo >= w {
		return "0ULL"
	}
	n = min(n, w-lo)
	if r, ok := e.(*ir.Ref); ok && isWide(w) {
		return g.bitsOfVar(r.Var, lo, n)
	}
	k, shift := lo/64, lo%64
	x := g.limb(e, k)
	if shift > 0 {
		x = fmt.Sprintf("(%s >> %d)", x, shift)
	}
	if shift+n > 64 {
		x = fmt.Sprintf("(%s | %s << %d)", x, g.limb(e, k+1), 64-shift)
	}
	if n == limbBits(w, k)-shift { // nothing is above
		return x
	}
	return masked(x, n)
}

// bitsOfVar is C for n bits, at most 64, of a wide variable from bit lo on.
func (g *gress) bitsOfVar(v *ir.Var, lo, n int) string {
	w := v.Type.Width
	if v.Kind == ir.Field && g.inPacket(v.Header) && g.bound[v] == "" {
		return fmt.Sprintf("(%s ? %s : 0ULL)", g.valid(v.Header), g.loadBits(g.where(v.Header), v.Offset+w-lo-n, n, v.Pos))
	}
	k, shift := lo/64, lo%64
	x := g.limbOf(v, k)
	if shift > 0 {
		x = fmt.Sprintf("(%s >> %d)", x, shift)
	}
	if shift+n > 64 {
		x = fmt.Sprintf("(%s | %s << %d)", x, g.limbOf(v, k+1), 64-shift)
	}
	if n == limbBits(w, k)-shift {
		return x
	}
	return masked(x, n)
}

// limbOf is limb k of a wide variable that is not in the packet.
func (g *gress) limbOf(v *ir.Var, k int) string {
	if v.Kind == ir.Param {
		return fmt.Sprintf("%s_%d", g.local[v], k)
	}
	return fmt.Sprintf("%s[%d]", g.lvalue(v), k)
}

// loadBits reads n bits, at most 64, at a bit offset from the byte pointer p; they may lie in nine bytes.
func (g *gress) loadBits(p string, bit, n int, pos ir.Pos) string {
	if low := (bit + n) % 8; (bit+n-1)/8-bit/8 == 8 {
		return fmt.Sprintf("(%s << %d | %s)", g.load(p, bit, n-low, pos), low, g.load(p, bit+n-low, low, pos))
	}
	return "(u64)" + g.load(p, bit, n, pos)
}

// storeBits writes n bits, at most 64, of the C variable v at a bit offset from the byte pointer p.
func (g *gress) storeBits(p string, bit, n int, pos ir.Pos) {
	if low := (bit + n) % 8; (bit+n-1)/8-bit/8 == 8 {
		g.out.line("{ u64 all = v; { u64 v = all >> %d; %s; } { u64 v = all & %s; %s; } }", low, g.store(p, bit, n-low, pos), maskOf(low), g.store(p, bit+n-low, low, pos))
		return
	}
	g.out.line("%s;", g.store(p, bit, n, pos))
}

// setWide assigns an expression to a wide variable. The expression may read the variable.
func (g *gress) setWide(v *ir.Var, src ir.Expr, pos ir.Pos) {
	o := g.out
	o.open("{%s", at(pos))
	for k := range limbs(v.Type.Width) {
		o.line("u64 limb%d = %s;", k, g.limb(src, k))
	}
	g.storeWide(v, func(k int) string { return fmt.Sprintf("limb%d", k) })
	o.close("}")
}

// storeWide gives a wide variable its limbs. What is written to a header that is invalid is as with set.
func (g *gress) storeWide(v *ir.Var, limb func(k int) string) {
	o := g.out
	asks := v.Kind == ir.Field && (g.inPacket(v.Header) || !v.Header.Kept)
	if asks {
		o.open("if %s {", g.valid(v.Header))
	}
	g.fillWide(v, limb)
	if asks {
		o.close("}")
	}
}

// fillWide is storeWide whether a header is valid or not.
func (g *gress) fillWide(v *ir.Var, limb func(k int) string) {
	o, w := g.out, v.Type.Width
	if v.Kind == ir.Field && g.inMeta(v.Header) {
		g.fail(v.Pos, "bridged header %s: field %s of %d bits (at most 64 on XDP)", v.Header.Name, v.Name, w)
		return
	}
	for k := range limbs(w) {
		if v.Kind == ir.Field && g.inPacket(v.Header) {
			n := limbBits(w, k)
			o.open("{")
			o.line("u64 v = %s;", limb(k))
			g.storeBits(g.where(v.Header), v.Offset+w-64*k-n, n, v.Pos)
			o.close("}")
			continue
		}
		o.line("%s = %s;", g.limbOf(v, k), limb(k))
	}
}

// wideCompare compares wide numbers without a sign.
func (g *gress) wideCompare(e *ir.Binary) string {
	n := limbs(e.X.Type().Width)
	if e.X.Type().Signed() {
		g.fail(e.Pos, "operator %s on %s (at most 64 bits on XDP)", e.Op, e.X.Type())
		return "0"
	}
	out := ""
	for k := range n {
		x, y := g.limb(e.X, k), g.limb(e.Y, k)
		switch {
		case e.Op == ir.Eq && k > 0:
			out = fmt.Sprintf("%s && %s == %s", out, x, y)
		case e.Op == ir.Ne && k > 0:
			out = fmt.Sprintf("%s || %s != %s", out, x, y)
		case k == 0:
			out = fmt.Sprintf("%s %s %s", x, e.Op, y)
		default: // the limbs below decide if these are equal
			strict := ir.Lt
			if e.Op == ir.Gt || e.Op == ir.Ge {
				strict = ir.Gt
			}
			out = fmt.Sprintf("%s %s %s || (%s == %s && (%s))", x, strict, y, x, y, out)
		}
	}
	return "(" + out + ")"
}

// narrowed are expressions with the wide ones cut into pieces of at most n bits, the most significant first.
func narrowed(list []ir.Expr, n int) (out []ir.Expr) {
	for _, e := range list {
		w := e.Type().Width
		if !isWide(w) {
			out = append(out, e)
			continue
		}
		for hi := w - 1; hi >= 0; {
			lo := hi / n * n
			out = append(out, &ir.Slice{X: e, Hi: hi, Lo: lo})
			hi = lo - 1
		}
	}
	return out
}

// coversWide is the condition under which a wide number is in a set; "" is always.
func (g *gress) coversWide(x ir.Expr, ks ir.KeySet, pos ir.Pos) string {
	t := x.Type()
	compare := func(op ir.Op, x ir.Expr, v *big.Int) string {
		return g.wideCompare(&ir.Binary{Op: op, T: ir.BoolType, X: x, Y: &ir.Const{T: t, Value: v}, Pos: pos})
	}
	switch {
	case ks.Any:
		return ""
	case ks.Range:
		return compare(ir.Ge, x, ks.Value) + " && " + compare(ir.Le, x, ks.Mask)
	case ks.Mask != nil && ks.Mask.Cmp(ones(t.Width)) != 0:
		x = &ir.Binary{Op: ir.And, T: t, X: x, Y: &ir.Const{T: t, Value: ks.Mask}, Pos: pos}
		return compare(ir.Eq, x, new(big.Int).And(ks.Value, ks.Mask))
	}
	return compare(ir.Eq, x, ks.Value)
}
