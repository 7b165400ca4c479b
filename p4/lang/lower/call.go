package lower

import (
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// call lowers a call; the result is nil for calls without one.
func (b *body) call(e *syntax.Call) *store { return b.callInto(e, nil) }

// callInto is call with a variable that may take the result; it does so only
// if the result's store is that variable.
func (b *body) callInto(e *syntax.Call, dst *ir.Var) *store {
	if v := b.g.value(e, b.env); v != nil {
		if s := constStore(b.g.info.Types[e], v); s != nil {
			return s
		}
		if _, ok := v.(types.BoolValue); !ok {
			b.g.errorf(e.Pos(), diag.Width, "the width of this number is not known: cast it")
		}
		return nil
	}
	c := b.g.info.Calls[e]
	if c == nil {
		return nil
	}
	switch c.Kind {
	case types.CallAction:
		b.callAction(e, c)
	case types.CallFunction:
		return b.callFunction(e, c)
	case types.CallExternFunc:
		return b.externFunc(e, c)
	case types.CallMethod:
		return b.method(e, c, dst)
	case types.CallTableApply:
		b.applyTable(e, c)
	case types.CallApply, types.CallDirectApply:
		b.applyControl(e, c)
	case types.CallBuiltin:
		return b.builtin(e, c)
	case types.CallConstructor:
		b.g.errorf(e.Pos(), diag.Unsupported, "an instance cannot be made here")
	}
	return nil
}

func (b *body) builtin(e *syntax.Call, c *types.Call) *store {
	at := pos(e.Pos())
	if c.Name == "push_front" || c.Name == "pop_front" {
		b.g.errorf(e.Pos(), diag.Unsupported, "%s of a header stack is not supported", c.Name)
		return nil
	}
	s := b.ref(c.Recv)
	if s == nil {
		return nil
	}
	if st, ok := s.typ.(*types.Struct); ok && st.Union {
		var any ir.Expr = constInt(ir.BoolType, 0)
		for i, h := range s.parts {
			var x ir.Expr = &ir.IsValid{Header: h.hdr}
			if i > 0 {
				x = &ir.Binary{Op: ir.LOr, T: ir.BoolType, X: any, Y: x, Pos: at}
			}
			any = x
		}
		return &store{typ: types.Bool, expr: any}
	}
	if s.hdr == nil {
		if c.Name == "isValid" && s.valid {
			return &store{typ: types.Bool, expr: constInt(ir.BoolType, 1)}
		}
		b.g.errorf(e.Pos(), diag.Unsupported, "%s of this header is not supported", c.Name)
		return nil
	}
	switch c.Name {
	case "isValid":
		return &store{typ: types.Bool, expr: &ir.IsValid{Header: s.hdr}}
	case "setValid", "setInvalid":
		b.emit(&ir.SetValid{Header: s.hdr, Valid: c.Name == "setValid", Pos: at})
		if c.Name == "setValid" {
			b.onlyOne(s, at)
		}
	}
	return nil
}

// onlyOne makes the other headers of a header's union invalid.
func (b *body) onlyOne(s *store, at ir.Pos) {
	for _, o := range s.union {
		b.emit(&ir.SetValid{Header: o.hdr, Pos: at})
	}
}

// A binding is how the parameters of an inlined body were bound.
type binding struct {
	stores []*store
	temp   []bool // a copy was made
	back   []func(*body)
}

// A callee is whose parameters are bound, and what its body can tell of it.
type callee struct {
	name   string
	params []*types.Param
	outer  []*store // places that the body reaches by other names than its parameters
	apart  []bool   // parameters that must not be bound to the arguments themselves; nil: none
	homes  []*store // where the copies of these are; nil: new temporaries
}

// bindArgs evaluates the arguments from left to right, in b, and binds the parameters of
// an inlined body in e. A value is what it was when it was evaluated, whatever the
// arguments behind it change. A parameter is bound to the argument itself when nothing can
// tell the difference to P4's copy-in, copy-out; else to a copy.
func (b *body) bindArgs(e *env, c callee, args []syntax.Expr) (*binding, bool) {
	ps := c.params
	bind := &binding{stores: make([]*store, len(ps)), temp: make([]bool, len(ps))}
	places := make([]*store, len(ps)) // that the arguments name
	marks := make([]int, len(ps))     // where they were evaluated
	for i, p := range ps {
		if args[i] == nil {
			if p.Default == nil {
				continue
			}
			args[i] = p.Default
		}
		s, ok := b.argument(p, args[i], e)
		if !ok {
			return nil, false
		}
		places[i], marks[i] = s, len(b.stmts)
	}
	values := make([]*store, len(ps))
	for i := len(ps) - 1; i >= 0; i-- { // from the back: what is put in moves no other mark
		if values[i] = places[i]; places[i] != nil && ps[i].Dir != syntax.DirOut {
			if values[i] = b.settleStore(places[i], marks[i], args[i].Pos()); values[i] == nil {
				return nil, false
			}
		}
	}
	written := func(i int) bool { return ps[i].Dir == syntax.DirOut || ps[i].Dir == syntax.DirInout }
	apart := make([]bool, len(ps)) // needs a copy, whatever the others are
	for i, s := range values {
		if s == nil {
			continue
		}
		_, sliced := args[i].(*syntax.Slice)
		apart[i] = s != places[i] && (written(i) || c.apart != nil) || c.apart != nil && c.apart[i] ||
			s.expr != nil && !isConst(s.expr) || sliced && written(i)
	}
	touched := func(i int) *store { // what a parameter would be another name for, or is stored to
		if written(i) {
			return places[i]
		}
		return values[i]
	}
	for i, p := range ps {
		s := values[i]
		if s == nil {
			continue
		}
		copyIt := apart[i]
		for _, o := range c.outer {
			copyIt = copyIt || touched(i).overlaps(o)
		}
		for j := range ps {
			// A copy is no other name for the place, and is stored in its turn if that is later.
			if j != i && values[j] != nil && (written(i) || written(j)) && !(apart[j] && (!written(j) || j > i)) {
				copyIt = copyIt || touched(i).overlaps(touched(j))
			}
		}
		if !copyIt {
			bind.stores[i] = s
			e.objects[p.Var] = s
			if p.Dir == syntax.DirOut {
				b.invalidate(s, args[i].Pos())
			}
			continue
		}
		var tmp *store
		if c.homes != nil {
			tmp = c.homes[i]
		} else {
			tmp = b.g.newStore(p.Type, "tmp."+c.name+"."+p.Name, ir.Local, args[i].Pos())
		}
		if tmp == nil {
			return nil, false
		}
		if p.Dir == syntax.DirOut {
			b.invalidate(tmp, args[i].Pos())
		} else {
			b.copyStore(tmp, s, args[i].Pos())
		}
		bind.stores[i], bind.temp[i] = tmp, true
		e.objects[p.Var] = tmp
		if written(i) {
			sl, _ := args[i].(*syntax.Slice)
			bind.back = append(bind.back, b.copyBack(places[i], tmp, sl, args[i]))
		}
	}
	return bind, true
}

// invalidate makes the headers of a store invalid, as those of an out parameter and of a
// new variable are.
func (b *body) invalidate(s *store, at diag.Pos) {
	for _, h := range s.headersIn() {
		b.emit(&ir.SetValid{Header: h.hdr, Pos: pos(at)})
	}
}

// leave stores the out arguments of an inlined body.
func (b *body) leave(bind *binding) {
	for _, back := range bind.back {
		back(b)
	}
}

// inlined is the body of something that is called from b: where it exits, the out
// arguments of all calls under way are stored.
func (b *body) inlined(e *env, bind *binding, ret *returnTo) *body {
	return &body{g: b.g, env: e, ret: ret, calls: append(slices.Clip(b.calls), bind)}
}

// copyBack returns what stores an out argument after the call, wherever that ends.
func (b *body) copyBack(s, tmp *store, sl *syntax.Slice, arg syntax.Expr) func(*body) {
	if sl == nil {
		return func(b *body) { b.copyStore(s, tmp, arg.Pos()) }
	}
	hi, lo, _ := b.sliceBounds(sl)
	base := b.ref(sl.X) // argument has seen that it is a variable
	return func(b *body) {
		b.emit(&ir.Assign{Dst: base.v, Slice: true, Hi: hi, Lo: lo, Src: castTo(ir.BitType(hi-lo+1), tmp.load()), Pos: pos(arg.Pos())})
	}
}

// argument evaluates one argument. Packets, externs and absent arguments are
// bound in e directly and have no store.
func (b *body) argument(p *types.Param, a syntax.Expr, e *env) (*store, bool) {
	if _, ok := a.(*syntax.Default); ok {
		s := b.g.newStore(p.Type, "tmp.unused."+p.Name, ir.Local, a.Pos())
		return s, s != nil
	}
	if n, ok := a.(*syntax.NameExpr); ok {
		switch o := b.env.find(b.g.info.Uses[n]).(type) {
		case packet, *extern, *block:
			e.objects[p.Var] = o
			return nil, true
		}
	}
	switch p.Type.(type) {
	case *types.ExternType, *types.Control, *types.Parser:
		b.g.errorf(a.Pos(), diag.Unsupported, "an argument of type %s is not supported", p.Type)
		return nil, false
	}
	if p.Dir == syntax.DirOut || p.Dir == syntax.DirInout {
		if sl, ok := a.(*syntax.Slice); ok {
			hi, lo, ok := b.sliceBounds(sl)
			base := b.ref(sl.X)
			if !ok || base == nil || base.v == nil {
				b.notWritable(a, base)
				return nil, false
			}
			return &store{typ: p.Type, expr: &ir.Slice{X: base.load(), Hi: hi, Lo: lo}}, true
		}
		s := b.ref(a)
		return s, s != nil
	}
	if it, ok := scalarType(p.Type); ok {
		x := castTo(it, b.expr(a))
		if r, ok := x.(*ir.Ref); ok {
			return &store{typ: p.Type, v: r.Var}, true
		}
		return &store{typ: p.Type, expr: x}, true
	}
	s := b.aggregate(a)
	return s, s != nil
}

// outerStores lists the places that an action, declared in e, and what it calls use by
// names of their surroundings, as narrowly as they name them: md.x, not md.
func (b *body) outerStores(a *types.Action, e *env) []*store {
	var out []*store
	seen := map[syntax.Node]bool{}
	var look func(s *syntax.Block, params []*types.Param, e *env)
	look = func(s *syntax.Block, params []*types.Param, e *env) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		own := map[types.Object]bool{}
		for _, p := range params {
			own[p.Var] = true
		}
		covered := map[syntax.Expr]bool{} // part of a path that is in out
		eachExpr(s, func(x syntax.Expr) {
			if c, ok := x.(*syntax.Call); ok {
				switch call := b.g.info.Calls[c]; {
				case call == nil:
				case call.Kind == types.CallAction:
					look(call.Action.Decl.Body, call.Action.Params, b.actionEnv(call.Action))
				case call.Kind == types.CallMethod:
					n, _ := call.Recv.(*syntax.NameExpr)
					if inst, ok := b.g.info.Uses[n].(*types.Instance); ok {
						for _, m := range inst.Method {
							look(m.Decl.Body, m.Params, e)
						}
					}
				}
			}
			if m, ok := x.(*syntax.Member); ok && covered[x] {
				covered[m.X] = true
			}
			if covered[x] {
				return
			}
			if st := b.path(x, own, e); st != nil {
				out = append(out, st)
				if m, ok := x.(*syntax.Member); ok {
					covered[m.X] = true
				}
			}
		})
	}
	look(a.Decl.Body, a.Params, e)
	return out
}

// path resolves a name or a chain of fields in an environment; nil when it is
// something else.
func (b *body) path(x syntax.Expr, own map[types.Object]bool, e *env) *store {
	switch x := x.(type) {
	case *syntax.NameExpr:
		o := b.g.info.Uses[x]
		if o == nil || own[o] {
			return nil
		}
		st, _ := e.find(o).(*store)
		return st
	case *syntax.Member:
		st := b.path(x.X, own, e)
		t, ok := b.g.info.Types[x.X].(*types.Struct)
		if st == nil || !ok {
			return nil
		}
		for i, f := range t.Fields {
			if f.Name == x.Sel.Name && i < len(st.parts) {
				return st.parts[i]
			}
		}
	}
	return nil
}

func (b *body) callFunction(e *syntax.Call, c *types.Call) *store {
	f := c.Func
	if len(f.TypeParams) > 0 {
		b.g.errorf(e.Pos(), diag.Unsupported, "function %q: a function with type parameters and a body is not supported", f.Name)
		return nil
	}
	fe := (&env{objects: map[types.Object]any{}}).child()
	fe.path = b.env.path
	bind, ok := b.bindArgs(fe, callee{name: f.Name, params: c.Params}, c.Args)
	if !ok {
		return nil
	}
	var result *store
	if f.Result != types.Void {
		if result = b.g.newStore(f.Result, "tmp."+f.Name, ir.Local, e.Pos()); result == nil {
			return nil
		}
	}
	in := b.inlined(fe, bind, &returnTo{result})
	in.block(f.Decl.Body)
	b.emit(&ir.Block{Name: f.Name, Callable: true, Body: in.stmts, Pos: pos(e.Pos())})
	b.leave(bind)
	return result
}

// callAction inlines an action that is called directly.
func (b *body) callAction(e *syntax.Call, c *types.Call) {
	a := c.Action
	home := b.actionEnv(a)
	ae := home.child()
	bind, ok := b.bindArgs(ae, callee{name: a.Name, params: c.Params, outer: b.outerStores(a, home)}, c.Args)
	if !ok {
		return
	}
	in := b.inlined(ae, bind, nil)
	saved, called := b.g.where, b.g.called
	if saved == inControl {
		b.g.where = inAction
		b.g.called++
	}
	in.block(a.Decl.Body)
	b.g.where, b.g.called = saved, called
	b.emit(&ir.Block{Name: a.Name, Callable: true, Body: in.stmts, Pos: pos(e.Pos())})
	b.leave(bind)
}

// actionEnv is the environment in which an action was declared.
func (b *body) actionEnv(a *types.Action) *env {
	if d, ok := b.env.find(a).(*env); ok {
		return d
	}
	return &env{objects: map[types.Object]any{}, path: ""}
}

func (b *body) externFunc(e *syntax.Call, c *types.Call) *store {
	at := pos(e.Pos())
	t := b.g.info.Types[e]
	it, _ := scalarType(t)
	switch c.Func.Name {
	case "min", "max":
		x := b.operand(c.Args[0], at)
		mark := len(b.stmts)
		y := b.operand(c.Args[1], at)
		if x == nil || y == nil {
			return nil
		}
		x = b.settle(x, mark, at)
		op := ir.Lt
		if c.Func.Name == "max" {
			op = ir.Gt
		}
		cmp := &ir.Binary{Op: op, T: ir.BoolType, X: x, Y: sameType(x, y), Pos: at}
		return &store{typ: t, expr: &ir.Mux{Cond: cmp, X: castTo(it, x), Y: castTo(it, y)}}
	case "port_metadata_unpack":
		if b.g.where != inParser {
			b.g.errorf(e.Pos(), diag.CallContext, "port_metadata_unpack belongs in a parser")
			return nil
		}
		st, ok := t.(*types.Struct)
		if !ok {
			b.g.errorf(e.Pos(), diag.Unsupported, "port metadata are a struct or header, not %s", t)
			return nil
		}
		if w, ok := types.Width(t); !ok || w > b.g.side.portMeta {
			b.g.errorf(e.Pos(), diag.Width, "port metadata of %d bits: there are %d", w, b.g.side.portMeta)
			return nil
		}
		s := b.g.newStore(plainStruct(st), "tmp.port_metadata_struct", ir.Local, e.Pos())
		if s == nil {
			return nil
		}
		r := &portRead{typ: st, name: st.Name, pos: e.Pos()}
		for _, p := range s.scalars() {
			r.dst = append(r.dst, p.v)
		}
		b.emit(r)
		return s
	case "funnel_shift_right":
		dst := b.ref(c.Args[0])
		xs := b.exprs(c.Args[1:3])
		x, y := xs[0], xs[1]
		n, ok := types.IntOf(b.g.value(c.Args[3], b.env))
		if dst == nil || dst.v == nil || !ok {
			return nil
		}
		w := x.Type().Width
		if !n.IsInt64() || n.Int64() < 0 || n.Int64() > int64(w) {
			b.g.errorf(c.Args[3].Pos(), diag.Arithmetic, "the shift distance is 0 to %d", w)
			return nil
		}
		both := &ir.Binary{Op: ir.Concat, T: ir.BitType(2 * w), X: x, Y: y, Pos: at}
		lo := int(n.Int64())
		b.emit(&ir.Assign{Dst: dst.v, Src: castTo(dst.v.Type, slice(both, lo+w-1, lo)), Pos: at})
		return nil
	}
	b.g.errorf(e.Pos(), diag.UnknownExtern, "extern function %q is not supported", c.Func.Name)
	return nil
}

// operand lowers an expression that will be used twice.
func (b *body) operand(e syntax.Expr, at ir.Pos) ir.Expr {
	x := b.expr(e)
	switch x.(type) {
	case *ir.Ref, *ir.Const:
		return x
	}
	t := b.g.temp(x.Type(), "arg", at)
	b.emit(&ir.Assign{Dst: t, Src: x, Pos: at})
	return &ir.Ref{Var: t}
}
