package onepipe

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// What a process has acknowledged before it failed is taken back from the others, too, if it is not below the commit barrier: so a
// time says what counts. What is below is not: the others may have delivered it.
func TestCounts(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond, Retry: 100 * time.Microsecond})
	e, to, nobody := p.ends[0], p.proc[1].Process(), Process{wire.Addr{10, 0, 0, 9}, 1}
	p.lose = func(_ int, q *packet) bool { return q.to == nobody }
	send := func(data string, parts ...Process) {
		var list []Part
		for _, x := range parts {
			list = append(list, Part{To: x, Data: []byte(data)})
		}
		require.NoError(t, p.proc[0].Send(p.now, true, list...))
		p.run(50 * time.Microsecond)
	}
	send("counts", to)
	send("is open", nobody)
	send("is acknowledged, and nobody has it", to)
	open := (*e.unresolved.front()).time
	require.Equal(t, open, e.counted())
	require.EqualValues(t, 2, e.unresolved.n)
	failedAt(e, 7, to, uint64(p.now))
	lost, ok := p.proc[0].Failed()
	require.True(t, ok)
	require.Equal(t, "is acknowledged, and nobody has it", string(lost.Data))
	_, ok = p.proc[0].Failed()
	require.False(t, ok)
	e.ProcessFailed()
	answer, ok := e.answered()
	require.True(t, ok)
	require.Equal(t, []private.Failed{{Addr: to.Addr, First: to.Number, Have: 1, Time: open & timeMask}}, answer.Failed)

	// What it has said once stays, whatever has come of the rest.
	failedAt(e, 8, nobody, uint64(p.now))
	e.ProcessFailed()
	both := []private.Failed{{Addr: nobody.Addr, First: 1, Have: 1}, {Addr: to.Addr, First: to.Number, Have: 1}}
	e.fail(&private.Message{Kind: private.Failures, Number: 9, Failed: both})
	answer, ok = e.answered()
	require.True(t, ok)
	require.Equal(t, open&timeMask, answer.Failed[0].Time, "it is open when nobody is told of")
	require.Equal(t, open&timeMask, answer.Failed[1].Time)
	require.Equal(t, e.last+1, e.counted(), "nothing is open any more")
}

// A host whose run has failed delivers what counts, in order, and discards the rest. Its run is over.
func TestOutcome(t *testing.T) {
	p := newPair(t, Config{Interval: 10 * time.Microsecond})
	e := p.ends[1]
	at := uint64(p.now) >> Shift << Shift
	psn := map[Process]uint32{}
	fragment := func(from Process, time uint64, op Opcode, data string) {
		q := packet{
			from: from, to: p.proc[1].Process(), op: op, time: time & timeMask, psn: psn[from], count: 1, data: []byte(data),
			barrier: uint32(at >> Shift), commit: uint32(at >> Shift),
		}
		psn[from]++
		e.Receive(p.now, q.append(nil, wire.MAC{2}, wire.MAC{2}, wire.NotECT))
	}
	a, b, before, other := Process{wire.Addr{10, 0, 0, 5}, 3}, Process{wire.Addr{10, 0, 0, 6}, 1}, Process{wire.Addr{10, 0, 0, 7}, 1}, Process{wire.Addr{10, 0, 0, 8}, 1}
	fragment(b, at+400, Reliable, "3")
	fragment(a, at+200, Reliable, "1")
	fragment(a, at+500, Reliable, "not below")
	fragment(a, at+501, Reliable, "above")
	fragment(before, at+300, Reliable, "2")
	fragment(before, at+600, Reliable, "after its failure")
	fragment(other, at+100, Reliable, "of one of whom nothing is said")
	fragment(Process{b.Addr, 2}, at+100, Data, "best effort")
	failedAt(e, 1, before, at+600)
	say := func(number uint32, token uint64, list ...private.Failed) {
		m := private.Message{Kind: private.Outcome, Token: token, Want: 2, Number: number, Failed: list}
		e.joinAt = 0
		e.joined(&m)
	}
	first := private.Failed{Addr: a.Addr, First: 2, Have: 2, Time: (at + 500) & timeMask}
	second := private.Failed{Addr: b.Addr, First: 1, Have: 1, Time: (at + 401) & timeMask}
	say(0, e.c.Token+1, first, second)
	require.False(t, e.Expelled(), "another run")
	say(1, e.c.Token, second)
	require.False(t, e.Expelled(), "the first part is lost")
	say(0, e.c.Token, second)
	say(0, e.c.Token, first)
	require.False(t, e.Expelled(), "it begins again")
	require.Empty(t, p.received(1, true))
	say(1, e.c.Token, second)
	require.True(t, e.Expelled())
	var got []string
	for m, reliable, ok := p.proc[1].ReceiveOrdered(); ok; m, reliable, ok = p.proc[1].ReceiveOrdered() {
		require.True(t, reliable)
		got = append(got, string(m.Data))
	}
	require.Equal(t, []string{"1", "2", "3"}, got)
	fragment(a, at+700, Reliable, "later")
	require.Zero(t, e.Counters.Violations, "nobody waits for an answer")
	require.Empty(t, p.received(1, true))
	say(0, e.c.Token, first)
	say(1, e.c.Token, second)
	require.Empty(t, p.received(1, true))
}
