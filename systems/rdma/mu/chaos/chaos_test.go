package chaos

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/p4ce/p4ce/sim/events/soak"
)

var (
	seeds = flag.Int("seeds", 2000, "chaos: number of runs")
	first = flag.Uint64("seed", 1, "chaos: first seed")
	tries = flag.Int("tries", 20, "chaos: number of seeds of each scenario of a rule")
	long  = flag.Duration("long", 300*time.Millisecond, "chaos: simulated time of a run, before it settles")
)

// TestChaos runs clusters of all shapes under random faults.
func TestChaos(t *testing.T) {
	n := *seeds
	defer debug.SetGCPercent(debug.SetGCPercent(1600)) // a run is small, and half of its time was collecting garbage
	if testing.Short() {
		n = min(n, 200)
	}
	total, failed := soak.Run(t, n, *first, repeat, func(seed uint64) (total Stats, _ error) {
		w, _ := Chaos(ChaosOptions(seed), *long)
		w.all(func(w *World) { soak.Add(&total, w.Stats) })
		return total, w.Failed()
	})
	for i, seed := range failed {
		report(t, seed, i == 0)
	}
	t.Logf("%+v", total)
	if n >= 200 && len(failed) == 0 {
		soak.Busy(t, total)
	}
}

func repeat(seed uint64) string {
	return fmt.Sprintf("go test ./systems/rdma/mu/chaos -run TestChaos -seed %d -seeds 1 -long %v", seed, *long)
}

// report tells how to repeat a run that has failed, and what has happened in it.
func report(t *testing.T, seed uint64, shrink bool) {
	t.Helper()
	w, lines := Chaos(ChaosOptions(seed), *long)
	t.Errorf("seed %d: %v\nrepeat: %s", seed, w.failed, repeat(seed))
	if shrink {
		lines = Shrink(lines, 400)
	}
	w, err := RunScript(lines, func(o *Options) { o.Trace = true })
	if err != nil {
		t.Error(err)
		return
	}
	trace := w.TakeTrace()
	file := filepath.Join(os.TempDir(), fmt.Sprintf("p4ce-chaos-%d.txt", seed))
	text := strings.Join(lines, "\n") + "\n----\n" + strings.Join(trace, "\n") + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
	t.Logf("scenario of %d lines and its trace (may be kept in testdata): %s\n%s",
		len(lines), file, strings.Join(trace[max(0, len(trace)-80):], "\n"))
}
