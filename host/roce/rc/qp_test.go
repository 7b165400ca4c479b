package rc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
)

func TestStatesAndErrors(t *testing.T) {
	mem := new(Memory)
	_, err := New(Config{QPN: 17, Memory: mem, MTU: 1000})
	require.ErrorContains(t, err, "path mtu 1000")
	_, err = New(Config{QPN: 1, Memory: mem})
	require.ErrorContains(t, err, "number 0x1")
	_, err = New(Config{QPN: 17})
	require.ErrorContains(t, err, "no memory")
	q, err := New(Config{QPN: 17, Memory: mem, SendQueue: 2, RecvQueue: 1})
	require.NoError(t, err)
	require.ErrorIs(t, q.PostSend(rdma.SendWR{Op: rdma.OpWrite}), rdma.ErrNotReady)
	require.Error(t, q.Start())
	require.NoError(t, q.SetMTU(2048))
	require.Nil(t, q.Next(0, nil))
	require.NoError(t, q.PostRecv(rdma.RecvWR{}))
	require.ErrorIs(t, q.PostRecv(rdma.RecvWR{}), rdma.ErrQueueFull)
	require.NoError(t, q.Connect(Peer{}))
	require.Error(t, q.Connect(Peer{}))
	require.Error(t, q.SetMTU(1024))
	require.NoError(t, q.Start())
	require.ErrorIs(t, q.PostSend(rdma.SendWR{Op: rdma.OpRecv}), rdma.ErrRequest)
	require.ErrorIs(t, q.PostSend(rdma.SendWR{Op: rdma.OpFetchAdd, Local: make([]byte, 7)}), rdma.ErrRequest)
	require.NoError(t, q.PostSend(rdma.SendWR{Op: rdma.OpWrite}))
	require.NoError(t, q.PostSend(rdma.SendWR{Op: rdma.OpWrite}))
	require.ErrorIs(t, q.PostSend(rdma.SendWR{Op: rdma.OpWrite}), rdma.ErrQueueFull)
	require.Equal(t, 2, q.SendQueueLen())
	q.Close()
	require.Equal(t, "error", q.State().String())
	var c rdma.Completion
	n := 0
	for q.PollCompletion(&c) {
		require.Equal(t, rdma.StatusFlushed, c.Status)
		n++
	}
	require.Equal(t, 3, n)
	require.Equal(t, Never, q.Deadline())
	require.ErrorContains(t, rdma.StatusRemoteAccess.Err(), "remote access error")
	require.NoError(t, rdma.StatusOK.Err())
	require.Equal(t, "fetch-add", rdma.OpFetchAdd.String())
	require.Equal(t, "op 99", rdma.Op(99).String())
}
