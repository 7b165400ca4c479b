package syntax

import "github.com/p4ce/p4ce/p4/lang/diag"

func (p *parser) tableDecl(as Annotations) Decl {
	d := &Table{}
	d.At, d.Annots = p.advance().Pos, as
	d.Name = p.ident("the name of the table")
	p.declare(d.Name, false)
	if p.expect(LBrace).Kind != LBrace {
		return d
	}
	p.items(func() {
		if prop := p.property(); prop != nil {
			d.Props = append(d.Props, prop)
		}
	})
	return d
}

func (p *parser) property() *Property {
	pr := &Property{Annots: p.annotations()}
	pr.At = p.tok().Pos
	pr.Const = p.got(KwConst)
	id := p.ident("a table property")
	if id.Name == "" {
		return nil
	}
	pr.Name = id.Name
	pr.At = id.At
	p.expect(Assign)
	switch id.Name {
	case "key":
		if p.expect(LBrace).Kind != LBrace {
			return nil
		}
		p.items(func() {
			k := &Key{}
			k.At = p.tok().Pos
			k.X = p.expr()
			p.expect(Colon)
			k.Match = p.ident("a match kind")
			k.Annots = p.annotations()
			p.expect(Semi)
			pr.Keys = append(pr.Keys, k)
		})
	case "actions":
		if p.expect(LBrace).Kind != LBrace {
			return nil
		}
		p.items(func() {
			a := p.actionRef()
			p.expect(Semi)
			pr.Actions = append(pr.Actions, a)
		})
	case "entries":
		if p.expect(LBrace).Kind != LBrace {
			return nil
		}
		p.items(func() { pr.Entries = append(pr.Entries, p.entry()) })
	default:
		pr.Value = p.expr()
		p.expect(Semi)
		return pr
	}
	p.got(Semi)
	return pr
}

func (p *parser) actionRef() *ActionRef {
	a := &ActionRef{Annots: p.annotations()}
	t := p.tok()
	a.At = t.Pos
	a.Name = &NameExpr{node: node{t.Pos}}
	a.Name.Global = p.got(Dot)
	a.Name.Name = p.ident("an action").Name
	if p.at(LParen) {
		a.HasArgs = true
		a.Args, _ = p.args()
	}
	return a
}

func (p *parser) entry() *Entry {
	e := &Entry{Annots: p.annotations()}
	e.At = p.tok().Pos
	e.Const = p.got(KwConst)
	if p.at(KwPriority) && p.peek(1).Kind == Assign {
		p.advance()
		p.advance()
		e.Priority = p.expr()
		p.expect(Colon)
	}
	e.Set = p.set()
	if _, isType := e.Set.(*TypeExpr); isType {
		p.errorf(e.Set.Pos(), diag.Syntax, "a type cannot be the key of an entry")
	}
	p.expect(Colon)
	e.Action = p.actionRef()
	e.Annots = append(e.Annots, p.annotations()...)
	p.expect(Semi)
	return e
}
