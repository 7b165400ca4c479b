package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// bind matches arguments to parameters and checks them. m has the type
// parameters that may be inferred; it is nil when there are none. The result
// has one expression per parameter, nil for those that are absent. With static
// set, arguments of parameters without direction must be known when compiling:
// of constructors, and action data in the program.
func (c *checker) bind(pos diag.Pos, what string, ps []*Param, args []*syntax.Arg, m map[*TypeParam]Type, static bool) []syntax.Expr {
	out := make([]syntax.Expr, len(ps))
	before := c.diags.Len() + c.diags.Dropped
	defer func() { c.badArgs = c.diags.Len()+c.diags.Dropped > before }()
	named := false
	for i, a := range args {
		k := i
		if a.Name != nil {
			named = true
			k = -1
			for j, p := range ps {
				if p.Name == a.Name.Name {
					k = j
				}
			}
			if k < 0 {
				c.errorf(a.Name.At, diag.Arguments, "%s has no parameter %q", what, a.Name.Name)
				c.expr(a.Value, nil)
				continue
			}
		} else if named {
			c.errorf(a.Value.Pos(), diag.Arguments, "%s: either all arguments are named or none", what)
			c.expr(a.Value, nil)
			continue
		}
		if k >= len(ps) {
			c.errorf(a.Value.Pos(), diag.Arguments, "%s takes %s, not %d", what, arity(ps), len(args))
			for _, rest := range args[i:] {
				c.expr(rest.Value, nil)
			}
			return out
		}
		if out[k] != nil {
			c.errorf(a.Value.Pos(), diag.Arguments, "%s: parameter %q is given twice", what, ps[k].Name)
			c.expr(a.Value, nil)
			continue
		}
		out[k] = a.Value
	}
	missing := c.diags.Len()+c.diags.Dropped > before
	for i, p := range ps {
		if out[i] == nil && !p.Optional && p.Default == nil && !missing {
			missing = true
			c.errorf(pos, diag.Arguments, "%s: the argument for parameter %q is missing", what, p.Name)
		}
	}
	c.checkBound(what, ps, out, m, static)
	return out
}

// checkBound infers type parameters from the arguments, then checks each.
func (c *checker) checkBound(what string, ps []*Param, args []syntax.Expr, m map[*TypeParam]Type, static bool) {
	types := make([]Type, len(ps))
	for i, p := range ps {
		if args[i] == nil {
			continue
		}
		if _, ok := args[i].(*syntax.Default); ok {
			c.set(args[i], DontCare, nil)
			types[i] = DontCare
			if p.Dir != syntax.DirOut {
				c.errorf(args[i].Pos(), diag.Arguments, "%s: only an out parameter can be given '_'", what)
				types[i] = Invalid
			}
			continue
		}
		want := subst(p.Type, m)
		if mentions(want) {
			want = nil
		}
		saved := c.place
		if static && p.Dir == syntax.DirNone {
			c.place = inNothing
		}
		types[i] = c.expr(args[i], want)
		c.place = saved
		switch types[i].(type) {
		case *typeValue, *callable, *objectType, *tableResult, *actionRun:
			c.errorf(args[i].Pos(), diag.WrongKind, "%s is not a value", types[i])
			types[i] = Invalid
		}
		if types[i] == Void || types[i] == SetDefault {
			c.errorf(args[i].Pos(), diag.WrongKind, "this is not a value")
			types[i] = Invalid
		}
		if mentions(p.Type) && !unify(p.Type, types[i], m) && !c.listFits(args[i], types[i], subst(p.Type, m)) {
			c.errorf(args[i].Pos(), diag.Mismatch, "%s: argument of type %s where %s is needed", what, types[i], subst(p.Type, m))
			types[i] = Invalid
		}
	}
	for i, p := range ps {
		if args[i] == nil || types[i] == Invalid || types[i] == DontCare {
			continue
		}
		c.checkArg(what, p, args[i], types[i], subst(p.Type, m), static)
	}
}

// listFits tells whether a list could become a structure type during the
// second pass.
func (c *checker) listFits(e syntax.Expr, from, to Type) bool {
	switch from.(type) {
	case *Tuple, *Record:
		return !mentions(to) && c.canAssign(e, from, to)
	}
	if from == Int {
		return isBits(to)
	}
	return !mentions(to) && c.canAssign(e, from, to)
}

func (c *checker) checkArg(what string, p *Param, e syntax.Expr, t, want Type, static bool) {
	if want == DontCare && t == Int {
		// A parameter of any type, such as the index of a Register<T, _>.
		c.convertQuietly(e, Bit(32))
		return
	}
	switch p.Dir {
	case syntax.DirOut, syntax.DirInout:
		if !Identical(t, want) {
			c.errorf(e.Pos(), diag.Mismatch, "%s: %s argument %q must have exactly the type %s, not %s", what, p.Dir, p.Name, want, t)
			return
		}
		c.lvalue(e)
		return
	case syntax.DirNone:
		if mentions(want) {
			return // a block or extern whose type arguments follow from it
		}
		switch want.(type) {
		case *applied, *Control, *Parser:
			if !unify(want, t, map[*TypeParam]Type{}) {
				c.errorf(e.Pos(), diag.Mismatch, "%s: argument of type %s where %s is needed", what, t, want)
			}
			return
		}
		if !c.assignable(e, t, want, "argument") {
			return
		}
		if call, ok := e.(*syntax.Call); ok && static && c.info.Calls[call] != nil && c.info.Calls[call].Kind == CallExternFunc {
			for _, a := range c.info.Calls[call].Args {
				if a != nil && c.info.Values[a] == nil && isValue(c.info.Types[a]) {
					c.errorf(a.Pos(), diag.NotConstant, "%s: what makes argument %q must be known when compiling", what, p.Name)
				}
			}
		}
		if static && c.info.Values[e] == nil && isValue(t) {
			c.errorf(e.Pos(), diag.NotConstant, "%s: argument %q must be known when compiling", what, p.Name)
		}
		return
	}
	if isValue(t) || t == InvalidHdr {
		c.assignable(e, t, want, "argument")
		return
	}
	c.errorf(e.Pos(), diag.Mismatch, "%s: %s cannot be passed as %q", what, t, p.Name)
}

// isValue tells values from instances and other things.
func isValue(t Type) bool {
	switch t.(type) {
	case *ExternType, *Control, *Parser, *Package, *applied, *callable, *objectType, *typeValue:
		return false
	}
	return true
}
