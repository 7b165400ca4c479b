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

	"github.com/p4ce/p4ce/link"
)

// lookAgain is how long a Sender relies on being told that there is room: the kernel
// tells when the peer has read one of our datagrams, but the peer's queue may be
// full of others'.
const lookAgain = 50 * time.Millisecond

// Sender queues datagrams for one peer, or for an interface, and never waits for it.
// What the peer has no room for is sent by a goroutine as soon as there is; what does not
// fit into the queue is dropped and counted. So two ends that send to each other cannot
// come to wait for each other, and a peer that stops costs nothing but datagrams.
//
// Buffer, Queue and Flush are called by one goroutine at a time, SetPeer and Counters at
// any time.
type Sender struct {
	raw      syscall.RawConn
	deadline func(time.Time) error
	batch    *Batch // a ring; datagram n is at n modulo its length
	scratch  []byte
	drop     bool   // the last Buffer was scratch
	tail     uint64 // next to be queued

	mu       sync.Mutex
	head     atomic.Uint64 // next to be sent; written under mu
	ready    uint64        // end of what has been flushed
	behind   bool          // the goroutine is sending
	try      func(uintptr)
	write    func(uintptr) bool
	finished bool // result of try

	wake, quit, done              chan struct{}
	sent, bytes, dropped, refused atomic.Uint64
}

// NewSender makes a queue of n datagrams, with room for size bytes each at first, on a
// socket that knows where they go, or is told with SetPeer; if not, the kernel refuses
// them. deadline sets the socket's write deadline. The caller closes the Sender after the
// socket.
func NewSender(raw syscall.RawConn, deadline func(time.Time) error, n, size int) *Sender {
	s := &Sender{
		raw: raw, deadline: deadline, batch: NewBatch(n, size), scratch: make([]byte, 0, size),
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
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

// SetPeer makes what is sent from now on go to a socket address, as struct sockaddr has
// it, which the Sender keeps.
func (s *Sender) SetPeer(to []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch.To(to)
}

// Buffer returns an empty slice with room for one datagram, to be filled and given
// to Queue.
func (s *Sender) Buffer() []byte {
	size := uint64(s.batch.Len())
	// There may be room by the time of Queue; the datagram then lies in scratch still.
	if s.drop = s.tail-s.head.Load() == size; s.drop {
		return s.scratch
	}
	return s.batch.Buf(int(s.tail % size))[:0]
}

// Queue makes p, built in the last Buffer, part of the next Flush.
func (s *Sender) Queue(p []byte) {
	switch {
	case s.drop:
		s.dropped.Add(1)
		// One that has outgrown it need not do so again.
		s.scratch = p[:0]
	case len(p) == 0:
		s.refused.Add(1)
	default:
		s.batch.Set(int(s.tail%uint64(s.batch.Len())), p, false)
		s.tail++
	}
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
		return nil
	}
	// Empty: begin again with buffers that are in the processor's cache.
	s.tail, s.ready = 0, 0
	s.head.Store(0)
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
			s.sent.Add(uint64(n))
			s.bytes.Add(s.batch.Bytes(int(first), int(first)+n))
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

// Counters returns what has become of the datagrams that were queued.
func (s *Sender) Counters() link.Counters {
	return link.Counters{Sent: s.sent.Load(), SentBytes: s.bytes.Load(), NoRoom: s.dropped.Load(), Refused: s.refused.Load()}
}

// Close waits for the goroutine to end. The socket has been closed.
func (s *Sender) Close() {
	close(s.quit)
	<-s.done
}
