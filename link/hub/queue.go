package hub

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// queue holds frames on their way to one receiver.
type queue struct {
	dropped atomic.Uint64

	mu     sync.Mutex
	ready  sync.Cond
	ring   [][]byte // n frames, from head on
	head   int
	n      int
	came   uint64   // so many frames were put here
	out    [][]byte // what the last Receive handed out
	free   [][]byte // buffers
	closed bool

	arrived, woken chan struct{} // of Wait: each has one element when it is so
	timer          *time.Timer
}

// init makes room for n frames.
func (q *queue) init(n int) {
	q.ring = make([][]byte, n)
	q.ready.L = &q.mu
	q.arrived, q.woken = make(chan struct{}, 1), make(chan struct{}, 1)
	q.timer = time.NewTimer(0)
}

// Receive implements link.Link.
func (q *queue) Receive(frames [][]byte) (int, error) {
	return q.receive(frames, true)
}

// Poll implements link.Pollable.
func (q *queue) Poll(frames [][]byte) (int, error) { return q.receive(frames, false) }

// receive takes frames out. If it may wait, it does so while there are none.
func (q *queue) receive(frames [][]byte, wait bool) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free = append(q.free, q.out...)
	q.out = q.out[:0]
	for q.n == 0 {
		if q.closed {
			return 0, net.ErrClosed
		}
		if !wait {
			return 0, nil
		}
		q.ready.Wait()
	}
	n := min(len(frames), q.n)
	for i := range n {
		frames[i] = q.ring[q.head]
		q.head = (q.head + 1) % len(q.ring)
	}
	q.n -= n
	q.out = append(q.out, frames[:n]...)
	return n, nil
}

// put copies a frame into the queue. It reports whether there was somebody to receive
// it, and room.
func (q *queue) put(frame []byte) (open, room bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false, false
	}
	if q.n == len(q.ring) {
		q.dropped.Add(1)
		return true, false
	}
	var buf []byte
	if last := len(q.free) - 1; last >= 0 {
		buf, q.free = q.free[last], q.free[:last]
	}
	q.ring[(q.head+q.n)%len(q.ring)] = append(buf[:0], frame...)
	q.n++
	q.came++
	q.ready.Signal()
	set(q.arrived)
	return true, true
}

// set puts an element into a channel with room for one.
func set(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Wait implements link.Pollable.
func (q *queue) Wait(d time.Duration) error { return q.wait(q.arrived, d) }

// Rest implements link.Pollable.
func (q *queue) Rest(d time.Duration) error { return q.wait(nil, d) }

func (q *queue) wait(arrived chan struct{}, d time.Duration) error {
	var over <-chan time.Time
	if d >= 0 {
		q.timer.Reset(d)
		over = q.timer.C
	}
	select {
	case <-arrived:
	case <-q.woken:
	case <-over:
	}
	return nil
}

// Wake implements link.Pollable.
func (q *queue) Wake() { set(q.woken) }

// Arrived implements link.Arrivals.
func (q *queue) Arrived() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.came
}

func (q *queue) isOpen() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.closed
}

// close ends Receive, once it has handed out what is there.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Broadcast()
	q.Wake()
}
