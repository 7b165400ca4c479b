package soak

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// enough seeds have failed: no more are begun.
const enough = 5

// Run runs seeds from first on, and returns what they have counted, S, a struct of ints, and those that have failed.
// It says at once which seed fails, panics or is not done in time, and by which command it is repeated: what is
// logged comes with the end of the test, if at all.
func Run[S any](t *testing.T, n int, first uint64, repeat func(seed uint64) string, run func(seed uint64) (S, error)) (total S, failed []uint64) {
	t.Helper()
	var mutex sync.Mutex
	var wait sync.WaitGroup
	say := func(seed uint64, what any) { fmt.Printf("seed %d: %v\nrepeat: %s\n", seed, what, repeat(seed)) }
	begin := time.Now()
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
	next, done := 0, 0
	take := func() (seed uint64, ok bool) {
		mutex.Lock()
		defer mutex.Unlock()
		seed = first + uint64(next)
		if ok = next < n && len(failed) < enough; ok {
			next++
			running[seed] = time.Now()
		}
		return seed, ok
	}
	end := func(seed uint64, s S, err error) {
		mutex.Lock()
		defer mutex.Unlock()
		delete(running, seed)
		Add(&total, s)
		if err != nil {
			say(seed, err)
			failed = append(failed, seed)
		}
		if done++; done%1000 == 0 {
			took := time.Since(begin)
			t.Logf("%d of %d runs, %d failed, %v, %.1f a second", done, n, len(failed), took.Round(time.Second), float64(done)/took.Seconds())
		}
	}
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed, ok := take(); ok; seed, ok = take() {
				s, err := one(seed, say, run)
				end(seed, s, err)
			}
		})
	}
	wait.Wait()
	slices.Sort(failed)
	return total, failed
}

// one is the run of a seed, which is said also when the run panics.
func one[S any](seed uint64, say func(uint64, any), run func(uint64) (S, error)) (S, error) {
	ended := false
	defer func() {
		if !ended {
			say(seed, "panics")
		}
	}()
	s, err := run(seed)
	ended = true
	return s, err
}

// Add adds what a run has counted.
func Add[S any](total *S, s S) {
	a, b := reflect.ValueOf(total).Elem(), reflect.ValueOf(s)
	for i := range a.NumField() {
		a.Field(i).SetInt(a.Field(i).Int() + b.Field(i).Int())
	}
}

// Busy demands that everything that is counted has happened: runs in which nothing happens show nothing.
func Busy(t *testing.T, total any) {
	t.Helper()
	v := reflect.ValueOf(total)
	for i := range v.NumField() {
		if v.Field(i).Int() == 0 {
			t.Errorf("no run has seen any %s", v.Type().Field(i).Name)
		}
	}
}
