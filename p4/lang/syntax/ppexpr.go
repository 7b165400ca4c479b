package syntax

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

// condition evaluates #if, #elif, #ifdef, #ifndef.
func (p *preprocessor) condition(name Token, rest []Token) bool {
	if name.Text == "ifdef" || name.Text == "ifndef" {
		if len(rest) != 1 || rest[0].Kind != Name {
			p.diags.Errorf(name.Pos, diag.IfExpr, "#%s needs one name", name.Text)
			return false
		}
		return (p.macros[rest[0].Text] != nil) == (name.Text == "ifdef")
	}
	if len(rest) == 0 {
		p.diags.Errorf(name.Pos, diag.IfExpr, "#%s needs an expression", name.Text)
		return false
	}
	// defined() is answered before expansion.
	var ts []Token
	for i := 0; i < len(rest); i++ {
		if rest[i].Kind == Name && rest[i].Text == "defined" {
			n, used := Token{}, 0
			switch {
			case i+1 < len(rest) && rest[i+1].Kind == Name:
				n, used = rest[i+1], 1
			case i+3 < len(rest) && rest[i+1].Kind == LParen && rest[i+2].Kind == Name && rest[i+3].Kind == RParen:
				n, used = rest[i+2], 3
			default:
				p.diags.Errorf(rest[i].Pos, diag.IfExpr, "'defined' needs a name")
				return false
			}
			t := Token{Kind: Number, Text: "0", Pos: rest[i].Pos}
			if p.macros[n.Text] != nil {
				t.Text = "1"
			}
			ts = append(ts, t)
			i += used
			continue
		}
		ts = append(ts, rest[i])
	}
	ts = p.expand(ts)
	e := ifExpr{p: p, ts: append(ts, Token{Kind: EOF, Pos: name.Pos})}
	v := e.ternary(true)
	if !e.failed && e.ts[e.i].Kind != EOF {
		e.fail(e.ts[e.i].Pos, "unexpected "+e.ts[e.i].describe()+" in #if expression")
	}
	return !e.failed && v.Sign() != 0
}

type ifExpr struct {
	p      *preprocessor
	ts     []Token
	i      int
	depth  int
	failed bool
}

func (e *ifExpr) fail(pos diag.Pos, msg string) {
	if !e.failed {
		e.failed = true
		e.p.diags.Errorf(pos, diag.IfExpr, "%s", msg)
	}
}

func (e *ifExpr) next() Token {
	t := e.ts[e.i]
	if e.i < len(e.ts)-1 {
		e.i++
	}
	return t
}

func (e *ifExpr) ternary(live bool) *big.Int {
	c := e.binary(0, live)
	if e.failed || e.ts[e.i].Kind != Question {
		return c
	}
	if e.depth++; e.depth > maxDepth {
		e.fail(e.ts[e.i].Pos, "#if expression nests too deep")
		return c
	}
	defer func() { e.depth-- }()
	e.next()
	a := e.ternary(live && c.Sign() != 0)
	if t := e.next(); t.Kind != Colon {
		e.fail(t.Pos, "expected ':' in #if expression, found "+t.describe())
	}
	b := e.ternary(live && c.Sign() == 0)
	if c.Sign() != 0 {
		return a
	}
	return b
}

// ifOps are the binary operators by precedence, loosest first.
var ifOps = [][]Kind{
	{OrOr}, {AndAnd}, {Or}, {Xor}, {And}, {EqEq, NotEq}, {Less, Greater, LessEq, GreaterEq},
	{Shl}, {Plus, Minus}, {Star, Slash, Percent},
}

func (e *ifExpr) op(level int) (Token, bool) {
	t := e.ts[e.i]
	for _, k := range ifOps[level] {
		if t.Kind == k {
			// ">>" reaches us as two tokens.
			if k == Greater && e.i+1 < len(e.ts) && e.ts[e.i+1].Kind == Greater && !e.ts[e.i+1].Space {
				return t, false
			}
			return t, true
		}
	}
	if ifOps[level][0] == Shl && t.Kind == Greater && e.i+1 < len(e.ts) && e.ts[e.i+1].Kind == Greater && !e.ts[e.i+1].Space {
		return t, true
	}
	return t, false
}

func (e *ifExpr) binary(level int, live bool) *big.Int {
	if level == len(ifOps) {
		return e.unary(live)
	}
	l := e.binary(level+1, live)
	for !e.failed {
		t, ok := e.op(level)
		if !ok {
			return l
		}
		e.next()
		shr := false
		if ifOps[level][0] == Shl && t.Kind == Greater {
			e.next()
			shr = true
		}
		sub := live
		if t.Kind == AndAnd {
			sub = live && l.Sign() != 0
		} else if t.Kind == OrOr {
			sub = live && l.Sign() == 0
		}
		r := e.binary(level+1, sub)
		if e.failed {
			return l
		}
		l = e.apply(t, shr, l, r, live)
	}
	return l
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

func (e *ifExpr) apply(t Token, shr bool, l, r *big.Int, live bool) *big.Int {
	z := new(big.Int)
	if shr || t.Kind == Shl {
		if !r.IsUint64() || r.Uint64() > 4096 || l.BitLen() > 1<<16 {
			if live {
				e.fail(t.Pos, "shift distance out of range in #if expression")
			}
			return z
		}
		if shr {
			return z.Rsh(l, uint(r.Uint64()))
		}
		return z.Lsh(l, uint(r.Uint64()))
	}
	switch t.Kind {
	case OrOr:
		return truth(l.Sign() != 0 || r.Sign() != 0)
	case AndAnd:
		return truth(l.Sign() != 0 && r.Sign() != 0)
	case Or:
		return z.Or(l, r)
	case Xor:
		return z.Xor(l, r)
	case And:
		return z.And(l, r)
	case EqEq:
		return truth(l.Cmp(r) == 0)
	case NotEq:
		return truth(l.Cmp(r) != 0)
	case Less:
		return truth(l.Cmp(r) < 0)
	case Greater:
		return truth(l.Cmp(r) > 0)
	case LessEq:
		return truth(l.Cmp(r) <= 0)
	case GreaterEq:
		return truth(l.Cmp(r) >= 0)
	case Plus:
		return z.Add(l, r)
	case Minus:
		return z.Sub(l, r)
	case Star:
		if l.BitLen()+r.BitLen() > 1<<16 {
			e.fail(t.Pos, "number too large in #if expression")
			return z
		}
		return z.Mul(l, r)
	}
	if r.Sign() == 0 {
		if live {
			e.fail(t.Pos, "division by zero in #if expression")
		}
		return z
	}
	if t.Kind == Slash {
		return z.Quo(l, r)
	}
	return z.Rem(l, r)
}

func (e *ifExpr) unary(live bool) *big.Int {
	if e.depth++; e.depth > maxDepth {
		e.fail(e.ts[e.i].Pos, "#if expression nests too deep")
		return new(big.Int)
	}
	defer func() { e.depth-- }()
	t := e.next()
	switch t.Kind {
	case Not:
		return truth(e.unary(live).Sign() == 0)
	case Minus:
		return new(big.Int).Neg(e.unary(live))
	case Plus:
		return e.unary(live)
	case Tilde:
		return new(big.Int).Not(e.unary(live))
	case LParen:
		v := e.ternary(live)
		if c := e.next(); c.Kind != RParen {
			e.fail(c.Pos, "expected ')' in #if expression, found "+c.describe())
		}
		return v
	case Number:
		n, err := ParseNumber(t.Text)
		if err != nil {
			e.fail(t.Pos, err.Error())
			return new(big.Int)
		}
		return n.Value
	case Name:
		// Names that are no macro are 0, as in C; true is convenient.
		return truth(t.Text == "true")
	}
	e.fail(t.Pos, "unexpected "+t.describe()+" in #if expression")
	return new(big.Int)
}
