package smr

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/cm"
	"github.com/p4ce/p4ce/host/roce/cm/private"
	"github.com/p4ce/p4ce/host/roce/rc"
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
	Poll(dst []rc.Completion) int
}

// Path is a connection on which requests can be posted.
type Path interface {
	// QPN tells the path's completions from those of others.
	QPN() uint32
	// Post queues requests and returns how many it took. The buffers stay in use
	// until their completions. Those that are not from Endpoint.Alloc may cost a
	// copy.
	Post(wrs ...rc.SendWR) (int, error)
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

// RoCE makes an Endpoint of a software RoCEv2 device. qp gives the transport
// parameters of all paths; its queues, sizes and rights are set here.
func RoCE(dev *roce.Device, qp roce.QPConfig) Endpoint { return &roceEndpoint{dev, qp} }

type roceEndpoint struct {
	dev *roce.Device
	qp  roce.QPConfig
}

func (e *roceEndpoint) Addr() netip.Addr { return e.dev.Addr() }

func (e *roceEndpoint) NewQueue() Queue { return roce.NewCQ(1024) }

func (e *roceEndpoint) Connect(ctx context.Context, to netip.AddrPort, data []byte, q Queue, depth int) (Path, []byte, error) {
	cfg := e.qp
	cfg.SendCQ, cfg.SendQueue = q.(*roce.CQ), depth
	qp, err := e.dev.CreateQP(cfg)
	if err != nil {
		return nil, nil, err
	}
	conn, err := e.dev.Dial(ctx, to, qp, data)
	var rejected *roce.RejectedError
	if errors.As(err, &rejected) {
		if why, e := private.ParseRefusal(rejected.Private); e == nil && why.Text != "" {
			err = fmt.Errorf("%w: %s", err, why.Text)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return rocePath{conn}, conn.Private(), nil
}

func (e *roceEndpoint) Listen(port uint16) (Listener, error) {
	l, err := e.dev.Listen(port)
	if err != nil {
		return nil, err
	}
	return roceListener{l, e}, nil
}

func (e *roceEndpoint) Alloc(n int) ([]byte, error) { return make([]byte, n), nil }

func (e *roceEndpoint) Free([]byte) {}

func (e *roceEndpoint) Register(buf []byte) (Region, error) {
	return e.dev.RegisterMemory(buf, roce.LocalWrite|roce.RemoteWrite|roce.RemoteRead)
}

func (e *roceEndpoint) Deregister(r Region) { e.dev.DeregisterMemory(r.(*roce.MR)) }

type rocePath struct{ *roce.Conn }

func (p rocePath) QPN() uint32                        { return p.QP().QPN() }
func (p rocePath) Post(wrs ...rc.SendWR) (int, error) { return p.QP().PostSend(wrs...) }

type roceListener struct {
	*roce.Listener
	e *roceEndpoint
}

func (l roceListener) Accept(ctx context.Context) (Request, error) {
	r, err := l.Listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return roceRequest{r, l.e}, nil
}

type roceRequest struct {
	*roce.Request
	e *roceEndpoint
}

func (r roceRequest) Prepare() (Grant, error) {
	cfg := r.e.qp
	cfg.Access = roce.RemoteWrite | roce.RemoteRead
	qp, err := r.e.dev.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	return &roceGrant{req: r.Request, qp: qp}, nil
}

func (r roceRequest) Reject(data []byte) error {
	return r.Request.Reject(cm.ReasonConsumer, data)
}

type roceGrant struct {
	req  *roce.Request
	qp   *roce.QP
	conn *roce.Conn // after Accept
}

func (g *roceGrant) Accept(ctx context.Context, data []byte) (err error) {
	g.conn, err = g.req.Accept(ctx, g.qp, data)
	return err
}

func (g *roceGrant) Revoke() { g.qp.SetAccess(0) }

func (g *roceGrant) Done() <-chan struct{} { return g.conn.Done() }

func (g *roceGrant) Close() error {
	if g.conn == nil {
		g.qp.Destroy()
		return nil
	}
	return g.conn.Close()
}
