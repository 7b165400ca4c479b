package own

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/ownnet"
)

func TestMain(m *testing.M) {
	ownnet.Enter()
	os.Exit(m.Run())
}

// cable makes a link, and returns both ends.
func cable(t *testing.T) (near, far netlink.Link) {
	needs.Root(t, "network interfaces")
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "near"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}))
	near, err := netlink.LinkByName("near")
	require.NoError(t, err)
	t.Cleanup(func() { _ = netlink.LinkDel(near) })
	far, err = netlink.LinkByName("far")
	require.NoError(t, err)
	require.NoError(t, netlink.LinkSetUp(near))
	require.NoError(t, netlink.LinkSetUp(far))
	return near, far
}

// hears waits for what is told next.
func hears(t *testing.T, told <-chan bool, want bool) {
	t.Helper()
	select {
	case up := <-told:
		require.Equal(t, want, up)
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is told")
	}
}

// TestCarrier: who asks is told when the far end goes, when it is back, and when the interface is gone; at once
// of a link that is down already, and of nothing else.
func TestCarrier(t *testing.T) {
	near, far := cable(t)
	ifi, err := net.InterfaceByName("near")
	require.NoError(t, err)
	c, err := follow(ifi, slog.New(slog.DiscardHandler), func(*net.Interface) error { return errors.New("not wanted") })
	require.NoError(t, err)
	told := make(chan bool, 16)
	c.on(func(up bool) { told <- up })
	require.NoError(t, netlink.LinkSetDown(far))
	hears(t, told, false)
	require.NoError(t, netlink.LinkSetUp(far))
	hears(t, told, true)
	c.heed(&netlink.LinkUpdate{Header: unix.NlMsghdr{Type: unix.RTM_DELLINK}, IfInfomsg: nl.IfInfomsg{IfInfomsg: unix.IfInfomsg{Index: int32(far.Attrs().Index)}}})
	require.Empty(t, told, "another interface's end")
	require.NoError(t, netlink.LinkSetDown(far))
	hears(t, told, false)
	again := make(chan bool, 16)
	c.on(func(up bool) { again <- up })
	hears(t, again, false)
	require.NoError(t, netlink.LinkSetUp(far))
	hears(t, again, true)
	require.NoError(t, netlink.LinkDel(near))
	hears(t, again, false)
	c.close()
	require.Empty(t, told)
	require.Empty(t, again)
}
