package types

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// maxExprDepth bounds recursion over expressions: the parser allows long
// chains of operators.
const maxExprDepth = 10000

// expr checks an expression. want is the type that the context needs, or nil;
// it only helps to give a type to what has none by itself (lists, numbers
// without width): the caller still has to check the result with assignable.
func (c *checker) expr(e syntax.Expr, want Type) Type {
	if c.depth++; c.depth > maxExprDepth {
		c.depth--
		c.errorf(e.Pos(), diag.TooDeep, "expression nests too deep")
		return c.set(e, Invalid, nil)
	}
	defer func() { c.depth-- }()
	switch e := e.(type) {
	case *syntax.NumberLit:
		if e.Lit.Width == 0 {
			return c.set(e, Int, IntValue{e.Lit.Value})
		}
		t := &Bits{e.Lit.Width, e.Lit.Signed}
		if !fits(e.Lit.Value, t) {
			c.diags.Warnf(e.Pos(), diag.BadNumber, "the value of %s does not fit its width and is cut", e.Text)
		}
		return c.set(e, t, IntValue{Wrap(e.Lit.Value, t)})
	case *syntax.BoolLit:
		return c.set(e, Bool, BoolValue(e.Value))
	case *syntax.StringLit:
		return c.set(e, String, StringValue(e.Value))
	case *syntax.NameExpr:
		return c.name(e)
	case *syntax.TypeExpr:
		return c.set(e, &typeValue{c.typ(e.Type)}, nil)
	case *syntax.Member:
		return c.member(e)
	case *syntax.Index:
		return c.index(e)
	case *syntax.Slice:
		return c.slice(e)
	case *syntax.Call:
		return c.call(e, want)
	case *syntax.Unary:
		return c.unary(e, want)
	case *syntax.Binary:
		return c.binary(e, want)
	case *syntax.Ternary:
		return c.ternary(e, want)
	case *syntax.Cast:
		return c.cast(e)
	case *syntax.List:
		return c.list(e, want)
	case *syntax.Struct:
		return c.structExpr(e, want)
	case *syntax.InvalidHeader:
		if s, ok := want.(*Struct); ok && s.Header {
			return c.set(e, s, nil)
		}
		return c.set(e, InvalidHdr, nil)
	case *syntax.Default:
		return c.set(e, SetDefault, nil)
	case *syntax.This:
		c.errorf(e.Pos(), diag.NotSupported, "'this' is not supported")
	}
	return c.set(e, Invalid, nil)
}

func (c *checker) set(e syntax.Expr, t Type, v Value) Type {
	c.info.Types[e] = t
	if v != nil {
		c.info.Values[e] = v
	}
	return t
}

func (c *checker) name(e *syntax.NameExpr) Type {
	o := c.lookup(e.Name, e.Global)
	if o == nil {
		if e.Name != "" {
			c.errorf(e.Pos(), diag.Undeclared, "%q is not declared%s", e.Name, c.hint(e.Name))
		}
		return c.set(e, Invalid, nil)
	}
	c.info.Uses[e] = o
	switch o := o.(type) {
	case *Const:
		return c.set(e, o.Type, o.Value)
	case *Var:
		if o.Kind == CtorVar {
			return c.set(e, o.Type, Deferred{})
		}
		return c.set(e, o.Type, nil)
	case *Instance:
		if _, ok := o.Type.(*Package); ok {
			return c.set(e, &applied{o.Type, o.TypeArgs}, nil)
		}
		return c.set(e, o.Type, nil)
	case *Action:
		return c.set(e, &callable{"action " + o.Name}, nil)
	case *FuncSet:
		return c.set(e, &callable{"function " + o.Name}, nil)
	case *Table:
		return c.set(e, &objectType{"table " + o.Name}, nil)
	case *ValueSet:
		return c.set(e, &Set{o.Elem}, nil)
	case *TypeName:
		return c.set(e, &typeValue{o.Type}, nil)
	}
	return c.set(e, Invalid, nil)
}

// value checks an expression that must be a value: not the name of a type, an
// action, a table.
func (c *checker) value(e syntax.Expr, want Type) Type {
	t := c.expr(e, want)
	switch t.(type) {
	case *typeValue, *callable, *objectType, *tableResult, *actionRun, *Control, *Parser, *applied, *ExternType:
		c.errorf(e.Pos(), diag.WrongKind, "%s is not a value", t)
		return c.set(e, Invalid, nil)
	}
	switch t {
	case Void:
		c.errorf(e.Pos(), diag.WrongKind, "a call without a result is not a value")
		return c.set(e, Invalid, nil)
	case SetDefault:
		c.errorf(e.Pos(), diag.WrongKind, "'_' and default are not values")
		return c.set(e, Invalid, nil)
	}
	return t
}

func (c *checker) member(e *syntax.Member) Type {
	if te, ok := e.X.(*syntax.TypeExpr); ok {
		t := c.typ(te.Type)
		c.set(te, &typeValue{t}, nil)
		switch t := t.(type) {
		case *Enum:
			for _, v := range t.Values {
				if v.Name == e.Sel.Name {
					return c.set(e, t, v)
				}
			}
			c.errorf(e.Sel.At, diag.NoMember, "%s has no member %q", t, e.Sel.Name)
			return c.set(e, Invalid, nil)
		}
		if t == Error {
			if i, ok := c.errorIndex[e.Sel.Name]; ok {
				return c.set(e, Error, ErrorValue{e.Sel.Name, big.NewInt(int64(i))})
			}
			c.errorf(e.Sel.At, diag.NoMember, "error has no member %q", e.Sel.Name)
			return c.set(e, Invalid, nil)
		}
		if t != Invalid {
			c.errorf(e.Sel.At, diag.NoMember, "type %s has no member %q", t, e.Sel.Name)
		}
		return c.set(e, Invalid, nil)
	}
	t := c.expr(e.X, nil)
	switch t := t.(type) {
	case *Struct:
		for i, f := range t.Fields {
			if f.Name == e.Sel.Name {
				var v Value
				switch l := c.info.Values[e.X].(type) {
				case ListValue:
					if i < len(l) {
						v = l[i]
					}
				case Deferred:
					v = l
				}
				return c.set(e, f.Type, v)
			}
		}
		c.errorf(e.Sel.At, diag.NoMember, "%s has no field %q%s", t, e.Sel.Name, fieldHint(t, e.Sel.Name))
	case *Stack:
		switch e.Sel.Name {
		case "next", "last":
			if c.place != inParser {
				c.errorf(e.Sel.At, diag.CallContext, "%q of a stack is only known in a parser", e.Sel.Name)
			}
			return c.set(e, t.Elem, nil)
		case "size":
			return c.set(e, Bit(32), mkInt(int64(t.Size)))
		case "lastIndex":
			if c.place != inParser {
				c.errorf(e.Sel.At, diag.CallContext, "lastIndex of a stack is only known in a parser")
			}
			return c.set(e, Bit(32), nil)
		}
		c.errorf(e.Sel.At, diag.NoMember, "a stack has no member %q", e.Sel.Name)
	case *tableResult:
		switch e.Sel.Name {
		case "hit", "miss":
			return c.set(e, Bool, nil)
		case "action_run":
			return c.set(e, &actionRun{t.table}, nil)
		}
		c.errorf(e.Sel.At, diag.NoMember, "%s has hit, miss and action_run, not %q", t, e.Sel.Name)
	case *ExternType:
		for _, m := range t.Extern.Methods {
			if m.Name == e.Sel.Name {
				return c.set(e, &callable{"method " + e.Sel.Name}, nil)
			}
		}
		c.errorf(e.Sel.At, diag.NoMember, "extern %s has no method %q", t.Extern.Name, e.Sel.Name)
	default:
		if t != Invalid {
			c.errorf(e.Sel.At, diag.NoMember, "%s has no member %q", t, e.Sel.Name)
		}
	}
	return c.set(e, Invalid, nil)
}

func fieldHint(s *Struct, name string) string {
	best, dist := "", 3
	for _, f := range s.Fields {
		if d := distance(name, f.Name, dist); d < dist {
			best, dist = f.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

func (c *checker) index(e *syntax.Index) Type {
	t := c.value(e.X, nil)
	it := c.value(e.I, nil)
	v, isConst := IntOf(c.info.Values[e.I])
	if _, ok := Scalar(it); !ok && it != Int && it != Invalid || it == Bool {
		c.errorf(e.I.Pos(), diag.Mismatch, "an index is a number, not %s", it)
	}
	inRange := func(size int) bool {
		if isConst && (v.Sign() < 0 || v.Cmp(big.NewInt(int64(size))) >= 0) {
			c.errorf(e.I.Pos(), diag.SliceRange, "index %s is outside %s (0 to %d)", v, t, size-1)
			return false
		}
		return true
	}
	switch t := t.(type) {
	case *Stack:
		inRange(t.Size)
		if it == Int {
			c.convert(e.I, Bit(32))
		}
		return c.set(e, t.Elem, nil)
	case *Tuple:
		if !isConst {
			c.errorf(e.I.Pos(), diag.NotConstant, "the index of a tuple must be a constant")
			break
		}
		if inRange(len(t.Elems)) {
			var of Value
			if l, ok := c.info.Values[e.X].(ListValue); ok {
				of = l[v.Int64()]
			}
			return c.set(e, t.Elems[v.Int64()], of)
		}
	default:
		if t != Invalid {
			c.errorf(e.Pos(), diag.Operand, "%s cannot be indexed", t)
		}
	}
	return c.set(e, Invalid, nil)
}

func (c *checker) slice(e *syntax.Slice) Type {
	t := c.value(e.X, nil)
	if e.Width != nil {
		if lt := c.value(e.Lo, nil); lt != Invalid && c.info.Values[e.Lo] == nil {
			return c.movingSlice(e, t, lt)
		}
	}
	hi, ok1 := IntOf(c.constant(e.Hi, nil))
	lo, ok2 := IntOf(c.constant(e.Lo, nil))
	for i, x := range []syntax.Expr{e.Hi, e.Lo} {
		if v := c.info.Values[x]; v != nil && !(ok1 && i == 0 || ok2 && i == 1) {
			if _, deferred := v.(Deferred); !deferred {
				c.errorf(x.Pos(), diag.Mismatch, "a bound of a slice is a number")
			}
		}
	}
	if t == Int && ok1 && ok2 {
		// A slice of a constant without width: as wide as it needs to be.
		if hi.IsInt64() && hi.Int64() < syntax.MaxWidth {
			t = Bit(int(hi.Int64()) + 1)
			c.convertQuietly(e.X, t.(*Bits))
		}
	}
	s, ok := Scalar(t)
	b, isBit := s.(*Bits)
	if !ok || !isBit {
		if t != Invalid {
			c.errorf(e.Pos(), diag.Operand, "%s has no bits to take a slice of", t)
		}
		return c.set(e, Invalid, nil)
	}
	if !ok1 || !ok2 {
		return c.set(e, Invalid, nil)
	}
	if lo.Sign() < 0 || hi.Cmp(lo) < 0 || hi.Cmp(big.NewInt(int64(b.Width))) >= 0 {
		c.errorf(e.Pos(), diag.SliceRange, "slice [%s:%s] is outside %s (bits %d to 0, high bit first)", hi, lo, t, b.Width-1)
		return c.set(e, Invalid, nil)
	}
	h, l := int(hi.Int64()), int(lo.Int64())
	var v Value
	if x := c.info.Values[e.X]; x != nil {
		v = foldSlice(x, h, l)
	}
	return c.set(e, Bit(h-l+1), v)
}

// movingSlice checks a slice whose place is not known when compiling.
func (c *checker) movingSlice(e *syntax.Slice, t, low Type) Type {
	w, ok := IntOf(c.constant(e.Width, Int))
	s, _ := Scalar(t)
	b, isBit := s.(*Bits)
	switch {
	case !ok || t == Invalid:
		return c.set(e, Invalid, nil)
	case !isBit || !isBits(plain(low)):
		c.errorf(e.Pos(), diag.Operand, "%s has no bits to take a slice of by %s", t, low)
		return c.set(e, Invalid, nil)
	case w.Sign() <= 0 || w.Cmp(big.NewInt(int64(b.Width))) > 0:
		c.errorf(e.Width.Pos(), diag.SliceRange, "a slice of %s bits of %s", w, t)
		return c.set(e, Invalid, nil)
	}
	return c.set(e, Bit(int(w.Int64())), nil)
}

func (c *checker) ternary(e *syntax.Ternary, want Type) Type {
	c.condition(e.Cond)
	xt := c.value(e.X, want)
	yt := c.value(e.Y, want)
	switch {
	case isBits(xt) && yt == Int:
		c.convert(e.Y, xt)
		yt = xt
	case isBits(yt) && xt == Int:
		c.convert(e.X, yt)
		xt = yt
	case xt == Int && yt == Int && isBits(want):
		c.convert(e.X, want)
		c.convert(e.Y, want)
		xt, yt = want, want
	}
	if !Identical(xt, yt) {
		c.errorf(e.Pos(), diag.Mismatch, "the two sides of ?: have different types: %s and %s", xt, yt)
		return c.set(e, Invalid, nil)
	}
	var v Value
	switch cv := c.info.Values[e.Cond].(type) {
	case BoolValue:
		if cv {
			v = c.info.Values[e.X]
		} else {
			v = c.info.Values[e.Y]
		}
	case Deferred:
		if c.info.Values[e.X] != nil && c.info.Values[e.Y] != nil {
			v = Deferred{}
		}
	}
	if xt == Int && v == nil {
		c.errorf(e.Pos(), diag.Width, "the width of this ?: is not known: give one side a width (8w1)")
		return c.set(e, Invalid, nil)
	}
	if _, ok := Scalar(xt); !ok && xt != Int && xt != Invalid {
		_, isBasic := xt.(basic)
		_, isTuple := xt.(*Tuple)
		if _, isStruct := xt.(*Struct); !isBasic && !isTuple && !isStruct {
			c.errorf(e.Pos(), diag.Operand, "?: of %s is not supported: use if", xt)
			return c.set(e, Invalid, nil)
		}
	}
	return c.set(e, xt, v)
}

func (c *checker) condition(e syntax.Expr) {
	if t := c.value(e, Bool); !Identical(t, Bool) {
		d := "a condition is a bool, not %s"
		if isBits(t) || t == Int {
			d += " (compare it: … != 0)"
		}
		c.errorf(e.Pos(), diag.Mismatch, d, t)
	}
}

func (c *checker) list(e *syntax.List, want Type) Type {
	var wants []Type
	switch w := want.(type) {
	case *Struct:
		for _, f := range w.Fields {
			wants = append(wants, f.Type)
		}
	case *Tuple:
		wants = w.Elems
	}
	t := &Tuple{}
	vals := ListValue{}
	for i, x := range e.Elems {
		var w Type
		if i < len(wants) {
			w = wants[i]
		}
		xt := c.value(x, w)
		t.Elems = append(t.Elems, xt)
		if v := c.info.Values[x]; v != nil && vals != nil {
			vals = append(vals, v)
		} else {
			vals = nil
		}
	}
	if vals == nil {
		return c.set(e, t, nil)
	}
	return c.set(e, t, vals)
}

func (c *checker) structExpr(e *syntax.Struct, want Type) Type {
	w, _ := want.(*Struct)
	t := &Record{}
	seen := map[string]bool{}
	for _, f := range e.Fields {
		var fw Type
		if w != nil {
			if wf := w.FieldOf(f.Name.Name); wf != nil {
				fw = wf.Type
			}
		}
		if seen[f.Name.Name] {
			c.errorf(f.Name.At, diag.Duplicate, "field %q is given twice", f.Name.Name)
		}
		seen[f.Name.Name] = true
		t.Fields = append(t.Fields, &Field{Name: f.Name.Name, Type: c.value(f.Value, fw)})
	}
	return c.set(e, t, nil)
}

// constant checks an expression that must be known now and returns its value,
// nil after an error. want may be nil.
func (c *checker) constant(e syntax.Expr, want Type) Value {
	var t Type
	c.in(inNothing, func() { t = c.value(e, want) })
	if t == Invalid {
		return nil
	}
	if want != nil && want != Invalid {
		if want == Int {
			if _, ok := Scalar(t); !ok && t != Int || t == Bool {
				c.errorf(e.Pos(), diag.Mismatch, "a number is needed here, not %s", t)
				return nil
			}
		} else if !c.assignable(e, t, want, "value") {
			return nil
		}
	}
	v := c.info.Values[e]
	switch v.(type) {
	case nil:
		c.errorf(e.Pos(), diag.NotConstant, "this value must be known when compiling")
	case Deferred:
		c.errorf(e.Pos(), diag.NotConstant, "this value must be known where it is declared, and depends on a constructor parameter")
		return nil
	}
	return v
}
