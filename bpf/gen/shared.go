package gen

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// The kernel lets a program refer to 64 maps. A program with more tables than that shares them:
//
//	table -> its map -> program                    of most programs
//	table -> its map -> maps of that shape -> program    of those with very many tables
//
// The maps of one shape (kind, size of key and value) are the elements of an array of maps, which is one map for the kernel;
// the program looks up the table's map first. Default actions with values of one size are elements of one array. Keys and values are
// rounded up to powers of two, so that there are few shapes. For whoever writes entries, a table has its map as ever.

// maxMaps is how many maps a program of the kernel may refer to, and fixedMaps how many of them p4xdp's headers have, with the object's
// sections.
const maxMaps, fixedMaps = 64, 14

// Shape is an array of the maps of tables that have one shape.
type Shape struct {
	Map    string   `json:"map"`
	Tables []*Table `json:"-"` // in the order of the elements
}

// DefaultArray is an array of the default actions of tables whose values have one size.
type DefaultArray struct {
	Map       string   `json:"map"`
	ValueSize int      `json:"value_size"`
	Tables    []*Table `json:"-"`
}

// mapsOf counts the maps that the program of a gress refers to.
func (d *Description) mapsOf(g *ir.Gress) int {
	names := map[string]bool{}
	for _, t := range d.Tables {
		if t.Table.Gress != g {
			continue
		}
		for _, m := range []string{t.Map, t.Rest, t.Default} {
			names[m] = m != ""
		}
		if t.Shape != nil {
			delete(names, t.Map)
			names[t.Shape.Map] = true
		}
	}
	delete(names, "")
	n := fixedMaps + len(names)
	for _, r := range d.Rows {
		if r.Mapped {
			n++
		}
	}
	for _, c := range d.Counters {
		if c.Rows == nil && c.Counter.Gress == g {
			n++
		}
	}
	for _, m := range d.Meters {
		if m.Meter.Gress == g {
			n++
		}
	}
	for _, f := range d.Filters {
		if f.Filter.Gress == g {
			n++
		}
	}
	return n
}

// checkMaps refuses a program that refers to too many maps.
func (d *Description) checkMaps(p *ir.Program) {
	for _, g := range []*ir.Gress{p.Ingress, p.Egress} {
		n := d.mapsOf(g)
		if n <= maxMaps {
			continue
		}
		var pos ir.Pos
		for _, t := range d.Tables {
			if t.Table.Gress == g {
				pos = t.Table.Pos
			}
		}
		d.fail(pos, "the tables, counters and meters of the %s need %d maps (at most %d in a program on XDP): index counters by one variable, or join tables", g.Name, n, maxMaps)
	}
}

// tooManyMaps reports whether a gress refers to more maps than the kernel allows.
func (d *Description) tooManyMaps(p *ir.Program) bool {
	return d.mapsOf(p.Ingress) > maxMaps || d.mapsOf(p.Egress) > maxMaps
}

// powerOfTwo is n rounded up to a power of two, 8 at least.
func powerOfTwo(n int) int { return max(8, 1<<bits.Len(uint(n-1))) }

// share puts a table's map among those of its shape, and its default action among those of its size.
func (d *Description) share(t *Table) {
	if t.Map != "" {
		key := fmt.Sprintf("%s_%d_%d", t.Kind, t.KeySize, t.ValueSize)
		if t.Kind == TableList {
			key += fmt.Sprintf("_%d", t.Size) // arrays are as large as each other
		}
		name := "s_" + key
		i := slices.IndexFunc(d.Shapes, func(s *Shape) bool { return s.Map == name })
		if i < 0 {
			i = len(d.Shapes)
			d.Shapes = append(d.Shapes, &Shape{Map: name})
		}
		t.Shape, t.Element = d.Shapes[i], len(d.Shapes[i].Tables)
		t.Shape.Tables = append(t.Shape.Tables, t)
		if t.Kind == TableList {
			t.Map = name
		}
	}
	if t.Default != "" {
		i := slices.IndexFunc(d.Defaults, func(s *DefaultArray) bool { return s.ValueSize == t.ValueSize })
		if i < 0 {
			i = len(d.Defaults)
			d.Defaults = append(d.Defaults, &DefaultArray{Map: fmt.Sprintf("d_of_%d", t.ValueSize), ValueSize: t.ValueSize})
		}
		t.Default, t.DefaultElement = d.Defaults[i].Map, len(d.Defaults[i].Tables)
		d.Defaults[i].Tables = append(d.Defaults[i].Tables, t)
	}
}

// declareShapes writes the arrays of maps, and those of default actions, behind the tables.
func (d *Description) declareShapes(o *writer) {
	for _, s := range d.Shapes {
		first := s.Tables[0]
		if first.Kind == TableList {
			continue // with the first of its tables
		}
		kind, flags := "HASH", ""
		if first.Kind == TableLPM {
			kind, flags = "LPM_TRIE", " __uint(map_flags, BPF_F_NO_PREALLOC);"
		}
		o.line("/* The maps of the tables with keys of %d and values of %d bytes. */", first.KeySize, first.ValueSize)
		o.line("struct shape_%s { __uint(type, BPF_MAP_TYPE_%s); __uint(max_entries, 1);%s __uint(key_size, %d); __uint(value_size, %d); };", s.Map, kind, flags, first.KeySize, first.ValueSize)
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, %d); __uint(key_size, 4); __array(values, struct shape_%s); }", len(s.Tables), s.Map)
		o.open("\t%s SEC(\".maps\") = { .values = {", s.Map)
		for i, t := range s.Tables {
			o.line("[%d] = (void *)&%s,", i, t.Map)
		}
		o.close("} };")
		o.line("")
	}
	for _, a := range d.Defaults {
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __uint(key_size, 4); __uint(value_size, %d); }", len(a.Tables), a.ValueSize)
		o.line("\t%s SEC(\".maps\"); /* default actions */", a.Map)
	}
}
