package diag

import (
	"fmt"
	"io"
	"sort"
	"strings"
)

// MaxErrors is how many errors of one run are kept; later ones are counted.
const MaxErrors = 100

// A Code names a kind of error, for instance "P4101". See codes.go.
type Code string

// Severity tells an error from a warning.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Diagnostic is one message about one place.
type Diagnostic struct {
	Pos      Pos
	Code     Code
	Severity Severity
	Message  string
	Notes    []Note
	// Fatal says that what comes behind makes no sense without what is missing.
	Fatal bool
}

// A Note is a further place that explains a diagnostic, such as the earlier of
// two declarations.
type Note struct {
	Pos     Pos
	Message string
}

// Error is the first line of the message, without the source line.
func (d *Diagnostic) Error() string {
	return fmt.Sprintf("%s: %s %s: %s", d.Pos, d.Severity, d.Code, d.Message)
}

// Format is the whole message: place, code, text, source line, caret, notes.
func (d *Diagnostic) Format() string {
	var b strings.Builder
	b.WriteString(d.Error())
	b.WriteByte('\n')
	writeCaret(&b, d.Pos)
	if m := d.Pos.Macro; m != nil && m.Def.IsValid() {
		fmt.Fprintf(&b, "%s: note: expanded from macro %s\n", m.Def, m.Name)
		writeCaret(&b, m.Def)
	}
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "%s: note: %s\n", n.Pos, n.Message)
		writeCaret(&b, n.Pos)
	}
	return b.String()
}

func writeCaret(b *strings.Builder, p Pos) {
	if !p.IsValid() {
		return
	}
	line := p.File.Line(int(p.Line))
	if strings.TrimSpace(line) == "" {
		return
	}
	const window = 160 // a minified line must not flood a terminal
	col := int(p.Col) - 1
	if col > len(line) {
		col = len(line)
	}
	start := 0
	if col > window {
		start = col - window/2
	}
	shown := line[start:]
	if len(shown) > window {
		shown = shown[:window]
	}
	lead := line[start:col]
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return '\t'
		}
		return ' '
	}, lead)
	fmt.Fprintf(b, "    %s\n    %s^\n", strings.ToValidUTF8(shown, "?"), pad)
}

// A List is the diagnostics of one run, in the order in which they were found.
// The zero List is ready for use.
type List struct {
	Items   []*Diagnostic
	Dropped int // errors beyond MaxErrors
	errors  int
}

// Errorf adds an error and returns it, so that notes can be added.
func (l *List) Errorf(p Pos, c Code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: p, Code: c, Message: fmt.Sprintf(format, args...)}
	if l.errors >= MaxErrors {
		l.Dropped++
		return d
	}
	// One cause is often met on several paths (an inlined control, a macro):
	// the same text at the same place is said once.
	for i := len(l.Items) - 1; i >= 0; i-- {
		if o := l.Items[i]; o.Pos == p && o.Message == d.Message && o.Code == c {
			return d
		}
	}
	l.errors++
	l.Items = append(l.Items, d)
	return d
}

// Warnf adds a warning.
func (l *List) Warnf(p Pos, c Code, format string, args ...any) *Diagnostic {
	d := &Diagnostic{Pos: p, Code: c, Severity: Warning, Message: fmt.Sprintf(format, args...)}
	for _, o := range l.Items {
		if o.Pos == p && o.Message == d.Message && o.Code == c {
			return d
		}
	}
	l.Items = append(l.Items, d)
	return d
}

// Note adds a place to a diagnostic.
func (d *Diagnostic) Note(p Pos, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{p, fmt.Sprintf(format, args...)})
	return d
}

// HasErrors tells whether any item is an error.
func (l *List) HasErrors() bool { return l.errors > 0 }

// Fatal tells whether an error is fatal.
func (l *List) Fatal() bool {
	for _, d := range l.Items {
		if d.Fatal {
			return true
		}
	}
	return false
}

// Len is the number of errors that were kept.
func (l *List) Len() int { return l.errors }

// Sort orders the items by place; equal places keep their order.
func (l *List) Sort() {
	sort.SliceStable(l.Items, func(i, j int) bool { return l.Items[i].Pos.Before(l.Items[j].Pos) })
}

// Err is nil when there are no errors, else the list as an error.
func (l *List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return listError{l}
}

type listError struct{ l *List }

func (e listError) Error() string {
	var first string
	for _, d := range e.l.Items {
		if d.Severity == Error {
			first = d.Error()
			break
		}
	}
	if n := e.l.errors + e.l.Dropped; n > 1 {
		return fmt.Sprintf("%s (and %d more errors)", first, n-1)
	}
	return first
}

// Write prints every item in full.
func (l *List) Write(w io.Writer) error {
	for _, d := range l.Items {
		if _, err := io.WriteString(w, d.Format()); err != nil {
			return fmt.Errorf("diagnostics: %w", err)
		}
	}
	if l.Dropped > 0 {
		if _, err := fmt.Fprintf(w, "too many errors: %d more are not shown\n", l.Dropped); err != nil {
			return fmt.Errorf("diagnostics: %w", err)
		}
	}
	return nil
}

// String is all items in full.
func (l *List) String() string {
	var b strings.Builder
	_ = l.Write(&b) // a strings.Builder does not fail
	return b.String()
}
