package link

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// Link is one end of a link.
//
// Receive is called by one goroutine. Buffer, Send and Flush are called by one
// goroutine at a time, concurrently with Receive. Close may be called at any time.
type Link interface {
	// Receive waits for frames and puts up to len(frames) into it. They are valid
	// until the next call. After Close it returns an error that wraps net.ErrClosed.
	// Other errors are those of one call: the caller counts them and goes on.
	Receive(frames [][]byte) (int, error)
	// Buffer returns an empty slice with room for one frame, to be filled and
	// given to Send. It may wait for room, but not for a peer; a link that cannot
	// make room drops and counts frames rather than stop its user.
	Buffer() []byte
	// Send queues the frame built in the last Buffer.
	Send(frame []byte)
	// Flush hands over what was queued since the last Flush.
	Flush() error
	Close() error
}

// Pollable is a Link whose user does other work on the goroutine that receives, and waits for both in one place.
// Poll and Wait are called by that goroutine, in place of Receive.
type Pollable interface {
	Link
	// Poll is Receive without waiting: it returns 0 frames when there are none.
	Poll(frames [][]byte) (int, error)
	// Wait waits until Poll may have frames, Wake is called, or d has passed (d < 0: it never does). It may
	// return early. The goroutine's thread waits with it, so a time is as exact as the kernel's timers are.
	Wait(d time.Duration) error
	// Rest is Wait, but frames do not end it: those that come are taken together.
	Rest(d time.Duration) error
	// Wake ends the Wait or Rest that is under way, or the next one. It may be called at any time.
	Wake()
}

// Arrivals is a Link that knows what has come and was not received yet.
type Arrivals interface {
	// Arrived returns how many frames have come so far: those that Receive has returned, and
	// those that it would. It may be called at any time.
	Arrived() uint64
}

// MaxFrame is the largest frame that a Port takes, in bytes.
const MaxFrame = 65535

// Port is a switch's end of a link: it takes frames from anybody to anybody, up to
// MaxFrame bytes. Nothing waits but Receive, because a switch must not be stopped at one
// port by what is behind another. What append makes of Buffer's slice may be sent too.
// Up and Counters may be called at any time.
type Port interface {
	Link
	// Up reports whether the other end may be there, as far as it is known.
	Up() bool
	Counters() Counters
}

// Counters of a Port count frames since it was opened.
type Counters struct {
	Sent, SentBytes uint64 // handed over to the other end, or to the interface
	NoRoom          uint64 // not sent: those before have not been taken
	Refused         uint64 // not sent: no peer, the interface is down, or the frame is too long
	TooLong         uint64 // not received: longer than MaxFrame
}

// Wire is a server's end of a link: it has an address. Frames that are no RoCEv2
// packets for that address may be delivered; the endpoint drops and counts them.
// Resolve may be called at any time.
type Wire interface {
	Link
	// Info returns what the endpoint must know; it does not change.
	Info() Info
	// Resolve finds the Ethernet address that frames to ip must carry.
	Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error)
}

// Carrier is a Wire that knows when its link is down.
type Carrier interface {
	// OnCarrier has f called each time that the link goes down or up, by one goroutine at a time, and at
	// once if it is down. f may not close the Wire. It is called once.
	OnCarrier(f func(up bool))
}

// Reporter is a Wire that has something to say to whoever operates it: what it has changed of its interface, and what becomes of
// that.
type Reporter interface {
	// Report has it said to a logger; what was to say before, at once. It is called once.
	Report(to *slog.Logger)
}

// Info describes a Wire.
type Info struct {
	Addr    netip.Addr // IPv4
	MAC     wire.MAC
	MTU     int    // of the link, in bytes of IP packet
	SrcPort uint16 // UDP source port that all frames must have, 0 for any
}
