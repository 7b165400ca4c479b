package onepipe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
)

// sent takes apart what an endpoint sends in 20 us, a packet in each, beacons left out.
func sent(t *testing.T, e *Endpoint, now time.Duration) (list []packet) {
	for range 20 {
		if f := e.Next(now, nil); len(f) > 0 {
			var q packet
			require.NoError(t, q.parse(slices.Clone(f)))
			if q.op != Beacon {
				list = append(list, q)
			}
		}
		now += time.Microsecond
	}
	return list
}

// messages are those of packets: "sender>receiver PSN data", in their order, with their times.
func messages(t *testing.T, list []packet) (names []string, times []uint64) {
	for _, q := range list {
		first, rest := q.time, q.rest
		for {
			names = append(names, fmt.Sprintf("%d>%v PSN %d %.9s", q.from.Number, q.to, q.psn, q.data))
			times = append(times, q.time)
			if len(rest) == 0 {
				break
			}
			rest = q.another(first, rest)
		}
	}
	return names, times
}

// Short scatterings that are ready together leave as one train: what they have for a host shares packets. They keep their
// order and their times, and no barrier on the way passes the first of them.
func TestTrain(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		t.Run(fmt.Sprint("reliable ", reliable), func(t *testing.T) {
			p := newPair(t, Config{Pack: true, Fragment: 100, Interval: 10 * time.Microsecond})
			p.run(50 * time.Microsecond)
			e := p.ends[0]
			a := p.proc[0]
			b, err := e.Open(7)
			require.NoError(t, err)
			x, y := Process{wire.Addr{10, 0, 0, 2}, 2}, Process{wire.Addr{10, 0, 0, 3}, 3}
			send := func(from *LocalProcess, data string) {
				require.NoError(t, from.Send(p.now, reliable, Part{x, []byte(data)}, Part{y, []byte(data)}))
			}
			send(a, "1")
			send(b, "2")
			send(a, "3")
			send(b, strings.Repeat("4", 90)) // has no room beside the others
			send(a, "5")
			begin := uint64(p.now)
			f := e.Next(p.now, nil)
			var first packet
			require.NoError(t, first.parse(f))
			// Something else leaves between the packets of the train.
			e.control.push(packet{from: a.Process(), to: x, op: Recalled, count: 1})
			p.now += 10 * time.Microsecond
			list := append([]packet{first}, sent(t, e, p.now)...)
			require.Equal(t, Recalled, list[1].op)
			names, times := messages(t, slices.Concat(list[:1], list[2:]))
			require.Equal(t, []string{
				"1>10.0.0.2/2 PSN 0 1", "7>10.0.0.2/2 PSN 0 2", "1>10.0.0.2/2 PSN 1 3",
				"1>10.0.0.3/3 PSN 0 1", "7>10.0.0.3/3 PSN 0 2", "1>10.0.0.3/3 PSN 1 3",
				"7>10.0.0.2/2 PSN 1 444444444", "7>10.0.0.3/3 PSN 1 444444444",
				"1>10.0.0.2/2 PSN 2 5", "1>10.0.0.3/3 PSN 2 5",
			}, names, "behind what has no room, nothing overtakes")
			at := func(of ...uint64) (list []uint64) {
				for _, n := range of {
					list = append(list, times[0]+n)
				}
				return list
			}
			require.Equal(t, at(0, 1, 2, 0, 1, 2, 3, 3, 4, 4), times, "each scattering has one time, above that of those before it")
			require.GreaterOrEqual(t, times[0], begin)
			for _, q := range list {
				require.LessOrEqual(t, extendBarrier(q.barrier, begin), times[0], "the first one's others may still come")
			}
			require.Nil(t, e.train.first())
			p.now += 20 * time.Microsecond
			var after packet
			require.NoError(t, after.parse(e.Next(p.now, nil)))
			require.Greater(t, extendBarrier(after.barrier, begin), times[len(times)-1])
		})
	}
}

// A train is of one service, and no long scattering is part of it.
func TestTrainEnds(t *testing.T) {
	p := newPair(t, Config{Pack: true, Fragment: 100, Interval: 10 * time.Microsecond})
	p.run(50 * time.Microsecond)
	e := p.ends[0]
	long := strings.Repeat("long", 40)
	for n, s := range []struct {
		reliable bool
		data     string
	}{{false, "1"}, {true, "2"}, {true, "3"}, {false, "4"}, {false, long}, {false, "6"}} {
		require.NoError(t, p.proc[0].Send(p.now, s.reliable, Part{Process{wire.Addr{10, 0, 0, 2}, uint16(n)}, []byte(s.data)}))
	}
	var got []string
	for _, q := range sent(t, e, p.now) {
		names, _ := messages(t, []packet{q})
		got = append(got, fmt.Sprintf("%v %d %d", q.op, len(names), q.count))
	}
	require.Equal(t, []string{"data 1 1", "reliable 2 1", "data 1 1", "data 1 2", "data 1 2", "data 1 1"}, got)
}

// What arrives in a train is delivered in the order of its times, each message once, from the process that has sent it.
func TestTrainArrives(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		p := newPair(t, Config{Pack: true, Interval: 10 * time.Microsecond})
		p.run(50 * time.Microsecond)
		b, err := p.ends[0].Open(7)
		require.NoError(t, err)
		var want []Message
		for n := range 20 {
			from := []*LocalProcess{p.proc[0], b}[n%2]
			require.NoError(t, from.Send(p.now, reliable, Part{p.proc[1].Process(), fmt.Append(nil, n)}))
			want = append(want, Message{From: from.Process(), Data: fmt.Append(nil, n)})
		}
		p.run(100 * time.Microsecond)
		n := 0
		for _, q := range p.seen {
			if q.op != Ack {
				n++
			}
		}
		require.Equal(t, 1, n, "they share a packet")
		var last uint64
		for _, w := range want {
			m, ok := p.proc[1].Receive(reliable)
			require.True(t, ok)
			require.Greater(t, m.Time, last)
			last, m.Time = m.Time, 0
			require.Equal(t, w, m)
		}
		for _, c := range p.ends[0].sender.conns {
			require.Zero(t, c.flying(), "all are acknowledged")
		}
	}
}

// Hosts that send a beacon at different moments, because their threads were late, say the same: a switch has one beacon to send
// for all of them.
func TestLateBeacons(t *testing.T) {
	p := newPair(t, Config{Interval: 100 * time.Microsecond})
	at := time.Hour + 300*time.Microsecond
	for n, late := range []time.Duration{5 * time.Microsecond, 70 * time.Microsecond} {
		f := p.ends[n].Next(at+late, nil)
		var q packet
		require.NoError(t, q.parse(f))
		require.Equal(t, Beacon, q.op)
		require.Equal(t, uint64(at)>>Shift<<Shift, extendBarrier(q.barrier, uint64(at)))
	}
}

// A host that has sent or received a message knows that somebody waits for its barrier. One beacon is enough, and says as much as
// those of other hosts.
func TestWaitedFor(t *testing.T) {
	p := newPair(t, Config{Interval: 100 * time.Microsecond})
	p.run(250 * time.Microsecond)
	for _, e := range p.ends {
		require.False(t, e.waitedFor(p.now))
	}
	p.send(0, false, "a")
	time := p.ends[0].Time(p.now)
	f := p.ends[0].Next(p.now, nil)
	require.False(t, p.ends[0].waitedFor(p.now), "nothing is above it yet")
	p.now += 10_000
	p.carry(0, f)
	for i, e := range p.ends {
		for f := e.Next(p.now, nil); len(f) > 0; f = e.Next(p.now, nil) {
			p.carry(i, f)
		}
		require.True(t, e.waitedFor(p.now))
		p.now += 20_000
		e.due = true
		f := e.Next(p.now, nil)
		var q packet
		require.NoError(t, q.parse(f))
		require.Equal(t, Beacon, q.op)
		if i == 0 {
			require.Equal(t, uint32(time>>Shift+1), q.barrier)
		}
		p.carry(i, f)
		require.False(t, e.waitedFor(p.now), "it has said so")
	}
	require.Equal(t, []string{"a"}, p.received(1, false), "it did not wait for the next multiple")

	// A reliable message waits for its sender again, when all have acknowledged it.
	p.send(0, true, "b")
	p.carry(0, p.ends[0].Next(p.now, nil))
	p.now += 10_000
	p.ends[0].due = true
	p.carry(0, p.ends[0].Next(p.now, nil))
	require.False(t, p.ends[0].waitedFor(p.now))
	p.carry(1, p.ends[1].Next(p.now, nil)) // the acknowledgement
	require.True(t, p.ends[0].waitedFor(p.now))
	for i, e := range p.ends {
		e.due = true
		p.carry(i, e.Next(p.now, nil))
	}
	require.Equal(t, []string{"b"}, p.received(1, true))

	p.ends[0].steady = true
	p.send(0, false, "c")
	p.carry(0, p.ends[0].Next(p.now, nil))
	p.now += 10_000
	require.False(t, p.ends[0].waitedFor(p.now), "beacons of a network with switches that only forward leave at multiples")
}
