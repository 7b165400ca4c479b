package xdp_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bpf"
	"github.com/p4ce/p4ce/bpf/build"
	"github.com/p4ce/p4ce/bpf/gen"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/p4/lang"
)

// TestPortAndGroup sends packets to a port and to a group through a kernel: packet
// tests, which stand in for its replication, cannot show that copies are told apart
// and that those that nobody wants end in the switch.
func TestPortAndGroup(t *testing.T) {
	l, target := portAndGroup(t)
	group := []dataplane.Replica{{Port: 2, Instance: 100}, {Port: 3, Instance: 101}, {Port: 2, Instance: 102}}
	require.NoError(t, l.InSwitch(func() error { return target.SetGroup(7, group) }))

	hosts := []*sniffer{newSniffer(t, l, l.Hosts[0]), newSniffer(t, l, l.Hosts[1]), newSniffer(t, l, l.Hosts[2])}
	// The low bits of the type are the port, those of the address the group.
	frame := func(group byte, etherType uint16) []byte {
		f := make([]byte, 60)
		f[5], f[11] = group, 1
		binary.BigEndian.PutUint16(f[12:], etherType)
		return f
	}
	const toPort1, toPort2, toPort3 = 0x8a01, 0x8a02, 0x8a03
	// rids are the replication ids of what host n has received, up to a frame of its
	// own: frames to one port stay in order.
	rids := func(n int, etherType uint16) []int {
		end := []uint16{toPort1, toPort2, toPort3}[n]
		hosts[0].send(t, frame(0, end))
		var out []int
		for {
			f := hosts[n].next(t, etherType)
			if f[5] == 0 && etherType == end {
				return out
			}
			out = append(out, int(binary.BigEndian.Uint16(f[14:])))
			if etherType != end && len(out) == 1 { // one copy is all that comes
				f := hosts[n].next(t, end)
				require.Zero(t, f[5])
				return out
			}
		}
	}
	check := func() {
		hosts[0].send(t, frame(7, toPort2))
		require.Equal(t, []int{0, 100, 102}, rids(1, toPort2), "drops: %v", target.Drops())
		require.Equal(t, []int{101}, rids(2, toPort2), "drops: %v", target.Drops())
		hosts[0].send(t, frame(7, toPort3))
		require.Equal(t, []int{0, 101}, rids(2, toPort3), "drops: %v", target.Drops())
		hosts[0].send(t, frame(7, toPort1))
		require.Equal(t, []int{0}, rids(0, toPort1), "drops: %v", target.Drops())
	}
	check()
	// A port that leaves and comes back has its copies again.
	require.NoError(t, l.InSwitch(func() error { return target.RemovePort(2) }))
	require.NoError(t, l.InSwitch(func() error { return target.AddPort(2, l.Hosts[1].PortInterface()) }))
	require.NoError(t, l.InSwitch(func() error { return target.SetGroup(7, group) }))
	check()
	require.Zero(t, target.Drops()["unknown_copy"], "copies that nobody wants are no error")
}

// portAndGroup is a lab of three hosts, with a switch in which the low bits of a frame's type are a port, and those of its address a group.
func portAndGroup(t *testing.T) (*lab.Lab, *xdp.Target) {
	needs.Root(t, "XDP")
	prog, diags := lang.Compile(lang.Options{Path: "../stf/testbed/testdata/port_and_group.p4"})
	require.NoError(t, diags.Err())
	c, err := gen.Generate(prog)
	require.NoError(t, err)
	object, err := build.Object(gen.CFile(prog.Name), c, bpf.Headers)
	if errors.Is(err, build.ErrNoClang) {
		needs.Tools(t, err)
	}
	require.NoError(t, err)

	l, err := lab.New(3)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	var target *xdp.Target
	require.NoError(t, l.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64}); err != nil {
			return err
		}
		for _, h := range l.Hosts {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return err
			}
		}
		return target.Load(&dataplane.Pipeline{Program: prog, Object: object})
	}))
	t.Cleanup(func() { _ = l.InSwitch(target.Close) })
	return l, target
}

// TestGroupsWithTheSamePorts: groups whose copies go to the same ports share what the kernel looks at, and yet each is changed and
// deleted by itself.
func TestGroupsWithTheSamePorts(t *testing.T) {
	l, target := portAndGroup(t)
	const nowhere = 0x8bff // port 511
	hosts := []*sniffer{newSniffer(t, l, l.Hosts[0]), newSniffer(t, l, l.Hosts[1]), newSniffer(t, l, l.Hosts[2])}
	set := func(id uint16, replicas ...dataplane.Replica) {
		t.Helper()
		require.NoError(t, l.InSwitch(func() error { return target.SetGroup(id, replicas) }))
	}
	check := func(group byte, second, third []int) {
		t.Helper()
		f := make([]byte, 60)
		f[5], f[11] = group, 1
		binary.BigEndian.PutUint16(f[12:], nowhere)
		hosts[0].send(t, f)
		for n, rids := range [][]int{second, third} {
			for _, rid := range rids {
				require.Equal(t, rid, int(binary.BigEndian.Uint16(hosts[1+n].next(t, nowhere)[14:])), "group %d, host %d", group, 2+n)
			}
		}
	}
	two := func(first uint16) []dataplane.Replica {
		return []dataplane.Replica{{Port: 2, Instance: first}, {Port: 3, Instance: first + 1}, {Port: 2, Instance: first + 2}}
	}
	set(1, two(10)...)
	set(2, two(20)...)
	set(3, two(30)...)
	check(1, []int{10, 12}, []int{11})
	check(2, []int{20, 22}, []int{21})
	check(3, []int{30, 32}, []int{31})
	set(2, dataplane.Replica{Port: 3, Instance: 7})
	check(2, nil, []int{7})
	check(1, []int{10, 12}, []int{11})
	require.NoError(t, l.InSwitch(func() error { return target.DeleteGroup(1) }))
	check(3, []int{30, 32}, []int{31})
	set(3, dataplane.Replica{Port: 2, Instance: 8})
	set(4, two(40)...)
	check(4, []int{40, 42}, []int{41})
	check(3, []int{8}, nil)
	// As many changes as there are destinations, and more: those of no group are used again.
	for i := range uint16(300) {
		var replicas []dataplane.Replica
		for n := range i%8 + 1 {
			replicas = append(replicas, dataplane.Replica{Port: dataplane.Port(2 + (i>>n)&1), Instance: n})
		}
		set(1, replicas...)
	}
	check(4, []int{40, 42}, []int{41})
	check(3, []int{8}, nil)
	require.Zero(t, target.Drops()["unknown_copy"])
	// A port that comes back by another interface is in all groups again.
	require.NoError(t, l.InSwitch(func() error { return target.ReopenPort(3) }))
	check(4, []int{40, 42}, []int{41})
	check(2, nil, []int{7})
}
