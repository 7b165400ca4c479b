package gen

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

func (g *gress) applyName(t *ir.Table) string { return g.function(t, "", g.d.tables[t].Alias+"_apply") }

// tableFuncs writes a function per table: it applies the table and returns the
// number of the action that ran, and HIT.
func (g *gress) tableFuncs() {
	for _, t := range g.tables {
		if !g.joined[t] {
			g.tableFunc(t)
		}
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
		if g.countsDirectly(t) {
			o.line("s->cell = %s;", g.noCell(t))
		}
		g.constTable(t)
	case TableHash, TableList:
		g.keyWords(t)
		g.runValue(t, d.lookup+"(&key)")
	case TableIndex:
		key := g.expr(t.Keys[0].Expr)
		if len(t.Keys) > 1 {
			key = g.indexKey(t)
		}
		o.line("u32 key = %s;%s", key, at(t.Keys[0].Pos))
		g.runValue(t, d.lookup+"(&key)")
	case TableLPM:
		o.line("struct key_%s key = { .prefix = %d };", d.Alias, (d.KeySize-4)*8)
		for i, k := range t.Keys {
			s := d.Key[i]
			if isWide(s.Width) {
				g.putWide(k, s)
				continue
			}
			x := g.expr(k.Expr)
			if pad := 8*s.Size - s.Width; k.Match == ir.LPM && pad > 0 {
				x = fmt.Sprintf("(u64)%s << %d", x, pad)
			}
			o.line("put%d(key.%s, %s);%s", 8*s.Size, s.Member, x, at(k.Pos))
		}
		g.runValue(t, d.lookup+"(&key)")
	}
	o.close("}")
	o.line("")
}

// keyWords writes the key of a look-up, in whole words: the kernel reads it in words, and a
// processor has to wait for stores that are narrower than what is read.
func (g *gress) keyWords(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	o.line("struct key_%s key __attribute__((aligned(8)));%s", d.Alias, at(t.Keys[0].Pos))
	for first := 0; first < d.KeySize; first += 8 {
		size := min(8, d.KeySize-first) // or 4
		var parts []string
		for i, k := range t.Keys {
			if slot := d.Key[i]; isWide(slot.Width) && slot.Offset <= first && first < slot.Offset+slot.Size {
				parts = append(parts, g.limb(k.Expr, (first-slot.Offset)/8))
			} else if slot.Offset >= first && slot.Offset < first+size {
				parts = append(parts, fmt.Sprintf("IN_WORD(u%d, %s, %d, %d)", 8*size, g.expr(k.Expr), slot.Offset-first, slot.Size))
			}
		}
		if len(parts) == 0 {
			parts = []string{"0"} // padding
		}
		o.line("((u%d *)&key)[%d] = %s;", 8*size, first/size, strings.Join(parts, " | "))
	}
}

// putWide writes a wide key of a prefix table, in network byte order. The bits of a prefix that is no whole bytes stand at the top.
func (g *gress) putWide(k *ir.Key, s Slot) {
	e := k.Expr
	if pad := 8*s.Size - s.Width; k.Match == ir.LPM && pad > 0 {
		e = &ir.Binary{Op: ir.Concat, T: ir.BitType(8 * s.Size), X: e, Y: &ir.Const{T: ir.BitType(pad), Value: new(big.Int)}, Pos: k.Pos}
	}
	done := 0
	for i := limbs(8*s.Size) - 1; i >= 0; i-- {
		n := limbBits(8*s.Size, i)
		g.out.line("put%d(key.%s + %d, %s);%s", n, s.Member, done, g.limb(e, i), at(k.Pos))
		done += n / 8
	}
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
	switch {
	case d.Cell > 0:
		o.line("s->cell = value ? value->cell : 0;")
	case g.countsDirectly(t):
		o.line("s->cell = %s;", g.noCell(t))
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
			if isWide(p.Width) {
				for k := range limbs(p.Width) {
					args += fmt.Sprintf(", value->%s.%s[%d]", a.Member, p.Member, k)
				}
				continue
			}
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

// countsDirectly reports whether an action of a table counts in a direct counter, or asks for its entry's cell.
func (g *gress) countsDirectly(t *ir.Table) bool {
	return slices.ContainsFunc(t.Actions, func(r ir.ActionRef) bool { return countsDirectly(r.Action) })
}

func countsDirectly(a *ir.Action) bool {
	return ir.Any(a.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.DirectCount); return ok }) || ir.UsesCell(a.Body)
}

// noCell is the cell of a table whose entries have none: that of the default action, or nothing.
func (g *gress) noCell(t *ir.Table) string {
	if t.Counter != nil || t.HasCells() {
		return "0"
	}
	return "~0U"
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
		g.hideResults(s.Table)
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

// hideResults keeps the verifier from telling apart which constant entry has matched. Tables one after the other would make as
// many paths as there are combinations. It is worth it where an action asks a register, and the others leave their variables
// as they were, or where there are many entries. A number of a few bits has few values.
func (g *gress) hideResults(t *ir.Table) {
	if d := g.d.tables[t]; len(t.Entries) == 0 || !d.indexed() || d.uniform() {
		return
	}
	const many = 8
	worth := len(t.Entries) >= many
	var set []*ir.Var
	for _, e := range t.Entries {
		body := e.Action.Action.Body
		set = append(set, effectsOf(body).assigned...)
		ir.Walk(body, func(s ir.Stmt) bool {
			x, ok := s.(*ir.RegisterExec)
			worth = worth || ok && x.Dst != nil
			return true
		})
	}
	if !worth {
		return
	}
	var done []string
	for _, v := range set {
		if v.Kind == ir.Field || v.Kind == ir.Intrinsic || v.Type.Width > 32 || g.bound[v] != "" || g.bitsOf[v] != "" {
			continue
		}
		if where := g.lvalue(v); where != "" && !strings.HasPrefix(where, "s->tmp.") && !slices.Contains(done, where) {
			done = append(done, where)
			g.out.line("%s = opaque(s->length, %s);", where, where)
		}
	}
}
