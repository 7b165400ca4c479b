package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// constructor checks Type(args) as an expression: an argument of a package or
// extern, or the value of a table property.
func (c *checker) constructor(e *syntax.Call, t Type, pos diag.Pos) Type {
	if c.place != inNothing {
		c.errorf(pos, diag.CallContext, "an instance of %s cannot be made in a statement: declare it (%s(…) name;)", t, t)
		c.checkArgs(e)
		return c.set(e, Invalid, nil)
	}
	inst := &Instance{Pos: pos}
	if !c.construct(inst, t, e.Args, pos) {
		return c.set(e, Invalid, nil)
	}
	c.record(e, &Call{Kind: CallConstructor, Callee: inst.Type, Instance: inst, Params: inst.Ctor, Args: inst.Args})
	if et, ok := inst.Type.(*ExternType); ok {
		for _, m := range et.Extern.Methods {
			if m.Abstract && m.Decl.Annots.Find("optional") == nil {
				c.errorf(pos, diag.Abstract, "%s has abstract methods: declare the instance, with their bodies", et)
				break
			}
		}
	}
	if len(inst.TypeArgs) > 0 {
		return c.set(e, &applied{inst.Type, inst.TypeArgs}, nil)
	}
	return c.set(e, inst.Type, nil)
}

// construct resolves the constructor of t for the arguments.
func (c *checker) construct(inst *Instance, t Type, args []*syntax.Arg, pos diag.Pos) bool {
	bad := func() bool {
		for _, a := range args {
			c.in(inNothing, func() { c.expr(a.Value, nil) })
		}
		inst.Type = Invalid
		return false
	}
	var given []Type
	own := func(tps []*TypeParam) map[*TypeParam]Type {
		m := map[*TypeParam]Type{}
		for i, tp := range tps {
			m[tp] = nil
			if i < len(given) && given[i] != DontCare {
				m[tp] = given[i]
			}
		}
		return m
	}
	bound := func(tps []*TypeParam, m map[*TypeParam]Type) (out []Type) {
		for _, tp := range tps {
			if m[tp] == nil {
				m[tp] = DontCare // of an optional parameter that is absent, or it follows from an application
			}
			out = append(out, m[tp])
		}
		return out
	}
	if a, ok := t.(*applied); ok {
		t, given = a.of, a.args
	}
	ok := true
	saved := c.place
	c.place = inNothing
	defer func() { c.place = saved }()
	switch t := t.(type) {
	case *ExternType:
		return c.constructExtern(inst, t, args, pos)
	case *Control:
		if t.Decl.Apply == nil {
			c.errorf(pos, diag.WrongKind, "%s is a control type without a body: it has no instances", t.Name)
			return bad()
		}
		if t.checking {
			c.errorf(pos, diag.Recursion, "control %s contains an instance of itself", t.Name)
			return bad()
		}
		inst.Type, inst.Ctor = t, t.CtorParams
		m := own(t.TypeParams)
		inst.Args = c.bind(pos, "the constructor of "+t.Name, t.CtorParams, args, m, true)
		inst.TypeArgs = bound(t.TypeParams, m)
	case *Parser:
		if !t.Decl.Body {
			c.errorf(pos, diag.WrongKind, "%s is a parser type without a body: it has no instances", t.Name)
			return bad()
		}
		if t.checking {
			c.errorf(pos, diag.Recursion, "parser %s contains an instance of itself", t.Name)
			return bad()
		}
		inst.Type, inst.Ctor = t, t.CtorParams
		m := own(t.TypeParams)
		inst.Args = c.bind(pos, "the constructor of "+t.Name, t.CtorParams, args, m, true)
		inst.TypeArgs = bound(t.TypeParams, m)
	case *Package:
		m := own(t.TypeParams)
		inst.Type, inst.Ctor = t, t.Params
		inst.Args = c.bind(pos, "package "+t.Name, t.Params, args, m, true)
		inst.TypeArgs = bound(t.TypeParams, m)
	default:
		if t != Invalid {
			c.errorf(pos, diag.WrongKind, "%s has no constructor", t)
		}
		return bad()
	}
	return ok
}

func (c *checker) constructExtern(inst *Instance, t *ExternType, args []*syntax.Arg, pos diag.Pos) bool {
	what := "the constructor of " + t.Extern.Name
	ctor := c.choose(pos, what, t.Extern.Ctors, args)
	if ctor == nil {
		for _, a := range args {
			c.expr(a.Value, nil)
		}
		inst.Type = Invalid
		return false
	}
	if a := ctor.Decl.Annots.Find("deprecated"); a != nil {
		c.diags.Warnf(pos, diag.Arguments, "this form of %s is deprecated: %s", what, a.Body())
	}
	m := map[*TypeParam]Type{}
	explicit := len(t.Args) == len(t.Extern.TypeParams)
	for i, tp := range t.Extern.TypeParams {
		m[tp] = nil
		if explicit && t.Args[i] != Type(tp) {
			m[tp] = t.Args[i]
		}
	}
	inst.Ctor = ctor.Params
	inst.Args = c.bind(pos, what, ctor.Params, args, m, true)
	out := &ExternType{Extern: t.Extern}
	for _, tp := range t.Extern.TypeParams {
		b := m[tp]
		if b == nil && c.badArgs {
			b = Invalid
		}
		if b == nil || b == Int {
			c.badArgs = true
			c.errorf(pos, diag.TypeArgs, "the type argument %s of %s cannot be inferred: give it (%s<…>(…))", tp.Name, t.Extern.Name, t.Extern.Name)
			b = Invalid
		}
		out.Args = append(out.Args, b)
	}
	inst.Type = out
	c.registerTypes(inst, out)
	return true
}

// registerTypes fills in the type arguments _ of a register action from the
// register that it works on: RegisterAction<_, _, bit<1>>(reg).
func (c *checker) registerTypes(inst *Instance, t *ExternType) {
	if t.Extern.Name != "RegisterAction" && t.Extern.Name != "DirectRegisterAction" || len(inst.Args) == 0 || inst.Args[0] == nil {
		return
	}
	reg, ok := c.info.Types[inst.Args[0]].(*ExternType)
	if !ok {
		return
	}
	for i := 0; i < len(reg.Args) && i < len(t.Args); i++ {
		if t.Args[i] == DontCare {
			t.Args[i] = reg.Args[i]
		}
	}
}

// instance checks a declaration Type(args) name [= { methods }];.
func (c *checker) instance(d *syntax.Instance) {
	t := c.typ(d.Type)
	inst := &Instance{Name: d.Name.Name, Decl: d, Pos: d.Name.At}
	c.construct(inst, t, d.Args, d.Type.Pos())
	switch inst.Type.(type) {
	case *Control, *Parser:
		if c.scope == c.global {
			c.errorf(d.Pos(), diag.CallContext, "%s cannot be instantiated here: it belongs in a control or parser, or among the arguments of a package", inst.Type)
		}
	}
	if et, ok := inst.Type.(*ExternType); ok {
		c.methods(inst, et)
	} else if d.HasBody && inst.Type != Invalid {
		c.errorf(d.Name.At, diag.Abstract, "%s has no abstract methods to implement", inst.Type)
	}
	if p, ok := inst.Type.(*Package); ok {
		if c.control != nil || c.scope != c.global {
			c.errorf(d.Pos(), diag.CallContext, "a package cannot be instantiated inside a control or parser")
		}
		_ = p
		c.info.Packages = append(c.info.Packages, inst)
		if inst.Name == "main" {
			c.info.Main = inst
		}
	}
	c.info.Defs[d] = inst
	c.declare(d.Name, inst)
}

// methods checks the implementations of abstract methods.
func (c *checker) methods(inst *Instance, t *ExternType) {
	m := map[*TypeParam]Type{}
	for i, tp := range t.Extern.TypeParams {
		m[tp] = t.Args[i]
	}
	var abstract []*Func
	for _, f := range t.Extern.Methods {
		if f.Abstract {
			abstract = append(abstract, f)
		}
	}
	for _, d := range inst.Decl.Methods {
		var f *Func
		for _, a := range abstract {
			if a.Name == d.Name.Name {
				f = a
			}
		}
		if f == nil {
			c.errorf(d.Name.At, diag.Abstract, "extern %s has no abstract method %q", t.Extern.Name, d.Name.Name)
			continue
		}
		for _, o := range inst.Method {
			if o.Func == f {
				c.errorf(d.Name.At, diag.Duplicate, "method %q is implemented twice", f.Name)
			}
		}
		c.push()
		result := c.typ(d.Result)
		params := c.params(d.Params, true)
		c.methodSignature(d, f, params, m, t)
		if !Identical(result, subst(f.Result, m)) {
			c.errorf(d.Result.Pos(), diag.Abstract, "method %q returns %s, not %s", f.Name, subst(f.Result, m), result)
		}
		inst.Method = append(inst.Method, &Method{f, d, params})
		savedControl := c.control
		c.body(d, result, inMethod)
		c.control = savedControl
		c.pop()
	}
	for _, f := range abstract {
		found := false
		for _, o := range inst.Method {
			found = found || o.Func == f
		}
		if !found && inst.Decl != nil && f.Decl.Annots.Find("optional") == nil {
			c.errorf(inst.Pos, diag.Abstract, "the abstract method %q of %s is not implemented", f.Name, t.Extern.Name)
		}
	}
}

// methodSignature compares the parameters of an implementation with those of
// the abstract method; trailing optional ones may be missing.
func (c *checker) methodSignature(d *syntax.Function, f *Func, params []*Param, m map[*TypeParam]Type, t *ExternType) {
	if !accepts(f.Params, len(params)) {
		c.errorf(d.Name.At, diag.Abstract, "method %q has %s", f.Name, arity(f.Params))
		return
	}
	for i, p := range params {
		want := f.Params[i]
		if p.Dir != want.Dir {
			c.errorf(p.Decl.At, diag.Abstract, "parameter %q of %q must be %s", p.Name, f.Name, want.Dir)
		}
		wt := subst(want.Type, m)
		if !Identical(p.Type, wt) {
			c.errorf(p.Decl.Type.Pos(), diag.Abstract, "parameter %q of %q has the type %s, not %s", p.Name, f.Name, wt, p.Type)
			continue
		}
		// RegisterAction<T, I, _>: the result type is what the method says.
		if tp, ok := want.Type.(*TypeParam); ok && m[tp] == DontCare {
			m[tp] = p.Type
			for j, etp := range t.Extern.TypeParams {
				if etp == tp {
					t.Args[j] = p.Type
				}
			}
		}
	}
}
