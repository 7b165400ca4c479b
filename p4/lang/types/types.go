package types

import (
	"fmt"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// Type is a P4 type.
type Type interface {
	String() string
}

type basic string

func (b basic) String() string { return string(b) }

// The types without parameters.
var (
	Invalid   Type = basic("(invalid)")
	Bool      Type = basic("bool")
	Int       Type = basic("int") // without width: constants only
	String    Type = basic("string")
	Void      Type = basic("void")
	Error     Type = basic("error")
	MatchKind Type = basic("match_kind")
	DontCare  Type = basic("_")
	// SetDefault is the type of default and _ in sets of values.
	SetDefault Type = basic("default")
	// InvalidHdr is the type of {#}.
	InvalidHdr Type = basic("{#}")
)

type (
	// Bits is bit<Width> or int<Width>.
	Bits struct {
		Width  int
		Signed bool
	}
	// Varbit is varbit<Max>.
	Varbit struct{ Max int }
	// Struct is a header or struct; Args are its type arguments.
	Struct struct {
		Name   string
		Header bool
		Union  bool // of headers
		Decl   *syntax.StructDecl
		Args   []Type
		Fields []*Field
		width  int // plus one, once known
		leaves int
	}
	// Field is a field of a Struct, or an element of a Record.
	Field struct {
		Name string
		Type Type
		Decl *syntax.Field
	}
	// Enum is an enum; Repr is nil unless it is serializable.
	Enum struct {
		Name    string
		Repr    *Bits
		Decl    *syntax.EnumDecl
		Members []string
		Values  []*EnumValue
	}
	// NewType is declared with type; it converts only explicitly.
	NewType struct {
		Name string
		Of   Type
		Decl *syntax.Typedef
	}
	// Stack is a header stack.
	Stack struct {
		Elem Type
		Size int
	}
	// Tuple is tuple<…> and the type of {a, b}.
	Tuple struct {
		Elems  []Type
		leaves int
	}
	// List is list<Elem>: values that are known when compiling.
	List struct{ Elem Type }
	// Record is the type of {x = a, y = b} before it meets a struct.
	Record struct{ Fields []*Field }
	// Set is the type of a set of values of Elem (select cases, entries).
	Set struct{ Elem Type }
	// TypeParam is a type parameter inside its declaration.
	TypeParam struct{ Name string }
	// ExternType is an extern object type with its type arguments, which may
	// be DontCare.
	ExternType struct {
		Extern *Extern
		Args   []Type
	}
	// Control is a control, or a control type when it has no body.
	Control struct {
		Name       string
		Decl       *syntax.Control
		TypeParams []*TypeParam
		Params     []*Param
		CtorParams []*Param
		// Locals and what Info says about the body belong to the declaration;
		// every instance shares them.
		checking bool
	}
	// Parser is a parser, or a parser type when it has no body.
	Parser struct {
		Name       string
		Decl       *syntax.Parser
		TypeParams []*TypeParam
		Params     []*Param
		CtorParams []*Param
		checking   bool
	}
	// Package is a package declaration.
	Package struct {
		Name       string
		Decl       *syntax.Package
		TypeParams []*TypeParam
		Params     []*Param
	}
	// applied is a control, parser or package type with type arguments.
	applied struct {
		of   Type
		args []Type
	}
	// tableResult is the type of table.apply(), actionRun that of .action_run.
	tableResult struct{ table *Table }
	actionRun   struct{ table *Table }
	// typeValue is the type of a type's name where an expression stands.
	typeValue struct{ of Type }
	// callable is the type of a function, method, action or constructor name.
	callable struct{ what string }
	// objectType is the type of an instance's name when it is no extern.
	objectType struct{ what string }
)

func (b *Bits) String() string {
	if b.Signed {
		return fmt.Sprintf("int<%d>", b.Width)
	}
	return fmt.Sprintf("bit<%d>", b.Width)
}
func (v *Varbit) String() string { return fmt.Sprintf("varbit<%d>", v.Max) }
func (s *Struct) String() string {
	kind := "struct "
	switch {
	case s.Header:
		kind = "header "
	case s.Union:
		kind = "header_union "
	}
	return kind + s.Name + argString(s.Args)
}
func (e *Enum) String() string        { return "enum " + e.Name }
func (n *NewType) String() string     { return n.Name }
func (s *Stack) String() string       { return fmt.Sprintf("%s[%d]", s.Elem, s.Size) }
func (t *Tuple) String() string       { return "tuple<" + typeList(t.Elems) + ">" }
func (l *List) String() string        { return "list<" + l.Elem.String() + ">" }
func (s *Set) String() string         { return "set<" + s.Elem.String() + ">" }
func (p *TypeParam) String() string   { return p.Name }
func (e *ExternType) String() string  { return e.Extern.Name + argString(e.Args) }
func (c *Control) String() string     { return "control " + c.Name }
func (p *Parser) String() string      { return "parser " + p.Name }
func (p *Package) String() string     { return "package " + p.Name }
func (a *applied) String() string     { return a.of.String() + argString(a.args) }
func (t *tableResult) String() string { return "the result of table " + t.table.Name }
func (a *actionRun) String() string   { return "the action of table " + a.table.Name }
func (t *typeValue) String() string   { return "type " + t.of.String() }
func (c *callable) String() string    { return c.what }
func (o *objectType) String() string  { return o.what }
func (r *Record) String() string {
	var b strings.Builder
	for i, f := range r.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.Name + "=" + f.Type.String())
	}
	return "{" + b.String() + "}"
}

func argString(ts []Type) string {
	if len(ts) == 0 {
		return ""
	}
	return "<" + typeList(ts) + ">"
}

func typeList(ts []Type) string {
	s := make([]string, len(ts))
	for i, t := range ts {
		s[i] = t.String()
	}
	return strings.Join(s, ", ")
}

// Identical tells whether two types are the same.
func Identical(a, b Type) bool {
	if a == b || a == Invalid || b == Invalid || a == DontCare || b == DontCare {
		return true
	}
	switch a := a.(type) {
	case *Bits:
		o, ok := b.(*Bits)
		return ok && *a == *o
	case *Varbit:
		o, ok := b.(*Varbit)
		return ok && *a == *o
	case *Struct:
		o, ok := b.(*Struct)
		return ok && a.Decl == o.Decl && identicalLists(a.Args, o.Args)
	case *Stack:
		o, ok := b.(*Stack)
		return ok && a.Size == o.Size && Identical(a.Elem, o.Elem)
	case *Tuple:
		o, ok := b.(*Tuple)
		return ok && identicalLists(a.Elems, o.Elems)
	case *Set:
		o, ok := b.(*Set)
		return ok && Identical(a.Elem, o.Elem)
	case *List:
		o, ok := b.(*List)
		return ok && Identical(a.Elem, o.Elem)
	case *ExternType:
		o, ok := b.(*ExternType)
		return ok && a.Extern == o.Extern && identicalLists(a.Args, o.Args)
	}
	return false
}

func identicalLists(a, b []Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Identical(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Bit returns bit<w>.
func Bit(w int) *Bits { return &Bits{Width: w} }

// FieldOf returns a field of a struct or header, or nil.
func (s *Struct) FieldOf(name string) *Field {
	for _, f := range s.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// maxBits bounds the size of a type in bits, so that sums do not overflow.
const maxBits = 1 << 26

// Width is the size of a value in bits; ok is false for types that have none.
func Width(t Type) (w int, ok bool) {
	switch t := t.(type) {
	case *Bits:
		return t.Width, true
	case *Enum:
		if t.Repr != nil {
			return t.Repr.Width, true
		}
		return 0, false
	case *NewType:
		return Width(t.Of)
	case *Stack:
		w, ok := Width(t.Elem)
		return min(w*t.Size, maxBits), ok
	case *Tuple:
		return sumWidths(t.Elems)
	case *Struct:
		if t.width == 0 {
			var ts []Type
			for _, f := range t.Fields {
				ts = append(ts, f.Type)
			}
			w, ok := sumWidths(ts)
			if !ok {
				return 0, false
			}
			t.width = w + 1
		}
		return t.width - 1, true
	}
	if t == Bool {
		return 1, true
	}
	return 0, false
}

func sumWidths(ts []Type) (int, bool) {
	sum := 0
	for _, t := range ts {
		w, ok := Width(t)
		if !ok {
			return 0, false
		}
		sum = min(sum+w, maxBits)
	}
	return sum, true
}

// Scalar reduces a type to the Bits or Bool that represents its values; ok is
// false when the type is not scalar. Enums without a representation and error
// count as scalars of the width that the lowering gives them.
func Scalar(t Type) (Type, bool) {
	switch t := t.(type) {
	case *Bits:
		return t, true
	case *Enum:
		if t.Repr != nil {
			return t.Repr, true
		}
		return Bit(EnumWidth), true
	case *NewType:
		return Scalar(t.Of)
	}
	switch t {
	case Bool:
		return Bool, true
	case Error:
		return Bit(EnumWidth), true
	}
	return nil, false
}

// EnumWidth is the width of an enum without representation, and of error.
const EnumWidth = 32

// maxLeaves bounds how many fields a type has once it is flattened; it also
// bounds the time that walking over a type takes.
const maxLeaves = 1 << 14

// leaves counts the fields of a type after flattening, nested and empty
// structures included.
func leaves(t Type) int {
	n := 1
	switch t := t.(type) {
	case *Struct:
		if t.leaves == 0 {
			for _, f := range t.Fields {
				n = min(n+leaves(f.Type), maxLeaves+1)
			}
			t.leaves = n
		}
		return t.leaves
	case *Tuple:
		if t.leaves == 0 {
			for _, e := range t.Elems {
				n = min(n+leaves(e), maxLeaves+1)
			}
			t.leaves = n
		}
		return t.leaves
	case *Stack:
		n = leaves(t.Elem) * t.Size
	case *ExternType:
		for _, a := range t.Args {
			n = min(n+leaves(a), maxLeaves+1)
		}
	case *applied:
		for _, a := range t.args {
			n = min(n+leaves(a), maxLeaves+1)
		}
	}
	return min(n, maxLeaves+1)
}

// subst replaces type parameters.
func subst(t Type, m map[*TypeParam]Type) Type {
	if len(m) == 0 {
		return t
	}
	switch t := t.(type) {
	case *TypeParam:
		if r := m[t]; r != nil {
			return r
		}
	case *Tuple:
		return &Tuple{Elems: substList(t.Elems, m)}
	case *Stack:
		return &Stack{subst(t.Elem, m), t.Size}
	case *Set:
		return &Set{subst(t.Elem, m)}
	case *List:
		return &List{subst(t.Elem, m)}
	case *ExternType:
		return &ExternType{t.Extern, substList(t.Args, m)}
	case *applied:
		return &applied{t.of, substList(t.args, m)}
	case *Struct:
		if len(t.Args) == 0 {
			return t
		}
		s := &Struct{Name: t.Name, Header: t.Header, Union: t.Union, Decl: t.Decl, Args: substList(t.Args, m)}
		for _, f := range t.Fields {
			s.Fields = append(s.Fields, &Field{f.Name, subst(f.Type, m), f.Decl})
		}
		return s
	}
	return t
}

func substList(ts []Type, m map[*TypeParam]Type) []Type {
	out := make([]Type, len(ts))
	for i, t := range ts {
		out[i] = subst(t, m)
	}
	return out
}

// mentions tells whether a type contains a type parameter.
func mentions(t Type) bool {
	switch t := t.(type) {
	case *TypeParam:
		return true
	case *Tuple:
		return anyMentions(t.Elems)
	case *Stack:
		return mentions(t.Elem)
	case *Set:
		return mentions(t.Elem)
	case *List:
		return mentions(t.Elem)
	case *ExternType:
		return anyMentions(t.Args)
	case *applied:
		return anyMentions(t.args)
	case *Struct:
		return anyMentions(t.Args)
	}
	return false
}

func anyMentions(ts []Type) bool {
	for _, t := range ts {
		if mentions(t) {
			return true
		}
	}
	return false
}
