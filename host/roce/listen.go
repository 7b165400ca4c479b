package roce

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
)

// Listener receives the connection requests to one port.
type Listener struct {
	dev      *Device
	port     uint16
	requests chan *Request
	done     chan struct{}
	closed   bool // guarded by the device's lock
}

// Listen receives connection requests to a port of rdma_cm's TCP port space.
func (d *Device) Listen(port uint16) (*Listener, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if d.listeners[port] != nil {
		return nil, fmt.Errorf("rdma port %d of %v: in use", port, d.info.Addr)
	}
	l := &Listener{dev: d, port: port, requests: make(chan *Request, d.opts.Backlog), done: make(chan struct{})}
	d.listeners[port] = l
	return l, nil
}

// Accept waits for the next connection request.
func (l *Listener) Accept(ctx context.Context) (*Request, error) {
	select {
	case r := <-l.requests:
		return r, nil
	case <-l.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close stops listening and rejects the requests that wait. Connections that were
// accepted go on.
func (l *Listener) Close() error {
	d := l.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	l.shut()
	now := d.now()
	for {
		select {
		case r := <-l.requests:
			_ = r.cc.Reject(now, cm.ReasonInvalidServiceID, nil)
			continue
		default:
		}
		break
	}
	d.pump(now)
	return nil
}

func (l *Listener) shut() {
	if !l.closed {
		l.closed = true
		delete(l.dev.listeners, l.port)
		close(l.done)
	}
}

// Request is a peer's wish to connect. Its receiver calls Accept or Reject, once,
// and Delay before if that takes more than the peer's timeout.
type Request struct {
	dev     *Device
	cc      *cmsm.Conn
	pending *pending
	private []byte
	gone    bool // the peer gave up; guarded by the device's lock
}

// Private returns the private data of the peer, zero-padded to cm.REQUserLen
// bytes.
func (r *Request) Private() []byte { return r.private }

// RemoteAddr returns the address of the peer.
func (r *Request) RemoteAddr() netip.Addr { return r.cc.Remote().Netip() }

// PathMTU returns the path MTU that the peer has chosen, in bytes.
func (r *Request) PathMTU() int { return cm.MTUBytes(r.cc.REQ().PathMTU) }

// requested handles a REQ that no connection knows.
func (d *Device) requested(now time.Duration, e cmsm.Event) {
	refuse := func(reason cm.Reason) { _ = e.Conn.Reject(now, reason, nil) }
	port, ok := cm.ServicePort(e.REQ.ServiceID)
	l := d.listeners[port]
	_, user, err := cm.SplitPrivateData(e.REQ.PrivateData)
	switch mtu := cm.MTUBytes(e.REQ.PathMTU); {
	case !ok || l == nil || err != nil:
		refuse(cm.ReasonInvalidServiceID)
		return
	case e.REQ.Transport != cm.TransportRC:
		refuse(cm.ReasonInvalidTransport)
		return
	case mtu == 0 || mtu > d.MaxPathMTU():
		refuse(cm.ReasonInvalidMTU)
		return
	}
	r := &Request{dev: d, cc: e.Conn, private: user}
	r.pending = &pending{req: r}
	select {
	case l.requests <- r:
		e.Conn.Data = r.pending
	default:
		d.count.ListenOverflow++
		refuse(cm.ReasonNoResources)
	}
}

// Delay tells the peer that an answer takes up to t longer.
func (r *Request) Delay(t time.Duration) error {
	d := r.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	err := r.cc.Delay(now, t)
	d.pump(now)
	return err
}

// Reject refuses the request. private is at most cm.REJPrivateLen bytes.
func (r *Request) Reject(reason cm.Reason, private []byte) error {
	if len(private) > cm.REJPrivateLen {
		return fmt.Errorf("reject %v: private data of %d bytes (at most %d fit)", r.RemoteAddr(), len(private), cm.REJPrivateLen)
	}
	d := r.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	err := r.cc.Reject(now, reason, private)
	d.pump(now)
	return err
}

// Accept connects qp to the peer and waits until the peer confirms, by RTU or
// data, or ctx ends. What the peer sends is served from the moment Accept is
// called. The connection owns qp from then on; if Accept fails, qp is destroyed.
// private is at most cm.REPPrivateLen bytes.
func (r *Request) Accept(ctx context.Context, qp *QP, private []byte) (*Conn, error) {
	conn, err := r.accept(qp, private)
	return settle(ctx, conn, qp, err, "accept", r.RemoteAddr())
}

func (r *Request) accept(qp *QP, private []byte) (*Conn, error) {
	d := r.dev
	offer, psn := d.offer(qp, private)
	rep, err := offer.REP()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, ErrClosed
	case r.gone:
		return nil, ErrTimeout
	case qp.conn != nil:
		return nil, fmt.Errorf("queue pair %#x is in use", qp.rc.QPN())
	}
	now := d.now()
	conn := newConn(d, qp, r.RemoteAddr())
	conn.pair.CC, conn.pair.PSN, conn.pair.Private = r.cc, psn, r.private
	if err := conn.pair.Accept(now, rep, conn.peer); err != nil {
		return nil, err
	}
	qp.conn = conn
	r.pending.conn = conn
	d.pump(now)
	return conn, nil
}

// Status converts a completion's status to an error, nil for success.
func Status(c rdma.Completion) error {
	if c.Status == rdma.StatusOK {
		return nil
	}
	return fmt.Errorf("queue pair %#x: %v: %w", c.QPN, c.Op, c.Status.Err())
}
