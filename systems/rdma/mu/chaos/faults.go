package chaos

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// Propose gives a server records to replicate, as a client would.
func (w *World) Propose(id int, records ...string) {
	if s := w.servers[id]; s.up {
		s.pending = append(s.pending, records...)
		s.do(0, s.propose)
	}
}

// Barrier asks a server for a read barrier.
func (w *World) Barrier(id int) {
	s := w.servers[id]
	if !s.up || s.held {
		return
	}
	s.lastBarrier++
	s.barriers[s.lastBarrier] = w.reported
	if s.core.Barrier(s.clock(), s.lastBarrier) != nil {
		delete(s.barriers, s.lastBarrier)
	}
}

// Crash ends a server's process; its disk may be lost, too.
func (w *World) Crash(id int, disk bool) {
	s := w.servers[id]
	if !s.up {
		return
	}
	if disk {
		w.tracef(id, "crashes, and its disk is lost")
		s.loseDisk()
	} else {
		w.tracef(id, "crashes")
	}
	s.crash()
}

// Restart starts a server that has crashed.
func (w *World) Restart(id int) {
	if s := w.servers[id]; !s.up && !s.gone {
		s.start()
	}
}

// Stop ends a server for good.
func (w *World) Stop(id int) {
	w.Crash(id, false)
	s := w.servers[id]
	s.loseDisk()
	s.gone, s.pasts, s.lost, s.disk = true, nil, nil, machine{}
}

// PowerLoss crashes all servers at once. What is on the most advanced disk survives.
func (w *World) PowerLoss() {
	w.tracef(nobody, "the power fails")
	w.Stats.PowerLosses++
	w.each(func(s *server) {
		if s.up {
			s.crash()
		}
	})
	if !w.opt.Durable {
		w.forget()
	}
}

// Pause stops a server's processor; its device goes on serving.
func (w *World) Pause(id int) {
	if s := w.servers[id]; s.up && !s.held {
		s.held = true
		w.tracef(id, "is paused")
	}
}

// Resume ends Pause.
func (w *World) Resume(id int) {
	s := w.servers[id]
	if !s.up || !s.held {
		return
	}
	w.tracef(id, "goes on")
	s.held = false
	late := s.late
	s.late = nil
	for _, f := range late {
		w.after(0, f)
	}
}

// Cut stops packets from one server to another on a route.
func (w *World) Cut(from, to, route int) { w.cut[cutKey{from, to, route}] = true }

// Heal ends Cut.
func (w *World) Heal(from, to, route int) { delete(w.cut, cutKey{from, to, route}) }

// severed reports whether no route is open both ways.
func (w *World) severed(a, b int) bool {
	for r := range w.opt.Routes {
		if w.passes(a, b, r) && w.passes(b, a, r) {
			return false
		}
	}
	return true
}

// passes reports whether a packet gets through.
func (w *World) passes(from, to, route int) bool {
	return !w.cut[cutKey{from, to, route}] && (route != 0 || w.sw.up)
}

// SwitchDown ends the switch: route 0 is closed.
func (w *World) SwitchDown() {
	w.tracef(theSwitch, "goes down")
	w.sw.up = false
}

// SwitchUp brings an empty switch back.
func (w *World) SwitchUp() {
	w.tracef(theSwitch, "is back, empty")
	w.sw.up = true
	w.sw.empty()
}

// Controller says whether the switch's controller runs: without it no group is
// formed, and those that are formed work.
func (w *World) Controller(up bool) {
	w.tracef(theSwitch, "controller %s", map[bool]string{false: "crashes", true: "is back"}[up])
	w.sw.controller = up
}

// Corrupt writes random bytes into a server's election region: into its status block
// and the permission requests, which are protected by checksums. (Announcements of
// incarnations are not: who damages these takes votes away.)
func (w *World) Corrupt(id int) {
	s := w.servers[id]
	if !s.up {
		return
	}
	w.tracef(id, "has garbage written into its election region")
	b := s.election
	requests := b[len(b)-64*(mu.MaxID+1):]
	for range 1 + w.rng.IntN(16) {
		part := requests[64*w.rng.IntN(len(w.initial)+2):]
		if w.rng.IntN(4) == 0 {
			part = b[:128]
		}
		for i := range part[:1+w.rng.IntN(64)] {
			part[i] = byte(w.rng.Uint32())
		}
	}
	s.do(0, func() { s.core.Poll(s.clock()) })
}

// Stray writes the permission requests that a server of another cluster has into the
// slots of this one: well-formed, and not for it. Connections are refused to another
// cluster's servers; here one was not.
func (w *World) Stray(id int) {
	s := w.servers[id]
	w.all(func(o *World) {
		other := o.servers[id]
		if o == w || other == nil || !other.up || !s.up {
			return
		}
		w.tracef(id, "has the requests of cluster %d written into its slots", o.number)
		n := len(s.election) - 64*(mu.MaxID+1)
		copy(s.election[n:], other.election[n:])
	})
	s.do(0, func() { s.core.Poll(s.clock()) })
}

// Learner starts a new server, if there is none of this id, and lets the leader bring
// it up to date.
func (w *World) Learner(id int) error {
	l := w.Leader()
	if l < 0 || w.servers[l].held {
		return fmt.Errorf("there is no leader")
	}
	if w.servers[id] == nil {
		w.servers[id] = w.newServer(id)
		w.servers[id].start()
	}
	s := w.servers[l]
	return s.core.AddLearner(s.clock(), &mu.Member{ID: mu.ID(id)})
}

// Join makes a server a member that has been a Learner.
func (w *World) Join(id int) error {
	return w.change(func(m []mu.Member) []mu.Member { return append(m, mu.Member{ID: mu.ID(id)}) })
}

// Remove takes a server out of the membership.
func (w *World) Remove(id int) error {
	return w.change(func(m []mu.Member) []mu.Member {
		return slices.DeleteFunc(m, func(m mu.Member) bool { return int(m.ID) == id })
	})
}

func (w *World) change(f func([]mu.Member) []mu.Member) error {
	l := w.Leader()
	if l < 0 || w.servers[l].held {
		return fmt.Errorf("there is no leader")
	}
	s := w.servers[l]
	wanted := f(slices.Clone(s.core.Status().Members))
	if err := s.core.ChangeMembership(s.clock(), wanted); err != nil {
		return err // another one may be under way
	}
	s.wanted, w.changer = wanted, s
	return nil
}

// answered reports whether a server would say now that the change of membership that
// it was asked for is done.
func (s *server) answered() bool {
	st := s.core.Status()
	return st.Agreed && slices.Equal(rig.IDs(st.Members), rig.IDs(s.wanted))
}
