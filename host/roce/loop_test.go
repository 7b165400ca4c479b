package roce_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/wire"
)

// served is a device whose queues are served, one of its queue pairs, and memory that it may write.
type served struct {
	*roce.Device
	rdma rdma.Device
	qp   *roce.QP
	mr   *roce.MR
	hub  *hub.Hub
}

// counted is a wire that counts what is handed over to it.
type counted struct {
	link.Wire
	flushes atomic.Int64
}

func (c *counted) Flush() error {
	c.flushes.Add(1)
	return c.Wire.Flush()
}

// polled keeps the port's methods for polling.
type polled struct {
	*hub.Port
	*counted
}

func (p polled) Buffer() []byte { return p.Port.Buffer() }
func (p polled) Close() error   { return p.Port.Close() }
func (p polled) Flush() error   { return p.counted.Flush() }
func (p polled) Info() link.Info {
	return p.Port.Info()
}
func (p polled) Receive(f [][]byte) (int, error) { return p.Port.Receive(f) }
func (p polled) Send(f []byte)                   { p.Port.Send(f) }

// serve connects two devices; queue has the completions of the first one's requests.
func serve(t *testing.T, h *hub.Hub, w link.Wire, queue func(rdma.Device) rdma.CQ) *served {
	a, err := roce.Open(w, roce.Options{Loop: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	s := &served{Device: a, rdma: roce.RDMA(a, roce.QPConfig{}), hub: h}
	b := open(t, h, 2, roce.Options{})
	cq, _ := queue(s.rdma).(*roce.CQ)
	conn, _ := connect(t, a, b, roce.QPConfig{SendCQ: cq, AckTimeout: 20 * time.Millisecond}, roce.QPConfig{Access: rights})
	s.qp = conn.QP()
	s.mr, err = b.RegisterMemory(make([]byte, 1024), rights)
	require.NoError(t, err)
	return s
}

func port(t *testing.T, h *hub.Hub) *hub.Port {
	p, err := h.Attach(addr(1), 0)
	require.NoError(t, err)
	return p
}

func (s *served) write(id uint64) rdma.SendWR {
	return rdma.SendWR{ID: id, Op: rdma.OpWrite, Local: []byte("written"), VA: s.mr.Addr(), RKey: s.mr.Key()}
}

func newCQ(t *testing.T, d rdma.Device) rdma.CQ {
	q, err := d.NewCQ(16)
	require.NoError(t, err)
	return q
}

// both runs a test with a device that makes the calls itself, and with one that does not.
func both(t *testing.T, f func(t *testing.T, h *hub.Hub, w link.Wire)) {
	t.Run("polled", func(t *testing.T) {
		h := hub.New()
		f(t, h, port(t, h))
	})
	t.Run("received", func(t *testing.T) {
		h := hub.New()
		f(t, h, &counted{Wire: port(t, h)})
	})
}

// Who serves a queue posts from its function, and gets the completions of that, too.
func TestServe(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		s := serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		const all = 1000
		var got []uint64
		done := make(chan struct{})
		service := rdma.Serve(q, func() time.Duration {
			var c [4]rdma.Completion
			for {
				n := q.Poll(c[:])
				if n == 0 {
					return -1
				}
				for _, c := range c[:n] {
					got = append(got, c.ID)
					if len(got) == all {
						close(done)
					} else if len(got) < all {
						_, err := s.qp.PostSend(s.write(c.ID + 1))
						require.NoError(t, err)
					}
				}
			}
		})
		_, err := s.qp.PostSend(s.write(0))
		require.NoError(t, err)
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatal("completions are missing")
		}
		service.Stop()
		for i, id := range got {
			require.EqualValues(t, i, id)
		}
		// The queue is anybody's again.
		_, err = s.qp.PostSend(s.write(all))
		require.NoError(t, err)
		require.NoError(t, q.Wait(testContext(t)))
	})
}

// The function is called again after the time that it asks for, and when somebody wants it, also from the function of
// another queue.
func TestServeAgain(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		s := serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		var first, second atomic.Int64
		a := rdma.Serve(q, func() time.Duration { first.Add(1); return -1 })
		defer a.Stop()
		other := newCQ(t, s.rdma)
		b := rdma.Serve(other, func() time.Duration {
			n := second.Add(1)
			if n < 3 {
				return time.Millisecond
			}
			if n == 3 {
				a.Kick()
			}
			return -1
		})
		defer b.Stop()
		require.Eventually(t, func() bool { return second.Load() == 3 && first.Load() == 2 }, 10*time.Second, time.Millisecond)
		b.Kick()
		require.Eventually(t, func() bool { return second.Load() == 4 }, 10*time.Second, time.Millisecond)
	})
}

// Two functions that kick each other are called for as long as they do so: nobody waits in between.
func TestKicks(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		s := serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		const rounds = 1000
		var a, b rdma.Service
		var n atomic.Int64
		ready, done := make(chan struct{}), make(chan struct{})
		a = rdma.Serve(q, func() time.Duration {
			<-ready
			if n.Add(1) == rounds {
				close(done)
			} else if n.Load() < rounds {
				b.Kick()
			}
			return -1
		})
		b = rdma.Serve(newCQ(t, s.rdma), func() time.Duration {
			<-ready
			a.Kick()
			return -1
		})
		close(ready)
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%d of %d rounds", n.Load(), rounds)
		}
		a.Stop()
		b.Stop()
	})
}

// Stop waits for a call that is under way, and nothing is called afterwards.
func TestServeStop(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		var calls atomic.Int64
		in, out := make(chan struct{}), make(chan struct{})
		var once, release sync.Once
		end := func() { release.Do(func() { close(out) }) }
		t.Cleanup(end)
		s := rdma.Serve(q, func() time.Duration {
			calls.Add(1)
			once.Do(func() { close(in) })
			<-out
			return 0
		})
		<-in
		stopped := make(chan struct{})
		go func() {
			s.Stop()
			close(stopped)
		}()
		select {
		case <-stopped:
			t.Fatal("a call is under way")
		case <-time.After(20 * time.Millisecond):
		}
		end()
		<-stopped
		n := calls.Load()
		s.Kick()
		time.Sleep(10 * time.Millisecond)
		require.Equal(t, n, calls.Load())
	})
}

// A service whose function leaves completions in the queue can be stopped, too.
func TestServeStopsWithCompletions(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		d := serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		var calls atomic.Int64
		s := rdma.Serve(q, func() time.Duration { calls.Add(1); return -1 })
		_, err := d.qp.PostSend(d.write(1))
		require.NoError(t, err)
		require.Eventually(t, func() bool { return calls.Load() >= 2 }, 10*time.Second, time.Millisecond)
		stopped := make(chan struct{})
		go func() {
			s.Stop()
			close(stopped)
		}()
		select {
		case <-stopped:
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
		require.NoError(t, q.Wait(testContext(t)))
	})
}

// Who serves a queue hears of what Close has flushed.
func TestServeUntilClosed(t *testing.T) {
	both(t, func(t *testing.T, h *hub.Hub, w link.Wire) {
		var q rdma.CQ
		d := serve(t, h, w, func(d rdma.Device) rdma.CQ { q = newCQ(t, d); return q })
		h.SetFilter(func([]byte) bool { return false })
		flushed := make(chan rdma.Status, 4)
		s := rdma.Serve(q, func() time.Duration {
			var c [4]rdma.Completion
			for _, c := range c[:q.Poll(c[:])] {
				flushed <- c.Status
			}
			return -1
		})
		defer s.Stop()
		_, err := d.qp.PostSend(d.write(1))
		require.NoError(t, err)
		require.NoError(t, d.Close())
		select {
		case status := <-flushed:
			require.Equal(t, rdma.StatusFlushed, status)
		case <-time.After(10 * time.Second):
			t.Fatal("nobody has said so")
		}
	})
}

// What is posted together is handed over together, also when somebody else's turn ends meanwhile.
func TestTogether(t *testing.T) {
	h := hub.New()
	p := port(t, h)
	w := polled{p, &counted{Wire: p}}
	s := serve(t, h, w, func(d rdma.Device) rdma.CQ { return newCQ(t, d) })
	var arrived atomic.Int64
	h.SetFilter(func(f []byte) bool {
		var p wire.Packet
		if wire.Parse(f, &p) == nil && p.BTH.Opcode() == wire.WriteOnly {
			arrived.Add(1)
		}
		return true
	})
	before := w.flushes.Load()
	rdma.Together(s.rdma, func() {
		rdma.Together(s.rdma, func() {
			_, err := s.qp.PostSend(s.write(1))
			require.NoError(t, err)
		})
		for i := range 10 {
			_, err := s.qp.PostSend(s.write(uint64(i)))
			require.NoError(t, err)
		}
		require.Equal(t, before, w.flushes.Load())
	})
	require.Greater(t, w.flushes.Load(), before)
	require.EqualValues(t, 11, arrived.Load())
	require.Eventually(t, func() bool { return s.qp.Counters().AcksIn > 0 }, 10*time.Second, time.Millisecond)
}

// deaf is a wire whose frames wake nobody: who has posted takes the answers.
type deaf struct{ *hub.Port }

func (d deaf) Wait(t time.Duration) error { return d.Rest(t) }

// What a function asks for when who has posted has called it is heard by the loop, which waits meanwhile.
func TestServeAgainAfterHelp(t *testing.T) {
	h := hub.New()
	p := port(t, h)
	a, err := roce.Open(deaf{p}, roce.Options{Loop: true})
	require.NoError(t, err)
	defer a.Close()
	dev := roce.RDMA(a, roce.QPConfig{})
	q := newCQ(t, dev)
	took, again := make(chan struct{}, 1), make(chan struct{}, 1)
	service := rdma.Serve(q, func() time.Duration {
		var c [4]rdma.Completion
		if q.Poll(c[:]) > 0 {
			took <- struct{}{}
			return 20 * time.Millisecond
		}
		select {
		case <-took:
			again <- struct{}{}
		default:
		}
		return -1
	})
	defer service.Stop()
	helping := make(chan struct{})
	go func() { // until it is connected, frames are taken like this
		for {
			select {
			case <-helping:
				return
			case <-time.After(time.Millisecond):
				rdma.Together(dev, func() {})
			}
		}
	}()
	b := open(t, h, 4, roce.Options{})
	conn, _ := connect(t, a, b, roce.QPConfig{SendCQ: q.(*roce.CQ), AckTimeout: -1}, roce.QPConfig{Access: rights})
	close(helping)
	mr, err := b.RegisterMemory(make([]byte, 64), rights)
	require.NoError(t, err)
	steady := 0 // before it waits for a time, it looks for a moment as if it waited for none
	require.Eventually(t, func() bool {
		if steady++; !a.WaitsForEver() {
			steady = 0
		}
		return steady > 20
	}, 15*time.Second, time.Millisecond)
	before := p.Arrived()
	rdma.Together(dev, func() {
		_, err := conn.QP().PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("written"), VA: mr.Addr(), RKey: mr.Key()})
		require.NoError(t, err)
		require.Eventually(t, func() bool { return p.Arrived() > before }, 10*time.Second, time.Millisecond)
	})
	select {
	case <-again:
	case <-time.After(10 * time.Second):
		t.Fatal("it was not called again")
	}
}

// A request that is lost is sent again by a device that waits for nothing else.
func TestPolledResends(t *testing.T) {
	h := hub.New()
	s := serve(t, h, port(t, h), func(d rdma.Device) rdma.CQ { return newCQ(t, d) })
	var lost atomic.Bool
	h.SetFilter(func(f []byte) bool {
		var p wire.Packet
		return wire.Parse(f, &p) != nil || p.BTH.Opcode() != wire.WriteOnly || !lost.CompareAndSwap(false, true)
	})
	for range 3 { // the device has been idle for a while each time: no earlier deadline wakes it
		lost.Store(false)
		time.Sleep(100 * time.Millisecond)
		_, err := s.qp.PostSend(s.write(1))
		require.NoError(t, err)
		require.Equal(t, rdma.StatusOK, wait(t, s.qp.SendCQ(), 1)[0].Status)
	}
	require.EqualValues(t, 3, s.qp.Counters().Timeouts)
}

// Many packets under way, of which some are lost: a device that rests gets to the end, and counts right what is under
// way: it rests no more when nothing is.
func TestRests(t *testing.T) {
	h := hub.New()
	s := serve(t, h, port(t, h), func(d rdma.Device) rdma.CQ { return newCQ(t, d) })
	var n atomic.Int64
	h.SetFilter(func([]byte) bool { return n.Add(1)%50 != 0 })
	left := 2000
	for open := 0; left > 0 || open > 0; {
		for open < 64 && left > 0 {
			_, err := s.qp.PostSend(s.write(uint64(left)))
			require.NoError(t, err)
			open, left = open+1, left-1
		}
		done := wait(t, s.qp.SendCQ(), 1)
		require.Equal(t, rdma.StatusOK, done[0].Status)
		open -= len(done)
	}
	require.Zero(t, s.Unacked())
}
