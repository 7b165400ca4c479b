package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/launch"
)

// node is a p4ce node in the network of a system.
type node struct {
	*launch.Process
	events chan map[string]any
}

func (c *system) node(t *testing.T, host int, args ...string) *node {
	t.Helper()
	n := &node{events: make(chan map[string]any, 64)}
	var err error
	n.Process, err = launch.Start(c.lab, launch.Options{
		Name: c.lab.Hosts[host].Name, Host: c.lab.Hosts[host],
		Args: append([]string{binary, "node", "--interface", lab.Interface, "--log-size", fmt.Sprint(1 << 20)}, args...),
		Event: func(_ *launch.Process, line []byte) {
			var e map[string]any
			if json.Unmarshal(line, &e) == nil && e["event"] != "progress" {
				n.events <- e
			}
		},
	})
	require.NoError(t, err)
	return n
}

// await waits for an event of a node.
func (n *node) await(t *testing.T, ctx context.Context, kind string) map[string]any {
	t.Helper()
	for {
		select {
		case e := <-n.events:
			if e["event"] == kind {
				return e
			}
		case <-n.Gone():
			t.Fatalf("%s has ended: %s%s", n.Name, n.How(), n.Tail())
		case <-ctx.Done():
			t.Fatalf("%s: no %s%s", n.Name, kind, n.Tail())
		}
	}
}

// TestStoppedReplicaAcknowledges: as behind an RDMA NIC, what a leader writes into the memory
// of a server is placed and acknowledged while the server's process is stopped; it finds
// everything when it goes on.
func TestStoppedReplicaAcknowledges(t *testing.T) {
	c := newCluster(t, 3)
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	input := filepath.Join(c.dir, "input")
	require.NoError(t, os.WriteFile(input, make([]byte, 64*500), 0o600))
	var replicas []*node
	for i := 1; i <= 2; i++ {
		r := c.node(t, i, "--role", "replica", "--wire", "kernel")
		r.await(t, ctx, launch.Ready)
		replicas = append(replicas, r)
	}
	leader := c.node(t, 0, "--role", "leader", "--replicas", "10.66.0.12,10.66.0.13", "--switch", lab.SwitchIP.String(),
		"--policy", "all", "--input", input, "--record-size", "64", "--count", "500", "--modes", "direct,accelerated")
	leader.await(t, ctx, launch.Ready)
	all := func(sig syscall.Signal) {
		for _, r := range replicas {
			require.NoError(t, r.Signal(sig))
		}
	}
	for range 2 {
		leader.await(t, ctx, "mode") // its connections are there
		all(syscall.SIGSTOP)
		require.NoError(t, leader.Tell("go"))
		leader.await(t, ctx, "done") // every record is acknowledged by both
		all(syscall.SIGCONT)
	}
	sum := leader.await(t, ctx, "digest")["sha256"]
	for _, r := range replicas {
		require.NoError(t, r.Tell("digest"))
		require.Equal(t, sum, r.await(t, ctx, "digest")["sha256"])
	}
}
