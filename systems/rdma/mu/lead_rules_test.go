package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leads makes a core a leader of servers in these states, who are all live, without anything under way.
func leads(t *testing.T, states string, change func(*Config)) *alone {
	a := newAlone(t, 0, len(states), change)
	a.core.incarnation, a.core.recover.done, a.core.state = 1, true, Full
	a.now = time.Second
	a.core.now, a.core.promised, a.core.maxTerm = a.now, 5<<8, 5<<8
	for _, p := range a.core.peers {
		p.alive, p.st.incarnation, p.st.promised, p.st.state, p.st.cluster = true, 1, 5<<8, Recovering, 7
		if states[p.id] == 'F' {
			p.st.state = Full
		}
		p.asked, p.granted, p.read2, p.fenced = true, true, true, true
		p.liveSince = a.now - time.Minute
		a.peers[p.id].stuck = true
	}
	a.core.role = Candidate
	a.core.becomeLeader(0, 0, 0, 0, false)
	a.ops = nil
	for _, p := range a.core.peers {
		for r := range p.ctl {
			p.ctl[r].ops, p.rep[r].ops, p.open = nil, nil, 0
		}
		p.asked, p.granted, p.read2 = true, true, true
	}
	a.core.lead.wantProbe, a.core.lead.probeOpen = false, false
	return a
}

// What a leader begins with.
func TestBecomesLeader(t *testing.T) {
	a := newAlone(t, 0, 3, func(c *Config) { c.Switch, c.RetryGroup = true, 70*ms })
	a.core.now, a.core.promised, a.core.state, a.core.failures = time.Second, 5<<8, Recovering, 3
	for _, p := range a.core.peers {
		p.granted, p.read2, p.st.state, p.head = true, p.id == 1, Recovering, 128
	}
	a.core.camp.all = true
	rooms := a.rooms
	a.core.journaled, a.core.logged = 96, 96
	a.core.becomeLeader(64, 128, 9, 1, true)
	require.EqualValues(t, 64, a.core.journaled, "what an earlier leader's entries had there says nothing of this one's")
	require.EqualValues(t, 64, a.core.logged)
	l := &a.core.lead
	require.Equal(t, Leader, a.core.role)
	require.Zero(t, a.core.failures)
	require.Equal(t, Full, a.core.state, "all have granted")
	require.Equal(t, Full, a.status().state)
	require.Equal(t, []uint64{64, 128, 128, 9}, []uint64{l.decided, l.start, l.tail, l.index})
	require.Equal(t, 1, a.core.undecided())
	require.Equal(t, []time.Duration{time.Second, time.Second, time.Second, 70 * ms, time.Second},
		[]time.Duration{l.since, l.lastMove, l.idleFrom, l.retry, l.nextTry})
	require.True(t, l.changed)
	require.EqualValues(t, 64, a.core.commit)
	require.True(t, a.core.peer(1).live)
	require.False(t, a.core.peer(2).live, "it was not read behind its grant")
	require.Greater(t, a.rooms, rooms)

	a = newAlone(t, 0, 3, nil)
	a.core.becomeLeader(64, 64, 9, 0, false)
	require.Zero(t, a.core.undecided())
	require.Equal(t, Full, a.core.state, "a majority without it has, or it would not lead, and nothing is to be decided")
	require.Equal(t, Full, a.status().state)

	a = newAlone(t, 0, 3, nil)
	a.core.becomeLeader(64, 128, 9, 1, false)
	require.Equal(t, Recovering, a.core.state, "what it has adopted is not decided")
	p := a.core.peer(1)
	p.live, p.full, p.acked = true, true, 128
	a.core.decide()
	require.EqualValues(t, 128, a.core.lead.decided)
	require.Equal(t, Full, a.core.state)
}

// What the end of a leadership leaves.
func TestEndsLeadership(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(a *alone)
		tells  int
	}{
		{"nothing", func(*alone) {}, 0},
		{"an entry", func(a *alone) { a.propose("x") }, 1},
		{"a barrier", func(a *alone) { require.NoError(a, a.core.Barrier(a.now, 1)) }, 1},
	} {
		a := leads(t, "FFF", nil)
		c.change(a)
		a.core.emitted, a.core.emittedIndex, a.core.lead.decided, a.core.commit = 48, 1, 56, 40
		p := a.core.peer(1)
		p.inGroup, p.direct = true, true
		a.core.lease.seen, a.core.lease.told = 4, time.Hour
		a.core.stepDown("for a test")
		require.Equal(t, c.tells, a.steppedDown, c.about)
		require.Equal(t, Follower, a.core.role)
		require.EqualValues(t, 56, a.core.commit)
		require.EqualValues(t, 48, a.core.seen)
		require.EqualValues(t, 1, a.core.seenIndex)
		require.False(t, p.inGroup || p.direct || p.live || p.granted || p.asked)
		require.Zero(t, a.core.lead.tail)
		require.Zero(t, a.core.lease.seen)
		require.Zero(t, a.leased)
	}
}

// What a leader forgets of a peer that it has lost.
func TestLosesPeer(t *testing.T) {
	a := leads(t, "FFF", nil)
	p := a.core.peer(1)
	p.live, p.granted, p.read2, p.asked, p.full, p.inGroup, p.snapAsked, p.fullAsked, p.evidence, p.fullFrom = true, true, true, true, true, true, true, true, 4, 5
	p.rep[0].push(pending{kind: opEntries})
	p.rep[1].up = true
	a.core.lost(p)
	require.False(t, p.live || p.granted || p.read2 || p.asked || p.full || p.inGroup || p.snapAsked || p.fullAsked)
	require.Zero(t, p.evidence+p.fullFrom)
	require.False(t, a.up[Path{Peer: 1, Kind: Replication}], "what is under way there would be executed late")
	require.False(t, p.rep[0].up)
	require.True(t, p.rep[1].up, "nothing is")
}

// Whom a leader begins to write to, and how.
func TestStartsPeer(t *testing.T) {
	with := func(a *alone, change func(p *peer)) *peer {
		p := a.core.peer(1)
		p.rep[0].ops = nil
		a.core.lost(p)
		p.asked, p.granted, p.read2 = true, true, true
		change(p)
		a.core.startPeer(p)
		return p
	}
	for _, c := range []struct {
		about  string
		change func(c *Core, p *peer)
		live   bool
		asks   bool
	}{
		{"all", func(*Core, *peer) {}, true, false},
		{"where the log ends", func(_ *Core, p *peer) { p.head = 96 }, true, false},
		{"beyond", func(_ *Core, p *peer) { p.head = 104 }, false, false},
		{"where the log begins", func(c *Core, p *peer) { c.low, p.head = 48, 48 }, true, false},
		{"before", func(c *Core, p *peer) { c.low, c.head, p.head = 48, 48, 0 }, false, true},
		{"before, but nothing is applied here that could be given", func(c *Core, p *peer) { c.low, c.head, p.head = 48, 0, 0 }, false, false},
		{"before, and it was told", func(c *Core, p *peer) {
			c.low, c.head, p.head, p.snapAsked, p.askAt = 48, 48, 0, true, c.now-c.cfg.SlowAfter/4
		}, false, false},
		{"before, and it was told long ago", func(c *Core, p *peer) {
			c.low, c.head, p.head, p.snapAsked, p.askAt = 48, 48, 0, true, c.now-c.cfg.SlowAfter/4-1
		}, false, true},
		{"what is not there any more", func(c *Core, p *peer) { c.lead.start = 96; c.head = 48; c.cfg.Log.Bytes()[ringStart+8]++ }, false, true},
		{"what was never of an earlier leader", func(c *Core, p *peer) { c.lead.start = 0; c.cfg.Log.Bytes()[ringStart+8]++ }, true, false},
	} {
		a := leads(t, "FFF", nil)
		a.propose("x")
		a.propose("y")
		require.EqualValues(t, 96, a.core.lead.tail)
		a.ops = nil
		p := with(a, func(p *peer) { c.change(a.core, p) })
		require.Equal(t, c.live, p.live, c.about)
		asked := false
		for _, o := range a.ops {
			if o.Region == ElectionRegion {
				var r request
				require.NoError(t, r.decode(o.Data))
				asked = r.snapshot
			}
		}
		require.Equal(t, c.asks, asked, c.about)
		if c.live {
			require.False(t, p.snapAsked)
			require.Equal(t, p.head, p.acked)
			require.Equal(t, p.head, p.lagHead)
			require.Equal(t, a.core.now, p.liveSince)
			require.True(t, p.full)
			require.EqualValues(t, 96, p.posted)
		}
	}
	t.Run("who has forgotten", func(t *testing.T) {
		a := leads(t, "FFFF", nil)
		a.core.lead.probe = 6
		a.propose("x")
		p := with(a, func(p *peer) { p.st.state, p.fullFrom, p.fullAsked = Recovering, 9, true })
		require.True(t, p.live)
		require.False(t, p.full || p.fullAsked)
		require.EqualValues(t, 7, p.evidence, "a round trip that begins from now on")
		require.True(t, a.core.lead.probeOpen)
		require.EqualValues(t, 7, a.core.lead.probe)
		require.Zero(t, p.fullFrom)
	})
	t.Run("who took part when all had forgotten", func(t *testing.T) {
		for _, start := range []uint64{0, 48} {
			a := leads(t, "FFFF", nil)
			a.propose("x")
			a.core.lead.all, a.core.lead.start = true, start
			p := with(a, func(p *peer) { p.st.state, p.voted = Recovering, 1 })
			require.Equal(t, max(start, 1), p.fullFrom)
			require.Zero(t, p.evidence)
			p = with(a, func(p *peer) { p.st.state, p.voted = Recovering, 2 })
			require.NotZero(t, p.evidence, "that was another life")
		}
	})
	t.Run("in accelerated mode", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		require.False(t, with(a, func(p *peer) { p.direct, p.inGroup = true, true }).direct)
		a.core.lead.mode, a.core.lead.minGen = Accelerated, 3
		p := with(a, func(p *peer) { p.inGroup, p.st.minGen = true, 2 })
		require.True(t, p.direct)
		require.False(t, p.inGroup || p.fenced)
		require.True(t, with(a, func(p *peer) { p.st.minGen = 3 }).fenced)
	})
}

// What a leader does by time.
func TestLeadStep(t *testing.T) {
	asked := func(a *alone, id ID) bool {
		for _, o := range a.ops {
			if o.Path.Peer == id && o.Region == ElectionRegion && !o.Read {
				return true
			}
		}
		return false
	}
	t.Run("whom it asks", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(c *Core, p *peer)
			asks   bool
		}{
			{"nobody", func(*Core, *peer) {}, false},
			{"who was not asked, and is not live", func(_ *Core, p *peer) { p.asked, p.live = false, false }, true},
			{"later", func(c *Core, p *peer) { p.asked, p.live, p.notBefore = false, false, c.now+1 }, false},
			{"then", func(c *Core, p *peer) { p.asked, p.live, p.notBefore = false, false, c.now }, true},
			{"who was not asked, and is live", func(_ *Core, p *peer) { p.asked = false }, false},
			{"who was not asked, and takes from old groups", func(_ *Core, p *peer) { p.asked, p.fenced = false, false }, true},
			{"who was not asked, and is to be told that it is full", func(_ *Core, p *peer) { p.asked, p.full, p.fullAsked = false, false, true }, true},
			{"who was not asked, and is full", func(_ *Core, p *peer) { p.asked, p.fullAsked = false, true }, false},
			{"who has not answered", func(c *Core, p *peer) { p.granted, p.askAt = false, c.now-c.cfg.RequestEvery-1 }, true},
			{"who may yet answer", func(c *Core, p *peer) { p.granted, p.askAt = false, c.now-c.cfg.RequestEvery }, false},
			{"who has answered", func(c *Core, p *peer) { p.askAt = 0 }, false},
			{"who was asked before there was another group", func(c *Core, p *peer) { p.fenced, c.lead.minGen = false, 4 }, true},
			{"who was asked since", func(c *Core, p *peer) { p.fenced, c.lead.minGen, p.minGen = false, 4, 4 }, false},
			{"who refuses it already", func(c *Core, p *peer) { c.lead.minGen = 4 }, false},
			{"who has another term", func(c *Core, p *peer) { p.asked, p.live, p.st.promised = false, false, 6<<8 }, false},
		} {
			a := leads(t, "FFFFF", nil)
			a.core.lead.since = a.core.now
			c.change(a.core, a.core.peer(1))
			a.core.leadStep()
			require.Equal(t, Leader, a.core.role)
			require.Equal(t, c.asks, asked(a, 1), c.about)
			require.False(t, asked(a, 2))
		}
	})
	t.Run("another term", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(c *Core, p *peer)
			again  bool
		}{
			{"it asks again", func(*Core, *peer) {}, true},
			{"not at once", func(c *Core, _ *peer) { c.lead.since = c.now - 4*c.cfg.HeartbeatEvery }, false},
			{"but soon", func(c *Core, _ *peer) { c.lead.since = c.now - 4*c.cfg.HeartbeatEvery - 1 }, true},
			{"of a dead server", func(_ *Core, p *peer) { p.alive = false }, false},
			{"of no member", func(_ *Core, p *peer) { p.member = false }, false},
			{"when another should lead", func(c *Core, _ *peer) { c.state, c.lead.since = Recovering, c.now-10*c.cfg.RequestEvery }, false},
			{"when another should lead, and does not", func(c *Core, _ *peer) { c.state, c.lead.since = Recovering, c.now-10*c.cfg.RequestEvery-1 }, true},
			{"that is the same", func(_ *Core, p *peer) { p.st.promised = 5 << 8 }, false},
		} {
			a := leads(t, "FFFF", nil)
			p := a.core.peer(1)
			a.core.lead.since, p.st.promised = 0, 6<<8|3
			c.change(a.core, p)
			a.core.leadStep()
			require.Equal(t, c.again, a.core.role == Candidate, c.about)
		}
		a := leads(t, "FFF", nil)
		a.core.lead.handOver, a.core.peer(1).st.promised = true, 6<<8|1
		a.core.leadStep()
		require.Equal(t, Follower, a.core.role, "another one leads those that it has left")
	})
	t.Run("nothing moves", func(t *testing.T) {
		for _, c := range []struct {
			about string
			idle  time.Duration
			live  int
			entry bool
			goes  bool
		}{
			{"nothing is to be decided", time.Hour, 2, false, false},
			{"one is enough", time.Hour, 1, false, false},
			{"nobody follows", 1, 0, false, true},
			{"nobody follows, for a moment", 0, 0, false, false},
			{"an entry waits", 1, 2, true, true},
			{"for a moment", 0, 2, true, false},
		} {
			a := leads(t, "FFF", nil)
			if c.entry {
				a.propose("x")
			}
			for _, p := range a.core.peers {
				p.live = int(p.id) <= c.live
			}
			a.core.lead.lastMove = a.core.now - a.core.cfg.StallAfter - c.idle
			a.core.leadStep()
			require.Equal(t, c.goes, a.core.role != Leader, c.about)
			if c.goes {
				require.Equal(t, a.core.now+40*a.core.cfg.HeartbeatEvery, a.core.muted, "it does not stand in the way")
			} else if !c.entry && c.live > 0 {
				require.Equal(t, a.core.now, a.core.lead.lastMove)
			}
		}
	})
	t.Run("a hand-over", func(t *testing.T) {
		for _, c := range []struct {
			heads [4]uint64
			goes  bool
		}{{[4]uint64{48, 48, 0, 0}, false}, {[4]uint64{48, 48, 48, 0}, true}, {[4]uint64{48, 56, 48, 40}, true}, {[4]uint64{48, 48, 47, 47}, false}} {
			a := leads(t, "FFFFF", nil)
			a.core.members, a.core.lead.handOver, a.core.lead.decided = a.core.members[1:], true, 48
			for i, p := range a.core.peers {
				p.head = c.heads[i]
			}
			a.core.leadStep()
			require.Equal(t, c.goes, a.core.role == Follower, "%v", c.heads)
		}
	})
	t.Run("what is on disks is asked for", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(c *Core, p *peer)
			asks   bool
		}{
			{"when something is undecided", func(*Core, *peer) {}, true},
			{"when it has it", func(c *Core, p *peer) { p.st.logged = c.lead.tail }, false},
			{"when it does not count", func(_ *Core, p *peer) { p.full = false }, false},
			{"when there are none", func(c *Core, _ *peer) { c.cfg.Durable = false }, false},
		} {
			a := leads(t, "FFFFF", func(c *Config) { c.Durable = true })
			a.propose("x")
			for _, p := range a.core.peers {
				p.read = readIdle
			}
			c.change(a.core, a.core.peer(1))
			a.core.leadStep()
			require.Equal(t, c.asks, a.core.peer(1).read == readOpen, c.about)
		}
		a := leads(t, "FFF", func(c *Config) { c.Durable = true })
		a.core.leadStep()
		require.Equal(t, readState(readIdle), a.core.peer(1).read, "nothing is undecided")
	})
}

// What a leader makes of a peer's status.
func TestPeerRead(t *testing.T) {
	a := leads(t, "FFF", nil)
	p := a.core.peer(1)
	a.core.lost(p)
	a.core.peerRead(p)
	require.False(t, p.live, "it has not granted")
	p.granted = true
	a.core.peerRead(p)
	require.False(t, p.live)
	p.granted, p.read2 = true, true
	a.core.peerRead(p)
	require.True(t, p.live)

	p.full, p.st.state = false, Recovering
	a.core.peerRead(p)
	require.False(t, p.full)
	p.st.state = Full
	a.core.peerRead(p)
	require.True(t, p.full)
	p.st.state = Recovering
	a.core.peerRead(p)
	require.True(t, p.full, "who is, stays it")
	a.core.lead.minGen, p.st.minGen = 4, 3
	a.core.peerRead(p)
	require.False(t, p.fenced)
	p.st.minGen = 4
	a.core.peerRead(p)
	require.True(t, p.fenced)
	p.wantGen = 5
	a.core.peerRead(p)
	require.False(t, p.fenced)
	rooms := a.rooms
	a.core.peerRead(p)
	require.Equal(t, rooms, a.rooms)
	a.core.lead.blocked = 1
	a.core.peerRead(p)
	require.Greater(t, a.rooms, rooms, "there may be room in the log")
}
