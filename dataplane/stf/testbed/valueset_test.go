package testbed_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TestValueSets: a select asks for the members of the moment, and every use of a set for all of them.
func TestValueSets(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/value_set.p4")
			sw := load(t, pipe, target)
			sets := map[string]*ir.Table{}
			for _, v := range pipe.Program.ValueSets {
				require.Same(t, v, v.Table.ValueSet)
				sets[v.Name] = v.Table
			}
			require.Len(t, sets, 5)
			rnd := rand.New(rand.NewPCG(3, 4))
			few := func(w int) uint64 { return rnd.Uint64N(5) << rnd.IntN(w-2) & (1<<w - 1) }
			members := map[string][]*dataplane.Entry{}
			member := func(name string) *dataplane.Entry {
				tb := sets[name]
				e := &dataplane.Entry{Table: tb, Action: dataplane.ProgramAction(tb.Default)}
				for _, k := range tb.Keys {
					v := few(k.Width)
					m := dataplane.Match{Value: dataplane.Bytes(v, k.Width)}
					switch k.Match {
					case ir.Ternary:
						mask := few(k.Width) | 1
						m = dataplane.Match{Value: dataplane.Bytes(v&mask, k.Width), Mask: dataplane.Bytes(mask, k.Width)}
						e.Priority = 1
					case ir.LPM:
						m.PrefixLen = rnd.IntN(k.Width + 1)
						m.Value = dataplane.Bytes(v&^(1<<(k.Width-m.PrefixLen)-1), k.Width)
						m.Mask = make([]byte, len(m.Value))
					}
					e.Matches = append(e.Matches, m)
				}
				return e
			}
			number := func(b []byte) (n uint64) {
				for _, x := range b {
					n = n<<8 | uint64(x)
				}
				return n
			}
			in := func(name string, values ...uint64) uint64 {
				for _, e := range members[name] {
					all := true
					for i, k := range e.Table.Keys {
						m := e.Matches[i]
						mask := ^uint64(0)
						switch k.Match {
						case ir.Ternary:
							mask = number(m.Mask)
						case ir.LPM:
							mask = ^uint64(0) << (k.Width - m.PrefixLen)
						}
						all = all && values[i]&mask == number(m.Value)
					}
					if all {
						return 1
					}
				}
				return 0
			}
			names := []string{"pipe.Prsr.marks", "pipe.Prsr.pairs", "pipe.Prsr.types", "pipe.Prsr.one.own", "pipe.Prsr.two.own"}
			seen := map[uint64]bool{}
			for range 400 {
				name := names[rnd.IntN(len(names))]
				if list := members[name]; len(list) > 0 && (len(list) == sets[name].Size || rnd.IntN(4) == 0) {
					i := rnd.IntN(len(list))
					require.NoError(t, sw.Delete(list[i]))
					members[name] = append(list[:i:i], list[i+1:]...)
				}
				e := member(name)
				there := false
				for _, o := range members[name] {
					there = there || o.ID() == e.ID()
				}
				if err := sw.Insert(e); there {
					require.Error(t, err)
				} else {
					require.NoError(t, err)
					members[name] = append(members[name], e)
				}
				for range 5 {
					a, b, c, typ := few(8), few(16), few(40), few(16)
					frame := make([]byte, 30)
					binary.BigEndian.PutUint16(frame[12:], uint16(typ))
					frame[14] = byte(a)
					binary.BigEndian.PutUint16(frame[15:], uint16(b))
					copy(frame[17:], dataplane.Bytes(c, 40))
					again := uint64(0)
					if b&3 != 3 {
						again = in(names[0], b&0xff)
					}
					listed := uint64(0)
					if a >= 1 && a <= 5 {
						listed = in(names[2], typ)
					}
					want := in(names[0], a)<<5 | again<<4 | in(names[1], b, c)<<3 | listed<<2 | in(names[3], b)<<1 | in(names[4], b)
					out, err := sw.Inject(1, frame)
					require.NoError(t, err)
					require.Len(t, out, 1)
					require.EqualValues(t, want, out[0].Frame[5], "%x", frame)
					for bit := uint64(1); bit <= want; bit <<= 1 {
						seen[want&bit] = true
					}
				}
			}
			require.Len(t, seen, 7, "all of the six bits, and none")
			full := members["pipe.Prsr.types"]
			for len(full) < sets["pipe.Prsr.types"].Size {
				e := &dataplane.Entry{Table: sets["pipe.Prsr.types"], Matches: []dataplane.Match{{Value: []byte{0xee, byte(len(full))}}}, Action: dataplane.ProgramAction(sets["pipe.Prsr.types"].Default)}
				require.NoError(t, sw.Insert(e))
				full = append(full, e)
			}
			e := *full[0]
			e.Matches = []dataplane.Match{{Value: []byte{0xff, 0xff}}}
			require.ErrorIs(t, sw.Insert(&e), dataplane.ErrFull)
		})
	}
}
