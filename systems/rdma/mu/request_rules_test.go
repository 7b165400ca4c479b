package mu

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a permission request does.
func TestRequested(t *testing.T) {
	begin := func(t *testing.T) *alone { // it follows server 0 in term 5.0
		a := sees(t, 1, "FFFF")
		a.now, a.core.now = time.Second, time.Second
		a.core.promised, a.core.maxTerm, a.core.grantedSeq, a.core.leaderLife = 5<<8, 5<<8, 7, 1
		a.core.peer(0).st.promised = 5 << 8
		a.permitted, a.core.incarnation = nil, 6
		a.core.emitted, a.core.emittedIndex, a.core.seen, a.core.seenIndex = 48, 1, 96, 2
		return a
	}
	for _, c := range []struct {
		about   string
		change  func(a *alone, r *request)
		verdict verdict
		grants  bool
	}{
		{"a higher term", func(*alone, *request) {}, answered, true},
		{"a lower one", func(_ *alone, r *request) { r.term = 4<<8 | 2 }, answered, false},
		{"the same one, later", func(_ *alone, r *request) { r.term, r.seq = 5<<8, 8 }, answered, true},
		{"the same one, again", func(_ *alone, r *request) { r.term, r.seq = 5<<8, 7 }, answered, false},
		{"a stranger's, while it follows", func(_ *alone, r *request) { r.term = 6<<8 | 9 }, waits, false},
		{"a stranger's, while it leads", func(a *alone, r *request) { r.term, a.core.role, a.core.promised = 6<<8|9, Leader, 5<<8|1 }, waits, false},
		{"a stranger's, while it hands over", func(a *alone, r *request) {
			r.term, a.core.role, a.core.promised = 6<<8|9, Leader, 5<<8|1
			a.core.members = []Member{{ID: 0}, {ID: 2}, {ID: 3}}
		}, waits, false},
		{"a stranger's, when nobody leads", func(a *alone, r *request) { r.term, a.core.peer(0).alive = 6<<8|9, false }, answered, true},
		{"a stranger's, to one that is none itself", func(a *alone, r *request) { r.term, a.core.members = 6<<8|9, a.core.members[2:] }, answered, true},
		{"anybody's, to one that knows no members", func(a *alone, r *request) { r.term, a.core.members = 6<<8|9, nil }, answered, true},
		{"during a lease", func(a *alone, _ *request) { a.core.lease.until = a.core.now + 1 }, contests, false},
		{"after it", func(a *alone, _ *request) { a.core.lease.until = a.core.now }, answered, true},
		{"of the same leader, during its lease", func(a *alone, r *request) { a.core.lease.until, r.term = a.core.now+1, 6<<8 }, answered, true},
		{"of a later life, with disks", func(a *alone, r *request) { a.core.cfg.Durable, r.life = true, 9; a.unpromised = true }, contests, false},
		{"of that life, with disks", func(a *alone, r *request) {
			a.core.cfg.Durable, r.life, a.core.peer(2).life = true, 9, 9
			a.unpromised = true
		}, answered, true},
		{"of a later life, without", func(a *alone, r *request) { r.life = 9 }, answered, true},
		{"the same term, of a later life", func(a *alone, r *request) {
			a.core.cfg.Durable, a.unpromised, r.life, r.term, r.seq = true, true, 9, 5<<8, 8
		}, answered, true},
	} {
		a := begin(t)
		r := request{cluster: 7, term: 6<<8 | 2, seq: 3, incarnation: 4, route: 1, minGen: 8}
		c.change(a, &r)
		before := a.core.promised
		require.Equal(t, c.verdict, a.core.requested(r), c.about)
		if !c.grants {
			require.Equal(t, before, a.core.promised, c.about)
			require.Empty(t, a.permitted, c.about)
			continue
		}
		require.Equal(t, r.term, a.core.promised, c.about)
		require.Equal(t, []Permission{{Term: r.term, Route: 1, MinGen: 8}}, a.permitted, c.about)
		require.Equal(t, r.seq, a.core.grantedSeq)
		require.EqualValues(t, 4, a.core.leaderLife)
		require.Equal(t, max(r.term, 5<<8), a.core.maxTerm)
		if !a.unpromised {
			st := a.status()
			require.Equal(t, []uint64{uint64(r.term), r.seq, 8, 1}, []uint64{uint64(st.promised), st.seq, uint64(st.minGen), uint64(st.route)})
		}
		if r.term > before {
			require.EqualValues(t, 48, a.core.seen, "what another leader has written is looked at again")
			require.EqualValues(t, 1, a.core.seenIndex)
		} else {
			require.EqualValues(t, 96, a.core.seen)
		}
		require.Equal(t, Follower, a.core.role)
	}
	t.Run("who asks lives", func(t *testing.T) {
		a := begin(t)
		p := a.core.peer(2)
		p.alive, p.score = false, 1
		require.Equal(t, answered, a.core.requested(request{term: 6<<8 | 2, seq: 1}))
		require.True(t, p.alive)
		require.Equal(t, scoreLive, p.score)
		a = begin(t)
		p = a.core.peer(2)
		p.alive, p.score = false, scoreMax
		a.core.requested(request{term: 6<<8 | 2, seq: 1})
		require.Equal(t, scoreMax, p.score)
		p.alive = false
		a.core.requested(request{term: 6<<8 | 2, seq: 2})
		require.False(t, p.alive, "it has asked in that term before")
	})
	t.Run("who leads gives way", func(t *testing.T) {
		a := leads(t, "FFF", nil)
		a.core.requested(request{term: 6<<8 | 1, seq: 1})
		require.Equal(t, Follower, a.core.role)
	})
	t.Run("full again", func(t *testing.T) {
		for _, c := range []struct {
			about  string
			change func(c *Core, r *request)
			full   bool
		}{
			{"this life", func(*Core, *request) {}, true}, {"an earlier one", func(_ *Core, r *request) { r.target-- }, false},
			{"not told", func(_ *Core, r *request) { r.full = false }, false},
		} {
			a := begin(t)
			a.core.state = Recovering
			r := request{term: 6<<8 | 2, seq: 1, full: true, target: 6}
			c.change(a.core, &r)
			a.core.requested(r)
			require.Equal(t, c.full, a.core.state == Full, c.about)
			require.Equal(t, c.full, a.status().state == Full, c.about)
		}
	})
	t.Run("the state", func(t *testing.T) {
		a := begin(t)
		a.core.requested(request{term: 6<<8 | 2, seq: 1})
		require.Empty(t, a.fetched)
		a.core.requested(request{term: 6<<8 | 2, seq: 2, snapshot: true})
		require.Equal(t, []ID{2}, a.fetched)
		require.Equal(t, ID(2), a.core.fetchFrom)
		a.core.requested(request{term: 6<<8 | 2, seq: 3, snapshot: true})
		require.Len(t, a.fetched, 1)
	})
}

// Which requests are looked at.
func TestReadsRequests(t *testing.T) {
	for _, c := range []struct {
		about  string
		slot   ID
		change func(a *alone, r *request)
		grants bool
	}{
		{"a member's", 2, func(*alone, *request) {}, true},
		{"in another one's place", 3, func(*alone, *request) {}, false},
		{"in this server's", 1, func(_ *alone, r *request) { r.term = 6<<8 | 1 }, false},
		{"of another cluster", 2, func(_ *alone, r *request) { r.cluster++ }, false},
		{"with a disk", 2, func(_ *alone, r *request) { r.durable = true }, false},
		{"before this server knows what it has promised", 2, func(a *alone, _ *request) { a.core.recover.done = false }, false},
	} {
		a := sees(t, 1, "FFFF")
		r := request{cluster: 7, term: 6<<8 | 2, seq: 3, incarnation: 4}
		c.change(a, &r)
		r.encode(a.vote[offRequest+requestLen*int(c.slot):])
		a.core.readRequests()
		require.Equal(t, c.grants, a.core.promised == r.term, c.about)
	}
	t.Run("once", func(t *testing.T) {
		a := sees(t, 1, "FFFF")
		r := request{cluster: 7, term: 6<<8 | 2, seq: 3}
		slot := a.vote[offRequest+requestLen*2:]
		r.encode(slot)
		a.core.readRequests()
		a.core.promised, a.core.grantedSeq = 0, 0
		a.core.readRequests()
		require.Zero(t, a.core.promised)
		r.seq++
		r.encode(slot)
		a.core.readRequests()
		require.Equal(t, r.term, a.core.promised)
		require.False(t, a.core.lease.contested)
	})
	t.Run("again, when it could not be answered", func(t *testing.T) {
		a := sees(t, 1, "FFFF")
		a.core.promised, a.core.now, a.core.lease.until = 5<<8, time.Second, time.Second+5
		r := request{cluster: 7, term: 6<<8 | 2, seq: 3}
		r.encode(a.vote[offRequest+requestLen*2:])
		a.core.readRequests()
		require.Equal(t, Term(5<<8), a.core.promised)
		require.True(t, a.core.lease.contested)
		a.core.now += 5
		a.core.readRequests()
		require.Equal(t, r.term, a.core.promised)
		require.False(t, a.core.lease.contested)
	})
	t.Run("again, when its leader is gone", func(t *testing.T) {
		a := sees(t, 1, "FFFF")
		a.core.promised, a.core.leaderLife, a.core.now = 5<<8, 1, time.Second
		a.core.peer(0).st.promised = 5 << 8
		r := request{cluster: 7, term: 6<<8 | 9, seq: 3}
		r.encode(a.vote[offRequest+requestLen*9:])
		a.core.readRequests()
		require.Equal(t, Term(5<<8), a.core.promised, "it follows, and knows no server 9")
		require.False(t, a.core.lease.contested, "a server that was removed keeps no lease from going on")
		a.core.peer(0).alive = false
		a.core.readRequests()
		require.Equal(t, r.term, a.core.promised, "the same bytes: who waits repeats what it has said")
	})
}

// What a lease is promised for.
func TestRenewsLease(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(a *alone, s *status)
		renews bool
	}{
		{"the leader's heartbeat", func(*alone, *status) {}, true},
		{"no leases", func(a *alone, _ *status) { a.core.cfg.Lease = 0 }, false},
		{"somebody waits", func(a *alone, _ *status) { a.core.lease.contested = true }, false},
		{"it leads itself", func(a *alone, _ *status) { a.core.role = Candidate }, false},
		{"another one's", func(a *alone, _ *status) { a.core.promised = 5<<8 | 2 }, false},
		{"another life's", func(_ *alone, s *status) { s.incarnation++ }, false},
		{"of one that has given up", func(_ *alone, s *status) { s.idle = true }, false},
		{"the one that was seen", func(_ *alone, s *status) { s.heartbeat = 8 }, false},
	} {
		a := sees(t, 1, "FFF")
		a.core.cfg.Lease, a.core.now, a.core.promised, a.core.leaderLife, a.core.lease.seen = testLease, time.Second, 5<<8, 4, 8
		s := status{incarnation: 4, heartbeat: 9}
		c.change(a, &s)
		a.core.renewLease(a.core.peer(0), &s)
		if !c.renews {
			require.EqualValues(t, 8, a.core.lease.seen, c.about)
			require.Zero(t, a.core.lease.until, c.about)
			continue
		}
		require.Equal(t, time.Second+testLease, a.core.lease.until)
		st := a.status()
		require.EqualValues(t, 9, st.leased)
		require.Equal(t, testLease, st.lease)
		s.heartbeat++
		a.core.lease.until = 2 * time.Second
		a.core.renewLease(a.core.peer(0), &s)
		require.Equal(t, 2*time.Second, a.core.lease.until, "a longer one goes on")
	}
	t.Run("on disk, before", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.core.cfg.Lease, a.core.now, a.core.promised, a.core.leaderLife = testLease, time.Second, 5<<8, 4
		a.core.lease.begun = true
		a.core.renewLease(a.core.peer(0), &status{incarnation: 4, heartbeat: 9})
		require.Equal(t, testLease, a.stored.Lease)
		a.stored.Lease = 0
		a.core.renewLease(a.core.peer(0), &status{incarnation: 4, heartbeat: 10})
		require.Zero(t, a.stored.Lease, "it is there")
	})
}

// Who is held off by a lease.
func TestLeased(t *testing.T) {
	for about, c := range map[string]struct {
		change func(a *alone, p *peer)
		leased bool
	}{
		"one that lasts":                {func(*alone, *peer) {}, true},
		"one that is over":              {func(a *alone, _ *peer) { a.core.now = a.core.lease.until }, false},
		"who has forgotten":             {func(a *alone, _ *peer) { a.core.state = Recovering }, false},
		"its own":                       {func(a *alone, _ *peer) { a.core.promised = 5<<8 | 1 }, false},
		"the holder has started again":  {func(_ *alone, p *peer) { p.st.incarnation++ }, false},
		"the holder has another term":   {func(_ *alone, p *peer) { p.st.promised++ }, false},
		"an earlier life had":           {func(_ *alone, p *peer) { p.st.incarnation--; p.st.promised++ }, true},
		"its life is not known":         {func(a *alone, p *peer) { a.core.leaderLife = 0; p.st.promised++ }, true},
		"the holder is no peer":         {func(a *alone, _ *peer) { a.core.promised = 5<<8 | 60 }, true},
		"the holder is not heard of":    {func(_ *alone, p *peer) { p.alive = false }, true},
		"another one has another term":  {func(a *alone, _ *peer) { a.core.peer(2).st.promised = 9 << 8 }, true},
		"the holder's term is a lower":  {func(_ *alone, p *peer) { p.st.promised-- }, true},
		"one that was never begun with": {func(a *alone, _ *peer) { a.core.lease.until = 0 }, false},
	} {
		a := sees(t, 1, "FFF")
		p := a.core.peer(0)
		a.core.now, a.core.lease.until, a.core.promised, a.core.leaderLife = time.Second, time.Second+1, 5<<8, 4
		p.st.incarnation, p.st.promised = 4, 5<<8
		c.change(a, p)
		require.Equal(t, c.leased, a.core.leased(), about)
	}
	t.Run("what was owed", func(t *testing.T) {
		for _, c := range [][3]time.Duration{{0, 0, 0}, {testLease, 0, testLease}, {testLease, 2 * testLease, 2 * testLease}, {0, testLease, testLease}} {
			a := newAlone(t, 1, 3, func(k *Config) { k.Lease, k.Stored.Lease = c[0], c[1] })
			a.now = time.Second
			a.core.Tick(a.now)
			require.Equal(t, a.now+c[2], a.core.lease.until)
			a.core.now = a.now + c[2] - 1
			if c[2] > 0 {
				require.Equal(t, c[2], a.core.owed())
			}
			a.core.now++
			require.Equal(t, c[0], a.core.owed(), "that is over")
			a.core.beginLease()
			require.Equal(t, a.now+c[2], a.core.lease.until, "once")
		}
	})
}

// For how long a leader may answer by its lease.
func TestLeaseStep(t *testing.T) {
	const at = time.Second
	full := at + testLease - testLease/leaseMargin - 1
	for _, c := range []struct {
		about  string
		change func(c *Core)
		until  time.Duration
	}{
		{"one promise of three", func(*Core) {}, full},
		{"none", func(c *Core) { c.peer(1).st.leased = 0 }, 0},
		{"of one that does not count", func(c *Core) { c.peer(1).full = false }, 0},
		{"the later one", func(c *Core) { c.peer(2).st.leased, c.lease.raised[41%beats] = 41, at+3 }, full + 3},
		{"its length is the promise's", func(c *Core) { c.peer(1).st.lease = 2 * testLease }, at + 2*testLease - 2*testLease/leaseMargin - 1},
		{"too long ago", func(c *Core) { c.heartbeat = 40 + beats }, 0},
		{"long ago", func(c *Core) { c.heartbeat = 40 + beats - 1 }, full},
		{"who does not lead", func(c *Core) { c.role = Candidate }, 0},
		{"who was removed", func(c *Core) { c.members = c.members[1:] }, 0},
		{"before what was adopted is decided", func(c *Core) { c.lead.start, c.lead.decided, c.head = 8, 0, 8 }, 0},
		{"before that is applied", func(c *Core) { c.lead.start, c.lead.decided, c.head = 8, 8, 0 }, 0},
		{"then", func(c *Core) { c.lead.start, c.lead.decided, c.head = 8, 8, 8 }, full},
		{"without leases", func(c *Core) { c.cfg.Lease = 0 }, 7},
		{"alone", func(c *Core) { c.members, c.peers = c.members[:1], nil }, 2*at + testLease},
	} {
		a := leads(t, "FFF", withLease)
		a.core.lease.told, a.leased = 7, 7
		a.core.now, a.core.heartbeat, a.core.lease.raised[40] = 2*at, 45, at
		a.core.peer(1).st.leased, a.core.peer(1).st.lease, a.core.peer(2).st.lease = 40, testLease, testLease
		c.change(a.core)
		a.core.leaseStep()
		require.Equal(t, c.until, a.leased, c.about)
	}
}

// What a core begins with, and who its peers are.
func TestNew(t *testing.T) {
	_, err := New(Config{Log: make(plain, 100), Election: make(plain, ElectionSize)}, &alone{T: t})
	require.ErrorIs(t, err, ErrLogSize)
	_, err = New(Config{Log: make(plain, MinLogSize), Election: make(plain, ElectionSize), Members: []Member{{ID: 1}, {ID: 1}}}, &alone{T: t})
	require.Error(t, err)
	a := newAlone(t, 1, 3, func(c *Config) { c.Position, c.Index, c.Kept, c.Life, c.Lease = 80, 6, 64, 9, testLease })
	require.True(t, a.permitted[0].None)
	st := a.status()
	require.Equal(t, []uint64{7, 80, 6, 80, 80, 80, 9}, []uint64{st.cluster, st.head, st.headIndex, st.low, st.logged, st.kept, st.life})
	require.Equal(t, Recovering, st.state)
	require.Equal(t, testLease, st.lease)
	require.EqualValues(t, 80, a.core.commit)
	require.EqualValues(t, 80, a.core.seen)
	require.EqualValues(t, 6, a.core.seenIndex)
	a = newAlone(t, 1, 3, func(c *Config) { c.Kept = 96 })
	require.EqualValues(t, 96, a.status().kept)
	for _, durable := range []bool{false, true} {
		a := newAlone(t, 1, 3, func(c *Config) {
			c.Durable, c.Stored = durable, Stored{Full: true, Promised: 5<<8 | 1, Incarnation: 4, Lease: testLease}
		})
		require.Equal(t, Term(6<<8|1), a.core.promised, "it may have led in that term")
		require.Equal(t, Term(6<<8|1), a.core.maxTerm)
		require.Equal(t, durable, a.core.state == Full)
		require.Equal(t, durable, a.core.recovered())
		require.Equal(t, !durable, a.core.carried)
		require.Equal(t, !durable, a.status().carries, "and says so")
		require.Equal(t, durable, a.core.incarnation == 4)
		a = newAlone(t, 1, 3, func(c *Config) { c.Durable, c.Stored = durable, Stored{Promised: 5<<8 | 2, Lease: testLease} })
		require.Zero(t, a.core.promised, "it was none that counts")
		require.Equal(t, testLease, a.core.lease.stored)
		a = newAlone(t, 1, 3, func(c *Config) { c.Durable, c.Stored = durable, Stored{Full: true, Promised: 5<<8 | 2} })
		require.Equal(t, Term(5<<8|2), a.core.promised)
	}
	t.Run("peers", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		two := a.core.peer(2)
		zero := a.core.peer(0)
		zero.live, zero.ctl[1].up, zero.rep[1].up = true, true, true
		a.core.setMembers([]Member{{ID: 2}, {ID: 1}, {ID: 3}})
		require.Same(t, two, a.core.peer(2))
		require.Nil(t, a.core.peer(0))
		require.Nil(t, a.core.peer(1))
		require.Equal(t, []Member{{ID: 2}, {ID: 3}}, a.connected)
		require.False(t, zero.live)
		for r := range zero.ctl {
			require.False(t, zero.ctl[r].up || zero.rep[r].up, "its paths end")
		}
		require.Equal(t, ID(2), a.core.peers[0].id, "by their numbers")
		require.False(t, a.core.removed)
		a.core.learner = &Member{ID: 4}
		a.core.setMembers([]Member{{ID: 2}, {ID: 3}})
		require.True(t, a.core.removed)
		require.False(t, a.core.peer(4).member)
		require.True(t, a.core.peer(3).member)
		a.core.setMembers([]Member{{ID: 2}, {ID: 3}, {ID: 4}})
		require.True(t, a.core.removed, "it still is")
		require.Nil(t, a.core.learner, "it is a member")
		require.True(t, a.core.peer(4).member)
		a.core.setMembers([]Member{{ID: 1}, {ID: 2}})
		require.False(t, a.core.removed)
		for n, want := range []int{1, 1, 2, 2, 3, 3} {
			a.core.members = make([]Member, n)
			require.Equal(t, want, a.core.majority())
		}
		for n, want := range map[int]int{1: 0, 2: 1, 3: 1, 4: 2, 5: 2} {
			a := newAlone(t, 0, n, nil)
			require.Equal(t, want, a.core.need())
			a.core.members = make([]Member, n)
			a.core.cfg.ID = 9
			require.Equal(t, n/2+1, a.core.need(), "it was removed")
		}
	})
	t.Run("another's state", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.core.fetching, a.core.emitted = true, 80
		a.core.Fetched(a.now, true, 72, 3, []Member{{ID: 1}})
		require.False(t, a.core.fetching)
		require.Zero(t, a.core.head)
		require.Len(t, a.core.members, 3)
		a.core.head = 48 // and what follows, up to 80, is the end of the ring
		a.core.Fetched(a.now, true, 80, 2, nil)
		require.EqualValues(t, 80, a.core.head)
		a.core.Fetched(a.now, true, 80, 3, []Member{{ID: 1}})
		require.EqualValues(t, 2, a.core.headIndex, "the same state")
		require.Len(t, a.core.members, 3)
		a.core.commit = 200
		a.core.Fetched(a.now, true, 88, 3, nil)
		require.EqualValues(t, 200, a.core.commit)
		require.Len(t, a.core.members, 3)
		require.Zero(t, a.core.membersAt)
		st := a.status()
		require.Equal(t, []uint64{88, 3, 88}, []uint64{st.head, st.headIndex, st.low})
		require.Equal(t, []uint64{88, 3, 88, 3}, []uint64{a.core.seen, a.core.seenIndex, a.core.emitted, a.core.emittedIndex})
		a.core.Fetched(a.now, true, 300, 4, []Member{{ID: 1}})
		require.EqualValues(t, 300, a.core.commit)
		require.Len(t, a.core.members, 1)
		require.EqualValues(t, 300, a.core.membersAt)
	})
	t.Run("what others have announced", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		binary.LittleEndian.PutUint64(a.vote[offAnnounce+16:], 5)
		a.core.recover.done = false
		a.core.Poll(a.now)
		require.Zero(t, a.stored.Announced[2])
		a.core.recover.done = true
		a.core.Poll(a.now)
		require.EqualValues(t, 5, a.stored.Announced[2])
		require.Equal(t, announcements(&a.core.announced), a.status().announced)
		a.stored.Announced[2] = 0
		a.core.Poll(a.now)
		require.Zero(t, a.stored.Announced[2], "nothing is new")
	})
}
