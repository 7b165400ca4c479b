package fault

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/network"
	"github.com/p4ce/p4ce/lab/runner"
	onepipelab "github.com/p4ce/p4ce/systems/onepipe/lab"
	onepipestore "github.com/p4ce/p4ce/systems/onepipe/lab/store"
)

// onepipeRun is a store on 1Pipe under test, with clients.
type onepipeRun struct {
	*onepipestore.Store
	t    *testing.T
	ctx  context.Context
	load *load
}

func startOnepipe(t *testing.T, bad map[string]network.Rates, flags ...string) *onepipeRun {
	t.Helper()
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	log := &lab.Log{}
	n, err := onepipelab.Start(ctx, onepipelab.Options{Dir: t.TempDir(), Binary: binary, Target: "xdp", Log: log, Bad: bad})
	r := &onepipeRun{t: t, ctx: ctx}
	t.Cleanup(func() {
		if r.Store != nil {
			r.Store.Close()
		}
		if n != nil {
			n.Close()
		}
		cancel()
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	require.NoError(t, err)
	r.Store, err = onepipestore.Start(n, append([]string{"--timeout", "2s", "--beacon-interval", "500us"}, flags...)...)
	require.NoError(t, err)
	r.all()
	r.load = startLoad(ctx, r.Store)
	r.progress()
	return r
}

func (r *onepipeRun) progress() {
	r.t.Helper()
	r.load.progress(r.t, 200)
}

func (r *onepipeRun) ok(err error) {
	r.t.Helper()
	require.NoError(r.t, err)
}

// serves waits until a server serves in a view of so many members.
func (r *onepipeRun) serves(i int, members string) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		info, err := r.Server(i).Info("replication")
		return err == nil && info["state"] == "serves" && info["members"] == members
	}, time.Minute, 5*time.Millisecond, "server %d: %s", i, members)
}

func (r *onepipeRun) all() {
	r.t.Helper()
	for i := range r.Servers() {
		r.serves(i, "[h1 h2 h3 h4]")
	}
}

// finish ends the clients when all servers are members again, checks what they saw, and that all servers are equal.
func (r *onepipeRun) finish() {
	r.t.Helper()
	r.all()
	r.progress()
	r.load.stop(r.t)
	require.NoError(r.t, r.Equal(r.ctx))
}

func TestOnepipeNoFault(t *testing.T) {
	r := startOnepipe(t, nil)
	r.finish()
}

// Servers die and come back: one, with requests under way; then two together; then all.
func TestOnepipeServersKilled(t *testing.T) {
	r := startOnepipe(t, nil, "--fsync")
	kill := func(list ...int) {
		t.Helper()
		for _, i := range list {
			r.Server(i).Proc.Kill()
		}
		for _, i := range list {
			<-r.Server(i).Proc.Done()
		}
		if len(list) < r.Servers() {
			r.progress()
		}
		for _, i := range list {
			r.ok(r.Restart(i))
		}
		r.all()
		r.progress()
	}
	kill(0)
	kill(1, 3)
	kill(0, 1, 2, 3)
	r.finish()
}

// A leaf dies, and its hosts with it: the others go on. When it is back, their servers join again by themselves.
func TestOnepipeLeafKilled(t *testing.T) {
	r := startOnepipe(t, nil)
	r.all()
	r.Kill("leaf2")
	r.serves(0, "[h1 h2]")
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "leaf2"))
	r.finish()
}

// The spine dies: the part of the network with the most hosts goes on, the other one joins again when the spine is back.
func TestOnepipeSpineKilled(t *testing.T) {
	r := startOnepipe(t, nil)
	r.all()
	r.Kill("spine")
	r.serves(0, "[h1 h2]")
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "spine"))
	r.finish()
}

// A host's cable is cut, and mended: its server has failed, and joins again by itself.
func TestOnepipeHostCut(t *testing.T) {
	r := startOnepipe(t, nil)
	r.all()
	r.ok(r.SetPort("leaf1", "h1", false))
	r.serves(1, "[h2 h3 h4]")
	r.progress()
	r.ok(r.SetPort("leaf1", "h1", true))
	r.finish()
}

// The controller is killed, a server dies meanwhile, and the next controller takes it out.
func TestOnepipeControllerKilled(t *testing.T) {
	r := startOnepipe(t, nil)
	r.all()
	r.Controller().Kill()
	<-r.Controller().Done()
	r.progress()
	r.Server(2).Proc.Kill()
	<-r.Server(2).Proc.Done()
	r.ok(r.LaunchController(runner.Controller))
	r.serves(0, "[h1 h2 h4]")
	r.progress()
	r.ok(r.Restart(2))
	r.finish()
}

// A server is stopped for longer than the others wait: it has failed, and joins again as another member when it goes on.
func TestOnepipeServerPaused(t *testing.T) {
	r := startOnepipe(t, nil)
	r.all()
	r.ok(r.Server(1).Proc.Pause())
	r.serves(0, "[h1 h3 h4]")
	r.progress()
	r.ok(r.Server(1).Proc.Resume())
	r.finish()
}

// Links lose, double, hold back and damage packets: nothing is lost, and nothing happens twice.
func TestOnepipeBadLinks(t *testing.T) {
	for name, rates := range map[string]network.Rates{
		"loss": {Loss: 0.02}, "duplicate": {Duplicate: 0.3}, "corrupt": {Corrupt: 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			links := []string{"leaf1-h1", "leaf1-spine", "leaf2-h4"}
			bad := map[string]network.Rates{}
			for _, l := range links {
				bad[l] = rates
			}
			r := startOnepipe(t, bad)
			r.progress()
			for _, l := range links {
				b := r.BadLink(l)
				require.Equal(t, rates.Loss > 0, b.Lost.Load() > 0, l)
				require.Equal(t, rates.Duplicate > 0, b.Duplicated.Load() > 0, l)
				require.Equal(t, rates.Corrupt > 0, b.Corrupted.Load() > 0, l)
				b.Mend()
			}
			r.finish()
		})
	}
}
