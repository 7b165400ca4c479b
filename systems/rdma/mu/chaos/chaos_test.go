package chaos

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
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
	var total Stats
	var mutex sync.Mutex
	var failed []uint64
	work := make(chan uint64)
	var wait sync.WaitGroup
	begin := time.Now()
	done := 0
	running := map[uint64]time.Time{}
	if end, ok := t.Deadline(); ok {
		// Who ends the process then says nothing of seeds.
		timer := time.AfterFunc(time.Until(end)-time.Second, func() {
			mutex.Lock()
			defer mutex.Unlock()
			for seed, since := range running {
				say(seed, fmt.Sprintf("is not done after %v", time.Since(since).Round(time.Second)))
			}
		})
		defer timer.Stop()
	}
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed := range work {
				mutex.Lock()
				running[seed] = time.Now()
				mutex.Unlock()
				w := chaosOf(seed)
				mutex.Lock()
				delete(running, seed)
				w.all(func(w *World) { total.add(w.Stats) })
				if w.failed != nil {
					say(seed, w.failed.Error())
					failed = append(failed, seed)
				}
				if done++; done%1000 == 0 {
					t.Logf("%d of %d runs, %d failed, %v", done, n, len(failed), time.Since(begin).Round(time.Second))
				}
				mutex.Unlock()
			}
		})
	}
	for i := range n {
		mutex.Lock()
		enough := len(failed) >= 5
		mutex.Unlock()
		if enough {
			break
		}
		work <- *first + uint64(i)
	}
	close(work)
	wait.Wait()
	for i, seed := range failed {
		report(t, seed, i == 0)
	}
	t.Logf("%+v", total)
	if n >= 200 && len(failed) == 0 {
		// A run in which nothing happens shows nothing.
		v := reflect.ValueOf(total)
		for i := range v.NumField() {
			if v.Field(i).Int() == 0 {
				t.Errorf("no run has seen any %s", v.Type().Field(i).Name)
			}
		}
	}
}

// chaosOf is the run of a seed, which is said also when the run panics.
func chaosOf(seed uint64) *World {
	ended := false
	defer func() {
		if !ended {
			say(seed, "panics")
		}
	}()
	w, _ := Chaos(ChaosOptions(seed), *long)
	ended = true
	return w
}

// say tells of a seed at once: what is logged comes with the end of the test, if at all.
func say(seed uint64, what string) {
	fmt.Printf("seed %d: %s\nrepeat: %s\n", seed, what, repeat(seed))
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

func (s *Stats) add(o Stats) {
	a, b := reflect.ValueOf(s).Elem(), reflect.ValueOf(o)
	for i := range a.NumField() {
		a.Field(i).SetInt(a.Field(i).Int() + b.Field(i).Int())
	}
}
