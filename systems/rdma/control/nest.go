package control

import (
	"fmt"

	"github.com/p4ce/p4ce/ctrl/topology"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// nest says which switches gather for a home that has more receivers than slots.
func (f *Fabric) nest(home string, receivers []wire.Addr) (parts []group.Part, err error) {
	addr := map[string]wire.Addr{}
	var list []string
	flow := ""
	for i, a := range receivers {
		if err := f.reachable(home, a); err != nil {
			return nil, fmt.Errorf("replica %d: %w", i, err)
		}
		addr[f.names[a]] = a
		list = append(list, f.names[a])
		flow += a.String()
	}
	all, err := f.now().Gather(home, list, topology.Flow(flow), private.MaxReplicas)
	for _, p := range all {
		part := group.Part{}
		if p.Home != "" {
			part.Home = f.sw[p.Home].Addr
		}
		for _, name := range p.Receivers {
			part.Receivers = append(part.Receivers, addr[name])
		}
		parts = append(parts, part)
	}
	return parts, err
}

// entrust tells the switch that is to gather for a part of a group.
func (p *planter) entrust(n *group.Nested) {
	name := p.f.names[n.To]
	answer := func(err error) {
		p.a.Hand(func() { p.a.core.Entrusted(p.a.Now(), n, err) })
	}
	away := fmt.Errorf("switch %s: the controller does not drive it", name)
	other := p.f.app(name)
	if other == nil || other.Session == nil {
		answer(away)
		return
	}
	other.Hand(func() {
		if !other.InControl() {
			answer(away)
			return
		}
		other.core.Expect(other.Now(), n)
		answer(nil)
	})
}
