package types

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// typ resolves a type as written.
func (c *checker) typ(n syntax.TypeNode) Type {
	t := c.resolve(n)
	if leaves(t) > maxLeaves {
		c.errorf(n.Pos(), diag.TooDeep, "this type has more than %d fields", maxLeaves)
		return Invalid
	}
	return t
}

func (c *checker) resolve(n syntax.TypeNode) Type {
	switch n := n.(type) {
	case *syntax.BaseType:
		return c.baseType(n)
	case *syntax.TupleType:
		t := &Tuple{}
		for _, a := range n.Args {
			e := c.typ(a)
			if !element(e) {
				c.errorf(a.Pos(), diag.FieldType, "a tuple cannot have an element of type %s", e)
				e = Invalid
			}
			t.Elems = append(t.Elems, e)
		}
		return t
	case *syntax.StackType:
		elem := c.typ(n.Elem)
		if !c.fieldType(elem, false) {
			c.errorf(n.Pos(), diag.FieldType, "an array cannot have elements of type %s", elem)
			elem = Invalid
		}
		size, ok := IntOf(c.constant(n.Size, Int))
		if !ok {
			return Invalid
		}
		if !size.IsInt64() || size.Int64() < 0 || size.Int64() > 256 {
			c.errorf(n.Size.Pos(), diag.Width, "the size of a stack is 0 to 256, not %s", size)
			return Invalid
		}
		return &Stack{elem, int(size.Int64())}
	case *syntax.NamedType:
		return c.namedType(n)
	}
	return DontCare
}

func (c *checker) baseType(n *syntax.BaseType) Type {
	switch n.Kind {
	case syntax.KwBool:
		return Bool
	case syntax.KwError:
		return Error
	case syntax.KwString:
		return String
	case syntax.KwVoid:
		return Void
	case syntax.KwMatchKind:
		return MatchKind
	}
	if n.Width == nil {
		switch n.Kind {
		case syntax.KwInt:
			return Int
		case syntax.KwBit:
			return Bit(1)
		}
		c.errorf(n.Pos(), diag.Width, "varbit needs a width")
		return Invalid
	}
	w, ok := IntOf(c.constant(n.Width, Int))
	if !ok {
		return Invalid
	}
	low := int64(0)
	if n.Kind == syntax.KwInt {
		low = 1
	}
	if !w.IsInt64() || w.Int64() < low || w.Int64() > syntax.MaxWidth {
		c.errorf(n.Width.Pos(), diag.Width, "width %s is out of range (%d to %d)", w, low, syntax.MaxWidth)
		return Invalid
	}
	switch n.Kind {
	case syntax.KwVarbit:
		return &Varbit{int(w.Int64())}
	case syntax.KwInt:
		return &Bits{int(w.Int64()), true}
	}
	return &Bits{int(w.Int64()), false}
}

func (c *checker) namedType(n *syntax.NamedType) Type {
	o := c.lookup(n.Name, n.Global)
	if o == nil && n.Name == "list" && len(n.Args) == 1 {
		return &List{c.typ(n.Args[0])}
	}
	if o == nil {
		if n.Name != "" {
			c.errorf(n.Pos(), diag.Undeclared, "type %q is not declared%s", n.Name, c.hint(n.Name))
		}
		for _, a := range n.Args {
			c.typ(a)
		}
		return Invalid
	}
	tn, ok := o.(*TypeName)
	if !ok {
		d := c.errorf(n.Pos(), diag.WrongKind, "%q is not a type", n.Name)
		if p := o.objectPos(); p.IsValid() {
			d.Note(p, "declared here")
		}
		return Invalid
	}
	return c.applyArgs(n, tn)
}

func (c *checker) applyArgs(n *syntax.NamedType, tn *TypeName) Type {
	if len(n.Args) == 0 {
		if s, ok := tn.Type.(*Struct); ok && len(tn.Params) > 0 {
			c.errorf(n.Pos(), diag.TypeArgs, "%s needs %d type arguments", s.Name, len(tn.Params))
			return Invalid
		}
		return tn.Type
	}
	var args []Type
	for _, a := range n.Args {
		t := c.typ(a)
		switch t {
		case Void:
			// Of an extern that returns nothing.
			if _, ok := tn.Type.(*ExternType); ok {
				break
			}
			fallthrough
		case MatchKind:
			c.errorf(a.Pos(), diag.TypeArgs, "%s cannot be a type argument", t)
			t = Invalid
		}
		args = append(args, t)
	}
	if len(tn.Params) == 0 {
		c.errorf(n.Pos(), diag.TypeArgs, "%s takes no type arguments", tn.Name)
		return Invalid
	}
	if len(args) != len(tn.Params) {
		c.errorf(n.Pos(), diag.TypeArgs, "%s takes %d type arguments, not %d", tn.Name, len(tn.Params), len(args)).
			Note(tn.Pos, "declared here")
		return Invalid
	}
	m := map[*TypeParam]Type{}
	for i, p := range tn.Params {
		m[p] = args[i]
		if containsSelf(tn.Type, args[i]) {
			c.errorf(n.Args[i].Pos(), diag.Recursion, "%s contains itself as a type argument", tn.Name)
			return Invalid
		}
	}
	switch t := tn.Type.(type) {
	case *Struct:
		return c.specialized(n, subst(t, m).(*Struct))
	case *ExternType:
		return &ExternType{t.Extern, args}
	case *Control, *Parser, *Package:
		return &applied{tn.Type, args}
	}
	return tn.Type
}

// hint proposes a declared name that differs little from a missing one.
func (c *checker) hint(name string) string {
	limit := 3
	if len(name) < 4 {
		limit = 2
	}
	best, bestDist := "", limit
	for s := c.scope; s != nil; s = s.parent {
		for n := range s.names {
			if d := distance(name, n, limit); d < bestDist || d == bestDist && d < limit && n < best {
				best, bestDist = n, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// distance is the edit distance of two names, or limit when it is no less.
func distance(a, b string, limit int) int {
	if len(a) > 64 || len(b) > 64 || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return min(row[len(b)], limit)
}
