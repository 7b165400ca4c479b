package testbed_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// filterModel is a cell of a filter.
type filterModel struct {
	*dataplane.Filter // nil: none
	average, last     uint64
	seen              bool
}

func (m *filterModel) next(now, value uint64) {
	if m.seen {
		m.average = m.Next(m.average, value, now-m.last)
	} else {
		m.average, m.seen = value<<8, true
	}
	m.last = now
}

// TestFilters gives both targets values at random times, and compares what comes of them with dataplane.Filter.
func TestFilters(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/filter.p4")
			var sw timed
			if target == "interp" {
				sw = interp.New(interp.Options{CPUPort: cpuPort})
			} else {
				object(t, pipe, target)
				x, err := xdp.New(xdp.Config{CPUPort: cpuPort, PacketTest: true})
				require.NoError(t, err)
				sw = x
			}
			defer sw.Close()
			require.NoError(t, sw.Load(pipe))
			filters(t, sw, pipe.Program)
		})
	}
}

func filters(t *testing.T, sw timed, prog *ir.Program) {
	rnd := rand.New(rand.NewPCG(9, 10))
	number := func(bits int) uint64 { return rnd.Uint64() >> (64 - rnd.IntN(bits+1)) }
	now := uint64(1000)
	send := func(typ uint16, to byte, value uint64) []byte {
		t.Helper()
		frame := frameOf(uint64(to), typ)
		binary.BigEndian.PutUint32(frame[8:], uint32(value))
		now += 1 + number(34)
		out, err := sw.InjectAt(1, frame, now)
		require.NoError(t, err)
		require.Len(t, out, 1)
		return out[0].Frame
	}
	config := func() *dataplane.Filter {
		if rnd.IntN(5) == 0 {
			return nil
		}
		f := &dataplane.Filter{Rate: rnd.IntN(3) == 0, Gain: number(40), Decay: number(40), Scale: uint8(rnd.IntN(5)), Min: uint32(number(20)), Probability: uint32(rnd.IntN(2)) << 16}
		f.Max = f.Min + uint32(number(12))
		return f
	}
	cells := map[[2]int]*filterModel{}
	cell := func(typ, i int) *filterModel {
		if cells[[2]int{typ, i}] == nil {
			cells[[2]int{typ, i}] = &filterModel{}
		}
		return cells[[2]int{typ, i}]
	}
	answers := map[byte]int{}
	check := func(typ uint16, to byte, m *filterModel, drop, pass byte) {
		t.Helper()
		value := number(32)
		if m.Filter != nil && rnd.IntN(2) == 0 {
			value = uint64(m.Max) + number(6) // about the thresholds
		}
		bits := map[uint16]int{1: 16, 2: 32, 3: 32, 4: 16, 5: 32}[typ]
		value &= 1<<bits - 1
		out := send(typ, to, value)
		if m.Filter != nil {
			m.next(now, value)
		}
		if typ == 3 || typ == 5 {
			want := pass
			if m.Filter != nil && m.Drops(m.average, 0x8000) { // whatever the number is, but at the threshold
				want = drop
			}
			between := m.Filter != nil && m.average>>8 >= uint64(m.Min) && m.average>>8 < uint64(m.Max)
			if !between || m.Probability == 0 {
				require.Equal(t, want, out[0], "%d: %+v", typ, m)
			}
			answers[out[0]]++
			return
		}
		want := value
		if m.Filter != nil {
			want = m.Result(m.average, bits)
		}
		got := uint64(binary.BigEndian.Uint16(out))
		if bits == 32 {
			got = uint64(binary.BigEndian.Uint32(out))
		}
		require.Equal(t, want, got, "%d: %+v", typ, m.Filter)
	}
	for _, f := range prog.Filters[:3] {
		for _, i := range []int{-1, f.Size} {
			require.ErrorIs(t, sw.WriteFilter(f, i, nil), dataplane.ErrNotFound)
			_, err := sw.ReadFilter(f, i)
			require.ErrorIs(t, err, dataplane.ErrNotFound)
		}
		require.ErrorIs(t, sw.WriteFilter(f, 0, &dataplane.Filter{Min: 1}), dataplane.ErrFilter)
	}
	for range 400 {
		for n, f := range prog.Filters[:3] {
			i := rnd.IntN(f.Size)
			if rnd.IntN(6) == 0 {
				c := config()
				require.NoError(t, sw.WriteFilter(f, i, c))
				got, err := sw.ReadFilter(f, i)
				require.NoError(t, err)
				require.Equal(t, c, got)
				*cell(n+1, i) = filterModel{Filter: c}
			}
			check(uint16(n+1), byte(i), cell(n+1, i), 9, 3)
		}
		check(1, byte(4+rnd.IntN(200)), &filterModel{}, 0, 0) // out of range
		check(3, byte(4+rnd.IntN(200)), &filterModel{}, 9, 3)
	}
	// Those of entries.
	for n, tb := range prog.Tables {
		entry := func(i byte) *dataplane.Entry {
			e := &dataplane.Entry{Table: tb, Action: dataplane.Action{Action: tb.Actions[0].Action}, Matches: []dataplane.Match{{Value: []byte{i}}}}
			if n == 1 {
				e.Matches, e.Priority = []dataplane.Match{{Value: dst(uint64(i)), Mask: dst(1<<48 - 1)}}, 1
			}
			return e
		}
		there := map[byte]*filterModel{}
		miss := &filterModel{}
		for range 300 {
			i := byte(rnd.IntN(4))
			switch m := there[i]; {
			case m == nil && len(there) < tb.Size:
				require.NoError(t, sw.Insert(entry(i)))
				there[i] = &filterModel{}
				got, err := sw.ReadDirectFilter(entry(i))
				require.NoError(t, err)
				require.Nil(t, got)
			case m == nil:
				c := config()
				require.NoError(t, sw.WriteDirectFilter(&dataplane.Entry{Table: tb}, c))
				*miss = filterModel{Filter: c}
			case rnd.IntN(3) == 0:
				require.NoError(t, sw.Delete(entry(i)))
				delete(there, i)
				_, err := sw.ReadDirectFilter(entry(i))
				require.ErrorIs(t, err, dataplane.ErrNotFound)
			default:
				c := config()
				require.NoError(t, sw.WriteDirectFilter(entry(i), c))
				got, err := sw.ReadDirectFilter(entry(i))
				require.NoError(t, err)
				require.Equal(t, c, got)
				*m = filterModel{Filter: c}
			}
			for range 6 {
				i := byte(rnd.IntN(4))
				m := there[i]
				if m == nil {
					m = miss
				}
				check(uint16(4+n), i, m, 1, 0)
			}
		}
	}
	require.Len(t, answers, 4, "both answers of both: %v", answers)
}

// TestFilterState: what a filter has seen belongs to the state that a snapshot takes.
func TestFilterState(t *testing.T) {
	target := interp.New(interp.Options{CPUPort: cpuPort})
	defer target.Close()
	pipe := small(t, "testdata/filter.p4")
	require.NoError(t, target.Load(pipe))
	require.NoError(t, target.WriteFilter(pipe.Program.Filters[0], 1, &dataplane.Filter{Gain: 1000}))
	first, err := target.Snapshot()
	require.NoError(t, err)
	frame := frameOf(1, 1)
	frame[11] = 100
	second, _, err := target.Step(first, 1, frame, 5)
	require.NoError(t, err)
	frame[11] = 200
	_, e, err := target.Step(second, 1, frame, 1005)
	require.NoError(t, err)
	require.EqualValues(t, 150, e.Outs[0].Frame[1])
	again, e, err := target.Step(first, 1, frame, 1005)
	require.NoError(t, err)
	require.EqualValues(t, 200, e.Outs[0].Frame[1], "as it was")
	require.False(t, first.Equal(second))
	require.False(t, second.Equal(again))
	require.NotEqual(t, first.Append(nil), second.Append(nil))
}
