package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

func (g *gress) actionName(a *ir.Action) string { return g.function(a, "", g.d.actions[a]) }

func lastPart(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// actionFuncs writes a function per action.
func (g *gress) actionFuncs() {
	o := g.out
	for _, a := range g.actions {
		params, names := "", newScope()
		for _, p := range a.Params {
			g.local[p] = names.name("p_", p.Name)
			if isWide(p.Type.Width) {
				for k := range limbs(p.Type.Width) {
					params += fmt.Sprintf(", u64 %s", g.limbOf(p, k))
				}
				continue
			}
			params += fmt.Sprintf(", %s %s", cType(p.Type.Width), g.local[p])
		}
		o.line("/* action %s%s */", a.Name, posText(a.Pos))
		o.open("INLINE void %s(struct %s *s%s)\n{", g.actionName(a), g.Gress.Name, params)
		g.aside(a.Body)
		g.inFunction = true
		g.stmts(a.Body)
		g.inFunction = false
		o.close("}")
		o.line("")
	}
}

func posText(p ir.Pos) string {
	if p.Line == 0 {
		return ""
	}
	return ", " + strings.TrimSuffix(strings.TrimPrefix(at(p), " /* "), " */")
}

// runAction calls an action of a table, in its phase where there are phases.
func (g *gress) runAction(t *ir.Table, a *ir.Action, args string) {
	call := fmt.Sprintf("%s(s%s);", g.actionName(a), args)
	if !g.phased[t] {
		g.out.line("%s", call)
		return
	}
	g.out.line("if (phase & %s)", phaseName(a))
	g.out.line("\t%s", call)
}

// phaseName is the phase of an action in an @updates_first block: an action that
// may change a register comes first, unless it is annotated @after_updates, which
// says that its change does not matter to the others.
func phaseName(a *ir.Action) string {
	if actionUpdates(a) && !afterUpdates(a) {
		return "P4_UPDATES"
	}
	return "P4_QUERIES"
}

func afterUpdates(a *ir.Action) bool {
	return slices.ContainsFunc(a.Annotations, func(x ir.Annotation) bool { return x.Name == "after_updates" })
}

// runCall runs an action with constant arguments and returns from the table.
func (g *gress) runCall(t *ir.Table, c ir.ActionCall, hit string) {
	o := g.out
	args := ""
	for i, v := range c.Args {
		t := c.Action.Params[i].Type
		if isWide(t.Width) {
			for k := range limbs(t.Width) {
				args += ", " + g.limb(&ir.Const{T: t, Value: v}, k)
			}
			continue
		}
		args += ", " + literal(v, t.Width)
	}
	g.runAction(t, c.Action, args)
	o.line("return %s%s;", hit, g.d.tables[t].actionConst(c.Action))
}

// actionConst is the number of an action in C; 0 for one that is no entry's.
func (t *Table) actionConst(a *ir.Action) string {
	if n := t.ActionNumber(a); n >= 0 {
		return t.Actions[n].Const
	}
	return "0"
}
