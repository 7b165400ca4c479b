package testbed_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// entryModel is what an entry has of its own.
type entryModel struct {
	e     *dataplane.Entry
	count uint16
	meter *meterModel // nil: not configured
}

// TestDirectState gives both targets packets at random times, and entries that come, change and go, and compares what belongs to the
// entries, meters and registers, with a model.
func TestDirectState(t *testing.T) {
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			pipe := small(t, "testdata/direct_state.p4")
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
			directState(t, sw, pipe.Program)
		})
	}
}

func directState(t *testing.T, sw timed, prog *ir.Program) {
	now := uint64(1000)
	rnd := rand.New(rand.NewPCG(5, 6))
	send := func(typ uint16, to uint64, less, has byte, size int) []byte {
		t.Helper()
		frame := append(frameOf(to, typ), make([]byte, size-14)...)
		frame[10], frame[11] = less, has
		now += rnd.Uint64N(2e6)
		out, err := sw.InjectAt(1, frame, now)
		require.NoError(t, err)
		require.Len(t, out, 1)
		return out[0].Frame
	}
	length := func(size int, less byte) uint64 { return uint64(max(0, size-int(less)+100)) }
	// Unlike a bucket's, a rate's and a burst's sums never overflow: see TestMeters.
	config := func() *dataplane.Meter {
		if rnd.IntN(4) == 0 {
			return nil
		}
		c := &dataplane.Meter{CIR: rnd.Uint64N(2e6), CBurst: rnd.Uint64N(3000), PBurst: rnd.Uint64N(4000)}
		c.PIR = c.CIR + rnd.Uint64N(1e6)
		return c
	}
	set := func(m *entryModel, c *dataplane.Meter) {
		m.meter = nil
		if c != nil {
			m.meter = newMeterModel(*c)
			m.meter.last = now
		}
	}
	colors := map[byte]int{}
	for n := uint16(1); n <= 4; n++ {
		tb := prog.Tables[n-1]
		require.Equal(t, fmt.Sprintf("pipe.Ctl.t%d", n), tb.Name)
		entries := map[uint64]*entryModel{}
		miss := &entryModel{e: &dataplane.Entry{Table: tb}, count: 7}
		pass := map[uint64]bool{}
		for round := range 150 {
			to := rnd.Uint64N(7) << 4
			there := entries[to]
			e := &dataplane.Entry{Table: tb, Action: dataplane.Action{Action: tb.Actions[0].Action, Args: [][]byte{{1, byte(to)}}}}
			if rnd.IntN(4) == 0 {
				e.Action = dataplane.Action{Action: tb.Actions[1].Action}
			}
			switch n {
			case 1:
				e.Matches = []dataplane.Match{{Value: dst(to)}}
			case 2:
				e.Matches = []dataplane.Match{{Value: dst(to)[5:]}}
			case 3:
				e.Matches = []dataplane.Match{{Value: dst(to), Mask: dst(1<<48 - 1)}, {Value: []byte{0}, Mask: []byte{0}}}
				e.Priority = 5
			case 4:
				e.Matches = []dataplane.Match{{Value: dst(to), PrefixLen: 44, Mask: make([]byte, 6)}}
			}
			isPass := len(e.Action.Args) == 0
			switch {
			case there == nil && len(entries) == tb.Size:
				require.ErrorIs(t, sw.Insert(e), dataplane.ErrFull)
			case there == nil:
				require.NoError(t, sw.Insert(e))
				entries[to], pass[to] = &entryModel{e: e, count: 7}, isPass
				got, err := sw.ReadDirectMeter(e)
				require.NoError(t, err)
				require.Nil(t, got, "a new entry has no limits")
			case round%3 == 0:
				require.NoError(t, sw.Delete(there.e))
				delete(entries, to)
				_, err := sw.ReadDirectMeter(e)
				require.ErrorIs(t, err, dataplane.ErrNotFound)
			case round%3 == 1:
				require.NoError(t, sw.Modify(e)) // all that is the entry's goes on
				pass[to] = isPass
			default:
				c := config()
				require.NoError(t, sw.WriteDirectMeter(there.e, c))
				got, err := sw.ReadDirectMeter(there.e)
				require.NoError(t, err)
				require.Equal(t, c, got)
				set(there, c)
			}
			if round%20 == 0 {
				c := config()
				require.NoError(t, sw.WriteDirectMeter(&dataplane.Entry{Table: tb}, c))
				set(miss, c)
			}
			for range 4 {
				to := rnd.Uint64N(7) << 4
				m := entries[to]
				if m == nil {
					m = miss
				}
				size, less, has := 60+rnd.IntN(600), byte(rnd.Uint32()), byte(rnd.IntN(5))
				if rnd.IntN(2) == 0 {
					has = ir.MeterGreen
				}
				out := send(n, to, less, has, size)
				want := uint64(length(size, less))
				if m != miss && pass[to] {
					has, want = ir.MeterGreen, uint64(size)
				} else {
					m.count += 3
					require.Equal(t, m.count+n, binary.BigEndian.Uint16(out[6:]), "table %d, entry %x", n, to)
				}
				if has != ir.MeterGreen && has != ir.MeterRed {
					has = ir.MeterYellow
				}
				color := has
				if m.meter != nil {
					color = m.meter.colored(now, want, has)
				}
				require.Equal(t, color, out[8], "table %d, entry %x", n, to)
				colors[color]++
			}
		}
		require.Error(t, sw.WriteDirectMeter(&dataplane.Entry{Table: tb}, &dataplane.Meter{CIR: 2}))
	}
	require.Len(t, colors, 3)
	// A table with constant entries.
	for _, c := range [][2]uint64{{1, 0}, {2, 0}, {1, 1}, {3, 5}, {1, 2}, {2, 1}} {
		require.EqualValues(t, c[1], binary.BigEndian.Uint32(send(5, c[0], 0, 0, 60)[6:]), "%v", c)
	}
	_, err := sw.ReadDirectMeter(&dataplane.Entry{Table: prog.Tables[4]})
	require.ErrorIs(t, err, dataplane.ErrNotFound)
	// A meter with a colour, and one with a correction: of 64 bytes, each has a burst of 64.
	plain := prog.Meters[0]
	require.Nil(t, plain.Table)
	require.NoError(t, sw.WriteMeter(plain, 1, &dataplane.Meter{CBurst: 64, PBurst: 64}))
	require.EqualValues(t, ir.MeterYellow, send(6, 0, 0, ir.MeterYellow, 64)[8], "cell 0 has no limits")
	require.EqualValues(t, ir.MeterYellow, send(6, 1, 0, ir.MeterYellow, 64)[8])
	require.EqualValues(t, ir.MeterRed, send(6, 1, 0, ir.MeterGreen, 64)[8], "the peak's bucket is empty")
	require.NoError(t, sw.WriteMeter(plain, 1, &dataplane.Meter{CBurst: 64, PBurst: 64}))
	require.EqualValues(t, ir.MeterRed, send(6, 1, 0, ir.MeterRed, 64)[8])
	require.EqualValues(t, ir.MeterRed, send(7, 1, 99, 0, 64)[8], "65 bytes")
	require.EqualValues(t, ir.MeterGreen, send(7, 1, 255, 0, 64)[8], "none: 64 - 155 is below 0")
	require.EqualValues(t, ir.MeterGreen, send(7, 1, 100, 0, 64)[8], "64: a red packet takes nothing")
	require.EqualValues(t, ir.MeterRed, send(7, 1, 100, 0, 64)[8])
	// The parameter of the register actions is a register of the control plane.
	i := len(prog.Registers)
	for n, r := range prog.Registers {
		if r.Name == "pipe.Ctl.step" {
			i = n
		}
	}
	require.NoError(t, sw.WriteRegister(prog.Registers[i], 0, [][]byte{{0, 9}}))
	before := binary.BigEndian.Uint16(send(1, 0xffff, 100, 0, 60)[6:])
	require.Equal(t, before+9, binary.BigEndian.Uint16(send(1, 0xffff, 100, 0, 60)[6:]))
	require.EqualValues(t, 9, binary.BigEndian.Uint16(send(6, 0, 0, 0, 64)[6:]))
}
