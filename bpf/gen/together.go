package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Tables with constant entries that are applied one after the other and have the same keys
// with the same entries, but other actions, are one question: it is asked once.

// findTogether finds runs of such tables in the control.
func (g *gress) findTogether() {
	g.together = map[*ir.Apply][]*ir.Table{}
	g.joined = map[*ir.Table]bool{}
	applied := map[*ir.Table]int{}
	var lists func(list []ir.Stmt, phases bool)
	lists = func(list []ir.Stmt, phases bool) {
		for i := 0; i < len(list); i++ {
			switch s := list[i].(type) {
			case *ir.Apply:
				run := sameQuestion(list[i:])
				if phases || len(run) < 2 {
					applied[s.Table]++
					for _, c := range s.Cases {
						lists(c.Body, phases)
					}
					lists(s.Default, phases)
					continue
				}
				g.together[s] = run
				for _, t := range run {
					g.joined[t] = true
				}
				i += len(run) - 1
			case *ir.If:
				lists(s.Then, phases)
				lists(s.Else, phases)
			case *ir.Block:
				lists(s.Body, phases || s.UpdatesFirst)
			}
		}
	}
	lists(g.Control, false)
	for t := range applied {
		delete(g.joined, t)
	}
}

// sameQuestion are the tables that a list begins with when they ask the same.
func sameQuestion(list []ir.Stmt) (out []*ir.Table) {
	for _, s := range list {
		a, ok := s.(*ir.Apply)
		if !ok || a.Hit != nil || a.Switch || !plainConst(a.Table) || slices.ContainsFunc(a.Table.Actions, func(r ir.ActionRef) bool { return countsDirectly(r.Action) }) || len(out) > 0 && question(a.Table) != question(out[0]) {
			break
		}
		out = append(out, a.Table)
		// What one of them changes, the next one must not ask for.
		e := &effects{}
		ir.Runs(s, func(x *ir.Action) { e.stmts(x.Body) })
		u := &uses{}
		for _, k := range a.Table.Keys {
			u.expr(k.Expr)
		}
		if slices.ContainsFunc(u.vars, func(v *ir.Var) bool { return slices.Contains(e.assigned, v) }) {
			break
		}
	}
	return out
}

// plainConst reports whether a table has a few constant entries, and does nothing for other keys.
func plainConst(t *ir.Table) bool {
	return t.ConstEntries && len(t.Entries) > 0 && len(t.Entries) <= 4 && t.ConstDefault && t.Default.Action != nil && len(t.Default.Action.Body) == 0
}

// question is what a table asks: its keys, and those of its entries.
func question(t *ir.Table) string {
	var b strings.Builder
	for _, k := range t.Keys {
		fmt.Fprintf(&b, "%s %v;", ir.ExprString(k.Expr), k.Match)
	}
	for _, e := range t.Entries {
		fmt.Fprintf(&b, "%v;", e.Keys)
	}
	return b.String()
}

// applyTogether writes a run of tables: for each of the entries what all of them do.
// Neighbours that do the same are one branch.
func (g *gress) applyTogether(tables []*ir.Table) {
	o := g.out
	entries := tables[0].Entries
	var names []string
	for _, t := range tables {
		names = append(names, g.d.tables[t].Alias)
	}
	o.line("/* tables %s */", strings.Join(names, ", "))
	same := func(i, j int) bool {
		for _, t := range tables {
			if !sameCall(t.Entries[i].Action, t.Entries[j].Action) {
				return false
			}
		}
		return true
	}
	open := 0
	for i := 0; i < len(entries); {
		var conds []string
		j := i
		for ; j < len(entries) && same(i, j); j++ {
			conds = append(conds, g.covers(tables[0], entries[j]))
		}
		cond := strings.Join(conds, " || ")
		if slices.Contains(conds, "") {
			cond = "1"
		} else if len(conds) > 1 {
			cond = "(" + strings.Join(conds, ") || (") + ")"
		}
		if i > 0 {
			o.depth--
			o.open("} else if (%s) {%s", cond, at(entries[i].Pos))
		} else {
			o.open("if (%s) {%s", cond, at(entries[i].Pos))
			open++
		}
		for _, t := range tables {
			c := t.Entries[i].Action
			args := ""
			for n, v := range c.Args {
				args += ", " + literal(v, c.Action.Params[n].Type.Width)
			}
			g.runAction(t, c.Action, args)
		}
		i = j
	}
	for range open {
		o.close("}")
	}
}
