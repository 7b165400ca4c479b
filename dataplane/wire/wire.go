package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
)

// MaxFrame is the largest frame that a wire carries, in bytes.
const MaxFrame = 65535

// ErrNoPeer: nothing is known at the other end yet.
var ErrNoPeer = errors.New("no peer yet: nothing has been received, and the port names none")

// Wire is one end of a link.
type Wire interface {
	// ReadFrame waits for a frame and copies it into buf, which should have
	// MaxFrame bytes. After Close it returns an error that wraps
	// net.ErrClosed, os.ErrClosed or io.EOF (see Closed).
	ReadFrame(buf []byte) (int, error)
	// WriteFrame sends a frame. It may wait for the other end.
	WriteFrame(frame []byte) error
	// Up reports whether the link has a carrier, as far as it can be known.
	Up() bool
	Close() error
}

// Open opens the wire that spec names: see the package comment.
func Open(spec string) (Wire, error) {
	switch {
	case strings.HasPrefix(spec, "udp:"):
		return openUDP(spec, strings.TrimPrefix(spec, "udp:"))
	case strings.HasPrefix(spec, "unix:"):
		return openUnix(spec, strings.TrimPrefix(spec, "unix:"))
	}
	return openPacket(spec)
}

// pipe is an end of an in-memory link.
type pipe struct {
	in   <-chan []byte
	out  chan<- []byte
	done chan struct{} // closed when either end is
	end  func()
}

// Pipe returns the two ends of an in-memory link that holds up to depth frames
// per direction. Closing one end closes both.
func Pipe(depth int) (a, b Wire) {
	ab, ba, done := make(chan []byte, depth), make(chan []byte, depth), make(chan struct{})
	end := sync.OnceFunc(func() { close(done) })
	return &pipe{ba, ab, done, end}, &pipe{ab, ba, done, end}
}

func (p *pipe) ReadFrame(buf []byte) (int, error) {
	select {
	case f := <-p.in:
		return copy(buf, f), nil
	case <-p.done:
		return 0, io.EOF
	}
}

func (p *pipe) WriteFrame(frame []byte) error {
	f := append([]byte(nil), frame...)
	select {
	case p.out <- f:
		return nil
	case <-p.done:
		return io.ErrClosedPipe
	}
}

func (p *pipe) Up() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

func (p *pipe) Close() error { p.end(); return nil }

// Closed reports whether err says that the wire has been closed.
func Closed(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF)
}
