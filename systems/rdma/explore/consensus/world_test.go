package consensus

import (
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/sim/explore"
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

// show prints a violation as a chart.
func show(t *testing.T, m *Model, r *explore.Run) {
	t.Helper()
	var chart strings.Builder
	if explore.Chart(&chart, m, r) == nil {
		t.Error("the violation does not come again")
	}
	t.Logf("%s\n%s", m, chart.String())
}

// TestKept explores the worlds that do not take long.
func TestKept(t *testing.T) {
	long.Test(t)
	for _, k := range Kept {
		if k.Large || k.Walk > 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			m := model(t, k.Bounds)
			r, err := explore.Search(m, explore.Options{Time: 4 * time.Minute, Converge: 97})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d states, %d converge, depth %d, %v, %.0f states/s", r.States, r.Live, r.Depth, r.Time.Round(time.Millisecond), r.Rate())
			if r.Violation != nil {
				t.Errorf("%v", r.Violation.Err)
				show(t, m, r.Violation)
				return
			}
			if !r.Complete {
				t.Errorf("not complete: %s", r.Why)
			} else if missed := explore.Missed(m, r.Reached); len(missed) > 0 {
				t.Errorf("never reached: %q", missed)
			} else if r.Live == 0 {
				t.Error("no state was asked to converge")
			}
		})
	}
}

// TestWalks goes random ways through larger worlds: the same ones every time.
func TestWalks(t *testing.T) {
	long.Test(t)
	for _, k := range Kept {
		if k.Walk == 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			m := model(t, k.Bounds)
			r, err := explore.Walk(m, explore.WalkOptions{Walks: 600, Steps: k.Steps, Seed: 1, Converge: 4})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d walks, %d steps, %d converge at their end, %v", r.Walks, r.Steps, r.Live, r.Time.Round(time.Millisecond))
			if r.Violation != nil {
				t.Errorf("%v", r.Violation.Err)
				show(t, m, r.Violation)
			} else if missed := explore.Missed(m, r.Reached); len(missed) > 0 {
				t.Errorf("never reached: %q", missed)
			}
		})
	}
}

// TestBrokenRules sees that the properties see what they are for.
func TestBrokenRules(t *testing.T) {
	long.Test(t)
	for _, c := range []struct{ weak, bounds, want string }{
		{"no-revoke", "entries=2 cuts=1 victims=0 order holds=1", "without|agreement|are left with"},
		{"first-found", "entries=2 cuts=2 order victims=01 beats=1", "agreement|without|left with"},
		{"amnesia", "entries=1 crashes=1 cuts=1 beats=1 order", "agreement|without|left with|hold"},
		{"term-reuse", "entries=1 crashes=1 beats=2 victims=0 order", "goes back"},
		{"majority", "servers=4 entries=1 cuts=1 order", "hold"},
	} {
		t.Run(c.weak, func(t *testing.T) {
			t.Parallel()
			if c.weak == "first-found" {
				needs.Time(t, "it takes half a minute to find")
			}
			m := model(t, c.bounds+" weak="+c.weak)
			r, err := explore.Search(m, explore.Options{Time: 5 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d states, depth %d, %v", r.States, r.Depth, r.Time.Round(time.Millisecond))
			if r.Violation == nil {
				t.Fatalf("nothing is violated (complete: %v %s)", r.Complete, r.Why)
			}
			found := false
			for _, w := range strings.Split(c.want, "|") {
				found = found || strings.Contains(r.Violation.Err.Error(), w)
			}
			if !found {
				t.Errorf("%v, want %q", r.Violation.Err, c.want)
			}
			if testing.Verbose() {
				show(t, m, r.Violation)
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
			if kind, i, _, _ := parts(a); kind == aTick {
				before := string(world.Append(nil))
				again := world.Clone().(*World)
				if err := again.Do(action(aTick, i, 0, 0), nil); err != nil {
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
	for _, text := range []string{"servers=3", "servers=4 entries=2 batch", "servers=3 cuts=1 victims=01 join order holds=2 weak=majority"} {
		if b, err := ParseBounds(text); err != nil || b.String() != text {
			t.Errorf("%q: %v, %v", text, b, err)
		}
	}
	for _, text := range []string{"entries", "entries=x", "entries=-1", "batch=1", "no=1", "servers=9", "weak=x", "remove=7", "victims=a"} {
		if _, err := ParseBounds(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
