package mu

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// What a server has promised, and to whom it has given permission.
func TestGrants(t *testing.T) {
	last := func(a *alone) Permission { return a.permitted[len(a.permitted)-1] }
	t.Run("a lower term", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.asks(request{term: 4<<8 | 2, seq: 9})
		require.Equal(t, Term(5<<8), last(a).Term)
		a.asks(request{term: 6<<8 | 2, seq: 1})
		require.Equal(t, Term(6<<8|2), last(a).Term)
	})
	t.Run("an older request", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.asks(request{term: 5 << 8, seq: 5, route: 1})
		a.asks(request{term: 5 << 8, seq: 4, route: 0})
		require.EqualValues(t, 1, last(a).Route)
		require.EqualValues(t, 5, a.status().seq)
	})
	t.Run("half a request", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		r := request{term: 6 << 8, seq: 1, cluster: 7}
		slot := a.vote[offRequest:]
		r.encode(slot)
		slot[20]++
		a.core.Poll(a.now)
		require.Equal(t, Term(5<<8), last(a).Term)
	})
	t.Run("another life", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.tick(100 * ms)
		require.Equal(t, Recovering, a.status().state)
		a.asks(request{term: 5 << 8, seq: 1, full: true, target: a.core.incarnation - 1})
		require.Equal(t, Recovering, a.status().state)
		a.asks(request{term: 5 << 8, seq: 2, full: true, target: a.core.incarnation})
		require.Equal(t, Full, a.status().state)
	})
	t.Run("a stranger", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		a.asks(request{term: 6<<8 | 9, seq: 1})
		require.Equal(t, Term(5<<8), last(a).Term, "it follows a leader that lives")
		a.peers[0].still, a.peers[0].refuses, a.peers[2].refuses = true, true, true
		a.tick(200 * ms)
		a.asks(request{term: 60<<8 | 9, seq: 2})
		require.Equal(t, Term(60<<8|9), last(a).Term, "nobody leads, and the stranger may know today's membership")
	})
	t.Run("its own terms", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		for _, p := range a.peers {
			p.refuses, p.st.state = true, Recovering
		}
		a.tick(3000 * ms)
		before, n := Term(0), 0
		for _, p := range a.permitted {
			if p.None && p.Term != 0 {
				require.Greater(t, p.Term, before, "it has asked for this term already")
				before = p.Term
				n++
			}
		}
		require.Greater(t, n, 2)
	})
}

// What is given to the state machine.
func TestApplied(t *testing.T) {
	record := func(position, index uint64, r string) entry {
		return entry{position: position, index: index, term: 5 << 8, record: []byte(r)}
	}
	t.Run("what follows", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		end := a.writes(record(0, 5, "x"))
		a.commits(end)
		require.Empty(t, a.given)
		a.writes(record(0, 0, "y"))
		a.commits(end)
		require.Equal(t, []string{"y"}, a.records())
	})
	t.Run("what is decided", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		first := a.writes(record(0, 0, "x"))
		end := a.writes(record(first, 1, "y"))
		a.commits(end - 8)
		require.Equal(t, []string{"x"}, a.records())
		a.commits(end)
		require.Equal(t, []string{"x", "y"}, a.records())
	})
	t.Run("what is complete", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		end := a.writes(record(0, 0, "record"))
		a.log[ringStart+entryHeader]++
		a.commits(end)
		require.Empty(t, a.given)
		a.log[ringStart+entryHeader]--
		a.commits(end)
		require.Equal(t, []string{"record"}, a.records())
	})
	t.Run("what is of this round", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		end := a.writes(record(a.core.geo.ring, 0, "x")) - a.core.geo.ring
		a.commits(end)
		require.Empty(t, a.given)
	})
	t.Run("no snapshot that is behind", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		first := a.writes(record(0, 0, "x"))
		end := a.writes(record(first, 1, "y"))
		a.commits(end)
		a.core.Fetched(a.now, true, first, 1, nil)
		a.tick(10 * ms)
		require.Equal(t, end, a.status().head)
		require.Equal(t, []string{"x", "y"}, a.records())
	})
	t.Run("not what lies in a leader's log", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.peers[1].stuck, a.peers[2].stuck = true, true
		a.propose("x")
		binary.LittleEndian.PutUint64(a.log[offCommit:], a.core.lead.tail)
		a.core.Tick(a.now + ms)
		require.Empty(t, a.given, "nobody else holds it")
	})
}

// Who is removed, or does not get on, is not seen to live.
func TestHeartbeat(t *testing.T) {
	t.Run("removed", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		end := a.writes(entry{term: 5 << 8, record: EncodeMembers([]Member{{ID: 0}, {ID: 2}}), members: true})
		a.commits(end)
		a.tick(10 * ms)
		beat := a.status().heartbeat
		a.tick(100 * ms)
		require.Equal(t, beat, a.status().heartbeat)
	})
	t.Run("nothing moves", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.lead()
		a.peers[1].stuck, a.peers[2].stuck = true, true
		a.propose("x")
		for range 1000 {
			if a.tick(ms); a.core.role != Leader {
				break
			}
		}
		require.Equal(t, Follower, a.core.role)
		beat := a.status().heartbeat
		a.tick(50 * ms)
		require.Equal(t, beat, a.status().heartbeat)
	})
}

// What a server that has its memory on disk says is there.
func TestOnDisk(t *testing.T) {
	durable := func(t *testing.T) *alone {
		a := newAlone(t, 1, 3, func(c *Config) { c.Durable = true })
		for id, p := range a.peers {
			p.vote[offAnnounce+8*int(id)] = 1
		}
		return a
	}
	// announced makes the peers say that they have on disk what was announced to them.
	settle := func(a *alone) {
		for range 40 {
			for _, p := range a.peers {
				var v [MaxID + 1]uint64
				for i := range v {
					v[i] = binary.LittleEndian.Uint64(p.vote[offAnnounce+8*i:])
				}
				p.st.announced = announcements(&v)
			}
			a.tick(5 * ms)
		}
	}
	onDisk := func(a *alone) {
		s := a.status()
		require.LessOrEqual(a, s.promised, a.stored.Promised)
		if s.state == Full {
			require.True(a, a.stored.Full, "a full member that is none when it starts again")
		}
		require.Equal(a, s.announced, announcements(&a.stored.Announced))
	}
	t.Run("promises", func(t *testing.T) {
		a := durable(t)
		settle(a)
		a.asks(request{term: 5 << 8, seq: 1, full: true, target: a.core.incarnation})
		require.Equal(t, Term(5<<8), a.status().promised)
		require.Equal(t, Full, a.status().state)
		onDisk(a)
	})
	t.Run("its own promises", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Durable, c.Stored = true, Stored{Full: true, Incarnation: 3, Promised: 2<<8 | 1} })
		a.stored = a.cfg.Stored
		a.tick(300 * ms)
		require.NotEqual(t, Follower, a.core.role)
		onDisk(a)
	})
	t.Run("a term that it has led", func(t *testing.T) {
		a := newAlone(t, 1, 3, func(c *Config) { c.Durable, c.Stored = true, Stored{Full: true, Incarnation: 3, Promised: 3<<8 | 1} })
		a.tick(5 * ms)
		require.Greater(t, a.status().promised, Term(3<<8|1))
	})
	t.Run("announcements", func(t *testing.T) {
		a := durable(t)
		settle(a)
		binary.LittleEndian.PutUint64(a.vote[offAnnounce+8*2:], 44)
		a.core.Poll(a.now)
		require.EqualValues(t, 44, a.stored.Announced[2])
		onDisk(a)
	})
	t.Run("not announced before it is on disk", func(t *testing.T) {
		a := durable(t)
		for _, p := range a.peers {
			p.st.announced = 1 // not that of what they hold
		}
		a.tick(200 * ms)
		require.Zero(t, a.status().promised)
		a.asks(request{term: 5 << 8, seq: 1})
		require.Zero(t, a.status().promised, "it does not know yet what it has promised")
		settle(a)
		a.asks(request{term: 5 << 8, seq: 2})
		require.Equal(t, Term(5<<8), a.status().promised)
	})
	t.Run("entries", func(t *testing.T) {
		a := durable(t)
		settle(a)
		a.asks(request{term: 5 << 8, seq: 1, full: true, target: a.core.incarnation})
		old := a.writes(entry{term: 4 << 8, record: []byte("another leader's")})
		a.core.Poll(a.now)
		require.Empty(t, a.logged, "the leader has not written it")
		end := a.writes(entry{term: 5 << 8, record: []byte("the leader's own")})
		require.Equal(t, old, end)
		a.core.Poll(a.now)
		require.Len(t, a.logged, 1)
		require.Zero(t, a.status().logged)
		a.core.Logged(a.now, 5<<8, end)
		require.Equal(t, end, a.status().logged)

		// The next leader has not written it.
		a.asks(request{term: 6 << 8, seq: 1})
		require.Zero(t, a.status().logged)
		a.core.Logged(a.now, 5<<8, end)
		require.Zero(t, a.status().logged, "that was the leader before")
		a.writes(entry{term: 6 << 8, record: []byte("the leader's own")})
		a.core.Poll(a.now)
		require.Len(t, a.logged, 2)
		a.core.Logged(a.now, 6<<8, end)
		require.Equal(t, end, a.status().logged)
	})
	t.Run("one disk", func(t *testing.T) {
		a := newAlone(t, 0, 3, func(c *Config) { c.Durable, c.Stored = true, Stored{Full: true, Incarnation: 3} })
		a.lead()
		a.propose("x")
		a.core.Logged(a.now, a.core.promised, a.core.lead.tail)
		a.tick(20 * ms)
		require.Empty(t, a.given, "the leader alone has it on disk")
		a.peers[2].st.logged = a.core.lead.tail
		a.tick(20 * ms)
		require.Equal(t, []string{"x"}, a.records())
	})
}

// A server that starts.
func TestStart(t *testing.T) {
	t.Run("is announced to every majority", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.cut(2)
		a.tick(300 * ms)
		a.asks(request{term: 5 << 8, seq: 1})
		require.Zero(t, a.status().promised)
		a.connect(2)
		a.tick(300 * ms)
		require.Equal(t, Term(5<<8), a.status().promised)
	})
	t.Run("promises what others have", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.peers[0].st.promised, a.peers[2].st.promised = 9<<8|2, 3<<8
		a.tick(300 * ms)
		require.GreaterOrEqual(t, a.status().promised, Term(9<<8|2))
	})
	t.Run("does not ask those who have forgotten", func(t *testing.T) {
		a := newAlone(t, 1, 5, nil)
		a.peers[2].st.state = Recovering
		a.cut(4)
		a.tick(300 * ms)
		a.asks(request{term: 5 << 8, seq: 1})
		require.Zero(t, a.status().promised, "of three that it needs one knows nothing")
		a.peers[2].st.state = Full
		a.cut(2)
		a.peers[2].still = false
		a.connect(2)
		a.tick(300 * ms)
		require.Equal(t, Term(5<<8), a.status().promised)
	})
	t.Run("has a new incarnation", func(t *testing.T) {
		for _, lives := range [][2]uint64{{7, 3}, {3, 7}} {
			a := newAlone(t, 1, 3, nil)
			for i, id := range []ID{0, 2} {
				binary.LittleEndian.PutUint64(a.peers[id].vote[offAnnounce+8:], lives[i])
			}
			a.tick(300 * ms)
			require.Greater(t, a.status().incarnation, uint64(7))
		}
	})
	t.Run("reads whole promises", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		for _, p := range a.peers {
			p.st.promised, p.torn = 9<<8|2, 3
		}
		a.tick(300 * ms)
		require.GreaterOrEqual(t, a.status().promised, Term(9<<8|2))
	})
	t.Run("takes no torn status", func(t *testing.T) {
		a := newAlone(t, 0, 3, nil)
		a.tick(100 * ms)
		for _, p := range a.peers {
			p.torn, p.st.head = 1, 1<<40
		}
		before := a.core.Peers()
		a.core.Tick(a.now + 10*ms)
		a.step()
		a.step()
		for i, p := range a.core.Peers() {
			require.Equal(t, before[i].Head, p.Head)
		}
	})
}

// TestIdlePathGoesWithItsControlPath: a replication path that carries nothing does not find
// out that its peer has started again. It is connected anew when the control path has ended.
func TestIdlePathGoesWithItsControlPath(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.tick(20 * time.Millisecond)
	control, replication := Path{Peer: 2, Kind: Control}, Path{Peer: 2, Kind: Replication}
	require.True(t, a.up[replication])
	a.drop(control)
	a.core.Down(a.now, control)
	require.False(t, a.up[replication])
	require.True(t, a.up[Path{Peer: 0, Kind: Replication}], "another peer's")
}

// An incarnation that was on disk is over, whatever else is: no two lives of a server have one.
func TestNextIncarnation(t *testing.T) {
	for about, c := range map[string]struct {
		members int
		stored  Stored
		want    uint64
	}{
		"nothing on disk":                         {0, Stored{}, 1},
		"it was never full, and knows nobody":     {0, Stored{Incarnation: 4}, 5},
		"it was full, and knows nobody":           {0, Stored{Full: true, Incarnation: 4}, 5},
		"it was never full, and asks its peers":   {3, Stored{Incarnation: 4}, 5},
		"it was full, and goes on where it was":   {3, Stored{Full: true, Incarnation: 4}, 4},
		"its peers know of none, nor does a disk": {3, Stored{}, 1},
	} {
		a := newAlone(t, 1, c.members, func(conf *Config) { conf.Durable, conf.Stored = true, c.stored })
		a.announced()
		a.tick(20 * ms)
		a.announced()
		a.tick(200 * ms)
		require.Equal(t, c.want, a.core.incarnation, about)
	}
}

// A server whose disk knows of no membership has nothing that counts, whatever else is on it.
func TestUnjoined(t *testing.T) {
	stored := Stored{Full: true, Promised: 5<<8 | 1, Incarnation: 3}
	stored.Announced[2] = 7
	for _, members := range []int{0, 3} {
		a := newAlone(t, 0, members, func(c *Config) { c.Durable, c.Stored = true, stored })
		a.tick(5 * ms)
		st := a.status()
		require.Equal(t, stored.Promised, st.promised)
		require.EqualValues(t, 7, a.core.ownVector(2))
		if members == 0 {
			require.Equal(t, Recovering, st.state)
			require.EqualValues(t, 4, st.incarnation)
		} else {
			require.Equal(t, Full, st.state)
			require.EqualValues(t, 3, st.incarnation)
		}
	}
}
