package rc

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// maxMessage bounds a message so that its packets are a small part of the PSN
// space even at the smallest path MTU.
const maxMessage = 1 << 28

// sendWQE is a posted request with the PSNs it occupies. A READ occupies those of
// its responses.
type sendWQE struct {
	rdma.SendWR
	first   wire.PSN
	packets int
	ssn     uint32 // number of the message, from 1; compared with MSN + credits
}

// requester is the sending half of a QP.
//
// Invariants, with all PSNs compared circularly:
//  1. una <= next <= sent, and sent-una < 2^23.
//  2. If the queue is not empty, una lies in the PSNs of its first entry, and the
//     entry at cursor is the one that next lies in (or the queue's tail).
//  3. Every entry before cursor, and none from it on, counts in reads if it
//     fetches.
type requester struct {
	queue  ring[sendWQE]
	una    wire.PSN // oldest unacknowledged
	next   wire.PSN // next to send
	sent   wire.PSN // one past the highest ever sent
	post   wire.PSN // first PSN of the next work request
	cursor uint64
	reads  int
	ssn    uint32

	deadline   Time // acknowledgement timer
	rnrUntil   Time // no requests before; 0 if not paused
	retries    int
	rnrRetries int
	// recovering is set from a rewind until something is acknowledged: further
	// NAKs and implied NAKs of the same loss are echoes of it.
	recovering bool
	// open is how many packets may be unacknowledged after a time-out: one, and twice as many with each
	// acknowledgement, until it is the whole window again, which 0 is. Where answers are late because there is too much to
	// do, no more is added than what finds out when they come.
	open     int
	sinceAck int // packets since one asked for an acknowledgement
	messages int // messages since one asked

	creditLimit uint32 // last ssn that the peer has room for
	limited     bool   // the peer counts credits
	probing     bool   // one packet beyond the limit is in flight
}

func (r *requester) init(cfg *Config) {
	r.queue = newRing[sendWQE](cfg.SendQueue)
	r.deadline = Never
}

func (r *requester) start(psn wire.PSN) {
	r.una, r.next, r.sent, r.post = psn, psn, psn, psn
}

// PostSend queues a request. The frames come from Next. In state Error the
// request is flushed at once.
func (q *QP) PostSend(wr rdma.SendWR) error {
	switch q.state {
	case rdma.StateInit, rdma.StateRTR:
		return rdma.ErrNotReady
	case rdma.StateError:
		q.complete(rdma.Completion{ID: wr.ID, Op: wr.Op, Status: rdma.StatusFlushed})
		return nil
	}
	r := &q.req
	if r.queue.len() >= q.cfg.SendQueue {
		return rdma.ErrQueueFull
	}
	n := len(wr.Local)
	switch {
	case wr.Op < rdma.OpWrite || wr.Op > rdma.OpFetchAdd:
		return rdma.ErrRequest
	case (wr.Op == rdma.OpCompareSwap || wr.Op == rdma.OpFetchAdd) && n != 8:
		return rdma.ErrRequest
	case n > maxMessage:
		return rdma.ErrTooLong
	}
	packets := max(1, (n+q.cfg.MTU-1)/q.cfg.MTU)
	if r.post.Sub(r.una)+packets >= 1<<22 {
		return rdma.ErrQueueFull
	}
	r.ssn = (r.ssn + 1) & wire.PSNMask
	r.queue.push(sendWQE{SendWR: wr, first: r.post, packets: packets, ssn: r.ssn})
	r.post = r.post.Add(packets)
	return nil
}

// SendQueueLen returns the number of requests that are not completed.
func (q *QP) SendQueueLen() int { return q.req.queue.len() }

// Unacked returns the number of packets that were sent and are not acknowledged.
func (q *QP) Unacked() int {
	if q.req.queue.empty() {
		return 0 // also of a queue pair that has failed
	}
	return q.req.next.Sub(q.req.una)
}

func (r *requester) pausedUntil() Time {
	if r.rnrUntil == 0 {
		return Never
	}
	return r.rnrUntil
}

func (r *requester) tick(q *QP, now Time) {
	if r.rnrUntil != 0 && now >= r.rnrUntil {
		r.rnrUntil = 0
	}
	if now < r.deadline {
		return
	}
	q.count.Timeouts++
	r.deadline = Never
	if r.retries >= max(q.cfg.Retry, 0) {
		r.failFirst(q, rdma.StatusRetryExceeded)
		return
	}
	r.retries++
	r.rewind()
	r.open = 1
	// The resend arms the timer again; if something holds it back, the timer
	// must still run.
	r.arm(q, now)
}

// arm restarts the acknowledgement timer if something is unacknowledged.
func (r *requester) arm(q *QP, now Time) {
	r.deadline = Never
	if r.una != r.sent && !r.queue.empty() && q.cfg.AckTimeout > 0 {
		r.deadline = now.Add(q.cfg.AckTimeout)
	}
}

// rewind goes back to the oldest unacknowledged packet, which may lie in the
// middle of a message.
func (r *requester) rewind() {
	r.next, r.cursor, r.reads = r.una, r.queue.head, 0
	r.recovering, r.probing = true, false
	r.sinceAck, r.messages = 0, 0
}

// window is how many packets may be unacknowledged.
func (r *requester) window(q *QP) int {
	if r.open != 0 {
		return r.open
	}
	return q.cfg.Window
}

// allowed reports whether a packet may be sent: the queue has one, and window,
// READ limit, the peer's credits and pauses do not forbid it.
func (r *requester) allowed(q *QP) bool {
	if r.rnrUntil != 0 || !r.queue.has(r.cursor) || r.next.Sub(r.una) >= r.window(q) {
		return false
	}
	w := r.queue.at(r.cursor)
	if w.Op.Fetches() && r.reads >= q.cfg.MaxReads {
		return false
	}
	if r.probing {
		return false
	}
	if r.limited && w.Op.ConsumesRecv() && r.next == w.first && r.beyondCredits(w.ssn) {
		// A requester without credits may send one packet to find out, once
		// nothing else that could bring credits is in flight.
		if r.next != r.una {
			return false
		}
		r.probing = true
	}
	return true
}

// build appends the frame of the packet at next and moves on.
func (r *requester) build(q *QP, now Time, dst []byte) []byte {
	w := r.queue.at(r.cursor)
	i := r.next.Sub(w.first)
	off := i * q.cfg.MTU
	advance := 1
	h := q.head(0, r.next)
	var payload []byte
	switch w.Op {
	case rdma.OpRead:
		h.Opcode = wire.ReadRequest
		h.VA, h.RKey, h.Length = w.VA+uint64(off), w.RKey, uint32(len(w.Local)-off)
		advance = w.packets - i
		r.reads++
	case rdma.OpCompareSwap, rdma.OpFetchAdd:
		h.Opcode = wire.CompareSwap
		if w.Op == rdma.OpFetchAdd {
			h.Opcode = wire.FetchAdd
		}
		h.VA, h.RKey, h.SwapAdd, h.Compare = w.VA, w.RKey, w.SwapAdd, w.Compare
		r.reads++
	default:
		payload = w.Local[off:min(off+q.cfg.MTU, len(w.Local))]
		first, last := i == 0, i == w.packets-1
		h.Opcode = requestOpcode(w.Op, first, last)
		h.VA, h.RKey, h.Length, h.Imm = w.VA, w.RKey, uint32(len(w.Local)), w.Imm
		h.Solicited = last && w.Solicited
		h.AckReq = r.asks(q, w, last)
	}
	dst = wire.AppendFrame(dst, h, payload)

	if r.next.Before(r.sent) {
		q.count.Retransmitted++
	}
	q.count.BytesOut += uint64(len(payload))
	r.sinceAck++
	if h.AckReq || w.Op.Fetches() {
		r.sinceAck, r.messages = 0, 0
	}
	if r.una == r.sent {
	}
	r.next = r.next.Add(advance)
	if r.sent.Before(r.next) {
		r.sent = r.next
	}
	if i+advance == w.packets {
		r.cursor++
	}
	if r.deadline == Never && q.cfg.AckTimeout > 0 {
		r.deadline = now.Add(q.cfg.AckTimeout)
	}
	return dst
}

func (r *requester) beyondCredits(ssn uint32) bool {
	return wire.PSNOf(r.creditLimit).Before(wire.PSNOf(ssn))
}

// asks decides whether a packet asks for an acknowledgement. It must never
// happen that everything sent asks for none and nothing more may be sent.
func (r *requester) asks(q *QP, w *sendWQE, last bool) bool {
	if r.probing || r.sinceAck+1 >= q.cfg.AckEvery || r.next.Sub(r.una)+1 >= r.window(q) {
		return true
	}
	if !last {
		return false
	}
	r.messages++
	if r.messages >= q.cfg.AckMessages || !r.queue.has(r.cursor+1) {
		return true
	}
	// Messages that may have to wait do not serve as the one that asks.
	return r.queue.at(r.cursor+1).Op != rdma.OpWrite
}

// requestOpcodes are those of the packets of a message: one in the middle, the last, the first, the only one.
var requestOpcodes = [...][4]wire.Opcode{
	rdma.OpWrite:    {wire.WriteMiddle, wire.WriteLast, wire.WriteFirst, wire.WriteOnly},
	rdma.OpWriteImm: {wire.WriteMiddle, wire.WriteLastImm, wire.WriteFirst, wire.WriteOnlyImm},
	rdma.OpSend:     {wire.SendMiddle, wire.SendLast, wire.SendFirst, wire.SendOnly},
	rdma.OpSendImm:  {wire.SendMiddle, wire.SendLastImm, wire.SendFirst, wire.SendOnlyImm},
}

func requestOpcode(op rdma.Op, first, last bool) wire.Opcode {
	i := 0
	if first {
		i = 2
	}
	if last {
		i++
	}
	return requestOpcodes[op][i]
}

// receive handles a response: acknowledgement, READ response or atomic ACK.
func (r *requester) receive(q *QP, now Time, p *wire.Packet) {
	if q.state != rdma.StateRTS {
		q.count.DropState++
		return
	}
	psn := p.BTH.PSN()
	if !psn.Before(r.sent) {
		q.count.DropAckGhost++
		return
	}
	switch op := p.BTH.Opcode(); {
	case op == wire.Acknowledge:
		r.acknowledge(q, now, psn, p.AETH)
	case op.IsReadResponse(), op == wire.AtomicAcknowledge:
		r.data(q, now, psn, p)
	}
}

func (r *requester) acknowledge(q *QP, now Time, psn wire.PSN, aeth wire.AETH) {
	s := aeth.Syndrome()
	switch {
	case s.IsAck():
		q.count.AcksIn++
		r.credits(aeth)
		if psn.Before(r.una) {
			// The latest acknowledgement again carries news about credits only.
			if psn.Add(1) != r.una {
				q.count.DropAckStale++
			}
			return
		}
		r.advance(q, now, psn)
	case s.IsRNR():
		q.count.RNRIn++
		if psn.Before(r.una) {
			q.count.DropAckStale++
			return
		}
		r.advance(q, now, psn.Add(-1))
		if r.una != psn || q.state != rdma.StateRTS {
			return
		}
		if q.cfg.RNRRetry != RetryForever && r.rnrRetries >= max(q.cfg.RNRRetry, 0) {
			r.failFirst(q, rdma.StatusRNRRetryExceeded)
			return
		}
		r.rnrRetries++
		r.rewind()
		r.deadline = Never
		r.rnrUntil = now.Add(wire.RNRDelay(s.Code()))
	case s.IsNak():
		q.count.NaksIn++
		if psn.Before(r.una) {
			q.count.DropAckStale++
			return
		}
		r.advance(q, now, psn.Add(-1))
		if r.una != psn || q.state != rdma.StateRTS {
			return // a READ before it has not been answered and is repeated
		}
		r.nak(q, s)
	default:
		q.count.DropOperation++
	}
}

func (r *requester) nak(q *QP, s wire.Syndrome) {
	switch s {
	case wire.NakSequence:
		if !r.recovering {
			r.rewind()
		}
	case wire.NakInvalidRequest:
		r.failFirst(q, rdma.StatusRemoteInvalidRequest)
	case wire.NakRemoteAccess:
		r.failFirst(q, rdma.StatusRemoteAccess)
	default:
		r.failFirst(q, rdma.StatusRemoteOperation)
	}
}

// credits takes the peer's limit from an ACK.
func (r *requester) credits(aeth wire.AETH) {
	n := wire.CreditsOf(aeth.Syndrome().Code())
	r.limited = n >= 0
	if r.limited {
		limit := wire.PSNOf(aeth.MSN()).Add(n)
		if wire.PSNOf(r.creditLimit).Before(limit) {
			r.creditLimit = uint32(limit)
		}
	}
}

// advance acknowledges everything up to psn, but no READ or atomic: an
// acknowledgement beyond one whose data have not come means that they were lost.
func (r *requester) advance(q *QP, now Time, psn wire.PSN) {
	progress := false
	for !r.queue.empty() && !psn.Before(r.una) {
		w := r.queue.front()
		if w.Op.Fetches() {
			r.settle(q, now, progress)
			if !r.recovering {
				r.rewind()
			}
			return
		}
		end := w.first.Add(w.packets)
		progress = true
		if psn.Add(1).Before(end) {
			r.una = psn.Add(1)
			break
		}
		r.una = end
		r.finish(q)
	}
	r.settle(q, now, progress)
}

// settle restores the invariants after una moved, and restarts the timer.
func (r *requester) settle(q *QP, now Time, progress bool) {
	if !progress {
		return
	}
	r.retries, r.rnrRetries = 0, 0
	if r.open *= 2; r.open >= q.cfg.Window {
		r.open = 0
	}
	r.recovering, r.probing = false, false
	if r.next.Before(r.una) {
		// Acknowledged while being repeated.
		r.next, r.cursor, r.reads = r.una, r.queue.head, 0
	}
	r.rnrUntil = 0
	r.arm(q, now)
}

// finish completes the first request with success.
func (r *requester) finish(q *QP) {
	w := r.queue.front()
	if !w.Unsignaled {
		q.complete(rdma.Completion{ID: w.ID, Op: w.Op, Len: len(w.Local)})
	}
	if w.Op.Fetches() && r.queue.head < r.cursor {
		r.reads--
	}
	r.queue.pop()
	if r.cursor < r.queue.head {
		r.cursor = r.queue.head
	}
}

// data takes a READ response or an atomic ACK. It also acknowledges everything
// before it.
func (r *requester) data(q *QP, now Time, psn wire.PSN, p *wire.Packet) {
	if psn.Before(r.una) {
		q.count.DropAckStale++
		return
	}
	if psn != r.una {
		r.advance(q, now, psn.Add(-1))
		if psn != r.una {
			return // a response before it was lost; advance went back to it
		}
	}
	if q.state != rdma.StateRTS || r.queue.empty() {
		q.count.DropResponse++
		return
	}
	w := r.queue.front()
	atomic := p.BTH.Opcode() == wire.AtomicAcknowledge
	if !w.Op.Fetches() || atomic != (w.Op != rdma.OpRead) {
		q.count.DropResponse++
		return
	}
	if p.AETH != nil {
		if !p.AETH.Syndrome().IsAck() {
			q.count.DropResponse++
			return
		}
		r.credits(p.AETH)
	}
	if atomic {
		binary.NativeEndian.PutUint64(w.Local, p.AtomicAck.Original())
	} else {
		off := psn.Sub(w.first) * q.cfg.MTU
		want := w.Local[off:min(off+q.cfg.MTU, len(w.Local))]
		if len(p.Payload) != len(want) {
			r.failFirst(q, rdma.StatusBadResponse)
			return
		}
		copy(want, p.Payload)
	}
	r.una = psn.Add(1)
	if r.una == w.first.Add(w.packets) {
		r.finish(q)
	}
	r.settle(q, now, true)
}

// failFirst completes the first request with an error and fails the queue pair.
func (r *requester) failFirst(q *QP, s rdma.Status) {
	if !r.queue.empty() {
		w := r.queue.pop()
		q.complete(rdma.Completion{ID: w.ID, Op: w.Op, Status: s})
	}
	q.fail(s)
}

func (r *requester) flush(q *QP) {
	r.deadline, r.rnrUntil = Never, 0
	for !r.queue.empty() {
		w := r.queue.pop()
		q.complete(rdma.Completion{ID: w.ID, Op: w.Op, Status: rdma.StatusFlushed})
	}
	r.cursor, r.reads = r.queue.head, 0
}
