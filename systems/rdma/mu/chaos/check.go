package chaos

import (
	"bytes"

	"github.com/p4ce/p4ce/internal/quorum"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	"github.com/p4ce/p4ce/systems/rdma/mu/rig"
)

// decision is an entry that some server has applied.
type decision struct {
	index  uint64
	record string
	by     int
}

// checkApplied checks an entry that a server gives to its state machine: nobody has
// applied another one there.
func (w *World) checkApplied(s *server, d mu.Decided) {
	record := recordOf(d)
	if old, ok := w.log[d.Position]; ok {
		if old.index != d.Index || old.record != record {
			w.violate("agreement: at position %d server %d has applied record %d (%s), server %d applies record %d (%s)",
				d.Position, old.by, old.index, name(old.record), s.id, d.Index, name(record))
		}
		return
	}
	w.log[d.Position] = decision{d.Index, record, s.id}
}

// checkReported checks what a client is told: the record is its own, and a majority
// holds it, on disk if the world is durable.
func (w *World) checkReported(s *server, want string, d mu.Decided) {
	if want != string(d.Record) {
		w.violate("server %d tells a client that %s is decided as record %d, where %s is", s.id, name(want), d.Index, name(string(d.Record)))
	}
	w.reported = max(w.reported, d.Index+1)
	w.each(func(o *server) {
		// Who has applied it answers with it. A leader that stood still reports what others have
		// long adopted, when it goes on: nothing that is read then is older.
		if o != s && o.reads() && o.machine.index <= d.Index {
			w.violate("server %d tells a client that %s is decided, while server %d answers reads by its lease, without it", s.id, name(want), o.id)
		}
	})
	members := s.core.Status().Members // a change counts for its leader first
	n := 0
	for _, m := range members {
		s := w.servers[m.ID]
		if w.opt.Durable && s.onDisk(d) || !w.opt.Durable && s.has(d) {
			n++
		}
	}
	if n < quorum.Majority(len(members)) {
		w.violate("server %d tells a client that %s is decided, which %d of %d servers hold", s.id, name(want), n, len(members))
	}
}

// reads reports whether a server would answer a read without asking anybody, at this
// moment: one that is paused looks at its clock when it goes on, and that may be now.
func (s *server) reads() bool { return s.up && s.lease > s.clock() }

// checkLease checks that what a server would answer covers all that was reported.
func (s *server) checkLease() {
	if !s.reads() {
		return
	}
	s.w.Stats.Leases++
	if s.machine.index < s.w.told {
		s.w.violate("server %d answers reads by its lease at record %d, but %d were reported", s.id, s.machine.index, s.w.told)
	}
}

// past is what a server held when one of its lives ended. An acknowledgement may be
// looked at long after it was given.
type past struct {
	log []byte
	pos uint64
}

// pasts is how many lives are remembered, and how many disks that were lost.
const pasts = 4

// has reports whether a server has an entry in its log or has applied it, or had
// when one of its last lives ended.
func (s *server) has(d mu.Decided) bool {
	for _, p := range s.pasts {
		if p.pos >= d.Position || mu.Holds(p.log, d.Position, d) {
			return true
		}
	}
	return s.up && (s.machine.pos >= d.Position || mu.Holds(s.log, d.Position, d))
}

// checkWriter checks that one server writes to logs in one term.
func (w *World) checkWriter(to *server, from int) {
	t := to.perm.Term
	if old, ok := w.writers[t]; ok && old != from {
		w.violate("in term %v servers %d and %d write", t, old, from)
	}
	w.writers[t] = from
}

// store writes into a server's log on behalf of another, and checks that what the
// server has not read yet survives, if its leader counts on it: every entry that is
// decided, and every entry of the leader's own term, of which it may have been told
// that it is held.
func (w *World) store(to *server, from int, offset uint64, data []byte) {
	w.checkWriter(to, from)
	var before []kept
	if !to.gone {
		before = w.unread(to, offset, uint64(len(data)))
	}
	copy(to.log[offset:], data)
	for _, k := range before {
		if mu.HoldsRecord(to.log, k.end, k.entry) {
			continue
		}
		if w.confirmed(from, to.id) {
			w.violate("server %d writes over position %d of server %d, which has not applied it", from, k.at, to.id)
		}
		return
	}
}

// kept is an entry that must not be destroyed.
type kept struct {
	at, end uint64
	entry   mu.Decided
}

// unread returns the entries that a server has not read yet, that a WRITE of n bytes
// at an offset of its log region touches, and that must survive.
func (w *World) unread(s *server, offset, n uint64) []kept {
	var all []kept
	ring := uint64(len(s.log)) - mu.RingStart
	for pos := s.given; pos-s.given < ring; {
		e, ok := mu.Inspect(s.log, pos)
		if !ok {
			break
		}
		// The ring ends with the region, and no entry goes round its end.
		if at := mu.RingStart + pos%ring; !e.Skip && at < offset+n && offset < at+(e.End-pos) {
			d, decided := w.log[e.End]
			decided = decided && d.index == e.Index && d.record == recordOf(e.Decided)
			if decided || e.Term == s.perm.Term {
				e.Record = bytes.Clone(e.Record)
				all = append(all, kept{pos, e.End, e.Decided})
			}
		}
		pos = e.End
	}
	return all
}

// recordOf is the record of an entry, also of one that changes the membership.
func recordOf(d mu.Decided) string {
	if d.Members != nil {
		return "members " + string(mu.EncodeMembers(d.Members))
	}
	return string(d.Record)
}

// confirmed reports whether a leader counts on what a server holds.
func (w *World) confirmed(leader, id int) bool {
	for _, p := range w.servers[leader].core.Peers() {
		if int(p.ID) == id {
			return p.Confirmed
		}
	}
	return false
}

// checkStatus checks that a server takes back nothing within one life.
func (s *server) checkStatus() {
	st := s.core.Status()
	if l := &s.last; st.Term < l.Term || st.Position < l.Position || st.Index < l.Index {
		s.w.violate("server %d goes back from term %v, position %d, to term %v, position %d", s.id, l.Term, l.Position, st.Term, st.Position)
	}
	s.last = st
}

// forget forgets what was decided behind the most advanced disk: the power has
// failed everywhere, and nothing else is left.
func (w *World) forget() {
	var best machine
	w.each(func(s *server) {
		if s.disk.pos >= best.pos && rig.Has(s.disk.members, s.id) {
			best = s.disk
		}
	})
	for pos := range w.log {
		if pos > best.pos {
			delete(w.log, pos)
		}
	}
	w.reported, w.told = min(w.reported, best.index), min(w.told, best.index)
	clear(w.writers)
	clear(w.formed)
	w.each(func(s *server) { s.pasts = nil })
}
