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

// TestAssignedNext: a field is left as it is by setValid only when it is assigned in
// any case before anything reads the header.
func TestAssignedNext(t *testing.T) {
	byte8 := ir.Type{Kind: ir.Bit, Width: 8}
	h := &ir.HeaderInst{Name: "hdr.h"}
	for _, name := range []string{"hdr.h.a", "hdr.h.b", "hdr.h.c"} {
		h.Fields = append(h.Fields, &ir.Var{Kind: ir.Field, Name: name, Type: byte8, Header: h})
	}
	a, b, c := h.Fields[0], h.Fields[1], h.Fields[2]
	other := &ir.Var{Kind: ir.Meta, Name: "md.other", Type: byte8}
	set := func(dst, src *ir.Var) *ir.Assign { return &ir.Assign{Dst: dst, Src: &ir.Ref{Var: src}} }
	part := set(b, other)
	part.Slice, part.Hi, part.Lo = true, 3, 0
	for _, x := range []struct {
		name string
		list []ir.Stmt
		want []*ir.Var
	}{
		{"all", []ir.Stmt{set(a, other), set(b, other), set(c, other)}, []*ir.Var{a, b, c}},
		{"something else between", []ir.Stmt{set(a, other), set(other, other), set(b, other)}, []*ir.Var{a, b}},
		{"the header is read", []ir.Stmt{set(a, other), set(other, b), set(b, other)}, []*ir.Var{a}},
		{"a part only", []ir.Stmt{set(a, other), part, set(c, other)}, []*ir.Var{a}},
		{"under a condition", []ir.Stmt{&ir.If{Then: []ir.Stmt{set(a, other)}}, set(b, other)}, nil},
	} {
		if got := assignedNext(h, x.list); !slices.Equal(got, x.want) {
			t.Errorf("%s: %d fields, want %d", x.name, len(got), len(x.want))
		}
	}
}

// TestDependent: what is written twice are assignments that read what the tests set.
func TestDependent(t *testing.T) {
	byte8 := ir.Type{Kind: ir.Bit, Width: 8}
	x := &ir.Var{Kind: ir.Meta, Name: "md.x", Type: byte8}
	y := &ir.Var{Kind: ir.Meta, Name: "md.y", Type: byte8}
	set := func(dst, src *ir.Var) ir.Stmt { return &ir.Assign{Dst: dst, Src: &ir.Ref{Var: src}} }
	var many []ir.Stmt
	for range maxDependent + 1 {
		many = append(many, set(y, x))
	}
	for _, c := range []struct {
		name  string
		phase int
		list  []ir.Stmt
		want  int
	}{
		{"read", phaseAll, []ir.Stmt{set(y, y), set(y, x), &ir.If{}}, 2},
		{"not read", phaseAll, []ir.Stmt{set(x, y), set(y, y)}, 0},
		{"no assignment", phaseAll, []ir.Stmt{&ir.If{}, set(y, x)}, 0},
		{"many", phaseAll, many, maxDependent},
		{"in a phase", phaseQueries, []ir.Stmt{set(y, x)}, 0},
	} {
		g := &gress{phase: c.phase}
		if got := g.dependent(c.list, []*ir.Var{x}); len(got) != c.want {
			t.Errorf("%s: %d assignments, want %d", c.name, len(got), c.want)
		}
	}
}
