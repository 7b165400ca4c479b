package explore

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/onepipe/control"
)

// item is something that may be due: an arrival at the end of a wire, something that a host, a switch or the
// controller does.
type item int

// Items, in the order in which they happen.
const (
	itemArrive  item = 0
	itemObey         = itemArrive + item(len(wires))
	itemControl      = itemObey + switches
	itemSend         = itemControl + 1
	itemTold         = itemSend + hosts // a process has been told who has failed, which takes it a step
	itemWork         = itemTold + hosts // a CPU takes the beacons that wait for it
	items            = itemWork + switches
)

// isDue reports whether something is due, if nobody holds it up.
func (w *World) isDue(i item) bool {
	switch {
	case i < itemObey:
		return len(w.ways[i].queue) > 0
	case i < itemControl:
		return w.obeys(int(i - itemObey))
	case i < itemSend:
		return w.acts()
	case i < itemTold:
		return w.sends(int(i - itemSend))
	case i >= itemWork:
		return len(w.sw[i-itemWork].waiting) > 0
	}
	h := w.hosts[i-itemTold]
	if h.dead || h.clock <= h.told {
		return false
	}
	_, some := h.e.FirstFailed()
	return some
}

// happen lets what is due happen.
func (w *World) happen(i item) error {
	switch {
	case i < itemObey:
		return w.arrive(int(i), w.take(int(i)))
	case i < itemControl:
		return w.obey(int(i - itemObey))
	case i < itemSend:
		return w.act()
	case i < itemTold:
		return w.put(int(i - itemSend))
	case i >= itemWork:
		return w.work(int(i - itemWork))
	}
	return w.callback(int(i - itemTold))
}

func (w *World) text(i item) string {
	switch {
	case i < itemObey:
		x := wires[i]
		return fmt.Sprintf("%v to %v", x.from, x.to)
	case i < itemControl:
		return "the orders of the " + switchNames[i-itemObey]
	case i < itemSend:
		return "the controller"
	case i < itemTold:
		return hostName(int(i-itemSend)) + " sends"
	case i >= itemWork:
		return "the CPU of the " + switchNames[i-itemWork]
	}
	return "the callback of " + hostName(int(i-itemTold))
}

// due is the first thing that is due and not held up; items: nothing is.
func (w *World) due() item {
	for i := item(0); i < items; i++ {
		if w.isDue(i) && !slices.Contains(w.held, i) {
			return i
		}
	}
	return items
}

// each calls can for the things that may happen next.
func (w *World) each(can func(i item)) {
	if !w.m.bounds.Free {
		if i := w.due(); i < items {
			can(i)
		}
		return
	}
	for i := item(0); i < items; i++ {
		if w.isDue(i) {
			can(i)
		}
	}
}

// pass lets a step of time pass. Who is held up does not notice.
func (w *World) pass() {
	w.now++
	for n, h := range w.hosts {
		if !h.dead && !slices.Contains(w.held, itemSend+item(n)) {
			w.clock(n, w.now-h.clock)
		}
	}
}

// clock moves a host's clock.
func (w *World) clock(n, by int) {
	h := *w.hosts[n]
	h.clock += by
	h.next = nil
	h.sum = w.m.sumOf(&h)
	w.hosts[n] = &h
}

// fair lets everything happen that is due, in the fixed order.
func (w *World) fair() error {
	for range 5000 {
		i := w.due()
		if i == items {
			return nil
		}
		if err := w.happen(i); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s is due again and again", w.text(w.due()))
}

func (w *World) dueText(n, _, _ int) []any { return []any{w.text(item(n))} }

// fault is Row.Can of what fails, and of what begins at any time.
func fault(can func(w *World, can func(a, b, c int))) func(*World, func(a, b, c int)) {
	return func(w *World, each func(a, b, c int)) {
		if n := w.m.bounds.Rare; n == 0 || uint32(w.moments*7919+w.moves)*2654435761>>8%uint32(n) == 0 {
			can(w, each)
		}
	}
}

// rowMoments is the row of the first action of a world of Bounds.Rare.
const rowMoments = 0

var rows = explore.Rows[*World]{
	rowMoments: {Name: "moments %d", Do: func(w *World, n, _, _ int) error { w.moments = n; return nil }},
	{Name: "%s", Args: (*World).dueText,
		Can: func(w *World, can func(a, b, c int)) { w.each(func(i item) { can(int(i), 0, 0) }) },
		Do:  func(w *World, n, _, _ int) error { return w.happen(item(n)) }},
	{Name: "hold up %s", Args: (*World).dueText, Left: func(w *World) *int { return &w.left.Holds },
		Can: fault(func(w *World, can func(a, b, c int)) { w.each(func(i item) { can(int(i), 0, 0) }) }),
		Do: func(w *World, n, _, _ int) error {
			w.held = append(w.held[:len(w.held):len(w.held)], item(n))
			slices.Sort(w.held)
			return nil
		}},
	{Name: "%s goes on", Args: (*World).dueText,
		Can: fault(func(w *World, can func(a, b, c int)) {
			for _, i := range w.held {
				can(int(i), 0, 0)
			}
		}),
		Do: func(w *World, n, _, _ int) error {
			w.release(item(n))
			return nil
		}},
	{Name: "lose %s", Args: (*World).dueText, Left: func(w *World) *int { return &w.left.Losses },
		Can: fault(func(w *World, can func(a, b, c int)) {
			w.each(func(i item) {
				if i < itemObey {
					can(int(i), 0, 0)
				}
			})
		}),
		Do: func(w *World, n, _, _ int) error {
			p := w.take(n)
			w.Line(wires[n].from.column(), wires[n].to.column(), true, "%s is lost", describe(p.frame))
			return nil
		}},
	{Name: "keep a copy of %s", Args: (*World).dueText, Left: func(w *World) *int { return &w.left.Repeats },
		Can: fault(func(w *World, can func(a, b, c int)) {
			w.each(func(i item) {
				if i < itemObey {
					can(int(i), 0, 0)
				}
			})
		}),
		Do: func(w *World, n, _, _ int) error {
			w.copies = append(w.copies[:len(w.copies):len(w.copies)], copied{n, w.ways[n].queue[0].frame})
			return w.happen(item(n))
		}},
	{Name: "copy %d comes", Can: fault(explore.Each(func(w *World) (int, int) { return 0, len(w.copies) })),
		Do: func(w *World, n, _, _ int) error {
			c := w.copies[n]
			w.copies = slices.Delete(slices.Clone(w.copies), n, n+1)
			return w.arrive(c.way, packet{c.frame, true})
		}},
	{Name: "h%d's clock goes on", Args: oneMore, Can: hostsThat(func(w *World, n int) bool { return w.m.bounds.Free && w.ticks[n] > 0 }),
		Do: func(w *World, n, _, _ int) error {
			w.ticks[n]--
			w.clock(n, 1)
			return nil
		}},
	{Name: "time passes", Left: func(w *World) *int { return &w.left.Ticks },
		Can: explore.When(func(w *World) bool { return !w.m.bounds.Free && w.due() == items }),
		Do: func(w *World, _, _, _ int) error {
			w.pass()
			return nil
		}},
	{Name: "h%d's clock falls back", Args: oneMore, Left: func(w *World) *int { return &w.left.Jumps }, Can: fault(hostsThat(func(*World, int) bool { return true })),
		Do: func(w *World, n, _, _ int) error {
			w.clock(n, -2)
			return nil
		}},
	{Name: "h%d is to send", Args: oneMore,
		Can: fault(func(w *World, can func(a, b, c int)) {
			if w.left.Once+w.left.Reliable > 0 {
				if from := w.poster(len(w.book.list)); from >= 0 {
					can(from, 0, 0)
				}
			}
		}),
		Do: func(w *World, _, _, _ int) error { return w.postNext() }},
	{Name: "h%d receives", Args: oneMore,
		Can: hostsThat(func(w *World, n int) bool { return w.hosts[n].waiting && !w.hosts[n].dead }),
		Do: func(w *World, n, _, _ int) error {
			h := w.own(n)
			if err := w.receiveAll(h); err != nil {
				return err
			}
			return w.changed(h)
		}},
	{Name: "h%d dies", Args: oneMore, Left: func(w *World) *int { return &w.left.Kills }, Can: fault(hostsThat(func(w *World, n int) bool { return !w.hosts[n].dead && w.hosts[n].proc != nil })),
		Do: func(w *World, n, _, _ int) error {
			w.Line(hostColumn(n), hostColumn(n), false, "dies")
			w.die(n)
			return nil
		}},
	{Name: "%s fails", Args: cableName, Left: func(w *World) *int { return &w.left.Cuts }, Can: fault(cablesThat(false)),
		Do: func(w *World, n, _, _ int) error {
			w.cable(n, true)
			return nil
		}},
	{Name: "%s comes back", Args: cableName, Left: func(w *World) *int { return &w.left.Heals }, Can: fault(cablesThat(true)),
		Do: func(w *World, n, _, _ int) error {
			w.cable(n, false)
			return nil
		}},
	{Name: "the spine fails", Left: func(w *World) *int { return &w.left.Fails }, Can: fault(explore.When(func(w *World) bool { return !w.failed[spine] })),
		Do: func(w *World, _, _, _ int) error { w.fail(spine); return nil }},
	{Name: "the spine comes back", Left: func(w *World) *int { return &w.left.Heals }, Can: fault(explore.When(func(w *World) bool { return w.failed[spine] })),
		Do: func(w *World, _, _, _ int) error { w.repair(spine); return nil }},
	{Name: "the controller dies, and is replaced", Left: func(w *World) *int { return &w.left.Restarts }, Can: fault(explore.When(func(w *World) bool { return w.ctl != nil })),
		Do: func(w *World, _, _, _ int) error { return w.replace() }},
	{Name: "the %s and the controller forget everything", Args: switchName, Left: func(w *World) *int { return &w.left.Forgets },
		Can: fault(explore.Each(func(w *World) (int, int) { return 0, switches })),
		Do:  func(w *World, sw, _, _ int) error { return w.forget(sw) }},
	{Name: "the agent of the %s hangs", Args: switchName, Left: func(w *World) *int { return &w.left.Hangs },
		Can: fault(func(w *World, can func(a, b, c int)) {
			for sw := range switches {
				if !slices.Contains(w.held, itemObey+item(sw)) && !w.failed[sw] {
					can(sw, 0, 0)
				}
			}
		}),
		Do: func(w *World, sw, _, _ int) error { w.hang(sw); return nil }},
	{Name: "h%d does not reach h%d any more", Args: func(_ *World, a, b, _ int) []any { return []any{a + 1, b + 1} }, Left: func(w *World) *int { return &w.left.Holes },
		Can: fault(func(w *World, can func(a, b, c int)) {
			for from := range hosts {
				for to := range hosts {
					if from != to && !w.holes[from][to] {
						can(from, to, 0)
					}
				}
			}
		}),
		Do: func(w *World, from, to, _ int) error { w.holes[from][to] = true; return nil }},
	{Name: "h2 joins", Can: fault(explore.When(func(w *World) bool { return w.m.bounds.Joins && w.hosts[joiner].e == nil })),
		Do: func(w *World, _, _, _ int) error { return w.boot(joiner) }},
}

func oneMore(_ *World, n, _, _ int) []any { return []any{n + 1} }

func switchName(_ *World, sw, _, _ int) []any { return []any{switchNames[sw]} }

func cableName(_ *World, n, _, _ int) []any { return []any{cables[n].name} }

func hostsThat(is func(w *World, n int) bool) func(*World, func(a, b, c int)) {
	return func(w *World, can func(a, b, c int)) {
		for n := range hosts {
			if is(w, n) {
				can(n, 0, 0)
			}
		}
	}
}

// cablesThat are the links between what works that are down, or not.
func cablesThat(down bool) func(*World, func(a, b, c int)) {
	return func(w *World, can func(a, b, c int)) {
		for n, x := range cables {
			if w.ways[x.ways[0]].down == down && !(x.of[spine] && w.failed[spine]) {
				can(n, 0, 0)
			}
		}
	}
}

// release lets go on what was held up. A host's clock is that of all again.
func (w *World) release(i item) {
	w.held = slices.DeleteFunc(slices.Clone(w.held), func(o item) bool { return o == i })
	if n := int(i - itemSend); n >= 0 && n < hosts && !w.m.bounds.Free {
		w.clock(n, w.now-w.hosts[n].clock)
	}
}

// die ends a host without a word.
func (w *World) die(n int) {
	h := *w.hosts[n]
	h.dead, h.next = true, nil
	h.sum = w.m.sumOf(&h)
	w.hosts[n] = &h
	w.held = slices.DeleteFunc(slices.Clone(w.held), func(i item) bool { return i == itemSend+item(n) || i == itemTold+item(n) })
}

// cable takes a link down, or up. What was on it is lost.
func (w *World) cable(n int, down bool) {
	for _, i := range cables[n].ways {
		w.ways[i] = way{down: down}
	}
}

// fail takes a switch down.
func (w *World) fail(sw int) {
	w.Line(colLeaf+sw, colLeaf+sw, false, "fails")
	for n, x := range cables {
		if x.of[sw] {
			w.cable(n, true)
		}
	}
	w.failed[sw] = true
	w.sw[sw] = w.m.empty(sw)
	w.held = slices.DeleteFunc(slices.Clone(w.held), func(i item) bool { return i == itemWork+item(sw) || i == itemObey+item(sw) })
	c := w.ownControl()
	c.todo[sw], c.held[sw] = nil, nil
	c.inbox = slices.DeleteFunc(slices.Clone(c.inbox), func(e event) bool { return e.sw == sw })
	w.tell(event{sw: sw, what: eventLost})
}

// repair brings a switch back. It holds nothing.
func (w *World) repair(sw int) {
	w.Line(colLeaf+sw, colLeaf+sw, false, "comes back")
	w.failed[sw] = false
	for n, x := range cables {
		if x.of[sw] && !(x.of[1-sw] && w.failed[1-sw]) {
			w.cable(n, false)
		}
	}
	w.tell(event{sw: sw, what: eventSynced})
}

// forget has a switch and the controller begin anew. Only the journal is left.
func (w *World) forget(sw int) error {
	w.fail(sw)
	if err := w.replace(); err != nil {
		return err
	}
	w.repair(sw)
	return nil
}

// hang has the agent of a switch do nothing any more: what it is to do waits, and so do beacons, if it sends them.
func (w *World) hang(sw int) {
	w.Line(colLeaf+sw, colLeaf+sw, false, "its agent hangs")
	w.held = append(w.held[:len(w.held):len(w.held)], itemObey+item(sw), itemWork+item(sw))
	slices.Sort(w.held)
	w.held = slices.Compact(w.held)
}

// replace has a controller die. What it has ordered and was not done yet is not done, and nobody hears what was.
func (w *World) replace() error {
	w.Line(colControl, colControl, false, "dies, and is replaced")
	return w.begin(&records{slices.Clone(w.ctl.kept.list)})
}

var _ control.Journal = (*records)(nil)

// Actions implements explore.World.
func (w *World) Actions(out []explore.Action) []explore.Action {
	if w.m.bounds.Rare > 0 && w.moments == 0 {
		for n := 1; n < 256; n++ {
			out = append(out, explore.Act(rowMoments, n, 0, 0))
		}
		return out
	}
	return rows.Actions(w, out)
}

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	w.moves++
	err := rows.Do(w, x)
	if err == nil && w.m.bounds.Probes {
		err = w.probe()
	}
	return err
}
