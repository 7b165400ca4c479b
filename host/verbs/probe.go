//go:build verbs && cgo && linux

package verbs

// #include "glue.h"
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
)

// Probe opens a device, finds out what it can do, and closes it.
func Probe(ctx context.Context, o Options) (Report, error) {
	o.setDefaults()
	d, err := open(o)
	if err != nil {
		return Report{}, err
	}
	defer d.Close()
	r := Report{
		Device: d.choice.Device.Name, Driver: d.choice.Device.Driver, Firmware: C.GoString(&d.attr.fw_ver[0]),
		Port: d.choice.Port.Number, Active: d.port.state == C.IBV_PORT_ACTIVE, MTU: mtuBytes(d.port.active_mtu),
		GIDIndex: d.choice.GID.Index, Addr: d.choice.GID.Addr,
		MaxQP: int(d.attr.max_qp), MaxCQE: int(d.attr.max_cqe), MaxSendWR: int(d.attr.max_qp_wr),
		MaxMR: int(d.attr.max_mr), MaxMRSize: uint64(d.attr.max_mr_size), MaxReads: int(d.attr.max_qp_rd_atom),
		MaxMessage: uint64(d.port.max_msg_sz), MaxInline: d.inline, Atomics: d.attr.atomic_cap != C.IBV_ATOMIC_NONE, ResizeCQ: d.resize,
	}
	d.probeAccess(ctx, &r)
	return r, nil
}

// inlineSizes are the inline sizes that are tried, largest first. More than the
// largest costs more in copying than it saves.
var inlineSizes = []int{512, 400, 256, 220, 188, 128, 64, 0}

// probeQueues finds out how much inline data a queue pair can have, and whether
// completion queues can grow.
func (d *device) probeQueues() error {
	q, err := d.newCQ(16)
	if err != nil {
		return err
	}
	defer func() {
		d.mu.Lock()
		delete(d.cqs, q)
		d.mu.Unlock()
		q.destroy()
	}()
	var last error
	for _, n := range inlineSizes {
		attr := d.initAttr(q, q, min(defaultQueue, int(d.attr.max_qp_wr)), min(defaultQueue, int(d.attr.max_qp_wr)), n)
		p, err := C.ibv_create_qp(d.own.pd, &attr)
		if p == nil {
			last = err
			continue
		}
		d.inline, last = n, nil
		if err := errno(C.ibv_destroy_qp(p)); err != nil {
			return fmt.Errorf("queue pair: %w", err)
		}
		break
	}
	if last != nil {
		return fmt.Errorf("queue pair: %w", last)
	}
	d.resize = C.ibv_resize_cq(q.cq, 64) == 0
	return nil
}

// probeAccess finds out how rights can be changed, by connecting the device to
// itself, and settles the method if it is open.
func (d *device) probeAccess(ctx context.Context, r *Report) {
	ended, flags := d.tryMethod(ctx, AccessFlags)
	r.FlagsInRTS, r.RevokedGets = outcome(flags), ended
	ended, cycle := d.tryMethod(ctx, AccessCycle)
	r.StateCycle = outcome(cycle)
	if r.RevokedGets == "" {
		r.RevokedGets = ended
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.o.Access == AccessAuto {
		d.method = AccessAuto
		if flags != nil && cycle == nil {
			d.method = AccessCycle
		}
	}
}

func outcome(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// tryMethod takes the right to write away and gives it back, then takes it away
// for good, by one method, while the queue pair is ready-to-send, and looks whether a
// WRITE is executed. It returns how the refused one ended.
func (d *device) tryMethod(ctx context.Context, m AccessMethod) (ended string, err error) {
	d.mu.Lock()
	was := d.method
	d.method = m
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.method = was
		d.mu.Unlock()
	}()
	buf, err := d.Alloc(64)
	if err != nil {
		return "", err
	}
	defer d.Free(buf)
	region, err := d.RegisterMemory(buf, rdma.LocalWrite|rdma.RemoteWrite)
	if err != nil {
		return "", err
	}
	defer d.DeregisterMemory(region)
	active, passive, err := d.toItself(ctx)
	if err != nil {
		return "", fmt.Errorf("not tried: the device does not connect to itself: %w", err)
	}
	defer active.Close()
	defer passive.Close()
	write := func(text string) (rdma.Status, error) {
		if _, err := active.QP().PostSend(rdma.SendWR{ID: 1, Op: rdma.OpWrite, Local: []byte(text), VA: region.Addr(), RKey: region.Key()}); err != nil {
			return 0, err
		}
		var c [1]rdma.Completion
		for active.QP().SendCQ().Poll(c[:]) == 0 {
			if err := active.QP().SendCQ().Wait(ctx); err != nil {
				return 0, err
			}
		}
		return c[0].Status, nil
	}
	for _, a := range []rdma.Access{0, rdma.RemoteWrite} {
		if err := passive.QP().SetAccess(a); err != nil {
			return "", err
		}
	}
	s, err := write("granted")
	if err != nil {
		return "", err
	}
	if s != rdma.StatusOK || !bytes.HasPrefix(buf, []byte("granted")) {
		return "", fmt.Errorf("rights that are restored have no effect: %v", s)
	}
	if err := passive.QP().SetAccess(0); err != nil {
		return "", err
	}
	if s, err = write("refused"); err != nil {
		return "", err
	}
	if s == rdma.StatusOK || !bytes.HasPrefix(buf, []byte("granted")) {
		return "", fmt.Errorf("rights that are revoked stay in effect: %v", s)
	}
	return s.String(), nil
}

// toItself connects two queue pairs of the device.
func (d *device) toItself(ctx context.Context) (active, passive rdma.Conn, err error) {
	l, err := d.listen(0)
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	cfg := rdma.QPConfig{Access: rdma.RemoteWrite, SendQueue: 4, RecvQueue: 4}
	a, err := d.CreateQP(cfg)
	if err != nil {
		return nil, nil, err
	}
	accepted := make(chan error, 1)
	go func() {
		accepted <- func() error {
			r, err := l.Accept(ctx)
			if err != nil {
				return err
			}
			q, err := d.CreateQP(cfg)
			if err != nil {
				return err
			}
			passive, err = r.Accept(ctx, q, nil)
			return err
		}()
	}()
	active, err = d.Dial(ctx, netip.AddrPortFrom(d.Addr(), l.port), a, nil)
	if err != nil {
		_ = l.Close()
	}
	if e := <-accepted; err == nil && e != nil {
		_ = active.Close()
		err = e
	} else if err != nil && e == nil {
		_ = passive.Close()
	}
	return active, passive, err
}
