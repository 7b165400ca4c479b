package consensus

import (
	"math/bits"
	"slices"

	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// decision is an entry that some server has applied.
type decision struct {
	pos, index uint64
	record     string
	members    []mu.Member // that it is, nil if it is a record
	by         int
	term       mu.Term // of the first that applied it
	among      uint16  // the members that it knew: of these a majority holds it
}

func (d *decision) decided() mu.Decided {
	m := mu.Decided{Index: d.index, Position: d.pos, Members: d.members}
	if d.members == nil {
		m.Record = []byte(d.record)
	}
	return m
}

// has reports whether a server has read an entry from its log, or has it there.
func (s *server) has(d *decision) bool {
	return s.up && (s.given >= d.pos || mu.Holds(s.log, d.pos, d.decided()))
}

// past is what a server held when one of its lives ended. What it has acknowledged may
// be looked at long after that.
type past struct {
	given uint64
	log   []byte
}

// had reports whether a server had an entry when one of its lives ended.
func (s *server) had(d *decision) bool {
	for _, p := range s.pasts {
		if p.given >= d.pos || mu.Holds(p.log, d.pos, d.decided()) {
			return true
		}
	}
	return false
}

// holders are the servers that have an entry, or had it when their memory was lost; if
// what counts is on disk, that have it there.
func (w *World) holders(d *decision) uint16 {
	held := uint16(0)
	for _, s := range w.servers {
		if w.m.bounds.Durable && s.onDisk(d) || !w.m.bounds.Durable && (s.has(d) || s.had(d)) {
			held |= 1 << s.id
		}
	}
	return held
}

// checkApplied checks an entry that a server gives to its state machine.
func (w *World) checkApplied(s *server, d mu.Decided) {
	if d.Position <= s.given {
		w.violate("server %d applies position %d after position %d", s.id, d.Position, s.given)
	}
	n := decision{pos: d.Position, index: d.Index, record: string(d.Record), by: s.id, members: d.Members}
	if d.Members != nil {
		n.record = "members " + string(mu.EncodeMembers(d.Members))
	}
	for _, old := range w.decided {
		if old.pos != n.pos {
			continue
		}
		if old.index != n.index || old.record != n.record {
			w.violate("agreement: at position %d server %d has applied record %d (%.20s), server %d applies record %d (%.20s)",
				n.pos, old.by, old.index, old.record, s.id, n.index, n.record)
		}
		return
	}
	st := s.core.Status()
	n.term = st.Term
	for _, m := range st.Members { // a change counts for its leader first
		n.among |= 1 << m.ID
	}
	at, _ := slices.BinarySearchFunc(w.decided, n, func(a, b decision) int { return int(a.pos) - int(b.pos) })
	w.decided = slices.Insert(slices.Clone(w.decided), at, n)
	w.newly++
	w.Reach(goalDecided)
	if st.Mode == mu.Accelerated {
		w.Reach(goalThrough)
	}
	if held := bits.OnesCount16(w.holders(&n) & n.among); held <= bits.OnesCount16(n.among)/2 {
		w.violate("server %d applies %.20s, which %d of %d servers hold", s.id, n.record, held, bits.OnesCount16(n.among))
	}
}

// checkReported checks what a client is told.
func (w *World) checkReported(s *server, want string, d mu.Decided) {
	if want != string(d.Record) {
		w.violate("server %d tells a client that %.20s is decided as record %d, where %.20s is", s.id, want, d.Index, d.Record)
	}
	w.reported = max(w.reported, d.Index+1)
	w.Reach(goalReported)
}

// checkWriter checks that one server writes to logs in one term.
func (w *World) checkWriter(to *server, from int) {
	t := to.perm.Term
	for _, o := range w.writers {
		if o.term == t {
			if o.from != from {
				w.violate("in term %v servers %d and %d write", t, o.from, from)
			}
			return
		}
	}
	w.writers = append(slices.Clip(w.writers), writer{t, from})
}

// store writes to a server's log on behalf of another, and checks that every decided
// entry that it has not read survives, if its leader counts on it.
func (w *World) store(to *server, from int, offset uint64, data []byte) {
	w.checkWriter(to, from)
	var held []*decision
	for i := range w.decided {
		if d := &w.decided[i]; d.pos > to.given && mu.Holds(to.log, d.pos, d.decided()) {
			held = append(held, d)
		}
	}
	copy(to.log[offset:], data)
	if len(held) == 0 || !w.confirmed(from, to.id) {
		return
	}
	for _, d := range held {
		if !mu.HoldsRecord(to.log, d.pos, d.decided()) {
			w.violate("server %d writes over position %d of server %d, which has not read it", from, d.pos, to.id)
		}
	}
}

// confirmed reports whether a leader counts on what a server holds.
func (w *World) confirmed(leader, id int) bool {
	l := w.servers[leader]
	if !l.up {
		return false
	}
	for _, p := range l.core.Peers() {
		if int(p.ID) == id {
			return p.Confirmed
		}
	}
	return false
}

// endsWithMembership reports whether the last entry before a position of a server's log
// is a membership that it has not read.
func (s *server) endsWithMembership(tail uint64) bool {
	members := false
	for pos := s.given; pos < tail; {
		e, ok := mu.Inspect(s.log, pos)
		if !ok {
			return false
		}
		pos, members = e.End, e.Members != nil
	}
	return members
}

// check looks at a state.
func (w *World) check() {
	for _, s := range w.servers {
		if !s.up || s.owner != w.token {
			continue // as it was
		}
		st := s.core.Status()
		if l := &s.last; st.Term < l.Term || st.Position < l.Position || st.Index < l.Index {
			w.violate("server %d goes back from term %v, position %d, to term %v, position %d", s.id, l.Term, l.Position, st.Term, st.Position)
		}
		s.last = mu.Status{Term: st.Term, Position: st.Position, Index: st.Index}
		if st.Role == mu.Leader && st.Term != s.lead {
			s.lead = st.Term
			for i := range w.decided {
				if w.decided[i].pos > st.Tail && s.endsWithMembership(st.Tail) {
					break // it proposes nothing there: the term that follows has to have it
				}
				if d := &w.decided[i]; d.term < st.Term && !(s.has(d) && (s.given >= d.pos || st.Tail >= d.pos)) {
					w.violate("server %d leads in term %v without %.20s at position %d, decided in term %v", s.id, st.Term, d.record, d.pos, d.term)
				}
			}
		}
	}
	for i := range w.decided {
		d := &w.decided[i]
		if held := bits.OnesCount16(w.holders(d) & d.among); held <= bits.OnesCount16(d.among)/2 {
			w.violate("%d of %d servers are left with %.20s at position %d, which was decided", held, bits.OnesCount16(d.among), d.record, d.pos)
		}
	}
	if w.newly > 1 {
		w.Reach(goalTogether)
	}
}
