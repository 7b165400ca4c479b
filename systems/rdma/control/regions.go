package control

import (
	"errors"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"

	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// A further region of a group over several switches goes the group's way: at its home and each of its relays it
// has copies of its own, to the same places. It is there when the home lets it in, which comes last, and it is taken away
// from there first; relays keep it for as long as something may be under way to them. A region without a grown group is
// answered at once: there is nothing of it.
//
//	Install --> relays, from the leaves up --> home ---------------> Done
//	Remove  --> home --> grace, if there are relays --> Done --> relays

// further is a further region of a group.
type further struct {
	plan  *group.Plan
	fresh bool // nobody has been told that it is there
	asked bool // its set-up is under way
	over  bool
	left  bool // the home has nothing of it any more
}

var errNoGroup = errors.New("the group has ended")

func (p *planter) installRegion(plan *group.Plan) {
	g := p.grown[plan.Of]
	if g == nil {
		if of := p.a.core.Plan(plan.Of); of != nil {
			g = p.known(of)
		}
	}
	if g == nil || g.over || g.ending {
		p.a.core.Done(p.a.Now(), plan.Index, errNoGroup)
		return
	}
	g.regions[plan.Index] = &further{plan: plan, fresh: true}
	g.dirty = true
	p.step(g)
}

func (p *planter) updateRegion(plan *group.Plan) {
	g := p.grown[plan.Of]
	if g == nil || g.regions[plan.Index] == nil {
		return
	}
	g.regions[plan.Index].plan, g.dirty = plan, true
	p.step(g)
}

func (p *planter) removeRegion(plan *group.Plan) {
	g := p.grown[plan.Of]
	if g == nil || g.regions[plan.Index] == nil {
		p.a.core.Done(p.a.Now(), plan.Index, nil)
		return
	}
	g.regions[plan.Index].over = true
	p.step(g)
}

// wantedRegions are those that there should be, in order.
func (g *grown) wantedRegions() (list []*group.Plan) {
	for _, i := range slices.Sorted(maps.Keys(g.regions)) {
		if r := g.regions[i]; !r.over {
			list = append(list, r.plan)
		}
	}
	return list
}

// leaving: a region is over, and the home has it still.
func (g *grown) leaving() bool {
	for _, r := range g.regions {
		if r.over && !r.left {
			return true
		}
	}
	return false
}

// shrink has the home let nothing more into regions that are over.
func (p *planter) shrink(g *grown) {
	g.busy = true
	var leaving []*further
	for _, i := range slices.Sorted(maps.Keys(g.regions)) {
		if r := g.regions[i]; r.over && !r.left {
			leaving = append(leaving, r)
		}
	}
	l := g.have
	if l != nil {
		l = l.without(func(i uint16) bool { return g.regions[i] != nil && g.regions[i].over })
	}
	u, err := p.a.tables.change(nil, g.have, l)
	p.order(u, err, func(err error) {
		g.busy = false
		for _, r := range leaving {
			if r.left = err == nil; !r.left { // the core asks again
				r.over = false
				p.a.core.Done(p.a.Now(), r.plan.Index, err)
			}
		}
		switch {
		case err != nil:
		case len(g.relays) > 0:
			g.have, g.sweep = l, p.a.Now()+grace
		default:
			g.have = l
			p.forgetRegions(g)
		}
		p.step(g)
	}, codes.NotFound)
}

// forgetRegions is when nothing of those that have left is under way any more.
func (p *planter) forgetRegions(g *grown) {
	for _, i := range slices.Sorted(maps.Keys(g.regions)) {
		if g.regions[i].left {
			delete(g.regions, i)
			p.a.core.Done(p.a.Now(), i, nil)
		}
	}
}

// regionsDone answers for regions whose set-up has ended.
func (p *planter) regionsDone(g *grown, err error) {
	for _, i := range slices.Sorted(maps.Keys(g.regions)) {
		if r := g.regions[i]; r.asked {
			r.fresh, r.asked = false, false
			p.a.core.Done(p.a.Now(), i, err)
		}
	}
}

// reserve takes numbers of this switch for regions at a relay. Without room for all there are none.
func (p *planter) reserve(r *relayed, regions []*group.Plan) error {
	var taken []uint16
	for _, reg := range regions {
		if _, has := r.regions[reg.Index]; has {
			continue
		}
		index, ok := p.a.core.Reserve(p.a.Now())
		if !ok {
			for _, i := range taken {
				p.a.core.Release(p.a.Now(), r.regions[i])
				delete(r.regions, i)
			}
			return errNoRoom
		}
		r.regions[reg.Index] = index
		taken = append(taken, reg.Index)
	}
	return nil
}

// release gives back the numbers of regions that a relay has nothing of.
func (p *planter) release(r *relayed, has *layout) {
	for _, i := range slices.Sorted(maps.Keys(r.regions)) {
		if has == nil || has.regions[i] == nil {
			p.a.core.Release(p.a.Now(), r.regions[i])
			delete(r.regions, i)
		}
	}
}
