package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// typ is a type of a generated program: "bit<8>", "int<16>" or "bool".
type typ struct {
	kind  string
	width int
}

func bit(w int) typ { return typ{"bit", w} }

var boolean = typ{"bool", 1}

func (t typ) String() string {
	if t == boolean {
		return "bool"
	}
	return fmt.Sprintf("%s<%d>", t.kind, t.width)
}

// Types are few, so that many variables have one.
var types = []typ{bit(1), bit(4), bit(8), bit(8), bit(8), bit(16), bit(32), bit(48), bit(72), bit(128), {"int", 8}, {"int", 16}, boolean}

// variable is what can be read, and written if it is not a constant.
type variable struct {
	name   string
	t      typ
	header int // the header that it is a field of, from 1; 0: none
	fixed  bool
}

type param struct {
	dir  string // "", "in", "out", "inout"
	name string
	t    typ
}

// callable is a function, an action or a control.
type callable struct {
	name   string
	ps     []param
	result *typ
}

type table struct {
	name    string
	actions []string
}

// place says which statements are allowed.
type place int

const (
	inFunction place = iota
	inAction
	inControl
)

// generator writes a program. What has been declared can be used by what follows.
type generator struct {
	*rand.Rand
	b        strings.Builder
	depth    int
	names    int
	vars     []variable // in scope
	valid    map[int]bool
	headers  [][]typ // the fields of each, f0, f1, …
	shapes   []int   // headers with one number have one type
	funcs    []callable
	actions  []callable // without data
	controls []callable // instances, by name
	tables   []table
	regs     []variable
	regActs  []variable
	place    place
	result   *typ
	budget   int // statements that may still come
	noCalls  bool
	exiting  bool // an action may exit
}

// Generate makes a program from a source of chance. Its tables have entries, so that it
// needs no controller.
func Generate(rnd *rand.Rand) string {
	g := &generator{Rand: rnd, valid: map[int]bool{}, budget: 60}
	g.program()
	return g.b.String()
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("    ", g.depth), fmt.Sprintf(format, args...))
}

func (g *generator) open(format string, args ...any) {
	g.line(format+" {", args...)
	g.depth++
}

func (g *generator) close(tail string) {
	g.depth--
	g.line("}%s", tail)
}

func (g *generator) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// scope runs f; what it declares and what it finds out is forgotten.
func (g *generator) scope(f func()) {
	vars, valid := g.vars, g.valid
	g.vars = slices.Clip(vars)
	g.valid = map[int]bool{}
	for h := range valid {
		g.valid[h] = true
	}
	f()
	g.vars, g.valid = vars, valid
}

// fields are types that make whole bytes, in units that a machine can load, or of more than 64 bits.
func (g *generator) fields() (out []typ) {
	for range 1 + g.IntN(3) {
		switch unit := pick(g, []int{8, 8, 16, 32, 48, 72, 128}); {
		case unit == 128 && g.chance(40): // two, of which one begins within a byte
			w := 57 + g.IntN(14)
			out = append(out, bit(w), bit(unit-w))
		case unit < 48 && g.chance(40):
			for left := unit; left > 0; {
				w := min(left, pick(g, []int{1, 3, 4, 4, 8, 12}))
				out = append(out, bit(w))
				left -= w
			}
		case unit < 32 && g.chance(20):
			out = append(out, typ{"int", unit})
		default:
			out = append(out, bit(unit))
		}
	}
	return out
}

func (g *generator) program() {
	g.line("#include \"frame.p4\"")
	g.line("match_kind { optional }")
	n := 2 + g.IntN(3)
	for h := range n {
		if h > 0 && g.chance(40) { // as an earlier one: they can be copied
			k := g.IntN(h)
			g.headers, g.shapes = append(g.headers, g.headers[k]), append(g.shapes, g.shapes[k])
			continue
		}
		fs := g.fields()
		g.headers, g.shapes = append(g.headers, fs), append(g.shapes, h)
		g.open("header h%d_t", h)
		for i, t := range fs {
			g.line("%s f%d;", t, i)
		}
		g.close("")
	}
	g.open("struct headers_t")
	g.line("eth_h eth;")
	for h := range n {
		g.line("h%d_t h%d;", g.shapes[h], h)
	}
	g.close("")
	g.line("struct pair_t { bit<8> lo; bit<8> hi; }")
	var zeros []string
	g.open("struct meta_t")
	for i, t := range types {
		g.line("%s m%d;", t, i)
		if t == boolean {
			zeros = append(zeros, "false")
		} else {
			zeros = append(zeros, fmt.Sprint(g.IntN(2)))
		}
	}
	g.close("")
	for range 1 + g.IntN(4) {
		g.function()
	}
	var subs []callable
	for range g.IntN(3) {
		subs = append(subs, g.control(g.name("Sub")))
	}
	g.parser(strings.Join(zeros, ", "))
	g.main(subs)
	g.line("DEPARSER(Dprs) { apply { pkt.emit(hdr); } }")
	g.line("EGRESS_PARSER(EgPrsr) { state start { pkt.extract(eg_intr_md); transition accept; } }")
	g.line("EGRESS(EgCtl) { apply { } }")
	g.line("DEPARSER(EgDprs) { apply { } }")
	g.line("Pipeline(Prsr(), Ctl(), Dprs(), EgPrsr(), EgCtl(), EgDprs()) pipe;")
	g.line("Switch(pipe) main;")
}

// params draws parameters, and makes them variables.
func (g *generator) params(dirs []string, n int) (ps []param, text string) {
	var list []string
	for range n {
		p := param{pick(g, dirs), g.name("p"), pick(g, types)}
		ps = append(ps, p)
		list = append(list, strings.TrimSpace(p.dir+" "+p.t.String()+" "+p.name))
	}
	return ps, strings.Join(list, ", ")
}

func (g *generator) bind(ps []param) {
	for _, p := range ps {
		if p.dir == "out" { // nobody has written to it yet
			g.line("%s = %s;", p.name, g.literal(p.t))
		}
	}
	for _, p := range ps {
		g.vars = append(g.vars, variable{name: p.name, t: p.t, fixed: p.dir == "in" || p.dir == ""})
	}
}

func (g *generator) function() {
	f := callable{name: g.name("f")}
	ret := "void"
	if g.chance(75) {
		t := pick(g, types)
		f.result, ret = &t, t.String()
	}
	var text string
	f.ps, text = g.params([]string{"in", "in", "out", "inout"}, 1+g.IntN(3))
	g.open("%s %s(%s)", ret, f.name, text)
	g.scope(func() {
		g.place, g.result = inFunction, f.result
		g.bind(f.ps)
		g.statements(1+g.IntN(3), 2)
		if f.result != nil {
			g.line("return %s;", g.expr(*f.result, 2))
		}
	})
	g.close("")
	g.funcs = append(g.funcs, f)
}

// action is of the control that is being written. Data of a table's entries have no direction.
func (g *generator) action(data bool) callable {
	a := callable{name: g.name("a")}
	var text string
	if data {
		a.ps, text = g.params([]string{""}, g.IntN(3))
	} else {
		a.ps, text = g.params([]string{"in", "out", "inout"}, g.IntN(4))
	}
	g.open("action %s(%s)", a.name, text)
	g.scope(func() {
		was := g.place
		g.place = inAction
		g.bind(a.ps)
		g.statements(1+g.IntN(4), 2)
		if g.exiting && g.chance(10) {
			g.line("exit;")
		}
		g.place = was
	})
	g.close("")
	return a
}

// control is one that the main one instantiates.
func (g *generator) control(name string) callable {
	c := callable{name: name}
	var text string
	c.ps, text = g.params([]string{"in", "out", "inout"}, 1+g.IntN(3))
	g.open("control %s(%s)", name, text)
	g.scope(func() {
		actions, tables := g.actions, g.tables
		g.actions, g.tables = nil, nil
		var out []param
		for _, p := range c.ps {
			if p.dir == "out" {
				out = append(out, p)
				continue
			}
			g.vars = append(g.vars, variable{name: p.name, t: p.t, fixed: p.dir == "in"})
		}
		g.locals(1)
		g.open("apply")
		g.place = inControl
		g.bind(out)
		g.statements(1+g.IntN(3), 2)
		g.close("")
		g.actions, g.tables = actions, tables
	})
	g.close("")
	return c
}

// locals are the variables, actions and tables of a control.
func (g *generator) locals(n int) {
	for range n {
		t := pick(g, types)
		v := g.name("v")
		g.line("%s %s = %s;", t, v, g.literal(t))
		g.vars = append(g.vars, variable{name: v, t: t})
	}
	for range n + g.IntN(2) {
		g.actions = append(g.actions, g.action(false))
	}
	for range n + g.IntN(2) {
		g.table()
	}
}

func (g *generator) parser(zeros string) {
	g.open("INGRESS_PARSER(Prsr)")
	g.line("START")
	n := len(g.headers)
	for h := -1; h < n; h++ {
		name := "body"
		if h >= 0 {
			name = fmt.Sprintf("h%d", h)
		}
		g.open("state %s", name)
		key, w := "hdr.eth.type", 16
		if h < 0 {
			g.line("md = { %s };", zeros)
		} else {
			g.line("pkt.extract(hdr.h%d);", h)
			if g.chance(30) {
				g.line("md.m2 = %s;", g.inParser(h))
			}
			i := g.IntN(len(g.headers[h]))
			if t := g.headers[h][i]; t.kind == "bit" {
				key, w = fmt.Sprintf("hdr.h%d.f%d", h, i), t.width
			}
		}
		if g.chance(20) {
			key, w = "pkt.lookahead<bit<8>>()", 8
		}
		next := func() string {
			if h == n-1 || g.chance(20) {
				return "accept"
			}
			return fmt.Sprintf("h%d", h+1+g.IntN(n-h-1))
		}
		switch {
		case h == n-1:
			g.line("transition accept;")
		case h >= 0 && g.chance(30):
			g.line("transition %s;", next())
		default:
			g.open("transition select(%s)", key)
			for range 1 + g.IntN(3) {
				g.line("%s: %s;", g.set("ternary or range", w), next())
			}
			if g.chance(95) {
				g.line("default: %s;", next())
			}
			g.close("")
		}
		g.close("")
	}
	g.close("")
}

// inParser is bit<8> of what a state knows.
func (g *generator) inParser(h int) string {
	for i, t := range g.headers[h] {
		if t == bit(8) {
			return fmt.Sprintf("hdr.h%d.f%d + %d", h, i, g.IntN(256))
		}
	}
	return "pkt.lookahead<bit<8>>()"
}

func (g *generator) main(subs []callable) {
	g.open("INGRESS(Ctl)")
	for i, t := range types {
		g.vars = append(g.vars, variable{name: fmt.Sprintf("md.m%d", i), t: t})
	}
	g.vars = append(g.vars, variable{name: "hdr.eth.dst", t: bit(48)}, variable{name: "hdr.eth.src", t: bit(48)}, variable{name: "hdr.eth.type", t: bit(16)})
	for h, fs := range g.headers {
		for i, t := range fs {
			g.vars = append(g.vars, variable{name: fmt.Sprintf("hdr.h%d.f%d", h, i), t: t, header: h + 1})
		}
	}
	for range g.IntN(3) {
		t := pick(g, []typ{bit(8), bit(16), bit(32)})
		r := g.name("r")
		g.line("Register<%s, bit<8>>(8) %s;", t, r)
		if g.chance(50) {
			g.regs = append(g.regs, variable{name: r, t: t})
			continue
		}
		ra := g.name("ra")
		g.open("RegisterAction<%s, bit<8>, %s>(%s) %s =", t, t, r, ra)
		g.open("void apply(inout %s value, out %s rv)", t, t)
		g.noCalls = true
		g.scope(func() {
			g.vars = []variable{{name: "value", t: t}}
			g.line("rv = value;")
			g.line("if (%s) { value = %s; } else { value = %s; }", g.expr(boolean, 1), g.expr(t, 1), g.expr(t, 1))
			if g.chance(50) {
				g.line("rv = value;")
			}
		})
		g.noCalls = false
		g.close("")
		g.close(";")
		g.regActs = append(g.regActs, variable{name: ra, t: t})
	}
	for _, s := range subs {
		for range 1 + g.IntN(2) {
			c := s
			c.name = g.name("sub")
			g.line("%s() %s;", s.name, c.name)
			g.controls = append(g.controls, c)
		}
	}
	g.exiting = g.chance(20)
	g.locals(2 + g.IntN(2))
	g.open("apply")
	g.line("ig_tm_md.ucast_egress_port = 2;")
	g.line("ig_tm_md.bypass_egress = 1;")
	g.line("pair_t pair = { 1, 2 };")
	g.vars = append(g.vars, variable{name: "pair.lo", t: bit(8)}, variable{name: "pair.hi", t: bit(8)})
	g.place = inControl
	g.budget = 120
	for _, t := range g.tables { // each at least once
		if g.chance(70) {
			g.apply(t)
		}
	}
	g.statements(8+g.IntN(8), 3)
	g.close("")
	g.close("")
}
