package syntax

import (
	"github.com/p4ce/p4ce/p4/lang/diag"
)

// Bounds on the shape of the tree, so that later phases may recurse over it.
const (
	maxDepth = 600
	maxChain = 4096 // operators or selectors in a row
	maxTrial = 4    // speculative parses inside speculative parses
)

// Parse reads the tokens of a program. It always returns a tree; what could
// not be read is missing from it and reported.
func Parse(toks []Token, diags *diag.List) *Program {
	clean := make([]Token, 0, len(toks))
	for _, t := range toks {
		if t.Kind == Illegal {
			diags.Errorf(t.Pos, t.ErrCode, "%s", t.Err)
			continue
		}
		if t.Kind == Name {
			if k, ok := keywords[t.Text]; ok {
				t.Kind = k
			}
		}
		clean = append(clean, t)
	}
	if len(clean) == 0 || clean[len(clean)-1].Kind != EOF {
		clean = append(clean, Token{Kind: EOF})
	}
	p := &parser{toks: clean, diags: diags, scopes: []map[string]bool{{"list": true}}}
	return p.program()
}

type parser struct {
	toks  []Token
	i     int
	diags *diag.List
	// quiet suppresses errors between a syntax error and the next place where
	// parsing can resume.
	quiet bool
	errAt int // index of the token at which the last error was reported
	// trial counts the speculative parses under way; they report nothing.
	trial  int
	failed bool // a speculative parse met an error
	depth  int
	// scopes tells names of types (true) from names of values, innermost last:
	// the grammar needs it for casts and type arguments.
	scopes []map[string]bool
}

func (p *parser) tok() Token { return p.toks[p.i] }

func (p *parser) peek(n int) Token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) at(k Kind) bool { return p.toks[p.i].Kind == k }

func (p *parser) advance() Token {
	t := p.toks[p.i]
	if p.i < len(p.toks)-1 {
		p.i++
	}
	return t
}

func (p *parser) got(k Kind) bool {
	if p.at(k) {
		p.advance()
		return true
	}
	return false
}

func (p *parser) errorf(pos diag.Pos, c diag.Code, format string, args ...any) {
	p.failed = true
	if p.quiet || p.trial > 0 {
		return
	}
	p.quiet, p.errAt = true, p.i
	p.diags.Errorf(pos, c, format, args...)
}

// expected reports that something else than what was found should be here.
func (p *parser) expected(what string) {
	p.errorf(p.tok().Pos, diag.Syntax, "expected %s, found %s", what, p.tok().describe())
}

func (p *parser) expect(k Kind) Token {
	if p.at(k) {
		return p.advance()
	}
	if k == Semi && p.i > 0 {
		// A missing semicolon is best shown where it belongs: behind the
		// token before.
		prev := p.toks[p.i-1]
		if prev.Pos.File == p.tok().Pos.File && prev.Pos.Line < p.tok().Pos.Line && prev.Pos.Macro == nil {
			pos := prev.Pos
			pos.Col += int32(len(prev.source()))
			p.errorf(pos, diag.Syntax, "expected ';' after %s", prev.describe())
			if p.trial == 0 && p.errAt == p.i {
				p.quiet = false // as if it were there
			}
			return p.tok()
		}
	}
	p.expected("'" + k.String() + "'")
	return p.tok()
}

// enter guards a recursive production; leave must be deferred when it is true.
func (p *parser) enter() bool {
	if p.depth >= maxDepth {
		p.errorf(p.tok().Pos, diag.TooDeep, "nested too deep (more than %d levels)", maxDepth)
		p.quiet = true
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// try runs a speculative parse: it moves on only when f succeeds and ok says
// so.
func (p *parser) try(f func() bool) bool {
	if p.trial >= maxTrial {
		return false // each level may double the work
	}
	i, quiet, failed, depth := p.i, p.quiet, p.failed, p.depth
	p.trial++
	p.failed = false
	ok := f() && !p.failed
	p.trial--
	p.quiet, p.failed, p.depth = quiet, failed, depth
	if !ok {
		p.i = i
	}
	return ok
}

// Scopes of type names.

func (p *parser) push() { p.scopes = append(p.scopes, map[string]bool{}) }
func (p *parser) pop()  { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) declare(id *Ident, isType bool) {
	if id != nil && p.trial == 0 {
		p.scopes[len(p.scopes)-1][id.Name] = isType
	}
}

func (p *parser) declareTypes(ids []*Ident) {
	for _, id := range ids {
		p.declare(id, true)
	}
}

func (p *parser) isType(name string) bool {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if t, ok := p.scopes[i][name]; ok {
			return t
		}
	}
	return false
}

func (p *parser) isName() bool {
	k := p.tok().Kind
	return k == Name || k.contextual()
}

// ident reads a name; a missing one is reported and made up.
func (p *parser) ident(what string) *Ident {
	t := p.tok()
	if p.isName() && !p.quiet {
		p.advance()
		return &Ident{Name: t.Text, At: t.Pos}
	}
	p.expected(what)
	return &Ident{At: t.Pos}
}

// skipTo moves to the next token where a statement or declaration can start:
// behind a ';' or '}' of this level, or before a '}' that closes it.
func (p *parser) skipTo() {
	p.quiet = false
	if p.i > p.errAt && (p.toks[p.i-1].Kind == Semi || p.toks[p.i-1].Kind == RBrace) {
		return // the end of what had the error has been read already
	}
	level := 0
	for {
		switch p.tok().Kind {
		case EOF:
			return
		case LBrace:
			level++
		case RBrace:
			if level == 0 {
				return
			}
			if level--; level == 0 {
				p.advance()
				if p.at(Name) && p.peek(1).Kind == Semi {
					p.advance() // struct s { … } x;
				}
				p.got(Semi)
				return
			}
		case Semi:
			if level == 0 {
				p.advance()
				return
			}
		}
		p.advance()
	}
}

// items parses a list up to the closing brace, with recovery in each item.
func (p *parser) items(item func()) diag.Pos {
	for !p.at(RBrace) && !p.at(EOF) {
		start := p.i
		item()
		if p.quiet {
			p.skipTo()
		}
		if p.i == start {
			// Nothing was consumed: a token that nobody wants.
			if !p.at(RBrace) {
				p.expected("a declaration or statement")
				p.quiet = false
				p.advance()
			}
		}
	}
	return p.expect(RBrace).Pos
}

func (p *parser) program() *Program {
	prog := &Program{}
	for !p.at(EOF) {
		start := p.i
		if p.got(Semi) {
			continue
		}
		if d := p.topDecl(); d != nil {
			prog.Decls = append(prog.Decls, d)
		}
		if p.quiet {
			p.skipTo()
		}
		if p.i == start {
			p.errorf(p.tok().Pos, diag.Syntax, "expected a declaration, found %s", p.tok().describe())
			p.quiet = false
			p.advance()
		}
		p.scopes = p.scopes[:1]
	}
	return prog
}

// annotations reads the annotations in front of a declaration.
func (p *parser) annotations() Annotations {
	var as Annotations
	for p.at(At) {
		at := p.advance()
		a := &Annotation{}
		a.At = at.Pos
		t := p.tok()
		if t.Kind != Name && t.Kind < firstKeyword {
			p.expected("the name of an annotation")
			return as
		}
		p.advance()
		a.Name = t.Text
		if a.Name == "pragma" {
			// The rest of the line is the pragma: its name, then its text.
			for !p.at(EOF) && !p.tok().BOL {
				a.Tokens = append(a.Tokens, p.advance())
			}
			if len(a.Tokens) == 0 {
				p.errorf(at.Pos, diag.Syntax, "@pragma without a name")
				return as
			}
			a.Name, a.Tokens = a.Tokens[0].Text, a.Tokens[1:]
			a.HasBody = len(a.Tokens) > 0
			as = append(as, a)
			continue
		}
		open := p.tok().Kind
		if open == LParen || open == LBrack {
			a.HasBody, a.Structured = true, open == LBrack
			p.advance()
			depth := 0
			for depth > 0 || !p.at(RParen) && !p.at(RBrack) {
				switch p.tok().Kind {
				case EOF:
					p.errorf(a.At, diag.Syntax, "annotation @%s is not closed", a.Name)
					return as
				case LParen, LBrack, LBrace:
					depth++
				case RParen, RBrack, RBrace:
					depth--
				}
				a.Tokens = append(a.Tokens, p.advance())
			}
			if a.Structured {
				p.expect(RBrack)
			} else {
				p.expect(RParen)
			}
		}
		as = append(as, a)
	}
	return as
}

// Types.

// startsType tells whether the token begins a type, going by its kind and the
// names declared so far.
func (p *parser) startsType() bool {
	switch t := p.tok(); t.Kind {
	case KwBit, KwBool, KwError, KwInt, KwString, KwTuple, KwVarbit, KwVoid, KwMatchKind:
		return true
	case Name, KwType, KwState, KwKey, KwApply, KwActions, KwEntries, KwPriority:
		return p.isType(t.Text)
	case Dot:
		return p.peek(1).Kind == Name && p.scopes[0][p.peek(1).Text]
	}
	return false
}

func (p *parser) typ() TypeNode {
	if !p.enter() {
		return &DontCareType{}
	}
	defer p.leave()
	t := p.tok()
	var res TypeNode
	switch t.Kind {
	case KwBool, KwError, KwString, KwMatchKind, KwVoid:
		p.advance()
		res = &BaseType{node: node{t.Pos}, Kind: t.Kind}
	case KwBit, KwInt, KwVarbit:
		p.advance()
		b := &BaseType{node: node{t.Pos}, Kind: t.Kind}
		if p.got(Less) {
			// Sums at most: a '>' ends the type.
			b.Width = p.binary(precedence[Plus])
			p.expect(Greater)
		}
		res = b
	case KwTuple:
		p.advance()
		tt := &TupleType{node: node{t.Pos}}
		p.expect(Less)
		tt.Args = p.typeArgList()
		res = tt
	case KwUnderscore:
		p.advance()
		return &DontCareType{node{t.Pos}}
	case Dot:
		p.advance()
		id := p.ident("a type")
		res = &NamedType{node: node{t.Pos}, Name: id.Name, Global: true, Args: p.optTypeArgs()}
	default:
		if !p.isName() {
			p.expected("a type")
			return &DontCareType{node{t.Pos}}
		}
		p.advance()
		res = &NamedType{node: node{t.Pos}, Name: t.Text, Args: p.optTypeArgs()}
	}
	for p.at(LBrack) {
		at := p.advance()
		s := &StackType{node: node{at.Pos}, Elem: res}
		s.Size = p.expr()
		p.expect(RBrack)
		res = s
	}
	return res
}

func (p *parser) optTypeArgs() []TypeNode {
	if !p.got(Less) {
		return nil
	}
	return p.typeArgList()
}

// typeArgList reads up to and with the closing '>'.
func (p *parser) typeArgList() []TypeNode {
	var as []TypeNode
	for !p.at(Greater) {
		as = append(as, p.typ())
		if !p.got(Comma) {
			break
		}
	}
	p.expect(Greater)
	return as
}

func (p *parser) optTypeParams() []*Ident {
	if !p.got(Less) {
		return nil
	}
	var ids []*Ident
	for {
		ids = append(ids, p.ident("a type parameter"))
		if !p.got(Comma) {
			break
		}
	}
	p.expect(Greater)
	p.declareTypes(ids)
	return ids
}
