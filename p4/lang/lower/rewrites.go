package lower

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// warnRewrites warns of fields of metadata that two states of one way through a parser
// assign to: the public compiler refuses that for the chip, whose parser writes a field once.
// A field that is cleared first is not meant: it is zero anyway.
func (g *gress) warnRewrites(p *ir.Parser) {
	type write struct {
		v  *ir.Var
		at ir.Pos
	}
	writes := map[*ir.State][]write{}
	for _, s := range p.States {
		ir.Walk(s.Body, func(st ir.Stmt) bool {
			if a, ok := st.(*ir.Assign); ok {
				if c, ok := a.Src.(*ir.Const); ok && c.Value.Sign() == 0 {
					return true
				}
			}
			ir.Writes(st, func(v *ir.Var) {
				if v.Kind == ir.Meta {
					writes[s] = append(writes[s], write{v, st.At()})
				}
			})
			return true
		})
	}
	warned := map[ir.Pos]bool{}
	for _, first := range p.States {
		for _, w := range writes[first] {
			seen := map[*ir.State]bool{first: true}
			for next := successors(first); len(next) > 0; {
				s := next[len(next)-1]
				if next = next[:len(next)-1]; seen[s] {
					continue
				}
				seen[s] = true
				next = append(next, successors(s)...)
				for _, again := range writes[s] {
					if again.v != w.v || warned[again.at] {
						continue
					}
					warned[again.at] = true
					at := diag.Pos{File: diag.NewFile(again.at.File, ""), Line: int32(again.at.Line), Col: int32(again.at.Col)}
					text := fmt.Sprintf("%s is assigned in state %s already: the chip's parser writes a field once, and the public compiler refuses this", w.v.Name, first.Name)
					g.diags.Warnf(at, diag.Chip, "%s", text)
					g.prog.Refused.Add(ir.Error{Pos: again.at, Code: "P4603", Text: text})
				}
			}
		}
	}
}
