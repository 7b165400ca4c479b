package mu

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Which grants count, and what ends a campaign.
func TestCampaigns(t *testing.T) {
	// Of five servers, one of which answers beside this one and server 2.
	five := func(t *testing.T) *alone {
		a := newAlone(t, 0, 5, nil)
		for id, p := range a.peers {
			p.refuses = id > 2
		}
		return a
	}
	candidate := func(t *testing.T, a *alone) {
		for a.core.role != Candidate {
			a.tick(ms)
			require.Less(t, a.now, time.Second)
		}
	}
	t.Run("three of five", func(t *testing.T) {
		a := five(t)
		a.tick(100 * ms)
		a.asks(request{term: 5<<8 | 3, seq: 1, full: true, target: a.core.incarnation})
		a.peers[3].still = true
		a.tick(500 * ms)
		require.Equal(t, Leader, a.core.role)
	})
	for _, who := range []string{"this server", "another voter"} {
		t.Run("a grant of an earlier life: known to "+who, func(t *testing.T) {
			a := five(t)
			a.tick(100 * ms)
			a.asks(request{term: 5<<8 | 3, seq: 1, full: true, target: a.core.incarnation})
			region := a.vote
			if who != "this server" {
				region = a.peers[2].vote
			}
			binary.LittleEndian.PutUint64(region[offAnnounce+8*1:], 2) // server 1 has started again
			a.peers[3].still = true
			a.tick(500 * ms)
			require.NotEqual(t, Leader, a.core.role)
			a.peers[1].st.incarnation = 2
			a.tick(500 * ms)
			require.Equal(t, Leader, a.core.role)
		})
	}
	t.Run("a voter that promises another term meanwhile", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		for _, p := range a.peers {
			p.st.state = Recovering
		}
		const other = Term(99<<8 | 2)
		left := false
		for a.now < time.Second && !left {
			a.now += ms
			for _, p := range a.peers {
				p.st.heartbeat++
			}
			a.core.Tick(a.now)
			for range 200 {
				if len(a.ops) > 0 && a.ops[0].Read && a.ops[0].Region == LogRegion {
					p := a.peers[a.ops[0].Path.Peer]
					p.st.promised, p.st.seq = other, 77
					left = true
				}
				if !a.step() {
					break
				}
				require.False(t, a.core.role == Leader && a.core.promised < other, "its log may have grown since it was read")
			}
		}
		require.True(t, left)
	})
	t.Run("a voter that starts again meanwhile", func(t *testing.T) {
		a := newAlone(t, 0, 5, nil)
		for id, p := range a.peers {
			p.refuses, p.st.state = id != 1, Recovering
		}
		candidate(t, a)
		p := a.core.peer(1)
		for !p.granted {
			if !a.step() {
				a.tick(ms)
			}
			require.Less(t, a.now, time.Second)
		}
		a.peers[1].st.promised, a.peers[1].st.seq, a.peers[1].st.incarnation = 0, 0, 2
		a.peers[1].refuses = true
		for range 20 {
			if a.tick(ms); a.core.role == Follower {
				return
			}
		}
		require.Fail(t, "it goes on with a voter that has forgotten", "%q", a.events)
	})
	t.Run("another membership", func(t *testing.T) {
		a := newAlone(t, 0, 5, nil)
		for _, p := range a.peers {
			p.refuses, p.st.state = true, Recovering
		}
		candidate(t, a)
		a.core.Fetched(a.now, true, 4096, 3, []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}})
		require.Equal(t, Candidate, a.core.role, "it is the same membership")
		a.core.Fetched(a.now, true, 8192, 5, []Member{{ID: 0}, {ID: 1}, {ID: 2}})
		require.Equal(t, Follower, a.core.role)
	})
	t.Run("its term is higher than any that was seen", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		for _, p := range a.peers {
			p.st.promised = 50<<8 | 4
		}
		a.lead()
		require.Greater(t, a.core.promised, Term(50<<8|4))
	})
}

// What a new leader adopts from the voters' logs.
func TestAdopts(t *testing.T) {
	record := func(position, index uint64, r string) entry {
		return entry{position: position, index: index, term: 1<<8 | 1, record: []byte(r)}
	}
	leads := func(t *testing.T, logs func(a *alone)) *alone {
		a := newAlone(t, 0, 3, nil)
		logs(a)
		a.lead()
		a.tick(50 * ms)
		return a
	}
	put := func(log plain, e entry) uint64 {
		geo, _ := NewGeometry(len(log))
		size := entrySize(len(e.record))
		off := geo.slot(e.position)
		e.encode(log[off : off+size])
		return e.position + size
	}
	t.Run("what one of them has", func(t *testing.T) {
		a := leads(t, func(a *alone) { put(a.peers[1].log, record(0, 0, "x")) })
		require.Equal(t, []string{"x"}, a.records())
	})
	t.Run("of the highest term", func(t *testing.T) {
		a := leads(t, func(a *alone) {
			e := record(0, 0, "y")
			e.term = 2<<8 | 1
			put(a.peers[1].log, record(0, 0, "x"))
			put(a.peers[2].log, e)
		})
		require.Equal(t, []string{"y"}, a.records())
	})
	t.Run("nothing of another index", func(t *testing.T) {
		a := leads(t, func(a *alone) { put(a.peers[1].log, record(0, 5, "x")) })
		require.Empty(t, a.records())
	})
	t.Run("a membership, and nothing behind it", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		for _, p := range a.peers {
			p.st.state = Recovering
		}
		end := put(a.peers[1].log, record(0, 0, "x"))
		e := record(end, 1, string(EncodeMembers([]Member{{ID: 0}, {ID: 1}, {ID: 2}})))
		e.members = true
		end = put(a.peers[1].log, e)
		put(a.peers[1].log, record(end, 1, "behind it"))
		for a.core.role != Leader {
			if !a.step() {
				a.now += ms
				for _, p := range a.peers {
					p.st.heartbeat++
				}
				a.core.Tick(a.now)
			}
			require.Less(t, a.now, time.Second)
		}
		require.Equal(t, end, a.core.lead.tail, "what is behind it is decided by those who are members then")
	})
	t.Run("a membership of others, when not all have their memory", func(t *testing.T) {
		same, more := []Member{{ID: 0}, {ID: 1}}, []Member{{ID: 0}, {ID: 1}, {ID: 2}}
		for _, c := range []struct {
			members     []Member
			own, others bool // the server carries its journal over, and so do the others
			leads       bool
		}{{same, false, false, true}, {more, false, false, false}, {more, true, false, false}, {more, false, true, false}, {more, true, true, true}} {
			a := newAlone(t, 0, 2, func(cfg *Config) { cfg.Stored.Full = c.own })
			a.peers[1].st.state, a.peers[1].st.carries = Recovering, c.others
			e := record(0, 0, string(EncodeMembers(c.members)))
			e.members = true
			put(a.peers[1].log, e)
			led := false
			for range 500 {
				if !a.step() {
					a.now += ms
					a.peers[1].st.heartbeat++
					a.core.Tick(a.now)
				}
				led = led || a.core.role == Leader
			}
			require.Equal(t, c.leads, led, "server 2 may know what was decided since, and those that have forgotten do not")
		}
	})
	t.Run("one entry in a WRITE", func(t *testing.T) {
		a := leads(t, func(a *alone) {
			at := uint64(0)
			for i := range uint64(5) {
				at = put(a.peers[1].log, record(at, i, "record"))
			}
		})
		require.Len(t, a.records(), 5)
		size := entrySize(len("record"))
		n := 0
		for _, o := range a.posts {
			if !o.Read && o.Region == LogRegion && o.Offset >= RingStart && o.Offset < RingStart+5*size {
				require.LessOrEqual(t, uint64(len(o.bytes)), size, "half of it would destroy the vote for another")
				n++
			}
		}
		require.Equal(t, 10, n)
	})
	t.Run("nothing from a follower that has more than the log", func(t *testing.T) {
		a := leads(t, func(*alone) {})
		a.cut(2)
		p := a.peers[2]
		p.still, p.st.head = false, 1<<20
		a.connect(2)
		a.tick(50 * ms)
		require.False(t, a.core.peer(2).live)
	})
}

// Whom a leader goes on with.
func TestFollowersLeave(t *testing.T) {
	leader := func(t *testing.T, n int) *alone {
		a := newAlone(t, 0, n, nil)
		a.lead()
		a.tick(50 * ms)
		return a
	}
	t.Run("for another term", func(t *testing.T) {
		a := leader(t, 5)
		a.peers[1].st.promised = 99<<8 | 4
		a.peers[1].refuses = true
		a.tick(5 * ms)
		require.False(t, a.core.peer(1).live, "what it has applied since may be another leader's")
	})
	t.Run("and are asked again", func(t *testing.T) {
		a := leader(t, 3)
		p := a.core.peer(1)
		require.True(t, p.granted && p.full)
		a.cut(1)
		require.False(t, p.live || p.granted || p.full)
		require.Zero(t, p.link(Path{Kind: Replication}).open())
		a.peers[1].still = false
		a.connect(1)
		a.tick(50 * ms)
		require.True(t, p.live && p.granted && p.full)
	})
	t.Run("when they are removed", func(t *testing.T) {
		a := leader(t, 5)
		p := a.core.peer(4)
		require.NoError(t, a.core.ChangeMembership(a.now, a.core.members[:4]))
		a.tick(20 * ms)
		require.Len(t, a.core.members, 4)
		require.False(t, p.live)
	})
	t.Run("and what was under way does not count for what comes after", func(t *testing.T) {
		a := leader(t, 3)
		a.peers[2].stuck = true
		a.propose("x")
		require.NotZero(t, a.core.peer(2).link(Path{Kind: Replication}).open())
		p := Path{Peer: 2, Kind: Replication}
		a.drop(p)
		a.core.Up(a.now, p)
		require.Zero(t, a.core.peer(2).link(p).open())
	})
	t.Run("a membership takes no index", func(t *testing.T) {
		a := leader(t, 3)
		a.propose("x")
		require.NoError(t, a.core.ChangeMembership(a.now, []Member{{ID: 0}, {ID: 1}}))
		a.tick(50 * ms)
		a.propose("y")
		a.tick(50 * ms)
		require.Equal(t, []string{"x", "y"}, a.records())
		require.EqualValues(t, 1, a.given[len(a.given)-1].Index)
	})
}
