package xdp_test

import (
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// TestPortCounts: ports count the frames and bytes that come in and go out, whatever the
// program counts, and go on counting when another program is loaded.
func TestPortCounts(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	var target *xdp.Target
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		for _, h := range l.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		return target.Load(pipeline)
	}))
	defer l.InSwitch(target.Close)
	forward := func() {
		require.NoError(t, target.Insert(dataplane.NewEntry(worldtest.Program(t), "l2", []uint64{0x0200000000aa}, 0, "forward", uint64(l.Hosts[1].Port))))
	}
	forward()
	from, to := newSniffer(t, l, l.Hosts[0]), newSniffer(t, l, l.Hosts[1])
	frame := append([]byte{2, 0, 0, 0, 0, 0xaa, 2, 0, 0, 0, 0, 9, 0x88, 0xb5}, make([]byte, 86)...)
	counts := func() (rx, tx dataplane.Counter) {
		require.NoError(t, l.InSwitch(func() error {
			for _, p := range target.Ports() {
				switch p.Interface {
				case l.Hosts[0].PortInterface():
					rx = p.RX
				case l.Hosts[1].PortInterface():
					tx = p.TX
				}
			}
			return nil
		}))
		return rx, tx
	}
	pass := func() {
		from.send(t, frame)
		to.next(t, 0x88b5)
	}
	rx0, tx0 := counts()
	for range 3 {
		pass()
	}
	rx, tx := counts()
	// Hosts may have sent something of their own.
	require.GreaterOrEqual(t, rx.Packets-rx0.Packets, uint64(3))
	require.GreaterOrEqual(t, rx.Bytes-rx0.Bytes, uint64(300))
	require.GreaterOrEqual(t, tx.Packets-tx0.Packets, uint64(3))
	require.GreaterOrEqual(t, tx.Bytes-tx0.Bytes, uint64(300))

	require.NoError(t, l.InSwitch(func() error { return target.Load(pipeline) }))
	forward()
	pass()
	rx1, tx1 := counts()
	require.Greater(t, rx1.Packets, rx.Packets)
	require.Greater(t, tx1.Packets, tx.Packets)
}

// TestNoPort: the chip's number for no port is none here, on either target: not a port's,
// and not in a group, where the packet would go nowhere and nobody would be told.
func TestNoPort(t *testing.T) {
	run := func(t *testing.T, target dataplane.Target) {
		defer func() { require.NoError(t, target.Close()) }()
		pipeline, err := builtin.Pipeline("rdma")
		require.NoError(t, err)
		require.NoError(t, target.Load(pipeline))
		for _, c := range []struct {
			port dataplane.Port
			want string
		}{
			{511, "port 511: this number means no port on the chip (ports go from 0 to 510)"},
			{512, "port 512: ports go from 0 to 510"},
			{1000, "port 1000: ports go from 0 to 510"},
		} {
			require.EqualError(t, target.AddPort(c.port, "lo"), c.want)
			group := []dataplane.Replica{{Port: 1, Instance: 1}, {Port: c.port, Instance: 2}}
			require.EqualError(t, target.SetGroup(5, group), "multicast group 5: "+c.want)
			require.ErrorIs(t, target.DeleteGroup(5), dataplane.ErrNotFound, "nothing of it is left")
		}
		require.NoError(t, target.SetGroup(5, []dataplane.Replica{{Port: 510, Instance: 1}}))
	}
	t.Run("interp", func(t *testing.T) { run(t, interp.New(interp.Options{})) })
	t.Run("xdp", func(t *testing.T) {
		needs.Root(t, "XDP")
		_, err := xdp.New(xdp.Config{CPUPort: 511, PacketTest: true})
		require.EqualError(t, err, "CPU port 511: this number means no port on the chip (ports go from 0 to 510)")
		target, err := xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})
		require.NoError(t, err)
		run(t, target)
	})
}

// TestReopenPort: a port whose interface was deleted and made again sends and receives as before, and is in
// its groups; meanwhile the others go on, a program can be loaded, and groups can be made.
func TestReopenPort(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	var target *xdp.Target
	all := []dataplane.Replica{}
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		for _, h := range l.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
			all = append(all, dataplane.Replica{Port: dataplane.Port(h.Port), Instance: uint16(h.Port)})
		}
		return nil
	}))
	defer l.InSwitch(target.Close)
	load := func() {
		require.NoError(t, l.InSwitch(func() error { return target.Load(pipeline) }))
		require.NoError(t, target.Insert(dataplane.NewEntry(pipeline.Program, "destination", []uint64{0x0200000000aa}, 0, "forward", uint64(l.Hosts[2].Port))))
	}
	group := func(id uint16) { require.NoError(t, l.InSwitch(func() error { return target.SetGroup(id, all) })) }
	load()
	group(1)
	from, second, third := newSniffer(t, l, l.Hosts[0]), newSniffer(t, l, l.Hosts[1]), newSniffer(t, l, l.Hosts[2])
	frame := func(dst byte) []byte {
		return append([]byte{2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, 9, 0x88, 0xb5}, make([]byte, 86)...)
	}
	from.send(t, frame(0xbb)) // flooded
	second.next(t, 0x88b5)
	third.next(t, 0x88b5)

	reopen := func() error {
		return l.InSwitch(func() error { return target.ReopenPort(dataplane.Port(l.Hosts[2].Port)) })
	}
	for _, meanwhile := range []func(){
		func() {},
		func() { load(); group(1) },
		func() { group(1) },
	} {
		require.NoError(t, l.Unwire(l.Hosts[2]))
		require.ErrorContains(t, reopen(), "does not exist")
		meanwhile()
		from.send(t, frame(0xbb))
		second.next(t, 0x88b5)
		require.NoError(t, l.Wire(l.Hosts[2]))
		require.NoError(t, reopen())
		third = newSniffer(t, l, l.Hosts[2])
		from.send(t, frame(0xaa))
		third.next(t, 0x88b5)
		from.send(t, frame(0xbb))
		second.next(t, 0x88b5)
		third.next(t, 0x88b5)
		third.send(t, frame(0xbb))
		second.next(t, 0x88b5)
		from.next(t, 0x88b5)
	}
}

// TestTagsBeside: a port whose other end leaves VLAN tags beside packets, where no program sees them, is
// refused, with the command that mends it.
func TestTagsBeside(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	// The other end is looked at where its namespace has a name, or a process.
	_, err = l.StartInHost(l.Hosts[0], lab.Spec{Name: "sleep", Args: []string{"sleep", "60"}})
	require.NoError(t, err)
	beside := func(on bool) {
		require.NoError(t, l.InHost(l.Hosts[0], func() error {
			e, err := ethtool.NewEthtool()
			if err != nil {
				return err
			}
			defer e.Close()
			return e.Change(lab.Interface, map[string]bool{"tx-vlan-hw-insert": on})
		}))
	}
	var target *xdp.Target
	add := func(h *lab.Host) error {
		return l.InSwitch(func() error { return target.AddPort(dataplane.Port(h.Port), h.PortInterface()) })
	}
	require.NoError(t, l.InSwitch(func() (err error) {
		target, err = xdp.New(xdp.Config{CPUPort: 64})
		return err
	}))
	defer l.InSwitch(target.Close)
	beside(true)
	require.ErrorContains(t, add(l.Hosts[0]), "there: ethtool -K "+lab.Interface+" txvlan off")
	beside(false)
	require.NoError(t, add(l.Hosts[0]))
}
