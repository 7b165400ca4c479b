package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/diag"
	"github.com/p4ce/p4ce/p4/lang/syntax"
)

// p4Swaps are operators of P4 and what comes in their place.
var p4Swaps = map[syntax.Kind]string{
	syntax.EqEq: "!=", syntax.NotEq: "==", syntax.LessEq: "<", syntax.GreaterEq: ">",
	syntax.AndAnd: "||", syntax.OrOr: "&&", syntax.And: "|", syntax.Or: "&", syntax.Xor: "&",
	syntax.Plus: "-", syntax.Minus: "+", syntax.PlusSat: "-", syntax.MinusSat: "+",
}

// scope is what a pair of braces of a P4 file holds.
type scope int

const (
	declarations scope = iota // of a control, a parser, a header, a table
	statements                // of an action, a state, an apply block, a branch
	cases                     // of a select
)

// p4Generator makes mutants of one P4 file from its tokens: what a program includes within
// a parser is no program by itself.
type p4Generator struct {
	file, text string
	lines      []int // byte offsets of their beginnings
	toks       []syntax.Token
	scopes     []scope
	names      []string // of the controls, actions and states that are open
	made       []*mutant
	named      map[string]int
}

// generateP4 makes all mutants of a P4 file, in the order of its text: a condition is
// turned round, an operator is another one, a number is one more, a statement or a case of
// a select is left out. Declarations are left alone, but for the values of constants.
func generateP4(file, text string) ([]*mutant, error) {
	g := &p4Generator{file: file, text: text, lines: []int{0}, named: map[string]int{}}
	for i := range len(text) {
		if text[i] == '\n' {
			g.lines = append(g.lines, i+1)
		}
	}
	var diags diag.List
	empty := func(string) ([]byte, error) { return []byte{}, nil }
	all := syntax.Preprocess(file, text, syntax.Source{
		Read:    empty, // what it includes is not its own
		Builtin: func(string) ([]byte, bool) { return []byte{}, true },
		Defines: lang.Predefined(),
	}, &diags)
	if diags.HasErrors() {
		return nil, errors.New(diags.String())
	}
	for _, t := range all {
		if t.Kind != syntax.EOF && t.Pos.Macro == nil && t.Pos.Filename() == file {
			g.toks = append(g.toks, t)
		}
	}
	g.scopes = []scope{declarations}
	if err := g.walk(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	slices.SortStableFunc(g.made, func(a, b *mutant) int { return a.edit.from - b.edit.from })
	for _, m := range g.made {
		if g.named[m.name]++; g.named[m.name] > 1 {
			m.name += fmt.Sprintf(" #%d", g.named[m.name])
		}
	}
	return g.made, nil
}

func (g *p4Generator) offset(t syntax.Token) int { return g.lines[t.Pos.Line-1] + int(t.Pos.Col) - 1 }

// end is where the text of a token ends.
func (g *p4Generator) end(t syntax.Token) int { return g.offset(t) + len(t.Text) }

// walk goes through the tokens, statement by statement.
func (g *p4Generator) walk() error {
	for i := 0; i < len(g.toks); {
		end := g.head(i)
		if end == len(g.toks) {
			return errors.New("it ends within a statement")
		}
		part := g.toks[i : end+1]
		switch last := part[len(part)-1]; last.Kind {
		case syntax.LBrace:
			g.open(part)
		case syntax.RBrace:
			if len(g.scopes) == 1 {
				return fmt.Errorf("line %d: a brace too many", last.Pos.Line)
			}
			g.scopes, g.names = g.scopes[:len(g.scopes)-1], g.names[:len(g.names)-1]
		default:
			g.statement(part)
		}
		i = end + 1
	}
	if len(g.scopes) != 1 {
		return errors.New("a brace is not closed")
	}
	return nil
}

// head is the index of the token that ends what begins at i: a semicolon outside
// parentheses, or a brace.
func (g *p4Generator) head(i int) int {
	depth := 0
	for ; i < len(g.toks); i++ {
		switch g.toks[i].Kind {
		case syntax.LParen:
			depth++
		case syntax.RParen:
			depth--
		case syntax.Semi:
			if depth == 0 {
				return i
			}
		case syntax.LBrace, syntax.RBrace:
			return i
		}
	}
	return i
}

// open looks at what stands before a brace.
func (g *p4Generator) open(part []syntax.Token) {
	s, name := declarations, ""
	if g.scopes[len(g.scopes)-1] == statements {
		s = statements // of a branch
	}
	for i, t := range part {
		switch t.Text { // keywords are not told from names yet
		case "state", "action", "control", "parser":
			if i+1 < len(part) && part[i+1].Kind == syntax.Name && name == "" {
				name = part[i+1].Text
			}
			if t.Text == "state" || t.Text == "action" {
				s = statements
			}
		case "apply":
			s = statements
		case "select":
			s = cases
		case "if":
			g.condition(part[i:])
		}
	}
	g.scopes, g.names = append(g.scopes, s), append(g.names, name)
}

// condition makes the mutants of an if, whose token comes first.
func (g *p4Generator) condition(part []syntax.Token) {
	first, last := 1, len(part)-1
	for depth, i := 0, 1; i < len(part); i++ {
		if part[i].Kind == syntax.LParen {
			depth++
		} else if part[i].Kind == syntax.RParen {
			if depth--; depth == 0 {
				last = i
				break
			}
		}
	}
	inner := part[first+1 : last]
	from, to := g.offset(inner[0]), g.offset(part[last])
	comparisons := 0
	joined := false
	for _, t := range inner {
		switch t.Kind {
		case syntax.EqEq, syntax.NotEq:
			comparisons++
		case syntax.AndAnd, syntax.OrOr:
			joined = true
		}
	}
	if joined || comparisons == 0 { // a comparison has it from its operator
		g.add(from, to, "!("+g.text[from:to]+")", g.text[from:to], "a condition is turned round")
	}
	g.inside(inner)
}

// statement makes the mutants of what ends with a semicolon.
func (g *p4Generator) statement(part []syntax.Token) {
	from, to := g.offset(part[0]), g.end(part[len(part)-1])
	switch g.scopes[len(g.scopes)-1] {
	case statements:
		if part[0].Text == "transition" {
			return // without one, a state rejects
		}
		for i := range part {
			if part[i].Text == "if" {
				g.condition(part[i:])
				return
			}
		}
		if len(part) > 2 && part[0].Kind == syntax.Name && part[1].Kind != syntax.Name && part[1].Kind != syntax.Less {
			g.add(from, to, ";", g.text[from:to], "a statement is left out")
		}
		g.inside(part)
	case cases:
		if part[0].Text != "default" {
			g.add(from, to, "", g.text[from:to], "a case is left out")
		}
	case declarations:
		if part[0].Text == "const" && len(g.scopes) == 1 {
			for i, t := range part {
				if t.Kind == syntax.Assign {
					g.inside(part[i-1:]) // with its name
				}
			}
		}
	}
}

// inside makes the mutants of an expression's operators and numbers.
func (g *p4Generator) inside(part []syntax.Token) {
	from, to := g.offset(part[0]), g.end(part[len(part)-1])
	shown := g.text[from:to]
	for i, t := range part {
		at := g.offset(t)
		with, ok := p4Swaps[t.Kind]
		if t.Space && (t.Kind == syntax.Less || t.Kind == syntax.Greater) { // no brackets of a type
			with, ok = t.Text+"=", true
		}
		if ok && i > 0 && part[i-1].Kind != syntax.LParen {
			g.change(from, to, at, at+len(t.Text), with, shown, "another operator")
		}
		// Widths of types and bounds of slices stand in brackets of their own.
		if t.Kind == syntax.Number && i > 0 && !bracket(part[i-1]) {
			if n, err := strconv.ParseUint(t.Text, 0, 63); err == nil {
				g.change(from, to, at, at+len(t.Text), strconv.FormatUint(n+1, 10), shown, "another number")
			}
		}
	}
}

// bracket reports whether what follows is the width of a type or the bound of a slice.
func bracket(t syntax.Token) bool {
	return t.Kind == syntax.LBrack || t.Kind == syntax.Colon || t.Kind == syntax.Less && !t.Space
}

// change adds a mutant of the text [from, to), of which [at, end) becomes another text.
func (g *p4Generator) change(from, to, at, end int, with, shown, about string) {
	g.add(at, end, with, shown+" => "+g.text[from:at]+with+g.text[end:to], about)
}

// add makes a mutant: with comes in place of [from, to).
func (g *p4Generator) add(from, to int, with, shown, about string) {
	what := "without " + shown
	switch about {
	case "a condition is turned round":
		what = shown + " => " + with
	case "another operator", "another number":
		what = shown
	}
	where := ""
	for _, n := range g.names {
		if n != "" {
			where = n
		}
	}
	line, _ := slices.BinarySearch(g.lines, from+1)
	g.made = append(g.made, &mutant{
		list: "generated", name: strings.TrimSpace(fmt.Sprintf("%s %s", g.file, where)) + ": " + oneLine(what),
		where: fmt.Sprintf("%s:%d", g.file, line), about: about, file: g.file, edit: &edit{from, to, with},
	})
}
