package types

import (
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// Rules about where a type, an argument or an annotation may stand.

// argumentRule checks the argument of a method of packet_in, of verify, and of functions that take any type.
func (c *checker) argumentRule(e *syntax.Call, call *Call) {
	var of string
	if t, ok := call.Callee.(*ExternType); ok {
		of = t.Extern.Name
	}
	name := call.Func.Name
	switch {
	case of == "packet_in" && name == "extract" && len(call.Args) > 0 && call.Args[0] != nil:
		t := c.info.Types[call.Args[0]]
		if t == Invalid || t == nil {
			return
		}
		if _, ok := t.(*TypeParam); ok {
			return
		}
		s, ok := t.(*Struct)
		switch {
		case t == DontCare:
		case !ok || !s.Header:
			c.errorf(call.Args[0].Pos(), diag.Mismatch, "only a header can be extracted, not %s", t)
		case varbits(s) > 1:
			c.errorf(call.Args[0].Pos(), diag.Mismatch, "%s has several varbit fields: it cannot be extracted", t)
		case len(call.Args) == 2 && varbits(s) == 0:
			c.errorf(call.Args[0].Pos(), diag.Mismatch, "%s has no varbit field whose size could be given", t)
		case len(call.Args) == 1 && varbits(s) > 0:
			c.errorf(call.Args[0].Pos(), diag.Mismatch, "%s has a varbit field: its size must be given", t)
		}
	case of == "packet_in" && name == "lookahead" && len(call.TypeArgs) == 1:
		if t := call.TypeArgs[0]; t != Invalid && !mentions(t) {
			if _, ok := Width(t); !ok {
				c.errorf(e.Pos(), diag.TypeArgs, "lookahead needs a type of a fixed size, not %s", t)
			}
		}
	case of == "" && name == "verify" && call.Func.Extern && c.place != inParser && c.place != inMethod:
		c.errorf(e.Pos(), diag.CallContext, "verify belongs in a parser")
	}
	for i, a := range call.Args {
		if a == nil || i >= len(call.Params) || !mentions(call.Params[i].Type) {
			continue
		}
		if c.info.Types[a] == String && call.Params[i].Dir != syntax.DirNone {
			c.errorf(a.Pos(), diag.Mismatch, "a string cannot be an argument with a direction")
		}
		switch t := c.info.Types[a].(type) {
		case *Control, *Parser, *applied:
			c.errorf(a.Pos(), diag.Mismatch, "%s cannot be an argument here", t)
		case *Record:
			if _, ok := call.Params[i].Type.(*TypeParam); ok {
				c.errorf(a.Pos(), diag.TypeArgs, "the type of this structure is not known: cast it")
			}
		}
	}
}

// varbits counts the fields of a header without a fixed size.
func varbits(s *Struct) (n int) {
	for _, f := range s.Fields {
		switch t := f.Type.(type) {
		case *Varbit:
			n++
		case *Struct:
			n += varbits(t)
		}
	}
	return n
}

// kindOfParams says what has parameters.
type kindOfParams uint8

const (
	ofBlock  kindOfParams = iota // a control, parser or package with its constructor parameters
	ofCode                       // what is called with values: functions, actions, methods
	ofApply                      // a control or parser that has a body, when it is applied
	ofMethod                     // of an extern
)

// paramRules checks the types and annotations of parameters.
func (c *checker) paramRules(ps []*Param, of kindOfParams) {
	for _, p := range ps {
		if p.Dir != syntax.DirNone && (p.Type == String || p.Type == Int || p.Type == MatchKind) {
			c.errorf(p.Decl.At, diag.Direction, "parameter %q of type %s cannot have a direction", p.Name, p.Type)
		}
		if of != ofBlock {
			switch t := p.Type.(type) {
			case *Control, *Parser:
				c.errorf(p.Decl.Type.Pos(), diag.FieldType, "parameter %q cannot have the type %s: it belongs among the constructor parameters", p.Name, t)
			}
		}
		if p.Optional && of == ofCode {
			c.errorf(p.Decl.At, diag.Annotation, "parameter %q cannot be optional: only those of externs and packages, and of the architecture's blocks, can", p.Name)
		}
	}
}

// ctorRules checks constructor parameters.
func (c *checker) ctorRules(ps []*Param, extern bool) {
	for _, p := range ps {
		bad := false
		switch t := p.Type.(type) {
		case *Control:
			bad = extern || t.Decl.Apply != nil
		case *Parser:
			bad = extern || t.Decl.Body
		}
		if bad {
			c.errorf(p.Decl.Type.Pos(), diag.FieldType, "parameter %q cannot have the type %s: only control and parser types can be, of blocks", p.Name, p.Type)
		}
		if p.Optional && !extern {
			c.errorf(p.Decl.At, diag.Annotation, "parameter %q cannot be optional: only those of externs and packages, and of the architecture's blocks, can", p.Name)
		}
	}
}

// element tells whether a type can be an element of a tuple.
func element(t Type) bool {
	switch t.(type) {
	case *ExternType, *Control, *Parser, *Package, *applied, *Set:
		return false
	}
	return t != Void && t != DontCare
}

// specialized checks the fields of a generic structure that was given its type arguments.
func (c *checker) specialized(n *syntax.NamedType, s *Struct) Type {
	for _, f := range s.Fields {
		st, isStruct := f.Type.(*Struct)
		_, isParam := f.Type.(*TypeParam)
		if f.Type == DontCare || !isParam && f.Type != Invalid && (!c.fieldType(f.Type, s.Header) || s.Union && (!isStruct || !st.Header)) {
			c.errorf(n.Pos(), diag.FieldType, "%s: field %q cannot have the type %s", s, f.Name, f.Type)
			return Invalid
		}
		if t, ok := f.Type.(*Tuple); ok && slices.Contains(t.Elems, DontCare) {
			c.errorf(n.Pos(), diag.FieldType, "%s: field %q cannot have the type %s", s, f.Name, f.Type)
			return Invalid
		}
	}
	return s
}

// containsSelf tells whether a type argument is an instance of the same generic type.
func containsSelf(of, arg Type) bool {
	switch of := of.(type) {
	case *Struct:
		switch a := arg.(type) {
		case *Struct:
			return a.Decl == of.Decl || slices.ContainsFunc(a.Args, func(x Type) bool { return containsSelf(of, x) })
		case *Stack:
			return containsSelf(of, a.Elem)
		}
	case *ExternType:
		if b, ok := arg.(*Control); ok {
			return slices.ContainsFunc(b.Params, func(p *Param) bool { return containsSelf(of, p.Type) })
		}
		a, ok := arg.(*ExternType)
		return ok && (a.Extern == of.Extern || slices.ContainsFunc(a.Args, func(x Type) bool { return containsSelf(of, x) }))
	}
	return false
}

// controlPlane keeps the names under which a controller knows actions: two actions have two names. A name that begins with
// a dot is whole, another one is that of a control.
func (c *checker) controlPlane(d *syntax.Action) {
	name, as := d.Name.Name, d.Annots
	if a := as.Find("name"); a != nil {
		var b strings.Builder
		for _, t := range a.Tokens {
			switch t.Kind {
			case syntax.String:
				b.WriteString(t.Text)
			case syntax.Concat:
			default:
				c.errorf(a.Pos(), diag.Annotation, "@name needs a string")
				return
			}
		}
		name = b.String()
	}
	if c.control != nil && !strings.HasPrefix(name, ".") {
		name = "." + c.control.Name + "." + name
	}
	name = "." + strings.TrimPrefix(name, ".")
	if name == ".NoAction" {
		return // every control may have its own
	}
	if old, dup := c.planeNames[name]; dup {
		c.errorf(d.Name.At, diag.ID, "action %q: another one has this name for the control plane", strings.TrimPrefix(name, ".")).Note(old, "the other one")
		return
	}
	c.planeNames[name] = d.Name.At
}

// listedAgain checks that arguments which a default action or an entry repeats are those of the list of actions.
func (c *checker) listedAgain(a *Action, listed []syntax.Expr, args []*syntax.Arg, dirs []*Param) {
	for i, x := range args {
		if i < len(dirs) && listed[i] != nil && !sameExpr(listed[i], x.Value) {
			c.errorf(x.Value.Pos(), diag.TableAction, "argument %q of action %s is another one in the list of actions", dirs[i].Name, a.Name)
		}
	}
}

// sameExpr compares two expressions as they are written.
func sameExpr(a, b syntax.Expr) bool {
	switch a := a.(type) {
	case *syntax.NameExpr:
		o, ok := b.(*syntax.NameExpr)
		return ok && a.Name == o.Name && a.Global == o.Global
	case *syntax.Member:
		o, ok := b.(*syntax.Member)
		return ok && a.Sel.Name == o.Sel.Name && sameExpr(a.X, o.X)
	case *syntax.NumberLit:
		o, ok := b.(*syntax.NumberLit)
		return ok && a.Lit.Value.Cmp(o.Lit.Value) == 0 && a.Lit.Width == o.Lit.Width
	case *syntax.BoolLit:
		o, ok := b.(*syntax.BoolLit)
		return ok && a.Value == o.Value
	case *syntax.Index:
		o, ok := b.(*syntax.Index)
		return ok && sameExpr(a.X, o.X) && sameExpr(a.I, o.I)
	case *syntax.Slice:
		o, ok := b.(*syntax.Slice)
		return ok && sameExpr(a.X, o.X) && sameExpr(a.Hi, o.Hi) && sameExpr(a.Lo, o.Lo)
	case *syntax.Cast:
		o, ok := b.(*syntax.Cast)
		return ok && sameExpr(a.X, o.X)
	case *syntax.Unary:
		o, ok := b.(*syntax.Unary)
		return ok && a.Op == o.Op && sameExpr(a.X, o.X)
	case *syntax.Binary:
		o, ok := b.(*syntax.Binary)
		return ok && a.Op == o.Op && sameExpr(a.X, o.X) && sameExpr(a.Y, o.Y)
	case *syntax.Call:
		o, ok := b.(*syntax.Call)
		return ok && sameExpr(a.Fun, o.Fun) && slices.EqualFunc(a.Args, o.Args, func(x, y *syntax.Arg) bool { return sameExpr(x.Value, y.Value) })
	case *syntax.List:
		o, ok := b.(*syntax.List)
		return ok && slices.EqualFunc(a.Elems, o.Elems, sameExpr)
	case *syntax.Struct:
		o, ok := b.(*syntax.Struct)
		return ok && len(a.Fields) == len(o.Fields) && !slices.ContainsFunc(a.Fields, func(x *syntax.Arg) bool {
			return !slices.ContainsFunc(o.Fields, func(y *syntax.Arg) bool { return x.Name.Name == y.Name.Name && sameExpr(x.Value, y.Value) })
		})
	}
	return false
}

// named tells whether a key has a name by itself: it is a place in the program's data, or a part of one.
func named(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.NameExpr, *syntax.NumberLit:
		return true
	case *syntax.Member:
		return named(e.X)
	case *syntax.Index:
		return named(e.X)
	case *syntax.Slice:
		return named(e.X)
	case *syntax.Cast:
		return named(e.X)
	case *syntax.Binary:
		_, number := e.Y.(*syntax.NumberLit)
		return e.Op == syntax.And && (number || isName(e.Y)) && named(e.X)
	case *syntax.Call:
		m, ok := e.Fun.(*syntax.Member)
		return ok && (m.Sel.Name == "isValid" || m.Sel.Name == "lookahead") && (m.Sel.Name == "lookahead" || named(m.X))
	}
	return false
}

func isName(e syntax.Expr) bool { _, ok := e.(*syntax.NameExpr); return ok }

// fieldRules checks the annotations of a field; before are those in front of it.
func (c *checker) fieldRules(f *syntax.Field, before []*Field) {
	c.annotationRules(f.Annots)
	a := f.Annots.Find("length")
	if a == nil || len(a.Tokens) != 1 || a.Tokens[0].Kind != syntax.Name {
		return
	}
	name := a.Tokens[0].Text
	i := slices.IndexFunc(before, func(x *Field) bool { return x.Name == name })
	switch {
	case i < 0:
		if _, ok := c.lookup(name, false).(*Const); !ok {
			c.errorf(a.Pos(), diag.Undeclared, "@length: there is no field %q in front of %q", name, f.Name.Name)
		}
	case !isBits(plain(before[i].Type)):
		c.errorf(a.Pos(), diag.Mismatch, "@length: field %q is %s, not a number", name, before[i].Type)
	}
}

// annotationRules checks annotations that every program has alike.
func (c *checker) annotationRules(as syntax.Annotations) {
	seen := map[string]bool{} // with whether it was structured
	for _, a := range as {
		if structured, again := seen[a.Name]; again && (a.Structured || structured) {
			c.errorf(a.Pos(), diag.Annotation, "@%s[…] is given twice", a.Name)
		}
		seen[a.Name] = a.Structured
		if a.Structured {
			for _, t := range a.Tokens {
				if t.Kind == syntax.LBrace || t.Kind == syntax.Less {
					c.errorf(a.Pos(), diag.Annotation, "@%s: a value in […] is a number, a string or a bool", a.Name)
					break
				}
			}
		}
		switch a.Name {
		case "pkginfo":
			if !a.HasBody {
				c.errorf(a.Pos(), diag.Annotation, "@pkginfo needs arguments")
			}
		case "match":
			if len(a.Tokens) != 1 || a.Tokens[0].Kind != syntax.Name {
				c.errorf(a.Pos(), diag.Annotation, "@match needs a match kind")
			}
		case "p4runtime_translation":
			i := slices.IndexFunc(a.Tokens, func(t syntax.Token) bool { return t.Kind == syntax.Comma })
			if i >= 0 && i+1 < len(a.Tokens) && !slices.Contains([]syntax.Kind{syntax.Number, syntax.KwString, syntax.KwBit, syntax.Name}, a.Tokens[i+1].Kind) {
				c.errorf(a.Pos(), diag.Annotation, "@p4runtime_translation: a controller's type is string, bit<> or a number of bits")
			}
		}
		if (a.Name == "deprecated" || a.Name == "name") && a.HasBody {
			for _, t := range a.Tokens {
				if t.Kind != syntax.String && t.Kind != syntax.Concat {
					c.errorf(a.Pos(), diag.Annotation, "@%s needs a string", a.Name)
					break
				}
			}
		}
	}
}

// endless tells whether no way from a state leads out of the parser: the states after it go in a circle.
func (c *checker) endless(d *syntax.Parser, states map[string]*syntax.State) bool {
	seen := map[string]bool{}
	work := []string{"start"}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		s := states[n]
		if s == nil || s.Transition == nil {
			return false // accept, reject, or what is reported elsewhere
		}
		if seen[n] {
			continue
		}
		seen[n] = true
		if s.Transition.Next != nil {
			work = append(work, s.Transition.Next.Name)
			continue
		}
		for _, k := range s.Transition.Cases {
			work = append(work, k.Next.Name)
		}
		if last := len(s.Transition.Cases) - 1; last >= 0 {
			if _, all := s.Transition.Cases[last].Set.(*syntax.Default); !all {
				return false // no case may match
			}
		}
	}
	return len(states) > 0
}
