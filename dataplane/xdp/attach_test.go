package xdp_test

import (
	"net"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
)

// TestSecondSwitch: a second switch in a network namespace is refused, and leaves the CPU
// port of the first alone; with a name of its own, or once the first has ended, it is not.
func TestSecondSwitch(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	open := func(name string) (target *xdp.Target, index int, err error) {
		err = l.InSwitch(func() error {
			if target, err = xdp.New(xdp.Config{CPUPort: 64, CPUInterface: name}); err != nil {
				return err
			}
			i, err := net.InterfaceByName(target.Ports()[0].Interface)
			if err == nil {
				index = i.Index
			}
			return err
		})
		return target, index, err
	}
	first, index, err := open("")
	require.NoError(t, err)
	_, _, err = open("")
	require.ErrorContains(t, err, "interface p4cpu belongs to another switch in this network namespace (choose another name with --cpu-interface)")
	require.NoError(t, l.InSwitch(func() error {
		i, err := net.InterfaceByName("p4cpu")
		if err == nil {
			require.Equal(t, index, i.Index, "the first switch's interface is there")
		}
		return err
	}))
	other, _, err := open("p4cpu2")
	require.NoError(t, err)
	require.NoError(t, l.InSwitch(other.Close))
	require.NoError(t, l.InSwitch(first.Close))
	again, _, err := open("")
	require.NoError(t, err)
	require.NoError(t, l.InSwitch(again.Close))
}

// TestLoadFailsHalfway: when a port cannot have the program, no port has it: none after the
// first load, and what was kept by an earlier process goes on.
func TestLoadFailsHalfway(t *testing.T) {
	long.Test(t)
	t.Run("the first", func(t *testing.T) { loadFails(t, "") })
	t.Run("kept", func(t *testing.T) { loadFails(t, pinFolder) })
}

func loadFails(t *testing.T, pins string) {
	needs.Root(t, "XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	defer l.Close()
	if pins != "" {
		needs.Kernel(t, l.HasPins())
	}
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	pipeline.Config = []byte("a config")
	open := func(ports int) (target *xdp.Target) {
		require.NoError(t, l.InSwitch(func() error {
			var err error
			if target, err = xdp.New(xdp.Config{CPUPort: 64, Pins: pins}); err != nil {
				return err
			}
			for _, h := range l.Hosts[:ports] {
				if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
					return err
				}
			}
			return nil
		}))
		return target
	}
	// programs are those attached to the hosts' ports, 0 for none.
	programs := func() (ids []uint32) {
		require.NoError(t, l.InSwitch(func() error {
			for _, h := range l.Hosts {
				i, err := netlink.LinkByName(h.PortInterface())
				if err != nil {
					return err
				}
				id := uint32(0)
				if x := i.Attrs().Xdp; x != nil && x.Attached {
					id = x.ProgId
				}
				ids = append(ids, id)
			}
			return nil
		}))
		return ids
	}
	if pins != "" { // an earlier switch with two ports
		earlier := open(2)
		require.NoError(t, l.InSwitch(func() error { return earlier.Load(pipeline) }))
		require.NoError(t, l.InSwitch(earlier.Close))
	}
	target := open(3)
	// Somebody else takes the third.
	var blocking link.Link
	require.NoError(t, l.InSwitch(func() error {
		prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.XDP, License: "GPL", Instructions: asm.Instructions{
			asm.Mov.Imm(asm.R0, 2), asm.Return(),
		}})
		if err != nil {
			return err
		}
		defer prog.Close()
		i, err := net.InterfaceByName(l.Hosts[2].PortInterface())
		if err != nil {
			return err
		}
		blocking, err = link.AttachXDP(link.XDPOptions{Program: prog, Interface: i.Index, Flags: link.XDPDriverMode})
		return err
	}))
	before := programs()
	require.Equal(t, pins != "", before[0] != 0)
	require.NotZero(t, before[2])
	require.ErrorContains(t, l.InSwitch(func() error { return target.Load(pipeline) }), "port 3")
	require.Equal(t, before, programs())

	require.NoError(t, blocking.Close())
	require.NoError(t, l.InSwitch(func() error { return target.Load(pipeline) }))
	for i, id := range programs() {
		require.NotZero(t, id, "port %d", i+1)
	}
	require.NoError(t, l.InSwitch(target.Close))
	if pins != "" {
		require.NoError(t, l.InSwitch(func() error { return xdp.Detach(pins) }))
	}
	require.Equal(t, []uint32{0, 0, 0}, programs())
}
