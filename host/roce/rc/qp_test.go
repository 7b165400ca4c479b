package rc

import (
	"testing"

	"github.com/stretchr/testify/require"
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
	require.ErrorIs(t, q.PostSend(SendWR{Op: OpWrite}), ErrNotReady)
	require.Error(t, q.Start())
	require.NoError(t, q.SetMTU(2048))
	require.Nil(t, q.Next(0, nil))
	require.NoError(t, q.PostRecv(RecvWR{}))
	require.ErrorIs(t, q.PostRecv(RecvWR{}), ErrQueueFull)
	require.NoError(t, q.Connect(Peer{}))
	require.Error(t, q.Connect(Peer{}))
	require.Error(t, q.SetMTU(1024))
	require.NoError(t, q.Start())
	require.ErrorIs(t, q.PostSend(SendWR{Op: OpRecv}), ErrRequest)
	require.ErrorIs(t, q.PostSend(SendWR{Op: OpFetchAdd, Local: make([]byte, 7)}), ErrRequest)
	require.NoError(t, q.PostSend(SendWR{Op: OpWrite}))
	require.NoError(t, q.PostSend(SendWR{Op: OpWrite}))
	require.ErrorIs(t, q.PostSend(SendWR{Op: OpWrite}), ErrQueueFull)
	require.Equal(t, 2, q.SendQueueLen())
	q.Close()
	require.Equal(t, "error", q.State().String())
	var c Completion
	n := 0
	for q.PollCompletion(&c) {
		require.Equal(t, StatusFlushed, c.Status)
		n++
	}
	require.Equal(t, 3, n)
	require.Equal(t, Never, q.Deadline())
	require.ErrorContains(t, StatusRemoteAccess.Err(), "remote access error")
	require.NoError(t, StatusOK.Err())
	require.Equal(t, "fetch-add", OpFetchAdd.String())
	require.Equal(t, "op 99", Op(99).String())
}
