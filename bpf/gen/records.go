package gen

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Layout says where what a program keeps per index lies in memory. What a packet reads and writes, and what P4Runtime sees, does
// not depend on it.
type Layout int

const (
	// Records puts what one variable indexes into one record per index, so that a packet touches few cache lines: registers,
	// for all CPUs; counters, a record per index and CPU. A table whose key is a small number has its entries at that number.
	Records Layout = iota
	// Separate has a map for each table and each counter, and the registers of one control together: to compare with.
	Separate
)

// Layouts are all of them, the usual one first.
var Layouts = []Layout{Records, Separate}

// indexes are registers (*ir.Register) and counters (*ir.Counter) that one variable indexes wherever the program uses them, and
// that variable.
type indexes map[any]*ir.Var

func indexesOf(p *ir.Program) indexes {
	out, several := indexes{}, map[any]bool{}
	note := func(x any, e ir.Expr) {
		// An action's parameter is another one in each entry.
		ref, ok := e.(*ir.Ref)
		if !ok || ref.Var.Kind == ir.Param || out[x] != nil && out[x] != ref.Var {
			several[x] = true
			return
		}
		out[x] = ref.Var
	}
	for _, g := range []*ir.Gress{p.Ingress, p.Egress} {
		e := effectsOf(g.Control)
		e.stmts(g.Deparser)
		for _, st := range g.Parser.States {
			e.stmts(st.Body)
		}
		for i, r := range e.registers {
			note(r, e.indexes[i])
		}
		for i, c := range e.counters {
			note(c, e.counted[i])
		}
	}
	for x := range several {
		delete(out, x)
	}
	return out
}

// regroup puts registers together that one variable indexes, and which are as many. Others stay with those of their control.
func (d *Description) regroup(by indexes) {
	old := d.Rows
	d.Rows = nil
	for _, rows := range old {
		delete(d.top, rows.Var)
		for _, r := range rows.Registers {
			r.Rows = d.rowsBy(by[r.Register], rows)
			r.Rows.Registers = append(r.Rows.Registers, r)
			if r.Rows.Control != rows.Control {
				r.Rows.Control = ""
			}
		}
	}
	for _, rows := range d.Rows {
		if rows.Control == "" {
			rows.Var = "r_" + lastPart(rows.Index)
		}
		rows.Var = d.top.name("", rows.Var)
		rows.members = newScope()
		for _, r := range rows.Registers {
			r.Array, r.Member = rows.Var, rows.members.name("", lastPart(r.Name))
		}
	}
}

// rowsBy are the rows of a register that a variable indexes, or nothing that is known, and which has been in other ones.
func (d *Description) rowsBy(v *ir.Var, old *Rows) *Rows {
	for _, x := range d.Rows {
		if x.index == v && x.Size == old.Size && (v != nil || x.Control == old.Control) {
			return x
		}
	}
	rows := &Rows{Var: old.Var, Control: old.Control, Size: old.Size, index: v}
	if v != nil {
		rows.Index = v.Name
	}
	d.Rows = append(d.Rows, rows)
	return rows
}

// counterSize is the size of struct p4_counter.
const counterSize = 16

// placeCounters puts counters into rows, a row per index and CPU.
func (d *Description) placeCounters(by indexes) {
	for _, c := range d.Counters {
		v := by[c.Counter]
		i := slices.IndexFunc(d.Rows, func(x *Rows) bool { return x.PerCPU && v != nil && x.index == v && x.Size == c.Size })
		if i < 0 {
			rows := &Rows{Size: c.Size, PerCPU: true, Mapped: true, index: v, members: newScope()}
			if v != nil {
				rows.Index = v.Name
			}
			d.Rows = append(d.Rows, rows)
			i = len(d.Rows) - 1
		}
		c.Rows = d.Rows[i]
		c.Offset = len(c.Rows.Counters) * counterSize
		c.Member = c.Rows.members.name("", lastPart(c.Name))
		c.Rows.Counters = append(c.Rows.Counters, c)
	}
	for _, rows := range d.Rows {
		if !rows.PerCPU {
			continue
		}
		rows.Var = "c_" + rows.Counters[0].Alias
		if len(rows.Counters) > 1 {
			rows.Var = d.top.name("c_", "by_"+lastPart(rows.Index))
		}
		for _, c := range rows.Counters {
			c.Map = rows.Var
		}
		rows.RowSize = len(rows.Counters) * counterSize
		rows.align(counterSize)
		rows.Stride = roundUp(rows.Size, max(1, cacheLine/rows.RowSize))
	}
}

// Print writes where everything lies that a packet may look at: of each object its index, its record, and the offset and cache line
// in it.
func (d *Description) Print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "OBJECT\tINDEX\tRECORD\tBYTES\tOFFSET\tLINE")
	for _, rows := range d.Rows {
		name, index := rows.Var, rows.Index
		if index == "" {
			index = "-"
		}
		if rows.PerCPU {
			name += ", per CPU"
		}
		name = fmt.Sprintf("%s[%d], %d B", name, rows.Size, rows.RowSize)
		for _, r := range rows.Registers {
			fmt.Fprintf(t, "register %s\t%s\t%s\t%d\t%d\t%d\n", r.Name, index, name, r.CellSize, r.Offset, r.Offset/cacheLine)
		}
		for _, c := range rows.Counters {
			fmt.Fprintf(t, "counter %s\t%s\t%s\t%d\t%d\t%d\n", c.Name, index, name, counterSize, c.Offset, c.Offset/cacheLine)
		}
	}
	for _, c := range d.Counters {
		if c.Rows == nil {
			fmt.Fprintf(t, "counter %s\t-\t%s[%d], per CPU\t%d\t-\t-\n", c.Name, c.Map, c.Size, counterSize)
		}
	}
	for _, x := range d.Tables {
		x.print(t)
	}
	return t.Flush()
}

func (t *Table) print(w io.Writer) {
	var keys []string
	for _, k := range t.Table.Keys {
		keys = append(keys, k.Name)
	}
	index := strings.Join(keys, ", ")
	switch t.Kind {
	case TableConst:
		fmt.Fprintf(w, "table %s\t-\tin the program\t-\t-\t-\n", t.Name)
	case TableIndex:
		rest := ""
		if t.Rest != "" {
			rest = ", others " + t.Rest
		}
		fmt.Fprintf(w, "table %s\t%s\t%s[%d], %d B%s\t%d\t0\t0\n", t.Name, index, t.Map, t.Size, t.ValueSize, rest, t.ValueSize)
	default:
		fmt.Fprintf(w, "table %s\t%s\t%s, %s of %d\t%d\t-\t-\n", t.Name, index, t.Map, t.Kind, t.Size, t.ValueSize)
	}
}
