package p4rt

import (
	"fmt"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// adopt takes over what an earlier process left running. What cannot be told from a
// running program is gone: metadata of entries, and which digests were configured;
// clients configure these anew.
func (s *Server) adopt(k dataplane.Keeper) error {
	kept, err := k.Kept()
	if err != nil || kept == nil {
		return err
	}
	config := &p4.ForwardingPipelineConfig{}
	if err := proto.Unmarshal(kept, config); err != nil {
		return fmt.Errorf("pipeline config: %w", err)
	}
	p, err := s.compiled(config)
	if err != nil {
		return err
	}
	was, err := k.Adopt(p.pipeline)
	if err != nil {
		return err
	}
	st, err := newState(p.schema, p.pipeline, p.config)
	if err != nil {
		return err
	}
	if err := s.takeProfiles(st, was); err != nil {
		return err
	}
	if err := st.fill(was); err != nil {
		return err
	}
	for _, entries := range st.entries {
		for _, e := range entries {
			st.count(e, 1)
		}
	}
	s.st = st
	s.ageAll()
	s.live.Store(p.schema)
	s.log.Info("running pipeline taken over", "program", p.schema.prog.Name, "target", s.target.Kind(), "entries", len(was.Entries), "groups", len(was.Groups))
	return nil
}

// fill puts what a target has into the state of a new pipeline.
func (st *state) fill(was *dataplane.State) error {
	for t, entries := range st.entries {
		for key, e := range entries {
			if !e.isConst {
				delete(st.entries[t], key) // a client may have deleted it
			}
		}
	}
	for _, e := range was.Entries {
		if e.Table.ValueSet != nil {
			if err := st.addMember(e); err != nil {
				return err
			}
			continue
		}
		t := st.byTable[e.Table]
		if t == nil {
			return fmt.Errorf("table %s: not in the p4info", e.Table.Name)
		}
		if old := st.entries[t][entryKey(e.Matches, e.Priority)]; old != nil {
			continue // const
		}
		if t.src.Indirect != nil {
			if !st.known(e) {
				return fmt.Errorf("table %q: an entry names a member or group that is not there", t.name)
			}
			st.put(&stored{table: t, target: *e})
			continue
		}
		act := t.encodeAction(e.Action)
		if act == nil {
			return t.noAction(e.Action)
		}
		msg := &p4.TableEntry{TableId: t.id, Priority: e.Priority, Action: act, IdleTimeoutNs: int64(e.IdleTimeout)}
		for i, f := range t.fields {
			if m := f.encode(e.Matches[i]); m != nil {
				msg.Match = append(msg.Match, m)
			}
		}
		n, err := st.decodeEntry(msg, everything)
		if err != nil {
			return err
		}
		st.put(n)
	}
	for _, e := range was.Defaults {
		t := st.visible(e.Table)
		if t == nil {
			return fmt.Errorf("table %s: not in the p4info", e.Table.Name)
		}
		if t.encodeAction(e.Action) == nil {
			return t.noAction(e.Action)
		}
		st.defaults[t] = &stored{table: t, target: e, isDefault: true}
	}
	for id, replicas := range was.Groups {
		g := &p4.MulticastGroupEntry{MulticastGroupId: uint32(id)}
		for _, r := range replicas {
			g.Replicas = append(g.Replicas, &p4.Replica{
				PortKind: &p4.Replica_Port{Port: canonical([]byte{byte(r.Port >> 8), byte(r.Port)})}, Instance: uint32(r.Instance),
			})
		}
		st.groups[id] = g
	}
	return nil
}

// visible is the table that clients see: the one whose default action a table has.
func (st *state) visible(src *ir.Table) *tableSchema {
	for _, x := range st.prog.Profiles {
		for _, t := range x.Tables {
			if t.Indirect.Members == src {
				return st.byTable[t]
			}
		}
	}
	return st.byTable[src]
}

// known reports whether there is what an entry of a table with a profile names.
func (st *state) known(e *dataplane.Entry) bool {
	in := e.Table.Indirect
	p, id := st.profiles[in.Profile], number(e.Action.Args[0])
	if e.Action.Action == in.ToMember {
		return p.members[id] != nil
	}
	return p.groups[id] != nil
}

// encodeAction is an action of a table as read back; nil when the p4info does not have it.
func (t *tableSchema) encodeAction(a dataplane.Action) *p4.TableAction {
	for _, sc := range t.actions {
		if sc.src == a.Action {
			return sc.act.encode(a.Args)
		}
	}
	return nil
}

func (t *tableSchema) noAction(a dataplane.Action) error {
	return fmt.Errorf("table %q: action %s is not in the p4info", t.name, a.Action.Name)
}

// encode is the opposite of decode: nil when everything matches.
func (f *fieldSchema) encode(m dataplane.Match) *p4.FieldMatch {
	out := &p4.FieldMatch{FieldId: f.id}
	switch f.match {
	case ir.Exact:
		out.FieldMatchType = &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: canonical(m.Value)}}
	case ir.LPM:
		if m.PrefixLen == 0 {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Lpm{Lpm: &p4.FieldMatch_LPM{Value: canonical(m.Value), PrefixLen: int32(m.PrefixLen)}}
	case ir.Ternary:
		if isZero(m.Mask) {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Ternary_{Ternary: &p4.FieldMatch_Ternary{Value: canonical(m.Value), Mask: canonical(m.Mask)}}
	case ir.Range:
		if isZero(m.Value) && string(m.Mask) == string(ones(f.width)) {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Range_{Range: &p4.FieldMatch_Range{Low: canonical(m.Value), High: canonical(m.Mask)}}
	case ir.Optional:
		if isZero(m.Mask) {
			return nil
		}
		out.FieldMatchType = &p4.FieldMatch_Optional_{Optional: &p4.FieldMatch_Optional{Value: canonical(m.Value)}}
	}
	return out
}
