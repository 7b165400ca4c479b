package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/ir"
)

// Code of its own: for packets that end in a parser's state, or get an action of a
// table, that is annotated @own_code, what follows is compiled once more. There the C
// compiler knows which headers are valid, and what the action has set, and leaves out what
// asks for it. For all other packets there is the code for any.

const ownCode = "own_code"

func hasOwnCode(as []ir.Annotation) bool {
	return slices.ContainsFunc(as, func(a ir.Annotation) bool { return a.Name == ownCode })
}

// ownStates are the annotated states of the parser: their numbers, from 1, are what the
// parser's function returns.
func (g *gress) ownStates() (out []*ir.State) {
	for _, st := range g.Parser.States {
		if hasOwnCode(st.Annotations) {
			out = append(out, st)
		}
	}
	return out
}

// way is the number that the parser returns when it ends in a state.
func (g *gress) way(st *ir.State) int { return slices.Index(g.ownStates(), st) + 1 }

// checkOwn refuses states with code of their own which do not end the parser, or which
// packets reach with different headers.
func (g *gress) checkOwn() {
	g.validIn = map[*ir.State]string{}
	own := g.ownStates()
	if len(own) == 0 {
		return
	}
	for _, st := range own {
		if st.Keys != nil || st.Next.State != nil {
			g.fail(st.Pos, "@own_code: state %s does not end the parser", st.Name)
			return
		}
	}
	steps := 0
	var walk func(s *ir.State, valid []string)
	walk = func(s *ir.State, valid []string) {
		if steps++; s == nil || steps > 10000 {
			return
		}
		for _, x := range s.Body {
			if h := ir.Changes(x); h != nil {
				e, ok := x.(*ir.Extract)
				if !ok {
					g.fail(s.Pos, "@own_code in a parser that makes headers valid without extracting them: not supported on XDP")
					return
				}
				valid = append(valid[:len(valid):len(valid)], g.bit(e.Header))
			}
		}
		if hasOwnCode(s.Annotations) {
			all := strings.Join(valid, " | ")
			if old := g.validIn[s]; old != "" && old != all {
				g.fail(s.Pos, "@own_code: state %s is reached with different headers", s.Name)
			}
			g.validIn[s] = all
		}
		walk(s.Next.State, valid)
		for _, c := range s.Cases {
			walk(c.Next.State, valid)
		}
	}
	walk(g.Parser.States[0], nil)
	if steps > 10000 {
		g.fail(own[0].Pos, "@own_code in a parser with too many paths")
	}
}

// parsed goes on behind the parser: with code of its own for each state that has it.
func (g *gress) parsed(parse string) {
	o := g.out
	own := g.ownStates()
	if len(own) == 0 {
		o.line("%s;", parse)
		g.hideValid()
		o.line("return %s_parsed(s, ctx);", g.prefix)
		return
	}
	o.line("u32 way = %s;", parse)
	for i, st := range own {
		o.open("if (way == %d) { /* %s */", i+1, st.Name)
		o.line("s->valid = s->extracted = %s;", g.validIn[st])
		o.line("s->parser_error = 0;")
		o.line("return %s_parsed(s, ctx);", g.prefix)
		o.close("}")
	}
	g.hideValid()
	o.line("return %s_parsed(s, ctx);", g.prefix)
}

// ownTable reports whether a table has actions with code of their own.
func ownTable(t *ir.Table) bool {
	return slices.ContainsFunc(t.Actions, func(r ir.ActionRef) bool { return hasOwnCode(r.Action.Annotations) })
}

// appliesOwn reports whether a statement applies a table with actions with code of their own.
func appliesOwn(s ir.Stmt) bool {
	return anyStmt([]ir.Stmt{s}, func(s ir.Stmt) bool {
		a, ok := s.(*ir.Apply)
		return ok && ownTable(a.Table)
	}, true)
}

// control writes the function of the control, which goes on with NAME_done.
func (g *gress) control() {
	o := g.out
	last := fmt.Sprintf("return %s_done(s, ctx);", g.prefix)
	if !slices.ContainsFunc(g.Control, appliesOwn) {
		o.line("/* Control of the %s. */", g.Gress.Name)
		o.open("INLINE int %s_control(struct %s *s, struct xdp_md *ctx)\n{", g.prefix, g.Gress.Name)
		g.exitLabel = "out"
		g.stmts(g.Control)
		if leaves(g.Control) {
			o.label("out")
		}
		o.line("%s", last)
		o.close("}")
		o.line("")
		return
	}
	if leaves(g.Control) {
		g.fail(g.Control[0].At(), "@own_code in a control that has exit or return: not supported on XDP")
		return
	}
	g.sequence(fmt.Sprintf("/* Control of the %s. */", g.Gress.Name), g.prefix+"_control", g.Control, last)
}

// sequence writes a function of statements, behind those that it calls. It ends with last.
func (g *gress) sequence(comment, name string, list []ir.Stmt, last string) {
	outer, o := g.out, &writer{}
	g.out = o
	o.line("%s", comment)
	o.open("INLINE int %s(struct %s *s, struct xdp_md *ctx)\n{", name, g.Gress.Name)
	g.then(outer, list, last)
	if i := slices.IndexFunc(list, appliesOwn); i < 0 || i == len(list)-1 {
		o.line("%s", last)
	}
	o.close("}")
	o.line("")
	g.out = outer
	outer.add(o)
}

// then writes statements and how it goes on behind them. What follows one that applies a
// table with code of its own is a function, written to funcs, because there are several
// ways to it. Where nothing follows in the list, what is around it goes on.
func (g *gress) then(funcs *writer, list []ir.Stmt, last string) {
	o := g.out
	i := slices.IndexFunc(list, appliesOwn)
	if i < 0 {
		g.stmts(list)
		return
	}
	rest := list[i+1:]
	if len(rest) > 0 {
		g.own++
		name := g.function([2]any{"own", g.own}, "", fmt.Sprintf("then%d", g.own))
		g.out = funcs
		g.sequence(fmt.Sprintf("/* What follows%s. */", posText(list[i].At())), name, rest, last)
		g.out = o
		last = fmt.Sprintf("return %s(s, ctx);", name)
	}
	g.stmts(list[:i])
	switch s := list[i].(type) {
	case *ir.If:
		o.open("if (%s) {%s", g.cond(s.Cond), at(s.Pos))
		g.branch(funcs, s.Then, last)
		if len(s.Else) > 0 {
			o.depth--
			o.open("} else {")
			g.branch(funcs, s.Else, last)
		}
		o.close("}")
	case *ir.Block:
		switch {
		case s.UpdatesFirst || s.OwnFunction || g.rowFunc(s):
			g.fail(s.Pos, "@own_code in a block of registers: not supported on XDP")
		case s.Callable:
			o.open("{ /* %s */", s.Name)
			g.lookUpRows(s)
		default:
			o.open("{%s", at(s.Pos))
		}
		g.then(funcs, s.Body, last)
		o.close("}")
	case *ir.Apply:
		if s.Hit != nil || s.Switch {
			g.fail(s.Pos, "@own_code in a table whose result is used: not supported on XDP")
		}
		o.open("switch (%s(s) & ~HIT) { /* each with code of its own%s */", g.applyName(s.Table), posText(s.Pos))
		for _, a := range g.d.tables[s.Table].Actions {
			if hasOwnCode(a.Action.Annotations) {
				o.line("case %s:", a.Const)
				o.line("\t%s", last)
			}
		}
		o.close("}")
	default:
		g.fail(s.At(), "@own_code: table applied in %T: not supported on XDP", s)
	}
	if len(rest) > 0 {
		o.line("%s", last)
	}
}

// branch writes one of the branches of an If, which goes on only if it has a table with code
// of its own.
func (g *gress) branch(funcs *writer, list []ir.Stmt, last string) {
	if slices.ContainsFunc(list, appliesOwn) {
		g.then(funcs, list, last)
		return
	}
	g.aside(list)
	g.stmts(list)
}
