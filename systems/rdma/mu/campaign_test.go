package mu

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bigLog is a log in which entries may be longer than a campaign's first READ.
const bigLog = 1 << 20

// voter makes a core whose log ends at a position, as all logs do, but that of server 1,
// which goes on with entries of these sizes.
func voter(t *testing.T, position uint64, records ...int) *alone {
	a := newAlone(t, 0, 3, func(c *Config) { c.Log, c.Position, c.Index = make(plain, bigLog), position, 7 })
	for _, p := range a.peers {
		p.st.head, p.st.headIndex = position, 7
	}
	at, index := position, uint64(7)
	put := func(e entry) {
		off := a.core.geo.slot(at)
		e.position, e.index, e.term = at, index, 5<<8|1
		e.encode(a.peers[1].log[off : off+min(a.core.geo.left(at), entrySize(len(e.record)))])
	}
	for i, n := range records {
		if left := a.core.geo.left(at); left < entrySize(n) {
			put(entry{skip: true})
			at += left
		}
		put(entry{record: []byte(fmt.Sprintf("%0*d", n, i))})
		at += entrySize(n)
		index++
	}
	return a
}

func (a *alone) lengths() (all []int) {
	for _, r := range a.records() {
		all = append(all, len(r))
	}
	return all
}

// What a voter holds is adopted, however long, and whatever is skipped between.
func TestAdoptsAll(t *testing.T) {
	ring := uint64(bigLog - ringStart)
	for name, c := range map[string]struct {
		position uint64
		records  []int
	}{
		"nothing":                    {0, nil},
		"little":                     {0, []int{1, 2, 3}},
		"more than is read at first": {0, []int{10000, 10000, 10000, 100}},
		"long":                       {0, []int{200000, 100}},
		"around the end":             {ring - 1000, []int{500, 600, 700}},
		"a short skip":               {ring - 20000, []int{16300, 5000, 100}},
		"a long skip":                {ring - 330000, []int{230000, 150000, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			a := voter(t, c.position, c.records...)
			a.lead()
			a.tick(50 * ms)
			require.Equal(t, c.records, a.lengths())
		})
	}
}

// A candidate READs what is needed of the logs, not as much as could be.
func TestCampaignReadsLittle(t *testing.T) {
	a := voter(t, 0, 100, 100)
	read := 0
	for range 500 {
		a.now += ms
		for _, p := range a.peers {
			p.st.state = Recovering
			p.st.heartbeat++
		}
		a.core.Tick(a.now)
		for i := 0; i < 200 && len(a.ops) > 0; i++ {
			if o := a.ops[0]; o.Read && o.Region == LogRegion {
				read += len(o.Data)
			}
			a.step()
		}
		if a.core.role == Leader {
			require.Positive(t, read)
			require.LessOrEqual(t, read, 2*firstRead, "of two voters")
			return
		}
	}
	require.Fail(t, "it does not lead")
}

// When all paths to the leader have ended the next one asks at once.
func TestCampaignBeginsAtOnce(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.follow()
	a.tick(100 * ms)
	require.Equal(t, Follower, a.core.role)
	a.cut(0)
	require.Equal(t, Candidate, a.core.role)
	t.Run("unless another has asked", func(t *testing.T) {
		a := newAlone(t, 2, 3, nil)
		a.follow()
		a.tick(100 * ms)
		a.cut(1)
		r := request{cluster: 7, term: 6<<8 | 1, seq: 1, incarnation: 1}
		r.encode(a.vote[offRequest+requestLen*1:])
		a.cut(0)
		require.Equal(t, Follower, a.core.role)
		require.Equal(t, Term(6<<8|1), a.status().promised)
	})
}

// A permission that takes long is seen when it is there.
func TestLateGrant(t *testing.T) {
	for late := 6; late <= 15; late++ {
		t.Run(fmt.Sprintf("after %d ms", late), func(t *testing.T) {
			a := newAlone(t, 1, 3, nil)
			a.follow()
			a.tick(100 * ms)
			a.peers[0].refuses, a.peers[2].refuses = true, true
			a.cut(0)
			a.tick(time.Duration(late) * ms)
			require.Equal(t, Candidate, a.core.role)
			p := a.peers[2]
			var r request
			require.NoError(t, r.decode(p.vote[offRequest+requestLen*1:]))
			p.refuses, p.st.promised, p.st.seq = false, r.term, r.seq
			a.tick(ms)
			require.Equal(t, Leader, a.core.role)
		})
	}
}
