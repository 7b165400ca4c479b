package gen

import (
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Source is the C of a program: NAME.bpf.c, which is what is compiled, and
// NAME.tables.h, which it includes, by the names of the files.
type Source map[string][]byte

// Generate returns the C source of a program, in the usual layout. The error is an ir.Errors.
func Generate(p *ir.Program) (Source, error) { return Records.Generate(p) }

// Generate returns the C source of a program. The error is an ir.Errors.
func (l Layout) Generate(p *ir.Program) (Source, error) {
	d := l.describe(p)
	o, body, tables := &writer{}, &writer{}, &writer{}
	in, eg := newGress(p.Ingress, d, "in", body), newGress(p.Egress, d, "eg", body)
	in.survey()
	eg.survey()
	if err := d.err(); err != nil {
		return nil, err
	}

	tablesHeader(tables, d, slices.Concat(in.hashes, eg.hashes))
	o.line("/* Code generated from %s.p4 by p4xc. DO NOT EDIT. */", p.Name)
	o.line("#include \"p4xdp.h\"")
	o.line("#include \"%s\"", TablesFile(p.Name))
	o.line("")
	o.line("/* XDP metadata of a packet between the two programs. */")
	o.open("struct meta {")
	o.line("struct p4_meta p4;")
	if d.BridgeSize > 0 {
		bridgeDecl(o, d.bridgeIn)
	}
	o.close("};")
	o.line("_Static_assert(sizeof(struct meta) == %d, \"size of the metadata\");", d.MetaSize())
	o.line("")
	in.generate()
	eg.generate()
	in.ingressMain()
	eg.egressMain()
	if err := d.err(); err != nil {
		return nil, err
	}
	body.line("#include \"p4xdp_main.h\"")
	defineConstants(o, d)
	return Source{
		CFile(p.Name):      append(o.text(), body.text()...),
		TablesFile(p.Name): tables.text(),
	}, nil
}

// CFile and TablesFile are the names of the files of a program's Source.
func CFile(program string) string      { return program + ".bpf.c" }
func TablesFile(program string) string { return program + ".tables.h" }

func newGress(src *ir.Gress, d *Description, prefix string, o *writer) *gress {
	for _, own := range []string{"parse", "control", "deparse", "rewrite", "now", "saved", "scratch"} {
		d.top[prefix+"_"+own] = true
	}
	return &gress{
		Gress: src, d: d, prefix: prefix, out: o, phase: phaseAll,
		paths: map[string]string{}, functions: map[any]string{}, local: map[*ir.Var]string{},
		headers: map[*ir.HeaderInst]string{}, at: map[*ir.HeaderInst]string{},
		sums: map[*ir.Checksum]string{}, labelOf: map[*ir.State]string{},
	}
}

// generate writes everything of one gress but its entry points.
func (g *gress) generate() {
	o := g.out
	o.line("/* ---- %s ---- */", g.Gress.Name)
	o.line("")
	g.stateStruct()
	g.fieldFuncs()
	o.line("/* The time at which the packet came in, in ns: read once, when it is needed. */")
	o.open("INLINE u64 %s_now(struct %s *s)\n{", g.prefix, g.Gress.Name)
	o.line("if (!s->time)")
	o.line("\ts->time = bpf_ktime_get_ns();")
	o.line("return s->time;")
	o.close("}")
	o.line("")
	g.scratch()
	g.lockFuncs()
	g.registerFuncs()
	g.actionFuncs()
	g.tableFuncs()
	g.checkOwn()
	g.parserFunc()
	g.rowFuncs()
	g.ownFunctions()
	g.deparserFuncs()
}

// after writes what follows the parser, the last first.
func (g *gress) after(done func()) {
	o := g.out
	o.open("INLINE int %s_done(struct %s *s, struct xdp_md *ctx)\n{", g.prefix, g.Gress.Name)
	done()
	o.close("}")
	o.line("")
	g.control()
}

// leaves reports whether statements can end the control early.
func leaves(stmts []ir.Stmt) bool {
	exits := func(s ir.Stmt) bool { _, ok := s.(*ir.Exit); return ok }
	return usesReturn(stmts) || anyStmt(stmts, exits, true)
}

// hideValid keeps the compiler from finding out why a header is valid: it would
// ask the reason again (was it not kind 2?) instead of the bit, and the verifier,
// which knows the bit, would not see that the packet is long enough.
//
// Packets that the parser rejects end before that: else the compiler would ask again, where it
// needs a variable that a state has set, whether the packet was long enough for that state, and
// the verifier would not see that it was.
func (g *gress) hideValid() {
	reason, seen := "P4_PARSER_REJECT", g.intrinsic[ir.IntrParserErr]
	if g.prefix == "eg" {
		reason, seen = "P4_EGRESS_REJECT", g.intrinsic[ir.IntrEgrErr]
	}
	if !seen {
		g.out.line("if (unlikely(s->parser_error))")
		g.out.line("\treturn drop(%s);", reason)
	}
	g.out.line("barrier_var(s->valid);")
	var never []string
	for _, h := range g.Headers {
		if !g.extracts(h) {
			never = append(never, g.bit(h))
		}
	}
	if len(never) > 0 {
		g.out.line("__builtin_assume(!(s->valid & (%s))); /* never parsed */", strings.Join(never, " | "))
	}
	g.out.line("s->extracted = s->valid;")
}

// extracts reports whether the parser may make a header valid.
func (g *gress) extracts(h *ir.HeaderInst) bool {
	for _, st := range g.Parser.States {
		if anyStmt(st.Body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Extract:
				return s.Header == h
			case *ir.SetValid:
				return s.Header == h
			case *ir.CopyHeader:
				return s.Dst == h
			}
			return false
		}, true) {
			return true
		}
	}
	return false
}

// uses reports whether the program uses an intrinsic variable at all.
func (g *gress) uses(name string) bool { return g.Var(name) != nil }

func (g *gress) ingressDone() {
	o := g.out
	o.line("if (unlikely(s->contention))")
	o.line("\treturn drop(P4_CONTENTION);")
	o.line("in_deparse(s);")
	if g.uses(ir.IntrDropIn) {
		o.line("if (s->%s & 1)", g.memberPath(ir.IntrDropIn))
		o.line("\treturn drop(P4_PROGRAM_DROP);")
	}
	group, ucast := "0", "0"
	if g.uses(ir.IntrMcastA) {
		group = "s->" + g.memberPath(ir.IntrMcastA)
	}
	if g.uses(ir.IntrUcastPort) {
		ucast = "s->" + g.memberPath(ir.IntrUcastPort)
	}
	o.line("u32 group = %s, out = %s;", group, ucast)
	o.line("int to_port = s->unicast && out != P4_NOWHERE;")
	o.line("if (unlikely(!group && !to_port))")
	o.line("\treturn drop(P4_NO_DESTINATION);")
	o.line("int verdict = in_rewrite(s, ctx);")
	o.line("if (verdict != XDP_PASS)")
	o.line("\treturn verdict;")
	flags := g.bypass()
	o.line("struct meta *m = s->m;")
	o.line("m->p4.group = group;")
	o.line("m->p4.egress_port = out;")
	if !g.d.Both {
		o.line("m->p4.flags = %s;", flags)
		o.open("if (group) {")
		o.line("m->p4.sequence = next_sequence();")
		o.line("return forward_multicast(group);")
		o.close("}")
	} else {
		o.open("if (group) {")
		o.line("m->p4.sequence = next_sequence();")
		o.open("if (unlikely(to_port)) {")
		o.line("m->p4.flags = %s;", orFlags(flags, "P4_TO_PORT"))
		o.line("return forward_both(out);")
		o.close("}")
		o.line("m->p4.flags = %s;", flags)
		o.line("return forward_multicast(group);")
		o.close("}")
		o.line("m->p4.flags = %s;", flags)
	}
	o.line("m->p4.sequence = 0;")
	o.line("return forward_unicast(out);")
}

func (g *gress) ingressMain() {
	o := g.out
	g.after(g.ingressDone)
	o.open("INLINE int in_parsed(struct ingress *s, struct xdp_md *ctx)\n{")
	if g.intrinsic[ir.IntrParserErr] {
		o.line("s->%s = s->parser_error;", g.memberPath(ir.IntrParserErr))
	}
	o.line("return in_control(s, ctx);")
	o.close("}")
	o.line("")
	o.line("/* A packet from a port; time: now, or 0 to look at the clock when needed. */")
	o.open("INLINE int run_ingress(struct xdp_md *ctx, u32 port, u64 time)\n{")
	o.line("struct ingress state = {}, *s = &state;")
	o.line("s->time = time;")
	o.line("/* Whatever metadata the frame came with is replaced by ours. */")
	o.line("if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta) - (int)sizeof(struct meta)))")
	o.line("\treturn drop(P4_NO_METADATA);")
	o.line("u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);")
	o.line("struct meta *m = PTR(ctx->data_meta);")
	o.line("if ((void *)(m + 1) > (void *)data)")
	o.line("\treturn drop(P4_NO_METADATA);")
	o.line("s->m = m;")
	o.line("s->length = (u32)(end - data);")
	o.line("m->p4.length = s->length;")
	if h := g.d.bridgeIn; h != nil && h.Kept {
		for _, f := range h.Fields {
			g.put(f, "0")
		}
	}
	if g.uses(ir.IntrIngressPort) {
		o.line("s->%s = port;", g.memberPath(ir.IntrIngressPort))
	}
	o.line("s->data = data;")
	g.parsed("in_parse(s, data, end)")
	o.close("}")
	o.line("")
}

func orFlags(a, b string) string {
	if a == "0" {
		return b
	}
	return a + " | " + b
}

// bypass sees to packets that leave as the ingress made them, and returns C for their
// flag. The bridged header, which goes to the egress in the metadata, is put in
// front of them.
func (g *gress) bypass() string {
	o, h := g.out, g.d.bridgeIn
	if !g.uses(ir.IntrBypassEgr) {
		if h != nil {
			o.line("if (unlikely(!%s))", g.valid(h))
			o.line("\treturn drop(P4_NO_BRIDGE);")
		}
		return "0"
	}
	o.line("int bypass = s->%s;", g.memberPath(ir.IntrBypassEgr))
	if h != nil {
		o.line("if (unlikely(!bypass && !%s))", g.valid(h))
		o.line("\treturn drop(P4_NO_BRIDGE);")
		o.open("if (bypass && %s) {", g.valid(h))
		o.line("if (bpf_xdp_adjust_head(ctx, -%d))", h.Type.Bytes())
		o.line("\treturn drop(P4_NO_HEADROOM);")
		o.line("s->m = PTR(ctx->data_meta); /* moved with the packet */")
		o.line("u8 *p = PTR(ctx->data);")
		o.line("if ((u8 *)(s->m + 1) > p || p + %d > (u8 *)PTR(ctx->data_end))", h.Type.Bytes())
		o.line("\treturn drop(P4_NO_METADATA);")
		g.storeAll(h, "p")
		o.close("}")
	}
	return "(bypass ? P4_BYPASS : 0)"
}

func (g *gress) egressDone() {
	o := g.out
	o.line("if (unlikely(s->contention))")
	o.line("\treturn drop(P4_CONTENTION);")
	o.line("eg_deparse(s);")
	if g.uses(ir.IntrDropEg) {
		o.line("if (s->%s & 1)", g.memberPath(ir.IntrDropEg))
		o.line("\treturn drop(P4_EGRESS_DROP);")
	}
	o.line("return eg_rewrite(s, ctx);")
}

func (g *gress) egressMain() {
	o := g.out
	g.after(g.egressDone)
	o.open("INLINE int eg_parsed(struct egress *s, struct xdp_md *ctx)\n{")
	if g.intrinsic[ir.IntrEgrErr] {
		o.line("s->%s = s->parser_error;", g.memberPath(ir.IntrEgrErr))
	}
	o.line("return eg_control(s, ctx);")
	o.close("}")
	o.line("")
	o.line("/* A copy of a packet that leaves through a port; time as in the ingress. */")
	o.open("INLINE int run_egress(struct xdp_md *ctx, u32 port, u64 time)\n{")
	o.line("struct egress state = {}, *s = &state;")
	o.line("s->time = time;")
	o.line("struct meta *m = PTR(ctx->data_meta);")
	o.line("if ((void *)(m + 1) > PTR(ctx->data))")
	o.line("\treturn drop(P4_NO_METADATA);")
	o.line("u32 group = m->p4.group;")
	bypassed := g.d.Bypass
	if bypassed || g.d.Both {
		o.line("u32 flags = m->p4.flags;")
	}
	o.line("u64 seq = m->p4.sequence;")
	o.line("s->length = m->p4.length;")
	if h := g.d.bridgeEg; h != nil {
		o.line("s->valid |= %s;", g.bit(h))
		g.loadBridge(h)
	}
	o.line("s32 rid = 0;")
	if g.d.Both {
		o.open("if (unlikely(flags & P4_TO_PORT)) {")
		o.line("rid = replication_id_or_port(group, seq, port, m->p4.egress_port);")
		o.line("if (rid < 0)")
		o.line("\treturn XDP_DROP;")
		o.depth--
		o.open("} else if (group) {")
	} else {
		o.open("if (group) {")
	}
	o.line("rid = replication_id(group, seq, port);")
	o.line("if (unlikely(rid < 0))")
	o.line("\treturn drop(P4_NO_COPY);")
	o.close("}")
	o.line("/* Nobody behind the port shall see our metadata. */")
	o.line("if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))")
	o.line("\treturn drop(P4_NO_METADATA);")
	if bypassed {
		o.line("if (flags & P4_BYPASS)")
		o.line("\treturn XDP_PASS;")
	}
	o.line("u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);")
	if g.uses(ir.IntrEgressPort) {
		o.line("s->%s = port;", g.memberPath(ir.IntrEgressPort))
	}
	if g.uses(ir.IntrEgressRid) {
		o.line("s->%s = rid;", g.memberPath(ir.IntrEgressRid))
	}
	if g.uses(ir.IntrPktLength) {
		o.line("s->%s = s->length;", g.memberPath(ir.IntrPktLength))
	}
	o.line("s->data = data;")
	g.parsed("eg_parse(s, data, end)")
	o.close("}")
	o.line("")
}
