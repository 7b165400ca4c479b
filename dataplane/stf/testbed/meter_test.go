package testbed_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// meterModel is RFC 2698, 4.2 (colour-blind), in numbers that cannot overflow: tokens are
// billionths of packets or bytes.
type meterModel struct {
	dataplane.Meter
	committed, peak *big.Int
	last            uint64
}

func newMeterModel(c dataplane.Meter) *meterModel {
	return &meterModel{Meter: c, committed: billion(c.CBurst), peak: billion(c.PBurst)}
}

func billion(n uint64) *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(1_000_000_000))
}

func (m *meterModel) color(now, size uint64) byte { return m.colored(now, size, ir.MeterGreen) }

// colored is the same for a packet that has a colour (colour-aware).
func (m *meterModel) colored(now, size uint64, has byte) byte {
	ns := new(big.Int).SetUint64(now - m.last)
	m.last = now
	fill := func(tokens *big.Int, rate, burst uint64) *big.Int {
		sum := new(big.Int).Mul(ns, new(big.Int).SetUint64(rate))
		if sum.Add(sum, tokens); sum.Cmp(billion(burst)) > 0 {
			return billion(burst)
		}
		return sum
	}
	m.committed, m.peak = fill(m.committed, m.CIR, m.CBurst), fill(m.peak, m.PIR, m.PBurst)
	n := billion(size)
	if has == ir.MeterRed || m.peak.Cmp(n) < 0 {
		return ir.MeterRed
	}
	m.peak.Sub(m.peak, n)
	if has == ir.MeterYellow || m.committed.Cmp(n) < 0 {
		return ir.MeterYellow
	}
	m.committed.Sub(m.committed, n)
	return ir.MeterGreen
}

// timed is a target that is told the time.
type timed interface {
	dataplane.Target
	InjectAt(p dataplane.Port, frame []byte, now uint64) ([]dataplane.Out, error)
}

// TestMeters gives both targets packets at random times, and compares their colours with a
// model's, for rates from nothing to the largest.
func TestMeters(t *testing.T) {
	meters := func(t *testing.T, target timed, pipe *dataplane.Pipeline) {
		require.NoError(t, target.Load(pipe))
		for round := range uint64(200) {
			rnd := rand.New(rand.NewPCG(round, 1))
			m := pipe.Program.Meters[round%2]
			number := func(bits int) uint64 { return rnd.Uint64() >> (64 - rnd.IntN(bits+1)) }
			if round == 0 {
				number = func(bits int) uint64 { return 1 << bits }
			}
			c := dataplane.Meter{CIR: number(40), CBurst: number(32), PBurst: number(32)}
			c.PIR = max(c.CIR, number(40))
			cell := rnd.IntN(m.Size)
			require.NoError(t, target.WriteMeter(m, cell, &c))
			got, err := target.ReadMeter(m, cell)
			require.NoError(t, err)
			require.Equal(t, &c, got)
			model, now := newMeterModel(c), uint64(0)
			// Packets come about as fast as the peak rate allows, now and then after a long pause.
			gap := max(uint64(1e9)/max(c.PIR, 1), 1)
			for i := range 60 {
				size := 14 + rnd.IntN(1400)
				step := rnd.Uint64N(2*gap) + 1
				if m.Bytes {
					step *= uint64(size)
				}
				if rnd.IntN(20) == 0 {
					step = number(60)
				}
				now += step
				frame := make([]byte, size)
				frame[11] = byte(cell)
				n := uint64(1)
				if m.Bytes {
					frame[11] |= 0x80
					n = uint64(size)
				}
				outs, err := target.InjectAt(1, frame, now)
				require.NoError(t, err)
				require.Len(t, outs, 1)
				require.Equal(t, model.color(now, n), outs[0].Frame[0], "round %d, packet %d of %d bytes at %d ns: %+v", round, i, size, now, c)
			}
			require.NoError(t, target.WriteMeter(m, cell, nil))
			got, err = target.ReadMeter(m, cell)
			require.NoError(t, err)
			require.Nil(t, got)
		}
		// A pause in which the rate gives 2^64 tokens, to an empty bucket.
		m := pipe.Program.Meters[0]
		require.NoError(t, target.WriteMeter(m, 0, &dataplane.Meter{CIR: 1 << 40, CBurst: 1, PIR: 1 << 40, PBurst: 1}))
		for i, at := range []uint64{1 << 30, 1 << 30, 1<<30 + 1<<24} {
			outs, err := target.InjectAt(1, make([]byte, 14), at)
			require.NoError(t, err)
			require.Equal(t, []byte{ir.MeterGreen, ir.MeterRed, ir.MeterGreen}[i], outs[0].Frame[0])
		}
		for _, c := range []dataplane.Meter{{CIR: 2, PIR: 1}, {PIR: 1<<40 + 1}, {CBurst: 1<<32 + 1}, {PBurst: 1<<32 + 1}} {
			require.ErrorIs(t, target.WriteMeter(m, 0, &c), dataplane.ErrMeter, "%+v", c)
		}
		for _, i := range []int{-1, m.Size} {
			require.ErrorIs(t, target.WriteMeter(m, i, nil), dataplane.ErrNotFound)
			_, err := target.ReadMeter(m, i)
			require.ErrorIs(t, err, dataplane.ErrNotFound)
		}
	}
	t.Run("interp", func(t *testing.T) {
		target := interp.New(interp.Options{CPUPort: cpuPort})
		defer target.Close()
		meters(t, target, small(t, "testdata/meter.p4"))
	})
	t.Run("xdp", func(t *testing.T) {
		pipe := small(t, "testdata/meter.p4")
		object(t, pipe, "xdp")
		target, err := xdp.New(xdp.Config{CPUPort: cpuPort, PacketTest: true})
		require.NoError(t, err)
		defer target.Close()
		meters(t, target, pipe)
	})
}

// TestMeterState: what a meter has seen belongs to the state that a snapshot takes.
func TestMeterState(t *testing.T) {
	target := interp.New(interp.Options{CPUPort: cpuPort})
	defer target.Close()
	pipe := small(t, "testdata/meter.p4")
	require.NoError(t, target.Load(pipe))
	require.NoError(t, target.WriteMeter(pipe.Program.Meters[0], 1, &dataplane.Meter{CBurst: 1, PBurst: 1}))
	first, err := target.Snapshot()
	require.NoError(t, err)
	frame := make([]byte, 14)
	frame[11] = 1
	second, e, err := target.Step(first, 1, frame, 5)
	require.NoError(t, err)
	require.Equal(t, byte(ir.MeterGreen), e.Outs[0].Frame[0])
	_, e, err = target.Step(second, 1, frame, 5)
	require.NoError(t, err)
	require.Equal(t, byte(ir.MeterRed), e.Outs[0].Frame[0])
	again, e, err := target.Step(first, 1, frame, 5)
	require.NoError(t, err)
	require.Equal(t, byte(ir.MeterGreen), e.Outs[0].Frame[0], "as it was")
	require.True(t, second.Equal(again))
	require.Equal(t, second.Append(nil), again.Append(nil))
	require.False(t, first.Equal(second))
	require.NotEqual(t, first.Append(nil), second.Append(nil))
}
