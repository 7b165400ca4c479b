package group

import (
	"fmt"
	"math/bits"

	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// maxRegion is the largest region of a group, in bytes: the switch checks the
// low 32 bits of addresses, and lengths below 2^31.
const maxRegion = 1 << 31

// Plan is everything that the switch holds for one group. A Plan that has been
// handed out is not changed any more.
type Plan struct {
	Index    uint16 // of the registers and counters
	Switch   wire.Addr
	Leader   Endpoint
	BCastQP  uint32
	RKey     uint32 // virtual
	Size     uint64 // of the region, a power of two
	Needed   int    // f: acknowledgements that make a quorum
	StartPSN wire.PSN
	Slots    []Slot
	Neutral  bool // keep the ICRC valid

	// Of a further region of a group. All else is the group's, but for Index, Size, and the
	// slots' RKey and VA.
	Region bool
	Of     uint16 // the group's index
	Base   uint64 // virtual address of the first byte, a multiple of Size
}

// Endpoint is a side of a connection through the switch.
type Endpoint struct {
	Addr wire.Addr
	QPN  uint32
	Host Host
}

// Slot is a replica of a group.
type Slot struct {
	Endpoint
	AggrQP   uint32
	RKey     uint32
	VA       uint64
	StartPSN wire.PSN // with which requests to this replica begin
}

// MulticastID is the id of the group's multicast group.
func (p *Plan) MulticastID() uint16 { return names.MulticastGroup(p.Index) }

// RID is the replication id of a slot's copies.
func (p *Plan) RID(slot int) uint16 { return names.RID(p.Index, slot) }

// Members is the bit mask of the slots in use.
func (p *Plan) Members() uint8 { return uint8(1<<len(p.Slots) - 1) }

// Delta is what is added to the leader's PSN for a slot.
func (p *Plan) Delta(slot int) wire.PSN {
	return wire.PSNOf(uint32(p.Slots[slot].StartPSN) - uint32(p.StartPSN))
}

// regionSize rounds the smallest region down to a power of two.
func regionSize(sizes ...uint64) uint64 {
	least := uint64(maxRegion)
	for _, s := range sizes {
		least = min(least, s)
	}
	if least == 0 {
		return 0
	}
	return 1 << (bits.Len64(least) - 1)
}

// commonPSN picks the leader's first PSN: the one that most replicas start
// with, so that their PSNs need no change; the lowest slot's of equals.
func commonPSN(list []wire.PSN) wire.PSN {
	best, votes := list[0], 0
	for _, p := range list {
		n := 0
		for _, q := range list {
			if p == q {
				n++
			}
		}
		if n > votes {
			best, votes = p, n
		}
	}
	return best
}

// uses reports whether a host is part of the group.
func (p *Plan) uses(a wire.Addr) bool {
	if p.Leader.Addr == a {
		return true
	}
	for _, s := range p.Slots {
		if s.Addr == a {
			return true
		}
	}
	return false
}

// checkPipes refuses a group whose ports are not on one pipe: what ACKs say is
// remembered in registers, and each pipe has its own. Where they are in the egress
// of the leader's port, all replicas may be anywhere.
func (c *Core) checkPipes(p *Plan) error {
	ends := []Endpoint{p.Leader}
	if !c.anyPipe {
		for _, s := range p.Slots {
			ends = append(ends, s.Endpoint)
		}
	}
	for _, e := range ends {
		switch {
		case e.Host.Pipe == NoPipe:
			return fmt.Errorf("port %d of %v is on no known pipe [p4ce controller --pipe]", e.Host.Port, e.Addr)
		case e.Host.Pipe != p.Leader.Host.Pipe:
			return fmt.Errorf("two pipes: port %d of %v is on pipe %d, port %d of the leader %v on pipe %d [one pipe, or p4ce controller --gather egress]",
				e.Host.Port, e.Addr, e.Host.Pipe, p.Leader.Host.Port, p.Leader.Addr, p.Leader.Host.Pipe)
		}
	}
	return nil
}

// relocated is the plan with the places of its hosts looked up again; nil when
// nothing has changed.
func (p *Plan) relocated(d Directory) *Plan {
	n := *p
	n.Slots = append([]Slot(nil), p.Slots...)
	changed := false
	look := func(e *Endpoint) {
		if h, ok := d.Host(e.Addr); ok && h != e.Host {
			e.Host, changed = h, true
		}
	}
	look(&n.Leader)
	for i := range n.Slots {
		look(&n.Slots[i].Endpoint)
	}
	if !changed {
		return nil
	}
	return &n
}
