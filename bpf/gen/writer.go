package gen

import (
	"fmt"
	"strings"
)

// writer collects indented text.
type writer struct {
	b             strings.Builder
	depth         int
	blank, opened bool // the last line is blank; it opens a block
}

func (w *writer) line(format string, args ...any) {
	s := tidy(fmt.Sprintf(format, args...))
	if s == "" && (w.blank || w.opened || w.b.Len() == 0) {
		return // one blank line is enough, and none behind a brace
	}
	if strings.HasPrefix(s, "}") && w.blank {
		text := strings.TrimSuffix(w.b.String(), "\n")
		w.b.Reset()
		w.b.WriteString(text)
	}
	w.blank, w.opened = s == "", strings.HasSuffix(s, "{")
	if s != "" {
		w.b.WriteString(strings.Repeat("\t", w.depth))
	}
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *writer) open(format string, args ...any) {
	w.line(format, args...)
	w.depth++
}

func (w *writer) close(format string, args ...any) {
	w.depth--
	w.line(format, args...)
}

// text is what has been written, without a blank line at the end.
func (w *writer) text() []byte {
	return []byte(strings.TrimRight(w.b.String(), "\n") + "\n")
}

// add appends what another writer has collected.
func (w *writer) add(other *writer) {
	w.b.WriteString(other.b.String())
	w.blank, w.opened = other.blank, other.opened
}

// label writes a label one level out.
func (w *writer) label(name string) {
	w.depth--
	w.line("%s:;", name)
	w.depth++
}

// tidy takes out of a line of C what expressions that are put together leave in it:
// parentheses in parentheses, and a negation of a negation of a negation.
func tidy(s string) string {
	s = strings.ReplaceAll(s, "!!!", "!")
	if strings.Contains(s, "__attribute__") {
		return s
	}
	for at := 0; ; {
		i := strings.Index(s[at:], "((")
		if i < 0 {
			return s
		}
		i += at
		inner, comma := closing(s, i+1)
		if outer, _ := closing(s, i); inner < 0 || outer != inner+1 || comma {
			at = i + 1
			continue
		}
		s = s[:i] + s[i+1:inner] + s[inner+1:]
	}
}

// closing is where the parenthesis at s[i] is closed, or -1, and whether there is a
// comma directly in it.
func closing(s string, i int) (at int, comma bool) {
	depth := 0
	for j := i; j < len(s); j++ {
		switch s[j] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			comma = comma || depth == 1
		}
		if depth == 0 {
			return j, comma
		}
	}
	return -1, false
}
