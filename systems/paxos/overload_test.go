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

// busy is a network in simulated time in which whoever answers takes time for it, and has room for so many that wait:
// what comes too much is lost. A switch was killed; a coordinator takes over with the two acceptors that are left, and what
// the leader had under way is at one of them only. Replicas ask for it, and proposers send on.
type busy struct {
	now         time.Duration
	servers     [3]line // acceptors 0 and 1, and the leader
	acceptors   [2]*soft.Acceptor
	leader      *soft.Leader
	learner     *soft.Learner
	replicas    []*paxos.Replica
	proposers   []*paxos.Proposer
	coordinator *paxos.Coordinator
	leads       bool
	left        []int // values that each host has not submitted yet
	undelivered int
	deaf        bool           // nobody answers
	sent        map[string]int // messages, by who sends them
}

type line struct {
	queue []datagram
	lost  int
}

type datagram struct {
	from netip.AddrPort
	m    paxos.Message
}

const (
	// each is how long a message takes: 5,000 are answered a second, as a switch in the interpreter does.
	each       = 200 * time.Microsecond
	waiting    = 256 // messages at a time
	unfinished = 400 // instances
	values     = 100 // of each host
)

func newBusy(t *testing.T) *busy {
	const ring = 1 << 16
	b := &busy{leader: soft.NewLeader(ring), learner: soft.NewLearner(ring), sent: map[string]int{}}
	acceptors := []netip.AddrPort{at(10), at(11), at(12)}
	b.learner.Give([]netip.AddrPort{at(40)}, 1, ring)
	b.learner.Configure(1, acceptors)
	b.learner.Configure(2, acceptors)
	for i := range b.acceptors {
		a := soft.NewAcceptor(ring)
		a.Give(uint8(i), []netip.AddrPort{at(20)}, 0, 1, ring)
		a.Own(1, at(1))
		a.Own(2, at(1))
		a.Own(2, at(50))
		b.acceptors[i] = a
	}
	for i := range 4 {
		r, err := paxos.NewReplica(paxos.ReplicaOptions{Host: uint32(i + 1), Acceptors: 3, Ring: ring})
		require.NoError(t, err)
		p, err := paxos.NewProposer(paxos.ProposerOptions{Client: uint32(i + 1)})
		require.NoError(t, err)
		b.replicas, b.proposers, b.left = append(b.replicas, r), append(b.proposers, p), append(b.left, values)
		b.undelivered += values
	}
	for i := uint32(1); i <= unfinished+1; i++ {
		for a := range b.acceptors {
			if a == 0 || i > unfinished {
				m := paxos.Message{Kind: paxos.Accept, Instance: i, Round: 1, Client: 99, Sequence: i, Value: []byte("x")}
				b.vote(a, b.acceptors[a].Handle(at(1), &m), &m)
			}
		}
	}
	var err error
	b.coordinator, err = paxos.NewCoordinator(paxos.Recovery{Round: 2, First: 1, Floor: true, Old: []paxos.Acceptors{three}, New: three, Ring: ring},
		paxos.CoordinatorOptions{Window: 16})
	require.NoError(t, err)
	return b
}

func (b *busy) send(to int, from netip.AddrPort, m *paxos.Message) {
	s := &b.servers[to]
	if b.deaf || len(s.queue) >= waiting {
		s.lost++
		return
	}
	d := datagram{from, *m}
	d.m.Value = append([]byte(nil), m.Value...)
	s.queue = append(s.queue, d)
}

func (b *busy) vote(i int, to []netip.AddrPort, m *paxos.Message) {
	if len(to) != 1 || m.Kind != paxos.Vote || len(b.learner.Handle(at(byte(10+i)), m)) == 0 {
		return
	}
	for h, r := range b.replicas {
		r.Deliver(b.now, m)
		for e := (paxos.Entry{}); r.Next(&e); {
			if h < len(b.proposers) && e.Client == uint32(h+1) && b.proposers[h].Delivered(b.now, e.Sequence) {
				b.undelivered--
			}
		}
	}
}

// serve answers one message at each server.
func (b *busy) serve() {
	for i := range b.servers {
		s := &b.servers[i]
		if len(s.queue) == 0 {
			continue
		}
		d := s.queue[0]
		s.queue = s.queue[1:]
		if i == 2 {
			if b.leads && b.leader.Handle(d.from, &d.m) != nil && d.m.Kind == paxos.Accept {
				b.send(0, at(1), &d.m)
				b.send(1, at(1), &d.m)
			}
			continue
		}
		switch to := b.acceptors[i].Handle(d.from, &d.m); {
		case len(to) == 1 && to[0] == at(50):
			b.coordinator.Answer(b.now, i, &d.m)
		case len(to) == 1 && to[0] == at(40):
			for _, r := range b.replicas {
				r.Refuse(&d.m)
			}
		default:
			b.vote(i, to, &d.m)
		}
	}
}

// step is a turn of everybody.
func (b *busy) step() {
	b.now += each
	b.serve()
	b.coordinator.Tick(b.now)
	for _, s := range b.coordinator.Sends() {
		b.sent["coordinator"]++
		if s.To < 2 {
			b.send(s.To, at(50), &s.Message)
		}
	}
	if s := b.coordinator.State(); !b.leads && (s == paxos.Recovering || s == paxos.Done) {
		b.leads = true
		b.leader.Lead(2, b.coordinator.Next(), []netip.AddrPort{at(10), at(11)})
		b.leader.Trim(1, 1<<16)
	}
	for i, r := range b.replicas {
		r.Tick(b.now)
		for _, s := range r.Sends() {
			b.sent[fmt.Sprint("replica ", i)]++
			if s.To == 0 || s.To == 1 {
				b.send(int(s.To), at(40), &s.Message)
			}
		}
	}
	for i, p := range b.proposers {
		for b.left[i] > 0 {
			if _, err := p.Submit(b.now, alone); err != nil {
				break
			}
			b.left[i]--
		}
		p.Tick(b.now)
		for _, m := range p.Sends() {
			b.sent[fmt.Sprint("proposer ", i)]++
			if m.Kind == paxos.Request {
				b.send(2, at(40), &m)
			}
		}
	}
}

func (b *busy) recovered() bool {
	for _, r := range b.replicas {
		if r.Position() <= unfinished+1 {
			return false
		}
	}
	return b.coordinator.State() == paxos.Done && b.undelivered == 0
}

// TestOverload: for a second ten times as much of what a sender sends comes as can be answered. A second later all is done:
// the take-over, what replicas missed, and what was proposed.
func TestOverload(t *testing.T) {
	value := alone
	for name, flood := range map[string]struct {
		to []int
		m  paxos.Message
	}{
		"nothing":  {},
		"queries":  {[]int{0, 1}, paxos.Message{Kind: paxos.Query, Instance: 1}},
		"prepares": {[]int{0, 1}, paxos.Message{Kind: paxos.Prepare, Instance: 1, Round: 2}},
		"accepts":  {[]int{0, 1}, paxos.Message{Kind: paxos.Accept, Instance: unfinished + 1, Round: 2, Client: 99, Sequence: unfinished + 1, Value: []byte("x")}},
		"floors":   {[]int{0, 1}, paxos.Message{Kind: paxos.Floor, Instance: 1, Round: 2}},
		"requests": {[]int{2}, paxos.Message{Kind: paxos.Request, Client: 1, Sequence: 1, Value: value}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBusy(t)
			from := at(50)
			if flood.m.Kind == paxos.Query || flood.m.Kind == paxos.Request {
				from = at(40)
			}
			for b.now < time.Second {
				for range 10 {
					for _, to := range flood.to {
						b.send(to, from, &flood.m)
					}
				}
				b.step()
			}
			end := b.now
			for !b.recovered() && b.now < end+20*time.Second {
				b.step()
			}
			done, all := b.coordinator.Progress()
			t.Logf("recovered %v after the flood; sent %v", b.now-end, b.sent)
			require.LessOrEqual(t, b.now-end, time.Second, "coordinator %v (%d of %d); replicas are at %d; %d values are not delivered",
				b.coordinator.State(), done, all, b.replicas[0].Position(), b.undelivered)
		})
	}
}

// TestSilence: who is not answered sends ever less.
func TestSilence(t *testing.T) {
	b := newBusy(t)
	b.deaf = true
	for b.now < 2*time.Second {
		b.step()
	}
	clear(b.sent)
	for b.now < 12*time.Second {
		b.step()
	}
	require.NotEmpty(t, b.sent)
	for who, n := range b.sent {
		require.LessOrEqual(t, n, 10*200, "%s, in 10 s", who)
	}
	b.deaf = false
	end := b.now
	for !b.recovered() && b.now < end+20*time.Second {
		b.step()
	}
	require.LessOrEqual(t, b.now-end, time.Second, "and has what it wanted soon after")
}

// TestSlowStart: a take-over begins with few instances at once, and has as many as it may when they are answered.
func TestSlowStart(t *testing.T) {
	b := newBusy(t)
	var lots []int // instances that were begun, turn by turn, with an answer to each between
	begun := uint32(0)
	for b.coordinator.State() != paxos.Done {
		b.now += each
		b.coordinator.Tick(b.now)
		before := begun
		sends := append([]paxos.Send(nil), b.coordinator.Sends()...)
		for _, s := range sends {
			m := s.Message
			m.Value = append([]byte(nil), m.Value...)
			if m.Kind == paxos.Prepare {
				begun = max(begun, m.Instance)
			}
			if s.To < 2 && len(b.acceptors[s.To].Handle(at(50), &m)) == 1 {
				b.coordinator.Answer(b.now, s.To, &m)
			}
		}
		if begun > before {
			lots = append(lots, int(begun-before))
		}
	}
	require.Equal(t, 4, lots[0])
	require.Contains(t, lots, 16, "%v", lots)
}

// TestOneAsker: what all replicas miss is not asked for by all of them, when what one of them asks is answered.
func TestOneAsker(t *testing.T) {
	b := newBusy(t)
	b.proposers = nil
	for a := range b.acceptors { // all of it was chosen: it was the learner's messages that were lost
		for i := uint32(1); i <= unfinished; i++ {
			m := paxos.Message{Kind: paxos.Accept, Instance: i, Round: 1, Client: 99, Sequence: i, Value: []byte("x")}
			b.acceptors[a].Handle(at(1), &m)
		}
	}
	queries := 0
	for b.replicas[0].Position() <= unfinished && b.now < 10*time.Second {
		b.now += each
		b.serve()
		for _, r := range b.replicas {
			r.Tick(b.now)
			for _, s := range r.Sends() {
				if s.To == 0 || s.To == 1 {
					queries++
					b.send(int(s.To), at(40), &s.Message)
				}
			}
		}
	}
	require.Greater(t, b.replicas[0].Position(), uint64(unfinished))
	t.Logf("%d queries at two acceptors for %d instances, after %v", queries, unfinished, b.now)
	require.Less(t, queries, 3*2*unfinished, "four replicas together do not ask as three")
}
