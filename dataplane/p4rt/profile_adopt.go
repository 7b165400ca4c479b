package p4rt

import (
	"errors"
	"maps"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// A running pipeline has all of its profiles in their tables: members, and in the slots of each group also what the client wrote of
// it. A process that ended in the middle of an update has left more than that: it is finished, or taken back. What is lost is how a
// client spelled the mode and the size semantics of an action set.

// inTables is what the tables of a profile have.
type inTables struct {
	actions map[*ir.Table]map[uint32]dataplane.Action // of members, by table of the profile
	sizes   map[uint32][3]uint32                      // of groups: the number of slots, max_size, and the half that describes it
	slots   map[uint32]map[uint32]uint32
	groups  map[uint32]map[uint32]groupMember // descriptions, from ir.DescribedFrom on
	owner   map[uint32]*ir.Table              // of groups that entries name which own them
}

// takeProfiles fills the profiles of a new state with what a running pipeline has, and takes the entries of their tables out of was.
func (s *Server) takeProfiles(st *state, was *dataplane.State) error {
	found, of := map[*ir.Profile]*inTables{}, map[*ir.Table]*ir.Profile{}
	members := map[*ir.Table]*ir.Table{}
	for _, x := range st.prog.Profiles {
		in := &inTables{
			actions: map[*ir.Table]map[uint32]dataplane.Action{}, sizes: map[uint32][3]uint32{}, slots: map[uint32]map[uint32]uint32{},
			groups: map[uint32]map[uint32]groupMember{}, owner: map[uint32]*ir.Table{},
		}
		found[x] = in
		for _, t := range x.Tables {
			in.actions[t] = map[uint32]dataplane.Action{}
			of[t.Indirect.Members], members[t.Indirect.Members] = x, t
		}
		if x.Groups != nil {
			of[x.Groups], of[x.Slots] = x, x
		}
	}
	var rest []*dataplane.Entry
	for _, e := range was.Entries {
		if in := e.Table.Indirect; in != nil && e.Action.Action == in.ToSet {
			found[in.Profile].owner[number(e.Action.Args[0])] = e.Table
		}
		x := of[e.Table]
		if x == nil {
			rest = append(rest, e)
			continue
		}
		found[x].take(x, members[e.Table], e)
	}
	was.Entries = rest
	var errs []error
	for _, x := range st.prog.Profiles {
		errs = append(errs, s.takeProfile(st.profiles[x], found[x]))
	}
	return errors.Join(errs...)
}

// take sorts an entry of a table of a profile; t is the table whose members it has.
func (in *inTables) take(x *ir.Profile, t *ir.Table, e *dataplane.Entry) {
	id := number(e.Matches[0].Value)
	arg := func(i int) uint32 { return number(e.Action.Args[i]) }
	switch e.Action.Action {
	case x.SetSize:
		in.sizes[id] = [3]uint32{arg(0), arg(1), arg(2)}
	case x.SetMember:
		if in.slots[id] == nil {
			in.slots[id] = map[uint32]uint32{}
		}
		in.slots[id][number(e.Matches[1].Value)] = arg(0)
	case x.Describe:
		if in.groups[id] == nil {
			in.groups[id] = map[uint32]groupMember{}
		}
		in.groups[id][number(e.Matches[1].Value)-ir.DescribedFrom] = groupMember{arg(0), int32(arg(1)), dataplane.Port(arg(2))}
	default:
		in.actions[t][id] = e.Action
	}
}

// takeProfile fills a profile, and repairs its tables.
func (s *Server) takeProfile(p *profile, in *inTables) error {
	var errs []error
	do := func(err error) { errs = append(errs, err) }
	// The groups that are there, and what is left of those that are not.
	for _, id := range slices.Sorted(maps.Keys(in.sizes)) {
		size, mark := in.sizes[id][0], in.sizes[id][1]
		g := &group{id: id, written: true, owned: mark == ir.OwnedGroup, half: in.sizes[id][2]}
		if !g.owned {
			g.maxSize = int32(mark)
		}
		for i := g.half * ir.DescribedHalf; ; i++ {
			m, is := in.groups[id][i]
			if !is {
				break
			}
			g.members = append(g.members, m)
			delete(in.groups[id], i)
		}
		for i := range size {
			to, is := in.slots[id][i]
			if !is {
				break
			}
			g.slots = append(g.slots, to)
			delete(in.slots[id], i)
		}
		p.groups[id] = g
		if g.owned {
			p.sets++
		}
	}
	for id, list := range in.slots {
		for i := range list {
			do(s.target.Delete(part(p.src.Slots, []uint32{id, i}, p.src.SetMember, 0)))
		}
	}
	for id, list := range in.groups {
		for i, m := range list {
			do(s.target.Delete(part(p.src.Slots, []uint32{id, ir.DescribedFrom + i}, p.src.Describe, m.id, 0, 0)))
		}
	}
	// Members of entries are in the table of their entry. Those of clients are in all tables, and alike.
	owned := map[uint32]bool{}
	for _, g := range p.groups {
		for _, m := range g.members {
			if owned[m.id] = owned[m.id] || g.owned; g.owned {
				for t, list := range in.actions {
					if a, is := list[m.id]; is && t == in.owner[g.id] {
						p.members[m.id] = &member{id: m.id, action: a, owned: true}
					}
				}
			}
		}
	}
	for _, t := range p.src.Tables {
		for _, id := range slices.Sorted(maps.Keys(in.actions[t])) {
			if owned[id] {
				continue
			}
			a := in.actions[t][id]
			if m := p.members[id]; m == nil {
				p.members[id] = &member{id: id, action: a}
			}
			for _, o := range p.src.Tables {
				switch b, is := in.actions[o][id]; {
				case !is:
					do(s.writeTo([]*ir.Table{o}, id, p.members[id].action, nil))
					in.actions[o][id] = p.members[id].action
				case !sameCall(b, p.members[id].action):
					do(s.writeTo([]*ir.Table{o}, id, p.members[id].action, &b))
					in.actions[o][id] = p.members[id].action
				}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.groups)) {
		g := p.groups[id]
		if g.owned && (in.owner[id] == nil || slices.ContainsFunc(g.members, func(m groupMember) bool { return p.members[m.id] == nil })) {
			do(s.forget(p, g, in))
			continue
		}
		g.members = slices.DeleteFunc(g.members, func(m groupMember) bool { return p.members[m.id] == nil })
		for _, m := range g.members {
			p.members[m.id].refs++
		}
		p.room += p.roomOf(g)
		if next := p.repaired(g); next != nil {
			do(s.setSlots(p, g, next))
		}
	}
	return errors.Join(errs...)
}

// forget takes a group back that a process began to write for an entry, or had begun to delete.
func (s *Server) forget(p *profile, g *group, in *inTables) error {
	errs := []error{s.deleteSlots(p, g)}
	for _, m := range g.members {
		for _, t := range p.src.Tables {
			if a, is := in.actions[t][m.id]; is {
				errs = append(errs, s.removeFrom([]*ir.Table{t}, m.id, a))
			}
		}
		delete(p.members, m.id)
	}
	errs = append(errs, s.undescribe(p, g, g.half, g.members), s.deleteSize(p, g))
	delete(p.groups, g.id)
	p.sets--
	return errors.Join(errs...)
}

// repaired are the slots of a group that are not those of its members, or of its members but for some that watch a port; else nil.
// Which ports are down is not known yet: SetPort will say so.
func (p *profile) repaired(g *group) []uint32 {
	here := map[uint32]bool{}
	for _, to := range g.slots {
		here[to] = true
	}
	var all, some []share
	ok := true
	for _, m := range g.members {
		x := share{m.id, int(m.weight)}
		all = append(all, x)
		if here[m.id] {
			some = append(some, x)
			delete(here, m.id)
		} else if m.watch == ir.NoWatch {
			ok = false
		}
	}
	ok = ok && len(here) == 0
	if p.src.Resilient {
		if ok && (len(some) == 0 || len(g.slots) == p.limit(g)) {
			return nil
		}
		return resilientSlots(g.slots, p.limit(g), all, true)
	}
	if ok && slices.Equal(g.slots, fairSlots(some)) {
		return nil
	}
	return fairSlots(all)
}

func sameCall(a, b dataplane.Action) bool {
	return a.Action == b.Action && slices.EqualFunc(a.Args, b.Args, slices.Equal[[]byte])
}
