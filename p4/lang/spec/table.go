package spec

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// applied is what came of a table.
type applied struct {
	hit    bool
	action *types.Action
}

// applyTable looks an entry up and runs its action, or the default one.
func (m *Machine) applyTable(f *frame, t *types.Table) applied {
	var keys []*cell
	for _, k := range t.Keys {
		keys = append(keys, m.eval(f, k.Decl.X))
	}
	ref := t.Default
	e := m.lookup(t, keys)
	if e != nil {
		ref = e.Action
	}
	if ref == nil {
		return applied{false, m.info.NoAction}
	}
	a := ref.Action
	m.run(f, a.Params, m.arguments(f, a.Params, ref.Args), func(in *frame) { m.block(in, a.Decl.Body) })
	return applied{e != nil, a}
}

// lookup is section 14.2.1 of the specification: of the entries that match, the one with the
// best priority, or the longest prefix.
func (m *Machine) lookup(t *types.Table, keys []*cell) *types.Entry {
	prioritised := false
	for _, k := range t.Keys {
		prioritised = prioritised || k.Match != "exact" && k.Match != "lpm"
	}
	priorities := m.priorities(t)
	matched := 0
	var best *types.Entry
	var rank *big.Int
	for i, e := range t.Entries {
		own := new(big.Int)
		matches := true
		for j, s := range e.Sets {
			ok, prefix := m.covers(keys[j], s)
			matches = matches && ok
			if t.Keys[j].Match == "lpm" {
				own.SetInt64(int64(prefix))
			}
		}
		if prioritised {
			own = priorities[i]
			if !t.LargestWins {
				own = new(big.Int).Neg(own)
			}
		}
		if matches {
			matched++
		}
		switch {
		case !matches:
		case best == nil || own.Cmp(rank) > 0:
			best, rank = e, own
		case own.Cmp(rank) == 0:
			undefined()
		}
	}
	if matched > 0 {
		m.Hits++
	}
	if matched > 1 {
		m.Contested++
	}
	return best
}

// priorities are those of the entries, and what those without one get.
func (m *Machine) priorities(t *types.Table) []*big.Int {
	var out []*big.Int
	for i, e := range t.Entries {
		p := e.Priority
		switch {
		case p != nil:
		case i == 0 && t.LargestWins:
			p = big.NewInt(int64(len(t.Entries)-1)*int64(t.Delta) + 1)
		case i == 0:
			p = big.NewInt(1)
		case t.LargestWins:
			p = new(big.Int).Sub(out[i-1], big.NewInt(int64(t.Delta)))
		default:
			p = new(big.Int).Add(out[i-1], big.NewInt(int64(t.Delta)))
		}
		out = append(out, p)
	}
	return out
}

// covers tells whether a key is in a set of values, and how many bits of it the set asks for.
func (m *Machine) covers(k *cell, set syntax.Expr) (ok bool, prefix int) {
	if k.n == nil {
		undefined()
	}
	w, _ := width(k.t)
	num := func(e syntax.Expr) *big.Int { return number(k.t, m.constant(e).n).n }
	switch s := set.(type) {
	case *syntax.Default:
		return true, 0
	case *syntax.Binary:
		switch s.Op {
		case syntax.Mask:
			mask := number(k.t, m.constant(s.Y).n).bits()
			for i := range w {
				prefix += int(mask.Bit(i))
			}
			v := number(k.t, m.constant(s.X).n).bits()
			return new(big.Int).And(k.bits(), mask).Cmp(v.And(v, mask)) == 0, prefix
		case syntax.DotDot:
			return num(s.X).Cmp(k.n) <= 0 && k.n.Cmp(num(s.Y)) <= 0, w
		}
	}
	return num(set).Cmp(k.n) == 0, w
}
