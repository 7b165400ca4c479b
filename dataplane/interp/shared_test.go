package interp

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestShared: targets hold the entries of a program's text once, and what is written to one of them, and counted by it, is its own.
func TestShared(t *testing.T) {
	for _, counted := range []bool{false, true} {
		t.Run(fmt.Sprint("counted ", counted), func(t *testing.T) {
			p, tb := tableProgram(ir.Exact, ir.Exact)
			tb.Entries = []*ir.Entry{{
				Keys:   []ir.KeySet{{Value: bigInt(1)}, {Value: bigInt(0x234)}},
				Action: ir.ActionCall{Action: tb.Actions[0].Action, Args: []*big.Int{bigInt(0x99)}},
			}}
			if !counted {
				tb.Counter, p.Counters = nil, nil
			}
			shared := NewShared()
			var both []*Target
			for range 2 {
				tg := New(Options{Shared: shared})
				t.Cleanup(func() { tg.Close() })
				require.NoError(t, tg.Load(&dataplane.Pipeline{Program: p}))
				both = append(both, tg)
			}
			a, b := both[0], both[1]
			require.Equal(t, !counted, a.p.tables[tb].content == b.p.tables[tb].content)
			require.Equal(t, []string{"1:01234d99"}, inject(t, a, 9, "01 2345 00"))
			require.Equal(t, []string{"1:01234d99"}, inject(t, b, 9, "01 2345 00"))
			own := mark(tb, 0, 1, exact(8, 1), exact(12, 0x234))
			if counted {
				require.Equal(t, []string{"1:01234d99"}, inject(t, a, 9, "01 2345 00"))
				for tg, n := range map[*Target]uint64{a: 2, b: 1} {
					c, err := tg.ReadDirectCounter(own)
					require.NoError(t, err)
					require.Equal(t, n, c.Packets)
				}
			}
			require.NoError(t, a.Modify(own))
			require.NoError(t, a.Insert(mark(tb, 0, 2, exact(8, 2), exact(12, 0))))
			require.NoError(t, a.SetDefault(tb, &dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{{0x42}}}))
			for _, tt := range [][3]string{
				{"01 2345 00", "1:01234d01", "1:01234d99"}, {"02 0000 00", "1:02000d02", "0:02000dee"}, {"03 0000 00", "0:03000d42", "0:03000dee"},
			} {
				require.Equal(t, []string{tt[1]}, inject(t, a, 9, tt[0]))
				require.Equal(t, []string{tt[2]}, inject(t, b, 9, tt[0]))
			}
			require.NoError(t, a.SetDefault(tb, nil))
			require.Equal(t, []string{"0:03000dee"}, inject(t, a, 9, "03 0000 00"))
			require.NoError(t, a.Load(&dataplane.Pipeline{Program: p}))
			require.Equal(t, []string{"1:01234d99"}, inject(t, a, 9, "01 2345 00"))
		})
	}
}
