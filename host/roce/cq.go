package roce

import (
	"context"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
)

// CQ is a completion queue. It grows as needed and never loses a completion.
type CQ struct {
	mu    sync.Mutex
	buf   []rdma.Completion // ring, length a power of two
	head  uint
	tail  uint
	ready chan struct{} // holds a token when completions may be waiting

	dev     *Device // whose queue pairs it serves alone; nil: those of any
	service *service
}

// NewCQ makes a completion queue with room for n completions to begin with. It
// may serve queue pairs of several devices.
func NewCQ(n int) *CQ {
	size := 16
	for size < n {
		size *= 2
	}
	return &CQ{buf: make([]rdma.Completion, size), ready: make(chan struct{}, 1)}
}

// push queues a completion; signal is to be called afterwards, once for all.
func (q *CQ) push(c *rdma.Completion) {
	q.mu.Lock()
	if q.tail-q.head == uint(len(q.buf)) {
		bigger := make([]rdma.Completion, 2*len(q.buf))
		for i := q.head; i != q.tail; i++ {
			bigger[i&uint(len(bigger)-1)] = q.buf[i&uint(len(q.buf)-1)]
		}
		q.buf = bigger
	}
	q.buf[q.tail&uint(len(q.buf)-1)] = *c
	q.tail++
	q.mu.Unlock()
}

// signal wakes who waits.
func (q *CQ) signal() {
	if q.service != nil {
		q.service.Kick()
		return
	}
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// Poll moves up to len(dst) completions, oldest first, and returns their number.
// It does not wait and does not allocate.
func (q *CQ) Poll(dst []rdma.Completion) int {
	q.mu.Lock()
	n := 0
	for n < len(dst) && q.head != q.tail {
		dst[n] = q.buf[q.head&uint(len(q.buf)-1)]
		q.head++
		n++
	}
	q.mu.Unlock()
	return n
}

// Ready returns a channel that delivers a value when completions may have arrived since the last
// value. Poll until empty after each.
func (q *CQ) Ready() <-chan struct{} { return q.ready }

// Serves implements rdma.Server.
func (q *CQ) Serves() bool { return q.dev != nil && q.dev.loops != nil }

// Serve implements rdma.Server.
func (q *CQ) Serve(f func() time.Duration) rdma.Service { return q.dev.serve(q, f) }

// Wait returns when the queue is not empty, or with ctx's error.
func (q *CQ) Wait(ctx context.Context) error {
	for {
		q.mu.Lock()
		empty := q.head == q.tail
		q.mu.Unlock()
		if !empty {
			return nil
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
