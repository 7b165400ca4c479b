package rc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
)

func TestMemory(t *testing.T) {
	m := new(Memory)
	_, err := m.Register(nil, 0, 0, 0)
	require.ErrorContains(t, err, "empty buffer")
	_, err = m.Register(make([]byte, 2), ^uint64(0), 0, 0)
	require.ErrorContains(t, err, "wrap around")
	_, err = m.Register(make([]byte, 2), 0, rdma.RemoteWrite, 0)
	require.ErrorContains(t, err, "local-write")
	a, err := m.Register(make([]byte, 8), 100, rdma.LocalWrite|rdma.RemoteWrite, 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, a.Key())
	for _, key := range []uint32{0, 1} {
		_, err = m.Register(make([]byte, 8), 100, 0, key)
		require.ErrorIs(t, err, ErrKey)
	}
	a.Deregister()
	a.Deregister()
	b, err := m.Register(make([]byte, 8), 100, rdma.LocalWrite|rdma.RemoteWrite, 2)
	require.NoError(t, err)
	require.Nil(t, m.lookup(a.Key(), 100, 8, rdma.RemoteWrite), "an old key reaches nothing")
	require.Same(t, b, m.lookup(b.Key(), 100, 8, rdma.RemoteWrite))
	require.Nil(t, m.lookup(b.Key(), 100, 9, rdma.RemoteWrite))
	require.Nil(t, m.lookup(b.Key(), 99, 1, rdma.RemoteWrite))
	require.Nil(t, m.lookup(b.Key(), 108, 1, rdma.RemoteWrite))
	require.Nil(t, m.lookup(b.Key(), 104, ^uint64(0), rdma.RemoteWrite))
	_, err = b.WriteAt([]byte("xyz"), 6)
	require.ErrorIs(t, err, ErrBounds)
	_, err = b.WriteAt([]byte("xy"), 6)
	require.NoError(t, err)
	p := make([]byte, 2)
	_, err = b.ReadAt(p, 6)
	require.NoError(t, err)
	require.Equal(t, "xy", string(p))
	_, err = b.ReadAt(p, 7)
	require.Error(t, err)
	_, err = b.ReadAt(p, -1)
	require.ErrorIs(t, err, ErrBounds)
	require.Equal(t, "local-write|remote-write", b.Access().String())
}

// TestSameKey: what a key means is its domain's alone.
func TestSameKey(t *testing.T) {
	m, o := new(Memory), new(Memory)
	a, err := m.Register(make([]byte, 8), 100, rdma.LocalWrite|rdma.RemoteWrite, 9)
	require.NoError(t, err)
	b, err := o.Register(make([]byte, 8), 100, rdma.LocalWrite|rdma.RemoteWrite, 9)
	require.NoError(t, err)
	b.Deregister()
	require.Same(t, a, m.lookup(9, 100, 8, rdma.RemoteWrite))
	require.Nil(t, o.lookup(9, 100, 8, rdma.RemoteWrite))
}
