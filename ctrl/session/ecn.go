package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
)

// Of p4/lib/mark.p4: a meter with a cell per port, and a table without keys whose action has the limit of queues.
const (
	meterVirtualQueue = "virtual_queue"
	tableQueueLimit   = "queue_limit"
	actionLimit       = "limit"
	paramDepth        = "depth"

	queueCell      = 80 // bytes: the unit of a Tofino's queue depth
	queueUnlimited = 1<<32 - 1
)

// Defaults and limits of ECN.
const (
	DefaultECNShare = 95
	DefaultECNQueue = 64 << 10
	maxLinkRate     = 8e12
	maxECNQueue     = 1 << 30
)

// ECN says when a switch marks packets whose senders react to marks (RFC 3168). The zero value: never.
type ECN struct {
	// Rate is that of the links in bit/s; Ports are those of another rate. 0: the port has no virtual queue.
	Rate  uint64
	Ports map[uint16]uint64
	// Share is the percentage of a link's rate at which its virtual queue drains (default 95).
	Share int
	// Queue is how many bytes wait before packets are marked: in the virtual queue, and in the real one
	// where the switch knows it (default 65,536; with the default and no rate, ECN is off).
	Queue int
}

// on is whether anything is marked.
func (c *ECN) on() bool { return c.Rate != 0 || len(c.Ports) > 0 || c.Queue != 0 }

// check looks at it.
func (c *ECN) check() error {
	rates := []uint64{c.Rate}
	for _, p := range slices.Sorted(maps.Keys(c.Ports)) {
		if p > topology.MaxPort {
			return fmt.Errorf("ECN: port %d: ports go from 0 to %d", p, topology.MaxPort)
		}
		rates = append(rates, c.Ports[p])
	}
	for _, r := range rates {
		if r > maxLinkRate {
			return fmt.Errorf("ECN: link rate of %d bit/s: at most 8 Tb/s", r)
		}
	}
	switch {
	case c.Share < 0 || c.Share > 100:
		return fmt.Errorf("ECN: %d%% of the link's rate: 1 to 100 [a virtual queue that drains faster than the link never fills]", c.Share)
	case c.Queue < 0 || c.Queue > maxECNQueue:
		return fmt.Errorf("ECN: queue of %d bytes: at most %d", c.Queue, maxECNQueue)
	}
	return nil
}

// meter is the virtual queue of a link; nil without a rate.
func (c *ECN) meter(rate uint64) *p4.MeterConfig {
	if rate == 0 {
		return nil
	}
	bytes := int64(max(1, rate/8*uint64(cmp.Or(c.Share, DefaultECNShare))/100))
	burst := int64(cmp.Or(c.Queue, DefaultECNQueue))
	return &p4.MeterConfig{Cir: bytes, Cburst: burst, Pir: bytes, Pburst: burst}
}

// Updates are what a switch needs for it, whatever it had before; none for a program that does not mark.
func (c *ECN) Updates(info *p4rtclient.Info) ([]*p4.Update, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !info.HasMeter(meterVirtualQueue) {
		return nil, nil
	}
	limit := uint64(queueUnlimited)
	if c.on() {
		limit = uint64(cmp.Or(c.Queue, DefaultECNQueue) / queueCell)
	}
	e, err := info.Entry(p4rtclient.Entry{Table: tableQueueLimit, Default: true, Action: actionLimit, Args: []p4rtclient.Field{{Name: paramDepth, Value: p4rtclient.Uint(limit)}}})
	if err != nil {
		return nil, err
	}
	out := []*p4.Update{p4rtclient.Modify(e)}
	cell := func(port int, rate uint64) error {
		e, err := info.Meter(meterVirtualQueue, port, c.meter(rate))
		out = append(out, p4rtclient.Modify(e))
		return err
	}
	if err := cell(-1, c.Rate); err != nil {
		return nil, err
	}
	for _, p := range slices.Sorted(maps.Keys(c.Ports)) {
		if err := cell(int(p), c.Ports[p]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mark configures when the switch marks. A switch that has no meters goes on without.
func (s *Session) mark(ctx context.Context) error {
	u, err := s.conf.ECN.Updates(s.info)
	if err != nil {
		return err
	}
	if len(u) == 0 {
		if s.conf.ECN.on() {
			s.log.Warn("the program makes no ECN marks")
		}
		return nil
	}
	err = s.client.Write(ctx, u...)
	var we *p4rtclient.WriteError
	if errors.As(err, &we) && we.Only(codes.Unimplemented) {
		if s.conf.ECN.on() {
			s.log.Warn("the switch has no virtual queues: only its own queues mark (ECN)", "err", err)
		}
		return nil
	}
	return err
}
