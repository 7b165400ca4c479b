package diag

import (
	"fmt"
	"strings"
)

// A File is one source text and the name that people know it by.
type File struct {
	Name  string
	Text  string
	lines []int // byte offset of the start of each line
}

// NewFile returns a File whose lines can be shown in diagnostics.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Line returns the text of line n (from 1) without its end of line, or "".
func (f *File) Line(n int) string {
	if f == nil || n < 1 || n > len(f.lines) {
		return ""
	}
	s := f.Text[f.lines[n-1]:]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, "\r")
}

// A Pos is a place in a source file.
type Pos struct {
	File *File
	Line int32 // from 1 in the text of File
	Col  int32 // in bytes, from 1
	// Name and NameLine replace File.Name and Line in what is printed when a
	// line marker said so (bundled source); Name is empty otherwise.
	Name     string
	NameLine int32
	// Macro is the innermost macro whose expansion produced the token; the
	// position itself is then that of the outermost use.
	Macro *Macro
}

// A Macro is where a preprocessor macro was defined.
type Macro struct {
	Name string
	Def  Pos
}

// IsValid tells whether p names a place.
func (p Pos) IsValid() bool { return p.File != nil }

// Filename is the name of the file as people know it.
func (p Pos) Filename() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.File != nil:
		return p.File.Name
	}
	return ""
}

// LineNumber is the line as people know it.
func (p Pos) LineNumber() int {
	if p.Name != "" {
		return int(p.NameLine)
	}
	return int(p.Line)
}

// String is file:line:column, or "-".
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename(), p.LineNumber(), p.Col)
}

// Before orders positions of one file; positions of different files order by
// name.
func (p Pos) Before(q Pos) bool {
	switch {
	case p.Filename() != q.Filename():
		return p.Filename() < q.Filename()
	case p.LineNumber() != q.LineNumber():
		return p.LineNumber() < q.LineNumber()
	}
	return p.Col < q.Col
}
