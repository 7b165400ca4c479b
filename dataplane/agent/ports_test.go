package agent

import (
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	"github.com/safchain/ethtool"
	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/bpf/bundle"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/builtin"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/link/oper"
)

// TestInterfaceDeleted: the controller, /healthz and the ports themselves say that an interface was deleted; with
// another one of its name the port is used again, which is counted.
func TestInterfaceDeleted(t *testing.T) {
	needs.Root(t, "network namespaces")
	l, err := lab.New(2)
	require.NoError(t, err)
	defer l.Close()
	target := interp.New(interp.Options{CPUPort: 64})
	c := Config{Target: "interp", Listen: "unix:" + filepath.Join(t.TempDir(), "s")}
	for _, h := range l.Hosts {
		c.Ports = append(c.Ports, Port{dataplane.Port(h.Port), h.PortInterface()})
	}
	require.NoError(t, c.setDefaults())
	h := newHealth()
	var w *watcher
	var s *p4rt.Server
	var unwatch func()
	require.NoError(t, l.InSwitch(func() (err error) {
		for _, p := range c.Ports {
			if err := target.AddPort(p.Number, p.Interface); err != nil {
				return err
			}
		}
		if s, err = p4rt.New(p4rt.Options{Target: target, Compile: reflector}); err != nil {
			return err
		}
		w, unwatch, err = watch(c, target, s, h)
		return err
	}))
	defer target.Close()
	defer s.Close()
	defer unwatch()
	g := s.GRPC(p4rt.Access{})
	at, err := net.Listen("unix", filepath.Join(t.TempDir(), "grpc"))
	require.NoError(t, err)
	go g.Serve(at) //nolint:errcheck // ends with Stop
	defer g.Stop()
	st := push(t, "unix:"+at.Addr().String(), bundle.Bundle{Program: "reflector", Source: "reflector"}, &p4config.P4Info{})

	second := uint32(l.Hosts[1].Port)
	told := func(want bool) {
		t.Helper()
		for {
			m, err := st.Recv()
			require.NoError(t, err)
			up, err := oper.Parse(m.GetOther())
			if err != nil {
				continue
			}
			if is, said := up[second]; said && is == want {
				return
			}
		}
	}
	healthy := func() bool { return h.look(t.Context()) == nil }
	told(true)
	for n := range uint64(3) {
		require.True(t, healthy())
		require.NoError(t, l.Unwire(l.Hosts[1]))
		told(false)
		require.Eventually(t, func() bool { return !healthy() }, 20*time.Second, time.Millisecond)
		require.NoError(t, l.Wire(l.Hosts[1]))
		require.Eventually(t, healthy, 20*time.Second, time.Millisecond)
		told(true)
		count, ok := w.reopened.Load(dataplane.Port(second))
		require.True(t, ok)
		require.Equal(t, n+1, count.(*atomic.Uint64).Load())
	}
	_, other := w.reopened.Load(dataplane.Port(l.Hosts[0].Port))
	require.False(t, other)
}

// TestUnsuitableReturns: the new interface of a port has an other end that a port must not have. The port is used as soon as that is
// mended, although no message tells it; its counters go on, its program is there, and the log has one line for each.
func TestUnsuitableReturns(t *testing.T) {
	needs.Root(t, "XDP")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	said := &lab.Log{}
	c := Config{Target: "xdp", Listen: "unix:" + filepath.Join(t.TempDir(), "s"), Ports: []Port{{1, "port"}}, Log: slog.New(slog.NewTextHandler(said, nil))}
	require.NoError(t, c.setDefaults())
	link := func(tags bool) {
		t.Helper()
		require.NoError(t, l.InSwitch(func() error {
			attrs := netlink.NewLinkAttrs()
			attrs.Name = "port"
			if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "far"}); err != nil {
				return err
			}
			if tags {
				return nil
			}
			return beside("far", false)
		}))
	}
	pipeline, err := builtin.Pipeline("l2")
	require.NoError(t, err)
	link(false)
	h := newHealth()
	var target dataplane.Target
	var s *p4rt.Server
	var unwatch func()
	require.NoError(t, l.InSwitch(func() (err error) {
		if target, err = newTarget(c); err != nil {
			return err
		}
		if err = target.AddPort(1, "port"); err != nil {
			return err
		}
		if err = target.Load(pipeline); err != nil {
			return err
		}
		if s, err = p4rt.New(p4rt.Options{Target: target, Compile: reflector}); err != nil {
			return err
		}
		_, unwatch, err = watch(c, target, s, h)
		return err
	}))
	defer l.InSwitch(target.Close)
	defer s.Close()
	defer unwatch()
	counted := func() uint64 { return target.Ports()[0].RX.Packets }
	send := func() {
		t.Helper()
		require.NoError(t, l.InSwitch(func() error {
			far, err := netlink.LinkByName("far")
			if err == nil {
				err = netlink.LinkSetUp(far)
			}
			if err != nil {
				return err
			}
			fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd)
			return unix.Sendto(fd, make([]byte, 60), 0, &unix.SockaddrLinklayer{Ifindex: far.Attrs().Index})
		}))
	}
	n := counted()
	require.Eventually(t, func() bool { send(); return counted() > n }, 20*time.Second, time.Millisecond)
	n = counted()
	require.NoError(t, l.InSwitch(func() error {
		i, err := netlink.LinkByName("port")
		if err != nil {
			return err
		}
		return netlink.LinkDel(i)
	}))
	health := func(what string) func() bool {
		return func() bool { err := h.look(t.Context()); return err != nil && strings.Contains(err.Error(), what) }
	}
	require.Eventually(t, health("interface port was deleted"), 20*time.Second, time.Millisecond)
	link(true)
	require.Eventually(t, health("(there: ethtool -K far txvlan off tx-vlan-stag-hw-insert off)"), 20*time.Second, time.Millisecond)
	require.NoError(t, l.InSwitch(func() error { return beside("far", false) }))
	require.Eventually(t, func() bool { return h.look(t.Context()) == nil }, 20*time.Second, time.Millisecond)
	require.GreaterOrEqual(t, counted(), n, "it goes on counting")
	require.Eventually(t, func() bool { send(); return counted() > n }, 20*time.Second, time.Millisecond)
	unwatch()
	for _, line := range []string{"the interface of a port was deleted", "a port cannot be reopened", "a port was reopened"} {
		require.Equal(t, 1, strings.Count(said.String(), line), said)
	}
}

// beside has an end of a link leave VLAN tags beside packets, or not.
func beside(name string, on bool) error {
	e, err := ethtool.NewEthtool()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Change(name, map[string]bool{"tx-vlan-hw-insert": on, "tx-vlan-stag-hw-insert": on})
}

// TestFlap: a carrier that goes and comes is told to the controllers by the server, and said once each.
func TestFlap(t *testing.T) {
	needs.Root(t, "network namespaces")
	l, err := lab.New(1)
	require.NoError(t, err)
	defer l.Close()
	said := &lab.Log{}
	port := l.Hosts[0].PortInterface()
	c := Config{Target: "interp", Listen: "unix:" + filepath.Join(t.TempDir(), "s"), Ports: []Port{{1, port}}, Log: slog.New(slog.NewTextHandler(said, nil))}
	require.NoError(t, c.setDefaults())
	target := interp.New(interp.Options{CPUPort: 64})
	defer target.Close()
	var s *p4rt.Server
	var unwatch func()
	require.NoError(t, l.InSwitch(func() (err error) {
		if err = target.AddPort(1, port); err != nil {
			return err
		}
		if s, err = p4rt.New(p4rt.Options{Target: target, Compile: reflector}); err != nil {
			return err
		}
		_, unwatch, err = watch(c, target, s, newHealth())
		return err
	}))
	defer s.Close()
	defer unwatch()
	set := func(up bool) {
		t.Helper()
		require.NoError(t, l.InHost(l.Hosts[0], func() error {
			i, err := netlink.LinkByName(lab.Interface)
			if err != nil {
				return err
			}
			if up {
				return netlink.LinkSetUp(i)
			}
			return netlink.LinkSetDown(i)
		}))
	}
	says := func(line string, times int) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Count(said.String(), line) == times }, 20*time.Second, time.Millisecond, said)
	}
	for n := range 3 {
		set(false)
		says("port down: no carrier", n+1)
		set(true)
		says("port up", n+1)
	}
}
