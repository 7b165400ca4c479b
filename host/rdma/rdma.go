package rdma

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
)

// Errors of all devices.
var (
	ErrClosed       = errors.New("rdma: closed")
	ErrDisconnected = errors.New("rdma: the peer has disconnected")
	ErrStale        = errors.New("rdma: the peer has forgotten the connection (has it restarted?)")
	ErrTimeout      = errors.New("rdma: the peer does not answer connection management")
)

// RejectedError is returned by Dial when the peer refuses.
type RejectedError struct {
	Reason  cm.Reason
	Private []byte // what the peer's application says about it, zero-padded
}

func (e *RejectedError) Error() string { return "rdma: connection rejected: " + e.Reason.String() }

// Device is an RDMA device with one IPv4 address.
type Device interface {
	// Addr returns the device's IP address.
	Addr() netip.Addr
	// NewCQ makes a completion queue with room for n completions to begin with.
	NewCQ(n int) (CQ, error)
	// CreateQP makes a queue pair. Receives may be posted to it before it is given
	// to Dial or Accept.
	CreateQP(QPConfig) (QP, error)
	// Dial connects qp to the service on a port of the peer and waits until the
	// connection is established, refused or ctx ends. The connection owns qp from
	// then on; if Dial fails, qp is destroyed. private is at most cm.REQUserLen
	// bytes.
	Dial(ctx context.Context, to netip.AddrPort, qp QP, private []byte) (Conn, error)
	// Listen receives connection requests to a port of rdma_cm's TCP port space.
	Listen(port uint16) (Listener, error)
	// Alloc returns n zero bytes, which begin at a page, to be registered or used in
	// requests without a copy. They last until Free, also after Close.
	Alloc(n int) ([]byte, error)
	// Free releases memory from Alloc, exactly as Alloc returned it. The memory must no longer be
	// registered, used by a request, or read.
	Free(buf []byte)
	// RegisterMemory makes buf, which is from Alloc, reachable with the given
	// rights. The buffer belongs to the region until DeregisterMemory.
	RegisterMemory(buf []byte, access Access) (MR, error)
	// ShareMemory makes the bytes of a region of another device of the same kind reachable through
	// this device, too. It is for a server's second interface.
	ShareMemory(mr MR, access Access) (MR, error)
	// DeregisterMemory takes a region away from all peers, at once.
	DeregisterMemory(MR)
	// NewDomain makes a protection domain in addition to the device's own, which RegisterMemory and
	// queue pairs use by default.
	NewDomain() (Domain, error)
	// Close ends all connections without waiting for peers, and flushes all work.
	Close() error
}

// Carrier is a Device that may know when its link is down. Connections last while it is: their timeouts end them.
type Carrier interface {
	// OnCarrier has f called each time that the link goes down or up, by one goroutine at a time, and at
	// once if it is down. f may not close the Device. It is called once.
	OnCarrier(f func(up bool))
}

// Domain is a protection domain: the peer of a queue pair reaches the regions of the queue pair's
// domain and no other memory, whichever key it names. So a leaked key opens nothing.
type Domain interface {
	// RegisterMemory is Device.RegisterMemory for this domain.
	RegisterMemory(buf []byte, access Access) (MR, error)
	// ShareMemory is Device.ShareMemory for this domain; the region may also be one
	// of another domain of the same device.
	ShareMemory(mr MR, access Access) (MR, error)
	// Close releases the domain, after its regions and queue pairs.
	Close() error
}

// QPConfig configures a queue pair. Zero values mean the device's defaults.
type QPConfig struct {
	SendCQ, RecvCQ CQ // of the same device; one is made for each that is nil

	// Domain is the protection domain, nil for the device's own. A queue pair of
	// another one serves its peer only: it posts no requests.
	Domain     Domain
	Access     Access        // what the peer may do
	SendQueue  int           // work requests, default 128
	RecvQueue  int           // receives, default 128
	MaxReads   int           // READs and atomics in flight, each way; default 16
	AckTimeout time.Duration // default about 67 ms; negative means never; rounded up to 4.096 us << n
	Retry      int           // resends before giving up, at most 7, which is the default; negative means none
	RNRRetry   int           // the same for receiver-not-ready; 7, the default, never gives up
	RNRDelay   time.Duration // what the peer is asked to wait, default 1.28 ms
	TOS        uint8         // of all packets
}

// CQ is a completion queue. It never loses a completion.
type CQ interface {
	// Poll moves up to len(dst) completions, oldest first, and returns their
	// number. It does not wait and does not allocate.
	Poll(dst []Completion) int
	// Wait returns when the queue is not empty, or with ctx's error. One goroutine
	// at a time waits.
	Wait(ctx context.Context) error
}

// QP is a queue pair.
type QP interface {
	// QPN returns the number of the queue pair.
	QPN() uint32
	// SendCQ returns the queue of the completions of PostSend.
	SendCQ() CQ
	// RecvCQ returns the queue of the completions of PostRecv.
	RecvCQ() CQ
	// PostSend queues requests. It stops at the first that does not fit and returns
	// how many were queued.
	PostSend(wrs ...SendWR) (int, error)
	// PostRecv queues buffers for SENDs of the peer; see PostSend.
	PostRecv(wrs ...RecvWR) (int, error)
	// SetAccess changes what the peer may do, in any state. When it returns, no further request of the
	// peer is executed under the old rights. The device's documentation says what happens to a request
	// of several packets that has begun. If SetAccess fails, the queue pair is in state Error, where
	// the peer can do nothing.
	SetAccess(a Access) error
	// State returns the state of the transport.
	State() State
	// Destroy flushes all work and frees the number. A connected queue pair is
	// destroyed by closing its Conn.
	Destroy()
}

// Conn is a connected queue pair.
type Conn interface {
	// QP returns the queue pair. It is destroyed when the connection is closed.
	QP() QP
	// Private returns the private data that the peer sent with its REQ or REP,
	// zero-padded to the message's length.
	Private() []byte
	// RemoteAddr returns the peer's address.
	RemoteAddr() netip.Addr
	// Done is closed when the connection has ended: closed by either side, or
	// failed. A device without notifications learns of a failed request when its
	// completion is polled.
	Done() <-chan struct{}
	// Err returns why the connection ended; nil while Done is open. After Close it
	// is ErrClosed; a transport failure is an StatusError.
	Err() error
	// Close ends the connection: work is flushed, the queue pair destroyed, and the
	// peer told. It does not wait for the peer's answer. Closing twice is harmless.
	Close() error
}

// Listener receives the connection requests to one port.
type Listener interface {
	// Accept waits for the next connection request.
	Accept(ctx context.Context) (Request, error)
	// Close stops listening and rejects the requests that wait. Accepted connections continue.
	Close() error
}

// Request is a peer's wish to connect. Its receiver calls Accept or Reject, once.
type Request interface {
	// Private returns the private data of the peer, zero-padded to cm.REQUserLen
	// bytes.
	Private() []byte
	// RemoteAddr returns the address of the peer.
	RemoteAddr() netip.Addr
	// Accept connects qp to the peer and waits until the peer confirms, or ctx
	// ends. What the peer sends is served from the moment Accept is called. The
	// connection owns qp from then on; if Accept fails, qp is destroyed. private is
	// at most cm.REPPrivateLen bytes.
	Accept(ctx context.Context, qp QP, private []byte) (Conn, error)
	// Reject refuses the request, as its consumer. private is at most
	// cm.REJPrivateLen bytes.
	Reject(private []byte) error
}

// MR is a registered memory region. ReadAt, WriteAt and Read exclude each other as far as that
// matters. They exclude peers only on a software device. On hardware, a peer may write during Read:
// it may see an incomplete WRITE, in any order. So a consumer needs a means, such as a checksum, to
// check that its copy is complete. Only Uint64 is never torn.
type MR interface {
	// Key returns the key, L_key and R_key in one.
	Key() uint32
	// Addr returns the virtual address of the first byte.
	Addr() uint64
	// Len returns the length in bytes.
	Len() int
	// ReadAt copies len(p) bytes at off out of the region (io.ReaderAt).
	ReadAt(p []byte, off int64) (int, error)
	// WriteAt copies p into the region at off (io.WriterAt). Nothing is written if
	// p does not fit.
	WriteAt(p []byte, off int64) (int, error)
	// Read calls f with the region's bytes. f must not keep or change the slice,
	// and must return soon.
	Read(f func(b []byte))
	// Write calls f with the region's bytes, which f may change. Nothing else in this process reads
	// them meanwhile. f must not keep the slice, and must return soon.
	Write(f func(b []byte))
	// Uint64 returns the 8 bytes at off, a multiple of 8, in the host's byte order: either all from
	// before or all from after a peer's change of these 8 bytes together. Later reads see everything
	// that was written before the returned value.
	Uint64(off int64) uint64
	// OnRemoteWrite makes the device call f when n bytes at off may have been
	// changed by a peer. f must not block and must not call into the device. nil
	// ends the calls.
	OnRemoteWrite(f func(off, n int))
}
