package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leading makes a core that leads n servers with nothing under way.
func leading(t *testing.T, n int, change func(*Config)) *alone {
	a := newAlone(t, 0, n, change)
	a.lead()
	a.tick(50 * ms)
	return a
}

// route brings both paths of a peer's second route up.
func (a *alone) second(id ID) {
	for _, k := range [...]Kind{Control, Replication} {
		p := Path{Peer: id, Kind: k, Route: 1}
		a.up[p] = true
		a.core.Up(a.now, p)
	}
}

// fails ends one path.
func (a *alone) fails(p Path) {
	a.drop(p)
	a.up[p] = false
	a.core.Down(a.now, p)
}

// What the end of a path does.
func TestPathEnds(t *testing.T) {
	control, replication := Path{Peer: 1, Kind: Control}, Path{Peer: 1, Kind: Replication}
	t.Run("the only control path", func(t *testing.T) {
		a := leading(t, 3, nil)
		p := a.core.peer(1)
		p.score = scoreMax
		a.fails(control)
		require.False(t, p.alive, "nothing has been answered for as long as the transport tries")
		require.Less(t, p.score, scoreDead)
		require.False(t, a.up[replication], "that carries nothing, and has probably ended too")
		require.False(t, p.live)
		require.True(t, a.up[Path{Peer: 2, Kind: Replication}])
		require.True(t, a.core.peer(2).live)
	})
	t.Run("of a path that carries something", func(t *testing.T) {
		a := leading(t, 3, nil)
		a.peers[1].stuck = true
		a.propose("x")
		a.fails(control)
		require.True(t, a.up[replication], "it finds out itself")
		require.True(t, a.core.peer(1).live)
	})
	t.Run("of one that carries something, with another route", func(t *testing.T) {
		a := leading(t, 3, nil)
		a.second(1)
		a.tick(10 * ms)
		a.peers[1].stuck = true
		a.propose("x")
		require.NotZero(t, a.core.peer(1).rep[0].open())
		a.fails(control)
		require.False(t, a.up[replication], "what is under way there is not waited for")
		p := a.core.peer(1)
		require.True(t, p.alive)
		require.EqualValues(t, 1, p.route)
		require.True(t, p.asked)
		a.peers[1].stuck = false
		a.tick(10 * ms)
		require.True(t, p.live)
		require.Equal(t, []string{"x"}, a.records())
		require.EqualValues(t, 1, a.peers[1].st.route)
	})
	t.Run("of another route", func(t *testing.T) {
		a := leading(t, 3, nil)
		a.second(1)
		a.tick(10 * ms)
		p := a.core.peer(1)
		p.read, p.announced = readOpen, announceDone
		a.fails(Path{Peer: 1, Kind: Control, Route: 1})
		require.True(t, p.alive && p.live)
		require.EqualValues(t, 0, p.route)
		require.Equal(t, readState(readOpen), p.read, "that goes by the path in use")
		require.Equal(t, announceState(announceDone), p.announced)
		require.False(t, a.up[Path{Peer: 1, Kind: Replication, Route: 1}])
		require.True(t, a.up[replication])
	})
	t.Run("a replication path", func(t *testing.T) {
		a := leading(t, 3, nil)
		a.fails(replication)
		p := a.core.peer(1)
		require.False(t, p.live || p.asked, "there is none")
		require.True(t, p.alive)
		a.up[replication] = true
		a.core.Up(a.now, replication)
		require.True(t, p.asked, "at once")
		a.tick(10 * ms)
		require.True(t, p.live)
		n := len(a.ops)
		a.core.Up(a.now, Path{Peer: 1, Kind: Replication, Route: 1})
		require.Len(t, a.ops, n, "it is written to already")
	})
	t.Run("a follower asks for nothing", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.ops = nil
		a.core.Up(a.now, Path{Peer: 2, Kind: Replication, Route: 1})
		require.Empty(t, a.ops)
	})
	t.Run("a candidate's question goes by the other one", func(t *testing.T) {
		a := gather(t, "FFF")
		p := a.core.peer(1)
		require.True(t, p.asked)
		p.rep[0].push(pending{kind: opEntries}) // its replication path does not go with it
		a.core.Down(a.now, Path{Peer: 1, Kind: Control})
		require.False(t, p.asked)
		require.Equal(t, Candidate, a.core.role)
		a = gather(t, "FFF")
		a.grants(1)
		a.core.peer(1).rep[0].push(pending{kind: opEntries})
		a.core.Down(a.now, Path{Peer: 1, Kind: Control})
		require.True(t, a.core.peer(1).asked, "that was answered")
		a = gather(t, "FFF")
		p = a.grants(1)
		a.core.camp.voters = []*peer{p}
		p.rep[0].push(pending{kind: opEntries})
		a.core.Down(a.now, Path{Peer: 1, Kind: Control})
		require.Equal(t, Follower, a.core.role, "its log cannot be read any more")
	})
	t.Run("nobody's", func(t *testing.T) {
		a := leading(t, 3, nil)
		for _, p := range []Path{{Peer: 9, Kind: Control}, {Peer: 9, Kind: Replication}, {Peer: 1, Kind: Control, Route: 1}} {
			a.core.Done(a.now, p, 1)
			a.core.Down(a.now, p)
		}
		a.core.Up(a.now, Path{Peer: 9, Kind: Control})
		require.True(t, a.core.peer(1).live && a.core.peer(1).alive)
	})
	t.Run("what another route acknowledges", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		p := a.core.peer(1)
		a.propose("x")
		p.rep[1].up = true
		p.rep[1].push(pending{opEntries, 48})
		a.core.Done(a.now, Path{Peer: 1, Kind: Replication, Route: 1}, 1)
		require.Zero(t, p.acked, "was written in another term, or by a path that was given up")
		require.Zero(t, p.rep[1].open())
		a.core.Done(a.now, Path{Peer: 1, Kind: Replication}, 1)
		require.EqualValues(t, 48, p.acked)
	})
	t.Run("of the leader", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.tick(100 * ms)
		a.core.Down(a.now, Path{Peer: 0, Kind: Replication})
		require.Equal(t, Follower, a.core.role)
		a.core.Down(a.now, Path{Peer: 0, Kind: Control})
		require.Equal(t, Candidate, a.core.role)
		require.Equal(t, Candidate, a.roles[len(a.roles)-1].Role, "and says so")
		require.Equal(t, a.core.promised, a.status().promised)
	})
}

// Which paths are used.
func TestPathsInUse(t *testing.T) {
	for _, c := range []struct {
		ctl, rep  [Routes]bool
		in        uint8
		route     uint8
		ok        bool
		elsewhere bool
	}{
		{[2]bool{true, true}, [2]bool{true, true}, 0, 0, true, true},
		{[2]bool{true, true}, [2]bool{true, true}, 1, 1, true, true},
		{[2]bool{true, false}, [2]bool{true, true}, 1, 0, true, true},
		{[2]bool{true, false}, [2]bool{true, true}, 0, 0, true, false},
		{[2]bool{false, true}, [2]bool{true, true}, 0, 1, true, true},
		{[2]bool{true, false}, [2]bool{false, true}, 0, 1, true, false},
		{[2]bool{false, true}, [2]bool{true, false}, 1, 0, true, false},
		{[2]bool{true, true}, [2]bool{false, false}, 0, 0, false, false},
		{[2]bool{false, false}, [2]bool{true, true}, 0, 0, true, false},
		{[2]bool{true, true}, [2]bool{false, true}, 1, 1, true, false},
	} {
		p := &peer{id: 1}
		p.route = c.in
		for r := range p.ctl {
			p.ctl[r].up, p.rep[r].up = c.ctl[r], c.rep[r]
		}
		route, ok := p.replication()
		require.Equal(t, c.ok, ok, "%+v", c)
		require.Equal(t, c.route, route, "%+v", c)
		require.Equal(t, c.elsewhere, p.elsewhere(), "%+v", c)
	}
	p := &peer{id: 1}
	require.Nil(t, p.control())
	p.ctl[1].up, p.read, p.announced = true, readOpen, announceDone
	require.Same(t, &p.ctl[1], p.control())
	require.EqualValues(t, 1, p.ctlRoute)
	require.Equal(t, readState(readIdle), p.read, "what was under way is abandoned")
	require.Equal(t, announceState(announceNone), p.announced)
	p.ctl[0].up, p.read = true, readOpen
	require.Same(t, &p.ctl[1], p.control(), "the one in use")
	require.Equal(t, readState(readOpen), p.read)

	var l link
	require.Equal(t, pending{}, l.pop(), "nothing was posted")
	require.Zero(t, l.open())
	for i := range uint64(100) { // what was taken makes room
		l.push(pending{opLog, 2 * i})
		l.push(pending{opLog, 2*i + 1})
		require.EqualValues(t, i+2, l.open())
		require.Equal(t, pending{opLog, i}, l.pop())
	}
	require.LessOrEqual(t, cap(l.ops), 512)
	for l.open() > 0 {
		l.pop()
	}
	require.Empty(t, l.ops)
	l.push(pending{opLog, 1})
	l.up = true
	l.reset()
	require.False(t, l.up)
	require.Zero(t, l.open())
}

// How a server is judged by its heartbeat.
func TestDetects(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	c := a.core
	p := c.peer(0)
	look := func(read, beats bool) {
		if p.fresh = read; beats {
			p.st.heartbeat++
		}
		c.detect()
		a.ops = nil
	}
	p.st.heartbeat = 1
	look(true, false)
	require.Equal(t, scoreLive+1, p.score, "a newcomer need not prove itself for long")
	require.True(t, p.alive)
	require.False(t, p.fresh)
	for range 20 {
		look(true, true)
	}
	require.Equal(t, scoreMax, p.score)
	for i := range scoreMax {
		require.Equal(t, scoreMax-i >= scoreDead, p.alive)
		look(true, false)
	}
	require.Zero(t, p.score)
	require.False(t, p.alive)
	look(true, false)
	require.Zero(t, p.score)
	for i := range scoreLive + 1 {
		require.False(t, p.alive)
		look(true, true)
		require.Equal(t, i+1, p.score)
	}
	require.True(t, p.alive)
	for range 20 {
		look(true, true)
	}
	require.Positive(t, p.longest)
	p.longest = 0 // or it would be waited for
	for i := range maxLate - 1 {
		look(false, false)
		require.Equal(t, scoreMax, p.score, "this server may be late")
		require.Equal(t, i+1, p.late)
	}
	look(false, false)
	require.Equal(t, scoreMax-maxLate, p.score, "it is not that")
	require.Zero(t, p.late)
	look(false, false)
	look(true, false)
	require.Zero(t, p.late)
	require.Equal(t, scoreMax-maxLate-1, p.score)

	t.Run("paths that carry nothing", func(t *testing.T) {
		a := leading(t, 3, nil)
		a.second(1)
		a.tick(20 * ms)
		a.ops = nil
		p := a.core.peer(1)
		for r := range p.ctl {
			p.ctl[r].reset()
			p.ctl[r].up = true
		}
		a.core.ping(p)
		a.core.ping(p)
		require.Len(t, a.ops, 1, "one at a time, and not by the path in use")
		o := a.ops[0].Op
		require.Equal(t, Path{Peer: 1, Kind: Control, Route: 1}, o.Path)
		require.True(t, o.Read)
		require.EqualValues(t, offHeartbeat, o.Offset)
		require.Len(t, o.Data, 8)
		p.fresh = false
		beat := p.st.heartbeat
		a.peers[1].st.heartbeat = beat
		a.run()
		require.False(t, p.fresh)
		require.Equal(t, beat, p.st.heartbeat)
		a.core.ping(p)
		a.peers[1].st.heartbeat = beat + 5
		a.run()
		require.True(t, p.fresh)
		require.Equal(t, beat+5, p.st.heartbeat)
		a.core.ping(p)
		p.fresh, p.st.cluster = false, 8
		a.peers[1].st.heartbeat++
		a.run()
		require.False(t, p.fresh, "it is not one of ours")
	})
	t.Run("a status of", func(t *testing.T) {
		for about, c := range map[string]struct {
			change func(s *status)
			taken  bool
		}{
			"ours":              {func(*status) {}, true},
			"another cluster":   {func(s *status) { s.cluster++ }, false},
			"one with its disk": {func(s *status) { s.durable = true }, false},
		} {
			a := leading(t, 3, nil)
			p := a.core.peer(1)
			c.change(&a.peers[1].st)
			p.fresh, p.read = false, readIdle
			a.peers[1].st.heartbeat += 9
			a.peers[1].st.promised = 1 << 20
			a.now += ms
			a.core.now = a.now
			a.core.role = Follower
			p.vector[2] = 0
			a.peers[1].vote[offAnnounce+16] = 5
			a.core.readStatus(p)
			require.Equal(t, readState(readOpen), p.read)
			a.core.readStatus(p)
			require.True(t, p.wantRead, "again when that is done")
			a.step()
			require.Equal(t, c.taken, p.fresh, about)
			require.Equal(t, c.taken, p.stAt == a.now, about)
			require.Equal(t, c.taken, a.core.maxTerm >= 1<<20, about)
			require.Equal(t, c.taken, p.vector[2] == 5, about)
			require.Equal(t, readState(readOpen), p.read)
			require.False(t, p.wantRead)
			a.step()
			require.Equal(t, readState(readIdle), p.read)
		}
	})
}

// When the heartbeat goes up.
func TestBeats(t *testing.T) {
	for about, c := range map[string]struct {
		change func(c *Core)
		beats  bool
	}{
		"when it is time":       {func(*Core) {}, true},
		"not before":            {func(c *Core) { c.nextBeat = c.now + 1 }, false},
		"muted":                 {func(c *Core) { c.muted = c.now + 1 }, false},
		"no more":               {func(c *Core) { c.muted = c.now }, true},
		"removed":               {func(c *Core) { c.removed = true }, false},
		"removed, but it leads": {func(c *Core) { c.removed, c.role = true, Leader }, true},
	} {
		a := sees(t, 0, "FFF")
		a.core.now, a.core.heartbeat = time.Second, 70
		c.change(a.core)
		next := a.core.nextBeat
		a.core.beat()
		want := uint64(70)
		if c.beats {
			want++
			require.Equal(t, time.Second, a.core.lease.raised[want%beats], about)
		}
		require.Equal(t, want, a.core.heartbeat, about)
		if next <= a.core.now {
			require.Equal(t, time.Second+a.core.cfg.HeartbeatEvery, a.core.nextBeat)
			require.Equal(t, want, a.status().heartbeat)
		}
	}
}
