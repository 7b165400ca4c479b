package consensus

import (
	"flag"
	"testing"
	"time"

	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/sim/explore/exploretest"
)

func model(t *testing.T, bounds string) *Model {
	t.Helper()
	b, err := ParseBounds(bounds)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	exploretest.Kept(t, Kept, explore.Models(ParseBounds, NewModel), explore.Options{Time: 4 * time.Minute, Converge: 97})
}

// TestWalks goes random ways through larger worlds: the same ones every time.
func TestWalks(t *testing.T) {
	long.Test(t)
	exploretest.Walks(t, Kept, explore.Models(ParseBounds, NewModel), explore.WalkOptions{Walks: 600, Converge: 4})
}

var states = flag.Int("states", 20000, "states that are searched of a world of a rule")

// TestRules explores worlds in which a broken rule shows soon: systems/rdma/mutants/mu.txt breaks one for each.
func TestRules(t *testing.T) {
	long.Test(t)
	for name, bounds := range map[string]string{
		"late-commit":  "entries=2 cuts=1 victims=0 order holds=1",
		"highest-term": "entries=2 cuts=2 order victims=01 beats=1",
		"forgetting":   "entries=1 crashes=1 cuts=1 beats=1 order",
		"new-term":     "entries=1 crashes=1 beats=2 victims=0 order",
		"majority":     "servers=4 entries=1 cuts=1 order",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := exploretest.Search(t, model(t, bounds), explore.Options{States: *states}); r.Violation != nil {
				t.Error(r.Violation.Err)
			}
		})
	}
}

// TestTicksAreIdempotent sees that a second tick changes nothing, which is why a
// server that has been ticked is not ticked again.
func TestTicksAreIdempotent(t *testing.T) {
	m := model(t, "entries=3 barriers=1 cuts=1 crashes=1 beats=2 late split batch")
	ticks := 0
	for seed := range uint64(200) {
		w, err := m.New()
		if err != nil {
			t.Fatal(err)
		}
		world := w.(*World)
		rng := seed
		for range 120 {
			actions := world.Actions(nil)
			if len(actions) == 0 {
				break
			}
			rng = rng*6364136223846793005 + 1442695040888963407
			a := actions[int(rng>>33)%len(actions)]
			if err := world.Do(a, nil); err != nil {
				t.Fatal(err)
			}
			if row, i, _, _ := a.Parts(); row == aTick {
				before := string(world.Append(nil))
				again := world.Clone().(*World)
				if err := again.Do(explore.Act(aTick, i, 0, 0), nil); err != nil {
					t.Fatal(err)
				}
				if string(again.Append(nil)) != before {
					t.Fatalf("seed %d: a second tick of server %d changes something", seed, i)
				}
				ticks++
			}
		}
	}
	if ticks < 1000 {
		t.Errorf("only %d ticks", ticks)
	}
}

// TestClonesAreAlone sees that what is done in a clone is not seen in the original.
func TestClonesAreAlone(t *testing.T) {
	m := model(t, "switch groups=1 entries=3 barriers=1 cuts=1 crashes=1 beats=2 late split batch misses=1")
	for seed := range uint64(100) {
		w, err := m.New()
		if err != nil {
			t.Fatal(err)
		}
		world := w.(*World)
		rng := seed
		next := func(w *World) explore.Action {
			actions := w.Actions(nil)
			rng = rng*6364136223846793005 + 1442695040888963407
			return actions[int(rng>>33)%len(actions)]
		}
		for range 60 {
			if len(world.Actions(nil)) == 0 {
				break
			}
			before := string(world.Append(nil))
			a := next(world)
			var after [2]string
			for i := range after {
				c := world.Clone().(*World)
				if err := c.Do(a, nil); err != nil {
					t.Fatal(err)
				}
				after[i] = string(c.Append(nil))
			}
			for _, s := range world.servers {
				if s.hash() != s.sum {
					t.Fatalf("seed %d: %s in a clone has changed server %d", seed, world.Name(a), s.id)
				}
			}
			if after[0] != after[1] || string(world.Append(nil)) != before {
				t.Fatalf("seed %d: %s in two clones comes to different states", seed, world.Name(a))
			}
			if err := world.Do(a, nil); err != nil {
				t.Fatal(err)
			}
			if string(world.Append(nil)) != after[0] {
				t.Fatalf("seed %d: %s comes to another state than in a clone", seed, world.Name(a))
			}
		}
	}
}

func TestBounds(t *testing.T) {
	exploretest.Bounds(t, ParseBounds, Kept, "entries", "entries=x", "entries=-1", "batch=1", "no=1", "servers=9", "remove=7", "victims=a")
}
