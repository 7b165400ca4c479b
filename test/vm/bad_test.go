package vm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
)

// fails runs p4ce node in a guest and returns its error message.
func (n *network) fails(t *testing.T, guest int, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(n.ctx, step)
	defer cancel()
	out, err := n.guests[guest].Run(ctx, append([]string{guestBinary, "node", "--rdma", "verbs"}, args...)...)
	var exit *ExitError
	require.ErrorAs(t, err, &exit, "it has ended by itself, not well: %s", out)
	require.Empty(t, exit.Signal)
	require.Positive(t, exit.Code)
	require.NotContains(t, out, "goroutine", "no stack trace")
	t.Log(out)
	return out
}

// TestBadInput: what can be wrong with a server with rxe is said in words, at
// once, and leaves nothing behind.
func TestBadInput(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(secret, []byte("99"), 0o600))
	n := newNetwork(t, options{guests: 2, image: verbsImage(t), memory: 320, noRXE: true, controller: []string{"--cluster", "1=@" + secret}})
	for _, g := range n.guests {
		_, err := g.Shell(n.ctx, "echo 99 > /token && echo 98 > /other")
		require.NoError(t, err)
	}
	replica := []string{"--role", "replica"}
	t.Run("no rxe", func(t *testing.T) {
		require.Contains(t, n.fails(t, 0, replica...), "no RDMA device")
	})
	for i := range n.guests {
		require.NoError(t, n.guests[i].StartRXE(n.ctx, RXE{Addr: netip24(i), MTU: lab.MTU}))
	}
	t.Run("no such device", func(t *testing.T) {
		require.Contains(t, n.fails(t, 0, append(replica, "--device", "mlx5_0")...), "mlx5_0")
	})
	t.Run("GID of the wrong type", func(t *testing.T) {
		require.Contains(t, n.fails(t, 0, append(replica, "--gid-index", "9")...), "GID")
	})
	t.Run("device is down", func(t *testing.T) {
		_, err := n.guests[0].Run(n.ctx, "ip", "link", "set", "eth0", "down")
		require.NoError(t, err)
		require.Contains(t, n.fails(t, 0, replica...), "is DOWN (bring its network interface up)")
		_, err = n.guests[0].Shell(n.ctx, fmt.Sprintf("ip link set eth0 up; until grep -q ACTIVE /sys/class/infiniband/%s/ports/1/state; do sleep 0.05; done", Device))
		require.NoError(t, err)
	})

	// A replica that goes on through all of it.
	r := n.guestNode(1, "--role", "replica", "--token", "@/token")
	r.event(t, n.ctx, "ready")
	leader := func(more ...string) []string {
		return append([]string{"--role", "leader", "--replicas", guestAddr(1).String(), "--switch", lab.SwitchIP.String(),
			"--modes", "accelerated", "--input", "/input", "--ack-timeout", "4s"}, more...)
	}
	t.Run("another token", func(t *testing.T) {
		require.Contains(t, n.fails(t, 0, leader("--token", "@/other")...), "token")
	})
	t.Run("another log size", func(t *testing.T) {
		require.Contains(t, n.fails(t, 0, leader("--token", "@/token", "--log-size", "65536")...), "size")
	})
	t.Run("path MTU 4096", func(t *testing.T) {
		// The servers' links carry it; the switch does not.
		for _, g := range n.guests {
			_, err := g.Run(n.ctx, "ip", "link", "set", "eth0", "mtu", "4200")
			require.NoError(t, err)
		}
		require.Contains(t, n.fails(t, 0, leader("--token", "@/token")...), "path MTU 4096: the switch copies packets of at most 2048")
	})
	require.Eventually(t, func() bool {
		groups, err := n.cluster.Admin.Groups(n.ctx)
		return err == nil && len(groups) == 0
	}, time.Minute, 50*time.Millisecond, "nothing is left on the switch")
	require.Zero(t, r.digest(t, n.ctx).Records, "the replica still answers, and has nothing")
}
