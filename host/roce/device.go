package roce

import (
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// MR is a registered memory region.
type MR = rc.MR

// ErrClosed is returned by calls on a closed device, listener or connection.
var ErrClosed = rdma.ErrClosed

// Options configures a Device. The zero value is usable.
type Options struct {
	// Log receives messages for the operator; nil discards them.
	Log *slog.Logger
	// CM sets the timers of connection management. Open fills in its Seed and GUID.
	CM cmsm.Config
	// Backlog is the number of connection requests that may wait at a listener;
	// more are rejected. Default 128.
	Backlog int
	// Congestion is the default for queue pairs (package dcqcn); nil: none.
	Congestion *dcqcn.Params
	// Responder executes requests of peers in addition to the device, on the same wire; nil: none. The
	// device owns it from now on, even if Open fails.
	Responder Responder
	// Loop has the device run to completion if its wire can be polled (link.Pollable): one goroutine takes frames,
	// calls who serves completion queues, and waits in the kernel. It is for programs that do their work there (rdma.Serve).
	// A program whose other goroutines do it is faster without: then all of them wait in Go's scheduler.
	Loop bool
	// Rest is for how long a Loop lets answers gather while 16 packets or more are under way: waking for each would
	// cost more than what it brings. Default 200 us; negative: it wakes for each.
	Rest time.Duration
	// Farewell tells peers that this process has died; nil: nobody does.
	Farewell Farewell
}

// Responder executes requests of peers beside a device: host/roce/kernel.
type Responder interface {
	// Alloc returns memory that regions which it serves must be made of, nil when there
	// is not so much. Free gives it back, and reports whether it was from there.
	Alloc(n int) []byte
	Free(buf []byte) bool
	// Slot returns a partner for a queue pair in a protection domain, nil when there is
	// no room for it. Release gives it back.
	Slot(qpn, domain uint32) rc.Partner
	Release(rc.Partner)
	// Register and Deregister tell it of regions, of any memory.
	Register(*rc.MR) error
	Deregister(*rc.MR) error
	Close() error
}

// DeviceCounters counts frames that a Device dropped before any queue pair saw them, by cause. Each
// queue pair has counters of its own.
type DeviceCounters struct {
	FramesIn       uint64
	FramesOut      uint64
	DropFrame      uint64 // not a well-formed RoCEv2 packet
	DropAddress    uint64 // to another IP address
	DropQP         uint64 // no such queue pair
	DropCMICRC     uint64 // connection management packet with a wrong ICRC
	DropCM         uint64 // malformed connection management message
	WireErrors     uint64 // failed receives and flushes
	CMUnresolved   uint64 // messages whose receiver's Ethernet address is unknown
	ListenOverflow uint64 // requests rejected because the backlog was full
	LateTimeouts   uint64 // timeouts that were postponed because unread frames had arrived
}

// batch is how many frames are received under one lock.
const batch = 64

// Device is a software RDMA NIC.
type Device struct {
	wire  link.Wire
	info  link.Info
	addr  wire.Addr
	log   *slog.Logger
	opts  Options
	start time.Time
	done  chan struct{}
	wg    sync.WaitGroup
	loops link.Pollable // the wire, nil if the device does not run to completion

	role   sync.Mutex    // who has it takes frames from loops, and has a turn; taken before mu
	frames [batch][]byte // of who has it

	still atomic.Bool  // the loop waits, or is about to,
	until atomic.Int64 // until this time at most

	// mu guards everything below, and the cores.
	mu        sync.Mutex
	closed    bool
	memory    rc.Memory
	domains   uint32 // so many have been made beside the device's own
	qps       map[uint32]*QP
	resting   resting
	dirty     []*QP // have something to send or to report
	queued    bool  // frames queued since the last flush
	silent    bool  // the wire is closed or about to be: send nothing
	agent     *cmsm.Agent
	cmPSN     wire.PSN
	macs      map[wire.Addr]wire.MAC // of peers that connection management talks to, as the wire resolves them
	resolving map[wire.Addr][][]byte // those that are being resolved, and messages that wait for it
	listeners map[uint16]*Listener
	count     DeviceCounters
	packet    wire.Packet
	wakeAt    time.Duration // when the timer fires, cmsm.Never if it does not
	timer     *time.Timer
	unacked   int           // packets under way, of all queue pairs
	turns     int           // so many are under way, at whose end what is queued is handed over
	services  []*service    // of completion queues; replaced, not changed
	arrivals  link.Arrivals // the wire, nil if it does not know
	lateFor   uint64        // so many frames are received before time-outs that were due; 0: none were
	lateAt    time.Duration // when they were due
}

// Open starts a device on w. The device owns w from now on, even if Open fails.
func Open(w link.Wire, opts Options) (*Device, error) {
	info := w.Info()
	addr, ok := wire.AddrFrom(info.Addr)
	if !ok {
		closeAll(w, opts.Responder)
		return nil, fmt.Errorf("device: address %v is not IPv4", info.Addr)
	}
	if wire.PathMTU(info.MTU) == 0 {
		closeAll(w, opts.Responder)
		return nil, fmt.Errorf("device: link mtu %d of %v is too small for path mtu 256", info.MTU, info.Addr)
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if r, ok := w.(link.Reporter); ok {
		r.Report(opts.Log)
	}
	if opts.Rest == 0 {
		opts.Rest = 200 * time.Microsecond
	}
	if opts.Backlog == 0 {
		opts.Backlog = 128
	}
	opts.CM.Seed, opts.CM.GUID = random(), guid(info.MAC, addr)
	d := &Device{
		wire: w, info: info, addr: addr, log: opts.Log, opts: opts, start: time.Now(), done: make(chan struct{}),
		qps: map[uint32]*QP{}, agent: cmsm.NewAgent(opts.CM),
		cmPSN: wire.PSNOf(uint32(random())), macs: map[wire.Addr]wire.MAC{}, resolving: map[wire.Addr][][]byte{}, listeners: map[uint16]*Listener{},
		wakeAt: cmsm.Never, timer: time.NewTimer(time.Hour),
	}
	d.arrivals, _ = w.(link.Arrivals)
	if opts.Loop {
		d.loops, _ = w.(link.Pollable)
	}
	d.timer.Stop()
	if d.loops != nil {
		d.wg.Go(d.loop)
	} else {
		d.wg.Go(d.receive)
		d.wg.Go(d.watch)
	}
	return d, nil
}

// closeAll closes what a device owns.
func closeAll(w link.Wire, r Responder) error {
	err := w.Close()
	if r != nil {
		err = errors.Join(err, r.Close())
	}
	return err
}

// address returns where a region of n bytes is to its peers: page-aligned, anywhere in the
// lower half, as a process's.
func address(n int) uint64 {
	const page, half = 4096, 1 << 47
	return page + random()%((half-page-uint64(n))/page)*page
}

// random returns 64 bits that nobody can predict.
func random() uint64 {
	var b [8]byte
	// crypto/rand.Read never fails (it ends the program instead).
	_, _ = crand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

func guid(mac wire.MAC, addr wire.Addr) uint64 {
	if mac == (wire.MAC{}) {
		return uint64(binary.BigEndian.Uint32(addr[:]))
	}
	return uint64(mac[0]^2)<<56 | uint64(mac[1])<<48 | uint64(mac[2])<<40 | 0xfffe<<24 |
		uint64(mac[3])<<16 | uint64(mac[4])<<8 | uint64(mac[5])
}

// Addr returns the device's IP address.
func (d *Device) Addr() netip.Addr { return d.info.Addr }

// MaxPathMTU returns the largest path MTU that the link carries.
func (d *Device) MaxPathMTU() int { return wire.PathMTU(d.info.MTU) }

// OnCarrier implements rdma.Carrier, where the wire knows.
func (d *Device) OnCarrier(f func(up bool)) {
	if c, ok := d.wire.(link.Carrier); ok {
		c.OnCarrier(f)
	}
}

// Counters returns a copy of the counters.
func (d *Device) Counters() DeviceCounters {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// CMCounters returns a copy of the counters of connection management.
func (d *Device) CMCounters() cmsm.Counters {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.agent.Counters()
}

// now is the time since the device was opened, for both cores.
func (d *Device) now() time.Duration { return time.Since(d.start) }

// RegisterMemory makes buf reachable with the given rights. The buffer belongs to
// the region until DeregisterMemory.
func (d *Device) RegisterMemory(buf []byte, access rdma.Access) (*MR, error) {
	return d.own().RegisterMemory(buf, access)
}

// ShareMemory makes a region from the bytes of a region of another device.
func (d *Device) ShareMemory(mr *MR, access rdma.Access) (*MR, error) {
	return d.own().ShareMemory(mr, access)
}

func (d *Device) register(n int, make func(va uint64, key uint32) (*MR, error)) (*MR, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	mr, err := make(address(n), uint32(random()))
	for errors.Is(err, rc.ErrKey) {
		mr, err = make(address(n), uint32(random()))
	}
	if err != nil {
		return nil, err
	}
	if r := d.opts.Responder; r != nil {
		if err := r.Register(mr); err != nil {
			mr.Deregister()
			return nil, err
		}
	}
	return mr, nil
}

// DeregisterMemory takes a region away from all peers, at once.
func (d *Device) DeregisterMemory(mr *MR) {
	d.mu.Lock()
	defer d.mu.Unlock()
	mr.Deregister()
	if r := d.opts.Responder; r != nil {
		if err := r.Deregister(mr); err != nil {
			// Nothing is known to make this happen. The queue pairs that may still reach
			// the region are ended.
			d.log.Error("memory region not deregistered; connections are ended", "err", err)
			for _, qp := range d.qps {
				qp.rc.Close()
				d.touch(qp)
			}
		}
	}
}

// Alloc returns n zero bytes. When they are registered, the device's Responder can reach them, as
// far as its memory suffices. They last until Free.
func (d *Device) Alloc(n int) []byte {
	if r := d.opts.Responder; r != nil {
		if b := r.Alloc(n); b != nil {
			return b
		}
	}
	return make([]byte, n)
}

// Free releases memory from Alloc. The memory must no longer be registered.
func (d *Device) Free(buf []byte) {
	if r := d.opts.Responder; r != nil {
		r.Free(buf)
	}
}

// receive is the goroutine that takes frames from a wire that cannot be polled.
func (d *Device) receive() {
	frames := make([][]byte, batch)
	for {
		n, err := d.wire.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		d.mu.Lock()
		d.take(frames[:n], err)
		d.mu.Unlock()
		if err != nil && n == 0 {
			d.pause()
		}
	}
}

// take processes what one Receive or Poll has returned. The lock is held.
func (d *Device) take(frames [][]byte, err error) {
	if err != nil {
		d.count.WireErrors++
	}
	now := d.now()
	for _, f := range frames {
		d.deliver(now, f)
	}
	if d.lateFor != 0 && d.count.FramesIn >= d.lateFor {
		d.lateFor = 0
		d.expire(now, d.lateAt)
	} else {
		d.pump(now)
	}
}

// pause follows an error of the wire: one that stays must not spin, and the link may come back.
func (d *Device) pause() {
	select {
	case <-d.done:
	case <-time.After(time.Millisecond):
	}
}

// deliver hands one frame to the core that it is for.
func (d *Device) deliver(now time.Duration, frame []byte) {
	d.count.FramesIn++
	p := &d.packet
	if wire.Parse(frame, p) != nil {
		d.count.DropFrame++
		return
	}
	if p.IP.Dst() != d.addr {
		d.count.DropAddress++
		return
	}
	qpn := p.BTH.DestQP()
	if qpn == wire.GSIQP {
		d.deliverCM(now, p)
		return
	}
	qp := d.qps[qpn]
	if qp == nil {
		d.count.DropQP++
		return
	}
	qp.rc.Receive(rc.Time(now), p)
	d.touch(qp)
}

// touch marks a queue pair for the next pump.
func (d *Device) touch(qp *QP) {
	if !qp.dirty {
		qp.dirty = true
		d.dirty = append(d.dirty, qp)
	}
}

// pump sends what the touched queue pairs have to send, reports their
// completions, and does the same for connection management.
func (d *Device) pump(now time.Duration) {
	deadline := cmsm.Never
	for i := 0; i < len(d.dirty); i++ {
		qp := d.dirty[i]
		for !d.silent {
			f := qp.rc.Next(rc.Time(now), d.wire.Buffer())
			if len(f) == 0 {
				break
			}
			d.send(f)
		}
		qp.dirty = false
		d.unacked += qp.rc.Unacked() - qp.unacked
		qp.unacked = qp.rc.Unacked()
		qp.report()
		deadline = min(deadline, time.Duration(qp.rc.Deadline()))
	}
	d.dirty = d.dirty[:0]
	d.pumpCM(now)
	if d.turns == 0 {
		d.flush()
	}
	d.wake(now, min(deadline, d.agent.Deadline()))
}

// flush hands over what is queued.
func (d *Device) flush() {
	if !d.queued {
		return
	}
	d.queued = false
	if err := d.wire.Flush(); err != nil {
		d.count.WireErrors++
	}
}

func (d *Device) send(frame []byte) {
	d.wire.Send(frame)
	d.queued = true
	d.count.FramesOut++
}

// wake makes sure that time passes for the cores no later than at. Deadlines are moved by nearly every
// packet, so wakeAt is not: it is the earliest one that was, and all are looked at then.
func (d *Device) wake(now, at time.Duration) {
	if at >= d.wakeAt {
		return
	}
	d.wakeAt = at
	if d.loops != nil {
		d.wakeLoop()
	} else {
		d.timer.Reset(max(at-now, 0))
	}
}

// watch is the goroutine that lets time pass for the cores, on a wire that cannot be polled.
func (d *Device) watch() {
	for {
		select {
		case <-d.done:
			return
		case <-d.timer.C:
		}
		d.mu.Lock()
		d.elapse(d.now())
		d.mu.Unlock()
	}
}

// elapse lets time pass for the cores.
//
// A time-out says that a peer has not answered. While frames wait to be received it says
// only that this machine is slow, and the answer may be among them: then it is put off
// until those that had come by then are received. So a time-out may be short on a machine
// that is busy.
func (d *Device) elapse(now time.Duration) {
	d.wakeAt = cmsm.Never
	switch {
	case d.lateFor != 0: // take lets the time pass
	case d.behind():
		d.lateFor, d.lateAt = d.arrivals.Arrived(), now
		d.count.LateTimeouts++
	default:
		d.expire(now, now)
	}
}

// behind reports whether frames have come that were not received yet.
func (d *Device) behind() bool {
	return d.arrivals != nil && d.arrivals.Arrived() > d.count.FramesIn
}

// expire lets the time pass for who has waited until due.
func (d *Device) expire(now, due time.Duration) {
	next := cmsm.Never
	for _, qp := range d.qps {
		if qp.rc.Deadline() <= rc.Time(due) {
			qp.rc.Tick(rc.Time(now))
			d.touch(qp)
		} else {
			next = min(next, time.Duration(qp.rc.Deadline()))
		}
	}
	d.agent.Tick(now)
	d.pump(now)
	d.wake(now, next)
}

// Close ends everything. It leaves connections to the timeouts of their peers (close them first for
// an orderly end), flushes all work, and closes the wire.
func (d *Device) Close() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return ErrClosed
	}
	d.closed = true
	for _, qp := range d.qps {
		qp.rc.Close()
		d.touch(qp)
	}
	for _, l := range d.listeners {
		l.shut()
	}
	now := d.now()
	d.pump(now)
	d.silent = true
	close(d.done)
	d.mu.Unlock()
	err := closeAll(d.wire, d.opts.Responder)
	d.wg.Wait()
	d.timer.Stop()
	return err
}

// deliverCM takes a packet to QP 1.
func (d *Device) deliverCM(now time.Duration, p *wire.Packet) {
	if !p.ICRCOK() {
		d.count.DropCMICRC++
		return
	}
	tid, m, err := cm.DecodeFrame(p)
	if err != nil {
		d.count.DropCM++
		return
	}
	src := p.IP.Src()
	mac, known := d.macs[src]
	if !known || mac != p.Eth.Src() {
		d.resolve(src, p, !known)
	}
	if known {
		d.agent.Receive(now, d.addr, src, tid, m)
	}
}
