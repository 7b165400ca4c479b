package gen

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// NAME.tables.h holds what lies outside a packet: of each table its actions, keys,
// values and map, and how it is looked up; registers, counters, meters, digests; and tables of
// constants. It knows nothing of packets: keys are made, and actions run, by
// NAME.bpf.c.

// tablesHeader writes the header.
func tablesHeader(o *writer, d *Description, hashes []*ir.HashGet) {
	o.line("/* Code generated from %s.p4 by p4xc. DO NOT EDIT.", d.Program)
	o.line(" *")
	o.line(" * Tables, registers, counters and digests: what lies outside a packet. Of a table there")
	o.line(" * are the numbers of its actions, and unless all its entries are constant:")
	o.line(" *")
	o.line(" *   struct key_T, union value_T  what is looked up, and an action with its parameters")
	o.line(" *   t_T, x_T, d_T                maps: the entries; those beyond an array; the default action, if it may change")
	if d.shared {
		o.line(" *   s_KIND_SIZES, d_of_SIZE      what tables share: the maps of one shape, default actions of one size")
	}
	o.line(" *   lookup_T(), default_T()      the value of an entry, 0 if none matches; the default one")
	o.line(" */")
	o.line("#pragma once")
	o.line("#include \"p4xdp.h\"")
	if len(d.Meters) > 0 {
		o.line("#include \"p4xdp_meter.h\"")
	}
	if len(d.Filters) > 0 {
		o.line("#include \"p4xdp_filter.h\"")
	}
	if slices.ContainsFunc(hashes, func(s *ir.HashGet) bool { return !sliced(s) && s.Hash.Polynomial != nil }) {
		o.line("#include \"p4xdp_hash.h\"")
	}
	o.line("")
	for _, t := range d.Tables {
		t.declare(o, d.shared)
	}
	d.declareShapes(o)
	for _, t := range d.Tables {
		if d.shared { // behind what they look into
			t.lookupFuncs(o)
		}
	}
	for _, r := range d.Rows {
		rowsDecl(o, r)
	}
	for _, c := range d.Counters {
		if c.Rows != nil {
			continue
		}
		o.line("struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, %d); __type(key, u32); __type(value, struct p4_counter); }", c.Size)
		o.line("\t%s SEC(\".maps\"); /* counter %s */", c.Map, c.Name)
	}
	for _, m := range d.Meters {
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __type(key, u32); __type(value, struct p4_meter); }", m.Size)
		o.line("\t%s SEC(\".maps\"); /* meter %s */", m.Map, m.Name)
	}
	for _, f := range d.Filters {
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __type(key, u32); __type(value, struct p4_filter); }", f.Size)
		o.line("\t%s SEC(\".maps\"); /* filter %s */", f.Map, f.Name)
	}
	if len(d.Digests) > 0 {
		o.line("")
		o.line("struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 1 << 20); }")
		o.line("\tdigests SEC(\".maps\"); /* {number of the digest, its fields} */")
	}
	for _, g := range d.Digests {
		o.open("struct %s { /* %s */", g.Struct, g.Name)
		o.line("u32 number; /* %d */", g.Number)
		slotMembers(o, g.Fields)
		o.close("};")
	}
	d.crcTables(o, hashes)
}

// declare writes everything of a table.
func (t *Table) declare(o *writer, shared bool) {
	o.line("/* table %s%s */", t.Name, posText(t.Table.Pos))
	if len(t.Actions) > 0 {
		o.open("enum {")
		for _, a := range t.Actions {
			o.line("%s,", a.Const)
		}
		o.close("};")
	}
	if t.Kind != TableConst || t.Default != "" {
		t.declareValue(o)
	}
	switch t.Kind {
	case TableConst:
		t.declareIndex(o)
	case TableIndex:
		flags := ""
		if t.ValueSize == inLines(t.ValueSize) {
			flags = " __uint(map_flags, BPF_F_MMAPABLE);" // begins with a page
		}
		t.mapDecl(o, t.Map, "ARRAY", "u32", t.Size, flags, "no entry where the action is 0, else the action + 1")
		if t.Rest != "" {
			t.mapDecl(o, t.Rest, "HASH", "u32", t.Table.Size, " __uint(map_flags, BPF_F_NO_PREALLOC);", "the same for other keys")
		}
	case TableHash:
		t.declareKey(o)
		t.mapDecl(o, t.Map, "HASH", "struct key_"+t.Alias, t.Size, "", "")
	case TableLPM:
		t.declareKey(o)
		t.mapDecl(o, t.Map, "LPM_TRIE", "struct key_"+t.Alias, t.Size, " __uint(map_flags, BPF_F_NO_PREALLOC);", "")
	case TableList:
		t.declareKey(o)
		o.line("struct entry_%s { u64 valid; struct key_%s key, mask; union value_%s value; };", t.Alias, t.Alias, t.Alias)
		o.line("struct list_%s { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __uint(key_size, 4); __uint(value_size, sizeof(struct entry_%s)); };", t.Alias, t.Size, t.Alias)
		switch {
		case t.Shape == nil:
			t.listsDecl(o, 1)
		case t.Element == 0:
			t.listsDecl(o, len(t.Shape.Tables))
		}
	}
	if t.Default != "" && !shared {
		t.mapDecl(o, t.Default, "ARRAY", "u32", 1, "", "default action")
	}
	if !shared {
		t.lookupFuncs(o)
	}
	o.line("")
}

// listsDecl declares the map of n lists of entries, of which that of the table is one.
func (t *Table) listsDecl(o *writer, n int) {
	o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, %d); __uint(key_size, 4); __array(values, struct list_%s); }", n, t.Alias)
	o.line("\t%s SEC(\".maps\"); /* entries in order of priority */", t.Map)
}

// mapDecl declares a map with values of the table.
func (t *Table) mapDecl(o *writer, name, kind, key string, size int, flags, note string) {
	o.line("struct { __uint(type, BPF_MAP_TYPE_%s); __uint(max_entries, %d);%s __type(key, %s); __type(value, union value_%s); }", kind, size, flags, key, t.Alias)
	if note != "" {
		note = " /* " + note + " */"
	}
	o.line("\t%s SEC(\".maps\");%s", name, note)
}

// declareValue declares the parameters of the table's actions.
func (t *Table) declareValue(o *writer) {
	o.open("union value_%s {", t.Alias)
	o.line("u32 action;")
	for _, a := range t.Actions {
		if len(a.Params) == 0 {
			continue
		}
		o.open("struct {")
		o.line("u32 action; /* %s */", a.Const)
		slotMembers(o, a.Params)
		o.close("} %s;", a.Member)
	}
	if t.Idle > 0 {
		o.line("struct { u64 before_hit_[%d], hit, idle_timeout; }; /* ns; hit: when a packet last matched */", t.Idle/8)
	}
	if t.Cell > 0 {
		o.line("struct { u32 before_cell_[%d], cell; }; /* of the direct counter */", t.Cell/4)
	}
	o.line("u64 size[%d];", t.ValueSize/8)
	o.close("};")
}

func (t *Table) declareKey(o *writer) {
	o.open("struct key_%s {", t.Alias)
	end := 0
	if t.Kind == TableLPM {
		o.line("u32 prefix; /* length in bits */")
		for _, s := range inOrder(t.Key) {
			o.line("u8 %s[%d];", s.Member, s.Size)
		}
		end = 4
	} else {
		slotMembers(o, t.Key)
	}
	for _, s := range t.Key {
		end = max(end, s.Offset+s.Size)
	}
	if pad := t.KeySize - end; pad > 0 {
		o.line("u8 pad_[%d];", pad)
	}
	o.close("};")
}

// element declares the key of an element of an array, and returns its name.
func element(o *writer, n int) string {
	name := "zero"
	if n > 0 {
		name = "n"
	}
	o.line("u32 %s = %d;", name, n)
	return name
}

// lookupFuncs writes the functions that find an entry, and the default action.
func (t *Table) lookupFuncs(o *writer) {
	find := fmt.Sprintf("INLINE union value_%s *%s(const struct key_%s *key)\n{", t.Alias, t.lookup, t.Alias)
	switch t.Kind {
	case TableHash, TableLPM:
		o.open("%s", find)
		if t.Shape == nil {
			o.line("return bpf_map_lookup_elem(&%s, key);", t.Map)
		} else {
			o.line("u32 n = %d;", t.Element)
			o.line("void *map = bpf_map_lookup_elem(&%s, &n);", t.Shape.Map)
			o.line("return map ? bpf_map_lookup_elem(map, key) : 0;")
		}
		o.close("}")
	case TableIndex:
		o.open("INLINE union value_%s *%s(const u32 *key)\n{", t.Alias, t.lookup)
		o.line("union value_%s *value = bpf_map_lookup_elem(&%s, key);", t.Alias, t.Map)
		if t.Rest != "" {
			o.line("if (unlikely(!value))")
			o.line("\tvalue = bpf_map_lookup_elem(&%s, key);", t.Rest)
		}
		o.line("if (value && !value->action)")
		o.line("\tvalue = 0;")
		o.line("return value;")
		o.close("}")
	case TableList:
		if t.Size > maxLoop {
			t.callback(o)
		}
		o.open("%s", find)
		which := element(o, t.Element)
		o.line("void *list = bpf_map_lookup_elem(&%s, &%s);", t.Map, which)
		o.line("if (!list)")
		o.line("\treturn 0;")
		if t.Size > maxLoop {
			o.line("struct find_%s find = { .key = *key, .at = ~0U };", t.Alias)
			o.line("bpf_for_each_map_elem(list, match_%s, &find, 0);", t.Alias)
			o.line("struct entry_%s *e = bpf_map_lookup_elem(list, &find.at);", t.Alias)
			o.line("return e ? &e->value : 0;")
			o.close("}")
			break
		}
		o.open("for (u32 i = 0; i < %d; i++) {", t.Size)
		o.line("u32 n = i;")
		o.line("struct entry_%s *e = bpf_map_lookup_elem(list, &n);", t.Alias)
		o.line("if (!e || !e->valid)")
		o.line("\tbreak;")
		o.line("if (%s)", t.matches("key->"))
		o.line("\treturn &e->value;")
		o.close("}")
		o.line("return 0;")
		o.close("}")
	}
	if t.Default != "" {
		o.open("INLINE union value_%s *default_%s(void)\n{", t.Alias, t.Alias)
		which := element(o, t.DefaultElement)
		o.line("return bpf_map_lookup_elem(&%s, &%s);", t.Default, which)
		o.close("}")
	}
}

// callback writes the function that the kernel calls for each entry of a list, until it returns 1.
func (t *Table) callback(o *writer) {
	o.line("struct find_%s { struct key_%s key; u32 at; };", t.Alias, t.Alias)
	o.open("static long match_%s(void *list, const u32 *n, struct entry_%s *e, struct find_%s *find)\n{", t.Alias, t.Alias, t.Alias)
	o.line("if (!e->valid)")
	o.line("\treturn 1;")
	o.line("if (!(%s))", t.matches("find->key."))
	o.line("\treturn 0;")
	o.line("find->at = *n;")
	o.line("return 1;")
	o.close("}")
}

// matches is the condition that entry e of a list matches a key; key is what C puts in front of the key's members.
func (t *Table) matches(key string) string {
	var conds []string
	for i, k := range t.Table.Keys {
		m := t.Key[i].Member
		if isWide(k.Width) {
			for n := range limbs(k.Width) {
				conds = append(conds, fmt.Sprintf("(%s%s[%d] & e->mask.%s[%d]) == e->key.%s[%d]", key, m, n, m, n, m, n))
			}
			continue
		}
		if k.Match == ir.Range {
			conds = append(conds, fmt.Sprintf("%s%s >= e->key.%s && %s%s <= e->mask.%s", key, m, m, key, m, m))
		} else {
			conds = append(conds, fmt.Sprintf("(%s%s & e->mask.%s) == e->key.%s", key, m, m, m))
		}
	}
	return strings.Join(conds, " && ")
}

// declareIndex writes the array that the narrow key of a table with constant entries
// indexes: the number of the entry that matches + 1, or 0; for a table with one action
// for all keys, the action's arguments.
func (t *Table) declareIndex(o *writer) {
	if !t.indexed() {
		return
	}
	if t.uniform() {
		byKey := make([]*ir.Entry, 1<<t.keyBits())
		for _, e := range t.Table.Entries {
			byKey[e.Keys[0].Value.Uint64()] = e
		}
		for i, p := range t.Table.Entries[0].Action.Action.Params {
			var v []*big.Int
			for _, e := range byKey {
				v = append(v, e.Action.Args[i])
			}
			t.array(o, t.args[i], fmt.Sprintf("The argument %s of %s for each key.", p.Name, t.Table.Entries[0].Action.Action.Name), v, p.Type.Width)
		}
		return
	}
	index := make([]*big.Int, 1<<t.keyBits())
	key := make([]uint64, len(t.Table.Keys))
	for x := range index {
		rest := uint64(x)
		for i := len(key) - 1; i >= 0; i-- {
			low, width := t.looksAt(i)
			key[i] = rest & (1<<width - 1) << low
			rest >>= width
		}
		index[x] = new(big.Int)
		for n, e := range t.Table.Entries {
			if constEntryCovers(e, key) {
				// What is stored is what is run: entries with one action call
				// share a number.
				index[x].SetInt64(int64(t.callNumber(n) + 1))
				break
			}
		}
	}
	w := 8
	if len(t.Table.Entries) > 254 {
		w = 16
	}
	o.line("/* What entries run: the number of the first that does, from 1. */")
	o.open("enum {")
	for n, call := range t.calls {
		if t.callNumber(n) == n {
			o.line("%s = %d,", call, n+1)
		}
	}
	o.close("};")
	t.array(o, t.lookup, "What the entry for each key runs, 0 if there is none.", index, w)
}

// array writes an array of constants, and the function that reads it.
func (t *Table) array(o *writer, lookup, what string, v []*big.Int, w int) {
	name := strings.Replace(lookup, "lookup_", "x_", 1)
	o.line("/* %s */", what)
	o.open("static const %s %s[%d] = {", cType(w), name, len(v))
	for i := 0; i < len(v); {
		line := ""
		for n := 0; n < 128/max(w, 8) && i < len(v); n++ {
			line += v[i].String() + ", "
			i++
		}
		o.line("%s", strings.TrimSpace(line))
	}
	o.close("};")
	o.line("INLINE %s %s(u32 key) { return %s[key & %s]; }", cType(w), lookup, name, maskOf(t.keyBits()))
}

// inOrder are slots in the order of their offsets.
func inOrder(slots []Slot) []Slot {
	return slices.SortedFunc(slices.Values(slots), func(a, b Slot) int { return a.Offset - b.Offset })
}

// slotMembers writes struct members in the order of their offsets.
func slotMembers(o *writer, slots []Slot) {
	for _, s := range inOrder(slots) {
		note := ""
		if s.Width < 8*s.Size {
			note = fmt.Sprintf(" /* %d bits */", s.Width)
		}
		if isWide(s.Width) {
			o.line("u64 %s[%d]; /* %d bits */", s.Member, limbs(s.Width), s.Width)
			continue
		}
		o.line("u%d %s;%s", 8*s.Size, s.Member, note)
	}
}

// rowsDecl declares registers that lie together.
func rowsDecl(o *writer, rows *Rows) {
	switch {
	case rows.PerCPU && rows.Index != "":
		o.line("/* Counters by %s: of each CPU, row by row. */", rows.Index)
	case rows.PerCPU:
		o.line("/* A counter, of each CPU. */")
	case rows.Control != "":
		o.line("/* Registers of %s, row by row. */", rows.Control)
	default:
		o.line("/* Registers by %s, row by row. */", rows.Index)
	}
	o.open("struct %s {", rows.Var)
	for _, c := range rows.Counters {
		o.line("struct p4_counter %s; /* counter %s */", c.Member, c.Name)
	}
	for _, r := range rows.Registers {
		o.line("u%d %s;%s", r.CellSize*8, r.Member, fieldsText(r.Register))
	}
	if rows.Mapped {
		o.close("} __attribute__((aligned(%d)));", max(rows.Align, 8))
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(map_flags, BPF_F_MMAPABLE); __uint(max_entries, %d); __type(key, u32); __type(value, struct %s); }", max(rows.Size, rows.Stride), rows.Var)
		note := ""
		if rows.PerCPU {
			note = " /* as many for each CPU: who loads it says so */"
		}
		o.line("\t%s SEC(\".maps\");%s", rows.Var, note)
	} else {
		o.close("} __attribute__((aligned(%d))) %s[%d];", rows.Align, rows.Var, rows.Size)
	}
	o.line("")
}

// fieldsText is a comment on what is in a cell that is not one number of the
// cell's width.
func fieldsText(r *ir.Register) string {
	if len(r.Fields) == 1 {
		return width(r.Fields[0].Type)
	}
	var parts []string
	for _, f := range r.Fields {
		parts = append(parts, fmt.Sprintf("%s %s", f.Type, f.Name))
	}
	return " /* " + strings.Join(parts, ", ") + " */"
}
