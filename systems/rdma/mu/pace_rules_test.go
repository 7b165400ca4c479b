package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When a leader gives way, and whom it does not wait for.
func TestGivesWay(t *testing.T) {
	t.Run("who reaches no majority", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(1)
		a.cut(2)
		a.tick(a.core.cfg.StallAfter - 10*ms)
		require.Equal(t, Leader, a.core.role)
		for a.core.role == Leader {
			a.tick(ms)
			require.Less(t, a.now, 2*time.Second, "it has nothing to decide, and still nobody follows it")
		}
		require.NotEqual(t, Leader, a.roles[len(a.roles)-1].Role, "nobody was told")
		muted := a.now
		for range 3 {
			a.tick(a.core.cfg.HeartbeatEvery)
			require.NotEqual(t, Leader, a.core.role)
		}
		require.Greater(t, a.core.muted, muted)
	})
	t.Run("one follower of four is not enough", func(t *testing.T) {
		a := newAlone(t, 0, 5, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(2)
		a.cut(3)
		a.cut(4)
		for a.core.role == Leader {
			a.tick(ms)
			require.Less(t, a.now, 2*time.Second)
		}
	})
	t.Run("a majority is enough", func(t *testing.T) {
		a := newAlone(t, 0, 5, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(3)
		a.cut(4)
		a.tick(4 * a.core.cfg.StallAfter)
		require.Equal(t, Leader, a.core.role)
	})
	t.Run("whose entry nobody takes", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		a.propose("x")
		a.tick(a.core.cfg.StallAfter + 20*ms)
		require.NotEqual(t, Leader, a.core.role)
		require.Equal(t, 1, a.steppedDown)
	})
}

// A peer that holds up a full log is dropped, once, and not asked again at once.
func TestSlowPeer(t *testing.T) {
	full := func(t *testing.T, members int) *alone {
		a := newAlone(t, 0, members, nil)
		a.lead()
		a.tick(50 * ms)
		a.peers[2].st.head = 0 // it takes all, and applies nothing
		for range 20 {
			a.fill()
			for id := range a.peers {
				if id != 2 {
					a.peers[id].st.head = a.core.head
				}
			}
			a.tick(5 * ms)
		}
		require.NotZero(t, a.core.lead.blocked)
		return a
	}
	t.Run("after a while", func(t *testing.T) {
		a := full(t, 3)
		a.tick(a.core.cfg.SlowAfter / 2)
		require.True(t, a.core.peer(2).live)
		rooms := a.rooms
		for a.core.peer(2).live {
			a.tick(ms)
			require.Less(t, a.now, 5*time.Second)
		}
		require.Greater(t, a.rooms, rooms, "who waits for room is told")
		require.True(t, a.core.peer(1).live, "it is the slowest that is dropped")
		dropped := a.now
		for !a.core.peer(2).asked {
			a.tick(ms)
		}
		require.GreaterOrEqual(t, a.now-dropped, a.core.cfg.SlowAfter-2*ms)
	})
	t.Run("not if it is needed", func(t *testing.T) {
		a := full(t, 3)
		a.cut(1)
		a.tick(2 * a.core.cfg.SlowAfter)
		require.True(t, a.core.peer(2).live)
	})
	t.Run("not while there is room", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.propose("x")
		a.peers[1].st.head = a.core.head
		a.tick(3 * a.core.cfg.SlowAfter)
		require.True(t, a.core.peer(2).live)
	})
}

// Who waits for room is told when there is some.
func TestRoom(t *testing.T) {
	t.Run("in the window", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Window = 2 })
		a.lead()
		a.tick(50 * ms)
		a.propose("x")
		a.propose("y")
		_, ok, err := a.core.Propose(a.now, []byte("z"))
		require.NoError(t, err)
		require.False(t, ok)
		rooms := a.rooms
		a.run()
		require.Greater(t, a.rooms, rooms)
		a.propose("z")
	})
	t.Run("in the log", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.slow = true
		a.fill()
		for _, p := range a.peers {
			p.st.head = a.core.lead.tail
		}
		a.tick(5 * ms)
		rooms := a.rooms
		a.slow = false
		a.apply()
		require.Greater(t, a.rooms, rooms)
	})
	t.Run("before a change of membership", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		a.propose("x")
		require.NoError(t, a.core.ChangeMembership(a.now, []Member{{ID: 0}, {ID: 1}}))
		a.peers[1].stuck, a.peers[2].stuck = false, false
		rooms := a.rooms
		a.tick(50 * ms)
		require.Len(t, a.core.members, 2)
		require.Greater(t, a.rooms, rooms)
	})
}

// The unused end of the ring is applied in its turn: the state is behind it then, and not before.
func TestAppliesSkip(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.follow()
	at := a.core.geo.ring - 96
	a.core.head, a.core.emitted, a.core.seen, a.core.commit = at, at, at, at
	end := a.writes(entry{position: at, index: 0, term: 5 << 8, commit: at, record: []byte("x")})
	e := entry{position: end, index: 1, term: 5 << 8, commit: at, skip: true}
	off := a.core.geo.slot(end)
	e.encode(a.log[off : off+entryHeader])
	ring := a.core.geo.ring
	a.writes(entry{position: ring, index: 1, term: 5 << 8, commit: ring, record: []byte("y")})
	a.slow = true
	a.core.Poll(a.now)
	require.Len(t, a.given, 2)
	require.Equal(t, Decided{Index: 1, Position: ring, Skip: true}, Decided{Index: a.given[1].Index, Position: a.given[1].Position, Skip: a.given[1].Skip})
	require.Equal(t, at, a.core.head, "nothing is applied yet")
	a.core.Applied(a.now, end, 1)
	require.Equal(t, end, a.core.head)
	a.core.Applied(a.now, ring, 1)
	require.Equal(t, ring, a.status().head)
}

// What a server has after it was given another one's state.
func TestFetched(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.follow()
	a.asks(request{term: 5 << 8, seq: 3, snapshot: true})
	require.Equal(t, []ID{0}, a.fetched)
	a.asks(request{term: 5 << 8, seq: 4, snapshot: true})
	require.Len(t, a.fetched, 1, "one at a time")
	const at = 4096
	end := a.writes(entry{position: at, index: 9, term: 5 << 8, commit: at, record: []byte("behind it")})
	a.writes(entry{position: end, index: 10, term: 5 << 8, commit: end, record: []byte("not decided")})
	a.core.Fetched(a.now, true, at, 9, []Member{{ID: 0}, {ID: 1}, {ID: 3}})
	require.EqualValues(t, at, a.status().head, "the others are told at once")
	require.EqualValues(t, at, a.status().low, "it has nothing of the log before it")
	require.Equal(t, []string{"behind it"}, a.records(), "what is there already is taken in at once")
	require.Len(t, a.core.members, 3)
	require.NotNil(t, a.core.peer(3))
	require.EqualValues(t, at, a.core.membersAt)
	a.core.Fetched(a.now, true, at-64, 7, nil)
	require.EqualValues(t, at, a.core.head, "an older state")
	a.core.Fetched(a.now, false, at+4096, 99, nil)
	require.EqualValues(t, at, a.core.head, "no state")
	a.asks(request{term: 5 << 8, seq: 5, snapshot: true})
	require.Len(t, a.fetched, 2)
}

// When groups are tried, and when they are left.
func TestGroupPace(t *testing.T) {
	accelerated := func(t *testing.T, members int, missing ...ID) *alone {
		a := newAlone(t, 0, members, func(c *Config) { c.Switch = true })
		a.lead()
		for _, id := range missing {
			a.cut(id)
		}
		a.formed, a.core.lead.next, a.core.lead.nextTry = nil, group{}, 0
		for len(a.formed) == 0 {
			a.tick(ms)
			require.Less(t, a.now, 2*time.Second)
		}
		p := Path{Kind: Group, Gen: a.core.lead.gen}
		a.up[p] = true
		a.core.Up(a.now, p)
		a.tick(5 * ms)
		require.Equal(t, Accelerated, a.core.lead.mode)
		return a
	}
	t.Run("another one after a pause", func(t *testing.T) {
		a := accelerated(t, 5, 4)
		begin := a.now
		a.formed = nil
		a.peers[4].still = false
		a.connect(4)
		for len(a.formed) == 0 {
			a.tick(ms)
			require.Less(t, a.now, 5*time.Second)
		}
		require.GreaterOrEqual(t, a.now-begin, a.core.cfg.RetryGroup-10*ms)
		require.Equal(t, [][]ID{{1, 2, 3, 4}}, a.formed)
		p := Path{Kind: Group, Gen: a.core.lead.gen}
		a.up[p] = true
		a.dropped = nil
		a.core.Up(a.now, p)
		a.tick(30 * ms)
		require.Equal(t, p.Gen, a.core.lead.group.gen)
		require.Equal(t, []uint32{p.Gen - 1}, a.dropped)
		for id, peer := range a.peers {
			require.Equal(t, p.Gen, peer.st.minGen, "server %d goes on taking from the group before", id)
		}
	})
	t.Run("rarer and rarer", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Switch = true })
		a.lead()
		var pauses []time.Duration
		last := time.Duration(0)
		for a.now < 20*time.Second {
			a.tick(ms)
			if n := a.core.lead.next; n.state == groupForming {
				if last != 0 {
					pauses = append(pauses, a.now-last)
				}
				last = a.now
				a.core.GroupFailed(a.now, n.gen)
			}
		}
		retry := a.core.cfg.RetryGroup
		for i, p := range pauses {
			require.InDelta(t, min(retry<<i, 32*retry), p, float64(2*ms), "pause %d", i)
		}
		require.Greater(t, len(pauses), 6)
	})
	t.Run("all are left", func(t *testing.T) {
		a := accelerated(t, 3)
		a.dropped = nil
		a.asks(request{term: 60<<8 | 1, seq: 1})
		require.Equal(t, Follower, a.core.role)
		require.Equal(t, []uint32{1}, a.dropped)

		a = newAlone(t, 0, 3, func(c *Config) { c.Switch = true })
		a.lead()
		for len(a.formed) == 0 {
			a.tick(ms)
		}
		a.asks(request{term: 60<<8 | 1, seq: 1})
		require.Equal(t, []uint32{1}, a.dropped, "one that is being formed, too")
	})
	t.Run("one that is repaired is fenced off", func(t *testing.T) {
		a := accelerated(t, 3)
		for _, p := range a.peers {
			p.st.head = a.core.lead.tail
		}
		a.tick(5 * ms)
		a.propose("x")
		a.run()
		a.peers[1].st.head = a.core.lead.tail
		a.peers[2].refuses = true // it has not said yet that it takes nothing of the group any more
		for !a.core.peer(2).direct {
			a.tick(ms)
			require.Less(t, a.now, 5*time.Second)
		}
		require.False(t, a.core.peer(2).fenced, "what the group has for it may be under way")
		require.False(t, a.core.peer(1).direct)
		require.Zero(t, a.peers[2].st.minGen)
		floor := a.core.head
		for range 5 {
			a.fill()
			for id := range a.peers {
				a.peers[id].st.head = a.core.head
				a.core.peer(id).head = a.core.head
			}
		}
		require.LessOrEqual(t, a.core.lead.tail-floor, a.core.geo.ring, "what is under way to the old group would damage it")
		a.peers[2].refuses = false
		a.tick(50 * ms)
		require.EqualValues(t, 2, a.peers[2].st.minGen)
	})
	t.Run("one that is repaired is given what it lacks", func(t *testing.T) {
		a := accelerated(t, 3)
		for _, p := range a.peers {
			p.st.head = a.core.lead.tail
		}
		a.tick(5 * ms)
		a.propose("x")
		a.run()
		d := a.given[len(a.given)-1]
		a.peers[1].st.head = a.core.lead.tail
		require.False(t, Holds(a.peers[2].log, d.Position, d), "the group's copy was lost")
		a.tick(2 * a.core.cfg.RepairAfter)
		require.True(t, Holds(a.peers[2].log, d.Position, d))
	})
	t.Run("nobody is held up by a quiet point that does not come", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Switch = true })
		a.lead()
		for len(a.formed) == 0 {
			a.tick(ms)
		}
		a.peers[2].stuck = true
		a.propose("x")
		a.run()
		p := Path{Kind: Group, Gen: 1}
		a.up[p] = true
		a.core.Up(a.now, p)
		_, ok, err := a.core.Propose(a.now, []byte("y"))
		require.NoError(t, err)
		require.False(t, ok, "a quiet point is awaited")
		rooms := a.rooms
		a.tick(a.core.cfg.QuietFor + 5*ms)
		require.Greater(t, a.rooms, rooms)
		require.Equal(t, Direct, a.core.lead.mode)
		a.propose("y")
	})
	t.Run("a group that nobody asked for", func(t *testing.T) {
		a := accelerated(t, 3)
		a.dropped = nil
		a.core.Up(a.now, Path{Kind: Group, Gen: 77})
		require.Equal(t, []uint32{77}, a.dropped)
	})
}

// A candidate whose voter's path ends gives up; that of somebody else is asked again.
func TestVoterIsLost(t *testing.T) {
	for _, voter := range []bool{true, false} {
		a := newAlone(t, 0, 5, nil)
		for _, p := range a.peers {
			p.refuses, p.st.state = true, Recovering
		}
		for a.core.role != Candidate {
			a.tick(ms)
			require.Less(t, a.now, time.Second)
		}
		p := a.core.peer(1)
		if voter {
			a.core.camp.voters = []*peer{p}
			p.granted, p.read2 = true, true
		}
		a.drop(Path{Peer: 1, Kind: Replication})
		a.core.Down(a.now, Path{Peer: 1, Kind: Replication})
		if voter {
			require.Equal(t, Follower, a.core.role)
			require.False(t, p.granted, "what it was granted goes with the campaign")
		} else {
			require.Equal(t, Candidate, a.core.role)
		}
	}
}

// What a journal's replay hands on when it is not known what was decided.
func TestReplayRest(t *testing.T) {
	geo, err := NewGeometry(MinLogSize)
	require.NoError(t, err)
	put := func(region []byte, e entry) uint64 {
		size := entrySize(len(e.record))
		off := geo.slot(e.position)
		e.encode(region[off : off+size])
		return e.position + size
	}
	rest := func(terms ...Term) (records []string) {
		region := make([]byte, MinLogSize)
		at := uint64(0)
		for i, term := range terms {
			at = put(region, entry{position: at, index: uint64(i), term: term, record: []byte{byte('a' + i)}})
		}
		r := Replay{Region: region, Apply: func(d Decided) error {
			records = append(records, string(d.Record))
			return nil
		}}
		require.NoError(t, r.Rest())
		require.Len(t, records, int(r.Index))
		return records
	}
	require.Equal(t, []string{"a", "b", "c"}, rest(1<<8, 1<<8, 2<<8))
	require.Equal(t, []string{"a", "b"}, rest(1<<8, 2<<8, 1<<8), "what is of an earlier term was overtaken")
	require.Empty(t, rest())
}

// What is decided is applied before its place in the log is used again.
func TestReplayOverwrites(t *testing.T) {
	geo, err := NewGeometry(MinLogSize)
	require.NoError(t, err)
	var records []uint64
	r := Replay{Region: make([]byte, MinLogSize), Apply: func(d Decided) error {
		records = append(records, d.Index)
		return nil
	}}
	size := entrySize(geo.MaxRecord())
	require.Zero(t, geo.ring%size)
	per := geo.ring / size
	for i := range 3 * per {
		b := make([]byte, size)
		e := entry{position: i * size, index: i, term: 1 << 8, record: make([]byte, geo.MaxRecord())}
		if e.position >= geo.ring {
			e.commit = e.position - geo.ring + size // known by the entry that takes the place
		}
		e.encode(b)
		require.NoError(t, r.Add(Logged{Term: e.term, Position: e.position, End: e.position + size, Commit: e.commit, Bytes: b}))
		require.Len(t, records, int(e.commit/size))
	}
}
