package gen

import (
	"math/big"
	"slices"
	"testing"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestBitTests: only what cannot change the variable may be put behind one test
// of several of its bits.
func TestBitTests(t *testing.T) {
	bits := func(n int) ir.Type { return ir.Type{Kind: ir.Bit, Width: n} }
	mask := &ir.Var{Kind: ir.Meta, Name: "md.mask", Type: bits(8)}
	other := &ir.Var{Kind: ir.Meta, Name: "md.other", Type: bits(8)}
	test := func(v *ir.Var, bit int, then ...ir.Stmt) *ir.If {
		return &ir.If{
			Cond: &ir.Binary{
				Op: ir.Eq, T: ir.Type{Kind: ir.Bool},
				X: &ir.Slice{X: &ir.Ref{Var: v}, Hi: bit, Lo: bit},
				Y: &ir.Const{Value: big.NewInt(1), T: bits(1)},
			},
			Then: then,
		}
	}
	set := func(v *ir.Var) ir.Stmt { return &ir.Assign{Dst: v, Src: &ir.Const{Value: big.NewInt(0), T: bits(8)}} }
	elsewhere := test(mask, 2)
	elsewhere.Else = []ir.Stmt{set(other)}
	zero := test(mask, 2)
	zero.Cond.(*ir.Binary).Y = &ir.Const{Value: big.NewInt(0), T: bits(1)}
	for _, c := range []struct {
		name string
		list []ir.Stmt
		want []int
	}{
		{"all", []ir.Stmt{test(mask, 0, set(other)), test(mask, 1), test(mask, 7)}, []int{0, 1, 7}},
		{"another variable", []ir.Stmt{test(mask, 0), test(other, 1)}, []int{0}},
		{"changed", []ir.Stmt{test(mask, 0), test(mask, 1, set(mask)), test(mask, 2)}, []int{0}},
		{"else", []ir.Stmt{test(mask, 0), test(mask, 1), elsewhere}, []int{0, 1}},
		{"not set", []ir.Stmt{test(mask, 0), zero}, []int{0}},
		{"no test", []ir.Stmt{set(other), test(mask, 0)}, nil},
	} {
		if _, got := bitTests(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%s: bits %v, want %v", c.name, got, c.want)
		}
	}
}
