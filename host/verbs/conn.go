//go:build verbs && cgo && linux

package verbs

// #include <stdlib.h>
// #include "glue.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/p4ce/p4ce/host/internal/life"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/verbs/internal/qpattr"
	"github.com/p4ce/p4ce/roce/cm"
)

// resolveTime is how long the kernel looks for a peer's Ethernet address, and for
// a route to it.
const resolveTime = 5 * time.Second

// conn is an rdma_cm identifier and the queue pair that goes with it.
type conn struct {
	d      *device
	handle uintptr // what the identifier's context is
	remote netip.Addr
	*life.Life

	// Of the REQ that asked for the connection: what both sides can do at once.
	responder, initiator int
	request              *request // on the passive side, until it is answered

	// idMu guards the identifier, and is held while it is used.
	idMu         sync.Mutex
	id           *C.struct_rdma_cm_id
	qp           *qp
	offer        []byte // private data of the REQ
	disconnected bool   // rdma_disconnect was called
	gone         bool   // the peer has disconnected, or answered that we have

	mu      sync.Mutex // guards what follows; a leaf
	private []byte
}

// newConn makes a connection and gives it a handle.
func (d *device) newConn() (*conn, error) {
	c := &conn{d: d, Life: life.New()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, rdma.ErrClosed
	}
	d.next++
	c.handle = d.next
	d.conns[c.handle] = c
	return c, nil
}

func (c *conn) QP() rdma.QP            { return c.qp }
func (c *conn) RemoteAddr() netip.Addr { return c.remote }

func (c *conn) Private() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.private
}

// answered establishes the connection with the private data of the REP.
func (c *conn) answered(private []byte) {
	c.mu.Lock()
	c.private = private
	c.mu.Unlock()
	c.Establish()
}

func (c *conn) Close() error {
	c.End(rdma.ErrClosed)
	c.idMu.Lock()
	q := c.qp
	destroy := true
	if c.id != nil {
		if !c.disconnected && c.Up() {
			c.disconnected = true
			// While the peer does not answer, the kernel repeats the DREQ.
			r, e := C.rdma_disconnect(c.id)
			destroy = result(r, e) != nil
		} else if c.disconnected && !c.gone {
			destroy = false // closed before
		}
	}
	c.idMu.Unlock()
	if q != nil {
		q.Destroy()
	}
	if destroy {
		c.destroyID()
	}
	return nil
}

// destroyID frees the identifier and forgets the connection.
func (c *conn) destroyID() {
	c.idMu.Lock()
	if c.id != nil {
		C.rdma_destroy_id(c.id)
		c.id = nil
	}
	c.idMu.Unlock()
	c.d.mu.Lock()
	delete(c.d.conns, c.handle)
	c.d.mu.Unlock()
}

// manage is the goroutine for events of connection management.
func (d *device) manage() {
	defer d.wg.Done()
	var e C.struct_p4ce_event
	for {
		err := await(d.cmEvents, func() syscall.Errno { return syscall.Errno(C.p4ce_cm_event(d.channel, &e)) })
		if err != nil {
			if !d.isClosed() {
				d.log.Error("rdma_cm events ended", "device", d.choice.Device.Name, "err", err)
				d.endAll(fmt.Errorf("rdma device %s: connection management: %w", d.choice.Device.Name, err))
			}
			return
		}
		d.log.Debug("rdma_cm event", "event", C.GoString(C.rdma_event_str(uint32(e._type))), "status", int(e.status), "handle", uintptr(e.context))
		d.mu.Lock()
		c, l := d.conns[uintptr(e.context)], d.listeners[uintptr(e.context)]
		d.mu.Unlock()
		switch {
		case e._type == C.RDMA_CM_EVENT_CONNECT_REQUEST:
			d.requested(l, &e)
		case c != nil:
			c.event(&e)
		}
	}
}

func private(e *C.struct_p4ce_event) []byte {
	return C.GoBytes(unsafe.Pointer(&e.private_data[0]), e.private_len)
}

// event takes an event about this connection.
func (c *conn) event(e *C.struct_p4ce_event) {
	c.idMu.Lock()
	defer c.idMu.Unlock()
	if c.id == nil {
		return
	}
	switch e._type {
	case C.RDMA_CM_EVENT_ADDR_RESOLVED:
		r, err := C.rdma_resolve_route(c.id, C.int(resolveTime/time.Millisecond))
		c.fail("route", result(r, err))
	case C.RDMA_CM_EVENT_ROUTE_RESOLVED:
		c.fail("connect", c.connect())
	case C.RDMA_CM_EVENT_CONNECT_RESPONSE:
		err := c.qp.toReady(c.id, c.qp.cfg.MaxReads, c.qp.cfg.MaxReads)
		if err == nil {
			r, e := C.rdma_establish(c.id)
			err = result(r, e)
		}
		if err != nil {
			_, _ = C.rdma_reject(c.id, nil, 0)
			c.fail("reply", err)
			return
		}
		c.answered(private(e))
	case C.RDMA_CM_EVENT_ESTABLISHED:
		c.Establish()
	case C.RDMA_CM_EVENT_ADDR_ERROR:
		c.End(fmt.Errorf("address not resolved: %w (no route, or no answer to ARP)", eventError(e.status)))
	case C.RDMA_CM_EVENT_ROUTE_ERROR:
		c.End(fmt.Errorf("route not resolved: %w", eventError(e.status)))
	case C.RDMA_CM_EVENT_CONNECT_ERROR:
		c.End(fmt.Errorf("connection not established: %w", eventError(e.status)))
	case C.RDMA_CM_EVENT_UNREACHABLE:
		c.End(rdma.ErrTimeout)
	case C.RDMA_CM_EVENT_REJECTED:
		if reason := cm.Reason(e.status); reason == cm.ReasonStaleConnection {
			c.End(rdma.ErrStale)
		} else {
			c.End(&rdma.RejectedError{Reason: reason, Private: private(e)})
		}
	case C.RDMA_CM_EVENT_DISCONNECTED:
		c.gone = true
		if c.disconnected {
			// The answer to our DREQ. The identifier has served.
			c.idMu.Unlock()
			c.destroyID()
			c.idMu.Lock()
			return
		}
		c.disconnected = true
		if c.qp != nil {
			c.qp.drain() // a request that the peer refused before says why the connection ends
		}
		c.End(rdma.ErrDisconnected)
		if c.qp != nil {
			c.qp.stop()
		}
		// This is how the kernel is asked for the DREP.
		_, _ = C.rdma_disconnect(c.id)
	case C.RDMA_CM_EVENT_DEVICE_REMOVAL:
		c.End(fmt.Errorf("rdma device %s was removed", c.d.choice.Device.Name))
	}
}

// fail ends a connection that cannot go on.
func (c *conn) fail(what string, err error) {
	if err != nil {
		c.End(fmt.Errorf("%s: %w", what, err))
	}
}

func eventError(status C.int) error {
	if status < 0 {
		return syscall.Errno(-status)
	}
	return fmt.Errorf("status %d", int(status))
}

// heard takes data for an RTU.
func (c *conn) heard() {
	c.idMu.Lock()
	defer c.idMu.Unlock()
	if c.id != nil && !c.Up() {
		_, _ = C.rdma_notify(c.id, C.IBV_EVENT_COMM_EST)
	}
}

func (d *device) Dial(ctx context.Context, to netip.AddrPort, q rdma.QP, private []byte) (rdma.Conn, error) {
	p := q.(*qp)
	c, err := d.dial(to, p, private)
	return settle(ctx, c, p, err, "connect to", to)
}

// settle waits until a connection that has been begun with a queue pair is established, on either
// side. err says that it could not be begun; c may be nil then.
func settle(ctx context.Context, c *conn, q *qp, err error, what string, peer fmt.Stringer) (rdma.Conn, error) {
	if err == nil {
		if err = c.Await(ctx); err == nil {
			return c, nil
		}
	}
	if c != nil {
		_ = c.Close()
	}
	q.Destroy()
	return nil, fmt.Errorf("%s %v: %w", what, peer, err)
}

func (d *device) dial(to netip.AddrPort, q *qp, private []byte) (*conn, error) {
	if !to.Addr().Unmap().Is4() {
		return nil, errors.New("address is not IPv4")
	}
	if err := check("request", private, cm.REQUserLen); err != nil {
		return nil, err
	}
	c, err := d.newConn()
	if err != nil {
		return nil, err
	}
	if err := q.take(c); err != nil {
		c.destroyID()
		return nil, err
	}
	c.remote, c.offer = to.Addr().Unmap(), append([]byte(nil), private...)
	c.idMu.Lock()
	defer c.idMu.Unlock()
	c.qp = q
	if err := errno(C.p4ce_create_id(d.channel, &c.id, C.uintptr_t(c.handle))); err != nil {
		return c, err
	}
	c.setOptions()
	err = errno(C.p4ce_resolve(c.id, raw(d.Addr()), raw(c.remote), C.uint16_t(to.Port()), C.int(resolveTime/time.Millisecond)))
	return c, err
}

// take binds a queue pair to a connection.
func (q *qp) take(c *conn) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.conn != nil {
		return fmt.Errorf("queue pair %#x is in use", q.num)
	}
	if q.qp == nil {
		return fmt.Errorf("queue pair %#x is destroyed", q.num)
	}
	q.conn = c
	return nil
}

// setOptions sets what the peer learns from the REQ, which is the time-out, and what
// the kernel puts into packets. A kernel that knows no such option (before 5.10)
// leaves the peer with its default.
func (c *conn) setOptions() {
	t := C.uint8_t(qpattr.AckTimeout(c.qp.cfg.AckTimeout))
	r, err := C.rdma_set_option(c.id, C.RDMA_OPTION_ID, C.RDMA_OPTION_ID_ACK_TIMEOUT, unsafe.Pointer(&t), 1)
	if err := result(r, err); err != nil {
		c.d.log.Debug("ACK timeout not announced", "err", err)
	}
	if tos := C.uint8_t(c.qp.cfg.TOS); tos != 0 {
		r, err := C.rdma_set_option(c.id, C.RDMA_OPTION_ID, C.RDMA_OPTION_ID_TOS, unsafe.Pointer(&tos), 1)
		if err := result(r, err); err != nil {
			c.d.log.Warn("type of service not set", "tos", c.qp.cfg.TOS, "err", err)
		}
	}
}

// connect sends the REQ.
func (c *conn) connect() error {
	q := c.qp
	p := C.struct_rdma_conn_param{
		private_data_len: C.uint8_t(len(c.offer)), responder_resources: C.uint8_t(q.cfg.MaxReads), initiator_depth: C.uint8_t(q.cfg.MaxReads),
		flow_control: 1, retry_count: C.uint8_t(qpattr.Retries(q.cfg.Retry, qpattr.MaxRetry)), rnr_retry_count: C.uint8_t(qpattr.Retries(q.cfg.RNRRetry, rc.RetryForever)),
		qp_num: C.uint32_t(q.num),
	}
	data := C.CBytes(c.offer)
	defer C.free(data)
	return errno(C.p4ce_connect(c.id, &p, data))
}

// toReady takes the queue pair to ready-to-receive and ready-to-send with what
// connection management has agreed on.
func (q *qp) toReady(id *C.struct_rdma_cm_id, responder, initiator int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.qp == nil {
		return rdma.ErrClosed
	}
	var attr C.struct_ibv_qp_attr
	var mask C.int
	attr.qp_state = C.IBV_QPS_RTR
	r, err := C.rdma_init_qp_attr(id, &attr, &mask)
	if err := result(r, err); err != nil {
		return fmt.Errorf("queue pair %#x: attributes: %w", q.num, err)
	}
	if err := q.d.checkGID(int(attr.ah_attr.grh.sgid_index)); err != nil {
		return err
	}
	if err := q.d.checkMTU(attr.path_mtu); err != nil {
		return err
	}
	attr.max_dest_rd_atomic = C.uint8_t(min(int(attr.max_dest_rd_atomic), responder))
	attr.min_rnr_timer = C.uint8_t(qpattr.RNRDelay(q.cfg.RNRDelay))
	attr.qp_access_flags = q.flags()
	if err := q.modify("ready-to-receive", &attr, mask|C.IBV_QP_MIN_RNR_TIMER|C.IBV_QP_ACCESS_FLAGS); err != nil {
		return err
	}
	q.state = rdma.StateRTR
	attr = C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_RTS}
	r, err = C.rdma_init_qp_attr(id, &attr, &mask)
	if err := result(r, err); err != nil {
		return fmt.Errorf("queue pair %#x: attributes: %w", q.num, err)
	}
	attr.max_rd_atomic = C.uint8_t(min(int(attr.max_rd_atomic), initiator))
	attr.timeout = C.uint8_t(qpattr.AckTimeout(q.cfg.AckTimeout))
	attr.retry_cnt = C.uint8_t(qpattr.Retries(q.cfg.Retry, qpattr.MaxRetry))
	attr.rnr_retry = C.uint8_t(qpattr.Retries(q.cfg.RNRRetry, rc.RetryForever))
	if err := q.modify("ready-to-send", &attr, mask|C.IBV_QP_TIMEOUT|C.IBV_QP_RETRY_CNT|C.IBV_QP_RNR_RETRY); err != nil {
		return err
	}
	q.state = rdma.StateRTS
	return nil
}

// checkGID makes sure that the kernel has chosen a GID of RoCE v2: the switch knows
// no other.
func (d *device) checkGID(index int) error {
	// "" when it cannot be told; it was right when the device was opened.
	kind := read(Sysfs(), fmt.Sprintf("%s/ports/%d/gid_attrs/types/%d", d.choice.Device.Name, d.choice.Port.Number, index))
	if kind != "" && kind != RoCEv2 {
		return fmt.Errorf("rdma device %s: the kernel took GID index %d, which is of type %q (echo %q > /sys/kernel/config/rdma_cm/%s/ports/%d/default_roce_mode)",
			d.choice.Device.Name, index, kind, RoCEv2, d.choice.Device.Name, d.choice.Port.Number)
	}
	return nil
}

// checkMTU makes sure that the link carries the path MTU that the active side has
// asked for. Devices do not look, and what they send would be lost.
func (d *device) checkMTU(path C.enum_ibv_mtu) error {
	var port C.struct_ibv_port_attr
	if err := errno(C.p4ce_query_port(d.ctx, C.int(d.choice.Port.Number), &port)); err != nil {
		return fmt.Errorf("rdma device %s: query port: %w", d.choice.Device.Name, err)
	}
	if path > port.active_mtu {
		return fmt.Errorf("the peer requests path mtu %d, but the link of %s carries %d (give the interfaces of all servers the same mtu)",
			mtuBytes(path), d.choice.Device.Name, mtuBytes(port.active_mtu))
	}
	return nil
}

// mtuBytes decodes an MTU: 1 is 256, 5 is 4096.
func mtuBytes(m C.enum_ibv_mtu) int { return 128 << m }
