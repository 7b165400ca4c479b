// Package e2e runs a whole system in network namespaces: the switch (XDP) and its
// controller as processes of the built binary, and servers with software RoCE
// endpoints.
package e2e

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/link/packet"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) { os.Exit(launch.Main(m, "p4ce", &binary)) }

// system is a switch with its controller, and hosts that have no server yet.
type system struct {
	t       *testing.T
	lab     *lab.Lab
	dir     string
	ctx     context.Context
	admin   *control.AdminClient
	sw      *p4rtclient.Client
	info    *p4rtclient.Info
	devices []*roce.Device
}

// newCluster starts a switch for n hosts. extra are flags of the controller.
func newCluster(t *testing.T, n int, extra ...string) *system {
	t.Helper()
	return newClusterOn(t, "xdp", n, extra...)
}

// newClusterOn is newCluster with a kind of target.
func newClusterOn(t *testing.T, target string, n int, extra ...string) *system {
	t.Helper()
	needs.Root(t, "network namespaces and XDP")
	l, err := lab.New(n)
	require.NoError(t, err)
	return newClusterIn(t, l, target, nil, extra...)
}

// newClusterIn starts a switch in a lab, which ends with the test, with the ports of its hosts and some more.
func newClusterIn(t *testing.T, l *lab.Lab, target string, ports []runner.Port, extra ...string) *system {
	t.Helper()
	for _, h := range l.Hosts {
		ports = append(ports, runner.Port{Number: h.Port, Interface: h.PortInterface()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c := &system{t: t, lab: l, dir: t.TempDir(), ctx: ctx}
	log := &lab.Log{}
	t.Cleanup(func() {
		for _, d := range c.devices {
			d.Close()
		}
		if c.sw != nil {
			c.sw.Close()
		}
		l.Close()
		cancel()
		if t.Failed() {
			t.Logf("switch and controller:\n%s", log)
		}
	})
	run, err := cluster.Start(ctx, cluster.Options{
		Options: runner.Options{Lab: l, Binary: binary, Dir: c.dir, Log: log}, Ports: ports, Switch: []string{"--target", target}, Controller: extra,
	})
	require.NoError(t, err, "%s", log)
	c.admin, c.sw, c.info = run.Admin, run.P4RT, run.Info
	return c
}

// device opens a RoCE endpoint on a host.
func (c *system) device(host int) *roce.Device {
	return c.deviceOn(host, roce.Options{}, func(w link.Wire) link.Wire { return w })
}

// deviceOn opens one on what is made of the host's wire.
func (c *system) deviceOn(host int, o roce.Options, on func(link.Wire) link.Wire) *roce.Device {
	c.t.Helper()
	var dev *roce.Device
	require.NoError(c.t, c.lab.InHost(c.lab.Hosts[host], func() error {
		w, err := packet.Open(lab.Interface, netip.Addr{})
		if err != nil {
			return err
		}
		dev, err = roce.Open(on(w), o)
		return err
	}))
	c.devices = append(c.devices, dev)
	return dev
}

func (c *system) ip(host int) netip.Addr { return c.lab.Hosts[host].IP }

// groupTables are the tables that a group has entries in.
var groupTables = []string{names.TableQP, names.TableEndpoint, names.TableLeader}

// requireClean waits until the switch has nothing left of any group.
func (c *system) requireClean() {
	c.t.Helper()
	left := func() (string, error) {
		groups, err := c.admin.Groups(c.ctx)
		if err != nil {
			return "", err
		}
		var what []string
		for _, g := range groups {
			what = append(what, fmt.Sprintf("group %d: %s", g.Index, g.Phase))
		}
		for _, table := range groupTables {
			entries, err := c.sw.ReadTable(c.ctx, c.info, table)
			if err != nil {
				return "", err
			}
			if len(entries) > 0 {
				what = append(what, fmt.Sprintf("table %s: %d entries", table, len(entries)))
			}
		}
		multicast, err := c.sw.ReadGroups(c.ctx)
		if err != nil {
			return "", err
		}
		if len(multicast) > 0 {
			what = append(what, fmt.Sprintf("%d multicast groups", len(multicast)))
		}
		return strings.Join(what, ", "), nil
	}
	var last string
	if !assert.Eventually(c.t, func() bool {
		var err error
		last, err = left()
		return err == nil && last == ""
	}, 30*time.Second, 20*time.Millisecond) {
		c.t.Fatalf("left on the switch: %s", last)
	}
}

// counter reads one cell.
func (c *system) counter(name string, index int) uint64 {
	c.t.Helper()
	v, err := c.sw.ReadCounter(c.ctx, c.info, name, index)
	require.NoError(c.t, err)
	require.Len(c.t, v, 1)
	return v[0].Packets
}
