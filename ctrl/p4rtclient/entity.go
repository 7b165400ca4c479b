package p4rtclient

import (
	"fmt"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// Field is a match field or an action parameter. The match kind comes from the
// p4info: Value alone for exact and optional fields and parameters, with Mask for
// ternary, PrefixLen for lpm, and High for range fields. A field that matches
// everything is left out.
type Field struct {
	Name      string
	Value     []byte
	Mask      []byte
	High      []byte
	PrefixLen int
}

// Entry is a table entry. Table and action may be given by name or alias; what
// is read has aliases.
type Entry struct {
	Table    string
	Match    []Field
	Action   string
	Args     []Field
	Priority int32
	Default  bool // the default entry: no match
	Metadata []byte
	// IdleTimeout is how long no packet may hit the entry before the switch reports it; 0 means
	// forever. The table must be declared with idle_timeout.
	IdleTimeout time.Duration
}

// Get returns the value of a match field, nil when the entry leaves it out.
func (e *Entry) Get(field string) []byte { return get(e.Match, field) }

// Arg returns the value of an action parameter.
func (e *Entry) Arg(name string) []byte { return get(e.Args, name) }

func get(list []Field, name string) []byte {
	for _, f := range list {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// Replica is one copy of a multicast group.
type Replica struct {
	Port     uint16
	Instance uint16
}

// Entry encodes a table entry.
func (i *Info) Entry(e Entry) (*p4.Entity, error) {
	t, err := lookup(i.tables, "table", e.Table)
	if err != nil {
		return nil, err
	}
	out := &p4.TableEntry{TableId: t.GetPreamble().GetId(), Priority: e.Priority, IsDefaultAction: e.Default, Metadata: e.Metadata, IdleTimeoutNs: int64(e.IdleTimeout)}
	for _, f := range e.Match {
		m, err := encodeMatch(t, f)
		if err != nil {
			return nil, fmt.Errorf("table %q: match field %q: %w", e.Table, f.Name, err)
		}
		out.Match = append(out.Match, m)
	}
	if e.Action != "" {
		a, err := lookup(i.actions, "action", e.Action)
		if err != nil {
			return nil, fmt.Errorf("table %q: %w", e.Table, err)
		}
		act := &p4.Action{ActionId: a.GetPreamble().GetId()}
		for _, f := range e.Args {
			p, err := encodeParam(a, f)
			if err != nil {
				return nil, fmt.Errorf("table %q: action %q: parameter %q: %w", e.Table, e.Action, f.Name, err)
			}
			act.Params = append(act.Params, p)
		}
		if len(act.Params) != len(a.GetParams()) {
			return nil, fmt.Errorf("table %q: action %q: %d parameters, want %d", e.Table, e.Action, len(act.Params), len(a.GetParams()))
		}
		out.Action = &p4.TableAction{Type: &p4.TableAction_Action{Action: act}}
	}
	return &p4.Entity{Entity: &p4.Entity_TableEntry{TableEntry: out}}, nil
}

func encodeMatch(t *p4config.Table, f Field) (*p4.FieldMatch, error) {
	for _, mf := range t.GetMatchFields() {
		if mf.GetName() != f.Name {
			continue
		}
		v, err := checked(f.Value, mf.GetBitwidth(), "value")
		if err != nil {
			return nil, err
		}
		out := &p4.FieldMatch{FieldId: mf.GetId()}
		switch mf.GetMatchType() {
		case p4config.MatchField_EXACT:
			out.FieldMatchType = &p4.FieldMatch_Exact_{Exact: &p4.FieldMatch_Exact{Value: v}}
		case p4config.MatchField_OPTIONAL:
			out.FieldMatchType = &p4.FieldMatch_Optional_{Optional: &p4.FieldMatch_Optional{Value: v}}
		case p4config.MatchField_LPM:
			out.FieldMatchType = &p4.FieldMatch_Lpm{Lpm: &p4.FieldMatch_LPM{Value: v, PrefixLen: int32(f.PrefixLen)}}
		case p4config.MatchField_TERNARY:
			m, err := checked(f.Mask, mf.GetBitwidth(), "mask")
			if err != nil {
				return nil, err
			}
			out.FieldMatchType = &p4.FieldMatch_Ternary_{Ternary: &p4.FieldMatch_Ternary{Value: v, Mask: m}}
		case p4config.MatchField_RANGE:
			h, err := checked(f.High, mf.GetBitwidth(), "high")
			if err != nil {
				return nil, err
			}
			out.FieldMatchType = &p4.FieldMatch_Range_{Range: &p4.FieldMatch_Range{Low: v, High: h}}
		default:
			return nil, fmt.Errorf("unknown match kind %s", mf.GetMatchType())
		}
		return out, nil
	}
	return nil, fmt.Errorf("the table has no such field")
}

func encodeParam(a *p4config.Action, f Field) (*p4.Action_Param, error) {
	for _, p := range a.GetParams() {
		if p.GetName() == f.Name {
			v, err := checked(f.Value, p.GetBitwidth(), "value")
			return &p4.Action_Param{ParamId: p.GetId(), Value: v}, err
		}
	}
	return nil, fmt.Errorf("the action has no such parameter")
}

// Decode reads a table entry back.
func (i *Info) Decode(te *p4.TableEntry) (Entry, error) {
	t := i.tableIDs[te.GetTableId()]
	if t == nil {
		return Entry{}, fmt.Errorf("table id %#x: not in the p4info of the pipeline", te.GetTableId())
	}
	e := Entry{Table: alias(t.GetPreamble()), Priority: te.GetPriority(), Default: te.GetIsDefaultAction(), Metadata: te.GetMetadata(), IdleTimeout: time.Duration(te.GetIdleTimeoutNs())}
	for _, m := range te.GetMatch() {
		for _, mf := range t.GetMatchFields() {
			if mf.GetId() != m.GetFieldId() {
				continue
			}
			w := mf.GetBitwidth()
			f := Field{Name: mf.GetName()}
			switch k := m.GetFieldMatchType().(type) {
			case *p4.FieldMatch_Exact_:
				f.Value = padded(k.Exact.GetValue(), w)
			case *p4.FieldMatch_Optional_:
				f.Value = padded(k.Optional.GetValue(), w)
			case *p4.FieldMatch_Lpm:
				f.Value, f.PrefixLen = padded(k.Lpm.GetValue(), w), int(k.Lpm.GetPrefixLen())
			case *p4.FieldMatch_Ternary_:
				f.Value, f.Mask = padded(k.Ternary.GetValue(), w), padded(k.Ternary.GetMask(), w)
			case *p4.FieldMatch_Range_:
				f.Value, f.High = padded(k.Range.GetLow(), w), padded(k.Range.GetHigh(), w)
			}
			e.Match = append(e.Match, f)
		}
	}
	act := te.GetAction().GetAction()
	if act == nil {
		return e, nil
	}
	a := i.actionIDs[act.GetActionId()]
	if a == nil {
		return e, fmt.Errorf("table %q: action id %#x: not in the p4info of the pipeline", e.Table, act.GetActionId())
	}
	e.Action = alias(a.GetPreamble())
	for _, p := range act.GetParams() {
		for _, ap := range a.GetParams() {
			if ap.GetId() == p.GetParamId() {
				e.Args = append(e.Args, Field{Name: ap.GetName(), Value: padded(p.GetValue(), ap.GetBitwidth())})
			}
		}
	}
	return e, nil
}

// Group encodes a multicast group.
func Group(id uint16, replicas []Replica) *p4.Entity {
	g := &p4.MulticastGroupEntry{MulticastGroupId: uint32(id)}
	for _, r := range replicas {
		g.Replicas = append(g.Replicas, &p4.Replica{
			PortKind: &p4.Replica_Port{Port: Uint(uint64(r.Port))}, Instance: uint32(r.Instance),
		})
	}
	return &p4.Entity{Entity: &p4.Entity_PacketReplicationEngineEntry{PacketReplicationEngineEntry: &p4.PacketReplicationEngineEntry{
		Type: &p4.PacketReplicationEngineEntry_MulticastGroupEntry{MulticastGroupEntry: g},
	}}}
}

// Register encodes an element of a register: the values of its fields, or nothing
// for reading. A negative index means every element.
func (i *Info) Register(name string, index int, values ...uint64) (*p4.Entity, error) {
	r, err := lookup(i.registers, "register", name)
	if err != nil {
		return nil, err
	}
	e := &p4.RegisterEntry{RegisterId: r.GetPreamble().GetId()}
	number := func(v uint64) *p4.P4Data { return &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: Uint(v)}} }
	switch structure := r.GetTypeSpec().GetStruct() != nil; {
	case len(values) == 0:
	case structure:
		s := &p4.P4StructLike{}
		for _, v := range values {
			s.Members = append(s.Members, number(v))
		}
		e.Data = &p4.P4Data{Data: &p4.P4Data_Struct{Struct: s}}
	case len(values) > 1:
		return nil, fmt.Errorf("register %q: has one field, not %d", name, len(values))
	default:
		e.Data = number(values[0])
	}
	if index >= 0 {
		e.Index = &p4.Index{Index: int64(index)}
	}
	return &p4.Entity{Entity: &p4.Entity_RegisterEntry{RegisterEntry: e}}, nil
}

// Counter names a cell of a counter, for reading. A negative index means every
// cell.
func (i *Info) Counter(name string, index int) (*p4.Entity, error) {
	c, err := lookup(i.counters, "counter", name)
	if err != nil {
		return nil, err
	}
	e := &p4.CounterEntry{CounterId: c.GetPreamble().GetId()}
	if index >= 0 {
		e.Index = &p4.Index{Index: int64(index)}
	}
	return &p4.Entity{Entity: &p4.Entity_CounterEntry{CounterEntry: e}}, nil
}

// HasMeter is whether the program has a meter of this name.
func (i *Info) HasMeter(name string) bool { return i.meters[name] != nil }

// Meter configures a cell of a meter, or all with a negative index; nil: no limit.
func (i *Info) Meter(name string, index int, config *p4.MeterConfig) (*p4.Entity, error) {
	m, err := lookup(i.meters, "meter", name)
	if err != nil {
		return nil, err
	}
	e := &p4.MeterEntry{MeterId: m.GetPreamble().GetId(), Config: config}
	if index >= 0 {
		e.Index = &p4.Index{Index: int64(index)}
	}
	return &p4.Entity{Entity: &p4.Entity_MeterEntry{MeterEntry: e}}, nil
}

// ZeroCounter encodes a cell of a counter that has counted nothing.
func (i *Info) ZeroCounter(name string, index int) (*p4.Entity, error) {
	e, err := i.Counter(name, index)
	if err == nil {
		e.GetCounterEntry().Data = &p4.CounterData{}
	}
	return e, err
}

// DigestConfig encodes the configuration of a digest.
func (i *Info) DigestConfig(name string, c *p4.DigestEntry_Config) (*p4.Entity, error) {
	d, err := lookup(i.digests, "digest", name)
	if err != nil {
		return nil, err
	}
	return &p4.Entity{Entity: &p4.Entity_DigestEntry{DigestEntry: &p4.DigestEntry{DigestId: d.GetPreamble().GetId(), Config: c}}}, nil
}

// DigestName is the alias of a digest id, "" when there is none.
func (i *Info) DigestName(id uint32) string {
	for _, d := range i.digests {
		if d.GetPreamble().GetId() == id {
			return alias(d.GetPreamble())
		}
	}
	return ""
}

func alias(p *p4config.Preamble) string {
	if p.GetAlias() != "" {
		return p.GetAlias()
	}
	return p.GetName()
}

// Packet is a packet-in or packet-out; Metadata by the names of the controller
// header.
type Packet struct {
	Metadata map[string]uint64
	Payload  []byte
}

// PacketOut encodes a packet-out. Fields that Metadata does not name are 0.
func (i *Info) PacketOut(p Packet) (*p4.PacketOut, error) {
	out := &p4.PacketOut{Payload: p.Payload}
	known := 0
	for _, m := range i.packets["packet_out"].GetMetadata() {
		v, given := p.Metadata[m.GetName()]
		if given {
			known++
		}
		b, err := checked(Uint(v), m.GetBitwidth(), fmt.Sprintf("packet-out: metadata %q", m.GetName()))
		if err != nil {
			return nil, err
		}
		out.Metadata = append(out.Metadata, &p4.PacketMetadata{MetadataId: m.GetId(), Value: b})
	}
	if known != len(p.Metadata) {
		return nil, fmt.Errorf("packet-out: metadata %v: not all in the packet_out header", p.Metadata)
	}
	return out, nil
}

// PacketIn decodes a packet-in.
func (i *Info) PacketIn(in *p4.PacketIn) Packet {
	p := Packet{Metadata: map[string]uint64{}, Payload: in.GetPayload()}
	for _, m := range in.GetMetadata() {
		for _, f := range i.packets["packet_in"].GetMetadata() {
			if f.GetId() == m.GetMetadataId() {
				p.Metadata[f.GetName()] = ToUint(m.GetValue())
			}
		}
	}
	return p
}
