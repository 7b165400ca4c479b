package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sees makes a core believe this of its peers, as if it had been read: F full, R recovering, - dead, of servers 0, 1, ...
// and for itself. It is not asked to do anything.
func sees(t *testing.T, id ID, states string) *alone {
	a := newAlone(t, id, len(states), nil)
	a.core.incarnation, a.core.recover.done, a.core.state = 1, true, Recovering
	for i, s := range states {
		st := Recovering
		if s == 'F' {
			st = Full
		}
		if ID(i) == id {
			a.core.state = st
			continue
		}
		p := a.core.peer(ID(i))
		p.alive, p.st.state, p.st.incarnation = s != '-', st, 1
		if s == '-' {
			p.st.state = Full // as it was
		}
	}
	return a
}

// The lowest that lives leads, of those that have their memory, if they are a majority; of all, if all are there.
func TestShouldLead(t *testing.T) {
	for _, c := range []struct {
		states string
		leads  ID // MaxID: nobody
	}{
		{"FFF", 0}, {"F-F", 0}, {"FF-", 0}, {"-FF", 1}, {"RFF", 1}, {"FRF", 0}, {"FR-", MaxID}, {"RF-", MaxID}, {"RRF", 2},
		{"RRR", 0}, {"RR-", MaxID}, {"F--", MaxID}, {"--F", MaxID}, {"F-R", MaxID}, {"-RF", MaxID}, {"F", 0}, {"R", 0},
		{"FF", 0}, {"RF", 1}, {"FR", 0}, {"F-", MaxID}, {"FFFF", 0}, {"FF--", MaxID}, {"-FFF", 1}, {"RFRR", 1}, {"RFR-", MaxID},
		{"RRFFF", 2}, {"--FFF", 2}, {"--FFR", MaxID}, {"FFRRR", 0}, {"RRRFF", 3}, {"RRRF-", MaxID},
	} {
		for i, s := range c.states {
			if s == '-' {
				continue
			}
			a := sees(t, ID(i), c.states)
			require.Equal(t, c.leads == ID(i), a.core.shouldLead(), "server %d of %s", i, c.states)
		}
	}
	t.Run("a learner does not", func(t *testing.T) {
		a := sees(t, 1, "-FF")
		a.core.learner = &Member{ID: 9}
		a.core.connect()
		p := a.core.peer(9)
		p.alive, p.st.state = true, Full
		require.True(t, a.core.shouldLead())
		p = a.core.peer(2)
		p.alive = false
		require.False(t, a.core.shouldLead(), "one of the two is no member")
	})
	t.Run("not before who has the permission", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(a *alone)
			leads  bool
		}{
			{"it lives", func(*alone) {}, false},
			{"it is dead", func(a *alone) { a.core.peer(1).alive = false }, true},
			{"it has started again", func(a *alone) { a.core.peer(1).st.incarnation = 3 }, true},
			{"its status is of before", func(a *alone) { a.core.peer(1).st.incarnation = 1 }, false},
			{"nothing is promised", func(a *alone) { a.core.promised = 0 }, true},
			{"it is higher", func(a *alone) { a.core.promised = 5<<8 | 3 }, true},
			{"it is no member", func(a *alone) { a.core.promised = 5<<8 | 60 }, true},
		} {
			a := sees(t, 2, "RRFFF")
			a.core.promised, a.core.leaderLife = 5<<8|1, 2
			a.core.peer(1).st.incarnation = 2
			c.change(a)
			require.Equal(t, c.leads, a.core.shouldLead(), c.about)
		}
		a := sees(t, 0, "FFF")
		a.core.promised = 5 << 8
		require.True(t, a.core.shouldLead(), "it was this server")
	})
}

// Who asks for a term although it should not lead: when nobody has led for long.
func TestOverdue(t *testing.T) {
	every := newAlone(t, 0, 1, nil).core.cfg.RequestEvery
	for _, c := range []struct {
		id     ID
		states string
		wait   time.Duration // in 10 RequestEvery; 0: never
	}{
		{0, "FFF", 1}, {1, "FFF", 2}, {2, "FFF", 3}, {2, "-FF", 2}, {2, "RFF", 2}, {2, "FRF", 2},
		{1, "-F-", 0}, {1, "FRR", 0}, {1, "RFF", 1}, {1, "RF-", 0}, {3, "FFFF-", 4},
	} {
		a := sees(t, c.id, c.states)
		a.core.now = time.Second
		require.False(t, a.core.overdue(), "from now on")
		a.core.now += max(c.wait, 1)*10*every - 1
		require.False(t, a.core.overdue(), "server %d of %s", c.id, c.states)
		a.core.now++
		require.Equal(t, c.wait != 0, a.core.overdue(), "server %d of %s", c.id, c.states)
		a.core.now += time.Hour
		if c.wait == 0 {
			require.False(t, a.core.overdue())
			continue
		}
		p := a.core.peer((c.id + 1) % 2)
		p.alive, p.st.promised = true, 5<<8|Term(p.id)
		a.core.promised, a.core.leaderLife = p.st.promised, 1
		require.False(t, a.core.overdue(), "it follows one")
		p.alive = false
		require.False(t, a.core.overdue(), "from the end of that on")
	}
	t.Run("a learner", func(t *testing.T) {
		a := sees(t, 2, "--F")
		a.core.learner = &Member{ID: 9}
		a.core.connect()
		a.core.peer(9).alive, a.core.peer(9).st.state = true, Full
		a.core.now = time.Second
		a.core.overdue()
		a.core.now += time.Hour
		require.False(t, a.core.overdue(), "it is no majority with that")
	})
}

// What keeps a server from asking for a term.
func TestConsidersCampaign(t *testing.T) {
	for about, c := range map[string]struct {
		change func(c *Core)
		asks   bool
	}{
		"nothing":         {func(*Core) {}, true},
		"no member":       {func(c *Core) { c.members = c.members[1:] }, false},
		"not recovered":   {func(c *Core) { c.recover.done = false }, false},
		"muted":           {func(c *Core) { c.muted = c.now + 1 }, false},
		"not any more":    {func(c *Core) { c.muted = c.now }, true},
		"a pause":         {func(c *Core) { c.backoff = c.now + 1 }, false},
		"its end":         {func(c *Core) { c.backoff = c.now }, true},
		"takes the state": {func(c *Core) { c.fetching = true }, false},
		"a lease": {func(c *Core) {
			c.lease.until, c.promised, c.peers[0].alive = c.now+1, 5<<8|1, false
		}, false},
		"a lease that is over": {func(c *Core) {
			c.lease.until, c.promised, c.peers[0].alive = c.now, 5<<8|1, false
		}, true},
		"another one": {func(c *Core) { c.state = Recovering }, false},
	} {
		a := sees(t, 0, "FFF")
		a.core.now = time.Second
		c.change(a.core)
		a.core.considerCampaign()
		require.Equal(t, c.asks, a.core.role == Candidate, about)
	}
}

// What a candidate begins with.
func TestStartsCampaign(t *testing.T) {
	a := sees(t, 0, "FFF")
	for _, p := range a.core.peers {
		p.inGroup, p.direct, p.logBuf, p.wantGen, p.floor, p.granted, p.full = true, true, []byte{1}, 7, 9, true, true
	}
	a.core.now, a.core.grantedSeq, a.core.promised, a.core.maxTerm = time.Second, 5, 6<<8|2, 8<<8|1
	a.core.startCampaign()
	require.Equal(t, Term(9<<8), a.core.promised)
	require.Equal(t, Candidate, a.core.role)
	require.Equal(t, time.Second, a.core.ledAt)
	require.Equal(t, time.Second, a.core.camp.started)
	require.Equal(t, Permission{Term: 9 << 8, None: true}, a.permitted[len(a.permitted)-1])
	st := a.status()
	require.Equal(t, Term(9<<8), st.promised)
	require.Zero(t, st.seq)
	for _, p := range a.core.peers {
		require.True(t, p.asked)
		require.False(t, p.inGroup || p.direct || p.granted || p.full || p.live)
		require.Nil(t, p.logBuf)
		require.Zero(t, p.wantGen)
		require.Zero(t, p.floor)
		var r request
		require.NoError(t, r.decode(a.ops[p.id-1].Data))
		require.Equal(t, Term(9<<8), r.term)
	}
}

// A candidate that gives up makes a pause, which grows, and which no two servers have in common.
func TestGivesUp(t *testing.T) {
	for id := range ID(3) {
		a := sees(t, id, "FFF")
		a.core.now = time.Second
		beat := a.core.cfg.HeartbeatEvery
		for i, pause := range []time.Duration{2, 4, 8, 16, 32, 64, 64} { // half beats
			a.core.role = Candidate
			p := a.core.peers[0]
			p.granted, p.asked, p.live = true, true, true
			a.core.giveUp("for a test")
			require.Equal(t, Follower, a.core.role)
			require.Equal(t, beat*(pause+1+2*time.Duration(id))/2, a.core.backoff-a.core.now, "%d of server %d", i, id)
			require.False(t, p.granted || p.asked || p.live)
		}
	}
	a := newAlone(t, 0, 3, nil)
	a.core.failures = 3
	a.lead()
	require.Zero(t, a.core.failures, "who leads begins anew")
}

// Who is followed.
func TestFollows(t *testing.T) {
	for about, c := range map[string]struct {
		change  func(c *Core, p *peer)
		follows bool
	}{
		"it leads":              {func(*Core, *peer) {}, true},
		"it is dead":            {func(_ *Core, p *peer) { p.alive = false }, false},
		"another term":          {func(_ *Core, p *peer) { p.st.promised++ }, false},
		"another life":          {func(_ *Core, p *peer) { p.st.incarnation++ }, false},
		"an earlier status":     {func(_ *Core, p *peer) { p.st.incarnation-- }, true},
		"nobody":                {func(c *Core, p *peer) { c.promised, p.st.promised = 0, 0 }, false},
		"somebody else":         {func(c *Core, _ *peer) { c.promised, c.peer(2).stTerm = 5<<8|2, 5<<8|2 }, false},
		"this server":           {func(c *Core, _ *peer) { c.promised = 5<<8 | 1 }, false},
		"who was never a peer":  {func(c *Core, _ *peer) { c.promised = 5<<8 | 60 }, false},
		"its life is not known": {func(c *Core, p *peer) { c.leaderLife, p.st.incarnation = 0, 1 }, false},
		"not read since":        {func(_ *Core, p *peer) { p.st.promised, p.stTerm = 4<<8, 4<<8 }, true},
		"a higher term before":  {func(_ *Core, p *peer) { p.st.promised, p.stTerm = 6<<8, 4<<8 }, false},
		"a later life before":   {func(_ *Core, p *peer) { p.st.promised, p.st.incarnation, p.stTerm = 4<<8, 5, 4<<8 }, false},
		"a lower term since":    {func(_ *Core, p *peer) { p.st.promised = 4 << 8 }, false},
		"it has not asked":      {func(c *Core, p *peer) { p.st.promised, p.stTerm, c.grantedSeq = 4<<8, 4<<8, 0 }, false},
	} {
		a := sees(t, 1, "FFF")
		p := a.core.peer(0)
		a.core.promised, a.core.grantedSeq, a.core.leaderLife = 5<<8, 1, 4
		p.st.promised, p.st.incarnation, p.stTerm = 5<<8, 4, 5<<8
		c.change(a.core, p)
		require.Equal(t, c.follows, a.core.follows(), about)
	}
}

// The control path that is in use fails as the leader asks, and the transport is slow to say so. The other path shows that the leader
// lives: it is followed, until a status is read that was asked for since.
func TestFollowsWhoHasAsked(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.follow()
	a.second(0)
	used, l := Path{Peer: 0, Kind: Control}, a.peers[0]
	a.core.readStatus(a.core.peer(0))
	a.asks(request{term: 6 << 8, seq: 2})
	a.run()                // what was asked for before
	a.peers[2].st.head = 8 // a server that has got further
	overdue := 100 * a.core.cfg.RequestEvery
	for end := a.now + overdue; a.now < end; {
		a.now += ms
		l.st.heartbeat++
		a.peers[2].st.heartbeat++
		a.core.Tick(a.now)
		a.drop(used)
		a.run()
	}
	require.True(t, a.core.follows())
	require.Equal(t, Term(6<<8), a.status().promised, "it does not ask itself")
	require.Empty(t, a.fetched)

	a.up[used] = false
	a.core.Down(a.now, used)
	l.st.promised = 6 << 8
	a.tick(overdue)
	require.True(t, a.core.follows())
	require.Equal(t, Term(6<<8), a.status().promised)

	a.asks(request{term: 7 << 8, seq: 3})
	require.True(t, a.core.follows())
	l.st.incarnation, l.st.promised, l.st.state = 0, 0, Recovering // it has started again at once
	a.tick(100 * ms)
	require.False(t, a.core.follows(), "it has forgotten that it has asked")
}

// Who has seen no leader for long takes the state of a server that has got further.
func TestStranded(t *testing.T) {
	stranded := func(change func(a *alone)) *alone {
		a := sees(t, 2, "FFF")
		a.core.now = time.Second
		a.core.stranded()
		a.core.peer(0).alive = false
		a.core.peer(1).st.head = 8
		if change != nil {
			change(a)
		}
		a.core.now += 10*a.core.cfg.RequestEvery - 1
		a.core.peer(1).stAt = a.core.now
		a.core.stranded()
		require.Empty(t, a.fetched)
		a.core.now++
		return a
	}
	// Nothing has reset it: server 1 should lead, and does not.
	a := stranded(func(a *alone) { a.core.strandedAt = a.core.now })
	a.core.stranded()
	require.Equal(t, []ID{1}, a.fetched)
	require.True(t, a.core.fetching)
	for about, change := range map[string]func(a *alone){
		"nobody has more": func(a *alone) { a.core.peer(1).st.head = 0 },
		"who has more is dead": func(a *alone) {
			a.core.peer(0).stAt, a.core.peer(0).st.head, a.core.peer(1).st.head = a.core.now+9*a.core.cfg.RequestEvery, 8, 0
		},
		"no member": func(a *alone) { a.core.members = a.core.members[:2] },
		"it follows": func(a *alone) {
			p := a.core.peer(1)
			p.alive, a.core.promised, p.st.promised, a.core.leaderLife = true, 5<<8|1, 5<<8|1, 1
		},
		"it should lead itself": func(a *alone) {
			a.core.peer(1).st.state = Recovering
			a.core.peer(0).alive, a.core.peer(0).st.state = true, Recovering
		},
	} {
		a := stranded(change)
		a.core.stranded()
		require.Empty(t, a.fetched, about)
	}
	a = stranded(func(a *alone) { a.core.peer(1).alive = false })
	a.core.stranded()
	require.Equal(t, []ID{1}, a.fetched, "it was removed, and seems not to live")
	a = stranded(func(a *alone) { a.core.peer(0).st.head = 16 })
	a.core.peer(0).stAt = a.core.now
	a.core.stranded()
	require.Equal(t, []ID{1}, a.fetched, "rather one that lives")
	for failures, takes := range []bool{false, false, true} {
		a := stranded(func(a *alone) {
			p := a.core.peer(1)
			p.st.state, a.core.failures = Recovering, failures
			a.core.peer(0).alive, a.core.peer(0).st.state = true, Recovering
		})
		a.core.stranded()
		require.Equal(t, takes, len(a.fetched) == 1, "it has asked %d times", failures)
	}
	a = stranded(func(a *alone) { a.core.peer(1).st.head = 0 })
	a.core.stranded()
	a.core.peer(1).st.head = 8
	a.core.now += 10*a.core.cfg.RequestEvery - 1
	a.core.peer(1).stAt = a.core.now
	a.core.stranded()
	require.Empty(t, a.fetched, "it looks now and then")
	a.core.now++
	a.core.stranded()
	require.Len(t, a.fetched, 1)
}
