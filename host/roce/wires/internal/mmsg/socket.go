package mmsg

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Socket is the receive and send halves of a datagram socket whose waiting is
// done by Go's poller. Receive may run concurrently with Send.
type Socket struct {
	raw     syscall.RawConn
	rx, tx  *Batch
	offset  int
	named   bool
	queued  int
	errors  atomic.Uint64
	readFn  func(uintptr) bool
	writeFn func(uintptr) bool
	tryFn   func(uintptr)

	// Of a socket whose peer may stop reading, see Impatient.
	patience time.Duration
	deadline func(time.Time) error
	stalled  bool // the last wait was in vain
	dropped  atomic.Uint64

	// Arguments and results of the two functions, which are made once so that
	// waiting does not allocate.
	limit, got int
	gotErr     syscall.Errno
	sent       int
}

// NewSocket makes both halves: n datagrams of size bytes each; datagrams lie at
// offset in their buffers. named is for sockets that are not connected.
func NewSocket(raw syscall.RawConn, n, size, offset int, named bool) *Socket {
	s := &Socket{raw: raw, rx: NewBatch(n, size), tx: NewBatch(n, size), offset: offset, named: named}
	s.readFn = func(fd uintptr) bool {
		s.got, s.gotErr = s.rx.Receive(fd, s.offset, s.limit, s.named)
		return s.gotErr != unix.EAGAIN && s.gotErr != unix.EINTR
	}
	s.writeFn = func(fd uintptr) bool {
		for s.sent < s.queued {
			n, errno := s.tx.Send(fd, s.sent, s.queued)
			switch errno {
			case 0:
				s.sent += n
			case unix.EINTR:
			case unix.EAGAIN:
				return false
			default:
				// The first one cannot be sent; the others may.
				s.errors.Add(1)
				s.sent++
			}
		}
		return true
	}
	s.tryFn = func(fd uintptr) { s.writeFn(fd) }
	return s
}

// Impatient bounds Flush by wait for each datagram: what the peer has no room for
// by then is dropped and counted. As long as the peer then takes nothing, nothing
// waits for it any more. deadline sets the socket's write deadline.
func (s *Socket) Impatient(wait time.Duration, deadline func(time.Time) error) {
	s.patience, s.deadline = wait, deadline
}

// Dropped returns how many datagrams the peer had no room for in time.
func (s *Socket) Dropped() uint64 { return s.dropped.Load() }

// SendErrors returns how many datagrams the kernel refused to send.
func (s *Socket) SendErrors() uint64 { return s.errors.Load() }

// Receive waits for datagrams and returns their number, at most limit.
func (s *Socket) Receive(limit int) (int, error) {
	s.limit, s.got, s.gotErr = limit, 0, 0
	if err := s.raw.Read(s.readFn); err != nil {
		// The poller knows no other reason than that the file is closed.
		return 0, net.ErrClosed
	}
	if s.gotErr != 0 {
		return 0, s.gotErr
	}
	return s.got, nil
}

// RX returns the received datagrams.
func (s *Socket) RX() *Batch { return s.rx }

// TX returns the batch to send and the index of its next datagram.
func (s *Socket) TX() (*Batch, int) { return s.tx, s.queued }

// Queue makes p, which lies in the next buffer, part of the next Flush.
func (s *Socket) Queue(p []byte) {
	s.tx.Set(s.queued, p, s.named)
	s.queued++
}

// Full reports whether Queue needs a Flush first.
func (s *Socket) Full() bool { return s.queued == s.tx.Len() }

// Flush sends what is queued, and waits for room in the socket as needed.
func (s *Socket) Flush() error {
	if s.queued == 0 {
		return nil
	}
	s.sent = 0
	var err error
	if s.patience > 0 {
		err = s.flushInTime()
	} else {
		err = s.raw.Write(s.writeFn)
	}
	s.queued = 0
	return err
}

func (s *Socket) flushInTime() error {
	if err := s.raw.Control(s.tryFn); err != nil {
		return err
	}
	if s.sent > 0 {
		s.stalled = false
	}
	for s.sent < s.queued && !s.stalled {
		before := s.sent
		if err := s.deadline(time.Now().Add(s.patience)); err != nil {
			return err
		}
		if err := s.raw.Write(s.writeFn); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		s.stalled = s.sent == before
	}
	s.dropped.Add(uint64(s.queued - s.sent))
	return nil
}
