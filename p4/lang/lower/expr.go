package lower

import (
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

var binaryOps = map[syntax.Kind]ir.Op{
	syntax.Plus: ir.Add, syntax.Minus: ir.Sub, syntax.PlusSat: ir.AddSat, syntax.MinusSat: ir.SubSat,
	syntax.Star: ir.Mul, syntax.Slash: ir.Div, syntax.Percent: ir.Mod, syntax.Shl: ir.Shl, syntax.Shr: ir.Shr,
	syntax.And: ir.And, syntax.Or: ir.Or, syntax.Xor: ir.Xor, syntax.Concat: ir.Concat,
	syntax.EqEq: ir.Eq, syntax.NotEq: ir.Ne, syntax.Less: ir.Lt, syntax.LessEq: ir.Le,
	syntax.Greater: ir.Gt, syntax.GreaterEq: ir.Ge, syntax.AndAnd: ir.LAnd, syntax.OrOr: ir.LOr,
}

var bad = &ir.Const{T: ir.BoolType, Value: new(big.Int)}

// expr lowers a scalar expression. Side effects become statements of b.
func (b *body) expr(e syntax.Expr) ir.Expr {
	t := b.g.info.Types[e]
	if v := b.g.value(e, b.env); v != nil {
		if n, ok := types.IntOf(v); ok {
			if it, ok := scalarType(t); ok {
				c := constant(it, n)
				c.Name = b.g.constantName(e, c.Value)
				return c
			}
			b.g.errorf(e.Pos(), diag.Width, "the width of this number is not known: give it a width (8w1)")
			return bad
		}
	}
	switch e := e.(type) {
	case *syntax.NameExpr, *syntax.Index, *syntax.List, *syntax.Struct:
		return b.loadScalar(e)
	case *syntax.Member:
		if c, ok := e.X.(*syntax.Call); ok {
			if call := b.g.info.Calls[c]; call != nil && call.Kind == types.CallTableApply {
				return b.applyResult(c, call, e)
			}
		}
		return b.loadScalar(e)
	case *syntax.Slice:
		if w, ok := b.moving(e); ok { // where it begins is known when it is evaluated
			xs := b.exprs([]syntax.Expr{e.X, e.Lo})
			return slice(&ir.Binary{Op: ir.Shr, T: xs[0].Type(), X: xs[0], Y: xs[1], Pos: pos(e.Pos())}, w-1, 0)
		}
		hi, lo, ok := b.sliceBounds(e)
		if !ok {
			return bad
		}
		return slice(b.expr(e.X), hi, lo)
	case *syntax.Unary:
		x := b.expr(e.X)
		switch e.Op {
		case syntax.Minus:
			return &ir.Unary{Op: ir.Neg, X: x}
		case syntax.Tilde:
			return &ir.Unary{Op: ir.Com, X: x}
		case syntax.Not:
			return &ir.Unary{Op: ir.Not, X: x}
		}
		return x
	case *syntax.Binary:
		return b.binary(e)
	case *syntax.Ternary:
		return b.ternary(e)
	case *syntax.Cast:
		it, ok := scalarType(t)
		if !ok {
			break
		}
		return castTo(it, b.expr(e.X))
	case *syntax.Call:
		if s := b.call(e); s != nil {
			if s.v != nil || s.expr != nil {
				return s.load()
			}
		}
		return bad
	}
	b.g.errorf(e.Pos(), diag.Unsupported, "this expression of type %s is not supported here", t)
	return bad
}

func (b *body) loadScalar(e syntax.Expr) ir.Expr {
	s := b.ref(e)
	if s == nil {
		return bad
	}
	if s.v == nil && s.expr == nil {
		b.g.errorf(e.Pos(), diag.Unsupported, "a value of type %s is not supported here", s.typ)
		return bad
	}
	return s.load()
}

// slice takes bits of an expression, through an inner slice or a constant.
func slice(x ir.Expr, hi, lo int) ir.Expr {
	switch x := x.(type) {
	case *ir.Slice:
		return &ir.Slice{X: x.X, Hi: x.Lo + hi, Lo: x.Lo + lo}
	case *ir.Const:
		return constant(ir.BitType(hi-lo+1), new(big.Int).Rsh(x.Value, uint(lo)))
	}
	if lo == 0 && hi == x.Type().Width-1 && x.Type().Kind == ir.Bit {
		return x
	}
	return &ir.Slice{X: x, Hi: hi, Lo: lo}
}

// moving tells whether where a slice begins is not known when compiling; it has w bits.
func (b *body) moving(e *syntax.Slice) (w int, ok bool) {
	if e.Width == nil || b.g.value(e.Lo, b.env) != nil {
		return 0, false
	}
	n, ok := types.IntOf(b.g.value(e.Width, b.env))
	return int(n.Int64()), ok
}

func (b *body) sliceBounds(e *syntax.Slice) (hi, lo int, ok bool) {
	if _, moves := b.moving(e); moves {
		b.g.errorf(e.Pos(), diag.Unsupported, "a slice whose place is not known when compiling can only be read")
		return 0, 0, false
	}
	h, ok1 := types.IntOf(b.g.info.Values[e.Hi])
	l, ok2 := types.IntOf(b.g.info.Values[e.Lo])
	if !ok1 || !ok2 || !h.IsInt64() || !l.IsInt64() {
		return 0, 0, false
	}
	return int(h.Int64()), int(l.Int64()), true
}

// castTo converts an expression; a cast that changes nothing disappears.
func castTo(t ir.Type, x ir.Expr) ir.Expr {
	if x.Type() == t {
		return x
	}
	return &ir.Cast{T: t, X: x}
}

// settle keeps the value of x, which was computed before the statements from
// mark on, from being changed by them.
func (b *body) settle(x ir.Expr, mark int, at ir.Pos) ir.Expr {
	if len(b.stmts) == mark || isConst(x) || !mayChange(x, b.stmts[mark:]) {
		return x
	}
	t := b.g.temp(x.Type(), "eval", at)
	b.stmts = slices.Insert(b.stmts, mark, ir.Stmt(&ir.Assign{Dst: t, Src: x, Pos: at}))
	return &ir.Ref{Var: t}
}

// settleStore is settle for a value of any type. It returns nil after an error.
func (b *body) settleStore(s *store, mark int, from diag.Pos) *store {
	at := pos(from)
	if len(b.stmts) == mark {
		return s
	}
	switch {
	case s.v != nil || s.expr != nil:
		switch x := b.settle(s.load(), mark, at).(type) {
		case *ir.Ref:
			if x.Var != s.v {
				return &store{typ: s.typ, v: x.Var}
			}
		}
		return s
	case s.hdr != nil:
		if !headerMayChange(s.hdr, b.stmts[mark:]) {
			return s
		}
		t := b.g.newStore(s.typ, "tmp.eval_header", ir.Local, from)
		if t != nil {
			b.stmts = slices.Insert(b.stmts, mark, ir.Stmt(&ir.CopyHeader{Dst: t.hdr, Src: s.hdr, Pos: at}))
		}
		return t
	}
	out := s
	for i, p := range s.parts {
		q := b.settleStore(p, mark, from)
		if q == nil {
			return nil
		}
		if q == p {
			continue
		}
		if out == s {
			c := *s
			c.parts = slices.Clone(s.parts)
			out = &c
		}
		out.parts[i] = q
	}
	return out
}

// exprs lowers expressions from left to right.
func (b *body) exprs(es []syntax.Expr) []ir.Expr {
	var out []ir.Expr
	for _, e := range es {
		mark := len(b.stmts)
		x := b.expr(e)
		for i := len(out) - 1; i >= 0; i-- {
			out[i] = b.settle(out[i], mark, pos(e.Pos()))
		}
		out = append(out, x)
	}
	return out
}

func isConst(x ir.Expr) bool {
	_, ok := x.(*ir.Const)
	return ok
}

func (b *body) binary(e *syntax.Binary) ir.Expr {
	at := pos(e.Pos())
	op, ok := binaryOps[e.Op]
	if !ok {
		b.g.errorf(e.Pos(), diag.Unsupported, "operator %s is not supported here", e.Op)
		return bad
	}
	if op == ir.LAnd || op == ir.LOr {
		return b.logical(e, op, at)
	}
	if op == ir.Eq || op == ir.Ne {
		if _, scalar := scalarType(b.g.info.Types[e.X]); !scalar {
			return b.aggregateEqual(e, op, at)
		}
	}
	xs := b.exprs([]syntax.Expr{e.X, e.Y})
	x, y := xs[0], xs[1]
	t := x.Type()
	switch op {
	case ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Gt, ir.Ge:
		y = sameType(x, y)
		t = ir.BoolType
	case ir.Concat:
		t = ir.Type{Kind: t.Kind, Width: t.Width + y.Type().Width}
	case ir.Shl, ir.Shr:
	default:
		y = sameType(x, y)
	}
	return &ir.Binary{Op: op, T: t, X: x, Y: y, Pos: at}
}

// sameType gives y the type of x where an enum has met its representation.
func sameType(x, y ir.Expr) ir.Expr { return castTo(x.Type(), y) }

// logical lowers && and ||. When the right side has side effects they happen
// only if the left side does not decide.
func (b *body) logical(e *syntax.Binary, op ir.Op, at ir.Pos) ir.Expr {
	x := b.expr(e.X)
	right := b.sub()
	y := right.expr(e.Y)
	if len(right.stmts) == 0 {
		return &ir.Binary{Op: op, T: ir.BoolType, X: x, Y: y, Pos: at}
	}
	t := b.g.temp(ir.BoolType, "cond", at)
	b.emit(&ir.Assign{Dst: t, Src: x, Pos: at})
	right.emit(&ir.Assign{Dst: t, Src: y, Pos: at})
	var cond ir.Expr = &ir.Ref{Var: t}
	if op == ir.LOr {
		cond = &ir.Unary{Op: ir.Not, X: cond}
	}
	b.emit(&ir.If{Cond: cond, Then: right.stmts, Pos: at})
	return &ir.Ref{Var: t}
}

func (b *body) ternary(e *syntax.Ternary) ir.Expr {
	at := pos(e.Pos())
	c := b.expr(e.Cond)
	xb, yb := b.sub(), b.sub()
	x, y := xb.expr(e.X), yb.expr(e.Y)
	if it, ok := scalarType(b.g.info.Types[e]); ok {
		x, y = castTo(it, x), castTo(it, y)
	}
	if len(xb.stmts)+len(yb.stmts) == 0 {
		return &ir.Mux{Cond: c, X: x, Y: y}
	}
	t := b.g.temp(x.Type(), "mux", at)
	xb.emit(&ir.Assign{Dst: t, Src: x, Pos: at})
	yb.emit(&ir.Assign{Dst: t, Src: y, Pos: at})
	b.emit(&ir.If{Cond: c, Then: xb.stmts, Else: yb.stmts, Pos: at})
	return &ir.Ref{Var: t}
}

// aggregateEqual compares headers, structures and tuples field by field.
// Headers are equal when both are invalid, or both valid with equal fields.
func (b *body) aggregateEqual(e *syntax.Binary, op ir.Op, at ir.Pos) ir.Expr {
	x := b.aggregate(e.X)
	mark := len(b.stmts)
	y := b.aggregate(e.Y)
	if x == nil || y == nil {
		return bad
	}
	if x = b.settleStore(x, mark, e.Pos()); x == nil {
		return bad
	}
	r := b.equal(x, y, at)
	if r == nil {
		b.g.errorf(e.Pos(), diag.Unsupported, "values of type %s cannot be compared", x.typ)
		return bad
	}
	if op == ir.Ne {
		return &ir.Unary{Op: ir.Not, X: r}
	}
	return r
}

func (b *body) equal(x, y *store, at ir.Pos) ir.Expr {
	if x.v != nil || x.expr != nil {
		if y.v == nil && y.expr == nil {
			return nil
		}
		return &ir.Binary{Op: ir.Eq, T: ir.BoolType, X: x.load(), Y: sameType(x.load(), y.load()), Pos: at}
	}
	if len(x.parts) != len(y.parts) {
		return nil
	}
	var all ir.Expr = constInt(ir.BoolType, 1)
	for i := range x.parts {
		p := b.equal(x.parts[i], y.parts[i], at)
		if p == nil {
			return nil
		}
		if isConst(all) {
			all = p
		} else {
			all = &ir.Binary{Op: ir.LAnd, T: ir.BoolType, X: all, Y: p, Pos: at}
		}
	}
	if x.hdr == nil && y.hdr == nil {
		return all
	}
	xv, yv := validity(x), validity(y)
	same := &ir.Binary{Op: ir.Eq, T: ir.BoolType, X: xv, Y: yv, Pos: at}
	inv := &ir.Unary{Op: ir.Not, X: xv}
	return &ir.Binary{Op: ir.LAnd, T: ir.BoolType, X: same, Y: &ir.Binary{Op: ir.LOr, T: ir.BoolType, X: inv, Y: all, Pos: at}, Pos: at}
}

func validity(s *store) ir.Expr {
	if s.hdr == nil {
		return constInt(ir.BoolType, 1)
	}
	return &ir.IsValid{Header: s.hdr}
}

// aggregate lowers an expression of structure type to a store. Lists and
// structure expressions become stores of expressions.
func (b *body) aggregate(e syntax.Expr) *store {
	t := b.g.info.Types[e]
	switch e := e.(type) {
	case *syntax.List:
		s := &store{typ: t}
		if s.parts = b.partsOf(e.Elems); s.parts == nil && len(e.Elems) > 0 {
			return nil
		}
		return s
	case *syntax.Struct:
		st, ok := t.(*types.Struct)
		if !ok {
			b.g.errorf(e.Pos(), diag.Unsupported, "the type of this structure is not known here")
			return nil
		}
		s := &store{typ: t, parts: make([]*store, len(st.Fields))}
		var es []syntax.Expr
		for _, a := range e.Fields {
			es = append(es, a.Value)
		}
		parts := b.partsOf(es)
		if parts == nil && len(es) > 0 {
			return nil
		}
		for n, a := range e.Fields {
			for i, f := range st.Fields {
				if f.Name == a.Name.Name {
					s.parts[i] = parts[n]
				}
			}
		}
		return s
	case *syntax.Cast:
		s := b.aggregate(e.X)
		if s != nil {
			c := *s
			c.typ = t
			return &c
		}
		return nil
	case *syntax.Call:
		return b.call(e)
	}
	if v, ok := b.g.value(e, b.env).(types.ListValue); ok {
		return constStore(t, v)
	}
	return b.ref(e)
}

// constStore turns a constant structure into a store of constants.
func constStore(t types.Type, v types.Value) *store {
	if it, ok := scalarType(t); ok {
		n, ok := types.IntOf(v)
		if !ok {
			return nil
		}
		return &store{typ: t, expr: constant(it, n)}
	}
	l, ok := v.(types.ListValue)
	if !ok {
		return nil
	}
	s := &store{typ: t}
	var ts []types.Type
	switch t := t.(type) {
	case *types.Struct:
		for _, f := range t.Fields {
			ts = append(ts, f.Type)
		}
	case *types.Tuple:
		ts = t.Elems
	}
	if len(ts) != len(l) {
		return nil
	}
	for i := range ts {
		p := constStore(ts[i], l[i])
		if p == nil {
			return nil
		}
		s.parts = append(s.parts, p)
	}
	return s
}

// partsOf lowers the elements of a list from left to right; nil after an error.
func (b *body) partsOf(es []syntax.Expr) []*store {
	var out []*store
	for _, e := range es {
		mark := len(b.stmts)
		p := b.part(e)
		if p == nil {
			return nil
		}
		for i := len(out) - 1; i >= 0; i-- {
			if out[i] = b.settleStore(out[i], mark, e.Pos()); out[i] == nil {
				return nil
			}
		}
		out = append(out, p)
	}
	return out
}

// part lowers one element of a list.
func (b *body) part(e syntax.Expr) *store {
	t := b.g.info.Types[e]
	if _, ok := scalarType(t); ok {
		x := b.expr(e)
		return &store{typ: t, expr: x}
	}
	if t == types.Int {
		b.g.errorf(e.Pos(), diag.Width, "the width of this number is not known: give it a width (8w1)")
		return nil
	}
	return b.aggregate(e)
}

// ref resolves an expression that names storage. It returns nil after an
// error.
func (b *body) ref(e syntax.Expr) *store {
	switch e := e.(type) {
	case *syntax.NameExpr:
		o := b.g.info.Uses[e]
		switch v := b.env.find(o).(type) {
		case *store:
			return v
		case types.Value:
			return constStore(b.g.info.Types[e], v)
		}
		if c, ok := o.(*types.Const); ok {
			if s := constStore(c.Type, c.Value); s != nil {
				return s
			}
		}
		b.g.errorf(e.Pos(), diag.Unsupported, "%q cannot be used here", e.Name)
		return nil
	case *syntax.Member:
		return b.member(e)
	case *syntax.Index:
		s := b.aggregate(e.X)
		if s == nil {
			return nil
		}
		n, ok := types.IntOf(b.g.value(e.I, b.env))
		if !ok {
			b.g.errorf(e.I.Pos(), diag.Unsupported, "a stack index that is not a constant is not supported")
			return nil
		}
		if !n.IsInt64() || n.Int64() < 0 || n.Int64() >= int64(len(s.parts)) {
			b.g.errorf(e.I.Pos(), diag.SliceRange, "index %s is out of range", n)
			return nil
		}
		return s.parts[n.Int64()]
	case *syntax.Call, *syntax.Cast, *syntax.List, *syntax.Struct:
		return b.aggregate(e)
	}
	b.g.errorf(e.Pos(), diag.Unsupported, "this expression is not supported here")
	return nil
}

func (b *body) member(e *syntax.Member) *store {
	xt := b.g.info.Types[e.X]
	if _, ok := xt.(*types.Stack); ok {
		b.g.errorf(e.Pos(), diag.Unsupported, "%q of a header stack is not supported: use a constant index", e.Sel.Name)
		return nil
	}
	s := b.aggregate(e.X)
	st, ok := xt.(*types.Struct)
	if s == nil || !ok {
		if s != nil {
			b.g.errorf(e.Pos(), diag.Unsupported, "member %q is not supported here", e.Sel.Name)
		}
		return nil
	}
	for i, f := range st.Fields {
		if f.Name == e.Sel.Name && i < len(s.parts) {
			return s.parts[i]
		}
	}
	b.g.errorf(e.Pos(), diag.Unsupported, "member %q is not supported here", e.Sel.Name)
	return nil
}

// flatten lists the scalar values of an expression in order, for hashes,
// checksums and digests.
func (b *body) flatten(e syntax.Expr) []ir.Expr {
	s := b.part(e)
	if s == nil {
		return nil
	}
	var out []ir.Expr
	for _, x := range s.scalars() {
		out = append(out, x.load())
	}
	return out
}
