// Package pages is memory outside the Go heap that an RDMA device can reach.
//
//	Set    areas of whole pages, found again by the address of a slice
//	Pool   buffers of a Set for requests whose own buffer the device cannot reach
package pages

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Area is mapped memory.
type Area struct {
	Mem  []byte // as asked for; the mapping goes on to the end of the page
	LKey uint32 // the device's local key of it
	// Data is the owner's: what it needs to take the area away from the device.
	Data any

	first, end uintptr
}

// Set is areas that do not overlap. Alloc and Free are synchronised; Find may run
// at the same time.
type Set struct {
	// Register makes an area known to the device, and Forget undoes it.
	Register func(a *Area) error
	Forget   func(a *Area) error

	mu    sync.Mutex
	areas atomic.Pointer[[]*Area] // sorted by address; never changed in place
}

// Alloc maps n zero bytes.
func (s *Set) Alloc(n int) (*Area, error) {
	if n <= 0 {
		return nil, fmt.Errorf("memory of %d bytes: want at least one", n)
	}
	page := os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, (n+page-1)/page*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("memory of %d bytes: %w", n, err)
	}
	// A child that forks without exec must not turn the pages that the device
	// knows into copies of ours.
	_ = unix.Madvise(mem, unix.MADV_DONTFORK)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	a := &Area{Mem: mem[:n:n], first: first, end: first + uintptr(n)}
	if err := s.Register(a); err != nil {
		_ = unix.Munmap(mem)
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.swap(func(areas []*Area) []*Area {
		i, _ := slices.BinarySearchFunc(areas, first, byAddress)
		return slices.Insert(areas, i, a)
	})
	return a, nil
}

// Free takes the area that begins at buf away from the device and unmaps it. It
// reports whether there was one.
func (s *Set) Free(buf []byte) (bool, error) {
	first := address(buf)
	var a *Area
	s.mu.Lock()
	s.swap(func(areas []*Area) []*Area {
		if i, ok := slices.BinarySearchFunc(areas, first, byAddress); ok {
			a = areas[i]
			return slices.Delete(areas, i, i+1)
		}
		return areas
	})
	s.mu.Unlock()
	if a == nil {
		return false, nil
	}
	if err := s.Forget(a); err != nil {
		return true, err
	}
	page := os.Getpagesize()
	return true, unix.Munmap(unsafe.Slice(unsafe.SliceData(a.Mem), (len(a.Mem)+page-1)/page*page))
}

// Forgotten takes all areas away from the device. They stay mapped until Free.
func (s *Set) Forgotten() error {
	var first error
	for _, a := range s.list() {
		if err := s.Forget(a); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Find returns the area in which all of buf lies, or nil.
func (s *Set) Find(buf []byte) *Area {
	areas := s.list()
	first := address(buf)
	i, ok := slices.BinarySearchFunc(areas, first, byAddress)
	if !ok {
		i--
	}
	if i < 0 || first+uintptr(len(buf)) > areas[i].end {
		return nil
	}
	return areas[i]
}

func (s *Set) list() []*Area {
	if p := s.areas.Load(); p != nil {
		return *p
	}
	return nil
}

// swap replaces the list; s.mu is held.
func (s *Set) swap(f func([]*Area) []*Area) {
	l := f(slices.Clone(s.list()))
	s.areas.Store(&l)
}

func byAddress(a *Area, first uintptr) int {
	switch {
	case a.first < first:
		return -1
	case a.first > first:
		return 1
	}
	return 0
}

func address(buf []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(buf))) }
