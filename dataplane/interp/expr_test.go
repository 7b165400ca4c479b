package interp

import (
	"bytes"
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// testCompiler returns a compiler for a gress without anything in it.
func testCompiler() *compiler {
	prog := program(newGress("ingress"), newGress("egress"))
	p, err := compile(prog, 1, nil, nil, nil)
	if err != nil {
		panic(err)
	}
	return &compiler{
		p: p, g: p.ingress, slots: map[*ir.Var]slot{}, acts: map[*ir.Action]*action{},
		sums: map[*ir.Checksum]int{}, states: map[*ir.State]*state{},
	}
}

// reference evaluates an expression over mathematical integers, as the P4_16
// specification words it.
func reference(e ir.Expr) *big.Int {
	w := e.Type().Width
	wrap := func(v *big.Int) *big.Int {
		return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	switch e := e.(type) {
	case *ir.Const:
		return e.Value
	case *ir.Unary:
		x := reference(e.X)
		switch e.Op {
		case ir.Neg:
			return wrap(new(big.Int).Neg(x))
		case ir.Com:
			return wrap(new(big.Int).Not(x))
		default:
			return big.NewInt(1 - x.Int64())
		}
	case *ir.Cast:
		return wrap(number(e.X))
	case *ir.Slice:
		return wrap(new(big.Int).Rsh(reference(e.X), uint(e.Lo)))
	case *ir.Mux:
		if reference(e.Cond).Sign() != 0 {
			return reference(e.X)
		}
		return reference(e.Y)
	case *ir.Binary:
		x, y := number(e.X), number(e.Y)
		truth := func(b bool) *big.Int { return new(big.Int).SetUint64(b2u(b)) }
		lo, hi := big.NewInt(0), wideMask(w)
		if e.T.Signed() {
			hi = wideMask(w - 1)
			lo = new(big.Int).Sub(new(big.Int).Neg(hi), big.NewInt(1))
		}
		clamp := func(v *big.Int) *big.Int {
			if v.Cmp(lo) < 0 {
				v = lo
			}
			if v.Cmp(hi) > 0 {
				v = hi
			}
			return wrap(v)
		}
		switch e.Op {
		case ir.Add:
			return wrap(new(big.Int).Add(x, y))
		case ir.Sub:
			return wrap(new(big.Int).Sub(x, y))
		case ir.Mul:
			return wrap(new(big.Int).Mul(x, y))
		case ir.AddSat:
			return clamp(new(big.Int).Add(x, y))
		case ir.SubSat:
			return clamp(new(big.Int).Sub(x, y))
		case ir.Div:
			if y.Sign() == 0 {
				return new(big.Int)
			}
			return new(big.Int).Div(x, y)
		case ir.Mod:
			if y.Sign() == 0 {
				return new(big.Int)
			}
			return new(big.Int).Mod(x, y)
		case ir.Shl:
			if y.Cmp(big.NewInt(1000)) > 0 {
				return new(big.Int)
			}
			return wrap(new(big.Int).Lsh(x, uint(y.Uint64())))
		case ir.Shr:
			if y.Cmp(big.NewInt(1000)) > 0 {
				y = big.NewInt(1000)
			}
			return wrap(new(big.Int).Rsh(x, uint(y.Uint64()))) // floor division: arithmetic for negative x
		case ir.And:
			return wrap(new(big.Int).And(x, y))
		case ir.Or:
			return wrap(new(big.Int).Or(x, y))
		case ir.Xor:
			return wrap(new(big.Int).Xor(x, y))
		case ir.Concat:
			v := new(big.Int).Lsh(reference(e.X), uint(e.Y.Type().Width))
			return v.Or(v, reference(e.Y))
		case ir.Eq:
			return truth(x.Cmp(y) == 0)
		case ir.Ne:
			return truth(x.Cmp(y) != 0)
		case ir.Lt:
			return truth(x.Cmp(y) < 0)
		case ir.Le:
			return truth(x.Cmp(y) <= 0)
		case ir.Gt:
			return truth(x.Cmp(y) > 0)
		case ir.Ge:
			return truth(x.Cmp(y) >= 0)
		case ir.LAnd:
			return truth(x.Sign() != 0 && y.Sign() != 0)
		case ir.LOr:
			return truth(x.Sign() != 0 || y.Sign() != 0)
		}
	}
	panic(fmt.Sprintf("%T", e))
}

// number is the value of an expression as a mathematical integer.
func number(e ir.Expr) *big.Int {
	v := reference(e)
	if t := e.Type(); t.Signed() && v.Bit(t.Width-1) == 1 {
		return new(big.Int).Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Width)))
	}
	return v
}

func genConst(t *rapid.T, typ ir.Type) ir.Expr {
	v := new(big.Int)
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0: // small
		v.SetInt64(rapid.Int64Range(0, 3).Draw(t, "small"))
	case 1: // near the top
		v.Sub(wideMask(typ.Width), big.NewInt(rapid.Int64Range(0, 3).Draw(t, "below")))
	case 2: // near the sign
		v.Add(wideMask(typ.Width-1), big.NewInt(rapid.Int64Range(0, 2).Draw(t, "sign")))
	default:
		v.SetBytes(rapid.SliceOfN(rapid.Byte(), typ.Bytes(), typ.Bytes()).Draw(t, "bytes"))
	}
	return &ir.Const{T: typ, Value: v.And(v.Abs(v), wideMask(typ.Width))}
}

func genExpr(t *rapid.T, typ ir.Type, depth int) ir.Expr {
	if depth == 0 {
		return genConst(t, typ)
	}
	sub := func(typ ir.Type) ir.Expr { return genExpr(t, typ, depth-1) }
	anyType := func() ir.Type {
		return ir.Type{Kind: ir.Kind(rapid.IntRange(0, 1).Draw(t, "kind")), Width: rapid.SampledFrom([]int{1, 7, 8, 31, 32, 33, 63, 64, 65, 100, 128}).Draw(t, "width")}
	}
	if typ == ir.BoolType {
		switch rapid.IntRange(0, 2).Draw(t, "bool") {
		case 0:
			o := anyType()
			op := rapid.SampledFrom([]ir.Op{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge}).Draw(t, "cmp")
			return &ir.Binary{Op: op, T: typ, X: sub(o), Y: sub(o)}
		case 1:
			return &ir.Unary{Op: ir.Not, X: sub(typ)}
		}
		op := rapid.SampledFrom([]ir.Op{ir.LAnd, ir.LOr}).Draw(t, "logic")
		return &ir.Binary{Op: op, T: typ, X: sub(typ), Y: sub(typ)}
	}
	switch rapid.IntRange(0, 6).Draw(t, "expr") {
	case 0:
		return &ir.Unary{Op: rapid.SampledFrom([]ir.Op{ir.Neg, ir.Com}).Draw(t, "unary"), X: sub(typ)}
	case 1:
		return &ir.Cast{T: typ, X: sub(anyType())}
	case 2:
		return &ir.Mux{Cond: sub(ir.BoolType), X: sub(typ), Y: sub(typ)}
	case 3:
		op := rapid.SampledFrom([]ir.Op{ir.Shl, ir.Shr}).Draw(t, "shift")
		return &ir.Binary{Op: op, T: typ, X: sub(typ), Y: sub(ir.BitType(rapid.SampledFrom([]int{4, 8, 70}).Draw(t, "count")))}
	case 4:
		if typ.Kind == ir.Bit {
			if typ.Width > 1 && rapid.Bool().Draw(t, "concat") {
				low := rapid.IntRange(1, typ.Width-1).Draw(t, "low")
				return &ir.Binary{Op: ir.Concat, T: typ, X: sub(ir.BitType(typ.Width - low)), Y: sub(ir.BitType(low))}
			}
			lo := rapid.IntRange(0, 40).Draw(t, "lo")
			return &ir.Slice{X: sub(ir.BitType(typ.Width + lo + 3)), Hi: lo + typ.Width - 1, Lo: lo}
		}
	}
	ops := []ir.Op{ir.Add, ir.Sub, ir.AddSat, ir.SubSat, ir.Mul, ir.And, ir.Or, ir.Xor}
	if typ.Kind == ir.Bit {
		ops = append(ops, ir.Div, ir.Mod)
	}
	return &ir.Binary{Op: rapid.SampledFrom(ops).Draw(t, "op"), T: typ, X: sub(typ), Y: sub(typ)}
}

// TestExpressionsMatchReference evaluates random expressions of every width
// and sign both ways.
func TestExpressionsMatchReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]ir.Type{
			ir.BoolType, ir.BitType(1), ir.BitType(8), ir.BitType(33), ir.BitType(64), ir.BitType(65), ir.BitType(128),
			{Kind: ir.Int, Width: 8}, {Kind: ir.Int, Width: 32}, {Kind: ir.Int, Width: 64}, {Kind: ir.Int, Width: 100},
		}).Draw(t, "type")
		e := genExpr(t, typ, rapid.IntRange(1, 4).Draw(t, "depth"))
		c := testCompiler()
		x := c.wide(e)
		got, want := x(&c.g.f), reference(e)
		if got.Cmp(want) != 0 {
			t.Fatalf("%s: got %#x, want %#x", typ, got, want)
		}
	})
}

func TestBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "bytes")
		off, width := rapid.IntRange(0, 100).Draw(t, "off"), rapid.IntRange(1, 90).Draw(t, "width")
		all := new(big.Int).SetBytes(b)
		want := new(big.Int).And(new(big.Int).Rsh(all, uint(24*8-off-width)), wideMask(width))
		if got := getWide(b, off, width); got.Cmp(want) != 0 {
			t.Fatalf("getWide %#x, want %#x", got, want)
		}
		if width <= 64 && getBits(b, off, width) != want.Uint64() {
			t.Fatalf("getBits %#x, want %#x", getBits(b, off, width), want)
		}
		// Writing the same value changes nothing; writing another one changes
		// these bits only.
		same := append([]byte(nil), b...)
		putWide(same, off, width, want)
		if new(big.Int).SetBytes(same).Cmp(all) != 0 {
			t.Fatal("putWide of the value that was there changed something")
		}
		inverted := new(big.Int).Xor(want, wideMask(width))
		putWide(same, off, width, inverted)
		diff := new(big.Int).Xor(new(big.Int).SetBytes(same), all)
		if diff.Cmp(new(big.Int).Lsh(wideMask(width), uint(24*8-off-width))) != 0 {
			t.Fatalf("putWide changed %#x", diff)
		}
	})
}

// TestCRC checks the published check values (CRC of "123456789").
func TestCRC(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    crcParams
		want uint64
	}{
		{"CRC-32", crcParams{32, 0x04c11db7, 0xffffffff, 0xffffffff, true}, 0xcbf43926},
		{"CRC-32/BZIP2", crcParams{32, 0x04c11db7, 0xffffffff, 0xffffffff, false}, 0xfc891918},
		{"CRC-16/ARC", crcParams{16, 0x8005, 0, 0, true}, 0xbb3d},
		{"CRC-16/CCITT-FALSE", crcParams{16, 0x1021, 0xffff, 0, false}, 0x29b1},
		{"CRC-8", crcParams{8, 0x07, 0, 0, false}, 0xf4},
		{"CRC-64/XZ", crcParams{64, 0x42f0e1eba9ea3693, ^uint64(0), ^uint64(0), true}, 0x995dc9bbdf1939fa},
	} {
		require.Equal(t, tt.want, tt.p.sum([]byte("123456789")), tt.name)
	}
}

// Whole bytes are the same numbers as bits, and what a string of bits is padded with is zero, whatever it held before.
func TestBytes(t *testing.T) {
	b := unhex("0123456789abcdef")
	for n := 1; n <= 8; n++ {
		want := new(big.Int).SetBytes(b[:n]).Uint64()
		require.Equal(t, want, getBytes(b, n))
		into := bytes.Repeat([]byte{0xff}, 9)
		putBytes(into, n, want)
		require.Equal(t, append(bytes.Clone(b[:n]), bytes.Repeat([]byte{0xff}, 9-n)...), into)
	}
	var s bitString
	s.narrow(64, ^uint64(0))
	s.reset()
	s.narrow(4, 0xa)
	s.padTo(16)
	s.grow(48)
	require.Equal(t, unhex("a000000000000000"), s.buf)
}
