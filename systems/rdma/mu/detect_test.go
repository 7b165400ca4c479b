package mu

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (a *alone) alarms() (n int) {
	for _, e := range a.events {
		if strings.Contains(e, " is dead: ") {
			n++
		}
	}
	return n
}

// late lets time pass in which no answer of a server is taken, and then takes them.
func (a *alone) late(id ID, d time.Duration) {
	a.peers[id].stuck = true
	a.tick(d)
	a.peers[id].stuck = false
	a.tick(5 * time.Millisecond)
}

// A server that comes to taking answers late raises no alarm; one that gets none does, when
// it would have if it had got them.
func TestLateAnswersAreNoAlarm(t *testing.T) {
	a := newAlone(t, 1, 3, nil)
	a.tick(200 * time.Millisecond)
	require.True(t, a.core.peer(0).alive)
	for range 20 {
		a.late(0, 30*time.Millisecond)
	}
	require.Zero(t, a.alarms(), "%q", a.events)
	require.Equal(t, scoreMax, a.core.peer(0).score)
	require.Zero(t, a.core.peer(0).longest, "it has not stood still")

	died := func(stop func(p *memoryPeer)) time.Duration {
		a := newAlone(t, 1, 3, nil)
		a.tick(200 * time.Millisecond)
		from := a.now
		stop(a.peers[0])
		for a.core.peer(0).alive && a.now < from+time.Second {
			a.tick(time.Millisecond)
		}
		return a.now - from
	}
	still := died(func(p *memoryPeer) { p.still = true })
	silent := died(func(p *memoryPeer) { p.stuck = true })
	require.LessOrEqual(t, still, 80*time.Millisecond)
	require.LessOrEqual(t, silent, still+5*time.Millisecond)
}

// A server that works lives, also when nobody comes to telling its core the time.
func TestWorkRaisesHeartbeat(t *testing.T) {
	for name, work := range map[string]func(a *alone){
		"remote writes": func(a *alone) { a.core.Poll(a.now) },
		"completions": func(a *alone) {
			a.core.readStatus(a.core.peer(1))
			require.NotEmpty(a, a.ops)
			a.run()
		},
		"proposals": func(a *alone) { a.core.Flush(a.now) },
		"barriers":  func(a *alone) { require.NoError(a, a.core.Barrier(a.now, 1)) },
		"applied":   func(a *alone) { a.core.Applied(a.now, 0, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAlone(t, 0, 3, nil)
			a.lead()
			a.run()
			was := a.status().heartbeat
			for range 10 {
				a.now += 5 * time.Millisecond
				work(a)
			}
			require.Equal(t, was+10, a.status().heartbeat)
		})
	}
}

// TestPatience: a peer that stands still now and then, ever longer, is not taken for dead; how long it is waited for
// follows what it does, and no more than that.
func TestPatience(t *testing.T) {
	died := func(a *alone) time.Duration {
		from := a.now
		a.peers[0].still = true
		for a.core.peer(0).alive && a.now < from+10*time.Second {
			a.tick(time.Millisecond)
		}
		a.peers[0].still = false
		return a.now - from
	}
	stands := func(a *alone, d time.Duration) {
		a.peers[0].still = true
		a.tick(d)
		a.peers[0].still = false
		a.tick(100 * time.Millisecond)
	}
	fresh := func(patience int) *alone {
		a := newAlone(t, 1, 3, func(c *Config) { c.Patience = patience })
		a.tick(200 * time.Millisecond)
		return a
	}
	require.InDelta(t, 70*ms, died(fresh(MinPatience)), float64(10*ms))
	require.InDelta(t, 200*ms, died(fresh(0)), float64(10*ms), "the default")

	a := fresh(MinPatience)
	for d := 40 * ms; d < 400*ms; d += d / 2 {
		stands(a, d)
		require.Zero(t, a.alarms(), "after %v", d)
	}
	long := died(a)
	require.Greater(t, long, 800*ms)
	require.LessOrEqual(t, long, time.Duration(maxPatience+2)*5*ms)

	a = fresh(MinPatience)
	for range 50 {
		stands(a, 40*ms)
	}
	often := died(a)
	require.Greater(t, often, 90*ms)
	require.Less(t, often, 200*ms, "four times the longest, however often")

	a = fresh(MinPatience)
	a.now += 60 * ms // this server is late itself
	a.tick(200 * ms)
	late := died(a)
	require.Greater(t, late, 250*ms)
	require.Less(t, late, 350*ms)

	a = fresh(MinPatience)
	a.now += 60 * ms
	stands(a, 60*ms)
	a.tick(5 * time.Minute)
	require.InDelta(t, 70*ms, died(a), float64(10*ms), "long ago")
}

// TestResigns: a server that says that it cannot lead is not waited for, however patient the others are.
func TestResigns(t *testing.T) {
	a := newAlone(t, 1, 3, func(c *Config) { c.Patience = 1000 })
	a.tick(200 * ms)
	require.True(t, a.core.peer(0).alive)
	a.peers[0].st.resigns = true
	a.tick(15 * ms)
	require.False(t, a.core.peer(0).alive)

	a = newAlone(t, 0, 3, nil)
	a.lead()
	a.run()
	require.False(t, a.status().resigns)
	a.core.DiskStalled(a.now)
	require.True(t, a.status().resigns)
	a.tick(time.Second)
	require.False(t, a.status().resigns)
}

// TestLookIsShort: a look at a server asks for no more than its kernel answers (host/roce/kernel), unless ids are high.
func TestLookIsShort(t *testing.T) {
	for id, want := range map[ID]int{2: statusLen + 3*8, 7: 192, 8: 200, MaxID: offRequest} {
		a := newAlone(t, 1, 2, func(c *Config) { c.Members = append(c.Members, Member{ID: id}) })
		a.tick(50 * ms)
		a.ops = nil
		p := a.core.peer(0)
		p.read = readIdle
		a.core.readStatus(p)
		require.Len(t, a.ops, 1)
		require.Len(t, a.ops[0].Op.Data, want, "highest id: %d", id)
	}
}
