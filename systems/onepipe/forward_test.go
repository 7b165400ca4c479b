package onepipe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// apart is a pair of hosts that do not reach each other, with a controller that forwards what may says.
func apart(t *testing.T, c Config, may func(from int, p *packet) bool) *pair {
	c.Interval, c.Retry, c.Doubt = 10*time.Microsecond, 100*time.Microsecond, time.Millisecond
	p := newPair(t, c)
	p.lose = func(int, *packet) bool { return true }
	for _, e := range p.ends {
		e.joinAt-- // there is a controller
	}
	p.controller = func(from int, m private.Message) {
		to := p.ends[1-from]
		switch m.Kind {
		case private.Ask:
			require.Equal(t, to.c.Addr, m.Failed[0].Addr)
			x := m.Failed[0]
			x.Time = uint64(10 * time.Millisecond)
			p.ends[from].joined(&private.Message{Kind: private.Offer, Failed: []private.Failed{x}})
		case private.Forward:
			require.Equal(t, to.c.Addr, m.Peer)
			var q packet
			require.NoError(t, q.parseHeader(m.Packet, p.ends[from].c.Addr, m.Peer))
			require.Zero(t, q.barrier|q.commit, "it is on no link")
			require.False(t, q.op == Data && q.count > 0, "a best-effort message")
			if may == nil || may(from, &q) {
				to.now = p.now
				to.joined(&private.Message{Kind: private.Forward, Peer: p.ends[from].c.Addr, Packet: slices.Clone(m.Packet)})
			}
		}
	}
	return p
}

// Hosts that do not reach each other exchange reliable messages by way of the controller: each once, in order, of any length, and with the
// timestamp that it has on the wire. Those of best effort are lost, and their senders are told; they wait for nobody.
func TestForward(t *testing.T) {
	for _, pack := range []bool{false, true} {
		times := map[uint64]bool{}
		p := apart(t, Config{Window: 8, Fragment: 4, Pack: pack}, func(_ int, q *packet) bool {
			if q.op == Reliable && q.count > 0 {
				times[q.time] = true
			}
			return true
		})
		var want, got [2][]string
		receive := func() {
			for at := range p.ends {
				got[at] = append(got[at], p.received(at, true)...)
				require.Empty(t, p.received(at, false))
			}
		}
		for i := range 20 {
			for from := range p.ends {
				text := fmt.Sprint(from, i, strings.Repeat("x", i%12))
				p.send(from, true, text)
				p.send(from, false, text)
				want[1-from] = append(want[1-from], text)
			}
			p.run(300 * time.Microsecond)
			receive()
		}
		for range 60 {
			p.run(5 * time.Millisecond)
			receive()
		}
		for at := range p.ends {
			require.Equal(t, want[at], got[at])
			lost := 0
			for f, ok := p.proc[at].Failed(); ok; f, ok = p.proc[at].Failed() {
				require.False(t, f.Reliable)
				lost++
			}
			require.Equal(t, 20, lost)
			e := p.ends[at]
			require.Zero(t, e.queued, "nobody waits for room")
			require.Zero(t, e.Counters.Violations)
			require.Positive(t, e.Counters.HandedOver)
			require.Positive(t, e.Counters.Forwarded)
		}
		onWire := map[uint64]bool{}
		for _, q := range p.seen {
			if q.op == Reliable && q.count > 0 {
				onWire[q.time] = true
			}
		}
		require.Equal(t, onWire, times)

		// The wire has mended: what goes by it is not handed over.
		p.lose = nil
		p.send(0, true, "by the wire")
		p.run(3 * time.Millisecond)
		before := p.ends[0].Counters.HandedOver
		p.send(0, true, "too")
		p.run(3 * time.Millisecond)
		require.Equal(t, []string{"by the wire", "too"}, p.received(1, true))
		require.Equal(t, before, p.ends[0].Counters.HandedOver)
	}
}

// What was handed over is not received: the commit barrier waits until the receiver has answered.
func TestForwardIsNoAck(t *testing.T) {
	var blocked Opcode
	p := apart(t, Config{}, func(_ int, q *packet) bool { return q.op != blocked })
	for _, blocked = range []Opcode{Reliable, Ack} {
		p.send(0, true, "a")
		p.run(5 * time.Millisecond)
		require.EqualValues(t, 1, p.ends[0].unresolved.n)
		at := (*p.ends[0].unresolved.front()).time
		require.LessOrEqual(t, p.ends[0].commit(), at)
		require.Empty(t, p.received(1, true))
		blocked = Beacon
		p.run(20 * time.Millisecond)
		require.Greater(t, p.ends[0].commit(), at)
		require.Equal(t, []string{"a"}, p.received(1, true))
	}
}

// A scattering with a receiver that refuses it is taken back from one that does not answer on the wire, by way of the controller. The commit
// barrier waits until that one has said that it has forgotten it.
func TestForwardRecall(t *testing.T) {
	blocked := false
	p := apart(t, Config{}, func(_ int, q *packet) bool { return !(blocked && q.op == Recalled) })
	e, gone := p.ends[0], Process{wire.Addr{10, 0, 0, 9}, 3}
	controller := p.controller
	p.controller = func(from int, m private.Message) {
		if m.Kind == private.Ask && m.Failed[0].Addr == gone.Addr {
			return
		}
		controller(from, m)
	}
	require.NoError(t, p.proc[0].Send(p.now, true, Part{To: gone, Data: []byte("a")}, Part{To: p.proc[1].Process(), Data: []byte("a")}))
	p.run(5 * time.Millisecond)
	blocked = true
	failedAt(e, 5, gone, uint64(p.now))
	e.ProcessFailed()
	p.run(10 * time.Millisecond)
	require.Positive(t, p.ends[1].Counters.Discarded, "it has forgotten it")
	_, ok := e.answered()
	require.False(t, ok, "and the sender does not know that")
	require.EqualValues(t, 1, e.unresolved.n)
	blocked = false
	p.run(20 * time.Millisecond)
	require.True(t, e.settled())
	e.commit()
	require.Zero(t, e.unresolved.n)
	require.Empty(t, p.received(1, true))
}

// The controller is asked again as long as the wire is silent, and is told for how long nothing has come by it, either.
func TestForwardIsAskedFor(t *testing.T) {
	silent := false
	p := apart(t, Config{}, func(int, *packet) bool { return !silent })
	asked, mute := 0, uint64(0)
	controller := p.controller
	p.controller = func(from int, m private.Message) {
		if m.Kind == private.Ask {
			asked, mute = asked+1, m.Failed[0].Time
		}
		controller(from, m)
	}
	for i := range 200 {
		p.send(0, true, "a")
		p.run(time.Millisecond / 4)
		if i > 10 {
			require.Len(t, p.received(1, true), 1, "it does not wait for a time-out, or for an offer")
			require.NotZero(t, p.ends[0].sender.conns[connKey{p.proc[0].Process(), p.proc[1].Process(), 1}].silent, "the wire is")
		}
		if i == 10 {
			p.received(1, true)
		}
		require.Less(t, mute, uint64(2*time.Millisecond))
	}
	require.Greater(t, asked, 10)
	silent = true
	p.send(0, true, "a")
	p.run(20 * time.Millisecond)
	require.Greater(t, mute, uint64(15*time.Millisecond))
}

// Window updates that come by the wire do not show that the other direction works.
func TestForwardOneWay(t *testing.T) {
	p := apart(t, Config{Window: 4}, nil)
	p.lose = func(from int, _ *packet) bool { return from == 0 }
	sent := 0
	for sent < 40 {
		if p.ends[0].queued < 4 {
			p.send(0, true, fmt.Sprint(sent))
			sent++
		}
		p.run(100 * time.Microsecond)
		if sent > 10 {
			require.NotZero(t, p.ends[0].sender.conns[connKey{p.proc[0].Process(), p.proc[1].Process(), 1}].silent, "after %d", sent)
		}
		p.received(1, true)
	}
	for range 20 {
		p.run(2 * time.Millisecond)
		p.received(1, true)
	}
	require.EqualValues(t, 40, p.ends[1].Counters.Delivered)
}

// What is malformed is counted, and an offer ends.
func TestForwardDrops(t *testing.T) {
	p := apart(t, Config{}, nil)
	e := p.ends[1]
	e.now = p.now
	good := packet{from: p.proc[0].Process(), to: p.proc[1].Process(), op: Reliable, time: uint64(p.now) & timeMask, count: 1, data: []byte("a")}
	good.barrier = uint32(uint64(p.now+time.Second) >> Shift)
	good.commit = good.barrier
	forward := func(q packet, change func(b []byte) []byte) {
		b := q.appendHeader(nil)
		if change != nil {
			b = change(b)
		}
		e.joined(&private.Message{Kind: private.Forward, Peer: q.from.Addr, Packet: b})
	}
	for bit := range 8 * len(good.appendHeader(nil)) {
		forward(good, func(b []byte) []byte { b[bit/8] ^= 1 << (bit % 8); return b })
	}
	forward(good, func(b []byte) []byte { return b[:len(b)-1] })
	require.Zero(t, e.Counters.Forwarded)
	require.Positive(t, e.Counters.Checksums)
	forward(packet{from: good.from, op: Beacon}, nil)
	forward(packet{from: good.from, to: good.to, op: 9}, nil)
	more := good
	more.flags |= flagMore
	more.rest = appendMessage(nil, &packet{from: Process{good.from.Addr, 77}, to: good.to, data: []byte("b")}, 0)
	forward(more, nil) // the controller has looked at the sender of the first message only
	require.EqualValues(t, 3, e.Counters.Malformed)
	wrong := good
	wrong.from.Addr[3] = 77 // the controller says that it is somebody else's
	forward(wrong, func([]byte) []byte { return good.appendHeader(nil) })
	require.Zero(t, e.Counters.Forwarded)
	forward(good, nil)
	require.EqualValues(t, 1, e.Counters.Forwarded)
	require.Zero(t, e.receiver.below, "what is forwarded comes by no link")

	offer := func(last byte, lasts time.Duration) {
		e.joined(&private.Message{Kind: private.Offer, Failed: []private.Failed{{Addr: wire.Addr{10, 0, 0, last}, Time: uint64(lasts)}}})
	}
	offer(1, time.Hour)
	require.Equal(t, e.now+maxOffer, e.offers[wire.Addr{10, 0, 0, 1}])
	offer(2, time.Second)
	e.now += 2 * time.Second
	offer(3, time.Second)
	require.Len(t, e.offers, 2)
}

// What a receiver refuses is refused by way of the controller.
func TestForwardRefused(t *testing.T) {
	p := apart(t, Config{}, nil)
	p.proc[1].Close()
	p.send(0, true, "a")
	p.run(20 * time.Millisecond)
	f, ok := p.proc[0].Failed()
	require.True(t, ok)
	require.Equal(t, "a", string(f.Data))
	require.Zero(t, p.ends[0].doubts.n)
}

// What is owed by the wire is acknowledged there, and not with what was forwarded.
func TestForwardOwed(t *testing.T) {
	p := apart(t, Config{Pack: true}, nil)
	e := p.ends[1]
	e.now = p.now
	q := packet{from: p.proc[0].Process(), to: p.proc[1].Process(), op: Reliable, time: uint64(p.now), count: 1, data: []byte("a")}
	e.fragment(&q)
	q.psn, q.forwarded = 1, true
	e.fragment(&q)
	require.EqualValues(t, 2, e.control.n)
	require.Equal(t, []bool{false, true}, []bool{e.control.pop().forwarded, e.control.pop().forwarded})
}

// What is sent again goes both ways in turn: the controller may lose what the wire does not.
func TestForwardInTurn(t *testing.T) {
	p := apart(t, Config{}, func(_ int, q *packet) bool { return q.op == Ack })
	p.send(0, true, "a")
	p.run(5 * time.Millisecond)
	require.Positive(t, p.ends[0].Counters.HandedOver)
	require.Zero(t, p.ends[1].Counters.Forwarded)
	p.lose = func(from int, q *packet) bool { return false }
	p.run(20 * time.Millisecond)
	require.Equal(t, []string{"a"}, p.received(1, true))
}

// When the offer comes, what waits is handed over at once: time-outs may have grown beyond the time for which the offer lasts.
func TestForwardAtOnce(t *testing.T) {
	p := apart(t, Config{Window: 2}, nil)
	e, gone := p.ends[0], Process{wire.Addr{10, 0, 0, 9}, 3}
	p.controller = func(int, private.Message) {}
	offered := func() (list []Opcode) {
		e.offers = nil
		e.now = p.now
		e.joined(&private.Message{Kind: private.Offer, Failed: []private.Failed{{Addr: p.ends[1].c.Addr, Time: uint64(time.Second)}}})
		for range 4 {
			_, _, m, ok := private.ParseFrame(e.Next(p.now, nil))
			if ok && m.Kind == private.Forward {
				list = append(list, Opcode(m.Packet[14]>>4))
			}
		}
		return list
	}
	require.NoError(t, p.proc[0].Send(p.now, true, Part{To: p.proc[1].Process(), Data: []byte("a")}, Part{To: gone, Data: []byte("a")}))
	p.run(5 * time.Millisecond)
	require.Equal(t, []Opcode{Reliable}, offered())
	e.offers = nil
	failedAt(e, 5, gone, uint64(p.now))
	e.ProcessFailed()
	p.run(5 * time.Millisecond)
	require.Equal(t, []Opcode{Recall}, offered())
	for range 3 {
		p.send(0, false, "more than the window has room for")
		p.run(5 * time.Millisecond)
	}
	require.Equal(t, []Opcode{Data, Recall}, offered())
}
