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

func (b *body) externMethod(e *syntax.Call, c *types.Call, x *extern, dst *ir.Var) *store {
	at := pos(e.Pos())
	name := c.Func.Name
	switch x.kind + "." + name {
	case "Register.read":
		return b.registerRead(e, c, x, dst)
	case "Register.write":
		idx := b.expr(c.Args[0])
		src := b.part(c.Args[1])
		if src == nil || x.register == nil {
			return nil
		}
		w := &ir.RegisterWrite{Register: x.register, Index: idx, Pos: at}
		for i, s := range src.scalars() {
			if i < len(x.register.Fields) {
				w.Src = append(w.Src, castTo(x.register.Fields[i].Type, s.load()))
			}
		}
		b.emit(w)
		return nil
	case "RegisterAction.execute":
		if x.action == nil {
			return nil
		}
		idx := b.expr(c.Args[0])
		ex := &ir.RegisterExec{Action: x.action, Index: idx, Pos: at}
		if x.action.Result == nil {
			b.emit(ex)
			if it, ok := scalarType(b.g.info.Types[e]); ok {
				return &store{typ: b.g.info.Types[e], expr: constInt(it, 0)}
			}
			return nil
		}
		s, v := b.result(e, dst, "reg")
		ex.Dst = v
		b.emit(ex)
		return s
	case "Counter.count":
		if len(c.Args) > 1 && c.Args[1] != nil {
			break
		}
		b.emit(&ir.Count{Counter: x.counter, Index: b.expr(c.Args[0]), Pos: at})
		return nil
	case "DirectCounter.count":
		if len(c.Args) > 0 && c.Args[0] != nil {
			break
		}
		if b.g.where != inAction {
			b.g.errorf(e.Pos(), diag.CallContext, "a direct counter counts in the actions of its table")
			return nil
		}
		b.emit(&ir.DirectCount{Counter: x.counter, Pos: at})
		return nil
	case "Meter.execute":
		if x.meter == nil {
			return nil
		}
		if len(c.Args) > 1 && c.Args[1] != nil {
			break // a colour that the packet has already, or a correction of its length
		}
		s, v := b.result(e, dst, "color")
		b.emit(&ir.MeterExec{Meter: x.meter, Index: b.expr(c.Args[0]), Dst: v, Pos: at})
		return s
	case "Hash.get":
		ins := b.flatten(c.Args[0])
		if x.hash == nil {
			return nil
		}
		s, v := b.result(e, dst, "hash")
		b.emit(&ir.HashGet{Hash: x.hash, Inputs: ins, Dst: v, Pos: at})
		return s
	case "Random.get":
		s, v := b.result(e, dst, "random")
		if v == nil {
			break
		}
		b.emit(&ir.RandomGet{Name: x.name, Dst: v, Pos: at})
		return s
	case "Digest.pack":
		if x.digest == nil {
			return nil
		}
		ins := b.flatten(c.Args[0])
		for i := range ins {
			if i < len(x.digest.Fields) {
				ins[i] = castTo(x.digest.Fields[i].Type, ins[i])
			}
		}
		b.emit(&ir.DigestPack{Digest: x.digest, Fields: ins, Pos: at})
		return nil
	case "Checksum.add", "Checksum.subtract":
		if b.g.where != inParser {
			b.g.errorf(e.Pos(), diag.CallContext, "Checksum.%s belongs in a parser", name)
			return nil
		}
		b.emit(&ir.ChecksumAdd{Checksum: x.checksum, Subtract: name == "subtract", Inputs: b.checksumInputs(c.Args[0]), Pos: at})
		return nil
	case "Checksum.verify":
		if b.g.where != inParser {
			b.g.errorf(e.Pos(), diag.CallContext, "Checksum.verify belongs in a parser")
			return nil
		}
		s, v := b.result(e, dst, "checksum")
		b.emit(&ir.ChecksumVerify{Checksum: x.checksum, Dst: v, Pos: at})
		return s
	case "Checksum.update":
		if b.g.where != inDeparser {
			b.g.errorf(e.Pos(), diag.CallContext, "Checksum.update belongs in a deparser")
			return nil
		}
		zeros := false
		if len(c.Args) > 1 && c.Args[1] != nil {
			v, ok := b.g.value(c.Args[1], b.env).(types.BoolValue)
			if !ok {
				b.g.errorf(c.Args[1].Pos(), diag.NotConstant, "zeros_as_ones must be known when compiling")
			}
			zeros = bool(v)
		}
		ins := b.checksumInputs(c.Args[0])
		s, v := b.result(e, dst, "checksum")
		b.emit(&ir.ChecksumUpdate{Checksum: x.checksum, Inputs: ins, ZerosAsOnes: zeros, Dst: v, Pos: at})
		return s
	}
	b.g.errorf(e.Pos(), diag.UnknownExtern, "%s.%s with these arguments is not supported", x.kind, name)
	return nil
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

func (b *body) registerRead(e *syntax.Call, c *types.Call, x *extern, dst *ir.Var) *store {
	at := pos(e.Pos())
	idx := b.expr(c.Args[0])
	if x.register == nil {
		return nil
	}
	r := &ir.RegisterRead{Register: x.register, Index: idx, Pos: at}
	t := b.g.info.Types[e]
	if _, ok := scalarType(t); ok {
		s, v := b.result(e, dst, "reg")
		r.Dst = []*ir.Var{v}
		b.emit(r)
		return s
	}
	s := b.g.newStore(t, "tmp.reg", ir.Local, e.Pos())
	if s == nil {
		return nil
	}
	for _, p := range s.scalars() {
		r.Dst = append(r.Dst, p.v)
	}
	b.emit(r)
	return s
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
	case "advance":
		b.emit(&ir.Advance{Bits: b.expr(c.Args[0]), Pos: at})
	case "lookahead":
		t := b.g.info.Types[e]
		if st, ok := t.(*types.Struct); ok && st.Header {
			// The fields are read; nothing becomes valid.
			t = &types.Struct{Name: st.Name, Decl: st.Decl, Args: st.Args, Fields: st.Fields}
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
		if len(hs) == 0 {
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
