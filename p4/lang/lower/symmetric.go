package lower

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// symmetric are the pairs of @symmetric("a", "b") in front of a Hash: the value stays the same when a and b change places.
func (g *gress) symmetric(as syntax.Annotations) (pairs [][2]string) {
	for _, a := range as {
		if a.Name != "symmetric" {
			continue
		}
		t := a.Tokens
		if len(t) != 3 || t[0].Kind != syntax.String || t[1].Kind != syntax.Comma || t[2].Kind != syntax.String {
			g.errorf(a.Pos(), diag.Annotation, "@symmetric needs the names of two inputs")
			continue
		}
		pairs = append(pairs, [2]string{t[0].Text, t[2].Text})
	}
	return pairs
}

// makeSymmetric changes the inputs of a hash so that those of a pair may change places: as on the chip, which has the hash's
// matrix treat bit n of both alike, their exclusive or stands for the first, and nothing for the second.
func (b *body) makeSymmetric(m *methodCall, ins []ir.Expr) {
	if len(m.x.symmetric) == 0 {
		return
	}
	l, ok := m.Args[0].(*syntax.List)
	if !ok || len(l.Elems) != len(ins) {
		b.g.errorf(m.e.Pos(), diag.Annotation, "@symmetric: the inputs of %s must be a list of numbers: {a, b}", m.x.name)
		return
	}
	b.symmetricInputs(m.x, l.Elems, ins, m.e.Pos())
}

// symmetricInputs is makeSymmetric for inputs that stand in the program as these expressions.
func (b *body) symmetricInputs(x *extern, text []syntax.Expr, ins []ir.Expr, from diag.Pos) {
	at := map[string]int{}
	for i, e := range text {
		if name, ok := keyName(e); ok {
			at[name] = i
		}
	}
	for _, p := range x.symmetric {
		i, ok1 := at[p[0]]
		j, ok2 := at[p[1]]
		switch {
		case !ok1 && !ok2:
			// The hash is asked of other fields here.
		case !ok1 || !ok2:
			b.g.errorf(from, diag.Annotation, "@symmetric: only one of %q and %q is an input", p[0], p[1])
		case ins[i].Type() != ins[j].Type():
			b.g.errorf(from, diag.Annotation, "@symmetric: %q is %s, and %q is %s", p[0], ins[i].Type(), p[1], ins[j].Type())
		default:
			t := ins[i].Type()
			ins[i] = &ir.Binary{Op: ir.Xor, T: t, X: ins[i], Y: ins[j], Pos: pos(from)}
			ins[j] = constInt(t, 0)
		}
	}
}
