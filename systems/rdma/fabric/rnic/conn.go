package rnic

import (
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/roce/pair"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Request is a peer's wish to connect.
type Request struct {
	From    wire.Addr
	Private []byte
	MTU     int
}

// Accept is the answer to one.
type Accept struct {
	QP      *QP
	Private []byte
}

// Listen takes requests to a port. An error rejects the request.
func (n *NIC) Listen(port uint16, fn func(Request) (Accept, error)) { n.listen[port] = fn }

// Conn is a connection of a queue pair.
type Conn struct {
	QP   *QP
	n    *NIC
	pair pair.Pair
	up   func(*Conn, error)
}

// Private returns the private data of the peer's REQ or REP.
func (c *Conn) Private() []byte { return c.pair.Private }

func (n *NIC) newConn(q *QP, psn wire.PSN) *Conn {
	c := &Conn{QP: q, n: n}
	c.pair = pair.Pair{RC: q.rc, PSN: psn, Up: func() { n.ups = append(n.ups, c) }, Down: func(err error) {
		if c.up != nil {
			c.up(c, err)
		}
	}}
	q.conn = c
	return c
}

// Dial connects a queue pair. up is called when the connection is up, or with the reason
// for which it is not, or is no more.
func (n *NIC) Dial(to wire.Addr, port uint16, q *QP, private []byte, up func(*Conn, error)) error {
	mac, ok := n.h.Resolve(to)
	if !ok {
		return fmt.Errorf("host %s: no host has the address %v", n.h.Name(), to)
	}
	n.macs[to] = mac
	psn := wire.PSNOf(n.rnd.Uint32())
	offer := cmsm.Offer{
		QPN: q.rc.QPN(), StartingPSN: psn, MTU: q.rc.MTU(), Private: private,
		Local: n.h.Addr().Netip(), Remote: to.Netip(), Port: port, SrcPort: uint16(n.rnd.Uint32()) | 0x8000,
	}
	req, err := offer.REQ()
	if err != nil {
		return err
	}
	c := n.newConn(q, psn)
	c.up = up
	c.pair.CC = n.agent.Connect(n.now(), n.h.Addr(), to, req)
	c.pair.CC.Data = c
	n.pumpCM()
	return nil
}

// Close ends a connection.
func (c *Conn) Close() {
	if c.pair.Ended() {
		return
	}
	c.up = nil // who ends it need not be told
	c.pair.End(nil)
	_ = c.pair.CC.Disconnect(c.n.now(), nil) // it may be on its way out already
	delete(c.n.qps, c.QP.rc.QPN())
	c.n.pumpCM()
	c.QP.report()
}

func (c *Conn) observe() {
	if c.pair.Observe() {
		c.n.pumpCM()
	}
}

func (n *NIC) receiveCM(p *wire.Packet) {
	if !p.ICRCOK() {
		n.Count.DropCM++
		return
	}
	tid, m, err := cm.DecodeFrame(p)
	if err != nil {
		n.Count.DropCM++
		return
	}
	n.Count.CMIn++
	src := p.IP.Src()
	n.macs[src] = p.Eth.Src()
	n.agent.Receive(n.now(), n.h.Addr(), src, tid, m)
	n.pumpCM()
}

// pumpCM does what connection management wants.
func (n *NIC) pumpCM() {
	for {
		if e, ok := n.agent.PollEvent(); ok {
			n.connection(e)
			continue
		}
		m, ok := n.agent.PollMessage()
		if !ok {
			break
		}
		n.sendCM(m)
	}
	n.h.Send()
	for len(n.ups) > 0 { // when the peer is told before what the program sends
		c := n.ups[0]
		n.ups = n.ups[1:]
		if c.up != nil {
			c.up(c, nil)
		}
	}
	n.timer.Arm()
}

// management is a NIC's connection management, as its timer sees it.
type management NIC

// Deadline implements fabric.Timed.
func (m *management) Deadline() time.Duration { return m.agent.Deadline() }

// Tick implements fabric.Timed.
func (m *management) Tick(now time.Duration) {
	m.agent.Tick(now)
	(*NIC)(m).pumpCM()
}

func (n *NIC) sendCM(m cmsm.Outgoing) {
	mac, ok := n.macs[m.Remote]
	if !ok {
		n.Count.Pending++
		return
	}
	n.cmPSN = n.cmPSN.Add(1)
	b, err := cm.AppendFrame(nil, cm.FrameHeader{
		SrcMAC: n.h.MAC(), DstMAC: mac, Src: m.Local, Dst: m.Remote, SrcPort: 0xc001, PSN: n.cmPSN,
	}, m.TID, m.Message)
	if err != nil {
		n.f.Fail(fmt.Errorf("host %s: %w", n.h.Name(), err))
		return
	}
	n.Count.CMOut++
	n.mads = append(n.mads, b)
}

func (n *NIC) connection(e cmsm.Event) {
	if e.Kind == cmsm.Requested {
		n.requested(e)
		return
	}
	c, _ := e.Conn.Data.(*Conn)
	if c == nil {
		return // refused
	}
	c.pair.Handle(n.now(), e, c.peer)
}

func (n *NIC) requested(e cmsm.Event) {
	port, ok := cm.ServicePort(e.REQ.ServiceID)
	fn := n.listen[port]
	_, user, err := cm.SplitPrivateData(e.REQ.PrivateData)
	if !ok || fn == nil || err != nil {
		_ = e.Conn.Reject(n.now(), cm.ReasonInvalidServiceID, nil)
		return
	}
	mtu := cm.MTUBytes(e.REQ.PathMTU)
	a, err := fn(Request{From: e.Conn.Remote(), Private: user, MTU: mtu})
	if err != nil {
		_ = e.Conn.Reject(n.now(), cm.ReasonConsumer, nil)
		return
	}
	psn := wire.PSNOf(n.rnd.Uint32())
	c := n.newConn(a.QP, psn)
	c.pair.CC, c.pair.Private = e.Conn, user
	rep, err := cmsm.Offer{QPN: a.QP.rc.QPN(), StartingPSN: psn, MTU: mtu, Private: a.Private}.REP()
	if err == nil {
		err = c.pair.Accept(n.now(), rep, c.peer)
	}
	if err != nil {
		n.f.Fail(fmt.Errorf("host %s: %w", n.h.Name(), err))
		return
	}
	e.Conn.Data = c
}

// peer is the other end of a connection.
func (c *Conn) peer(qpn, psn uint32) rc.Peer {
	h, remote := c.n.h, c.pair.CC.Remote()
	return rc.Peer{
		QPN: qpn, LocalMAC: h.MAC(), RemoteMAC: c.n.macs[remote], Local: h.Addr(), Remote: remote,
		SrcPort: pair.SrcPort(c.QP.rc.QPN(), qpn), SendPSN: wire.PSNOf(psn), RecvPSN: c.pair.PSN,
	}
}
