package syntax

import (
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

// expand replaces the macros in ts. Tokens of a macro's body take the place of
// its outermost use; tokens of its arguments keep their own.
func (p *preprocessor) expand(ts []Token) []Token {
	out := make([]Token, 0, len(ts))
	// work is a stack of tokens still to be looked at, the next one last.
	work := make([]Token, 0, len(ts))
	push := func(ts []Token) {
		for i := len(ts) - 1; i >= 0; i-- {
			work = append(work, ts[i])
		}
	}
	push(ts)
	for len(work) > 0 {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		var m *macro
		if t.Kind == Name {
			m = p.macros[t.Text]
		}
		if m == nil || t.hide.has(t.Text) {
			out = append(out, t)
			continue
		}
		if p.steps++; p.full || p.steps > maxExpansion || len(work)+len(out) > maxTokens {
			p.tooMuch(t.Pos)
			return out
		}
		if m.magic != "" {
			out = append(out, magic(m, t))
			continue
		}
		var args [][]Token
		if m.fn {
			if len(work) == 0 || work[len(work)-1].Kind != LParen {
				out = append(out, t) // the name alone is not a use
				continue
			}
			var n int
			var ok bool
			args, n, ok = macroArgs(work)
			if !ok {
				p.diags.Errorf(t.Pos, diag.MacroUse, "macro %s: the argument list has no ')'", t.Text)
				return out
			}
			work = work[:len(work)-n]
			if len(args) == 1 && len(args[0]) == 0 && len(m.params) == 0 {
				args = nil
			}
			if len(args) != len(m.params) {
				p.diags.Errorf(t.Pos, diag.MacroUse, "macro %s takes %d arguments, not %d", t.Text, len(m.params), len(args)).
					Note(m.info.Def, "defined here")
				// Something must stand here, or the parser complains too.
				t.Kind, t.Text = Number, "0"
				out = append(out, t)
				continue
			}
		}
		push(p.substitute(m, t, args))
	}
	return out
}

func magic(m *macro, t Token) Token {
	if m.magic == "__LINE__" {
		t.Kind, t.Text = Number, strconv.Itoa(t.Pos.LineNumber())
	} else {
		t.Kind, t.Text = String, t.Pos.Filename()
	}
	return t
}

// macroArgs reads an argument list from the end of the stack, "(" first. It
// returns the arguments and how many tokens they took.
func macroArgs(work []Token) (args [][]Token, n int, ok bool) {
	depth := 0
	var cur []Token
	for i := len(work) - 1; i >= 0; i-- {
		t := work[i]
		n++
		switch t.Kind {
		case LParen:
			if depth++; depth == 1 {
				continue
			}
		case RParen:
			if depth--; depth == 0 {
				return append(args, cur), n, true
			}
		case Comma:
			if depth == 1 {
				args, cur = append(args, cur), nil
				continue
			}
		}
		cur = append(cur, t)
	}
	return nil, n, false
}

// substitute returns the body of m for one use.
func (p *preprocessor) substitute(m *macro, use Token, args [][]Token) []Token {
	hide := &hideSet{use.Text, use.hide}
	info := &m.info
	var out []Token
	paste := false
	add := func(ts []Token, fromArg bool) {
		for i, t := range ts {
			if !fromArg {
				pos := use.Pos
				pos.Macro = info
				t.Pos = pos
				t.hide = hide
			} else {
				t.hide = joinHide(t.hide, hide)
			}
			if i == 0 && paste && len(out) > 0 {
				if glued, ok := p.paste(out[len(out)-1], t); ok {
					out[len(out)-1] = glued
					continue
				}
			}
			out = append(out, t)
		}
		paste = false
	}
	for i := 0; i < len(m.body); i++ {
		t := m.body[i]
		next := i+1 < len(m.body) && m.body[i+1].Kind == HashHash
		switch {
		case t.Kind == HashHash:
			paste = true
		case t.Kind == Hash && m.fn:
			i++
			s := Token{Kind: String, Text: spell(args[m.param(m.body[i])]), Space: t.Space}
			add([]Token{s}, false)
		case m.fn && m.param(t) >= 0:
			arg := args[m.param(t)]
			if !paste && !next {
				arg = p.expand(arg)
			}
			if len(arg) > 0 {
				arg = append([]Token(nil), arg...)
				arg[0].Space = t.Space
			}
			add(arg, true)
		default:
			t.BOL = false
			add([]Token{t}, false)
		}
		if p.full || p.steps+len(out) > maxExpansion {
			p.tooMuch(use.Pos)
			return nil
		}
	}
	p.steps += len(out)
	if len(out) > 0 {
		out[0].Space, out[0].BOL = use.Space, use.BOL
	}
	return out
}

// joinHide adds the head of more to h; the rest of more hides names for tokens
// of the body only.
func joinHide(h, more *hideSet) *hideSet {
	if h.has(more.name) {
		return h
	}
	return &hideSet{more.name, h}
}

// paste glues two tokens into one; ok is false when that makes no token.
func (p *preprocessor) paste(a, b Token) (glued Token, ok bool) {
	ts := scan(diag.NewFile("", a.Text+b.Text))
	if len(ts) != 2 || a.Kind == String || b.Kind == String {
		p.diags.Warnf(a.Pos, diag.MacroUse, "'##' of %s and %s does not make one token: they stay two", a.describe(), b.describe())
		return a, false
	}
	a.Kind, a.Text, a.Err, a.ErrCode = ts[0].Kind, ts[0].Text, ts[0].Err, ts[0].ErrCode
	return a, true
}

// spell writes tokens as text, with single spaces where there was any.
func spell(ts []Token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && t.Space {
			b.WriteByte(' ')
		}
		b.WriteString(t.source())
	}
	return b.String()
}

// source is the token as it is written in a program.
func (t Token) source() string {
	if t.Kind != String {
		return t.Text
	}
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	return `"` + r.Replace(t.Text) + `"`
}

// Bundle writes preprocessed tokens as one P4 text that compiles to the same
// program without any include file, and whose diagnostics name the original
// files and lines.
func Bundle(ts []Token) string {
	var b strings.Builder
	name, line, col := "", 0, 1
	var prev Token
	for _, t := range ts {
		if t.Kind == EOF {
			break
		}
		tn, tl := t.Pos.Filename(), t.Pos.LineNumber()
		switch {
		case tn != name || tl < line || tl > line+4:
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString("#line " + strconv.Itoa(tl) + " " + Token{Kind: String, Text: tn}.source() + "\n")
			name, line, col = tn, tl, 1
		case tl > line:
			b.WriteString(strings.Repeat("\n", tl-line))
			line, col = tl, 1
		}
		// Keep columns where they were, so that positions stay true, as far as
		// macro expansion has not moved the text.
		pad := 0
		if t.Space || col == 1 {
			pad = int(t.Pos.Col) - col
			if pad <= 0 && col > 1 || pad > 200 {
				pad = 1
			}
		} else if glues(prev, t) {
			pad = 1
		}
		if pad > 0 {
			b.WriteString(strings.Repeat(" ", pad))
			col += pad
		}
		prev = t
		s := t.source()
		b.WriteString(s)
		col += len(s)
	}
	b.WriteByte('\n')
	return b.String()
}

// glues tells whether two tokens written without a space would be read as
// something else; only macro expansion can bring such tokens together.
func glues(a, b Token) bool {
	if a.Pos.Macro == nil && b.Pos.Macro == nil {
		return false
	}
	if a.Kind == Greater && b.Kind == Greater {
		return false // two tokens in any case
	}
	ts := scan(diag.NewFile("", a.source()+b.source()))
	return len(ts) != 3 || ts[0].Kind != a.Kind || ts[0].Text != a.Text
}
