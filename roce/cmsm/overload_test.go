package cmsm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// slow serves what comes to an agent one after the other, as a controller does with what its switch passes to it.
type slow struct {
	queue []Outgoing
	free  time.Duration // when the next one has its turn
}

// serve delivers what has its turn by now.
func (s *slow) serve(p *pair, each time.Duration) {
	for len(s.queue) > 0 && s.free <= p.now {
		p.deliver(s.queue[0])
		s.queue = s.queue[1:]
		s.free = max(s.free, p.now-each) + each
	}
}

// TestOverload is a generator of overload for connection management: many hosts connect at once to somebody who takes ten times
// as long for every message, for a second, so that answers come later than messages are repeated. What waits for him stays in
// bounds, and a second after the end all are connected.
func TestOverload(t *testing.T) {
	for _, conns := range []int{64, 256} { // half-open groups of a host, and of a port
		const (
			service = 300 * time.Microsecond
			second  = time.Second
			step    = 100 * time.Microsecond
		)
		p := &pair{t: t, a: NewAgent(Config{Seed: 1000}), b: NewAgent(Config{Seed: 2000})}
		var to slow
		var back []Outgoing
		accepted, up, most := 0, 0, 0
		for i := range conns {
			p.connect(uint32(100 + i))
		}
		for ; p.now < 2*second; p.tick(step) {
			each := service
			if p.now < second {
				each *= 10
			}
			for m, ok := p.a.PollMessage(); ok; m, ok = p.a.PollMessage() {
				to.queue = append(to.queue, m)
			}
			most = max(most, len(to.queue))
			to.serve(p, each)
			for e, ok := p.b.PollEvent(); ok; e, ok = p.b.PollEvent() {
				switch e.Kind {
				case Requested:
					accepted++
					p.accept(e.Conn)
				case Established:
					up++
				default:
					t.Fatalf("%v", e.Kind)
				}
			}
			for m, ok := p.b.PollMessage(); ok; m, ok = p.b.PollMessage() {
				back = append(back, m)
			}
			for _, m := range back {
				p.deliver(m)
			}
			back = back[:0]
			for e, ok := p.a.PollEvent(); ok; e, ok = p.a.PollEvent() {
				require.Equal(t, Accepted, e.Kind)
				require.NoError(t, e.Conn.Confirm(p.now))
			}
		}
		t.Logf("%d connections: at most %d messages waited; %d and %d repeated, %d and %d answered again", conns, most,
			p.a.Counters().Retransmitted, p.b.Counters().Retransmitted, p.a.Counters().Repeated, p.b.Counters().Repeated)
		require.Equal(t, conns, accepted, "each is asked for once")
		require.Equal(t, conns, up, "a second after the end")
		require.Zero(t, len(to.queue), "nothing waits")
		require.LessOrEqual(t, most, 3*conns)
		require.Equal(t, conns > 100, p.a.Counters().Retransmitted > 0, "it is an overload")
	}
}
