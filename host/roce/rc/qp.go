package rc

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/roce/wire"
)

// Time is nanoseconds since any fixed moment before the first event.
type Time int64

// Never is a time that does not come.
const Never = Time(1<<63 - 1)

// Add returns the time d after t.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// RetryForever as Config.RNRRetry never gives up, as the value 7 does on the
// wire.
const RetryForever = 7

// Config is what a queue pair keeps for its life. The zero value of each field
// that has a default means the default.
type Config struct {
	QPN    uint32
	Memory *Memory
	Access rdma.Access // what the peer may do; see QP.SetAccess

	MTU       int // path MTU, bytes of payload: 256, 512, 1024 (default), 2048 or 4096
	SendQueue int // work requests, default 128
	RecvQueue int // receives, default 128
	MaxReads  int // READs and atomics in flight, and atomic results kept for repeats; default 16
	Window    int // unacknowledged packets, default 128

	AckTimeout time.Duration // default 4.096us << 14, about 67 ms; negative means never
	Retry      int           // resends of the same packet before giving up, default 7; negative means none
	RNRRetry   int           // same for receiver-not-ready; default RetryForever; negative means none
	RNRDelay   time.Duration // what the peer is asked to wait, default 1.28 ms

	// AckEvery asks for an acknowledgement at least every so many packets of a
	// message, default 32. The last packet of a message always asks, unless
	// AckMessages is more than 1 and the next message is already posted: then
	// only every AckMessages-th message asks.
	AckEvery    int
	AckMessages int

	// CoalesceAcks lets the responder answer up to so many packets with one
	// acknowledgement, if they arrive before its owner pulls frames. 0 or 1
	// answers each packet that asks, as the kernel's rxe does.
	CoalesceAcks int
	// Credits makes the responder advertise its posted receives; otherwise it
	// advertises unlimited credits and answers receiver-not-ready.
	Credits bool

	CNPInterval time.Duration // between congestion notifications, default 50us
	TOS         uint8         // of all frames; ECN bits included

	// Congestion has the queue pair react to congestion notifications (DCQCN): requests and READ
	// responses are sent no faster than the limiter says. Its frames may be marked (ECT(0)) unless
	// TOS has ECN bits already. nil: as fast as they go.
	Congestion *dcqcn.Params
}

func (c *Config) setDefaults() error {
	c.MTU = cmp.Or(c.MTU, 1024)
	c.SendQueue = cmp.Or(c.SendQueue, 128)
	c.RecvQueue = cmp.Or(c.RecvQueue, 128)
	c.MaxReads = cmp.Or(c.MaxReads, 16)
	c.Window = cmp.Or(c.Window, 128)
	c.Retry = cmp.Or(c.Retry, 7)
	c.RNRRetry = cmp.Or(c.RNRRetry, RetryForever)
	c.AckEvery = cmp.Or(c.AckEvery, 32)
	c.AckMessages = cmp.Or(c.AckMessages, 1)
	c.AckTimeout = cmp.Or(c.AckTimeout, 4096<<14)
	c.RNRDelay = cmp.Or(c.RNRDelay, 1280*time.Microsecond)
	c.CNPInterval = cmp.Or(c.CNPInterval, 50*time.Microsecond)
	if c.Congestion != nil && c.TOS&uint8(wire.CE) == 0 {
		c.TOS |= uint8(wire.ECT0)
	}
	switch c.MTU {
	case 256, 512, 1024, 2048, 4096:
	default:
		return fmt.Errorf("queue pair: path mtu %d (want 256, 512, 1024, 2048 or 4096)", c.MTU)
	}
	switch {
	case c.Memory == nil:
		return errors.New("queue pair: no memory")
	case c.QPN > wire.QPNMask || c.QPN <= wire.GSIQP:
		return fmt.Errorf("queue pair: number %#x (want 2 to %#x)", c.QPN, wire.QPNMask)
	case c.SendQueue < 0 || c.RecvQueue < 0 || c.MaxReads < 0 || c.AckEvery < 0 || c.Window < 0 || c.Window > 1<<20:
		return errors.New("queue pair: queue or window size out of range")
	}
	return nil
}

// Peer is the other end of a connection: the address vector and the numbers
// that connection management agreed on.
type Peer struct {
	QPN                 uint32
	LocalMAC, RemoteMAC wire.MAC
	Local, Remote       wire.Addr
	SrcPort             uint16   // UDP source port of our frames
	SendPSN             wire.PSN // first PSN that we send
	RecvPSN             wire.PSN // first PSN that the peer sends
}

// QP is a queue pair. See the package comment for who calls what when.
type QP struct {
	cfg    Config
	peer   Peer
	state  rdma.State
	cause  rdma.Status
	heard  bool
	count  Counters
	header wire.Header // scratch for the frame being built
	req    requester
	resp   responder
	done   ring[rdma.Completion]

	limiter  *dcqcn.Limiter // nil: nothing holds it back
	heldBack Time           // data waits for the limiter until then; Never if not

	partner  Partner // nil: none
	entered  int     // calls of enter without leave
	progress Progress
}

// New makes a queue pair in state Init.
func New(cfg Config) (*QP, error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, err
	}
	q := &QP{cfg: cfg, heldBack: Never}
	if cfg.Congestion != nil {
		l, err := dcqcn.New(*cfg.Congestion)
		if err != nil {
			return nil, fmt.Errorf("queue pair: %w", err)
		}
		q.limiter = l
	}
	q.req.init(&q.cfg)
	q.resp.init(&q.cfg)
	q.done = newRing[rdma.Completion](cfg.SendQueue + cfg.RecvQueue)
	return q, nil
}

// QPN returns the number of the queue pair.
func (q *QP) QPN() uint32 { return q.cfg.QPN }

// MTU returns the path MTU in bytes.
func (q *QP) MTU() int { return q.cfg.MTU }

// State returns the state.
func (q *QP) State() rdma.State { return q.state }

// Cause returns why the queue pair is in state Error.
func (q *QP) Cause() rdma.Status { return q.cause }

// Peer returns the other end.
func (q *QP) Peer() Peer { return q.peer }

// Heard reports whether the peer has sent a valid packet since the queue pair
// was connected; connection management takes that for an RTU.
func (q *QP) Heard() bool {
	return q.heard || q.partner != nil && q.partner.Counters().PacketsIn > 0
}

// Counters returns a copy of the counters.
func (q *QP) Counters() Counters {
	c := q.count
	if q.partner != nil {
		c.add(q.partner.Counters())
	}
	return c
}

// Access returns what the peer may do.
func (q *QP) Access() rdma.Access { return q.cfg.Access }

// SetAccess changes what the peer may do, at once and in any state: a WRITE or
// READ under way is refused at its next packet.
func (q *QP) SetAccess(a rdma.Access) {
	q.enter()
	defer q.leave()
	q.cfg.Access = a
}

// SetMTU changes the path MTU of a queue pair in state Init, when connection
// management has agreed on another.
func (q *QP) SetMTU(mtu int) error {
	if q.state != rdma.StateInit {
		return fmt.Errorf("queue pair: path mtu cannot change in state %v", q.state)
	}
	cfg := q.cfg
	cfg.MTU = mtu
	if err := cfg.setDefaults(); err != nil {
		return err
	}
	q.cfg.MTU = mtu
	return nil
}

// Connect moves from Init to RTR: from now on the peer's requests are served.
func (q *QP) Connect(p Peer) error {
	if q.state != rdma.StateInit {
		return fmt.Errorf("queue pair: cannot connect in state %v", q.state)
	}
	q.peer = p
	q.req.start(p.SendPSN)
	q.resp.start(p.RecvPSN)
	if q.partner != nil {
		q.partner.Connect(&p, q.cfg.MTU, q.cfg.TOS)
		q.entered++ // its state is ours so far
	}
	q.state = rdma.StateRTR
	q.leave()
	return nil
}

// Start moves from RTR to RTS: from now on requests are sent.
func (q *QP) Start() error {
	if q.state != rdma.StateRTR {
		return fmt.Errorf("queue pair: cannot start sending in state %v", q.state)
	}
	q.state = rdma.StateRTS
	return nil
}

// Close moves to Error and flushes all work. The cause stays StatusFlushed.
func (q *QP) Close() {
	if q.state != rdma.StateError {
		q.fail(rdma.StatusFlushed)
	}
}

// Deadline returns when Tick must be called next, or Never.
func (q *QP) Deadline() Time {
	switch q.state {
	case rdma.StateRTR: // READs are answered already
		return q.heldBack
	case rdma.StateRTS:
		return min(q.req.deadline, q.req.pausedUntil(), q.heldBack)
	}
	return Never
}

// Tick lets time pass: it handles what is due at now.
func (q *QP) Tick(now Time) {
	if q.heldBack <= now {
		q.heldBack = Never // Next asks again
	}
	if q.state != rdma.StateRTS {
		return
	}
	q.req.tick(q, now)
}

// Receive takes a parsed packet whose destination QP is this one. It keeps no
// reference to p or its frame.
func (q *QP) Receive(now Time, p *wire.Packet) {
	if !p.ICRCOK() {
		q.count.DropICRC++
		return
	}
	if q.state == rdma.StateInit || q.state == rdma.StateError {
		q.count.DropState++
		return
	}
	if p.IP.Src() != q.peer.Remote || p.IP.Dst() != q.peer.Local {
		q.count.DropAddress++
		return
	}
	if p.BTH.PKey()&0x7fff != 0x7fff {
		q.count.DropPKey++
		return
	}
	q.count.PacketsIn++
	q.count.BytesIn += uint64(len(p.Payload))
	op := p.BTH.Opcode()
	if p.IP.ECN() == wire.CE && op != wire.CongestionNotification {
		q.count.CEIn++
		q.resp.congested(q, now)
	}
	switch {
	case op.IsRequest():
		q.heard = true
		q.enter()
		q.resp.receive(q, p)
		if q.partner != nil {
			q.partner.Took() // before the state is given back, and not before this is executed
		}
		q.leave()
	case op.IsResponse():
		q.heard = true
		q.req.receive(q, now, p)
	case op == wire.CongestionNotification:
		q.count.CNPIn++
		if q.limiter != nil {
			q.limiter.Notified(time.Duration(now))
		}
	default:
		q.count.DropOperation++
	}
}

// Next appends the next frame to send to dst, which should have room for the MTU
// and wire.MaxOverhead, and returns dst unchanged when there is none.
func (q *QP) Next(now Time, dst []byte) []byte {
	if q.state == rdma.StateInit {
		return dst
	}
	n := len(dst)
	data := false
	if !q.resp.answers.empty() || q.resp.cnpPending {
		data = q.resp.sendsData()
		if !data || q.mayGo(now) {
			q.enter()
			dst = q.resp.emit(q, dst)
			q.leave()
		}
	}
	if len(dst) == n && q.state == rdma.StateRTS && q.req.queue.has(q.req.cursor) && q.mayGo(now) && q.req.allowed(q) {
		data = true
		dst = q.req.build(q, now, dst)
	}
	if len(dst) > n {
		q.count.PacketsOut++
		if data && q.limiter != nil {
			q.limiter.Sent(time.Duration(now), len(dst)-n)
		}
	}
	return dst
}

// mayGo asks the limiter whether data may be sent now; if not, Deadline is when.
func (q *QP) mayGo(now Time) bool {
	if q.limiter == nil {
		return true
	}
	at := Time(q.limiter.Next(time.Duration(now)))
	if at <= now {
		q.heldBack = Never
		return true
	}
	if q.heldBack != at {
		q.heldBack = at
		q.count.HeldBack++
	}
	return false
}

// Limiter is what holds the queue pair back, to look into; nil without Config.Congestion.
func (q *QP) Limiter() *dcqcn.Limiter { return q.limiter }

// head prepares the scratch header with what all frames of the connection share.
func (q *QP) head(op wire.Opcode, psn wire.PSN) *wire.Header {
	h := &q.header
	*h = wire.Header{
		SrcMAC: q.peer.LocalMAC, DstMAC: q.peer.RemoteMAC, Src: q.peer.Local, Dst: q.peer.Remote,
		SrcPort: q.peer.SrcPort, TOS: q.cfg.TOS, DestQP: q.peer.QPN, Opcode: op, PSN: psn,
	}
	return h
}

// PollCompletion takes the oldest completion.
func (q *QP) PollCompletion(c *rdma.Completion) bool {
	if q.done.empty() {
		return false
	}
	*c = q.done.pop()
	return true
}

func (q *QP) complete(c rdma.Completion) {
	c.QPN = q.cfg.QPN
	if q.done.full() {
		q.done.grow()
	}
	q.done.push(c)
}

// fail moves to Error: everything outstanding is flushed. Work that failed by
// itself has been completed before.
func (q *QP) fail(cause rdma.Status) {
	q.enter()
	defer q.leave()
	q.state = rdma.StateError
	q.cause = cause
	q.req.flush(q)
	q.resp.flush(q)
}
