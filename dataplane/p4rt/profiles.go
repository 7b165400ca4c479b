package p4rt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A profile is what has been written to an action profile. The target has it in the tables that ir.Profile describes; each table
// of the profile has its members by itself.
//
// Members and groups of an entry that was written in one shot are among the others, under numbers that no client has: as long as
// there are such entries, clients have no members and no groups.
type profile struct {
	src     *ir.Profile
	members map[uint32]*member
	groups  map[uint32]*group
	room    int    // the slots of all groups
	sets    int    // groups that belong to entries
	next    uint32 // the last number that was given to a member or group of an entry
}

type member struct {
	id     uint32
	action dataplane.Action
	refs   int  // groups and entries that name it
	owned  bool // by an entry
}

type group struct {
	id      uint32
	maxSize int32
	members []groupMember
	half    uint32   // of the descriptions: see ir.Profile
	slots   []uint32 // those that packets get, as the target has them
	written bool     // the target has the group
	refs    int      // entries that name it
	// Of a group that belongs to an entry: what the client has asked for.
	owned     bool
	mode      p4.ActionProfileActionSet_ActionSelectionMode
	semantics p4.ActionProfileActionSet_SizeSemantics
}

type groupMember struct {
	id     uint32
	weight int32
	watch  dataplane.Port // ir.NoWatch: the member always takes part
}

func newProfiles(prog *ir.Program) map[*ir.Profile]*profile {
	out := map[*ir.Profile]*profile{}
	for _, src := range prog.Profiles {
		out[src] = &profile{src: src, members: map[uint32]*member{}, groups: map[uint32]*group{}}
	}
	return out
}

func (p *profile) name() string { return fmt.Sprintf("action profile %q", p.src.Name) }

// limit is the largest sum of weights of a group.
func (p *profile) limit(g *group) int {
	if g.owned {
		return g.weight()
	}
	if g.maxSize == 0 {
		return p.src.GroupSize
	}
	return int(g.maxSize)
}

func (g *group) weight() (sum int) {
	for _, m := range g.members {
		sum += int(m.weight)
	}
	return sum
}

// roomOf is how many slots a group may have. With RESILIENT it has all of them as long as a member takes part.
func (p *profile) roomOf(g *group) int {
	if p.src.Resilient {
		return p.limit(g)
	}
	return g.weight()
}

// wanted are the slots that a group should have.
func (p *profile) wanted(g *group, up func(dataplane.Port) bool, rebalance bool) []uint32 {
	var list []share
	for _, m := range g.members {
		if m.watch == ir.NoWatch || up(m.watch) {
			list = append(list, share{m.id, int(m.weight)})
		}
	}
	if p.src.Resilient {
		return resilientSlots(g.slots, p.limit(g), list, rebalance)
	}
	return fairSlots(list)
}

// unused is a number that no member and no group has.
func (p *profile) unused() uint32 {
	for {
		if p.next++; p.next != 0 && p.members[p.next] == nil && p.groups[p.next] == nil {
			return p.next
		}
	}
}

// isUp reports whether a port is up; of one that nobody has spoken of, it is not known, and the members that watch it take part.
func (s *Server) isUp(port dataplane.Port) bool {
	s.amu.Lock()
	defer s.amu.Unlock()
	up, known := s.ports[uint32(port)]
	return up || !known
}

func word(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func number(b []byte) uint32 {
	var n uint32
	for _, x := range b {
		n = n<<8 | uint32(x)
	}
	return n
}

// part is an entry of a table of a profile: its keys and the parameters of its action are numbers of 32 bits.
func part(t *ir.Table, key []uint32, a *ir.Action, args ...uint32) *dataplane.Entry {
	e := &dataplane.Entry{Table: t, Action: dataplane.Action{Action: a}}
	for _, k := range key {
		e.Matches = append(e.Matches, dataplane.Match{Value: word(k)})
	}
	for _, x := range args {
		e.Action.Args = append(e.Action.Args, word(x))
	}
	return e
}

// refer is what an entry runs that names a member or a group.
func refer(a *ir.Action, id uint32) dataplane.Action {
	return dataplane.Action{Action: a, Args: [][]byte{word(id)}}
}

// writeTo inserts a member into tables of its profile, or changes it there: in all, or in none. was is what it runs now.
func (s *Server) writeTo(tables []*ir.Table, id uint32, a dataplane.Action, was *dataplane.Action) error {
	entry := func(t *ir.Table, a dataplane.Action) *dataplane.Entry {
		return &dataplane.Entry{Table: t.Indirect.Members, Matches: []dataplane.Match{{Value: word(id)}}, Action: a}
	}
	var list []*dataplane.Entry
	for _, t := range tables {
		list = append(list, entry(t, a))
	}
	if was == nil {
		return each(list, s.target.Insert, s.target.Delete)
	}
	return each(list, s.target.Modify, func(e *dataplane.Entry) error {
		back := *e
		back.Action = *was
		return s.target.Modify(&back)
	})
}

// removeFrom deletes a member from the tables of its profile.
func (s *Server) removeFrom(tables []*ir.Table, id uint32, a dataplane.Action) error {
	var errs []error
	for _, t := range tables {
		errs = append(errs, s.target.Delete(&dataplane.Entry{Table: t.Indirect.Members, Matches: []dataplane.Match{{Value: word(id)}}, Action: a}))
	}
	return errors.Join(errs...)
}

// setSlots gives a group the slots that packets get. A packet meanwhile gets a slot of the old or of the new ones: those that it may
// look at are always there. After an error the group has what it had.
func (s *Server) setSlots(p *profile, g *group, next []uint32) error {
	was := slices.Clone(g.slots)
	if err := s.moveSlots(p, g, next); err != nil {
		return errors.Join(err, s.moveSlots(p, g, was))
	}
	return nil
}

// moveSlots is setSlots without a way back. g.slots is what the target has, at every moment.
func (s *Server) moveSlots(p *profile, g *group, next []uint32) error {
	slot := func(i int, to uint32) *dataplane.Entry {
		return part(p.src.Slots, []uint32{g.id, uint32(i)}, p.src.SetMember, to)
	}
	for i, to := range next {
		switch {
		case i >= len(g.slots):
			if err := s.target.Insert(slot(i, to)); err != nil {
				return err
			}
			g.slots = append(g.slots, to)
		case g.slots[i] != to:
			if err := s.target.Modify(slot(i, to)); err != nil {
				return err
			}
			g.slots[i] = to
		}
	}
	if err := s.setSize(p, g, len(next)); err != nil {
		return err
	}
	for i := len(g.slots) - 1; i >= len(next); i-- {
		if err := s.target.Delete(slot(i, 0)); err != nil {
			return err
		}
		g.slots = g.slots[:i]
	}
	return nil
}

// setSize says how many slots packets may get.
func (s *Server) setSize(p *profile, g *group, n int) error {
	size := part(p.src.Groups, []uint32{g.id}, p.src.SetSize, uint32(n), p.sizeMark(g), g.half)
	if g.written {
		return s.target.Modify(size)
	}
	if err := s.target.Insert(size); err != nil {
		return err
	}
	g.written = true
	return nil
}

func (p *profile) sizeMark(g *group) uint32 {
	if g.owned {
		return ir.OwnedGroup
	}
	return uint32(g.maxSize)
}

// deleteSize takes a group from the target: from now on packets find none. Its slots and descriptions stay.
func (s *Server) deleteSize(p *profile, g *group) error {
	if !g.written {
		return nil
	}
	g.written = false
	return s.target.Delete(part(p.src.Groups, []uint32{g.id}, p.src.SetSize, 0, 0, 0))
}

// deleteSlots is for a group that no packet finds.
func (s *Server) deleteSlots(p *profile, g *group) error {
	var errs []error
	for i := len(g.slots) - 1; i >= 0; i-- {
		errs = append(errs, s.target.Delete(part(p.src.Slots, []uint32{g.id, uint32(i)}, p.src.SetMember, 0)))
	}
	g.slots = nil
	return errors.Join(errs...)
}

// descriptions are the entries that describe members of a group.
func (p *profile) descriptions(g *group, half uint32, list []groupMember) (out []*dataplane.Entry) {
	for i, m := range list {
		out = append(out, part(p.src.Slots, []uint32{g.id, ir.DescribedFrom + half*ir.DescribedHalf + uint32(i)}, p.src.Describe, m.id, uint32(m.weight), uint32(m.watch)))
	}
	return out
}

// describe keeps members of a group in the target, for a later process: all, or none.
func (s *Server) describe(p *profile, g *group, half uint32, list []groupMember) error {
	return each(p.descriptions(g, half, list), s.target.Insert, s.target.Delete)
}

func (s *Server) undescribe(p *profile, g *group, half uint32, list []groupMember) error {
	return each(p.descriptions(g, half, list), s.target.Delete, s.target.Insert)
}

// each does something to all entries, or undoes it to those before the one that it fails with.
func each(list []*dataplane.Entry, do, undo func(*dataplane.Entry) error) error {
	for i, e := range list {
		err := do(e)
		if err == nil {
			continue
		}
		for _, e := range list[:i] {
			err = errors.Join(err, undo(e))
		}
		return err
	}
	return nil
}

// setMembers changes the members of a group, or makes a new one: completely, or not at all.
func (s *Server) setMembers(p *profile, g *group, next []groupMember) error {
	isNew, was, half, slots, room := !g.written, g.members, g.half, slices.Clone(g.slots), 0
	if !isNew {
		room = p.roomOf(g)
	}
	if err := s.describe(p, g, half^1, next); err != nil {
		return err
	}
	rebalance := grows(was, next)
	g.members, g.half = next, half^1
	err := s.moveSlots(p, g, p.wanted(g, s.isUp, rebalance))
	if err == nil {
		err = s.undescribe(p, g, half, was)
	}
	if err != nil {
		g.members, g.half = was, half
		if isNew {
			err = errors.Join(err, s.deleteSize(p, g), s.deleteSlots(p, g))
		} else {
			err = errors.Join(err, s.moveSlots(p, g, slots))
		}
		return errors.Join(err, s.undescribe(p, g, half^1, next))
	}
	p.room += p.roomOf(g) - room
	for _, m := range next {
		p.members[m.id].refs++
	}
	for _, m := range was {
		p.members[m.id].refs--
	}
	p.groups[g.id] = g
	return nil
}

// grows reports whether a member has come, or has another weight.
func grows(was, next []groupMember) bool {
	return slices.ContainsFunc(next, func(m groupMember) bool {
		return !slices.ContainsFunc(was, func(o groupMember) bool { return o.id == m.id && o.weight == m.weight })
	})
}

// dropGroup deletes a group that no entry names, and the members that belong to it. A process that ends on the way leaves no group
// of a client's, but one that belongs to an entry, which is none's then: it says to the last what its members are.
func (s *Server) dropGroup(p *profile, g *group, t *ir.Table) error {
	var errs []error
	if !g.owned {
		errs = append(errs, s.deleteSize(p, g))
	}
	errs = append(errs, s.deleteSlots(p, g))
	p.room -= p.roomOf(g)
	delete(p.groups, g.id)
	for _, m := range g.members {
		x := p.members[m.id]
		if x.refs--; x.owned {
			errs = append(errs, s.removeFrom([]*ir.Table{t}, x.id, x.action))
			delete(p.members, x.id)
		}
	}
	if g.owned {
		p.sets--
	}
	return errors.Join(append(errs, s.undescribe(p, g, g.half, g.members), s.deleteSize(p, g))...)
}

// failOverMembers has members take part whose port has come up, and leaves those out whose port has gone down. s.mu is held.
func (s *Server) failOverMembers(port dataplane.Port) {
	for _, src := range s.st.prog.Profiles {
		p := s.st.profiles[src]
		for _, id := range slices.Sorted(maps.Keys(p.groups)) {
			g := p.groups[id]
			if !slices.ContainsFunc(g.members, func(m groupMember) bool { return m.watch == port }) {
				continue
			}
			if err := s.setSlots(p, g, p.wanted(g, s.isUp, s.isUp(port))); err != nil {
				s.log.Error("action profile: a group does not follow its watch port", "profile", src.Name, "group", id, "port", port, "err", err)
			}
		}
	}
}

// count notes that an entry names a member or a group, or does no more.
func (st *state) count(e *stored, n int) {
	in := e.table.src.Indirect
	if in == nil {
		return
	}
	p, id := st.profiles[in.Profile], number(e.target.Action.Args[0])
	if e.target.Action.Action == in.ToMember {
		p.members[id].refs += n
		return
	}
	p.groups[id].refs += n
}

// release is for an entry that is no more, or names something else now: what belongs to it goes.
func (s *Server) release(e *stored) error {
	in := e.table.src.Indirect
	if in == nil {
		return nil
	}
	s.st.count(e, -1)
	if e.target.Action.Action != in.ToSet {
		return nil
	}
	p := s.st.profiles[in.Profile]
	return s.dropGroup(p, p.groups[number(e.target.Action.Args[0])], e.table.src)
}

// references is what an entry of a table with a profile runs, as read back.
func (st *state) references(t *tableSchema, a dataplane.Action) *p4.TableAction {
	in := t.src.Indirect
	p, id := st.profiles[in.Profile], number(a.Args[0])
	switch a.Action {
	case in.ToMember:
		return &p4.TableAction{Type: &p4.TableAction_ActionProfileMemberId{ActionProfileMemberId: id}}
	case in.ToGroup:
		return &p4.TableAction{Type: &p4.TableAction_ActionProfileGroupId{ActionProfileGroupId: id}}
	}
	g := p.groups[id]
	set := &p4.ActionProfileActionSet{ActionSelectionMode: g.mode, SizeSemantics: g.semantics}
	for _, m := range g.members {
		x := &p4.ActionProfileAction{Action: st.call(p.members[m.id].action), Weight: m.weight}
		if m.watch != ir.NoWatch {
			x.WatchKind = &p4.ActionProfileAction_WatchPort{WatchPort: portBytes(m.watch)}
		}
		set.ActionProfileActions = append(set.ActionProfileActions, x)
	}
	return &p4.TableAction{Type: &p4.TableAction_ActionProfileActionSet{ActionProfileActionSet: set}}
}

// call is an action with its data, as read back.
func (s *schema) call(a dataplane.Action) *p4.Action {
	return s.byAction[a.Action.Name].encode(a.Args).GetAction()
}

func portBytes(p dataplane.Port) []byte { return canonical([]byte{byte(p >> 8), byte(p)}) }
