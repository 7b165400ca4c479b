package rnic

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
)

// NIC is the RDMA interface of a host: queue pairs of host/roce/rc and connections of
// roce/cmsm, as host/roce has them, in simulated time. It asks the queue pairs for a frame, in
// turn, whenever the wire is free.
type NIC struct {
	Count Counters

	h      *fabric.Host
	f      *fabric.Fabric
	rnd    *rand.Rand
	memory rc.Memory
	nextVA uint64
	posts  *fabric.Thread // posts requests
	polls  *fabric.Thread // takes completions
	packet wire.Packet

	qps     map[uint32]*QP
	nextQPN uint32
	active  []*QP // may have something to send, in turn
	turn    int

	agent  *cmsm.Agent
	timer  *fabric.Timer // of agent
	cmPSN  wire.PSN
	macs   map[wire.Addr]wire.MAC
	mads   [][]byte // connection management's frames, which go first
	ups    []*Conn  // have just been established
	listen map[uint16]func(Request) (Accept, error)
}

// Counters counts packets of a NIC, and why some were dropped. Queue pairs have counters of
// their own.
type Counters struct {
	CMIn, CMOut                                     uint64
	DropFrame, DropAddress, DropQP, DropCM, Pending uint64
	CE, CNP                                         uint64 // marked packets, and notifications, received
}

// New makes the NIC of a host.
func New(h *fabric.Host) *NIC {
	n := &NIC{
		h: h, f: h.Fabric(), rnd: h.Rand(), posts: h.NewThread("posts"), polls: h.NewThread("polls"),
		qps: map[uint32]*QP{}, macs: map[wire.Addr]wire.MAC{}, listen: map[uint16]func(Request) (Accept, error){},
	}
	n.nextVA = 0x7e0000000000 + uint64(n.rnd.Uint32()&0xffff)<<20
	n.nextQPN = n.rnd.Uint32()&0xffff + 0x100
	n.cmPSN = wire.PSNOf(n.rnd.Uint32())
	n.agent = cmsm.NewAgent(cmsm.Config{Seed: n.rnd.Uint64(), GUID: uint64(h.Number())})
	n.timer = h.NewTimer((*management)(n))
	return n
}

// Host is who it belongs to.
func (n *NIC) Host() *fabric.Host { return n.h }

// now is the host's clock.
func (n *NIC) now() time.Duration { return n.h.Now() }

// time is the same, for queue pairs.
func (n *NIC) time() rc.Time { return rc.Time(n.now()) }

// Register makes memory that peers can reach.
func (n *NIC) Register(size int, access rdma.Access) (*rc.MR, error) {
	mr, err := n.memory.Register(make([]byte, size), n.nextVA, access, n.rnd.Uint32()|1)
	const page = 4096
	n.nextVA += (uint64(size)+page-1)&^(page-1) + page
	return mr, err
}

// Receive implements fabric.Endpoint.
func (n *NIC) Receive(_ time.Duration, frame []byte) {
	p := &n.packet
	switch {
	case wire.Parse(frame, p) != nil:
		n.Count.DropFrame++
	case p.IP.Dst() != n.h.Addr() || p.Eth.Dst() != n.h.MAC():
		n.Count.DropAddress++
	case p.BTH.DestQP() == wire.GSIQP:
		n.receiveCM(p)
	default:
		n.receiveQP(p)
	}
}

func (n *NIC) receiveQP(p *wire.Packet) {
	q := n.qps[p.BTH.DestQP()]
	if q == nil {
		n.Count.DropQP++
		return
	}
	switch {
	case p.BTH.Opcode() == wire.CongestionNotification:
		n.Count.CNP++
	case p.IP.ECN() == wire.CE:
		n.Count.CE++
	}
	q.rc.Receive(n.time(), p)
	n.touch(q)
}

// touch lets a queue pair send, report, and set its timer.
func (n *NIC) touch(q *QP) {
	q.report()
	if !q.active {
		q.active = true
		n.active = append(n.active, q)
	}
	n.h.Send()
	q.timer.Arm()
}

// Next implements fabric.Endpoint.
func (n *NIC) Next(now time.Duration, b []byte) []byte {
	if len(n.mads) > 0 {
		b = append(b, n.mads[0]...)
		n.mads = n.mads[1:]
		return b
	}
	stopped := n.h.Stopped()
	for waits := 0; waits < len(n.active); {
		if n.turn >= len(n.active) {
			n.turn = 0
		}
		q := n.active[n.turn]
		if stopped>>q.class&1 != 0 { // by PFC; it is asked again when that is over
			waits++
			n.turn++
			continue
		}
		b = q.rc.Next(rc.Time(now), b)
		if len(b) == 0 {
			n.idle(q)
		} else {
			n.turn++
		}
		q.timer.Arm() // a congestion control may hold it back
		if len(b) > 0 {
			break
		}
	}
	return b
}

// idle takes a queue pair out of the turn: the last one of the list takes its place.
func (n *NIC) idle(q *QP) {
	q.active = false
	copy(n.active[n.turn:], n.active[n.turn+1:])
	n.active = n.active[:len(n.active)-1]
}

// Describe is a line about a RoCEv2 frame, for fabric.System.
func Describe(b []byte) string {
	var p wire.Packet
	if err := wire.Parse(b, &p); err != nil {
		return fmt.Sprintf("%d bytes (%v)", len(b), err)
	}
	text := p.String()
	if p.IP.ECN() == wire.CE {
		text += " CE"
	}
	if !p.ICRCOK() {
		text += " (wrong ICRC)"
	}
	return text
}
