package gen

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// stmts writes a list of statements.
func (g *gress) stmts(list []ir.Stmt) {
	for _, s := range g.shape(list) {
		g.stmt(s)
	}
}

// condition is the C expression that f makes, as the condition of a branch.
func (g *gress) condition(f func() string) string {
	saved := g.bound
	if g.hidden != nil {
		g.bound = g.hidden
	}
	defer func() { g.bound = saved }()
	return f()
}

func (g *gress) newLabel(kind string) string {
	g.labels++
	return fmt.Sprintf("%s_%d", kind, g.labels)
}

// stmt writes a statement that is in shape.
func (g *gress) stmt(s ir.Stmt) {
	o := g.out
	switch s := s.(type) {
	case *together:
		g.applyTogether(s.tables)
	case *laterBits:
		g.laterBits(s)
	case *flagged:
		g.set(s.v, s.value, s.Pos)
	case *made:
		g.setValid(s.Header, true, s.assigned, s.Pos)
	case *ir.Assign:
		g.assignStmt(s)
	case *ir.If:
		o.open("if (%s) {%s", g.condition(func() string { return g.cond(s.Cond) }), at(s.Pos))
		if g.phase == phaseAll && !g.inFunction {
			g.aside(s.Then)
		}
		g.stmts(s.Then)
		if len(s.Else) > 0 {
			o.depth--
			o.open("} else {")
			g.stmts(s.Else)
		}
		o.close("}")
	case *ir.Block:
		g.block(s)
	case *ir.Return:
		g.leave(s.Pos)
	case *ir.Exit:
		if g.inFunction {
			g.fail(s.Pos, "exit in an action: not supported on XDP")
			return
		}
		o.line("goto %s;%s", g.exitLabel, at(s.Pos))
	case *ir.Apply:
		g.apply(s)
	case *ir.Call:
		args := ""
		for _, a := range s.Args {
			if isWide(a.Type().Width) {
				for k := range limbs(a.Type().Width) {
					args += ", " + g.limb(a, k)
				}
				continue
			}
			args += ", " + g.expr(a)
		}
		o.line("%s(s%s);%s", g.actionName(s.Action), args, at(s.Pos))
	case *ir.SetValid:
		g.setValid(s.Header, s.Valid, nil, s.Pos)
	case *ir.CopyHeader:
		g.copyHeader(s)
	case *ir.Count:
		c := g.d.counters[s.Counter]
		if c.Rows != nil {
			o.line("COUNT(%s, %d, %d, %s, %s, s->length);%s", c.Map, c.Size, c.Rows.Stride, g.expr(s.Index), c.Member, at(s.Pos))
			return
		}
		o.line("count(&%s, %s, s->length);%s", c.Map, g.expr(s.Index), at(s.Pos))
	case *ir.MeterExec:
		n := "1"
		if s.Meter.Bytes {
			n = "s->length"
			if s.Adjust != nil {
				n = fmt.Sprintf("meter_bytes(s->length, %s)", g.expr(s.Adjust))
			}
		}
		meter, has := "METER", ""
		if s.Color != nil {
			meter, has = "METER_OF_COLOR", fmt.Sprintf(", meter_color(%s)", g.expr(s.Color))
		}
		g.call(s.Dst, fmt.Sprintf("%s(%s, %s, %s_now(s), %s%s)", meter, g.d.meters[s.Meter].Map, g.expr(s.Index), g.prefix, n, has), s.Pos)
	case *ir.FilterExec:
		g.filter(s)
	case *ir.DirectCount:
		if g.d.counters[s.Counter] == nil {
			g.fail(s.Pos, "direct counter %s belongs to no table", s.Counter.Name)
			return
		}
		o.line("count(&%s, s->cell, s->length);%s", g.d.counters[s.Counter].Map, at(s.Pos))
	case *ir.RegisterExec:
		g.call(s.Dst, fmt.Sprintf("%s(s, %s)", g.regActionName(s.Action), g.expr(s.Index)), s.Pos)
	case *ir.RegisterRead:
		g.registerRead(s)
	case *ir.RegisterWrite:
		g.registerWrite(s)
	case *ir.RandomGet:
		if w := s.Dst.Type.Width; w > 32 {
			g.fail(s.Pos, "random number of %d bits (at most 32 on XDP)", w)
			return
		}
		g.set(s.Dst, narrow("bpf_get_prandom_u32()", s.Dst.Type.Width), s.Pos)
	case *ir.HashGet:
		g.hash(s)
	case *ir.DigestPack:
		g.digest(s)
	case *ir.ChecksumUpdate:
		g.checksumUpdate(s)
	case *ir.ChecksumAdd, *ir.ChecksumGet, *ir.ChecksumVerify:
		g.parserChecksum(s)
	default:
		g.fail(ir.Pos{}, "%T here", s)
	}
}

// filter gives a value to a filter.
func (g *gress) filter(s *ir.FilterExec) {
	args := fmt.Sprintf("%s, %s, %s_now(s), %s", g.d.filters[s.Filter].Map, g.expr(s.Index), g.prefix, g.expr(s.Value))
	if s.Filter.Wred {
		g.set(s.Dst, fmt.Sprintf("WRED(%s, %d, %d)", args, s.Filter.Drop, s.Filter.NoDrop), s.Pos)
		return
	}
	g.set(s.Dst, fmt.Sprintf("LPF(%s, %s)", args, maskOf(s.Dst.Type.Width)), s.Pos)
}

// laterBits writes tests of bits behind one test of all of them.
func (g *gress) laterBits(s *laterBits) {
	o := g.out
	o.open("if (%s & %#x) {", g.condition(func() string { return g.read(s.v) }), s.mask)
	for _, x := range append(slices.Clip(s.tests), s.then...) {
		g.stmt(x)
	}
	if len(s.then) > 0 {
		o.depth--
		o.open("} else {")
		for _, x := range s.then {
			g.stmt(x)
		}
	}
	o.close("}")
}

// leave writes a return.
func (g *gress) leave(pos ir.Pos) {
	switch {
	case g.returnLabel != "":
		g.out.line("goto %s;%s", g.returnLabel, at(pos))
	case g.inFunction:
		g.out.line("return;%s", at(pos))
	default:
		g.out.line("goto %s;%s", g.exitLabel, at(pos))
	}
}

// call writes a call whose result is assigned, if anywhere.
func (g *gress) call(dst *ir.Var, call string, pos ir.Pos) {
	if dst != nil {
		g.set(dst, call, pos)
	} else {
		g.out.line("%s;%s", call, at(pos))
	}
}

// aside marks a branch whose statements only set constants: the compiler would set
// them before it, for those packets too that go another way.
func (g *gress) aside(stmts []ir.Stmt) {
	for _, s := range stmts {
		a, ok := s.(*ir.Assign)
		if !ok {
			return
		}
		if _, ok := a.Src.(*ir.Const); !ok {
			return
		}
	}
	g.out.line("aside();")
}

// set assigns a whole variable. A write to a field of an invalid header has
// no effect, so that these fields are always zero, unless the header is kept.
func (g *gress) set(v *ir.Var, value string, pos ir.Pos) {
	switch {
	case v.Kind == ir.Field && g.inPacket(v.Header):
		g.out.line("%s(s, %s);%s", g.setter(v), value, at(pos))
	case v.Kind == ir.Field && v.Header.Kept && g.inMeta(v.Header):
		g.out.line("%s(s, %s);%s", g.setter(v), value, at(pos))
	case v.Kind == ir.Field && v.Header.Kept:
		g.out.line("%s = %s;%s", g.lvalue(v), value, at(pos))
	case v.Kind == ir.Field && g.inMeta(v.Header):
		g.out.line("if %s", g.valid(v.Header))
		g.out.line("\t%s(s, %s);%s", g.setter(v), value, at(pos))
	case v.Kind == ir.Field:
		g.out.line("if %s", g.valid(v.Header))
		g.out.line("\t%s = %s;%s", g.lvalue(v), value, at(pos))
	case v.Kind == ir.Intrinsic && v.Name == ir.IntrUcastPort:
		g.out.line("%s = %s;%s", g.lvalue(v), value, at(pos))
		g.out.line("s->unicast = 1;")
	default:
		g.out.line("%s = %s;%s", g.lvalue(v), value, at(pos))
	}
}

func (g *gress) assignStmt(s *ir.Assign) {
	if isWide(s.Dst.Type.Width) {
		g.setWide(s.Dst, wholeOf(s), s.Pos)
		return
	}
	if !s.Slice {
		g.set(s.Dst, g.expr(s.Src), s.Pos)
		return
	}
	w, n := s.Dst.Type.Width, s.Hi-s.Lo+1
	t := cType(w)
	dst := g.read(s.Dst)
	keep := fmt.Sprintf("(%s & (%s)~((%s)%s << %d))", dst, t, cType(max(w, 32)), maskOf(n), s.Lo)
	g.set(s.Dst, fmt.Sprintf("(%s)(%s | (%s)%s << %d)", t, keep, cType(max(w, 32)), g.expr(s.Src), s.Lo), s.Pos)
}

// wholeOf is the value of the whole variable that an assignment leaves: that of bits stands between the others.
func wholeOf(s *ir.Assign) ir.Expr {
	if !s.Slice {
		return s.Src
	}
	all, x := &ir.Ref{Var: s.Dst}, s.Src
	join := func(x, y ir.Expr) ir.Expr {
		return &ir.Binary{Op: ir.Concat, T: ir.BitType(x.Type().Width + y.Type().Width), X: x, Y: y, Pos: s.Pos}
	}
	if top := s.Dst.Type.Width - 1; s.Hi < top {
		x = join(&ir.Slice{X: all, Hi: top, Lo: s.Hi + 1}, x)
	}
	if s.Lo > 0 {
		x = join(x, &ir.Slice{X: all, Hi: s.Lo - 1})
	}
	return x
}

func (g *gress) block(s *ir.Block) {
	o := g.out
	switch {
	case s.OwnFunction:
		g.callOwn(s)
		return
	case s.Atomic:
		g.atomicBlock(s)
		return
	case s.UpdatesFirst:
		g.updatesFirst(s)
		return
	case !s.Callable:
		o.open("{%s", at(s.Pos))
		g.stmts(s.Body)
	case g.rowFunc(s) && g.phase == phaseAll:
		o.open("{ /* %s */", s.Name)
		g.callWithRow(s)
	default:
		o.open("{ /* %s */", s.Name)
		g.lookUpRows(s)
		g.blockBody(s)
	}
	o.close("}")
}

// updatesFirst writes a block in its two phases.
func (g *gress) updatesFirst(s *ir.Block) {
	o := g.out
	if g.phase != phaseAll {
		g.fail(s.Pos, "@updates_first block inside another")
		return
	}
	o.line("/* @updates_first%s: registers that change, then those that are read. */", posText(s.Pos))
	key, values := g.onlyOne(s.Body)
	g.phase = phaseUpdates
	o.open("{")
	if key == nil {
		g.hide(s.Body)
		g.stmts(s.Body)
	} else {
		g.hidden = map[*ir.Var]string{} // at most one of the conditions is looked at
		o.line("switch (%s) { /* at most one of them changes */", g.expr(key))
		for i, x := range s.Body {
			for _, v := range values[i] {
				o.line("case %d:", v)
			}
			if len(values[i]) > 0 {
				o.depth++
				g.stmts([]ir.Stmt{x})
				o.line("break;")
				o.depth--
			}
		}
		o.line("}")
	}
	g.hidden = nil
	o.close("}")
	g.phase = phaseQueries
	o.open("{")
	g.hide(s.Body)
	g.stmts(s.Body)
	g.hidden = nil
	o.close("}")
	g.hideBits(s.Body)
	g.phase = phaseAll
}

// hide makes copies of what the conditions of statements read. They are tested in both
// phases: from the second one the verifier would conclude what the first one was, and
// walk through every combination.
func (g *gress) hide(list []ir.Stmt) {
	names := newScope()
	g.hidden = map[*ir.Var]string{}
	for _, v := range conditionVars(list) {
		if v.Kind == ir.Field || v.Type.Width > 32 {
			continue
		}
		name := names.name("hidden_", v.Name)
		g.out.line("%s %s = opaque(s->length, %s);", cType(v.Type.Width), name, g.read(v))
		g.hidden[v] = name
	}
}

// callWithRow writes a call of the function of a block whose registers are one row.
func (g *gress) callWithRow(s *ir.Block) {
	o, rows := g.out, g.rowsOf(s)[0]
	o.line("struct %s *row = %s;", rows.Var, g.row(s, rows))
	switch {
	case !rows.whole():
		o.line("barrier_var(row);")
		o.line("if (likely(row))")
		o.line("\t%s(s, row);", g.withRow(s))
		o.line("else")
		o.line("\t%s(s, 0);", g.withRow(s))
	case rows.Mapped:
		o.line("if (unlikely(!row)) /* the verifier's: it is never so */")
		o.line("\ts->contention = 1;")
		o.line("else")
		o.line("\t%s(s, row);", g.withRow(s))
	default:
		o.line("%s(s, row);", g.withRow(s))
	}
}

// blockBody writes the statements of a callable's block.
func (g *gress) blockBody(s *ir.Block) {
	saved := g.returnLabel
	label := g.newLabel("done")
	g.returnLabel = label
	g.stmts(s.Body)
	if usesReturn(s.Body) {
		g.out.label(label)
	}
	g.returnLabel = saved
}

// hideBits keeps the verifier from telling apart what a block has set: who looks
// at one bit of a number later would make it look at all combinations.
func (g *gress) hideBits(stmts []ir.Stmt) {
	var done []string
	for _, v := range effectsOf(stmts).assigned {
		if bits := g.bitsOf[v]; bits != "" && !slices.Contains(done, bits) {
			g.out.line("s->%s = opaque(s->length, s->%s);", bits, bits)
			done = append(done, bits)
		}
	}
}

// conditionVars are the variables that the conditions of If statements read.
func conditionVars(stmts []ir.Stmt) []*ir.Var {
	var out []*ir.Var
	for _, s := range stmts {
		if s, ok := s.(*ir.If); ok {
			for _, v := range varsOf(s.Cond) {
				if !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// setValid makes a header valid or invalid; assigned are the fields that are
// assigned next in any case.
func (g *gress) setValid(h *ir.HeaderInst, valid bool, assigned []*ir.Var, pos ir.Pos) {
	o := g.out
	zero := func() {
		for _, f := range h.Fields {
			if !slices.Contains(assigned, f) {
				g.put(f, "0")
			}
		}
	}
	if !valid {
		o.line("s->valid &= ~%s;%s", g.bit(h), at(pos))
		if !g.inPacket(h) && (h.Kept || !g.inMeta(h)) {
			zero()
		}
		return
	}
	if h.Kept { // zero since it became invalid, or written to
		assigned = h.Fields
	}
	o.open("if (!%s) {%s", g.valid(h), at(pos))
	o.line("s->valid |= %s;", g.bit(h))
	zero()
	o.close("}")
}

// put assigns a field that is not in the packet, whether its header is valid or not.
func (g *gress) put(f *ir.Var, value string) {
	if isWide(f.Type.Width) {
		g.fillWide(f, func(int) string { return value })
		return
	}
	if g.inMeta(f.Header) {
		g.out.line("%s(s, %s);", g.setter(f), value)
		return
	}
	g.out.line("%s = %s;", g.lvalue(f), value)
}

// copyHeader copies validity and fields. The destination is never in the
// packet: it is made by this.
func (g *gress) copyHeader(s *ir.CopyHeader) {
	o := g.out
	o.line("s->valid = (s->valid & ~%s) | (%s ? %s : 0);%s", g.bit(s.Dst), g.valid(s.Src), g.bit(s.Dst), at(s.Pos))
	for i, f := range s.Dst.Fields {
		if isWide(f.Type.Width) {
			g.fillWide(f, func(k int) string { return g.limb(&ir.Ref{Var: s.Src.Fields[i]}, k) })
			continue
		}
		g.put(f, g.read(s.Src.Fields[i]))
	}
}

// checksumUpdate sums up the words that the concatenation of the inputs makes.
func (g *gress) checksumUpdate(s *ir.ChecksumUpdate) {
	o := g.out
	o.open("{%s", at(s.Pos))
	o.line("u64 sum = 0, raw = 0;")
	g.checksumInto("", s.Inputs, s.Pos)
	o.line("u16 check = ~%s;", checksumOf(""))
	if s.ZerosAsOnes {
		o.line("check = check ? check : 0xffff;")
	}
	g.set(s.Dst, "check", ir.Pos{})
	o.close("}")
}

// checksumOf is the C expression for what has been added: sum holds numbers, raw
// words of the packet as they are there.
func checksumOf(suffix string) string {
	return fmt.Sprintf("csum_fold(sum%s + csum_raw(raw%s))", suffix, suffix)
}

func (g *gress) checksumInto(suffix string, inputs []ir.Expr, pos ir.Pos) {
	sum := "sum" + suffix
	inputs = narrowed(inputs, 32)
	total := 0
	for _, e := range inputs {
		total += e.Type().Width
	}
	if total%16 != 0 {
		g.fail(pos, "checksum over %d bits (whole 16-bit words only)", total)
		return
	}
	bit := 0
	for i := 0; i < len(inputs); i++ {
		e := inputs[i]
		w := e.Type().Width
		if bits, n := g.wordInPacket(inputs[i:]); n > 0 && bit%16 == 0 {
			v := e.(*ir.Ref).Var
			g.out.line("raw%s += %s ? raw%d(%s + %d) : 0;", suffix, g.valid(v.Header), bits, g.where(v.Header), v.Offset/8)
			bit += bits
			i += n - 1
			continue
		}
		bit += w
		shift := (16 - bit%16) % 16
		switch {
		case w+shift > 64:
			g.fail(pos, "checksum over a field of %d bits that does not end a 16-bit word", w)
			return
		case w+shift > 32:
			g.out.line("%s = csum_add(%s, (u64)%s << %d);", sum, sum, g.expr(e), shift)
		case shift > 0:
			g.out.line("%s += (u64)%s << %d;", sum, g.expr(e), shift)
		default:
			g.out.line("%s += %s;", sum, g.expr(e))
		}
	}
}

// wordInPacket finds out whether inputs begin with fields of one header that make
// 32 or 16 bits of the packet: they can be summed at once. It returns how many bits,
// and of how many inputs.
func (g *gress) wordInPacket(inputs []ir.Expr) (bits, count int) {
	var first *ir.Var
	end := 0
	for n, e := range inputs {
		ref, ok := e.(*ir.Ref)
		if !ok || ref.Var.Kind != ir.Field || !g.inPacket(ref.Var.Header) {
			break
		}
		v := ref.Var
		if n == 0 {
			first, end = v, v.Offset
		}
		if v.Header != first.Header || v.Offset != end || first.Offset%8 != 0 {
			break
		}
		if n > 0 && bits == 16 && (g.assigned[v] || g.assigned[first]) {
			break // stored as 16 bits: to read more than was stored at once takes long
		}
		end += v.Type.Width
		switch end - first.Offset {
		case 16:
			bits, count = 16, n+1
		case 32:
			return 32, n + 1
		}
		if end-first.Offset > 32 {
			break
		}
	}
	return bits, count
}

func (g *gress) digest(s *ir.DigestPack) {
	o, d := g.out, g.d.digests[s.Digest]
	o.open("{%s", at(s.Pos))
	o.line("struct %s record = {};", d.Struct)
	o.line("record.number = %d;", d.Number)
	for i, e := range s.Fields {
		if isWide(e.Type().Width) {
			for k := range limbs(e.Type().Width) {
				o.line("record.%s[%d] = %s;", d.Fields[i].Member, k, g.limb(e, k))
			}
			continue
		}
		o.line("record.%s = %s;", d.Fields[i].Member, g.expr(e))
	}
	o.open("if (bpf_ringbuf_output(&digests, &record, sizeof(record), 0))")
	o.line("count_stat(P4_DIGEST_LOST);")
	o.depth--
	o.close("}")
}
