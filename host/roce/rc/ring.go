package rc

// ring is a queue in a slice whose length is a power of two. Elements have
// absolute positions head <= i < tail that never wrap in practice (64 bit), so a
// cursor into the queue stays valid while elements before it leave. A pointer to an
// element is valid until the next push.
type ring[T any] struct {
	buf        []T // grows as far as size
	head, tail uint64
	size       int
}

// ringStart is how many elements a ring has room for at first: most queue pairs never need more.
const ringStart = 16

func newRing[T any](n int) ring[T] {
	size := 1
	for size < n {
		size *= 2
	}
	return ring[T]{buf: make([]T, min(size, ringStart)), size: size}
}

func (r *ring[T]) len() int          { return int(r.tail - r.head) }
func (r *ring[T]) empty() bool       { return r.tail == r.head }
func (r *ring[T]) full() bool        { return r.len() == r.size }
func (r *ring[T]) at(i uint64) *T    { return &r.buf[i&uint64(len(r.buf)-1)] }
func (r *ring[T]) front() *T         { return r.at(r.head) }
func (r *ring[T]) back() *T          { return r.at(r.tail - 1) }
func (r *ring[T]) has(i uint64) bool { return i >= r.head && i < r.tail }

// push adds an element; the caller has made sure that there is room.
func (r *ring[T]) push(v T) {
	if r.len() == len(r.buf) {
		bigger := ring[T]{buf: make([]T, 2*len(r.buf)), head: r.head, tail: r.tail, size: r.size}
		for i := r.head; i < r.tail; i++ {
			*bigger.at(i) = *r.at(i)
		}
		*r = bigger
	}
	*r.at(r.tail) = v
	r.tail++
}

// grow gives a full ring room for twice as many.
func (r *ring[T]) grow() { r.size *= 2 }

// pop removes the first element and drops its references.
func (r *ring[T]) pop() T {
	var zero T
	v := *r.front()
	*r.front() = zero
	r.head++
	return v
}

// drop removes the last element.
func (r *ring[T]) drop() {
	var zero T
	*r.back() = zero
	r.tail--
}
