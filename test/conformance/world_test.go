package conformance

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/host/roce/icrc"
	"github.com/p4ce/p4ce/host/roce/wire"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// compileRDMA compiles p4/rdma.p4 once.
var compileRDMA = sync.OnceValues(func() (*ir.Program, error) {
	prog, diags := lang.Compile(lang.Options{Path: "rdma.p4", FS: p4.FS})
	if prog == nil {
		return nil, diags.Err()
	}
	return prog, nil
})

func rdma(t testing.TB) *ir.Program {
	t.Helper()
	p, err := compileRDMA()
	require.NoError(t, err)
	return p
}

// clock is the time that both targets see.
type clock struct{ ns atomic.Uint64 }

// device is a target that packets can be injected into at a time.
type device struct {
	dataplane.Target
	inject func(p dataplane.Port, frame []byte) ([]dataplane.Out, error)
}

func newInterp(t testing.TB, c *clock) *device {
	target := interp.New(interp.Options{Clock: c.ns.Load})
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: rdma(t)}))
	return &device{target, target.Inject}
}

func newXDP(t testing.TB, c *clock) *device {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("XDP needs root")
	}
	obj, err := bpf.Object("rdma")
	require.NoError(t, err)
	target, err := xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: rdma(t), Object: obj}))
	return &device{target, func(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
		return target.InjectAt(p, frame, c.ns.Load())
	}}
}

// table finds a table by the end of its name.
func table(p *ir.Program, name string) *ir.Table {
	for _, t := range p.Tables {
		if strings.HasSuffix(t.Name, "."+name) {
			return t
		}
	}
	panic("no table " + name)
}

func register(p *ir.Program, name string) *ir.Register {
	for _, r := range p.Registers {
		if strings.HasSuffix(r.Name, "."+name) {
			return r
		}
	}
	panic("no register " + name)
}

func counter(p *ir.Program, name string) *ir.Counter {
	for _, c := range p.Counters {
		if strings.HasSuffix(c.Name, "."+name) {
			return c
		}
	}
	panic("no counter " + name)
}

func bytesOf(v uint64, width int) []byte {
	return new(big.Int).SetUint64(v).FillBytes(make([]byte, (width+7)/8))
}

// entry builds an entry with exact keys (or one lpm key, when prefix > 0).
func entry(p *ir.Program, tbl string, keys []uint64, prefix int, action string, args ...uint64) *dataplane.Entry {
	t := table(p, tbl)
	e := &dataplane.Entry{Table: t}
	for i, k := range t.Keys {
		e.Matches = append(e.Matches, dataplane.Match{Value: bytesOf(keys[i], k.Width), PrefixLen: prefix})
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
			e.Action.Args = append(e.Action.Args, bytesOf(args[i], p.Type.Width))
		}
		return e
	}
	panic("table " + tbl + " has no action " + action)
}

// replica is an endpoint behind the switch.
type replica struct {
	port  dataplane.Port
	ip    wire.Addr
	mac   wire.MAC
	qpn   uint32
	rkey  uint32
	va    uint64
	aggr  uint32   // AggrQP: the switch's QPN towards it
	delta wire.PSN // its PSN minus the leader's
}

// group is a group as the controller would install it.
type group struct {
	index    uint16
	mcast    uint16
	f        int
	bcast    uint32 // BCastQP
	vkey     uint32
	size     uint64 // power of two
	start    wire.PSN
	leader   replica
	replicas []replica
	neutral  bool
}

var (
	switchIP  = wire.Addr{10, 66, 0, 1}
	switchMAC = wire.MAC{2, 0x50, 0x34, 0x63, 0x65, 1}
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

// rid is the replication id of a replica.
func (g *group) rid(slot int) uint16 { return g.index*8 + uint16(slot) }

func (g *group) members() uint64 { return 1<<len(g.replicas) - 1 }

// entries are the table entries of a group.
func (g *group) entries(p *ir.Program) []*dataplane.Entry {
	l := g.leader
	out := []*dataplane.Entry{
		entry(p, "qp", []uint64{ip32(l.ip), ip32(switchIP), uint64(g.bcast)}, 0, "scatter",
			uint64(g.index), uint64(g.mcast), uint64(g.vkey), uint64(uint32(-int64(g.size)))),
		entry(p, "leader", []uint64{uint64(g.index)}, 0, "to_leader",
			mac48(switchMAC), mac48(l.mac), ip32(l.ip), uint64(l.qpn), bit(g.neutral)),
	}
	for i, r := range g.replicas {
		toReplica := icrc.Const(icrc.IPSource, xorBytes(l.ip[:], switchIP[:])) ^
			icrc.Const(icrc.IPDestination, xorBytes(switchIP[:], r.ip[:])) ^
			icrc.Const(icrc.BTHDestQP, xorBytes(be24(g.bcast), be24(r.qpn)))
		toLeader := icrc.Const(icrc.IPSource, xorBytes(r.ip[:], switchIP[:])) ^
			icrc.Const(icrc.IPDestination, xorBytes(switchIP[:], l.ip[:])) ^
			icrc.Const(icrc.BTHDestQP, xorBytes(be24(r.aggr), be24(l.qpn)))
		key := icrc.Const(icrc.RETHRKey, xorBytes(be32(g.vkey), be32(r.rkey)))
		out = append(out,
			entry(p, "qp", []uint64{ip32(r.ip), ip32(switchIP), uint64(r.aggr)}, 0, "gather",
				uint64(g.index), uint64(i), uint64(r.delta)<<8, g.members(), uint64(g.f), uint64(l.port), uint64(toLeader)),
			entry(p, "endpoint", []uint64{uint64(g.rid(i))}, 0, "to_replica",
				mac48(switchMAC), mac48(r.mac), ip32(r.ip), uint64(r.qpn), uint64(r.delta)<<8, r.va,
				uint64(r.rkey), uint64(toReplica), uint64(key), bit(g.neutral)))
	}
	return out
}

// install programs a group into a target, registers included.
func (g *group) install(t testing.TB, d *device) {
	t.Helper()
	p := rdma(t)
	var copies []dataplane.Replica
	for i, r := range g.replicas {
		copies = append(copies, dataplane.Replica{Port: r.port, Instance: g.rid(i)})
	}
	require.NoError(t, d.SetGroup(g.mcast, copies))
	before := bytesOf(uint64(g.start.Add(-1))<<8, 32)
	require.NoError(t, d.WriteRegister(register(p, "committed"), int(g.index), [][]byte{before}))
	for i := range 8 {
		require.NoError(t, d.WriteRegister(register(p, fmt.Sprintf("slot%d", i)), int(g.index), [][]byte{before}))
		require.NoError(t, d.WriteRegister(register(p, fmt.Sprintf("credit%d", i)), int(g.index), [][]byte{{0x1f}}))
	}
	for _, e := range g.entries(p) {
		require.NoError(t, d.Insert(e))
	}
}

// installNetwork programs what every switch has: its address, and the hosts.
func installNetwork(t testing.TB, d *device, hosts []replica) {
	t.Helper()
	p := rdma(t)
	require.NoError(t, d.Insert(entry(p, "switch_ip", []uint64{ip32(switchIP)}, 0, "to_switch")))
	require.NoError(t, d.Insert(entry(p, "l2", []uint64{mac48(switchMAC)}, 0, "router")))
	for _, h := range hosts {
		require.NoError(t, d.Insert(entry(p, "l2", []uint64{mac48(h.mac)}, 0, "forward", uint64(h.port))))
		require.NoError(t, d.Insert(entry(p, "l3", []uint64{ip32(h.ip)}, 32, "route", uint64(h.port), mac48(switchMAC), mac48(h.mac))))
	}
}
