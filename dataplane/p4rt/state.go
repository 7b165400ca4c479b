package p4rt

import (
	"slices"

	p4 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// state is a pipeline and what has been written to it.
type state struct {
	*schema
	pipeline *dataplane.Pipeline
	config   *p4.ForwardingPipelineConfig
	entries  map[*tableSchema]map[string]*stored
	defaults map[*tableSchema]*stored // set by a client; absent: the program's
	groups   map[uint16]*p4.MulticastGroupEntry
	backups  map[uint16][]chain // of the groups that have some
	digests  map[uint32]*p4.DigestEntry
	profiles map[*ir.Profile]*profile
	members  map[*tableSchema][]*stored // of value sets, in the order in which they were given
	ager     *ager
	seq      uint64
}

func newState(sch *schema, pl *dataplane.Pipeline, config *p4.ForwardingPipelineConfig) (*state, error) {
	st := &state{
		schema: sch, pipeline: pl, config: config,
		entries:  map[*tableSchema]map[string]*stored{},
		defaults: map[*tableSchema]*stored{},
		groups:   map[uint16]*p4.MulticastGroupEntry{},
		backups:  map[uint16][]chain{},
		digests:  map[uint32]*p4.DigestEntry{},
		profiles: newProfiles(sch.prog),
		members:  map[*tableSchema][]*stored{},
		ager:     newAger(),
	}
	for _, t := range sch.tables {
		if t.src.ConstEntries { // nobody changes them: all states of the schema share them
			if err := t.constant(sch); err != nil {
				return nil, err
			}
			st.entries[t] = t.consts
			continue
		}
		st.entries[t] = map[string]*stored{}
		list, err := t.programEntries(sch)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			st.put(e)
		}
	}
	return st, nil
}

func (st *state) put(e *stored) {
	if e.seq == 0 {
		st.seq++
		e.seq = st.seq
	}
	st.entries[e.table][e.key()] = e
}

// list returns the entries of a table in order of insertion.
func (st *state) list(t *tableSchema) []*stored {
	out := make([]*stored, 0, len(st.entries[t]))
	for _, e := range st.entries[t] {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *stored) int { return int(a.seq) - int(b.seq) })
	return out
}

// defaultEntry is the default entry as read back; nil when the table has no
// default action.
func (st *state) defaultEntry(t *tableSchema) *p4.TableEntry {
	if d := st.defaults[t]; d != nil {
		return st.readable(d)
	}
	act := t.programCall(st.schema, t.src.Visible().Default)
	if act == nil {
		return nil
	}
	return &p4.TableEntry{TableId: t.id, Action: act, IsDefaultAction: true, IsConst: t.src.Visible().ConstDefault}
}

// counterData is a counter as read back. Kinds that count one of both leave
// the other zero.
func counterData(c *ir.Counter, v dataplane.Counter) *p4.CounterData {
	out := &p4.CounterData{}
	if c.Kind != ir.Bytes {
		out.PacketCount = int64(v.Packets)
	}
	if c.Kind != ir.Packets {
		out.ByteCount = int64(v.Bytes)
	}
	return out
}

func counterValue(d *p4.CounterData) dataplane.Counter {
	return dataplane.Counter{Packets: uint64(d.GetPacketCount()), Bytes: uint64(d.GetByteCount())}
}

// encodeData is a register element or a digest message: a bit string for one
// unnamed field, else a struct.
func encodeData(fields []ir.FieldType, values [][]byte) *p4.P4Data {
	if len(fields) == 1 && fields[0].Name == "" {
		return &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: canonical(values[0])}}
	}
	s := &p4.P4StructLike{}
	for _, v := range values {
		s.Members = append(s.Members, &p4.P4Data{Data: &p4.P4Data_Bitstring{Bitstring: canonical(v)}})
	}
	return &p4.P4Data{Data: &p4.P4Data_Struct{Struct: s}}
}

// decodeData validates a register element.
func decodeData(what string, fields []ir.FieldType, d *p4.P4Data) ([][]byte, error) {
	scalar := func(name string, f ir.FieldType, d *p4.P4Data) ([]byte, error) {
		b, ok := d.GetData().(*p4.P4Data_Bitstring)
		if !ok {
			return nil, invalid("%s: a bitstring is needed", name)
		}
		return fixed(b.Bitstring, f.Type.Width, name)
	}
	if len(fields) == 1 && fields[0].Name == "" {
		v, err := scalar(what, fields[0], d)
		return [][]byte{v}, err
	}
	s, ok := d.GetData().(*p4.P4Data_Struct)
	if !ok || len(s.Struct.GetMembers()) != len(fields) {
		return nil, invalid("%s: a struct of %d members is needed", what, len(fields))
	}
	var out [][]byte
	for i, m := range s.Struct.GetMembers() {
		v, err := scalar(what+": member "+fields[i].Name, fields[i], m)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
