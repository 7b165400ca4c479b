package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/paxos"
	lab "github.com/p4ce/p4ce/systems/paxos/lab"
)

var p4ce string // the p4ce that networks run

func TestMain(m *testing.M) { os.Exit(launch.Main(m, "p4ce", &p4ce)) }

// member is a host of a network, and what it was given.
type member struct {
	*paxos.Log
	mu  sync.Mutex
	log []string
}

func (m *member) apply(e paxos.Entry) {
	if e.Client != 0 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.log = append(m.log, string(e.Value))
	}
}

func (m *member) values() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.log...)
}

// realNetwork is a network of processes on XDP with the replicas of its applications: two each.
func realNetwork(t *testing.T, o lab.Options) (context.Context, *lab.Network, []*member) {
	needs.Root(t, "XDP and network namespaces")
	needs.Time(t, "it runs a network of processes")
	o.Target, o.Dir, o.Log, o.Binary = "xdp", t.TempDir(), t.Output(), p4ce
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	n, err := lab.Start(ctx, o)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	var hosts []*member
	_, replicas := n.Logs()
	for _, name := range slices.Concat(replicas...) {
		m := &member{}
		m.Log, err = n.Attach(name, m.apply)
		require.NoError(t, err)
		t.Cleanup(func() { m.Close() })
		hosts = append(hosts, m)
	}
	return ctx, n, hosts
}

// submit submits so many values at the first host.
func submit(t *testing.T, ctx context.Context, hosts []*member, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		_, err := hosts[0].Submit(ctx, fmt.Appendf(nil, "value %d", i))
		require.NoError(t, err)
	}
}

// same waits until every host of a log has its n values, and compares them with what the format says, in the order in
// which they were submitted. The proposer need not be one of the hosts, so each of them may be behind.
func same(t *testing.T, hosts []*member, format string, n int) {
	t.Helper()
	var want []string
	for i := range n {
		want = append(want, fmt.Sprintf(format, i))
	}
	for _, h := range hosts {
		require.Eventually(t, func() bool { return len(h.values()) >= n }, 30*time.Second, time.Millisecond)
		require.Equal(t, want, h.values())
	}
}

// TestSoftwareLeader: the leader's switch dies, and a switch in software on a server leads, in a network
// whose other switches are XDP; then the first is back, without anything it knew, and leads again.
func TestSoftwareLeader(t *testing.T) {
	ctx, n, hosts := realNetwork(t, lab.Options{Deployment: lab.WithServer(), Software: []string{"s"}})
	submit(t, ctx, hosts, 0, 50)
	began, err := n.Application(ctx)
	require.NoError(t, err)
	n.Kill("l")
	submit(t, ctx, hosts, 50, 75) // by whoever leads
	var round uint32
	require.Eventually(t, func() bool {
		in, err := n.Application(ctx)
		if err == nil && in.Leader == "s" && in.State == "running" {
			round = in.Round
		}
		return round != 0
	}, 30*time.Second, time.Millisecond)
	require.Greater(t, round, began.Round)
	submit(t, ctx, hosts, 75, 100)
	<-n.Switch("l").Gone()
	require.NoError(t, n.StartSwitch(ctx, "l"))
	require.NoError(t, n.Lead(ctx, lab.Log, "l"))
	submit(t, ctx, hosts, 100, 150)
	back, err := n.Application(ctx)
	require.NoError(t, err)
	require.Equal(t, "l", back.Leader)
	require.Greater(t, back.Round, round)
	same(t, hosts, "value %d", 150)
}

// TestAFXDPHosts: hosts that send and receive by AF_XDP, past the kernel's packet sockets.
func TestAFXDPHosts(t *testing.T) {
	ctx, _, hosts := realNetwork(t, lab.Options{XDP: true})
	submit(t, ctx, hosts, 0, 300)
	same(t, hosts, "value %d", 300)
}

// TestApplications: four applications share the switches, and all propose while the switch that leads two of them is killed. Each log
// has the values of its own proposer, each once and in order, and none of another log.
func TestApplications(t *testing.T) {
	ctx, n, hosts := realNetwork(t, lab.Options{Deployment: lab.Applications(lab.MaxApplications)})
	logs, _ := n.Logs()
	require.Len(t, logs, lab.MaxApplications)
	leads := map[string]int{}
	for _, name := range logs {
		a, err := n.ApplicationOf(ctx, name)
		require.NoError(t, err)
		leads[a.Leader]++
	}
	require.Equal(t, map[string]int{"l": 2, "t": 2}, leads)
	const values = 150
	kill := sync.OnceFunc(func() { n.Kill("l") })
	g, ctx := errgroup.WithContext(ctx)
	for i, name := range logs {
		g.Go(func() error {
			for k := range values {
				if k == values/2 {
					kill()
				}
				if _, err := hosts[2*i].Submit(ctx, fmt.Appendf(nil, "%s value %d", name, k)); err != nil {
					return fmt.Errorf("%s, value %d: %w", name, k, err)
				}
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	for i, name := range logs {
		same(t, hosts[2*i:2*i+2], name+" value %d", values)
	}
}

// TestGuestOnXDP: a host that is no replica proposes through switches, and hears from the replicas that its
// values were applied, also while a leader is killed and while one replica is gone.
func TestGuestOnXDP(t *testing.T) {
	ctx, n, hosts := realNetwork(t, lab.Options{Deployment: lab.WithGuest()})
	g, err := n.AttachGuest("p")
	require.NoError(t, err)
	t.Cleanup(func() { g.Close() })
	submit := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			_, err := g.Submit(ctx, fmt.Appendf(nil, "value %d", i))
			require.NoError(t, err)
		}
	}
	submit(0, 100)
	n.Kill("l")
	submit(100, 200)
	same(t, hosts, "value %d", 200)
	require.NoError(t, hosts[1].Close())
	submit(200, 300)
	same(t, hosts[:1], "value %d", 300)
}

// TestLinksDown: the links by which two of three acceptors vote fail, as their ports say, and later two of them without a word. Votes
// take other paths, and each value is there once.
func TestLinksDown(t *testing.T) {
	ctx, n, hosts := realNetwork(t, lab.Options{Deployment: lab.Redundant(), Bad: map[string]lab.Rates{"a2-t": {}, "a3-t": {}}})
	down := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			got, err := n.Down(ctx)
			for _, name := range want {
				err = errors.Join(err, map[bool]error{true: errors.New("not yet")}[len(got[name]) == 0])
			}
			return err == nil && (len(want) > 0 || len(got) == 0)
		}, 60*time.Second, 5*time.Millisecond)
	}
	submit(t, ctx, hosts, 0, 50)
	for _, up := range []bool{false, true} {
		for _, a := range []string{"a1", "a2"} {
			require.NoError(t, n.SetPort("t", a, up))
		}
		if !up {
			submit(t, ctx, hosts, 50, 100)
			down("t")
			submit(t, ctx, hosts, 100, 150)
		}
	}
	down()
	submit(t, ctx, hosts, 150, 200)
	for _, cut := range []bool{true, false} {
		for _, link := range []string{"a2-t", "a3-t"} {
			n.BadLink(link).Cut(cut)
		}
		if cut {
			submit(t, ctx, hosts, 200, 250)
			down("t", "a2", "a3")
			submit(t, ctx, hosts, 250, 300)
		}
	}
	down()
	submit(t, ctx, hosts, 300, 350)
	same(t, hosts, "value %d", 350)
}

// TestOneSwitchOnXDP: three acceptors on the one switch that leads and learns, each with registers of its own.
func TestOneSwitchOnXDP(t *testing.T) {
	ctx, n, hosts := realNetwork(t, lab.Options{Deployment: lab.AloneThree()})
	submit(t, ctx, hosts, 0, 200)
	same(t, hosts, "value %d", 200)
	info, err := n.Application(ctx)
	require.NoError(t, err)
	require.Len(t, info.Acceptors, 3)
	for _, a := range info.Acceptors {
		require.Equal(t, "ready", a.State, a.Switch)
	}
}

// TestTwoSwitchesOnXDP: three acceptors on two switches, and two that are all on the switches that they send to, so that each of their
// votes, and what they vote for, goes around by the other switch. Either switch leads.
func TestTwoSwitchesOnXDP(t *testing.T) {
	around := strings.NewReplacer(
		`"acceptor": "10.0.1.1",`, `"places": [{"name": "t2", "acceptor": "10.0.1.4"}],`, `"acceptor": "10.0.1.2", `, "", `["t", "l", "l2"]`, `["t2", "l2"]`,
	).Replace(lab.Two)
	for what, deployment := range map[string]string{"the paper's": lab.Two, "around": around} {
		t.Run(what, func(t *testing.T) {
			ctx, n, hosts := realNetwork(t, lab.Options{Deployment: deployment})
			submit(t, ctx, hosts, 0, 100)
			require.NoError(t, n.Lead(ctx, lab.Log, "t"))
			submit(t, ctx, hosts, 100, 200)
			same(t, hosts, "value %d", 200)
		})
	}
}
