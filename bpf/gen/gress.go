package gen

import (
	"fmt"
	"path"
	"slices"
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
	labels int

	extracted map[*ir.HeaderInst]bool // by the parser
	toggled   map[*ir.HeaderInst]bool // set valid or invalid by the control
	made      map[*ir.HeaderInst]bool // set valid by the control
	// offset is where a header lies in every packet that has it, or -1 when
	// that depends on the packet.
	offset    map[*ir.HeaderInst]int
	assigned  map[*ir.Var]bool // fields written by the control or deparser
	intrinsic map[string]bool  // intrinsic variables that are read
	nowReads  int              // how often the program reads the time
	actions   []*ir.Action     // used by this gress, in order of need
	tables    []*ir.Table
	regs      []*ir.RegisterAction
	hashes    []*ir.HashGet
	// phased are the tables that are applied in a block with UpdatesFirst, and
	// inPhases says that the survey is inside one.
	phased   map[*ir.Table]bool
	inPhases bool
	// bitsOf is the number that a variable of one bit is part of, bitAt where.
	bitsOf map[*ir.Var]string
	bitAt  map[*ir.Var]int
	// hoisted are the rows that are looked up once, at the beginning of each of the
	// blocks that all accesses to them are in; see hoist.
	hoisted map[*Rows][]*ir.Block
	// returnLabel is where Return goes inside inlined blocks; "" in functions.
	returnLabel string
	// Names in C: members of the state by canonical name, functions and constants by
	// what they stand for, and what is declared in one function or struct.
	paths     map[string]string
	functions map[any]string
	local     map[*ir.Var]string
	headers   map[*ir.HeaderInst]string
	at        map[*ir.HeaderInst]string // members that point to headers
	sums      map[*ir.Checksum]string
	labelOf   map[*ir.State]string
	validIn   map[*ir.State]string // headers that are valid in states with code of their own
	own       int                  // functions of what follows tables with code of their own

	inFunction bool // an action or register action: Return is C's
	exitLabel  string
	// phase restricts what is emitted in a block with UpdatesFirst.
	phase int
	// bound gives variables another place while a function outside the
	// gress's state is written.
	bound map[*ir.Var]string
	// locked are the register actions that run in @atomic blocks only.
	locked     map[*ir.RegisterAction]bool
	takesLocks bool
	// together are runs of tables that ask the same, by the first of them, and joined are
	// tables that are applied in such a run only.
	together map[*ir.Apply][]*ir.Table
	joined   map[*ir.Table]bool
	// hidden are copies of variables of which the verifier knows nothing.
	hidden map[*ir.Var]string
}

// Phases of a block with UpdatesFirst: the bits of P4_UPDATES and P4_QUERIES.
const (
	phaseUpdates = 1
	phaseQueries = 2
	phaseAll     = 3
)

func (g *gress) fail(pos ir.Pos, format string, args ...any) {
	g.d.fail(pos, format, args...)
}

// Intrinsic variables that this target sets, and those that it reads.
var (
	intrinsicIn = map[string]bool{
		ir.IntrIngressPort: true, ir.IntrMacTstamp: true, ir.IntrResubmit: true, ir.IntrPrsrTstamp: true,
		ir.IntrParserErr: true, ir.IntrEgressPort: true, ir.IntrEgressRid: true, ir.IntrEnqQdepth: true, ir.IntrPktLength: true,
		ir.IntrEgrTstamp: true, ir.IntrEgrErr: true,
	}
	intrinsicOut = map[string]bool{
		ir.IntrUcastPort: true, ir.IntrMcastA: true, ir.IntrBypassEgr: true, ir.IntrDropIn: true, ir.IntrDigestType: true, ir.IntrDropEg: true,
	}
)

func isTime(name string) bool {
	return name == ir.IntrMacTstamp || name == ir.IntrPrsrTstamp || name == ir.IntrEgrTstamp
}

// read is the C expression for a variable.
func (g *gress) read(v *ir.Var) string {
	if v.Kind == ir.Field && (g.inPacket(v.Header) || g.inMeta(v.Header)) && g.bound[v] == "" {
		return g.getter(v) + "(s)"
	}
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
		return g.local[v]
	}
	return "s->" + g.memberPath(v.Name)
}

// memberPath is the place of a variable in the state.
func (g *gress) memberPath(name string) string { return g.paths[name] }

// function names a function or a constant of the gress that stands for something in
// the program.
func (g *gress) function(of any, kind, name string) string {
	key := [2]any{of, kind}
	if g.functions[key] == "" {
		g.functions[key] = g.d.top.name(g.prefix+"_"+kind, name)
	}
	return g.functions[key]
}

// at is the comment that leads back to the P4 source.
func at(pos ir.Pos) string {
	if pos.Line == 0 {
		return ""
	}
	return fmt.Sprintf(" /* %s:%d */", path.Base(pos.File), pos.Line)
}

// inPacket reports whether a header's fields stay in the packet: it comes from
// there, and the program does not make it anew. Other headers are kept in
// variables until the deparser writes them.
func (g *gress) inPacket(h *ir.HeaderInst) bool {
	return g.extracted[h] && !g.made[h] && !g.bridged(h)
}

// bridged reports whether a header travels in the metadata.
func (g *gress) bridged(h *ir.HeaderInst) bool {
	return g.prefix == "in" && h == g.d.bridgeIn || g.prefix == "eg" && h == g.d.bridgeEg
}

// inMeta reports whether a header's fields are in the metadata from the beginning:
// the bridged header of the ingress.
func (g *gress) inMeta(h *ir.HeaderInst) bool { return g.prefix == "in" && h == g.d.bridgeIn }

// getter and setter are the functions for a field in the packet or in the metadata.
func (g *gress) getter(v *ir.Var) string { return g.function(v, "", v.Name) }
func (g *gress) setter(v *ir.Var) string { return g.function(v, "set_", v.Name) }

// valid is the condition that a header is valid, and bit its bit in s->valid.
func (g *gress) valid(h *ir.HeaderInst) string { return "(s->valid & " + g.bit(h) + ")" }
func (g *gress) bit(h *ir.HeaderInst) string {
	return strings.ToUpper(g.prefix) + "_" + g.headers[h]
}

// where is the place of a header that was extracted.
func (g *gress) where(h *ir.HeaderInst) string {
	if at, ok := g.offset[h]; ok && at >= 0 {
		if at == 0 {
			return "s->data"
		}
		return fmt.Sprintf("(s->data + %d)", at)
	}
	return "s->" + g.at[h]
}

// survey walks the program once and notes what the other functions need.
func (g *gress) survey() {
	g.extracted = map[*ir.HeaderInst]bool{}
	g.toggled = map[*ir.HeaderInst]bool{}
	g.made = map[*ir.HeaderInst]bool{}
	g.phased = map[*ir.Table]bool{}
	g.assigned = map[*ir.Var]bool{}
	g.bitsOf, g.bitAt = map[*ir.Var]string{}, map[*ir.Var]int{}
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
	if len(g.d.errors) == 0 {
		g.findOffsets()
		g.hoist()
		g.atomics()
		g.findTogether()
	}
}

// findOffsets walks the parser's paths.
func (g *gress) findOffsets() {
	g.offset = map[*ir.HeaderInst]int{}
	type visit struct {
		s  *ir.State
		at int
	}
	seen := map[visit]bool{}
	var walk func(s *ir.State, at int)
	walk = func(s *ir.State, at int) {
		if s == nil || seen[visit{s, at}] || len(seen) > 10000 {
			return
		}
		seen[visit{s, at}] = true
		for _, x := range s.Body {
			if a, ok := x.(*ir.Advance); ok {
				n, _ := skippedBytes(a)
				at += n
			}
			e, ok := x.(*ir.Extract)
			if !ok || g.bridged(e.Header) {
				continue
			}
			if old, ok := g.offset[e.Header]; ok && old != at {
				g.offset[e.Header] = -1
			} else if !ok {
				g.offset[e.Header] = at
			}
			at += e.Header.Type.Bytes()
		}
		walk(s.Next.State, at)
		for _, c := range s.Cases {
			walk(c.Next.State, at)
		}
	}
	if len(g.Parser.States) > 0 {
		walk(g.Parser.States[0], 0)
	}
}

func (g *gress) surveyStmts(stmts []ir.Stmt) {
	ir.Walk(stmts, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Block:
			if s.UpdatesFirst {
				outer := g.inPhases
				g.inPhases = true
				g.surveyStmts(s.Body)
				g.inPhases = outer
				return false
			}
		case *ir.Apply:
			g.useTable(s.Table)
			if g.inPhases {
				g.phased[s.Table] = true
			}
		case *ir.Call:
			g.useAction(s.Action)
		case *ir.SetValid:
			g.toggled[s.Header] = true
			g.made[s.Header] = g.made[s.Header] || s.Valid
		case *ir.CopyHeader:
			g.toggled[s.Dst], g.made[s.Dst] = true, true
		case *ir.RegisterExec:
			g.useRegisterAction(s.Action)
		case *ir.HashGet:
			g.hashes = append(g.hashes, s)
		case *ir.Extract:
			g.extracted[s.Header] = true
		}
		ir.Reads(s, g.surveyExpr)
		ir.Writes(s, func(v *ir.Var) { g.assign(v, s.At()) })
		return true
	})
}

func (g *gress) assign(v *ir.Var, pos ir.Pos) {
	if v.Kind == ir.Intrinsic && !intrinsicOut[v.Name] {
		g.fail(pos, "assignment to %s: not supported on XDP", v.Name)
	}
	g.assigned[v] = true
}

func (g *gress) surveyExpr(e ir.Expr) {
	ir.Vars(e, func(v *ir.Var) {
		if v.Kind != ir.Intrinsic {
			return
		}
		if !intrinsicIn[v.Name] && !intrinsicOut[v.Name] {
			g.fail(v.Pos, "%s: not supported on XDP", v.Name)
		}
		g.intrinsic[v.Name] = true
		if isTime(v.Name) {
			g.nowReads++
		}
	})
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
	return ir.Any(a.Body, func(s ir.Stmt) bool {
		x, ok := s.(*ir.Assign)
		return ok && x.Dst.Kind == ir.RegValue
	})
}

// actionUpdates reports whether an action may change a register.
func actionUpdates(a *ir.Action) bool {
	return ir.Any(a.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.RegisterExec:
			return updates(s.Action)
		case *ir.RegisterWrite:
			return true
		}
		found := false
		ir.Runs(s, func(a *ir.Action) { found = found || actionUpdates(a) })
		return found
	})
}

// node is a member of the state struct: a variable or a struct of members.
type node struct {
	name    string // in C
	v       *ir.Var
	members []*node
	byName  map[string]*node
	scope   scope
}

// child is the struct of members, or with v the variable, that P4 calls so.
func (n *node) child(p4 string, v *ir.Var) *node {
	key := p4
	if v != nil {
		key += " " // a variable may be called as a struct is
	}
	m := n.byName[key]
	if m == nil {
		m = &node{name: n.scope.name("", p4), v: v, byName: map[string]*node{}, scope: newScope()}
		n.byName[key] = m
		n.members = append(n.members, m)
	}
	return m
}

// put places a variable in the state struct.
func (g *gress) placeVar(root *node, v *ir.Var) {
	parts := strings.Split(v.Name, ".")
	n, path := root, ""
	for _, p := range parts[:len(parts)-1] {
		n = n.child(p, nil)
		path += n.name + "."
	}
	g.paths[v.Name] = path + n.child(parts[len(parts)-1], v).name
}

// place gives what the gress knows of a packet its place in the state struct.
func (g *gress) place() *node {
	root := &node{byName: map[string]*node{}, scope: newScope("data", "m", "valid", "extracted", "time", "length", "parser_error", "contention", "unicast", "cell", "skipped")}
	names := newScope()
	for _, h := range g.Headers {
		g.headers[h] = names.name("", h.Name)
	}
	for _, h := range g.Headers {
		if g.extracted[h] && !g.bridged(h) && g.offset[h] < 0 {
			g.at[h] = root.scope.name("at_", g.headers[h])
		}
	}
	for _, r := range g.d.Rows {
		root.scope[r.Var] = true
	}
	for _, h := range g.Headers {
		if g.inPacket(h) || g.inMeta(h) {
			continue
		}
		for _, f := range h.Fields {
			g.placeVar(root, f)
		}
	}
	vars := append([]*ir.Var(nil), g.Vars...)
	sort.SliceStable(vars, func(i, j int) bool { return vars[i].Kind < vars[j].Kind })
	for _, v := range vars {
		if v.Kind == ir.Param || v.Kind == ir.RegValue || v.Kind == ir.RegResult {
			continue
		}
		g.placeVar(root, v)
	}
	return root
}

// stateStruct declares what the gress knows of a packet.
func (g *gress) stateStruct() {
	o := g.out
	root := g.place()
	o.line("/* Headers of the %s: bits in valid and extracted. */", g.Gress.Name)
	if len(g.Headers) > 32 {
		g.fail(g.Headers[32].Type.Pos, "%d headers (at most 32 on XDP)", len(g.Headers))
	}
	if len(g.Headers) > 0 {
		o.open("enum {")
		for i, h := range g.Headers {
			o.line("%s = %#xu,", g.bit(h), 1<<i)
		}
		o.close("};")
	}
	o.line("")
	o.line("/* What the %s knows of a packet. Headers that came with the packet and are", g.Gress.Name)
	o.line(" * not made anew stay there; the others are members of hdr. */")
	o.open("struct %s {", g.Gress.Name)
	o.line("u8 *data;        /* the packet */")
	if g.prefix == "in" {
		o.line("struct meta *m;  /* its metadata, with the bridged header */")
	}
	o.line("u32 valid;       /* headers that are valid now */")
	o.line("u32 extracted;   /* headers that the parser found */")
	for _, h := range g.Headers {
		if g.extracted[h] && !g.bridged(h) && g.offset[h] < 0 {
			o.line("u8 *%s;", g.at[h])
		}
	}
	for _, n := range root.members {
		g.member(n)
	}
	for _, r := range g.d.Rows {
		if g.hoisted[r] != nil {
			o.line("struct %s *%s; /* the row that the packet looks at, or 0 */", r.Var, r.Var)
		}
	}
	o.line("u64 time;        /* ns; see %s_now() */", g.prefix)
	if slices.ContainsFunc(g.actions, countsDirectly) {
		o.line("u32 cell;        /* of the entry that matched, in the direct counter of its table */")
	}
	if g.skips() {
		o.line("u32 skipped;     /* bytes that the parser has passed and that are in no header */")
	}
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
	if n.v != nil && isWide(n.v.Type.Width) {
		o.line("u64 %s[%d]; /* %s */", n.name, limbs(n.v.Type.Width), n.v.Type)
		return
	}
	if n.v != nil {
		o.line("%s %s; /* %s */", stateType(n.v.Type.Width), n.name, n.v.Type)
		return
	}
	o.open("struct {")
	for i := 0; i < len(n.members); {
		j := i
		for j < len(n.members) && j-i < 32 && n.members[j].v != nil && n.members[j].v.Type.Width == 1 {
			j++
		}
		if j < i+2 {
			g.member(n.members[i])
			i++
			continue
		}
		g.bits(n, n.members[i:j])
		i = j
	}
	o.close("} %s;", n.name)
}

// bits declares a run of variables of one bit each as one number: the compiler
// has one value to keep instead of many. The last one comes first, so that a
// concatenation of them is a slice of the number.
func (g *gress) bits(n *node, run []*node) {
	o := g.out
	all := n.scope.name("bits_of_", run[0].name)
	o.open("union {")
	o.line("u32 %s;", all)
	o.open("struct {")
	for k := len(run) - 1; k >= 0; k-- {
		o.line("u32 %s : 1;", run[k].name)
		g.bitAt[run[k].v] = len(run) - 1 - k
		g.bitsOf[run[k].v] = strings.TrimSuffix(g.memberPath(run[k].v.Name), run[k].name) + all
	}
	o.close("};")
	o.close("};")
}

// stateType is the C type of a variable of w bits in the state struct: a number
// as wide as a machine register (or half of one), so that nothing needs to be cut
// off when it is used.
func stateType(w int) string { return cType(max(w, 32)) }

func width(t ir.Type) string {
	if t.Kind == ir.Bit && (t.Width == 8 || t.Width == 16 || t.Width == 32 || t.Width == 64) {
		return ""
	}
	return " /* " + t.String() + " */"
}

// fieldFuncs writes the functions that read and write fields in the packet. A
// field of an invalid header reads as zero; writing it does nothing.
func (g *gress) fieldFuncs() {
	o := g.out
	for _, h := range g.Headers {
		if g.inMeta(h) {
			g.metaFuncs(h)
		}
		if !g.inPacket(h) {
			continue
		}
		o.line("/* %s, in the packet. */", h.Name)
		for _, f := range h.Fields {
			w := f.Type.Width
			if w > 64 {
				continue
			}
			o.line("INLINE %s %s(struct %s *s) { return %s ? %s : 0; }", cType(w), g.getter(f), g.Gress.Name, g.valid(h), g.load(g.where(h), f.Offset, w, f.Pos))
			if g.assigned[f] {
				o.open("INLINE void %s(struct %s *s, %s v)\n{", g.setter(f), g.Gress.Name, cType(w))
				o.line("if (%s)", g.valid(h))
				o.line("\t%s;", g.store(g.where(h), f.Offset, w, f.Pos))
				o.close("}")
			}
		}
		o.line("")
	}
}
