package mmsg

import (
	"net"
	"sync/atomic"
	"syscall"

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
	return s
}

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
	err := s.raw.Write(s.writeFn)
	s.queued = 0
	return err
}
