package smr

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
)

// counted counts the bytes that are allocated, and the most that there were.
type counted struct {
	rdma.Device
	now, most atomic.Int64
}

func (c *counted) Alloc(n int) ([]byte, error) {
	now := c.now.Add(int64(n))
	for {
		most := c.most.Load()
		if now <= most || c.most.CompareAndSwap(most, now) {
			return c.Device.Alloc(n)
		}
	}
}

func (c *counted) Free(b []byte) {
	c.now.Add(-int64(len(b)))
	c.Device.Free(b)
}

// streams are the two ends of a stream.
func streams(t *testing.T) (g *giver, from rdma.Conn, take *taker, to rdma.Conn, memory *counted) {
	h := hub.New()
	a := &counted{Device: roce.RDMA(hosttest.Device(t, h, hosttest.Addr(1)), roce.QPConfig{})}
	b := roce.RDMA(hosttest.Device(t, h, hosttest.Addr(2)), roce.QPConfig{})
	l, err := a.Listen(hosttest.Port)
	require.NoError(t, err)
	ctx := hosttest.Context(t)
	g, err = newGiver(ctx, a, rdma.QPConfig{})
	require.NoError(t, err)
	accepted := make(chan rdma.Conn, 1)
	go func() {
		req, err := l.Accept(ctx)
		if err == nil {
			var c rdma.Conn
			if c, err = req.Accept(ctx, g.qp, g.private()); err == nil {
				accepted <- c
			}
		}
		if err != nil {
			t.Error(err)
			close(accepted)
		}
	}()
	cq, err := b.NewCQ(streamReads + 1)
	require.NoError(t, err)
	qp, err := b.CreateQP(rdma.QPConfig{SendCQ: cq, SendQueue: streamReads + 1, MaxReads: streamReads})
	require.NoError(t, err)
	to, err = b.Dial(ctx, netip.AddrPortFrom(hosttest.Addr(1), hosttest.Port), qp, nil)
	require.NoError(t, err)
	from = recv(t, accepted)
	require.NoError(t, l.Close())
	take, err = newTaker(ctx, b, qp, cq, to.Private())
	require.NoError(t, err)
	require.NoError(t, take.hello([]byte("some")))
	known, err := g.hello()
	require.NoError(t, err)
	require.Equal(t, "some", string(known))
	t.Cleanup(func() { to.Close(); from.Close(); take.close(); g.free() })
	return g, from, take, to, a
}

// TestStream: an image of several rings arrives whole, in pieces of any length, and its memory is that of one ring.
func TestStream(t *testing.T) {
	for _, length := range []int{0, 1, streamBatch, streamRing, 3*streamRing + 12345} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			g, _, take, _, memory := streams(t)
			sent := sha256.New()
			gave := make(chan error, 1)
			go func() {
				r := rand.New(rand.NewPCG(1, 2))
				b := make([]byte, 300<<10)
				for left := length; left > 0; {
					p := b[:min(1+r.IntN(len(b)), left)]
					for i := range p {
						p[i] = byte(r.Uint32())
					}
					sent.Write(p)
					if _, err := g.Write(p); err != nil {
						gave <- err
						return
					}
					left -= len(p)
				}
				gave <- g.end()
			}()
			got := sha256.New()
			n, err := io.Copy(got, take)
			require.NoError(t, err)
			require.EqualValues(t, length, n)
			require.NoError(t, recv(t, gave))
			require.Equal(t, sent.Sum(nil), got.Sum(nil))
			require.Less(t, memory.most.Load(), int64(2*streamRing))
			_, err = take.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
		})
	}
}

// TestStreamEnds: when one end goes the other one does not wait, and what came is not taken for the whole.
func TestStreamEnds(t *testing.T) {
	g, from, take, _, _ := streams(t)
	_, err := g.Write(make([]byte, 1000))
	require.NoError(t, err)
	_, err = io.ReadFull(take, make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, from.Close())
	_, err = take.Read(make([]byte, 1))
	require.Error(t, err)
	require.NotErrorIs(t, err, io.EOF)
}

// blocked is a machine whose image is written for as long as the test likes.
type blocked struct {
	sum
	images chan *blockedImage
}

type blockedImage struct {
	begun  chan struct{} // it is being written
	ended  chan error    // what that came to
	closed chan struct{}
}

func (b *blocked) Snapshot() (replicated.Image, error) {
	i := &blockedImage{make(chan struct{}), make(chan error, 1), make(chan struct{})}
	b.images <- i
	return i, nil
}

// WriteTo writes until it is not taken any more.
func (i *blockedImage) WriteTo(w io.Writer) (n int64, err error) {
	close(i.begun)
	b := make([]byte, 1<<20)
	for err == nil {
		var k int
		k, err = w.Write(b)
		n += int64(k)
	}
	i.ended <- err
	return n, err
}

func (i *blockedImage) Close() error { close(i.closed); return nil }

// TestOneSnapshotAtATime: the connection is there before the image, whoever else asks is refused, one that asks anew gets a new
// image in place of the old one, and nothing goes on for one that has gone.
func TestOneSnapshotAtATime(t *testing.T) {
	m := &blocked{images: make(chan *blockedImage, 8)}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	d.call(func(e *env) {
		e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}, {ID: 3, Addrs: addrPorts(3)}})
	})
	// The state machine is busy: the connection does not wait for it.
	busy := make(chan struct{})
	free := sync.OnceFunc(func() { close(busy) })
	t.Cleanup(free)
	d.apply.do(func() { <-busy })
	first := d.arrive(peerRequest(2, kindSnapshot), hosttest.Addr(2))
	conn := recv(t, first.accepted)
	close(first.goOn)
	free()
	image := recv(t, m.images)
	recv(t, image.begun)

	other := d.arrive(peerRequest(3, kindSnapshot), hosttest.Addr(3))
	require.Contains(t, recv(t, other.rejected), "server 2 is receiving the state")
	recv(t, other.over)
	require.Empty(t, m.images, "nothing is made for it")

	again := d.arrive(peerRequest(2, kindSnapshot), hosttest.Addr(2))
	require.ErrorIs(t, recv(t, image.ended), errAgain)
	recv(t, image.closed)
	recv(t, first.over)
	require.True(t, conn.closed())
	conn = recv(t, again.accepted)
	close(again.goOn)
	image = recv(t, m.images)
	recv(t, image.begun)

	require.NoError(t, conn.Close()) // by the other side
	require.ErrorIs(t, recv(t, image.ended), errGone)
	recv(t, image.closed)
	recv(t, again.over)

	other = d.arrive(peerRequest(3, kindSnapshot), hosttest.Addr(3))
	conn = recv(t, other.accepted)
	require.NoError(t, conn.Close())
	close(other.goOn)
	recv(t, other.over)
}

// TestSnapshotForNobody: one that has gone before the state machine had time gets no image.
func TestSnapshotForNobody(t *testing.T) {
	m := &blocked{images: make(chan *blockedImage, 8)}
	d := newDriven(t, func(c *Config) { c.Machine = m })
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	busy := make(chan struct{})
	free := sync.OnceFunc(func() { close(busy) })
	t.Cleanup(free)
	d.apply.do(func() { <-busy })
	for range 5 {
		r := d.arrive(peerRequest(2, kindSnapshot), hosttest.Addr(2))
		conn := recv(t, r.accepted)
		close(r.goOn)
		d.until(func() bool { return d.giving != nil })
		require.NoError(t, conn.Close())
		recv(t, r.over)
	}
	free()
	done := make(chan struct{})
	d.apply.do(func() { close(done) })
	recv(t, done)
	require.Empty(t, m.images)
}

// failing is a completion queue of a device that has failed.
type failing struct{ rdma.CQ }

var errDevice = errors.New("the device has failed")

func (failing) Wait(context.Context) error { return errDevice }

// TestStreamDeviceFails: what was not READ is not taken for read when a queue fails by itself, and who writes does
// not wait for ever.
func TestStreamDeviceFails(t *testing.T) {
	g, _, take, _, _ := streams(t)
	_, err := g.Write(make([]byte, streamBatch))
	require.NoError(t, err)
	take.cq = failing{take.cq}
	n, err := take.Read(make([]byte, 100))
	require.ErrorIs(t, err, errDevice)
	require.Zero(t, n)
	g.cq = failing{g.cq}
	_, err = g.Write(make([]byte, streamRing))
	require.ErrorIs(t, err, errDevice)
}
