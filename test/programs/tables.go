package programs

import (
	"fmt"
	"strings"
)

var kinds = []string{"exact", "exact", "lpm", "ternary", "range", "optional"}

// table is one with entries, and its actions. Few values, and masks of all lengths: many entries match a packet.
func (g *generator) table() {
	t := table{name: g.name("t")}
	var refs []callable
	var listed []string
	for range 1 + g.IntN(3) {
		a := g.action(true)
		refs = append(refs, a)
		t.actions = append(t.actions, a.name)
		listed = append(listed, a.name)
	}
	if len(g.actions) > 0 && g.chance(40) { // a table binds what has a direction
		a := pick(g, g.actions)
		args := g.bound(a.ps)
		if args != "" || len(a.ps) == 0 {
			refs = append(refs, callable{name: a.name})
			t.actions = append(t.actions, a.name)
			listed = append(listed, fmt.Sprintf("%s(%s)", a.name, args))
		}
	}
	impl, selects := "", false
	if g.chance(20) {
		impl, selects = g.profile()
	}
	g.open("table %s", t.name)
	var keys []typ
	var matches []string
	lpm, prioritised := false, false
	g.open("key =")
	for i := range 1 + g.IntN(3) {
		kt := pick(g, []typ{bit(4), bit(8), bit(8), bit(16), bit(48), bit(72), bit(128)})
		k := pick(g, kinds)
		if k == "range" && kt.width > 64 {
			k = "ternary"
		}
		if k == "lpm" && lpm {
			k = "ternary"
		}
		lpm = lpm || k == "lpm"
		prioritised = prioritised || k == "ternary" || k == "range" || k == "optional"
		x := ""
		if v, ok := g.readable(kt); ok && g.chance(80) {
			x = v.name
		} else {
			x = g.expr(kt, 2)
		}
		g.line("%s : %s @name(\"k%d\");", x, k, i)
		keys, matches = append(keys, kt), append(matches, k)
	}
	if selects {
		for i := range 1 + g.IntN(3) {
			g.line("%s : selector @name(\"s%d\");", g.expr(pick(g, []typ{bit(1), bit(4), bit(8), bit(16), bit(48)}), 2), i)
		}
	}
	g.close("")
	g.line("actions = { %s; @defaultonly NoAction; }", strings.Join(listed, "; "))
	if g.chance(50) {
		a := pick(g, refs)
		g.line("%sdefault_action = %s(%s);", pick(g, []string{"", "const "}), a.name, g.data(a.ps))
	} else {
		g.line("%sdefault_action = NoAction();", pick(g, []string{"", "const "}))
	}
	g.line("size = 64;")
	if impl != "" { // whoever runs the program makes its entries
		g.line("implementation = %s;", impl)
		g.close("")
		g.tables = append(g.tables, t)
		return
	}
	isConst := g.chance(60)
	own := !isConst && prioritised && g.chance(60) // priorities of their own
	if own {
		if g.chance(50) {
			g.line("largest_priority_wins = %t;", g.chance(50))
		}
	} else if !isConst && prioritised && g.chance(40) {
		g.line("largest_priority_wins = %t;", g.chance(50))
		g.line("priority_delta = %d;", 1+g.IntN(20))
	}
	g.entries(keys, matches, refs, isConst, own)
	g.close("")
	g.tables = append(g.tables, t)
}

// profile declares an action profile, with selector or without, in any form.
func (g *generator) profile() (name string, selects bool) {
	name = g.name("profile")
	if g.chance(30) {
		g.line("ActionProfile(%d) %s;", 1+g.IntN(16), name)
		return name, false
	}
	hash, sel := g.name("hash"), g.name("sel")
	g.line("Hash<bit<%d>>(HashAlgorithm_t.%s) %s;", 1+g.IntN(40), pick(g, []string{"CRC8", "CRC16", "CRC32", "CRC64", "XOR8", "XOR16", "IDENTITY"}), hash)
	mode := pick(g, []string{"FAIR", "RESILIENT"})
	if g.chance(30) {
		g.line("ActionSelector(%d, %s, SelectorMode_t.%s) %s;", 4+g.IntN(16), hash, mode, sel)
		return sel, true
	}
	g.line("ActionProfile(%d) %s;", 4+g.IntN(16), name)
	g.line("ActionSelector(%s, %s, SelectorMode_t.%s, %d, %d) %s;", name, hash, mode, 1+g.IntN(8), 2+g.IntN(4), sel)
	return sel, true
}

func (g *generator) entries(keys []typ, matches []string, refs []callable, isConst, own bool) {
	n := g.IntN(6)
	if g.chance(30) {
		n = g.IntN(24)
	}
	if isConst {
		g.open("const entries =")
	} else {
		g.open("entries =")
	}
	seen := map[string]bool{}
	priorities := g.Perm(64)
	for i := range n {
		var sets, ids []string
		for j, k := range matches {
			s := g.set(k, keys[j].width)
			sets, ids = append(sets, s), append(ids, g.canonical(s, keys[j].width))
		}
		if id := strings.Join(ids, ","); seen[id] {
			continue
		} else {
			seen[id] = true
		}
		a := pick(g, refs)
		prefix := ""
		if own {
			prefix = fmt.Sprintf("priority=%d: ", 1+priorities[i])
		} else if !isConst && g.chance(20) {
			prefix = "const "
		}
		g.line("%s(%s) : %s(%s);", prefix, strings.Join(sets, ", "), a.name, g.data(a.ps))
	}
	g.close("")
}

func (g *generator) data(ps []param) string {
	var list []string
	for _, p := range ps {
		list = append(list, g.literal(p.t))
	}
	return strings.Join(list, ", ")
}

// bound are arguments that a table binds; "" if there are none.
func (g *generator) bound(ps []param) string {
	var list []string
	for _, p := range ps {
		if p.dir == "in" && g.chance(50) {
			list = append(list, g.expr(p.t, 1))
			continue
		}
		v, ok := g.writable(func(v variable) bool { return v.t == p.t && v.header == 0 })
		if !ok {
			return ""
		}
		list = append(list, v.name)
	}
	return strings.Join(list, ", ")
}

// value is small or has few bits set: the same values come often.
func (g *generator) value(w int) uint64 {
	v := g.Uint64N(8)
	if g.chance(30) {
		v = 1 << g.IntN(w)
	}
	if g.chance(10) {
		v = g.Uint64()
	}
	return v & (1<<w - 1)
}

// set is a set of values of a match kind, or of a select.
func (g *generator) set(kind string, w int) string {
	ones := uint64(1)<<w - 1
	mask := func(m uint64) string {
		v := g.value(w)
		if g.chance(80) {
			v &= m
		}
		return fmt.Sprintf("%#x &&& %#x", v, m)
	}
	switch kind {
	case "exact":
		return fmt.Sprint(g.value(w))
	case "lpm":
		if g.chance(20) || w > 64 {
			return pick(g, []string{"_", fmt.Sprint(g.value(w))})
		}
		return mask(ones &^ (1<<g.IntN(w+1) - 1))
	case "ternary":
		if g.chance(30) {
			return pick(g, []string{"_", fmt.Sprint(g.value(w))})
		}
		return mask((g.Uint64() & g.Uint64() & ones) | g.Uint64N(4)&ones)
	case "range":
		if g.chance(20) {
			return pick(g, []string{"_", fmt.Sprint(g.value(w))})
		}
		a, b := g.value(w), g.value(w)
		return fmt.Sprintf("%d..%d", min(a, b), max(a, b))
	case "optional":
		return pick(g, []string{"_", fmt.Sprint(g.value(w)), fmt.Sprint(g.value(w))})
	}
	return g.set(pick(g, []string{"exact", "ternary", "range"}), w)
}

// canonical is one text for all sets of the same values.
func (g *generator) canonical(set string, w int) string {
	ones := uint64(1)<<w - 1
	var a, b uint64
	switch {
	case set == "_":
		return "any"
	case strings.Contains(set, "&&&"):
		fmt.Sscanf(set, "%v &&& %v", &a, &b)
		if b == 0 {
			return "any"
		}
	case strings.Contains(set, ".."):
		fmt.Sscanf(strings.Replace(set, "..", " ", 1), "%d %d", &a, &b)
		return fmt.Sprintf("%d..%d", a, b)
	default:
		fmt.Sscanf(set, "%d", &a)
		b = ones
	}
	return fmt.Sprintf("%x/%x", a&b, b)
}
