package mu

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gather makes a core that asks all for a term, whose paths carry nothing yet.
func gather(t *testing.T, states string) *alone {
	a := sees(t, 0, states)
	for _, p := range a.peers {
		p.stuck = true
	}
	a.core.now = time.Second
	a.now = time.Second
	a.core.startCampaign()
	require.Equal(t, Candidate, a.core.role)
	a.ops = nil
	for _, p := range a.core.peers {
		p.ctl[0].reset()
		p.ctl[0].up, p.read = true, readIdle
	}
	return a
}

// grants makes a peer's grant count.
func (a *alone) grants(id ID) *peer {
	p := a.core.peer(id)
	p.asked, p.granted, p.read2 = true, true, true
	return p
}

// Which grants make a leader.
func TestGathers(t *testing.T) {
	for _, c := range []struct {
		states string
		grants []ID
		goes   bool
		all    bool
		voters int
	}{
		{"FFF", nil, false, false, 0}, {"FFF", []ID{1}, true, false, 1}, {"FFF", []ID{1, 2}, true, false, 2},
		{"RFF", []ID{1}, false, false, 0}, {"RFF", []ID{1, 2}, true, false, 2}, {"RRF", []ID{1, 2}, true, true, 2},
		{"RRR", []ID{1, 2}, true, true, 2}, {"RRR", []ID{1}, false, false, 0}, {"FRF", []ID{1}, false, false, 0},
		{"FRF", []ID{1, 2}, true, false, 1}, {"FFFF", []ID{3}, false, false, 0}, {"FFFF", []ID{1, 3}, true, false, 2},
		{"FFRRR", []ID{1, 2, 3, 4}, true, true, 4}, {"FFRRR", []ID{1, 2, 3}, false, false, 0},
	} {
		a := gather(t, c.states)
		a.core.camp.stage = gathering
		for _, id := range c.grants {
			a.grants(id).st.incarnation = 3
		}
		a.core.gather()
		k := &a.core.camp
		require.Equal(t, c.goes, k.stage != gathering, "%s %v", c.states, c.grants)
		require.Equal(t, c.all, k.all, "%s %v", c.states, c.grants)
		require.Len(t, k.voters, c.voters, "%s %v", c.states, c.grants)
		for _, p := range k.voters {
			require.EqualValues(t, 3, p.voted)
		}
	}
	t.Run("adoption begins behind what any voter has applied", func(t *testing.T) {
		a := gather(t, "FFFFF")
		a.grants(1).head = 16
		a.grants(2).head = 48
		a.grants(3).head = 32
		a.core.peer(4).head = 64
		a.core.gather()
		require.EqualValues(t, 48, a.core.camp.from)
		require.Same(t, a.core.peer(2), a.core.camp.source)
		a = gather(t, "FFF")
		a.core.emitted, a.core.emittedIndex, a.core.seen, a.core.head, a.core.commit = 48, 1, 48, 48, 48
		a.grants(1).head = 48
		a.core.gather()
		require.EqualValues(t, 48, a.core.camp.from)
		require.Nil(t, a.core.camp.source)
	})
	t.Run("asking again", func(t *testing.T) {
		every := newAlone(t, 0, 1, nil).core.cfg.RequestEvery
		a := gather(t, "FFFFF")
		a.core.learner = &Member{ID: 9}
		a.core.connect()
		a.grants(4)
		a.core.peer(1).asked = false
		a.core.peer(3).read = readOpen
		a.core.now += every
		before := a.core.peer(2).askAt
		a.core.gather()
		require.Equal(t, a.core.now, a.core.peer(1).askAt, "who was not asked")
		require.Equal(t, before, a.core.peer(2).askAt, "who may still answer")
		require.Equal(t, readState(readOpen), a.core.peer(2).read, "it is looked whether it has")
		require.False(t, a.core.peer(3).wantRead, "that is done already")
		require.Equal(t, readState(readIdle), a.core.peer(4).read)
		require.False(t, a.core.peer(9).asked, "it is no member")
		a.core.now++
		a.core.gather()
		require.Equal(t, a.core.now, a.core.peer(2).askAt)
		require.NotEqual(t, a.core.now, a.core.peer(4).askAt, "it has granted")
		a.core.now = time.Second + 10*every
		a.core.gather()
		require.Equal(t, Candidate, a.core.role)
		a.core.now++
		a.core.gather()
		require.Equal(t, Follower, a.core.role, "not for ever")
	})
}

// Whose grant counts.
func TestVote(t *testing.T) {
	for about, c := range map[string]struct {
		change func(a *alone, p *peer)
		counts bool
	}{
		"a grant":                  {func(*alone, *peer) {}, true},
		"no member":                {func(_ *alone, p *peer) { p.member = false }, false},
		"no grant":                 {func(_ *alone, p *peer) { p.granted = false }, false},
		"not read after it":        {func(_ *alone, p *peer) { p.read2 = false }, false},
		"another knows of a later": {func(a *alone, _ *peer) { a.grants(2).vector[1] = 4 }, false},
		"another knows of it":      {func(a *alone, _ *peer) { a.grants(2).vector[1] = 3 }, true},
		"a later one of another":   {func(a *alone, _ *peer) { a.grants(2).vector[2] = 4 }, true},
		"one knows who has not granted": {func(a *alone, _ *peer) {
			a.grants(2).vector[1], a.core.peer(2).granted = 4, false
		}, true},
		"one knows that was not read":  {func(a *alone, _ *peer) { a.grants(2).vector[1], a.core.peer(2).read2 = 4, false }, true},
		"one knows that is no member":  {func(a *alone, _ *peer) { a.grants(2).vector[1], a.core.peer(2).member = 4, false }, true},
		"this server knows of a later": {func(a *alone, _ *peer) { binary.LittleEndian.PutUint64(a.vote[offAnnounce+8:], 4) }, false},
		"this server knows of it":      {func(a *alone, _ *peer) { binary.LittleEndian.PutUint64(a.vote[offAnnounce+8:], 3) }, true},
		"of a later one of another":    {func(a *alone, _ *peer) { binary.LittleEndian.PutUint64(a.vote[offAnnounce+16:], 4) }, true},
	} {
		a := gather(t, "FFF")
		p := a.grants(1)
		p.st.incarnation = 3
		c.change(a, p)
		require.Equal(t, c.counts, a.core.vote(p), about)
	}
}

// What a request says, and when it is another one.
func TestAsks(t *testing.T) {
	asked := func(a *alone, p *peer) request {
		a.ops = nil
		a.core.ask(p)
		require.Len(t, a.ops, 1)
		o := a.ops[0]
		require.Equal(t, Path{Peer: p.id, Kind: Control}, o.Path)
		require.EqualValues(t, offRequest+requestLen*0, o.Offset)
		require.Equal(t, ElectionRegion, o.Region)
		require.False(t, o.Read)
		var r request
		require.NoError(t, r.decode(o.Data))
		require.True(t, p.asked)
		require.False(t, p.granted || p.read2)
		require.Equal(t, a.core.now, p.askAt)
		require.Equal(t, p.seq, r.seq)
		return r
	}
	a := gather(t, "FFF")
	a.core.cfg.Life, a.core.incarnation = 17, 6
	p := a.core.peer(1)
	p.st.incarnation, p.snapAsked = 8, true
	r := asked(a, p)
	require.Equal(t, request{cluster: 7, term: a.core.promised, seq: r.seq, incarnation: 6, target: 8, snapshot: true, life: 17}, r)
	require.Equal(t, r.seq, asked(a, p).seq, "who repeats itself says the same")
	p.fullAsked = true
	next := asked(a, p)
	require.True(t, next.full)
	require.Equal(t, r.seq+1, next.seq)
	p.granted = true
	require.Equal(t, r.seq+2, asked(a, p).seq, "it was answered")
	p.asked = false
	require.Equal(t, r.seq+3, asked(a, p).seq)
	require.Equal(t, r.seq+4, asked(a, a.core.peer(2)).seq, "each has its own")

	t.Run("by another route", func(t *testing.T) {
		a := gather(t, "FFF")
		p := a.core.peer(1)
		p.live, p.rep[0].up, p.rep[1].up, p.ctl[1].up = true, false, true, true
		a.up[Path{Peer: 1, Kind: Control, Route: 1}] = true
		require.EqualValues(t, 1, asked(a, p).route)
		require.EqualValues(t, 1, p.route)
		require.False(t, p.live, "a new path is started anew")
		p.live = true
		asked(a, p)
		require.True(t, p.live)
		p.rep[1].up = false
		a.ops = nil
		a.core.ask(p)
		require.Empty(t, a.ops)
		require.False(t, p.asked, "there is no path")
		p.rep[1].up, p.ctl[0].up, p.ctl[1].up = true, false, false
		a.core.ask(p)
		require.False(t, p.asked)
	})
	t.Run("of a member of the group", func(t *testing.T) {
		for _, c := range []struct {
			change func(g *group, p *peer)
			leaves bool
		}{
			{func(_ *group, p *peer) { p.direct = true }, true},
			{func(_ *group, p *peer) { p.live = false }, true},
			{func(*group, *peer) {}, false},
			{func(g *group, p *peer) { g.state, p.direct = groupReady, true }, false},
			{func(g *group, p *peer) { g.members, p.direct = g.members[1:], true }, false},
			{func(_ *group, p *peer) { p.direct, p.wantGen = true, 5 }, true},
			{func(_ *group, p *peer) { p.direct, p.wantGen = true, 6 }, false},
		} {
			a := gather(t, "FFF")
			p := a.core.peer(1)
			p.live, p.head = true, 80
			a.core.lead.group = group{state: groupActive, gen: 5, members: slices.Clone(a.core.peers)}
			c.change(&a.core.lead.group, p)
			was := p.wantGen
			r := asked(a, p)
			if c.leaves {
				require.EqualValues(t, 6, p.wantGen)
				require.EqualValues(t, 80, p.floor)
			} else {
				require.Equal(t, was, p.wantGen)
				require.Zero(t, p.floor)
			}
			require.Equal(t, p.wantGen, r.minGen)
			require.Equal(t, r.minGen, p.minGen)
			a.core.lead.minGen = 9
			require.EqualValues(t, 9, asked(a, p).minGen)
		}
	})
}

// What a candidate makes of a peer's status.
func TestAnswers(t *testing.T) {
	every := newAlone(t, 0, 1, nil).core.cfg.RequestEvery
	for about, c := range map[string]struct {
		change func(c *Core, p *peer)
		check  func(t *testing.T, a *alone, p *peer)
	}{
		"a grant": {func(*Core, *peer) {}, func(t *testing.T, a *alone, p *peer) {
			require.True(t, p.granted)
			require.False(t, p.read2)
			require.Len(t, a.ops, 1, "head and state are read after it")
			require.Zero(t, p.head)
			a.core.answered(p)
			require.True(t, p.read2)
			require.EqualValues(t, 40, p.head)
			require.NotEqual(t, stage(gathering), a.core.camp.stage)
		}},
		"nobody asked": {func(_ *Core, p *peer) { p.asked = false }, func(t *testing.T, a *alone, p *peer) {
			require.False(t, p.granted)
			require.Empty(t, a.ops)
		}},
		"another request": {func(_ *Core, p *peer) { p.st.seq-- }, func(t *testing.T, a *alone, p *peer) {
			require.False(t, p.granted)
			require.Len(t, a.ops, 1, "it is read again")
		}},
		"another term": {func(_ *Core, p *peer) { p.st.promised-- }, func(t *testing.T, a *alone, p *peer) {
			require.False(t, p.granted)
			require.Equal(t, Candidate, a.core.role)
		}},
		"late": {func(c *Core, p *peer) { p.st.seq--; c.now += every / 4 }, func(t *testing.T, a *alone, p *peer) {
			require.False(t, p.granted)
			require.Empty(t, a.ops, "no more than what detect does")
		}},
		"not yet late": {func(c *Core, p *peer) { p.st.seq--; c.now += every/4 - 1 }, func(t *testing.T, a *alone, p *peer) {
			require.Len(t, a.ops, 1)
		}},
		"a higher term": {func(_ *Core, p *peer) { p.st.promised++ }, func(t *testing.T, a *alone, _ *peer) {
			require.Equal(t, Follower, a.core.role)
		}},
		"it has forgotten": {func(_ *Core, p *peer) { p.granted, p.st.seq = true, 0 }, func(t *testing.T, a *alone, p *peer) {
			require.Equal(t, Follower, a.core.role)
			require.False(t, p.granted)
		}},
		"a leader's, of a higher term": {func(c *Core, p *peer) { c.role, p.live, p.st.promised = Leader, true, p.st.promised+1 }, func(t *testing.T, a *alone, p *peer) {
			require.Equal(t, Leader, a.core.role)
			require.False(t, p.live)
			require.False(t, p.asked)
		}},
		"a leader's, which is not live": {func(c *Core, p *peer) { c.role, p.st.promised = Leader, p.st.promised+1 }, func(t *testing.T, a *alone, p *peer) {
			require.True(t, p.asked)
		}},
		"a leader's, that has forgotten": {func(c *Core, p *peer) { c.role, p.live, p.granted, p.st.seq = Leader, true, true, 0 }, func(t *testing.T, a *alone, p *peer) {
			require.Equal(t, Leader, a.core.role)
			require.False(t, p.live || p.granted)
		}},
	} {
		t.Run(about, func(t *testing.T) {
			a := gather(t, "FFF")
			p := a.core.peer(1)
			p.st.promised, p.st.seq, p.st.head = a.core.promised, p.seq, 40
			c.change(a.core, p)
			a.core.answered(p)
			c.check(t, a, p)
		})
	}
}

// Whether a voter has stayed with a candidate that has read its log.
func TestChecked(t *testing.T) {
	for about, c := range map[string]struct {
		change func(s *status)
		stays  bool
	}{
		"it has":         {func(*status) {}, true},
		"another term":   {func(s *status) { s.promised += 256 }, false},
		"a lower one":    {func(s *status) { s.promised-- }, false},
		"another answer": {func(s *status) { s.seq++ }, false},
		"another life":   {func(s *status) { s.incarnation++ }, false},
	} {
		a := gather(t, "FFF")
		p := a.grants(1)
		s := status{cluster: 7, promised: a.core.promised, seq: p.seq, incarnation: p.st.incarnation, state: Full}
		was := a.core.maxTerm
		c.change(&s)
		s.encode(p.check[:])
		p.logOpen = 1
		a.core.checked(p)
		require.Equal(t, c.stays, a.core.role == Candidate, about)
		require.Equal(t, max(was, s.promised), a.core.maxTerm, about)
		require.Empty(t, a.ops)
		a.core.role = Candidate
		p.check[20]++
		a.core.checked(p)
		require.Equal(t, 2, p.logOpen, "torn: read again")
		require.Len(t, a.ops, 1)
		require.Len(t, a.ops[0].Data, statusLen)
		require.True(t, a.ops[0].Read)
		require.Equal(t, ElectionRegion, a.ops[0].Region)
		require.Zero(t, a.ops[0].Offset)
	}
}

// How a log is read: in pieces that do not go around the end of the ring, and a status behind them.
func TestReadsLog(t *testing.T) {
	a := gather(t, "FFF")
	ring := a.core.geo.ring
	p := a.grants(1)
	a.core.readLog(p, ring-100, ring+60)
	require.Len(t, p.logBuf, 160)
	require.Equal(t, 3, p.logOpen)
	require.Len(t, a.ops, 3)
	for i, o := range []Op{
		{Region: LogRegion, Offset: ringStart + ring - 100, Data: p.logBuf[:100]},
		{Region: LogRegion, Offset: ringStart, Data: p.logBuf[100:]},
		{Region: ElectionRegion, Data: p.check[:]},
	} {
		got := a.ops[i].Op
		require.True(t, got.Read)
		require.Equal(t, o.Region, got.Region)
		require.Equal(t, o.Offset, got.Offset)
		require.Equal(t, len(o.Data), len(got.Data))
		require.Same(t, &o.Data[0], &got.Data[0])
	}
	a.core.camp.stage = waitApplied // nothing to do before all is there
	a.core.emitted = 0
	a.core.camp.from = 1 << 20
	for i, op := range []pendingKind{opLog, opLog} {
		a.core.controlDone(p, pending{kind: op})
		require.Equal(t, 2-i, p.logOpen)
	}
	p.ctl[0].up = false
	a.core.readLog(p, 0, 10)
	require.Equal(t, Follower, a.core.role, "it cannot be read")
}
