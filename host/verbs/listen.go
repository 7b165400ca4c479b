//go:build verbs && cgo && linux

package verbs

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"context"
	"fmt"
	"net/netip"
	"syscall"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/verbs/internal/qpattr"
	"github.com/p4ce/p4ce/roce/cm"
)

// listener receives the connection requests to one port.
type listener struct {
	d        *device
	handle   uintptr
	port     uint16
	requests chan *request
	done     chan struct{}
	id       *C.struct_rdma_cm_id // nil after Close; guarded by the device's lock
}

func (d *device) Listen(port uint16) (rdma.Listener, error) { return d.listen(port) }

func (d *device) listen(port uint16) (*listener, error) {
	l := &listener{d: d, requests: make(chan *request, d.o.Backlog), done: make(chan struct{})}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, rdma.ErrClosed
	}
	d.next++
	l.handle = d.next
	d.listeners[l.handle] = l
	d.mu.Unlock()
	id, err := l.open(port)
	d.mu.Lock()
	if err == nil && d.closed {
		err = rdma.ErrClosed
	}
	if err != nil {
		delete(d.listeners, l.handle)
	} else {
		l.id = id
	}
	d.mu.Unlock()
	if err != nil {
		if id != nil {
			C.rdma_destroy_id(id)
		}
		return nil, fmt.Errorf("rdma port %d of %v: %w", port, d.Addr(), err)
	}
	return l, nil
}

func (l *listener) open(port uint16) (*C.struct_rdma_cm_id, error) {
	var id *C.struct_rdma_cm_id
	if err := errno(C.p4ce_create_id(l.d.channel, &id, C.uintptr_t(l.handle))); err != nil {
		return nil, err
	}
	err := errno(C.p4ce_bind(id, raw(l.d.Addr()), C.uint16_t(port)))
	if err == nil {
		r, e := C.rdma_listen(id, C.int(l.d.o.Backlog))
		err = result(r, e)
	}
	switch err {
	case nil:
		n := uint16(C.rdma_get_src_port(id))
		l.port = n>>8 | n<<8
	case syscall.EADDRINUSE:
		err = fmt.Errorf("in use")
	case syscall.EADDRNOTAVAIL, syscall.ENODEV:
		err = fmt.Errorf("%w (the address is gone from the interface of %s)", err, l.d.choice.Device.Name)
	}
	return id, err
}

func (l *listener) Accept(ctx context.Context) (rdma.Request, error) {
	select {
	case r := <-l.requests:
		return r, nil
	case <-l.done:
		return nil, rdma.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Close() error {
	d := l.d
	d.mu.Lock()
	id := l.id
	l.id = nil
	delete(d.listeners, l.handle)
	d.mu.Unlock()
	if id == nil {
		return nil
	}
	close(l.done)
	C.rdma_destroy_id(id)
	for {
		select {
		case r := <-l.requests:
			_ = r.Reject(nil)
			continue
		default:
		}
		return nil
	}
}

// request is a peer's wish to connect.
type request struct {
	c       *conn
	private []byte
}

// requested handles a REQ. The new identifier is ours.
func (d *device) requested(l *listener, e *C.struct_p4ce_event) {
	id := e.id
	c, err := d.newConn()
	if l == nil || err != nil {
		_, _ = C.rdma_reject(id, nil, 0)
		C.rdma_destroy_id(id)
		if c != nil {
			c.destroyID()
		}
		return
	}
	var peer C.uint32_t
	C.p4ce_peer(id, &peer)
	C.p4ce_set_context(id, C.uintptr_t(c.handle))
	c.id, c.remote = id, cooked(peer)
	c.responder, c.initiator = int(e.responder_resources), int(e.initiator_depth)
	r := &request{c: c, private: private(e)}
	select {
	case l.requests <- r:
	default:
		d.log.Warn("connection request rejected: too many are waiting", "peer", c.remote, "port", l.port)
		_ = r.Reject(nil)
		return
	}
	select {
	case <-l.done:
		// Closed meanwhile, perhaps after it emptied the queue.
		select {
		case r := <-l.requests:
			_ = r.Reject(nil)
		default:
		}
	default:
	}
}

func (r *request) Private() []byte        { return r.private }
func (r *request) RemoteAddr() netip.Addr { return r.c.remote }

func (r *request) Reject(private []byte) error {
	if err := check(fmt.Sprintf("reject %v", r.c.remote), private, cm.REJPrivateLen); err != nil {
		return err
	}
	c := r.c
	c.idMu.Lock()
	err := rdma.ErrClosed
	if c.id != nil {
		data := C.CBytes(private)
		var n C.int
		n, err = C.rdma_reject(c.id, data, C.uint8_t(len(private)))
		err = result(n, err)
		C.free(data)
	}
	c.idMu.Unlock()
	c.End(rdma.ErrClosed)
	c.destroyID()
	if err != nil {
		return fmt.Errorf("reject %v: %w", c.remote, err)
	}
	return nil
}

func (r *request) Accept(ctx context.Context, q rdma.QP, private []byte) (rdma.Conn, error) {
	c, p := r.c, q.(*qp)
	return settle(ctx, c, p, r.accept(p, private), "accept", c.remote)
}

func (r *request) accept(q *qp, private []byte) error {
	if err := check("reply", private, cm.REPPrivateLen); err != nil {
		return err
	}
	c := r.c
	if err := q.take(c); err != nil {
		return err
	}
	c.idMu.Lock()
	defer c.idMu.Unlock()
	if c.id == nil {
		return rdma.ErrClosed
	}
	if err := c.Err(); err != nil {
		return err // the peer gave up
	}
	c.qp = q
	c.mu.Lock()
	c.private = r.private
	c.mu.Unlock()
	responder, initiator := min(c.responder, q.cfg.MaxReads), min(c.initiator, q.cfg.MaxReads)
	if err := q.toReady(c.id, responder, initiator); err != nil {
		return err
	}
	p := C.struct_rdma_conn_param{
		private_data_len: C.uint8_t(len(private)), responder_resources: C.uint8_t(responder), initiator_depth: C.uint8_t(initiator),
		flow_control: 1, rnr_retry_count: C.uint8_t(qpattr.Retries(q.cfg.RNRRetry, rc.RetryForever)), qp_num: C.uint32_t(q.num),
	}
	data := C.CBytes(private)
	defer C.free(data)
	return errno(C.p4ce_accept(c.id, &p, data))
}
