package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// Check checks a program.
func Check(prog *syntax.Program, diags *diag.List) *Info {
	c := &checker{
		diags: diags,
		info: &Info{
			Types:  map[syntax.Expr]Type{},
			Values: map[syntax.Expr]Value{},
			Uses:   map[*syntax.NameExpr]Object{},
			Calls:  map[*syntax.Call]*Call{},
			Defs:   map[syntax.Node]Object{},
		},
		errorIndex: map[string]int{},
		matchKinds: map[string]bool{},
		planeNames: map[string]diag.Pos{},
	}
	c.scope = &scope{names: map[string]Object{}}
	c.global = c.scope
	for _, d := range prog.Decls {
		c.topDecl(d)
	}
	return c.info
}

type scope struct {
	names  map[string]Object
	parent *scope
}

// place says what kind of body is being checked: calls and statements are
// allowed in some and not in others.
type place uint8

const (
	inNothing place = iota // constants, properties, arguments of instances
	inParser               // a state
	inControl              // an apply block
	inAction
	inFunction
	inMethod // of an abstract extern method
)

type checker struct {
	diags  *diag.List
	info   *Info
	scope  *scope
	global *scope

	place   place
	control *Control // whose body this is, nil outside
	result  Type     // of the function being checked; Void elsewhere

	errorIndex map[string]int
	matchKinds map[string]bool
	planeNames map[string]diag.Pos // of actions, for the control plane
	depth      int
	loops      int // around the statement
	// badArgs is set when the arguments of the last call were wrong: what
	// depends on them is not reported as well.
	badArgs bool
}

func (c *checker) errorf(pos diag.Pos, code diag.Code, format string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(pos, code, format, args...)
}

func (c *checker) push() { c.scope = &scope{map[string]Object{}, c.scope} }
func (c *checker) pop()  { c.scope = c.scope.parent }

// declare adds a name to the current scope.
func (c *checker) declare(id *syntax.Ident, o Object) {
	if id == nil || id.Name == "" {
		return
	}
	if old, dup := c.scope.names[id.Name]; dup {
		d := c.errorf(id.At, diag.Duplicate, "%q is declared twice in this scope", id.Name)
		if p := old.objectPos(); p.IsValid() {
			d.Note(p, "first declared here")
		}
		return
	}
	c.scope.names[id.Name] = o
}

func (c *checker) lookup(name string, global bool) Object {
	if global {
		return c.global.names[name]
	}
	for s := c.scope; s != nil; s = s.parent {
		if o, ok := s.names[name]; ok {
			return o
		}
	}
	return nil
}

// in runs f with another kind of body.
func (c *checker) in(p place, f func()) {
	saved := c.place
	c.place = p
	f()
	c.place = saved
}

func (c *checker) topDecl(d syntax.Decl) {
	c.annotationRules(d.Annotations())
	if d.DeclName() != nil && d.DeclName().Name == "main" {
		switch i := d.(type) {
		case *syntax.ExternDecl:
			c.errorf(d.DeclName().At, diag.WrongKind, "main is the name of the program's package")
		case *syntax.Instance:
			defer func() {
				if inst, ok := c.info.Defs[i].(*Instance); ok && inst.Type != Invalid {
					if _, ok := inst.Type.(*Package); !ok {
						c.errorf(i.Name.At, diag.WrongKind, "main is an instance of a package, not of %s", inst.Type)
					}
				}
			}()
		}
	}
	switch d := d.(type) {
	case *syntax.Const:
		c.constDecl(d)
	case *syntax.Typedef:
		c.typedef(d)
	case *syntax.StructDecl:
		c.structDecl(d)
	case *syntax.EnumDecl:
		c.enumDecl(d)
	case *syntax.ErrorDecl:
		for _, m := range d.Members {
			if _, dup := c.errorIndex[m.Name.Name]; dup {
				c.errorf(m.Name.At, diag.Duplicate, "error.%s is declared twice", m.Name.Name)
				continue
			}
			c.errorIndex[m.Name.Name] = len(c.info.Errors)
			c.info.Errors = append(c.info.Errors, m.Name.Name)
		}
	case *syntax.MatchKindDecl:
		for _, m := range d.Members {
			if c.matchKinds[m.Name.Name] {
				c.errorf(m.Name.At, diag.Duplicate, "match kind %q is declared twice", m.Name.Name)
			}
			c.matchKinds[m.Name.Name] = true
		}
	case *syntax.Function:
		c.function(d)
	case *syntax.ExternDecl:
		c.externDecl(d)
	case *syntax.Action:
		c.action(d)
	case *syntax.Control:
		c.controlDecl(d)
	case *syntax.Parser:
		c.parserDecl(d)
	case *syntax.Package:
		p := &Package{Name: d.Name.Name, Decl: d}
		c.push()
		p.TypeParams = c.typeParams(d.TypeParams)
		p.Params = c.params(d.Params, false)
		c.pop()
		c.declare(d.Name, &TypeName{d.Name.Name, p, p.TypeParams, d.Name.At})
	case *syntax.Instance:
		c.instance(d)
	}
}

func (c *checker) constDecl(d *syntax.Const) {
	t := c.typ(d.Type)
	switch t.(type) {
	case *ExternType, *Control, *Parser, *Package:
		c.errorf(d.Type.Pos(), diag.FieldType, "a constant cannot have the type %s", t)
		t = Invalid
	}
	v := c.constant(d.Value, t)
	o := &Const{Name: d.Name.Name, Type: t, Value: v, Decl: d}
	c.info.Defs[d] = o
	c.declare(d.Name, o)
}

func (c *checker) typedef(d *syntax.Typedef) {
	t := c.typ(d.Type)
	switch t.(type) {
	case *Control, *Parser, *Package:
		c.errorf(d.Type.Pos(), diag.WrongKind, "%s cannot be given another name", t)
		t = Invalid
	case *ExternType:
		if mentions(t) {
			c.errorf(d.Type.Pos(), diag.TypeArgs, "%s cannot be given another name without type arguments", t)
			t = Invalid
		}
	}
	if d.New {
		if _, ok := Scalar(t); !ok && t != Invalid {
			c.errorf(d.Type.Pos(), diag.FieldType, "'type' needs bit<>, int<>, bool or an enum, not %s", t)
		}
		t = &NewType{Name: d.Name.Name, Of: t, Decl: d}
	}
	c.declare(d.Name, &TypeName{Name: d.Name.Name, Type: t, Pos: d.Name.At})
}

func (c *checker) structDecl(d *syntax.StructDecl) {
	s := &Struct{Name: d.Name.Name, Header: d.Header, Union: d.Union, Decl: d}
	c.push()
	tps := c.typeParams(d.TypeParams)
	for _, tp := range tps {
		s.Args = append(s.Args, tp)
	}
	seen := map[string]*syntax.Field{}
	for _, f := range d.Fields {
		t := c.typ(f.Type)
		if old := seen[f.Name.Name]; old != nil {
			c.errorf(f.Name.At, diag.Duplicate, "field %q is declared twice", f.Name.Name).Note(old.Name.At, "first declared here")
			continue
		}
		seen[f.Name.Name] = f
		c.fieldRules(f, s.Fields)
		st, isStruct := t.(*Struct)
		_, isParam := t.(*TypeParam)
		if !c.fieldType(t, d.Header) || d.Union && t != Invalid && !isParam && (!isStruct || !st.Header) {
			kind := "struct"
			switch {
			case d.Header:
				kind = "header"
			case d.Union:
				kind = "header union"
			}
			c.errorf(f.Type.Pos(), diag.FieldType, "a %s cannot have a field of type %s", kind, t)
			t = Invalid
		}
		s.Fields = append(s.Fields, &Field{f.Name.Name, t, f})
	}
	c.pop()
	if d.Header && len(tps) == 0 {
		c.info.Headers = append(c.info.Headers, s)
	}
	c.declare(d.Name, &TypeName{d.Name.Name, s, tps, d.Name.At})
}

func (c *checker) fieldType(t Type, header bool) bool {
	switch t := t.(type) {
	case *Bits, *Varbit, *TypeParam:
		return true
	case *Enum:
		return !header || t.Repr != nil
	case *NewType:
		return c.fieldType(t.Of, header)
	case *Struct:
		// A header may contain structs of plain fields.
		if header {
			if t.Header || t.Union {
				return false
			}
			for _, f := range t.Fields {
				if !c.fieldType(f.Type, true) {
					return false
				}
			}
		}
		return true
	case *Stack:
		return c.fieldType(t.Elem, header)
	case *Tuple:
		return !header
	}
	return t == Invalid || t == Bool || t == Error && !header
}

func (c *checker) enumDecl(d *syntax.EnumDecl) {
	e := &Enum{Name: d.Name.Name, Decl: d}
	if d.Type != nil {
		t := c.typ(d.Type)
		if b, ok := t.(*Bits); ok {
			e.Repr = b
		} else if t != Invalid {
			c.errorf(d.Type.Pos(), diag.FieldType, "an enum is represented by bit<> or int<>, not %s", t)
		}
	}
	if len(d.Members) == 0 {
		c.errorf(d.Name.At, diag.FieldType, "enum %s has no members", d.Name.Name)
	}
	for i, m := range d.Members {
		v := mkInt(int64(i)).(IntValue).V
		if m.Value != nil && e.Repr != nil {
			if iv, ok := IntOf(c.constant(m.Value, e.Repr)); ok {
				v = iv
			}
		}
		for _, n := range e.Members {
			if n == m.Name.Name {
				c.errorf(m.Name.At, diag.Duplicate, "member %q is declared twice", n)
			}
		}
		e.Members = append(e.Members, m.Name.Name)
		e.Values = append(e.Values, &EnumValue{e, m.Name.Name, v})
	}
	o := &TypeName{Name: d.Name.Name, Type: e, Pos: d.Name.At}
	c.info.Defs[d] = o
	c.declare(d.Name, o)
}

func (c *checker) externDecl(d *syntax.ExternDecl) {
	e := &Extern{Name: d.Name.Name, Decl: d}
	t := &ExternType{Extern: e}
	c.push()
	e.TypeParams = c.typeParams(d.TypeParams)
	for _, tp := range e.TypeParams {
		t.Args = append(t.Args, tp)
	}
	for _, m := range d.Methods {
		c.push()
		f := &Func{Name: m.Name.Name, Decl: m, Extern: true, Abstract: m.Abstract, Result: Void}
		f.TypeParams = c.typeParams(m.TypeParams)
		if m.Result != nil {
			f.Result = c.typ(m.Result)
		}
		f.Params = c.params(m.Params, false)
		if m.Result != nil {
			c.paramRules(f.Params, ofMethod)
			c.resultRule(m.Result, f.Result)
		} else {
			c.ctorRules(f.Params, true)
		}
		if m.Result != nil {
			if m.Name.Name == d.Name.Name {
				c.errorf(m.Name.At, diag.Return, "a constructor returns nothing: %s(…);", d.Name.Name)
			}
		}
		c.pop()
		list := &e.Methods
		if m.Result == nil {
			list = &e.Ctors
		}
		for _, o := range *list {
			if o.Name == f.Name && len(o.Params) == len(f.Params) && !mayOverload(o, f) {
				c.errorf(m.Name.At, diag.Duplicate, "%s has the same number of parameters as an earlier one", m.Name.Name).
					Note(o.Decl.Name.At, "declared here")
			}
		}
		*list = append(*list, f)
	}
	c.pop()
	c.declare(d.Name, &TypeName{d.Name.Name, t, e.TypeParams, d.Name.At})
}

// mayOverload tells whether two functions with equally many parameters can be
// told apart: by the kind of some parameter.
func mayOverload(a, b *Func) bool {
	for i := range a.Params {
		if a.Params[i].Name != b.Params[i].Name {
			return true
		}
		x, y := a.Params[i].Type, b.Params[i].Type
		if !mentions(x) && !mentions(y) && !Identical(x, y) {
			return true
		}
	}
	return false
}

func (c *checker) typeParams(ids []*syntax.Ident) []*TypeParam {
	var tps []*TypeParam
	for _, id := range ids {
		tp := &TypeParam{id.Name}
		tps = append(tps, tp)
		c.declare(id, &TypeName{Name: id.Name, Type: tp, Pos: id.At})
	}
	return tps
}

// params resolves parameters and, when declare is set, puts them in scope.
func (c *checker) params(ps []*syntax.Param, declare bool) []*Param {
	var out []*Param
	optional := false
	for _, p := range ps {
		t := c.typ(p.Type)
		q := &Param{Name: p.Name.Name, Type: t, Dir: p.Dir, Optional: p.Optional(), Default: p.Default, Decl: p}
		if t == Void || t == Int && p.Dir != syntax.DirNone && p.Dir != syntax.DirIn {
			c.errorf(p.Type.Pos(), diag.FieldType, "parameter %q cannot have the type %s", p.Name.Name, t)
			q.Type = Invalid
		}
		switch t.(type) {
		case *ExternType, *Control, *Parser, *Package, *applied:
			if p.Dir != syntax.DirNone {
				c.errorf(p.At, diag.Direction, "parameter %q of type %s cannot have a direction", p.Name.Name, t)
			}
		}
		if p.Default != nil {
			if p.Dir == syntax.DirOut || p.Dir == syntax.DirInout {
				c.errorf(p.Default.Pos(), diag.Direction, "an %s parameter has no default value", p.Dir)
			} else if isBlock(t) {
				c.in(inNothing, func() { c.expr(p.Default, nil) })
			} else {
				c.constant(p.Default, t)
			}
		}
		if optional && !q.Optional && p.Default == nil {
			c.errorf(p.At, diag.Direction, "parameter %q must be optional too: the one before it is", p.Name.Name)
		}
		optional = q.Optional
		q.Var = &Var{Name: q.Name, Type: q.Type, Kind: ParamVar, Dir: p.Dir, Pos: p.Name.At}
		if declare {
			c.declare(p.Name, q.Var)
		}
		for _, o := range out {
			if o.Name == q.Name && !declare {
				c.errorf(p.Name.At, diag.Duplicate, "parameter %q is declared twice", q.Name)
			}
		}
		out = append(out, q)
	}
	return out
}

// isBlock tells whether a type is of controls, parsers or packages.
func isBlock(t Type) bool {
	switch t.(type) {
	case *Control, *Parser, *Package, *applied:
		return true
	}
	return false
}

func (c *checker) ctorParams(ps []*syntax.Param) []*Param {
	out := c.params(ps, true)
	for _, p := range out {
		p.Var.Kind = CtorVar
		if p.Dir != syntax.DirNone {
			c.errorf(p.Decl.At, diag.Direction, "a constructor parameter has no direction")
		}
	}
	return out
}

// resultRule checks the type that a function returns.
func (c *checker) resultRule(n syntax.TypeNode, t Type) {
	if t == Int || t == DontCare || isBlock(t) {
		c.errorf(n.Pos(), diag.FieldType, "a function cannot return %s", t)
	}
}

func (c *checker) function(d *syntax.Function) {
	f := &Func{Name: d.Name.Name, Decl: d, Extern: d.Extern, checking: true}
	c.push()
	f.TypeParams = c.typeParams(d.TypeParams)
	f.Result = c.typ(d.Result)
	f.Params = c.params(d.Params, true)
	if d.Extern {
		c.paramRules(f.Params, ofMethod)
	} else {
		c.paramRules(f.Params, ofCode)
	}
	c.resultRule(d.Result, f.Result)
	for _, p := range f.Params {
		if p.Dir == syntax.DirNone && !d.Extern {
			p.Var.Dir = syntax.DirIn
		}
	}
	params := c.scope
	c.pop()

	if set, ok := c.scope.names[d.Name.Name].(*FuncSet); ok {
		for _, o := range set.Funcs {
			if len(o.Params) == len(f.Params) && !mayOverload(o, f) {
				c.errorf(d.Name.At, diag.Duplicate, "function %q with %d parameters is declared twice", d.Name.Name, len(f.Params)).
					Note(o.Decl.Name.At, "first declared here")
				break
			}
		}
		set.Funcs = append(set.Funcs, f)
	} else {
		c.declare(d.Name, &FuncSet{d.Name.Name, []*Func{f}})
	}
	if d.Body != nil {
		saved := c.scope
		c.scope = params
		c.body(d, f.Result, inFunction)
		c.scope = saved
	}
	f.checking = false
}

// body checks the body of a function or method; its parameters are in scope.
func (c *checker) body(d *syntax.Function, result Type, p place) {
	saved := c.result
	c.result = result
	c.in(p, func() { c.block(d.Body) })
	c.result = saved
	if result != Void && result != Invalid && !ends(d.Body) {
		c.errorf(d.Body.End, diag.Return, "%s: not every path returns a value", d.Name.Name)
	}
}

// ends tells whether a statement always returns or exits.
func ends(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.Return, *syntax.Exit:
		return true
	case *syntax.Block:
		for _, t := range s.Stmts {
			if ends(t) {
				return true
			}
		}
	case *syntax.If:
		return s.Else != nil && ends(s.Then) && ends(s.Else)
	case *syntax.Switch:
		def := false
		for i, k := range s.Cases {
			if _, ok := k.Label.(*syntax.Default); ok {
				def = true
			}
			if k.Body == nil && i == len(s.Cases)-1 || k.Body != nil && !ends(k.Body) {
				return false
			}
		}
		return def
	}
	return false
}

func (c *checker) action(d *syntax.Action) {
	a := &Action{Name: d.Name.Name, Decl: d, Control: c.control, checking: true}
	c.declare(d.Name, a)
	c.info.Defs[d] = a
	if a.Name == "NoAction" && c.control == nil {
		c.info.NoAction = a
	}
	c.push()
	a.Params = c.params(d.Params, true)
	c.paramRules(a.Params, ofCode)
	c.controlPlane(d)
	none := false
	for _, p := range a.Params {
		if p.Dir == syntax.DirNone {
			none = true
			p.Var.Kind = DataVar
			if _, ok := Scalar(p.Type); !ok && p.Type != Invalid && !c.fieldType(p.Type, false) {
				c.errorf(p.Decl.Type.Pos(), diag.FieldType, "action data cannot have the type %s", p.Type)
			}
		} else if none {
			c.errorf(p.Decl.At, diag.Direction, "parameter %q: parameters with a direction come before those without", p.Name)
		}
	}
	saved := c.result
	c.result = Void
	c.in(inAction, func() { c.block(d.Body) })
	c.result = saved
	c.pop()
	a.checking = false
}

func (c *checker) controlDecl(d *syntax.Control) {
	t := &Control{Name: d.Name.Name, Decl: d, checking: true}
	tn := &TypeName{Name: d.Name.Name, Type: t, Pos: d.Name.At}
	c.declare(d.Name, tn)
	c.push()
	defer c.pop()
	t.TypeParams = c.typeParams(d.TypeParams)
	t.Params = c.params(d.Params, true)
	if d.Apply == nil {
		tn.Params = t.TypeParams
		return
	}
	tn.Params = t.TypeParams
	c.paramRules(t.Params, ofApply)
	t.CtorParams = c.ctorParams(d.CtorParams)
	c.ctorRules(t.CtorParams, false)
	c.push()
	defer c.pop()
	savedControl := c.control
	c.control = t
	for _, l := range d.Locals {
		c.local(l, inControl)
	}
	saved := c.result
	c.result = Void
	c.in(inControl, func() { c.block(d.Apply) })
	c.result, c.control = saved, savedControl
	t.checking = false
}

// local checks a declaration inside a control or parser.
func (c *checker) local(d syntax.Decl, p place) {
	switch d := d.(type) {
	case *syntax.Const:
		c.constDecl(d)
	case *syntax.Var:
		c.in(p, func() { c.varDecl(d) })
	case *syntax.Instance:
		c.instance(d)
	case *syntax.Action:
		c.action(d)
	case *syntax.Table:
		c.table(d)
	case *syntax.ValueSet:
		v := &ValueSet{Name: d.Name.Name, Decl: d, Elem: c.typ(d.Type)}
		if n, ok := IntOf(c.constant(d.Size, Int)); ok && n.IsInt64() {
			v.Size = int(n.Int64())
		}
		c.info.Defs[d] = v
		c.declare(d.Name, v)
	}
}

func (c *checker) varDecl(d *syntax.Var) {
	t := c.typ(d.Type)
	switch t.(type) {
	case *ExternType, *Control, *Parser, *Package:
		c.errorf(d.Type.Pos(), diag.FieldType, "%q: an instance of %s needs arguments: %s(…) %s;", d.Name.Name, t, t, d.Name.Name)
		t = Invalid
	}
	switch t {
	case Int, String, Void, MatchKind, DontCare:
		c.errorf(d.Type.Pos(), diag.FieldType, "a variable cannot have the type %s", t)
		t = Invalid
	}
	if d.Init != nil {
		c.assignable(d.Init, c.expr(d.Init, t), t, "initial value")
	}
	o := &Var{Name: d.Name.Name, Type: t, Kind: LocalVar, Pos: d.Name.At, Decl: d}
	if old, ok := c.lookup(d.Name.Name, false).(*Var); ok && old.Kind == ParamVar && c.scope.names[d.Name.Name] == nil {
		c.diags.Warnf(d.Name.At, diag.Duplicate, "%q hides a parameter", d.Name.Name)
		if n, ok := d.Init.(*syntax.NameExpr); ok && n.Name == d.Name.Name {
			c.errorf(d.Name.At, diag.Duplicate, "%q hides the parameter that it is given", d.Name.Name)
		}
	}
	c.info.Defs[d] = o
	c.declare(d.Name, o)
}
