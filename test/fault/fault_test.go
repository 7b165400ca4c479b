package fault

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/lab"
	"github.com/p4ce/p4ce/lab/impair"
	"github.com/p4ce/p4ce/lab/kvserver"
	"github.com/p4ce/p4ce/lab/launch"
	"github.com/p4ce/p4ce/systems/rdma/lab/store"
)

// binary is p4ce, built once.
var binary string

var logFile = flag.String("log-file", "", "also write what the processes log to this file, as it comes")

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == etcdCommand {
		if err := serveEtcd(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv("P4CE_FAULTS") == "" {
		os.Exit(m.Run()) // every test skips
	}
	dir, err := os.MkdirTemp("", "p4ce-fault-")
	if err == nil {
		binary, err = launch.Build(dir, "p4ce")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	logging.Disable() // go-redis: servers that cannot be reached are what it is about
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// run is a store under test, with clients.
type run struct {
	*store.Store
	t    *testing.T
	ctx  context.Context
	load *load
}

// wanted skips a test that cannot run.
func wanted(t *testing.T) {
	t.Helper()
	needs.Ask(t, "P4CE_FAULTS", "these tests want the machine for themselves (make faults)")
	needs.Root(t, "network namespaces and XDP")
}

// secret puts a token into a file, and is what a flag has of it.
func secret(t *testing.T, token uint64) string {
	t.Helper()
	f := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(f, []byte(fmt.Sprint(token)), 0o600))
	return "@" + f
}

// start starts a store of n servers that replicates through the switch, and clients.
func start(t *testing.T, n int, second bool, flags ...string) *run {
	t.Helper()
	r := open(t, n, second, 3*time.Minute, flags...)
	r.load = startLoad(r.ctx, r.Store)
	r.load.progress(t, 200)
	return r
}

// open starts the store, for a test that takes no longer than limit.
func open(t *testing.T, n int, second bool, limit time.Duration, flags ...string) *run {
	t.Helper()
	return openWith(t, limit, store.Options{Servers: n, Second: second, Flags: flags})
}

// openWith is open for any store.
func openWith(t *testing.T, limit time.Duration, o store.Options) *run {
	t.Helper()
	wanted(t)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	log := &lab.Log{}
	o.Binary, o.Switch, o.Log, o.Token = binary, true, log, 0x5eed
	if *logFile != "" {
		f, err := os.OpenFile(*logFile, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, f.Close()) })
		o.Log = io.MultiWriter(log, f)
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	o.Flags = append([]string{"--timeout", "2s"}, o.Flags...)
	o.Cluster.Pin = true
	if o.Cluster.Controller == nil {
		o.Cluster.Controller = []string{"--store", filepath.Join(o.Dir, "controller"), "--cluster", "1=" + secret(t, 0x5eed)}
	}
	s, err := store.Start(ctx, o)
	t.Cleanup(func() {
		if s != nil {
			s.Close()
		}
		cancel()
		if t.Failed() {
			t.Logf("log of all processes:\n%s", log)
		}
	})
	require.NoError(t, err)
	r := &run{Store: s, t: t, ctx: ctx}
	r.accelerated()
	return r
}

// leader waits for a leader and returns it.
func (r *run) leader() int {
	r.t.Helper()
	l, err := r.Serving(r.ctx)
	require.NoError(r.t, err)
	return l
}

// follower is a server that does not lead now.
func (r *run) follower() int { return (r.leader() + 1) % r.Servers() }

// accelerated waits until writes go through the switch, and returns the leader.
func (r *run) accelerated() int {
	r.t.Helper()
	l, err := r.Mode(r.ctx, "accelerated")
	require.NoError(r.t, err)
	return l
}

// progress waits until the store has served so much more.
func (r *run) progress() {
	r.t.Helper()
	r.load.progress(r.t, 200)
}

// finish ends the clients, checks what they saw, and that all servers are equal.
func (r *run) finish() {
	r.t.Helper()
	r.load.stop(r.t)
	r.equal()
}

// equal checks that all servers have the same state in the end.
func (r *run) equal() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
	defer cancel()
	_, err := r.Whole(ctx, "")
	require.NoError(r.t, err)
	require.NoError(r.t, r.Equal(ctx))
}

// whole waits until all servers are full members that the leader counts on.
func (r *run) whole() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, 2*time.Minute)
	defer cancel()
	_, err := r.Whole(ctx, "")
	require.NoError(r.t, err)
}

func (r *run) ok(err error) {
	r.t.Helper()
	require.NoError(r.t, err)
}

// term is the highest term in which a server has led, 0 if it never has.
func (r *run) term(i int) (term kvserver.Term) {
	for _, e := range r.Events(i) {
		if e.Role == "leader" {
			term = max(term, e.Term)
		}
	}
	return term
}

func TestNoFault(t *testing.T) {
	r := start(t, 3, false)
	r.progress()
	r.finish()
}

// reads runs a test with each of the ways in which a leader answers reads.
func reads(t *testing.T, f func(t *testing.T, flags ...string)) {
	for _, how := range []string{"barrier", "lease"} {
		t.Run(how, func(t *testing.T) { f(t, "--reads", how) })
	}
}

func TestLeaderKilled(t *testing.T) { reads(t, leaderKilled) }

func leaderKilled(t *testing.T, flags ...string) {
	r := start(t, 3, false, flags...)
	old := r.accelerated()
	term := r.term(old)
	r.Kill(old)
	require.False(t, r.Running(old))
	next := r.leader()
	require.NotEqual(t, old, next)
	require.Greater(t, r.term(next), term)
	r.progress()
	r.ok(r.Restart(old))
	r.ok(r.Full(r.ctx, old))
	r.accelerated()
	r.progress()
	r.finish()
}

// read reads a key, whoever leads.
func (r *run) read(key string) (text string, there bool) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		c := r.Client(r.leader())
		defer c.Close()
		v, err := c.Get(r.ctx, key).Result()
		text, there = v, err == nil
		return err == nil || errors.Is(err, redis.Nil)
	}, time.Minute, 5*time.Millisecond, "read %s", key)
	return text, there
}

// A leader that was paused does not decide anything when it goes on, though it takes
// what clients have sent it meanwhile before it can know that it is preempted.
func TestLeaderPaused(t *testing.T) { reads(t, leaderPaused) }

func leaderPaused(t *testing.T, flags ...string) {
	r := start(t, 3, false, flags...)
	old := r.accelerated()
	term := r.term(old)
	before := len(r.Events(old))
	r.ok(r.Pause(old))
	next := r.leader()
	require.NotEqual(t, old, next)
	reached := r.term(next)
	require.Greater(t, reached, term)
	r.progress()

	conn, err := net.Dial("unix", r.Address(old))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "*3\r\n$3\r\nSET\r\n$6\r\npoison\r\n$3\r\nold\r\n")
	require.NoError(t, err)
	r.ok(r.Resume(old))
	r.ok(conn.SetReadDeadline(time.Now().Add(time.Minute)))
	reply, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	t.Logf("the old leader, of term %#x, says: %s", term, strings.TrimSpace(reply))
	r.whole()
	if strings.HasPrefix(reply, "+OK") {
		// It may only have done that as a leader anew.
		require.Eventually(t, func() bool { return r.term(old) > term }, time.Minute, 5*time.Millisecond,
			"the old leader has decided something in its old term")
	} else {
		require.Regexp(t, "^-(MOVED|READONLY|CLUSTERDOWN|UNKNOWN)", reply)
	}
	// What it said is true.
	got, there := r.read("poison")
	switch {
	case strings.HasPrefix(reply, "+OK"):
		require.Equal(t, "old", got)
	case !strings.HasPrefix(reply, "-UNKNOWN"):
		require.False(t, there)
	}
	for _, e := range r.Events(old)[before:] {
		require.False(t, e.Role == "leader" && e.Term <= reached && e.Term != term, "an old term begins anew: %+v", e)
	}
	r.accelerated()
	r.progress()
	r.finish()
}

func TestReplicaKilled(t *testing.T) {
	r := start(t, 3, false)
	leader := r.accelerated()
	term := r.term(leader)
	victim := r.follower()
	r.Kill(victim)
	require.False(t, r.Running(victim))
	r.progress()
	r.ok(r.Restart(victim))
	r.ok(r.Full(r.ctx, victim))
	t.Logf("led in term %#x before, by server %d; now %#x, by server %d", term, leader+1, r.term(r.accelerated()), r.leader()+1)
	r.progress()
	r.finish()
}

func TestTwoOfFiveKilled(t *testing.T) {
	r := start(t, 5, false)
	victims := []int{r.accelerated(), r.follower()}
	for _, v := range victims {
		r.Kill(v)
	}
	require.NotContains(t, victims, r.leader())
	r.progress()
	for _, v := range victims {
		r.ok(r.Restart(v))
	}
	for _, v := range victims {
		r.ok(r.Full(r.ctx, v))
	}
	r.accelerated()
	r.progress()
	r.finish()
}

// groups are the groups that the controller knows.
func (r *run) groups() []string {
	r.t.Helper()
	groups, err := r.Admin.Groups(r.ctx)
	require.NoError(r.t, err)
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprint(g.Index, g.Phase))
	}
	return out
}

// unnoticed does what no server may notice: all events stay as they were, and the
// groups. On a busy machine there may be an election for another reason meanwhile: it
// is then tried again.
func (r *run) unnoticed(what func()) {
	r.t.Helper()
	const attempts = 4
	for n := 1; ; n++ {
		r.accelerated()
		var before, after [][]kvserver.Event
		for i := range r.Servers() {
			before = append(before, r.Events(i))
		}
		groups := r.groups()
		require.NotEmpty(r.t, groups)
		what()
		require.Eventually(r.t, func() bool {
			st, err := r.Admin.Status(r.ctx)
			return err == nil && len(st.Switches) == 1 && st.Switches[0].InControl
		}, time.Minute, 10*time.Millisecond, "the controller has the switch again")
		r.progress()
		for i := range r.Servers() {
			after = append(after, r.Events(i))
		}
		if n < attempts && (!reflect.DeepEqual(before, after) || !reflect.DeepEqual(groups, r.groups())) {
			r.t.Logf("a server has noticed something, once more: %v", after)
			continue
		}
		require.Equal(r.t, before, after, "the servers have noticed")
		require.Equal(r.t, groups, r.groups())
		return
	}
}

// regroups shows that new groups are formed.
func (r *run) regroups() {
	r.t.Helper()
	groups := r.groups()
	victim := r.follower()
	r.Kill(victim)
	r.progress()
	r.ok(r.Restart(victim))
	r.ok(r.Full(r.ctx, victim))
	r.accelerated()
	require.Eventually(r.t, func() bool { return !reflect.DeepEqual(groups, r.groups()) }, time.Minute, 10*time.Millisecond, "a new group")
	r.progress()
}

// The data plane goes on without the agent, and a restarted agent takes it over: no
// server notices.
func TestSwitchAgentKilled(t *testing.T) {
	r := start(t, 3, false)
	r.unnoticed(func() {
		r.KillAgent()
		r.progress()
		r.progress()
		r.ok(r.RestartAgent(r.ctx))
	})
	r.regroups()
	r.finish()
}

// The agent is killed again and again, also while a program is loaded and groups are
// made: the next one always finds something that it can begin with.
func TestSwitchAgentKilledOften(t *testing.T) {
	r := start(t, 3, true)
	for n := range 7 {
		if n%3 == 2 {
			r.ok(r.Detach(r.ctx)) // the controller loads the program anew
		} else {
			r.KillAgent()
		}
		r.ok(r.RestartAgent(r.ctx))
		time.Sleep(rand.N(time.Second)) // when it is killed is the point
	}
	r.accelerated()
	r.progress()
	r.finish()
}

// All links of the switch are down: with a second route the store goes on. (The leader
// stays, unless the machine is so busy that servers seem to be dead.)
func TestSwitchDown(t *testing.T) {
	r := start(t, 3, true)
	leader := r.accelerated()
	term := r.term(leader)
	r.ok(r.SwitchDown())
	_, err := r.Mode(r.ctx, "direct")
	r.ok(err)
	r.progress()
	r.ok(r.SwitchUp())
	t.Logf("led in term %#x before, by server %d; now %#x, by server %d", term, leader+1, r.term(r.accelerated()), r.leader()+1)
	r.progress()
	r.finish()
}

// Nothing is left of the switch, and then there is a new one, with nothing in it.
func TestSwitchDetached(t *testing.T) {
	r := start(t, 3, true)
	leader := r.accelerated()
	term := r.term(leader)
	r.ok(r.Detach(r.ctx))
	_, err := r.Mode(r.ctx, "direct")
	r.ok(err)
	r.progress()
	r.ok(r.RestartAgent(r.ctx))
	t.Logf("led in term %#x before, by server %d; now %#x, by server %d", term, leader+1, r.term(r.accelerated()), r.leader()+1)
	r.progress()
	r.finish()
}

// Without a second route nothing can be decided while the switch is dead; it is when it
// is back.
func TestSwitchDownOneRoute(t *testing.T) {
	r := start(t, 3, false)
	r.accelerated()
	r.ok(r.SwitchDown())
	require.Eventually(t, func() bool {
		for i := range r.Servers() {
			if r.Status(i).Role == "leader" {
				return false
			}
		}
		return true
	}, time.Minute, 5*time.Millisecond, "a leader without a majority steps down")
	r.ok(r.SwitchUp())
	r.accelerated()
	r.progress()
	r.finish()
}

// Groups run on without the controller; a new one finds them, and forms more.
func TestControllerKilled(t *testing.T) {
	r := start(t, 3, false)
	r.unnoticed(func() {
		r.KillController()
		r.progress()
		r.ok(r.RestartController(r.ctx))
	})
	r.regroups()
	r.finish()
}

// Links go down and up: a replica's and the leader's, to the switch and to the second
// network.
func TestLinkFlaps(t *testing.T) {
	r := start(t, 3, true)
	leader := r.accelerated()
	term := r.term(leader)
	for _, f := range []struct {
		server int
		route  store.Route
	}{
		{r.follower(), store.First}, {leader, store.First}, {leader, store.Second}, {r.follower(), store.Second}, {leader, store.First},
	} {
		r.ok(r.LinkDown(f.server, f.route))
		r.progress()
		r.ok(r.LinkUp(f.server, f.route))
		r.progress()
	}
	t.Logf("led in term %#x before, by server %d; now %#x, by server %d", term, leader+1, r.term(r.accelerated()), r.leader()+1)
	r.finish()
}

// overSockets are flags for a test that makes links bad: what they do happens behind XDP, and
// a server that receives there sees nothing of it.
var overSockets = []string{"--wire", "packet"}

// What the leader and a replica receive through the switch arrives badly.
func TestBadLinks(t *testing.T) {
	for name, rates := range map[string]impair.Rates{
		"loss":        {Loss: 0.02},
		"duplication": {Duplicate: 0.2},
		"reordering":  {Reorder: 0.05},
		"corruption":  {Corrupt: 0.02},
		"everything":  {Loss: 0.01, Duplicate: 0.05, Reorder: 0.02, Corrupt: 0.01},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, 3, false, overSockets...)
			leader := r.accelerated()
			var bad []*store.Impairment
			for _, i := range []int{leader, r.follower()} {
				b, err := r.Impair(i, store.First, rates)
				require.NoError(t, err)
				bad = append(bad, b)
			}
			r.progress()
			r.progress()
			for _, b := range bad {
				c, err := b.Counts()
				r.ok(err)
				t.Logf("%+v", c)
				require.Equal(t, rates.Loss > 0, c.Lost > 0)
				require.Equal(t, rates.Duplicate > 0, c.Duplicated > 0)
				require.Equal(t, rates.Reorder > 0, c.Reordered > 0)
				require.Equal(t, rates.Corrupt > 0, c.Corrupted > 0)
				r.ok(b.Close())
			}
			r.accelerated()
			r.progress()
			r.finish()
		})
	}
}

// A replica stands still while the log goes round several times.
func TestFullRing(t *testing.T) {
	const logSize, size = 64 << 10, 4 << 10
	r := start(t, 3, false, "--log-size", fmt.Sprint(logSize))
	victim := r.follower()
	r.ok(r.Pause(victim))
	c := r.Client(r.leader())
	defer c.Close()
	for n := 0; n < 8*logSize; n += size {
		require.Eventually(t, func() bool {
			return c.Set(r.ctx, fmt.Sprint("big", n%(4*size)), strings.Repeat("x", size), 0).Err() == nil
		}, time.Minute, time.Millisecond, "the ring is full for ever")
	}
	r.progress()
	r.ok(r.Resume(victim))
	r.whole()
	r.accelerated()
	r.progress()
	r.finish()
}

// A replica gets a fifth of the time that it wants.
func TestSlowReplica(t *testing.T) {
	r := start(t, 3, false)
	victim := r.follower()
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- r.Resume(victim)
				return
			case <-time.After(2 * time.Millisecond):
			}
			if err := r.Pause(victim); err != nil {
				stopped <- err
				return
			}
			time.Sleep(8 * time.Millisecond)
			if err := r.Resume(victim); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 3 {
		r.progress()
	}
	close(stop)
	r.ok(<-stopped)
	r.accelerated()
	r.progress()
	r.finish()
}
