package explore

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Chart repeats a run and writes it as a sequence chart: a column for each that takes
// part, time downwards. It returns how the run ended: with a violation, or nil.
func Chart(out io.Writer, m Model, r *Run) error {
	columns := m.Columns()
	width := 8
	for _, c := range columns {
		width = max(width, utf8.RuneCountInString(c)+2)
	}
	fmt.Fprint(out, "step  ")
	for _, c := range columns {
		fmt.Fprint(out, c, strings.Repeat(" ", width-utf8.RuneCountInString(c)))
	}
	fmt.Fprintln(out)
	line := func(number string, e Event) {
		row := []rune(strings.Repeat("│"+strings.Repeat(" ", width-1), len(columns)))
		switch {
		case e.From < 0 || e.From >= len(columns) || e.To < 0 || e.To >= len(columns):
		case e.From == e.To:
			row[e.From*width] = '●'
		default:
			lo, hi := min(e.From, e.To), max(e.From, e.To)
			for i := lo*width + 1; i < hi*width; i++ {
				row[i] = '─'
			}
			head, at := '▶', hi*width-1
			if e.To < e.From {
				head, at = '◀', lo*width+1
			}
			if e.Lost {
				head = '✗'
			}
			row[at] = head
		}
		fmt.Fprintf(out, "%4s  %s%s\n", number, string(row), e.Text)
	}
	ended := replay(m, r.Names, false, func(step int, name string, events []Event) {
		number := fmt.Sprint(step)
		if len(events) == 0 {
			events = []Event{{-1, -1, false, name}}
		}
		for _, e := range events {
			line(number, e)
			number = ""
		}
	})
	if ended == nil {
		return errors.New("the world cannot be made")
	}
	if ended.Err != nil {
		fmt.Fprintf(out, "VIOLATION  %v\n", ended.Err)
	}
	return ended.Err
}

// WriteScenario keeps a run as text that ReadScenario reads. title is what the world
// is made from.
func WriteScenario(out io.Writer, title string, r *Run) error {
	var b strings.Builder
	fmt.Fprintf(&b, "world %s\n", title)
	if r.Err != nil {
		fmt.Fprintf(&b, "violates %s\n", strings.ReplaceAll(r.Err.Error(), "\n", " "))
	}
	for _, n := range r.Names {
		fmt.Fprintf(&b, "step %s\n", n)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// Scenario is a run that was kept.
type Scenario struct {
	World    string // what the world is made from
	Violates string // "" if it should not
	Steps    []string
}

// ReadScenario reads what WriteScenario has written. Blank lines and those that
// begin with # say nothing.
func ReadScenario(text string) (*Scenario, error) {
	s := &Scenario{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "world":
			s.World = rest
		case "violates":
			s.Violates = rest
		case "step":
			s.Steps = append(s.Steps, rest)
		default:
			return nil, fmt.Errorf("line %d: %q is none of world, violates, step", i+1, word)
		}
	}
	if s.World == "" {
		return nil, errors.New("no line says what world it is")
	}
	return s, nil
}

// Missed names the goals that were not reached.
func Missed(m Model, reached uint64) []string {
	var names []string
	for i, g := range m.Goals() {
		if reached>>i&1 == 0 {
			names = append(names, g)
		}
	}
	return names
}
