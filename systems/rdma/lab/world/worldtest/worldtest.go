// Package worldtest runs p4/rdma/rdma.p4 on a target for tests, with the groups of package world.
package worldtest

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// Program is rdma.p4.
func Program(t testing.TB) *ir.Program {
	t.Helper()
	p, err := builtin.Load("rdma")
	require.NoError(t, err)
	return p.IR
}

// NeverOut takes the rule out of rdma.p4 that a slot is out when the window has left
// it behind.
var NeverOut = []string{"(int<32>)(held.psn - md.edge) < 0", "false"}

// Clock is the time that both targets see.
type Clock struct{ NS atomic.Uint64 }

// Device is a target that packets can be injected into at a time.
type Device struct {
	dataplane.Target
	Inject func(p dataplane.Port, frame []byte) ([]dataplane.Out, error)
}

// NewInterp runs rdma.p4 in the interpreter.
func NewInterp(t testing.TB, c *Clock) *Device {
	target := interp.New(interp.Options{Clock: c.NS.Load})
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: Program(t)}))
	return &Device{target, target.Inject}
}

// NewXDP runs rdma.p4 on XDP, which needs root.
func NewXDP(t testing.TB, c *Clock) *Device {
	t.Helper()
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	target, err := xdp.New(xdp.Config{CPUPort: dataplane.Port(names.PortCPU), PacketTest: true})
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(pipeline))
	return &Device{target, func(p dataplane.Port, frame []byte) ([]dataplane.Out, error) {
		return target.InjectAt(p, frame, c.NS.Load())
	}}
}

// Install programs a group into a device, registers included.
func Install(t testing.TB, g *world.Group, d *Device) {
	t.Helper()
	require.NoError(t, g.Apply(Program(t), d))
}

// InstallNetwork programs what every switch has: its address, and the hosts.
func InstallNetwork(t testing.TB, d *Device, hosts []world.Replica) {
	t.Helper()
	p := Program(t)
	require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableOwnIP, []uint64{number(world.SwitchIP[:])}, 0, names.ActionPretended)))
	require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableOwnMAC, []uint64{number(world.SwitchMAC[:])}, 0, names.ActionPretended)))
	require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableSwitchIP, []uint64{number(world.SwitchIP[:])}, 0, names.ActionToSwitch)))
	require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableL2, []uint64{number(world.SwitchMAC[:])}, 0, names.ActionRouter)))
	for _, h := range hosts {
		require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableL2, []uint64{number(h.MAC[:])}, 0, names.ActionForward, uint64(h.Port))))
		require.NoError(t, d.Insert(dataplane.NewEntry(p, names.TableL3, []uint64{number(h.IP[:])}, 32, names.ActionRoute, uint64(h.Port), number(world.SwitchMAC[:]), number(h.MAC[:]))))
	}
}

// number is an address as a number.
func number(a []byte) (v uint64) {
	for _, b := range a {
		v = v<<8 | uint64(b)
	}
	return v
}
