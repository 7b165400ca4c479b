package lower

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// maxStates bounds the number of states after inlining.
const maxStates = 4096

// intrExtract stands for the extraction of the intrinsic metadata until
// frameStart takes it out; it is in no finished program.
type intrExtract struct {
	ir.Stmt
	pos diag.Pos
}

// portRead stands for the reading of the port metadata by port_metadata_unpack, into dst, until frameStart puts the table there.
type portRead struct {
	ir.Stmt
	typ  *types.Struct
	dst  []*ir.Var
	name string
	pos  diag.Pos
}

// parserInst is one inlined parser: where its states are, and where accept
// leads.
type parserInst struct {
	decl   *types.Parser
	env    *env
	prefix string
	accept ir.Target
	states map[string]*ir.State
}

// topParser lowers the parser of a gress.
func (g *gress) topParser(p *types.Parser, e *env) *ir.Parser {
	out := &ir.Parser{}
	pi := g.enterParser(p, e, "", ir.Target{}, out)
	if pi == nil {
		return out
	}
	g.frameStart(out, p.Decl.Name.At)
	g.rejectLoops(out, p.Decl.Name.At)
	g.warnRewrites(out)
	return out
}

// enterParser lowers the states of a parser and returns the instance.
func (g *gress) enterParser(p *types.Parser, e *env, prefix string, accept ir.Target, out *ir.Parser) *parserInst {
	pi := &parserInst{decl: p, env: e, prefix: prefix, accept: accept, states: map[string]*ir.State{}}
	g.warnAnnots(p.Decl.Annots)
	b := &body{g: g, env: e}
	var sets []*valueSet
	for _, d := range p.Decl.Locals {
		if v, ok := d.(*syntax.ValueSet); ok {
			if s := b.valueSet(v); s != nil {
				sets = append(sets, s)
			}
			continue
		}
		b.declare(d)
	}
	var order []*syntax.State
	for _, s := range p.Decl.States {
		if s.Name.Name == "start" {
			order = append([]*syntax.State{s}, order...)
		} else {
			order = append(order, s)
		}
	}
	// All states exist before any is lowered: transitions go everywhere.
	for _, s := range order {
		st := &ir.State{Name: prefix + s.Name.Name, Annotations: g.annotations(s.Annots), Pos: pos(s.Name.At)}
		pi.states[s.Name.Name] = st
		out.States = append(out.States, st)
		if len(out.States) > maxStates {
			if !g.full {
				g.full = true
				g.errorf(s.Pos(), diag.Unsupported, "the parser has more than %d states", maxStates)
			}
			return nil
		}
	}
	for i, s := range order {
		g.warnAnnots(s.Annots)
		if i == 0 {
			pi.states[s.Name.Name].Body = b.stmts // initial values of locals
		}
		g.state(pi, s, out)
	}
	g.keepSets(sets)
	return pi
}

// state lowers the body of one state. The application of a sub-parser cuts it
// in two: the sub-parser accepts into the second half.
func (g *gress) state(pi *parserInst, s *syntax.State, out *ir.Parser) {
	cur := pi.states[s.Name.Name]
	b := &body{g: g, env: pi.env.child()}
	b.stmts = cur.Body
	for i, st := range s.Stmts {
		if c, ok := st.(*syntax.CallStmt); ok {
			call := g.info.Calls[c.Call]
			if call != nil && (call.Kind == types.CallApply || call.Kind == types.CallDirectApply) {
				next := &ir.State{Name: fmt.Sprintf("%s.%d", cur.Name, i+1), Pos: pos(st.Pos())}
				if !b.applyParser(c.Call, call, cur, next, pi, out) {
					return
				}
				cur = next
				out.States = append(out.States, next)
				continue
			}
		}
		b.stmt(st)
	}
	t := s.Transition
	if t == nil {
		cur.Body, cur.Next = b.stmts, g.reject(cur, s.Name.At, "state "+s.Name.Name+" has no transition")
		return
	}
	if t.Next != nil {
		cur.Body, cur.Next = b.stmts, g.target(pi, cur, t.Next)
		return
	}
	cur.Keys = b.exprs(t.Keys)
	sets := b.setsOf(t, cur)
	for _, c := range t.Cases {
		ic := ir.SelectCase{Next: g.target(pi, cur, c.Next), Pos: pos(c.Pos())}
		for i, p := range partsOf(c.Set, len(t.Keys)) {
			if _, ok := p.(*syntax.Default); ok || b.inSet(p) != nil {
				ic.Sets = append(ic.Sets, ir.KeySet{Any: true})
			} else if i < len(t.Keys) {
				ic.Sets = append(ic.Sets, b.keySet(p, cur.Keys[i].Type().Width))
			}
		}
		ic.Sets = append(ic.Sets, sets.asked(c, len(t.Keys))...)
		cur.Cases = append(cur.Cases, ic)
	}
	cur.Body = b.stmts
}

// target resolves the name of a state that from leads to. Reject ends the parser, a
// sub-parser's callers included.
func (g *gress) target(pi *parserInst, from *ir.State, id *syntax.Ident) ir.Target {
	switch id.Name {
	case "accept":
		return pi.accept
	case "reject":
		return g.reject(from, id.At, "transition reject")
	}
	return ir.Target{State: pi.states[id.Name]}
}

// reject is accept, as on the chip, with a warning.
func (g *gress) reject(from *ir.State, at diag.Pos, what string) ir.Target {
	g.diags.Warnf(at, diag.Chip, "%s: the chip goes on as if it said accept, without a parser error, and so does this switch (drop the packet in the control)", what)
	g.rejects[from]++
	return ir.Target{}
}

// applyParser inlines a sub-parser between cur and next.
func (b *body) applyParser(e *syntax.Call, c *types.Call, cur, next *ir.State, pi *parserInst, out *ir.Parser) bool {
	p, ok := c.Callee.(*types.Parser)
	if !ok {
		b.g.errorf(e.Pos(), diag.Unsupported, "a control cannot be applied in a parser")
		return false
	}
	if len(p.TypeParams) > 0 {
		b.g.errorf(e.Pos(), diag.Unsupported, "parser %q: a parser with type parameters and states is not supported", p.Name)
		return false
	}
	blk := b.calledBlock(e, c)
	if blk == nil {
		return false
	}
	pe := blk.env.child()
	bind, ok := b.bindArgs(pe, callee{name: p.Name, params: p.Params}, c.Args)
	if !ok {
		return false
	}
	name := blk.inst.Name
	if name == "" {
		name = p.Name
	}
	prefix := uniquePrefix(out, pi.prefix+name+".")
	sub := b.g.enterParser(p, pe, prefix, ir.Target{State: next}, out)
	if sub == nil || sub.states["start"] == nil {
		return false
	}
	cur.Body, cur.Next = b.stmts, ir.Target{State: sub.states["start"]}
	b.stmts = nil
	b.leave(bind)
	return true
}

func uniquePrefix(out *ir.Parser, prefix string) string {
	for i := 0; ; i++ {
		p := prefix
		if i > 0 {
			p = fmt.Sprintf("%s_%d.", prefix[:len(prefix)-1], i)
		}
		taken := false
		for _, s := range out.States {
			taken = taken || s.Name == p+"start"
		}
		if !taken {
			return p
		}
	}
}

// successors of a state, without the final ones.
func successors(s *ir.State) []*ir.State {
	var out []*ir.State
	if s.Keys == nil {
		if s.Next.State != nil {
			out = append(out, s.Next.State)
		}
		return out
	}
	for _, c := range s.Cases {
		if c.Next.State != nil {
			out = append(out, c.Next.State)
		}
	}
	return out
}

// accepts reports whether a state says accept.
func (g *gress) accepts(s *ir.State) bool {
	n := 0
	if s.Keys == nil && s.Next.State == nil {
		n++
	}
	for _, c := range s.Cases {
		if c.Next.State == nil {
			n++
		}
	}
	return n > g.rejects[s]
}

// How much of what hardware puts in front of a frame has been read: nothing; else the intrinsic metadata and so many bits of the
// port metadata, behind which the frame begins.
const phaseStart = -1

// frameStart removes the extraction of the intrinsic metadata and the advance over the port metadata, and has a table give the port
// metadata where the parser reads them. It checks that every path passes both before it touches the frame. States that nothing
// leads to are dropped.
func (g *gress) frameStart(p *ir.Parser, at diag.Pos) {
	g.dropResubmitted(p)
	entry := map[*ir.State]int{p.States[0]: phaseStart}
	work := []*ir.State{p.States[0]}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		phase := entry[s]
		var kept []ir.Stmt
		for _, st := range s.Body {
			next, keep, msg := g.step(phase, st)
			if msg != "" {
				g.errorf(at, diag.Architecture, "state %s: %s", s.Name, msg)
				return
			}
			phase = next
			kept = append(kept, keep...)
		}
		s.Body = kept
		// An egress parser that reads nothing need not read what hardware puts
		// in front either: Tofino's compiler skips it (EmptyEgressParser).
		empty := phase == phaseStart && g.side.portMeta == 0
		if phase != g.side.portMeta && !empty && g.accepts(s) {
			g.errorf(at, diag.Architecture, "state %s accepts too early: the parser must first extract %s%s", s.Name, g.side.intr, g.overPort())
			return
		}
		for _, n := range successors(s) {
			old, seen := entry[n]
			switch {
			case !seen:
				entry[n] = phase
				work = append(work, n)
			case old != phase:
				g.errorf(at, diag.Architecture, "state %s is reached with and without the intrinsic metadata read", n.Name)
				return
			}
		}
	}
	keep := p.States[:0]
	for _, s := range p.States {
		if _, ok := entry[s]; ok {
			keep = append(keep, s)
		}
	}
	p.States = keep
}

// dropResubmitted removes the ways of resubmitted packets, of which there are none: what lies in front of their frames is no port
// metadata.
func (g *gress) dropResubmitted(p *ir.Parser) {
	for _, s := range p.States {
		if len(s.Keys) != 1 {
			continue
		}
		if r, ok := s.Keys[0].(*ir.Ref); !ok || r.Var.Name != ir.IntrResubmit {
			continue
		}
		for _, c := range s.Cases {
			if k := c.Sets[0]; k.Any || !k.Range && k.Value.Sign() == 0 {
				s.Keys, s.Cases, s.Next = nil, nil, c.Next
				break
			}
		}
	}
}

func (g *gress) overPort() string {
	if g.side.portMeta > 0 {
		return " and advance by PORT_METADATA_SIZE"
	}
	return ""
}

// step follows one statement, and returns what stands in its place; msg says what is wrong.
func (g *gress) step(phase int, st ir.Stmt) (next int, keep []ir.Stmt, msg string) {
	const intr = "the parser must first extract "
	inPort := phase != phaseStart && phase < g.side.portMeta
	switch st := st.(type) {
	case *intrExtract:
		if phase != phaseStart {
			return phase, nil, g.side.intr + " is extracted twice"
		}
		return 0, nil, ""
	case *ir.Advance:
		switch {
		case phase == phaseStart:
			return phase, nil, intr + g.side.intr
		case inPort:
			c, ok := st.Bits.(*ir.Const)
			if !ok || !c.Value.IsInt64() {
				return phase, nil, "an advance over port metadata must be known when compiling"
			}
			n := phase + int(min(c.Value.Int64(), 1<<20))
			if rest := n - g.side.portMeta; rest > 0 {
				st.Bits = constInt(c.T, int64(rest))
				return g.side.portMeta, []ir.Stmt{st}, ""
			}
			return n, nil, ""
		}
	case *portRead:
		if phase != 0 || g.side.portMeta == 0 {
			return phase, nil, "port_metadata_unpack belongs directly behind the extraction of ig_intr_md"
		}
		read, msg := g.portMetadata(st.name, fieldsOf(st.dst), st.dst, pos(st.pos))
		return g.side.portMeta, read, msg
	case *ir.Extract:
		if phase == phaseStart {
			return phase, nil, intr + g.side.intr + g.overPort()
		}
		if !inPort {
			break
		}
		if bits := 8 * st.Header.Type.Bytes(); phase != 0 || bits > g.side.portMeta {
			return phase, nil, "header " + st.Header.Name + " is partly port metadata and partly of the frame (" + intr + g.side.intr + g.overPort() + ")"
		}
		read, msg := g.portMetadata(st.Header.Name, st.Header.Type.Fields, st.Header.Fields, st.Pos)
		return 8 * st.Header.Type.Bytes(), append([]ir.Stmt{&ir.SetValid{Header: st.Header, Valid: true, Pos: st.Pos}}, read...), msg
	case *ir.Lookahead:
		if phase == phaseStart {
			return phase, nil, intr + g.side.intr + g.overPort()
		}
		if !inPort {
			break
		}
		bits := 0
		for _, v := range st.Dst {
			bits += v.Type.Width
		}
		if phase != 0 || bits > g.side.portMeta {
			return phase, nil, "a lookahead over port metadata and the frame (" + intr + g.side.intr + g.overPort() + ")"
		}
		read, msg := g.portMetadata("lookahead", fieldsOf(st.Dst), st.Dst, st.Pos)
		return phase, read, msg
	}
	return phase, []ir.Stmt{st}, ""
}

// fieldsOf are variables as fields, by the last parts of their names.
func fieldsOf(vars []*ir.Var) (out []ir.FieldType) {
	for _, v := range vars {
		out = append(out, ir.FieldType{Name: v.Name[strings.LastIndexByte(v.Name, '.')+1:], Type: v.Type})
	}
	return out
}

// portTable is the table that gives the port metadata: hardware has them from a table that the control plane fills, by port.
type portTable struct {
	table  *ir.Table
	fields []ir.FieldType
	vars   []*ir.Var
}

// portMetadata returns the statements that read the port metadata into variables. The table is the pipeline's $PORT_METADATA; a port
// without an entry has zeros.
func (g *gress) portMetadata(what string, fields []ir.FieldType, dst []*ir.Var, at ir.Pos) (out []ir.Stmt, wrong string) {
	if len(fields) == 0 {
		return nil, ""
	}
	if g.port == nil {
		t := &portTable{fields: fields}
		set := &ir.Action{Name: g.prog.Pipe + ".set_port_metadata", Pos: at}
		var zeros []*big.Int
		for _, f := range fields {
			v, p := g.temp(f.Type, "port_metadata", at), &ir.Var{Name: f.Name, Type: f.Type, Kind: ir.Param, Pos: at}
			t.vars = append(t.vars, v)
			set.Params, set.ParamAnnots = append(set.Params, p), append(set.ParamAnnots, nil)
			set.Body = append(set.Body, &ir.Assign{Dst: v, Src: &ir.Ref{Var: p}, Pos: at})
			zeros = append(zeros, new(big.Int))
		}
		port := g.roots[g.side.intr]
		if port == nil {
			return nil, g.side.intr + " is not a parameter of the parser"
		}
		var key ir.Expr
		for _, s := range port.scalars() {
			if s.v != nil && s.v.Name == ir.IntrIngressPort {
				key = s.load()
			}
		}
		t.table = &ir.Table{
			Name: g.prog.Pipe + ".$PORT_METADATA", Gress: g.ir, Size: 1 << key.Type().Width,
			Keys:    []*ir.Key{{Name: ir.IntrIngressPort, ID: 1, Expr: key, Width: key.Type().Width, Match: ir.Exact, Pos: at}},
			Actions: []ir.ActionRef{{Action: set}}, Default: ir.ActionCall{Action: set, Args: zeros}, Pos: at,
		}
		g.prog.Actions = append(g.prog.Actions, set)
		g.prog.Tables = append(g.prog.Tables, t.table)
		g.port = t
	}
	same := slices.EqualFunc(fields, g.port.fields, func(a, b ir.FieldType) bool { return a.Name == b.Name && a.Type == b.Type })
	if !same {
		return nil, "the port metadata are read as " + what + ", and elsewhere as something else"
	}
	out = append(out, &ir.Apply{Table: g.port.table, Pos: at})
	for i, v := range dst {
		out = append(out, &ir.Assign{Dst: v, Src: &ir.Ref{Var: g.port.vars[i]}, Pos: at})
	}
	return out, ""
}

// rejectLoops reports cycles of states: a target must know that parsing ends.
func (g *gress) rejectLoops(p *ir.Parser, at diag.Pos) {
	const open, done = 1, 2
	mark := map[*ir.State]int{}
	var visit func(s *ir.State) bool
	visit = func(s *ir.State) bool {
		mark[s] = open
		for _, n := range successors(s) {
			if mark[n] == open {
				g.errorf(at, diag.ParserLoop, "state %s leads back to itself through %s: loops in a parser are not supported", n.Name, s.Name)
				return false
			}
			if mark[n] == 0 && !visit(n) {
				return false
			}
		}
		mark[s] = done
		return true
	}
	if len(p.States) > 0 {
		visit(p.States[0])
	}
}
