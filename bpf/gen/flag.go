package gen

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A statement that turns a condition into a bit,
//
//	if (condition) { bit = 1; } else { bit = 0; }
//
// is written without a branch where the condition is made of comparisons with
// zero and of equalities: eight such bits, each known to the verifier on the path
// that it has taken, would be 256 paths through everything behind them.

// flagged recognises such a statement: the variable, and the condition under which
// it is 1.
func (g *gress) flagged(s *ir.If) (v *ir.Var, value string, ok bool) {
	if len(s.Then) != 1 || len(s.Else) != 1 {
		return nil, "", false
	}
	a, ok1 := s.Then[0].(*ir.Assign)
	b, ok2 := s.Else[0].(*ir.Assign)
	if !ok1 || !ok2 || a.Slice || b.Slice || a.Dst != b.Dst || a.Dst.Type.Width != 1 || a.Dst.Kind == ir.Field {
		return nil, "", false
	}
	x, ok1 := a.Src.(*ir.Const)
	y, ok2 := b.Src.(*ir.Const)
	if !ok1 || !ok2 || x.Value.Cmp(y.Value) == 0 {
		return nil, "", false
	}
	if value, ok = g.flag(s.Cond); !ok {
		return nil, "", false
	}
	if x.Value.Sign() == 0 {
		value = "(" + value + " ^ 1)"
	}
	return a.Dst, value, true
}

// flag is C for a condition as 1 or 0, without a branch.
func (g *gress) flag(e ir.Expr) (string, bool) {
	if u, ok := e.(*ir.Unary); ok && u.Op == ir.Not {
		x, ok := g.flag(u.X)
		return "(" + x + " ^ 1)", ok
	}
	b, ok := e.(*ir.Binary)
	if !ok {
		return "", false
	}
	switch b.Op {
	case ir.LAnd, ir.LOr:
		x, okX := g.flag(b.X)
		y, okY := g.flag(b.Y)
		return fmt.Sprintf("(%s %s %s)", x, b.Op.String()[:1], y), okX && okY
	case ir.Eq, ir.Ne:
		if b.X.Type().Width > 32 {
			return "", false
		}
		x := g.expr(b.X)
		if c, isConst := b.Y.(*ir.Const); !isConst || c.Value.Sign() != 0 {
			x += " ^ " + g.expr(b.Y)
		}
		if b.Op == ir.Eq {
			return "is_zero(" + x + ")", true
		}
		return "(is_zero(" + x + ") ^ 1)", true
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		c, isConst := b.Y.(*ir.Const)
		if t := b.X.Type(); !isConst || c.Value.Sign() != 0 || !t.Signed() || t.Width != 32 {
			return "", false
		}
		x := g.expr(b.X)
		less, lessOrEqual := "is_negative("+x+")", fmt.Sprintf("(is_negative(%s) | is_zero(%s))", x, x)
		switch b.Op {
		case ir.Lt:
			return less, true
		case ir.Ge:
			return "(" + less + " ^ 1)", true
		case ir.Le:
			return lessOrEqual, true
		}
		return "(" + lessOrEqual + " ^ 1)", true
	}
	return "", false
}
