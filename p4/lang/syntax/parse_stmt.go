package syntax

import "github.com/p4ce/p4ce/p4/lang/diag"

// block reads { … } in a scope of its own.
func (p *parser) block(as Annotations) *Block {
	b := &Block{node: node{p.tok().Pos}, Annots: as}
	if !p.at(LBrace) {
		p.expect(LBrace)
		return b
	}
	p.advance()
	p.push()
	defer p.pop()
	b.End = p.items(func() {
		if s := p.stmt(); s != nil {
			b.Stmts = append(b.Stmts, s)
		}
	})
	return b
}

func (p *parser) stmt() Stmt {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	as := p.annotations()
	t := p.tok()
	n := node{t.Pos}
	switch t.Kind {
	case Semi:
		p.advance()
		return &Empty{n}
	case LBrace:
		return p.block(as)
	case KwConst:
		return p.declStmt(p.constDecl(as))
	case KwIf:
		p.advance()
		s := &If{node: n}
		p.expect(LParen)
		s.Cond = p.expr()
		p.expect(RParen)
		s.Then = p.branch()
		if p.got(KwElse) {
			s.Else = p.branch()
		}
		return s
	case KwSwitch:
		return p.switchStmt()
	case KwReturn:
		p.advance()
		s := &Return{node: n}
		if !p.at(Semi) {
			s.X = p.expr()
		}
		p.expect(Semi)
		return s
	case KwExit:
		p.advance()
		p.expect(Semi)
		return &Exit{n}
	case KwFor:
		if p.peek(1).Kind == LParen {
			return p.forStmt()
		}
	case KwBreak, KwContinue:
		if p.peek(1).Kind == Semi {
			p.advance()
			p.advance()
			return &Break{node: n, Continue: t.Kind == KwContinue}
		}
	case KwTransition:
		p.errorf(t.Pos, diag.Syntax, "'transition' must be the last thing in a state")
		return nil
	case KwState, KwTable, KwAction, KwParser, KwControl, KwHeader, KwStruct, KwEnum, KwTypedef, KwExtern, KwPackage:
		if t.Kind != KwState || p.peek(1).Kind == Name {
			p.errorf(t.Pos, diag.Syntax, "a %s cannot be declared inside a block of statements", t.Kind)
			return nil
		}
	}
	if p.startsDecl() {
		return p.declStmt(p.varOrInstance(as))
	}
	if len(as) > 0 {
		p.errorf(as[0].At, diag.Syntax, "an annotation cannot be put on this statement (put it on a block { … })")
		return nil
	}
	s := p.simpleStmt()
	if s != nil {
		p.expect(Semi)
	}
	return s
}

// compound are the operators of compound assignments.
var compound = map[string]Kind{
	"+=": Plus, "-=": Minus, "*=": Star, "/=": Slash, "%=": Percent, "&=": And, "|=": Or, "^=": Xor,
	"<<=": Shl, ">>=": Shr, "|+|=": PlusSat, "|-|=": MinusSat,
}

// simpleStmt reads an assignment or a call up to what follows it. x op= y is x = x op y.
func (p *parser) simpleStmt() Stmt {
	n := node{p.tok().Pos}
	x := p.expr()
	t := p.tok()
	if next := p.peek(1); t.Kind == Greater && next.Kind == GreaterEq && !next.Space {
		p.advance()
		p.advance()
		return &AssignStmt{node: node{t.Pos}, LHS: x, RHS: &Binary{node: node{t.Pos}, Op: Shr, X: x, Y: p.expr()}}
	}
	if k := map[Kind]Kind{PlusSat: PlusSat, MinusSat: MinusSat}[t.Kind]; k != 0 && p.peek(1).Kind == Assign && !p.peek(1).Space {
		p.advance()
		p.advance()
		return &AssignStmt{node: node{t.Pos}, LHS: x, RHS: &Binary{node: node{t.Pos}, Op: k, X: x, Y: p.expr()}}
	}
	switch t.Kind {
	case Assign:
		at := p.advance().Pos
		return &AssignStmt{node: node{at}, LHS: x, RHS: p.expr()}
	case OpAssign:
		p.advance()
		return &AssignStmt{node: node{t.Pos}, LHS: x, RHS: &Binary{node: node{t.Pos}, Op: compound[t.Text], X: x, Y: p.expr()}}
	}
	if c, ok := x.(*Call); ok {
		return &CallStmt{node: n, Call: c}
	}
	if _, bad := x.(*Bad); !bad {
		p.expected("'=' or a call")
	}
	return nil
}

// forStmt reads a loop.
func (p *parser) forStmt() Stmt {
	s := &For{node: node{p.advance().Pos}}
	p.expect(LParen)
	p.push()
	defer p.pop()
	p.annotations()
	switch {
	case p.startsDecl():
		at := p.tok().Pos
		d := &Var{Type: p.typ()}
		d.At = at
		d.Name = p.ident("a variable name")
		p.declare(d.Name, false)
		if !p.at(KwIn) {
			if p.got(Assign) {
				d.Init = p.expr()
			}
			s.Init = append(s.Init, p.declStmt(d))
			if p.got(Comma) {
				s.Init = append(s.Init, p.forStmts(Semi)...)
			}
			break
		}
		s.Var = p.declStmt(d)
	default:
		s.Init = p.forStmts(Semi)
	}
	if p.got(KwIn) {
		s.In = p.simpleSet()
	} else {
		p.expect(Semi)
		if !p.at(Semi) {
			s.Cond = p.expr()
		}
		p.expect(Semi)
		s.Update = p.forStmts(RParen)
	}
	p.expect(RParen)
	s.Body = p.branch()
	return s
}

// forStmts reads simple statements between commas, up to end.
func (p *parser) forStmts(end Kind) (out []Stmt) {
	for !p.at(end) && !p.quiet {
		if p.startsDecl() {
			at := p.tok().Pos
			d := &Var{Type: p.typ()}
			d.At = at
			d.Name = p.ident("a variable name")
			if p.got(Assign) {
				d.Init = p.expr()
			}
			p.declare(d.Name, false)
			out = append(out, p.declStmt(d))
		} else if s := p.simpleStmt(); s != nil {
			out = append(out, s)
		}
		if !p.got(Comma) {
			break
		}
	}
	return out
}

func (p *parser) declStmt(d Decl) Stmt {
	if d == nil {
		return nil
	}
	return &DeclStmt{node: node{d.Pos()}, Decl: d}
}

// branch reads one arm of an if.
func (p *parser) branch() Stmt {
	if p.at(RBrace) || p.at(EOF) {
		p.expected("a statement")
		return &Empty{node{p.tok().Pos}}
	}
	p.push()
	defer p.pop()
	at := p.tok().Pos
	s := p.stmt()
	if d, ok := s.(*DeclStmt); ok {
		p.diags.Errorf(at, diag.Syntax, "a declaration cannot be the whole branch of an if; put it in { … }")
		return &Block{node: node{at}, Stmts: []Stmt{d}}
	}
	if s == nil {
		return &Empty{node{at}}
	}
	return s
}

func (p *parser) switchStmt() Stmt {
	s := &Switch{node: node{p.advance().Pos}}
	p.expect(LParen)
	s.X = p.expr()
	p.expect(RParen)
	p.expect(LBrace)
	p.items(func() {
		c := &SwitchCase{node: node{p.tok().Pos}}
		if p.at(KwDefault) || p.at(KwUnderscore) {
			c.Label = &Default{node{p.advance().Pos}}
		} else {
			c.Label = p.expr()
		}
		p.expect(Colon)
		if p.at(LBrace) {
			c.Body = p.block(nil)
		}
		s.Cases = append(s.Cases, c)
	})
	return s
}

// startsDecl tells whether a variable or instance declaration begins here
// rather than an assignment or call.
func (p *parser) startsDecl() bool {
	t, next := p.tok(), p.peek(1)
	switch t.Kind {
	case KwError:
		return next.Kind != Dot
	case KwBit, KwBool, KwInt, KwString, KwTuple, KwVarbit, KwVoid, KwMatchKind:
		return true
	}
	if !p.startsType() {
		// "foo bar": a declaration whose type is not declared.
		return t.Kind == Name && next.Kind == Name && !next.BOL
	}
	// C.apply(…) on the type C is a call; so is T.member in general.
	i := p.i
	isDecl := false
	p.try(func() bool {
		p.typ()
		switch {
		case p.isName():
			isDecl = true
		case p.at(LParen):
			// Type(args) name, as opposed to a call of a function whose name
			// is also a type.
			_, _ = p.args()
			isDecl = p.isName()
		}
		return false
	})
	p.i = i
	return isDecl
}
