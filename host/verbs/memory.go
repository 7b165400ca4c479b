//go:build verbs && cgo && linux

package verbs

// #include "glue.h"
import "C"

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/host/verbs/internal/pages"
)

func (d *device) Alloc(n int) ([]byte, error) {
	if d.isClosed() {
		return nil, rdma.ErrClosed
	}
	a, err := d.set.Alloc(n)
	if err != nil {
		return nil, fmt.Errorf("rdma device %s: %w", d.choice.Device.Name, err)
	}
	return a.Mem, nil
}

func (d *device) Free(buf []byte) {
	found, err := d.set.Free(buf)
	if err != nil || !found {
		d.log.Error("memory not freed", "device", d.choice.Device.Name, "bytes", len(buf), "allocated", found, "err", err)
	}
}

// register makes an area usable as a local buffer.
func (d *device) register(a *pages.Area) error {
	m, err := d.own.regMR(a.Mem, C.IBV_ACCESS_LOCAL_WRITE)
	if err != nil {
		return err
	}
	a.Data, a.LKey = m, uint32(m.lkey)
	return nil
}

func (d *device) forget(a *pages.Area) error {
	m, ok := a.Data.(*C.struct_ibv_mr)
	if !ok {
		return nil // the device was closed before
	}
	if err := errno(C.ibv_dereg_mr(m)); err != nil {
		return err
	}
	a.Data = nil
	return nil
}

func (p *domain) regMR(buf []byte, access C.int) (*C.struct_ibv_mr, error) {
	m, err := C.p4ce_reg_mr(p.pd, unsafe.Pointer(unsafe.SliceData(buf)), C.size_t(len(buf)), access)
	if m != nil {
		return m, nil
	}
	if err == syscall.ENOMEM {
		return nil, fmt.Errorf("register %d bytes: %w (locked memory may be limited: ulimit -l, or LimitMEMLOCK=infinity in the unit)", len(buf), err)
	}
	return nil, fmt.Errorf("register %d bytes: %w", len(buf), err)
}

func ibvAccess(a rdma.Access) C.uint {
	var f C.uint
	for _, p := range []struct {
		a rdma.Access
		f C.uint
	}{
		{rdma.LocalWrite, C.IBV_ACCESS_LOCAL_WRITE},
		{rdma.RemoteRead, C.IBV_ACCESS_REMOTE_READ},
		{rdma.RemoteWrite, C.IBV_ACCESS_REMOTE_WRITE},
		{rdma.RemoteAtomic, C.IBV_ACCESS_REMOTE_ATOMIC},
	} {
		if a&p.a != 0 {
			f |= p.f
		}
	}
	return f
}

// mr is a registered region.
type mr struct {
	d   *device
	buf []byte
	key uint32

	mu *sync.RWMutex // between readers and writers of this process

	watch sync.Mutex // guards what follows
	c     *C.struct_ibv_mr
	stop  chan struct{} // ends the watching goroutine, nil if there is none
}

func (d *device) RegisterMemory(buf []byte, access rdma.Access) (rdma.MR, error) {
	return d.own.RegisterMemory(buf, access)
}

func (d *device) ShareMemory(r rdma.MR, access rdma.Access) (rdma.MR, error) {
	return d.own.ShareMemory(r, access)
}

func (p *domain) RegisterMemory(buf []byte, access rdma.Access) (rdma.MR, error) {
	d := p.d
	if len(buf) == 0 {
		return nil, fmt.Errorf("memory region: empty buffer")
	}
	if d.set.Find(buf) == nil {
		return nil, fmt.Errorf("memory region of %d bytes: not from Alloc (a NIC writes it, so it must lie outside the Go heap)", len(buf))
	}
	if access&(rdma.RemoteWrite|rdma.RemoteAtomic) != 0 && access&rdma.LocalWrite == 0 {
		return nil, fmt.Errorf("memory region: access %v (remote writers need local-write too)", access)
	}
	if d.isClosed() {
		return nil, rdma.ErrClosed
	}
	return p.registerMR(buf, access, new(sync.RWMutex))
}

// ShareMemory registers memory that another device has allocated, or that is in
// another domain too.
func (p *domain) ShareMemory(r rdma.MR, access rdma.Access) (rdma.MR, error) {
	o, ok := r.(*mr)
	if !ok {
		return nil, fmt.Errorf("memory region: %T is not memory of an RDMA device (all interfaces of a server must be of one kind)", r)
	}
	if p.d.isClosed() {
		return nil, rdma.ErrClosed
	}
	return p.registerMR(o.buf, access, o.mu)
}

func (p *domain) registerMR(buf []byte, access rdma.Access, lock *sync.RWMutex) (rdma.MR, error) {
	d := p.d
	c, err := p.regMR(buf, C.int(ibvAccess(access)))
	if err != nil {
		return nil, fmt.Errorf("rdma device %s: %w", d.choice.Device.Name, err)
	}
	m := &mr{d: d, buf: buf, c: c, key: uint32(c.rkey), mu: lock}
	d.mu.Lock()
	d.mrs[m] = struct{}{}
	d.mu.Unlock()
	return m, nil
}

func (d *device) DeregisterMemory(r rdma.MR) {
	m := r.(*mr)
	m.OnRemoteWrite(nil)
	m.watch.Lock()
	c := m.c
	m.c = nil
	m.watch.Unlock()
	if c == nil {
		return
	}
	if err := errno(C.ibv_dereg_mr(c)); err != nil {
		d.log.Error("memory region not deregistered", "device", d.choice.Device.Name, "err", err)
	}
	d.mu.Lock()
	delete(d.mrs, m)
	d.mu.Unlock()
}

func (m *mr) Key() uint32  { return m.key }
func (m *mr) Addr() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.buf)))) }
func (m *mr) Len() int     { return len(m.buf) }

func (m *mr) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.buf)) {
		return 0, rc.ErrBounds
	}
	m.mu.RLock()
	n := copy(p, m.buf[off:])
	m.mu.RUnlock()
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (m *mr) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.buf)) || len(p) > len(m.buf)-int(off) {
		return 0, rc.ErrBounds
	}
	m.mu.Lock()
	copy(m.buf[off:], p)
	m.mu.Unlock()
	return len(p), nil
}

func (m *mr) Read(f func(b []byte)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	f(m.buf)
}

func (m *mr) Write(f func(b []byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.buf)
}

func (m *mr) Uint64(off int64) uint64 {
	b := m.buf[off : off+8]
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(unsafe.SliceData(b))))
}

// OnRemoteWrite calls f regularly: a WRITE announces itself to nobody.
func (m *mr) OnRemoteWrite(f func(off, n int)) {
	m.watch.Lock()
	defer m.watch.Unlock()
	if m.stop != nil {
		close(m.stop)
		m.stop = nil
	}
	if f == nil || m.c == nil {
		return
	}
	stop := make(chan struct{})
	m.stop = stop
	m.d.wg.Go(func() {
		t := time.NewTicker(m.d.o.Watch)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				f(0, len(m.buf))
			case <-stop:
				return
			}
		}
	})
}
