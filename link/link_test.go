package link_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
	"github.com/p4ce/p4ce/link/udp"
	"github.com/p4ce/p4ce/link/xdp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cable is two network namespaces joined by a veth pair.
type cable struct {
	ns    [2]netns.NsHandle
	names [2]string
	log   *slog.Logger // of devices
}

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 77, 0, byte(1 + i)}) }

// newCable makes the namespaces; they vanish with their last reference.
func newCable(t *testing.T) *cable {
	needs.Root(t, "network namespaces")
	l := &cable{names: [2]string{"left", "right"}}
	onThread(t, func() {
		for i := range l.ns {
			ns, err := netns.New()
			require.NoError(t, err)
			l.ns[i] = ns
			t.Cleanup(func() { _ = ns.Close() })
		}
		h, err := netlink.NewHandleAt(l.ns[0])
		require.NoError(t, err)
		defer h.Close()
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU = l.names[0], 1500
		require.NoError(t, h.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: l.names[1], PeerNamespace: netlink.NsFd(l.ns[1])}))
	})
	l.address(t)
	return l
}

// onThread runs f on a thread of its own, which ends with it and so may change
// its namespace.
func onThread(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // not unlocked: the thread ends
		f()
	}()
	<-done
}

func (l *cable) device(t *testing.T, i int, kind string) *roce.Device {
	t.Helper()
	var d *roce.Device
	onThread(t, func() {
		if err := netns.Set(l.ns[i]); err != nil {
			t.Error(err)
			return
		}
		var w link.Wire
		var err error
		switch kind {
		case "packet":
			w, err = packet.Open(l.names[i], netip.Addr{})
		case "xdp":
			w, err = xdp.Open(l.names[i], addr(i))
		case "udp":
			w, err = udp.Open(addr(i))
		}
		if err != nil {
			t.Error(err)
			return
		}
		if d, err = roce.Open(w, roce.Options{Log: l.log}); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// TestPairs connects every kind of wire with every other and moves data in both
// directions, small and large, with no frame lost.
func TestPairs(t *testing.T) {
	kinds := []string{"packet", "xdp", "udp"}
	for _, from := range kinds {
		for _, to := range kinds {
			t.Run(from+"-"+to, func(t *testing.T) {
				l := newCable(t)
				transfer(t, l.device(t, 0, from), l.device(t, 1, to))
			})
		}
	}
}

func transfer(t *testing.T, a, b *roce.Device) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	rights := rdma.LocalWrite | rdma.RemoteRead | rdma.RemoteWrite
	const size = 1 << 18
	mr, err := b.RegisterMemory(make([]byte, size), rights)
	require.NoError(t, err)
	ln, err := b.Listen(7)
	require.NoError(t, err)
	accepted := make(chan error, 1)
	go func() {
		r, err := ln.Accept(ctx)
		if err == nil {
			var qp *roce.QP
			if qp, err = b.CreateQP(roce.QPConfig{Access: rights, CoalesceAcks: 16}); err == nil {
				_, err = r.Accept(ctx, qp, nil)
			}
		}
		accepted <- err
	}()
	qp, err := a.CreateQP(roce.QPConfig{SendQueue: 512})
	require.NoError(t, err)
	conn, err := a.Dial(ctx, netip.AddrPortFrom(b.Addr(), 7), qp, nil)
	require.NoError(t, err)
	require.NoError(t, <-accepted)

	data, into := make([]byte, size), make([]byte, size)
	for i := range data {
		data[i] = byte(i * 31 >> 3)
	}
	wrs := []rdma.SendWR{{Op: rdma.OpWrite, Local: data, VA: mr.Addr(), RKey: mr.Key()}}
	for range 300 {
		wrs = append(wrs, rdma.SendWR{Op: rdma.OpWrite, Local: data[:64], VA: mr.Addr(), RKey: mr.Key()})
	}
	wrs = append(wrs, rdma.SendWR{Op: rdma.OpRead, Local: into, VA: mr.Addr(), RKey: mr.Key()})
	_, err = qp.PostSend(wrs...)
	require.NoError(t, err)
	buf := make([]rdma.Completion, 64)
	for left := len(wrs); left > 0; {
		require.NoError(t, qp.SendCQ().Wait(ctx))
		n := qp.SendCQ().Poll(buf)
		for _, c := range buf[:n] {
			require.NoError(t, roce.Status(c))
		}
		left -= n
	}
	require.True(t, bytes.Equal(data, into))
	require.Zero(t, qp.Counters().DropICRC)
	require.Zero(t, a.Counters().DropFrame+b.Counters().DropFrame)
	require.NoError(t, conn.Close())
	t.Logf("retransmitted %d, timeouts %d", qp.Counters().Retransmitted, qp.Counters().Timeouts)
}

func TestUnresolved(t *testing.T) {
	l := newCable(t)
	d := l.device(t, 0, "packet")
	qp, err := d.CreateQP(roce.QPConfig{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = d.Dial(ctx, netip.MustParseAddrPort("10.77.0.99:1"), qp, nil)
	require.ErrorContains(t, err, "connect to 10.77.0.99:1: neighbour 10.77.0.99 on left")
	qp, err = d.CreateQP(roce.QPConfig{})
	require.NoError(t, err)
	_, err = d.Dial(ctx, netip.MustParseAddrPort("192.0.2.1:1"), qp, nil)
	require.ErrorContains(t, err, "route:")
}

func TestOpenErrors(t *testing.T) {
	_, err := packet.Open("no-such-if", netip.Addr{})
	require.ErrorContains(t, err, `packet wire: interface "no-such-if" does not exist`)
	_, err = xdp.Open("no-such-if", netip.Addr{})
	require.ErrorContains(t, err, `xdp wire: interface "no-such-if" does not exist`)
	_, err = packet.Open("lo", netip.Addr{})
	require.ErrorContains(t, err, "not an ethernet interface")
	l := newCable(t)
	onThread(t, func() {
		require.NoError(t, netns.Set(l.ns[0]))
		_, err := packet.Open("left", netip.MustParseAddr("10.9.9.9"))
		require.ErrorContains(t, err, "has no address 10.9.9.9")
	})
	l.device(t, 0, "packet")
	onThread(t, func() {
		require.NoError(t, netns.Set(l.ns[0]))
		_, err := packet.Open("left", netip.Addr{})
		require.ErrorContains(t, err, "is another endpoint running?")
	})
}

// unplug deletes the cable; plug makes another one with the same addresses.
func (l *cable) unplug(t *testing.T) {
	t.Helper()
	onThread(t, func() {
		h, err := netlink.NewHandleAt(l.ns[0])
		require.NoError(t, err)
		defer h.Close()
		dev, err := h.LinkByName(l.names[0])
		require.NoError(t, err)
		require.NoError(t, h.LinkDel(dev))
	})
}

func (l *cable) plug(t *testing.T, macs [2]net.HardwareAddr, addresses bool) {
	t.Helper()
	onThread(t, func() {
		h, err := netlink.NewHandleAt(l.ns[0])
		require.NoError(t, err)
		defer h.Close()
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.MTU, attrs.HardwareAddr = l.names[0], 1500, macs[0]
		require.NoError(t, h.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: l.names[1], PeerNamespace: netlink.NsFd(l.ns[1]), PeerHardwareAddr: macs[1]}))
	})
	if addresses {
		l.address(t)
	}
}

// address gives both ends their addresses, and sets them up.
func (l *cable) address(t *testing.T) {
	t.Helper()
	onThread(t, func() {
		for i := range l.ns {
			h, err := netlink.NewHandleAt(l.ns[i])
			require.NoError(t, err)
			defer h.Close()
			dev, err := h.LinkByName(l.names[i])
			require.NoError(t, err)
			a, err := netlink.ParseAddr(addr(i).String() + "/24")
			require.NoError(t, err)
			require.NoError(t, h.AddrAdd(dev, a))
			require.NoError(t, h.LinkSetUp(dev))
		}
	})
}

// TestInterfaceReturns: connections of every wire survive that both ends of their link are deleted and made again, with the
// same addresses. Until an end is what peers know, the log says what it lacks.
func TestInterfaceReturns(t *testing.T) {
	for _, kind := range []string{"packet", "xdp"} {
		t.Run(kind, func(t *testing.T) {
			l := newCable(t)
			said := &lab.Log{}
			l.log = slog.New(slog.NewTextHandler(said, nil))
			a, b := l.device(t, 0, kind), l.device(t, 1, kind)
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			rights := rdma.LocalWrite | rdma.RemoteWrite
			mr, err := b.RegisterMemory(make([]byte, 64), rights)
			require.NoError(t, err)
			ln, err := b.Listen(7)
			require.NoError(t, err)
			accepted := make(chan error, 1)
			go func() {
				r, err := ln.Accept(ctx)
				if err == nil {
					var qp *roce.QP
					if qp, err = b.CreateQP(roce.QPConfig{Access: rights}); err == nil {
						_, err = r.Accept(ctx, qp, nil)
					}
				}
				accepted <- err
			}()
			// Time enough for the link to come back.
			qp, err := a.CreateQP(roce.QPConfig{AckTimeout: 100 * time.Millisecond, Retry: 200})
			require.NoError(t, err)
			_, err = a.Dial(ctx, netip.AddrPortFrom(b.Addr(), 7), qp, nil)
			require.NoError(t, err)
			require.NoError(t, <-accepted)
			write := func() {
				t.Helper()
				_, err := qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 64), VA: mr.Addr(), RKey: mr.Key()})
				require.NoError(t, err)
			}
			done := func() {
				t.Helper()
				require.NoError(t, qp.SendCQ().Wait(ctx))
				var c [1]rdma.Completion
				require.Equal(t, 1, qp.SendCQ().Poll(c[:]))
				require.NoError(t, roce.Status(c[0]))
			}
			write()
			done()
			macs := l.macs(t)
			says := func(line string, times int) {
				t.Helper()
				require.Eventually(t, func() bool { return strings.Count(said.String(), line) == times }, 20*time.Second, time.Millisecond, said)
			}
			for n := range 2 {
				l.unplug(t)
				says("the interface was deleted", 2*(n+1))
				write()
				l.plug(t, macs, true)
				says("the interface is back, and in use again", 2*(n+1))
				done()
			}
			// Another Ethernet address is another server.
			l.unplug(t)
			says("the interface was deleted", 6)
			write()
			other := [2]net.HardwareAddr{{2, 0, 0, 0, 0, 1}, macs[1]}
			l.plug(t, other, false)
			says("(ip link set left address "+macs[0].String()+")", 1)
			before := strings.LastIndex(said.String(), "the interface was deleted")
			require.Eventually(t, func() bool {
				return strings.Contains(said.String()[before:], "(ip address add 10.77.0.2/24 dev right)")
			}, 20*time.Second, time.Millisecond, said)
			l.address(t)
			onThread(t, func() {
				h, err := netlink.NewHandleAt(l.ns[0])
				require.NoError(t, err)
				defer h.Close()
				dev, err := h.LinkByName("left")
				require.NoError(t, err)
				require.NoError(t, h.LinkSetHardwareAddr(dev, macs[0]))
			})
			says("the interface is back, and in use again", 6)
			done()
		})
	}
}

// TestOtherVLAN: a frame of a VLAN is not taken for one without: the kernel has taken its tag out by the time that a packet socket
// sees it. A tag that says only a priority is none.
func TestOtherVLAN(t *testing.T) {
	l := newCable(t)
	d := l.device(t, 0, "packet")
	macs := l.macs(t)
	onThread(t, func() {
		require.NoError(t, netns.Set(l.ns[1]))
		far, err := net.InterfaceByName("right")
		require.NoError(t, err)
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		defer unix.Close(fd)
		for _, tag := range [][]byte{{0x81, 0, 0, 7}, {0x81, 0, 0xe0, 7}, {0x88, 0xa8, 0, 7}, {0x81, 0, 0x60, 0}, nil} {
			frame := slices.Concat(macs[0], macs[1], tag, []byte{8, 0, 0x45, 0, 0, 44, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 77, 0, 2, 10, 77, 0, 1, 0xc0, 0, 0x12, 0xb7, 0, 24, 0, 0}, make([]byte, 16))
			require.NoError(t, unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: far.Index}))
		}
	})
	require.Eventually(t, func() bool { return d.Counters().FramesIn >= 2 }, 20*time.Second, time.Millisecond)
	require.NoError(t, d.Close())
	require.EqualValues(t, 2, d.Counters().FramesIn)
}

// macs are the Ethernet addresses of both ends.
func (l *cable) macs(t *testing.T) (out [2]net.HardwareAddr) {
	t.Helper()
	onThread(t, func() {
		for i := range l.ns {
			h, err := netlink.NewHandleAt(l.ns[i])
			require.NoError(t, err)
			defer h.Close()
			dev, err := h.LinkByName(l.names[i])
			require.NoError(t, err)
			out[i] = dev.Attrs().HardwareAddr
		}
	})
	return out
}
