package rc

import (
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// Partner executes requests of a queue pair's peer beside the queue pair: a responder in
// the kernel, or in hardware. Both have one state, Progress, which belongs to whoever
// holds its lock. What the partner does not execute reaches Receive as ever, and until
// the queue pair has executed it and has sent its answers, the partner executes nothing:
// requests stay in order, and so do answers.
//
// None of this is needed for safety. A request that overtakes another is ahead or behind
// as if the network had done it, and is refused or answered as such.
type Partner interface {
	// Connect says who the peer is, once, before the first Lock.
	Connect(p *Peer, mtu int, tos uint8)
	// Lock takes the state and copies it to p. It does not wait for long.
	Lock(p *Progress)
	// Unlock gives the state back as p has it.
	Unlock(p *Progress)
	// Took counts a request that the partner has left to the queue pair, which has executed
	// it. The state is locked.
	Took()
	// Counters are what the partner has done.
	Counters() Counters
}

// Progress is the state of a responder that a Partner shares.
type Progress struct {
	Expected wire.PSN
	MSN      uint32
	Naked    bool // NAK 0x60 was sent for Expected
	Access   rdma.Access
	In       uint8 // message under way: 0 none, 1 WRITE, 2 SEND
	// Of a WRITE under way: its region, where the next payload goes, bytes to come.
	RKey     uint32
	VA, Left uint64
	// Serving: the partner may execute. Busy: the queue pair has answers to send first.
	Serving, Busy bool
}

// SetPartner gives a queue pair in state Init a partner. It does not advertise credits: a
// partner does not know how many receives there are.
func (q *QP) SetPartner(p Partner) {
	q.partner = p
}

// enter takes the responder's state, leave gives it back; they may be nested.
func (q *QP) enter() {
	if q.partner == nil || q.state == rdma.StateInit {
		return
	}
	if q.entered++; q.entered > 1 {
		return
	}
	p, r := &q.progress, &q.resp
	q.partner.Lock(p)
	r.expected, r.msn, r.naked, r.in = p.Expected, p.MSN, p.Naked, message(p.In)
	if r.in != writeMessage {
		return
	}
	r.va, r.left = p.VA, p.Left
	if r.mr == nil || r.mr.key != p.RKey || r.mr.dead {
		if r.mr = q.cfg.Memory.lookup(p.RKey, p.VA, p.Left, rdma.RemoteWrite); r.mr == nil {
			r.mr = gone
		}
	}
}

func (q *QP) leave() {
	if q.entered == 0 { // there is nobody to share with
		return
	}
	if q.entered--; q.entered > 0 {
		return
	}
	p, r := &q.progress, &q.resp
	*p = Progress{
		Expected: r.expected, MSN: r.msn, Naked: r.naked, Access: q.cfg.Access, In: uint8(r.in), VA: r.va, Left: r.left,
		Serving: q.state != rdma.StateError, Busy: !r.answers.empty(),
	}
	if r.mr != nil {
		p.RKey = r.mr.key
	}
	q.partner.Unlock(p)
}

// gone stands for a region that was taken away in the middle of a WRITE.
var gone = &MR{dead: true}
