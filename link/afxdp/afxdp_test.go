package afxdp_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/link/afxdp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mtu is the largest with which a veth takes a native program.
const mtu = 3506

// link is a veth pair, left and right, in a network namespace of its own.
type link struct {
	t  *testing.T
	ns netns.NsHandle
}

func newLink(t *testing.T) *link {
	needs.Root(t, "network namespaces and XDP")
	l := &link{t: t}
	onThread(t, func() error {
		var err error
		l.ns, err = netns.New()
		return err
	})
	t.Cleanup(func() { _ = l.ns.Close() })
	l.in(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = "left", mtu
		if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "right", PeerMTU: mtu}); err != nil {
			return err
		}
		for _, name := range []string{"left", "right"} {
			// The kernel shall not send anything of its own.
			if err := os.WriteFile("/proc/sys/net/ipv6/conf/"+name+"/disable_ipv6", []byte("1"), 0o644); err != nil && !os.IsNotExist(err) {
				return err
			}
			dev, err := netlink.LinkByName(name)
			if err != nil {
				return err
			}
			if err := netlink.LinkSetUp(dev); err != nil {
				return err
			}
		}
		return nil
	})
	return l
}

// onThread runs f on a thread of its own, which ends with it and so may change its
// namespace.
func onThread(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends
		done <- f()
	}()
	require.NoError(t, <-done)
}

// in runs f in the namespace.
func (l *link) in(f func() error) {
	l.t.Helper()
	onThread(l.t, func() error {
		if err := netns.Set(l.ns); err != nil {
			return err
		}
		return f()
	})
}

func (l *link) open(iface string, f afxdp.Filter) *afxdp.Socket {
	l.t.Helper()
	var s *afxdp.Socket
	l.in(func() error {
		var err error
		s, err = afxdp.Open(iface, f)
		return err
	})
	l.t.Cleanup(func() { _ = s.Close() })
	return s
}

// udp builds an IPv4 UDP frame that carries n.
func udp(n uint32, change func(frame []byte)) []byte {
	f := make([]byte, 14+20+8+4)
	copy(f, []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00})
	ip := f[14:]
	ip[0], ip[3], ip[8], ip[9] = 0x45, byte(len(ip)), 64, 17
	copy(ip[12:], []byte{10, 0, 0, 2, 250, 1, 2, 3}) // a destination whose sign bit is set
	binary.BigEndian.PutUint16(ip[22:], 4791)
	binary.BigEndian.PutUint32(f[42:], n)
	if change != nil {
		change(f)
	}
	return f
}

func send(t *testing.T, s *afxdp.Socket, frames ...[]byte) {
	t.Helper()
	for _, f := range frames {
		s.Send(append(s.Buffer(), f...))
	}
	require.NoError(t, s.Flush())
}

// TestFilter sends frames of all kinds and looks which ones come out.
func TestFilter(t *testing.T) {
	port := afxdp.Filter{UDPPort: 4791}
	both := afxdp.Filter{UDPPort: 4791, Addr: netip.MustParseAddr("250.1.2.3")}
	kinds := []struct {
		name   string
		change func(f []byte)
		by     []afxdp.Filter // takes it, beside the zero filter
	}{
		{"match", nil, []afxdp.Filter{port, both}},
		{"don't fragment", func(f []byte) { f[20] = 0x40 }, []afxdp.Filter{port, both}},
		{"other address", func(f []byte) { f[33] = 4 }, []afxdp.Filter{port}},
		{"other port", func(f []byte) { f[37]++ }, nil},
		{"other protocol", func(f []byte) { f[23] = 6 }, nil},
		{"first fragment", func(f []byte) { f[20] = 0x20 }, nil},
		{"later fragment", func(f []byte) { f[21] = 1 }, nil},
		{"options", func(f []byte) { f[14] = 0x46 }, nil},
		{"ARP", func(f []byte) { f[13] = 6 }, nil},
		{"last", nil, []afxdp.Filter{port, both}},
	}
	for _, filter := range []afxdp.Filter{{}, port, both} {
		t.Run(fmt.Sprintf("port %d, address %v", filter.UDPPort, filter.Addr), func(t *testing.T) {
			l := newLink(t)
			left, right := l.open("left", filter), l.open("right", afxdp.Filter{})
			var want []string
			for i, k := range kinds {
				send(t, right, udp(uint32(i), k.change))
				take := filter == afxdp.Filter{}
				for _, f := range k.by {
					take = take || f == filter
				}
				if take {
					want = append(want, k.name)
				}
			}
			// A short frame is not read beyond its end.
			send(t, right, udp(0, nil)[:20], udp(uint32(len(kinds)-1), nil))
			if filter == (afxdp.Filter{}) {
				want = append(want, "short")
			}
			want = append(want, "last")
			var got []string
			frames := make([][]byte, 4)
			for len(got) < len(want) {
				n, err := left.Receive(frames)
				require.NoError(t, err)
				for _, f := range frames[:n] {
					if len(f) < 46 {
						got = append(got, "short")
					} else {
						got = append(got, kinds[binary.BigEndian.Uint32(f[42:])].name)
					}
				}
			}
			require.Equal(t, want, got)
		})
	}
}

// TestBothWays sends far more frames than there is memory for, of all sizes, in
// both directions at once: each side sends as it receives.
func TestBothWays(t *testing.T) {
	l := newLink(t)
	const total, window = 20000, 100
	size := func(n int) int { return 46 + n*37%(mtu+14-46) }
	run := func(s *afxdp.Socket) error {
		frames := make([][]byte, 64)
		sent, received := 0, 0
		fill := make([]byte, mtu+14)
		for received < total {
			for ; sent < min(received+window, total); sent++ {
				s.Send(append(append(s.Buffer(), udp(uint32(sent), nil)...), fill[:size(sent)-46]...))
			}
			if err := s.Flush(); err != nil {
				return err
			}
			n, err := s.Receive(frames)
			if err != nil {
				return err
			}
			for _, f := range frames[:n] {
				if got := int(binary.BigEndian.Uint32(f[42:])); got != received || len(f) != size(got) {
					return fmt.Errorf("frame %d of %d bytes, want frame %d of %d", got, len(f), received, size(received))
				}
				received++
			}
		}
		if noRoom, failed := s.Dropped(); noRoom+failed > 0 {
			return fmt.Errorf("dropped %d, failed %d", noRoom, failed)
		}
		return nil
	}
	done := make(chan error)
	for _, s := range []*afxdp.Socket{l.open("left", afxdp.Filter{}), l.open("right", afxdp.Filter{})} {
		go func() { done <- run(s) }()
	}
	for range 2 {
		require.NoError(t, <-done)
	}
}

func TestDrops(t *testing.T) {
	l := newLink(t)
	s := l.open("left", afxdp.Filter{})
	s.Send(append(s.Buffer(), make([]byte, afxdp.MaxFrame+1)...))
	noRoom, failed := s.Dropped()
	require.EqualValues(t, 1, noRoom)
	require.Zero(t, failed)
	l.in(func() error {
		dev, err := netlink.LinkByName("left")
		if err != nil {
			return err
		}
		return netlink.LinkSetDown(dev)
	})
	s.Send(append(s.Buffer(), udp(1, nil)...))
	require.ErrorContains(t, s.Flush(), "AF_XDP on left: send: ")
	_, failed = s.Dropped()
	require.EqualValues(t, 1, failed)
}

func TestClose(t *testing.T) {
	l := newLink(t)
	s := l.open("left", afxdp.Filter{})
	ended := make(chan error)
	go func() {
		_, err := s.Receive(make([][]byte, 1))
		ended <- err
	}()
	require.NoError(t, s.Close())
	require.ErrorIs(t, <-ended, net.ErrClosed)
	require.ErrorIs(t, s.Close(), net.ErrClosed)
	// The program is off: another may come.
	l.in(func() error {
		dev, err := netlink.LinkByName("left")
		if err == nil && dev.Attrs().Xdp != nil && dev.Attrs().Xdp.Attached {
			err = fmt.Errorf("a program is still attached")
		}
		return err
	})
}

func TestOpenErrors(t *testing.T) {
	_, err := afxdp.Open("no-such-if", afxdp.Filter{})
	require.ErrorContains(t, err, "AF_XDP on no-such-if: ")
	_, err = afxdp.Open("lo", afxdp.Filter{Addr: netip.MustParseAddr("10.0.0.1")})
	require.ErrorContains(t, err, "must be IPv4 and have a UDP port")
	_, err = afxdp.Open("lo", afxdp.Filter{UDPPort: 1, Addr: netip.MustParseAddr("::1")})
	require.ErrorContains(t, err, "must be IPv4 and have a UDP port")
	l := newLink(t)
	l.open("left", afxdp.Filter{})
	l.in(func() error {
		_, err = afxdp.Open("left", afxdp.Filter{})
		return nil
	})
	require.ErrorContains(t, err, "is attached already (native) (end the program that attached it, or: ip link set left xdp off)")
}

// TestSeveralQueues: an interface with several queues for receiving is refused, with the command that
// leaves it one.
func TestSeveralQueues(t *testing.T) {
	l := newLink(t)
	var refused error
	l.in(func() error {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU, attrs.NumRxQueues = "many", mtu, 4
		if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far", PeerMTU: mtu}); err != nil {
			return err
		}
		s, err := afxdp.Open("many", afxdp.Filter{})
		if refused = err; err == nil {
			return s.Close()
		}
		e, err := ethtool.NewEthtool()
		if err != nil {
			return err
		}
		defer e.Close()
		c, err := e.GetChannels("many")
		if err != nil {
			return err
		}
		c.RxCount = 1
		if _, err := e.SetChannels("many", c); err != nil {
			return err
		}
		if s, err = afxdp.Open("many", afxdp.Filter{}); err != nil {
			return err
		}
		return s.Close()
	})
	require.ErrorContains(t, refused, "AF_XDP on many: interface many: queues: 4 receive queues")
	require.ErrorContains(t, refused, "(ethtool -L many rx 1)")
}
