package control

import (
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/amcast"
)

// state is a state of four cells.
func state(clock, mark uint32, list map[int]Cell) State {
	s := State{Clock: clock, Mark: mark, Cells: make([]Cell, 4), Ring: make([]Place, 4)}
	for i, c := range list {
		s.Cells[i] = c
		s.Ring[c.Seq%4] = Place{c.Seq, names.RingHere + uint32(i)}
	}
	return s
}

func cell(number, epoch, lts, seq uint32) Cell {
	return Cell{Number: number, Epoch: epoch, LTS: lts, Seq: seq, Groups: 1 << 24, Digest: number}
}

// TestMerge: what any of the quorum has stays, with its timestamp; seqs begin anew.
func TestMerge(t *testing.T) {
	got := Merge(1, 2, []State{
		state(9, 5, map[int]Cell{0: cell(2, 1, 3, 2), 1: cell(3, 1, 8, 5)}),
		state(12, 4, map[int]Cell{0: cell(2, 1, 3, 2), 2: cell(6, 1, 7, 4)}),
	})
	require.Equal(t, State{
		Clock: 12, Mark: 3,
		Cells: []Cell{cell(2, 2, 3, 1), cell(3, 2, 8, 3), cell(6, 2, 7, 2), {}},
		Ring:  []Place{{}, {1, names.RingHere}, {2, names.RingHere + 2}, {3, names.RingHere + 1}},
	}, got)
}

// TestMergeLap: of one epoch the newer message of a client stays, also when numbers wrap.
func TestMergeLap(t *testing.T) {
	for _, n := range [][2]uint32{{2, 4}, {0xfffffffe, 0}} {
		a, b := state(1, 1, map[int]Cell{0: cell(n[0], 1, 1, 1)}), state(5, 5, map[int]Cell{0: cell(n[1], 1, 5, 5)})
		for _, q := range [][]State{{a, b}, {b, a}} {
			require.Equal(t, cell(n[1], 2, 5, 1), Merge(1, 2, q).Cells[0])
		}
	}
}

// TestMergeEpochs: what was said in another epoch than the last complete one is void.
func TestMergeEpochs(t *testing.T) {
	old := state(20, 9, map[int]Cell{0: cell(4, 1, 9, 9), 1: cell(5, 1, 8, 8)})
	complete := state(10, 3, map[int]Cell{0: cell(2, 2, 6, 1), 2: cell(6, 2, 7, 3)})
	for _, quorum := range [][]State{{old, complete}, {complete, old}} {
		got := Merge(2, 4, quorum)
		require.Equal(t, []Cell{cell(2, 4, 6, 1), {}, cell(6, 4, 7, 2), {}}, got.Cells)
		require.EqualValues(t, 2, got.Mark)
		require.EqualValues(t, 20, got.Clock, "no clock goes back")
	}
}

// TestMergeEmpty: members that have nothing make a state that has nothing.
func TestMergeEmpty(t *testing.T) {
	require.Equal(t, state(0, 0, nil), Merge(1, 2, []State{state(0, 0, nil), state(0, 0, nil)}))
}
