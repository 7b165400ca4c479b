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
	raw     syscall.RawConn
	rx      *Batch
	offset  int
	each    func(*Batch, int) []byte
	tooLong atomic.Uint64

	// Arguments and results of read, which is made once so that waiting does not
	// allocate.
	read       func(uintptr) bool
	limit, got int
	err        syscall.Errno
}

// NewReceiver makes room for n datagrams of size bytes less offset, which lie at offset
// in their buffers. each, if there is one, makes a frame of a datagram with what came with
// it: addresses and control messages. Without, these are not asked for.
func NewReceiver(raw syscall.RawConn, n, size, offset int, each func(b *Batch, i int) []byte) *Receiver {
	r := &Receiver{raw: raw, rx: NewBatch(n, size), offset: offset, each: each}
	named := each != nil
	if !named {
		r.each = func(b *Batch, i int) []byte { return b.Buf(i)[offset : offset+b.Received(i)] }
	}
	r.read = func(fd uintptr) bool {
		r.got, r.err = r.rx.Receive(fd, r.offset, r.limit, named)
		return r.err != unix.EAGAIN && r.err != unix.EINTR
	}
	return r
}

// Receive waits for datagrams and puts up to len(frames) of them there. One that is
// longer than its buffer is dropped and counted.
func (r *Receiver) Receive(frames [][]byte) (int, error) {
	for {
		r.limit, r.got, r.err = len(frames), 0, 0
		if err := r.raw.Read(r.read); err != nil {
			// The poller knows no other reason than that the file is closed.
			return 0, net.ErrClosed
		}
		if r.err != 0 {
			return 0, r.err
		}
		k := 0
		for i := range r.got {
			if r.rx.Truncated(i) {
				r.tooLong.Add(1)
				continue
			}
			frames[k] = r.each(r.rx, i)
			k++
		}
		if k > 0 {
			return k, nil
		}
	}
}

// TooLong returns how many datagrams were longer than their buffers.
func (r *Receiver) TooLong() uint64 { return r.tooLong.Load() }

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

// NewSocket makes both halves: n datagrams of size bytes each; those received are as
// NewReceiver says. named is for sockets that do not know where datagrams go: Name says it
// of each.
func NewSocket(raw syscall.RawConn, n, size, offset int, each func(b *Batch, i int) []byte, named bool) *Socket {
	s := &Socket{Receiver: NewReceiver(raw, n, size, offset, each), tx: NewBatch(n, size), named: named}
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

// Buffer returns an empty slice with room for one datagram, to be filled and given to
// Queue. It makes room with a Flush.
func (s *Socket) Buffer() []byte {
	if s.queued == s.tx.Len() {
		// Errors of single datagrams are losses, which are counted.
		_ = s.Flush()
	}
	return s.tx.Buf(s.queued)[:0]
}

// Name is where the address of the next datagram is to be put.
func (s *Socket) Name() *unix.RawSockaddrInet4 { return s.tx.Inet4(s.queued) }

// Queue makes p, which lies in the next buffer, part of the next Flush.
func (s *Socket) Queue(p []byte) {
	s.tx.Set(s.queued, p, s.named)
	s.queued++
}

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
