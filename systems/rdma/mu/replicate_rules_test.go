package mu

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// logWrites are the WRITEs to a peer's log that were posted and not executed, by their offsets, and their lengths.
func (a *alone) logWrites(id ID) (offsets, lengths []uint64) {
	for _, o := range a.ops {
		if o.Path == (Path{Peer: id, Kind: Replication}) && o.Offset >= ringStart {
			offsets, lengths = append(offsets, o.Offset), append(lengths, uint64(len(o.Data)))
		}
	}
	return offsets, lengths
}

// What is proposed.
func TestProposes(t *testing.T) {
	a := leads(t, "FFF", func(c *Config) { c.Window = 3 })
	index, ok, err := a.core.Propose(a.now, []byte("x"))
	require.True(t, ok)
	require.NoError(t, err)
	require.Zero(t, index)
	require.Empty(t, a.ops, "before Flush")
	index, ok, _ = a.core.Propose(a.now, []byte("yy"))
	require.True(t, ok)
	require.EqualValues(t, 1, index)
	e, ok := a.core.geo.at(a.log, 48)
	require.True(t, ok)
	require.Equal(t, entry{position: 48, index: 1, term: 5 << 8, record: []byte("yy"), size: 48}, e)
	_, _, err = a.core.Propose(a.now, make([]byte, a.core.MaxRecord()+1))
	require.ErrorIs(t, err, ErrRecord)
	require.EqualValues(t, 96, a.core.lead.tail)
	_, ok, err = a.core.Propose(a.now, make([]byte, a.core.MaxRecord()))
	require.NoError(t, err)
	require.True(t, ok, "the largest")
	_, ok, err = a.core.Propose(a.now, nil)
	require.NoError(t, err)
	require.False(t, ok, "the window is full")
	a.core.cfg.Window++
	a.core.lead.quiesce = true
	_, ok, _ = a.core.Propose(a.now, nil)
	require.False(t, ok)
	a.core.lead.quiesce, a.core.lead.changed = false, true
	_, ok, _ = a.core.Propose(a.now, nil)
	require.False(t, ok)
	a.core.lead.changed = false
	index, ok, err = a.core.Propose(a.now, nil)
	require.True(t, ok)
	require.NoError(t, err)
	require.EqualValues(t, 3, index)
	a.core.role = Follower
	index, ok, err = a.core.Propose(a.now, nil)
	require.ErrorIs(t, err, ErrNotLeader)
	require.False(t, ok)
	require.Zero(t, index)
}

// Where entries come to lie.
func TestAppends(t *testing.T) {
	at := func(t *testing.T, back uint64) *alone { // that far before the end of the ring
		a := leads(t, "FFF", nil)
		pos := a.core.geo.ring - back
		a.core.head, a.core.emitted, a.core.lead.tail, a.core.lead.decided, a.core.lead.lastFree = pos, pos, pos, pos, pos
		for _, p := range a.core.peers {
			p.head, p.posted, p.acked = pos, pos, pos
		}
		return a
	}
	for _, c := range []struct {
		about  string
		back   uint64
		skip   uint64
		marked bool
	}{
		{"as far as the end", 48, 0, false}, {"with a mark", 40, 40, true}, {"without one", 32, 32, false}, {"not quite", 8, 8, false},
	} {
		a := at(t, c.back)
		ring := a.core.geo.ring
		a.core.lead.index = 5
		_, ok, err := a.core.Propose(a.now, []byte("x"))
		require.NoError(t, err)
		require.True(t, ok)
		require.EqualValues(t, 6, a.core.lead.index)
		require.Equal(t, ring-c.back+c.skip+48, a.core.lead.tail, c.about)
		require.Equal(t, []uint64{a.core.lead.tail}, a.core.lead.ends)
		e, ok := a.core.geo.at(a.log, ring-c.back+c.skip)
		require.True(t, ok, c.about)
		require.Equal(t, []byte("x"), e.record)
		require.EqualValues(t, 5, e.index)
		require.Equal(t, ring-c.back, e.commit)
		if c.marked {
			s, ok := a.core.geo.at(a.log, ring-c.back)
			require.True(t, ok)
			require.True(t, s.skip)
			require.Equal(t, c.skip, s.size)
			require.EqualValues(t, 5, s.index)
			require.Equal(t, Term(5<<8), s.term)
			require.Equal(t, ring-c.back, s.commit)
		}
		a.core.Flush(a.now)
		offsets, lengths := a.logWrites(1)
		switch {
		case c.skip == 0:
			require.Equal(t, []uint64{ringStart + ring - 48}, offsets)
			require.Equal(t, []uint64{48}, lengths)
		case c.marked:
			require.Equal(t, []uint64{ringStart + ring - c.back, ringStart}, offsets)
			require.Equal(t, []uint64{entryHeader, 48}, lengths)
		default:
			require.Equal(t, []uint64{ringStart}, offsets, "what has no bytes is not written")
			require.Equal(t, []uint64{48}, lengths)
			require.Equal(t, ring, a.core.peer(1).acked, "and needs no acknowledgement")
		}
	}
	t.Run("what a mark skips is not written", func(t *testing.T) {
		a := at(t, 80)
		ring := a.core.geo.ring
		a.propose(string(make([]byte, 60)))
		offsets, lengths := a.logWrites(1)
		require.Equal(t, []uint64{ringStart + ring - 80, ringStart}, offsets)
		require.Equal(t, []uint64{entryHeader, 104}, lengths)
		a.peers[1].stuck = false
		a.step()
		require.Equal(t, ring, a.core.peer(1).acked)

		a = at(t, 80+48)
		a.core.Propose(a.now, []byte("x"))
		a.core.Propose(a.now, make([]byte, 60))
		a.core.Flush(a.now)
		offsets, lengths = a.logWrites(1)
		require.Equal(t, []uint64{ringStart + ring - 128, ringStart}, offsets, "it may be behind something")
		require.Equal(t, []uint64{48 + entryHeader, 104}, lengths)
	})
	t.Run("until the ring is full", func(t *testing.T) {
		a := at(t, 0)
		ring := a.core.geo.ring
		a.now++
		n := uint64(0)
		for n = 0; ; n++ {
			require.Zero(t, a.core.lead.blocked)
			_, ok, err := a.core.Propose(a.now, make([]byte, 56)) // entries of 96 bytes: 40 of them
			require.NoError(t, err)
			if !ok {
				break
			}
		}
		require.Equal(t, ring/96, n)
		require.Equal(t, a.now, a.core.lead.blocked)
		_, ok, _ := a.core.Propose(a.now+5, nil)
		require.False(t, ok)
		require.Equal(t, a.now, a.core.lead.blocked, "since then")
		a.core.head += 96
		for _, p := range a.core.peers {
			p.head += 96
		}
		_, ok, _ = a.core.Propose(a.now+6, make([]byte, 57))
		require.False(t, ok)
		_, ok, _ = a.core.Propose(a.now+6, make([]byte, 56))
		require.True(t, ok)
		require.Zero(t, a.core.lead.blocked)
	})
	t.Run("when something moves", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.core.lead.lastMove = 1
		a.core.Propose(a.now, []byte("x"))
		require.Equal(t, a.now, a.core.lead.lastMove)
		a.core.Propose(a.now+5, []byte("y"))
		require.Equal(t, a.now, a.core.lead.lastMove)
	})
	t.Run("ends are kept in bounds", func(t *testing.T) {
		a := newAlone(t, 0, 1, nil)
		a.lead()
		for range 500 {
			a.propose("x")
			a.core.Propose(a.now, []byte("y"))
			a.core.Flush(a.now)
			a.run()
			require.Zero(t, a.core.undecided())
			require.Less(t, cap(a.core.lead.ends), 32)
		}
		require.Len(t, a.records(), 1000)
	})
}

// What a path is given.
func TestPosts(t *testing.T) {
	t.Run("several at once, up to what a WRITE may have", func(t *testing.T) {
		a := leads(t, "FFF", func(c *Config) { c.MaxWrite, c.Depth = 100, 3 })
		for range 8 {
			_, ok, _ := a.core.Propose(a.now, []byte("x"))
			require.True(t, ok)
		}
		a.core.Flush(a.now)
		offsets, lengths := a.logWrites(1)
		require.Equal(t, []uint64{ringStart, ringStart + 100, ringStart + 200}, offsets)
		require.Equal(t, []uint64{100, 100, 100}, lengths)
		p := a.core.peer(1)
		require.Equal(t, 3, p.open)
		require.EqualValues(t, 300, p.posted)
		require.Zero(t, p.acked)
		a.peers[1].stuck = false
		a.step()
		require.EqualValues(t, 100, p.acked)
		require.Equal(t, 3, p.open, "there is room for the next one")
		require.EqualValues(t, 384, p.posted)
		a.run()
		require.EqualValues(t, 384, p.acked)
		require.Zero(t, p.open)
	})
	t.Run("what was adopted, one entry at a time", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.propose("x")
		a.propose("y")
		a.core.lead.start = 96
		a.propose("zz")
		p := a.core.peer(1)
		p.posted, p.acked, p.open, a.ops = 0, 0, 0, nil
		a.core.postAll()
		offsets, lengths := a.logWrites(1)
		require.Equal(t, []uint64{ringStart, ringStart + 48, ringStart + 96}, offsets)
		require.Equal(t, []uint64{48, 48, 48}, lengths)
		e := entry{position: 0, term: 5 << 8, skip: true}
		e.encode(a.log[ringStart : ringStart+entryHeader])
		n, skipped := a.core.oneEntry(0, 1<<20)
		require.EqualValues(t, entryHeader, n)
		require.Equal(t, a.core.geo.ring-entryHeader, skipped)
		n, skipped = a.core.oneEntry(8, 77)
		require.EqualValues(t, 77, n, "what cannot be read is not looked at")
		require.Zero(t, skipped)
	})
	t.Run("by whom", func(t *testing.T) {
		for _, c := range []struct {
			change func(c *Core, p *peer)
			writes bool
		}{
			{func(*Core, *peer) {}, true}, {func(_ *Core, p *peer) { p.live = false }, false},
			{func(c *Core, _ *peer) { c.lead.mode = Accelerated }, false},
			{func(c *Core, p *peer) { c.lead.mode, p.direct = Accelerated, true }, true},
		} {
			a := leads(t, "FFF", nil)
			c.change(a.core, a.core.peer(1))
			a.propose("x")
			offsets, _ := a.logWrites(1)
			require.Equal(t, c.writes, len(offsets) == 1)
		}
	})
	t.Run("the commit position", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(c *Core, p *peer)
			sent   bool
		}{
			{"when nothing else says it", func(*Core, *peer) {}, true},
			{"not at once", func(c *Core, _ *peer) { c.lead.idleFrom = c.now - c.cfg.IdleCommit + 1 }, false},
			{"at once, before something that is waited for", func(c *Core, _ *peer) { c.lead.idleFrom, c.lead.quiesce = c.now, true }, true},
			{"at once, when the log is full", func(c *Core, _ *peer) { c.lead.idleFrom, c.lead.blocked = c.now, 1 }, true},
			{"one at a time", func(_ *Core, p *peer) { p.commitOpen = true }, false},
			{"once", func(_ *Core, p *peer) { p.commitSent = 48 }, false},
			{"when it says more", func(_ *Core, p *peer) { p.commitSent = 40 }, true},
			{"not ahead of what it covers", func(_ *Core, p *peer) { p.posted, p.open = 0, 16 }, false},
			{"not while something is undecided", func(c *Core, _ *peer) { c.lead.first = 0 }, false},
		} {
			a := leads(t, "FFF", nil)
			a.propose("x")
			c1, p := a.core, a.core.peer(1)
			c1.lead.decided, c1.lead.first, c1.lead.idleFrom, p.open, a.ops = 48, 1, c1.now-c1.cfg.IdleCommit, 0, nil
			c.change(c1, p)
			c1.post(&p.track, &p.rep[0], Path{Peer: 1, Kind: Replication}, p.commitBuf[:])
			require.Equal(t, c.sent, len(a.ops) == 1, c.about)
			if c.sent {
				require.EqualValues(t, offCommit, a.ops[0].Offset)
				require.Equal(t, binary.LittleEndian.AppendUint64(nil, 48), a.ops[0].bytes)
				require.True(t, p.commitOpen)
				require.EqualValues(t, 48, p.commitSent)
				c1.wrote(p, &p.track, pending{opCommit, 0})
				require.False(t, p.commitOpen)
			}
		}
	})
}

// What is decided.
func TestDecidesBy(t *testing.T) {
	for _, c := range []struct {
		states  string
		acked   []uint64
		decided uint64
	}{
		{"FFF", []uint64{0, 0}, 0}, {"FFF", []uint64{96, 48}, 96}, {"FFF", []uint64{48, 0}, 48}, {"FRF", []uint64{96, 48}, 48},
		{"FRR", []uint64{96, 48}, 0}, {"FFFFF", []uint64{96, 48, 0, 0}, 48}, {"FFFFF", []uint64{96, 0, 0, 0}, 0},
		{"FFFF", []uint64{96, 48, 0}, 48}, {"FF", []uint64{48}, 48}, {"FFFFF", []uint64{0, 48, 96, 96}, 96},
	} {
		a := leads(t, c.states, nil)
		a.propose("x")
		a.propose("y")
		for i, p := range a.core.peers {
			p.acked = c.acked[i]
		}
		a.core.lead.lastMove, a.core.lead.idleFrom = 1, 1
		a.core.decide()
		require.Equal(t, c.decided, a.core.lead.decided, "%+v", c)
		require.Len(t, a.given, int(c.decided/48))
		require.Equal(t, 2-int(c.decided/48), a.core.undecided())
		require.Equal(t, c.decided, a.core.commit)
		if c.decided > 0 {
			require.Equal(t, a.core.now, a.core.lead.lastMove)
			require.Equal(t, a.core.now, a.core.lead.idleFrom)
		} else {
			require.EqualValues(t, 1, a.core.lead.lastMove)
		}
	}
	t.Run("with a group", func(t *testing.T) {
		for _, c := range []struct {
			change  func(a *alone)
			decided uint64
		}{
			{func(*alone) {}, 96}, {func(a *alone) { a.core.lead.group.state = groupReady }, 48},
			{func(a *alone) { a.core.peer(1).acked, a.core.lead.group.acked = 96, 48 }, 96},
			{func(a *alone) { a.core.members = a.core.members[1:] }, 0},
		} {
			a := leads(t, "FFF", nil)
			a.propose("x")
			a.propose("y")
			a.core.lead.group.state, a.core.lead.group.acked, a.core.peer(1).acked = groupActive, 96, 48
			c.change(a)
			a.core.decide()
			require.Equal(t, c.decided, a.core.lead.decided)
		}
	})
	t.Run("alone", func(t *testing.T) {
		a := newAlone(t, 0, 1, nil)
		a.lead()
		a.propose("x")
		require.Equal(t, []string{"x"}, a.records())
		require.Empty(t, a.ops)
	})
	t.Run("who waits for room", func(t *testing.T) {
		for _, c := range []struct {
			change func(c *Core)
			told   bool
		}{{func(*Core) {}, false}, {func(c *Core) { c.cfg.Window = 2 }, true}, {func(c *Core) { c.cfg.Window = 3 }, false}, {func(c *Core) { c.lead.quiesce = true }, true}} {
			a := leads(t, "FFF", nil)
			a.propose("x")
			a.propose("y")
			c.change(a.core)
			rooms := a.rooms
			a.core.peer(1).acked = 48
			a.core.decide()
			require.Equal(t, c.told, a.rooms > rooms)
		}
	})
}

// What of the ring is free, and who keeps it.
func TestFrees(t *testing.T) {
	for about, c := range map[string]struct {
		change func(c *Core)
		free   uint64
	}{
		"what all have applied":         {func(*Core) {}, 64},
		"what this server has":          {func(c *Core) { c.head = 8 }, 8},
		"a peer's head":                 {func(c *Core) { c.peer(1).head = 16 }, 16},
		"a peer that is not written to": {func(c *Core) { c.peer(1).head, c.peer(1).live = 16, false }, 64},
		"what is on its way":            {func(c *Core) { c.peer(1).open, c.peer(1).acked = 1, 24 }, 24},
		"what was":                      {func(c *Core) { c.peer(1).acked = 24 }, 64},
		"what is on its way by a group": {func(c *Core) { c.lead.group = group{state: groupActive, track: track{open: 1, acked: 32}} }, 32},
		"by one that is none yet":       {func(c *Core) { c.lead.group = group{state: groupReady, track: track{open: 1, acked: 32}} }, 64},
		"nothing is":                    {func(c *Core) { c.lead.group = group{state: groupActive, track: track{acked: 32}} }, 64},
		"who takes from an old group": {func(c *Core) {
			c.lead.minGen, c.peer(1).st.minGen, c.peer(2).st.minGen, c.lead.fenceFloor = 4, 3, 4, 40
		}, 40},
		"who has left it": {func(c *Core) {
			c.lead.minGen, c.peer(1).st.minGen, c.peer(2).st.minGen, c.lead.fenceFloor = 4, 4, 4, 40
		}, 64},
		"who is repaired":                     {func(c *Core) { c.peer(1).wantGen, c.peer(1).st.minGen, c.peer(1).floor = 4, 3, 48 }, 48},
		"who is repaired, and has left":       {func(c *Core) { c.peer(1).wantGen, c.peer(1).st.minGen, c.peer(1).floor = 4, 4, 48 }, 64},
		"a snapshot":                          {func(c *Core) { c.holds[9] = hold{56, c.now + 1} }, 56},
		"one that took too long":              {func(c *Core) { c.holds[9] = hold{56, c.now} }, 64},
		"what it was, when too few are there": {func(c *Core) { c.peer(1).live, c.peer(2).live, c.lead.lastFree = false, false, 44 }, 44},
		"no more than there is":               {func(c *Core) { c.peer(1).live, c.peer(2).live, c.lead.lastFree = false, false, 80 }, 64},
		"one is enough":                       {func(c *Core) { c.peer(1).live, c.lead.lastFree = false, 44 }, 64},
		"but not who does not count":          {func(c *Core) { c.peer(1).live, c.peer(2).full, c.lead.lastFree = false, false, 44 }, 44},
	} {
		a := leads(t, "FFF", nil)
		a.core.head = 64
		for _, p := range a.core.peers {
			p.head = 72
		}
		c.change(a.core)
		require.Equal(t, c.free, a.core.free(), about)
		require.Equal(t, c.free, a.core.lead.lastFree, about)
	}
	a := leads(t, "FFF", nil)
	ring := a.core.geo.ring
	a.core.head = ring + 64
	for _, c := range []struct {
		id    ID
		at    uint64
		holds bool
	}{{1, 64, true}, {1, 63, false}, {9, 640, false}, {1, ring, true}} {
		a.core.holds = [MaxID + 1]hold{}
		a.core.Hold(a.now, c.id, c.at)
		if c.holds {
			require.Equal(t, hold{c.at, a.now + 2*a.core.cfg.SlowAfter}, a.core.holds[c.id])
		} else {
			require.Zero(t, a.core.holds[c.id])
		}
	}
	a.core.head = 64
	a.core.Hold(a.now, 2, 0)
	require.NotZero(t, a.core.holds[2].until)
	for _, c := range [][3]uint64{{0, 0, 0}, {8, 0, 8}, {8, 100, 8}, {0, ring, 0}, {0, ring + 24, 24}, {8, ring + 24, 24}, {32, ring + 24, 32}} {
		a.core.low, a.core.lead.tail = c[0], c[1]
		require.Equal(t, c[2], a.core.lowWater(), "%v", c)
	}
}

// What is given to the state machine, and what of it is waited for.
func TestEmits(t *testing.T) {
	t.Run("in bounds", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.slow = true
		at, n := uint64(0), uint64(0)
		for at+48 <= a.core.geo.ring {
			at = a.writes(entry{position: at, index: n, term: 5 << 8, record: []byte("x")})
			n++
		}
		a.core.headIndex -= maxUnapplied - 2
		a.commits(at)
		require.Len(t, a.given, 2)
		a.core.headIndex++
		a.core.Applied(a.now, 8, a.core.headIndex+1)
		require.Len(t, a.given, 4)
		require.EqualValues(t, 8, a.status().head)
		a.core.head -= maxUnappliedBytes
		a.core.headIndex = 0
		a.core.emit()
		require.Len(t, a.given, 4)
	})
	t.Run("what is applied is what was given", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.slow = true
		end := a.writes(entry{term: 5 << 8, record: []byte("x")})
		a.commits(end)
		a.core.Applied(a.now, end+8, 2)
		require.Zero(t, a.core.head)
		a.core.Applied(a.now, end, 1)
		require.Equal(t, end, a.core.head)
		require.EqualValues(t, 1, a.core.headIndex)
		a.core.Applied(a.now, end-8, 0)
		require.Equal(t, end, a.core.head)
		require.EqualValues(t, 1, a.core.headIndex)
	})
	t.Run("a skip needs nobody", func(t *testing.T) {
		for _, slow := range []bool{false, true} {
			a := newAlone(t, 1, 3, func(c *Config) { c.Position, c.Index = MinLogSize-ringStart-96, 4 })
			for _, p := range a.peers {
				p.st.head = a.core.head
			}
			a.follow()
			a.slow = slow
			at := a.writes(entry{position: a.core.head, index: 4, term: 5 << 8, record: []byte("x")})
			e := entry{position: at, index: 5, term: 5 << 8, skip: true}
			off := a.core.geo.slot(at)
			e.encode(a.log[off : off+entryHeader])
			a.commits(at)
			if a.commits(a.core.geo.ring - 8); !slow {
				require.Equal(t, at, a.core.head, "all of it must be decided")
			}
			a.commits(a.core.geo.ring)
			require.Equal(t, a.core.geo.ring, a.core.emitted)
			if slow {
				require.Equal(t, at-48, a.core.head, "what is before it is not applied")
			} else {
				require.Equal(t, a.core.geo.ring, a.core.head)
				require.Equal(t, a.core.geo.ring, a.status().head)
			}
		}
	})
	t.Run("a membership that cannot be read", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		at := a.writes(entry{term: 5 << 8, record: []byte("{"), members: true})
		end := a.writes(entry{position: at, term: 5 << 8, record: []byte("x")})
		a.commits(end)
		require.Equal(t, []string{"x"}, a.records())
		require.Len(t, a.core.members, 3)
		require.Zero(t, a.core.membersAt)
	})
	t.Run("a membership", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		at := a.writes(entry{term: 5 << 8, record: EncodeMembers([]Member{{ID: 0}, {ID: 1}}), members: true})
		a.commits(at)
		require.Len(t, a.core.members, 2)
		require.Equal(t, at, a.core.membersAt)
		require.Equal(t, Decided{Position: at, Members: []Member{{ID: 0}, {ID: 1}}, Record: []byte(nil)}, a.given[0])
		require.Zero(t, a.core.emittedIndex)
	})
	t.Run("what leaders wrote is looked at behind what was seen", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		first := a.writes(entry{term: 5 << 8, record: []byte("x"), commit: 0})
		second := a.writes(entry{position: first, index: 1, term: 5 << 8, record: []byte("y"), commit: first})
		a.core.Poll(a.now)
		require.Equal(t, second, a.core.seen)
		require.EqualValues(t, 2, a.core.seenIndex)
		require.Equal(t, []string{"x"}, a.records(), "the second says that the first is decided")
		a.writes(entry{position: second, index: 5, term: 5 << 8, record: []byte("z"), commit: second})
		a.core.Poll(a.now)
		require.Equal(t, second, a.core.seen, "it does not follow")
		require.Equal(t, first, a.core.commit)
	})
}
