package cost

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/testrun"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast"
)

// Ports of the switch: one to other switches, and those of hosts.
const (
	links    = dataplane.Port(10)
	client   = dataplane.Port(30)
	replica1 = dataplane.Port(40)
	replica2 = dataplane.Port(41)
)

// linkGroup is the port group of ports to other switches. A host's port is its own.
const linkGroup = 600

// Addresses are 10.0.0.N, and MAC addresses end in N. Hosts have those of their ports.
type place byte

const (
	self   place = 1
	spine1 place = 11
	spine2 place = 12
	leaf1  place = 13
	leaf2  place = 14
)

func (p place) mac() wire.MAC { return wire.MAC{2, 0, 0, 0, 0, byte(p)} }
func (p place) ip() wire.Addr { return wire.Addr{10, 0, 0, byte(p)} }
func (p place) mac48() uint64 { return 0x020000000000 | uint64(p) }
func (p place) ip32() uint64  { return 10<<24 | uint64(p) }

// Groups, their epochs, and the roles that the switch has of them.
const (
	led, ledEpoch             = 7, 5
	followed, followedEpoch   = 8, 6
	delivered, deliveredEpoch = 9, 4

	leads, follows, delivers = 1, 2, 3 // and where: PortFirst and this
	life                     = 77
)

// role is a role of the switch.
type role struct {
	number, at, group, epoch, leads, member, replicas uint64
	props, acks                                       uint64 // 0: it has none
}

// Multicast groups.
const (
	groupReplicas = 9
	groupServed   = 10
	groupAcks     = 3
	groupProps    = 2
)

var roles = []role{
	{number: leads, at: uint64(names.AtMember), group: led, epoch: ledEpoch, leads: 1, member: 0, replicas: groupReplicas, props: groupProps, acks: groupAcks},
	{number: follows, at: uint64(names.AtMember), group: followed, epoch: followedEpoch, member: 1, replicas: groupReplicas, props: groupProps, acks: groupAcks},
	{number: delivers, at: uint64(names.AtDeliverer), group: delivered, epoch: deliveredEpoch, replicas: groupServed},
}

// set is a set of destinations that a role may use.
type set struct {
	role   role
	slot   uint64
	epochs []uint64
	groups amcast.Groups
}

func (s set) sum() (n uint64) {
	for _, e := range s.epochs {
		n += e
	}
	return n
}

// The sets: each group alone, and all pairs; the last one has all.
func sets() (out []set) {
	epochs := map[uint8]uint64{led: ledEpoch, followed: followedEpoch, delivered: deliveredEpoch}
	for _, list := range [][]uint8{{led}, {followed}, {delivered}, {led, followed}, {led, delivered}, {followed, delivered}, {led, followed, delivered}} {
		groups, err := amcast.NewGroups(list...)
		if err != nil {
			panic(err)
		}
		s := set{groups: groups}
		for _, g := range list {
			s.epochs = append(s.epochs, epochs[g])
		}
		for i, g := range list {
			s.role, s.slot = roles[g-led], uint64(i)
			out = append(out, s)
		}
	}
	return out
}

// peer is somebody who may say something to a role about a group: the members of a group, the leader first. All of them are behind other
// switches, and so is this one, for what it says to itself.
type peers struct {
	role, group, epoch uint64
	members            []place
}

// proposers are who may propose to members, and ackers who may acknowledge to deliverers.
var (
	proposers = []peers{
		{leads, followed, followedEpoch, []place{leaf1}},
		{follows, followed, followedEpoch, []place{leaf1}},
		{follows, led, ledEpoch, []place{self}},
		{leads, delivered, deliveredEpoch, []place{spine1}},
		{follows, delivered, deliveredEpoch, []place{spine1}},
	}
	ackers = []peers{
		{delivers, delivered, deliveredEpoch, []place{spine1, spine2, leaf2}},
		{delivers, led, ledEpoch, []place{self, spine1, spine2}},
		{delivers, followed, followedEpoch, []place{leaf1, self}},
	}
)

// destination is a copy: the addresses that it gets.
type destination struct {
	rid        uint16
	port       dataplane.Port
	to         place
	udp        uint64
	want, kind uint64 // kind 0: as it is
}

// copiesOf are the copies of a multicast group.
var copiesOf = map[uint16][]destination{
	groupProps: {
		{32, links, spine1, amcast.PortFirst + 1, uint64(names.BecameProp), uint64(names.MsgProp)},
		{33, links, spine2, amcast.PortFirst + 1, uint64(names.BecameProp), uint64(names.MsgProp)},
		{34, links, leaf2, amcast.PortFirst + 2, uint64(names.BecameACK), uint64(names.MsgACK)},
	},
	groupAcks: {{34, links, leaf2, amcast.PortFirst + 2, uint64(names.BecameACK), uint64(names.MsgACK)}},
	groupReplicas: {
		{36, replica1, place(replica1), amcast.HostPort, uint64(names.BecameReplica), 0},
		{37, replica2, place(replica2), amcast.HostPort, uint64(names.BecameReplica), 0},
	},
	groupServed: {
		{36, replica1, place(replica1), amcast.HostPort, uint64(names.BecameReplica), 0},
		{37, replica2, place(replica2), amcast.HostPort, uint64(names.BecameReplica), 0},
	},
}

// hosts are who is at a port of its own, and switches who is behind others.
var (
	hosts    = []dataplane.Port{client, replica1, replica2}
	switches = []place{spine1, spine2, leaf1, leaf2}
)

func newP4() (*testrun.Switch, error) {
	t, err := testrun.New("amcast", dataplane.Port(names.PortCPU))
	if err != nil {
		return nil, err
	}
	t.Insert(names.TableMaySend, []uint64{uint64(links)}, names.ActionSends, 0, 0)
	t.Insert(names.TablePortGroup, []uint64{uint64(links)}, names.ActionSetPortGroup, linkGroup)
	t.Insert(names.TableOwnMAC, []uint64{self.mac48()}, names.ActionPretended)
	t.Insert(names.TableOwnIP, []uint64{self.ip32()}, names.ActionPretended)
	t.Insert(names.TableSwitchIP, []uint64{self.ip32()}, names.ActionToSwitch)
	for _, p := range hosts {
		h := place(p)
		t.Insert(names.TableOwnMAC, []uint64{h.mac48()}, names.ActionMACAt, uint64(p))
		t.Insert(names.TableOwnIP, []uint64{h.ip32()}, names.ActionIPAt, uint64(p))
		t.Insert(names.TableL2, []uint64{h.mac48()}, names.ActionForward, uint64(p))
	}
	for _, s := range switches {
		t.Insert(names.TableOwnMAC, []uint64{s.mac48()}, names.ActionMACBeyond)
		t.Insert(names.TableOwnIP, []uint64{s.ip32()}, names.ActionIPBeyond)
		t.Insert(names.TableL2, []uint64{s.mac48()}, names.ActionForward, uint64(links))
	}
	for _, r := range roles {
		t.Insert(names.TableService, []uint64{self.ip32(), amcast.PortFirst + r.number}, names.ActionTake, r.at, r.number, life, r.group, r.epoch, r.leads, r.member, r.replicas)
		t.Register(dataplane.RegisterOf(t.Prog, names.RegisterLife), int(r.number), life)
		t.Insert(names.TableReplicas, []uint64{r.number, place(replica1).ip32(), uint64(replica1)}, names.ActionMayAsk)
	}
	for _, s := range sets() {
		e := append(append([]uint64(nil), s.epochs...), 0, 0, 0)
		t.Insert(names.TableSets, []uint64{s.role.number, uint64(s.groups)}, names.ActionDestinations, s.slot, uint64(len(s.epochs)), s.role.epoch, e[0], e[1], e[2], e[3], s.sum(), s.role.props, s.role.acks)
	}
	for c := range uint64(amcast.MaxClients) {
		t.Insert(names.TableClients, []uint64{c, place(client).ip32(), uint64(client)}, names.ActionMayStart)
	}
	for _, p := range proposers {
		t.Insert(names.TableProposers, []uint64{p.role, p.group, p.epoch, p.members[0].ip32(), linkGroup}, names.ActionProposes, bit(roles[p.role-leads].group == p.group))
	}
	for _, p := range ackers {
		for i, m := range p.members {
			t.Insert(names.TableAckers, []uint64{p.role, p.group, p.epoch, uint64(i), m.ip32(), linkGroup}, names.ActionAcknowledges, uint64(len(p.members)),
				bit(i == 0 && roles[p.role-leads].group == p.group))
		}
	}
	known := map[uint16]bool{}
	for id, list := range copiesOf {
		var replicas []dataplane.Replica
		for _, d := range list {
			replicas = append(replicas, dataplane.Replica{Port: d.port, Instance: d.rid})
			if known[d.rid] {
				continue
			}
			known[d.rid] = true
			rid, to := []uint64{uint64(d.rid)}, []uint64{self.mac48(), d.to.mac48(), self.ip32(), d.to.ip32(), d.udp}
			if d.kind == 0 {
				t.Insert(names.TableCopies, rid, names.ActionToReplica, to...)
			} else {
				t.Insert(names.TableCopies, rid, names.ActionTo, append([]uint64{d.want, d.kind}, to...)...)
			}
		}
		t.Group(id, replicas...)
	}
	if t.Err != nil {
		t.Close()
		return nil, t.Err
	}
	return t, nil
}

// The layouts are those of the structs in hand.bpf.c.
type (
	handRole struct {
		Lock, Clock, Mark, Life, Given uint32
		Epoch                          [4]byte
		Replicas                       uint16
		At, Group, Leads, Member       uint8
		Pad                            [2]uint8
	}
	handLeader struct {
		Who   uint64
		Epoch [4]byte
		Own   uint32
	}
	handMembers struct {
		Who                   [5]uint64
		Epoch                 [4]byte
		Count, Watermark, Pad uint32
	}
	handGate struct {
		Group        uint16
		Refused, Pad uint8
	}
	handHost struct {
		Group, Port uint32
		IP          wire.Addr
	}
	handSetKey struct {
		Groups [4]byte
		Role   uint32
	}
	handSet struct {
		Epochs      [4][4]byte
		Sum         uint32
		Props, Acks uint16
		Slot, Count uint8
		Pad         [2]uint8
	}
	handReplica struct {
		Who       uint64
		Role, Pad uint32
	}
	handCopy struct {
		DstMAC, SrcMAC wire.MAC
		Src, Dst       wire.Addr
		Port           [2]byte
		Want, Kind     uint8
	}
)

// ourselves is the port group of the switch's own addresses: no port is of it.
const ourselves = 0x10000

// nowhere is the port of who is not sent anything.
const nowhere = dataplane.Port(511)

// who is somebody with an address, by a port group.
func who(p place, group uint64) uint64 {
	a := p.ip()
	return 1<<48 | group<<32 | uint64(binary.NativeEndian.Uint32(a[:]))
}

func onWire(v uint64) (b [4]byte) {
	binary.BigEndian.PutUint32(b[:], uint32(v))
	return b
}

func eight(m wire.MAC) (b [8]byte) {
	copy(b[:], m[:])
	return b
}

func newHand() (*byhand.Hand, error) {
	h, err := byhand.NewHand(handObject)
	if err != nil {
		return nil, err
	}
	const refusedOfHosts = uint8(names.FamilyRouter)
	gates := make([]handGate, 512)
	for i := range gates {
		gates[i] = handGate{Group: uint16(i), Refused: refusedOfHosts}
	}
	gates[links] = handGate{Group: linkGroup}
	h.Set("gates", gates)
	at := func(p place, group uint64, port dataplane.Port) {
		h.Put("hosts", eight(p.mac()), handHost{uint32(group), uint32(port), p.ip()})
		h.Put("ips", p.ip(), uint32(group))
	}
	h.Set("own", self.ip())
	at(self, ourselves, nowhere)
	for _, p := range hosts {
		at(place(p), uint64(p), p)
		h.Port(uint32(p))
	}
	h.Port(uint32(links))
	for _, s := range switches {
		at(s, linkGroup, links)
	}
	table := make([]handRole, 8)
	for _, r := range roles {
		table[r.number] = handRole{Life: life, Given: life, Epoch: onWire(r.epoch), Replicas: uint16(r.replicas), At: uint8(r.at), Group: uint8(r.group), Leads: uint8(r.leads), Member: uint8(r.member)}
		h.Put("replicas", handReplica{Who: who(place(replica1), uint64(replica1)), Role: uint32(r.number)}, uint32(1))
	}
	h.Set("roles", table)
	for _, s := range sets() {
		x := handSet{Sum: uint32(s.sum()), Props: uint16(s.role.props), Acks: uint16(s.role.acks), Slot: uint8(s.slot), Count: uint8(len(s.epochs))}
		for i, e := range s.epochs {
			x.Epochs[i] = onWire(e)
		}
		h.Put("sets", handSetKey{onWire(uint64(s.groups)), uint32(s.role.number)}, x)
	}
	clients := make([]uint64, amcast.MaxClients)
	for i := range clients {
		clients[i] = who(place(client), uint64(client))
	}
	h.Set("clients", clients)
	leaders := make([]handLeader, 8*256)
	for _, p := range proposers {
		leaders[p.role<<8|p.group] = handLeader{who(p.members[0], linkGroup), onWire(p.epoch), uint32(bit(roles[p.role-leads].group == p.group))}
	}
	h.Set("leaders", leaders)
	members := make([]handMembers, 8*256)
	for _, p := range ackers {
		x := handMembers{Epoch: onWire(p.epoch), Count: uint32(len(p.members)), Watermark: uint32(bit(roles[p.role-leads].group == p.group))}
		for i, m := range p.members {
			x.Who[i] = who(m, linkGroup)
		}
		members[p.role<<8|p.group] = x
	}
	h.Set("members", members)
	rewrites := make([]handCopy, 4096)
	for id, list := range copiesOf {
		var copies []byhand.Copy
		for _, d := range list {
			rewrites[d.rid] = handCopy{d.to.mac(), self.mac(), self.ip(), d.to.ip(), [2]byte{byte(d.udp >> 8), byte(d.udp)}, uint8(d.want), uint8(d.kind)}
			copies = append(copies, byhand.Copy{Port: uint16(d.port), RID: uint16(d.rid)})
		}
		h.Group(id, copies)
	}
	h.Set("rewrites", rewrites)
	if h.Err != nil {
		h.Close()
		return nil, h.Err
	}
	return h, nil
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
