package fault

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/store/embedded"
	"github.com/p4ce/p4ce/lab"
	ctrlpaxos "github.com/p4ce/p4ce/systems/paxos/control"
	paxoslab "github.com/p4ce/p4ce/systems/paxos/lab"
	paxosstore "github.com/p4ce/p4ce/systems/paxos/lab/store"
)

// The network of these tests: two switches with hosts, and behind them leaders, acceptors, one
// to spare, and learners. Whichever of those fails, the hosts are reached.
//
//	l1 a1 a4 s1        l2 a2 a3
//	      \|            |/
//	      t1 --------- t2
//	     h1  h2         h3
const deployment = `{
  "controller": {"address": "10.0.0.250", "mac": "02:00:00:00:00:fa"},
  "switches": [
    {"name": "t1", "p4runtime": "unix:%[1]s/t1.rt", "mac": "02:00:00:00:01:01"},
    {"name": "t2", "p4runtime": "unix:%[1]s/t2.rt", "mac": "02:00:00:00:01:02"},
    {"name": "l1", "p4runtime": "unix:%[1]s/l1.rt", "mac": "02:00:00:00:01:03"},
    {"name": "l2", "p4runtime": "unix:%[1]s/l2.rt", "mac": "02:00:00:00:01:04", "learner": "10.0.2.2"},
    {"name": "s1", "p4runtime": "unix:%[1]s/s1.rt", "mac": "02:00:00:00:01:05", "learner": "10.0.2.1"},
    {"name": "a1", "p4runtime": "unix:%[1]s/a1.rt", "mac": "02:00:00:00:01:11", "acceptor": "10.0.1.1"},
    {"name": "a2", "p4runtime": "unix:%[1]s/a2.rt", "mac": "02:00:00:00:01:12", "acceptor": "10.0.1.2"},
    {"name": "a3", "p4runtime": "unix:%[1]s/a3.rt", "mac": "02:00:00:00:01:13", "acceptor": "10.0.1.3"},
    {"name": "a4", "p4runtime": "unix:%[1]s/a4.rt", "mac": "02:00:00:00:01:14", "acceptor": "10.0.1.4"}
  ],
  "links": [["t1:1", "t2:1"], ["t1:2", "l1:1"], ["t1:3", "a1:1"], ["t1:4", "a4:1"], ["t1:5", "s1:1"], ["t2:2", "l2:1"], ["t2:3", "a2:1"], ["t2:4", "a3:1"]],
  "hosts": [
    {"name": "h1", "at": "t1:11", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"},
    {"name": "h2", "at": "t1:12", "address": "10.0.3.2", "mac": "02:00:00:00:03:02"},
    {"name": "h3", "at": "t2:11", "address": "10.0.3.3", "mac": "02:00:00:00:03:03"}
  ],
  "applications": [{
    "name": "log", "leader": {"address": "10.0.0.100", "mac": "02:00:00:00:00:64"},
    "leaders": ["l1", "l2"], "acceptors": ["a1", "a2", "a3"], "spares": ["a4"], "learners": ["s1", "l2"],
    "replicas": ["h1", "h2", "h3"], "proposers": ["h1", "h2", "h3"],
    "state": {"h1": "unix:%[1]s/h1.state", "h2": "unix:%[1]s/h2.state", "h3": "unix:%[1]s/h3.state"}
  }]
}
`

// paxosRun is a store on Paxos under test, with clients.
type paxosRun struct {
	*paxosstore.Store
	t    *testing.T
	ctx  context.Context
	load *load
}

func startPaxos(t *testing.T, bad map[string]paxoslab.Rates, kept ...string) *paxosRun {
	t.Helper()
	return startPaxosIn(t, 90*time.Second, paxoslab.Options{Dir: t.TempDir(), Deployment: deployment, Bad: bad, Kept: kept})
}

// startPaxosIn is startPaxos for any network.
func startPaxosIn(t *testing.T, limit time.Duration, o paxoslab.Options) *paxosRun {
	t.Helper()
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	log := &lab.Log{}
	o.Binary, o.Target, o.Log = binary, "xdp", log
	n, err := paxoslab.Start(ctx, o)
	r := &paxosRun{t: t, ctx: ctx}
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
	r.Store, err = paxosstore.Start(n, "--timeout", "2s")
	require.NoError(t, err)
	r.load = startLoad(ctx, r.Store)
	r.load.progress(t, 200)
	return r
}

func (r *paxosRun) progress() {
	r.t.Helper()
	r.load.progress(r.t, 200)
}

// finish ends the clients, checks what they saw, and that all servers are equal.
func (r *paxosRun) finish() {
	r.t.Helper()
	r.load.stop(r.t)
	require.NoError(r.t, r.Equal(r.ctx))
}

// await waits until the controller says something of the log.
func (r *paxosRun) await(what string, is func(*ctrlpaxos.Info) bool) *ctrlpaxos.Info {
	r.t.Helper()
	var last *ctrlpaxos.Info
	for {
		a, err := r.Application(r.ctx)
		if err == nil {
			if last = a; is(a) {
				return a
			}
		}
		select {
		case <-r.ctx.Done():
			require.Fail(r.t, what, "%+v", last)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (r *paxosRun) leads(name string) *ctrlpaxos.Info {
	r.t.Helper()
	return r.await(name+" leads", func(a *ctrlpaxos.Info) bool { return a.State == "running" && a.Leader == name })
}

// begins has a switch lead: on a machine that is busy another one may do so already.
func (r *paxosRun) begins(name string) *ctrlpaxos.Info {
	r.t.Helper()
	a := r.await("somebody leads", func(a *ctrlpaxos.Info) bool { return a.State == "running" && a.Leader != "" })
	if a.Leader != name {
		r.ok(r.Lead(r.ctx, "log", name))
	}
	return r.leads(name)
}

// accepts says whether a switch is an acceptor that votes.
func accepts(a *ctrlpaxos.Info, name string) bool {
	for _, m := range a.Acceptors {
		if m.Switch == name && m.State == "ready" {
			return true
		}
	}
	return false
}

// other says whether a switch is ready that is no acceptor.
func other(a *ctrlpaxos.Info, name string) bool {
	for _, m := range a.Others {
		if m.Switch == name && m.State == "ready" {
			return true
		}
	}
	return false
}

func (r *paxosRun) ok(err error) {
	r.t.Helper()
	require.NoError(r.t, err)
}

func TestPaxosNoFault(t *testing.T) {
	r := startPaxos(t, nil)
	r.progress()
	r.finish()
}

// The leader dies, the next one leads; it comes back, having forgotten everything, and leads
// again when it is told to.
func TestPaxosLeaderKilled(t *testing.T) {
	r := startPaxos(t, nil)
	before := r.begins("l1")
	r.Switch("l1").Kill()
	after := r.leads("l2")
	require.Greater(t, after.Round, before.Round)
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "l1"))
	r.await("l1 is back", func(a *ctrlpaxos.Info) bool { return other(a, "l1") })
	r.ok(r.Lead(r.ctx, "log", "l1"))
	r.progress()
	r.finish()
}

// Two switches believe that they lead, and both are given requests: nobody can tell the first
// one, nor the switch that sends it the requests of two hosts. A majority of the acceptors votes for
// nothing of it any more.
func TestPaxosTwoLeaders(t *testing.T) {
	r := startPaxos(t, nil)
	r.begins("l1")
	r.ok(r.Switch("t1").Pause())
	r.ok(r.Switch("l1").Pause())
	ordered := make(chan error, 1)
	go func() { ordered <- r.Lead(r.ctx, "log", "l2") }()
	c := r.Client(2) // its requests go to l2, when that leads
	defer c.Close()
	r.await("l2 leads", func(a *ctrlpaxos.Info) bool { return a.Leader == "l2" })
	for err := error(errUnanswered); err != nil; {
		err = c.Set(r.ctx, "written", "by l2", 0).Err()
		require.True(t, err == nil || isUnknown(err) && r.ctx.Err() == nil, "%v", err)
	}
	own := r.load.done.Load()
	r.ok(r.Switch("t1").Signal(syscall.SIGCONT))
	r.ok(r.Switch("l1").Signal(syscall.SIGCONT))
	r.ok(<-ordered)
	r.progress()
	require.Greater(t, r.load.done.Load(), own)
	for i := range r.Servers() {
		s := r.Client(i)
		got, err := s.Get(r.ctx, "written").Result()
		_ = s.Close()
		r.ok(err)
		require.Equal(t, "by l2", got)
	}
	r.finish()
}

// An acceptor dies: nobody notices. Then the spare takes its place, so that another one may die.
func TestPaxosAcceptorKilled(t *testing.T) {
	r := startPaxos(t, nil)
	r.Switch("a1").Kill()
	r.progress()
	r.await("the spare is an acceptor", func(a *ctrlpaxos.Info) bool { return accepts(a, "a4") && !accepts(a, "a1") })
	r.Switch("a2").Kill()
	r.progress()
	r.finish()
}

// An acceptor forgets, and is back at once: it is not taken for who it was.
func TestPaxosAcceptorForgets(t *testing.T) {
	r := startPaxos(t, nil)
	life := func(a *ctrlpaxos.Info, name string) uint32 {
		for _, m := range a.Acceptors {
			if m.Switch == name && m.State == "ready" {
				return m.Life
			}
		}
		return 0
	}
	first := r.begins("l1")
	r.Switch("a2").Kill()
	r.ok(r.StartSwitch(r.ctx, "a2"))
	r.await("another acceptor in its place", func(a *ctrlpaxos.Info) bool {
		return len(a.Acceptors) == 3 && a.State == "running" && (accepts(a, "a4") || life(a, "a2") != 0 && life(a, "a2") != life(first, "a2"))
	})
	r.progress()
	r.finish()
}

// A learner dies, and the other one delivers; then that one and the leader, which are one switch,
// when the first is back.
func TestPaxosLearnerKilled(t *testing.T) {
	r := startPaxos(t, nil)
	r.Switch("s1").Kill()
	r.progress()
	r.ok(r.StartSwitch(r.ctx, "s1"))
	r.await("s1 is a learner again", func(a *ctrlpaxos.Info) bool { return other(a, "s1") })
	r.Switch("l2").Kill()
	r.progress()
	r.finish()
}

// Servers die and come back: one, with requests under way; then all of them.
func TestPaxosServersKilled(t *testing.T) {
	r := startPaxos(t, nil)
	r.Server(0).Proc.Kill()
	r.progress()
	r.ok(r.Restart(0))
	r.progress()
	for i := range r.Servers() {
		r.Server(i).Proc.Kill()
	}
	for i := range r.Servers() {
		<-r.Server(i).Proc.Done()
		r.ok(r.Restart(i))
	}
	r.progress()
	r.finish()
}

// A server is away until the switches have forgotten what comes next for it, and gets the state
// of another one; so does one that was stopped, and one that has lost its disk cannot go on.
func TestPaxosFarBehind(t *testing.T) {
	r := startPaxos(t, nil)
	paused, away := 1, 2
	fetched := func(i int) {
		t.Helper()
		require.Eventually(t, func() bool {
			info, err := r.Server(i).Info("replication")
			return err == nil && info["states_fetched"] != "" && info["states_fetched"] != "0"
		}, time.Minute, 5*time.Millisecond, "server %d", i)
		r.progress()
	}
	r.ok(r.Server(paused).Proc.Pause())
	r.overtake()
	r.ok(r.Server(paused).Proc.Resume())
	fetched(paused)
	r.Server(away).Proc.Kill()
	r.overtake()
	r.ok(r.Restart(away))
	fetched(away)
	r.finish()

	r.Server(away).Proc.Kill()
	<-r.Server(away).Proc.Done()
	r.ok(r.Forget(away))
	r.ok(r.Restart(away))
	select {
	case <-r.Server(away).Proc.Done():
	case <-r.ctx.Done():
		r.Server(away).Proc.Dump()
		t.Fatal("it goes on")
	}
	require.Contains(t, r.Server(away).Proc.Tail(), "a host that has lost its disk is another host")
}

// overtake has server 0 write until the switches have forgotten what was next.
func (r *paxosRun) overtake() {
	r.t.Helper()
	at, err := r.Application(r.ctx)
	r.ok(err)
	r.await("instances are forgotten", func(a *ctrlpaxos.Info) bool {
		r.fill()
		return a.First > at.Next
	})
}

// fill writes many instances at server 0.
func (r *paxosRun) fill() {
	r.t.Helper()
	c := r.Client(0)
	defer c.Close()
	err := c.Set(r.ctx, "big", strings.Repeat("x", 1<<18), 0).Err()
	require.True(r.t, err == nil || isUnknown(err), "%v", err)
}

// No server puts a checkpoint on its disk any more: the ring is full, and nothing is decided that
// would not fit. When they do again it goes on.
func TestPaxosRingFull(t *testing.T) {
	r := startPaxos(t, nil)
	for _, i := range []int{1, 2} { // of three: no majority has one
		r.ok(r.Server(i).Proc.Pause())
	}
	full := func() bool {
		info, err := r.Server(0).Info("replication")
		r.ok(err)
		return info["requests_refused"] != "0"
	}
	for !full() && r.ctx.Err() == nil {
		r.fill()
	}
	a, err := r.Application(r.ctx)
	r.ok(err)
	for _, i := range []int{1, 2} {
		r.ok(r.Server(i).Proc.Resume())
	}
	r.await("the window moves", func(b *ctrlpaxos.Info) bool { return b.First > a.First })
	r.progress()
	r.finish()
}

// Links lose, double, hold back and damage packets: those to a host, to the leader, and between
// the switches. Nothing is lost, and nothing happens twice.
func TestPaxosBadLinks(t *testing.T) {
	for name, rates := range map[string]paxoslab.Rates{
		"loss": {Loss: 0.05}, "duplicate": {Duplicate: 0.3}, "reorder": {Reorder: 0.2}, "corrupt": {Corrupt: 0.05},
		"all": {Loss: 0.02, Duplicate: 0.05, Reorder: 0.05, Corrupt: 0.02},
	} {
		t.Run(name, func(t *testing.T) {
			links := []string{"t1-h1", "l1-t1", "t1-t2"}
			bad := map[string]paxoslab.Rates{}
			for _, l := range links {
				bad[l] = rates
			}
			r := startPaxos(t, bad)
			r.progress()
			for _, l := range links {
				b := r.BadLink(l)
				require.Equal(t, rates.Loss > 0, b.Lost.Load() > 0, l)
				require.Equal(t, rates.Duplicate > 0, b.Duplicated.Load() > 0, l)
				require.Equal(t, rates.Reorder > 0, b.Reordered.Load() > 0, l)
				require.Equal(t, rates.Corrupt > 0, b.Corrupted.Load() > 0, l)
				b.Mend()
			}
			r.finish()
		})
	}
}

// The controller is killed, the leader dies meanwhile, and the next controller goes on from the
// journal: in a round that was never used.
func TestPaxosControllerKilled(t *testing.T) {
	r := startPaxos(t, nil)
	before := r.begins("l1")
	r.Controller().Kill()
	<-r.Controller().Done()
	r.progress()
	r.Switch("l1").Kill()
	r.ok(r.LaunchController("controller")) // it is ready when it has all switches, and l1 is gone
	after := r.leads("l2")
	require.Greater(t, after.Round, before.Round)
	r.progress()
	r.finish()
}

// The controller is killed together with the leader; another one, which stood by, goes on from the rounds in etcd, and is
// paused in its turn for longer than its lease: the third one goes on, and no round is used twice.
func TestPaxosControllerPair(t *testing.T) {
	wanted(t)
	dir, err := os.MkdirTemp("", "p4ce-etcd-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	etcd, err := embedded.Start(filepath.Join(dir, "etcd"), nil)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	kept := []string{"--store", "etcd:" + etcd.Endpoint}
	r := startPaxos(t, nil, kept...)
	before := r.begins("l1")
	second, err := r.StartStandby(r.ctx, "second", kept...)
	r.ok(err)
	at := time.Now()
	r.Controller().Kill()
	r.Switch("l1").Kill()
	r.Ask("second")
	after := r.leads("l2")
	t.Logf("l2 leads %v after the controller and l1 were killed", time.Since(at).Round(time.Millisecond))
	require.Greater(t, after.Round, before.Round)
	r.progress()

	r.ok(r.StartSwitch(r.ctx, "l1"))
	r.await("l1 is back", func(a *ctrlpaxos.Info) bool { return other(a, "l1") })
	_, err = r.StartStandby(r.ctx, "third", kept...)
	r.ok(err)
	r.ok(second.Signal(syscall.SIGSTOP))
	r.progress()
	r.Ask("third")
	r.await("the third controller has the switches", func(a *ctrlpaxos.Info) bool { return a.State == "running" && a.Leader == "l2" })
	r.ok(r.Lead(r.ctx, "log", "l1"))
	last := r.leads("l1")
	require.Greater(t, last.Round, after.Round)
	r.ok(second.Signal(syscall.SIGCONT))
	r.Ask("second")
	require.Eventually(t, func() bool {
		_, err := r.Application(r.ctx)
		return err != nil && strings.Contains(err.Error(), "is a standby")
	}, time.Minute, 5*time.Millisecond)
	r.progress()
	r.Ask("third")
	require.Equal(t, last.Round, r.leads("l1").Round)
	r.finish()
}
