package replicate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// TestFollower feeds a follower a log whose bytes arrive in random pieces and
// order: it applies exactly the decided records, in order.
func TestFollower(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 5))
	for range 50 {
		geo, _ := mu.NewGeometry(MinLogSize)
		c := newCore(geo, make([]byte, MinLogSize), 1, 1, 1000, 1000, 1)
		c.peers[0].live = true
		f := follower{geo: geo}
		region := make([]byte, MinLogSize)
		var want, got [][]byte
		for len(want) < 300 {
			// Some records, each decided at once or later.
			var pieces [][2]int // offset, length in region
			for range r.IntN(5) {
				rec := record(len(want), 1+r.IntN(200))
				if ok, _ := c.fits(len(rec)); !ok {
					break
				}
				begin := c.tail
				c.append(rec, 0, nil)
				want = append(want, rec)
				for pos := begin; pos < c.tail; {
					size, data := geo.Span(c.region, pos)
					for off := 0; off < len(data); {
						n := min(len(data)-off, 1+r.IntN(60))
						pieces = append(pieces, [2]int{int(geo.Slot(pos)) + off, n})
						off += n
					}
					pos += size
				}
			}
			r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
			take := func() {
				f.look(region)
				for {
					e, ok := f.take(region)
					if !ok {
						break
					}
					require.LessOrEqual(t, f.head, c.decided)
					got = append(got, bytes.Clone(e.Record))
				}
			}
			for _, p := range pieces {
				copy(region[p[0]:p[0]+p[1]], c.region[p[0]:])
				if r.IntN(3) == 0 {
					take()
				}
			}
			c.peers[0].acked, c.peers[0].posted = c.tail, c.tail
			c.decide()
			for {
				if _, ok := c.pop(); !ok {
					break
				}
			}
			if r.IntN(2) == 0 {
				if data, ok := c.commitWrite(&c.peers[0].track); ok {
					copy(region, data)
					c.peers[0].commitOpen = false
				}
			}
			take()
			c.peers[0].head = f.head
		}
		binary.LittleEndian.PutUint64(region[mu.CommitOffset:], c.decided)
		f.look(region)
		for {
			e, ok := f.take(region)
			if !ok {
				break
			}
			got = append(got, bytes.Clone(e.Record))
		}
		require.Equal(t, want, got)
		// At the end of the ring a follower passes over room for no header before
		// the leader does.
		require.GreaterOrEqual(t, f.head, c.tail)
		_, header := geo.Cost(0, 0)
		require.Less(t, f.head-c.tail, header)
	}
}

// FuzzFollower: no content of the region makes a follower panic, run for ever or
// hand out a record that lies outside the log.
func FuzzFollower(f *testing.F) {
	geo, _ := mu.NewGeometry(MinLogSize)
	c := newCore(geo, make([]byte, MinLogSize), 1, 1, 10, 10, 1)
	c.append([]byte("hello"), 0, nil)
	c.append([]byte("world"), 0, nil)
	f.Add(c.region[:400], uint64(2), uint64(0))
	f.Add([]byte{}, uint64(1), geo.Ring()-8)
	f.Fuzz(func(t *testing.T, content []byte, commit, start uint64) {
		region := make([]byte, MinLogSize)
		copy(region, content)
		binary.LittleEndian.PutUint64(region[mu.CommitOffset:], commit)
		start &= 1<<50 - 8
		fo := follower{geo: geo, head: start, seen: start}
		for range 3 {
			fo.look(region)
			for {
				if _, ok := fo.take(region); !ok {
					break
				}
			}
		}
		if fo.head > fo.seen {
			t.Fatalf("head %d, seen %d", fo.head, fo.seen)
		}
	})
}

// TestDecidedIsHeld: what a leader takes for decided is held by as many connected replicas
// as are needed, in whatever order they say so.
func TestDecidedIsHeld(t *testing.T) {
	geo, err := mu.NewGeometry(1 << 16)
	require.NoError(t, err)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := 1 + rnd.IntN(8)
		need := 1 + rnd.IntN(n)
		c := newCore(geo, make([]byte, 1<<16), n, need, 10, 10, 1)
		for i := range c.peers {
			c.peers[i].live = rnd.IntN(4) > 0
		}
		for range 20 {
			p := &c.peers[rnd.IntN(n)]
			if p.live {
				p.open++
				c.ack(&p.track, uint64(rnd.IntN(100)))
			}
			held := 0
			for i := range c.peers {
				if c.peers[i].live && c.peers[i].acked >= c.decided {
					held++
				}
			}
			require.True(t, c.decided == 0 || held >= need, "%d of %d needed hold %d", held, need, c.decided)
		}
	}
}
