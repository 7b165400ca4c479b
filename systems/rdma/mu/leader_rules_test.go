package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What counts as held, and by whom.
func TestDecides(t *testing.T) {
	t.Run("who has forgotten does not count", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(1)
		a.cut(2)
		p := a.peers[1]
		p.still, p.st.state, p.st.incarnation = false, Recovering, 2
		p.st.promised, p.st.seq = 0, 0
		a.connect(1)
		_, ok, err := a.core.Propose(a.now, []byte("x"))
		require.NoError(t, err)
		require.True(t, ok)
		a.tick(100 * ms)
		require.Equal(t, Recovering, p.st.state, "nobody else follows who could say that the leader still is one")
		require.Empty(t, a.given)
	})
	t.Run("a barrier asks as many as an entry", func(t *testing.T) {
		a := newAlone(t, 0, 5, nil)
		a.lead()
		a.tick(50 * ms)
		for id := range a.peers {
			a.peers[id].stuck = id != 1
		}
		require.NoError(t, a.core.Barrier(a.now, 3))
		a.run()
		require.Empty(t, a.confirmed, "one of four has answered")
		a.peers[2].stuck = false
		a.run()
		require.Equal(t, []uint64{3}, a.confirmed)
	})
	t.Run("a barrier does not ask who has forgotten", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(1)
		p := a.peers[1]
		p.still, p.st.state, p.st.incarnation = false, Recovering, 2
		p.st.promised, p.st.seq = 0, 0
		a.peers[2].stuck = true
		a.connect(1)
		a.tick(30 * ms)
		require.NoError(t, a.core.Barrier(a.now, 3))
		a.tick(30 * ms)
		require.Empty(t, a.confirmed)
	})
	t.Run("who waits for a barrier is told that the leader is none any more", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		require.NoError(t, a.core.Barrier(a.now, 3))
		a.asks(request{term: 60<<8 | 1, seq: 1})
		require.Equal(t, Follower, a.core.role)
		require.Equal(t, 1, a.steppedDown)
	})
	t.Run("a full member holds what is decided", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(1)
		for range 5 {
			a.propose("x")
		}
		a.tick(10 * ms)
		require.Len(t, a.given, 5)
		p := a.peers[1]
		p.still, p.st.state, p.st.incarnation = false, Recovering, 2
		p.st.promised, p.st.seq = 0, 0
		clear(p.log)
		told := false
		a.full = func(id ID) {
			told = true
			for _, d := range a.given {
				require.True(t, Holds(p.log, d.Position, d), "it lacks record %d", d.Index)
			}
		}
		a.connect(1)
		for i := range 200 {
			if i%2 == 0 {
				a.propose("y")
			}
			a.now += ms
			p.st.heartbeat++
			a.peers[2].st.heartbeat++
			a.core.Tick(a.now)
			for range 3 {
				a.step()
			}
			a.apply()
			if told {
				return
			}
		}
		require.Fail(t, "it never becomes full")
	})
}

// What a path carries, and what of the ring is used again.
func TestRing(t *testing.T) {
	t.Run("no commit position ahead of what it covers", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Depth, c.MaxWrite = 1, 64 })
		a.lead()
		a.tick(50 * ms)
		a.peers[2].stuck = true
		a.propose("x")
		a.propose("y")
		a.tick(20 * ms)
		require.Len(t, a.given, 2)
		for _, o := range a.ops {
			require.False(t, o.Path.Peer == 2 && o.Path.Kind == Replication && o.Offset == offCommit,
				"server 2 was given one entry, and is told that two are decided")
		}
	})
	t.Run("what is not applied here is kept", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.slow = true
		for _, p := range a.peers {
			p.st.head = 1 << 20 // as if they had applied anything
		}
		require.LessOrEqual(t, a.fill(), a.core.geo.ring)
		require.Zero(t, a.core.head)
	})
	t.Run("what a WRITE reads is kept", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		p := a.core.peer(2)
		a.peers[2].stuck = true
		for range 5 {
			a.fill()
			for id := range a.peers {
				a.peers[id].st.head = a.core.head
				a.core.peer(id).head = a.core.head // as if it had been read
			}
		}
		require.NotZero(t, p.open)
		a.peers[2].stuck = false
		a.run() // which compares the bytes
	})
	t.Run("what a snapshot ends at is kept", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(2)
		a.propose("x")
		a.tick(5 * ms)
		at := a.core.head
		a.core.Hold(a.now, 2, at)
		for range 5 {
			a.fill()
			a.peers[1].st.head = a.core.head
			a.tick(5 * ms)
		}
		require.LessOrEqual(t, a.core.lead.tail-at, a.core.geo.ring)
	})
	t.Run("nobody is sent what the ring has no more", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		a.cut(2)
		for range 5 {
			a.fill()
			a.peers[1].st.head = a.core.head
			a.tick(20 * ms)
		}
		require.Greater(t, a.core.lead.tail, a.core.geo.ring)
		a.peers[2].still, a.peers[2].st.head = false, 0
		clear(a.peers[2].log)
		a.connect(2)
		a.tick(100 * ms)
		require.False(t, a.core.peer(2).live)
		require.True(t, a.core.peer(2).snapAsked)
	})
	t.Run("nor what something that was never decided has taken the place of", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.tick(50 * ms)
		behind := a.core.head
		a.cut(2)
		a.peers[2].st.head = behind
		for a.core.lead.tail-behind < a.core.geo.ring*9/10 {
			a.propose(string(make([]byte, 64)))
			a.run()
			a.peers[1].st.head = a.core.head
			a.tick(ms)
		}
		at, index := a.core.head, a.core.headIndex
		a.peers[1].stuck = true
		for a.core.lead.tail-behind <= a.core.geo.ring { // nobody else has it
			a.propose(string(make([]byte, a.core.MaxRecord())))
		}
		a.peers[1].stuck = false
		a.drop(Path{Peer: 1, Kind: Replication})
		a.asks(request{term: 60<<8 | 1, seq: 1, full: true, target: a.core.incarnation})
		require.Equal(t, Follower, a.core.role)
		end := a.writes(entry{position: at, index: index, term: 60<<8 | 1, record: []byte("decided")})
		a.commits(end)
		require.Equal(t, "decided", a.records()[len(a.records())-1])
		a.peers[1].st.promised, a.peers[1].st.head = 0, end // it leads no more
		copy(a.peers[1].log, a.log)
		a.connect(1)
		for a.core.role != Leader {
			a.tick(ms)
			require.Less(t, a.now, 10*time.Second, "%q", a.events[max(0, len(a.events)-12):])
		}
		a.tick(50 * ms)
		require.Less(t, a.core.lowWater(), behind+8, "as far as its length goes the log has it")
		p := a.peers[2]
		p.still, p.st.head = false, behind
		a.connect(2)
		a.tick(100 * ms)
		require.False(t, a.core.peer(2).live)
		require.True(t, a.core.peer(2).snapAsked)
	})
}

// Who is a member, and when.
func TestChanges(t *testing.T) {
	without := func(a *alone, id ID) (rest []Member) {
		for _, m := range a.core.members {
			if m.ID != id {
				rest = append(rest, m)
			}
		}
		return rest
	}
	leader := func(t *testing.T, n int) *alone {
		a := newAlone(t, 0, n, nil)
		a.lead()
		a.tick(50 * ms)
		return a
	}
	t.Run("one at a time", func(t *testing.T) {
		a := leader(t, 5)
		require.ErrorIs(t, a.core.ChangeMembership(a.now, []Member{{ID: 0}, {ID: 1}, {ID: 2}}), ErrMembers)
		for _, p := range a.peers {
			p.stuck = true
		}
		require.NoError(t, a.core.ChangeMembership(a.now, without(a, 4)))
		require.ErrorIs(t, a.core.ChangeMembership(a.now, without(a, 3)), ErrMembers)
	})
	t.Run("who has caught up", func(t *testing.T) {
		a := leader(t, 3)
		joins := append(without(a, 9), Member{ID: 3})
		require.ErrorIs(t, a.core.ChangeMembership(a.now, joins), ErrMembers)
		require.NoError(t, a.core.AddLearner(a.now, &Member{ID: 3}))
		a.peer(3).st.state = Recovering
		a.peers[3].stuck = true
		a.tick(20 * ms)
		require.ErrorIs(t, a.core.ChangeMembership(a.now, joins), ErrMembers)
		a.peers[3].stuck = false
		a.tick(100 * ms)
		require.NoError(t, a.core.ChangeMembership(a.now, joins))
	})
	t.Run("at a quiet point", func(t *testing.T) {
		a := leader(t, 3)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		a.propose("x")
		tail := a.core.lead.tail
		require.NoError(t, a.core.ChangeMembership(a.now, without(a, 2)))
		require.Equal(t, tail, a.core.lead.tail, "something is undecided")
		_, ok, err := a.core.Propose(a.now, []byte("y"))
		require.NoError(t, err)
		require.False(t, ok, "a quiet point is awaited")
	})
	t.Run("nothing behind it", func(t *testing.T) {
		a := leader(t, 3)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		require.NoError(t, a.core.ChangeMembership(a.now, without(a, 2)))
		a.core.release() // as when a group has failed
		_, ok, err := a.core.Propose(a.now, []byte("y"))
		require.NoError(t, err)
		require.False(t, ok)
	})
	t.Run("a new term", func(t *testing.T) {
		a := leader(t, 3)
		term := a.core.promised
		require.NoError(t, a.core.ChangeMembership(a.now, without(a, 2)))
		a.tick(20 * ms)
		require.Len(t, a.core.members, 2)
		require.Greater(t, a.core.promised, term)
	})
	t.Run("a leader that goes hands over", func(t *testing.T) {
		a := leader(t, 3)
		require.NoError(t, a.core.ChangeMembership(a.now, without(a, 0)))
		a.tick(10 * ms)
		require.Len(t, a.core.members, 2)
		require.Equal(t, Leader, a.core.role, "the others have not applied it")
		for _, p := range a.peers {
			p.st.head = a.core.lead.tail
		}
		a.tick(20 * ms)
		require.Equal(t, Follower, a.core.role)
	})
}

// Groups of the switch.
func TestGroups(t *testing.T) {
	leader := func(t *testing.T) *alone {
		a := newAlone(t, 0, 3, func(c *Config) { c.Switch = true })
		a.lead()
		for len(a.formed) == 0 {
			a.tick(ms)
			require.Less(t, a.now, 1000*ms)
		}
		return a
	}
	up := func(a *alone, gen uint32) {
		p := Path{Kind: Group, Gen: gen}
		a.up[p] = true
		a.core.Up(a.now, p)
	}
	t.Run("the one that was asked for", func(t *testing.T) {
		a := leader(t)
		a.core.GroupFailed(a.now, 1)
		for len(a.formed) == 1 {
			a.tick(ms)
			require.Less(t, a.now, 1000*ms)
		}
		up(a, 1)
		require.Equal(t, Direct, a.core.lead.mode)
		up(a, 2)
		a.tick(5 * ms)
		require.Equal(t, Accelerated, a.core.lead.mode)
	})
	t.Run("when all hold everything", func(t *testing.T) {
		a := leader(t)
		a.peers[2].stuck = true
		a.propose("x")
		a.run() // server 1 has it, and that is enough
		require.Zero(t, a.core.undecided())
		up(a, 1)
		require.Equal(t, Direct, a.core.lead.mode)
		a.peers[2].stuck = false
		a.tick(5 * ms)
		require.Equal(t, Accelerated, a.core.lead.mode)
	})
	t.Run("of those who count", func(t *testing.T) {
		a := newAlone(t, 0, 5, func(c *Config) { c.Switch = true })
		a.lead()
		a.core.lead.nextTry = 1 << 60
		a.tick(50 * ms)
		a.cut(4)
		p := a.peers[4]
		p.still, p.st.state, p.st.incarnation = false, Recovering, 2
		p.st.promised, p.st.seq = 0, 0
		a.connect(4)
		for range 300 {
			if a.core.peer(4).live && p.st.state == Recovering {
				break
			}
			a.now += ms / 100
			a.core.Tick(a.now)
			a.step()
		}
		require.True(t, a.core.peer(4).live)
		require.Equal(t, Recovering, p.st.state)
		a.now += 10 * ms
		a.formed, a.core.lead.nextTry = nil, 0
		a.core.Tick(a.now)
		require.Len(t, a.formed, 1)
		require.Equal(t, []ID{1, 2, 3}, a.formed[0])
	})
	t.Run("not while a membership changes", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Switch = true })
		a.lead()
		a.core.lead.nextTry = 1 << 60
		a.tick(50 * ms)
		a.peers[1].stuck, a.peers[2].stuck = true, true
		require.NoError(t, a.core.ChangeMembership(a.now, []Member{{ID: 0}, {ID: 1}}))
		a.formed, a.core.lead.nextTry = nil, 0
		a.core.Tick(a.now + ms)
		require.Empty(t, a.formed)
	})
	t.Run("its WRITEs keep their bytes", func(t *testing.T) {
		a := leader(t)
		up(a, 1)
		a.tick(5 * ms)
		require.Equal(t, Accelerated, a.core.lead.mode)
		for range 200 {
			if _, ok, _ := a.core.Propose(a.now, make([]byte, 200)); ok {
				a.core.Flush(a.now)
			}
			for id := range a.peers {
				a.core.peer(id).head = a.core.lead.tail // as if it had been read
			}
			a.core.head = a.core.lead.tail
		}
		for _, o := range a.ops {
			if o.Path.Kind == Group {
				require.Equal(t, o.bytes, []byte(o.Data))
			}
		}
	})
	t.Run("a peer takes nothing of a group that was left", func(t *testing.T) {
		a := leader(t)
		up(a, 1)
		a.tick(5 * ms)
		require.Equal(t, Accelerated, a.core.lead.mode)
		a.core.Down(a.now, Path{Kind: Group, Gen: 1})
		require.Equal(t, Direct, a.core.lead.mode)
		for _, p := range a.peers {
			p.refuses = true // it has not said so yet
		}
		floor := a.core.head
		for range 5 {
			a.fill()
			for id := range a.peers {
				a.peers[id].st.head = a.core.head
				a.core.peer(id).head = a.core.head
			}
		}
		require.LessOrEqual(t, a.core.lead.tail-floor, a.core.geo.ring, "what is under way to the old group would damage it")
		for _, p := range a.peers {
			require.Zero(t, p.st.minGen)
			p.refuses = false
		}
		a.tick(50 * ms)
		for _, p := range a.peers {
			require.EqualValues(t, 2, p.st.minGen)
		}
	})
}
