//go:build verbs && cgo && linux

package verbs

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#cgo LDFLAGS: -lrdmacm -libverbs
#cgo noescape p4ce_post_send
#cgo nocallback p4ce_post_send
#cgo noescape p4ce_post_recv
#cgo nocallback p4ce_post_recv
#cgo noescape p4ce_poll
#cgo nocallback p4ce_poll
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/verbs/internal/pages"
)

// Built says whether the provider is part of this binary.
const Built = true

// device is an RDMA device opened by this process.
//
// Locks, in the order in which they are taken: conn.idMu, cq.mu (of several queues
// the older first), qp.mu, and the leaves device.mu and conn.mu, under which nothing
// is called.
type device struct {
	o      Options
	choice Choice
	log    *slog.Logger

	ctx     *C.struct_ibv_context
	own     *domain // of what names none
	channel *C.struct_rdma_event_channel
	attr    C.struct_ibv_device_attr
	port    C.struct_ibv_port_attr
	inline  int // largest inline data of a queue pair as we make them
	resize  bool

	set  pages.Set
	pool pages.Pool

	cmEvents    *os.File // duplicates of the descriptors, for Go's poller
	asyncEvents *os.File
	done        chan struct{}
	wg          sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	method    AccessMethod
	next      uintptr // handle
	age       uint64  // of the newest completion queue
	conns     map[uintptr]*conn
	listeners map[uintptr]*listener
	qps       map[uint32]*qp
	cqs       map[*cq]struct{}
	mrs       map[*mr]struct{}
	domains   map[*domain]struct{}
}

// Open opens the device that o asks for. Its caller closes it.
func Open(o Options) (rdma.Device, error) {
	o.setDefaults()
	d, err := open(o)
	if err != nil {
		return nil, err
	}
	if o.Access == AccessAuto {
		ctx, cancel := context.WithTimeout(context.Background(), probeTime)
		defer cancel()
		var r Report
		d.probeAccess(ctx, &r)
		d.log.Info("rdma device probed", "device", d.choice.Device.Name, "flags", r.FlagsInRTS, "cycle", r.StateCycle, "access", d.accessMethod())
	}
	return d, nil
}

func open(o Options) (*device, error) {
	devs, err := Devices(Sysfs())
	if err != nil {
		return nil, err
	}
	choice, err := Select(devs, o)
	if err != nil {
		return nil, err
	}
	d := &device{
		o: o, choice: choice, log: o.Log, method: o.Access, done: make(chan struct{}),
		conns: map[uintptr]*conn{}, listeners: map[uintptr]*listener{}, qps: map[uint32]*qp{}, cqs: map[*cq]struct{}{}, mrs: map[*mr]struct{}{},
		domains: map[*domain]struct{}{},
	}
	d.set.Register, d.set.Forget = d.register, d.forget
	d.pool.Set = &d.set
	if err := d.start(); err != nil {
		d.release()
		return nil, fmt.Errorf("rdma device %s: %w", choice.Device.Name, err)
	}
	return d, nil
}

func (d *device) start() error {
	var err error
	if d.ctx, err = openContext(d.choice.Device.Name); err != nil {
		return err
	}
	if err := errno(C.ibv_query_device(d.ctx, &d.attr)); err != nil {
		return fmt.Errorf("query: %w", err)
	}
	if err := errno(C.p4ce_query_port(d.ctx, C.int(d.choice.Port.Number), &d.port)); err != nil {
		return fmt.Errorf("query port %d: %w", d.choice.Port.Number, err)
	}
	var e error
	if d.own, err = d.newDomain(); err != nil {
		return err
	}
	if d.channel, e = C.rdma_create_event_channel(); d.channel == nil {
		return fmt.Errorf("connection management: %w (is the module rdma_ucm loaded, and may this user open /dev/infiniband/rdma_cm?)", e)
	}
	if err := d.probeQueues(); err != nil {
		return err
	}
	if d.cmEvents, err = watched(d.channel.fd, "rdma_cm events"); err != nil {
		return err
	}
	if d.asyncEvents, err = watched(d.ctx.async_fd, "rdma device events"); err != nil {
		return err
	}
	d.wg.Add(2)
	go d.manage()
	go d.supervise()
	return nil
}

func openContext(name string) (*C.struct_ibv_context, error) {
	var n C.int
	list, err := C.ibv_get_device_list(&n)
	if list == nil {
		return nil, fmt.Errorf("list of devices: %w (is the module ib_uverbs loaded?)", err)
	}
	defer C.ibv_free_device_list(list)
	for _, dev := range unsafe.Slice(list, int(n)) {
		if C.GoString(C.ibv_get_device_name(dev)) != name {
			continue
		}
		ctx, err := C.ibv_open_device(dev)
		if ctx == nil {
			return nil, fmt.Errorf("open: %w (this user must be able to read and write /dev/infiniband/uverbs*)", err)
		}
		return ctx, nil
	}
	return nil, errors.New("libibverbs has no driver for it (install ibverbs-providers)")
}

// watched makes a descriptor non-blocking and gives a duplicate to Go's poller.
// Both are the same open file, so readiness is shared, and each can be closed by
// its owner.
func watched(fd C.int, name string) (*os.File, error) {
	if err := errno(C.p4ce_nonblock(fd)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return os.NewFile(uintptr(dup), name), nil
}

// await calls take until it has something or fails, and waits for f in between.
func await(f *os.File, take func() syscall.Errno) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var e syscall.Errno
	err = raw.Read(func(uintptr) bool {
		e = take()
		return e != syscall.EAGAIN && e != syscall.EINTR
	})
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return err
	case err != nil:
		// Package os does not translate this one.
		return fmt.Errorf("%w: %w", os.ErrClosed, err)
	case e != 0:
		return e
	}
	return nil
}

// errno converts what the C side returns.
func errno(e C.int) error {
	if e == 0 {
		return nil
	}
	if e < 0 {
		e = -e
	}
	return syscall.Errno(e)
}

// result is errno for the functions of librdmacm, which return -1 and set it.
func result(r C.int, e error) error {
	if r == 0 {
		return nil
	}
	if e == nil {
		return errors.New("failed")
	}
	return e
}

func (d *device) Addr() netip.Addr { return d.choice.GID.Addr }

// raw is the device's address as C wants it.
func raw(a netip.Addr) C.uint32_t {
	b := a.As4()
	return C.uint32_t(binary.NativeEndian.Uint32(b[:]))
}

func cooked(a C.uint32_t) netip.Addr {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], uint32(a))
	return netip.AddrFrom4(b)
}

func (d *device) accessMethod() AccessMethod {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.method
}

func (d *device) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// supervise is the goroutine for what the device reports by itself.
func (d *device) supervise() {
	defer d.wg.Done()
	for {
		var e C.struct_p4ce_async
		err := await(d.asyncEvents, func() syscall.Errno { return syscall.Errno(C.p4ce_async_event(d.ctx, &e)) })
		if err != nil {
			if !d.isClosed() {
				d.log.Error("rdma device events ended", "device", d.choice.Device.Name, "err", err)
			}
			return
		}
		d.mu.Lock()
		q := d.qps[uint32(e.qpn)]
		d.mu.Unlock()
		what := C.GoString(C.ibv_event_type_str(uint32(e._type)))
		switch e._type {
		case C.IBV_EVENT_QP_FATAL, C.IBV_EVENT_QP_REQ_ERR, C.IBV_EVENT_QP_ACCESS_ERR:
			if q != nil {
				q.broken(fmt.Errorf("rdma device %s: %s", d.choice.Device.Name, what))
			}
		case C.IBV_EVENT_COMM_EST:
			if q != nil {
				q.heard()
			}
		case C.IBV_EVENT_DEVICE_FATAL:
			d.log.Error("rdma device failed", "device", d.choice.Device.Name)
			d.endAll(fmt.Errorf("rdma device %s: %s", d.choice.Device.Name, what))
		case C.IBV_EVENT_CQ_ERR:
			d.log.Error("completion queue overran", "device", d.choice.Device.Name)
			d.endAll(fmt.Errorf("rdma device %s: %s", d.choice.Device.Name, what))
		default:
			d.log.Info("rdma device event", "device", d.choice.Device.Name, "event", what)
		}
	}
}

// endAll ends all connections because of err.
func (d *device) endAll(err error) {
	for _, c := range d.listConns() {
		c.End(err)
	}
}

func (d *device) listConns() []*conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	var l []*conn
	for _, c := range d.conns {
		l = append(l, c)
	}
	return l
}

func (d *device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return rdma.ErrClosed
	}
	d.closed = true
	close(d.done)
	var ls []*listener
	for _, l := range d.listeners {
		ls = append(ls, l)
	}
	var qps []*qp
	for _, q := range d.qps {
		qps = append(qps, q)
	}
	var mrs []*mr
	for m := range d.mrs {
		mrs = append(mrs, m)
	}
	d.mu.Unlock()
	for _, l := range ls {
		_ = l.Close()
	}
	// Before any of them can learn of the end of another one here.
	d.endAll(rdma.ErrClosed)
	for _, c := range d.listConns() {
		_ = c.Close()
	}
	for _, q := range qps {
		q.Destroy()
	}
	for _, m := range mrs {
		d.DeregisterMemory(m)
	}
	_ = d.cmEvents.Close()
	_ = d.asyncEvents.Close()
	d.wg.Wait()
	// Those whose peers have not answered yet.
	for _, c := range d.listConns() {
		c.destroyID()
	}
	d.release()
	return nil
}

// release gives back what start has made.
func (d *device) release() {
	d.mu.Lock()
	cqs := d.cqs
	d.cqs = map[*cq]struct{}{}
	d.mu.Unlock()
	for q := range cqs {
		q.destroy()
	}
	if d.own != nil {
		if err := d.set.Forgotten(); err != nil {
			d.log.Error("memory not released", "device", d.choice.Device.Name, "err", err)
		}
	}
	if d.channel != nil {
		C.rdma_destroy_event_channel(d.channel)
	}
	d.mu.Lock()
	domains := slices.Collect(maps.Keys(d.domains))
	d.mu.Unlock()
	for _, p := range domains {
		if err := p.Close(); err != nil {
			d.log.Error("not released", "err", err)
		}
	}
	if d.ctx != nil {
		C.ibv_close_device(d.ctx)
	}
}

// probeTime bounds what Open spends on finding out how rights are changed.
const probeTime = 3 * time.Second

// check refuses private data that do not fit.
func check(what string, private []byte, limit int) error {
	if len(private) > limit {
		return fmt.Errorf("%s: private data of %d bytes (at most %d fit)", what, len(private), limit)
	}
	return nil
}
