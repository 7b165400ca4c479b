package rdma

import (
	"context"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/app/rdma/group"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// image is what a switch holds.
type image struct {
	tables map[string][]entry
	groups map[uint16][]p4rtclient.Replica
}

// networkTables are those about the switch and its hosts.
var networkTables = []string{names.TablePortClass, names.TableOwnMAC, names.TableOwnIP, names.TableSwitchIP, names.TableL2, names.TableL3}

// stateTables are the tables that the controller writes.
var stateTables = append(slices.Clone(networkTables), names.TableQP, names.TableEndpoint, names.TableLeader)

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
	if e.Action == names.ActionScatter {
		return names.ActionScatterParamGroup
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
		if e.Action == names.ActionScatter {
			p.scatter = append(p.scatter, e)
		} else {
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
// remove the rest: what a controller left behind that died in the middle.
func (t *tables) plans(im *image) (complete []*group.Plan, leftovers []*p4.Update, err error) {
	all := im.groupParts()
	indexes := make([]uint16, 0, len(all))
	for i := range all {
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	for _, i := range indexes {
		if p := all[i].plan(i, t.wiring); p != nil {
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
func (p *parts) plan(index uint16, w *Wiring) *group.Plan {
	if len(p.scatter) != 1 || p.leader == nil || !p.isGroup || len(p.gather) == 0 ||
		len(p.gather) != len(p.endpoint) || len(p.gather) != len(p.replicas) {
		return nil
	}
	sc, ld := p.scatter[0], *p.leader
	// As it was when the entries were written; hosts are looked up again later.
	place := func(qp entry, mac wire.MAC, port uint16) group.Host {
		return group.Host{MAC: mac, Port: port, Class: uint16(key(qp, names.TableQPKeyPortClass)), Pipe: w.pipe(port)}
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
		at := slices.IndexFunc(p.replicas, func(r p4rtclient.Replica) bool { return r.Instance == names.RID(index, i) })
		if i >= len(out.Slots) || !ok || at < 0 || out.Slots[i].AggrQP != 0 {
			return nil
		}
		out.Slots[i] = group.Slot{
			Endpoint: group.Endpoint{
				Addr: addrOf(g.Get(names.TableQPKeyHdrIPv4Src)), QPN: uint32(arg(e, names.ActionToReplicaParamDstQP)),
				Host: place(g, macOf(e.Arg(names.ActionToReplicaParamDstMAC)), p.replicas[at].Port),
			},
			AggrQP: uint32(key(g, names.TableQPKeyHdrBTHDstQP)), RKey: uint32(arg(e, names.ActionToReplicaParamRKey)), VA: arg(e, names.ActionToReplicaParamBase), StartPSN: psnOf(arg(e, names.ActionToReplicaParamDelta)),
		}
	}
	return out
}

// discard removes the parts of an incomplete group.
func (t *tables) discard(out []*p4.Update, index uint16, p *parts) ([]*p4.Update, error) {
	list := append(append([]entry{}, p.scatter...), p.gather...)
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

// hosts are the attached hosts that a switch knows.
func (im *image) hosts() (out []hosts.Host) {
	for _, e := range im.tables[names.TableL3] {
		if e.Action == names.ActionRoute {
			out = append(out, hosts.Host{IP: addrOf(e.Get(names.TableL3KeyHdrIPv4Dst)), MAC: macOf(e.Arg(names.ActionRouteParamDstMAC)), Port: uint16(arg(e, names.ActionRouteParamPort))})
		}
	}
	return out
}

// difference is what makes the tables of a switch hold what they should.
// Entries of other hosts stay; the switch's own addresses do not when they are
// not its own any more.
func (t *tables) difference(im *image, want []entry) ([]*p4.Update, error) {
	id := func(e entry) string {
		s := e.Table
		for _, f := range e.Match {
			s += "/" + string(p4rtclient.Uint(p4rtclient.ToUint(f.Value)))
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
	}
	for k, h := range have {
		if !wanted[k] && slices.Contains([]string{names.ActionToSwitch, names.ActionRouter, names.ActionPretended, names.ActionSetClass}, h.Action) {
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
