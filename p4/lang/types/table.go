package types

import (
	"math/big"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// tofinoOnly are properties that only tell Tofino's compiler how to lay a
// table out; they change nothing that a packet or controller can see.
var tofinoOnly = map[string]bool{
	"requires_versioning": true, "proxy_hash": true, "action_selector_hash_field_calculation": true,
	"alpm": true, "alpm_partitions": true, "alpm_subtrees_per_partition": true, "alpm_atcam_exclude_field_msbs": true,
	"atcam": true, "number_partitions": true, "atcam_number_partitions": true,
}

func (c *checker) table(d *syntax.Table) {
	t := &Table{Name: d.Name.Name, Decl: d, Control: c.control, LargestWins: true, Delta: 1}
	c.info.Defs[d] = t
	c.in(inNothing, func() { c.properties(t) })
	c.declare(d.Name, t)
}

func (c *checker) properties(t *Table) {
	seen := map[string]*syntax.Property{}
	for _, p := range t.Decl.Props {
		if old := seen[p.Name]; old != nil {
			c.errorf(p.Pos(), diag.Duplicate, "property %q is given twice", p.Name).Note(old.Pos(), "first given here")
			continue
		}
		seen[p.Name] = p
	}
	if seen["actions"] == nil {
		c.errorf(t.Decl.Name.At, diag.TableProperty, "table %s has no actions", t.Name)
	}
	// The key and the actions come first: the others refer to them.
	if p := seen["key"]; p != nil {
		c.keys(t, p)
	}
	if p := seen["actions"]; p != nil {
		c.actions(t, p)
	}
	if a, ok := c.global.names["NoAction"].(*Action); seen["default_action"] == nil && (ok && len(a.Params) > 0 || !ok) {
		c.errorf(t.Decl.Name.At, diag.TableAction, "table %s has no default action, and NoAction is not that of core.p4", t.Name)
	}
	for _, p := range t.Decl.Props {
		if seen[p.Name] != p {
			continue
		}
		if p.Name == "entries" && seen["key"] != nil && seen["key"].Pos().Line > p.Pos().Line {
			c.errorf(p.Pos(), diag.TableEntry, "the entries come behind the key")
		}
		if p.Name == "default_action" && seen["actions"] != nil && seen["actions"].Pos().Line > p.Pos().Line {
			c.errorf(p.Pos(), diag.TableAction, "the default action comes behind the list of actions")
		}
		if p.Const && (p.Name == "key" || p.Name == "actions") {
			c.errorf(p.Pos(), diag.TableProperty, "property %q cannot be const", p.Name)
		}
		c.property(t, p)
	}
}

func (c *checker) property(t *Table, p *syntax.Property) {
	switch p.Name {
	case "key", "actions":
	case "default_action":
		t.ConstDefault = p.Const
		t.Default = c.boundAction(t, p.Value)
		if t.Default != nil && t.Default.Decl.Annots.Find("tableonly") != nil {
			c.errorf(p.Value.Pos(), diag.TableAction, "action %s is @tableonly: it cannot be the default action", t.Default.Action.Name)
		}
	case "size":
		t.Size = p.Value
		v, ok := IntOf(c.constantIn(p.Value, Int))
		if ok && (v.Sign() <= 0 || v.BitLen() > 30) {
			c.errorf(p.Value.Pos(), diag.TableProperty, "a table's size is 1 to 2^30, not %s", v)
		}
	case "largest_priority_wins":
		if v, ok := c.constant(p.Value, Bool).(BoolValue); ok {
			t.LargestWins = bool(v)
		}
	case "priority_delta":
		if v, ok := IntOf(c.constant(p.Value, Int)); ok {
			if v.Sign() <= 0 || v.BitLen() > 16 {
				c.errorf(p.Value.Pos(), diag.TableProperty, "priority_delta is 1 to 65535, not %s", v)
				break
			}
			t.Delta = int(v.Int64())
		}
	case "entries":
		t.HasEntries, t.ConstEntries = true, p.Const
		c.entries(t, p)
	case "idle_timeout":
		if v, ok := c.constant(p.Value, Bool).(BoolValue); ok {
			t.IdleTimeout = bool(v)
		}
	case "counters":
		t.Counters = c.resource(p, "DirectCounter")
	case "meters":
		t.Meters = c.resource(p, "DirectMeter")
	case "registers":
		t.Registers = c.resource(p, "DirectRegister")
	case "filters":
		t.Filters = c.resource(p, "DirectLpf", "DirectWred", "Lpf", "Wred")
	case "implementation":
		c.in(inNothing, func() {
			if tt := c.expr(p.Value, nil); tt != Invalid {
				et, ok := tt.(*ExternType)
				if !ok {
					c.errorf(p.Value.Pos(), diag.TableProperty, "implementation needs an instance of an extern, not %s", tt)
				} else {
					t.Impl = p.Value
					_ = et
				}
			}
		})
	default:
		if tofinoOnly[p.Name] {
			c.expr(p.Value, nil)
			t.Extra = append(t.Extra, p)
			return
		}
		c.diags.Warnf(p.Pos(), diag.TableProperty, "table property %q is not known and is ignored", p.Name)
		c.in(inNothing, func() { c.expr(p.Value, nil) })
	}
}

// resource resolves a property that names an instance of one of the externs.
func (c *checker) resource(p *syntax.Property, externs ...string) *Instance {
	t := c.expr(p.Value, nil)
	if t == Invalid {
		return nil
	}
	et, ok := t.(*ExternType)
	n, isName := p.Value.(*syntax.NameExpr)
	if ok && isName {
		for _, want := range externs {
			if et.Extern.Name == want {
				inst, _ := c.info.Uses[n].(*Instance)
				return inst
			}
		}
	}
	if ok && c.lookup(externs[0], true) == nil {
		return nil // of another architecture
	}
	c.errorf(p.Value.Pos(), diag.TableProperty, "property %q needs the name of a %s, not %s", p.Name, externs[0], t)
	return nil
}

func (c *checker) keys(t *Table, p *syntax.Property) {
	lpm := false
	for _, k := range p.Keys {
		// Keys are evaluated where the table is applied.
		var kt Type
		c.in(inControl, func() { kt = c.value(k.X, nil) })
		if n, ok := k.X.(*syntax.NameExpr); ok && n.Name == t.Name && c.control != nil && c.scope.names[n.Name] == nil {
			c.errorf(k.X.Pos(), diag.Recursion, "%s means the table itself here", n.Name)
		}
		if !named(k.X) && k.Annots.Find("name") == nil {
			c.errorf(k.X.Pos(), diag.TableKey, "this key has no name by itself: give it one (@name(\"…\"))")
		}
		key := &Key{Decl: k, Match: k.Match.Name, Type: kt}
		if _, ok := Scalar(kt); !ok && kt != Invalid {
			if kt == Int {
				c.errorf(k.X.Pos(), diag.TableKey, "the width of this key is not known: give it a width (8w1)")
			} else {
				c.errorf(k.X.Pos(), diag.TableKey, "%s cannot be a key: give its fields", kt)
			}
			key.Type = Invalid
		}
		if !c.matchKinds[k.Match.Name] {
			if k.Match.Name != "" {
				c.errorf(k.Match.At, diag.TableKey, "match kind %q is not declared", k.Match.Name)
			}
			key.Match = "exact"
		}
		switch s, _ := Scalar(kt); {
		case key.Match == "lpm":
			if lpm {
				c.errorf(k.Match.At, diag.TableKey, "a table has at most one lpm key")
			}
			lpm = true
			if s == Bool {
				c.errorf(k.Match.At, diag.TableKey, "a bool cannot be matched by prefix")
			}
		case key.Match == "range" && s == Bool:
			c.errorf(k.Match.At, diag.TableKey, "a bool cannot be matched by range")
		}
		t.Keys = append(t.Keys, key)
	}
}

func (c *checker) actions(t *Table, p *syntax.Property) {
	for _, r := range p.Actions {
		a := c.actionName(r.Name)
		if a == nil {
			for _, x := range r.Args {
				c.expr(x.Value, nil)
			}
			continue
		}
		for _, o := range t.Actions {
			if o.Action == a {
				c.errorf(r.Pos(), diag.Duplicate, "action %s is listed twice", a.Name)
			}
		}
		// In the list of actions, the parameters with a direction are bound.
		var dirs []*Param
		for _, q := range a.Params {
			if q.Dir != syntax.DirNone {
				dirs = append(dirs, q)
			}
		}
		ref := &ActionRef{Action: a, Decl: r, Args: make([]syntax.Expr, len(a.Params))}
		c.in(inAction, func() {
			bound := c.bind(r.Pos(), "action "+a.Name, dirs, r.Args, nil, false)
			copy(ref.Args, bound)
		})
		t.Actions = append(t.Actions, ref)
	}
}

func (c *checker) actionName(n *syntax.NameExpr) *Action {
	if n.Name == "" {
		return nil
	}
	o := c.lookup(n.Name, n.Global)
	if o == nil {
		c.errorf(n.Pos(), diag.Undeclared, "action %q is not declared%s", n.Name, c.hint(n.Name))
		return nil
	}
	a, ok := o.(*Action)
	if !ok {
		c.errorf(n.Pos(), diag.WrongKind, "%q is not an action", n.Name).Note(o.objectPos(), "declared here")
		return nil
	}
	c.info.Uses[n] = a
	return a
}

// boundAction checks the value of default_action: an action of the table with
// all its action data.
func (c *checker) boundAction(t *Table, e syntax.Expr) *ActionRef {
	var name *syntax.NameExpr
	var args []*syntax.Arg
	switch e := e.(type) {
	case *syntax.NameExpr:
		name = e
	case *syntax.Call:
		name, _ = e.Fun.(*syntax.NameExpr)
		args = e.Args
	}
	if name == nil {
		if _, bad := e.(*syntax.Bad); !bad {
			c.errorf(e.Pos(), diag.TableAction, "an action is needed here")
		}
		return nil
	}
	return c.bindData(t, name, args, e.Pos())
}

// bindData checks that an action is in the table's list and binds its action
// data. Arguments of the parameters with a direction may be repeated.
func (c *checker) bindData(t *Table, name *syntax.NameExpr, args []*syntax.Arg, pos diag.Pos) *ActionRef {
	a := c.actionName(name)
	if a == nil {
		return nil
	}
	var listed *ActionRef
	for _, r := range t.Actions {
		if r.Action == a {
			listed = r
		}
	}
	if listed == nil {
		c.errorf(pos, diag.TableAction, "action %s is not in the list of actions of table %s", a.Name, t.Name).
			Note(t.Decl.Name.At, "the table")
		return nil
	}
	var dirs, data []*Param
	for _, p := range a.Params {
		if p.Dir == syntax.DirNone {
			data = append(data, p)
		} else {
			dirs = append(dirs, p)
		}
	}
	if len(dirs) > 0 && len(args) == len(a.Params) {
		c.listedAgain(a, listed.Args, args[:len(dirs)], dirs)
		for _, x := range args[:len(dirs)] {
			c.in(inAction, func() { c.expr(x.Value, nil) })
		}
		args = args[len(dirs):]
	}
	ref := &ActionRef{Action: a, Args: append([]syntax.Expr(nil), listed.Args...)}
	ref.Decl = listed.Decl
	bound := c.bind(pos, "action "+a.Name, data, args, nil, true)
	for i, x := range bound {
		ref.Args[len(dirs)+i] = x
	}
	return ref
}

func (c *checker) entries(t *Table, p *syntax.Property) {
	if len(t.Keys) == 0 {
		if len(p.Entries) == 0 {
			return
		}
		c.errorf(p.Pos(), diag.TableEntry, "table %s has entries but no key", t.Name)
		return
	}
	var keys []Type
	prioritised := false
	for _, k := range t.Keys {
		keys = append(keys, k.Type)
		if k.Match != "exact" && k.Match != "lpm" {
			prioritised = true
		}
	}
	seen := map[string]diag.Pos{}
	next, given := int64(0), false // the priority that the next entry gets
	for i, e := range p.Entries {
		if prioritised && i > 0 && e.Priority != nil && p.Entries[0].Priority == nil {
			c.errorf(p.Entries[0].Pos(), diag.TableEntry, "the first entry needs a priority: a later one has one")
			break
		}
		if e.Priority == nil && given {
			if next += map[bool]int64{true: -int64(t.Delta), false: int64(t.Delta)}[t.LargestWins]; next < 1 {
				c.errorf(e.Pos(), diag.TableEntry, "the priority of this entry would be %d: priorities start at 1", next)
				given = false
			}
		}
		en := &Entry{Decl: e}
		en.Sets = c.sets(e.Set, keys, diag.TableEntry)
		en.Action = c.bindData(t, e.Action.Name, e.Action.Args, e.Action.Pos())
		if en.Action != nil && en.Action.Decl.Annots.Find("defaultonly") != nil {
			c.errorf(e.Action.Pos(), diag.TableAction, "action %s is @defaultonly: no entry can have it", en.Action.Action.Name)
		}
		if e.Priority != nil {
			if v, ok := IntOf(c.constant(e.Priority, Int)); ok {
				en.Priority = v
				if v.IsInt64() {
					next, given = v.Int64(), true
				}
				if !prioritised {
					c.errorf(e.Priority.Pos(), diag.TableEntry, "a table with only exact and lpm keys has no priorities")
				}
				if v.Sign() < 0 || v.BitLen() > 31 {
					c.errorf(e.Priority.Pos(), diag.TableEntry, "priority %s is out of range", v)
				}
			}
		}
		if en.Sets == nil {
			continue
		}
		text, whole := "", true
		for i, s := range en.Sets {
			c.entryElem(t.Keys[i], s)
			if v := c.info.Values[s]; v != nil {
				text += valueString(v) + ","
			} else {
				whole = false
			}
		}
		if whole && !prioritised {
			if at, dup := seen[text]; dup {
				c.errorf(e.Pos(), diag.TableEntry, "this entry has the key of an earlier one").Note(at, "the earlier entry")
			}
			seen[text] = e.Pos()
		}
		t.Entries = append(t.Entries, en)
	}
}

// entryElem checks that an element of an entry fits the match kind.
func (c *checker) entryElem(k *Key, e syntax.Expr) {
	b, _ := e.(*syntax.Binary)
	_, any := e.(*syntax.Default)
	mask := b != nil && b.Op == syntax.Mask
	rng := b != nil && b.Op == syntax.DotDot
	switch k.Match {
	case "exact":
		if mask || rng || any {
			c.errorf(e.Pos(), diag.TableEntry, "an exact key needs one value")
		}
	case "lpm":
		if rng {
			c.errorf(e.Pos(), diag.TableEntry, "an lpm key needs a prefix (value &&& mask), not a range")
		}
		if mask {
			if m, ok := IntOf(c.info.Values[b.Y]); ok {
				w, _ := Width(k.Type)
				inv := new(big.Int).Xor(m, allOnes(w))
				if inv.And(inv, new(big.Int).Add(inv, big.NewInt(1))).Sign() != 0 {
					c.errorf(b.Y.Pos(), diag.TableEntry, "the mask of an lpm key is ones, then zeros")
				}
			}
		}
	case "ternary":
		if rng {
			c.errorf(e.Pos(), diag.TableEntry, "a ternary key needs a value and mask, not a range")
		}
	case "optional":
		if mask || rng {
			c.errorf(e.Pos(), diag.TableEntry, "an optional key needs one value, or any")
		}
	case "range":
		if mask {
			c.errorf(e.Pos(), diag.TableEntry, "a range key needs lo..hi, not a mask")
		}
	}
}
