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

// slow is a wire whose user does not come to taking what has been received. It cannot be polled.
type slow struct {
	link.Wire // port
	port      *hub.Port
	mu        sync.Mutex // held: it waits, with the frames in its hands
	to        *hub.Port  // of somebody else
}

func (s *slow) Arrived() uint64 { return s.port.Arrived() }

func (s *slow) Receive(frames [][]byte) (int, error) {
	n, err := s.port.Receive(frames)
	s.mu.Lock()
	defer s.mu.Unlock()
	return n, err
}

// slowPolled is the same, and can be polled.
type slowPolled struct {
	*hub.Port
	slow *slow
}

func (s *slowPolled) Poll(frames [][]byte) (int, error) {
	n, err := s.Port.Poll(frames)
	if n > 0 {
		s.slow.mu.Lock()
		defer s.slow.mu.Unlock()
	}
	return n, err
}

// hold makes it wait until the test releases it, or ends.
func (s *slow) hold(t *testing.T) (release func()) {
	s.mu.Lock()
	release = sync.OnceFunc(s.mu.Unlock)
	t.Cleanup(release)
	return release
}

// slowPair is a queue pair behind a slow wire, and the memory that it may write; lost
// says which frames are lost.
func slowPair(t *testing.T, polled bool, lost func(op wire.Opcode) bool) (*slow, *roce.Device, *roce.QP, *roce.MR) {
	h := hub.New()
	p, err := h.Attach(addr(1), 0)
	require.NoError(t, err)
	other, err := h.Attach(addr(3), 0)
	require.NoError(t, err)
	s := &slow{Wire: p, port: p, to: other}
	var w link.Wire = s
	if polled {
		w = &slowPolled{p, s}
	}
	a, err := roce.Open(w, roce.Options{Loop: polled})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	b := open(t, h, 2, roce.Options{})
	conn, _ := connect(t, a, b, roce.QPConfig{AckTimeout: 100 * time.Millisecond, Retry: 3}, roce.QPConfig{Access: rights})
	mr, err := b.RegisterMemory(make([]byte, 64), rights)
	require.NoError(t, err)
	h.SetFilter(func(frame []byte) bool {
		var p wire.Packet
		return wire.Parse(frame, &p) != nil || !lost(p.BTH.Opcode())
	})
	return s, a, conn.QP(), mr
}

// A peer that has answered is not taken for slow because its answers lie unread: neither
// on the wire nor in the hands of who receives.
func TestTimeoutsWaitForWhatHasCome(t *testing.T) {
	s, a, qp, mr := slowPair(t, false, func(wire.Opcode) bool { return false })
	release := s.hold(t)
	_, err := qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("written"), VA: mr.Addr(), RKey: mr.Key()})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return a.Counters().LateTimeouts > 0 || qp.Counters().Timeouts > 0 }, 10*time.Second, time.Millisecond)
	require.Zero(t, qp.Counters().Timeouts)
	release()
	require.Equal(t, rdma.StatusOK, wait(t, qp.SendCQ(), 1)[0].Status)
	require.Zero(t, qp.Counters().Timeouts)
}

// The same of a device that polls its wire: it looks at the time when it has taken what has come.
func TestPolledTimeoutsWaitForWhatHasCome(t *testing.T) {
	s, _, qp, mr := slowPair(t, true, func(wire.Opcode) bool { return false })
	release := s.hold(t)
	_, err := qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("written"), VA: mr.Addr(), RKey: mr.Key()})
	require.NoError(t, err)
	time.Sleep(250 * time.Millisecond) // two time-outs
	release()
	require.Equal(t, rdma.StatusOK, wait(t, qp.SendCQ(), 1)[0].Status)
	require.Zero(t, qp.Counters().Timeouts)
}

// Frames that are no answer put a time-out off only until they are received.
func TestTimeoutsComeBehindWhatHasCome(t *testing.T) {
	var lost atomic.Bool
	s, a, qp, mr := slowPair(t, false, func(op wire.Opcode) bool { return op == wire.Acknowledge && lost.CompareAndSwap(false, true) })
	release := s.hold(t)
	_, err := qp.PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: []byte("written"), VA: mr.Addr(), RKey: mr.Key()})
	require.NoError(t, err)
	require.Eventually(t, lost.Load, 10*time.Second, time.Millisecond, "its answer")
	// Something else comes: to no queue pair.
	s.to.Send(wire.AppendFrame(nil, &wire.Header{Src: wire.Addr{10, 0, 0, 3}, Dst: wire.Addr{10, 0, 0, 1}, Opcode: wire.WriteOnly, DestQP: 0xabcdef}, nil))
	require.Eventually(t, func() bool { return a.Counters().LateTimeouts > 0 || qp.Counters().Timeouts > 0 }, 10*time.Second, time.Millisecond)
	require.Zero(t, qp.Counters().Timeouts)
	release()
	require.Equal(t, rdma.StatusOK, wait(t, qp.SendCQ(), 1)[0].Status)
	require.NotZero(t, qp.Counters().Timeouts, "it was sent again")
	require.NotZero(t, a.Counters().DropQP)
}
