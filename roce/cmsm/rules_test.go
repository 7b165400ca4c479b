package cmsm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestCommIDs: comm ids are never 0, and no two connections have the same.
func TestCommIDs(t *testing.T) {
	a := NewAgent(Config{Seed: 1<<32 - 3})
	seen := map[uint32]bool{}
	for i := range 6 {
		req, err := offer(uint32(17+i), "").REQ()
		require.NoError(t, err)
		c := a.Connect(0, addrA, addrB, req)
		require.NotZero(t, c.LocalID())
		require.False(t, seen[c.LocalID()])
		seen[c.LocalID()] = true
	}
	a.nextID = 1<<32 - 3 // once round
	req, err := offer(40, "").REQ()
	require.NoError(t, err)
	require.False(t, seen[a.Connect(0, addrA, addrB, req).LocalID()])
}

// TestFarewell: what is sent in place of a side that has died ends the connection at the other, either way, as its
// own DREQ would; it is not the word of the side itself, which goes on if it lives.
func TestFarewell(t *testing.T) {
	for _, active := range []bool{true, false} {
		p := newPair(t)
		a, b := p.establish(17)
		dead, peer := a, b
		if !active {
			dead, peer = b, a
		}
		m := dead.Farewell()
		require.Equal(t, [2]wire.Addr{dead.Local(), dead.Remote()}, [2]wire.Addr{m.Local, m.Remote})
		require.True(t, dead.IsEstablished())
		p.silent(p.a, p.b)
		peer.agent.Receive(p.now, m.Remote, m.Local, m.TID, m.Message)
		p.event(peer.agent, Disconnected)
		require.Equal(t, "time-wait", peer.State())
		require.IsType(t, &cm.DREP{}, p.take(peer.agent).Message)
		peer.agent.Receive(p.now, m.Remote, m.Local, m.TID, m.Message) // it is sent several times
		require.IsType(t, &cm.DREP{}, p.take(peer.agent).Message)
		p.noEvent()
	}
}

// TestForeignMessages: messages count for a connection when they come from its peer's
// address and name both comm ids; whatever else a stranger sends changes nothing.
func TestForeignMessages(t *testing.T) {
	p := newPair(t)
	asked := p.connect(16)
	p.take(p.a)
	a, b := p.establish(17)
	stranger := wire.Addr{10, 0, 0, 9}
	for _, ids := range [][2]uint32{{b.LocalID(), a.LocalID()}, {b.LocalID() + 1, a.LocalID()}, {77, a.LocalID()}} {
		for _, m := range []cm.Message{
			&cm.DREQ{LocalCommID: ids[0], RemoteCommID: ids[1], RemoteQPN: 17},
			&cm.REJ{LocalCommID: ids[0], RemoteCommID: ids[1], Reason: cm.ReasonStaleConnection},
			&cm.DREP{LocalCommID: ids[0], RemoteCommID: ids[1]},
		} {
			p.a.Receive(p.now, addrA, stranger, 5, m)
			if ids[0] != b.LocalID() {
				p.a.Receive(p.now, addrA, addrB, 5, m)
			}
			require.True(t, a.IsEstablished(), "%T %v", m, ids)
			p.noEvent()
		}
	}
	// A DREQ names the queue pair, too.
	for more := true; more; {
		_, more = p.a.PollMessage()
	}
	for _, qpn := range []uint32{0, 16, 18} {
		p.a.Receive(p.now, addrA, addrB, 5, &cm.DREQ{LocalCommID: b.LocalID(), RemoteCommID: a.LocalID(), RemoteQPN: qpn})
		require.True(t, a.IsEstablished(), "queue pair %d", qpn)
		p.noEvent()
		_, answered := p.a.PollMessage()
		require.False(t, answered)
	}
	// A REQ is refused by whom it was sent to.
	p.a.Receive(p.now, addrA, stranger, 5, &cm.REJ{RemoteCommID: asked.LocalID(), Reason: cm.ReasonConsumer})
	p.a.Receive(p.now, addrA, stranger, 5, &cm.REP{LocalCommID: 5, RemoteCommID: asked.LocalID()})
	require.Equal(t, "req-sent", asked.State())
	p.noEvent()
	p.a.Receive(p.now, addrA, addrB, 5, &cm.REJ{RemoteCommID: asked.LocalID(), Reason: cm.ReasonConsumer})
	p.event(p.a, Rejected)
}

// TestREQIdentity: a REQ with a known comm id is a repetition when it asks for the same
// connection, and news of a restart when it does not.
func TestREQIdentity(t *testing.T) {
	for name, change := range map[string]func(*cm.REQ){
		"psn": func(r *cm.REQ) { r.StartingPSN++ },
		"qpn": func(r *cm.REQ) { r.LocalQPN++ },
	} {
		p := newPair(t)
		p.connect(17)
		m := p.take(p.a)
		p.deliver(m)
		first := p.event(p.b, Requested).Conn
		again := *m.Message.(*cm.REQ)
		p.b.Receive(p.now, addrB, addrA, m.TID, &again)
		p.noEvent()
		change(&again)
		p.b.Receive(p.now, addrB, addrA, m.TID+1, &again)
		require.Same(t, first, p.event(p.b, Stale).Conn, name)
		require.NotSame(t, first, p.event(p.b, Requested).Conn, name)
		require.Equal(t, 1, p.b.Len(), name)
	}
}

// halfOpen is a connection whose passive side has not heard the RTU.
func (p *pair) halfOpen(qpn uint32) (active, passive *Conn) {
	active = p.connect(qpn)
	p.deliver(p.take(p.a))
	passive = p.event(p.b, Requested).Conn
	p.accept(passive)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
	require.NoError(p.t, active.Confirm(p.now))
	p.take(p.a) // lost
	return active, passive
}

// TestStaleBeforeRTU: a connection that has not heard the RTU is stale, too, when its
// peer asks for another with the same queue pair.
func TestStaleBeforeRTU(t *testing.T) {
	p := newPair(t)
	_, b := p.halfOpen(17)
	p.a = NewAgent(Config{Seed: 5000})
	p.connect(17)
	p.deliver(p.take(p.a))
	require.Same(t, b, p.event(p.b, Stale).Conn)
	require.Equal(t, cm.ReasonStaleConnection, p.take(p.b).Message.(*cm.REJ).Reason)
}

// TestStaleAfterSuccessor: the end of a connection does not hide that a later one has its
// queue pair.
func TestStaleAfterSuccessor(t *testing.T) {
	p := newPair(t)
	a, _ := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	p.deliver(p.take(p.a))
	p.event(p.b, Disconnected)
	p.deliver(p.take(p.b))
	p.event(p.a, Disconnected)
	p.establish(17)
	p.tick(time.Second) // the first is forgotten
	p.a = NewAgent(Config{Seed: 5000})
	p.connect(17)
	p.deliver(p.take(p.a))
	p.event(p.b, Stale)
}

// TestTickAll: everything that is due is seen to.
func TestTickAll(t *testing.T) {
	p := newPair(t)
	for i := range 5 {
		p.connect(uint32(17 + i))
		p.take(p.a)
	}
	p.tick(100 * time.Millisecond)
	for range 5 {
		_, ok := p.a.PollMessage()
		require.True(t, ok)
	}
	require.Greater(t, p.a.Deadline(), p.now)
}

// TestNothingIsLeft: of a connection that has ended nothing is kept after timeWait.
func TestNothingIsLeft(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	require.NoError(t, b.Disconnect(p.now, nil))
	p.deliver(p.take(p.b))
	p.deliver(p.take(p.a))
	p.event(p.a, Disconnected)
	p.event(p.b, Disconnected)
	p.tick(time.Second)
	for _, ag := range []*Agent{p.a, p.b} {
		require.Empty(t, ag.byLocal)
		require.Empty(t, ag.byREQ)
		require.Empty(t, ag.byQP)
		require.Empty(t, ag.timers)
		require.Equal(t, Never, ag.Deadline())
	}
	require.Nil(t, p.a.Conn(a.LocalID()))
}

// TestTimeWait: a connection that has ended is remembered for TimeWait, and no longer.
func TestTimeWait(t *testing.T) {
	p := newPair(t)
	a, _ := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	dreq := p.take(p.a)
	p.deliver(dreq)
	p.event(p.b, Disconnected)
	p.deliver(p.take(p.b))
	p.event(p.a, Disconnected)
	p.tick(time.Second - time.Millisecond)
	require.Equal(t, 1, p.a.Len())
	require.Equal(t, 1, p.b.Len())
	p.tick(time.Millisecond)
	require.Zero(t, p.a.Len()+p.b.Len())
}

// TestCallsOutOfState: what does not fit the state is refused, and nothing is sent.
func TestCallsOutOfState(t *testing.T) {
	p := newPair(t)
	a := p.connect(17)
	req := p.take(p.a)
	require.ErrorIs(t, a.Confirm(p.now), ErrState)
	require.ErrorIs(t, a.Delay(p.now, time.Second), ErrState)
	require.ErrorIs(t, a.Accept(p.now, &cm.REP{}), ErrState)
	p.silent(p.a)
	p.deliver(req)
	b := p.event(p.b, Requested).Conn
	p.accept(b)
	p.take(p.b)
	require.ErrorIs(t, b.Accept(p.now, &cm.REP{LocalQPN: 99}), ErrState)
	require.ErrorIs(t, b.Confirm(p.now), ErrState)
	p.silent(p.b)
	require.NoError(t, b.Disconnect(p.now, nil))
	p.take(p.b)
	require.ErrorIs(t, b.Disconnect(p.now, nil), ErrState)
	require.ErrorIs(t, b.Reject(p.now, cm.ReasonConsumer, nil), ErrState)
	p.silent(p.b)
}

// TestLostRTU: who sends a REP again, since the RTU was lost, gets the RTU again.
func TestLostRTU(t *testing.T) {
	p := newPair(t)
	_, b := p.halfOpen(17)
	p.tick(100 * time.Millisecond)
	p.deliver(p.take(p.b))
	rtu := p.take(p.a)
	require.IsType(t, &cm.RTU{}, rtu.Message)
	p.deliver(rtu)
	require.Same(t, b, p.event(p.b, Established).Conn)
}

// TestHeard: data are as good as the RTU.
func TestHeard(t *testing.T) {
	p := newPair(t)
	_, b := p.halfOpen(17)
	b.Heard()
	require.Same(t, b, p.event(p.b, Established).Conn)
	b.Heard()
	p.noEvent()
	require.Equal(t, Never, p.b.Deadline(), "and the REP is not repeated")
}

// TestEstablishedOnce: the owner hears once that a connection is established.
func TestEstablishedOnce(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	p.b.Receive(p.now, addrB, addrA, 5, &cm.RTU{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID()})
	p.noEvent()
}

// TestLateMessages: what comes late for a connection that has ended does not bring it back.
func TestLateMessages(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	p.deliver(p.take(p.a))
	p.event(p.b, Disconnected)
	p.take(p.b)
	for _, m := range []cm.Message{
		&cm.RTU{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID()},
		&cm.MRA{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID(), Received: cm.KindREP},
		&cm.REJ{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID()},
		&cm.DREP{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID()},
		&cm.REP{LocalCommID: a.LocalID(), RemoteCommID: b.LocalID()},
	} {
		p.b.Receive(p.now, addrB, addrA, 5, m)
		require.Equal(t, "time-wait", b.State(), "%T", m)
	}
	p.noEvent()
}

// TestSecondREP: a connection has the queue pair of the first REP.
func TestSecondREP(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	p.a.Receive(p.now, addrA, addrB, 5, &cm.REP{LocalCommID: b.LocalID(), RemoteCommID: a.LocalID(), LocalQPN: 99})
	require.EqualValues(t, 33, a.REP().LocalQPN)
	require.NoError(t, a.Disconnect(p.now, nil))
	_, _ = p.a.PollMessage() // the RTU, again
	require.EqualValues(t, 33, p.take(p.a).Message.(*cm.DREQ).RemoteQPN)
}

// TestUnaskedDREP: an answer that nobody asked for ends nothing.
func TestUnaskedDREP(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	p.a.Receive(p.now, addrA, addrB, 5, &cm.DREP{LocalCommID: b.LocalID(), RemoteCommID: a.LocalID()})
	require.True(t, a.IsEstablished())
	p.noEvent()
}

// TestMRABounded: a peer gets the time that it asks for, up to a bound of ours.
func TestMRABounded(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	p.deliver(p.take(p.a))
	c := p.event(p.b, Requested).Conn
	require.NoError(t, c.Delay(p.now, 3*time.Hour))
	p.deliver(p.take(p.b))
	require.LessOrEqual(t, p.a.Deadline(), p.now+10*time.Second+100*time.Millisecond)
}

// TestREJOfEstablished: an established connection is ended by a REJ of a peer that does
// not know it, and by no other.
func TestREJOfEstablished(t *testing.T) {
	for reason, ends := range map[cm.Reason]bool{
		cm.ReasonStaleConnection: true, cm.ReasonInvalidCommID: true, cm.ReasonTimeout: true,
		cm.ReasonConsumer: false, cm.ReasonNoResources: false, cm.ReasonInvalidMTU: false,
	} {
		p := newPair(t)
		a, b := p.establish(17)
		p.a.Receive(p.now, addrA, addrB, 5, &cm.REJ{LocalCommID: b.LocalID(), RemoteCommID: a.LocalID(), Reason: reason})
		require.Equal(t, !ends, a.IsEstablished(), "%v", reason)
		if ends {
			p.event(p.a, Stale)
		}
		p.noEvent()
	}
}

// TestREJWithoutID: a peer that has made no comm id, or knows none of ours, can still
// refuse: by the id of the other side (IB spec 12.6.7).
func TestREJWithoutID(t *testing.T) {
	// The peer gives up a REQ that has not been answered.
	p := newPair(t)
	asked := p.connect(17)
	p.deliver(p.take(p.a))
	c := p.event(p.b, Requested).Conn
	for _, m := range []struct {
		from wire.Addr
		id   uint32
	}{{addrB, asked.LocalID()}, {addrA, asked.LocalID() + 1}} {
		p.b.Receive(p.now, addrB, m.from, 5, &cm.REJ{LocalCommID: m.id, Reason: cm.ReasonTimeout})
		p.noEvent()
	}
	p.b.Receive(p.now, addrB, addrA, 5, &cm.REJ{LocalCommID: asked.LocalID(), Reason: cm.ReasonTimeout})
	require.Same(t, c, p.event(p.b, Rejected).Conn)

	// The peer refuses after an MRA, without the comm id that this one had.
	p = newPair(t)
	asked = p.connect(17)
	p.take(p.a)
	p.a.Receive(p.now, addrA, addrB, 5, &cm.MRA{LocalCommID: 77, RemoteCommID: asked.LocalID(), Received: cm.KindREQ, ServiceTimeout: 10})
	require.EqualValues(t, 77, asked.RemoteID())
	for _, m := range []*cm.REJ{
		{LocalCommID: 78, RemoteCommID: asked.LocalID(), Reason: cm.ReasonConsumer},
		{LocalCommID: 1, RemoteCommID: asked.LocalID(), Reason: cm.ReasonConsumer},
		{RemoteCommID: asked.LocalID() + 1, Reason: cm.ReasonConsumer},
	} {
		p.a.Receive(p.now, addrA, addrB, 5, m)
		p.noEvent()
	}
	p.a.Receive(p.now, addrA, addrB, 5, &cm.REJ{RemoteCommID: asked.LocalID(), Reason: cm.ReasonConsumer})
	require.Same(t, asked, p.event(p.a, Rejected).Conn)
}

// TestStaleIsRefused: a REQ for the queue pair of a connection that is stale is refused,
// and nothing else.
func TestStaleIsRefused(t *testing.T) {
	p := newPair(t)
	_, b := p.establish(17)
	p.a = NewAgent(Config{Seed: 5000})
	c := p.connect(17)
	p.deliver(p.take(p.a))
	require.Same(t, b, p.event(p.b, Stale).Conn)
	p.noEvent()
	rej := p.take(p.b)
	require.Equal(t, &cm.REJ{RemoteCommID: c.LocalID(), Rejected: cm.KindREQ, Reason: cm.ReasonStaleConnection}, rej.Message)
	require.Equal(t, addrB, rej.Local)
	require.Equal(t, 1, p.b.Len())
	require.Equal(t, Counters{StaleREQ: 1}, p.b.Counters())
}

// TestCommIDAfterTimeWait: a peer may use a comm id again when the connection has ended.
// The new connection is known by it, also when the old one is forgotten.
func TestCommIDAfterTimeWait(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	p.deliver(p.take(p.a))
	p.event(p.b, Disconnected)
	p.take(p.b)
	req, err := offer(18, "").REQ()
	require.NoError(t, err)
	req.LocalCommID = a.LocalID()
	p.b.Receive(p.now, addrB, addrA, 9, req)
	c := p.event(p.b, Requested).Conn
	p.noEvent()
	require.NotSame(t, b, c)
	require.Equal(t, "gone", b.State())
	require.Equal(t, p.now+10*time.Second, p.b.Deadline(), "nothing is due of the first")
	require.Equal(t, 1, p.b.Len())
	p.tick(2 * time.Second)
	p.b.Receive(p.now, addrB, addrA, 9, req)
	p.noEvent()
	require.Equal(t, Counters{Duplicates: 1}, p.b.Counters())
}

// TestEndsOfOne: what ends takes nothing with it of a connection that has its comm id or
// its queue pair now.
func TestEndsOfOne(t *testing.T) {
	p := newPair(t)
	req, err := offer(17, "").REQ()
	require.NoError(t, err)
	req.LocalCommID = 9
	p.b.Receive(p.now, addrB, addrA, 1, req)
	first := p.event(p.b, Requested).Conn
	second, err := offer(17, "").REQ() // nobody has accepted the first: it is not stale
	require.NoError(t, err)
	second.LocalCommID = 10
	p.b.Receive(p.now, addrB, addrA, 2, second)
	c := p.event(p.b, Requested).Conn
	require.NoError(t, first.Reject(p.now, cm.ReasonConsumer, nil))
	p.take(p.b)
	p.tick(time.Second)
	require.Equal(t, 1, p.b.Len())
	p.accept(c)
	p.take(p.b)
	third, err := offer(17, "").REQ()
	require.NoError(t, err)
	third.LocalCommID = 11
	p.b.Receive(p.now, addrB, addrA, 3, third)
	require.Same(t, c, p.event(p.b, Stale).Conn)
}

// TestMRARetries: a peer that says that it is alive gets all repetitions again.
func TestMRARetries(t *testing.T) {
	p := newPair(t)
	c := p.connect(17)
	p.take(p.a)
	for range 2 {
		p.tick(100 * time.Millisecond)
		p.take(p.a)
	}
	p.a.Receive(p.now, addrA, addrB, 5, &cm.MRA{LocalCommID: 77, RemoteCommID: c.LocalID(), Received: cm.KindREQ, ServiceTimeout: 0})
	for range 3 {
		p.tick(101 * time.Millisecond)
		require.IsType(t, &cm.REQ{}, p.take(p.a).Message)
		p.noEvent()
	}
	p.tick(100 * time.Millisecond)
	require.Same(t, c, p.event(p.a, TimedOut).Conn)
}

// TestREPIsKept: both sides know the reply with which the connection was made.
func TestREPIsKept(t *testing.T) {
	p := newPair(t)
	c := p.until(1)
	p.accept(c)
	sent := p.take(p.b).Message
	require.Equal(t, sent, c.REP())
}
