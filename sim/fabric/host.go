package fabric

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// HostConfig is what a host is like.
type HostConfig struct {
	Clock Clock
	// Receive is from the last bit of a frame until the transport has it, Post from a program's
	// request until the transport has that, and Complete from there to the program: what an
	// interface and a bus take.
	Receive, Post, Complete Time
}

// Host is a server with one interface: queue pairs of host/roce/rc and connections of
// roce/cmsm, as host/roce has them, in simulated time. The interface asks the queue pairs for
// a frame, in turn, whenever the wire is free.
type Host struct {
	Config HostConfig
	Count  HostCounters

	f      *Fabric
	name   string
	addr   wire.Addr
	mac    wire.MAC
	out    *Half
	rnd    *rand.Rand
	memory rc.Memory
	waits  rc.Waits
	nextVA uint64
	packet wire.Packet

	qps     map[uint32]*QP
	nextQPN uint32
	active  []*QP // may have something to send, in turn
	turn    int

	agent  *cmsm.Agent
	cmPSN  wire.PSN
	macs   map[wire.Addr]wire.MAC
	mads   []*Frame // connection management's, which go first
	ups    []*Conn  // have just been established
	armed  Time
	listen map[uint16]func(Request) (Accept, error)
}

// HostCounters counts frames of a host, and why some were dropped. Queue pairs have counters of
// their own.
type HostCounters struct {
	In, Out, CMIn, CMOut                            uint64
	DropFrame, DropAddress, DropQP, DropCM, Pending uint64
	CE, CNP                                         uint64 // marked packets, and notifications, received
}

// NewHost makes a host. Its addresses are its number's.
func (f *Fabric) NewHost(name string, c HostConfig) (*Host, error) {
	n := len(f.Hosts) + 1
	h := &Host{
		Config: c, f: f, name: name, addr: wire.Addr{10, byte(n >> 16), byte(n >> 8), byte(n)},
		mac: wire.MAC{2, 0, 10, byte(n >> 16), byte(n >> 8), byte(n)}, rnd: f.rand("host " + name),
		qps: map[uint32]*QP{}, macs: map[wire.Addr]wire.MAC{}, armed: Never, listen: map[uint16]func(Request) (Accept, error){},
	}
	h.nextVA = 0x7e0000000000 + uint64(h.rnd.Uint32()&0xffff)<<20
	h.nextQPN = h.rnd.Uint32()&0xffff + 0x100
	h.cmPSN = wire.PSNOf(h.rnd.Uint32())
	h.agent = cmsm.NewAgent(cmsm.Config{Seed: h.rnd.Uint64(), GUID: uint64(n)})
	if err := f.add(h); err != nil {
		return nil, err
	}
	f.Hosts = append(f.Hosts, h)
	return h, nil
}

// Name implements Node.
func (h *Host) Name() string { return h.name }

// Addr is the host's IPv4 address.
func (h *Host) Addr() wire.Addr { return h.addr }

// MAC is its Ethernet address.
func (h *Host) MAC() wire.MAC { return h.mac }

// Link is the direction of its link in which it sends, nil before it has one.
func (h *Host) Link() *Half { return h.out }

func (h *Host) connect(out *Half) {
	if h.out != nil {
		h.f.Fail(fmt.Errorf("host %s: has a link already (%s), and %s is another", h.name, h.out.Link.Name, out.Link.Name))
		return
	}
	h.out, out.Port, out.source = out, 1, h
	out.Reverse().rx = h.Config.Receive
}

func (h *Host) turned(*Half) {}

// now is the host's clock.
func (h *Host) now() time.Duration { return h.Config.Clock.Local(h.f.now).Duration() }

// time is the same, for queue pairs.
func (h *Host) time() rc.Time { return rc.Time(h.now()) }

// Register makes memory that peers can reach.
func (h *Host) Register(n int, access rdma.Access) (*rc.MR, error) {
	mr, err := h.memory.Register(make([]byte, n), h.nextVA, access, h.rnd.Uint32()|1)
	const page = 4096
	h.nextVA += (uint64(n)+page-1)&^(page-1) + page
	return mr, err
}

func (h *Host) receive(_ *Half, fr *Frame) {
	h.Count.In++
	p := &h.packet
	switch {
	case wire.Parse(fr.B, p) != nil:
		h.Count.DropFrame++
	case p.IP.Dst() != h.addr || p.Eth.Dst() != h.mac:
		h.Count.DropAddress++
	case p.BTH.DestQP() == wire.GSIQP:
		h.receiveCM(p)
	default:
		h.receiveQP(p)
	}
	h.f.release(fr)
}

func (h *Host) receiveQP(p *wire.Packet) {
	q := h.qps[p.BTH.DestQP()]
	if q == nil {
		h.Count.DropQP++
		return
	}
	switch {
	case p.BTH.Opcode() == wire.CongestionNotification:
		h.Count.CNP++
	case p.IP.ECN() == wire.CE:
		h.Count.CE++
	}
	q.rc.Receive(h.time(), p)
	if h.f.weak.early {
		for _, mr := range q.regions {
			mr.Write(func(b []byte) { clear(b) })
		}
	}
	h.touch(q)
}

// touch lets a queue pair send, report, and set its timer.
func (h *Host) touch(q *QP) {
	q.report()
	if !q.active {
		q.active = true
		h.active = append(h.active, q)
	}
	h.out.start()
	q.arm()
}

// pull implements source.
func (h *Host) pull() *Frame {
	if len(h.mads) > 0 {
		fr := h.mads[0]
		h.mads = h.mads[1:]
		h.Count.Out++
		return fr
	}
	for len(h.active) > 0 {
		if h.turn >= len(h.active) {
			h.turn = 0
		}
		q := h.active[h.turn]
		fr := h.f.frame()
		fr.B = q.rc.Next(h.time(), fr.B)
		if len(fr.B) == 0 {
			h.f.release(fr)
			h.idle(q)
			q.arm() // a congestion control may hold it back
			continue
		}
		h.turn++
		h.Count.Out++
		q.arm()
		return fr
	}
	return nil
}

// idle takes a queue pair out of the turn: the last one of the list takes its place.
func (h *Host) idle(q *QP) {
	q.active = false
	copy(h.active[h.turn:], h.active[h.turn+1:])
	h.active = h.active[:len(h.active)-1]
}

// QP is a queue pair of a host.
type QP struct {
	h       *Host
	rc      *rc.QP
	conn    *Conn
	regions []*rc.MR
	active  bool
	armed   Time
	done    func(rdma.Completion)
}

// NewQP makes a queue pair; the number, the memory and the waits are the host's. done takes
// its completions, Config.Complete after they happened.
func (h *Host) NewQP(c rc.Config, done func(rdma.Completion)) (*QP, error) {
	c.QPN, c.Memory, c.Waits = h.nextQPN, &h.memory, &h.waits
	h.nextQPN++
	r, err := rc.New(c)
	if err != nil {
		return nil, err
	}
	q := &QP{h: h, rc: r, armed: Never, done: done}
	h.qps[c.QPN] = q
	return q, nil
}

// RC is the queue pair's core, to look into.
func (q *QP) RC() *rc.QP { return q.rc }

// Post posts a request, Config.Post from now.
func (q *QP) Post(wr rdma.SendWR) {
	if q.h.Config.Post == 0 {
		q.post(wr)
		return
	}
	q.h.f.At(q.h.f.now+q.h.Config.Post, func() { q.post(wr) })
}

func (q *QP) post(wr rdma.SendWR) {
	if err := q.rc.PostSend(wr); err != nil {
		q.h.f.Fail(fmt.Errorf("host %s: queue pair %#x: %w", q.h.name, q.rc.QPN(), err))
		return
	}
	q.h.touch(q)
}

// report hands completions out, and tells connection management what the queue pair knows.
func (q *QP) report() {
	var c rdma.Completion
	for q.rc.PollCompletion(&c) {
		if q.done == nil {
			continue
		}
		if q.h.Config.Complete == 0 {
			q.done(c)
			continue
		}
		c := c
		q.h.f.At(q.h.f.now+q.h.Config.Complete, func() { q.done(c) })
	}
	if q.conn != nil {
		q.conn.observe()
	}
}

// arm sets the timer. A deadline that moves later lets the event come in vain, which arms again.
func (q *QP) arm() {
	d := q.rc.Deadline()
	if d == rc.Never {
		return
	}
	if at := q.h.Config.Clock.Global(After(time.Duration(d))); at < q.armed {
		q.armed = at
		q.h.f.schedule(at, q, 0, nil)
	}
}

func (q *QP) handle(int, *Frame) {
	if q.armed > q.h.f.now {
		return // the earlier event has armed again
	}
	q.armed = Never
	if q.rc.Deadline() <= q.h.time() {
		q.rc.Tick(q.h.time())
		q.h.touch(q)
		return
	}
	q.arm()
}

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
func (h *Host) Listen(port uint16, fn func(Request) (Accept, error)) { h.listen[port] = fn }

// Conn is a connection of a queue pair.
type Conn struct {
	QP      *QP
	Private []byte // of the peer's REQ or REP

	h           *Host
	cc          *cmsm.Conn
	psn         wire.PSN
	established bool
	ended       bool
	up          func(*Conn, error)
}

// ErrEnded is why a connection is no more, when the peer has ended it.
var ErrEnded = errors.New("the peer has ended the connection")

// Dial connects a queue pair. up is called when the connection is up, or with the reason
// for which it is not, or is no more.
func (h *Host) Dial(to wire.Addr, port uint16, q *QP, private []byte, up func(*Conn, error)) error {
	mac, ok := h.f.routes.macs[to]
	if !ok {
		return fmt.Errorf("host %s: nobody has the address %v", h.name, to)
	}
	if sw, driven := h.out.To.(*RDMA); driven && h.f.network != nil && h.f.routes.at[mac].node != sw.index {
		mac = sw.mac // which answers ARP for those behind others
	}
	h.macs[to] = mac
	psn := wire.PSNOf(h.rnd.Uint32())
	offer := cmsm.Offer{
		QPN: q.rc.QPN(), StartingPSN: psn, MTU: q.rc.MTU(), Private: private,
		Local: h.addr.Netip(), Remote: to.Netip(), Port: port, SrcPort: uint16(h.rnd.Uint32()) | 0x8000,
	}
	req, err := offer.REQ()
	if err != nil {
		return err
	}
	c := &Conn{QP: q, h: h, psn: psn, up: up}
	q.conn = c
	c.cc = h.agent.Connect(h.now(), h.addr, to, req)
	c.cc.Data = c
	h.pumpCM()
	return nil
}

// Close ends a connection.
func (c *Conn) Close() {
	if c.ended {
		return
	}
	c.ended = true
	c.QP.rc.Close()
	_ = c.cc.Disconnect(c.h.now(), nil) // it may be on its way out already
	delete(c.h.qps, c.QP.rc.QPN())
	c.h.pumpCM()
	c.QP.report()
}

// end says that a connection is no more.
func (c *Conn) end(err error) {
	if c.ended {
		return
	}
	c.ended = true
	c.QP.rc.Close()
	if c.up != nil {
		c.up(c, err)
	}
}

func (c *Conn) observe() {
	if !c.established && c.cc != nil && c.QP.rc.Heard() {
		c.cc.Heard()
		c.h.pumpCM()
	}
	if !c.ended && c.QP.rc.State() == rdma.StateError {
		c.end(c.QP.rc.Cause().Err())
	}
}

func (c *Conn) establish() {
	if c.established || c.ended {
		return
	}
	if err := c.QP.rc.Start(); err != nil {
		c.end(err)
		return
	}
	c.established = true
	c.h.ups = append(c.h.ups, c)
}

func (h *Host) receiveCM(p *wire.Packet) {
	if !p.ICRCOK() {
		h.Count.DropCM++
		return
	}
	tid, m, err := cm.DecodeFrame(p)
	if err != nil {
		h.Count.DropCM++
		return
	}
	h.Count.CMIn++
	src := p.IP.Src()
	h.macs[src] = p.Eth.Src()
	h.agent.Receive(h.now(), h.addr, src, tid, m)
	h.pumpCM()
}

// pumpCM does what connection management wants.
func (h *Host) pumpCM() {
	for {
		if e, ok := h.agent.PollEvent(); ok {
			h.connection(e)
			continue
		}
		m, ok := h.agent.PollMessage()
		if !ok {
			break
		}
		h.sendCM(m)
	}
	h.out.start()
	for len(h.ups) > 0 { // when the peer is told before what the program sends
		c := h.ups[0]
		h.ups = h.ups[1:]
		if c.up != nil {
			c.up(c, nil)
		}
	}
	h.armCM()
}

func (h *Host) armCM() {
	d := h.agent.Deadline()
	if d == cmsm.Never {
		return
	}
	at := h.Config.Clock.Global(After(d))
	if at >= h.armed {
		return
	}
	h.armed = at
	h.f.At(at, func() {
		if h.armed > h.f.now {
			return
		}
		h.armed = Never
		h.agent.Tick(h.now())
		h.pumpCM()
	})
}

func (h *Host) sendCM(m cmsm.Outgoing) {
	mac, ok := h.macs[m.Remote]
	if !ok {
		h.Count.Pending++
		return
	}
	h.cmPSN = h.cmPSN.Add(1)
	fr := h.f.frame()
	b, err := cm.AppendFrame(fr.B, cm.FrameHeader{
		SrcMAC: h.mac, DstMAC: mac, Src: m.Local, Dst: m.Remote, SrcPort: 0xc001, PSN: h.cmPSN,
	}, m.TID, m.Message)
	if err != nil {
		h.f.release(fr)
		h.f.Fail(fmt.Errorf("host %s: %w", h.name, err))
		return
	}
	fr.B = b
	h.Count.CMOut++
	h.mads = append(h.mads, fr)
}

func (h *Host) connection(e cmsm.Event) {
	if e.Kind == cmsm.Requested {
		h.requested(e)
		return
	}
	c, _ := e.Conn.Data.(*Conn)
	if c == nil {
		return // refused
	}
	switch e.Kind {
	case cmsm.Accepted:
		c.Private = e.REP.PrivateData
		err := c.QP.rc.Connect(h.peer(c.QP, e.Conn.Remote(), e.REP.LocalQPN, wire.PSNOf(e.REP.StartingPSN), c.psn))
		if err == nil {
			err = c.cc.Confirm(h.now())
		}
		if err != nil {
			c.end(err)
			return
		}
		c.establish()
	case cmsm.Established:
		c.establish()
	case cmsm.Rejected:
		c.end(&rdma.RejectedError{Reason: e.Reason, Private: e.Private})
	case cmsm.TimedOut:
		c.end(rdma.ErrTimeout)
	case cmsm.Disconnected:
		c.end(ErrEnded)
	case cmsm.Stale:
		c.end(rdma.ErrStale)
	}
}

func (h *Host) requested(e cmsm.Event) {
	port, ok := cm.ServicePort(e.REQ.ServiceID)
	fn := h.listen[port]
	_, user, err := cm.SplitPrivateData(e.REQ.PrivateData)
	if !ok || fn == nil || err != nil {
		_ = e.Conn.Reject(h.now(), cm.ReasonInvalidServiceID, nil)
		return
	}
	mtu := cm.MTUBytes(e.REQ.PathMTU)
	a, err := fn(Request{From: e.Conn.Remote(), Private: user, MTU: mtu})
	if err != nil {
		_ = e.Conn.Reject(h.now(), cm.ReasonConsumer, nil)
		return
	}
	psn := wire.PSNOf(h.rnd.Uint32())
	rep, err := cmsm.Offer{QPN: a.QP.rc.QPN(), StartingPSN: psn, MTU: mtu, Private: a.Private}.REP()
	if err == nil {
		err = a.QP.rc.SetMTU(mtu)
	}
	if err == nil {
		err = a.QP.rc.Connect(h.peer(a.QP, e.Conn.Remote(), e.REQ.LocalQPN, wire.PSNOf(e.REQ.StartingPSN), psn))
	}
	if err == nil {
		err = e.Conn.Accept(h.now(), rep)
	}
	if err != nil {
		h.f.Fail(fmt.Errorf("host %s: %w", h.name, err))
		return
	}
	c := &Conn{QP: a.QP, Private: user, h: h, cc: e.Conn}
	a.QP.conn = c
	e.Conn.Data = c
}

// peer is the other end of a connection. The source port makes the flow, as NICs do it.
func (h *Host) peer(q *QP, remote wire.Addr, qpn uint32, send, recv wire.PSN) rc.Peer {
	return rc.Peer{
		QPN: qpn, LocalMAC: h.mac, RemoteMAC: h.macs[remote], Local: h.addr, Remote: remote,
		SrcPort: 0xc000 | uint16(q.rc.QPN()^qpn)&0x3fff, SendPSN: send, RecvPSN: recv,
	}
}
