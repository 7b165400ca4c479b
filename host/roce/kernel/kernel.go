package kernel

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/link/xdp"
	"github.com/p4ce/p4ce/roce/wire"
)

//go:generate go run ../../../cmd/p4xc object responder.bpf.c -o responder.bpf.o

//go:embed responder.bpf.o
var object []byte

const (
	slotCount = 1024 // SLOTS of the C
	guard     = 4096 // bytes of the arena's end where nothing is placed: a packet's length
)

// MaxMemory is the most memory that a responder may be given, in bytes.
const MaxMemory = 1 << 30

// Responder executes requests in the kernel. Its methods may be called by any goroutine.
type Responder struct {
	wire  *xdp.Wire
	coll  *ebpf.Collection
	ring  *ringbuf.Reader
	slots []slot
	bells []bell
	arena []byte
	wg    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	free    []span   // of the arena, sorted, none next to another
	ringing []func() // by bell; 0 is nobody's
	unused  []uint32 // bells

	measured func(*ebpf.CollectionSpec) error // of benchmarks
}

// span is a part of the arena, in bytes.
type span struct{ at, n int }

// region as in the C.
type regionKey struct{ Domain, RKey uint32 }
type region struct {
	VA, Len, Offset uint64
	Access, Bell    uint32
}
type bell struct{ armed, unused uint32 }

// Open opens an AF_XDP wire on an interface of the current network namespace, with a
// responder that has memory for regions of so many bytes in all. addr is one of the
// interface's IPv4 addresses; the zero Addr means its first.
func Open(iface string, addr netip.Addr, memory int) (_ *Responder, err error) {
	r := &Responder{ringing: make([]func(), slotCount)}
	defer func() {
		if err != nil {
			_ = r.Close()
		}
	}()
	if r.wire, err = xdp.OpenWith(iface, addr, func(addr wire.Addr, xsks *ebpf.Map) (*ebpf.Program, error) {
		return r.load(addr, xsks, memory)
	}); err != nil {
		return nil, err
	}
	r.wg.Add(1)
	go r.listen()
	return r, nil
}

// Wire is the wire that the device is to be opened on. It is closed by the device.
func (r *Responder) Wire() *xdp.Wire { return r.wire }

// load loads the program and maps what is shared with it.
func (r *Responder) load(addr wire.Addr, xsks *ebpf.Map, memory int) (*ebpf.Program, error) {
	if memory < 1 || memory > MaxMemory {
		return nil, fmt.Errorf("kernel responder: memory of %d bytes (want 1 to %d)", memory, MaxMemory)
	}
	page := os.Getpagesize()
	size := (memory+page-1)/page*page + guard
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, fmt.Errorf("kernel responder: object: %w", err)
	}
	spec.Maps["arena"].ValueSize = uint32(size)
	if r.measured == nil {
		delete(spec.Programs, "check")
	} else if err := r.measured(spec); err != nil {
		return nil, err
	}
	for name, v := range map[string]any{
		"address": addr, "arena_last": uint64(size - guard), "crcs": slicing(),
	} {
		if err := spec.Variables[name].Set(v); err != nil {
			return nil, fmt.Errorf("kernel responder: %s: %w", name, err)
		}
	}
	var replace map[string]*ebpf.Map
	if xsks != nil { // nil in tests, which run the program without an interface
		replace = map[string]*ebpf.Map{"xsks": xsks}
	}
	if r.coll, err = ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{MapReplacements: replace}); err != nil {
		return nil, fmt.Errorf("kernel responder: %w", err)
	}
	if r.ring, err = ringbuf.NewReader(r.coll.Maps["rings"]); err != nil {
		return nil, fmt.Errorf("kernel responder: ring: %w", err)
	}
	slots, err := r.mmap("slots", slotCount*int(unsafe.Sizeof(slot{})))
	if err != nil {
		return nil, err
	}
	r.slots = unsafe.Slice((*slot)(unsafe.Pointer(unsafe.SliceData(slots))), slotCount)
	bells, err := r.mmap("bells", slotCount*int(unsafe.Sizeof(bell{})))
	if err != nil {
		return nil, err
	}
	r.bells = unsafe.Slice((*bell)(unsafe.Pointer(unsafe.SliceData(bells))), slotCount)
	if r.arena, err = r.mmap("arena", size); err != nil {
		return nil, err
	}
	r.free = []span{{0, size - guard}}
	for i := slotCount - 1; i > 0; i-- {
		r.unused = append(r.unused, uint32(i))
	}
	return r.coll.DetachProgram("respond"), nil
}

// slicing are the tables of the CRC of Ethernet, for sixteen bytes at a time.
func slicing() (t [16][256]uint32) {
	t[0] = *crc32.MakeTable(crc32.IEEE)
	for i := range 256 {
		for k := 1; k < len(t); k++ {
			prev := t[k-1][i]
			t[k][i] = prev>>8 ^ t[0][byte(prev)]
		}
	}
	return t
}

func (r *Responder) mmap(name string, n int) ([]byte, error) {
	page := os.Getpagesize()
	b, err := unix.Mmap(r.coll.Maps[name].FD(), 0, (n+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("kernel responder: map %s: %w", name, err)
	}
	return b[:n], nil
}

// Slot returns the state of a new queue pair, or nil when there is no room for it, or
// for one with this number.
func (r *Responder) Slot(qpn, domain uint32) rc.Partner {
	s := &r.slots[qpn%slotCount]
	if !atomic.CompareAndSwapUint32(&s.owned, 0, 1) {
		return nil
	}
	return &Slot{s: s, qpn: qpn, domain: domain}
}

// Release gives a slot back. Nothing is executed for its queue pair when it returns.
func (r *Responder) Release(p rc.Partner) {
	l := p.(*Slot)
	l.last = l.Counters()
	l.lock()
	qpn := &l.s.qpn
	atomic.StoreUint32(qpn, 0)
	l.unlock()
	atomic.StoreUint32(&l.s.owned, 0)
	l.s = new(slot)
}

// Alloc returns n zero bytes that begin at a page, or nil when there are not so many.
func (r *Responder) Alloc(n int) []byte {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	r.mu.Lock()
	defer r.mu.Unlock()
	if n <= 0 || r.closed {
		return nil
	}
	for i := range r.free {
		s := &r.free[i]
		if s.n < size {
			continue
		}
		b := r.arena[s.at : s.at+n : s.at+n]
		if s.at, s.n = s.at+size, s.n-size; s.n == 0 {
			r.free = append(r.free[:i], r.free[i+1:]...)
		}
		clear(b)
		return b
	}
	return nil
}

// Free gives memory from Alloc back. It reports whether it was from there.
func (r *Responder) Free(buf []byte) bool {
	at, ok := r.offset(buf)
	if !ok {
		return false
	}
	page := os.Getpagesize()
	s := span{at, (len(buf) + page - 1) / page * page}
	r.mu.Lock()
	defer r.mu.Unlock()
	i := 0
	for i < len(r.free) && r.free[i].at < s.at {
		i++
	}
	r.free = append(r.free[:i], append([]span{s}, r.free[i:]...)...)
	for i = max(i-1, 0); i+1 < len(r.free); {
		if a, b := &r.free[i], r.free[i+1]; a.at+a.n == b.at {
			a.n += b.n
			r.free = append(r.free[:i+1], r.free[i+2:]...)
		} else if i++; r.free[i].at > s.at {
			break
		}
	}
	_ = r.unmap()
	return true
}

// offset is where memory lies in the arena.
func (r *Responder) offset(buf []byte) (int, bool) {
	if len(buf) == 0 || len(r.arena) == 0 {
		return 0, false
	}
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(buf)))) - int64(uintptr(unsafe.Pointer(unsafe.SliceData(r.arena))))
	if at < 0 || at+int64(len(buf)) > int64(len(r.arena)-guard) {
		return 0, false
	}
	return int(at), true
}

// Register makes a region known to the kernel. A region whose memory is not from Alloc
// stays the process's, and so does one without rights for peers, or for atomics.
func (r *Responder) Register(mr *rc.MR) error {
	if mr.Access()&(rdma.RemoteRead|rdma.RemoteWrite) == 0 || mr.Access()&rdma.RemoteAtomic != 0 {
		return nil
	}
	var at int
	var ok bool
	mr.Read(func(b []byte) { at, ok = r.offset(b) })
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || len(r.unused) == 0 {
		return nil
	}
	n := len(r.unused) - 1
	id := r.unused[n]
	g := region{VA: mr.Addr(), Len: uint64(mr.Len()), Offset: uint64(at), Access: uint32(mr.Access()), Bell: id}
	if err := r.coll.Maps["regions"].Put(regionKey{mr.Domain().ID, mr.Key()}, g); err != nil {
		return fmt.Errorf("kernel responder: region: %w", err)
	}
	r.unused = r.unused[:n]
	r.ringing[id] = mr.Changed
	r.arm(id)
	return nil
}

// Deregister takes a region away. When it returns, no packet is placed there any more.
func (r *Responder) Deregister(mr *rc.MR) error {
	key := regionKey{mr.Domain().ID, mr.Key()}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	var g region
	m := r.coll.Maps["regions"]
	switch err := m.Lookup(key, &g); {
	case errors.Is(err, ebpf.ErrKeyNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("kernel responder: region: %w", err)
	}
	if err := m.Delete(key); err != nil {
		return fmt.Errorf("kernel responder: region: %w", err)
	}
	// Who has found it before executes under the lock of a slot.
	for i := range r.slots {
		if s := &r.slots[i]; atomic.LoadUint32(&s.qpn) != 0 {
			s.take()
			s.release()
		}
	}
	r.ringing[g.Bell] = nil
	r.unused = append(r.unused, g.Bell)
	return nil
}

// arm lets a bell ring once more.
func (r *Responder) arm(id uint32) { atomic.SwapUint32(&r.bells[id].armed, 1) }

// again is how long a bell that has rung rests: what is written meanwhile is told of
// at the end, together.
const again = 100 * time.Microsecond

// listen tells consumers what the kernel has written.
func (r *Responder) listen() {
	defer r.wg.Done()
	var rec ringbuf.Record
	for r.ring.ReadInto(&rec) == nil {
		if len(rec.RawSample) < 4 {
			continue
		}
		id := *(*uint32)(unsafe.Pointer(unsafe.SliceData(rec.RawSample)))
		if id < slotCount && r.tell(id) {
			time.AfterFunc(again, func() {
				r.mu.Lock()
				if r.closed {
					r.mu.Unlock()
					return
				}
				r.arm(id)
				r.mu.Unlock()
				r.tell(id)
			})
		}
	}
}

// tell calls who waits for a bell, and reports whether there is somebody.
func (r *Responder) tell(id uint32) bool {
	r.mu.Lock()
	f := r.ringing[id]
	r.mu.Unlock()
	if f != nil {
		f()
	}
	return f != nil
}

// Close ends everything, after the device. Memory from Alloc is gone.
func (r *Responder) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return rdma.ErrClosed
	}
	r.closed = true
	r.mu.Unlock()
	var errs []error
	if r.ring != nil {
		errs = append(errs, r.ring.Close())
	}
	r.wg.Wait()
	if r.coll != nil {
		r.coll.Close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(append(errs, r.unmap())...)
}

// unmap gives the arena back when nobody uses it any more. (Slots stay: queue pairs that
// were not destroyed know them.)
func (r *Responder) unmap() error {
	if !r.closed || r.arena == nil || len(r.free) != 1 || r.free[0].n != len(r.arena)-guard {
		return nil
	}
	b := r.arena[:cap(r.arena)]
	r.arena, r.free = nil, nil
	return unix.Munmap(b)
}
