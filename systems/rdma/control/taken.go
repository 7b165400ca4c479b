package control

import (
	"errors"
	"slices"

	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// A restarted controller reads its switches back one by one, in any order. A group's home knows the group: its plan is in
// the record, and checked against who is let in. A relay knows for which home and queue pair it copies, and what. Each
// relay that is found is announced to the home, which makes the tree what it should be now, beginning with
// what is there (make-before-break), or has the relay removed, if there is no such group:
//
//	relay's App ---announced---> home's App ---set---> relays ---> home's own entries ---> what is over goes
//	                                   |
//	                                   +---unset--> relay
//
// A home that is not connected is waited for: its groups run, and their relays with them.

// errAway: what a switch holds is not known.
var errAway = errors.New("the controller has not yet taken it over")

// found says what is known of something that the switch holds at a group's number: the group that it is, and whether
// it stays.
func (p *planter) found(index uint16, parts *parts, records []group.Record) (plan *group.Plan, keep bool) {
	if len(parts.relay) > 0 {
		return nil, p.foundRelay(index, parts)
	}
	g := p.grown[index]
	switch {
	case g != nil && g.have != nil && !g.over && len(parts.scatter) == 1 && parts.isGroup &&
		uint32(key(parts.scatter[0], names.TableQPKeyHdrBTHDstQP)) == g.plan.BCastQP:
		plan = g.plan
	case g == nil:
		if plan = parts.recorded(index, records); plan != nil {
			g = newGrown(plan)
			p.grown[index] = g
		}
	}
	if plan != nil && !g.busy {
		g.have = parts.layout(index)
	}
	return plan, plan != nil
}

// foundRelay keeps a relay, unless it is none that could have been made.
func (p *planter) foundRelay(index uint16, parts *parts) (keep bool) {
	keyOf := func(e entry) relayKey {
		return relayKey{addrOf(e.Get(names.TableQPKeyHdrIPv4Src)), uint32(key(e, names.TableQPKeyHdrBTHDstQP))}
	}
	k := keyOf(parts.relay[0])
	if len(parts.scatter)+len(parts.gather) > 0 || parts.leader != nil || slices.ContainsFunc(parts.relay, func(e entry) bool { return keyOf(e) != k }) {
		return false
	}
	r := p.relays[k]
	switch {
	case r == nil:
		p.relays[k] = &relayed{index: index, have: parts.layout(index), orphan: true, regions: map[uint16]uint16{}}
		p.a.core.Take(index)
	case r.over || r.have == nil || r.index != index || r.found != nil:
		return false
	case r.orphan:
		r.have = parts.layout(index)
	default:
		r.found = parts.layout(index)
	}
	return true
}

// announce tells a home of a relay that was found.
func (p *planter) announce(k relayKey) {
	name := p.f.names[k.home]
	home := p.f.app(name)
	if home == nil || home.Session == nil {
		p.unset(k, func(error) {}) // of a switch that is none of ours any more
		return
	}
	home.Hand(func() { home.tree.announced(p, k) })
}

// announced takes a relay into the tree of its group, or has it removed.
func (p *planter) announced(at *planter, k relayKey) {
	if !p.there {
		p.announcements = append(p.announcements, func() { p.announced(at, k) })
		return
	}
	for _, g := range p.grown {
		if keyOf(g.plan) != k {
			continue
		}
		if name := at.a.conf.name; g.relays[name].sw == "" {
			g.relays[name] = relayAt{sw: name}
		}
		g.dirty = !g.over
		p.step(g)
		return
	}
	at.a.Hand(func() { at.unset(k, func(error) {}) })
}
