package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVerbsLive runs the tests of package host/verbs that want an RDMA device, and
// p4ce doctor, in a guest.
func TestVerbsLive(t *testing.T) {
	im := verbsImage(t)
	dir := t.TempDir()
	live := filepath.Join(dir, "live")
	cmd := exec.Command("go", "test", "-c", "-tags", "verbs", "-o", live, "github.com/p4ce/p4ce/host/verbs")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	built, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", built)
	im, err = im.Extend(filepath.Join(dir, "initrd"), map[string]string{"/usr/bin/live": live})
	require.NoError(t, err)
	n := newNetwork(t, options{guests: 1, noSwitch: true, memory: 512, image: im})
	g := n.guests[0]
	out, err := g.Run(n.ctx, "live", "-test.v", "-test.run", "TestLive")
	t.Log(out)
	require.NoError(t, err)
	require.NotContains(t, out, "SKIP")
	require.Positive(t, strings.Count(out, "--- PASS"))

	out, err = g.Run(n.ctx, "p4ce", "doctor", "server", "--device", Device)
	t.Log(out)
	require.NoError(t, err)
	require.Contains(t, out, "server: this machine can be a server with the RDMA device "+Device)
	require.Contains(t, out, "change while a queue pair runs; a refused WRITE ends with: remote")
	out, err = g.Run(n.ctx, "p4ce", "doctor", "server", "--device", "mlx5_0")
	require.Error(t, err)
	require.Contains(t, out, "does not exist; there is "+Device)

	// Without an address no connection can use the device.
	_, err = g.Run(n.ctx, "ip", "address", "flush", "dev", "eth0")
	require.NoError(t, err)
	out, err = g.Run(n.ctx, "p4ce", "doctor", "server", "--rdma", "verbs")
	t.Log(out)
	require.Error(t, err)
	require.Contains(t, out, "ip address add ADDRESS/PREFIX dev eth0")
	_, err = g.Run(n.ctx, "ip", "link", "set", "eth0", "down")
	require.NoError(t, err)
	_, err = g.Run(n.ctx, "rdma", "link", "delete", Device)
	require.NoError(t, err)
	out, err = g.Run(n.ctx, "p4ce", "doctor", "server", "--rdma", "verbs")
	require.Error(t, err)
	require.Contains(t, out, "rdma link add rxe0 type rxe netdev INTERFACE")
}
