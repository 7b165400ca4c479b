package explore

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// WalkOptions bound random walks.
type WalkOptions struct {
	Workers int           // 0: one per CPU
	Walks   int           // 0: any number, for Time
	Steps   int           // of one walk
	Seed    uint64        // of the first walk; the next has the next
	Time    time.Duration // no walk begins later; 0: any
	Tries   int           // runs by which a violation is made shorter; default 2000
	// Converge demands of the end of every so many-th walk that its world converges
	// (Converger); 0: of none.
	Converge int
}

// WalkResult is what random walks have found.
type WalkResult struct {
	Walks, Steps int
	Live         int // walks that were seen to converge at their end
	Time         time.Duration
	Reached      uint64
	Violation    *Run // shortened
	Seed         uint64
	Found        int // steps of the walk that found it
}

// Walk goes random ways, up to the first violation: of the lowest seed among those
// that were begun.
func Walk(m Model, o WalkOptions) (*WalkResult, error) {
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	o.Tries = cmp.Or(o.Tries, 2000)
	begin := time.Now()
	r := &WalkResult{}
	var mu sync.Mutex
	var failed error
	var next atomic.Int64
	var stop atomic.Bool
	var wait sync.WaitGroup
	for range o.Workers {
		wait.Go(func() {
			for !stop.Load() {
				i := int(next.Add(1) - 1)
				if o.Walks > 0 && i >= o.Walks || o.Time > 0 && time.Since(begin) > o.Time {
					return
				}
				seed := o.Seed + uint64(i)
				run, steps, reached, live, err := walk(m, seed, o.Steps, o.Converge > 0 && i%o.Converge == 0)
				mu.Lock()
				if live {
					r.Live++
				}
				r.Walks++
				r.Steps += steps
				r.Reached |= reached
				if err != nil {
					failed = err
				}
				if run != nil && (r.Violation == nil || seed < r.Seed) {
					r.Violation, r.Seed, r.Found = run, seed, len(run.Names)
				}
				if run != nil || err != nil {
					stop.Store(true)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if failed != nil {
		return nil, failed
	}
	if r.Violation != nil {
		r.Violation = Shorten(m, r.Violation, o.Tries)
	}
	r.Time = time.Since(begin)
	return r, nil
}

func walk(m Model, seed uint64, steps int, ends bool) (run *Run, done int, reached uint64, live bool, err error) {
	w, err := m.New()
	if err != nil {
		return nil, 0, 0, false, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6578706c))
	var names []string
	var actions []Action
	for ; done < steps; done++ {
		actions = w.Actions(actions[:0])
		if len(actions) == 0 {
			break
		}
		a := actions[rng.IntN(len(actions))]
		names = append(names, w.Name(a))
		if err := do(w, a, nil); err != nil {
			return &Run{Names: names, Err: err}, done + 1, reached, false, nil
		}
		reached |= w.Reached()
	}
	if c, ok := w.(Converger); ok && ends {
		if live, err = converge(c, seed, nil); err != nil {
			return &Run{Names: append(names, fmt.Sprint(convergeStep, seed)), Err: err}, done, reached, false, nil
		}
	}
	return nil, done, reached, live, nil
}

// Shorten leaves steps of a run out, as long as the rest still violates something.
// Steps that cannot be done any more are left out, too.
func Shorten(m Model, r *Run, tries int) *Run {
	for size := len(r.Names) / 2; size >= 1 && tries > 0; {
		smaller := false
		for at := 0; at < len(r.Names) && tries > 0; tries-- {
			rest := append(append([]string{}, r.Names[:at]...), r.Names[min(at+size, len(r.Names)):]...)
			if shorter := replay(m, rest, true, nil); shorter != nil && shorter.Err != nil && len(shorter.Names) < len(r.Names) {
				r, smaller = shorter, true
			} else {
				at += size
			}
		}
		if !smaller || size > len(r.Names)/2 {
			size /= 2
		}
	}
	return r
}

// errCannot is the end of a run whose next step cannot happen.
type errCannot struct {
	step int
	name string
}

func (e errCannot) Error() string {
	return fmt.Sprintf("step %d (%s) cannot happen there", e.step, e.name)
}

// replay does steps by their names, up to a violation. Those that cannot be done are
// left out if skip is set, and end the run otherwise.
func replay(m Model, names []string, skip bool, note func(step int, name string, e []Event)) *Run {
	w, err := m.New()
	if err != nil {
		return nil
	}
	r := &Run{}
	var actions []Action
	for i, name := range names {
		if pick, ok := strings.CutPrefix(name, convergeStep); ok {
			n, err := strconv.ParseUint(pick, 10, 64)
			c, can := w.(Converger)
			if err != nil || !can {
				r.Err = errCannot{i + 1, name}
				return r
			}
			r.Names = append(r.Names, name)
			var events []Event
			_, r.Err = converge(c, n, func(e Event) { events = append(events, e) })
			if note != nil {
				note(i+1, name, events)
			}
			return r
		}
		actions = w.Actions(actions[:0])
		at := -1
		for k, a := range actions {
			if w.Name(a) == name {
				at = k
				break
			}
		}
		if at < 0 {
			if skip {
				continue
			}
			r.Err = errCannot{i + 1, name}
			return r
		}
		r.Names = append(r.Names, name)
		var events []Event
		take := func(e Event) { events = append(events, e) }
		r.Err = do(w, actions[at], take)
		if note != nil {
			note(i+1, name, events)
		}
		if r.Err != nil {
			return r
		}
	}
	return r
}
