package control

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/p4ce/p4ce/ctrl/fleet/fleettest"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/long"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	seeds = flag.Int("seeds", 60, "worlds of the random walk")
	first = flag.Uint64("seed", 1, "the first of them")
)

// begun is a world in which the application runs.
func begun(t *testing.T) *simWorld {
	w, err := newWorld(testConfig, 1)
	require.NoError(t, err)
	w.settle(50 * time.Millisecond)
	w.good(t)
	require.Equal(t, "running", w.core.Info()[0].State)
	return w
}

func (w *simWorld) good(t *testing.T) {
	t.Helper()
	if w.broken != nil {
		t.Fatalf("%v\n%s", w.broken, w.story())
	}
}

// submit demands that a value is delivered.
func (w *simWorld) submit(t *testing.T) {
	t.Helper()
	w.seq++
	seq := w.seq
	for range 40 {
		w.request(seq)
		w.reports(false)
		w.settle(10 * time.Millisecond)
		w.good(t)
		if w.acked[seq] {
			return
		}
	}
	t.Fatalf("value %d is not delivered; %+v\n%s", seq, w.core.Info()[0], w.story())
}

// leaders are the switches with a leader's entry, and their rounds.
func (w *simWorld) leaders() map[string]uint32 {
	out := map[string]uint32{}
	for name, d := range w.devices {
		for _, e := range d.entries {
			if e.Table == names.TableLeader {
				out[name] = uint32(p4rtclient.ToUint(e.Arg(names.ActionLeadParamRnd)))
			}
		}
	}
	return out
}

// kill is a switch that is dead from now on.
func (w *simWorld) kill(name string) {
	w.devices[name].dead = true
	w.tell(func() { w.core.Lost(w.now, name) })
	w.logf("killed %s", name)
}

// restart is a switch that begins anew, with nothing.
func (w *simWorld) restart(name string) {
	d := w.devices[name]
	d.dead, d.linked = false, true
	w.logf("restarted %s", name)
	w.tell(func() { w.core.Lost(w.now, name) })
	w.poll()
	w.forget(name)
	w.sync(name)
}

// cut is a switch that the controller does not reach, and that goes on; join is that it does
// again.
func (w *simWorld) cut(name string) {
	w.logf("cut %s", name)
	w.devices[name].linked = false
	w.tell(func() { w.core.Lost(w.now, name) })
}

func (w *simWorld) join(name string) {
	d := w.devices[name]
	d.linked = true
	w.tell(func() { w.core.Lost(w.now, name) })
	w.poll()
	w.joining = true
	for len(d.writes) > 0 && !d.dead { // what was on its way arrives, or not
		if w.rng.IntN(8) != 0 {
			w.apply(d)
		} else { // of a request the end
			d.writes, d.failed = d.writes[1:], nil
		}
	}
	w.joining = false
	w.sync(name)
}

func TestBegins(t *testing.T) {
	w := begun(t)
	require.Equal(t, map[string]uint32{"l": 1}, w.leaders())
	for range 3 * testRing {
		w.submit(t) // rings are trimmed on the way
	}
	require.Greater(t, w.durable.first, uint32(testRing))
}

// TestFirstLeader: in the beginning the first in turn leads, also when it comes last; and the
// next one if it does not come.
func TestFirstLeader(t *testing.T) {
	for _, comes := range []bool{true, false} {
		w, err := newWorld(testConfig, 1)
		require.NoError(t, err)
		w.cut("l")
		w.startController()
		w.settle(100 * time.Millisecond)
		require.Empty(t, w.leaders())
		want := "t"
		if comes {
			w.join("l")
			want = "l"
		}
		w.settle(6 * time.Second)
		require.Contains(t, w.leaders(), want)
		require.Len(t, w.leaders(), 1)
		w.submit(t)
	}
}

// TestRoundTheClock: the numbers of instances go round.
func TestRoundTheClock(t *testing.T) {
	for seed := range uint64(20) {
		w, err := newWorldAt(testConfig, seed, 0xfffffff0+uint32(seed))
		require.NoError(t, err)
		w.walk()
		w.good(t)
		w.fresh()
		require.Less(t, w.durable.first, uint32(1<<31), "it has gone round")
	}
}

// TestLeaderDies: the next in turn leads, in a round that nobody has had, and the address
// leads there; the old one, when it is back, leads no more.
func TestLeaderDies(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.kill("l")
	w.submit(t)
	require.Equal(t, map[string]uint32{"l": 1, "t": 2}, w.leaders(), "what the dead one has does not matter")
	w.devices["l"].dead = false
	w.join("l")
	w.settle(20 * time.Millisecond)
	require.Equal(t, map[string]uint32{"t": 2}, w.leaders())
	w.submit(t)
	require.NoError(t, w.core.Lead(w.now, "log", "l"))
	w.settle(50 * time.Millisecond)
	require.Equal(t, map[string]uint32{"l": 3}, w.leaders(), "an operator ordered it")
	w.submit(t)
}

// TestComesAndGoes: while an acceptor that is needed comes and goes, take-overs are begun ever less often; when it stays the
// next one succeeds, and the one after that is begun at once again.
func TestComesAndGoes(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.kill("a3")
	w.kill("l")
	w.poll()
	const times = 200
	for range times {
		w.cut("a2")
		w.poll()
		w.now += w.conf.Timing.Resend + time.Millisecond
		w.core.Tick(w.now)
		w.join("a2")
		w.poll()
	}
	w.good(t)
	rounds := w.highest()
	require.Less(t, rounds, uint32(times/4))
	w.submit(t)
	require.Contains(t, w.leaders(), "t")
	require.NoError(t, w.core.Lead(w.now, "log", "t"))
	require.Zero(t, w.core.apps[0].givenUp)
}

// TestSilent: a leader that the controller sees and the hosts do not is replaced.
func TestSilent(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.settle(time.Second)
	w.reports(true)
	w.settle(50 * time.Millisecond)
	w.good(t)
	require.Len(t, w.leaders(), 1)
	require.Contains(t, w.leaders(), "t")
	w.submit(t)
}

// TestAcceptorDies: a spare takes its place, with all that was chosen; then another may die.
func TestAcceptorDies(t *testing.T) {
	w := begun(t)
	for range 5 {
		w.submit(t)
	}
	w.kill("a3")
	w.submit(t)
	w.settle(2 * time.Second)
	require.Equal(t, []string{"a1", "a2", "a4"}, w.acceptors())
	w.submit(t)
	w.kill("a1")
	w.submit(t)
	w.restart("a3")
	w.settle(2 * time.Second)
	require.Equal(t, []string{"a3", "a2", "a4"}, w.acceptors(), "who comes back is a spare")
	w.submit(t)
}

func (w *simWorld) acceptors() (out []string) {
	for _, m := range w.core.Info()[0].Acceptors {
		out = append(out, m.Switch)
	}
	return out
}

// TestAmnesia: an acceptor without its registers is none until it has been taken up anew.
func TestAmnesia(t *testing.T) {
	w := begun(t)
	for range 4 {
		w.submit(t)
	}
	before := w.durable.active.Members[0]
	w.restart("a1")
	w.settle(200 * time.Millisecond)
	w.good(t)
	require.Equal(t, []string{"a1", "a2", "a3"}, w.acceptors())
	require.NotEqual(t, before, w.durable.active.Members[0], "another life")
	require.EqualValues(t, 2, w.durable.active.Round, "a round of its own")
	require.EqualValues(t, 1, w.core.Info()[0].Stats.Forgotten)
	w.kill("a2") // it and a3 are enough: it has what was chosen
	w.submit(t)

	// The registers alone, without the switch saying so: an answer does.
	w = begun(t)
	w.submit(t)
	d := w.devices["a1"]
	require.NoError(t, d.update(w, mirror.Update{Op: mirror.Set, Register: &mirror.Register{Name: names.RegisterLife}}))
	w.kill("l")
	w.submit(t)
	w.settle(200 * time.Millisecond)
	require.Greater(t, w.core.Info()[0].Stats.Forgotten, uint64(0))
	w.good(t)
}

// TestController: one that starts anew disturbs nothing, and goes on with rounds that were
// not used.
func TestController(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.startController()
	w.settle(100 * time.Millisecond)
	require.Equal(t, map[string]uint32{"l": 1}, w.leaders())
	require.EqualValues(t, 1, w.durable.round)
	w.submit(t)
	w.kill("l") // round 2 is handed out, and not known to have been used
	require.EqualValues(t, 2, w.highest())
	w.startController()
	w.settle(6 * time.Second)
	require.Equal(t, uint32(3), w.leaders()["t"])
	w.submit(t)
}

// highest is the highest round that was recorded.
func (w *simWorld) highest() uint32 {
	w.fresh()
	return w.durable.round
}

// TestForeign: a switch with registers that the journal knows nothing of is not used.
func TestForeign(t *testing.T) {
	w := begun(t)
	w.journal, w.durable, w.records = &fleettest.Journal[Record]{}, newLedger(), 0
	w.startController()
	w.settle(time.Second)
	w.good(t)
	in := w.core.Info()[0]
	require.Equal(t, "waiting", in.State)
	require.Equal(t, "acceptors: a1, a2, a3", in.Waiting)
	require.Equal(t, "foreign", in.Acceptors[0].State)
}

// TestCrashes stops the controller after each step of a beginning and of a take-over: whatever
// was under way, the next one goes on, and no round is used twice (the world sees to that).
func TestCrashes(t *testing.T) {
	t.Run("stored at once", func(t *testing.T) { crashes(t, false) })
	t.Run("stored late", func(t *testing.T) { crashes(t, true) })
}

func crashes(t *testing.T, late bool) {
	for steps := 1; ; steps++ {
		w, err := newWorld(testConfig, uint64(steps))
		require.NoError(t, err)
		if late {
			w.late = true
			w.startController()
		}
		n := 0
		run := func() (crashed bool) {
			for w.step() {
				if n++; n == steps {
					return true
				}
			}
			return false
		}
		crashed := run()
		if !crashed {
			w.submit(t)
			w.kill("l")
			crashed = run()
		}
		w.startController()
		w.settle(6 * time.Second)
		w.submit(t)
		if !crashed {
			require.Greater(t, steps, 60)
			return
		}
	}
}

// TestRandomWalk: whatever is lost, doubled, and out of order, whoever dies, forgets and comes
// back, and wherever the controller stops: what the world checks holds, and when all is well
// again everything that was sent is delivered.
func TestRandomWalk(t *testing.T) {
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		w, err := newWorld(testConfig, seed)
		require.NoError(t, err)
		w.walk()
		w.good(t)
	}
}

// TestLateJournal: the same, when records are stored late, one by one, and those that are not yet are lost with the
// controller: nothing that rests on a record leaves before it is stored (the world sees to that, checkWrite and checkSend).
func TestLateJournal(t *testing.T) {
	long.Test(t)
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		w, err := newWorld(testConfig, seed)
		require.NoError(t, err)
		w.late = true
		w.startController()
		w.walk()
		w.good(t)
	}
}

// walk is one life of a world. Acceptors forget one at a time: more is more than Paxos can
// bear.
func (w *simWorld) walk() {
	w.settle(50 * time.Millisecond)
	w.lossy = true
	all := w.conf.Net.Switches()
	away := map[string]bool{}
	for range 400 {
		if w.broken != nil {
			return
		}
		switch name := all[w.rng.IntN(len(all))]; w.rng.IntN(40) {
		case 0:
			if w.mayForget(name) {
				w.restart(name)
				delete(away, name)
			}
		case 1:
			if len(away) == 0 {
				away[name] = true
				w.kill(name)
			}
		case 2:
			if len(away) == 0 {
				away[name] = true
				w.cut(name)
			}
		case 3, 4, 5:
			for _, name := range slices.Sorted(maps.Keys(away)) {
				if w.devices[name].dead {
					w.devices[name].dead = false // it was only cut off
				}
				w.join(name)
			}
			clear(away)
		case 6:
			w.startController()
		case 7, 8, 9, 10:
			w.reports(w.rng.IntN(3) == 0)
		case 11, 12, 13, 14, 15, 16:
			w.seq++
			w.request(w.seq)
		case 17:
			if w.seq > 0 {
				w.request(1 + uint32(w.rng.IntN(int(w.seq))))
			}
		case 18:
			w.now += time.Duration(w.rng.IntN(400)) * time.Millisecond
			w.tell(func() { w.core.Tick(w.now) })
		case 19, 20:
			if w.links {
				w.failOrMend(name)
				continue
			}
			fallthrough
		default:
			for range w.rng.IntN(60) {
				w.step()
			}
			w.now += time.Duration(w.rng.IntN(5)) * time.Millisecond
			w.tell(func() { w.core.Tick(w.now) })
		}
	}
	w.lossy = false
	w.mendAll()
	for _, name := range slices.Sorted(maps.Keys(away)) {
		w.devices[name].dead = false
		w.join(name)
	}
	for range 60 {
		done := true
		for seq := uint32(1); seq <= w.seq; seq++ {
			if !w.acked[seq] {
				w.request(seq)
				done = false
			}
			if seq%4 == 3 {
				w.settle(5 * time.Millisecond) // rings are small
				w.reports(false)
			}
		}
		if done || w.broken != nil {
			return
		}
		w.reports(false)
		w.settle(50 * time.Millisecond)
	}
	w.fail("not everything is delivered: %d of %d; %+v", len(w.acked), w.seq, w.core.Info()[0])
}

// mayForget reports whether a switch may lose its registers without the loss of what was
// chosen: all acceptors, of all configurations that count, are there and remember.
func (w *simWorld) mayForget(name string) bool {
	if w.core.apps[0].d.active == nil {
		return true
	}
	for _, members := range w.core.apps[0].d.configurations() {
		left := 0
		for _, m := range members {
			if d, _ := w.at(m); d.name != name {
				if left++; !w.core.sound(w.core.apps[0], m) || d.dead {
					return false
				}
			}
		}
		if 2*left <= len(members) {
			return false
		}
	}
	return true
}

// fiveConfig has five acceptors, of which one may lead and one learns.
var fiveConfig = strings.NewReplacer(
	`"name": "l",  "p4runtime": "l",  "mac": "02:00:00:00:01:02"`, `"name": "l",  "p4runtime": "l",  "mac": "02:00:00:00:01:02", "acceptor": "10.0.1.5"`,
	`"acceptors": ["a1", "a2", "a3"], "spares": ["a4"], "learners": ["t"]`, `"acceptors": ["a1", "a2", "a3", "a4", "l"], "learners": ["t", "a4"]`,
).Replace(testConfig)

// twoForget is a world in which two of five acceptors forget at the same time.
func twoForget(t *testing.T) *simWorld {
	w, err := newWorld(fiveConfig, 1)
	require.NoError(t, err)
	w.settle(50 * time.Millisecond)
	for range 5 {
		w.submit(t) // a switch that leads, one that learns, and both that vote
	}
	w.kill("a1")
	w.kill("a2")
	w.submit(t)
	w.cut("t") // without anybody who leads nothing changes before both are back
	w.cut("l")
	w.restart("a1")
	w.restart("a2")
	w.settle(50 * time.Millisecond)
	w.join("l")
	w.join("t")
	w.settle(time.Second)
	w.fresh()
	return w
}

// TestOneAtATime: acceptors are replaced one after the other.
func TestOneAtATime(t *testing.T) {
	w := twoForget(t)
	w.good(t)
	require.EqualValues(t, 2, w.core.Info()[0].Stats.Replaced)
	w.kill("a3")
	w.kill("a4")
	w.submit(t) // the two have what was chosen
}

// TestAllLost: a leader that is cut off from the acceptors gives away all instances of its
// ring, and nobody hears of any.
func TestAllLost(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.lossAt = "l"
	for range 2 * testRing {
		w.seq++
		w.request(w.seq)
		w.settle(5 * time.Millisecond)
	}
	w.lossAt = ""
	for range 10 {
		w.reports(false)
		w.settle(100 * time.Millisecond)
	}
	w.submit(t)
	require.EqualValues(t, testRing-1, w.core.Info()[0].Stats.Filled)
}

// TestRecover: an instance that a replica wants to know is decided: with what was chosen there, or with the
// replica's no-op. A proposer may not ask for it, nor anybody for what is trimmed or too far ahead.
func TestRecover(t *testing.T) {
	w := begun(t)
	w.submit(t)
	w.kept = true
	wanted := func(host string, instance uint32, noop string) {
		w.fromHost(host, w.conf.Controller, &paxos.Message{Kind: paxos.Report, Flags: paxos.Wanted, Instance: instance, VoteRound: 1, Value: []byte(noop)})
		w.settle(100 * time.Millisecond)
		w.good(t)
	}
	chosen := func(instance uint32) string { return w.chosen[[2]uint32{uint32(Port(0)), instance}] }
	before, said := chosen(1), *w.core.apps[0].reports["r1"]
	delete(w.chosen, [2]uint32{uint32(Port(0)), 1})
	wanted("r1", 1, "nothing")
	require.Equal(t, before, chosen(1), "a value was chosen there, and it is delivered again")
	wanted("r1", 3, "nothing")
	require.Equal(t, `0/0 "nothing"`, chosen(3))
	wanted("r2", 3, "something else")
	require.Equal(t, `0/0 "nothing"`, chosen(3), "the first no-op was chosen")
	require.Equal(t, said, *w.core.apps[0].reports["r1"], "that says nothing about the replica")

	wanted("p1", 5, "nothing")
	wanted("r1", testRing+1, "nothing")
	wanted("r1", 0, "nothing")
	require.Empty(t, chosen(5)+chosen(testRing+1)+chosen(0), "nobody may want these")
	require.Empty(t, w.core.apps[0].wanted)

	// With a gap, the no-op is for its instance only.
	w.fromHost("r1", w.conf.Controller, &paxos.Message{Kind: paxos.Report, Flags: paxos.Wanted, Instance: 6, Value: []byte("mine")})
	w.fromHost("r2", w.conf.Controller, &paxos.Message{Kind: paxos.Report, Flags: paxos.Gap, Instance: 5, VoteRound: 7, Sequence: 1})
	w.settle(100 * time.Millisecond)
	require.Equal(t, `0/0 ""`, chosen(5))
	require.Equal(t, `0/0 "mine"`, chosen(6))
	w.submit(t)
}

// TestTrimOrder: by order, replicas are asked for checkpoints, and what enough of them have is forgotten,
// however little it is.
func TestTrimOrder(t *testing.T) {
	w := begun(t)
	w.conf.Timing.TrimStep = testRing
	require.ErrorContains(t, w.core.Trim(w.now, "nothing"), `application "nothing": does not exist`)
	w.settle(time.Second)
	require.ErrorContains(t, w.core.Trim(w.now, "log"), "0 of 2 replicas report, and checkpoints of 2 are needed")
	w.kept = true
	for range 3 {
		w.submit(t)
	}
	w.reports(false)
	w.settle(10 * time.Millisecond)
	require.NoError(t, w.core.Trim(w.now, "log"))
	w.settle(10 * time.Millisecond)
	require.Equal(t, uint32(4), w.core.Info()[0].TrimTo)
	for _, r := range []string{"r1", "r2"} {
		require.Positive(t, w.hosts[r].checkpoints, "%s is asked for a checkpoint", r)
	}
	require.Zero(t, w.hosts["p1"].checkpoints)
	w.reports(false)
	w.settle(50 * time.Millisecond)
	require.EqualValues(t, 1, w.durable.first, "nothing is forgotten that is in no checkpoint")
	require.NotZero(t, w.core.Info()[0].TrimTo)

	w.kept = false
	w.reports(false)
	w.settle(50 * time.Millisecond)
	w.good(t)
	require.EqualValues(t, 4, w.durable.first)
	require.Zero(t, w.core.Info()[0].TrimTo)
	for name := range w.devices {
		require.EqualValues(t, 4, w.devices[name].register(w, names.RegisterFirst, 0), name)
	}
	w.submit(t)
	require.EqualValues(t, 4, w.durable.first, "the order is carried out, and the next step is a large one again")
}
