package xdp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// TestIndexedTable: a table whose key indexes an array behaves like the others:
// an entry is there or not, and the one of action 0 is one.
func TestIndexedTable(t *testing.T) {
	needs.Root(t, "XDP")
	needs.Root(t, "XDP")
	d := worldtest.NewXDP(t, &worldtest.Clock{})
	p := worldtest.Program(t)
	entry := func(port, group uint64) *dataplane.Entry {
		return dataplane.NewEntry(p, "port_group", []uint64{port}, 0, "set_port_group", group)
	}
	require.ErrorIs(t, d.Modify(entry(3, 600)), dataplane.ErrNotFound)
	require.ErrorIs(t, d.Delete(entry(3, 600)), dataplane.ErrNotFound)
	require.NoError(t, d.Insert(entry(3, 600)))
	require.ErrorContains(t, d.Insert(entry(3, 601)), "entry exists")
	require.NoError(t, d.Modify(entry(3, 601)))
	require.NoError(t, d.Insert(entry(511, 0)))
	require.NoError(t, d.Delete(entry(3, 601)))
	require.ErrorIs(t, d.Delete(entry(3, 601)), dataplane.ErrNotFound)
	require.NoError(t, d.Insert(entry(3, 602)))
}
