// Package e2e runs the learning switch in network namespaces: l2.p4 on XDP and its
// controller application, as processes of the built binary, and hosts that ping.
package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vishvananda/netlink"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/p4"
	names "github.com/p4ce/p4ce/p4/l2"
	"github.com/p4ce/p4ce/systems/l2/control"
)

type system struct {
	t     *testing.T
	ctx   context.Context
	lab   *lab.Lab
	run   *runner.Star
	log   *lab.Log
	admin *admin.Client
}

// start starts a switch for some hosts, that forgets who has not sent for age.
func start(t *testing.T, hosts int, age time.Duration) *system {
	t.Helper()
	needs.Root(t, "network namespaces and XDP")
	dir := t.TempDir()
	binary, err := launch.Build(dir, "p4ce")
	require.NoError(t, err)
	l, err := lab.New(hosts)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	s := &system{t: t, ctx: ctx, lab: l, log: &lab.Log{}}
	t.Cleanup(func() {
		if s.run != nil {
			s.run.Close()
		}
		l.Close()
		cancel()
		if t.Failed() {
			t.Logf("switch and controller:\n%s", s.log)
		}
	})
	info, err := p4.Info(control.Program)
	require.NoError(t, err)
	s.run, err = runner.NewStar(runner.Options{Lab: l, Binary: binary, Dir: dir, Log: s.log}, runner.StarOptions{Program: control.Program, Info: info, Controller: []string{"--age", age.String()}})
	require.NoError(t, err)
	require.NoError(t, s.run.StartBoth(ctx), "%s", s.log)
	s.admin = admin.NewClient(s.run.AdminOf(runner.Controller))
	return s
}

// addresses are what the controller says is known, by MAC address.
func (s *system) addresses() map[string]uint16 {
	s.t.Helper()
	var list []control.Address
	require.NoError(s.t, s.admin.Get(s.ctx, "/v1/addresses", &list))
	out := map[string]uint16{}
	for _, a := range list {
		out[a.MAC] = a.Port
	}
	return out
}

// where is the port that an address is at, for the controller and in both tables of the
// switch; 0: at none. ok is false when they do not agree: something is under way.
func (s *system) where(m net.HardwareAddr) (port uint16, ok bool) {
	s.t.Helper()
	var at [2]uint16
	for i, table := range []string{names.TableSource, names.TableDestination} {
		list, err := s.run.P4RT.ReadTable(s.ctx, s.run.Info, table)
		require.NoError(s.t, err)
		for _, e := range list {
			if bytes.Equal(e.Match[0].Value, m) {
				at[i] = uint16(p4rtclient.ToUint(e.Args[0].Value))
			}
		}
	}
	port = s.addresses()[m.String()]
	return port, at == [2]uint16{port, port}
}

// learned has a host send until its address is known to be at its port.
func (s *system) learned(host int) {
	s.t.Helper()
	h := s.lab.Hosts[host]
	for {
		s.ping(host, (host+1)%len(s.lab.Hosts))
		if port, ok := s.where(s.mac(host)); ok && port == h.Port {
			return
		}
		require.NoError(s.t, s.ctx.Err(), "%s is not learned at port %d: %v", h.Name, h.Port, s.addresses())
	}
}

// forgotten waits until an address is nowhere.
func (s *system) forgotten(m net.HardwareAddr) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { port, ok := s.where(m); return ok && port == 0 }, time.Minute, 20*time.Millisecond, "%v", m)
}

// mac is the address that a host's interface has now.
func (s *system) mac(host int) (m net.HardwareAddr) {
	s.t.Helper()
	require.NoError(s.t, s.lab.InHost(s.lab.Hosts[host], func() error {
		link, err := netlink.LinkByName(lab.Interface)
		if err == nil {
			m = link.Attrs().HardwareAddr
		}
		return err
	}))
	return m
}

// ping sends pings from one host to another until one is answered.
func (s *system) ping(from, to int) {
	s.t.Helper()
	require.NoError(s.t, s.lab.InHost(s.lab.Hosts[from], func() error {
		c, err := net.ListenPacket("ip4:icmp", "0.0.0.0")
		if err != nil {
			return err
		}
		defer c.Close()
		return echo(s.ctx, c, s.lab.Hosts[to].IP)
	}))
}

// echo sends echo requests until one is answered.
func echo(ctx context.Context, c net.PacketConn, to netip.Addr) error {
	buf := make([]byte, 1500)
	for seq := uint16(1); ctx.Err() == nil; seq++ {
		b := []byte{8, 0, 0, 0, 0x50, 0x34, byte(seq >> 8), byte(seq), 'p', 'i', 'n', 'g'}
		var sum uint32
		for i := 0; i < len(b); i += 2 {
			sum += uint32(b[i])<<8 | uint32(b[i+1])
		}
		sum = sum>>16 + sum&0xffff
		sum = ^(sum>>16 + sum&0xffff)
		b[2], b[3] = byte(sum>>8), byte(sum)
		if _, err := c.WriteTo(b, &net.IPAddr{IP: to.AsSlice()}); err != nil {
			return err
		}
		if err := c.SetReadDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
			return err
		}
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				break // the next one
			}
			if n >= 8 && buf[0] == 0 && from.String() == to.String() {
				return nil
			}
		}
	}
	return fmt.Errorf("ping %v: no answer", to)
}

// setMAC gives the interface of a host another address.
func (s *system) setMAC(host int, m net.HardwareAddr) {
	s.t.Helper()
	require.NoError(s.t, s.lab.InHost(s.lab.Hosts[host], func() error {
		link, err := netlink.LinkByName(lab.Interface)
		if err != nil {
			return err
		}
		return netlink.LinkSetHardwareAddr(link, m)
	}))
}

// TestLearning: hosts ping each other through a switch that knew nothing; their addresses
// are learned, and follow a host that moves.
func TestLearning(t *testing.T) {
	long.Test(t)
	s := start(t, 3, time.Hour)
	h := s.lab.Hosts
	for i := range h {
		s.learned(i)
	}
	require.Len(t, s.addresses(), 3)
	require.Equal(t, 0, s.events("moved"))

	// The host at port 1 gets the address of the one at port 3, which is silent from then
	// on: for the switch the address has moved.
	s.setUp(2, false)
	s.setMAC(0, h[2].MAC)
	s.learned(0)
	require.Equal(t, 1, s.events("moved"))
	n, err := s.run.Counter(s.ctx, names.CounterPortRx, int(h[1].Port))
	require.NoError(t, err)
	require.Positive(t, n, "ports count")
}

// TestAgeing: who does not send is forgotten, and is learned again when it does.
func TestAgeing(t *testing.T) {
	long.Test(t)
	s := start(t, 2, time.Second)
	s.learned(0)
	for i, h := range s.lab.Hosts {
		s.setUp(i, false)
		s.forgotten(h.MAC)
	}
	require.Empty(t, s.addresses())
	require.Positive(t, s.events("aged"))
	for i := range s.lab.Hosts {
		s.setUp(i, true)
	}
	s.learned(0)
}

// events is how often something has happened to an address.
func (s *system) events(name string) int {
	s.t.Helper()
	text, err := s.admin.Metrics(s.ctx)
	require.NoError(s.t, err)
	m := regexp.MustCompile(`p4ce_controller_address_events_total\{event="` + name + `",[^}]*\} (\d+)`).FindStringSubmatch(text)
	require.NotNil(s.t, m, "no %s in\n%s", name, text)
	n, err := strconv.Atoi(m[1])
	require.NoError(s.t, err)
	return n
}

// setUp takes a host's link up or down: then it sends nothing of itself.
func (s *system) setUp(host int, up bool) {
	s.t.Helper()
	require.NoError(s.t, s.lab.InHost(s.lab.Hosts[host], func() error {
		link, err := netlink.LinkByName(lab.Interface)
		if err != nil {
			return err
		}
		if up {
			return netlink.LinkSetUp(link)
		}
		return netlink.LinkSetDown(link)
	}))
}

// TestControllerRestarts: what the switch has learned is there without a controller, and
// is what the next one goes on with.
func TestControllerRestarts(t *testing.T) {
	long.Test(t)
	s := start(t, 2, time.Hour)
	s.learned(0)
	s.learned(1)
	before := s.addresses()
	s.run.Controller().Kill()
	s.ping(0, 1)
	require.NoError(t, s.run.StartController(s.ctx))
	require.Equal(t, before, s.addresses())
	s.ping(1, 0)
	require.Equal(t, 0, s.events("learned"), "nothing had to be learned again")
}
