package txn

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe"
)

// nodes are three shards, and a client behind them.
var nodes = []onepipe.Process{{Addr: wire.Addr{10, 0, 0, 1}, Number: 1}, {Addr: wire.Addr{10, 0, 0, 2}, Number: 1}, {Addr: wire.Addr{10, 0, 0, 3}, Number: 1}, {Addr: wire.Addr{10, 0, 0, 4}, Number: 1}}

// bench is a client and its shards, without a network.
type bench struct {
	t      *testing.T
	c      *Client
	shards []*Shard
	time   uint64
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, c: NewClient(nodes[:3])}
	for i := range 3 {
		b.shards = append(b.shards, NewShard(i, 3))
	}
	return b
}

// key is one of a shard.
func key(shard int) string {
	for i := 0; ; i++ {
		if k := fmt.Sprint("k", i); ShardOf(k, 3) == shard {
			return k
		}
	}
}

// next sends a scattering.
func (b *bench) next() (parts []onepipe.Part, reliable bool) {
	parts, reliable, ok := b.c.Next()
	require.True(b.t, ok)
	b.c.Sent(nil)
	b.time++
	return parts, reliable
}

// execute has a shard execute a part, and returns its answer.
func (b *bench) execute(p onepipe.Part, reliable bool) onepipe.Message {
	for i, s := range b.shards {
		if nodes[i] == p.To {
			a, ok := s.Execute(&onepipe.Message{Time: b.time, From: nodes[3], Data: p.Data}, reliable)
			require.True(b.t, ok)
			require.Equal(b.t, nodes[3], a.To)
			return onepipe.Message{From: p.To, Data: a.Data}
		}
	}
	panic("no shard")
}

func (b *bench) done() Outcome {
	o, ok := b.c.Done()
	require.True(b.t, ok)
	return o
}

func (b *bench) none() {
	_, ok := b.c.Done()
	require.False(b.t, ok)
}

// all executes everything, and returns how it has ended.
func (b *bench) all(ops ...Op) Outcome {
	_, err := b.c.Begin(ops...)
	require.NoError(b.t, err)
	parts, reliable := b.next()
	for _, p := range parts {
		b.none()
		a := b.execute(p, reliable)
		b.c.Receive(&a)
	}
	return b.done()
}

func put(k, v string) Op { return Op{Key: k, Write: true, Value: []byte(v)} }

// A transaction's operations return what the keys were before all of them.
func TestTransaction(t *testing.T) {
	b := newBench(t)
	x, y := key(0), key(1)
	o := b.all(put(x, "x1"), Op{Key: y})
	require.Equal(t, Outcome{Number: 1, Time: 1, Saw: []Value{{}, {}}, By: []onepipe.Process{nodes[0], nodes[1]}}, o)
	o = b.all(Op{Key: y}, put(key(2), "z1"), put(x, "x2"))
	require.Equal(t, []Value{{}, {}, {true, []byte("x1")}}, o.Saw)
	require.Equal(t, []onepipe.Process{nodes[1], nodes[2], nodes[0]}, o.By)
	o = b.all(Op{Key: x}, Op{Key: key(2)})
	require.Equal(t, []Value{{true, []byte("x2")}, {true, []byte("z1")}}, o.Saw)
	s := b.shards[0]
	require.Equal(t, [2]int{1, len(x) + 2}, [2]int{s.Keys(), s.Bytes()})
	require.Equal(t, []Value{{true, []byte("x2")}}, b.all(Op{Key: x, Write: true, Delete: true}).Saw)
	require.Equal(t, []Value{{}}, b.all(Op{Key: x, Write: true, Delete: true}).Saw)
	require.Equal(t, []Value{{}, {true, []byte("z1")}}, b.all(Op{Key: x}, Op{Key: key(2)}).Saw)
	require.Zero(t, s.Keys()+s.Bytes())
}

// A scattering that writes is reliable, all of it; one that only reads is not.
func TestServices(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		ops      []Op
		reliable bool
		parts    int
	}{
		{[]Op{{Key: key(0)}, put(key(1), "1")}, true, 2},
		{[]Op{{Key: key(0)}, {Key: key(1)}, {Key: key(2)}}, false, 3},
		{[]Op{{Key: key(0), Write: true, Delete: true}, {Key: key(1)}}, true, 2},
	} {
		_, err := b.c.Begin(c.ops...)
		require.NoError(t, err)
		parts, reliable := b.next()
		require.Equal(t, c.reliable, reliable)
		require.Len(t, parts, c.parts)
	}
	// Not even a forged one: other shards may not have their parts.
	m := message{kind: request, ops: []Op{put(key(0), "1")}}
	_, ok := b.shards[0].Execute(&onepipe.Message{Data: m.append(nil)}, false)
	require.False(t, ok)
	require.EqualValues(t, 1, b.shards[0].Counters.Unsure)
	require.Empty(t, b.shards[0].values)
}

// What is lost of a transaction that only reads is repeated as a whole. Answers to the attempt before do not count: they
// are of another moment.
func TestRepeat(t *testing.T) {
	b := newBench(t)
	x, y := key(0), key(1)
	_, err := b.c.Begin(Op{Key: x}, Op{Key: y})
	require.NoError(t, err)
	old, reliable := b.next()
	early := b.execute(old[0], reliable)
	b.c.Lost(&onepipe.Failure{To: old[1].To, Data: old[1].Data})
	b.c.Lost(&onepipe.Failure{To: old[0].To, Data: old[0].Data})
	b.none()
	require.EqualValues(t, 1, b.c.Counters.Repeated)
	again, _ := b.next()
	_, _, more := b.c.Next()
	require.False(t, more, "it is repeated once")
	// Another client writes both, before the attempt is executed.
	other := message{kind: request, ops: []Op{put(y, "y1")}}
	b.execute(onepipe.Part{To: nodes[1], Data: other.append(nil)}, true)
	late := b.execute(again[1], reliable)
	b.c.Receive(&early)
	b.c.Receive(&late)
	b.none()
	require.EqualValues(t, 2, b.c.Counters.Old)
	a := b.execute(again[0], reliable)
	b.c.Receive(&a)
	require.Equal(t, Outcome{Number: 1, Time: 2, Saw: []Value{{}, {true, []byte("y1")}}, By: []onepipe.Process{nodes[0], nodes[1]}}, b.done())
}

// A reliable scattering that is reported lost did not happen, and is not repeated. One that cannot be sent did not, either.
func TestNotDone(t *testing.T) {
	b := newBench(t)
	begin := func() {
		_, err := b.c.Begin(put(key(0), "1"), put(key(1), "1"))
		require.NoError(t, err)
	}
	begin()
	parts, _ := b.next()
	for _, p := range parts {
		b.c.Lost(&onepipe.Failure{To: p.To, Reliable: true, Data: p.Data})
	}
	o := b.done()
	require.ErrorIs(t, o.Err, ErrNotDone)
	require.ErrorIs(t, o.Err, onepipe.ErrFailed)
	b.none()
	_, _, more := b.c.Next()
	require.False(t, more)
	begin()
	b.c.Failed(nodes[0])
	b.c.Failed(nodes[1])
	b.none()
	_, _, ok := b.c.Next()
	require.True(t, ok)
	b.c.Sent(onepipe.ErrFailed)
	require.ErrorIs(t, b.done().Err, ErrNotDone)
}

// A shard that fails before it has answered leaves what it did unknown; the others' answers say that it was done.
func TestShardFails(t *testing.T) {
	b := newBench(t)
	begin := func(ops ...Op) []onepipe.Part {
		_, err := b.c.Begin(ops...)
		require.NoError(t, err)
		parts, _ := b.next()
		return parts
	}
	x, y := key(0), key(1)
	one, both, reads := begin(put(x, "1")), begin(put(x, "2"), put(y, "2")), begin(Op{Key: x}, Op{Key: y})
	b.c.Failed(nodes[0])
	require.ErrorIs(t, b.done().Err, ErrUnknown)
	b.none()
	b.c.Failed(nodes[2]) // nobody waits for it
	a := b.execute(both[1], true)
	b.c.Receive(&a)
	o := b.done()
	require.ErrorIs(t, o.Err, ErrPartly)
	require.Equal(t, []int{0}, o.Missing)
	a = b.execute(reads[1], false)
	b.c.Receive(&a)
	require.ErrorIs(t, b.done().Err, ErrNotDone)
	require.Len(t, one, 1)
}

// A lost answer is made again, and the part is not executed again.
func TestAnswerAgain(t *testing.T) {
	b := newBench(t)
	_, err := b.c.Begin(put(key(0), "1"))
	require.NoError(t, err)
	parts, _ := b.next()
	first := b.execute(parts[0], true)
	data := first.Data
	for range maxTries - 1 {
		p, ok := b.shards[0].Lost(&onepipe.Failure{To: nodes[3], Data: data})
		require.True(t, ok)
		require.Equal(t, nodes[3], p.To)
		data = p.Data
	}
	require.EqualValues(t, 1, b.shards[0].Counters.Executed)
	b.c.Receive(&onepipe.Message{From: nodes[0], Data: data})
	require.NoError(t, b.done().Err)
	b.c.Receive(&first)
	b.none()
	_, ok := b.shards[0].Lost(&onepipe.Failure{To: nodes[3], Data: data})
	require.False(t, ok, "nobody is there")
	require.EqualValues(t, 1, b.shards[0].Counters.Abandoned)
}

// What is no message, or comes from somebody else, is dropped and counted.
func TestBad(t *testing.T) {
	b := newBench(t)
	_, err := b.c.Begin(Op{Key: key(0)}, Op{Key: key(1)})
	require.NoError(t, err)
	parts, _ := b.next()
	a := b.execute(parts[0], false)
	for _, m := range []onepipe.Message{
		{From: nodes[0], Data: []byte("x")}, {From: nodes[0], Data: parts[0].Data}, {From: nodes[2], Data: a.Data},
		{From: nodes[0], Data: (&message{kind: answer, attempt: 1, values: make([]Value, 2)}).append(nil)},
	} {
		b.c.Receive(&m)
	}
	b.c.Lost(&onepipe.Failure{Data: []byte("x")})
	require.EqualValues(t, 5, b.c.Counters.Bad)
	s := b.shards[0]
	for _, data := range [][]byte{[]byte("x"), a.Data, parts[1].Data} { // the last has keys of another shard
		_, ok := s.Execute(&onepipe.Message{Data: data}, true)
		require.False(t, ok)
	}
	require.EqualValues(t, 3, s.Counters.Bad)
	require.ErrorIs(t, b.c.Abandon(1), ErrNotDone)
	b.c.Receive(&a)
	b.none()
	require.EqualValues(t, 1, b.c.Counters.Old)
}

// A shard that is nowhere ends transactions before they are sent. One that comes back is another process: what is under way
// is for the one that was there.
func TestAbsent(t *testing.T) {
	b := newBench(t)
	x, y := key(0), key(1)
	_, err := b.c.Begin(put(x, "1"))
	require.NoError(t, err)
	parts, _ := b.next()
	_, err = b.c.Begin(Op{Key: x}, Op{Key: y})
	require.NoError(t, err)
	reads, _ := b.next()
	b.c.Place(0, onepipe.Process{})
	for _, ops := range [][]Op{{put(x, "2"), put(y, "2")}, {{Key: x}}} {
		_, err = b.c.Begin(ops...)
		var absent *AbsentError
		require.ErrorAs(t, err, &absent)
		require.ErrorIs(t, err, ErrNotDone)
		require.Zero(t, absent.Shard)
	}
	require.EqualValues(t, 2, b.c.Counters.Begun)
	b.c.Lost(&onepipe.Failure{To: reads[1].To, Data: reads[1].Data})
	require.ErrorIs(t, b.done().Err, ErrNotDone, "it cannot be repeated")
	again := nodes[0]
	again.Number++
	b.c.Place(0, again)
	a := b.execute(parts[0], true)
	a.From = again
	b.c.Receive(&a)
	require.EqualValues(t, 1, b.c.Counters.Bad)
	b.c.Failed(again)
	b.none()
	a.From = nodes[0]
	b.c.Receive(&a)
	require.NoError(t, b.done().Err)
	_, err = b.c.Begin(Op{Key: x})
	require.NoError(t, err)
	parts, _ = b.next()
	require.Equal(t, again, parts[0].To)
}

// Whoever gives up a transaction knows that it was not done if it was not sent, or only reads.
func TestAbandon(t *testing.T) {
	b := newBench(t)
	begin := func(ops ...Op) uint64 {
		n, err := b.c.Begin(ops...)
		require.NoError(t, err)
		return n
	}
	n := begin(put(key(0), "1"))
	require.ErrorIs(t, b.c.Abandon(n), ErrNotDone)
	_, _, ok := b.c.Next()
	require.False(t, ok, "it is not sent any more")
	n = begin(put(key(0), "2"), Op{Key: key(1)})
	b.next()
	require.ErrorIs(t, b.c.Abandon(n), ErrUnknown)
	require.NoError(t, b.c.Abandon(n))
	n = begin(Op{Key: key(0)})
	b.next()
	require.ErrorIs(t, b.c.Abandon(n), ErrNotDone)
	b.none()
}
