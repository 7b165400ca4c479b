package smr

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGovernor: a stream is written as fast as does not keep what is decided waiting for
// much longer than without it.
func TestGovernor(t *testing.T) {
	const n = 100
	look := func(g *governor, stream bool, mean time.Duration) { g.look(stream, n, n*mean) }
	t.Run("slower while records wait", func(t *testing.T) {
		g := governor{rate: yieldBegin, least: yieldLeast}
		look(&g, false, time.Millisecond)
		last := g.rate
		for g.rate > yieldLeast {
			look(&g, true, 2*time.Millisecond)
			require.Less(t, g.rate, last)
			last = g.rate
		}
		look(&g, true, time.Second)
		require.EqualValues(t, yieldLeast, g.rate, "the server is back some day")
	})
	t.Run("faster while they do not", func(t *testing.T) {
		g := governor{rate: yieldLeast, least: yieldLeast}
		look(&g, false, time.Millisecond)
		look(&g, true, 1400*time.Microsecond)
		require.Greater(t, g.rate, float64(yieldLeast))
		for range 1000 {
			look(&g, true, time.Millisecond)
		}
		require.EqualValues(t, yieldMost, g.rate)
	})
	t.Run("it settles where clients lose a third", func(t *testing.T) {
		g := governor{rate: yieldBegin, least: yieldLeast}
		look(&g, false, time.Millisecond)
		for i := range 500 {
			// What a record takes grows with the rate: twice as long at 64 MiB a second.
			look(&g, true, time.Millisecond+time.Duration(g.rate/(64<<20)*float64(time.Millisecond)))
			if i > 50 {
				require.InDelta(t, 32<<20, g.rate, 12<<20)
			}
		}
	})
	t.Run("without clients it is as fast as it can be", func(t *testing.T) {
		g := governor{rate: yieldLeast, least: yieldLeast}
		for range 20 {
			g.look(true, yieldNoise-1, time.Hour)
		}
		require.EqualValues(t, yieldMost, g.rate)
		g = governor{rate: yieldLeast, least: yieldLeast}
		g.look(false, yieldNoise-1, time.Hour)
		require.Zero(t, g.alone, "so few say nothing")
	})
	t.Run("it finds out again what a record takes alone", func(t *testing.T) {
		g := governor{rate: yieldBegin, least: yieldLeast}
		look(&g, false, time.Millisecond)
		for range 30 {
			look(&g, false, 4*time.Millisecond) // the clients have other work now
		}
		rate := g.rate
		look(&g, true, 4*time.Millisecond)
		require.Greater(t, g.rate, rate)
	})
	t.Run("not before it knows", func(t *testing.T) {
		g := governor{rate: yieldBegin, least: yieldLeast}
		look(&g, true, time.Second)
		require.EqualValues(t, yieldBegin, g.rate)
	})
	t.Run("faster than clients write", func(t *testing.T) {
		g := governor{rate: yieldBegin, least: yieldLeast}
		look(&g, false, time.Millisecond)
		g.floor(25<<20, 8)
		require.EqualValues(t, 200<<20, g.rate)
		for range 100 {
			look(&g, true, time.Second) // whatever that does to them
		}
		require.EqualValues(t, 200<<20, g.rate)
		g.floor(1<<10, 8)
		for range 100 {
			look(&g, true, time.Second)
		}
		require.EqualValues(t, yieldLeast, g.rate, "they write little")
		g.floor(1<<40, 8)
		require.EqualValues(t, yieldMost, g.rate)
	})
}
