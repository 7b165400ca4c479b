package explore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/control"
)

// Steps of a controller that begins a new epoch.
const (
	stepFence = iota
	stepRead
	stepMerge
	stepGive
	stepLead
	stepTell
	steps
)

var stepNames = [steps]string{"fences", "reads", "merges what it has read of", "gives the state to", "has lead", "tells the epoch to"}

var rows = explore.Rows[*World]{
	{Name: "send to group 1", Left: func(w *World) *int { return &w.left.One }, Can: explore.When((*World).sends),
		Do: func(w *World, _, _, _ int) error { return w.send(1) }},
	{Name: "send to both groups", Left: func(w *World) *int { return &w.left.Both }, Can: explore.When((*World).sends),
		Do: func(w *World, _, _, _ int) error { return w.send(1, 2) }},
	{Name: "%s", Args: (*World).flying, Can: explore.Each((*World).arriving),
		Do: func(w *World, n, _, _ int) error { return w.arrive(w.take(n)) }},
	{Name: "%s, and again later", Args: (*World).flying, Left: func(w *World) *int { return &w.left.Repeats }, Can: explore.Each((*World).arriving),
		Do: func(w *World, n, _, _ int) error {
			p := w.flight[n]
			if w.m.bounds.Fair {
				w.flight = append(slices.Delete(w.flight, n, n+1), p)
			}
			return w.arrive(p)
		}},
	{Name: "lose %s", Args: (*World).flying, Left: func(w *World) *int { return &w.left.Losses }, Can: explore.Each((*World).arriving),
		Do: func(w *World, n, _, _ int) error { w.take(n); return nil }},
	{Name: "%s waits no longer", Args: func(_ *World, n, _, _ int) []any { return []any{columns[client+n]} }, Left: func(w *World) *int { return &w.left.Ticks },
		Can: func(w *World, can func(a, b, c int)) {
			for n := range clients + replicas {
				if w.waits(n) {
					can(n, 0, 0)
				}
			}
		},
		Do: func(w *World, n, _, _ int) error { return w.tick(n) }},
	{Name: "the controller begins an epoch that member %d leads", Left: func(w *World) *int { return &w.left.Changes },
		Can: func(w *World, can func(a, b, c int)) {
			for n := range 3 {
				if !w.change.on {
					can(n, 0, 0)
				}
			}
		},
		Do: func(w *World, n, _, _ int) error { w.beginEpoch(n); return nil }},
	{Name: "the controller %s %s", Args: func(_ *World, step, n, _ int) []any { return []any{stepNames[step], columns[n]} },
		Can: (*World).eachStep, Do: func(w *World, step, n, _ int) error { return w.step(step, n) }},
	{Name: "%s forgets", Args: func(_ *World, n, _, _ int) []any { return []any{columns[n]} }, Left: func(w *World) *int { return &w.left.Forgets },
		Can: func(w *World, can func(a, b, c int)) {
			for n := range 3 {
				if !w.forgot[n] {
					can(n, 0, 0)
				}
			}
		},
		Do: func(w *World, n, _, _ int) error { return w.forget(n) }},
	{Name: "client %d dies", Left: func(w *World) *int { return &w.left.Dies },
		Can: func(w *World, can func(a, b, c int)) {
			for n, s := range w.senders {
				if s != nil {
					can(n, 0, 0)
				}
			}
		},
		Do: func(w *World, n, _, _ int) error { w.die(n); return nil }},
}

// Actions implements explore.World.
func (w *World) Actions(out []explore.Action) []explore.Action { return rows.Actions(w, out) }

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	return rows.Do(w, x)
}

func (w *World) flying(n, _, _ int) []any {
	p := w.flight[n]
	var h amcast.Packet
	if _, err := h.Parse(p.frame); err != nil {
		return []any{err}
	}
	return []any{fmt.Sprintf("%s > %s: %s", columns[p.from], columns[p.to], describe(&h))}
}

// arriving are the packets that may arrive next.
func (w *World) arriving() (int, int) {
	if w.m.bounds.Fair {
		return 0, min(1, len(w.flight))
	}
	return 0, len(w.flight)
}

func (w *World) take(n int) packet {
	p := w.flight[n]
	w.flight = slices.Delete(w.flight, n, n+1)
	return p
}

// sends reports whether the client whose turn it is may send.
func (w *World) sends() bool {
	s := w.senders[len(w.sent)%clients]
	return s != nil && !s.Full()
}

func (w *World) send(list ...uint8) error {
	n := len(w.sent) % clients
	groups, err := amcast.NewGroups(list...)
	if err != nil {
		return err
	}
	payload := byte('a' + len(w.sent))
	id, err := w.senders[n].Multicast(w.now, groups, []byte{payload})
	if err != nil {
		return err
	}
	w.sent = append(w.sent, sent{id: id, groups: groups, payload: payload})
	w.Line(client+n, client+n, false, "sends %v to %v", id, groups)
	w.host(client+n, w.senders[n].Poll)
	return nil
}

// die has a client die. The controller has told all replicas.
func (w *World) die(n int) {
	w.senders[n] = nil
	for _, r := range w.replicas {
		r.ClientFailed(uint16(n))
	}
}

// waits reports whether a host has a timer.
func (w *World) waits(n int) (ok bool) {
	switch {
	case n >= clients:
		_, ok = w.replicas[n-clients].Deadline()
	case w.senders[n] != nil:
		_, ok = w.senders[n].Deadline()
	}
	return ok
}

// tick lets a timer of a host fire. The time is no part of a state: timers fire whenever they like.
func (w *World) tick(n int) error {
	w.now += time.Minute
	if n >= clients {
		w.replicas[n-clients].Tick(w.now)
		return w.replied(client + n)
	}
	w.senders[n].Tick(w.now)
	w.host(client+n, w.senders[n].Poll)
	return nil
}

// beginEpoch is what the controller records first.
func (w *World) beginEpoch(leads int) {
	order := [3]int8{int8(leads), int8((leads + 1) % 3), int8((leads + 2) % 3)}
	w.change = change{on: true, epoch: w.last.epoch[0] + 1, order: order}
	w.last.epoch[0]++
}

// eachStep are the steps that the controller may take.
func (w *World) eachStep(can func(a, b, c int)) {
	c := &w.change
	if !c.on {
		return
	}
	if w.m.bounds.Fair { // one after the other
		first := true
		each := can
		can = func(a, b, c int) {
			if first {
				each(a, b, c)
			}
			first = false
		}
	}
	read, given := 0, 0
	for n := range 3 {
		if c.read[n] {
			read++
		}
		if c.given[n] {
			given++
		}
		if c.merged == nil && !c.fenced[n] {
			can(stepFence, n, 0)
		}
		if c.merged == nil && c.fenced[n] && !c.read[n] {
			can(stepRead, n, 0)
		}
		if c.merged != nil && !c.given[n] {
			can(stepGive, n, 0)
		}
	}
	if c.merged == nil && read >= 2 {
		can(stepMerge, int(c.order[0]), 0)
	}
	if !c.leads && given >= 2 && c.given[c.order[0]] {
		can(stepLead, int(c.order[0]), 0)
	}
	for _, n := range [...]int{member2, deliverer, deliverer + 1} {
		if c.merged != nil && !c.told[n] {
			can(stepTell, n, 0)
		}
	}
}

func (w *World) step(step, n int) error {
	c := &w.change
	known := epochs{epoch: [2]uint32{c.epoch, 1}, order: c.order, role: c.epoch, active: c.leads}
	fence := life(c.epoch) - 1
	switch step {
	case stepFence:
		c.fenced[n] = true
		if err := w.m.prog.Restore(w.sw[n]); err != nil {
			return err
		}
		if w.m.register("life", 1, 0) != life(w.knows[n].role) {
			w.Reach(goalForgot)
			return nil
		}
		s, err := w.m.prog.Set(w.sw[n], fmt.Sprintf("register_write life 1 %d\n", fence))
		w.sw[n] = s
		return err
	case stepRead:
		s, ok, err := w.read(n, fence)
		if err != nil || !ok {
			c.fenced[n] = c.fenced[n] && err == nil
			return err
		}
		c.read[n], c.state[n] = true, s
	case stepMerge:
		var quorum []control.State
		for i := range c.state {
			if c.read[i] {
				quorum = append(quorum, c.state[i])
			}
		}
		m := control.Merge(w.complete, c.epoch, quorum)
		c.merged = &m
		for _, x := range m.Cells {
			if x.Epoch > 0 {
				w.Reach(goalKept)
			}
		}
		for _, q := range quorum {
			if q.Mark > m.Mark {
				w.Reach(goalEmpty)
			}
		}
		c.read, c.state, c.fenced = [3]bool{}, [3]control.State{}, [3]bool{}
	case stepGive:
		c.given[n] = true
		w.forgot[n] = false
		// Everything else of the role is 0 in a member: nothing of an earlier role stays.
		if err := w.install(n, known, written(c.merged)+fmt.Sprintf("register_write life 1 %d\n", life(c.epoch))); err != nil {
			return err
		}
	case stepLead:
		c.leads, w.complete, w.leader = true, c.epoch, c.order[0]
		known.active = true
		if err := w.install(n, known, ""); err != nil {
			return err
		}
	case stepTell:
		c.told[n] = true
		k := w.knows[n]
		k.epoch[0], k.order = c.epoch, c.order
		if err := w.install(n, k, ""); err != nil {
			return err
		}
	}
	if c.leads && c.given == [3]bool{true, true, true} && c.told[member2] && c.told[deliverer] && c.told[deliverer+1] {
		w.last.order, w.last.role = c.order, c.epoch
		w.change = change{}
	}
	return nil
}

// forget has a member lose its registers. Its tables are as they were.
func (w *World) forget(n int) error {
	w.forgot[n] = true
	s, err := w.m.prog.Set(w.m.prog.Empty, w.m.setup(n, w.knows[n]))
	w.sw[n] = s
	return err
}

// Converge implements explore.Converger: nothing fails any more, and what is lost is lost.
func (w *World) Converge(_ uint64, note func(explore.Event)) (bool, error) {
	defer w.Tell(note)()
	for range 12 {
		if err := w.settle(); err != nil {
			return true, err
		}
		if !w.change.on && slices.Contains(w.forgot[:], true) {
			w.beginEpoch(slices.Index(w.forgot[:3], false))
			continue
		}
		for n := range clients + replicas {
			if w.waits(n) {
				if err := w.tick(n); err != nil {
					return true, err
				}
			}
		}
	}
	for i, s := range w.sent {
		some, all := false, true
		for r := range w.logs {
			if s.groups.Has(groupOf(replica + r)) {
				has := slices.Contains(w.logs[r], byte(i))
				some, all = some || has, all && has
			}
		}
		if !all && (some || w.senders[s.id.Client] != nil) {
			return true, fmt.Errorf("%v is not delivered everywhere: %v", s.id, w.logs)
		}
	}
	if !bytes.Equal(w.logs[0], w.logs[1]) {
		return true, fmt.Errorf("the replicas of group 1 end with two orders: %v and %v", w.logs[0], w.logs[1])
	}
	return true, nil
}

// settle lets everything arrive, and the controller do what it is about to do.
func (w *World) settle() error {
	for range 4000 {
		if len(w.flight) > 0 {
			if err := w.arrive(w.take(0)); err != nil {
				return err
			}
			continue
		}
		var next []int
		w.eachStep(func(a, b, _ int) {
			if a == stepRead && w.forgot[b] || a == stepFence && w.forgot[b] {
				return
			}
			if next == nil {
				next = []int{a, b}
			}
		})
		if next == nil {
			return nil
		}
		if err := w.step(next[0], next[1]); err != nil {
			return err
		}
	}
	return errors.New("packets go on for ever")
}
