package lower

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// method lowers a call of a method of an extern.
func (b *body) method(e *syntax.Call, c *types.Call, dst *ir.Var) *store {
	var obj any
	if n, ok := c.Recv.(*syntax.NameExpr); ok {
		obj = b.env.find(b.g.info.Uses[n])
	}
	switch x := obj.(type) {
	case packet:
		return b.packetMethod(e, c)
	case *extern:
		if x == nil {
			return nil
		}
		if b.g.where == inRegisterAction && x.kind == "RegisterParam" {
			return b.paramInAction(e, x)
		}
		if b.g.where == inRegisterAction {
			b.g.errorf(e.Pos(), diag.Unsupported, "%s.%s cannot be called in a register action", x.kind, c.Func.Name)
			return nil
		}
		return b.externMethod(e, c, x, dst)
	}
	if !b.g.diags.HasErrors() {
		b.g.errorf(e.Pos(), diag.Unsupported, "%s: the instance cannot be determined when compiling", c.Func.Name)
	}
	return nil
}

// result gives a call's result a variable: dst when its type is right.
func (b *body) result(e *syntax.Call, dst *ir.Var, what string) (*store, *ir.Var) {
	t := b.g.info.Types[e]
	it, ok := scalarType(t)
	if !ok {
		return nil, nil
	}
	if dst == nil || dst.Type != it {
		dst = b.g.temp(it, what, pos(e.Pos()))
	}
	return &store{typ: t, v: dst}, dst
}

// methodCall is a call of an extern's method.
type methodCall struct {
	*types.Call
	e   *syntax.Call
	x   *extern
	dst *ir.Var
	at  ir.Pos
}

// lowering is how calls of a method are lowered.
type lowering struct {
	args  int // more are not supported
	lower func(*body, *methodCall) *store
	only  string // why it can be called in one place only; else anywhere
	where where  // that place
}

// lowerings are the methods that are supported. (A function: what it lists calls it.)
func lowerings() map[string]lowering {
	return map[string]lowering{
		"Register.read":          {args: 1, lower: (*body).registerRead},
		"Register.write":         {args: 2, lower: (*body).registerWrite},
		"RegisterAction.execute": {args: 1, lower: (*body).registerExec},
		"RegisterParam.read":     {lower: (*body).registerRead},

		"DirectRegister.read":          {lower: (*body).registerRead, only: "a direct register is read in the actions of its table", where: inAction},
		"DirectRegister.write":         {args: 1, lower: (*body).registerWrite, only: "a direct register is written in the actions of its table", where: inAction},
		"DirectRegisterAction.execute": {lower: (*body).registerExec, only: "a direct register action is executed in the actions of its table", where: inAction},

		"Counter.count":       {args: 1, lower: (*body).count},
		"DirectCounter.count": {lower: (*body).directCount, only: "a direct counter counts in the actions of its table", where: inAction},
		"Meter.execute":       {args: 3, lower: (*body).meter},
		"DirectMeter.execute": {args: 2, lower: (*body).meter, only: "a direct meter is executed in the actions of its table", where: inAction},
		"Lpf.execute":         {args: 2, lower: (*body).filter},
		"Wred.execute":        {args: 2, lower: (*body).filter},
		"DirectLpf.execute":   {args: 1, lower: (*body).filter, only: "a direct filter is executed in the actions of its table", where: inAction},
		"DirectWred.execute":  {args: 1, lower: (*body).filter, only: "a direct filter is executed in the actions of its table", where: inAction},
		"Hash.get":            {args: 1, lower: (*body).hash},
		"Random.get":          {lower: (*body).random},
		"Digest.pack":         {args: 1, lower: (*body).digest},
		"Checksum.add":        {args: 1, lower: (*body).checksumAdd, only: "Checksum.add belongs in a parser", where: inParser},
		"Checksum.subtract":   {args: 1, lower: (*body).checksumAdd, only: "Checksum.subtract belongs in a parser", where: inParser},
		"Checksum.get":        {lower: (*body).checksumGet, only: "Checksum.get belongs in a parser", where: inParser},
		"Checksum.verify":     {lower: (*body).checksumVerify, only: "Checksum.verify belongs in a parser", where: inParser},
		"Checksum.update":     {args: 2, lower: (*body).checksumUpdate, only: "Checksum.update belongs in a deparser", where: inDeparser},
	}
}

func (b *body) externMethod(e *syntax.Call, c *types.Call, x *extern, dst *ir.Var) *store {
	name := x.kind + "." + c.Func.Name
	l, ok := lowerings()[name]
	for _, a := range c.Args[min(l.args, len(c.Args)):] {
		ok = ok && a == nil
	}
	switch {
	case !ok:
		b.g.errorf(e.Pos(), diag.UnknownExtern, "%s with these arguments is not supported", name)
		return nil
	case l.only != "" && (b.g.where != l.where || l.where == inAction && b.g.called > 0):
		b.g.errorf(e.Pos(), diag.CallContext, "%s", l.only)
		return nil
	}
	return l.lower(b, &methodCall{c, e, x, dst, pos(e.Pos())})
}

// index is what an extern is asked for: its argument, the cell of the entry that matched, or the only element of a parameter.
func (m *methodCall) index(b *body) ir.Expr {
	switch {
	case m.x.kind == "RegisterParam":
		return constInt(ir.BitType(32), 0)
	case m.x.direct:
		return &ir.Cell{}
	}
	return b.expr(m.Args[0])
}

// paramInAction is a parameter in a register action: what executes the action reads it first.
func (b *body) paramInAction(e *syntax.Call, x *extern) *store {
	t := b.g.info.Types[e]
	if _, ok := scalarType(t); !ok || x.register == nil {
		b.g.errorf(e.Pos(), diag.Unsupported, "a register parameter of type %s is not supported in a register action", t)
		return nil
	}
	for _, p := range *b.g.params {
		if p.param == x.register {
			return &store{typ: t, v: p.value}
		}
	}
	v := b.g.temp(x.register.Fields[0].Type, "param", pos(e.Pos()))
	*b.g.params = append(*b.g.params, paramRead{x.register, v})
	return &store{typ: t, v: v}
}

func (b *body) registerRead(m *methodCall) *store {
	idx := m.index(b)
	if m.x.register == nil {
		return nil
	}
	b.g.access(m.x, m.e.Pos())
	r := &ir.RegisterRead{Register: m.x.register, Index: idx, Pos: m.at}
	t := b.g.info.Types[m.e]
	if _, ok := scalarType(t); ok {
		s, v := b.result(m.e, m.dst, "reg")
		r.Dst = []*ir.Var{v}
		b.emit(r)
		return s
	}
	s := b.g.newStore(t, "tmp.reg", ir.Local, m.e.Pos())
	if s == nil {
		return nil
	}
	for _, p := range s.scalars() {
		r.Dst = append(r.Dst, p.v)
	}
	b.emit(r)
	return s
}

func (b *body) registerWrite(m *methodCall) *store {
	idx := m.index(b)
	mark := len(b.stmts)
	src := b.part(m.Args[len(m.Args)-1])
	if src == nil || m.x.register == nil {
		return nil
	}
	b.g.access(m.x, m.e.Pos())
	idx = b.settle(idx, mark, m.at)
	w := &ir.RegisterWrite{Register: m.x.register, Index: idx, Pos: m.at}
	for i, s := range src.scalars() {
		if i < len(m.x.register.Fields) {
			w.Src = append(w.Src, castTo(m.x.register.Fields[i].Type, s.load()))
		}
	}
	b.emit(w)
	return nil
}

func (b *body) registerExec(m *methodCall) *store {
	if m.x.action == nil {
		return nil
	}
	ex := &ir.RegisterExec{Action: m.x.action, Index: m.index(b), Pos: m.at}
	for _, p := range m.x.params {
		b.emit(&ir.RegisterRead{Register: p.param, Index: constInt(ir.BitType(32), 0), Dst: []*ir.Var{p.value}, Pos: m.at})
	}
	if m.x.action.Result == nil {
		b.emit(ex)
		if it, ok := scalarType(b.g.info.Types[m.e]); ok {
			return &store{typ: b.g.info.Types[m.e], expr: constInt(it, 0)}
		}
		return nil
	}
	var s *store
	s, ex.Dst = b.result(m.e, m.dst, "reg")
	b.emit(ex)
	return s
}

func (b *body) count(m *methodCall) *store {
	b.emit(&ir.Count{Counter: m.x.counter, Index: b.expr(m.Args[0]), Pos: m.at})
	return nil
}

func (b *body) directCount(m *methodCall) *store {
	b.emit(&ir.DirectCount{Counter: m.x.counter, Pos: m.at})
	return nil
}

func (b *body) meter(m *methodCall) *store {
	if m.x.meter == nil {
		return nil
	}
	s, v := b.result(m.e, m.dst, "color")
	exec := &ir.MeterExec{Meter: m.x.meter, Dst: v, Pos: m.at}
	if m.x.direct {
		exec.Index = &ir.Cell{}
	}
	var given []syntax.Expr
	var places []*ir.Expr
	for i, p := range m.Params {
		if i < len(m.Args) && m.Args[i] != nil {
			places = append(places, map[string]*ir.Expr{"index": &exec.Index, "color": &exec.Color, "adjust_byte_count": &exec.Adjust}[p.Name])
			given = append(given, m.Args[i])
		}
	}
	for i, x := range b.exprs(given) {
		*places[i] = x
	}
	b.emit(exec)
	return s
}

func (b *body) filter(m *methodCall) *store {
	if m.x.filter == nil {
		return nil
	}
	s, v := b.result(m.e, m.dst, "filtered")
	exec := &ir.FilterExec{Filter: m.x.filter, Index: &ir.Cell{}, Dst: v, Pos: m.at}
	given := b.exprs(m.Args)
	if exec.Value = given[0]; !m.x.direct {
		exec.Index = given[1]
	}
	b.emit(exec)
	return s
}

func (b *body) hash(m *methodCall) *store {
	ins := b.flatten(m.Args[0])
	if m.x.hash == nil {
		return nil
	}
	b.makeSymmetric(m, ins)
	s, v := b.result(m.e, m.dst, "hash")
	b.emit(&ir.HashGet{Hash: m.x.hash, Inputs: ins, Dst: v, Pos: m.at})
	return s
}

func (b *body) random(m *methodCall) *store {
	s, v := b.result(m.e, m.dst, "random")
	if v == nil {
		b.g.errorf(m.e.Pos(), diag.UnknownExtern, "Random.get of %s is not supported", b.g.info.Types[m.e])
		return nil
	}
	b.emit(&ir.RandomGet{Name: m.x.name, Dst: v, Pos: m.at})
	return s
}

func (b *body) digest(m *methodCall) *store {
	if m.x.digest == nil {
		return nil
	}
	ins := b.flatten(m.Args[0])
	for i := range min(len(ins), len(m.x.digest.Fields)) {
		ins[i] = castTo(m.x.digest.Fields[i].Type, ins[i])
	}
	b.emit(&ir.DigestPack{Digest: m.x.digest, Fields: ins, Pos: m.at})
	return nil
}

func (b *body) checksumAdd(m *methodCall) *store {
	b.emit(&ir.ChecksumAdd{Checksum: m.x.checksum, Subtract: m.Func.Name == "subtract", Inputs: b.checksumInputs(m.Args[0]), Pos: m.at})
	return nil
}

func (b *body) checksumVerify(m *methodCall) *store {
	s, v := b.result(m.e, m.dst, "checksum")
	b.emit(&ir.ChecksumVerify{Checksum: m.x.checksum, Dst: v, Pos: m.at})
	return s
}

func (b *body) checksumGet(m *methodCall) *store {
	s, v := b.result(m.e, m.dst, "checksum")
	b.emit(&ir.ChecksumGet{Checksum: m.x.checksum, Dst: v, Pos: m.at})
	return s
}

func (b *body) checksumUpdate(m *methodCall) *store {
	zeros := false
	if len(m.Args) > 1 && m.Args[1] != nil {
		v, ok := b.g.value(m.Args[1], b.env).(types.BoolValue)
		if !ok {
			b.g.errorf(m.Args[1].Pos(), diag.NotConstant, "zeros_as_ones must be known when compiling")
		}
		zeros = bool(v)
	}
	ins := b.checksumInputs(m.Args[0])
	s, v := b.result(m.e, m.dst, "checksum")
	b.emit(&ir.ChecksumUpdate{Checksum: m.x.checksum, Inputs: ins, ZerosAsOnes: zeros, Dst: v, Pos: m.at})
	return s
}

// checksumInputs are the words of a checksum; together they are whole 16-bit
// words.
func (b *body) checksumInputs(e syntax.Expr) []ir.Expr {
	ins := b.flatten(e)
	bits := 0
	for _, x := range ins {
		bits += x.Type().Width
	}
	if bits%16 != 0 {
		b.g.errorf(e.Pos(), diag.Width, "the data of a checksum has %d bits: it must be a multiple of 16", bits)
	}
	return ins
}

// plainStruct is the struct with the fields of a header that are read while nothing becomes valid.
func plainStruct(t *types.Struct) *types.Struct {
	return &types.Struct{Name: t.Name, Decl: t.Decl, Args: t.Args, Fields: t.Fields}
}

// packetMethod lowers methods of packet_in and packet_out.
func (b *body) packetMethod(e *syntax.Call, c *types.Call) *store {
	at := pos(e.Pos())
	switch c.Func.Name {
	case "extract":
		if len(c.Args) > 1 {
			b.g.errorf(e.Pos(), diag.Unsupported, "extract of a header of variable size is not supported")
			return nil
		}
		s := b.ref(c.Args[0])
		if s == nil {
			return nil
		}
		if s.valid {
			b.emit(&intrExtract{pos: e.Pos()})
			return nil
		}
		if s.hdr == nil {
			b.g.errorf(c.Args[0].Pos(), diag.Unsupported, "only a header can be extracted")
			return nil
		}
		b.emit(&ir.Extract{Header: s.hdr, Pos: at})
		b.onlyOne(s, at)
	case "advance":
		b.emit(&ir.Advance{Bits: b.expr(c.Args[0]), Pos: at})
	case "lookahead":
		t := b.g.info.Types[e]
		if st, ok := t.(*types.Struct); ok {
			t = plainStruct(st)
		}
		name := "tmp.lookahead"
		if _, scalar := scalarType(t); !scalar {
			name = "tmp.lookahead_struct" // a path is of a number or of a struct
		}
		s := b.g.newStore(t, name, ir.Local, e.Pos())
		if s == nil {
			return nil
		}
		l := &ir.Lookahead{Pos: at}
		for _, p := range s.scalars() {
			l.Dst = append(l.Dst, p.v)
		}
		b.emit(l)
		return s
	case "emit":
		s := b.ref(c.Args[0])
		if s == nil {
			return nil
		}
		hs := s.headersIn()
		if len(hs) == 0 && len(s.scalars()) > 0 {
			b.g.errorf(c.Args[0].Pos(), diag.Unsupported, "there is no header to emit in %s", s.typ)
		}
		for _, h := range hs {
			b.emit(&ir.Emit{Header: h.hdr, Pos: at})
		}
	default:
		b.g.errorf(e.Pos(), diag.UnknownExtern, "%s of a packet is not supported", c.Func.Name)
	}
	return nil
}
