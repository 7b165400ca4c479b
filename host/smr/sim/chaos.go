package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/host/smr/mu"
)

// ChaosOptions draws the shape of a run from its seed.
func ChaosOptions(seed uint64) Options {
	rng := rand.New(rand.NewPCG(seed, 1))
	o := Options{
		Servers: []int{3, 3, 3, 5, 5, 2, 4, 1, 7}[rng.IntN(9)],
		Seed:    seed,
		LogSize: 4096 << rng.IntN(3),
		Switch:  rng.IntN(4) > 0,
		Routes:  1 + rng.IntN(2),
	}
	if rng.IntN(2) == 0 {
		o.Loss = 0.002 * rng.Float64()
	}
	if rng.IntN(2) == 0 {
		o.GroupMiss = 0.005 * rng.Float64()
	}
	return o
}

// Chaos runs a cluster for d under random load and random faults, then ends the
// faults and sees whether the cluster recovers.
func Chaos(o Options, d time.Duration) (*World, error) {
	w := New(o)
	rng := rand.New(rand.NewPCG(o.Seed, 2))
	n := o.Servers
	pick := func() int { return rng.IntN(n) }
	value := 0
	values := func() []string {
		v := make([]string, 1+rng.IntN(8))
		for i := range v {
			value++
			v[i] = fmt.Sprint("v", value)
			if rng.IntN(4) == 0 {
				v[i] += string(make([]byte, rng.IntN(w.opt.LogSize/4-200)))
			}
		}
		return v
	}
	calm := rng.IntN(3) // how rare faults are
	for w.now < d {
		if err := w.Run(w.between(100*time.Microsecond, 5*time.Millisecond)); err != nil {
			return w, err
		}
		if rng.IntN(3) > 0 {
			target := w.Leader()
			if target < 0 || rng.IntN(8) == 0 {
				target = pick()
			}
			w.Propose(target, values()...)
			if rng.IntN(2) == 0 {
				w.Barrier(target)
			}
			continue
		}
		if rng.IntN(4<<calm) > 0 {
			continue
		}
		switch s := pick(); rng.IntN(12) {
		case 0, 1:
			if l := w.Leader(); l >= 0 && rng.IntN(2) == 0 {
				s = l
			}
			// The memory of a majority must survive: nobody can help beyond that.
			if w.servers[s].up && w.intact()-1 >= n/2+1 {
				w.servers[s].crash(rng.IntN(3) == 0)
			}
		case 2, 3, 4:
			w.Restart(s)
		case 5:
			if l := w.Leader(); l >= 0 && rng.IntN(2) == 0 {
				s = l
			}
			w.Pause(s)
			life := w.servers[s].life
			w.after(w.between(time.Millisecond, 300*time.Millisecond), func() {
				if w.servers[s].life == life {
					w.Resume(s)
				}
			})
		case 6, 7:
			a, b, r := pick(), pick(), rng.IntN(o.Routes)
			if a != b && !w.cut[[3]int{a, b, r}] {
				w.Cut(a, b, r)
				w.after(w.between(time.Millisecond, 200*time.Millisecond), func() { w.Heal(a, b, r) })
			}
		case 8:
			for b := range n {
				if b == s {
					continue
				}
				for r := range o.Routes {
					w.Cut(s, b, r)
					w.after(w.between(time.Millisecond, 400*time.Millisecond), func() { w.Heal(s, b, r) })
				}
			}
		case 9, 10:
			if w.sw.up {
				w.SwitchDown()
				w.after(w.between(time.Millisecond, 300*time.Millisecond), w.SwitchUp)
			}
		case 11:
			w.SwitchDown()
			w.SwitchUp()
		}
	}
	return w, w.Settle(fmt.Sprint("last", o.Seed))
}

// Settle ends all faults, and fails if the cluster does not decide a new value soon,
// everywhere.
func (w *World) Settle(value string) error {
	w.tracef(-1, "faults end")
	clear(w.cut)
	w.opt.Loss, w.opt.GroupMiss = 0, 0
	if !w.sw.up {
		w.SwitchUp()
	}
	for i, s := range w.servers {
		w.Restart(i)
		if s.held {
			w.Resume(i)
		}
	}
	var last time.Duration
	done := func() bool {
		if w.now-last > 20*time.Millisecond {
			last = w.now
			if l := w.Leader(); l >= 0 {
				w.Propose(l, value)
				w.Barrier(l)
			}
		}
		return w.agreed(value)
	}
	if !w.RunUntil(20*time.Second, done) {
		if w.failed == nil {
			w.violate("the cluster does not recover")
			for i := range w.servers {
				w.tracef(i, "%s %+v", w.State(i), w.Status(i))
				for _, p := range w.servers[i].core.Peers() {
					w.tracef(i, "  %+v", p)
				}
			}
			w.failed.Trace = w.Trace()
		}
		return w.failed
	}
	return w.Failed()
}

// agreed reports whether a value has been applied by all members, who are equal.
func (w *World) agreed(value string) bool {
	members := w.members()
	seen := false
	for _, d := range w.log {
		if d.record == value {
			seen = true
			break
		}
	}
	if !seen {
		return false
	}
	first := w.servers[members[0].ID]
	for _, m := range members {
		s := w.servers[m.ID]
		if !s.running() || s.core.Status().State != mu.Full || s.machine.index != first.machine.index || s.machine.sum != first.machine.sum {
			return false
		}
	}
	return true
}
