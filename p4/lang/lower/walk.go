package lower

import (
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// eachExpr calls f for every expression in a statement, parents first.
func eachExpr(s syntax.Stmt, f func(syntax.Expr)) {
	eachLiveExpr(s, func(*syntax.If) syntax.Stmt { return nil }, f)
}

// eachLiveExpr leaves out the branch of an if that dead says is never run.
func eachLiveExpr(s syntax.Stmt, dead func(*syntax.If) syntax.Stmt, f func(syntax.Expr)) {
	switch s := s.(type) {
	case *syntax.Block:
		for _, t := range s.Stmts {
			eachLiveExpr(t, dead, f)
		}
	case *syntax.AssignStmt:
		subExprs(s.LHS, f)
		subExprs(s.RHS, f)
	case *syntax.CallStmt:
		subExprs(s.Call, f)
	case *syntax.If:
		subExprs(s.Cond, f)
		for _, branch := range []syntax.Stmt{s.Then, s.Else} {
			if branch != nil && branch != dead(s) {
				eachLiveExpr(branch, dead, f)
			}
		}
	case *syntax.Switch:
		subExprs(s.X, f)
		for _, c := range s.Cases {
			if c.Body != nil {
				eachLiveExpr(c.Body, dead, f)
			}
		}
	case *syntax.For:
		for _, t := range append(append([]syntax.Stmt{}, s.Init...), s.Update...) {
			eachLiveExpr(t, dead, f)
		}
		if s.Var != nil {
			eachLiveExpr(s.Var, dead, f)
		}
		for _, x := range []syntax.Expr{s.Cond, s.In} {
			if x != nil {
				subExprs(x, f)
			}
		}
		eachLiveExpr(s.Body, dead, f)
	case *syntax.Return:
		if s.X != nil {
			subExprs(s.X, f)
		}
	case *syntax.DeclStmt:
		if v, ok := s.Decl.(*syntax.Var); ok && v.Init != nil {
			subExprs(v.Init, f)
		}
	}
}

func subExprs(e syntax.Expr, f func(syntax.Expr)) {
	f(e)
	switch e := e.(type) {
	case *syntax.Member:
		subExprs(e.X, f)
	case *syntax.Index:
		subExprs(e.X, f)
		subExprs(e.I, f)
	case *syntax.Slice:
		subExprs(e.X, f)
	case *syntax.Call:
		subExprs(e.Fun, f)
		for _, a := range e.Args {
			subExprs(a.Value, f)
		}
	case *syntax.Unary:
		subExprs(e.X, f)
	case *syntax.Binary:
		subExprs(e.X, f)
		subExprs(e.Y, f)
	case *syntax.Ternary:
		subExprs(e.Cond, f)
		subExprs(e.X, f)
		subExprs(e.Y, f)
	case *syntax.Cast:
		subExprs(e.X, f)
	case *syntax.List:
		for _, x := range e.Elems {
			subExprs(x, f)
		}
	case *syntax.Struct:
		for _, x := range e.Fields {
			subExprs(x.Value, f)
		}
	}
}
