package amcast

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stage is a replica of group 1, and what switches say to it.
type stage struct {
	*testing.T
	r *Replica
}

func newStage(t *testing.T) *stage {
	r, err := NewReplica(ReplicaOptions{Group: 1, Window: 2, Cells: 4, Retry: time.Millisecond, Directory: Directory{1: {2, 3}, 2: {1, 1}}})
	require.NoError(t, err)
	return &stage{t, r}
}

const (
	one  = Groups(0x01000000)
	both = Groups(0x01020000)
)

func (s *stage) say(p Packet) { s.r.Receive(0, &p) }

// prop is a proposal of the leader, with the payload, at a clock and mark of its own.
func (s *stage) prop(number, epoch, lts, seq, clock, mark uint32, groups Groups) {
	s.say(Packet{Kind: MsgProp, From: 1, By: 1, Groups: groups, ID: ID{0, number}, Epoch: epoch, ByEpoch: epoch, LTS: lts, Seq: seq, Clock: clock, Mark: mark, Digest: Digest([]byte{byte(number)}), Payload: []byte{byte(number)}})
}

func (s *stage) final(number, epoch, final uint32, groups Groups) {
	s.say(Packet{Kind: MsgDeliver, From: 1, By: 2, Groups: groups, ID: ID{0, number}, Epoch: epoch, LTS: final, Digest: Digest([]byte{byte(number)})})
}

func (s *stage) mark(epoch, clock, mark uint32) {
	s.say(Packet{Kind: MsgMark, From: 1, By: 1, Groups: one, ByEpoch: epoch, Clock: clock, Mark: mark})
}

// delivers demands that these messages are delivered now, and no others.
func (s *stage) delivers(numbers ...uint32) {
	s.Helper()
	var got []uint32
	for d, ok := s.r.Next(); ok; d, ok = s.r.Next() {
		require.Equal(s, []byte{byte(d.ID.Number)}, d.Payload)
		got = append(got, d.ID.Number)
	}
	require.Equal(s, numbers, got)
}

// TestReplicaOrder: final timestamps are the order, not proposals.
func TestReplicaOrder(t *testing.T) {
	s := newStage(t)
	s.prop(2, 1, 1, 1, 1, 1, both)
	s.prop(3, 1, 2, 2, 2, 2, one)
	s.final(3, 1, 2, one)
	s.delivers() // 2 may be final at 1 or 2
	s.final(2, 1, 7, both)
	s.delivers(3)
	s.mark(1, 6, 2)
	s.delivers() // the leader may still propose 7
	s.mark(1, 7, 2)
	s.delivers(2)
}

// TestReplicaTie: of equal final timestamps the lower id is first.
func TestReplicaTie(t *testing.T) {
	s := newStage(t)
	s.prop(3, 1, 1, 1, 1, 1, both)
	s.prop(2, 1, 5, 2, 5, 2, both)
	s.mark(1, 9, 2)
	s.final(3, 1, 5, both)
	s.delivers()
	s.final(2, 1, 5, both)
	s.delivers(2, 3)
}

// TestReplicaGap: what the leader has proposed and the replica has not heard of holds everything up.
func TestReplicaGap(t *testing.T) {
	s := newStage(t)
	s.prop(3, 1, 2, 2, 2, 2, one)
	s.final(3, 1, 2, one)
	s.delivers()
	polled(s.r.Poll)
	due, ok := s.r.Deadline()
	require.True(t, ok)
	s.r.Tick(due)
	var asked, fetched bool
	for _, x := range polled(s.r.Poll) {
		asked = asked || x.Packet.Kind == MsgAsk && x.Packet.Seq == 1 && x.To == To{Kind: ToLeader, Group: 1}
		fetched = fetched || x.Packet.Kind == kindFetch && x.Packet.Flags == flagSeq && x.Packet.Seq == 1 && x.To == To{Kind: ToReplica, Group: 1, Index: 1}
	}
	require.True(t, asked, "the leader is asked")
	require.True(t, fetched, "another replica is asked")

	// The leader says which cell, and what is in it; the payload comes from the other replica.
	s.say(Packet{Kind: MsgTold, By: 1, ByEpoch: 1, Seq: 1, Digest: RingHere, Clock: 2, Mark: 2})
	sends := polled(s.r.Poll)
	require.Len(t, sends, 1)
	require.Equal(t, MsgLook, sends[0].Packet.Kind)
	s.say(Packet{Kind: MsgKnown, From: 1, By: 1, Epoch: 1, ByEpoch: 1, Groups: one, ID: ID{0, 2}, LTS: 1, Seq: 1, Clock: 2, Mark: 2, Digest: Digest([]byte{2})})
	s.delivers()
	s.say(Packet{Kind: kindHave, Flags: flagFinal, From: 1, Groups: one, ID: ID{0, 2}, Epoch: 1, LTS: 1, Seq: 1, Clock: 1, Digest: Digest([]byte{2}), Payload: []byte{2}})
	s.delivers(2, 3)
}

// TestReplicaEpoch: a new epoch's decision is not delivered by the last one's watermark, and what was
// proposed in the last one does not count.
func TestReplicaEpoch(t *testing.T) {
	s := newStage(t)
	s.prop(2, 1, 1, 1, 1, 1, both)
	s.mark(1, 9, 1)
	s.final(2, 2, 5, both) // decided in epoch 2, whose leader may have begun with a clock below 5
	s.delivers()
	s.mark(2, 9, 1)
	s.delivers() // seq 1 of epoch 2 may be another message
	s.prop(2, 2, 1, 1, 9, 1, both)
	s.delivers(2)

	// What an old leader says does not count.
	s.prop(3, 1, 2, 2, 20, 2, both)
	s.final(3, 2, 12, both)
	s.prop(3, 2, 10, 2, 10, 2, both)
	s.mark(1, 30, 2)
	s.delivers()
	s.mark(2, 12, 2)
	s.delivers(3)

	// Nor does the watermark of before.
	s.prop(4, 3, 13, 1, 13, 1, both)
	s.mark(3, 40, 1)
	s.final(4, 4, 30, both)
	s.prop(4, 4, 13, 1, 20, 1, both)
	s.delivers()
	s.mark(4, 30, 1)
	s.delivers(4)
}

// TestReplicaDuplicates: what comes again is not delivered again, and the client hears that it was.
func TestReplicaDuplicates(t *testing.T) {
	s := newStage(t)
	for range 2 {
		s.prop(2, 1, 1, 1, 1, 1, one)
		s.final(2, 1, 1, one)
	}
	s.delivers(2)
	done := 0
	for _, x := range polled(s.r.Poll) {
		if x.Packet.Kind == kindDone && x.To == (To{Kind: ToClient}) {
			done++
		}
	}
	require.Equal(t, 3, done)
	s.prop(4, 1, 2, 2, 2, 2, one)
	s.final(4, 1, 2, one)
	s.delivers(4)
	s.prop(2, 1, 3, 3, 3, 3, one) // a lap later
	s.final(2, 1, 3, one)
	s.delivers()
}

// TestReplicaFinished: a seq whose cell has a newer message is finished, and so is one that no cell has.
func TestReplicaFinished(t *testing.T) {
	s := newStage(t)
	s.prop(4, 1, 3, 3, 3, 3, one)
	s.final(4, 1, 3, one)
	s.delivers()
	polled(s.r.Poll)
	s.say(Packet{Kind: MsgTold, By: 1, ByEpoch: 1, Seq: 1, Digest: RingHere, Clock: 3, Mark: 3})
	known := func(cell, number, seq uint32) {
		s.say(Packet{Kind: MsgKnown, From: 1, By: 1, Epoch: 1, ByEpoch: 1, Groups: one, ID: ID{uint16(cell / 2), number}, BySlot: uint8(cell % 2), LTS: seq, Seq: seq, Clock: 3, Mark: 3})
	}
	known(0, 4, 3)
	require.True(t, s.r.knows(1))
	require.False(t, s.r.knows(2))

	s.say(Packet{Kind: MsgTold, By: 1, ByEpoch: 1, Seq: 2, Clock: 3, Mark: 3})
	s.delivers()
	known(0, 4, 3)
	known(1, 0, 0)
	known(2, 0, 0)
	s.delivers()
	s.say(Packet{Kind: MsgKnown, By: 1, ByEpoch: 1, ID: ID{1, 0}, BySlot: 1, Clock: 3, Mark: 2})
	s.delivers() // said before the scan began
	known(3, 0, 0)
	s.delivers(4)
}

// TestReplicaHelps: who has waited starts the message of a client that is silent, payload and all.
func TestReplicaHelps(t *testing.T) {
	s := newStage(t)
	s.prop(2, 1, 1, 1, 1, 1, both)
	polled(s.r.Poll)
	due, _ := s.r.Deadline()
	s.r.Tick(due)
	full := map[uint8]bool{}
	for _, x := range polled(s.r.Poll) {
		if x.Packet.Kind == MsgStart {
			require.Equal(t, ToLeader, x.To.Kind)
			require.EqualValues(t, FlagAgain, x.Packet.Flags)
			full[x.To.Group] = full[x.To.Group] || len(x.Packet.Payload) > 0
		}
	}
	require.Equal(t, map[uint8]bool{1: true, 2: true}, full)
	s.r.Tick(due)
	require.Empty(t, polled(s.r.Poll), "it has waited only since")
}

// TestReplicaStrange: what is not for a replica is counted, and changes nothing.
func TestReplicaStrange(t *testing.T) {
	s := newStage(t)
	for _, p := range []Packet{
		{Kind: MsgProp, From: 2, Groups: both, Payload: []byte("x")},
		{Kind: MsgProp, From: 1, Groups: Groups(0x02000000), Payload: []byte("x")},
		{Kind: MsgProp, From: 1, Groups: one},
		{Kind: MsgDeliver, From: 1, Groups: Groups(0x02000000)},
		{Kind: MsgDeliver, From: 2, Groups: both, Epoch: 9}, // another replica of this host: the port was damaged on the way
		{Kind: MsgMark, From: 1, By: 2},
		{Kind: MsgMark, From: 2, By: 1},
		{Kind: MsgTold, By: 1, Member: 1},
		{Kind: MsgKnown, By: 2},
		{Kind: kindHave, Groups: one},
		{Kind: kindFetch, By: 1, Member: 0},
		{Kind: kindFetch, By: 1, Member: 9},
		{Kind: kindFetch, Flags: flagSeq, By: 2},
		{Kind: MsgStart},
	} {
		before := s.r.Stats.Foreign
		s.say(p)
		require.Equal(t, before+1, s.r.Stats.Foreign, "%+v", p)
	}
	require.Empty(t, s.r.open)
	require.Empty(t, polled(s.r.Poll))
	s.prop(2, 1, 1, 1<<20, 1, 1, one)
	require.EqualValues(t, 1, s.r.Stats.Ahead)
	for _, o := range []ReplicaOptions{{}, {Group: 1, Index: 32}, {Group: 1, Window: 3}, {Group: 1, Retry: -1}, {Group: 1, Window: 4, Cells: 2}} {
		_, err := NewReplica(o)
		require.Error(t, err, "%+v", o)
	}
}

// An answer goes to the client, at once and whenever it is wanted, as long as the message is kept.
func TestAnswer(t *testing.T) {
	s := newStage(t)
	s.prop(2, 1, 1, 1, 1, 1, one)
	s.final(2, 1, 1, one)
	s.delivers(2)
	id := ID{0, 2}
	polled(s.r.Poll)
	s.say(Packet{Kind: kindWant, ID: id})
	require.Empty(t, polled(s.r.Poll), "it is not there yet")
	require.NoError(t, s.r.Answer(id, []byte("answer")))
	want := Packet{Kind: kindDone, Flags: flagAnswer, By: 1, ID: id, Digest: Digest([]byte("answer")), Payload: []byte("answer")}
	for range 2 {
		got := polled(s.r.Poll)
		require.Len(t, got, 1)
		require.Equal(t, To{Kind: ToClient}, got[0].To)
		got[0].Packet.Member = 0
		require.Equal(t, want, got[0].Packet)
		s.say(Packet{Kind: kindWant, ID: id})
	}
	polled(s.r.Poll)
	require.Error(t, s.r.Answer(id, make([]byte, MaxPayload+1)))
	require.NoError(t, s.r.Answer(ID{0, 99}, []byte("of nothing")))
	s.say(Packet{Kind: kindWant, ID: ID{0, 99}})
	require.Empty(t, polled(s.r.Poll))
}
