package proof

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"

	"github.com/p4ce/p4ce/host/rdma"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Connect is Dial from a device to a service. create makes the queue pair of each attempt. The
// error has what the peer says about a refusal.
func Connect(ctx context.Context, dev rdma.Device, s rdmaprivate.Secret, r *rdmaprivate.Request, to netip.AddrPort, create func() (rdma.QP, error)) (rdma.Conn, error) {
	conn, err := Dial(s, r, dev.Addr(), to.Addr(), func(private []byte) (rdma.Conn, error) {
		qp, err := create()
		if err != nil {
			return nil, err
		}
		return dev.Dial(ctx, to, qp, private)
	})
	if why, ok := Why(err); ok {
		err = fmt.Errorf("%w: %s", err, why.Text)
	}
	return conn, err
}

// Why returns what the peer says about the refusal that an error wraps; ok is false if there is
// none, or it says nothing.
func Why(err error) (why rdmaprivate.Refusal, ok bool) {
	var rejected *rdma.RejectedError
	if !errors.As(err, &rejected) {
		return why, false
	}
	why, err = rdmaprivate.ParseRefusal(rejected.Private)
	return why, err == nil && why.Text != ""
}

// Refuse tells the sender of a request why it is refused, and logs it; at debug level if the
// request only asks for a challenge.
func Refuse(log *slog.Logger, req rdma.Request, slot uint8, err error) {
	level := slog.LevelWarn
	if Asks(err) {
		level = slog.LevelDebug
	}
	log.Log(context.Background(), level, "connection refused", "peer", req.RemoteAddr(), "err", err)
	if err := req.Reject(rdmaprivate.Refuse(slot, err)); err != nil {
		log.Debug("refusal not sent", "peer", req.RemoteAddr(), "err", err)
	}
}

// Regions is the content of an answer that lets the peer reach memory.
func Regions(list ...rdma.MR) (says []byte) {
	for _, mr := range list {
		says = rdmaprivate.Region{VA: mr.Addr(), RKey: mr.Key(), Size: uint64(mr.Len())}.Append(says)
	}
	return says
}

// Reach returns the memory of the peer that a connection reaches, which must have these sizes. If
// it does not, the connection is closed.
func Reach(conn rdma.Conn, sizes ...int) ([]rdmaprivate.Region, error) {
	var list []rdmaprivate.Region
	for i, size := range sizes {
		says := conn.Private()
		r, err := rdmaprivate.ParseRegion(says[min(len(says), i*rdmaprivate.RegionLen):])
		if err == nil && r.Size != uint64(size) {
			err = fmt.Errorf("its memory region has %d bytes, ours %d (give all servers the same log size)", r.Size, size)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		list = append(list, r)
	}
	return list, nil
}
