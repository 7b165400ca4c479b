package test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/amcast"
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

// start builds a network, and attaches all its hosts.
func start(t *testing.T, o lab.Options) (context.Context, *lab.Network, map[string]*amcast.Host) {
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
		})
	}
}
