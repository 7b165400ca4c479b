package smr

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// driven is a node whose core does nothing by itself: it waits to be added. The test
// plays the core, its peers and connection management, and sees every change of a
// right in order.
type driven struct {
	t *testing.T
	*Node
	dev   *fakeDevice
	guard *proof.Guard // of all peers
}

func newDriven(t *testing.T, change func(*Config)) *driven {
	dev := &fakeDevice{Device: roce.RDMA(hosttest.Device(t, hub.New(), hosttest.Addr(1)), roce.QPConfig{}), dials: make(chan *fakeDial, 64), over: make(chan struct{})}
	cfg := Config{ID: 1, Cluster: 42, Token: 5, Devices: []rdma.Device{dev}, Port: hosttest.Port, Machine: &sum{}, LogSize: 1 << 16, Switch: hosttest.Addr(100)}
	if change != nil {
		change(&cfg)
	}
	n, err := Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = n.Close() })
	t.Cleanup(func() { close(dev.over) })
	return &driven{t, n, dev, proof.NewGuard(n.secret())}
}

// call plays the core, which calls with the lock held.
func (d *driven) call(f func(e *env)) {
	d.lock.Lock()
	defer d.lock.Unlock()
	f((*env)(d.Node))
}

// fakeDevice is a device whose queue pairs and connections the test sees.
type fakeDevice struct {
	rdma.Device
	dials chan *fakeDial
	over  chan struct{} // closed at the end of the test

	mu      sync.Mutex
	qps     []*fakeQP
	changed func(*fakeQP)
}

// CreateQP is called for the node's queue pairs.
func (f *fakeDevice) CreateQP(c rdma.QPConfig) (rdma.QP, error) {
	if g, ok := c.RecvCQ.(*greetedCQ); ok {
		c.RecvCQ = g.CQ
	}
	q, err := f.Device.CreateQP(c)
	if err != nil {
		return nil, err
	}
	fake := &fakeQP{QP: q, dev: f, access: c.Access, domain: c.Domain}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.qps = append(f.qps, fake)
	return fake, nil
}

// NewCQ is called for the node's queues.
func (f *fakeDevice) NewCQ(n int) (rdma.CQ, error) {
	q, err := f.Device.NewCQ(n)
	if err == nil && n == streamCredits {
		q = &greetedCQ{CQ: q}
	}
	return q, err
}

// greetedCQ is the queue of a giver whose peer has said that it has nothing, and says nothing more.
type greetedCQ struct {
	rdma.CQ
	said bool
}

func (q *greetedCQ) Wait(ctx context.Context) error {
	if !q.said {
		return nil
	}
	return q.CQ.Wait(ctx)
}

func (q *greetedCQ) Poll(out []rdma.Completion) int {
	if q.said {
		return q.CQ.Poll(out)
	}
	q.said = true
	out[0] = rdma.Completion{Len: 1}
	return 1
}

// Dial waits for the test to decide.
func (f *fakeDevice) Dial(ctx context.Context, to netip.AddrPort, qp rdma.QP, data []byte) (rdma.Conn, error) {
	m, err := rdmaprivate.ParseRequest(data)
	if err != nil {
		return nil, err
	}
	d := &fakeDial{to: to, m: m, qp: qp.(*fakeQP), answer: make(chan func() (rdma.Conn, error))}
	select {
	case f.dials <- d:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// What is decided counts even if nobody wants it any more, as on a network.
	select {
	case answer := <-d.answer:
		return answer()
	case <-f.over:
		return nil, errTest
	}
}

// fakeDial is the node's wish to connect.
type fakeDial struct {
	to     netip.AddrPort
	m      rdmaprivate.Request
	qp     *fakeQP
	answer chan func() (rdma.Conn, error)

	exchange *rdmaprivate.Exchange // once it is proved
	changes  int                   // the byte of the answer that is not as it was made; 0: none
}

// accept connects it, to regions of these sizes.
func (d *fakeDial) accept(sizes ...int) *fakeConn {
	c := newFakeConn(d.qp)
	for i, n := range sizes {
		c.private = rdmaprivate.Region{VA: 1 << 20 << i, RKey: uint32(7 + i), Size: uint64(n)}.Append(c.private)
	}
	c.private, _ = d.exchange.Reply(c.private)
	if d.changes != 0 {
		c.private[d.changes]++
	}
	d.answer <- func() (rdma.Conn, error) { return c, nil }
	return c
}

func (d *fakeDial) refuse(text string) { d.reject(d.exchange.Refuse(0, errors.New(text))) }

func (d *fakeDial) reject(private []byte) {
	d.answer <- func() (rdma.Conn, error) {
		return nil, &rdma.RejectedError{Reason: cm.ReasonConsumer, Private: private}
	}
}

// fakeQP is a queue pair of which only the rights are real.
type fakeQP struct {
	rdma.QP
	dev    *fakeDevice
	domain rdma.Domain
	access rdma.Access // guarded by dev.mu
	posted []rdma.SendWR
	used   bool // the node has taken it into use as one to post on
}

// QPN is asked for when a connection is taken into use.
func (q *fakeQP) QPN() uint32 {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	q.used = true
	return q.QP.QPN()
}

func (q *fakeQP) SetAccess(a rdma.Access) error {
	q.dev.mu.Lock()
	q.access = a
	changed := q.dev.changed
	q.dev.mu.Unlock()
	if changed != nil {
		changed(q)
	}
	return nil
}

func (q *fakeQP) PostSend(wrs ...rdma.SendWR) (int, error) {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	q.posted = append(q.posted, wrs...)
	return len(wrs), nil
}

// PostRecv takes in what the peer of a giver says first.
func (q *fakeQP) PostRecv(wrs ...rdma.RecvWR) (int, error) {
	for _, wr := range wrs {
		if len(wr.Local) == streamSend {
			wr.Local[0] = streamHello
			return 1, nil // nothing comes by itself
		}
	}
	return q.QP.PostRecv(wrs...)
}

// may reports whether the peer may write.
func (q *fakeQP) may() bool {
	q.dev.mu.Lock()
	defer q.dev.mu.Unlock()
	return q.access&rdma.RemoteWrite != 0
}

// fakeConn is a connection that ends when either side closes it.
type fakeConn struct {
	qp      *fakeQP
	private []byte
	once    sync.Once
	done    chan struct{}
}

func newFakeConn(qp *fakeQP) *fakeConn { return &fakeConn{qp: qp, done: make(chan struct{})} }

func (c *fakeConn) QP() rdma.QP            { return c.qp }
func (c *fakeConn) Private() []byte        { return c.private }
func (c *fakeConn) RemoteAddr() netip.Addr { return netip.Addr{} }
func (c *fakeConn) Done() <-chan struct{}  { return c.done }
func (c *fakeConn) Err() error             { return nil }
func (c *fakeConn) Close() error           { c.once.Do(func() { close(c.done) }); return nil }

func (c *fakeConn) closed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// fakeRequest is a peer's wish to connect, as the node's listener would have it.
type fakeRequest struct {
	m        rdmaprivate.Request
	from     netip.Addr
	accepted chan *fakeConn // gets the connection when the node accepts
	rejected chan string
	goOn     chan struct{} // closed when the peer has confirmed
	over     chan struct{} // closed when the node has done with it
}

func (r *fakeRequest) Private() []byte        { b, _ := r.m.Append(nil); return b }
func (r *fakeRequest) RemoteAddr() netip.Addr { return r.from }

func (r *fakeRequest) Accept(_ context.Context, qp rdma.QP, data []byte) (rdma.Conn, error) {
	c := newFakeConn(qp.(*fakeQP))
	c.private = data
	r.accepted <- c
	select {
	case <-r.goOn:
		return c, nil
	case <-c.qp.dev.over:
		return nil, errTest
	}
}

func (r *fakeRequest) Reject(data []byte) error {
	why, err := rdmaprivate.ParseRefusal(data)
	r.rejected <- why.Text
	return err
}

// proved is a request that proves the secret, if the node asks for that.
func (d *driven) proved(m rdmaprivate.Request, from netip.Addr) rdmaprivate.Request {
	d.t.Helper()
	p := d.secret().Prover(&m, from, hosttest.Addr(1), rand.Uint64)
	next := func() (r rdmaprivate.Request) {
		private, err := p.Private()
		require.NoError(d.t, err)
		r, err = rdmaprivate.ParseRequest(private)
		require.NoError(d.t, err)
		return r
	}
	_, err := d.check(0, &fakeRequest{m: next(), from: from})
	require.Error(d.t, err)
	again, _, err := p.Refused(rdmaprivate.Refuse(0, err))
	require.NoError(d.t, err)
	require.True(d.t, again)
	return next()
}

// arrive gives the node a request that proves the secret.
func (d *driven) arrive(m rdmaprivate.Request, from netip.Addr) *fakeRequest {
	d.t.Helper()
	r := &fakeRequest{m: d.proved(m, from), from: from, accepted: make(chan *fakeConn, 1), rejected: make(chan string, 1), goOn: make(chan struct{}), over: make(chan struct{})}
	go func() {
		defer close(r.over)
		d.admit(0, r)
	}()
	return r
}

// connect is arrive for a request that is taken, and confirmed by the peer.
func (d *driven) connect(m rdmaprivate.Request, from netip.Addr) (*fakeRequest, *fakeConn) {
	d.t.Helper()
	r := d.arrive(m, from)
	select {
	case c := <-r.accepted:
		close(r.goOn)
		d.until(func() bool {
			for _, in := range d.in {
				if in.conn == c {
					return true
				}
			}
			return false
		})
		return r, c
	case why := <-r.rejected:
		d.t.Fatalf("refused: %s", why)
	case <-hosttest.Context(d.t).Done():
		d.t.Fatal("not answered")
	}
	return nil, nil
}

// peerRequest is that of server id to this one.
func peerRequest(id mu.ID, kind uint8) rdmaprivate.Request {
	return rdmaprivate.Request{Form: rdmaprivate.FormPeer, LeaderID: uint16(id), Peer: 1, Port: hosttest.Port, Kind: kind, Cluster: 42, Version: protocolVersion}
}

// groupRequest is the switch's for a leader's group.
func groupRequest(term mu.Term, gen uint32, leader netip.Addr) rdmaprivate.Request {
	return rdmaprivate.Request{Form: rdmaprivate.FormMember, LeaderID: uint16(term.Leader()), Term: wireTerm(term, gen), Leader: leader}
}

// term is a term of a leader.
func term(round int, leader mu.ID) mu.Term { return mu.Term(round)<<8 | mu.Term(leader) }

// recv takes what comes soon.
func recv[T any](t testing.TB, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing has come for 10 s")
	}
	return v
}

// dialled waits for the node to dial.
func (d *driven) dialled() *fakeDial {
	d.t.Helper()
	for {
		x := recv(d.t, d.dev.dials)
		exchange, err := d.guard.Check(&x.m, hosttest.Addr(1), x.to.Addr())
		if err == nil {
			x.exchange = exchange
			return x
		}
		require.True(d.t, proof.Asks(err), "a wrong proof")
		x.reject(rdmaprivate.Refuse(0, err))
	}
}

var errTest = errors.New("of the test")

// A lease is looked at by the clock that the core is told the time by.
func TestLeased(t *testing.T) {
	d := newDriven(t, nil)
	require.False(t, d.Leased())
	d.call(func(e *env) { e.Leased(d.now() + time.Hour) })
	require.True(t, d.Leased())
	d.call(func(e *env) { e.Leased(d.now()) })
	require.False(t, d.Leased(), "it has run out")
	d.call(func(e *env) { e.Leased(d.now() + time.Hour) })
	d.call(func(e *env) { e.Leased(0) })
	require.False(t, d.Leased())
	d.call(func(e *env) { e.Leased(d.now() + time.Hour) })
	require.NoError(t, d.Close())
	require.False(t, d.Leased(), "it is closed")
}
