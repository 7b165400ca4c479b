package lower

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// extern is an instance of an extern object; the field of its kind is set.
type extern struct {
	kind     string // name of the extern
	name     string // control-plane name
	typ      *types.ExternType
	register *ir.Register
	said     bool // the register's initial value has been said
	action   *ir.RegisterAction
	counter  *ir.Counter
	meter    *ir.Meter
	filter   *ir.Filter
	at       diag.Pos
	direct   bool        // register and meter: those of a table's entries
	params   []paramRead // of a register action
	hash     *ir.Hash
	poly     *polynomial
	// symmetric are pairs of inputs of a hash, by their text, that may change places.
	symmetric [][2]string
	digest    *ir.Digest
	checksum  *ir.Checksum
	profile   *profile
	// Of a register: the program accesses it; it belongs to a selector.
	used bool
	held *types.Instance
}

// paramRead is a RegisterParam that a register action reads, and where it finds the value: what executes the action puts it there.
type paramRead struct {
	param *ir.Register
	value *ir.Var
}

// polynomial is a CRCPolynomial.
type polynomial struct {
	width     int
	coeff     *big.Int
	reversed  bool
	init, xor *big.Int
}

// newExtern makes an extern object. The externs that are declared in tofino.p4
// and not listed here are not supported.
func (g *gress) newExtern(inst *types.Instance, t *types.ExternType, e *env, name string, as syntax.Annotations) any {
	x := &extern{kind: t.Extern.Name, typ: t}
	x.name = g.controlName(e.path, name, as)
	switch x.kind {
	case "RegisterAction", "DirectRegisterAction":
		g.warnAnnots(as, initialValues[:]...)
	case "Hash":
		g.warnAnnots(as, "symmetric")
		x.symmetric = g.symmetric(as)
	default:
		g.warnAnnots(as)
	}
	at := pos(inst.Pos)
	arg := func(i int) types.Value {
		if i < len(inst.Args) && inst.Args[i] != nil {
			return g.value(inst.Args[i], e)
		}
		return nil
	}
	switch x.kind {
	case "Register":
		x.register = g.register(inst, t, x.name, as, arg)
		x.said = arg(1) != nil
	case "DirectRegister":
		x.direct = true
		x.register = g.register(inst, t, x.name, as, arg)
		x.said = arg(0) != nil
	case "RegisterParam":
		x.register = g.register(inst, t, x.name, as, arg)
	case "RegisterAction", "DirectRegisterAction":
		x.action = g.registerAction(inst, x, as, e)
	case "Counter":
		x.counter = g.counter(inst, t, x.name, as, arg)
	case "DirectCounter":
		x.counter = &ir.Counter{Name: x.name, ID: g.id(as, idDirectCounter, x.name), Gress: g.ir,
			Kind: g.counterKind(inst, arg(0)), Annotations: g.annotations(as), Pos: at}
		g.prog.Counters = append(g.prog.Counters, x.counter)
	case "Meter", "DirectMeter":
		x.direct = x.kind == "DirectMeter"
		x.meter = g.meter(inst, t, x.name, as, arg)
	case "Lpf", "Wred", "DirectLpf", "DirectWred":
		x.direct = x.kind == "DirectLpf" || x.kind == "DirectWred"
		x.filter = g.filter(inst, t, x.name, arg)
	case "Hash":
		x.hash = g.hash(inst, t, x.name, e, arg)
	case "CRCPolynomial":
		x.poly = g.polynomial(inst, t, arg)
	case "ActionProfile":
		x.profile = g.newProfile(inst, x.name, as, arg(0))
	case "ActionSelector":
		if x.profile = g.selector(inst, x, as, e); x.profile == nil {
			return nil
		}
	case "Random", "Atcam", "Alpm":
	case "Digest":
		x.digest = g.digest(inst, t, x.name, as)
	case "Checksum":
		x.checksum = &ir.Checksum{Name: x.name, Pos: at}
	default:
		g.errorf(inst.Pos, diag.UnknownExtern, "extern %s is not supported", x.kind)
		return nil
	}
	if x.direct {
		x.at = inst.Pos
		g.direct = append(g.direct, x)
	}
	return x
}

// elementFields are the fields of a register's element.
func (g *gress) elementFields(t types.Type, at diag.Pos) []ir.FieldType {
	if it, ok := scalarType(t); ok {
		return []ir.FieldType{{Type: it}}
	}
	st, ok := t.(*types.Struct)
	if !ok || st.Header || len(st.Fields) != 2 {
		g.errorf(at, diag.Unsupported, "a register holds a number or a struct of two numbers, not %s", t)
		return nil
	}
	var out []ir.FieldType
	for _, f := range st.Fields {
		it, ok := scalarType(f.Type)
		if !ok {
			g.errorf(at, diag.Unsupported, "a register holds a number or a struct of two numbers; field %q is %s", f.Name, f.Type)
			return nil
		}
		out = append(out, g.field(f, f.Name, it))
	}
	return out
}

// indexType is the type of an index; a Register<T, _> has bit<32>.
func (g *gress) indexType(t types.Type, at diag.Pos) ir.Type {
	if t == types.DontCare {
		return ir.BitType(32)
	}
	it, ok := scalarType(t)
	if !ok || it.Kind != ir.Bit {
		g.errorf(at, diag.Mismatch, "an index is bit<>, not %s", t)
		return ir.BitType(32)
	}
	return it
}

func (g *gress) size(inst *types.Instance, v types.Value) int {
	n, ok := types.IntOf(v)
	if !ok {
		g.errorf(inst.Pos, diag.NotConstant, "the size of %s must be known when compiling", inst.Name)
		return 1
	}
	if n.Sign() <= 0 || n.BitLen() > 26 {
		g.errorf(inst.Pos, diag.Width, "the size of %s is 1 to 2^26, not %s", inst.Name, n)
		return 1
	}
	return int(n.Int64())
}

func (g *gress) register(inst *types.Instance, t *types.ExternType, name string, as syntax.Annotations, arg func(int) types.Value) *ir.Register {
	r := &ir.Register{
		Name: name, ID: g.id(as, idRegister, name), Gress: g.ir,
		Fields: g.elementFields(t.Args[0], inst.Pos), Size: 1, IndexType: ir.BitType(32),
		Annotations: g.annotations(as), Pos: pos(inst.Pos),
	}
	initial := 0
	if t.Extern.Name == "Register" {
		r.Size, r.IndexType, initial = g.size(inst, arg(0)), g.indexType(t.Args[1], inst.Pos), 1
	}
	if st, ok := t.Args[0].(*types.Struct); ok {
		r.TypeName = st.Name
	}
	for range r.Fields {
		r.Initial = append(r.Initial, new(big.Int))
	}
	if v := arg(initial); v != nil {
		if init := constStore(t.Args[0], v); init != nil {
			for i, s := range init.scalars() {
				if c, ok := s.expr.(*ir.Const); ok && i < len(r.Initial) {
					r.Initial[i] = c.Value
				}
			}
		}
	}
	g.prog.Registers = append(g.prog.Registers, r)
	return r
}

// initialValues are the annotations with the initial value of the register of a
// RegisterAction, by field: an older form of Register's second argument.
var initialValues = [...]string{"initial_register_lo_value", "initial_register_hi_value"}

// initialValue gives a register the initial value that its action says.
func (g *gress) initialValue(reg *extern, as syntax.Annotations) {
	r := reg.register
	said := false
	for i, name := range initialValues {
		a := as.Find(name)
		if a == nil {
			continue
		}
		v, ok := annotInteger(a)
		switch {
		case !ok:
			g.errorf(a.Pos(), diag.Annotation, "@%s needs a number", name)
			return
		case i >= len(r.Fields):
			g.errorf(a.Pos(), diag.Annotation, "@%s: the elements of %s have one field", name, r.Name)
			return
		case v.BitLen() > r.Fields[i].Type.Width:
			g.errorf(a.Pos(), diag.Width, "@%s: %s does not fit %s", name, v, r.Fields[i].Type)
			return
		}
		c := constant(r.Fields[i].Type, v).Value
		if reg.said && c.Cmp(r.Initial[i]) != 0 {
			g.errorf(a.Pos(), diag.Annotation, "@%s: the initial value of %s has been given already, and was another", name, r.Name)
			return
		}
		r.Initial[i], said = c, true
	}
	reg.said = reg.said || said
}

// registerAction lowers the apply method of a RegisterAction.
func (g *gress) registerAction(inst *types.Instance, x *extern, as syntax.Annotations, e *env) *ir.RegisterAction {
	reg, _ := g.externArg(inst.Args[0], e).(*extern)
	if reg == nil || reg.register == nil {
		g.errorf(inst.Pos, diag.Unsupported, "the register of %s must be named directly", inst.Name)
		return nil
	}
	g.access(reg, inst.Pos)
	g.initialValue(reg, as)
	r := reg.register
	x.direct = reg.direct
	ra := &ir.RegisterAction{Name: x.name, Register: r, Pos: pos(inst.Pos)}
	if !types.Identical(x.typ.Args[0], reg.typ.Args[0]) {
		g.errorf(inst.Pos, diag.Mismatch, "register action %s is over %s, its register over %s", inst.Name, x.typ.Args[0], reg.typ.Args[0])
		return nil
	}
	if len(inst.Method) == 0 {
		return nil
	}
	m := inst.Method[0]
	me := e.child()
	vp := m.Params[0]
	value := &store{typ: vp.Type}
	for _, f := range r.Fields {
		name := vp.Name
		if f.Name != "" {
			name += "." + f.Name
		}
		ra.Value = append(ra.Value, &ir.Var{Name: name, Type: f.Type, Kind: ir.RegValue, Pos: pos(vp.Decl.Name.At)})
	}
	if len(r.Fields) == 1 && r.Fields[0].Name == "" {
		value.v = ra.Value[0]
	} else {
		st, ok := vp.Type.(*types.Struct)
		if !ok {
			return nil
		}
		for i, f := range st.Fields {
			value.parts = append(value.parts, &store{typ: f.Type, v: ra.Value[i]})
		}
	}
	me.objects[vp.Var] = value
	if len(m.Params) > 1 {
		rp := m.Params[1]
		it, ok := scalarType(rp.Type)
		if !ok {
			g.errorf(rp.Decl.Type.Pos(), diag.Unsupported, "the result of a register action is a number, not %s", rp.Type)
			return nil
		}
		ra.Result = &ir.Var{Name: rp.Name, Type: it, Kind: ir.RegResult, Pos: pos(rp.Decl.Name.At)}
		me.objects[rp.Var] = &store{typ: rp.Type, v: ra.Result}
	}
	b := &body{g: g, env: me}
	saved := g.where
	outer := g.params
	g.where, g.params = inRegisterAction, &x.params
	b.block(m.Decl.Body)
	g.where, g.params = saved, outer
	ra.Body = b.stmts
	g.checkRegisterBody(ra.Body, m.Decl.Pos())
	return ra
}

// checkRegisterBody allows only what a stateful ALU does.
func (g *gress) checkRegisterBody(ss []ir.Stmt, at diag.Pos) {
	for _, s := range ss {
		switch s := s.(type) {
		case *ir.Assign:
		case *ir.If:
			g.checkRegisterBody(s.Then, at)
			g.checkRegisterBody(s.Else, at)
		case *ir.Block:
			g.checkRegisterBody(s.Body, at)
		default:
			g.errorf(at, diag.Unsupported, "a register action may only assign and compare: tables, other registers, counters and return are not supported in it")
			return
		}
	}
}

func (g *gress) counterKind(inst *types.Instance, v types.Value) ir.CounterKind {
	if m, ok := v.(*types.EnumValue); ok {
		switch m.Name {
		case "PACKETS":
			return ir.Packets
		case "BYTES":
			return ir.Bytes
		case "PACKETS_AND_BYTES":
			return ir.PacketsAndBytes
		}
	}
	g.errorf(inst.Pos, diag.NotConstant, "the type of counter %s must be known when compiling", inst.Name)
	return ir.Packets
}

func (g *gress) counter(inst *types.Instance, t *types.ExternType, name string, as syntax.Annotations, arg func(int) types.Value) *ir.Counter {
	c := &ir.Counter{
		Name: name, ID: g.id(as, idCounter, name), Gress: g.ir,
		Kind: g.counterKind(inst, arg(1)), Size: g.size(inst, arg(0)),
		IndexType:   g.indexType(t.Args[1], inst.Pos),
		Annotations: g.annotations(as), Pos: pos(inst.Pos),
	}
	if inst.Decl != nil {
		if n, ok := inst.Decl.Type.(*syntax.NamedType); ok && len(n.Args) > 1 {
			c.IndexName = typeName(n.Args[1])
		}
	}
	g.prog.Counters = append(g.prog.Counters, c)
	return c
}

func (g *gress) meter(inst *types.Instance, t *types.ExternType, name string, as syntax.Annotations, arg func(int) types.Value) *ir.Meter {
	m := &ir.Meter{Name: name, Gress: g.ir, IndexType: ir.BitType(32), Annotations: g.annotations(as), Pos: pos(inst.Pos)}
	kind := 0
	if t.Extern.Name == "DirectMeter" {
		m.ID = g.id(as, idDirectMeter, name)
	} else {
		m.ID, m.Size, m.IndexType, kind = g.id(as, idMeter, name), g.size(inst, arg(0)), g.indexType(t.Args[0], inst.Pos), 1
	}
	switch v, _ := arg(kind).(*types.EnumValue); {
	case v == nil:
		g.errorf(inst.Pos, diag.NotConstant, "the type of meter %s must be known when compiling", inst.Name)
	case arg(kind+1) != nil:
		g.errorf(inst.Pos, diag.Unsupported, "meter %s: colours with other numbers are not supported", inst.Name)
	default:
		m.Bytes = v.Name == "BYTES"
	}
	g.prog.Meters = append(g.prog.Meters, m)
	return m
}

func (g *gress) filter(inst *types.Instance, t *types.ExternType, name string, arg func(int) types.Value) *ir.Filter {
	f := &ir.Filter{Name: name, Gress: g.ir, Wred: t.Extern.Name == "Wred" || t.Extern.Name == "DirectWred", IndexType: ir.BitType(32), Pos: pos(inst.Pos)}
	if it, ok := scalarType(t.Args[0]); !ok || it.Kind != ir.Bit || it.Width > 32 {
		g.errorf(inst.Pos, diag.Unsupported, "%s %s: values of type %s (bit<> of at most 32 bits)", t.Extern.Name, inst.Name, t.Args[0])
		return nil
	}
	next := 0
	if len(t.Args) > 1 {
		f.Size, f.IndexType, next = g.size(inst, arg(0)), g.indexType(t.Args[1], inst.Pos), 1
	}
	if f.Wred {
		for i, to := range []*uint8{&f.Drop, &f.NoDrop} {
			if v, ok := types.IntOf(arg(next + i)); ok {
				*to = uint8(v.Uint64())
			} else {
				g.errorf(inst.Pos, diag.NotConstant, "what %s answers must be known when compiling", inst.Name)
			}
		}
	}
	g.prog.Filters = append(g.prog.Filters, f)
	return f
}

// The parameters of the predefined CRCs: width, coefficients without the
// leading one, reversed, initial value, final XOR.
var crcs = map[string]struct {
	alg      ir.HashAlgorithm
	width    int
	coeff    uint64
	reversed bool
	init     uint64
	xor      uint64
}{
	"CRC8":  {ir.HashCRC8, 8, 0x07, false, 0, 0},
	"CRC16": {ir.HashCRC16, 16, 0x8005, true, 0, 0},
	"CRC32": {ir.HashCRC32, 32, 0x04c11db7, true, 0xffffffff, 0xffffffff},
	"CRC64": {ir.HashCRC64, 64, 0x42f0e1eba9ea3693, false, 0, 0},
}

func (g *gress) hash(inst *types.Instance, t *types.ExternType, name string, e *env, arg func(int) types.Value) *ir.Hash {
	h := &ir.Hash{Name: name, Pos: pos(inst.Pos)}
	alg, ok := arg(0).(*types.EnumValue)
	if !ok {
		g.errorf(inst.Pos, diag.NotConstant, "the algorithm of hash %s must be known when compiling", inst.Name)
		return nil
	}
	var poly *polynomial
	if len(inst.Args) > 1 && inst.Args[1] != nil {
		x, ok := g.externArg(inst.Args[1], e).(*extern)
		if !ok || x.poly == nil {
			g.errorf(inst.Pos, diag.Unsupported, "the polynomial of hash %s must be an instance that is named directly", inst.Name)
			return nil
		}
		poly = x.poly
	}
	switch alg.Name {
	case "IDENTITY":
		h.Algorithm = ir.HashIdentity
	case "RANDOM":
		h.Algorithm = ir.HashRandom
	case "XOR8", "XOR16", "XOR32":
		h.Algorithm = ir.HashXOR
		h.Width = map[string]int{"XOR8": 8, "XOR16": 16, "XOR32": 32}[alg.Name]
	case "CUSTOM":
		if poly == nil {
			g.errorf(inst.Pos, diag.Arguments, "hash %s: the algorithm CUSTOM needs a CRCPolynomial", inst.Name)
			return nil
		}
		h.Algorithm = ir.HashCRCCustom
	default:
		c, ok := crcs[alg.Name]
		if !ok {
			g.errorf(inst.Pos, diag.UnknownExtern, "hash algorithm %s is not supported", alg.Name)
			return nil
		}
		h.Algorithm, h.Width, h.Reversed = c.alg, c.width, c.reversed
		h.Polynomial = new(big.Int).SetUint64(c.coeff)
		h.Init, h.XOR = new(big.Int).SetUint64(c.init), new(big.Int).SetUint64(c.xor)
	}
	if poly != nil {
		if h.Algorithm != ir.HashCRCCustom && poly.width != h.Width {
			g.errorf(inst.Pos, diag.Mismatch, "hash %s: a polynomial of %d bits for %s", inst.Name, poly.width, alg.Name)
		}
		h.Width, h.Polynomial, h.Reversed, h.Init, h.XOR = poly.width, poly.coeff, poly.reversed, poly.init, poly.xor
	}
	if _, ok := scalarType(t.Args[0]); !ok {
		g.errorf(inst.Pos, diag.Unsupported, "the result of hash %s is a number, not %s", inst.Name, t.Args[0])
		return nil
	}
	return h
}

func (g *gress) polynomial(inst *types.Instance, t *types.ExternType, arg func(int) types.Value) *polynomial {
	b, ok := t.Args[0].(*types.Bits)
	if !ok {
		g.errorf(inst.Pos, diag.TypeArgs, "CRCPolynomial needs bit<>, not %s", t.Args[0])
		return nil
	}
	p := &polynomial{width: b.Width}
	var nums [6]*big.Int
	for i := range nums {
		n, ok := types.IntOf(arg(i))
		if !ok {
			g.errorf(inst.Pos, diag.NotConstant, "the arguments of a CRCPolynomial must be known when compiling")
			return nil
		}
		nums[i] = n
	}
	if nums[2].Sign() != 0 || nums[3].Sign() != 0 {
		g.errorf(inst.Pos, diag.UnknownExtern, "CRCPolynomial: msb and extended are not supported")
	}
	p.coeff, p.reversed, p.init, p.xor = nums[0], nums[1].Sign() != 0, nums[4], nums[5]
	return p
}

func (g *gress) digest(inst *types.Instance, t *types.ExternType, name string, as syntax.Annotations) *ir.Digest {
	d := &ir.Digest{Name: name, ID: g.id(as, idDigest, name), Annotations: g.annotations(as), Pos: pos(inst.Pos)}
	if g.where != inDeparser || g.side.name != "ingress" {
		g.errorf(inst.Pos, diag.UnknownExtern, "a Digest belongs in the ingress deparser")
	}
	st, ok := t.Args[0].(*types.Struct)
	if !ok {
		g.errorf(inst.Pos, diag.Unsupported, "a digest is of a struct, not %s", t.Args[0])
		return nil
	}
	d.TypeName = st.Name
	for _, f := range st.Fields {
		it, ok := scalarType(f.Type)
		if !ok {
			g.errorf(inst.Pos, diag.Unsupported, "field %q of digest %s: the type %s is not supported", f.Name, inst.Name, f.Type)
			return nil
		}
		d.Fields = append(d.Fields, g.field(f, f.Name, it))
	}
	g.prog.Digests = append(g.prog.Digests, d)
	return d
}
