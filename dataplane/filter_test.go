package dataplane

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is Filter's, in numbers that cannot overflow.
func model(f *Filter, average, value, dt uint64) uint64 {
	n := func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
	dt = min(dt, FilterMax)
	tau := f.Decay
	if !f.Rate && value<<8 >= average {
		tau = f.Gain
	}
	share := func(x uint64) *big.Int {
		sum := new(big.Int).Add(n(dt), n(tau))
		if sum.Sign() == 0 {
			return n(1 << 16)
		}
		return sum.Quo(new(big.Int).Lsh(n(x), 16), sum)
	}
	scaled := func(x, by *big.Int) *big.Int {
		x = new(big.Int).Mul(x, by)
		return x.Quo(x, n(1<<16))
	}
	v := new(big.Int).Lsh(n(value), 8)
	if f.Rate {
		sum := v.Add(v, scaled(n(average), share(tau)))
		return min(sum.Uint64(), 1<<47-1)
	}
	return new(big.Int).Add(n(average), scaled(v.Sub(v, n(average)), share(dt))).Uint64()
}

func TestFilterModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	number := func(bits int) uint64 { return rnd.Uint64() >> (64 - rnd.IntN(bits+1)) }
	for range 20000 {
		f := &Filter{Rate: rnd.IntN(2) == 0, Gain: number(40), Decay: number(40)}
		require.NoError(t, f.Check())
		average, value, dt := number(40), number(32), number(64)
		if f.Rate {
			average = number(47)
		}
		require.Equal(t, model(f, average, value, dt), f.Next(average, value, dt), "%+v: %d, %d after %d ns", f, average, value, dt)
	}
}

// TestFilterFollows: an average goes to a new value as an exponential with the time constant, and a rate is what comes in one.
func TestFilterFollows(t *testing.T) {
	f := &Filter{Gain: 1e6, Decay: 2e6}
	up, down := uint64(0), uint64(1000<<8)
	for range 1000 { // of 1 us: one time constant up, half of one down
		up, down = f.Next(up, 1000, 1000), f.Next(down, 0, 1000)
	}
	require.InDelta(t, 1000*(1-1/math.E), float64(up)/256, 10)
	require.InDelta(t, 1000*math.Exp(-0.5), float64(down)/256, 10)
	rate := &Filter{Rate: true, Decay: 1e6}
	sum := uint64(0)
	for range 20000 { // 100 bytes in each us
		sum = rate.Next(sum, 100, 1000)
	}
	require.InDelta(t, 100*1000, float64(sum)/256, 2000)
	require.EqualValues(t, sum>>8>>3, (&Filter{Scale: 3}).Result(sum, 32))
	require.EqualValues(t, 255, (&Filter{}).Result(sum, 8), "the largest of its type")
}

func TestFilterDrops(t *testing.T) {
	f := &Filter{Min: 100, Max: 300, Probability: 1 << 15}
	for _, c := range []struct {
		average uint64
		random  uint16
		drops   bool
	}{{99, 0, false}, {100, 0, false}, {200, 1<<14 - 1, true}, {200, 1 << 14, false}, {299, 32603, true}, {299, 32605, false}, {300, 65535, true}, {1 << 30, 65535, true}} {
		require.Equal(t, c.drops, f.Drops(c.average<<8, c.random), "%+v", c)
	}
	require.True(t, (&Filter{}).Drops(0, 0), "both thresholds are 0")
	for _, f := range []Filter{{Gain: FilterMax + 1}, {Decay: FilterMax + 1}, {Scale: 33}, {Min: 2, Max: 1}, {Probability: 1<<16 + 1}} {
		require.ErrorIs(t, f.Check(), ErrFilter)
	}
}
