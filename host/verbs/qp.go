//go:build verbs && cgo && linux

package verbs

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/verbs/internal/wq"
)

const (
	defaultQueue = 128
	defaultReads = 16
)

// qp is a queue pair.
type qp struct {
	d        *device
	domain   *domain
	cfg      rdma.QPConfig
	send     *cq
	recv     *cq
	sendSlot int
	recvSlot int
	places   int // in send's queue, and in recv's
	rplaces  int
	num      uint32
	inline   int

	mu      sync.Mutex // guards what follows
	qp      *C.struct_ibv_qp
	state   rdma.State
	access  rdma.Access
	sendGen uint16
	recvGen uint16
	sends   *wq.Queue
	recvs   *wq.Queue
	wr      *C.struct_p4ce_wr // P4CE_BATCH of them
	scratch []byte            // of C: inline data that are not in memory from Alloc
	conn    *conn
}

func (d *device) CreateQP(cfg rdma.QPConfig) (rdma.QP, error) { return d.createQP(cfg) }

func (d *device) createQP(cfg rdma.QPConfig) (*qp, error) {
	cfg.SendQueue = cmp.Or(cfg.SendQueue, defaultQueue)
	cfg.RecvQueue = cmp.Or(cfg.RecvQueue, defaultQueue)
	cfg.MaxReads = cmp.Or(cfg.MaxReads, defaultReads)
	if cfg.SendQueue < 0 || cfg.RecvQueue < 0 || max(cfg.SendQueue, cfg.RecvQueue) > int(d.attr.max_qp_wr) {
		return nil, fmt.Errorf("queue pair: queues of %d and %d requests (the device has %d)", cfg.SendQueue, cfg.RecvQueue, d.attr.max_qp_wr)
	}
	cfg.MaxReads = min(max(cfg.MaxReads, 0), int(d.attr.max_qp_rd_atom), 255)
	if d.isClosed() {
		return nil, rdma.ErrClosed
	}
	in := d.own
	if cfg.Domain != nil {
		var ok bool
		if in, ok = cfg.Domain.(*domain); !ok || in.d != d {
			return nil, fmt.Errorf("queue pair: %T is not a protection domain of rdma device %s", cfg.Domain, d.choice.Device.Name)
		}
	}
	q := &qp{d: d, domain: in, cfg: cfg, access: cfg.Access, sends: wq.New(cfg.SendQueue), recvs: wq.New(cfg.RecvQueue), inline: d.inline}
	var err error
	if q.send, err = d.queueOr(cfg.SendCQ, cfg.SendQueue); err != nil {
		return nil, err
	}
	if q.recv, err = d.queueOr(cfg.RecvCQ, cfg.RecvQueue); err != nil {
		q.dropQueues()
		return nil, err
	}
	q.places, q.rplaces = cfg.SendQueue, cfg.RecvQueue
	if q.sendSlot, q.sendGen, err = q.send.attach(q, q.places); err != nil {
		q.dropQueues()
		return nil, err
	}
	if q.recvSlot, q.recvGen, err = q.recv.attach(q, q.rplaces); err != nil {
		q.leave(q.send, q.sendSlot, q.places)
		q.dropQueues()
		return nil, err
	}
	if err := q.create(); err != nil {
		q.leave(q.send, q.sendSlot, q.places)
		q.leave(q.recv, q.recvSlot, q.rplaces)
		q.dropQueues()
		return nil, fmt.Errorf("rdma device %s: queue pair: %w", d.choice.Device.Name, err)
	}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.qps[q.num] = q
	}
	d.mu.Unlock()
	if closed {
		q.Destroy()
		return nil, rdma.ErrClosed
	}
	return q, nil
}

func (d *device) queueOr(c rdma.CQ, n int) (*cq, error) {
	if c == nil {
		return d.newCQ(n)
	}
	q, ok := c.(*cq)
	if !ok || q.d != d {
		return nil, errors.New("queue pair: completion queue of another device")
	}
	return q, nil
}

// dropQueues gives the completion queues back that were made for this queue pair
// alone. What is in them can still be polled.
func (q *qp) dropQueues() {
	if q.cfg.SendCQ == nil && q.send != nil {
		q.d.dropCQ(q.send)
	}
	if q.cfg.RecvCQ == nil && q.recv != nil {
		q.d.dropCQ(q.recv)
	}
}

func (q *qp) leave(c *cq, slot, places int) {
	c.mu.Lock()
	c.detach(slot, places)
	c.mu.Unlock()
}

// create makes the device's queue pair and brings it to Init.
func (q *qp) create() error {
	for {
		attr := q.d.initAttr(q.send, q.recv, q.cfg.SendQueue, q.cfg.RecvQueue, q.inline)
		var err error
		if q.qp, err = C.ibv_create_qp(q.domain.pd, &attr); q.qp != nil {
			break
		}
		// Long queues may leave less room in each request.
		if q.inline == 0 {
			return fmt.Errorf("%w (queues of %d and %d requests)", err, q.cfg.SendQueue, q.cfg.RecvQueue)
		}
		q.inline /= 2
	}
	q.num = uint32(q.qp.qp_num)
	if err := q.toInit(); err != nil {
		C.ibv_destroy_qp(q.qp)
		return err
	}
	q.wr = (*C.struct_p4ce_wr)(C.calloc(C.P4CE_BATCH, C.sizeof_struct_p4ce_wr))
	if q.inline > 0 {
		q.scratch = unsafe.Slice((*byte)(C.calloc(C.P4CE_BATCH, C.size_t(q.inline))), C.P4CE_BATCH*q.inline)
	}
	return nil
}

func (d *device) initAttr(send, recv *cq, sends, recvs, inline int) C.struct_ibv_qp_init_attr {
	attr := C.struct_ibv_qp_init_attr{send_cq: send.cq, recv_cq: recv.cq, qp_type: C.IBV_QPT_RC}
	attr.cap.max_send_wr = C.uint32_t(sends)
	attr.cap.max_recv_wr = C.uint32_t(recvs)
	attr.cap.max_send_sge = 1
	attr.cap.max_recv_sge = 1
	attr.cap.max_inline_data = C.uint32_t(inline)
	return attr
}

func (q *qp) toInit() error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_INIT, port_num: C.uint8_t(q.d.choice.Port.Number), qp_access_flags: q.flags()}
	return q.modify("init", &attr, C.IBV_QP_STATE|C.IBV_QP_PKEY_INDEX|C.IBV_QP_PORT|C.IBV_QP_ACCESS_FLAGS)
}

// flags are the access flags of a queue pair, in which local rights have no meaning
// and rights that the device does not know are refused.
func (q *qp) flags() C.uint {
	a := q.access &^ rdma.LocalWrite
	if q.d.attr.atomic_cap == C.IBV_ATOMIC_NONE {
		a &^= rdma.RemoteAtomic
	}
	return ibvAccess(a)
}

func (q *qp) modify(to string, attr *C.struct_ibv_qp_attr, mask C.int) error {
	if err := errno(C.ibv_modify_qp(q.qp, attr, mask)); err != nil {
		return fmt.Errorf("queue pair %#x to %s: %w", q.num, to, err)
	}
	return nil
}

func (q *qp) QPN() uint32     { return q.num }
func (q *qp) SendCQ() rdma.CQ { return q.send }
func (q *qp) RecvCQ() rdma.CQ { return q.recv }

func (q *qp) State() rdma.State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state
}

var opcodes = [...]C.uint32_t{
	rdma.OpWrite: C.IBV_WR_RDMA_WRITE, rdma.OpWriteImm: C.IBV_WR_RDMA_WRITE_WITH_IMM,
	rdma.OpSend: C.IBV_WR_SEND, rdma.OpSendImm: C.IBV_WR_SEND_WITH_IMM,
	rdma.OpRead: C.IBV_WR_RDMA_READ, rdma.OpCompareSwap: C.IBV_WR_ATOMIC_CMP_AND_SWP, rdma.OpFetchAdd: C.IBV_WR_ATOMIC_FETCH_AND_ADD,
}

func fetches(op rdma.Op) bool {
	return op == rdma.OpRead || op == rdma.OpCompareSwap || op == rdma.OpFetchAdd
}

func (q *qp) PostSend(wrs ...rdma.SendWR) (int, error) {
	q.mu.Lock()
	if q.qp == nil {
		q.mu.Unlock()
		return q.flushed(q.send, len(wrs), func(i int) rdma.Completion { return rdma.Completion{ID: wrs[i].ID, Op: wrs[i].Op} })
	}
	defer q.mu.Unlock()
	if q.domain != q.d.own {
		return 0, fmt.Errorf("%w: the queue pair's protection domain is for its peer", rdma.ErrRequest)
	}
	if q.state == rdma.StateInit || q.state == rdma.StateRTR {
		return 0, rdma.ErrNotReady
	}
	done := 0
	for done < len(wrs) {
		n, err := q.fillSends(wrs[done:])
		if n > 0 {
			var posted C.int
			e := errno(C.p4ce_post_send(q.qp, q.wr, C.int(n), &posted))
			done += int(posted)
			err = q.posted(q.sends, n-int(posted), e, err)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// posted takes back the requests at the end of a queue that the device did not take,
// because of e. It returns why posting stops: e, or what stopped the batch before.
func (q *qp) posted(w *wq.Queue, left int, e, before error) error {
	w.Pop(left, q.unstage)
	switch e {
	case nil:
		return before
	case syscall.ENOMEM:
		return rdma.ErrQueueFull
	}
	return fmt.Errorf("%w: %w", rdma.ErrRequest, e)
}

// flushed completes requests to a queue pair that is gone.
func (q *qp) flushed(c *cq, n int, f func(i int) rdma.Completion) (int, error) {
	c.mu.Lock()
	for i := range n {
		f := f(i)
		f.QPN, f.Status = q.num, rdma.StatusFlushed
		c.push(f)
	}
	c.mu.Unlock()
	c.kick()
	return n, nil
}

// fillSends translates as many requests as fit into one batch. It returns how many,
// and why it stopped before the end of the batch.
func (q *qp) fillSends(wrs []rdma.SendWR) (int, error) {
	batch := unsafe.Slice(q.wr, C.P4CE_BATCH)
	n := 0
	for n < min(len(wrs), len(batch)) {
		if q.sends.Room() == 0 {
			return n, rdma.ErrQueueFull
		}
		wr, w := &wrs[n], &batch[n]
		if int(wr.Op) >= len(opcodes) || wr.Op == 0 {
			return n, rdma.ErrRequest
		}
		if uint64(len(wr.Local)) > uint64(q.d.port.max_msg_sz) {
			return n, rdma.ErrTooLong
		}
		*w = C.struct_p4ce_wr{
			opcode: opcodes[wr.Op], len: C.uint32_t(len(wr.Local)), remote: C.uint64_t(wr.VA), rkey: C.uint32_t(wr.RKey),
			imm: C.uint32_t(wr.Imm),
		}
		e := wq.Entry{ID: wr.ID, Op: wr.Op, Len: len(wr.Local), Silent: wr.Unsignaled}
		switch wr.Op {
		case rdma.OpCompareSwap:
			w.swap_add, w.compare = C.uint64_t(wr.SwapAdd), C.uint64_t(wr.Compare)
		case rdma.OpFetchAdd:
			// verbs.h calls the addend compare_add.
			w.compare = C.uint64_t(wr.SwapAdd)
		}
		if wr.Op >= rdma.OpCompareSwap && len(wr.Local) != 8 {
			return n, rdma.ErrRequest
		}
		if wr.Solicited {
			w.flags |= C.IBV_SEND_SOLICITED
		}
		if err := q.place(n, wr.Local, fetches(wr.Op), w, &e); err != nil {
			return n, err
		}
		seq, signal := q.sends.Push(e)
		if signal {
			w.flags |= C.IBV_SEND_SIGNALED
		}
		w.id = C.uint64_t(uint64(q.sendGen)<<genOff | uint64(q.sendSlot)<<slotOff | uint64(seq))
		n++
	}
	return n, nil
}

// fillRecvs is fillSends for buffers.
func (q *qp) fillRecvs(wrs []rdma.RecvWR) (int, error) {
	batch := unsafe.Slice(q.wr, C.P4CE_BATCH)
	n := 0
	for n < min(len(wrs), len(batch)) {
		if q.recvs.Room() == 0 {
			return n, rdma.ErrQueueFull
		}
		wr, w := &wrs[n], &batch[n]
		*w = C.struct_p4ce_wr{len: C.uint32_t(len(wr.Local))}
		e := wq.Entry{ID: wr.ID, Op: rdma.OpRecv}
		if err := q.place(n, wr.Local, true, w, &e); err != nil {
			return n, err
		}
		seq, _ := q.recvs.Push(e)
		w.id = C.uint64_t(uint64(q.recvGen)<<genOff | uint64(q.recvSlot)<<slotOff | recvBit | uint64(seq))
		n++
	}
	return n, nil
}

// place says where the device finds, or puts, the bytes of a request: in the
// request itself, where they are, or in memory of the device's own.
func (q *qp) place(i int, buf []byte, fetch bool, w *C.struct_p4ce_wr, e *wq.Entry) error {
	if len(buf) == 0 {
		return nil
	}
	area := q.d.set.Find(buf)
	if !fetch && len(buf) <= q.inline {
		if area == nil {
			at := q.scratch[i*q.inline:]
			copy(at, buf)
			buf = at
		}
		w.flags |= C.IBV_SEND_INLINE
		w.addr = address(buf)
		return nil
	}
	if area == nil {
		stage, err := q.d.pool.Get(len(buf))
		if err != nil {
			return err
		}
		e.Stage = stage
		if fetch {
			e.Local = buf
		} else {
			copy(stage, buf)
		}
		buf = stage
		area = q.d.set.Find(buf)
	}
	w.addr, w.lkey = address(buf), C.uint32_t(area.LKey)
	return nil
}

func address(b []byte) C.uint64_t {
	return C.uint64_t(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

func (q *qp) unstage(e *wq.Entry) {
	if e.Stage != nil {
		q.d.pool.Put(e.Stage)
	}
}

func (q *qp) PostRecv(wrs ...rdma.RecvWR) (int, error) {
	q.mu.Lock()
	if q.qp == nil {
		q.mu.Unlock()
		return q.flushed(q.recv, len(wrs), func(i int) rdma.Completion { return rdma.Completion{ID: wrs[i].ID, Op: rdma.OpRecv} })
	}
	defer q.mu.Unlock()
	done := 0
	for done < len(wrs) {
		n, err := q.fillRecvs(wrs[done:])
		if n > 0 {
			var posted C.int
			e := errno(C.p4ce_post_recv(q.qp, q.wr, C.int(n), &posted))
			done += int(posted)
			err = q.posted(q.recvs, n-int(posted), e, err)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

func status(s C.uint32_t) rdma.Status {
	switch s {
	case C.IBV_WC_SUCCESS:
		return rdma.StatusOK
	case C.IBV_WC_WR_FLUSH_ERR:
		return rdma.StatusFlushed
	case C.IBV_WC_RETRY_EXC_ERR:
		return rdma.StatusRetryExceeded
	case C.IBV_WC_RNR_RETRY_EXC_ERR:
		return rdma.StatusRNRRetryExceeded
	case C.IBV_WC_REM_INV_REQ_ERR:
		return rdma.StatusRemoteInvalidRequest
	case C.IBV_WC_REM_ACCESS_ERR:
		return rdma.StatusRemoteAccess
	case C.IBV_WC_REM_OP_ERR:
		return rdma.StatusRemoteOperation
	case C.IBV_WC_BAD_RESP_ERR:
		return rdma.StatusBadResponse
	case C.IBV_WC_LOC_LEN_ERR:
		return rdma.StatusLocalLength
	}
	return rdma.StatusLocal
}

// completed takes a completion of the device's, with the lock of its queue held. It
// reports whether somebody wants it.
func (q *qp) completed(seq uint32, recv bool, wc *C.struct_p4ce_wc, c *rdma.Completion) bool {
	s := status(wc.status)
	wanted := false
	q.mu.Lock()
	if recv {
		q.recvs.Retire(seq, func(e *wq.Entry, last bool) {
			n := 0
			if s == rdma.StatusOK {
				n = int(wc.len)
			}
			*c = rdma.Completion{ID: e.ID, QPN: q.num, Op: rdma.OpRecv, Status: s, Len: n}
			// What a WRITE with immediate data wrote is not in the buffer.
			if s == rdma.StatusOK && wc.opcode == C.IBV_WC_RECV_RDMA_WITH_IMM {
				c.Op, c.Len = rdma.OpRecvWriteImm, 0
			}
			if s == rdma.StatusOK && wc.has_imm != 0 {
				c.HasImm, c.Imm = true, uint32(wc.imm)
			}
			if e.Stage != nil && c.Op == rdma.OpRecv {
				copy(e.Local, e.Stage[:min(n, len(e.Stage))])
			}
			q.unstage(e)
			wanted = last
		})
	} else {
		q.sends.Retire(seq, func(e *wq.Entry, last bool) {
			// Entries before seq succeeded: requests complete in order.
			if e.Stage != nil && e.Local != nil && (!last || s == rdma.StatusOK) {
				copy(e.Local, e.Stage)
			}
			q.unstage(e)
			if last {
				*c = rdma.Completion{ID: e.ID, QPN: q.num, Op: e.Op, Status: s}
				if s == rdma.StatusOK {
					c.Len = e.Len
				}
				wanted = !e.Silent || s != rdma.StatusOK
			}
		})
	}
	conn := q.conn
	if s != rdma.StatusOK {
		q.state = rdma.StateError
	}
	q.mu.Unlock()
	if s != rdma.StatusOK && conn != nil {
		conn.End(s.Err())
	}
	return wanted
}

// broken is called when the device reports that the queue pair has failed.
func (q *qp) broken(err error) {
	q.mu.Lock()
	q.state = rdma.StateError
	c := q.conn
	q.mu.Unlock()
	if c != nil {
		c.End(err)
	}
}

// stop flushes all work, because the peer has left.
func (q *qp) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.qp == nil {
		return
	}
	q.state = rdma.StateError
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_ERR}
	if err := q.modify("error", &attr, C.IBV_QP_STATE); err != nil {
		q.d.log.Error("work not flushed", "device", q.d.choice.Device.Name, "err", err)
	}
}

// heard is called when the device reports the peer's first packet, which stands for
// an RTU that was lost.
func (q *qp) heard() {
	q.mu.Lock()
	c := q.conn
	q.mu.Unlock()
	if c != nil {
		c.heard()
	}
}

// lockAll locks the queues and the queue pair.
func (q *qp) lockAll() (unlock func()) {
	a, b := q.send, q.recv
	if a.age > b.age {
		a, b = b, a
	}
	a.mu.Lock()
	if b != a {
		b.mu.Lock()
	}
	q.mu.Lock()
	return func() {
		q.mu.Unlock()
		if b != a {
			b.mu.Unlock()
		}
		a.mu.Unlock()
	}
}

func (q *qp) Destroy() {
	// What has ended is reported as it ended. This takes the queue pair's lock for
	// each completion, so it comes first; what ends between is flushed.
	q.drain()
	unlock := q.lockAll()
	if q.qp == nil {
		unlock()
		return
	}
	q.state = rdma.StateError
	if err := errno(C.ibv_destroy_qp(q.qp)); err != nil {
		q.d.log.Error("queue pair not destroyed", "device", q.d.choice.Device.Name, "qpn", q.num, "err", err)
	}
	q.qp = nil
	q.flush()
	q.send.detach(q.sendSlot, q.places)
	q.recv.detach(q.recvSlot, q.rplaces)
	C.free(unsafe.Pointer(q.wr))
	if q.scratch != nil {
		C.free(unsafe.Pointer(unsafe.SliceData(q.scratch)))
	}
	q.wr, q.scratch = nil, nil
	unlock()
	q.send.kick()
	q.recv.kick()
	q.dropQueues()
	q.d.mu.Lock()
	if q.d.qps[q.num] == q {
		delete(q.d.qps, q.num)
	}
	q.d.mu.Unlock()
}

func (q *qp) drain() {
	for _, c := range []*cq{q.send, q.recv} {
		c.mu.Lock()
		c.drain()
		c.mu.Unlock()
	}
}

// flush reports all outstanding requests as flushed; all locks are held.
func (q *qp) flush() {
	q.sends.Flush(func(e *wq.Entry) {
		q.unstage(e)
		q.send.push(rdma.Completion{ID: e.ID, QPN: q.num, Op: e.Op, Status: rdma.StatusFlushed})
	})
	q.recvs.Flush(func(e *wq.Entry) {
		q.unstage(e)
		q.recv.push(rdma.Completion{ID: e.ID, QPN: q.num, Op: rdma.OpRecv, Status: rdma.StatusFlushed})
	})
}
