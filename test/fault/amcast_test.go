package fault

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/admin"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	amcastlab "github.com/p4ce/p4ce/systems/amcast/lab"
	"github.com/p4ce/p4ce/systems/amcast/lab/traffic"
)

// amcastRun is a store of partitions over atomic multicast under test, with clients whose transactions are judged.
type amcastRun struct {
	*traffic.Traffic
	t   *testing.T
	ctx context.Context
	net *amcastlab.Network
}

// amcastClients are those of each host.
const amcastClients = 2

func startAmcast(t *testing.T, bad map[string]network.Rates) *amcastRun {
	t.Helper()
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	log := &lab.Log{}
	n, err := amcastlab.Start(ctx, amcastlab.Options{Dir: t.TempDir(), Binary: binary, Target: "xdp", Log: log, Bad: bad})
	r := &amcastRun{t: t, ctx: ctx, net: n}
	t.Cleanup(func() {
		if r.Traffic != nil {
			r.Close()
		}
		if n != nil {
			n.Close()
		}
		cancel()
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	r.ok(err)
	r.Traffic, err = traffic.Start(ctx, n)
	r.ok(err)
	r.Run(amcastClients, 0)
	r.during(500 * time.Millisecond)
	return r
}

func (r *amcastRun) ok(err error) {
	r.t.Helper()
	require.NoError(r.t, err)
}

// progress waits until transactions of each partition end.
func (r *amcastRun) progress() {
	r.t.Helper()
	r.ok(r.Progress(r.ctx, 100))
}

// during waits for progress for so long.
func (r *amcastRun) during(d time.Duration) {
	r.t.Helper()
	for begin := time.Now(); time.Since(begin) < d; {
		r.progress()
	}
}

// whole waits until all groups have all their members, and leaders of which a switch is none.
func (r *amcastRun) whole(but string) {
	r.t.Helper()
	_, err := r.net.Await(r.ctx, amcastlab.Running(but))
	r.ok(err)
}

// finish lets clients go on, ends them, and judges what they have seen, and what replicas have executed.
func (r *amcastRun) finish() {
	r.t.Helper()
	r.during(1500 * time.Millisecond)
	r.Stop()
	r.ok(r.Settle(r.ctx))
	r.t.Log(r.Traffic)
	_, err := r.Judge()
	r.ok(err)
}

// The switch that leads two of three groups dies, and the hosts behind it with it: others lead, and replicas of the other leaf
// go on.
func TestAmcastLeaderKilled(t *testing.T) {
	r := startAmcast(t, nil)
	r.Kill(amcastlab.LeaderDies)
	r.whole("leaf1")
	r.finish()
}

// A follower of all groups dies, and spares take its place. When it is back, the other one dies, whose place it takes.
func TestAmcastFollowersKilled(t *testing.T) {
	r := startAmcast(t, nil)
	r.Kill(amcastlab.SpineDies)
	r.progress()
	r.whole("spine1")
	r.ok(r.net.StartSwitch(r.ctx, "spine1"))
	require.Eventually(t, func() bool {
		s, err := r.net.Client().Status(r.ctx)
		return err == nil && !slices.ContainsFunc(s.Switches, func(s admin.SwitchStatus) bool { return !s.InControl })
	}, time.Minute, 5*time.Millisecond, "the controller has no switch spine1")
	r.progress()
	r.net.Kill("spine2")
	r.whole("spine2")
	r.finish()
}

// A host dies, with a replica: the others go on when the controller has declared it failed.
func TestAmcastHostKilled(t *testing.T) {
	r := startAmcast(t, nil)
	r.Kill(amcastlab.HostDies)
	r.finish()
}

// The controller dies, and transactions go on. A follower dies meanwhile, and the next controller replaces it.
func TestAmcastControllerKilled(t *testing.T) {
	r := startAmcast(t, nil)
	r.Kill(amcastlab.ControllerDies)
	<-r.net.Controller().Done()
	r.progress()
	r.Kill(amcastlab.SpineDies)
	r.ok(r.net.LaunchController(runner.Controller))
	r.whole("spine1")
	r.finish()
}

// Links lose, double and damage packets.
func TestAmcastBadLinks(t *testing.T) {
	bad := map[string]network.Rates{}
	links := []string{"leaf1-spine1", "leaf2-spine2", "leaf2-h4"}
	for _, l := range links {
		bad[l] = network.Rates{Loss: 0.02, Duplicate: 0.1, Corrupt: 0.02}
	}
	r := startAmcast(t, bad)
	r.finish()
	for _, l := range links {
		b := r.net.BadLink(l)
		require.Positive(t, b.Lost.Load(), l)
		require.Positive(t, b.Duplicated.Load(), l)
		require.Positive(t, b.Corrupted.Load(), l)
	}
}

// The controller stands still for longer than hosts may be silent, and a disk may be as slow: no host has failed.
func TestAmcastControllerPaused(t *testing.T) {
	r := startAmcast(t, nil)
	r.ok(r.net.Controller().Pause())
	r.during(2500 * time.Millisecond)
	r.ok(r.net.Controller().Resume())
	r.finish()
	hosts, err := r.net.Client().Hosts(r.ctx)
	r.ok(err)
	for _, h := range hosts {
		require.Equal(t, "admitted", h.State, h.Host)
	}
}
