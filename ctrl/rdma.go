package ctrl

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/ctrl/group"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/p4ce"
	"github.com/p4ce/p4ce/roce/wire"
)

// Everything that depends on the text of p4/rdma/rdma.p4 is in this file: names of
// tables, actions, registers and counters, and the meaning of their values.

// Reasons of packet-ins: REASON_* in p4/rdma/types.p4.
const (
	reasonARP                = 1
	reasonUnknownDestination = 2
	reasonLocal              = 3
	reasonCM                 = 4
	reasonInvalidRequest     = 5
	reasonRemoteAccess       = 6
	reasonNoRoute            = 7
	reasonTTL                = 8
)

// Metadata of packet-ins and packet-outs.
const (
	metaIngressPort = "ingress_port"
	metaReason      = "reason"
	metaEgressPort  = "egress_port"
)

const (
	nakDigest       = "nak_digest"
	unlimitedCredit = 0x1f
)

// psnWord is a PSN in the program's shifted domain.
func psnWord(p wire.PSN) uint64 { return uint64(p) << 8 }

// rdma encodes and decodes what the program's tables hold.
type rdma struct {
	info   *p4rtclient.Info
	mac    wire.MAC
	wiring *Wiring
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
	return []field{ip("hdr.ipv4.src", from.Addr), ip("hdr.ipv4.dst", p.Switch), num("hdr.bth.dst_qp", qpn), num("port_class", from.Host.Class)}
}

// scatter is the entry that lets a leader's requests in. It comes last and goes
// first.
func (r *rdma) scatter(p *group.Plan) entry {
	return entry{
		Table: "qp", Match: qpKey(p, p.Leader, p.BCastQP),
		Action: "scatter", Args: []field{
			num("group", p.Index), num("multicast_group", p.MulticastID()), num("rkey", p.RKey), num("region_mask", uint32(-p.Size)),
			num("members", p.Members()),
		},
	}
}

// gather is the entry for the acknowledgements of a slot.
func (r *rdma) gather(p *group.Plan, slot int) entry {
	s := p.Slots[slot]
	return entry{
		Table: "qp", Match: qpKey(p, s.Endpoint, s.AggrQP),
		Action: "gather", Args: []field{
			num("group", p.Index), num("slot", slot), num("delta", psnWord(wire.PSNOf(-uint32(p.Delta(slot))))), num("members", p.Members()),
			num("f", p.Needed), num("leader_port", p.Leader.Host.Port),
			num("icrc", addresses(s.Addr, p.Switch, p.Switch, p.Leader.Addr, s.AggrQP, p.Leader.QPN)),
		},
	}
}

// endpoint is the entry that rewrites the copies for a slot.
func (r *rdma) endpoint(p *group.Plan, slot int) entry {
	s := p.Slots[slot]
	return entry{
		Table: "endpoint", Match: []field{num("eg_intr_md.egress_rid", p.RID(slot))},
		Action: "to_replica", Args: []field{
			mac("src_mac", r.mac), mac("dst_mac", s.Host.MAC), ip("dst_ip", s.Addr), num("dst_qp", s.QPN),
			num("delta", psnWord(p.Delta(slot))), num("base", s.VA), num("rkey", s.RKey),
			num("icrc", addresses(p.Leader.Addr, p.Switch, p.Switch, s.Addr, p.BCastQP, s.QPN)),
			num("icrc_rkey", icrc.Const(icrc.RETHRKey, xor32(p.RKey, s.RKey))),
			num("neutral", bit(p.Neutral)),
		},
	}
}

// leader is the entry that rewrites what goes to the leader.
func (r *rdma) leader(p *group.Plan) entry {
	return entry{
		Table: "leader", Match: []field{num("hdr.bridge.group", p.Index)},
		Action: "to_leader", Args: []field{
			mac("src_mac", r.mac), mac("dst_mac", p.Leader.Host.MAC), ip("dst_ip", p.Leader.Addr), num("dst_qp", p.Leader.QPN),
			num("neutral", bit(p.Neutral)),
		},
	}
}

func (r *rdma) multicast(p *group.Plan) *p4.Entity {
	var list []p4rtclient.Replica
	for i, s := range p.Slots {
		list = append(list, p4rtclient.Replica{Port: s.Host.Port, Instance: p.RID(i)})
	}
	return p4rtclient.Group(p.MulticastID(), list)
}

// rewriting are the entries of a group but for those that let packets in.
func (r *rdma) rewriting(p *group.Plan) []entry {
	out := []entry{r.leader(p)}
	for i := range p.Slots {
		out = append(out, r.endpoint(p, i))
	}
	return out
}

func (r *rdma) gathers(p *group.Plan) (out []entry) {
	for i := range p.Slots {
		out = append(out, r.gather(p, i))
	}
	return out
}

// install is everything that a group needs, in the order in which it must come:
// nothing is let in before what handles it is there.
func (r *rdma) install(p *group.Plan) ([]*p4.Update, error) {
	var out []*p4.Update
	start := psnWord(p.StartPSN.Add(-1))
	registers := map[string][]uint64{"committed": {start}, "sent": {start}}
	for i := range p.Slots {
		registers[fmt.Sprintf("slot%d", i)] = []uint64{start, 0}
		registers[fmt.Sprintf("credit%d", i)] = []uint64{start, unlimitedCredit}
	}
	names := make([]string, 0, len(registers))
	for n := range registers {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		e, err := r.info.Register(n, int(p.Index), registers[n]...)
		if err != nil {
			return nil, err
		}
		out = append(out, p4rtclient.Modify(e))
	}
	out, err := r.append(out, p4.Update_INSERT, r.rewriting(p)...)
	if err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Insert(r.multicast(p)))
	return r.append(out, p4.Update_INSERT, append(r.gathers(p), r.scatter(p))...)
}

// move changes what depends on where the hosts of a group are.
func (r *rdma) move(old, p *group.Plan) ([]*p4.Update, error) {
	before, now := append(r.gathers(old), r.scatter(old)), append(r.gathers(p), r.scatter(p))
	var out []*p4.Update
	var err error
	for i := range now { // who may come in by another port may no longer by the old one
		if !sameMatch(before[i], now[i]) {
			if out, err = r.append(out, p4.Update_DELETE, before[i]); err != nil {
				return nil, err
			}
		}
	}
	if out, err = r.append(out, p4.Update_MODIFY, r.rewriting(p)...); err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Modify(r.multicast(p)))
	for i := range now {
		op := p4.Update_MODIFY
		if !sameMatch(before[i], now[i]) {
			op = p4.Update_INSERT
		}
		if out, err = r.append(out, op, now[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func sameMatch(a, b entry) bool {
	return slices.EqualFunc(a.Match, b.Match, func(x, y field) bool { return bytes.Equal(x.Value, y.Value) })
}

// remove takes a group off, in the reverse order.
func (r *rdma) remove(p *group.Plan) ([]*p4.Update, error) {
	out, err := r.append(nil, p4.Update_DELETE, append([]entry{r.scatter(p)}, r.gathers(p)...)...)
	if err != nil {
		return nil, err
	}
	out = append(out, p4rtclient.Delete(r.multicast(p)))
	return r.append(out, p4.Update_DELETE, r.rewriting(p)...)
}

func (r *rdma) append(out []*p4.Update, op p4.Update_Type, list ...entry) ([]*p4.Update, error) {
	for _, e := range list {
		ent, err := r.info.Entry(e)
		if err != nil {
			return nil, err
		}
		out = append(out, &p4.Update{Type: op, Entity: ent})
	}
	return out, nil
}

// own are the entries that say who the switch is: a host of its own addresses,
// which nobody else may use; and what its ports are.
func (r *rdma) own(ips []wire.Addr) []entry {
	out := []entry{
		{Table: "own_mac", Match: []field{mac("hdr.ethernet.src", r.mac)}, Action: "pretended"},
		{Table: "l2", Match: []field{mac("hdr.ethernet.dst", r.mac)}, Action: "router"},
	}
	for _, a := range ips {
		out = append(out,
			entry{Table: "own_ip", Match: []field{ip("sender", a)}, Action: "pretended"},
			entry{Table: "switch_ip", Match: []field{ip("hdr.ipv4.dst", a)}, Action: "to_switch"})
	}
	for _, port := range slices.Sorted(maps.Keys(r.wiring.Classes)) {
		out = append(out, entry{
			Table: "port_class", Match: []field{num("ig_intr_md.ingress_port", port)},
			Action: "set_class", Args: []field{num("class", r.wiring.Classes[port])},
		})
	}
	return out
}

// host are the entries that forward to an attached host.
func (r *rdma) host(h hosts.Host) []entry {
	dst := ip("hdr.ipv4.dst", h.IP)
	dst.PrefixLen = 32
	return []entry{
		{Table: "l2", Match: []field{mac("hdr.ethernet.dst", h.MAC)}, Action: "forward", Args: []field{num("port", h.Port)}},
		{Table: "l3", Match: []field{dst}, Action: "route", Args: []field{num("port", h.Port), mac("src_mac", r.mac), mac("dst_mac", h.MAC)}},
	}
}

// cnpUnit is the unit of the program's CNP interval.
const cnpUnit = 256 * time.Nanosecond

// cnpInterval sets the time in which at most one CNP of a group reaches its
// leader; rounded up, because 0 would mean no limit.
func (r *rdma) cnpInterval(d time.Duration) (*p4.Entity, error) {
	units := uint32((d + cnpUnit - 1) / cnpUnit)
	return r.info.Entry(entry{Table: "cnp_interval", Default: true, Action: "interval", Args: []field{num("units", units)}})
}

// digest is the configuration of the reports about NAKs: at once, but at most
// a list per 10 ms, and not again for a second.
func (r *rdma) digest() (*p4.Entity, error) {
	return r.info.DigestConfig(nakDigest, &p4.DigestEntry_Config{MaxTimeoutNs: 10e6, MaxListSize: 256, AckTimeoutNs: 1e9})
}

// check looks whether the p4info has everything that this controller writes.
func (r *rdma) check() error {
	_, err := r.install(&group.Plan{Slots: make([]group.Slot, p4ce.MaxReplicas)})
	if err == nil {
		_, err = r.append(nil, p4.Update_INSERT, append(r.own([]wire.Addr{{}}), r.host(hosts.Host{})...)...)
	}
	if err == nil {
		_, err = r.cnpInterval(0)
	}
	if err == nil {
		_, err = r.digest()
	}
	return err
}

// nak is a report about a NAK.
type nak struct {
	group    uint16
	slot     int
	syndrome wire.Syndrome
	acked    wire.PSN
}

func (r *rdma) decodeDigest(l *p4.DigestList) (out []nak) {
	if r.info.DigestName(l.GetDigestId()) != nakDigest {
		return nil
	}
	for _, d := range l.GetData() {
		m := d.GetStruct().GetMembers()
		if len(m) != 4 {
			continue
		}
		v := func(i int) uint64 { return p4rtclient.ToUint(m[i].GetBitstring()) }
		out = append(out, nak{uint16(v(0)), int(v(1)), wire.Syndrome(v(2)), wire.PSNOf(uint32(v(3) >> 8))})
	}
	return out
}

// counters reads what the switch has counted for a group.
func (r *rdma) counters(ctx context.Context, c *p4rtclient.Client, index int) (*GroupCounters, error) {
	var out GroupCounters
	for name, dst := range map[string]*uint64{"scattered": &out.Scattered, "gathered": &out.Gathered, "answered": &out.Answered, "naks": &out.NAKs} {
		v, err := c.ReadCounter(ctx, r.info, name, index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 {
			*dst = v[0].Packets
			if name == "scattered" {
				out.ScatteredBytes = v[0].Bytes
			}
		}
	}
	for name, dst := range map[string]*uint32{"committed": &out.Committed, "sent": &out.Sent} {
		v, err := c.ReadRegister(ctx, r.info, name, index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 {
			*dst = uint32(v[0][0] >> 8)
		}
	}
	for slot := range p4ce.MaxReplicas {
		v, err := c.ReadRegister(ctx, r.info, fmt.Sprintf("slot%d", slot), index)
		if err != nil {
			return nil, err
		}
		if len(v) == 1 && v[0][1] != 0 {
			out.Out = append(out.Out, slot)
		}
	}
	return &out, nil
}
