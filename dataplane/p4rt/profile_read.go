package p4rt

import (
	"maps"
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// ofProfiles calls f with what a request means of the profiles: the number of one object, or all, of one profile, or of all.
func (r *reader) ofProfiles(kind string, id, object uint32, all func(*profile) []uint32, f func(id uint32, p *profile, object uint32) error) error {
	ids := r.st.profileIDs
	switch {
	case id == 0 && object != 0:
		return invalid("read: %s: an id of one without an action_profile_id", kind)
	case id != 0 && r.st.schema.profiles[id] == nil:
		return noSuch("action profile", id)
	case id != 0:
		ids = []uint32{id}
	}
	for _, id := range ids {
		p := r.st.profiles[r.st.schema.profiles[id].src]
		list := []uint32{object}
		if object == 0 {
			list = all(p)
		}
		for _, x := range list {
			if err := f(id, p, x); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) profileMembers(e *p4.ActionProfileMember) error {
	return r.ofProfiles("action_profile_member", e.GetActionProfileId(), e.GetMemberId(),
		func(p *profile) []uint32 { return slices.Sorted(maps.Keys(p.members)) },
		func(id uint32, p *profile, object uint32) error {
			m := p.members[object]
			if m == nil || m.owned { // or no more
				return nil
			}
			return r.emit(r.st.memberEntity(id, m))
		})
}

func (r *reader) profileGroups(e *p4.ActionProfileGroup) error {
	return r.ofProfiles("action_profile_group", e.GetActionProfileId(), e.GetGroupId(),
		func(p *profile) []uint32 { return slices.Sorted(maps.Keys(p.groups)) },
		func(id uint32, p *profile, object uint32) error {
			g := p.groups[object]
			if g == nil || g.owned {
				return nil
			}
			return r.emit(groupEntity(id, g))
		})
}

func (s *schema) memberEntity(profile uint32, m *member) *p4.Entity {
	return &p4.Entity{Entity: &p4.Entity_ActionProfileMember{ActionProfileMember: &p4.ActionProfileMember{
		ActionProfileId: profile, MemberId: m.id, Action: s.call(m.action),
	}}}
}

func groupEntity(profile uint32, g *group) *p4.Entity {
	out := &p4.ActionProfileGroup{ActionProfileId: profile, GroupId: g.id, MaxSize: g.maxSize}
	for _, m := range g.members {
		x := &p4.ActionProfileGroup_Member{MemberId: m.id, Weight: m.weight}
		if m.watch != ir.NoWatch {
			x.WatchKind = &p4.ActionProfileGroup_Member_WatchPort{WatchPort: portBytes(m.watch)}
		}
		out.Members = append(out.Members, x)
	}
	return &p4.Entity{Entity: &p4.Entity_ActionProfileGroup{ActionProfileGroup: out}}
}
