package rc

import (
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// message is the kind of the message that a responder is in the middle of.
type message uint8

const (
	noMessage message = iota
	writeMessage
	sendMessage
)

// answer is a response that waits to be sent.
type answer struct {
	kind     answerKind
	syndrome wire.Syndrome
	psn      wire.PSN // of the next packet of the answer
	msn      uint32
	packets  int // acknowledgements: requests answered at once

	// READ responses: what is still to be sent.
	mr    *MR
	va    uint64
	left  int
	began bool

	original uint64 // atomic
}

type answerKind uint8

const (
	ackAnswer answerKind = iota
	nakAnswer
	readAnswer
	atomicAnswer
)

// atomicResult is kept to answer a repeated atomic without doing it again.
type atomicResult struct {
	psn      wire.PSN
	original uint64
}

// responder is the receiving half of a QP.
//
// Invariants:
//  1. Every request with a PSN behind expected has been executed exactly once,
//     in order, and none other has.
//  2. answers are in the order of their PSNs, so that an acknowledgement never
//     overtakes a READ response that it would acknowledge.
//  3. naked is set from a NAK 0x60 or receiver-not-ready until the expected
//     request comes; meanwhile packets ahead are dropped without another NAK.
type responder struct {
	expected wire.PSN
	msn      uint32
	naked    bool
	answers  ring[answer]
	recvs    ring[rdma.RecvWR]

	in   message
	mr   *MR         // WRITE under way; nil if its length is 0
	va   uint64      // WRITE: where the next payload goes
	left uint64      // WRITE: bytes still to come
	recv rdma.RecvWR // SEND under way
	got  int         // SEND: bytes received

	results []atomicResult // ring, newest at last
	last    int

	cnpPending bool
	cnpAfter   Time // no notification before
}

// answerQueue is how many answers wait at most: more than a window of packets
// that are all acknowledged one by one.
const answerQueue = 256

func (r *responder) init(cfg *Config) {
	r.answers = newRing[answer](answerQueue)
	r.recvs = newRing[rdma.RecvWR](cfg.RecvQueue)
	r.results = make([]atomicResult, cfg.MaxReads)
}

func (r *responder) start(psn wire.PSN) {
	r.expected = psn
	for i := range r.results {
		r.results[i].psn = wire.PSN(1 << 31) // no PSN has this value
	}
}

// PostRecv queues a buffer for a SEND. In state Error it is flushed at once.
func (q *QP) PostRecv(wr rdma.RecvWR) error {
	r := &q.resp
	if q.state == rdma.StateError {
		q.complete(rdma.Completion{ID: wr.ID, Op: rdma.OpRecv, Status: rdma.StatusFlushed})
		return nil
	}
	if r.recvs.len() >= q.cfg.RecvQueue {
		return rdma.ErrQueueFull
	}
	starved := q.cfg.Credits && r.recvs.empty() && q.state != rdma.StateInit
	r.recvs.push(wr)
	if starved {
		// Unsolicited: the peer may be waiting for credits.
		r.ack(q)
	}
	return nil
}

// congested notes a congestion mark; the notification is sent by emit, at most
// one per interval.
func (r *responder) congested(q *QP, now Time) {
	if now >= r.cnpAfter {
		r.cnpPending = true
		r.cnpAfter = now.Add(q.cfg.CNPInterval)
	}
}

// receive handles a request.
func (r *responder) receive(q *QP, p *wire.Packet) {
	psn := p.BTH.PSN()
	switch d := psn.Sub(r.expected); {
	case d > 0:
		if r.naked {
			q.count.DropAhead++
			return
		}
		r.naked = true
		r.nak(q, wire.NakSequence)
	case d < 0:
		q.count.Duplicates++
		r.duplicate(q, p)
	default:
		r.naked = false
		r.execute(q, p)
	}
}

// execute runs the request with the expected PSN, or refuses it.
func (r *responder) execute(q *QP, p *wire.Packet) {
	op := p.BTH.Opcode()
	switch {
	case op.IsWrite() && r.fits(q, p, writeMessage):
		r.write(q, p)
	case op.IsSend() && op != wire.SendLastInvalidate && op != wire.SendOnlyInvalidate && r.fits(q, p, sendMessage):
		r.send(q, p)
	case op == wire.ReadRequest && r.in == noMessage:
		r.read(q, p)
	case op.IsAtomic() && r.in == noMessage:
		r.atomic(q, p)
	default:
		r.refuse(q, wire.NakInvalidRequest)
	}
}

// fits checks a packet's place in its message and its length: FIRST and MIDDLE
// are full, LAST is not empty.
func (r *responder) fits(q *QP, p *wire.Packet, kind message) bool {
	op, n := p.BTH.Opcode(), len(p.Payload)
	if op.Starts() != (r.in == noMessage) || !op.Starts() && r.in != kind {
		return false
	}
	switch {
	case !op.Ends():
		return n == q.cfg.MTU
	case !op.Starts():
		return n > 0 && n <= q.cfg.MTU
	}
	return n <= q.cfg.MTU
}

func (r *responder) write(q *QP, p *wire.Packet) {
	op := p.BTH.Opcode()
	// The right is checked for every packet: taking it away must stop a message
	// under way.
	if q.cfg.Access&rdma.RemoteWrite == 0 {
		r.refuse(q, wire.NakInvalidRequest)
		return
	}
	if op.Starts() {
		va, n := p.RETH.VA(), uint64(p.RETH.Length())
		r.mr, r.va, r.left = nil, va, n
		if n > 0 {
			if r.mr = q.cfg.Memory.lookup(p.RETH.RKey(), va, n, rdma.RemoteWrite); r.mr == nil {
				r.refuse(q, wire.NakRemoteAccess)
				return
			}
		}
	}
	n := uint64(len(p.Payload))
	if n > r.left || op.Ends() != (n == r.left) {
		r.refuse(q, wire.NakInvalidRequest)
		return
	}
	if r.mr != nil && r.mr.dead {
		r.refuse(q, wire.NakRemoteAccess)
		return
	}
	if op.HasImm() && r.recvs.empty() {
		r.notReady(q)
		return
	}
	if n > 0 {
		r.mr.store(r.va, p.Payload)
		r.va += n
		r.left -= n
	}
	r.in = writeMessage
	if op.Ends() {
		r.in, r.mr = noMessage, nil
		if op.HasImm() {
			w := r.recvs.pop()
			q.complete(rdma.Completion{ID: w.ID, Op: rdma.OpRecvWriteImm, HasImm: true, Imm: p.Imm.Value()})
		}
	}
	r.done(q, p)
}

func (r *responder) send(q *QP, p *wire.Packet) {
	op := p.BTH.Opcode()
	if op.Starts() {
		if r.recvs.empty() {
			r.notReady(q)
			return
		}
		r.recv, r.got = r.recvs.pop(), 0
		r.in = sendMessage
	}
	if len(p.Payload) > len(r.recv.Local)-r.got {
		q.complete(rdma.Completion{ID: r.recv.ID, Op: rdma.OpRecv, Status: rdma.StatusLocalLength})
		r.in, r.recv = noMessage, rdma.RecvWR{}
		r.refuse(q, wire.NakInvalidRequest)
		return
	}
	r.got += copy(r.recv.Local[r.got:], p.Payload)
	if op.Ends() {
		c := rdma.Completion{ID: r.recv.ID, Op: rdma.OpRecv, Len: r.got}
		if op.HasImm() {
			c.HasImm, c.Imm = true, p.Imm.Value()
		}
		q.complete(c)
		r.in, r.recv = noMessage, rdma.RecvWR{}
	}
	r.done(q, p)
}

// done counts an executed packet and acknowledges it if it asks for that.
func (r *responder) done(q *QP, p *wire.Packet) {
	r.expected = r.expected.Add(1)
	if p.BTH.Opcode().Ends() {
		r.msn = (r.msn + 1) & wire.PSNMask
	}
	if p.BTH.AckReq() {
		r.ack(q)
	}
}

// readRegion checks a READ request; ok is false if it was refused.
func (r *responder) readRegion(q *QP, p *wire.Packet) (a answer, packets int, nak wire.Syndrome) {
	n := p.RETH.Length()
	if q.cfg.Access&rdma.RemoteRead == 0 || n > maxMessage || len(p.Payload) != 0 {
		return a, 0, wire.NakInvalidRequest
	}
	a = answer{kind: readAnswer, psn: p.BTH.PSN(), va: p.RETH.VA(), left: int(n)}
	if n > 0 {
		if a.mr = q.cfg.Memory.lookup(p.RETH.RKey(), a.va, uint64(n), rdma.RemoteRead); a.mr == nil {
			return a, 0, wire.NakRemoteAccess
		}
	}
	return a, max(1, (int(n)+q.cfg.MTU-1)/q.cfg.MTU), 0
}

func (r *responder) read(q *QP, p *wire.Packet) {
	a, packets, nak := r.readRegion(q, p)
	if nak != 0 {
		r.refuse(q, nak)
		return
	}
	if r.answers.full() {
		// Not executed, so the requester's timeout repeats it.
		q.count.DropAckQueue++
		return
	}
	r.expected = r.expected.Add(packets)
	r.msn = (r.msn + 1) & wire.PSNMask
	a.msn, a.syndrome = r.msn, r.creditSyndrome(q)
	r.answers.push(a)
}

func (r *responder) atomic(q *QP, p *wire.Packet) {
	if q.cfg.Access&rdma.RemoteAtomic == 0 || p.AtomicETH.VA()&7 != 0 || len(p.Payload) != 0 {
		r.refuse(q, wire.NakInvalidRequest)
		return
	}
	va := p.AtomicETH.VA()
	mr := q.cfg.Memory.lookup(p.AtomicETH.RKey(), va, 8, rdma.RemoteAtomic)
	if mr == nil {
		r.refuse(q, wire.NakRemoteAccess)
		return
	}
	if r.answers.full() {
		// Not executed, so the requester's timeout repeats it.
		q.count.DropAckQueue++
		return
	}
	add, compare := p.AtomicETH.SwapAdd(), p.AtomicETH.Compare()
	swap := p.BTH.Opcode() == wire.CompareSwap
	original := mr.atomic(va, func(old uint64) uint64 {
		switch {
		case !swap:
			return old + add
		case old == compare:
			return add
		}
		return old
	})
	r.last = (r.last + 1) % len(r.results)
	r.results[r.last] = atomicResult{psn: r.expected, original: original}
	psn := r.expected
	r.expected = r.expected.Add(1)
	r.msn = (r.msn + 1) & wire.PSNMask
	r.answers.push(answer{kind: atomicAnswer, psn: psn, msn: r.msn, syndrome: r.creditSyndrome(q), original: original})
}

// duplicate answers a request that has been executed: READs are executed again,
// atomics answered from memory, everything else acknowledged with the latest
// PSN, asked for or not.
func (r *responder) duplicate(q *QP, p *wire.Packet) {
	op, psn := p.BTH.Opcode(), p.BTH.PSN()
	switch {
	case op == wire.ReadRequest:
		a, packets, nak := r.readRegion(q, p)
		if nak != 0 || r.expected.Before(psn.Add(packets)) {
			q.count.DropDuplicate++
			return
		}
		// The requester has gone back to here: what is queued from here on, it
		// asks for again.
		for !r.answers.empty() && !r.answers.back().psn.Before(psn) && r.answers.back().kind != nakAnswer {
			r.answers.drop()
		}
		if r.answers.full() {
			q.count.DropAckQueue++
			return
		}
		a.msn, a.syndrome = r.msn, r.creditSyndrome(q)
		r.answers.push(a)
	case op.IsAtomic():
		for i := range r.results {
			if r.results[i].psn == psn && !r.answers.full() {
				r.answers.push(answer{kind: atomicAnswer, psn: psn, msn: r.msn, syndrome: r.creditSyndrome(q), original: r.results[i].original})
				return
			}
		}
		q.count.DropDuplicate++
	default:
		r.ack(q)
	}
}

// creditSyndrome is the ACK syndrome with the current credits.
func (r *responder) creditSyndrome(q *QP) wire.Syndrome {
	if !q.cfg.Credits {
		return wire.AckSyndrome(wire.CreditsUnlimited)
	}
	return wire.AckSyndrome(wire.CreditCode(r.recvs.len()))
}

// ack queues an acknowledgement of everything before expected, or lets one that
// waits stand for it.
func (r *responder) ack(q *QP) {
	a := answer{kind: ackAnswer, psn: r.expected.Add(-1), msn: r.msn, syndrome: r.creditSyndrome(q), packets: 1}
	if !r.answers.empty() {
		if b := r.answers.back(); b.kind == ackAnswer {
			again := b.psn == a.psn
			if again || b.packets < q.cfg.CoalesceAcks || r.answers.full() {
				a.packets = b.packets
				if !again {
					a.packets++
				}
				*b = a
				return
			}
		}
	}
	if r.answers.full() {
		q.count.DropAckQueue++
		return
	}
	r.answers.push(a)
}

func (r *responder) nak(q *QP, s wire.Syndrome) {
	if r.answers.full() {
		q.count.DropAckQueue++
		r.naked = false // the next packet may try again
		return
	}
	r.answers.push(answer{kind: nakAnswer, psn: r.expected, msn: r.msn, syndrome: s})
}

// notReady refuses a request for want of a receive, and waits for it to come
// again.
func (r *responder) notReady(q *QP) {
	r.naked = true
	r.nak(q, wire.RNRSyndrome(wire.RNRTimer(q.cfg.RNRDelay)))
}

// refuse answers with an error NAK and fails the queue pair; the NAK is still
// sent.
func (r *responder) refuse(q *QP, s wire.Syndrome) {
	if r.answers.full() {
		r.answers.drop()
	}
	r.nak(q, s)
	cause := rdma.StatusRemoteInvalidRequest
	if s == wire.NakRemoteAccess {
		cause = rdma.StatusRemoteAccess
	}
	q.fail(cause)
}

// sendsData reports whether the next response is the content of memory, which a limiter holds
// back; acknowledgements and notifications are not held back.
func (r *responder) sendsData() bool {
	return !r.cnpPending && r.answers.front().kind == readAnswer
}

// emit appends the next response frame.
func (r *responder) emit(q *QP, dst []byte) []byte {
	if r.cnpPending {
		r.cnpPending = false
		q.count.CNPOut++
		return wire.AppendCNP(dst, q.head(wire.CongestionNotification, 0))
	}
	if r.answers.empty() {
		return dst
	}
	a := r.answers.front()
	switch a.kind {
	case readAnswer:
		return r.emitRead(q, a, dst)
	case atomicAnswer:
		h := q.head(wire.AtomicAcknowledge, a.psn)
		h.Syndrome, h.MSN, h.Original = a.syndrome, a.msn, a.original
		dst = wire.AppendFrame(dst, h, nil)
	default:
		h := q.head(wire.Acknowledge, a.psn)
		h.Syndrome, h.MSN = a.syndrome, a.msn
		switch {
		case a.syndrome.IsAck():
			q.count.AcksOut++
		case a.syndrome.IsRNR():
			q.count.RNROut++
		default:
			q.count.NaksOut++
		}
		dst = wire.AppendFrame(dst, h, nil)
	}
	r.answers.pop()
	return dst
}

// emitRead appends the next packet of a READ response. The bytes are read when
// they are sent, under the region's lock.
func (r *responder) emitRead(q *QP, a *answer, dst []byte) []byte {
	if a.mr != nil && (a.mr.dead || q.cfg.Access&rdma.RemoteRead == 0) {
		// The NAK names the packet that cannot be sent; what waits behind it
		// would acknowledge more.
		r.expected = a.psn
		for !r.answers.empty() {
			r.answers.pop()
		}
		r.refuse(q, wire.NakRemoteAccess)
		return r.emit(q, dst)
	}
	n := min(a.left, q.cfg.MTU)
	first, last := !a.began, n == a.left
	op := wire.ReadResponseMiddle
	switch {
	case first && last:
		op = wire.ReadResponseOnly
	case first:
		op = wire.ReadResponseFirst
	case last:
		op = wire.ReadResponseLast
	}
	h := q.head(op, a.psn)
	h.Syndrome, h.MSN = a.syndrome, a.msn
	if n == 0 {
		dst = wire.AppendFrame(dst, h, nil)
	} else {
		off := int(a.va - a.mr.va)
		a.mr.mu.RLock()
		dst = wire.AppendFrame(dst, h, a.mr.buf[off:off+n])
		a.mr.mu.RUnlock()
	}
	q.count.BytesOut += uint64(n)
	a.psn = a.psn.Add(1)
	a.va += uint64(n)
	a.left -= n
	a.began = true
	if last {
		r.answers.pop()
	}
	return dst
}

// flush ends all receives, and drops every answer but a final NAK.
func (r *responder) flush(q *QP) {
	if r.in == sendMessage {
		q.complete(rdma.Completion{ID: r.recv.ID, Op: rdma.OpRecv, Status: rdma.StatusFlushed})
	}
	r.in, r.mr, r.recv = noMessage, nil, rdma.RecvWR{}
	for !r.recvs.empty() {
		w := r.recvs.pop()
		q.complete(rdma.Completion{ID: w.ID, Op: rdma.OpRecv, Status: rdma.StatusFlushed})
	}
	for i := r.answers.len(); i > 0; i-- {
		if a := r.answers.pop(); a.kind != readAnswer {
			r.answers.push(a)
		}
	}
	r.cnpPending = false
}
