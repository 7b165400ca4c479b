package fabric

import (
	"slices"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// party is who may have a part in a message: a host, or a switch with roles for groups.
type party struct {
	node   fabric.Node
	groups []uint8 // of its replicas, or of its roles by their numbers
}

// parties are all, by their addresses. exact: no link spoils what a checksum does not see: a port, or two bits that make up for
// each other.
func (n *Network) parties() (all map[wire.Addr]*party, exact bool) {
	all = map[wire.Addr]*party{}
	for _, s := range n.Switches {
		all[s.Addr()] = &party{s, n.conf.Roles(s.Name())}
	}
	for _, h := range n.Hosts {
		p := &party{node: h}
		for _, g := range n.conf.Groups {
			if slices.Contains(g.Replicas, h.Name()) {
				p.groups = append(p.groups, g.Number)
			}
		}
		all[h.Addr()] = p
	}
	exact = !slices.ContainsFunc(n.Links, func(l *fabric.Link) bool { return l.Config.Faults.Corrupt > 0 })
	return all, exact
}

// unseen is how many packets of a network may be spoilt twice, so that no checksum sees it. A program that is broken sends more.
const unseen = 2

// accuse is fail for a packet, unless it may have been spoilt.
func (l *ledger) accuse(format string, args ...any) {
	if l.accused++; l.exact || l.accused > unseen {
		l.fail(format, args...)
	}
}

// Frame implements fabric.Tap: only the sender of a message and its destinations have a part in it. It looks at whom a packet is
// from, where it has left, and at whom it is for, where it arrives. What is spoilt is nobody's.
func (l *ledger) Frame(_ fabric.Time, h *fabric.Half, frame []byte) {
	var p amcast.Packet
	e, err := p.Parse(frame)
	if err != nil {
		return
	}
	from, to := l.parties[e.Src], l.parties[e.Dst]
	if from == nil || to == nil || from.node != h.From && to.node != h.To {
		return // on its way
	}
	answer := p.Kind == amcast.MsgTold || p.Kind == amcast.MsgKnown || p.Kind == amcast.MsgRefused
	if answer && !l.exact {
		return // the question may have come to another role
	}
	_, said := from.node.(*fabric.P4Switch)
	_, told := to.node.(*fabric.P4Switch)
	if said && !told && p.Kind != amcast.MsgRefused && !slices.Contains(to.groups, p.From) {
		l.accuse("%s: %v, of group %d, comes to it, which has no replica of it", h.Name, p.Kind, p.From)
	}
	m := l.messages[p.ID]
	switch {
	case p.Groups == 0 && (m == nil || p.Kind <= amcast.MsgRefused):
		return // about a seq, or a cell
	case m == nil || p.Groups != 0 && p.Groups != m.groups:
		l.accuse("%s: %v of %v to %v, which nobody has sent", h.Name, p.Kind, p.ID, p.Groups)
		return
	}
	l.judged++
	for _, g := range [...]uint8{p.From, p.By} {
		if g != 0 && !m.groups.Has(g) {
			l.accuse("%s: group %d has a part in %v (%v), which is for groups %v", h.Name, g, p.ID, p.Kind, m.groups)
		}
	}
	for _, x := range [...]*party{from, to} {
		if x.node != fabric.Node(m.by) && !slices.ContainsFunc(x.groups, m.groups.Has) {
			l.accuse("%s: %s has a part in %v (%v), which is for groups %v", h.Name, x.node.Name(), p.ID, p.Kind, m.groups)
		}
	}
	if role := int(e.DstPort - amcast.PortFirst); told && l.exact && (role >= len(to.groups) || !m.groups.Has(to.groups[role])) {
		l.accuse("%s: %v of %v, which is for groups %v, comes to role %d of %s", h.Name, p.Kind, p.ID, m.groups, role, to.node.Name())
	}
}
