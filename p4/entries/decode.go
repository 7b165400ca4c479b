package entries

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"time"

	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
)

// Statement describes an entity that was read. An error says what this syntax has no words for.
func (p *Program) Statement(e *p4.Entity) (*Statement, error) {
	switch e := e.GetEntity().(type) {
	case *p4.Entity_TableEntry:
		return p.readEntry(e.TableEntry)
	case *p4.Entity_PacketReplicationEngineEntry:
		if g := e.PacketReplicationEngineEntry.GetMulticastGroupEntry(); g != nil {
			return readGroup(g), nil
		}
	case *p4.Entity_ActionProfileMember:
		return p.readMember(e.ActionProfileMember)
	case *p4.Entity_ActionProfileGroup:
		return p.readMemberGroup(e.ActionProfileGroup)
	case *p4.Entity_RegisterEntry:
		return p.readRegister(e.RegisterEntry)
	case *p4.Entity_CounterEntry:
		return p.readCounter(e.CounterEntry)
	case *p4.Entity_MeterEntry:
		return p.readMeter(e.MeterEntry)
	case *p4.Entity_DigestEntry:
		return p.readDigest(e.DigestEntry)
	}
	return nil, fmt.Errorf("entity %T: not in this syntax", e.GetEntity())
}

func (s *Statement) attribute(name, value string) {
	s.Attributes = append(s.Attributes, Pair{name, value})
}

func (s *Statement) metadata(b []byte) {
	if len(b) > 0 {
		s.attribute("metadata", "0x"+hex.EncodeToString(b))
	}
}

// counts adds what a counter has counted, in the units of its kind.
func (s *Statement) counts(d *p4.CounterData, spec *p4config.CounterSpec) {
	if d == nil {
		return
	}
	if spec.GetUnit() != p4config.CounterSpec_BYTES {
		s.attribute("packets", strconv.FormatInt(d.GetPacketCount(), 10))
	}
	if spec.GetUnit() != p4config.CounterSpec_PACKETS {
		s.attribute("bytes", strconv.FormatInt(d.GetByteCount(), 10))
	}
}

func unknown(kind string, id uint32) error {
	return fmt.Errorf("%s id %#x: not in the p4info of the pipeline", kind, id)
}

func (p *Program) readEntry(e *p4.TableEntry) (*Statement, error) {
	t := p.tables[e.GetTableId()]
	if t == nil {
		return nil, unknown("table", e.GetTableId())
	}
	s := &Statement{Name: called(t), Constant: e.GetIsConst()}
	if e.GetIsDefaultAction() {
		s.Subject = Default
		s.Constant = s.Constant || t.GetConstDefaultActionId() != 0
	}
	byID := map[uint32]*p4.FieldMatch{}
	for _, m := range e.GetMatch() {
		byID[m.GetFieldId()] = m
	}
	for _, f := range t.GetMatchFields() { // in the order of the program
		m := byID[f.GetId()]
		if m == nil {
			continue
		}
		delete(byID, f.GetId())
		text, err := fieldText(m, f)
		if err != nil {
			return nil, fmt.Errorf("table %s: key %s: %w", s.Name, f.GetName(), err)
		}
		s.Keys = append(s.Keys, Pair{f.GetName(), text})
	}
	for id := range byID {
		return nil, fmt.Errorf("table %s: %w", s.Name, unknown("match field", id))
	}
	if e.GetAction() != nil {
		if err := p.readDoes(s, t, e.GetAction()); err != nil {
			return nil, fmt.Errorf("table %s: %w", s.Name, err)
		}
	}
	if e.GetPriority() != 0 {
		s.attribute("priority", strconv.Itoa(int(e.GetPriority())))
	}
	if ns := e.GetIdleTimeoutNs(); ns != 0 {
		s.attribute("idle", time.Duration(ns).String())
	}
	s.metadata(e.GetMetadata())
	s.counts(e.GetCounterData(), p.direct[e.GetTableId()].GetSpec())
	s.readSet(e.GetAction().GetActionProfileActionSet())
	return s, nil
}

// fieldText is what a key must be.
func fieldText(m *p4.FieldMatch, f *p4config.MatchField) (string, error) {
	form := formOf(f.GetName(), f.GetBitwidth(), f.GetAnnotations())
	switch k := m.GetFieldMatchType().(type) {
	case *p4.FieldMatch_Exact_:
		return form.text(k.Exact.GetValue()), nil
	case *p4.FieldMatch_Optional_:
		return form.text(k.Optional.GetValue()), nil
	case *p4.FieldMatch_Lpm:
		return fmt.Sprintf("%s/%d", form.text(k.Lpm.GetValue()), k.Lpm.GetPrefixLen()), nil
	case *p4.FieldMatch_Range_:
		lo, hi := form.text(k.Range.GetLow()), form.text(k.Range.GetHigh())
		if lo == hi {
			return lo, nil
		}
		return lo + ".." + hi, nil
	case *p4.FieldMatch_Ternary_:
		mask := new(big.Int).SetBytes(k.Ternary.GetMask())
		v := form.text(k.Ternary.GetValue())
		switch n := prefixOf(mask, int(f.GetBitwidth())); {
		case n == int(f.GetBitwidth()):
			return v, nil
		case n > 0 && widths[form] > 0 && form != mac:
			return fmt.Sprintf("%s/%d", v, n), nil
		}
		if form == decimal {
			form = hexadecimal
			v = form.text(k.Ternary.GetValue())
		}
		return v + " &&& " + form.text(k.Ternary.GetMask()), nil
	}
	return "", fmt.Errorf("match of kind %T: not in this syntax", m.GetFieldMatchType())
}

// prefixOf is the length of the prefix that a mask is, -1 if it is none.
func prefixOf(mask *big.Int, width int) int {
	low := width
	for i := range width {
		if mask.Bit(i) == 1 {
			low = i
			break
		}
	}
	n := 0
	for _, w := range mask.Bits() {
		n += bits.OnesCount(uint(w))
	}
	if n != width-low {
		return -1
	}
	return n
}

func readGroup(g *p4.MulticastGroupEntry) *Statement {
	s := &Statement{Subject: Group, Name: strconv.FormatUint(uint64(g.GetMulticastGroupId()), 10)}
	for _, r := range g.GetReplicas() {
		x := Replica{Port: r.GetEgressPort(), Instance: r.GetInstance()} //nolint:staticcheck // what another client may have written
		if b := r.GetPort(); len(b) > 0 {
			x.Port = portNumber(b)
		}
		for _, o := range r.GetBackupReplicas() {
			x.Others = append(x.Others, Replica{Port: portNumber(o.GetPort()), Instance: o.GetInstance()})
		}
		s.Replicas = append(s.Replicas, x)
	}
	s.metadata(g.GetMetadata())
	return s
}

func portNumber(b []byte) uint32 { return uint32(new(big.Int).SetBytes(b).Uint64()) }

func (p *Program) readRegister(e *p4.RegisterEntry) (*Statement, error) {
	r := p.registers[e.GetRegisterId()]
	if r == nil {
		return nil, unknown("register", e.GetRegisterId())
	}
	fields, err := p.fields(r)
	if err != nil {
		return nil, err
	}
	s := &Statement{Subject: Register, Name: called(r), Index: cell(e.GetIndex().GetIndex(), nil)}
	list := e.GetData().GetStruct().GetMembers()
	if len(fields) == 1 && fields[0].name == "" {
		list = []*p4.P4Data{e.GetData()}
	}
	if len(list) != len(fields) {
		return nil, fmt.Errorf("register %s: %d fields, the program's has %d", s.Name, len(list), len(fields))
	}
	for i, f := range fields {
		name := f.name
		if name == "" {
			name = called(r)
		}
		s.Keys = append(s.Keys, Pair{f.name, formOf(name, f.width, r.GetPreamble().GetAnnotations()).text(list[i].GetBitstring())})
	}
	return s, nil
}

func (p *Program) readCounter(e *p4.CounterEntry) (*Statement, error) {
	c := p.counters[e.GetCounterId()]
	if c == nil {
		return nil, unknown("counter", e.GetCounterId())
	}
	s := &Statement{Subject: Counter, Name: called(c), Index: cell(e.GetIndex().GetIndex(), p.cells[e.GetCounterId()])}
	s.counts(e.GetData(), c.GetSpec())
	return s, nil
}

func (p *Program) readMeter(e *p4.MeterEntry) (*Statement, error) {
	m := p.meters[e.GetMeterId()]
	if m == nil {
		return nil, unknown("meter", e.GetMeterId())
	}
	s := &Statement{Subject: Meter, Name: called(m), Index: cell(e.GetIndex().GetIndex(), nil)}
	c := e.GetConfig()
	if c == nil {
		s.attribute("none", "")
		return s, nil
	}
	for _, a := range []struct {
		name string
		v    int64
	}{{"cir", c.GetCir()}, {"cburst", c.GetCburst()}, {"pir", c.GetPir()}, {"pburst", c.GetPburst()}} {
		s.attribute(a.name, strconv.FormatInt(a.v, 10))
	}
	return s, nil
}

func (p *Program) readDigest(e *p4.DigestEntry) (*Statement, error) {
	d := p.digests[e.GetDigestId()]
	if d == nil {
		return nil, unknown("digest", e.GetDigestId())
	}
	s := &Statement{Subject: Digest, Name: called(d)}
	s.attribute("max_list", strconv.Itoa(int(e.GetConfig().GetMaxListSize())))
	s.attribute("max_wait", time.Duration(e.GetConfig().GetMaxTimeoutNs()).String())
	s.attribute("ack", time.Duration(e.GetConfig().GetAckTimeoutNs()).String())
	return s, nil
}
