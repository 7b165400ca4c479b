package programs

import (
	"bytes"
	"math/rand/v2"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Members are random entries of the tables of a program that have action profiles: members, groups with slots, and entries that name
// them, some of them in vain. What a source of chance gives for two copies of a program is the same.
func Members(rnd *rand.Rand, prog *ir.Program) (out []*dataplane.Entry) {
	for _, p := range prog.Profiles {
		if p.Groups == nil {
			continue
		}
		for id := 1; id <= min(3, p.MaxGroups); id++ {
			size := rnd.IntN(p.GroupSize + 1)
			out = append(out, partEntry(p.Groups, p.SetSize, []int{id}, size, 0, 0))
			for slot := range min(size, 16) {
				if rnd.IntN(8) > 0 {
					out = append(out, partEntry(p.Slots, p.SetMember, []int{id, slot}, 1+rnd.IntN(6)))
				}
			}
		}
	}
	for _, t := range prog.Tables {
		in := t.Indirect
		if in == nil {
			continue
		}
		for id := 1; id <= min(5, in.Profile.Size); id++ {
			var may []*ir.Action
			for _, a := range in.Members.Actions {
				if !a.DefaultOnly {
					may = append(may, a.Action)
				}
			}
			a := may[rnd.IntN(len(may))]
			e := partEntry(in.Members, a, []int{id})
			for _, p := range a.Params {
				e.Action.Args = append(e.Action.Args, dataplane.Bytes(rnd.Uint64()&low(p.Type.Width), p.Type.Width))
			}
			out = append(out, e)
		}
		seen := map[string]bool{}
		for i := range 12 {
			act := in.ToMember
			if in.ToGroup != nil && rnd.IntN(3) > 0 {
				act = []*ir.Action{in.ToGroup, in.ToSet}[rnd.IntN(2)]
			}
			e := &dataplane.Entry{Table: t, Action: dataplane.Action{Action: act, Args: [][]byte{dataplane.Bytes(uint64(1+rnd.IntN(5)), 32)}}}
			for _, k := range t.Keys {
				e.Matches = append(e.Matches, match(rnd, k))
				if k.Match != ir.Exact && k.Match != ir.LPM {
					e.Priority = int32(1 + i)
				}
			}
			if id := e.ID(); !seen[id] {
				seen[id] = true
				out = append(out, e)
			}
		}
	}
	return out
}

func partEntry(t *ir.Table, a *ir.Action, keys []int, args ...int) *dataplane.Entry {
	e := &dataplane.Entry{Table: t, Action: dataplane.Action{Action: a}}
	for _, k := range keys {
		e.Matches = append(e.Matches, dataplane.Match{Value: dataplane.Bytes(uint64(k), 32)})
	}
	for _, x := range args {
		e.Action.Args = append(e.Action.Args, dataplane.Bytes(uint64(x), 32))
	}
	return e
}

// match is an element of a key, often of small values, or of most values.
func match(rnd *rand.Rand, k *ir.Key) dataplane.Match {
	w := k.Width
	ones := low(w) // the rest of more than 64 bits stays 0, but in masks of all bits
	v := rnd.Uint64N(8) & ones
	m := dataplane.Match{Value: dataplane.Bytes(v, w)}
	switch k.Match {
	case ir.LPM:
		m.PrefixLen = rnd.IntN(w + 1)
		if w > 64 { // the high bits are 0
			v &^= ones >> max(m.PrefixLen-(w-64), 0)
		} else {
			v &^= ones >> m.PrefixLen
		}
		m.Value = dataplane.Bytes(v&ones, w)
		m.Mask = make([]byte, len(m.Value))
	case ir.Ternary:
		mask := rnd.Uint64() & rnd.Uint64() & rnd.Uint64() & ones
		m.Value, m.Mask = dataplane.Bytes(v&mask, w), dataplane.Bytes(mask, w)
	case ir.Range:
		m.Mask = dataplane.Bytes(min(ones, v+rnd.Uint64N(ones/2+1)), w)
	case ir.Optional:
		m.Mask = all(w)
		if rnd.IntN(2) == 0 {
			m.Value, m.Mask = dataplane.Bytes(0, w), dataplane.Bytes(0, w)
		}
	}
	return m
}

// low is a number of up to 64 ones, all the low ones of a number of w bits.
func low(w int) uint64 { return ^uint64(0) >> (64 - min(w, 64)) }

// all are the bytes of a number of w bits, all ones.
func all(w int) []byte {
	b := bytes.Repeat([]byte{0xff}, (w+7)/8)
	b[0] >>= (8 - w%8) % 8
	return b
}
