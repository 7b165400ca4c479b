// Package world sets up p4/rdma/rdma.p4 on a target, as the controller would: groups and their
// registers. Benchmarks of the forwarding core use it. Package worldtest adds functions for tests.
package world

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

// Replica is an endpoint behind the switch.
type Replica struct {
	Port   dataplane.Port
	IP     wire.Addr
	MAC    wire.MAC
	QPN    uint32
	RKey   uint32
	VA     uint64
	AggrQP uint32   // AggrQP: the switch's QPN towards it
	Delta  wire.PSN // its PSN minus the leader's
}

// Group is a group as the controller would install it.
type Group struct {
	Index     uint16
	Multicast uint16
	F         int
	BCastQP   uint32 // BCastQP
	VKey      uint32
	Size      uint64 // power of two
	Start     wire.PSN
	Sent      int // requests that the leader has sent before
	Leader    Replica
	Replicas  []Replica
	Neutral   bool
	Regions   []Region // beside the first
}

// Region is a further region of a group.
type Region struct {
	Index, Multicast uint16
	Base, Size       uint64 // virtual; Size is a power of two, Base a multiple
	VA               []uint64
	RKey             []uint32 // of each replica's
}

var (
	SwitchIP  = wire.Addr{10, 66, 0, 1}
	SwitchMAC = wire.MAC{2, 0x50, 0x34, 0x63, 0x65, 1}
)

func ip32(a wire.Addr) uint64 { return uint64(binary.BigEndian.Uint32(a[:])) }

func mac48(m wire.MAC) uint64 {
	return uint64(binary.BigEndian.Uint16(m[:2]))<<32 | uint64(binary.BigEndian.Uint32(m[2:]))
}

func xorBytes(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := range a {
		out[i] = a[i] ^ b[i]
	}
	return out
}

func be24(v uint32) []byte { return []byte{byte(v >> 16), byte(v >> 8), byte(v)} }
func be32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// RID is the replication id of a replica.
func (g *Group) RID(slot int) uint16 { return names.RID(g.Index, slot) }

func (g *Group) members() uint64 { return 1<<len(g.Replicas) - 1 }

// Corrections are the constant parts of the ICRC correction for one replica.
type Corrections struct {
	ToReplica, ToLeader, RKey uint32
}

// Corrections computes them for a slot.
func (g *Group) Corrections(slot int) (c Corrections) {
	l, r := g.Leader, g.Replicas[slot]
	c.ToReplica = icrc.Const(icrc.IPSource, xorBytes(l.IP[:], SwitchIP[:])) ^
		icrc.Const(icrc.IPDestination, xorBytes(SwitchIP[:], r.IP[:])) ^
		icrc.Const(icrc.BTHDestQP, xorBytes(be24(g.BCastQP), be24(r.QPN)))
	c.ToLeader = icrc.Const(icrc.IPSource, xorBytes(r.IP[:], SwitchIP[:])) ^
		icrc.Const(icrc.IPDestination, xorBytes(SwitchIP[:], l.IP[:])) ^
		icrc.Const(icrc.BTHDestQP, xorBytes(be24(r.AggrQP), be24(l.QPN)))
	c.RKey = icrc.Const(icrc.RETHRKey, xorBytes(be32(g.VKey), be32(r.RKey)))
	return c
}

// Entries are the table entries of a group.
func (g *Group) Entries(p *ir.Program) []*dataplane.Entry {
	l := g.Leader
	out := []*dataplane.Entry{
		dataplane.NewEntry(p, names.TableQP, []uint64{ip32(l.IP), ip32(SwitchIP), uint64(g.BCastQP), uint64(l.Port)}, 0, names.ActionScatter,
			uint64(g.Index), uint64(g.Multicast), uint64(g.VKey), uint64(uint32(-int64(g.Size))), g.members()),
		dataplane.NewEntry(p, names.TableLeader, []uint64{uint64(g.Index)}, 0, names.ActionToLeader,
			mac48(SwitchMAC), mac48(l.MAC), ip32(l.IP), uint64(l.QPN), bit(g.Neutral)),
	}
	for i, r := range g.Replicas {
		fix := g.Corrections(i)
		out = append(out,
			dataplane.NewEntry(p, names.TableQP, []uint64{ip32(r.IP), ip32(SwitchIP), uint64(r.AggrQP), uint64(r.Port)}, 0, names.ActionGather,
				uint64(g.Index), uint64(i), uint64(-uint32(r.Delta)*names.PSNOne), g.members(), uint64(g.F), uint64(l.Port), uint64(fix.ToLeader)),
			dataplane.NewEntry(p, names.TableEndpoint, []uint64{uint64(g.RID(i))}, 0, names.ActionToReplica,
				mac48(SwitchMAC), mac48(r.MAC), ip32(r.IP), uint64(r.QPN), uint64(r.Delta)*names.PSNOne, r.VA,
				uint64(r.RKey), uint64(fix.ToReplica), uint64(fix.RKey), bit(g.Neutral)))
	}
	for _, reg := range g.Regions {
		out = append(out, dataplane.NewEntry(p, names.TableRegion, []uint64{uint64(g.Index), reg.Base}, 32-bits.TrailingZeros64(reg.Size), names.ActionInRegion,
			uint64(reg.Multicast), uint64(uint32(-(reg.Base+reg.Size)))))
		for i, r := range g.Replicas {
			rkey := icrc.Const(icrc.RETHRKey, xorBytes(be32(g.VKey), be32(reg.RKey[i])))
			out = append(out, dataplane.NewEntry(p, names.TableEndpoint, []uint64{uint64(names.RID(reg.Index, i))}, 0, names.ActionToReplica,
				mac48(SwitchMAC), mac48(r.MAC), ip32(r.IP), uint64(r.QPN), uint64(r.Delta)*names.PSNOne, reg.VA[i]-reg.Base,
				uint64(reg.RKey[i]), uint64(g.Corrections(i).ToReplica), uint64(rkey), bit(g.Neutral)))
		}
	}
	return out
}

// Apply programs a group into a target, registers included.
func (g *Group) Apply(p *ir.Program, d dataplane.Target) error {
	var copies []dataplane.Replica
	for i, r := range g.Replicas {
		copies = append(copies, dataplane.Replica{Port: r.Port, Instance: g.RID(i)})
	}
	if err := d.SetGroup(g.Multicast, copies); err != nil {
		return err
	}
	for _, reg := range g.Regions {
		copies := slices.Clone(copies)
		for i := range copies {
			copies[i].Instance = names.RID(reg.Index, i)
		}
		if err := d.SetGroup(reg.Multicast, copies); err != nil {
			return err
		}
	}
	before := dataplane.Bytes(uint64(g.Start.Add(-1))*names.PSNOne, 32)
	sent := dataplane.Bytes(uint64(g.Start.Add(g.Sent-1))*names.PSNOne, 32)
	write := func(name string, fields ...[]byte) error {
		return d.WriteRegister(dataplane.RegisterOf(p, name), int(g.Index), fields)
	}
	if err := errors.Join(write(names.RegisterCommitted, before), write(names.RegisterSent, sent)); err != nil {
		return err
	}
	for i := range names.Slots {
		err := errors.Join(write(names.SlotRegister(i), before, dataplane.Bytes(0, 32)), write(names.CreditRegister(i), before, dataplane.Bytes(names.CreditUnlimited, 32)))
		if err != nil {
			return err
		}
	}
	for _, e := range g.Entries(p) {
		if err := d.Insert(e); err != nil {
			return err
		}
	}
	return nil
}
