package lower

import "github.com/p4ce/p4ce/p4/lang/ir"

// eachVar calls f for every variable that an expression reads.
func eachVar(e ir.Expr, f func(*ir.Var)) {
	switch e := e.(type) {
	case *ir.Ref:
		f(e.Var)
	case *ir.Unary:
		eachVar(e.X, f)
	case *ir.Binary:
		eachVar(e.X, f)
		eachVar(e.Y, f)
	case *ir.Cast:
		eachVar(e.X, f)
	case *ir.Slice:
		eachVar(e.X, f)
	case *ir.Mux:
		eachVar(e.Cond, f)
		eachVar(e.X, f)
		eachVar(e.Y, f)
	}
}

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
				eachVar(k, use)
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
	for _, s := range ss {
		w.stmt(s)
	}
}

func (w *varWalker) expr(e ir.Expr) {
	if e != nil {
		eachVar(e, w.use)
	}
}

func (w *varWalker) exprs(es []ir.Expr) {
	for _, e := range es {
		w.expr(e)
	}
}

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

func (w *varWalker) stmt(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.Assign:
		w.expr(s.Src)
		w.use(s.Dst)
	case *ir.If:
		w.expr(s.Cond)
		w.stmts(s.Then)
		w.stmts(s.Else)
	case *ir.Block:
		w.stmts(s.Body)
	case *ir.Apply:
		w.table(s.Table)
		w.use(s.Hit)
		for _, c := range s.Cases {
			w.stmts(c.Body)
		}
		w.stmts(s.Default)
	case *ir.Call:
		w.exprs(s.Args)
		w.action(s.Action)
	case *ir.Count:
		w.expr(s.Index)
	case *ir.RegisterExec:
		w.expr(s.Index)
		w.use(s.Dst)
		if !w.regs[s.Action] {
			w.regs[s.Action] = true
			w.stmts(s.Action.Body)
		}
	case *ir.RegisterRead:
		w.expr(s.Index)
		for _, d := range s.Dst {
			w.use(d)
		}
	case *ir.RegisterWrite:
		w.expr(s.Index)
		w.exprs(s.Src)
	case *ir.HashGet:
		w.exprs(s.Inputs)
		w.expr(s.Base)
		w.expr(s.Max)
		w.use(s.Dst)
	case *ir.RandomGet:
		w.use(s.Dst)
	case *ir.DigestPack:
		w.exprs(s.Fields)
	case *ir.Advance:
		w.expr(s.Bits)
	case *ir.Lookahead:
		for _, d := range s.Dst {
			w.use(d)
		}
	case *ir.ChecksumAdd:
		w.exprs(s.Inputs)
	case *ir.ChecksumVerify:
		w.use(s.Dst)
	case *ir.ChecksumUpdate:
		w.exprs(s.Inputs)
		w.use(s.Dst)
	}
}

// mayChange tells whether statements may change the value of an expression.
func mayChange(x ir.Expr, ss []ir.Stmt) bool {
	w := written{vars: map[*ir.Var]bool{}, headers: map[*ir.HeaderInst]bool{}}
	w.stmts(ss)
	if w.anything || readsAny(x, w.vars) {
		return true
	}
	changes := false
	eachVar(x, func(v *ir.Var) { changes = changes || v.Header != nil && w.headers[v.Header] })
	return changes || readsValidity(x, w.headers)
}

// written is what statements write; anything is set when that is not known.
type written struct {
	vars     map[*ir.Var]bool
	headers  map[*ir.HeaderInst]bool
	anything bool
}

func (w *written) stmts(ss []ir.Stmt) {
	for _, s := range ss {
		switch s := s.(type) {
		case *ir.Assign:
			w.vars[s.Dst] = true
		case *ir.If:
			w.stmts(s.Then)
			w.stmts(s.Else)
		case *ir.Block:
			w.stmts(s.Body)
		case *ir.SetValid:
			w.headers[s.Header] = true
		case *ir.CopyHeader:
			w.headers[s.Dst] = true
		case *ir.Extract:
			w.headers[s.Header] = true
		case *ir.RegisterExec:
			w.vars[s.Dst] = true
		case *ir.RegisterRead:
			for _, d := range s.Dst {
				w.vars[d] = true
			}
		case *ir.HashGet:
			w.vars[s.Dst] = true
		case *ir.RandomGet:
			w.vars[s.Dst] = true
		case *ir.Lookahead:
			for _, d := range s.Dst {
				w.vars[d] = true
			}
		case *ir.ChecksumVerify:
			w.vars[s.Dst] = true
		case *ir.ChecksumUpdate:
			w.vars[s.Dst] = true
		case *ir.Apply, *ir.Call:
			w.anything = true
		}
	}
}

func readsValidity(e ir.Expr, headers map[*ir.HeaderInst]bool) bool {
	switch e := e.(type) {
	case *ir.IsValid:
		return headers[e.Header]
	case *ir.Unary:
		return readsValidity(e.X, headers)
	case *ir.Binary:
		return readsValidity(e.X, headers) || readsValidity(e.Y, headers)
	case *ir.Cast:
		return readsValidity(e.X, headers)
	case *ir.Slice:
		return readsValidity(e.X, headers)
	case *ir.Mux:
		return readsValidity(e.Cond, headers) || readsValidity(e.X, headers) || readsValidity(e.Y, headers)
	}
	return false
}
