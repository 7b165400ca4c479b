package test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/link"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
	"github.com/p4ce/p4ce/systems/amcast/lab"
)

// both runs a test on both targets.
func both(t *testing.T, run func(t *testing.T, o lab.Options)) {
	for _, target := range []string{"interp", "xdp"} {
		t.Run(target, func(t *testing.T) {
			if target == "xdp" {
				needs.Root(t, "XDP and network namespaces")
			}
			run(t, lab.Options{Target: target})
		})
	}
}

// during has hosts send while something happens, which begins when some of it is delivered.
func during(ctx context.Context, t *testing.T, l *ledger, each int, happens func(), names ...string) {
	t.Helper()
	var sending sync.WaitGroup
	errs := make([]error, len(names))
	for i, name := range names {
		sending.Go(func() { errs[i] = l.send(ctx, name, each) })
	}
	first := seat{1, "h1"}
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.logs[first]) > 0
	}, time.Minute, time.Millisecond)
	happens()
	sending.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

// A leaf dies that leads two groups, with the hosts behind it. Others lead, and the hosts of the other leaf deliver everything
// that any of them has, and what they send themselves.
func TestLeaderDies(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		ctx, n, hosts := start(t, o)
		l := newLedger(t, n, hosts)
		rest := []string{"h4", "h5", "h6"}
		during(ctx, t, l, 20, func() {
			l.mu.Lock()
			for _, h := range []string{"h1", "h2", "h3"} {
				l.dead[h] = true
			}
			l.mu.Unlock()
			n.Kill("leaf1")
		}, rest...)
		_, err := n.Await(ctx, lab.Running("leaf1"))
		require.NoError(t, err)
		l.multicast(ctx, 5, rest...)
		l.await(ctx)
	})
}

// A spine dies, which is a follower of all groups, and on the way between the leaves. A spare takes its place.
func TestFollowerDies(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		ctx, n, hosts := start(t, o)
		l := newLedger(t, n, hosts)
		during(ctx, t, l, 20, func() { n.Kill("spine1") }, n.Hosts()...)
		_, err := n.Await(ctx, lab.Running("spine1"))
		require.NoError(t, err)
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
	})
}

// A switch begins anew, and has forgotten everything: it is a member again in a new epoch, with what the others know.
func TestSwitchForgets(t *testing.T) {
	for _, name := range []string{"spine2", "leaf1"} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, o lab.Options) {
				ctx, n, hosts := start(t, o)
				l := newLedger(t, n, hosts)
				during(ctx, t, l, 20, func() {
					n.Kill(name)
					<-n.Switch(name).Done()
					require.NoError(t, n.StartSwitch(ctx, name))
				}, n.Hosts()...)
				list, err := n.Await(ctx, lab.Running(""))
				require.NoError(t, err)
				for _, g := range list {
					if slices.ContainsFunc(g.Members, func(m control.MemberStatus) bool { return m.Switch == name }) {
						require.Greater(t, g.Epoch, uint32(1), "group %d", g.Number)
					}
				}
				l.multicast(ctx, 5, n.Hosts()...)
				l.await(ctx)
			})
		})
	}
}

// The controller dies: messages are delivered without it. Then a switch forgets everything, and the next controller sees that.
func TestControllerDies(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		ctx, n, hosts := start(t, o)
		l := newLedger(t, n, hosts)
		before := epochs(ctx, t, n)
		during(ctx, t, l, 10, func() { n.Controller().Kill() }, n.Hosts()...)
		<-n.Controller().Done()
		l.await(ctx)
		require.NoError(t, n.StartController(ctx))
		require.Equal(t, before, epochs(ctx, t, n), "what runs goes on")
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
		n.Controller().Kill()
		n.Kill("leaf2")
		<-n.Controller().Done()
		<-n.Switch("leaf2").Done()
		require.NoError(t, n.StartSwitch(ctx, "leaf2"))
		require.NoError(t, n.StartController(ctx))
		_, err := n.Await(ctx, lab.Running(""))
		require.NoError(t, err)
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
	})
}

// epochs are those of all groups, when all run. On a busy machine a group does not begin with all switches, and has had others.
func epochs(ctx context.Context, t *testing.T, n *lab.Network) map[int]uint32 {
	t.Helper()
	list, err := n.Await(ctx, lab.Running(""))
	require.NoError(t, err)
	of := map[int]uint32{}
	for _, g := range list {
		of[int(g.Number)] = g.Epoch
	}
	return of
}

// Two controllers keep their records in etcd. The first one dies, and then a leaf, of which only the second one hears: it goes on
// with the epochs of the first.
func TestControllersInEtcd(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		dir, err := os.MkdirTemp("", "amcast-etcd-") // sockets have short paths
		require.NoError(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		etcd, err := embedded.Start(filepath.Join(dir, "etcd"), nil)
		require.NoError(t, err)
		t.Cleanup(etcd.Close)
		o.Kept = []string{"--store", "etcd:" + etcd.Endpoint}
		ctx, n, hosts := start(t, o)
		l := newLedger(t, n, hosts)
		require.NoError(t, n.StartStandby(ctx, "second"))
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
		before := epochs(ctx, t, n)
		list, err := n.Await(ctx, lab.Running(""))
		require.NoError(t, err)
		has := func(g *control.GroupStatus, name string) bool {
			return slices.ContainsFunc(g.Members, func(m control.MemberStatus) bool { return m.Switch == name })
		}
		n.Controller().Kill()
		n.Kill("spine1")
		n.Ask("second")
		_, err = n.Await(ctx, func(g *control.GroupStatus) bool { return lab.Running("")(g) && !has(g, "spine1") })
		require.NoError(t, err)
		now := epochs(ctx, t, n)
		for _, g := range list {
			if has(&g, "spine1") {
				require.Greater(t, now[int(g.Number)], before[int(g.Number)], "group %d", g.Number)
			} else {
				require.Equal(t, before[int(g.Number)], now[int(g.Number)], "group %d", g.Number)
			}
		}
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
	})
}

// Other members are wanted: they have everything, and the first one leads.
func TestMembersChange(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		ctx, n, hosts := start(t, o)
		l := newLedger(t, n, hosts)
		during(ctx, t, l, 20, func() {
			require.NoError(t, n.Client().SetMembers(ctx, 1, []string{"leaf2", "spine1", "spine2"}))
			require.NoError(t, n.Client().SetMembers(ctx, 3, []string{"spine1"}))
		}, n.Hosts()...)
		_, err := n.Await(ctx, func(g *control.GroupStatus) bool {
			switch {
			case g.State != "running":
				return false
			case g.Number == 1:
				return g.Leader == "leaf2" && len(g.Members) == 3
			case g.Number == 3:
				return g.Leader == "spine1" && len(g.Members) == 1
			}
			return true
		})
		require.NoError(t, err)
		l.multicast(ctx, 5, n.Hosts()...)
		l.await(ctx)
		require.ErrorContains(t, n.Client().SetMembers(ctx, 9, []string{"leaf1"}), "group 9: is not known")
		require.ErrorContains(t, n.Client().SetMembers(ctx, 1, []string{"leaf1", "leaf1"}), "named twice")
	})
}

// cut is a link of a host that dies: from a moment on only so many more frames leave.
type cut struct {
	link.Link
	mu    sync.Mutex
	armed bool
	left  int
	gone  bool // the last one has left
}

// Flush implements link.Link.
func (c *cut) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = c.armed && c.left == 0
	return c.Link.Flush()
}

// Send implements link.Link.
func (c *cut) Send(f []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed {
		var p amcast.Packet
		if _, err := p.Parse(f); err != nil || p.Kind != amcast.MsgStart || c.left == 0 {
			return
		}
		c.left--
	}
	c.Link.Send(f)
}

// A host dies when some of the packets of a message have left: to the leader of one of two groups bare, and full, and to that
// of the other. What has come to a replica is delivered everywhere; what has not is delivered nowhere; nobody stands still.
func TestHostDies(t *testing.T) {
	both(t, func(t *testing.T, o lab.Options) {
		all := []int{0, 1, 2, 3, 4}
		if o.Target == "xdp" {
			all = []int{1, 3} // the rest is the hosts' alone
		}
		for _, left := range all {
			t.Run(fmt.Sprint(left), func(t *testing.T) {
				var c *cut
				o.Wrap = func(host string, l link.Link) link.Link {
					if host == "h2" {
						c = &cut{Link: l, left: left}
						return c
					}
					return l
				}
				ctx, n, hosts := start(t, o)
				l := newLedger(t, n, hosts)
				l.multicast(ctx, 3, n.Hosts()...)
				l.await(ctx)
				require.NoError(t, hosts["h2"].Flush(ctx), "nothing else is started again")
				c.mu.Lock()
				c.armed = true
				c.mu.Unlock()
				l.mu.Lock()
				l.dead["h2"] = true
				groups, err := amcast.NewGroups(1, 3)
				require.NoError(t, err)
				id, err := hosts["h2"].Multicast(ctx, groups, []byte("the last words"))
				require.NoError(t, err)
				l.sent[id] = sent{groups, "the last words", "h2"}
				l.mu.Unlock()
				require.Eventually(t, func() bool {
					c.mu.Lock()
					defer c.mu.Unlock()
					return c.gone
				}, time.Minute, time.Millisecond)
				n.KillHost("h2")
				l.multicast(ctx, 20, "h1", "h3", "h4", "h5", "h6")
				l.await(ctx)
				l.mu.Lock()
				defer l.mu.Unlock()
				for s, log := range l.logs {
					has := false
					for _, d := range log {
						has = has || d.ID == id
					}
					if groups.Has(s.group) {
						require.Equal(t, left >= 2, has, "%v", s)
					}
				}
			})
		}
	})
}
