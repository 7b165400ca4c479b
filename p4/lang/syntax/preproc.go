package syntax

import (
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"

	"github.com/p4ce/p4ce/p4/lang/diag"
)

// Limits that keep hostile input from exhausting memory.
const (
	maxIncludeDepth = 64
	maxIncludes     = 4096
	maxTokens       = 1 << 20 // of a program
	maxExpansion    = 1 << 19 // that macros put in the place of others
)

// Source says where the preprocessor finds files.
type Source struct {
	// Read returns the text of a file; the path is as written on the command
	// line or joined from an include directory and the name in the directive.
	Read func(path string) ([]byte, error)
	// IncludeDirs are searched in order, for both forms of #include.
	IncludeDirs []string
	// Builtin is searched last, by the bare name: core.p4, tna.p4.
	Builtin func(name string) ([]byte, bool)
	// Defines are macros that are defined before the first line; the value is
	// P4 text.
	Defines map[string]string
}

type macro struct {
	info   diag.Macro
	fn     bool
	params []string
	body   []Token
	magic  string // __LINE__ or __FILE__
}

type hideSet struct {
	name string
	next *hideSet
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

type preprocessor struct {
	src    Source
	diags  *diag.List
	macros map[string]*macro
	out    []Token
	depth  int
	files  int
	steps  int
	full   bool // a limit was hit and reported
}

// Preprocess reads a program and everything it includes and returns its tokens
// after macro expansion, ending with EOF.
func Preprocess(name, text string, src Source, diags *diag.List) []Token {
	p := &preprocessor{src: src, diags: diags, macros: map[string]*macro{}}
	p.macros["__LINE__"] = &macro{info: diag.Macro{Name: "__LINE__"}, magic: "__LINE__"}
	p.macros["__FILE__"] = &macro{info: diag.Macro{Name: "__FILE__"}, magic: "__FILE__"}
	names := make([]string, 0, len(src.Defines))
	for n := range src.Defines {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		f := diag.NewFile("<command line>", src.Defines[n])
		body := scan(f)
		p.macros[n] = &macro{info: diag.Macro{Name: n}, body: body[:len(body)-1]}
	}
	f := diag.NewFile(name, text)
	eof := p.file(f)
	p.out = append(p.out, eof)
	return p.out
}

// cond is one level of #if nesting.
type cond struct {
	pos      diag.Pos
	live     bool // the current branch is compiled
	taken    bool // a branch has been compiled
	parent   bool // the enclosing group is compiled
	seenElse bool
}

// marker is the effect of the last #line of a file.
type marker struct {
	name  string
	delta int32
}

func (m marker) apply(t *Token) {
	if m.name != "" {
		t.Pos.Name, t.Pos.NameLine = m.name, t.Pos.Line+m.delta
	}
}

// file preprocesses one file and returns its EOF token.
func (p *preprocessor) file(f *diag.File) Token {
	toks := scan(f)
	var conds []cond
	var mark marker
	live := func() bool { return len(conds) == 0 || conds[len(conds)-1].live }
	i := 0
	for {
		start := i
		for toks[i].Kind != EOF && (toks[i].Kind != Hash || !toks[i].BOL) {
			mark.apply(&toks[i])
			i++
		}
		if live() && i > start {
			p.emit(p.expand(toks[start:i]))
		}
		if toks[i].Kind == EOF {
			break
		}
		hash := i
		mark.apply(&toks[hash])
		i++
		start = i
		for toks[i].Kind != EOF && !toks[i].BOL {
			mark.apply(&toks[i])
			i++
		}
		conds = p.directive(f, toks[hash], toks[start:i], conds, &mark)
	}
	for _, c := range conds {
		p.diags.Errorf(c.pos, diag.Conditional, "this conditional has no #endif")
	}
	mark.apply(&toks[i])
	return toks[i]
}

func (p *preprocessor) emit(ts []Token) {
	if len(p.out)+len(ts) > maxTokens {
		p.tooMuch(ts[0].Pos)
		return
	}
	p.out = append(p.out, ts...)
}

func (p *preprocessor) tooMuch(pos diag.Pos) {
	if !p.full {
		p.full = true
		p.diags.Errorf(pos, diag.MacroUse, "macro expansion or inclusion grows without bound")
	}
}

// directive handles one line that starts with '#'; ts is the rest of the line.
func (p *preprocessor) directive(f *diag.File, hash Token, ts []Token, conds []cond, mark *marker) []cond {
	if len(ts) == 0 {
		return conds // the null directive
	}
	live := len(conds) == 0 || conds[len(conds)-1].live
	name, rest := ts[0], ts[1:]
	switch name.Text {
	case "if", "ifdef", "ifndef":
		c := cond{pos: name.Pos, parent: live}
		if live {
			c.live = p.condition(name, rest)
			c.taken = c.live
		}
		return append(conds, c)
	case "elif", "else", "endif":
		if len(conds) == 0 {
			p.diags.Errorf(name.Pos, diag.Conditional, "#%s without #if", name.Text)
			return conds
		}
		c := &conds[len(conds)-1]
		if name.Text == "endif" {
			p.extra(name, rest)
			return conds[:len(conds)-1]
		}
		if c.seenElse {
			p.diags.Errorf(name.Pos, diag.Conditional, "#%s after #else", name.Text).Note(c.pos, "the conditional starts here")
		}
		if name.Text == "else" {
			c.seenElse = true
			c.live = c.parent && !c.taken
			if c.parent {
				p.extra(name, rest)
			}
		} else {
			c.live = c.parent && !c.taken && p.condition(name, rest)
		}
		c.taken = c.taken || c.live
		return conds
	}
	if !live {
		return conds
	}
	switch name.Text {
	case "include":
		p.include(f, name, rest)
	case "define":
		p.define(name, rest)
	case "undef":
		if len(rest) != 1 || rest[0].Kind != Name {
			p.diags.Errorf(name.Pos, diag.Directive, "#undef needs one name")
			break
		}
		delete(p.macros, rest[0].Text)
	case "error":
		p.diags.Errorf(name.Pos, diag.HashError, "#error %s", strings.TrimSpace(restOfLine(f, name)))
	case "line":
		p.line(name, rest, mark)
	default:
		p.diags.Errorf(name.Pos, diag.Directive, "unknown directive '#%s'", printable(name.Text))
	}
	return conds
}

// restOfLine is the raw text after a directive's name.
func restOfLine(f *diag.File, name Token) string {
	l := f.Line(int(name.Pos.Line))
	if i := int(name.Pos.Col) - 1 + len(name.Text); i >= 0 && i <= len(l) {
		return l[i:]
	}
	return ""
}

func (p *preprocessor) extra(name Token, rest []Token) {
	if len(rest) > 0 {
		p.diags.Errorf(rest[0].Pos, diag.Directive, "unexpected %s after #%s", rest[0].describe(), name.Text)
	}
}

func (p *preprocessor) line(name Token, rest []Token, mark *marker) {
	if len(rest) != 2 || rest[0].Kind != Number || rest[1].Kind != String {
		p.diags.Errorf(name.Pos, diag.Directive, "#line needs a line number and a file name in quotes")
		return
	}
	n, err := strconv.ParseInt(rest[0].Text, 10, 31)
	if err != nil || rest[1].Text == "" {
		p.diags.Errorf(rest[0].Pos, diag.Directive, "#line needs a line number and a file name in quotes")
		return
	}
	*mark = marker{rest[1].Text, int32(n) - name.Pos.Line - 1}
}

func (p *preprocessor) include(f *diag.File, name Token, rest []Token) {
	if len(rest) > 0 && rest[0].Kind == Name {
		rest = p.expand(rest)
	}
	var file string
	quoted := false
	switch {
	case len(rest) == 1 && rest[0].Kind == String:
		file, quoted = rest[0].Text, true
	case len(rest) >= 3 && rest[0].Kind == Less && rest[len(rest)-1].Kind == Greater:
		var b strings.Builder
		for _, t := range rest[1 : len(rest)-1] {
			b.WriteString(t.Text)
		}
		file = b.String()
	default:
		p.diags.Errorf(name.Pos, diag.Directive, "#include needs \"file\" or <file>")
		return
	}
	if file == "" {
		p.diags.Errorf(rest[0].Pos, diag.Include, "#include of an empty name")
		return
	}
	if p.depth >= maxIncludeDepth {
		p.diags.Errorf(rest[0].Pos, diag.Include, "%q: includes nest deeper than %d (does the file include itself?)", file, maxIncludeDepth)
		return
	}
	if p.files++; p.files > maxIncludes {
		p.tooMuch(name.Pos)
	}
	if p.full {
		return
	}
	full, text, err := p.find(f, file, quoted)
	if err != nil {
		p.diags.Errorf(rest[0].Pos, diag.Include, "%v", err).Fatal = true
		return
	}
	p.depth++
	p.file(diag.NewFile(full, text))
	p.depth--
}

// find looks a file up: beside the including file (quoted form only), in the
// include directories, then among the built-in declarations.
func (p *preprocessor) find(f *diag.File, file string, quoted bool) (string, string, error) {
	var tried []string
	try := func(full string) (string, bool) {
		if p.src.Read == nil {
			return "", false
		}
		b, err := p.src.Read(full)
		if err != nil {
			tried = append(tried, full)
			return "", false
		}
		return string(b), true
	}
	if path.IsAbs(file) {
		if text, ok := try(file); ok {
			return file, text, nil
		}
		return "", "", fmt.Errorf("%q: cannot be read", file)
	}
	if quoted {
		full := path.Join(path.Dir(f.Name), file)
		if text, ok := try(full); ok {
			return full, text, nil
		}
	}
	for _, d := range p.src.IncludeDirs {
		full := path.Join(d, file)
		if text, ok := try(full); ok {
			return full, text, nil
		}
	}
	if p.src.Builtin != nil {
		if b, ok := p.src.Builtin(file); ok {
			return "<" + file + ">", string(b), nil
		}
	}
	where := "no include directory was given (-I) and it is not one of the built-in files"
	if len(tried) > 0 {
		where = "looked for " + strings.Join(tried, ", ")
	}
	return "", "", fmt.Errorf("%q: no such file (%s)", file, where)
}

func (p *preprocessor) define(name Token, rest []Token) {
	if len(rest) == 0 || rest[0].Kind != Name {
		p.diags.Errorf(name.Pos, diag.Directive, "#define needs a name")
		return
	}
	if rest[0].Text == "defined" {
		p.diags.Errorf(rest[0].Pos, diag.Directive, "'defined' cannot be a macro")
		return
	}
	m := &macro{info: diag.Macro{Name: rest[0].Text, Def: rest[0].Pos}}
	body := rest[1:]
	if len(body) > 0 && body[0].Kind == LParen && !body[0].Space {
		m.fn = true
		i := 1
		for {
			if i < len(body) && body[i].Kind == RParen && len(m.params) == 0 {
				break
			}
			if i+1 >= len(body) || body[i].Kind != Name || body[i+1].Kind != Comma && body[i+1].Kind != RParen {
				p.diags.Errorf(rest[0].Pos, diag.Directive, "macro %s: the parameter list is names separated by commas, then ')'", m.info.Name)
				return
			}
			m.params = append(m.params, body[i].Text)
			i++
			if body[i].Kind == RParen {
				break
			}
			i++
		}
		body = body[i+1:]
	}
	for i, t := range body {
		if t.Kind == HashHash && (i == 0 || i == len(body)-1) {
			p.diags.Errorf(t.Pos, diag.Directive, "'##' cannot be at either end of a macro")
			return
		}
		if m.fn && t.Kind == Hash && (i+1 >= len(body) || m.param(body[i+1]) < 0) {
			p.diags.Errorf(t.Pos, diag.Directive, "'#' must be followed by a parameter of the macro")
			return
		}
	}
	m.body = body
	if old := p.macros[m.info.Name]; old != nil && !sameMacro(old, m) {
		d := p.diags.Errorf(rest[0].Pos, diag.MacroRedefined, "macro %s is defined again with another body (#undef it first)", m.info.Name)
		if old.info.Def.IsValid() {
			d.Note(old.info.Def, "first defined here")
		}
	}
	p.macros[m.info.Name] = m
}

func (m *macro) param(t Token) int {
	if t.Kind == Name {
		for i, n := range m.params {
			if n == t.Text {
				return i
			}
		}
	}
	return -1
}

func sameMacro(a, b *macro) bool {
	if a.fn != b.fn || len(a.body) != len(b.body) || len(a.params) != len(b.params) || a.magic != "" {
		return false
	}
	for i := range a.params {
		if a.params[i] != b.params[i] {
			return false
		}
	}
	for i := range a.body {
		if a.body[i].Kind != b.body[i].Kind || a.body[i].Text != b.body[i].Text {
			return false
		}
	}
	return true
}
