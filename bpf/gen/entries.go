package gen

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// keyBits is how many bits of all keys the constant entries look at.
func (t *Table) keyBits() int {
	n := 0
	for i := range t.Table.Keys {
		_, width := t.looksAt(i)
		n += width
	}
	return n
}

// looksAt is what bits of key i the constant entries look at: width bits from low on. No entry
// tells keys apart that differ in other bits only: of a number that is matched by its sign, one bit
// is left.
func (t *Table) looksAt(i int) (low, width int) {
	k := t.Table.Keys[i]
	if k.Match != ir.Ternary {
		return 0, k.Width
	}
	mask := new(big.Int)
	for _, e := range t.Table.Entries {
		switch ks := e.Keys[i]; {
		case ks.Any:
		case ks.Range || ks.Mask == nil:
			return 0, k.Width
		default:
			mask.Or(mask, ks.Mask)
		}
	}
	if mask.Sign() == 0 {
		return 0, 0
	}
	low = int(mask.TrailingZeroBits())
	return low, mask.BitLen() - low
}

// indexed reports whether a table with constant entries becomes an array that
// its key indexes; otherwise its entries are compared one by one.
func (t *Table) indexed() bool {
	if t.Kind != TableConst || len(t.Table.Entries) <= 4 {
		return false
	}
	for _, k := range t.Table.Keys {
		if isWide(k.Width) {
			return false
		}
	}
	return t.keyBits() <= maxIndexBits
}

// uniform reports whether all entries of a table with a constant index run one
// action, and every key has an entry.
func (t *Table) uniform() bool {
	a := t.Table.Entries[0].Action.Action
	for _, e := range t.Table.Entries {
		if e.Action.Action != a {
			return false
		}
	}
	return len(t.Table.Entries) == 1<<t.keyBits() && len(t.Table.Keys) == 1 && t.Table.Keys[0].Match == ir.Exact
}

// callNumber is the number of the first entry with the same action and
// arguments.
func (t *Table) callNumber(n int) int {
	for i, e := range t.Table.Entries[:n] {
		if sameCall(e.Action, t.Table.Entries[n].Action) {
			return i
		}
	}
	return n
}

func sameCall(a, b ir.ActionCall) bool {
	if a.Action != b.Action || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if a.Args[i].Cmp(b.Args[i]) != 0 {
			return false
		}
	}
	return true
}

// constEntryCovers reports whether an entry matches the key.
func constEntryCovers(e *ir.Entry, key []uint64) bool {
	for i, ks := range e.Keys {
		switch {
		case ks.Any:
		case ks.Range:
			if key[i] < ks.Value.Uint64() || key[i] > ks.Mask.Uint64() {
				return false
			}
		default:
			m := ^uint64(0)
			if ks.Mask != nil {
				m = ks.Mask.Uint64()
			}
			if key[i]&m != ks.Value.Uint64()&m {
				return false
			}
		}
	}
	return true
}

func (g *gress) constTable(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	if len(t.Entries) == 0 {
		g.constMiss(t)
		return
	}
	if !d.indexed() {
		for _, e := range t.Entries {
			cond := g.covers(t, e)
			if cond == "" { // nothing behind it is reached
				g.runCall(t, e.Action, "HIT | ")
				return
			}
			o.open("if (%s) {%s", cond, at(e.Pos))
			g.runCall(t, e.Action, "HIT | ")
			o.close("}")
		}
		g.constMiss(t)
		return
	}
	o.line("u32 key = %s;%s", g.indexKey(t), at(t.Keys[0].Pos))
	if d.uniform() {
		a := t.Entries[0].Action.Action
		args := ""
		for i := range a.Params {
			args += fmt.Sprintf(", %s(key)", d.args[i])
		}
		g.runAction(t, a, args)
		o.line("return HIT | %s;", d.actionConst(a))
		return
	}
	// The verifier shall not tell keys apart: the paths that lead here stay one.
	o.open("switch (%s(opaque(s->length, key))) {", d.lookup)
	done := map[int]bool{}
	for n, e := range t.Entries {
		c := d.callNumber(n)
		if done[c] {
			continue
		}
		done[c] = true
		o.line("case %s:%s", d.calls[n], at(e.Pos))
		o.depth++
		g.runCall(t, e.Action, "HIT | ")
		o.depth--
	}
	o.close("}")
	g.constMiss(t)
}

func (g *gress) constMiss(t *ir.Table) {
	if t.ConstDefault {
		g.runCall(t, t.Default, "")
		return
	}
	g.runValue(t, "0")
}

// covers is the condition under which a constant entry matches; "" is always. Bits
// of one number of the state are compared together.
func (g *gress) covers(t *ir.Table, e *ir.Entry) string {
	cond := ""
	and := func(s string) {
		if cond != "" {
			cond += " && "
		}
		cond += s
	}
	type bits struct{ mask, value uint32 }
	numbers := map[string]*bits{}
	var order []string
	for i, ks := range e.Keys {
		k := t.Keys[i]
		if isWide(k.Width) {
			if cond := g.coversWide(k.Expr, ks, k.Pos); cond != "" {
				and(cond)
			}
			continue
		}
		x := g.expr(k.Expr)
		ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(k.Width)), big.NewInt(1))
		switch exact := ks.Mask == nil || ks.Mask.Cmp(ones) == 0; {
		case ks.Any:
		case ks.Range:
			and(fmt.Sprintf("%s >= %s && %s <= %s", x, literal(ks.Value, k.Width), x, literal(ks.Mask, k.Width)))
		case exact && g.bitKey(k) != nil:
			v := g.bitKey(k)
			number := g.bitsOf[v]
			if numbers[number] == nil {
				numbers[number] = &bits{}
				order = append(order, number)
			}
			numbers[number].mask |= 1 << g.bitAt[v]
			numbers[number].value |= uint32(ks.Value.Uint64()) << g.bitAt[v]
		case exact:
			and(fmt.Sprintf("%s == %s", x, g.d.number(ks.Value, k.Width, ks.Name)))
		default:
			and(fmt.Sprintf("(%s & %s) == %s", x, literal(ks.Mask, k.Width), literal(new(big.Int).And(ks.Value, ks.Mask), k.Width)))
		}
	}
	for _, number := range order {
		b := numbers[number]
		and(fmt.Sprintf("(s->%s & %#x) == %#x", number, b.mask, b.value))
	}
	return cond
}

// indexKey is the concatenation of a table's keys. Bits that lie side by side in
// one number of the state are taken from it together.
func (g *gress) indexKey(t *ir.Table) string {
	var parts []string
	left := g.d.tables[t].keyBits()
	for i := 0; i < len(t.Keys); {
		n, low := 1, 0
		bits := g.bitKey(t.Keys[i])
		shift, width := g.d.tables[t].looksAt(i)
		if width == 0 {
			i++
			continue
		}
		if bits != nil {
			for i+n < len(t.Keys) {
				next := g.bitKey(t.Keys[i+n])
				if _, w := g.d.tables[t].looksAt(i + n); w == 0 || next == nil || g.bitsOf[next] != g.bitsOf[bits] || g.bitAt[next] != g.bitAt[bits]-n {
					break
				}
				n++
			}
			low = g.bitAt[bits] - n + 1
		}
		var x string
		if n > 1 {
			x = fmt.Sprintf("(s->%s >> %d & %s)", g.bitsOf[bits], low, maskOf(n))
			left -= n
		} else {
			x = g.expr(t.Keys[i].Expr)
			if shift > 0 {
				x = fmt.Sprintf("(%s >> %d)", x, shift)
			}
			x = "(u32)" + x
			if shift+width < t.Keys[i].Width {
				x = fmt.Sprintf("(%s & %s)", x, maskOf(width))
			}
			left -= width
		}
		if left > 0 {
			x += fmt.Sprintf(" << %d", left)
		}
		parts = append(parts, x)
		i += n
	}
	return strings.Join(parts, " | ")
}

// bitKey is the variable of a key that is a bit of a number of the state, or nil.
func (g *gress) bitKey(k *ir.Key) *ir.Var {
	if ref, ok := k.Expr.(*ir.Ref); ok && g.bitsOf[ref.Var] != "" {
		return ref.Var
	}
	return nil
}
