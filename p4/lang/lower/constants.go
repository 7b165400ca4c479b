package lower

import (
	"math/big"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// constants notes the constants and enums of the program, in the order in which they
// are declared, without those of the built-in files.
func (l *lowerer) constants(prog *syntax.Program) {
	for _, d := range prog.Decls {
		if strings.HasPrefix(d.Pos().Filename(), "<") { // a built-in file
			continue
		}
		switch d := d.(type) {
		case *syntax.Const:
			if c, ok := l.info.Defs[d].(*types.Const); ok {
				l.constant(c.Name, typeName(d.Type), false, c.Type, c.Value, d.Name.At)
			}
		case *syntax.EnumDecl:
			t, ok := l.info.Defs[d].(*types.TypeName)
			if !ok {
				continue
			}
			if e, ok := t.Type.(*types.Enum); ok {
				for i, v := range e.Values {
					l.constant(v.Name, e.Name, true, e, v, d.Members[i].Name.At)
				}
			}
		}
	}
}

// typeName is the name of a typedef, type or enum, "" for bit<W> and the like.
func typeName(t syntax.TypeNode) string {
	if n, named := t.(*syntax.NamedType); named {
		return n.Name
	}
	return ""
}

// constant notes one; structures and strings are not scalars and are left out.
func (l *lowerer) constant(name, typeName string, enum bool, t types.Type, v types.Value, at diag.Pos) {
	n, ok := types.IntOf(v)
	if !ok {
		return
	}
	c := ir.Constant{Name: name, TypeName: typeName, Enum: enum, Value: n, Pos: pos(at)}
	if t != types.Int {
		scalar, ok := types.Scalar(t)
		if !ok {
			return
		}
		switch s := scalar.(type) {
		case *types.Bits:
			c.Type = ir.BitType(s.Width)
			if s.Signed {
				c.Type.Kind = ir.Int
			}
		default:
			c.Type = ir.BoolType
		}
	}
	l.prog.Constants = append(l.prog.Constants, c)
}

// constantName is the name of the program's constant that an expression is, "" if it is something else.
func (l *lowerer) constantName(e syntax.Expr, v *big.Int) string {
	n, ok := e.(*syntax.NameExpr)
	if !ok {
		return ""
	}
	for i := range l.prog.Constants {
		if c := &l.prog.Constants[i]; c.Name == n.Name && !c.Enum && c.Value.Cmp(v) == 0 {
			return c.Name
		}
	}
	return ""
}
