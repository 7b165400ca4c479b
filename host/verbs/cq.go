//go:build verbs && cgo && linux

package verbs

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/p4ce/p4ce/host/rdma"
)

// A completion names its request by 64 bits: generation, slot, whether it is a
// receive, and the number in the work queue. A slot is a queue pair's place in the
// completion queue. Its generation tells the completions of a queue pair that is
// gone, or was reset, from those of the present one.
const (
	seqBits  = 32
	recvBit  = 1 << seqBits
	slotOff  = seqBits + 1
	slotBits = 15
	genOff   = slotOff + slotBits
)

type slot struct {
	qp  *qp
	gen uint16
}

// cq is a completion queue.
type cq struct {
	d       *device
	age     uint64
	channel *C.struct_ibv_comp_channel
	events  *os.File
	wc      *C.struct_p4ce_wc // P4CE_BATCH of them
	waiting chan struct{}     // holds a token while nobody waits

	mu      sync.Mutex // guards what follows, and the memory at wc
	cq      *C.struct_ibv_cq
	slots   []slot
	free    []int
	need    int               // places that the queue pairs may need
	pending []rdma.Completion // taken from the device, or flushed, but not polled yet
	first   int               // of pending
}

func (d *device) NewCQ(n int) (rdma.CQ, error) { return d.newCQ(n) }

func (d *device) newCQ(n int) (*cq, error) {
	if d.isClosed() {
		return nil, rdma.ErrClosed
	}
	q := &cq{d: d, waiting: make(chan struct{}, 1)}
	q.waiting <- struct{}{}
	fail := func(err error) (*cq, error) {
		q.destroy()
		return nil, fmt.Errorf("rdma device %s: completion queue: %w", d.choice.Device.Name, err)
	}
	var err error
	if q.channel, err = C.ibv_create_comp_channel(d.ctx); q.channel == nil {
		return fail(err)
	}
	if q.cq, err = C.ibv_create_cq(d.ctx, C.int(min(max(n, 16), int(d.attr.max_cqe))), nil, q.channel, 0); q.cq == nil {
		return fail(err)
	}
	q.wc = (*C.struct_p4ce_wc)(C.calloc(C.P4CE_BATCH, C.sizeof_struct_p4ce_wc))
	if q.events, err = watched(q.channel.fd, "rdma completions"); err != nil {
		return fail(err)
	}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.age++
		q.age = d.age
		d.cqs[q] = struct{}{}
	}
	d.mu.Unlock()
	if closed {
		return fail(rdma.ErrClosed)
	}
	return q, nil
}

// dropCQ destroys a completion queue whose queue pairs are gone.
func (d *device) dropCQ(q *cq) {
	d.mu.Lock()
	_, there := d.cqs[q]
	delete(d.cqs, q)
	d.mu.Unlock()
	if there {
		q.destroy()
	}
}

// destroy is called when the queue pairs are gone. What is pending can still be
// polled, and waiting for more ends with ErrClosed.
func (q *cq) destroy() {
	if q.events != nil {
		_ = q.events.Close()
	}
	q.mu.Lock()
	if q.cq != nil {
		if err := errno(C.ibv_destroy_cq(q.cq)); err != nil {
			q.d.log.Error("completion queue not destroyed", "device", q.d.choice.Device.Name, "err", err)
		}
		q.cq = nil
	}
	C.free(unsafe.Pointer(q.wc))
	q.wc = nil
	q.mu.Unlock()
	// Whoever waits finds the queue gone, and leaves.
	<-q.waiting
	if q.channel != nil {
		C.ibv_destroy_comp_channel(q.channel)
		q.channel = nil
	}
	q.waiting <- struct{}{}
}

// attach gives a queue pair a slot and makes room for its completions.
func (q *cq) attach(p *qp, places int) (int, uint16, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cq == nil {
		return 0, 0, rdma.ErrClosed
	}
	// What is left of queue pairs that are gone takes no room any more.
	q.drain()
	if need := q.need + places; need > int(q.cq.cqe) {
		if need > int(q.d.attr.max_cqe) {
			return 0, 0, fmt.Errorf("completion queue: %d places (the device has %d)", need, q.d.attr.max_cqe)
		}
		if err := errno(C.ibv_resize_cq(q.cq, C.int(min(2*need, int(q.d.attr.max_cqe))))); err != nil {
			return 0, 0, fmt.Errorf("completion queue: %d places: %w (the device cannot enlarge one; make it large from the start)", need, err)
		}
	}
	q.need += places
	i := len(q.slots)
	if n := len(q.free); n > 0 {
		i, q.free = q.free[n-1], q.free[:n-1]
	} else if i == 1<<slotBits {
		return 0, 0, errors.New("completion queue: too many queue pairs")
	} else {
		q.slots = append(q.slots, slot{})
	}
	q.slots[i].qp = p
	q.slots[i].gen++
	return i, q.slots[i].gen, nil
}

// renew gives the queue pair in a slot a new generation; q.mu is held.
func (q *cq) renew(i int) uint16 {
	q.slots[i].gen++
	return q.slots[i].gen
}

// detach frees a slot; q.mu is held.
func (q *cq) detach(i, places int) {
	q.slots[i].qp = nil
	q.free = append(q.free, i)
	q.need -= places
}

func (q *cq) Poll(dst []rdma.Completion) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.first < len(q.pending) {
		n := copy(dst, q.pending[q.first:])
		q.first += n
		if q.first == len(q.pending) {
			q.pending, q.first = q.pending[:0], 0
		}
		return n
	}
	return q.take(dst)
}

// take polls the device; q.mu is held.
func (q *cq) take(dst []rdma.Completion) int {
	n := 0
	for n < len(dst) && q.cq != nil {
		ask := min(len(dst)-n, C.P4CE_BATCH)
		got := int(C.p4ce_poll(q.cq, q.wc, C.int(ask)))
		if got < 0 {
			q.d.log.Error("completion queue not polled", "device", q.d.choice.Device.Name, "err", errno(C.int(got)))
			break
		}
		for i := range unsafe.Slice(q.wc, got) {
			if q.convert(&unsafe.Slice(q.wc, got)[i], &dst[n]) {
				n++
			}
		}
		if got < ask {
			break
		}
	}
	return n
}

// drain moves all that the device has to pending; q.mu is held.
func (q *cq) drain() {
	var buf [32]rdma.Completion
	for {
		n := q.take(buf[:])
		q.pending = append(q.pending, buf[:n]...)
		if n < len(buf) {
			return
		}
	}
}

// convert makes a completion of the device's, unless nobody wants it. q.mu is held.
func (q *cq) convert(wc *C.struct_p4ce_wc, c *rdma.Completion) bool {
	id := uint64(wc.id)
	i := int(id >> slotOff & (1<<slotBits - 1))
	if i >= len(q.slots) || q.slots[i].qp == nil || q.slots[i].gen != uint16(id>>genOff) {
		return false
	}
	return q.slots[i].qp.completed(uint32(id), id&recvBit != 0, wc, c)
}

// push adds completions that the device will not report any more; q.mu is held.
func (q *cq) push(c rdma.Completion) { q.pending = append(q.pending, c) }

// kick wakes whoever waits.
func (q *cq) kick() { _ = q.events.SetReadDeadline(time.Unix(1, 0)) }

// ready reports whether there is something to poll, and whether there ever will be.
func (q *cq) ready() (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.first == len(q.pending) && q.cq != nil {
		q.drain()
	}
	if q.first < len(q.pending) {
		return true, nil
	}
	if q.cq == nil {
		return false, rdma.ErrClosed
	}
	return false, nil
}

func (q *cq) Wait(ctx context.Context) error {
	if ok, err := q.ready(); ok || err != nil {
		return err
	}
	for start := time.Now(); time.Since(start) < q.d.o.Spin; {
		if ok, err := q.ready(); ok || err != nil {
			return err
		}
	}
	select {
	case <-q.waiting:
		defer func() { q.waiting <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	stop := context.AfterFunc(ctx, q.kick)
	defer stop()
	for {
		// Before looking: a kick after this is not lost.
		closed := q.events.SetReadDeadline(time.Time{}) != nil
		if err := ctx.Err(); err != nil {
			return err
		}
		if !closed {
			q.mu.Lock()
			var err error
			if q.cq != nil {
				err = errno(C.p4ce_arm(q.cq))
			}
			q.mu.Unlock()
			if err != nil {
				return fmt.Errorf("completion queue: %w", err)
			}
		}
		if ok, err := q.ready(); ok || err != nil {
			return err
		}
		err := await(q.events, func() syscall.Errno { return syscall.Errno(C.p4ce_cq_event(q.channel)) })
		if ok, err := q.ready(); ok || err != nil {
			return err
		}
		switch {
		case err == nil, errors.Is(err, os.ErrDeadlineExceeded):
		case errors.Is(err, os.ErrClosed):
			// About to be destroyed: ready will say so, or that something came.
		default:
			return fmt.Errorf("completion queue: %w", err)
		}
	}
}
