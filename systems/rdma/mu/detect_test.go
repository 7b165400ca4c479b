package mu

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (a *alone) alarms() (n int) {
	for _, e := range a.events {
		if strings.HasSuffix(e, "is dead") {
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
