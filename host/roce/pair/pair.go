package pair

import (
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Pair is one side of a connection. It is for one goroutine at a time. Whoever has it calls Observe after the
// queue pair, and Handle for each event of the connection.
type Pair struct {
	RC      *rc.QP
	CC      *cmsm.Conn // nil: there is none yet
	PSN     wire.PSN   // with which the peer begins, which this side has told it
	Private []byte     // of the peer's REQ or REP

	// Up is called once, when the connection is established, and Down once, when it has ended: with the reason.
	Up   func()
	Down func(error)

	established, ended bool
}

// End ends the connection, unless it has ended: the queue pair's work is flushed. The peer is not told.
func (p *Pair) End(err error) {
	if p.ended {
		return
	}
	p.ended = true
	p.RC.Close() // without effect if the transport has ended by itself
	p.Down(err)
}

// Ended reports whether the connection has ended.
func (p *Pair) Ended() bool { return p.ended }

// Observe looks at the queue pair after it has handled packets or time, and reports whether connection management
// has heard of the peer, and may have something to say.
func (p *Pair) Observe() (heard bool) {
	if heard = !p.established && p.CC != nil && p.RC.Heard(); heard {
		p.CC.Heard()
	}
	if !p.ended && p.RC.State() == rdma.StateError {
		p.End(p.RC.Cause().Err())
	}
	return heard
}

// Handle is what an event means. peer is the other end, of what it has said.
func (p *Pair) Handle(now time.Duration, e cmsm.Event, peer func(qpn uint32, psn uint32) rc.Peer) {
	switch e.Kind {
	case cmsm.Accepted:
		p.accepted(now, e.REP, peer)
	case cmsm.Established:
		p.establish()
	case cmsm.Rejected:
		p.End(&rdma.RejectedError{Reason: e.Reason, Private: e.Private})
	case cmsm.TimedOut:
		p.End(rdma.ErrTimeout)
	case cmsm.Disconnected:
		p.End(rdma.ErrDisconnected)
	case cmsm.Stale:
		p.End(rdma.ErrStale)
	}
}

// accepted completes the active side: the queue pair goes to ready-to-send before
// the RTU can make the peer send.
func (p *Pair) accepted(now time.Duration, rep *cm.REP, peer func(qpn uint32, psn uint32) rc.Peer) {
	if p.ended {
		_ = p.CC.Reject(now, cm.ReasonConsumer, nil)
		return
	}
	p.Private = rep.PrivateData
	if err := p.RC.Connect(peer(rep.LocalQPN, rep.StartingPSN)); err != nil {
		_ = p.CC.Reject(now, cm.ReasonConsumer, nil)
		p.End(err)
		return
	}
	if err := p.CC.Confirm(now); err != nil {
		p.End(err)
		return
	}
	p.establish()
}

func (p *Pair) establish() {
	if p.established || p.ended {
		return
	}
	if err := p.RC.Start(); err != nil {
		p.End(err)
		return
	}
	p.established = true
	p.Up()
}

// Accept is the passive side: the queue pair serves what the peer sends from now on.
func (p *Pair) Accept(now time.Duration, rep *cm.REP, peer func(qpn uint32, psn uint32) rc.Peer) error {
	req := p.CC.REQ()
	if err := p.RC.SetMTU(cm.MTUBytes(req.PathMTU)); err != nil {
		return err
	}
	if err := p.RC.Connect(peer(req.LocalQPN, req.StartingPSN)); err != nil {
		return err
	}
	return p.CC.Accept(now, rep)
}

// SrcPort is a source port for a connection's flow, with the entropy for multipath that NICs put into it.
func SrcPort(own, peer uint32) uint16 { return 0xc000 | uint16(own^peer)&0x3fff }
