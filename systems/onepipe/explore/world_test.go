package explore

import (
	"flag"
	"testing"
	"time"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
)

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), explore.Options{Workers: 1, Time: 4 * time.Minute, Converge: 97})
}

var states = flag.Int("states", 2000, "states that are searched of a world of a rule")

// TestRules explores worlds in which a broken rule shows after many states: mutants/onepipe.txt breaks one for each, and says
// after how many.
func TestRules(t *testing.T) {
	long.Test(t)
	for name, bounds := range map[string]string{
		"joins-lost": "once=1 ticks=8 losses=1 skew=1 joins control anytime",
		"dies-lost":  "reliable=1 ticks=11 losses=1 kills=1 control",
		"held":       "reliable=1 ticks=9 holds=1 control",
		"two-die":    "reliable=1 ticks=12 kills=2 control",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := explore.Models(ParseBounds, NewModel)(bounds)
			if err != nil {
				t.Fatal(err)
			}
			if r := exploretest.Search(t, m, explore.Options{Workers: 1, States: *states}); r.Violation != nil {
				t.Error(r.Violation.Err)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "once", "once=x", "once=61", "free=1", "kills=1", "joins", "once=3 reliable=2", "free holds=1", "free control", "no=1")
}

// TestClonesAreAlone sees that what is done in a clone is not seen in the original, and comes to the same each time.
func TestClonesAreAlone(t *testing.T) {
	for _, bounds := range []string{
		"once=2 reliable=2 ticks=24 losses=2 repeats=1 holds=2 jumps=1 kills=1 cuts=1 heals=1 fails=1 restarts=1 control anytime",
		"once=1 reliable=3 ticks=8 losses=2 repeats=2 small long", "once=2 reliable=2 ticks=4 losses=1 free",
	} {
		b, err := ParseBounds(bounds)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewModel(b)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(8) {
			alone(t, m, seed)
		}
	}
}

func alone(t *testing.T, m *Model, seed uint64) {
	t.Helper()
	made, err := m.New()
	if err != nil {
		t.Fatal(err)
	}
	w := made.(*World)
	rng := seed
	for step := range 150 {
		actions := w.Actions(nil)
		if len(actions) == 0 {
			return
		}
		rng = rng*6364136223846793005 + 1442695040888963407
		a := actions[int(rng>>33)%len(actions)]
		before := string(w.Append(nil))
		var after [2]string
		for i := range after {
			c := w.Clone().(*World)
			if c.Do(a, nil) != nil {
				return // a violation: others look for those
			}
			after[i] = string(c.Append(nil))
			if i == 0 && step%50 == 0 {
				_, _ = c.Clone().(*World).Converge(0, nil)
				if string(c.Append(nil)) != after[i] {
					t.Fatalf("seed %d: what converges changes what it was cloned from", seed)
				}
			}
		}
		for _, h := range w.hosts {
			if h.e != nil && m.sumOf(h) != h.sum {
				t.Fatalf("seed %d: %s in a clone has changed %s", seed, w.Name(a), hostName(h.number))
			}
		}
		if after[0] != after[1] || string(w.Append(nil)) != before {
			t.Fatalf("seed %d: %s in two clones comes to different states", seed, w.Name(a))
		}
		if err := w.Do(a, nil); err != nil {
			t.Fatal(err)
		}
		if string(w.Append(nil)) != after[0] {
			t.Fatalf("seed %d: %s comes to another state than in a clone", seed, w.Name(a))
		}
	}
}
