package mu

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a server announces is its incarnation, whatever is read meanwhile: when a second route to a peer comes up, the
// peer's incarnations are read once more, and the answer may land when the announcement was posted but not sent.
func TestAnnounces(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.now += ms
	a.core.Tick(a.now) // the incarnations of all are asked for
	for id := range a.peers {
		p := Path{Peer: id, Kind: Control, Route: 1}
		a.up[p] = true
		a.core.Up(a.now, p)
	}
	a.now += ms
	a.core.Tick(a.now) // and asked for again
	reads := 0
	for _, o := range a.ops {
		if o.Read && o.Region == ElectionRegion && o.Offset == offAnnounce+8*1 {
			reads++
		}
	}
	require.Equal(t, 4, reads)
	a.run() // which compares what a WRITE has when it is posted and executed
	a.tick(5 * ms)
	require.NotZero(t, a.core.incarnation)
	for id, p := range a.peers {
		require.Equal(t, a.core.incarnation, binary.LittleEndian.Uint64(p.vote[offAnnounce+8*1:]), "server %d", id)
	}
	require.True(t, a.core.recovered())
}

// How many must have heard of a server that starts, and how many tell it what was promised.
func TestRecovers(t *testing.T) {
	for _, c := range []struct {
		servers    int
		full, rest int // who answer: with their memory, and without
		known      bool
		recovered  bool
	}{
		{1, 0, 0, true, true}, {2, 0, 0, false, false}, {2, 1, 0, true, true}, {2, 0, 1, true, true},
		{3, 1, 0, false, false}, {3, 2, 0, true, true}, {3, 1, 1, true, true}, {3, 0, 2, true, true},
		{4, 1, 0, false, false}, {4, 2, 0, true, true}, {4, 1, 1, true, false}, {4, 1, 2, true, true}, {4, 0, 2, true, false},
		{5, 2, 0, false, false}, {5, 3, 0, true, true}, {5, 2, 1, true, false}, {5, 2, 2, true, true}, {5, 0, 3, true, false},
		{5, 0, 4, true, true}, {5, 0, 2, false, false},
	} {
		a := newAlone(t, 0, c.servers, nil)
		for i := 1; i < c.servers; i++ {
			p := a.peers[ID(i)]
			p.stuck = i > c.full+c.rest
			if i > c.full {
				p.st.state = Recovering
			}
			p.st.promised = Term(i)<<8 | 3
			binary.LittleEndian.PutUint64(p.vote[offAnnounce:], uint64(10*i))
		}
		a.core.learner = &Member{ID: 9}
		a.core.connect()
		a.peer(9).st.promised = 90 << 8
		for range 10 {
			a.now += ms / 10
			a.core.Tick(a.now)
			a.run()
		}
		answered := c.full + c.rest
		require.Equal(t, c.known, a.core.incarnation != 0, "%+v", c)
		require.Equal(t, c.recovered, a.core.recovered(), "%+v", c)
		require.Zero(t, binary.LittleEndian.Uint64(a.peers[9].vote[offAnnounce:]), "it is no member")
		for i := 1; i < c.servers; i++ {
			want := uint64(10 * i)
			if c.known && i <= answered {
				want = a.core.incarnation
			}
			require.Equal(t, want, binary.LittleEndian.Uint64(a.peers[ID(i)].vote[offAnnounce:]), "%+v: server %d", c, i)
		}
		if c.known {
			require.Equal(t, a.core.incarnation, a.core.ownVector(0))
			require.Equal(t, a.core.incarnation, a.status().incarnation)
			need := min(c.servers-c.servers/2, c.servers-1)
			require.EqualValues(t, 10*need+1, a.core.incarnation, "%+v", c)
		}
		if c.recovered && answered > 0 && a.core.role == Follower {
			require.Equal(t, Term(answered)<<8|3, a.status().promised, "%+v", c)
		} else if !c.recovered {
			require.Zero(t, a.core.promised)
		}
	}
	t.Run("its incarnation is that of the configuration, if that is higher", func(t *testing.T) {
		for _, members := range []int{0, 1, 3} {
			a := newAlone(t, 0, members, func(c *Config) { c.Incarnation = 77 })
			a.tick(ms)
			require.EqualValues(t, 77, a.status().incarnation)
			a = newAlone(t, 0, members, nil)
			a.tick(ms)
			require.EqualValues(t, 1, a.status().incarnation)
			require.True(t, a.core.recovered())
		}
	})
	t.Run("one that keeps its memory elsewhere is no peer", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.peers[1].st.durable = true
		a.tick(20 * ms)
		require.False(t, a.core.recovered())
	})
	t.Run("what is on disk there must be what it has announced", func(t *testing.T) {
		a := newAlone(t, 1, 3, func(c *Config) { c.Durable = true })
		lost := func() {
			for _, p := range a.peers {
				clear(p.vote[offAnnounce+8*1:][:8]) // the peer puts back what was there
			}
			a.announced()
		}
		for range 20 {
			a.now += ms
			a.core.Tick(a.now)
			for range 20 {
				lost()
				a.step()
			}
		}
		require.NotZero(t, a.core.incarnation)
		require.False(t, a.core.recovered())
		for range 5 {
			a.tick(ms)
			a.announced()
		}
		require.True(t, a.core.recovered())
	})
	t.Run("a path that ends is asked anew by the next", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.peers[1].stuck = true
		a.tick(5 * ms)
		require.False(t, a.core.recovered())
		a.cut(1)
		a.peers[1].stuck, a.peers[1].still = false, false
		a.tick(5 * ms)
		require.False(t, a.core.recovered())
		a.connect(1)
		a.tick(5 * ms)
		require.True(t, a.core.recovered())
	})
}
