package events

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Events come by time, those at the same time in the order in which they were made, also when
// some are made meanwhile.
func TestOrder(t *testing.T) {
	var q Queue[int64, func()]
	always := func() bool { return true }
	do := func(f func()) { f() }
	rnd := rand.New(rand.NewPCG(1, 2))
	type came struct {
		at int64
		n  int
	}
	var got []came
	n := 0
	var add func(depth int)
	add = func(depth int) {
		at := q.Now() + rnd.Int64N(20)
		n++
		me := came{at, n}
		q.At(at, func() {
			require.Equal(t, at, q.Now())
			got = append(got, me)
			if depth > 0 && rnd.IntN(2) == 0 {
				add(depth - 1)
			}
		})
	}
	for range 5000 {
		add(3)
	}
	q.Run(100, always, do)
	require.Len(t, got, n)
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		require.True(t, a.at < b.at || a.at == b.at && a.n < b.n, "%v before %v", a, b)
	}
	require.EqualValues(t, 100, q.Now())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		q.At(0, nil) // that has passed: it happens now
		q.Run(100, always, func(func()) {})
	}))
	require.EqualValues(t, 100, q.Now())
}

// A run that is to end leaves what is left for the next, and the time where it is.
func TestRunEnds(t *testing.T) {
	var q Queue[int64, int]
	var got []int
	for _, n := range []int{3, 1, 4, 2} {
		q.At(int64(n), n)
	}
	take := func(n int) { got = append(got, n) }
	at, ok := q.Next()
	require.True(t, ok && at == 1 && q.Len() == 4)
	q.Run(10, func() bool { return len(got) < 2 }, take)
	require.Equal(t, []int{1, 2}, got)
	require.EqualValues(t, 2, q.Now())
	q.Run(3, func() bool { return true }, take)
	require.Equal(t, []int{1, 2, 3}, got)
	q.Run(4, func() bool { return true }, take)
	_, ok = q.Next()
	require.False(t, ok)
	require.EqualValues(t, 4, q.Now())
}
