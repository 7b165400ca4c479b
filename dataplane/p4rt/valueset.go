package p4rt

import (
	"errors"
	"fmt"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// what names a table or value set in messages.
func (t *tableSchema) what() string {
	if t.src.ValueSet != nil {
		return fmt.Sprintf("value set %q", t.name)
	}
	return fmt.Sprintf("table %q", t.name)
}

func (s *schema) indexSets() error {
	for _, v := range s.info.GetValueSets() {
		src, err := named(s, "value set", s.prog.ValueSets, func(v *ir.ValueSet) string { return v.Name }, v.GetPreamble())
		if err != nil {
			return err
		}
		t := &tableSchema{id: v.GetPreamble().GetId(), name: src.Name, src: src.Table, byField: map[uint32]int{}}
		if len(v.GetMatch()) != len(src.Table.Keys) {
			return fmt.Errorf("p4info: value set %q has %d match fields, the program's %d", src.Name, len(v.GetMatch()), len(src.Table.Keys))
		}
		if err := t.indexFields(v.GetMatch()); err != nil {
			return err
		}
		s.sets[t.id] = t
		s.setIDs = append(s.setIDs, t.id)
	}
	return nil
}

// member is a member of a value set as the target has it: an entry whose action does nothing.
func (t *tableSchema) member(m *p4.ValueSetMember) (*stored, error) {
	out := &stored{table: t, target: dataplane.Entry{Table: t.src, Action: dataplane.ProgramAction(t.src.Default)}}
	if t.priority {
		out.target.Priority = 1 // of all
	}
	return out, t.decodeMatches(m.GetMatch(), out)
}

// writeValueSet replaces the members of a value set. A member that stays is never missing for a packet.
func (s *Server) writeValueSet(op p4.Update_Type, e *p4.ValueSetEntry) error {
	t := s.st.sets[e.GetValueSetId()]
	if t == nil {
		return noSuch("value set", e.GetValueSetId())
	}
	if err := mustModify(op, t.what()); err != nil {
		return err
	}
	var next []*stored
	wanted := map[string]bool{}
	for _, m := range e.GetMembers() {
		n, err := t.member(m)
		if err != nil {
			return err
		}
		if wanted[n.key()] {
			return invalid("%s: a member is given twice", t.what())
		}
		wanted[n.key()], next = true, append(next, n)
	}
	if len(next) > t.src.Size {
		return status.Errorf(codes.ResourceExhausted, "%s: %d members: the size is %d", t.what(), len(next), t.src.Size)
	}
	there := map[string]bool{}
	for _, m := range s.st.members[t] {
		there[m.key()] = true
	}
	// First what goes: there may be no room for both.
	var undo []func() error
	failed := func(err error) error {
		for _, f := range slices.Backward(undo) {
			err = errors.Join(err, f())
		}
		return err
	}
	for _, m := range s.st.members[t] {
		if wanted[m.key()] {
			continue
		}
		if err := s.target.Delete(&m.target); err != nil {
			return failed(err)
		}
		undo = append(undo, func() error { return s.target.Insert(&m.target) })
	}
	for _, m := range next {
		if there[m.key()] {
			continue
		}
		if err := s.target.Insert(&m.target); err != nil {
			return failed(err)
		}
		undo = append(undo, func() error { return s.target.Delete(&m.target) })
	}
	s.st.members[t] = next
	return nil
}

// addMember takes over a member that a target has.
func (st *state) addMember(e *dataplane.Entry) error {
	for _, t := range st.sets {
		if t.src == e.Table {
			st.members[t] = append(st.members[t], &stored{table: t, target: *e})
			return nil
		}
	}
	return fmt.Errorf("value set %s: not in the p4info", e.Table.Name)
}

// valueSetEntry is a value set as read back.
func (st *state) valueSetEntry(t *tableSchema) *p4.ValueSetEntry {
	out := &p4.ValueSetEntry{ValueSetId: t.id}
	for _, m := range st.members[t] {
		member := &p4.ValueSetMember{}
		for i, x := range m.target.Matches {
			if f := t.fields[i].encode(x); f != nil {
				member.Match = append(member.Match, f)
			}
		}
		out.Members = append(out.Members, member)
	}
	return out
}

// valueSets answers with one value set, or with all for the id 0.
func (r *reader) valueSets(e *p4.ValueSetEntry) error {
	ids := []uint32{e.GetValueSetId()}
	switch id := e.GetValueSetId(); {
	case id == 0:
		ids = r.st.setIDs
	case r.st.sets[id] == nil:
		return noSuch("value set", id)
	}
	for _, id := range ids {
		if err := r.emit(&p4.Entity{Entity: &p4.Entity_ValueSetEntry{ValueSetEntry: r.st.valueSetEntry(r.st.sets[id])}}); err != nil {
			return err
		}
	}
	return nil
}
