package replicate

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Over makes an Endpoint of an RDMA device. qp gives the transport parameters of all
// paths; its queues, sizes and rights are set here.
func Over(dev rdma.Device, qp rdma.QPConfig) Endpoint { return &endpoint{dev, qp} }

// RoCE makes an Endpoint of a software RoCEv2 device.
func RoCE(dev *roce.Device, qp roce.QPConfig) Endpoint {
	return Over(roce.RDMA(dev, qp), rdma.QPConfig{})
}

type endpoint struct {
	rdma.Device
	qp rdma.QPConfig
}

// queueSize is the room that a queue for several paths has to begin with.
const queueSize = 1024

func (e *endpoint) NewQueue() Queue {
	q, err := e.Device.NewCQ(queueSize)
	if err != nil {
		return failedQueue{err}
	}
	return q
}

// failedQueue tells whoever uses it why it could not be made.
type failedQueue struct{ err error }

func (q failedQueue) Wait(context.Context) error { return q.err }
func (q failedQueue) Poll([]rdma.Completion) int { return 0 }

func (e *endpoint) Connect(ctx context.Context, to netip.AddrPort, data []byte, q Queue, depth int) (Path, []byte, error) {
	if f, failed := q.(failedQueue); failed {
		return nil, nil, f.err
	}
	cfg := e.qp
	cfg.SendCQ, cfg.SendQueue = q.(rdma.CQ), depth
	qp, err := e.CreateQP(cfg)
	if err != nil {
		return nil, nil, err
	}
	conn, err := e.Dial(ctx, to, qp, data)
	var rejected *rdma.RejectedError
	if errors.As(err, &rejected) {
		if why, e := private.ParseRefusal(rejected.Private); e == nil && why.Text != "" {
			err = fmt.Errorf("%w: %s", err, why.Text)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return path{conn, qp}, conn.Private(), nil
}

func (e *endpoint) Listen(port uint16) (Listener, error) {
	l, err := e.Device.Listen(port)
	if err != nil {
		return nil, err
	}
	return listener{l, e}, nil
}

func (e *endpoint) Register(buf []byte) (Region, error) {
	return e.RegisterMemory(buf, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
}

func (e *endpoint) Deregister(r Region) { e.DeregisterMemory(r.(rdma.MR)) }

type path struct {
	rdma.Conn
	qp rdma.QP
}

func (p path) QPN() uint32                          { return p.qp.QPN() }
func (p path) Post(wrs ...rdma.SendWR) (int, error) { return p.qp.PostSend(wrs...) }

type listener struct {
	rdma.Listener
	e *endpoint
}

func (l listener) Accept(ctx context.Context) (Request, error) {
	r, err := l.Listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return request{r, l.e}, nil
}

type request struct {
	rdma.Request
	e *endpoint
}

func (r request) Prepare() (Grant, error) {
	cfg := r.e.qp
	cfg.Access = rdma.RemoteWrite | rdma.RemoteRead
	qp, err := r.e.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	return &grant{req: r.Request, qp: qp}, nil
}

type grant struct {
	req  rdma.Request
	qp   rdma.QP
	conn rdma.Conn // after Accept
}

func (g *grant) Accept(ctx context.Context, data []byte) (err error) {
	g.conn, err = g.req.Accept(ctx, g.qp, data)
	return err
}

// Revoke relies on what a failed SetAccess guarantees: the queue pair does nothing
// for its peer any more.
func (g *grant) Revoke() { _ = g.qp.SetAccess(0) }

func (g *grant) Done() <-chan struct{} { return g.conn.Done() }

func (g *grant) Close() error {
	if g.conn == nil {
		g.qp.Destroy()
		return nil
	}
	return g.conn.Close()
}
