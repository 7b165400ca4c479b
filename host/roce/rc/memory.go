package rc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/p4ce/p4ce/host/rdma"
)

// MR is a registered memory region.
//
// Its bytes are written by whoever runs the QPs and read by consumers, so every
// access to them after registration goes through the region's lock: ReadAt,
// WriteAt and Read take it, and so does the transport for each packet. A packet's
// payload becomes visible as a whole; a message of several packets does not.
// The buffer given to Memory.Register belongs to the region until Deregister; a
// caller that reads or writes it directly must know that no peer can reach these
// bytes at that time.
type MR struct {
	key    uint32
	va     uint64
	access rdma.Access
	home   *Memory
	dead   bool // guarded by the owner of the Memory

	mu     *sync.RWMutex // one for all regions of the same bytes
	buf    []byte
	notify func(off, n int)
}

// Key returns the key, L_key and R_key in one.
func (m *MR) Key() uint32 { return m.key }

// Addr returns the virtual address of the first byte.
func (m *MR) Addr() uint64 { return m.va }

// Len returns the length in bytes.
func (m *MR) Len() int { return len(m.buf) }

// Access returns the region's rights.
func (m *MR) Access() rdma.Access { return m.access }

// ErrBounds is returned for an access outside a region.
var ErrBounds = errors.New("memory region: access out of bounds")

// ReadAt copies len(p) bytes at off out of the region. It implements
// io.ReaderAt.
func (m *MR) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.buf)) {
		return 0, ErrBounds
	}
	m.mu.RLock()
	n := copy(p, m.buf[off:])
	m.mu.RUnlock()
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt copies p into the region at off. It implements io.WriterAt. Nothing is
// written if p does not fit.
func (m *MR) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.buf)) || len(p) > len(m.buf)-int(off) {
		return 0, ErrBounds
	}
	m.mu.Lock()
	copy(m.buf[off:], p)
	m.mu.Unlock()
	return len(p), nil
}

// Read calls f with the region's bytes while no peer can change them. f must not
// keep or change the slice, and must return soon: the transport waits.
func (m *MR) Read(f func(b []byte)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	f(m.buf)
}

// Uint64 returns the 8 bytes at off, a multiple of 8, in the host's byte order.
// An offset outside the region is a programming error.
func (m *MR) Uint64(off int64) uint64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return binary.NativeEndian.Uint64(m.buf[off : off+8])
}

// OnRemoteWrite makes the transport call f after each packet of a peer that
// changed n bytes at off. f runs on the transport's goroutine, without the
// region's lock but with the owner's: it must not block and must not call into
// the transport; setting a flag or a non-blocking send on a channel is what it is
// for. Set it before a peer knows the key; nil takes it away.
func (m *MR) OnRemoteWrite(f func(off, n int)) {
	m.mu.Lock()
	m.notify = f
	m.mu.Unlock()
}

// Domain returns the region's protection domain.
func (m *MR) Domain() *Memory { return m.home }

// Changed tells the consumer that any bytes may have been changed by somebody who
// executes requests beside the transport.
func (m *MR) Changed() {
	m.mu.RLock()
	f := m.notify
	m.mu.RUnlock()
	if f != nil {
		f(0, len(m.buf))
	}
}

// Write calls f with the region's bytes while nobody else looks at them or changes
// them; f may change them. f must not keep the slice, and must return soon: the
// transport waits.
func (m *MR) Write(f func(b []byte)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.buf)
}

// store writes a peer's payload at va. The bounds were checked with contains.
func (m *MR) store(va uint64, p []byte) {
	off := int(va - m.va)
	m.mu.Lock()
	copy(m.buf[off:off+len(p)], p)
	f := m.notify
	m.mu.Unlock()
	if f != nil {
		f(off, len(p))
	}
}

// atomic runs f on the aligned 8-byte word at va and returns the old value. The
// word is in the host's byte order, as on real hardware.
func (m *MR) atomic(va uint64, f func(old uint64) uint64) uint64 {
	off := int(va - m.va)
	m.mu.Lock()
	word := m.buf[off : off+8]
	old := binary.NativeEndian.Uint64(word)
	binary.NativeEndian.PutUint64(word, f(old))
	notify := m.notify
	m.mu.Unlock()
	if notify != nil {
		notify(off, 8)
	}
	return old
}

// contains reports whether [va, va+n) lies in the region. It is written so that
// no sum can overflow.
func (m *MR) contains(va, n uint64) bool {
	size := uint64(len(m.buf))
	return va >= m.va && n <= size && va-m.va <= size-n
}

// Memory is the set of regions that the QPs of one owner can reach: a protection
// domain. The zero value is empty and ready to use.
//
// Whoever knows a queue pair, its PSN, a key and an address can write there, so the
// owner draws keys from a source that nobody can predict, and 32 bits of it.
type Memory struct {
	ID      uint32 // the owner's, to tell domains apart
	regions map[uint32]*MR
}

// ErrKey is that a region's key is one that cannot be given: 0, or one in use. The owner
// draws another.
var ErrKey = errors.New("memory region: key in use")

// Register makes a region of buf that peers see at virtual address va, with this key.
func (m *Memory) Register(buf []byte, va uint64, access rdma.Access, key uint32) (*MR, error) {
	if len(buf) == 0 {
		return nil, errors.New("memory region: empty buffer")
	}
	if va > math.MaxUint64-uint64(len(buf)) {
		return nil, fmt.Errorf("memory region: address %#x and length %d wrap around", va, len(buf))
	}
	if access&(rdma.RemoteWrite|rdma.RemoteAtomic) != 0 && access&rdma.LocalWrite == 0 {
		return nil, fmt.Errorf("memory region: access %v (remote writers need local-write too)", access)
	}
	if key == 0 || m.regions[key] != nil {
		return nil, ErrKey
	}
	if m.regions == nil {
		m.regions = map[uint32]*MR{}
	}
	mr := &MR{key: key, va: va, access: access, home: m, mu: new(sync.RWMutex), buf: buf}
	m.regions[key] = mr
	return mr, nil
}

// Share makes a region of the bytes of another one, perhaps of another Memory: what
// excludes each other there does so here too.
func (m *Memory) Share(o *MR, va uint64, access rdma.Access, key uint32) (*MR, error) {
	mr, err := m.Register(o.buf, va, access, key)
	if err != nil {
		return nil, err
	}
	mr.mu = o.mu
	return mr, nil
}

// Deregister takes the region away from all peers, at once: the next packet of a
// WRITE or READ under way is refused. Doing it twice is harmless.
func (mr *MR) Deregister() {
	if mr.dead {
		return
	}
	mr.dead = true
	delete(mr.home.regions, mr.key)
}

// lookup finds the region that allows access to [va, va+n) under key, or nil.
func (m *Memory) lookup(key uint32, va, n uint64, access rdma.Access) *MR {
	mr := m.regions[key]
	if mr == nil || mr.access&access != access || !mr.contains(va, n) {
		return nil
	}
	return mr
}
