package group

import (
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// A further region of a group is added by a connection of its own, from the leader to the switch
// (p4ce.FormRegion) and from the switch to each replica, over which nothing is sent. It is there
// until that connection ends. It has a number like a group: of its multicast group and its
// entries for copies. Everything else is the group's.

// MaxRegions is how many regions a group may have beside its first.
const MaxRegions = 16

// minRegion is the least size of one, in bytes.
const minRegion = 64

// regionMembers checks a request for a region, and returns its group, its cluster and the group's replicas. The
// error is what the leader is told.
func (c *Core) regionMembers(now time.Duration, r *private.Request, leader, local wire.Addr) (*group, proven, []member, error) {
	var p *group
	for _, g := range c.groups {
		if g.rkey == r.GroupKey && g.parent == nil && g.phase == running && g.leader.addr == leader {
			p = g
		}
	}
	switch {
	case p == nil:
		return nil, proven{}, nil, fmt.Errorf("leader %v has no group with this R_key", leader)
	case r.RegionSize < minRegion || r.RegionSize > maxRegion || bits.OnesCount64(r.RegionSize) != 1:
		return nil, proven{}, nil, fmt.Errorf("a region of %d bytes: want a power of two, %d to %d", r.RegionSize, minRegion, maxRegion)
	case r.RegionVA%r.RegionSize != 0:
		return nil, proven{}, nil, fmt.Errorf("a region of %d bytes at %#x: want a multiple of its size", r.RegionSize, r.RegionVA)
	case r.RegionVA > 1<<32-r.RegionSize:
		return nil, proven{}, nil, fmt.Errorf("a region of %d bytes at %#x: must end at or below 4 GiB", r.RegionSize, r.RegionVA)
	case r.RegionVA < p.plan.Size:
		return nil, proven{}, nil, fmt.Errorf("a region of %d bytes at %#x overlaps the group's first, of %d bytes at 0", r.RegionSize, r.RegionVA, p.plan.Size)
	}
	of, err := c.cluster(now, r, leader, local)
	if err != nil {
		return nil, proven{}, nil, err
	}
	for i, s := range p.slots {
		if s.part != nil {
			return nil, proven{}, nil, errors.New("a group for which other switches gather has only one region")
		}
		if c.cfg.Reachable != nil {
			if err := c.cfg.Reachable(s.addr); err != nil {
				return nil, proven{}, nil, fmt.Errorf("replica %d: %w", i, err)
			}
		}
	}
	n := 0
	for _, i := range c.sorted() {
		o := c.groups[i]
		if o.parent != p {
			continue
		}
		n++
		if at, size := o.req.RegionVA, o.req.RegionSize; r.RegionVA < at+size && at < r.RegionVA+r.RegionSize {
			return nil, proven{}, nil, fmt.Errorf("a region of %d bytes at %#x overlaps that of %d bytes at %#x", r.RegionSize, r.RegionVA, size, at)
		}
	}
	if n >= MaxRegions {
		return nil, proven{}, nil, fmt.Errorf("the group already has %d regions besides its first", n)
	}
	var out []member
	for _, s := range p.slots {
		out = append(out, member{s.addr, r.Port})
	}
	return p, of, out, nil
}

// regionPlan is the plan of a region, whose replicas have all answered: p has where they are.
func (c *Core) regionPlan(g *group, p *Plan) (*Plan, error) {
	for i, r := range g.slots {
		if r.region.Size < g.req.RegionSize {
			return nil, fmt.Errorf("the region of replica %d (%v) has %d bytes, and the leader wants %d", i, r.addr, r.region.Size, g.req.RegionSize)
		}
	}
	if g.parent.phase != running {
		return nil, errors.New("the group has ended")
	}
	out := *g.parent.plan
	out.Slots = append([]Slot(nil), out.Slots...)
	for i, r := range g.slots {
		out.Slots[i].RKey, out.Slots[i].VA = r.region.RKey, r.region.VA-g.req.RegionVA
	}
	out.Index, out.Size, out.Region, out.Of, out.Base = g.index, g.req.RegionSize, true, g.parent.index, g.req.RegionVA
	return &out, nil
}
