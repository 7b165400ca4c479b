package syntax

import "github.com/p4ce/p4ce/p4/lang/diag"

// topDecl reads a declaration of the program; nil when there was none to read.
func (p *parser) topDecl() Decl {
	as := p.annotations()
	if p.quiet {
		return nil
	}
	t := p.tok()
	switch t.Kind {
	case KwConst:
		return p.constDecl(as)
	case KwExtern:
		return p.externDecl(as)
	case KwAction:
		return p.actionDecl(as)
	case KwParser:
		return p.parserDecl(as)
	case KwControl:
		return p.controlDecl(as)
	case KwPackage:
		return p.packageDecl(as)
	case KwHeader, KwStruct, KwHeaderUnion:
		return p.structDecl(as)
	case KwEnum:
		return p.enumDecl(as)
	case KwError:
		if p.peek(1).Kind == LBrace {
			d := &ErrorDecl{}
			d.At, d.Annots = p.advance().Pos, as
			d.Name = &Ident{Name: "error", At: d.At}
			d.Members = p.members(false)
			return d
		}
	case KwMatchKind:
		d := &MatchKindDecl{}
		d.At, d.Annots = p.advance().Pos, as
		d.Name = &Ident{Name: "match_kind", At: d.At}
		d.Members = p.members(false)
		return d
	case KwTypedef, KwType:
		if t.Kind == KwTypedef || p.peek(1).Kind != LParen {
			return p.typedefDecl(as)
		}
	case KwTable, KwState, KwValueSet:
		p.errorf(t.Pos, diag.Syntax, "a %s cannot be declared here: it belongs in a %s", t.Kind,
			map[Kind]string{KwTable: "control", KwState: "parser", KwValueSet: "parser"}[t.Kind])
		return nil
	}
	if p.startsType() || p.isName() {
		return p.instanceOrFunction(as)
	}
	p.errorf(t.Pos, diag.Syntax, "expected a declaration, found %s", t.describe())
	return nil
}

// instanceOrFunction reads Type(args) name; or Type name(params) { … }.
func (p *parser) instanceOrFunction(as Annotations) Decl {
	at := p.tok().Pos
	typ := p.typ()
	if p.at(LParen) {
		return p.instance(as, at, typ)
	}
	name := p.ident("a name")
	if p.at(LParen) || p.at(Less) {
		f := &Function{Result: typ}
		f.At, f.Annots, f.Name = at, as, name
		p.declare(name, false)
		p.functionRest(f)
		if p.at(Semi) {
			p.errorf(p.tok().Pos, diag.Syntax, "function %s has no body", name.Name)
			p.advance()
			p.quiet = false
			return nil
		}
		f.Body = p.block(nil)
		p.pop()
		return f
	}
	if !p.quiet {
		p.errorf(at, diag.Syntax, "a variable cannot be declared here: only constants, types, instances and functions can")
	}
	return nil
}

// functionRest reads type parameters and parameters and leaves their scope
// open.
func (p *parser) functionRest(f *Function) {
	p.push()
	f.TypeParams = p.optTypeParams()
	f.Params = p.params()
}

func (p *parser) constDecl(as Annotations) Decl {
	d := &Const{}
	d.At, d.Annots = p.expect(KwConst).Pos, as
	d.Type = p.typ()
	d.Name = p.ident("the name of the constant")
	p.expect(Assign)
	d.Value = p.expr()
	p.expect(Semi)
	p.declare(d.Name, false)
	return d
}

func (p *parser) typedefDecl(as Annotations) Decl {
	d := &Typedef{}
	t := p.advance()
	d.At, d.Annots, d.New = t.Pos, as, t.Kind == KwType
	switch p.tok().Kind {
	case KwHeader, KwStruct, KwEnum:
		p.errorf(p.tok().Pos, diag.Syntax, "%s cannot be declared inside a typedef", p.tok().Kind)
		return nil
	}
	d.Type = p.typ()
	d.Name = p.ident("the name of the type")
	p.expect(Semi)
	p.declare(d.Name, true)
	return d
}

func (p *parser) structDecl(as Annotations) Decl {
	d := &StructDecl{}
	t := p.advance()
	d.At, d.Annots, d.Header = t.Pos, as, t.Kind == KwHeader
	d.Union = t.Kind == KwHeaderUnion
	d.Name = p.ident("the name of the " + t.Text)
	p.declare(d.Name, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.optTypeParams()
	if p.expect(LBrace).Kind != LBrace {
		return d
	}
	p.items(func() {
		f := &Field{Annots: p.annotations()}
		f.At = p.tok().Pos
		f.Type = p.typ()
		f.Name = p.ident("a field name")
		p.expect(Semi)
		if f.Name.Name != "" {
			d.Fields = append(d.Fields, f)
		}
	})
	return d
}

func (p *parser) enumDecl(as Annotations) Decl {
	d := &EnumDecl{}
	d.At, d.Annots = p.advance().Pos, as
	if p.startsType() && p.peek(1).Kind != LBrace {
		d.Type = p.typ()
	}
	d.Name = p.ident("the name of the enum")
	p.declare(d.Name, true)
	d.Members = p.members(d.Type != nil)
	return d
}

// members reads { a, b = 1, … }.
func (p *parser) members(values bool) []*EnumMember {
	var ms []*EnumMember
	if p.expect(LBrace).Kind != LBrace {
		return nil
	}
	for !p.at(RBrace) && !p.quiet {
		m := &EnumMember{Annots: p.annotations()}
		m.Name = p.ident("a member name")
		if p.at(Assign) {
			at := p.advance().Pos
			m.Value = p.expr()
			if !values {
				p.errorf(at, diag.Syntax, "only an enum with a type (enum bit<8> …) has values")
			}
		} else if values && !p.quiet {
			p.errorf(m.Name.At, diag.Syntax, "member %s of an enum with a type needs a value", m.Name.Name)
		}
		if m.Name.Name != "" {
			ms = append(ms, m)
		}
		if !p.got(Comma) {
			break
		}
	}
	p.expect(RBrace)
	return ms
}

func (p *parser) params() []*Param {
	p.expect(LParen)
	var ps []*Param
	for !p.at(RParen) {
		a := &Param{Annots: p.annotations()}
		a.At = p.tok().Pos
		switch p.tok().Kind {
		case KwIn:
			a.Dir = DirIn
		case KwOut:
			a.Dir = DirOut
		case KwInout:
			a.Dir = DirInout
		}
		if a.Dir != DirNone {
			p.advance()
		}
		a.Type = p.typ()
		a.Name = p.ident("a parameter name")
		if p.got(Assign) {
			a.Default = p.expr()
		}
		p.declare(a.Name, false)
		if a.Name.Name != "" {
			ps = append(ps, a)
		}
		if p.quiet || !p.got(Comma) {
			break
		}
	}
	p.expect(RParen)
	return ps
}

func (p *parser) actionDecl(as Annotations) Decl {
	d := &Action{}
	d.At, d.Annots = p.advance().Pos, as
	d.Name = p.ident("the name of the action")
	p.declare(d.Name, false)
	p.push()
	defer p.pop()
	d.Params = p.params()
	d.Body = p.block(nil)
	return d
}

func (p *parser) externDecl(as Annotations) Decl {
	at := p.advance().Pos
	// extern Name [<T>] { … } is an object, anything else a function.
	isObject := p.isName() && (p.peek(1).Kind == LBrace)
	if p.isName() && p.peek(1).Kind == Less {
		for i := 2; ; i++ {
			if k := p.peek(i).Kind; k != Name && k != Comma {
				isObject = k == Greater && p.peek(i+1).Kind == LBrace
				break
			}
		}
	}
	if !isObject {
		f := &Function{Extern: true}
		f.At, f.Annots = at, as
		// The result may be a type parameter that is declared after the name.
		f.Result = p.typ()
		f.Name = p.ident("the name of the function")
		p.declare(f.Name, false)
		p.functionRest(f)
		p.pop()
		p.expect(Semi)
		return f
	}
	d := &ExternDecl{}
	d.At, d.Annots = at, as
	d.Name = p.ident("the name of the extern")
	p.declare(d.Name, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.optTypeParams()
	if p.expect(LBrace).Kind != LBrace {
		return d
	}
	p.items(func() {
		f := &Function{Extern: true}
		f.Annots = p.annotations()
		f.At = p.tok().Pos
		if p.got(KwAbstract) {
			f.Abstract = true
		}
		if p.isName() && p.tok().Text == d.Name.Name && p.peek(1).Kind == LParen {
			f.Name = p.ident("a constructor")
		} else {
			f.Result = p.typ()
			f.Name = p.ident("a method name")
		}
		p.functionRest(f)
		p.pop()
		p.expect(Semi)
		d.Methods = append(d.Methods, f)
	})
	p.got(Semi)
	return d
}

func (p *parser) packageDecl(as Annotations) Decl {
	d := &Package{}
	d.At, d.Annots = p.advance().Pos, as
	d.Name = p.ident("the name of the package")
	p.declare(d.Name, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.optTypeParams()
	d.Params = p.params()
	p.expect(Semi)
	return d
}

func (p *parser) controlDecl(as Annotations) Decl {
	d := &Control{}
	d.At, d.Annots = p.advance().Pos, as
	d.Name = p.ident("the name of the control")
	p.declare(d.Name, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.optTypeParams()
	d.Params = p.params()
	if p.got(Semi) {
		return d
	}
	if p.at(LParen) {
		d.CtorParams = p.params()
	}
	if p.expect(LBrace).Kind != LBrace {
		return d
	}
	p.items(func() {
		la := p.annotations()
		t := p.tok()
		var l Decl
		switch t.Kind {
		case KwApply:
			p.advance()
			b := p.block(append(la, p.annotations()...))
			if d.Apply != nil {
				p.diags.Errorf(t.Pos, diag.Duplicate, "control %s has two apply blocks", d.Name.Name)
				return
			}
			d.Apply = b
			return
		case KwConst:
			l = p.constDecl(la)
		case KwAction:
			l = p.actionDecl(la)
		case KwTable:
			l = p.tableDecl(la)
		default:
			if !p.startsDecl() && !p.startsType() && !p.isName() {
				p.expected("a declaration or the apply block")
				return
			}
			l = p.varOrInstance(la)
		}
		if l == nil {
			return
		}
		if d.Apply != nil && !p.quiet {
			p.diags.Errorf(l.Pos(), diag.Syntax, "declarations must come before the apply block")
		}
		d.Locals = append(d.Locals, l)
	})
	if d.Apply == nil {
		if !p.quiet {
			p.diags.Errorf(d.Name.At, diag.Syntax, "control %s has no apply block", d.Name.Name)
		}
		d.Apply = &Block{node: node{d.At}}
	}
	return d
}

// varOrInstance reads Type name [= init]; or Type(args) name [= {…}];.
func (p *parser) varOrInstance(as Annotations) Decl {
	at := p.tok().Pos
	typ := p.typ()
	if p.at(LParen) {
		return p.instance(as, at, typ)
	}
	d := &Var{Type: typ}
	d.At, d.Annots = at, as
	d.Name = p.ident("a variable name")
	if p.got(Assign) {
		d.Init = p.expr()
	}
	p.expect(Semi)
	p.declare(d.Name, false)
	if d.Name.Name == "" {
		return nil
	}
	return d
}

func (p *parser) instance(as Annotations, at diag.Pos, typ TypeNode) Decl {
	d := &Instance{Type: typ}
	d.At, d.Annots = at, as
	d.Args, _ = p.args()
	d.Name = p.ident("the name of the instance")
	p.declare(d.Name, false)
	if p.got(Assign) {
		d.HasBody = true
		if p.expect(LBrace).Kind == LBrace {
			p.items(func() {
				f := &Function{}
				f.Annots = p.annotations()
				f.At = p.tok().Pos
				f.Result = p.typ()
				f.Name = p.ident("a method name")
				p.functionRest(f)
				f.Body = p.block(nil)
				p.pop()
				d.Methods = append(d.Methods, f)
			})
		}
	}
	p.expect(Semi)
	if d.Name.Name == "" {
		return nil
	}
	return d
}

func (p *parser) parserDecl(as Annotations) Decl {
	d := &Parser{}
	d.At, d.Annots = p.advance().Pos, as
	d.Name = p.ident("the name of the parser")
	p.declare(d.Name, true)
	p.push()
	defer p.pop()
	d.TypeParams = p.optTypeParams()
	d.Params = p.params()
	if p.got(Semi) {
		return d
	}
	if p.at(LParen) {
		d.CtorParams = p.params()
	}
	d.Body = true
	if p.expect(LBrace).Kind != LBrace {
		return d
	}
	p.items(func() {
		la := p.annotations()
		var l Decl
		switch t := p.tok(); t.Kind {
		case KwState:
			d.States = append(d.States, p.state(la))
			return
		case KwConst:
			l = p.constDecl(la)
		case KwValueSet:
			v := &ValueSet{}
			v.At, v.Annots = p.advance().Pos, la
			p.expect(Less)
			v.Type = p.typ()
			p.expect(Greater)
			p.expect(LParen)
			v.Size = p.expr()
			p.expect(RParen)
			v.Name = p.ident("the name of the value set")
			p.expect(Semi)
			p.declare(v.Name, false)
			l = v
		case KwAction, KwTable, KwApply:
			p.errorf(t.Pos, diag.Syntax, "a parser has no %s", t.Kind)
			return
		default:
			if !p.startsType() && !p.isName() {
				p.expected("a declaration or a state")
				return
			}
			l = p.varOrInstance(la)
		}
		if l == nil {
			return
		}
		if len(d.States) > 0 && !p.quiet {
			p.diags.Errorf(l.Pos(), diag.Syntax, "declarations must come before the states")
		}
		d.Locals = append(d.Locals, l)
	})
	return d
}

func (p *parser) state(as Annotations) *State {
	s := &State{Annots: as}
	s.At = p.advance().Pos
	s.Name = p.ident("the name of the state")
	if p.expect(LBrace).Kind != LBrace {
		return s
	}
	p.push()
	defer p.pop()
	p.items(func() {
		if p.at(KwTransition) {
			s.Transition = p.transition()
			if !p.at(RBrace) && !p.quiet {
				p.errorf(p.tok().Pos, diag.Syntax, "'transition' must be the last thing in a state")
			}
			return
		}
		if st := p.stmt(); st != nil {
			s.Stmts = append(s.Stmts, st)
		}
	})
	return s
}

func (p *parser) transition() *Transition {
	t := &Transition{}
	t.At = p.advance().Pos
	if !p.got(KwSelect) {
		t.Next = p.ident("a state")
		p.expect(Semi)
		return t
	}
	p.expect(LParen)
	for !p.at(RParen) {
		t.Keys = append(t.Keys, p.expr())
		if !p.got(Comma) {
			break
		}
	}
	p.expect(RParen)
	if p.expect(LBrace).Kind != LBrace {
		return t
	}
	t.End = p.items(func() {
		c := &SelectCase{}
		c.At = p.tok().Pos
		c.Set = p.set()
		p.expect(Colon)
		c.Next = p.ident("a state")
		p.expect(Semi)
		t.Cases = append(t.Cases, c)
	})
	p.got(Semi)
	return t
}
