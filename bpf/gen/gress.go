package gen

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// gress generates the functions of one half of the pipeline.
type gress struct {
	*ir.Gress
	d      *Description
	prefix string // of function names: "in" or "eg"
	out    *writer
	err    error
	labels int

	extracted map[*ir.HeaderInst]bool // by the parser
	toggled   map[*ir.HeaderInst]bool // set valid or invalid by the control
	assigned  map[*ir.Var]bool        // fields written by the control or deparser
	intrinsic map[string]bool         // intrinsic variables that are read
	nowReads  int                     // how often the program reads the time
	actions   []*ir.Action            // used by this gress, in order of need
	tables    []*ir.Table
	regs      []*ir.RegisterAction
	// returnLabel is where Return goes inside inlined blocks; "" in functions.
	returnLabel string
	inFunction  bool // an action or register action: Return is C's
	exitLabel   string
	// phase restricts what is emitted in a block with UpdatesFirst.
	phase int
	// bound gives variables another place while a function outside the
	// gress's state is written.
	bound map[*ir.Var]string
	// opaque hides what variables hold from the verifier; see p4xdp.h.
	opaque bool
}

// Phases of a block with UpdatesFirst: the bits of P4_UPDATES and P4_QUERIES.
const (
	phaseUpdates = 1
	phaseQueries = 2
	phaseAll     = 3
)

func (g *gress) fail(pos ir.Pos, format string, args ...any) {
	if g.err == nil {
		g.err = errorf(pos, format, args...)
	}
}

// Intrinsic variables that this target sets, and those that it reads.
var (
	intrinsicIn = map[string]bool{
		ir.IntrIngressPort: true, ir.IntrMacTstamp: true, ir.IntrResubmit: true, ir.IntrPrsrTstamp: true,
		ir.IntrParserErr: true, ir.IntrEgressPort: true, ir.IntrEgressRid: true, ir.IntrPktLength: true,
		ir.IntrEgrTstamp: true, ir.IntrEgrErr: true,
	}
	intrinsicOut = map[string]bool{
		ir.IntrUcastPort: true, ir.IntrMcastA: true, ir.IntrDropIn: true, ir.IntrDigestType: true, ir.IntrDropEg: true,
	}
)

func isTime(name string) bool {
	return name == ir.IntrMacTstamp || name == ir.IntrPrsrTstamp || name == ir.IntrEgrTstamp
}

// read is the C expression for a variable.
func (g *gress) read(v *ir.Var) string {
	if v.Kind == ir.Intrinsic && isTime(v.Name) {
		return "(" + g.prefix + "_now(s) & 0xffffffffffffULL)"
	}
	return g.lvalue(v)
}

// lvalue is where a variable lives.
func (g *gress) lvalue(v *ir.Var) string {
	if s, ok := g.bound[v]; ok {
		return s
	}
	switch v.Kind {
	case ir.Param, ir.RegValue, ir.RegResult:
		return flat(v.Name)
	}
	return "s->" + memberPath(v.Name)
}

func (g *gress) header(h *ir.HeaderInst) string { return "s->" + memberPath(h.Name) }

func memberPath(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = ident(p)
	}
	return strings.Join(parts, ".")
}

// at is the comment that leads back to the P4 source.
func at(pos ir.Pos) string {
	if pos.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" /* %s:%d */", path.Base(pos.File), pos.Line)
}

// survey walks the program once and notes what the other functions need.
func (g *gress) survey() {
	g.extracted = map[*ir.HeaderInst]bool{}
	g.toggled = map[*ir.HeaderInst]bool{}
	g.assigned = map[*ir.Var]bool{}
	g.intrinsic = map[string]bool{}
	for _, st := range g.Parser.States {
		g.surveyStmts(st.Body)
		for _, k := range st.Keys {
			g.surveyExpr(k)
		}
	}
	// What the parser does before the control runs is not a rewrite, except
	// for an assignment to a field.
	g.surveyStmts(g.Control)
	g.surveyStmts(g.Deparser)
}

func (g *gress) surveyStmts(stmts []ir.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *ir.Assign:
			g.assign(s.Dst, s.Pos)
			g.surveyExpr(s.Src)
		case *ir.If:
			g.surveyExpr(s.Cond)
			g.surveyStmts(s.Then)
			g.surveyStmts(s.Else)
		case *ir.Block:
			if s.Atomic {
				g.fail(s.Pos, "@atomic block: not supported on XDP")
			}
			g.surveyStmts(s.Body)
		case *ir.Apply:
			g.useTable(s.Table)
			if s.Hit != nil {
				g.assign(s.Hit, s.Pos)
			}
			for _, c := range s.Cases {
				g.surveyStmts(c.Body)
			}
			g.surveyStmts(s.Default)
		case *ir.Call:
			g.useAction(s.Action)
			for _, a := range s.Args {
				g.surveyExpr(a)
			}
		case *ir.SetValid:
			g.toggled[s.Header] = true
		case *ir.CopyHeader:
			g.toggled[s.Dst] = true
			for _, f := range s.Dst.Fields {
				g.assigned[f] = true
			}
		case *ir.Count:
			g.surveyExpr(s.Index)
		case *ir.RegisterExec:
			g.surveyExpr(s.Index)
			if s.Dst != nil {
				g.assign(s.Dst, s.Pos)
			}
			g.useRegisterAction(s.Action)
		case *ir.RegisterRead:
			g.surveyExpr(s.Index)
			for _, d := range s.Dst {
				g.assign(d, s.Pos)
			}
		case *ir.RegisterWrite:
			g.surveyExpr(s.Index)
			for _, e := range s.Src {
				g.surveyExpr(e)
			}
		case *ir.RandomGet:
			g.assign(s.Dst, s.Pos)
		case *ir.HashGet:
			g.assign(s.Dst, s.Pos)
			for _, e := range s.Inputs {
				g.surveyExpr(e)
			}
		case *ir.DigestPack:
			for _, e := range s.Fields {
				g.surveyExpr(e)
			}
		case *ir.Extract:
			g.extracted[s.Header] = true
		case *ir.Advance:
			g.surveyExpr(s.Bits)
		case *ir.Lookahead:
			for _, d := range s.Dst {
				g.assign(d, s.Pos)
			}
		case *ir.ChecksumAdd:
			for _, e := range s.Inputs {
				g.surveyExpr(e)
			}
		case *ir.ChecksumVerify:
			g.assign(s.Dst, s.Pos)
		case *ir.ChecksumUpdate:
			g.assign(s.Dst, s.Pos)
			for _, e := range s.Inputs {
				g.surveyExpr(e)
			}
		}
	}
}

func (g *gress) assign(v *ir.Var, pos ir.Pos) {
	if v.Kind == ir.Intrinsic && !intrinsicOut[v.Name] {
		g.fail(pos, "assignment to %s: not supported on XDP", v.Name)
	}
	g.assigned[v] = true
}

func (g *gress) surveyExpr(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Ref:
		if e.Var.Kind != ir.Intrinsic {
			return
		}
		if !intrinsicIn[e.Var.Name] && !intrinsicOut[e.Var.Name] {
			g.fail(e.Var.Pos, "%s: not supported on XDP", e.Var.Name)
		}
		g.intrinsic[e.Var.Name] = true
		if isTime(e.Var.Name) {
			g.nowReads++
		}
	case *ir.Unary:
		g.surveyExpr(e.X)
	case *ir.Binary:
		g.surveyExpr(e.X)
		g.surveyExpr(e.Y)
	case *ir.Cast:
		g.surveyExpr(e.X)
	case *ir.Slice:
		g.surveyExpr(e.X)
	case *ir.Mux:
		g.surveyExpr(e.Cond)
		g.surveyExpr(e.X)
		g.surveyExpr(e.Y)
	}
}

func (g *gress) useTable(t *ir.Table) {
	for _, x := range g.tables {
		if x == t {
			return
		}
	}
	for _, k := range t.Keys {
		g.surveyExpr(k.Expr)
	}
	for _, a := range t.Actions {
		g.useAction(a.Action)
	}
	if t.Default.Action != nil {
		g.useAction(t.Default.Action)
	}
	g.tables = append(g.tables, t)
}

func (g *gress) useAction(a *ir.Action) {
	for _, x := range g.actions {
		if x == a {
			return
		}
	}
	g.surveyStmts(a.Body) // an action that it calls comes first
	g.actions = append(g.actions, a)
}

func (g *gress) useRegisterAction(a *ir.RegisterAction) {
	for _, x := range g.regs {
		if x == a {
			return
		}
	}
	g.surveyStmts(a.Body)
	g.regs = append(g.regs, a)
}

// updates reports whether a register action may change its register.
func updates(a *ir.RegisterAction) bool {
	var in func([]ir.Stmt) bool
	in = func(stmts []ir.Stmt) bool {
		for _, s := range stmts {
			switch s := s.(type) {
			case *ir.Assign:
				if s.Dst.Kind == ir.RegValue {
					return true
				}
			case *ir.If:
				if in(s.Then) || in(s.Else) {
					return true
				}
			case *ir.Block:
				if in(s.Body) {
					return true
				}
			}
		}
		return false
	}
	return in(a.Body)
}

// actionUpdates reports whether an action may change a register.
func actionUpdates(a *ir.Action) bool {
	var in func([]ir.Stmt) bool
	in = func(stmts []ir.Stmt) bool {
		for _, s := range stmts {
			switch s := s.(type) {
			case *ir.RegisterExec:
				if updates(s.Action) {
					return true
				}
			case *ir.RegisterWrite:
				return true
			case *ir.If:
				if in(s.Then) || in(s.Else) {
					return true
				}
			case *ir.Block:
				if in(s.Body) {
					return true
				}
			case *ir.Call:
				if actionUpdates(s.Action) {
					return true
				}
			}
		}
		return false
	}
	return in(a.Body)
}

// node is a member of the state struct: a variable or a struct of members.
type node struct {
	name    string
	v       *ir.Var
	h       *ir.HeaderInst
	members []*node
}

func (n *node) child(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m
		}
	}
	m := &node{name: name}
	n.members = append(n.members, m)
	return m
}

func (n *node) path(name string) *node {
	for _, p := range strings.Split(name, ".") {
		n = n.child(ident(p))
	}
	return n
}

// stateStruct declares what the gress knows of a packet.
func (g *gress) stateStruct() {
	root := &node{}
	for _, h := range g.Headers {
		n := root.path(h.Name)
		n.h = h
		for i, f := range h.Fields {
			if f.Type.Width > 64 {
				continue // never in an expression: stays in the packet
			}
			n.child(ident(h.Type.Fields[i].Name)).v = f
		}
	}
	vars := append([]*ir.Var(nil), g.Vars...)
	sort.SliceStable(vars, func(i, j int) bool { return vars[i].Kind < vars[j].Kind })
	for _, v := range vars {
		if v.Kind == ir.Param || v.Kind == ir.RegValue || v.Kind == ir.RegResult {
			continue
		}
		if v.Type.Width > 64 {
			g.fail(v.Pos, "variable %s of %d bits (at most 64 on XDP)", v.Name, v.Type.Width)
		}
		root.path(v.Name).v = v
	}
	o := g.out
	o.line("/* What the %s knows of a packet. Of a header: whether it is valid, whether", g.Gress.Name)
	o.line(" * it was changed since it was extracted (2: made anew), and where it lies in")
	o.line(" * the packet (0: it was not extracted). */")
	o.open("struct %s {", g.Gress.Name)
	for _, n := range root.members {
		g.member(n)
	}
	o.line("u32 parsed;      /* bytes of headers that were extracted */")
	o.line("u64 time;        /* ns; see %s_now() */", g.prefix)
	o.line("u32 length;      /* of the frame, in bytes */")
	o.line("u16 parser_error;")
	o.line("u8 contention;   /* a register could not be changed */")
	if g.prefix == "in" {
		o.line("u8 unicast;      /* ucast_egress_port was written */")
	}
	o.close("};")
	o.line("")
}

func (g *gress) member(n *node) {
	o := g.out
	if n.v != nil {
		o.line("%s %s;%s", cType(n.v.Type.Width), n.name, width(n.v.Type))
		return
	}
	o.open("struct {")
	if n.h != nil {
		o.line("u8 valid, dirty, *at;")
	}
	for _, m := range n.members {
		g.member(m)
	}
	o.close("} %s;", n.name)
}

func width(t ir.Type) string {
	if t.Kind == ir.Bit && (t.Width == 8 || t.Width == 16 || t.Width == 32 || t.Width == 64) {
		return ""
	}
	return " /* " + t.String() + " */"
}

// writer collects indented text.
type writer struct {
	b     strings.Builder
	depth int
}

func (w *writer) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if s != "" {
		w.b.WriteString(strings.Repeat("\t", w.depth))
	}
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *writer) open(format string, args ...any) {
	w.line(format, args...)
	w.depth++
}

func (w *writer) close(format string, args ...any) {
	w.depth--
	w.line(format, args...)
}

// label writes a label one level out.
func (w *writer) label(name string) {
	w.depth--
	w.line("%s:;", name)
	w.depth++
}
