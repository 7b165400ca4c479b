package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// adopting makes a candidate whose log is decided up to a position, with index 3, and that has read as much of its voters' logs.
func adopting(t *testing.T, from, read uint64, voters ...ID) *alone {
	a := gather(t, "FFFFF")
	c := a.core
	c.head, c.emitted, c.seen, c.commit, c.low = from, from, from, from, from
	c.headIndex, c.emittedIndex, c.seenIndex = 3, 3, 3
	c.camp.stage, c.camp.from, c.camp.want = reading, from, from+read
	for _, id := range voters {
		p := a.grants(id)
		p.head, p.logBuf = from, make([]byte, read)
		c.camp.voters = append(c.camp.voters, p)
	}
	return a
}

// has puts an entry into what was read of a voter's log (0: into this server's), and returns its end.
func (a *alone) has(id ID, e entry) uint64 {
	geo, from := a.core.geo, a.core.camp.from
	e.index += 3
	size := min(geo.left(e.position), max(entryHeader, entrySize(len(e.record))))
	b := make([]byte, size)
	e.encode(b)
	if id == 0 {
		copy(a.log[geo.slot(e.position):], b)
	} else {
		copy(a.core.peer(id).logBuf[e.position-from:], b)
	}
	if e.skip {
		return e.position + geo.left(e.position)
	}
	return e.position + size
}

// What a candidate adopts, and how it takes it into its term.
func TestAdoption(t *testing.T) {
	ring := uint64(MinLogSize - ringStart)
	record := func(position, index uint64, term Term, r string) entry {
		return entry{position: position, index: index, term: term, record: []byte(r)}
	}
	adopted := func(t *testing.T, a *alone) (records []string) {
		require.Equal(t, Leader, a.core.role, "%q", a.events)
		l := &a.core.lead
		at, index := l.decided, uint64(3)
		require.Equal(t, a.core.camp.from, l.decided)
		for at < l.tail {
			e, ok := a.core.geo.at(a.log, at)
			require.True(t, ok)
			if e.term != 0 {
				require.Equal(t, a.core.promised, e.term, "in its own term")
				require.Equal(t, index, e.index)
				require.Equal(t, l.decided, e.commit)
			}
			if !e.skip {
				records = append(records, string(e.record))
				if !e.members {
					index++
				}
			}
			at += e.size
		}
		require.Equal(t, at, l.tail)
		require.Equal(t, l.tail, l.start)
		require.Equal(t, index, l.index)
		for _, p := range a.core.peers {
			require.Nil(t, p.logBuf)
		}
		return records
	}
	t.Run("nothing", func(t *testing.T) {
		a := adopting(t, 48, 512, 1, 2)
		a.core.adopt()
		require.Empty(t, adopted(t, a))
	})
	t.Run("not before all that is decided was given to the state machine", func(t *testing.T) {
		a := adopting(t, 48, 512, 1, 2)
		a.core.camp.from = 96
		a.core.adopt()
		require.Equal(t, Candidate, a.core.role)
		require.EqualValues(t, 48+512, a.core.camp.want, "it looks at nothing yet")
		a.core.camp.from = 48
		end := a.has(0, record(48, 0, 2, "decided"))
		a.core.camp.from = end
		a.core.commit = end
		a.core.adopt()
		require.Equal(t, Leader, a.core.role)
		require.Equal(t, end, a.core.emitted)
	})
	for _, c := range []struct {
		about string
		logs  map[ID][]entry
		want  []string
	}{
		{"its own", map[ID][]entry{0: {record(48, 0, 2, "a"), record(96, 1, 2, "b")}}, []string{"a", "b"}},
		{"a voter's", map[ID][]entry{2: {record(48, 0, 2, "a"), record(96, 1, 2, "b")}}, []string{"a", "b"}},
		{"of the highest term", map[ID][]entry{0: {record(48, 0, 3, "a")}, 1: {record(48, 0, 2, "b")}, 2: {record(48, 0, 4, "c")}}, []string{"c"}},
		{"its own, if that is it", map[ID][]entry{0: {record(48, 0, 5, "a")}, 1: {record(48, 0, 2, "b")}, 2: {record(48, 0, 4, "c")}}, []string{"a"}},
		{"the first voter's", map[ID][]entry{1: {record(48, 0, 5, "b")}, 2: {record(48, 0, 4, "c")}}, []string{"b"}},
		{"together", map[ID][]entry{1: {record(48, 0, 2, "a"), record(96, 1, 2, "b")}, 2: {record(48, 0, 2, "a")}, 0: {record(144, 2, 2, "c")}}, []string{"a", "b", "c"}},
		{"nothing of another index", map[ID][]entry{1: {record(48, 1, 9, "b")}, 2: {record(48, 0, 2, "a")}}, []string{"a"}},
		{"nothing behind a gap", map[ID][]entry{1: {record(96, 1, 9, "b")}}, nil},
		{"a membership, and nothing behind it", map[ID][]entry{
			1: {record(48, 0, 2, "a"), {position: 96, index: 1, term: 2, record: EncodeMembers([]Member{{ID: 0}, {ID: 7}}), members: true}, record(192, 1, 2, "c")},
		}, []string{"a", string(EncodeMembers([]Member{{ID: 0}, {ID: 7}}))}},
	} {
		t.Run(c.about, func(t *testing.T) {
			a := adopting(t, 48, 512, 1, 2)
			members := false
			for id, log := range c.logs {
				for _, e := range log {
					a.has(id, e)
					members = members || e.members
				}
			}
			a.core.adopt()
			require.Equal(t, c.want, adopted(t, a))
			require.Equal(t, members, a.core.lead.changed, "nothing is proposed behind it")
			require.Equal(t, min(len(c.want), 1), a.core.undecided(), "they are decided together")
		})
	}
	t.Run("around the end", func(t *testing.T) {
		for _, back := range []uint64{48, 88, 80} { // what is left behind the first: nothing, a mark's length, less
			a := adopting(t, ring-back, 512, 1)
			at := a.has(1, record(ring-back, 0, 2, "a"))
			if left := a.core.geo.left(at); left < ring && left >= entryHeader {
				at = a.has(1, entry{position: at, index: 1, term: 2, skip: true})
			} else if left < ring {
				at += left
			}
			require.Equal(t, ring, at)
			a.has(1, record(at, 1, 2, "b"))
			a.core.adopt()
			require.Equal(t, []string{"a", "b"}, adopted(t, a))
		}
	})
	t.Run("behind what is found to be decided while it reads", func(t *testing.T) {
		a := adopting(t, 48, 512, 1, 2)
		for _, id := range []ID{0, 1, 2} {
			a.has(id, record(48, 0, 2, "a"))
		}
		a.has(1, record(96, 1, 2, "b"))
		a.core.commit = 96
		a.core.adopt()
		require.EqualValues(t, 96, a.core.emitted)
		l := &a.core.lead
		require.EqualValues(t, []uint64{96, 144, 5}, []uint64{l.decided, l.tail, l.index})
		e, ok := a.core.geo.at(a.log, 96)
		require.True(t, ok)
		require.Equal(t, "b", string(e.record))
		require.EqualValues(t, 96, e.commit)
	})
	t.Run("only when all that is decided is given", func(t *testing.T) {
		a := adopting(t, 48, 512, 1)
		a.core.camp.from = 96
		a.core.adopt()
		require.Equal(t, Candidate, a.core.role)
		a.core.camp.from, a.core.role = 48, Follower
		a.core.adopt()
		require.Equal(t, Follower, a.core.role)
	})
	t.Run("when there is room for it", func(t *testing.T) {
		for _, room := range []uint64{48, 47} {
			a := adopting(t, ring, 512, 1)
			a.has(1, record(ring, 0, 2, "a"))
			a.core.head = ring + room - ring // so much of the ring was applied
			a.core.adopt()
			if room == 48 {
				require.Equal(t, Leader, a.core.role)
				continue
			}
			require.Equal(t, Candidate, a.core.role)
			require.Equal(t, stage(waitApplied), a.core.camp.stage)
			a.core.head++
			a.core.campaignStep()
			require.Equal(t, Leader, a.core.role)
		}
	})
	t.Run("more is read when there may be more", func(t *testing.T) {
		a := adopting(t, 48, 80, 1, 2)
		a.has(1, record(48, 0, 2, "a"))
		a.has(2, record(48, 0, 2, "a"))
		a.core.adopt()
		require.Equal(t, stage(reading), a.core.camp.stage)
		require.EqualValues(t, 48+320, a.core.camp.want)
		for _, id := range []ID{1, 2} {
			p := a.core.peer(id)
			require.Len(t, p.logBuf, 320)
			require.NotZero(t, p.logOpen)
		}
		n := len(a.ops)
		a.core.readLogs()
		require.Len(t, a.ops, n, "that is under way")
		require.Equal(t, Candidate, a.core.role)
		for _, id := range []ID{1, 2} {
			a.core.peer(id).logOpen = 0
		}
		a.has(1, record(48, 0, 2, "a"))
		a.core.readLogs()
		require.Equal(t, []string{"a"}, adopted(t, a))
	})
	t.Run("never more than there is", func(t *testing.T) {
		a := adopting(t, 48, 38*96+8, 1)
		at := uint64(48)
		for i := range uint64(38) {
			at = a.has(1, entry{position: at, index: i, term: 2, record: make([]byte, 56)})
		}
		a.core.adopt()
		require.Equal(t, ring, a.core.camp.want-a.core.camp.from)
	})
	t.Run("all have forgotten", func(t *testing.T) {
		for _, c := range []struct {
			members []Member
			leads   bool
		}{{[]Member{{ID: 0}, {ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}}, true}, {[]Member{{ID: 0}, {ID: 1}}, true}, {[]Member{{ID: 0}, {ID: 1}, {ID: 9}}, false}} {
			a := adopting(t, 48, 512, 1, 2, 3, 4)
			a.core.camp.all, a.core.state = true, Recovering
			a.has(1, entry{position: 48, term: 2, record: EncodeMembers(c.members), members: true})
			a.core.adopt()
			require.Equal(t, c.leads, a.core.role == Leader)
		}
		a := adopting(t, 48, 512, 1, 2, 3, 4)
		a.core.camp.all, a.core.state = true, Recovering
		a.has(1, entry{position: 48, term: 2, record: []byte("none"), members: true})
		a.core.adopt()
		require.Equal(t, Follower, a.core.role, "who may be a member cannot be read")
		a = adopting(t, 48, 512, 1, 2, 3, 4)
		a.core.camp.all, a.core.state = true, Recovering
		a.has(1, record(48, 0, 2, "a"))
		a.core.adopt()
		require.Equal(t, Leader, a.core.role)
	})
}

// What a candidate does before it reads logs.
func TestCatchUpSteps(t *testing.T) {
	a := adopting(t, 48, 512, 1)
	a.core.camp.stage, a.core.fetching = catchingUp, true
	a.core.campaignStep()
	require.Equal(t, stage(catchingUp), a.core.camp.stage)
	a.core.fetching = false
	a.core.peer(1).logBuf = nil
	a.core.campaignStep()
	require.Equal(t, stage(reading), a.core.camp.stage)
	require.Equal(t, min(a.core.geo.ring, firstRead), a.core.camp.want-a.core.camp.from)
	p := a.core.peer(1)
	require.Equal(t, int(a.core.camp.want-a.core.camp.from), len(p.logBuf))
	p.logOpen = 1
	a.core.controlDone(p, pending{kind: opLog})
	require.Equal(t, Leader, a.core.role, "all is read")

	a = adopting(t, 48, 512, 1)
	a.core.peer(1).logOpen = 2
	a.core.controlDone(a.core.peer(1), pending{kind: opLog})
	require.Equal(t, Candidate, a.core.role)
	a.core.role = Follower
	a.core.controlDone(a.core.peer(1), pending{kind: opCheck})
	require.Equal(t, Follower, a.core.role)

	t.Run("nothing is written over what is not applied", func(t *testing.T) {
		a := adopting(t, 48, 512, 1)
		end := 48 + a.core.geo.ring
		require.True(t, a.core.takeDecided(nil, end, end))
		require.False(t, a.core.takeDecided(nil, end+8, end+8))
	})
	t.Run("it is given more when some is applied", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.propose("x")
		a.propose("y")
		rooms := a.rooms
		a.core.commit = 96
		a.core.headIndex -= maxUnapplied
		a.core.emit()
		require.Empty(t, a.given)
		a.core.emitted, a.core.emittedIndex, a.core.seen, a.core.seenIndex = 48, 1, 48, 1
		a.core.Applied(a.now, 48, 1)
		require.Equal(t, []string{"y"}, a.records())
		require.Equal(t, rooms, a.rooms)
		require.EqualValues(t, 48, a.status().head)
		a.core.lead.blocked = 1
		a.core.Applied(a.now, 96, 2)
		require.Greater(t, a.rooms, rooms)
	})
}

// Whom a leader drops for holding up the log.
func TestDropsSlow(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(c *Core)
		drops  ID // 0: nobody
	}{
		{"the slowest", func(*Core) {}, 2},
		{"not before its time", func(c *Core) { c.lead.blocked = c.now - c.cfg.SlowAfter + 1 }, 0},
		{"not while there is room", func(c *Core) { c.lead.blocked = 0 }, 0},
		{"not who is lost", func(c *Core) { c.peer(2).live = false }, 1},
		{"not who has applied what this server has", func(c *Core) { c.head = 16 }, 0},
		{"who is needed", func(c *Core) { c.peer(1).live, c.peer(3).live = false, false }, 0},
		{"who does not count", func(c *Core) { c.peer(1).live, c.peer(3).live, c.peer(2).full = false, false, false }, 2},
		{"who still takes from an old group", func(c *Core) { c.peer(3).wantGen, c.peer(3).floor = 4, 8 }, 3},
	} {
		a := leads(t, "FFFFF", nil)
		a.core.now = 3 * time.Second
		a.core.head, a.core.lead.blocked = 64, a.core.now-a.core.cfg.SlowAfter
		a.core.peer(1).head, a.core.peer(2).head, a.core.peer(3).head, a.core.peer(4).head = 24, 16, 32, 40
		c.change(a.core)
		live := map[ID]bool{}
		for _, p := range a.core.peers {
			live[p.id] = p.live
		}
		rooms := a.rooms
		a.core.dropSlow(a.core.confirmed())
		for _, p := range a.core.peers {
			require.Equal(t, live[p.id] && p.id != c.drops, p.live, "%s: server %d", c.about, p.id)
		}
		if c.drops != 0 {
			require.Equal(t, a.core.now, a.core.lead.blocked, "the next one is waited for as long")
			require.Equal(t, a.core.now+a.core.cfg.SlowAfter, a.core.peer(c.drops).notBefore)
			require.Greater(t, a.rooms, rooms)
		}
	}
}

// How paths' ends are taken by who asks and who leads.
func TestLostPath(t *testing.T) {
	a := leads(t, "FFF", nil)
	p := a.core.peer(1)
	p.granted = true
	a.core.lostPath(p)
	require.False(t, p.live || p.granted)
	require.True(t, p.asked, "by another path, at once")
	a = gather(t, "FFF")
	p = a.grants(1)
	a.ops = nil
	a.core.lostPath(p)
	require.True(t, p.asked)
	require.False(t, p.granted)
	require.Len(t, a.ops, 1)
	a = gather(t, "FFF")
	p = a.grants(1)
	a.core.camp.voters = []*peer{p}
	a.core.lostPath(p)
	require.Equal(t, Follower, a.core.role)
	a.ops = nil
	p.asked = true
	a.core.lostPath(p)
	require.Empty(t, a.ops)
	require.True(t, p.asked)
}

// What time and writes of others do.
func TestTicks(t *testing.T) {
	for name, call := range map[string]func(c *Core, now time.Duration){"Tick": (*Core).Tick, "Poll": (*Core).Poll} {
		a := newAlone(t, 1, 3, func(c *Config) { c.Lease = testLease })
		a.follow()
		a.now += 5 * ms
		a.core.lease.begun = false
		end := a.writes(entry{term: 5 << 8, record: []byte("x")})
		a.writes(entry{position: end, index: 1, term: 5 << 8, commit: end, record: []byte("y")})
		beat := a.core.heartbeat
		r := request{cluster: 7, term: 6 << 8, seq: 1, incarnation: 1}
		a.core.lease.until = 0
		call(a.core, a.now)
		require.True(t, a.core.lease.begun, name)
		require.Equal(t, beat+1, a.core.heartbeat, name)
		require.Equal(t, []string{"x"}, a.records(), name)
		a.core.lease.until = 0
		r.encode(a.vote[offRequest:])
		roles := len(a.roles)
		call(a.core, a.now)
		require.Equal(t, Term(6<<8), a.status().promised, name)
		require.Greater(t, len(a.roles), roles, "%s: and says so", name)
		a.core.statusDirty, a.core.low = true, 77
		call(a.core, a.now)
		require.EqualValues(t, 77, a.status().low, name)
		require.False(t, a.core.statusDirty)
		require.Equal(t, a.now, a.core.now)
	}
	a := newAlone(t, 1, 3, nil)
	a.follow()
	a.ops = nil
	for _, p := range a.core.peers {
		p.read = readIdle
	}
	next := a.core.nextLook
	a.core.Tick(next - 1)
	require.Equal(t, next, a.core.nextLook)
	a.core.Tick(next)
	require.Equal(t, next+a.core.cfg.HeartbeatEvery, a.core.nextLook)
	require.Len(t, a.ops, 2, "others are looked at now and then")
}

// Whom a candidate asks beside its members, when those have forgotten whether they added it.
func TestAsksAdded(t *testing.T) {
	begin := func(t *testing.T) *alone { // server 1 has forgotten, and server 2 may be a member
		a := gather(t, "FR")
		p := a.grants(1)
		a.core.camp = campaign{stage: reading, all: true, want: 512, voters: []*peer{p}}
		p.logBuf = make([]byte, 512)
		e := entry{term: 2, record: EncodeMembers([]Member{{ID: 0}, {ID: 1}, {ID: 2}}), members: true}
		b := make([]byte, entrySize(len(e.record)))
		e.encode(b)
		copy(p.logBuf, b)
		return a
	}
	a := begin(t)
	a.core.adopt()
	require.Equal(t, Follower, a.core.role, "what was decided with it is not known")
	added := a.core.peer(2)
	require.NotNil(t, added)
	require.False(t, added.member)

	a.core.now = time.Minute
	a.core.startCampaign()
	a.peer(2)
	a.grants(1)
	a.core.gather()
	require.Equal(t, gathering, a.core.camp.stage, "it is waited for")
	require.True(t, added.asked)
	added.granted, added.read2, added.st.state = true, true, Full
	a.core.gather()
	require.True(t, a.core.camp.all)
	require.Equal(t, []*peer{a.core.peer(1), added}, a.core.camp.voters)

	// It does not answer: perhaps there is no change any more.
	a = begin(t)
	a.core.adopt()
	a.core.now = time.Minute
	a.core.startCampaign()
	a.grants(1)
	a.core.now += 5 * a.core.cfg.RequestEvery
	a.core.gather()
	require.Equal(t, gathering, a.core.camp.stage)
	a.core.now++
	a.core.gather()
	require.True(t, a.core.camp.all)
	require.Equal(t, []*peer{a.core.peer(1)}, a.core.camp.voters)

	a.core.setMembers([]Member{{ID: 0}, {ID: 1}})
	require.Nil(t, a.core.peer(2), "the next membership is known")
}
