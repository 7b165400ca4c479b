package roce

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cm"
)

// RDMA returns d as an rdma.Device. Its queue pairs get the parameters of base that rdma.QPConfig
// lacks.
func RDMA(d *Device, base QPConfig) rdma.Device { return &provider{d, base} }

type provider struct {
	*Device
	base QPConfig
}

func (p *provider) NewCQ(n int) (rdma.CQ, error) {
	q := NewCQ(n)
	q.dev = p.Device
	return q, nil
}

func (p *provider) CreateQP(c rdma.QPConfig) (rdma.QP, error) {
	cfg := p.base
	cfg.SendCQ, _ = c.SendCQ.(*CQ)
	cfg.RecvCQ, _ = c.RecvCQ.(*CQ)
	cfg.Access = c.Access
	if c.Domain != nil {
		m, ok := c.Domain.(providerDomain)
		if !ok {
			return nil, fmt.Errorf("queue pair: %T is not a protection domain of a software device", c.Domain)
		}
		cfg.Domain = m.m
	}
	set(&cfg.SendQueue, c.SendQueue)
	set(&cfg.RecvQueue, c.RecvQueue)
	set(&cfg.MaxReads, c.MaxReads)
	set(&cfg.AckTimeout, c.AckTimeout)
	set(&cfg.Retry, c.Retry)
	set(&cfg.RNRRetry, c.RNRRetry)
	set(&cfg.RNRDelay, c.RNRDelay)
	set(&cfg.TOS, c.TOS)
	qp, err := p.Device.CreateQP(cfg)
	if err != nil {
		return nil, err
	}
	return providerQP{qp}, nil
}

// set overrides what the configuration of one queue pair says.
func set[T comparable](v *T, with T) {
	var zero T
	if with != zero {
		*v = with
	}
}

func (p *provider) Dial(ctx context.Context, to netip.AddrPort, qp rdma.QP, private []byte) (rdma.Conn, error) {
	c, err := p.Device.Dial(ctx, to, qp.(providerQP).QP, private)
	if err != nil {
		return nil, err
	}
	return providerConn{c}, nil
}

func (p *provider) Listen(port uint16) (rdma.Listener, error) {
	l, err := p.Device.Listen(port)
	if err != nil {
		return nil, err
	}
	return providerListener{l}, nil
}

func (p *provider) Alloc(n int) ([]byte, error) { return p.Device.Alloc(n), nil }

func (p *provider) NewDomain() (rdma.Domain, error) {
	return providerDomain{p.Device.NewDomain()}, nil
}

func (p *provider) RegisterMemory(buf []byte, access rdma.Access) (rdma.MR, error) {
	return providerDomain{p.own()}.RegisterMemory(buf, access)
}

func (p *provider) ShareMemory(mr rdma.MR, access rdma.Access) (rdma.MR, error) {
	return providerDomain{p.own()}.ShareMemory(mr, access)
}

// providerDomain shows a Domain as an rdma.Domain. Nothing of it is left when its
// regions and queue pairs are gone.
type providerDomain struct{ m *Domain }

func (p providerDomain) Close() error { return nil }

func (p providerDomain) RegisterMemory(buf []byte, access rdma.Access) (rdma.MR, error) {
	mr, err := p.m.RegisterMemory(buf, access)
	if err != nil {
		return nil, err
	}
	return mr, nil
}

func (p providerDomain) ShareMemory(mr rdma.MR, access rdma.Access) (rdma.MR, error) {
	o, ok := mr.(*MR)
	if !ok {
		return nil, fmt.Errorf("memory region: %T is not memory of a software device (all interfaces of a server must be of one kind)", mr)
	}
	shared, err := p.m.ShareMemory(o, access)
	if err != nil {
		return nil, err
	}
	return shared, nil
}

func (p *provider) DeregisterMemory(mr rdma.MR) { p.Device.DeregisterMemory(mr.(*MR)) }

type providerQP struct{ *QP }

func (q providerQP) SendCQ() rdma.CQ { return q.QP.SendCQ() }
func (q providerQP) RecvCQ() rdma.CQ { return q.QP.RecvCQ() }

func (q providerQP) SetAccess(a rdma.Access) error {
	q.QP.SetAccess(a)
	return nil
}

type providerConn struct{ *Conn }

func (c providerConn) QP() rdma.QP { return providerQP{c.Conn.QP()} }

type providerListener struct{ *Listener }

func (l providerListener) Accept(ctx context.Context) (rdma.Request, error) {
	r, err := l.Listener.Accept(ctx)
	if err != nil {
		return nil, err
	}
	return providerRequest{r}, nil
}

type providerRequest struct{ *Request }

func (r providerRequest) Accept(ctx context.Context, qp rdma.QP, private []byte) (rdma.Conn, error) {
	c, err := r.Request.Accept(ctx, qp.(providerQP).QP, private)
	if err != nil {
		return nil, err
	}
	return providerConn{c}, nil
}

func (r providerRequest) Reject(private []byte) error {
	return r.Request.Reject(cm.ReasonConsumer, private)
}
