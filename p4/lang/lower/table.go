package lower

import (
	"math/big"
	"slices"
	"sort"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// defaultSize is the size of a table that does not give one, as the public
// compiler for Tofino has it.
const defaultSize = 512

// tableInst is a table of one inlined control.
type tableInst struct {
	table *ir.Table
	pre   []ir.Stmt // what must be computed before the key
	// The keys of a selector, and what stands in the program for them.
	selects  []ir.Expr
	selected []syntax.Expr
	profile  *profile // of the table's implementation, nil: its entries run actions
	actions  map[*types.Action]*ir.Action
}

var matchKinds = map[string]ir.MatchKind{
	"exact": ir.Exact, "lpm": ir.LPM, "ternary": ir.Ternary, "range": ir.Range, "optional": ir.Optional,
	// The chip looks for an entry in the partition that this key names only: its entries differ in it.
	"atcam_partition_index": ir.Exact,
}

func (b *body) lowerTable(t *types.Table) *tableInst {
	g := b.g
	it := &ir.Table{
		Name:  g.controlName(b.env.path, t.Name, t.Decl.Annots),
		Gress: g.ir,
		Size:  defaultSize, IdleTimeout: t.IdleTimeout,
		Annotations: g.annotations(t.Decl.Annots),
		Pos:         pos(t.Decl.Name.At),
	}
	it.ID = g.id(t.Decl.Annots, idTable, it.Name)
	g.warnAnnots(t.Decl.Annots)
	if t.Size != nil {
		n, ok := types.IntOf(g.value(t.Size, b.env))
		if !ok || n.Sign() <= 0 || n.BitLen() > 30 {
			g.errorf(t.Size.Pos(), diag.TableProperty, "a table's size is 1 to 2^30")
			n = big.NewInt(1)
		}
		it.Size = int(n.Int64())
	}
	ti := &tableInst{table: it, actions: map[*types.Action]*ir.Action{}}
	impl := b.implementation(t)
	keyBody := b.sub()
	for _, k := range t.Keys {
		mark := len(keyBody.stmts)
		var ik *ir.Key
		if k.Match == "selector" {
			keyBody.selectKey(k, ti, impl)
		} else {
			ik = keyBody.key(k)
		}
		for i := len(it.Keys) - 1; i >= 0; i-- {
			it.Keys[i].Expr = keyBody.settle(it.Keys[i].Expr, mark, pos(k.Decl.X.Pos()))
		}
		for i := range ti.selects {
			ti.selects[i] = keyBody.settle(ti.selects[i], mark, pos(k.Decl.X.Pos()))
		}
		if ik != nil {
			it.Keys = append(it.Keys, ik)
		}
	}
	b.keyIDs(it, t)
	if len(ti.selects) > 0 {
		b.symmetricInputs(impl.profile.hash, ti.selected, ti.selects, t.Impl.Pos())
	}
	ti.pre = keyBody.stmts
	if x, ok := b.env.find(t.Meters).(*extern); ok && x.meter != nil {
		b.ownedBy(it, t.Meters, &x.meter.Table)
		it.Meter, x.meter.Size = x.meter, it.Size+1
	}
	if x, ok := b.env.find(t.Filters).(*extern); ok && x.filter != nil && x.direct {
		b.ownedBy(it, t.Filters, &x.filter.Table)
		it.Filter, x.filter.Size = x.filter, it.Size+1
	}
	if x, ok := b.env.find(t.Registers).(*extern); ok && x.register != nil {
		b.ownedBy(it, t.Registers, &x.register.Table)
		it.Register, x.register.Size = x.register, it.Size+1
	}
	if t.Counters != nil {
		if x, ok := b.env.find(t.Counters).(*extern); ok && x.counter != nil {
			b.ownedBy(it, t.Counters, &x.counter.Table)
			it.Counter = x.counter
		}
	}
	if impl != nil && impl.profile != nil && it.HasCells() {
		g.errorf(t.Decl.Name.At, diag.Unsupported, "table %s: direct meters, registers and filters of a table with an action profile are not supported", t.Name)
	}
	b.tableActions(t, ti)
	b.defaultAction(t, ti)
	b.entries(t, ti)
	g.prog.Tables = append(g.prog.Tables, it)
	if impl != nil && impl.profile != nil {
		b.indirect(t, ti, impl)
	}
	return ti
}

// ownedBy gives a table what belongs to its entries.
func (b *body) ownedBy(t *ir.Table, inst *types.Instance, of **ir.Table) {
	if *of != nil {
		b.g.errorf(inst.Pos, diag.TableProperty, "%s %q belongs to two tables", inst.Type, inst.Name)
		return
	}
	*of = t
}

// checkCells refuses what belongs to the entries of a table, and is used in the actions of others.
func (l *lowerer) checkCells() {
	for _, x := range l.direct {
		if x.meter != nil && x.meter.Table == nil || x.register != nil && x.register.Table == nil || x.filter != nil && x.filter.Table == nil {
			l.errorf(x.at, diag.TableProperty, "%s %s belongs to no table (give a table the property meters = …;, registers = …; or filters = …;)", x.kind, x.name)
		}
	}
	for _, t := range l.prog.Tables {
		if t.Part { // what it cannot have is refused where its table is
			continue
		}
		for _, r := range t.Actions {
			ir.Walk(r.Action.Body, func(s ir.Stmt) bool {
				name, of, direct := "", (*ir.Table)(nil), false
				switch s := s.(type) {
				case *ir.MeterExec:
					name, of = s.Meter.Name, s.Meter.Table
					_, direct = s.Index.(*ir.Cell)
				case *ir.FilterExec:
					name, of = s.Filter.Name, s.Filter.Table
					_, direct = s.Index.(*ir.Cell)
				case *ir.RegisterExec:
					name, of = s.Action.Register.Name, s.Action.Register.Table
					_, direct = s.Index.(*ir.Cell)
				case *ir.RegisterRead:
					name, of = s.Register.Name, s.Register.Table
					_, direct = s.Index.(*ir.Cell)
				case *ir.RegisterWrite:
					name, of = s.Register.Name, s.Register.Table
					_, direct = s.Index.(*ir.Cell)
				}
				if direct && of != t {
					at := diag.Pos{File: diag.NewFile(s.At().File, ""), Line: int32(s.At().Line), Col: int32(s.At().Col)}
					l.errorf(at, diag.TableProperty, "%s does not belong to table %s, whose action uses it (meters = …; registers = …;)", name, t.Name)
				}
				return true
			})
		}
	}
}

// implementation is the extern that a table names as its implementation, or nil. Those that only say how the chip
// stores entries change nothing.
func (b *body) implementation(t *types.Table) *extern {
	if t.Impl == nil {
		return nil
	}
	if e, ok := t.Impl.(*syntax.Call); ok {
		if c := b.g.info.Calls[e]; c != nil && c.Instance != nil {
			if et, ok := c.Instance.Type.(*types.ExternType); ok && (et.Extern.Name == "Atcam" || et.Extern.Name == "Alpm") {
				return nil
			}
		}
		b.g.errorf(t.Impl.Pos(), diag.Unsupported, "table %s: its implementation has no name for the controller: declare an instance, and name it here", t.Name)
		return nil
	}
	x, ok := b.g.externArg(t.Impl, b.env).(*extern)
	switch {
	case !ok || x == nil:
		if !b.g.diags.HasErrors() {
			b.g.errorf(t.Impl.Pos(), diag.Unsupported, "table %s: its implementation must be an instance that is named directly", t.Name)
		}
		return nil
	case x.kind != "Atcam" && x.kind != "Alpm" && x.kind != "ActionProfile" && x.kind != "ActionSelector":
		b.g.errorf(t.Impl.Pos(), diag.TableProperty, "table %s: %s is no implementation of a table", t.Name, x.kind)
		return nil
	}
	return x
}

// selectKey lowers a key of match kind selector: an input of the selector's hash.
func (b *body) selectKey(k *types.Key, ti *tableInst, impl *extern) {
	if impl == nil || impl.profile == nil || impl.profile.sel == nil {
		b.g.errorf(k.Decl.Match.At, diag.TableKey, "a selector key needs a table whose implementation is an ActionSelector")
		return
	}
	x := b.expr(k.Decl.X)
	b.g.warnAnnots(k.Decl.Annots)
	ti.selects, ti.selected = append(ti.selects, castTo(ir.BitType(x.Type().Width), x)), append(ti.selected, k.Decl.X)
}

func (b *body) key(k *types.Key) *ir.Key {
	g := b.g
	mk, ok := matchKinds[k.Match]
	if !ok {
		g.errorf(k.Decl.Match.At, diag.Unsupported, "match kind %q is not supported", k.Match)
		return nil
	}
	x := b.expr(k.Decl.X)
	name := ""
	if a := k.Decl.Annots.Find("name"); a != nil {
		s, ok := annotString(a)
		if !ok {
			g.errorf(a.Pos(), diag.Annotation, "@name needs a string")
		}
		name = s
	} else if s, ok := keyName(k.Decl.X); ok {
		name = s
	} else {
		g.errorf(k.Decl.X.Pos(), diag.TableKey, "this key has no name by itself: give it one (@name(\"…\"))")
	}
	g.warnAnnots(k.Decl.Annots)
	return &ir.Key{
		Name: name, ID: g.fieldID(k.Decl.Annots), Expr: x, Width: x.Type().Width, Match: mk,
		Annotations: g.annotations(k.Decl.Annots), Pos: pos(k.Decl.X.Pos()),
	}
}

// keyIDs numbers the keys without @id from 1, passing over ids that are taken.
func (b *body) keyIDs(it *ir.Table, t *types.Table) {
	taken := map[uint32]bool{}
	for _, k := range it.Keys {
		if k.ID != 0 && taken[k.ID] {
			b.g.errorf(t.Decl.Name.At, diag.ID, "table %s: two keys have @id(%d)", t.Name, k.ID)
		}
		taken[k.ID] = true
	}
	next := uint32(1)
	for _, k := range it.Keys {
		if k.ID != 0 {
			next++
			continue
		}
		for taken[next] {
			next++
		}
		k.ID = next
		taken[next] = true
	}
}

// keyName is the control-plane name of a key without @name: its text.
func keyName(e syntax.Expr) (string, bool) {
	switch e := e.(type) {
	case *syntax.NameExpr:
		return e.Name, true
	case *syntax.Member:
		x, ok := keyName(e.X)
		return x + "." + e.Sel.Name, ok
	case *syntax.Index:
		x, ok := keyName(e.X)
		i, ok2 := keyName(e.I)
		return x + "[" + i + "]", ok && ok2
	case *syntax.NumberLit:
		return e.Lit.Value.String(), true
	case *syntax.Slice:
		x, ok := keyName(e.X)
		h, ok2 := keyName(e.Hi)
		l, ok3 := keyName(e.Lo)
		return x + "[" + h + ":" + l + "]", ok && ok2 && ok3
	case *syntax.Call:
		if m, ok := e.Fun.(*syntax.Member); ok && m.Sel.Name == "isValid" {
			x, ok := keyName(m.X)
			return x + ".$valid$", ok
		}
	}
	return "", false
}

func (b *body) tableActions(t *types.Table, ti *tableInst) {
	g := b.g
	for _, r := range t.Actions {
		a := b.action(r)
		if a == nil {
			continue
		}
		ti.actions[r.Action] = a
		ref := ir.ActionRef{Action: a, Annotations: g.annotations(r.Decl.Annots)}
		g.warnAnnots(r.Decl.Annots)
		ref.DefaultOnly = r.Decl.Annots.Find("defaultonly") != nil
		ref.TableOnly = r.Decl.Annots.Find("tableonly") != nil
		ti.table.Actions = append(ti.table.Actions, ref)
	}
}

// action lowers an action for a table. An action whose directional parameters
// a table binds is a different action for each table.
func (b *body) action(r *types.ActionRef) *ir.Action {
	g := b.g
	a := r.Action
	directed := false
	for _, p := range a.Params {
		directed = directed || p.Dir != syntax.DirNone
	}
	global := a.Control == nil
	key := actionKey{a}
	home := b.actionEnv(a)
	if !directed {
		if global {
			if ia := g.globals[a]; ia != nil {
				return ia
			}
		} else if ia, ok := home.objects[key].(*ir.Action); ok {
			return ia
		}
	}
	ia := &ir.Action{
		Name: g.controlName(home.path, a.Name, a.Decl.Annots),
		Pos:  pos(a.Decl.Name.At), Annotations: g.annotations(a.Decl.Annots),
	}
	ia.ID = g.id(a.Decl.Annots, idAction, ia.Name)
	g.warnAnnots(a.Decl.Annots)
	in := &body{g: g, env: home.child()}
	for _, p := range a.Params {
		if p.Dir != syntax.DirNone {
			continue
		}
		it, ok := scalarType(p.Type)
		if !ok {
			g.errorf(p.Decl.Type.Pos(), diag.Unsupported, "action data of type %s are not supported: give its fields", p.Type)
			continue
		}
		v := &ir.Var{Name: p.Name, Type: it, Kind: ir.Param, Pos: pos(p.Decl.Name.At)}
		ia.Params = append(ia.Params, v)
		ia.ParamAnnots = append(ia.ParamAnnots, g.annotations(p.Decl.Annots))
		g.warnAnnots(p.Decl.Annots)
		in.env.objects[p.Var] = &store{typ: p.Type, v: v}
	}
	saved := g.where
	g.where = inAction
	if directed {
		in.directed(b, r, home)
	} else {
		in.block(a.Decl.Body)
	}
	g.where = saved
	ia.Body = in.stmts
	if directed {
		g.prog.Actions = append(g.prog.Actions, ia)
		return ia
	}
	if global {
		g.globals[a] = ia
		if usesLocals(ia.Body) {
			g.errorf(a.Decl.Name.At, diag.Unsupported, "action %s is declared outside a control and needs variables of its own: move it into the control", a.Name)
		}
	} else {
		home.objects[key] = ia
	}
	g.prog.Actions = append(g.prog.Actions, ia)
	return ia
}

// actionKey is the object under which an environment keeps the lowered form of
// an action.
type actionKey struct{ *types.Action }

func usesLocals(ss []ir.Stmt) bool {
	found := false
	w := &varWalker{
		use:     func(v *ir.Var) { found = found || v != nil && v.Kind == ir.Local },
		actions: map[*ir.Action]bool{}, tables: map[*ir.Table]bool{}, regs: map[*ir.RegisterAction]bool{},
	}
	w.stmts(ss)
	return found
}

// directed lowers an action with arguments that a table binds, which are names of the
// control that declares the table: they are evaluated where the action begins.
func (b *body) directed(table *body, r *types.ActionRef, home *env) {
	a := r.Action
	c := callee{name: a.Name, outer: b.outerStores(a, home)}
	var args []syntax.Expr
	for i, p := range a.Params {
		if p.Dir != syntax.DirNone && i < len(r.Args) && r.Args[i] != nil {
			c.params, args = append(c.params, p), append(args, r.Args[i])
		}
	}
	call := &body{g: b.g, env: table.env}
	bind, ok := call.bindArgs(b.env, c, args)
	if !ok {
		return
	}
	in := call.inlined(b.env, bind, nil)
	in.block(a.Decl.Body)
	if len(bind.back) == 0 {
		b.stmts = append(call.stmts, in.stmts...)
		return
	}
	call.emit(&ir.Block{Name: a.Name, Callable: true, Body: in.stmts, Pos: pos(r.Decl.Name.Pos())})
	call.leave(bind)
	b.stmts = call.stmts
}

func (b *body) defaultAction(t *types.Table, ti *tableInst) {
	it := ti.table
	it.ConstDefault = t.ConstDefault
	if t.Default == nil {
		// P4: NoAction, which the table gets as a default-only action.
		if na := b.noAction(); na != nil {
			it.Default = ir.ActionCall{Action: na}
			for _, r := range it.Actions {
				if r.Action == na {
					return
				}
			}
			it.Actions = append(it.Actions, ir.ActionRef{Action: na, DefaultOnly: true,
				Annotations: []ir.Annotation{{Name: "defaultonly"}}})
		}
		return
	}
	it.Default = b.actionCall(t.Default, ti)
}

// noAction is the action of tables without a default.
func (b *body) noAction() *ir.Action {
	a := b.g.info.NoAction
	if a == nil {
		// A program without core.p4.
		a = noActionWithoutCore
	}
	if ia := b.g.globals[a]; ia != nil {
		return ia
	}
	if a.Decl != nil {
		return b.action(&types.ActionRef{Action: a})
	}
	ia := &ir.Action{Name: a.Name}
	b.g.globals[a] = ia
	b.g.prog.Actions = append(b.g.prog.Actions, ia)
	return ia
}

var noActionWithoutCore = &types.Action{Name: "NoAction"}

// actionCall lowers a default action or the action of an entry.
func (b *body) actionCall(r *types.ActionRef, ti *tableInst) ir.ActionCall {
	call := ir.ActionCall{Action: ti.actions[r.Action]}
	for i, p := range r.Action.Params {
		if p.Dir != syntax.DirNone {
			continue
		}
		var v *big.Int
		if i < len(r.Args) && r.Args[i] != nil {
			v, _ = types.IntOf(b.g.value(r.Args[i], b.env))
		} else if p.Default != nil {
			v, _ = types.IntOf(b.g.value(p.Default, b.env))
		}
		it, ok := scalarType(p.Type)
		if v == nil || !ok {
			v = new(big.Int)
		} else {
			v = constant(it, v).Value
		}
		call.Args = append(call.Args, v)
	}
	return call
}

func (b *body) entries(t *types.Table, ti *tableInst) {
	it := ti.table
	it.ConstEntries = t.ConstEntries
	if len(t.Entries) == 0 || len(it.Keys) != len(t.Keys) { // those of a selector have no entries: see indirect
		return
	}
	prioritised := false
	for _, k := range it.Keys {
		prioritised = prioritised || k.Match == ir.Ternary || k.Match == ir.Range || k.Match == ir.Optional
	}
	// P4: the first entry without a priority gets the best one that leaves room
	// for the others; each later one comes delta behind the one before it.
	next, step := (len(t.Entries)-1)*t.Delta+1, -t.Delta
	if !t.LargestWins {
		next, step = 1, t.Delta
	}
	worst := 0
	for _, e := range t.Entries {
		ie := &ir.Entry{Const: t.ConstEntries || e.Decl.Const, Pos: pos(e.Decl.Pos())}
		if e.Action == nil {
			continue
		}
		ie.Action = b.actionCall(e.Action, ti)
		for i, s := range e.Sets {
			ie.Keys = append(ie.Keys, b.keySet(s, it.Keys[i].Width))
		}
		if prioritised {
			if e.Priority != nil {
				next = int(e.Priority.Int64())
			}
			if next < 1 {
				b.g.errorf(e.Decl.Pos(), diag.TableEntry, "the priority of this entry would be %d: priorities start at 1", next)
				next = 1
			}
			ie.Priority = next
			worst = max(worst, next)
			next += step
		}
		b.g.warnAnnots(e.Decl.Annots)
		it.Entries = append(it.Entries, ie)
		b.g.stmts++
	}
	if prioritised && !t.LargestWins {
		for _, e := range it.Entries {
			e.Priority = worst + 1 - e.Priority
		}
	}
	sort.SliceStable(it.Entries, func(i, j int) bool {
		a, b := it.Entries[i], it.Entries[j]
		if a.Priority != b.Priority {
			return a.Priority > b.Priority
		}
		return !prioritised && a.PrefixLen(it) > b.PrefixLen(it)
	})
}

// keySet lowers one element of an entry or select case.
func (b *body) keySet(e syntax.Expr, width int) ir.KeySet {
	t := ir.BitType(width)
	num := func(x syntax.Expr) *big.Int {
		v, ok := types.IntOf(b.g.value(x, b.env))
		if !ok {
			return new(big.Int)
		}
		return constant(t, v).Value
	}
	switch e := e.(type) {
	case *syntax.Default:
		return ir.KeySet{Any: true}
	case *syntax.Binary:
		switch e.Op {
		case syntax.Mask:
			v, m := num(e.X), num(e.Y)
			if m.Sign() == 0 {
				return ir.KeySet{Any: true}
			}
			return ir.KeySet{Value: new(big.Int).And(v, m), Mask: m}
		case syntax.DotDot:
			return ir.KeySet{Range: true, Value: num(e.X), Mask: num(e.Y)}
		}
	}
	v := num(e)
	return ir.KeySet{Value: v, Mask: constInt(t, -1).Value, Name: b.g.constantName(e, v)}
}

// applyTable applies a table; the caller may ask for more in the statement.
func (b *body) applyTable(e *syntax.Call, c *types.Call) *ir.Apply {
	ti, ok := b.env.find(c.Table).(*tableInst)
	if !ok || ti == nil {
		return nil
	}
	for _, s := range ti.pre {
		b.emit(s)
	}
	ap := &ir.Apply{Table: ti.table, Pos: pos(e.Pos())}
	if ti.profile != nil {
		ap = b.applyMembers(ti, ap.Pos)
	}
	b.exitsInside(ap, e.Pos())
	b.emit(ap)
	return ap
}

// exitsInside refuses an action that exits where arguments wait to be stored: it has many
// callers, and cannot know of them.
func (b *body) exitsInside(ap *ir.Apply, at diag.Pos) {
	waits := slices.ContainsFunc(b.calls, func(c *binding) bool { return len(c.back) > 0 })
	ir.Runs(ap, func(a *ir.Action) {
		if waits && ir.Any(a.Body, func(s ir.Stmt) bool { _, exits := s.(*ir.Exit); return exits }) {
			waits = false
			b.g.errorf(at, diag.Unsupported, "action %s of this table exits where arguments of a call are copies: set a variable there, and exit behind the table", a.Name)
		}
	})
}

// applyResult lowers t.apply().hit and .miss.
func (b *body) applyResult(c *syntax.Call, call *types.Call, m *syntax.Member) ir.Expr {
	ap := b.applyTable(c, call)
	if ap == nil {
		return bad
	}
	ap.Hit = b.g.temp(ir.BoolType, "hit", ap.Pos)
	var x ir.Expr = &ir.Ref{Var: ap.Hit}
	switch m.Sel.Name {
	case "hit":
		return x
	case "miss":
		return &ir.Unary{Op: ir.Not, X: x}
	}
	b.g.errorf(m.Pos(), diag.Unsupported, "action_run is only supported as the subject of a switch")
	return bad
}
