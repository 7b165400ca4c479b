package program

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/systems/paxos/lab"
)

// TestServersBehindSwitches: the roles are programs at hosts of a network of XDP switches. What they send each other passes the
// switches, and nothing is decided while most acceptors are behind ports that are down.
func TestServersBehindSwitches(t *testing.T) {
	needs.Root(t, "XDP and network namespaces")
	needs.Time(t, "it runs a network of processes")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	n, err := lab.Start(ctx, lab.Options{Binary: p4ce, Dir: t.TempDir(), Target: "xdp", Log: t.Output(), Deployment: lab.Tree, Namespaces: lab.TreeHosts})
	require.NoError(t, err)
	t.Cleanup(n.Close)

	who := lab.TreeSeats()
	elsewhere := who
	elsewhere.Leader = "spine"
	_, err = n.StartPrograms(ctx, elsewhere)
	require.EqualError(t, err, `host "spine" has no network namespace (Options.Namespaces)`)

	roles, err := n.StartPrograms(ctx, who)
	require.NoError(t, err)
	t.Cleanup(roles.Close)
	require.Len(t, roles.PIDs(), 5)
	_, err = roles.AttachGuest("l")
	require.EqualError(t, err, `host "l" is not among those of the programs`)
	var hosts []*member
	for _, name := range who.Replicas {
		m := &member{}
		m.Log, err = roles.Attach(name, m.apply)
		require.NoError(t, err)
		t.Cleanup(func() { m.Close() })
		hosts = append(hosts, m)
	}
	p, err := roles.AttachGuest("p")
	require.NoError(t, err)
	t.Cleanup(func() { p.Close() })
	const values = 50
	submit := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			_, err := p.Submit(ctx, fmt.Appendf(nil, "value %d", i))
			require.NoError(t, err)
		}
	}
	before, err := n.Received(ctx)
	require.NoError(t, err)
	submit(0, values)
	same(t, hosts, "value %d", values)
	after, err := n.Received(ctx)
	require.NoError(t, err)
	// A request, three copies for acceptors and three votes for each value; one of two answers may still be on its way.
	require.GreaterOrEqual(t, after["spine"]-before["spine"], uint64(values*(1+3+3+1)))

	for _, a := range who.Acceptors[:2] {
		require.NoError(t, n.SetPort("tor1", a, false))
	}
	soon, end := context.WithTimeout(ctx, 300*time.Millisecond)
	defer end()
	_, err = p.Submit(soon, []byte("value 50"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for _, h := range hosts {
		require.Len(t, h.values(), values)
	}
	require.NoError(t, n.SetPort("tor1", who.Acceptors[1], true))
	same(t, hosts, "value %d", values+1) // what was under way
	submit(values+1, 2*values)
	same(t, hosts, "value %d", 2*values)
}

// TestProgramsAtPorts: the roles as programs that take frames off their links themselves, past the kernel's UDP, by a switch that only
// forwards. A value survives an acceptor whose port is down.
func TestProgramsAtPorts(t *testing.T) {
	for _, xdp := range []bool{true, false} {
		t.Run(fmt.Sprintf("xdp=%v", xdp), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			t.Cleanup(cancel)
			n, err := lab.Start(ctx, lab.Options{Binary: p4ce, Dir: t.TempDir(), Target: "xdp", Log: t.Output(), Deployment: lab.AloneServers(), XDP: xdp})
			require.NoError(t, err)
			t.Cleanup(n.Close)
			who := lab.AloneSeats()
			elsewhere := who
			elsewhere.Leader = "nobody"
			_, err = n.StartPrograms(ctx, elsewhere)
			require.EqualError(t, err, `no host "nobody"`)
			roles, err := n.StartPrograms(ctx, who)
			require.NoError(t, err)
			t.Cleanup(roles.Close)
			var hosts []*member
			for _, name := range who.Replicas {
				m := &member{}
				m.Log, err = roles.Attach(name, m.apply)
				require.NoError(t, err)
				t.Cleanup(func() { m.Close() })
				hosts = append(hosts, m)
			}
			submit(t, ctx, hosts, 0, 200)
			require.NoError(t, n.SetPort("t", who.Acceptors[0], false))
			submit(t, ctx, hosts, 200, 300)
			same(t, hosts, "value %d", 300)
		})
	}
}
