package roce

import (
	"context"
	"net/netip"

	"github.com/p4ce/p4ce/host/roce/wire"
)

// Wire carries Ethernet frames for a Device.
//
// Receive is called by one goroutine. Buffer, Send and Flush are called by one
// goroutine at a time, concurrently with Receive. Resolve and Close may be called
// at any time. Frames that are no RoCEv2 packets for the wire's address may be
// delivered; the Device drops and counts them.
type Wire interface {
	// Info returns what the Device must know; it does not change.
	Info() WireInfo
	// Receive waits for frames and puts up to len(frames) into it. They are valid
	// until the next call. After Close it returns net.ErrClosed. Other errors are
	// those of one call: the Device counts them and goes on.
	Receive(frames [][]byte) (int, error)
	// Buffer returns an empty slice with room for one frame, to be filled and
	// given to Send. It may wait for room, but not for a peer; a wire that cannot
	// make room drops and counts frames rather than stop the Device.
	Buffer() []byte
	// Send queues the frame built in the last Buffer.
	Send(frame []byte)
	// Flush hands over what was queued since the last Flush.
	Flush() error
	// Resolve finds the Ethernet address that frames to ip must carry.
	Resolve(ctx context.Context, ip netip.Addr) (wire.MAC, error)
	Close() error
}

// WireInfo describes a Wire.
type WireInfo struct {
	Addr    netip.Addr // the device's IPv4 address
	MAC     wire.MAC
	MTU     int    // of the link, in bytes of IP packet
	SrcPort uint16 // UDP source port that all frames must have, 0 for any
}

// MaxFrame is the largest frame that a Device builds: path MTU 4096 and all
// headers. A Wire's buffers have at least this room, or that of its link's MTU.
const MaxFrame = 4096 + wire.MaxOverhead

// PathMTU returns the largest path MTU that fits a link MTU in bytes, or 0 when
// not even 256 does.
func PathMTU(link int) int {
	for mtu := 4096; mtu >= 256; mtu /= 2 {
		// The headers of the longest request and the ICRC; Ethernet does not
		// count.
		if mtu+wire.MaxOverhead-wire.EthernetLen <= link {
			return mtu
		}
	}
	return 0
}
