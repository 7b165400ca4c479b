package link_test

import (
	"bytes"
	"context"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
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
		if d, err = roce.Open(w, roce.Options{}); err != nil {
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
