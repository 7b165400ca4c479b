package p4rt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// stored is a table entry, or the default entry of a table, as the target has it. What a client reads back is made of it (readable):
// there may be millions of entries.
type stored struct {
	table     *tableSchema
	target    dataplane.Entry
	seq       uint64  // order of insertion
	beside    *beside // nil: nothing
	isDefault bool
	isConst   bool
}

// beside is what a client has written beside an entry, and reads back.
type beside struct {
	metadata           []byte
	controllerMetadata uint64
}

// besideOf is what is beside an entry that a client writes.
func besideOf(e *p4.TableEntry) *beside {
	b := beside{e.GetMetadata(), e.GetControllerMetadata()} //nolint:staticcheck // deprecated, but echoed for old clients
	if len(b.metadata) == 0 && b.controllerMetadata == 0 {
		return nil
	}
	return &b
}

// key is what makes two entries of a table the same.
func (s *stored) key() string { return entryKey(s.target.Matches, s.target.Priority) }

func entryKey(matches []dataplane.Match, priority int32) string {
	k := binary.AppendVarint(make([]byte, 0, 64), int64(priority))
	for _, m := range matches {
		k = append(binary.AppendUvarint(k, uint64(len(m.Value))), m.Value...)
		k = append(binary.AppendUvarint(k, uint64(len(m.Mask))), m.Mask...)
		k = binary.AppendUvarint(k, uint64(m.PrefixLen))
	}
	return string(k)
}

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

// parts is what of a table entry is looked at.
type parts int

const (
	matchOnly    parts = iota // reads: the priority may be left out
	keyOnly                   // DELETE: the rest may be anything
	allButAction              // MODIFY without an action
	everything
)

// decodeEntry validates the parts of a table entry that is not a default entry.
func (s *schema) decodeEntry(e *p4.TableEntry, want parts) (*stored, error) {
	t := s.tables[e.GetTableId()]
	if t == nil {
		return nil, noSuch("table", e.GetTableId())
	}
	out := &stored{table: t, beside: besideOf(e)}
	out.target = dataplane.Entry{Table: t.src, Priority: e.GetPriority()}
	switch {
	case want == matchOnly && e.GetPriority() == 0:
	case t.priority && e.GetPriority() <= 0:
		return nil, invalid("table %q: priority %d: the table needs one above 0", t.name, e.GetPriority())
	case !t.priority && e.GetPriority() != 0:
		return nil, invalid("table %q: priority %d: a table with exact and lpm fields only has none", t.name, e.GetPriority())
	}
	switch ns := e.GetIdleTimeoutNs(); {
	case want <= keyOnly: // a client deletes or reads what it was told of, time-out and all
	case e.GetTimeSinceLastHit() != nil:
		return nil, invalid("table %q: time_since_last_hit is read-only", t.name)
	case ns < 0:
		return nil, invalid("table %q: idle_timeout_ns: %d is negative", t.name, ns)
	case ns > 0 && !t.src.IdleTimeout:
		return nil, invalid("table %q: idle_timeout_ns: the table has no idle timeout", t.name)
	default:
		out.target.IdleTimeout = time.Duration(ns)
	}
	if want > keyOnly {
		if err := checkMeter(t, e); err != nil {
			return nil, err
		}
	}
	if err := t.decodeMatches(e.GetMatch(), out); err != nil {
		return nil, err
	}
	if want != everything {
		return out, nil
	}
	decode := func(a *p4.TableAction) (*dataplane.Action, error) { return t.decodeAction(a, false) }
	if t.src.Indirect != nil && e.GetAction().GetType() != nil {
		decode = t.decodeReference
	}
	act, err := decode(e.GetAction())
	if err != nil {
		return nil, err
	}
	out.target.Action = *act
	return out, nil
}

// checkMeter refuses what is about the direct meter of a table that has none, and what no meter has.
func checkMeter(t *tableSchema, e *p4.TableEntry) error {
	switch {
	case e.GetMeterConfig() != nil && t.src.Meter == nil:
		return invalid("table %q: meter_config: the table has no direct meter", t.name)
	case e.GetMeterCounterData() != nil:
		return errMeterCounts(fmt.Sprintf("table %q", t.name))
	}
	return nil
}

func noSuch(kind string, id uint32) error {
	return invalid("%s id %#x: not in the p4info of the pipeline", kind, id)
}

func (t *tableSchema) decodeMatches(match []*p4.FieldMatch, out *stored) error {
	byKey := make([]*p4.FieldMatch, len(t.fields))
	for _, m := range match {
		i, ok := t.byField[m.GetFieldId()]
		if !ok {
			return invalid("%s: match field id %d: there is none", t.what(), m.GetFieldId())
		}
		if byKey[i] != nil {
			return invalid("%s: match field %q: given twice", t.what(), t.fields[i].name)
		}
		byKey[i] = m
	}
	out.target.Matches = make([]dataplane.Match, 0, len(t.fields))
	for i, f := range t.fields {
		m, err := f.decode(byKey[i])
		if err != nil {
			return status.Errorf(status.Code(err), "%s: match field %q: %s", t.what(), f.name, status.Convert(err).Message())
		}
		out.target.Matches = append(out.target.Matches, m)
	}
	return nil
}

// decode validates one match field; m is nil when the request leaves it out.
func (f *fieldSchema) decode(m *p4.FieldMatch) (dataplane.Match, error) {
	n := (f.width + 7) / 8
	if m == nil {
		switch f.match {
		case ir.Exact:
			return dataplane.Match{}, invalid("missing (an exact field must be given)")
		case ir.Range:
			return dataplane.Match{Value: make([]byte, n), Mask: ones(f.width)}, nil
		}
		return dataplane.Match{Value: make([]byte, n), Mask: make([]byte, n)}, nil
	}
	switch k := m.GetFieldMatchType().(type) {
	case *p4.FieldMatch_Exact_:
		if f.match != ir.Exact {
			break
		}
		v, err := fixed(k.Exact.GetValue(), f.width, "value")
		if err != nil {
			return dataplane.Match{}, err
		}
		return dataplane.Match{Value: v}, nil
	case *p4.FieldMatch_Lpm:
		if f.match != ir.LPM {
			break
		}
		v, err := fixed(k.Lpm.GetValue(), f.width, "value")
		if err != nil {
			return dataplane.Match{}, err
		}
		n := int(k.Lpm.GetPrefixLen())
		switch {
		case n <= 0:
			return dataplane.Match{}, invalid("prefix_len %d (leave the field out to match everything)", n)
		case n > f.width:
			return dataplane.Match{}, invalid("prefix_len %d of a field of %d bits", n, f.width)
		case beyond(v, f.width, n):
			return dataplane.Match{}, invalid("value %x has bits beyond its prefix of %d", v, n)
		}
		return dataplane.Match{Value: v, Mask: make([]byte, len(v)), PrefixLen: n}, nil
	case *p4.FieldMatch_Ternary_:
		if f.match != ir.Ternary {
			break
		}
		v, err := fixed(k.Ternary.GetValue(), f.width, "value")
		if err != nil {
			return dataplane.Match{}, err
		}
		mask, err := fixed(k.Ternary.GetMask(), f.width, "mask")
		if err != nil {
			return dataplane.Match{}, err
		}
		if isZero(mask) {
			return dataplane.Match{}, invalid("mask 0 (leave the field out to match everything)")
		}
		for i := range v {
			if v[i]&^mask[i] != 0 {
				return dataplane.Match{}, invalid("value %x has bits outside its mask %x", v, mask)
			}
		}
		return dataplane.Match{Value: v, Mask: mask}, nil
	case *p4.FieldMatch_Range_:
		if f.match != ir.Range {
			break
		}
		lo, err := fixed(k.Range.GetLow(), f.width, "low")
		if err != nil {
			return dataplane.Match{}, err
		}
		hi, err := fixed(k.Range.GetHigh(), f.width, "high")
		if err != nil {
			return dataplane.Match{}, err
		}
		switch {
		case bytes.Compare(lo, hi) > 0:
			return dataplane.Match{}, invalid("low %x is above high %x", lo, hi)
		case isZero(lo) && bytes.Equal(hi, ones(f.width)):
			return dataplane.Match{}, invalid("the whole range (leave the field out to match everything)")
		}
		return dataplane.Match{Value: lo, Mask: hi}, nil
	case *p4.FieldMatch_Optional_:
		if f.match != ir.Optional {
			break
		}
		v, err := fixed(k.Optional.GetValue(), f.width, "value")
		if err != nil {
			return dataplane.Match{}, err
		}
		return dataplane.Match{Value: v, Mask: ones(f.width)}, nil
	}
	return dataplane.Match{}, invalid("match of kind %T, the field is %s", m.GetFieldMatchType(), f.match)
}

// decodeAction validates the action of an entry, or of a default entry.
func (t *tableSchema) decodeAction(ta *p4.TableAction, isDefault bool) (*dataplane.Action, error) {
	k, ok := ta.GetType().(*p4.TableAction_Action)
	switch {
	case ta.GetType() == nil:
		return nil, invalid("table %q: action: missing", t.name)
	case !ok:
		if t.src.Indirect != nil {
			return nil, invalid("table %q: action: the default entry has an action of its own", t.name)
		}
		return nil, invalid("table %q: action: the table has no action profile", t.name)
	}
	return t.decodeCall(k.Action, isDefault)
}

// decodeCall validates an action with its data.
func (t *tableSchema) decodeCall(call *p4.Action, isDefault bool) (*dataplane.Action, error) {
	sc, ok := t.actions[call.GetActionId()]
	switch {
	case !ok:
		return nil, invalid("table %q: action id %#x: not one of the table's actions", t.name, call.GetActionId())
	case sc.defaultOnly && !isDefault:
		return nil, status.Errorf(codes.PermissionDenied, "table %q: action %q: is only for the default entry", t.name, sc.act.name)
	case sc.tableOnly && isDefault:
		return nil, status.Errorf(codes.PermissionDenied, "table %q: action %q: is not for the default entry", t.name, sc.act.name)
	}
	a := sc.act
	args := make([][]byte, len(a.params))
	for _, p := range call.GetParams() {
		i, ok := a.byParam[p.GetParamId()]
		if !ok {
			return nil, invalid("table %q: action %q: parameter id %d: the action has none", t.name, a.name, p.GetParamId())
		}
		if args[i] != nil {
			return nil, invalid("table %q: action %q: parameter %q: given twice", t.name, a.name, a.params[i].name)
		}
		v, err := fixed(p.GetValue(), a.params[i].width, fmt.Sprintf("table %q: action %q: parameter %q", t.name, a.name, a.params[i].name))
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	for i, v := range args {
		if v == nil {
			return nil, invalid("table %q: action %q: parameter %q: missing", t.name, a.name, a.params[i].name)
		}
	}
	return &dataplane.Action{Action: sc.src, Args: args}, nil
}

// encode is an action as read back.
func (a *actionSchema) encode(args [][]byte) *p4.TableAction {
	out := &p4.Action{ActionId: a.id}
	for i, v := range args {
		out.Params = append(out.Params, &p4.Action_Param{ParamId: a.params[i].id, Value: canonical(v)})
	}
	return &p4.TableAction{Type: &p4.TableAction_Action{Action: out}}
}

// programCall is an action call of the program text, as read back; nil when
// the table's actions do not list it (a table without a default action).
func (t *tableSchema) programCall(s *schema, c ir.ActionCall) *p4.TableAction {
	if c.Action == nil {
		return nil
	}
	a := s.byAction[c.Action.Name]
	if a == nil {
		return nil
	}
	return a.encode(dataplane.ProgramAction(c).Args)
}

// programEntries are the entries of the program text.
func (t *tableSchema) programEntries(s *schema) ([]*stored, error) {
	var out []*stored
	for _, e := range t.src.Entries {
		msg := &p4.TableEntry{
			TableId: t.id, Priority: int32(e.Priority), Action: t.programCall(s, e.Action),
			IsConst: t.src.ConstEntries || e.Const,
		}
		for i, m := range dataplane.ProgramEntry(t.src, e).Matches {
			if f := t.fields[i].encode(m); f != nil {
				msg.Match = append(msg.Match, f)
			}
		}
		st, err := s.decodeEntry(msg, everything)
		if err != nil {
			return nil, fmt.Errorf("program entry at %s: %w", e.Pos, err)
		}
		st.isConst = msg.IsConst
		out = append(out, st)
	}
	return out, nil
}

// constant reads the entries of a table whose entries are const, once.
func (t *tableSchema) constant(s *schema) error {
	if t.consts != nil {
		return nil
	}
	list, err := t.programEntries(s)
	if err != nil {
		return err
	}
	t.consts = make(map[string]*stored, len(list))
	for i, e := range list {
		e.seq = uint64(i) + 1
		t.consts[e.key()] = e
	}
	return nil
}

// readable is an entry as an answer to a read, in canonical form and without counter data. It is the caller's.
func (st *state) readable(s *stored) *p4.TableEntry {
	t := s.table
	out := &p4.TableEntry{
		TableId: t.id, Priority: s.target.Priority, IdleTimeoutNs: int64(s.target.IdleTimeout),
		IsDefaultAction: s.isDefault, IsConst: s.isConst,
	}
	if t.src.Indirect != nil && !s.isDefault {
		out.Action = st.references(t, s.target.Action)
	} else {
		out.Action = t.encodeAction(s.target.Action)
	}
	for i, m := range s.target.Matches {
		if f := t.fields[i].encode(m); f != nil {
			out.Match = append(out.Match, f)
		}
	}
	if b := s.beside; b != nil {
		out.Metadata, out.ControllerMetadata = bytes.Clone(b.metadata), b.controllerMetadata //nolint:staticcheck // echoed for old clients
	}
	return out
}
