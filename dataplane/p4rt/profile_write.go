package p4rt

import (
	"errors"
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

func full(format string, args ...any) error {
	return status.Errorf(codes.ResourceExhausted, format, args...)
}

// profileOf finds the profile of an update, which is not of entries in one shot.
func (s *Server) profileOf(id uint32) (*profileSchema, *profile, error) {
	ps := s.st.schema.profiles[id]
	if ps == nil {
		return nil, nil, noSuch("action profile", id)
	}
	return ps, s.st.profiles[ps.src], nil
}

// notMixed refuses members and groups of clients while entries have their own.
func (p *profile) notMixed() error {
	if p.sets > 0 {
		return invalid("%s: its tables have entries with action sets: members and groups cannot be written beside them", p.name())
	}
	return nil
}

// exists checks what an operation demands of an object.
func exists(op p4.Update_Type, what string, is bool) error {
	switch {
	case op == p4.Update_INSERT && is:
		return status.Errorf(codes.AlreadyExists, "%s: exists", what)
	case op != p4.Update_INSERT && !is:
		return status.Errorf(codes.NotFound, "%s: does not exist", what)
	}
	return nil
}

func (s *Server) writeMember(op p4.Update_Type, e *p4.ActionProfileMember) error {
	ps, p, err := s.profileOf(e.GetActionProfileId())
	if err != nil {
		return err
	}
	id := e.GetMemberId()
	what := fmt.Sprintf("%s: member %d", p.name(), id)
	if id == 0 {
		return invalid("%s: 0 is no id", what)
	}
	old := p.members[id]
	if old != nil && old.owned {
		old = nil
	}
	if err := exists(op, what, old != nil); err != nil {
		return err
	}
	if op == p4.Update_DELETE {
		if old.refs > 0 {
			return status.Errorf(codes.FailedPrecondition, "%s: %d groups and entries name it", what, old.refs)
		}
		if err := s.removeFrom(p.src.Tables, id, old.action); err != nil {
			return err
		}
		delete(p.members, id)
		return nil
	}
	if err := p.notMixed(); err != nil {
		return err
	}
	act, err := ps.decodeMember(what, e.GetAction())
	if err != nil {
		return err
	}
	if op == p4.Update_INSERT {
		if len(p.members) >= p.src.Size {
			return full("%s: the profile has %d members, and room for no more", what, p.src.Size)
		}
		if err := s.writeTo(p.src.Tables, id, *act, nil); err != nil {
			return err
		}
		p.members[id] = &member{id: id, action: *act}
		return nil
	}
	if err := s.writeTo(p.src.Tables, id, *act, &old.action); err != nil {
		return err
	}
	old.action = *act
	return nil
}

// decodeMember validates the action of a member.
func (ps *profileSchema) decodeMember(what string, a *p4.Action) (*dataplane.Action, error) {
	switch {
	case a == nil:
		return nil, invalid("%s: action: missing", what)
	case len(ps.tables) == 0:
		return nil, invalid("%s: no table has the profile, so a member can have no action", what)
	}
	return ps.tables[0].decodeCall(a, false)
}

// writeProfileGroup writes a group of members.
func (s *Server) writeProfileGroup(op p4.Update_Type, e *p4.ActionProfileGroup) error {
	_, p, err := s.profileOf(e.GetActionProfileId())
	if err != nil {
		return err
	}
	id := e.GetGroupId()
	what := fmt.Sprintf("%s: group %d", p.name(), id)
	switch {
	case !p.src.Selector:
		return invalid("%s: the profile has no selector, and no groups", what)
	case id == 0:
		return invalid("%s: 0 is no id", what)
	case p.src.Groups == nil:
		return invalid("%s: no table has the selector", what)
	}
	g := p.groups[id]
	if g != nil && g.owned {
		g = nil
	}
	if err := exists(op, what, g != nil); err != nil {
		return err
	}
	if op == p4.Update_DELETE {
		if g.refs > 0 {
			return status.Errorf(codes.FailedPrecondition, "%s: %d entries name it", what, g.refs)
		}
		return s.dropGroup(p, g, nil)
	}
	if err := p.notMixed(); err != nil {
		return err
	}
	switch n := e.GetMaxSize(); {
	case n < 0 || int(n) > p.src.GroupSize:
		return invalid("%s: max_size %d: the profile's max_group_size is %d", what, n, p.src.GroupSize)
	case g != nil && n != g.maxSize:
		return invalid("%s: max_size %d: it was %d, and cannot change", what, n, g.maxSize)
	}
	next, err := p.decodeMembers(what, e.GetMembers())
	if err != nil {
		return err
	}
	room := 0
	if g == nil {
		if len(p.groups) >= p.src.MaxGroups {
			return full("%s: the profile has %d groups, and room for no more", what, p.src.MaxGroups)
		}
		g = &group{id: id, maxSize: e.GetMaxSize()}
	} else {
		room = p.roomOf(g)
	}
	if err := p.fits(what, &group{maxSize: g.maxSize, members: next}, room); err != nil {
		return err
	}
	return s.setMembers(p, g, next)
}

// fits refuses a group that is larger than its limit, or than what the other groups leave of the profile; room is what it has now.
func (p *profile) fits(what string, g *group, room int) error {
	if n := p.limit(g); g.weight() > n {
		return full("%s: the sum of weights is %d, and the size %d", what, g.weight(), n)
	}
	if n := p.room - room + p.roomOf(g); n > p.src.SlotRoom {
		return full("%s: all groups together would have %d slots, and the switch has room for %d", what, n, p.src.SlotRoom)
	}
	return nil
}

func (p *profile) decodeMembers(what string, list []*p4.ActionProfileGroup_Member) ([]groupMember, error) {
	var out []groupMember
	seen := map[uint32]bool{}
	for _, m := range list {
		what := fmt.Sprintf("%s: member %d", what, m.GetMemberId())
		switch x := p.members[m.GetMemberId()]; {
		case seen[m.GetMemberId()]:
			return nil, invalid("%s: given twice [say so by its weight]", what)
		case x == nil || x.owned:
			return nil, status.Errorf(codes.NotFound, "%s: does not exist", what)
		}
		seen[m.GetMemberId()] = true
		gm := groupMember{id: m.GetMemberId(), weight: m.GetWeight()}
		var err error
		switch k := m.GetWatchKind().(type) {
		case *p4.ActionProfileGroup_Member_WatchPort:
			gm.watch, err = watched(what, k.WatchPort)
		case *p4.ActionProfileGroup_Member_Watch:
			err = errWatch(what)
		default:
			gm.watch = ir.NoWatch
		}
		if err == nil && gm.weight < 1 {
			err = invalid("%s: weight %d: is 1 or more", what, gm.weight)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, gm)
	}
	return out, nil
}

// errWatch is for the watch port as a number, which P4Runtime 1.1 has replaced.
func errWatch(what string) error {
	return status.Errorf(codes.Unimplemented, "%s: watch is deprecated: say watch_port", what)
}

// watched decodes a watch port; none is none.
func watched(what string, b []byte) (dataplane.Port, error) {
	if len(b) == 0 {
		return ir.NoWatch, nil
	}
	v, err := fixed(b, 32, what+": watch_port")
	if err != nil {
		return 0, err
	}
	if n := number(v); n > uint32(dataplane.MaxPort) {
		return 0, invalid("%s: watch_port %d: ports go from 0 to %d", what, n, dataplane.MaxPort)
	}
	return dataplane.Port(number(v)), nil
}

// A set is what an entry in one shot asks for.
type set struct {
	actions   []dataplane.Action
	members   []groupMember // with ids that are still missing
	mode      p4.ActionProfileActionSet_ActionSelectionMode
	semantics p4.ActionProfileActionSet_SizeSemantics
}

// decodeSet validates an action set.
func (t *tableSchema) decodeSet(m *p4.ActionProfileActionSet) (*set, error) {
	in := t.src.Indirect
	switch {
	case in.ToSet == nil:
		return nil, invalid("table %q: action: its profile has no selector, so an entry names a member", t.name)
	case m.GetActionSelectionMode() == p4.ActionProfileActionSet_RANDOM:
		return nil, status.Errorf(codes.Unimplemented, "table %q: action_selection_mode RANDOM: a selector chooses by its hash", t.name)
	case m.GetSizeSemantics() == p4.ActionProfileActionSet_SUM_OF_MEMBERS:
		return nil, status.Errorf(codes.Unimplemented, "table %q: size_semantics SUM_OF_MEMBERS: the size of a group is the sum of its weights", t.name)
	}
	out := &set{mode: m.GetActionSelectionMode(), semantics: m.GetSizeSemantics()}
	sum := 0
	for i, x := range m.GetActionProfileActions() {
		what := fmt.Sprintf("table %q: action %d of the set", t.name, i)
		a, err := t.decodeCall(x.GetAction(), false)
		if err != nil {
			return nil, err
		}
		gm := groupMember{weight: x.GetWeight()}
		switch k := x.GetWatchKind().(type) {
		case *p4.ActionProfileAction_WatchPort:
			gm.watch, err = watched(what, k.WatchPort)
		case *p4.ActionProfileAction_Watch:
			err = errWatch(what)
		default:
			gm.watch = ir.NoWatch
		}
		switch sum += int(gm.weight); {
		case err != nil:
			return nil, err
		case gm.weight < 1:
			return nil, invalid("%s: weight %d: is 1 or more", what, gm.weight)
		case sum > in.Profile.GroupSize:
			return nil, invalid("table %q: action set: the sum of weights is %d or more, and the profile's max_group_size %d", t.name, sum, in.Profile.GroupSize)
		}
		out.actions, out.members = append(out.actions, *a), append(out.members, gm)
	}
	return out, nil
}

// decodeReference validates what an entry of a table with a profile names. Of a set, the group is still missing.
func (t *tableSchema) decodeReference(ta *p4.TableAction) (*dataplane.Action, error) {
	in := t.src.Indirect
	var a dataplane.Action
	switch k := ta.GetType().(type) {
	case *p4.TableAction_ActionProfileMemberId:
		a = refer(in.ToMember, k.ActionProfileMemberId)
	case *p4.TableAction_ActionProfileGroupId:
		if in.ToGroup == nil {
			return nil, invalid("table %q: action: its profile has no selector, so an entry names a member", t.name)
		}
		a = refer(in.ToGroup, k.ActionProfileGroupId)
	case *p4.TableAction_ActionProfileActionSet:
		if _, err := t.decodeSet(k.ActionProfileActionSet); err != nil {
			return nil, err
		}
		return &dataplane.Action{Action: in.ToSet}, nil
	default:
		return nil, invalid("table %q: action: the table has an action profile, so an entry names a member, a group or an action set", t.name)
	}
	return &a, nil
}

// resolve checks what an entry names, and makes the group of an action set; old is the entry whose place it takes, nil if none.
// The result deletes that group again.
func (s *Server) resolve(n, old *stored, ta *p4.TableAction) (undo func() error, err error) {
	in := n.table.src.Indirect
	undo = func() error { return nil }
	if in == nil {
		return undo, nil
	}
	p, a := s.st.profiles[in.Profile], &n.target.Action
	if a.Action == in.ToSet {
		return s.makeSet(p, n, old, ta.GetActionProfileActionSet())
	}
	if err := p.notMixed(); err != nil {
		return nil, err
	}
	id := number(a.Args[0])
	if a.Action == in.ToMember && p.members[id] == nil {
		return nil, status.Errorf(codes.NotFound, "table %q: action: %s has no member %d", n.table.name, p.name(), id)
	}
	if a.Action == in.ToGroup && p.groups[id] == nil {
		return nil, status.Errorf(codes.NotFound, "table %q: action: %s has no group %d", n.table.name, p.name(), id)
	}
	return undo, nil
}

// makeSet makes the group and the members of an entry in one shot.
func (s *Server) makeSet(p *profile, n, old *stored, m *p4.ActionProfileActionSet) (undo func() error, err error) {
	want, err := n.table.decodeSet(m)
	if err != nil {
		return nil, err
	}
	if len(p.members) > 0 && p.sets == 0 || len(p.groups) > p.sets {
		return nil, invalid("%s: clients have written members or groups: an action set cannot be written beside them", p.name())
	}
	what := fmt.Sprintf("table %q: action set", n.table.name)
	// What it replaces goes once packets find the new one.
	members, groups, room := 0, 0, 0
	if old != nil {
		g := p.groups[number(old.target.Action.Args[0])]
		members, groups, room = len(g.members), 1, p.roomOf(g)
	}
	switch {
	case len(p.members)-members+len(want.members) > p.src.Size:
		return nil, full("%s: %s has %d members, and room for %d", what, p.name(), len(p.members), p.src.Size)
	case len(p.groups)-groups >= p.src.MaxGroups:
		return nil, full("%s: %s has %d groups, and room for no more", what, p.name(), len(p.groups))
	}
	g := &group{id: p.unused(), owned: true, mode: want.mode, semantics: want.semantics}
	if err := p.fits(what, &group{owned: true, members: want.members}, room); err != nil {
		return nil, err
	}
	tables := []*ir.Table{n.table.src}
	// A process that ends on the way leaves a group that no entry names, and that says what its members are.
	if err := s.setSize(p, g, 0); err != nil {
		return nil, err
	}
	for i := range want.members {
		want.members[i].id = p.unused()
		p.members[want.members[i].id] = &member{id: want.members[i].id, action: want.actions[i], owned: true}
	}
	written := 0
	if err = s.describe(p, g, 0, want.members); err == nil {
		g.members = want.members
		for written < len(want.members) && err == nil {
			m := want.members[written]
			if err = s.writeTo(tables, m.id, p.members[m.id].action, nil); err == nil {
				written++
			}
		}
		if err == nil {
			err = s.moveSlots(p, g, p.wanted(g, s.isUp, true))
		}
	}
	if err != nil {
		err = errors.Join(err, s.deleteSlots(p, g))
		for _, m := range want.members[:written] {
			err = errors.Join(err, s.removeFrom(tables, m.id, p.members[m.id].action))
		}
		for _, m := range want.members {
			delete(p.members, m.id)
		}
		return nil, errors.Join(err, s.undescribe(p, g, 0, g.members), s.deleteSize(p, g))
	}
	for _, m := range want.members {
		p.members[m.id].refs++
	}
	p.groups[g.id] = g
	p.room += p.roomOf(g)
	p.sets++
	n.target.Action = refer(n.table.src.Indirect.ToSet, g.id)
	return func() error { return s.dropGroup(p, g, n.table.src) }, nil
}
