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

// Endpoint is what a leader or a replica runs on: see Over and RoCE.
type Endpoint = *Device

// Device is an RDMA device, with the transport parameters of all queue pairs that are made on it.
type Device struct {
	rdma.Device
	qp rdma.QPConfig
}

// Over makes an Endpoint of an RDMA device. qp gives the transport parameters of all
// connections; their queues, sizes and rights are set here.
func Over(dev rdma.Device, qp rdma.QPConfig) Endpoint { return &Device{dev, qp} }

// RoCE makes an Endpoint of a software RoCEv2 device.
func RoCE(dev *roce.Device, qp roce.QPConfig) Endpoint {
	return Over(roce.RDMA(dev, qp), rdma.QPConfig{})
}

// queueSize is the room that a queue for several connections has to begin with.
const queueSize = 1024

// connect connects to a service, with room for so many requests that are not completed.
func (d *Device) connect(ctx context.Context, to netip.AddrPort, data []byte, queue rdma.CQ, depth int) (rdma.Conn, error) {
	cfg := d.qp
	cfg.SendCQ, cfg.SendQueue = queue, depth
	qp, err := d.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	conn, err := d.Dial(ctx, to, qp, data)
	var rejected *rdma.RejectedError
	if errors.As(err, &rejected) {
		if why, e := private.ParseRefusal(rejected.Private); e == nil && why.Text != "" {
			err = fmt.Errorf("%w: %s", err, why.Text)
		}
	}
	return conn, err
}

// prepare makes a queue pair on which a peer will be allowed to write and read. It tells the peer nothing.
func (d *Device) prepare() (*grant, error) {
	cfg := d.qp
	cfg.Access = rdma.RemoteWrite | rdma.RemoteRead
	qp, err := d.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	return &grant{qp: qp}, nil
}

// grant is a connection on which a peer may write and read.
type grant struct {
	qp   rdma.QP
	conn rdma.Conn // after accept
}

func (g *grant) accept(ctx context.Context, req rdma.Request, data []byte) (err error) {
	g.conn, err = req.Accept(ctx, g.qp, data)
	return err
}

// revoke takes the peer's rights away, also before accept: no write is executed after it returns. It relies on what
// a failed SetAccess guarantees: the queue pair does nothing for its peer any more.
func (g *grant) revoke() { _ = g.qp.SetAccess(0) }

func (g *grant) close() error {
	if g.conn == nil {
		g.qp.Destroy()
		return nil
	}
	return g.conn.Close()
}
