package vm

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/runner"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestStaticGroup: programs of rdma-core, as they are, on Linux's rxe. The group was made
// beforehand; one client, which knows of one server at the switch's address, sends to two.
func TestStaticGroup(t *testing.T) {
	n := newNetwork(t, options{guests: 3})
	for i := 1; i <= 2; i++ {
		_, err := n.guests[i].Run(n.ctx, "ping", "-c", "1", "-w", "20", n.home.String()) // now it is known
		require.NoError(t, err)
	}
	const times = 3
	n.sends(n.cluster.AdminOf(runner.Controller), times)

	// One SEND came in, and a copy of it went to each.
	sw := wire.Addr(lab.SwitchIP.As4())
	sent, copies := 0, map[string]int{}
	for _, c := range n.stopSwitch() {
		var p wire.Packet
		if wire.Parse(c.frame, &p) != nil || p.BTH.DestQP() == wire.GSIQP || p.BTH.Opcode() != wire.SendOnly {
			continue
		}
		require.True(t, p.ICRCOK(), "ICRC of %s", &p)
		if p.IP.Dst() == sw {
			sent++
		} else {
			copies[c.port]++
		}
	}
	require.GreaterOrEqual(t, sent, times)
	require.Len(t, copies, 2)
	for at, c := range copies {
		require.Equal(t, sent, c, "copies on %s", at)
	}
	requireWellFormed(t, n.capture)
}

// sends makes a group of all guests but the first, which then sends to it so often, from a program that knows of one
// server, at the switch's address.
func (n *network) sends(admin string, times int, create ...string) {
	t := n.t
	t.Helper()
	p4ce := func(args ...string) string {
		out, err := exec.CommandContext(n.ctx, p4ceBinary(t), append(args, "--controller", admin)...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	const port, at = 7000, "7471"
	create = append([]string{"group", "create", "films", "--port", fmt.Sprint(port)}, create...)
	receivers := n.guests[1:]
	for _, p := range n.places[1:] {
		create = append(create, "--replica", p.addr.Addr().String()+":"+at)
	}
	p4ce(create...)
	for range times { // a server ends with its client
		var servers []*Process
		logs := make([]lab.Log, len(receivers))
		for i, g := range receivers {
			p, err := g.Start(Spec{Args: []string{"rdma_xserver", "-p", at}, Stdout: &logs[i], Stderr: &logs[i]})
			require.NoError(t, err)
			servers = append(servers, p)
			_, err = g.Shell(n.ctx, listening)
			require.NoError(t, err)
		}
		got, err := n.guests[0].Run(n.ctx, "rdma_xclient", "-s", n.home.String(), "-p", fmt.Sprint(port))
		for i := range logs {
			require.NoError(t, err, "%s\n%s", got, &logs[i])
		}
		for i, p := range servers {
			require.NoError(t, p.Wait(n.ctx), "%s", &logs[i])
			require.Contains(t, logs[i].String(), "rdma_xserver: end 0")
		}
		require.Contains(t, got, "rdma_xclient: end 0")
	}
	require.Contains(t, p4ce("group", "list", "--made"), "films")
}
