package mmsg

import (
	"fmt"
	"net"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// buffer is what SetBuffers asks for in each direction, in bytes.
const buffer = 4 << 20

// SetBuffers makes a socket's buffers large: as large as allowed, for who is not
// privileged.
func SetBuffers(fd int) error {
	for _, o := range [][2]int{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, o[0], buffer) != nil {
			// This one is cut silently.
			if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, o[1], buffer); err != nil {
				return fmt.Errorf("socket buffer: %w", err)
			}
		}
	}
	return nil
}

// Receiver receives from a datagram socket whose waiting is done by Go's poller.
type Receiver struct {
	raw    syscall.RawConn
	rx     *Batch
	offset int
	named  bool

	// Arguments and results of read, which is made once so that waiting does not
	// allocate.
	read       func(uintptr) bool
	limit, got int
	err        syscall.Errno
}

// NewReceiver makes room for n datagrams of size bytes, which lie at offset in their
// buffers. named asks for addresses and control messages too.
func NewReceiver(raw syscall.RawConn, n, size, offset int, named bool) *Receiver {
	r := &Receiver{raw: raw, rx: NewBatch(n, size), offset: offset, named: named}
	r.read = func(fd uintptr) bool {
		r.got, r.err = r.rx.Receive(fd, r.offset, r.limit, r.named)
		return r.err != unix.EAGAIN && r.err != unix.EINTR
	}
	return r
}

// Receive waits for datagrams and returns their number, at most limit.
func (r *Receiver) Receive(limit int) (int, error) {
	r.limit, r.got, r.err = limit, 0, 0
	if err := r.raw.Read(r.read); err != nil {
		// The poller knows no other reason than that the file is closed.
		return 0, net.ErrClosed
	}
	if r.err != 0 {
		return 0, r.err
	}
	return r.got, nil
}

// RX returns the received datagrams.
func (r *Receiver) RX() *Batch { return r.rx }

// Socket is the receive and send halves of a datagram socket. Receive may run
// concurrently with the rest.
type Socket struct {
	*Receiver
	tx     *Batch
	named  bool
	queued int
	sent   int
	errors atomic.Uint64
	write  func(uintptr) bool
}

// NewSocket makes both halves: n datagrams of size bytes each; received ones lie at
// offset in their buffers. named is for sockets that are not connected.
func NewSocket(raw syscall.RawConn, n, size, offset int, named bool) *Socket {
	s := &Socket{Receiver: NewReceiver(raw, n, size, offset, named), tx: NewBatch(n, size), named: named}
	s.write = func(fd uintptr) bool {
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
	err := s.raw.Write(s.write)
	s.queued = 0
	return err
}
