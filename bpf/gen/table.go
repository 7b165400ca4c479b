package gen

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

func (g *gress) actionName(a *ir.Action) string { return g.function(a, "", g.d.actions[a]) }

func (g *gress) regActionName(a *ir.RegisterAction) string {
	return g.function(a, "", g.d.registers[a.Register].Alias+"_"+lastPart(a.Name))
}

func (g *gress) againName(a *ir.RegisterAction) string {
	return g.function(a, "again", "_"+g.d.registers[a.Register].Alias+"_"+lastPart(a.Name))
}

func (g *gress) applyName(t *ir.Table) string { return g.function(t, "", g.d.tables[t].Alias+"_apply") }

func lastPart(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }

// actionFuncs writes a function per action.
func (g *gress) actionFuncs() {
	o := g.out
	for _, a := range g.actions {
		params, names := "", newScope()
		for _, p := range a.Params {
			g.local[p] = names.name("p_", p.Name)
			params += fmt.Sprintf(", %s %s", cType(p.Type.Width), g.local[p])
			if p.Type.Width > 64 {
				g.fail(p.Pos, "action %s: parameter %s has %d bits (at most 64 on XDP)", a.Name, p.Name, p.Type.Width)
			}
		}
		o.line("/* action %s%s */", a.Name, posText(a.Pos))
		o.open("INLINE void %s(struct %s *s%s)\n{", g.actionName(a), g.Gress.Name, params)
		g.aside(a.Body)
		g.inFunction = true
		g.stmts(a.Body)
		g.inFunction = false
		o.close("}")
		o.line("")
	}
}

func posText(p ir.Pos) string {
	if p.Line == 0 {
		return ""
	}
	return ", " + strings.TrimSuffix(strings.TrimPrefix(at(p), " /* "), " */")
}

// tableDecls writes key and value types and the map of a table.
func tableDecls(o *writer, t *Table) {
	v := "value_" + t.Alias
	if t.Kind != TableConst || t.Default != "" {
		o.open("union %s {", v)
		o.line("u32 action;")
		for i, a := range t.Actions {
			if len(a.Params) == 0 {
				continue
			}
			o.open("struct {")
			o.line("u32 action; /* %d */", i)
			slotMembers(o, a.Params)
			o.close("} %s;", a.Member)
		}
		if t.Idle > 0 {
			o.line("struct { u64 before_hit_[%d], hit, idle_timeout; }; /* ns; hit: when a packet last matched */", t.Idle/8)
		}
		o.line("u64 size[%d];", t.ValueSize/8)
		o.close("};")
	}
	if t.Kind == TableConst || t.Kind == TableIndex {
		if t.Kind == TableIndex {
			o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __type(key, u32); __type(value, union %s); }", t.Size, v)
			o.line("\t%s SEC(\".maps\"); /* table %s: no entry where the action is 0, else the action + 1 */", t.Map, t.Name)
		}
		if t.Default != "" {
			o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union %s); }", v)
			o.line("\t%s SEC(\".maps\"); /* default action of %s */", t.Default, t.Name)
		}
		o.line("")
		return
	}
	k := "key_" + t.Alias
	o.open("struct %s {", k)
	if t.Kind == TableLPM {
		o.line("u32 prefix; /* length in bits */")
		byOffset := map[int]Slot{}
		for _, s := range t.Key {
			byOffset[s.Offset] = s
		}
		for at := 4; at < t.KeySize; {
			s := byOffset[at]
			if s.Size == 0 {
				o.line("u8 pad_[%d];", t.KeySize-at)
				break
			}
			o.line("u8 %s[%d];", s.Member, s.Size)
			at += s.Size
		}
		o.close("};")
	} else {
		slotMembers(o, t.Key)
		end := 0
		for _, s := range t.Key {
			end = max(end, s.Offset+s.Size)
		}
		if pad := t.KeySize - end; pad > 0 {
			o.line("u8 pad_[%d];", pad)
		}
		o.close("};")
	}
	switch t.Kind {
	case TableHash:
		o.line("struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, %d); __type(key, struct %s); __type(value, union %s); }", t.Size, k, v)
		o.line("\t%s SEC(\".maps\"); /* table %s */", t.Map, t.Name)
	case TableLPM:
		o.line("struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, %d); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, struct %s); __type(value, union %s); }", t.Size, k, v)
		o.line("\t%s SEC(\".maps\"); /* table %s */", t.Map, t.Name)
	case TableList:
		o.line("struct entry_%s { u64 valid; struct %s key, mask; union %s value; };", t.Alias, k, v)
		o.line("struct list_%s { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, %d); __uint(key_size, 4); __uint(value_size, sizeof(struct entry_%s)); };", t.Alias, t.Size, t.Alias)
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 1); __uint(key_size, 4); __array(values, struct list_%s); }", t.Alias)
		o.line("\t%s SEC(\".maps\"); /* table %s: entries in order of priority */", t.Map, t.Name)
	}
	if t.Default != "" {
		o.line("struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, u32); __type(value, union %s); }", v)
		o.line("\t%s SEC(\".maps\"); /* default action of %s */", t.Default, t.Name)
	}
	o.line("")
}

// slotMembers writes struct members in the order of their offsets.
func slotMembers(o *writer, slots []Slot) {
	done := 0
	for done < len(slots) {
		var next *Slot
		for i := range slots {
			s := &slots[i]
			seen := 0
			for j := range slots {
				if slots[j].Offset < s.Offset {
					seen++
				}
			}
			if seen == done {
				next = s
			}
		}
		o.line("u%d %s; /* %d bits */", 8*next.Size, next.Member, next.Width)
		done++
	}
}

// tableFuncs writes a function per table: it applies the table and returns the
// number of the action that ran, and HIT.
func (g *gress) tableFuncs() {
	for _, t := range g.tables {
		g.tableFunc(t)
	}
}

func (g *gress) tableFunc(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	if d.Kind == TableConst && indexed(t) {
		g.constIndex(t)
	}
	o.line("/* table %s%s */", t.Name, posText(t.Pos))
	phase := ""
	if g.phased[t] {
		phase = ", const u32 phase"
	}
	o.open("INLINE u32 %s(struct %s *s%s)\n{", g.applyName(t), g.Gress.Name, phase)
	switch d.Kind {
	case TableConst:
		g.constTable(t)
	case TableHash:
		o.line("struct key_%s key = {};", d.Alias)
		for i, k := range t.Keys {
			o.line("key.%s = %s;%s", d.Key[i].Member, g.expr(k.Expr), at(k.Pos))
		}
		o.line("union value_%s *value = bpf_map_lookup_elem(&%s, &key);", d.Alias, d.Map)
		g.runValue(t)
	case TableIndex:
		o.line("u32 key = %s;%s", g.expr(t.Keys[0].Expr), at(t.Keys[0].Pos))
		o.line("union value_%s *value = bpf_map_lookup_elem(&%s, &key);", d.Alias, d.Map)
		o.line("if (value && !value->action)")
		o.line("\tvalue = 0;")
		g.runValue(t)
	case TableLPM:
		o.line("struct key_%s key = { .prefix = %d };", d.Alias, (d.KeySize-4)*8)
		for i, k := range t.Keys {
			s := d.Key[i]
			if s.Size > 8 {
				g.fail(k.Pos, "table %s: lpm key of %d bits (at most 64 on XDP)", t.Name, s.Width)
			}
			o.line("put%d(key.%s, %s);%s", 8*s.Size, s.Member, g.expr(k.Expr), at(k.Pos))
		}
		o.line("union value_%s *value = bpf_map_lookup_elem(&%s, &key);", d.Alias, d.Map)
		g.runValue(t)
	case TableList:
		g.listTable(t)
	}
	o.close("}")
	o.line("")
}

func keyBits(t *ir.Table) int {
	n := 0
	for _, k := range t.Keys {
		n += k.Width
	}
	return n
}

// runValue runs the action of `value`, or the default action.
func (g *gress) runValue(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	o.line("u32 hit = value ? HIT : 0;")
	if d.Idle > 0 {
		o.line("if (value)")
		o.line("\tvalue->hit = %s_now(s);", g.prefix)
	}
	if t.ConstDefault {
		o.open("if (!value) {")
		g.runCall(t, t.Default, "")
		o.close("}")
	} else {
		o.open("if (!value) {")
		o.line("u32 zero = 0;")
		o.line("value = bpf_map_lookup_elem(&%s, &zero);", d.Default)
		o.line("if (!value)")
		o.line("\treturn 0;")
		o.close("}")
	}
	action := "value->action"
	if d.Kind == TableIndex { // a default action is numbered from 0
		action = "action"
		o.line("u32 action = value->action - !!hit;")
	}
	o.open("switch (%s) {", action)
	for i, a := range d.Actions {
		args := ""
		for _, p := range a.Params {
			args += fmt.Sprintf(", value->%s.%s", a.Member, p.Member)
		}
		o.line("case %d:", i)
		o.depth++
		g.runAction(t, a.Action, args)
		o.line("break;")
		o.depth--
	}
	o.close("}")
	o.line("return hit | %s;", action)
}

// runAction calls an action of a table, in its phase where there are phases.
func (g *gress) runAction(t *ir.Table, a *ir.Action, args string) {
	call := fmt.Sprintf("%s(s%s);", g.actionName(a), args)
	if !g.phased[t] {
		g.out.line("%s", call)
		return
	}
	g.out.line("if (phase & %s)", phaseName(a))
	g.out.line("\t%s", call)
}

// phaseName is the phase of an action in an @updates_first block: an action that
// may change a register comes first, unless it is annotated @after_updates, which
// says that its change does not matter to the others.
func phaseName(a *ir.Action) string {
	if actionUpdates(a) && !afterUpdates(a) {
		return "P4_UPDATES"
	}
	return "P4_QUERIES"
}

func afterUpdates(a *ir.Action) bool {
	return slices.ContainsFunc(a.Annotations, func(x ir.Annotation) bool { return x.Name == "after_updates" })
}

// runCall runs an action with constant arguments and returns from the table.
func (g *gress) runCall(t *ir.Table, c ir.ActionCall, hit string) {
	o := g.out
	n := g.d.tables[t].ActionNumber(c.Action)
	args := ""
	for i, v := range c.Args {
		args += ", " + literal(v, c.Action.Params[i].Type.Width)
	}
	g.runAction(t, c.Action, args)
	o.line("return %s%d;", hit, max(n, 0))
}

// constEntryCovers reports whether an entry matches the key.
func constEntryCovers(e *ir.Entry, key []uint64) bool {
	for i, ks := range e.Keys {
		switch {
		case ks.Any:
		case ks.Range:
			if key[i] < ks.Value.Uint64() || key[i] > ks.Mask.Uint64() {
				return false
			}
		default:
			m := ^uint64(0)
			if ks.Mask != nil {
				m = ks.Mask.Uint64()
			}
			if key[i]&m != ks.Value.Uint64()&m {
				return false
			}
		}
	}
	return true
}

// uniform reports whether all entries of a table with a constant index run one
// action, and every key has an entry.
func (g *gress) uniform(t *ir.Table) bool {
	a := t.Entries[0].Action.Action
	for _, e := range t.Entries {
		if e.Action.Action != a {
			return false
		}
	}
	return len(t.Entries) == 1<<keyBits(t) && len(t.Keys) == 1 && t.Keys[0].Match == ir.Exact
}

// indexed reports whether a table with constant entries becomes an array that
// its key indexes; otherwise its entries are compared one by one.
func indexed(t *ir.Table) bool { return len(t.Entries) > 4 && keyBits(t) <= maxIndexBits }

// constIndex writes the array that a narrow key indexes: the number of the
// entry that matches + 1, or 0; for a table with one action for all keys, the
// action's arguments.
func (g *gress) constIndex(t *ir.Table) {
	bits := keyBits(t)
	if g.uniform(t) {
		byKey := make([]*ir.Entry, 1<<bits)
		for _, e := range t.Entries {
			byKey[e.Keys[0].Value.Uint64()] = e
		}
		for i, p := range t.Entries[0].Action.Action.Params {
			var v []*big.Int
			for _, e := range byKey {
				if e == nil {
					g.fail(t.Pos, "table %s: two entries with one key", t.Name)
					return
				}
				v = append(v, e.Action.Args[i])
			}
			g.array(cType(p.Type.Width), g.argArray(t, p), v, p.Type.Width)
		}
		return
	}
	index := make([]*big.Int, 1<<bits)
	key := make([]uint64, len(t.Keys))
	for x := range index {
		rest := uint64(x)
		for i := len(t.Keys) - 1; i >= 0; i-- {
			key[i] = rest & (1<<t.Keys[i].Width - 1)
			rest >>= t.Keys[i].Width
		}
		index[x] = new(big.Int)
		for n, e := range t.Entries {
			if constEntryCovers(e, key) {
				// What is stored is what is run: entries with one action call
				// share a number.
				index[x].SetInt64(int64(g.callNumber(t, n) + 1))
				break
			}
		}
	}
	w := 8
	if len(t.Entries) > 254 {
		w = 16
	}
	g.array(cType(w), g.indexArray(t), index, w)
}

// argArray and indexArray name the arrays of a table whose key is an index.
func (g *gress) argArray(t *ir.Table, p *ir.Var) string {
	return g.function([2]any{t, p}, "", g.d.tables[t].Alias+"_arg_"+p.Name)
}

func (g *gress) indexArray(t *ir.Table) string {
	return g.function([2]any{t, "index"}, "", g.d.tables[t].Alias+"_index")
}

// callNumber is the number of the first entry with the same action and
// arguments.
func (g *gress) callNumber(t *ir.Table, n int) int {
	for i, e := range t.Entries[:n] {
		if sameCall(e.Action, t.Entries[n].Action) {
			return i
		}
	}
	return n
}

func sameCall(a, b ir.ActionCall) bool {
	if a.Action != b.Action || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if a.Args[i].Cmp(b.Args[i]) != 0 {
			return false
		}
	}
	return true
}

func (g *gress) array(typ, name string, v []*big.Int, w int) {
	o := g.out
	o.open("static const %s %s[%d] = {", typ, name, len(v))
	for i := 0; i < len(v); {
		line := ""
		for n := 0; n < 128/max(w, 8) && i < len(v); n++ {
			line += v[i].String() + ", "
			i++
		}
		o.line("%s", strings.TrimSpace(line))
	}
	o.close("};")
}

func (g *gress) constTable(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	if len(t.Entries) == 0 {
		g.constMiss(t)
		return
	}
	if !indexed(t) {
		for _, e := range t.Entries {
			cond := g.covers(t, e)
			if cond == "" { // nothing behind it is reached
				g.runCall(t, e.Action, "HIT | ")
				return
			}
			o.open("if (%s) {%s", cond, at(e.Pos))
			g.runCall(t, e.Action, "HIT | ")
			o.close("}")
		}
		g.constMiss(t)
		return
	}
	o.line("u32 key = %s;%s", g.indexKey(t), at(t.Keys[0].Pos))
	if g.uniform(t) {
		a := t.Entries[0].Action.Action
		args := ""
		for _, p := range a.Params {
			args += fmt.Sprintf(", %s[key & %s]", g.argArray(t, p), maskOf(keyBits(t)))
		}
		g.runAction(t, a, args)
		o.line("return HIT | %d;", d.ActionNumber(a))
		return
	}
	// The verifier shall not tell keys apart: the paths that lead here stay one.
	o.open("switch (%s[opaque(key) & %s]) {", g.indexArray(t), maskOf(keyBits(t)))
	done := map[int]bool{}
	for n, e := range t.Entries {
		c := g.callNumber(t, n)
		if done[c] {
			continue
		}
		done[c] = true
		o.line("case %d:%s", c+1, at(e.Pos))
		o.depth++
		g.runCall(t, e.Action, "HIT | ")
		o.depth--
	}
	o.close("}")
	g.constMiss(t)
}

// indexKey is the concatenation of a table's keys. Bits that lie side by side in
// one number of the state are taken from it together.
func (g *gress) indexKey(t *ir.Table) string {
	var parts []string
	left := keyBits(t)
	for i := 0; i < len(t.Keys); {
		n, low := 1, 0
		bits := g.bitKey(t.Keys[i])
		if bits != nil {
			for i+n < len(t.Keys) {
				next := g.bitKey(t.Keys[i+n])
				if next == nil || g.bitsOf[next] != g.bitsOf[bits] || g.bitAt[next] != g.bitAt[bits]-n {
					break
				}
				n++
			}
			low = g.bitAt[bits] - n + 1
		}
		var x string
		if n > 1 {
			x = fmt.Sprintf("(s->%s >> %d & %s)", g.bitsOf[bits], low, maskOf(n))
			left -= n
		} else {
			x = "(u32)" + g.expr(t.Keys[i].Expr)
			left -= t.Keys[i].Width
		}
		if left > 0 {
			x += fmt.Sprintf(" << %d", left)
		}
		parts = append(parts, x)
		i += n
	}
	return strings.Join(parts, " | ")
}

// bitKey is the variable of a key that is a bit of a number of the state, or nil.
func (g *gress) bitKey(k *ir.Key) *ir.Var {
	if ref, ok := k.Expr.(*ir.Ref); ok && g.bitsOf[ref.Var] != "" {
		return ref.Var
	}
	return nil
}

func (g *gress) constMiss(t *ir.Table) {
	if t.ConstDefault {
		g.runCall(t, t.Default, "")
		return
	}
	d := g.d.tables[t]
	g.out.line("union value_%s *value = 0;", d.Alias)
	g.runValue(t)
}

// covers is the condition under which a constant entry matches; "" is always. Bits
// of one number of the state are compared together.
func (g *gress) covers(t *ir.Table, e *ir.Entry) string {
	cond := ""
	and := func(s string) {
		if cond != "" {
			cond += " && "
		}
		cond += s
	}
	type bits struct{ mask, value uint32 }
	numbers := map[string]*bits{}
	var order []string
	for i, ks := range e.Keys {
		k := t.Keys[i]
		x := g.expr(k.Expr)
		ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(k.Width)), big.NewInt(1))
		switch exact := ks.Mask == nil || ks.Mask.Cmp(ones) == 0; {
		case ks.Any:
		case ks.Range:
			and(fmt.Sprintf("%s >= %s && %s <= %s", x, literal(ks.Value, k.Width), x, literal(ks.Mask, k.Width)))
		case exact && g.bitKey(k) != nil:
			v := g.bitKey(k)
			number := g.bitsOf[v]
			if numbers[number] == nil {
				numbers[number] = &bits{}
				order = append(order, number)
			}
			numbers[number].mask |= 1 << g.bitAt[v]
			numbers[number].value |= uint32(ks.Value.Uint64()) << g.bitAt[v]
		case exact:
			and(fmt.Sprintf("%s == %s", x, literal(ks.Value, k.Width)))
		default:
			and(fmt.Sprintf("(%s & %s) == %s", x, literal(ks.Mask, k.Width), literal(new(big.Int).And(ks.Value, ks.Mask), k.Width)))
		}
	}
	for _, number := range order {
		b := numbers[number]
		and(fmt.Sprintf("(s->%s & %#x) == %#x", number, b.mask, b.value))
	}
	return cond
}

// listTable searches the entries of a ternary table in order of priority.
func (g *gress) listTable(t *ir.Table) {
	o, d := g.out, g.d.tables[t]
	for i, k := range t.Keys {
		o.line("%s k%d = %s;%s", cType(k.Width), i, g.expr(k.Expr), at(k.Pos))
	}
	o.line("union value_%s *value = 0;", d.Alias)
	o.line("u32 zero = 0;")
	o.line("void *list = bpf_map_lookup_elem(&%s, &zero);", d.Map)
	o.open("if (list) {")
	o.open("for (u32 i = 0; i < %d; i++) {", t.Size)
	o.line("u32 n = i;")
	o.line("struct entry_%s *e = bpf_map_lookup_elem(list, &n);", d.Alias)
	o.line("if (!e || !e->valid)")
	o.line("\tbreak;")
	cond := ""
	for i, k := range t.Keys {
		m := d.Key[i].Member
		if i > 0 {
			cond += " && "
		}
		if k.Match == ir.Range {
			cond += fmt.Sprintf("k%d >= e->key.%s && k%d <= e->mask.%s", i, m, i, m)
		} else {
			cond += fmt.Sprintf("(k%d & e->mask.%s) == e->key.%s", i, m, m)
		}
	}
	o.open("if (%s) {", cond)
	o.line("value = &e->value;")
	o.line("break;")
	o.close("}")
	o.close("}")
	o.close("}")
	g.runValue(t)
}

func (g *gress) apply(s *ir.Apply) {
	o, d := g.out, g.d.tables[s.Table]
	phase := [...]string{phaseUpdates: "P4_UPDATES", phaseQueries: "P4_QUERIES", phaseAll: "P4_ALL"}[g.phase]
	if g.phased[s.Table] {
		phase = ", " + phase
	} else {
		phase = ""
	}
	call := fmt.Sprintf("%s(s%s)", g.applyName(s.Table), phase)
	if s.Hit == nil && !s.Switch {
		o.line("%s;%s", call, at(s.Pos))
		return
	}
	if g.phase != phaseAll {
		g.fail(s.Pos, "result of a table used in an @updates_first block")
		return
	}
	o.open("{")
	o.line("u32 ran = %s;%s", call, at(s.Pos))
	if s.Hit != nil {
		g.set(s.Hit, "!!(ran & HIT)", ir.Pos{})
	}
	if s.Switch {
		o.open("switch (ran & ~HIT) {")
		for _, c := range s.Cases {
			for _, a := range c.Actions {
				o.line("case %d: /* %s */", d.ActionNumber(a), lastPart(a.Name))
			}
			o.depth++
			g.stmts(c.Body)
			o.line("break;")
			o.depth--
		}
		o.line("default:")
		o.depth++
		g.stmts(s.Default)
		o.line("break;")
		o.depth--
		o.close("}")
	}
	o.close("}")
}
