package consensus

import (
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// linkable reports whether a server can connect to another, and is not.
func (w *World) linkable(s, o *server) bool {
	return s.up && o.up && s.id != o.id && !s.cut && !o.cut && slices.Contains(s.want, mu.ID(o.id)) &&
		(!s.conns[o.id][0].up || !s.conns[o.id][1].up)
}

// link connects both paths to a peer.
func (w *World) link(from, to int) {
	s := w.own(from)
	for k := range s.conns[to] {
		c := &s.conns[to][k]
		if c.up {
			continue
		}
		path := mu.Path{Peer: mu.ID(to), Kind: mu.Kind(k)}
		w.late = slices.DeleteFunc(slices.Clone(w.late), func(l late) bool { return l.from == from && l.to == to && l.path == path })
		*c = conn{up: true, toLife: w.servers[to].life}
		s.core.Up(s.clock, path)
	}
}

// leave ends the connections to a peer, as far as the requester is concerned.
func (w *World) leave(s *server, to int) {
	for k := range s.conns[to] {
		w.end(s, to, mu.Kind(k))
	}
}

// end ends a connection. What was posted on it may be executed later.
func (w *World) end(s *server, to int, kind mu.Kind) {
	c := &s.conns[to][kind]
	if w.m.bounds.Late && c.up && kind == mu.Replication && len(c.posted) > 0 && w.servers[to].up && w.servers[to].life == c.toLife {
		l := late{from: s.id, to: to, life: c.toLife, path: mu.Path{Peer: mu.ID(to), Kind: kind}}
		for _, op := range c.posted {
			op.Data = slices.Clone(op.Data)
			l.ops = append(l.ops, op)
		}
		w.late = append(slices.Clip(w.late), l)
	}
	*c = conn{}
}

// tickAll lets every server look at what has happened to it, but those that are held up.
func (w *World) tickAll() {
	for i := range w.servers {
		if s := w.servers[i]; s.up && !s.ticked && !slices.Contains(w.held, uint16(holdTick<<6|i<<3)) {
			s = w.own(i)
			s.core.Tick(s.clock)
			s.settle()
			s.ticked = true
		}
	}
}

// broken reports whether a connection of a server is no more, and it has not been told.
func (s *server) broken() bool {
	for to := range s.conns {
		for k := range s.conns[to] {
			if c := &s.conns[to][k]; c.up && c.broken {
				return true
			}
		}
	}
	return false
}

// lose tells a server which of its connections are no more.
func (w *World) lose(s *server) {
	for to := range s.conns {
		for k := range s.conns[to] {
			if s.conns[to][k].broken {
				w.Line(s.id, to, true, "connection (%s) ends", kinds[k])
				w.down(s, to, mu.Kind(k))
			}
		}
	}
}

// down ends a connection and tells the core.
func (w *World) down(s *server, to int, kind mu.Kind) {
	w.end(s, to, kind)
	s.core.Down(s.clock, mu.Path{Peer: mu.ID(to), Kind: kind})
}

// cutOff takes a server off the network.
func (w *World) cutOff(s *server) {
	s.cut = true
	w.breakAll(s.id)
	w.lose(w.own(s.id))
}

// breakAll breaks everything from and to a server.
func (w *World) breakAll(id int) {
	for _, o := range w.servers {
		for to := range o.conns {
			if o.id != id && to != id {
				continue
			}
			for k := range o.conns[to] {
				if o.conns[to][k].up {
					w.own(o.id).conns[to][k].broken = true
					o = w.servers[o.id]
				}
			}
		}
		for g := range o.groups {
			if o.id == id {
				w.own(id).groups[g].broken = true
				continue
			}
			for m := range o.groups[g].members {
				if o.groups[g].members[m].id == id {
					w.own(o.id).groups[g].members[m].stuck = true
					o = w.servers[o.id]
				}
			}
		}
	}
}

// exec executes the oldest operation of a connection at its responder. torn: only
// the first packet of it, with which the connection ends.
func (w *World) exec(from, to int, kind mu.Kind, torn bool) {
	s := w.own(from)
	c := &s.conns[to][kind]
	op := c.posted[0]
	c.posted = c.posted[1:]
	o := w.servers[to]
	if op.Read {
		m := o.log
		if op.Region == mu.ElectionRegion {
			m = o.election
		}
		w.Line(from, to, false, "%s", title(op, false))
		c.done = append(c.done, result{op.Data, slices.Clone(m[op.Offset : op.Offset+uint64(len(op.Data))])})
		return
	}
	data := op.Data
	if op.Region == mu.LogRegion {
		if !o.perm.Allows(mu.ID(from), op.Path, 0) {
			w.Line(from, to, true, "%s", title(op, true))
			c.broken = true
			return
		}
		text := title(op, false)
		if torn {
			data = data[:packet]
			text += ", of which the first packet arrives"
			c.broken = true
		}
		w.Line(from, to, false, "%s", text)
		w.store(w.own(to), from, op.Offset, data)
	} else {
		w.Line(from, to, false, "%s", title(op, false))
		copy(w.own(to).election[op.Offset:], data)
	}
	if !torn {
		c.done = append(c.done, result{})
	}
}

// finish reports operations to the requester.
func (w *World) finish(from, to int, kind mu.Kind, n int) {
	s := w.own(from)
	c := &s.conns[to][kind]
	if kind == mu.Replication || w.m.bounds.Split {
		w.Line(to, from, false, "%d done", n)
	}
	for _, r := range c.done[:n] {
		copy(r.to, r.data)
	}
	c.done = c.done[n:]
	s.core.Done(s.clock, mu.Path{Peer: mu.ID(to), Kind: kind}, n)
}

// runLate executes an operation of a connection that has ended.
func (w *World) runLate(i int) {
	l := w.late[i]
	w.late = slices.Clone(w.late)
	op := l.ops[0]
	w.late[i].ops = l.ops[1:]
	o := w.servers[l.to]
	gone := !o.up || o.life != l.life || !o.perm.Allows(mu.ID(l.from), l.path, l.term)
	if gone {
		w.Line(l.from, l.to, true, "late: %s", title(op, true))
	} else {
		w.Line(l.from, l.to, false, "late: %s", title(op, false))
		w.store(w.own(l.to), l.from, op.Offset, op.Data)
	}
	if gone || len(w.late[i].ops) == 0 {
		w.late = slices.Delete(w.late, i, i+1)
	}
}

// fetch gives a server the state of the peer that it has asked.
func (w *World) fetch(s *server) {
	o := w.servers[s.fetching]
	s.fetching = -1
	if !o.up || s.cut || o.cut || o.machine.pos <= s.given {
		s.core.Fetched(s.clock, false, 0, 0, nil)
		return
	}
	s.say("has the state at position %d of server %d", o.machine.pos, o.id)
	w.Reach(goalSnapshot)
	s.machine, s.given, s.queue = o.machine, o.machine.pos, nil
	if rig.Has(s.machine.members, s.id) {
		s.disk = s.machine
	}
	s.core.Fetched(s.clock, true, s.machine.pos, s.machine.index, s.machine.members)
}

func (w *World) propose(s *server) {
	n := w.m.bounds.Entries - w.left[entries]
	record := make([]byte, max(1, w.m.bounds.Large))
	for i := range record {
		record[i] = byte('a' + n)
	}
	index, ok, err := s.core.Propose(s.clock, record)
	if err != nil {
		w.violate("server %d refuses a proposal: %v", s.id, err)
		return
	}
	if !ok {
		s.say("has no room for %c", record[0])
		return
	}
	s.say("is given %c to replicate", record[0])
	w.left[entries]--
	s.waits = append(s.waits, waiting{index, string(record)})
	s.core.Flush(s.clock)
}

// beats lets time pass until all have seen who lives: everybody's heartbeat moves, and
// what is posted on control connections is done.
func (w *World) beats() {
	w.Line(-1, -1, false, "time passes")
	for range 9 {
		for i := range w.servers {
			if w.servers[i].up {
				s := w.own(i)
				s.clock += beat
				s.core.Tick(s.clock)
				s.settle()
			}
		}
		for i := range w.servers {
			for j := range w.servers {
				if c := &w.servers[i].conns[j][mu.Control]; c.up && !c.broken {
					for n := len(c.posted); n > 0; n-- {
						w.exec(i, j, mu.Control, false)
					}
					if n := len(w.servers[i].conns[j][mu.Control].done); n > 0 {
						w.finish(i, j, mu.Control, n)
					}
				}
			}
		}
	}
}
