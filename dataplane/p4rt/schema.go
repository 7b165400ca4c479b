package p4rt

import (
	"fmt"
	"slices"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// schema connects the ids of a p4info with the objects of the program. It is
// immutable.
type schema struct {
	info      *p4config.P4Info
	prog      *ir.Program
	tables    map[uint32]*tableSchema
	byTable   map[*ir.Table]*tableSchema
	tableIDs  []uint32 // in the order of p4info
	actions   map[uint32]*actionSchema
	byAction  map[string]*actionSchema // by name: a shared action may exist once per gress
	registers map[uint32]*ir.Register
	counters  map[uint32]*ir.Counter
	meters    map[uint32]*ir.Meter
	meterIDs  []uint32
	cells     map[*ir.Counter]map[int]string // those that the program has a name for
	// value sets: as tables, since a member is matched as an entry is
	sets    map[uint32]*tableSchema
	setIDs  []uint32
	digests map[uint32]*ir.Digest
	// Action profiles, with selectors or without.
	profiles   map[uint32]*profileSchema
	profileIDs []uint32
	digestIDs  map[*ir.Digest]uint32
	// direct counters by id, with the table that they belong to
	direct              map[uint32]*tableSchema
	registerIDs         []uint32
	counterIDs          []uint32
	packetIn, packetOut *packetSchema
}

type tableSchema struct {
	id       uint32
	name     string
	src      *ir.Table
	fields   []fieldSchema // in key order
	byField  map[uint32]int
	actions  map[uint32]scope
	priority bool               // entries need a priority
	consts   map[string]*stored // of a table whose entries are const; nil: not read yet
}

// profileSchema is an action profile, and the tables of the p4info that have it.
type profileSchema struct {
	src    *ir.Profile
	tables []*tableSchema
}

type fieldSchema struct {
	id    uint32
	name  string
	width int
	match ir.MatchKind
}

type scope struct {
	act                    *actionSchema
	src                    *ir.Action // the table's own
	defaultOnly, tableOnly bool
}

type actionSchema struct {
	id      uint32
	name    string
	src     *ir.Action
	params  []paramSchema
	byParam map[uint32]int
}

type paramSchema struct {
	id    uint32
	name  string
	width int
}

// packetSchema is a controller header.
type packetSchema struct {
	fields []paramSchema
	byID   map[uint32]int
	bytes  int
	// ingress is the place of the field with the port that a packet came in by; -1: there is none.
	ingress int
}

// newSchema indexes a p4info of a program, one that compareInfo has let pass: an error
// means that they are not of one program.
func newSchema(prog *ir.Program, info *p4config.P4Info) (*schema, error) {
	s := &schema{
		info: info, prog: prog,
		tables: map[uint32]*tableSchema{}, byTable: map[*ir.Table]*tableSchema{},
		actions: map[uint32]*actionSchema{}, byAction: map[string]*actionSchema{},
		registers: map[uint32]*ir.Register{}, counters: map[uint32]*ir.Counter{},
		meters:  map[uint32]*ir.Meter{},
		cells:   map[*ir.Counter]map[int]string{},
		sets:    map[uint32]*tableSchema{},
		digests: map[uint32]*ir.Digest{}, digestIDs: map[*ir.Digest]uint32{},
		direct:   map[uint32]*tableSchema{},
		profiles: map[uint32]*profileSchema{},
	}
	for _, step := range []func() error{s.indexActions, s.indexTables, s.indexProfiles, s.indexSets, s.indexState, s.indexPackets} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// named finds the program's object with a p4info name, which need not have the name of
// the pipeline.
func named[T any](s *schema, kind string, objects []T, name func(T) string, p *p4config.Preamble) (T, error) {
	for _, o := range objects {
		if short(name(o), s.prog.Pipe) == short(p.GetName(), s.prog.Pipe) {
			return o, nil
		}
	}
	var zero T
	return zero, fmt.Errorf("p4info: %s %q (id %#x) is not in the program", kind, p.GetName(), p.GetId())
}

func (s *schema) indexActions() error {
	for _, pa := range s.info.GetActions() {
		src, err := named(s, "action", s.prog.Actions, func(a *ir.Action) string { return a.Name }, pa.GetPreamble())
		if err != nil {
			return err
		}
		a := &actionSchema{id: pa.GetPreamble().GetId(), name: src.Name, src: src, byParam: map[uint32]int{}}
		if len(pa.GetParams()) != len(src.Params) {
			return fmt.Errorf("p4info: action %q has %d parameters, the program's %d", src.Name, len(pa.GetParams()), len(src.Params))
		}
		for i, p := range pa.GetParams() {
			if int(p.GetBitwidth()) != src.Params[i].Type.Width {
				return fmt.Errorf("p4info: action %q: parameter %q has %d bits, the program's %d", src.Name, p.GetName(), p.GetBitwidth(), src.Params[i].Type.Width)
			}
			a.byParam[p.GetId()] = i
			a.params = append(a.params, paramSchema{p.GetId(), p.GetName(), int(p.GetBitwidth())})
		}
		s.actions[a.id], s.byAction[src.Name] = a, a
	}
	return nil
}

func (s *schema) indexTables() error {
	for _, pt := range s.info.GetTables() {
		src, err := named(s, "table", s.prog.Tables, func(t *ir.Table) string { return t.Name }, pt.GetPreamble())
		if err != nil {
			return err
		}
		t := &tableSchema{
			id: pt.GetPreamble().GetId(), name: src.Name, src: src,
			byField: map[uint32]int{}, actions: map[uint32]scope{},
		}
		if len(pt.GetMatchFields()) != len(src.Keys) {
			return fmt.Errorf("p4info: table %q has %d match fields, the program's %d", src.Name, len(pt.GetMatchFields()), len(src.Keys))
		}
		if err := t.indexFields(pt.GetMatchFields()); err != nil {
			return err
		}
		for _, r := range pt.GetActionRefs() {
			a := s.actions[r.GetId()]
			if a == nil {
				return fmt.Errorf("p4info: table %q: action id %#x is not in the p4info", src.Name, r.GetId())
			}
			visible := src.Visible().Actions
			own := slices.IndexFunc(visible, func(ref ir.ActionRef) bool { return ref.Action.Name == a.name })
			if own < 0 {
				return fmt.Errorf("p4info: table %q: action %q is not one of the program's", src.Name, a.name)
			}
			t.actions[a.id] = scope{
				act: a, src: visible[own].Action,
				defaultOnly: r.GetScope() == p4config.ActionRef_DEFAULT_ONLY,
				tableOnly:   r.GetScope() == p4config.ActionRef_TABLE_ONLY,
			}
		}
		s.tables[t.id], s.byTable[src] = t, t
		s.tableIDs = append(s.tableIDs, t.id)
	}
	for _, c := range s.info.GetDirectCounters() {
		t := s.tables[c.GetDirectTableId()]
		if t == nil || t.src.Counter == nil {
			return fmt.Errorf("p4info: direct counter %q belongs to no table of the program that has one", c.GetPreamble().GetName())
		}
		s.direct[c.GetPreamble().GetId()] = t
	}
	for _, m := range s.info.GetDirectMeters() {
		if t := s.tables[m.GetDirectTableId()]; t == nil || t.src.Meter == nil {
			return fmt.Errorf("p4info: direct meter %q belongs to no table of the program that has one", m.GetPreamble().GetName())
		}
	}
	return nil
}

// indexFields indexes the match fields of a table or value set, which are as many as the program's.
func (t *tableSchema) indexFields(fields []*p4config.MatchField) error {
	for i, f := range fields {
		k := t.src.Keys[i]
		if int(f.GetBitwidth()) != k.Width || matchKind(f) != k.Match {
			return fmt.Errorf("p4info: %s: match field %q is %s of %d bits, the program's %s of %d", t.what(), f.GetName(), matchKind(f), f.GetBitwidth(), k.Match, k.Width)
		}
		t.byField[f.GetId()] = i
		t.fields = append(t.fields, fieldSchema{f.GetId(), f.GetName(), k.Width, k.Match})
	}
	t.priority = t.src.Prioritised()
	return nil
}

func (s *schema) indexProfiles() error {
	for _, x := range s.info.GetActionProfiles() {
		src, err := named(s, "action profile", s.prog.Profiles, func(p *ir.Profile) string { return p.Name }, x.GetPreamble())
		if err != nil {
			return err
		}
		p := &profileSchema{src: src}
		for _, t := range src.Tables {
			if ts := s.byTable[t]; ts != nil {
				p.tables = append(p.tables, ts)
			}
		}
		s.profiles[x.GetPreamble().GetId()] = p
		s.profileIDs = append(s.profileIDs, x.GetPreamble().GetId())
	}
	return nil
}

func matchKind(f *p4config.MatchField) ir.MatchKind {
	switch f.GetMatchType() {
	case p4config.MatchField_LPM:
		return ir.LPM
	case p4config.MatchField_TERNARY:
		return ir.Ternary
	case p4config.MatchField_RANGE:
		return ir.Range
	case p4config.MatchField_OPTIONAL:
		return ir.Optional
	}
	return ir.Exact
}

func (s *schema) indexState() error {
	for _, r := range s.info.GetRegisters() {
		src, err := named(s, "register", s.prog.Registers, func(r *ir.Register) string { return r.Name }, r.GetPreamble())
		if err != nil {
			return err
		}
		s.registers[r.GetPreamble().GetId()] = src
		s.registerIDs = append(s.registerIDs, r.GetPreamble().GetId())
	}
	for _, c := range s.info.GetCounters() {
		src, err := named(s, "counter", s.prog.Counters, func(c *ir.Counter) string { return c.Name }, c.GetPreamble())
		if err != nil {
			return err
		}
		s.counters[c.GetPreamble().GetId()] = src
		s.counterIDs = append(s.counterIDs, c.GetPreamble().GetId())
		s.cells[src] = map[int]string{}
		for _, v := range s.prog.IndexValues(src) {
			s.cells[src][int(v.Value.Int64())] = v.Short
		}
	}
	for _, m := range s.info.GetMeters() {
		src, err := named(s, "meter", s.prog.Meters, func(m *ir.Meter) string { return m.Name }, m.GetPreamble())
		if err != nil {
			return err
		}
		s.meters[m.GetPreamble().GetId()] = src
		s.meterIDs = append(s.meterIDs, m.GetPreamble().GetId())
	}
	for _, d := range s.info.GetDigests() {
		src, err := named(s, "digest", s.prog.Digests, func(d *ir.Digest) string { return d.Name }, d.GetPreamble())
		if err != nil {
			return err
		}
		s.digests[d.GetPreamble().GetId()] = src
		s.digestIDs[src] = d.GetPreamble().GetId()
	}
	return nil
}

func (s *schema) indexPackets() error {
	for _, m := range s.info.GetControllerPacketMetadata() {
		p := &packetSchema{byID: map[uint32]int{}, ingress: -1}
		bits := 0
		for i, f := range m.GetMetadata() {
			p.fields = append(p.fields, paramSchema{f.GetId(), f.GetName(), int(f.GetBitwidth())})
			p.byID[f.GetId()] = i
			if f.GetName() == "ingress_port" && f.GetBitwidth() <= 32 {
				p.ingress = i
			}
			bits += int(f.GetBitwidth())
		}
		var src *ir.HeaderType
		switch name := m.GetPreamble().GetName(); name {
		case "packet_in":
			s.packetIn, src = p, s.prog.PacketIn
		case "packet_out":
			s.packetOut, src = p, s.prog.PacketOut
		default:
			return fmt.Errorf("p4info: controller header %q is neither packet_in nor packet_out", name)
		}
		if src == nil || src.Bytes()*8 != bits {
			return fmt.Errorf("p4info: controller header %q has %d bits, which is not the program's", m.GetPreamble().GetName(), bits)
		}
		p.bytes = bits / 8
	}
	return nil
}
