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

// level is a list of statements on the way to a table's application, and where in it the
// way goes on.
type level struct {
	list []ir.Stmt
	at   int
}

// ownTable finds where a control applies a table with actions that have code of their
// own: the statements on the way there, the outermost first.
func (g *gress) ownTable() []level {
	var path []level
	found := 0
	var in func(list []ir.Stmt, way []level)
	in = func(list []ir.Stmt, way []level) {
		for i, s := range list {
			way := append(way[:len(way):len(way)], level{list, i})
			switch s := s.(type) {
			case *ir.If:
				in(s.Then, way)
				in(s.Else, way)
			case *ir.Block:
				in(s.Body, way)
			case *ir.Apply:
				if !slices.ContainsFunc(s.Table.Actions, func(r ir.ActionRef) bool { return hasOwnCode(r.Action.Annotations) }) {
					continue
				}
				found++
				path = way
				pos := s.Pos
				switch {
				case found > 1:
					g.fail(pos, "@own_code in two tables, or in one that is applied twice: not supported on XDP")
				case s.Hit != nil || s.Switch:
					g.fail(pos, "@own_code in a table whose result is used: not supported on XDP")
				case leaves(g.Control):
					g.fail(pos, "@own_code in a control that has exit or return: not supported on XDP")
				case slices.ContainsFunc(way, func(l level) bool {
					b, ok := l.list[l.at].(*ir.Block)
					return ok && (b.UpdatesFirst || g.rowFunc(b))
				}):
					g.fail(pos, "@own_code in a block of registers: not supported on XDP")
				}
			}
		}
	}
	in(g.Control, nil)
	return path
}

// control writes the function of the control, which goes on with NAME_done.
func (g *gress) control() {
	o := g.out
	path := g.ownTable()
	last := fmt.Sprintf("return %s_done(s, ctx);", g.prefix)
	after := make([]string, len(path)) // how it goes on behind the statement of each level
	for k, l := range path {
		after[k] = last
		if rest := l.list[l.at+1:]; len(rest) > 0 {
			name := g.function(path[len(path)-1].list[path[len(path)-1].at], fmt.Sprint(k), fmt.Sprintf("then%d", k))
			o.line("/* What follows%s. */", posText(l.list[l.at].At()))
			o.open("INLINE int %s(struct %s *s, struct xdp_md *ctx)\n{", name, g.Gress.Name)
			g.stmts(rest)
			o.line("%s", last)
			o.close("}")
			o.line("")
			after[k] = fmt.Sprintf("return %s(s, ctx);", name)
		}
		last = after[k]
	}
	o.line("/* Control of the %s. */", g.Gress.Name)
	o.open("INLINE int %s_control(struct %s *s, struct xdp_md *ctx)\n{", g.prefix, g.Gress.Name)
	g.exitLabel = "out"
	if len(path) == 0 {
		g.stmts(g.Control)
		if leaves(g.Control) {
			o.label("out")
		}
		o.line("return %s_done(s, ctx);", g.prefix)
	} else {
		g.onTheWay(path, after)
		if len(path[0].list) == path[0].at+1 {
			o.line("%s", after[0])
		}
	}
	o.close("}")
	o.line("")
}

// onTheWay writes statements up to a table's application, and how it goes on there.
func (g *gress) onTheWay(path []level, after []string) {
	o, l := g.out, path[0]
	g.stmts(l.list[:l.at])
	switch s := l.list[l.at].(type) {
	case *ir.If:
		o.open("if (%s) {%s", g.cond(s.Cond), at(s.Pos))
		g.branch(s.Then, path, after)
		if len(s.Else) > 0 {
			o.depth--
			o.open("} else {")
			g.branch(s.Else, path, after)
		}
		o.close("}")
	case *ir.Block:
		if s.Callable {
			o.open("{ /* %s */", s.Name)
			g.lookUpRows(s)
		} else {
			o.open("{%s", at(s.Pos))
		}
		g.onTheWay(path[1:], after[1:])
		o.close("}")
	case *ir.Apply:
		d := g.d.tables[s.Table]
		o.open("switch (%s(s) & ~HIT) { /* each with code of its own%s */", g.applyName(s.Table), posText(s.Pos))
		for _, a := range d.Actions {
			if hasOwnCode(a.Action.Annotations) {
				o.line("case %s:", a.Const)
				o.line("\t%s", after[0])
			}
		}
		o.close("}")
	}
	if len(l.list) > l.at+1 {
		o.line("%s", after[0])
	}
}

// branch writes one of the branches of an If: the one that the way goes through, or the other.
func (g *gress) branch(list []ir.Stmt, path []level, after []string) {
	if len(path) > 1 && len(list) > 0 && &list[0] == &path[1].list[0] {
		g.onTheWay(path[1:], after[1:])
		return
	}
	g.aside(list)
	g.stmts(list)
}
