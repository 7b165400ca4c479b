// Package world sets up p4/rdma/rdma.p4 on a target, as the controller would: groups,
// hosts, registers. Tests and benchmarks of the forwarding core start from it.
package world

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

// Compile compiles p4/rdma/rdma.p4 once.
var Compile = sync.OnceValues(func() (*ir.Program, error) {
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", FS: p4.FS})
	if prog == nil {
		return nil, diags.Err()
	}
	return prog, nil
})

func Program(t testing.TB) *ir.Program {
	t.Helper()
	p, err := Compile()
	require.NoError(t, err)
	return p
}

// clock is the time that both targets see.
type Clock struct{ NS atomic.Uint64 }

// Device is a target that packets can be injected into at a time.
type Device struct {
	dataplane.Target
	Inject func(p dataplane.Port, frame []byte) ([]dataplane.Out, error)
}

func NewInterp(t testing.TB, c *Clock) *Device {
	target := interp.New(interp.Options{Clock: c.NS.Load})
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: Program(t)}))
	return &Device{target, target.Inject}
}

func NewXDP(t testing.TB, c *Clock) *Device {
	t.Helper()
	needs.Root(t, "XDP")
	obj, err := bpf.Object("rdma")
	require.NoError(t, err)
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: Program(t), Object: obj}))
	return &Device{target, func(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
		return target.InjectAt(p, frame, c.NS.Load())
	}}
}

// table finds a table by the end of its name.
func Table(p *ir.Program, name string) *ir.Table {
	for _, t := range p.Tables {
		if strings.HasSuffix(t.Name, "."+name) {
			return t
		}
	}
	panic("no table " + name)
}

func Register(p *ir.Program, name string) *ir.Register {
	for _, r := range p.Registers {
		if strings.HasSuffix(r.Name, "."+name) {
			return r
		}
	}
	panic("no register " + name)
}

func Counter(p *ir.Program, name string) *ir.Counter {
	for _, c := range p.Counters {
		if strings.HasSuffix(c.Name, "."+name) {
			return c
		}
	}
	panic("no counter " + name)
}

// Bytes is a number of so many bits, big-endian.
func Bytes(v uint64, width int) []byte {
	return new(big.Int).SetUint64(v).FillBytes(make([]byte, (width+7)/8))
}

// entry builds an entry with exact keys (or one lpm key, when prefix > 0).
func Entry(p *ir.Program, tbl string, keys []uint64, prefix int, action string, args ...uint64) *dataplane.Entry {
	t := Table(p, tbl)
	e := &dataplane.Entry{Table: t}
	for i, k := range t.Keys {
		e.Matches = append(e.Matches, dataplane.Match{Value: Bytes(keys[i], k.Width), PrefixLen: prefix})
	}
	for _, ref := range t.Actions {
		if !strings.HasSuffix(ref.Action.Name, "."+action) {
			continue
		}
		e.Action.Action = ref.Action
		if len(args) != len(ref.Action.Params) {
			panic(fmt.Sprintf("action %s takes %d arguments", action, len(ref.Action.Params)))
		}
		for i, p := range ref.Action.Params {
			e.Action.Args = append(e.Action.Args, Bytes(args[i], p.Type.Width))
		}
		return e
	}
	panic("table " + tbl + " has no action " + action)
}

// replica is an endpoint behind the switch.
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

// group is a group as the controller would install it.
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
		Entry(p, names.TableQP, []uint64{ip32(l.IP), ip32(SwitchIP), uint64(g.BCastQP), uint64(l.Port)}, 0, names.ActionScatter,
			uint64(g.Index), uint64(g.Multicast), uint64(g.VKey), uint64(uint32(-int64(g.Size))), g.members()),
		Entry(p, names.TableLeader, []uint64{uint64(g.Index)}, 0, names.ActionToLeader,
			mac48(SwitchMAC), mac48(l.MAC), ip32(l.IP), uint64(l.QPN), bit(g.Neutral)),
	}
	for i, r := range g.Replicas {
		fix := g.Corrections(i)
		out = append(out,
			Entry(p, names.TableQP, []uint64{ip32(r.IP), ip32(SwitchIP), uint64(r.AggrQP), uint64(r.Port)}, 0, names.ActionGather,
				uint64(g.Index), uint64(i), uint64(-uint32(r.Delta)*names.PSNOne), g.members(), uint64(g.F), uint64(l.Port), uint64(fix.ToLeader)),
			Entry(p, names.TableEndpoint, []uint64{uint64(g.RID(i))}, 0, names.ActionToReplica,
				mac48(SwitchMAC), mac48(r.MAC), ip32(r.IP), uint64(r.QPN), uint64(r.Delta)*names.PSNOne, r.VA,
				uint64(r.RKey), uint64(fix.ToReplica), uint64(fix.RKey), bit(g.Neutral)))
	}
	for _, reg := range g.Regions {
		out = append(out, Entry(p, names.TableRegion, []uint64{uint64(g.Index), reg.Base}, 32-bits.TrailingZeros64(reg.Size), names.ActionInRegion,
			uint64(reg.Multicast), uint64(uint32(-(reg.Base+reg.Size)))))
		for i, r := range g.Replicas {
			rkey := icrc.Const(icrc.RETHRKey, xorBytes(be32(g.VKey), be32(reg.RKey[i])))
			out = append(out, Entry(p, names.TableEndpoint, []uint64{uint64(names.RID(reg.Index, i))}, 0, names.ActionToReplica,
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
	before := Bytes(uint64(g.Start.Add(-1))*names.PSNOne, 32)
	sent := Bytes(uint64(g.Start.Add(g.Sent-1))*names.PSNOne, 32)
	write := func(name string, fields ...[]byte) error {
		return d.WriteRegister(Register(p, name), int(g.Index), fields)
	}
	if err := errors.Join(write(names.RegisterCommitted, before), write(names.RegisterSent, sent)); err != nil {
		return err
	}
	for i := range names.Slots {
		err := errors.Join(write(names.SlotRegister(i), before, Bytes(0, 32)), write(names.CreditRegister(i), before, Bytes(names.CreditUnlimited, 32)))
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

// Install is Apply for tests.
func (g *Group) Install(t testing.TB, d *Device) {
	t.Helper()
	require.NoError(t, g.Apply(Program(t), d))
}

// InstallNetwork programs what every switch has: its address, and the hosts.
func InstallNetwork(t testing.TB, d *Device, hosts []Replica) {
	t.Helper()
	p := Program(t)
	require.NoError(t, d.Insert(Entry(p, names.TableOwnIP, []uint64{ip32(SwitchIP)}, 0, names.ActionPretended)))
	require.NoError(t, d.Insert(Entry(p, names.TableOwnMAC, []uint64{mac48(SwitchMAC)}, 0, names.ActionPretended)))
	require.NoError(t, d.Insert(Entry(p, names.TableSwitchIP, []uint64{ip32(SwitchIP)}, 0, names.ActionToSwitch)))
	require.NoError(t, d.Insert(Entry(p, names.TableL2, []uint64{mac48(SwitchMAC)}, 0, names.ActionRouter)))
	for _, h := range hosts {
		require.NoError(t, d.Insert(Entry(p, names.TableL2, []uint64{mac48(h.MAC)}, 0, names.ActionForward, uint64(h.Port))))
		require.NoError(t, d.Insert(Entry(p, names.TableL3, []uint64{ip32(h.IP)}, 32, names.ActionRoute, uint64(h.Port), mac48(SwitchMAC), mac48(h.MAC))))
	}
}
