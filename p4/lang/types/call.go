package types

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

func (c *checker) call(e *syntax.Call, want Type) Type {
	switch f := e.Fun.(type) {
	case *syntax.Member:
		return c.methodCall(e, f)
	case *syntax.NameExpr:
		t := c.name(f)
		if a, ok := c.info.Uses[f].(*Action); ok && a.checking {
			// A name is not visible in its own declaration: an outer one may
			// be meant.
			if o := c.outer(f.Name, a); o != nil {
				c.info.Uses[f] = o
			}
		}
		switch o := c.info.Uses[f].(type) {
		case *Action:
			return c.actionCall(e, o)
		case *FuncSet:
			return c.funcCall(e, o)
		case *TypeName:
			return c.constructor(e, o.Type, f.Pos())
		}
		c.checkArgs(e)
		if t != Invalid {
			c.errorf(f.Pos(), diag.WrongKind, "%q cannot be called", f.Name)
		}
		return c.set(e, Invalid, nil)
	case *syntax.TypeExpr:
		t := c.typ(f.Type)
		c.set(f, &typeValue{t}, nil)
		return c.constructor(e, t, f.Pos())
	}
	c.value(e.Fun, nil)
	c.checkArgs(e)
	if c.info.Types[e.Fun] != Invalid {
		c.errorf(e.Fun.Pos(), diag.WrongKind, "this cannot be called")
	}
	return c.set(e, Invalid, nil)
}

// outer finds what a name means outside the scope in which it is not.
func (c *checker) outer(name string, not Object) Object {
	for s := c.scope; s != nil; s = s.parent {
		if o, ok := s.names[name]; ok && o != not {
			return o
		}
	}
	return nil
}

// checkArgs checks arguments of a call that cannot be resolved, for the sake of
// errors inside them.
func (c *checker) checkArgs(e *syntax.Call) {
	for _, a := range e.Args {
		c.expr(a.Value, nil)
	}
}

func (c *checker) methodCall(e *syntax.Call, f *syntax.Member) Type {
	bad := func() Type {
		c.checkArgs(e)
		return c.set(e, Invalid, nil)
	}
	if te, ok := f.X.(*syntax.TypeExpr); ok {
		t := c.typ(te.Type)
		c.set(te, &typeValue{t}, nil)
		of := t
		if a, ok := t.(*applied); ok {
			of = a.of
		}
		switch of.(type) {
		case *Control, *Parser:
			if f.Sel.Name == "apply" {
				return c.applyCall(e, t, f.X, CallDirectApply)
			}
		}
		if t != Invalid {
			c.errorf(f.Sel.At, diag.NoMember, "type %s has no method %q", t, f.Sel.Name)
		}
		return bad()
	}
	t := c.expr(f.X, nil)
	switch t := t.(type) {
	case *objectType:
		if n, ok := f.X.(*syntax.NameExpr); ok {
			if tbl, ok := c.info.Uses[n].(*Table); ok {
				return c.tableApply(e, f, tbl)
			}
		}
	case *Control, *Parser:
		if f.Sel.Name == "apply" {
			return c.applyCall(e, t, f.X, CallApply)
		}
		c.errorf(f.Sel.At, diag.NoMember, "%s has only the method apply", t)
		return bad()
	case *ExternType:
		return c.externCall(e, f, t)
	case *Struct:
		if t.Header || t.Union && f.Sel.Name == "isValid" {
			return c.headerCall(e, f, t)
		}
	case *Stack:
		return c.stackCall(e, f)
	}
	if t != Invalid {
		c.errorf(f.Sel.At, diag.NoMember, "%s has no method %q", t, f.Sel.Name)
	}
	return bad()
}

func (c *checker) record(e *syntax.Call, call *Call) { c.info.Calls[e] = call }

func (c *checker) noArgs(e *syntax.Call, what string) {
	if len(e.Args) > 0 {
		c.checkArgs(e)
		c.errorf(e.Args[0].Value.Pos(), diag.Arguments, "%s takes no arguments", what)
	}
}

func (c *checker) headerCall(e *syntax.Call, f *syntax.Member, t *Struct) Type {
	call := &Call{Kind: CallBuiltin, Recv: f.X, Name: f.Sel.Name}
	c.record(e, call)
	c.noArgs(e, f.Sel.Name+"()")
	switch f.Sel.Name {
	case "isValid":
		return c.set(e, Bool, nil)
	case "setValid", "setInvalid":
		c.lvalue(f.X)
		return c.set(e, Void, nil)
	case "minSizeInBits", "maxSizeInBits", "minSizeInBytes", "maxSizeInBytes":
		w, _ := Width(t)
		if f.Sel.Name == "minSizeInBytes" || f.Sel.Name == "maxSizeInBytes" {
			w = (w + 7) / 8
		}
		return c.set(e, Int, mkInt(int64(w)))
	}
	c.errorf(f.Sel.At, diag.NoMember, "a header has no method %q", f.Sel.Name)
	return c.set(e, Invalid, nil)
}

func (c *checker) stackCall(e *syntax.Call, f *syntax.Member) Type {
	call := &Call{Kind: CallBuiltin, Recv: f.X, Name: f.Sel.Name}
	c.record(e, call)
	if f.Sel.Name != "push_front" && f.Sel.Name != "pop_front" {
		c.checkArgs(e)
		c.errorf(f.Sel.At, diag.NoMember, "a stack has no method %q", f.Sel.Name)
		return c.set(e, Invalid, nil)
	}
	c.lvalue(f.X)
	if len(e.Args) != 1 {
		c.errorf(e.Pos(), diag.Arguments, "%s takes one argument", f.Sel.Name)
		return c.set(e, Void, nil)
	}
	c.constant(e.Args[0].Value, Int)
	call.Args = []syntax.Expr{e.Args[0].Value}
	return c.set(e, Void, nil)
}

func (c *checker) tableApply(e *syntax.Call, f *syntax.Member, t *Table) Type {
	c.record(e, &Call{Kind: CallTableApply, Table: t, Recv: f.X})
	if f.Sel.Name != "apply" {
		c.checkArgs(e)
		c.errorf(f.Sel.At, diag.NoMember, "a table has no method %q, only apply", f.Sel.Name)
		return c.set(e, Invalid, nil)
	}
	c.noArgs(e, "apply() of a table")
	if c.place != inControl {
		c.errorf(e.Pos(), diag.CallContext, "a table can only be applied in the apply block of a control")
	}
	return c.set(e, &tableResult{t}, nil)
}

func (c *checker) applyCall(e *syntax.Call, t Type, recv syntax.Expr, kind CallKind) Type {
	var given []Type
	if a, ok := t.(*applied); ok {
		t, given = a.of, a.args
	}
	call := &Call{Kind: kind, Recv: recv, Callee: t}
	c.record(e, call)
	var name string
	switch t := t.(type) {
	case *Control:
		name = t.Name
		call.Params = t.Params
		if t.checking && t.Decl.Apply != nil {
			c.errorf(e.Pos(), diag.Recursion, "control %s applies itself", t.Name)
		}
		if t.Decl.Apply == nil && kind == CallDirectApply {
			c.errorf(e.Pos(), diag.WrongKind, "%s is a control type without a body", t.Name)
		}
		if c.place != inControl {
			c.errorf(e.Pos(), diag.CallContext, "a control can only be applied in the apply block of a control")
		}
		if kind == CallDirectApply && len(t.CtorParams) > 0 {
			c.errorf(e.Pos(), diag.Arguments, "%s has constructor parameters: make an instance", t.Name)
		}
	case *Parser:
		name = t.Name
		call.Params = t.Params
		if t.checking {
			c.errorf(e.Pos(), diag.Recursion, "parser %s applies itself", t.Name)
		}
		if c.place != inParser {
			c.errorf(e.Pos(), diag.CallContext, "a parser can only be applied in a state of a parser")
		}
		if kind == CallDirectApply && len(t.CtorParams) > 0 {
			c.errorf(e.Pos(), diag.Arguments, "%s has constructor parameters: make an instance", t.Name)
		}
	}
	tps, _ := blockParams(t)
	m := map[*TypeParam]Type{}
	for i, tp := range tps {
		m[tp] = nil
		if i < len(given) && given[i] != DontCare {
			m[tp] = given[i]
		}
	}
	call.Args = c.bind(e.Pos(), name+".apply", call.Params, e.Args, m, false)
	return c.set(e, Void, nil)
}

func (c *checker) actionCall(e *syntax.Call, a *Action) Type {
	c.record(e, &Call{Kind: CallAction, Action: a, Params: a.Params})
	if a.checking {
		c.errorf(e.Pos(), diag.Recursion, "action %s calls itself", a.Name)
	}
	if c.place != inControl && c.place != inAction {
		c.errorf(e.Pos(), diag.CallContext, "an action can only be called from a control or another action")
	}
	if len(e.TypeArgs) > 0 {
		c.errorf(e.Pos(), diag.TypeArgs, "an action takes no type arguments")
	}
	c.info.Calls[e].Args = c.bind(e.Pos(), "action "+a.Name, a.Params, e.Args, nil, false)
	return c.set(e, Void, nil)
}

// count tells whether a function can take n arguments.
func accepts(ps []*Param, n int) bool {
	required := 0
	for _, p := range ps {
		if !p.Optional && p.Default == nil {
			required++
		}
	}
	return n >= required && n <= len(ps)
}

// choose picks the overload for a call.
func (c *checker) choose(pos diag.Pos, what string, fs []*Func, args []*syntax.Arg) *Func {
	var fit []*Func
	for _, f := range fs {
		if accepts(f.Params, len(args)) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 1 {
		return fit[0]
	}
	if len(fit) == 0 {
		if len(fs) == 1 {
			c.errorf(pos, diag.Arguments, "%s takes %s, not %d", what, arity(fs[0].Params), len(args))
		} else {
			c.errorf(pos, diag.Arguments, "%s has no form that takes %d arguments", what, len(args))
		}
		return nil
	}
	// Several forms: the types of the arguments decide, looked at on the side.
	quiet := *c
	quiet.diags = &diag.List{}
	var best []*Func
	for _, f := range fit {
		ok := true
		for i, a := range args {
			p := f.Params[i]
			if a.Name != nil {
				p = findParam(f.Params, a.Name.Name)
			}
			if p == nil {
				ok = false
				break
			}
			if _, isDefault := a.Value.(*syntax.Default); isDefault || mentions(p.Type) {
				continue
			}
			if t := quiet.expr(a.Value, p.Type); !quiet.canAssign(a.Value, t, p.Type) {
				ok = false
				break
			}
		}
		if ok {
			best = append(best, f)
		}
	}
	if len(best) != 1 {
		c.errorf(pos, diag.Arguments, "%s: the arguments fit %d of its %d forms", what, len(best), len(fit))
		return nil
	}
	return best[0]
}

func arity(ps []*Param) string {
	required := 0
	for _, p := range ps {
		if !p.Optional && p.Default == nil {
			required++
		}
	}
	if required == len(ps) {
		if required == 1 {
			return "1 argument"
		}
		return fmt.Sprintf("%d arguments", required)
	}
	return fmt.Sprintf("%d to %d arguments", required, len(ps))
}

func findParam(ps []*Param, name string) *Param {
	for _, p := range ps {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func (c *checker) funcCall(e *syntax.Call, set *FuncSet) Type {
	f := c.choose(e.Pos(), "function "+set.Name, set.Funcs, e.Args)
	if f == nil {
		c.checkArgs(e)
		return c.set(e, Invalid, nil)
	}
	kind := CallFunction
	if f.Extern {
		kind = CallExternFunc
	}
	if f.checking {
		c.errorf(e.Pos(), diag.Recursion, "function %s calls itself", f.Name)
	}
	call := &Call{Kind: kind, Func: f, Params: f.Params}
	c.record(e, call)
	m := c.bindTypeArgs(e, f)
	call.Args = c.bind(e.Pos(), "function "+f.Name, f.Params, e.Args, m, false)
	t := c.finish(e, call, f, m)
	if f.Extern {
		return c.foldExtern(e, call, t)
	}
	return t
}

// foldExtern computes the extern functions that are constants.
func (c *checker) foldExtern(e *syntax.Call, call *Call, t Type) Type {
	switch call.Func.Name {
	case "sizeInBits", "sizeInBytes":
		if len(call.Args) == 1 && call.Args[0] != nil {
			if w, ok := Width(c.info.Types[call.Args[0]]); ok {
				if call.Func.Name == "sizeInBytes" {
					w = (w + 7) / 8
				}
				return c.set(e, t, mkInt(int64(w)))
			}
			c.errorf(call.Args[0].Pos(), diag.NotConstant, "%s has no fixed size", c.info.Types[call.Args[0]])
			return c.set(e, Invalid, nil)
		}
	case "static_assert":
		if len(call.Args) > 0 && call.Args[0] != nil {
			v, ok := c.info.Values[call.Args[0]].(BoolValue)
			switch {
			case !ok:
				c.errorf(call.Args[0].Pos(), diag.NotConstant, "static_assert needs a condition that is known when compiling")
			case !bool(v):
				msg := "static_assert failed"
				if len(call.Args) > 1 && call.Args[1] != nil {
					if s, ok := c.info.Values[call.Args[1]].(StringValue); ok {
						msg += ": " + string(s)
					}
				}
				c.errorf(e.Pos(), diag.HashError, "%s", msg)
			}
		}
		return c.set(e, t, BoolValue(true))
	}
	return t
}

// bindTypeArgs starts the bindings of a function's own type parameters.
func (c *checker) bindTypeArgs(e *syntax.Call, f *Func) map[*TypeParam]Type {
	m := map[*TypeParam]Type{}
	for _, tp := range f.TypeParams {
		m[tp] = nil
	}
	if len(e.TypeArgs) == 0 {
		return m
	}
	if len(e.TypeArgs) != len(f.TypeParams) {
		c.errorf(e.Pos(), diag.TypeArgs, "%s takes %d type arguments, not %d", f.Name, len(f.TypeParams), len(e.TypeArgs))
		for _, a := range e.TypeArgs {
			c.typ(a)
		}
		return m
	}
	for i, tp := range f.TypeParams {
		if t := c.typ(e.TypeArgs[i]); t != DontCare {
			m[tp] = t
		}
	}
	return m
}

// finish checks that all type parameters are bound and gives a call its type.
func (c *checker) finish(e *syntax.Call, call *Call, f *Func, m map[*TypeParam]Type) Type {
	for _, tp := range f.TypeParams {
		switch m[tp] {
		case nil:
			if c.badArgs {
				m[tp] = Invalid
				break
			}
			c.badArgs = true
			c.errorf(e.Pos(), diag.TypeArgs, "the type argument %s of %s cannot be inferred: give it (%s<…>(…))", tp.Name, f.Name, f.Name)
			m[tp] = Invalid
		case Int:
			c.errorf(e.Pos(), diag.TypeArgs, "the width of the arguments of %s is not known: give one of them a width (8w1)", f.Name)
			m[tp] = Invalid
		}
		call.TypeArgs = append(call.TypeArgs, m[tp])
	}
	c.argumentRule(e, call)
	return c.set(e, subst(f.Result, m), nil)
}

func (c *checker) externCall(e *syntax.Call, f *syntax.Member, t *ExternType) Type {
	var ms []*Func
	for _, m := range t.Extern.Methods {
		if m.Name == f.Sel.Name {
			ms = append(ms, m)
		}
	}
	if len(ms) == 0 {
		c.checkArgs(e)
		c.errorf(f.Sel.At, diag.NoMember, "extern %s has no method %q", t.Extern.Name, f.Sel.Name)
		return c.set(e, Invalid, nil)
	}
	what := t.Extern.Name + "." + f.Sel.Name
	m := c.choose(f.Sel.At, what, ms, e.Args)
	if m == nil {
		c.checkArgs(e)
		return c.set(e, Invalid, nil)
	}
	if m.Abstract && c.lookup("RegisterAction", true) != nil {
		c.errorf(f.Sel.At, diag.CallContext, "%s is called by the extern, not by the program", what)
	}
	if c.place == inNothing {
		c.errorf(f.Sel.At, diag.CallContext, "%s cannot be called here", what)
	}
	call := &Call{Kind: CallMethod, Func: m, Recv: f.X, Callee: t, Params: m.Params}
	c.record(e, call)
	binds := c.bindTypeArgs(e, m)
	for i, tp := range t.Extern.TypeParams {
		if i < len(t.Args) && t.Args[i] != Type(tp) {
			binds[tp] = t.Args[i]
		}
	}
	call.Args = c.bind(e.Pos(), what, m.Params, e.Args, binds, false)
	return c.finish(e, call, m, binds)
}
