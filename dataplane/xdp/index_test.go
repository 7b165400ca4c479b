package xdp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// TestIndexedTable: a table whose key indexes an array behaves like the others:
// an entry is there or not, and the one of action 0 is one.
func TestIndexedTable(t *testing.T) {
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

// TestTableBeyondItsArray: a table of which the array has no room for all keys has entries for the others, too, and as many as the program
// says.
func TestTableBeyondItsArray(t *testing.T) {
	needs.Root(t, "XDP")
	d := worldtest.NewXDP(t, &worldtest.Clock{})
	p := worldtest.Program(t)
	entry := func(group, qp uint64) *dataplane.Entry {
		return dataplane.NewEntry(p, "leader", []uint64{group}, 0, "to_leader", 1, 2, 3, qp, 1)
	}
	for _, group := range []uint64{0, 4095, 4096, 65535} {
		require.ErrorIs(t, d.Modify(entry(group, 1)), dataplane.ErrNotFound)
		require.ErrorIs(t, d.Delete(entry(group, 1)), dataplane.ErrNotFound)
		require.NoError(t, d.Insert(entry(group, 1)))
		require.ErrorContains(t, d.Insert(entry(group, 2)), "entry exists")
		require.NoError(t, d.Modify(entry(group, 3)))
	}
	require.NoError(t, d.Delete(entry(65535, 3)))
	require.ErrorIs(t, d.Delete(entry(65535, 3)), dataplane.ErrNotFound)
	for group := range uint64(4093) { // with those above, 4,096
		require.NoError(t, d.Insert(entry(50000+group, 1)))
	}
	require.ErrorIs(t, d.Insert(entry(7, 1)), dataplane.ErrFull)
	require.ErrorIs(t, d.Insert(entry(60000, 1)), dataplane.ErrFull)
	require.NoError(t, d.Modify(entry(50000, 2)))
	require.NoError(t, d.Delete(entry(50000, 2)))
	require.NoError(t, d.Insert(entry(7, 1)))
}

// TestCountersOfAllCPUs: a counter is the sum of what all CPUs have counted, and none of those beside it in its record. What is written
// replaces it.
func TestCountersOfAllCPUs(t *testing.T) {
	needs.Root(t, "XDP")
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	target, err := xdp.New(xdp.Config{CPUPort: 64, PacketTest: true})
	require.NoError(t, err)
	defer target.Close()
	require.NoError(t, target.Load(pipeline))
	counter := func(name string) *ir.Counter {
		i := slices.IndexFunc(pipeline.Program.Counters, func(c *ir.Counter) bool { return strings.HasSuffix(c.Name, "."+name) })
		return pipeline.Program.Counters[i]
	}
	const group = 4095
	for i, name := range []string{"scattered", "gathered", "answered", "naks", "cnps"} {
		require.NoError(t, target.WriteCounter(counter(name), group, dataplane.Counter{Packets: uint64(10 + i), Bytes: uint64(1000 + i)}))
	}
	c := counter("gathered")
	cpus, err := ebpf.PossibleCPU()
	require.NoError(t, err)
	for cpu := range cpus {
		require.NoError(t, target.CountOn(c, cpu, group, 100))
	}
	for i, name := range []string{"scattered", "gathered", "answered", "naks", "cnps"} {
		want := dataplane.Counter{Packets: uint64(10 + i), Bytes: uint64(1000 + i)}
		if name == "gathered" {
			want = dataplane.Counter{Packets: want.Packets + uint64(cpus), Bytes: want.Bytes + 100*uint64(cpus)}
		}
		got, err := target.ReadCounter(counter(name), group)
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.NoError(t, target.WriteCounter(c, group, dataplane.Counter{Packets: 7}))
	got, err := target.ReadCounter(c, group)
	require.NoError(t, err)
	require.Equal(t, dataplane.Counter{Packets: 7}, got)
	got, err = target.ReadCounter(c, group-1)
	require.NoError(t, err)
	require.Zero(t, got)
}
