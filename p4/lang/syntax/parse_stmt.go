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
			return p.unsupportedStmt("'for' loops are not supported (Tofino has none): write the iterations out")
		}
	case KwBreak, KwContinue:
		if p.peek(1).Kind == Semi {
			return p.unsupportedStmt("'" + t.Text + "' is not supported: there are no loops")
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
	x := p.expr()
	switch p.tok().Kind {
	case Assign:
		at := p.advance().Pos
		s := &AssignStmt{node: node{at}, LHS: x, RHS: p.expr()}
		p.expect(Semi)
		return s
	case OpAssign:
		p.errorf(p.tok().Pos, diag.NotSupported, "compound assignment '%s' is not supported: write the operation out", p.tok().Text)
		return nil
	}
	if c, ok := x.(*Call); ok {
		p.expect(Semi)
		return &CallStmt{node: n, Call: c}
	}
	if _, bad := x.(*Bad); !bad {
		p.expected("'=' or a call")
	}
	return nil
}

func (p *parser) unsupportedStmt(msg string) Stmt {
	p.errorf(p.tok().Pos, diag.NotSupported, "%s", msg)
	return nil
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
