package packet

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
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/link"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ link.Port = (*Port)(nil)

// inNamespace runs the test on a thread of its own in a new network namespace, with two
// interfaces that are joined.
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
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "a"
	require.NoError(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "b"}))
	for _, name := range []string{"a", "b", "lo"} {
		require.NoError(t, netlink.LinkSetUp(device(t, name)))
	}
}

func device(t *testing.T, name string) netlink.Link {
	t.Helper()
	l, err := netlink.LinkByName(name)
	require.NoError(t, err)
	return l
}

func openPort(t *testing.T, name string) *Port {
	t.Helper()
	p, err := OpenPort(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func send(t *testing.T, p *Port, frames ...[]byte) {
	t.Helper()
	for _, f := range frames {
		p.Send(append(p.Buffer(), f...))
	}
	require.NoError(t, p.Flush())
}

// next returns the next frame that is wanted: kernels send IPv6 router solicitations of
// their own.
func next(t *testing.T, p *Port, want func([]byte) bool) []byte {
	t.Helper()
	// A frame that does not come must not keep the test waiting.
	watchdog := time.AfterFunc(10*time.Second, func() { _ = p.Close() })
	defer watchdog.Stop()
	frames := make([][]byte, 1)
	for {
		_, err := p.Receive(frames)
		require.NoError(t, err)
		if want(frames[0]) {
			return frames[0]
		}
	}
}

// ours are frames of an EtherType for experiments.
func ours(f []byte) bool { return len(f) > 14 && f[12] == 0x88 && f[13] == 0xb5 }

func frame(payload int) []byte {
	return append([]byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5}, make([]byte, payload)...)
}

// joined opens both ends, and waits until frames get through: an interface that has just
// been set up drops what is sent until the kernel's link watch has come by.
func joined(t *testing.T) (a, b *Port) {
	t.Helper()
	inNamespace(t)
	a, b = openPort(t, "a"), openPort(t, "b")
	require.Eventually(t, func() bool { return a.Up() && b.Up() }, 10*time.Second, time.Millisecond)
	return a, b
}

func TestPort(t *testing.T) {
	a, b := joined(t)
	f := frame(60)
	send(t, a, f)
	require.Equal(t, f, next(t, b, ours), "to an address that is not the interface's")
	back := frame(61)
	send(t, openPort(t, "a"), frame(62))
	require.Equal(t, frame(62), next(t, b, ours))
	send(t, b, back)
	require.Equal(t, back, next(t, a, ours), "and nothing that goes out of the interface")
	require.Equal(t, 2, device(t, "a").Attrs().Promisc, "twice, as a real interface must be told")
	require.Equal(t, link.Counters{Sent: 1, SentBytes: 74}, a.Counters())

	// Many at once, in order.
	const many = 300
	var all [][]byte
	for i := range many {
		all = append(all, append(frame(0), byte(i), byte(i>>8)))
	}
	send(t, a, all...)
	for i := range many {
		require.Equal(t, all[i], next(t, b, ours))
	}

	// One that the interface cannot send is counted, and those behind it go.
	send(t, a, frame(9000), f)
	require.Equal(t, f, next(t, b, ours))
	require.Equal(t, link.Counters{Sent: many + 2, SentBytes: 2*74 + many*16, Refused: 1}, a.Counters())
	send(t, a, nil)
	require.Equal(t, uint64(2), a.Counters().Refused)

	// Close ends Receive.
	done := make(chan error)
	go func() {
		frames := make([][]byte, 8)
		for {
			if _, err := b.Receive(frames); err != nil {
				done <- err
				return
			}
		}
	}()
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-done, net.ErrClosed)
	b.Send(append(b.Buffer(), f...))
	require.ErrorIs(t, b.Flush(), net.ErrClosed)
	require.False(t, b.Up())
	require.Error(t, b.Close())
}

// TestPortVLAN: a tag, which the kernel takes out of the frame, is put back.
func TestPortVLAN(t *testing.T) {
	a, b := joined(t)
	for _, tpid := range []byte{0x81, 0x88} {
		low := byte(0)
		if tpid == 0x88 {
			low = 0xa8 // a provider's
		}
		f := frame(60)
		tagged := append(append(append([]byte{}, f[:12]...), tpid, low, 0x20, 5), f[12:]...)
		send(t, a, tagged)
		require.Equal(t, tagged, next(t, b, func(f []byte) bool { return len(f) > 18 && f[12] == tpid && f[13] == low }))
	}
}

// TestPortUp follows the carrier.
func TestPortUp(t *testing.T) {
	a, b := joined(t)
	require.NoError(t, netlink.LinkSetDown(device(t, "b")))
	require.Eventually(t, func() bool { return !a.Up() && !b.Up() }, 10*time.Second, time.Millisecond)
	_, err := b.Receive(make([][]byte, 1))
	require.ErrorIs(t, err, unix.ENETDOWN, "is said")
	send(t, b, frame(60))
	require.Equal(t, link.Counters{Refused: 1}, b.Counters())
	require.NoError(t, netlink.LinkSetUp(device(t, "b")))
	require.Eventually(t, func() bool { return a.Up() && b.Up() }, 10*time.Second, time.Millisecond)
	send(t, a, frame(60))
	require.Equal(t, frame(60), next(t, b, ours), "and goes on")
}

// TestPortChecksum: datagrams of the kernel's own stack arrive with a complete checksum,
// though the kernel left it to the device.
func TestPortChecksum(t *testing.T) {
	_, b := joined(t)
	dev := device(t, "a")
	for _, n := range []struct {
		addr     string
		to       net.IP
		family   int
		sockaddr unix.Sockaddr
		from     int // where the addresses begin in the frame
		is       func(f []byte) bool
	}{
		{"192.0.2.1/24", net.IPv4(192, 0, 2, 2), unix.AF_INET, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 2}}, 26,
			func(f []byte) bool { return len(f) >= 47 && f[12] == 8 && f[13] == 0 && f[23] == 17 }},
		{"2001:db8::1/64", net.ParseIP("2001:db8::2"), unix.AF_INET6, &unix.SockaddrInet6{Port: 9, Addr: [16]byte(net.ParseIP("2001:db8::2"))}, 22,
			func(f []byte) bool { return len(f) >= 67 && f[12] == 0x86 && f[13] == 0xdd && f[20] == 17 }},
	} {
		addr, err := netlink.ParseAddr(n.addr)
		require.NoError(t, err)
		addr.Flags = unix.IFA_F_NODAD
		require.NoError(t, netlink.AddrAdd(dev, addr))
		require.NoError(t, netlink.NeighAdd(&netlink.Neigh{
			LinkIndex: dev.Attrs().Index, State: unix.NUD_PERMANENT, IP: n.to, HardwareAddr: net.HardwareAddr{2, 0, 0, 0, 0, 2},
		}))
		// A plain socket: package net would send from another thread, in another
		// namespace.
		fd, err := unix.Socket(n.family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		defer unix.Close(fd)
		require.NoError(t, unix.Sendto(fd, []byte("hello"), 0, n.sockaddr))
		f := next(t, b, n.is)
		l4 := 2*len(n.to.To4()) + n.from
		if n.family == unix.AF_INET6 {
			l4 = n.from + 32
		}
		requireChecksum(t, f[n.from:l4], f[l4:l4+8+5])
	}
}

// requireChecksum verifies as a receiver does: the sum over pseudo header and datagram is
// all ones.
func requireChecksum(t *testing.T, addresses, l4 []byte) {
	t.Helper()
	s := uint32(17 + len(l4))
	for _, b := range [][]byte{addresses, l4} {
		for len(b)%2 != 0 {
			b = append(append([]byte{}, b...), 0)
		}
		for ; len(b) > 0; b = b[2:] {
			s += uint32(binary.BigEndian.Uint16(b))
		}
	}
	for s > 0xffff {
		s = s>>16 + s&0xffff
	}
	require.Equal(t, uint32(0xffff), s)
}

// TestPortNoAllocations: frames cost no memory.
func TestPortNoAllocations(t *testing.T) {
	a, b := joined(t)
	f, frames := frame(200), make([][]byte, batch)
	// Received frames are rather more than sent ones: the kernel's own.
	round := func() {
		for range 8 {
			a.Send(append(a.Buffer(), f...))
		}
		if a.Flush() != nil {
			t.Fatal("flush")
		}
		for got := 0; got < 8; {
			n, err := b.Receive(frames)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range frames[:n] {
				if ours(f) {
					got++
				}
			}
		}
	}
	round()
	require.Zero(t, testing.AllocsPerRun(1000, round))
}

func TestOpenPortErrors(t *testing.T) {
	_, err := OpenPort("no-such-if0")
	require.ErrorContains(t, err, `interface "no-such-if0" does not exist`)
}
