package paxos_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/soft"
)

const ms = time.Millisecond

func at(n byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), paxos.PortFirst)
}

// stage is acceptors and a learner, and whoever coordinates them, without a network between.
type stage struct {
	t         *testing.T
	acceptors []*soft.Acceptor
	learner   *soft.Learner
	delivered []paxos.Message
	c         *paxos.Coordinator
	now       time.Duration
	deaf      map[int]bool
}

// newStage has n acceptors with a ring of 64.
func newStage(t *testing.T, n int) *stage {
	s := &stage{t: t, learner: soft.NewLearner(64), deaf: map[int]bool{}}
	s.learner.Give([]netip.AddrPort{at(40)}, 1, 64)
	for i := range n {
		a := soft.NewAcceptor(64)
		a.Give(uint8(i), []netip.AddrPort{at(20)}, 0, 1, 64)
		s.acceptors = append(s.acceptors, a)
	}
	return s
}

// round gives a round to the coordinator and to the leader, with these acceptors.
func (s *stage) round(round uint32, who ...int) {
	var addrs []netip.AddrPort
	for _, i := range who {
		addrs = append(addrs, at(byte(10+i)))
	}
	s.learner.Configure(round, addrs)
	for _, a := range s.acceptors {
		a.Own(round, at(50))
		a.Own(round, at(1))
	}
}

// propose has the leader propose something to some acceptors.
func (s *stage) propose(round, instance uint32, value string, to ...int) {
	for _, i := range to {
		m := paxos.Message{Kind: paxos.Accept, Instance: instance, Round: round, Client: 9, Sequence: instance, Value: []byte(value)}
		s.vote(i, s.acceptors[i].Handle(at(1), &m), &m)
	}
}

func (s *stage) vote(i int, to []netip.AddrPort, m *paxos.Message) {
	if len(to) == 1 && m.Kind == paxos.Vote && len(s.learner.Handle(at(byte(10+i)), m)) > 0 {
		s.delivered = append(s.delivered, *m)
	}
}

// turn carries one lot of the coordinator's messages to the acceptors and their answers back.
func (s *stage) turn() {
	s.now += 20 * ms
	s.c.Tick(s.now)
	sends := append([]paxos.Send(nil), s.c.Sends()...)
	for _, x := range sends {
		if s.deaf[x.To] {
			continue
		}
		m := x.Message
		m.Value = append([]byte(nil), m.Value...)
		to := s.acceptors[x.To].Handle(at(50), &m)
		if len(to) == 1 && to[0] == at(50) {
			s.c.Answer(s.now, x.To, &m)
		} else {
			s.vote(x.To, to, &m)
		}
	}
}

func (s *stage) begin(r paxos.Recovery) {
	var err error
	s.c, err = paxos.NewCoordinator(r, paxos.CoordinatorOptions{Window: 4})
	require.NoError(s.t, err)
}

func (s *stage) until(state paxos.CoordinatorState) {
	for range 100 {
		if s.c.State() == state {
			return
		}
		s.turn()
	}
	done, all := s.c.Progress()
	s.t.Fatalf("the coordinator is at %v (%d of %d), not %v: %v", s.c.State(), done, all, state, s.c.Err())
}

const three = paxos.Acceptors(0b111)

// TestTakeOver: what may have been decided is decided again; what cannot is a no-op; and the
// leader begins after it.
func TestTakeOver(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.propose(1, 1, "everywhere", 0, 1, 2)
	s.propose(1, 2, "at two", 1, 2)
	s.propose(1, 4, "at one", 1)
	for i := uint32(5); i < 20; i++ {
		s.propose(1, i, fmt.Sprint("number ", i), 0, 2)
	}
	s.delivered = nil

	s.round(2, 0, 1, 2)
	s.deaf[2] = true
	s.begin(paxos.Recovery{Round: 2, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: three})
	s.turn()
	require.Equal(t, paxos.Recovering, s.c.State(), "two of three have promised the round")
	s.propose(1, 20, "of the old leader", 0, 1, 2)
	require.Empty(t, s.delivered, "which the old leader cannot pass")
	s.until(paxos.Done)
	require.EqualValues(t, 20, s.c.Next())

	got := map[uint32]string{}
	for _, m := range s.delivered {
		require.EqualValues(t, 2, m.Round)
		got[m.Instance] = string(m.Value)
	}
	require.Len(t, got, 19)
	require.Equal(t, "everywhere", got[1])
	require.Equal(t, "at two", got[2])
	require.Equal(t, "", got[3], "a gap is closed")
	require.Equal(t, "at one", got[4], "it may have been decided: by the one who does not answer")
	require.Equal(t, "number 19", got[19])
	s.propose(2, 20, "of the new leader", 0, 1)
	require.Equal(t, "of the new leader", string(s.delivered[len(s.delivered)-1].Value))
}

// TestTakeOverOfNothing: there is nothing to recover in the beginning.
func TestTakeOverOfNothing(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.begin(paxos.Recovery{Round: 1, First: 1, Floor: true, New: three})
	s.until(paxos.Done)
	require.EqualValues(t, 1, s.c.Next())
	require.Empty(t, s.c.Sends())
}

// TestNoMajority: with one acceptor of three nothing is done, and it goes on as soon as another
// one answers.
func TestNoMajority(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.round(2, 0, 1, 2)
	s.propose(1, 1, "x", 0)
	s.deaf[1], s.deaf[2] = true, true
	s.begin(paxos.Recovery{Round: 2, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: three})
	for range 10 {
		s.turn()
	}
	require.Equal(t, paxos.Flooring, s.c.State())
	s.deaf[1] = false
	s.until(paxos.Done)
}

// TestHighestRound: the value of the highest round is adopted, whoever answers first.
func TestHighestRound(t *testing.T) {
	s := newStage(t, 3)
	for r := uint32(1); r < 4; r++ {
		s.round(r, 0, 1, 2)
	}
	s.propose(1, 1, "old", 0)
	s.propose(2, 1, "new", 1, 2)
	s.begin(paxos.Recovery{Round: 3, First: 1, Last: 1, Old: []paxos.Acceptors{three}, New: three})
	s.until(paxos.Done)
	require.Equal(t, "new", string(s.delivered[len(s.delivered)-1].Value))
}

// TestGap: an instance is closed in a round of its own, and the leader goes on in its own.
func TestGap(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.propose(1, 1, "lost", 0)
	s.propose(1, 2, "there", 0, 1, 2)
	s.round(2, 0, 1, 2)
	s.deaf[0] = true
	s.begin(paxos.Recovery{Round: 2, First: 1, Last: 1, Old: []paxos.Acceptors{three}, New: three})
	s.until(paxos.Done)
	last := s.delivered[len(s.delivered)-1]
	require.EqualValues(t, 1, last.Instance)
	require.Zero(t, last.Client, "a no-op")
	s.propose(1, 1, "lost", 0, 1, 2)
	s.propose(1, 3, "goes on", 0, 1)
	require.Equal(t, "goes on", string(s.delivered[len(s.delivered)-1].Value))
	require.EqualValues(t, 3, s.delivered[len(s.delivered)-1].Instance)
}

// TestReplaceAcceptor: what was decided with the acceptor that is gone is decided again with the
// new one before it counts; and both configurations are asked until that is done.
func TestReplaceAcceptor(t *testing.T) {
	s := newStage(t, 4)
	s.round(1, 0, 1, 2)
	s.propose(1, 1, "a", 0, 1)
	s.propose(1, 2, "b", 0, 2)
	s.delivered = nil
	s.acceptors[3].Give(0, []netip.AddrPort{at(20)}, 2, 1, 64)
	s.deaf[0] = true // it is gone

	s.round(2, 3, 1, 2)
	replaced := paxos.Acceptors(0b1110)
	s.begin(paxos.Recovery{Round: 2, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: replaced})
	s.deaf[1] = true
	for range 5 {
		s.turn()
	}
	require.Equal(t, paxos.Flooring, s.c.State(), "2 and 3 are a majority of the new, and not of the old")
	s.deaf[1] = false
	s.until(paxos.Done)
	require.Len(t, s.delivered, 2)

	// From now on 1 may be gone, too.
	s.round(3, 3, 1, 2)
	s.deaf[1] = true
	s.begin(paxos.Recovery{Round: 3, First: 1, Floor: true, Old: []paxos.Acceptors{replaced}, New: replaced})
	s.until(paxos.Done)
	require.EqualValues(t, 3, s.c.Next())
	require.Equal(t, "a", string(s.delivered[2].Value))
	require.Equal(t, "b", string(s.delivered[3].Value))
}

// TestPreempted: a coordinator whose round is passed over ends, and says so.
func TestPreempted(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.round(2, 0, 1, 2)
	s.begin(paxos.Recovery{Round: 2, First: 1, Floor: true, New: three})
	s.until(paxos.Done)
	s.begin(paxos.Recovery{Round: 1, First: 1, Floor: true, New: three})
	s.until(paxos.Failed)
	require.ErrorIs(t, s.c.Err(), paxos.ErrPreempted)
	s.now += time.Second
	s.c.Tick(s.now)
	require.Empty(t, s.c.Sends(), "nothing more is sent")
}

// TestForgotten: who has forgotten is named, and does not count.
func TestForgotten(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.acceptors[1].Forget()
	s.begin(paxos.Recovery{Round: 1, First: 1, Floor: true, New: three})
	s.until(paxos.Done)
	require.Equal(t, paxos.Acceptors(0b010), s.c.Forgot())
}

// TestTrimWhileRecovering: what is trimmed meanwhile is not waited for.
func TestTrimWhileRecovering(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.round(2, 0, 1, 2)
	for i := uint32(1); i <= 20; i++ {
		s.propose(1, i, "x", 0, 1, 2)
	}
	s.begin(paxos.Recovery{Round: 2, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: three})
	s.turn()
	for _, a := range s.acceptors {
		a.Trim(15, 78)
	}
	for range 5 {
		s.turn()
	}
	require.Equal(t, paxos.Recovering, s.c.State(), "acceptors say nothing about what was trimmed")
	s.c.Trim(s.now, 15)
	s.until(paxos.Done)
	require.EqualValues(t, 21, s.c.Next())

	s.round(3, 0, 1, 2)
	s.begin(paxos.Recovery{Round: 3, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: three})
	s.c.Trim(s.now, 21)
	s.until(paxos.Done)
	require.EqualValues(t, 21, s.c.Next())
}

// TestWrap: instances go round.
func TestWrap(t *testing.T) {
	s := newStage(t, 3)
	first := ^uint32(0) - 2
	for _, a := range s.acceptors {
		a.Give(0, []netip.AddrPort{at(20)}, 0, first, first+63)
	}
	s.learner.Give([]netip.AddrPort{at(40)}, first, first+63)
	s.round(1, 0, 1, 2)
	s.round(2, 0, 1, 2)
	for i := range uint32(6) {
		s.propose(1, first+i, "x", 0, 1)
	}
	s.delivered = nil
	s.begin(paxos.Recovery{Round: 2, First: first, Floor: true, Old: []paxos.Acceptors{three}, New: three})
	s.until(paxos.Done)
	require.EqualValues(t, 3, s.c.Next())
	require.Len(t, s.delivered, 6)
}

func TestBadRecovery(t *testing.T) {
	for what, r := range map[string]paxos.Recovery{
		"round 0":            {New: three, Floor: true},
		"too high a round":   {Round: 1 << 31, New: three, Floor: true},
		"nobody":             {Round: 1, Floor: true},
		"nobody before":      {Round: 1, Floor: true, New: three, Old: []paxos.Acceptors{0}},
		"nothing":            {Round: 1, First: 5, Last: 3, New: three},
		"more than the ring": {Round: 1, First: 1, Last: 100, Ring: 64, New: three},
		"an impossible ring": {Round: 1, Floor: true, Ring: 1 << 30, New: three},
	} {
		_, err := paxos.NewCoordinator(r, paxos.CoordinatorOptions{})
		require.ErrorIs(t, err, paxos.ErrRecovery, what)
	}
	// An acceptor that says it has voted where nothing can be is no reason to begin there.
	c, err := paxos.NewCoordinator(paxos.Recovery{Round: 1, First: 1, Floor: true, Ring: 64, New: three}, paxos.CoordinatorOptions{})
	require.NoError(t, err)
	c.Answer(0, 0, &paxos.Message{Kind: paxos.Floored, Round: 1, Instance: 65})
	require.Equal(t, paxos.Failed, c.State())
	require.ErrorIs(t, c.Err(), paxos.ErrRecovery)
}

// FuzzCoordinator: no answers make it panic, or end with fewer than a majority.
func FuzzCoordinator(f *testing.F) {
	f.Add([]byte{7, 0, 0, 1, 7, 1, 0, 2, 3, 0, 1, 1, 3, 1, 1, 1, 3, 0, 1, 3, 3, 1, 1, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := paxos.NewCoordinator(paxos.Recovery{Round: 3, First: 1, Floor: true, Ring: 16, Old: []paxos.Acceptors{three}, New: 0b1110}, paxos.CoordinatorOptions{Window: 2})
		require.NoError(t, err)
		var answered paxos.Acceptors
		for now := time.Duration(0); len(b) >= 4; b, now = b[4:], now+ms {
			m := paxos.Message{Kind: paxos.Kind(b[0] % 12), Instance: uint32(int8(b[2])), Round: 3, VoteRound: uint32(b[3] % 16), Value: []byte("value")}
			from := int(b[1]%6) - 1
			if m.Kind == paxos.Floored && from >= 0 {
				answered = answered.With(from)
			}
			c.Answer(now, from, &m)
			if b[3] > 250 {
				c.Trim(now, uint32(b[2]))
			}
			c.Tick(now)
			for _, s := range c.Sends() {
				require.True(t, s.Message.Round == 3 && s.To < 4)
				if s.Message.Kind != paxos.Floor {
					require.Greater(t, (answered & three).Len(), 1)
				}
			}
		}
	})
}

// TestNoops: a no-op is proposed where nothing can have been chosen, and nowhere else.
func TestNoops(t *testing.T) {
	s := newStage(t, 3)
	s.round(1, 0, 1, 2)
	s.propose(1, 2, "at one", 1)
	s.round(2, 0, 1, 2)
	noops := map[uint32][]byte{1: []byte("nothing"), 2: []byte("nothing"), 9: []byte("not here")}
	s.deaf[0] = true // the others have promised, and one of them has voted
	s.begin(paxos.Recovery{Round: 2, First: 1, Last: 3, Old: []paxos.Acceptors{three}, New: three, Ring: 64, Noops: noops})
	s.until(paxos.Done)
	got := map[uint32]string{}
	for _, m := range s.delivered {
		got[m.Instance] = fmt.Sprintf("%d %q", m.Client, m.Value)
	}
	require.Equal(t, map[uint32]string{1: `0 "nothing"`, 2: `9 "at one"`, 3: `0 ""`}, got)

	noops[1] = make([]byte, paxos.MaxValue+1)
	_, err := paxos.NewCoordinator(paxos.Recovery{Round: 3, First: 1, Last: 3, New: three, Noops: noops}, paxos.CoordinatorOptions{})
	require.ErrorIs(t, err, paxos.ErrValue)
	require.ErrorContains(t, err, "the no-op of instance 1")
}
