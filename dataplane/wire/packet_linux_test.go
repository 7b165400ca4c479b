package wire

import (
	"encoding/binary"
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
)

// inNamespace runs the test on a thread of its own in a new network namespace.
func inNamespace(t *testing.T) {
	runtime.LockOSThread()
	old, err := netns.Get()
	require.NoError(t, err)
	ns, err := netns.New()
	if errors.Is(err, syscall.EPERM) {
		old.Close()
		runtime.UnlockOSThread()
		needs.Root(t, "a network namespace")
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, netns.Set(old))
		old.Close()
		ns.Close()
		runtime.UnlockOSThread()
	})
}

func veth(t *testing.T) {
	v := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "a"}, PeerName: "b"}
	require.NoError(t, netlink.LinkAdd(v))
	for _, name := range []string{"a", "b", "lo"} {
		l, err := netlink.LinkByName(name)
		require.NoError(t, err)
		require.NoError(t, netlink.LinkSetUp(l))
	}
}

// next reads frames until one has the wanted EtherType or, inside a VLAN tag,
// holds it: kernels send IPv6 router solicitations of their own.
func next(t *testing.T, w Wire, want func([]byte) bool) []byte {
	buf := make([]byte, MaxFrame)
	for {
		n, err := w.ReadFrame(buf)
		require.NoError(t, err)
		if want(buf[:n]) {
			return buf[:n]
		}
	}
}

func TestPacketSocket(t *testing.T) {
	inNamespace(t)
	veth(t)
	a, err := Open("a")
	require.NoError(t, err)
	defer a.Close()
	b, err := Open("b")
	require.NoError(t, err)
	require.Eventually(t, a.Up, 10*time.Second, time.Millisecond, "the carrier is reported by the kernel's link watch")

	frame := append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, 60)...)
	ours := func(f []byte) bool { return len(f) > 14 && f[12] == 0x88 && f[13] == 0xb5 }
	require.NoError(t, a.WriteFrame(frame))
	require.Equal(t, frame, next(t, b, ours))
	require.NoError(t, b.WriteFrame(frame))
	require.Equal(t, frame, next(t, a, ours), "and not its own")

	// A VLAN tag, which the kernel takes out of the frame, is put back.
	tagged := append(append(append([]byte{}, frame[:12]...), 0x81, 0, 0x20, 5), frame[12:]...)
	require.NoError(t, a.WriteFrame(tagged))
	require.Equal(t, tagged, next(t, b, func(f []byte) bool { return len(f) > 18 && f[12] == 0x81 }))

	// Close ends a reader that waits.
	done := make(chan error)
	go func() {
		buf := make([]byte, MaxFrame)
		for {
			if _, err := b.ReadFrame(buf); err != nil {
				done <- err
				return
			}
		}
	}()
	require.NoError(t, b.Close())
	require.True(t, Closed(<-done))
}

// TestPacketSocketChecksum: a datagram of the kernel's own stack arrives with a
// complete checksum, though the kernel left it to the device.
func TestPacketSocketChecksum(t *testing.T) {
	inNamespace(t)
	veth(t)
	l, err := netlink.LinkByName("a")
	require.NoError(t, err)
	addr, err := netlink.ParseAddr("192.0.2.1/24")
	require.NoError(t, err)
	require.NoError(t, netlink.AddrAdd(l, addr))
	require.NoError(t, netlink.NeighAdd(&netlink.Neigh{
		LinkIndex: l.Attrs().Index, State: unix.NUD_PERMANENT, IP: net.IPv4(192, 0, 2, 2), HardwareAddr: net.HardwareAddr{2, 0, 0, 0, 0, 2},
	}))
	w, err := Open("b")
	require.NoError(t, err)
	defer w.Close()
	// A plain socket: package net would send from another thread, in another
	// namespace.
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, unix.Sendto(fd, []byte("hello"), 0, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 2}}))
	watchdog := time.AfterFunc(10*time.Second, func() { w.Close() })
	defer watchdog.Stop()
	f := next(t, w, func(f []byte) bool { return len(f) >= 47 && f[12] == 8 && f[13] == 0 && f[23] == 17 })
	l4 := f[34 : 34+8+5]
	sum := uint32(17 + len(l4))
	for i := 26; i < 34; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(f[i:]))
	}
	for i := 0; i < len(l4); i++ {
		sum += uint32(l4[i]) << (8 * (1 - i%2))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	require.Equal(t, uint32(0xffff), sum)
}
