package link_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netns"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/kernel"
)

// answered is a device at an end of a cable for which the kernel answers.
func (l *cable) answered(t *testing.T, i int) *roce.Device {
	t.Helper()
	var d *roce.Device
	var err error
	onThread(t, func() {
		if err = netns.Set(l.ns[i]); err != nil {
			return
		}
		var r *kernel.Responder
		if r, err = kernel.Open(l.names[i], addr(i), 1<<20); err == nil {
			d, err = roce.Open(r.Wire(), roce.Options{Responder: r})
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// READs that the kernel answers are answered the first time, also when the answer is much
// longer than the request: a veth leaves no room behind a short frame.
func TestKernelAnswersReads(t *testing.T) {
	c := newCable(t)
	a, b := c.answered(t, 0), c.answered(t, 1)
	rights := rdma.LocalWrite | rdma.RemoteRead
	mr, err := b.RegisterMemory(b.Alloc(4096), rights)
	require.NoError(t, err)
	l, err := b.Listen(4000)
	require.NoError(t, err)
	defer l.Close()
	accepted := make(chan error, 1)
	go func() {
		r, err := l.Accept(t.Context())
		if err == nil {
			var qp *roce.QP
			if qp, err = b.CreateQP(roce.QPConfig{Access: rights}); err == nil {
				_, err = r.Accept(t.Context(), qp, nil)
			}
		}
		accepted <- err
	}()
	// Whatever is lost is missed for longer than a busy machine takes.
	qp, err := a.CreateQP(roce.QPConfig{AckTimeout: 2 * time.Second})
	require.NoError(t, err)
	_, err = a.Dial(t.Context(), netip.AddrPortFrom(b.Addr(), 4000), qp, nil)
	require.NoError(t, err)
	require.NoError(t, <-accepted)
	for n := 8; n <= 128; n += 8 {
		mr.Write(func(p []byte) { copy(p, fmt.Sprintf("%*d", n, n)) })
		got := make([]byte, n)
		_, err := qp.PostSend(rdma.SendWR{Op: rdma.OpRead, Local: got, VA: mr.Addr(), RKey: mr.Key()})
		require.NoError(t, err)
		require.NoError(t, qp.SendCQ().Wait(t.Context()))
		var done [1]rdma.Completion
		require.Equal(t, 1, qp.SendCQ().Poll(done[:]))
		require.Equal(t, rdma.StatusOK, done[0].Status)
		require.Equal(t, fmt.Sprintf("%*d", n, n), string(got))
		require.Zero(t, qp.Counters().Timeouts, "a READ of %d bytes", n)
	}
}
