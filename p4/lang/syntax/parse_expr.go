package syntax

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

func (p *parser) number() Expr {
	t := p.expect(Number)
	if t.Kind != Number {
		return &Bad{node{t.Pos}}
	}
	l, err := ParseNumber(t.Text)
	if err != nil {
		p.failed = true
		if p.trial == 0 {
			p.diags.Errorf(t.Pos, diag.BadNumber, "%v", err)
		}
		return &Bad{node{t.Pos}}
	}
	return &NumberLit{node: node{t.Pos}, Lit: l, Text: t.Text}
}

// binary operators by precedence, loosest first. Unlike in C, the bit
// operators bind tighter than comparisons.
var precedence = map[Kind]int{
	OrOr: 1, AndAnd: 2, EqEq: 3, NotEq: 3, Less: 4, Greater: 4, LessEq: 4, GreaterEq: 4,
	Or: 5, Xor: 6, And: 7, Shl: 8, Shr: 8, Concat: 9, Plus: 9, Minus: 9, PlusSat: 9, MinusSat: 9,
	Star: 10, Slash: 10, Percent: 10,
}

// operator is the binary operator at the current token, with the number of
// tokens it takes.
func (p *parser) operator() (Kind, int) {
	k := p.tok().Kind
	if n := p.peek(1); k == Greater && n.Kind == Greater && !n.Space {
		return Shr, 2
	}
	return k, 1
}

// expr reads an expression without masks and ranges.
func (p *parser) expr() Expr {
	if !p.enter() {
		return &Bad{node{p.tok().Pos}}
	}
	defer p.leave()
	c := p.binary(1)
	if !p.at(Question) {
		return c
	}
	q := p.advance()
	x := p.expr()
	p.expect(Colon)
	y := p.expr()
	return &Ternary{node: node{q.Pos}, Cond: c, X: x, Y: y}
}

func (p *parser) binary(min int) Expr {
	x := p.unary()
	for n := 0; ; n++ {
		op, width := p.operator()
		prec := precedence[op]
		if op == Plus && p.peek(1).Kind == Colon {
			return x // of a slice: x[low +: width]
		}
		if prec == 0 || prec < min {
			return x
		}
		if n > maxChain {
			p.errorf(p.tok().Pos, diag.TooDeep, "expression too long (more than %d operators)", maxChain)
			return x
		}
		at := p.tok().Pos
		for range width {
			p.advance()
		}
		if !p.enter() {
			return x
		}
		y := p.binary(prec + 1)
		p.leave()
		x = &Binary{node: node{at}, Op: op, X: x, Y: y}
		if p.quiet || p.failed && p.trial > 0 {
			return x
		}
	}
}

func (p *parser) unary() Expr {
	if !p.enter() {
		return &Bad{node{p.tok().Pos}}
	}
	defer p.leave()
	t := p.tok()
	switch t.Kind {
	case Not, Tilde, Minus, Plus:
		p.advance()
		return &Unary{node: node{t.Pos}, Op: t.Kind, X: p.unary()}
	case LParen:
		var ct TypeNode
		isCast := false
		i := p.i
		p.advance()
		if p.startsType() {
			p.i = i
			isCast = p.try(func() bool {
				p.advance()
				ct = p.typ()
				return p.at(RParen) && p.startsOperand(p.peek(1).Kind)
			})
		}
		if isCast {
			p.expect(RParen)
			return &Cast{node: node{t.Pos}, Type: ct, X: p.unary()}
		}
		p.i = i
	}
	return p.postfix(p.primary())
}

// startsOperand tells whether a token can begin the operand of a cast.
func (p *parser) startsOperand(k Kind) bool {
	switch k {
	case Name, Number, String, LParen, LBrace, Not, Tilde, Minus, Plus, Dot, KwTrue, KwFalse,
		KwError, KwThis, Ellipsis:
		return true
	}
	return k.contextual()
}

func (p *parser) primary() Expr {
	t := p.tok()
	n := node{t.Pos}
	switch t.Kind {
	case Number:
		return p.number()
	case String:
		p.advance()
		return &StringLit{node: n, Value: t.Text}
	case KwTrue, KwFalse:
		p.advance()
		return &BoolLit{node: n, Value: t.Kind == KwTrue}
	case KwThis:
		p.advance()
		return &This{n}
	case LParen:
		p.advance()
		x := p.expr()
		p.expect(RParen)
		return x
	case LBrace:
		return p.braces()
	case Ellipsis:
		p.advance()
		return &Default{n}
	case KwUnderscore:
		p.errorf(t.Pos, diag.Syntax, "'_' is not a value")
		p.advance()
		return &Bad{n}
	}
	if p.startsType() {
		return &TypeExpr{node: n, Type: p.typ()}
	}
	if t.Kind == Dot {
		p.advance()
		id := p.ident("a name")
		return &NameExpr{node: n, Name: id.Name, Global: true}
	}
	if p.isName() {
		p.advance()
		return &NameExpr{node: n, Name: t.Text}
	}
	p.expected("an expression")
	return &Bad{n}
}

// braces reads {a, b}, {x = a, y = b}, {} or {#}.
func (p *parser) braces() Expr {
	n := node{p.expect(LBrace).Pos}
	if p.at(Hash) {
		p.advance()
		p.expect(RBrace)
		return &InvalidHeader{n}
	}
	if p.isName() && p.peek(1).Kind == Assign {
		s := &Struct{node: n}
		for !p.at(RBrace) {
			if p.at(Ellipsis) {
				p.errorf(p.tok().Pos, diag.NotSupported, "'...' in a structure expression is not supported: give every field")
				break
			}
			id := p.ident("a field name")
			p.expect(Assign)
			s.Fields = append(s.Fields, &Arg{Name: id, Value: p.expr()})
			if !p.got(Comma) {
				break
			}
		}
		p.expect(RBrace)
		return s
	}
	l := &List{node: n}
	for !p.at(RBrace) {
		l.Elems = append(l.Elems, p.expr())
		if !p.got(Comma) {
			break
		}
	}
	p.expect(RBrace)
	return l
}

func (p *parser) postfix(x Expr) Expr {
	for n := 0; ; n++ {
		if n > maxChain {
			p.errorf(p.tok().Pos, diag.TooDeep, "expression too long")
			return x
		}
		t := p.tok()
		switch t.Kind {
		case Dot:
			p.advance()
			sel := p.tok()
			// After a dot, any word is a member: apply, key, size, …
			if sel.Kind != Name && sel.Kind < firstKeyword {
				p.expected("a member name")
				return x
			}
			p.advance()
			x = &Member{node: node{sel.Pos}, X: x, Sel: &Ident{Name: sel.Text, At: sel.Pos}}
		case LBrack:
			p.advance()
			i := p.expr()
			if p.at(Plus) && p.peek(1).Kind == Colon {
				at := p.advance().Pos
				p.advance()
				x = &Slice{node: node{t.Pos}, X: x, Lo: i, Width: p.expr()}
				s := x.(*Slice)
				one := &NumberLit{node: node{at}, Lit: Literal{Value: big.NewInt(1)}, Text: "1"}
				s.Hi = &Binary{node: node{at}, Op: Minus, X: &Binary{node: node{at}, Op: Plus, X: i, Y: s.Width}, Y: one}
			} else if p.got(Colon) {
				lo := p.expr()
				x = &Slice{node: node{t.Pos}, X: x, Hi: i, Lo: lo}
			} else {
				x = &Index{node: node{t.Pos}, X: x, I: i}
			}
			p.expect(RBrack)
		case LParen:
			c := &Call{node: node{x.Pos()}, Fun: x}
			c.Args, c.End = p.args()
			x = c
		case Less:
			if _, isType := x.(*TypeExpr); isType {
				return x
			}
			var targs []TypeNode
			ok := p.try(func() bool {
				p.advance()
				if !p.startsType() && !p.at(KwUnderscore) {
					return false
				}
				targs = p.typeArgList()
				return p.at(LParen)
			})
			if !ok {
				return x
			}
			c := &Call{node: node{x.Pos()}, Fun: x, TypeArgs: targs}
			c.Args, c.End = p.args()
			x = c
		default:
			return x
		}
		if p.quiet || p.failed && p.trial > 0 {
			return x
		}
	}
}

// args reads an argument list with its parentheses.
func (p *parser) args() ([]*Arg, diag.Pos) {
	p.expect(LParen)
	var as []*Arg
	for !p.at(RParen) {
		a := &Arg{}
		if p.isName() && p.peek(1).Kind == Assign {
			a.Name = p.ident("a parameter")
			p.advance()
		}
		if p.at(KwUnderscore) {
			a.Value = &Default{node{p.advance().Pos}}
		} else {
			a.Value = p.expr()
		}
		as = append(as, a)
		if !p.got(Comma) {
			break
		}
	}
	return as, p.expect(RParen).Pos
}

// set reads a set of values: the left side of a select case or of an entry.
// Both end with a colon, which tells a list in parentheses from an expression
// that begins with one.
func (p *parser) set() Expr {
	if p.at(LParen) && p.closesBefore(Colon) {
		l := &List{node: node{p.advance().Pos}, Paren: true}
		for !p.at(RParen) {
			l.Elems = append(l.Elems, p.simpleSet())
			if !p.got(Comma) {
				break
			}
		}
		p.expect(RParen)
		return l
	}
	return p.simpleSet()
}

// closesBefore tells whether the parenthesis at the current token closes just
// before a token of kind k.
func (p *parser) closesBefore(k Kind) bool {
	depth := 0
	for i := p.i; i < len(p.toks); i++ {
		switch p.toks[i].Kind {
		case LParen:
			depth++
		case RParen:
			if depth--; depth == 0 {
				return i+1 < len(p.toks) && p.toks[i+1].Kind == k
			}
		case EOF, Semi, LBrace, RBrace:
			return false
		}
	}
	return false
}

func (p *parser) simpleSet() Expr {
	t := p.tok()
	switch t.Kind {
	case KwDefault, KwUnderscore:
		p.advance()
		return &Default{node{t.Pos}}
	}
	x := p.expr()
	if op := p.tok(); op.Kind == Mask || op.Kind == DotDot {
		p.advance()
		return &Binary{node: node{op.Pos}, Op: op.Kind, X: x, Y: p.expr()}
	}
	return x
}
