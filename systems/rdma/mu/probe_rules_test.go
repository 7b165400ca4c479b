package mu

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// probes are the WRITEs of a commit position to a peer that were posted and not executed.
func (a *alone) probes(id ID) (n int) {
	for _, o := range a.ops {
		if o.Path == (Path{Peer: id, Kind: Replication}) && o.Offset == offCommit {
			n++
		}
	}
	return n
}

// How a leader makes sure that it still is one.
func TestProbes(t *testing.T) {
	t.Run("all that are written to", func(t *testing.T) {
		a := leads(t, "FFFFF", nil)
		a.core.peer(1).live = false
		a.core.peer(2).posted = 8
		a.core.lead.decided = 16
		a.core.peer(3).posted, a.core.peer(4).posted = 16, 24
		a.core.lead.tail = 24
		a.core.lead.probe = 6
		a.core.startProbe()
		for id, n := range []int{0, 0, 0, 1, 1} {
			if id > 0 {
				require.Equal(t, n, a.probes(ID(id)), "server %d", id)
			}
		}
		l := &a.core.lead
		require.EqualValues(t, 7, l.probe)
		require.EqualValues(t, 7, l.probeFrom)
		require.True(t, l.probeOpen)
		require.False(t, l.wantProbe)
		require.Equal(t, a.core.now, l.probeAt)
		a.core.startProbe()
		require.EqualValues(t, 8, l.probe)
		require.EqualValues(t, 7, l.probeFrom, "the first of those that are open")
	})
	t.Run("by a group", func(t *testing.T) {
		a := accelerate(t, "FFFFF", 1, 2)
		a.core.startProbe()
		require.Equal(t, Path{Kind: Group, Gen: 1}, a.ops[0].Path)
		require.Equal(t, []int{0, 0, 1, 1}, []int{a.probes(1), a.probes(2), a.probes(3), a.probes(4)})
		a.core.wrote(nil, &a.core.lead.group.track, pending{opProbe, 1})
		require.EqualValues(t, 1, a.core.followed(), "its acknowledgement says that enough have it")
		a.core.lead.group.state = groupReady
		require.Zero(t, a.core.followed())
	})
	t.Run("how many have answered", func(t *testing.T) {
		for _, c := range []struct {
			states string
			probed []uint64
			ok     uint64
		}{
			{"FFF", []uint64{3, 2}, 3}, {"FFF", []uint64{0, 0}, 0}, {"FRF", []uint64{3, 2}, 2}, {"FFFFF", []uint64{4, 1, 2, 3}, 3},
			{"FFFFF", []uint64{4, 0, 0, 0}, 0}, {"FFRRR", []uint64{4, 4, 4, 4}, 0}, {"FFFF", []uint64{4, 3, 2}, 3},
		} {
			a := leads(t, c.states, nil)
			for i, p := range a.core.peers {
				p.probed = c.probed[i]
			}
			require.Equal(t, c.ok, a.core.followed(), "%+v", c)
		}
		a := newAlone(t, 0, 1, nil)
		a.lead()
		a.core.lead.probe = 5
		require.EqualValues(t, 5, a.core.followed())
		require.NoError(t, a.core.Barrier(a.now, 7))
		require.Equal(t, []uint64{7}, a.confirmed, "alone")
	})
	t.Run("barriers", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.propose("x")
		require.NoError(t, a.core.Barrier(a.now, 11))
		l := &a.core.lead
		require.EqualValues(t, 1, l.probe)
		require.NoError(t, a.core.Barrier(a.now, 12))
		require.EqualValues(t, 1, l.probe, "one at a time")
		require.Len(t, l.barriers, 2)
		require.EqualValues(t, 2, l.barriers[1].probe, "one that begins when it was asked for")
		l.start = 48
		require.NoError(t, a.core.Barrier(a.now, 13))
		require.EqualValues(t, 48, l.barriers[2].until, "what was adopted is decided first")
		require.Zero(t, l.barriers[1].until)
		p := a.core.peer(1)
		p.probed = 1
		a.core.progress()
		require.Equal(t, []uint64{11}, a.confirmed)
		a.core.progress()
		require.EqualValues(t, 2, l.probe, "and the next begins")
		a.core.now += a.core.cfg.RequestEvery
		a.core.progress()
		require.EqualValues(t, 2, l.probe)
		a.core.now++
		a.core.progress()
		require.EqualValues(t, 3, l.probe, "it is asked again")
		require.EqualValues(t, 2, l.probeFrom)
		p.probed = 2
		a.core.progress()
		require.Equal(t, []uint64{11, 12}, a.confirmed, "the answer to the first one counts")
		require.False(t, l.probeOpen)
		p.acked = 48
		a.core.progress()
		require.Equal(t, []uint64{11, 12, 13}, a.confirmed)
		require.Empty(t, l.barriers)
		a.core.role = Follower
		require.ErrorIs(t, a.core.Barrier(a.now, 14), ErrNotLeader)
	})
	t.Run("what is confirmed has an index", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.propose("x")
		a.core.peer(1).acked = 48
		a.core.progress()
		require.NoError(t, a.core.Barrier(a.now, 1))
		require.EqualValues(t, 48, a.core.lead.barriers[0].until, "what is decided by now")
		a.core.peer(1).probed = 1
		a.indexes = nil
		a.core.progress()
		require.Equal(t, []uint64{1}, a.indexes, "everything decided before has a lower one")
	})
}

// When a peer that has forgotten is told that it is full again.
func TestMakesFull(t *testing.T) {
	asks := func(a *alone) (full bool) {
		for _, o := range a.ops {
			if o.Path.Peer == 2 && o.Region == ElectionRegion && !o.Read {
				var r request
				require.NoError(a, r.decode(o.Data))
				full = full || r.full
			}
		}
		return full
	}
	begin := func(t *testing.T) (*alone, *peer) {
		a := leads(t, "FFR", nil)
		p := a.core.peer(2)
		p.evidence, p.fullFrom = 1, 0
		a.propose("x")
		return a, p
	}
	a, p := begin(t)
	p.acked = 48
	a.core.finishProbe()
	require.False(t, p.fullAsked, "perhaps another one leads, and decides without it")
	a.core.startProbe()
	a.core.peer(1).probed = 1
	a.core.finishProbe()
	require.True(t, p.fullAsked)
	require.True(t, asks(a))
	require.Zero(t, p.evidence)
	require.EqualValues(t, 48, p.fullFrom)
	require.False(t, p.full, "not before it says so")
	n := len(a.ops)
	a.core.finishProbe()
	require.Len(t, a.ops, n, "once")

	a, p = begin(t)
	a.core.startProbe()
	a.core.peer(1).probed = 1
	a.core.finishProbe()
	require.EqualValues(t, 48, p.fullFrom)
	require.False(t, p.fullAsked, "it does not hold that")
	p.acked = 40
	a.core.finishProbe()
	require.False(t, p.fullAsked)
	p.acked = 48
	a.core.finishProbe()
	require.True(t, p.fullAsked)

	a, p = begin(t)
	p.evidence, p.fullFrom, p.live, p.acked = 0, 48, false, 48
	a.core.finishProbe()
	require.False(t, p.fullAsked, "it is lost")
	p.live, p.full = true, true
	a.core.finishProbe()
	require.False(t, p.fullAsked, "it is that already")
	p.full, p.fullFrom = false, 0
	a.core.finishProbe()
	require.False(t, p.fullAsked, "nothing shows that others follow")
	p.fullFrom, p.acked = 1<<20, 48
	a.core.finishProbe()
	require.True(t, p.fullAsked, "it holds all there is")

	a, p = begin(t)
	p.evidence = 3
	a.core.startProbe()
	a.core.peer(1).probed = 1
	a.core.finishProbe()
	require.EqualValues(t, 3, p.evidence, "that was begun before")
	require.Zero(t, p.fullFrom)

	a = leads(t, "FFR", nil)
	p = a.core.peer(2)
	p.evidence, p.fullFrom = 1, 0
	a.core.startProbe()
	a.core.peer(1).probed = 1
	a.core.finishProbe()
	require.EqualValues(t, 1, p.fullFrom, "0 is unknown")
	require.True(t, p.fullAsked, "an empty log is held")
}

// What a server says of itself, and of others.
func TestStatusOf(t *testing.T) {
	a := leads(t, "FFR", nil)
	a.propose("x")
	p := a.core.peer(1)
	p.head, p.st.head, p.st.room, p.inGroup, p.snapAsked, p.fenced, p.granted = 8, 9, RoomLow, true, true, false, true
	a.core.head, a.core.headIndex, a.core.commit, a.core.lead.decided = 10, 11, 12, 13
	require.Equal(t, Status{
		Role: Leader, State: Full, Term: 5 << 8, Known: true, Index: 11, Position: 10, Commit: 13, Tail: 48, Confirmed: 1, Members: a.core.members, Agreed: true,
	}, a.core.Status())
	require.Equal(t, []PeerStatus{
		{ID: 1, Member: true, Alive: true, State: Full, Head: 9, Confirmed: true, Granted: true, Posted: 48, Open: 1, Missing: true, Group: true, Room: RoomLow},
		{ID: 2, Member: true, Alive: true, State: Recovering, Granted: true, Posted: 48, Open: 1, Fenced: true},
	}, a.core.Peers())
	p.direct = true
	require.False(t, a.core.Peers()[0].Group)
	a.core.lead.mode = Accelerated
	require.Equal(t, Accelerated, a.core.Status().Mode)
	a.core.role = Candidate
	st := a.core.Status()
	require.False(t, st.Known)
	require.Equal(t, Direct, st.Mode)
	require.Zero(t, st.Tail+uint64(st.Confirmed))
	require.EqualValues(t, 12, st.Commit)
	require.False(t, a.core.Peers()[0].Confirmed, "nothing counts for who does not lead")
	a.core.role = Follower
	for _, c := range []struct {
		change func()
		known  bool
	}{
		{func() { a.core.promised = 6<<8 | 1 }, true}, {func() { p.alive = false }, false}, {func() { a.core.promised = 6<<8 | 60 }, false},
		{func() { a.core.promised = 0 }, false}, {func() { a.core.promised, p.alive = 1, true }, true},
	} {
		c.change()
		require.Equal(t, c.known, a.core.Status().Known)
	}

	t.Run("what is reported", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.core.report()
		for about, change := range map[string]func(c *Core){
			"role": func(c *Core) { c.role = Candidate }, "mode": func(c *Core) { c.role, c.lead.mode = Leader, Accelerated },
			"term": func(c *Core) { c.promised += 256 }, "leader": func(c *Core) { c.promised++ }, "state": func(c *Core) { c.state = Recovering },
		} {
			n := len(a.roles)
			change(a.core)
			a.core.report()
			if about != "mode" {
				require.Len(t, a.roles, n+1, about)
			}
			n = len(a.roles)
			a.core.report()
			require.Len(t, a.roles, n, "nothing has changed")
		}
		a.core.role, a.core.lead.mode, a.core.promised = Leader, Direct, 9<<8
		a.core.report()
		n := len(a.roles)
		a.core.lead.mode = Accelerated
		a.core.report()
		require.Len(t, a.roles, n+1)
		a.core.role, a.core.promised = Follower, 9<<8|1
		a.core.report()
		n = len(a.roles)
		a.core.peer(1).alive = false
		a.core.report()
		require.Len(t, a.roles, n+1, "it is not known any more who leads")
	})
}

// When a majority has taken a membership into use.
func TestAgreed(t *testing.T) {
	for _, c := range []struct {
		own    uint64
		heads  []uint64
		agreed bool
	}{
		{100, []uint64{100, 0}, true}, {99, []uint64{100, 0}, false}, {99, []uint64{100, 101}, true}, {100, []uint64{99, 99}, false}, {100, nil, true},
		{100, []uint64{100, 0, 0}, false}, {100, []uint64{100, 100, 0}, true}, {100, []uint64{100, 0, 0, 0}, false}, {0, []uint64{100, 100, 100, 0}, true},
	} {
		a := leads(t, "FFFFF"[:len(c.heads)+1], nil)
		a.core.membersAt, a.core.head = 100, c.own
		for i, p := range a.core.peers {
			p.st.head = c.heads[i]
		}
		require.Equal(t, c.agreed, a.core.Status().Agreed, "%+v", c)
	}
	a := leads(t, "FFF", nil)
	for change, agreed := range map[string]bool{"": true, "dead": false, "learner": false} {
		a.core.membersAt, a.core.head = 100, 0
		p := a.core.peer(1)
		p.alive, p.member = change != "dead", change != "learner"
		p.st.head, a.core.peer(2).st.head = 100, 100
		require.Equal(t, agreed, a.core.agreed(), change)
	}
	a.core.peer(1).alive, a.core.peer(1).member, a.core.head = true, true, 100
	a.core.members = []Member{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}}
	require.False(t, a.core.agreed(), "this server is no member")
}

// Who may be added and removed.
func TestChangesMembers(t *testing.T) {
	addr := []netip.AddrPort{netip.MustParseAddrPort("10.0.0.1:4791")}
	for _, c := range []struct {
		about   string
		change  func(a *alone)
		members []Member
		err     string
	}{
		{"one goes", func(*alone) {}, []Member{{ID: 0}, {ID: 1}}, ""},
		{"one comes", func(a *alone) { a.learns(3) }, []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}}, ""},
		{"who was never here", func(*alone) {}, []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}}, "not caught up"},
		{"who is not full", func(a *alone) { a.learns(3); a.core.peer(3).full = false }, []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}}, "not caught up"},
		{"who is lost", func(a *alone) { a.learns(3); a.core.peer(3).live = false }, []Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}}, "not caught up"},
		{"two go", func(*alone) {}, []Member{{ID: 0}}, "one server at a time"},
		{"twice", func(a *alone) { a.core.lead.change = a.core.members }, []Member{{ID: 0}, {ID: 1}}, "another change"},
		{"behind one", func(a *alone) { a.core.lead.changed = true }, []Member{{ID: 0}, {ID: 1}}, "another change"},
		{"who does not lead", func(a *alone) { a.core.role = Follower }, []Member{{ID: 0}, {ID: 1}}, "not the leader"},
		{"with one address for two", func(*alone) {}, []Member{{ID: 0, Addrs: addr}, {ID: 1, Addrs: addr}}, "both have"},
		{"when nobody would be left", func(a *alone) { a.core.peer(1).live = false }, []Member{{ID: 0}, {ID: 1}}, "no majority"},
		{"when not enough have all", func(a *alone) { a.core.peer(1).full = false }, []Member{{ID: 0}, {ID: 1}}, "no majority"},
		{"that is longer than a record", func(*alone) {}, []Member{{ID: 0}, {ID: 1, Client: string(make([]byte, 1000))}}, "do not fit"},
	} {
		a := leads(t, "FFF", nil)
		c.change(a)
		a.propose0()
		err := a.core.ChangeMembership(a.now, c.members)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.about)
			continue
		}
		require.NoError(t, err, c.about)
		require.True(t, a.core.lead.quiesce)
		require.Equal(t, c.members, a.core.lead.change)
	}
	t.Run("when it is proposed", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(a *alone)
			goes   bool
		}{
			{"at once", func(*alone) {}, true},
			{"when nothing is undecided", func(a *alone) { a.propose("x") }, false},
			{"when what was adopted is decided", func(a *alone) { a.core.lead.start = 8 }, false},
		} {
			a := leads(t, "FFFFF", nil)
			c.change(a)
			tail := a.core.lead.tail
			require.NoError(t, a.core.ChangeMembership(a.now, a.core.members[:4]))
			require.Equal(t, c.goes, a.core.lead.changed, c.about)
			require.Equal(t, c.goes, a.core.lead.tail > tail)
			require.Equal(t, c.goes, a.core.lead.change == nil)
			if c.goes {
				e, ok := a.core.geo.at(a.log, tail)
				require.True(t, ok)
				require.True(t, e.members)
				require.Zero(t, a.core.lead.index)
				offsets, _ := a.logWrites(1)
				require.Len(t, offsets, 1)
			}
		}
		a := leads(t, "FFF", nil)
		a.propose("x")
		require.NoError(t, a.core.ChangeMembership(a.now, a.core.members[:2]))
		a.core.peer(1).live = false
		a.core.lead.first = 1
		rooms := a.rooms
		a.core.memberStep()
		require.Nil(t, a.core.lead.change, "no majority of them is here any more")
		require.False(t, a.core.lead.changed || a.core.lead.quiesce)
		require.Greater(t, a.rooms, rooms)
	})
	t.Run("learners", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		require.ErrorIs(t, a.core.AddLearner(a.now, &Member{ID: 2}), ErrMembers)
		require.NoError(t, a.core.AddLearner(a.now, &Member{ID: 3}))
		p := a.core.peer(3)
		require.False(t, p.member)
		require.False(t, a.core.CaughtUp(3))
		p.live = true
		require.False(t, a.core.CaughtUp(3))
		p.full = true
		require.True(t, a.core.CaughtUp(3))
		p.live = false
		require.False(t, a.core.CaughtUp(3))
		require.False(t, a.core.CaughtUp(9))
		p.live = true
		require.NoError(t, a.core.AddLearner(a.now, nil))
		require.Nil(t, a.core.peer(3))
		require.False(t, p.live)
		a.core.role = Follower
		require.ErrorIs(t, a.core.AddLearner(a.now, nil), ErrNotLeader)
		require.False(t, a.core.CaughtUp(1))
	})
}

// learns adds a learner that has caught up.
func (a *alone) learns(id ID) {
	require.NoError(a, a.core.AddLearner(a.now, &Member{ID: id}))
	a.peer(id).stuck = true
	p := a.core.peer(id)
	p.live, p.full = true, true
}

// propose0 leaves something undecided, if the core leads.
func (a *alone) propose0() {
	if a.core.role == Leader && !a.core.lead.changed {
		a.propose("x")
	}
}
