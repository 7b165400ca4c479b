package onepipe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// In the order of both services, what is best effort waits until no reliable message with a lower timestamp comes any more:
// the commit barrier has passed it. Each service by itself does not wait.
func TestReceiveOrdered(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	lost := 0
	p.lose = func(_ int, q *packet) bool {
		if q.op == Reliable && lost < 3 {
			lost++
			return true
		}
		return false
	}
	ordered := func() (list []string) {
		for m, reliable, ok := p.proc[1].ReceiveOrdered(); ok; m, reliable, ok = p.proc[1].ReceiveOrdered() {
			require.Equal(t, reliable, string(m.Data) == "a" || string(m.Data) == "c")
			list = append(list, string(m.Data))
		}
		return list
	}
	p.run(50 * time.Microsecond)
	p.send(0, true, "a")
	p.send(0, false, "b")
	p.run(100 * time.Microsecond)
	require.Equal(t, 1, p.proc[1].ready[0].n, "it is below the best-effort barrier")
	require.Empty(t, ordered(), "a message with a lower timestamp is not there yet")
	p.send(0, true, "c")
	p.send(0, false, "d")
	p.run(20 * time.Millisecond)
	require.Positive(t, p.ends[0].Counters.Resent)
	require.Equal(t, []string{"a", "b", "c", "d"}, ordered())
}

// A reliable message waits for best-effort ones that may come in front of it, whatever commit barrier comes.
func TestReceiveOrderedReliable(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	p.run(50 * time.Microsecond)
	p.send(0, true, "a")
	f := p.ends[0].Next(p.now, nil)
	p.ends[1].Receive(p.now, f)
	var q packet
	require.NoError(t, q.parse(f))
	deliver := func(barrier, commit uint32) bool {
		b := packet{to: Process{Addr: beaconAddr}, op: Beacon, barrier: barrier, commit: commit}
		p.ends[1].Receive(p.now, b.append(nil, wire.MAC{2}, beaconMAC, wire.NotECT))
		_, reliable, ok := p.proc[1].ReceiveOrdered()
		require.Equal(t, ok, reliable)
		return ok
	}
	at := uint32(q.time>>Shift) + 1
	require.False(t, deliver(at-1, at))
	require.Equal(t, 1, p.proc[1].ready[1].n)
	require.True(t, deliver(at, at))
}
