package amcast

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func polled(poll func() (Send, bool)) (all []Send) {
	for x, ok := poll(); ok; x, ok = poll() {
		all = append(all, x)
	}
	return all
}

func newSender(t *testing.T) *Sender {
	s, err := NewSender(SenderOptions{Client: 2, Window: 2, Retry: time.Millisecond, Directory: Directory{1: {2, 3}, 2: {1, 1}}})
	require.NoError(t, err)
	return s
}

// TestSender: a message goes to each leader bare and full, and is finished when all replicas have it.
func TestSender(t *testing.T) {
	s := newSender(t)
	both, one := Groups(0x01020000), Groups(0x01000000)
	id, err := s.Multicast(0, both, []byte("abc"))
	require.NoError(t, err)
	require.Equal(t, ID{2, 2}, id, "lap 0 is nobody's")
	sends := polled(s.Poll)
	require.Len(t, sends, 4)
	for i, x := range sends {
		require.Equal(t, To{Kind: ToLeader, Group: uint8(1 + i/2)}, x.To)
		require.Equal(t, i%2 == 1, len(x.Packet.Payload) > 0)
		require.Equal(t, Digest([]byte("abc")), x.Packet.Digest)
		require.EqualValues(t, 2, x.Packet.Seq)
	}
	_, err = s.Multicast(0, one, []byte("x"))
	require.NoError(t, err)
	_, err = s.Multicast(0, one, []byte("y"))
	require.ErrorIs(t, err, ErrFull)
	polled(s.Poll)

	done := func(number uint32, group, index uint8) {
		s.Receive(0, &Packet{Kind: kindDone, ID: ID{2, number}, By: group, Member: index})
	}
	// The second is finished first: its cell is free, but not below the first.
	done(3, 1, 0)
	require.Equal(t, 2, s.Open(), "the other replica")
	done(3, 1, 1)
	require.True(t, s.Full())
	done(2, 1, 0)
	done(2, 1, 0)
	done(2, 1, 1)
	require.True(t, s.Full(), "the other destination")

	// What is done is started without the payload: the other destination needs its proposal.
	due, ok := s.Deadline()
	require.True(t, ok)
	s.Tick(due)
	sends = polled(s.Poll)
	require.Len(t, sends, 3)
	require.Equal(t, To{Kind: ToLeader, Group: 1}, sends[0].To)
	require.Empty(t, sends[0].Packet.Payload)
	require.EqualValues(t, FlagAgain, sends[0].Packet.Flags)

	done(2, 2, 0)
	require.False(t, s.Full())
	require.Zero(t, s.Open())
	_, ok = s.Deadline()
	require.False(t, ok)
}

// TestSenderReplicaFails: who has failed is waited for no longer.
func TestSenderReplicaFails(t *testing.T) {
	s := newSender(t)
	_, err := s.Multicast(0, 0x01000000, []byte("x"))
	require.NoError(t, err)
	s.Receive(0, &Packet{Kind: kindDone, ID: ID{2, 2}, By: 1, Member: 1})
	require.Equal(t, 1, s.Open())
	s.SetDirectory(Directory{1: {2, 2}})
	require.Zero(t, s.Open())
}

// TestSenderRefuses: what cannot be sent is an error, and what is not for a sender is counted.
func TestSenderRefuses(t *testing.T) {
	s := newSender(t)
	for what, err := range map[string]error{
		"groups":  second(s.Multicast(0, 0x02010000, []byte("x"))),
		"unknown": second(s.Multicast(0, 0x03000000, []byte("x"))),
		"empty":   second(s.Multicast(0, 0x01000000, nil)),
		"long":    second(s.Multicast(0, 0x01000000, make([]byte, MaxPayload+1))),
	} {
		require.Error(t, err, what)
	}
	id, err := s.Multicast(0, 0x01000000, []byte("x"))
	require.NoError(t, err)
	polled(s.Poll)
	s.Receive(0, &Packet{Kind: kindDone, ID: ID{3, 2}, By: 1})
	s.Receive(0, &Packet{Kind: kindDone, ID: id, By: 2})
	s.Receive(0, &Packet{Kind: kindDone, ID: id, By: 1, Member: 2})
	s.Receive(0, &Packet{Kind: kindFetch, ID: id, By: 9})
	s.Receive(0, &Packet{Kind: MsgDeliver, ID: id})
	require.EqualValues(t, 5, s.Stats.Foreign)
	require.Equal(t, 1, s.Open())

	s.Receive(0, &Packet{Kind: MsgRefused, ID: id, LTS: uint32(Drop(8))})
	require.Equal(t, Drop(8), s.Trouble)
	s.Receive(0, &Packet{Kind: kindFetch, ID: id, By: 1, Member: 1})
	sends := polled(s.Poll)
	require.Len(t, sends, 1)
	require.Equal(t, To{Kind: ToReplica, Group: 1, Index: 1}, sends[0].To)
	require.Equal(t, []byte("x"), sends[0].Packet.Payload)

	for _, o := range []SenderOptions{{Client: 256}, {Window: 3}, {Window: 512}, {Retry: -1}} {
		_, err := NewSender(o)
		require.Error(t, err, "%+v", o)
	}
}

func second(_ ID, err error) error { return err }

// The answers to a call are there when each group has answered, once; the message is finished when all replicas have it. A replica that has delivered it, and whose answer is missing, is asked
// for it; nobody is asked to start it again.
func TestCall(t *testing.T) {
	const ms = time.Millisecond
	s, err := NewSender(SenderOptions{Client: 2, Window: 4, Retry: ms, Directory: Directory{1: {2, 3}, 2: {1, 1}}})
	require.NoError(t, err)
	id, err := s.Call(0, Groups(0x01020000), []byte("x"))
	require.NoError(t, err)
	polled(s.Poll)
	done := func(group, member uint8, answer string) {
		p := Packet{Kind: kindDone, ID: id, By: group, Member: member}
		if answer != "" {
			p.Flags, p.Payload = flagAnswer, []byte(answer)
		}
		s.Receive(0, &p)
	}
	done(1, 0, "")
	done(1, 1, "one")
	done(1, 0, "another one")
	done(2, 0, "")
	require.False(t, s.Finished(id), "group 2 has not answered")
	_, ok := s.Answers(id)
	require.False(t, ok)
	due, ok := s.Deadline()
	require.True(t, ok)
	s.Tick(due)
	asked := polled(s.Poll)
	require.Len(t, asked, 1, "%v", asked)
	require.Equal(t, kindWant, asked[0].Packet.Kind)
	require.Equal(t, To{Kind: ToReplica, Group: 2}, asked[0].To)
	done(2, 0, "two")
	require.True(t, s.Finished(id))
	require.Empty(t, s.sends)
	answers, ok := s.Answers(id)
	require.True(t, ok)
	require.Equal(t, map[uint8][]byte{1: []byte("one"), 2: []byte("two")}, answers)
	_, ok = s.Answers(id)
	require.False(t, ok, "they are given once")

	// Answers do not wait for replicas that have not delivered it.
	id, err = s.Call(0, Groups(0x01000000), []byte("x"))
	require.NoError(t, err)
	done(1, 1, "one")
	answers, ok = s.Answers(id)
	require.True(t, ok)
	require.Equal(t, map[uint8][]byte{1: []byte("one")}, answers)
	require.False(t, s.Finished(id))
	done(1, 0, "")
	require.True(t, s.Finished(id))

	// A group all of whose replicas have failed does not answer.
	id, err = s.Call(0, Groups(0x01020000), []byte("x"))
	require.NoError(t, err)
	done(1, 0, "one")
	done(1, 1, "")
	s.SetDirectory(Directory{1: {2, 3}, 2: {1, 0}})
	answers, ok = s.Answers(id)
	require.True(t, ok)
	require.Equal(t, map[uint8][]byte{1: []byte("one")}, answers)

	// Whoever does not wait any more leaves nothing.
	id, err = s.Call(0, Groups(0x01000000), []byte("x"))
	require.NoError(t, err)
	done(1, 0, "")
	done(1, 1, "")
	require.False(t, s.Finished(id))
	s.Forget(id)
	require.True(t, s.Finished(id))
	require.Empty(t, s.calls)
}
