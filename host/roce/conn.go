package roce

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/internal/life"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Errors that end connections.
var (
	ErrDisconnected = rdma.ErrDisconnected
	ErrStale        = rdma.ErrStale
	ErrTimeout      = rdma.ErrTimeout
)

// RejectedError is returned by Dial when the peer refuses.
type RejectedError = rdma.RejectedError

// Conn is a connected queue pair.
type Conn struct {
	dev     *Device
	qp      *QP
	cc      *cmsm.Conn
	private []byte
	remote  netip.Addr
	life    *life.Life // changes with the device's lock held
}

func newConn(d *Device, qp *QP, remote netip.Addr) *Conn {
	c := &Conn{dev: d, qp: qp, remote: remote, life: life.New()}
	qp.conn = c
	return c
}

// QP returns the queue pair. It is destroyed when the connection is closed.
func (c *Conn) QP() *QP { return c.qp }

// Private returns the private data that the peer sent with its REQ or REP,
// zero-padded to the message's length.
func (c *Conn) Private() []byte { return c.private }

// RemoteAddr returns the peer's address.
func (c *Conn) RemoteAddr() netip.Addr { return c.remote }

// Done is closed when the connection has ended: closed by either side, or
// failed.
func (c *Conn) Done() <-chan struct{} { return c.life.Done() }

// Err returns why the connection ended; nil while Done is open. After Close it
// is ErrClosed; a transport failure is an rc.StatusError.
func (c *Conn) Err() error { return c.life.Err() }

// Close ends the connection: work is flushed, the queue pair destroyed, and the
// peer told. It does not wait for the peer's answer; the device repeats the DREQ
// in the background as needed. Closing twice is harmless.
func (c *Conn) Close() error {
	d := c.dev
	d.mu.Lock()
	defer d.mu.Unlock()
	c.end(ErrClosed)
	now := d.now()
	// The only error is that the connection is on its way out already.
	_ = c.cc.Disconnect(now, nil)
	c.qp.destroy()
	d.pump(now)
	return nil
}

// end marks the connection as ended; the device's lock is held.
func (c *Conn) end(err error) {
	if !c.life.End(err) {
		return
	}
	// The transport may have ended by itself, which report has seen; Close is
	// then without effect.
	c.qp.rc.Close()
	c.dev.touch(c.qp)
}

// observe is called after the queue pair has handled packets or time.
func (c *Conn) observe() {
	if !c.life.Up() && c.qp.rc.Heard() && c.cc != nil {
		c.cc.Heard()
	}
	if !c.life.Ended() && c.qp.rc.State() == rdma.StateError {
		err := c.qp.rc.Cause().Err()
		if c.dev.closed {
			err = ErrClosed
		}
		c.end(err)
	}
}

// peer makes the address vector of a connection.
func (d *Device) peer(qp *QP, remote wire.Addr, qpn uint32, send, recv wire.PSN) rc.Peer {
	port := d.info.SrcPort
	if port == 0 {
		// Entropy for multipath, as NICs do it.
		port = 0xc000 | uint16(qp.rc.QPN()^qpn)&0x3fff
	}
	return rc.Peer{
		QPN: qpn, LocalMAC: d.info.MAC, RemoteMAC: d.macs[remote], Local: d.addr, Remote: remote,
		SrcPort: port, SendPSN: send, RecvPSN: recv,
	}
}

// offer is what this side brings to a connection with qp.
func (d *Device) offer(qp *QP, private []byte) (cmsm.Offer, wire.PSN) {
	psn := wire.PSNOf(uint32(random()))
	return cmsm.Offer{
		QPN: qp.rc.QPN(), StartingPSN: psn, MTU: qp.rc.MTU(), Private: private,
	}, psn
}

// Dial connects qp to the service on a port of the peer and waits until the
// connection is established, refused or ctx ends. The connection owns qp from
// then on; if Dial fails, qp is destroyed. private is at most cm.REQUserLen bytes.
func (d *Device) Dial(ctx context.Context, to netip.AddrPort, qp *QP, private []byte) (*Conn, error) {
	conn, err := d.dial(ctx, to, qp, private)
	return settle(ctx, conn, qp, err, "connect to", to)
}

// settle waits until a connection that has been begun with qp is established, on either side. err
// says that it could not be begun.
func settle(ctx context.Context, conn *Conn, qp *QP, err error, what string, peer fmt.Stringer) (*Conn, error) {
	if err == nil {
		if err = conn.life.Await(ctx); err == nil {
			return conn, nil
		}
		_ = conn.Close()
	} else {
		qp.Destroy()
	}
	return nil, fmt.Errorf("%s %v: %w", what, peer, err)
}

func (d *Device) dial(ctx context.Context, to netip.AddrPort, qp *QP, private []byte) (*Conn, error) {
	remote, ok := wire.AddrFrom(to.Addr())
	if !ok {
		return nil, errors.New("address is not IPv4")
	}
	mac, err := d.wire.Resolve(ctx, to.Addr())
	if err != nil {
		return nil, err
	}
	offer, psn := d.offer(qp, private)
	offer.Local, offer.Remote, offer.Port = d.info.Addr, to.Addr(), to.Port()
	offer.SrcPort = uint16(random()) | 0x8000
	req, err := offer.REQ()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if qp.conn != nil || qp.rc.State() != rdma.StateInit {
		return nil, errors.New("queue pair is in use")
	}
	d.resolved(remote, mac)
	conn := newConn(d, qp, to.Addr())
	now := d.now()
	conn.cc = d.agent.Connect(now, d.addr, remote, req)
	conn.cc.Data = &pending{conn: conn, psn: psn}
	d.pump(now)
	return conn, nil
}

// pending is what connection management keeps with a cmsm.Conn.
type pending struct {
	conn *Conn // nil for a request that is not accepted yet
	psn  wire.PSN
	req  *Request
}

// pumpCM handles the events of connection management and sends its messages.
func (d *Device) pumpCM(now time.Duration) {
	for {
		e, ok := d.agent.PollEvent()
		if !ok {
			break
		}
		d.handle(now, e)
	}
	for {
		m, ok := d.agent.PollMessage()
		if !ok {
			break
		}
		d.sendCM(m)
	}
	// Events may have ended connections.
	for len(d.dirty) > 0 {
		qp := d.dirty[len(d.dirty)-1]
		d.dirty = d.dirty[:len(d.dirty)-1]
		qp.dirty = false
		qp.report()
	}
}

func (d *Device) sendCM(m cmsm.Outgoing) {
	mac, ok := d.macs[m.Remote]
	if !ok || d.silent {
		d.count.CMUnresolved++
		return
	}
	port := d.info.SrcPort
	if port == 0 {
		port = 0xc001
	}
	d.cmPSN = d.cmPSN.Add(1)
	frame, err := cm.AppendFrame(d.wire.Buffer(), cm.FrameHeader{
		SrcMAC: d.info.MAC, DstMAC: mac, Src: m.Local, Dst: m.Remote, SrcPort: port, PSN: d.cmPSN,
	}, m.TID, m.Message)
	if err != nil {
		// Private data are checked when they are given to this package.
		d.log.Error("connection management message not sent", "err", err)
		return
	}
	d.send(frame)
}

func (d *Device) handle(now time.Duration, e cmsm.Event) {
	if e.Kind == cmsm.Requested {
		d.requested(now, e)
		return
	}
	p, _ := e.Conn.Data.(*pending)
	if p == nil {
		return // refused before anybody saw it
	}
	if p.conn == nil {
		p.req.gone = true
		return
	}
	conn := p.conn
	switch e.Kind {
	case cmsm.Accepted:
		d.accepted(now, conn, p.psn, e.REP)
	case cmsm.Established:
		conn.establish()
	case cmsm.Rejected:
		conn.end(&RejectedError{Reason: e.Reason, Private: e.Private})
	case cmsm.TimedOut:
		conn.end(ErrTimeout)
	case cmsm.Disconnected:
		conn.end(ErrDisconnected)
	case cmsm.Stale:
		conn.end(ErrStale)
	}
}

// accepted completes the active side: the queue pair goes to ready-to-send before
// the RTU can make the peer send.
func (d *Device) accepted(now time.Duration, conn *Conn, psn wire.PSN, rep *cm.REP) {
	if conn.life.Ended() {
		_ = conn.cc.Reject(now, cm.ReasonConsumer, nil)
		return
	}
	conn.private = rep.PrivateData
	err := conn.qp.rc.Connect(d.peer(conn.qp, conn.cc.Remote(), rep.LocalQPN, wire.PSNOf(rep.StartingPSN), psn))
	if err != nil {
		_ = conn.cc.Reject(now, cm.ReasonConsumer, nil)
		conn.end(err)
		return
	}
	if err := conn.cc.Confirm(now); err != nil {
		conn.end(err)
		return
	}
	conn.establish()
}

func (c *Conn) establish() {
	if c.life.Up() || c.life.Ended() {
		return
	}
	if err := c.qp.rc.Start(); err != nil {
		c.end(err)
		return
	}
	c.life.Establish()
}
