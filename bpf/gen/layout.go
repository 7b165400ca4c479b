package gen

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

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
	case bits <= maxArrayBits && t.Size >= 1<<bits:
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
		for i := range names { // one number: their bits one after the other
			dt.Key = append(dt.Key, Slot{Name: names[i], Width: widths[i], Size: 4})
		}
		dt.KeySize = 4
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
	dt.lookup = d.top.name("lookup_", alias)
	switch {
	case !dt.indexed():
	case dt.uniform():
		d.describeUniform(dt)
	default:
		for n, e := range t.Entries {
			if c := dt.callNumber(n); c < n {
				dt.calls = append(dt.calls, dt.calls[c])
				continue
			}
			dt.calls = append(dt.calls, d.top.name("e_", alias+"_"+lastPart(e.Action.Action.Name)))
		}
	}
	return dt
}

// describeUniform names what finds the arguments of a table's only action.
func (d *Description) describeUniform(t *Table) {
	seen := map[uint64]bool{}
	for _, e := range t.Table.Entries {
		k := e.Keys[0].Value.Uint64()
		if seen[k] {
			d.fail(t.Table.Pos, "table %s: two entries with one key", t.Name)
			return
		}
		seen[k] = true
	}
	for _, p := range t.Table.Entries[0].Action.Action.Params {
		t.args = append(t.args, d.top.name("lookup_", t.Alias+"_"+p.Name))
	}
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
		// The small cells first: what all packets look at lies with the first of the
		// large ones, of which a packet may look at some only.
		slices.SortStableFunc(rows.Registers, func(a, b *Register) int { return a.CellSize - b.CellSize })
		align := 0
		for _, r := range rows.Registers {
			align = r.CellSize
			r.Offset = roundUp(rows.RowSize, align)
			rows.RowSize = r.Offset + align
		}
		// Two CPUs that change two rows do not share a cache line.
		rows.Align = cacheLine
		for rows.Align > align && rows.Align/2 >= rows.RowSize {
			rows.Align /= 2
		}
		rows.RowSize = roundUp(rows.RowSize, rows.Align)
		total += rows.Size * rows.RowSize
		if total > maxRegisters {
			r := rows.Registers[0]
			d.fail(r.Register.Pos, "register %s: with it all registers take %d bytes (at most %d on XDP)", r.Name, total, maxRegisters)
			return
		}
	}
	// The largest ones get a map of their own when not all fit into .bss.
	for total > maxBss {
		largest := -1
		for i, rows := range d.Rows {
			if !rows.Mapped && (largest < 0 || rows.Size*rows.RowSize > d.Rows[largest].Size*d.Rows[largest].RowSize) {
				largest = i
			}
		}
		rows := d.Rows[largest]
		rows.Mapped = true
		total -= rows.Size * rows.RowSize
		rows.RowSize = roundUp(rows.RowSize, 8) // the step of a map
	}
}

// cacheLine is the size of a processor's cache line.
const cacheLine = 64

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// controlOf is the name of the control that a register is declared in.
func controlOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, lastPart(name)), ".")
}
