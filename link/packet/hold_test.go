package packet

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
)

// The kernel does not answer datagrams that a host receives by itself: only for ports that nobody has.
func TestOpenHost(t *testing.T) {
	inNamespace(t)
	ip, err := netlink.ParseAddr("10.0.0.1/24")
	require.NoError(t, err)
	require.NoError(t, netlink.AddrAdd(device(t, "a"), ip))
	addr := netip.MustParseAddr("10.0.0.1")
	answer := func(port int) error {
		c, err := net.Dial("udp4", fmt.Sprintf("10.0.0.1:%d", port))
		require.NoError(t, err)
		defer c.Close()
		_, err = c.Write([]byte("x"))
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		_, err = c.Read(make([]byte, 8))
		return err
	}
	other, err := OpenHost("a", netip.MustParseAddr("10.0.0.2"), 34912)
	require.NoError(t, err, "of another machine")
	require.ErrorIs(t, answer(34912), syscall.ECONNREFUSED)
	require.NoError(t, other.Close())
	h, err := OpenHost("a", addr, 34912, 34913)
	require.NoError(t, err)
	for _, port := range []int{34912, 34913} {
		require.ErrorIs(t, answer(port), os.ErrDeadlineExceeded)
	}
	require.ErrorIs(t, answer(34914), syscall.ECONNREFUSED)
	_, err = OpenHost("a", addr, 34913)
	require.ErrorContains(t, err, "is another endpoint running?")
	require.NoError(t, h.Close())
	require.ErrorIs(t, answer(34912), syscall.ECONNREFUSED)
	_, err = OpenHost("none", addr, 1)
	require.ErrorContains(t, err, `interface "none" does not exist`)
}
