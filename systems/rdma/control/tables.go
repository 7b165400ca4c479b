package control

import (
	"context"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// What depends on p4/rdma/rdma.p4 is in this file and in readback.go: which entries there
// are, and what their values mean. Names and numbers are the program's (p4/rdma/names.go).

// psnWord is a PSN in the program's shifted domain.
func psnWord(p wire.PSN) uint64 { return uint64(p) * names.PSNOne }

// psnOf takes a PSN out of it.
func psnOf(v uint64) wire.PSN { return wire.PSNOf(uint32(v / names.PSNOne)) }

// tables encodes and decodes what the program's tables hold.
type tables struct {
	info   *p4rtclient.Info
	mac    wire.MAC
	wiring *Wiring
	guard  guard
	paths  paths
	routes map[prefix]way // to hosts behind other switches, as the switch has them
	egress bool           // groups' state is in the egress of their leaders' ports
}

// gathersInEgress reports where a program has the state of groups.
func gathersInEgress(info *p4rtclient.Info) bool {
	return slices.Contains(strings.Split(info.RegisterName(names.RegisterCommitted), "."), "Egress")
}

// gathers says in which gress the program gathers.
func (t *tables) gathers() string {
	if t.egress {
		return "egress"
	}
	return "ingress"
}

func newTables(info *p4rtclient.Info, c *Config) *tables {
	return &tables{egress: gathersInEgress(info), info: info, mac: c.MAC, wiring: &c.Wiring, guard: c.guard(), paths: paths{f: c.fabric, at: c.name, mac: c.MAC}}
}

// network are the entries of a switch about itself and its hosts.
func (t *tables) network(ips []wire.Addr, list []hosts.Host) (all []entry) {
	t.paths.keep(list)
	routes := t.routesOf(list)
	all = append(t.own(ips), t.paths.all()...)
	for _, h := range list {
		if h.Routed {
			all = append(all, t.beyond(h)...)
		} else {
			all = append(all, t.host(h)...)
		}
	}
	t.routes = make(map[prefix]way, len(routes))
	for _, r := range routes {
		t.routes[r.prefix] = r.way
		all = append(all, t.route(r))
	}
	return all
}

type (
	entry = p4rtclient.Entry
	field = p4rtclient.Field
)

func num[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int](name string, v T) field {
	return field{Name: name, Value: p4rtclient.Uint(uint64(v))}
}

func mac(name string, m wire.MAC) field { return field{Name: name, Value: append([]byte{}, m[:]...)} }

func ip(name string, a wire.Addr) field { return field{Name: name, Value: append([]byte{}, a[:]...)} }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func xor32(a, b uint32) []byte { return binary.BigEndian.AppendUint32(nil, a^b) }

func xorIP(a, b wire.Addr) []byte {
	return xor32(binary.BigEndian.Uint32(a[:]), binary.BigEndian.Uint32(b[:]))
}

func xorQPN(a, b uint32) []byte { return xor32(a, b)[1:] }

// addresses is the ICRC correction for what changes between two sides:
// addresses and queue pair.
func addresses(oldSrc, newSrc, oldDst, newDst wire.Addr, oldQP, newQP uint32) uint32 {
	return icrc.Const(icrc.IPSource, xorIP(oldSrc, newSrc)) ^
		icrc.Const(icrc.IPDestination, xorIP(oldDst, newDst)) ^
		icrc.Const(icrc.BTHDestQP, xorQPN(oldQP, newQP))
}

// qpKey is what a packet of an endpoint to the switch is known by.
func qpKey(p *group.Plan, from group.Endpoint, qpn uint32) []field {
	return []field{ip(names.TableQPKeyHdrIPv4Src, from.Addr), ip(names.TableQPKeyHdrIPv4Dst, p.Switch), num(names.TableQPKeyHdrBTHDstQP, qpn), num(names.TableQPKeyPortGroup, from.Host.PortGroup)}
}

// scatter is the entry that lets a leader's requests in. It comes last and goes
// first.
func (t *tables) scatter(p *group.Plan) entry {
	return entry{
		Table: names.TableQP, Match: qpKey(p, p.Leader, p.BCastQP),
		Action: names.ActionScatter, Args: []field{
			num(names.ActionScatterParamGroup, p.Index), num(names.ActionScatterParamMulticastGroup, p.MulticastID()), num(names.ActionScatterParamRKey, p.RKey), num(names.ActionScatterParamRegionMask, uint32(-p.Size)),
			num(names.ActionScatterParamMembers, p.Members()),
		},
	}
}

// gather is the entry for the acknowledgements of a slot.
func (t *tables) gather(p *group.Plan, slot int) entry {
	s := p.Slots[slot]
	return entry{
		Table: names.TableQP, Match: qpKey(p, s.Endpoint, s.AggrQP),
		Action: names.ActionGather, Args: []field{
			num(names.ActionGatherParamGroup, p.Index), num(names.ActionGatherParamSlot, slot), num(names.ActionGatherParamDelta, psnWord(wire.PSNOf(-uint32(p.Delta(slot))))), num(names.ActionGatherParamMembers, p.Members()),
			num(names.ActionGatherParamF, p.Needed), num(names.ActionGatherParamLeaderPort, p.Leader.Host.Port),
			num(names.ActionGatherParamICRC, addresses(s.Addr, p.Switch, p.Switch, p.Leader.Addr, s.AggrQP, p.Leader.QPN)),
		},
	}
}

// endpoint is the entry that rewrites the copies for a slot.
func (t *tables) endpoint(p *group.Plan, slot int) entry {
	s := p.Slots[slot]
	return entry{
		Table: names.TableEndpoint, Match: []field{num(names.TableEndpointKeyEgIntrMdEgressRID, p.RID(slot))},
		Action: names.ActionToReplica, Args: []field{
			mac(names.ActionToReplicaParamSrcMAC, t.mac), mac(names.ActionToReplicaParamDstMAC, s.Host.MAC), ip(names.ActionToReplicaParamDstIP, s.Addr), num(names.ActionToReplicaParamDstQP, s.QPN),
			num(names.ActionToReplicaParamDelta, psnWord(p.Delta(slot))), num(names.ActionToReplicaParamBase, s.VA), num(names.ActionToReplicaParamRKey, s.RKey),
			num(names.ActionToReplicaParamICRC, addresses(p.Leader.Addr, p.Switch, p.Switch, s.Addr, p.BCastQP, s.QPN)),
			num(names.ActionToReplicaParamICRCRKey, icrc.Const(icrc.RETHRKey, xor32(p.RKey, s.RKey))),
			num(names.ActionToReplicaParamNeutral, bit(p.Neutral)),
		},
	}
}

// leader is the entry that rewrites what goes to the leader.
func (t *tables) leader(p *group.Plan) entry {
	return entry{
		Table: names.TableLeader, Match: []field{num(names.TableLeaderKeyHdrBridgeGroup, p.Index)},
		Action: names.ActionToLeader, Args: []field{
			mac(names.ActionToLeaderParamSrcMAC, t.mac), mac(names.ActionToLeaderParamDstMAC, p.Leader.Host.MAC), ip(names.ActionToLeaderParamDstIP, p.Leader.Addr), num(names.ActionToLeaderParamDstQP, p.Leader.QPN),
			num(names.ActionToLeaderParamNeutral, bit(p.Neutral)),
		},
	}
}

// heard is the copy of a request to its leader's own port, by which the egress there learns what is under way. It is the first:
// on a switch that makes one copy after the other, no answer comes before it.
func (t *tables) heard(p *group.Plan) []p4rtclient.Replica {
	if !t.egress {
		return nil
	}
	return []p4rtclient.Replica{{Port: p.Leader.Host.Port, Instance: names.RIDLeader}}
}

func (t *tables) multicast(p *group.Plan) *p4.Entity {
	list := t.heard(p)
	for i, s := range p.Slots {
		list = append(list, p4rtclient.Replica{Port: s.Host.Port, Instance: p.RID(i)})
	}
	return p4rtclient.Group(p.MulticastID(), list)
}

// region is the entry that finds a further region of a group.
func (t *tables) region(p *group.Plan) entry {
	va := num(names.TableRegionKeyVA, uint32(p.Base))
	va.PrefixLen = 32 - bits.TrailingZeros64(p.Size)
	return entry{
		Table: names.TableRegion, Match: []field{num(names.TableRegionKeyGroup, p.Of), va},
		Action: names.ActionInRegion, Args: []field{
			num(names.ActionInRegionParamMulticastGroup, p.MulticastID()), num(names.ActionInRegionParamMinusEnd, uint32(-(p.Base + p.Size))),
		},
	}
}

// rewriting are the entries of a group but for those that let packets in.
func (t *tables) rewriting(p *group.Plan) []entry {
	var out []entry
	if !p.Region {
		out = append(out, t.leader(p))
	}
	for i := range p.Slots {
		out = append(out, t.endpoint(p, i))
	}
	return out
}

// letting are the entries that let packets in: the leader's come last.
func (t *tables) letting(p *group.Plan) (out []entry) {
	if p.Region {
		return []entry{t.region(p)}
	}
	for i := range p.Slots {
		out = append(out, t.gather(p, i))
	}
	return append(out, t.scatter(p))
}

// install is everything that a group needs, in the order in which it must come:
// nothing is let in before what handles it is there.
func (t *tables) install(p *group.Plan) ([]*p4.Update, error) {
	var out []*p4.Update
	var err error
	if !p.Region {
		if out, err = t.registers(p); err != nil {
			return nil, err
		}
	}
	if out, err = t.info.Updates(out, p4.Update_INSERT, t.rewriting(p)...); err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Insert(t.multicast(p)))
	return t.info.Updates(out, p4.Update_INSERT, t.letting(p)...)
}

// groupCounters have a cell for each group.
var groupCounters = []string{names.CounterScattered, names.CounterGathered, names.CounterAnswered, names.CounterNaks, names.CounterCnps}

// registers is how registers and counters of a group begin: nothing is left of who had its index before.
func (t *tables) registers(p *group.Plan) (out []*p4.Update, err error) {
	start := psnWord(p.StartPSN.Add(-1))
	registers := map[string][]uint64{names.RegisterCommitted: {start}, names.RegisterSent: {start}}
	for i := range p.Slots {
		registers[names.SlotRegister(i)] = []uint64{start, 0}
		registers[names.CreditRegister(i)] = []uint64{start, names.CreditUnlimited}
	}
	names := make([]string, 0, len(registers))
	for n := range registers {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		e, err := t.info.Register(n, int(p.Index), registers[n]...)
		if err != nil {
			return nil, err
		}
		out = append(out, p4rtclient.Modify(e))
	}
	for _, n := range groupCounters {
		e, err := t.info.ZeroCounter(n, int(p.Index))
		if err != nil {
			return nil, err
		}
		out = append(out, p4rtclient.Modify(e))
	}
	return out, nil
}

// move changes what depends on where the hosts of a group are.
func (t *tables) move(old, p *group.Plan) ([]*p4.Update, error) {
	before, now := t.letting(old), t.letting(p)
	var out []*p4.Update
	var err error
	for i := range now { // who may come in by another port may no longer by the old one
		if !sameMatch(before[i], now[i]) {
			if out, err = t.info.Updates(out, p4.Update_DELETE, before[i]); err != nil {
				return nil, err
			}
		}
	}
	if out, err = t.info.Updates(out, p4.Update_MODIFY, t.rewriting(p)...); err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Modify(t.multicast(p)))
	for i := range now {
		op := p4.Update_MODIFY
		if !sameMatch(before[i], now[i]) {
			op = p4.Update_INSERT
		}
		if out, err = t.info.Updates(out, op, now[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func sameMatch(a, b entry) bool {
	return sameFields(a.Match, b.Match)
}

// remove takes a group off, in the reverse order.
func (t *tables) remove(p *group.Plan) ([]*p4.Update, error) {
	lets := t.letting(p)
	slices.Reverse(lets)
	out, err := t.info.Updates(nil, p4.Update_DELETE, lets...)
	if err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Delete(t.multicast(p)))
	return t.info.Updates(out, p4.Update_DELETE, t.rewriting(p)...)
}

// own are the entries that say who the switch is: a host of its own addresses,
// which nobody else may use; and what its ports are.
func (t *tables) own(ips []wire.Addr) []entry {
	out := []entry{
		{Table: names.TableOwnMAC, Match: []field{mac(names.TableOwnMACKeyHdrEthernetSrc, t.mac)}, Action: names.ActionPretended},
		{Table: names.TableL2, Match: []field{mac(names.TableL2KeyHdrEthernetDst, t.mac)}, Action: names.ActionRouter},
	}
	for _, a := range ips {
		out = append(out,
			entry{Table: names.TableOwnIP, Match: []field{ip(names.TableOwnIPKeySender, a)}, Action: names.ActionPretended},
			entry{Table: names.TableSwitchIP, Match: []field{ip(names.TableSwitchIPKeyHdrIPv4Dst, a)}, Action: names.ActionToSwitch})
	}
	out = append(out, t.guard.ports()...)
	for _, h := range t.guard.neighbours {
		out = append(out, t.forward(h.mac, h.port))
	}
	for _, port := range slices.Sorted(maps.Keys(t.wiring.PortGroups)) {
		out = append(out, entry{
			Table: names.TablePortGroup, Match: []field{num(names.TablePortGroupKeyIgIntrMdIngressPort, port)},
			Action: names.ActionSetPortGroup, Args: []field{num(names.ActionSetPortGroupParamPortGroup, t.wiring.PortGroups[port])},
		})
	}
	return out
}

// host are the entries that forward to an attached host, and say where it is as a source.
func (t *tables) host(h hosts.Host) []entry { return append(t.macOf(h), t.ipOf(h)...) }

// macOf are those about its MAC address, which others may share.
func (t *tables) macOf(h hosts.Host) []entry {
	source, _ := t.source(h)
	return []entry{t.forward(h.MAC, h.Port), source}
}

// forward is the entry that sends frames to a MAC address by a port.
func (t *tables) forward(m wire.MAC, port uint16) entry {
	return entry{
		Table: names.TableL2, Match: []field{mac(names.TableL2KeyHdrEthernetDst, m)},
		Action: names.ActionForward, Args: []field{num(names.ActionForwardParamPort, port)},
	}
}

// ipOf are those about its IP address.
func (t *tables) ipOf(h hosts.Host) []entry {
	_, source := t.source(h)
	return []entry{source, t.route(route{prefix{h.IP, 32}, way{port: h.Port, next: h.MAC}})}
}

// cnpUnit is the unit of the program's CNP interval.
const cnpUnit = names.CNPUnitNs * time.Nanosecond

// cnpInterval sets the time in which at most one CNP of a group reaches its
// leader; rounded up, because 0 would mean no limit.
func (t *tables) cnpInterval(d time.Duration) (*p4.Entity, error) {
	units := uint32((d + cnpUnit - 1) / cnpUnit)
	return t.info.Entry(entry{Table: names.TableCNPInterval, Default: true, Action: names.ActionInterval, Args: []field{num(names.ActionIntervalParamUnits, units)}})
}

// digest is the configuration of the reports about NAKs: at once, but at most
// a list per 10 ms, and not again for a second.
func (t *tables) digest() (*p4.Entity, error) {
	return t.info.DigestConfig(names.DigestNAKDigest, &p4.DigestEntry_Config{MaxTimeoutNs: 10e6, MaxListSize: 256, AckTimeoutNs: 1e9})
}

// check looks whether the p4info has everything that this controller writes.
func (t *tables) check() error {
	_, err := t.install(&group.Plan{Slots: make([]group.Slot, private.MaxReplicas)})
	if err == nil {
		_, err = t.install(&group.Plan{Region: true, Size: 4096, Slots: make([]group.Slot, 1)})
	}
	if err == nil {
		_, err = t.info.Updates(nil, p4.Update_INSERT, append(t.network([]wire.Addr{{}}, []hosts.Host{{}, {IP: wire.Addr{1}, Routed: true}}),
			pathOf(1, 0, 1, t.mac, t.mac), t.route(route{prefix{bits: 32}, way{set: 1}}))...)
	}
	if err == nil {
		_, err = t.cnpInterval(0)
	}
	if err == nil {
		_, err = t.others()
	}
	if err == nil {
		relay := t.atRelay(&group.Plan{Slots: make([]group.Slot, 1)}, 0, 0, 0, []branch{{relay: true}})
		_, err = t.change(nil, nil, &relay)
	}
	if err == nil {
		_, err = t.digest()
	}
	return err
}

// counters reads what the switch has counted for a group.
func (t *tables) counters(ctx context.Context, c *p4rtclient.Client, index int) (*GroupCounters, error) {
	var out GroupCounters
	for name, dst := range map[string]*uint64{
		names.CounterScattered: &out.Scattered, names.CounterGathered: &out.Gathered, names.CounterAnswered: &out.Answered, names.CounterNaks: &out.NAKs,
	} {
		v, err := c.ReadCounter(ctx, t.info, name, index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 {
			*dst = v[0].Packets
			if name == names.CounterScattered {
				out.ScatteredBytes = v[0].Bytes
			}
		}
	}
	for name, dst := range map[string]*uint32{names.RegisterCommitted: &out.Committed, names.RegisterSent: &out.Sent} {
		v, err := c.ReadRegister(ctx, t.info, name, index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 {
			*dst = uint32(psnOf(v[0][0]))
		}
	}
	for slot := range names.Slots {
		v, err := c.ReadRegister(ctx, t.info, names.SlotRegister(slot), index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 && v[0][names.RegisterSlot0Lost] != 0 {
			out.Out = append(out.Out, slot)
		}
	}
	return &out, nil
}
