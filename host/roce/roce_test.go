package roce_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testPort = 4000

var rights = rdma.LocalWrite | rdma.RemoteRead | rdma.RemoteWrite | rdma.RemoteAtomic

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }

func fastCM() roce.Options {
	return roce.Options{CM: cmsm.Config{ResponseTimeout: 20 * time.Millisecond, TimeWait: 50 * time.Millisecond}}
}

func open(t testing.TB, h *hub.Hub, i int, opts roce.Options) *roce.Device {
	t.Helper()
	p, err := h.Attach(addr(i), 0)
	require.NoError(t, err)
	opts.Loop = opts.Loop || i%2 == 1 // of two devices, one runs to completion
	d, err := roce.Open(p, opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func queuePair(t testing.TB, d *roce.Device, cfg roce.QPConfig) *roce.QP {
	t.Helper()
	qp, err := d.CreateQP(cfg)
	require.NoError(t, err)
	return qp
}

// ctx is bounded so that a hang fails with a stack instead of the test binary's
// timeout.
func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// connect joins a to b and returns both ends.
func connect(t testing.TB, a, b *roce.Device, ca, cb roce.QPConfig) (*roce.Conn, *roce.Conn) {
	t.Helper()
	ctx := testContext(t)
	l, err := b.Listen(testPort)
	require.NoError(t, err)
	defer l.Close()
	type result struct {
		c   *roce.Conn
		err error
	}
	passive := make(chan result, 1)
	go func() {
		r, err := l.Accept(ctx)
		if err != nil {
			passive <- result{nil, err}
			return
		}
		qp, err := b.CreateQP(cb)
		if err != nil {
			passive <- result{nil, err}
			return
		}
		c, err := r.Accept(ctx, qp, []byte("welcome"))
		passive <- result{c, err}
	}()
	active, err := a.Dial(ctx, netip.AddrPortFrom(b.Addr(), testPort), queuePair(t, a, ca), []byte("hello"))
	require.NoError(t, err)
	r := <-passive
	require.NoError(t, r.err)
	return active, r.c
}

func wait(t testing.TB, q *roce.CQ, n int) []rdma.Completion {
	t.Helper()
	var out []rdma.Completion
	buf := make([]rdma.Completion, 16)
	for len(out) < n {
		require.NoError(t, q.Wait(testContext(t)))
		out = append(out, buf[:q.Poll(buf)]...)
	}
	return out
}

func TestConnectAndTransfer(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, roce.Options{}), open(t, h, 2, roce.Options{})
	ca, cb := connect(t, a, b, roce.QPConfig{Access: rights}, roce.QPConfig{Access: rights})
	require.Equal(t, "hello", string(bytes.TrimRight(cb.Private(), "\x00")))
	require.Equal(t, "welcome", string(bytes.TrimRight(ca.Private(), "\x00")))
	require.Equal(t, addr(2), ca.RemoteAddr())

	mr, err := b.RegisterMemory(make([]byte, 1<<16), rights)
	require.NoError(t, err)
	var notified atomic.Int64
	mr.OnRemoteWrite(func(_, n int) { notified.Add(int64(n)) })
	data := bytes.Repeat([]byte("p4ce"), 5000)
	n, err := ca.QP().PostSend(
		rdma.SendWR{ID: 1, Op: rdma.OpWrite, Local: data, VA: mr.Addr(), RKey: mr.Key()},
		rdma.SendWR{ID: 2, Op: rdma.OpRead, Local: make([]byte, 100), VA: mr.Addr() + 4, RKey: mr.Key()},
	)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	for i, c := range wait(t, ca.QP().SendCQ(), 2) {
		require.NoError(t, roce.Status(c))
		require.EqualValues(t, i+1, c.ID)
	}
	got := make([]byte, len(data))
	_, err = mr.ReadAt(got, 0)
	require.NoError(t, err)
	require.Equal(t, data, got)
	require.EqualValues(t, len(data), notified.Load())

	// The passive side sends too.
	buf := make([]byte, 100)
	_, err = ca.QP().PostRecv(rdma.RecvWR{ID: 9, Local: buf})
	require.NoError(t, err)
	_, err = cb.QP().PostSend(rdma.SendWR{ID: 3, Op: rdma.OpSendImm, Local: []byte("back"), Imm: 7})
	require.NoError(t, err)
	c := wait(t, ca.QP().RecvCQ(), 1)[0]
	require.Equal(t, rdma.Completion{ID: 9, QPN: ca.QP().QPN(), Op: rdma.OpRecv, Len: 4, HasImm: true, Imm: 7}, c)
	require.Equal(t, "back", string(buf[:4]))

	require.NoError(t, ca.Close())
	<-cb.Done()
	require.ErrorIs(t, cb.Err(), roce.ErrDisconnected)
	require.ErrorIs(t, ca.Err(), roce.ErrClosed)
	require.NoError(t, cb.Close())
	require.NoError(t, cb.Close())
}

func TestRefusals(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, fastCM()), open(t, h, 2, fastCM())
	ctx := testContext(t)
	_, err := a.Dial(ctx, netip.AddrPortFrom(addr(2), 1), queuePair(t, a, roce.QPConfig{}), nil)
	require.ErrorContains(t, err, "connect to 10.0.0.2:1: rdma: connection rejected: no program listens on the port")
	var rejected *roce.RejectedError
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, cm.ReasonInvalidServiceID, rejected.Reason)

	_, err = a.Dial(ctx, netip.AddrPortFrom(addr(9), 1), queuePair(t, a, roce.QPConfig{}), nil)
	require.ErrorContains(t, err, "no port has address 10.0.0.9")
	_, err = a.Dial(ctx, netip.AddrPortFrom(addr(2), 1), queuePair(t, a, roce.QPConfig{}), make([]byte, 57))
	require.ErrorContains(t, err, "at most 56 fit")

	l, err := b.Listen(testPort)
	require.NoError(t, err)
	_, err = b.Listen(testPort)
	require.ErrorContains(t, err, "in use")
	go func() {
		r, err := l.Accept(ctx)
		if err == nil {
			_ = r.Delay(time.Second)
			_ = r.Reject(cm.ReasonConsumer, []byte("not today"))
		}
	}()
	_, err = a.Dial(ctx, netip.AddrPortFrom(addr(2), testPort), queuePair(t, a, roce.QPConfig{}), nil)
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, "not today", string(bytes.TrimRight(rejected.Private, "\x00")))

	// Nobody answers.
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	_, err = a.Dial(short, netip.AddrPortFrom(addr(2), testPort), queuePair(t, a, roce.QPConfig{}), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	h.SetFilter(func([]byte) bool { return false })
	_, err = a.Dial(ctx, netip.AddrPortFrom(addr(2), testPort), queuePair(t, a, roce.QPConfig{}), nil)
	require.ErrorIs(t, err, roce.ErrTimeout)
	require.NoError(t, l.Close())
	_, err = l.Accept(ctx)
	require.ErrorIs(t, err, roce.ErrClosed)
}

// TestRevocation is what a replica does to an old leader.
func TestRevocation(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, roce.Options{}), open(t, h, 2, roce.Options{})
	ca, cb := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{Access: rdma.RemoteWrite})
	mr, err := b.RegisterMemory(make([]byte, 64), rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(t, err)
	wr := rdma.SendWR{Op: rdma.OpWrite, Local: []byte("x"), VA: mr.Addr(), RKey: mr.Key()}
	_, err = ca.QP().PostSend(wr)
	require.NoError(t, err)
	require.NoError(t, roce.Status(wait(t, ca.QP().SendCQ(), 1)[0]))
	cb.QP().SetAccess(0)
	_, err = ca.QP().PostSend(wr)
	require.NoError(t, err)
	require.Equal(t, rdma.StatusRemoteInvalidRequest, wait(t, ca.QP().SendCQ(), 1)[0].Status)
	<-ca.Done()
	require.ErrorContains(t, ca.Err(), "does not allow the operation")
	<-cb.Done()
	_ = ca.Close()
	_ = cb.Close()
}

// TestUnguessable: every bit of keys, addresses and numbers of queue pairs is drawn anew each time.
func TestUnguessable(t *testing.T) {
	d := open(t, hub.New(), 1, roce.Options{})
	const samples = 256
	draw := func(what string, bits uint64, value func() uint64) {
		differ, last := uint64(0), value()
		var equal [64]int
		for range samples {
			v := value()
			differ |= v ^ last
			for i := range equal {
				if v>>i&1 == last>>i&1 {
					equal[i]++
				}
			}
			last = v
		}
		require.Equal(t, bits, differ, "%s: bits that change", what)
		for i, n := range equal {
			if bits>>i&1 != 0 {
				require.InDelta(t, samples/2, n, samples*0.4, "%s: bit %d stays as often as it changes", what, i)
			}
		}
	}
	mr := func() *roce.MR {
		mr, err := d.RegisterMemory(make([]byte, 64), rights)
		require.NoError(t, err)
		return mr
	}
	draw("R_key", 1<<32-1, func() uint64 { return uint64(mr().Key()) })
	draw("address", 1<<47-1<<12, func() uint64 { return mr().Addr() })
	draw("QPN", 1<<24-1, func() uint64 { return uint64(queuePair(t, d, roce.QPConfig{}).QPN()) })
}

// TestLossyHub runs the whole stack, threads and timers included, over a hub that
// loses every 20th frame or so: not exactly, since what is sent again could keep time
// with that.
// TestDomains: a peer reaches the regions of its queue pair's domain and no others,
// whichever key and address it names, also when they are of the same bytes.
func TestDomains(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, roce.Options{}), open(t, h, 2, roce.Options{})
	buf := make([]byte, 64)
	own, err := b.RegisterMemory(buf, rdma.LocalWrite|rdma.RemoteRead)
	require.NoError(t, err)
	domain := b.NewDomain()
	other, err := domain.ShareMemory(own, rights)
	require.NoError(t, err)
	for _, tt := range []struct {
		in   *roce.Domain
		mr   *roce.MR
		op   rdma.Op
		want rdma.Status
	}{
		{nil, own, rdma.OpRead, rdma.StatusOK},
		{nil, own, rdma.OpWrite, rdma.StatusRemoteAccess},
		{nil, other, rdma.OpWrite, rdma.StatusRemoteAccess},
		{nil, other, rdma.OpRead, rdma.StatusRemoteAccess},
		{domain, other, rdma.OpWrite, rdma.StatusOK},
		{domain, own, rdma.OpRead, rdma.StatusRemoteAccess},
	} {
		ca, cb := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{Domain: tt.in, Access: rights})
		_, err := ca.QP().PostSend(rdma.SendWR{Op: tt.op, Local: make([]byte, 8), VA: tt.mr.Addr(), RKey: tt.mr.Key()})
		require.NoError(t, err)
		require.Equal(t, tt.want, wait(t, ca.QP().SendCQ(), 1)[0].Status, "%+v", tt)
		require.NoError(t, ca.Close())
		require.NoError(t, cb.Close())
	}
	b.DeregisterMemory(other)
	ca, _ := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{Access: rights})
	_, err = ca.QP().PostSend(rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, 8), VA: own.Addr(), RKey: own.Key()})
	require.NoError(t, err)
	require.Equal(t, rdma.StatusOK, wait(t, ca.QP().SendCQ(), 1)[0].Status, "it is there when the other is not any more")
	_, err = a.CreateQP(roce.QPConfig{Domain: domain})
	require.ErrorContains(t, err, "belongs to another device")
}
func TestLossyHub(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, fastCM()), open(t, h, 2, fastCM())
	var n atomic.Int64
	h.SetFilter(func([]byte) bool { return uint64(n.Add(1))*0x9e3779b97f4a7c15>>32%20 != 0 })
	cfg := roce.QPConfig{Access: rights, AckTimeout: 2 * time.Millisecond, Retry: 10000}
	ca, _ := connect(t, a, b, cfg, cfg)
	mr, err := b.RegisterMemory(make([]byte, 1<<20), rights)
	require.NoError(t, err)
	data := make([]byte, 1<<20)
	for i := range data {
		data[i] = byte(i * 7)
	}
	const part = 1 << 14
	for off := 0; off < len(data); off += part {
		_, err := ca.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: data[off : off+part], VA: mr.Addr() + uint64(off), RKey: mr.Key()})
		require.NoError(t, err)
	}
	for _, c := range wait(t, ca.QP().SendCQ(), len(data)/part) {
		require.NoError(t, roce.Status(c))
	}
	got := make([]byte, len(data))
	_, err = mr.ReadAt(got, 0)
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
}

func TestPeerVanishes(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, fastCM()), open(t, h, 2, fastCM())
	ca, _ := connect(t, a, b, roce.QPConfig{AckTimeout: time.Millisecond, Retry: 2}, roce.QPConfig{})
	require.NoError(t, b.Close())
	_, err := ca.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("x")})
	require.NoError(t, err)
	require.Equal(t, rdma.StatusRetryExceeded, wait(t, ca.QP().SendCQ(), 1)[0].Status)
	<-ca.Done()
	require.ErrorContains(t, ca.Err(), "retries exceeded")
	require.NoError(t, ca.Close())
	require.ErrorIs(t, b.Close(), roce.ErrClosed)
	_, err = b.CreateQP(roce.QPConfig{})
	require.ErrorIs(t, err, roce.ErrClosed)
	_, err = b.RegisterMemory(make([]byte, 1), 0)
	require.ErrorIs(t, err, roce.ErrClosed)
}

// TestManyConnections makes 50 connections at once.
func TestManyConnections(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, roce.Options{}), open(t, h, 2, roce.Options{})
	ctx := testContext(t)
	l, err := b.Listen(testPort)
	require.NoError(t, err)
	const conns = 50
	errs := make(chan error, 2*conns)
	go func() {
		for range conns {
			r, err := l.Accept(ctx)
			if err != nil {
				errs <- err
				continue
			}
			go func() {
				qp, err := b.CreateQP(roce.QPConfig{})
				if err == nil {
					_, err = r.Accept(ctx, qp, nil)
				}
				errs <- err
			}()
		}
	}()
	for range conns {
		go func() {
			qp, err := a.CreateQP(roce.QPConfig{})
			if err == nil {
				_, err = a.Dial(ctx, netip.AddrPortFrom(addr(2), testPort), qp, nil)
			}
			errs <- err
		}()
	}
	for range 2 * conns {
		require.NoError(t, <-errs)
	}
}

func TestOpenErrors(t *testing.T) {
	require.Equal(t, 1024, wire.PathMTU(1500))
	require.Equal(t, 4096, wire.PathMTU(hub.LinkMTU))
	require.Equal(t, 0, wire.PathMTU(300))
	h := hub.New()
	_, err := h.Attach(netip.MustParseAddr("::1"), 0)
	require.Error(t, err)
	p, err := h.Attach(addr(1), 0)
	require.NoError(t, err)
	_, err = h.Attach(addr(1), 0)
	require.ErrorContains(t, err, "in use")
	_, err = roce.Open(fakeWire{p, link.Info{Addr: netip.MustParseAddr("::1")}}, roce.Options{})
	require.ErrorContains(t, err, "not IPv4")
	_, err = roce.Open(fakeWire{p, link.Info{Addr: addr(1), MTU: 200}}, roce.Options{})
	require.ErrorContains(t, err, "too small")
}

type fakeWire struct {
	link.Wire
	info link.Info
}

func (w fakeWire) Info() link.Info { return w.info }

// TestNoAllocations: posting, sending, receiving, acknowledging and polling do
// not allocate, both ends included.
func TestNoAllocations(t *testing.T) {
	h := hub.New()
	a, b := open(t, h, 1, roce.Options{}), open(t, h, 2, roce.Options{})
	ca, _ := connect(t, a, b, roce.QPConfig{}, roce.QPConfig{Access: rights})
	mr, err := b.RegisterMemory(make([]byte, 64), rights)
	require.NoError(t, err)
	wr := rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 64), VA: mr.Addr(), RKey: mr.Key()}
	buf := make([]rdma.Completion, 4)
	round := func() {
		if _, err := ca.QP().PostSend(wr); err != nil {
			t.Fatal(err)
		}
		for ca.QP().SendCQ().Poll(buf) == 0 {
			<-ca.QP().SendCQ().Ready()
		}
	}
	for range 2100 { // every buffer of the hub's queues once
		round()
	}
	require.Zero(t, testing.AllocsPerRun(1000, round))
}

func FuzzDevice(f *testing.F) {
	f.Add(wire.AppendFrame(nil, &wire.Header{Dst: wire.Addr{10, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}, DestQP: 17, Opcode: wire.WriteOnly}, []byte("x")))
	req, err := cmsm.Offer{Local: addr(1), Remote: addr(2), Port: testPort, QPN: 17}.REQ()
	if err != nil {
		f.Fatal(err)
	}
	for i, m := range []cm.Message{req, &cm.REP{}, &cm.REJ{}, &cm.RTU{}, &cm.DREQ{}, &cm.MRA{}} {
		b, err := cm.AppendFrame(nil, cm.FrameHeader{Dst: wire.Addr{10, 0, 0, 2}, Src: wire.Addr{10, 0, 0, 1}}, uint64(i), m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		h := hub.New()
		b := open(t, h, 2, fastCM())
		_, err := b.Listen(testPort)
		require.NoError(t, err)
		p, err := h.Attach(addr(1), 0)
		require.NoError(t, err)
		// Once as it is, once with a valid ICRC.
		var pkt wire.Packet
		p.Send(frame)
		if len(frame) < 4000 && wire.Parse(frame, &pkt) == nil {
			fixed := append([]byte{}, frame[:14+len(pkt.Datagram())]...)
			sealICRC(fixed[14:])
			p.Send(fixed)
		}
		require.NoError(t, b.Close())
	})
}

func ExampleDevice_Dial() {
	h := hub.New()
	open := func(i int) *roce.Device {
		port, err := h.Attach(addr(i), 0)
		if err != nil {
			panic(err)
		}
		d, err := roce.Open(port, roce.Options{})
		if err != nil {
			panic(err)
		}
		return d
	}
	server, client := open(1), open(2)
	defer server.Close()
	defer client.Close()
	ctx := context.Background()

	// The server lets clients write a buffer, and says where it is in words of
	// its own (here the R_key and address as text).
	mr, _ := server.RegisterMemory(make([]byte, 64), rdma.LocalWrite|rdma.RemoteWrite)
	l, _ := server.Listen(testPort)
	go func() {
		r, _ := l.Accept(ctx)
		qp, _ := server.CreateQP(roce.QPConfig{Access: rdma.RemoteWrite})
		_, _ = r.Accept(ctx, qp, fmt.Appendf(nil, "%d %d", mr.Addr(), mr.Key()))
	}()

	qp, _ := client.CreateQP(roce.QPConfig{})
	conn, err := client.Dial(ctx, netip.AddrPortFrom(addr(1), testPort), qp, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var va uint64
	var rkey uint32
	_, _ = fmt.Sscan(string(bytes.TrimRight(conn.Private(), "\x00")), &va, &rkey)
	_, _ = qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("hello"), VA: va, RKey: rkey})
	_ = qp.SendCQ().Wait(ctx)
	b := make([]byte, 5)
	_, _ = mr.ReadAt(b, 0)
	fmt.Println(string(b))
	// Output: hello
}

func sealICRC(datagram []byte) { icrc.Put(datagram) }
