// Package traffic is what hosts of a network in simulated time send beside 1Pipe: flows that fill the links, as TCP does
// whose congestion control is DCTCP (Alizadeh et al., SIGCOMM 2010).
//
// # Contract
//
// Networks lose nothing (queues have room for all windows, and nothing is sent again), keep the order of a flow, and mark
// packets that find a queue. Payload is not looked at.
package traffic

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
)

// Traffic is flows between hosts, each of which sends as much as its window allows.
type Traffic struct {
	flows []*flow
	hosts map[*fabric.Host]*outbox
	begun bool
}

// outbox is what a host sends: it asks its flows in turns. Acknowledgements come first.
type outbox struct {
	flows []*flow
	next  int
	acks  []*ack
}

type flow struct {
	number   int
	from, to *fabric.Host
	sent     uint32 // packets
	acked    uint32
	window   float64
	alpha    float64
	acks     int // of this round, in packets,
	marked   int // and how many of them were marked
	end      uint32
	slow     bool // slow start: the window doubles in a round

	// At the receiver:
	came, marks uint32
}

type ack struct {
	f           *flow
	came, marks uint32
}

const (
	port      = 0x8862
	frameLen  = 1514
	maxWindow = 400 // packets: 600 kB
	perAck    = 8   // packets
)

// New makes so many flows from each host, each to another host. They begin with Begin.
func New(seed uint64, hosts []*fabric.Host, perHost int) *Traffic {
	t := &Traffic{hosts: map[*fabric.Host]*outbox{}}
	r := rand.New(rand.NewPCG(seed, 12))
	for i, h := range hosts {
		t.hosts[h] = &outbox{}
		for range perHost {
			f := &flow{number: len(t.flows), from: h, to: hosts[(i+1+r.IntN(len(hosts)-1))%len(hosts)], window: 10, alpha: 1, slow: true}
			t.flows = append(t.flows, f)
			t.hosts[h].flows = append(t.hosts[h].flows, f)
		}
	}
	return t
}

// Bytes is how many have arrived, in frames.
func (t *Traffic) Bytes() (n uint64) {
	for _, f := range t.flows {
		n += uint64(f.came) * frameLen
	}
	return n
}

// Begin has all flows begin.
func (t *Traffic) Begin() {
	t.begun = true
	for _, f := range t.flows {
		f.from.Send()
	}
}

// Next appends the next frame of a host to b, or nothing.
func (t *Traffic) Next(h *fabric.Host, b []byte) []byte {
	o := t.hosts[h]
	if len(o.acks) > 0 {
		a := o.acks[0]
		o.acks = o.acks[1:]
		return a.f.frame(h, a.f.from, a.came, a.marks|1<<31, 60, b)
	}
	for range o.flows {
		f := o.flows[o.next]
		o.next = (o.next + 1) % len(o.flows)
		if t.begun && f.sent-f.acked < uint32(f.window) {
			f.sent++
			return f.frame(h, f.to, f.sent, 0, frameLen, b)
		}
	}
	return b
}

// frame is a packet of a flow: a number, and for an acknowledgement how many were marked.
func (f *flow) frame(from, to *fabric.Host, number, marks uint32, size int, b []byte) []byte {
	mac, _ := from.Resolve(to.Addr())
	own, src, dst := from.MAC(), from.Addr(), to.Addr()
	be := binary.BigEndian
	b = append(append(append(b, mac[:]...), own[:]...), 0x08, 0x00)
	b = append(b, 0x45, byte(wire.ECT0), 0, 0, 0, 0, 0x40, 0, wire.DefaultTTL, 17, 0, 0)
	b = append(append(b, src[:]...), dst[:]...)
	b = be.AppendUint16(be.AppendUint16(b, port), port)
	b = append(b, 0, 0, 0, 0)
	b = be.AppendUint32(be.AppendUint32(be.AppendUint32(b, uint32(f.number)), number), marks)
	b = append(b, make([]byte, size-len(b))...)
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetTotalLen(len(ip))
	ip.SetChecksum()
	wire.UDP(ip[wire.IPv4Len:]).SetLen(len(ip) - wire.IPv4Len)
	return b
}

// Receive takes a frame of a host, and keeps nothing of it: false if it is not of this traffic.
func (t *Traffic) Receive(h *fabric.Host, frame []byte) bool {
	ip := wire.IPv4(frame[wire.EthernetLen:])
	if len(frame) < 60 || wire.UDP(ip[wire.IPv4Len:]).DstPort() != port {
		return false
	}
	be, body := binary.BigEndian, frame[wire.EthernetLen+wire.IPv4Len+wire.UDPLen:]
	f := t.flows[be.Uint32(body)]
	number, marks := be.Uint32(body[4:]), be.Uint32(body[8:])
	if marks>>31 == 1 {
		f.answered(number, int(marks&^(1<<31)))
		h.Send()
		return true
	}
	f.came = number
	if ip.ECN() == wire.CE {
		f.marks++
	}
	if number%perAck == 0 || number < 2*perAck { // the first ones are few
		o := t.hosts[h]
		o.acks = append(o.acks, &ack{f, number, f.marks})
		f.marks = 0
		h.Send()
	}
	return true
}

// answered takes an acknowledgement.
func (f *flow) answered(came uint32, marks int) {
	n := int(came - f.acked)
	f.acked = came
	f.acks += n
	f.marked += marks
	switch {
	case marks > 0:
		f.slow = false
	case f.slow:
		f.window = min(maxWindow, f.window+float64(n))
	default:
		f.window = min(maxWindow, f.window+float64(n)/f.window)
	}
	if int32(came-f.end) < 0 {
		return
	}
	f.alpha += (float64(f.marked)/float64(max(1, f.acks)) - f.alpha) / 16
	if f.marked > 0 {
		f.window = max(2*perAck, f.window*(1-f.alpha/2))
	}
	f.acks, f.marked, f.end = 0, 0, f.sent
}
