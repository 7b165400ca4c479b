package consensus

import (
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// next reports whether a member has something to execute.
func (g *group) next(m int) bool {
	return g.formed && !g.members[m].stuck && g.members[m].done-g.base < len(g.posted)
}

// ready is how many operations can be reported: need members have executed them.
func (g *group) ready() int {
	if !g.formed || len(g.members) < g.need || g.need == 0 {
		return 0
	}
	var done []int
	for _, m := range g.members {
		done = append(done, m.done)
	}
	slices.Sort(done)
	return done[len(done)-g.need] - g.acked
}

// hopeless reports whether something was posted that can never be reported: the
// requester gives up then.
func (g *group) hopeless() bool {
	alive := 0
	for _, m := range g.members {
		if !m.stuck || m.done >= g.base+len(g.posted) {
			alive++
		}
	}
	return len(g.posted) > 0 && alive < g.need
}

// form connects a server to the group that it has asked for, or fails.
func (w *World) form(id int) {
	s := w.own(id)
	i := slices.IndexFunc(s.groups, func(g group) bool { return !g.formed })
	g := &s.groups[i]
	fail := s.cut
	for _, m := range g.members {
		o := w.servers[m.id]
		fail = fail || !o.up || o.cut || !o.perm.Allows(mu.ID(id), mu.Path{Kind: mu.Group, Gen: g.gen}, g.term)
	}
	if w.m.first != nil { // not when the world begins
		if w.left[groups] == 0 {
			fail = true
		} else {
			w.left[groups]--
		}
	}
	gen := g.gen
	if fail {
		s.say("group %d cannot be formed", gen)
		s.groups = slices.Delete(s.groups, i, i+1)
		s.core.GroupFailed(s.clock, gen)
		return
	}
	s.say("group %d is formed", gen)
	g.formed = true
	for j := range g.members {
		g.members[j].life = w.servers[g.members[j].id].life
	}
	s.core.Up(s.clock, mu.Path{Kind: mu.Group, Gen: gen})
}

// copyTo executes a copy of a WRITE to a group at a member.
func (w *World) copyTo(id, i, j int) {
	s := w.own(id)
	g := &s.groups[i]
	m := &g.members[j]
	op := g.posted[m.done-g.base]
	o := w.servers[m.id]
	switch {
	case !o.up || o.life != m.life || o.cut || s.cut:
		w.Line(id, m.id, true, "%s, through the switch: lost", title(op, false))
		m.stuck = true
	case !o.perm.Allows(mu.ID(id), op.Path, g.term):
		w.Line(id, m.id, true, "%s, through the switch", title(op, true))
		m.stuck, g.broken = true, true
	default:
		w.Line(id, m.id, false, "%s, through the switch", title(op, false))
		m.done++
		w.store(w.own(m.id), id, op.Offset, op.Data)
	}
	w.trim(g)
}

// trim forgets operations that nobody will execute any more.
func (w *World) trim(g *group) {
	low := g.base + len(g.posted)
	for _, m := range g.members {
		if !m.stuck {
			low = min(low, m.done)
		}
	}
	low = min(low, g.acked)
	g.posted, g.base = g.posted[low-g.base:], low
}

func (w *World) groupDone(id, i int) {
	s := w.own(id)
	g := &s.groups[i]
	n, gen := g.ready(), g.gen
	g.acked += n
	w.trim(g)
	s.say("the switch acknowledges %d WRITEs", n)
	s.core.Done(s.clock, mu.Path{Kind: mu.Group, Gen: gen}, n)
}

// loseGroup ends a server's connection to a group, and tells the core.
func (w *World) loseGroup(s *server, i, _ int) {
	gen := s.groups[i].gen
	s.say("its connection to group %d ends", gen)
	w.leaveGroup(s, i)
	s.core.Down(s.clock, mu.Path{Kind: mu.Group, Gen: gen})
}

// leaveGroup ends a server's connection to a group. What was posted may still be
// executed by its members.
func (w *World) leaveGroup(s *server, i int) {
	g := s.groups[i]
	if w.m.bounds.Late && g.formed {
		for _, m := range g.members {
			if m.stuck || m.done-g.base >= len(g.posted) {
				continue
			}
			l := late{from: s.id, to: m.id, life: m.life, path: mu.Path{Kind: mu.Group, Gen: g.gen}, term: g.term}
			for _, op := range g.posted[m.done-g.base:] {
				op.Data = slices.Clone(op.Data)
				l.ops = append(l.ops, op)
			}
			w.late = append(slices.Clip(w.late), l)
		}
	}
	s.groups = slices.Delete(s.groups, i, i+1)
}
