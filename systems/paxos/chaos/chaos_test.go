package chaos

import (
	"flag"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	seeds = flag.Int("seeds", 1000, "chaos: number of runs")
	first = flag.Uint64("seed", 1, "chaos: first seed")
	lines = flag.Int("lines", 100, "chaos: of the trace of a run that fails")
)

// TestChaos runs worlds of all shapes under random faults.
func TestChaos(t *testing.T) {
	if total := chaos(t, *seeds, Defaults); *seeds >= 100 {
		// A run in which nothing happens shows nothing.
		v := reflect.ValueOf(total)
		for i := range v.NumField() {
			if v.Field(i).Int() == 0 {
				t.Errorf("no run has seen any %s", v.Type().Field(i).Name)
			}
		}
	}
}

// TestSmallRing runs worlds whose rings are full most of the time.
func TestSmallRing(t *testing.T) {
	chaos(t, *seeds/4, func(seed uint64) Options {
		o := Defaults(seed)
		o.Ring, o.Values, o.Acceptors, o.Faults = 4, 100, 3, 2*time.Millisecond
		return o
	})
}

func chaos(t *testing.T, n int, world func(seed uint64) Options) Stats {
	if testing.Short() {
		n = min(n, 100)
	}
	var total Stats
	for i := range n {
		seed := *first + uint64(i)
		w, err := Run(world(seed))
		total.add(w.Stats)
		if err != nil {
			o := world(seed)
			o.Trace = true
			w, err = Run(o)
			trace := w.Trace()
			t.Fatalf("seed %d: %v\nrepeat: go test ./systems/paxos/chaos -run %s -seed %d -seeds 1\n%+v\n%s",
				seed, err, t.Name(), seed, o, strings.Join(trace[max(0, len(trace)-*lines):], "\n"))
		}
	}
	t.Logf("%+v", total)
	return total
}

func (s *Stats) add(o Stats) {
	a, b := reflect.ValueOf(s).Elem(), reflect.ValueOf(o)
	for i := range a.NumField() {
		a.Field(i).SetInt(a.Field(i).Int() + b.Field(i).Int())
	}
}
