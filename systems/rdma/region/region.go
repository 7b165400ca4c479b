package region

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// Group is a running group, as its leader knows it.
type Group struct {
	Switch   netip.Addr
	Port     uint16 // where the replicas take requests for regions
	RKey     uint32 // the leader's R_key of the group
	LeaderID uint16
	Term     uint64
	Secret   rdmaprivate.Secret
}

// Region is memory of all replicas of a group, at one address for the leader.
type Region struct {
	rdmaprivate.Region
	conn rdma.Conn
}

// Add makes the leader's addresses [va, va+size) a region of each replica.
func Add(ctx context.Context, dev rdma.Device, g Group, va, size uint64) (*Region, error) {
	r := rdmaprivate.Request{Form: rdmaprivate.FormRegion, LeaderID: g.LeaderID, Term: g.Term, Port: g.Port, GroupKey: g.RKey, RegionVA: va, RegionSize: size}
	conn, err := proof.Connect(ctx, dev, g.Secret, &r, netip.AddrPortFrom(g.Switch, g.Port), func() (rdma.QP, error) { return dev.CreateQP(rdma.QPConfig{}) })
	if why, ok := proof.Why(err); ok {
		return nil, fmt.Errorf("region: %s", why.Text)
	}
	if err != nil {
		return nil, fmt.Errorf("region: %w", err)
	}
	out := &Region{conn: conn}
	if out.Region, err = rdmaprivate.ParseRegion(conn.Private()); err != nil {
		conn.Close()
		return nil, fmt.Errorf("region: %w", err)
	}
	return out, nil
}

// Close removes the region.
func (r *Region) Close() error { return r.conn.Close() }

// Done is closed when the region is gone.
func (r *Region) Done() <-chan struct{} { return r.conn.Done() }

// Asked reads a connection request: whether it is for a region, its size, and its address for the
// leader. The caller checks whether the sender may ask (proof.Guard), also for the request for a
// challenge that comes first.
func Asked(req rdma.Request) (r rdmaprivate.Request, ok bool) {
	r, err := rdmaprivate.ParseRequest(req.Private())
	return r, err == nil && r.Form == rdmaprivate.FormRegion
}

// Offer answers a request for a region with memory. After the returned connection has ended, no
// peer writes there any more. x is the Exchange of the request, from proof.Guard; nil without a
// token.
func Offer(ctx context.Context, dev rdma.Device, req rdma.Request, x *rdmaprivate.Exchange, mr rdma.MR) (rdma.Conn, error) {
	qp, err := dev.CreateQP(rdma.QPConfig{})
	if err != nil {
		return nil, errors.Join(err, req.Reject(rdmaprivate.Refusal{Slot: rdmaprivate.NoSlot, Text: err.Error()}.Append(nil)))
	}
	return proof.Accept(ctx, req, x, qp, proof.Regions(mr))
}
