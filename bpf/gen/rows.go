package gen

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// effects are what statements do to registers and variables, with the actions
// that they call or that a table they apply may run.
type effects struct {
	registers []*ir.Register
	indexes   []ir.Expr // of registers
	counters  []*ir.Counter
	counted   []ir.Expr // indexes of counters
	assigned  []*ir.Var
}

func effectsOf(stmts []ir.Stmt) *effects {
	e := &effects{}
	e.stmts(stmts)
	return e
}

func (e *effects) access(r *ir.Register, index ir.Expr) {
	e.registers = append(e.registers, r)
	e.indexes = append(e.indexes, index)
}

func (e *effects) stmts(list []ir.Stmt) {
	ir.Walk(list, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.RegisterExec:
			e.access(s.Action.Register, s.Index)
		case *ir.RegisterRead:
			e.access(s.Register, s.Index)
		case *ir.RegisterWrite:
			e.access(s.Register, s.Index)
		case *ir.Count:
			e.counters, e.counted = append(e.counters, s.Counter), append(e.counted, s.Index)
		}
		ir.Writes(s, func(v *ir.Var) { e.assigned = append(e.assigned, v) })
		if h := ir.Changes(s); h != nil {
			e.assigned = append(e.assigned, h.Fields...)
		}
		ir.Runs(s, func(a *ir.Action) { e.stmts(a.Body) })
		return true
	})
}

// rowIndex is the variable of the gress that indexes all registers of some rows, when it is
// one and the statements do not change it; else nil.
func (e *effects) rowIndex(d *Description, rows *Rows) *ir.Var {
	var index *ir.Var
	for i, r := range e.registers {
		if d.registers[r].Rows != rows {
			continue
		}
		ref, ok := e.indexes[i].(*ir.Ref)
		if !ok || index != nil && ref.Var != index || ref.Var.Kind == ir.Param {
			return nil // an action's parameter is not known outside it
		}
		index = ref.Var
	}
	if slices.Contains(e.assigned, index) {
		return nil
	}
	return index
}

func (e *effects) accesses(d *Description, rows *Rows) int {
	n := 0
	for _, r := range e.registers {
		if d.registers[r].Rows == rows {
			n++
		}
	}
	return n
}

// hoist finds the rows that need be looked up only once in a block (a control that is applied): all accesses are in such blocks,
// with one index, which the block does not change.
func (g *gress) hoist() {
	g.hoisted = map[*Rows][]*ir.Block{}
	all := effectsOf(g.Control)
	all.stmts(g.Deparser)
	for _, st := range g.Parser.States {
		all.stmts(st.Body)
	}
	for _, rows := range g.d.Rows {
		n := all.accesses(g.d, rows)
		if n < 2 {
			continue
		}
		var blocks []*ir.Block
		ir.Walk(g.Control, func(s ir.Stmt) bool {
			b, ok := s.(*ir.Block)
			if !ok || !b.Callable {
				return true
			}
			e := effectsOf(b.Body)
			here := e.accesses(g.d, rows)
			if here == 0 || e.rowIndex(g.d, rows) == nil {
				return here > 0
			}
			blocks = append(blocks, b)
			n -= here
			return false
		})
		if n == 0 {
			g.hoisted[rows] = blocks
		}
	}
}

// lookUpRows writes the look-ups that a block begins with.
func (g *gress) lookUpRows(b *ir.Block) {
	for _, rows := range g.rowsOf(b) {
		g.out.line("s->%s = %s;", rows.Var, g.row(b, rows))
		g.out.line("barrier_var(s->%s);", rows.Var)
	}
}

// whole reports whether there is a row for every value that an index of its registers can
// have.
func (r *Rows) whole() bool {
	for _, x := range r.Registers {
		if w := x.Register.IndexType.Width; w > 30 || 1<<w != r.Size {
			return false
		}
	}
	return true
}

// sure reports whether a row that was looked up at the beginning of its block is there.
func (g *gress) sure(r *Rows) bool {
	return r.whole() && (!r.Mapped || !slices.ContainsFunc(g.hoisted[r], func(b *ir.Block) bool { return !g.rowFunc(b) }))
}

// element is the C expression for a row, 0 when there is none. A map says that there may
// be none even if there is one for every index.
func (r *Rows) element(index string) string {
	if r.Mapped {
		return fmt.Sprintf("ROW(%s, %d, %s)", r.Var, r.Size, index)
	}
	if r.whole() {
		return fmt.Sprintf("ELEMENT_OF_ALL(%s, %d, %s)", r.Var, r.Size, index)
	}
	return fmt.Sprintf("ELEMENT(%s, %d, %s)", r.Var, r.Size, index)
}

// row is the C expression for the row that a block looks up, 0 when there is none.
func (g *gress) row(b *ir.Block, rows *Rows) string {
	index := g.read(effectsOf(b.Body).rowIndex(g.d, rows))
	return rows.element(index)
}

// rowsOf are the rows that a block looks up.
func (g *gress) rowsOf(b *ir.Block) []*Rows {
	var out []*Rows
	for _, rows := range g.d.Rows {
		if slices.Contains(g.hoisted[rows], b) {
			out = append(out, rows)
		}
	}
	return out
}

// withRow is the name of the function that is a block with its first row.
func (g *gress) withRow(b *ir.Block) string {
	rows := g.rowsOf(b)[0]
	if len(g.hoisted[rows]) > 1 {
		return g.function(b, "", lastPart(b.Name)+"_with_"+rows.Var)
	}
	return g.function(b, "", "with_"+rows.Var)
}

// rowFuncs writes the blocks that look rows up as functions. They are inlined
// twice: once for a row that there is, so that no access has to ask, and once
// for none.
func (g *gress) rowFuncs() {
	var blocks []*ir.Block
	anyStmt(g.Control, func(s ir.Stmt) bool {
		if b, ok := s.(*ir.Block); ok && g.rowFunc(b) {
			blocks = append(blocks, b)
		}
		return false
	}, true)
	slices.Reverse(blocks) // inner ones first
	o := g.out
	for _, b := range blocks {
		rows := g.rowsOf(b)
		o.line("/* %s, with a row of its registers, or with 0 when the index is out of range. */", b.Name)
		o.open("INLINE void %s(struct %s *s, struct %s *row)\n{", g.withRow(b), g.Gress.Name, rows[0].Var)
		o.line("s->%s = row;", rows[0].Var)
		for _, r := range rows[1:] {
			o.line("s->%s = %s;", r.Var, g.row(b, r))
			if r.whole() && r.Mapped {
				o.line("if (unlikely(!s->%s)) { /* the verifier's: it is never so */", r.Var)
				o.line("\ts->contention = 1;")
				o.line("\treturn;")
				o.line("}")
			}
			o.line("barrier_var(s->%s);", r.Var)
		}
		g.blockBody(b)
		o.close("}")
		o.line("")
	}
}

// rowFunc reports whether a block is a function of its row: it looks one up, and
// does not leave the control.
func (g *gress) rowFunc(b *ir.Block) bool {
	return len(g.rowsOf(b)) > 0 &&
		!anyStmt(b.Body, func(s ir.Stmt) bool { _, ok := s.(*ir.Exit); return ok }, true)
}

// onlyOne finds out whether at most one of an @updates_first block's statements
// changes a register: each applies a table (under a condition) which does so for
// some values of a key, the same key in all of them, and no value twice. It
// returns the key and each statement's values.
func (g *gress) onlyOne(stmts []ir.Stmt) (key ir.Expr, values [][]uint64) {
	taken := map[uint64]bool{}
	for _, s := range stmts {
		if c, ok := s.(*ir.If); ok && len(c.Then) == 1 && len(c.Else) == 0 {
			s = c.Then[0]
		}
		a, ok := s.(*ir.Apply)
		if !ok || a.Hit != nil || a.Switch {
			return nil, nil
		}
		t := a.Table
		if g.d.tables[t].Kind != TableConst || len(t.Keys) != 1 || !t.ConstDefault || phaseName(t.Default.Action) == "P4_UPDATES" {
			return nil, nil
		}
		ref, ok := t.Keys[0].Expr.(*ir.Ref)
		if !ok || key != nil && key.(*ir.Ref).Var != ref.Var {
			return nil, nil
		}
		key = ref
		var mine []uint64
		for _, e := range t.Entries {
			if phaseName(e.Action.Action) != "P4_UPDATES" {
				continue
			}
			k := e.Keys[0]
			ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(t.Keys[0].Width)), big.NewInt(1))
			if k.Any || k.Range || k.Mask != nil && k.Mask.Cmp(ones) != 0 || taken[k.Value.Uint64()] {
				return nil, nil
			}
			taken[k.Value.Uint64()] = true
			mine = append(mine, k.Value.Uint64())
		}
		values = append(values, mine)
	}
	if key == nil || slices.Contains(effectsOf(stmts).assigned, key.(*ir.Ref).Var) {
		return nil, nil
	}
	return key, values
}
