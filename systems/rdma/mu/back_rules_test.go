package mu

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// onDisk makes a core that has its memory on disk, among peers that say that they have there what was announced to them.
func onDisk(t *testing.T, id ID, members int) *alone {
	a := newAlone(t, id, members, func(c *Config) { c.Durable, c.Stored, c.Life = true, Stored{Full: true, Incarnation: 3}, 11 })
	a.stored = a.cfg.Stored
	return a
}

// announced has the peers say so.
func (a *alone) announced() {
	for _, p := range a.peers {
		var v [MaxID + 1]uint64
		for i := range v {
			v[i] = binary.LittleEndian.Uint64(p.vote[offAnnounce+8*i:])
		}
		p.st.announced = announcements(&v)
	}
}

// count is how many events begin like this.
func (a *alone) count(prefix string) (n int) {
	for _, e := range a.events {
		if strings.HasPrefix(e, prefix) {
			n++
		}
	}
	return n
}

// Who says less than before, in one incarnation, has a disk that went back in time.
func TestWentBack(t *testing.T) {
	const was = "server 2 has gone back in time"
	for _, c := range []struct {
		about         string
		before, after status
		accused       bool
		announced     uint64
	}{
		{"the same", status{promised: 4 << 8, kept: 100}, status{promised: 4 << 8, kept: 100}, false, 0},
		{"more", status{promised: 4 << 8, kept: 100}, status{promised: 4<<8 | 1, kept: 101}, false, 0},
		{"a lower promise", status{promised: 4 << 8, kept: 100}, status{promised: 4<<8 - 1, kept: 100}, true, 7},
		{"fewer entries", status{promised: 4 << 8, kept: 100}, status{promised: 4 << 8, kept: 99}, true, 7},
		{"an earlier incarnation", status{promised: 4 << 8, kept: 100, incarnation: 9}, status{promised: 4 << 8, kept: 100}, true, 10},
		{"another incarnation", status{promised: 4 << 8, kept: 100}, status{promised: 3 << 8, kept: 1, incarnation: 7}, false, 0},
		{"a member that is none yet", status{promised: 4 << 8, kept: 100}, status{promised: 3 << 8, kept: 1, state: Recovering}, false, 0},
	} {
		t.Run(c.about, func(t *testing.T) {
			a := onDisk(t, 1, 3)
			says := func(s status) {
				st := &a.peers[2].st
				st.promised, st.kept, st.incarnation, st.state, st.life = s.promised, s.kept, max(s.incarnation, 6), max(s.state, Recovering), 5
				if s.state == 0 {
					st.state = Full
				}
			}
			says(c.before)
			a.tick(20 * ms)
			require.Zero(t, a.count(was))
			require.EqualValues(t, 5, a.core.peer(2).life)
			says(c.after)
			a.tick(20 * ms)
			p := a.core.peer(2)
			if !c.accused {
				require.Zero(t, a.count(was))
				require.Equal(t, a.peers[2].st.promised, p.st.promised)
				require.EqualValues(t, 5, p.life)
				return
			}
			require.Equal(t, 1, a.count(was), "once")
			require.Equal(t, c.before.promised, p.st.promised, "what it says is not believed")
			require.Equal(t, c.announced, a.core.ownVector(2), "where it and others read it")
			require.Equal(t, c.announced, a.stored.Announced[2])
			require.Zero(t, p.life, "nor is it granted anything")

			// It sees that, and goes on in another incarnation.
			says(status{promised: 4 << 8, kept: 1, incarnation: c.announced + 1})
			a.tick(20 * ms)
			require.Equal(t, 1, a.count(was))
			require.Equal(t, c.announced+1, p.st.incarnation)
		})
	}
	t.Run("and does not write that away", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		says := func(kept uint64) {
			a.peers[2].st.promised, a.peers[2].st.kept, a.peers[2].st.incarnation = 4<<8, kept, 6
			a.tick(20 * ms)
		}
		says(100)
		says(99)
		slot := a.vote[offAnnounce+8*2:]
		require.EqualValues(t, 7, binary.LittleEndian.Uint64(slot))
		// It has not read that yet, has a new path, announces itself by it, and gets on.
		binary.LittleEndian.PutUint64(slot, 6)
		require.EqualValues(t, 7, a.core.ownVector(2))
		a.core.Poll(a.now)
		require.EqualValues(t, 7, binary.LittleEndian.Uint64(slot))
		says(101)
		require.EqualValues(t, 7, binary.LittleEndian.Uint64(slot))
		binary.LittleEndian.PutUint64(slot, 9)
		a.core.Poll(a.now)
		require.EqualValues(t, 9, binary.LittleEndian.Uint64(slot), "that is a new life's")
		require.EqualValues(t, 9, a.stored.Announced[2])
	})
	t.Run("it does not count for its leader", func(t *testing.T) {
		a := onDisk(t, 0, 3)
		a.lead()
		a.announced()
		a.peers[2].st.kept = 10
		a.tick(20 * ms)
		require.True(t, a.core.peer(2).live)
		a.peers[2].st.kept = 9
		a.peers[2].refuses = true
		a.tick(6 * ms)
		require.False(t, a.core.peer(2).live)
		require.Equal(t, Leader, a.core.role)
	})
	t.Run("but servers without disks forget", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.peers[2].st.promised, a.peers[2].st.kept = 4<<8, 9
		a.tick(20 * ms)
		a.peers[2].st.promised, a.peers[2].st.kept = 0, 0
		a.tick(20 * ms)
		require.Zero(t, a.count(was))
		require.Zero(t, a.core.peer(2).st.promised)
	})
}

// Who hears that its incarnation is over has forgotten.
func TestGoneBackItself(t *testing.T) {
	tell := func(a *alone, v uint64) {
		for _, p := range a.peers {
			binary.LittleEndian.PutUint64(p.vote[offAnnounce+8*int(a.cfg.ID):], v)
		}
		a.announced()
	}
	check := func(t *testing.T, a *alone) {
		promised := a.status().promised
		n := len(a.permitted)
		tell(a, 3)
		a.tick(6 * ms)
		require.Equal(t, Full, a.status().state, "that is its own")
		tell(a, 4)
		for range 10 {
			a.now += ms
			for _, p := range a.peers {
				p.st.heartbeat++
			}
			if a.core.Tick(a.now); a.step() && a.core.state == Recovering {
				break
			}
		}
		require.Equal(t, Recovering, a.core.state)
		st := a.status()
		require.Equal(t, Recovering, st.state, "others read that")
		require.Zero(t, st.incarnation)
		require.Zero(t, st.seq)
		require.GreaterOrEqual(t, st.promised, promised)
		require.False(t, a.stored.Full)
		require.False(t, a.core.recovered())
		require.Equal(t, Follower, a.core.role)
		require.Zero(t, a.core.leaderLife)
		require.Greater(t, len(a.permitted), n)
		last := a.permitted[len(a.permitted)-1]
		require.True(t, last.None, "nobody writes its log")
		require.Equal(t, a.core.promised, last.Term)
		a.announced()
		a.tick(20 * ms)
		a.announced()
		a.tick(50 * ms)
		require.EqualValues(t, 5, a.core.incarnation, "it is announced anew")
		require.True(t, a.core.recovered())
		require.Equal(t, 1, a.count("has gone back in time"))
	}
	t.Run("a follower", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		a.announced()
		a.follow()
		check(t, a)
	})
	t.Run("a leader", func(t *testing.T) {
		a := onDisk(t, 0, 3)
		a.announced()
		a.lead()
		check(t, a)
	})
	t.Run("a candidate", func(t *testing.T) {
		a := onDisk(t, 0, 3)
		a.announced()
		for _, p := range a.peers {
			p.refuses = true
		}
		a.tick(20 * ms) // it has announced itself
		a.announced()
		a.tick(20 * ms)
		require.Equal(t, Candidate, a.core.role)
		tell(a, 4)
		term := a.core.promised
		a.tick(10 * ms)
		require.Equal(t, 1, a.count("abandons term "+term.String()+": this server has forgotten"), "%q", a.events)
		require.Equal(t, 1, a.count("has gone back in time"))
	})
	t.Run("before it announces itself over that", func(t *testing.T) {
		a := onDisk(t, 1, 3)
		tell(a, 9)
		for _, p := range a.peers {
			p.torn = 1000 // their status is never read
		}
		a.tick(20 * ms)
		require.Equal(t, Recovering, a.core.state)
		for _, p := range a.peers {
			require.GreaterOrEqual(t, binary.LittleEndian.Uint64(p.vote[offAnnounce+8*1:]), uint64(9))
			p.torn = 0
		}
		a.announced()
		a.tick(50 * ms)
		require.EqualValues(t, 10, a.core.incarnation)
	})
	t.Run("whoever else knows of it", func(t *testing.T) {
		a := onDisk(t, 1, 5)
		a.tick(20 * ms)
		a.announced()
		a.tick(20 * ms)
		binary.LittleEndian.PutUint64(a.peers[4].vote[offAnnounce+8*1:], 9)
		for a.core.state == Full {
			a.tick(ms)
			require.Less(t, a.now, 1000*ms)
		}
		a.peers[4].stuck = true // the others know of 3
		a.announced()
		a.tick(20 * ms)
		require.EqualValues(t, 10, a.core.incarnation)
	})
	t.Run("but not without a disk", func(t *testing.T) {
		a := newAlone(t, 1, 3, nil)
		a.follow()
		tell(a, a.core.incarnation+1)
		a.tick(20 * ms)
		require.Equal(t, Full, a.status().state)
	})
}
