package lower

import (
	"fmt"

	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/ir"
	"github.com/p4ce/p4ce/p4/lang/syntax"
	"github.com/p4ce/p4ce/p4/lang/types"
)

// valueSet is a value_set of one inlined parser. Its members are entries of a table. A select that names the set applies the table in
// front of it, and has one more key: whether an entry matched.
//
//	transition select(k) { set : a; 5 : b; }
//	=> key = k; hit = table.apply().hit; transition select(k, hit) { _, 1 : a; 5, _ : b; }
type valueSet struct {
	set  *ir.ValueSet
	keys []*ir.Var // what the table compares: the keys of the select
	used bool
}

// valueSet declares a value set.
func (b *body) valueSet(d *syntax.ValueSet) *valueSet {
	g := b.g
	o, ok := g.info.Defs[d].(*types.ValueSet)
	if !ok {
		return nil
	}
	at, name := pos(d.Name.At), g.controlName(b.env.path, o.Name, d.Annots)
	g.warnAnnots(d.Annots, "pvs", "parser_value_set_size")
	member := &ir.Action{Name: name + ".$member", Annotations: []ir.Annotation{{Name: "hidden"}}, Pos: at}
	t := &ir.Table{
		Name: name, Gress: g.ir, Size: o.Size, Pos: at,
		Actions: []ir.ActionRef{{Action: member}}, Default: ir.ActionCall{Action: member}, ConstDefault: true,
	}
	s := &valueSet{set: &ir.ValueSet{Name: name, ID: g.id(d.Annots, idValueSet, name), Table: t, Annotations: g.annotations(d.Annots), Pos: at}}
	t.ValueSet = s.set
	if o.Size < 1 || o.Size > maxMembers {
		g.errorf(d.Size.Pos(), diag.Width, "the size of value set %s is 1 to %d", o.Name, maxMembers)
		return nil
	}
	fields := []*types.Field{{Type: o.Elem}}
	if st, ok := o.Elem.(*types.Struct); ok {
		fields = st.Fields
	}
	for i, f := range fields {
		it, ok := scalarType(f.Type)
		if !ok || it.Width == 0 {
			g.errorf(d.Type.Pos(), diag.Unsupported, "value set %s: the type %s is not supported", o.Name, o.Elem)
			return nil
		}
		k := &ir.Key{Name: f.Name, ID: uint32(i + 1), Width: it.Width, Match: ir.Exact, Pos: at}
		if f.Decl != nil {
			k.Annotations = g.annotations(f.Decl.Annots)
			if a := f.Decl.Annots.Find("match"); a != nil {
				match, ok := matchKinds[a.Body()]
				if !ok {
					g.errorf(a.Pos(), diag.Annotation, "@match(%s): want exact, lpm, ternary, range or optional", a.Body())
				}
				k.Match = match
			}
		}
		v := g.temp(it, "value_set", at)
		k.Expr, s.keys = &ir.Ref{Var: v}, append(s.keys, v)
		t.Keys = append(t.Keys, k)
	}
	b.env.objects[o] = s
	return s
}

// maxMembers is how many members a value set may have.
const maxMembers = 1 << 14

// keepSets adds the value sets that a select names to the program.
func (g *gress) keepSets(sets []*valueSet) {
	for _, s := range sets {
		if !s.used {
			at := diag.Pos{File: diag.NewFile(s.set.Pos.File, ""), Line: int32(s.set.Pos.Line), Col: int32(s.set.Pos.Col)}
			g.diags.Warnf(at, diag.SelectCase, "value set %s is in no select and is left out", s.set.Name)
			continue
		}
		g.prog.ValueSets = append(g.prog.ValueSets, s.set)
		g.prog.Tables = append(g.prog.Tables, s.set.Table)
		g.prog.Actions = append(g.prog.Actions, s.set.Table.Default.Action)
	}
}

// partsOf are the elements of a case, one for each key, or one value set for all.
func partsOf(set syntax.Expr, keys int) []syntax.Expr {
	switch l := set.(type) {
	case *syntax.List:
		return l.Elems
	case *syntax.Default, *syntax.NameExpr:
		var parts []syntax.Expr
		for range keys {
			parts = append(parts, l)
		}
		return parts
	}
	return []syntax.Expr{set}
}

// inSet is the value set that an element names, or nil.
func (b *body) inSet(e syntax.Expr) *valueSet {
	if n, ok := e.(*syntax.NameExpr); ok {
		if o, ok := b.g.info.Uses[n].(*types.ValueSet); ok {
			s, _ := b.env.find(o).(*valueSet)
			return s
		}
	}
	return nil
}

// setUses are the value sets that the cases of a select name, each with the key of the select from which on it compares, in the order
// in which their answers are behind the keys.
type setUses struct {
	b    *body
	uses []setUse
}

type setUse struct {
	s     *valueSet
	first int
}

// of are the uses in one case.
func (u *setUses) of(c *syntax.SelectCase, keys int) (out []setUse) {
	parts := partsOf(c.Set, keys)
	for i := 0; i < len(parts); i++ {
		if s := u.b.inSet(parts[i]); s != nil {
			out = append(out, setUse{s, i})
			if parts[i] == c.Set { // one for all
				break
			}
		}
	}
	return out
}

// setsOf applies the tables of the value sets that a select names, and adds what they answer to the state's keys.
func (b *body) setsOf(t *syntax.Transition, st *ir.State) *setUses {
	u := &setUses{b: b}
	n := len(st.Keys)
	for _, c := range t.Cases {
		for _, use := range u.of(c, n) {
			if u.index(use) < 0 && use.first+len(use.s.keys) <= n {
				u.uses = append(u.uses, use)
			}
		}
	}
	if len(u.uses) == 0 {
		return u
	}
	at := pos(t.Pos())
	for i, use := range u.uses {
		use.s.used = true
		for k, v := range use.s.keys {
			b.emit(&ir.Assign{Dst: v, Src: castTo(v.Type, st.Keys[use.first+k]), Pos: at})
		}
		hit := b.g.temp(ir.BoolType, fmt.Sprintf("in_set_%d", i), at)
		b.emit(&ir.Apply{Table: use.s.set.Table, Hit: hit, Pos: at})
		st.Keys = append(st.Keys, &ir.Cast{T: ir.BitType(1), X: &ir.Ref{Var: hit}})
	}
	return u
}

func (u *setUses) index(use setUse) int {
	for i, x := range u.uses {
		if x == use {
			return i
		}
	}
	return -1
}

// asked is what a case wants the value sets to have answered.
func (u *setUses) asked(c *syntax.SelectCase, keys int) []ir.KeySet {
	out := make([]ir.KeySet, len(u.uses))
	for i := range out {
		out[i].Any = true
	}
	for _, use := range u.of(c, keys) {
		if i := u.index(use); i >= 0 {
			out[i] = ir.KeySet{Value: constInt(ir.BitType(1), 1).Value, Mask: constInt(ir.BitType(1), 1).Value}
		}
	}
	return out
}
