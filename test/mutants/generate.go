package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// edit is a change of some bytes of a file.
type edit struct {
	from, to int // byte offsets
	with     string
}

// apply makes the change.
func (e *edit) apply(text string) string { return text[:e.from] + e.with + text[e.to:] }

// swaps are operators and what comes in their place.
var swaps = map[token.Token][]token.Token{
	token.LSS: {token.LEQ}, token.LEQ: {token.LSS}, token.GTR: {token.GEQ}, token.GEQ: {token.GTR},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.AND: {token.OR}, token.OR: {token.AND}, token.AND_NOT: {token.AND}, token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN}, token.OR_ASSIGN: {token.AND_ASSIGN},
	token.AND_ASSIGN: {token.OR_ASSIGN}, token.INC: {token.DEC}, token.DEC: {token.INC},
}

// generator makes mutants of one file.
type generator struct {
	file, text string
	fset       *token.FileSet
	where      string        // the function it is in
	fn         *ast.FuncType // its results
	made       []*mutant
	seen       map[string]bool // changed texts
	named      map[string]int
	stack      []ast.Node // of what is looked at, outermost first
}

// generate makes all mutants of a Go file, in the order of its text. Their names are
// made from the function and the text that is changed, so that they stay the same when
// something else does.
func generate(file, text string) ([]*mutant, error) {
	g := &generator{file: file, text: text, fset: token.NewFileSet(), seen: map[string]bool{text: true}, named: map[string]int{}}
	f, err := parser.ParseFile(g.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil || isText(d) {
				continue
			}
			g.where, g.fn = funcName(d), d.Type
			g.early(d)
			g.inside(d.Body)
		case *ast.GenDecl:
			g.where, g.fn = d.Tok.String(), nil
			if d.Tok == token.CONST || d.Tok == token.VAR {
				g.inside(d)
			}
		}
	}
	slices.SortStableFunc(g.made, func(a, b *mutant) int { return a.edit.from - b.edit.from })
	// Those of one name are told apart by their order.
	for _, m := range g.made {
		if g.named[m.name]++; g.named[m.name] > 1 {
			m.name += fmt.Sprintf(" #%d", g.named[m.name])
		}
	}
	return g.made, nil
}

// isText reports whether a function makes text for people.
func isText(d *ast.FuncDecl) bool {
	return d.Recv != nil && (d.Name.Name == "String" || d.Name.Name == "Error")
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

func (g *generator) offset(p token.Pos) int { return g.fset.Position(p).Offset }

func (g *generator) source(n ast.Node) string { return g.text[g.offset(n.Pos()):g.offset(n.End())] }

// add makes a mutant: with comes in place of [from, to). shown is the text in whose
// terms the change is told.
func (g *generator) add(from, to token.Pos, with string, shown ast.Node, about string) bool {
	e := &edit{g.offset(from), g.offset(to), with}
	changed := e.apply(g.text)
	if g.seen[changed] {
		return false
	}
	g.seen[changed] = true
	before, after := g.source(shown), ""
	if lo, hi := g.offset(shown.Pos()), g.offset(shown.End()); e.from >= lo && e.to <= hi {
		after = g.text[lo:e.from] + with + g.text[e.to:hi]
	}
	name := fmt.Sprintf("%s %s: %s => %s", g.file, g.where, oneLine(before), oneLine(after))
	if after == "" {
		name = fmt.Sprintf("%s %s: without %s", g.file, g.where, oneLine(before))
	}
	g.made = append(g.made, &mutant{
		list: "generated", name: name, where: g.fset.Position(from).String(), about: about, file: g.file, edit: e,
	})
	return true
}

// oneLine is text without line breaks, shortened.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 100 {
		s = string(r[:60]) + " … " + string(r[len(r)-36:])
	}
	return s
}

// early makes a function return at once.
func (g *generator) early(d *ast.FuncDecl) {
	if len(d.Body.List) == 0 {
		return
	}
	if _, one := d.Body.List[0].(*ast.ReturnStmt); one {
		return // its results are changed one by one
	}
	var zeros []string
	for _, t := range g.results() {
		zeros = append(zeros, g.zero(t))
	}
	with := strings.TrimSpace("return " + strings.Join(zeros, ", "))
	first := d.Body.List[0].Pos()
	if g.add(first, first, with+"; ", d.Name, "the function returns at once") {
		g.made[len(g.made)-1].name = fmt.Sprintf("%s %s: %s at once", g.file, g.where, with)
	}
}

// results are the types of the function's results.
func (g *generator) results() []ast.Expr {
	var all []ast.Expr
	if g.fn == nil || g.fn.Results == nil {
		return nil
	}
	for _, f := range g.fn.Results.List {
		for range max(1, len(f.Names)) {
			all = append(all, f.Type)
		}
	}
	return all
}

// zero is the zero value of a type.
func (g *generator) zero(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		switch t.Name {
		case "bool":
			return "false"
		case "string":
			return `""`
		case "error":
			return "nil"
		case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte", "uintptr":
			return "0"
		}
	case *ast.StarExpr, *ast.MapType, *ast.FuncType:
		return "nil"
	case *ast.ArrayType:
		if t.Len == nil {
			return "nil"
		}
	}
	return "*new(" + g.source(t) + ")"
}

// isZero reports whether an expression is a zero value already.
func (g *generator) isZero(x ast.Expr, zero string) bool {
	c, ok := x.(*ast.CompositeLit)
	return g.source(x) == zero || ok && len(c.Elts) == 0 && zero == "*new("+g.source(c.Type)+")"
}

// inside makes mutants of what is in a node.
func (g *generator) inside(root ast.Node) {
	var in func(n ast.Node) bool
	in = func(n ast.Node) bool {
		if n == nil {
			g.stack = g.stack[:len(g.stack)-1]
			return true
		}
		g.stack = append(g.stack, n)
		if !g.one(n, in) { // nil does not come for it
			g.stack = g.stack[:len(g.stack)-1]
			return false
		}
		return true
	}
	ast.Inspect(root, in)
}

// one makes the mutants of one node, and reports whether those of its parts are still
// to be made.
func (g *generator) one(n ast.Node, in func(ast.Node) bool) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		outer := g.fn
		g.fn = n.Type
		ast.Inspect(n.Body, in)
		g.fn = outer
		return false
	case *ast.CallExpr:
		if g.forPeople(n) {
			return false
		}
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
			other := map[string]string{"min": "max", "max": "min"}[id.Name]
			g.add(id.Pos(), id.End(), other, n, "the other bound")
		}
	case *ast.ImportSpec:
		return false
	case *ast.IfStmt:
		g.negate(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			g.negate(n.Cond)
		}
	case *ast.BinaryExpr:
		if g.leftAlone(n) {
			return false
		}
		for _, op := range swaps[n.Op] {
			g.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String(), n, "another operator")
		}
	case *ast.IncDecStmt:
		for _, op := range swaps[n.Tok] {
			g.add(n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), op.String(), n, "another operator")
		}
	case *ast.AssignStmt:
		for _, op := range swaps[n.Tok] {
			g.add(n.TokPos, n.TokPos+token.Pos(len(n.Tok.String())), op.String(), n, "another operator")
		}
	case *ast.BasicLit:
		g.number(n)
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			g.add(n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"), g.around(), "the other truth value")
		}
	case *ast.ReturnStmt:
		g.returned(n)
	case *ast.BlockStmt:
		g.drop(n.List)
	case *ast.CaseClause:
		g.drop(n.Body)
	case *ast.CommClause:
		g.drop(n.Body)
	}
	return true
}

// forPeople reports whether a call makes text, or tells it: whatever it says, nothing
// depends on it.
func (g *generator) forPeople(c *ast.CallExpr) bool {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name == "panic"
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "fmt" || x.Name == "errors" && f.Sel.Name == "New") {
			return true
		}
		return f.Sel.Name == "Eventf"
	}
	return false
}

// leftAlone reports whether an expression is a length of time, which may be a little
// longer as well.
func (g *generator) leftAlone(b *ast.BinaryExpr) bool {
	for _, x := range []ast.Expr{b.X, b.Y} {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "time" && (b.Op == token.MUL || b.Op == token.QUO) {
			return true
		}
	}
	return false
}

// negate turns a condition round. Comparisons have it from their operators.
func (g *generator) negate(cond ast.Expr) {
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ || g.leftAlone(b)) {
		return
	}
	if u, ok := cond.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		g.add(u.Pos(), u.End(), g.source(u.X), cond, "a condition is turned round")
		return
	}
	g.add(cond.Pos(), cond.End(), "!("+g.source(cond)+")", cond, "a condition is turned round")
}

// number changes a constant by one.
func (g *generator) number(l *ast.BasicLit) {
	if l.Kind != token.INT {
		return
	}
	n, err := strconv.ParseUint(l.Value, 0, 63)
	if err != nil {
		return
	}
	for _, with := range []int64{int64(n) + 1, int64(n) - 1} {
		if with < 0 {
			continue
		}
		g.add(l.Pos(), l.End(), strconv.FormatInt(with, 10), g.around(), "another number")
	}
}

// around is what the innermost node stands in, if that is short: it tells more than a
// literal does.
func (g *generator) around() ast.Node {
	n := g.stack[len(g.stack)-1]
	for i := len(g.stack) - 2; i >= 0; i-- {
		switch outer := g.stack[i].(type) {
		case ast.Expr, *ast.AssignStmt, *ast.ReturnStmt, *ast.ExprStmt, *ast.ValueSpec:
			if len(g.source(outer)) > 80 {
				return n
			}
			n = outer
		default:
			return n
		}
	}
	return n
}

// returned changes what a function returns.
func (g *generator) returned(r *ast.ReturnStmt) {
	types := g.results()
	if len(types) == len(r.Results) {
		for i, x := range r.Results {
			zero := g.zero(types[i])
			if g.isZero(x, zero) || zero == "false" && g.source(x) == "true" {
				continue
			}
			g.add(x.Pos(), x.End(), zero, r, "nothing is returned")
			if zero == "false" {
				g.negate(x)
			}
		}
	} else if len(r.Results) == 1 {
		var zeros []string
		for _, t := range types {
			zeros = append(zeros, g.zero(t))
		}
		g.add(r.Results[0].Pos(), r.Results[0].End(), strings.Join(zeros, ", "), r, "nothing is returned")
	}
}

// drop leaves statements out.
func (g *generator) drop(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && g.forPeople(c) {
				continue
			}
		case *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt, *ast.BranchStmt, *ast.ReturnStmt:
		default:
			continue
		}
		g.add(s.Pos(), s.End(), "", s, "a statement is left out")
	}
}
