package gen

import (
	"github.com/p4ce/p4ce/p4/lang/ir"
	"slices"
)

// TableKind says how a table is looked up.
type TableKind string

const (
	// TableHash: all keys exact; a hash map from key to value.
	TableHash TableKind = "hash"
	// TableIndex: exact keys of few bits together, with room for all their values, or for a large part; an
	// array that they index, the bits of the first key highest. Where there is no entry, the value's action is
	// 0; actions are numbered from 1 in it. Keys beyond the array are in a hash map, Rest, with such values.
	TableIndex TableKind = "index"
	// TableLPM: one lpm key, any number of exact ones; an LPM trie whose key
	// is the exact fields, then the lpm field, in network byte order.
	TableLPM TableKind = "lpm"
	// TableList: ternary, range or optional keys; an array of entries in
	// order of priority, replaced as a whole (array of one map).
	TableList TableKind = "list"
	// TableConst: const entries compiled into the program; no map.
	TableConst TableKind = "const"
)

// maxList is the largest table that is searched entry by entry, and maxLoop that which is searched in a loop of the program: the
// verifier walks through it. A larger one has the kernel call a function for each entry.
const maxList, maxLoop = 16384, 256

// maxIndexBits is the widest key of a constant table that becomes an array.
const maxIndexBits = 16

// maxArrayBits is the widest key of a table that becomes an array map.
const maxArrayBits = 12

// minArray is the smallest table that becomes an array map without room for all its keys: a smaller one is in the cache, whatever it
// is. It must have room for a sixteenth of them.
const minArray = 256

// Slot is a field in a key or value: an unsigned number in the machine's byte
// order (network byte order in the key of an LPM table).
type Slot struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`  // bits
	Offset int    `json:"offset"` // bytes
	Size   int    `json:"size"`   // bytes: 1, 2, 4 or 8; more than 64 bits: 8-byte words, the least significant first; LPM keys: ceil(width/8)
	Member string `json:"member"` // of the C struct
}

// Table describes the map of a table.
type Table struct {
	Table *ir.Table `json:"-"`
	Name  string    `json:"name"` // control-plane name
	Alias string    `json:"alias"`
	Kind  TableKind `json:"kind"`
	Map   string    `json:"map,omitempty"`
	Size  int       `json:"size"`
	// Rest is, of a TableIndex of which Map has no room for all keys, the hash map with the entries of those from Size on. Both
	// together have as many entries as the program says at most.
	Rest string `json:"rest,omitempty"`

	// Key has one slot per key element, in P4 order. KeySize includes the
	// 4-byte prefix length of an LPM key and the padding at the end (zero).
	Key     []Slot `json:"key,omitempty"`
	KeySize int    `json:"key_size,omitempty"`
	// ListEntry: an entry of a TableList is {valid u64, value key, mask key,
	// value}: the key twice (KeySize each; for a range, low and high), then
	// the value. Entries behind the last are not valid.
	Actions   []TableAction `json:"actions"`
	ValueSize int           `json:"value_size,omitempty"`
	// Idle is where, in a value of a table with idle time-outs, the time of the last hit
	// lies (ns of CLOCK_MONOTONIC, 8 bytes), and behind it the entry's time-out (ns; what
	// the control plane has set, no program reads it). 0: the table has none.
	Idle int `json:"idle,omitempty"`
	// Cell is where, in a value of a table with a direct counter, the number of the entry's cell lies (4 bytes, from 1). Cell 0 is
	// that of the default action. 0: the table has none.
	Cell int `json:"cell,omitempty"`
	// Default is the map with the default action in its only element, ""
	// when it is constant.
	Default string `json:"default,omitempty"`
	// Shape is, of a program with very many tables, the array of maps that the table's map is in, Element where; nil: it is in none. The
	// list of a TableList is that element of Map. DefaultElement is where in Default the default action is.
	Shape          *Shape `json:"shape,omitempty"`
	Element        int    `json:"element,omitempty"`
	DefaultElement int    `json:"default_element,omitempty"`

	lookup string   // the C function that finds an entry
	args   []string // of a uniform table: the functions that find the arguments
	calls  []string // of another indexed table: the C name of what each entry runs
}

// TableAction is an action of a table: its number is its position, and what
// the value's first four bytes hold.
type TableAction struct {
	Action *ir.Action `json:"-"`
	Name   string     `json:"name"`
	Member string     `json:"member"` // of the C union: its parameters
	Const  string     `json:"const"`  // its number in C
	Params []Slot     `json:"params,omitempty"`
}

// Register describes where a register's elements lie: each is a cell of
// CellSize bytes, aligned to its size. Fields lie in the cell one after the
// other, most significant first in one number.
type Register struct {
	Register *ir.Register `json:"-"`
	Name     string       `json:"name"`
	Alias    string       `json:"alias"`
	Rows     *Rows        `json:"-"`
	Array    string       `json:"array"`     // Rows.Var
	Member   string       `json:"member"`    // of a row
	Offset   int          `json:"offset"`    // bytes, in a row
	Size     int          `json:"size"`      // elements: as many as rows
	CellSize int          `json:"cell_size"` // 4 or 8
}

// Rows is an array in the object's section .bss, or a map: row i is a record of the elements i of
// registers that have equal sizes, so that those that a packet looks at together lie in the same
// cache lines: all that one variable indexes, or all of one control; or of counters. Those are per CPU: the
// row of CPU c for index i is c * Stride + i, and who loads the object makes the map as large as that needs.
type Rows struct {
	Var       string      `json:"var"`
	Control   string      `json:"control,omitempty"` // "": of several
	Index     string      `json:"index,omitempty"`   // the variable; "": several
	PerCPU    bool        `json:"per_cpu,omitempty"`
	Stride    int         `json:"stride,omitempty"` // rows of a CPU: Size, and what fills a cache line
	Size      int         `json:"size"`             // rows
	RowSize   int         `json:"row_size"`         // bytes
	Mapped    bool        `json:"mapped,omitempty"`
	Align     int         `json:"-"` // bytes, a power of two
	Registers []*Register `json:"-"` // in the order of their offsets
	Counters  []*Counter  `json:"-"` // the same; only if PerCPU
	members   scope
	index     *ir.Var
}

// maxBss is the largest .bss that Linux 5.15 takes, in bytes.
const maxBss = 4 << 20

// maxRegisters is how many bytes all registers may take: all that a Tofino has.
const maxRegisters = 16 << 20

// Counter describes an indexed counter: cells {packets, bytes} of each CPU. They are in rows, or, if Rows is nil, in a per-CPU array.
type Counter struct {
	Counter *ir.Counter `json:"-"`
	Name    string      `json:"name"`
	Alias   string      `json:"alias"`
	Rows    *Rows       `json:"-"`
	Map     string      `json:"map"`
	Member  string      `json:"member,omitempty"` // of a row
	Offset  int         `json:"offset,omitempty"` // bytes, in a row
	Size    int         `json:"size"`
	Cells   []Cell      `json:"cells,omitempty"` // those that have a name
}

// Meter describes an indexed meter: an array of struct p4_meter (p4xdp_meter.h).
type Meter struct {
	Meter *ir.Meter `json:"-"`
	Name  string    `json:"name"`
	Alias string    `json:"alias"`
	Map   string    `json:"map"`
	Size  int       `json:"size"`
}

// Filter describes an indexed or direct filter: an array of struct p4_filter (p4xdp_filter.h).
type Filter struct {
	Filter *ir.Filter `json:"-"`
	Name   string     `json:"name"`
	Map    string     `json:"map"`
	Size   int        `json:"size"`
}

// FilterSize is the size of struct p4_filter in bytes.
const FilterSize = 64

// MeterSize is the size of struct p4_meter in bytes.
const MeterSize = 80

// Cell is a cell of a counter that the program has a name for: a constant of the type
// that indexes the counter.
type Cell struct {
	Index int64  `json:"index"`
	Name  string `json:"name"`
}

// Digest describes a record in the ring buffer "digests": the digest's number
// (4 bytes), then Fields.
type Digest struct {
	Digest *ir.Digest `json:"-"`
	Name   string     `json:"name"`
	Number int        `json:"number"`
	Struct string     `json:"struct"` // in C
	Fields []Slot     `json:"fields"`
	Size   int        `json:"size"`
}

// Description is what the user-space side must know of an object.
type Description struct {
	Program   string      `json:"program"`
	Tables    []*Table    `json:"tables"`
	Rows      []*Rows     `json:"rows"`
	Registers []*Register `json:"registers"`
	Counters  []*Counter  `json:"counters"`
	Meters    []*Meter    `json:"meters,omitempty"`
	Filters   []*Filter   `json:"filters,omitempty"`
	Digests   []*Digest   `json:"digests"`
	// Shapes and Defaults are what the tables of a program with very many of them share.
	Shapes   []*Shape        `json:"shapes,omitempty"`
	Defaults []*DefaultArray `json:"defaults,omitempty"`
	// BridgeSize is the number of bytes of bridged header in the metadata.
	BridgeSize int `json:"bridge_size"`
	// Both says that a packet may go to a port and a group, Bypass that it may leave
	// as the ingress made it.
	Both   bool `json:"both"`
	Bypass bool `json:"bypass"`
	// Ordered says that one CPU must handle all packets: the program says so (@ordered in front of its
	// package), because what leaves by a port must leave in the order in which the program has seen it.
	Ordered bool `json:"ordered,omitempty"`

	layout             Layout
	shared             bool // tables share maps
	bridgeIn, bridgeEg *ir.HeaderInst
	bridgeState        *ir.State // of the egress parser, which extracts it
	actions            map[*ir.Action]string
	tables             map[*ir.Table]*Table
	registers          map[*ir.Register]*Register
	counters           map[*ir.Counter]*Counter
	meters             map[*ir.Meter]*Meter
	filters            map[*ir.Filter]*Filter
	digests            map[*ir.Digest]*Digest
	errors             ir.Errors
	crcs               map[uint32]string // tables of CRCs, by polynomial
	constants          map[string]string // of the program that the C names: their values
	top                scope             // functions, constants and variables of the C
}

// MetaSize is the number of bytes of XDP metadata: struct p4_meta and the
// bridged header, rounded up to 8.
func (d *Description) MetaSize() int { return (metaFixed + d.BridgeSize + 7) &^ 7 }

// Sizes of struct p4_meta (p4xdp_forward.h) and struct p4_test (p4xdp_test.h).
const metaFixed, testFixed = 16, 16

// Table returns the description of a table.
func (d *Description) Table(t *ir.Table) *Table { return d.tables[t] }

// Register returns the description of a register.
func (d *Description) Register(r *ir.Register) *Register { return d.registers[r] }

// Counter returns the description of a counter.
func (d *Description) Counter(c *ir.Counter) *Counter { return d.counters[c] }

// Meter returns the description of a meter.
func (d *Description) Meter(m *ir.Meter) *Meter { return d.meters[m] }

// Filter returns the description of a filter.
func (d *Description) Filter(f *ir.Filter) *Filter { return d.filters[f] }

// Describe lays out the maps of a program in the usual way. The error is an ir.Errors.
func Describe(p *ir.Program) (*Description, error) { return Records.Describe(p) }

// Describe lays out the maps of a program. The error is an ir.Errors.
func (l Layout) Describe(p *ir.Program) (*Description, error) {
	d := l.describe(p)
	if err := d.err(); err != nil {
		return nil, err
	}
	return d, nil
}

// describe is Describe with what cannot be done in the description.
func (l Layout) describe(p *ir.Program) *Description {
	d := l.place(p, false)
	if d.tooManyMaps(p) {
		d = l.place(p, true)
		d.checkMaps(p)
	}
	return d
}

// place is describe; in a program with too many tables they share maps.
func (l Layout) place(p *ir.Program, shared bool) *Description {
	d := &Description{
		layout:    l,
		shared:    shared,
		Program:   p.Name,
		actions:   map[*ir.Action]string{},
		tables:    map[*ir.Table]*Table{},
		registers: map[*ir.Register]*Register{},
		counters:  map[*ir.Counter]*Counter{},
		meters:    map[*ir.Meter]*Meter{},
		filters:   map[*ir.Filter]*Filter{},
		digests:   map[*ir.Digest]*Digest{},
		crcs:      map[uint32]string{},
		top:       newScope(),
		Both:      p.Ingress.Var(ir.IntrUcastPort) != nil && p.Ingress.Var(ir.IntrMcastA) != nil,
		Bypass:    p.Ingress.Var(ir.IntrBypassEgr) != nil,
		Ordered:   slices.ContainsFunc(p.Annotations, func(a ir.Annotation) bool { return a.Name == "ordered" }),
	}
	var names []string
	for _, t := range p.Tables {
		names = append(names, t.Name)
	}
	alias := aliases(names)
	names = nil
	for _, a := range p.Actions {
		names = append(names, a.Name)
	}
	for n, a := range aliases(names) {
		for _, x := range p.Actions {
			if x.Name == n {
				d.actions[x] = a
			}
		}
	}
	for _, t := range p.Tables {
		dt := d.describeTable(t, alias[t.Name])
		d.Tables = append(d.Tables, dt)
		d.tables[t] = dt
	}

	by := indexes{}
	if l == Records {
		by = indexesOf(p)
	}
	d.placeRegisters(p, by)

	names = nil
	for _, c := range p.Counters {
		names = append(names, c.Name)
	}
	alias = aliases(names)
	for _, c := range p.Counters {
		if c.Size == 0 {
			continue
		}
		dc := &Counter{Counter: c, Name: c.Name, Alias: alias[c.Name], Map: "c_" + alias[c.Name], Size: c.Size}
		for _, v := range p.IndexValues(c) {
			dc.Cells = append(dc.Cells, Cell{v.Value.Int64(), v.Short})
		}
		d.Counters = append(d.Counters, dc)
		d.counters[c] = dc
	}

	if l == Records {
		d.placeCounters(by)
	}
	for _, c := range p.Counters {
		if c.Size > 0 || c.Table == nil {
			continue
		}
		// A cell for each entry, whose number is in its value.
		dc := &Counter{Counter: c, Name: c.Name, Alias: alias[c.Name], Map: "c_" + alias[c.Name], Size: c.Table.Size + 1}
		d.Counters = append(d.Counters, dc)
		d.counters[c] = dc
	}

	names = nil
	for _, m := range p.Meters {
		names = append(names, m.Name)
	}
	alias = aliases(names)
	for _, m := range p.Meters {
		dm := &Meter{Meter: m, Name: m.Name, Alias: alias[m.Name], Map: "m_" + alias[m.Name], Size: m.Size}
		d.Meters = append(d.Meters, dm)
		d.meters[m] = dm
	}

	names = nil
	for _, f := range p.Filters {
		names = append(names, f.Name)
	}
	alias = aliases(names)
	for _, f := range p.Filters {
		df := &Filter{Filter: f, Name: f.Name, Map: "f_" + alias[f.Name], Size: f.Size}
		d.Filters = append(d.Filters, df)
		d.filters[f] = df
	}

	structs := newScope()
	for i, g := range p.Digests {
		dd := &Digest{Digest: g, Name: g.Name, Number: i}
		var widths []ir.FieldType
		widths = append(widths, g.Fields...)
		slots, size := layout(4, fieldNames(widths), fieldWidths(widths))
		dd.Fields, dd.Size = slots, size
		dd.Struct = structs.name("digest_", g.Name)
		d.Digests = append(d.Digests, dd)
		d.digests[g] = dd
	}
	d.findBridge(p)
	return d
}

func fieldNames(f []ir.FieldType) (out []string) {
	for _, x := range f {
		out = append(out, x.Name)
	}
	return
}

func fieldWidths(f []ir.FieldType) (out []int) {
	for _, x := range f {
		out = append(out, x.Type.Width)
	}
	return
}

// ActionNumber returns the number of an action in a table, or -1.
func (t *Table) ActionNumber(a *ir.Action) int {
	for i, x := range t.Actions {
		if x.Action == a {
			return i
		}
	}
	return -1
}

// findBridge looks for the header that the ingress deparser emits first and
// the egress parser extracts first. It travels in the XDP metadata.
func (d *Description) findBridge(p *ir.Program) {
	var first *ir.Emit
	for _, s := range p.Ingress.Deparser {
		if e, ok := s.(*ir.Emit); ok {
			first = e
			break
		}
	}
	extracted := map[*ir.HeaderInst]bool{}
	for _, st := range p.Ingress.Parser.States {
		for _, s := range st.Body {
			if e, ok := s.(*ir.Extract); ok {
				extracted[e.Header] = true
			}
		}
	}
	if first == nil || extracted[first.Header] {
		return // nothing in front of the packet
	}
	if len(p.Egress.Parser.States) == 0 {
		return
	}
	st := p.Egress.Parser.States[0]
	for range p.Egress.Parser.States { // every packet comes to these
		if st.Keys != nil || st.Next.State == nil || ir.Any(st.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.Extract); return ok }) {
			break
		}
		st = st.Next.State
	}
	for _, s := range st.Body {
		if e, ok := s.(*ir.Extract); ok {
			if e.Header.Type != first.Header.Type {
				d.fail(e.Pos, "egress parser: extracts %s first, but the ingress deparser emits %s (%s) first: bridged metadata must be one header, the first on both sides", e.Header.Name, first.Header.Name, first.Header.Type.Name)
				return
			}
			d.bridgeIn, d.bridgeEg, d.bridgeState = first.Header, e.Header, st
			d.BridgeSize = first.Header.Type.Bytes()
			if d.MetaSize() > 248 {
				d.fail(first.Pos, "bridged header %s: %d bytes (XDP metadata holds at most %d)", first.Header.Name, d.BridgeSize, 248-metaFixed)
			}
			return
		}
	}
	if !slices.ContainsFunc(p.Egress.Parser.States, func(s *ir.State) bool {
		return ir.Any(s.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.Extract); return ok })
	}) {
		return // the egress looks at no header: it is one more of the packet
	}
	d.fail(first.Pos, "ingress deparser: emits %s, which the egress parser does not extract first", first.Header.Name)
}
