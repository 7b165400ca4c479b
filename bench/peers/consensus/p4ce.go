package consensus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/kernel"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/replicate"
)

// P4CE says who leads our own log. Its replicas are processes of p4ce node.
type P4CE struct {
	Interface string
	Address   netip.Addr
	Replicas  []netip.Addr
	Port      uint16     // of their service
	Switch    netip.Addr // the zero Addr: direct mode
	LogSize   int        // of the replicas, too
	Window    int        // values under way at once: at least the clients
	Share     int        // bytes of a WRITE that waiting values share; 0: a WRITE for each
}

// ackTimeout is p4ce node's.
const ackTimeout = 20 * time.Millisecond

// p4ceLog is the leader of our own replicated log.
type p4ceLog struct {
	*replicate.Leader
	device io.Closer
	cfg    P4CE
}

// OpenP4CE opens the leader of our own log, with what p4ce node has by default: the kernel
// answers where the interface can, else packet sockets are used.
func OpenP4CE(ctx context.Context, c P4CE) (Log, error) {
	if len(c.Replicas) < 1 || len(c.Replicas) > private.MaxReplicas {
		return nil, fmt.Errorf("%d replicas: 1 to %d", len(c.Replicas), private.MaxReplicas)
	}
	var opts roce.Options
	var wire link.Wire
	const beside = 1 << 20 // memory of the responder for what is not the log
	r, err := kernel.Open(c.Interface, c.Address, c.LogSize+beside)
	if err == nil {
		opts.Responder, opts.Loop, wire = r, true, r.Wire()
	} else {
		slog.Warn("packet sockets are used", "err", err)
		if wire, err = packet.Open(c.Interface, c.Address); err != nil {
			return nil, err
		}
	}
	dev, err := roce.Open(wire, opts)
	if err != nil {
		return nil, err
	}
	l, err := replicate.OpenLeader(ctx, replicate.LeaderConfig{
		Device: roce.RDMA(dev, roce.QPConfig{}), AckTimeout: ackTimeout, Retry: 7, Term: 1, Replicas: c.Replicas, Port: c.Port, Switch: c.Switch,
		Policy: private.PolicyQuorum, Cluster: 1, LogSize: c.LogSize, Window: c.Window,
	})
	if err != nil {
		return nil, errors.Join(err, dev.Close())
	}
	l.Share(c.Share)
	return &p4ceLog{Leader: l, device: dev, cfg: c}, nil
}

// AwaitLeader implements Log: it connects, through the switch if there is one.
func (l *p4ceLog) AwaitLeader(ctx context.Context) error {
	if l.cfg.Switch.IsValid() {
		return l.Accelerate(ctx)
	}
	return l.Direct(ctx)
}

// Decided implements Log.
func (l *p4ceLog) Decided() uint64 { return l.Stats().Decided }

// Check says whether the leader still is in the mode that was asked for.
func (l *p4ceLog) Check() error {
	want := "direct"
	if l.cfg.Switch.IsValid() {
		want = "accelerated"
	}
	if got := l.Mode().String(); got != want {
		return fmt.Errorf("the leader fell back to %s mode: the figures are not of %s mode", got, want)
	}
	return nil
}

// Close implements Log.
func (l *p4ceLog) Close() error { return errors.Join(l.Leader.Close(), l.device.Close()) }
