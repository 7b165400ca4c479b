package halves

import (
	"errors"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/p4/lang/ir"
)

// bound says where in the fast half the things of the whole program are, and how the headers of the CPU port are read.
type bound struct {
	tables   map[*ir.Table]*table
	counters map[*ir.Counter]*ir.Counter
	meters   map[*ir.Meter]*ir.Meter

	in, out      header
	port, reason field // of in
	egress       field // of out
	slow         uint64
	frames       [dataplane.MaxPort + 1][]byte // the header of a packet-out, by its port
}

// table is a table of the fast half, with its actions by those of the whole.
type table struct {
	*ir.Table
	actions map[*ir.Action]*ir.Action
}

// errHalves: the two programs are not halves of one.
var errHalves = errors.New("the halves are not of one program")

// bind finds the things of the whole program in the fast half. Both are compiled from one source, so they have their names.
func bind(whole, fast *ir.Program, reason uint64) (*bound, error) {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("program %s: %s: %w", whole.Name, fmt.Sprintf(format, args...), errHalves)
	}
	b := &bound{tables: map[*ir.Table]*table{}, counters: map[*ir.Counter]*ir.Counter{}, meters: map[*ir.Meter]*ir.Meter{}, slow: reason}
	if len(fast.Digests) > 0 || len(fast.Registers) > 0 || len(fast.Filters) > 0 {
		return nil, wrong("program %s has digests, registers or filters, which belong to the slow half", fast.Name)
	}
	for _, f := range fast.Tables {
		if f.ConstEntries {
			continue
		}
		w := find(whole.Tables, func(t *ir.Table) bool { return t.Name == f.Name })
		if w == nil || !slices.EqualFunc(w.Keys, f.Keys, func(a, b *ir.Key) bool { return a.Name == b.Name && a.Width == b.Width && a.Match == b.Match }) {
			return nil, wrong("table %s of program %s is another one", f.Name, fast.Name)
		}
		t := &table{f, map[*ir.Action]*ir.Action{}}
		for _, a := range w.Actions {
			for _, o := range f.Actions {
				if o.Action.Name == a.Action.Name && slices.EqualFunc(o.Action.Params, a.Action.Params, func(a, b *ir.Var) bool { return a.Type.Width == b.Type.Width }) {
					t.actions[a.Action] = o.Action
				}
			}
			if t.actions[a.Action] == nil {
				return nil, wrong("table %s of program %s has another action %s, or none", f.Name, fast.Name, a.Action.Name)
			}
		}
		b.tables[w] = t
	}
	for _, f := range fast.Counters {
		if w := find(whole.Counters, func(c *ir.Counter) bool { return c.Name == f.Name && c.Size == f.Size }); w != nil {
			b.counters[w] = f
		}
	}
	for _, f := range fast.Meters {
		if w := find(whole.Meters, func(m *ir.Meter) bool { return m.Name == f.Name && m.Size == f.Size }); w != nil {
			b.meters[w] = f
		}
	}
	if err := b.headers(whole, fast); err != nil {
		return nil, wrong("%v", err)
	}
	return b, nil
}

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// entry is an entry in the fast half; nil: it does not have the table.
func (b *bound) entry(e *dataplane.Entry) *dataplane.Entry {
	t := b.tables[e.Table]
	if t == nil {
		return nil
	}
	o := *e
	o.Table = t.Table
	o.Action.Action = t.actions[e.Action.Action]
	return &o
}

// header is a header of the CPU port, of at most eight bytes.
type header struct {
	bytes  int
	fields map[string]field
}

// field is where its bits are.
type field struct{ shift, width int }

func (h *header) get(f field, b []byte) uint64 {
	var v uint64
	for _, x := range b[:h.bytes] {
		v = v<<8 | uint64(x)
	}
	return v >> f.shift & (1<<f.width - 1)
}

func headerOf(t *ir.HeaderType) (h header, err error) {
	if t == nil || t.Bytes() > 8 {
		return h, errors.New("it has no headers for the CPU port, or too long ones")
	}
	h = header{bytes: t.Bytes(), fields: map[string]field{}}
	at := 8 * h.bytes
	for _, f := range t.Fields {
		at -= f.Type.Width
		h.fields[f.Name] = field{at, f.Type.Width}
	}
	return h, nil
}

func (b *bound) headers(whole, fast *ir.Program) (err error) {
	if b.in, err = headerOf(fast.PacketIn); err != nil {
		return err
	}
	if b.out, err = headerOf(fast.PacketOut); err != nil {
		return err
	}
	var there [3]bool
	b.port, there[0] = b.in.fields["ingress_port"]
	b.reason, there[1] = b.in.fields["reason"]
	b.egress, there[2] = b.out.fields["egress_port"]
	if there != [3]bool{true, true, true} {
		return errors.New("packet_in has no ingress_port or reason, or packet_out no egress_port")
	}
	for _, h := range [][2]*ir.HeaderType{{whole.PacketIn, fast.PacketIn}, {whole.PacketOut, fast.PacketOut}} {
		if h[0] == nil || !slices.EqualFunc(h[0].Fields, h[1].Fields, func(a, b ir.FieldType) bool { return a.Name == b.Name && a.Type.Width == b.Type.Width }) {
			return errors.New("the headers of the CPU port are others")
		}
	}
	for p := range b.frames {
		v := uint64(p) << b.egress.shift
		for i := range b.out.bytes {
			b.frames[p] = append(b.frames[p], byte(v>>(8*(b.out.bytes-1-i))))
		}
	}
	return nil
}

// header is that of a packet-out to a port.
func (b *bound) header(p dataplane.Port) []byte { return b.frames[p] }

// isSlow reports whether a packet-in is for the slow half.
func (b *bound) isSlow(frame []byte) bool {
	return len(frame) >= b.in.bytes && b.in.get(b.reason, frame) == b.slow
}
