package vm

import (
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestMadeGroup: programs of rdma-core, as they are, on Linux's rxe. The group was made
// beforehand; one client, which knows of one server at the switch's address, sends to two.
func TestMadeGroup(t *testing.T) {
	n := newNetwork(t, options{guests: 3})
	p4ce := func(args ...string) (string, error) {
		out, err := exec.CommandContext(n.ctx, p4ceBinary(t), append(args, "--controller", n.cluster.AdminAddress())...).CombinedOutput()
		return string(out), err
	}
	const port, at = 7000, "7471"
	create := []string{"group", "create", "pair", "--port", fmt.Sprint(port)}
	for i := 1; i <= 2; i++ {
		create = append(create, "--replica", guestAddr(i).String()+":"+at)
		_, err := n.guests[i].Run(n.ctx, "ping", "-c", "1", "-w", "20", lab.SwitchIP.String()) // now it is known
		require.NoError(t, err)
	}
	out, err := p4ce(create...)
	require.NoError(t, err, out)
	const times = 3
	for range times { // a server ends with its client
		var servers []*Process
		logs := [2]lab.Log{}
		for i := range 2 {
			p, err := n.guests[1+i].Start(Spec{Args: []string{"rdma_xserver", "-p", at}, Stdout: &logs[i], Stderr: &logs[i]})
			require.NoError(t, err)
			servers = append(servers, p)
			_, err = n.guests[1+i].Shell(n.ctx, listening)
			require.NoError(t, err)
		}
		got, err := n.guests[0].Run(n.ctx, "rdma_xclient", "-s", lab.SwitchIP.String(), "-p", fmt.Sprint(port))
		require.NoError(t, err, "%s\n%s\n%s", got, &logs[0], &logs[1])
		for i, p := range servers {
			require.NoError(t, p.Wait(n.ctx), "%s", &logs[i])
			require.Contains(t, logs[i].String(), "rdma_xserver: end 0")
		}
		require.Contains(t, got, "rdma_xclient: end 0")
	}
	out, err = p4ce("group", "list", "--made")
	require.NoError(t, err, out)
	require.Contains(t, out, "pair")

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
