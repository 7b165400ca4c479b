package gen

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// fixedMembers are the members of keys, values and digests that are no P4 fields.
var fixedMembers = []string{"action", "number", "prefix", "pad_"}

// layout places fields in a struct behind `start` bytes: by size, largest
// first, so that none is padded. The size is a multiple of 4 (8 when a field
// has 8 bytes).
func layout(start int, names []string, widths []int) ([]Slot, int) {
	slots, members := make([]Slot, len(names)), newScope(fixedMembers...)
	order := make([]int, len(names))
	align := 4
	for i, w := range widths {
		slots[i] = Slot{Name: names[i], Width: w, Size: cSize(w), Member: members.name("", names[i])}
		if isWide(w) {
			slots[i].Size = 8 * limbs(w)
		}
		if slots[i].Size >= 8 {
			align = 8
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return slots[b].Size - slots[a].Size })
	// Four bytes of header leave a gap in front of an 8-byte field, which is padding.
	at := roundUp(start, align)
	for _, i := range order {
		slots[i].Offset = at
		at += slots[i].Size
	}
	return slots, roundUp(at, align)
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

// keyBits is how many bits a table's keys have together.
func keyBits(t *ir.Table) (n int) {
	for _, k := range t.Keys {
		n += k.Width
	}
	return n
}

// kindOf is how a table is looked up.
func (l Layout) kindOf(t *ir.Table) TableKind {
	count := map[ir.MatchKind]int{}
	for _, k := range t.Keys {
		count[k.Match]++
	}
	width, lpm := keyBits(t), count[ir.LPM]
	switch {
	case len(t.Keys) == 0, t.ConstEntries && t.Counter == nil && !t.HasCells() && (width <= maxIndexBits || len(t.Entries) <= 32):
		return TableConst
	case count[ir.Ternary]+count[ir.Range]+count[ir.Optional] > 0 || lpm > 1:
		return TableList
	case lpm == 1:
		return TableLPM
	case width <= maxArrayBits && t.Size >= 1<<width, l == Records && width <= maxIndexBits && t.Size >= minArray && 16*t.Size >= 1<<width:
		return TableIndex
	}
	return TableHash
}

func (d *Description) describeTable(t *ir.Table, alias string) *Table {
	dt := &Table{Table: t, Name: t.Name, Alias: alias, Size: t.Size, Kind: d.layout.kindOf(t)}
	if d.shared && dt.Kind == TableIndex { // arrays of many sizes
		dt.Kind = TableHash
	}
	for _, k := range t.Keys {
		if isWide(k.Width) && k.Match == ir.Range {
			d.fail(k.Pos, "table %s: range key %s has %d bits (at most 64 on XDP)", t.Name, k.Name, k.Width)
		}
	}
	if dt.Kind != TableConst {
		dt.Map = "t_" + alias
	}
	d.placeKey(dt)
	d.placeActions(dt)
	if t.IdleTimeout && dt.Kind != TableConst {
		dt.Idle = dt.ValueSize
		dt.ValueSize += 16
	}
	if (t.Counter != nil || t.HasCells()) && dt.Kind != TableConst {
		dt.Cell = dt.ValueSize
		dt.ValueSize += 8
	}
	if dt.Kind == TableIndex && d.layout == Records {
		dt.ValueSize = inLines(dt.ValueSize)
	}
	if !t.ConstDefault {
		dt.Default = "d_" + alias
	}
	if d.shared {
		if dt.Kind != TableConst {
			dt.KeySize = powerOfTwo(dt.KeySize)
		}
		if dt.Kind != TableConst || dt.Default != "" {
			dt.ValueSize = powerOfTwo(dt.ValueSize)
		}
		d.share(dt)
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

// placeKey puts a table's keys into the key of its map.
func (d *Description) placeKey(dt *Table) {
	t := dt.Table
	switch dt.Kind {
	case TableLPM:
		d.placePrefix(dt)
	case TableIndex: // one number: their bits one after the other
		dt.Size = 1 << keyBits(t)
		if t.Size < dt.Size {
			dt.Size = 1 << bits.Len(uint(t.Size-1))
			dt.Rest = "x_" + dt.Alias
		}
		for _, k := range t.Keys {
			dt.Key = append(dt.Key, Slot{Name: k.Name, Width: k.Width, Size: 4})
		}
		dt.KeySize = 4
	case TableHash, TableList:
		if dt.Kind == TableList && t.Size > maxList {
			d.fail(t.Pos, "table %s: %d entries with ternary, range or optional keys (at most %d on XDP, which searches them one by one)", t.Name, t.Size, maxList)
		}
		var names []string
		var widths []int
		for _, k := range t.Keys {
			names, widths = append(names, k.Name), append(widths, k.Width)
		}
		dt.Key, dt.KeySize = layout(0, names, widths)
		if dt.Kind == TableList {
			dt.KeySize = roundUp(dt.KeySize, 8)
		}
	}
}

// placePrefix puts keys behind the length of a prefix, that of which it is one last.
func (d *Description) placePrefix(dt *Table) {
	t, members := dt.Table, newScope(fixedMembers...)
	at := 4 // the length is a u32
	dt.Key = make([]Slot, len(t.Keys))
	for _, match := range []bool{false, true} {
		for i, k := range t.Keys {
			if (k.Match == ir.LPM) == match {
				n := (k.Width + 7) / 8
				dt.Key[i] = Slot{Name: k.Name, Width: k.Width, Offset: at, Size: n, Member: members.name("", k.Name)}
				at += n
			}
		}
	}
	dt.KeySize = roundUp(at, 4)
}

// placeActions puts the parameters of a table's actions into the value of its map.
func (d *Description) placeActions(dt *Table) {
	members := newScope("action", "size", "before_hit_", "hit", "idle_timeout", "before_cell_", "cell")
	for _, ref := range dt.Table.Actions {
		var names []string
		var widths []int
		for _, p := range ref.Action.Params {
			names, widths = append(names, p.Name), append(widths, p.Type.Width)
		}
		params, size := layout(4, names, widths)
		last := lastPart(ref.Action.Name)
		dt.Actions = append(dt.Actions, TableAction{
			Action: ref.Action, Name: ref.Action.Name, Member: members.name("", last), Const: d.top.name("a_", dt.Alias+"_"+last), Params: params,
		})
		dt.ValueSize = max(dt.ValueSize, size)
	}
	// One size for all: a table may have 8-byte parameters in one action only.
	dt.ValueSize = roundUp(dt.ValueSize, 8)
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
func (d *Description) placeRegisters(p *ir.Program, by indexes) {
	var names, controls []string
	for _, r := range p.Registers {
		names = append(names, r.Name)
		if c := controlOf(r.Name); !slices.Contains(controls, c) {
			controls = append(controls, c)
		}
	}
	alias, control := aliases(names), aliases(controls)
	for _, r := range p.Registers {
		width := 0
		for _, f := range r.Fields {
			width += f.Type.Width
		}
		if width > 64 {
			d.fail(r.Pos, "register %s: elements of %d bits (at most 64 can be changed at once)", r.Name, width)
			continue
		}
		rows := d.rowsFor(r, control)
		dr := &Register{Register: r, Name: r.Name, Alias: alias[r.Name], Rows: rows, Array: rows.Var, Member: rows.members.name("", lastPart(r.Name)), Size: r.Size, CellSize: 4}
		if width > 32 {
			dr.CellSize = 8
		}
		rows.Registers = append(rows.Registers, dr)
		d.Registers = append(d.Registers, dr)
		d.registers[r] = dr
	}
	if d.layout == Records {
		d.regroup(by)
	}
	total := 0
	for _, rows := range d.Rows {
		rows.place()
		if total += rows.bytes(); total > maxRegisters {
			r := rows.Registers[0]
			d.fail(r.Register.Pos, "register %s: with it all registers take %d bytes (at most %d on XDP)", r.Name, total, maxRegisters)
			return
		}
	}
	// The largest ones get a map of their own when not all fit into .bss.
	for total > maxBss {
		var largest *Rows
		for _, rows := range d.Rows {
			if !rows.Mapped && (largest == nil || rows.bytes() > largest.bytes()) {
				largest = rows
			}
		}
		largest.Mapped = true
		total -= largest.bytes()
		largest.RowSize = roundUp(largest.RowSize, 8) // the step of a map
	}
}

// rowsFor are the rows of a register: those of its control that are as many.
func (d *Description) rowsFor(r *ir.Register, control map[string]string) *Rows {
	c := controlOf(r.Name)
	name := control[c]
	for _, x := range d.Rows {
		if x.Control == c && x.Size == r.Size {
			return x
		}
		if x.Control == c {
			name = fmt.Sprintf("%s_of_%d", control[c], r.Size)
		}
	}
	rows := &Rows{Var: d.top.name("r_", name), Control: c, Size: r.Size, members: newScope()}
	d.Rows = append(d.Rows, rows)
	return rows
}

// place puts the cells of a row one after the other.
func (x *Rows) place() {
	// The small cells first: what all packets look at lies with the first of the
	// large ones, of which a packet may look at some only.
	slices.SortStableFunc(x.Registers, func(a, b *Register) int { return a.CellSize - b.CellSize })
	align := 0
	for _, r := range x.Registers {
		align = r.CellSize
		r.Offset = roundUp(x.RowSize, align)
		x.RowSize = r.Offset + align
	}
	x.align(align)
}

// align rounds rows up whose cells have a size: two CPUs that change two of them do not share a cache line.
func (x *Rows) align(cell int) {
	x.Align = cacheLine
	for x.Align > cell && x.Align/2 >= x.RowSize {
		x.Align /= 2
	}
	x.RowSize = roundUp(x.RowSize, x.Align)
}

func (x *Rows) bytes() int { return x.Size * x.RowSize }

// cacheLine is the size of a processor's cache line.
const cacheLine = 64

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// inLines is the size of a record that has room for n bytes, and that lies in as few cache lines as can be when many follow each
// other.
func inLines(n int) int {
	if n >= cacheLine {
		return roundUp(n, cacheLine)
	}
	return 1 << bits.Len(uint(n-1))
}

// controlOf is the name of the control that a register is declared in.
func controlOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, lastPart(name)), ".")
}
