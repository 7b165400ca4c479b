package xdp_test

import (
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/nic"
)

// pair makes a veth in the switch's namespace whose other end is there, too, and can be inspected. change may change both.
func pair(t *testing.T, l *lab.Lab, change func(v *netlink.Veth)) {
	t.Helper()
	require.NoError(t, l.InSwitch(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name = "port"
		v := &netlink.Veth{LinkAttrs: attrs, PeerName: "far"}
		if change != nil {
			change(v)
		}
		if err := netlink.LinkAdd(v); err != nil {
			return err
		}
		far, err := netlink.LinkByName("far")
		if err != nil {
			return err
		}
		return errors.Join(netlink.LinkSetUp(far), feature("far", map[string]bool{"rx-gro": true, "tx-vlan-hw-insert": false, "tx-vlan-stag-hw-insert": false}))
	}))
}

func feature(name string, f map[string]bool) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Change(name, f)
}

// sends has an interface send by so many queues.
func sends(name string, queues uint32) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer e.Close()
	n, err := e.GetChannels(name)
	if err != nil {
		return err
	}
	n.TxCount = queues
	_, err = e.SetChannels(name, n)
	return err
}

// newTarget is a target in the switch's namespace.
func newTarget(t *testing.T, l *lab.Lab, pins string) (target *xdp.Target) {
	t.Helper()
	require.NoError(t, l.InSwitch(func() (err error) {
		target, err = xdp.New(xdp.Config{CPUPort: 64, Pins: pins})
		return err
	}))
	return target
}

// read is what an interface of the switch's namespace is like.
func read(t *testing.T, l *lab.Lab, name string) (i nic.Interface) {
	t.Helper()
	require.NoError(t, l.InSwitch(func() (err error) {
		i, err = nic.Read(name)
		return err
	}))
	return i
}

// TestPortSetUp: a port's interface is set up and made promiscuous, and is as it was when the port is removed, or the target
// closed. A kept data plane keeps it, until it is detached.
func TestPortSetUp(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	pair(t, l, nil)
	is := func(up bool) {
		t.Helper()
		i := read(t, l, "port")
		require.Equal(t, up, i.Up)
		require.Equal(t, up, i.Promisc)
	}
	add := func(target *xdp.Target) {
		t.Helper()
		require.NoError(t, l.InSwitch(func() error { return target.AddPort(1, "port") }))
		is(true)
	}
	target := newTarget(t, l, "")
	add(target)
	require.NoError(t, l.InSwitch(func() error { return target.RemovePort(1) }))
	is(false)
	add(target)
	require.NoError(t, target.Close(), "from any thread")
	is(false)

	needs.Kernel(t, l.HasPins())
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	target = newTarget(t, l, pinFolder)
	add(target)
	require.NoError(t, l.InSwitch(func() error { return target.Load(pipeline) }))
	require.NoError(t, l.InSwitch(target.Close))
	is(true)
	target = newTarget(t, l, pinFolder)
	add(target) // although it has a program: its own
	require.NoError(t, l.InSwitch(target.Close))
	is(true)
	require.NoError(t, l.InSwitch(func() error { return xdp.Detach(pinFolder) }))
	is(false)
}

// TestUnsuitable: an interface that cannot be a port as it is, or because of its other end, is refused before anything of it
// is changed, with the command that mends it; after that command, it is a port.
func TestUnsuitable(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	mtu := func(name string, n int) error {
		i, err := netlink.LinkByName(name)
		if err != nil {
			return err
		}
		return netlink.LinkSetMTU(i, n)
	}
	for _, c := range []struct {
		name string
		make func(v *netlink.Veth)
		want string
		mend func() error
	}{
		{"jumbo", func(v *netlink.Veth) { v.MTU, v.PeerMTU = 9000, 1500 }, "mtu: 9000; native XDP takes at most 3506 (path MTU 2048 needs about 2150) (ip link set port mtu 3000)", func() error { return mtu("port", 3000) }},
		{"jumbo beyond", func(v *netlink.Veth) { v.PeerMTU = 9000 }, "(there: ip link set far mtu 3000)", func() error { return mtu("far", 3000) }},
		{"more queues beyond", func(v *netlink.Veth) { v.PeerNumTxQueues = 4 }, "(there: ethtool -L far tx 1)", func() error { return sends("far", 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair(t, l, c.make)
			if c.name == "more queues beyond" {
				require.NoError(t, l.InSwitch(func() error { return sends("far", 4) }))
			}
			target := newTarget(t, l, "")
			defer l.InSwitch(target.Close)
			add := func() error { return l.InSwitch(func() error { return target.AddPort(1, "port") }) }
			require.ErrorContains(t, add(), c.want)
			require.False(t, read(t, l, "port").Promisc)
			require.NoError(t, l.InSwitch(c.mend))
			require.NoError(t, add())
			require.NoError(t, l.InSwitch(func() error { return target.Load(pipeline) }))
			require.NoError(t, l.InSwitch(target.Close))
			require.NoError(t, l.InSwitch(func() error {
				i, err := netlink.LinkByName("port")
				if err != nil {
					return err
				}
				return netlink.LinkDel(i)
			}))
		})
	}
}

// TestUnsuitableUnseen: what is wrong at another end that cannot be inspected, the kernel's refusal of the program says, and
// the error says it in words.
func TestUnsuitableUnseen(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	h := l.Hosts[0]
	require.NoError(t, l.InHost(h, func() error {
		i, err := netlink.LinkByName(lab.Interface)
		if err != nil {
			return err
		}
		return netlink.LinkSetMTU(i, 9000)
	}))
	target := newTarget(t, l, "")
	defer l.InSwitch(target.Close)
	require.NoError(t, l.InSwitch(func() error { return target.AddPort(dataplane.Port(h.Port), h.PortInterface()) }))
	require.ErrorContains(t, l.InSwitch(func() error { return target.Load(pipeline) }), "the MTU of its other end is too large; there: ip link set INTERFACE mtu 3506")
}

// TestSeveralQueues: what comes by any of a port's queues is forwarded, and counted.
func TestSeveralQueues(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	pair(t, l, func(v *netlink.Veth) { v.NumRxQueues, v.NumTxQueues, v.PeerNumRxQueues, v.PeerNumTxQueues = 4, 4, 4, 4 })
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	target := newTarget(t, l, "")
	defer l.InSwitch(target.Close)
	to := l.Hosts[0]
	require.NoError(t, l.InSwitch(func() error {
		return errors.Join(target.AddPort(dataplane.Port(to.Port), to.PortInterface()), target.AddPort(7, "port"), target.Load(pipeline),
			target.Insert(dataplane.NewEntry(pipeline.Program, "destination", []uint64{0x0200000000aa}, 0, "forward", uint64(to.Port))))
	}))
	require.Equal(t, 4, read(t, l, "port").Channels)
	sink := newSniffer(t, l, to)
	// The kernel chooses a queue by the flow.
	const flows = 64
	require.NoError(t, l.InSwitch(func() error {
		far, err := net.InterfaceByName("far")
		if err != nil {
			return err
		}
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		frame := make([]byte, 14+20+8+20)
		copy(frame, []byte{2, 0, 0, 0, 0, 0xaa, 2, 0, 0, 0, 0, 9, 8, 0, 0x45, 0, 0, 48, 0, 0, 0, 0, 64, 17})
		for i := range flows {
			frame[35] = byte(i) // source port
			if err := unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: far.Index, Protocol: 8}); err != nil {
				return err
			}
		}
		return nil
	}))
	for range flows {
		sink.next(t, 0x0800)
	}
	used := 0
	require.NoError(t, l.InSwitch(func() error {
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		n, err := e.Stats("port")
		for queue := range 4 {
			if n[fmt.Sprintf("rx_queue_%d_xdp_packets", queue)] > 0 {
				used++
			}
		}
		return err
	}))
	require.Greater(t, used, 2, "queues")
	for _, p := range target.Ports() {
		if p.Interface == "port" {
			require.GreaterOrEqual(t, p.RX.Packets, uint64(flows))
		}
	}
}
