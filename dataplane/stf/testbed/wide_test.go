package testbed_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestWide: XDP does with numbers of more than 64 bits what the interpreter does: with entries of every kind that come and go, and
// random packets.
func TestWide(t *testing.T) {
	for _, target := range targets[1:] {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/wide.p4")
			wide(t, load(t, pipe, "interp"), load(t, pipe, target), pipe.Program)
		})
	}
}

func wide(t *testing.T, ref, dut testbed.Target, prog *ir.Program) {
	var seen [2][]dataplane.Digest
	ref.SetEvents(dataplane.Events{Digest: func(d dataplane.Digest) { seen[0] = append(seen[0], d) }})
	dut.SetEvents(dataplane.Events{Digest: func(d dataplane.Digest) { seen[1] = append(seen[1], d) }})
	rnd := rand.New(rand.NewPCG(7, 8))
	// few are numbers that come often: with few bits, at either end of a word.
	few := func(w int) *big.Int {
		v := big.NewInt(int64(rnd.IntN(4)))
		v.Lsh(v, uint(rnd.IntN(w)))
		if rnd.IntN(3) == 0 {
			v.SetBit(v, []int{0, min(63, w-1), min(64, w-1), w - 1}[rnd.IntN(4)], 1)
		}
		return v.And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(w)), big.NewInt(1)))
	}
	fixed := func(v *big.Int, w int) []byte { return v.FillBytes(make([]byte, (w+7)/8)) }
	ones := func(w, top int) *big.Int { // the top bits of w
		m := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(top)), big.NewInt(1))
		return m.Lsh(m, uint(w-top))
	}
	entry := func(tb *ir.Table) *dataplane.Entry {
		e := &dataplane.Entry{Table: tb}
		act := tb.Actions[rnd.IntN(len(tb.Actions))].Action
		e.Action.Action = act
		for _, p := range act.Params {
			e.Action.Args = append(e.Action.Args, fixed(few(p.Type.Width), p.Type.Width))
		}
		if tb.Prioritised() {
			e.Priority = int32(1 + rnd.IntN(3))
		}
		for _, k := range tb.Keys {
			v, w := few(k.Width), k.Width
			m := dataplane.Match{Value: fixed(v, w)}
			switch k.Match {
			case ir.LPM:
				m.PrefixLen = []int{0, 1, 60, 63, 64, 65, 70, w}[rnd.IntN(8)]
				m.PrefixLen = min(m.PrefixLen, w)
				m.Value, m.Mask = fixed(v.And(v, ones(w, m.PrefixLen)), w), make([]byte, (w+7)/8)
			case ir.Ternary:
				mask := new(big.Int).Or(few(w), few(w))
				m.Value, m.Mask = fixed(v.And(v, mask), w), fixed(mask, w)
			case ir.Range:
				m.Mask = fixed(ones(w, w), w)
			}
			e.Matches = append(e.Matches, m)
		}
		return e
	}
	there := map[string][]*dataplane.Entry{}
	ran := map[string]int{}
	for round := range 300 {
		tb := prog.Tables[rnd.IntN(4)]
		if list := there[tb.Name]; len(list) > tb.Size/2 {
			i := rnd.IntN(len(list))
			require.NoError(t, dut.Delete(list[i]))
			require.NoError(t, ref.Delete(list[i]))
			there[tb.Name] = append(list[:i:i], list[i+1:]...)
		}
		e := entry(tb)
		err1, err2 := ref.Insert(e), dut.Insert(e)
		require.Equal(t, err1 == nil, err2 == nil, "%v %v", err1, err2)
		if err1 == nil {
			there[tb.Name] = append(there[tb.Name], e)
		} else {
			e = entry(tb)
			e.Matches, e.Priority = there[tb.Name][0].Matches, there[tb.Name][0].Priority
			require.NoError(t, ref.Modify(e))
			require.NoError(t, dut.Modify(e))
		}
		for what := range byte(12) {
			frame := append([]byte{what}, fixed(few(40), 40)...)
			frame = append(append(frame, fixed(few(48), 48)...), fixed(few(16), 16)...)
			for _, w := range []int{128, 128, 80, 16} {
				frame = append(frame, fixed(few(w), w)...)
			}
			if list := there[tb.Name]; len(list) > 0 && rnd.IntN(2) == 0 {
				for i, k := range tb.Keys { // what an entry matches, or nearly
					if k.Width == 128 {
						copy(frame[30:], list[rnd.IntN(len(list))].Matches[i].Value)
					}
				}
			}
			if round%20 == 0 {
				frame = frame[:14+rnd.IntN(30)]
			}
			want, err := ref.Inject(1, frame)
			require.NoError(t, err)
			got, err := dut.Inject(1, frame)
			require.NoError(t, err)
			require.Equal(t, fmt.Sprintf("%x", want), fmt.Sprintf("%x", got), "in %x", frame)
			if len(want) > 0 {
				ran[fmt.Sprintf("%d: %d", what, len(want[0].Frame)-len(frame))]++
			}
		}
	}
	require.Equal(t, seen[0], seen[1])
	require.NotEmpty(t, seen[0])
	require.Contains(t, ran, "7: 25", "a header has been added")
	require.Contains(t, ran, "10: -44", "and one removed")
}
