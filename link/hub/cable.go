package hub

import (
	"sync/atomic"

	"github.com/p4ce/p4ce/link"
)

// End is one end of a cable, a link.Port.
type End struct {
	queue // of what comes in
	other *End
	tx    []byte

	sent, bytes, noRoom, refused atomic.Uint64
}

// Cable returns the two ends of a cable, which carries frames of anybody to anybody, and
// holds up to n frames per direction. Closing one end closes both.
func Cable(n int) (a, b *End) {
	a, b = &End{tx: make([]byte, 0, frameCap)}, &End{tx: make([]byte, 0, frameCap)}
	a.other, b.other = b, a
	a.init(n)
	b.init(n)
	return a, b
}

// Buffer implements link.Port.
func (e *End) Buffer() []byte { return e.tx[:0] }

// Send implements link.Port. It may be called by any goroutine with a frame of its own,
// one that was not built in a Buffer.
func (e *End) Send(frame []byte) {
	if len(frame) == 0 || len(frame) > link.MaxFrame {
		e.refused.Add(1)
		return
	}
	switch open, room := e.other.put(frame); {
	case !open:
		e.refused.Add(1)
	case !room:
		e.noRoom.Add(1)
	default:
		e.sent.Add(1)
		e.bytes.Add(uint64(len(frame)))
	}
}

// Flush implements link.Port: there is nothing left to do.
func (e *End) Flush() error { return nil }

// Up implements link.Port: the cable is not closed.
func (e *End) Up() bool { return e.isOpen() }

// Counters implements link.Port.
func (e *End) Counters() link.Counters {
	return link.Counters{Sent: e.sent.Load(), SentBytes: e.bytes.Load(), NoRoom: e.noRoom.Load(), Refused: e.refused.Load()}
}

// Close implements link.Port. Frames that are in the cable may still be received.
func (e *End) Close() error {
	e.close()
	e.other.close()
	return nil
}
