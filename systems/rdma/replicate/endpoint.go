package replicate

import (
	"context"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
)

// Endpoint is what the protocol needs of an RDMA endpoint. The values that cross
// it are those of package rc.
type Endpoint interface {
	// Addr is the endpoint's address.
	Addr() netip.Addr
	// NewQueue makes a completion queue for paths.
	NewQueue() Queue
	// Connect makes a path to a service; depth is the number of requests that may
	// be outstanding. The second result is the private data of the reply.
	Connect(ctx context.Context, to netip.AddrPort, private []byte, q Queue, depth int) (Path, []byte, error)
	// Listen receives requests for paths.
	Listen(port uint16) (Listener, error)
	// Alloc returns n zero bytes that can be registered, and from which and into
	// which requests go without a copy: an RNIC reaches no memory of the Go heap.
	// They last until Free, or until the device is closed.
	Alloc(n int) ([]byte, error)
	// Free gives memory from Alloc back. It is not registered any more, and no
	// request uses it.
	Free(buf []byte)
	// Register makes memory from Alloc such that peers can write and read it.
	Register(buf []byte) (Region, error)
	Deregister(Region)
}

// Queue collects completions of several paths.
type Queue interface {
	Wait(ctx context.Context) error
	Poll(dst []rdma.Completion) int
}

// Path is a connection on which requests can be posted.
type Path interface {
	// QPN tells the path's completions from those of others.
	QPN() uint32
	// Post queues requests and returns how many it took. The buffers stay in use
	// until their completions. Those that are not from Endpoint.Alloc may cost a
	// copy.
	Post(wrs ...rdma.SendWR) (int, error)
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Listener receives requests for paths.
type Listener interface {
	Accept(ctx context.Context) (Request, error)
	Close() error
}

// Request is a peer's wish for a path to this endpoint.
type Request interface {
	Private() []byte
	RemoteAddr() netip.Addr
	// Prepare makes a path on which the peer will be allowed to write and read
	// registered memory. It tells the peer nothing.
	Prepare() (Grant, error)
	Reject(private []byte) error
}

// Grant is a path on which a peer may write and read.
type Grant interface {
	// Accept connects the peer to the path.
	Accept(ctx context.Context, private []byte) error
	// Revoke takes the peer's rights away, also before Accept: no write is
	// executed after it returns.
	Revoke()
	// Done is closed when a path that was accepted has ended.
	Done() <-chan struct{}
	Close() error
}

// Region is registered memory.
type Region interface {
	Addr() uint64
	Key() uint32
	Read(f func(b []byte))
	WriteAt(p []byte, off int64) (int, error)
	OnRemoteWrite(f func(off, n int))
}
