package soft

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/systems/paxos"
)

func at(n byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, n}), paxos.PortFirst)
}

// roles are one of each kind, in round 5 of at(1), with acceptors at 10, 11, 12.
func roles(ring int) (*Leader, *Acceptor, *Learner) {
	last := uint32(ring)
	l := NewLeader(ring)
	l.Trim(1, last)
	l.Lead(5, 1, []netip.AddrPort{at(10), at(11), at(12)})
	a := NewAcceptor(ring)
	a.Give(0, []netip.AddrPort{at(20)}, 0, 1, last)
	a.Own(5, at(1))
	n := NewLearner(ring)
	n.Give([]netip.AddrPort{at(40), at(41)}, 1, last)
	n.Configure(5, []netip.AddrPort{at(10), at(11), at(12)})
	return l, a, n
}

// TestWay: a request becomes what all replicas are told.
func TestWay(t *testing.T) {
	l, a, n := roles(8)
	m := paxos.Message{Kind: paxos.Request, Client: 7, Sequence: 3, Value: []byte("value")}
	require.Len(t, l.Handle(at(30), &m), 3)
	require.Equal(t, paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 5, Client: 7, Sequence: 3, Value: []byte("value")}, m)
	require.Equal(t, []netip.AddrPort{at(20)}, a.Handle(at(1), &m))
	require.Equal(t, paxos.Vote, m.Kind)
	vote := m
	require.Empty(t, n.Handle(at(10), &m))
	m = vote
	require.Empty(t, n.Handle(at(10), &m), "the same vote twice")
	m = vote
	require.Equal(t, []netip.AddrPort{at(40), at(41)}, n.Handle(at(12), &m))
	require.Equal(t, paxos.Deliver, m.Kind)
	m = vote
	require.Empty(t, n.Handle(at(11), &m), "once")
}

// TestRefusals: who asks is told why he gets nothing, and it is counted. What the switch does is
// compared with all this in systems/paxos/test/program.
func TestRefusals(t *testing.T) {
	l, a, n := roles(2)
	for _, c := range []struct {
		what   string
		role   Role
		from   byte
		m      paxos.Message
		reason paxos.Reason
		told   bool
	}{
		{"a vote for the leader", l, 10, paxos.Message{Kind: paxos.Vote}, paxos.ReasonMessage, false},
		{"a request for an acceptor", a, 30, paxos.Message{Kind: paxos.Request}, paxos.ReasonMessage, true},
		{"somebody else's round", a, 30, paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 5}, paxos.ReasonRound, false},
		{"nobody's round", a, 1, paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 0}, paxos.ReasonRound, false},
		{"too far", a, 1, paxos.Message{Kind: paxos.Prepare, Instance: 3, Round: 5}, paxos.ReasonWindow, true},
		{"trimmed", a, 1, paxos.Message{Kind: paxos.Query}, paxos.ReasonWindow, true},
		{"not voted in", a, 40, paxos.Message{Kind: paxos.Query, Instance: 1}, paxos.ReasonNotVoted, true},
		{"a stranger's vote", n, 60, paxos.Message{Kind: paxos.Vote, Instance: 1, Round: 5}, paxos.ReasonRound, false},
		{"a vote in a round of nobody", n, 10, paxos.Message{Kind: paxos.Vote, Instance: 1, Round: 9}, paxos.ReasonRound, false},
		{"a vote too far ahead", n, 10, paxos.Message{Kind: paxos.Vote, Instance: 3, Round: 5}, paxos.ReasonWindow, false},
	} {
		before := c.role.Dropped(c.reason)
		to := c.role.Handle(at(c.from), &c.m)
		require.Equal(t, before+1, c.role.Dropped(c.reason), c.what)
		if c.told {
			require.Equal(t, []netip.AddrPort{at(c.from)}, to, c.what)
			require.Equal(t, paxos.Refused, c.m.Kind, c.what)
			require.EqualValues(t, c.reason, c.m.VoteRound, c.what)
		} else {
			require.Empty(t, to, c.what)
		}
	}
	request := func() paxos.Message {
		m := paxos.Message{Kind: paxos.Request, Client: 7, Sequence: 1}
		l.Handle(at(30), &m)
		return m
	}
	require.EqualValues(t, 1, request().Instance)
	require.EqualValues(t, 2, request().Instance)
	full := request()
	require.EqualValues(t, paxos.ReasonFull, full.VoteRound)
	require.EqualValues(t, 3, full.Instance, "the next one")
	l.Trim(2, 3)
	require.EqualValues(t, 3, request().Instance)
	l.Stop()
	require.EqualValues(t, paxos.ReasonNoRole, request().VoteRound)
	l.Forget()
	require.EqualValues(t, paxos.ReasonAmnesia, request().VoteRound)
}

// FuzzRoles: no messages make a role panic, and an acceptor's promises hold.
func FuzzRoles(f *testing.F) {
	f.Add([]byte{1, 30, 0, 0, 4, 1, 1, 5, 2, 1, 1, 5, 5, 10, 1, 5})
	f.Fuzz(func(t *testing.T, b []byte) {
		l, a, n := roles(4)
		a.Own(7, at(1))
		promised := map[uint32]uint32{}
		floor := uint32(0)
		for ; len(b) >= 4; b = b[4:] {
			m := paxos.Message{Kind: paxos.Kind(b[0] % 12), Instance: uint32(int8(b[2])), Round: uint32(b[3] % 9), Flags: b[3] / 128, Value: []byte("v")}
			in := m
			for _, r := range []Role{l, a, n} {
				m := in
				to := r.Handle(at(b[1]), &m)
				if r != Role(a) || len(to) == 0 {
					continue
				}
				switch m.Kind {
				case paxos.Floored:
					floor = m.Round
				case paxos.Promise:
					promised[m.Instance] = max(promised[m.Instance], m.Round)
				case paxos.Vote:
					if m.Flags&paxos.Again == 0 {
						require.GreaterOrEqual(t, m.Round, floor)
						require.GreaterOrEqual(t, m.Round, promised[m.Instance])
						require.True(t, m.Instance >= 1 && m.Instance <= 4)
					}
				}
			}
		}
	})
}

func TestAllocations(t *testing.T) {
	for name, step := range steps() {
		require.Zero(t, testing.AllocsPerRun(1000, step), name)
	}
}

// steps are what each role does with a message, from datagram to datagram.
func steps() map[string]func() {
	const ring = 1 << 16
	value := []byte("0123456789abcdef0123456789abcdef")
	l, a, n := roles(ring)
	var m paxos.Message
	var out []byte
	do := func(r Role, from netip.AddrPort, in paxos.Message) func() {
		b, _ := in.Append(nil)
		out = make([]byte, 0, paxos.MaxMessage)
		return func() {
			_ = m.Parse(b)
			if len(r.Handle(from, &m)) > 0 {
				out, _ = m.Append(out[:0])
			}
		}
	}
	request := do(l, at(30), paxos.Message{Kind: paxos.Request, Client: 1, Sequence: 1, Value: value})
	return map[string]func(){
		"leader": func() {
			l.last = l.next + ring
			request()
		},
		"acceptor": do(a, at(1), paxos.Message{Kind: paxos.Accept, Instance: 1, Round: 5, Value: value}),
		"learner":  do(n, at(10), paxos.Message{Kind: paxos.Vote, Flags: paxos.Again, Instance: 1, Round: 5, Value: value}),
	}
}

func BenchmarkRoles(b *testing.B) {
	for name, step := range steps() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// TestVotesOnceInARound: who proposes another value in a round that has been voted in gets the vote that was given.
func TestVotesOnceInARound(t *testing.T) {
	_, a, _ := roles(8)
	m := paxos.Message{Kind: paxos.Accept, Instance: 2, Round: 5, Client: 7, Sequence: 3, Value: []byte("first")}
	require.Len(t, a.Handle(at(1), &m), 1)
	first := m
	m = paxos.Message{Kind: paxos.Accept, Instance: 2, Round: 5, Client: 8, Sequence: 4, Value: []byte("second")}
	require.Len(t, a.Handle(at(1), &m), 1)
	require.Equal(t, first, m)
	a.Own(6, at(1))
	m = paxos.Message{Kind: paxos.Accept, Instance: 2, Round: 6, Client: 8, Sequence: 4, Value: []byte("second")}
	require.Len(t, a.Handle(at(1), &m), 1)
	require.Equal(t, []byte("second"), m.Value)
}
