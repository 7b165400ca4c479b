package lower

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// packet is what packet_in and packet_out parameters are bound to.
type packet struct{}

// An env says what the objects of one inlined instance stand for:
//
//	*types.Var      -> *store, types.Value (constructor parameter), packet, or an extern object
//	*types.Instance -> an extern object, or *block for a control or parser
//	*types.Action   -> *ir.Action, once a table uses it
//	*types.Table    -> *ir.Table
type env struct {
	parent  *env
	objects map[types.Object]any
	path    string // control-plane name of the instance
}

func (e *env) child() *env {
	return &env{parent: e, objects: map[types.Object]any{}, path: e.path}
}

func (e *env) find(o types.Object) any {
	for ; e != nil; e = e.parent {
		if v, ok := e.objects[o]; ok {
			return v
		}
	}
	return nil
}

// param returns the value of a constructor parameter.
func (e *env) param(v *types.Var) types.Value {
	val, _ := e.find(v).(types.Value)
	return val
}

// A block is an instance of a control or parser.
type block struct {
	inst *types.Instance
	env  *env // constructor parameters are bound here
	// state of a control that has been applied
	lowered bool
	bind    *binding
	body    *env
}

// bindCtor binds the constructor parameters of an instance; the arguments are
// evaluated in outer.
func (g *gress) bindCtor(e *env, inst *types.Instance, outer *env) {
	for i, p := range inst.Ctor {
		var a syntax.Expr
		if i < len(inst.Args) {
			a = inst.Args[i]
		}
		if a == nil {
			a = p.Default
		}
		if a == nil {
			continue
		}
		if o := g.externArg(a, outer); o != nil {
			e.objects[p.Var] = o
			continue
		}
		v := g.value(a, outer)
		if v == nil {
			g.errorf(a.Pos(), diag.Unsupported, "argument %q of the constructor: this kind of value is not supported", p.Name)
			continue
		}
		e.objects[p.Var] = v
	}
}

// externArg returns the extern object or block that an argument names.
func (g *gress) externArg(a syntax.Expr, e *env) any {
	switch a := a.(type) {
	case *syntax.NameExpr:
		switch o := g.info.Uses[a].(type) {
		case *types.Instance:
			return e.find(o)
		case *types.Var:
			if o.Kind == types.CtorVar {
				v := e.find(o)
				if _, isValue := v.(types.Value); !isValue {
					return v
				}
			}
		}
	case *syntax.Call:
		if c := g.info.Calls[a]; c != nil && c.Kind == types.CallConstructor {
			return g.instantiate(c.Instance, e, "")
		}
	}
	return nil
}

// value is the compile-time value of an expression, constructor parameters
// included, or nil.
func (g *gress) value(e syntax.Expr, en *env) types.Value {
	v, err := g.info.Eval(e, en.param)
	if err != nil {
		g.errorf(e.Pos(), diag.Arithmetic, "%v", err)
		return nil
	}
	return v
}

// body collects statements.
type body struct {
	g     *gress
	env   *env
	stmts []ir.Stmt
	ret   *returnTo
	home  *types.Control // that it belongs to; nil in functions, actions and parsers
	calls []*binding     // of the calls that it is in, the outermost first
}

// returnTo is where return goes in the code being lowered: the result of an
// inlined function, and whether a return was met.
type returnTo struct {
	result *store
}

func (b *body) emit(s ir.Stmt) {
	b.g.stmts++
	if b.g.stmts > maxStmts {
		if !b.g.full {
			b.g.full = true
			b.g.errorf(diag.Pos{}, diag.Unsupported, "the program has more than %d statements once its controls are inlined", maxStmts)
		}
		return
	}
	b.stmts = append(b.stmts, s)
}

// sub returns an empty body with the same meaning of names and returns.
func (b *body) sub() *body {
	return &body{g: b.g, env: b.env.child(), ret: b.ret, home: b.home, calls: b.calls}
}
