package ir

// Who looks for something in a program uses these; what is to be known of a kind of
// statement (what is in it, what it reads and writes) is known here only.

// Walk calls visit for every statement of a list and, where visit returns true, for
// the statements in it: the branches of If, the body of Block, the cases of Apply. The
// bodies of actions, which have many callers, are not in the statements that run
// them; see Runs.
func Walk(list []Stmt, visit func(Stmt) bool) {
	for _, s := range list {
		if !visit(s) {
			continue
		}
		switch s := s.(type) {
		case *If:
			Walk(s.Then, visit)
			Walk(s.Else, visit)
		case *Block:
			Walk(s.Body, visit)
		case *Apply:
			for _, c := range s.Cases {
				Walk(c.Body, visit)
			}
			Walk(s.Default, visit)
		}
	}
}

// Any reports whether f holds for a statement of a list, or for one in it.
func Any(list []Stmt, f func(Stmt) bool) bool {
	found := false
	Walk(list, func(s Stmt) bool {
		found = found || f(s)
		return !found
	})
	return found
}

// Runs calls f for every action that a statement itself may run.
func Runs(s Stmt, f func(*Action)) {
	switch s := s.(type) {
	case *Call:
		f(s.Action)
	case *Apply:
		for _, a := range s.Table.Actions {
			f(a.Action)
		}
		if s.Table.Default.Action != nil {
			f(s.Table.Default.Action)
		}
	}
}

// Reads calls f for every expression that a statement itself evaluates, in order. The
// keys of a table are the table's.
func Reads(s Stmt, f func(Expr)) {
	each := func(list ...Expr) {
		for _, e := range list {
			if e != nil {
				f(e)
			}
		}
	}
	switch s := s.(type) {
	case *Assign:
		each(s.Src)
	case *If:
		each(s.Cond)
	case *Call:
		each(s.Args...)
	case *Count:
		each(s.Index)
	case *MeterExec:
		each(s.Index, s.Color, s.Adjust)
	case *FilterExec:
		each(s.Index, s.Value)
	case *RegisterExec:
		each(s.Index)
	case *RegisterRead:
		each(s.Index)
	case *RegisterWrite:
		each(s.Index)
		each(s.Src...)
	case *HashGet:
		each(s.Inputs...)
		each(s.Base, s.Max)
	case *DigestPack:
		each(s.Fields...)
	case *Advance:
		each(s.Bits)
	case *ChecksumAdd:
		each(s.Inputs...)
	case *ChecksumUpdate:
		each(s.Inputs...)
	}
}

// Writes calls f for every variable that a statement itself assigns. Statements that
// make headers valid, invalid or new do something to all their fields; see Changes.
func Writes(s Stmt, f func(*Var)) {
	each := func(list ...*Var) {
		for _, v := range list {
			if v != nil {
				f(v)
			}
		}
	}
	switch s := s.(type) {
	case *Assign:
		each(s.Dst)
	case *Apply:
		each(s.Hit)
	case *MeterExec:
		each(s.Dst)
	case *FilterExec:
		each(s.Dst)
	case *RegisterExec:
		each(s.Dst)
	case *RegisterRead:
		each(s.Dst...)
	case *HashGet:
		each(s.Dst)
	case *RandomGet:
		each(s.Dst)
	case *Lookahead:
		each(s.Dst...)
	case *ChecksumGet:
		each(s.Dst)
	case *ChecksumVerify:
		each(s.Dst)
	case *ChecksumUpdate:
		each(s.Dst)
	}
}

// Changes returns the header whose validity a statement itself may change, with its
// fields, or nil.
func Changes(s Stmt) *HeaderInst {
	switch s := s.(type) {
	case *SetValid:
		return s.Header
	case *CopyHeader:
		return s.Dst
	case *Extract:
		return s.Header
	}
	return nil
}

// Inside calls f for an expression and every one in it, parents first.
func Inside(e Expr, f func(Expr)) {
	f(e)
	switch e := e.(type) {
	case *Unary:
		Inside(e.X, f)
	case *Binary:
		Inside(e.X, f)
		Inside(e.Y, f)
	case *Cast:
		Inside(e.X, f)
	case *Slice:
		Inside(e.X, f)
	case *Mux:
		Inside(e.Cond, f)
		Inside(e.X, f)
		Inside(e.Y, f)
	}
}

// UsesCell reports whether statements read the cell of the entry that matched.
func UsesCell(list []Stmt) bool {
	return Any(list, func(s Stmt) (uses bool) {
		Reads(s, func(e Expr) {
			Inside(e, func(x Expr) { _, is := x.(*Cell); uses = uses || is })
		})
		return uses
	})
}

// Vars calls f for every variable that an expression reads.
func Vars(e Expr, f func(*Var)) {
	Inside(e, func(x Expr) {
		if r, ok := x.(*Ref); ok {
			f(r.Var)
		}
	})
}
