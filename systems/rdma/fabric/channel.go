package fabric

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/rdma/fabric/rnic"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// How a sender reaches its receivers.
const (
	ViaGroup  = "group"   // one connection, to the first switch, which copies and gathers
	ViaFanOut = "fan-out" // a connection to each
	ViaChain  = "chain"   // a connection to the first, which writes to the second what it has received, and so on
)

// QPConfig is what the queue pairs of a channel are like.
type QPConfig struct {
	MTU        int
	Window     int // packets
	AckTimeout time.Duration
	Retry      int  // resends of a packet before giving up; 0: as host/roce/rc has it
	ECN        bool // packets may be marked
	Class      int  // of service: fabric.Classes
	// Congestion has hosts react to congestion (DCQCN); the line rate is that of each host's
	// link. Packets may be marked then. nil: notifications are counted.
	Congestion *dcqcn.Params
}

func (c *QPConfig) of(h *fabric.Host, queue int) rc.Config {
	q := rc.Config{MTU: c.MTU, SendQueue: queue, RecvQueue: queue, Window: c.Window, AckTimeout: c.AckTimeout, Retry: c.Retry, Access: rdma.RemoteWrite | rdma.RemoteRead}
	q.TOS = fabric.ClassTOS(c.Class)
	if c.ECN {
		q.TOS |= byte(wire.ECT0)
	}
	if c.Congestion != nil {
		p := *c.Congestion
		p.LineRate = h.Link().Link.Config.Rate
		q.Congestion = &p
	}
	return q
}

// ChannelConfig is what a Channel is like.
type ChannelConfig struct {
	Name   string
	From   *fabric.Host
	To     []*fabric.Host
	Via    string
	Policy private.Policy // when a write is answered; by a chain, when all have it
	Port   uint16         // service port of the receivers; of this channel only
	Region int            // bytes of each receiver's memory: a power of two, 4096 or more
	Queue  int            // writes that are not answered, at most
	QP     QPConfig
}

// Channel writes to several receivers, and hears when they have it.
//
//	group:    from ──▶ switch ──▶ each              one connection, copies in the network
//	fan-out:  from ──▶ each                         a connection to each
//	chain:    from ──▶ to[0] ──▶ to[1] ──▶ ...      a write goes on when all of it is there;
//	               ◀── done  ◀── done               who is answered, answers (a SEND of nothing)
//
// All connections are host/roce/rc's. What programs take is fabric.HostConfig's: Complete from memory
// or a completion to the program, Post from there to the transport.
type Channel struct {
	Config    ChannelConfig
	Connected fabric.Time // when all connections were up; 0 before
	// Arrived hears of a write that a receiver has all of, at the moment when it has.
	Arrived func(receiver int, w *Writing)

	net       *Network
	receivers []*receiver
	conns     []*target // of the sender
	need      int
	ready     int
	wanted    int // connections
	up        func()
	fail      func(error)
	under     map[uint64]*Writing // writes under way, by number
	reads     map[uint64]func()   // READs, by number
	number    uint64
}

// Writing is a write under way.
type Writing struct {
	Off  int    // in the region
	Data []byte // not to be touched until Free
	// Answered is called when as many have it as the policy says, Free when nobody needs Data.
	Answered, Free func()

	number   uint64
	answers  int
	answered bool
}

// receiver is one that is written to.
type receiver struct {
	nic   *rnic.NIC
	name  string
	addr  wire.Addr
	mr    *rc.MR
	qps   []*rnic.QP // that write to mr
	bytes int        // of the first of queue that have come
	queue []*Writing // that are on their way, in order
	next  *target    // of a chain
	prev  *rnic.QP   // of a chain: who waits for an answer
}

// target is a connection, and where it writes.
type target struct {
	conn   *rnic.Conn
	qp     *rnic.QP
	region private.Region
}

// NewChannel makes a channel and begins to connect. up is called when all connections are there,
// fail when one cannot be made, or ends.
func (n *Network) NewChannel(c ChannelConfig, up func(), fail func(error)) (*Channel, error) {
	ch := &Channel{Config: c, net: n, need: c.Policy.Needed(len(c.To)), up: up, fail: fail, under: map[uint64]*Writing{}, reads: map[uint64]func(){}}
	switch {
	case len(c.To) == 0:
		return nil, errors.New("no receivers")
	case c.Via != ViaGroup && c.Via != ViaFanOut && c.Via != ViaChain:
		return nil, fmt.Errorf("via %q: want %s, %s or %s", c.Via, ViaGroup, ViaFanOut, ViaChain)
	case len(c.To) > private.MaxReplicas && c.Via == ViaGroup:
		return nil, fmt.Errorf("%d receivers: a group has at most %d", len(c.To), private.MaxReplicas)
	}
	if c.Via == ViaChain {
		ch.need = len(c.To)
	}
	for i, h := range c.To {
		if h == c.From {
			return nil, fmt.Errorf("%s writes to itself", h.Name())
		}
		for _, o := range c.To[:i] {
			if o == h {
				return nil, fmt.Errorf("%s is given twice", h.Name())
			}
		}
		r := &receiver{nic: nic(h), name: h.Name(), addr: h.Addr()}
		ch.receivers = append(ch.receivers, r)
		r.nic.Listen(c.Port, func(req rnic.Request) (rnic.Accept, error) {
			a, err := ch.accept(r, req)
			if err != nil {
				n.Fail(fmt.Errorf("%s: %s: %w", c.Name, r.name, err))
			}
			return a, err
		})
	}
	ch.connect()
	return ch, nil
}

// Region is a receiver's memory; nil before it is connected.
func (ch *Channel) Region(receiver int) *rc.MR { return ch.receivers[receiver].mr }

// Senders are the sender's queue pairs.
func (ch *Channel) Senders() (out []*rnic.QP) {
	for _, t := range ch.conns {
		if t.qp != nil {
			out = append(out, t.qp)
		}
	}
	return out
}

// accept is a receiver's answer to who wants to write to it.
func (ch *Channel) accept(r *receiver, req rnic.Request) (rnic.Accept, error) {
	conf := ch.Config.QP.of(r.nic.Host(), ch.Config.Queue+1)
	conf.MTU = req.MTU
	q, err := r.nic.NewQP(conf, nil)
	if err != nil {
		return rnic.Accept{}, err
	}
	if r.mr == nil {
		if r.mr, err = r.nic.Register(ch.Config.Region, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead); err != nil {
			return rnic.Accept{}, err
		}
		r.mr.OnRemoteWrite(func(_, n int) { ch.came(r, n) })
	}
	r.prev = q
	r.qps = append(r.qps, q)
	region := private.Region{VA: r.mr.Addr(), Size: uint64(r.mr.Len()), RKey: r.mr.Key()}
	return rnic.Accept{QP: q, Private: region.Append(nil)}, nil
}

func (ch *Channel) connect() {
	c := &ch.Config
	from := c.From.Addr().Netip()
	switch c.Via {
	case ViaGroup:
		ch.wanted = 1
		sw, ok := c.From.Link().To.(*fabric.P4Switch)
		if !ok {
			ch.end(fmt.Errorf("%s is not at a switch that forms groups (%s)", c.From.Name(), c.From.Link().To.Name()))
			return
		}
		r := private.Request{Form: private.FormGroup, Policy: c.Policy, LeaderID: 1, Port: c.Port}
		for _, to := range ch.receivers {
			r.Replicas = append(r.Replicas, netip.AddrFrom4(to.addr))
		}
		ch.conns = append(ch.conns, ch.dial(c.From, sw.Addr(), r, ch.completed))
	case ViaFanOut:
		ch.wanted = len(ch.receivers)
		for i, to := range ch.receivers {
			ch.conns = append(ch.conns, ch.dial(c.From, to.addr, private.Request{Form: private.FormMember, LeaderID: 1, Leader: from, Slot: uint8(i % private.MaxReplicas)}, ch.completed))
		}
	case ViaChain:
		ch.wanted = len(ch.receivers)
		at := c.From
		for i, to := range ch.receivers {
			done := ch.completed
			if i > 0 {
				r := ch.receivers[i-1]
				done = func(c rdma.Completion) { ch.downstream(r, c) }
			} else if len(ch.receivers) > 1 {
				done = func(c rdma.Completion) { ch.downstream(nil, c) }
			}
			t := ch.dial(at, to.addr, private.Request{Form: private.FormMember, LeaderID: 1, Leader: at.Addr().Netip()}, done)
			if i == 0 {
				ch.conns = append(ch.conns, t)
			} else {
				ch.receivers[i-1].next = t
			}
			at = to.nic.Host()
		}
	}
}

func (ch *Channel) dial(from *fabric.Host, to wire.Addr, r private.Request, done func(rdma.Completion)) *target {
	t := &target{}
	own := nic(from)
	data, err := r.Append(nil)
	if err == nil {
		t.qp, err = own.NewQP(ch.Config.QP.of(from, ch.Config.Queue+1), done)
	}
	if err == nil {
		err = own.Dial(to, ch.Config.Port, t.qp, data, func(c *rnic.Conn, err error) { ch.connected(t, c, err) })
	}
	if err != nil {
		ch.end(err)
	}
	return t
}

func (ch *Channel) connected(t *target, c *rnic.Conn, err error) {
	if err != nil {
		var rej *rdma.RejectedError
		if errors.As(err, &rej) {
			if r, perr := private.ParseRefusal(rej.Private); perr == nil && r.Text != "" {
				err = fmt.Errorf("%w: %s", err, r.Text)
			}
		}
		ch.end(err)
		return
	}
	t.conn = c
	if t.region, err = private.ParseRegion(c.Private()); err != nil {
		ch.end(err)
		return
	}
	if ch.Config.Via == ViaChain { // answers come as SENDs
		for range ch.Config.Queue + 1 {
			if err := t.qp.RC().PostRecv(rdma.RecvWR{}); err != nil {
				ch.end(err)
				return
			}
		}
	}
	if ch.ready++; ch.ready == ch.wanted {
		ch.Connected = ch.net.Now()
		ch.up()
	}
}

func (ch *Channel) end(err error) { ch.fail(err) }

// Write begins a write. There are fewer than Config.Queue under way.
func (ch *Channel) Write(w *Writing) {
	w.number, w.answers, w.answered = ch.number, 0, false
	ch.number++
	ch.under[w.number] = w
	for i, r := range ch.receivers {
		if ch.Config.Via != ViaChain || i == 0 {
			r.queue = append(r.queue, w)
		}
	}
	for _, t := range ch.conns {
		t.post(w)
	}
}

func (t *target) post(w *Writing) {
	t.qp.Post(rdma.SendWR{ID: w.number, Op: rdma.OpWrite, Local: w.Data, VA: t.region.VA + uint64(w.Off), RKey: t.region.RKey})
}

// Read READs from a receiver that the sender has a connection of its own to: of a fan-out, or the
// first of a chain.
func (ch *Channel) Read(receiver, off int, into []byte, done func()) {
	n := ch.number
	ch.number++
	ch.reads[n] = done
	t := ch.conns[receiver]
	t.qp.Post(rdma.SendWR{ID: n, Op: rdma.OpRead, Local: into, VA: t.region.VA + uint64(off), RKey: t.region.RKey})
}

// came counts what is written to a receiver: it is in the order in which it was posted, and
// nothing comes twice.
func (ch *Channel) came(r *receiver, n int) {
	r.bytes += n
	for len(r.queue) > 0 && r.bytes >= len(r.queue[0].Data) {
		w := r.queue[0]
		r.bytes -= len(w.Data)
		r.queue = r.queue[1:]
		if ch.Arrived != nil {
			for i := range ch.receivers {
				if ch.receivers[i] == r {
					ch.Arrived(i, w)
				}
			}
		}
		if r.next != nil {
			ch.net.At(ch.net.Now()+r.nic.Host().Config.Complete, func() { ch.forward(r, w) })
		}
	}
}

// forward writes to the next of a chain what a receiver has received.
func (ch *Channel) forward(r *receiver, w *Writing) {
	own := *w
	r.mr.Read(func(b []byte) { own.Data = b[w.Off : w.Off+len(w.Data)] })
	for i := range ch.receivers {
		if ch.receivers[i] == r {
			ch.receivers[i+1].queue = append(ch.receivers[i+1].queue, w)
		}
	}
	r.next.post(&own)
}

// downstream is told to a member of a chain, or to the sender (nil): its WRITE is acknowledged,
// which matters if the next one is the last; or the next one says that all behind it have it.
func (ch *Channel) downstream(r *receiver, c rdma.Completion) {
	if c.Status != rdma.StatusOK {
		if c.Status != rdma.StatusFlushed {
			ch.end(c.Status.Err())
		}
		return
	}
	t, last := ch.conns[0], false
	if r != nil {
		t, last = r.next, r == ch.receivers[len(ch.receivers)-2]
	}
	number := c.ID
	switch c.Op {
	case rdma.OpWrite:
		if !last {
			return
		}
	case rdma.OpRecv:
		if err := t.qp.RC().PostRecv(rdma.RecvWR{}); err != nil {
			ch.end(err)
			return
		}
		number = ch.numbered(c.Imm)
	default:
		return // the answer to an answer
	}
	if r != nil {
		r.prev.Post(rdma.SendWR{ID: number, Op: rdma.OpSendImm, Imm: uint32(number)})
		return
	}
	if w := ch.under[number]; w != nil {
		ch.answer(w, true)
	}
}

// numbered is the number of the write under way whose low bits are imm.
func (ch *Channel) numbered(imm uint32) uint64 {
	n := ch.number&^0xffffffff | uint64(imm)
	if n >= ch.number {
		n -= 1 << 32
	}
	return n
}

// completed is a completion of a connection of the sender's to a group, or to one receiver.
func (ch *Channel) completed(c rdma.Completion) {
	if c.Status != rdma.StatusOK {
		if c.Status != rdma.StatusFlushed {
			ch.end(c.Status.Err())
		}
		return
	}
	if done := ch.reads[c.ID]; done != nil {
		delete(ch.reads, c.ID)
		done()
		return
	}
	w := ch.under[c.ID]
	if w == nil || c.Op != rdma.OpWrite {
		return
	}
	w.answers++
	want := 1
	if ch.Config.Via == ViaFanOut {
		want = ch.need
	}
	if w.answers == len(ch.conns) {
		ch.answer(w, w.answers >= want && !w.answered)
		return
	}
	if !w.answered && w.answers >= want {
		w.answered = true
		if w.Answered != nil {
			w.Answered()
		}
	}
}

// answer ends a write.
func (ch *Channel) answer(w *Writing, tell bool) {
	delete(ch.under, w.number)
	if tell {
		w.answered = true
		if w.Answered != nil {
			w.Answered()
		}
	}
	if w.Free != nil {
		w.Free()
	}
}
