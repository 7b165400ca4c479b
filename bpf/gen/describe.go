package gen

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// TableKind says how a table is looked up.
type TableKind string

const (
	// TableHash: all keys exact; a hash map from key to value.
	TableHash TableKind = "hash"
	// TableIndex: one exact key of few bits, with room for all its values; an
	// array that the key indexes. Where there is no entry, the value's action is
	// 0; actions are numbered from 1 in it.
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

// maxList is the largest table that is searched entry by entry.
const maxList = 256

// maxIndexBits is the widest key of a constant table that becomes an array.
const maxIndexBits = 16

// maxArrayBits is the widest key of a table that becomes an array map.
const maxArrayBits = 12

// Slot is a field in a key or value: an unsigned number in the machine's byte
// order (network byte order in the key of an LPM table).
type Slot struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`  // bits
	Offset int    `json:"offset"` // bytes
	Size   int    `json:"size"`   // bytes: 1, 2, 4 or 8; LPM keys: ceil(width/8)
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
	// Default is the map with the default action in its only element, ""
	// when it is constant.
	Default string `json:"default,omitempty"`
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

// Rows is an array in the object's section .bss: row i has the elements i of
// all registers of one control that have equal sizes, so that those that a
// packet looks at together lie in the same cache lines.
type Rows struct {
	Var       string      `json:"var"`
	Control   string      `json:"control"`
	Size      int         `json:"size"`     // rows
	RowSize   int         `json:"row_size"` // bytes
	Registers []*Register `json:"-"`        // in the order of their offsets
	members   scope
}

// maxRegisters is how many bytes all registers may take: the largest .bss that
// Linux 5.15 takes.
const maxRegisters = 4 << 20

// Counter describes an indexed counter: a per-CPU array of {packets, bytes}.
type Counter struct {
	Counter *ir.Counter `json:"-"`
	Name    string      `json:"name"`
	Alias   string      `json:"alias"`
	Map     string      `json:"map"`
	Size    int         `json:"size"`
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
	Digests   []*Digest   `json:"digests"`
	// BridgeSize is the number of bytes of bridged header in the metadata.
	BridgeSize int `json:"bridge_size"`
	// Both says that a packet may go to a port and a group, Bypass that it may leave
	// as the ingress made it.
	Both   bool `json:"both"`
	Bypass bool `json:"bypass"`

	bridgeIn, bridgeEg *ir.HeaderInst
	actions            map[*ir.Action]string
	tables             map[*ir.Table]*Table
	registers          map[*ir.Register]*Register
	counters           map[*ir.Counter]*Counter
	digests            map[*ir.Digest]*Digest
	errors             Errors
	top                scope // functions, constants and variables of the C
}

// MetaSize is the number of bytes of XDP metadata: struct p4_meta and the
// bridged header, rounded up to 8.
func (d *Description) MetaSize() int { return (metaFixed + d.BridgeSize + 7) &^ 7 }

// Sizes of struct p4_meta and struct p4_test in p4xdp.h.
const metaFixed, testFixed = 16, 16

// Table returns the description of a table.
func (d *Description) Table(t *ir.Table) *Table { return d.tables[t] }

// Register returns the description of a register.
func (d *Description) Register(r *ir.Register) *Register { return d.registers[r] }

// Counter returns the description of a counter.
func (d *Description) Counter(c *ir.Counter) *Counter { return d.counters[c] }

// Describe lays out the maps of a program. The error is an Errors.
func Describe(p *ir.Program) (*Description, error) {
	d := describe(p)
	if err := d.err(); err != nil {
		return nil, err
	}
	return d, nil
}

// describe is Describe with what cannot be done in the description.
func describe(p *ir.Program) *Description {
	d := &Description{
		Program:   p.Name,
		actions:   map[*ir.Action]string{},
		tables:    map[*ir.Table]*Table{},
		registers: map[*ir.Register]*Register{},
		counters:  map[*ir.Counter]*Counter{},
		digests:   map[*ir.Digest]*Digest{},
		top:       newScope(),
		Both:      p.Ingress.Var(ir.IntrUcastPort) != nil && p.Ingress.Var(ir.IntrMcastA) != nil,
		Bypass:    p.Ingress.Var(ir.IntrBypassEgr) != nil,
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
		if dt == nil {
			continue
		}
		d.Tables = append(d.Tables, dt)
		d.tables[t] = dt
	}

	d.placeRegisters(p)

	names = nil
	for _, c := range p.Counters {
		names = append(names, c.Name)
	}
	alias = aliases(names)
	for _, c := range p.Counters {
		if c.Size == 0 {
			d.fail(c.Pos, "direct counter %s: not supported on XDP; use an indexed counter", c.Name)
			continue
		}
		dc := &Counter{Counter: c, Name: c.Name, Alias: alias[c.Name], Map: "c_" + alias[c.Name], Size: c.Size}
		d.Counters = append(d.Counters, dc)
		d.counters[c] = dc
	}

	structs := newScope()
	for i, g := range p.Digests {
		dd := &Digest{Digest: g, Name: g.Name, Number: i}
		var widths []ir.FieldType
		widths = append(widths, g.Fields...)
		slots, size, err := layout(4, fieldNames(widths), fieldWidths(widths))
		if err != nil {
			d.fail(g.Pos, "digest %s: %v", g.Name, err)
			continue
		}
		dd.Fields, dd.Size = slots, size
		dd.Struct = structs.name("digest_", g.Name)
		d.Digests = append(d.Digests, dd)
		d.digests[g] = dd
	}
	d.findBridge(p)
	return d
}

// placeRegisters puts the registers into rows.
func (d *Description) placeRegisters(p *ir.Program) {
	var names, controls []string
	for _, r := range p.Registers {
		names = append(names, r.Name)
		if c := controlOf(r.Name); !slices.Contains(controls, c) {
			controls = append(controls, c)
		}
	}
	alias, control := aliases(names), aliases(controls)
	for _, r := range p.Registers {
		bits := 0
		for _, f := range r.Fields {
			bits += f.Type.Width
		}
		if bits > 64 {
			d.fail(r.Pos, "register %s: elements of %d bits (at most 64 can be changed at once)", r.Name, bits)
			continue
		}
		c := controlOf(r.Name)
		i := slices.IndexFunc(d.Rows, func(x *Rows) bool { return x.Control == c && x.Size == r.Size })
		if i < 0 {
			i = len(d.Rows)
			name := control[c]
			if slices.ContainsFunc(d.Rows, func(x *Rows) bool { return x.Control == c }) {
				name = fmt.Sprintf("%s_of_%d", name, r.Size)
			}
			d.Rows = append(d.Rows, &Rows{Var: d.top.name("r_", name), Control: c, Size: r.Size, members: newScope()})
		}
		dr := &Register{Register: r, Name: r.Name, Alias: alias[r.Name], Rows: d.Rows[i], Array: d.Rows[i].Var, Member: d.Rows[i].members.name("", lastPart(r.Name)), Size: r.Size, CellSize: 4}
		if bits > 32 {
			dr.CellSize = 8
		}
		d.Rows[i].Registers = append(d.Rows[i].Registers, dr)
		d.Registers = append(d.Registers, dr)
		d.registers[r] = dr
	}
	total := 0
	for _, rows := range d.Rows {
		// The large cells first: no padding between them.
		slices.SortStableFunc(rows.Registers, func(a, b *Register) int { return b.CellSize - a.CellSize })
		for _, r := range rows.Registers {
			r.Offset = rows.RowSize
			rows.RowSize += r.CellSize
		}
		align := rows.Registers[0].CellSize
		rows.RowSize = (rows.RowSize + align - 1) / align * align
		total += rows.Size * rows.RowSize
		if total > maxRegisters {
			r := rows.Registers[0]
			d.fail(r.Register.Pos, "register %s: with it all registers take %d bytes (at most %d on XDP)", r.Name, total, maxRegisters)
			return
		}
	}
}

// controlOf is the name of the control that a register is declared in.
func controlOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, lastPart(name)), ".")
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

// fixedMembers are the members of keys, values and digests that are no P4 fields.
var fixedMembers = []string{"action", "number", "prefix", "pad_"}

// layout places fields in a struct behind `start` bytes: by size, largest
// first, so that none is padded. The size is a multiple of 4 (8 when a field
// has 8 bytes).
func layout(start int, names []string, widths []int) ([]Slot, int, error) {
	slots, members := make([]Slot, len(names)), newScope(fixedMembers...)
	order := make([]int, len(names))
	align := 4
	for i, w := range widths {
		if w > 64 {
			return nil, 0, fmt.Errorf("field %s: %d bits (at most 64)", names[i], w)
		}
		slots[i] = Slot{Name: names[i], Width: w, Size: cSize(w), Member: members.name("", names[i])}
		if slots[i].Size == 8 {
			align = 8
		}
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return slots[order[a]].Size > slots[order[b]].Size })
	at := start
	// Four bytes of header leave a gap in front of an 8-byte field: fill it
	// with what fits, else leave it to padding.
	if start%align != 0 {
		at = (start + align - 1) / align * align
	}
	for _, i := range order {
		slots[i].Offset = at
		at += slots[i].Size
	}
	at = (at + align - 1) / align * align
	return slots, at, nil
}

// cSize is the size of the C variable for a number of w bits.
func cSize(w int) int {
	switch {
	case w <= 8:
		return 1
	case w <= 16:
		return 2
	case w <= 32:
		return 4
	}
	return 8
}

func (d *Description) describeTable(t *ir.Table, alias string) *Table {
	dt := &Table{Table: t, Name: t.Name, Alias: alias, Size: t.Size}
	var names []string
	var widths []int
	lpm, ternary, bits := 0, 0, 0
	for _, k := range t.Keys {
		names = append(names, k.Name)
		widths = append(widths, k.Width)
		bits += k.Width
		switch k.Match {
		case ir.LPM:
			lpm++
		case ir.Ternary, ir.Range, ir.Optional:
			ternary++
		}
		if k.Width > 64 {
			d.fail(k.Pos, "table %s: key %s has %d bits (at most 64)", t.Name, k.Name, k.Width)
		}
	}
	switch {
	case len(t.Keys) == 0:
		dt.Kind = TableConst
	case t.ConstEntries && (bits <= maxIndexBits || len(t.Entries) <= 32):
		dt.Kind = TableConst
	case ternary > 0 || lpm > 1:
		dt.Kind = TableList
	case lpm == 1:
		dt.Kind = TableLPM
	case len(t.Keys) == 1 && bits <= maxArrayBits && t.Size >= 1<<bits:
		dt.Kind = TableIndex
	default:
		dt.Kind = TableHash
	}
	var err error
	switch dt.Kind {
	case TableLPM:
		dt.Map = "t_" + alias
		at, members := 4, newScope(fixedMembers...)
		dt.Key = make([]Slot, len(t.Keys))
		place := func(match bool) {
			for i, k := range t.Keys {
				if (k.Match == ir.LPM) == match {
					n := (k.Width + 7) / 8
					dt.Key[i] = Slot{Name: k.Name, Width: k.Width, Offset: at, Size: n, Member: members.name("", k.Name)}
					at += n
				}
			}
		}
		place(false)
		place(true)
		for _, k := range t.Keys {
			if k.Match == ir.LPM && k.Width%8 != 0 {
				d.fail(k.Pos, "table %s: lpm key %s of %d bits (whole bytes only)", t.Name, k.Name, k.Width)
			}
		}
		dt.KeySize = (at + 3) &^ 3 // the prefix length is a u32
	case TableIndex:
		dt.Map = "t_" + alias
		dt.Size = 1 << bits
		dt.Key, dt.KeySize = []Slot{{Name: names[0], Width: widths[0], Size: 4}}, 4
	case TableHash, TableList:
		dt.Map = "t_" + alias
		if dt.Kind == TableList && t.Size > maxList {
			d.fail(t.Pos, "table %s: %d entries with ternary, range or optional keys (at most %d on XDP, which searches them one by one)", t.Name, t.Size, maxList)
		}
		dt.Key, dt.KeySize, err = layout(0, names, widths)
		if err != nil {
			return nil // a key that is too wide
		}
		if dt.Kind == TableList {
			dt.KeySize = (dt.KeySize + 7) &^ 7
		}
	}
	members := newScope("action", "size", "before_hit_", "hit", "idle_timeout")
	for _, ref := range t.Actions {
		var n []string
		var w []int
		for _, p := range ref.Action.Params {
			n = append(n, p.Name)
			w = append(w, p.Type.Width)
		}
		params, size, err := layout(4, n, w)
		if err != nil {
			d.fail(ref.Action.Pos, "action %s: %v", ref.Action.Name, err)
			return nil
		}
		dt.Actions = append(dt.Actions, TableAction{Action: ref.Action, Name: ref.Action.Name, Member: members.name("", lastPart(ref.Action.Name)), Const: d.top.name("a_", alias+"_"+lastPart(ref.Action.Name)), Params: params})
		dt.ValueSize = max(dt.ValueSize, size)
	}
	// One size for all: a table may have 8-byte parameters in one action only.
	dt.ValueSize = (dt.ValueSize + 7) &^ 7
	if t.IdleTimeout && dt.Kind != TableConst {
		dt.Idle = dt.ValueSize
		dt.ValueSize += 16
	}
	if !t.ConstDefault {
		dt.Default = "d_" + alias
	}
	return dt
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
	for _, s := range p.Egress.Parser.States[0].Body {
		if e, ok := s.(*ir.Extract); ok {
			if e.Header.Type != first.Header.Type {
				d.fail(e.Pos, "egress parser: extracts %s first, but the ingress deparser emits %s (%s) first: bridged metadata must be one header, the first on both sides", e.Header.Name, first.Header.Name, first.Header.Type.Name)
				return
			}
			d.bridgeIn, d.bridgeEg = first.Header, e.Header
			d.BridgeSize = first.Header.Type.Bytes()
			if d.MetaSize() > 248 {
				d.fail(first.Pos, "bridged header %s: %d bytes (XDP metadata holds at most %d)", first.Header.Name, d.BridgeSize, 248-metaFixed)
			}
			return
		}
	}
	d.fail(first.Pos, "ingress deparser: emits %s, which the egress parser's start state does not extract first", first.Header.Name)
}
