package control

import (
	"context"
	"fmt"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// image is what a switch holds.
type image struct {
	tables map[string][]entry
	groups map[uint16][]p4rtclient.Replica
}

// networkTables are those about the switch and its hosts.
var networkTables = []string{names.TablePortGroup, names.TableMaySend, names.TableOwnMAC, names.TableOwnIP, names.TableSwitchIP, names.TableL2, names.TablePaths, names.TableL3}

// stateTables are the tables that the controller writes.
var stateTables = append(slices.Clone(networkTables), names.TableQP, names.TableEndpoint, names.TableLeader, names.TableRegion)

func (t *tables) read(ctx context.Context, c *p4rtclient.Client) (*image, error) {
	im := &image{tables: map[string][]entry{}}
	for _, name := range stateTables {
		list, err := c.ReadTable(ctx, t.info, name)
		if err != nil {
			return nil, err
		}
		im.tables[name] = list
	}
	var err error
	im.groups, err = c.ReadGroups(ctx)
	return im, err
}

// groupParam is the parameter with the group of an entry of qp.
func groupParam(e entry) string {
	switch e.Action {
	case names.ActionScatter:
		return names.ActionScatterParamGroup
	case names.ActionRelay:
		return names.ActionRelayParamGroup
	}
	return names.ActionGatherParamGroup
}

func arg(e entry, name string) uint64 { return p4rtclient.ToUint(e.Arg(name)) }

func key(e entry, name string) uint64 { return p4rtclient.ToUint(e.Get(name)) }

func addrOf(b []byte) (a wire.Addr) {
	copy(a[:], b)
	return a
}

func macOf(b []byte) (m wire.MAC) {
	copy(m[:], b)
	return m
}

// parts are the entries of one group index.
type parts struct {
	scatter  []entry
	gather   []entry
	relay    []entry
	endpoint map[int]entry // by slot
	leader   *entry
	replicas []p4rtclient.Replica
	isGroup  bool
}

// groupParts sorts what a switch holds by group.
func (im *image) groupParts() map[uint16]*parts {
	out := map[uint16]*parts{}
	of := func(index uint16) *parts {
		if out[index] == nil {
			out[index] = &parts{endpoint: map[int]entry{}}
		}
		return out[index]
	}
	for _, e := range im.tables[names.TableQP] {
		p := of(uint16(arg(e, groupParam(e))))
		switch e.Action {
		case names.ActionScatter:
			p.scatter = append(p.scatter, e)
		case names.ActionRelay:
			p.relay = append(p.relay, e)
		default:
			p.gather = append(p.gather, e)
		}
	}
	for _, e := range im.tables[names.TableEndpoint] {
		index, slot := names.OfRID(uint16(key(e, names.TableEndpointKeyEgIntrMdEgressRID)))
		of(index).endpoint[slot] = e
	}
	for _, e := range im.tables[names.TableLeader] {
		of(uint16(key(e, names.TableLeaderKeyHdrBridgeGroup))).leader = &e
	}
	for id, reps := range im.groups {
		p := of(names.GroupOfMulticast(id))
		p.replicas, p.isGroup = reps, true
	}
	return out
}

// plans returns the complete groups that a switch holds, and the updates that
// remove the rest: what a controller left behind that died in the middle. known is for groups and
// relays of which there is more to know than the switch says: keep says that nothing is to be removed.
func (t *tables) plans(im *image, known func(index uint16, p *parts) (of *group.Plan, keep bool)) (complete []*group.Plan, leftovers []*p4.Update, err error) {
	all := im.groupParts()
	indexes := make([]uint16, 0, len(all))
	for i := range all {
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	// Further regions end with the controller that has made them: first what lets WRITEs in.
	if leftovers, err = t.info.Updates(nil, p4.Update_DELETE, im.tables[names.TableRegion]...); err != nil {
		return nil, nil, err
	}
	for _, i := range indexes {
		p, keep := known(i, all[i])
		if p == nil && keep {
			continue
		}
		if p == nil {
			p = t.plan(i, all[i])
		}
		if p != nil {
			complete = append(complete, p)
			continue
		}
		if leftovers, err = t.discard(leftovers, i, all[i]); err != nil {
			return nil, nil, err
		}
	}
	return complete, leftovers, nil
}

// plan puts a group together again, nil when a part is missing. PSNs come back
// relative to the leader's, which is all that matters once a group runs.
func (t *tables) plan(index uint16, p *parts) *group.Plan {
	var heard, copies []p4rtclient.Replica
	for _, r := range p.replicas {
		if r.Instance == names.RIDLeader {
			heard = append(heard, r)
		} else {
			copies = append(copies, r)
		}
	}
	if len(p.scatter) != 1 || p.leader == nil || !p.isGroup || len(p.gather) == 0 ||
		len(p.gather) != len(p.endpoint) || len(p.gather) != len(copies) {
		return nil
	}
	sc, ld := p.scatter[0], *p.leader
	// As it was when the entries were written; hosts are looked up again later.
	place := func(qp entry, mac wire.MAC, port uint16) group.Host {
		return group.Host{MAC: mac, Port: port, PortGroup: uint16(key(qp, names.TableQPKeyPortGroup)), Pipe: t.wiring.pipe(port)}
	}
	out := &group.Plan{
		Index: index, Switch: addrOf(sc.Get(names.TableQPKeyHdrIPv4Dst)), BCastQP: uint32(key(sc, names.TableQPKeyHdrBTHDstQP)), RKey: uint32(arg(sc, names.ActionScatterParamRKey)),
		Size: uint64(-uint32(arg(sc, names.ActionScatterParamRegionMask))), Needed: int(arg(p.gather[0], names.ActionGatherParamF)), Neutral: arg(ld, names.ActionToLeaderParamNeutral) == 1,
		Leader: group.Endpoint{
			Addr: addrOf(sc.Get(names.TableQPKeyHdrIPv4Src)), QPN: uint32(arg(ld, names.ActionToLeaderParamDstQP)),
			Host: place(sc, macOf(ld.Arg(names.ActionToLeaderParamDstMAC)), uint16(arg(p.gather[0], names.ActionGatherParamLeaderPort))),
		},
		Slots: make([]group.Slot, len(p.gather)),
	}
	for _, g := range p.gather {
		i := int(arg(g, names.ActionGatherParamSlot))
		e, ok := p.endpoint[i]
		if ok && uint32(arg(e, names.ActionToReplicaParamDstQP)) == out.BCastQP && uint32(arg(e, names.ActionToReplicaParamRKey)) == out.RKey {
			return nil // a copy for a relay: what is behind it, nobody says
		}
		at := slices.IndexFunc(copies, func(r p4rtclient.Replica) bool { return r.Instance == names.RID(index, i) })
		if i >= len(out.Slots) || !ok || at < 0 || out.Slots[i].AggrQP != 0 {
			return nil
		}
		out.Slots[i] = group.Slot{
			Endpoint: group.Endpoint{
				Addr: addrOf(g.Get(names.TableQPKeyHdrIPv4Src)), QPN: uint32(arg(e, names.ActionToReplicaParamDstQP)),
				Host: place(g, macOf(e.Arg(names.ActionToReplicaParamDstMAC)), copies[at].Port),
			},
			AggrQP: uint32(key(g, names.TableQPKeyHdrBTHDstQP)), RKey: uint32(arg(e, names.ActionToReplicaParamRKey)), VA: arg(e, names.ActionToReplicaParamBase), StartPSN: psnOf(arg(e, names.ActionToReplicaParamDelta)),
		}
	}
	if !slices.Equal(heard, t.heard(out)) {
		return nil
	}
	return out
}

// layout is what the switch holds at a group's number.
func (p *parts) layout(index uint16) *layout {
	l := &layout{multicast: names.MulticastGroup(index), copies: p.replicas, lets: slices.Concat(p.relay, p.gather, p.scatter)}
	for i := range names.Slots {
		if e, ok := p.endpoint[i]; ok {
			l.rewriting = append(l.rewriting, e)
		}
	}
	if p.leader != nil {
		l.rewriting = append(l.rewriting, *p.leader)
	}
	return l
}

// recorded is the plan of a group as it was installed, if this is that group: everybody's packets are let
// in as it says. Which copies are made may differ.
func (p *parts) recorded(index uint16, records []group.Record) *group.Plan {
	at := slices.IndexFunc(records, func(r group.Record) bool { return r.Index == index })
	if at < 0 || records[at].Plan == nil || len(p.scatter) != 1 || p.leader == nil || !p.isGroup {
		return nil
	}
	plan := *records[at].Plan
	sc := p.scatter[0]
	switch {
	case plan.Index != index, plan.Region, len(plan.Slots) != len(p.gather),
		plan.BCastQP != uint32(key(sc, names.TableQPKeyHdrBTHDstQP)), plan.RKey != uint32(arg(sc, names.ActionScatterParamRKey)),
		plan.Leader.Addr != addrOf(sc.Get(names.TableQPKeyHdrIPv4Src)), plan.Leader.QPN != uint32(arg(*p.leader, names.ActionToLeaderParamDstQP)):
		return nil
	}
	seen := map[int]bool{}
	for _, g := range p.gather {
		i := int(arg(g, names.ActionGatherParamSlot))
		if i >= len(plan.Slots) || seen[i] || plan.Slots[i].Addr != addrOf(g.Get(names.TableQPKeyHdrIPv4Src)) ||
			plan.Slots[i].AggrQP != uint32(key(g, names.TableQPKeyHdrBTHDstQP)) || plan.Delta(i) != wire.PSNOf(-uint32(psnOf(arg(g, names.ActionGatherParamDelta)))) {
			return nil
		}
		seen[i] = true
	}
	return &plan
}

// discard removes the parts of an incomplete group.
func (t *tables) discard(out []*p4.Update, index uint16, p *parts) ([]*p4.Update, error) {
	list := slices.Concat(p.scatter, p.relay, p.gather)
	for i := range names.Slots {
		if e, ok := p.endpoint[i]; ok {
			list = append(list, e)
		}
	}
	if p.leader != nil {
		list = append(list, *p.leader)
	}
	out, err := t.info.Updates(out, p4.Update_DELETE, list...)
	if p.isGroup {
		out = append(out, p4rtclient.Delete(p4rtclient.Group(names.MulticastGroup(index), nil)))
	}
	return out, err
}

// isHost reports whether an entry of table l3 is for one address and names its port. Those for more addresses are for hosts
// behind other switches.
func isHost(e entry) bool {
	return e.Action == names.ActionRoute && len(e.Match) == 1 && e.Match[0].PrefixLen == 32
}

// hosts are the attached hosts that a switch knows.
func (im *image) hosts() (out []hosts.Host) {
	for _, e := range im.tables[names.TableL3] {
		if isHost(e) {
			out = append(out, hosts.Host{IP: addrOf(e.Get(names.TableL3KeyHdrIPv4Dst)), MAC: macOf(e.Arg(names.ActionRouteParamDstMAC)), Port: uint16(arg(e, names.ActionRouteParamPort))})
		}
	}
	return out
}

// difference is what makes the tables of a switch hold what they should.
// Entries of other hosts stay; those of hosts that are known do not, nor do the switch's own addresses when they are
// not its own any more.
func (t *tables) difference(im *image, want []entry, known func(wire.Addr) bool) ([]*p4.Update, error) {
	id := func(e entry) string {
		s := e.Table
		for _, f := range e.Match {
			s += fmt.Sprintf("/%x+%d", p4rtclient.Uint(p4rtclient.ToUint(f.Value)), f.PrefixLen)
		}
		return s
	}
	have := map[string]entry{}
	for _, name := range networkTables {
		for _, e := range im.tables[name] {
			have[id(e)] = e
		}
	}
	var out []*p4.Update
	var err error
	wanted := map[string]bool{}
	for _, w := range want {
		wanted[id(w)] = true
		h, there := have[id(w)]
		switch {
		case !there:
			out, err = t.info.Updates(out, p4.Update_INSERT, w)
		case !sameAction(h, w):
			out, err = t.info.Updates(out, p4.Update_MODIFY, w)
		}
		if err != nil {
			return nil, err
		}
		have[id(w)] = w // hosts behind one router share its entry
	}
	for k, h := range have {
		ofHost := h.Table == names.TableL2 && h.Action == names.ActionForward ||
			h.Table == names.TableL3 && isHost(h) && !known(addrOf(h.Get(names.TableL3KeyHdrIPv4Dst)))
		if !wanted[k] && !ofHost {
			if out, err = t.info.Updates(out, p4.Update_DELETE, h); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func sameAction(a, b entry) bool {
	if a.Action != b.Action || len(a.Args) != len(b.Args) {
		return false
	}
	for _, f := range a.Args {
		if arg(a, f.Name) != arg(b, f.Name) {
			return false
		}
	}
	return true
}
