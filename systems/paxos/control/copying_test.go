package control

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

// What happens when other acceptors take the place of those that were lost: service goes on before they have what was
// chosen, and nothing is forgotten.

// So many instances there are to be copied.
const (
	many = 2000
	some = 400
)

// large is a world with many instances that are not trimmed.
func large(t *testing.T, n int) *simWorld {
	w, err := newWorldOf(largeProgram, 1<<largeBits, testConfig, 1, 1)
	require.NoError(t, err)
	w.kept = true
	w.settle(50 * time.Millisecond)
	for range n {
		w.seq++
		w.request(w.seq)
		for w.step() {
		}
	}
	require.Len(t, w.acked, n)
	w.reports(false)
	w.settle(5 * time.Millisecond)
	w.good(t)
	return w
}

// until takes steps until something is so. When nothing happens any more time passes: no more than that.
func (w *simWorld) until(t *testing.T, most time.Duration, what string, is func() bool) {
	t.Helper()
	for end := w.now + most; !is(); {
		if w.broken != nil || w.now >= end {
			t.Fatalf("%s: never; %v; %+v\n%s", what, w.broken, w.core.Info()[0], w.story())
		}
		if !w.step() {
			w.now += time.Millisecond
			w.tell(func() { w.core.Tick(w.now) })
			w.poll()
		}
	}
}

func (w *simWorld) app() *app { return w.core.apps[0] }

func (w *simWorld) running() bool { return w.core.Info()[0].State == "running" }

// prepares are all PREPAREs that the controller has sent.
func (w *simWorld) prepares() (n int) {
	for _, k := range w.asked {
		n += k
	}
	return n
}

// replaced is a world in which a spare has just taken the place of an acceptor: nothing has been copied yet.
func replaced(t *testing.T, w *simWorld) {
	t.Helper()
	w.kill("a3")
	w.until(t, 2*w.conf.Timing.Replace, "a take-over", func() bool { return !w.running() })
	began := w.now
	w.until(t, time.Second, "another acceptor", w.running)
	require.Equal(t, []string{"a1", "a2", "a4"}, w.acceptors())
	require.LessOrEqual(t, w.now-began, w.conf.Timing.Resend, "the leader leads when the acceptors have promised its round")
}

// TestServesBeforeCopied: with another acceptor the leader leads after a round trip, and not after all instances have been
// copied; the new one is as good as the others when they have.
func TestServesBeforeCopied(t *testing.T) {
	w := large(t, many)
	replaced(t, w)
	require.Less(t, w.prepares(), 20, "there is nothing that clients wait for")
	w.seq++
	w.request(w.seq)
	w.until(t, time.Second, "a value is delivered", func() bool { return w.acked[w.seq] })
	require.Less(t, w.prepares(), 2*many/10, "it did not wait for what is copied")
	require.NotEmpty(t, w.app().d.before, "those of before are asked")
	require.Equal(t, "catching up", w.core.Info()[0].Acceptors[2].State)

	w.until(t, time.Minute, "everything is copied", func() bool { return w.core.Info()[0].Acceptors[2].State == "ready" })
	require.GreaterOrEqual(t, w.prepares(), 3*many)
	require.Empty(t, w.app().d.before)
	require.EqualValues(t, 1, w.core.Info()[0].Stats.Copied)
	w.settle(5 * time.Millisecond)
	w.good(t)                 // checkAlone
	w.restart("a1")           // from now on a2 and a4 are enough:
	w.settle(2 * time.Second) // whoever takes its place gets everything from them
	w.kill("a2")
	w.submit(t)
}

// TestCopyYields: what clients wait for comes before what is copied.
func TestCopyYields(t *testing.T) {
	w := large(t, some)
	replaced(t, w)
	w.until(t, time.Second, "copying", func() bool { return w.prepares() > 100 })
	k := w.app().copying
	require.NotNil(t, k.attempt)
	its := k.term.Round
	w.lossAt = "l" // it gives an instance, and nobody hears of it
	w.seq++
	w.request(w.seq)
	for range 60 {
		w.step()
	}
	w.lossAt = ""
	lost := w.seq
	w.seq++
	w.request(w.seq)
	w.until(t, time.Second, "somebody hears of the next one", func() bool { return w.hosts["r1"].heard == w.seq })
	require.False(t, w.acked[w.seq])
	require.Same(t, k, w.app().copying)
	w.reports(false)
	w.until(t, time.Second, "the gap is seen", func() bool { return w.app().fill != nil })
	asked, meanwhile, f := w.asked[its], 0, w.app().fill
	w.until(t, time.Second, "the gap is closed", func() bool {
		if w.app().fill != f {
			return true
		}
		meanwhile = w.asked[its]
		return false
	})
	require.Equal(t, asked, meanwhile, "nothing is copied meanwhile")
	w.until(t, time.Second, "the next one is delivered", func() bool { return w.acked[w.seq] })
	require.NotEmpty(t, w.app().d.before, "and it goes on after that")
	for range 2 * keepRounds {
		term, _ := w.core.nextRound(w.app(), recordRound, w.app().d.active.Members)
		w.app().remember(round{Term: term})
	}
	require.True(t, slices.ContainsFunc(w.app().rounds, func(r round) bool { return r.Round == its }), "acceptors know its round")
	w.request(lost)
	w.until(t, time.Minute, "everything is copied", func() bool { return len(w.app().d.before) == 0 })
	require.Equal(t, 1, len(k.read)-1)
	w.good(t)
}

// TestCopySlow: acceptors that do not answer are asked ever less often, for one instance.
func TestCopySlow(t *testing.T) {
	w := large(t, some)
	replaced(t, w)
	w.until(t, time.Second, "copying", func() bool { return w.prepares() > 100 })
	w.lossAt = "t" // it stands between the controller and all of them
	w.settle(time.Second)
	before := w.prepares()
	w.settle(3 * time.Second)
	require.LessOrEqual(t, w.prepares()-before, 3*4*3*3, "three acceptors, a few instances, a few times a second")
	w.lossAt = ""
	w.until(t, time.Minute, "everything is copied", func() bool { return len(w.app().d.before) == 0 })
	w.good(t)
}

// TestCopyGoesOn: a take-over while something is copied keeps what has been, and a controller that starts anew copies again.
func TestCopyGoesOn(t *testing.T) {
	w := large(t, some)
	replaced(t, w)
	w.until(t, time.Second, "half is copied", func() bool {
		k := w.app().copying
		return k != nil && k.attempt != nil && progress(k) > some/2
	})
	w.seq++
	w.request(w.seq)
	w.until(t, time.Second, "a new instance is chosen", func() bool { return w.acked[w.seq] })
	w.kill("l")
	w.until(t, time.Second, "another leader", func() bool { return w.running() && w.core.Info()[0].Leader == "t" })
	require.NotEmpty(t, w.app().d.before)
	require.EqualValues(t, some+1, w.app().d.from, "the acceptors of before know nothing that came after them")
	require.Greater(t, w.app().copying.next, uint32(some/2))
	w.startController()
	w.settle(0)
	require.Len(t, w.app().d.before, 1)
	before := w.prepares()
	w.until(t, time.Minute, "everything is copied", func() bool { return len(w.app().d.before) == 0 })
	require.GreaterOrEqual(t, w.prepares()-before, 3*some)
	w.good(t)
	w.submit(t)
}

func progress(k *copying) uint32 {
	done, _ := k.attempt.Progress()
	return k.attempt.First() + done
}

// lostInChange is a world with a new acceptor to whom nothing can be copied: of those of before there is no majority.
func lostInChange(t *testing.T) *simWorld {
	w := begun(t)
	for range 5 {
		w.submit(t)
	}
	w.kept = true
	replaced(t, w)
	w.kill("a1")
	w.seq++
	w.request(w.seq)
	w.until(t, time.Second, "two of the new ones are enough for what is new", func() bool { return w.acked[w.seq] })
	w.settle(time.Second)
	w.good(t)
	require.Len(t, w.app().d.before, 1)
	return w
}

// TestLostInChange: when an acceptor of before is lost that was needed for what it knows, service goes on, with a gap or
// without; nothing is found out about what was chosen before without it.
func TestLostInChange(t *testing.T) {
	w := lostInChange(t)
	w.fromHost("r2", w.conf.Controller, &paxos.Message{Kind: paxos.Report, Instance: 2, VoteRound: 3, Sequence: 1, Flags: paxos.Gap})
	w.settle(time.Second)
	require.Zero(t, w.core.Info()[0].Stats.Gaps, "that is old: there is no majority of those who may know it")
	w.lossAt = "l"
	w.seq++
	w.request(w.seq)
	w.settle(5 * time.Millisecond)
	w.lossAt = ""
	w.submit(t) // the gap is new: a majority of the new ones closes it
	require.Len(t, w.app().d.before, 1)
	w.kill("l")
	w.settle(time.Second)
	require.Equal(t, "waiting", w.core.Info()[0].State, "a take-over needs a majority of both")
	require.Equal(t, "earlier acceptors, which alone may know what was chosen: a1, a3", w.core.Info()[0].Waiting)
	w.devices["a1"].dead = false
	w.join("a1")
	w.submit(t)
	w.settle(2 * time.Second)
	w.good(t)
	require.Empty(t, w.app().d.before)
}

// TestTrimmedInChange: what is trimmed need not be copied.
func TestTrimmedInChange(t *testing.T) {
	w := lostInChange(t)
	w.kept = false
	for range testRing {
		w.submit(t)
	}
	require.Empty(t, w.app().d.before)
	w.restart("a3")
	w.settle(2 * time.Second)
	require.Equal(t, []string{"a3", "a2", "a4"}, w.acceptors())
	w.kill("a4")
	w.submit(t)
}

// TestOldAcceptorAnswers: an acceptor that another one has replaced, and that was only cut off, answers for what it knows.
func TestOldAcceptorAnswers(t *testing.T) {
	w := begun(t)
	w.kept = true
	w.kill("a1")
	for range 4 {
		w.submit(t)
	}
	w.devices["a1"].dead = false
	w.join("a1")
	w.settle(50 * time.Millisecond)
	replaced(t, w)
	w.kill("a1")
	w.settle(time.Second)
	require.NotEmpty(t, w.app().d.before)
	w.devices["a3"].dead = false
	w.join("a3")
	w.settle(time.Second)
	require.Empty(t, w.app().d.before, "a2 and a3 are a majority of those of before")
	w.submit(t)
	w.good(t) // checkAlone: a1 has not voted, and a4 has what a2 has
}

// TestCrashesInChange stops the controller after every third step of a replacement: the next one goes on, and nothing is forgotten.
func TestCrashesInChange(t *testing.T) {
	for _, late := range []bool{false, true} {
		for steps := 1; ; steps += 3 {
			w, err := newWorld(testConfig, uint64(steps))
			require.NoError(t, err)
			w.settle(50 * time.Millisecond)
			for range 4 {
				w.submit(t)
			}
			if w.late = late; late {
				w.startController()
				w.settle(50 * time.Millisecond)
			}
			w.kill("a3")
			w.now += 2 * w.conf.Timing.Replace
			w.tell(func() { w.core.Tick(w.now) })
			n, crashed := 0, false
			for !crashed && w.step() {
				n++
				crashed = n == steps
			}
			w.startController()
			w.settle(6 * time.Second)
			w.submit(t)
			w.settle(time.Second)
			w.good(t)
			require.Equal(t, []string{"a1", "a2", "a4"}, w.acceptors())
			require.Empty(t, w.app().d.before)
			w.kill("a1")
			w.submit(t)
			if !crashed {
				require.Greater(t, steps, 60)
				break
			}
		}
	}
}

// TestNewAcceptorFloor: a spare votes in no round below the one that it is taken up in, from its first vote on.
func TestNewAcceptorFloor(t *testing.T) {
	w := begun(t)
	w.submit(t)
	require.Zero(t, w.devices["a4"].register(w, names.RegisterAcceptorFloor, 0))
	replaced(t, w)
	require.Equal(t, w.app().d.active.Round, w.devices["a4"].register(w, names.RegisterAcceptorFloor, 0))
	a4 := w.conf.Switches["a4"]
	w.fromHost("p1", Address{a4.MAC, a4.Acceptor}, &paxos.Message{Kind: paxos.Query, Instance: 1})
	w.settle(time.Second)
	w.good(t)
}
