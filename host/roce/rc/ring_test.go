package rc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRing: a ring is a queue that grows as far as its size; positions stay.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 100).Draw(t, "size")
		r := newRing[int](size)
		var model []int
		first, next := uint64(0), 1
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1, 2:
				if len(model) > 0 {
					require.Equal(t, model[0], r.pop())
					model, first = model[1:], first+1
				}
			case 3:
				if len(model) > 0 {
					r.drop()
					model = model[:len(model)-1]
				}
			case 4:
				if r.full() {
					r.grow()
					require.False(t, r.full())
				}
			default:
				if !r.full() {
					r.push(next)
					model, next = append(model, next), next+1
				}
			}
			require.Equal(t, len(model), r.len())
			require.Equal(t, len(model) == 0, r.empty())
			require.True(t, r.full() || r.len() < r.size)
			require.True(t, !r.full() || r.len() >= size)
			for i, v := range model {
				require.True(t, r.has(first+uint64(i)))
				require.Equal(t, v, *r.at(first + uint64(i)))
			}
			require.False(t, r.has(first+uint64(len(model))))
		}
	})
	r := newRing[int](1 << 10)
	require.LessOrEqual(t, len(r.buf), ringStart, "what is not needed takes no room")
}
