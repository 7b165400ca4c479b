package trace

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrder: packets of CPUs whose rings are read in rounds come out in the order
// of their times, none lost, and none held for longer than two rounds.
func TestOrder(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		cpus := 1 + r.IntN(4)
		rings := make([][]packet, cpus)
		now, made := uint64(0), 0
		var got []uint64
		o := order{write: func(p packet) error { got = append(got, p.time); return nil }}
		record := func() {
			for range r.IntN(6) {
				now++
				made++
				cpu := r.IntN(cpus)
				rings[cpu] = append(rings[cpu], packet{time: now})
			}
		}
		for range 50 {
			record()
			heads := make([]int, cpus)
			for cpu := range heads {
				heads[cpu] = len(rings[cpu])
				record() // between two looks
			}
			some := false
			for cpu := cpus - 1; cpu >= 0; cpu-- {
				for i := range heads[cpu] {
					require.NoError(t, o.add(rings[cpu][i], cpu, heads[cpu]-1-i))
					some = true
				}
				rings[cpu] = rings[cpu][heads[cpu]:]
			}
			if !some {
				require.NoError(t, o.round()) // as at the deadline
			}
		}
		waiting := 0
		for _, ring := range rings {
			waiting += len(ring)
		}
		require.NoError(t, o.round())
		require.NoError(t, o.round())
		require.Len(t, got, made-waiting, "seed %d: two rounds without a packet", seed)
		require.NoError(t, o.end())
		require.IsIncreasing(t, append([]uint64{0}, got...), "seed %d", seed)
	}
}

func TestParse(t *testing.T) {
	b := make([]byte, headerSize+8)
	binary.NativeEndian.PutUint64(b, 77)
	binary.NativeEndian.PutUint32(b[8:], 5)
	binary.NativeEndian.PutUint16(b[12:], 3)
	binary.NativeEndian.PutUint16(b[14:], 1)
	p, ok := parse(b)
	require.True(t, ok)
	require.Equal(t, packet{side{3, 1}, 77, make([]byte, 5)}, p)
	binary.NativeEndian.PutUint32(b[8:], 100) // more than there is
	p, ok = parse(b)
	require.True(t, ok)
	require.Len(t, p.frame, 8)
	_, ok = parse(b[:headerSize-1])
	require.False(t, ok)
	_, ok = parse(nil)
	require.False(t, ok, "a record of what was lost")
}
