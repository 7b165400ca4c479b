package farewell

import (
	"fmt"
	"iter"
	"sync/atomic"
	"unsafe"
)

// The memory that a process shares with its herald: a page, then slots.
const (
	headerSize = 4096
	slotSize   = 512
	slots      = 2048
	size       = headerSize + slots*slotSize

	version  = 1
	maxFrame = slotSize - 8
)

// header is the first page. The kernel reads list and node when the owner dies; addresses are the
// process's (struct robust_list_head in linux/futex.h).
type header struct {
	version uint32
	owner   uint32 // the futex: thread of the owner, and the kernel's flags; 0: nobody
	list    robustList
	node    uintptr // of the futex: the next one, which is the list again
}

type robustList struct {
	first   uintptr
	offset  int64 // from a node to its futex
	pending uintptr
}

// slot is a frame to be sent. Its length is written last.
type slot struct {
	length uint32 // 0: there is none
	iface  uint32 // index of the interface
	frame  [maxFrame]byte
}

// memory is what both sides map.
type memory []byte

func (m memory) header() *header { return (*header)(unsafe.Pointer(unsafe.SliceData(m))) }

func (m memory) slot(i int) *slot {
	return (*slot)(unsafe.Pointer(&m[headerSize+i*slotSize]))
}

// put fills a slot, and clear empties it.
func (m memory) put(i, iface int, frame []byte) {
	s := m.slot(i)
	s.iface = uint32(iface)
	copy(s.frame[:], frame)
	atomic.StoreUint32(&s.length, uint32(len(frame)))
}

func (m memory) clear(i int) { atomic.StoreUint32(&m.slot(i).length, 0) }

// frames are those that are to be sent, each with the index of its interface.
func (m memory) frames() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := range slots {
			s := m.slot(i)
			if n := atomic.LoadUint32(&s.length); n > 0 && n <= maxFrame && !yield(int(s.iface), s.frame[:n]) {
				return
			}
		}
	}
}

// check looks at memory that another process has made.
func (m memory) check() error {
	if len(m) != size {
		return fmt.Errorf("shared memory of %d bytes (want %d)", len(m), size)
	}
	if v := m.header().version; v != version {
		return fmt.Errorf("shared memory of version %d (this build has %d)", v, version)
	}
	return nil
}
