package lower

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// recirculates reports whether a port number leads back into the pipeline on the chip:
// ports 68 to 71 of each of its four pipes of 128. Here they are ports as any other.
func recirculates(port *big.Int) bool {
	n := port.Int64() % 128
	return port.IsInt64() && port.Int64() < 512 && n >= 68 && n <= 71
}

func (l *lowerer) warnRecirculates(port *big.Int, at diag.Pos) {
	l.diags.Warnf(at, diag.Chip, "port %s: the chip's recirculation port; here it is a port as any other, and what is sent there leaves", port)
}

// warnPort warns of a constant port that recirculates on the chip.
func (l *lowerer) warnPort(dst *ir.Var, x ir.Expr, at diag.Pos) {
	c, ok := x.(*ir.Const)
	if ok && dst.Name == ir.IntrUcastPort && recirculates(c.Value) {
		l.warnRecirculates(c.Value, at)
	}
}

// warnEntries does so for the entries and default actions of the program.
func (l *lowerer) warnEntries() {
	check := func(c ir.ActionCall, at ir.Pos) {
		if c.Action == nil {
			return
		}
		for i, p := range c.Action.Params {
			to := ir.Any(c.Action.Body, func(s ir.Stmt) bool {
				a, ok := s.(*ir.Assign)
				if !ok || a.Dst.Name != ir.IntrUcastPort {
					return false
				}
				r, ok := a.Src.(*ir.Ref)
				return ok && r.Var == p
			})
			if to && i < len(c.Args) && recirculates(c.Args[i]) {
				l.warnRecirculates(c.Args[i], diag.Pos{File: diag.NewFile(at.File, ""), Line: int32(at.Line), Col: int32(at.Col)})
			}
		}
	}
	for _, t := range l.prog.Tables {
		check(t.Default, t.Pos)
		for _, e := range t.Entries {
			check(e.Action, e.Pos)
		}
	}
}
