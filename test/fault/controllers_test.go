package fault

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/ctrl/store/storetest"
	"github.com/p4ce/p4ce/lab/launch"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/systems/rdma/control"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/systems/rdma/lab/cluster"
	labstore "github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// controller is one of two of the switch, which reaches etcd by a way that can be cut.
type controller struct {
	name  string
	proxy *storetest.Proxy
	flags []string
	proc  *launch.Process
	admin *control.AdminClient
}

// pair is a store under load whose switch has two controllers: first serves it, second stands by.
type pair struct {
	*run
	first, second *controller
}

func startPair(t *testing.T) *pair {
	t.Helper()
	wanted(t)
	dir, err := os.MkdirTemp("", "p4ce-etcd-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	etcd, err := embedded.Start(filepath.Join(dir, "etcd"), nil)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	one := func(name string) *controller {
		p := storetest.NewProxy(t, filepath.Join(dir, name), etcd.Endpoint)
		return &controller{name: name, proxy: p, flags: []string{"--name", name, "--store", "etcd:" + p.Endpoint, "--cluster", "1=" + secret(t, 0x5eed)}}
	}
	p := &pair{first: one("c1"), second: one("c2")}
	// Servers on a busy machine take each other for dead now and then, and form groups anew. It would be seen for what
	// became of the controller, for which these tests wait seconds: they are patient.
	p.run = openWith(t, 3*time.Minute, labstore.Options{Servers: 3, Flags: []string{"--heartbeat", "60ms"}, Cluster: cluster.Options{Controller: p.first.flags}})
	p.first.proc, p.first.admin = p.Controller(), p.Admin
	p.begin(p.second)
	p.load = startLoad(p.ctx, p.Store)
	p.progress()
	return p
}

// begin starts a controller beside the one that serves.
func (p *pair) begin(c *controller) {
	p.t.Helper()
	var err error
	c.proc, c.admin, err = p.StartAnother(p.ctx, c.name, c.flags...)
	p.ok(err)
}

// serving asks a controller whether it serves the switch.
func (p *pair) serving(c *controller) (bool, *admin.Status) {
	ctx, cancel := context.WithTimeout(p.ctx, time.Second)
	defer cancel()
	st, err := c.admin.Status(ctx)
	return err == nil && st.Units[0].Here && st.Switches[0].InControl, st
}

// taken waits until the second controller has the switch, and makes it the first.
func (p *pair) taken(since time.Time) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { here, _ := p.serving(p.second); return here }, time.Minute, 2*time.Millisecond)
	p.t.Logf("%s has the switch %v after %s was lost", p.second.name, time.Since(since).Round(time.Millisecond), p.first.name)
	p.first, p.second = p.second, p.first
	p.Cluster.Admin = p.first.admin
}

// stands waits until the second controller says that the first one serves.
func (p *pair) stands() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		_, st := p.serving(p.second)
		return st != nil && len(st.Units) == 1 && !st.Units[0].Here && st.Units[0].Holder == p.first.name
	}, time.Minute, 2*time.Millisecond)
}

// agree waits until the switch has the groups that the controller knows, no more and no less: what another one had
// done to it would stay.
func (p *pair) agree() {
	p.t.Helper()
	var knows, has []int
	ok := func() bool {
		groups, err := p.Admin.Groups(p.ctx)
		if err != nil {
			return false
		}
		list, err := p.P4RT.ReadTable(p.ctx, p.Cluster.Info, names.TableLeader)
		if err != nil {
			return false
		}
		knows, has = nil, nil
		for _, g := range groups {
			knows = append(knows, int(g.Index))
		}
		for _, e := range list {
			has = append(has, int(p4rtclient.ToUint(e.Get(names.TableLeaderKeyHdrBridgeGroup))))
		}
		slices.Sort(knows)
		slices.Sort(has)
		return len(has) > 0 && slices.Equal(knows, has)
	}
	require.Eventually(p.t, ok, time.Minute, 10*time.Millisecond, "the controller knows groups %v, the switch has %v", &knows, &has)
}

// poison has a controller make a group, which it must not do any more.
func (p *pair) poison(c *controller) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- c.admin.CreateGroup(p.ctx, "-", group.Static{Name: "poison", Port: 4999, Policy: "all", Receivers: []group.Receiver{{Addr: p.Lab.Hosts[0].IP, Port: 4999}}})
	}()
	return done
}

func (p *pair) notPoisoned(done <-chan error) {
	p.t.Helper()
	select {
	case err := <-done:
		p.t.Logf("it says: %v", err)
		require.Error(p.t, err)
	case <-p.ctx.Done():
		p.t.Fatal("it does not answer")
	}
	list, err := p.first.admin.StaticGroups(p.ctx)
	p.ok(err)
	require.Empty(p.t, list)
}

// The controller that has the switch is killed: the other one has it before long, running groups notice
// nothing, and new ones form. Then the other one is killed together with a replica: the first, which was
// started again, forms the group that the leader asks for.
func TestControllerPairKilled(t *testing.T) {
	p := startPair(t)
	p.unnoticed(func() {
		at := time.Now()
		p.first.proc.Kill()
		p.taken(at)
		p.progress()
		p.begin(p.second)
		p.stands()
	})
	p.accelerated()
	before := p.groups()
	victim := p.follower()
	at := time.Now()
	p.first.proc.Kill()
	p.Kill(victim)
	p.taken(at)
	require.Eventually(t, func() bool {
		list, err := p.Admin.Groups(p.ctx)
		running := false
		for _, g := range list {
			running = running || g.Phase == "running"
		}
		return err == nil && running && !reflect.DeepEqual(before, p.groups())
	}, time.Minute, 2*time.Millisecond, "a new group")
	t.Logf("a new group %v after the controller and a replica were killed", time.Since(at).Round(time.Millisecond))
	p.progress()
	p.ok(p.Restart(victim))
	p.ok(p.Full(p.ctx, victim))
	p.accelerated()
	p.progress()
	p.finish()
}

// The controller that has the switch is paused for longer than its lease, and goes on in the middle of what it
// did: it changes nothing, neither in the switch nor in etcd.
func TestControllerPairPaused(t *testing.T) {
	p := startPair(t)
	p.unnoticed(func() {
		paused := p.first
		at := time.Now()
		p.ok(paused.proc.Signal(syscall.SIGSTOP))
		defer func() { p.ok(paused.proc.Signal(syscall.SIGCONT)) }()
		p.taken(at)
		p.progress()
		done := p.poison(paused)
		p.ok(paused.proc.Signal(syscall.SIGCONT))
		p.notPoisoned(done)
		p.stands()
		p.progress()
		p.agree()
	})
	p.regroups()
	p.finish()
}

// The controller that has the switch is cut off from etcd: it gives the switch up before another has it, and stands
// by when it can reach etcd again.
func TestControllerPairCutOff(t *testing.T) {
	p := startPair(t)
	p.unnoticed(func() {
		at := time.Now()
		p.first.proxy.Cut()
		defer p.second.proxy.Heal()
		defer p.first.proxy.Heal()
		p.taken(at)
		here, _ := p.serving(p.second)
		require.False(t, here, "both have the switch")
		p.progress()
		p.notPoisoned(p.poison(p.second))
		p.second.proxy.Heal()
		p.stands()
		p.progress()
		p.agree()
	})
	p.regroups()
	p.finish()
}
