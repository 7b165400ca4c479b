package lower

import (
	"slices"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// defaultGroupSize is the largest group of a selector that says nothing about it, as the public compiler has it, if its profile is
// not smaller.
const defaultGroupSize = 120

// slotRoom is how many slots all groups of a selector may have together, if its profile is not larger: each takes room of a switch.
const slotRoom = 1 << 16

// profile is what an ActionProfile or an ActionSelector stands for. Tables that share a profile share its variables: each begins
// with setting them to 0.
type profile struct {
	ir                       *ir.Profile
	direct                   bool            // a table names the profile itself
	sel                      *types.Instance // of the selector, nil without
	hash                     *extern         // of the selector
	width                    int             // of the hash's result
	member                   *ir.Var         // what a packet has found: see ir.Profile
	group, size, slot, value *ir.Var         // value: of the hash
}

// bits32 is the type of ids and slots.
var bits32 = ir.BitType(32)

// newProfile makes the profile of an ActionProfile, or of an ActionSelector without one.
func (g *gress) newProfile(inst *types.Instance, name string, as syntax.Annotations, size types.Value) *profile {
	p := &profile{ir: &ir.Profile{
		Name: name, ID: g.id(as, idProfile, name), Gress: g.ir, Size: g.size(inst, size),
		Annotations: g.annotations(as), Pos: pos(inst.Pos),
	}}
	p.member = g.temp(bits32, "member", p.ir.Pos)
	g.prog.Profiles = append(g.prog.Profiles, p.ir)
	return p
}

// selector makes an ActionSelector: the profile that it is given gets groups.
func (g *gress) selector(inst *types.Instance, x *extern, as syntax.Annotations, e *env) *profile {
	args := map[string]syntax.Expr{}
	for i, p := range inst.Ctor {
		if i < len(inst.Args) && inst.Args[i] != nil {
			args[p.Name] = inst.Args[i]
		}
	}
	hash, _ := g.externArg(args["hash"], e).(*extern)
	if hash == nil || hash.hash == nil {
		g.errorf(inst.Pos, diag.Unsupported, "the hash of selector %s must be an instance that is named directly", inst.Name)
		return nil
	}
	if hash.hash.Algorithm == ir.HashRandom {
		g.errorf(inst.Pos, diag.Unsupported, "selector %s: the hash RANDOM is not supported: packets of one flow would get different members", inst.Name)
		return nil
	}
	if r := args["reg"]; r != nil {
		reg, _ := g.externArg(r, e).(*extern)
		if reg == nil || reg.register == nil {
			g.errorf(r.Pos(), diag.Unsupported, "the register of selector %s must be named directly", inst.Name)
			return nil
		}
		g.hold(reg, inst)
	}
	var p *profile
	if a := args["action_profile"]; a != nil {
		of, _ := g.externArg(a, e).(*extern)
		if of == nil || of.profile == nil {
			g.errorf(a.Pos(), diag.Unsupported, "the action profile of selector %s must be an instance that is named directly", inst.Name)
			return nil
		}
		p = of.profile
		switch {
		case p.sel != nil:
			g.errorf(inst.Pos, diag.Unsupported, "action profile %s has two selectors, %s and %s: give each a profile", p.ir.Name, p.sel.Name, inst.Name)
			return nil
		case p.direct:
			g.errorf(inst.Pos, diag.TableProperty, "action profile %s is the implementation of a table: its selector %s comes before that", p.ir.Name, inst.Name)
			return nil
		}
		if p.ir.ID == 0 {
			p.ir.ID = g.id(as, idProfile, p.ir.Name)
		}
	} else {
		p = g.newProfile(inst, x.name, as, g.value(args["size"], e))
	}
	p.sel, p.hash = inst, hash
	if t, ok := scalarType(hash.typ.Args[0]); ok {
		p.width = min(t.Width, 64)
	}
	ip := p.ir
	ip.Selector, ip.GroupSize, ip.MaxGroups = true, min(defaultGroupSize, ip.Size), ip.Size
	if n := args["max_group_size"]; n != nil {
		ip.GroupSize = g.size(inst, g.value(n, e))
	} else if a := as.Find("selector_max_group_size"); a != nil {
		n, ok := annotNumber(a)
		if !ok || n > 1<<26 {
			g.errorf(a.Pos(), diag.Annotation, "@selector_max_group_size needs a number from 1 to 2^26")
			n = 1
		}
		ip.GroupSize = int(n)
	}
	if n := args["num_groups"]; n != nil {
		ip.MaxGroups = g.size(inst, g.value(n, e))
	}
	mode, ok := g.value(args["mode"], e).(*types.EnumValue)
	if !ok {
		g.errorf(inst.Pos, diag.NotConstant, "the mode of selector %s must be known when compiling", inst.Name)
		return nil
	}
	ip.Resilient = mode.Name == "RESILIENT"
	ip.SlotRoom = min(ip.GroupSize*ip.MaxGroups, max(ip.Size, slotRoom))
	return p
}

// hold gives a register to a selector. On the chip, its bits say which members take part, and the driver writes them; here, watch
// ports do that, and nothing looks at the register.
func (g *gress) hold(reg *extern, by *types.Instance) {
	if reg.used {
		g.errorf(by.Pos, diag.Unsupported, "register %s belongs to selector %s: a program that accesses it is not supported", reg.name, by.Name)
	}
	reg.held = by
}

// access notes that the program accesses a register.
func (g *gress) access(reg *extern, at diag.Pos) {
	if reg.held != nil {
		g.errorf(at, diag.Unsupported, "register %s belongs to selector %s: a program that accesses it is not supported", reg.name, reg.held.Name)
	}
	reg.used = true
}

// groupTables makes the tables of a selector.
func (p *profile) groupTables(g *gress) {
	ip := p.ir
	p.group, p.size = g.temp(bits32, "group", ip.Pos), g.temp(bits32, "group_size", ip.Pos)
	p.slot, p.value = g.temp(bits32, "slot", ip.Pos), g.temp(ir.BitType(max(p.width, 1)), "selector_hash", ip.Pos)
	ip.Slot = p.slot
	ip.SetSize = p.setter("set_size", p.size, "max_size", "half")
	ip.SetMember = p.setter("set_member", p.member)
	ip.Describe = p.setter("describe", nil, "member", "weight", "watch_port")
	groupKey := func() *ir.Key { return partKey("group", 1, p.group) }
	ip.Groups = p.part(ip.Name+".groups", ip.MaxGroups+1, []*ir.Key{groupKey()}, ip.SetSize)
	// Each slot has a description at most, and one group more is there while another takes its place.
	ip.Slots = p.part(ip.Name+".slots", 2*(ip.SlotRoom+ip.GroupSize), []*ir.Key{groupKey(), partKey("slot", 2, p.slot)}, ip.SetMember, ip.Describe)
	g.prog.Tables = append(g.prog.Tables, ip.Groups, ip.Slots)
}

func partKey(name string, id uint32, v *ir.Var) *ir.Key {
	return &ir.Key{Name: name, ID: id, Expr: &ir.Ref{Var: v}, Width: v.Type.Width, Match: ir.Exact, Pos: v.Pos}
}

// setter is an action that assigns its first parameter to a variable; the others are kept for who reads the entry back. Without a
// variable it does nothing.
func (p *profile) setter(name string, v *ir.Var, more ...string) *ir.Action {
	a := &ir.Action{Name: p.ir.Name + "." + name, Pos: p.ir.Pos}
	param := func(name string) *ir.Var {
		x := &ir.Var{Name: name, Type: bits32, Kind: ir.Param, Pos: p.ir.Pos}
		a.Params, a.ParamAnnots = append(a.Params, x), append(a.ParamAnnots, nil)
		return x
	}
	if v != nil {
		a.Body = []ir.Stmt{&ir.Assign{Dst: v, Src: &ir.Ref{Var: param("value")}, Pos: p.ir.Pos}}
	}
	for _, n := range more {
		param(n)
	}
	return a
}

// part makes a table that controllers do not see. A miss does nothing.
func (p *profile) part(name string, size int, keys []*ir.Key, actions ...*ir.Action) *ir.Table {
	t := &ir.Table{Name: name, Gress: p.ir.Gress, Keys: keys, Size: size, Part: true, Pos: p.ir.Pos}
	for _, a := range actions {
		t.Actions = append(t.Actions, ir.ActionRef{Action: a})
	}
	p.missDoesNothing(t)
	return t
}

func (p *profile) missDoesNothing(t *ir.Table) {
	miss := &ir.Action{Name: t.Name + ".nothing", Pos: t.Pos}
	t.Default, t.ConstDefault = ir.ActionCall{Action: miss}, true
	t.Actions = append(t.Actions, ir.ActionRef{Action: miss, DefaultOnly: true})
}

// indirect makes a table one whose entries name members: its actions and its default action go to a table of members. What is
// left are its keys; those of the selector are the inputs of the hash.
func (b *body) indirect(t *types.Table, ti *tableInst, x *extern) {
	g, p, it := b.g, x.profile, ti.table
	if p == nil {
		return // has been reported
	}
	switch {
	case p.ir.Gress != g.ir:
		g.errorf(t.Impl.Pos(), diag.TableProperty, "table %s: %s is of the other half of the pipeline", t.Name, p.ir.Name)
		return
	case x.kind == "ActionProfile" && p.sel != nil:
		g.errorf(t.Impl.Pos(), diag.TableProperty, "table %s: action profile %s has a selector: name that", t.Name, p.ir.Name)
		return
	case len(it.Keys) == 0:
		g.errorf(t.Decl.Name.At, diag.TableKey, "table %s has an implementation, and no key that its entries could differ in", t.Name)
		return
	case p.sel != nil && len(ti.selects) == 0:
		g.errorf(t.Impl.Pos(), diag.TableKey, "table %s has the selector %s, and no key of match kind selector: there is nothing to hash", t.Name, p.sel.Name)
		return
	case t.HasEntries:
		g.errorf(t.Decl.Name.At, diag.TableEntry, "table %s has an implementation, so its entries name members, which only a controller makes: a program cannot have entries of it", t.Name)
		return
	}
	hits, misses, ok := b.moveCounter(t, it)
	if !ok {
		return
	}
	p.direct = p.direct || p.sel == nil
	if p.sel != nil && p.ir.Groups == nil {
		p.groupTables(g)
	}
	if len(p.ir.Tables) > 0 && !sameActions(p.ir.Tables[0].Visible(), it) {
		g.errorf(t.Impl.Pos(), diag.TableAction, "tables %s and %s share %s, and do not list the same actions", p.ir.Tables[0].Name, it.Name, p.ir.Name)
		return
	}
	members := &ir.Table{
		Name: it.Name + ".members", Gress: g.ir, Keys: []*ir.Key{partKey("member", 1, p.member)}, Size: p.ir.Size + p.ir.GroupSize, Part: true,
		Actions: it.Actions, Default: it.Default, ConstDefault: it.ConstDefault, Pos: it.Pos,
	}
	in := &ir.Indirect{Profile: p.ir, Members: members, ToMember: p.setter("to_member", p.member)}
	it.Actions = []ir.ActionRef{{Action: in.ToMember}}
	if p.sel != nil {
		in.ToGroup, in.ToSet = p.setter("to_group", p.group), p.setter("to_set", p.group)
		it.Actions = append(it.Actions, ir.ActionRef{Action: in.ToGroup}, ir.ActionRef{Action: in.ToSet})
	}
	p.missDoesNothing(it)
	for _, r := range it.Actions {
		if !r.DefaultOnly && hits || r.DefaultOnly && misses {
			r.Action.Body = append(r.Action.Body, &ir.DirectCount{Counter: it.Counter, Pos: it.Pos})
		}
	}
	it.Indirect, ti.profile = in, p
	p.ir.Tables = append(p.ir.Tables, it)
	g.prog.Tables = append(g.prog.Tables, members)
}

// moveCounter takes the direct counter of a table with a profile out of its actions, which are those of members: what counts is the
// entry that names one, and on a miss the default entry. So actions of entries must count alike, and default actions, too.
func (b *body) moveCounter(t *types.Table, it *ir.Table) (hits, misses, ok bool) {
	c := it.Counter
	if c == nil {
		return false, false, true
	}
	is := func(s ir.Stmt) bool { x, ok := s.(*ir.DirectCount); return ok && x.Counter == c }
	var entries, defaults [2]int // how many do not count, and do
	for _, r := range it.Actions {
		n := 0
		if slices.ContainsFunc(r.Action.Body, is) {
			n = 1
		} else if ir.Any(r.Action.Body, is) {
			b.g.errorf(t.Decl.Name.At, diag.Unsupported, "table %s has an implementation: action %s counts on some of its ways only, which is not supported", t.Name, r.Action.Name)
			return false, false, false
		}
		if !r.DefaultOnly {
			entries[n]++
		}
		if !r.TableOnly && (!it.ConstDefault || r.Action == it.Default.Action) {
			defaults[n]++
		}
	}
	for _, x := range []struct {
		what string
		n    [2]int
	}{{"some of the actions of its entries count, and others do not", entries}, {"its default action may become one that counts, or one that does not: make it const", defaults}} {
		if x.n[0] > 0 && x.n[1] > 0 {
			b.g.errorf(t.Decl.Name.At, diag.Unsupported, "table %s has an implementation and a direct counter: %s", t.Name, x.what)
			return false, false, false
		}
	}
	for _, r := range it.Actions {
		r.Action.Body = slices.DeleteFunc(r.Action.Body, is)
	}
	return entries[1] > 0, defaults[1] > 0, true
}

// sameActions reports whether entries of two tables may run the same actions.
func sameActions(a, b *ir.Table) bool {
	of := func(t *ir.Table) map[*ir.Action]bool {
		out := map[*ir.Action]bool{}
		for _, r := range t.Actions {
			if !r.DefaultOnly {
				out[r.Action] = true
			}
		}
		return out
	}
	x, y := of(a), of(b)
	for k := range x {
		if !y[k] {
			return false
		}
	}
	return len(x) == len(y)
}

// applyMembers applies a table whose entries name members, and returns the application that runs an action of the program.
func (b *body) applyMembers(ti *tableInst, at ir.Pos) *ir.Apply {
	p, it := ti.profile, ti.table
	zero := func(v *ir.Var) { b.emit(&ir.Assign{Dst: v, Src: constInt(v.Type, 0), Pos: at}) }
	zero(p.member)
	if p.sel != nil {
		zero(p.group)
		zero(p.size)
	}
	b.emit(&ir.Apply{Table: it, Pos: at})
	if p.sel != nil {
		isSet := func(v *ir.Var) ir.Expr {
			return &ir.Binary{Op: ir.Ne, T: ir.BoolType, X: &ir.Ref{Var: v}, Y: constInt(v.Type, 0), Pos: at}
		}
		wide := ir.BitType(max(32, p.value.Type.Width))
		slot := &ir.Binary{Op: ir.Mod, T: wide, X: castTo(wide, &ir.Ref{Var: p.value}), Y: castTo(wide, &ir.Ref{Var: p.size}), Pos: at}
		b.emit(&ir.If{Cond: isSet(p.group), Pos: at, Then: []ir.Stmt{
			&ir.Apply{Table: p.ir.Groups, Pos: at},
			&ir.If{Cond: isSet(p.size), Pos: at, Then: []ir.Stmt{
				&ir.HashGet{Hash: p.hash.hash, Inputs: ti.selects, Dst: p.value, Pos: at},
				&ir.Assign{Dst: p.slot, Src: castTo(bits32, slot), Pos: at},
				&ir.Apply{Table: p.ir.Slots, Pos: at},
			}},
		}})
	}
	return &ir.Apply{Table: it.Indirect.Members, Pos: at}
}
