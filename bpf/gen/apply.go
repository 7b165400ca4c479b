package gen

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

func (g *gress) applyName(t *ir.Table) string { return g.function(t, "", g.d.tables[t].Alias+"_apply") }

// tableFuncs writes a function per table: it applies the table and returns the
// number of the action that ran, and HIT.
func (g *gress) tableFuncs() {
	for _, t := range g.tables {
		g.tableFunc(t)
	}
}

func (g *gress) tableFunc(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	o.line("/* table %s%s */", t.Name, posText(t.Pos))
	phase := ""
	if g.phased[t] {
		phase = ", const u32 phase"
	}
	o.open("INLINE u32 %s(struct %s *s%s)\n{", g.applyName(t), g.Gress.Name, phase)
	switch d.Kind {
	case TableConst:
		g.constTable(t)
	case TableHash, TableList:
		o.line("struct key_%s key = {};", d.Alias)
		for i, k := range t.Keys {
			o.line("key.%s = %s;%s", d.Key[i].Member, g.expr(k.Expr), at(k.Pos))
		}
		g.runValue(t, d.lookup+"(&key)")
	case TableIndex:
		o.line("u32 key = %s;%s", g.expr(t.Keys[0].Expr), at(t.Keys[0].Pos))
		g.runValue(t, d.lookup+"(&key)")
	case TableLPM:
		o.line("struct key_%s key = { .prefix = %d };", d.Alias, (d.KeySize-4)*8)
		for i, k := range t.Keys {
			s := d.Key[i]
			if s.Size > 8 {
				g.fail(k.Pos, "table %s: lpm key of %d bits (at most 64 on XDP)", t.Name, s.Width)
			}
			o.line("put%d(key.%s, %s);%s", 8*s.Size, s.Member, g.expr(k.Expr), at(k.Pos))
		}
		g.runValue(t, d.lookup+"(&key)")
	}
	o.close("}")
	o.line("")
}

// runValue runs the action of the value that a look-up finds, or the default action.
func (g *gress) runValue(t *ir.Table, lookup string) {
	o, d := g.out, g.d.tables[t]
	o.line("union value_%s *value = %s;", d.Alias, lookup)
	o.line("u32 hit = value ? HIT : 0;")
	if d.Idle > 0 {
		o.line("if (value)")
		o.line("\tvalue->hit = %s_now(s);", g.prefix)
	}
	if t.ConstDefault {
		o.open("if (!value) {")
		g.runCall(t, t.Default, "")
		o.close("}")
	} else {
		o.open("if (!value) {")
		o.line("value = default_%s();", d.Alias)
		o.line("if (!value)")
		o.line("\treturn 0;")
		o.close("}")
	}
	action := "value->action"
	if d.Kind == TableIndex { // a default action is numbered from 0
		action = "action"
		o.line("u32 action = value->action - !!hit;")
	}
	o.open("switch (%s) {", action)
	for _, a := range d.Actions {
		args := ""
		for _, p := range a.Params {
			args += fmt.Sprintf(", value->%s.%s", a.Member, p.Member)
		}
		o.line("case %s:", a.Const)
		o.depth++
		g.runAction(t, a.Action, args)
		o.line("break;")
		o.depth--
	}
	o.close("}")
	o.line("return hit | %s;", action)
}

func (g *gress) apply(s *ir.Apply) {
	o, d := g.out, g.d.tables[s.Table]
	phase := [...]string{phaseUpdates: "P4_UPDATES", phaseQueries: "P4_QUERIES", phaseAll: "P4_ALL"}[g.phase]
	if g.phased[s.Table] {
		phase = ", " + phase
	} else {
		phase = ""
	}
	call := fmt.Sprintf("%s(s%s)", g.applyName(s.Table), phase)
	if s.Hit == nil && !s.Switch {
		o.line("%s;%s", call, at(s.Pos))
		return
	}
	if g.phase != phaseAll {
		g.fail(s.Pos, "result of a table used in an @updates_first block")
		return
	}
	o.open("{")
	o.line("u32 ran = %s;%s", call, at(s.Pos))
	if s.Hit != nil {
		g.set(s.Hit, "!!(ran & HIT)", ir.Pos{})
	}
	if s.Switch {
		o.open("switch (ran & ~HIT) {")
		for _, c := range s.Cases {
			for _, a := range c.Actions {
				o.line("case %s:", d.actionConst(a))
			}
			o.depth++
			g.stmts(c.Body)
			o.line("break;")
			o.depth--
		}
		o.line("default:")
		o.depth++
		g.stmts(s.Default)
		o.line("break;")
		o.depth--
		o.close("}")
	}
	o.close("}")
}
