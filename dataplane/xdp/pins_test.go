package xdp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/xdp"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

// kept is a lab whose switch keeps its data plane.
type kept struct {
	*lab.Lab
	t        *testing.T
	pipeline *dataplane.Pipeline
}

const pinFolder = lab.Pins + "/test"

func newKept(t *testing.T) *kept {
	needs.Root(t, "XDP")
	l, err := lab.New(3)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	needs.Kernel(t, l.HasPins())
	pipeline, err := builtin.Pipeline("rdma")
	require.NoError(t, err)
	pipeline.Config = []byte("a config")
	return &kept{l, t, pipeline}
}

// open is what a switch does when it starts, with the ports of n hosts.
func (k *kept) open(n int) *xdp.Target {
	k.t.Helper()
	var target *xdp.Target
	require.NoError(k.t, k.InSwitch(func() error {
		var err error
		if target, err = xdp.New(xdp.Config{CPUPort: 64, Pins: pinFolder}); err != nil {
			return err
		}
		for _, h := range k.Hosts[:n] {
			if err := target.AddPort(dataplane.Port(h.Port), h.PortInterface()); err != nil {
				return errors.Join(err, target.Close())
			}
		}
		return nil
	}))
	return target
}

func (k *kept) do(f func() error) {
	k.t.Helper()
	require.NoError(k.t, k.InSwitch(f))
}

// adopt is what the P4Runtime server does with a target.
func (k *kept) adopt(target *xdp.Target) *dataplane.State {
	k.t.Helper()
	var st *dataplane.State
	k.do(func() error {
		config, err := target.Kept()
		require.NoError(k.t, err)
		require.Equal(k.t, k.pipeline.Config, config)
		st, err = target.Adopt(k.pipeline)
		return err
	})
	return st
}

// A data plane goes on without its process, and the next one finds all that was
// written to it.
func TestKeptDataPlane(t *testing.T) {
	long.Test(t)
	k := newKept(t)
	target := k.open(3)
	prog := k.pipeline.Program
	config, err := target.Kept()
	require.NoError(t, err)
	require.Nil(t, config, "nothing is kept in a new folder")
	k.do(func() error { return target.Load(k.pipeline) })

	var hosts []world.Replica
	for _, h := range k.Hosts {
		hosts = append(hosts, world.Replica{MAC: wire.MAC(h.MAC), IP: wire.Addr(h.IP.As4()), Port: dataplane.Port(h.Port)})
	}
	group := &world.Group{
		Index: 3, Multicast: 4, BCastQP: 0x1234, VKey: 77, Size: 1 << 20, F: 1, Start: 100,
		Leader:   world.Replica{MAC: hosts[0].MAC, IP: hosts[0].IP, Port: 1, QPN: 17},
		Replicas: []world.Replica{hosts[1], hosts[2]},
	}
	interval := dataplane.NewEntry(prog, "cnp_interval", nil, 0, "interval", 0x123)
	register := dataplane.RegisterOf(prog, "committed")
	portGroup := dataplane.NewEntry(prog, "port_group", []uint64{300}, 0, "set_port_group", 600) // in an array map
	var many []dataplane.Replica                                                                 // more than a devmap has room for at first
	for i := range uint16(20) {
		many = append(many, dataplane.Replica{Port: 2, Instance: 100 + i})
	}
	k.do(func() error {
		if err := target.Insert(portGroup); err != nil {
			return err
		}
		worldtest.InstallNetwork(t, &worldtest.Device{Target: target}, hosts)
		if err := group.Apply(prog, target); err != nil {
			return err
		}
		if err := target.SetGroup(9, []dataplane.Replica{{Port: 64, Instance: 5}, {Port: 2, Instance: 6}, {Port: 2, Instance: 7}}); err != nil {
			return err
		}
		if err := target.SetGroup(10, many); err != nil {
			return err
		}
		if err := target.SetDefault(interval.Table, &interval.Action); err != nil {
			return err
		}
		return target.WriteRegister(register, 0, [][]byte{{0, 0, 1, 2}})
	})

	from, to := newSniffer(t, k.Lab, k.Hosts[0]), newSniffer(t, k.Lab, k.Hosts[1])
	frame := func(dst net.HardwareAddr, n byte) []byte {
		return append(append(append([]byte{}, dst...), 2, 0, 0, 0, 0, 9, 0x88, 0xb5), append([]byte{n}, make([]byte, 45)...)...)
	}
	forwards := func(n byte) {
		t.Helper()
		from.send(t, frame(k.Hosts[1].MAC, n))
		require.Equal(t, frame(k.Hosts[1].MAC, n), to.next(t, 0x88b5))
	}
	forwards(1)

	// Another switch must not have the same folder.
	require.ErrorContains(t, k.InSwitch(func() error {
		_, err := xdp.New(xdp.Config{CPUPort: 64, CPUInterface: "other", Pins: pinFolder})
		return err
	}), "is in use by another switch")

	stop := k.stream()
	k.do(target.Close)
	forwards(2) // nobody is there

	target = k.open(3)
	forwards(3)
	st := k.adopt(target)
	forwards(4)
	n, err := stop()
	require.NoError(t, err, "a frame is lost")
	require.Positive(t, n)
	t.Logf("%d frames while the switch was restarted", n)
	want := len(group.Entries(prog)) + 4 + 2*len(hosts) + 1
	require.Len(t, st.Entries, want)
	got := map[string]bool{}
	for _, e := range st.Entries {
		got[describe(e)] = true
	}
	require.True(t, got[describe(portGroup)], "%s is missing", describe(portGroup))
	for _, e := range group.Entries(prog) {
		require.True(t, got[describe(e)], "%s is missing", describe(e))
	}
	require.Equal(t, map[uint16][]dataplane.Replica{
		4:  {{Port: 2, Instance: group.RID(0)}, {Port: 3, Instance: group.RID(1)}},
		9:  {{Port: 64, Instance: 5}, {Port: 2, Instance: 6}, {Port: 2, Instance: 7}},
		10: many,
	}, st.Groups)
	require.Len(t, st.Defaults, 1)
	require.Equal(t, describe(interval), describe(&st.Defaults[0]))
	k.do(func() error {
		v, err := target.ReadRegister(register, 0)
		require.Equal(t, [][]byte{{0, 0, 1, 2}}, v)
		return err
	})

	// It can be written to as before: entries, groups, default actions.
	k.do(func() error {
		for _, e := range group.Entries(prog) {
			if err := target.Delete(e); err != nil {
				return err
			}
		}
		if err := target.DeleteGroup(4); err != nil {
			return err
		}
		return target.SetGroup(9, []dataplane.Replica{{Port: 3, Instance: 1}})
	})
	k.do(target.Close)

	// A port less: it is taken off.
	target = k.open(2)
	st = k.adopt(target)
	require.Len(t, st.Entries, want-len(group.Entries(prog)))
	require.Equal(t, map[uint16][]dataplane.Replica{9: nil, 10: many}, st.Groups)
	forwards(5)
	require.False(t, k.attached("p3"), "a port that was not given any more is attached")
	require.True(t, k.attached("p1"))

	// Another program replaces what runs, and is kept in its turn.
	k.pipeline.Config = []byte("another config")
	k.do(func() error { return target.Load(k.pipeline) })
	k.do(target.Close)
	target = k.open(3)
	require.Empty(t, k.adopt(target).Entries)
	require.True(t, k.attached("p3"))
	require.ErrorContains(t, k.InSwitch(func() error { return xdp.Detach(pinFolder) }), "is in use by another switch")
	k.do(target.Close)

	k.do(func() error { return xdp.Detach(pinFolder) })
	require.False(t, k.attached("p1"))
	require.ErrorContains(t, k.InSwitch(func() error { return xdp.Detach(pinFolder) }), "holds no data plane")
}

// stream sends numbered frames from the first host to the third until stop: each when
// the one before has arrived.
func (k *kept) stream() (stop func() (int, error)) {
	from, to := newSniffer(k.t, k.Lab, k.Hosts[0]), newSniffer(k.t, k.Lab, k.Hosts[2])
	end, done := make(chan struct{}), make(chan error, 1)
	n := 0
	go func() {
		head := append(append([]byte{}, k.Hosts[2].MAC...), 2, 0, 0, 0, 0, 9, 0x88, 0xb6)
		for {
			select {
			case <-end:
				done <- nil
				return
			default:
			}
			frame := append(binary.BigEndian.AppendUint64(bytes.Clone(head), uint64(n)), make([]byte, 38)...)
			if _, err := unix.Write(from.fd, frame); err != nil {
				done <- err
				return
			}
			for b := make([]byte, 100); ; {
				got, err := unix.Read(to.fd, b) // 5 s at most
				if err != nil {
					done <- fmt.Errorf("frame %d: %w", n, err)
					return
				}
				if bytes.Equal(b[:got], frame) {
					break
				}
			}
			n++
		}
	}()
	return func() (int, error) {
		close(end)
		err := <-done
		return n, err
	}
}

// A folder must be in a BPF file system.
func TestPinsElsewhere(t *testing.T) {
	needs.Root(t, "XDP")
	_, err := xdp.New(xdp.Config{CPUPort: 64, Pins: t.TempDir()})
	require.ErrorContains(t, err, "is not in a BPF file system (mount -t bpf")
}

// attached reports whether an interface of the switch has an XDP program.
func (k *kept) attached(name string) (on bool) {
	k.do(func() error {
		l, err := netlink.LinkByName(name)
		if err == nil {
			on = l.Attrs().Xdp != nil && l.Attrs().Xdp.Attached
		}
		return err
	})
	return on
}

// describe says all about an entry.
func describe(e *dataplane.Entry) string {
	s := fmt.Sprint(e.Table.Name, e.Priority, e.Action.Action.Name)
	for _, m := range e.Matches {
		s += fmt.Sprintf(" %x/%d", m.Value, m.PrefixLen)
	}
	return s + fmt.Sprintf(" %x", e.Action.Args)
}

// Entries keep their idle time-outs, and know when they were hit, without the process.
func TestKeptIdleTimeouts(t *testing.T) {
	k := newKept(t)
	var err error
	k.pipeline, err = builtin.Pipeline("l2")
	require.NoError(t, err)
	k.pipeline.Config = []byte("l2")
	entry := dataplane.NewEntry(k.pipeline.Program, "source", []uint64{0x020000000001}, 0, "known", 1)
	entry.IdleTimeout = 7 * time.Second
	target := k.open(1)
	k.do(func() error { return target.Load(k.pipeline) })
	require.NoError(t, target.Insert(entry))
	hit, _, err := target.LastHit(entry)
	require.NoError(t, err)
	k.do(target.Close)

	target = k.open(1)
	st := k.adopt(target)
	require.Equal(t, []*dataplane.Entry{entry}, st.Entries)
	again, now, err := target.LastHit(entry)
	require.NoError(t, err)
	require.Equal(t, hit, again)
	require.Less(t, hit, now)
	k.do(target.Close)
	k.do(func() error { return xdp.Detach(pinFolder) })
}
