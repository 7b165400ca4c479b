package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// switched makes a leader with a switch, whose servers may be in a group.
func switched(t *testing.T, states string) *alone {
	a := leads(t, states, func(c *Config) { c.Switch = true })
	for _, p := range a.core.peers {
		p.liveSince = 0
	}
	return a
}

// accelerate makes it one that uses a group of these servers.
func accelerate(t *testing.T, states string, ids ...ID) *alone {
	a := switched(t, states)
	l := &a.core.lead
	l.gen, l.mode = 1, Accelerated
	l.group = group{state: groupActive, gen: 1, need: 1}
	l.group.link.up = true
	l.group.live = true
	a.up[Path{Kind: Group, Gen: 1}] = true
	for _, p := range a.core.peers {
		p.direct = true
	}
	for _, id := range ids {
		p := a.core.peer(id)
		l.group.members = append(l.group.members, p)
		p.inGroup, p.direct = true, false
	}
	return a
}

// When a group is formed, and of whom.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(a *alone)
		forms  []ID
	}{
		{"all", func(*alone) {}, []ID{1, 2, 3, 4}},
		{"no switch", func(a *alone) { a.core.cfg.Switch = false }, nil},
		{"those that count", func(a *alone) { a.core.peer(1).full = false; a.core.peer(4).live = false }, []ID{2, 3}},
		{"too few", func(a *alone) { a.core.peer(1).full = false; a.core.peer(4).live = false; a.core.peer(2).live = false }, nil},
		{"not who was repaired lately", func(a *alone) { a.core.peer(2).unreliable = a.core.now + 1 }, []ID{1, 3, 4}},
		{"but then", func(a *alone) { a.core.peer(2).unreliable = a.core.now }, []ID{1, 2, 3, 4}},
		{"not who has just come", func(a *alone) { a.core.peer(2).liveSince = a.core.now - a.core.cfg.HeartbeatEvery + 1 }, []ID{1, 3, 4}},
		{"but soon", func(a *alone) { a.core.peer(2).liveSince = a.core.now - a.core.cfg.HeartbeatEvery }, []ID{1, 2, 3, 4}},
		{"after a pause", func(a *alone) { a.core.lead.nextTry = a.core.now + 1 }, nil},
		{"one at a time", func(a *alone) { a.core.lead.next.state = groupForming }, nil},
		{"when what was adopted is decided", func(a *alone) { a.core.lead.start, a.core.lead.decided = 48, 40 }, nil},
		{"and not before", func(a *alone) { a.core.lead.start, a.core.lead.decided = 48, 48 }, []ID{1, 2, 3, 4}},
		{"not before a change", func(a *alone) { a.core.lead.change = a.core.members }, nil},
		{"not behind one", func(a *alone) { a.core.lead.changed = true }, nil},
	} {
		a := switched(t, "FFFFF")
		c.change(a)
		a.core.groupStep()
		if c.forms == nil {
			require.Empty(t, a.formed, c.about)
			continue
		}
		require.Equal(t, [][]ID{c.forms}, a.formed, c.about)
		n := &a.core.lead.next
		require.EqualValues(t, 1, n.gen)
		require.EqualValues(t, 1, a.core.lead.gen)
		require.Equal(t, groupForming, n.state)
		require.Equal(t, a.core.now, n.since)
		require.Equal(t, 2, n.need, "a majority beside this server, whatever the group's size")
		require.Len(t, n.members, len(c.forms))
	}
	t.Run("another one", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			in     []ID
			change func(a *alone)
			forms  []ID
		}{
			{"all are in it", []ID{1, 2, 3, 4}, func(*alone) {}, nil},
			{"one may be", []ID{1, 2, 3}, func(*alone) {}, []ID{1, 2, 3, 4}},
			{"one that is no member may be", []ID{1, 2, 3}, func(a *alone) { a.core.peer(4).member = false }, nil},
			{"one may not be any more", []ID{1, 2, 3, 4}, func(a *alone) { a.core.peer(4).live = false }, []ID{1, 2, 3}},
			{"one is repaired", []ID{1, 2, 3, 4}, func(a *alone) { a.core.peer(4).direct = true }, []ID{1, 2, 3, 4}},
		} {
			a := accelerate(t, "FFFFF", c.in...)
			c.change(a)
			a.core.groupStep()
			if c.forms == nil {
				require.Empty(t, a.formed, c.about)
			} else {
				require.Equal(t, [][]ID{c.forms}, a.formed, c.about)
				require.EqualValues(t, 2, a.core.lead.gen)
			}
		}
	})
	t.Run("not when generations are used up", func(t *testing.T) {
		a := switched(t, "FFFFF")
		a.core.cfg.MaxGen, a.core.lead.gen = 7, 6
		a.core.groupStep()
		require.Len(t, a.formed, 1, "the last one")
		a.core.lead.next = group{}
		a.propose("x")
		a.core.groupStep()
		require.Len(t, a.formed, 1)
		require.True(t, a.core.lead.quiesce, "a quiet point is awaited")
		require.Equal(t, Leader, a.core.role)
		a.core.lead.first = 1
		a.core.groupStep()
		require.Equal(t, Candidate, a.core.role, "for another term")
	})
	t.Run("alone it needs none", func(t *testing.T) {
		a := newAlone(t, 0, 1, func(c *Config) { c.Switch = true })
		a.lead()
		a.tick(time.Second)
		require.Empty(t, a.formed)
	})
}

// When the log begins to go by a group.
func TestActivates(t *testing.T) {
	ready := func(t *testing.T) *alone {
		a := switched(t, "FFFF")
		a.core.groupStep()
		require.Len(t, a.formed, 1)
		return a
	}
	t.Run("at a quiet point", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(a *alone)
			goes   bool
		}{
			{"nothing is under way", func(*alone) {}, true},
			{"something is undecided", func(a *alone) {
				a.propose("x")
				for _, p := range a.core.peers {
					p.acked, p.open = a.core.lead.tail, 0
				}
			}, false},
			{"one has not acknowledged all", func(a *alone) {
				a.core.lead.tail, a.core.peer(1).acked = 48, 40
				a.core.peer(2).acked = 48
				a.core.peer(3).acked = 48
			}, false},
			{"all have", func(a *alone) {
				a.core.lead.tail, a.core.peer(1).acked = 48, 48
				a.core.peer(2).acked = 48
				a.core.peer(3).acked = 48
			}, true},
			{"a WRITE is under way", func(a *alone) { a.core.peer(1).open = 1 }, false},
		} {
			a := ready(t)
			c.change(a)
			a.core.groupUp(1)
			require.Equal(t, c.goes, a.core.lead.mode == Accelerated, c.about)
			require.Equal(t, !c.goes, a.core.lead.quiesce, "nothing is proposed meanwhile")
			if c.goes {
				l := &a.core.lead
				require.Equal(t, groupActive, l.group.state)
				require.Equal(t, groupNone, l.next.state)
				require.Equal(t, track{live: true, posted: l.tail, acked: l.tail}, l.group.track)
				require.Equal(t, a.core.now+a.core.cfg.RetryGroup, l.nextTry)
				require.True(t, l.group.link.up)
				for _, p := range a.core.peers {
					require.True(t, p.inGroup && !p.direct)
					require.Equal(t, l.tail, p.posted)
					require.Equal(t, l.tail, p.acked)
				}
				require.Zero(t, l.minGen, "there was no group before")
				continue
			}
			begin := a.core.now
			require.Equal(t, begin, a.core.lead.quietSince)
			a.core.now = begin + a.core.cfg.QuietFor
			a.core.tryActivate()
			require.Equal(t, groupReady, a.core.lead.next.state)
			a.core.now++
			a.core.tryActivate()
			require.Equal(t, groupNone, a.core.lead.next.state, "not for ever")
			require.Equal(t, []uint32{1}, a.dropped)
			require.False(t, a.core.lead.quiesce)
		}
	})
	t.Run("not without a member", func(t *testing.T) {
		a := ready(t)
		a.core.peer(2).live = false
		a.core.groupUp(1)
		require.Equal(t, []uint32{1}, a.dropped)
		require.Equal(t, groupNone, a.core.lead.next.state)
		require.Equal(t, a.core.now+a.core.cfg.RetryGroup, a.core.lead.nextTry)
		require.Equal(t, 2*a.core.cfg.RetryGroup, a.core.lead.retry)
	})
	t.Run("after another group", func(t *testing.T) {
		a := accelerate(t, "FFFFF", 1, 2, 3)
		l := &a.core.lead
		l.tail, l.decided, l.group.acked, l.group.posted = 96, 96, 96, 96
		for _, p := range a.core.peers {
			p.head, p.posted, p.acked = 96, 96, 96
		}
		out := a.core.peer(3)
		out.full, out.acked, out.posted, out.head = false, 48, 96, 56 // it leaves
		a.core.groupStep()
		require.Equal(t, [][]ID{{1, 2, 4}}, a.formed)
		a.core.head = 72
		a.core.groupUp(2)
		require.True(t, out.direct)
		for _, id := range []ID{1, 2} { // an acknowledgement on their own paths comes first
			require.False(t, a.core.peer(id).direct)
		}
		require.Equal(t, Accelerated, l.mode)
		require.EqualValues(t, 2, l.group.gen)
		require.Equal(t, []uint32{1}, a.dropped)
		require.EqualValues(t, 2, l.minGen, "nobody takes anything of the one before")
		require.False(t, out.inGroup)
		require.EqualValues(t, 56, out.acked, "what it has applied it holds")
		require.False(t, a.core.peer(1).fenced)
		for _, p := range a.core.peers {
			require.EqualValues(t, 2, p.minGen, "server %d is asked for that", p.id)
		}
		require.True(t, l.old.up)
	})
	t.Run("members go by their own paths for a moment", func(t *testing.T) {
		a := accelerate(t, "FFFFF", 1, 2, 3)
		l := &a.core.lead
		a.core.groupStep()
		require.Equal(t, [][]ID{{1, 2, 3, 4}}, a.formed)
		l.tail, l.decided = 96, 96
		p := a.core.peer(1)
		p.posted, p.acked, p.commitSent = 96, 96, 96
		p.head = 48
		a.core.peer(2).live = false
		a.core.lead.next.members = l.next.members[:1]
		a.core.groupUp(2)
		require.True(t, p.direct)
		require.EqualValues(t, 48, p.acked, "from what it has applied on")
		offsets, _ := a.logWrites(1)
		require.NotEmpty(t, offsets, "at once")
	})
	t.Run("only the one that was asked for", func(t *testing.T) {
		a := ready(t)
		a.core.groupUp(2)
		require.Equal(t, []uint32{2}, a.dropped)
		require.Equal(t, groupForming, a.core.lead.next.state)
		a.core.groupUp(1)
		require.Equal(t, Accelerated, a.core.lead.mode)
		a.core.groupUp(1)
		require.Equal(t, []uint32{2, 1}, a.dropped, "it is none that is formed")
		a.core.role = Follower
		a.core.groupUp(3)
		require.Equal(t, []uint32{2, 1, 3}, a.dropped)
	})
	t.Run("failures", func(t *testing.T) {
		a := ready(t)
		rooms := a.rooms
		a.core.lead.quiesce = true
		a.core.GroupFailed(a.now, 2)
		require.Equal(t, groupForming, a.core.lead.next.state, "another one")
		a.core.GroupFailed(a.now, 1)
		require.Equal(t, groupNone, a.core.lead.next.state)
		require.False(t, a.core.lead.quiesce)
		require.Greater(t, a.rooms, rooms)
		retry := a.core.cfg.RetryGroup
		require.Equal(t, a.now+retry, a.core.lead.nextTry)
		a.core.GroupFailed(a.now, 0)
		require.Equal(t, 2*retry, a.core.lead.retry, "there is none")
		for _, r := range []time.Duration{4, 8, 16, 32, 32} {
			a.core.later()
			require.Equal(t, r*retry, a.core.lead.retry)
		}
		a.core.lead.change = a.core.members
		a.core.release()
		require.True(t, a.core.lead.quiesce, "a change waits")
	})
}

// How a leader goes back to one WRITE per peer.
func TestFallsBack(t *testing.T) {
	a := accelerate(t, "FFFFF", 1, 2, 3)
	l := &a.core.lead
	l.tail, l.decided, l.retry = 96, 48, a.core.cfg.RetryGroup/2
	one, two, three, four := a.core.peer(1), a.core.peer(2), a.core.peer(3), a.core.peer(4)
	one.posted, one.acked, one.head, one.commitSent = 96, 24, 48, 40
	two.posted, two.acked, two.head, two.direct = 80, 64, 48, true
	three.posted, three.acked, three.live = 96, 8, false
	four.posted, four.acked = 88, 72
	a.core.head = 48
	l.probeOpen, l.probe, l.probeFrom, l.probeAt = true, 3, 3, a.core.now
	for _, p := range a.core.peers {
		p.open = a.core.cfg.Depth // nothing more is posted now
	}
	a.core.groupDown(2)
	require.Equal(t, Accelerated, l.mode, "another one")
	a.core.groupDown(1)
	require.Equal(t, Direct, l.mode)
	require.Equal(t, groupNone, l.group.state)
	require.Equal(t, []uint32{1}, a.dropped)
	require.EqualValues(t, 2, l.minGen)
	require.Zero(t, l.fenceFloor, "server 4 has applied nothing")
	require.Equal(t, []uint64{48, 48}, []uint64{one.posted, one.acked}, "what it has applied it holds for certain")
	require.Equal(t, []uint64{80, 64}, []uint64{two.posted, two.acked}, "it went by its own path")
	require.Equal(t, []uint64{96, 8}, []uint64{three.posted, three.acked})
	require.Equal(t, []uint64{88, 72}, []uint64{four.posted, four.acked})
	for _, p := range a.core.peers {
		require.False(t, p.inGroup || p.direct)
		require.Zero(t, p.commitSent)
	}
	require.Equal(t, a.core.now+a.core.cfg.RetryGroup, l.nextTry)
	require.True(t, l.probeOpen)
	require.EqualValues(t, 4, l.probe, "those in the group have not had it otherwise")
	a.core.groupDown(1)
	require.Equal(t, []uint32{1}, a.dropped)

	a = switched(t, "FFF")
	a.core.groupStep()
	a.core.groupDown(1)
	require.Equal(t, groupNone, a.core.lead.next.state, "one that was being formed")
	require.Equal(t, []uint32{1}, a.dropped)
	a.core.role = Follower
	a.core.lead.group = group{state: groupActive, gen: 1}
	a.core.groupDown(1)
	require.Equal(t, []uint32{1}, a.dropped)
}

// Whom a leader repairs.
func TestRepairs(t *testing.T) {
	a := accelerate(t, "FFF", 1, 2)
	p := a.core.peer(1)
	l := &a.core.lead
	l.tail, l.decided, p.posted, p.acked, p.commitSent = 96, 96, 96, 96, 96
	after := a.core.cfg.RepairAfter
	for _, q := range a.core.peers {
		q.st.minGen = 9
	}
	p.head = 48
	p.lagHead = 48
	a.core.watchHead(p)
	require.Equal(t, a.core.now, p.lagSince)
	p.head = 56
	a.core.watchHead(p)
	require.Zero(t, p.lagSince, "it gets on")
	require.EqualValues(t, 56, p.lagHead)
	begin := a.core.now
	a.core.watchHead(p)
	a.core.now = begin + after
	a.core.watchHead(p)
	require.Equal(t, begin, p.lagSince)
	require.False(t, p.direct)
	p.inGroup = false
	a.core.now++
	a.core.watchHead(p)
	require.False(t, p.direct, "the group has nothing for it")
	p.inGroup = true
	a.core.watchHead(p)
	require.True(t, p.direct)
	require.EqualValues(t, 56, p.acked)
	require.Equal(t, a.core.now+2*a.core.cfg.RetryGroup, p.unreliable)
	require.EqualValues(t, 2, p.wantGen)
	require.EqualValues(t, 56, p.floor)
	require.True(t, p.fenced, "it has refused that already")
	offsets, _ := a.logWrites(1)
	require.Len(t, offsets, 1)
	require.Equal(t, Accelerated, l.mode)
	n := len(a.ops)
	a.core.now += after
	a.core.watchHead(p)
	require.Len(t, a.ops, n, "once")
	p.head = 96
	a.core.watchHead(p)
	require.Zero(t, p.lagSince)
	a.core.watchHead(p)
	require.Zero(t, p.lagSince, "there is nothing to apply")
	a.core.now, p.head, p.lagHead, l.decided = 0, 40, 40, 48
	a.core.watchHead(p)
	require.EqualValues(t, 1, p.lagSince, "0 is never")
}

// What is under way on a group's path when it is left.
func TestOldGroup(t *testing.T) {
	a := accelerate(t, "FFF", 1, 2)
	l := &a.core.lead
	path := Path{Kind: Group, Gen: 1}
	a.propose("x")
	require.Len(t, a.ops, 1)
	require.Equal(t, path, a.ops[0].Path)
	require.Equal(t, 1, l.group.open)
	a.core.Done(a.now, Path{Kind: Group, Gen: 7}, 1)
	require.Equal(t, 1, l.group.open, "another one's")
	a.core.Done(a.now, path, 1)
	require.Zero(t, l.group.open)
	require.Len(t, a.given, 1, "an acknowledgement says that enough hold it")
	a.propose("y")
	l.old, l.group = l.group.link, group{}
	require.Equal(t, 1, l.old.open())
	a.core.Done(a.now, path, 1)
	require.Zero(t, l.old.open())
	require.Len(t, a.given, 1)
	l.old = link{}
	a.core.Done(a.now, path, 1)
}
