package lower

import "github.com/p4ce/p4ce/p4/lang/ir"

// collectVars lists the variables that the gress uses, in order of first use.
func (g *gress) collectVars() {
	seen := map[*ir.Var]bool{}
	use := func(v *ir.Var) {
		if v == nil || seen[v] {
			return
		}
		switch v.Kind {
		case ir.Meta, ir.Intrinsic, ir.Local:
			seen[v] = true
			g.ir.Vars = append(g.ir.Vars, v)
		}
	}
	w := &varWalker{use: use, actions: map[*ir.Action]bool{}, tables: map[*ir.Table]bool{}, regs: map[*ir.RegisterAction]bool{}}
	if g.ir.Parser != nil {
		for _, s := range g.ir.Parser.States {
			w.stmts(s.Body)
			for _, k := range s.Keys {
				ir.Vars(k, use)
			}
		}
	}
	w.stmts(g.ir.Control)
	w.stmts(g.ir.Deparser)
}

type varWalker struct {
	use     func(*ir.Var)
	actions map[*ir.Action]bool
	tables  map[*ir.Table]bool
	regs    map[*ir.RegisterAction]bool
}

func (w *varWalker) stmts(ss []ir.Stmt) {
	ir.Walk(ss, func(s ir.Stmt) bool {
		ir.Reads(s, w.expr)
		if a, ok := s.(*ir.Apply); ok {
			w.table(a.Table)
		}
		ir.Writes(s, w.use)
		switch s := s.(type) {
		case *ir.Call:
			w.action(s.Action)
		case *ir.RegisterExec:
			if !w.regs[s.Action] {
				w.regs[s.Action] = true
				w.stmts(s.Action.Body)
			}
		}
		return true
	})
}

func (w *varWalker) expr(e ir.Expr) { ir.Vars(e, w.use) }

func (w *varWalker) action(a *ir.Action) {
	if a != nil && !w.actions[a] {
		w.actions[a] = true
		w.stmts(a.Body)
	}
}

func (w *varWalker) table(t *ir.Table) {
	if w.tables[t] {
		return
	}
	w.tables[t] = true
	for _, k := range t.Keys {
		w.expr(k.Expr)
	}
	for _, r := range t.Actions {
		w.action(r.Action)
	}
	w.action(t.Default.Action)
}

// mayChange tells whether statements may change the value of an expression.
func mayChange(x ir.Expr, ss []ir.Stmt) bool {
	w := writtenBy(ss)
	if readsAny(x, w.vars) {
		return true
	}
	changes := false
	ir.Vars(x, func(v *ir.Var) { changes = changes || v.Header != nil && w.headers[v.Header] })
	return changes || readsValidity(x, w.headers)
}

// headerMayChange tells whether statements may change a header: its validity, or a field.
func headerMayChange(h *ir.HeaderInst, ss []ir.Stmt) bool {
	w := writtenBy(ss)
	changes := w.headers[h]
	for _, f := range h.Fields {
		changes = changes || w.vars[f]
	}
	return changes
}

// written is what statements write, and the actions and register actions that they run.
type written struct {
	vars    map[*ir.Var]bool
	headers map[*ir.HeaderInst]bool
	actions map[*ir.Action]bool
}

func writtenBy(ss []ir.Stmt) *written {
	w := &written{vars: map[*ir.Var]bool{}, headers: map[*ir.HeaderInst]bool{}, actions: map[*ir.Action]bool{}}
	w.stmts(ss)
	return w
}

func (w *written) stmts(ss []ir.Stmt) {
	ir.Walk(ss, func(s ir.Stmt) bool {
		ir.Runs(s, func(a *ir.Action) {
			if !w.actions[a] {
				w.actions[a] = true
				w.stmts(a.Body)
			}
		})
		if x, ok := s.(*ir.RegisterExec); ok {
			w.stmts(x.Action.Body)
		}
		ir.Writes(s, func(v *ir.Var) { w.vars[v] = true })
		if h := ir.Changes(s); h != nil {
			w.headers[h] = true
		}
		return true
	})
}

func readsValidity(e ir.Expr, headers map[*ir.HeaderInst]bool) bool {
	reads := false
	ir.Inside(e, func(x ir.Expr) {
		v, ok := x.(*ir.IsValid)
		reads = reads || ok && headers[v.Header]
	})
	return reads
}
