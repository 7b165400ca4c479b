package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// mutant is one block of a list.
type mutant struct {
	list  string // without .txt
	name  string
	where string // file:line
	about string

	file       string // slash-separated, from the root of the repository
	before     []string
	after      []string
	kills      []kill
	want       *regexp.Regexp // what the failing test must say; nil: anything
	equivalent string         // why no test can see it

	edit *edit // of a generated mutant, in place of before and after
}

// kill is a test that must fail.
type kill struct {
	pkg  string
	args []string // of go test; -run is among them
}

func (k kill) String() string { return k.pkg + " " + strings.Join(k.args, " ") }

// run is the regular expression of the tests' names.
func (k kill) run() string {
	for i, a := range k.args {
		if v, ok := strings.CutPrefix(a, "-run="); ok {
			return v
		}
		if a == "-run" && i+1 < len(k.args) {
			return k.args[i+1]
		}
	}
	return ""
}

// golden are tests that compare with what was recorded before, by their packages. They notice every
// change, also of what may be as it likes, and say nothing about a rule.
type golden map[string][]string

// read adds those that a list names: lines "golden package test…", before the first mutant.
func (g golden) read(text string) {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "golden" {
			g[f[1]] = append(g[f[1]], f[2:]...)
		}
	}
}

// parseList reads a list, which is in a file.
func parseList(file, text string, golden golden) ([]*mutant, error) {
	name := listName(file)
	var all []*mutant
	var errs []error
	var m *mutant
	var usual []kill // of those that name no other
	inHunk := false
	lines := strings.Split(text, "\n")
	fail := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: "+format, append([]any{file, i + 1}, args...)...))
	}
	finish := func() {
		if m == nil {
			return
		}
		if len(m.kills) == 0 && m.equivalent == "" {
			m.kills = usual
		}
		if err := m.check(golden); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", m.where, m.name, err))
		}
		all = append(all, m)
	}
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if title, ok := strings.CutPrefix(line, "== "); ok {
			finish()
			m = &mutant{list: name, name: strings.TrimSpace(title), where: fmt.Sprintf("%s:%d", file, i+1)}
			inHunk = false
			if slices.ContainsFunc(all, func(o *mutant) bool { return o.name == m.name }) {
				fail(i, "%s: the name is taken", m.name)
			}
			continue
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if value, ok := strings.CutPrefix(line, "kill "); ok && m == nil {
			if f := strings.Fields(value); len(f) > 0 {
				usual = append(usual, kill{f[0], f[1:]})
			}
			continue
		}
		if m == nil && strings.HasPrefix(line, "golden ") {
			continue
		}
		if m == nil {
			fail(i, "%q: a mutant begins with \"== name\"", line)
			continue
		}
		if strings.ContainsRune(" +-\t", rune(line[0])) {
			inHunk = true
			mark, text := line[0], line[1:]
			if mark == '\t' { // an editor has eaten the blank
				mark, text = ' ', line
			}
			if mark != '+' {
				m.before = append(m.before, text)
			}
			if mark != '-' {
				m.after = append(m.after, text)
			}
			continue
		}
		if inHunk {
			fail(i, "%q: what is said about a mutant comes before its lines", line)
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		if value == "" {
			fail(i, "%s: needs a value", key)
			continue
		}
		switch key {
		case "about":
			m.about = value
		case "file":
			m.file = value
		case "kill":
			f := strings.Fields(value)
			m.kills = append(m.kills, kill{f[0], f[1:]})
		case "want":
			re, err := regexp.Compile(value)
			if err != nil {
				fail(i, "want: %v", err)
			}
			m.want = re
		case "equivalent":
			m.equivalent = strings.TrimSpace(m.equivalent + " " + value)
		default:
			fail(i, "%q is none of about, file, kill, want, equivalent", key)
		}
	}
	finish()
	return all, errors.Join(errs...)
}

// check says what a block lacks.
func (m *mutant) check(golden golden) error {
	switch {
	case m.name == "":
		return errors.New("no name")
	case m.about == "":
		return errors.New("no about: what is broken, in a sentence")
	case m.file == "":
		return errors.New("no file")
	case path.Clean(m.file) != m.file || path.IsAbs(m.file) || strings.HasPrefix(m.file, "."):
		return fmt.Errorf("file %s: not a clean path from the root of the repository", m.file)
	case len(m.before) == 0:
		return errors.New("no lines to find it by")
	case slices.Equal(trimmed(m.before), trimmed(m.after)):
		return errors.New("changes nothing")
	case (len(m.kills) > 0) == (m.equivalent != ""):
		return errors.New("wants either a test that kills it or the argument that it is equivalent")
	}
	for _, k := range m.kills {
		re := k.run()
		if !strings.HasPrefix(k.pkg, "./") || re == "" {
			return fmt.Errorf("kill %s: want ./package -run regexp", k)
		}
		top, err := regexp.Compile(firstElement(re))
		if err != nil {
			return fmt.Errorf("kill %s: %w", k, err)
		}
		for _, g := range golden[k.pkg] {
			if top.MatchString(g) {
				return fmt.Errorf("kill %s: runs %s, which compares with a recording and shows no rule", k, g)
			}
		}
	}
	return nil
}

// firstElement is the part of a -run expression that is about top-level tests.
func firstElement(re string) string {
	depth := 0
	for i, r := range re {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '/':
			if depth == 0 {
				return re[:i]
			}
		}
	}
	return re
}

// errStale is wrapped by what says that a mutant's lines are not there, or not once.
var errStale = errors.New("stale anchor")

// apply returns the changed text of a file. Lines are compared without white space
// at their ends, so that indentation may change.
func (m *mutant) apply(text string) (string, error) {
	if m.edit != nil {
		return m.edit.apply(text), nil
	}
	lines := strings.Split(text, "\n")
	have, want := trimmed(lines), trimmed(m.before)
	at := -1
	for i := 0; i+len(want) <= len(have); i++ {
		if !slices.Equal(have[i:i+len(want)], want) {
			continue
		}
		if at >= 0 {
			return "", fmt.Errorf("%w: lines %d and %d of %s both begin what is to be changed (add a line around it)", errStale, at+1, i+1, m.file)
		}
		at = i
	}
	if at < 0 {
		return "", fmt.Errorf("%w: %s does not have the lines that are to be changed", errStale, m.file)
	}
	return strings.Join(slices.Concat(lines[:at], m.after, lines[at+len(want):]), "\n"), nil
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimSpace(l)
	}
	return out
}

// places are where lists are, in the repository: those of a system in its folder, the others beside this file.
var places = []string{"systems/*/mutants/", "test/mutants/"}

// find finds all lists of a repository, or the files of a folder beside them: their paths, by their names.
func find(root fs.FS, folder string) (map[string]string, error) {
	found := map[string]string{}
	for _, p := range places {
		files, err := fs.Glob(root, p+folder+"*.txt")
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := listName(f)
			if other, taken := found[name]; taken {
				return nil, fmt.Errorf("%s: the name of the list is that of %s", f, other)
			}
			found[name] = f
		}
	}
	return found, nil
}

// listName is the name of the list in a file.
func listName(file string) string { return strings.TrimSuffix(path.Base(file), ".txt") }

// readLists reads lists of a repository, all if names is empty, and what all lists call golden.
func readLists(root fs.FS, names []string) ([]*mutant, golden, error) {
	files, err := find(root, "")
	if err != nil {
		return nil, nil, err
	}
	known := slices.Sorted(maps.Keys(files))
	if len(names) == 0 {
		names = known
	}
	texts, golden := map[string]string{}, golden{}
	for n, f := range files {
		text, err := fs.ReadFile(root, f)
		if err != nil {
			return nil, nil, fmt.Errorf("list %s: %w", n, err)
		}
		texts[n] = string(text)
		golden.read(texts[n])
	}
	var all []*mutant
	var errs []error
	for _, n := range names {
		if files[n] == "" {
			errs = append(errs, fmt.Errorf("there is no list %s (%s)", n, strings.Join(known, ", ")))
			continue
		}
		list, err := parseList(files[n], texts[n], golden)
		all = append(all, list...)
		errs = append(errs, err)
	}
	return all, golden, errors.Join(errs...)
}
