package entries

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/protobuf/proto"
)

// Change is a statement, and the update that it means: INSERT for entries, members, groups and digests, MODIFY for what exists by itself, DELETE.
type Change struct {
	Statement *Statement
	Update    *p4.Update
}

// Changes makes updates of statements, in an order that a switch takes: members of action profiles come first, then their groups, then
// all others as they are in the file; groups and members that are deleted come last. file is the name of their file, for errors, which
// are *Error, joined. What is there twice is an error.
func (p *Program) Changes(file string, list []*Statement) ([]Change, error) {
	var out []Change
	var errs []error
	lines := map[string]int{}
	for _, s := range list {
		u, err := p.Update(s)
		if err == nil {
			id := identity(u)
			if first, twice := lines[id]; twice {
				err = fmt.Errorf("the same as line %d is about [a file has each %s once]", first, thing[s.Subject])
			} else {
				lines[id] = s.Line
			}
		}
		if err != nil {
			if len(errs) < most {
				errs = append(errs, &Error{file, s.Line, err})
			}
			continue
		}
		out = append(out, Change{s, u})
	}
	inOrder(out)
	return out, errors.Join(errs...)
}

// thing is what a statement is about, for people.
var thing = map[Subject]string{
	Entry: "entry", Default: "default entry", Group: "group", Member: "member", MemberGroup: "group", Register: "element", Counter: "cell", Meter: "cell", Digest: "digest",
}

// identity is equal for updates of one thing. Deleting and writing are different, but for what Changes moves: which comes first would
// not be what the file says.
func identity(u *p4.Update) string {
	e := proto.Clone(u.GetEntity()).(*p4.Entity)
	moved := false
	switch x := e.GetEntity().(type) {
	case *p4.Entity_TableEntry:
		t := x.TableEntry
		x.TableEntry = &p4.TableEntry{TableId: t.GetTableId(), Match: t.GetMatch(), Priority: t.GetPriority(), IsDefaultAction: t.GetIsDefaultAction()}
	case *p4.Entity_PacketReplicationEngineEntry:
		x.PacketReplicationEngineEntry.GetMulticastGroupEntry().Replicas = nil
		x.PacketReplicationEngineEntry.GetMulticastGroupEntry().Metadata = nil
	case *p4.Entity_ActionProfileMember:
		x.ActionProfileMember.Action, moved = nil, true
	case *p4.Entity_ActionProfileGroup:
		x.ActionProfileGroup.Members, x.ActionProfileGroup.MaxSize, moved = nil, 0, true
	case *p4.Entity_RegisterEntry:
		x.RegisterEntry.Data = nil
	case *p4.Entity_CounterEntry:
		x.CounterEntry.Data = nil
	case *p4.Entity_MeterEntry:
		x.MeterEntry.Config = nil
	case *p4.Entity_DigestEntry:
		x.DigestEntry.Config = nil
	}
	b, err := (proto.MarshalOptions{Deterministic: true}).Marshal(e)
	if err != nil {
		return err.Error()
	}
	return strconv.FormatBool(u.GetType() == p4.Update_DELETE && !moved) + string(b)
}

// Update makes the update that a statement means.
func (p *Program) Update(s *Statement) (*p4.Update, error) {
	e, err := p.entity(s)
	if err != nil {
		return nil, err
	}
	u := &p4.Update{Type: p4.Update_INSERT, Entity: e}
	switch {
	case s.Subject == Default, s.Subject == Register, s.Subject == Counter, s.Subject == Meter:
		u.Type = p4.Update_MODIFY
	case s.Delete:
		u.Type = p4.Update_DELETE
	}
	return u, nil
}

func (p *Program) entity(s *Statement) (*p4.Entity, error) {
	switch s.Subject {
	case Group:
		return group(s)
	case Member:
		return p.member(s)
	case MemberGroup:
		return p.memberGroup(s)
	case Register:
		return p.register(s)
	case Counter:
		return p.counter(s)
	case Meter:
		return p.meter(s)
	case Digest:
		return p.digest(s)
	}
	e, err := p.entry(s)
	if err != nil {
		return nil, err
	}
	return &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: e}}, nil
}

// number of an attribute; 0 if it is not there. Parse has looked at it.
func (s *Statement) integer(name string) int64 {
	v, _ := s.Attribute(name)
	n, _ := strconv.ParseInt(v, 0, 64)
	return n
}

func (s *Statement) ns(name string) int64 {
	v, _ := s.Attribute(name)
	n, _ := duration(v)
	return n
}

func (s *Statement) bytes(name string) []byte {
	v, _ := s.Attribute(name)
	b, _ := metadata(v)
	return b
}

// counted is the value of a counter; nil: none is given.
func (s *Statement) counted() *p4.CounterData {
	_, packets := s.Attribute("packets")
	_, bytes := s.Attribute("bytes")
	if !packets && !bytes {
		return nil
	}
	return &p4.CounterData{PacketCount: s.integer("packets"), ByteCount: s.integer("bytes")}
}

func (p *Program) entry(s *Statement) (*p4.TableEntry, error) {
	t, err := find("table", s.Name, p.info.GetTables())
	if err != nil {
		return nil, err
	}
	name := called(t)
	e := &p4.TableEntry{TableId: t.GetPreamble().GetId(), IsDefaultAction: s.Subject == Default}
	switch {
	case s.Subject == Entry && len(t.GetMatchFields()) == 0:
		return nil, fmt.Errorf("table %s: it has no key, and no entry but the default one [%s default -> …]", name, name)
	case s.Subject == Entry && t.GetIsConstTable():
		return nil, fmt.Errorf("table %s: its entries are const: only the program makes them", name)
	case s.Subject == Default && t.GetConstDefaultActionId() != 0:
		return nil, fmt.Errorf("table %s: its default action is const", name)
	}
	if s.Subject == Entry {
		if err := p.match(e, t, s); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
	}
	if s.Delete {
		return e, nil
	}
	if e.Action, err = p.does(t, s); err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	e.IdleTimeoutNs, e.Metadata, e.CounterData = s.ns("idle"), s.bytes("metadata"), s.counted()
	switch {
	case e.IdleTimeoutNs > 0 && t.GetIdleTimeoutBehavior() == p4config.Table_NO_TIMEOUT:
		return nil, fmt.Errorf("table %s: idle: the table has no idle timeouts [idle_timeout = true in the program]", name)
	case e.CounterData != nil && p.direct[t.GetPreamble().GetId()] == nil:
		return nil, fmt.Errorf("table %s: packets, bytes: the table has no direct counter", name)
	}
	return e, nil
}

// prioritised: the entries of a table need priorities.
func prioritised(t *p4config.Table) bool {
	for _, f := range t.GetMatchFields() {
		switch f.GetMatchType() {
		case p4config.MatchField_TERNARY, p4config.MatchField_RANGE, p4config.MatchField_OPTIONAL:
			return true
		}
	}
	return false
}

var kinds = map[p4config.MatchField_MatchType]Kind{
	p4config.MatchField_EXACT: Exact, p4config.MatchField_LPM: LPM, p4config.MatchField_TERNARY: Ternary,
	p4config.MatchField_RANGE: Range, p4config.MatchField_OPTIONAL: Optional,
}

// match encodes the keys of an entry, and its priority.
func (p *Program) match(e *p4.TableEntry, t *p4config.Table, s *Statement) error {
	values := map[uint32]string{}
	for _, k := range s.Keys {
		f, err := keyOf(t, k.Name)
		if err != nil {
			return err
		}
		if _, twice := values[f.GetId()]; twice {
			return fmt.Errorf("key %s is given twice", f.GetName())
		}
		values[f.GetId()] = k.Value
	}
	for _, f := range t.GetMatchFields() {
		v, given := values[f.GetId()]
		if !given {
			v = "_"
		}
		k, known := kinds[f.GetMatchType()]
		if !known {
			return fmt.Errorf("key %s: match kind %s is not known", f.GetName(), f.GetMatchType())
		}
		if k == Exact && v == "_" {
			return fmt.Errorf("key %s is missing: it is matched exactly, and must have a value", f.GetName())
		}
		m, err := p.field(f, k, v)
		if err != nil {
			return fmt.Errorf("key %s: %w", f.GetName(), err)
		}
		if m != nil {
			e.Match = append(e.Match, m)
		}
	}
	e.Priority = int32(s.integer("priority"))
	switch {
	case prioritised(t) && e.Priority == 0 && s.Delete:
		return errors.New("its entries have priorities: which is meant? [… priority N]")
	case prioritised(t) && e.Priority == 0:
		return errors.New("an entry needs a priority, as several may match a packet; the largest wins [… -> ACTION(…) priority N]")
	case !prioritised(t) && e.Priority != 0:
		return errors.New("priority: no two entries match one packet in a table with exact and lpm keys only, or the longer prefix wins")
	}
	return nil
}

// keyOf finds a key by its name, which may be without its slice, and without the $ of $valid$.
func keyOf(t *p4config.Table, name string) (*p4config.MatchField, error) {
	f, err := Resolve("key", name, t.GetMatchFields(), (*p4config.MatchField).GetName)
	if err == nil {
		return f, nil
	}
	whole := func(f *p4config.MatchField) string {
		n, _, _ := strings.Cut(strings.ReplaceAll(f.GetName(), "$", ""), "[")
		return n
	}
	var found []*p4config.MatchField
	for _, f := range t.GetMatchFields() {
		if n := whole(f); n == name || strings.HasSuffix(n, "."+name) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return nil, err
}

// field encodes what a key must be; nil: anything.
func (p *Program) field(f *p4config.MatchField, k Kind, text string) (*p4.FieldMatch, error) {
	width := int(f.GetBitwidth())
	m, err := ParseMatch(k, width, text, func(s string) (*big.Int, error) {
		v, err := p.number(s)
		if err == nil {
			err = p.fits(v, f.GetBitwidth())
		}
		return v, err
	})
	if err != nil {
		return nil, err
	}
	if m.Any(width) && k != Exact {
		return nil, nil
	}
	out := &p4.FieldMatch{FieldId: f.GetId()}
	v := Bytes(m.Value)
	if beyond := new(big.Int).AndNot(m.Value, m.Mask); beyond.Sign() != 0 {
		form, masked := formOf(f.GetName(), f.GetBitwidth(), f.GetAnnotations()), Bytes(new(big.Int).And(m.Value, m.Mask))
		if k == LPM {
			return nil, fmt.Errorf("%s has bits beyond its prefix [%s/%d]", text, form.text(masked), m.PrefixLen)
		}
		return nil, fmt.Errorf("%s has bits outside its mask [%s &&& %s]", text, form.text(masked), form.text(Bytes(m.Mask)))
	}
	switch k {
	case Exact:
		out.FieldMatchType = &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: v}}
	case LPM:
		out.FieldMatchType = &p4.FieldMatch_Lpm{Lpm: &p4.FieldMatch_LPM{Value: v, PrefixLen: int32(m.PrefixLen)}}
	case Ternary:
		out.FieldMatchType = &p4.FieldMatch_Ternary_{Ternary: &p4.FieldMatch_Ternary{Value: v, Mask: Bytes(m.Mask)}}
	case Range:
		out.FieldMatchType = &p4.FieldMatch_Range_{Range: &p4.FieldMatch_Range{Low: v, High: Bytes(m.High)}}
	case Optional:
		out.FieldMatchType = &p4.FieldMatch_Optional_{Optional: &p4.FieldMatch_Optional{Value: v}}
	}
	return out, nil
}

// call encodes an action of a table.
func (p *Program) call(t *p4config.Table, c *Call, isDefault bool) (*p4.Action, error) {
	if c == nil {
		return nil, errors.New("an action is missing [… -> ACTION(PARAMETER=VALUE, …)]")
	}
	scope := map[uint32]p4config.ActionRef_Scope{}
	var list []*p4config.Action
	for _, r := range t.GetActionRefs() {
		if a := p.actions[r.GetId()]; a != nil {
			list = append(list, a)
			scope[r.GetId()] = r.GetScope()
		}
	}
	a, err := find("action", c.Name, list)
	if err != nil {
		return nil, err
	}
	id := a.GetPreamble().GetId()
	switch {
	case !isDefault && scope[id] == p4config.ActionRef_DEFAULT_ONLY:
		return nil, fmt.Errorf("action %s is for the default entry only", called(a))
	case isDefault && scope[id] == p4config.ActionRef_TABLE_ONLY:
		return nil, fmt.Errorf("action %s is not for the default entry", called(a))
	}
	values := map[string]string{}
	for _, arg := range c.Args {
		param, err := Resolve("parameter", arg.Name, a.GetParams(), (*p4config.Action_Param).GetName)
		if err != nil {
			return nil, fmt.Errorf("action %s: %w", called(a), err)
		}
		if _, twice := values[param.GetName()]; twice {
			return nil, fmt.Errorf("action %s: parameter %s is given twice", called(a), param.GetName())
		}
		values[param.GetName()] = arg.Value
	}
	out := &p4.Action{ActionId: id}
	for _, param := range a.GetParams() {
		text, given := values[param.GetName()]
		if !given {
			return nil, fmt.Errorf("action %s: parameter %s is missing [%s]", called(a), param.GetName(), signature(a))
		}
		v, err := p.value(text, param.GetBitwidth())
		if err != nil {
			return nil, fmt.Errorf("action %s: parameter %s: %w", called(a), param.GetName(), err)
		}
		out.Params = append(out.Params, &p4.Action_Param{ParamId: param.GetId(), Value: v})
	}
	return out, nil
}

// signature is how an action is called.
func signature(a *p4config.Action) string {
	var list []string
	for _, p := range a.GetParams() {
		list = append(list, p.GetName()+"=…")
	}
	return called(a) + "(" + strings.Join(list, ", ") + ")"
}

func group(s *Statement) (*p4.Entity, error) {
	id, err := numberIn(s.Name, 1, 1<<16-1)
	if err != nil {
		return nil, fmt.Errorf("multicast group %q: want a number from 1 to 65535", s.Name)
	}
	g := &p4.MulticastGroupEntry{MulticastGroupId: uint32(id)}
	if !s.Delete {
		g.Metadata = s.bytes("metadata")
		for _, r := range s.Replicas {
			x := &p4.Replica{PortKind: &p4.Replica_Port{Port: port(r)}, Instance: r.Instance}
			for _, o := range r.Others {
				x.BackupReplicas = append(x.BackupReplicas, &p4.BackupReplica{Port: port(o), Instance: o.Instance})
			}
			g.Replicas = append(g.Replicas, x)
		}
	}
	return &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
		Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: g},
	}}}, nil
}

func port(r Replica) []byte { return Bytes(new(big.Int).SetUint64(uint64(r.Port))) }

func (p *Program) register(s *Statement) (*p4.Entity, error) {
	r, err := find("register", s.Name, p.info.GetRegisters())
	if err != nil {
		return nil, err
	}
	name := called(r)
	i, err := p.index(s.Index, int64(r.GetSize()), nil)
	if err != nil {
		return nil, fmt.Errorf("register %s: %w", name, err)
	}
	e := &p4.RegisterEntry{RegisterId: r.GetPreamble().GetId(), Index: &p4.Index{Index: i}}
	fields, err := p.fields(r)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, k := range s.Keys {
		f, err := Resolve("field", k.Name, fields, func(f field) string { return f.name })
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", name, err)
		}
		if _, twice := values[f.name]; twice {
			return nil, fmt.Errorf("register %s: field %s is given twice", name, f.name)
		}
		values[f.name] = k.Value
	}
	var list []*p4.P4Data
	for _, f := range fields {
		text, given := values[f.name]
		if !given {
			return nil, fmt.Errorf("register %s: field %s is missing [all are written together]", name, f.name)
		}
		d, err := p.data(f, text)
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", name, err)
		}
		list = append(list, d)
	}
	e.Data = &p4.P4Data{Data: &p4.P4Data_Struct{Struct: &p4.P4StructLike{Members: list}}}
	if len(fields) == 1 && fields[0].name == "" {
		e.Data = list[0]
	}
	return &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: e}}, nil
}

// field is a part of a register's element; one without a name is the element.
type field struct {
	name  string
	width int32
}

// fields are those of a register's element.
func (p *Program) fields(r *p4config.Register) ([]field, error) {
	spec := r.GetTypeSpec()
	n := spec.GetStruct().GetName()
	if n == "" {
		f, err := scalar("", spec)
		return []field{f}, err
	}
	var out []field
	for _, m := range p.info.GetTypeInfo().GetStructs()[n].GetMembers() {
		f, err := scalar(m.GetName(), m.GetTypeSpec())
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", called(r), err)
		}
		out = append(out, f)
	}
	return out, nil
}

func scalar(name string, spec *p4config.P4DataTypeSpec) (field, error) {
	switch b := spec.GetBitstring(); {
	case spec.GetBool() != nil:
		return field{name, 1}, nil
	case b.GetBit() != nil:
		return field{name, b.GetBit().GetBitwidth()}, nil
	case b.GetInt() != nil:
		return field{name, b.GetInt().GetBitwidth()}, nil
	}
	return field{}, fmt.Errorf("field %q: its type is not supported", name)
}

func (p *Program) data(f field, text string) (*p4.P4Data, error) {
	v, err := p.value(text, f.width)
	if err != nil && f.name != "" {
		err = fmt.Errorf("field %s: %w", f.name, err)
	}
	return &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: v}}, err
}

func (p *Program) counter(s *Statement) (*p4.Entity, error) {
	c, err := find("counter", s.Name, p.info.GetCounters())
	if err != nil {
		return nil, err
	}
	i, err := p.index(s.Index, c.GetSize(), p.cells[c.GetPreamble().GetId()])
	if err != nil {
		return nil, fmt.Errorf("counter %s: %w", called(c), err)
	}
	return &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: &p4.CounterEntry{
		CounterId: c.GetPreamble().GetId(), Index: &p4.Index{Index: i}, Data: s.counted(),
	}}}, nil
}

func (p *Program) meter(s *Statement) (*p4.Entity, error) {
	m, err := find("meter", s.Name, p.info.GetMeters())
	if err != nil {
		return nil, err
	}
	i, err := p.index(s.Index, m.GetSize(), nil)
	if err != nil {
		return nil, fmt.Errorf("meter %s: %w", called(m), err)
	}
	e := &p4.MeterEntry{MeterId: m.GetPreamble().GetId(), Index: &p4.Index{Index: i}}
	if _, none := s.Attribute("none"); !none {
		e.Config = &p4.MeterConfig{Cir: s.integer("cir"), Cburst: s.integer("cburst"), Pir: s.integer("pir"), Pburst: s.integer("pburst")}
	} else if len(s.Attributes) > 1 {
		return nil, fmt.Errorf("meter %s: none, or rates, not both", called(m))
	}
	return &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: e}}, nil
}

func (p *Program) digest(s *Statement) (*p4.Entity, error) {
	d, err := find("digest", s.Name, p.info.GetDigests())
	if err != nil {
		return nil, err
	}
	e := &p4.DigestEntry{DigestId: d.GetPreamble().GetId()}
	if !s.Delete {
		e.Config = &p4.DigestEntry_Config{MaxTimeoutNs: s.ns("max_wait"), MaxListSize: int32(s.integer("max_list")), AckTimeoutNs: s.ns("ack")}
	}
	return &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: e}}, nil
}
