package chaos

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// recovery is how long a cluster may take to work again when faults end, in
// simulated time.
const recovery = 10 * time.Second

// Settle ends all faults, and fails if the cluster does not decide a new value soon,
// everywhere.
func (w *World) Settle(value string) error {
	w.tracef(nobody, "faults end")
	if !w.sw.up {
		w.SwitchUp()
	}
	if !w.sw.controller {
		w.Controller(true)
	}
	w.all((*World).heal)
	var last time.Duration
	done := func() bool {
		again := w.Now()-last > 20*time.Millisecond
		if again {
			last = w.Now()
		}
		agreed := true
		w.all(func(w *World) {
			if l := w.Leader(); again && l >= 0 {
				w.Propose(l, value)
				w.Barrier(l)
			}
			agreed = agreed && w.agreed(value)
		})
		return agreed
	}
	if !w.RunUntil(recovery, done) && w.failed == nil {
		w.all(func(w *World) {
			if !w.agreed(value) {
				w.stuck()
			}
		})
	}
	return w.Failed()
}

// heal ends the faults of a cluster.
func (w *World) heal() {
	clear(w.cut)
	w.opt.Loss, w.opt.GroupMiss = 0, 0
	w.each(func(s *server) {
		w.Restart(s.id)
		w.Resume(s.id)
		s.slow, s.miss = 0, 0
	})
}

// core draws a majority of members that can go on without the others; nil if there is
// none. It is one of every membership that anybody may still take for today's, and all in
// it have forgotten nothing.
func (w *World) core(rng *rand.Rand) []int {
	var able []int
	for _, m := range w.members() {
		if w.remembers(w.servers[m.ID]) {
			able = append(able, int(m.ID))
		}
	}
	return rig.Core(rng, able, w.memberships())
}

// memberships are all that some server knows, was asked for, or will know when it has read
// its log.
func (w *World) memberships() [][]mu.Member {
	all := [][]mu.Member{w.members()}
	w.each(func(s *server) {
		if len(s.disk.members) > 0 {
			all = append(all, s.disk.members)
		}
		if !s.up {
			region := make([]byte, w.opt.LogSize)
			for _, e := range s.journal.entries {
				copy(region[mu.RingStart+e.Position%uint64(len(region)-mu.RingStart):], e.Bytes)
				if d, ok := mu.Inspect(region, e.Position); ok && d.Members != nil {
					all = append(all, d.Members)
				}
			}
			return
		}
		for _, m := range [][]mu.Member{s.core.Status().Members, s.wanted} {
			if len(m) > 0 {
				all = append(all, m)
			}
		}
		all = append(all, rig.Memberships(s.log, s.machine.pos)...)
	})
	return all
}

// SettleCore heals some servers, and what connects them, for good, leaves all other
// faults as they are, and fails if they do not decide a new value soon, or if one of
// them does not learn of it. If they are not enough, which a shortened script may have made of them,
// that shows nothing.
func (w *World) SettleCore(value string, core []int) error {
	if !rig.Suffice(core, w.memberships()) || slices.ContainsFunc(core, func(id int) bool { return w.servers[id] == nil || !w.remembers(w.servers[id]) }) {
		w.tracef(nobody, "servers %v are not enough to go on", core)
		return w.Failed()
	}
	w.Stats.Cores++
	w.tracef(nobody, "servers %v are well from now on, and nobody else", core)
	if w.opt.Routes == 1 && !w.sw.up {
		w.SwitchUp()
	}
	w.opt.Loss, w.opt.GroupMiss = 0, 0
	for _, a := range core {
		for _, b := range core {
			for r := range w.opt.Routes {
				w.Heal(a, b, r)
			}
		}
		w.Restart(a)
		w.Resume(a)
		s := w.servers[a]
		s.slow, s.miss = 0, 0
	}
	var last time.Duration
	first := uint64(0) // of the positions where the value counts
	for pos := range w.log {
		first = max(first, pos)
	}
	knows := func(id int) bool {
		s := w.servers[id]
		if !s.up || s.core.Status().State != mu.Full {
			return false
		}
		for pos, d := range w.log {
			if pos > first && pos <= s.machine.pos && d.record == value {
				return true
			}
		}
		return false
	}
	done := func() bool {
		if again := w.Now()-last > 20*time.Millisecond; again {
			last = w.Now()
			w.each(func(s *server) { // whoever takes itself for the leader
				if s.up && s.core.Status().Role == mu.Leader {
					w.Propose(s.id, value)
				}
			})
		}
		members := w.members()
		return !slices.ContainsFunc(core, func(id int) bool { return rig.Has(members, id) && !knows(id) && !w.untold(id, core) })
	}
	if !w.RunUntil(recovery, done) && w.failed == nil {
		w.stuck()
	}
	return w.Failed()
}

// untold reports whether a server cannot know that it is a member: it was added when the leader, whose
// faults are for good, did not reach it any more, and it knows nobody else.
func (w *World) untold(id int, core []int) bool {
	l := w.Leader()
	if l < 0 || slices.Contains(core, l) || rig.Has(w.servers[id].core.Status().Members, id) {
		return false
	}
	for r := range w.opt.Routes {
		if w.passes(l, id, r) && w.passes(id, l, r) {
			return false
		}
	}
	return true
}

// stuck says how a cluster is that does not recover.
func (w *World) stuck() {
	w.each(func(s *server) {
		if s.up {
			w.tracef(s.id, "%+v", w.Status(s.id))
			for _, p := range s.core.Peers() {
				w.tracef(s.id, "  %+v", p)
			}
		}
	})
	w.violate("the cluster does not recover")
}

// hasDecided reports whether somebody has applied a value.
func (w *World) hasDecided(value string) bool {
	for _, d := range w.log {
		if d.record == value {
			return true
		}
	}
	return false
}

// agreed reports whether a value has been applied by all members, who are equal.
func (w *World) agreed(value string) bool {
	if !w.hasDecided(value) {
		return false
	}
	members := w.members()
	first := w.servers[members[0].ID]
	for _, m := range members {
		s := w.servers[m.ID]
		if !s.up || s.core.Status().State != mu.Full || s.machine.index != first.machine.index || s.machine.sum != first.machine.sum {
			return false
		}
	}
	return true
}
