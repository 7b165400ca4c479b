package datagram

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/internal/mmsg"
)

const (
	batch = 64
	// relink is how often a Unix socket is connected to its peer again.
	relink = 200 * time.Millisecond
)

// conn is what *net.UDPConn and *net.UnixConn have in common.
type conn interface {
	syscall.Conn
	SetWriteDeadline(time.Time) error
	Close() error
}

// socket is what wires and ports have in common: a datagram socket with a peer, or one
// that sends to whom it has heard last.
type socket struct {
	conn conn
	rx   *mmsg.Receiver
	tx   *mmsg.Sender
	path string // of the socket, "" if it has none in the file system
	quit chan struct{}
	wg   sync.WaitGroup

	known atomic.Bool // there is a peer
	peer  []byte      // who was heard last; of the receiving goroutine
}

// open opens a socket that receives frames of up to most bytes, with room for queue
// frames to be sent, of size bytes each at first.
func open(a addresses, most, queue, size int) (*socket, error) {
	s := &socket{quit: make(chan struct{})}
	var err error
	if s.conn, s.path, err = a.listen(); err != nil {
		return nil, err
	}
	raw, err := s.conn.SyscallConn()
	if err == nil {
		var bad error
		if err = raw.Control(func(fd uintptr) { bad = mmsg.SetBuffers(int(fd)) }); err == nil {
			err = bad
		}
	}
	if err != nil {
		_ = s.Close()
		return nil, err
	}
	s.tx = mmsg.NewSender(raw, s.conn.SetWriteDeadline, queue, size)
	if len(a.peer) == 0 {
		s.rx = mmsg.NewReceiver(raw, batch, most, 0, s.learn)
		return s, nil
	}
	s.rx = mmsg.NewReceiver(raw, batch, most, 0, nil)
	s.tx.SetPeer(a.peer)
	s.known.Store(true)
	if a.network == "unix" {
		s.wg.Go(func() { s.keepLinked(raw, a.peer) })
	}
	return s, nil
}

// learn makes the sender of a datagram the peer.
func (s *socket) learn(b *mmsg.Batch, i int) []byte {
	// A Unix socket without a path has a family at most.
	if from := b.Name(i); len(from) > unix.SizeofShort && !bytes.Equal(from, s.peer) {
		s.peer = bytes.Clone(from) // the Sender keeps it
		s.tx.SetPeer(s.peer)
		s.known.Store(true)
	}
	return b.Buf(i)[:b.Received(i)]
}

// keepLinked connects a Unix socket to its peer, again and again, because the peer
// may come, go and come back. Frames are sent to the peer's path anyway; but a
// sender to a socket that is connected to it is not held to the socket's queue of 10
// datagrams (net.unix.max_dgram_qlen), only to its own send buffer. The price is that a
// peer that has come back cannot send to the socket until it is connected again.
func (s *socket) keepLinked(raw syscall.RawConn, peer []byte) {
	t := time.NewTicker(relink)
	defer t.Stop()
	for {
		// It fails as long as nobody is there.
		_ = raw.Control(func(fd uintptr) {
			_, _, _ = unix.Syscall(unix.SYS_CONNECT, fd, uintptr(unsafe.Pointer(&peer[0])), uintptr(len(peer)))
		})
		select {
		case <-s.quit:
			return
		case <-t.C:
		}
	}
}

// Receive implements link.Link.
func (s *socket) Receive(frames [][]byte) (int, error) { return s.rx.Receive(frames) }

// Buffer implements link.Link. It never waits.
func (s *socket) Buffer() []byte { return s.tx.Buffer() }

// Send implements link.Link.
func (s *socket) Send(frame []byte) { s.tx.Queue(frame) }

// Flush implements link.Link. It never waits.
func (s *socket) Flush() error { return s.tx.Flush() }

// Counters returns what has become of frames.
func (s *socket) Counters() link.Counters {
	c := s.tx.Counters()
	c.TooLong = s.rx.TooLong()
	return c
}

// Close implements link.Link. It removes the socket from the file system.
func (s *socket) Close() error {
	err := s.conn.Close()
	if err == nil && s.tx != nil {
		close(s.quit)
		s.tx.Close()
		s.wg.Wait()
	}
	if s.path != "" {
		if e := os.Remove(s.path); err == nil && e != nil && !os.IsNotExist(e) {
			err = e
		}
	}
	return err
}
