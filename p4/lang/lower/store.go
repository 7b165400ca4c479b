package lower

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// maxVars bounds how many variables a structure may have.
const maxVars = 1 << 16

// A store is where a value of any type lives: a scalar variable, a header, or
// the stores of its parts. A store with expr set is a read-only scalar value.
type store struct {
	typ   types.Type
	v     *ir.Var
	expr  ir.Expr
	hdr   *ir.HeaderInst
	valid bool // a header that is always valid and is no HeaderInst: intrinsic metadata
	parts []*store
	union []*store // of a header in a header union: the other headers
}

// scalarType is the IR type of a scalar.
func scalarType(t types.Type) (ir.Type, bool) {
	s, ok := types.Scalar(t)
	if !ok {
		return ir.Type{}, false
	}
	if b, ok := s.(*types.Bits); ok {
		if b.Signed {
			return ir.Type{Kind: ir.Int, Width: b.Width}, true
		}
		return ir.BitType(b.Width), true
	}
	return ir.BoolType, true
}

// newStore makes storage for a value of type t. Locals and temporaries get a
// name of their own; the names of other kinds are canonical.
func (g *gress) newStore(t types.Type, name string, kind ir.VarKind, at diag.Pos) *store {
	if len(g.names) > maxVars {
		if !g.full {
			g.full = true
			g.errorf(at, diag.Unsupported, "the program has more than %d variables", maxVars)
		}
		return nil
	}
	if st, ok := scalarType(t); ok {
		if st.Width == 0 {
			g.errorf(at, diag.Unsupported, "%s: a variable of no bits is not supported", name)
			return nil
		}
		if kind == ir.Intrinsic {
			if s := g.intrinsic(t, st, name, at); s != nil {
				return s
			}
		}
		if kind == ir.Local {
			name = g.unique(name)
		}
		g.names[name] = true
		return &store{typ: t, v: &ir.Var{Name: name, Type: st, Kind: kind, Pos: pos(at)}}
	}
	switch t := t.(type) {
	case *types.Struct:
		if t.Header && kind != ir.Intrinsic {
			return g.newHeader(t, name, at)
		}
		s := &store{typ: t, valid: t.Header}
		for _, f := range t.Fields {
			fat := at
			if f.Decl != nil {
				fat = f.Decl.Name.At
			}
			p := g.newStore(f.Type, name+"."+f.Name, kind, fat)
			if p == nil {
				return nil
			}
			s.parts = append(s.parts, p)
		}
		if t.Union {
			for i, p := range s.parts {
				p.union = slices.Concat(s.parts[:i], s.parts[i+1:])
			}
		}
		return s
	case *types.Tuple:
		s := &store{typ: t}
		for i, e := range t.Elems {
			p := g.newStore(e, fmt.Sprintf("%s.%d", name, i), kind, at)
			if p == nil {
				return nil
			}
			s.parts = append(s.parts, p)
		}
		return s
	case *types.Stack:
		s := &store{typ: t}
		for i := range t.Size {
			p := g.newStore(t.Elem, fmt.Sprintf("%s[%d]", name, i), kind, at)
			if p == nil {
				return nil
			}
			s.parts = append(s.parts, p)
		}
		return s
	}
	g.errorf(at, diag.Unsupported, "%s: a variable of type %s is not supported", name, t)
	return nil
}

// newHeader makes a header instance.
func (g *gress) newHeader(t *types.Struct, name string, at diag.Pos) *store {
	ht := g.headerType(t)
	if ht == nil {
		return nil
	}
	name = g.unique(name)
	g.names[name] = true
	h := &ir.HeaderInst{Name: name, Type: ht, Index: len(g.ir.Headers)}
	off := 0
	for _, f := range ht.Fields {
		h.Fields = append(h.Fields, &ir.Var{
			Name: name + "." + f.Name, Type: f.Type, Kind: ir.Field,
			Header: h, Offset: off, Pos: ht.Pos,
		})
		off += f.Type.Width
	}
	g.ir.Headers = append(g.ir.Headers, h)
	s := &store{typ: t, hdr: h}
	next := 0
	s.parts = headerParts(t, h, &next)
	return s
}

// headerParts gives the fields of a header, or of a struct inside one, their
// variables.
func headerParts(t *types.Struct, h *ir.HeaderInst, next *int) []*store {
	var parts []*store
	for _, f := range t.Fields {
		if st, ok := f.Type.(*types.Struct); ok {
			parts = append(parts, &store{typ: st, parts: headerParts(st, h, next)})
			continue
		}
		parts = append(parts, &store{typ: f.Type, v: h.Fields[*next]})
		*next++
	}
	return parts
}

// headerType lowers a header declaration.
func (l *lowerer) headerType(t *types.Struct) *ir.HeaderType {
	if ht, ok := l.headers[t]; ok {
		return ht
	}
	for k, ht := range l.headers {
		if types.Identical(k, t) { // instances of a generic header
			return ht
		}
	}
	ht := &ir.HeaderType{Name: t.Name, Pos: pos(t.Decl.Name.At)}
	ok := l.headerFields(ht, t, "")
	l.headers[t] = nil
	if !ok {
		return nil
	}
	if w, _ := types.Width(t); w%8 != 0 || w == 0 {
		l.errorf(t.Decl.Name.At, diag.Width, "header %s has %d bits: a header is a whole number of bytes", t.Name, w)
		return nil
	}
	l.headers[t] = ht
	return ht
}

func (l *lowerer) headerFields(ht *ir.HeaderType, t *types.Struct, prefix string) bool {
	for _, f := range t.Fields {
		if st, ok := f.Type.(*types.Struct); ok {
			if !l.headerFields(ht, st, prefix+f.Name+".") {
				return false
			}
			continue
		}
		ft, ok := scalarType(f.Type)
		if !ok || ft.Width == 0 {
			l.errorf(f.Decl.Type.Pos(), diag.Unsupported, "field %q of header %s: the type %s is not supported", f.Name, t.Name, f.Type)
			return false
		}
		if len(ht.Fields) > maxVars {
			return false
		}
		ht.Fields = append(ht.Fields, l.field(f, prefix+f.Name, ft))
	}
	return true
}

func (l *lowerer) field(f *types.Field, name string, t ir.Type) ir.FieldType {
	out := ir.FieldType{Name: name, Type: t}
	if f.Decl != nil {
		out.Annotations = l.annotations(f.Decl.Annots)
		out.ID = l.fieldID(f.Decl.Annots)
	}
	return out
}

// controllerHeaders lowers the header types with @controller_header, which
// exist for the control plane even when no header is of that type.
func (l *lowerer) controllerHeaders() {
	for _, t := range l.info.Headers {
		a := t.Decl.Annots.Find("controller_header")
		if a == nil {
			continue
		}
		name, ok := annotString(a)
		slot := &l.prog.PacketIn
		switch {
		case ok && name == "packet_in":
		case ok && name == "packet_out":
			slot = &l.prog.PacketOut
		default:
			l.errorf(a.Pos(), diag.Annotation, "@controller_header is \"packet_in\" or \"packet_out\"")
			continue
		}
		if *slot != nil {
			l.errorf(a.Pos(), diag.Annotation, "there is already a header with @controller_header(%q)", name)
			continue
		}
		if ht := l.headerType(t); ht != nil {
			ht.Controller = name
			ht.ID = l.id(t.Decl.Annots, idController, t.Name)
			ht.Annotations = l.annotations(t.Decl.Annots)
			*slot = ht
		}
	}
}

// unique returns a variable name that is not in use yet.
func (g *gress) unique(name string) string {
	if !g.names[name] {
		return name
	}
	for i := 1; ; i++ {
		if n := fmt.Sprintf("%s_%d", name, i); !g.names[n] {
			return n
		}
	}
}

// temp makes a temporary of an IR type.
func (g *gress) temp(t ir.Type, what string, at ir.Pos) *ir.Var {
	name := g.unique("tmp." + what)
	g.names[name] = true
	return &ir.Var{Name: name, Type: t, Kind: ir.Local, Pos: at}
}

// scalars lists the scalar stores of s in order, headers' fields included.
func (s *store) scalars() []*store {
	if s.v != nil || s.expr != nil {
		return []*store{s}
	}
	var out []*store
	for _, p := range s.parts {
		out = append(out, p.scalars()...)
	}
	return out
}

// headersIn lists the headers of s in order.
func (s *store) headersIn() []*store {
	if s.hdr != nil {
		return []*store{s}
	}
	var out []*store
	for _, p := range s.parts {
		out = append(out, p.headersIn()...)
	}
	return out
}

// load is the value of a scalar store.
func (s *store) load() ir.Expr {
	if s.expr != nil {
		return s.expr
	}
	return &ir.Ref{Var: s.v}
}

// overlaps tells whether two stores share a variable or header; bits of a variable are a store with an expression.
func (s *store) overlaps(t *store) bool {
	seen := map[*ir.Var]bool{}
	for _, x := range s.scalars() {
		ir.Vars(x.load(), func(v *ir.Var) { seen[v] = true })
	}
	shared := false
	for _, x := range t.scalars() {
		ir.Vars(x.load(), func(v *ir.Var) { shared = shared || seen[v] })
	}
	return shared
}

// sameAs tells whether two stores are the same place.
func (s *store) sameAs(t *store) bool {
	a, b := s.scalars(), t.scalars()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].v != b[i].v || a[i].v == nil {
			return false
		}
	}
	return true
}

// constant makes a Const of an IR type from a number of any sign.
func constant(t ir.Type, v *big.Int) *ir.Const {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	return &ir.Const{T: t, Value: new(big.Int).Mod(v, m)}
}

func constInt(t ir.Type, v int64) *ir.Const { return constant(t, big.NewInt(v)) }
