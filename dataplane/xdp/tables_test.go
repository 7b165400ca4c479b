package xdp

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// What is written to a list table or an LPM table can be read back.
func TestEntriesReadBack(t *testing.T) {
	act := &ir.Action{Name: "act", Params: []*ir.Var{{Type: ir.BitType(12)}}}
	table := func(kind gen.TableKind, keySize int, slots []gen.Slot, matches ...ir.MatchKind) *gen.Table {
		out := &gen.Table{
			Table: &ir.Table{Name: "t"}, Kind: kind, Key: slots, KeySize: keySize, ValueSize: 8,
			Actions: []gen.TableAction{{Action: &ir.Action{Name: "none"}}, {Action: act, Params: []gen.Slot{{Width: 12, Offset: 4, Size: 2}}}},
		}
		for i, m := range matches {
			out.Table.Keys = append(out.Table.Keys, &ir.Key{Match: m, Width: slots[i].Width})
		}
		return out
	}
	action := dataplane.Action{Action: act, Args: [][]byte{{0x0a, 0xbc}}}

	list := table(gen.TableList, 24, []gen.Slot{
		{Width: 32, Offset: 0, Size: 4}, {Width: 9, Offset: 4, Size: 2}, {Width: 8, Offset: 6, Size: 1}, {Width: 48, Offset: 8, Size: 8}, {Width: 32, Offset: 16, Size: 4},
	}, ir.Ternary, ir.Range, ir.Optional, ir.Exact, ir.LPM)
	e := &dataplane.Entry{Table: list.Table, Priority: 1 << 30, Action: action, Matches: []dataplane.Match{
		{Value: []byte{10, 0, 0, 0}, Mask: []byte{255, 0, 0, 0}},
		{Value: []byte{0, 3}, Mask: []byte{1, 0xff}},
		{Value: []byte{7}, Mask: []byte{0xff}},
		{Value: []byte{1, 2, 3, 4, 5, 6}},
		{Value: []byte{192, 168, 0, 0}, Mask: make([]byte, 4), PrefixLen: 16},
	}}
	list.Idle, list.ValueSize, e.IdleTimeout = 8, 24, time.Minute
	value, err := encodeEntry(list, e)
	require.NoError(t, err)
	back, err := decodeListEntry(list, encodeListEntry(list, e, value))
	require.NoError(t, err)
	require.Equal(t, e, back)
	back, err = decodeListEntry(list, make([]byte, 8+2*list.KeySize+list.ValueSize))
	require.NoError(t, err)
	require.Nil(t, back, "an entry behind the last")

	lpm := table(gen.TableLPM, 12, []gen.Slot{{Width: 9, Offset: 4, Size: 2}, {Width: 32, Offset: 6, Size: 4}}, ir.Exact, ir.LPM)
	matches := []dataplane.Match{{Value: []byte{1, 2}}, {Value: []byte{10, 1, 0, 0}, Mask: make([]byte, 4), PrefixLen: 17}}
	require.Equal(t, matches, decodeKey(lpm, encodeKey(lpm, matches)))

	// Numbers of more than 64 bits.
	wide := []gen.Slot{{Width: 72, Offset: 0, Size: 16}, {Width: 128, Offset: 16, Size: 16}}
	b72, b128 := []byte{9, 1, 2, 3, 4, 5, 6, 7, 8}, []byte{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0xff}
	hash := table(gen.TableHash, 32, wide, ir.Exact, ir.Exact)
	hash.Actions[1].Params, hash.ValueSize = []gen.Slot{{Width: 72, Offset: 8, Size: 16}}, 24
	act.Params[0].Type = ir.BitType(72)
	matches = []dataplane.Match{{Value: b72}, {Value: b128}}
	require.Equal(t, matches, decodeKey(hash, encodeKey(hash, matches)))
	require.Equal(t, uint64(9), binary.NativeEndian.Uint64(encodeKey(hash, matches)[8:]), "the word of the most significant bits is last")
	action.Args = [][]byte{b72}
	value, err = encodeValue(hash, action)
	require.NoError(t, err)
	gave, err := decodeValue(hash, value)
	require.NoError(t, err)
	require.Equal(t, action, gave)
	list = table(gen.TableList, 32, wide, ir.Ternary, ir.LPM)
	list.Actions, list.ValueSize = hash.Actions, 24
	e = &dataplane.Entry{Table: list.Table, Priority: 3, Action: action, Matches: []dataplane.Match{
		{Value: b72, Mask: []byte{0xff, 1, 2, 3, 4, 5, 6, 7, 0xff}},
		{Value: append(append([]byte{}, b128[:8]...), make([]byte, 8)...), Mask: make([]byte, 16), PrefixLen: 65},
	}}
	back, err = decodeListEntry(list, encodeListEntry(list, e, value))
	require.NoError(t, err)
	require.Equal(t, e, back)

	_, err = decodeValue(lpm, []byte{9, 0, 0, 0, 0, 0, 0, 0})
	require.ErrorContains(t, err, "table")
}

// The index of a table of several keys has the bits of all, those of the first highest.
func TestIndexOfSeveralKeys(t *testing.T) {
	tb := &gen.Table{Table: &ir.Table{Name: "t"}, Kind: gen.TableIndex, KeySize: 4, Key: []gen.Slot{{Width: 2, Size: 4}, {Width: 4, Size: 4}, {Width: 3, Size: 4}}}
	matches := []dataplane.Match{{Value: []byte{2}}, {Value: []byte{9}}, {Value: []byte{5}}}
	require.Equal(t, uint32(2<<7|9<<3|5), binary.NativeEndian.Uint32(encodeKey(tb, matches)))
	require.Equal(t, matches, decodeKey(tb, encodeKey(tb, matches)))
}
