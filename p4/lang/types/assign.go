package types

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// assignable reports an error unless e, of type from, may be assigned to to,
// and gives constants without width the width they need.
func (c *checker) assignable(e syntax.Expr, from, to Type, what string) bool {
	if from == Invalid || to == Invalid {
		return true
	}
	if c.canAssign(e, from, to) {
		return true
	}
	hint := ""
	bf, ok1 := plain(from).(*Bits)
	bt, ok2 := plain(to).(*Bits)
	switch {
	case ok1 && ok2:
		hint = fmt.Sprintf(" (cast it: (%s)…)", to)
	case ok1 && to == Bool && bf.Width == 1, ok2 && from == Bool && bt.Width == 1:
		hint = fmt.Sprintf(" (cast it: (%s)…)", to)
	}
	c.errorf(e.Pos(), diag.Mismatch, "%s of type %s where %s is needed%s", what, from, to, hint)
	return false
}

// canAssign has the rules for implicit conversion.
func (c *checker) canAssign(e syntax.Expr, from, to Type) bool {
	if Identical(from, to) {
		if from == Int && to == DontCare {
			return true
		}
		if _, isTuple := to.(*Tuple); !isTuple {
			return true
		}
	}
	if from == Int {
		if b, ok := to.(*Bits); ok {
			c.convert(e, b)
			return true
		}
		return false
	}
	if en, ok := from.(*Enum); ok && en.Repr != nil && Identical(en.Repr, to) {
		return true
	}
	if from == InvalidHdr {
		s, ok := to.(*Struct)
		if ok && (s.Header || s.Union) {
			c.info.Types[e] = to
			return true
		}
		return false
	}
	var fields []*Field
	if list, ok := to.(*List); ok {
		t, ok := from.(*Tuple)
		if !ok {
			return false
		}
		l := *list
		to = &Tuple{Elems: slices.Repeat([]Type{l.Elem}, len(t.Elems))}
	}
	if s, ok := to.(*Stack); ok {
		t, ok := from.(*Tuple)
		if !ok || len(t.Elems) != s.Size {
			return false
		}
		to = &Tuple{Elems: slices.Repeat([]Type{s.Elem}, s.Size)}
	}
	switch to := to.(type) {
	case *Struct:
		fields = to.Fields
	case *Tuple:
		for _, t := range to.Elems {
			fields = append(fields, &Field{Type: t})
		}
	default:
		return false
	}
	switch f := from.(type) {
	case *Tuple:
		if len(f.Elems) != len(fields) {
			return false
		}
		l, isList := e.(*syntax.List)
		if _, toStruct := to.(*Struct); toStruct && !isList && !isCall(e) {
			return false // a tuple is no list
		}
		for i := range fields {
			var x syntax.Expr
			if isList {
				x = l.Elems[i]
			}
			if !c.elemAssign(x, f.Elems[i], fields[i].Type) {
				return false
			}
		}
		if isList {
			c.info.Types[e] = to
			c.relist(l)
		}
		return true
	case *Record:
		st, ok := e.(*syntax.Struct)
		s, isStruct := to.(*Struct)
		if !ok || !isStruct || len(f.Fields) != len(fields) {
			return false
		}
		for i, ff := range f.Fields {
			tf := s.FieldOf(ff.Name)
			if tf == nil || !c.elemAssign(st.Fields[i].Value, ff.Type, tf.Type) {
				return false
			}
		}
		c.info.Types[e] = to
		c.restruct(st, s)
		return true
	}
	return false
}

func isCall(e syntax.Expr) bool {
	switch e.(type) {
	case *syntax.Cast, *syntax.Ternary:
		return true
	}
	return false
}

func (c *checker) elemAssign(x syntax.Expr, from, to Type) bool {
	if x == nil {
		return Identical(from, to)
	}
	return c.canAssign(x, from, to)
}

// relist renews the value of a list after its elements have been converted.
func (c *checker) relist(l *syntax.List) {
	vals := ListValue{}
	for _, x := range l.Elems {
		v := c.info.Values[x]
		if v == nil {
			return
		}
		vals = append(vals, v)
	}
	c.info.Values[l] = vals
}

// restruct gives a structure expression its value, in the order of the struct.
func (c *checker) restruct(e *syntax.Struct, s *Struct) {
	vals := make(ListValue, len(s.Fields))
	for i, f := range s.Fields {
		for _, a := range e.Fields {
			if a.Name.Name == f.Name {
				vals[i] = c.info.Values[a.Value]
			}
		}
		if vals[i] == nil {
			return
		}
	}
	c.info.Values[e] = vals
}

// lvalue reports an error unless e can be assigned to.
func (c *checker) lvalue(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.NameExpr:
		switch o := c.info.Uses[e].(type) {
		case *Var:
			why := ""
			switch {
			case o.Kind == CtorVar:
				why = "a constructor parameter"
			case o.Kind == DataVar:
				why = "action data"
			case o.Kind == ParamVar && o.Dir == syntax.DirIn:
				why = "an in parameter"
			case o.Kind == ParamVar && o.Dir == syntax.DirNone:
				why = "a parameter without a direction"
			}
			if why == "" {
				return true
			}
			c.errorf(e.Pos(), diag.NotLValue, "%q cannot be written: it is %s", e.Name, why).Note(o.Pos, "declared here")
			return false
		case *Const:
			c.errorf(e.Pos(), diag.NotLValue, "%q cannot be written: it is a constant", e.Name)
			return false
		case nil:
			return false // reported already
		}
	case *syntax.Member:
		if _, ok := c.info.Types[e.X].(*Stack); ok && (e.Sel.Name == "size" || e.Sel.Name == "lastIndex") {
			break
		}
		if _, ok := e.X.(*syntax.TypeExpr); !ok {
			return c.lvalue(e.X)
		}
	case *syntax.Index:
		return c.lvalue(e.X)
	case *syntax.Slice:
		return c.lvalue(e.X)
	case *syntax.Bad:
		return false
	}
	if c.info.Types[e] != Invalid {
		c.errorf(e.Pos(), diag.NotLValue, "this expression cannot be written to")
	}
	return false
}
