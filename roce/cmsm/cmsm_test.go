package cmsm

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

var (
	addrA = wire.Addr{10, 0, 0, 1}
	addrB = wire.Addr{10, 0, 0, 2}
)

func offer(qpn uint32, private string) Offer {
	return Offer{
		Local: addrA.Netip(), Remote: addrB.Netip(), Port: 4000, SrcPort: 5000, QPN: qpn, StartingPSN: 7, Private: []byte(private),
	}
}

// pair is two agents, A active and B passive, with messages carried by hand or by
// a lossy wire.
type pair struct {
	t    *testing.T
	a, b *Agent
	now  time.Duration
}

func newPair(t *testing.T) *pair {
	cfg := Config{ResponseTimeout: 100 * time.Millisecond, MaxRetries: 3, TimeWait: time.Second, OwnerTimeout: 10 * time.Second}
	ca, cb := cfg, cfg
	ca.Seed, cb.Seed = 1000, 2000
	return &pair{t: t, a: NewAgent(ca), b: NewAgent(cb)}
}

func (p *pair) connect(qpn uint32) *Conn {
	req, err := offer(qpn, "hello").REQ()
	require.NoError(p.t, err)
	return p.a.Connect(p.now, addrA, addrB, req)
}

// take returns the one message that ag has to send.
func (p *pair) take(ag *Agent) Outgoing {
	p.t.Helper()
	m, ok := ag.PollMessage()
	require.True(p.t, ok, "no message")
	_, more := ag.PollMessage()
	require.False(p.t, more, "more than one message")
	return m
}

func (p *pair) silent(ags ...*Agent) {
	p.t.Helper()
	for _, ag := range ags {
		m, ok := ag.PollMessage()
		require.False(p.t, ok, "unexpected %T", m.Message)
	}
}

func (p *pair) deliver(m Outgoing) {
	to := p.b
	if m.Remote == addrA {
		to = p.a
	}
	to.Receive(p.now, m.Remote, m.Local, m.TID, m.Message)
}

func (p *pair) event(ag *Agent, want EventKind) Event {
	p.t.Helper()
	e, ok := ag.PollEvent()
	require.True(p.t, ok, "no event, want %v", want)
	require.Equal(p.t, want, e.Kind, "got %v", e.Kind)
	return e
}

func (p *pair) noEvent() {
	p.t.Helper()
	for _, ag := range []*Agent{p.a, p.b} {
		e, ok := ag.PollEvent()
		require.False(p.t, ok, "unexpected %v", e.Kind)
	}
}

func (p *pair) tick(d time.Duration) {
	p.now += d
	p.a.Tick(p.now)
	p.b.Tick(p.now)
}

func (p *pair) accept(c *Conn) {
	p.t.Helper()
	rep, err := offer(33, "welcome").REP()
	require.NoError(p.t, err)
	require.NoError(p.t, c.Accept(p.now, rep))
}

// establish connects without a loss and returns both ends.
func (p *pair) establish(qpn uint32) (active, passive *Conn) {
	p.t.Helper()
	active = p.connect(qpn)
	p.deliver(p.take(p.a))
	passive = p.event(p.b, Requested).Conn
	p.accept(passive)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
	require.NoError(p.t, active.Confirm(p.now))
	p.deliver(p.take(p.a))
	p.event(p.b, Established)
	p.noEvent()
	return active, passive
}

func TestHandshake(t *testing.T) {
	p := newPair(t)
	active := p.connect(17)
	m := p.take(p.a)
	req := m.Message.(*cm.REQ)
	require.Equal(t, active.LocalID(), req.LocalCommID)
	require.EqualValues(t, 3, req.MaxCMRetries)
	require.GreaterOrEqual(t, Timeout(req.RemoteCMTimeout), 100*time.Millisecond)
	p.deliver(m)
	e := p.event(p.b, Requested)
	h, user, err := cm.SplitPrivateData(e.REQ.PrivateData)
	require.NoError(t, err)
	require.Equal(t, "hello", string(user[:5]))
	require.Equal(t, netip.MustParseAddr("10.0.0.2"), h.Dst)
	port, ok := cm.ServicePort(e.REQ.ServiceID)
	require.True(t, ok)
	require.EqualValues(t, 4000, port)
	p.accept(e.Conn)
	rep := p.take(p.b)
	require.Equal(t, m.TID, rep.TID, "a reply carries the transaction id of the request")
	p.deliver(rep)
	e2 := p.event(p.a, Accepted)
	require.Equal(t, "welcome", string(e2.REP.PrivateData[:7]))
	require.NoError(t, active.Confirm(p.now))
	require.True(t, active.IsEstablished())
	p.deliver(p.take(p.a))
	p.event(p.b, Established)
	require.Equal(t, Never, p.a.Deadline())
	require.Equal(t, Never, p.b.Deadline())

	require.NoError(t, active.Disconnect(p.now, nil))
	dreq := p.take(p.a)
	require.EqualValues(t, 33, dreq.Message.(*cm.DREQ).RemoteQPN)
	p.deliver(dreq)
	p.event(p.b, Disconnected)
	p.deliver(p.take(p.b))
	p.event(p.a, Disconnected)
	p.tick(time.Second)
	require.Zero(t, p.a.Len()+p.b.Len(), "nothing is left after timeWait")
}

func TestRepeatedREQ(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	req := p.take(p.a)
	p.deliver(req)
	c := p.event(p.b, Requested).Conn
	p.deliver(req) // while the owner thinks: silence
	p.silent(p.b)
	require.NoError(t, c.Delay(p.now, time.Second))
	require.IsType(t, &cm.MRA{}, p.take(p.b).Message)
	p.deliver(req) // MRA again
	require.IsType(t, &cm.MRA{}, p.take(p.b).Message)
	p.accept(c)
	p.take(p.b)
	p.deliver(req) // REP again
	rep := p.take(p.b)
	require.IsType(t, &cm.REP{}, rep.Message)
	c.Heard()
	p.event(p.b, Established)
	p.deliver(req) // established: silence
	p.silent(p.b)
	p.noEvent()
	require.EqualValues(t, 2, p.b.Counters().Duplicates)
	require.EqualValues(t, 2, p.b.Counters().Repeated)

	// A repeated REP gets the RTU again.
	p.deliver(rep)
	p.event(p.a, Accepted)
	require.NoError(t, p.a.Conn(rep.Message.(*cm.REP).RemoteCommID).Confirm(p.now))
	p.take(p.a)
	p.deliver(rep)
	require.IsType(t, &cm.RTU{}, p.take(p.a).Message)
	p.noEvent()
}

func TestMRAExtendsTimeout(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	p.deliver(p.take(p.a))
	c := p.event(p.b, Requested).Conn
	require.NoError(t, c.Delay(p.now, 4*time.Second))
	p.deliver(p.take(p.b))
	p.tick(4 * time.Second)
	p.silent(p.a)
	p.accept(c)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
}

func TestREQTimeout(t *testing.T) {
	p := newPair(t)
	c := p.connect(17)
	for i := range 4 {
		require.IsType(t, &cm.REQ{}, p.take(p.a).Message, "transmission %d", i)
		p.tick(100 * time.Millisecond)
	}
	require.Same(t, c, p.event(p.a, TimedOut).Conn)
	rej := p.take(p.a).Message.(*cm.REJ)
	require.Equal(t, cm.ReasonTimeout, rej.Reason)
	require.EqualValues(t, 3, p.a.Counters().Retransmitted)
	p.tick(time.Second)
	require.Zero(t, p.a.Len())
}

func TestREPTimeout(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	p.deliver(p.take(p.a))
	p.accept(p.event(p.b, Requested).Conn)
	for range 4 {
		require.IsType(t, &cm.REP{}, p.take(p.b).Message)
		p.now += 100 * time.Millisecond
		p.b.Tick(p.now)
	}
	p.event(p.b, TimedOut)
	p.deliver(p.take(p.b)) // REJ: the active side hears of it
	require.Equal(t, cm.ReasonTimeout, p.event(p.a, Rejected).Reason)
}

func TestReject(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	req := p.take(p.a)
	p.deliver(req)
	c := p.event(p.b, Requested).Conn
	require.NoError(t, c.Reject(p.now, cm.ReasonConsumer, []byte("no")))
	rej := p.take(p.b)
	p.deliver(req) // the REJ was lost: again
	require.Equal(t, rej.Message, p.take(p.b).Message)
	p.deliver(rej)
	e := p.event(p.a, Rejected)
	require.Equal(t, cm.ReasonConsumer, e.Reason)
	require.Equal(t, "no", string(e.Private))
	p.deliver(rej)
	p.noEvent()
	require.ErrorIs(t, c.Reject(p.now, cm.ReasonConsumer, nil), ErrState)
	require.ErrorIs(t, c.Confirm(p.now), ErrState)
	require.ErrorIs(t, c.Delay(p.now, 0), ErrState)
	require.ErrorIs(t, c.Disconnect(p.now, nil), ErrState)
	require.ErrorIs(t, c.Accept(p.now, &cm.REP{}), ErrState)
}

func TestRejectAfterREP(t *testing.T) {
	p := newPair(t)
	c := p.connect(17)
	p.deliver(p.take(p.a))
	p.accept(p.event(p.b, Requested).Conn)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
	require.NoError(t, c.Disconnect(p.now, []byte("changed my mind")))
	p.deliver(p.take(p.a))
	p.event(p.b, Rejected)
}

func TestDREQRepeatedAndCrossing(t *testing.T) {
	p := newPair(t)
	a, b := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	require.NoError(t, b.Disconnect(p.now, nil))
	da, db := p.take(p.a), p.take(p.b)
	p.deliver(da)
	p.deliver(db)
	p.event(p.a, Disconnected)
	p.event(p.b, Disconnected)
	p.take(p.a)
	p.take(p.b)
	p.deliver(da)
	require.IsType(t, &cm.DREP{}, p.take(p.b).Message, "a repeated DREQ is answered in timeWait")
	p.tick(time.Second)
	require.Zero(t, p.a.Len()+p.b.Len())
	p.deliver(da)
	require.IsType(t, &cm.DREP{}, p.take(p.b).Message, "and when the connection is long gone")
	p.noEvent()
}

func TestDREQTimeout(t *testing.T) {
	p := newPair(t)
	a, _ := p.establish(17)
	require.NoError(t, a.Disconnect(p.now, nil))
	for range 4 {
		require.IsType(t, &cm.DREQ{}, p.take(p.a).Message)
		p.tick(100 * time.Millisecond)
	}
	p.event(p.a, Disconnected)
}

// TestDREQBeforeRTU: the RTU was lost and the active side is done already.
func TestDREQBeforeRTU(t *testing.T) {
	p := newPair(t)
	a := p.connect(17)
	p.deliver(p.take(p.a))
	p.accept(p.event(p.b, Requested).Conn)
	p.deliver(p.take(p.b))
	p.event(p.a, Accepted)
	require.NoError(t, a.Confirm(p.now))
	p.take(p.a) // lost
	require.NoError(t, a.Disconnect(p.now, nil))
	p.deliver(p.take(p.a))
	p.event(p.b, Disconnected)
	p.deliver(p.take(p.b))
	p.event(p.a, Disconnected)
}

// TestStaleConnection: a peer that restarted uses its queue pair number again.
func TestStaleConnection(t *testing.T) {
	p := newPair(t)
	p.establish(17)
	p.a = NewAgent(Config{Seed: 5000, ResponseTimeout: 100 * time.Millisecond})
	p.connect(17)
	p.deliver(p.take(p.a))
	p.event(p.b, Stale)
	p.deliver(p.take(p.b))
	require.Equal(t, cm.ReasonStaleConnection, p.event(p.a, Rejected).Reason)
	require.EqualValues(t, 1, p.b.Counters().StaleREQ)
	p.connect(17) // tries again
	m, _ := p.a.PollMessage()
	p.deliver(m)
	p.event(p.b, Requested)
}

// TestCommIDReused: a restarted peer uses its comm id again with another queue
// pair.
func TestCommIDReused(t *testing.T) {
	p := newPair(t)
	p.establish(17)
	p.a = NewAgent(Config{Seed: 1000})
	p.connect(18)
	p.deliver(p.take(p.a))
	p.event(p.b, Stale)
	p.event(p.b, Requested)
	require.Equal(t, 1, p.b.Len())
}

func TestUnknown(t *testing.T) {
	p := newPair(t)
	p.b.Receive(0, addrB, addrA, 5, &cm.REP{LocalCommID: 1, RemoteCommID: 2})
	rej := p.take(p.b).Message.(*cm.REJ)
	require.Equal(t, cm.ReasonInvalidCommID, rej.Reason)
	p.b.Receive(0, addrB, addrA, 5, &cm.RTU{LocalCommID: 1, RemoteCommID: 2})
	p.silent(p.b)
	require.EqualValues(t, 2, p.b.Counters().Unknown)

	// Messages of strangers do not move a connection.
	a, _ := p.establish(17)
	p.a.Receive(0, addrA, wire.Addr{9, 9, 9, 9}, 1, &cm.DREQ{LocalCommID: a.RemoteID(), RemoteCommID: a.LocalID()})
	require.IsType(t, &cm.DREP{}, p.take(p.a).Message)
	p.noEvent()
	require.True(t, a.IsEstablished())
}

func TestTooManyConnections(t *testing.T) {
	p := newPair(t)
	p.b = NewAgent(Config{MaxConns: 1})
	p.connect(17)
	p.deliver(p.take(p.a))
	p.connect(18)
	p.deliver(p.take(p.a))
	require.Equal(t, cm.ReasonNoResources, p.take(p.b).Message.(*cm.REJ).Reason)
	require.EqualValues(t, 1, p.b.Counters().Overload)
}

func TestOwnerTimeout(t *testing.T) {
	p := newPair(t)
	p.connect(17)
	p.deliver(p.take(p.a))
	p.event(p.b, Requested)
	p.now += 10 * time.Second
	p.b.Tick(p.now)
	p.event(p.b, TimedOut)
	require.IsType(t, &cm.REJ{}, p.take(p.b).Message)
}

func TestOfferErrors(t *testing.T) {
	_, err := offer(1, string(make([]byte, 57))).REQ()
	require.ErrorContains(t, err, "at most 56 fit")
	_, err = offer(1, string(make([]byte, 197))).REP()
	require.ErrorContains(t, err, "at most 196 fit")
	o := offer(1, "")
	o.MTU = 100
	_, err = o.REQ()
	require.ErrorContains(t, err, "below 256")
	require.Equal(t, 4096*time.Nanosecond, Timeout(0))
	for code := range uint8(32) {
		require.Equal(t, code, TimeoutCode(Timeout(code)))
	}
}

// TestLossyWire makes and ends many connections at once over a wire that drops,
// duplicates and reorders. Whatever is lost, each side hears of the end of each
// connection exactly once, nothing is left behind, and nearly all succeed.
func TestLossyWire(t *testing.T) {
	for run := range 30 {
		t.Run(fmt.Sprint(run), func(t *testing.T) { lossyRun(t, rand.Uint64(), 5*run) })
	}
}

type carried struct {
	at time.Duration
	m  Outgoing
}

func lossyRun(t *testing.T, seed uint64, loss int) {
	t.Logf("seed %d, loss %d per mille", seed, loss)
	r := rand.New(rand.NewPCG(seed, 4))
	p := newPair(t)
	p.a.cfg.MaxRetries, p.b.cfg.MaxRetries = 15, 15
	const conns = 40
	ended := map[*Conn]int{}
	up := map[*Conn]bool{}
	var inFlight []carried
	started := 0
	disconnectAt := map[*Conn]time.Duration{}
	for step := 0; ; step++ {
		require.Less(t, step, 200000)
		if started < conns && r.IntN(4) == 0 {
			started++
			p.connect(uint32(100 + started))
		}
		for _, ag := range []*Agent{p.a, p.b} {
			for {
				m, ok := ag.PollMessage()
				if !ok {
					break
				}
				for range 1 + r.IntN(20)/19 {
					if r.IntN(1000) >= loss {
						inFlight = append(inFlight, carried{p.now + time.Duration(r.IntN(50))*time.Millisecond, m})
					}
				}
			}
			for {
				e, ok := ag.PollEvent()
				if !ok {
					break
				}
				switch e.Kind {
				case Requested:
					if r.IntN(3) == 0 {
						require.NoError(t, e.Conn.Delay(p.now, time.Second))
					}
					p.accept(e.Conn)
				case Accepted:
					require.NoError(t, e.Conn.Confirm(p.now))
					up[e.Conn] = true
					disconnectAt[e.Conn] = p.now + time.Duration(r.IntN(3000))*time.Millisecond
				case Established:
					up[e.Conn] = true
					if r.IntN(2) == 0 {
						disconnectAt[e.Conn] = p.now + time.Duration(r.IntN(3000))*time.Millisecond
					}
				default:
					ended[e.Conn]++
				}
			}
		}
		for c, at := range disconnectAt {
			if p.now >= at {
				delete(disconnectAt, c)
				if c.IsEstablished() {
					require.NoError(t, c.Disconnect(p.now, nil))
				}
			}
		}
		rest := inFlight[:0]
		var due []carried
		for _, f := range inFlight {
			if f.at <= p.now {
				due = append(due, f)
			} else {
				rest = append(rest, f)
			}
		}
		inFlight = rest
		for _, f := range due {
			p.deliver(f.m)
		}
		if started == conns && p.a.Len()+p.b.Len() == 0 && len(inFlight) == 0 && len(disconnectAt) == 0 {
			if _, ok := p.a.PollMessage(); !ok {
				break
			}
		}
		p.tick(10 * time.Millisecond)
	}
	for c, n := range ended {
		require.Equal(t, 1, n, "connection %d ended more than once", c.LocalID())
	}
	if loss <= 100 {
		require.GreaterOrEqual(t, len(up), 2*conns-2, "of %d ends", 2*conns)
	}
	require.GreaterOrEqual(t, len(ended), conns)
	for c := range up {
		require.Equal(t, 1, ended[c], "connection %d never ended", c.LocalID())
	}
}

// FuzzReceive: no sequence of messages makes an agent panic or keep a connection
// for ever.
func FuzzReceive(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{0, 0, 2, 2, 4, 10, 10, 5})
	f.Fuzz(func(t *testing.T, script []byte) {
		a := NewAgent(Config{TimeWait: time.Second, OwnerTimeout: 3 * time.Second, MaxRetries: 2})
		var now time.Duration
		var conns []*Conn
		for _, b := range script {
			id := uint32(b >> 5)
			switch b & 0xf {
			case 0:
				a.Receive(now, addrA, addrB, 1, &cm.REQ{LocalCommID: id, LocalQPN: id & 3, StartingPSN: uint32(b & 1)})
			case 1:
				a.Receive(now, addrA, addrB, 1, &cm.REP{LocalCommID: id, RemoteCommID: 1 + id&3})
			case 2:
				a.Receive(now, addrA, addrB, 1, &cm.RTU{LocalCommID: id, RemoteCommID: 1 + id&3})
			case 3:
				a.Receive(now, addrA, addrB, 1, &cm.REJ{LocalCommID: id, RemoteCommID: id & 3})
			case 4:
				a.Receive(now, addrA, addrB, 1, &cm.DREQ{LocalCommID: id, RemoteCommID: 1 + id&3})
			case 5:
				a.Receive(now, addrA, addrB, 1, &cm.DREP{LocalCommID: id, RemoteCommID: 1 + id&3})
			case 6:
				a.Receive(now, addrA, addrB, 1, &cm.MRA{LocalCommID: id, RemoteCommID: 1 + id&3, ServiceTimeout: 31, Received: cm.MessageKind(id & 1)})
			case 7:
				conns = append(conns, a.Connect(now, addrA, addrB, &cm.REQ{LocalQPN: id}))
			case 8:
				now += time.Duration(id) * 100 * time.Millisecond
				a.Tick(now)
			default:
				if len(conns) > 0 {
					c := conns[int(id)%len(conns)]
					switch b & 0xf {
					case 9:
						_ = c.Accept(now, &cm.REP{})
					case 10:
						_ = c.Confirm(now)
					case 11:
						_ = c.Delay(now, time.Second)
					case 12:
						_ = c.Disconnect(now, nil)
					case 13:
						_ = c.Reject(now, cm.ReasonConsumer, nil)
					case 14:
						c.Heard()
					}
				}
			}
			for {
				e, ok := a.PollEvent()
				if !ok {
					break
				}
				if e.Kind == Requested {
					conns = append(conns, e.Conn)
				}
			}
			for {
				if _, ok := a.PollMessage(); !ok {
					break
				}
			}
		}
		for i := 0; a.Len() > 0 && i < 1000; i++ {
			for _, c := range a.byLocal {
				if c.IsEstablished() {
					_ = c.Disconnect(now, nil)
				}
			}
			now += time.Second
			a.Tick(now)
		}
		if a.Len() != 0 || len(a.byREQ) != 0 || len(a.byQP) != 0 || len(a.timers) != 0 {
			t.Fatalf("left behind: %d, %d, %d, %d", a.Len(), len(a.byREQ), len(a.byQP), len(a.timers))
		}
	})
}
