package tune

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/ownnet"
	"github.com/p4ce/p4ce/link/nic"
)

func TestMain(m *testing.M) {
	ownnet.Enter()
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// cable makes a veth, and returns what reads its near end and what the kernel calls its index.
func cable(t *testing.T) (read func() nic.Interface, index int) {
	needs.Root(t, "network interfaces")
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "near"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}))
	l, err := netlink.LinkByName("near")
	require.NoError(t, err)
	t.Cleanup(func() { _ = netlink.LinkDel(l) })
	return func() nic.Interface {
		i, err := nic.Read("near")
		require.NoError(t, err)
		return i
	}, l.Attrs().Index
}

func tags(i nic.Interface) bool { return i.VLANInsert }

// records are the files about interfaces.
func records(t *testing.T, index int) []string {
	t.Helper()
	name := recordFile(index)
	needs.Kernel(t, map[bool]error{true: os.ErrNotExist}[name == ""])
	found, err := filepath.Glob(name)
	require.NoError(t, err)
	return found
}

// TestTake: what a use needs is set, and put back by the last one who needs it; what was set by somebody killed, too.
func TestTake(t *testing.T) {
	read, index := cable(t)
	before := read()
	require.True(t, before.TXChecksum && before.VLANInsert && !before.GRO, "as the kernel makes it")
	set := func() {
		t.Helper()
		i := read()
		require.True(t, !i.TXChecksum && !i.VLANInsert && i.GRO, "%+v", i)
	}
	back := func() {
		t.Helper()
		i := read()
		require.Equal(t, [3]bool{before.TXChecksum, before.VLANInsert, before.GRO}, [3]bool{i.TXChecksum, i.VLANInsert, i.GRO})
		require.Empty(t, records(t, index))
	}
	take := func() *Tuned {
		t.Helper()
		u, err := Take(read(), Packet, quiet)
		require.NoError(t, err)
		set()
		return u
	}
	first := take()
	require.NoError(t, first.Close())
	back()
	require.NoError(t, first.Close(), "twice is harmless")

	// Two share it; each may end first.
	for _, swap := range []bool{false, true} {
		a, b := take(), take()
		if swap {
			a, b = b, a
		}
		require.NoError(t, a.Close())
		set()
		require.NoError(t, b.Close())
		back()
	}

	// One is killed: its lock goes with it, and its record stays.
	killed := take()
	killed.kept.file.Close()
	set()
	require.Len(t, records(t, index), 1)
	require.NoError(t, take().Close())
	back()
	killed = take()
	killed.kept.file.Close()
	require.NoError(t, Restore(index, quiet))
	back()

	// What lives on keeps it.
	take().Leave()
	set()
	require.NoError(t, Restore(index, quiet))
	back()

	// What was as it must be stays so.
	require.NoError(t, change(map[string]bool{"tx-vlan-hw-insert": false, "tx-vlan-stag-hw-insert": false}))
	require.NoError(t, take().Close())
	require.False(t, tags(read()))
}

func change(f map[string]bool) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Change("near", f)
}

// TestGone: an interface that has gone is not put back, and neither is another one of its name.
func TestGone(t *testing.T) {
	read, index := cable(t)
	u, err := Take(read(), Packet, quiet)
	require.NoError(t, err)
	l, err := netlink.LinkByName("near")
	require.NoError(t, err)
	require.NoError(t, netlink.LinkDel(l))
	again, _ := cable(t)
	require.NoError(t, change(map[string]bool{"tx-checksum-ip-generic": false}))
	require.NoError(t, u.Close())
	require.False(t, again().TXChecksum, "another interface's")
	require.Empty(t, records(t, index))
}

// TestFixed: what a driver does not change is refused where it is needed.
func TestFixed(t *testing.T) {
	i := nic.Interface{Name: "e", Kind: "device", Driver: "ice", MTU: 1500, VLANStrip: true, Features: nic.FeatureBasic | nic.FeatureRedirect, FeatKnown: true}
	require.NoError(t, Refuse("e", Lacks(i, Socket, 1)))
	i.Force("rx-vlan-hw-parse", true, true)
	err := Refuse("e", Lacks(i, Socket, 1))
	require.EqualError(t, err, "interface e: VLAN: it takes VLAN tags out of packets: XDP does not see them, and would lose them; its driver does not change it")
}

// TestNoDriver: what has no native XDP is refused for XDP, and not for packet sockets.
func TestNoDriver(t *testing.T) {
	i := nic.Interface{Name: "e", Kind: "device", Driver: "e1000", MTU: 1500}
	require.ErrorContains(t, Refuse("e", Lacks(i, Port, 1)), "e1000: no native XDP. Generic mode would lose what the programs tell each other beside packets (use an interface whose driver has native XDP")
	require.ErrorContains(t, Refuse("e", Lacks(i, Socket, 1)), "--wire packet")
	require.NoError(t, Refuse("e", Lacks(i, Packet, 1)))
	i = nic.Interface{Name: "e", Kind: "bond", Driver: "bonding", MTU: 1500, Features: nic.FeatureBasic | nic.FeatureRedirect, FeatKnown: true}
	require.NoError(t, Refuse("e", Lacks(i, Port, 1)))
	require.ErrorContains(t, Refuse("e", Lacks(i, Socket, 1)), "a bond")
}

// TestUnprivileged: without the right to change an interface, a host is told what to do, and goes on.
func TestUnprivileged(t *testing.T) {
	ifi, err := net.InterfaceByName("lo")
	require.NoError(t, err)
	var said strings.Builder
	i := nic.Interface{Name: "no such interface", Index: ifi.Index, Kind: "veth", VLANInsert: true}
	i.Force("tx-vlan-hw-insert", true, false)
	u, err := Take(i, Packet, slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	require.Contains(t, said.String(), "and it cannot be set")
	require.Contains(t, said.String(), "ethtool -K no such interface txvlan off")
	require.NoError(t, u.Close())
}
