package programs

import (
	"fmt"
	"strings"
)

func (g *generator) statements(n, depth int) {
	for range n {
		if g.budget--; g.budget < 0 {
			return
		}
		g.statement(depth)
	}
}

func (g *generator) block(n, depth int) { g.scope(func() { g.statements(n, depth) }) }

func (g *generator) statement(depth int) {
	if depth == 0 {
		g.assign()
		return
	}
	switch k := g.IntN(100); {
	case k < 30:
		g.assign()
	case k < 36:
		if v, ok := g.writable(func(v variable) bool { return v.t.kind == "bit" && v.t.width > 1 }); ok {
			hi := g.IntN(v.t.width)
			lo := g.IntN(hi + 1)
			g.line("%s[%d:%d] = %s;", v.name, hi, lo, g.expr(bit(hi-lo+1), 2))
		}
	case k < 50:
		g.ifStatement(depth)
	case k < 54:
		g.switchStatement(depth)
	case k < 66:
		g.callFunction()
	case k < 76 && g.place != inFunction && len(g.actions) > 0:
		a := pick(g, g.actions)
		g.line("%s(%s);", a.name, g.arguments(a.ps))
	case k < 82 && g.place == inControl && len(g.tables) > 0:
		g.apply(pick(g, g.tables))
	case k < 86 && g.place == inControl && len(g.controls) > 0:
		c := pick(g, g.controls)
		g.line("%s.apply(%s);", c.name, g.arguments(c.ps))
	case k < 90 && g.place != inFunction && g.inMain():
		g.headerStatement()
	case k < 93 && g.place != inFunction && len(g.regs) > 0 && g.inMain():
		r := pick(g, g.regs)
		g.line("%s.write(%s & 7, %s);", r.name, g.expr(bit(8), 1), g.expr(r.t, 2))
	case k < 94 && g.place == inControl && g.inMain():
		g.line("pair = { %s, %s };", g.expr(bit(8), 2), g.expr(bit(8), 2))
	case k < 95 && g.place == inControl && depth < 3:
		g.open("if (%s)", g.expr(boolean, 1))
		g.line("%s;", pick(g, []string{"return", "exit"}))
		g.close("")
	default:
		t := pick(g, types)
		v := g.name("v")
		g.line("%s %s = %s;", t, v, g.expr(t, 2))
		g.vars = append(g.vars, variable{name: v, t: t})
	}
}

// inMain reports whether headers and registers are in scope.
func (g *generator) inMain() bool { return len(g.vars) > 0 && g.vars[0].name == "md.m0" }

func (g *generator) writable(ok func(variable) bool) (variable, bool) {
	var fit []variable
	for _, v := range g.vars {
		if !v.fixed && ok(v) && (v.header == 0 || g.valid[v.header] || g.chance(3)) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return variable{}, false
	}
	return pick(g, fit), true
}

func (g *generator) assign() {
	if v, ok := g.writable(func(variable) bool { return true }); ok {
		g.line("%s = %s;", v.name, g.expr(v.t, 3))
	}
}

func (g *generator) ifStatement(depth int) {
	h := 0
	if g.inMain() && g.place != inFunction && g.chance(50) {
		h = 1 + g.IntN(len(g.headers))
		g.open("if (hdr.h%d.isValid())", h-1)
	} else {
		g.open("if (%s)", g.expr(boolean, 3))
	}
	g.scope(func() {
		if h > 0 {
			g.becomesValid(h)
		}
		g.statements(1+g.IntN(3), depth-1)
	})
	if g.chance(40) {
		g.depth--
		g.open("} else")
		g.block(1+g.IntN(2), depth-1)
	}
	g.close("")
}

func (g *generator) switchStatement(depth int) {
	t := pick(g, []typ{bit(4), bit(8)})
	g.open("switch (%s)", g.expr(t, 2))
	seen := map[int]bool{}
	for range 1 + g.IntN(3) {
		v := g.IntN(4)
		if seen[v] {
			continue
		}
		seen[v] = true
		if g.chance(25) {
			g.line("%d:", v)
			continue
		}
		g.open("%d:", v)
		g.block(1+g.IntN(2), depth-1)
		g.close("")
	}
	g.open("default:")
	g.block(1, depth-1)
	g.close("")
	g.close("")
}

func (g *generator) callFunction() {
	if len(g.funcs) == 0 {
		return
	}
	f := pick(g, g.funcs)
	g.line("%s(%s);", f.name, g.arguments(f.ps))
}

// arguments are for parameters. An argument to write to is a variable, or bits of one; where there is none it is a
// variable of its own, which comes first.
func (g *generator) arguments(ps []param) string {
	var list []string
	for _, p := range ps {
		if p.dir == "in" || p.dir == "" {
			list = append(list, g.expr(p.t, 2))
			continue
		}
		if p.t.kind == "bit" && g.chance(20) {
			if v, ok := g.writable(func(v variable) bool { return v.t.kind == "bit" && v.t.width > p.t.width }); ok {
				lo := g.IntN(v.t.width - p.t.width)
				list = append(list, fmt.Sprintf("%s[%d:%d]", v.name, lo+p.t.width-1, lo))
				continue
			}
		}
		v, ok := g.writable(func(v variable) bool { return v.t == p.t })
		if !ok {
			v = variable{name: g.name("v"), t: p.t}
			g.line("%s %s = %s;", v.t, v.name, g.literal(p.t))
			g.vars = append(g.vars, v)
		}
		list = append(list, v.name)
	}
	return strings.Join(list, ", ")
}

func (g *generator) headerStatement() {
	h := 1 + g.IntN(len(g.headers))
	name := fmt.Sprintf("hdr.h%d", h-1)
	switch k := g.IntN(10); {
	case k < 4:
		var list []string
		for _, t := range g.headers[h-1] {
			list = append(list, g.expr(t, 2))
		}
		g.line("%s = { %s };", name, strings.Join(list, ", "))
		g.becomesValid(h)
	case k < 6:
		if g.valid[h] {
			return
		}
		if g.chance(80) {
			g.line("%s.setValid();", name)
		}
		for i, t := range g.headers[h-1] {
			g.line("%s.f%d = %s;", name, i, g.expr(t, 2))
		}
		g.line("%s.setValid();", name)
	case k < 7:
		if g.mayBecomeInvalid(h) {
			g.line("%s.setInvalid();", name)
		}
	default:
		for o := range g.headers {
			if o != h-1 && g.shapes[o] == g.shapes[h-1] && (g.mayBecomeInvalid(h) || g.valid[o+1]) {
				g.line("%s = hdr.h%d;", name, o)
				if g.valid[o+1] {
					g.becomesValid(h)
				}
				return
			}
		}
	}
}

// becomesValid notes that a header is valid from here on. The last one is made invalid by actions: of it nothing is known.
func (g *generator) becomesValid(h int) {
	if h < len(g.headers) {
		g.valid[h] = true
	}
}

// mayBecomeInvalid reports whether nobody relies on it that a header is valid.
func (g *generator) mayBecomeInvalid(h int) bool {
	return !g.valid[h] && (g.place == inControl || h == len(g.headers))
}

func (g *generator) apply(t table) {
	switch g.IntN(4) {
	case 0:
		g.open("if (%s.apply().%s)", t.name, pick(g, []string{"hit", "miss"}))
		g.block(1+g.IntN(2), 1)
		g.close("")
	case 1:
		g.open("switch (%s.apply().action_run)", t.name)
		for _, a := range t.actions {
			if g.chance(70) {
				g.open("%s:", a)
				g.block(1, 1)
				g.close("")
			}
		}
		g.open("default:")
		g.block(1, 1)
		g.close("")
		g.close("")
	default:
		g.line("%s.apply();", t.name)
	}
}
