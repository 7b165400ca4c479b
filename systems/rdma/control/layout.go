package control

import (
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// branch is a copy of a group's packets that a switch makes, home or relay.
type branch struct {
	slot  int // the replica that it is for, or that represents those it is for
	port  uint16
	mac   wire.MAC // of the next hop
	relay bool     // it goes to a relay, as it came
}

// layout is what one switch holds of a group, beside registers: in the order in which it
// is put there, rewriting, copies, and then what lets packets in.
type layout struct {
	rewriting []entry
	multicast uint16
	copies    []p4rtclient.Replica
	lets      []entry
	regions   map[uint16]*layout // what is there for further regions, by their numbers at home
}

// parts are the layout's own, and those of its regions, in order; nil has none.
func (l *layout) parts() (all []*layout) {
	if l == nil {
		return nil
	}
	for _, i := range slices.Sorted(maps.Keys(l.regions)) {
		all = append(all, l.regions[i])
	}
	return append(all, l)
}

// of collects what all parts of a layout have.
func (l *layout) of(get func(*layout) []entry) (all []entry) {
	for _, p := range l.parts() {
		all = append(all, get(p)...)
	}
	return all
}

func rewritingOf(l *layout) []entry { return l.rewriting }
func letsOf(l *layout) []entry      { return l.lets }

// multicasts are the copies of all parts, by multicast group.
func (l *layout) multicasts() map[uint16][]p4rtclient.Replica {
	all := map[uint16][]p4rtclient.Replica{}
	for _, p := range l.parts() {
		if len(p.copies) > 0 {
			all[p.multicast] = p.copies
		}
	}
	return all
}

// toRelay is the entry for a copy that goes on to a relay: it is the home's to the
// representative, and the rest is as the leader has said it. rep is whom it was for
// before, nil at home.
func (t *tables) toRelay(p *group.Plan, rid uint16, b branch, rep *group.Slot) entry {
	src, dst := p.Leader.Addr, p.Switch
	if rep != nil {
		src, dst = p.Switch, rep.Addr
	}
	to := p.Slots[b.slot].Addr
	return entry{
		Table: names.TableEndpoint, Match: []field{num(names.TableEndpointKeyEgIntrMdEgressRID, rid)},
		Action: names.ActionToReplica, Args: []field{
			mac(names.ActionToReplicaParamSrcMAC, t.mac), mac(names.ActionToReplicaParamDstMAC, b.mac), ip(names.ActionToReplicaParamDstIP, to), num(names.ActionToReplicaParamDstQP, p.BCastQP),
			num(names.ActionToReplicaParamDelta, 0), num(names.ActionToReplicaParamBase, 0), num(names.ActionToReplicaParamRKey, p.RKey),
			num(names.ActionToReplicaParamICRC, addresses(src, p.Switch, dst, to, p.BCastQP, p.BCastQP)),
			num(names.ActionToReplicaParamICRCRKey, 0),
			num(names.ActionToReplicaParamNeutral, bit(p.Neutral)),
		},
	}
}

// ownPacket is the entry for a copy that is a replica's own, at the group's number of this
// switch.
func (t *tables) ownPacket(p *group.Plan, rid uint16, b branch, rep *group.Slot) entry {
	e := t.endpoint(p, b.slot)
	e.Match = []field{num(names.TableEndpointKeyEgIntrMdEgressRID, rid)}
	for i, f := range e.Args {
		switch f.Name {
		case names.ActionToReplicaParamDstMAC:
			e.Args[i] = mac(f.Name, b.mac)
		case names.ActionToReplicaParamICRC:
			if rep != nil {
				s := p.Slots[b.slot]
				e.Args[i] = num(f.Name, addresses(p.Switch, p.Switch, rep.Addr, s.Addr, p.BCastQP, s.QPN))
			}
		}
	}
	return e
}

func (t *tables) branches(p *group.Plan, index uint16, list []branch, rep *group.Slot) (l layout) {
	l.multicast, l.regions = names.MulticastGroup(index), map[uint16]*layout{}
	if rep == nil { // at home
		l.copies = t.heard(p)
	}
	for _, b := range list {
		rid := names.RID(index, b.slot)
		if b.relay {
			l.rewriting = append(l.rewriting, t.toRelay(p, rid, b, rep))
		} else {
			l.rewriting = append(l.rewriting, t.ownPacket(p, rid, b, rep))
		}
		l.copies = append(l.copies, p4rtclient.Replica{Port: b.port, Instance: rid})
	}
	return l
}

// atHome is what the home holds.
func (t *tables) atHome(p *group.Plan, list []branch) layout {
	l := t.branches(p, p.Index, list, nil)
	l.rewriting = append(l.rewriting, t.leader(p))
	l.lets = t.letting(p)
	return l
}

// atRelay is what a relay holds, under a number of its own. What the home sends it is for
// slot rep, and comes in by a port group.
func (t *tables) atRelay(p *group.Plan, index uint16, rep int, portGroup uint16, list []branch) layout {
	l := t.branches(p, index, list, &p.Slots[rep])
	l.lets = []entry{{
		Table: names.TableQP, Match: []field{ip(names.TableQPKeyHdrIPv4Src, p.Switch), ip(names.TableQPKeyHdrIPv4Dst, p.Slots[rep].Addr), num(names.TableQPKeyHdrBTHDstQP, p.BCastQP), num(names.TableQPKeyPortGroup, portGroup)},
		Action: names.ActionRelay, Args: []field{
			num(names.ActionRelayParamGroup, index), num(names.ActionRelayParamMulticastGroup, l.multicast), num(names.ActionRelayParamRKey, p.RKey), num(names.ActionRelayParamRegionMask, uint32(-p.Size)),
		},
	}}
	return l
}

// inRegion is what a switch holds of a further region of a group beside the group's own layout: of is the group's number on
// this switch, index the region's.
func (t *tables) inRegion(p *group.Plan, of, index uint16, list []branch, rep *group.Slot) *layout {
	at := *p
	at.Of, at.Index = of, index
	l := t.branches(&at, index, list, rep)
	l.lets = []entry{t.region(&at)}
	return &l
}

// without is a layout that lacks some regions.
func (l *layout) without(which func(number uint16) bool) *layout {
	out := *l
	out.regions = maps.Clone(l.regions)
	maps.DeleteFunc(out.regions, func(i uint16, _ *layout) bool { return which(i) })
	return &out
}

func sameEntry(a, b entry) bool {
	return a.Table == b.Table && a.Action == b.Action && sameMatch(a, b) && sameFields(a.Args, b.Args)
}

// sameFields compares values, as they are written and as they are read: in any order, with and without leading
// zeros.
func sameFields(a, b []field) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x field) bool {
		return !slices.ContainsFunc(b, func(y field) bool {
			return x.Name == y.Name && x.PrefixLen == y.PrefixLen && p4rtclient.ToUint(x.Value) == p4rtclient.ToUint(y.Value)
		})
	})
}

// alsoLet lets in what another layout of the same switch does, and has its regions; nil: nothing.
func (l *layout) alsoLet(o *layout) {
	if o == nil {
		return
	}
	for i, r := range o.regions {
		if l.regions[i] == nil {
			l.regions[i] = r
		}
	}
	for _, e := range o.lets {
		if !slices.ContainsFunc(l.lets, func(x entry) bool { return x.Table == e.Table && sameMatch(x, e) }) {
			l.lets = append(l.lets, e)
		}
	}
}

func (l *layout) equal(o *layout) bool {
	return slices.EqualFunc(l.rewriting, o.rewriting, sameEntry) && slices.EqualFunc(l.lets, o.lets, sameEntry) && slices.Equal(l.copies, o.copies) && l.multicast == o.multicast &&
		maps.EqualFunc(l.regions, o.regions, (*layout).equal)
}

// change makes one layout of another; either may be nil. What packets need is there before
// they need it, and goes when none does any more: what rewrites copies, then the copies, then
// who is let in, and then what is over.
func (t *tables) change(out []*p4.Update, old, now *layout) ([]*p4.Update, error) {
	at := func(list []entry, e entry) int {
		return slices.IndexFunc(list, func(o entry) bool { return o.Table == e.Table && sameMatch(o, e) })
	}
	put := func(was, is []entry) (err error) {
		for _, e := range is {
			switch i := at(was, e); {
			case i < 0:
				out, err = t.info.Updates(out, p4.Update_INSERT, e)
			case !sameEntry(was[i], e):
				out, err = t.info.Updates(out, p4.Update_MODIFY, e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	drop := func(was, is []entry) (err error) {
		for _, e := range slices.Backward(was) {
			if at(is, e) < 0 {
				if out, err = t.info.Updates(out, p4.Update_DELETE, e); err != nil {
					return err
				}
			}
		}
		return nil
	}
	rewritten, was, is := old.of(rewritingOf), old.multicasts(), now.multicasts()
	if err := put(rewritten, now.of(rewritingOf)); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(is)) {
		switch before, there := was[id]; {
		case !there:
			out = append(out, p4rtclient.Insert(p4rtclient.Group(id, is[id])))
		case !slices.Equal(is[id], before):
			out = append(out, p4rtclient.Modify(p4rtclient.Group(id, is[id])))
		}
	}
	if err := put(old.of(letsOf), now.of(letsOf)); err != nil {
		return nil, err
	}
	if err := drop(old.of(letsOf), now.of(letsOf)); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		if _, stays := is[id]; !stays {
			out = append(out, p4rtclient.Delete(p4rtclient.Group(id, nil)))
		}
	}
	err := drop(rewritten, now.of(rewritingOf))
	return out, err
}
