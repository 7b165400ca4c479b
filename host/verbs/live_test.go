//go:build verbs && cgo && linux

package verbs

import (
	"context"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
)

// These tests want an RDMA device with an IPv4 address. test/vm runs them in a guest
// with rxe.

// live opens this machine's device, or skips the test.
func live(t testing.TB, o Options) *device {
	t.Helper()
	devs, err := Devices(Sysfs())
	require.NoError(t, err)
	_, err = Select(devs, o)
	needs.Hardware(t, err)
	d, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d.(*device)
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// loop connects the device to itself.
func loop(t testing.TB, d *device) (active, passive rdma.Conn) {
	t.Helper()
	a, p, err := d.toItself(testContext(t))
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = a.Close(), p.Close() })
	return a, p
}

func region(t testing.TB, d *device, n int) rdma.MR {
	t.Helper()
	buf, err := d.Alloc(n)
	require.NoError(t, err)
	m, err := d.RegisterMemory(buf, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
	require.NoError(t, err)
	t.Cleanup(func() {
		d.DeregisterMemory(m)
		d.Free(buf)
	})
	return m
}

func TestLiveProbe(t *testing.T) {
	live(t, Options{})
	r, err := Probe(testContext(t), Options{})
	require.NoError(t, err)
	t.Logf("%+v", r)
	require.Positive(t, r.MaxQP)
	require.Positive(t, r.MaxInline)
	require.True(t, r.Active)
	require.Equal(t, "ok", r.FlagsInRTS)
	require.Equal(t, "ok", r.StateCycle)
	require.NotEmpty(t, r.RevokedGets)
}

// TestLiveNoAllocation: posting from Alloc's memory and polling allocate nothing.
func TestLiveNoAllocation(t *testing.T) {
	d := live(t, Options{})
	a, _ := loop(t, d)
	m := region(t, d, 4096)
	buf, err := d.Alloc(4096)
	require.NoError(t, err)
	defer d.Free(buf)
	wrs := []rdma.SendWR{
		{ID: 1, Op: rdma.OpWrite, Local: buf[:64], VA: m.Addr(), RKey: m.Key(), Unsignaled: true},
		{ID: 2, Op: rdma.OpWrite, Local: buf[:2000], VA: m.Addr(), RKey: m.Key()},
	}
	var got [4]rdma.Completion
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := a.QP().PostSend(wrs...); err != nil {
			t.Fatal(err)
		}
		for {
			if n := a.QP().SendCQ().Poll(got[:]); n != 0 {
				if n != 1 || got[0].ID != 2 || got[0].Status != rdma.StatusOK {
					t.Fatalf("%+v", got[:n])
				}
				return
			}
		}
	}))
}

// TestLiveMemory: what cannot be registered is refused with a reason.
func TestLiveMemory(t *testing.T) {
	d := live(t, Options{})
	_, err := d.RegisterMemory(make([]byte, 100), rdma.LocalWrite)
	require.ErrorContains(t, err, "not from Alloc")
	_, err = d.RegisterMemory(nil, rdma.LocalWrite)
	require.ErrorContains(t, err, "empty buffer")
	buf, err := d.Alloc(100)
	require.NoError(t, err)
	_, err = d.RegisterMemory(buf, rdma.RemoteWrite)
	require.ErrorContains(t, err, "local-write")
	m, err := d.RegisterMemory(buf, rdma.LocalWrite|rdma.RemoteRead)
	require.NoError(t, err)
	require.Equal(t, 100, m.Len())
	_, err = m.WriteAt(make([]byte, 101), 0)
	require.ErrorIs(t, err, rc.ErrBounds)
	_, err = m.WriteAt([]byte("hello"), 8)
	require.NoError(t, err)
	got := make([]byte, 5)
	_, err = m.ReadAt(got, 8)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got))
	d.DeregisterMemory(m)
	d.DeregisterMemory(m)
	require.NoError(t, d.Close())
	buf[0] = 1 // lasts until Free
	d.Free(buf)
	_, err = d.Alloc(10)
	require.ErrorIs(t, err, rdma.ErrClosed)
}

// TestLiveQueueLimits: too much is refused, and says how much there is.
func TestLiveQueueLimits(t *testing.T) {
	d := live(t, Options{})
	_, err := d.CreateQP(rdma.QPConfig{SendQueue: int(d.attr.max_qp_wr) + 1})
	require.ErrorContains(t, err, "the device has")
	q, err := d.CreateQP(rdma.QPConfig{SendQueue: 4})
	require.NoError(t, err)
	_, err = q.PostSend(rdma.SendWR{Op: rdma.OpWrite})
	require.ErrorIs(t, err, rdma.ErrNotReady)
	a, _ := loop(t, d) // send queues of 4
	m := region(t, d, 4096)
	// The fifth does not fit, however fast the device is: nobody polls.
	wrs := make([]rdma.SendWR, 5)
	for i := range wrs {
		wrs[i] = rdma.SendWR{ID: uint64(i), Op: rdma.OpWrite, Local: []byte("x"), VA: m.Addr(), RKey: m.Key()}
	}
	n, err := a.QP().PostSend(wrs...)
	require.ErrorIs(t, err, rdma.ErrQueueFull)
	require.Equal(t, 4, n)
	_, err = a.QP().PostSend(rdma.SendWR{Op: 99})
	require.Error(t, err)
	q.Destroy()
	q.Destroy()
}

// TestLiveClose: closing the device ends whoever waits, and everything that was not
// closed before.
func TestLiveClose(t *testing.T) {
	d := live(t, Options{})
	a, p := loop(t, d)
	l, err := d.Listen(0)
	require.NoError(t, err)
	cq, err := d.NewCQ(10)
	require.NoError(t, err)
	m := region(t, d, 100)
	m.OnRemoteWrite(func(int, int) {})
	ctx := testContext(t)
	ends := make(chan error, 3)
	var wg sync.WaitGroup
	wg.Go(func() { _, err := l.Accept(ctx); ends <- err })
	wg.Go(func() { ends <- cq.Wait(ctx) })
	wg.Go(func() { <-a.Done(); ends <- a.Err() })
	require.NoError(t, d.Close())
	wg.Wait()
	for range 3 {
		require.ErrorIs(t, <-ends, rdma.ErrClosed)
	}
	require.ErrorIs(t, p.Err(), rdma.ErrClosed)
	require.ErrorIs(t, d.Close(), rdma.ErrClosed)
	_, err = d.Listen(1)
	require.ErrorIs(t, err, rdma.ErrClosed)
	_, err = d.CreateQP(rdma.QPConfig{})
	require.ErrorIs(t, err, rdma.ErrClosed)
	_, err = d.NewCQ(1)
	require.ErrorIs(t, err, rdma.ErrClosed)
	n, err := a.QP().PostSend(rdma.SendWR{ID: 5, Op: rdma.OpWrite})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	var got [1]rdma.Completion
	require.Equal(t, 1, a.QP().SendCQ().Poll(got[:]))
	require.Equal(t, rdma.StatusFlushed, got[0].Status)
}

// TestLiveWaitEnds: a wait ends with its context, and the next one works.
func TestLiveWaitEnds(t *testing.T) {
	d := live(t, Options{Spin: -1})
	a, _ := loop(t, d)
	m := region(t, d, 100)
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- a.QP().SendCQ().Wait(ctx) }()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		_, err := a.QP().PostSend(rdma.SendWR{ID: 1, Op: rdma.OpWrite, Local: []byte("x"), VA: m.Addr(), RKey: m.Key()})
		require.NoError(t, err)
		require.NoError(t, a.QP().SendCQ().Wait(testContext(t)))
		var got [2]rdma.Completion
		require.Equal(t, 1, a.QP().SendCQ().Poll(got[:]))
	}
}

// TestLiveListenTwice: a port is listened to once.
func TestLiveListenTwice(t *testing.T) {
	d := live(t, Options{})
	l, err := d.listen(0)
	require.NoError(t, err)
	require.NotZero(t, l.port)
	_, err = d.Listen(l.port)
	require.ErrorContains(t, err, "in use")
	require.NoError(t, l.Close())
	again, err := d.Listen(l.port)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// TestLiveLateAnswer: a request whose peer has given up can still be answered, and
// one that nobody answers does not hold up the end.
func TestLiveLateAnswer(t *testing.T) {
	d := live(t, Options{})
	l, err := d.listen(0)
	require.NoError(t, err)
	defer l.Close()
	var requests []rdma.Request
	for range 2 {
		q, err := d.CreateQP(rdma.QPConfig{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(testContext(t))
		ended := make(chan error, 1)
		go func() {
			_, err := d.Dial(ctx, netip.AddrPortFrom(d.Addr(), l.port), q, []byte("anybody?"))
			ended <- err
		}()
		r, err := l.Accept(ctx)
		require.NoError(t, err)
		require.Equal(t, "anybody?", strings.TrimRight(string(r.Private()), "\x00"))
		require.Equal(t, d.Addr(), r.RemoteAddr())
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		requests = append(requests, r)
	}
	q, err := d.CreateQP(rdma.QPConfig{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = requests[0].Accept(ctx, q, nil)
	require.Error(t, err)
	require.ErrorContains(t, err, "accept "+d.Addr().String())
}

// TestLiveManyTimes: nothing is left of what is closed; descriptors are the scarcest.
func TestLiveManyTimes(t *testing.T) {
	d := live(t, Options{Access: AccessFlags})
	round := func() {
		a, p, err := d.toItself(testContext(t))
		require.NoError(t, err)
		require.NoError(t, a.Close())
		<-p.Done()
		require.NoError(t, p.Close())
	}
	round()
	before := descriptors(t)
	for range 20 {
		round()
	}
	// A DREQ that is not answered yet keeps an identifier, not a descriptor.
	require.LessOrEqual(t, descriptors(t), before)
	require.NoError(t, d.Close())
	require.Less(t, descriptors(t), before)
}

func descriptors(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// TestLiveDomain: a peer reaches the regions of its queue pair's protection domain only,
// and a domain in use is not given back.
func TestLiveDomain(t *testing.T) {
	d := live(t, Options{})
	a, _ := loop(t, d)
	own := region(t, d, 4096)
	p, err := d.NewDomain()
	require.NoError(t, err)
	other, err := p.ShareMemory(own, rdma.LocalWrite|rdma.RemoteWrite)
	require.NoError(t, err)
	buf, err := d.Alloc(64)
	require.NoError(t, err)
	defer d.Free(buf)
	for _, tt := range []struct {
		mr   rdma.MR
		want rdma.Status
	}{{own, rdma.StatusOK}, {other, rdma.StatusRemoteAccess}} {
		_, err = a.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: buf[:8], VA: tt.mr.Addr(), RKey: tt.mr.Key()})
		require.NoError(t, err)
		var got [1]rdma.Completion
		require.NoError(t, a.QP().SendCQ().Wait(testContext(t)))
		require.Equal(t, 1, a.QP().SendCQ().Poll(got[:]))
		require.Equal(t, tt.want, got[0].Status)
	}
	q, err := d.CreateQP(rdma.QPConfig{Domain: p, Access: rdma.RemoteWrite})
	require.NoError(t, err)
	_, err = q.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: buf[:8], VA: own.Addr(), RKey: own.Key()})
	require.ErrorContains(t, err, "is for its peer")
	require.Error(t, p.Close(), "its queue pair and its region are there")
	q.Destroy()
	d.DeregisterMemory(other)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
}
