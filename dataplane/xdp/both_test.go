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
	defer l.Close()
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
	defer l.InSwitch(target.Close)
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
