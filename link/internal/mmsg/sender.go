package mmsg

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookAgain is how long a Sender relies on being told that there is room: the kernel
// tells when the peer has read one of our datagrams, but the peer's queue may be
// full of others'.
const lookAgain = 50 * time.Millisecond

// Sender queues datagrams for one peer and never waits for it. What the peer has no
// room for is sent by a goroutine as soon as there is; what does not fit into the
// queue is dropped and counted. So two ends that send to each other cannot come to
// wait for each other, and a peer that stops costs nothing but datagrams.
//
// Buffer, Queue and Flush are called by one goroutine at a time.
type Sender struct {
	raw      syscall.RawConn
	deadline func(time.Time) error
	batch    *Batch // a ring; datagram n is at n modulo its length
	scratch  []byte
	tail     uint64 // next to be queued

	mu       sync.Mutex
	head     atomic.Uint64 // next to be sent; written under mu
	ready    uint64        // end of what has been flushed
	behind   bool          // the goroutine is sending
	try      func(uintptr)
	write    func(uintptr) bool
	finished bool // result of try

	wake, quit, done chan struct{}
	dropped, refused atomic.Uint64
}

// NewSender makes a queue of n datagrams of size bytes for the socket address to, as
// struct sockaddr has it. deadline sets the socket's write deadline. The caller
// closes the Sender after the socket.
func NewSender(raw syscall.RawConn, deadline func(time.Time) error, n, size int, to []byte) *Sender {
	s := &Sender{
		raw: raw, deadline: deadline, batch: NewBatch(n, size), scratch: make([]byte, 0, size),
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	s.batch.To(to)
	s.try = func(fd uintptr) { s.finished = s.send(fd) }
	s.write = func(fd uintptr) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.behind = !s.send(fd)
		return !s.behind
	}
	go s.run()
	return s
}

// Buffer returns an empty slice with room for one datagram, to be filled and given
// to Queue.
func (s *Sender) Buffer() []byte {
	if s.full() {
		return s.scratch
	}
	return s.batch.Buf(int(s.tail % uint64(s.batch.Len())))[:0]
}

func (s *Sender) full() bool { return s.tail-s.head.Load() == uint64(s.batch.Len()) }

// Queue makes p, built in the last Buffer, part of the next Flush.
func (s *Sender) Queue(p []byte) {
	if len(p) == 0 {
		return
	}
	// There may be room now that there was not when Buffer was called.
	if cap(p) > 0 && &p[:1][0] == &s.scratch[:1][0] {
		s.dropped.Add(1)
		return
	}
	s.batch.Set(int(s.tail%uint64(s.batch.Len())), p, false)
	s.tail++
}

// Flush sends what is queued, as far as there is room.
func (s *Sender) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = s.tail
	if s.behind || s.ready == s.head.Load() {
		return nil
	}
	if err := s.raw.Control(s.try); err != nil {
		return net.ErrClosed
	}
	if !s.finished {
		s.behind = true
		s.wake <- struct{}{}
	}
	return nil
}

// send hands datagrams to the kernel while it has room. It reports whether none is
// left.
func (s *Sender) send(fd uintptr) bool {
	size := uint64(s.batch.Len())
	for {
		head := s.head.Load()
		if head == s.ready {
			return true
		}
		first := head % size
		n, errno := s.batch.Send(fd, int(first), int(min(first+s.ready-head, size)))
		switch errno {
		case 0:
			s.head.Store(head + uint64(n))
		case unix.EINTR:
		case unix.EAGAIN:
			return false
		default:
			// This one cannot be sent; the others may.
			s.refused.Add(1)
			s.head.Store(head + 1)
		}
	}
}

// run is the goroutine that waits for room.
func (s *Sender) run() {
	defer close(s.done)
	for {
		select {
		case <-s.quit:
			return
		case <-s.wake:
		}
		for {
			if s.deadline(time.Now().Add(lookAgain)) != nil {
				return // closed
			}
			err := s.raw.Write(s.write)
			if err == nil {
				break
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				return // closed
			}
		}
	}
}

// Dropped returns how many datagrams did not fit into the queue, and how many the
// kernel refused to send because there was no peer, or for another reason.
func (s *Sender) Dropped() (noRoom, refused uint64) { return s.dropped.Load(), s.refused.Load() }

// Close waits for the goroutine to end. The socket has been closed.
func (s *Sender) Close() {
	close(s.quit)
	<-s.done
}
