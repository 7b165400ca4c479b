package control

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// What depends on the entries of p4/amcast/amcast.p4 is in this file.

// tables are those that the core writes, in the order in which entries are made: what handles a message is there before
// what lets it in. The empty name stands for the multicast groups.
var tables = []string{
	names.TableCopies, "", names.TableMaySend, names.TablePortGroup, names.TableOwnMAC, names.TableOwnIP, names.TableSwitchIP,
	names.TableSets, names.TableClients, names.TableReplicas, names.TableProposers, names.TableAckers, names.TableService, names.TableL2,
}

// belongings are the tables that say who belongs to an epoch. Who belonged to the last one goes before anything else
// changes: no switch counts acknowledgements of one epoch for another.
var belongings = []string{names.TableProposers, names.TableAckers}

// linkGroup is the port group of all ports that lead to other switches. What a switch says may come by any of them, and
// by no port of a host.
const linkGroup = 0x8000

// Multicast groups and replication ids of a switch.
const (
	groupReplicas = 1  // and following, by role
	groupSets     = 16 // and following: two for each role and set

	ridSwitches = 1    // and following: two for each role of each switch
	ridReplicas = 2048 // and following, of all groups
)

// view is what a role knows of a group.
type view struct {
	epoch   uint32
	members []string
}

// view is what a role for a group, of a switch, knows of another group, or of its own.
func (c *Core) view(sw string, d duty, of *group) view {
	if ch := of.change; ch != nil && ch.merged != nil && !d.deliver && d.group == of.conf.Number && slices.Contains(ch.members, sw) {
		return view{ch.epoch, ch.members}
	}
	return view{of.complete, of.members}
}

// plan collects what a switch shall have.
type plan struct {
	c      *Core
	sw     string
	own    *Switch
	things []mirror.Thing
	copied map[int]bool // replication ids that have their entry
}

// want is what a switch shall have.
func (c *Core) want(sw string) []mirror.Thing {
	p := &plan{c: c, sw: sw, own: c.conf.Switches[sw], copied: map[int]bool{}}
	p.network()
	for role, d := range c.conf.roles[sw] {
		p.role(role, d)
	}
	return p.things
}

func (p *plan) add(table, action string, key, args []p4rtclient.Field) {
	p.things = append(p.things, mirror.EntryThing(p4rtclient.Entry{Table: table, Match: key, Action: action, Args: args}))
}

// network is what forwards, and what says whose a source address is.
func (p *plan) network() {
	c, net := p.c, p.c.conf.Net
	for _, port := range net.LinkPorts(p.sw) {
		p.add(names.TableMaySend, names.ActionSends, fields(names.TableMaySendKeyIgIntrMdIngressPort, port), fields(names.ActionSendsParamRefused, 0, names.ActionSendsParamHost, 0))
		p.add(names.TablePortGroup, names.ActionSetPortGroup, fields(names.TablePortGroupKeyIgIntrMdIngressPort, port), fields(names.ActionSetPortGroupParamPortGroup, linkGroup))
	}
	p.add(names.TableOwnMAC, names.ActionPretended, fields(names.TableOwnMACKeyHdrEthernetSrc, p.own.MAC), nil)
	p.add(names.TableOwnIP, names.ActionPretended, fields(names.TableOwnIPKeySender, p.own.IP), nil)
	p.add(names.TableSwitchIP, names.ActionToSwitch, fields(names.TableSwitchIPKeyHdrIPv4Dst, p.own.IP), nil)
	l2 := func(a Address, to string) {
		if port, ok := c.port(p.sw, to); ok {
			p.add(names.TableL2, names.ActionForward, fields(names.TableL2KeyHdrEthernetDst, a.MAC), fields(names.ActionForwardParamPort, port))
		}
	}
	beyond := func(a Address) {
		p.add(names.TableOwnMAC, names.ActionMACBeyond, fields(names.TableOwnMACKeyHdrEthernetSrc, a.MAC), nil)
		p.add(names.TableOwnIP, names.ActionIPBeyond, fields(names.TableOwnIPKeySender, a.IP), nil)
	}
	for _, other := range net.Switches() {
		if other != p.sw {
			a := c.conf.Switches[other].Address
			beyond(a)
			l2(a, other)
		}
	}
	for _, x := range net.Hosts() {
		h := c.hosts[x.Name]
		if x.At.Switch == p.sw {
			p.add(names.TableOwnMAC, names.ActionMACAt, fields(names.TableOwnMACKeyHdrEthernetSrc, h.conf.MAC), fields(names.ActionMACAtParamPortGroup, x.At.Port))
			p.add(names.TableOwnIP, names.ActionIPAt, fields(names.TableOwnIPKeySender, h.conf.IP), fields(names.ActionIPAtParamPortGroup, x.At.Port))
		} else {
			beyond(h.conf.Address)
		}
		if !h.Failed { // a host that has failed is cut off, until it begins again
			l2(h.conf.Address, x.Name)
		}
	}
}

// arrives is the port group by which what somebody sends comes in.
func (p *plan) arrives(from string) uint16 {
	if at, ok := p.c.conf.Net.Host(from); ok && at.Switch == p.sw {
		return at.Port
	}
	return linkGroup
}

// role is what a role does.
func (p *plan) role(role int, d duty) {
	c := p.c
	g := c.groups[d.group]
	at, life, leads, member := names.AtDeliverer, c.life(d, 0), 0, 0
	own := c.view(p.sw, d, g)
	if !d.deliver {
		index := slices.Index(own.members, p.sw)
		if index < 0 || own.epoch == 0 || c.switches[p.sw].lives[role] != c.life(d, own.epoch) {
			return // its registers are not those of the epoch: no packet is to change them
		}
		at, life, member = names.AtMember, c.life(d, own.epoch), index
		if index == 0 && own.epoch == g.complete {
			leads = 1
		}
	}
	p.add(names.TableService, names.ActionTake,
		fields(names.TableServiceKeyHdrIPv4Dst, p.own.IP, names.TableServiceKeyHdrUDPDstPort, rolePort(role)),
		fields(names.ActionTakeParamAt, uint64(at), names.ActionTakeParamRole, role, names.ActionTakeParamLife, life, names.ActionTakeParamGroup, d.group,
			names.ActionTakeParamEpoch, own.epoch, names.ActionTakeParamLeads, leads, names.ActionTakeParamMember, member, names.ActionTakeParamReplicas, groupReplicas+role))
	var served []p4rtclient.Replica
	for i, r := range g.conf.Replicas {
		if g.alive(c, i) && (!d.deliver || c.deliverer(g, r) == p.sw) {
			served = p.copy(served, r, c.replicaRID(g, i), fields(), names.ActionToReplica, c.conf.Hosts[r].Address, c.conf.replicaPort(r, d.group))
		}
	}
	p.group(groupReplicas+role, served)
	for n, set := range c.conf.Sets {
		if set.Has(d.group) {
			p.set(role, d, n, set)
		}
	}
	p.peers(role, d)
}

// set is a set of destinations that a role may use.
func (p *plan) set(role int, d duty, n int, set private.Groups) {
	c := p.c
	var epochs [4]uint32
	var sum uint32
	slot := 0
	list := set.List()
	for i, number := range list {
		epochs[i] = c.view(p.sw, d, c.groups[number]).epoch
		if epochs[i] == 0 {
			return // it has not begun
		}
		sum += epochs[i]
		if number == d.group {
			slot = i
		}
	}
	props, acks := 0, 0
	if !d.deliver {
		props = groupSets + 2*(role*len(c.conf.Sets)+n)
		acks = props + 1
		var all, deliverers []p4rtclient.Replica
		for _, number := range list {
			to := c.groups[number]
			for _, m := range c.view(p.sw, d, to).members {
				if m != p.sw || number != d.group {
					all = p.toRole(all, m, duty{number, false}, names.BecameProp, names.MsgProp)
				}
			}
			for _, m := range to.conf.Deliverers {
				deliverers = p.toRole(deliverers, m, duty{number, true}, names.BecameACK, names.MsgACK)
			}
		}
		p.group(props, slices.Concat(all, deliverers))
		p.group(acks, deliverers)
	}
	p.add(names.TableSets, names.ActionDestinations,
		fields(names.TableSetsKeyMdRole, role, names.TableSetsKeyHdrAmcastGroups, uint32(set)),
		fields(names.ActionDestinationsParamSlot, slot, names.ActionDestinationsParamCount, len(list), names.ActionDestinationsParamEpoch, epochs[slot],
			names.ActionDestinationsParamEpoch0, epochs[0], names.ActionDestinationsParamEpoch1, epochs[1], names.ActionDestinationsParamEpoch2, epochs[2],
			names.ActionDestinationsParamEpoch3, epochs[3], names.ActionDestinationsParamSum, sum, names.ActionDestinationsParamProps, props, names.ActionDestinationsParamAcks, acks))
}

// peers are who may say something to a role.
func (p *plan) peers(role int, d duty) {
	c := p.c
	if !d.deliver {
		for _, h := range c.hosts {
			if h.admitted() {
				p.add(names.TableClients, names.ActionMayStart, fields(names.TableClientsKeyHdrAmcastClient, h.Client,
					names.TableClientsKeyHdrIPv4Src, h.conf.IP, names.TableClientsKeyPortGroup, p.arrives(h.Host)), nil)
			}
			if h.admitted() && !h.Lost && len(c.conf.replicasOn(h.Host)) > 0 {
				p.add(names.TableReplicas, names.ActionMayAsk, fields(names.TableReplicasKeyMdRole, role, names.TableReplicasKeyHdrIPv4Src, h.conf.IP,
					names.TableReplicasKeyPortGroup, p.arrives(h.Host)), nil)
			}
		}
	}
	for _, of := range c.groups {
		if !c.meet(d.group, of.conf.Number) {
			continue
		}
		v := c.view(p.sw, d, of)
		for i, m := range v.members {
			from := c.conf.Switches[m].IP
			if d.deliver {
				p.add(names.TableAckers, names.ActionAcknowledges, fields(names.TableAckersKeyMdRole, role, names.TableAckersKeyHdrAmcastBy, of.conf.Number,
					names.TableAckersKeyHdrAmcastByEpoch, v.epoch, names.TableAckersKeyHdrAmcastMember, i, names.TableAckersKeyHdrIPv4Src, from, names.TableAckersKeyPortGroup, linkGroup),
					fields(names.ActionAcknowledgesParamMembers, len(v.members), names.ActionAcknowledgesParamWatermark, bit(i == 0 && of.conf.Number == d.group)))
			} else if i == 0 && (m != p.sw || of.conf.Number != d.group) {
				p.add(names.TableProposers, names.ActionProposes, fields(names.TableProposersKeyMdRole, role, names.TableProposersKeyHdrAmcastFrom, of.conf.Number,
					names.TableProposersKeyHdrAmcastEpoch, v.epoch, names.TableProposersKeyHdrIPv4Src, from, names.TableProposersKeyPortGroup, linkGroup),
					fields(names.ActionProposesParamOwn, bit(of.conf.Number == d.group)))
			}
		}
	}
}

// meet reports whether two groups are destinations of one set.
func (c *Core) meet(a, b uint8) bool {
	return slices.ContainsFunc(c.conf.Sets, func(s private.Groups) bool { return s.Has(a) && s.Has(b) })
}

// toRole adds a copy for a role of a switch.
func (p *plan) toRole(list []p4rtclient.Replica, sw string, d duty, want names.Became, kind names.Message) []p4rtclient.Replica {
	role, _ := p.c.conf.role(sw, d)
	rid := ridSwitches + 2*(slices.Index(p.c.conf.Net.Switches(), sw)*names.MaxRoles+role)
	if d.deliver {
		rid++
	}
	return p.copy(list, sw, rid, fields(names.ActionToParamWant, uint64(want), names.ActionToParamKind, uint64(kind)), names.ActionTo, p.c.conf.Switches[sw].Address, rolePort(role))
}

// copy adds a copy that goes to somebody: nothing if there is no way there.
func (p *plan) copy(list []p4rtclient.Replica, to string, rid int, args []p4rtclient.Field, action string, a Address, port uint16) []p4rtclient.Replica {
	out, ok := p.c.port(p.sw, to)
	if !ok {
		return list
	}
	// Both actions have parameters of the same names.
	args = append(args, fields(names.ActionToParamSrcMAC, p.own.MAC, names.ActionToParamDstMAC, a.MAC, names.ActionToParamSrc, p.own.IP, names.ActionToParamDst, a.IP,
		names.ActionToParamDstPort, port)...)
	if !p.copied[rid] {
		p.copied[rid] = true
		p.add(names.TableCopies, action, fields(names.TableCopiesKeyRID, rid), args)
	}
	return append(list, p4rtclient.Replica{Port: out, Instance: uint16(rid)})
}

func (p *plan) group(id int, copies []p4rtclient.Replica) {
	if len(copies) > 0 {
		p.things = append(p.things, mirror.GroupThing(uint16(id), copies))
	}
}

// replicaRID is the replication id of a replica.
func (c *Core) replicaRID(g *group, index int) int {
	rid := ridReplicas + index
	for _, other := range c.conf.Groups {
		if other.Number < g.conf.Number {
			rid += len(other.Replicas)
		}
	}
	return rid
}

// deliverer is the switch that tells a replica what is decided: its own, or the first of the group's that is there.
func (c *Core) deliverer(g *group, replica string) string {
	at, _ := c.conf.Net.Host(replica)
	if slices.Contains(g.conf.Deliverers, at.Switch) {
		return at.Switch
	}
	for _, s := range g.conf.Deliverers {
		if c.switches[s].up {
			return s
		}
	}
	return g.conf.Deliverers[0]
}

// port is the port of a switch that leads to another one, or to a host: by switches that are there. What a switch says to
// itself it says to a neighbour, which sends it back.
func (c *Core) port(from, to string) (uint16, bool) {
	if from != to {
		return c.routes.Port(from, to)
	}
	for _, n := range c.conf.Net.Neighbours(from) {
		if !c.down[n] {
			return c.routes.Port(from, n)
		}
	}
	return 0, false
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// fields makes fields of names and values.
func fields(list ...any) (out []p4rtclient.Field) {
	for i := 0; i < len(list); i += 2 {
		var v []byte
		switch x := list[i+1].(type) {
		case int:
			v = p4rtclient.Uint(uint64(x))
		case uint8:
			v = p4rtclient.Uint(uint64(x))
		case uint16:
			v = p4rtclient.Uint(uint64(x))
		case uint32:
			v = p4rtclient.Uint(uint64(x))
		case uint64:
			v = p4rtclient.Uint(x)
		case wire.MAC:
			v = x[:]
		case wire.Addr:
			v = p4rtclient.Uint(uint64(binary.BigEndian.Uint32(x[:])))
		default:
			panic(fmt.Sprintf("%T is no value of a field", x))
		}
		out = append(out, p4rtclient.Field{Name: list[i].(string), Value: v})
	}
	return out
}
