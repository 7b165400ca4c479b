package lower

import (
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// intrinsic is the place of a field of intrinsic metadata that means the same on all targets: it is constant, or nothing looks at
// it. nil: it is the target's.
func (g *gress) intrinsic(t types.Type, it ir.Type, name string, at diag.Pos) *store {
	field := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case ir.IntrZero[name] != "" || strings.HasPrefix(field, "_pad"):
		return &store{typ: t, expr: constInt(it, 0)}
	case ir.IntrIgnored[name] != "":
		// The program may read what it has written.
		return &store{typ: t, v: &ir.Var{Name: name, Type: it, Kind: ir.Meta, Pos: pos(at)}}
	}
	return nil
}
