package types

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

func (c *checker) parserDecl(d *syntax.Parser) {
	t := &Parser{Name: d.Name.Name, Decl: d, checking: true}
	tn := &TypeName{Name: d.Name.Name, Type: t, Pos: d.Name.At}
	c.declare(d.Name, tn)
	c.push()
	defer c.pop()
	t.TypeParams = c.typeParams(d.TypeParams)
	t.Params = c.params(d.Params, true)
	if !d.Body {
		tn.Params = t.TypeParams
		t.checking = false
		return
	}
	tn.Params = t.TypeParams
	c.paramRules(t.Params, ofApply)
	t.CtorParams = c.ctorParams(d.CtorParams)
	c.ctorRules(t.CtorParams, false)
	c.push()
	defer c.pop()
	for _, l := range d.Locals {
		c.local(l, inParser)
	}
	states := map[string]*syntax.State{}
	for _, s := range d.States {
		n := s.Name.Name
		if n == "accept" || n == "reject" {
			c.errorf(s.Name.At, diag.State, "state %q is predefined", n)
			continue
		}
		if old := states[n]; old != nil {
			c.errorf(s.Name.At, diag.Duplicate, "state %q is declared twice", n).Note(old.Name.At, "first declared here")
			continue
		}
		states[n] = s
	}
	if states["start"] == nil {
		c.errorf(d.Name.At, diag.State, "parser %s has no state start", d.Name.Name)
	}
	if states["start"] != nil && c.endless(d, states) {
		c.errorf(d.Name.At, diag.State, "parser %s never reaches accept or reject", d.Name.Name)
	}
	for _, s := range d.States {
		c.push()
		c.in(inParser, func() {
			for _, st := range s.Stmts {
				c.stmt(st)
			}
			if s.Transition != nil {
				c.transition(s.Transition, states)
			}
		})
		c.pop()
	}
	t.checking = false
}

func (c *checker) stateRef(id *syntax.Ident, states map[string]*syntax.State) {
	if id == nil || id.Name == "" || id.Name == "accept" || id.Name == "reject" || states[id.Name] != nil {
		return
	}
	best, dist := "", 3
	for n := range states {
		if d := distance(id.Name, n, dist); d < dist {
			best, dist = n, d
		}
	}
	hint := ""
	if best != "" {
		hint = " (did you mean " + best + "?)"
	}
	c.errorf(id.At, diag.State, "there is no state %q%s", id.Name, hint)
}

func (c *checker) transition(t *syntax.Transition, states map[string]*syntax.State) {
	if t.Next != nil {
		c.stateRef(t.Next, states)
		return
	}
	var keys []Type
	for _, k := range t.Keys {
		kt := c.value(k, nil)
		if _, ok := Scalar(kt); !ok && kt != Invalid {
			c.errorf(k.Pos(), diag.SelectCase, "select cannot be over %s: give it fields", kt)
			kt = Invalid
		}
		keys = append(keys, kt)
	}
	if len(t.Cases) == 0 {
		c.errorf(t.Pos(), diag.SelectCase, "select has no cases")
	}
	covered := false
	for _, k := range t.Cases {
		if covered {
			c.diags.Warnf(k.Pos(), diag.SelectCase, "this case is never reached: the one before it takes everything")
			covered = false
		}
		sets := c.sets(k.Set, keys, diag.SelectCase)
		if sets != nil {
			covered = true
			for _, s := range sets {
				if _, ok := s.(*syntax.Default); !ok {
					covered = false
				}
			}
		}
		c.stateRef(k.Next, states)
	}
}

// sets checks a set of values against key types and returns one expression per
// key, nil after an error. A lone default or _ stands for all keys.
func (c *checker) sets(e syntax.Expr, keys []Type, code diag.Code) []syntax.Expr {
	var parts []syntax.Expr
	switch l := e.(type) {
	case *syntax.List:
		parts = l.Elems
		c.set(e, SetDefault, nil)
	case *syntax.Default:
		c.set(e, SetDefault, nil)
		for range keys {
			parts = append(parts, e)
		}
		if len(parts) == 0 {
			parts = []syntax.Expr{e}
		}
		return parts
	default:
		parts = []syntax.Expr{e}
	}
	if n, ok := e.(*syntax.NameExpr); ok && len(keys) > 1 {
		if s, isSet := c.name(n).(*Set); isSet {
			c.setOfFields(n, s, keys, code)
			return nil
		}
	}
	if len(parts) != len(keys) {
		c.errorf(e.Pos(), code, "%d values for %d keys", len(parts), len(keys))
		for _, p := range parts {
			c.setElem(p, Invalid, code)
		}
		return nil
	}
	for i, p := range parts {
		c.setElem(p, keys[i], code)
	}
	return parts
}

// setOfFields checks a value set of structures, which has one field for each key.
func (c *checker) setOfFields(e *syntax.NameExpr, s *Set, keys []Type, code diag.Code) {
	st, ok := s.Elem.(*Struct)
	if !ok || len(st.Fields) != len(keys) {
		if s.Elem != Invalid {
			c.errorf(e.Pos(), code, "a value set of %s for %d keys", s.Elem, len(keys))
		}
		return
	}
	for i, f := range st.Fields {
		if keys[i] != Invalid && f.Type != Invalid && !Identical(plain(f.Type), plain(keys[i])) {
			c.errorf(e.Pos(), code, "field %q of the value set is %s, the key is %s", f.Name, f.Type, keys[i])
		}
	}
}

// setElem checks one element: a value, value &&& mask, lo .. hi, default, _,
// or a value set.
func (c *checker) setElem(e syntax.Expr, key Type, code diag.Code) {
	switch e := e.(type) {
	case *syntax.Default:
		c.set(e, SetDefault, nil)
		return
	case *syntax.Binary:
		if e.Op != syntax.Mask && e.Op != syntax.DotDot {
			break
		}
		s, _ := Scalar(key)
		if s == Bool {
			c.errorf(e.Pos(), code, "a mask or range needs a number, not bool")
		}
		want := key
		if s != nil && isBits(s) {
			want = s
		}
		x := c.constantIn(e.X, want)
		y := c.constantIn(e.Y, want)
		a, ok1 := IntOf(x)
		b, ok2 := IntOf(y)
		if e.Op == syntax.DotDot && ok1 && ok2 && a.Cmp(b) > 0 {
			c.diags.Warnf(e.Pos(), code, "the range %s..%s is empty", a, b)
		}
		c.set(e, &Set{key}, nil)
		return
	}
	t := c.expr(e, key)
	if s, ok := t.(*Set); ok {
		if st, ok := s.Elem.(*Struct); ok && len(st.Fields) == 1 {
			s = &Set{st.Fields[0].Type} // one key
		}
		if !Identical(s.Elem, key) && !Identical(plain(s.Elem), plain(key)) {
			c.errorf(e.Pos(), code, "a value set of %s where %s is needed", s.Elem, key)
		}
		return
	}
	c.constantIn(e, key)
}

// constantIn is constant for values of sets, which may depend on constructor
// parameters.
func (c *checker) constantIn(e syntax.Expr, want Type) Value {
	if want == Invalid {
		want = nil
	}
	var t Type
	c.in(inNothing, func() { t = c.value(e, want) })
	if t == Invalid {
		return nil
	}
	if want == Int {
		if _, ok := Scalar(t); !ok && t != Int || t == Bool {
			c.errorf(e.Pos(), diag.Mismatch, "a number is needed here, not %s", t)
			return nil
		}
	} else if want != nil && !c.assignable(e, t, want, "value") {
		return nil
	}
	v := c.info.Values[e]
	if v == nil {
		c.errorf(e.Pos(), diag.NotConstant, "this value must be known when compiling")
	}
	return v
}

// allOnes is 2^w - 1.
func allOnes(w int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(w)), one)
}
