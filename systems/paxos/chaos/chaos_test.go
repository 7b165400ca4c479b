package chaos

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/sim/events/soak"
)

var (
	seeds = flag.Int("seeds", 1000, "chaos: number of runs")
	first = flag.Uint64("seed", 1, "chaos: first seed")
	lines = flag.Int("lines", 100, "chaos: of the trace of a run that fails")
)

// TestChaos runs worlds of all shapes under random faults.
func TestChaos(t *testing.T) {
	if total := chaos(t, *seeds, Defaults); *seeds >= 100 {
		soak.Busy(t, total)
	}
}

// TestSmallRing runs worlds whose rings are full most of the time.
func TestSmallRing(t *testing.T) {
	chaos(t, max(1, *seeds/4), func(seed uint64) Options {
		o := Defaults(seed)
		o.Ring, o.Values, o.Acceptors, o.Faults = 4, 100, 3, 2*time.Millisecond
		return o
	})
}

func chaos(t *testing.T, n int, world func(seed uint64) Options) Stats {
	if testing.Short() {
		n = min(n, 100)
	}
	repeat := func(seed uint64) string {
		return fmt.Sprintf("go test ./systems/paxos/chaos -run %s -seed %d -seeds 1", t.Name(), seed)
	}
	total, failed := soak.Run(t, n, *first, repeat, func(seed uint64) (Stats, error) {
		w, err := Run(world(seed))
		return w.Stats, err
	})
	for _, seed := range failed {
		o := world(seed)
		o.Trace = true
		w, err := Run(o)
		trace := w.Trace()
		t.Fatalf("seed %d: %v\nrepeat: %s\n%+v\n%s", seed, err, repeat(seed), o, strings.Join(trace[max(0, len(trace)-*lines):], "\n"))
	}
	t.Logf("%+v", total)
	return total
}
