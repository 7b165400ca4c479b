package test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/cli"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// folder is for the program, which is built once.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "amcast-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

var binary = sync.OnceValues(func() (string, error) { return launch.Build(folder, "p4ce") })

// network builds one.
func network(t *testing.T, o lab.Options) (context.Context, *lab.Network) {
	t.Helper()
	needs.Time(t, "it builds p4ce")
	var err error
	o.Dir = t.TempDir()
	if o.Log == nil {
		o.Log = t.Output()
	}
	o.Binary, err = binary()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	n, err := lab.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return ctx, n
}

// start builds a network, and attaches all its hosts.
func start(t *testing.T, o lab.Options) (context.Context, *lab.Network, map[string]*amcast.Host) {
	t.Helper()
	ctx, n := network(t, o)
	hosts := map[string]*amcast.Host{}
	for _, name := range n.Hosts() {
		h, err := n.Attach(name)
		require.NoError(t, err)
		t.Cleanup(func() { _ = h.Close() })
		hosts[name] = h
	}
	for _, h := range hosts {
		require.NoError(t, h.Wait(ctx))
	}
	return ctx, n, hosts
}

// Three groups on two leaves and two spines: all replicas of a group deliver the same, and the order is acyclic.
func TestNetwork(t *testing.T) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP and network namespaces")
			}
			ctx, n, hosts := start(t, lab.Options{Target: target})
			l := newLedger(t, n, hosts)
			l.multicast(ctx, 20, n.Hosts()...)
			l.await(ctx)
			require.Contains(t, says(ctx, t, n, "status"), "groups: 3 of 3 have their leaders")
			require.Contains(t, says(ctx, t, n, "groups"), "leaf1, spine1, spine2")
			refused(ctx, t, hosts["h1"])
		})
	}
}

// refused sends what cannot be sent.
func refused(ctx context.Context, t *testing.T, h *amcast.Host) {
	t.Helper()
	one, err := amcast.NewGroups(1)
	require.NoError(t, err)
	for _, list := range [][]uint8{{}, {1, 1}, {0}, {1, 2, 3, 4, 5}} {
		_, err := amcast.NewGroups(list...)
		require.Error(t, err, "%v", list)
	}
	for _, c := range []struct {
		groups  amcast.Groups
		payload int
		want    string
	}{
		{0, 1, "destination groups"}, {0x02010000, 1, "destination groups"}, {0x63000000, 1, "group 99 is not known"},
		{one, 0, "a payload of 0 bytes: want 1 to 1400"}, {one, 1401, "a payload of 1401 bytes"},
	} {
		_, err := h.Multicast(ctx, c.groups, make([]byte, c.payload))
		require.ErrorContains(t, err, c.want)
	}
	_, err = h.Deliver(ctx, 2)
	require.ErrorIs(t, err, amcast.ErrLost)
}

// says is what p4ce amcast says of the network.
func says(ctx context.Context, t *testing.T, n *lab.Network, what string) string {
	t.Helper()
	var out strings.Builder
	c := cli.Command()
	c.SetArgs([]string{what, "--controller", n.Admin()})
	c.SetOut(&out)
	require.NoError(t, c.ExecuteContext(ctx))
	return out.String()
}

// largest has as many groups as a message may have, of as many members as there may be: a proposal goes to 28 members and deliverers.
const largest = `{
  "switches": [
    {"name": "leaf1", "p4runtime": "unix:%[1]s/leaf1.rt", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"},
    {"name": "leaf2", "p4runtime": "unix:%[1]s/leaf2.rt", "mac": "02:00:00:00:01:02", "address": "10.0.1.2"},
    {"name": "spine1", "p4runtime": "unix:%[1]s/spine1.rt", "mac": "02:00:00:00:01:11", "address": "10.0.1.11"},
    {"name": "spine2", "p4runtime": "unix:%[1]s/spine2.rt", "mac": "02:00:00:00:01:12", "address": "10.0.1.12"},
    {"name": "spine3", "p4runtime": "unix:%[1]s/spine3.rt", "mac": "02:00:00:00:01:13", "address": "10.0.1.13"}
  ],
  "links": [
    ["leaf1:1", "spine1:1"], ["leaf1:2", "spine2:1"], ["leaf1:3", "spine3:1"],
    ["leaf2:1", "spine1:2"], ["leaf2:2", "spine2:2"], ["leaf2:3", "spine3:2"]
  ],
  "hosts": [
    {"name": "h1", "at": "leaf1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "leaf1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "leaf2:11", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"},
    {"name": "h4", "at": "leaf2:12", "address": "10.0.3.4", "mac": "02:00:00:00:03:04"}
  ],
  "groups": [
    {"number": 1, "leader": "leaf1",  "members": ["leaf1", "leaf2", "spine1", "spine2", "spine3"], "replicas": ["h1", "h3"]},
    {"number": 2, "leader": "leaf2",  "members": ["leaf1", "leaf2", "spine1", "spine2", "spine3"], "replicas": ["h2", "h4"]},
    {"number": 3, "leader": "spine1", "members": ["leaf1", "leaf2", "spine1", "spine2", "spine3"], "replicas": ["h1", "h4"]},
    {"number": 4, "leader": "leaf1",  "members": ["leaf1", "leaf2", "spine1", "spine2", "spine3"], "replicas": ["h2", "h3"]}
  ]
}
`

// Four groups of five members each.
func TestLargestGroups(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	ctx, n, hosts := start(t, lab.Options{Target: "xdp", Config: largest})
	l := newLedger(t, n, hosts)
	l.multicast(ctx, 20, n.Hosts()...)
	l.await(ctx)
	require.Contains(t, says(ctx, t, n, "status"), "groups: 4 of 4 have their leaders")
}
