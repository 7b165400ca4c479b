package roce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/internal/life"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/pair"
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
	dev    *Device
	qp     *QP
	pair   pair.Pair // guarded by the device's lock
	remote netip.Addr
	life   *life.Life // changes with the device's lock held
	last   lastWord   // guarded by the device's lock
}

func newConn(d *Device, qp *QP, remote netip.Addr) *Conn {
	c := &Conn{dev: d, qp: qp, remote: remote, life: life.New()}
	c.pair = pair.Pair{RC: qp.rc, Up: func() {
		c.life.Establish()
		c.last.keep(c)
	}, Down: func(err error) {
		if d.closed {
			err = ErrClosed
		}
		c.life.End(err)
		c.last.drop(d)
		d.touch(qp)
	}}
	return c
}

// QP returns the queue pair. It is destroyed when the connection is closed.
func (c *Conn) QP() *QP { return c.qp }

// Private returns the private data that the peer sent with its REQ or REP,
// zero-padded to the message's length.
func (c *Conn) Private() []byte { return c.pair.Private }

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
	c.pair.End(ErrClosed)
	now := d.now()
	// The only error is that the connection is on its way out already.
	_ = c.pair.CC.Disconnect(now, nil)
	c.qp.destroy()
	d.pump(now)
	return nil
}

// peer makes the address vector of a connection.
func (c *Conn) peer(qpn, psn uint32) rc.Peer {
	d, remote := c.dev, c.pair.CC.Remote()
	return rc.Peer{
		QPN: qpn, LocalMAC: d.info.MAC, RemoteMAC: d.macs[remote], Local: d.addr, Remote: remote,
		SrcPort: cmp.Or(d.info.SrcPort, pair.SrcPort(c.pair.RC.QPN(), qpn)), SendPSN: wire.PSNOf(psn), RecvPSN: c.pair.PSN,
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
	qp.conn = conn
	now := d.now()
	conn.pair.CC, conn.pair.PSN = d.agent.Connect(now, d.addr, remote, req), psn
	conn.pair.CC.Data = &pending{conn: conn}
	d.pump(now)
	return conn, nil
}

// pending is what connection management keeps with a cmsm.Conn.
type pending struct {
	conn *Conn // nil for a request that is not accepted yet
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
	frame, err := d.frameCM(d.wire.Buffer(), mac, m)
	if err != nil {
		// Private data are checked when they are given to this package.
		d.log.Error("connection management message not sent", "err", err)
		return
	}
	d.send(frame)
}

// frameCM appends the frame with a message.
func (d *Device) frameCM(dst []byte, mac wire.MAC, m cmsm.Outgoing) ([]byte, error) {
	d.cmPSN = d.cmPSN.Add(1)
	return cm.AppendFrame(dst, cm.FrameHeader{
		SrcMAC: d.info.MAC, DstMAC: mac, Src: m.Local, Dst: m.Remote, SrcPort: cmp.Or(d.info.SrcPort, 0xc001), PSN: d.cmPSN,
	}, m.TID, m.Message)
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
	p.conn.pair.Handle(now, e, p.conn.peer)
}
