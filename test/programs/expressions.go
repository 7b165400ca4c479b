package programs

import "fmt"

// literal is a constant of a type.
func (g *generator) literal(t typ) string {
	switch {
	case t == boolean:
		return fmt.Sprint(g.chance(50))
	case t.kind == "int":
		v := int64(g.Uint64N(1<<t.width)) - 1<<(t.width-1)
		if g.chance(50) {
			v = int64(g.IntN(5)) - 2
		}
		return fmt.Sprintf("(int<%d>)(%d)", t.width, v)
	}
	if t.width > 64 {
		return fmt.Sprintf("%dw0x%x%016x", t.width, g.value(t.width-64), g.value(64))
	}
	return fmt.Sprintf("%dw%d", t.width, g.value(t.width))
}

func (g *generator) readable(t typ) (variable, bool) {
	var fit []variable
	for _, v := range g.vars {
		if v.t == t && (v.header == 0 || g.valid[v.header] || g.chance(1)) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return variable{}, false
	}
	return pick(g, fit), true
}

func (g *generator) leaf(t typ) string {
	if v, ok := g.readable(t); ok && g.chance(80) {
		return v.name
	}
	return g.literal(t)
}

// expr is an expression of a type.
func (g *generator) expr(t typ, depth int) string {
	if depth == 0 || g.chance(20) {
		return g.leaf(t)
	}
	d := depth - 1
	if !g.noCalls && g.chance(15) {
		var fit []callable
		for _, f := range g.funcs {
			if f.result != nil && *f.result == t && g.callableHere(f) {
				fit = append(fit, f)
			}
		}
		if len(fit) > 0 {
			f := pick(g, fit)
			return fmt.Sprintf("%s(%s)", f.name, g.arguments(f.ps))
		}
	}
	if !g.noCalls && g.place != inFunction && g.inMain() && g.chance(8) {
		for _, r := range g.regs {
			if r.t == t {
				return fmt.Sprintf("%s.read(%s & 7)", r.name, g.expr(bit(8), 0))
			}
		}
		for _, r := range g.regActs {
			if r.t == t {
				return fmt.Sprintf("%s.execute(%s & 7)", r.name, g.expr(bit(8), 0))
			}
		}
	}
	if g.chance(10) {
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(boolean, d), g.expr(t, d), g.expr(t, d))
	}
	switch {
	case t == boolean:
		return g.condition(d)
	case t.kind == "int":
		return g.signed(t, d)
	}
	return g.unsigned(t, d)
}

// callableHere reports whether arguments for a function need no new variable: there is no place for one in an expression.
func (g *generator) callableHere(f callable) bool {
	for _, p := range f.ps {
		if p.dir == "in" || p.dir == "" {
			continue
		}
		found := false
		for _, v := range g.vars {
			found = found || !v.fixed && v.t == p.t && v.header == 0
		}
		if !found {
			return false
		}
	}
	return true
}

func (g *generator) condition(d int) string {
	t := pick(g, types)
	switch k := g.IntN(10); {
	case k < 2:
		return fmt.Sprintf("(%s %s %s)", g.expr(boolean, d), pick(g, []string{"&&", "||"}), g.expr(boolean, d))
	case k < 3:
		return fmt.Sprintf("!%s", g.leaf(boolean))
	case k < 4 && g.inMain() && g.place != inFunction && !g.noCalls:
		h := g.IntN(len(g.headers))
		for o := range g.headers {
			if o != h && g.shapes[o] == g.shapes[h] && g.chance(50) {
				return fmt.Sprintf("(hdr.h%d %s hdr.h%d)", h, pick(g, []string{"==", "!="}), o)
			}
		}
		return fmt.Sprintf("hdr.h%d.isValid()", h)
	case k < 6 || t == boolean:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"==", "!="}), g.expr(t, d))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"<", "<=", ">", ">="}), g.expr(t, d))
}

func (g *generator) signed(t typ, d int) string {
	switch k := g.IntN(10); {
	case k < 2:
		return fmt.Sprintf("(int<%d>)(%s)", t.width, g.expr(bit(t.width), d))
	case k < 3 && t.width == 16:
		return fmt.Sprintf("(int<16>)(%s)", g.expr(typ{"int", 8}, d))
	case k < 4:
		return fmt.Sprintf("(-%s)", g.leaf(t))
	case k < 6:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"<<", ">>"}), g.distance())
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"+", "-", "&", "|", "^", "|+|", "|-|"}), g.expr(t, d))
}

func (g *generator) distance() string {
	if g.chance(70) {
		return fmt.Sprint(g.IntN(20))
	}
	return g.leaf(bit(4))
}

// wide is of more than 64 bits, without arithmetic, which XDP does not have.
func (g *generator) wide(t typ, d int) string {
	switch k := g.IntN(20); {
	case k < 5:
		lo := 1 + g.IntN(t.width-1)
		return fmt.Sprintf("(%s ++ %s)", g.expr(bit(t.width-lo), d), g.expr(bit(lo), d))
	case k < 9:
		return fmt.Sprintf("(bit<%d>)(%s)", t.width, g.expr(bit(pick(g, []int{1, 8, 48, 64, 72, 128})), d))
	case k < 11:
		return fmt.Sprintf("(~%s)", g.leaf(t))
	case k < 12:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), g.leaf(t), g.leaf(t))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"&", "|", "^"}), g.expr(t, d))
}

func (g *generator) unsigned(t typ, d int) string {
	if t.width > 64 {
		return g.wide(t, d)
	}
	switch k := g.IntN(20); {
	case k < 2 && t.width > 1:
		lo := 1 + g.IntN(t.width-1)
		return fmt.Sprintf("(%s ++ %s)", g.expr(bit(t.width-lo), d), g.expr(bit(lo), d))
	case k < 4:
		for _, v := range g.vars {
			if v.t.kind == "bit" && v.t.width > t.width && v.header == 0 && g.chance(30) {
				lo := g.IntN(v.t.width - t.width)
				return fmt.Sprintf("%s[%d:%d]", v.name, lo+t.width-1, lo)
			}
		}
	case k < 5 && t.width == 1:
		return fmt.Sprintf("(bit<1>)%s", g.leaf(boolean))
	case k < 6:
		from := pick(g, []int{1, 4, 8, 16, 32, 72, 128})
		return fmt.Sprintf("(bit<%d>)(%s)", t.width, g.expr(bit(from), d))
	case k < 7 && (t.width == 8 || t.width == 16):
		return fmt.Sprintf("(bit<%d>)(%s)", t.width, g.expr(typ{"int", t.width}, d))
	case k < 8:
		return fmt.Sprintf("(%s%s)", pick(g, []string{"~", "-"}), g.leaf(t))
	case k < 10:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"<<", ">>"}), g.distance())
	case k < 11:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), g.expr(t, d), g.expr(t, d))
	case k < 12 && t.width <= 32:
		return fmt.Sprintf("(%s * %s)", g.expr(t, d), g.expr(t, d))
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(t, d), pick(g, []string{"+", "-", "&", "|", "^", "|+|", "|-|"}), g.expr(t, d))
}
