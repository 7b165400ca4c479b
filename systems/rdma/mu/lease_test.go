package mu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const testLease = 50 * time.Millisecond

func withLease(c *Config) { c.Lease = testLease }

// follower is a full member that has promised server 0 a lease in term 1.0.
func follower(t *testing.T) *alone {
	a := newAlone(t, 1, 3, withLease)
	a.tick(20 * time.Millisecond)
	a.asks(request{term: Term(0).next(0), seq: 1, full: true, target: a.core.incarnation})
	a.peers[0].st.promised = Term(0).next(0)
	a.tick(testLease)
	require.Equal(t, Full, a.core.state)
	s := a.status()
	require.NotZero(t, s.leased)
	require.LessOrEqual(t, s.leased, a.peers[0].st.heartbeat)
	require.Equal(t, testLease, s.lease)
	return a
}

// waited is how long server 2 waits for permission.
func (a *alone) waited() time.Duration {
	a.peers[2].st.incarnation = 2 // not the life in which it asks: it gets no lease
	from, term := a.now, a.core.promised.next(2)
	a.asks(request{term: term, seq: 1})
	for a.core.promised != term && a.now < from+time.Second {
		a.tick(time.Millisecond)
	}
	require.Equal(a, term, a.core.promised)
	require.Zero(a, a.status().leased, "nothing is promised to the new one yet")
	return a.now - from
}

// Nobody else is let in before a lease has run out, or is of no use any more.
func TestLeaseHoldsOff(t *testing.T) {
	beat := 5 * time.Millisecond
	for name, c := range map[string]struct {
		change      func(a *alone)
		least, most time.Duration
	}{
		"leader stands still": {func(a *alone) { a.peers[0].still = true }, testLease - 2*beat, testLease},
		// It is not renewed for ever.
		"leader goes on":                       {func(a *alone) {}, testLease - 2*beat, testLease},
		"leader has promised another term":     {func(a *alone) { a.peers[0].st.promised = Term(0).next(0).next(2) }, 0, 2 * beat},
		"leader has started again":             {func(a *alone) { a.peers[0].st.incarnation++ }, 0, 2 * beat},
		"what an earlier life of it promised":  {func(a *alone) { a.core.leaderLife, a.peers[0].st.promised = 9, 99<<8; a.peers[0].still = true }, testLease - 2*beat, testLease},
		"in a life that it is not known to be": {func(a *alone) { a.core.leaderLife = 0 }, testLease - 2*beat, testLease},
	} {
		t.Run(name, func(t *testing.T) {
			a := follower(t)
			c.change(a)
			w := a.waited()
			require.GreaterOrEqual(t, w, c.least)
			require.LessOrEqual(t, w, c.most)
		})
	}
}

// Who has promised a lease does not lead either.
func TestLeaseHoldsItselfOff(t *testing.T) {
	a := follower(t)
	end := a.core.lease.until
	a.cut(0)
	for a.core.role == Follower && a.now < end+time.Second {
		a.tick(time.Millisecond)
	}
	require.NotEqual(t, Follower, a.core.role)
	require.GreaterOrEqual(t, a.now, end)
	require.Less(t, a.now, end+testLease)
}

// A server that has given its term up says so, and gets no lease any more: the one that
// has promised it would lead instead.
func TestNoLeaseForWhoGaveUp(t *testing.T) {
	a := newAlone(t, 0, 3, withLease)
	a.tick(20 * time.Millisecond)
	a.peers[1].st.promised, a.peers[1].st.seq = 5<<8|1, 1
	a.asks(request{term: 5<<8 | 1, seq: 1, full: true, target: a.core.incarnation})
	a.tick(4 * testLease)
	require.Equal(t, Follower, a.core.role, "it has promised a lease, again and again")
	a.peers[1].st.idle = true
	a.tick(2 * testLease)
	require.Equal(t, Leader, a.core.role)

	// It says so itself, as soon as it does not lead.
	a.peers[1].st.idle = false
	require.False(t, a.status().idle)
	for _, p := range a.peers {
		p.stuck = true
	}
	a.propose("x")
	for a.core.role == Leader {
		a.tick(ms)
	}
	a.tick(10 * ms)
	require.Equal(t, ID(0), a.core.promised.Leader())
	require.True(t, a.status().idle)
}

// Who starts again with its disk waits out what it may have promised, from the first
// moment on.
func TestLeaseOutlastsRestart(t *testing.T) {
	for _, first := range []string{"tick", "poll"} {
		a := newAlone(t, 1, 3, func(c *Config) {
			withLease(c)
			c.Durable, c.Stored = true, Stored{Full: true, Promised: Term(0).next(0), Incarnation: 1}
		})
		a.now = time.Hour
		if first == "poll" {
			a.core.Poll(a.now)
		}
		require.GreaterOrEqual(t, a.waited(), testLease, first)
	}
}

// It waits for as long as it has promised, whatever it would promise now; and nobody
// shortens that.
func TestLeaseOutlastsItsSetting(t *testing.T) {
	for _, now := range []time.Duration{0, testLease / 10, testLease} {
		a := newAlone(t, 1, 3, func(c *Config) {
			c.Lease, c.Durable = now, true
			c.Stored = Stored{Full: true, Promised: Term(0).next(0), Incarnation: 1, Lease: testLease}
		})
		a.now = time.Hour
		a.peers[0].st.promised = Term(0).next(0)
		a.core.leaderLife = a.peers[0].st.incarnation
		a.tick(10 * time.Millisecond)
		require.GreaterOrEqual(t, a.waited(), testLease-15*time.Millisecond, now)
		// The promise of a term before that was over has said so, too.
		a.tick(2 * testLease)
		a.asks(request{term: a.core.promised.next(2), seq: 2})
		require.Equal(t, now, a.stored.Lease, "what is owed from now on")
	}
}

// How long a lease is is on disk before one is promised.
func TestLeaseIsStored(t *testing.T) {
	a := newAlone(t, 1, 3, func(c *Config) {
		withLease(c)
		c.Durable, c.Stored = true, Stored{Full: true, Promised: Term(0).next(0), Incarnation: 1, Lease: testLease / 5}
	})
	a.stored = a.cfg.Stored
	a.core.leaderLife = a.peers[0].st.incarnation
	a.peers[0].st.promised = Term(0).next(0)
	for a.status().leased == 0 && a.now < time.Second {
		require.Equal(t, testLease/5, a.stored.Lease)
		a.tick(time.Millisecond)
	}
	require.NotZero(t, a.status().leased)
	require.Equal(t, testLease, a.stored.Lease)
	require.True(t, a.stored.Full, "and the rest as it was")
	require.Equal(t, Term(0).next(0), a.stored.Promised)
}

// A server that goes on without a disk goes on behind what it has on one, and no longer
// has it there when it is a full member.
func TestCarries(t *testing.T) {
	for _, leader := range []ID{1, 2} {
		stored := Stored{Full: true, Incarnation: 3, Promised: 7<<8 | Term(leader)}
		a := newAlone(t, 1, 3, func(c *Config) { c.Stored = stored })
		a.stored = stored
		a.tick(20 * time.Millisecond)
		want := stored.Promised
		if leader == 1 {
			want = want.next(1) // it does not lead in that any more
		}
		require.Equal(t, Recovering, a.status().state)
		require.GreaterOrEqual(t, a.status().promised, want)
		require.Equal(t, stored, a.stored)
		a.asks(request{term: Term(9 << 8), seq: 1, full: true, target: a.core.incarnation})
		require.Equal(t, Full, a.status().state)
		require.Zero(t, a.stored)
	}
}

// A leader counts a promise from when it had raised its heartbeat to what the promise is
// for, less what clocks may differ by; of those that it needs, the shortest.
func TestLeaseOfLeader(t *testing.T) {
	a := newAlone(t, 0, 5, withLease)
	a.lead()
	a.tick(20 * time.Millisecond)
	require.Zero(t, a.leased, "nobody has promised anything")
	promise := func(id ID, beat uint64) {
		a.peers[id].st.leased, a.peers[id].st.lease = beat, testLease
	}
	beat := a.core.heartbeat
	raised := a.core.lease.raised[beat%beats]
	promise(1, beat+1000) // of another leader
	promise(2, beat)
	a.tick(6 * time.Millisecond)
	require.Zero(t, a.leased, "two are needed")
	promise(3, beat-2)
	a.tick(6 * time.Millisecond)
	want := raised - 10*time.Millisecond + testLease - testLease/16
	require.InDelta(t, want, a.leased, 1)
	require.Less(t, a.leased, want)
	promise(1, 0)
	promise(4, beat)
	a.tick(6 * time.Millisecond)
	require.InDelta(t, raised+testLease-testLease/16, a.leased, 1)
	a.tick(beats * 5 * time.Millisecond)
	require.Zero(t, a.leased, "when that was is not known any more")

	// It ends before others can see why.
	for _, id := range []ID{2, 3} {
		promise(id, a.core.heartbeat)
	}
	a.tick(6 * time.Millisecond)
	require.NotZero(t, a.leased)
	term := a.core.promised
	a.ended = func() { require.Equal(t, term, a.status().promised) }
	a.asks(request{term: term.next(4), seq: 1})
	require.Zero(t, a.leased)
	require.Equal(t, term.next(4), a.status().promised)
}
