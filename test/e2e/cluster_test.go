// Package e2e runs a whole system in network namespaces: the switch (XDP) and its
// controller as processes of the built binary, and servers with software RoCE
// endpoints.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/host/roce/wires/packet"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/test/lab"
)

var binary string // the p4ce that is tested

func TestMain(m *testing.M) {
	if os.Geteuid() != 0 {
		fmt.Println("skipping: network namespaces and XDP need root")
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "p4ce-e2e-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "p4ce")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/p4ce")
	build.Stdout, build.Stderr = os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Println("build p4ce:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// cluster is a switch with its controller, and hosts that have no server yet.
type cluster struct {
	t       *testing.T
	lab     *lab.Lab
	dir     string
	ctx     context.Context
	admin   *ctrl.AdminClient
	sw      *p4rtclient.Client
	info    *p4rtclient.Info
	devices []*roce.Device
}

// lockedBuffer collects what processes log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newCluster starts a switch for n hosts. extra are flags of the controller.
func newCluster(t *testing.T, n int, extra ...string) *cluster {
	t.Helper()
	l, err := lab.New(n)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c := &cluster{t: t, lab: l, dir: t.TempDir(), ctx: ctx}
	log := &lockedBuffer{}
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
	p4rt, admin := "unix:"+filepath.Join(c.dir, "p4rt.sock"), "unix:"+filepath.Join(c.dir, "admin.sock")
	args := []string{"switch", "--listen", p4rt}
	cargs := append([]string{"controller", "--switch", p4rt, "--admin", admin, "--address", lab.SwitchIP.String(), "--mac", lab.SwitchMAC.String()}, extra...)
	for _, h := range l.Hosts {
		args = append(args, "--port", fmt.Sprintf("%d=%s", h.Port, h.PortInterface()))
		cargs = append(cargs, "--ports", fmt.Sprint(h.Port))
	}
	c.start("switch", log, args)
	c.start("controller", log, cargs)
	c.admin = ctrl.NewAdminClient(admin)
	c.sw, err = p4rtclient.New(p4rtclient.Options{Address: p4rt})
	require.NoError(t, err)
	info, err := p4.Info("rdma")
	require.NoError(t, err)
	c.info = p4rtclient.NewInfo(info)
	return c
}

// start starts a process of the binary in the switch's namespace and waits
// until it says that it is ready.
func (c *cluster) start(name string, log *lockedBuffer, args []string) {
	c.t.Helper()
	r, w, err := os.Pipe()
	require.NoError(c.t, err)
	proc, err := c.lab.StartInSwitch(lab.Spec{Name: name, Args: append([]string{binary}, args...), Stdout: w, Stderr: log})
	w.Close()
	require.NoError(c.t, err)
	ready := make(chan struct{})
	go func() {
		defer r.Close()
		s := bufio.NewScanner(r)
		for s.Scan() {
			var e struct{ Event string }
			if json.Unmarshal(s.Bytes(), &e) == nil && e.Event == "ready" {
				close(ready)
			}
		}
	}()
	select {
	case <-ready:
	case <-proc.Done():
		c.t.Fatalf("%s has ended: %v\n%s", name, proc.Err(), log)
	case <-c.ctx.Done():
		c.t.Fatalf("%s is not ready\n%s", name, log)
	}
}

// device opens a RoCE endpoint on a host.
func (c *cluster) device(host int) *roce.Device {
	c.t.Helper()
	var dev *roce.Device
	require.NoError(c.t, c.lab.InHost(c.lab.Hosts[host], func() error {
		w, err := packet.Open(lab.Interface, netip.Addr{})
		if err != nil {
			return err
		}
		dev, err = roce.Open(w, roce.Options{})
		return err
	}))
	c.devices = append(c.devices, dev)
	return dev
}

func (c *cluster) ip(host int) netip.Addr { return c.lab.Hosts[host].IP }

// groupTables are the tables that a group has entries in.
var groupTables = []string{"qp", "endpoint", "leader"}

// requireClean waits until the switch has nothing left of any group.
func (c *cluster) requireClean() {
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
	require.Eventually(c.t, func() bool {
		var err error
		last, err = left()
		return err == nil && last == ""
	}, 30*time.Second, 20*time.Millisecond, "left on the switch: %s", lazy(func() string { return last }))
}

// lazy is a string that is made when it is printed.
type lazy func() string

func (l lazy) String() string { return l() }

// counter reads one cell.
func (c *cluster) counter(name string, index int) uint64 {
	c.t.Helper()
	v, err := c.sw.ReadCounter(c.ctx, c.info, name, index)
	require.NoError(c.t, err)
	require.Len(c.t, v, 1)
	return v[0].Packets
}
