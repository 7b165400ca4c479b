package mu

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// holding makes a peer hold n decided entries of up to size bytes, from a position on, and say that it has applied them.
func (a *alone) holding(id ID, position, index uint64, n, size int) (records []string) {
	p := a.peers[id]
	at := position
	put := func(e entry) {
		off := a.core.geo.slot(at)
		e.position, e.index, e.term = at, index, 1<<8|1
		e.encode(p.log[off : off+min(a.core.geo.left(at), entrySize(len(e.record)))])
	}
	for i := range n {
		r := fmt.Sprintf("%0*d", size-i%3, i)
		if left := a.core.geo.left(at); left < entrySize(len(r)) {
			if left >= entryHeader {
				put(entry{skip: true})
			}
			at += left
		}
		put(entry{record: []byte(r)})
		at += entrySize(len(r))
		records = append(records, r)
		index++
	}
	p.st.head, p.st.headIndex = at, index
	return records
}

// A candidate gets the decided entries that it lacks from the log of who has applied most, or all of the state if they are
// there no more.
func TestCatchesUp(t *testing.T) {
	ring := uint64(MinLogSize - ringStart)
	behind := func(t *testing.T, durable bool, position uint64) *alone {
		a := newAlone(t, 0, 3, func(c *Config) {
			if c.Position, c.Index = position, 7; durable {
				c.Durable, c.Stored = true, Stored{Full: true, Incarnation: 3}
			}
		})
		for _, p := range a.peers {
			if p.st.head = position; !durable {
				p.st.state = Recovering // as this server is
			}
		}
		return a
	}
	for _, c := range []struct {
		about    string
		position uint64
		n, size  int
	}{
		{"a few", 0, 5, 100},
		{"around the end, with a mark", ring - 256, 5, 100},
		{"around the end, without one", ring - 288 - 32, 5, 100},
		{"to the end", ring - 576, 4, 104},
		{"a whole ring", 0, 26, 104},
	} {
		for _, durable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, durable %v", c.about, durable), func(t *testing.T) {
				a := behind(t, durable, c.position)
				records := a.holding(1, c.position, 7, c.n, c.size)
				head := a.peers[1].st.head
				require.LessOrEqual(t, head-c.position, ring)
				for a.core.role != Leader {
					a.tick(ms)
					require.Less(t, a.now, 1000*ms, "%q", a.events)
				}
				require.Empty(t, a.fetched)
				require.Equal(t, records, a.records())
				require.Equal(t, head, a.core.lead.start)
				require.Equal(t, head, a.core.commit)
				if !durable {
					require.Empty(t, a.logged)
					return
				}
				at := c.position
				for _, l := range a.logged { // all of it goes to disk, but what has no bytes
					if left := a.core.geo.left(at); left < entryHeader {
						at += left
					}
					require.Equal(t, at, l.Position)
					e, ok, _ := a.core.geo.decode(l.Bytes, at)
					require.True(t, ok)
					require.Equal(t, Term(1<<8|1), l.Term)
					at += e.size
					require.Equal(t, at, l.End)
				}
				require.Equal(t, head, at)
			})
		}
	}
	for about, c := range map[string]struct {
		change func(a *alone)
		reads  bool
	}{
		"one is damaged": {func(a *alone) { a.peers[1].log[ringStart+200+entryHeader]++ }, true},
		"of another round": {func(a *alone) {
			e := entry{position: ring, record: []byte("later")}
			e.encode(a.peers[1].log[ringStart : ringStart+entrySize(5)])
		}, true},
		"more than the log": {func(a *alone) { a.peers[1].st.head = ring + 8 }, false},
	} {
		t.Run(about, func(t *testing.T) {
			a := behind(t, false, 0)
			a.holding(1, 0, 7, 5, 100)
			c.change(a)
			for len(a.fetched) == 0 {
				a.tick(ms)
				require.Less(t, a.now, 1000*ms)
			}
			require.Equal(t, []ID{1}, a.fetched)
			require.Empty(t, a.given)
			read := false
			for _, o := range a.posts {
				read = read || o.Read && o.Region == LogRegion
			}
			require.Equal(t, c.reads, read)
			a.tick(20 * ms)
			require.Equal(t, Candidate, a.core.role, "it waits for the state")
			require.Len(t, a.fetched, 1)
			a.core.Fetched(a.now, true, a.peers[1].st.head, 12, nil)
			a.tick(20 * ms)
			require.Equal(t, Leader, a.core.role)
			require.Equal(t, a.peers[1].st.head, a.core.lead.start)
			require.EqualValues(t, 12, a.core.lead.index)
		})
	}
	t.Run("not over what is not applied here", func(t *testing.T) {
		a := behind(t, false, 0)
		a.slow = true
		a.holding(1, 0, 7, 3, 100)
		a.tick(50 * ms)
		require.Equal(t, Leader, a.core.role, "what is adopted may wait")
		require.Zero(t, a.core.head)
	})
}
