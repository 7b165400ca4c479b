package dataplane

import (
	"fmt"
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// ProgramEntry is an entry of the program text as the control plane would write it.
func ProgramEntry(t *ir.Table, e *ir.Entry) *Entry {
	out := &Entry{Table: t, Priority: int32(e.Priority), Action: ProgramAction(e.Action)}
	for i, ks := range e.Keys {
		out.Matches = append(out.Matches, programMatch(ks, t.Keys[i]))
	}
	return out
}

// ProgramAction is an action call of the program text.
func ProgramAction(c ir.ActionCall) Action {
	a := Action{Action: c.Action}
	for i, v := range c.Args {
		a.Args = append(a.Args, fixed(v, c.Action.Params[i].Type.Width))
	}
	return a
}

func fixed(v *big.Int, w int) []byte { return v.FillBytes(make([]byte, (w+7)/8)) }

func programMatch(ks ir.KeySet, k *ir.Key) Match {
	ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(k.Width)), big.NewInt(1))
	value, mask := ks.Value, ks.Mask
	switch {
	case ks.Any:
		value, mask = new(big.Int), new(big.Int)
		if k.Match == ir.Range {
			mask = ones
		}
	case ks.Range:
	case k.Match == ir.Range: // a single value
		mask = value
	default:
		if mask == nil {
			mask = ones
		}
		value = new(big.Int).And(value, mask)
	}
	m := Match{Value: fixed(value, k.Width)}
	switch k.Match {
	case ir.Exact:
	case ir.LPM:
		for m.PrefixLen < k.Width && mask.Bit(k.Width-1-m.PrefixLen) == 1 {
			m.PrefixLen++
		}
	default:
		m.Mask = fixed(mask, k.Width)
	}
	return m
}

// ID is equal for two entries of a table that have the same priority and the same matches, as far
// as their kinds matter.
func (e *Entry) ID() string {
	id := fmt.Appendf(nil, "%d", e.Priority)
	for i, m := range e.Matches {
		switch e.Table.Keys[i].Match {
		case ir.Exact:
			id = fmt.Appendf(id, "/%x", m.Value)
		case ir.LPM:
			id = fmt.Appendf(id, "/%x+%d", m.Value, m.PrefixLen)
		default:
			id = fmt.Appendf(id, "/%x&%x", m.Value, m.Mask)
		}
	}
	return string(id)
}
