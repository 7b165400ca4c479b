package pages

import (
	"math/bits"
	"sync"
)

const (
	minShift  = 6       // buffers of 64 bytes and more
	slabBytes = 1 << 18 // mapped at once for small buffers
)

// Pool hands out buffers whose sizes are powers of two. What it has mapped it keeps
// until the Set is forgotten.
type Pool struct {
	Set *Set

	mu   sync.Mutex
	free [64][][]byte // by shift
}

// Get returns a buffer of n bytes with undefined content.
func (p *Pool) Get(n int) ([]byte, error) {
	shift := shiftOf(n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free[shift]) == 0 {
		size := 1 << shift
		a, err := p.Set.Alloc(max(size, slabBytes))
		if err != nil {
			return nil, err
		}
		for at := 0; at < len(a.Mem); at += size {
			p.free[shift] = append(p.free[shift], a.Mem[at:at+size:at+size])
		}
	}
	l := p.free[shift]
	b := l[len(l)-1]
	p.free[shift] = l[:len(l)-1]
	return b[:n], nil
}

// Put gives a buffer from Get back.
func (p *Pool) Put(b []byte) {
	shift := shiftOf(cap(b))
	p.mu.Lock()
	p.free[shift] = append(p.free[shift], b[:cap(b)])
	p.mu.Unlock()
}

func shiftOf(n int) int {
	if n <= 1<<minShift {
		return minShift
	}
	return bits.Len(uint(n - 1))
}
