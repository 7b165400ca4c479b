package test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/lab"
)

// expelled waits until the processes of hosts have ended, and has the hosts join again.
func expelled(ctx context.Context, t *testing.T, n *lab.Network, hosts []*onepipe.Host, procs []*onepipe.Proc, which ...int) []*onepipe.Proc {
	t.Helper()
	var again []*onepipe.Proc
	for _, i := range which {
		_, err := procs[i].ReceiveReliable(ctx)
		require.ErrorIs(t, err, onepipe.ErrExpelled)
		require.NoError(t, hosts[i].Close())
		h, err := n.Attach(n.Hosts()[i], onepipe.Config{}, onepipe.Events{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = h.Close() })
		back, err := h.Wait(ctx)
		require.NoError(t, err)
		again = append(again, back...)
	}
	return again
}

// A switch and the controller begin anew at the same time. The controller knows from its store that the switch had promised
// something: the hosts that have no other way have failed, and the others go on in the same order.
func TestSwitchAndControllerForget(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	for _, name := range []string{"leaf2", "spine"} {
		t.Run(name, func(t *testing.T) {
			ctx, n, hosts, procs := start(t, lab.Options{Target: "xdp"}, 1)
			sameOrder(t, broadcast(ctx, t, procs, 20))
			n.Controller().Kill()
			n.Kill(name)
			<-n.Controller().Done()
			<-n.Switch(name).Done()
			require.NoError(t, n.StartSwitch(ctx, name))
			require.NoError(t, n.StartController(ctx))
			sameOrder(t, broadcast(ctx, t, procs[:2], 100))
			again := expelled(ctx, t, n, hosts, procs, 2, 3)
			sameOrder(t, broadcast(ctx, t, append(procs[:2:2], again...), 20))
			noViolations(t, hosts)
		})
	}
}

// The agent of a leaf whose CPU sends the beacons hangs. Its hosts have failed, and the others go on. When it goes on, its hosts
// learn that, and join again.
func TestAgentHangs(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	log := &record{also: t.Output()}
	ctx, n, hosts, procs := start(t, lab.Options{Target: "xdp", CPU: []string{"leaf1", "leaf2", "spine"}, Log: log}, 1)
	sameOrder(t, broadcast(ctx, t, procs, 20))
	time.AfterFunc(50*time.Millisecond, func() { _ = n.Switch("leaf2").Pause() })
	sameOrder(t, broadcast(ctx, t, procs[:2], 2000))
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "the order goes on") }, time.Minute, 10*time.Millisecond)
	require.Contains(t, log.String(), "switch does not answer")
	sameOrder(t, broadcast(ctx, t, procs[:2], 20))
	require.NoError(t, n.Switch("leaf2").Resume())
	again := expelled(ctx, t, n, hosts, procs, 2, 3)
	sameOrder(t, broadcast(ctx, t, append(procs[:2:2], again...), 20))
	noViolations(t, hosts)
}

// The agent of a leaf hangs whose data plane knows the barriers. Nobody notices, but for the controller, which takes the leaf
// back when it answers.
func TestAgentOfChipHangs(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	log := &record{also: t.Output()}
	ctx, n, hosts, procs := start(t, lab.Options{Target: "xdp", Log: log}, 1)
	require.NoError(t, n.Switch("leaf2").Pause())
	require.Eventually(t, func() bool { return strings.Contains(log.String(), "switch does not answer") }, time.Minute, 10*time.Millisecond)
	sameOrder(t, broadcast(ctx, t, procs, 100))
	require.NoError(t, n.Switch("leaf2").Resume())
	sameOrder(t, broadcast(ctx, t, procs, 100))
	require.NoError(t, hosts[1].Close())
	back := joinsAgain(ctx, t, n, "h2")
	sameOrder(t, broadcast(ctx, t, append([]*onepipe.Proc{procs[0], back}, procs[2:]...), 20))
	noViolations(t, hosts)
}

// joinsAgain has a host that has left join again.
func joinsAgain(ctx context.Context, t *testing.T, n *lab.Network, name string) *onepipe.Proc {
	t.Helper()
	h, err := n.Attach(name, onepipe.Config{}, onepipe.Events{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.Close() })
	list, err := h.Wait(ctx)
	require.NoError(t, err)
	return list[0]
}
