package gen

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// cType is the C type of a number of w bits.
func cType(w int) string { return fmt.Sprintf("u%d", 8*cSize(w)) }

// literal writes a constant so that C gives it the type it needs.
func literal(v *big.Int, w int) string {
	s := "0x" + v.Text(16)
	if v.IsUint64() && v.Uint64() < 10 {
		s = v.Text(10)
	}
	if w > 32 {
		s += "ULL"
	}
	return s
}

// number is a literal, or the name of the program's constant that stands there in the source.
func (d *Description) number(v *big.Int, w int, name string) string {
	if name == "" || reserved(name) {
		return literal(v, w)
	}
	if d.constants == nil {
		d.constants = map[string]string{}
	}
	text := literal(v, w)
	if old, there := d.constants[name]; there && old != text {
		return text // of another width
	}
	d.constants[name] = text
	return name
}

// reserved are names that the generated C and its header use themselves.
func reserved(name string) bool {
	return strings.ToUpper(name) != name || strings.HasPrefix(name, "_") || strings.HasPrefix(name, "XDP_") ||
		strings.HasPrefix(name, "BPF_") || strings.HasPrefix(name, "P4_") ||
		slices.Contains([]string{"INLINE", "GLOBAL", "ELEMENT", "READ_ONCE", "WRITE_ONCE", "SEC", "NULL"}, name)
}

// defineConstants says what the constants are that the C names.
func defineConstants(o *writer, d *Description) {
	if len(d.constants) == 0 {
		return
	}
	o.line("/* Constants of the program. */")
	for _, name := range slices.Sorted(maps.Keys(d.constants)) {
		o.line("#define %s %s", name, d.constants[name])
	}
	o.line("")
}

func maskOf(w int) string {
	m := new(big.Int).Lsh(big.NewInt(1), uint(w))
	return literal(m.Sub(m, big.NewInt(1)), w)
}

// narrow brings the value of a C expression back into w bits.
func narrow(s string, w int) string {
	switch w {
	case 8, 16, 32, 64:
		return fmt.Sprintf("(%s)%s", cType(w), s)
	}
	return fmt.Sprintf("((%s)%s & %s)", cType(w), s, maskOf(w))
}

// signed makes a C expression of w bits a signed number.
func signed(s string, w int) string {
	switch w {
	case 8, 16, 32, 64:
		return fmt.Sprintf("(s%d)%s", w, s)
	}
	return fmt.Sprintf("((s64)((u64)%s << %d) >> %d)", s, 64-w, 64-w)
}

// expr returns C for an expression: an unsigned number in [0, 2^W). It records
// the first construct that cannot be said.
func (g *gress) expr(e ir.Expr) string {
	w := e.Type().Width
	if w > 64 {
		g.fail(exprPos(e), "value of %d bits (at most 64 on XDP)", w)
		return "0"
	}
	switch e := e.(type) {
	case *ir.Const:
		return g.d.number(e.Value, w, e.Name)
	case *ir.Ref:
		return g.read(e.Var)
	case *ir.IsValid:
		return "!!" + g.valid(e.Header)
	case *ir.Unary:
		x := g.expr(e.X)
		switch e.Op {
		case ir.Neg:
			return narrow("(0 - "+x+")", w)
		case ir.Com:
			return narrow("(~"+x+")", w)
		case ir.Not:
			return "(!" + x + ")"
		}
		g.fail(ir.Pos{}, "operator %s", e.Op)
	case *ir.Binary:
		return g.binary(e)
	case *ir.Cast:
		if isWide(e.X.Type().Width) {
			return fmt.Sprintf("(%s)%s", cType(w), g.bitsAt(e.X, 0, w))
		}
		from, x := e.X.Type(), g.expr(e.X)
		switch {
		case w == from.Width:
			return x
		case w < from.Width:
			return narrow(x, w)
		case from.Signed():
			return narrow(signed(x, from.Width), w)
		}
		return fmt.Sprintf("(%s)%s", cType(w), x)
	case *ir.Slice:
		if isWide(e.X.Type().Width) {
			return fmt.Sprintf("(%s)%s", cType(w), g.bitsAt(e.X, e.Lo, w))
		}
		x := g.expr(e.X)
		if e.Lo != 0 {
			x = fmt.Sprintf("(%s >> %d)", x, e.Lo)
		}
		if e.Hi == e.X.Type().Width-1 && e.Lo > 0 && cSize(w) == cSize(e.X.Type().Width) {
			return x
		}
		return narrow(x, w)
	case *ir.Cell:
		return "s->cell"
	case *ir.Mux:
		if x, y, ok := g.minimum(e); ok {
			if w := e.Type().Width; e.Type().Signed() {
				return narrow(fmt.Sprintf("least_signed(%s, %s)", signed(x, w), signed(y, w)), w)
			}
			return fmt.Sprintf("least(%s, %s)", x, y)
		}
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(e.Cond), g.expr(e.X), g.expr(e.Y))
	}
	g.fail(exprPos(e), "expression %T", e)
	return "0"
}

// minimum recognises x < y ? x : y, of variables of at most 31 bits, or 32 with a sign.
func (g *gress) minimum(e *ir.Mux) (x, y string, ok bool) {
	cond, isBinary := e.Cond.(*ir.Binary)
	most := 31
	if e.Type().Signed() {
		most = 32
	}
	if !isBinary || cond.Op != ir.Lt && cond.Op != ir.Le || e.Type().Width > most {
		return "", "", false
	}
	var vars [4]*ir.Var
	for i, o := range []ir.Expr{cond.X, cond.Y, e.X, e.Y} {
		ref, isRef := o.(*ir.Ref)
		if !isRef {
			return "", "", false
		}
		vars[i] = ref.Var
	}
	if vars[0] != vars[2] || vars[1] != vars[3] {
		return "", "", false
	}
	return g.read(vars[0]), g.read(vars[1]), true
}

func (g *gress) binary(e *ir.Binary) string {
	if isWide(e.X.Type().Width) {
		return g.wideCompare(e)
	}
	x, y := g.expr(e.X), g.expr(e.Y)
	w, opw := e.T.Width, e.X.Type().Width
	sgn := e.X.Type().Signed()
	wide := func(s string) string {
		if opw > 32 {
			return "(u64)" + s
		}
		return s
	}
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul:
		return narrow(fmt.Sprintf("(%s %s %s)", wide(x), e.Op, y), w)
	case ir.And, ir.Or, ir.Xor:
		return fmt.Sprintf("(%s %s %s)", x, e.Op, y)
	case ir.LAnd, ir.LOr:
		return fmt.Sprintf("(%s %s %s)", x, e.Op, y)
	case ir.Eq, ir.Ne:
		return fmt.Sprintf("(%s %s %s)", x, e.Op, y)
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if sgn {
			x, y = signed(x, opw), signed(y, opw)
		}
		return fmt.Sprintf("(%s %s %s)", x, e.Op, y)
	case ir.Div, ir.Mod:
		if sgn {
			g.fail(e.Pos, "signed division")
			return "0"
		}
		// A divisor of zero gives zero, and x %% 0 is x, as BPF has it.
		return narrow(fmt.Sprintf("(%s %s %s)", wide(x), e.Op, y), w)
	case ir.Shl:
		if c, ok := e.Y.(*ir.Const); ok {
			if !c.Value.IsUint64() || c.Value.Uint64() >= uint64(w) {
				return "0"
			}
			return narrow(fmt.Sprintf("((%s)%s << %s)", cType(max(w, 32)), x, y), w)
		}
		return fmt.Sprintf("(%s < %d ? %s : 0)", y, w, narrow(fmt.Sprintf("((u64)%s << %s)", x, y), w))
	case ir.Shr:
		if sgn {
			x = signed(x, w)
		}
		if c, ok := e.Y.(*ir.Const); ok {
			if !c.Value.IsUint64() || c.Value.Uint64() >= uint64(w) {
				if !sgn {
					return "0"
				}
				y = fmt.Sprint(w - 1)
			}
			return narrow(fmt.Sprintf("(%s >> %s)", x, y), w)
		}
		if sgn {
			return narrow(fmt.Sprintf("(%s >> (%s < %d ? %s : %d))", x, y, w, y, w-1), w)
		}
		return fmt.Sprintf("(%s < %d ? %s : 0)", y, w, narrow(fmt.Sprintf("((u64)%s >> %s)", x, y), w))
	case ir.Concat:
		return fmt.Sprintf("((%s)%s << %d | %s)", cType(max(w, 32)), x, e.Y.Type().Width, y)
	case ir.AddSat, ir.SubSat:
		return g.saturating(e, x, y)
	}
	g.fail(e.Pos, "operator %s", e.Op)
	return "0"
}

// saturating writes |+| and |-|; both are done in 64 bits.
func (g *gress) saturating(e *ir.Binary, x, y string) string {
	w := e.T.Width
	if w > 63 {
		g.fail(e.Pos, "operator %s on %s (at most 63 bits)", e.Op, e.T)
		return "0"
	}
	if e.T.Signed() {
		op := "+"
		if e.Op == ir.SubSat {
			op = "-"
		}
		return narrow(fmt.Sprintf("within((s64)%s %s %s, %d)", signed(x, w), op, signed(y, w), w), w)
	}
	if e.Op == ir.SubSat {
		return fmt.Sprintf("(%s > %s ? %s : 0)", x, y, narrow(fmt.Sprintf("(%s - %s)", x, y), w))
	}
	return fmt.Sprintf("((u64)%s + %s > %s ? %s : %s)", x, y, maskOf(w), maskOf(w), narrow(fmt.Sprintf("(%s + %s)", x, y), w))
}

// cond is an expression as a condition: without the outermost parentheses.
func (g *gress) cond(e ir.Expr) string {
	s := g.expr(e)
	if len(s) < 2 || s[0] != '(' {
		return s
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return s // the first parenthesis closes before the end
		}
	}
	return s[1 : len(s)-1]
}

// varsOf are the variables that an expression reads, each once.
func varsOf(e ir.Expr) []*ir.Var {
	var out []*ir.Var
	ir.Vars(e, func(v *ir.Var) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	})
	return out
}

func exprPos(e ir.Expr) ir.Pos {
	switch e := e.(type) {
	case *ir.Binary:
		return e.Pos
	case *ir.Ref:
		return e.Var.Pos
	case *ir.Cast:
		return exprPos(e.X)
	case *ir.Slice:
		return exprPos(e.X)
	}
	return ir.Pos{}
}
