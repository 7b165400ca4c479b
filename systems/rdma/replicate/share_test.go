package replicate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// TestShare: entries that wait share WRITEs up to the limit, in order and whole, across laps
// of the ring; a follower finds each of them.
func TestShare(t *testing.T) {
	geo, err := mu.NewGeometry(MinLogSize)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom([]int{0, 64, 256, 1024}).Draw(t, "share")
		c := newCore(geo, make([]byte, MinLogSize), 1, 1, 1000, 1000, 1)
		c.share, c.peers[0].live = share, true
		p := &c.peers[0]
		far := make([]byte, MinLogSize)
		f := follower{geo: geo}
		sent, shared := 0, 0
		for round := range rapid.IntRange(1, 40).Draw(t, "rounds") {
			n := 0
			for want := rapid.IntRange(1, 12).Draw(t, "records"); n < want; n++ {
				record := []byte(fmt.Sprintf("%d %0*d", round, rapid.IntRange(0, 200).Draw(t, "size"), n))
				if ok, _ := c.fits(len(record)); !ok {
					break
				}
				c.append(record, 0, nil)
			}
			writes := 0
			for {
				before := p.posted
				data, pos, end, ok := c.next(&p.track, c.tail)
				if !ok {
					break
				}
				writes++
				require.GreaterOrEqual(t, pos, before)
				copy(far[geo.Slot(pos):], data)
				size, first := geo.Span(c.region, pos)
				if end > pos+size {
					shared++
					require.LessOrEqual(t, len(data), share)
				} else {
					require.Equal(t, first, data)
				}
				c.ack(&p.track, end)
			}
			require.LessOrEqual(t, writes, n+2) // and two marks at the end of the ring
			require.Equal(t, c.tail, p.posted)
			for range n {
				if _, ok := c.pop(); !ok {
					t.Fatal("not decided")
				}
			}
			// What is decided is known with the next entry.
			f.commit = c.decided
			f.look(far)
			for {
				e, ok := f.take(far)
				if !ok {
					break
				}
				require.Contains(t, string(e.Record), fmt.Sprint(round))
				sent++
			}
			p.head = f.head
		}
		require.Equal(t, int(c.index), sent, "every record arrived")
		require.True(t, share > 0 || shared == 0)
	})
}

// TestGathers: records that may share a WRITE wait for the next completion sooner than those that may not.
func TestGathers(t *testing.T) {
	geo, err := mu.NewGeometry(MinLogSize)
	require.NoError(t, err)
	c := newCore(geo, make([]byte, MinLogSize), 1, 1, 100, 100, 1)
	alone := c.batchFrom()
	c.share = 1024
	require.Less(t, c.batchFrom(), alone)
	require.Positive(t, c.batchFrom(), "what nothing is in the way of does not wait")
}
