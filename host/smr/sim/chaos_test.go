package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var (
	seeds = flag.Int("seeds", 300, "chaos: number of runs")
	first = flag.Uint64("seed", 1, "chaos: first seed")
	long  = flag.Duration("long", 700*time.Millisecond, "chaos: simulated time of a run, before it settles")
)

func TestChaos(t *testing.T) {
	var total Stats
	for i := range *seeds {
		seed := *first + uint64(i)
		o := ChaosOptions(seed)
		w, err := Chaos(o, *long)
		if err != nil {
			file := filepath.Join(os.TempDir(), fmt.Sprintf("chaos-%d.txt", seed))
			_ = os.WriteFile(file, []byte(w.Trace()), 0o644)
			t.Errorf("seed %d (%+v): %v\n%s", seed, o, err, file)
		}
		total.add(w.Stats)
	}
	t.Logf("%+v", total)
}

func (s *Stats) add(o Stats) {
	s.Proposed += o.Proposed
	s.Decided += o.Decided
	s.Unknown += o.Unknown
	s.Leaders += o.Leaders
	s.Accelerated += o.Accelerated
	s.Fallbacks += o.Fallbacks
	s.Repairs += o.Repairs
	s.Snapshots += o.Snapshots
	s.Restarts += o.Restarts
	s.Barriers += o.Barriers
	s.Refused += o.Refused
}
