package explore

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/sim/explore"
)

// patience is how many steps of time a world may take to come to rest when nothing fails any more: who was held up takes
// that for a round trip, and waits as long for others.
const patience = 300

// Converge implements explore.Converger: nothing is lost any more, all links and switches come back, and whatever was held
// up goes on. What was sent is received, or its sender is told; then all who are still there send to each other.
func (w *World) Converge(_ uint64, note func(explore.Event)) (bool, error) {
	defer w.Tell(note)()
	if w.left.Once+w.left.Reliable > 0 { // the same is seen when all was sent
		w.left.Once, w.left.Reliable = 0, 0
	}
	w.copies, w.ending = nil, true
	for len(w.held) > 0 {
		w.release(w.held[0])
	}
	for sw := range w.failed {
		if w.failed[sw] {
			w.repair(sw)
		}
	}
	for n := range cables {
		if w.ways[cables[n].ways[0]].down {
			w.cable(n, false)
		}
	}
	for n, h := range w.hosts {
		if !h.dead && h.clock < w.now {
			w.clock(n, w.now-h.clock)
		}
	}
	return true, w.settles()
}

func (w *World) settles() error {
	if err := w.rest(); err != nil {
		return err
	}
	if err := w.judge(); err != nil {
		return err
	}
	if err := w.beginAgain(); err != nil {
		return err
	}
	first := len(w.book.list)
	for n := range hosts {
		for _, reliable := range []bool{false, true} {
			if w.correct(n) {
				if err := w.post(n, reliable); err != nil {
					return err
				}
			}
		}
	}
	if err := w.rest(); err != nil {
		return err
	}
	for k := first; k < len(w.book.list); k++ {
		x := &w.book.list[k]
		for n := range hosts {
			lost := !x.reliable && w.holes[x.from][n]
			if x.to>>n&1 == 1 && w.correct(n) && w.correct(x.from) && x.got>>n&1 == 0 && !lost {
				return fmt.Errorf("nothing fails any more, and %s does not receive what %s sends", hostName(n), hostName(x.from))
			}
		}
	}
	return nil
}

// beginAgain starts hosts that have failed, as others. What was sent before is over.
func (w *World) beginAgain() error {
	for n := range hosts {
		if w.correct(n) || w.ctl == nil || w.hosts[n].e == nil {
			continue
		}
		w.Line(hostColumn(n), hostColumn(n), false, "begins again")
		if err := w.boot(n); err != nil {
			return err
		}
		w.book.fates[n], w.book.last[n], w.book.back = fate{}, [2]mark{}, w.book.back&^(1<<n)
		for o := range hosts {
			w.book.heard[o] &^= 1 << n
		}
		for k := range w.book.list {
			w.book.list[k] = scattering{from: w.book.list[k].from, time: w.book.list[k].time}
		}
	}
	w.whole = w.ctl != nil && !(w.m.bounds.Joins && w.hosts[joiner].e == nil)
	return w.rest()
}

// rest lets time pass until there is nothing to wait for.
func (w *World) rest() error {
	for range patience {
		if err := w.fair(); err != nil {
			return err
		}
		for n, h := range w.hosts {
			if w.m.bounds.Small && h.proc != nil && !h.dead {
				h := w.own(n)
				if err := w.receiveAll(h); err != nil {
					return err
				}
				if err := w.changed(h); err != nil {
					return err
				}
			}
		}
		if w.open() == nil {
			return nil
		}
		w.pass()
	}
	return fmt.Errorf("%d steps after the last fault: %w", patience, w.open())
}

// open is what is not resolved yet, nil if all is.
func (w *World) open() error {
	for k := range w.book.list {
		x := &w.book.list[k]
		if !w.correct(x.from) {
			continue // see judge
		}
		for n := range hosts {
			if x.to>>n&1 == 1 && w.correct(n) && (x.got|x.lost)>>n&1 == 0 {
				return fmt.Errorf("%s has not received %c, and %s was not told that it is lost", hostName(n), letter(k), hostName(x.from))
			}
		}
	}
	if w.whole {
		for _, l := range w.ctl.core.Links() {
			if l.State != "open" {
				return fmt.Errorf("the link from %s to the %s does not come back: it is %s", l.From, l.Switch, l.State)
			}
		}
	}
	if w.ctl != nil && len(w.ctl.core.Failures()) > 0 {
		return errors.New("hosts are still being told of a failure")
	}
	some := w.correct(0) || w.correct(1) || w.correct(2)
	for n, h := range w.hosts {
		if f := &w.book.fates[n]; some && h.dead && h.proc != nil && !f.said && !f.gone {
			return fmt.Errorf("nobody is told that %s has died", hostName(n))
		}
		for o := range hosts {
			if x := &w.book.fates[n]; x.said && o != n && w.correct(o) && x.knows>>o&1 == 0 {
				return fmt.Errorf("%s is not told that %s has failed", hostName(o), hostName(n))
			}
		}
		if w.m.bounds.Returns && w.book.fates[n].said && !h.dead && !h.expelled {
			return fmt.Errorf("%s is not told that it has failed", hostName(n))
		}
		if h.proc == nil && h.e != nil {
			return fmt.Errorf("%s is not admitted", hostName(n))
		}
	}
	return nil
}

// judge looks at scatterings of those who have failed: all correct receivers have received their messages, or nobody has.
// It lets so much time pass that what can be received is.
func (w *World) judge() error {
	for range 6 {
		w.pass()
		if err := w.fair(); err != nil {
			return err
		}
	}
	for k := range w.book.list {
		x := &w.book.list[k]
		if w.correct(x.from) || !x.reliable {
			continue
		}
		for a := range hosts {
			for b := range hosts {
				if both := byte(1<<a | 1<<b); x.to&both == both && w.correct(a) && w.correct(b) && x.got>>a&1 == 1 && x.got>>b&1 == 0 {
					return fmt.Errorf("of scattering %c of %s, which has failed, %s has received its message, and %s has not", letter(k), hostName(x.from), hostName(a), hostName(b))
				}
			}
		}
	}
	return nil
}
