package onepipe

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// pair is two hosts on one cable, which stamps as a switch with these two inputs would: with the least barriers of
// both.
type pair struct {
	t    *testing.T
	now  time.Duration
	ends [2]*Endpoint
	proc [2]*LocalProcess
	reg  [2][2]uint32 // by end, and by kind of barrier
	lose func(from int, p *packet) bool
	seen []packet
	told []private.Message // the controller, if it is not
	// controller, which is told at once.
	controller func(from int, m private.Message)
}

func newPair(t *testing.T, c Config) *pair {
	p := &pair{t: t, now: time.Hour}
	for i := range p.ends {
		c.Addr, c.MAC, c.Resolve = wire.Addr{10, 0, 0, byte(i + 1)}, wire.MAC{2, 0, 0, 0, 0, byte(i + 1)}, anyone
		var err error
		p.ends[i], err = New(c)
		require.NoError(t, err)
		p.ends[i].Admit()
		p.proc[i], err = p.ends[i].Open(uint16(i + 1))
		require.NoError(t, err)
	}
	return p
}

// run lets time pass in steps of a microsecond, with everything that is sent carried over.
func (p *pair) run(d time.Duration) {
	for end := p.now + d; p.now < end; p.now += time.Microsecond {
		for i, e := range p.ends {
			f := e.Next(p.now, nil)
			if len(f) > 0 {
				p.carry(i, f)
			}
		}
	}
}

func (p *pair) carry(from int, f []byte) {
	if _, _, m, ok := private.ParseFrame(f); ok {
		if p.controller != nil {
			p.controller(from, m)
			return
		}
		p.told = append(p.told, m)
		return
	}
	var q packet
	require.NoError(p.t, q.parse(f))
	if q.op != Beacon {
		p.seen = append(p.seen, q)
		if p.lose != nil && p.lose(from, &q) {
			return
		}
	}
	require.LessOrEqual(p.t, int32(q.commit-q.barrier), int32(0), "the commit barrier is not above the other one")
	if q.op == Data && q.count > 0 {
		require.GreaterOrEqual(p.t, q.time>>Shift, uint64(q.barrier), "a message is not below its sender's barrier")
	}
	for k, v := range []uint32{q.barrier, q.commit} {
		require.GreaterOrEqual(p.t, int32(v-p.reg[from][k]), int32(0), "barriers never fall")
		p.reg[from][k] = v
	}
	for to, e := range p.ends {
		if q.op != Beacon && to == from {
			continue
		}
		r := q
		r.barrier, r.commit = min(p.reg[0][0], p.reg[1][0]), min(p.reg[0][1], p.reg[1][1])
		e.Receive(p.now, r.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
	}
}

func (p *pair) send(from int, reliable bool, data string) {
	p.t.Helper()
	require.NoError(p.t, p.proc[from].Send(p.now, reliable, Part{To: p.proc[1-from].Process(), Data: []byte(data)}))
}

func (p *pair) received(at int, reliable bool) (list []string) {
	for m, ok := p.proc[at].Receive(reliable); ok; m, ok = p.proc[at].Receive(reliable) {
		list = append(list, string(m.Data))
	}
	return list
}

// A message is delivered when everybody's barrier is above it, and not before.
func TestStrictlyBelow(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	p.run(50 * time.Microsecond)
	p.now = (p.now>>Shift + 1) << Shift // a time that a barrier can be equal to
	p.send(0, false, "a")
	f := p.ends[0].Next(p.now, nil)
	var q packet
	require.NoError(t, q.parse(f))
	require.Zero(t, q.time%(1<<Shift))
	at := uint32(q.time >> Shift)
	deliver := func(barrier uint32) []string {
		b := packet{to: Process{Addr: beaconAddr}, op: Beacon, barrier: barrier, commit: barrier}
		p.ends[1].Receive(p.now, b.append(nil, wire.MAC{2}, beaconMAC, wire.NotECT))
		return p.received(1, false)
	}
	p.ends[1].Receive(p.now, f)
	require.Empty(t, deliver(at), "equal may still come")
	n, bytes := p.ends[1].Waiting()
	require.Equal(t, 1, n)
	require.Equal(t, perMessage+1, bytes, "a message takes as much room as it is long")
	require.Equal(t, []string{"a"}, deliver(at+1))
	n, _ = p.ends[1].Waiting()
	require.Zero(t, n)
	require.Greater(t, p.ends[1].Time(0), extendTime(q.time, uint64(p.now)), "a clock is above what was delivered")
}

// While a reliable message is not acknowledged, its sender's commit barrier does not pass it: nobody delivers it. It is
// sent again with its timestamp, and new barriers.
func TestCommitWaits(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	lost := 0
	p.lose = func(_ int, q *packet) bool {
		if q.op == Ack && lost < 5 {
			lost++
			return true
		}
		return false
	}
	p.send(0, true, "a")
	p.run(300 * time.Microsecond)
	require.Empty(t, p.received(1, true), "it is held, and its sender does not know it")
	require.Less(t, p.reg[0][1], p.reg[0][0])
	p.run(5 * time.Millisecond)
	require.Equal(t, []string{"a"}, p.received(1, true))
	var times, barriers []uint64
	for _, q := range p.seen {
		if q.op == Reliable {
			times, barriers = append(times, q.time), append(barriers, uint64(q.barrier))
		}
	}
	require.Greater(t, len(times), 1)
	for i := range times {
		require.Equal(t, times[0], times[i])
		require.True(t, i == 0 || barriers[i] > barriers[i-1])
	}
	require.Positive(t, p.ends[1].Counters.Duplicates)
}

// Nothing is dropped because a process does not receive: its sender runs out of credit, and goes on when there is room.
func TestWindow(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		p := newPair(t, Config{Interval: 10 * time.Microsecond, Window: 8, Retry: 100 * time.Microsecond})
		for range 100 {
			p.send(0, reliable, "a")
		}
		p.run(5 * time.Millisecond)
		require.Equal(t, 8, p.proc[1].ready[service(reliable)].n)
		total := 0
		for range 100 {
			total += len(p.received(1, reliable))
			p.run(200 * time.Microsecond)
		}
		require.Equal(t, 100, total)
		c := p.ends[1].Counters
		require.Zero(t, c.Overrun)
	}
}

// A scattering that waits for one destination keeps its credits at the others, and those behind it wait for the
// same destinations only.
func TestCredits(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Window: 8})
	slow, fast := p.proc[1].Process(), Process{wire.Addr{10, 0, 0, 9}, 1}
	send := func(to ...Process) {
		var parts []Part
		for _, q := range to {
			parts = append(parts, Part{To: q, Data: []byte("x")})
		}
		require.NoError(t, p.proc[0].Send(p.now, false, parts...))
	}
	for range 8 {
		send(slow)
	}
	p.run(time.Millisecond)
	send(slow, fast)
	send(slow)
	send(fast)
	p.seen = nil
	p.lose = func(_ int, q *packet) bool { return q.to == fast }
	p.run(50 * time.Microsecond)
	var to []Process
	for _, q := range p.seen {
		if q.op == Data && q.count > 0 {
			to = append(to, q.to)
		}
	}
	require.Equal(t, []Process{fast}, to, "the last one waits for nobody")
	s := &p.ends[0].sender
	require.Equal(t, 1, s.conns[connKey{p.proc[0].Process(), fast, 0}].reserved, "the first one keeps what it has")
}

// A process that is not there is reported; of a reliable scattering nobody delivers anything then.
func TestNoProcess(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	nobody := Process{wire.Addr{10, 0, 0, 2}, 99}
	for _, reliable := range []bool{false, true} {
		require.NoError(t, p.proc[0].Send(p.now, reliable, Part{To: nobody, Data: []byte("a")}, Part{To: p.proc[1].Process(), Data: []byte("b")}))
	}
	p.run(2 * time.Millisecond)
	require.Equal(t, []string{"b"}, p.received(1, false))
	require.Empty(t, p.received(1, true))
	var failed []string
	for f, ok := p.proc[0].Failed(); ok; f, ok = p.proc[0].Failed() {
		failed = append(failed, string(f.Data))
	}
	require.ElementsMatch(t, []string{"a", "a", "b"}, failed)
	require.EqualValues(t, 1, p.ends[1].Counters.Discarded)
	p.send(0, true, "c")
	p.run(time.Millisecond)
	require.Equal(t, []string{"c"}, p.received(1, true), "what was taken back holds nobody up")
}

// A clock that jumps back, or far ahead.
func TestClocks(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	p.run(time.Millisecond)
	p.now -= time.Minute
	p.send(0, false, "a")
	p.send(0, false, "b")
	p.run(50 * time.Microsecond)
	require.Positive(t, p.ends[0].Counters.Backwards)
	var times []uint64
	for _, q := range p.seen {
		if q.op == Data && q.count > 0 {
			times = append(times, q.time)
		}
	}
	require.Len(t, times, 2)
	require.Greater(t, times[1], times[0], "timestamps go on")
	require.GreaterOrEqual(t, times[0], uint64(time.Hour)&timeMask)

	p.now += time.Hour
	require.ErrorIs(t, p.proc[0].Send(p.now, false, Part{To: p.proc[1].Process()}), ErrClock)
}

// A host that the controller has admitted sends when the network has carried a barrier of about its time, and after
// Ahead in any case, when Send says what is wrong.
func TestAdmittedWithBarrier(t *testing.T) {
	const ahead, step = 100 * time.Millisecond, 10 * time.Millisecond
	c := Config{Addr: wire.Addr{10, 0, 0, 1}, MAC: wire.MAC{2, 0, 0, 0, 0, 1}, Resolve: anyone, Controller: wire.Addr{10, 0, 0, 9}, Token: 7, Ahead: ahead}
	joined := private.Message{Kind: private.Joined, Admitted: true, Token: c.Token, First: 1, Have: 1}
	for _, test := range []struct {
		name         string
		behind       time.Duration // by how much the network's barrier is below the host's clock; negative: there is none
		told, admits time.Duration // when the controller admits it, and when it is admitted at the earliest
	}{
		{"no barrier", -1, 0, ahead + step},
		{"no barrier, told late", -1, time.Second, time.Second + ahead + step},
		{"an old barrier", ahead * 3 / 4, 0, ahead + step},
		{"a barrier", ahead / 4, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := New(c)
			require.NoError(t, err)
			begin := time.Hour
			e.Next(begin, nil)
			for at := test.told; at <= test.told+2*ahead; at += step {
				now := begin + at
				if test.behind >= 0 {
					v := uint32(uint64(now-test.behind) >> Shift)
					b := packet{from: Process{Addr: wire.Addr{10, 0, 0, 2}}, to: Process{Addr: beaconAddr}, op: Beacon, barrier: v, commit: v}
					e.Receive(now, b.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
				}
				e.Receive(now, private.AppendFrame(nil, wire.MAC{2}, wire.MAC{2}, c.Controller, c.Addr, &joined))
				require.Equal(t, at >= test.admits, e.Admitted(), "at %v", at)
			}
		})
	}
}

func TestSendErrors(t *testing.T) {
	p := newPair(t, Config{Window: 8, Fragment: 100, Queue: 3})
	to := p.proc[1].Process()
	try := func(parts ...Part) error { return p.proc[0].Send(p.now, false, parts...) }
	require.ErrorContains(t, try(), "without messages")
	require.ErrorContains(t, try(Part{To: to, Data: make([]byte, 401)}), "want 400 at most")
	require.ErrorContains(t, try(Part{To: to}, Part{To: to}), "two messages of a scattering are for 10.0.0.2/2")
	for range 3 {
		require.NoError(t, try(Part{To: to, Data: make([]byte, 400)}))
	}
	require.ErrorIs(t, try(Part{To: to}), ErrFull)
	p.run(10 * time.Microsecond)
	require.NoError(t, try(Part{To: to}), "the first ones are on the wire")
	p.proc[0].Close()
	require.ErrorIs(t, try(Part{To: to}), ErrClosed)
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		c    Config
		want string
	}{
		{Config{}, "Resolve"},
		{Config{Resolve: anyone, Interval: 1}, "interval"},
		{Config{Resolve: anyone, Window: 12}, "window"},
		{Config{Resolve: anyone, Fragment: 1 << 20}, "fragments"},
		{Config{Resolve: anyone, Ahead: time.Hour}, "clock ahead"},
		{Config{Resolve: anyone, Processes: 2000}, "processes"},
		{Config{Resolve: anyone, Controller: wire.Addr{1}}, "Token"},
		{Config{Resolve: anyone, Retry: -1}, "negative"},
	} {
		_, err := New(c.c)
		require.ErrorContains(t, err, c.want)
	}
}

// What comes below a barrier that was delivered is refused, by each service; what comes with a barrier is not below it.
func TestLate(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	e := p.ends[1]
	at := uint64(p.now) >> Shift << Shift
	packetOf := func(op Opcode, psn uint32, time, barrier uint64) {
		q := packet{
			from: p.proc[0].Process(), to: p.proc[1].Process(), op: op, time: time & timeMask, psn: psn, count: 1,
			barrier: uint32(barrier >> Shift), commit: uint32(barrier >> Shift), data: []byte("x"),
		}
		e.Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
	}
	packetOf(Data, 0, at, at)
	packetOf(Reliable, 0, at, at)
	require.Zero(t, e.Counters.Late+e.Counters.Violations)
	packetOf(Data, 1, at-1, at)
	packetOf(Reliable, 1, at-1, at)
	require.EqualValues(t, 1, e.Counters.Late)
	require.EqualValues(t, 1, e.Counters.Violations)
	packetOf(Data, 2, at+1000, at+1000)
	packetOf(Reliable, 1, at+1000, at+1000)
	require.Len(t, p.received(1, false), 1)
	require.Len(t, p.received(1, true), 1)
	var naks int
	for f := e.Next(p.now, nil); len(f) > 0; f = e.Next(p.now, nil) {
		var q packet
		require.NoError(t, q.parse(f))
		if q.op == Nak {
			require.Equal(t, ReasonLate, q.reason)
			naks++
		}
		if q.op == Beacon {
			break
		}
	}
	require.Equal(t, 2, naks)
}

// failedAt is the controller's word that a process has failed.
func failedAt(e *Endpoint, number uint32, p Process, at uint64) {
	e.fail(&private.Message{Kind: private.Failures, Number: number, Failed: []private.Failed{{Addr: p.Addr, First: p.Number, Have: 1, Time: at & timeMask}}})
}

// Of a process that has failed what is below its time is delivered, what is at its time or above is not, whenever it
// comes.
func TestForget(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	e := p.ends[1]
	from := p.proc[0].Process()
	at := uint64(p.now) >> Shift << Shift
	fragment := func(psn uint32, time uint64, data string) {
		q := packet{
			from: from, to: p.proc[1].Process(), op: Reliable, time: time & timeMask, psn: psn, count: 1, data: []byte(data),
			barrier: uint32(at >> Shift), commit: uint32(at >> Shift),
		}
		e.Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
	}
	fragment(0, at+1, "before")
	fragment(1, at+100, "at")
	fragment(2, at+101, "after")
	failedAt(e, 1, from, at+100)
	fragment(4, at+2, "before, and late")
	fragment(5, at+100, "at, and late")
	b := packet{to: Process{Addr: beaconAddr}, op: Beacon, barrier: uint32(at>>Shift) + 100, commit: uint32(at>>Shift) + 100}
	e.Receive(p.now, b.append(nil, wire.MAC{2}, beaconMAC, wire.NotECT))
	require.Equal(t, []string{"before", "before, and late"}, p.received(1, true))
}

// The controller is answered when the processes know, and all has been taken back.
func TestAnswer(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	e := p.ends[0]
	gone := Process{wire.Addr{10, 0, 0, 9}, 1}
	require.NoError(t, p.proc[0].Send(p.now, true, Part{To: gone, Data: []byte("a")}, Part{To: p.proc[1].Process(), Data: []byte("a")}))
	p.lose = func(_ int, q *packet) bool { return q.to == gone || q.op == Recall }
	p.run(200 * time.Microsecond)
	failedAt(e, 7, gone, uint64(p.now))
	p.run(100 * time.Microsecond)
	require.Empty(t, p.told, "the processes do not know yet")
	f, ok := e.ProcessFailed()
	require.True(t, ok)
	require.Equal(t, gone, f.Process)
	p.run(500 * time.Microsecond)
	require.Empty(t, p.told, "the other receiver has not forgotten it")
	p.lose = nil
	p.run(time.Millisecond)
	lost, ok := p.proc[0].Failed()
	require.True(t, ok)
	answer := private.Message{Kind: private.Done, Number: 7, Failed: []private.Failed{{Addr: gone.Addr, First: 1, Have: 1, Time: lost.Time & timeMask}}}
	require.Equal(t, []private.Message{answer}, p.told)
	require.Empty(t, p.received(1, true))
	require.ErrorIs(t, p.proc[0].Send(p.now, true, Part{To: gone}), ErrFailed)
	failedAt(e, 7, gone, uint64(p.now))
	p.run(100 * time.Microsecond)
	require.Equal(t, []private.Message{answer, answer}, p.told, "the controller has asked again")
}

// Nobody asks a process that has failed to forget what it held: of several that have failed it may be one that had answered.
func TestTakeBackFromTheFailed(t *testing.T) {
	for _, together := range []bool{false, true} {
		p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
		e := p.ends[0]
		gone, held := Process{wire.Addr{10, 0, 0, 9}, 1}, p.proc[1].Process()
		require.NoError(t, p.proc[0].Send(p.now, true, Part{To: held, Data: []byte("a")}, Part{To: gone, Data: []byte("a")}))
		p.lose = func(_ int, q *packet) bool { return q.to == gone || q.op == Recall }
		p.run(50 * time.Microsecond) // it has answered
		list := []private.Failed{{Addr: held.Addr, First: held.Number, Have: 1, Time: uint64(p.now) & timeMask}, {Addr: gone.Addr, First: 1, Have: 1, Time: uint64(p.now) & timeMask}}
		if together {
			e.fail(&private.Message{Kind: private.Failures, Number: 1, Failed: list})
		} else {
			e.fail(&private.Message{Kind: private.Failures, Number: 1, Failed: list[:1]})
			p.run(50 * time.Microsecond)
			e.fail(&private.Message{Kind: private.Failures, Number: 1, Failed: list[1:]})
		}
		for _, ok := e.ProcessFailed(); ok; _, ok = e.ProcessFailed() {
		}
		p.run(50 * time.Microsecond)
		require.Len(t, p.told, 1)
		require.EqualValues(t, 1, p.told[0].Number)
		require.Equal(t, private.Done, p.told[0].Kind)
	}
}

// The processes know first, also if nothing is to be taken back.
func TestAnswerAfterCallback(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	failedAt(p.ends[0], 7, Process{wire.Addr{10, 0, 0, 9}, 1}, uint64(p.now))
	p.run(100 * time.Microsecond)
	require.Empty(t, p.told)
	p.ends[0].ProcessFailed()
	p.run(100 * time.Microsecond)
	require.Len(t, p.told, 1)
}

// What waits for a process that has failed is given up: a reliable scattering as a whole, a best-effort one for that process.
func TestAbandon(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Window: 8, Retry: 100 * time.Microsecond})
	gone := Process{wire.Addr{10, 0, 0, 9}, 1}
	p.lose = func(_ int, q *packet) bool { return q.to == gone }
	for range 12 {
		for _, reliable := range []bool{false, true} {
			require.NoError(t, p.proc[0].Send(p.now, reliable, Part{To: gone, Data: []byte("x")}, Part{To: p.proc[1].Process(), Data: []byte("x")}))
		}
	}
	p.run(300 * time.Microsecond)
	failedAt(p.ends[0], 1, gone, uint64(p.now))
	p.ends[0].ProcessFailed()
	p.run(5 * time.Millisecond)
	lost := map[Process][2]int{}
	for f, ok := p.proc[0].Failed(); ok; f, ok = p.proc[0].Failed() {
		n := lost[f.To]
		n[service(f.Reliable)]++
		lost[f.To] = n
	}
	require.Equal(t, map[Process][2]int{gone: {12, 12}, p.proc[1].Process(): {0, 12}}, lost)
	require.Len(t, p.received(1, false), 8)
	p.run(time.Millisecond)
	require.Len(t, p.received(1, false), 4, "there was no room for them")
	require.Empty(t, p.received(1, true))
	p.send(0, true, "y")
	p.run(time.Millisecond)
	require.Equal(t, []string{"y"}, p.received(1, true), "nothing holds it up")
	require.Zero(t, p.ends[0].queued)
}

// A host answers a probe at once, whatever it waits for, and asks the controller about a process that does not answer.
func TestProbe(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond, Doubt: time.Millisecond})
	e := p.ends[0]
	gone := Process{wire.Addr{10, 0, 0, 9}, 3}
	require.NoError(t, p.proc[0].Send(p.now, true, Part{To: gone, Data: []byte("a")}, Part{To: p.proc[1].Process(), Data: []byte("a")}))
	p.lose = func(_ int, q *packet) bool { return q.to == gone || q.op == Recall }
	p.run(900 * time.Microsecond)
	require.Empty(t, p.told)
	p.run(2 * time.Millisecond)
	require.Len(t, p.told, 1)
	for i := range p.told[0].Failed {
		require.GreaterOrEqual(t, p.told[0].Failed[i].Time, uint64(time.Millisecond), "how long it has been silent")
		p.told[0].Failed[i].Time = 0
	}
	require.Equal(t, []private.Message{{Kind: private.Ask, Failed: []private.Failed{{Addr: gone.Addr, First: 3, Have: 1}}}}, p.told)
	failedAt(e, 0, gone, uint64(p.now))
	e.ProcessFailed()
	p.told = nil
	p.run(900 * time.Microsecond)
	require.Empty(t, p.told, "it needs no answer")
	failedAt(e, 5, gone, uint64(p.now))
	e.joinAt-- // there is a controller
	e.joined(&private.Message{Kind: private.Probe, Number: 9})
	p.run(100 * time.Microsecond)
	require.Equal(t, []private.Message{{Kind: private.Here, Number: 9}}, p.told, "the other receiver has not forgotten the message")
	p.run(10 * time.Millisecond)
	require.Equal(t, private.Ask, p.told[1].Kind, "about the other receiver, which does not answer the recall")
	require.Equal(t, p.proc[1].Process().Addr, p.told[1].Failed[0].Addr)
}

// Where round trips take long, a process that does not answer for so long is not doubted.
func TestDoubtIsPatient(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond, Doubt: time.Millisecond})
	for range 64 {
		p.ends[0].sender.rtt.measured(5 * time.Millisecond)
	}
	gone := Process{wire.Addr{10, 0, 0, 9}, 3}
	require.NoError(t, p.proc[0].Send(p.now, true, Part{To: gone, Data: []byte("a")}))
	p.run(20 * time.Millisecond)
	require.Empty(t, p.told)
	p.run(50 * time.Millisecond)
	require.NotEmpty(t, p.told)
	require.Equal(t, private.Ask, p.told[0].Kind)
}

// What is sent without a process that has failed has a timestamp above all that it has sent; unless its clock was far ahead.
func TestAfterTheFailed(t *testing.T) {
	p := newPair(t, Config{Ahead: time.Second})
	p.run(10 * time.Microsecond)
	at := uint64(p.now + 100*time.Millisecond)
	gone := Process{wire.Addr{10, 0, 0, 9}, 1}
	failedAt(p.ends[0], 1, gone, at)
	require.GreaterOrEqual(t, p.ends[0].Time(p.now), at)
	gone.Number = 2
	failedAt(p.ends[0], 2, gone, uint64(p.now+time.Minute))
	require.Less(t, p.ends[0].Time(p.now), uint64(p.now+2*time.Second))
}

// An acknowledgement that comes after its message was reported as lost says how long round trips take now.
func TestLateAck(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	p.lose = func(_ int, q *packet) bool { return q.op == Ack }
	start := p.now
	p.send(0, false, "a")
	p.run(time.Millisecond)
	_, reported := p.proc[0].Failed()
	require.True(t, reported)
	require.Zero(t, p.ends[0].rtt.smooth)
	ack := packet{from: p.proc[1].Process(), to: p.proc[0].Process(), op: Ack, time: 1, psn: 0, next: 1, limit: 128, bits: 1}
	p.ends[0].acked(p.now, &ack)
	require.InDelta(t, float64(p.now-start), float64(p.ends[0].rtt.smooth), float64(20*time.Microsecond))
	before := p.ends[0].rtt.smooth
	p.ends[0].acked(p.now+time.Second, &ack)
	require.Equal(t, before, p.ends[0].rtt.smooth, "once")
}

// A process fails once. The controller, which is asked about it, may say at a later time that it is not there.
func TestFailsOnce(t *testing.T) {
	p := newPair(t, Config{})
	p.run(10 * time.Microsecond)
	e, at := p.ends[0], uint64(p.now)
	addr := wire.Addr{10, 0, 0, 9}
	e.fail(&private.Message{Kind: private.Failures, Number: 1, Failed: []private.Failed{{Addr: addr, First: 1, Have: 2, Time: at & timeMask}}})
	e.fail(&private.Message{Kind: private.Failures, Failed: []private.Failed{{Addr: addr, First: 2, Have: 1, Time: (at + 1000) & timeMask}}})
	for n := range uint16(2) {
		f, ok := e.ProcessFailed()
		require.True(t, ok)
		require.Equal(t, ProcessFailure{Process{addr, n + 1}, at}, f)
	}
	_, ok := e.ProcessFailed()
	require.False(t, ok, "it is told twice")
}

// Short messages of a scattering to processes of one host share a packet, as far as there is room and nothing else comes
// between; what comes together is acknowledged together.
func TestPack(t *testing.T) {
	for _, reliable := range []bool{false, true} {
		p := newPair(t, Config{Pack: true, Fragment: 100, Interval: 10 * time.Microsecond})
		procs := []*LocalProcess{p.proc[1]}
		for n := range uint16(3) {
			q, err := p.ends[1].Open(10 + n)
			require.NoError(t, err)
			procs = append(procs, q)
		}
		size := []int{20, 30, 80, 150}
		var parts []Part
		for i, q := range procs {
			parts = append(parts, Part{To: q.Process(), Data: bytes.Repeat([]byte{byte(i + 1)}, size[i])})
		}
		require.NoError(t, p.proc[0].Send(p.now, reliable, parts...))
		for f := p.ends[0].Next(p.now, nil); len(f) > 0; f = p.ends[0].Next(p.now, nil) {
			p.carry(0, f)
		}
		require.Len(t, p.seen, 4, "two share the first packet; the third has no room there; the fourth is in two fragments")
		require.NotZero(t, p.seen[0].flags&flagMore)
		for _, q := range p.seen[1:] {
			require.Zero(t, q.flags&flagMore)
		}
		p.seen = nil
		p.run(50 * time.Microsecond)
		require.Len(t, p.seen, 2, "an acknowledgement for all as far as there is room, and what is behind it")
		for i, q := range procs {
			m, ok := q.Receive(reliable)
			require.True(t, ok, i)
			require.Equal(t, parts[i].Data, m.Data)
			require.Equal(t, p.proc[0].Process(), m.From)
		}
		require.Zero(t, p.ends[0].unresolved.n)
		for _, c := range p.ends[0].sender.conns {
			require.Zero(t, c.flying(), "all are acknowledged")
		}
	}
}

// Of fragments that were marked and others that were not, an acknowledgement is for one kind: DCTCP counts them.
func TestPackedMarks(t *testing.T) {
	p := newPair(t, Config{Pack: true})
	p.run(10 * time.Microsecond)
	e, from := p.ends[1], p.proc[0].Process()
	for psn, ecn := range []wire.ECN{wire.ECT0, wire.ECT0, wire.CE, wire.CE, wire.ECT0} {
		q := packet{from: from, to: p.proc[1].Process(), op: Data, time: uint64(p.now) & timeMask, psn: uint32(psn), flags: flagEnd, count: 1}
		e.Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, ecn))
	}
	var got [][2]uint32
	for f := e.Next(p.now, nil); len(f) > 0; f = e.Next(p.now, nil) {
		var q packet
		require.NoError(t, q.parse(f))
		if q.op == Ack {
			got = append(got, [2]uint32{q.psn, uint32(q.flags & flagEcho)})
		}
	}
	require.Equal(t, [][2]uint32{{1, 0}, {3, flagEcho}, {4, 0}}, got)
}

// The answer to a probe is not measured: its fragment may have been lost long ago.
func TestProbeIsNotMeasured(t *testing.T) {
	for _, pack := range []bool{false, true} {
		p := newPair(t, Config{Pack: pack, Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
		p.now += time.Duration(1) << 49 // a time of which 48 bits are not all
		p.run(10 * time.Microsecond)
		p.lose = func(_ int, q *packet) bool { return q.op == Data && q.count > 0 }
		p.send(0, false, "a")
		p.run(time.Millisecond)
		c := p.ends[0].sender.conns[connKey{p.proc[0].Process(), p.proc[1].Process(), 0}]
		p.ends[0].control.push(packet{from: c.key.from, to: c.key.to, op: Data, psn: (c.next - 1) & psnMask, flags: flagEnd, time: p.ends[0].Time(p.now) & timeMask})
		p.run(100 * time.Microsecond)
		require.Equal(t, Ack, p.seen[len(p.seen)-1].op)
		require.Zero(t, p.ends[0].rtt.smooth)
	}
}

// However many fragments come at once, an acknowledgement says of all that they have come.
func TestManyAtOnce(t *testing.T) {
	p := newPair(t, Config{Pack: true, Interval: 10 * time.Microsecond})
	p.run(10 * time.Microsecond)
	from, to := p.proc[0].Process(), p.proc[1].Process()
	const many = 100
	for psn := range uint32(many) {
		q := packet{from: from, to: to, op: Data, time: uint64(p.now) & timeMask, psn: psn, flags: flagEnd, count: 1}
		p.ends[1].Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
	}
	came := map[uint32]bool{}
	for f := p.ends[1].Next(p.now, nil); len(f) > 0; f = p.ends[1].Next(p.now, nil) {
		var q packet
		require.NoError(t, q.parse(f))
		for back := range uint32(64) {
			if q.op == Ack && q.bits>>back&1 == 1 {
				came[q.next-1-back] = true
			}
		}
	}
	require.Len(t, came, many)
}
