package attach

import (
	"log/slog"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/lab/ownnet"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/afxdp"
	"github.com/p4ce/p4ce/link/nic"
)

func TestMain(m *testing.M) {
	ownnet.Enter()
	os.Exit(m.Run())
}

// TestOpen: the interface of a link is set up for it, and put back when it closes, also when it cannot be opened.
func TestOpen(t *testing.T) {
	needs.Root(t, "network interfaces")
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "near"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}))
	var ends []netlink.Link
	for _, name := range []string{"near", "far"} {
		l, err := netlink.LinkByName(name)
		require.NoError(t, err)
		require.NoError(t, netlink.LinkSetUp(l))
		ends = append(ends, l)
	}
	t.Cleanup(func() { _ = netlink.LinkDel(ends[0]) })
	is := func() [2]bool {
		i, err := nic.Read("near")
		require.NoError(t, err)
		return [2]bool{i.TXChecksum, i.VLANInsert}
	}
	before := is()
	require.Equal(t, [2]bool{true, true}, before, "as the kernel makes it")
	addr := netip.MustParseAddr("10.0.0.1")
	log := slog.New(slog.DiscardHandler)
	for _, name := range []string{"near", "xdp:near"} {
		l, err := Open(log, name, afxdp.Filter{UDPPort: 7, Addr: addr}, addr, 7)
		require.NoError(t, err, name)
		require.Equal(t, [2]bool{}, is(), name)
		if name == "xdp:near" {
			require.Implements(t, (*link.Pollable)(nil), l)
			_, err := Open(log, name, afxdp.Filter{UDPPort: 7, Addr: addr}, addr, 7)
			require.ErrorContains(t, err, "--link")
			require.Equal(t, [2]bool{}, is(), "the first one still uses it")
		}
		require.NoError(t, l.Close())
		require.Equal(t, before, is(), name)
	}
	_, err := Open(log, "none", afxdp.Filter{}, addr, 7)
	require.ErrorContains(t, err, "none")
	_, err = Open(log, "udp:x", afxdp.Filter{}, addr, 7)
	require.True(t, cli.IsUsage(err), "%v", err)
}
