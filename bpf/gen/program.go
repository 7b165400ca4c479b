package gen

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Generate returns the C source of a program.
func Generate(p *ir.Program) ([]byte, error) {
	d, err := Describe(p)
	if err != nil {
		return nil, err
	}
	o := &writer{}
	in := &gress{Gress: p.Ingress, d: d, prefix: "in", out: o, phase: phaseAll}
	eg := &gress{Gress: p.Egress, d: d, prefix: "eg", out: o, phase: phaseAll}

	o.line("/* Code generated from %s.p4 by p4xc. DO NOT EDIT. */", p.Name)
	o.line("#include \"p4xdp.h\"")
	o.line("")
	for _, t := range d.Tables {
		tableDecls(o, t)
	}
	for _, r := range d.Rows {
		rowsDecl(o, r)
	}
	for _, c := range d.Counters {
		o.line("struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, %d); __type(key, u32); __type(value, struct p4_counter); }", c.Size)
		o.line("\t%s SEC(\".maps\"); /* counter %s */", c.Map, c.Name)
	}
	if len(d.Digests) > 0 {
		o.line("struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 20); }")
		o.line("\tdigests SEC(\".maps\"); /* {number of the digest, its fields} */")
	}
	for _, g := range d.Digests {
		o.open("struct digest_%s {", flat(g.Name))
		o.line("u32 number; /* %d */", g.Number)
		slotMembers(o, g.Fields)
		o.close("};")
	}
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
	for _, g := range []*gress{in, eg} {
		g.survey()
		g.generate()
		if g.err != nil {
			return nil, g.err
		}
	}
	in.ingressMain()
	eg.egressMain()
	for _, g := range []*gress{in, eg} {
		if g.err != nil {
			return nil, g.err
		}
	}
	o.line(`char _license[] SEC("license") = "Dual BSD/GPL";`)
	return []byte(o.b.String()), nil
}

// rowsDecl declares registers that lie together.
func rowsDecl(o *writer, rows *Rows) {
	o.line("/* Registers of %s, row by row. */", rows.Control)
	o.open("struct %s {", rows.Var)
	for _, r := range rows.Registers {
		o.line("u%d %s;%s", r.CellSize*8, r.Member, fieldsText(r.Register))
	}
	o.close("} %s[%d];", rows.Var, rows.Size)
	o.line("")
}

// fieldsText is a comment on what is in a cell that is not one number of the
// cell's width.
func fieldsText(r *ir.Register) string {
	if len(r.Fields) == 1 {
		return width(r.Fields[0].Type)
	}
	var parts []string
	for _, f := range r.Fields {
		parts = append(parts, fmt.Sprintf("%s %s", f.Type, f.Name))
	}
	return " /* " + strings.Join(parts, ", ") + " */"
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
	g.crcTables()
	g.registerFuncs()
	g.actionFuncs()
	g.tableFuncs()
	g.parserFunc()
	g.rowFuncs()
	o.line("/* Control of the %s. */", g.Gress.Name)
	o.open("INLINE void %s_control(struct %s *s)\n{", g.prefix, g.Gress.Name)
	g.exitLabel = "out"
	g.stmts(g.Control)
	if leaves(g.Control) {
		o.label("out")
	}
	o.close("}")
	o.line("")
	g.deparserFuncs()
}

// leaves reports whether statements can end the control early.
func leaves(stmts []ir.Stmt) bool {
	exits := func(s ir.Stmt) bool { _, ok := s.(*ir.Exit); return ok }
	return usesReturn(stmts) || anyStmt(stmts, exits, true)
}

// hideValid keeps the compiler from finding out why a header is valid: it would
// ask the reason again (was it not kind 2?) instead of the bit, and the verifier,
// which knows the bit, would not see that the packet is long enough.
func (g *gress) hideValid() {
	g.out.line("barrier_var(s->valid);")
	var never []string
	for _, h := range g.Headers {
		if !g.parsed(h) {
			never = append(never, g.bit(h))
		}
	}
	if len(never) > 0 {
		g.out.line("__builtin_assume(!(s->valid & (%s))); /* never parsed */", strings.Join(never, " | "))
	}
	g.out.line("s->extracted = s->valid;")
}

// parsed reports whether the parser may make a header valid.
func (g *gress) parsed(h *ir.HeaderInst) bool {
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

func (g *gress) ingressMain() {
	o := g.out
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
	o.line("m->p4.ingress_port = port;")
	o.line("m->p4.length = s->length;")
	if g.uses(ir.IntrIngressPort) {
		o.line("s->%s = port;", memberPath(ir.IntrIngressPort))
	}
	o.line("s->data = data;")
	o.line("in_parse(s, data, end);")
	g.hideValid()
	if g.intrinsic[ir.IntrParserErr] {
		o.line("s->%s = s->parser_error;", memberPath(ir.IntrParserErr))
	} else {
		o.line("if (unlikely(s->parser_error))")
		o.line("\treturn drop(P4_PARSER_REJECT);")
	}
	o.line("in_control(s);")
	o.line("if (unlikely(s->contention))")
	o.line("\treturn drop(P4_CONTENTION);")
	o.line("in_deparse(s);")
	if g.uses(ir.IntrDropIn) {
		o.line("if (s->%s & 1)", memberPath(ir.IntrDropIn))
		o.line("\treturn drop(P4_PROGRAM_DROP);")
	}
	group, ucast := "0", "0"
	if g.uses(ir.IntrMcastA) {
		group = "s->" + memberPath(ir.IntrMcastA)
	}
	if g.uses(ir.IntrUcastPort) {
		ucast = "s->" + memberPath(ir.IntrUcastPort)
	}
	o.line("u32 group = %s, out = %s;", group, ucast)
	o.line("if (unlikely(!group && !s->unicast))")
	o.line("\treturn drop(P4_NO_DESTINATION);")
	o.line("if (unlikely(group && s->unicast))")
	o.line("\treturn drop(P4_BOTH);")
	o.line("int verdict = in_rewrite(s, ctx);")
	o.line("if (verdict != XDP_PASS)")
	o.line("\treturn verdict;")
	o.line("m = s->m;")
	o.line("m->p4.group = group;")
	o.line("m->p4.egress_port = out;")
	if h := g.d.bridgeIn; h != nil {
		o.line("if (unlikely(!%s))", g.valid(h))
		o.line("\treturn drop(P4_NO_BRIDGE);")
	}
	o.open("if (group) {")
	o.line("m->p4.sequence = next_sequence();")
	o.line("return forward_multicast(group);")
	o.close("}")
	o.line("m->p4.sequence = 0;")
	o.line("return forward_unicast(out);")
	o.close("}")
	o.line("")
	o.line(`SEC("xdp") int ingress(struct xdp_md *ctx)`)
	o.open("{")
	o.line("u32 port = port_of(ctx->ingress_ifindex);")
	o.line("if (unlikely(!port))")
	o.line("\treturn drop(P4_NO_PORT);")
	o.line("count_rx(ctx, port - 1);")
	o.line("trace(ctx, port - 1, 0);")
	o.line("return run_ingress(ctx, port - 1, 0);")
	o.close("}")
	o.line("")
	o.line(`SEC("xdp") int test_ingress(struct xdp_md *ctx)`)
	o.open("{")
	o.line("struct p4_test *t = TEST_FRONT(ctx, sizeof(*t));")
	o.line("return run_ingress(ctx, t->ingress_port, t->time);")
	o.close("}")
	o.line("")
}

func (g *gress) egressMain() {
	o := g.out
	o.line("/* A copy of a packet that leaves through a port. */")
	o.open("INLINE int run_egress(struct xdp_md *ctx, u32 port)\n{")
	o.line("struct egress state = {}, *s = &state;")
	o.line("struct meta *m = PTR(ctx->data_meta);")
	o.line("if ((void *)(m + 1) > PTR(ctx->data))")
	o.line("\treturn drop(P4_NO_METADATA);")
	o.line("u32 group = m->p4.group;")
	o.line("u64 seq = m->p4.sequence;")
	o.line("s->length = m->p4.length;")
	if h := g.d.bridgeEg; h != nil {
		o.line("s->valid |= %s;", g.bit(h))
		g.loadBridge(h)
	}
	o.line("s32 rid = 0;")
	o.open("if (group) {")
	o.line("rid = replication_id(group, seq, port);")
	o.line("if (unlikely(rid < 0))")
	o.line("\treturn drop(P4_NO_COPY);")
	o.close("}")
	o.line("/* Nobody behind the port shall see our metadata. */")
	o.line("if (bpf_xdp_adjust_meta(ctx, (int)(ctx->data - ctx->data_meta)))")
	o.line("\treturn drop(P4_NO_METADATA);")
	o.line("u8 *data = PTR(ctx->data), *end = PTR(ctx->data_end);")
	if g.uses(ir.IntrEgressPort) {
		o.line("s->%s = port;", memberPath(ir.IntrEgressPort))
	}
	if g.uses(ir.IntrEgressRid) {
		o.line("s->%s = rid;", memberPath(ir.IntrEgressRid))
	}
	if g.uses(ir.IntrPktLength) {
		o.line("s->%s = s->length;", memberPath(ir.IntrPktLength))
	}
	o.line("s->data = data;")
	o.line("eg_parse(s, data, end);")
	g.hideValid()
	if g.intrinsic[ir.IntrEgrErr] {
		o.line("s->%s = s->parser_error;", memberPath(ir.IntrEgrErr))
	} else {
		o.line("if (unlikely(s->parser_error))")
		o.line("\treturn drop(P4_EGRESS_REJECT);")
	}
	o.line("eg_control(s);")
	o.line("if (unlikely(s->contention))")
	o.line("\treturn drop(P4_CONTENTION);")
	o.line("eg_deparse(s);")
	if g.uses(ir.IntrDropEg) {
		o.line("if (s->%s & 1)", memberPath(ir.IntrDropEg))
		o.line("\treturn drop(P4_EGRESS_DROP);")
	}
	o.line("return eg_rewrite(s, ctx);")
	o.close("}")
	o.line("")
	o.line(`SEC("xdp/devmap") int egress(struct xdp_md *ctx)`)
	o.open("{")
	o.line("u32 port = port_of(ctx->egress_ifindex);")
	o.line("if (unlikely(!port))")
	o.line("\treturn drop(P4_NO_PORT);")
	o.line("int verdict = run_egress(ctx, port - 1);")
	o.open("if (verdict == XDP_PASS) {")
	o.line("count_tx(ctx, port - 1);")
	o.line("trace(ctx, port - 1, 1);")
	o.close("}")
	o.line("return verdict;")
	o.close("}")
	o.line("")
	o.line(`SEC("xdp") int test_egress(struct xdp_md *ctx)`)
	o.open("{")
	o.line("struct meta *m = TEST_FRONT(ctx, sizeof(*m));")
	o.line("return run_egress(ctx, m->p4.egress_port);")
	o.close("}")
	o.line("")
}
