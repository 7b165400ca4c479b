package control

import (
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// Step is one update of one switch.
type Step struct {
	Switch string
	Update *p4.Update
}

// Rehearsal says what the switches of a fabric are told about one group, update by update, and
// in the order in which a planter has them done: each before the next. Nobody is told anything:
// worlds in which packets come between updates are made of it (systems/rdma/explore/tree).
type Rehearsal struct {
	f      *Fabric
	home   string
	plan   *group.Plan
	tables map[string]*tables
	have   map[string]*layout
	want   map[string]layout
	list   map[string][]hosts.Host
	ips    map[string]Config
}

// Rehearse begins with a fabric whose switches hold nothing of the group. Where hosts are is filled
// in in the plan, which has the number 0 on all switches.
func (f *Fabric) Rehearse(info *p4rtclient.Info, home string, plan *group.Plan) (*Rehearsal, error) {
	r := &Rehearsal{
		f: f, home: home, plan: plan, tables: map[string]*tables{}, have: map[string]*layout{},
		list: map[string][]hosts.Host{}, ips: map[string]Config{},
	}
	for _, s := range f.Switches {
		if f.Net.Plain(s.Name) {
			continue
		}
		conf, err := f.Config(Config{}, s.Name)
		if err != nil {
			return nil, err
		}
		t, err := hosts.New(hosts.Config{MAC: conf.MAC, IPs: conf.IPs, Ports: conf.Ports, Static: conf.Hosts, Links: conf.links})
		if err != nil {
			return nil, err
		}
		r.tables[s.Name], r.list[s.Name], r.ips[s.Name] = newTables(info, &conf), t.List(), conf
		if s.Name != home {
			continue
		}
		d := directory{t, &conf.Wiring, f, home}
		plan.Leader.Host, _ = d.Host(plan.Leader.Addr)
		for i := range plan.Slots {
			plan.Slots[i].Host, _ = d.Host(plan.Slots[i].Addr)
		}
	}
	return r, nil
}

// Network is what switches hold without any group.
func (r *Rehearsal) Network() (steps []Step, err error) {
	for _, s := range r.f.Switches {
		t := r.tables[s.Name]
		if t == nil {
			continue
		}
		var once []entry // several hosts are behind one neighbour
		for _, e := range t.network(r.ips[s.Name].IPs, r.list[s.Name]) {
			if !slices.ContainsFunc(once, func(o entry) bool { return o.Table == e.Table && sameMatch(o, e) }) {
				once = append(once, e)
			}
		}
		u, err := t.info.Updates(nil, p4.Update_INSERT, once...)
		if err != nil {
			return nil, err
		}
		steps = appendSteps(steps, s.Name, u)
	}
	return steps, nil
}

func appendSteps(steps []Step, name string, list []*p4.Update) []Step {
	for _, u := range list {
		steps = append(steps, Step{name, u})
	}
	return steps
}

// Grow makes the group's tree what it should be now, as planter.grow does.
func (r *Rehearsal) Grow() (steps []Step, err error) {
	own, relays, err := r.f.plant(r.home, r.plan, slices.Sorted(maps.Keys(r.have)))
	if err != nil {
		return nil, err
	}
	r.want = map[string]layout{}
	for _, at := range relays {
		l := r.atRelay(at)
		r.want[at.sw] = l
		l.alsoLet(r.have[at.sw])
		if steps, err = r.to(steps, at.sw, &l); err != nil {
			return nil, err
		}
	}
	l := r.tables[r.home].atHome(r.plan, own)
	r.want[r.home] = l
	return r.to(steps, r.home, &l)
}

// Clean is what planter.clean does later, when no packet of the earlier tree is under way.
func (r *Rehearsal) Clean() (steps []Step, err error) {
	for _, name := range r.f.Net.Switches() {
		l, wanted := r.want[name]
		switch {
		case wanted:
			steps, err = r.to(steps, name, &l)
		case r.have[name] != nil:
			steps, err = r.to(steps, name, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func (r *Rehearsal) atRelay(at relayAt) layout {
	t := r.tables[at.sw]
	return t.atRelay(r.plan, 0, at.rep, t.wiring.portGroup(at.port), at.copies)
}

// to appends what makes a switch hold a layout; nil: nothing.
func (r *Rehearsal) to(steps []Step, name string, l *layout) ([]Step, error) {
	var u []*p4.Update
	var err error
	if name == r.home && r.have[name] == nil {
		u, err = r.tables[name].registers(r.plan)
	}
	if err == nil {
		u, err = r.tables[name].change(u, r.have[name], l)
	}
	r.have[name] = l
	return appendSteps(steps, name, u), err
}
