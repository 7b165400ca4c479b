package lower

import (
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// maxStmts bounds the size of a lowered program: inlining can multiply.
const maxStmts = 1 << 18

// Lower lowers a checked program; it returns nil when it reports errors.
func Lower(name string, prog *syntax.Program, info *types.Info, diags *diag.List) *ir.Program {
	l := &lowerer{
		info: info, diags: diags,
		prog:    &ir.Program{Name: name},
		headers: map[*types.Struct]*ir.HeaderType{},
		globals: map[*types.Action]*ir.Action{},
		ids:     map[uint32]string{},
	}
	l.controllerHeaders()
	l.constants(prog)
	l.pipeline(prog)
	l.checkCells()
	if diags.HasErrors() {
		return nil
	}
	l.warnEntries()
	return l.prog
}

type lowerer struct {
	info  *types.Info
	diags *diag.List
	prog  *ir.Program

	headers map[*types.Struct]*ir.HeaderType
	globals map[*types.Action]*ir.Action // actions of the program, such as NoAction
	ids     map[uint32]string
	direct  []*extern // that belong to the entries of a table
	stmts   int
	full    bool
}

func (l *lowerer) errorf(pos diag.Pos, c diag.Code, format string, args ...any) *diag.Diagnostic {
	return l.diags.Errorf(pos, c, format, args...)
}

// pos converts a position.
func pos(p diag.Pos) ir.Pos {
	if !p.IsValid() {
		return ir.Pos{}
	}
	return ir.Pos{File: p.Filename(), Line: p.LineNumber(), Col: int(p.Col)}
}

// blocks are the six arguments of Pipeline, by the name of the parameter.
var blockNames = []string{"ingress_parser", "ingress", "ingress_deparser", "egress_parser", "egress", "egress_deparser"}

// pipeline finds Switch(pipe) main and lowers its blocks.
func (l *lowerer) pipeline(prog *syntax.Program) {
	var end diag.Pos
	if n := len(prog.Decls); n > 0 {
		end = prog.Decls[n-1].Pos()
	}
	main := l.info.Main
	if main == nil {
		l.errorf(end, diag.Architecture, "the program has no package instance named main: Switch(pipe) main;")
		return
	}
	pkg, ok := main.Type.(*types.Package)
	if !ok || pkg.Name != "Switch" {
		l.errorf(main.Pos, diag.Architecture, "main must be an instance of Switch (TNA), not of %s", main.Type)
		return
	}
	var pipe *types.Instance
	pipeName := "pipe"
	for i, a := range main.Args {
		if a == nil {
			continue
		}
		if i > 0 {
			l.errorf(a.Pos(), diag.Unsupported, "a Switch with several pipelines is not supported")
			return
		}
		pipe = l.instanceOf(a)
		if n, ok := a.(*syntax.NameExpr); ok {
			pipeName = n.Name
		}
	}
	if pipe == nil {
		l.errorf(main.Pos, diag.Architecture, "main needs a Pipeline")
		return
	}
	if p, ok := pipe.Type.(*types.Package); !ok || p.Name != "Pipeline" {
		l.errorf(pipe.Pos, diag.Architecture, "main needs a Pipeline, not %s", pipe.Type)
		return
	}
	l.prog.Pipe = pipeName
	for _, d := range []*syntax.Instance{main.Decl, pipe.Decl} {
		if d != nil {
			l.prog.Annotations = append(l.prog.Annotations, l.annotations(d.Annots)...)
		}
	}
	if len(pipe.Args) != len(blockNames) {
		l.errorf(pipe.Pos, diag.Architecture, "the program's own Pipeline has %d blocks; TNA's, which is in tna.p4, has %d: %s", len(pipe.Args), len(blockNames), strings.Join(blockNames, ", "))
		return
	}
	var blocks []*types.Instance
	for i, a := range pipe.Args {
		b := l.instanceOf(a)
		if b == nil {
			l.errorf(pipe.Pos, diag.Architecture, "argument %s of the pipeline must be an instance: Block()", blockNames[i])
			return
		}
		blocks = append(blocks, b)
	}
	l.prog.Ingress = l.gress(ingress, blocks[0], blocks[1], blocks[2])
	l.prog.Egress = l.gress(egress, blocks[3], blocks[4], blocks[5])
}

// instanceOf returns the instance that an argument of a package stands for.
func (l *lowerer) instanceOf(e syntax.Expr) *types.Instance {
	switch e := e.(type) {
	case *syntax.NameExpr:
		inst, _ := l.info.Uses[e].(*types.Instance)
		return inst
	case *syntax.Call:
		if c := l.info.Calls[e]; c != nil {
			return c.Instance
		}
	}
	return nil
}

// A side describes one gress: the canonical names of the parameters of its
// blocks, in the order that the architecture declares them.
type side struct {
	name     string
	parser   []string
	control  []string
	deparser []string
	intr     string // what the parser extracts first
	portMeta int    // bits of port metadata behind it
}

var (
	ingress = side{
		name:     "ingress",
		parser:   []string{"", "hdr", "md", "ig_intr_md", "ig_tm_md", "ig_prsr_md"},
		control:  []string{"hdr", "md", "ig_intr_md", "ig_prsr_md", "ig_dprsr_md", "ig_tm_md"},
		deparser: []string{"", "hdr", "md", "ig_dprsr_md", "ig_intr_md"},
		intr:     "ig_intr_md",
		portMeta: 64,
	}
	egress = side{
		name:     "egress",
		parser:   []string{"", "hdr", "md", "eg_intr_md", "eg_prsr_md", "eg_dprsr_md"},
		control:  []string{"hdr", "md", "eg_intr_md", "eg_prsr_md", "eg_dprsr_md", "eg_oport_md"},
		deparser: []string{"", "hdr", "md", "eg_dprsr_md", "eg_intr_md", "eg_prsr_md"},
		intr:     "eg_intr_md",
	}
)

// gress is the state of lowering one gress.
type gress struct {
	*lowerer
	side  side
	ir    *ir.Gress
	roots map[string]*store // by canonical name
	names map[string]bool   // variable names in use
	// where tells which statements are allowed.
	where where
	port  *portTable // nil: the parser does not read the port metadata
	// params are the parameters that the register action reads which is being lowered.
	params *[]paramRead
	// called counts the actions that are being inlined where a control calls them: no entry has matched for those.
	called int
	// rejects counts the transitions of a state that said reject.
	rejects map[*ir.State]int
}

type where uint8

const (
	inParser where = iota
	inControl
	inAction
	inDeparser
	inRegisterAction
)

func (l *lowerer) gress(s side, parser, control, deparser *types.Instance) *ir.Gress {
	g := &gress{
		lowerer: l, side: s,
		ir:      &ir.Gress{Name: s.name},
		roots:   map[string]*store{},
		names:   map[string]bool{},
		rejects: map[*ir.State]int{},
	}
	pt, ok1 := parser.Type.(*types.Parser)
	ct, ok2 := control.Type.(*types.Control)
	dt, ok3 := deparser.Type.(*types.Control)
	if !ok1 || !ok2 || !ok3 {
		l.errorf(parser.Pos, diag.Architecture, "the blocks of a pipeline are parser, control and deparser")
		return g.ir
	}
	env := &env{objects: map[types.Object]any{}}
	pe := g.blockEnv(env, parser, pt.Params, s.parser, pt.Name)
	ce := g.blockEnv(env, control, ct.Params, s.control, ct.Name)
	de := g.blockEnv(env, deparser, dt.Params, s.deparser, dt.Name)
	if pe == nil || ce == nil || de == nil {
		return g.ir
	}
	g.where = inParser
	g.ir.Parser = g.topParser(pt, pe)
	g.where = inControl
	g.ir.Control = g.topControl(ct, ce)
	g.where = inDeparser
	g.ir.Deparser = g.topControl(dt, de)
	if !l.diags.HasErrors() {
		g.collectVars()
		g.keepEarlyWrites()
	}
	return g.ir
}

// roleText names the role of a parameter to people.
func roleText(role string) string {
	switch role {
	case "":
		return "the packet"
	case "hdr":
		return "the headers"
	case "md":
		return "the metadata"
	}
	return role
}

// blockEnv binds the parameters of a top-level block to the storage of their
// roles.
func (g *gress) blockEnv(parent *env, inst *types.Instance, ps []*types.Param, roles []string, name string) *env {
	if len(ps) > len(roles) {
		g.errorf(inst.Pos, diag.Architecture, "%s has more parameters than its place in the pipeline has", name)
		return nil
	}
	e := parent.child()
	e.path = g.prog.Pipe + "." + name
	for i, p := range ps {
		role := roles[i]
		if _, isExtern := p.Type.(*types.ExternType); isExtern != (role == "") {
			g.errorf(p.Decl.At, diag.Architecture, "parameter %q of %s: TNA has %s in this place, not %s", p.Name, name, roleText(role), p.Type)
			return nil
		}
		if role == "" {
			e.objects[p.Var] = packet{}
			continue
		}
		r := g.roots[role]
		if r == nil {
			kind := ir.Meta
			if role != "hdr" && role != "md" {
				kind = ir.Intrinsic
			}
			r = g.newStore(p.Type, role, kind, p.Decl.At)
			if r == nil {
				return nil
			}
			g.roots[role] = r
		}
		if !types.Identical(r.typ, p.Type) {
			g.errorf(p.Decl.At, diag.Architecture, "parameter %q of %s has the type %s; the parser of the %s has %s", p.Name, name, p.Type, g.side.name, r.typ)
			return nil
		}
		e.objects[p.Var] = r
	}
	g.bindCtor(e, inst, parent)
	return e
}
